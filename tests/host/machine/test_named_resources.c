// SPDX-License-Identifier: Apache-2.0
// A dispatcher that names what another wavefront has, on the assembled machine: the message to the compute unit is
// changed on its way, in one field; the unit, which allocates nothing, refuses it by an assertion that names the rule.
#include <sys/wait.h>
#include <unistd.h>

#include "trace_bench.h"

#define PAGES 4u
#define FIRST_VA 0x800000u
#define WAVES 12u
#define CHANGED 7u /* of the wavefronts: six are there */

/* The seventh start, and one before it on the same SIMD. */
typedef void (*change_fn)(struct msg_cu_cmd *next, const struct msg_cu_cmd *before);

static void to_its_vgprs(struct msg_cu_cmd *next, const struct msg_cu_cmd *before)
{
    next->vgpr_base = (uint16_t)(before->vgpr_base + before->vgprs - 4);
}
static void to_its_sgprs(struct msg_cu_cmd *next, const struct msg_cu_cmd *before)
{
    next->sgpr_base = before->sgpr_base;
}
static void to_its_lds(struct msg_cu_cmd *next, const struct msg_cu_cmd *before)
{
    next->lds_base = before->lds_base;
}
static void to_its_slot(struct msg_cu_cmd *next, const struct msg_cu_cmd *before)
{
    next->wave = before->wave;
}
static void beyond_the_file(struct msg_cu_cmd *next, const struct msg_cu_cmd *before)
{
    (void)before;
    next->vgpr_base = 252;
}
static void nothing(struct msg_cu_cmd *next, const struct msg_cu_cmd *before)
{
    (void)next, (void)before;
}

static struct channel *starts_of(struct traced *m)
{
    for (uint32_t i = 0; i < m->sim->sched.wire_count; i++) {
        struct channel *c = &m->sim->sched.wires[i]->channel;
        if (c->bytes == sizeof(struct msg_cu_cmd) && strcmp(c->name, "gpu0.dispatch -> gpu0.cu0") == 0)
            return c;
    }
    return NULL;
}

/* In a process of its own. */
static void run(change_fn change)
{
    struct traced *m = trace_open(1, 0, true);
    struct msg_cu_cmd before[4] = {0}; /* by SIMD */
    struct channel *c = starts_of(m);
    uint64_t seen = 0;
    for (unsigned p = 0; p < PAGES; p++)
        assert_int_equal(
            pagetable_map(m->table, FIRST_VA + 0x1000 * p, pmem_addr(1, 0x20000 + 0x3000 * p), 0x1000, PTE_R | PTE_W),
            0);
    const struct trace_args args = {.address = FIRST_VA, .steps = 4, .stride = 0x1000, .lane = 4, .group = 256};
    struct msg_cp_cmd cmd = kernel_launch(TRACE_VMID, 7, WAVES * 64);
    cmd.lds_bytes = 512;
    pmem_write(m->memory, pmem_addr(1, 0x9000), &args, sizeof args);
    sim_cmd(m->sim, 0, &cmd);
    for (uint64_t cycle = 0; seen < CHANGED; cycle += 8) {
        assert_true(cycle < 100000);
        assert_int_equal(sim_run(m->sim, cycle), SIM_STOPPED);
        for (size_t n = 0; n < channel_count(c); n++) {
            if (c->sent - channel_count(c) + n < seen) /* looked at before */
                continue;
            struct msg_cu_cmd *start = (struct msg_cu_cmd *)(uintptr_t)channel_payload(c, n);
            assert_int_equal(start->kind, CU_WAVE);
            if (++seen == CHANGED)
                change(start, &before[start->wave >> 4]);
            before[start->wave >> 4] = *start;
        }
    }
    assert_int_equal(sim_run(m->sim, UINT64_MAX), SIM_STOPPED);
    assert_int_equal(m->count, 1);
    assert_int_equal(m->events[0].data, WAVES);
    trace_close(m);
}

/* Exit status; what it said stands in text. */
static int end_of(change_fn change, char text[4096])
{
    int ends[2], status;
    size_t used = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        run(change);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; used < 4095 && (n = read(ends[0], text + used, 4095 - used)) > 0;)
        used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* shows S3.7 */
static void test_ranges_are_apart(void **state)
{
    static const struct {
        change_fn change;
        const char *rule;
    } cases[] = {{to_its_vgprs, "a_vgprs_apart"},
                 {to_its_sgprs, "a_sgprs_apart"},
                 {to_its_lds, "a_lds_apart"},
                 {to_its_slot, "a_slot_free"},
                 {beyond_the_file, "a_vgprs_there"}};
    static char text[4096];
    (void)state;
    assert_int_equal(end_of(nothing, text), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const int status = end_of(cases[i].change, text);
        if (status != status_exit(STATUS_INTERNAL) || !strstr(text, cases[i].rule) || !strstr(text, "gpu0.cu0"))
            fail_msg("%s: exit %d: %s", cases[i].rule, status, text);
    }
}

int main(void)
{
    setenv("GANTRY_MODEL_CHECK", "1", 1); /* models with assertions */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges_are_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
