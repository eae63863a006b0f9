// SPDX-License-Identifier: Apache-2.0
// The toy models (toy_parts.h) in a machine: what tests of host/machine rely on.  Wavefronts write, copy and add where
// they are told, in VRAM, host memory and the VRAM of another GPU; commands are answered; runs repeat, with and without
// skipping; a saved state goes on; a planted fault is one.
#include "toy_machine.h"

#include "observe/figures.h"

#define VRAM(gpu) (pmem_addr((gpu) + 1, 0x3000))
#define HOST (pmem_addr(0, 0x5000))

static void test_work(void **state)
{
    struct toy_machine m;
    (void)state;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1});
    const uint64_t text[16] = {[0] = 11, [7] = 22, [8] = 33};
    pmem_write(m.memory, HOST, text, sizeof text);
    toy_do(&m, 0, 1, 3, (struct toy_work){.op = TOY_WRITE, .count = 2, .to = VRAM(0), .value = 7});
    toy_do(&m, 0, 2, 1, (struct toy_work){.op = TOY_COPY, .count = 2, .to = VRAM(1), .from = HOST});
    toy_do(&m, 1, 3, 3, (struct toy_work){.op = TOY_ATOMIC, .count = 2, .to = HOST + 0x104, .value = 5});
    toy_run(&m);
    assert_int_equal(m.event_count, 3);
    for (unsigned line = 0; line < 7; line++)
        assert_int_equal(toy_read(&m, 1, 0x3000 + 64 * line), line < 6 ? 7 : 0);
    assert_int_equal(toy_read(&m, 2, 0x3000), 11);
    assert_int_equal(toy_read(&m, 2, 0x3038), 22);
    assert_int_equal(toy_read(&m, 2, 0x3040), 33);
    assert_int_equal(toy_read(&m, 0, 0x5100), UINT64_C(30) << 32);
    for (unsigned i = 0; i < 3; i++) {
        const struct msg_cp_evt *evt = &m.events[i].evt;
        assert_int_equal(evt->kind, CP_EVT_LAUNCH_DONE);
        assert_int_equal(evt->data, evt->id == 2 ? 1 : 3);
        assert_int_equal(evt->instructions, evt->id == 2 ? 4 : 12);
        assert_true(evt->start < evt->end && evt->end < m.events[i].cycle);
    }
    assert_int_equal(sim_instructions(m.sim), 28);
    assert_int_equal(sim_groups(m.sim, 0), 4);
    assert_int_equal(sim_groups(m.sim, 1), 3);
    assert_true(sim_settled(m.sim));
    toy_close(&m);
}

static void test_commands(void **state)
{
    struct toy_machine m;
    (void)state;
    toy_open(&m, 1, NULL, (struct sim_options){.seed = 1});
    static const uint8_t kinds[] = {CP_CACHE, CP_TRAP, CP_KILL};
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pmem_addr(1, 0x4000)};
    sim_cmd(m.sim, 0, &vmid);
    toy_do(&m, 0, 5, 3, (struct toy_work){.op = TOY_FAULT, .value = FAULT_BUS, .to = 0x123});
    toy_do(&m, 0, 6, 1, (struct toy_work){.op = TOY_INTERRUPT, .value = 0x77});
    for (unsigned i = 0; i < 3; i++) {
        toy_run(&m);
        const struct msg_cp_cmd cmd = {.kind = kinds[i], .vmid = 3, .id = (uint16_t)(10 + i)};
        sim_cmd(m.sim, 0, &cmd);
    }
    toy_run(&m);
    static const uint8_t seen[] = {CP_EVT_FAULT,       CP_EVT_FAULT,      CP_EVT_FAULT,     CP_EVT_INTERRUPT,
                                   CP_EVT_LAUNCH_DONE, CP_EVT_CACHE_DONE, CP_EVT_TRAP_DONE, CP_EVT_KILL_DONE};
    assert_int_equal(m.event_count, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(m.events[i].evt.kind, seen[i]);
    assert_int_equal(m.events[0].evt.va, 0x123);
    assert_int_equal(m.events[0].evt.status, FAULT_BUS);
    assert_int_equal(m.events[3].evt.data, 0x77);
    assert_int_equal(m.events[7].evt.id, 12);
    assert_int_equal(sim_groups(m.sim, 0), 4); /* the killed ones, too */
    toy_close(&m);
}

struct end {
    uint64_t cycle, hash, state, evaluated;
};

static struct end run(bool no_skip, unsigned threads, uint32_t value)
{
    struct toy_machine m;
    toy_open(&m, 2, NULL, (struct sim_options){.seed = 1, .no_skip = no_skip, .threads = threads});
    toy_do(&m, 0, 1, 30, (struct toy_work){.op = TOY_WRITE, .count = 4, .to = VRAM(1), .value = value});
    toy_do(&m, 1, 2, 30, (struct toy_work){.op = TOY_COPY, .count = 4, .to = VRAM(0) + 0x4000, .from = VRAM(1)});
    toy_run(&m);
    assert_int_equal(sim_run(m.sim, 40000), SIM_STOPPED);
    struct end end = {m.events[1].cycle, sim_write_hash(m.sim), 0, 0};
    for (uint32_t i = 0; i < m.sim->sched.count; i++)
        end.state = end.state * 31 + part_state_hash(m.sim->sched.parts[i]);
    end.evaluated = toy_evaluated(toy_named("gpu0.noc"));
    toy_close(&m);
    return end;
}

static void test_repeats(void **state)
{
    (void)state;
    const struct end a = run(false, 1, 7), b = run(true, 1, 7), c = run(false, 2, 7), d = run(false, 1, 8);
    assert_true(a.cycle == b.cycle && a.hash == b.hash);
    assert_true(a.evaluated < b.evaluated);
    assert_memory_equal(&a, &c, sizeof a);
    assert_true(a.hash != d.hash && a.state != d.state);
}

static void test_planted(void **state)
{
    static const enum toy_how hows[] = {TOY_FLIP, TOY_LATE, TOY_AGAIN};
    struct end good = run(false, 1, 7);
    (void)state;
    toy_plant.part = "gpu0.l2s0";
    toy_plant.port = "dram_req";
    toy_plant.nth = 3;
    toy_plant.byte = 24;
    toy_plant.mask = 1;
    for (unsigned i = 0; i < 3; i++) {
        toy_plant.how = hows[i];
        const struct end bad = run(false, 1, 7);
        if ((bad.hash == good.hash) != (i == 1) || bad.state == good.state)
            fail_msg("fault %u", i);
    }
    toy_plant.part = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_planted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
