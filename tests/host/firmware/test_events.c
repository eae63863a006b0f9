/* SPDX-License-Identifier: Apache-2.0
 * Events of the GPU and timers that concern nobody: of a packet that is at another step, of one that is gone, of a kind
 * that is none.  They change nothing, and no later cycle (B.8).
 */
#include "queue_bench.h"

/* What a run comes to. */
struct outcome {
    uint64_t now;
    unsigned logged, accesses;
    struct msg_cp_cmd last;
};

static void wait_for(struct bench *b, enum job_state state)
{
    for (unsigned n = 0; n < 20000 && b->cp[0]->jobs[0].state != state; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->cp[0]->jobs[0].state, state);
}

/* A kernel with all fences and a signal; at one of its steps an event or a timer comes. */
static struct outcome disturbed(void **state, enum job_state step, const struct msg_cp_evt *evt, bool timer,
                                uint16_t other)
{
    assert_int_equal(bench_teardown(state) || bench_setup(state), 0);
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
    kernel_put(b, 0, 0x1502, signal_va(0));
    ring(b, 0);
    if (step != JOB_FREE)
        wait_for(b, step);
    const uint16_t id = (uint16_t)(job_id(b->cp[0], &b->cp[0]->jobs[0]) + other);
    if (evt) {
        struct msg_cp_evt mine = *evt;
        mine.id = id;
        cp_event(b->cp[0], &mine);
    }
    if (timer)
        cp_timer(b->cp[0], cookie_of(b->cp[0], id));
    run(b);
    assert_int_equal(get(b, signal_at(0) + SIGNAL_VALUE), 0);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(b->faults + b->errors + b->halted + b->unfinished, 0);
    assert_int_equal(b->space[0][0].busy, 0);
    assert_int_equal(b->cp[0]->launches, 0);
    assert_false(cp_busy(b->cp[0]));
    return (struct outcome){sim_now(b->sim), b->sim->logged, b->sim->accesses, *command_last(b, CP_CACHE)};
}

static void same(struct outcome a, struct outcome b)
{
    assert_int_equal(a.now, b.now);
    assert_int_equal(a.logged, b.logged);
    assert_int_equal(a.accesses, b.accesses);
    assert_memory_equal(&a.last, &b.last, sizeof a.last);
}

static const enum job_state steps[] = {JOB_DECODE, JOB_ACQUIRE, JOB_LAUNCH, JOB_RUN, JOB_RELEASE, JOB_SIGNAL, JOB_TELL};
#define STEPS (sizeof steps / sizeof steps[0])

/* Of the packet itself, which waits for none of them at that step. */
static void a_packet_takes_what_it_waits_for(void **state)
{
    const struct outcome plain = disturbed(state, JOB_FREE, NULL, false, 0);
    static const uint8_t kinds[] = {
        CP_EVT_LAUNCH_DONE, CP_EVT_CACHE_DONE, CP_EVT_KILL_DONE, CP_EVT_FAULT, CP_EVT_HALT, CP_EVT_TRAP_DONE, 0, 9};
    for (unsigned s = 0; s < STEPS; s++) {
        const bool waits = steps[s] == JOB_ACQUIRE || steps[s] == JOB_RUN || steps[s] == JOB_RELEASE;
        for (unsigned k = 0; k < sizeof kinds; k++) {
            const struct msg_cp_evt evt = {.kind = kinds[k], .status = FAULT_ILLEGAL, .vmid = 1};
            const bool answer = kinds[k] == CP_EVT_LAUNCH_DONE || kinds[k] == CP_EVT_CACHE_DONE;
            if (!(answer && waits) && !(!answer && steps[s] == JOB_RUN)) /* else it is meant */
                same(disturbed(state, steps[s], &evt, false, 0), plain);
        }
        if (steps[s] != JOB_DECODE && steps[s] != JOB_LAUNCH && steps[s] != JOB_SIGNAL) /* else it is its own timer */
            same(disturbed(state, steps[s], NULL, true, 0), plain);
    }
}

/* Of another packet: one that had the place before, one of a place where none is, and of places that there are not. */
static void what_is_gone_is_not_meant(void **state)
{
    static const uint16_t others[] = {0x100, 0xff00, 1, CP_JOBS - 1, CP_JOBS, CP_JOBS + 1, 0x7f, 0xff};
    static const uint8_t kinds[] = {CP_EVT_LAUNCH_DONE, CP_EVT_CACHE_DONE, CP_EVT_FAULT, CP_EVT_INTERRUPT, CP_EVT_HALT};
    const struct outcome plain = disturbed(state, JOB_FREE, NULL, false, 0);
    for (unsigned o = 0; o < sizeof others / sizeof others[0]; o++)
        for (unsigned s = 0; s < STEPS; s++) {
            for (unsigned k = 0; k < sizeof kinds; k++) {
                const struct msg_cp_evt evt = {.kind = kinds[k], .status = FAULT_NOT_PRESENT, .vmid = 1};
                same(disturbed(state, steps[s], &evt, false, others[o]), plain);
                assert_int_equal(((struct bench *)*state)->interrupts, 0);
            }
            same(disturbed(state, steps[s], NULL, true, others[o]), plain);
        }
}

/* A wavefront sends an interrupt at any time of its packet, which goes on as without. */
static void interrupts_are_of_packets_at_any_step(void **state)
{
    const struct outcome plain = disturbed(state, JOB_FREE, NULL, false, 0);
    for (unsigned s = 0; s < STEPS; s++) {
        const struct msg_cp_evt evt = {.kind = CP_EVT_INTERRUPT, .vmid = 1};
        const struct outcome end = disturbed(state, steps[s], &evt, false, 0);
        assert_int_equal(((struct bench *)*state)->interrupts, 1);
        assert_true(end.now >= plain.now && end.logged == plain.logged && end.accesses == plain.accesses);
    }
}

/* Answers to a shoot-down of which none is under way, before the first one and after it. */
static void answers_to_no_shootdown(void **state)
{
    struct bench *b = *state;
    const struct msg_cp_evt evt = {.kind = CP_EVT_CACHE_DONE, .id = CP_SHOOTDOWN};
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < 2; n++) {
        cp_event(b->cp[0], &evt);
        assert_int_equal(cp_shootdowns_sent(b->cp[0]), n);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), n);
        kernel_put(b, 0, 0x0002, 0);
        ring(b, 0);
        kernel_started(b, n + 1);
        cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), n);
        run(b);
        assert_int_equal(cp_shootdowns_done(b->cp[0]), n + 1);
    }
    assert_int_equal(b->shootdowns, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packet_takes_what_it_waits_for),
        TEST(what_is_gone_is_not_meant),
        TEST(interrupts_are_of_packets_at_any_step),
        TEST(answers_to_no_shootdown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
