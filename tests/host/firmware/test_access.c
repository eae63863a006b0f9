/* SPDX-License-Identifier: Apache-2.0
 * Memory is far: in which order the command processor's messages take effect, what relies on which answer, and that
 * nothing is asked for that need not be (S0.15, S0.18).
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

#define AT_PAGE 0x40000u /* client memory that a case maps anew, at VA + AT_PAGE; two pages */
#define VRAM(offset) pmem_addr(1, offset)

struct seen {
    uint64_t asked, answered;
};

/* The first access since number `from` of this kind to this physical line or, of an atomic, address. */
static struct seen access_of(struct bench *b, unsigned from, uint8_t op, uint64_t addr)
{
    for (unsigned i = from; i < b->sim->accesses; i++)
        if (b->sim->access[i].req.op == op && b->sim->access[i].req.addr == addr)
            return (struct seen){b->sim->access[i].asked, b->sim->access[i].answered};
    fail_msg("no access of kind %u to 0x%llx", op, (unsigned long long)addr);
    return (struct seen){0};
}

static unsigned access_count(struct bench *b, unsigned from, uint8_t op, uint64_t addr)
{
    unsigned n = 0;
    for (unsigned i = from; i < b->sim->accesses; i++)
        n += b->sim->access[i].req.op == op && b->sim->access[i].req.addr == addr;
    return n;
}

static void signal_put(struct bench *b, unsigned s, uint64_t value, uint32_t event)
{
    put(b, signal_at(s) + SIGNAL_VALUE, value, 8);
    put(b, signal_at(s) + SIGNAL_MAILBOX, event ? VA + MAILBOX : 0, 8);
    put(b, signal_at(s) + SIGNAL_EVENT, event, 4);
}

static uint64_t launched_first(const struct bench *b)
{
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_LAUNCH)
            return b->sim->log[i].at;
    return 0;
}

static uint64_t launch_of_10000(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 10000;
}

static void memory_reset(void)
{
    for (unsigned i = 0; i <= FAKE_GPUS; i++)
        fake_memory[i] = i ? 150 : 100;
}

/* shows S0.15: Write index before packet before descriptor before launch; a kernel's end before timestamps before the
 * value before the mailbox before the event. */
static void each_step_follows_what_it_relies_on(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    signal_put(b, 0, 1, 9);
    kernel_put(b, 0, 0x1502, signal_va(0));
    ring(b, 0);
    uint64_t index = (amd_at(0) + 0x50) & ~63u, fields = (amd_at(0) + 0x80) & ~63u;
    while (get(b, signal_at(0) + SIGNAL_VALUE)) {
        assert_int_equal(get(b, signal_at(0) + SIGNAL_START), 0);
        sim_run(b->sim, sim_now(b->sim) + 1);
        if (get(b, signal_at(0) + SIGNAL_START))
            break;
    }
    assert_int_equal(b->events, 0); /* timestamps are there, or come in the same cycle */
    assert_int_not_equal(get(b, signal_at(0) + SIGNAL_END), 0);
    while (b->events == 0) {
        sim_run(b->sim, sim_now(b->sim) + 1);
        assert_true(b->events == 0 || get(b, MAILBOX) == 9);
        assert_true(get(b, MAILBOX) != 9 || get(b, signal_at(0) + SIGNAL_VALUE) == 0);
    }
    assert_int_equal(sim_now(b->sim), access_of(b, 0, MEM_WRITE, MAILBOX).answered);
    run(b);
    struct seen packet = access_of(b, 0, MEM_READ_NC, slot_at(0, 0)), kd = access_of(b, 0, MEM_READ_NC, AT_KD);
    assert_true(packet.asked == access_of(b, 0, MEM_READ_NC, index).asked && kd.asked == packet.answered);
    unsigned first = 0;
    while (b->sim->access[first].req.addr != AT_KD)
        first++;
    assert_int_equal(access_of(b, 0, MEM_READ_NC, fields).asked, packet.asked); /* its properties */
    assert_int_equal(access_of(b, first, MEM_READ_NC, fields).asked, kd.asked);
    assert_true(launched_first(b) > kd.answered);
    struct seen value = access_of(b, 0, MEM_ATOMIC, signal_at(0) + SIGNAL_VALUE);
    assert_true(value.asked > b->rows[0].end);
    assert_int_equal(access_of(b, 0, MEM_WRITE, MAILBOX).asked, value.answered);
    assert_int_equal(b->visible, 1);
}

/* shows S0.18: Another agent that finds the value 0 finds the timestamps, also where they are in another memory, whose
 * messages take longer; and who finds the read index finds an empty slot. */
static void order_holds_between_memories(void **state)
{
    struct bench *b = *state;
    uint64_t signal = AT_PAGE + 0x1000 - 0x10; /* value on the first page, the rest on the second */
    uint8_t *vram = pmem_vram(b->pm, 0, 0x2000, 0x3000);
    queue_open(b, 0, 0, 0);
    pagetable_map(b->space[0][0].pt, VA + AT_PAGE + 0x1000, VRAM(0x3000), 0x1000, PTE_R | PTE_W);
    pagetable_map(b->space[0][0].pt, VA + slot_at(0, 0), VRAM(0x4000), 0x1000, PTE_R | PTE_W);
    fake_memory[1] = 2000;
    for (unsigned i = 0; i < 2; i++)
        kernel_put(b, 0, 0x0b02, i ? 0 : VA + signal);
    memcpy(vram + 0x2000, at(b, slot_at(0, 0)), 0x1000); /* the ring as the GPU sees it */
    put(b, signal + SIGNAL_VALUE, 1, 8);
    ring(b, 0);
    unsigned checked = 0;
    while (b->sim->count) {
        sim_run(b->sim, sim_now(b->sim) + 1);
        bool stamped = get64(vram + 0x1000 + 0x10) && get64(vram + 0x1000 + 0x18);
        assert_true(get(b, signal + SIGNAL_VALUE) || stamped);
        for (unsigned i = 0; i < get(b, amd_at(0) + 0x80); i++, checked++)
            assert_int_equal(get16(vram + 0x2000 + 64 * i), AQL_INVALID);
    }
    assert_int_equal(get(b, signal + SIGNAL_VALUE), 0);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
    assert_true(checked > 0);
    memory_reset();
}

/* Which reads may overtake what was asked for before them: none of a packet, as its write index counts. */
static void only_what_depends_on_nothing_is_early(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    signal_put(b, 0, 2, 9);
    signal_put(b, 40, 0, 0);
    barrier_put(b, 0, 0x0003, &dep, 1, signal_va(0));
    kernel_put(b, 0, 0x0b02, signal_va(0));
    put(b, kernel_put(b, 0, 0x0b02, 0) + 0x18, 400, 4); /* scratch */
    ring(b, 0);
    run(b);
    cp_look(b->cp[0]); /* asked for again: the signal's value is looked at */
    run(b);
    unsigned early = 0, rest = 0;
    for (unsigned i = 0; i < b->sim->accesses; i++) {
        const struct msg_mem_req *req = &b->sim->access[i].req;
        const bool packet = req->addr >= slot_at(0, 0) && req->addr < slot_at(0, 0) + 64 * 64;
        assert_int_equal(b->sim->access[i].early, req->op == MEM_READ_NC && !packet);
        early += b->sim->access[i].early;
        rest += !b->sim->access[i].early;
    }
    assert_in_range(early, 8, 100); /* index, dependency, descriptors and fields, mailboxes, handle, value */
    assert_in_range(rest, 8, 100);
}

/* Within one memory none of these waits for the other: one way to memory and back for all. */
static void one_memory_needs_no_waiting(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    signal_put(b, 0, 1, 0);
    barrier_put(b, 0, 0x0003, NULL, 0, signal_va(0));
    ring(b, 0);
    run(b);
    struct seen header = access_of(b, 0, MEM_WRITE, slot_at(0, 0)),
                value = access_of(b, 0, MEM_ATOMIC, signal_at(0) + SIGNAL_VALUE);
    assert_int_equal(header.asked, value.asked);
    assert_int_equal(value.answered, value.asked + 2 * fake_memory[0]);
    assert_int_equal(b->visible, 1);
}

/* A descriptor may be written by the kernel before: it is read when that has completed, the packet itself before. */
static void a_descriptor_is_read_behind_the_barrier(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    signal_put(b, 0, 1, 0);
    kernel_put(b, 0, 0x0b02, signal_va(0));
    put(b, kernel_put(b, 0, 0x0b02, 0) + AQL_OBJECT, VA + AT_KD + 128, 8);
    memcpy(at(b, AT_KD + 128), at(b, AT_KD), 64);
    ring(b, 0);
    run(b);
    assert_int_equal(b->kernels, 2);
    struct seen value = access_of(b, 0, MEM_ATOMIC, signal_at(0) + SIGNAL_VALUE);
    assert_true(access_of(b, 0, MEM_READ_NC, slot_at(0, 1)).answered < value.asked);
    assert_int_equal(access_of(b, 0, MEM_READ_NC, AT_KD + 128).asked, value.answered);
}

/* A doorbell that comes while the write index is read: what it announces is found, whenever it comes. */
static void no_doorbell_is_lost(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < 250; n += 5) {
        unsigned kernels = b->kernels;
        kernel_put(b, 0, 0x0b02, 0);
        ring(b, 0);
        sim_run(b->sim, sim_now(b->sim) + n);
        kernel_put(b, 0, 0x0b02, 0);
        ring(b, 0);
        run(b);
        assert_int_equal(b->kernels, kernels + 2);
    }
}

/* shows S0.15: A packet beyond the write index is none, though it is read beside it; one that becomes valid later is
 * read again. */
static void what_was_read_ahead_counts_below_the_write_index_only(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t slot = kernel_put(b, 0, 0x0b02, 0);
    cp_doorbell(b->cp[0], b->queue[0]); /* the write index still says 0 */
    run(b);
    assert_int_equal(access_count(b, 0, MEM_READ_NC, slot), 1);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
    put(b, slot + 4, 32, 2); /* the client goes on writing */
    ring(b, 0);
    run(b);
    assert_int_equal(command_last(b, CP_LAUNCH)->group[0], 32);
}

/* A client that changes nothing moves no clock: what has not changed is not read again. */
static void nothing_is_read_in_vain(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    for (unsigned q = 0; q < 3; q++)
        queue_open(b, q, 0, 0);
    put(b, kernel_put(b, 0, 0x0b02, 0), 1, 2); /* no header yet */
    signal_put(b, 1, 1, 0);
    signal_put(b, 2, 1, 0);
    barrier_put(b, 1, 0x0003, &dep, 1, signal_va(2));
    put(b, kernel_put(b, 2, 0x0b02, 0) + 0x18, 400, 4); /* scratch */
    for (unsigned q = 0; q < 3; q++)
        ring(b, q);
    run(b);
    unsigned before = b->sim->accesses;
    for (unsigned i = 0; i < 100; i++)
        poll_all(b);
    assert_int_equal(b->sim->accesses, before);
    cp_look(b->cp[0]); /* a GPU may have changed it: each is read again, once */
    run(b);
    assert_int_equal(access_count(b, before, MEM_READ_NC, slot_at(0, 0)), 1);
    assert_int_equal(access_count(b, before, MEM_READ_NC, signal_at(1)), 1);
    assert_int_equal(access_count(b, before, MEM_READ_NC, signal_at(42)), 1);
    assert_int_equal(access_count(b, before, MEM_WRITE, signal_at(42)), 0);
    assert_int_equal(b->sim->open, 0);
    put(b, amd_at(2) + 0xb0, 416, 4); /* the client answers, and its memory does not suffice yet */
    put(b, amd_at(2) + 0xb0, 100, 4);
    put(b, signal_at(42) + SIGNAL_VALUE, 0, 8);
    before = b->sim->accesses;
    poll_all(b);
    run(b);
    assert_int_equal(get(b, signal_at(42) + SIGNAL_VALUE), CP_ERROR_SCRATCH); /* asked for once more */
    put(b, amd_at(2) + 0xb0, 416, 4);
    put(b, amd_at(2) + 0x8c, 26u << 12 | 128, 4);
    put(b, signal_at(42) + SIGNAL_VALUE, 0, 8);
    put(b, signal_at(1) + SIGNAL_VALUE, 0, 8);
    put(b, slot_at(0, 0), 0x0b02, 2);
    poll_all(b);
    run(b);
    assert_int_equal(b->kernels, 2);
    assert_int_equal(get(b, signal_at(2) + SIGNAL_VALUE), 0);
}

/* While a kernel runs, which may store to what a queue waits for, that is read again at intervals; then no more. */
static void a_running_kernel_may_release_a_queue(void **state)
{
    static const unsigned dep = 1;
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    signal_put(b, 1, 1, 0);
    signal_put(b, 2, 1, 0);
    put(b, kernel_put(b, 0, 0x0b02, 0) + 4, 64, 2);
    barrier_put(b, 1, 0x0003, &dep, 1, signal_va(2));
    ring(b, 1);
    run(b);
    unsigned from = b->sim->accesses;
    fake_launch = launch_of_10000;
    ring(b, 0);
    while (commands(b, CP_LAUNCH) == 0)
        sim_run(b->sim, sim_now(b->sim) + 10);
    sim_run(b->sim, sim_now(b->sim) + 5000);
    unsigned looks = access_count(b, from, MEM_READ_NC, signal_at(1));
    assert_true(looks >= 4 && looks <= 7); /* poll_cycles 1000, and the way */
    put(b, signal_at(1) + SIGNAL_VALUE, 0, 8);
    uint64_t stored = sim_now(b->sim);
    while (get(b, signal_at(2) + SIGNAL_VALUE))
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_true(sim_now(b->sim) - stored < 2000 && b->kernels == 0);
    run(b);
    assert_int_equal(b->kernels, 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
/* A client changes a signal while its value is being read, old, and looks: whenever that is, the packet goes on. */
static void a_look_counts_while_a_signal_is_read(void **state)
{
    struct bench *b = *state;
    const unsigned dep = 1;
    for (uint64_t after = 0; after < 700; after += 20) {
        if (after)
            assert_int_equal(bench_teardown(state) || bench_setup(state), 0);
        b = *state;
        queue_open(b, 0, 0, 0);
        signal_put(b, 0, 1, 0);
        signal_put(b, dep, 1, 0);
        barrier_put(b, 0, 0x0103, &dep, 1, signal_va(0));
        ring(b, 0);
        sim_run(b->sim, sim_now(b->sim) + after);
        put(b, signal_at(dep) + SIGNAL_VALUE, 0, 8);
        poll_all(b);
        run(b);
        assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_look_counts_while_a_signal_is_read),
        TEST(each_step_follows_what_it_relies_on),
        TEST(order_holds_between_memories),
        TEST(only_what_depends_on_nothing_is_early),
        TEST(one_memory_needs_no_waiting),
        TEST(a_descriptor_is_read_behind_the_barrier),
        TEST(no_doorbell_is_lost),
        TEST(what_was_read_ahead_counts_below_the_write_index_only),
        TEST(nothing_is_read_in_vain),
        TEST(a_running_kernel_may_release_a_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
