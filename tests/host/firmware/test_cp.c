/* SPDX-License-Identifier: Apache-2.0
 * The command processor on a fake machine: order, dependencies, launches of several queues and GPUs (S0.2, S0.15,
 * S3.12).
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
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0); /* a page was unmapped: the next packet drops stale entries */
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(command_last(b, CP_CACHE)->flags, CACHE_INV_TLB);
    assert_int_equal(command_last(b, CP_CACHE)->vmid, 1);
}

/* Shoot-downs of a space that computes are commands, answered in order; one more while the packet's launch is only
 * being made; none of a space that rests. */
static void shootdowns_are_counted(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 0);
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    while (commands(b, CP_CACHE) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(command_last(b, CP_CACHE)->flags & CACHE_INV_TLB, CACHE_INV_TLB); /* the packet's own */
    while (b->space[0][0].busy) /* its fence is answered, the firmware makes the launch */
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 1);
    while (commands(b, CP_LAUNCH) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    for (unsigned i = 0; i < 100; i++)
        cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    cp_space_shootdown(b->cp[0], &b->space[1][0], 0, 0); /* another client, which rests */
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_fetched_without_a_doorbell),
        TEST(barrier_bit_orders_kernels),
        TEST(dependencies_hold_packets_back),
        TEST(signals_raise_their_event),
        TEST(eight_launches_at_a_time),
        TEST(a_stalled_gpu_does_not_stop_another),
        TEST(launches_carry_their_address_space),
        TEST(shootdowns_are_counted),
        TEST(kernels_start_when_they_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
