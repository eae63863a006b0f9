/* SPDX-License-Identifier: Apache-2.0
 * As test_moves_seen.c, on machines of 2 and 8 GPUs.
 * nightly: yes
 * libs: -Wl,--wrap=gate_step,--wrap=gate_advance,--wrap=client_space_open,--wrap=migrate_step
 * libs: -Wl,--wrap=pagetable_lock,--wrap=migrate_settle,--wrap=launch_build
 */
#include "moves_seen.h"

static void on_two_gpus(void **state)
{
    (void)state;
    on_gpus(2, "migrate.hold=page");
    assert_true(seen.waves_between > 0 && seen.shot > 20);
    on_gpus(2, "migrate.hold=dispatch");
    assert_int_equal(seen.waves_between, 0);
}

static void on_eight_gpus(void **state)
{
    (void)state;
    on_gpus(8, "migrate.hold=page");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_two_gpus),
        cmocka_unit_test(on_eight_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
