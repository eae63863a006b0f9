// SPDX-License-Identifier: Apache-2.0
// The machine's clock as the host sees it, on a golden GPU: timers and events at their cycle, in order, and never
// beyond the cycle that the caller allows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/config.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

struct bench {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    struct {
        bool timer;
        uint64_t cycle, cookie;
    } seen[64];
    unsigned count;
    bool stop; // at the next timer
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct bench *b = ctx;
    (void)gpu;
    assert_true(sim_now(b->sim) == now);
    b->seen[b->count].timer = false;
    b->seen[b->count].cookie = evt->id;
    b->seen[b->count++].cycle = now;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct bench *b = ctx;
    assert_true(sim_now(b->sim) == now);
    b->seen[b->count].timer = true;
    b->seen[b->count].cookie = cookie;
    b->seen[b->count++].cycle = now;
    if (b->stop)
        sim_stop(b->sim);
}

static int setup(void **state)
{
    static const struct sim_host_ops ops = {.event = on_event, .timer = on_timer};
    static const struct sim_options options = {.model = SIM_GOLDEN};
    struct bench *b = calloc(1, sizeof *b);
    config_init(&b->config);
    config_set(&b->config, "test", "system.gpus=2");
    config_set(&b->config, "test", "gpu.vram_mib=64");
    assert_int_equal(config_finish(&b->config), STATUS_OK);
    b->memory = pmem_new(2, UINT64_C(64) << 20, UINT64_C(1) << 20);
    b->sim = sim_new(&b->config.cfg, b->memory, &options, &ops, b);
    assert_non_null(b->sim);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    sim_free(b->sim);
    pmem_free(b->memory);
    config_fini(&b->config);
    free(b);
    return 0;
}

// Timers fire at their cycles in the order of cycles, then of calls, and a run ends at the cycle that it was given.
static void timers_fire_at_their_cycle(void **state)
{
    static const uint64_t at[] = {5000, 3, 1000, 1007, 1000, 1008, 2500000};
    static const unsigned order[] = {1, 2, 4, 3, 5, 0, 6};
    struct bench *b = *state;
    for (unsigned i = 0; i < 7; i++)
        sim_timer(b->sim, at[i], i);
    static const uint64_t limits[] = {2, 3, 999, 1000, 1006, 1007, 1008, 4999, 5000, 2499999, 2500000, 2500001};
    for (unsigned k = 0; k < sizeof limits / sizeof limits[0]; k++) {
        sim_run(b->sim, limits[k]);
        unsigned due = 0;
        for (unsigned i = 0; i < 7; i++)
            due += at[i] <= limits[k];
        assert_int_equal(b->count, due);
        assert_true(sim_now(b->sim) <= limits[k]);
        assert_true(due == 7 || sim_now(b->sim) == limits[k]);
    }
    for (unsigned i = 0; i < 7; i++) {
        assert_int_equal(b->seen[i].cookie, order[i]);
        assert_true(b->seen[i].cycle == at[order[i]]);
    }
}

// What never ends executes no more in a slice than the caller allows, every wavefront in its turn; a run pauses
// after 16.
static void slices_are_as_short_as_asked_for(void **state)
{
    static const struct sim_host_ops ops = {.event = on_event, .timer = on_timer};
    static const uint32_t branch_to_itself = 0xbf82ffff;
    struct bench *b = *state;
    for (unsigned slice = 0; slice <= 100; slice += 50) {
        const struct sim_options options = {.model = SIM_GOLDEN, .golden_slice = slice};
        struct sim *sim = sim_new(&b->config.cfg, b->memory, &options, &ops, b);
        struct pagetable *table = pagetable_new(b->memory, 0);
        assert_true(sim && table);
        assert_int_equal(pagetable_map(table, 0x10000, pmem_addr(1, 0x1000), 0x1000, PTE_R | PTE_X), 0);
        pmem_write(b->memory, pmem_addr(1, 0x1000), &branch_to_itself, sizeof branch_to_itself);
        const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(table)};
        const struct msg_cp_cmd launch = {.kind = CP_LAUNCH,
                                          .vmid = 3,
                                          .pc = 0x10000,
                                          .grid = {256, 1, 1},
                                          .group = {256, 1, 1},
                                          .groups = {1, 1, 1},
                                          .waves = 4,
                                          .vgprs = 4,
                                          .sgprs = 16};
        sim_cmd(sim, 0, &vmid);
        sim_cmd(sim, 0, &launch);
        assert_int_equal(sim_run(sim, UINT64_MAX), SIM_STOPPED);
        if (slice)
            assert_int_equal(sim_instructions(sim), 16 * 4 * slice);
        else
            assert_true(sim_instructions(sim) > 16 * 100000);
        sim_free(sim);
        pagetable_free(table);
    }
}

static void cache_send(struct bench *b, unsigned gpu, uint16_t id)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .id = id, .flags = CACHE_INV_L2};
    sim_cmd(b->sim, gpu, &cmd);
}

// A command is answered after both ways of the host link; of one cycle events come first, lower GPUs before higher
// ones, then timers.
static void events_come_before_timers(void **state)
{
    struct bench *b = *state;
    cache_send(b, 0, 1);
    sim_run(b->sim, UINT64_MAX);
    assert_int_equal(b->count, 1);
    uint64_t taken = b->seen[0].cycle;
    assert_true(taken >= 2 * (uint64_t)b->config.cfg.link_host);
    uint64_t begin = sim_now(b->sim);
    sim_timer(b->sim, begin + taken, 10);
    cache_send(b, 1, 3);
    cache_send(b, 0, 2);
    sim_run(b->sim, UINT64_MAX);
    assert_int_equal(b->count, 4);
    for (unsigned i = 1; i < 4; i++)
        assert_true(b->seen[i].cycle == begin + taken);
    assert_true(b->seen[1].cookie == 2 && b->seen[2].cookie == 3 && b->seen[3].timer);
}

// sim_stop ends the run at the cycle of the callback; nothing that is due then is lost.
static void a_stop_loses_nothing(void **state)
{
    struct bench *b = *state;
    b->stop = true;
    for (unsigned i = 0; i < 5; i++)
        sim_timer(b->sim, 100 + i / 2, i);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(sim_run(b->sim, UINT64_MAX), SIM_STOPPED);
        assert_int_equal(b->count, i + 1);
        assert_true(sim_now(b->sim) == 100 + i / 2);
        assert_int_equal(b->seen[i].cookie, i);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(timers_fire_at_their_cycle),
        TEST(events_come_before_timers),
        TEST(a_stop_loses_nothing),
        TEST(slices_are_as_short_as_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
