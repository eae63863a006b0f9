/* SPDX-License-Identifier: Apache-2.0
 * When the clock stops waiting for clients that do not rest, and how often the driver looks for requests
 * (docs/reference/clock.md).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/patience.h"

/* CPU time counts from the first look after a call or a rest; at the limit there is some left. */
static void computing_ends_the_patience(void **state)
{
    (void)state;
    struct patience p = {.limit = 0.25};
    patience_rested(&p, 100);
    for (unsigned round = 0; round < 3; round++) {
        const double base = 0.75 * round;
        assert_int_equal(patience_look(&p, 100, base), PATIENCE_LEFT);
        assert_int_equal(patience_look(&p, 100, base + 0.25), PATIENCE_LEFT);
        assert_int_equal(patience_look(&p, 100, base + 0.26), PATIENCE_OVER);
        assert_int_equal(patience_look(&p, 100, base + 0.5), PATIENCE_OVER);
        if (round)
            patience_rested(&p, 100);
        else
            patience_called(&p, 100);
    }
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
        assert_int_equal(patience_look(&p, 0, base), PATIENCE_FLOODED);
        patience_rested(&p, 0);
    }
    assert_int_equal(patience_look(&p, 0, 30), PATIENCE_LEFT);
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
        cmocka_unit_test(computing_ends_the_patience),
        cmocka_unit_test(silence_is_noticed),
        cmocka_unit_test(floods_have_more_patience),
        cmocka_unit_test(looks_become_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
