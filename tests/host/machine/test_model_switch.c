// SPDX-License-Identifier: Apache-2.0
// Two models with turns (sim_switch, configuration tiny): kernels that count up in memory run on the golden model and
// on the RTL in any order; memory is what either model alone would have left, time never goes back, timers fire once,
// in their order, whoever has the turn, and what changed while a model had none (translations, constants, address
// spaces, trap handlers) is what it finds.
#include "kernel_bench.h"

#include "saved/state_io.h"
#include "vm/pmem_save.h"

#define GROUPS 3
#define ITEMS (GROUPS * 64)
#define INSTRUCTIONS (15 * GROUPS)
#define VMID 3u

/* s[0:1] points to {address, addend}, s2 is the group: address[i] += addend */
static const uint32_t program[] = {
    0xc00a0100, 0x00000000, /* s_load_dwordx4 s[4:7], s[0:1], 0x0 */
    0x8e038802,             /* s_lshl_b32 s3, s2, 8 */
    0x24020082,             /* v_lshlrev_b32 v1, 2, v0 */
    0xbf8c007f,             /* s_waitcnt lgkmcnt(0) */
    0x80040304,             /* s_add_u32 s4, s4, s3 */
    0x82058005,             /* s_addc_u32 s5, s5, 0 */
    0x7e060205,             /* v_mov_b32 v3, s5 */
    0x32040204,             /* v_add_u32 v2, vcc, s4, v1 */
    0x38060680,             /* v_addc_u32 v3, vcc, 0, v3, vcc */
    0xdc500000, 0x04000002, /* flat_load_dword v4, v[2:3] */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) & lgkmcnt(0) */
    0x32080806,             /* v_add_u32 v4, vcc, s6, v4 */
    0xdc700000, 0x00000402, /* flat_store_dword v[2:3], v4 */
    0xbf8c0f70,             /* s_waitcnt vmcnt(0) */
    0xbf810000,             /* s_endpgm */
};

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    unsigned ended, others, timers;
    uint64_t last, fired[8]; /* cycle of the last callback; of each timer, by its cookie */
    unsigned order[8];
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    assert_int_equal(gpu, 0);
    assert_true(now >= m->last);
    m->last = now;
    m->ended += evt->kind == CP_EVT_LAUNCH_DONE;
    m->others += evt->kind != CP_EVT_LAUNCH_DONE;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    assert_true(now >= m->last && cookie < 8 && m->timers < 8);
    m->last = m->fired[cookie] = now;
    m->order[m->timers++] = (unsigned)cookie;
}

static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};

static void arguments(struct machine *m, uint64_t out, uint64_t addend)
{
    const uint64_t args[2] = {out, addend};
    pmem_write(m->memory, pmem_addr(1, 0x2000), args, sizeof args);
}

static void root_tell(struct machine *m, uint8_t vmid, uint64_t root)
{
    const struct msg_cp_cmd cmd = {.kind = CP_VMID, .vmid = vmid, .root = root};
    sim_cmd(m->sim, 0, &cmd);
}

static void machine_open_with(struct machine *m, bool both, enum sim_model model, uint64_t max_cycles,
                              const char *setting)
{
    memset(m, 0, sizeof *m);
    kernel_config(&m->config, setting);
    m->memory = kernel_memory(&m->config);
    const struct sim_options options = {.model = model, .both = both, .seed = 1, .max_cycles = max_cycles};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
    m->table = kernel_tables(m->memory, program, sizeof program, pmem_addr(1, 0x3000), 0);
    arguments(m, OUT_VA, 1);
}

static void machine_open(struct machine *m, bool both, enum sim_model model, uint64_t max_cycles)
{
    machine_open_with(m, both, model, max_cycles, NULL);
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* Until nothing is under way. */
static void rest(struct machine *m)
{
    for (unsigned i = 0; i < 100 && !sim_settled(m->sim); i++)
        assert_int_equal(sim_run(m->sim, sim_now(m->sim) + 1000), SIM_STOPPED);
    assert_true(sim_settled(m->sim));
}

/* One kernel, to its end. */
static void run_one(struct machine *m)
{
    const struct msg_cp_cmd cmd = kernel_launch(VMID, (uint16_t)(m->ended + 1), ITEMS);
    const unsigned before = m->ended;
    sim_cmd(m->sim, 0, &cmd);
    assert_false(sim_settled(m->sim));
    rest(m);
    assert_int_equal(m->ended, before + 1);
}

/* And its release: what an L2 holds back goes to memory. */
static void launch(struct machine *m)
{
    run_one(m);
    const struct msg_cp_cmd release = {.kind = CP_CACHE, .vmid = VMID, .id = 99, .flags = CACHE_WB_L2};
    const unsigned others = m->others;
    sim_cmd(m->sim, 0, &release);
    rest(m);
    assert_int_equal(m->others, others + 1);
    m->others--; /* this one is launch()'s */
}

static uint64_t memory_hash(const struct machine *m)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    pmem_save(m->memory, &hash.writer);
    return state_hash_end(&hash);
}

static void turn(struct machine *m, enum sim_model model)
{
    const uint64_t before = sim_now(m->sim);
    const unsigned events = m->ended + m->others;
    sim_switch(m->sim, model);
    assert_int_equal(sim_model_now(m->sim), model);
    assert_true(sim_now(m->sim) >= before && sim_settled(m->sim));
    assert_int_equal(m->ended + m->others, events); /* what a switch sends is nobody's */
}

static void word_is(struct machine *m, uint64_t at, uint32_t value)
{
    uint32_t out[ITEMS];
    pmem_read(m->memory, pmem_addr(1, at), out, sizeof out);
    for (unsigned i = 0; i < ITEMS; i++)
        assert_int_equal(out[i], value);
}

/* shows B.6: After each kernel all memory is equal to that of one model alone, whichever ran it. */
static void test_memory_at_the_border(void **state)
{
    static const enum sim_model turns[] = {SIM_RTL, SIM_GOLDEN, SIM_GOLDEN, SIM_RTL, SIM_GOLDEN, SIM_RTL, SIM_RTL};
    struct machine mixed, golden, rtl;
    (void)state;
    machine_open(&mixed, true, SIM_RTL, 0);
    machine_open(&golden, false, SIM_GOLDEN, 0);
    machine_open(&rtl, false, SIM_RTL, 0);
    struct machine *const all[] = {&mixed, &golden, &rtl};
    assert_int_equal(sim_model_now(golden.sim), SIM_GOLDEN);
    for (unsigned i = 0; i < 3; i++)
        root_tell(all[i], VMID, pagetable_root(all[i]->table));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(sim_run(all[i]->sim, 1000), SIM_STOPPED);
    for (unsigned n = 0; n < sizeof turns / sizeof *turns; n++) {
        turn(&mixed, turns[n]);
        for (unsigned i = 0; i < 3; i++)
            launch(all[i]);
        word_is(&mixed, 0x3000, n + 1);
        assert_true(memory_hash(&mixed) == memory_hash(&golden));
        assert_true(memory_hash(&mixed) == memory_hash(&rtl));
        assert_int_equal(sim_instructions(mixed.sim), (n + 1) * INSTRUCTIONS);
        assert_int_equal(sim_groups(mixed.sim, 0), (n + 1) * GROUPS);
    }
    assert_int_equal(mixed.others, 0);
    for (unsigned i = 0; i < 3; i++)
        machine_close(all[i]);
}

/* What the L2s of the RTL hold back, after kernels without a release, is there for the golden model; and the RTL goes
 * on from what that has left. */
static void test_stores_without_a_release(void **state)
{
    struct machine m;
    (void)state;
    machine_open(&m, true, SIM_RTL, 0);
    root_tell(&m, VMID, pagetable_root(m.table));
    rest(&m);
    for (unsigned n = 0; n < 3; n++) {
        turn(&m, SIM_RTL);
        run_one(&m);
        run_one(&m);
        word_is(&m, 0x3000, 3 * n); /* they are held back */
        turn(&m, SIM_GOLDEN);
        word_is(&m, 0x3000, 3 * n + 2);
        run_one(&m);
        word_is(&m, 0x3000, 3 * n + 3);
    }
    assert_int_equal(m.others, 0);
    machine_close(&m);
}

/* A model that had no turn finds what has changed meanwhile: a page elsewhere, other constants, code, another root. */
static void test_nothing_stale(void **state)
{
    struct machine m;
    (void)state;
    machine_open(&m, true, SIM_RTL, 0);
    root_tell(&m, VMID, pagetable_root(m.table));
    root_tell(&m, 5, 0x123000);
    launch(&m); /* the RTL has all of it in caches and TLBs */
    turn(&m, SIM_GOLDEN);
    launch(&m);
    word_is(&m, 0x3000, 2);
    for (unsigned round = 0; round < 2; round++) { /* for the RTL, then for the golden model */
        const uint64_t page = 0x5000 + 0x1000 * round;
        struct pagetable *old = m.table;
        assert_int_equal(pagetable_unmap(m.table, OUT_VA, 0x1000), 0);
        assert_int_equal(pagetable_map(m.table, OUT_VA, pmem_addr(1, page), 0x1000, PTE_R | PTE_W), 0);
        arguments(&m, OUT_VA, 7 + round);
        turn(&m, round ? SIM_GOLDEN : SIM_RTL);
        launch(&m);
        word_is(&m, page, 7 + round);
        word_is(&m, 0x3000, 2);
        assert_ptr_equal(old, m.table);
    }
    root_tell(&m, 5, 0); /* the golden model's turn: the RTL learns it with its own */
    rest(&m);
    assert_int_equal(m.sim->gpus[0].roots[5], 0x123000);
    turn(&m, SIM_RTL);
    assert_int_equal(m.sim->gpus[0].roots[5], 0);
    assert_true(m.sim->gpus[0].roots[VMID] == pagetable_root(m.table));
    launch(&m); /* the instruction cache has all of it */
    word_is(&m, 0x6000, 16);
    turn(&m, SIM_GOLDEN);
    const uint32_t other = 0x32080807; /* v_add_u32 v4, vcc, s7, v4: the high half, 0 */
    assert_int_equal(program[13], 0x32080806);
    pmem_write(m.memory, pmem_addr(1, 0x1000 + 4 * 13), &other, sizeof other);
    turn(&m, SIM_RTL);
    launch(&m);
    word_is(&m, 0x6000, 16);
    machine_close(&m);
}

/* Trap handlers are told again, and forgotten; the user sees the answer to its own command only. */
static void test_trap_handlers(void **state)
{
    struct machine m;
    struct msg_cp_cmd trap = {.kind = CP_TRAP, .vmid = VMID, .id = 9, .root = 0x7000, .pc = 0x8000};
    (void)state;
    machine_open(&m, true, SIM_RTL, 0);
    turn(&m, SIM_GOLDEN);
    sim_cmd(m.sim, 0, &trap);
    rest(&m);
    assert_int_equal(m.others, 1);
    turn(&m, SIM_RTL);
    assert_int_equal(m.sim->gpus[0].traps[VMID].handler, 0x7000);
    assert_int_equal(m.sim->gpus[0].traps[VMID].memory, 0x8000);
    trap.root = trap.pc = 0;
    sim_cmd(m.sim, 0, &trap);
    rest(&m);
    turn(&m, SIM_GOLDEN);
    assert_int_equal(m.sim->twin->gpus[0].traps[VMID].handler, 0);
    assert_int_equal(m.others, 2);
    machine_close(&m);
}

/* Timers go over, in their order; one that became due during the switch fires behind it. */
static void test_timers(void **state)
{
    struct machine m;
    (void)state;
    machine_open(&m, true, SIM_RTL, 0);
    assert_int_equal(sim_run(m.sim, 1000), SIM_STOPPED);
    const uint64_t now = sim_now(m.sim);
    sim_timer(m.sim, now + 100000, 0);
    sim_timer(m.sim, now + 100000, 1);
    sim_timer(m.sim, now + 50000, 2);
    sim_timer(m.sim, now + 10, 3);
    turn(&m, SIM_GOLDEN);
    assert_int_equal(m.timers, 0);
    const uint64_t then = sim_now(m.sim);
    assert_true(then > now + 10 && then < now + 50000);
    assert_int_equal(sim_run(m.sim, now + 60000), SIM_STOPPED);
    turn(&m, SIM_RTL);
    assert_int_equal(sim_run(m.sim, UINT64_MAX), SIM_STOPPED);
    const unsigned order[] = {3, 2, 0, 1};
    assert_int_equal(m.timers, 4);
    assert_memory_equal(m.order, order, sizeof order);
    assert_int_equal(m.fired[3], then);
    assert_int_equal(m.fired[2], now + 50000);
    assert_int_equal(m.fired[0], now + 100000);
    machine_close(&m);
}

/* The model that has the turn already: nothing happens, no cycle passes.  Beyond --max-cycles a switch has an
 * end, too, and so has the run. */
static void test_no_switch(void **state)
{
    struct machine m;
    (void)state;
    machine_open(&m, true, SIM_RTL, 0);
    sim_switch(m.sim, SIM_RTL);
    assert_int_equal(sim_now(m.sim), 0);
    turn(&m, SIM_GOLDEN);
    const uint64_t now = sim_now(m.sim);
    sim_switch(m.sim, SIM_GOLDEN);
    assert_int_equal(sim_now(m.sim), now);
    machine_close(&m);
    machine_open(&m, true, SIM_RTL, 1);
    sim_switch(m.sim, SIM_GOLDEN);
    assert_int_equal(sim_run(m.sim, UINT64_MAX), SIM_MAX_CYCLES);
    machine_close(&m);
}

static void location_find(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    unsigned *found = arg;
    (void)unit;
    found[0] += strcmp(location, "host.memory") == 0 && strcmp(name, "reads") == 0;
    found[1] += strcmp(location, "gpu0.golden") == 0 ? (unsigned)value : 0;
    found[2] += strcmp(location, "gpu0.cu0.front") == 0 || strncmp(location, "gpu0.cu0", 8) == 0;
}

/* Counters are those of both models, each once; the hash of writes sees both. */
static void test_figures(void **state)
{
    struct machine m;
    unsigned found[3] = {0};
    (void)state;
    machine_open(&m, true, SIM_RTL, 0);
    root_tell(&m, VMID, pagetable_root(m.table));
    const uint64_t nothing = sim_write_hash(m.sim);
    launch(&m);
    const uint64_t one = sim_write_hash(m.sim);
    turn(&m, SIM_GOLDEN);
    assert_true(sim_write_hash(m.sim) == one);
    launch(&m);
    assert_true(one != nothing && sim_write_hash(m.sim) != one);
    sim_counters(m.sim, location_find, found);
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], INSTRUCTIONS);
    assert_true(found[2] > 0);
    machine_close(&m);
}

struct traffic {
    uint64_t warmed, reads; /* lines read again; lines that the L2 has asked its memory for */
    unsigned told;          /* how often `warmed` was */
};

static void traffic_find(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct traffic *t = arg;
    if (strcmp(location, "gpu0.roi") == 0) {
        assert_string_equal(name, "warmed");
        assert_string_equal(unit, "count");
        t->warmed = value;
        t->told++;
    }
    if (strcmp(location, "gpu0.store") == 0 && strcmp(name, "reads") == 0)
        t->reads = value;
}

static struct traffic traffic(struct machine *m)
{
    struct traffic t = {0};
    sim_counters(m->sim, traffic_find, &t);
    return t;
}

/* With roi.warm the L2 holds what the golden kernels have left there, the last lines of it: the kernel that follows
 * reads none of them from memory. */
static void test_warm_caches(void **state)
{
    (void)state;
    uint64_t before[3], during[3], cycles[3], warmed[3];
    static const char *const settings[] = {"roi.warm=0", "roi.warm=4", "roi.warm=4096"};
    for (unsigned i = 0; i < 3; i++) {
        struct machine m;
        machine_open_with(&m, true, SIM_RTL, 0, settings[i]);
        root_tell(&m, VMID, pagetable_root(m.table));
        turn(&m, SIM_GOLDEN);
        launch(&m);
        assert_int_equal(traffic(&m).warmed, 0);
        assert_int_equal(traffic(&m).told, i > 0);
        turn(&m, SIM_RTL);
        const struct traffic t = traffic(&m);
        warmed[i] = t.warmed;
        before[i] = t.reads;
        const uint64_t begin = sim_now(m.sim);
        launch(&m);
        cycles[i] = m.last - begin;
        during[i] = traffic(&m).reads - t.reads;
        word_is(&m, 0x3000, 2);
        turn(&m, SIM_GOLDEN); /* nothing was accessed since, and nothing is read for it */
        turn(&m, SIM_RTL);
        assert_int_equal(traffic(&m).warmed, warmed[i]);
        machine_close(&m);
    }
    static const uint64_t lines[] = {0, 4, 4 * GROUPS + 3}; /* of the output, two of code, one of constants */
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(warmed[i], lines[i]);
        assert_int_equal(before[i], lines[i]); /* each is read once */
        assert_int_equal(during[i] + lines[i], during[0]);
        assert_true(i == 0 || cycles[i] < cycles[i - 1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_at_the_border),
        cmocka_unit_test(test_stores_without_a_release),
        cmocka_unit_test(test_nothing_stale),
        cmocka_unit_test(test_trap_handlers),
        cmocka_unit_test(test_timers),
        cmocka_unit_test(test_no_switch),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_warm_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
