/* SPDX-License-Identifier: Apache-2.0
 * How far the kernels at the GPU are, and rows of kernels that have not ended when the run does.
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 100000;
}

/* Two kernels with a barrier between them; the GPU has ended 50 groups before them. */
static void groups_of_the_kernels_that_run(void **state)
{
    struct bench *b = *state;
    struct cp_progress at;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0b02, 0);
    kernel_put(b, 0, 0x0b02, 0);
    cp_progress(b->cp[0], 50, &at);
    assert_string_equal(at.kernel, "");
    assert_true(at.done == 0 && at.total == 0);
    ring(b, 0);
    sim_run(b->sim, 50000);
    uint64_t groups = command_last(b, CP_LAUNCH)->groups[0];
    cp_progress(b->cp[0], 50, &at);
    assert_true(*at.kernel && at.done == 0 && at.total == groups && groups > 0);
    cp_progress(b->cp[0], 51, &at);
    assert_true(at.done == 1 && at.total == groups);
    while (b->kernels == 0)
        sim_run(b->sim, sim_now(b->sim) + 10000);
    sim_run(b->sim, sim_now(b->sim) + 50000);
    cp_progress(b->cp[0], 50 + groups, &at); /* those of the first are done with */
    assert_true(at.done == 0 && at.total == groups);
    cp_progress(b->cp[0], 50 + 3 * groups, &at);
    assert_true(at.done == groups);
}

/* One is listed as unfinished, once, with its shape and the cycle of its launch; what has ended is not listed again. */
static void unfinished_at_the_end(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    run(b);
    cp_unfinished(b->cp[0]);
    assert_true(b->kernels == 1 && b->unfinished == 0);
    fake_launch = slow;
    kernel_put(b, 0, 0x0b02, 0);
    uint64_t rung = sim_now(b->sim);
    ring(b, 0);
    sim_run(b->sim, rung + 50000);
    cp_unfinished(b->cp[0]);
    assert_true(b->kernels == 1 && b->unfinished == 1);
    assert_true(b->last_unfinished.unfinished && b->last_unfinished.end == 0 && b->last_unfinished.groups > 0);
    assert_true(b->last_unfinished.start > rung && b->last_unfinished.start < rung + 50000);
    assert_memory_equal(b->last_unfinished.grid, b->rows[0].grid, sizeof b->rows[0].grid);
    cp_unfinished(b->cp[1]);
    assert_int_equal(b->unfinished, 1);
}

/* Of several kernels the one that was launched first gives its name, whatever its place; their groups are counted
 * together, and those of one that has not been launched, or that is held back, are not. */
static void the_first_of_several(void **state)
{
    struct bench *b = *state;
    struct cp_progress at_once;
    fake_launch = slow;
    fake_cache_cycles = 1000;
    put(b, AT_KD + 64 + 0x30, 1, 4); /* rocr.fill */
    for (unsigned q = 0; q < 3; q++)
        queue_open(b, q, 0, 0);
    barrier_put(b, 0, 0x0003, NULL, 0, 0);
    ring(b, 0);
    run(b);
    kernel_put(b, 0, 0x0a02, 0); /* 4 groups; its fence takes long */
    uint64_t packet = kernel_put(b, 1, 0x0002, 0);
    put(b, packet + 0x20, VA + AT_KD + 64, 8);
    put(b, packet + 0xc, 64 * 7, 4);
    ring(b, 0);
    ring(b, 1);
    sim_run(b->sim, sim_now(b->sim) + 1300);
    fake_cache_cycles = 50;
    cp_progress(b->cp[0], 100, &at_once);
    assert_string_equal(at_once.kernel, "rocr.fill");
    assert_int_equal(at_once.total, 7);
    sim_run(b->sim, sim_now(b->sim) + 2000);
    assert_int_equal(b->cp[0]->jobs[0].state, JOB_RUN);
    assert_int_equal(b->cp[0]->jobs[1].state, JOB_RUN);
    cp_progress(b->cp[0], 100, &at_once);
    assert_string_equal(at_once.kernel, "rocr.fill");
    assert_int_equal(at_once.total, 11);
    const uint64_t begin = b->cp[0]->jobs[1].begin;
    b->cp[0]->jobs[1].begin = b->cp[0]->jobs[0].begin + 1; /* the other one was first */
    cp_progress(b->cp[0], 100, &at_once);
    assert_string_equal(at_once.kernel, "rocr.copy_misaligned");
    b->cp[0]->jobs[1].begin = begin;
    b->cp[0]->jobs[1].held = true;
    cp_progress(b->cp[0], 100, &at_once);
    assert_string_equal(at_once.kernel, "rocr.copy_misaligned");
    assert_int_equal(at_once.total, 4);
    b->cp[0]->jobs[1].held = false;
    run(b);
    assert_int_equal(b->kernels, 2);
}

/* A kernel is unfinished from its launch until its signal is written, and has then ended; a packet of another kind is
 * never listed. */
static void unfinished_at_each_step(void **state)
{
    struct bench *b = *state;
    unsigned seen = 0;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    for (unsigned kernel = 0; kernel < 2; kernel++) {
        put(b, signal_at(0) + 8, 1, 8);
        if (kernel)
            kernel_put(b, 0, 0x1502, signal_va(0));
        else
            barrier_put(b, 0, 0x1503, NULL, 0, signal_va(0));
        ring(b, 0);
        for (enum job_state before = JOB_FREE; b->sim->count;) {
            const enum job_state now = b->cp[0]->jobs[0].state;
            if (now != before) {
                const unsigned listed = b->unfinished, ended = b->kernels;
                const bool sent = now == JOB_RUN || now == JOB_RELEASE || now == JOB_SIGNAL;
                cp_unfinished(b->cp[0]);
                assert_int_equal(b->unfinished - listed, kernel && sent);
                assert_int_equal(b->kernels - ended, kernel && now == JOB_TELL);
                seen |= 1u << now;
                before = now;
            }
            sim_run(b->sim, sim_now(b->sim) + 1);
        }
    }
    assert_int_equal(b->unfinished, 3);
    assert_int_equal(b->kernels, 2); /* in JOB_TELL, and when it ended */
    assert_true(seen >> JOB_ACQUIRE & 1 && seen >> JOB_LAUNCH & 1 && seen >> JOB_TELL & 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(groups_of_the_kernels_that_run), TEST(unfinished_at_the_end),
                                       TEST(unfinished_at_each_step), TEST(the_first_of_several)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
