// SPDX-License-Identifier: Apache-2.0
// The RTL machine (configuration tiny) in a file and back (checkpoint.h): saved at odd cycles of a run of a kernel that
// stores to VRAM or to host memory, with more commands than there are places and with timers, then restored into a new
// machine it goes on to the cycles, hash, counters, memory, events and timers of the run that was never interrupted, as
// often as one likes; the hash of the state is that of the saved machine.
#include "checkpoint_bench.h"

static void goes_on(bool host, struct kind kind)
{
    struct machine whole, first, then;
    unsigned written = 0; /* restored with some of its stores done */
    machine_open(&whole, kind);
    machine_begin(&whole, host);
    const uint64_t nothing = sim_write_hash(whole.sim);
    struct outcome end = machine_end(&whole, host);
    const uint64_t cycles = sim_now(whole.sim);
    machine_close(&whole);
    for (unsigned n = 0; n < 20; n++) { /* of each place in a window; most while the kernel stores, at the end */
        const uint64_t cycle =
            n < 6 ? n * cycles / 6 + (n ? 2 * n - 1 : 0) : cycles - (host ? 1000 : 420) + 21 * (n - 6);
        machine_open(&first, kind);
        machine_begin(&first, host);
        if (cycle)
            assert_int_equal(sim_run(first.sim, cycle), SIM_STOPPED);
        struct sim_beside beside = beside_of(&first);
        assert_int_equal(sim_save(first.sim, file, &beside), STATUS_OK);
        const uint64_t hash = sim_state_hash(first.sim);
        for (unsigned again = 0; again < 2; again++) {
            struct kind other = kind;
            other.threads = 1 + again;
            restore(&then, other);
            assert_int_equal(sim_now(then.sim), sim_now(first.sim));
            assert_true(sim_state_hash(then.sim) == hash);
            written += sim_write_hash(then.sim) != nothing && sim_write_hash(then.sim) != end.hash;
            struct outcome o = machine_end(&then, host);
            outcome_equal(&o, &end);
            machine_close(&then);
        }
        struct outcome o = machine_end(&first, host); /* saving has changed nothing */
        outcome_equal(&o, &end);
        machine_close(&first);
    }
    assert_true(written >= 2 || !host); /* in VRAM the L2 has all of it, as dirty lines: they are state */
}

/* shows S4.7: In VRAM with one thread, in host memory with two. */
static void test_it_goes_on(void **state)
{
    (void)state;
    goes_on(false, (struct kind){.model = SIM_RTL, .threads = 1});
    goes_on(true, (struct kind){.model = SIM_RTL, .threads = 2});
}

/* A restored machine is saved again, in small steps: the same bytes as of the one that was never in a file. */
static void test_from_file_to_file(void **state)
{
    struct machine a, b;
    (void)state;
    machine_open(&a, (struct kind){.model = SIM_RTL});
    machine_begin(&a, true);
    for (uint64_t cycle = 501; cycle < 1000; cycle += 101) {
        assert_int_equal(sim_run(a.sim, cycle), SIM_STOPPED);
        struct sim_beside beside = beside_of(&a);
        assert_int_equal(sim_save(a.sim, file, &beside), STATUS_OK);
        restore(&b, (struct kind){.model = SIM_RTL});
        struct machine whole = a; /* goes on as the restored one */
        assert_int_equal(sim_run(whole.sim, cycle + 7), SIM_STOPPED);
        assert_int_equal(sim_run(b.sim, cycle + 7), SIM_STOPPED);
        assert_true(sim_state_hash(whole.sim) == sim_state_hash(b.sim));
        machine_close(&b);
    }
    machine_close(&a);
}

/* At the end partitions are asked where wavefronts are, and for counters, which moves them on: what they showed before
 * is state, too. */
static void test_after_questions(void **state)
{
    struct machine a, b;
    (void)state;
    machine_open(&a, (struct kind){.model = SIM_RTL});
    machine_begin(&a, false);
    assert_int_equal(sim_run(a.sim, UINT64_MAX), SIM_STOPPED);
    sim_counters(a.sim, counter_note, &a);
    assert_int_equal(sim_instructions(a.sim), 13 * GROUPS);
    struct sim_beside beside = beside_of(&a);
    assert_int_equal(sim_save(a.sim, file, &beside), STATUS_OK);
    restore(&b, (struct kind){.model = SIM_RTL});
    assert_int_equal(sim_instructions(b.sim), 13 * GROUPS);
    assert_int_equal(sim_groups(b.sim, 0), GROUPS);
    a.counters = 0;
    sim_counters(a.sim, counter_note, &a);
    sim_counters(b.sim, counter_note, &b);
    assert_true(a.counters == b.counters);
    machine_close(&a);
    machine_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_goes_on),
        cmocka_unit_test(test_from_file_to_file),
        cmocka_unit_test(test_after_questions),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
