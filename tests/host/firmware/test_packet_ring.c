/* SPDX-License-Identifier: Apache-2.0
 * Rings of queues: slots given back in order, a slot without a packet, round and round; more packets than there are
 * places, and queues that come and go (S0.15).
 */
#include "queue_bench.h"

static uint64_t first_is_slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    static unsigned n;
    (void)gpu, (void)cmd, (void)evt;
    if (sim->instructions == 0)
        n = 0;
    return n++ == 0 ? 20000 : 500;
}

static void slots_retire_in_order(void **state)
{
    struct bench *b = *state;
    fake_launch = first_is_slow;
    put(b, signal_at(0) + 8, 1, 8);
    put(b, signal_at(1) + 8, 1, 8);
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0a02, signal_va(0));
    kernel_put(b, 0, 0x0a02, signal_va(1));
    ring(b, 0);
    while (get(b, signal_at(1) + 8)) /* the second completes first */
        sim_run(b->sim, sim_now(b->sim) + 100);
    assert_int_equal(get(b, signal_at(0) + 8), 1);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0);
    assert_int_equal(get(b, slot_at(0, 1)) & 0xff, 2);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
}

static void an_invalid_slot_stalls_the_queue(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0b02, 0);
    uint64_t hole = kernel_put(b, 0, 0x0b02, 0);
    kernel_put(b, 0, 0x0b02, 0);
    put(b, hole, 1, 2);
    ring(b, 0);
    run(b);
    assert_int_equal(b->kernels, 1);
    put(b, hole, 0x0b02, 2); /* the late producer writes its header, its doorbell is swallowed */
    poll_all(b);
    run(b);
    assert_int_equal(b->kernels, 3);
}

/* Several producers take slots in turn and fill them in any order, each ringing when its own is filled: each packet is
 * done once, in the order of the ring, none before all before it are filled. */
static void producers_leave_holes(void **state)
{
    enum { PACKETS = 1500, AHEAD = 24 };
    struct bench *b = *state;
    bool filled[PACKETS + 1] = {false};
    uint64_t random = 88172645463325252u, low = 0;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, PACKETS, 8);
    while (low < PACKETS) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint64_t slot = low + (random >> 8) % AHEAD;
        if ((random >> 20) % 8 == 0)
            slot = low; /* holes are filled in the end */
        if (slot < PACKETS && !filled[slot] && slot - get(b, amd_at(0) + 0x80) < 64) {
            b->written[0] = slot;
            barrier_put(b, 0, 0x0003, NULL, 0, signal_va(0));
            b->written[0] = low + AHEAD < PACKETS ? low + AHEAD : PACKETS; /* all slots that were taken */
            filled[slot] = true;
            if (random >> 32 & 1)
                ring(b, 0);
            else
                poll_all(b); /* a doorbell that another's has swallowed */
        }
        while (filled[low])
            low++;
        sim_timer(b->sim, sim_now(b->sim) + 1 + (random >> 40) % 300, cookie_of(b->cp[0], COOKIE_POLL));
        sim_run(b->sim, sim_now(b->sim) + 1 + (random >> 40) % 300);
        assert_true(get(b, amd_at(0) + 0x80) <= low);
        assert_true(PACKETS - get(b, signal_at(0) + 8) <= low);
    }
    ring(b, 0);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), PACKETS);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
}

/* shows S0.15: A storm of doorbells, one a cycle on each of four queues: the write index is read once a way there and
 * back, each packet once, and nothing is left. */
static void a_storm_of_doorbells(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 4; q++)
        queue_open(b, q, 0, 0);
    put(b, signal_at(0) + 8, 40, 8);
    for (unsigned n = 0; n < 5000; n++) {
        for (unsigned q = 0; q < 4; q++) {
            if (n % 500 == 0)
                barrier_put(b, q, 0x0003, NULL, 0, signal_va(0));
            ring(b, q);
        }
        sim_timer(b->sim, sim_now(b->sim) + 1, cookie_of(b->cp[0], COOKIE_POLL));
        sim_run(b->sim, sim_now(b->sim) + 1);
    }
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    for (unsigned q = 0; q < 4; q++) {
        assert_int_equal(get(b, amd_at(q) + 0x80), 10);
        assert_true(reads(b, (amd_at(q) + 0x50) & ~63u) <= 5000 / 200 + 3);
    }
    assert_false(cp_busy(b->cp[0]));
}

static void a_ring_wraps(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 200, 8);
    for (unsigned i = 0; i < 200; i++) {
        barrier_put(b, 0, i % 3 ? 0x1503 : 0x0003, NULL, 0, signal_va(0));
        if (i % 50 == 49) {
            ring(b, 0);
            run(b);
        }
    }
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(get(b, amd_at(0) + 0x80), 200);
}

/* More packets than there are places: the others wait in their rings until a place is free, of whichever queue. */
static void packets_wait_for_a_place(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    slow_cycles = 50000;
    for (unsigned q = 0; q < 2; q++) {
        queue_open(b, q, 0, 0);
        for (unsigned i = 0; i < 40; i++)
            kernel_put(b, q, 0x0002, 0);
        ring(b, q);
    }
    sim_run(b->sim, 40000); /* all that could start has, no kernel has ended */
    assert_int_equal(b->kernels, 0);
    assert_int_equal(b->queue[0]->jobs + b->queue[1]->jobs, CP_JOBS);
    for (unsigned i = 0; i < CP_JOBS; i++)
        assert_int_not_equal(b->cp[0]->jobs[i].state, JOB_FREE);
    assert_int_equal(b->queue[0]->next + b->queue[1]->next, CP_JOBS);
    run(b);
    slow_cycles = 10000;
    assert_int_equal(b->kernels, 80);
    for (unsigned q = 0; q < 2; q++)
        assert_int_equal(get(b, amd_at(q) + 0x80), 40);
    assert_false(cp_busy(b->cp[0]));
}

/* Queues come and go in any order: those that stay keep theirs, and work. */
static void queues_come_and_go(void **state)
{
    for (unsigned gone = 0; gone < 4; gone++) {
        assert_int_equal(gone ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        for (unsigned q = 0; q < 4; q++)
            queue_open(b, q, q & 1, 0);
        cp_queue_close(b->cp[0], b->queue[gone]);
        const struct cp_queue *left = b->cp[0]->queues;
        for (unsigned q = 0; q < 4; q++)
            if (q != gone) {
                assert_ptr_equal(left, b->queue[q]);
                left = left->next_queue;
                packets_put(b, q, 1);
            }
        assert_null(left);
        run(b);
        for (unsigned q = 0; q < 4; q++)
            assert_int_equal(get(b, amd_at(q) + 0x80), q != gone);
        cp_space_close(b->cp[0], &b->space[1][0]); /* of one client: the other's stay */
        for (left = b->cp[0]->queues; left; left = left->next_queue)
            assert_ptr_equal(left->space, &b->space[0][0]);
        assert_int_equal(b->closed, 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(slots_retire_in_order), TEST(an_invalid_slot_stalls_the_queue),
        TEST(producers_leave_holes), TEST(a_storm_of_doorbells),
        TEST(a_ring_wraps),          TEST(packets_wait_for_a_place),
        TEST(queues_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
