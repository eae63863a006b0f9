// SPDX-License-Identifier: Apache-2.0
// Which blocks of a GPU share a control agent (docs/reference/control.md, "What each component does"), seen from the
// messages of every partition of the assembled machine while a kernel loads and stores own and host memory: who hears a
// signal, what is silent behind a pause, what is finished behind a drain.  The vector L1 cache obeys the agent of its
// compute unit, DRAM that of its slice.
#include "trace_bench.h"

#define OUT_PAGES 16u
#define GROUPS_RUN 24u /* of 64 lanes, 16 to a page */
#define STEPS 3u
#define FIRST_VA 0x800000u
#define HELD 9000u /* cycles: longer than the longest drain, of a unit whose wavefronts all have lines to come */

/* Of each kind: its group, what it sends of its own accord, and which of these are answered to it. */
static const struct kind {
    const char *name;
    uint8_t group;
    unsigned count;
    const char *sends[5], *answered[3][2];
} kinds[] = {
    {"sqc", CTL_GROUP_SQC, 1, {"mem_req", "ifetch_rsp", "smem_rsp"}, {{"mem_req", "mem_rsp"}}},
    {"utcl2", CTL_GROUP_UTCL2, 1, {"mem_req", "mem_rsp", "xlat_evt"}, {{"mem_req", "mem_rsp"}}},
    {"rdma",
     CTL_GROUP_RDMA,
     1,
     {"mem_req", "mem_rsp", "far_req", "far_rsp"},
     {{"mem_req", "mem_rsp"}, {"far_req", "far_rsp"}}},
    {"noc", CTL_GROUP_NOC, 1, {"mem_req", "mem_rsp"}, {{NULL}}},
    {"l2s", CTL_GROUP_L2, 2, {"mem_rsp", "dram_req"}, {{"dram_req", "dram_rsp"}}}, /* DRAM is behind dram_req */
    {"cu",
     CTL_GROUP_CU,
     1,
     {"ifetch_req", "smem_req", "mem_req"}, /* the L1V sends mem_req */
     {{"ifetch_req", "ifetch_rsp"}, {"smem_req", "smem_rsp"}, {"mem_req", "mem_rsp"}}},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static const struct kind *kind_of(const char *part)
{
    for (unsigned k = 0; k < KINDS; k++)
        if (strncmp(part + strlen("gpu0."), kinds[k].name, strlen(kinds[k].name)) == 0)
            return &kinds[k];
    return NULL;
}

static bool sends(const struct kind *kind, const char *port)
{
    for (unsigned i = 0; i < 5 && kind->sends[i]; i++)
        if (strcmp(kind->sends[i], port) == 0)
            return true;
    return false;
}

static uint64_t offset_of(unsigned page)
{
    return 0x20000 + (uint64_t)page * 0x3000; /* nothing is adjacent: a translation for each */
}

static struct traced *opened(void)
{
    struct traced *m = trace_open(1, 0, true);
    for (unsigned p = 0; p < OUT_PAGES; p++)
        assert_int_equal(pagetable_map(m->table, FIRST_VA + 0x1000 * p, pmem_addr(p % 2 ? 0 : 1, offset_of(p)), 0x1000,
                                       PTE_R | PTE_W),
                         0);
    return m;
}

/* The kernel, with a signal at a cycle and a continue later; from 0: neither. */
static uint64_t run(struct traced *m, uint8_t groups, uint8_t signal, uint64_t at)
{
    const struct trace_args args = {.address = FIRST_VA, .steps = STEPS, .stride = 0x4000, .lane = 4, .group = 256};
    m->noting = true;
    trace_launch(m, args, GROUPS_RUN * 64);
    m->plan[0].groups = m->plan[1].groups = groups;
    m->plan[0].signals = signal, m->plan[1].signals = CTL_CONTINUE;
    for (unsigned n = 0; n < 2 && at; n++)
        sim_timer(m->sim, at + n * HELD, n);
    assert_int_equal(sim_run(m->sim, 1000000), SIM_STOPPED);
    m->noting = false;
    uint64_t end = 0;
    for (unsigned i = 0; i < m->count; i++) {
        assert_true(m->events[i].kind == CP_EVT_LAUNCH_DONE || m->events[i].status == CTL_OK);
        end = m->events[i].kind == CP_EVT_LAUNCH_DONE ? m->events[i].end : end;
    }
    assert_int_equal(m->count, at ? 3 : 1);
    assert_true(end > 0);
    trace_caches(m, CACHE_WB_L2);
    for (unsigned p = 0; p < OUT_PAGES; p++)
        for (unsigned i = 0; i < 1024; i++) {
            uint32_t word;
            pmem_read(m->memory, pmem_addr(p % 2 ? 0 : 1, offset_of(p) + 4 * i), &word, 4);
            const unsigned in_step = p % 4 * 1024 + i;
            assert_int_equal(word, p / 4 < STEPS && in_step < GROUPS_RUN * 64);
        }
    return end;
}

static uint64_t plain_end(void)
{
    struct traced *m = opened();
    const uint64_t end = run(m, 0, 0, 0);
    trace_close(m);
    return end;
}

/* Of a partition and a signal: the cycle of the message, or of its answer; 0: it has not heard it.  It hears each once
 * and answers each once. */
static uint64_t heard(const struct traced *m, const char *part, uint8_t signal, bool answer)
{
    uint64_t found = 0, answered = 0;
    unsigned messages = 0, answers = 0;
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (trace_at(n, part, "ctl_cmd", false) && n->of.cmd.op == CTL_SIGNAL) {
            messages++;
            if (n->of.cmd.signals == signal) {
                assert_int_equal(found, 0);
                found = n->cycle;
            }
        } else if (trace_at(n, part, "ctl_evt", true) && n->of.evt.op == CTL_SIGNAL) {
            answers++;
            if (found && !answered)
                answered = n->cycle;
        }
    }
    assert_int_equal(answers, messages);
    return answer ? answered : found;
}

struct seen {
    unsigned into;       /* messages that came to a paused partition */
    unsigned unanswered; /* of its requests, when it was told to drain */
};

/* Messages of a partition on a port until a cycle. */
static unsigned passed(const struct traced *m, const char *part, const char *port, bool out, uint64_t until)
{
    unsigned count = 0;
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (n->cycle <= until && trace_at(n, part, port, out)) /* writes to DRAM and data of scalar stores have none */
            count += strcmp(port, "dram_req") != 0 || !n->of.dram.write;
    }
    return count;
}

/* One partition of the group that was told. */
static void check_part(const struct traced *m, const char *part, const struct kind *kind, uint8_t signal,
                       struct seen *seen)
{
    const uint64_t told = heard(m, part, signal, false), paused = heard(m, part, signal, true);
    const uint64_t on = heard(m, part, CTL_CONTINUE, false);
    if (!(told > 0 && paused >= told && on >= told + HELD - 200))
        fail_msg("%s: told at cycle %llu, paused at %llu, on at %llu", part, (unsigned long long)told,
                 (unsigned long long)paused, (unsigned long long)on);
    if (paused > on)
        fail_msg("%s: no answer while it is held", part);
    for (unsigned i = 0; i < m->noted; i++) {
        const struct trace_note *n = &m->notes[i];
        if (n->cycle <= paused || n->cycle > on || strcmp(n->part, part) != 0)
            continue;
        if (n->out && sends(kind, n->port) && !(strcmp(n->port, "smem_req") == 0 && n->cycle <= paused + 16))
            fail_msg("%s: %s at cycle %llu, paused at %llu", part, n->port, (unsigned long long)n->cycle,
                     (unsigned long long)paused);
        seen->into += !n->out;
    }
    for (unsigned i = 0; i < 3 && kind->answered[i][0]; i++) {
        const char *ask = kind->answered[i][0], *answer = kind->answered[i][1];
        seen->unanswered += passed(m, part, ask, true, told) - passed(m, part, answer, false, told);
        if (signal == CTL_DRAIN)
            assert_int_equal(passed(m, part, ask, true, paused), passed(m, part, answer, false, paused));
    }
}

static struct seen check(uint8_t groups, uint8_t signal, uint64_t at)
{
    struct traced *m = opened();
    struct seen seen = {0};
    unsigned count = 0, all = 0;
    run(m, groups, signal, at);
    for (uint32_t i = 0; i < m->sim->sched.count; i++) {
        const char *part = part_name(m->sim->sched.parts[i]);
        const struct kind *kind = trace_is_rtl(m->sim->sched.parts[i]) ? kind_of(part) : NULL;
        if (kind && (kind->group & groups)) {
            check_part(m, part, kind, signal, &seen);
            count++;
        } else {
            assert_int_equal(heard(m, part, signal, false), 0);
        }
    }
    for (unsigned k = 0; k < KINDS; k++)
        all += kinds[k].group & groups ? kinds[k].count : 0;
    assert_int_equal(count, all);
    trace_close(m);
    return seen;
}

/* shows S1.17: each group by itself at several cycles of the kernel; something came to it while it was paused, so that
 * its silence was the agent's doing, and some drain had to wait for an answer: of the L1V, of DRAM. */
static void test_blocks_obey_their_agent(void **state)
{
    (void)state;
    const uint64_t end = plain_end();
    for (unsigned k = 0; k < KINDS; k++) {
        struct seen seen[2] = {{0}, {0}};
        for (unsigned n = 0; n < 3; n++)
            for (unsigned s = 0; s < 2; s++) {
                const struct seen one = check(kinds[k].group, s ? CTL_DRAIN : CTL_PAUSE, 300 + n * (end - 300) / 3);
                seen[s].into += one.into;
                seen[s].unanswered += one.unanswered;
            }
        assert_true(seen[0].into > 0);
        assert_true(kinds[k].answered[0][0] == NULL || seen[1].unanswered > 0);
    }
}

/* shows S1.17: a signal to all is heard by each of them, and by nobody twice. */
static void test_each_has_one(void **state)
{
    (void)state;
    check(CTL_GROUP_SQC | CTL_GROUP_UTCL2 | CTL_GROUP_RDMA | CTL_GROUP_NOC | CTL_GROUP_L2 | CTL_GROUP_CU, CTL_PAUSE,
          1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks_obey_their_agent),
        cmocka_unit_test(test_each_has_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
