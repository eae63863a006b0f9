/* SPDX-License-Identifier: Apache-2.0
 * Damping against ping-pong: levels, pins and how they go, and each policy on a page that two GPUs use in turn.
 */
#include "../migrate/policy_bench.h"

#include "policy/damping.h"

static void go(struct damping *d, unsigned from, unsigned to, uint64_t cycle)
{
    damping_moved(
        d, &(struct move_fact){.page = AT(0), .bytes = PAGE, .from = from, .to = to, .decision = 100, .ended = cycle});
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

/* ... with 0 it does not return for a while; it may go on. */
static void stays_where_it_is(void **state)
{
    struct policy_machine m = machine;
    struct damping d;
    (void)state;
    m.returns = 0;
    damping_init(&d, &m);
    assert_false(damping_stays(&d, AT(0), 0, 500)); /* it has never moved */
    go(&d, 0, 1, 1000);
    assert_false(damping_stays(&d, AT(0), 2, 2000)); /* on, not back */
    assert_false(damping_stays(&d, AT(0), 0, 1001 + m.return_cycles));
    assert_true(damping_stays(&d, AT(0), 0, 1000 + m.return_cycles));
    assert_false(damping_pinned(&d, AT(0), 2000) || damping_level(&d, AT(0), 2000));
    go(&d, 1, 2, 300000);
    assert_true(damping_stays(&d, AT(0), 0, 400000) && damping_stays(&d, AT(0), 1, 800000));
    assert_false(damping_stays(&d, AT(0), 0, 600000));
    damping_fini(&d);
    damping_init(&d, &machine);
    go(&d, 0, 1, 1000);
    assert_false(damping_stays(&d, AT(0), 0, 2000)); /* it may return three times */
    damping_fini(&d);
}

/* A program's order is no decision of a policy. */
static void ordered_is_no_move(void **state)
{
    struct policy_machine m = machine;
    struct damping d;
    (void)state;
    m.returns = 0;
    damping_init(&d, &m);
    damping_moved(&d, &(struct move_fact){.page = AT(0), .bytes = PAGE, .from = 0, .to = 1, .ended = 1000});
    assert_false(damping_stays(&d, AT(0), 0, 2000));
    assert_int_equal(d.pages.count, 0);
    damping_fini(&d);
}

static void undone_is_no_move(void **state)
{
    struct damping d;
    (void)state;
    damping_init(&d, &machine);
    go(&d, 0, 1, 1000);
    damping_moved(&d, &(struct move_fact){
                          .page = AT(0), .bytes = PAGE, .from = 1, .decision = 100, .ended = 2000, .refused = -5});
    assert_int_equal(damping_level(&d, AT(0), 2000), 0);
    damping_fini(&d);
}

/* GPU 0 and GPU 1 use a page in turn, 100 accesses in a phase; only the one that is not its home is seen. */
static unsigned turns(const char *policy, unsigned phases, unsigned returns)
{
    struct policy_machine m = machine;
    struct bench b;
    unsigned home = 0, moves = 0;
    m.returns = returns;
    open_bench(&b, policy, &m);
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
    static const char *const names[] = {"threshold", "benefit", "periodic", "adaptive"};
    (void)state;
    assert_int_equal(turns("first-touch", 200, 3), 1);
    for (unsigned i = 0; i < 4; i++) {
        assert_in_range(turns(names[i], 200, 3), 2, 4);
        assert_int_equal(turns(names[i], 200, 1), 2);
        assert_in_range(turns(names[i], 200, 0), 3, 5); /* in 2,000,000 cycles: once in 500,000 */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_double),
        cmocka_unit_test(levels_go),
        cmocka_unit_test(pinned),
        cmocka_unit_test(pinned_by_one_return),
        cmocka_unit_test(stays_where_it_is),
        cmocka_unit_test(ordered_is_no_move),
        cmocka_unit_test(undone_is_no_move),
        cmocka_unit_test(alternating_use_is_damped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
