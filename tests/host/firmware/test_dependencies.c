/* SPDX-License-Identifier: Apache-2.0
 * What packets depend on: which of the five places of a barrier packet hold a signal, and which of them have to be 0;
 * a kernel whose descriptor is not there yet (S0.15).
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
        const unsigned asked = b->sim->accesses;
        poll_all(b);
        completed(b, before);
        assert_int_equal(b->sim->accesses, asked); /* it has not changed */
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

/* The word behind the places is reserved, and so is what stands before them: neither is a signal, whose value would be
 * 0 or not. */
static void reserved_words_are_no_signals(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t before = 0;
    for (unsigned n = 0; n < 16; n++) {
        const bool behind = n & 2, waits = n & 4;
        const uint64_t word = signal_va(2), value = n / 8;
        const uint64_t slot = barrier_put(b, 0, n & 1 ? OR : BARRIER, &dep, waits, 0);
        put(b, signal_at(dep) + SIGNAL_VALUE, 1, 8);
        put(b, signal_at(2) + SIGNAL_VALUE, value, 8);
        put(b, slot + AQL_DEPS + 40, behind ? word : 0, 8);
        put(b, slot + 4, behind ? 0 : word, 4);
        ring(b, 0);
        completed(b, waits ? before : before + 1);
        put(b, signal_at(dep) + SIGNAL_VALUE, 0, 8);
        poll_all(b);
        completed(b, ++before);
    }
}

/* An empty place is not read, though the client has mapped what lies there. */
static void empty_places_are_not_read(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    pagetable_map(b->space[0][0].pt, 0, MAILBOX, 0x1000, PTE_R | PTE_W);
    put(b, MAILBOX + SIGNAL_VALUE, 1, 8);
    packets_put(b, 0, 1);
    completed(b, 1);
    poll_all(b);
    assert_int_equal(reads(b, MAILBOX), 0);
}

/* A signal in the last place whose memory goes while it is waited for is none any more. */
static void a_signal_that_is_unmapped(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < 5; n++) {
        pagetable_map(b->space[0][0].pt, LOW, MAILBOX, 0x1000, PTE_R | PTE_W);
        put(b, MAILBOX + SIGNAL_VALUE, UINT64_MAX, 8);
        put(b, barrier_put(b, 0, BARRIER, NULL, 0, 0) + AQL_DEPS + 8 * n, LOW, 8);
        ring(b, 0);
        completed(b, n);
        pagetable_unmap(b->space[0][0].pt, LOW, 0x1000);
        poll_all(b);
        completed(b, n + 1);
    }
}

/* A descriptor that cannot be read is an error when all packets before it have completed, not before: the kernel that
 * runs may yet be followed by the client's mapping of it. */
static void a_descriptor_that_comes_late(void **state)
{
    for (unsigned late = 0; late < 2; late++) {
        assert_int_equal(late ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = slow;
        queue_open(b, 0, 0, 0);
        kernel_put(b, 0, 0x0002, 0);
        ring(b, 0);
        kernel_started(b, 1);
        put(b, kernel_put(b, 0, 0x0002, 0) + AQL_OBJECT, LOW + 0x40, 8);
        memcpy(at(b, MAILBOX + 0x40), at(b, AT_KD), 64);
        ring(b, 0);
        sim_run(b->sim, sim_now(b->sim) + 3000);
        assert_int_equal(b->kernels, 0);
        assert_int_equal(b->errors, 0);
        if (late)
            pagetable_map(b->space[0][0].pt, LOW, MAILBOX, 0x1000, PTE_R | PTE_W);
        run(b);
        assert_int_equal(b->errors, !late);
        assert_int_equal(b->last_error, late ? 0 : CP_ERROR_CODE);
        assert_int_equal(b->kernels, 1 + late);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_signal_in_any_place),       TEST(two_signals),
        TEST(reserved_words_are_no_signals), TEST(empty_places_are_not_read),
        TEST(a_signal_that_is_unmapped),     TEST(a_descriptor_that_comes_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
