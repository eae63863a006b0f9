/* SPDX-License-Identifier: Apache-2.0
 * Answers that come when nobody is left, memory that is not there, and how many messages there may be (B.8).
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

#define EVENT 9u
#define STEP 7u /* cycles between the moments that are tried */

static void memory_reset(void)
{
    for (unsigned i = 0; i <= FAKE_GPUS; i++)
        fake_memory[i] = i ? 150 : 100;
}

static void signal_put(struct bench *b, unsigned s, uint64_t value, uint32_t event)
{
    put(b, signal_at(s) + SIGNAL_VALUE, value, 8);
    put(b, signal_at(s) + SIGNAL_MAILBOX, event ? VA + MAILBOX : 0, 8);
    put(b, signal_at(s) + SIGNAL_EVENT, event, 4);
}

/* A kernel with a signal, a barrier packet behind it, and a kernel that wants scratch: all kinds of accesses. */
static void work_put(struct bench *b, unsigned q)
{
    signal_put(b, 0, 2, EVENT);
    signal_put(b, 40 + q, 0, EVENT);
    kernel_put(b, q, 0x1502, signal_va(0));
    barrier_put(b, q, 0x1503, (const unsigned[]){5, 6}, 2, signal_va(0));
    put(b, kernel_put(b, q, 0x0b02, 0) + 0x18, 400, 4);
    ring(b, q);
}

/* shows B.8: A queue is closed at any moment of its work: answers still come, and nothing is asked for any more, for
 * the client may have freed what it was made of. */
static void queues_close_at_any_moment(void **state)
{
    unsigned moments = 0, beside = 0;
    for (uint64_t at_cycle = 0;; at_cycle += STEP, moments++) {
        assert_int_equal(moments ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        queue_open(b, 0, 0, 0);
        work_put(b, 0);
        sim_run(b->sim, at_cycle);
        if (b->sim->count == 0)
            break;
        const unsigned asked = b->sim->accesses;
        beside += b->sim->open > 0;
        cp_queue_close(b->cp[0], b->queue[0]);
        assert_true(b->sim->open == 0 || b->cp[0]->queues != NULL);
        const unsigned events = b->events, errors = b->errors;
        run(b);
        assert_int_equal(b->sim->accesses, asked);
        assert_int_equal(b->events, events);
        assert_int_equal(b->errors + b->faults, errors);
        assert_null(b->cp[0]->queues);
        assert_false(cp_busy(b->cp[0]));
        assert_int_equal(b->space[0][0].accesses, 0);
        queue_open(b, 1, 0, 0); /* its successor works */
        kernel_put(b, 1, 0x1502, 0);
        unsigned kernels = b->kernels;
        ring(b, 1);
        run(b);
        assert_int_equal(b->kernels, kernels + 1);
    }
    assert_true(moments > 200 && beside > 50);
}

/* shows B.8: An address space is closed at any moment: it is told only when no access to its memory is under way, and
 * none follows. */
static void spaces_close_at_any_moment(void **state)
{
    unsigned moments = 0, late = 0;
    fake_memory[0] = 400; /* longer than a kill takes */
    for (uint64_t at_cycle = 0;; at_cycle += 3 * STEP, moments++) {
        assert_int_equal(moments ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        queue_open(b, 0, 0, 0);
        work_put(b, 0);
        sim_run(b->sim, at_cycle);
        if (b->sim->count == 0)
            break;
        const unsigned asked = b->sim->accesses;
        late += b->space[0][0].accesses > 0;
        cp_space_close(b->cp[0], &b->space[0][0]);
        while (b->sim->count) {
            assert_true(b->closed == 0 || b->space[0][0].accesses == 0);
            sim_run(b->sim, sim_now(b->sim) + 1);
        }
        assert_int_equal(b->closed, 1);
        assert_int_equal(b->sim->accesses, asked);
        assert_null(b->cp[0]->queues);
        assert_false(cp_busy(b->cp[0]));
    }
    assert_true(moments > 100 && late > 50);
    memory_reset();
}

static uint64_t second_faults(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    if (cmd->lds_bytes == 0)
        return 1000;
    evt->kind = CP_EVT_FAULT;
    evt->status = FAULT_ILLEGAL;
    return cmd->lds_bytes;
}

/* A wavefront faults while another kernel of its space is at any step: what was dropped takes its answers and no more;
 * the job's place is used again. */
static void spaces_are_killed_at_any_moment(void **state)
{
    unsigned dropped = 0;
    for (unsigned n = 0; n < 60; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = second_faults;
        queue_open(b, 0, 0, 0);
        queue_open(b, 1, 0, 0);
        signal_put(b, 0, 1, EVENT);
        put(b, kernel_put(b, 1, 0x0002, 0) + 0x1c, 512 + 512 * (n % 8), 4);
        kernel_put(b, 0, 0x0002, signal_va(0));
        ring(b, 1);
        sim_run(b->sim, sim_now(b->sim) + 20 * (n / 8));
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(41) + SIGNAL_VALUE), CP_ERROR_ILLEGAL);
        bool ended = get(b, signal_at(0) + SIGNAL_VALUE) == 0;
        dropped += !ended;
        assert_int_equal(b->kernels + b->unfinished, 2);
        assert_false(cp_busy(b->cp[0]));
        for (unsigned i = 0; i < CP_JOBS; i++)
            assert_int_equal(b->cp[0]->jobs[i].state, JOB_FREE);
        assert_int_equal(b->space[0][0].accesses, 0);
    }
    assert_true(dropped > 0 && dropped < 60);
}

/* shows B.8: Memory that is gone, for each of the places in turn: what cannot do without it ends as if the page was not
 * mapped, everything else goes on. */
static void faults_end_what_needs_the_memory(void **state)
{
    static const struct {
        const char *what;
        uint64_t place;
        unsigned kernels, events;
        uint32_t error;
        unsigned faults;
    } cases[] = {
        {"nothing", 0, 1, 1, 0, 0},
        {"write index", AT_QUEUES + 0x1050, 0, 0, 0, 0},
        {"packet", AT_QUEUES, 0, 0, CP_ERROR_PACKET, 0},
        {"descriptor", AT_KD, 0, 0, CP_ERROR_CODE, 0},
        {"amd_queue_t", AT_QUEUES + 0x1080, 1, 1, 0, 0},
        {"signal", AT_SIGNALS, 1, 0, 0, 0},
        {"mailbox", MAILBOX, 1, 1, 0, 0},
    };
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        queue_open(b, 0, 0, 0);
        put(b, amd_at(0) + 0x90, 0x1234, 8);
        signal_put(b, 0, 1, EVENT);
        kernel_put(b, 0, 0x0b02, signal_va(0));
        fake_fault_at = cases[n].place;
        ring(b, 0);
        run(b);
        print_message("%s\n", cases[n].what);
        assert_int_equal(b->kernels, cases[n].kernels);
        assert_int_equal(b->events, cases[n].events);
        assert_int_equal(b->errors, cases[n].error != 0);
        assert_int_equal(b->last_error, cases[n].error);
        assert_int_equal(get(b, signal_at(40) + SIGNAL_VALUE), cases[n].error);
        assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), n == 5 || !cases[n].kernels);
        assert_int_equal(b->faults, cases[n].faults);
        if (n == 4)
            assert_int_equal(command_last(b, CP_LAUNCH)->user_sgpr[0], 0);
        assert_false(cp_busy(b->cp[0]));
    }
    fake_fault_at = 0;
}

/* The handle of the inactive signal cannot be read: that is a fault of the process, as any of its accesses. */
static void nobody_to_tell(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, kernel_put(b, 0, 0x0b02, 0) + 2, 0, 2); /* no dimensions */
    fake_fault_at = amd_at(0) + 0xc0;
    ring(b, 0);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(b->last_error, CP_ERROR_DIMS);
    assert_int_equal(b->faults, 1);
    assert_int_equal(b->fault_va, SIGNAL_VALUE);
    assert_int_equal(get(b, signal_at(40) + SIGNAL_VALUE), 0);
}

/* A ring whose pages are unmapped while it works; dependencies and signals that never were. */
static void unmapped_memory_is_not_waited_for(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t s = barrier_put(b, 0, 0x0003, NULL, 0, 0x7000000000); /* nobody can be told */
    put(b, s + 8, 0x7000000000, 8);
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    pagetable_unmap(b->space[0][0].pt, VA + queue_at(0), 0x1000);
    b->written[0]++;
    ring(b, 0);
    run(b);
    assert_int_equal(b->last_error, CP_ERROR_PACKET);
    assert_int_equal(get(b, signal_at(40) + SIGNAL_VALUE), CP_ERROR_PACKET);
}

static uint64_t faults_late(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd;
    evt->kind = CP_EVT_FAULT;
    evt->status = FAULT_ILLEGAL;
    return 300;
}

/* A kernel of a queue faults while the queue asks for scratch: the error is what stands in the signal at the end. */
static void an_error_overtakes_a_request(void **state)
{
    for (unsigned n = 0; n < 100; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = faults_late;
        fake_memory[0] = 50 + 5 * n;
        queue_open(b, 0, 0, 0);
        signal_put(b, 40, 0, EVENT);
        kernel_put(b, 0, 0x0002, 0);
        put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 400, 4);
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(40) + SIGNAL_VALUE), CP_ERROR_ILLEGAL);
        assert_int_equal(b->errors, 1);
        assert_int_equal(b->last_error, CP_ERROR_ILLEGAL);
        assert_int_equal(commands(b, CP_LAUNCH), 1);
    }
    memory_reset();
}

/* shows B.8: An access under way was translated before a page was unmapped: the shoot-down is done when it is answered,
 * in its turn with those that are commands. */
static void shootdowns_wait_for_accesses(void **state)
{
    struct bench *b = *state;
    struct cp *cp = b->cp[0];
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 1, 0);
    fake_memory[0] = 1000;
    queue_ring(cp, b->queue[0]);
    assert_true(b->space[0][0].accesses > 0);
    cp_space_shootdown(cp, &b->space[1][0], 0, 0); /* of which nothing is under way */
    assert_int_equal(cp_shootdowns_sent(cp), 0);
    cp_space_shootdown(cp, &b->space[0][0], 0, 0);
    assert_int_equal(cp_shootdowns_sent(cp), 1);
    assert_int_equal(commands(b, CP_CACHE), 0);
    sim_run(b->sim, 500);
    queue_ring(cp, b->queue[1]); /* later accesses do not hold it up */
    sim_run(b->sim, 1999);
    assert_int_equal(cp_shootdowns_done(cp), 0);
    assert_int_equal(b->shootdowns, 0);
    sim_run(b->sim, 2000);
    assert_int_equal(cp_shootdowns_done(cp), 1);
    assert_int_equal(b->shootdowns, 1);
    assert_true(b->space[1][0].accesses > 0);
    run(b);
    memory_reset();
    fake_launch = faults_late;
    kernel_put(b, 1, 0x0002, 0);
    ring(b, 1);
    while (commands(b, CP_LAUNCH) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    fake_memory[0] = 5000;
    queue_ring(cp, b->queue[1]);
    sim_run(b->sim, sim_now(b->sim) + 10);
    cp_space_shootdown(cp, &b->space[1][0], 0, 0); /* a command, and accesses beside it that take longer */
    uint64_t sent = sim_now(b->sim);
    assert_int_equal(command_last(b, CP_CACHE)->id, CP_SHOOTDOWN);
    while (cp_shootdowns_done(cp) < 2)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_true(sim_now(b->sim) > sent + 9000);
    memory_reset();
    run(b);
}

/* The bound of access.h: five signals, each across two lines, and no more. */
static void an_owner_has_ten_accesses_at_most(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t s = barrier_put(b, 0, 0x0003, NULL, 0, 0);
    for (unsigned i = 0; i < 5; i++)
        put(b, s + 8 + 8 * i, VA + 0x5000 + 64 * i + 64 - SIGNAL_VALUE - 4, 8); /* value: 4 bytes in each line */
    put(b, 0x5000 + 64 * 3 + 64, 1, 4);
    ring(b, 0);
    run(b);
    assert_int_equal(b->sim->most, ACCESS_OWNER);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0);
    put(b, 0x5000 + 64 * 3 + 64, 0, 4);
    poll_all(b);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(queues_close_at_any_moment),
        TEST(spaces_close_at_any_moment),
        TEST(spaces_are_killed_at_any_moment),
        TEST(faults_end_what_needs_the_memory),
        TEST(nobody_to_tell),
        TEST(unmapped_memory_is_not_waited_for),
        TEST(an_error_overtakes_a_request),
        TEST(shootdowns_wait_for_accesses),
        TEST(an_owner_has_ten_accesses_at_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
