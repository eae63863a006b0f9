/* SPDX-License-Identifier: Apache-2.0
 * Dependencies of barrier packets: which of the five places hold a signal, and which of them have to be 0 (S0.15).
 */
#include "queue_bench.h"

#define OR 0x0005u
#define LOW 0x5000u /* a page below 4 GiB, where MAILBOX + LOW lies */

static void completed(struct bench *b, uint64_t expected)
{
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), expected);
}

/* A signal alone in one of the places, of which the others are empty: it counts for both kinds of packets. */
static void one_signal_in_any_place(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    pagetable_map(b->space[0][0].pt, LOW, MAILBOX, 0x1000, PTE_R | PTE_W);
    uint64_t before = 0;
    for (unsigned n = 0; n < 20; n++) {
        const uint64_t slot = barrier_put(b, 0, n & 1 ? OR : BARRIER, NULL, 0, 0);
        put(b, slot + AQL_DEPS + 8 * (n / 4), n & 2 ? LOW : VA + MAILBOX, 8);
        put(b, MAILBOX + SIGNAL_VALUE, 1, 8);
        ring(b, 0);
        completed(b, before);
        poll_all(b);
        completed(b, before);
        put(b, MAILBOX + SIGNAL_VALUE, 0, 8);
        poll_all(b);
        completed(b, ++before);
    }
}

/* Of two signals both are waited for, or one; what is in no place does not count as one that is 0. */
static void two_signals(void **state)
{
    static const unsigned deps[] = {1, 2};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < 4; n++) {
        const bool any = n & 1, first = n & 2;
        for (unsigned i = 0; i < 2; i++)
            put(b, signal_at(deps[i]) + SIGNAL_VALUE, 1, 8);
        barrier_put(b, 0, any ? OR : BARRIER, deps, 2, 0);
        ring(b, 0);
        completed(b, n);
        put(b, signal_at(deps[first]) + SIGNAL_VALUE, 0, 8);
        poll_all(b);
        completed(b, any ? n + 1 : n);
        put(b, signal_at(deps[!first]) + SIGNAL_VALUE, 0, 8);
        poll_all(b);
        completed(b, n + 1);
    }
}

/* The word behind the places is reserved, and so is what stands before them: neither is a signal. */
static void reserved_words_are_no_signals(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(1) + SIGNAL_VALUE, 1, 8);
    for (unsigned n = 0; n < 4; n++) {
        const uint64_t slot = barrier_put(b, 0, n & 1 ? OR : BARRIER, NULL, 0, 0);
        if (n & 2)
            put(b, slot + AQL_DEPS + 40, signal_va(1), 8);
        else
            put(b, slot + 4, UINT32_MAX, 4);
        ring(b, 0);
        completed(b, n + 1);
        if (n & 2)
            put(b, slot + AQL_DEPS + 40, 0, 8);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_signal_in_any_place),
        TEST(two_signals),
        TEST(reserved_words_are_no_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
