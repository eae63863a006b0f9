/* SPDX-License-Identifier: Apache-2.0
 * Software hazards; contract in hazard.h.  `now` starts at 0 and is one more after every instruction, n + 1 more after
 * s_nop n; a note made by an instruction is `now` after it: never 0, and the difference is the wait states between.
 */
#include "golden/hazard.h"

#include <stdbool.h>

#define HWREG_TRAPSTS 3

const struct hazard_rule hazard_rules[HAZARD_COUNT] = {
    [HAZARD_VMEM_SGPR] = {"vector memory reads an SGPR that the vector ALU wrote", 5},
    [HAZARD_DIV_FMAS] = {"v_div_fmas reads the VCC that the vector ALU wrote", 4},
    [HAZARD_LANE_SELECT] = {"the lane is selected by an SGPR that the vector ALU wrote", 4},
    [HAZARD_DPP_VGPR] = {"DPP reads a VGPR that was written", 2},
    [HAZARD_DPP_EXEC] = {"DPP after the vector ALU wrote EXEC", 5},
    [HAZARD_SETREG] = {"s_getreg or s_setreg of a hardware register that s_setreg wrote", 2},
    [HAZARD_STORE_DATA] = {"the vector ALU overwrites data of a store of more than 64 bits", 1},
    [HAZARD_SENDMSG_M0] = {"s_sendmsg reads the M0 that the scalar ALU wrote", 1},
    [HAZARD_RFE] = {"s_rfe after s_setreg of TRAPSTS", 1},
};

struct finding {
    const struct hazard_wave *wave;
    enum hazard rule;
    unsigned states;
};

/* A note of `count` registers that rule looks at; the first finding of an instruction stays. */
static void look(struct finding *f, enum hazard rule, const uint32_t *noted, unsigned count)
{
    for (unsigned k = 0; k < count && f->rule == HAZARD_NONE; k++) {
        if (noted[k] && f->wave->now - noted[k] < hazard_rules[rule].states) {
            f->rule = rule;
            f->states = f->wave->now - noted[k];
        }
    }
}

static void look_sgpr(struct finding *f, enum hazard rule, unsigned code, unsigned count)
{
    if (code < SREG_M0 && code + count <= 128)
        look(f, rule, &f->wave->sgpr[code], count);
}

static void note(uint32_t *noted, unsigned first, unsigned count, unsigned limit, uint32_t now)
{
    for (unsigned k = first; k < first + count && k < limit; k++)
        noted[k] = now;
}

static bool lane_access(const struct gcn3_inst *i)
{
    return i->op == OP_V_READLANE_B32 || i->op == OP_V_WRITELANE_B32;
}
static bool vector_memory(const struct gcn3_inst *i)
{
    return i->unit == UNIT_FLAT || i->unit == UNIT_MUBUF;
}
static bool setreg(const struct gcn3_inst *i)
{
    return i->fmt == FMT_SOPK && (i->op == OP_S_SETREG_B32 || i->op == OP_S_SETREG_IMM32_B32);
}

/* A DPP instruction that may leave lanes of its destination as they are. */
static bool keeps_old(const struct gcn3_inst *i)
{
    const unsigned bound_ctrl = i->ext >> 19 & 1, masks = i->ext >> 24;
    return i->vdst_w && (!bound_ctrl || masks != 0xff);
}

static void look_valu(struct finding *f, const struct gcn3_inst *i)
{
    const struct hazard_wave *h = f->wave;
    if (i->op == OP_V_DIV_FMAS_F32 || i->op == OP_V_DIV_FMAS_F64)
        look(f, HAZARD_DIV_FMAS, &h->sgpr[SREG_VCC], 2);
    if (lane_access(i))
        look_sgpr(f, HAZARD_LANE_SELECT, i->src[1], 1);
    if (i->dpp) { /* any VGPR that it reads, as LLVM has it: also the other source, and the old destination */
        for (unsigned n = 0; n < 3; n++)
            if (i->srcw[n] && i->src[n] >= SREG_VGPR)
                look(f, HAZARD_DPP_VGPR, &h->vgpr[i->src[n] - SREG_VGPR], 1);
        if (keeps_old(i))
            look(f, HAZARD_DPP_VGPR, &h->vgpr[i->vdst], 1);
        look(f, HAZARD_DPP_EXEC, &h->exec, 1);
    }
    if (i->vdst + i->vdst_w <= 256)
        look(f, HAZARD_STORE_DATA, &h->stored[i->vdst], i->vdst_w);
}

static void look_scalar(struct finding *f, const struct gcn3_inst *i)
{
    const struct hazard_wave *h = f->wave;
    if (setreg(i) || (i->fmt == FMT_SOPK && i->op == OP_S_GETREG_B32))
        look(f, HAZARD_SETREG, &h->setreg[i->simm16 & 63], 1);
    if (i->fmt == FMT_SOPP && i->op == OP_S_SENDMSG)
        look(f, HAZARD_SENDMSG_M0, &h->m0, 1);
    if (i->fmt == FMT_SOP1 && i->op == OP_S_RFE_B64)
        look(f, HAZARD_RFE, &h->trapsts, 1);
}

/* Hardware holds stores back in their unit: a buffer store with an SGPR offset has read its data in time. */
static bool keeps_data(const struct gcn3_inst *i)
{
    return vector_memory(i) && (i->info->kind == KIND_STORE || i->info->kind == KIND_ATOMIC) && i->srcw[1] > 2 &&
           !(i->unit == UNIT_MUBUF && i->src[2] < 128);
}

static void take_notes(struct hazard_wave *h, const struct gcn3_inst *i)
{
    bool nop = i->fmt == FMT_SOPP && i->op == OP_S_NOP;
    h->now += nop ? (i->simm16 & 15) + 1u : 1;
    if (i->vdst_w)
        note(h->vgpr, i->vdst, i->vdst_w, 256, h->now);
    if (keeps_data(i))
        note(h->stored, i->src[1] - SREG_VGPR, i->srcw[1], 256, h->now);
    if (i->unit == UNIT_VALU) {
        note(h->sgpr, i->sdst, i->sdst_w, 128, h->now);
        if (i->writes_vcc)
            note(h->sgpr, SREG_VCC, 2, 128, h->now);
        if (i->writes_exec)
            h->exec = h->now;
    } else if (i->sdst_w) {
        note(h->sgpr, i->sdst, i->sdst_w, 128, 0); /* by another unit: interlocked */
        if (i->unit == UNIT_SALU && i->sdst <= SREG_M0 && i->sdst + i->sdst_w > SREG_M0)
            h->m0 = h->now;
    }
    if (setreg(i)) {
        h->setreg[i->simm16 & 63] = h->now;
        if ((i->simm16 & 63) == HWREG_TRAPSTS)
            h->trapsts = h->now;
    }
}

enum hazard hazard_step(struct hazard_wave *h, const struct gcn3_inst *i, unsigned *states)
{
    struct finding f = {h, HAZARD_NONE, 0};
    if (i->unit == UNIT_VALU)
        look_valu(&f, i);
    else if (i->unit == UNIT_MUBUF) {
        look_sgpr(&f, HAZARD_VMEM_SGPR, i->srsrc, 4);
        look_sgpr(&f, HAZARD_VMEM_SGPR, i->src[2], 1);
    } else {
        look_scalar(&f, i);
    }
    take_notes(h, i);
    *states = f.states;
    return f.rule;
}
