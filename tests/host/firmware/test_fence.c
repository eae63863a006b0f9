/* SPDX-License-Identifier: Apache-2.0
 * Fences: which caches a packet leaves behind, before its kernel and before its signal (S0.18).
 */
#include "maintenance/control.h"
#include "queue_bench.h"

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

static void enable(struct bench *b, uint8_t status)
{
    fake_cache_status = status;
    control_enable(b->cp[0], CTL_GROUP_L2, CP_ALL, NULL, NULL);
}

/* Nothing but the fence that was refused has been sent since `fences`, and the packet has not ended. */
static void waits(struct bench *b, unsigned fences, uint32_t flags)
{
    assert_int_equal(commands(b, CP_CACHE), fences);
    assert_int_equal(command_last(b, CP_CACHE)->flags, flags);
    assert_int_equal(get(b, signal_at(0) + 8), 1);
    assert_int_equal(b->space[0][0].busy, 1);
}

/* A component that is off refuses a fence, before a kernel and behind it: the packet waits until one has been enabled,
 * and a packet whose space goes meanwhile goes, too. */
static void a_refused_fence_is_held(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    run(b);
    const unsigned launched = commands(b, CP_LAUNCH), fences = commands(b, CP_CACHE);
    put(b, signal_at(0) + 8, 1, 8);
    fake_cache_status = CTL_ERROR_OFF;
    kernel_put(b, 0, 0x1402, signal_va(0));
    ring(b, 0);
    run(b);
    const uint32_t before = command_last(b, CP_CACHE)->flags;
    assert_true(before & CACHE_INV_L1V);
    waits(b, fences + 1, before);
    enable(b, CTL_ERROR_OFF);
    run(b);
    waits(b, fences + 2, before);
    assert_int_equal(commands(b, CP_LAUNCH), launched);
    enable(b, CTL_OK);
    while (commands(b, CP_LAUNCH) == launched)
        sim_run(b->sim, sim_now(b->sim) + 10);
    fake_cache_status = CTL_ERROR_OFF;
    run(b);
    waits(b, fences + 4, CACHE_WB_L2 | CACHE_INV_L2 | CACHE_INV_L1I);
    enable(b, CTL_OK);
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(b->space[0][0].busy, 0);
    fake_cache_status = CTL_ERROR_OFF;
    kernel_put(b, 0, 0x1402, 0);
    ring(b, 0);
    run(b);
    fake_cache_status = CTL_OK;
    cp_space_close(b->cp[0], &b->space[0][0]);
    run(b);
    assert_int_equal(b->closed, 1);
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

static unsigned far_asked, far_others;

static bool far_held(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    (void)sim;
    const bool far = cmd->kind == CP_CACHE && cmd->flags & CACHE_FAR;
    far_asked += far && gpu == 1 && cmd->flags == CACHE_FAR && cmd->root == 0 && cmd->pc == 0;
    far_others += far && gpu != 1;
    return far;
}

static void far_answer(struct bench *b, uint8_t status)
{
    const struct msg_cp_evt evt = {.kind = CP_EVT_CACHE_DONE, .id = CP_FAR, .status = status};
    host_event(b, 1, sim_now(b->sim), &evt);
    run(b);
}

static void far_setup(struct bench *b)
{
    far_asked = far_others = 0;
    fake_takes = far_held;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x1402, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(far_asked + far_others, 0); /* nothing of another GPU's is mapped */
    pagetable_map(b->space[0][0].pt, VA + GTT_BYTES, UINT64_C(1) << PMEM_OWNER_SHIFT, 4096, PTE_R); /* own memory */
    kernel_put(b, 0, 0x1402, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(far_asked + far_others, 0);
    pagetable_map(b->space[0][0].pt, VA + GTT_BYTES, UINT64_C(2) << PMEM_OWNER_SHIFT, 4096, PTE_R);
}

/* shows S0.18: the kernel of a system-scope packet whose space has memory of another GPU mapped begins when that GPU
 * fetches anew what others read of it, and so does its signal; without it nobody is asked, nor by a narrower scope. */
static void a_fence_reaches_memory_of_other_gpus(void **state)
{
    struct bench *b = *state;
    far_setup(b);
    const unsigned launched = commands(b, CP_LAUNCH);
    put(b, signal_at(0) + 8, 1, 8);
    kernel_put(b, 0, 0x0b02, 0); /* agent scope */
    kernel_put(b, 0, 0x1402, signal_va(0));
    ring(b, 0);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), launched + 1);
    assert_int_equal(far_asked, 1);
    far_answer(b, CTL_OK);
    assert_int_equal(commands(b, CP_LAUNCH), launched + 2);
    assert_int_equal(far_asked, 2);
    assert_int_equal(get(b, signal_at(0) + 8), 1);
    far_answer(b, CTL_OK);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    put(b, signal_at(0) + 8, 1, 8);
    barrier_put(b, 0, 0x1503, NULL, 0, signal_va(0));
    ring(b, 0);
    run(b);
    assert_int_equal(far_asked, 3);
    assert_int_equal(get(b, signal_at(0) + 8), 1);
    far_answer(b, CTL_OK);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(b->space[0][0].busy, 0);
    assert_int_equal(far_others, 0);
    fake_takes = NULL;
}

/* A slice there that is off: the packet waits until one is enabled there, here is not enough; two queues' fences are
 * told apart; a space that goes meanwhile takes its packet along, and what comes late is nobody's. */
static void a_fence_waits_for_other_gpus(void **state)
{
    struct bench *b = *state;
    far_setup(b);
    queue_open(b, 1, 0, 0);
    const unsigned launched = commands(b, CP_LAUNCH);
    kernel_put(b, 0, 0x1402, 0);
    ring(b, 0);
    run(b);
    kernel_put(b, 1, 0x0d02, 0);
    ring(b, 1);
    run(b);
    assert_int_equal(far_asked, 2);
    far_answer(b, CTL_ERROR_OFF); /* of queue 0 */
    assert_int_equal(commands(b, CP_LAUNCH), launched);
    far_answer(b, CTL_OK); /* of queue 1 */
    assert_int_equal(commands(b, CP_LAUNCH), launched + 1);
    control_enable(b->cp[0], CTL_GROUP_L2, CP_ALL, NULL, NULL);
    run(b);
    const unsigned release = far_asked; /* that of queue 1's kernel, which has ended */
    assert_int_equal(release, 3);
    control_enable(b->cp[1], CTL_GROUP_L2, CP_ALL, NULL, NULL);
    run(b);
    assert_int_equal(far_asked, 4);
    far_answer(b, CTL_OK); /* queue 1's */
    assert_int_equal(commands(b, CP_LAUNCH), launched + 1);
    far_answer(b, CTL_OK); /* queue 0's, sent again */
    assert_int_equal(commands(b, CP_LAUNCH), launched + 2);
    assert_int_equal(far_asked, 5);
    cp_space_close(b->cp[0], &b->space[0][0]);
    run(b);
    assert_int_equal(b->closed, 1);
    far_answer(b, CTL_ERROR_OFF); /* refused, and nobody waits for it */
    assert_int_equal(commands(b, CP_LAUNCH), launched + 2);
    control_enable(b->cp[1], CTL_GROUP_L2, CP_ALL, NULL, NULL);
    run(b);
    assert_int_equal(far_asked, 5);
    assert_int_equal(b->cp[1]->visit_count, 0);
    fake_takes = NULL;
}

static uint64_t launched_at(const struct bench *b, unsigned nth)
{
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_LAUNCH && nth-- == 0)
            return b->sim->log[i].at;
    return 0;
}

/* After an unmap two queues start at the same time: neither kernel begins before a flush that it waited for. */
static void kernels_do_not_overtake_a_flush(void **state)
{
    struct bench *b = *state;
    fake_cache_cycles = 5000;
    for (unsigned q = 0; q < 2; q++)
        queue_open(b, q, 0, 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
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

/* Memory changes hands while a packet is decoded, or a page: its fence takes all of it along, beside its own, and the
 * next packet's has nothing more to do. */
static void what_changes_during_decode_leaves_with_the_fence(void **state)
{
    static const struct {
        uint16_t header;
        uint32_t own;
    } cases[] = {{0x0002, 0}, {0x0a02, 3}, {0x1502, 31}, {0x0003, 0}, {0x0a03, 3}, {0x1003, 28}, {0x1000, 0}};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    packets_put(b, 0, 1);
    run(b);
    for (unsigned n = 0; n < 4 * sizeof cases / sizeof cases[0]; n++) {
        const uint16_t header = cases[n / 4].header;
        const bool pages = n & 1, memory = n & 2;
        const unsigned from = b->sim->logged;
        if ((header & 0xff) == AQL_KERNEL)
            kernel_put(b, 0, header, 0);
        else if ((header & 0xff) == AQL_VENDOR)
            pm4_put(b, 0, NULL, 0);
        else
            barrier_put(b, 0, header, NULL, 0, 0);
        ring(b, 0);
        for (unsigned i = 0; i < 2000 && b->cp[0]->jobs[0].state != JOB_DECODE; i++)
            sim_run(b->sim, sim_now(b->sim) + 1);
        assert_int_equal(b->cp[0]->jobs[0].state, JOB_DECODE);
        if (pages)
            cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
        if (memory)
            cp_caches_drop(b->cp[0], false);
        assert_int_equal(b->sim->logged, from);
        const uint32_t flags = cases[n / 4].own | (memory ? 31 : 0) | (pages ? CACHE_INV_TLB : 0);
        run(b);
        assert_int_equal(b->sim->log[from].cmd.kind == CP_CACHE, flags != 0);
        if (flags) {
            assert_int_equal(b->sim->log[from].cmd.flags, flags);
            assert_int_equal(b->sim->log[from].cmd.vmid, 1);
            assert_true(b->sim->log[from].cmd.root == 0 && b->sim->log[from].cmd.pc == 0);
        }
        assert_int_equal(cp_shootdowns_sent(b->cp[0]), 0);
        assert_false(b->cp[0]->caches_stale || b->space[0][0].tlb_stale);
        assert_int_equal(b->cp[0]->drops, 0);
        assert_int_equal(b->space[0][0].flushes, 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_refused_fence_is_held),
        TEST(fences_follow_the_header),
        TEST(system_barrier_empties_the_l2_before_its_signal),
        TEST(a_fence_reaches_memory_of_other_gpus),
        TEST(a_fence_waits_for_other_gpus),
        TEST(kernels_do_not_overtake_a_flush),
        TEST(what_changes_during_decode_leaves_with_the_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
