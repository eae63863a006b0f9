// SPDX-License-Identifier: Apache-2.0
// A scheduler in a region whose other process is played by the test: what it publishes before it waits, how a wait
// ends, promises of a host, turns.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/peers.h"
#include "join_bench.h"

/* While a bench waits for its turn: what happens at the third time that it gives its core away. */
static unsigned yields;
static struct bench *yielding;
static void (*at_yield)(struct bench *b);
int sched_yield(void)
{
    if (yielding && ++yields == 3)
        at_yield(yielding);
    return 0;
}

/* Only a host whose owner acts says how far ahead of it what comes to it was sent; only a host's promise keeps to what
 * was active last. */
static void test_host(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        const bool host = n & 1, acts = n & 2;
        struct bench b;
        bench_open(&b, host ? 0 : REGION_NONE, acts);
        assert_int_equal(b.s.host, host);
        assert_true(b.r[0]->head->ahead == (host && acts ? 40 : NEVER));
        b.s.now = 160;
        region_set_active(b.r[1], 120);
        assert_int_equal(sched_sends_from(&b.s), host ? 120 : 160);
        b.s.horizon = NEVER;
        sched_promise(&b.s);
        assert_int_equal(b.out->out->bundle->shared->promise, host ? 140 : 180);
        assert_int_equal(b.own->cycle, 160);
        region_set_active(b.r[1], 400); /* never beyond now */
        assert_int_equal(sched_sends_from(&b.s), 160);
        bench_close(&b);
    }
}

/* All that happens elsewhere is known and nothing is left: quiet, with what was sent and received as it is. */
static void test_quiet(void **state)
{
    struct bench b;
    uint64_t value = 1;
    (void)state;
    bench_open(&b, REGION_NONE, false);
    for (unsigned n = 0; n < 3; n++)
        link_send(&b.to, 100 + n, &value);
    b.to.transport->promise(&b.to, 500);
    sched_send(b.part, 0, 0, &value);
    sched_send(b.part, 0, 0, &value);
    b.other->version = 1;
    b.other->next = NEVER;
    b.other->sent = 3;
    b.other->received = 2;
    assert_int_equal(sched_advance(&b.s, NEVER), SCHED_QUIET);
    assert_int_equal(b.part->visits, 1); /* three messages of one window */
    assert_true(b.own->next == NEVER && b.own->hold == NEVER);
    assert_int_equal(b.own->sent, 2);
    assert_int_equal(b.own->received, 3);
    assert_int_equal(b.own->active, 104);
    assert_int_equal(b.in->in->ring->done, 3);
    assert_true(b.s.now >= 104 && b.s.now <= 496);
    bench_close(&b);
}

/* Of its own events the first is published, of the owner and of partitions; with the floor it gets there alone. */
static void test_next_event(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        struct bench b;
        bench_open(&b, REGION_NONE, false);
        b.other->version = 1; /* waits all the time, for nothing */
        b.other->next = NEVER;
        sched_wake(&b.s, b.part, n ? 4000 : 9000);
        assert_int_equal(sched_advance(&b.s, 8005), SCHED_UNTIL);
        assert_int_equal(b.s.now, 8000);
        assert_int_equal(b.part->visits, n);
        assert_int_equal(b.own->active, n ? 4008 : 0);
        assert_int_equal(region_floor(b.r[0]) >= 8000 - 32, 1);
        assert_true(region_floor(b.r[0]) <= 8000);
        bench_close(&b);
    }
}

/* A question, a wish to stop, one that left in order, one that is lost. */
static void test_ends(void **state)
{
    static const uint32_t stages[] = {REGION_LEFT, REGION_REFUSED};
    static const enum sched_end ends[] = {SCHED_ENDED, SCHED_LOST};
    struct bench b;
    (void)state;
    bench_open(&b, REGION_NONE, false);
    region_ask(b.r[1], 0);
    assert_int_equal(sched_advance(&b.s, 1000), SCHED_ASKED);
    b.s.stop = true;
    assert_int_equal(sched_advance(&b.s, 1000), SCHED_STOPPED);
    bench_close(&b);
    for (unsigned n = 0; n < 2; n++) {
        bench_open(&b, REGION_NONE, false);
        b.other->stage = stages[n];
        assert_int_equal(sched_advance(&b.s, 1000), ends[n]);
        assert_int_equal(b.own->stage, n ? REGION_REFUSED : REGION_GREETED); /* gives up too */
        bench_close(&b);
    }
}

/* The place in the order of all: window, then number of the partition; passed with the first window that can still
 * have something. */
static void test_turns(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, REGION_NONE, false);
    b.part->number = 4;
    assert_true(sched_in_turn(b.part, 80)); /* nobody takes turns */
    assert_int_equal(b.own->turn, 0);
    b.s.ordered = true;
    b.s.horizon = 100;
    sched_pass_turn(&b.s);
    assert_int_equal(b.own->turn, 12 << 16);
    sched_wake(&b.s, b.part, 70);
    sched_pass_turn(&b.s); /* the first of both, but it never falls */
    assert_int_equal(b.own->turn, 12 << 16);
    region_set_turn(b.r[1], (13 << 16 | 5) + 1);
    assert_true(sched_in_turn(b.part, 104));
    assert_int_equal(b.own->turn, 13 << 16 | 5);
    assert_int_equal(b.own->active, 0); /* had not to wait */
    b.s.now = 112;
    b.other->stage = REGION_REFUSED; /* is not coming: told, not waited for */
    assert_false(sched_in_turn(b.part, 112));
    assert_int_equal(b.own->turn, 14 << 16 | 5);
    assert_int_equal(b.own->active, 120);
    assert_int_equal(b.out->out->bundle->shared->promise, 132);
    bench_close(&b);
    bench_open(&b, REGION_NONE, false); /* no event and no horizon: the last turn there is */
    b.s.horizon = NEVER;
    sched_pass_turn(&b.s);
    assert_true(b.own->turn == (UINT64_C(1) << 50) / PART_WINDOW << 16);
    bench_close(&b);
    bench_open(&b, REGION_NONE, false);
    b.s.horizon = 1000;
    sched_wake(&b.s, b.part, 70);
    sched_pass_turn(&b.s);
    assert_int_equal(b.own->turn, 8 << 16);
    bench_close(&b);
}

/* Who waits for his turn gives his core away until the others have passed it, looks at them when that is due, and
 * leaves what was active later as it is. */
static void other_passes(struct bench *b)
{
    region_set_turn(b->r[1], (13 << 16 | 5) + 1);
}
static void test_turns_are_waited_for(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        bench_open(&b, REGION_NONE, false);
        b.part->number = 4;
        b.s.ordered = true;
        b.s.now = 104;
        b.s.horizon = 200;
        region_set_active(b.r[1], n ? 111 : 900);
        b.r[0]->looked = 0; /* long ago */
        yields = 0;
        yielding = &b;
        at_yield = other_passes;
        assert_true(sched_in_turn(b.part, 104));
        yielding = NULL;
        assert_int_equal(yields, 3);
        assert_true(b.r[0]->looked != 0);
        assert_int_equal(b.own->active, n ? 112 : 0);
        assert_int_equal(b.out->out->bundle->shared->promise, 124);
        bench_close(&b);
    }
}

/* One that stands still is told after a while, and waited for as long as anybody wants this run. */
static unsigned asked_wanted;
static bool nobody_wants(void *ctx)
{
    assert_ptr_equal(ctx, &yielding->act);
    return ++asked_wanted == 2;
}
static void never_passes(struct bench *b)
{
    (void)b;
}
static void test_turns_of_a_stopped_one(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, REGION_NONE, false);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also when a check fails */
        raise(SIGSTOP);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    atomic_store(&b.other->pid, pid);
    b.part->number = 4;
    b.s.ordered = true;
    b.s.now = 104;
    b.s.horizon = 200;
    b.s.unwanted = nobody_wants;
    yielding = &b;
    at_yield = never_passes;
    catch_errors();
    const uint64_t begin = peers_clock();
    bool turn = sched_in_turn(b.part, 104);
    const uint64_t waited = peers_clock() - begin;
    const char *text = release_errors();
    yielding = NULL;
    assert_false(turn);
    assert_true(b.s.stop);
    assert_int_equal(asked_wanted, 2);
    assert_true(waited > PEERS_PATIENCE_NS + PEERS_LOOK_NS);
    assert_false(sched_in_turn(b.part, 112)); /* nor any later turn, at once */
    assert_int_equal(asked_wanted, 2);
    assert_true(peers_clock() - begin - waited < PEERS_PATIENCE_NS / 2);
    char line[128];
    snprintf(line, sizeof line, "process p1 (pid %d) is stopped at cycle 0; the run waits until it goes on\n",
             (int)pid);
    assert_non_null(strstr(text, line));
    assert_int_equal(sched_advance(&b.s, NEVER), SCHED_STOPPED);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    bench_close(&b);
}

static int turn_with_threads(void *ctx)
{
    struct bench *b = ctx;
    b->s.ordered = true;
    sched_in_turn(b->part, 80);
    return 0;
}

/* Whoever waits for its turn promises, and another thread must not send meanwhile: one thread takes turns, or none. */
static void test_turns_are_for_one_thread(void **state)
{
    struct bench b;
    (void)state;
    for (unsigned threads = 0; threads < 3; threads++) {
        bench_open(&b, REGION_NONE, false);
        region_set_turn(b.r[1], UINT64_MAX);
        b.s.threads = threads;
        if (threads < 2)
            assert_int_equal(status_of(turn_with_threads, &b), 0);
        else
            assert_said(turn_with_threads, &b, 70, "gantry: a: internal error at cycle 0: CHECK(s->threads <= 1)");
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_next_event),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_turns_are_waited_for),
        cmocka_unit_test(test_turns_of_a_stopped_one),
        cmocka_unit_test(test_turns_are_for_one_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
