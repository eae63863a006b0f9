// SPDX-License-Identifier: Apache-2.0
// Control messages to the components of a real GPU (configuration tiny) while a kernel runs: pause, drain, flush and
// discard of each component and of all, at many cycles; the kernel ends with its data once they go on, and nothing
// hangs. What must be refused is, with the state of who refused it (S1.17 to S1.28).
#include "kernel_bench.h"

#define ITEMS 380
#define MAX 64

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    struct msg_cp_evt events[MAX];
    unsigned count;
    struct { /* signals to be sent by timers */
        uint8_t groups, signals;
        uint16_t number;
    } plan[MAX];
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    (void)gpu, (void)now;
    assert_true(m->count < MAX);
    m->events[m->count++] = *evt;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    (void)now;
    const struct msg_cp_cmd cmd = {.kind = CP_CONTROL,
                                   .id = (uint16_t)(100 + cookie),
                                   .flags = m->plan[cookie].signals | (uint32_t)m->plan[cookie].groups << 8 |
                                            (uint32_t)m->plan[cookie].number << 16};
    sim_cmd(m->sim, 0, &cmd);
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};

static void machine_open(struct machine *m)
{
    memset(m, 0, sizeof *m);
    kernel_config(&m->config, NULL);
    m->memory = kernel_memory(&m->config);
    m->table = kernel_tables(m->memory, kernel_numbers, sizeof kernel_numbers, pmem_addr(0, 0x3000), 0);
    uint64_t out = OUT_VA;
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct sim_options options = {.model = SIM_RTL, .seed = 1};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
}

static void launch(struct machine *m)
{
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table)};
    const struct msg_cp_cmd cmd = kernel_launch(3, 7, ITEMS);
    sim_cmd(m->sim, 0, &vmid);
    sim_cmd(m->sim, 0, &cmd);
}

static void assert_data(struct machine *m)
{
    uint32_t out[1024];
    pmem_read(m->memory, pmem_addr(0, 0x3000), out, sizeof out);
    for (unsigned i = 0; i < 1024; i++)
        assert_int_equal(out[i], i < ITEMS ? 4 * i : 0);
}

static const struct msg_cp_evt *event_of(const struct machine *m, unsigned id)
{
    const struct msg_cp_evt *found = NULL;
    for (unsigned i = 0; i < m->count; i++)
        if (m->events[i].id == id) {
            assert_null(found); /* exactly one answer */
            found = &m->events[i];
        }
    return found;
}

/* Signals at a cycle; their answer has id 100 + n. */
static void plan(struct machine *m, unsigned n, uint64_t at, uint8_t groups, uint8_t signals)
{
    m->plan[n].groups = groups, m->plan[n].signals = signals, m->plan[n].number = 0xffff;
    sim_timer(m->sim, at, n);
}

static void assert_answer(const struct machine *m, unsigned n, unsigned status, unsigned state)
{
    const struct msg_cp_evt *e = event_of(m, 100 + n);
    assert_non_null(e);
    if (e->kind != CP_EVT_CONTROL_DONE || e->status != status || e->wave != state)
        fail_msg("message %u: status %u, state %u, want %u, %u", n, e->status, e->wave, status, state);
}

#define EVERY (CTL_GROUP_SQC | CTL_GROUP_UTCL2 | CTL_GROUP_RDMA | CTL_GROUP_NOC | CTL_GROUP_L2 | CTL_GROUP_CU)
static const uint8_t groups[] = {CTL_GROUP_SQC, CTL_GROUP_UTCL2, CTL_GROUP_RDMA,
                                 CTL_GROUP_NOC, CTL_GROUP_L2,    CTL_GROUP_CU};
#define GROUPS (sizeof groups / sizeof groups[0])

/* The cycle at which a kernel that nobody holds up ends. */
static uint64_t plain_end(void)
{
    struct machine m;
    machine_open(&m);
    launch(&m);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    const uint64_t end = event_of(&m, 7)->end;
    machine_close(&m);
    return end;
}

/* shows S1.17, S1.19, S1.20, S1.21: each of them, from early to late in the kernel; it ends later, with its data. */
static void test_hold_and_go_on(void **state)
{
    static const uint8_t operations[] = {CTL_PAUSE, CTL_DRAIN, CTL_FLUSH};
    (void)state;
    struct machine m;
    const uint64_t plain = plain_end();
    unsigned later = 0;
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
                later += event_of(&m, 7)->end > plain + 10000;
                assert_data(&m);
                machine_close(&m);
            }
    assert_true(later >= 18);
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

/* shows S1.22, S1.24: a discard of each group but the CUs, which refuse it, while the kernel runs is answered, out of a
 * pause as well; the component can be switched off behind it, and works again: what was written until then is there.
 * The kernel's accesses are gone.
 */
static void test_discard(void **state)
{
    (void)state;
    struct machine m;
    const uint64_t plain = plain_end();
    for (unsigned g = 0; g < GROUPS && groups[g] != CTL_GROUP_CU; g++)
        for (unsigned paused = 0; paused < 2; paused++) {
            machine_open(&m);
            launch(&m);
            if (paused)
                plan(&m, 5, plain / 2, groups[g], CTL_PAUSE);
            plan(&m, 0, plain / 2 + 3000 * paused, groups[g], CTL_DISCARD);
            plan(&m, 1, 100000, groups[g], 0);
            plan(&m, 2, 110000, groups[g], CTL_ENABLE);
            plan(&m, 3, 120000, groups[g], CTL_FLUSH);
            plan(&m, 4, 140000, groups[g], CTL_CONTINUE);
            sim_run(m.sim, 300000);
            assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
            assert_answer(&m, 1, CTL_OK, CTL_STATE_OFF);
            assert_answer(&m, 2, CTL_OK, CTL_STATE_RUN);
            assert_answer(&m, 3, CTL_OK, CTL_STATE_PAUSED);
            assert_answer(&m, 4, CTL_OK, CTL_STATE_RUN);
            machine_close(&m);
        }
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

/* shows S1.22, S1.27: during a drain that cannot end, since the crossbar holds what it waits for, a message is refused;
 * a discard of all of them ends every one; a kill then still works.  The kernel's accesses are gone: it is not waited
 * for. */
static void test_busy(void **state)
{
    (void)state;
    struct machine m;
    machine_open(&m);
    launch(&m);
    plan(&m, 0, 400, CTL_GROUP_NOC, CTL_PAUSE);
    plan(&m, 1, 3000, CTL_GROUP_UTCL2, CTL_DRAIN);
    plan(&m, 2, 6000, CTL_GROUP_UTCL2, CTL_FLUSH);
    plan(&m, 3, 9000, CTL_GROUP_NOC, CTL_CONTINUE);
    plan(&m, 4, 60000, CTL_GROUP_UTCL2, CTL_CONTINUE);
    assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
    assert_answer(&m, 0, CTL_OK, CTL_STATE_PAUSED);
    assert_answer(&m, 1, CTL_OK, CTL_STATE_PAUSED);
    assert_true(event_of(&m, 102)->status == CTL_ERROR_BUSY || event_of(&m, 102)->status == CTL_OK);
    assert_answer(&m, 3, CTL_OK, CTL_STATE_RUN);
    assert_answer(&m, 4, CTL_OK, CTL_STATE_RUN);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hold_and_go_on), cmocka_unit_test(test_all_and_off),  cmocka_unit_test(test_discard),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_refused_root), cmocka_unit_test(test_busy),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
