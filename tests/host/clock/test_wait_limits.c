/* SPDX-License-Identifier: Apache-2.0
 * When the clock stops waiting for clients that do not rest, and how often the driver looks for requests
 * (docs/reference/clock.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clock/wait_limits.h"

/* A spell counts from the first look at a thread since it last asked; at the limit there is patience left. */
static void spinning_ends_the_patience(void **state)
{
    (void)state;
    struct spell spell = {0};
    assert_true(spell_ns(&spell) == 0);
    for (unsigned round = 0; round < 3; round++) {
        const uint64_t base = 750000000u * round;
        spell_look(&spell, base, 7);
        assert_true(spell_ns(&spell) == 0);
        spell_look(&spell, base + 250000000u, 7);
        assert_true(spell_ns(&spell) == 250000000u);
        assert_false(patience_spent(0.25, 0, spell_ns(&spell)));
        spell_look(&spell, base + 250000001u, 7);
        assert_true(patience_spent(0.25, 0, spell_ns(&spell)));
        spell_end(&spell);
        assert_true(spell_ns(&spell) == 0);
    }
}

/* shows B.4: time in which a thread is given at least a page a millisecond is counted apart. */
static void who_grows_is_not_taken_for_one_that_spins(void **state)
{
    struct spell spell = {0};
    (void)state;
    spell_look(&spell, 5000000, 100); /* of its life so far: nothing is known */
    spell_look(&spell, 8000000, 103); /* a page in each whole millisecond is too few, */
    assert_true(spell_ns(&spell) == 3000000 && spell_all_ns(&spell) == 3000000);
    spell_look(&spell, 11000000, 107); /* one more is not */
    assert_true(spell_ns(&spell) == 3000000 && spell_all_ns(&spell) == 6000000);
    spell_look(&spell, 12000000, 107);
    assert_true(spell_ns(&spell) == 4000000 && spell_all_ns(&spell) == 7000000);
    spell_end(&spell);
    assert_true(spell_ns(&spell) == 0 && spell_all_ns(&spell) == 0);
    spell_look(&spell, 13000000, 200);
    spell_look(&spell, 14000000, 200);
    assert_true(spell_ns(&spell) == 1000000);
}

/* shows B.4: while nothing is pending threads have 32 times the patience; what they had then is forgotten when
 * something is, and only then. */
static void nobody_waits_for_long_patience(void **state)
{
    struct patience p = {.limit = 0.25};
    bool anew;
    (void)state;
    assert_true(patience_limit(&p, true, &anew) == 0.25 && !anew);
    assert_true(patience_limit(&p, false, &anew) == 8 && !anew);
    assert_true(patience_limit(&p, false, &anew) == 8 && !anew);
    assert_true(patience_limit(&p, true, &anew) == 0.25 && anew);
    assert_true(patience_limit(&p, true, &anew) == 0.25 && !anew);
    assert_true(patience_most(&p) == 8);
}

/* shows B.4: a process that has been left out has half of the patience then, so that all together is less than twice.
 */
static void each_time_has_half_of_the_patience(void **state)
{
    uint64_t sum = 0;
    (void)state;
    for (unsigned before = 0; before < 200; before++) {
        uint64_t spent = 0, step = UINT64_C(1) << 40;
        for (; step; step /= 2)
            if (!patience_spent(1, before, spent + step))
                spent += step;
        assert_in_range(spent, before < 30 ? 1000000000u >> before : 0, before < 31 ? 1000000000u >> before : 1);
        sum += spent;
    }
    assert_true(sum < 2000000000u);
}

/* Of many threads that spin all go; one that has hardly run in that time is not taken for one of them. */
static void who_spins_has_had_its_share(void **state)
{
    (void)state;
    assert_true(patience_shared(1000, 1000, 1));
    assert_true(patience_shared(500, 1000, 1));
    assert_true(patience_shared(62, 992, 16) && patience_shared(31, 992, 16));
    assert_false(patience_shared(30, 992, 16));
    assert_false(patience_shared(0, 0, 1));
}

/* Half a second of host time without a call or a rest is long. */
static void silence_is_noticed(void **state)
{
    (void)state;
    struct patience p = {.limit = 10};
    patience_rested(&p, 50);
    assert_int_equal(patience_look(&p, 50.5, 0), PATIENCE_LEFT);
    assert_int_equal(patience_look(&p, 50.625, 0), PATIENCE_COMPUTES);
    patience_called(&p, 51);
    assert_int_equal(patience_look(&p, 51.5, 0), PATIENCE_LEFT);
    assert_int_equal(patience_look(&p, 51.625, 0), PATIENCE_COMPUTES);
    patience_rested(&p, 52);
    assert_int_equal(patience_look(&p, 52.5, 0), PATIENCE_LEFT);
}

/* shows B.4: calls without a rest have 32 times the patience, from the first look after a rest on; then it is over
 * until the next rest, also when a client ends and its time is not counted any more. */
static void floods_have_more_patience(void **state)
{
    (void)state;
    struct patience p = {.limit = 0.25};
    patience_rested(&p, 0);
    for (unsigned round = 0; round < 2; round++) {
        const double base = 3 + 20 * round;
        for (unsigned n = 0; n <= 32; n++) {
            assert_int_equal(patience_look(&p, 0, base + 0.25 * n), PATIENCE_LEFT);
            patience_called(&p, 0);
        }
        assert_int_equal(patience_look(&p, 0, base + 8.125), PATIENCE_FLOODED);
        patience_called(&p, 0);
        assert_int_equal(patience_look(&p, 0, base + 8.125), PATIENCE_FLOODED);
        patience_rested(&p, 0);
    }
    assert_int_equal(patience_look(&p, 0, 40), PATIENCE_LEFT);
}

/* The longer somebody runs without asking, the less often it is looked; at once when there is more to do; rarely while
 * nobody needs the clock; threads that poll for nothing are slowed down after some looks. */
static void looks_become_rare(void **state)
{
    static const long restless[] = {20, 40, 80, 160, 320, 640, 1280, 2000, 2000};
    struct pace pace = {0};
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < sizeof restless / sizeof restless[0]; i++) {
            pace_restless(&pace, round && i == 0);
            assert_int_equal(pace.us, restless[i]);
        }
    }
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 20; i++) {
            pace_stepped(&pace, false, round & 1, round & 2); /* a polling thread is answered, */
            assert_int_equal(pace.us, 0);
            pace_stepped(&pace, true, round & 1, round & 2); /* and has looked in vain */
            assert_int_equal(pace.us, i < 8 ? 20 : 1000);
        }
    }
    pace_unneeded(&pace);
    assert_int_equal(pace.us, 200000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_grows_is_not_taken_for_one_that_spins),
        cmocka_unit_test(nobody_waits_for_long_patience),
        cmocka_unit_test(spinning_ends_the_patience),
        cmocka_unit_test(each_time_has_half_of_the_patience),
        cmocka_unit_test(who_spins_has_had_its_share),
        cmocka_unit_test(silence_is_noticed),
        cmocka_unit_test(floods_have_more_patience),
        cmocka_unit_test(looks_become_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
