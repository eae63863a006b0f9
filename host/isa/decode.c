/* SPDX-License-Identifier: Apache-2.0
 * Decoder of gfx803 instructions in C: the twin of decode() in host/isa/gcn3_pkg.sv.in over the same table.
 * Not responsible for semantics.
 */
#include <string.h>

#define GCN3_OPS_TABLE
#include "isa/gcn3.h"

static unsigned bits(uint64_t inst, unsigned high, unsigned low)
{
    return inst >> low & ((UINT64_C(1) << (high - low + 1)) - 1);
}

/* Illegal when `when`; the first reason is told. */
static void deny(struct gcn3_inst *d, enum gcn3_why why, bool when)
{
    if (when && !d->illegal) {
        d->illegal = true;
        d->why = why;
    }
}

static void take_info(struct gcn3_inst *d, const struct gcn3_op *info, unsigned fmt, unsigned op)
{
    d->info = info;
    deny(d, WHY_OPCODE, !info->implemented);
    d->unit = info->unit;
    d->fmt = fmt;
    d->op = op;
    d->len = 1;
    d->srcw[0] = info->sw0;
    d->srcw[1] = info->sw1;
    d->srcw[2] = info->sw2;
    d->reads_scc = info->flags & FLAG_SCC_R;
    d->writes_scc = info->flags & FLAG_SCC_W;
    d->reads_vcc = info->flags & FLAG_VCC_R;
    d->reads_exec = info->flags & FLAG_EXEC_R;
    d->reads_m0 = info->flags & FLAG_M0_R;
}

static const struct gcn3_op *find_op(const uint16_t *index, unsigned op)
{
    const struct gcn3_op *info = &gcn3_op_table[index[op]];
    return info->implemented ? info : &gcn3_op_table[0];
}

static void count_sources(struct gcn3_inst *d)
{
    d->nsrc = (d->srcw[0] != 0) + (d->srcw[1] != 0) + (d->srcw[2] != 0);
    d->writes_vcc = d->sdst_w && (d->sdst & ~1) == SREG_VCC;
    d->writes_exec = (d->info->flags & FLAG_EXEC_W) || (d->sdst_w && (d->sdst & ~1) == SREG_EXEC);
}

static void decode_scalar(uint64_t inst, struct gcn3_inst *d)
{
    unsigned sdst = bits(inst, 22, 16), top = bits(inst, 31, 23);
    if (top == 0x17d) {
        take_info(d, find_op(gcn3_index_sop1, bits(inst, 15, 8)), FMT_SOP1, bits(inst, 15, 8));
        d->src[0] = bits(inst, 7, 0);
        d->src[1] = d->srcw[1] ? sdst : 0;
    } else if (top == 0x17e) {
        take_info(d, find_op(gcn3_index_sopc, sdst), FMT_SOPC, sdst);
        d->src[0] = bits(inst, 7, 0);
        d->src[1] = bits(inst, 15, 8);
    } else if (top == 0x17f) {
        take_info(d, find_op(gcn3_index_sopp, sdst), FMT_SOPP, sdst);
        d->simm16 = bits(inst, 15, 0);
    } else if (top >> 5 == 0xb) {
        unsigned op = bits(inst, 27, 23);
        take_info(d, find_op(gcn3_index_sopk, op), FMT_SOPK, op);
        d->simm16 = bits(inst, 15, 0);
        d->src[0] = d->info->flags & FLAG_LITERAL ? SREG_LITERAL : d->srcw[0] ? sdst : 0;
    } else {
        unsigned op = bits(inst, 29, 23);
        take_info(d, find_op(gcn3_index_sop2, op), FMT_SOP2, op);
        d->src[0] = bits(inst, 7, 0);
        d->src[1] = bits(inst, 15, 8);
    }
    d->literal =
        !d->illegal && ((d->srcw[0] && d->src[0] == SREG_LITERAL) || (d->srcw[1] && d->src[1] == SREG_LITERAL));
    d->len = d->literal ? 2 : 1;
    if (d->info->dkind == 2) {
        d->sdst = sdst;
        d->sdst_w = d->info->dw;
    }
}

static void decode_smem(uint64_t inst, struct gcn3_inst *d)
{
    unsigned op = bits(inst, 25, 18);
    take_info(d, find_op(gcn3_index_smem, op), FMT_SMEM, op);
    d->len = 2;
    d->smem_imm = bits(inst, 17, 17);
    d->glc = bits(inst, 16, 16);
    d->returns = d->info->dw != 0;
    if (d->srcw[0]) {
        d->src[0] = bits(inst, 5, 0) << 1;
        d->src[1] = d->smem_imm ? 0 : bits(inst, 38, 32);
        d->srcw[1] = !d->smem_imm;
    }
    d->src[2] = d->srcw[2] ? bits(inst, 12, 6) : 0; /* stores: data */
    d->sdst = d->info->dw ? bits(inst, 12, 6) : 0;
    d->sdst_w = d->info->dw;
}

static void vop_modifiers(uint64_t inst, struct gcn3_inst *d)
{
    if (d->sdwa) {
        d->neg = bits(inst, 52, 52) | bits(inst, 60, 60) << 1;
        d->abs = bits(inst, 53, 53) | bits(inst, 61, 61) << 1;
        d->clamp = bits(inst, 45, 45) && d->fmt != FMT_VOPC;
    } else if (d->dpp) {
        d->neg = bits(inst, 52, 52) | bits(inst, 54, 54) << 1;
        d->abs = bits(inst, 53, 53) | bits(inst, 55, 55) << 1;
    }
}

static void vop_destination(struct gcn3_inst *d, unsigned vdst, unsigned sdst, unsigned mask_dst)
{
    const struct gcn3_op *info = d->info;
    if (info->dkind == 1) {
        d->vdst = vdst;
        d->vdst_w = info->dw;
    }
    if (info->dkind == 2) {
        d->sdst = sdst;
        d->sdst_w = info->dw;
    } else if (info->flags & FLAG_VCC_W) {
        d->sdst = mask_dst;
        d->sdst_w = 2;
        d->sdst_mask = true;
    }
    d->returns = d->vdst_w != 0;
}

static void decode_vop(uint64_t inst, struct gcn3_inst *d)
{
    unsigned fmt = bits(inst, 31, 25) == 0x3f ? FMT_VOP1 : bits(inst, 31, 25) == 0x3e ? FMT_VOPC : FMT_VOP2;
    unsigned op = fmt == FMT_VOP1   ? 0x140 + bits(inst, 16, 9)
                  : fmt == FMT_VOPC ? bits(inst, 24, 17)
                                    : 0x100 + bits(inst, 30, 25);
    bool no_op = fmt == FMT_VOP1 && bits(inst, 16, 16);
    unsigned vsrc1 = 256 + bits(inst, 16, 9), vdst = bits(inst, 24, 17), src0 = bits(inst, 8, 0);
    take_info(d, no_op ? &gcn3_op_table[0] : find_op(gcn3_index_valu, op), fmt, op);
    const struct gcn3_op *info = d->info;
    bool madmk = op == OP_V_MADMK_F32 || op == OP_V_MADMK_F16;
    d->sdwa = info->sw0 && src0 == 249;
    d->dpp = info->sw0 && src0 == 250;
    bool keep = d->sdwa && bits(inst, 44, 43) == 2 && bits(inst, 42, 40) != 6 && info->dkind == 1;
    d->src[0] = d->sdwa || d->dpp ? 256 + bits(inst, 39, 32) : info->sw0 ? src0 : 0;
    d->src[1] = !info->sw1 ? 0 : madmk ? SREG_LITERAL : vsrc1;
    d->srcw[2] = info->sw2 ? info->sw2 : keep;
    d->src[2] = info->mask2                          ? SREG_VCC
                : (info->flags & FLAG_DST_R) || keep ? 256 + vdst
                : madmk                              ? vsrc1
                : info->flags & FLAG_LITERAL         ? SREG_LITERAL
                                                     : 0;
    d->src2_mask = info->mask2;
    d->reads_vdst = keep || (info->flags & FLAG_DST_R);
    d->literal = !d->illegal && ((info->flags & FLAG_LITERAL) || (info->sw0 && src0 == SREG_LITERAL));
    d->len = d->literal || (!d->illegal && (d->sdwa || d->dpp)) ? 2 : 1;
    deny(d, WHY_SDWA, d->sdwa && !(info->flags & FLAG_SDWA));
    deny(d, WHY_DPP, d->dpp && !(info->flags & FLAG_DPP));
    vop_destination(d, vdst, bits(inst, 23, 17), SREG_VCC);
    vop_modifiers(inst, d);
}

static bool special_source(unsigned code)
{
    return code == SREG_LITERAL || code == 249 || code == 250;
}

static void decode_vop3(uint64_t inst, struct gcn3_inst *d)
{
    unsigned op = bits(inst, 25, 16);
    const struct gcn3_op *info = find_op(gcn3_index_valu, op);
    if ((info->flags & FLAG_LITERAL) || op == OP_V_READFIRSTLANE_B32)
        info = &gcn3_op_table[0];
    take_info(d, info, FMT_VOP3, op);
    bool form_b = (info->flags & FLAG_VCC_W) && info->dkind == 1;
    d->len = 2;
    d->src[0] = info->sw0 ? bits(inst, 40, 32) : 0;
    d->src[1] = info->sw1 ? bits(inst, 49, 41) : 0;
    d->src[2] = !info->sw2 ? 0 : info->flags & FLAG_DST_R ? 256 + bits(inst, 7, 0) : bits(inst, 58, 50);
    d->src2_mask = info->mask2;
    d->reads_vdst = info->flags & FLAG_DST_R;
    d->reads_vcc = (info->flags & FLAG_VCC_R) && !info->mask2;
    for (unsigned n = 0; n < 3; n++)
        deny(d, WHY_SOURCE + n, special_source(d->src[n]));
    vop_destination(d, bits(inst, 7, 0), bits(inst, 6, 0), form_b ? bits(inst, 14, 8) : bits(inst, 6, 0));
    d->neg = bits(inst, 63, 61);
    d->abs = form_b ? 0 : bits(inst, 10, 8);
    d->clamp = bits(inst, 15, 15);
    d->omod = bits(inst, 60, 59);
}

static void decode_ds(uint64_t inst, struct gcn3_inst *d)
{
    unsigned op = bits(inst, 24, 17);
    take_info(d, find_op(gcn3_index_ds, op), FMT_DS, op);
    d->len = 2;
    deny(d, WHY_GDS, bits(inst, 16, 16));
    d->offset = bits(inst, 15, 0);
    d->src[0] = d->srcw[0] ? 256 + bits(inst, 39, 32) : 0;
    d->src[1] = d->srcw[1] ? 256 + bits(inst, 47, 40) : 0;
    d->src[2] = d->srcw[2] ? 256 + bits(inst, 55, 48) : 0;
    d->returns = d->info->dw != 0;
    d->vdst = d->returns ? bits(inst, 63, 56) : 0;
    d->vdst_w = d->info->dw;
}

static void decode_flat(uint64_t inst, struct gcn3_inst *d)
{
    unsigned op = bits(inst, 24, 18);
    take_info(d, find_op(gcn3_index_flat, op), FMT_FLAT, op);
    d->len = 2;
    deny(d, WHY_TFE, bits(inst, 55, 55));
    d->glc = bits(inst, 16, 16);
    d->slc = bits(inst, 17, 17);
    d->src[0] = 256 + bits(inst, 39, 32);
    d->src[1] = d->srcw[1] ? 256 + bits(inst, 47, 40) : 0;
    d->returns = d->info->dw && (!d->info->glc || d->glc);
    d->vdst = d->returns ? bits(inst, 63, 56) : 0;
    d->vdst_w = d->returns ? d->info->dw : 0;
}

static void decode_mubuf(uint64_t inst, struct gcn3_inst *d)
{
    unsigned op = bits(inst, 24, 18);
    take_info(d, find_op(gcn3_index_mubuf, op), FMT_MUBUF, op);
    d->len = 2;
    d->glc = bits(inst, 14, 14);
    d->slc = bits(inst, 17, 17);
    d->offen = bits(inst, 12, 12);
    d->idxen = bits(inst, 13, 13);
    d->lds = bits(inst, 16, 16);
    bool from_lds = op == OP_BUFFER_STORE_LDS_DWORD,
         to_lds = d->lds && d->info->kind == KIND_LOAD && d->info->bytes <= 4;
    deny(d, WHY_TFE, bits(inst, 55, 55));
    deny(d, WHY_LDS, d->lds != (from_lds || to_lds) || (from_lds && (d->offen || d->idxen)));
    d->reads_m0 = d->lds;
    d->offset = bits(inst, 11, 0);
    d->srsrc = bits(inst, 52, 48) << 2;
    d->srcw[0] = d->info->sw0 ? d->offen + d->idxen : 0;
    d->src[0] = d->srcw[0] ? 256 + bits(inst, 39, 32) : 0;
    d->src[1] = d->srcw[1] ? 256 + bits(inst, 47, 40) : 0;
    d->src[2] = d->srcw[2] ? bits(inst, 63, 56) : 0;
    d->returns = d->info->dw && (!d->info->glc || d->glc) && !d->lds;
    d->vdst = d->returns ? bits(inst, 47, 40) : 0;
    d->vdst_w = d->returns ? d->info->dw : 0;
}

/* `width` scalar registers from operand code `code` on: pairs even, more on a multiple of 4 and of one kind. */
static void check_scalar(struct gcn3_inst *d, enum gcn3_why why, unsigned code, unsigned width)
{
    if (!width)
        return;
    unsigned end = code + width;
    if (code < SREG_FLAT_SCRATCH) {
        deny(d, why, end > SREG_FLAT_SCRATCH);
        d->sgprs = end > d->sgprs ? end : d->sgprs;
    }
    if (width == 1)
        deny(d, why, code == SREG_M0 + 1);
    else if (width == 2)
        deny(d, why, code & 1 || code == SREG_M0);
    else
        deny(d, why, code & 3 || (code >= SREG_FLAT_SCRATCH && (code < SREG_TTMP || end > SREG_M0)));
}

static void check_vector(struct gcn3_inst *d, enum gcn3_why why, unsigned reg, unsigned width)
{
    if (width && reg + width > d->vgprs)
        d->vgprs = reg + width;
    deny(d, why, width && reg + width > 256);
}

static void check_source(struct gcn3_inst *d, unsigned n, bool mask)
{
    unsigned code = d->src[n], width = mask ? 2 : d->srcw[n];
    if (!d->srcw[n])
        return;
    if (mask)
        deny(d, WHY_SOURCE + n, code >= 128);
    if (code >= SREG_VGPR)
        check_vector(d, WHY_SOURCE + n, code - SREG_VGPR, width);
    else if (code < 128)
        check_scalar(d, WHY_SOURCE + n, code, width);
    else
        deny(d, WHY_SOURCE + n,
             (code > 208 && code < 240) || code == 249 || code == 250 || code == 254 ||
                 (code == SREG_LITERAL && !d->literal));
}

/* A vector ALU instruction reads at most one scalar: register, literal, or condition bit.  (The lane of v_writelane may
 * be in M0 beside it.) */
static bool one_scalar(const struct gcn3_inst *d)
{
    int seen = d->reads_vcc ? SREG_VCC : -1;
    for (unsigned n = 0; n < 3; n++) {
        int code = d->src[n];
        if (!d->srcw[n] || code >= SREG_VGPR || (code >= 128 && code < 251) ||
            (code == SREG_M0 && d->op == OP_V_WRITELANE_B32 && n == 1))
            continue;
        if (seen >= 0 && seen != code)
            return false;
        seen = code;
    }
    return true;
}

/* Fields of the SDWA or DPP word with reserved values. */
static bool reserved_control(const struct gcn3_inst *d)
{
    unsigned control = d->ext >> 8 & 0x1ff;
    if (d->sdwa)
        return (d->ext >> 16 & 7) == 7 || (d->srcw[1] && (d->ext >> 24 & 7) == 7) ||
               (d->vdst_w && ((d->ext >> 8 & 7) == 7 || (d->ext >> 11 & 3) == 3));
    if (!d->dpp || control < 0x100)
        return false;
    return control < 0x130 ? !(control & 15) : control < 0x140 ? (control & 3) != 0 : control > 0x143;
}

/* Operands that no program may name make an instruction illegal (docs/reference/isa.md, "Operands that are faults"). */
static void check_operands(struct gcn3_inst *d)
{
    for (unsigned n = 0; n < 3; n++)
        check_source(d, n, n == 2 && d->src2_mask);
    check_vector(d, WHY_VDST, d->vdst, d->vdst_w);
    check_scalar(d, WHY_SDST, d->sdst, d->sdst_w);
    if (d->unit == UNIT_MUBUF && d->info->kind != KIND_INV)
        check_scalar(d, WHY_RESOURCE, d->srsrc, 4);
    if (d->unit == UNIT_VALU) {
        deny(d, WHY_SCALARS, !one_scalar(d));
        deny(d, WHY_CONTROL, reserved_control(d));
    }
    if (d->fmt == FMT_SOP1 && (d->op == OP_S_MOVRELS_B32 || d->op == OP_S_MOVRELS_B64))
        deny(d, WHY_SOURCE, d->src[0] >= 128);
    if (d->unit != UNIT_VALU)
        return;
    if (d->op == OP_V_MOVRELS_B32 || d->op == OP_V_MOVRELSD_B32)
        deny(d, WHY_SOURCE, d->src[0] < SREG_VGPR);
    if (d->op == OP_V_READLANE_B32 || d->op == OP_V_WRITELANE_B32) { /* one lane's value, a lane that is not a vector */
        deny(d, WHY_SOURCE + 1, d->src[1] >= SREG_VGPR);
        deny(d, WHY_SOURCE, (d->op == OP_V_WRITELANE_B32) == (d->src[0] >= SREG_VGPR));
    }
    deny(d, WHY_SOURCE + 2, d->srcw[2] > 2 && d->src[2] < SREG_VGPR);
}

void gcn3_decode(uint64_t inst, struct gcn3_inst *d)
{
    memset(d, 0, sizeof *d);
    d->ext = inst >> 32;
    unsigned top = bits(inst, 31, 26);
    if (top < 0x20)
        decode_vop(inst, d);
    else if (top < 0x30)
        decode_scalar(inst, d);
    else if (top == 0x30)
        decode_smem(inst, d);
    else if (top == 0x34)
        decode_vop3(inst, d);
    else if (top == 0x36)
        decode_ds(inst, d);
    else if (top == 0x37)
        decode_flat(inst, d);
    else if (top == 0x38)
        decode_mubuf(inst, d);
    else {
        take_info(d, &gcn3_op_table[0], FMT_VOP3, 0);
        d->len = 2;
    }
    count_sources(d);
    d->plain = d->unit == UNIT_VALU && !d->sdwa && !d->dpp && !d->omod && !d->clamp && !d->src2_mask &&
               d->vdst_w <= 1 && d->srcw[0] <= 1 && d->srcw[1] <= 1 && d->srcw[2] <= 1;
    d->privileged = d->sdst_w && d->sdst < SREG_M0 && d->sdst + d->sdst_w > SREG_TBA;
    if (!d->illegal) {
        check_operands(d);
        d->operands = d->illegal;
    }
    if (d->illegal)
        d->unit = UNIT_ILLEGAL;
}
