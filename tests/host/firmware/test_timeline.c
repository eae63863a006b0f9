/* SPDX-License-Identifier: Apache-2.0
 * A packet's way in cycles, each step of docs/reference/firmware.md at its cycle: what the configuration says and what
 * memory and the GPU take, and nothing else; the one firmware thread; what the kernel table says of it (S3.4).
 */
#include "queue_bench.h"

#define READ 200u  /* to host memory and back */
#define CACHE 250u /* from a CP_CACHE to its answer */

static uint64_t command_at(const struct bench *b, unsigned from, unsigned kind, unsigned nth)
{
    for (unsigned i = from; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == kind && nth-- == 0)
            return b->sim->log[i].at;
    return 0;
}

/* Cycle at which the slot of packet `index` was made INVALID. */
static uint64_t given_at(const struct bench *b, unsigned from, unsigned q, uint64_t index)
{
    for (unsigned i = from; i < b->sim->accesses; i++)
        if (b->sim->access[i].req.op == MEM_WRITE && b->sim->access[i].req.addr == slot_at(q, index))
            return b->sim->access[i].asked;
    return 0;
}

/* From the doorbell on; 0: there is no such step. */
static const struct timeline {
    uint16_t header;
    bool kernel, signal;
    unsigned acquire, launch, release, given;
} timelines[] = {
    /* bell 40, index and packet 200, decode 100 */
    {0x0003, false, false, 0, 0, 0, 340},
    {0x0003, false, true, 0, 0, 0, 390},
    {0x1503, false, false, 340, 0, 0, 590},
    {0x1503, false, true, 340, 0, 0, 640},
    /* a release alone is a fence of a barrier packet, too */
    {0x1003, false, true, 340, 0, 0, 640},
    {0x0403, false, true, 340, 0, 0, 640},
    {0x0a03, false, true, 340, 0, 0, 640},
    {0x0803, false, true, 0, 0, 0, 390},
    /* descriptor 200 more, launch 200, its kernel 1200 */
    {0x0002, true, false, 0, 740, 0, 1940},
    {0x0002, true, true, 0, 740, 0, 1990},
    {0x0b02, true, true, 540, 990, 0, 2240},
    {0x1502, true, true, 540, 990, 2190, 2490},
    {0x1502, true, false, 540, 990, 2190, 2440},
    {0x1002, true, true, 0, 740, 1940, 2240},
};

static void packets_take_their_cycles(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    packets_put(b, 0, 1); /* takes the first TLB invalidation along */
    run(b);
    for (unsigned n = 0; n < sizeof timelines / sizeof timelines[0]; n++) {
        const struct timeline *t = &timelines[n];
        const unsigned from = b->sim->logged, asked = b->sim->accesses;
        const uint64_t index = b->written[0], now = sim_now(b->sim), signal = t->signal ? signal_va(0) : 0;
        memset(at(b, signal_at(0)), 0, 64);
        put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
        if (t->kernel)
            kernel_put(b, 0, t->header, signal);
        else
            barrier_put(b, 0, t->header, NULL, 0, signal);
        ring(b, 0);
        run(b);
        print_message("header %04x\n", t->header);
        assert_int_equal(t->acquire ? command_at(b, from, CP_CACHE, 0) - now : 0, t->acquire);
        assert_int_equal(t->launch ? command_at(b, from, CP_LAUNCH, 0) - now : 0, t->launch);
        assert_int_equal(t->release ? command_at(b, from, CP_CACHE, t->acquire != 0) - now : 0, t->release);
        assert_int_equal(b->sim->logged - from, (t->acquire != 0) + 2 * (t->launch != 0) + (t->release != 0));
        if (t->launch) /* 200 before it, and not before its fence */
            assert_int_equal(command_at(b, from, CP_FETCH, 0) - now, t->acquire ? t->acquire : t->launch - 200);
        assert_int_equal(given_at(b, asked, 0, index) - now, t->given);
        assert_int_equal(sim_now(b->sim), now + t->given + READ);
        assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), !t->signal);
        if (t->signal) { /* of a barrier packet: from decode to the end of its fence */
            const uint64_t begin = t->kernel ? t->launch + fake_latency : 240;
            const uint64_t end = t->kernel ? begin + 1000 : t->given - 50;
            assert_int_equal(get(b, signal_at(0) + SIGNAL_START) - now, begin);
            assert_int_equal(get(b, signal_at(0) + SIGNAL_END) - now, end);
        }
    }
}

/* The next packet is read as soon as the one before it is on its way, also what it depends on, unless its barrier bit
 * says that it waits. */
static void the_next_packet_is_read_beside(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    packets_put(b, 0, 1);
    run(b);
    for (unsigned bit = 0; bit < 2; bit++) {
        const uint64_t now = sim_now(b->sim), index = b->written[0];
        const unsigned from = b->sim->accesses;
        kernel_put(b, 0, 0x0002, 0);
        kernel_put(b, 0, bit ? 0x0102 : 0x0002, 0);
        ring(b, 0);
        run(b);
        uint64_t packet = 0, described[2] = {0, 0};
        for (unsigned i = from, n = 0; i < b->sim->accesses; i++) {
            const struct msg_mem_req *req = &b->sim->access[i].req;
            if (req->op == MEM_READ_NC && req->addr == slot_at(0, index + 1) && !packet)
                packet = b->sim->access[i].asked;
            if (req->op == MEM_READ_NC && req->addr == AT_KD)
                described[n++] = b->sim->access[i].asked;
        }
        assert_int_equal(described[0] - now, BELL + READ);
        assert_int_equal(packet - now, BELL + 2 * READ); /* the first is being decoded */
        assert_int_equal(described[1] - now, bit ? 1940 : BELL + 3 * READ);
    }
}

/* Packets of several queues that come together: the thread decodes them one after another, and launches, and completes;
 * memory is waited for beside it. */
static void one_thread_for_all_queues(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 3; q++)
        queue_open(b, q, 0, 0);
    packets_put(b, 0, 1);
    run(b);
    const unsigned from = b->sim->logged, asked = b->sim->accesses;
    const uint64_t now = sim_now(b->sim);
    for (unsigned q = 0; q < 3; q++) {
        put(b, signal_at(q) + SIGNAL_VALUE, 1, 8);
        kernel_put(b, q, 0x0002, signal_va(q));
        ring(b, q);
    }
    run(b);
    /* decoded at 540, 640 and 740; the first launch is begun at 540, behind the work on the others */
    static const unsigned launched[] = {940, 1140, 1340};
    for (unsigned q = 0; q < 3; q++) {
        assert_int_equal(command_at(b, from, CP_LAUNCH, q) - now, launched[q]);
        assert_int_equal(given_at(b, asked, q, q ? 0 : 1) - now, launched[q] + 1250);
    }
    /* two signals at once: the second waits for the first */
    const unsigned again = b->sim->accesses;
    const uint64_t later = sim_now(b->sim);
    for (unsigned q = 0; q < 2; q++) {
        put(b, signal_at(q) + SIGNAL_VALUE, 1, 8);
        barrier_put(b, q, q ? BARRIER : 0x0b03, NULL, 0, signal_va(q)); /* of the first the fence takes 250 */
    }
    ring(b, 0);
    sim_run(b->sim, later + 150);
    ring(b, 1);
    run(b);
    assert_int_equal(given_at(b, again, 1, 1) - later, 150 + 340 + 50);
    assert_int_equal(given_at(b, again, 0, 2) - later, 340 + CACHE + 50);
}

static uint64_t ends_at_once(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd;
    evt->instructions = 1234;
    evt->data = 77;
    return 300;
}

/* Each field of a kernel's row, also of one that has not ended when the run does. */
static void rows_are_complete(void **state)
{
    struct bench *b = *state;
    fake_launch = ends_at_once;
    queue_open(b, 5, 1, 1);
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t packet = kernel_put(b, 5, 0x0002, 0);
        put(b, packet + 4, 16 | 4ull << 16 | 2ull << 32, 8);
        put(b, packet + 0xc, 33 | 9ull << 32, 8);
        put(b, packet + 0x14, 5, 4);
        ring(b, 5);
        if (n == 0)
            run(b);
        else
            kernel_started(b, 2);
    }
    const uint64_t launched = b->sim->log[b->sim->logged - 1].at, first = command_at(b, 0, CP_LAUNCH, 0);
    cp_unfinished(b->cp[1]);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(b->unfinished, 1);
    for (unsigned n = 0; n < 2; n++) {
        const struct kernel_row *row = n ? &b->last_unfinished : &b->rows[0];
        assert_int_equal(row->process, 0); /* the driver's */
        assert_int_equal(row->gpu, 1);
        assert_int_equal(row->queue, 5);
        assert_string_equal(row->name, "rocr.copy_misaligned");
        assert_true(row->grid[0] == 33 && row->grid[1] == 9 && row->grid[2] == 5);
        assert_true(row->group[0] == 16 && row->group[1] == 4 && row->group[2] == 2);
        assert_false(row->untimed);
        assert_int_equal(row->unfinished, n);
        assert_int_equal(row->start, n ? launched : first + fake_latency);
        assert_int_equal(row->end, n ? 0 : first + fake_latency + 300);
        assert_int_equal(row->groups, 3 * 3 * 3);
        assert_int_equal(row->wavefronts, n ? 0 : 77);
        assert_int_equal(row->instructions, n ? 0 : 1234);
    }
    run(b);
    assert_int_equal(b->kernels, 2);
}

/* Launches go in the order in which their fences were done, not in that of their places; one more as one ends. */
static void launches_keep_the_order_of_their_fences(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    for (unsigned q = 0; q < 11; q++)
        queue_open(b, q, 0, 0);
    packets_put(b, 0, 1);
    run(b);
    for (unsigned q = 0; q < 8; q++) { /* all launches are taken */
        kernel_put(b, q, 0x0002, 0);
        ring(b, q);
    }
    kernel_started(b, 8);
    fake_cache_cycles = 1000;
    for (unsigned q = 8; q < 11; q++) { /* the first of them has a fence */
        put(b, kernel_put(b, q, q == 8 ? 0x0a02 : 0x0002, 0) + 0xc, q, 4);
        ring(b, q);
    }
    run(b);
    fake_cache_cycles = 50;
    static const unsigned order[] = {9, 10, 8};
    unsigned seen = 0;
    for (unsigned i = 0, n = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_LAUNCH && n++ >= 8)
            assert_int_equal(b->sim->log[i].cmd.grid[0], order[seen++]);
    assert_int_equal(seen, 3);
    assert_int_equal(b->kernels, 11);
    assert_int_equal(b->cp[0]->launches, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(packets_take_their_cycles), TEST(the_next_packet_is_read_beside),          TEST(one_thread_for_all_queues),
        TEST(rows_are_complete),         TEST(launches_keep_the_order_of_their_fences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
