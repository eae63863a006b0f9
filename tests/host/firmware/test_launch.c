/* SPDX-License-Identifier: Apache-2.0
 * Launches: what packet, descriptor and queue say, at the edges of their fields (S0.8, S0.15).
 */
#include "cp_bench.h"

static const struct msg_cp_cmd *launched(struct bench *b, unsigned q)
{
    unsigned before = commands(b, CP_LAUNCH);
    ring(b, q);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), before + 1);
    return command_last(b, CP_LAUNCH);
}

/* shows S0.15: The dispatch pointer leads to the kernel's own packet on every turn of the ring; dispatch ids never
 * repeat. */
static void dispatch_pointers_stay_in_the_ring(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (uint64_t i = 0; i < 150; i++) {
        uint64_t at = kernel_put(b, 0, 0x0b02, 0);
        const struct msg_cp_cmd *cmd = launched(b, 0);
        assert_int_equal(cmd->user_sgpr[4] | (uint64_t)cmd->user_sgpr[5] << 32, VA + at);
        assert_int_equal(cmd->user_sgpr[10] | (uint64_t)cmd->user_sgpr[11] << 32, i);
    }
}

/* The scratch resource and the queue's address come whole, each word in its place. */
static void user_sgprs_have_all_their_words(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    put(b, amd_at(0) + 0x90, 0x22222222aaaa1111, 8);
    put(b, amd_at(0) + 0x98, 0x44444444bbbb3333, 8);
    kernel_put(b, 0, 0x0b02, 0);
    const struct msg_cp_cmd *cmd = launched(b, 0);
    const uint32_t srd[] = {0xaaaa1111, 0x22222222, 0xbbbb3333, 0x44444444};
    assert_memory_equal(cmd->user_sgpr, srd, sizeof srd);
}

/* Every item of the grid has a work-group, and nothing else: partial groups, the largest grid, dimensions that the
 * packet does not have. */
static void groups_cover_the_grid(void **state)
{
    static const struct {
        uint16_t dims, group[3];
        uint32_t grid[3], groups[3];
    } cases[] = {
        {1, {64, 1, 1}, {1, 1, 1}, {1, 1, 1}},
        {1, {64, 1, 1}, {65, 1, 1}, {2, 1, 1}},
        {1, {64, 1, 1}, {0xffffffff, 1, 1}, {0x4000000, 1, 1}},
        {1, {1024, 1, 1}, {0xffffffff, 1, 1}, {0x400000, 1, 1}},
        {1, {64, 5, 7}, {128, 9, 9}, {2, 1, 1}},
        {2, {8, 8, 7}, {17, 16, 9}, {3, 2, 1}},
        {3, {4, 4, 4}, {5, 8, 9}, {2, 2, 3}},
        {3, {1, 1, 1024}, {1, 1, 1025}, {1, 1, 2}},
    };
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        uint64_t at = kernel_put(b, 0, 0x0b02, 0), items = 1;
        put(b, at + 2, cases[n].dims, 2);
        for (unsigned d = 0; d < 3; d++) {
            put(b, at + 4 + 2 * d, cases[n].group[d], 2);
            put(b, at + 0xc + 4 * d, cases[n].grid[d], 4);
        }
        const struct msg_cp_cmd *cmd = launched(b, 0);
        for (unsigned d = 0; d < 3; d++) {
            assert_int_equal(cmd->groups[d], cases[n].groups[d]);
            assert_int_equal(cmd->grid[d], d < cases[n].dims ? cases[n].grid[d] : 1);
            assert_int_equal(cmd->group[d], d < cases[n].dims ? cases[n].group[d] : 1);
            items *= cmd->group[d];
        }
        assert_int_equal(cmd->waves, (items + 63) / 64);
    }
}

/* Registers and LDS are what the descriptor and the packet need, in whole granules, never less. */
static void resources_are_rounded_up(void **state)
{
    static const struct {
        uint32_t rsrc1, vgprs, sgprs, lds, lds_bytes;
    } cases[] = {
        {0, 4, 16, 0, 0},
        {1 | 1 << 6, 8, 16, 1, 512},
        {62 | 2 << 6, 252, 32, 512, 512},
        {63 | 12 << 6, 256, 112, 65535, 65536},
    };
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        put(b, AT_KD + 0x30, cases[n].rsrc1, 4);
        put(b, kernel_put(b, 0, 0x0b02, 0) + 0x1c, cases[n].lds, 4);
        const struct msg_cp_cmd *cmd = launched(b, 0);
        assert_int_equal(cmd->vgprs, cases[n].vgprs);
        assert_int_equal(cmd->sgprs, cases[n].sgprs);
        assert_int_equal(cmd->lds_bytes, cases[n].lds_bytes);
    }
}

static void scratch_give(struct bench *b, unsigned q, uint32_t waves, uint32_t wave_kib, uint32_t item_bytes)
{
    put(b, amd_at(q) + 0x8c, wave_kib << 12 | waves, 4);
    put(b, amd_at(q) + 0xb0, item_bytes, 4);
}

/* TMPRING_SIZE: up to 4,095 wavefronts of up to 8,191 KiB each. */
static void scratch_is_as_large_as_the_queue_says(void **state)
{
    static const uint32_t waves[] = {4, 32, 255, 256, 4095}, kib[] = {1, 1023, 1024, 8191};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    for (unsigned n = 0; n < 20; n++) {
        scratch_give(b, 0, waves[n % 5], kib[n / 5], kib[n / 5] * 16);
        put(b, kernel_put(b, 0, 0x0b02, 0) + 0x18, 16, 4);
        const struct msg_cp_cmd *cmd = launched(b, 0);
        assert_int_equal(cmd->scratch_waves, waves[n % 5]);
        assert_int_equal(cmd->scratch_wave_bytes, kib[n / 5] * 1024);
    }
}

/* CU k has the scratch of wavefronts 32 k to 32 k + 31: memory for one CU is room for a queue that may use that CU, and
 * none for one that may not. */
static void scratch_has_to_be_on_cus_of_the_mask(void **state)
{
    static const struct {
        uint32_t waves;
        uint64_t mask;
        bool room;
    } cases[] = {{32, 0x1, true},  {32, 0x2, false}, {35, 0x2, false}, {36, 0x2, true},
                 {99, 0x8, false}, {100, 0x8, true}, {36, 0xe, true}};
    struct bench *b = *state; /* 4 CUs; a work-group of 4 wavefronts */
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        queue_open(b, n, 0, 0);
        assert_true(cp_queue_cu_mask(b->cp[0], b->queue[n], cases[n].mask));
        scratch_give(b, n, cases[n].waves, 1, 16);
        uint64_t at = kernel_put(b, n, 0x0b02, 0);
        put(b, at + 4, 256, 2);
        put(b, at + 0x18, 16, 4);
        unsigned before = commands(b, CP_LAUNCH);
        ring(b, n);
        run(b);
        assert_int_equal(commands(b, CP_LAUNCH) - before, cases[n].room);
        assert_int_equal(get(b, signal_at(40 + n) + 8), cases[n].room ? 0 : CP_ERROR_GROUP);
    }
}

/* Each property that a descriptor asks for alone, and each bit of what a wavefront is started with. */
static void properties_one_by_one(void **state)
{
    static const uint32_t srd[4] = {1, 2, 3, 4};
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    scratch_give(b, 0, 32, 1, 16);
    memcpy(at(b, amd_at(0) + 0x90), srd, sizeof srd);
    put(b, amd_at(0) + 0xa0, 0x77, 4);
    for (unsigned n = 0; n < 7; n++) {
        const uint64_t packet = kernel_put(b, 0, 0x0b02, 0), queue = VA + amd_at(0);
        uint32_t expected[16] = {0};
        const uint64_t pair[7] = {0, VA + packet, queue, 0x1122334455667788, n, 0x77 | UINT64_C(16) << 32, 16};
        memcpy(expected, n ? (const void *)&pair[n] : srd, n ? 8 : 16);
        put(b, packet + 0x18, 16, 4);
        put(b, AT_KD + 0x38, 1u << n, 2);
        put(b, AT_KD + 0x34, 4u << 1 | (n < 4 ? 1u << (7 + n) : n == 4), 4);
        const struct msg_cp_cmd *cmd = launched(b, 0);
        assert_memory_equal(cmd->user_sgpr, expected, sizeof expected);
        assert_int_equal(cmd->sys_sgprs, n < 5 ? 1u << n : 0);
        assert_int_equal(cmd->user_sgprs, 4);
    }
}

/* The largest that is allowed of each field, and what is beyond it. */
static void descriptors_at_their_limits(void **state)
{
    static const struct {
        uint32_t rsrc1, rsrc2, entry, items, lds, error;
    } cases[] = {{2 | 2 << 6, 16u << 1, 0x100, 64, 0, 0},
                 {2 | 2 << 6, 17u << 1, 0x100, 64, 0, CP_ERROR_CODE}, /* user SGPRs */
                 {2 | 2 << 6, 2u << 11, 0x100, 64, 0, 0},
                 {2 | 2 << 6, 3u << 11, 0x100, 64, 0, CP_ERROR_CODE}, /* group ids in VGPRs */
                 {2 | 2 << 6, 0, 0x101, 64, 0, CP_ERROR_CODE},
                 {2 | 2 << 6, 0, 0x102, 64, 0, CP_ERROR_CODE},
                 {2 | 2 << 6, 0, 0x104, 64, 0, 0},
                 {15 | 15 << 6, 0, 0x100, 1024, 0, 0}, /* 4 wavefronts a SIMD, 64 VGPRs each */
                 {16 | 2 << 6, 0, 0x100, 1024, 0, CP_ERROR_REGISTERS},
                 {16 | 2 << 6, 0, 0x100, 768, 0, 0},
                 {2 | 2 << 6, 0, 0x100, 1025, 0, CP_ERROR_GROUP},
                 {2 | 2 << 6, 0, 0x100, 64, 65536, 0},
                 {2 | 2 << 6, 0, 0x100, 64, 65537, CP_ERROR_LDS}};
    struct bench *b = *state;
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        queue_open(b, n, 0, 0);
        put(b, AT_KD + 0x10, cases[n].entry, 8);
        put(b, AT_KD + 0x30, cases[n].rsrc1, 4);
        put(b, AT_KD + 0x34, cases[n].rsrc2, 4);
        const uint64_t packet = kernel_put(b, n, 0x0b02, 0);
        put(b, packet + 4, cases[n].items, 2);
        put(b, packet + 0x1c, cases[n].lds, 4);
        const unsigned before = commands(b, CP_LAUNCH);
        ring(b, n);
        run(b);
        assert_int_equal(commands(b, CP_LAUNCH) - before, cases[n].error == 0);
        assert_int_equal(get(b, signal_at(40 + n) + 8), cases[n].error);
        if (!cases[n].error)
            assert_int_equal(command_last(b, CP_LAUNCH)->pc, VA + AT_KD + cases[n].entry);
    }
}

/* A mask of CUs that the GPU does not have is refused, and the one before it stays. */
static void a_mask_without_cus_is_refused(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    assert_true(cp_queue_cu_mask(b->cp[0], b->queue[0], 0x18)); /* one that is there, one that is not */
    assert_false(cp_queue_cu_mask(b->cp[0], b->queue[0], 0xfffffffffffffff0));
    kernel_put(b, 0, 0x0b02, 0);
    assert_int_equal(launched(b, 0)->cu_mask, 0x8);
}

/* A mask of no CU at all takes the mask away. */
static void an_empty_mask_is_none(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    static const uint64_t masks[] = {0x5, 0};
    for (unsigned n = 0; n < 2; n++) {
        assert_true(cp_queue_cu_mask(b->cp[0], b->queue[0], masks[n]));
        kernel_put(b, 0, 0x0b02, 0);
        assert_int_equal(launched(b, 0)->cu_mask, n ? 0xf : 0x5);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(dispatch_pointers_stay_in_the_ring),
        TEST(user_sgprs_have_all_their_words),
        TEST(groups_cover_the_grid),
        TEST(resources_are_rounded_up),
        TEST(scratch_is_as_large_as_the_queue_says),
        TEST(scratch_has_to_be_on_cus_of_the_mask),
        TEST(properties_one_by_one),
        TEST(descriptors_at_their_limits),
        TEST(an_empty_mask_is_none),
        TEST(a_mask_without_cus_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
