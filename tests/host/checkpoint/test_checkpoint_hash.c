// SPDX-License-Identifier: Apache-2.0
// The hash of a machine's state (sim_state_hash of checkpoint.h, configuration tiny) sees every change, of memory, of
// the host's side, of time; and nothing else.
#include "checkpoint_bench.h"

/* Of two machines that differ in one thing, and of one machine a cycle later. */
static void test_the_hash_sees_every_change(void **state)
{
    struct machine m;
    uint64_t byte = 1;
    (void)state;
    machine_open(&m, (struct kind){.model = SIM_RTL});
    machine_begin(&m, false);
    assert_int_equal(sim_run(m.sim, 803), SIM_STOPPED);
    uint64_t hash = sim_state_hash(m.sim);
    assert_true(hash == sim_state_hash(m.sim));
    pmem_write(m.memory, pmem_addr(1, 0x123456), &byte, 1);
    assert_true(hash != sim_state_hash(m.sim));
    byte = 0;
    pmem_write(m.memory, pmem_addr(1, 0x123456), &byte, 1); /* a page of zeros is none */
    assert_true(hash == sim_state_hash(m.sim));
    pmem_write(m.memory, pmem_addr(0, 0x5000), &hash, 1);
    assert_true(hash != sim_state_hash(m.sim));
    pmem_write(m.memory, pmem_addr(0, 0x5000), &byte, 1);
    struct sim_gpu *g = &m.sim->gpus[0];
    bool *const flags[] = {&g->pending[0].faulted, &g->pending[0].interrupted, &g->pending[0].halted};
    for (unsigned i = 0; i < 3; i++) {
        *flags[i] = true;
        assert_true(hash != sim_state_hash(m.sim));
        *flags[i] = false;
    }
    uint64_t *const numbers[] = {&g->roots[9], &g->traps[9].handler, &g->traps[9].memory,
                                 &m.sim->now,  &m.sim->watch_sent,   &m.sim->watch_cycle};
    for (unsigned i = 0; i < 6; i++) {
        *numbers[i] ^= 1;
        assert_true(hash != sim_state_hash(m.sim));
        *numbers[i] ^= 1;
    }
    assert_true(hash == sim_state_hash(m.sim));
    g->pending[0].faulted = g->pending[1].interrupted = g->pending[2].halted = true;
    struct sim_beside beside = beside_of(&m);
    assert_int_equal(sim_save(m.sim, file, &beside), STATUS_OK);
    struct machine then;
    restore(&then, (struct kind){.model = SIM_RTL});
    assert_true(sim_state_hash(then.sim) == sim_state_hash(m.sim));
    machine_close(&then);
    g->pending[0].faulted = g->pending[1].interrupted = g->pending[2].halted = false;
    sim_timer(m.sim, 5000, 1);
    assert_true(hash != sim_state_hash(m.sim));
    hash = sim_state_hash(m.sim);
    assert_int_equal(sim_run(m.sim, 819), SIM_STOPPED);
    assert_true(hash != sim_state_hash(m.sim));
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_hash_sees_every_change),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
