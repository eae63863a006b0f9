/* SPDX-License-Identifier: Apache-2.0
 * Slots of a ring: given back in their order, whole or not at all, and who is told (S0.15).
 */
#include "queue_bench.h"

/* Who waits for room, or until the ring is empty, polls the read index: it is told of those slots, and of no others. */
static void clients_that_poll_the_read_index_are_told(void **state)
{
    static const struct {
        unsigned written, told;
    } cases[] = {{1, 1}, {2, 1}, {48, 1}, {49, 2}, {50, 3}, {63, 16}, {64, 17}}; /* 16 free slots: nearly full */
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        const unsigned before = b->visible;
        packets_put(b, 0, cases[n].written);
        run(b);
        assert_int_equal(get(b, amd_at(0) + 0x80), b->written[0]);
        assert_int_equal(b->visible - before, cases[n].told);
    }
}

/* A PM4 packet has no signal; of a packet that has one it tells. */
static void packets_without_a_signal_are_told(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    packets_put(b, 0, 1);
    run(b);
    unsigned before = b->visible;
    pm4_put(b, 0, NULL, 0);
    packets_put(b, 0, 2); /* of the first of them nobody is told */
    run(b);
    assert_int_equal(b->visible - before, 2);
    before = b->visible;
    put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
    barrier_put(b, 0, BARRIER, NULL, 0, signal_va(0));
    ring(b, 0);
    run(b);
    assert_int_equal(b->visible - before, 1);
    fake_launch = slow;
    before = b->visible;
    kernel_put(b, 0, 0x0002, 0); /* its slot holds up that of the next packet, which completes before */
    ring(b, 0);
    kernel_started(b, 1);
    put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
    barrier_put(b, 0, BARRIER, NULL, 0, signal_va(0));
    ring(b, 0);
    while (get(b, signal_at(0) + SIGNAL_VALUE))
        sim_run(b->sim, sim_now(b->sim) + 10);
    sim_run(b->sim, sim_now(b->sim) + 1000);
    assert_int_equal(b->visible - before, 1);
    assert_int_equal(b->kernels, 0);
    run(b);
    assert_int_equal(b->visible - before, 2);
    assert_int_equal(get(b, amd_at(0) + 0x80), b->written[0]);
}

/* The read index of a closed queue is on its way: nobody is told. */
static void nobody_is_told_of_a_closed_queue(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    packets_put(b, 0, 1);
    while (get16(at(b, slot_at(0, 0))) != AQL_INVALID)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_true(b->sim->open > 0);
    cp_queue_close(b->cp[0], b->queue[0]);
    run(b);
    assert_int_equal(b->visible, 0);
    assert_null(b->cp[0]->queues);
}

/* As long as a kernel runs its packet stays: a ring without a free slot is not read, however often it is rung. */
static void a_full_ring_is_not_read(void **state)
{
    struct bench *b = *state;
    slow_cycles = 50000;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    kernel_started(b, 1);
    packets_put(b, 0, 63);
    sim_run(b->sim, sim_now(b->sim) + 63 * 500);
    assert_int_equal(b->queue[0]->next, 64);
    assert_int_equal(b->queue[0]->active, 1);
    assert_int_equal(reads(b, slot_at(0, 0)), 1);
    for (unsigned i = 0; i < 3; i++) {
        cp_doorbell(b->cp[0], b->queue[0]);
        sim_run(b->sim, sim_now(b->sim) + 500);
        b->written[0] += i == 1; /* more than the ring holds */
        put(b, amd_at(0) + 0x50, b->written[0], 8);
    }
    assert_int_equal(b->queue[0]->limit, 65);
    assert_int_equal(reads(b, slot_at(0, 0)), 1);
    assert_int_equal(b->kernels, 0);
    run(b);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(reads(b, slot_at(0, 0)), 2); /* now it is free, and INVALID */
    assert_int_equal(get(b, amd_at(0) + 0x80), 64);
    slow_cycles = 10000;
}

/* The header goes to another memory than the read index: a queue that is closed, or whose client is killed, in between
 * gives back nothing more. */
static void a_slot_is_not_given_back_halfway(void **state)
{
    for (unsigned n = 0; n < 3; n++) { /* closed, stopped by a fault, neither */
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        uint8_t *vram = pmem_vram(b->pm, 0, 0x4000, 0x1000);
        const struct msg_cp_evt fault = {.kind = CP_EVT_FAULT, .status = FAULT_ILLEGAL, .vmid = 1};
        queue_open(b, 0, 0, 0);
        queue_open(b, 1, 0, 0);
        fake_launch = slow;
        kernel_put(b, 1, 0x0002, 0);
        ring(b, 1);
        kernel_started(b, 1);
        barrier_put(b, 0, BARRIER, NULL, 0, 0);
        memcpy(vram, at(b, slot_at(0, 0)), 64);
        pagetable_map(b->space[0][0].pt, VA + slot_at(0, 0), pmem_addr(1, 0x4000), 0x1000, PTE_R | PTE_W);
        fake_memory[1] = 400; /* longer than a kill takes */
        ring(b, 0);
        for (unsigned i = 0; i < 5000 && get16(vram) != AQL_INVALID; i++)
            sim_run(b->sim, sim_now(b->sim) + 1);
        assert_int_equal(get16(vram), AQL_INVALID);
        const unsigned asked = b->sim->accesses;
        unsigned writes = 0;
        if (n == 0) {
            cp_queue_close(b->cp[0], b->queue[0]);
        } else if (n == 1) {
            struct msg_cp_evt evt = fault;
            evt.id = command_last(b, CP_LAUNCH)->id;
            cp_event(b->cp[0], &evt);
        }
        run(b);
        for (unsigned i = asked; i < b->sim->accesses; i++)
            writes += b->sim->access[i].req.addr == amd_at(0) + 0x80;
        assert_int_equal(writes, n == 2);
        assert_int_equal(get(b, amd_at(0) + 0x80), n == 2);
        assert_int_equal(b->visible, n == 2 ? 2 : 1); /* of queue 1: its slot or error */
        assert_int_equal(b->queue[1]->jobs, 0);
        assert_true(n == 0 || b->queue[0]->jobs == 0);
        assert_false(cp_busy(b->cp[0]));
    }
    fake_memory[1] = 150;
}

static uint64_t by_grid(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)evt;
    return cmd->grid[0];
}

/* A later packet may be kept in an earlier place: all slots that an end sets free are given back at once. */
static void slots_follow_the_order_of_packets(void **state)
{
    struct bench *b = *state;
    fake_launch = by_grid;
    queue_open(b, 0, 0, 0);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0xc, 3000, 4);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0xc, 12000, 4);
    ring(b, 0);
    for (unsigned n = 0; n < 1000 && get(b, amd_at(0) + 0x80) == 0; n++)
        sim_run(b->sim, sim_now(b->sim) + 10);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0xc, 500, 4);
    ring(b, 0);
    kernel_started(b, 3);
    assert_int_equal(command_last(b, CP_LAUNCH)->id & 0xff, 0); /* the first one's place */
    run(b);
    assert_int_equal(b->rows[1].grid[0], 500);
    assert_int_equal(b->rows[2].grid[0], 12000);
    assert_int_equal(get(b, amd_at(0) + 0x80), 3);
    assert_int_equal(b->queue[0]->jobs, 0);
}

/* Its pages are gone when a packet completes: there is nothing to give back, and nothing is waited for. */
static void a_slot_that_is_not_mapped(void **state)
{
    for (unsigned n = 0; n < 4; n++) { /* the ring, amd_queue_t, both; with another memory in place of the ring's */
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        queue_open(b, 0, 0, 0);
        packets_put(b, 0, 1);
        for (unsigned i = 0; i < 2000 && b->cp[0]->jobs[0].state != JOB_DECODE; i++)
            sim_run(b->sim, sim_now(b->sim) + 1);
        if (n == 3)
            pagetable_map(b->space[0][0].pt, VA + slot_at(0, 0), pmem_addr(1, 0x4000), 0x1000, PTE_R | PTE_W);
        else if (n != 1)
            pagetable_unmap(b->space[0][0].pt, VA + slot_at(0, 0), 0x1000);
        if (n != 0)
            pagetable_unmap(b->space[0][0].pt, VA + amd_at(0), 0x1000);
        run(b);
        assert_int_equal(b->queue[0]->retire, 1);
        assert_int_equal(b->queue[0]->jobs, 0);
        assert_int_equal(b->cp[0]->jobs[0].state, JOB_FREE);
        assert_int_equal(get(b, amd_at(0) + 0x80), n == 0);
        assert_int_equal(get16(at(b, slot_at(0, 0))) == AQL_INVALID, n == 1);
        assert_int_equal(b->errors + b->faults, 0);
        assert_false(cp_busy(b->cp[0]));
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clients_that_poll_the_read_index_are_told),
        TEST(packets_without_a_signal_are_told),
        TEST(nobody_is_told_of_a_closed_queue),
        TEST(a_full_ring_is_not_read),
        TEST(a_slot_is_not_given_back_halfway),
        TEST(slots_follow_the_order_of_packets),
        TEST(a_slot_that_is_not_mapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
