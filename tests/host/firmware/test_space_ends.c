/* SPDX-License-Identifier: Apache-2.0
 * An address space that is closed, or whose wavefront has faulted, while a packet of it is at each of its steps and in
 * any place: it is killed once, told once, and leaves the command processor to others as it was (B.8).
 */
#include "queue_bench.h"

static const enum job_state steps[] = {JOB_DECODE, JOB_ACQUIRE, JOB_READY,  JOB_LAUNCH,
                                       JOB_RUN,    JOB_RELEASE, JOB_SIGNAL, JOB_TELL};
#define STEPS (sizeof steps / sizeof steps[0])

/* A kernel of client 0 in place 0, at this step.  READY: other clients have all launches. */
static void at_step(struct bench *b, enum job_state step)
{
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
    b->cp[0]->launches = step == JOB_READY ? b->cp[0]->config.launches : 0;
    kernel_put(b, 0, 0x1502, signal_va(0));
    ring(b, 0);
    for (unsigned n = 0; n < 20000 && b->cp[0]->jobs[0].state != step; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->cp[0]->jobs[0].state, step);
}

/* Nothing is left of the first client, and the next one has all of the command processor. */
static void others_go_on(struct bench *b, enum job_state step)
{
    assert_int_equal(b->cp[0]->launches, step == JOB_READY ? b->cp[0]->config.launches : 0);
    assert_int_equal(b->space[0][0].busy, 0);
    assert_int_equal(b->space[0][0].flushes, 0);
    assert_int_equal(b->space[0][0].accesses, 0);
    assert_false(cp_busy(b->cp[0]));
    b->cp[0]->launches = 0;
    fake_launch = NULL;
    const unsigned kernels = b->kernels;
    queue_open(b, 1, 1, 0);
    kernel_put(b, 1, 0x1502, 0);
    ring(b, 1);
    run(b);
    assert_int_equal(b->kernels, kernels + 1);
    assert_int_equal(b->cp[0]->launches, 0);
    assert_int_equal(b->cp[0]->drops, 0);
}

/* shows B.4: its owner goes.  A kernel that was sent and has not ended when the kill is answered is listed, as
 * unfinished; one that has ended as what it is, whether or not its owner has waited for the rest of its signal. */
static void a_space_closes_at_each_step(void **state)
{
    for (unsigned s = 0; s < STEPS; s++) {
        assert_int_equal(s ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = slow;
        at_step(b, steps[s]);
        cp_space_close(b->cp[0], &b->space[0][0]);
        assert_int_equal(commands(b, CP_KILL), 1);
        assert_int_equal(command_last(b, CP_KILL)->vmid, b->space[0][0].vmid);
        assert_int_equal(b->closed, 0);
        run(b);
        assert_int_equal(b->closed, 1);
        assert_ptr_equal(b->last_closed, &b->space[0][0]);
        assert_int_equal(commands(b, CP_KILL), 1);
        assert_null(b->cp[0]->queues);
        assert_int_equal(b->kernels, steps[s] == JOB_SIGNAL || steps[s] == JOB_TELL);
        assert_int_equal(b->unfinished, steps[s] == JOB_RUN || steps[s] == JOB_RELEASE);
        others_go_on(b, steps[s]);
    }
}

/* A wavefront of another kernel of the same client faults. */
static void a_space_is_killed_at_each_step(void **state)
{
    for (unsigned s = 0; s < STEPS; s++) {
        assert_int_equal(s ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = slow;
        at_step(b, steps[s]);
        struct job *other = &b->cp[0]->jobs[CP_JOBS - 1]; /* one of the same queue that runs, in the last place */
        *other = b->cp[0]->jobs[0];
        other->state = JOB_RUN;
        other->index = 1;
        other->flush = other->drop = false;
        memset(&other->work, 0, sizeof other->work);
        memset(&other->slot, 0, sizeof other->slot);
        other->queue->jobs++, other->queue->active++;
        b->cp[0]->launches++;
        const struct msg_cp_evt evt = {
            .kind = CP_EVT_FAULT, .status = FAULT_ILLEGAL, .vmid = 1, .id = job_id(b->cp[0], other)};
        cp_event(b->cp[0], &evt);
        assert_int_equal(commands(b, CP_KILL), 1);
        assert_int_equal(b->errors, 1);
        run(b);
        assert_int_equal(other->state, JOB_FREE);
        assert_int_equal(b->cp[0]->jobs[0].state, JOB_FREE);
        assert_int_equal(b->queue[0]->active, 0);
        assert_int_equal(b->queue[0]->jobs, 0);
        assert_int_equal(b->closed, 0);
        others_go_on(b, steps[s]);
    }
}

/* shows B.4: killed while the command processor still writes what follows the signal's value, which its owner may have
 * seen: such a kernel has ended, with its figures.  So has one that is in this step when the run ends. */
static void a_kernel_has_ended_when_its_signal_is_written(void **state)
{
    struct bench *b = *state;
    at_step(b, JOB_TELL);
    cp_unfinished(b->cp[0]);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(b->unfinished, 0);
    cp_space_close(b->cp[0], &b->space[0][0]);
    const struct msg_cp_evt done = {.kind = CP_EVT_KILL_DONE, .vmid = b->space[0][0].vmid};
    cp_event(b->cp[0], &done);
    assert_int_equal(b->cp[0]->jobs[0].state, JOB_LEFT);
    assert_int_equal(b->kernels, 2);
    assert_int_equal(b->unfinished, 0);
    assert_int_equal(b->rows[1].end, b->cp[0]->jobs[0].end);
    assert_int_equal(b->rows[1].wavefronts, b->cp[0]->jobs[0].wavefronts);
    assert_true(b->rows[1].wavefronts && b->rows[1].end > b->rows[1].start);
    assert_int_equal(b->rows[1].instructions, b->cp[0]->jobs[0].instructions);
    assert_int_equal(b->rows[1].dispatcher, b->cp[0]->jobs[0].dispatcher);
    run(b);
    assert_int_equal(b->kernels, 2); /* told once */
    assert_int_equal(b->closed, 1);
}

/* A packet counts in whatever place it is; one of another client does not. */
static void packets_in_any_place(void **state)
{
    for (unsigned i = 0; i < 2 * CP_JOBS; i++) {
        assert_int_equal(i ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        const unsigned client = i / CP_JOBS;
        struct job *job = &b->cp[0]->jobs[i % CP_JOBS];
        queue_open(b, client, client, 0);
        job->state = JOB_DECODE;
        job->queue = b->queue[client];
        job->space = &b->space[client][0];
        job->packet[0] = AQL_BARRIER_AND;
        job->queue->jobs = job->queue->active = 1;
        cp_space_close(b->cp[0], &b->space[0][0]);
        assert_int_equal(commands(b, CP_KILL), client == 0);
        assert_int_equal(b->closed, client);
        run(b);
        assert_int_equal(b->closed, 1);
        assert_int_equal(job->state, client ? JOB_DECODE : JOB_FREE);
        assert_int_equal(b->cp[0]->queues != NULL, client);
        job->state = JOB_FREE;
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_space_closes_at_each_step),
        TEST(a_space_is_killed_at_each_step),
        TEST(a_kernel_has_ended_when_its_signal_is_written),
        TEST(packets_in_any_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
