/* SPDX-License-Identifier: Apache-2.0
 * Steps of a scheduler with links, and what it publishes before it waits, the wait itself and the clock played by the
 * test: how many windows a step has, where it ends and with which word.
 * libs: -Wl,--wrap=region_wait
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advance_bench.h"

/* Its first event, of its own or the owner's, the horizon that would be of use, where its owner may act, the slowest
 * link of the region in, what went over its links. */
static void test_what_is_published(void **state)
{
    static const struct {
        uint64_t wake, act, limit, until; /* 0: none */
        uint64_t next, need, hold, now;
    } cases[] = {
        {4000, 0, 0, NEVER, 4000, 4008, NEVER, 200}, /* an event of its own, beyond the 207 that are promised */
        {4003, 0, 0, NEVER, 4000, 4008, NEVER, 200},
        {4000, 0, 0, 3005, 3000, 3000, NEVER, 200}, /* until is first */
        {4000, 0, 0, 4000, 4000, 4000, NEVER, 200}, /* its window is not to be run */
        {4000, 0, 0, 4008, 4000, 4008, NEVER, 200},
        {0, 0, 0, 3000, 3000, 3000, NEVER, 200},
        {0, 0, 0, NEVER, NEVER, NEVER - 7, NEVER, 200},
        {4000, 0, 3000, NEVER, 4000, 3000, NEVER, 200}, /* a limit is no event */
        {4000, 5000, 0, NEVER, 4000, 4008, 5000, 200},
        {6000, 5001, 0, NEVER, 5000, 5032, 5000, 200}, /* the owner's: of use when the others have rested */
        {6000, 5000, 0, 3000, 3000, 3032, 3000, 200},
        {6000, 5000, 2000, NEVER, 5000, 2032, 2000, 200},
        {0, NEVER, 0, NEVER, NEVER, NEVER - 7, NEVER - 7, 200},
    };
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        uint64_t value = 1;
        open_played(&b, REGION_NONE, cases[n].act != 0);
        b.act = cases[n].act;
        b.s.limit = cases[n].limit ? cases[n].limit : NEVER;
        if (cases[n].wake)
            sched_wake(&b.s, b.part, cases[n].wake);
        for (unsigned k = 0; k < 3; k++)
            sched_send(b.part, 0, 0, &value);
        promised(&b, 207);
        assert_int_equal(sched_advance(&b.s, cases[n].until), SCHED_QUIET);
        assert_int_equal(waits, 1);
        if (seen.next != cases[n].next || seen.need != cases[n].need || seen.hold != cases[n].hold)
            fail_msg("case %u: next %llu, need %llu, hold %llu", n, (unsigned long long)seen.next,
                     (unsigned long long)seen.need, (unsigned long long)seen.hold);
        assert_int_equal(now_seen, cases[n].now);
        assert_int_equal(promise_seen, sched_hold(&b.s) < 220 ? sched_hold(&b.s) : 220);
        assert_int_equal(seen.reach, 32);
        assert_true(seen.sent == 3 && seen.received == 0);
        assert_true(seen.in == b.s.heads_in && seen.count == 1 && b.s.heads_in[0] == b.in->in);
        bench_close(&b);
    }
}

/* A link of another kind says nothing about the floor, whatever its latency; the least of all is what the owner's turn
 * needs. */
static void test_links_of_two_kinds(void **state)
{
    (void)state;
    for (unsigned slow = 0; slow < 2; slow++) {
        struct bench b;
        open_played(&b, REGION_NONE, true);
        b.act = 5000;
        b.part->ins = 2;
        b.part->in = realloc(b.part->in, 2 * sizeof *b.part->in);
        b.part->in[1] = NULL;
        struct ring *ring = ring_new_empty(8, 4, RING_LINE);
        const uint32_t latency = slow ? 100 : 24;
        struct wire *w = sched_import(&b.s, (struct far_end){"c", 0}, b.part, 1, 8, latency, 4,
                                      (struct carrier){&transport_inproc, ring});
        assert_non_null(w);
        ring->promise = 160;
        promised(&b, 200);
        assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
        assert_int_equal(seen.reach, 32);
        assert_int_equal(seen.need, 5000 + (slow ? 32 : 24));
        assert_int_equal(now_seen, 160);
        assert_int_equal(seen.count, 2);
        bench_close(&b);
        free(ring);
    }
}

/* ---- ends */
static enum region_end end_of_wait;
static enum region_end ends(const struct region_waiter *w)
{
    (void)w;
    return end_of_wait;
}

static void test_ends(void **state)
{
    static const enum region_end of_wait[] = {REGION_QUIET, REGION_ENDED, REGION_LOST};
    static const enum sched_end of_sched[] = {SCHED_QUIET, SCHED_ENDED, SCHED_LOST};
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct bench b;
        open_played(&b, REGION_NONE, false);
        end_of_wait = of_wait[n];
        wait_act = ends;
        assert_int_equal(sched_advance(&b.s, 1000), of_sched[n]);
        bench_close(&b);
    }
}

/* The owner's turn: when he acts, all others have run what is before; without an owner a horizon is enough.  What is
 * not to be waited for is not. */
static void test_until(void **state)
{
    static const struct {
        uint64_t act, limit, until, promise, now; /* now 0: it waits */
    } cases[] = {{0, NEVER, 1000, 1000, 1000},    {0, NEVER, 1000, 999, 0},    {0, NEVER, 1007, 1000, 1000},
                 {500, NEVER, NEVER, 532, 496},   {504, NEVER, NEVER, 535, 0}, {504, NEVER, NEVER, 536, 504},
                 {900, 600, NEVER, 632, 600},     {900, 600, NEVER, 631, 0},   {900, NEVER, 300, 332, 296},
                 {NEVER, NEVER, NEVER, NEVER, 0}, {0, NEVER, NEVER, NEVER, 0}, {0, 640, NEVER, 640, 640},
                 {500, NEVER, NEVER, 528, 496}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        open_played(&b, REGION_NONE, cases[n].act != 0);
        b.act = cases[n].act;
        b.s.limit = cases[n].limit;
        b.s.act_ahead = 5000;
        promised(&b, cases[n].promise);
        enum sched_end end = sched_advance(&b.s, cases[n].until);
        if (end != (cases[n].now ? SCHED_UNTIL : SCHED_QUIET) || waits != !cases[n].now)
            fail_msg("case %u: end %d after %u waits", n, (int)end, waits);
        if (cases[n].now)
            assert_int_equal(b.s.now, cases[n].now);
        bench_close(&b);
    }
}

/* ---- steps */
static struct {
    uint64_t at[400], promise[400];
    unsigned windows[400], count, busy;
} visits;
static void busy_visit(struct part *part, uint64_t from)
{
    visits.at[visits.count] = from;
    visits.promise[visits.count] = bench ? bench->out->out->bundle->shared->promise : 0;
    visits.windows[visits.count++] = part->sched->windows_now;
    part->idle = visits.count >= visits.busy;
}
static const struct part_ops busy = {.visit = busy_visit};

static void open_busy(struct bench *b, unsigned windows)
{
    open_played(b, REGION_NONE, false);
    b->part->ops = &busy;
    memset(&visits, 0, sizeof visits);
    visits.busy = windows;
    sched_wake(&b->s, b->part, 0);
}

/* As many windows at once as the stretch allows, as half of the fastest link out takes, as are promised; at least one.
 * What is behind them is promised after each step. */
static void test_steps(void **state)
{
    static const struct {
        uint32_t latency, stretch;
        uint64_t promise;
        unsigned windows; /* of the first step */
    } cases[] = {{20, 8, 1000, 1}, {8, 8, 1000, 1},  {15, 8, 1000, 1}, {31, 8, 1000, 1},  {32, 8, 1000, 2},
                 {48, 8, 1000, 3}, {64, 8, 1000, 4}, {64, 3, 1000, 3}, {640, 8, 1000, 8}, {640, 1, 1000, 1},
                 {640, 8, 40, 5},  {640, 8, 33, 4},  {640, 8, 47, 5}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        open_busy(&b, 40);
        b.out->out->latency = cases[n].latency; /* the bundle's least is another's */
        b.out->channel.latency = cases[n].latency;
        b.out->out->bundle->shared->least = cases[n].latency;
        b.s.stretch = cases[n].stretch;
        promised(&b, cases[n].promise);
        assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
        assert_int_equal(visits.windows[0], cases[n].windows);
        for (unsigned k = 0; k < visits.count; k++) {
            assert_int_equal(visits.at[k], 8 * k);
            const unsigned step = k / cases[n].windows * cases[n].windows;
            if (k >= cases[n].windows && cases[n].promise == 1000)
                assert_int_equal(visits.promise[k], 8 * step + cases[n].latency);
        }
        assert_int_equal(visits.count, cases[n].promise / 8 < 40 ? cases[n].promise / 8 : 40);
        assert_int_equal(b.own->active, 8 * visits.count);
        bench_close(&b);
    }
}

/* While it works it looks at the others when that is due, and stops for one that is lost. */
static void test_a_step_sees_who_is_lost(void **state)
{
    (void)state;
    for (unsigned due = 0; due < 2; due++) {
        struct bench b;
        open_busy(&b, 40);
        promised(&b, 1000);
        b.other->stage = REGION_REFUSED;
        now_ns = b.r[0]->looked + PEERS_LOOK_NS - !due;
        assert_int_equal(sched_advance(&b.s, NEVER), due ? SCHED_LOST : SCHED_QUIET);
        assert_int_equal(visits.count, due ? 1 : 40);
        assert_int_equal(b.own->cycle, due ? 8 : b.s.now);
        bench_close(&b);
        open_busy(&b, 40); /* one that left is no reason to stop working */
        promised(&b, 1000);
        b.other->stage = REGION_LEFT;
        now_ns = b.r[0]->looked + PEERS_LOOK_NS;
        assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
        assert_int_equal(visits.count, 40);
        bench_close(&b);
    }
}

/* Without skipping every window is visited, while anything is to come. */
static void test_without_skipping(void **state)
{
    struct bench b;
    (void)state;
    open_busy(&b, 1);
    b.s.no_skip = true;
    sched_wake(&b.s, b.part, 160);
    promised(&b, 4000);
    assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
    assert_int_equal(visits.count, 21);
    for (unsigned k = 0; k < visits.count; k++)
        assert_int_equal(visits.at[k], 8 * k);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_published),
        cmocka_unit_test(test_links_of_two_kinds),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_until),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_a_step_sees_who_is_lost),
        cmocka_unit_test(test_without_skipping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
