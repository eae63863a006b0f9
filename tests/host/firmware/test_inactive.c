/* SPDX-License-Identifier: Apache-2.0
 * The inactive signal of a queue at each of its steps: a request for scratch that is repeated, overtaken by an error or
 * by the end of its queue, and memory that is gone (B.8).
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

#define EVENT 9u
#define INACTIVE signal_at(40) /* of queue 0 */
#define VALUE (INACTIVE + SIGNAL_VALUE)

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

static unsigned stores(struct bench *b, unsigned from, uint64_t place)
{
    unsigned n = 0;
    for (unsigned i = from; i < b->sim->accesses; i++)
        n += b->sim->access[i].req.op == MEM_WRITE && b->sim->access[i].req.addr == (place & ~63u) &&
             b->sim->access[i].req.mask >> (place & 63) & 1;
    return n;
}

/* Queue 0 has a kernel that does not end and one that wants more scratch than there is, and has asked for it. */
static void scratch_wanted(struct bench *b)
{
    fake_launch = endless;
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

/* A GPU may have changed what the queue waits for: the request is made anew, up to this step of it. */
static void asked_again(struct bench *b, enum inactive_step step)
{
    cp_look(b->cp[0]);
    for (unsigned n = 0; n < 2000 && b->queue[0]->inactive.step != step; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->queue[0]->inactive.step, step);
}

static void fault_now(struct bench *b)
{
    const struct msg_cp_evt evt = {
        .kind = CP_EVT_FAULT, .status = FAULT_ILLEGAL, .vmid = 1, .id = command_last(b, CP_LAUNCH)->id};
    cp_event(b->cp[0], &evt);
}

/* As long as the client has not answered it is not asked again; once it has, it is. */
static void a_request_is_repeated_when_it_was_answered(void **state)
{
    struct bench *b = *state;
    scratch_wanted(b);
    unsigned from = b->sim->accesses;
    asked_again(b, INACTIVE_VALUE);
    run(b);
    assert_int_equal(stores(b, from, VALUE), 0);
    assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
    assert_int_equal(b->events, 1);
    put(b, VALUE, 0, 8);
    asked_again(b, INACTIVE_STORE);
    run(b);
    assert_int_equal(stores(b, from, VALUE), 1);
    assert_int_equal(get(b, VALUE), CP_ERROR_SCRATCH);
    assert_int_equal(b->events, 2);
    assert_true(b->queue[0]->scratch_asked);
    assert_int_equal(b->errors, 0);
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
        asked_again(b, steps[n]);
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

/* A kernel of the queue faults at each step of a repeated request: the error is told, once; before its store has begun
 * the request is not made any more. */
static void an_error_overtakes_a_repeated_request(void **state)
{
    static const enum inactive_step steps[] = {INACTIVE_HANDLE, INACTIVE_VALUE, INACTIVE_STORE};
    for (unsigned n = 0; n < 6; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        const bool answered = n >= 3 || steps[n] == INACTIVE_STORE; /* by the client, before it is asked again */
        scratch_wanted(b);
        put(b, VALUE, answered ? 0 : CP_ERROR_SCRATCH, 8);
        const unsigned from = b->sim->accesses;
        asked_again(b, steps[n % 3]);
        fault_now(b);
        assert_int_equal(b->errors, 1);
        assert_int_equal(b->last_error, CP_ERROR_ILLEGAL);
        run(b);
        assert_int_equal(stores(b, from, VALUE), steps[n % 3] == INACTIVE_STORE ? 2 : 1);
        assert_int_equal(get(b, VALUE), CP_ERROR_ILLEGAL);
        assert_int_equal(b->queue[0]->inactive.told, CP_ERROR_ILLEGAL);
        assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
        assert_false(b->queue[0]->scratch_asked);
        assert_int_equal(b->events, steps[n % 3] == INACTIVE_STORE ? 3 : 2);
        assert_int_equal(b->errors, 1);
        assert_int_equal(commands(b, CP_LAUNCH), 1);
        assert_false(cp_busy(b->cp[0]));
    }
}

/* The memory of the inactive signal is gone after a request: a store to it is tried and not waited for. */
static void a_signal_whose_memory_is_gone(void **state)
{
    struct bench *b = *state;
    scratch_wanted(b);
    fake_fault_at = INACTIVE;
    unsigned from = b->sim->accesses;
    asked_again(b, INACTIVE_VALUE);
    run(b);
    assert_int_equal(stores(b, from, VALUE), 1); /* it may have been changed */
    assert_int_equal(b->events, 1);              /* nobody knows where the mailbox is */
    assert_int_equal(b->queue[0]->inactive.step, INACTIVE_NONE);
    from = b->sim->accesses;
    poll_all(b);
    run(b);
    fault_now(b);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(stores(b, from, VALUE), 1);
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
    scratch_wanted(b);
    b->watch = VALUE;
    fault_now(b);
    queue_fail(b->cp[0], b->queue[0], CP_ERROR_PACKET, NULL);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(b->last_error, CP_ERROR_ILLEGAL);
    assert_int_equal(get(b, VALUE), CP_ERROR_ILLEGAL);
    assert_int_equal(b->events, 2);
    assert_int_equal(b->watched, CP_ERROR_ILLEGAL); /* who is woken finds it */
    assert_int_equal(get(b, INACTIVE + SIGNAL_START) | get(b, INACTIVE + SIGNAL_END), 0);
}

/* A kernel that has its scratch goes; the next one's request is a new one, which does not look at what stands in the
 * signal. */
static void a_new_request_is_no_repeated_one(void **state)
{
    struct bench *b = *state;
    scratch_wanted(b);
    for (unsigned n = 0; n < 2; n++) {
        put(b, amd_at(0) + QUEUE_LANE_BYTES, 400 + 100 * n, 4);
        put(b, amd_at(0) + QUEUE_TMPRING, 1u << 12 | 128, 4);
        put(b, VALUE, 0, 8);
        poll_all(b);
        run(b);
        assert_int_equal(commands(b, CP_LAUNCH), 2 + n);
        assert_false(b->queue[0]->scratch_asked);
        if (n == 1)
            break;
        put(b, VALUE, CP_ERROR_SCRATCH, 8); /* not of this request */
        put(b, kernel_put(b, 0, 0x0002, 0) + 0x18, 500, 4);
        const unsigned from = b->sim->accesses;
        ring(b, 0);
        run(b);
        assert_int_equal(stores(b, from, VALUE), 1);
        assert_int_equal(b->events, 2);
        assert_true(b->queue[0]->scratch_asked);
    }
    assert_int_equal(b->errors, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_repeated_when_it_was_answered),
        TEST(a_closed_queue_asks_nobody),
        TEST(an_error_overtakes_a_repeated_request),
        TEST(a_signal_whose_memory_is_gone),
        TEST(a_queue_that_is_not_mapped),
        TEST(the_first_error_counts),
        TEST(a_new_request_is_no_repeated_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
