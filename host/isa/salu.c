/* SPDX-License-Identifier: Apache-2.0
 * Scalar ALU of the golden model: operands by code, SOP1, SOP2, SOPC, SOPK, branches.
 * Not responsible for: scalar memory (mem.c), messages and waits (step.c).
 */
#include "isa/salu.h"
#include "isa/trap.h"

static const uint32_t inline_f32[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                       0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
static const uint16_t inline_f16[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
static const uint64_t inline_f64[9] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                       0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                       0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

uint32_t scalar_read32(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned code, bool half)
{
    if (code < 128)
        return w->s[code];
    if (code <= 192)
        return code - 128;
    if (code <= 208)
        return 192 - code;
    if (code >= 240 && code <= 248)
        return half ? inline_f16[code - 240] : inline_f32[code - 240];
    switch (code) {
    case 251:
        return WAVE_VCC(w) == 0;
    case 252:
        return WAVE_EXEC(w) == 0;
    case 253:
        return w->scc;
    case SREG_LITERAL:
        return i->ext;
    default:
        return 0;
    }
}

uint64_t scalar_read64(const struct gcn3_wave *w, const struct gcn3_inst *i, unsigned code)
{
    if (code < 127)
        return w->s[code] | (uint64_t)w->s[code + 1] << 32;
    if (code >= 193 && code <= 208)
        return (int64_t)192 - code;
    if (code >= 240 && code <= 248)
        return inline_f64[code - 240];
    return scalar_read32(w, i, code, false);
}

void scalar_write32(struct gcn3_wave *w, unsigned code, uint32_t value)
{
    w->s[code & 127] = value;
}

void scalar_write64(struct gcn3_wave *w, unsigned code, uint64_t value)
{
    w->s[code & 127] = value;
    w->s[(code + 1) & 127] = value >> 32;
}

static uint64_t field_mask(unsigned width)
{
    return width >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << width) - 1;
}

static uint64_t extract_u(uint64_t x, uint32_t control, unsigned size)
{
    unsigned offset = control & (size - 1), width = control >> 16 & 127;
    return x >> offset & field_mask(width);
}

static int64_t extract_i(int64_t x, uint32_t control, unsigned size)
{
    unsigned offset = control & (size - 1), width = control >> 16 & 127;
    if (!width)
        return 0;
    if (width + offset >= size)
        return x >> offset;
    return (int64_t)((uint64_t)x << (64 - width - offset)) >> (64 - width);
}

static void result32(struct gcn3_wave *w, const struct gcn3_inst *i, uint32_t value)
{
    scalar_write32(w, i->sdst, value);
    if (i->writes_scc)
        w->scc = value != 0;
}

static void result64(struct gcn3_wave *w, const struct gcn3_inst *i, uint64_t value)
{
    scalar_write64(w, i->sdst, value);
    if (i->writes_scc)
        w->scc = value != 0;
}

static void with_scc(struct gcn3_wave *w, const struct gcn3_inst *i, uint32_t value, bool scc)
{
    scalar_write32(w, i->sdst, value);
    w->scc = scc;
}

static void add_carry(struct gcn3_wave *w, const struct gcn3_inst *i, uint64_t sum)
{
    with_scc(w, i, sum, sum >> 32 & 1);
}

/* Operations as tables, one a line. */
/* clang-format off */
static void sop2_32(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint32_t a = scalar_read32(w, i, i->src[0], false), b = scalar_read32(w, i, i->src[1], false);
    int32_t sa = a, sb = b, r;
    bool o;
    switch (i->op) {
    case OP_S_ADD_U32: add_carry(w, i, (uint64_t)a + b); break;
    case OP_S_SUB_U32: add_carry(w, i, (uint64_t)a - b); break;
    case OP_S_ADD_I32: o = __builtin_add_overflow(sa, sb, &r); with_scc(w, i, r, o); break;
    case OP_S_SUB_I32: o = __builtin_sub_overflow(sa, sb, &r); with_scc(w, i, r, o); break;
    case OP_S_ADDC_U32: add_carry(w, i, (uint64_t)a + b + w->scc); break;
    case OP_S_SUBB_U32: add_carry(w, i, (uint64_t)a - b - w->scc); break;
    case OP_S_MIN_I32: with_scc(w, i, sa < sb ? a : b, sa < sb); break;
    case OP_S_MIN_U32: with_scc(w, i, a < b ? a : b, a < b); break;
    case OP_S_MAX_I32: with_scc(w, i, sa >= sb ? a : b, sa >= sb); break;
    case OP_S_MAX_U32: with_scc(w, i, a >= b ? a : b, a >= b); break;
    case OP_S_CSELECT_B32: result32(w, i, w->scc ? a : b); break;
    case OP_S_AND_B32: result32(w, i, a & b); break;
    case OP_S_OR_B32: result32(w, i, a | b); break;
    case OP_S_XOR_B32: result32(w, i, a ^ b); break;
    case OP_S_ANDN2_B32: result32(w, i, a & ~b); break;
    case OP_S_ORN2_B32: result32(w, i, a | ~b); break;
    case OP_S_NAND_B32: result32(w, i, ~(a & b)); break;
    case OP_S_NOR_B32: result32(w, i, ~(a | b)); break;
    case OP_S_XNOR_B32: result32(w, i, ~(a ^ b)); break;
    case OP_S_LSHL_B32: result32(w, i, a << (b & 31)); break;
    case OP_S_LSHR_B32: result32(w, i, a >> (b & 31)); break;
    case OP_S_ASHR_I32: result32(w, i, sa >> (b & 31)); break;
    case OP_S_BFM_B32: result32(w, i, ((UINT32_C(1) << (a & 31)) - 1) << (b & 31)); break;
    case OP_S_BFM_B64: result64(w, i, ((UINT64_C(1) << (a & 63)) - 1) << (b & 63)); break;
    case OP_S_MUL_I32: result32(w, i, a * b); break;
    case OP_S_BFE_U32: result32(w, i, extract_u(a, b, 32)); break;
    case OP_S_BFE_I32: result32(w, i, extract_i((int32_t)a, b, 32)); break;
    case OP_S_ABSDIFF_I32: result32(w, i, (int32_t)(a - b) < 0 ? b - a : a - b); break;
    }
}

static void sop2_64(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint64_t a = scalar_read64(w, i, i->src[0]);
    uint64_t b = i->srcw[1] == 2 ? scalar_read64(w, i, i->src[1]) : scalar_read32(w, i, i->src[1], false);
    switch (i->op) {
    case OP_S_CSELECT_B64: result64(w, i, w->scc ? a : b); break;
    case OP_S_AND_B64: result64(w, i, a & b); break;
    case OP_S_OR_B64: result64(w, i, a | b); break;
    case OP_S_XOR_B64: result64(w, i, a ^ b); break;
    case OP_S_ANDN2_B64: result64(w, i, a & ~b); break;
    case OP_S_ORN2_B64: result64(w, i, a | ~b); break;
    case OP_S_NAND_B64: result64(w, i, ~(a & b)); break;
    case OP_S_NOR_B64: result64(w, i, ~(a | b)); break;
    case OP_S_XNOR_B64: result64(w, i, ~(a ^ b)); break;
    case OP_S_LSHL_B64: result64(w, i, a << (b & 63)); break;
    case OP_S_LSHR_B64: result64(w, i, a >> (b & 63)); break;
    case OP_S_ASHR_I64: result64(w, i, (int64_t)a >> (b & 63)); break;
    case OP_S_BFE_U64: result64(w, i, extract_u(a, b, 64)); break;
    case OP_S_BFE_I64: result64(w, i, extract_i(a, b, 64)); break;
    }
}

static uint64_t reverse_bits(uint64_t x)
{
    x = (x & 0x5555555555555555) << 1 | (x >> 1 & 0x5555555555555555);
    x = (x & 0x3333333333333333) << 2 | (x >> 2 & 0x3333333333333333);
    x = (x & 0x0f0f0f0f0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f0f0f0f0f);
    return __builtin_bswap64(x);
}

/* Register `code` + M0 of a relative move; beyond the allocation 0 for a source, -1 for a destination (nothing is
 * written).  Pairs are even. */
static int relative(const struct gcn3_wave *w, unsigned code, unsigned width, int beyond)
{
    uint32_t at = (code + WAVE_M0(w)) & ~(width - 1);
    return at < w->sgprs && at < SREG_FLAT_SCRATCH ? (int)at : beyond;
}

static void sop1_32(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint32_t a = scalar_read32(w, i, i->src[0], false);
    uint32_t flip = (int32_t)a < 0 ? ~a : a;
    switch (i->op) {
    case OP_S_MOV_B32: result32(w, i, a); break;
    case OP_S_CMOV_B32: if (w->scc) result32(w, i, a); break;
    case OP_S_NOT_B32: result32(w, i, ~a); break;
    case OP_S_BREV_B32: result32(w, i, reverse_bits(a) >> 32); break;
    case OP_S_BCNT0_I32_B32: result32(w, i, __builtin_popcount(~a)); break;
    case OP_S_BCNT1_I32_B32: result32(w, i, __builtin_popcount(a)); break;
    case OP_S_FF0_I32_B32: result32(w, i, ~a ? __builtin_ctz(~a) : -1); break;
    case OP_S_FF1_I32_B32: result32(w, i, a ? __builtin_ctz(a) : -1); break;
    case OP_S_FLBIT_I32_B32: result32(w, i, a ? __builtin_clz(a) : -1); break;
    case OP_S_FLBIT_I32: result32(w, i, flip ? __builtin_clz(flip) : -1); break;
    case OP_S_SEXT_I32_I8: result32(w, i, (int8_t)a); break;
    case OP_S_SEXT_I32_I16: result32(w, i, (int16_t)a); break;
    case OP_S_BITSET0_B32: result32(w, i, w->s[i->sdst] & ~(UINT32_C(1) << (a & 31))); break;
    case OP_S_BITSET1_B32: result32(w, i, w->s[i->sdst] | UINT32_C(1) << (a & 31)); break;
    case OP_S_BITSET0_B64: result64(w, i, scalar_read64(w, i, i->sdst) & ~(UINT64_C(1) << (a & 63))); break;
    case OP_S_BITSET1_B64: result64(w, i, scalar_read64(w, i, i->sdst) | UINT64_C(1) << (a & 63)); break;
    case OP_S_ABS_I32: result32(w, i, (int32_t)a < 0 ? -a : a); break;
    case OP_S_MOVRELS_B32: result32(w, i, w->s[relative(w, i->src[0], 1, 0)]); break;
    case OP_S_MOVRELD_B32: {
        int to = relative(w, i->sdst, 1, -1);
        if (to >= 0)
            scalar_write32(w, to, a);
        break;
    }
    }
}

static void save_exec(struct gcn3_wave *w, const struct gcn3_inst *i, uint64_t exec)
{
    uint64_t old = WAVE_EXEC(w);
    scalar_write64(w, i->sdst, old);
    WAVE_EXEC(w) = exec;
    w->scc = exec != 0;
}

static void sop1_64(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint64_t a = scalar_read64(w, i, i->src[0]), e = WAVE_EXEC(w);
    uint64_t flip = (int64_t)a < 0 ? ~a : a;
    switch (i->op) {
    case OP_S_MOV_B64: result64(w, i, a); break;
    case OP_S_CMOV_B64: if (w->scc) result64(w, i, a); break;
    case OP_S_NOT_B64: result64(w, i, ~a); break;
    case OP_S_BREV_B64: result64(w, i, reverse_bits(a)); break;
    case OP_S_BCNT0_I32_B64: result32(w, i, __builtin_popcountll(~a)); break;
    case OP_S_BCNT1_I32_B64: result32(w, i, __builtin_popcountll(a)); break;
    case OP_S_FF0_I32_B64: result32(w, i, ~a ? __builtin_ctzll(~a) : -1); break;
    case OP_S_FF1_I32_B64: result32(w, i, a ? __builtin_ctzll(a) : -1); break;
    case OP_S_FLBIT_I32_B64: result32(w, i, a ? __builtin_clzll(a) : -1); break;
    case OP_S_FLBIT_I32_I64: result32(w, i, flip ? __builtin_clzll(flip) : -1); break;
    case OP_S_AND_SAVEEXEC_B64: save_exec(w, i, a & e); break;
    case OP_S_OR_SAVEEXEC_B64: save_exec(w, i, a | e); break;
    case OP_S_XOR_SAVEEXEC_B64: save_exec(w, i, a ^ e); break;
    case OP_S_ANDN2_SAVEEXEC_B64: save_exec(w, i, a & ~e); break;
    case OP_S_ORN2_SAVEEXEC_B64: save_exec(w, i, a | ~e); break;
    case OP_S_NAND_SAVEEXEC_B64: save_exec(w, i, ~(a & e)); break;
    case OP_S_NOR_SAVEEXEC_B64: save_exec(w, i, ~(a | e)); break;
    case OP_S_XNOR_SAVEEXEC_B64: save_exec(w, i, ~(a ^ e)); break;
    case OP_S_MOVRELS_B64: result64(w, i, scalar_read64(w, i, relative(w, i->src[0], 2, 0))); break;
    case OP_S_MOVRELD_B64: {
        int to = relative(w, i->sdst, 2, -1);
        if (to >= 0)
            scalar_write64(w, to, a);
        break;
    }
    }
}

static bool compare32(unsigned op, uint32_t a, uint32_t b)
{
    int32_t sa = a, sb = b;
    switch (op) {
    case OP_S_CMP_EQ_I32: case OP_S_CMP_EQ_U32: return a == b;
    case OP_S_CMP_LG_I32: case OP_S_CMP_LG_U32: return a != b;
    case OP_S_CMP_GT_I32: return sa > sb;
    case OP_S_CMP_GE_I32: return sa >= sb;
    case OP_S_CMP_LT_I32: return sa < sb;
    case OP_S_CMP_LE_I32: return sa <= sb;
    case OP_S_CMP_GT_U32: return a > b;
    case OP_S_CMP_GE_U32: return a >= b;
    case OP_S_CMP_LT_U32: return a < b;
    case OP_S_CMP_LE_U32: return a <= b;
    case OP_S_BITCMP0_B32: return !(a >> (b & 31) & 1);
    default: return a >> (b & 31) & 1;
    }
}

static void sopc(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    if (i->srcw[0] == 1) {
        w->scc = compare32(i->op, scalar_read32(w, i, i->src[0], false), scalar_read32(w, i, i->src[1], false));
        return;
    }
    uint64_t a = scalar_read64(w, i, i->src[0]);
    uint64_t b = i->srcw[1] == 2 ? scalar_read64(w, i, i->src[1]) : scalar_read32(w, i, i->src[1], false);
    switch (i->op) {
    case OP_S_CMP_EQ_U64: w->scc = a == b; break;
    case OP_S_CMP_LG_U64: w->scc = a != b; break;
    case OP_S_BITCMP0_B64: w->scc = !(a >> (b & 63) & 1); break;
    case OP_S_BITCMP1_B64: w->scc = a >> (b & 63) & 1; break;
    }
}

/* clang-format on */

static void sopk(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    int32_t imm = (int16_t)i->simm16, r;
    uint32_t a = scalar_read32(w, i, i->src[0], false);
    switch (i->op) {
    case OP_S_MOVK_I32:
        scalar_write32(w, i->sdst, imm);
        break;
    case OP_S_CMOVK_I32:
        if (w->scc)
            scalar_write32(w, i->sdst, imm);
        break;
    case OP_S_ADDK_I32:
        w->scc = __builtin_add_overflow((int32_t)a, imm, &r);
        scalar_write32(w, i->sdst, r);
        break;
    case OP_S_MULK_I32:
        scalar_write32(w, i->sdst, a * (uint32_t)imm);
        break;
    case OP_S_GETREG_B32:
        scalar_write32(w, i->sdst,
                       hwreg_read(w, i->simm16 & 63) >> (i->simm16 >> 6 & 31) & field_mask((i->simm16 >> 11 & 31) + 1));
        break;
    case OP_S_SETREG_B32:
    case OP_S_SETREG_IMM32_B32:
        hwreg_write(w, i->simm16, a);
        break;
    default: /* s_cmpk: the order of s_cmp from 2 on */
        w->scc = compare32(i->op - OP_S_CMPK_EQ_I32, a, i->op >= OP_S_CMPK_EQ_U32 ? i->simm16 : (uint32_t)imm);
    }
}

void salu_execute(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    switch (i->fmt) {
    case FMT_SOP2:
        if (i->srcw[0] == 2)
            sop2_64(w, i);
        else
            sop2_32(w, i);
        break;
    case FMT_SOP1:
        if (i->srcw[0] == 2)
            sop1_64(w, i);
        else
            sop1_32(w, i);
        break;
    case FMT_SOPC:
        sopc(w, i);
        break;
    default:
        sopk(w, i);
        break;
    }
}

void branch_execute(struct gcn3_wave *w, const struct gcn3_inst *i)
{
    uint64_t target = w->pc + 4 * (int64_t)(int16_t)i->simm16, next = w->pc;
    bool take = true;
    if (i->fmt == FMT_SOP1) {
        target = i->op == OP_S_GETPC_B64 ? next : scalar_read64(w, i, i->src[0]);
        if (i->sdst_w)
            scalar_write64(w, i->sdst, next);
        w->pc = target & (PC_MASK & ~UINT64_C(3));
        if (i->op == OP_S_RFE_B64)
            trap_return(w);
        return;
    }
    switch (i->op) {
    case OP_S_CBRANCH_SCC0:
        take = !w->scc;
        break;
    case OP_S_CBRANCH_SCC1:
        take = w->scc;
        break;
    case OP_S_CBRANCH_VCCZ:
        take = !WAVE_VCC(w);
        break;
    case OP_S_CBRANCH_VCCNZ:
        take = WAVE_VCC(w) != 0;
        break;
    case OP_S_CBRANCH_EXECZ:
        take = !WAVE_EXEC(w);
        break;
    case OP_S_CBRANCH_EXECNZ:
        take = WAVE_EXEC(w) != 0;
        break;
    }
    w->pc = take ? target : next;
}
