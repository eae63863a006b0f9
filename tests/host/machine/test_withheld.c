// SPDX-License-Identifier: Apache-2.0
// Translations that fail and are withheld, on the assembled RTL machine (configuration tiny): stores, arguments and
// code of a kernel wait for a locked page and find it where it is afterwards; meanwhile another address space runs,
// TLBs are invalidated, the kernel's other pages are written (S1.10: an access during a lock never returns data).  What
// is denied is the fault that it is without withholding, and a kill ends what waits.  Not responsible for: who decides
// (tests/host/firmware).
#include "kernel_bench.h"

#define OUT_PA 0x8000u
#define MOVED_PA 0x40000u
#define GROUPS 19u /* write a page and 768 bytes of the next: twelve lines, a CU has 16 places for those that wait */
#define ALL_GROUPS 32u /* write both pages: 128 lines, more than a CU has places */
#define MAX 64

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table[2]; /* of spaces 3 and 4 */
    struct sim *sim;
    struct msg_cp_evt events[MAX];
    unsigned count;
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
    (void)ctx, (void)now, (void)cookie;
}

static void command(struct machine *m, const struct msg_cp_cmd *cmd)
{
    sim_cmd(m->sim, 0, cmd);
}

/* Until nothing moves. */
static void run(struct machine *m)
{
    assert_int_equal(sim_run(m->sim, sim_now(m->sim) + 1000000), SIM_STOPPED);
}

static void machine_open(struct machine *m, bool withhold)
{
    static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};
    memset(m, 0, sizeof *m);
    kernel_config(&m->config, NULL);
    m->memory = kernel_memory(&m->config);
    for (unsigned s = 0; s < 2; s++) {
        m->table[s] =
            kernel_tables(m->memory, kernel_numbers, sizeof kernel_numbers, pmem_addr(1, OUT_PA + s * 0x2000), 0);
        assert_int_equal(pagetable_map(m->table[s], OUT_VA + 0x1000, pmem_addr(1, OUT_PA + s * 0x2000 + 0x1000), 0x1000,
                                       PTE_R | PTE_W),
                         0);
    }
    const uint64_t out = OUT_VA;
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct sim_options options = {.model = SIM_RTL, .seed = 1};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
    for (unsigned s = 0; s < 2; s++) {
        const struct msg_cp_cmd vmid = {.kind = CP_VMID,
                                        .vmid = (uint8_t)(3 + s),
                                        .flags = withhold ? XLAT_WITHHOLD : 0,
                                        .root = pagetable_root(m->table[s])};
        command(m, &vmid);
    }
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    for (unsigned s = 0; s < 2; s++)
        pagetable_free(m->table[s]);
    pmem_free(m->memory);
    config_fini(&m->config);
}

static void answer(struct machine *m, uint64_t va, uint64_t bytes, bool deny)
{
    const struct msg_cp_cmd cmd = {
        .kind = CP_XLAT, .vmid = 3, .id = 40, .flags = deny ? XLAT_DENY : 0, .root = bytes ? va : 0, .pc = bytes};
    command(m, &cmd);
}

static unsigned events(const struct machine *m, unsigned kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < m->count; i++)
        n += m->events[i].kind == kind;
    return n;
}

static void assert_reports(const struct machine *m, uint64_t va, unsigned rights)
{
    assert_true(events(m, CP_EVT_XLAT) > 0);
    for (unsigned i = 0; i < m->count; i++) {
        const struct msg_cp_evt *e = &m->events[i];
        if (e->kind != CP_EVT_XLAT)
            continue;
        assert_int_equal(e->vmid, 3);
        assert_int_equal(e->status, rights);
        assert_int_equal(e->va, va);
    }
}

/* What the L2 holds back goes to memory. */
static const struct msg_cp_cmd release = {.kind = CP_CACHE, .vmid = 3, .id = 41, .flags = CACHE_WB_L2};

/* The two pages at `pa` hold what the kernel writes; those from `page` on nothing. */
static void assert_written(struct machine *m, uint64_t pa, unsigned page, unsigned pages)
{
    command(m, &release);
    run(m);
    uint32_t out[1024];
    for (unsigned p = 0; p < 2; p++) {
        pmem_read(m->memory, pmem_addr(1, pa + p * 0x1000), out, sizeof out);
        for (unsigned i = 0; i < 1024; i++) {
            const unsigned n = p * 1024 + i;
            assert_int_equal(out[i], p >= page && p < page + pages && n < GROUPS * 64 ? 4 * n : 0);
        }
    }
}

static void lock(struct machine *m, uint64_t va, bool locked)
{
    assert_int_equal(pagetable_lock(m->table[0], va, 0x1000, locked), 0);
    assert_int_equal(pagetable_locked(m->table[0], va), locked);
}

/* shows S1.10: the second page of the output is locked and moves; whatever the space does with other failures. */
static void locked_store(bool withhold)
{
    struct machine m;
    machine_open(&m, withhold);
    lock(&m, OUT_VA + 0x1000, true);
    const struct msg_cp_cmd cmd = kernel_launch(3, 7, GROUPS * 64);
    command(&m, &cmd);
    run(&m);
    assert_reports(&m, OUT_VA + 0x1000, 2);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 0);
    assert_written(&m, OUT_PA, 0, 1); /* the first page is, the second is not */

    /* nothing else waits: a kernel of another space, invalidations of all */
    m.count = 0;
    const struct msg_cp_cmd other = kernel_launch(4, 8, GROUPS * 64);
    const struct msg_cp_cmd drop = {
        .kind = CP_CACHE, .vmid = 255, .id = 9, .flags = CACHE_INV_TLB | CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I};
    command(&m, &drop);
    command(&m, &other);
    run(&m);
    assert_int_equal(events(&m, CP_EVT_CACHE_DONE), 1);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 1);
    assert_int_equal(events(&m, CP_EVT_XLAT), 0);
    assert_written(&m, OUT_PA + 0x2000, 0, 2);

    m.count = 0;
    answer(&m, OUT_VA + 0x1000, 0x1000, false); /* too early: it is withheld again */
    run(&m);
    assert_reports(&m, OUT_VA + 0x1000, 2);
    assert_int_equal(events(&m, CP_EVT_XLAT_DONE), 1);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 0);

    m.count = 0;
    assert_int_equal(pagetable_map(m.table[0], OUT_VA + 0x1000, pmem_addr(1, MOVED_PA + 0x1000), 0x1000, PTE_R | PTE_W),
                     0);
    answer(&m, OUT_VA + 0x1000, 0x1000, false);
    run(&m);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 1);
    assert_int_equal(events(&m, CP_EVT_XLAT), 0);
    assert_written(&m, OUT_PA, 0, 1);
    assert_written(&m, MOVED_PA, 1, 1);
    machine_close(&m);
}

/* shows S1.10 */
static void test_locked_store(void **state)
{
    (void)state;
    locked_store(false);
    locked_store(true);
}

/* Arguments, which a scalar cache reads, and code, which an instruction cache does. */
static void test_locked_arguments_and_code(void **state)
{
    static const struct {
        uint64_t va;
        unsigned rights;
    } cases[] = {{ARG_VA, 1}, {CODE_VA, 4}};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct machine m;
        machine_open(&m, false);
        lock(&m, cases[i].va, true);
        const struct msg_cp_cmd cmd = kernel_launch(3, 7, 8 * 64), other = kernel_launch(4, 8, GROUPS * 64);
        const struct msg_cp_cmd drop = {
            .kind = CP_CACHE, .vmid = 3, .id = 9, .flags = CACHE_INV_TLB | CACHE_INV_L1K | CACHE_INV_L1I};
        command(&m, &cmd);
        run(&m);
        assert_reports(&m, cases[i].va, cases[i].rights);
        command(&m, &drop);
        command(&m, &other);
        run(&m);
        assert_int_equal(events(&m, CP_EVT_CACHE_DONE), 1);
        assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 1);
        assert_written(&m, OUT_PA, 0, 0);
        lock(&m, cases[i].va, false);
        answer(&m, 0, 0, false);
        run(&m);
        assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 2);
        command(&m, &release);
        run(&m);
        uint32_t out[512];
        pmem_read(m.memory, pmem_addr(1, OUT_PA), out, sizeof out);
        for (unsigned n = 0; n < 512; n++)
            assert_int_equal(out[n], 4 * n);
        machine_close(&m);
    }
}

/* The fault of a page that is not there, and the kill behind it. */
static struct msg_cp_evt fault_of(bool withhold)
{
    struct machine m;
    machine_open(&m, withhold);
    assert_int_equal(pagetable_unmap(m.table[0], OUT_VA, 0x1000), 0);
    const struct msg_cp_cmd cmd = kernel_launch(3, 7, 64);
    command(&m, &cmd);
    run(&m);
    assert_int_equal(events(&m, CP_EVT_XLAT), withhold);
    if (withhold) {
        assert_reports(&m, OUT_VA, 2);
        assert_int_equal(events(&m, CP_EVT_FAULT), 0);
        answer(&m, OUT_VA, 0x1000, true);
        run(&m);
    }
    assert_int_equal(events(&m, CP_EVT_FAULT), 1);
    struct msg_cp_evt fault = {0};
    for (unsigned i = 0; i < m.count; i++)
        if (m.events[i].kind == CP_EVT_FAULT)
            fault = m.events[i];
    machine_close(&m);
    return fault;
}

static void test_denied(void **state)
{
    (void)state;
    const struct msg_cp_evt at_once = fault_of(false), later = fault_of(true);
    assert_int_equal(at_once.status, FAULT_NOT_PRESENT);
    assert_int_equal(at_once.va, OUT_VA);
    assert_memory_equal(&at_once, &later, sizeof later);
}

/* A kill answers what is withheld; the space withholds again afterwards. */
static void test_killed(void **state)
{
    (void)state;
    struct machine m;
    machine_open(&m, true);
    lock(&m, OUT_VA + 0x1000, true);
    const struct msg_cp_cmd cmd = kernel_launch(3, 7, GROUPS * 64), kill = {.kind = CP_KILL, .vmid = 3, .id = 9};
    command(&m, &cmd);
    run(&m);
    assert_reports(&m, OUT_VA + 0x1000, 2);
    m.count = 0;
    command(&m, &kill);
    run(&m);
    assert_int_equal(m.count, 1); /* no fault, no end of the launch */
    assert_int_equal(m.events[0].kind, CP_EVT_KILL_DONE);
    assert_int_equal(m.events[0].status, CTL_OK);
    m.count = 0;
    command(&m, &cmd);
    run(&m);
    assert_reports(&m, OUT_VA + 0x1000, 2);
    lock(&m, OUT_VA + 0x1000, false);
    answer(&m, OUT_VA + 0x1000, 0x1000, false);
    run(&m);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 1);
    assert_written(&m, OUT_PA, 0, 2);
    machine_close(&m);
}

/* shows S1.10: a killed process stands in the CU behind accesses of another one that wait for pages that move.  The
 * kill ends when they do, so what answers them must pass it. */
static void test_killed_behind_another(void **state)
{
    (void)state;
    struct machine m;
    machine_open(&m, false);
    lock(&m, OUT_VA, true);
    lock(&m, OUT_VA + 0x1000, true);
    const struct msg_cp_cmd waits = kernel_launch(3, 7, ALL_GROUPS * 64), behind = kernel_launch(4, 8, GROUPS * 64);
    const struct msg_cp_cmd kill = {.kind = CP_KILL, .vmid = 4, .id = 9};
    command(&m, &waits);
    run(&m);
    command(&m, &behind);
    run(&m);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 0); /* both stand */
    m.count = 0;
    command(&m, &kill);
    run(&m);
    assert_int_equal(m.count, 0);
    lock(&m, OUT_VA, false);
    lock(&m, OUT_VA + 0x1000, false);
    answer(&m, 0, 0, false);
    run(&m);
    assert_int_equal(events(&m, CP_EVT_XLAT_DONE), 1);
    assert_int_equal(events(&m, CP_EVT_KILL_DONE), 1);
    assert_int_equal(events(&m, CP_EVT_LAUNCH_DONE), 1); /* of the process that lives */
    assert_int_equal(events(&m, CP_EVT_FAULT), 0);
    command(&m, &release);
    run(&m);
    uint32_t out[2048];
    pmem_read(m.memory, pmem_addr(1, OUT_PA), out, sizeof out);
    for (unsigned n = 0; n < 2048; n++)
        assert_int_equal(out[n], 4 * n);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locked_store),
        cmocka_unit_test(test_locked_arguments_and_code),
        cmocka_unit_test(test_denied),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_killed_behind_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
