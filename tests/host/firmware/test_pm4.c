/* SPDX-License-Identifier: Apache-2.0
 * PM4 packets in vendor-specific slots: what ROCr sends, each packet that is served, its order with packets before it,
 * and every way in which one can be damaged (B.8).
 */
#include "queue_bench.h"

#define AT_IB 0x4000u
#define AT_OUT 0x5000u
#define LO(place) (uint32_t)(VA + (place))
#define HI (uint32_t)(VA >> 32)
#define ALL (CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I | CACHE_WB_L2 | CACHE_INV_L2)
#define ACQUIRE(cntl) 0xc0055800, cntl, 0xffffffff, 0xff, 0, 0, 10
#define END 0xc0054900, 0x700, 0, 0, 0, 0, 0
#define COUNT(words) (sizeof(words) / sizeof((words)[0]))

static void ib_put(struct bench *b, uint64_t place, const uint32_t *words, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        put(b, place + 4 * i, words[i], 4);
}

/* A packet of another kind, so that what the first of an address space drops has gone. */
static void begin(struct bench *b)
{
    queue_open(b, 0, 0, 0);
    packets_put(b, 0, 1);
    run(b);
}

static unsigned caches_from(struct bench *b, unsigned from, uint32_t *flags)
{
    unsigned n = 0;
    *flags = 0;
    for (unsigned i = from; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_CACHE)
            n++, *flags |= b->sim->log[i].cmd.flags;
    return n;
}

/* What ROCr sends when code was loaded: instruction and scalar caches, the L2; then the slot is free. */
static void a_slot_of_rocr(void **state)
{
    static const uint32_t words[] = {ACQUIRE(0x28840000)};
    struct bench *b = *state;
    begin(b);
    ib_put(b, AT_IB, words, 7);
    const uint64_t s = pm4_call(b, 0, VA + AT_IB, 7);
    const unsigned from = b->sim->logged, before = b->visible;
    uint32_t flags;
    ring(b, 0);
    run(b);
    assert_int_equal(caches_from(b, from, &flags), 1);
    assert_int_equal(flags, ALL);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    assert_int_equal(get(b, s) & 0xffff, AQL_INVALID);
    assert_int_equal(b->visible - before, 1); /* the client polls the read index */
    assert_int_equal(b->errors, 0);
    assert_false(cp_busy(b->cp[0]));
}

/* Each bit of ACQUIRE_MEM and RELEASE_MEM is a cache, in the slot itself. */
static void each_cache_has_its_bit(void **state)
{
    static const struct {
        uint32_t header, bits, flags;
    } cases[] = {{0xc0055800, 1u << 29, CACHE_INV_L1I},
                 {0xc0055800, 1u << 27, CACHE_INV_L1K},
                 {0xc0055800, 1u << 22, CACHE_INV_L1V},
                 {0xc0055800, 1u << 18, CACHE_WB_L2},
                 {0xc0055800, 1u << 23, CACHE_INV_L1V | CACHE_INV_L2 | CACHE_WB_L2},
                 {0xc0055800, 0, 0},
                 {0xc0054900, 0x514 | 1u << 15, CACHE_WB_L2},
                 {0xc0054900, 0x514 | 1u << 16, CACHE_INV_L1V},
                 {0xc0054900, 0x514 | 1u << 17, CACHE_INV_L1V | CACHE_INV_L2 | CACHE_WB_L2},
                 {0xc0054900, 0x514, 0}};
    struct bench *b = *state;
    begin(b);
    for (unsigned n = 0; n < COUNT(cases); n++) {
        const uint32_t words[] = {cases[n].header, cases[n].bits, 0, 0, 0, 0, 0, END};
        const unsigned from = b->sim->logged;
        uint32_t flags;
        pm4_put(b, 0, words, COUNT(words));
        ring(b, 0);
        run(b);
        assert_int_equal(caches_from(b, from, &flags), cases[n].flags != 0);
        assert_int_equal(flags, cases[n].flags);
        assert_int_equal(get(b, amd_at(0) + 0x80), 2 + n);
    }
    assert_int_equal(b->errors, 0);
}

/* Buffers within buffers, and one that goes on in another; packets across the 16 words that are read at a time. */
static void buffers_call_buffers(void **state)
{
    static const uint32_t inner[] = {ACQUIRE(1u << 27)}, last[] = {ACQUIRE(1u << 18)};
    uint32_t outer[40];
    unsigned n = 0;
    struct bench *b = *state;
    begin(b);
    ib_put(b, AT_IB + 0x400, inner, 7);
    ib_put(b, AT_IB + 0x800, last, 7);
    for (; n < 12; n++)
        outer[n] = n % 2 ? 0xffff1000 : 0x80000000; /* filler of both kinds */
    const uint32_t rest[] = {ACQUIRE(1u << 29),
                             0xc0091000,
                             1,
                             2,
                             3,
                             4,
                             5,
                             6,
                             7,
                             8,
                             9,
                             10,
                             0xc0023f00,
                             LO(AT_IB + 0x400),
                             HI,
                             7 | 1u << 23,
                             0xc0023f00,
                             LO(AT_IB + 0x800),
                             HI,
                             7 | 1u << 20 | 1u << 23};
    memcpy(outer + n, rest, sizeof rest);
    ib_put(b, AT_IB, outer, n + COUNT(rest));
    pm4_call(b, 0, VA + AT_IB, n + COUNT(rest));
    const unsigned from = b->sim->logged;
    uint32_t flags;
    ring(b, 0);
    run(b);
    assert_int_equal(b->errors, 0);
    assert_int_equal(caches_from(b, from, &flags), 3);
    assert_int_equal(b->sim->log[from].cmd.flags, CACHE_INV_L1I);
    assert_int_equal(b->sim->log[from + 1].cmd.flags, CACHE_INV_L1K);
    assert_int_equal(b->sim->log[from + 2].cmd.flags, CACHE_WB_L2);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
}

/* Words of memory: WRITE_DATA, and RELEASE_MEM with 32 bits, 64 bits or the clock, behind its caches. */
static void memory_is_written(void **state)
{
    static const uint32_t write[] = {0xc0063700, 0x00100500, LO(AT_OUT), HI, 1, 2, 3, 4};
    struct bench *b = *state;
    begin(b);
    memset(at(b, AT_OUT), 0xee, 64);
    pm4_put(b, 0, write, COUNT(write));
    ring(b, 0);
    run(b);
    assert_int_equal(get(b, AT_OUT), 1 | UINT64_C(2) << 32);
    assert_int_equal(get(b, AT_OUT + 8), 3 | UINT64_C(4) << 32);
    assert_int_equal(get(b, AT_OUT + 16), 0xeeeeeeeeeeeeeeee);
    for (uint32_t select = 0; select < 4; select++) {
        const uint32_t words[] = {0xc0054900, 0x514 | 1u << 15, select << 29, LO(AT_OUT), HI, 7, 8, END};
        const uint64_t before = sim_now(b->sim);
        memset(at(b, AT_OUT), 0xee, 8);
        pm4_put(b, 0, words, COUNT(words));
        ring(b, 0);
        for (unsigned from = b->sim->logged; b->sim->logged == from;)
            sim_run(b->sim, sim_now(b->sim) + 1);
        sim_run(b->sim, sim_now(b->sim) + 2 * fake_latency + fake_cache_cycles - 1);
        assert_int_equal(get(b, AT_OUT), 0xeeeeeeeeeeeeeeee); /* not before the caches have answered */
        run(b);
        const uint64_t out = get(b, AT_OUT);
        if (select == 3)
            assert_true(out > before && out < sim_now(b->sim));
        else
            assert_int_equal(out, select == 0   ? 0xeeeeeeeeeeeeeeee
                                  : select == 1 ? 0xeeeeeeee00000007
                                                : 7 | UINT64_C(8) << 32);
    }
    assert_int_equal(b->errors, 0);
}

/* RELEASE_MEM and EVENT_WRITE wait for kernels before them in the queue, ACQUIRE_MEM does not; nothing waits for those
 * of another queue. */
static void earlier_kernels_are_waited_for(void **state)
{
    static const uint32_t cases[][7] = {{ACQUIRE(1u << 27)},
                                        {0xc0004600, 0x407, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000},
                                        {0xc0054900, 0x514, 1u << 29, LO(AT_OUT), HI, 9, 0}};
    struct bench *b = *state;
    begin(b);
    queue_open(b, 1, 0, 0);
    fake_launch = slow;
    for (unsigned n = 0; n < 3; n++) {
        const uint32_t write[] = {0xc0033700, 0x00100500, LO(AT_OUT + 64), HI, 5};
        uint32_t words[16];
        memcpy(words, cases[n], 28);
        memcpy(words + 7, write, 20);
        for (unsigned q = 0; q < 2; q++) { /* 1: a kernel of the other queue runs */
            memset(at(b, AT_OUT), 0, 128);
            const unsigned launches = commands(b, CP_LAUNCH), done = b->kernels;
            kernel_put(b, q, 0x0002, 0);
            ring(b, q);
            kernel_started(b, launches + 1);
            pm4_put(b, 0, words, 12);
            ring(b, 0);
            sim_run(b->sim, sim_now(b->sim) + slow_cycles / 2);
            assert_int_equal(b->kernels, done);
            assert_int_equal(get(b, AT_OUT + 64), n == 0 || q == 1 ? 5 : 0);
            run(b);
            assert_int_equal(get(b, AT_OUT + 64), 5);
            assert_int_equal(get(b, AT_OUT), n == 2 ? 9 : 0);
            assert_int_equal(get(b, amd_at(0) + 0x80), b->written[0]);
        }
    }
    assert_int_equal(b->errors, 0);
}

/* The first word of a slot is a header of PM4, whose bits are neither a barrier bit nor scopes, and other words are
 * neither dependencies nor a signal. */
static void words_of_pm4_are_no_fields_of_aql(void **state)
{
    static const unsigned deps[] = {1, 2};
    static const uint32_t words[] = {0xc0023f00, LO(AT_IB), HI, 0}; /* an empty buffer */
    struct bench *b = *state;
    begin(b);
    put(b, signal_at(2) + 8, 1, 8);
    barrier_put(b, 0, 0x0005, deps, 2, 0); /* one of them is 0 */
    const uint64_t s = pm4_put(b, 0, words, 4);
    put(b, s + 0x30, 0xc0021000 | (signal_va(2) << 32), 8);
    put(b, s + 0x38, signal_va(3), 8);
    put(b, signal_at(3) + 8, 1, 8);
    fake_launch = slow;
    kernel_put(b, 0, 0x0002, 0);
    pm4_put(b, 0, words, 4);
    const unsigned from = b->sim->logged;
    uint32_t flags;
    ring(b, 0);
    kernel_started(b, 1);
    sim_run(b->sim, sim_now(b->sim) + slow_cycles / 2);
    assert_int_equal(b->kernels, 0);
    assert_int_equal(b->queue[0]->next, 5); /* nothing held the last one back */
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 5);
    assert_int_equal(get(b, signal_at(3) + 8), 1);
    assert_int_equal(caches_from(b, from, &flags), 0);
}

/* Each stops its queue with one code and one line; what it began is answered, another queue goes on. */
static void damaged_packets_stop_the_queue(void **state)
{
    static const struct {
        const char *what;
        uint32_t words[8];
    } cases[] = {{"type 0", {0x00010000}},
                 {"type 1", {0x40010000}},
                 {"an operation that is not served", {0xc0031500}},
                 {"beyond the slot", {0xc0ff1000}},
                 {"one word beyond the slot", {0xc00f1000}},
                 {"a short ACQUIRE_MEM", {0xc0045800}},
                 {"a short RELEASE_MEM", {0xc0044900}},
                 {"a short INDIRECT_BUFFER", {0xc0013f00}},
                 {"WRITE_DATA without data", {0xc0023700, 0x500, LO(AT_OUT), HI}},
                 {"WRITE_DATA to a register", {0xc0033700, 0, 0x2c00, 0, 1}},
                 {"WRITE_DATA to one address", {0xc0033700, 0x10500, LO(AT_OUT), HI, 1}},
                 {"WRITE_DATA where nothing is mapped", {0xc0033700, 0x500, 0x1000, 0, 1}},
                 {"an interrupt", {0xc0054900, 0x514, 2u << 24, LO(AT_OUT), HI}},
                 {"RELEASE_MEM of unknown data", {0xc0054900, 0x514, 4u << 29, LO(AT_OUT), HI}},
                 {"RELEASE_MEM where nothing is mapped", {0xc0054900, 0x514, 1u << 29, 0x1000, 0}},
                 {"another event", {0xc0004600, 0x406}},
                 {"a chain from the slot", {0xc0023f00, LO(AT_IB), HI, 7 | 1u << 20}},
                 {"a buffer where nothing is mapped", {0xc0023f00, 0x1000, 0, 7}},
                 {"a buffer that calls three more", {0xc0023f00, LO(AT_IB), HI, 4}},
                 {"a chain that never ends", {0xc0023f00, LO(AT_IB + 0x140), HI, 4}},
                 {"the slot's end in a buffer", {0xc0023f00, LO(AT_IB + 0x40), HI, 7}},
                 {"a packet longer than a slot", {0xc0023f00, LO(AT_IB + 0x80), HI, 20}},
                 {"a packet beyond its buffer", {0xc0023f00, LO(AT_IB + 0x100), HI, 6}}};
    static const uint32_t call[] = {0xc0023f00, LO(AT_IB), HI, 4}, end[] = {END};
    static const uint32_t chain[] = {0xc0023f00, LO(AT_IB + 0x140), HI, 4 | 1u << 20};
    static const uint32_t wide[] = {0xc0123700, 0x500, LO(AT_OUT), HI}, acquire[] = {ACQUIRE(1u << 27)};
    struct bench *b = *state;
    for (unsigned n = 0; n < COUNT(cases); n++) {
        print_message("%s\n", cases[n].what);
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        b = *state;
        begin(b);
        queue_open(b, 1, 0, 0);
        ib_put(b, AT_IB, call, 4);
        ib_put(b, AT_IB + 0x40, end, 7);
        ib_put(b, AT_IB + 0x80, wide, 4);
        ib_put(b, AT_IB + 0x100, acquire, 7);
        ib_put(b, AT_IB + 0x140, chain, 4);
        fake_launch = slow;
        kernel_put(b, 0, 0x0002, 0);
        const unsigned words = (cases[n].words[0] >> 16 & 0x3fff) + 2; /* what is behind them is filler */
        pm4_put(b, 0, cases[n].words, words < 8 ? words : 8);
        barrier_put(b, 0, 0x0003, NULL, 0, 0);
        ring(b, 0);
        kernel_started(b, 1);
        sim_run(b->sim, sim_now(b->sim) + slow_cycles / 2);
        assert_int_equal(b->errors, 0); /* what is before it completes first */
        packets_put(b, 1, 1);
        run(b);
        assert_int_equal(b->errors, 1);
        assert_int_equal(b->last_error, CP_ERROR_VENDOR);
        assert_int_equal(get(b, signal_at(40) + 8), CP_ERROR_VENDOR);
        assert_int_equal(b->kernels, 1);
        assert_int_equal(get(b, amd_at(0) + 0x80), 2);
        assert_int_equal(get(b, amd_at(1) + 0x80), 1);
        assert_false(cp_busy(b->cp[0]));
        assert_int_equal(b->space[0][0].accesses, 0);
        cp_queue_close(b->cp[0], b->queue[0]);
        assert_ptr_equal(b->cp[0]->queues, b->queue[1]); /* nothing is left of it */
    }
}

/* A queue that is closed at any cycle of a slot's way: nothing more is begun, and all of it goes. */
static void a_queue_is_closed_meanwhile(void **state)
{
    static const uint32_t words[] = {ACQUIRE(1u << 27), 0xc0054900, 0x514 | 1u << 15, 1u << 29, LO(AT_OUT), HI, 7, 0};
    for (unsigned cycles = 0; cycles < 2000; cycles += 37) {
        assert_int_equal(cycles ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        begin(b);
        ib_put(b, AT_IB, words, COUNT(words));
        pm4_call(b, 0, VA + AT_IB, COUNT(words));
        ring(b, 0);
        sim_run(b->sim, sim_now(b->sim) + cycles);
        cp_queue_close(b->cp[0], b->queue[0]);
        run(b);
        assert_null(b->cp[0]->queues);
        assert_false(cp_busy(b->cp[0]));
        assert_int_equal(b->space[0][0].accesses, 0);
        assert_int_equal(b->space[0][0].busy, 0);
        assert_int_equal(b->errors, 0);
    }
}

/* A component that is off refuses the caches of a packet: it goes no further before that is done. */
static void refused_caches_are_asked_again(void **state)
{
    static const uint32_t words[] = {ACQUIRE(1u << 27), END};
    struct bench *b = *state;
    begin(b);
    fake_cache_status = CTL_ERROR_OFF;
    pm4_put(b, 0, words, COUNT(words));
    ring(b, 0);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_true(cp_working(b->cp[0]));
    fake_cache_status = CTL_OK;
    fences_again(b->cp[0]);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    assert_false(cp_busy(b->cp[0]));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_slot_of_rocr),
        TEST(each_cache_has_its_bit),
        TEST(buffers_call_buffers),
        TEST(memory_is_written),
        TEST(earlier_kernels_are_waited_for),
        TEST(words_of_pm4_are_no_fields_of_aql),
        TEST(damaged_packets_stop_the_queue),
        TEST(a_queue_is_closed_meanwhile),
        TEST(refused_caches_are_asked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
