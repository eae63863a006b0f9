/* SPDX-License-Identifier: Apache-2.0
 * What people read: where packets and queues are, faults in words (B.8).
 */
#include <stdio.h>

#include "cp_bench.h"
#include "firmware/cp_private.h"

static uint64_t slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 10000;
}

static void told(struct bench *b, const char *expected)
{
    char text[2000] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    cp_tell(b->cp[0], out);
    fclose(out);
    assert_string_equal(text, expected);
}

static void wait_for(struct bench *b, enum job_state state)
{
    for (unsigned n = 0; n < 20000 && b->cp[0]->jobs[0].state != state; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    assert_int_equal(b->cp[0]->jobs[0].state, state);
}

/* A packet at each of its steps. */
static void where_a_packet_is(void **state)
{
    static const struct {
        enum job_state state;
        const char *text;
    } steps[] = {{JOB_DECODE, "is being decoded"},
                 {JOB_ACQUIRE, "waits for the caches, before its launch"},
                 {JOB_LAUNCH, "is being launched"},
                 {JOB_RUN, "runs"},
                 {JOB_RELEASE, "waits for the caches, after its kernel"},
                 {JOB_SIGNAL, "is about to be completed"},
                 {JOB_TELL, "waits for memory, to be completed"}};
    struct bench *b = *state;
    char line[200];
    queue_open(b, 0, 0, 0);
    queue_open(b, 7, 0, 0);
    put(b, signal_at(0) + 8, 1, 8);
    kernel_put(b, 7, 0x1502, signal_va(0));
    told(b, "");
    ring(b, 7);
    for (unsigned i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        wait_for(b, steps[i].state);
        snprintf(line, sizeof line, "  gpu0 queue 7: packet 0 (rocr.copy_misaligned) %s\n", steps[i].text);
        told(b, line);
    }
    run(b);
    told(b, "");
}

/* Packets behind a running kernel, of which a wavefront has halted, and queues at rest, each with its reason. */
static void what_queues_wait_for(void **state)
{
    static const unsigned deps[] = {1, 2, 3};
    struct bench *b = *state;
    fake_launch = slow;
    for (unsigned q = 0; q < 6; q++)
        queue_open(b, q, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    barrier_put(b, 0, 0x0003, NULL, 0, 0);
    barrier_put(b, 0, 0x0103, NULL, 0, 0);
    put(b, signal_at(1) + 8, 5, 8);
    put(b, signal_at(3) + 8, UINT64_MAX, 8);
    barrier_put(b, 1, 0x0003, deps, 3, 0);
    b->written[2] = 2; /* no header */
    put(b, kernel_put(b, 3, 0x0002, 0) + 0x18, 400, 4);
    put(b, kernel_put(b, 4, 0x0002, 0) + 2, 0, 2);
    cp_queue_suspend(b->cp[0], b->queue[5], true);
    barrier_put(b, 5, 0x0003, NULL, 0, 0);
    for (unsigned q = 0; q < 6; q++)
        ring(b, q);
    sim_run(b->sim, 3500);
    const struct msg_cp_evt halt = {.kind = CP_EVT_HALT, .vmid = 1, .id = command_last(b, CP_LAUNCH)->id};
    cp_event(b->cp[0], &halt);
    b->cp[0]->poll_armed = true; /* no look comes between */
    told(b, "  gpu0 queue 0: packet 0 (rocr.copy_misaligned) runs, and a wavefront has halted\n"
            "  gpu0 queue 0: packet 1 (a barrier) waits for earlier packets\n"
            "  gpu0 queue 0: packet 2 of 3 waits for earlier packets\n"
            "  gpu0 queue 1: packet 0 of 1 waits for signal 0x100002040 (value 5) signal 0x1000020c0 (value -1)\n"
            "  gpu0 queue 2: packet 0 of 2 has no valid header\n"
            "  gpu0 queue 3: packet 0 of 1 waits for scratch memory\n"
            "  gpu0 queue 4: packet 0 of 1 stays: the queue has stopped after an error\n"
            "  gpu0 queue 5: packet 0 of 1 stays: the queue is suspended\n");
}

/* At every room, and nothing is written behind it. */
static void text_is_cut_off(uint32_t code, const struct msg_cp_evt *evt)
{
    char text[400], whole[400];
    cp_fault_text(1, code, evt, whole, sizeof whole);
    assert_in_range(strlen(whole), 60, 399);
    for (size_t room = 1; room <= strlen(whole); room++) {
        memset(text, '#', sizeof text);
        cp_fault_text(1, code, evt, text, room);
        assert_int_equal(strlen(text), room - 1);
        assert_memory_equal(text, whole, room - 1);
        for (size_t i = room; i < sizeof text; i++)
            assert_int_equal(text[i], '#');
    }
}

/* Of an illegal instruction that is one because of what the wavefront has: 12 VGPRs, 20 SGPRs. */
static void why_an_instruction_is_illegal(void **state)
{
    static const struct {
        uint32_t code;
        const char *text;
    } cases[] = {{0x7e180300, ": v12 is beyond the 12 VGPRs of the wavefront"}, /* v_mov_b32 v12, v0 */
                 {0x7e160300, ")"},
                 {0xbe940000, ": s20 is beyond the 20 SGPRs of the wavefront"}, /* s_mov_b32 s20, s0 */
                 {0xbe930000, ")"}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct msg_cp_evt evt = {.pc = 0x4000, .va = 12 | 20 << 16, .data = cases[i].code};
        char text[300];
        cp_fault_text(1, CP_ERROR_ILLEGAL, &evt, text, sizeof text);
        const size_t length = strlen(text), end = strlen(cases[i].text);
        assert_in_range(length, end, sizeof text);
        assert_string_equal(text + length - end, cases[i].text);
        cp_fault_text(1, CP_ERROR_TRAP, &evt, text, sizeof text);
        assert_string_equal(text + strlen(text) - 1, ")");
    }
}

/* The texts that are appended, and those of memory faults and halts, at every room: cut off, and nothing behind it. */
static void texts_are_cut_off(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    kernel_put(b, 0, 0x0102, 0);
    ring(b, 0);
    wait_for(b, JOB_RUN);
    const struct msg_cp_evt evt = {
        .kind = CP_EVT_FAULT, .id = command_last(b, CP_LAUNCH)->id, .pc = command_last(b, CP_LAUNCH)->pc, .va = 4};
    for (unsigned kind = 0; kind < 5; kind++) {
        print_message("text %u\n", kind);
        char text[400], whole[400] = "";
        for (size_t room = sizeof whole; room > 0; room = room == sizeof whole ? strlen(whole) : room - 1) {
            char *to = room == sizeof whole ? whole : text;
            const bool appended = kind == 2 || kind == 3;
            if (appended && room < 6)
                break;
            memset(text, '#', sizeof text);
            strcpy(to, "error");
            if (kind == 0)
                cp_memory_fault_text(1, &evt, to, room);
            else if (kind == 1)
                cp_halt_text(1, &evt, to, room);
            else if (kind == 2)
                cp_place_text(b->cp[0], &evt, "a.c:3", to, room);
            else if (kind == 3)
                cp_packet_text(b->cp[0], 0, to, room);
            else
                cp_memory_fault_text(1, &(struct msg_cp_evt){.va = 8}, to, room);
            if (to == whole) {
                assert_in_range(strlen(whole), 40, 399);
                continue;
            }
            assert_int_equal(strlen(text), room - 1);
            assert_memory_equal(text, whole, room - 1);
            for (size_t i = appended || room > 6 ? room : 6; i < sizeof text; i++)
                assert_int_equal(text[i], '#');
        }
    }
}

/* Causes and places. */
static void faults_in_words(void **state)
{
    static const struct {
        uint8_t status;
        const char *why;
    } causes[] = {{0, "access"},
                  {1, "page not present"},
                  {2, "page is read-only"},
                  {3, "page is not executable"},
                  {4, "nobody owns the memory"},
                  {5, "access"}};
    static const uint32_t codes[] = {0x1, 0x2, 0x4, 0x8, 0x20, 0x40, 0x80, 0x20000000, 0x40000000, 0x80000000, 3};
    struct msg_cp_evt evt = {.pc = 0x4000, .va = 0x5000, .cu = 3, .wave = 5, .data = 0xbf810000}; /* s_endpgm */
    char text[300], expected[300];
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        evt.status = causes[i].status;
        evt.kind = 0;
        cp_memory_fault_text(2, &evt, text, sizeof text);
        snprintf(expected, sizeof expected,
                 "gpu2: memory fault at address 0x5000: %s: inactive signal of a queue that has stopped",
                 causes[i].why);
        assert_string_equal(text, expected);
        evt.kind = CP_EVT_FAULT;
        cp_memory_fault_text(2, &evt, text, sizeof text);
        snprintf(expected, sizeof expected,
                 "gpu2: memory fault at address 0x5000: %s at pc 0x4000, CU 3 wavefront 5: s_endpgm (instruction "
                 "0x00000000bf810000)",
                 causes[i].why);
        assert_string_equal(text, expected);
    }
    evt.va = evt.pc; /* the fetch */
    cp_memory_fault_text(2, &evt, text, sizeof text);
    assert_string_equal(text, "gpu2: memory fault at address 0x4000: access at pc 0x4000, CU 3 wavefront 5");
    cp_halt_text(1, &evt, text, sizeof text);
    assert_string_equal(text, "gpu1: a wavefront has halted itself, as after a trap, CU 3 wavefront 5");
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cp_fault_text(1, codes[i], NULL, text, sizeof text);
        snprintf(expected, sizeof expected, "gpu1: %s", cp_error_text(codes[i]));
        assert_string_equal(text, expected);
        assert_int_equal(strcmp(cp_error_text(codes[i]), "unknown error") == 0, codes[i] == 3);
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(cp_error_text(codes[i]), cp_error_text(codes[k]));
    }
    cp_fault_text(1, CP_ERROR_TRAP, &evt, text, sizeof text);
    assert_string_equal(text, "gpu1: trap at pc 0x4000, CU 3 wavefront 5: s_endpgm (instruction 0x00000000bf810000)");
    text_is_cut_off(CP_ERROR_TRAP, &evt);
    evt.data = 0x7e0002ff; /* of an instruction that is illegal it also says why */
    text_is_cut_off(CP_ERROR_ILLEGAL, &evt);
}

static void placed(struct bench *b, const struct msg_cp_evt *evt, const char *source, const char *expected)
{
    char text[200] = "fault";
    cp_place_text(b->cp[0], evt, source, text, sizeof text);
    assert_string_equal(text, expected);
}

/* Kernel, offset, source line and work-group of a wavefront; of what is no wavefront of a kernel nothing is said. */
static void where_a_wavefront_was(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    barrier_put(b, 0, 0x0003, NULL, 0, 0);
    ring(b, 0);
    wait_for(b, JOB_RUN);
    sim_run(b->sim, sim_now(b->sim) + 1000);
    const struct msg_cp_cmd *launch = command_last(b, CP_LAUNCH);
    struct msg_cp_evt evt = {.kind = CP_EVT_FAULT, .id = launch->id, .pc = launch->pc + 0x20, .start = 7};
    placed(b, &evt, "", "fault; in rocr.copy_misaligned+0x20, work-group 7,?,0");
    placed(b, &evt, "a.c:3", "fault; in rocr.copy_misaligned+0x20 (a.c:3), work-group 7,?,0");
    evt.pc = launch->pc + (16u << 20) - 4;
    placed(b, &evt, "", "fault; in rocr.copy_misaligned+0xfffffc, work-group 7,?,0");
    evt.pc = launch->pc + (16u << 20);
    placed(b, &evt, "", "fault; in rocr.copy_misaligned, work-group 7,?,0");
    evt.pc = launch->pc;
    evt.kind = CP_EVT_HALT;
    placed(b, &evt, "", "fault; in rocr.copy_misaligned, work-group 7,?,0");
    evt.kind = CP_EVT_LAUNCH_DONE;
    placed(b, &evt, "", "fault");
    evt.kind = CP_EVT_FAULT;
    assert_int_equal(b->cp[0]->jobs[1].state, JOB_DONE);
    evt.id = job_id(b->cp[0], &b->cp[0]->jobs[1]); /* the barrier packet */
    placed(b, &evt, "", "fault");
    evt.id = (uint16_t)(launch->id + 0x100); /* another job that had the place */
    placed(b, &evt, "", "fault");
}

/* A packet that is refused, with what it asks for. */
static void which_packet_it_was(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 3; q++) {
        queue_open(b, q, 0, 0);
        cp_queue_suspend(b->cp[0], b->queue[q], true);
    }
    barrier_put(b, 0, 0x0003, NULL, 0, 0);
    const uint64_t packet = kernel_put(b, 1, 0x0002, 0);
    put(b, packet + 0x18, 400, 4);
    put(b, packet + 0x1c, 512, 4);
    pagetable_unmap(b->space[0][0].pt, VA + queue_at(2), 0x1000);
    static const char *const expected[] = {"error; packet 0",
                                           "error; packet 0: rocr.copy_misaligned, grid 256,1,1, work-group 64,1,1, "
                                           "512 bytes of LDS, 400 bytes of scratch",
                                           "error", "error"};
    for (unsigned q = 0; q < 4; q++) { /* the last one is no queue */
        char text[200] = "error";
        cp_packet_text(b->cp[0], q, text, sizeof text);
        assert_string_equal(text, expected[q]);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(where_a_packet_is),     TEST(what_queues_wait_for),
                                       TEST(where_a_wavefront_was), TEST(which_packet_it_was),
                                       TEST(faults_in_words),       TEST(why_an_instruction_is_illegal),
                                       TEST(texts_are_cut_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
