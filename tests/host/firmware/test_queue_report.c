/* SPDX-License-Identifier: Apache-2.0
 * Where queues and packets are, for a run that makes no progress: what test_report.c does not bring about on a packet's
 * usual way, and the reasons of a queue in the order in which they count (B.8).
 */
#include <stdio.h>

#include "queue_bench.h"

static void told(struct bench *b, const char *expected)
{
    char text[2000] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    cp_tell(b->cp[0], out);
    fclose(out);
    assert_string_equal(text, expected);
}

/* All launches are taken: a packet that is ready waits. */
static void a_packet_that_is_ready(void **state)
{
    struct bench *b = *state;
    queue_open(b, 3, 0, 0);
    b->cp[0]->launches = b->cp[0]->config.launches;
    kernel_put(b, 3, 0x0002, 0);
    ring(b, 3);
    run(b);
    told(b, "  gpu0 queue 3: packet 0 (rocr.copy_misaligned) waits for a launch slot\n");
    b->cp[0]->launches = 0;
}

/* A packet of a killed space whose signal's memory has not answered. */
static void a_packet_that_was_dropped(void **state)
{
    struct bench *b = *state;
    fake_launch = slow;
    queue_open(b, 0, 0, 0);
    queue_open(b, 1, 0, 0);
    kernel_put(b, 1, 0x0002, 0);
    ring(b, 1);
    kernel_started(b, 1);
    sim_run(b->sim, sim_now(b->sim) + 1000);
    put(b, signal_at(0) + SIGNAL_VALUE, 1, 8);
    barrier_put(b, 0, BARRIER, NULL, 0, signal_va(0));
    ring(b, 0);
    for (unsigned n = 0; n < 2000 && b->cp[0]->jobs[1].state != JOB_SIGNAL; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    fake_memory[0] = 2000; /* longer than a kill takes */
    const struct msg_cp_evt fault = {
        .kind = CP_EVT_FAULT, .status = FAULT_NOT_PRESENT, .vmid = 1, .id = command_last(b, CP_LAUNCH)->id};
    for (unsigned n = 0; n < 2000 && b->cp[0]->jobs[1].state != JOB_TELL; n++)
        sim_run(b->sim, sim_now(b->sim) + 1);
    cp_event(b->cp[0], &fault);
    told(b, "  gpu0 queue 0: packet 0 (a barrier) waits for memory, to be completed\n"
            "  gpu0 queue 1: packet 0 (rocr.copy_misaligned) runs\n"
            "  gpu0 queue 1: packet 1 of 1 stays: the queue has stopped after an error\n");
    sim_run(b->sim, sim_now(b->sim) + 500);
    told(b, "  gpu0 queue 0: packet 0 (a barrier) was dropped and waits for memory\n"
            "  gpu0 queue 0: packet 1 of 1 stays: the queue has stopped after an error\n"
            "  gpu0 queue 1: packet 1 of 1 stays: the queue has stopped after an error\n");
    run(b);
    fake_memory[0] = 100;
    told(b, "  gpu0 queue 0: packet 1 of 1 stays: the queue has stopped after an error\n"
            "  gpu0 queue 1: packet 1 of 1 stays: the queue has stopped after an error\n");
}

/* A kernel that may not start, or for which no place is free, a packet that is being read, one that needs its signals.
 */
static void a_packet_that_has_not_started(void **state)
{
    static const unsigned deps[] = {1, 2};
    struct bench *b = *state;
    b->allowed = 0;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0102, 0);
    ring(b, 0);
    sim_run(b->sim, BELL + 250); /* its descriptor is being read */
    told(b, "  gpu0 queue 0: packet 0 of 1 waits for memory\n");
    run(b);
    told(b, "  gpu0 queue 0: packet 0 of 1 waits for a place\n");
    put(b, signal_at(1) + SIGNAL_VALUE, 0x7fffffffffffffff, 8);
    queue_open(b, 1, 0, 0);
    const uint64_t slot = barrier_put(b, 1, 0x0105, deps, 1, 0);
    put(b, signal_at(2) + SIGNAL_VALUE, 2, 8);
    put(b, slot + AQL_DEPS + 40, signal_va(2), 8); /* reserved: no signal */
    ring(b, 1);
    run(b);
    told(b, "  gpu0 queue 0: packet 0 of 1 waits for a place\n"
            "  gpu0 queue 1: packet 0 of 1 waits for signal 0x100002040 (value 9223372036854775807)\n");
    cp_look(b->cp[0]);
    sim_run(b->sim, sim_now(b->sim) + 1);
    told(b, "  gpu0 queue 0: packet 0 of 1 waits for a place\n"
            "  gpu0 queue 1: packet 0 of 1 waits for memory\n");
    run(b);
    put(b, signal_at(1) + SIGNAL_VALUE, 0, 8); /* the clock stands still before it is seen */
    told(b, "  gpu0 queue 0: packet 0 of 1 waits for a place\n"
            "  gpu0 queue 1: packet 0 of 1 waits for\n");
    cp_queue_suspend(b->cp[0], b->queue[0], true);
    put(b, slot_at(1, 0), AQL_INVALID, 2); /* what stands in memory now is what people are told of */
    told(b, "  gpu0 queue 0: packet 0 of 1 stays: the queue is suspended\n"
            "  gpu0 queue 1: packet 0 of 1 has no valid header\n");
    pagetable_unmap(b->space[0][0].pt, VA + slot_at(1, 0), 0x1000);
    told(b, "  gpu0 queue 0: packet 0 of 1 stays: the queue is suspended\n"
            "  gpu0 queue 1: packet 0 of 1 has no valid header\n");
    b->allowed = UINT32_MAX;
}

/* Places are told of whichever they are, to their own queue. */
static void packets_of_all_places(void **state)
{
    struct bench *b = *state;
    for (unsigned q = 0; q < 2; q++)
        queue_open(b, q, 0, 0);
    for (unsigned i = 0; i < 2; i++) {
        struct job *job = &b->cp[0]->jobs[i ? 0 : CP_JOBS - 1];
        *job = (struct job){.state = JOB_RUN, .queue = b->queue[i], .space = &b->space[0][0], .index = 5 + i};
        job->packet[0] = AQL_BARRIER_AND;
    }
    told(b, "  gpu0 queue 0: packet 5 (a barrier) runs\n"
            "  gpu0 queue 1: packet 6 (a barrier) runs\n");
    b->cp[0]->jobs[0].state = b->cp[0]->jobs[CP_JOBS - 1].state = JOB_FREE;
    told(b, "");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_packet_that_is_ready),
        TEST(a_packet_that_was_dropped),
        TEST(a_packet_that_has_not_started),
        TEST(packets_of_all_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
