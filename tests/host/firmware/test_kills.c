/* SPDX-License-Identifier: Apache-2.0
 * What is left of an address space, or of a queue, whose wavefronts were killed or whose queues are closed: nothing
 * that holds up an end, and nothing that a successor meets (B.8).
 */
#include "base/log.h"
#include "cp_bench.h"
#include "firmware/cp_private.h"

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}
static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 10000;
}

static void happen(struct bench *b, unsigned kind, uint8_t status, uint16_t id)
{
    const struct msg_cp_evt evt = {.kind = (uint8_t)kind, .status = status, .vmid = 1, .id = id};
    cp_event(b->cp[0], &evt);
}

/* A kernel of queue 0, and behind it a packet that is done, whose slot the kernel holds up. */
static uint16_t kernel_and_done(struct bench *b)
{
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    barrier_put(b, 0, 0x0003, NULL, 0, 0);
    ring(b, 0);
    for (unsigned n = 0; n < 500 && (commands(b, CP_LAUNCH) == 0 || b->queue[0]->active > 1); n++)
        sim_run(b->sim, sim_now(b->sim) + 10);
    assert_int_equal(b->queue[0]->active, 1);
    assert_int_equal(b->queue[0]->jobs, 2);
    return command_last(b, CP_LAUNCH)->id;
}

/* A packet that has completed behind a running kernel goes with its closed queue, as soon as the kernel has ended. */
static void packets_that_are_done_go_with_their_queue(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    kernel_and_done(b);
    cp_queue_close(b->cp[0], b->queue[0]);
    assert_non_null(b->cp[0]->queues);
    run(b);
    assert_null(b->cp[0]->queues);
    for (unsigned i = 0; i < CP_JOBS; i++)
        assert_int_equal(b->cp[0]->jobs[i].state, JOB_FREE);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0);
}

/* The same where the kernel's wavefront has halted itself: what is done does not keep it alive. */
static void packets_that_are_done_keep_nothing_alive(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    uint16_t id = kernel_and_done(b);
    happen(b, CP_EVT_HALT, 0, id);
    happen(b, CP_EVT_HALT, 0, id);
    assert_int_equal(b->halted, 1);
    run(b);
    assert_int_equal(commands(b, CP_KILL), 0);
    cp_queue_close(b->cp[0], b->queue[0]);
    assert_int_equal(commands(b, CP_KILL), 1);
    run(b);
    assert_null(b->cp[0]->queues);
    assert_int_equal(b->space[0][0].busy, 0);
    assert_int_equal(commands(b, CP_KILL), 1);
    assert_int_equal(b->unfinished, 1);
}

/* After a fault nothing of the space is at the GPU: the client's next queue works, a change of pages is no command, and
 * the space closes at once.  The next fault is one again. */
static void a_killed_space_is_clean(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    for (unsigned n = 0; n < 2; n++) {
        queue_open(b, n, 0, 0);
        kernel_put(b, n, 0x0002, 0);
        ring(b, n);
        run(b);
        assert_int_equal(b->space[0][0].busy, 1);
        happen(b, CP_EVT_FAULT, FAULT_NOT_PRESENT, command_last(b, CP_LAUNCH)->id);
        happen(b, CP_EVT_FAULT, FAULT_NOT_PRESENT, command_last(b, CP_LAUNCH)->id); /* of another lane */
        assert_int_equal(b->faults, n + 1);
        assert_int_equal(commands(b, CP_KILL), n + 1);
        run(b);
        assert_false(b->space[0][0].faulted || b->space[0][0].killing);
        assert_int_equal(b->space[0][0].busy, 0);
        assert_int_equal(b->cp[0]->launches, 0);
        assert_int_equal(b->queue[n]->active, 0);
        assert_int_equal(b->unfinished, n + 1);
    }
    const unsigned before = b->sim->logged;
    cp_space_shootdown(b->cp[0], &b->space[0][0], 0, 0);
    cp_caches_drop(b->cp[0], true);
    assert_int_equal(b->sim->logged, before);
    cp_space_close(b->cp[0], &b->space[0][0]);
    assert_int_equal(b->closed, 1);
    assert_int_equal(commands(b, CP_KILL), 2);
    cp_space_close(b->cp[0], &b->space[0][0]);
    assert_int_equal(b->closed, 1);
}

/* What each kind of fault is told as, once, and that its queue stops with it, not with the answer to the kill. */
static void a_fault_stops_its_queue_at_once(void **state)
{
    static const struct {
        uint8_t status;
        uint32_t error; /* 0: a memory fault of the process */
    } cases[] = {{FAULT_TRAP, CP_ERROR_TRAP},      {FAULT_ILLEGAL, CP_ERROR_ILLEGAL},
                 {FAULT_ALIGN, CP_ERROR_APERTURE}, {FAULT_APERTURE, CP_ERROR_APERTURE},
                 {FAULT_NOT_PRESENT, 0},           {FAULT_READ_ONLY, 0}};
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = endless;
        uint16_t id = kernel_and_done(b);
        run(b);
        const unsigned visible = b->visible;
        happen(b, CP_EVT_FAULT, cases[n].status, id);
        assert_true(b->queue[0]->dead);
        assert_int_equal(b->errors, cases[n].error != 0);
        assert_int_equal(b->faults, cases[n].error == 0);
        assert_int_equal(b->last_error, cases[n].error);
        assert_int_equal(b->visible - visible, cases[n].error == 0);
        const uint64_t inactive = get(b, signal_at(40) + SIGNAL_VALUE);
        kernel_put(b, 0, 0x0002, 0);
        ring(b, 0);
        run(b);
        assert_int_equal(b->interrupts + b->halted, 0);
        assert_int_equal(inactive, 0);
        assert_int_equal(get(b, signal_at(40) + SIGNAL_VALUE), cases[n].error);
        assert_int_equal(commands(b, CP_LAUNCH), 1);
        assert_int_equal(b->errors + b->faults, 1);
        assert_int_equal(b->queue[0]->jobs, 0);
    }
}

/* The instruction at the PC comes from memory, as far as it is mapped; of an illegal one the event brings it, and what
 * registers the wavefront has is told in place of an address. */
static void a_fault_is_told_with_its_instruction(void **state)
{
    static const struct {
        uint64_t pc, data, va;
        uint8_t status;
    } cases[] = {{VA + 0x6000, 0x8877665544332211, 0x1234, FAULT_NOT_PRESENT},
                 {VA + 0x6004, UINT64_C(0x0011223388776655), 0x1234, FAULT_ALIGN},
                 {VA + 0x6ffc, 0xabcdef01, 0x1234, FAULT_NOT_PRESENT}, /* the next page is not there */
                 {VA + 0x7000, 0, 0x1234, FAULT_NO_EXECUTE},
                 {VA + 0x6000, 0x77, 12 | 32 << 16, FAULT_ILLEGAL}};
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        assert_int_equal(n ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = endless;
        struct msg_cp_evt evt = {.kind = CP_EVT_FAULT, .vmid = 1, .id = kernel_and_done(b), .cu = 3, .wave = 5};
        put(b, 0x6000, 0x8877665544332211, 8);
        put(b, 0x6008, 0x112233, 8);
        put(b, 0x6ffc, 0xabcdef01, 4);
        pagetable_unmap(b->space[0][0].pt, VA + 0x7000, 0x1000);
        evt.status = cases[n].status;
        evt.pc = cases[n].pc;
        evt.va = 0x1234;
        evt.data = 0x77;
        cp_event(b->cp[0], &evt);
        assert_int_equal(b->errors + b->faults, 1);
        assert_int_equal(b->told.data, cases[n].data);
        assert_int_equal(b->told.va, cases[n].va);
        assert_int_equal(b->told.pc, cases[n].pc);
        assert_true(b->told.status == evt.status && b->told.cu == 3 && b->told.wave == 5);
        run(b);
    }
}

/* The line of an answer to a kill with this status, without its time. */
static const char *told_of_a_kill(struct bench *b, uint8_t status)
{
    static char text[256];
    FILE *file = fmemopen(text, sizeof text, "w");
    memset(text, 0, sizeof text);
    log_set_file(file);
    happen(b, CP_EVT_KILL_DONE, status, CP_NO_JOB);
    log_set_file(NULL);
    fclose(file);
    const char *at = strstr(text, "kill of");
    return at ? at : text;
}

/* A kill of which the L2 TLB, being off, has refused its part has one line, and is one for all that. */
static void a_refused_part_of_a_kill_has_a_line(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    run(b);
    happen(b, CP_EVT_FAULT, FAULT_NOT_PRESENT, command_last(b, CP_LAUNCH)->id);
    assert_string_equal(told_of_a_kill(b, CTL_ERROR_OFF),
                        "kill of vmid 1: the L2 TLB has refused its part (status 1): it is off\n");
    assert_false(b->space[0][0].killing);
}

static bool takes_traps(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    (void)sim, (void)gpu;
    return cmd->kind == CP_TRAP;
}

/* The command may stand behind a kill of another space at the GPU, which kernels pass. */
static void a_kernel_waits_for_its_trap_handlers(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    fake_takes = takes_traps;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    b->space[0][0].tba = 0x1234;
    cp_space_trap(b->cp[0], &b->space[0][0]);
    cp_space_trap(b->cp[0], &b->space[0][0]);
    ring(b, 0);
    run(b);
    assert_null(command_last(b, CP_LAUNCH));
    struct msg_cp_evt done = {.kind = CP_EVT_TRAP_DONE, .id = CP_NO_JOB, .vmid = 9};
    cp_event(b->cp[0], &done); /* another space's */
    done.vmid = b->space[0][0].vmid;
    cp_event(b->cp[0], &done);
    assert_null(command_last(b, CP_LAUNCH));
    cp_event(b->cp[0], &done);
    assert_non_null(command_last(b, CP_LAUNCH));
    assert_int_equal(b->space[0][0].busy, 1);
    cp_event(b->cp[0], &done); /* of a model that has taken over */
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    fake_takes = NULL;
}

/* An answer to a kill that nobody waits for changes nothing. */
static void a_kill_of_nobody(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    kernel_and_done(b);
    assert_string_equal(told_of_a_kill(b, CTL_OK), "");
    assert_int_equal(b->space[0][0].busy, 1);
    assert_int_equal(b->closed, 0);
    run(b);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(b->unfinished, 0);
}

/* A ring has a power of two of packets; commands of an address space have no flags but those that are meant. */
static void what_is_opened(void **state)
{
    static const uint64_t sizes[] = {0, 3, 12, 63, 65};
    struct bench *b = *state;
    struct cp_queue_args args = {.ring = VA + queue_at(0)};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        args.packets = sizes[i];
        assert_null(cp_queue_open(b->cp[0], &b->space[0][0], &args));
    }
    assert_null(b->cp[0]->queues);
    args.packets = 1;
    struct cp_queue *queue = cp_queue_open(b->cp[0], &b->space[0][0], &args);
    assert_ptr_equal(b->cp[0]->queues, queue);
    for (unsigned i = 0; i < b->sim->logged; i++)
        assert_true(b->sim->log[i].cmd.flags == 0 && b->sim->log[i].cmd.id == CP_NO_JOB);
    const unsigned before = b->sim->logged;
    cp_space_close(b->cp[0], &b->space[0][0]);
    assert_int_equal(b->sim->logged, before + 2);
    assert_int_equal(b->sim->log[before].cmd.kind, CP_VMID);
    assert_int_equal(b->sim->log[before].cmd.flags, 0);
    assert_int_equal(b->sim->log[before + 1].cmd.kind, CP_CACHE);
    assert_int_equal(b->sim->log[before + 1].cmd.flags, CACHE_INV_TLB);
    assert_int_equal(b->sim->log[before + 1].cmd.root, 0);
    assert_int_equal(b->closed, 1);
}

/* That a wavefront has halted is of its packet, not of the place: the next one there ends by itself when its queue is
 * closed. */
static void a_place_forgets_that_a_wavefront_halted(void **state)
{
    struct bench *b = *state;
    fake_launch = endless;
    uint16_t id = kernel_and_done(b);
    happen(b, CP_EVT_HALT, 0, id);
    cp_queue_close(b->cp[0], b->queue[0]);
    run(b);
    assert_int_equal(commands(b, CP_KILL), 1);
    fake_launch = slow;
    for (unsigned n = 1; n < 3; n++) { /* the first of them is told of as well */
        queue_open(b, n, 0, 0);
        kernel_put(b, n, 0x0002, 0);
        ring(b, n);
        for (unsigned i = 0; i < 500 && commands(b, CP_LAUNCH) == n; i++)
            sim_run(b->sim, sim_now(b->sim) + 10);
        assert_int_equal(command_last(b, CP_LAUNCH)->id & 0xff, 0);
        if (n == 2)
            happen(b, CP_EVT_HALT, 0, command_last(b, CP_LAUNCH)->id);
        assert_int_equal(b->halted, n == 2 ? 2 : 1);
        cp_queue_close(b->cp[0], b->queue[n]);
        run(b);
        assert_int_equal(commands(b, CP_KILL), n);
        assert_int_equal(b->kernels, 1);
        assert_null(b->cp[0]->queues);
    }
}

/* Kills of two spaces, answered in either order, and once more: who waits for none is in no list. */
static void kills_are_done_with(void **state)
{
    for (unsigned order = 0; order < 2; order++) {
        assert_int_equal(order ? bench_teardown(state) || bench_setup(state) : 0, 0);
        struct bench *b = *state;
        fake_launch = endless;
        for (unsigned round = 0; round < 3; round++) {
            const unsigned spaces = round == 0 ? 2 : 1; /* then one alone, which is the first and the second */
            uint16_t id[2];
            for (unsigned c = 0; c < 2; c++) {
                queue_open(b, 2 * round + c, c, 0);
                kernel_put(b, 2 * round + c, 0x0002, 0);
                ring(b, 2 * round + c);
                run(b);
                id[c] = command_last(b, CP_LAUNCH)->id;
            }
            for (unsigned c = 0; c < 2; c++) {
                const struct msg_cp_evt fault = {.kind = CP_EVT_FAULT, .status = FAULT_NOT_PRESENT, .id = id[c]};
                if (spaces == 2 || c == round - 1)
                    cp_event(b->cp[0], &fault);
            }
            struct cp_space *first = &b->space[spaces == 2 ? 0 : round - 1][0];
            assert_ptr_equal(b->cp[0]->killing, first);
            assert_ptr_equal(first->next_killing, spaces == 2 ? &b->space[1][0] : NULL);
            for (unsigned n = 0; n < spaces; n++) {
                struct cp_space *space = spaces == 2 ? &b->space[n ^ order][0] : first;
                const struct msg_cp_evt done = {.kind = CP_EVT_KILL_DONE, .vmid = space->vmid};
                cp_event(b->cp[0], &done);
                assert_false(space->killing);
            }
            assert_null(b->cp[0]->killing);
            run(b);
            assert_int_equal(b->unfinished, round == 2 ? 5 : round + 2); /* of the last space two kernels */
        }
        assert_int_equal(commands(b, CP_KILL), 4);
        assert_int_equal(b->faults, 4);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(packets_that_are_done_go_with_their_queue),
        TEST(packets_that_are_done_keep_nothing_alive),
        TEST(a_killed_space_is_clean),
        TEST(a_fault_stops_its_queue_at_once),
        TEST(a_fault_is_told_with_its_instruction),
        TEST(a_kernel_waits_for_its_trap_handlers),
        TEST(a_kill_of_nobody),
        TEST(a_refused_part_of_a_kill_has_a_line),
        TEST(a_place_forgets_that_a_wavefront_halted),
        TEST(kills_are_done_with),
        TEST(what_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
