/* SPDX-License-Identifier: Apache-2.0
 * The command processor's own accesses to a page that is locked because it moves: none is lost and none goes to where
 * the page was; they go in their order when it is unlocked, wherever that is, and end where the page or the process has
 * gone (S1.10: whatever wants it).
 */
#include "../firmware/cp_bench.h"
#include "firmware/cp_private.h"

#define FRAME(n) pmem_addr(2, (n)*0x1000u) /* of the other GPU's memory */
#define PACKETS (queue_at(0))
#define SIGNALS AT_SIGNALS
#define FIELDS (amd_at(0))

static struct pagetable *table(struct bench *b)
{
    return b->space[0][0].pt;
}

static void lock(struct bench *b, uint64_t offset)
{
    assert_int_equal(pagetable_lock(table(b), VA + offset, 4096, true), 0);
}

/* The page with its bytes is in another memory, and whoever waits for it hears that; what comes to the old place is
 * lost. */
static void move(struct bench *b, uint64_t offset, uint64_t to)
{
    uint8_t bytes[4096];
    assert_int_equal(pmem_read(b->pm, pmem_addr(0, offset), bytes, sizeof bytes), 0);
    assert_int_equal(pmem_write(b->pm, to, bytes, sizeof bytes), 0);
    memset(pmem_gtt(b->pm, offset, 4096), 0xee, 4096);
    assert_int_equal(pagetable_map(table(b), VA + offset, to, 4096, PTE_R | PTE_W), 0);
    cp_space_answer(b->cp[0], &b->space[0][0], VA + offset, 4096, false);
}

static uint64_t moved(struct bench *b, uint64_t to)
{
    uint64_t value = 0;
    assert_int_equal(pmem_read(b->pm, to, &value, 8), 0);
    return value;
}

static uint64_t short_launch(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 500;
}

static void one_kernel(struct bench *b)
{
    fake_launch = short_launch;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
    kernel_put(b, 0, 0x1502, signal_va(0));
    ring(b, 0);
}

/* shows S1.10: Read before: zeros for a packet, with which the queue stood for ever. */
static void a_packet_in_a_locked_page(void **state)
{
    struct bench *b = *state;
    one_kernel(b);
    lock(b, PACKETS);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
    assert_int_equal(b->errors + b->faults, 0);
    assert_true(cp_working(b->cp[0]));
    move(b, PACKETS, FRAME(3));
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), 0);
    assert_int_equal(moved(b, FRAME(3)) & 0xffff, AQL_INVALID); /* the slot was given back where it is now */
    assert_int_equal(get(b, PACKETS), 0xeeeeeeeeeeeeeeee);
    assert_int_equal(b->errors + b->faults, 0);
}

/* shows S1.10: Lost before: a completion that is written while the signal's page is away. */
static void a_signal_in_a_locked_page(void **state)
{
    struct bench *b = *state;
    one_kernel(b);
    lock(b, SIGNALS);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    assert_int_equal(b->kernels, 0); /* it has ended, and nobody has been told */
    assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), 1);
    move(b, SIGNALS, FRAME(4));
    run(b);
    assert_int_equal(moved(b, FRAME(4) + SIGNAL_VALUE), 0);
    assert_true(moved(b, FRAME(4) + SIGNAL_START) != 0);
    assert_int_equal(b->errors + b->faults, 0);
}

/* Timestamps and value, read index and header: each pair was asked for together while both were in one memory. */
static void the_order_stays_when_memories_change(void **state)
{
    struct bench *b = *state;
    fake_memory[2] = 1000; /* the far memory is slow: what goes there first must still be first */
    one_kernel(b);
    lock(b, PACKETS); /* what waits first holds back the rest, which is asked for in one memory */
    run(b);
    const unsigned before = b->sim->accesses;
    lock(b, FIELDS);
    move(b, PACKETS, FRAME(5));
    run(b);
    move(b, FIELDS, FRAME(6));
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), 0);
    assert_int_equal(moved(b, FRAME(6) + 0x80), 1);
    for (unsigned i = before + 1; i < b->sim->accesses; i++) { /* one memory at a time among those that have waited */
        const uint64_t a = b->sim->access[i - 1].req.addr >> 48, now = b->sim->access[i].req.addr >> 48;
        if (b->sim->access[i].asked == b->sim->access[before].asked)
            assert_true(a == now);
    }
    fake_memory[2] = 150;
}

/* Two writes of which the second must not be seen first: the first one's page has gone to a slow memory meanwhile. */
static void two_writes_asked_for_together(void **state)
{
    struct bench *b = *state;
    struct transfer t = {0};
    const uint64_t one = 1, two = 2;
    queue_open(b, 0, 0, 0);
    fake_memory[2] = 1000;
    transfer_begin(&t, b->queue[0], NULL, NULL);
    lock(b, SIGNALS + 0x1000);
    access_write(b->cp[0], &t, VA + SIGNALS + 0x1000, &one, 8); /* waits: all behind it do */
    assert_true(access_same(&b->space[0][0], VA + 0x40000, VA + 0x41000));
    access_write(b->cp[0], &t, VA + 0x40000, &one, 8);
    access_write(b->cp[0], &t, VA + 0x41000, &two, 8);
    assert_int_equal(b->sim->accesses, 0);
    assert_int_equal(b->space[0][0].deferred, 3);
    lock(b, 0x40000);
    move(b, 0x40000, FRAME(7));
    assert_int_equal(pagetable_lock(table(b), VA + SIGNALS + 0x1000, 4096, false), 0);
    t.done = NULL;
    cp_space_answer(b->cp[0], &b->space[0][0], VA + SIGNALS + 0x1000, 4096, false);
    sim_run(b->sim, sim_now(b->sim));
    assert_int_equal(b->sim->accesses, 1); /* the next one goes elsewhere */
    b->queue[0]->accesses++;               /* the transfer is the test's: nothing is done at its end */
    t.open++;
    sim_run(b->sim, sim_now(b->sim) + 200);
    assert_int_equal(b->sim->accesses, 2);
    assert_true(b->sim->access[1].req.addr == FRAME(7));
    sim_run(b->sim, sim_now(b->sim) + 1999);
    assert_int_equal(b->sim->accesses, 2);
    sim_run(b->sim, sim_now(b->sim) + 2);
    assert_int_equal(b->sim->accesses, 3);
    run(b);
    assert_int_equal(get(b, 0x41000), 2);
    assert_int_equal(b->space[0][0].deferred, 0);
    b->queue[0]->accesses--;
    fake_memory[2] = 150;
}

/* A shoot-down of the lock itself must not wait for what waits for the unlock. */
static void a_shootdown_does_not_wait_for_them(void **state)
{
    struct bench *b = *state;
    one_kernel(b);
    lock(b, PACKETS);
    run(b);
    assert_true(b->space[0][0].deferred > 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0], VA + PACKETS, 4096);
    run(b);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), cp_shootdowns_sent(b->cp[0]));
    move(b, PACKETS, FRAME(3));
    run(b);
    assert_int_equal(b->kernels, 1);
}

/* The page was given up while it was locked: as any access to what is not mapped. */
static void a_page_that_goes(void **state)
{
    struct bench *b = *state;
    one_kernel(b);
    lock(b, AT_KD);
    run(b);
    assert_int_equal(b->errors, 0);
    assert_int_equal(pagetable_unmap(table(b), VA + AT_KD, 4096), 0);
    cp_space_answer(b->cp[0], &b->space[0][0], VA + AT_KD, 4096, false);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(b->last_error, CP_ERROR_CODE);
    assert_int_equal(b->space[0][0].deferred, 0);
}

/* Nothing is told to a process that has ended, and nothing of it stays; another one's wait on. */
static void a_process_that_ends(void **state)
{
    struct bench *b = *state;
    for (unsigned way = 0; way < 2; way++) {
        const unsigned page = way ? SIGNALS : PACKETS;
        one_kernel(b);
        lock(b, page);
        queue_open(b, 1, 1, 0);
        kernel_put(b, 1, 0x1502, 0);
        ring(b, 1);
        assert_int_equal(pagetable_lock(b->space[1][0].pt, VA + queue_at(1), 4096, true), 0);
        run(b);
        assert_true(b->space[0][0].deferred > 0 && b->space[1][0].deferred > 0);
        cp_space_close(b->cp[0], &b->space[0][0]);
        run(b);
        assert_int_equal(b->closed, 1);
        assert_int_equal(b->errors + b->faults, 0);
        assert_int_equal(b->space[0][0].deferred + b->space[0][0].accesses, 0);
        assert_true(b->space[1][0].deferred > 0);
        assert_int_equal(pagetable_lock(b->space[1][0].pt, VA + queue_at(1), 4096, false), 0);
        cp_space_answer(b->cp[0], &b->space[1][0], VA + queue_at(1), 4096, false);
        run(b);
        assert_int_equal(b->space[1][0].deferred, 0);
        assert_true(b->kernels > 0);
        bench_teardown(state);
        bench_setup(state);
        b = *state;
    }
}

/* The page has no entry yet: the owner is asked, once and again while it waits, and what was asked for is not lost. */
static void a_page_without_an_entry(void **state)
{
    struct bench *b = *state;
    b->takes = true;
    one_kernel(b);
    assert_int_equal(pagetable_unmap(table(b), VA + PACKETS, 4096), 0);
    run(b);
    assert_true(b->withheld >= 1 && b->withheld_rights == 0); /* no wavefront's */
    assert_int_equal(b->withheld_va, VA + PACKETS);
    assert_int_equal(commands(b, CP_LAUNCH) + b->errors + b->faults, 0);
    assert_true(b->space[0][0].deferred > 0);
    cp_space_answer(b->cp[0], &b->space[0][0], VA + AT_KD, 4096, true); /* another one gets none */
    run(b);
    assert_true(b->space[0][0].deferred > 0);
    move(b, PACKETS, FRAME(3));
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    assert_int_equal(moved(b, FRAME(3)) & 0xffff, AQL_INVALID);
    assert_int_equal(b->space[0][0].deferred + b->errors + b->faults, 0);
}

/* It gets none: as any access to what is not mapped. */
static void a_page_that_gets_no_entry(void **state)
{
    struct bench *b = *state;
    b->takes = true;
    one_kernel(b);
    assert_int_equal(pagetable_unmap(table(b), VA + AT_KD, 4096), 0);
    run(b);
    assert_true(b->space[0][0].deferred > 0 && b->errors == 0);
    cp_space_answer(b->cp[0], &b->space[0][0], VA + AT_KD, 4096, true);
    run(b);
    assert_int_equal(b->errors, 1);
    assert_int_equal(b->last_error, CP_ERROR_CODE);
    assert_int_equal(b->space[0][0].deferred, 0);
}

/* A look without time finds the bytes where they are until the page moves. */
static void a_look_goes_through_a_lock(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(3) + SIGNAL_VALUE, 1, 8);
    const unsigned deps[] = {3};
    barrier_put(b, 0, 0x1503, deps, 1, 0);
    ring(b, 0);
    run(b);
    lock(b, SIGNALS);
    assert_true(signal_there(&b->space[0][0], signal_va(3)));
    assert_false(cp_changed(b->cp[0]));
    put(b, signal_at(3) + SIGNAL_VALUE, 0, 8);
    assert_true(cp_changed(b->cp[0]));
    cp_poll(b->cp[0]);
    run(b);
    assert_true(cp_working(b->cp[0])); /* but it counts when it is read */
    move(b, SIGNALS, FRAME(9));
    run(b);
    assert_false(cp_working(b->cp[0]));
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packet_in_a_locked_page),
        TEST(a_signal_in_a_locked_page),
        TEST(the_order_stays_when_memories_change),
        TEST(two_writes_asked_for_together),
        TEST(a_shootdown_does_not_wait_for_them),
        TEST(a_page_that_goes),
        TEST(a_process_that_ends),
        TEST(a_look_goes_through_a_lock),
        TEST(a_page_without_an_entry),
        TEST(a_page_that_gets_no_entry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
