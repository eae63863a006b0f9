// SPDX-License-Identifier: Apache-2.0
// Transport shm with the processes of its region played by the test: the horizon of a link under the floor and what the
// host holds back, and whom a promise wakes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "region_bench.h"

static void test_links(void **state)
{
    static const struct {
        uint64_t promise, floor, ahead, hold, horizon;
        bool waits;
    } cases[] = {
        {500, 0, NEVER, NEVER, 500, true},    {500, 469, NEVER, NEVER, 500, true}, {500, 471, NEVER, NEVER, 501, true},
        {500, 600, NEVER, NEVER, 500, false}, {500, 600, NEVER, 620, 620, true},   {500, 600, NEVER, 630, 630, true},
        {500, 600, NEVER, 700, 630, true},    {500, 600, 25, 700, 625, true},      {500, 600, 25, 610, 610, true},
        {500, 600, NEVER, 400, 500, true},
    };
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        struct link from, to, none;
        bench_open(&b, 1);
        link_init(&from, &transport_shm, "b:0 -> a:0", true, 8, 30, 4);
        link_init(&to, &transport_shm, "b:0 -> a:0", false, 8, 30, 4);
        link_init(&none, &transport_inproc, "b:0 -> a:0", false, 8, 30, 4);
        assert_true(from.transport->open(&from, b.r[1]) && to.transport->open(&to, b.r[0]));
        assert_int_equal(region_partner(b.r[1], &from), 0);
        assert_int_equal(region_partner(b.r[0], &to), 1);
        assert_int_equal(region_partner(b.r[0], &from), REGION_NONE); /* of another region */
        assert_int_equal(region_partner(b.r[0], &none), REGION_NONE);
        from.transport->promise(&from, cases[n].promise);
        entry(&b, 1)->version = cases[n].waits ? 7 : 8;
        entry(&b, 1)->hold = cases[n].hold;
        b.head->floor = cases[n].floor;
        b.head->ahead = cases[n].ahead;
        assert_int_equal(to.transport->horizon(&to), cases[n].horizon);
        from.transport->close(&from);
        to.transport->close(&to);
        assert_true(from.ring == NULL && from.own == NULL);
        bench_close(&b);
    }
}

/* A promise wakes who sleeps when it is of use, or when messages are before it; the same again wakes nobody. */
static void test_promises_wake(void **state)
{
    struct bench b;
    struct link from;
    uint64_t value = 1;
    (void)state;
    bench_open(&b, REGION_NONE);
    struct region_entry *to = entry(&b, 1);
    link_init(&from, &transport_shm, "a:0 -> b:0", true, 8, 20, 4);
    assert_true(from.transport->open(&from, b.r[0]));
    to->need = 100;
    from.transport->promise(&from, 50);
    to->asleep = 1;
    from.transport->promise(&from, 99);
    assert_int_equal(to->bell, 0);
    from.transport->promise(&from, 100);
    assert_int_equal(to->bell, 1);
    from.transport->promise(&from, 100);
    assert_int_equal(to->bell, 1);
    to->need = 1000;
    link_send(&from, 100, &value);
    from.transport->promise(&from, 100);
    assert_int_equal(to->bell, 2);
    from.transport->promise(&from, 101);
    assert_int_equal(to->bell, 2);
    to->asleep = 0;
    link_send(&from, 101, &value);
    from.transport->promise(&from, 2000);
    assert_int_equal(to->bell, 2);
    from.transport->close(&from);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_promises_wake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
