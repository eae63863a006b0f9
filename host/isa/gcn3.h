/* SPDX-License-Identifier: Apache-2.0
 * The golden model of one wavefront: decoded instructions, architectural state, one step.  Decides what every
 * implemented instruction of gfx803 computes; docs/reference/isa.md tells the choices.  Registers, LDS and memory
 * belong to the caller (golden.c, lockstep.c).  Not responsible for: time, launch, page tables.
 */
#ifndef GANTRY_GCN3_H
#define GANTRY_GCN3_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gcn3_ops.h"

/* Scratch memory is dealt to this many positions of each CU: max_slots_scratch_cu of the topology, ScratchPerCu of
 * rtl/dispatch/dispatch_walk.sv. */
#define GCN3_SCRATCH_PER_CU 32u

/* Operand codes of scalar registers beside s0..s101. */
enum gcn3_sreg {
    SREG_FLAT_SCRATCH = 102,
    SREG_XNACK = 104,
    SREG_VCC = 106,
    SREG_TBA = 108, /* from here to the last TTMP: privileged */
    SREG_TMA = 110,
    SREG_TTMP = 112,
    SREG_M0 = 124,
    SREG_EXEC = 126,
    SREG_LITERAL = 255,
    SREG_VGPR = 256,
};

/* Why an instruction is illegal, whatever the wavefront has. */
enum gcn3_why {
    WHY_NONE,
    WHY_OPCODE,
    WHY_GDS,     /* a DS instruction with the gds bit */
    WHY_TFE,     /* a vector memory instruction with the tfe bit */
    WHY_LDS,     /* lds bit of MUBUF */
    WHY_SDWA,    /* it has no such form */
    WHY_DPP,     /* the same */
    WHY_CONTROL, /* reserved values in the SDWA or DPP word */
    WHY_SCALARS, /* two different scalars in a vector ALU instruction */
    WHY_VDST,
    WHY_SDST,
    WHY_RESOURCE, /* of MUBUF */
    WHY_SOURCE,   /* source 0; + n: source n */
};

/* One decoded instruction; fields as dec_t of host/isa/gcn3_pkg.sv.in, which documents them. */
struct gcn3_inst {
    const struct gcn3_op *info;
    uint16_t op;
    uint16_t src[3];
    uint8_t srcw[3];
    uint8_t unit, fmt, len, nsrc;
    bool illegal, operands; /* operands: the opcode is a legal one, what its operands name is not */
    bool literal, sdwa, dpp, src2_mask;
    uint8_t why; /* enum gcn3_why */
    uint8_t vdst, vdst_w, sdst, sdst_w;
    bool reads_vdst, sdst_mask;
    bool reads_vcc, writes_vcc, reads_scc, writes_scc, reads_exec, writes_exec, reads_m0;
    uint16_t simm16, offset;
    uint8_t neg, abs, omod;
    bool clamp, returns, glc, slc, offen, idxen, lds, smem_imm;
    uint8_t srsrc;
    bool plain;      /* vector ALU on 32-bit rows as they stand: no SDWA, DPP, output modifier, wider operand */
    bool privileged; /* its scalar result may lie in TBA, TMA or TTMP */
    uint8_t sgprs;   /* registers that its operands name: the wavefront must have as many, else it is illegal */
    uint16_t vgprs;
    uint32_t ext;
};

/* inst: the dword at PC in the low half, the following one in the high half. */
void gcn3_decode(uint64_t inst, struct gcn3_inst *out);

/* In words why an instruction is illegal for a wavefront with so many registers; "" when it is not. */
void gcn3_why_text(uint64_t inst, unsigned vgprs, unsigned sgprs, char *text, size_t room);

struct gcn3_wave {
    uint64_t pc;
    union {
        uint32_t s[128]; /* by operand code: s0.., FLAT_SCRATCH, VCC, TTMP, M0, EXEC */
        uint64_t s64[64];
    };
    bool scc;
    uint8_t mode; /* MODE[7:0]: round 3:0, denormals 7:4 */
    bool ieee, dx10_clamp;
    bool ended, at_barrier;
    bool trap_en;  /* a trap handler is installed: tba, tma */
    bool priv;     /* in the trap handler: s[108..123] are TBA, TMA, TTMP; else 0, and TTMP wait in ttmp[] */
    bool halt;     /* s_sethalt; has no effect in the trap handler */
    bool in_group; /* STATUS.IN_TG: the work-group has other wavefronts */
    uint8_t prio;  /* s_setprio */
    uint64_t tba, tma;
    uint32_t ttmp[12];
    uint32_t hw_mode_hi; /* other bits of MODE, kept for s_getreg only */
    uint32_t (*v)[64];   /* VGPRs of this wavefront, v[register][lane] */
    unsigned vgprs, sgprs;
    uint8_t *lds; /* of the work-group */
    uint32_t lds_bytes;
    bool lds_missed; /* an access lay outside; who asks clears it.  The first: its byte, and how many it could reach */
    uint32_t lds_missed_at, lds_missed_of;
    uint32_t shared_hi, private_hi; /* flat apertures, high address words */
    uint64_t scratch_base;          /* GPU virtual address of the scratch window (SH_HIDDEN_PRIVATE_BASE) */
    uint8_t vmid;
    uint32_t hw_id;
    uint32_t gpr_alloc, lds_alloc; /* hardware registers of these names */
    uint64_t instructions;
    uint64_t fault_va;
    void *owner;
};

#define WAVE_EXEC(w) ((w)->s64[SREG_EXEC / 2])
#define WAVE_VCC(w) ((w)->s64[SREG_VCC / 2])
#define WAVE_M0(w) ((w)->s[SREG_M0])

/* A vector memory access of a whole wavefront, after address calculation.  LDS and scratch apertures are already
 * resolved: every address here is a global virtual address. */
struct gcn3_access {
    const struct gcn3_inst *inst;
    uint64_t mask; /* lanes that take part */
    uint64_t va[64];
    uint8_t bytes;        /* of a lane: 1, 2, 4, 8, 12, 16 */
    uint8_t first;        /* register that data[0] stands for, from the first one on: not 0 where words go one by one */
    uint8_t atomic_op;    /* enum atomic_op */
    bool scratch;         /* private memory: by the flat aperture, or by a swizzled resource that adds the lane */
    uint32_t data[4][64]; /* loads and atomics: old values out; stores: in; atomics: operand, then compare */
    uint64_t fault_va;
};

/* How a wavefront reaches memory.  Callbacks return 0 or an enum fault_kind; then the instruction has no effect on
 * registers and gcn3_step returns the value. */
struct gcn3_env {
    void *ctx;
    int (*fetch)(void *ctx, struct gcn3_wave *w, uint64_t pc, uint64_t *inst);
    int (*load)(void *ctx, struct gcn3_wave *w, struct gcn3_access *a);
    int (*store)(void *ctx, struct gcn3_wave *w, struct gcn3_access *a);
    int (*atomic)(void *ctx, struct gcn3_wave *w, struct gcn3_access *a);
    int (*scalar_load)(void *ctx, struct gcn3_wave *w, uint64_t va, uint32_t *to, unsigned dwords);
    uint64_t (*time)(void *ctx, struct gcn3_wave *w);
    void (*interrupt)(void *ctx, struct gcn3_wave *w); /* s_sendmsg MSG_INTERRUPT */
    void (*yield)(void *ctx, struct gcn3_wave *w);     /* s_sleep: let others run; may be NULL */
    int (*scalar_store)(void *ctx, struct gcn3_wave *w, uint64_t va, const uint32_t *from, unsigned dwords);
};

/* Execute one instruction.  0, or an enum fault_kind with w->pc at the instruction. */
int gcn3_step(struct gcn3_wave *w, const struct gcn3_env *env);
/* The same for an instruction that is already fetched and decoded. */
int gcn3_execute(struct gcn3_wave *w, const struct gcn3_env *env, const struct gcn3_inst *inst);

/* It issues nothing until it is killed. */
static inline bool gcn3_halted(const struct gcn3_wave *w)
{
    return w->halt && !w->priv;
}

/* Scalar registers by operand code as they are stored, whether the wavefront may see them or not. */
void gcn3_scalar_image(const struct gcn3_wave *w, uint32_t image[128]);

/* Hardware registers from where a wavefront was placed; first registers and LDS in bytes as in struct msg_cu_cmd. */
void gcn3_place(struct gcn3_wave *w, unsigned cu, unsigned wave, unsigned group, unsigned vgpr_base, unsigned sgpr_base,
                uint32_t lds_base);

/* One atomic operation on a value of `bytes` 4 or 8 (enum gcn3_memop): the new value. */
uint64_t gcn3_atomic(unsigned op, unsigned bytes, uint64_t old, uint64_t operand, uint64_t compare);
#endif
