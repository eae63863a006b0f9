// SPDX-License-Identifier: Apache-2.0
// Counters of far accesses on the assembled machine (two GPUs, configuration tiny): kernels read and write pages of the
// other GPU's memory, and what the host reads is what went over the link, counted here from its messages, page by page.
// Not responsible for: every state of the table (tests/rtl/rdma/rdma_counts).
#include "trace_bench.h"

#define FAR_VA 0x800000u
#define FAR_PA 0x100000u /* in the VRAM of the other GPU */
#define NEAR_VA 0x600000u
#define NEAR_PA 0x80000u
#define HOST_VA 0x400000u
#define HOST_PA 0x4000u
#define PAGES 32u /* of 4 KiB, mapped at each */
#define MOST 4095u

struct sums {
    uint64_t frame;
    uint32_t reads, writes;
};

/* Requests on the link from the engine of GPU 0 to GPU 1, since the last launch. */
static unsigned on_the_link(const struct traced *m, unsigned page_bits, struct sums sums[PAGES])
{
    unsigned pages = 0;
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (!trace_at(n, "gpu0.rdma", "far_req", true) || n->lane != 2)
            continue;
        const uint64_t frame = n->of.req.addr >> page_bits << page_bits;
        unsigned p = 0;
        while (p < pages && sums[p].frame != frame)
            p++;
        assert_true(p < PAGES);
        if (p == pages)
            sums[pages++] = (struct sums){.frame = frame};
        if (n->of.req.op == MEM_READ || n->of.req.op == MEM_READ_NC)
            sums[p].reads++;
        else
            sums[p].writes++;
    }
    return pages;
}

/* The answer of a command for counters; reports before it stay in m->events. */
static struct msg_cp_evt_counted counted(struct traced *m, unsigned action, unsigned page_bits, unsigned least)
{
    const struct msg_cp_counts view = {.kind = CP_COUNTS,
                                       .page = (uint8_t)page_bits,
                                       .id = (uint16_t)(500 + action),
                                       .action = (uint16_t)action,
                                       .least = (uint16_t)least};
    struct msg_cp_cmd cmd;
    struct msg_cp_evt_counted told;
    memcpy(&cmd, &view, sizeof cmd);
    m->count = 0;
    sim_cmd(m->sim, m->gpu, &cmd);
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_true(m->count > 0);
    memcpy(&told, &m->events[m->count - 1], sizeof told);
    assert_int_equal(told.kind, CP_EVT_COUNTED);
    assert_int_equal(told.id, 500 + action);
    assert_int_equal(told.begun, 1);
    assert_int_equal(told.lost, 0);
    return told;
}

/* The reports in events[from, to) are these sums, up to saturation, those of least or more, each once. */
static void told_are(const struct traced *m, unsigned from, unsigned to, const struct sums *sums, unsigned pages,
                     unsigned least)
{
    unsigned told = 0, due = 0;
    for (unsigned p = 0; p < pages; p++)
        due += sums[p].reads + sums[p].writes >= least;
    for (unsigned i = from; i < to; i++) {
        struct msg_cp_evt_count c;
        memcpy(&c, &m->events[i], sizeof c);
        assert_int_equal(c.kind, CP_EVT_COUNT);
        assert_true(c.entries >= 1 && c.entries <= 3);
        for (unsigned e = 0; e < c.entries; e++, told++) {
            unsigned p = 0;
            while (p < pages && sums[p].frame != c.frame[e])
                p++;
            assert_true(p < pages);
            assert_int_equal(c.reads[e], sums[p].reads < MOST ? sums[p].reads : MOST);
            assert_int_equal(c.writes[e], sums[p].writes < MOST ? sums[p].writes : MOST);
        }
    }
    assert_int_equal(told, due);
}

static struct traced *open_counting(const char *setting)
{
    struct traced *m = trace_open_with(2, 0, true, setting);
    assert_int_equal(pagetable_map(m->table, FAR_VA, pmem_addr(2, FAR_PA), PAGES * 0x1000, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_map(m->table, NEAR_VA, pmem_addr(1, NEAR_PA), PAGES * 0x1000, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_map(m->table, HOST_VA, pmem_addr(0, HOST_PA), PAGES * 0x1000, PTE_R | PTE_W), 0);
    return m;
}

/* A launch with arguments that no cache has an older state of. */
static const struct msg_cp_evt *run_with(struct traced *m, struct trace_args args, unsigned items)
{
    m->count = 0;
    trace_caches(m, CACHE_INV_L1V | CACHE_INV_L1K | CACHE_WB_L2 | CACHE_INV_L2);
    const struct msg_cp_evt *evt = trace_run(m, args, items);
    assert_int_equal(evt->kind, CP_EVT_LAUNCH_DONE);
    return evt;
}

/* Each of 64 items adds 1 to a word of `steps` pages, in pieces of a line's distance. */
static struct trace_args pages_of(uint64_t va, uint32_t steps)
{
    return (struct trace_args){.address = va, .steps = steps, .stride = 0x1000, .lane = 64};
}

/* shows S1.4, S1.7: with pages of 4 and of 64 KiB, counts by page are those of the messages on the link; own memory is
 * not counted, nor the host's, nor what the other GPU asks of this one; each phase begins at 0. */
static void test_counts_are_those_on_the_link(void **state)
{
    (void)state;
    struct sums sums[PAGES];
    for (unsigned bits = 12; bits <= 16; bits += 4) {
        struct traced *m = open_counting(NULL);
        run_with(m, pages_of(FAR_VA, 3), 64); /* off: not counted */
        counted(m, COUNTS_ON, bits, 0);
        for (unsigned phase = 0; phase < 3; phase++) {
            const unsigned pages = 5 + 4 * phase;
            run_with(m, pages_of(FAR_VA + 0x2000 * phase, pages), 64);
            const unsigned seen = on_the_link(m, bits, sums);
            assert_int_equal(seen, bits == 12 ? pages : phase == 2 ? 2 : 1);
            for (unsigned p = 0; p < seen; p++)
                assert_true(sums[p].reads >= 64 && sums[p].writes >= 64);
            run_with(m, pages_of(NEAR_VA, 9), 64); /* own: not counted */
            run_with(m, pages_of(HOST_VA, 2), 64); /* nor the host's */
            const struct msg_cp_evt_counted end = counted(m, COUNTS_READ, 0, 0);
            told_are(m, 0, m->count - 1, sums, seen, 0);
            assert_int_equal(end.entries, seen);
            assert_int_equal(end.below, 0);
            const struct msg_cp_evt_counted none = counted(m, COUNTS_READ, 0, 0);
            assert_int_equal(m->count, 1);
            assert_int_equal(none.entries + none.below, 0);
        }
        m->gpu = 1; /* it was asked, and has asked nobody */
        counted(m, COUNTS_ON, bits, 0);
        m->gpu = 0;
        run_with(m, pages_of(FAR_VA, 2), 64);
        m->gpu = 1;
        const struct msg_cp_evt_counted other = counted(m, COUNTS_READ, 0, 0);
        assert_int_equal(other.entries + other.below, 0);
        m->gpu = 0;
        trace_close(m);
    }
}

/* shows S1.4: more writes of a page than a counter can hold; a limit between two pages; off again. */
static void test_saturation_and_limit(void **state)
{
    (void)state;
    struct sums sums[PAGES], small[PAGES];
    struct traced *m = open_counting(NULL);
    counted(m, COUNTS_ON, 12, 0);
    const struct trace_args often = {.address = FAR_VA, .steps = 65, .stride = 0, .lane = 64};
    run_with(m, often, 64);
    unsigned pages = on_the_link(m, 12, sums);
    assert_int_equal(pages, 1);
    assert_int_equal(sums[0].writes, 64 * 65);
    run_with(m, pages_of(FAR_VA + 0x5000, 1), 64);
    assert_int_equal(on_the_link(m, 12, small), 1);
    const struct msg_cp_evt_counted end = counted(m, COUNTS_READ, 0, small[0].reads + small[0].writes + 1);
    told_are(m, 0, m->count - 1, sums, pages, 1);
    assert_int_equal(end.entries, 1);
    assert_int_equal(end.below, 1);
    counted(m, COUNTS_OFF, 0, 0);
    run_with(m, pages_of(FAR_VA, 3), 64);
    assert_int_equal(counted(m, COUNTS_READ, 0, 0).entries, 0);
    trace_close(m);
}

/* A page that goes to the other GPU is no access of this one. */
static void test_moves_are_no_accesses(void **state)
{
    (void)state;
    struct traced *m = open_counting(NULL);
    const struct msg_cp_move store = {.kind = CP_STORE, .slot = 2, .id = 1, .lines = 64},
                             move = {.kind = CP_MOVE,
                                     .slot = 2,
                                     .id = 1,
                                     .lines = 64,
                                     .source = NEAR_PA,
                                     .target = pmem_addr(2, FAR_PA)};
    struct msg_cp_cmd cmd;
    counted(m, COUNTS_ON, 12, 0);
    m->both = true;
    m->count = 0;
    memcpy(&cmd, &store, sizeof cmd);
    sim_cmd(m->sim, 1, &cmd);
    memcpy(&cmd, &move, sizeof cmd);
    sim_cmd(m->sim, 0, &cmd);
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m->count, 2);
    assert_int_equal(m->events[0].kind, CP_EVT_STORED);
    assert_int_equal(m->events[1].kind, CP_EVT_MOVED);
    const struct msg_cp_evt_counted end = counted(m, COUNTS_READ, 0, 0);
    assert_int_equal(end.entries + end.below, 0);
    trace_close(m);
}

/* Counting takes no time: the kernel begins and ends in the same cycles as without it. */
static void test_no_time(void **state)
{
    (void)state;
    uint64_t begin[2], end[2];
    for (unsigned on = 0; on < 2; on++) {
        struct traced *m = open_counting(NULL);
        counted(m, on ? COUNTS_ON : COUNTS_OFF, 12, 0);
        const struct trace_args args = {.address = FAR_VA, .steps = 3, .stride = 0x1000, .lane = 64, .group = 0x8000};
        const struct msg_cp_evt *evt = run_with(m, args, 128);
        begin[on] = evt->start, end[on] = evt->end;
        assert_true((counted(m, COUNTS_READ, 0, 0).entries == 0) == !on);
        trace_close(m);
    }
    printf("the kernel takes %lu cycles\n", (unsigned long)(end[0] - begin[0]));
    assert_int_equal(begin[0], begin[1]);
    assert_int_equal(end[0], end[1]);
}

/* shows S1.4: 32 pages in a table of 16: what has to leave does so while the kernel runs, and sums are those of the
 * link; that takes no more than a cycle in a hundred. */
static void test_more_pages_than_entries(void **state)
{
    (void)state;
    struct sums sums[PAGES], told[PAGES] = {{0}};
    uint64_t took[2];
    for (unsigned on = 0; on < 2; on++) {
        struct traced *m = open_counting("gpu.rdma.counters=16");
        counted(m, on ? COUNTS_ON : COUNTS_OFF, 12, 0);
        m->count = m->noted = 0;
        m->noting = true;
        trace_launch(m, (struct trace_args){FAR_VA, 8, 0x1000, 64, 0x8000}, 256);
        assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
        m->noting = false;
        const struct msg_cp_evt end = m->events[m->count - 1];
        assert_int_equal(end.kind, CP_EVT_LAUNCH_DONE);
        took[on] = end.end - end.start;
        const unsigned early = m->count - 1, pages = on_the_link(m, 12, sums);
        assert_int_equal(pages, PAGES);
        assert_true(on ? early >= 5 && early <= 40 : early == 0);
        struct msg_cp_evt events[64];
        memcpy(events, m->events, sizeof events);
        const unsigned left = counted(m, COUNTS_READ, 0, 0).entries;
        assert_int_equal(left, on ? 16 : 0);
        memcpy(events + early, m->events, (m->count - 1) * sizeof *events);
        for (unsigned i = 0; i < early + m->count - 1; i++) {
            struct msg_cp_evt_count c;
            memcpy(&c, &events[i], sizeof c);
            assert_int_equal(c.kind, CP_EVT_COUNT);
            for (unsigned e = 0; e < c.entries; e++) {
                const uint64_t page = (c.frame[e] - pmem_addr(2, FAR_PA)) >> 12;
                assert_true(page < PAGES);
                told[page].reads += c.reads[e], told[page].writes += c.writes[e];
            }
        }
        for (unsigned p = 0; p < PAGES && on; p++) {
            const uint64_t page = (sums[p].frame - pmem_addr(2, FAR_PA)) >> 12;
            assert_true(page < PAGES);
            assert_int_equal(told[page].reads, sums[p].reads);
            assert_int_equal(told[page].writes, sums[p].writes);
        }
        trace_close(m);
    }
    printf("the kernel takes %lu cycles, %lu while counters leave\n", (unsigned long)took[0], (unsigned long)took[1]);
    assert_true(took[1] <= took[0] + took[0] / 100);
}

/* Golden GPUs refuse: they have no such engine. */
static void test_golden(void **state)
{
    (void)state;
    static const struct sim_host_ops ops = {.event = trace_event};
    const struct sim_options options = {.model = SIM_GOLDEN, .seed = 1};
    struct traced *m = calloc(1, sizeof *m);
    const struct msg_cp_counts view = {.kind = CP_COUNTS, .id = 7, .action = COUNTS_READ};
    struct msg_cp_cmd cmd;
    struct msg_cp_evt_counted told;
    memcpy(&cmd, &view, sizeof cmd);
    kernel_config(&m->config, "system.gpus=2");
    m->memory = pmem_new(2, (uint64_t)m->config.cfg.gpu_vram_mib << 20, 1 << 20);
    m->sim = sim_new(&m->config.cfg, m->memory, &options, &ops, m);
    assert_non_null(m->sim);
    assert_int_equal(trace_command(m, &cmd)->kind, CP_EVT_COUNTED);
    memcpy(&told, &m->events[0], sizeof told);
    assert_true(told.begun == 0 && told.status == CTL_ERROR_NONE && told.id == 7);
    assert_int_equal(told.entries + told.below + told.lost, 0);
    sim_free(m->sim);
    pmem_free(m->memory);
    config_fini(&m->config);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_those_on_the_link), cmocka_unit_test(test_saturation_and_limit),
        cmocka_unit_test(test_moves_are_no_accesses),        cmocka_unit_test(test_no_time),
        cmocka_unit_test(test_more_pages_than_entries),      cmocka_unit_test(test_golden)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
