// SPDX-License-Identifier: Apache-2.0
// A golden machine in several processes (place/place.h) through sim.h: timers at their cycles, the same hash and
// figures as in one process, as often as one likes; a command under way is seen; what cannot be placed is refused with
// its class before a worker is started.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"
#include "gantry_cfg.h"
#include "machine/sim.h"
#include "vm/pmem.h"

struct machine {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    enum gantry_status failure;
    uint64_t at[8];
    unsigned count;
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    (void)ctx, (void)gpu, (void)now, (void)evt;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    m->at[m->count++] = now + (cookie << 32);
}

static const struct sim_host_ops ops = {.event = on_event, .timer = on_timer};

static bool machine_open(struct machine *m, unsigned processes, struct sim_options options)
{
    char setting[40];
    *m = (struct machine){.failure = STATUS_OK};
    snprintf(setting, sizeof setting, "place.processes=%u", processes);
    config_init(&m->config);
    assert_int_equal(config_set(&m->config, "test", "system.gpus=2"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "gpu.vram_mib=64"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->memory = pmem_new(2, UINT64_C(64) << 20, UINT64_C(1) << 20);
    assert_non_null(m->memory);
    options.model = SIM_GOLDEN;
    options.failure = &m->failure;
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &ops, m);
    return m->sim != NULL;
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* Nobody is left behind. */
static void alone(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void test_as_in_one_process(void **state)
{
    (void)state;
    uint64_t hash[2], groups[2], instructions[2];
    for (unsigned n = 0; n < 4; n++) {
        struct machine m;
        const unsigned i = n % 2;
        assert_true(machine_open(&m, 1 + i, (struct sim_options){0}));
        sim_timer(m.sim, 5000, 2);
        sim_timer(m.sim, 3, 1);
        for (unsigned turns = 0; turns < 100 && m.count < 2; turns++)
            sim_run(m.sim, 6000);
        assert_int_equal(m.count, 2);
        assert_true(m.at[0] == 3 + (UINT64_C(1) << 32));
        assert_true(m.at[1] == 5000 + (UINT64_C(2) << 32));
        hash[i] = sim_write_hash(m.sim);
        groups[i] = sim_groups(m.sim, 0) + sim_groups(m.sim, 1);
        instructions[i] = sim_instructions(m.sim);
        machine_close(&m);
        assert_int_equal(m.failure, STATUS_OK);
        alone();
    }
    assert_true(hash[0] == hash[1]);
    assert_int_equal(groups[1], 0);
    assert_int_equal(groups[0], 0);
    assert_int_equal(instructions[0], 0);
    assert_int_equal(instructions[1], 0);
}

/* A command that the host has sent in this turn is under way, wherever its GPU is. */
static void test_command_under_way(void **state)
{
    (void)state;
    for (unsigned processes = 1; processes <= 2; processes++) {
        struct machine m;
        assert_true(machine_open(&m, processes, (struct sim_options){0}));
        assert_true(sim_quiet(m.sim));
        sim_cmd(m.sim, 1, &(struct msg_cp_cmd){.kind = CP_VMID, .vmid = 1});
        assert_false(sim_quiet(m.sim));
        for (unsigned turns = 0; turns < 100 && !sim_quiet(m.sim); turns++)
            sim_run(m.sim, sim_now(m.sim) + 1000);
        assert_true(sim_quiet(m.sim));
        machine_close(&m);
        alone();
    }
}

/* Two models of one machine are of one process. */
static void test_refused(void **state)
{
    (void)state;
    struct machine m;
    assert_false(machine_open(&m, 2, (struct sim_options){.both = true}));
    assert_int_equal(m.failure, STATUS_USAGE);
    machine_close(&m);
    alone();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_in_one_process),
        cmocka_unit_test(test_command_under_way),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
