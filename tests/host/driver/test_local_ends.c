/* SPDX-License-Identifier: Apache-2.0
 * Dispatches without a client that end badly: faults, errors of the queue, kernels that do not end (B.8).
 */
#include "local_bench.h"

static uint64_t writes_beyond(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    evt->kind = CP_EVT_FAULT;
    evt->status = FAULT_READ_ONLY;
    evt->va = cmd->user_sgpr[8] | (uint64_t)cmd->user_sgpr[9] << 32; /* where the arguments would be */
    evt->pc = cmd->pc + 8;
    return 500;
}

/* shows B.8: a memory fault ends the dispatch with its address, kind, and the allocation it belongs to. */
static void faults_name_the_allocation(void **state)
{
    static const char *const words[] = {"16 bytes into a 100-byte VRAM allocation at 0x",
                                        "0 bytes beyond the end of a 100-byte VRAM allocation at 0x",
                                        "200 bytes beyond the end of a 100-byte VRAM allocation at 0x",
                                        "64 bytes before a 5000-byte host-memory allocation at 0x",
                                        "4999 bytes into a 5000-byte host-memory allocation at 0x"};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(i ? teardown(state) || setup(state) : 0, 0);
        struct bench *b = *state;
        void *host;
        uint64_t vram = local_alloc(b->l, LOCAL_VRAM, 100, &host), other = local_alloc(b->l, LOCAL_HOST, 5000, &host);
        const uint64_t places[] = {vram + 16, vram + 100, vram + 300, other - 64, other + 4999};
        struct local_dispatch d = small(b);
        char expected[200];
        d.kernarg = places[i];
        fake_launch = writes_beyond;
        struct local_result r = run(b, &d);
        assert_int_equal(r.outcome, LOCAL_MEMORY_FAULT);
        assert_int_equal(r.fault_va, places[i]);
        assert_int_equal(r.fault_kind, FAULT_READ_ONLY);
        snprintf(expected, sizeof expected, "; 0x%llx is %s%llx", (unsigned long long)places[i], words[i],
                 (unsigned long long)(i < 3 ? vram : other));
        assert_non_null(strstr(r.text, expected));
        assert_non_null(strstr(r.text, "gpu1"));
        fake_launch = NULL;
    }
}

static uint64_t illegal(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    evt->kind = CP_EVT_FAULT;
    evt->status = FAULT_ILLEGAL;
    evt->pc = cmd->pc + 24;
    evt->data = 0xbf9fffffbf9effff;
    return 500;
}

/* What stops the queue ends the dispatch with the code, and of an instruction with its place and bytes; a packet that
 * is refused has none. */
static void errors_of_the_queue_are_told(void **state)
{
    struct bench *b = *state;
    struct local_dispatch d = small(b);
    fake_launch = illegal;
    struct local_result r = run(b, &d);
    assert_int_equal(r.outcome, LOCAL_QUEUE_ERROR);
    assert_int_equal(r.error, CP_ERROR_ILLEGAL);
    assert_int_equal(r.pc, b->code + 0x80 + 24);
    assert_true(r.instruction == 0xbf9fffffbf9effff);
    assert_non_null(strstr(r.text, "illegal"));
    assert_null(strstr(r.text, "allocation")); /* it has no address */
    fake_launch = NULL;
    assert_int_equal(teardown(state) || setup(state), 0);
    b = *state;
    d = small(b);
    d.group[0] = 1025, d.grid[0] = 2050;
    r = run(b, &d);
    assert_int_equal(r.outcome, LOCAL_QUEUE_ERROR);
    assert_int_equal(r.error, CP_ERROR_GROUP);
    assert_true(r.pc == 0 && r.instruction == 0 && !r.launched);
    assert_non_null(strstr(r.text, "work-group too large"));
}

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 100000000;
}

static volatile int stop;
static unsigned notes;

static void note(void *arg, struct machine *machine)
{
    struct bench *b = arg;
    assert_ptr_equal(machine, local_machine(b->l));
    notes++;
    if (notes == 3)
        stop = SIGINT;
}

/* A dispatch that cannot end, that is stopped, or has no cycles left: each says so, with the row of what it began. */
static void dispatches_end_without_their_kernel(void **state)
{
    static const struct {
        uint64_t (*launch)(struct sim *, unsigned, const struct msg_cp_cmd *, struct msg_cp_evt *);
        enum sim_result end;
        int stop;
        enum local_outcome outcome;
        unsigned wheres;
    } ends[] = {{endless, SIM_STOPPED, 0, LOCAL_NO_PROGRESS, 0},
                {slow, SIM_MAX_CYCLES, 0, LOCAL_MAX_CYCLES, 0},
                {slow, SIM_NO_PROGRESS, 0, LOCAL_NO_PROGRESS, 0},
                {slow, SIM_STOPPED, SIGTERM, LOCAL_STOPPED, 0},
                {endless, SIM_STOPPED, SIGALRM, LOCAL_STOPPED, 1}};
    for (unsigned i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        assert_int_equal(i ? teardown(state) || setup(state) : 0, 0);
        struct bench *b = *state;
        struct local_dispatch d = small(b);
        struct local_result r;
        const struct local_watch watch = {.stop = &stop};
        fake_launch = ends[i].launch;
        fake_end = ends[i].end;
        stop = ends[i].stop;
        local_dispatch(b->l, &d, &watch, &r);
        assert_int_equal(r.outcome, ends[i].outcome);
        assert_int_equal(fake_wheres, ends[i].wheres); /* time is over: where was it? */
        if (ends[i].launch == endless && ends[i].stop == 0)
            assert_true(r.launched && r.row.unfinished);
        fake_launch = NULL;
        fake_end = SIM_STOPPED;
    }
    struct bench *b = *state; /* in the course of a dispatch */
    assert_int_equal(teardown(state) || setup(state), 0);
    b = *state;
    const struct local_watch watch = {.progress = note, .arg = b, .stop = &stop};
    struct local_dispatch d = small(b);
    struct local_result r;
    stop = 0, notes = 0;
    fake_launch = slow;
    local_dispatch(b->l, &d, &watch, &r);
    assert_int_equal(r.outcome, LOCAL_STOPPED);
    assert_int_equal(notes, 3);
    assert_true(machine_now(local_machine(b->l)) < 1000000); /* stopped at once */
    fake_launch = NULL;
}

static uint64_t kernel_cycles;
static uint64_t takes(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return kernel_cycles;
}

/* The host's time chooses where slices of target time end: wherever that is, also where the signal is written and its
 * answer is still under way, a kernel that has ended is finished, with the cycles that it took. */
static void borders_of_slices_are_no_ends(void **state)
{
    uint64_t beside = 0;
    for (kernel_cycles = 3500; kernel_cycles < 4500; kernel_cycles += 20) {
        assert_int_equal(teardown(state) || setup(state), 0);
        struct bench *b = *state;
        struct local_dispatch d = small(b);
        fake_launch = takes;
        struct local_result r = run(b, &d);
        assert_int_equal(r.outcome, LOCAL_DONE);
        assert_false(r.row.unfinished);
        assert_int_equal(r.row.end - r.row.start, kernel_cycles);
        beside = beside ? beside : machine_now(local_machine(b->l)) - kernel_cycles;
        assert_int_equal(machine_now(local_machine(b->l)) - kernel_cycles, beside);
        fake_launch = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(faults_name_the_allocation),
        TEST(errors_of_the_queue_are_told),
        TEST(dispatches_end_without_their_kernel),
        TEST(borders_of_slices_are_no_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
