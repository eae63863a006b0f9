// SPDX-License-Identifier: Apache-2.0
// A command processor on a real machine, golden and RTL: 128 queues at once, many more messages than the host's port
// has places for, to host memory and to VRAM behind an L2 (S0.15).
#include "../machine/port_bench.h"
#include "firmware/cp.h"

#define QUEUES 128u
#define VA 0x100000000u
#define VRAM_VA 0x200000000u
#define AT_QUEUES 0x40000u // 0x2000 each: ring, then amd_queue_t
#define AT_SIGNALS 0x2000u // 64 bytes each, in host memory or in VRAM

static struct cp *cps[GPUS];
static unsigned visible;

static void cp_event_take(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    (void)ctx, (void)now;
    cp_event(cps[gpu], evt);
}
static void cp_timer_take(void *ctx, uint64_t now, uint64_t cookie)
{
    (void)ctx, (void)now;
    cp_timer(cps[cookie >> 56], cookie);
}
static void cp_answer_take(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    (void)ctx, (void)now;
    cp_answer(cps[cookie >> 56], cookie, rsp);
}
static void on_visible(void *ctx)
{
    (void)ctx;
    visible++;
}

static uint64_t *word(struct pmem *memory, bool vram, uint64_t at)
{
    return (uint64_t *)(void *)(vram ? pmem_vram(memory, 0, at, 8) : pmem_gtt(memory, at, 8));
}

// Barrier packets of 128 queues, each with a signal, in one of two memories; all doorbells come in one cycle.  With
// fewer slots than queues they take turns.
static void queues_at_once(enum sim_model model, unsigned slots)
{
    static const struct sim_host_ops ops = {.event = cp_event_take, .timer = cp_timer_take, .answer = cp_answer_take};
    const struct cp_config config = {.packet_cycles = 10,
                                     .barrier_cycles = 10,
                                     .signal_cycles = 10,
                                     .launches = 8,
                                     .slots = slots,
                                     .engines = 4,
                                     .quantum_cycles = 50000,
                                     .poll_cycles = 1000,
                                     .cu_mask = 1};
    const struct sim_options options = {.model = model, .seed = 1};
    const struct cp_host host = {.visible = on_visible};
    struct cp_queue *queues[QUEUES];
    struct config c;
    config_init(&c);
    assert_int_equal(config_load(&c, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&c, "test", "system.gpus=2"), STATUS_OK);
    assert_int_equal(config_set(&c, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_finish(&c), STATUS_OK);
    struct pmem *memory = pmem_new(GPUS, 64 * MIB, GTT);
    struct sim *sim = sim_new(&c.cfg, memory, &options, &ops, NULL);
    assert_non_null(sim);
    visible = 0;
    cps[0] = cp_new(sim, 0, &config, &host);
    struct cp_space space = {.pt = pagetable_new(memory, 0), .vmid = 1};
    assert_int_equal(pagetable_map(space.pt, VA, 0, GTT, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_map(space.pt, VRAM_VA, pmem_addr(1, 0), MIB, PTE_R | PTE_W), 0);
    cp_space_open(cps[0], &space);
    for (unsigned q = 0; q < QUEUES; q++) {
        const uint64_t ring = AT_QUEUES + q * 0x2000u, amd = ring + 0x1000;
        const struct cp_queue_args args = {.number = q,
                                           .ring = VA + ring,
                                           .packets = 64,
                                           .write_index = VA + amd + 0x50,
                                           .read_index = VA + amd + 0x80};
        queues[q] = cp_queue_open(cps[0], &space, &args);
        *word(memory, q & 1, AT_SIGNALS + 64 * q + 8) = 2;
        for (unsigned i = 0; i < 2; i++) {
            *word(memory, false, ring + 64 * i) = 3; // barrier-AND, no fences
            *word(memory, false, ring + 64 * i + 0x38) = (q & 1 ? VRAM_VA : VA) + AT_SIGNALS + 64 * q;
        }
        *word(memory, false, amd + 0x50) = 2;
        *word(memory, false, amd + 0xb0) = UINT64_C(8) << 32; // properties: timestamps
    }
    for (unsigned q = 0; q < QUEUES; q++)
        cp_doorbell(cps[0], queues[q]);
    assert_int_equal(port_waiting(sim), 0);
    assert_int_equal(sim_run(sim, sim_now(sim)), SIM_STOPPED); // without a way, doorbells are heard at once
    assert_int_equal(port_waiting(sim), 3 * slots);            // of which 16 have left, and 64 may be under way
    assert_int_equal(sim_run(sim, UINT64_MAX), SIM_STOPPED);
    for (unsigned q = 0; q < QUEUES; q++) {
        const uint64_t *signal = word(memory, q & 1, AT_SIGNALS + 64 * q);
        assert_int_equal(signal[1], 0);
        assert_true(signal[4] && signal[4] < signal[5]);
        assert_int_equal(*word(memory, false, AT_QUEUES + q * 0x2000u + 0x1080), 2);
    }
    assert_true(visible >= 2 * QUEUES);
    assert_false(cp_busy(cps[0]));
    cp_free(cps[0]);
    sim_free(sim);
    pagetable_free(space.pt);
    pmem_free(memory);
    config_fini(&c);
}

/* shows S0.15: One doorbell each is enough, however many there are. */
static void every_queue_is_served_golden(void **state)
{
    (void)state;
    queues_at_once(SIM_GOLDEN, QUEUES);
    queues_at_once(SIM_GOLDEN, 3);
}

/* shows S0.15: The same behind far port, crossbar and L2 of an RTL GPU. */
static void every_queue_is_served_rtl(void **state)
{
    (void)state;
    queues_at_once(SIM_RTL, QUEUES);
    queues_at_once(SIM_RTL, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_queue_is_served_golden),
        cmocka_unit_test(every_queue_is_served_rtl),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
