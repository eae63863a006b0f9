// SPDX-License-Identifier: Apache-2.0
// Goals of a run (machine/goals.h): when a machine stops for them, when a checkpoint is due, when the run ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "machine/goals.h"

static void test_none(void **state)
{
    (void)state;
    struct goals g = {0};
    assert_false(goals_kernel(NULL, 1));
    assert_int_equal(goals_until(NULL, 77), 77);
    assert_false(goals_due(NULL, UINT64_MAX));
    assert_false(goals_ended(NULL));
    assert_false(goals_kernel(&g, 1));
    assert_int_equal(g.kernels, 1);
    assert_int_equal(goals_until(&g, 77), 77);
    assert_false(goals_due(&g, UINT64_MAX));
    assert_false(goals_ended(&g));
}

/* shows S4.7: once, when kernel 2 has ended, and not before the machine has stopped there */
static void test_checkpoint_behind_a_kernel(void **state)
{
    (void)state;
    struct goals g = {.checkpoint = "folder", .checkpoint_kernel = 2};
    assert_int_equal(goals_until(&g, 77), 77);
    assert_false(goals_kernel(&g, 1));
    assert_false(goals_kernel(&g, 3)); // which started behind it
    assert_false(goals_due(&g, 1000));
    assert_true(goals_kernel(&g, 2));
    assert_true(goals_due(&g, 0));
    goals_tried(&g, STATUS_IO);
    assert_int_equal(g.failure, STATUS_IO);
    assert_false(goals_due(&g, 0));
    assert_false(goals_kernel(&g, 2)); // it was tried
}

/* shows S4.7: once, at its cycle, to which the machine runs */
static void test_checkpoint_at_a_cycle(void **state)
{
    (void)state;
    struct goals g = {.checkpoint = "folder", .checkpoint_cycle = 50};
    assert_int_equal(goals_until(&g, 49), 49);
    assert_int_equal(goals_until(&g, 50), 50);
    assert_int_equal(goals_until(&g, 51), 50);
    assert_false(goals_due(&g, 49));
    assert_true(goals_due(&g, 50));
    assert_false(goals_kernel(&g, 1));
    assert_false(goals_kernel(&g, 0)); // of a host that does not count
    goals_tried(&g, STATUS_OK);
    assert_int_equal(goals_until(&g, 51), 51);
    assert_false(goals_due(&g, 51));
}

/* shows S4.7: the end stays one */
static void test_exit(void **state)
{
    (void)state;
    struct goals g = {.exit_after = 2};
    assert_false(goals_kernel(&g, 1));
    assert_false(goals_kernel(&g, 3)); // two have ended, but not this one
    assert_false(goals_ended(&g));
    assert_true(goals_kernel(&g, 2));
    assert_true(goals_ended(&g));
    assert_false(goals_kernel(&g, 4));
    assert_true(goals_ended(&g));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_none), cmocka_unit_test(test_checkpoint_behind_a_kernel),
                                       cmocka_unit_test(test_checkpoint_at_a_cycle), cmocka_unit_test(test_exit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
