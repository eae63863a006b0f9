/* SPDX-License-Identifier: Apache-2.0
 * Damping against ping-pong: levels, pins and how they go, and each policy on a page that two GPUs use in turn.
 */
#include "policy_bench.h"

#include "migrate/damping.h"

static void go(struct damping *d, unsigned from, unsigned to, uint64_t cycle)
{
    damping_moved(d, &(struct move_fact){.page = AT(0), .bytes = PAGE, .from = from, .to = to, .ended = cycle});
}

static void returns_double(void **state)
{
    struct damping d;
    (void)state;
    damping_init(&d, &machine);
    go(&d, 0, 1, 1000);
    assert_int_equal(damping_level(&d, AT(0), 1000), 0);
    go(&d, 1, 2, 2000); /* on, not back */
    assert_int_equal(damping_level(&d, AT(0), 2000), 0);
    go(&d, 2, 0, 501000); /* 500,000 cycles after it had left: still a return */
    assert_int_equal(damping_level(&d, AT(0), 501000), 1);
    go(&d, 0, 1, 502001); /* 500,001 */
    assert_int_equal(damping_level(&d, AT(0), 502001), 1);
    assert_false(damping_pinned(&d, AT(0), 502001));
    assert_int_equal(damping_level(&d, AT(1), 502001), 0);
    damping_fini(&d);
}

/* Half as much for each return_cycles without a return. */
static void levels_go(void **state)
{
    struct damping d;
    (void)state;
    damping_init(&d, &machine);
    go(&d, 0, 1, 1000);
    go(&d, 1, 0, 2000);
    go(&d, 0, 1, 3000);
    assert_int_equal(damping_level(&d, AT(0), 3000), 2);
    assert_int_equal(damping_level(&d, AT(0), 502999), 2);
    assert_int_equal(damping_level(&d, AT(0), 503000), 1);
    assert_int_equal(damping_level(&d, AT(0), 1003000), 0);
    damping_sweep(&d, 502999);
    assert_int_equal(d.pages.count, 1);
    damping_sweep(&d, 1003000);
    assert_int_equal(d.pages.count, 0);
    damping_fini(&d);
}

/* After three returns it stays for pin_cycles; the level has a limit. */
static void pinned(void **state)
{
    struct damping d;
    uint64_t now = 1000;
    (void)state;
    damping_init(&d, &machine);
    go(&d, 0, 1, now);
    for (unsigned returns = 1; returns <= 9; returns++) {
        now += 1000;
        go(&d, returns % 2, 1 - returns % 2, now);
        assert_int_equal(damping_level(&d, AT(0), now), returns < 6 ? returns : 6);
        if (returns < 3)
            assert_false(damping_pinned(&d, AT(0), now));
        if (returns % 3 == 0) {
            assert_true(damping_pinned(&d, AT(0), now + 1999999));
            assert_false(damping_pinned(&d, AT(0), now + 2000000));
        }
    }
    damping_sweep(&d, now + 1999999);
    assert_int_equal(d.pages.count, 1);
    damping_gone(&d, AT(0), PAGE);
    assert_int_equal(d.pages.count, 0);
    damping_fini(&d);
}

/* Key migrate.returns: with 1 the first return pins it. */
static void pinned_by_one_return(void **state)
{
    struct policy_machine m = machine;
    struct damping d;
    (void)state;
    m.returns = 1;
    damping_init(&d, &m);
    go(&d, 0, 1, 1000);
    go(&d, 1, 2, 2000); /* on, not back */
    assert_false(damping_pinned(&d, AT(0), 2000));
    go(&d, 2, 1, 3000);
    assert_true(damping_pinned(&d, AT(0), 2002999));
    assert_false(damping_pinned(&d, AT(0), 2003000));
    damping_fini(&d);
}

static void undone_is_no_move(void **state)
{
    struct damping d;
    (void)state;
    damping_init(&d, &machine);
    go(&d, 0, 1, 1000);
    damping_moved(&d, &(struct move_fact){.page = AT(0), .bytes = PAGE, .from = 1, .ended = 2000, .refused = -5});
    assert_int_equal(damping_level(&d, AT(0), 2000), 0);
    damping_fini(&d);
}

/* GPU 0 and GPU 1 use a page in turn, 100 accesses in a phase; only the one that is not its home is seen. */
static unsigned turns(const char *policy, unsigned phases)
{
    struct bench b;
    unsigned home = 0, moves = 0;
    open_bench(&b, policy, &machine);
    for (unsigned i = 1; i <= phases; i++) {
        const unsigned user = i % 2;
        if (user != home)
            used(&b, AT(0), home, user, 110, 0);
        if (phase_ends(&b, i * 10000) == 0)
            continue;
        assert_int_equal(b.out[0].to, user);
        has_moved(&b, AT(0), home, user, 300, 1);
        home = user;
        moves++;
    }
    close_bench(&b);
    return moves;
}

/* Without damping it would move in each of 200 phases.  In 2,000,000 cycles: there, three returns, pinned. */
static void alternating_use_is_damped(void **state)
{
    (void)state;
    assert_int_equal(turns("first-touch", 200), 1);
    assert_in_range(turns("threshold", 200), 2, 4);
    assert_in_range(turns("benefit", 200), 2, 4);
    assert_in_range(turns("periodic", 200), 2, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_double),
        cmocka_unit_test(levels_go),
        cmocka_unit_test(pinned),
        cmocka_unit_test(pinned_by_one_return),
        cmocka_unit_test(undone_is_no_move),
        cmocka_unit_test(alternating_use_is_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
