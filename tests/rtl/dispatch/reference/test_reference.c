/* SPDX-License-Identifier: Apache-2.0
 * Cases by hand for the reference scheduler: it says no where it should.  What it says of the RTL:
 * ../part_dispatch_random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "reference.c"
#include "reference_pool.c"
#include "reference_wave.c"

static struct ref r;
static struct ref_group groups[64];
static uint32_t now;

/* 32 CUs in two engines of 2 SIMDs with 2 slots, 8 granules of VGPRs. */
static void begin(void)
{
    const struct ref_shape shape = {.cus = 32,
                                    .simds = 2,
                                    .slots = 2,
                                    .vgprs = 8,
                                    .sgprs = 4,
                                    .lds = 4,
                                    .barriers = 2,
                                    .dispatchers = 2,
                                    .cycles_per_group = 4,
                                    .patience = 50};
    ref_begin(&r, &shape, groups, 64);
    now = 100;
}

static struct msg_cp_cmd kernel(unsigned waves, unsigned count, uint64_t mask)
{
    struct msg_cp_cmd c = {.kind = CP_LAUNCH,
                           .vmid = 1,
                           .group = {(uint16_t)(64 * waves), 1, 1},
                           .grid = {64 * waves * count, 1, 1},
                           .groups = {count, 1, 1},
                           .waves = (uint16_t)waves,
                           .vgprs = 8,
                           .sgprs = 16,
                           .cu_mask = mask};
    return c;
}

static struct ref_edge quiet(void)
{
    struct ref_edge e = {.cycle = now++, .reciprocals = 3};
    return e;
}

static void start(unsigned who, struct msg_cp_cmd c)
{
    struct ref_edge e = quiet();
    e.launch = &c, e.who = who;
    assert_null(ref_edge(&r, &e));
}

/* A try of a group, from the request to the answer; null, or what is wrong. */
static const char *try(unsigned who, unsigned cu, unsigned rounds, bool ok)
{
    struct ref_edge e = quiet();
    e.may_ask = e.asks = true, e.asker = who, e.cu = cu;
    const char *wrong = ref_edge(&r, &e);
    for (unsigned n = 0; n < rounds && !wrong; n++) {
        e = quiet();
        e.taken = n == 0, e.done = n + 1 == rounds, e.ok = ok;
        wrong = ref_edge(&r, &e);
    }
    e = quiet();
    return wrong ? wrong : ref_edge(&r, &e);
}

static void wait_for_rate(void)
{
    now += 20;
}

/* shows S3.9: engines in turn, in each its CUs in turn */
static void test_rotation(void **state)
{
    (void)state;
    static const unsigned expected[] = {1, 17, 2, 17, 1};
    begin();
    start(0, kernel(1, 5, 0x20006));
    for (unsigned n = 0; n < 5; n++) {
        wait_for_rate();
        struct ref before = r;
        assert_non_null(try(0, expected[n] ^ 3, 1, true));
        r = before;
        assert_null(try(0, expected[n], 1, true));
        struct msg_cu_cmd sent, none = {0};
        ref_message(&r.walk[0], r.walk[0].granted[0], 0, &none, 2, &sent);
        assert_null(ref_wave(&r, expected[n], &sent));
    }
}

/* shows S3.7: places of a group of three wavefronts, behind one of one */
static void test_places(void **state)
{
    (void)state;
    begin();
    start(0, kernel(1, 1, 1));
    start(1, kernel(3, 1, 1));
    wait_for_rate();
    assert_null(try(0, 0, 1, true));
    assert_null(try(1, 0, 2, true));
    const struct ref_group *g = r.walk[1].granted[0];
    static const struct ref_place want[3] = {{1, 0, 0, 0}, {0, 1, 2, 1}, {1, 1, 2, 1}};
    assert_memory_equal(g->place, want, sizeof want);
}

/* shows S3.10: a refusal is foretold, and so is that it holds until something is freed */
static void test_refusal(void **state)
{
    (void)state;
    begin();
    start(0, kernel(4, 1, 1));
    start(1, kernel(1, 1, 1));
    wait_for_rate();
    assert_null(try(0, 0, 2, true));
    assert_non_null(try(1, 0, 1, true));
    begin();
    start(0, kernel(4, 1, 1));
    start(1, kernel(1, 1, 1));
    wait_for_rate();
    assert_null(try(0, 0, 2, true));
    assert_null(try(1, 0, 1, false));
    assert_non_null(try(1, 0, 1, false));
}

/* shows S3.9: the greater priority goes first */
static void test_priority(void **state)
{
    (void)state;
    begin();
    struct msg_cp_cmd low = kernel(1, 4, 7), high = low;
    high.prio = 9;
    start(0, low), start(1, high);
    wait_for_rate();
    for (unsigned n = 0; n < 4; n++) {
        struct ref_edge e = quiet();
        e.may_ask = n < 3;
        assert_null(ref_edge(&r, &e));
    }
    assert_non_null(try(0, 0, 1, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rotation), cmocka_unit_test(test_places),
                                       cmocka_unit_test(test_refusal), cmocka_unit_test(test_priority)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
