/* SPDX-License-Identifier: Apache-2.0
 * Address spaces: translations that have to go, kills and whom they concern (S3.12, B.8).
 */
#include "../firmware/cp_bench.h"
#include "base/log.h"
#include "firmware/cp_private.h"

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

static unsigned invalidations(struct bench *b, unsigned from, uint8_t vmid)
{
    unsigned n = 0;
    for (unsigned i = from; i < b->sim->logged; i++) {
        const struct msg_cp_cmd *cmd = &b->sim->log[i].cmd;
        n += cmd->kind == CP_CACHE && cmd->flags & CACHE_INV_TLB && cmd->vmid == vmid;
    }
    return n;
}

static void kernel_run(struct bench *b, unsigned q)
{
    kernel_put(b, q, 0x0002, 0); /* no fences of its own */
    ring(b, q);
    run(b);
}

/* Contracts, "Page tables": before a kernel starts that could use a translation that has changed, and at once while
 * some is running, translations of that address space, and of no other, are dropped; once is enough. */
static void changed_translations_are_dropped(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 1, 0);
    for (unsigned q = 0; q < 2; q++) {
        kernel_run(b, q); /* what the number's former owner left */
        assert_int_equal(invalidations(b, 0, (uint8_t)(q + 1)), 1);
    }
    unsigned from = b->sim->logged;
    kernel_run(b, 0);
    assert_int_equal(invalidations(b, from, 1), 0);
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    kernel_run(b, 1);
    assert_int_equal(invalidations(b, from, 2), 0);
    kernel_run(b, 0);
    kernel_run(b, 0);
    assert_int_equal(invalidations(b, from, 1), 1);
    fake_launch = endless;
    kernel_run(b, 0);
    from = b->sim->logged;
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    assert_int_equal(invalidations(b, from, 1), 1);
    cp_space_shootdown(b->cp[0], &b->space[1][0], 0, 0); /* has nothing running: at its next kernel */
    assert_int_equal(invalidations(b, from, 2), 0);
    fake_launch = NULL;
    kernel_run(b, 1);
    assert_int_equal(invalidations(b, from, 2), 1);
}

/* A kernel that begins before such a command is answered could use what it has not reached yet: it has a flush of its
 * own; one that begins later has none, nor has one of another space. */
static void an_answered_command_is_enough(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    for (unsigned q = 0; q < 4; q++) {
        queue_open(b, q, q == 3, 0);
        if (q == 0 || q == 3)
            kernel_run(b, q);
    }
    unsigned from = b->sim->logged;
    for (unsigned q = 1; q < 4; q += 2) {
        kernel_put(b, q, 0x0002, 0);
        ring(b, q);
    }
    fake_cache_cycles = 5000; /* no packet is decoded when it is answered */
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0x1000, 0x1000);
    fake_cache_cycles = 50;
    assert_false(b->space[0][0].tlb_stale);
    assert_int_equal(b->sim->logged, from + 1);
    run(b);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 1);
    assert_int_equal(invalidations(b, from, 1), 2);
    assert_int_equal(invalidations(b, from, 2), 0);
    assert_int_equal(command_last(b, CP_CACHE)->pc, 0); /* of all pages: the packet has not been told which */
    from = b->sim->logged;
    kernel_run(b, 2);
    assert_int_equal(b->sim->logged, from + 2); /* its first instructions, its launch */
}

/* shows S3.12: An address space that opens under a number has none of the translations, nor the trap handler, of the
 * last owner. */
static void a_number_is_handed_on_clean(void **state)
{
    struct bench *b = *state;
    struct cp_space *old = &b->space[0][0];
    old->tba = 0x4000001000;
    cp_space_trap(b->cp[0], old);
    queue_open(b, 0, 0, 0);
    kernel_run(b, 0);
    cp_space_close(b->cp[0], old);
    run(b);
    assert_int_equal(b->closed, 1);
    assert_ptr_equal(b->last_closed, old);
    assert_int_equal(command_last(b, CP_VMID)->vmid, old->vmid);
    assert_int_equal(command_last(b, CP_VMID)->root, 0); /* nobody's */
    struct cp_space next = {.pt = b->space[0][1].pt, .vmid = old->vmid, .owner = b};
    unsigned from = b->sim->logged;
    cp_space_open(b->cp[0], &next);
    assert_int_equal(command_last(b, CP_VMID)->root, pagetable_root(next.pt));
    assert_int_equal(command_last(b, CP_TRAP)->root, 0);
    const struct cp_queue_args args = {.ring = VA + queue_at(3),
                                       .packets = 64,
                                       .write_index = VA + amd_at(3) + 0x50,
                                       .read_index = VA + amd_at(3) + 0x80};
    b->queue[3] = cp_queue_open(b->cp[0], &next, &args);
    assert_non_null(b->queue[3]);
    kernel_run(b, 3);
    assert_true(invalidations(b, from, old->vmid) >= 1);
}

/* Two address spaces end at the same time: whichever kill is answered first, each ends by its own answer. */
static void kills_end_their_own_space(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    for (unsigned c = 0; c < 2; c++) {
        queue_open(b, c, c, 0);
        kernel_run(b, c);
    }
    for (unsigned c = 0; c < 2; c++)
        cp_space_close(b->cp[0], &b->space[c][0]);
    assert_int_equal(commands(b, CP_KILL), 2);
    assert_int_equal(b->closed, 0);
    for (unsigned c = 2; c-- > 0;) { /* the later one first */
        struct msg_cp_evt evt = {.kind = CP_EVT_KILL_DONE, .vmid = b->space[c][0].vmid};
        cp_event(b->cp[0], &evt);
        assert_int_equal(b->closed, 2 - c);
        assert_ptr_equal(b->last_closed, &b->space[c][0]);
    }
}

/* A queue whose wavefronts halted is closed: they are killed, kernels of the process's other queues are not. */
static void a_kill_leaves_other_queues_alone(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    fake_cache_cycles = 3000; /* the kill takes longer than the next kernel needs to its launch */
    queue_open(b, 0, 0, 0);
    kernel_run(b, 0);
    const struct msg_cp_cmd *launch = command_last(b, CP_LAUNCH);
    fake_add(b->sim, (struct fake_due){.at = sim_now(b->sim) + 10,
                                       .evt = {.kind = CP_EVT_HALT, .id = launch->id, .vmid = launch->vmid}});
    run(b);
    cp_queue_close(b->cp[0], b->queue[0]); /* nothing else runs: a kill is under way */
    assert_int_equal(commands(b, CP_KILL), 1);
    fake_launch = NULL;
    put(b, signal_at(1) + 8, 1, 8);
    queue_open(b, 1, 0, 0);
    kernel_put(b, 1, 0x0002, signal_va(1)); /* no fences: ready before the answer */
    ring(b, 1);
    run(b);
    assert_int_equal(get(b, signal_at(1) + 8), 0);
    assert_int_equal(b->errors + b->faults, 0);
    assert_false(cp_busy(b->cp[0]));
    fake_cache_cycles = 50;
}

#define L1_FLAGS (uint32_t)(CACHE_INV_L1V | CACHE_INV_L1K | CACHE_INV_L1I)
#define ALL_FLAGS (L1_FLAGS | (uint32_t)CACHE_INV_L2)

/* Commands from `from` on that drop at least these caches. */
static unsigned drops(struct bench *b, unsigned from, uint32_t flags)
{
    unsigned n = 0;
    for (unsigned i = from; i < b->sim->logged; i++) {
        const struct msg_cp_cmd *cmd = &b->sim->log[i].cmd;
        n += cmd->kind == CP_CACHE && (cmd->flags & flags) == flags;
    }
    return n;
}

/* shows B.8: What memory held before it changed hands is in no cache for a kernel of whatever client that starts
 * afterwards, not even for one that starts while it is still being dropped; nor is a descriptor read before. */
static void old_contents_leave_the_caches_before_a_kernel(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 2; q++) {
        queue_open(b, q, q, 0);
        kernel_run(b, q);
    }
    unsigned from = b->sim->logged;
    cp_caches_drop(b->cp[0], false);
    run(b);
    assert_int_equal(b->sim->logged, from); /* nothing runs: nothing to do yet */
    const unsigned asked = b->sim->accesses;
    fake_cache_cycles = 3000; /* the second kernel is ready long before that is through */
    for (unsigned q = 0; q < 2; q++) {
        kernel_put(b, q, 0x0002, 0);
        ring(b, q);
    }
    run(b);
    fake_cache_cycles = 50;
    assert_int_equal(drops(b, from, ALL_FLAGS), 1);
    uint64_t done = 0;
    for (unsigned i = from; i < b->sim->logged; i++) {
        if (b->sim->log[i].cmd.kind == CP_CACHE)
            done = b->sim->log[i].at + 3000 + 2 * fake_latency;
        assert_true(b->sim->log[i].cmd.kind != CP_LAUNCH || (done && b->sim->log[i].at > done));
    }
    unsigned described = 0;
    for (unsigned i = asked; i < b->sim->accesses; i++)
        if (b->sim->access[i].req.addr == AT_KD) {
            assert_true(b->sim->access[i].asked >= done);
            described++;
        }
    assert_int_equal(described, 2);
    from = b->sim->logged;
    for (unsigned q = 0; q < 2; q++)
        kernel_run(b, q);
    assert_int_equal(drops(b, from, 0), 0);
}

/* shows B.8: While a kernel runs they leave at once, by a command that is waited for; the L2 caches keep the rest of
 * their GPU's memory when it is another memory that has changed hands. */
static void old_contents_leave_the_caches_beside_a_kernel(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    fake_launch = endless;
    kernel_run(b, 0);
    for (unsigned own = 0; own < 2; own++) {
        unsigned from = b->sim->logged;
        uint64_t sent = cp_shootdowns_sent(b->cp[0]);
        cp_caches_drop(b->cp[0], own);
        assert_int_equal(drops(b, from, L1_FLAGS), 1);
        assert_int_equal(drops(b, from, ALL_FLAGS), own);
        assert_int_equal(cp_shootdowns_sent(b->cp[0]), sent + 1);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), sent);
        run(b);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), sent + 1);
    }
    fake_launch = NULL;
}

/* A resumed queue goes on with what was rung while it was suspended, and never beyond what was written. */
static void a_resumed_queue_goes_on(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_run(b, 0);
    cp_queue_suspend(b->cp[0], b->queue[0], true);
    for (unsigned i = 0; i < 2; i++)
        kernel_run(b, 0);
    kernel_put(b, 0, 0x0002, 0); /* in the ring, but not yet rung */
    poll_all(b);
    run(b);
    assert_int_equal(b->kernels, 1);
    cp_queue_suspend(b->cp[0], b->queue[0], false);
    run(b);
    assert_int_equal(b->kernels, 3);
    assert_int_equal(get(b, amd_at(0) + 0x80), 3);
}

static unsigned roots(const struct bench *b, uint8_t vmid, uint64_t root)
{
    unsigned n = 0;
    for (unsigned i = 0; i < b->sim->logged; i++) {
        const struct msg_cp_cmd *cmd = &b->sim->log[i].cmd;
        n += cmd->kind == CP_VMID && cmd->vmid == vmid && cmd->root == root;
    }
    return n;
}

/* Page tables that the L2 TLB, being off, has refused: a line, and once more when it is on, unless others have
 * followed. */
static void refused_page_tables_are_told_and_sent_again(void **state)
{
    struct bench *b = *state;
    static char text[1024];
    FILE *file = fmemopen(text, sizeof text, "w");
    log_set_file(file);
    fake_cache_status = CTL_ERROR_OFF;
    for (unsigned c = 0; c < 2; c++)
        cp_space_open(b->cp[0], &b->space[c][0]);
    run(b);
    log_set_file(NULL);
    fclose(file);
    assert_non_null(strstr(text, "gpu0: the L2 TLB has refused the page tables of vmid 1 (status 1): it is off\n"));
    assert_non_null(strstr(text, "gpu0: the L2 TLB has refused the page tables of vmid 2 (status 1): it is off\n"));
    fake_cache_status = CTL_OK;
    const unsigned before = roots(b, 1, pagetable_root(b->space[0][0].pt));
    const uint64_t first = pagetable_root(b->space[0][0].pt), second = pagetable_root(b->space[1][0].pt);
    cp_space_close(b->cp[0], &b->space[1][0]); /* a later root of the same number: this one is accepted */
    run(b);
    assert_int_equal(roots(b, 2, 0), 1);
    for (unsigned n = 0; n < 2; n++) { /* nothing is refused any more */
        control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
        run(b);
        assert_int_equal(roots(b, 1, first), before + 1);
        assert_int_equal(roots(b, 2, second), before);
        assert_int_equal(roots(b, 2, 0), 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(changed_translations_are_dropped),
        TEST(an_answered_command_is_enough),
        TEST(a_number_is_handed_on_clean),
        TEST(kills_end_their_own_space),
        TEST(a_kill_leaves_other_queues_alone),
        TEST(a_resumed_queue_goes_on),
        TEST(old_contents_leave_the_caches_before_a_kernel),
        TEST(old_contents_leave_the_caches_beside_a_kernel),
        TEST(refused_page_tables_are_told_and_sent_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
