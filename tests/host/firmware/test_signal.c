/* SPDX-License-Identifier: Apache-2.0
 * Signals: what a dependency is, what completion writes, when, and in which order (S0.15, S0.18).
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

#define BARRIER_AND 0x1503u
#define BARRIER_OR 0x1505u

/* A barrier packet without dependencies has nothing to wait for, of either kind. */
static void a_barrier_without_dependencies_completes(void **state)
{
    static const uint16_t headers[] = {BARRIER_AND, BARRIER_OR};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        put(b, signal_at(0) + 8, 1, 8);
        barrier_put(b, 0, headers[i], NULL, 0, signal_va(0));
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 0);
    }
}

/* Each of the five places counts; a signal is satisfied when all of its 64 bits are 0, and not when it is negative. */
static void every_place_and_every_bit_is_a_dependency(void **state)
{
    static const uint64_t values[] = {1, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
    static const unsigned deps[] = {1, 2, 3, 4, 5};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < 20; n++) {
        uint64_t place = signal_at(deps[n % 5]) + 8;
        put(b, signal_at(0) + 8, 1, 8);
        put(b, place, values[n / 5], 8);
        barrier_put(b, 0, BARRIER_AND, deps, 5, signal_va(0));
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 1);
        put(b, place, 0, 8);
        poll_all(b);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 0);
    }
    for (unsigned n = 0; n < 5; n++) { /* one of them is enough for a barrier-OR */
        for (unsigned i = 0; i < 5; i++)
            put(b, signal_at(deps[i]) + 8, 1, 8);
        put(b, signal_at(0) + 8, 1, 8);
        barrier_put(b, 0, BARRIER_OR, deps, 5, signal_va(0));
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 1);
        put(b, signal_at(deps[n]) + 8, 0, 8);
        poll_all(b);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 0);
    }
}

/* Completion counts the signal down by one, writes when the kernel began and ended on the GPU, then raises the event.
 */
static void completion_counts_down_and_tells_when(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 5, 8);
    put(b, signal_at(0) + 0x10, VA + MAILBOX, 8);
    put(b, signal_at(0) + 0x18, 9, 4);
    b->watch = signal_at(0) + 8;
    for (uint64_t left = 5; left-- > 0;) {
        kernel_put(b, 0, 0x1502, signal_va(0));
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), left);
        assert_int_equal(b->watched, left); /* who is woken finds the new value */
        assert_int_equal(b->events, 5 - left);
        assert_int_equal(b->last_event, 9);
        uint64_t sent = 0;
        for (unsigned i = 0; i < b->sim->logged; i++)
            if (b->sim->log[i].cmd.kind == CP_LAUNCH)
                sent = b->sim->log[i].at;
        assert_int_equal(get(b, signal_at(0) + 0x20), sent + fake_latency); /* as the fake machine runs kernels */
        assert_int_equal(get(b, signal_at(0) + 0x28), sent + fake_latency + 1000);
    }
}

/* Timestamps are written where the queue has profiling on when the packet is read, of kernels and barriers; a signal
 * without them is written in as many cycles. */
static void timestamps_are_for_profiling(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t took[2][2];
    for (unsigned n = 0; n < 6; n++) {
        const bool kernel = n & 1, profiling = n & 2; /* the first two take the first TLB invalidation along */
        put(b, amd_at(0) + 0xb4, profiling ? 8 : 0xf7, 4);
        memset(at(b, signal_at(0)), 0, 64);
        put(b, signal_at(0) + 8, 1, 8);
        if (kernel)
            kernel_put(b, 0, 0x0002, signal_va(0));
        else
            barrier_put(b, 0, 0x0003, NULL, 0, signal_va(0));
        const uint64_t now = sim_now(b->sim);
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 0);
        assert_int_equal(get(b, signal_at(0) + 0x20) != 0, profiling);
        assert_int_equal(get(b, signal_at(0) + 0x28) != 0, profiling);
        took[kernel][profiling] = sim_now(b->sim) - now;
    }
    assert_int_equal(took[0][0], took[0][1]);
    assert_int_equal(took[1][0], took[1][1]);
}

/* shows S0.18: what a kernel wrote is in memory before its signal says so. */
static void a_signal_waits_for_the_write_back(void **state)
{
    struct bench *b = *state;
    fake_cache_cycles = 3000;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 1, 8);
    kernel_put(b, 0, 0x1502, signal_va(0));
    ring(b, 0);
    while (commands(b, CP_LAUNCH) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    unsigned before = commands(b, CP_CACHE);
    while (commands(b, CP_CACHE) == before) {
        assert_int_equal(get(b, signal_at(0) + 8), 1);
        sim_run(b->sim, sim_now(b->sim) + 10);
    }
    assert_true(command_last(b, CP_CACHE)->flags & CACHE_WB_L2);
    uint64_t answered = sim_now(b->sim) + 2 * fake_latency + fake_cache_cycles - 20;
    while (sim_now(b->sim) < answered) {
        assert_int_equal(get(b, signal_at(0) + 8), 1);
        sim_run(b->sim, sim_now(b->sim) + 100);
    }
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    fake_cache_cycles = 50;
}

/* One firmware: packets of several queues that come together take their time one after another. */
static void packets_take_their_turns(void **state)
{
    struct bench *b = *state;
    uint64_t begin[4];
    for (unsigned q = 0; q < 4; q++) {
        queue_open(b, q, 0, 0);
        barrier_put(b, q, 0x0003, NULL, 0, 0);
        ring(b, q);
        run(b);
    }
    uint64_t now = sim_now(b->sim);
    for (unsigned q = 0; q < 4; q++) {
        put(b, signal_at(q) + 8, 1, 8);
        barrier_put(b, q, 0x0003, NULL, 0, signal_va(q));
        ring(b, q);
    }
    run(b);
    for (unsigned q = 0; q < 4; q++) {
        begin[q] = get(b, signal_at(q) + 0x28);
        assert_true(begin[q] >= now + (q + 1) * 100); /* 100 cycles a barrier packet */
    }
}

#define AT_PAGES 0x40000u /* two pages of client memory, at VA + AT_PAGES */
#define IN_VRAM 0x3000u   /* the second, where a case has put it into the memory of GPU 0 */

static void *word_at(struct bench *b, uint64_t offset)
{
    const bool second = offset >= AT_PAGES + 0x1000;
    return second ? pmem_vram(b->pm, 0, IN_VRAM + (offset & 0xfff), 8) : at(b, offset);
}
static uint64_t word(struct bench *b, uint64_t offset)
{
    return get64(word_at(b, offset));
}

/* shows S0.18: Wherever a signal lies across two memories, of which the second is far: who finds the value counted down
 * finds both timestamps. */
static void timestamps_lie_in_another_memory(void **state)
{
    static const unsigned cuts[] = {SIGNAL_MAILBOX, SIGNAL_EVENT, SIGNAL_START, SIGNAL_END, SIGNAL_END + 8};
    const uint64_t mailbox = VA + MAILBOX, event = 0xfedcba98;
    for (unsigned n = 0; n < sizeof cuts / sizeof cuts[0]; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        const uint64_t signal = AT_PAGES + 0x1000 - cuts[n];
        unsigned before = 0;
        memset(pmem_vram(b->pm, 0, IN_VRAM, 64), 0, 64);
        pagetable_map(b->space[0][0].pt, VA + AT_PAGES + 0x1000, pmem_addr(1, IN_VRAM), 0x1000, PTE_R | PTE_W);
        memcpy(word_at(b, signal + SIGNAL_MAILBOX), &mailbox, 8);
        memcpy(word_at(b, signal + SIGNAL_EVENT), &event, 4);
        fake_memory[1] = 2000;
        queue_open(b, 0, 0, 0);
        put(b, signal + SIGNAL_VALUE, 1, 8);
        barrier_put(b, 0, 0x0003, NULL, 0, VA + signal);
        ring(b, 0);
        while (word(b, signal + SIGNAL_VALUE) && b->sim->count) {
            sim_run(b->sim, sim_now(b->sim) + 1);
            before += word(b, signal + SIGNAL_END) && word(b, signal + SIGNAL_VALUE);
        }
        assert_true(word(b, signal + SIGNAL_START) && word(b, signal + SIGNAL_END));
        assert_int_equal(before > 0, cuts[n] <= SIGNAL_END); /* else in the same cycle */
        assert_int_equal(get(b, MAILBOX), 0);
        run(b);
        assert_int_equal(word(b, signal + SIGNAL_VALUE), 0);
        assert_int_equal(get(b, MAILBOX), event);
        assert_int_equal(b->events, 1);
        assert_int_equal(b->last_event, event);
        assert_int_equal(b->visible, 1);
    }
    fake_memory[1] = 150;
}

/* A signal and its mailbox need not lie in one line: each of their bytes gets there, and no other is touched; a part
 * whose memory is gone, or that is not mapped, holds up nothing. */
static void a_signal_lies_across_two_lines(void **state)
{
    enum { WHOLE, FIRST_GONE, SECOND_GONE, UNMAPPED };
    for (unsigned n = WHOLE; n <= UNMAPPED; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        const uint64_t signal = AT_PAGES + 0x1000 - SIGNAL_END, mailbox = MAILBOX + 60;
        queue_open(b, 0, 0, 0);
        put(b, signal + SIGNAL_VALUE, 1, 8);
        put(b, signal + SIGNAL_MAILBOX, VA + mailbox, 8);
        put(b, signal + SIGNAL_EVENT, 0xfedcba98, 8); /* the event has 4 bytes; others lie beside them */
        put(b, signal + SIGNAL_END + 8, UINT64_MAX, 8);
        for (unsigned i = 0; i < 3; i++)
            put(b, mailbox - 8 + 8 * i, UINT64_MAX, 8);
        if (n == UNMAPPED)
            pagetable_unmap(b->space[0][0].pt, VA + AT_PAGES + 0x1000, 0x1000);
        fake_fault_at = n == FIRST_GONE ? signal : n == SECOND_GONE ? signal + 64 : 0;
        barrier_put(b, 0, 0x0003, NULL, 0, VA + signal);
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, amd_at(0) + 0x80), 1);
        assert_int_equal(get(b, signal + SIGNAL_VALUE), n == FIRST_GONE);
        assert_int_equal(b->events, n != FIRST_GONE);
        assert_int_equal(get(b, signal + SIGNAL_START) != 0, n != FIRST_GONE);
        assert_int_equal(get(b, signal + SIGNAL_END) != 0, n == WHOLE || n == FIRST_GONE);
        if (n == WHOLE) /* decode, and the fence that drops translations */
            assert_int_equal(get(b, signal + SIGNAL_END) - get(b, signal + SIGNAL_START), 100 + 250);
        assert_int_equal(get(b, signal + SIGNAL_END + 8), UINT64_MAX);
        assert_int_equal(get(b, mailbox - 8), UINT64_MAX);
        assert_int_equal(get(b, mailbox + 8), UINT64_MAX);
        assert_int_equal(get(b, mailbox), n == FIRST_GONE ? UINT64_MAX : 0xfedcba98);
        assert_true(n == FIRST_GONE || b->last_event == 0xfedcba98);
        assert_false(cp_busy(b->cp[0]));
        assert_int_equal(b->errors + b->faults, 0);
        fake_fault_at = 0;
    }
}

/* A dependency whose memory is gone is none, as one that is not mapped; a slot whose header cannot be written, and a
 * read index, hold up no packet. */
static void memory_that_is_gone_holds_nothing_up(void **state)
{
    static const unsigned dep = 1;
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        queue_open(b, 0, 0, 0);
        put(b, signal_at(0) + 8, 2, 8);
        put(b, signal_at(1) + 8, 1, 8);
        fake_fault_at = n == 0 ? signal_at(1) : n == 1 ? amd_at(0) + 0x80 : 0;
        barrier_put(b, 0, 0x0103, &dep, n == 0, signal_va(0));
        barrier_put(b, 0, 0x0103, NULL, 0, signal_va(0));
        ring(b, 0);
        while (n == 2 && b->cp[0]->queues->next == 0)
            sim_run(b->sim, sim_now(b->sim) + 1);
        if (n == 2)
            fake_fault_at = slot_at(0, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 0);
        assert_int_equal(get(b, amd_at(0) + 0x80), n == 1 ? 0 : 2);
        assert_int_equal(get(b, slot_at(0, 0)) & 0xffff, n == 2 ? 0x0103 : AQL_INVALID);
        assert_false(cp_busy(b->cp[0]));
        assert_int_equal(b->errors + b->faults, 0);
        fake_fault_at = 0;
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_barrier_without_dependencies_completes), TEST(every_place_and_every_bit_is_a_dependency),
        TEST(completion_counts_down_and_tells_when),    TEST(timestamps_are_for_profiling),
        TEST(a_signal_waits_for_the_write_back),        TEST(packets_take_their_turns),
        TEST(timestamps_lie_in_another_memory),         TEST(a_signal_lies_across_two_lines),
        TEST(memory_that_is_gone_holds_nothing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
