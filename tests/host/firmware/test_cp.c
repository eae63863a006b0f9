/* SPDX-License-Identifier: Apache-2.0
 * The command processor on a fake machine: order, fences, dependencies, launches (S0.2, S0.15, S0.18, S3.12).
 */
#include "cp_bench.h"

/* shows S0.15 */
static void nothing_is_fetched_without_a_doorbell(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned i = 0; i < 5; i++)
        kernel_put(b, 0, 0x1502, i == 4 ? signal_va(0) : 0);
    put(b, signal_at(0) + 8, 1, 8);
    put(b, amd_at(0) + 0x50, 5, 8);
    poll_all(b);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
    ring(b, 0); /* one doorbell for five packets: S0.15 */
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 5);
    assert_int_equal(b->kernels, 5);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(get(b, amd_at(0) + 0x80), 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(get(b, slot_at(0, i)) & 0xffff, 1);
    assert_true(get(b, signal_at(0) + 0x20) < get(b, signal_at(0) + 0x28));
    assert_int_equal(b->rows[4].end, get(b, signal_at(0) + 0x28));
    assert_int_equal(b->rows[0].wavefronts, 4);
}

static void barrier_bit_orders_kernels(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0b02, 0);
    kernel_put(b, 0, 0x0a02, 0); /* no barrier bit: may overlap */
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    run(b);
    assert_true(b->rows[1].start < b->rows[0].end);
    assert_true(b->rows[2].start > b->rows[0].end && b->rows[2].start > b->rows[1].end);
}

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

/* shows S0.18 */
static void fences_follow_the_header(void **state)
{
    static const struct {
        uint16_t header;
        uint32_t before, after;
    } cases[] = {
        {0x0002, 0, 0},
        {0x0b02, CACHE_INV_L1V | CACHE_INV_L1K, 0},
        {0x0d02, CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I | CACHE_WB_L2 | CACHE_INV_L2,
         CACHE_WB_L2 | CACHE_INV_L2},
        {0x1302, CACHE_INV_L1V | CACHE_INV_L1K, CACHE_WB_L2 | CACHE_INV_L2},
        {0x1402, CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I | CACHE_WB_L2 | CACHE_INV_L2,
         CACHE_WB_L2 | CACHE_INV_L2},
    };
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0); /* takes the first TLB invalidation along */
    ring(b, 0);
    run(b);
    assert_true(command_last(b, CP_CACHE)->flags & CACHE_INV_TLB);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned from = b->sim->logged;
        kernel_put(b, 0, cases[i].header, signal_va(0));
        ring(b, 0);
        run(b);
        uint32_t before = 0, after = 0;
        bool launched = false;
        for (unsigned k = from; k < b->sim->logged; k++) {
            const struct msg_cp_cmd *cmd = &b->sim->log[k].cmd;
            launched |= cmd->kind == CP_LAUNCH;
            if (cmd->kind == CP_CACHE)
                *(launched ? &after : &before) |= cmd->flags;
        }
        assert_true(launched);
        assert_int_equal(before, cases[i].before);
        assert_int_equal(after & ~(uint32_t)CACHE_INV_L1I, cases[i].after);
    }
}

/* shows S0.18: the L2 is written back and empty before the signal of a system-scope barrier packet is written. */
static void system_barrier_empties_the_l2_before_its_signal(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 1, 8);
    barrier_put(b, 0, 0x1503, NULL, 0, signal_va(0));
    ring(b, 0);
    while (commands(b, CP_CACHE) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    uint32_t flags = command_last(b, CP_CACHE)->flags;
    assert_int_equal(flags & (CACHE_WB_L2 | CACHE_INV_L2), CACHE_WB_L2 | CACHE_INV_L2);
    sim_run(b->sim, sim_now(b->sim) + 2 * fake_latency);
    assert_int_equal(get(b, signal_at(0) + 8), 1); /* not answered yet */
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
}

static void dependencies_hold_packets_back(void **state)
{
    struct bench *b = *state;
    static const unsigned both[] = {0, 1}, any[] = {2, 1};
    for (unsigned s = 0; s < 6; s++)
        put(b, signal_at(s) + 8, 1, 8);
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 1);
    barrier_put(b, 0, 0x0003, both, 2, signal_va(4));
    kernel_put(b, 0, 0x0002, 0); /* a packet behind a barrier packet waits for it */
    barrier_put(b, 1, 0x0005, any, 2, signal_va(0));
    ring(b, 0);
    ring(b, 1);
    run(b);
    assert_int_equal(b->kernels, 0);
    put(b, signal_at(1) + 8, 0, 8); /* the client decrements it: OR on GPU 1, then AND on GPU 0 */
    poll_all(b);
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(get(b, signal_at(4) + 8), 0);
    assert_int_equal(b->kernels, 1);
}

static void signals_raise_their_event(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 1, 8);
    put(b, signal_at(0) + 0x10, VA + MAILBOX + 8 * 77, 8);
    put(b, signal_at(0) + 0x18, 77, 4);
    kernel_put(b, 0, 0x1502, signal_va(0));
    ring(b, 0);
    run(b);
    assert_int_equal(b->events, 1);
    assert_int_equal(b->last_event, 77);
    assert_int_equal(get(b, MAILBOX + 8 * 77), 77);
}

static void launch_record_is_complete(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, amd_at(0) + 0x90, 0xa1a0, 8);
    put(b, amd_at(0) + 0x98, 0xa3a2, 8);
    for (unsigned i = 0; i < 3; i++) { /* move on in the ring: dispatch_ptr and dispatch_id follow */
        kernel_put(b, 0, 0x0b02, 0);
        ring(b, 0);
        run(b);
    }
    uint64_t s = kernel_put(b, 0, 0x0b02, 0);
    put(b, s + 4, 10 | 7ull << 16 | 3ull << 32, 8); /* 210 items */
    put(b, s + 0xc, 25, 4);
    put(b, s + 0x10, 7, 4);
    put(b, s + 0x14, 4, 4);
    put(b, s + 0x1c, 513, 4);
    ring(b, 0);
    run(b);
    const struct msg_cp_cmd *cmd = command_last(b, CP_LAUNCH);
    const uint32_t sgpr[] = {0xa1a0,
                             0,
                             0xa3a2,
                             0,
                             (uint32_t)(VA + s),
                             (VA + s) >> 32,
                             (uint32_t)(VA + amd_at(0)),
                             (VA + amd_at(0)) >> 32,
                             0x55667788,
                             0x11223344,
                             3,
                             0,
                             0,
                             0,
                             0};
    assert_memory_equal(cmd->user_sgpr, sgpr, sizeof sgpr);
    assert_int_equal(cmd->user_sgprs, 15);
    assert_int_equal(cmd->pc, VA + AT_KD + 0x100);
    assert_int_equal(cmd->vgprs, 12);
    assert_int_equal(cmd->sgprs, 32);
    assert_int_equal(cmd->waves, 4);
    assert_int_equal(cmd->lds_bytes, 1024);
    assert_int_equal(cmd->vgpr_items, 2);
    assert_int_equal(cmd->sys_sgprs, 1);
    assert_int_equal(cmd->groups[0], 3);
    assert_int_equal(cmd->groups[1], 1);
    assert_int_equal(cmd->groups[2], 2);
    assert_int_equal(cmd->cu_mask, 0xf);
    for (unsigned n = 0; n < 1024; n++) {
        assert_int_equal((uint64_t)n * cmd->recip_x >> 20, n / 10);
        assert_int_equal((uint64_t)n * cmd->recip_y >> 20, n / 7);
    }
}

static unsigned launches_open, launches_most;
static uint64_t count_open(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    if (++launches_open > launches_most)
        launches_most = launches_open;
    return 100000;
}

static void eight_launches_at_a_time(void **state)
{
    struct bench *b = *state;
    fake_launch = count_open;
    launches_open = launches_most = 0;
    for (unsigned q = 0; q < 12; q++) {
        queue_open(b, q, 0, 0);
        kernel_put(b, q, 0x0b02, 0);
        ring(b, q);
    }
    sim_run(b->sim, 50000);
    assert_int_equal(launches_most, 8);
    run(b);
    assert_int_equal(b->kernels, 12);
}

static uint64_t gpu0_hangs(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)cmd, (void)evt;
    return gpu == 0 ? 0 : 1000;
}

/* shows S0.2: each GPU has its own command processor; one that never answers does not hold the other up. */
static void a_stalled_gpu_does_not_stop_another(void **state)
{
    struct bench *b = *state;
    fake_launch = gpu0_hangs;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 1);
    for (unsigned i = 0; i < 10; i++) {
        kernel_put(b, 0, 0x0b02, 0);
        kernel_put(b, 1, 0x0b02, 0);
    }
    ring(b, 0);
    ring(b, 1);
    run(b);
    assert_int_equal(b->kernels, 10);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(b->rows[i].gpu, 1);
}

static void pm4_packet_flushes_and_retires(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t s = slot_at(0, b->written[0]++);
    put(b, s, 0xc0031000, 4);
    put(b, s + 0x38, 0xdeadbeef, 8); /* PM4 words, no signal */
    ring(b, 0);
    unsigned before = b->visible;
    run(b);
    uint32_t flags = command_last(b, CP_CACHE)->flags;
    assert_int_equal(flags & 31, CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I | CACHE_WB_L2 | CACHE_INV_L2);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_true(b->visible > before); /* the client polls the read index */
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

/* shows S3.12: the launch carries the address space of the queue's process, whose root the GPU was given. */
static void launches_carry_their_address_space(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 1, 0);
    for (unsigned q = 0; q < 2; q++) {
        kernel_put(b, q, 0x0b02, 0);
        ring(b, q);
        run(b);
        assert_int_equal(command_last(b, CP_LAUNCH)->vmid, q + 1);
        assert_int_equal(command_last(b, CP_CACHE)->vmid, q + 1);
    }
    unsigned roots = 0;
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_VMID)
            roots +=
                b->sim->log[i].cmd.root == pagetable_root(b->space[b->sim->log[i].cmd.vmid - 1][b->sim->log[i].gpu].pt);
    assert_int_equal(roots, 4);
    cp_space_shootdown(b->cp[0], &b->space[0][0]); /* a page was unmapped: the next packet drops stale entries */
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(command_last(b, CP_CACHE)->flags, CACHE_INV_TLB);
    assert_int_equal(command_last(b, CP_CACHE)->vmid, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
static uint64_t launched_at(const struct bench *b, unsigned nth)
{
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_LAUNCH && nth-- == 0)
            return b->sim->log[i].at;
    return 0;
}

/* Shoot-downs of a space that computes are commands, answered in order; one more while the packet's launch is only
 * being made; none of a space that rests. */
static void shootdowns_are_counted(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0]);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 0);
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    while (commands(b, CP_CACHE) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(command_last(b, CP_CACHE)->flags & CACHE_INV_TLB, CACHE_INV_TLB); /* the packet's own */
    while (b->space[0][0].busy) /* its fence is answered, the firmware makes the launch */
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0]);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 1);
    while (commands(b, CP_LAUNCH) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    for (unsigned i = 0; i < 100; i++)
        cp_space_shootdown(b->cp[0], &b->space[0][0]);
    cp_space_shootdown(b->cp[0], &b->space[1][0]); /* another client, which rests */
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 101);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 0);
    unsigned steps = 0;
    for (uint64_t done = 0; done < 101; steps++) {
        sim_run(b->sim, sim_now(b->sim) + 1);
        assert_true(cp_shootdowns_done(b->cp[0]) >= done);
        done = cp_shootdowns_done(b->cp[0]);
        assert_int_equal(b->shootdowns, done);
        assert_true(steps < 10000);
    }
    run(b);
    assert_int_equal(b->kernels, 1);
}

/* After an unmap two queues start at the same time: neither kernel begins before a flush that it waited for. */
static void kernels_do_not_overtake_a_flush(void **state)
{
    struct bench *b = *state;
    fake_cache_cycles = 5000;
    for (unsigned q = 0; q < 2; q++)
        queue_open(b, q, 0, 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0]);
    for (unsigned q = 0; q < 2; q++) {
        kernel_put(b, q, 0x0002, 0); /* no fences */
        ring(b, q);
    }
    run(b);
    uint64_t flushed = 0;
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_CACHE && !flushed)
            flushed = b->sim->log[i].at + 5000 + 2 * fake_latency;
    fake_cache_cycles = 50;
    assert_true(flushed && launched_at(b, 0) >= flushed && launched_at(b, 1) >= flushed);
}

/* A kernel that may not start yet keeps its place, and what is behind it in its queue, until it is asked again; a
 * barrier packet is nobody's business; a packet that is refused was never asked about. */
static void kernels_start_when_they_may(void **state)
{
    struct bench *b = *state;
    b->allowed = 1;
    queue_open(b, 0, 0, 0);
    for (unsigned i = 0; i < 3; i++)
        kernel_put(b, 0, 0x0a02, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    const unsigned asked = b->asked;
    assert_true(asked >= 2);
    poll_all(b);
    assert_int_equal(b->asked, asked + 1);
    b->allowed = 2;
    poll_all(b);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 3);
    assert_int_equal(b->kernels, 3);
    assert_int_equal(b->asked, asked + 3);
    queue_open(b, 1, 0, 0);
    put(b, signal_at(2) + 8, 1, 8);
    barrier_put(b, 1, 0x1503, NULL, 0, signal_va(2));
    ring(b, 1);
    run(b);
    assert_int_equal(get(b, signal_at(2) + 8), 0);
    assert_int_equal(b->asked, asked + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_fetched_without_a_doorbell),
        TEST(barrier_bit_orders_kernels),
        TEST(slots_retire_in_order),
        TEST(an_invalid_slot_stalls_the_queue),
        TEST(fences_follow_the_header),
        TEST(system_barrier_empties_the_l2_before_its_signal),
        TEST(dependencies_hold_packets_back),
        TEST(signals_raise_their_event),
        TEST(launch_record_is_complete),
        TEST(eight_launches_at_a_time),
        TEST(a_stalled_gpu_does_not_stop_another),
        TEST(pm4_packet_flushes_and_retires),
        TEST(a_ring_wraps),
        TEST(launches_carry_their_address_space),
        TEST(shootdowns_are_counted),
        TEST(kernels_do_not_overtake_a_flush),
        TEST(kernels_start_when_they_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
