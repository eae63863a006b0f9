// SPDX-License-Identifier: Apache-2.0
// Bench of cu_simd against the golden model (host/gcn3): random encodings of every implemented vector instruction
// with random modifiers, SDWA, DPP, EXEC, MODE and corner values, issued back to back so that dependent rows are
// bypassed; every row write is compared through the observation port, every mask through `done`, all VGPRs at the
// end of a batch through the memory read port.  Writes of memory units and reads are mixed in.  The argument `speed`
// prints ns a cycle instead (`speed NAME`: of one kind); `op NAME` tests one instruction;
// `host N` is the comparison with the host's arithmetic alone (host_ieee.h), N vectors a family.
// Registers start with random bits: nothing may depend on them (C.2).
// top: cu_simd
// sources: build/gen/gcn3_pkg.sv rtl/common/pick_pkg.sv build/gen/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/valu_dec_pkg.sv rtl/cu/valu_int_pkg.sv rtl/cu/valu_cmp_pkg.sv rtl/cu/valu_lanes_pkg.sv rtl/fpu/fpu_serial_pkg.sv rtl/cu/simd_regs_pkg.sv rtl/cu/valu_lane_pkg.sv rtl/fpu/fpu_fma_pkg.sv rtl/fpu/fpu_sum_pkg.sv rtl/fpu/fpu_misc_pkg.sv build/gen/trans_tables_pkg.sv rtl/fpu/fpu_trans_pkg.sv rtl/fpu/fpu_div_pkg.sv rtl/tech/tech_mul_pkg.sv rtl/fpu/fpu_fma64_pkg.sv rtl/fpu/fpu_misc64_pkg.sv rtl/fpu/fpu_seed64_pkg.sv rtl/cu/simd_rows_pkg.sv rtl/cu/cu_simd.sv
// args: -Wno-UNUSEDPARAM --x-initial unique --x-assign unique
// lib: yes
// limit: 7200
// mutant: -DGANTRY_CU_FAULT=16
// mutant: -DGANTRY_CU_FAULT=24
// mutant: -DGANTRY_CU_FAULT=30
// mutant: -DGANTRY_CU_FAULT=31
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "Vcu_simd.h"
#define GCN3_OPS_TABLE
extern "C" {
#include "gcn3/salu.h"
}

#ifndef LANES
#define LANES 16 // of the SIMD: rows of the ports pass in 16 / LANES parts
#endif
#ifndef OPERAND_STAGES
#define OPERAND_STAGES 0 // before the four of the SIMD
#endif
#ifndef NIGHTLY_VECTORS
#define NIGHTLY_VECTORS 100000000 // a family of host_ieee.h
#endif
static const unsigned Parts = 16 / LANES;
static const unsigned Regs = 64; // VGPRs in use
static std::mt19937_64 rng(7);
static Vcu_simd *dut;
static uint64_t cycle, lane_results, rows_seen, masks_seen;
static int failures;
static uint32_t golden[256][64], pattern[256][64];
static struct gcn3_wave wave;

static uint64_t below(uint64_t n) { return rng() % n; }
static bool chance(unsigned percent) { return below(100) < percent; }

// ---- packed structs, from the lowest bit
struct Packer {
    uint32_t words[20] = {};
    unsigned at = 0;
    void put(uint64_t v, unsigned bits)
    {
        for (unsigned n = 0; n < bits; n++, at++)
            words[at / 32] |= (uint32_t)(v >> n & 1) << at % 32;
    }
};
template <class T> static uint64_t take(const T &w, unsigned at, unsigned bits)
{
    uint64_t v = 0;
    for (unsigned n = 0; n < bits; n++)
        v |= (uint64_t)(w[(at + n) / 32] >> (at + n) % 32 & 1) << n;
    return v;
}

// ---- what an instruction under way must do
struct Expected {
    bool used;
    bool any; // whatever comes is right
    std::string name;
    uint64_t inst;
    unsigned vdst, width;
    bool has_result;
    uint64_t result;
    uint32_t data[4][64];
    uint32_t src[3][64];
    uint8_t mode;
    uint64_t exec;
};
static Expected expected[256];
static unsigned retired;
static uint64_t seen_mask; // of the last instruction with `any`

static void complain(const Expected &e, const char *what, unsigned lane, uint64_t got, uint64_t want)
{
    static std::string last;
    failures++;
    if (e.name == last)
        return;
    last = e.name;
    printf("%s %016llx mode %02x exec %016llx: %s lane %u: got %llx, want %llx (sources %08x %08x %08x)\n", e.name.c_str(),
           (unsigned long long)e.inst, e.mode, (unsigned long long)e.exec, what, lane, (unsigned long long)got,
           (unsigned long long)want, e.src[0][lane & 63], e.src[1][lane & 63], e.src[2][lane & 63]);
}

static void check_outputs()
{
    if (dut->obs_valid_o) {
        unsigned tag = take(dut->obs_o, 538, 8), row = take(dut->obs_o, 528, 10), lanes = take(dut->obs_o, 512, 16);
        const Expected &e = expected[tag];
        unsigned reg = (row >> 2) - e.vdst, base = (row & 3) * 16;
        rows_seen += e.used;
        if (!e.used)
            ; // a memory unit's write
        else if (e.any)
            ;
        else if (reg >= e.width)
            complain(e, "register", row >> 2, row >> 2, e.vdst);
        else
            for (unsigned l = 0; l < 16; l++)
                if (lanes >> l & 1) {
                    lane_results++;
                    if (dut->obs_o[l] != e.data[reg][base + l])
                        complain(e, "result", base + l, dut->obs_o[l], e.data[reg][base + l]);
                }
    }
    if (dut->done_valid_o) {
        Expected &e = expected[take(dut->done_o, 65, 8)];
        if (!e.used)
            complain(e, "unexpected done", 0, 0, 0);
        if ((bool)take(dut->done_o, 64, 1) != e.has_result)
            complain(e, "has_result", 0, !e.has_result, e.has_result);
        else if (e.has_result) {
            masks_seen++;
            uint64_t got = take(dut->done_o, 0, 64);
            if (e.any)
                seen_mask = got;
            else if (got != e.result)
                complain(e, "mask", got != e.result ? __builtin_ctzll(got ^ e.result) : 0, got, e.result);
        }
        e.used = false;
        retired++;
    }
}

static void tick()
{
    dut->clk_i = 0;
    dut->eval();
    dut->clk_i = 1;
    dut->eval();
    cycle++;
    check_outputs();
}

// ---- operands
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

// ---- encodings
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

// ---- issue record as the front end makes it
// mask_from: 0 the mask is in the record, 1 and 2 it is the result of the last instruction or of the one before (the
// record has another)
static void drive(const struct gcn3_inst &i, unsigned tag, unsigned mask_from = 0)
{
    Packer p;
    bool half = i.info->flags & FLAG_HALF;
    p.put(WAVE_EXEC(&wave), 64);
    p.put(mask_from ? rng() : i.src2_mask ? scalar_read64(&wave, &i, i.src[2]) : WAVE_VCC(&wave), 64);
    unsigned is_vgpr = 0;
    for (unsigned n = 0; n < 3; n++) {
        uint64_t v = 0;
        if (i.src[n] >= 256 && i.srcw[n])
            is_vgpr |= 1u << n;
        else if (i.srcw[n] == 2 && !(n == 2 && i.src2_mask)) {
            v = scalar_read64(&wave, &i, i.src[n]);
            if (i.src[n] == SREG_LITERAL && i.info->rate == RATE_F64)
                v <<= 32;
        }
        else if (i.srcw[n] == 1)
            v = scalar_read32(&wave, &i, i.src[n], half);
        p.put(v, 64);
    }
    p.put(i.ext, 32);
    for (unsigned n = 0; n < 3; n++)
        p.put(i.src[n] & 255, 8);
    p.put(i.vdst, 8);
    p.put(i.dpp, 1);
    p.put(i.sdwa, 1);
    p.put(i.clamp, 1);
    p.put(i.omod, 2);
    p.put(i.abs, 3);
    p.put(i.neg, 3);
    p.put(wave.ieee, 1);
    p.put(wave.mode, 8);
    p.put(tag, 8);
    p.put(0, 4);
    p.put(i.op, 10);
    p.put(is_vgpr, 3);
    p.put(i.vdst_w != 0, 1);
    p.put(wave.dx10_clamp, 1);
    p.put(mask_from, 2);
    for (unsigned w = 0; w < 14; w++)
        dut->issue_i[w] = p.words[w];
}

static void remember_sources(Expected &e, const struct gcn3_inst &i)
{
    for (unsigned n = 0; n < 3; n++)
        for (unsigned l = 0; l < 64; l++)
            e.src[n][l] = !i.srcw[n] ? 0 : i.src[n] >= 256 ? golden[i.src[n] - 256][l]
                          : scalar_read32(&wave, &i, i.src[n], i.info->flags & FLAG_HALF);
}

// Results of the last two instructions.
static struct {
    bool whole; // a lane mask that the SIMD hands on
    uint64_t mask;
} made[2];
static uint64_t masks_handed[2];

static void one_instruction(const struct gcn3_op &o, unsigned tag)
{
    struct gcn3_inst i;
    uint64_t inst;
    do {
        inst = encode(o);
        gcn3_decode(inst, &i);
    } while (i.illegal || i.vgprs > Regs);
    WAVE_EXEC(&wave) = random_exec();
    Expected &e = expected[tag];
    e.used = true;
    e.any = false;
    e.name = o.name;
    e.inst = inst;
    e.vdst = i.vdst;
    e.width = i.vdst_w;
    e.mode = wave.mode;
    e.exec = WAVE_EXEC(&wave);
    // a mask that one of the last two instructions made: hardware reads it beat by beat, so 4 cycles later
    bool reads = i.src2_mask || (i.info->flags & FLAG_VCC_R), fmas = o.op == OP_V_DIV_FMAS_F32 || o.op == OP_V_DIV_FMAS_F64;
    unsigned mask_from = LANES == 16 && reads && !fmas && chance(70) ? 1 + below(2) : 0;
    if (mask_from && !made[mask_from - 1].whole)
        mask_from = 0;
    if (mask_from) {
        scalar_write64(&wave, i.src2_mask ? i.src[2] : SREG_VCC, made[mask_from - 1].mask);
        masks_handed[mask_from - 1]++;
    }
    remember_sources(e, i);
    drive(i, tag, mask_from);
    if (valu_execute(&wave, &i)) {
        printf("golden model does not know %s\n", o.name);
        exit(1);
    }
    e.has_result = i.sdst_w != 0;
    e.result = i.sdst_mask ? scalar_read64(&wave, &i, i.sdst) : i.sdst_w ? scalar_read32(&wave, &i, i.sdst, false) : 0;
    made[1] = made[0];
    made[0] = { i.sdst_mask && o.rate != RATE_F64, e.result };
    for (unsigned n = 0; n < i.vdst_w; n++)
        memcpy(e.data[n], golden[i.vdst + n], 256);
    // rows of other beats are not bypassed: one turn between (software leaves two before any DPP), or two
    for (unsigned n = 0; crosses_rows(i) && n < 4 + 4 * OPERAND_STAGES; n++)
        tick();
    dut->valid_i = 1;
    tick();
    dut->valid_i = 0;
    for (unsigned left = slots(o, i.dpp, crosses_rows(i)) - 1; left; left--)
        tick();
}

// A memory unit writes one row of a register that nothing else uses; returns after it was taken.
static void memory_write(unsigned unit)
{
    unsigned reg = Regs - 1, beat = below(4), lanes = below(65536);
    Packer p;
    for (unsigned l = 0; l < 16; l++) {
        uint32_t x = rng();
        p.put(x, 32);
        if (lanes >> l & 1)
            golden[reg][beat * 16 + l] = x;
    }
    p.put(lanes, 16);
    p.put(reg * 4 + beat, 10);
    p.put(255, 8);
    for (unsigned w = 0; w < 18; w++)
        (unit ? dut->vwr1_i : dut->vwr0_i)[w] = p.words[w];
    dut->vwr_valid_i = 1u << unit;
    for (unsigned n = 0;; n++) {
        dut->clk_i = 0;
        dut->eval();
        bool ready = dut->vwr_ready_o >> unit & 1;
        tick();
        if (ready)
            break;
        if (n > 50) {
            printf("memory write never taken\n");
            exit(1);
        }
    }
    dut->vwr_valid_i = 0;
}

static void compare_registers()
{
    for (unsigned n = 0; n < 24; n++)
        tick();
    for (unsigned row = 0; row < Regs * 4; row++) {
        dut->vrd_valid_i = 1;
        dut->vrd_row_i = row;
        for (unsigned n = 0; n < Parts; n++)
            tick();
        dut->vrd_valid_i = 0;
        for (unsigned l = 0; l < 16; l++)
            if (dut->vrd_data_o[l] != golden[row / 4][row % 4 * 16 + l] && ++failures <= 20)
                printf("v%u lane %u at the end: got %08x, want %08x\n", row / 4, row % 4 * 16 + l, dut->vrd_data_o[l],
                       golden[row / 4][row % 4 * 16 + l]);
    }
    tick();
    if (!dut->idle_o && ++failures <= 20)
        printf("not idle at the end of a batch\n");
}

static void batch(unsigned instructions, const struct gcn3_op *only)
{
    wave.mode = chance(50) ? 0xc0 : (uint8_t)rng();
    wave.ieee = chance(70);
    wave.dx10_clamp = chance(70);
    fill_registers();
    retired = 0;
    for (unsigned n = 0; n < instructions; n++) {
        one_instruction(only ? *only : *ops[below(ops.size())], n % 200);
        if (chance(3)) {
            unsigned writes = 1 + below(5);
            while (writes--)
                memory_write(below(2));
        }
    }
    compare_registers();
    if (retired != instructions && ++failures <= 20)
        printf("%u instructions done, want %u\n", retired, instructions);
}

static void reset()
{
    made[0] = made[1] = {};
    dut->rst_ni = 0;
    dut->valid_i = dut->vwr_valid_i = dut->init_valid_i = dut->vrd_valid_i = 0;
    dut->obs_en_i = 1;
    for (unsigned n = 0; n < 3; n++)
        tick();
    dut->rst_ni = 1;
    tick();
}

static const struct gcn3_op *find(const char *name)
{
    for (unsigned n = 1; n < GCN3_OP_COUNT; n++)
        if (strcmp(gcn3_op_table[n].name, name) == 0)
            return &gcn3_op_table[n];
    printf("no instruction %s\n", name);
    exit(2);
}

// ---- ns a cycle of one SIMD: nothing, back-to-back instructions of one kind
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

#include "host_ieee.h"

int main(int argc, char **argv)
{
    Verilated::randReset(2);
    Verilated::randSeed(11);
    dut = new Vcu_simd;
    wave.v = golden;
    wave.vgprs = Regs;
    wave.sgprs = 100;
    wave.s[SREG_M0] = 3;
    reset();
    if (argc > 2 && strcmp(argv[1], "host") == 0) {
        host::run(strtoull(argv[2], NULL, 0));
        return failures != 0;
    }
    if (argc > 1 && strcmp(argv[1], "speed") == 0) {
        speed(argc > 2 ? argv[2] : NULL);
        return 0;
    }
    for (unsigned n = 1; n < GCN3_OP_COUNT; n++)
        if (in_scope(gcn3_op_table[n]))
            ops.push_back(&gcn3_op_table[n]);
    if (argc > 2 && strcmp(argv[1], "op") == 0) {
        const struct gcn3_op *o = find(argv[2]);
        for (unsigned n = 0; n < 40; n++)
            batch(150, o);
    } else {
        for (unsigned n = 0; n < 150 && failures < 200; n++)
            batch(300, NULL);
        delete dut;
        Verilated::randSeed(12);
        dut = new Vcu_simd;
        reset();
        for (const struct gcn3_op *o : ops)
            for (unsigned n = 0, before = failures; n < 3 && failures - before < 1 && failures < 2000; n++)
                batch(50, o);
        for (unsigned n = 0; n < 150 && failures < 200; n++)
            batch(300, NULL);
        const char *nightly = getenv("GANTRY_NIGHTLY");
        if (failures == 0)
            host::run(nightly && *nightly == '1' ? NIGHTLY_VECTORS : 100000);
    }
    if (LANES == 16 && argc == 1 && (masks_handed[0] < 200 || masks_handed[1] < 200)) {
        printf("only %llu and %llu masks were handed on\n", (unsigned long long)masks_handed[0], (unsigned long long)masks_handed[1]);
        failures++;
    }
    printf("%zu instructions, %llu lane results, %llu rows, %llu masks, %llu cycles, %d failures\n", ops.size(),
           (unsigned long long)lane_results, (unsigned long long)rows_seen, (unsigned long long)masks_seen, (unsigned long long)cycle, failures);
    return failures != 0;
}
