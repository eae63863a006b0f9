/* SPDX-License-Identifier: Apache-2.0
 * What the command processor does with bad packets, faults, scratch requests and clients that go away (B.8).
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"

static uint64_t inactive_of(struct bench *b, unsigned q)
{
    return get(b, signal_at(40 + q) + 8);
}

/* shows B.8 */
static void bad_packets_stop_their_queue(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 8; q++) {
        queue_open(b, q, 0, 0);
        kernel_put(b, q, 0x0b02, 0);
        uint64_t s = kernel_put(b, q, 0x0b02, 0);
        kernel_put(b, q, 0x0b02, 0);
        switch (q) {
        case 0:
            put(b, s, 0x0b04, 2);
            break; /* agent dispatch */
        case 1:
            put(b, s, 0x0b07, 2);
            break; /* no such type */
        case 2:
            put(b, s + 4, 1025 | 1ull << 16 | 1ull << 32, 8);
            break;
        case 3:
            put(b, s + 0x1c, 65537, 4);
            break; /* LDS */
        case 4:
            put(b, s + 2, 0, 2);
            break; /* no dimensions */
        case 5:
            put(b, s + 0xc, 0, 4);
            break; /* empty grid */
        case 6:
            put(b, s + 0x20, 0x7000000000, 8);
            break; /* no kernel object there */
        default:   /* registers of 1024 items do not fit */
            put(b, AT_KD + 64 + 0x30, 63 | 2 << 6, 4);
            put(b, s + 0x20, VA + AT_KD + 64, 8);
            put(b, s + 4, 1024 | 1ull << 16 | 1ull << 32, 8);
            break;
        }
        ring(b, q);
        run(b);
    }
    const uint64_t expected[] = {CP_ERROR_PACKET, CP_ERROR_PACKET, CP_ERROR_GROUP, CP_ERROR_LDS,
                                 CP_ERROR_DIMS,   CP_ERROR_DIMS,   CP_ERROR_CODE,  CP_ERROR_REGISTERS};
    for (unsigned q = 0; q < 8; q++) {
        assert_int_equal(inactive_of(b, q), expected[q]);
        assert_int_equal(get(b, amd_at(q) + 0x80), 1); /* the good packet before it was completed, nothing after */
    }
    assert_int_equal(b->kernels, 8);
    assert_int_equal(b->errors, 8);
    assert_int_equal(commands(b, CP_KILL), 0);
}

/* Without a barrier bit too: what stands before a bad packet completes, and says so, before the queue stops. */
static void a_bad_packet_waits_for_earlier_ones(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 1, 8);
    kernel_put(b, 0, 0x0a02, signal_va(0));
    put(b, kernel_put(b, 0, 0x0a02, 0) + 2, 0, 2); /* no dimensions */
    ring(b, 0);
    while (inactive_of(b, 0) == 0 && b->sim->count)
        sim_run(b->sim, sim_now(b->sim) + 50);
    assert_int_equal(inactive_of(b, 0), CP_ERROR_DIMS);
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(get(b, amd_at(0) + 0x80), 1);
    assert_int_equal(b->kernels, 1);
}

static void scratch_is_asked_for_and_retried(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    uint64_t s = kernel_put(b, 0, 0x0b02, 0);
    put(b, s + 0x18, 400, 4);
    ring(b, 0);
    run(b);
    assert_int_equal(inactive_of(b, 0), 1);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0); /* not consumed */
    poll_all(b);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 0);  /* still waits */
    put(b, amd_at(0) + 0x8c, 26u << 12 | 128, 4); /* the client allocates and answers */
    put(b, amd_at(0) + 0xa0, 0x4000, 8);
    put(b, amd_at(0) + 0xb0, 416, 4);
    put(b, signal_at(40) + 8, 0, 8);
    b->space[0][0].scratch_base = 0x4000c00000;
    poll_all(b);
    run(b);
    const struct msg_cp_cmd *cmd = command_last(b, CP_LAUNCH);
    assert_non_null(cmd);
    assert_int_equal(cmd->scratch_waves, 128);
    assert_int_equal(cmd->scratch_wave_bytes, 26 * 1024);
    assert_int_equal(cmd->root, 0x4000c00000);
    assert_int_equal(cmd->user_sgpr[12], 0x4000); /* flat_scratch_init */
    assert_int_equal(cmd->user_sgpr[13], 416);
    assert_int_equal(b->errors, 0);
}

static void scratch_without_room_for_a_group_is_refused(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, kernel_put(b, 0, 0x0b02, 0) + 0x18, 400, 4);
    put(b, amd_at(0) + 0xb0, 416, 4);
    put(b, amd_at(0) + 0x8c, 26u << 12 | 0, 4); /* memory, but for no wavefront */
    ring(b, 0);
    run(b);
    assert_int_equal(inactive_of(b, 0), CP_ERROR_GROUP);
    assert_int_equal(commands(b, CP_LAUNCH), 0);
}

/* The store to a signal that is not there faults as a wavefront's would; no clock stands still for it. */
static void signal_that_is_not_there(void **state)
{
    struct bench *b = *state;
    static const uint64_t signals[] = {0, 0xdead00000};
    for (unsigned q = 0; q < 4; q++) {
        queue_open(b, q, 0, 0);
        put(b, amd_at(q) + 0xc0, signals[q & 1], 8);
        uint64_t s = kernel_put(b, q, 0x0b02, 0);
        if (q < 2)
            put(b, s + 0x18, 400, 4); /* scratch: asked for by that signal */
        else
            put(b, s + 4, 1025 | 1ull << 16 | 1ull << 32, 8);
        ring(b, q);
        run(b);
        unsigned visible = b->visible;
        poll_all(b);
        run(b);
        assert_int_equal(b->visible, visible); /* else nobody would ever be at rest */
        assert_int_equal(b->errors, q + 1);
        assert_int_equal(b->last_error, q < 2 ? CP_ERROR_SCRATCH : CP_ERROR_GROUP);
        assert_int_equal(b->faults, q + 1);
        assert_int_equal(b->fault_va, signals[q & 1] + 8);
    }
    assert_int_equal(commands(b, CP_LAUNCH), 0);
}

static unsigned fault_status;
static uint64_t client0_faults(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    if (cmd->vmid != 1)
        return 5000;
    evt->kind = CP_EVT_FAULT;
    evt->status = (uint8_t)fault_status;
    evt->va = 0xdead00000;
    return 500;
}

static void fault_case(struct bench *b, unsigned status)
{
    fake_launch = client0_faults;
    fault_status = status;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 1, 0);
    for (unsigned q = 0; q < 2; q++) {
        put(b, signal_at(q) + 8, 1, 8);
        kernel_put(b, q, 0x0b02, signal_va(q));
        ring(b, q);
    }
    run(b);
    assert_int_equal(commands(b, CP_KILL), 1);
    assert_int_equal(command_last(b, CP_KILL)->vmid, 1);
    assert_int_equal(get(b, signal_at(0) + 8), 1); /* never completes */
    assert_int_equal(get(b, signal_at(1) + 8), 0); /* the other client does not notice */
    assert_int_equal(b->kernels, 1);
}

/* shows B.8 */
static void memory_fault_is_reported_and_contained(void **state)
{
    struct bench *b = *state;
    fault_case(b, FAULT_NOT_PRESENT);
    assert_int_equal(b->faults, 1);
    assert_int_equal(b->fault_va, 0xdead00000);
    assert_int_equal(inactive_of(b, 0), 0);
}

/* shows B.8 */
static void illegal_instruction_stops_the_queue(void **state)
{
    struct bench *b = *state;
    fault_case(b, FAULT_ILLEGAL);
    assert_int_equal(b->faults, 0);
    assert_int_equal(inactive_of(b, 0), 0x40000000);
    /* A new queue of the same client works. */
    fake_launch = NULL;
    queue_open(b, 2, 0, 0);
    kernel_put(b, 2, 0x0b02, 0);
    ring(b, 2);
    run(b);
    assert_int_equal(b->kernels, 2);
}

/* shows B.8 */
static void aperture_violation_has_its_own_code(void **state)
{
    struct bench *b = *state;
    fault_case(b, FAULT_ALIGN);
    assert_int_equal(inactive_of(b, 0), 0x20000000);
}

static uint64_t never_ends(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return cmd->vmid == 1 ? 0 : 1000;
}

static void a_client_that_goes_is_killed_on_the_gpu(void **state)
{
    struct bench *b = *state;
    fake_launch = never_ends;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 1, 0);
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    run(b);
    cp_space_close(b->cp[0], &b->space[0][0]);
    assert_int_equal(b->closed, 0);
    kernel_put(b, 1, 0x0b02, 0);
    ring(b, 1);
    run(b);
    assert_int_equal(b->closed, 1);
    assert_int_equal(commands(b, CP_KILL), 1);
    assert_int_equal(b->kernels, 1);
    cp_space_close(b->cp[1], &b->space[0][1]); /* nothing ran there: at once */
    assert_int_equal(b->closed, 2);
    assert_int_equal(commands(b, CP_KILL), 1);
}

static void a_closed_queue_ends_without_a_trace(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 1, 8);
    kernel_put(b, 0, 0x0b02, signal_va(0));
    kernel_put(b, 0, 0x0b02, signal_va(0));
    ring(b, 0);
    sim_run(b->sim, 1000);
    cp_queue_close(b->cp[0], b->queue[0]);
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 1);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    assert_false(cp_busy(b->cp[0]));
}

static uint64_t client0_halts(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu;
    if (cmd->vmid != 1)
        return 5000;
    evt->kind = CP_EVT_HALT;
    return 500;
}

/* A wavefront that halted itself lives as long as its queue, and longer while others of its process run. */
static void a_halted_wavefront_ends_with_its_queue(void **state)
{
    struct bench *b = *state;
    fake_launch = client0_halts;
    for (unsigned q = 0; q < 3; q++) {
        queue_open(b, q, q == 1, 0);
        put(b, signal_at(q) + 8, 2, 8);
        kernel_put(b, q, 0x0b02, signal_va(q));
    }
    ring(b, 0);
    run(b);
    assert_true(cp_busy(b->cp[0]));
    assert_int_equal(commands(b, CP_KILL), 0);
    fake_launch = NULL; /* the others end */
    ring(b, 1);
    ring(b, 2);
    while (commands(b, CP_LAUNCH) < 3)
        sim_run(b->sim, b->sim->now + 20);
    cp_queue_close(b->cp[0], b->queue[0]);
    assert_int_equal(commands(b, CP_KILL), 0); /* queue 2 is of the same process */
    for (unsigned n = 0; n < 200 && !commands(b, CP_KILL); n++)
        sim_run(b->sim, b->sim->now + 20);
    assert_int_equal(commands(b, CP_KILL), 1);
    assert_int_equal(get(b, signal_at(2) + 8), 1);
    kernel_put(b, 2, 0x0b02, signal_va(2)); /* comes while the kill is under way: waits for its end */
    ring(b, 2);
    run(b);
    assert_int_equal(get(b, signal_at(0) + 8), 2);
    assert_int_equal(get(b, signal_at(1) + 8), 1);
    assert_int_equal(get(b, signal_at(2) + 8), 0);
    assert_int_equal(commands(b, CP_KILL), 1);
    assert_int_equal(b->kernels, 3);
    assert_int_equal(b->space[0][0].busy, 0);
    assert_false(cp_busy(b->cp[0]));
}

/* The CUs hear of a trap handler when its address space opens, when it changes, and when its number is used again. */
static void trap_handlers_are_told(void **state)
{
    struct bench *b = *state;
    struct cp_space *space = &b->space[0][0];
    assert_int_equal(commands(b, CP_TRAP), 0);
    space->tba = 0x4000001000, space->tma = 0x5000;
    cp_space_trap(b->cp[0], space);
    assert_int_equal(command_last(b, CP_TRAP)->root, 0x4000001000);
    assert_int_equal(command_last(b, CP_TRAP)->pc, 0x5000);
    assert_int_equal(command_last(b, CP_TRAP)->vmid, space->vmid);
    cp_space_open(b->cp[0], space);
    assert_int_equal(commands(b, CP_TRAP), 2);
    space->tba = 0;
    cp_space_open(b->cp[0], space);
    assert_int_equal(commands(b, CP_TRAP), 3);
    assert_int_equal(command_last(b, CP_TRAP)->root, 0);
    cp_space_open(b->cp[0], space);
    assert_int_equal(commands(b, CP_TRAP), 3);
}

static void suspended_queues_wait(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    cp_queue_suspend(b->cp[0], b->queue[0], true);
    kernel_put(b, 0, 0x0b02, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(b->kernels, 0);
    assert_false(cp_queue_cu_mask(b->cp[0], b->queue[0], 0xf0)); /* no such CU */
    assert_true(cp_queue_cu_mask(b->cp[0], b->queue[0], 0x2));
    cp_queue_suspend(b->cp[0], b->queue[0], false);
    run(b);
    assert_int_equal(b->kernels, 1);
    assert_int_equal(command_last(b, CP_LAUNCH)->cu_mask, 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
/* A kernel has ended behind one that halted: their queue goes, and with it both jobs. */
static void what_ended_behind_a_halted_wavefront_goes(void **state)
{
    struct bench *b = *state;
    for (unsigned n = 0; n < 70; n++) { /* more than there are jobs */
        queue_open(b, 0, 0, 0);
        b->written[0] = 0;
        put(b, amd_at(0) + 0x80, 0, 8);
        put(b, signal_at(0) + 8, 1, 8);
        fake_launch = client0_halts;
        kernel_put(b, 0, 0x0a02, 0);
        ring(b, 0);
        run(b);
        fake_launch = NULL;
        kernel_put(b, 0, 0x0a02, signal_va(0));
        ring(b, 0);
        run(b);
        assert_int_equal(get(b, signal_at(0) + 8), 0);
        cp_queue_close(b->cp[0], b->queue[0]);
        run(b);
        assert_false(cp_busy(b->cp[0]));
        assert_null(b->cp[0]->queues);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bad_packets_stop_their_queue),
        TEST(a_bad_packet_waits_for_earlier_ones),
        TEST(scratch_is_asked_for_and_retried),
        TEST(scratch_without_room_for_a_group_is_refused),
        TEST(signal_that_is_not_there),
        TEST(memory_fault_is_reported_and_contained),
        TEST(illegal_instruction_stops_the_queue),
        TEST(aperture_violation_has_its_own_code),
        TEST(a_client_that_goes_is_killed_on_the_gpu),
        TEST(a_closed_queue_ends_without_a_trace),
        TEST(suspended_queues_wait),
        TEST(a_halted_wavefront_ends_with_its_queue),
        TEST(what_ended_behind_a_halted_wavefront_goes),
        TEST(trap_handlers_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
