/* SPDX-License-Identifier: Apache-2.0
 * The two lines at the end of a run with a policy, that of first accesses where they are served, and none without.
 */
#include "policy_bench.h"

#include <errno.h>

#include "migrate/ledger.h"

static char *printed(const struct ledger *l)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    ledger_print(out, l);
    fclose(out);
    return text;
}

static void two_lines(void **state)
{
    struct ledger l = {.policy = "periodic", .decision = 100};
    (void)state;
    ledger_add(&l, "periodic",
               &(struct move_fact){.bytes = PAGE,
                                   .begun = 1000,
                                   .ended = 2000,
                                   .wait = 1,
                                   .lock = 20,
                                   .shoot = 300,
                                   .flush = 4000,
                                   .copy = 50000,
                                   .map = 600000});
    ledger_add(&l, "order", &(struct move_fact){.bytes = 16 * PAGE, .wait = 1, .lock = 1, .map = 1});
    ledger_add(&l, "periodic", &(struct move_fact){.bytes = PAGE, .begun = 1000, .ended = 2500, .refused = -ECANCELED});
    ledger_add(&l, "periodic", &(struct move_fact){.bytes = PAGE, .begun = 5000, .ended = 5400});
    l.sums = (struct phase_sums){.reads = 70, .writes = 7, .gained = 23, .lost = 2, .batches = 2, .refused = 5};
    char *text = printed(&l);
    assert_string_equal(text, "gantry: migration: policy=periodic pages=2 bytes=8192 batches=2 undone=1 refused=5 "
                              "ordered=1 span=1900; cycles: "
                              "wait=1 lock=20 shoot-down=300 write-back=4000 copy=50000 map=600000 decision=100 each\n"
                              "gantry: far accesses: 77 (70 reads, 7 writes, 2 uncounted); without moves some 100\n");
    free(text);
    ledger_fini(&l);
}

/* Orders have their rows; late are those of the policy. */
static void a_fixed_time(void **state)
{
    struct ledger l = {.policy = "benefit", .decision = 7, .fixed = 4000};
    (void)state;
    ledger_add(&l, "benefit", &(struct move_fact){.bytes = PAGE, .fixed = 4000, .late = 1});
    ledger_add(&l, "benefit", &(struct move_fact){.bytes = PAGE, .fixed = 4000});
    ledger_add(&l, "order", &(struct move_fact){.bytes = PAGE, .fixed = 4000, .late = 9});
    char *text = printed(&l);
    assert_non_null(strstr(text, " decision=7 each; fixed: 4000 each, 1 late\ngantry: far accesses: "));
    free(text);
    ledger_fini(&l);
}

static void none_without_a_policy(void **state)
{
    struct ledger l = {0};
    (void)state;
    ledger_add(&l, "order", &(struct move_fact){.bytes = PAGE});
    char *text = printed(&l);
    assert_string_equal(text, "");
    free(text);
    ledger_fini(&l);
}

static void first_accesses(void **state)
{
    struct ledger l = {.fault_cycles = 777,
                       .faults = {.faults = 15, .moved = 0, .mapped = 2, .late = 3, .denied = 4, .ahead = 5}};
    (void)state;
    char *text = printed(&l); /* policy never */
    assert_string_equal(text, "gantry: first accesses: 15 (0 have moved their page, 2 mapped far, 3 late, 4 denied), "
                              "5 pages ahead of them; decision=777 each\n");
    free(text);
    l.policy = "first-touch";
    l.sums.batches = 1;
    l.faults.moved = 6;
    l.faults.batches = 5;
    text = printed(&l);
    assert_non_null(strstr(text, "15 (6 have moved their page, "));
    assert_non_null(strstr(text, " batches=6 "));
    assert_non_null(strstr(text, "without moves some 0 and those of pages that have moved on their first access\n"));
    free(text);
    ledger_fini(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(two_lines), cmocka_unit_test(none_without_a_policy),
                                       cmocka_unit_test(first_accesses), cmocka_unit_test(a_fixed_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
