/* SPDX-License-Identifier: Apache-2.0
 * The ring of a queue: slots given back in order, a place without a packet, and round and round (S0.15).
 */
#include "cp_bench.h"

static uint64_t first_is_slow(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    static unsigned n;
    (void)gpu, (void)cmd, (void)evt;
    if (sim->instructions == 0)
        n = 0;
    return n++ == 0 ? 20000 : 500;
}

static void slots_retire_in_order(void **state)
{
    struct bench *b = *state;
    fake_launch = first_is_slow;
    put(b, signal_at(0) + 8, 1, 8);
    put(b, signal_at(1) + 8, 1, 8);
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0a02, signal_va(0));
    kernel_put(b, 0, 0x0a02, signal_va(1));
    ring(b, 0);
    while (get(b, signal_at(1) + 8)) /* the second completes first */
        sim_run(b->sim, sim_now(b->sim) + 100);
    assert_int_equal(get(b, signal_at(0) + 8), 1);
    assert_int_equal(get(b, amd_at(0) + 0x80), 0);
    assert_int_equal(get(b, slot_at(0, 1)) & 0xff, 2);
    run(b);
    assert_int_equal(get(b, amd_at(0) + 0x80), 2);
}

static void an_invalid_slot_stalls_the_queue(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0b02, 0);
    uint64_t hole = kernel_put(b, 0, 0x0b02, 0);
    kernel_put(b, 0, 0x0b02, 0);
    put(b, hole, 1, 2);
    ring(b, 0);
    run(b);
    assert_int_equal(b->kernels, 1);
    put(b, hole, 0x0b02, 2); /* the late producer writes its header, its doorbell is swallowed */
    poll_all(b);
    run(b);
    assert_int_equal(b->kernels, 3);
}

static void a_ring_wraps(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, signal_at(0) + 8, 200, 8);
    for (unsigned i = 0; i < 200; i++) {
        barrier_put(b, 0, i % 3 ? 0x1503 : 0x0003, NULL, 0, signal_va(0));
        if (i % 50 == 49) {
            ring(b, 0);
            run(b);
        }
    }
    assert_int_equal(get(b, signal_at(0) + 8), 0);
    assert_int_equal(get(b, amd_at(0) + 0x80), 200);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(slots_retire_in_order),
        TEST(an_invalid_slot_stalls_the_queue),
        TEST(a_ring_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
