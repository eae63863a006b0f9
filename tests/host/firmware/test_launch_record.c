/* SPDX-License-Identifier: Apache-2.0
 * The launch command of a kernel, field by field (S0.15).
 */
#include "cp_bench.h"

static void launch_record_is_complete(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, amd_at(0) + 0x90, 0xa1a0, 8);
    put(b, amd_at(0) + 0x98, 0xa3a2, 8);
    for (unsigned i = 0; i < 3; i++) { /* move on in the ring: dispatch_ptr and dispatch_id follow */
        kernel_put(b, 0, 0x0b02, 0);
        ring(b, 0);
        run(b);
    }
    uint64_t s = kernel_put(b, 0, 0x0b02, 0);
    put(b, s + 4, 10 | 7ull << 16 | 3ull << 32, 8); /* 210 items */
    put(b, s + 0xc, 25, 4);
    put(b, s + 0x10, 7, 4);
    put(b, s + 0x14, 4, 4);
    put(b, s + 0x1c, 513, 4);
    ring(b, 0);
    run(b);
    const struct msg_cp_cmd *cmd = command_last(b, CP_LAUNCH);
    const uint32_t sgpr[] = {0xa1a0,
                             0,
                             0xa3a2,
                             0,
                             (uint32_t)(VA + s),
                             (VA + s) >> 32,
                             (uint32_t)(VA + amd_at(0)),
                             (VA + amd_at(0)) >> 32,
                             0x55667788,
                             0x11223344,
                             3,
                             0,
                             0,
                             0,
                             0};
    assert_memory_equal(cmd->user_sgpr, sgpr, sizeof sgpr);
    assert_int_equal(cmd->user_sgprs, 15);
    assert_int_equal(cmd->pc, VA + AT_KD + 0x100);
    assert_int_equal(cmd->vgprs, 12);
    assert_int_equal(cmd->sgprs, 32);
    assert_int_equal(cmd->waves, 4);
    assert_int_equal(cmd->lds_bytes, 1024);
    assert_int_equal(cmd->vgpr_items, 2);
    assert_int_equal(cmd->sys_sgprs, 1);
    assert_int_equal(cmd->groups[0], 3);
    assert_int_equal(cmd->groups[1], 1);
    assert_int_equal(cmd->groups[2], 2);
    assert_int_equal(cmd->cu_mask, 0xf);
    for (unsigned n = 0; n < 1024; n++) {
        assert_int_equal((uint64_t)n * cmd->recip_x >> 20, n / 10);
        assert_int_equal((uint64_t)n * cmd->recip_y >> 20, n / 7);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(launch_record_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
