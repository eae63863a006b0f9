/* SPDX-License-Identifier: Apache-2.0
 * The table of pages and their uses: sums, order, bounds that change, its limit.
 */
#include "../migrate/policy_bench.h"

#include "policy/uses.h"

static bool add(struct uses *u, uint64_t page, uint64_t bytes, unsigned home, unsigned by, uint64_t reads)
{
    const struct page_fact f = {.page = page, .bytes = bytes, .home = home, .requester = by, .reads = reads};
    return uses_add(u, &f);
}

static void sums_and_order(void **state)
{
    struct uses u;
    (void)state;
    uses_init(&u, 3);
    assert_true(add(&u, AT(5), PAGE, 0, 1, 4));
    assert_true(add(&u, AT(2), PAGE, 0, 2, 1));
    assert_true(add(&u, AT(5), PAGE, 0, 1, 3));
    struct use *use = uses_first(&u);
    assert_int_equal(use->page.at, AT(2));
    use = uses_next(&u, use->page.at);
    assert_true(use->page.at == AT(5) && use->by[1].reads == 7);
    assert_null(uses_next(&u, use->page.at));
    assert_null(uses_find(&u, AT(5) + 64));
    const struct use_most most = use_most(&u, uses_find(&u, AT(5)), 1);
    assert_true(most.gpu == 1 && most.weight == 7 && most.others == 0);
    uses_halve(&u);
    assert_int_equal(u.pages.count, 1); /* half of one is none */
    assert_int_equal(uses_first(&u)->by[1].reads, 3);
    uses_clear(&u);
    assert_int_equal(u.pages.count, 0);
}

/* A page that was elsewhere before, or is part of a block now, begins anew. */
static void another_page_then(void **state)
{
    struct uses u;
    (void)state;
    uses_init(&u, 3);
    add(&u, AT(16), PAGE, 0, 1, 4);
    add(&u, AT(16), PAGE, 2, 1, 5);
    assert_int_equal(uses_find(&u, AT(16))->by[1].reads, 5);
    add(&u, AT(17), PAGE, 2, 1, 5);
    add(&u, AT(16), 16 * PAGE, 2, 1, 6);
    assert_int_equal(u.pages.count, 1);
    assert_int_equal(uses_find(&u, AT(16))->by[1].reads, 6);
    uses_forget(&u, AT(31), PAGE);
    assert_int_equal(u.pages.count, 0);
}

static void has_a_limit(void **state)
{
    struct uses u;
    (void)state;
    uses_init(&u, 2);
    for (unsigned i = 0; i < USES_MOST; i++)
        assert_true(add(&u, AT(i), PAGE, 0, 1, 1));
    assert_false(add(&u, AT(USES_MOST), PAGE, 0, 1, 1));
    assert_true(add(&u, AT(7), PAGE, 0, 1, 1));
    assert_int_equal(u.lost, 1);
    uses_clear(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_and_order), cmocka_unit_test(another_page_then),
                                       cmocka_unit_test(has_a_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
