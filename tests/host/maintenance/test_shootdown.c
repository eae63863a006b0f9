/* SPDX-License-Identifier: Apache-2.0
 * Shoot-downs that are commands and those that wait for accesses, in one order; which packets need a command; what
 * access.h says about a memory (B.8).
 */
#include "../firmware/cp_bench.h"
#include "firmware/cp_private.h"

#define FAR 1000u                                      /* one way to memory: longer than a command takes */
#define COMMAND (2 * fake_latency + fake_cache_cycles) /* from a command to its answer */

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

/* A kernel of client 0 that does not end; queue 1 is of client 1. */
static void one_runs(struct bench *b)
{
    fake_launch = endless;
    fake_memory[0] = 100;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 1, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(b->space[0][0].busy, 1);
    assert_int_equal(b->space[0][0].accesses, 0);
}

static void command(struct bench *b)
{
    const unsigned before = commands(b, CP_CACHE);
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    assert_int_equal(commands(b, CP_CACHE), before + 1);
    assert_int_equal(command_last(b, CP_CACHE)->id, CP_SHOOTDOWN);
}

/* An access of client 1 begins, and then one of its pages changes: answered 2 * latency later, as all others then. */
static void access(struct bench *b, uint64_t latency)
{
    const unsigned before = commands(b, CP_CACHE);
    fake_memory[0] = latency;
    queue_ring(b->cp[0], b->queue[1]);
    assert_true(b->space[1][0].accesses > 0);
    cp_space_shootdown(b->cp[0], &b->space[1][0], 0, 0);
    assert_int_equal(commands(b, CP_CACHE), before);
}

static void done_at(struct bench *b, uint64_t cycle, uint64_t done)
{
    if (cycle > sim_now(b->sim))
        sim_run(b->sim, cycle);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), done);
    assert_int_equal(b->shootdowns, done);
}

/* The access is answered first: it counts with the command before it, not earlier. */
static void an_access_waits_for_the_command_before_it(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    const uint64_t now = sim_now(b->sim);
    command(b);
    access(b, 100);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 2);
    done_at(b, now + COMMAND - 1, 0);
    assert_int_equal(b->space[1][0].accesses, 0);
    done_at(b, now + COMMAND, 2);
    run(b);
    done_at(b, 0, 2);
}

/* The commands are answered first: the later one counts with the access before it. */
static void a_command_waits_for_the_access_before_it(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    const uint64_t now = sim_now(b->sim);
    command(b);
    access(b, FAR);
    command(b);
    command(b);
    done_at(b, now + COMMAND - 1, 0);
    done_at(b, now + COMMAND, 1);
    done_at(b, now + 2 * FAR - 1, 1);
    done_at(b, now + 2 * FAR, 4);
    command(b); /* nothing is left of them: it counts by its own answer */
    done_at(b, now + 2 * FAR + COMMAND - 1, 4);
    done_at(b, now + 2 * FAR + COMMAND, 5);
    run(b);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 5);
}

/* Commands that are sent one after another count one after another, each by its own answer, however many there were. */
static void each_command_counts_by_its_answer(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    uint64_t done = 0;
    for (unsigned count = 5; count > 0; count--) {
        const uint64_t now = sim_now(b->sim);
        for (unsigned n = 0; n < count; n++) {
            command(b);
            sim_timer(b->sim, now + 10 * (n + 1), cookie_of(b->cp[0], COOKIE_POLL)); /* a cycle to stand at */
            sim_run(b->sim, now + 10 * (n + 1));
        }
        for (unsigned n = 0; n < count; n++) {
            done_at(b, now + 10 * n + COMMAND - 1, done + n);
            done_at(b, now + 10 * n + COMMAND, done + n + 1);
        }
        done += count;
        assert_int_equal(cp_shootdowns_sent(b->cp[0]), done);
    }
}

/* One that a component refuses, being off, is not done, nor is what was sent behind it, although that is answered: it
 * is sent again, the same, when a component has been enabled, and not by any other signal. */
static void a_refused_command_is_held(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    fake_cache_status = CTL_ERROR_OFF;
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0x5000, 0x2000);
    cp_caches_drop(b->cp[0], false);
    const struct msg_cp_cmd pages = b->sim->log[b->sim->logged - 2].cmd, drop = *command_last(b, CP_CACHE);
    assert_int_equal(pages.root, 0x5000);
    run(b);
    fake_cache_status = CTL_OK;
    command(b);
    run(b);
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 3);
    done_at(b, 0, 0);
    const unsigned from = b->sim->logged;
    control_continue(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
    fake_control_status = CTL_ERROR_ON;
    control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
    run(b);
    assert_int_equal(b->sim->logged, from + 2);
    done_at(b, 0, 0);
    fake_control_status = CTL_OK;
    control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
    run(b);
    assert_int_equal(b->sim->logged, from + 5);
    assert_memory_equal(&b->sim->log[from + 3].cmd, &pages, sizeof pages);
    assert_memory_equal(&b->sim->log[from + 4].cmd, &drop, sizeof drop);
    done_at(b, 0, 3);
}

/* Sent again behind a later one, it is that one's answer which comes first. */
static void a_command_sent_again_is_answered_last(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    fake_cache_status = CTL_ERROR_OFF;
    command(b);
    run(b);
    fake_cache_status = CTL_OK;
    control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
    sim_timer(b->sim, sim_now(b->sim) + COMMAND - 1, cookie_of(b->cp[0], COOKIE_POLL)); /* a cycle to stand at */
    sim_run(b->sim, sim_now(b->sim) + COMMAND - 1);
    command(b);
    const uint64_t now = sim_now(b->sim);
    sim_run(b->sim, now + 1);
    assert_int_equal(b->cp[0]->shootdown_commands, 3);
    done_at(b, now + COMMAND, 0);
    assert_true(b->cp[0]->shootdowns[0].command && !b->cp[0]->shootdowns[1].command);
    done_at(b, now + COMMAND + 1, 2);
}

/* Of the GPU's answers only that to a shoot-down counts. */
static void other_events_answer_no_command(void **state)
{
    static const struct msg_cp_evt others[] = {{.kind = CP_EVT_CACHE_DONE, .id = CP_DROP},
                                               {.kind = CP_EVT_CACHE_DONE, .id = 0x3f},
                                               {.kind = CP_EVT_LAUNCH_DONE, .id = CP_SHOOTDOWN}};
    struct bench *b = *state;
    one_runs(b);
    b->cp[0]->drops = 1;
    const uint64_t now = sim_now(b->sim);
    command(b);
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        cp_event(b->cp[0], &others[i]);
        done_at(b, 0, 0);
    }
    assert_int_equal(b->cp[0]->drops, 0);
    done_at(b, now + COMMAND, 1);
    assert_int_equal(b->cp[0]->drops, 0); /* and its answer is none to a drop */
}

/* A packet at any place makes the command processor busy, until it is done. */
static void busy_at_any_place(void **state)
{
    struct bench *b = *state;
    assert_false(cp_busy(b->cp[0]));
    for (unsigned i = 0; i < CP_JOBS; i++) {
        struct job *job = &b->cp[0]->jobs[i];
        assert_int_equal(job->state, JOB_FREE);
        for (enum job_state s = JOB_FREE + 1; s < JOB_DONE; s++) {
            job->state = s;
            assert_true(cp_busy(b->cp[0]));
        }
        job->state = JOB_DONE;
        assert_false(cp_busy(b->cp[0]));
        job->state = JOB_FREE;
    }
}

/* Accesses that begin after it, and those of its own that began before, each by its number. */
static void only_earlier_accesses_are_waited_for(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    const uint64_t now = sim_now(b->sim);
    access(b, FAR);
    sim_run(b->sim, now + 100);
    queue_ring(b->cp[0], b->queue[0]); /* later */
    done_at(b, now + 2 * FAR - 1, 0);
    done_at(b, now + 2 * FAR, 1);
    assert_true(b->sim->open > 0);
    run(b);
    cp_space_shootdown(b->cp[0], &b->space[1][0], 0, 0); /* nothing of it is under way any more */
    assert_int_equal(cp_shootdowns_sent(b->cp[0]), 1);
}

static void wait_for(struct bench *b, enum job_state job_state)
{
    for (unsigned n = 0; n < 5000 && b->cp[0]->jobs[0].state != job_state; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->cp[0]->jobs[0].state, job_state);
}

/* Between the start of its first fence and the end of its last a packet may have been given a translation or have left
 * something in a cache; before and after there is nothing that a command could drop. */
static void packets_within_their_fences_need_a_command(void **state)
{
    static const struct {
        enum job_state state;
        unsigned commands;
    } cases[] = {{JOB_DECODE, 0}, {JOB_ACQUIRE, 1}, {JOB_LAUNCH, 1}, {JOB_RUN, 1}, {JOB_RELEASE, 1}, {JOB_SIGNAL, 0}};
    for (unsigned n = 0; n < 2 * sizeof cases / sizeof cases[0]; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        queue_open(b, 0, 0, 0);
        queue_open(b, 1, 1, 0);
        fake_memory[0] = 100;
        put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
        kernel_put(b, 0, 0x1502, signal_va(0));
        ring(b, 0);
        wait_for(b, cases[n / 2].state);
        const unsigned before = b->sim->logged;
        if (n % 2)
            cp_caches_drop(b->cp[0], true);
        else
            cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
        assert_int_equal(b->sim->logged - before, cases[n / 2].commands);
        assert_int_equal(cp_shootdowns_sent(b->cp[0]), cases[n / 2].commands);
        if (b->sim->logged > before) {
            assert_int_equal(b->sim->log[before].cmd.vmid, n % 2 ? 0 : b->space[0][0].vmid);
            assert_int_equal(b->sim->log[before].cmd.id, CP_SHOOTDOWN);
        }
        cp_space_shootdown(b->cp[0], &b->space[1][0], 0, 0); /* of which no packet is here */
        assert_int_equal(b->sim->logged - before, cases[n / 2].commands);
        assert_int_equal(b->cp[0]->caches_stale, n % 2 && !cases[n / 2].commands);
        run(b);
        assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), 0);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), cases[n / 2].commands);
    }
}

/* Packets of all places count, whoever has the first one; of the callbacks two may be missing. */
static void a_packet_counts_at_any_place(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    b->cp[0]->host.shootdown = NULL;
    b->cp[0]->host.may_start = NULL;
    kernel_put(b, 1, 0x0002, 0);
    ring(b, 1);
    run(b);
    assert_int_equal(command_last(b, CP_LAUNCH)->vmid, b->space[1][0].vmid);
    b->space[1][0].busy = b->space[0][0].busy = 0; /* only packets tell */
    for (unsigned n = 0; n < 3; n++) {
        const unsigned before = commands(b, CP_CACHE);
        if (n < 2)
            cp_space_shootdown(b->cp[0], &b->space[n][0], 0, 0);
        else
            b->cp[0]->jobs[0].state = JOB_DECODE, cp_caches_drop(b->cp[0], false);
        assert_int_equal(commands(b, CP_CACHE), before + 1);
        run(b);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), n + 1);
    }
    assert_false(b->cp[0]->caches_stale);
    assert_int_equal(b->shootdowns, 0);
}

/* A command processor that has nothing but an answer to wait for is busy, until it has come. */
static void a_read_under_way_is_work(void **state)
{
    struct bench *b = *state;
    fake_memory[0] = 100;
    queue_open(b, 0, 0, 0);
    assert_false(cp_busy(b->cp[0]));
    queue_ring(b->cp[0], b->queue[0]);
    assert_true(cp_busy(b->cp[0]));
    assert_false(cp_busy(b->cp[1]));
    assert_false(jobs_busy(b->cp[0]));
    sim_run(b->sim, 199);
    assert_true(cp_busy(b->cp[0]));
    sim_run(b->sim, 200);
    assert_false(cp_busy(b->cp[0]));
    assert_int_equal(b->sim->accesses, 3); /* write index, packet, what the queue is */
}

/* What is not mapped is in no memory, also not in the same as another page that is not mapped. */
static void unmapped_pages_share_no_memory(void **state)
{
    struct bench *b = *state;
    const struct cp_space *space = &b->space[0][0];
    const uint64_t page = VA + 0x40000, none = VA + 0x50000, vram = VA + 0x60000, other = VA + 0x70000;
    pagetable_unmap(space->pt, none, 0x2000);
    pagetable_map(space->pt, vram, pmem_addr(1, 0x3000), 0x1000, PTE_R | PTE_W);
    pagetable_map(space->pt, other, pmem_addr(2, 0x3000), 0x1000, PTE_R | PTE_W);
    assert_true(access_same(space, page, page + 0x1000));
    assert_true(access_same(space, vram, vram + 0xfff));
    assert_false(access_same(space, page, none));
    assert_false(access_same(space, none, page));
    assert_false(access_same(space, none, none + 0x1000));
    assert_false(access_same(space, page, vram));
    assert_false(access_same(space, other, vram));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(other_events_answer_no_command),
        TEST(busy_at_any_place),
        TEST(each_command_counts_by_its_answer),
        TEST(a_refused_command_is_held),
        TEST(a_command_sent_again_is_answered_last),
        TEST(an_access_waits_for_the_command_before_it),
        TEST(a_command_waits_for_the_access_before_it),
        TEST(only_earlier_accesses_are_waited_for),
        TEST(packets_within_their_fences_need_a_command),
        TEST(a_packet_counts_at_any_place),
        TEST(a_read_under_way_is_work),
        TEST(unmapped_pages_share_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
