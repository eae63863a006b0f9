/* SPDX-License-Identifier: Apache-2.0
 * Which kernel gets the next dispatcher (S3.9), and what is fetched while it is launched (S3.4).
 */
#include "queue_bench.h"

#define QUEUES 5u

/* The n-th launch that was sent. */
static const struct msg_cp_cmd *launch_at(struct bench *b, unsigned n)
{
    for (unsigned i = 0; i < b->sim->logged; i++)
        if (b->sim->log[i].cmd.kind == CP_LAUNCH && n-- == 0)
            return &b->sim->log[i].cmd;
    fail();
    return NULL;
}

/* The queue that a launch is of: its dispatch pointer stands behind the private segment buffer. */
static unsigned queue_of(const struct msg_cp_cmd *launch)
{
    const uint64_t packet = launch->user_sgpr[4] | (uint64_t)launch->user_sgpr[5] << 32;
    for (unsigned q = 0; q < QUEUES; q++)
        if (packet == VA + slot_at(q, 0))
            return q;
    fail();
    return QUEUES;
}

/* shows S3.9: While one kernel has the only dispatcher four others come: the greatest priority goes first, of equals
 * who waits longer. */
static void greater_priorities_go_first(void **state)
{
    static const unsigned priority[QUEUES] = {7, 3, 9, 9, 15}, order[QUEUES] = {0, 4, 2, 3, 1};
    struct bench *b = *state;
    b->cp[0]->config.launches = 1;
    slow_cycles = 50000;
    fake_launch = slow;
    for (unsigned q = 0; q < QUEUES; q++) {
        queue_open(b, q, 0, 0);
        cp_queue_priority(b->queue[q], priority[q]);
        kernel_put(b, q, 0x0002, 0);
        ring(b, q);
        kernel_started(b, 1);
        sim_run(b->sim, sim_now(b->sim) + 2000); /* it waits */
    }
    assert_int_equal(commands(b, CP_LAUNCH), 1);
    run(b);
    for (unsigned n = 0; n < QUEUES; n++) {
        assert_int_equal(queue_of(launch_at(b, n)), order[n]);
        assert_int_equal(launch_at(b, n)->prio, priority[order[n]]);
    }
}

/* shows S3.9: As many kernels as there are dispatchers are at the GPU at a time; the next one begins when one of them
 * has ended. */
static void one_kernel_a_dispatcher(void **state)
{
    struct bench *b = *state;
    b->cp[0]->config.launches = 4;
    slow_cycles = 50000;
    fake_launch = slow;
    for (unsigned q = 0; q < QUEUES; q++) {
        queue_open(b, q, 0, 0);
        kernel_put(b, q, 0x0002, 0);
        ring(b, q);
    }
    sim_run(b->sim, sim_now(b->sim) + 20000);
    assert_int_equal(commands(b, CP_LAUNCH), 4);
    assert_int_equal(b->kernels, 0);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 5);
    assert_int_equal(b->kernels, 5);
}

/* shows S3.4: Its first instructions come behind its fence, which drops such lines, and before its launch; of a barrier
 * packet nothing does. */
static void first_instructions_come_behind_the_fence(void **state)
{
    static const uint16_t headers[] = {0x0002, 0x0a02, 0x1402}; /* scopes: none, agent, system */
    struct bench *b = *state;
    queue_open(b, 0, 1, 0);
    packets_put(b, 0, 1);
    run(b);
    assert_int_equal(commands(b, CP_FETCH), 0);
    for (unsigned n = 0; n < sizeof headers / sizeof headers[0]; n++) {
        const unsigned from = b->sim->logged;
        unsigned seen = 0;
        kernel_put(b, 0, headers[n], 0);
        ring(b, 0);
        run(b);
        for (unsigned i = from; i < b->sim->logged; i++) {
            const struct msg_cp_cmd *c = &b->sim->log[i].cmd;
            if (c->kind == CP_CACHE && seen == 0)
                seen = 1;
            else if (c->kind == CP_FETCH) {
                assert_int_equal(seen, n != 0);
                assert_int_equal(c->vmid, 2);
                assert_int_equal(c->pc, VA + AT_KD + 0x100);
                seen = 2;
            } else if (c->kind == CP_LAUNCH) {
                assert_int_equal(seen, 2);
                assert_int_equal(c->pc, VA + AT_KD + 0x100);
                seen = 3;
            }
        }
        assert_int_equal(seen, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(greater_priorities_go_first, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(one_kernel_a_dispatcher, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(first_instructions_come_behind_the_fence, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
