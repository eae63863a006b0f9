// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd: random encodings of the vector instructions, and the cycles that they take.
#pragma once
#include "values.h"

static std::vector<const struct gcn3_op *> ops;

static bool in_scope(const struct gcn3_op &o)
{
    return o.implemented && o.unit == UNIT_VALU && strncmp(o.name, "v_movrel", 8) != 0;
}

// Cycles that an instruction keeps the SIMD; DPP gathers rows first with fewer than 16 lanes, and where it reaches another row
// while the third read is of the old destination (v_mac).
static unsigned slots(const struct gcn3_op &o, bool dpp = false, bool crosses = false)
{
    unsigned times = o.rate == RATE_FULL ? 1 : o.rate == RATE_HALF ? 2 : o.dw == 4 ? 8 : 4;
    return o.rate == RATE_F64 ? 68 : 4 * Parts * (times + (dpp && (Parts > 1 || (crosses && (o.flags & FLAG_DST_R)))));
}

static unsigned scalar_code()
{
    static const unsigned special[] = { 106, 107, 124, 126, 127, 240, 241, 242, 243, 244, 245, 246, 247 };
    switch (below(3)) {
    case 0: return below(100);
    case 1: return 128 + below(81);
    default: return special[below(sizeof special / sizeof *special)];
    }
}

static unsigned vgpr() { return chance(50) ? below(12) : 12 + below(Regs - 13); }
static unsigned target() { return chance(70) ? below(11) : below(Regs - 13); }
static unsigned source9(bool literal)
{
    if (chance(65))
        return 256 + vgpr();
    return literal && chance(10) ? 255u : scalar_code();
}

static uint32_t random_ext(bool dpp)
{
    static const unsigned controls[] = { 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143 };
    uint32_t x = (uint32_t)rng() & 0xffffff00;
    x |= vgpr();
    if (!dpp) {
        unsigned d = below(7), s0 = below(7), s1 = below(7);
        x = (x & 0xf8f8c0ff) | d << 8 | below(3) << 11 | s0 << 16 | s1 << 24;
        return x | (chance(20) ? 1u << 13 : 0);
    }
    unsigned control = chance(40) ? below(256) : chance(50) ? controls[below(8)] : 0x100 | (1 + below(3) - 1) << 4 | (1 + below(15));
    x = (x & 0xfff000ff) | control << 8 | (uint32_t)below(2) << 19;
    return chance(50) ? x | 0xff000000 : x;
}

static uint64_t encode(const struct gcn3_op &o)
{
    unsigned op = o.op;
    bool sdwa = (o.flags & FLAG_SDWA) && chance(20), dpp = !sdwa && (o.flags & FLAG_DPP) && chance(20);
    bool literal = o.flags & FLAG_LITERAL;
    bool vop3 = o.fmt == FMT_VOP3 || (!literal && !sdwa && !dpp && op != OP_V_READFIRSTLANE_B32 && chance(50));
    uint32_t ext = sdwa || dpp ? random_ext(dpp) : value32();
    unsigned src0 = sdwa ? 249 : dpp ? 250 : source9(!vop3 && !literal);
    if (op == OP_V_READFIRSTLANE_B32 || op == OP_V_READLANE_B32)
        src0 = 256 + vgpr();
    if (!vop3) {
        uint32_t low = src0;
        if (o.fmt == FMT_VOP1)
            low |= 0x3fu << 25 | (uint32_t)(op == OP_V_READFIRSTLANE_B32 ? below(100) : target()) << 17 | (uint32_t)(op - 0x140) << 9;
        else if (o.fmt == FMT_VOPC)
            low |= 0x3eu << 25 | (uint32_t)op << 17 | vgpr() << 9;
        else
            low |= (uint32_t)(op - 0x100) << 25 | target() << 17 | vgpr() << 9;
        return (uint64_t)ext << 32 | low;
    }
    unsigned src1 = source9(false), src2 = o.mask2 ? below(50) * 2 : source9(false);
    if (op == OP_V_READLANE_B32 || op == OP_V_WRITELANE_B32)
        src1 = chance(50) ? below(100) : 128 + below(64);
    if (op == OP_V_WRITELANE_B32)
        src0 = scalar_code();
    uint32_t low = 0x34u << 26 | (uint32_t)op << 16;
    bool form_b = (o.flags & FLAG_VCC_W) && o.dkind == 1;
    low |= o.dkind == 1 ? target() : o.dkind == 2 ? below(100) : below(50) * 2;
    low |= form_b ? (uint32_t)below(50) * 2 << 8 : chance(30) ? (uint32_t)below(8) << 8 : 0;
    low |= chance(20) ? 1u << 15 : 0;
    uint32_t high = src0 | src1 << 9 | src2 << 18 | (chance(30) ? (uint32_t)below(4) << 27 : 0) | (chance(30) ? (uint32_t)below(8) << 29 : 0);
    return (uint64_t)high << 32 | low;
}

static bool crosses_rows(const struct gcn3_inst &i)
{
    unsigned control = i.ext >> 8 & 0x1ff;
    return i.dpp && control >= 0x130 && control != 0x140 && control != 0x141;
}
