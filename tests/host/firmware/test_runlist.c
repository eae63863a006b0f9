/* SPDX-License-Identifier: Apache-2.0
 * Engines and hardware queue slots: engines process packets beside each other; more queues than slots take turns, each
 * for a quantum, and only those that can go on (S0.2, S0.10, S0.15).
 */
#include "queue_bench.h"

#define QUANTUM 50000u
#define MAP 300u
#define ALL_QUEUES 16u

static struct cp_config *config_of(struct bench *b)
{
    return &b->cp[0]->config;
}

static uint64_t launched_at(const struct bench *b, unsigned nth)
{
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_LAUNCH && nth-- == 0)
            return b->sim->log[i].at;
    return 0;
}

/* Runs until the command processor has nothing more to do, which it must come to within so many cycles.  A quantum's
 * timer may be left. */
static void settle(struct bench *b, unsigned cycles)
{
    for (unsigned n = 0; n < cycles && cp_busy(b->cp[0]); n += 10)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_false(cp_busy(b->cp[0]));
}

static unsigned mapped(const struct bench *b)
{
    unsigned n = 0;
    for (const struct cp_queue *queue = b->cp[0]->queues; queue; queue = queue->next_queue)
        n += queue->slot >= 0;
    return n;
}

/* shows S0.2: Packets of queues of different engines are processed in the same cycles, those of one engine one after
 * the other; slots belong to engines in turn. */
static void engines_work_beside_each_other(void **state)
{
    static const struct {
        unsigned engines;
        uint64_t at[4]; /* cycles after the first fence at which those of queues 0 to 3 are sent */
    } cases[] = {{1, {0, 100, 200, 300}}, {2, {0, 0, 100, 100}}, {3, {0, 0, 0, 100}}, {4, {0, 0, 0, 0}}};
    for (unsigned n = 0; n < 4; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        uint64_t at[4] = {0};
        config_of(b)->engines = cases[n].engines;
        for (unsigned q = 0; q < 4; q++) {
            queue_open(b, q, 0, 0);
            barrier_put(b, q, 0x1503, NULL, 0, 0);
            ring(b, q);
        }
        settle(b, 1000000);
        unsigned found = 0;
        for (unsigned i = 0; i < b->sim->logged; i++)
            if (b->sim->log[i].cmd.kind == CP_CACHE)
                at[found++] = b->sim->log[i].at;
        assert_int_equal(found, 4);
        for (unsigned q = 0; q < 4; q++) /* bell, index and packet, decode */
            assert_int_equal(at[q], BELL + 200 + 100 + cases[n].at[q]);
    }
}

/* shows S0.10: Queues beyond the slots all drain, in the order of their doorbells, and no more of them than slots are
 * served at a time. */
static void more_queues_than_slots_drain(void **state)
{
    struct bench *b = *state;
    uint64_t ended = 0;
    config_of(b)->slots = 3;
    fake_launch = slow;
    for (unsigned q = 0; q < ALL_QUEUES; q++)
        queue_open(b, q, 0, 0);
    for (unsigned n = 0; n < ALL_QUEUES; n++) {
        const unsigned q = n * 5 % ALL_QUEUES;
        kernel_put(b, q, 0x0102, 0);
        kernel_put(b, q, 0x0102, 0);
        ring(b, q);
    }
    for (unsigned n = 0; n < 10000 && cp_busy(b->cp[0]); n++) {
        sim_run(b->sim, sim_now(b->sim) + 100);
        unsigned at_work = 0;
        for (unsigned q = 0; q < ALL_QUEUES; q++)
            at_work += b->queue[q]->active > 0;
        assert_true(at_work <= 3 && mapped(b) <= 3);
    }
    assert_int_equal(b->kernels, 2 * ALL_QUEUES);
    for (unsigned q = 0; q < ALL_QUEUES; q++)
        assert_int_equal(get(b, amd_at(q) + 0x80), 2);
    for (unsigned n = 0; n < ALL_QUEUES; n++) { /* both kernels of a queue in one turn, three at a time */
        unsigned place = 0;
        while (b->rows[place].queue != n * 5 % ALL_QUEUES)
            place++;
        assert_int_equal(place / 6, n < 3 ? 0 : place / 6);
        assert_true(b->rows[place].end >= ended || n % 3);
        ended = b->rows[place].end;
    }
    assert_false(cp_busy(b->cp[0]));
}

/* A slot changes hands in so many cycles, and the doorbell of a queue without one is not lost. */
static void a_slot_changes_hands(void **state)
{
    struct bench *b = *state;
    config_of(b)->slots = 1;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    assert_int_equal(b->queue[0]->slot, 0);
    assert_int_equal(b->queue[1]->slot, -1);
    packets_put(b, 1, 1);
    settle(b, 1000000);
    assert_int_equal(b->queue[1]->slot, 0);
    assert_int_equal(get(b, amd_at(1) + 0x80), 1);
    unsigned first = 0; /* its write index is read when it has its slot */
    while (b->sim->access[first].req.addr != ((amd_at(1) + 0x50) & ~63u))
        first++;
    assert_int_equal(b->sim->access[first].asked, BELL + MAP);
    assert_int_equal(first, 0);
    const uint64_t now = sim_now(b->sim); /* it keeps the slot, and is heard at once */
    const unsigned from = b->sim->accesses;
    packets_put(b, 1, 1);
    settle(b, 1000000);
    assert_int_equal(b->sim->access[from].asked, now + BELL);
    assert_int_equal(get(b, amd_at(1) + 0x80), 2);
}

/* A queue with many kernels gives way after its quantum, when the kernel that runs has ended, and has its turn again
 * when the other has nothing more. */
static void a_quantum_ends(void **state)
{
    struct bench *b = *state;
    config_of(b)->slots = 1;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    for (unsigned i = 0; i < 12; i++)
        kernel_put(b, 0, 0x0102, 0);
    ring(b, 0);
    kernel_started(b, 1);
    kernel_put(b, 1, 0x0102, 0);
    kernel_put(b, 1, 0x0102, 0);
    ring(b, 1);
    settle(b, 1000000);
    assert_int_equal(b->kernels, 14);
    unsigned first = 0;
    while (b->rows[first].queue == 0)
        first++;
    assert_true(b->rows[first - 1].start < QUANTUM && b->rows[first - 1].end >= QUANTUM);
    assert_true(b->rows[first].start > b->rows[first - 1].end + MAP);
    assert_int_equal(b->rows[first + 1].queue, 1); /* well within its own quantum */
    for (unsigned i = first + 2; i < 14; i++)
        assert_int_equal(b->rows[i].queue, 0);
    assert_true(b->rows[first + 2].start < b->rows[first + 1].end + 2000);
}

/* A queue alone has no turns to give, however long its kernels take. */
static void nobody_waits_and_nobody_leaves(void **state)
{
    struct bench *b = *state;
    config_of(b)->slots = 1;
    slow_cycles = 3 * QUANTUM;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        kernel_put(b, 0, 0x0102, 0);
    ring(b, 0);
    settle(b, 1000000);
    slow_cycles = 10000;
    assert_int_equal(b->kernels, 3);
    for (unsigned i = 1; i < 3; i++)
        assert_true(launched_at(b, i) < b->rows[i - 1].end + 2000);
}

/* The one slot is held by a queue that waits for a signal of the other: it gives way at once, and comes back when the
 * signal is there. */
static void who_waits_gives_way(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    config_of(b)->slots = 1;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    put(b, signal_at(1) + 8, 1, 8);
    barrier_put(b, 0, 0x0003, &dep, 1, 0);
    kernel_put(b, 0, 0x0102, 0);
    ring(b, 0);
    sim_run(b->sim, 3000);
    assert_false(cp_busy(b->cp[0])); /* nobody who could go on waits for a slot */
    kernel_put(b, 1, 0x0002, signal_va(1));
    ring(b, 1);
    settle(b, QUANTUM / 2);
    assert_int_equal(get(b, amd_at(1) + 0x80), 1);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
}

/* Queues without a slot that wait for a client move no clock; when it has answered they have their turn.  What they had
 * read for a launch is read again. */
static void who_waits_for_a_client_wants_no_slot(void **state)
{
    static const unsigned deps[] = {1, 2, 3};
    struct bench *b = *state;
    config_of(b)->slots = 1;
    for (unsigned q = 0; q < 3; q++) {
        queue_open(b, q, 0, 0);
        put(b, signal_at(deps[q]) + 8, 1, 8);
        barrier_put(b, q, 0x0003, deps + q, 1, 0);
        ring(b, q);
    }
    settle(b, 4000);
    const uint64_t now = sim_now(b->sim);
    poll_all(b);
    settle(b, 1);
    assert_int_equal(sim_now(b->sim), now);
    for (unsigned n = 0; n < 3; n++) {
        put(b, signal_at(deps[n]) + 8, 0, 8);
        poll_all(b);
        settle(b, 2000);
        for (unsigned q = 0; q < 3; q++)
            assert_int_equal(get(b, amd_at(q) + 0x80), q <= n);
    }
}

/* A kernel that was ready when its queue lost the slot is read again when it has one: the client has changed it. */
static void what_was_read_is_read_again(void **state)
{
    struct bench *b = *state;
    config_of(b)->slots = 1;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    b->allowed = 0; /* nothing may start yet */
    kernel_put(b, 0, 0x0102, 0);
    ring(b, 0);
    settle(b, 1000000);
    assert_int_equal(b->queue[0]->fetch.state, FETCH_READY);
    put(b, AT_KD + 0x30, 4 | 2 << 6, 4);
    barrier_put(b, 1, 0x0003, NULL, 0, 0);
    ring(b, 1);
    settle(b, 1000000); /* its quantum ends */
    assert_int_equal(get(b, amd_at(1) + 0x80), 1);
    b->allowed = 1;
    poll_all(b);
    settle(b, 1000000);
    assert_int_equal(command_last(b, CP_LAUNCH)->vgprs, 20);
}

/* A suspended queue, one that has stopped and one that is closed have no claim: the others go on, and those that are
 * resumed have their turn. */
static void who_is_stopped_has_no_claim(void **state)
{
    struct bench *b = *state;
    config_of(b)->slots = 1;
    fake_launch = slow;
    for (unsigned q = 0; q < 4; q++) {
        queue_open(b, q, 0, 0);
        kernel_put(b, q, 0x0102, 0);
        kernel_put(b, q, 0x0102, 0);
    }
    put(b, slot_at(1, 0) + 2, 0, 2); /* an error */
    for (unsigned q = 0; q < 4; q++)
        ring(b, q);
    kernel_started(b, 1);
    cp_queue_suspend(b->cp[0], b->queue[0], true);
    cp_queue_close(b->cp[0], b->queue[2]); /* it waits for its first turn */
    settle(b, 1000000);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_int_equal(get(b, amd_at(3) + 0x80), 2);
    assert_int_equal(b->last_error, CP_ERROR_DIMS);
    assert_int_equal(b->kernels, 3);
    assert_false(cp_busy(b->cp[0]));
    cp_queue_suspend(b->cp[0], b->queue[0], false);
    settle(b, 1000000);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    cp_queue_close(b->cp[0], b->queue[0]);
    cp_queue_close(b->cp[0], b->queue[3]);
    cp_queue_close(b->cp[0], b->queue[1]);
    assert_null(b->cp[0]->queues);
    assert_null(b->cp[0]->slots[0]);
    assert_null(b->cp[0]->waiters);
}

/* A queue that is suspended while it waits for a slot gets none before it is resumed; the one behind it does. */
static void who_is_stopped_waits_no_more(void **state)
{
    struct bench *b = *state;
    config_of(b)->slots = 1;
    fake_launch = slow;
    for (unsigned q = 0; q < 3; q++) {
        queue_open(b, q, 0, 0);
        kernel_put(b, q, 0x0102, 0);
        ring(b, q);
    }
    kernel_started(b, 1);
    cp_queue_suspend(b->cp[0], b->queue[1], true);
    settle(b, 1000000);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_int_equal(get(b, amd_at(1) + 0x80), 0);
    assert_int_equal(get(b, amd_at(2) + 0x80), 1);
    assert_int_equal(b->queue[1]->slot, -1);
    assert_null(b->cp[0]->waiters);
    cp_queue_suspend(b->cp[0], b->queue[1], false);
    settle(b, 1000000);
    assert_int_equal(get(b, amd_at(1) + 0x80), 1);
}

/* Queues come, work and go at random, more of them than slots, on several engines: each packet is done once. */
static void queues_come_and_go_beside_slots(void **state)
{
    struct bench *b = *state;
    uint64_t random = 88172645463325252u, done = 0, rung = 0;
    config_of(b)->slots = 3;
    config_of(b)->engines = 2;
    config_of(b)->quantum_cycles = 4000;
    slow_cycles = 700;
    fake_launch = slow;
    for (unsigned n = 0; n < 3000; n++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const unsigned q = random >> 8 & 7;
        if (!b->queue[q]) {
            memset(at(b, queue_at(q)), 0, 0x2000);
            b->written[q] = 0;
            queue_open(b, q, 0, 0);
        } else if ((random >> 16) % 16 == 0 && get(b, amd_at(q) + 0x80) == b->written[q]) {
            done += get(b, amd_at(q) + 0x80);
            cp_queue_close(b->cp[0], b->queue[q]);
            b->queue[q] = NULL;
        } else if (b->written[q] - get(b, amd_at(q) + 0x80) < 32) {
            kernel_put(b, q, random >> 24 & 1 ? 0x0102 : 0x0002, 0);
            ring(b, q);
            rung++;
        }
        sim_run(b->sim, sim_now(b->sim) + (random >> 32) % 900);
        assert_true(mapped(b) <= 3);
        b->sim->logged = 0; /* there is room for 4,096 commands */
    }
    settle(b, 1000000);
    for (unsigned q = 0; q < 8; q++)
        done += b->queue[q] ? get(b, amd_at(q) + 0x80) : 0;
    assert_int_equal(done, rung);
    assert_int_equal(b->kernels, rung);
    assert_int_equal(b->errors, 0);
    assert_false(cp_busy(b->cp[0]));
    slow_cycles = 10000;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(engines_work_beside_each_other),
        TEST(more_queues_than_slots_drain),
        TEST(a_slot_changes_hands),
        TEST(a_quantum_ends),
        TEST(nobody_waits_and_nobody_leaves),
        TEST(who_waits_gives_way),
        TEST(who_waits_for_a_client_wants_no_slot),
        TEST(what_was_read_is_read_again),
        TEST(who_is_stopped_has_no_claim),
        TEST(who_is_stopped_waits_no_more),
        TEST(queues_come_and_go_beside_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
