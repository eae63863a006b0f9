// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd: ns a cycle of one SIMD: nothing, back-to-back instructions of one kind.
#pragma once
#include "drive.h"

#ifndef COPIES
#define COPIES 1 // SIMDs behind the ports, each with its own bit of valid_i
#endif

static double run(unsigned cycles, unsigned period)
{
    struct timespec t0, t1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    for (unsigned n = 0; n < cycles; n++) {
        dut->valid_i = period && n % period < COPIES ? 1 << n % period : 0;
        dut->clk_i = 0;
        dut->eval();
        dut->clk_i = 1;
        dut->eval();
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    dut->valid_i = 0;
    for (unsigned n = 0; n < 24; n++)
        tick();
    return ((t1.tv_sec - t0.tv_sec) * 1e9 + (t1.tv_nsec - t0.tv_nsec)) / cycles / COPIES;
}

// The shortest of many short runs: other load on the machine only adds.
static double measure(unsigned period)
{
    double best = 1e9;
    for (unsigned n = 0; n < 60; n++) {
        double t = run(20000, period);
        best = t < best ? t : best;
    }
    return best;
}

struct Kind {
    const char *name;
    uint32_t src0; // field of the first source: 256 + register, 249 SDWA, 250 DPP
    uint32_t ext;  // their second dword
    uint64_t exec;
};

static void speed(const char *only)
{
    static const Kind kinds[] = {
        { "v_add_u32", 257, 0, ~0ull },     { "v_xor_b32", 257, 0, ~0ull },    { "v_lshlrev_b32", 257, 0, ~0ull },
        { "v_mov_b32", 257, 0, ~0ull },     { "v_bfe_u32", 257, 0, ~0ull },    { "v_mad_u32_u24", 257, 0, ~0ull },
        { "v_cmp_lt_i32", 257, 0, ~0ull },  { "v_cndmask_b32", 257, 0, ~0ull }, { "v_xor_b32", 257, 0, 0x7fff7fff7fff7fffull },
        { "v_or_b32", 249, 0x04050601, ~0ull }, { "v_add_u32", 250, 0xff00b101, ~0ull }, { "v_mac_f32", 257, 0, ~0ull },
        { "v_add_f32", 257, 0, ~0ull },     { "v_mul_f32", 257, 0, ~0ull },    { "v_fma_f32", 257, 0, ~0ull },
        { "v_max_f32", 257, 0, ~0ull },     { "v_cvt_f32_u32", 257, 0, ~0ull }, { "v_cmp_lt_f32", 257, 0, ~0ull },
        { "v_lshlrev_b64", 257, 0, ~0ull }, { "v_mul_lo_u32", 257, 0, ~0ull }, { "v_rcp_f32", 257, 0, ~0ull },
        { "v_fma_f64", 257, 0, ~0ull },   { "v_rcp_f64", 257, 0, ~0ull }
    };
    wave.mode = 0xc0;
    fill_registers();
    dut->obs_en_i = 0;
    printf("%-28s %6.1f ns a cycle\n", "idle", measure(0));
    for (const Kind &k : kinds) {
        if (only && strcmp(only, k.name) != 0)
            continue;
        const struct gcn3_op *o = find(k.name);
        struct gcn3_inst i;
        uint64_t inst = o->fmt == FMT_VOP3   ? (uint64_t)(257 | 258 << 9 | 259 << 18) << 32 | 0x34u << 26 | o->op << 16 | 4
                        : o->fmt == FMT_VOP1 ? (uint64_t)k.ext << 32 | 0x3fu << 25 | 4 << 17 | (o->op - 0x140) << 9 | k.src0
                        : o->fmt == FMT_VOPC ? (uint64_t)k.ext << 32 | 0x3eu << 25 | o->op << 17 | 2 << 9 | k.src0
                                             : (uint64_t)k.ext << 32 | (o->op - 0x100) << 25 | 4 << 17 | 2 << 9 | k.src0;
        gcn3_decode(inst, &i);
        WAVE_EXEC(&wave) = k.exec;
        drive(i, 1);
        printf("%-15s%-13s %6.1f ns a cycle\n", k.name, k.src0 == 249 ? "sdwa" : k.src0 == 250 ? "dpp" : ~k.exec ? "part" : "",
               measure(slots(*o, k.src0 == 250)));
    }
}
