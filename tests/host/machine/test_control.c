// SPDX-License-Identifier: Apache-2.0
// Control messages to the components of a real GPU (configuration tiny) while a kernel runs: pause, drain, flush and
// discard of each component and of all, at many cycles; the kernel ends with its data once they go on, and nothing
// hangs. What must be refused is, with the state of who refused it (S1.17 to S1.28).
#include "control_bench.h"

/* shows S1.17, S1.19, S1.20, S1.21: each of them, from early to late in the kernel; it ends later, with its data. */
static void test_hold_and_go_on(void **state)
{
    static const uint8_t operations[] = {CTL_PAUSE, CTL_DRAIN, CTL_FLUSH};
    (void)state;
    struct machine m;
    const uint64_t plain = plain_end();
    for (unsigned g = 0; g < GROUPS; g++)
        for (unsigned o = 0; o < 3; o++)
            for (uint64_t at = 300; at < plain; at += plain / 3) {
                machine_open(&m);
                launch(&m);
                plan(&m, 0, at, groups[g], operations[o]);
                plan(&m, 1, at + 20000, groups[g], CTL_CONTINUE);
                assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
                assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
                assert_answer(&m, 1, CTL_OK, CTL_STATE_RUN);
                assert_non_null(event_of(&m, 7));
                /* at the third time code and arguments are there, and pages translated: who only drains has nothing to
                 * hold */
                const bool late = at > plain / 2, done = groups[g] == CTL_GROUP_SQC || groups[g] == CTL_GROUP_UTCL2;
                /* its groups are placed by then */
                if (!(late && done) && groups[g] != CTL_GROUP_DISPATCH)
                    assert_true(event_of(&m, 7)->end > at + 20000);
                assert_true(event_of(&m, 7)->end >= plain);
                assert_data(&m);
                machine_close(&m);
            }
}

/* shows S1.17, S1.18, S1.19: everything is paused at once; each group is drained, switched off and on again while the
 * kernel runs; it ends with its data. */
static void test_all_and_off(void **state)
{
    (void)state;
    struct machine m;
    const uint64_t plain = plain_end();
    for (uint64_t at = 300; at < plain; at += plain / 4) {
        machine_open(&m);
        launch(&m);
        plan(&m, 0, at, EVERY, CTL_PAUSE);
        plan(&m, 1, at + 20000, EVERY, CTL_CONTINUE);
        assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
        assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
        assert_answer(&m, 1, CTL_OK, CTL_STATE_RUN);
        assert_data(&m);
        machine_close(&m);
    }
    for (unsigned g = 0; g < GROUPS; g++) {
        machine_open(&m);
        launch(&m);
        plan(&m, 0, plain / 2, groups[g], CTL_PAUSE);
        plan(&m, 1, plain / 2 + 5000, groups[g], CTL_DRAIN); /* out of a pause in which nothing moves */
        plan(&m, 2, plain / 2 + 20000, groups[g], 0);
        plan(&m, 3, plain / 2 + 22000, groups[g], CTL_DRAIN);
        plan(&m, 4, plain / 2 + 24000, groups[g], CTL_ENABLE);
        assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
        assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
        assert_answer(&m, 1, CTL_OK, CTL_STATE_PAUSED);
        assert_answer(&m, 2, CTL_OK, CTL_STATE_OFF);
        assert_answer(&m, 3, CTL_ERROR_OFF, CTL_STATE_OFF);
        assert_answer(&m, 4, CTL_OK, CTL_STATE_RUN);
        assert_non_null(event_of(&m, 7));
        assert_data(&m);
        machine_close(&m);
    }
}

/* shows S1.25: page tables of a space that an L2 TLB which is off has refused are told, once; the same command is taken
 * when it is on, and the kernel runs with them. */
static void test_refused_root(void **state)
{
    (void)state;
    struct machine m;
    machine_open(&m);
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .id = 55, .vmid = 3, .root = pagetable_root(m.table)};
    plan(&m, 0, 100, CTL_GROUP_UTCL2, CTL_PAUSE);
    plan(&m, 1, 2000, CTL_GROUP_UTCL2, 0); /* off */
    assert_int_equal(sim_run(m.sim, 10000), SIM_STOPPED);
    sim_cmd(m.sim, 0, &vmid);
    assert_int_equal(sim_run(m.sim, 20000), SIM_STOPPED);
    const struct msg_cp_evt *e = event_of(&m, 55);
    assert_non_null(e);
    const struct msg_cp_evt want = {.kind = CP_EVT_ROOT_REFUSED,
                                    .status = CTL_ERROR_OFF,
                                    .id = 55,
                                    .vmid = 3,
                                    .cu = CTL_GROUP_UTCL2 << 8,
                                    .wave = CTL_STATE_OFF};
    assert_memory_equal(e, &want, sizeof want);
    plan(&m, 2, 21000, CTL_GROUP_UTCL2, CTL_ENABLE);
    assert_int_equal(sim_run(m.sim, 30000), SIM_STOPPED);
    assert_answer(&m, 2, CTL_OK, CTL_STATE_RUN);
    launch(&m); /* with the same root, which is not told of */
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_int_equal(m.count, 5);
    assert_data(&m);
    machine_close(&m);
}

/* The words of the output that the CU has stored until `at`: it is paused then, and the L2 written back later. */
static unsigned stored_until(uint64_t at, bool *has)
{
    struct machine m;
    uint32_t out[1024];
    unsigned count = 0;
    machine_open(&m);
    launch(&m);
    plan(&m, 0, at, CTL_GROUP_CU, CTL_PAUSE);
    plan(&m, 1, at + 5000, CTL_GROUP_L2, CTL_FLUSH);
    sim_run(m.sim, at + 20000);
    assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
    assert_answer(&m, 1, CTL_OK, CTL_STATE_PAUSED);
    pmem_read(m.memory, pmem_addr(0, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < ITEMS; i++)
        count += has[i] = i && out[i] == 4 * i;
    machine_close(&m);
    return count;
}

/* A discard at `at`, of what runs or of what is paused before; off, on, flushed, on.  Words of the output that are
 * there; none is anything else than it was or should be. */
static unsigned discarded(uint64_t at, uint8_t group, bool paused, const bool *has)
{
    struct machine m;
    uint32_t out[1024];
    unsigned there = 0;
    machine_open(&m);
    launch(&m);
    if (paused)
        plan(&m, 5, at, group, CTL_PAUSE);
    plan(&m, 0, at + 3000 * paused, group, CTL_DISCARD);
    plan(&m, 1, 100000, group, 0);
    plan(&m, 2, 110000, group, CTL_ENABLE);
    plan(&m, 3, 120000, group, CTL_FLUSH);
    plan(&m, 4, 140000, group, CTL_CONTINUE);
    plan(&m, 6, 160000, CTL_GROUP_L2, CTL_FLUSH);
    sim_run(m.sim, 300000);
    assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
    assert_answer(&m, 1, CTL_OK, CTL_STATE_OFF);
    assert_answer(&m, 2, CTL_OK, CTL_STATE_RUN);
    assert_answer(&m, 3, CTL_OK, CTL_STATE_PAUSED);
    assert_answer(&m, 4, CTL_OK, CTL_STATE_RUN);
    assert_answer(&m, 6, CTL_OK, CTL_STATE_PAUSED);
    pmem_read(m.memory, pmem_addr(0, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < 1024; i++) {
        there += i && i < ITEMS && out[i] == 4 * i;
        assert_true(out[i] == 0 || (i < ITEMS && out[i] == 4 * i));
        assert_true(i >= ITEMS || !has[i] || out[i] == 4 * i);
    }
    machine_close(&m);
    return there;
}

/* shows S1.22, S1.24: a discard of each group but the CUs, which refuse it, is answered, out of a pause as well; the
 * component can be switched off behind it, and works again.  Among the kernel's stores (they take about 100 cycles) it
 * may drop some: each word is there or not.  300 cycles behind the last store all are in the L2, dirty, and stay,
 * whoever discards.  The kernel's accesses that are dropped are not waited for. */
static void test_discard(void **state)
{
    (void)state;
    static bool has[ITEMS];
    const uint64_t end = plain_end(), among = end - 750, behind = end - 400;
    const unsigned some = stored_until(among, has);
    unsigned lost = 0;
    assert_true(some > 0 && some < ITEMS - 1);
    assert_int_equal(stored_until(among - 300, has), 0);
    for (unsigned g = 0; g < GROUPS && groups[g] != CTL_GROUP_CU; g++)
        for (unsigned paused = 0; paused < 2; paused++)
            lost += discarded(among, groups[g], paused, has) < ITEMS - 1;
    assert_true(lost > 0); /* stores that the crossbar or a slice had before them */
    assert_int_equal(stored_until(behind - 300, has), ITEMS - 1);
    for (unsigned g = 0; g < GROUPS && groups[g] != CTL_GROUP_CU; g++)
        for (unsigned paused = 0; paused < 2; paused++)
            assert_int_equal(discarded(behind, groups[g], paused, has), ITEMS - 1);
}

/* shows S1.18, S1.24, S1.25, S1.26, S1.27, S1.28: what is refused, and that the component goes on all the same. */
static void test_refused(void **state)
{
    static const struct {
        uint8_t signals, status, state;
    } steps[] = {{CTL_ENABLE, CTL_ERROR_ON, CTL_STATE_RUN},
                 {0, CTL_ERROR_STATE, CTL_STATE_RUN},
                 {CTL_CONTINUE, CTL_ERROR_STATE, CTL_STATE_RUN},
                 {CTL_DRAIN | CTL_FLUSH, CTL_ERROR_TOGETHER, CTL_STATE_RUN},
                 {CTL_DRAIN | CTL_DISCARD, CTL_ERROR_TOGETHER, CTL_STATE_RUN},
                 {CTL_PAUSE, CTL_OK, CTL_STATE_PAUSED},
                 {CTL_PAUSE, CTL_ERROR_STATE, CTL_STATE_PAUSED},
                 {CTL_DRAIN, CTL_OK, CTL_STATE_PAUSED},
                 {CTL_FLUSH, CTL_OK, CTL_STATE_PAUSED},
                 {0, CTL_OK, CTL_STATE_OFF},
                 {CTL_CONTINUE, CTL_ERROR_OFF, CTL_STATE_OFF},
                 {CTL_DISCARD, CTL_ERROR_OFF, CTL_STATE_OFF},
                 {0x3f, CTL_OK, CTL_STATE_RUN}};
    const unsigned count = sizeof steps / sizeof steps[0];
    (void)state;
    for (unsigned g = 0; g < GROUPS; g++) {
        struct machine m;
        machine_open(&m);
        for (unsigned i = 0; i < count; i++)
            plan(&m, i, 100 + 1000 * i, groups[g], steps[i].signals);
        plan(&m, count, 50000, 128, CTL_PAUSE); /* no such group */
        m.plan[count + 1].groups = groups[g], m.plan[count + 1].number = 5;
        sim_timer(m.sim, 51000, count + 1);
        assert_int_equal(sim_run(m.sim, 100000), SIM_STOPPED);
        for (unsigned i = 0; i < count; i++) {
            assert_answer(&m, i, steps[i].status, steps[i].state);
            assert_int_equal(event_of(&m, 100 + i)->cu >> 8, groups[g]);
        }
        assert_answer(&m, count, CTL_ERROR_NONE, CTL_STATE_RUN);
        assert_answer(&m, count + 1, CTL_ERROR_NONE, CTL_STATE_RUN);
        m.count = 0;
        launch(&m);
        assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
        assert_data(&m);
        machine_close(&m);
    }
}

/* Where the answer with this id stands among all. */
static unsigned place_of(const struct machine *m, unsigned id)
{
    unsigned n = 0;
    while (n < m->count && m->events[n].id != id)
        n++;
    return n;
}

/* shows S1.27: the crossbar holds the walk that the L2 TLB's drain waits for: each message to it meanwhile is refused,
 * and its drain goes on; it is answered when the crossbar does, once, and then the kernel ends with its data. */
static void test_busy(void **state)
{
    static const uint8_t refused[] = {CTL_FLUSH, CTL_CONTINUE, 0, CTL_DISCARD, CTL_ENABLE};
    (void)state;
    struct machine m;
    machine_open(&m);
    launch(&m);
    plan(&m, 0, 400, CTL_GROUP_NOC, CTL_PAUSE); /* the first walk is in it */
    plan(&m, 1, 3000, CTL_GROUP_UTCL2, CTL_DRAIN);
    for (unsigned i = 0; i < sizeof refused; i++)
        plan(&m, 4 + i, 5000 + 500 * i, CTL_GROUP_UTCL2, refused[i]);
    plan(&m, 2, 9000, CTL_GROUP_NOC, CTL_CONTINUE);
    plan(&m, 3, 60000, CTL_GROUP_UTCL2, CTL_CONTINUE);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
    for (unsigned i = 0; i < sizeof refused; i++) {
        assert_answer(&m, 4 + i, CTL_ERROR_BUSY, CTL_STATE_DRAINING);
        assert_true(place_of(&m, 104 + i) < place_of(&m, 102)); /* before the crossbar goes on */
    }
    assert_answer(&m, 2, CTL_OK, CTL_STATE_RUN);
    assert_answer(&m, 1, CTL_OK, CTL_STATE_PAUSED);
    assert_true(place_of(&m, 102) < place_of(&m, 101));
    assert_answer(&m, 3, CTL_OK, CTL_STATE_RUN);
    assert_non_null(event_of(&m, 7));
    assert_data(&m);
    machine_close(&m);
}

/* shows S1.19, S1.22: a CU that has no discard refuses it in every state and goes on; a kill of a paused CU, whose
 * wavefronts are in the middle of their work, is carried out when it goes on; then the next launch runs. */
static void test_units(void **state)
{
    (void)state;
    struct machine m;
    const uint64_t plain = plain_end();
    machine_open(&m);
    launch(&m);
    plan(&m, 0, plain / 4, CTL_GROUP_CU, CTL_DISCARD);
    plan(&m, 1, plain / 2, CTL_GROUP_CU, CTL_PAUSE);
    plan(&m, 2, plain / 2 + 2000, CTL_GROUP_CU, CTL_DISCARD);
    plan(&m, 3, plain / 2 + 4000, CTL_GROUP_CU, CTL_CONTINUE);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_answer(&m, 0, CTL_ERROR_DISCARD, CTL_STATE_RUN);
    assert_answer(&m, 1, CTL_OK, CTL_STATE_PAUSED);
    assert_answer(&m, 2, CTL_ERROR_DISCARD, CTL_STATE_PAUSED);
    assert_answer(&m, 3, CTL_OK, CTL_STATE_RUN);
    assert_data(&m);
    machine_close(&m);

    machine_open(&m);
    launch(&m);
    plan(&m, 0, plain / 2, CTL_GROUP_CU, CTL_PAUSE);
    sim_run(m.sim, plain / 2 + 3000);
    const struct msg_cp_cmd kill = {.kind = CP_KILL, .id = 50, .vmid = 3};
    sim_cmd(m.sim, 0, &kill);
    plan(&m, 1, plain / 2 + 10000, CTL_GROUP_CU, CTL_CONTINUE);
    sim_run(m.sim, plain / 2 + 9000);
    assert_null(event_of(&m, 50));
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_answer(&m, 1, CTL_OK, CTL_STATE_RUN);
    assert_non_null(event_of(&m, 50));
    assert_int_equal(event_of(&m, 50)->kind, CP_EVT_KILL_DONE);
    assert_null(event_of(&m, 7));
    m.count = 0;
    launch(&m);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_non_null(event_of(&m, 7));
    assert_data(&m);
    machine_close(&m);
}

/* shows S1.15, S1.19, S1.20: dispatchers that are held from before the launch on place none of its groups, from later
 * on some or all; those run to their ends meanwhile, the others when the dispatchers go on. */
static void test_dispatchers(void **state)
{
    (void)state;
    unsigned last = 0, some = 0;
    for (unsigned drains = 0; drains < 2; drains++, last = 0)
        for (uint64_t at = 1; at < 400; at += at < 150 ? 3 : 83) {
            struct machine m;
            machine_open(&m);
            launch(&m);
            plan(&m, 0, at, CTL_GROUP_DISPATCH, drains ? CTL_DRAIN : CTL_PAUSE);
            plan(&m, 1, at + 20000, CTL_GROUP_DISPATCH, CTL_CONTINUE);
            sim_run(m.sim, at + 19000);
            assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
            const unsigned ended = (unsigned)sim_groups(m.sim, 0);
            assert_true(ended >= last && (at > 1 || ended == 0));
            some += ended > 0 && ended < 6;
            last = ended;
            assert_true((event_of(&m, 7) != NULL) == (ended == 6));
            assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
            assert_answer(&m, 1, CTL_OK, CTL_STATE_RUN);
            assert_true(ended == 6 || event_of(&m, 7)->end > at + 20000);
            /* a pause may come between the place of a group and its first wavefront, a drain does not */
            assert_true(ended > 0 || event_of(&m, 7)->start > at + 20000 || (!drains && at > 1));
            assert_data(&m);
            machine_close(&m);
            if (at > 300)
                assert_int_equal(ended, 6);
        }
    assert_true(some >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dispatchers), cmocka_unit_test(test_hold_and_go_on), cmocka_unit_test(test_all_and_off),
        cmocka_unit_test(test_discard),     cmocka_unit_test(test_refused),        cmocka_unit_test(test_refused_root),
        cmocka_unit_test(test_busy),        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
