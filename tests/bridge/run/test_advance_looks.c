/* SPDX-License-Identifier: Apache-2.0
 * A scheduler that waits, look by look, the wait itself and the clock played by the test: how time goes on, what is
 * promised, which turn is passed, what ends the wait.
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

static bool looks(const struct region_waiter *w)
{
    return w->look(w->ctx);
}

/* Time goes on with what is promised, to the next event and not beyond, and is promised in turn; enough is what is
 * needed, to the cycle. */
static enum region_end horizons_come(const struct region_waiter *w)
{
    struct bench *b = bench;
    const _Atomic uint64_t *out = &b->out->out->bundle->shared->promise;
    assert_false(looks(w));
    assert_true(b->s.now == 200 && *out == 220);
    promised(b, 300);
    assert_false(looks(w));
    assert_true(b->s.horizon == 300 && b->s.now == 296 && *out == 316);
    promised(b, 303);
    assert_false(looks(w)); /* the same window */
    assert_true(b->s.horizon == 303 && b->s.now == 296 && *out == 316);
    promised(b, 4007);
    assert_false(looks(w));
    assert_true(b->s.horizon == 4007 && b->s.now == 4000 && *out == 4020);
    promised(b, 4008);
    assert_true(looks(w));
    assert_true(b->s.horizon == 4007); /* it is taken by the next step */
    b->s.stop = true;
    return REGION_GO;
}

static void test_looks_go_on(void **state)
{
    struct bench b;
    (void)state;
    open_played(&b, REGION_NONE, false);
    sched_wake(&b.s, b.part, 4001);
    promised(&b, 207);
    wait_act = horizons_come;
    assert_int_equal(sched_advance(&b.s, NEVER), SCHED_STOPPED);
    assert_int_equal(waits, 1);
    bench_close(&b);
    open_played(&b, REGION_NONE, false); /* the limit ends it where the next event would be */
    sched_wake(&b.s, b.part, 9000);
    promised(&b, 207);
    wait_act = horizons_come;
    b.s.limit = 4008;
    assert_int_equal(sched_advance(&b.s, NEVER), SCHED_STOPPED);
    bench_close(&b);
}

/* A host does not go beyond what was active last; what its owner plans is promised when it changes. */
static enum region_end host_looks(const struct region_waiter *w)
{
    struct bench *b = bench;
    const _Atomic uint64_t *out = &b->out->out->bundle->shared->promise;
    promised(b, 2000);
    assert_false(looks(w));
    assert_true(b->s.now == 120 && *out == 140);
    region_set_active(b->r[1], 400);
    assert_false(looks(w));
    assert_true(b->s.now == 400 && *out == 420);
    b->act = 410;
    assert_false(looks(w));
    assert_int_equal(*out, 420); /* it does not fall */
    region_set_active(b->r[1], 800);
    assert_false(looks(w));
    assert_int_equal(*out, 420); /* nobody is let beyond where the owner acts */
    b->act = 3000;
    assert_false(looks(w));
    assert_int_equal(*out, 820); /* and at once when he changes his mind */
    return REGION_QUIET;
}

static void test_looks_of_a_host(void **state)
{
    struct bench b;
    (void)state;
    open_played(&b, 0, true);
    b.act = 3000;
    b.s.act_ahead = 5000;
    region_set_active(b.r[1], 120);
    promised(&b, 120);
    wait_act = host_looks;
    assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
    bench_close(&b);
}

/* What comes ends the wait: a message over either kind of link, a question, a wish to stop. */
static unsigned what;
static struct ring *beside;
static enum region_end something_comes(const struct region_waiter *w)
{
    struct bench *b = bench;
    uint64_t value = 7;
    if (waits > 1)
        return REGION_QUIET;
    assert_false(looks(w));
    assert_false(looks(w));
    if (what == 0) {
        link_send(&b->to, 500, &value);
        assert_false(looks(w)); /* it is shown by a promise */
        promised(b, 200);
    } else if (what == 1) {
        ring_slot(beside, 0)->stamp = 500;
        ring_slot(beside, 0)->sequence = 1;
    } else if (what == 2) {
        region_ask(b->r[1], 0);
    } else {
        b->s.stop = true;
    }
    assert_true(looks(w));
    assert_int_equal(b->s.now, 200);
    return REGION_GO;
}

static void test_what_ends_a_wait(void **state)
{
    static const enum sched_end ends[] = {SCHED_QUIET, SCHED_QUIET, SCHED_ASKED, SCHED_STOPPED};
    (void)state;
    for (what = 0; what < 4; what++) {
        struct bench b;
        open_played(&b, REGION_NONE, false);
        b.part->ins = 2;
        b.part->in = realloc(b.part->in, 2 * sizeof *b.part->in);
        b.part->in[1] = NULL;
        beside = ring_new_empty(8, 4, RING_LINE);
        struct wire *w = sched_import(&b.s, (struct far_end){"c", 0}, b.part, 1, 8, 24, 4,
                                      (struct carrier){&transport_inproc, beside});
        beside->promise = 400;
        promised(&b, 200);
        wait_act = something_comes;
        assert_int_equal(sched_advance(&b.s, NEVER), ends[what]);
        assert_int_equal(waits, what < 2 ? 2 : 1);
        assert_int_equal(channel_count(&b.in->channel), what == 0);
        assert_int_equal(channel_count(&w->channel), what == 1);
        assert_false(b.s.stop);
        bench_close(&b);
        free(beside);
    }
}

/* Who takes turns passes his while he waits, as far as he can see; before, too. */
static enum region_end turns_pass(const struct region_waiter *w)
{
    assert_int_equal(turn_seen, UINT64_C(200) / 8 << 16);
    promised(bench, 320);
    assert_false(looks(w));
    assert_int_equal(bench->own->turn, UINT64_C(320) / 8 << 16);
    promised(bench, 9000);
    assert_true(looks(w));
    assert_int_equal(bench->own->turn, UINT64_C(320) / 8 << 16);
    return REGION_QUIET;
}
static enum region_end turns_stay(const struct region_waiter *w)
{
    promised(bench, 320);
    assert_false(looks(w));
    assert_int_equal(bench->own->turn, 0);
    return REGION_QUIET;
}

static void test_turns_are_passed(void **state)
{
    (void)state;
    for (unsigned ordered = 0; ordered < 2; ordered++) {
        struct bench b;
        open_played(&b, REGION_NONE, false);
        b.s.ordered = ordered;
        sched_wake(&b.s, b.part, 4000);
        promised(&b, 200);
        wait_act = ordered ? turns_pass : turns_stay;
        assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
        bench_close(&b);
    }
}

/* ---- nobody wants it any more */
static unsigned asked_wanted;
static bool nobody_wants;
static bool is_unwanted(void *ctx)
{
    assert_ptr_equal(ctx, &bench->act);
    asked_wanted++;
    return nobody_wants;
}
static enum region_end patience(const struct region_waiter *w)
{
    const bool wanted = !w->unwanted(w->ctx);
    assert_int_equal(asked_wanted, bench->s.unwanted ? 1 : 0);
    assert_int_equal(wanted, !nobody_wants || bench->s.unwanted == NULL);
    return wanted ? REGION_QUIET : REGION_UNWANTED;
}

/* Who waits asks the owner, whose answer ends it as a stop does; nothing is left of that. */
static void test_patience(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        struct bench b;
        open_played(&b, REGION_NONE, true);
        b.act = 9000;
        b.s.unwanted = n ? is_unwanted : NULL;
        nobody_wants = n != 1;
        asked_wanted = 0;
        promised(&b, 200);
        wait_act = patience;
        assert_int_equal(sched_advance(&b.s, NEVER), n == 2 ? SCHED_STOPPED : SCHED_QUIET);
        assert_int_equal(waits, 1);
        assert_false(b.s.stop);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_go_on),      cmocka_unit_test(test_looks_of_a_host),
        cmocka_unit_test(test_what_ends_a_wait), cmocka_unit_test(test_turns_are_passed),
        cmocka_unit_test(test_patience),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
