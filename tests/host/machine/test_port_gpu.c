// SPDX-License-Identifier: Apache-2.0
// The host's port beside a GPU that runs (RTL with lock step, and golden): tables, code and arguments written through
// it are what a kernel finds, what a kernel has stored is what the port reads, in VRAM and in host memory, once the
// event has come; requests during a kernel change nothing of it.
#include "port_bench.h"

#define CODE_VA 0x10000u
#define ARG_VA 0x20000u
#define OUT_VA 0x30000u
#define GROUPS 6u

// s[0:1] points to the address of the output and a value: out[64 * group + i] = value + i
static const uint32_t program[] = {
    0xc0060100, 0x00000000, // s_load_dwordx2 s[4:5], s[0:1], 0x0
    0xc0020180, 0x00000008, // s_load_dword s6, s[0:1], 0x8
    0x8e038802,             // s_lshl_b32 s3, s2, 8
    0x24020082,             // v_lshlrev_b32 v1, 2, v0
    0xbf8c007f,             // s_waitcnt lgkmcnt(0)
    0x80040304,             // s_add_u32 s4, s4, s3
    0x82058005,             // s_addc_u32 s5, s5, 0
    0x7e060205,             // v_mov_b32 v3, s5
    0x32040204,             // v_add_u32 v2, vcc, s4, v1
    0x38060680,             // v_addc_u32 v3, vcc, 0, v3, vcc
    0x32080006,             // v_add_u32 v4, vcc, s6, v0
    0xdc700000, 0x00000402, // flat_store_dword v[2:3], v4
    0xbf8c0f70,             // s_waitcnt vmcnt(0)
    0xbf810000,             // s_endpgm
};

static void table_write(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    for (uint32_t at = 0, n; at < bytes; at += n) {
        uint32_t in_line = (uint32_t)((pa + at) % 64);
        uint64_t line[8];
        n = 64 - in_line < bytes - at ? 64 - in_line : bytes - at;
        memcpy((uint8_t *)line + in_line, (const uint8_t *)from + at, n);
        uint64_t mask = (n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1) << in_line;
        ask(ctx, MEM_WRITE, pa + at - in_line, mask, line, bytes > 64, 1);
    }
}

static void port_write(struct bench *b, uint64_t pa, const void *from, uint32_t bytes)
{
    table_write(b, pa, from, bytes);
    bench_run(b);
    for (unsigned i = 0; i < b->count; i++)
        assert_int_equal(b->got[i].rsp.status, MEM_OK);
}

static void command(struct bench *b, uint8_t kind, uint64_t root, uint32_t flags)
{
    struct msg_cp_cmd cmd = {.kind = kind, .vmid = 3, .id = 7, .root = root, .flags = flags};
    if (kind == CP_LAUNCH) {
        cmd.pc = CODE_VA;
        cmd.group[0] = 64, cmd.group[1] = cmd.group[2] = 1;
        cmd.grid[0] = 64 * GROUPS, cmd.grid[1] = cmd.grid[2] = 1;
        cmd.groups[0] = GROUPS, cmd.groups[1] = cmd.groups[2] = 1;
        cmd.waves = 1;
        cmd.recip_x = (1 << 20) / 64;
        cmd.recip_y = 1 << 20;
        cmd.vgprs = 8;
        cmd.sgprs = 16;
        cmd.user_sgprs = 2;
        cmd.user_sgpr[0] = ARG_VA;
        cmd.sys_sgprs = 1;
        cmd.cu_mask = UINT64_MAX;
    }
    sim_cmd(b->sim, 1, &cmd);
}

// What the port reads of the output, a line of it at the place of an item.
static void output_is(struct bench *b, uint64_t pa, uint32_t value)
{
    for (unsigned line = 0; line < 4 * GROUPS; line++) {
        const struct answered *a = asked(b, MEM_READ_NC, pa + 64 * line, 0, NULL);
        for (unsigned i = 0; i < 16; i++)
            assert_int_equal((uint32_t)(a->rsp.data[i / 2] >> 32 * (i & 1)), value + (line % 4) * 16 + i);
    }
}

static void kernels_and_port_see_each_other(const struct sim_options *options)
{
    struct bench *b = bench_open(options);
    const uint64_t vram = UINT64_C(2) << 48, outs[] = {vram | 0x9000, 0x5000};
    pagetable_sink_set(b->memory, table_write, b);
    struct pagetable *table = pagetable_new(b->memory, 1);
    assert_int_equal(pagetable_map(table, CODE_VA, vram | 0x1000, 0x1000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, ARG_VA, vram | 0x2000, 0x1000, PTE_R), 0);
    port_write(b, vram | 0x1000, program, sizeof program); // behind the tables, which are then there
    assert_true(pagetable_walk(b->memory, pagetable_root(table), ARG_VA) == pagetable_lookup(table, ARG_VA));
    command(b, CP_VMID, pagetable_root(table), 0);
    for (unsigned round = 0; round < 4; round++) {
        struct {
            uint64_t out;
            uint32_t value, pad;
        } arguments = {OUT_VA, 1000 * round + 5, 0};
        uint64_t out = outs[round & 1];
        assert_int_equal(pagetable_map(table, OUT_VA, out, 0x1000, PTE_R | PTE_W), 0);
        port_write(b, vram | 0x2000, &arguments, sizeof arguments);
        b->events = 0;
        command(b, CP_CACHE, 0, CACHE_INV_L1K | CACHE_INV_L1V | CACHE_INV_TLB);
        bench_run(b);
        assert_int_equal(b->events, 1);
        command(b, CP_LAUNCH, 0, 0);
        const unsigned first = b->count; // beside the kernel: lines next to its own, and those of the other memory
        for (unsigned i = 0; i < 200; i++)
            ask(b, MEM_ATOMIC, (i & 1 ? outs[0] : outs[1]) + 64 * 4 * GROUPS, 0, (const uint64_t[2]){1}, true, i);
        bench_run(b);
        assert_int_equal(b->events, 2);
        assert_int_equal(b->event.kind, CP_EVT_LAUNCH_DONE);
        assert_int_equal(b->count, first + 200);
        output_is(b, out, arguments.value);
        for (unsigned i = 0; i < 2; i++)
            assert_true(asked(b, MEM_READ, outs[i] + 64 * 4 * GROUPS, 0, NULL)->rsp.data[0] == 100 * (round + 1));
        b->count = 0;
    }
    pagetable_sink_set(b->memory, NULL, NULL);
    pagetable_free(table);
    bench_close(b);
}

static void of_rtl_with_lockstep(void **state)
{
    const struct sim_options options = {.model = SIM_RTL, .seed = 1, .lockstep = true};
    (void)state;
    kernels_and_port_see_each_other(&options);
}

static void of_rtl_with_threads(void **state)
{
    const struct sim_options options = {.model = SIM_RTL, .seed = 1, .threads = 2};
    (void)state;
    kernels_and_port_see_each_other(&options);
}

static void of_golden(void **state)
{
    const struct sim_options options = {.model = SIM_GOLDEN};
    (void)state;
    kernels_and_port_see_each_other(&options);
}

// What the host writes and does atomically is part of the hash over the stream of writes, of what it reads nothing.
static void host_writes_are_hashed(void **state)
{
    static const uint64_t at[] = {0x10000, UINT64_C(1) << 48 | 0x20000};
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct sim_options options = {.model = SIM_RTL, .seed = 1};
        struct bench *b = bench_open(&options);
        const uint64_t line[8] = {7};
        uint64_t before = sim_write_hash(b->sim), hash;
        asked(b, MEM_READ, at[i], 0, NULL);
        assert_true(sim_write_hash(b->sim) == before);
        asked(b, MEM_WRITE, at[i], 1, line);
        assert_true((hash = sim_write_hash(b->sim)) != before);
        asked(b, MEM_ATOMIC, at[i], 0, line);
        assert_true(sim_write_hash(b->sim) != hash);
        bench_close(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_rtl_with_lockstep),
        cmocka_unit_test(of_rtl_with_threads),
        cmocka_unit_test(of_golden),
        cmocka_unit_test(host_writes_are_hashed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
