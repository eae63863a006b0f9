/* SPDX-License-Identifier: Apache-2.0
 * An unmodified HIP program on whole machines of 2, 4 and 8 GPUs, whose pages move at random beside its kernels, and
 * each message of it (moves_seen.h): S1.9 to S1.15 in their words.
 * libs: -Wl,--wrap=gate_step,--wrap=gate_advance,--wrap=client_space_open,--wrap=migrate_step
 * libs: -Wl,--wrap=pagetable_lock,--wrap=migrate_settle
 */
#include <time.h>

#include "moves_seen.h"

static void on_gpus(unsigned gpus, const char *hold)
{
    char count[24];
    snprintf(count, sizeof count, "system.gpus=%u", gpus);
    const char *const settings[] = {count, hold};
    const struct result without = run("sort", SIM_RTL, false, settings, NO_MOVES);
    assert_int_equal(seen.orders, 0);
    seed = gpus;
    rare = gpus == 2 ? 4 : gpus; /* not all at the beginning of the program */
    const struct result with = run("sort", SIM_RTL, false, settings, WHILE_IT_RUNS);
    printf(
        "%u GPUs, %s: %u moves in %u orders (%u given up), %u lines; %u shoot-downs, %u where nothing ran; %u accesses "
        "to pages that were away, translations by GPU",
        gpus, hold, moved, seen.orders, seen.given_up, seen.lines, seen.shot, seen.silent, seen.probes);
    for (unsigned g = 0; g < gpus; g++)
        printf(" %u", seen.answers[g]);
    printf("; %u of %u wavefronts were placed while lines were on their way; %.1f s\n", seen.waves_between, seen.waves,
           (double)clock() / CLOCKS_PER_SEC);
    assert_true(with.data == without.data && with.kernels == without.kernels);
    assert_int_equal(seen.open_count, 0);
    assert_true(seen.orders > 30 && seen.lines > 64 * 30 && seen.shot > 2 && seen.probes > 1000);
    for (unsigned g = 0; g < gpus; g++)
        assert_true(seen.answers[g] > 2);
}

/* shows S1.9, S1.10, S1.11, S1.12, S1.13, S1.14 */
static void on_four_gpus(void **state)
{
    (void)state;
    on_gpus(4, "migrate.hold=page");
    assert_true(seen.waves_between > 0);
}

/* shows S1.15 */
static void nothing_is_placed_meanwhile(void **state)
{
    (void)state;
    on_gpus(4, "migrate.hold=dispatch");
    assert_int_equal(seen.waves_between, 0);
}

/* Nightly. */
static void on_two_and_on_eight_gpus(void **state)
{
    (void)state;
    if (!getenv("GANTRY_NIGHTLY"))
        skip();
    on_gpus(2, "migrate.hold=page");
    on_gpus(8, "migrate.hold=page");
    on_gpus(2, "migrate.hold=dispatch");
    assert_int_equal(seen.waves_between, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_four_gpus),
        cmocka_unit_test(nothing_is_placed_meanwhile),
        cmocka_unit_test(on_two_and_on_eight_gpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
