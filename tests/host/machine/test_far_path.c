// SPDX-License-Identifier: Apache-2.0
// Loads of another GPU's memory on the assembled machine (two GPUs, configuration tiny), message by message: the way
// there and back, a line that the home's L2 has beside one that it fetches, and what of it the asking GPU's L2 sees.
// Not responsible for: rates and credits of links (tests/rtl/rdma).
#include "trace_bench.h"

#define FAR_VA 0x400000u
#define FAR_PA 0x5000u /* in the VRAM of GPU 1 */
#define LINES 48u

static const struct trace_args every_line = {.address = FAR_VA, .steps = LINES, .stride = 64};

/* One load of the CU: its cycles, and each message on its way as a word. */
struct load {
    uint64_t addr, asked, answered;
    char way[400];
};

/* What belongs to a load of GPU 0 that nobody else's is beside: of the asking GPU its address and its answer, of the
 * home all. */
static bool of_load(const struct trace_note *n, const struct load *load, uint32_t tag)
{
    const bool request = strcmp(n->port, "mem_req") == 0 || strcmp(n->port, "far_req") == 0;
    if (n->cycle < load->asked || n->cycle > load->answered)
        return false;
    if (n->part[3] == '1')
        return true;
    if (request)
        return n->of.req.op == MEM_READ && n->of.req.addr == load->addr;
    if (strcmp(n->port, "mem_rsp") == 0 || strcmp(n->port, "far_rsp") == 0)
        return n->of.rsp.op == MEM_READ && n->of.rsp.source == 0 && n->of.rsp.tag == tag;
    return false;
}

static void way_of(const struct traced *m, struct load *load, uint32_t tag)
{
    size_t used = 0;
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (of_load(n, load, tag) && n->out) /* what leaves one partition enters the next */
            used += (size_t)snprintf(load->way + used, sizeof load->way - used, "%s%s.%s", used ? " " : "", n->part,
                                     n->port);
        assert_true(used < sizeof load->way);
    }
}

/* The loads of a launch, which has one under way at a time. */
static void loads_of(struct traced *m, struct load loads[LINES])
{
    unsigned count = 0;
    uint32_t tags[LINES];
    const struct msg_cp_evt *end = trace_run(m, every_line, 1);
    assert_int_equal(end->kind, CP_EVT_LAUNCH_DONE);
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (trace_at(n, "gpu0.cu0", "mem_req", true) && n->of.req.op == MEM_READ) {
            assert_true(count < LINES);
            tags[count] = n->of.req.tag;
            loads[count++] = (struct load){.addr = n->of.req.addr, .asked = n->cycle};
        } else if (trace_at(n, "gpu0.cu0", "mem_rsp", false) && n->of.rsp.op == MEM_READ) {
            assert_true(count > 0 && loads[count - 1].answered == 0);
            loads[count - 1].answered = n->cycle;
        }
    }
    assert_int_equal(count, LINES);
    for (unsigned i = 0; i < LINES; i++)
        way_of(m, &loads[i], tags[i]);
}

/* Requests of GPU 0's CU and of others' lines that its slices see. */
static unsigned at_own_slices(const struct traced *m)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (strncmp(n->part, "gpu0.l2s", 8) == 0 && !n->out && strcmp(n->port, "mem_req") == 0)
            seen += n->of.req.source == 0 || n->of.req.addr >> 48 != 1;
    }
    return seen;
}

#define THERE "gpu0.cu0.mem_req gpu0.noc.mem_req gpu0.rdma.far_req gpu1.rdma.mem_req gpu1.noc.mem_req "
#define BACK "gpu1.l2s%u.mem_rsp gpu1.noc.mem_rsp gpu1.rdma.far_rsp gpu0.rdma.mem_rsp gpu0.noc.mem_rsp"

/* shows S1.5: CU, crossbar, RDMA, RDMA, crossbar, slice of the line, its DRAM, and back the same way; behind an acquire
 * the same lines again, which the home's L2 has: each comes sooner than without, and DRAM is not asked.  The slices of
 * the asking GPU see nothing of it. */
static void test_way_of_far_loads(void **state)
{
    (void)state;
    struct traced *m = trace_open(2, 0, false);
    struct load miss[LINES], hit[LINES];
    char way[400];
    assert_int_equal(pagetable_map(m->table, FAR_VA, pmem_addr(2, FAR_PA), 0x1000, PTE_R), 0);
    loads_of(m, miss);
    assert_int_equal(at_own_slices(m), 0);
    trace_caches(m, CACHE_INV_L1V);
    loads_of(m, hit);
    assert_int_equal(at_own_slices(m), 0);
    for (unsigned i = 0; i < LINES; i++) {
        const unsigned slice = (FAR_PA + 64 * i) / 256 % 2;
        assert_true(miss[i].addr == pmem_addr(2, FAR_PA + 64 * i) && hit[i].addr == miss[i].addr);
        snprintf(way, sizeof way, THERE "gpu1.l2s%u.dram_req " BACK, slice, slice);
        assert_string_equal(miss[i].way, way);
        snprintf(way, sizeof way, THERE BACK, slice);
        assert_string_equal(hit[i].way, way);
        assert_true(hit[i].answered - hit[i].asked < miss[i].answered - miss[i].asked);
    }
    trace_close(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_way_of_far_loads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
