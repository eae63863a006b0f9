// SPDX-License-Identifier: Apache-2.0
// One answer is lost on its way, in the middle of a kernel whose other wavefronts go on for long: the report of the
// machine that waits names who waits for whom, and of the request that was lost the cycle and the address, before all
// that waits with it.
#include "trace_bench.h"

#define OUT_PAGES 16u
#define FIRST_VA 0x800000u
#define WAVES 24u

static struct traced *opened(void)
{
    struct traced *m = trace_open(1, 0, true);
    for (unsigned p = 0; p < OUT_PAGES; p++)
        assert_int_equal(pagetable_map(m->table, FIRST_VA + 0x1000 * p, pmem_addr(p % 2 ? 0 : 1, 0x20000 + 0x3000 * p),
                                       0x1000, PTE_R | PTE_W),
                         0);
    return m;
}

/* Messages of `bytes` to a partition, from one whose name begins so. */
static struct channel *channel_of(struct traced *m, const char *from, const char *to, uint32_t bytes)
{
    for (uint32_t i = 0; i < m->sim->sched.wire_count; i++) {
        struct channel *c = &m->sim->sched.wires[i]->channel;
        if (c->bytes == bytes && strcmp(channel_to(c), to) == 0 && strncmp(c->name, from, strlen(from)) == 0)
            return c;
    }
    fail_msg("no channel from %s to %s", from, to);
    return NULL;
}

/* The line that an answer is about: the request of its tag that was sent last. */
static uint64_t line_of(const struct traced *m, const char *part, const char *port, const void *answer)
{
    const bool dram = strcmp(port, "dram_req") == 0;
    uint64_t line = 0;
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (!trace_at(n, part, port, true))
            continue;
        if (dram && !n->of.dram.write && n->of.dram.tag == ((const struct msg_dram_rsp *)answer)->tag)
            line = pmem_addr(1, n->of.dram.addr);
        if (!dram && n->of.req.tag == ((const struct msg_mem_rsp *)answer)->tag)
            line = n->of.req.addr;
    }
    assert_true(line != 0);
    return line;
}

/* What the report must say of it: who has asked for it first is `asker`. */
static void want_of(const struct traced *m, const char *asker, uint64_t line, char *want, size_t room)
{
    static const char *const ops[] = {"read", "read", "store", "atomic", "translation"};
    const struct trace_note *lost = NULL;
    for (unsigned i = 0; i < m->noted; i++)
        if (trace_at(&m->notes[i], asker, "mem_req", true) && m->notes[i].of.req.addr == line)
            lost = &m->notes[i]; /* of one line it has one under way */
    assert_non_null(lost);
    snprintf(want, room, "    since cycle %llu: %s at 0x%llx\n", (unsigned long long)lost->cycle, ops[lost->of.req.op],
             (unsigned long long)line);
}

/* The n-th answer on the channel from `from` to `part`, to what that has sent on `port`, is taken away. */
static void lost_on(const char *from, const char *part, uint32_t bytes, const char *port, const char *asker, unsigned n)
{
    struct traced *m = opened();
    struct channel *c = channel_of(m, from, part, bytes);
    char want[160], begin[80], *text = NULL;
    size_t size = 0;
    const struct trace_args args = {.address = FIRST_VA, .steps = 3, .stride = 0x4000, .lane = 4, .group = 256};
    m->noting = true;
    trace_launch(m, args, WAVES * 64);
    for (uint64_t cycle = 0; c->sent < n; cycle += 8) {
        assert_true(cycle < 200000);
        assert_int_equal(sim_run(m->sim, cycle), SIM_STOPPED);
    }
    assert_false(channel_empty(c));
    want_of(m, asker, line_of(m, part, port, channel_payload(c, 0)), want, sizeof want);
    channel_drop(c, 1);
    c->sent--; /* as if nobody had ever sent it */
    FILE *saved = stderr;
    stderr = open_memstream(&text, &size);
    const enum sim_result result = sim_run(m->sim, UINT64_MAX);
    fclose(stderr);
    stderr = saved;
    assert_int_equal(result, SIM_NO_PROGRESS);
    /* who waits for the lost answer, and, first of all, since when and for what whoever asked first */
    snprintf(begin, sizeof begin, "  %s waits for ", part);
    const char *line = strstr(text, begin);
    while (line && strstr(line, port) > strchr(line, '\n'))
        line = strstr(line + 1, begin);
    snprintf(begin, sizeof begin, "  %s waits for ", asker);
    const char *first = strstr(text, begin);
    while (first && strncmp(strchr(first, '\n') + 1, want, strlen(want)) != 0)
        first = strstr(first + 1, begin);
    if (line == NULL || first == NULL)
        fail_msg("%s of %s is not told:\n%s%s", port, part, want, text);
    assert_non_null(strstr(text, "  host.cp waits for gpu0.dispatch: launch 7\n"));
    free(text);
    trace_close(m);
}

/* shows B.7: of a CU's own lines and translations, of a scalar cache's, of a page walk; of lines for a CU the read of
 * DRAM, and that of host memory over a link. */
static void test_lost_request_is_named(void **state)
{
    const uint32_t mem = sizeof(struct msg_mem_rsp);
    (void)state;
    for (unsigned n = 3; n < 60; n += 14)
        lost_on("gpu0.noc", "gpu0.cu0", mem, "mem_req", "gpu0.cu0", n);
    lost_on("gpu0.noc", "gpu0.utcl2", mem, "mem_req", "gpu0.utcl2", 4);
    lost_on("gpu0.noc", "gpu0.sqc0", mem, "mem_req", "gpu0.sqc0", 3);
    lost_on("gpu0.store", "gpu0.l2s1", sizeof(struct msg_dram_rsp), "dram_req", "gpu0.cu0", 20);
    lost_on("host.", "gpu0.rdma", mem, "far_req", "gpu0.cu0", 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lost_request_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
