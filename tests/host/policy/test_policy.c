/* SPDX-License-Identifier: Apache-2.0
 * Each policy by tables of counts and the decisions that follow from its documented condition, worked by hand; what
 * is refused, freed, or more than there is room for.
 */
#include "../migrate/policy_bench.h"

#include <errno.h>

#define NOBODY UINT_MAX
#include <limits.h>

/* Uses of one page of GPU 0 in a phase, by the GPUs 1, 2, 3: who gets it. */
struct line {
    struct {
        uint64_t reads, writes;
    } by[3];
    unsigned gets;
};

static void judge(const char *policy, const struct policy_machine *m, const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct bench b;
        open_bench(&b, policy, m);
        for (unsigned g = 1; g < 4; g++)
            if (lines[i].by[g - 1].reads | lines[i].by[g - 1].writes)
                used(&b, AT(0), 0, g, lines[i].by[g - 1].reads, lines[i].by[g - 1].writes);
        const size_t n = phase_ends(&b, 10000);
        if (n != (lines[i].gets != NOBODY) || (n && (b.out[0].page != AT(0) || b.out[0].to != lines[i].gets)))
            fail_msg("%s, line %zu: %zu decisions, to gpu%u", policy, i, n, n ? b.out[0].to : 99);
        close_bench(&b);
    }
}
#define JUDGE(policy, m, lines) judge(policy, m, lines, sizeof(lines) / sizeof(lines)[0])

/* shows S1.7: counters are reported to the MMU, which decides by a migration condition. */
static void periodic_by_its_condition(void **state)
{
    static const struct line lines[] = {
        {{{31, 0}}, NOBODY},                   /* one below the threshold of 32 */
        {{{32, 0}}, 1},                        /* at it */
        {{{0, 32}}, 1},                        /* a write is a read */
        {{{16, 16}}, 1},                       /* together */
        {{{0, 0}, {100, 0}}, 2},               /* whoever it is */
        {{{40, 0}, {38, 0}}, 1},               /* 40 of 78: 51.3 percent */
        {{{40, 0}, {39, 0}}, NOBODY},          /* 40 of 79: 50.6 */
        {{{51, 0}, {25, 0}, {24, 0}}, 1},      /* 51 of 100 */
        {{{50, 0}, {25, 0}, {25, 0}}, NOBODY}, /* 50 of 100 */
        {{{0, 0}, {0, 0}, {0, 4095}}, 3},      /* a saturated counter */
    };
    (void)state;
    JUDGE("periodic", &machine, lines);
}

static void periodic_condition_is_data(void **state)
{
    static const struct line lines[] = {
        {{{5, 0}}, NOBODY},
        {{{6, 0}}, 1},
        {{{0, 2}}, 1}, /* a write is three reads */
        {{{0, 1}}, NOBODY},
        {{{9, 0}, {1, 0}}, 1}, /* 90 percent */
        {{{8, 0}, {1, 0}}, NOBODY},
        {{{0, 3}, {1, 0}, {0, 0}}, 1} /* 9 of 10 */
    };
    struct policy_machine m = machine;
    (void)state;
    m.threshold = 6;
    m.share = 90;
    m.write_weight = 3;
    JUDGE("periodic", &m, lines);
}

/* The share is one of this phase, in which counters began at zero (S1.4); the accesses are those since it came. */
static void periodic_share_of_the_phase(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, "periodic", &machine);
    used(&b, AT(0), 0, 1, 31, 0);
    used(&b, AT(0), 0, 2, 900, 0);
    b.ops->moved(b.own, &(struct move_fact){.page = AT(0), .bytes = PAGE, .to = 2, .refused = -ENOMEM});
    assert_int_equal(phase_ends(&b, 10000), 1); /* and was refused */
    used(&b, AT(0), 0, 1, 51, 0);
    used(&b, AT(0), 0, 2, 49, 0);
    assert_int_equal(phase_ends(&b, 20000), 1);
    assert_int_equal(b.out[0].to, 1); /* 82 of 1031 so far, 51 of 100 in this phase */
    used(&b, AT(0), 0, 1, 50, 0);
    used(&b, AT(0), 0, 2, 50, 0);
    assert_int_equal(phase_ends(&b, 30000), 0);
    close_bench(&b);
}

static void used_block(struct bench *b, uint64_t page, unsigned by, uint64_t reads)
{
    const struct page_fact f = {.page = page, .bytes = BLOCK, .requester = by, .reads = reads};
    b->ops->count(b->own, &f);
}

/* migrate.threshold is for each 4 KiB: 16 times as many for a block. */
static void threshold_by_size(void **state)
{
    static const char *const names[] = {"threshold", "periodic", "adaptive"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct bench b;
        open_bench(&b, names[i], &machine);
        used_block(&b, AT(0), 1, 511);
        assert_int_equal(phase_ends(&b, 10000), 0);
        used_block(&b, AT(0), 1, 1);
        assert_int_equal(phase_ends(&b, 20000), 1);
        assert_string_equal(b.out[0].why + strlen(b.out[0].why) - 12, "at least 512");
        close_bench(&b);
    }
}

/* Once one page goes, others from the same memory to the same GPU go with half of the accesses. */
static void others_go_along(void **state)
{
    static const char *const names[] = {"threshold", "periodic", "adaptive"};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct bench b;
        open_bench(&b, names[i], &machine);
        used(&b, AT(0), 0, 1, 16, 0);
        assert_int_equal(phase_ends(&b, 10000), 0);
        used(&b, AT(1), 0, 1, 15, 0); /* fewer than half */
        used(&b, AT(2), 0, 2, 16, 0); /* to another GPU */
        used(&b, AT(3), 3, 1, 16, 0); /* from another one */
        used(&b, AT(4), 0, 1, 32, 0);
        assert_int_equal(phase_ends(&b, 20000), 2);
        assert_true(b.out[0].page == AT(0) && b.out[0].to == 1 && b.out[1].page == AT(4) && b.out[1].to == 1);
        assert_string_equal(b.out[0].why, "16 by gpu1, 0 by others: 16, at least 32 with others");
        close_bench(&b);
    }
}

/* S1.6: all of a phase in one answer, by their addresses. */
static void periodic_all_at_once(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, "periodic", &machine);
    for (unsigned i = 0; i < ROOM + 4; i++)
        used(&b, AT(i), i % 2, 2 + i % 2, 32 + i, 0);
    assert_int_equal(phase_ends(&b, 10000), ROOM); /* what there is room for */
    for (unsigned i = 0; i < ROOM; i++)
        assert_true(b.out[i].page == AT(i) && b.out[i].to == 2 + i % 2);
    assert_string_equal(b.out[0].why, "32 by gpu2, 0 by others: 32, at least 32");
    close_bench(&b);
}

static void threshold_over_the_others(void **state)
{
    static const struct line lines[] = {
        {{{31, 0}}, NOBODY},
        {{{30, 2}}, 1},
        {{{72, 0}, {40, 0}}, 1},               /* 32 more */
        {{{71, 0}, {40, 0}}, NOBODY},          /* 31 more */
        {{{20, 0}, {20, 0}, {72, 0}}, 3},      /* 32 more than both others */
        {{{20, 0}, {21, 0}, {72, 0}}, NOBODY}, /* 31 */
    };
    (void)state;
    JUDGE("threshold", &machine, lines);
    JUDGE("adaptive", &machine, lines);
}

/* Sums go on from phase to phase, halve each return_cycles, and begin anew where the page is then. */
static void threshold_sums(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, "threshold", &machine);
    used(&b, AT(0), 0, 1, 16, 0);
    assert_int_equal(phase_ends(&b, 10000), 0);
    used(&b, AT(0), 0, 1, 15, 0);
    assert_int_equal(phase_ends(&b, 20000), 0);
    used(&b, AT(0), 0, 1, 1, 0);
    assert_int_equal(phase_ends(&b, 30000), 1);
    assert_string_equal(b.out[0].why, "32 by gpu1, 0 by others: 32, at least 32");
    has_moved(&b, AT(0), 0, 1, 300, 1);
    used(&b, AT(0), 1, 0, 31, 0);
    assert_int_equal(phase_ends(&b, 40000), 0);
    used(&b, AT(1), 0, 1, 31, 0);
    assert_int_equal(phase_ends(&b, 540000), 0); /* from here on 15 of AT(0) and of AT(1) */
    used(&b, AT(1), 0, 1, 16, 0);
    assert_int_equal(phase_ends(&b, 550000), 0);
    used(&b, AT(1), 0, 1, 1, 0);
    assert_int_equal(phase_ends(&b, 560000), 1);
    close_bench(&b);
}

static void refused_stays_wanted(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, "threshold", &machine);
    used(&b, AT(0), 0, 1, 40, 0);
    assert_int_equal(phase_ends(&b, 10000), 1);
    b.ops->moved(b.own, &(struct move_fact){.page = AT(0), .bytes = PAGE, .to = 1, .refused = -ENOMEM});
    used(&b, AT(1), 0, 1, 1, 0);
    assert_int_equal(phase_ends(&b, 20000), 1);
    assert_true(b.out[0].page == AT(0));
    close_bench(&b);
}

/* Cost 300 a move and 3 an access at first: 100 accesses are no gain, 101 are. */
static void benefit_against_cost(void **state)
{
    static const struct line lines[] = {
        {{{100, 0}}, NOBODY}, {{{101, 0}}, 1}, {{{50, 51}}, 1}, {{{101, 0}, {101, 0}}, 1}, {{{99, 0}, {102, 0}}, 2},
    };
    (void)state;
    JUDGE("benefit", &machine, lines);
}

/* Each move is an eighth of the mean: 300, then (7 x 300 + 1,100) / 8 = 400; four pages in 4,400 cycles are four of
 * 1,100 each: 487, 564, 631, 690. */
static void benefit_measures(void **state)
{
    struct bench b;
    (void)state;
    open_bench(&b, "benefit", &machine);
    b.cycle = 10000;
    has_moved(&b, AT(9), 0, 1, 1100, 1);
    used(&b, AT(0), 0, 1, 133, 0);
    assert_int_equal(phase_ends(&b, 20000), 0); /* 399 */
    used(&b, AT(0), 0, 1, 1, 0);
    assert_int_equal(phase_ends(&b, 30000), 1); /* 402 */
    assert_string_equal(b.out[0].why, "134 by gpu1, 0 by others: 402, at least 401");
    for (unsigned i = 0; i < 4; i++)
        has_moved(&b, AT(20 + i), 0, 1, 4400, 4);
    used(&b, AT(1), 0, 1, 230, 0);
    used(&b, AT(2), 0, 1, 114, 0);              /* 342: not half of it */
    assert_int_equal(phase_ends(&b, 40000), 2); /* AT(0) has not moved, and goes along: 402 of 690 */
    close_bench(&b);
}

static void first_touch_once(void **state)
{
    static const struct line lines[] = {{{{1, 0}}, 1}, {{{0, 1}}, 1}, {{{3, 0}, {4, 0}}, 2}, {{{4, 0}, {4, 0}}, 1}};
    struct bench b;
    (void)state;
    JUDGE("first-touch", &machine, lines);
    open_bench(&b, "first-touch", &machine);
    b.ops->moved(b.own, &(struct move_fact){.page = AT(0), .bytes = PAGE, .to = 1}); /* by the program's order */
    used(&b, AT(0), 0, 1, 1, 0);
    used(&b, AT(1), 0, 1, 1, 0);
    assert_int_equal(phase_ends(&b, 10000), 2);
    has_moved(&b, AT(0), 0, 1, 300, 1);
    b.ops->moved(b.own, &(struct move_fact){.page = AT(1), .bytes = PAGE, .to = 1, .refused = -EBUSY});
    used(&b, AT(0), 1, 0, 1000, 1000);
    used(&b, AT(1), 0, 1, 1, 0);
    assert_int_equal(phase_ends(&b, 20000), 1); /* the one that has not gone */
    assert_true(b.out[0].page == AT(1));
    b.ops->gone(b.own, AT(0), PAGE); /* and its memory is another one's */
    used(&b, AT(0), 0, 2, 1, 0);
    assert_int_equal(phase_ends(&b, 30000), 1);
    close_bench(&b);
}

static enum fault_verdict asked(struct bench *b, uint64_t page, unsigned by)
{
    const struct fault_fact f = {.page = page, .bytes = PAGE, .requester = by, .cycle = b->cycle};
    return b->ops->fault(b->own, &f);
}

/* So many bytes come to a GPU at a time; what has come, was refused or freed makes room, what came by its counts never
 * took any. */
static void adaptive_so_much_at_a_time(void **state)
{
    struct policy_machine m = machine;
    struct bench b;
    (void)state;
    m.first_bytes = 2 * PAGE;
    open_bench(&b, "adaptive", &m);
    assert_int_equal(asked(&b, AT(0), 1), FAULT_MOVE);
    assert_int_equal(asked(&b, AT(1), 1), FAULT_MOVE);
    assert_int_equal(asked(&b, AT(2), 1), FAULT_FAR);
    assert_int_equal(asked(&b, AT(2), 2), FAULT_MOVE); /* to another GPU */
    has_moved(&b, AT(9), 0, 1, 300, 1);
    assert_int_equal(asked(&b, AT(3), 1), FAULT_FAR);
    has_moved(&b, AT(0), 0, 1, 300, 1);
    assert_int_equal(asked(&b, AT(3), 1), FAULT_MOVE);
    assert_int_equal(asked(&b, AT(4), 1), FAULT_FAR);
    b.ops->moved(b.own, &(struct move_fact){.page = AT(1), .bytes = PAGE, .to = 1, .refused = -ECANCELED});
    assert_int_equal(asked(&b, AT(4), 1), FAULT_MOVE);
    b.ops->gone(b.own, AT(3), PAGE);
    assert_int_equal(asked(&b, AT(5), 1), FAULT_MOVE);
    assert_int_equal(asked(&b, AT(6), 1), FAULT_FAR);
    assert_int_equal(asked(&b, AT(4), 1), FAULT_FAR); /* it comes already, and is no second time */
    const struct fault_fact big = {.page = AT(16), .bytes = BLOCK, .requester = 3};
    assert_int_equal(b.ops->fault(b.own, &big), FAULT_FAR); /* more than may come at all */
    close_bench(&b);
}

/* Where a page has come back to, others than who has it look at it from afar; so does who copies. */
static void adaptive_not_to_and_fro(void **state)
{
    struct policy_machine m = machine;
    struct bench b;
    (void)state;
    m.first_bytes = 8 * PAGE;
    open_bench(&b, "adaptive", &m);
    assert_int_equal(asked(&b, AT(0), 1), FAULT_MOVE);
    has_moved(&b, AT(0), 0, 1, 300, 1);
    assert_int_equal(asked(&b, AT(0), 2), FAULT_MOVE); /* no return yet */
    has_moved(&b, AT(0), 1, 2, 300, 1);
    has_moved(&b, AT(0), 2, 0, 300, 1);
    b.cycle = 300;
    assert_int_equal(asked(&b, AT(0), 3), FAULT_FAR);
    assert_int_equal(asked(&b, AT(1), 3), FAULT_MOVE);
    b.cycle += m.return_cycles;
    assert_int_equal(asked(&b, AT(0), 3), FAULT_MOVE); /* forgotten by then */
    const struct fault_fact engine = {.page = AT(2), .bytes = PAGE, .requester = 1, .engine = true};
    assert_int_equal(b.ops->fault(b.own, &engine), FAULT_FAR);
    close_bench(&b);
}

/* A page that is back is pinned, here at its first return. */
static void adaptive_pinned(void **state)
{
    struct policy_machine m = machine;
    struct bench b;
    (void)state;
    m.first_bytes = PAGE;
    m.returns = 1;
    open_bench(&b, "adaptive", &m);
    has_moved(&b, AT(0), 0, 1, 300, 1);
    has_moved(&b, AT(0), 1, 0, 300, 1);
    b.cycle = m.return_cycles + 1000; /* its level is gone */
    assert_int_equal(asked(&b, AT(0), 2), FAULT_FAR);
    b.cycle = m.pin_cycles + 1000;
    assert_int_equal(asked(&b, AT(0), 2), FAULT_MOVE);
    close_bench(&b);
}

static void never_never(void **state)
{
    static const struct line lines[] = {{{{4095, 4095}, {4095, 4095}, {4095, 4095}}, NOBODY}};
    (void)state;
    JUDGE("never", &machine, lines);
}

/* Memory that is somebody else's has no past. */
static void freed_is_forgotten(void **state)
{
    static const char *const names[] = {"threshold", "periodic", "benefit", "first-touch", "adaptive"};
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct bench b;
        open_bench(&b, names[i], &machine);
        used(&b, AT(0), 0, 1, 4000, 0);
        used(&b, AT(1), 0, 1, 4000, 0);
        b.ops->gone(b.own, AT(1), PAGE);
        assert_int_equal(phase_ends(&b, 10000), 1);
        assert_true(b.out[0].page == AT(0));
        close_bench(&b);
    }
}

static void by_name(void **state)
{
    (void)state;
    assert_ptr_equal(policy_find("first-touch"), &policy_first_touch);
    assert_null(policy_find("first_touch"));
    assert_null(policy_find(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periodic_by_its_condition),
        cmocka_unit_test(periodic_condition_is_data),
        cmocka_unit_test(periodic_share_of_the_phase),
        cmocka_unit_test(periodic_all_at_once),
        cmocka_unit_test(threshold_over_the_others),
        cmocka_unit_test(threshold_sums),
        cmocka_unit_test(threshold_by_size),
        cmocka_unit_test(others_go_along),
        cmocka_unit_test(refused_stays_wanted),
        cmocka_unit_test(benefit_against_cost),
        cmocka_unit_test(benefit_measures),
        cmocka_unit_test(first_touch_once),
        cmocka_unit_test(adaptive_so_much_at_a_time),
        cmocka_unit_test(adaptive_not_to_and_fro),
        cmocka_unit_test(adaptive_pinned),
        cmocka_unit_test(never_never),
        cmocka_unit_test(freed_is_forgotten),
        cmocka_unit_test(by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
