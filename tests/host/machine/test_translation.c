// SPDX-License-Identifier: Apache-2.0
// Translation on the assembled RTL machine (configuration tiny): a kernel that touches 2 MiB at 64 places takes one
// walk where they are one page, 2, 32 or 64 where they are blocks of 1 MiB, of 64 KiB or pages of 4 KiB, and writes the
// same (S3.12, sizes); an invalidation of some pages reaches the TLBs of CUs and scalar caches and takes no other
// entry; one list of eight ranges does what eight commands do, in fewer cycles, and stops a kernel once (S1.9).  Not
// responsible for: the TLBs themselves (tests/rtl/utcl2), the order of messages (tests/rtl/dispatch).
#include "kernel_bench.h"

#define BIG_VA 0x200000u
#define PAGES 512u
#define GROUPS 64u         /* where each writes at the begin of 32 KiB */
#define FIRST_PA 0x400000u /* VRAM of the output */

struct machine {
    struct config config;
    struct pmem *memory;
    struct pagetable *table;
    struct sim *sim;
    struct msg_cp_evt done;
    uint64_t walks, l1_misses;
    uint64_t at;                  /* of the last event of maintenance */
    unsigned events;              /* of maintenance */
    struct msg_cp_cmd planned[8]; /* by timers */
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct machine *m = ctx;
    (void)gpu;
    m->done = *evt;
    if (evt->kind != CP_EVT_CACHE_DONE)
        return;
    assert_int_equal(evt->status, CTL_OK);
    m->at = now;
    m->events++;
}

static void on_timer(void *ctx, uint64_t now, uint64_t cookie)
{
    struct machine *m = ctx;
    (void)now;
    sim_cmd(m->sim, 0, &m->planned[cookie]);
}

static void note_counter(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    struct machine *m = arg;
    (void)unit;
    if (strcmp(location, "gpu0.utcl2") == 0 && strcmp(name, "walks") == 0)
        m->walks = value;
    if (strstr(location, ".l1v_tlb") && strcmp(name, "miss") == 0)
        m->l1_misses += value;
}

/* As kernel_numbers, but group g writes at g << shift. */
static void machine_open(struct machine *m, uint64_t pa, unsigned shift)
{
    static const struct sim_host_ops host_ops = {.event = on_event, .timer = on_timer};
    uint32_t code[sizeof kernel_numbers / 4];
    memset(m, 0, sizeof *m);
    memcpy(code, kernel_numbers, sizeof code);
    assert_int_equal(code[2], 0x8e038802);
    code[2] += (shift - 8) << 8; /* s_lshl_b32 s3, s2, shift */
    kernel_config(&m->config, NULL);
    m->memory = kernel_memory(&m->config);
    m->table = kernel_tables(m->memory, code, sizeof code, pmem_addr(1, 0x3000), 0);
    assert_int_equal(pagetable_map(m->table, BIG_VA, pmem_addr(1, pa), PAGES * 4096ull, PTE_R | PTE_W), 0);
    const uint64_t out = BIG_VA;
    pmem_write(m->memory, pmem_addr(1, 0x2000), &out, sizeof out);
    struct sim_options options = {.model = SIM_RTL, .seed = 1};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
    struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(m->table)};
    sim_cmd(m->sim, 0, &vmid);
}

static void machine_close(struct machine *m)
{
    sim_free(m->sim);
    pagetable_free(m->table);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* What the L2 holds back goes to memory. */
static const struct msg_cp_cmd release = {.kind = CP_CACHE, .vmid = 3, .id = 8, .flags = CACHE_WB_L2};

static void command(struct machine *m, const struct msg_cp_cmd *cmd, unsigned done)
{
    sim_cmd(m->sim, 0, cmd);
    m->done = (struct msg_cp_evt){0};
    assert_int_equal(sim_run(m->sim, sim_now(m->sim) + 2000000), SIM_STOPPED);
    assert_int_equal(m->done.kind, done);
    m->walks = m->l1_misses = 0;
    sim_counters(m->sim, note_counter, m);
}

/* A work-group has all of the CU's LDS, so one runs at a time, and a page is asked for when the one before has told how
 * large its entry is. */
static struct msg_cp_cmd one_at_a_time(unsigned items)
{
    struct msg_cp_cmd cmd = kernel_launch(3, 7, items);
    cmd.lds_bytes = 65536;
    return cmd;
}

/* So many walks, those of code and arguments apart. */
static uint64_t walks_of_kernel(uint64_t pa)
{
    struct machine m;
    machine_open(&m, pa, 15);
    const struct msg_cp_cmd cmd = one_at_a_time(GROUPS * 64);
    command(&m, &cmd, CP_EVT_LAUNCH_DONE);
    assert_int_equal(m.done.data, GROUPS);
    command(&m, &release, CP_EVT_CACHE_DONE);
    for (unsigned p = 0; p < GROUPS; p++) {
        uint32_t out[64];
        pmem_read(m.memory, pmem_addr(1, pa + p * 32768), out, sizeof out);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(out[i], p * 32768 + 4 * i);
    }
    const uint64_t walks = m.walks;
    machine_close(&m);
    assert_true(walks >= 2);
    return walks - 2;
}

/* shows S3.12 */
static void test_walks_by_size(void **state)
{
    (void)state;
    assert_int_equal(walks_of_kernel(FIRST_PA), 1);
    assert_int_equal(walks_of_kernel(FIRST_PA + 0x100000), 2);
    assert_int_equal(walks_of_kernel(FIRST_PA + 0x10000), 32);
    assert_int_equal(walks_of_kernel(FIRST_PA + 0x1000), GROUPS);
}

/* Some pages move, with an invalidation of just them: arguments, which a scalar cache translates, and one of the
 * output. */
static void test_pages_that_move(void **state)
{
    (void)state;
    const uint64_t pa = FIRST_PA + 0x10000, moved = FIRST_PA + 0x400000;
    struct machine m;
    machine_open(&m, pa, 12);
    const struct msg_cp_cmd cmd = one_at_a_time(64 * 64); /* four blocks of 64 KiB */
    command(&m, &cmd, CP_EVT_LAUNCH_DONE);
    const uint64_t walks = m.walks, misses = m.l1_misses;
    assert_int_equal(walks, 2 + 4);
    command(&m, &cmd, CP_EVT_LAUNCH_DONE);
    assert_true(m.walks == walks && m.l1_misses == misses); /* all of it is known */
    command(&m, &release, CP_EVT_CACHE_DONE);

    uint32_t args[2] = {BIG_VA, 0}, zeros[16] = {0}, out[16];
    pmem_write(m.memory, pmem_addr(1, moved + 0x1000), args, sizeof args);
    args[0] = 0x666000; /* where nothing is: the old arguments */
    pmem_write(m.memory, pmem_addr(1, 0x2000), args, sizeof args);
    pmem_write(m.memory, pmem_addr(1, pa + 20 * 4096), zeros, sizeof zeros);
    assert_int_equal(pagetable_map(m.table, ARG_VA, pmem_addr(1, moved + 0x1000), 4096, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_map(m.table, BIG_VA + 20 * 4096, pmem_addr(1, moved), 4096, PTE_R | PTE_W), 0);
    struct msg_cp_cmd inv = {.kind = CP_CACHE, .vmid = 3, .id = 8, .flags = CACHE_INV_TLB | CACHE_INV_L1K};
    inv.root = ARG_VA, inv.pc = 4096;
    command(&m, &inv, CP_EVT_CACHE_DONE);
    inv.root = BIG_VA + 20 * 4096, inv.flags = CACHE_INV_TLB;
    command(&m, &inv, CP_EVT_CACHE_DONE);
    const uint64_t before = m.l1_misses;
    const struct msg_cp_cmd few = one_at_a_time(16 * 64); /* of the first block only: it has stayed */
    command(&m, &few, CP_EVT_LAUNCH_DONE);
    assert_int_equal(m.l1_misses, before);
    assert_int_equal(m.walks, walks + 1); /* the arguments */
    command(&m, &cmd, CP_EVT_LAUNCH_DONE);
    command(&m, &release, CP_EVT_CACHE_DONE);
    pmem_read(m.memory, pmem_addr(1, pa + 20 * 4096), out, sizeof out);
    assert_memory_equal(out, zeros, sizeof out);
    pmem_read(m.memory, pmem_addr(1, moved), out, sizeof out);
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(out[i], 20 * 4096 + 4 * i);
    assert_int_equal(m.walks, walks + 1 + 16); /* the block is single pages now */
    machine_close(&m);
}

/* Invalidation of eight pages from `va` on, each second one: as one command (the return value is the count), or as
 * eight. */
static unsigned of_eight(struct msg_cp_cmd cmds[8], bool list, uint64_t va)
{
    struct msg_cp_pages l = {.kind = CP_CACHE, .vmid = 3, .id = 8, .flags = CACHE_INV_TLB, .bytes = 4096, .pages = 8};
    for (unsigned n = 0; n < 8; n++) {
        l.page[n] = va + 8192 * n;
        cmds[n] = (struct msg_cp_cmd){.kind = CP_CACHE,
                                      .vmid = 3,
                                      .id = (uint16_t)(8 + n),
                                      .flags = CACHE_INV_TLB,
                                      .root = l.page[n],
                                      .pc = 4096};
    }
    if (list)
        memcpy(&cmds[0], &l, sizeof l);
    return list ? 1 : 8;
}

/* Cycles from the commands to the last event on a GPU at rest, that knows the pages; they are walked again afterwards,
 * and no other. */
static uint64_t cycles_at_rest(bool list)
{
    struct machine m;
    machine_open(&m, FIRST_PA + 0x1000, 12); /* pages of 4 KiB */
    const struct msg_cp_cmd cmd = one_at_a_time(64 * 64);
    command(&m, &cmd, CP_EVT_LAUNCH_DONE);
    const uint64_t walks = m.walks, from = sim_now(m.sim);
    const unsigned count = of_eight(m.planned, list, BIG_VA + 40 * 4096);
    for (unsigned n = 0; n < count; n++)
        sim_cmd(m.sim, 0, &m.planned[n]);
    assert_int_equal(sim_run(m.sim, from + 100000), SIM_STOPPED);
    assert_int_equal(m.events, count);
    const uint64_t took = m.at - from;
    command(&m, &cmd, CP_EVT_LAUNCH_DONE);
    assert_int_equal(m.walks, walks + 8);
    machine_close(&m);
    return took;
}

/* What is sent while a kernel runs. */
enum sent { NOTHING, ONE_PAGE, LIST, LIST_MORE, EIGHT };

/* The cycle at which a kernel of 512 groups ends when eight pages from `va` on, or the first of them, are invalidated
 * at a cycle.  Its own 2 MiB are mapped to `pa`. */
static uint64_t end_of_kernel(enum sent what, uint64_t at, uint64_t pa, uint64_t va)
{
    struct machine m;
    uint32_t out[64];
    machine_open(&m, pa, 12);
    const struct msg_cp_cmd cmd = kernel_launch(3, 7, PAGES * 64);
    sim_cmd(m.sim, 0, &cmd);
    const unsigned all = of_eight(m.planned, what == LIST || what == LIST_MORE, va);
    const unsigned count = what == NOTHING ? 0 : what == ONE_PAGE ? 1 : all;
    if (what == LIST_MORE)
        m.planned[0].flags |= CACHE_MORE;
    for (unsigned n = 0; n < count; n++)
        sim_timer(m.sim, at, n);
    assert_int_equal(sim_run(m.sim, 2000000), SIM_STOPPED);
    assert_int_equal(m.done.kind, CP_EVT_LAUNCH_DONE);
    assert_int_equal(m.events, count);
    const uint64_t end = m.done.end;
    assert_true(count == 0 || m.at < end); /* it ran all the time */
    command(&m, &release, CP_EVT_CACHE_DONE);
    for (unsigned p = 0; p < PAGES; p++) {
        pmem_read(m.memory, pmem_addr(1, pa + p * 4096), out, sizeof out);
        for (unsigned i = 0; i < 64; i++)
            assert_int_equal(out[i], p * 4096 + 4 * i);
    }
    machine_close(&m);
    return end;
}

/* shows S1.9 */
static void test_list_of_eight(void **state)
{
    (void)state;
    const uint64_t list = cycles_at_rest(true), single = cycles_at_rest(false);
    printf("eight pages at rest: %llu cycles as a list, %llu as eight commands\n", (unsigned long long)list,
           (unsigned long long)single);
    assert_true(list < single * 3 / 4);
    /* Pages of others: a kernel whose translations are known loses what one bubble costs at that moment, and nothing
     * while more is to come.  Pages of its own 2 MiB, for which it asks page by page: walks begin again for each range.
     */
    uint64_t sum[EIGHT + 1] = {0};
    const uint64_t other = BIG_VA + 0x200000, none = end_of_kernel(NOTHING, 0, FIRST_PA, other);
    for (uint64_t at = 5000; at < 6000; at += 200)
        for (enum sent what = ONE_PAGE; what <= EIGHT; what++)
            sum[what] += end_of_kernel(what, at, FIRST_PA, other) - none;
    printf("a kernel of %llu cycles ends so many later, mean of five moments: %.1f with one page, %.1f with a list of "
           "eight, "
           "%.1f where more is to come, %.1f with eight commands\n",
           (unsigned long long)none, (double)sum[ONE_PAGE] / 5, (double)sum[LIST] / 5, (double)sum[LIST_MORE] / 5,
           (double)sum[EIGHT] / 5);
    assert_int_equal(sum[LIST_MORE], 0);
    assert_true((int64_t)sum[LIST] < (int64_t)sum[EIGHT] / 5);
    const uint64_t own = BIG_VA + 40 * 4096, pages = FIRST_PA + 0x1000, plain = end_of_kernel(NOTHING, 0, pages, own);
    const uint64_t list_own = end_of_kernel(LIST, 5000, pages, own), eight_own = end_of_kernel(EIGHT, 5000, pages, own);
    printf("one of %llu cycles that waits for walks of the same 2 MiB: %llu with a list, %llu with eight commands\n",
           (unsigned long long)plain, (unsigned long long)(list_own - plain), (unsigned long long)(eight_own - plain));
    assert_true(list_own < eight_own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_of_eight),
        cmocka_unit_test(test_walks_by_size),
        cmocka_unit_test(test_pages_that_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
