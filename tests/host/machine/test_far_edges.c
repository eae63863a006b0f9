// SPDX-License-Identifier: Apache-2.0
// Who is asked for which physical address, on the assembled machine of eight GPUs (configuration tiny): the first and
// the last lines of every memory, of its halves and quarters, on pages whose homes take turns; what nobody owns.
// Not responsible for: what the engine does with a request (tests/rtl/rdma).
#include "trace_bench.h"

#define HOMES 9u /* the host, then GPU 0 to 7 */
#define GPU_COUNT 8u
#define FIRST_VA 0x800000u
#define EDGES 8u

struct page {
    unsigned owner;
    uint64_t offset;
};

/* Pages at the edges of a memory, two of each, none twice; the last of the GPU that runs the kernel lies below its page
 * tables. */
static uint64_t edge(const struct traced *m, unsigned owner, unsigned n)
{
    const uint64_t most = owner ? pmem_vram_bytes(m->memory) : pmem_gtt_bytes(m->memory);
    const uint64_t end = owner == m->gpu + 1 ? most - pmem_table_bytes(m->memory) : most;
    const uint64_t edges[EDGES] = {
        0, 0x1000, most / 4 - 0x1000, most / 4, most / 2 - 0x1000, most / 2, most / 2 + most / 4, end - 0x1000};
    return edges[n];
}

static uint32_t word_of(unsigned page, unsigned last)
{
    return 0x5a000000 + page * 16 + last;
}

/* What is on a page before and behind the two words of it, at its ends. */
static uint64_t place(const struct page *p, unsigned last)
{
    return pmem_addr(p->owner, p->offset + (last ? 0xffc : 0));
}

/* The CU asks the slice of the line where it is its own GPU's, else the RDMA engine; that engine sends it by the port
 * of its owner, and nothing else; only the owner's slices see it. */
static void check_who_is_asked(const struct traced *m, const struct page *pages, unsigned count)
{
    unsigned asked = 0, far = 0, sent[HOMES] = {0};
    char cu[16], rdma[16];
    snprintf(cu, sizeof cu, "gpu%u.cu0", m->gpu);
    snprintf(rdma, sizeof rdma, "gpu%u.rdma", m->gpu);
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        const uint64_t addr = n->of.req.addr;
        const unsigned owner = (unsigned)(addr >> 48);
        if (trace_at(n, cu, "mem_req", true) && n->of.req.op != MEM_XLAT) {
            const bool own = owner == m->gpu + 1;
            assert_int_equal(n->of.req.target, own ? addr >> 8 & 1 : 3);
            asked++;
            far += !own;
        } else if (trace_at(n, rdma, "far_req", true)) {
            assert_int_equal(n->lane, owner);
            sent[owner]++;
        } else if (strstr(n->part, ".l2s") && !n->out && strcmp(n->port, "mem_req") == 0) {
            assert_int_equal(n->part[3] - '0' + 1, owner);
        } else if (strstr(n->part, ".l2s") && n->out && strcmp(n->port, "dram_req") == 0) {
            assert_true(n->of.dram.addr < pmem_vram_bytes(m->memory));
        }
    }
    assert_int_equal(asked, 4 * count); /* two lines of a page, read and written */
    for (unsigned o = 0; o < HOMES; o++) {
        unsigned lines = 0;
        for (unsigned i = 0; i < count; i++)
            lines += pages[i].owner == o;
        assert_int_equal(sent[o], o == m->gpu + 1 ? 0 : 4 * lines);
        far -= sent[o];
    }
    assert_int_equal(far, 0);
}

static void run_from(unsigned gpu)
{
    struct traced *m = trace_open(GPU_COUNT, gpu, true);
    struct page pages[EDGES * HOMES];
    const unsigned count = EDGES * HOMES;
    for (unsigned i = 0; i < count; i++) { /* homes take turns */
        pages[i] = (struct page){i % HOMES, edge(m, i % HOMES, i / HOMES)};
        if (pages[i].owner == gpu + 1 && pages[i].offset == 0x8000)
            fail();
        assert_int_equal(pagetable_map(m->table, FIRST_VA + 0x1000 * i, pmem_addr(pages[i].owner, pages[i].offset),
                                       0x1000, PTE_R | PTE_W),
                         0);
        for (unsigned last = 0; last < 2; last++) {
            const uint32_t word = word_of(i, last);
            assert_int_equal(pmem_write(m->memory, place(&pages[i], last), &word, 4), 0);
        }
    }
    const struct trace_args args = {.address = FIRST_VA, .steps = count, .stride = 0x1000, .lane = 0xffc};
    assert_int_equal(trace_run(m, args, 2)->kind, CP_EVT_LAUNCH_DONE);
    check_who_is_asked(m, pages, count);
    trace_caches(m, CACHE_WB_L2);
    for (unsigned i = 0; i < count; i++)
        for (unsigned last = 0; last < 2; last++) {
            uint32_t words[2];
            pmem_read(m->memory, place(&pages[i], last) - (last ? 4 : 0), words, sizeof words);
            assert_int_equal(words[last], word_of(i, last) + 1);
            assert_int_equal(words[1 - last], 0);
        }
    trace_close(m);
}

/* shows S1.3: from the first GPU, the last and one between. */
static void test_edges_of_every_memory(void **state)
{
    (void)state;
    run_from(0);
    run_from(3);
    run_from(7);
}

/* shows S1.3: an owner that there is not: the load is a fault of that page, and nobody was asked. */
static void test_nobody_s_address(void **state)
{
    (void)state;
    struct traced *m = trace_open(GPU_COUNT, 3, true);
    assert_int_equal(pagetable_map(m->table, FIRST_VA, pmem_addr(HOMES, 0x3000), 0x1000, PTE_R | PTE_W), 0);
    const struct trace_args args = {.address = FIRST_VA, .steps = 1, .stride = 0x1000};
    const struct msg_cp_evt *evt = trace_run(m, args, 1);
    assert_int_equal(evt->kind, CP_EVT_FAULT);
    assert_int_equal(evt->status, FAULT_BUS);
    assert_true(evt->va == FIRST_VA);
    for (unsigned i = 0; i < m->noted; i++)
        assert_false(trace_at(&m->notes[i], "gpu3.rdma", "far_req", true));
    const struct msg_cp_cmd kill = {.kind = CP_KILL, .id = 50, .vmid = TRACE_VMID};
    assert_int_equal(trace_command(m, &kill)->kind, CP_EVT_KILL_DONE);
    trace_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edges_of_every_memory),
        cmocka_unit_test(test_nobody_s_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
