/* SPDX-License-Identifier: Apache-2.0
 * What a CU holds, each resource at the last group that fits and the first that does not, for CUs of other shapes than
 * the bench's; what of the scratch memory serves which CU; which error counts where there are several (S0.15).
 */
#include "queue_bench.h"

/* The queue's first packet and the descriptor AT_KD as they lie in memory. */
static uint32_t built(struct bench *b, struct msg_cp_cmd *cmd)
{
    struct launch_memory memory;
    memcpy(memory.descriptor, at(b, AT_KD), sizeof memory.descriptor);
    memcpy(memory.queue, at(b, amd_at(0) + QUEUE_TMPRING), sizeof memory.queue);
    return launch_build(b->cp[0], b->queue[0], 0, at(b, slot_at(0, 0)), &memory, true, cmd);
}

static void groups_at_the_limit_of_a_cu(void **state)
{
    static const struct {
        unsigned items, simds, waves, vgprs, sgprs;
        uint32_t error;
    } cases[] = {/* wavefronts are spread over the SIMDs: 12 VGPRs and 32 SGPRs each */
                 {256, 4, 1, 12, 32, 0},
                 {257, 4, 1, 999, 999, CP_ERROR_GROUP},
                 {257, 4, 2, 24, 64, 0},
                 {257, 4, 2, 23, 64, CP_ERROR_REGISTERS},
                 {257, 4, 2, 24, 63, CP_ERROR_REGISTERS},
                 {512, 4, 2, 24, 64, 0},
                 {513, 4, 2, 999, 999, CP_ERROR_GROUP},
                 {513, 4, 3, 36, 96, 0},
                 {64, 1, 1, 12, 32, 0},
                 {65, 1, 1, 999, 999, CP_ERROR_GROUP},
                 {1024, 1, 16, 192, 512, 0},
                 {1024, 1, 15, 999, 999, CP_ERROR_GROUP},
                 {1024, 1, 16, 191, 512, CP_ERROR_REGISTERS},
                 {1024, 3, 6, 72, 192, 0},
                 {1024, 3, 5, 999, 999, CP_ERROR_GROUP}};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    const uint64_t packet = kernel_put(b, 0, 0x0002, 0);
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        struct cp_config *config = &b->cp[0]->config;
        struct msg_cp_cmd cmd;
        config->simds = cases[n].simds;
        config->waves_per_simd = cases[n].waves;
        config->vgprs_per_simd = cases[n].vgprs;
        config->sgprs_per_simd = cases[n].sgprs;
        put(b, packet + 4, cases[n].items, 2);
        print_message("case %u\n", n);
        assert_int_equal(built(b, &cmd), cases[n].error);
        assert_int_equal(cmd.waves, (cases[n].items + 63) / 64);
    }
}

/* The CUs of a launch by what they are divided by; a queue whose mask has none of its part keeps its mask, and so does
 * a launch whose scratch memory is elsewhere. */
static void parts_of_the_cus(void **state)
{
    static const struct {
        enum cp_partition partition;
        unsigned parts, number, priority, vmid;
        uint64_t mask, cus;
    } cases[] = {{PARTITION_NONE, 4, 1, 15, 1, UINT64_MAX, UINT64_MAX},
                 {PARTITION_QUEUE, 4, 0, 15, 1, UINT64_MAX, 0xffff},
                 {PARTITION_QUEUE, 4, 3, 0, 1, UINT64_MAX, UINT64_C(0xffff) << 48},
                 {PARTITION_QUEUE, 4, 5, 0, 1, UINT64_MAX, 0xffff0000},
                 {PARTITION_QUEUE, 4, 5, 0, 1, 0xff000000ff, 0xff000000ff},
                 {PARTITION_QUEUE, 4, 5, 0, 1, 0xff01ff00ff, 0x1ff0000},
                 {PARTITION_QUEUE, 64, 70, 0, 1, UINT64_MAX, 1 << 6},
                 {PARTITION_QUEUE, 1, 70, 0, 1, UINT64_MAX, UINT64_MAX},
                 {PARTITION_PRIORITY, 2, 1, 7, 1, UINT64_MAX, UINT32_MAX},
                 {PARTITION_PRIORITY, 2, 1, 8, 1, UINT64_MAX, UINT64_MAX << 32},
                 {PARTITION_PRIORITY, 16, 1, 15, 1, UINT64_MAX, UINT64_C(15) << 60},
                 {PARTITION_PROCESS, 2, 1, 0, 3, UINT64_MAX, UINT64_MAX << 32},
                 {PARTITION_PROCESS, 2, 1, 0, 4, UINT64_MAX, UINT32_MAX},
                 {PARTITION_PROCESS, 3, 1, 0, 2, UINT64_MAX, UINT64_MAX << 43}};
    struct bench *b = *state;
    struct msg_cp_cmd cmd;
    queue_open(b, 0, 0, 0);
    const uint64_t packet = kernel_put(b, 0, 0x0002, 0);
    struct cp_config *config = &b->cp[0]->config;
    config->cus = 64;
    config->cu_mask = UINT64_MAX;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        print_message("case %u\n", n);
        config->partition = cases[n].partition;
        config->parts = cases[n].parts;
        b->queue[0]->args.number = cases[n].number;
        cp_queue_priority(b->queue[0], cases[n].priority);
        b->space[0][0].vmid = (uint8_t)cases[n].vmid;
        assert_true(cp_queue_cu_mask(b->cp[0], b->queue[0], cases[n].mask));
        assert_int_equal(built(b, &cmd), 0);
        assert_true(cmd.cu_mask == cases[n].cus);
    }
    put(b, packet + 0x18, 16, 4);
    put(b, amd_at(0) + QUEUE_LANE_BYTES, 16, 4);
    put(b, amd_at(0) + QUEUE_TMPRING, 1u << 12 | (32 * 43 + 1), 4); /* as far as CU 43's first wavefront */
    assert_int_equal(built(b, &cmd), 0);
    assert_true(cmd.cu_mask == UINT64_MAX << 43);
    put(b, amd_at(0) + QUEUE_TMPRING, 1u << 12 | (32 * 43), 4);
    assert_int_equal(built(b, &cmd), 0);
    assert_true(cmd.cu_mask == UINT64_MAX);
}

/* CU k of 64 has the scratch memory of wavefronts 32 k to 32 k + 31. */
static void scratch_of_any_cu(void **state)
{
    struct bench *b = *state;
    struct msg_cp_cmd cmd;
    queue_open(b, 0, 0, 0);
    const uint64_t packet = kernel_put(b, 0, 0x0002, 0);
    put(b, packet + 4, 192, 2); /* 3 wavefronts */
    put(b, packet + 0x18, 16, 4);
    put(b, amd_at(0) + QUEUE_LANE_BYTES, 16, 4);
    b->space[0][0].scratch_base = 0x4000c00000;
    for (unsigned cu = 0; cu < 64; cu++)
        for (unsigned fits = 0; fits < 2; fits++) {
            b->cp[0]->config.cu_mask = UINT64_C(1) << cu;
            put(b, amd_at(0) + QUEUE_TMPRING, 1u << 12 | (32 * cu + 2 + fits), 4);
            assert_int_equal(built(b, &cmd), fits ? 0 : CP_ERROR_GROUP);
            assert_int_equal(cmd.cu_mask, UINT64_C(1) << cu);
            assert_int_equal(cmd.root, 0x4000c00000);
            assert_int_equal(cmd.scratch_waves, 32 * cu + 2 + fits);
        }
    b->cp[0]->config.cu_mask = 1;
    put(b, amd_at(0) + QUEUE_TMPRING, 1u << 12 | 2, 4);
    for (unsigned n = 0; n < 2; n++) { /* a lane has 16 bytes */
        put(b, packet + 0x18, 16 + n, 4);
        assert_int_equal(built(b, &cmd), n ? CP_ERROR_SCRATCH : CP_ERROR_GROUP);
    }
    put(b, packet + 0x18, 0, 4); /* who needs none is given none */
    assert_int_equal(built(b, &cmd), 0);
    assert_true(cmd.root == 0 && cmd.scratch_waves == 0 && cmd.scratch_wave_bytes == 0);
}

/* All of a launch that is not asked for is 0: the command is not what was in memory before. */
static void a_launch_without_properties(void **state)
{
    static const struct msg_cp_cmd none;
    struct bench *b = *state;
    struct msg_cp_cmd cmd;
    memset(&cmd, 0xff, sizeof cmd);
    queue_open(b, 0, 0, 0);
    const uint64_t packet = kernel_put(b, 0, 0x0002, 0);
    put(b, AT_KD + 0x34, 0, 4);
    put(b, AT_KD + 0x38, 0, 2);
    assert_int_equal(built(b, &cmd), 0);
    assert_memory_equal(cmd.user_sgpr, none.user_sgpr, sizeof cmd.user_sgpr);
    assert_int_equal(cmd.kind, CP_LAUNCH);
    assert_int_equal(cmd.vmid, 1);
    assert_int_equal(cmd.id, 0);
    assert_int_equal(cmd.flags, 0);
    assert_true(cmd.prio == 0 && cmd.pad1 == 0);
    assert_true(cmd.user_sgprs == 0 && cmd.vgpr_items == 0 && cmd.sys_sgprs == 0 && cmd.lds_bytes == 0);
    put(b, packet + 4, 3 | 1ull << 16 | 5ull << 32, 8);
    assert_int_equal(built(b, &cmd), 0);
    assert_int_equal(cmd.recip_x, (1u << 20) / 3 + 1);
    assert_int_equal(cmd.recip_y, 1u << 20);
}

/* Of a packet with several errors the one that is seen first: sizes, the descriptor, what a CU has, scratch. */
static void the_first_error_is_told(void **state)
{
    struct bench *b = *state;
    struct launch_memory memory = {{0}, {0}};
    struct msg_cp_cmd cmd;
    queue_open(b, 0, 0, 0);
    const uint64_t packet = kernel_put(b, 0, 0x0002, 0);
    put(b, packet + 4, 1025, 2);
    put(b, packet + 0x14, 0, 4); /* a grid of no items in its third dimension */
    put(b, packet + 0x18, 400, 4);
    put(b, packet + 0x1c, 65537, 4);
    put(b, AT_KD + 0x10, 1, 8);
    assert_int_equal(built(b, &cmd), CP_ERROR_DIMS);
    put(b, packet + 2, 2, 2); /* there is no third one */
    assert_int_equal(built(b, &cmd), CP_ERROR_GROUP);
    put(b, packet + 4, 64, 2);
    assert_int_equal(built(b, &cmd), CP_ERROR_CODE);
    assert_int_equal(launch_build(b->cp[0], b->queue[0], 0, at(b, slot_at(0, 0)), &memory, false, &cmd), CP_ERROR_CODE);
    put(b, AT_KD + 0x10, 0, 8);
    assert_int_equal(built(b, &cmd), CP_ERROR_LDS);
    put(b, packet + 0x1c, 0, 4);
    assert_int_equal(built(b, &cmd), CP_ERROR_SCRATCH);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_at_the_limit_of_a_cu), TEST(parts_of_the_cus),        TEST(scratch_of_any_cu),
        TEST(a_launch_without_properties), TEST(the_first_error_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
