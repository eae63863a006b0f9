/* SPDX-License-Identifier: Apache-2.0
 * How far the kernels at the GPU are, and rows of kernels that have not ended when the run does.
 */
#include "cp_bench.h"

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(groups_of_the_kernels_that_run), TEST(unfinished_at_the_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
