// SPDX-License-Identifier: Apache-2.0
// Pages move between two real GPUs (configuration tiny) by the commands of the host: one page, a block of 64 KiB, four
// each way at once, beside a kernel; what was stored a moment ago moves as well; both GPUs tell of each page, with its
// flags and one checksum; how long it takes.
#include "kernel_bench.h"

#define PAGES 16

struct page {
    unsigned from, slot, lines;
    uint64_t source, target; // byte offsets in the memories of the two GPUs
    uint16_t flags;
    struct msg_cp_evt_move moved, stored; // as told; kind 0: not yet
};

struct moving {
    struct config config;
    struct pmem *memory;
    struct sim *sim;
    struct page page[PAGES];
    unsigned pages, answers;
    uint64_t ended;
};

static void on_event(void *ctx, unsigned gpu, uint64_t now, const struct msg_cp_evt *evt)
{
    struct moving *m = ctx;
    if (evt->kind == CP_EVT_LAUNCH_DONE)
        m->ended = now;
    if (evt->kind != CP_EVT_MOVED && evt->kind != CP_EVT_STORED)
        return;
    assert_true(evt->id < m->pages);
    struct page *p = &m->page[evt->id];
    struct msg_cp_evt_move *at = evt->kind == CP_EVT_MOVED ? &p->moved : &p->stored;
    assert_int_equal(at->kind, 0); // each is told once
    assert_int_equal(gpu, evt->kind == CP_EVT_MOVED ? p->from : 1 - p->from);
    memcpy(at, evt, sizeof *at);
    if (evt->kind == CP_EVT_STORED &&
        evt->status == MOVE_OK) // in DRAM by now: what the contents of the machine say in this cycle
        for (unsigned n = 0; n < p->lines; n++) {
            uint64_t there[8], here[8];
            pmem_read(m->memory, pmem_addr(1 + p->from, p->source + 64 * n), here, 64);
            pmem_read(m->memory, pmem_addr(2 - p->from, p->target + 64 * n), there, 64);
            assert_memory_equal(here, there, 64);
        }
}

static void on_answer(void *ctx, uint64_t now, uint64_t cookie, const struct msg_mem_rsp *rsp)
{
    (void)now, (void)cookie;
    assert_int_equal(rsp->status, MEM_OK);
    ((struct moving *)ctx)->answers++;
}

static const struct sim_host_ops host_ops = {.event = on_event, .answer = on_answer};

static void open_moving(struct moving *m, const char *setting)
{
    memset(m, 0, sizeof *m);
    config_init(&m->config);
    assert_int_equal(config_load(&m->config, "tiny"), STATUS_OK);
    assert_int_equal(config_set(&m->config, "test", "system.gpus=2"), STATUS_OK);
    if (setting)
        assert_int_equal(config_set(&m->config, "test", setting), STATUS_OK);
    assert_int_equal(config_finish(&m->config), STATUS_OK);
    m->memory = pmem_new(2, (uint64_t)m->config.cfg.gpu_vram_mib << 20, 1 << 20);
    assert_non_null(m->memory);
    struct sim_options options = {.model = SIM_RTL, .seed = 1};
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &host_ops, m);
    assert_non_null(m->sim);
}

static void close_moving(struct moving *m)
{
    sim_free(m->sim);
    pmem_free(m->memory);
    config_fini(&m->config);
}

/* Contents of its own, and a page to be moved. */
static void page_add(struct moving *m, unsigned from, unsigned slot, unsigned lines, uint64_t source, uint64_t target)
{
    struct page *p = &m->page[m->pages];
    *p = (struct page){.from = from,
                       .slot = slot,
                       .lines = lines,
                       .source = source,
                       .target = target,
                       .flags = (uint16_t)(0x207 + m->pages)};
    for (unsigned n = 0; n < 8 * lines; n++) {
        const uint64_t word = (n + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)m->pages << 56;
        pmem_write(m->memory, pmem_addr(1 + from, source + 8 * n), &word, 8);
    }
    m->pages++;
}

static void page_send(struct moving *m, unsigned n, bool store_first)
{
    const struct page *p = &m->page[n];
    const struct msg_cp_move store = {
        .kind = CP_STORE, .slot = (uint8_t)p->slot, .id = (uint16_t)n, .lines = (uint16_t)p->lines};
    struct msg_cp_move move = store;
    struct msg_cp_cmd cmd;
    move.kind = CP_MOVE, move.flags = p->flags, move.source = p->source,
    move.target = pmem_addr(2 - p->from, p->target);
    for (unsigned k = 0; k < 2; k++) {
        memcpy(&cmd, (k == 0) == store_first ? &store : &move, sizeof cmd);
        sim_cmd(m->sim, cmd.kind == CP_STORE ? 1 - p->from : p->from, &cmd);
    }
}

static void assert_moved(const struct moving *m)
{
    for (unsigned n = 0; n < m->pages; n++) {
        const struct page *p = &m->page[n];
        assert_int_equal(p->moved.kind, CP_EVT_MOVED);
        assert_int_equal(p->stored.kind, CP_EVT_STORED);
        assert_int_equal(p->moved.checksum, p->stored.checksum);
        assert_true(p->moved.checksum != 0);
        assert_int_equal(p->moved.begun + p->stored.begun, 2);
        assert_int_equal(p->moved.status | p->stored.status, MOVE_OK);
        assert_int_equal(p->moved.lines, p->lines);
        assert_int_equal(p->stored.lines, p->lines);
        assert_int_equal(p->moved.flags, p->flags);
        assert_int_equal(p->stored.flags, p->flags);
        assert_int_equal(p->moved.slot, p->slot);
        assert_true(p->moved.start <= p->stored.start && p->stored.end <= p->moved.end); // there and back
    }
}

/* shows S1.12, S1.13: 4 KiB and 64 KiB, either command first; a line that a store has just changed moves as it is. */
static void test_one(void **state)
{
    (void)state;
    for (unsigned lines = 64; lines <= 1024; lines *= 16) {
        struct moving m;
        open_moving(&m, NULL);
        page_add(&m, lines == 64, 5, lines, 0x20000, 0x50000);
        const uint64_t word = UINT64_C(0x1234567890abcdef);
        const struct msg_mem_req req = {
            .op = MEM_WRITE, .addr = pmem_addr(1 + m.page[0].from, 0x20000 + 64 * 3), .mask = 0xff, .data = {word}};
        sim_access(m.sim, &req, false, 0);
        assert_int_equal(sim_run(m.sim, 100000), SIM_STOPPED);
        assert_int_equal(m.answers, 1);
        const uint64_t begin = sim_now(m.sim);
        page_send(&m, 0, lines == 64);
        assert_int_equal(sim_run(m.sim, begin + 100000), SIM_STOPPED);
        assert_moved(&m);
        uint64_t found;
        pmem_read(m.memory, pmem_addr(2 - m.page[0].from, 0x50000 + 64 * 3), &found, 8);
        assert_int_equal(found, word);
        const uint64_t cycles = m.page[0].moved.end - begin;
        printf("%u lines in %lu cycles\n", lines, (unsigned long)cycles);
        assert_true(cycles < (lines == 64 ? 2500u : 13000u)); // as few slices and DRAM channels as tiny has
        close_moving(&m);
    }
}

/* shows S1.12: four leave each GPU at once; also over a link of a byte a cycle, on which each line takes 80 cycles. */
static void test_many(void **state)
{
    (void)state;
    static const char *const settings[] = {NULL, "link.gpu_bytes_per_cycle=1"};
    for (unsigned s = 0; s < 2; s++) {
        struct moving m;
        open_moving(&m, settings[s]);
        for (unsigned n = 0; n < 8; n++)
            page_add(&m, n % 2, n, n == 6 ? 1024 : n == 7 ? 1 : 64, 0x20000 + 0x10000 * n, 0x200000 + 0x10000 * n);
        for (unsigned n = 0; n < 8; n++)
            page_send(&m, n, n % 3 == 0);
        assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
        assert_moved(&m);
        close_moving(&m);
    }
}

/* A kernel of the GPU that the pages leave has its data, and ends little later where the engine has few lines read
 * ahead: each stands in the queue of a slice before the kernel's. */
static void test_beside_a_kernel(void **state)
{
    (void)state;
    uint64_t ends[2];
    for (unsigned moves = 0; moves < 2; moves++) {
        struct moving m;
        open_moving(&m, "gpu.rdma.move_lines=8");
        struct pagetable *table =
            kernel_tables(m.memory, kernel_numbers, sizeof kernel_numbers, pmem_addr(0, 0x3000), 0);
        const uint64_t out = OUT_VA;
        pmem_write(m.memory, pmem_addr(1, 0x2000), &out, sizeof out);
        const struct msg_cp_cmd vmid = {.kind = CP_VMID, .vmid = 3, .root = pagetable_root(table)},
                                cmd = kernel_launch(3, 77, 380);
        for (unsigned n = 0; n < 4; n++)
            page_add(&m, 0, n, 1024, 0x100000 + 0x10000 * n, 0x200000 + 0x10000 * n);
        for (unsigned n = 0; n < 4 && moves; n++)
            page_send(&m, n, true);
        sim_cmd(m.sim, 0, &vmid);
        sim_cmd(m.sim, 0, &cmd);
        assert_int_equal(sim_run(m.sim, 1000000), SIM_STOPPED);
        uint32_t found[380];
        pmem_read(m.memory, pmem_addr(0, 0x3000), found, sizeof found);
        for (unsigned i = 0; i < 380; i++)
            assert_int_equal(found[i], 4 * i);
        if (moves)
            assert_moved(&m);
        ends[moves] = m.ended;
        pagetable_free(table);
        close_moving(&m);
    }
    printf("the kernel ends in cycle %lu alone, %lu beside pages\n", (unsigned long)ends[0], (unsigned long)ends[1]);
    assert_true(ends[1] >= ends[0] && ends[1] < ends[0] + ends[0] / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_beside_a_kernel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
