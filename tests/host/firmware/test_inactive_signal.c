/* SPDX-License-Identifier: Apache-2.0
 * The inactive signal of a queue at each of its steps: a request for scratch, its answer, memory that is taken back,
 * the end of its queue, and memory that is gone (B.8).
 */
#include "queue_bench.h"

#define EVENT 9u
#define INACTIVE signal_at(40) /* of queue 0 */
#define VALUE (INACTIVE + SIGNAL_VALUE)

static unsigned stores(struct bench *b, unsigned from, uint64_t place)
{
    unsigned n = 0;
    for (unsigned i = from; i < b->sim->accesses; i++)
        n += b->sim->access[i].req.op == MEM_WRITE && b->sim->access[i].req.addr == (place & ~63u) &&
             b->sim->access[i].req.mask >> (place & 63) & 1;
    return n;
}

/* Queue 0 has a kernel that wants more scratch than there is, and has asked for it. */
static void scratch_wanted(struct bench *b)
{
    queue_open(b, 0, 0, 0);
    put(b, INACTIVE + SIGNAL_MAILBOX, VA + MAILBOX, 8);
    put(b, INACTIVE + SIGNAL_EVENT, EVENT, 4);
    kernel_put(b, 0, 0x0002, 0);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 400, 4);
    ring(b, 0);
    run(b);
    assert_int_equal(get(b, VALUE), CP_ERROR_SCRATCH);
    assert_int_equal(get(b, MAILBOX), EVENT);
    assert_int_equal(b->events, 1);
    assert_int_equal(b->last_event, EVENT);
    assert_int_equal(b->errors, 0);
}

/* As a client that has found memory for so many bytes a lane. */
static void scratch_given(struct bench *b, uint32_t bytes)
{
    put(b, amd_at(0) + QUEUE_LANE_BYTES, bytes, 4);
    put(b, amd_at(0) + QUEUE_TMPRING, 1u << 12 | 128, 4);
    put(b, VALUE, 0, 8);
}

/* A GPU may have changed what the queue waits for: it looks, up to this step of it. */
static void looked_again(struct bench *b, enum inactive_step step)
{
    cp_look(b->cp[0]);
    for (unsigned n = 0; n < 4000 && b->queue[0]->inactive.step != step; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->queue[0]->inactive.step, step);
}

/* The client looks for the packet at the read index, and frees what the queue had before: the request is made when all
 * packets before it have given back their slots. */
static void a_request_waits_for_earlier_packets(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 400, 4);
    ring(b, 0);
    kernel_started(b, 1);
    sim_run(b->sim, sim_now(b->sim) + slow_cycles / 2);
    assert_int_equal(b->queue[0]->fetch.state, FETCH_ASK);
    assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
    while (get(b, VALUE) == 0) {
        assert_true(b->sim->count);
        sim_run(b->sim, sim_now(b->sim) + 1);
    }
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_int_equal(b->kernels, 1);
}

/* Only a 0 is an answer, as the runtime writes other values meanwhile (a notice that memory was freed elsewhere). */
static void only_zero_is_an_answer(void **state)
{
    static const uint64_t values[] = {CP_ERROR_SCRATCH, UINT64_C(1) << 63 | CP_ERROR_SCRATCH, UINT64_MAX};
    struct bench *b = *state;
    scratch_wanted(b);
    for (unsigned n = 0; n < 3; n++) {
        const unsigned from = b->sim->accesses, commands_before = b->sim->logged;
        put(b, VALUE, values[n], 8);
        looked_again(b, INACTIVE_VALUE);
        run(b);
        poll_all(b);
        run(b);
        assert_int_equal(get(b, VALUE), values[n]);
        assert_int_equal(stores(b, from, VALUE), 0);
        assert_int_equal(b->sim->logged, commands_before);
        assert_int_equal(b->queue[0]->asked, CP_ERROR_SCRATCH);
        assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
    }
    assert_int_equal(b->events, 1);
    scratch_given(b, 400);
    poll_all(b);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 2);
    assert_int_equal(b->queue[0]->asked, 0);
    assert_int_equal(b->errors, 0);
}

/* An answer without enough memory: the request is made anew. */
static void a_request_is_repeated_when_it_was_answered(void **state)
{
    struct bench *b = *state;
    scratch_wanted(b);
    const unsigned from = b->sim->accesses;
    scratch_given(b, 399);
    looked_again(b, INACTIVE_STORE);
    run(b);
    assert_int_equal(stores(b, from, VALUE), 1);
    assert_int_equal(get(b, VALUE), CP_ERROR_SCRATCH);
    assert_int_equal(b->events, 2);
    assert_int_equal(b->queue[0]->asked, CP_ERROR_SCRATCH);
    assert_int_equal(b->errors, 0);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
}

/* The client may change the packet before it answers, as ROCr does with the release scope of one that gets much. */
static void the_packet_is_read_anew(void **state)
{
    struct bench *b = *state;
    scratch_wanted(b);
    const unsigned from = b->sim->logged;
    put(b, slot_at(0, 1), 0x1002, 2);
    scratch_given(b, 400);
    poll_all(b);
    run(b);
    assert_int_equal(b->sim->log[b->sim->logged - 1].cmd.kind, CP_CACHE); /* behind its kernel */
    assert_int_equal(b->sim->log[b->sim->logged - 1].cmd.flags, CACHE_WB_L2 | CACHE_INV_L2 | CACHE_INV_L1I);
    assert_int_equal(b->sim->logged - from, 3);
}

/* Scratch memory for once: the kernel that has it starts alone, none follows until the client has taken the memory
 * back, also where no packet follows at all. */
static void memory_for_once_is_taken_back(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    scratch_wanted(b);
    for (unsigned n = 0; n < 2; n++) { /* 1: no packet follows */
        const unsigned launches = commands(b, CP_LAUNCH), events = b->events;
        put(b, amd_at(0) + QUEUE_PROPERTIES, QUEUE_SCRATCH_ONCE, 4);
        if (n == 0) {
            put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 8, 4);
            ring(b, 0);
        }
        scratch_given(b, 400);
        poll_all(b);
        kernel_started(b, launches + 1);
        assert_int_equal(command_last(b, CP_LAUNCH)->scratch_wave_bytes, 1024);
        sim_run(b->sim, sim_now(b->sim) + slow_cycles - 100);
        assert_int_equal(get(b, VALUE), 0);
        run(b);
        assert_int_equal(get(b, VALUE), CP_ERROR_RECLAIM);
        assert_int_equal(get(b, amd_at(0) + 0x80), 2 + n);
        assert_int_equal(b->events, events + 1);
        assert_int_equal(commands(b, CP_LAUNCH), launches + 1);
        assert_false(cp_busy(b->cp[0]));
        poll_all(b); /* no answer yet */
        run(b);
        assert_int_equal(commands(b, CP_LAUNCH), launches + 1);
        put(b, amd_at(0) + QUEUE_LANE_BYTES, 0, 4);
        put(b, amd_at(0) + QUEUE_PROPERTIES, 0, 4);
        put(b, VALUE, 0, 8);
        poll_all(b);
        run(b);
        assert_int_equal(commands(b, CP_LAUNCH), launches + 1);
        assert_int_equal(b->queue[0]->once, false);
        assert_int_equal(get(b, VALUE), n ? 0 : CP_ERROR_SCRATCH); /* the next one asks in its turn */
    }
    assert_int_equal(b->errors, 0);
}

/* Kernels with scratch are under way when the next one gets it for once: it waits for them.  One without scratch does
 * not care. */
static void a_kernel_with_memory_for_once_starts_alone(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    scratch_given(b, 400);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 8, 4);
    ring(b, 0);
    kernel_started(b, 1);
    put(b, amd_at(0) + QUEUE_PROPERTIES, QUEUE_SCRATCH_ONCE, 4);
    kernel_put(b, 0, 0x0002, 0);
    put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 8, 4);
    ring(b, 0);
    kernel_started(b, 2);
    sim_run(b->sim, sim_now(b->sim) + slow_cycles / 2);
    assert_int_equal(commands(b, CP_LAUNCH), 2);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 3);
    assert_int_equal(get(b, amd_at(0) + 0x80), 3);
    assert_true(b->rows[2].start > b->rows[1].end);
    assert_int_equal(get(b, VALUE), CP_ERROR_RECLAIM);
}

/* Nobody can be told that memory is to be taken back: the queue goes on. */
static void nobody_takes_memory_back(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    scratch_given(b, 400);
    put(b, amd_at(0) + QUEUE_INACTIVE, 0, 8);
    put(b, amd_at(0) + QUEUE_PROPERTIES, QUEUE_SCRATCH_ONCE, 4);
    for (unsigned n = 0; n < 2; n++)
        put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 8, 4);
    ring(b, 0);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 2);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    assert_int_equal(b->errors + b->faults, 0);
}

/* The queue is closed while its inactive signal is looked at: the client may have freed it, so it is left alone. */
static void a_closed_queue_asks_nobody(void **state)
{
    static const enum inactive_step steps[] = {INACTIVE_HANDLE, INACTIVE_VALUE, INACTIVE_STORE};
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        scratch_wanted(b);
        put(b, VALUE, 0, 8);
        looked_again(b, steps[n]);
        const unsigned asked = b->sim->accesses, events = b->events, visible = b->visible;
        cp_queue_close(b->cp[0], b->queue[0]);
        assert_true(b->space[0][0].accesses > 0);
        run(b);
        assert_int_equal(b->sim->accesses, asked);
        assert_int_equal(b->space[0][0].accesses, 0);
        assert_int_equal(b->events, events);
        assert_int_equal(b->visible, visible);
        assert_int_equal(b->errors, 0);
    }
}

/* The memory of the inactive signal is gone after a request: what is read there is 0, so it is made anew, and the store
 * is tried and not waited for. */
static void a_signal_whose_memory_is_gone(void **state)
{
    struct bench *b = *state;
    scratch_wanted(b);
    fake_fault_at = INACTIVE;
    const unsigned from = b->sim->accesses;
    looked_again(b, INACTIVE_STORE);
    run(b);
    assert_int_equal(stores(b, from, VALUE), 1);
    assert_int_equal(b->events, 1); /* nobody knows where the mailbox is */
    assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
    assert_int_equal(b->errors, 0);
    assert_false(cp_busy(b->cp[0]));
    fake_fault_at = 0;
}

/* amd_queue_t is not mapped any more when an error is to be told: then the process is told at once. */
static void a_queue_that_is_not_mapped(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, kernel_put(b, 0, 0x0002, 0) + 2, 0, 2); /* no dimensions */
    ring(b, 0);
    for (unsigned n = 0; n < 2000 && b->queue[0]->fetch.state != FETCH_KERNEL; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->queue[0]->fetch.state, FETCH_KERNEL);
    pagetable_unmap(b->space[0][0].pt, VA + amd_at(0), 0x1000);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(b->last_error, CP_ERROR_DIMS);
    assert_int_equal(b->faults, 1);
    assert_int_equal(b->fault_va, SIGNAL_VALUE);
    assert_int_equal(b->told.status, FAULT_NOT_PRESENT);
    assert_int_equal(b->visible, 1);
    assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
}

/* A stopped queue has one error: the first. */
static void the_first_error_counts(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    put(b, INACTIVE + SIGNAL_MAILBOX, VA + MAILBOX, 8);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    kernel_started(b, 1);
    b->watch = VALUE;
    const struct msg_cp_evt evt = {
        .kind = CP_EVT_FAULT, .status = FAULT_ILLEGAL, .vmid = 1, .id = command_last(b, CP_LAUNCH)->id};
    cp_event(b->cp[0], &evt);
    queue_fail(b->cp[0], b->queue[0], CP_ERROR_PACKET, NULL);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(b->last_error, CP_ERROR_ILLEGAL);
    assert_int_equal(get(b, VALUE), CP_ERROR_ILLEGAL);
    assert_int_equal(b->events, 1);
    assert_int_equal(b->watched, CP_ERROR_ILLEGAL); /* who is woken finds it */
    assert_int_equal(get(b, INACTIVE + SIGNAL_START) | get(b, INACTIVE + SIGNAL_END), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_waits_for_earlier_packets),
        TEST(only_zero_is_an_answer),
        TEST(a_request_is_repeated_when_it_was_answered),
        TEST(the_packet_is_read_anew),
        TEST(memory_for_once_is_taken_back),
        TEST(a_kernel_with_memory_for_once_starts_alone),
        TEST(nobody_takes_memory_back),
        TEST(a_closed_queue_asks_nobody),
        TEST(a_signal_whose_memory_is_gone),
        TEST(a_queue_that_is_not_mapped),
        TEST(the_first_error_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
