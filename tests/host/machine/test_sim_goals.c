// SPDX-License-Identifier: Apache-2.0
// Goals of a live machine (sim_goals.c): kernels that end are counted, the run stops where somebody wants to act; what
// is not due is not made.  Checkpoints themselves: test_checkpoint.c.
#include "hand_bench.h"
#include "machine/goals.h"

static void a_kernel_ends(struct hand *h, const struct hand_note *n)
{
    sim_kernel(h->sim, n->value);
}

static void a_run_stops_at_its_goals(void **state)
{
    (void)state;
    static const struct {
        struct goals goals;
        bool any;
        unsigned stops[6]; // kernels after which the run stops
    } cases[] = {{{.exit_after = 3}, true, {3}},
                 {{.checkpoint = "folder", .checkpoint_kernel = 2}, true, {2}},
                 {{.checkpoint = "folder", .checkpoint_kernel = 2, .exit_after = 4}, true, {2, 4}},
                 {{.exit_after = 0}, true, {0}},
                 {{.exit_after = 1}, false, {0}}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct goals goals = cases[i].goals;
        const struct sim_options options = {.goals = cases[i].any ? &goals : NULL};
        struct hand *h = hand_open(1, true, &options);
        h->act = a_kernel_ends;
        for (unsigned k = 1; k <= 5; k++)
            sim_timer(h->sim, 100 * k, k);
        for (unsigned n = 0; cases[i].stops[n]; n++) {
            assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
            assert_int_equal(h->told, cases[i].stops[n]);
            assert_true(sim_now(h->sim) == 100 * cases[i].stops[n]);
            assert_int_equal(goals.kernels, cases[i].stops[n]);
        }
        assert_int_equal(sim_run(h->sim, UINT64_MAX), SIM_STOPPED);
        assert_int_equal(h->told, 5);
        assert_int_equal(goals.kernels, cases[i].any ? 5 : 0);
        hand_close(h);
    }
}

static void nothing_is_made_before_it_is_due(void **state)
{
    (void)state;
    struct goals goals = {.checkpoint = "folder", .checkpoint_cycle = 500};
    const struct sim_options options = {.goals = &goals};
    struct hand *h = hand_open(1, true, &options);
    sim_timer(h->sim, 1000, 0);
    assert_int_equal(sim_run(h->sim, 499), SIM_STOPPED);
    sim_checkpoint(h->sim); // a cycle too early
    assert_false(goals.tried);
    h->sim->options.goals = NULL;
    sim_checkpoint(h->sim);
    assert_false(goals.tried);
    hand_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_stops_at_its_goals),
        cmocka_unit_test(nothing_is_made_before_it_is_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
