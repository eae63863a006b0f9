/* SPDX-License-Identifier: Apache-2.0
 * Software hazards of gfx803: pairs of instructions that the hardware does not keep apart, so that code must put wait
 * states (other instructions, s_nop) between them.  Compilers do; hand-written code may not, and then runs here, where
 * everything is interlocked, but not on hardware.  Responsible for: the rules, on what one wavefront executes.  Not
 * responsible for: what an instruction computes, telling the user (golden_hazard.c).
 * Source of rules and wait states: docs/reference/isa.md, "Hazards".
 */
#ifndef GANTRY_HAZARD_H
#define GANTRY_HAZARD_H
#include <stdint.h>

#include "isa/gcn3.h"

enum hazard {
    HAZARD_NONE,
    HAZARD_VMEM_SGPR,   /* VALU writes an SGPR, vector memory reads it: 5 */
    HAZARD_DIV_FMAS,    /* VALU writes VCC, v_div_fmas: 4 */
    HAZARD_LANE_SELECT, /* VALU writes an SGPR, v_readlane or v_writelane selects by it: 4 */
    HAZARD_DPP_VGPR,    /* VGPR is written, DPP reads it: 2 */
    HAZARD_DPP_EXEC,    /* VALU writes EXEC, DPP: 5 */
    HAZARD_SETREG,      /* s_setreg, then s_getreg or s_setreg of the same register: 2 */
    HAZARD_STORE_DATA,  /* store of more than 64 bits, VALU overwrites its data: 1 */
    HAZARD_SENDMSG_M0,  /* SALU writes M0, s_sendmsg: 1 */
    HAZARD_RFE,         /* s_setreg of TRAPSTS, s_rfe: 1 */
    HAZARD_COUNT
};

/* What a rule says, with its wait states. */
struct hazard_rule {
    const char *text;
    unsigned states;
};
extern const struct hazard_rule hazard_rules[HAZARD_COUNT];

/* One wavefront's recent past: wait states at which registers were last written.  All zero at its start. */
struct hazard_wave {
    uint32_t now;                                      /* wait states so far */
    uint32_t sgpr[128], exec, m0, setreg[64], trapsts; /* 0: never; VALU writes of SGPRs (VCC 106, 107) and of EXEC */
    uint32_t vgpr[256], stored[256];
};

/* The instruction that the wavefront executes next.  Returns the first rule that it breaks; *states: wait states that
 * lay between.  Takes note of what it writes. */
enum hazard hazard_step(struct hazard_wave *h, const struct gcn3_inst *i, unsigned *states);
#endif
