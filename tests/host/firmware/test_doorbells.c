/* SPDX-License-Identifier: Apache-2.0
 * Doorbells, and other looks of queues at memory: which queues look, at what, and how often (S0.15).
 */
#include "queue_bench.h"

/* A queue that is suspended, or has stopped, reads no packets, also not beside its write index. */
static void a_queue_that_stands_is_not_read_ahead(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    cp_queue_suspend(b->cp[0], b->queue[0], true);
    packets_put(b, 0, 1);
    run(b);
    assert_int_equal(b->queue[0]->limit, 1);
    assert_int_equal(reads(b, slot_at(0, 0)), 0);
    put(b, kernel_put(b, 1, 0x0002, 0) + 2, 0, 2); /* no dimensions */
    ring(b, 1);
    run(b);
    assert_true(b->queue[1]->dead);
    const unsigned before = reads(b, slot_at(1, 0)), index = reads(b, amd_at(1) + 0x40);
    ring(b, 1);
    run(b);
    assert_int_equal(reads(b, slot_at(1, 0)), before);
    assert_int_equal(reads(b, amd_at(1) + 0x40), index + 1);
    cp_queue_suspend(b->cp[0], b->queue[0], false);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
}

/* Answer and second doorbell of a queue that is closed while its write index is read: it asks for nothing more, nor is
 * it to be heard of in a report. */
static void a_closed_queue_hears_no_doorbell(void **state)
{
    struct bench *b = *state;
    char *text = NULL;
    size_t size = 0;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    kernel_started(b, 1);
    barrier_put(b, 0, BARRIER | 0x100, NULL, 0, 0); /* known, and waits for the kernel */
    ring(b, 0);
    sim_run(b->sim, sim_now(b->sim) + 1000);
    assert_int_equal(b->queue[0]->limit - b->queue[0]->next, 1);
    packets_put(b, 0, 2);
    sim_run(b->sim, sim_now(b->sim) + BELL);
    ring(b, 0);
    sim_run(b->sim, sim_now(b->sim) + BELL); /* once more when the answer has come */
    assert_true(b->queue[0]->rung);
    const unsigned asked = b->sim->accesses;
    cp_queue_close(b->cp[0], b->queue[0]);
    sim_run(b->sim, sim_now(b->sim) + 1000);
    assert_int_equal(b->sim->accesses, asked);
    assert_non_null(b->cp[0]->queues); /* its kernel still runs */
    FILE *out = open_memstream(&text, &size);
    cp_tell(b->cp[0], out);
    fclose(out);
    unsigned lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    free(text);
    assert_int_equal(lines, 1); /* the kernel */
    run(b);
    assert_int_equal(b->sim->accesses, asked);
    assert_null(b->cp[0]->queues);
}

static unsigned timers(const struct bench *b)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->sim->count; i++)
        n += b->sim->due[i].timer;
    return n;
}

/* shows S0.15: A doorbell is heard some cycles after it was rung, in that cycle; what was rung meanwhile is heard
 * with it, and what is rung then goes its own way.  All that time the command processor has something to do. */
static void a_doorbell_takes_its_way(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    queue_open(b, 0, 0, 0);
    sim_timer(b->sim, 1000, cookie_of(cp, COOKIE_POLL)); /* a cycle to stand at */
    sim_run(b->sim, 1000);
    assert_false(cp_busy(cp));
    barrier_put(b, 0, BARRIER, NULL, 0, 0);
    ring(b, 0);
    assert_true(cp_busy(cp));
    sim_run(b->sim, 1000 + BELL / 2);
    barrier_put(b, 0, BARRIER, NULL, 0, 0);
    ring(b, 0);
    assert_int_equal(timers(b), 1);
    sim_run(b->sim, 1000 + BELL - 1);
    assert_int_equal(b->sim->accesses, 0);
    assert_true(cp_busy(cp));
    sim_run(b->sim, 1000 + BELL);
    assert_int_equal(b->sim->accesses, 3); /* write index, packet, what the queue is */
    assert_int_equal(b->sim->access[0].asked, 1000 + BELL);
    const uint64_t again = sim_now(b->sim) + 1;
    sim_run(b->sim, again);
    ring(b, 0); /* while the index is read */
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    assert_int_equal(reads(b, amd_at(0) + 0x40), 2);
    assert_false(cp_busy(cp));
}

/* Doorbells of several queues are heard in the order of ringing, each in its own cycle. */
static void doorbells_keep_their_order(void **state)
{
    static const unsigned order[] = {2, 0, 1};
    struct bench *b = *state;
    for (unsigned q = 0; q < 3; q++)
        queue_open(b, q, 0, 0);
    sim_timer(b->sim, 30, cookie_of(b->cp[0], COOKIE_POLL));
    for (unsigned n = 0; n < 3; n++) {
        cp_doorbell(b->cp[0], b->queue[order[n]]);
        if (n == 0)
            sim_run(b->sim, 30); /* the second and the third come together */
    }
    run(b);
    assert_int_equal(b->sim->accesses, 9);
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(b->sim->access[3 * n].req.addr, amd_at(order[n]) + 0x40);
        assert_int_equal(b->sim->access[3 * n].asked, n ? 30 + BELL : BELL);
    }
}

/* A queue that is closed before its doorbell is there hears nothing of it (its memory is gone), wherever it stands
 * among those that were rung; the others hear theirs at their time, not at the one of a timer that is left. */
static void a_doorbell_may_come_too_late(void **state)
{
    for (unsigned gone = 0; gone < 3; gone++) {
        struct bench *b;
        bench_setup((void **)&b);
        for (unsigned q = 0; q < 3; q++)
            queue_open(b, q, 0, 0);
        for (unsigned q = 0; q < 3; q++) {
            sim_timer(b->sim, 10 * q, cookie_of(b->cp[0], COOKIE_POLL));
            sim_run(b->sim, 10 * q);
            cp_doorbell(b->cp[0], b->queue[q]);
        }
        cp_queue_close(b->cp[0], b->queue[gone]);
        assert_true(cp_busy(b->cp[0]));
        run(b);
        assert_int_equal(b->sim->accesses, 6);
        for (unsigned q = 0, n = 0; q < 3; q++) {
            if (q == gone)
                continue;
            assert_int_equal(b->sim->access[n].req.addr, amd_at(q) + 0x40);
            assert_int_equal(b->sim->access[n].asked, 10 * q + BELL);
            n += 3;
        }
        assert_false(cp_busy(b->cp[0]));
        bench_teardown((void **)&b);
    }
    (void)state;
}

/* Doorbells that were heard are done with: a queue that goes later leaves none behind. */
static void doorbells_that_were_heard_are_gone(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 3; q++)
        queue_open(b, q, 0, 0);
    for (unsigned gone = 0; gone < 3; gone++) {
        for (unsigned q = gone; q < 3; q++)
            cp_doorbell(b->cp[0], b->queue[q]);
        run(b);
        cp_queue_close(b->cp[0], b->queue[gone]);
        assert_null(b->cp[0]->bells);
        assert_false(cp_busy(b->cp[0]));
    }
    assert_null(b->cp[0]->queues);
}

/* A queue that was closed stays for its kernel's sake, and hears nothing either. */
static void a_doorbell_comes_too_late_beside_a_kernel(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    kernel_started(b, 1);
    sim_run(b->sim, sim_now(b->sim) + 500);
    assert_int_equal(b->queue[0]->accesses, 0);
    ring(b, 0);
    const unsigned asked = b->sim->accesses;
    cp_queue_close(b->cp[0], b->queue[0]);
    sim_run(b->sim, sim_now(b->sim) + 1000);
    assert_non_null(b->cp[0]->queues);
    assert_int_equal(b->sim->accesses, asked);
    run(b);
    assert_null(b->cp[0]->queues);
}

/* A doorbell says that memory has changed, also where it announces no packet. */
static void a_doorbell_is_a_look(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(1) + SIGNAL_VALUE, 1, 8);
    barrier_put(b, 0, BARRIER, &dep, 1, 0);
    ring(b, 0);
    run(b);
    put(b, signal_at(1) + SIGNAL_VALUE, 0, 8);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0);
    const unsigned before = reads(b, slot_at(0, 0));
    cp_doorbell(b->cp[0], b->queue[0]);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_int_equal(reads(b, slot_at(0, 0)), before); /* that packet is known */
}

static unsigned polls(const struct bench *b)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->sim->count; i++)
        n += b->sim->due[i].timer && (b->sim->due[i].cookie & 0xffffff) == COOKIE_POLL;
    return n;
}

/* One timer for all queues that wait while a kernel runs; none for those that wait for nothing that it could write, and
 * none when nothing runs. */
static void one_timer_looks_for_all_queues(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    fake_launch = slow;
    for (unsigned q = 0; q < 4; q++)
        queue_open(b, q, 0, 0);
    put(b, signal_at(1) + SIGNAL_VALUE, 1, 8);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    kernel_started(b, 1);
    assert_int_equal(polls(b), 0);
    for (unsigned q = 1; q < 3; q++) {
        barrier_put(b, q, BARRIER, &dep, 1, 0);
        ring(b, q);
    }
    cp_queue_suspend(b->cp[0], b->queue[2], true);
    sim_run(b->sim, sim_now(b->sim) + 500);
    assert_int_equal(polls(b), 1);
    cp_queue_suspend(b->cp[0], b->queue[2], false);
    for (unsigned n = 0; n < 30; n++) {
        sim_run(b->sim, sim_now(b->sim) + 100);
        assert_true(polls(b) <= 1);
    }
    unsigned before = reads(b, signal_at(1));
    uint64_t from = sim_now(b->sim);
    sim_run(b->sim, from + 4800); /* each round: 1000 and the way to the signal and back, for both queues */
    assert_int_equal(reads(b, signal_at(1)) - before, 8);
    cp_queue_close(b->cp[0], b->queue[1]);
    cp_queue_suspend(b->cp[0], b->queue[2], true);
    sim_run(b->sim, sim_now(b->sim) + 1500);
    assert_int_equal(polls(b), 0); /* nobody waits any more */
    assert_int_equal(b->kernels, 0);
    cp_queue_suspend(b->cp[0], b->queue[2], false);
    run(b);
    assert_int_equal(b->kernels, 1);
    before = b->sim->accesses;
    cp_look(b->cp[0]);
    assert_int_equal(polls(b), 0);
    run(b);
    assert_int_equal(b->sim->accesses, before + 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_queue_that_stands_is_not_read_ahead),
        TEST(a_closed_queue_hears_no_doorbell),
        TEST(a_doorbell_takes_its_way),
        TEST(doorbells_keep_their_order),
        cmocka_unit_test(a_doorbell_may_come_too_late),
        TEST(doorbells_that_were_heard_are_gone),
        TEST(a_doorbell_comes_too_late_beside_a_kernel),
        TEST(a_doorbell_is_a_look),
        TEST(one_timer_looks_for_all_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
