// SPDX-License-Identifier: Apache-2.0
// Two models with turns (sim_switch) of two GPUs, the RTL of which are toys: the lines that golden GPUs have accessed
// in the VRAM of each are read again there (warm_caches.h), by whichever GPU they were accessed; whether all is quiet
// is said of the model whose turn it is.  With one GPU and real RTL: test_model_switch.c.
#include "toy_machine.h"

#include "vm/pagetable.h"

#define CODE_VA 0x10000u
#define OUT_VA 0x30000u

/* v1 = 64 * lane; [OUT_VA + 2048 + v1] = v0, 16 lanes of it */
static const uint32_t stores[] = {
    0x24020086,             /* v_lshlrev_b32 v1, 6, v0 */
    0x320202ff, 0x00030800, /* v_add_u32 v1, vcc, 0x30800, v1 */
    0x7e040280,             /* v_mov_b32 v2, 0 */
    0xbefe00ff, 0x0000ffff, /* s_mov_b32 exec_lo, 0xffff */
    0xbeff0080,             /* s_mov_b32 exec_hi, 0 */
    0xdc500000, 0x04000001, /* flat_load_dword v4, v[1:2] */
    0xbf8c0070,             /* s_waitcnt vmcnt(0) & lgkmcnt(0) */
    0xbf810000,             /* s_endpgm */
};

struct found {
    uint64_t warmed[2], reads[2];
    unsigned told;
};

static void find(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct found *f = arg;
    (void)unit;
    for (unsigned g = 0; g < 2; g++) {
        char place[2][20];
        snprintf(place[0], 20, "gpu%u.roi", g);
        snprintf(place[1], 20, "gpu%u.store", g);
        if (strcmp(location, place[0]) == 0 && strcmp(name, "warmed") == 0) {
            f->warmed[g] = value;
            f->told++;
        }
        if (strcmp(location, place[1]) == 0 && strcmp(name, "reads") == 0)
            f->reads[g] = value;
    }
}

static struct found found(struct toy_machine *m)
{
    struct found f = {0};
    sim_counters(m->sim, find, &f);
    return f;
}

/* A kernel of `gpu` on the golden model: its code lies in its own VRAM, what it reads in that of the other. */
static void golden_kernel(struct toy_machine *m, unsigned gpu)
{
    struct pagetable *table = pagetable_new(m->memory, gpu);
    assert_non_null(table);
    assert_int_equal(pagetable_map(table, CODE_VA, pmem_addr(gpu + 1, 0x1000), 0x1000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, OUT_VA, pmem_addr(2 - gpu, 0x3000), 0x1000, PTE_R | PTE_W), 0);
    pmem_write(m->memory, pmem_addr(gpu + 1, 0x1000), stores, sizeof stores);
    const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(table)},
                            launch = {.kind = CP_LAUNCH,
                                      .vmid = 3,
                                      .id = 7,
                                      .pc = CODE_VA,
                                      .group = {64, 1, 1},
                                      .waves = 1,
                                      .grid = {64, 1, 1},
                                      .groups = {1, 1, 1},
                                      .recip_x = (1 << 20) / 64,
                                      .recip_y = 1 << 20,
                                      .vgprs = 8,
                                      .sgprs = 16,
                                      .cu_mask = UINT64_MAX};
    sim_cmd(m->sim, gpu, &vmid);
    assert_false(sim_quiet(m->sim));
    sim_cmd(m->sim, gpu, &launch);
    toy_run(m);
    assert_true(sim_quiet(m->sim) && sim_settled(m->sim));
    assert_int_equal(m->events[m->event_count - 1].evt.kind, CP_EVT_LAUNCH_DONE);
    pagetable_free(table);
}

static void test_each_memory(void **state)
{
    struct toy_machine m;
    (void)state;
    toy_open(&m, 2, "roi.warm=4096", (struct sim_options){.seed = 1, .both = true});
    for (unsigned gpu = 0; gpu < 2; gpu++) {
        sim_switch(m.sim, SIM_GOLDEN);
        const struct found before = found(&m);
        golden_kernel(&m, gpu);
        sim_switch(m.sim, SIM_RTL);
        const struct found after = found(&m);
        assert_int_equal(after.told, 2);
        /* a line of code here, one a lane there */
        for (unsigned g = 0; g < 2; g++) {
            assert_int_equal(after.warmed[g] - before.warmed[g], g == gpu ? 1 : 16);
            assert_int_equal(after.reads[g] - before.reads[g], g == gpu ? 1 : 16);
        }
    }
    toy_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
