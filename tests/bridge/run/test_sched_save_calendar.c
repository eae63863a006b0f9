// SPDX-License-Identifier: Apache-2.0
// The calendar in a saved state, wake-up by wake-up: sorted, each once, wherever it stood; what is put back and what is
// no wake-up; sums that follow from a state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/region_layout.h"
#include "bridge/run/calendar_save.h"
#include "bridge/run/sched_links.h"
#include "bridge/run/sched_save.h"
#include "saved/state_io.h"
#include "toy.h"

enum { PARTS = 130 }; /* 70 of the first group, 60 of the second */

static void machine(struct sched *s)
{
    sched_init(s);
    for (unsigned i = 0; i < PARTS; i++)
        add(s, "p", i >= 70);
    assert_true(sched_start(s));
}

/* The wake-ups at the end of what was written. */
static uint64_t dues_of(const struct state_buffer *b, struct due *list, uint64_t count)
{
    uint64_t written;
    assert_true(b->count >= 8 + count * sizeof *list);
    memcpy(&written, b->bytes + b->count - 8 - count * sizeof *list, 8);
    memcpy(list, b->bytes + b->count - count * sizeof *list, count * sizeof *list);
    return written;
}

/* In the order of windows, then of partitions of either group; one that stands twice, in the wheel and beyond it or in
 * the heap twice, is one. */
static void test_wake_ups(void **state)
{
    static const struct due expected[] = {{1000, 0},  {1000, 69}, {1000, 70},  {1000, 129}, {1001, 5},
                                          {1255, 64}, {1256, 64}, {1256, 100}, {1300, 3},   {9000, 63}};
    enum { COUNT = sizeof expected / sizeof *expected };
    struct state_buffer b;
    struct due list[COUNT];
    struct sched s, then;
    (void)state;
    machine(&s);
    s.now = 8000;
    for (unsigned n = COUNT; n-- > 0;)
        for (unsigned twice = 0; twice < 2; twice++)
            sched_wake(&s, s.parts[expected[n].number], 8 * expected[n].window + 7 * twice);
    s.now = 8 * 1000;
    state_buffer_init(&b);
    sched_save(&s, &b.writer);
    assert_int_equal(dues_of(&b, list, COUNT), COUNT);
    assert_memory_equal(list, expected, sizeof list);
    uint64_t now;
    memcpy(&now, b.bytes, 8);
    assert_int_equal(now, 8000);
    machine(&then);
    assert_true(sched_restore(&then, &b.reader));
    assert_int_equal(b.taken, b.count);
    assert_int_equal(then.now, 8000);
    for (unsigned n = 0; n < COUNT;) { /* each in its window */
        assert_int_equal(sched_next(&then), 8 * expected[n].window);
        then.now = sched_next(&then);
        visits = 0;
        sched_run(&then, 1);
        unsigned due = 0;
        for (const uint64_t window = expected[n].window; n < COUNT && expected[n].window == window; n++, due++)
            assert_true(then.parts[expected[n].number]->visits > 0);
        assert_int_equal(visits, due);
    }
    assert_true(sched_quiet(&then));
    sched_fini(&s);
    sched_fini(&then);
    free(b.bytes);
}

static bool restored(struct state_buffer *b, const char *why)
{
    struct sched s;
    machine(&s);
    b->taken = 0;
    *b->reader.why = 0;
    bool good = sched_restore(&s, &b->reader);
    if (!good && strstr(b->reader.why, why) == NULL)
        fail_msg("\"%s\" without \"%s\"", b->reader.why, why);
    sched_fini(&s);
    return good;
}

/* Of a partition that is not there, before now; more than there can be. */
static void test_what_is_no_wake_up(void **state)
{
    struct state_buffer b;
    struct sched s;
    (void)state;
    machine(&s);
    s.now = 8000;
    sched_wake(&s, s.parts[7], 8000);
    state_buffer_init(&b);
    sched_save(&s, &b.writer);
    unsigned char *const window = b.bytes + b.count - 16, *const number = window + 8;
    const struct {
        uint64_t window, number;
        const char *why;
    } cases[] = {{1000, 7, NULL},
                 {999, 7, "wake-up of partition 7 in window 999"},
                 {1000, 129, NULL},
                 {1000, 130, "wake-up of partition 130 in window 1000"},
                 {5000, 0, NULL}};
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        memcpy(window, &cases[n].window, 8);
        memcpy(number, &cases[n].number, 8);
        assert_int_equal(restored(&b, cases[n].why ? cases[n].why : ""), cases[n].why == NULL);
    }
    const uint64_t most = PARTS + (uint64_t)SCHED_WHEEL * PARTS; /* one of each in each window, and beyond */
    b.bytes = realloc(b.bytes, b.count + 16 * (most + 2));
    const size_t before = b.count - 24;
    for (unsigned more = 0; more < 2; more++) {
        const uint64_t count = most + more;
        memcpy(b.bytes + before, &count, 8);
        b.count = before + 8;
        for (uint64_t n = 0; n < count; n++, b.count += 16) {
            const struct due due = {1000 + n / PARTS, n % PARTS};
            memcpy(b.bytes + b.count, &due, sizeof due);
        }
        assert_int_equal(restored(&b, "wake-ups"), !more);
    }
    sched_fini(&s);
    free(b.bytes);
}

/* Visits of groups are those of their partitions, the last window with one that of the latest group; both go on. */
static void test_sums(void **state)
{
    struct state_buffer b;
    struct sched s, then;
    (void)state;
    machine(&s);
    sched_wake(&s, s.parts[3], 80);
    sched_wake(&s, s.parts[4], 88);
    sched_wake(&s, s.parts[90], 96);
    sched_wake(&s, s.parts[91], 160);
    sched_wake(&s, s.parts[3], 240);
    for (uint64_t next; (next = sched_next(&s)) < 200;) {
        s.now = next;
        sched_run(&s, 1);
    }
    assert_true(sched_visits(&s) == 4 && sched_active(&s) == 168);
    state_buffer_init(&b);
    sched_save(&s, &b.writer);
    machine(&then);
    sched_wake(&then, then.parts[1], 0);
    sched_wake(&then, then.parts[1], 400);
    sched_run(&then, 1);
    assert_true(sched_restore(&then, &b.reader));
    assert_true(sched_visits(&then) == 4 && sched_active(&then) == 168);
    assert_true(then.groups[0].visits == 2 && then.groups[1].visits == 2);
    assert_int_equal(sched_next(&then), 240); /* and not 400 */
    assert_true(sched_state_hash(&then) == sched_state_hash(&s));
    sched_fini(&s);
    sched_fini(&then);
    free(b.bytes);
}

/* In a region the others are told how far it was active. */
static void test_in_a_region(void **state)
{
    static const char *const names[] = {"p0", "p1"};
    const struct region_plan plan = {names, 2, NULL, 0, REGION_NONE};
    const struct hello hello = hello_make("r", "g", "c", 3);
    struct state_buffer b;
    struct sched s, then;
    (void)state;
    machine(&s);
    sched_wake(&s, s.parts[90], 96);
    s.now = 96;
    sched_run(&s, 1);
    state_buffer_init(&b);
    sched_save(&s, &b.writer);
    int fd = region_create(&plan);
    struct region *r = region_open(fd, 0, &hello, 1);
    close(fd);
    machine(&then);
    sched_join(&then, r);
    for (size_t whole = b.count, cut = 2; cut-- > 0;) {
        b.count = whole - cut;
        b.taken = 0;
        assert_int_equal(sched_restore(&then, &b.reader), !cut);
        assert_int_equal(region_entry(r, 0)->active, cut ? 0 : 104);
        b.count = whole;
    }
    sched_fini(&s);
    sched_fini(&then);
    region_close(r);
    free(b.bytes);
}

/* No wake-up is a count of none. */
static void test_no_wake_up(void **state)
{
    struct dues none = {0};
    struct state_buffer saved;
    (void)state;
    state_buffer_init(&saved);
    dues_save(&none, &saved.writer);
    assert_int_equal(saved.count, sizeof(uint64_t));
    assert_memory_equal(saved.bytes, "\0\0\0\0\0\0\0", 8);
    free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wake_ups),   cmocka_unit_test(test_what_is_no_wake_up), cmocka_unit_test(test_sums),
        cmocka_unit_test(test_no_wake_up), cmocka_unit_test(test_in_a_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
