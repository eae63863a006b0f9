/* SPDX-License-Identifier: Apache-2.0
 * An unmodified HIP program on a whole machine of 4 GPUs, whose pages move at random beside its kernels, and each
 * message of it (moves_seen.h): S1.9 to S1.15 in their words.  2 and 8 GPUs: test_moves_seen_more.c.
 * libs: -Wl,--wrap=gate_step,--wrap=gate_advance,--wrap=client_space_open,--wrap=migrate_step
 * libs: -Wl,--wrap=pagetable_lock,--wrap=migrate_settle,--wrap=launch_build
 */
#include "moves_seen.h"

/* shows S1.9, S1.10, S1.11, S1.12, S1.13, S1.14 */
static void on_four_gpus(void **state)
{
    (void)state;
    on_gpus(4, "migrate.hold=page");
    assert_true(seen.waves_between > 0 && seen.shot > 20);
}

/* shows S1.15 */
static void nothing_is_placed_meanwhile(void **state)
{
    (void)state;
    on_gpus(getenv("GANTRY_NIGHTLY") ? 4 : 2, "migrate.hold=dispatch");
    assert_int_equal(seen.waves_between, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_four_gpus),
        cmocka_unit_test(nothing_is_placed_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
