// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd: random and corner values, and registers full of them.
#pragma once
#include "dut.h"

static uint32_t corner32()
{
    static const uint32_t list[] = { 0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x807fffff, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0x3f800000, 0xbf800000, 0x3f000000, 0x4b000000,
                                     0x4b800001, 0xffffffff, 0x7fffffff, 0x7f7fffff, 0x3f7fffff, 0x40000000, 0x4f000000, 0x4f800000,
                                     0x3c00,     0x7c00,     0xfc01,     0x7e00,     0x0400,     0x03ff,     0x8001,     0x7bff };
    return list[below(sizeof list / sizeof *list)];
}

static uint32_t value32()
{
    switch (below(8)) {
    case 0: return corner32();
    case 1: return (uint32_t)below(70) - 5;
    case 2: return 1u << below(32);
    case 3: return (uint32_t)rng() & 0x807fffff; // f32 subnormal
    case 4: return ((uint32_t)rng() & 0x80ffffff) | (uint32_t)(120 + below(16)) << 23; // near 1
    case 5: return ((uint32_t)rng() & 0x83ff83ff) | (uint32_t)below(32) << 26 | (uint32_t)below(32) << 10; // halves
    case 6: return (uint32_t)below(2) << 31 | (uint32_t)(0x3f800000 + (int)below(5) - 2) << below(2);
    default: return rng();
    }
}

static uint64_t corner64()
{
    static const uint64_t list[] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x000fffffffffffff, 0x0010000000000000, 0x0010000000000001,
                                     0x001fffffffffffff, 0x0020000000000000, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff7ffffffffffff,
                                     0x7ff8000000000000, 0x7ff8000000012345, 0x7fefffffffffffff, 0x7fe0000000000000, 0x3ff0000000000000,
                                     0x3fefffffffffffff, 0x3ff0000000000001, 0x3fe0000000000000, 0x3fdfffffffffffff, 0x3fe0000000000001,
                                     0x3ff8000000000000, 0x4004000000000000, 0x4330000000000000, 0x432fffffffffffff, 0x4340000000000000,
                                     0x41dfffffffc00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x36a0000000000000,
                                     0x3690000000000000, 0x380fffffffffffff, 0x3810000000000000, 0x47efffffefffffff, 0x47effffff0000000,
                                     0x3fffffffffffffff, 0x7b00000000000000, 0x0370000000000000 };
    return list[below(sizeof list / sizeof *list)] | below(2) << 63;
}

// A double that can meet others: near 1, near the ends of the range, few mantissa bits for ties.
static uint64_t value64()
{
    uint64_t m = rng() & UINT64_C(0x800fffffffffffff), few = UINT64_C(1) << below(52);
    switch (below(10)) {
    case 0: return corner64();
    case 1: return m;                                                           // subnormal
    case 2: return m >> below(53);                                              // small one
    case 3: return (m & few) | (rng() & UINT64_C(1) << 63) | (uint64_t)(1018 + below(70)) << 52; // a bit or none, integers and halves
    case 4: return m | (uint64_t)(1020 + below(8)) << 52;
    case 5: return m | (uint64_t)(960 + below(130)) << 52;                      // sums that need alignment
    case 6: return m | (uint64_t)below(130) << 52;                              // products below, scaled division
    case 7: return m | (uint64_t)(1900 + below(147)) << 52;
    case 8: return (m | UINT64_C(0x000fffffffffff00)) | (uint64_t)(1 + below(2046)) << 52; // carries into the exponent
    default: return rng();
    }
}

static uint64_t random_exec()
{
    switch (below(6)) {
    case 0: return rng();
    case 1: return rng() & rng() & rng();
    case 2: return UINT64_C(0xffff) << 16 * below(4);
    case 3: return chance(20) ? 0 : UINT64_C(1) << below(64);
    default: return ~UINT64_C(0);
    }
}

// golden rows [first, end) to the SIMD, as the front end does for a new wavefront
static void load_rows(unsigned first, unsigned end)
{
    for (unsigned row = first; row < end; row++) {
        dut->init_valid_i = 1;
        dut->init_row_i = row;
        for (unsigned l = 0; l < 16; l++)
            dut->init_data_i[l] = golden[row / 4][row % 4 * 16 + l];
        bool ready;
        do {
            dut->clk_i = 0;
            dut->eval();
            ready = dut->init_ready_o;
            tick();
        } while (!ready);
    }
    dut->init_valid_i = 0;
}

static void fill_registers()
{
    for (unsigned r = 0; r < Regs; r++) {
        bool same = chance(15);
        uint32_t x = value32();
        for (unsigned l = 0; l < 64; l++)
            golden[r][l] = same ? x : value32();
    }
    // doubles, of either alignment, in some batches
    if (chance(60))
        for (unsigned r = below(2); r + 1 < Regs; r += 2)
            for (unsigned l = 0; l < 64; l++) {
                uint64_t x = value64(), near = golden[r][l] | (uint64_t)golden[r + 1][l] << 32;
                if (r >= 2 && chance(25)) // for cancellation, ties and compares
                    x = (golden[r - 2][l] | (uint64_t)golden[r - 1][l] << 32) ^ below(2) << 63;
                if (r >= 2 && chance(10))
                    x += below(3) - 1 + (below(3) - 1) * (UINT64_C(1) << 52);
                if (chance(90))
                    near = x;
                golden[r][l] = (uint32_t)near;
                golden[r + 1][l] = near >> 32;
            }
    // pairs near each other, for compares and cancellation
    for (unsigned l = 0; l < 64; l++) {
        golden[21][l] = golden[20][l] + (uint32_t)below(3) - 1;
        golden[22][l] = golden[20][l] ^ 0x80000000;
    }
    for (unsigned n = 0; n < 100; n++)
        wave.s[n] = value32();
    for (unsigned n = 0; n < 50; n++)
        if (chance(50))
            wave.s64[n] = value64();
    wave.s64[SREG_VCC / 2] = rng();
    load_rows(0, Regs * 4);
    tick();
}
