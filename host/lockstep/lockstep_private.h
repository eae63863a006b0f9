/* SPDX-License-Identifier: Apache-2.0
 * Inside of lock step: queues of instructions (lockstep.c), what is observed (lockstep_observe.c), comparison
 * (lockstep_check.c, lockstep_compare.c), memory (lockstep_mem.c), coverage (lockstep_coverage.c).
 */
#ifndef LOCKSTEP_PRIVATE_H
#define LOCKSTEP_PRIVATE_H
#include "golden/outside.h"
#include "isa/disasm.h"
#include "isa/gcn3.h"
#include "lockstep/lockstep.h"
#include "vm/pmem.h"

#define LS_SIMDS 4
#define LS_WAVES 64   /* {simd[1:0], slot[3:0]} */
#define LS_SETTLE 48  /* cycles after which all observations of an instruction have come */
#define LS_SGPRS 1024 /* of a SIMD */
#define LS_LDS_BYTES 65536
#define LS_TURNS 256     /* lists of LDS instructions that wait */
#define LS_HISTORY 65536 /* words of the shadow of memory */
#define LS_SETS 65536    /* of remembered words, by address */
#define LS_WAYS 4        /* words of a set, newest first */
#define LS_VALUES 8      /* values of a word */
#define LS_FLIGHT 4096   /* cycles in which a store of the L2 has reached memory (link.store: 1,000 at most) */
#define LS_PAST 131072   /* words replaced lately, as requests left and as they took effect, in order */
#define LS_TLB 4096
#define LS_DECODED 4096     /* decoded instructions, by their bits */
#define LS_ENTRIES 8        /* a ring's first size: few enough that those of all wavefronts stay in the host's caches */
#define LS_STORE_BYTES 2048 /* a power of two, at least twice 64 * 16 */
#define LS_NOWHERE UINT64_MAX
#define LS_WHOLE 4u /* all words of an element */

/* Register writes of the RTL: lanes of a VGPR, each at most once, or up to 16 scalar registers. */
struct ls_write {
    struct ls_write *link;
    bool vector, scc_valid, scc;
    unsigned row; /* physical VGPR, or operand code */
    unsigned count;
    uint64_t lanes;
    uint32_t data[64];
};

struct ls_request {
    struct ls_request *link;
    struct msg_mem_req req; /* its address that of the page (ls_page) */
    bool own;               /* to memory of the GPU */
    bool ordered;           /* took effect in an L2 slice of the same GPU */
    uint64_t taken;         /* matched with lanes: bytes of its line, of a request of one word all */
    uint64_t old[8];        /* ordered atomics: old value, or those of a line in their places */
};

/* Lanes of a FLAT instruction, or of a buffer instruction with the lds bit, that the RTL let access the LDS in one
 * turn. */
struct ls_part {
    struct ls_part *link;
    uint64_t turn, lanes;
    unsigned word; /* LS_WHOLE, or the only word of their elements that it covers */
};

/* An LDS instruction, or a part of a vector memory one, with its operands, waiting for its turn; result rows as the RTL
 * left them. */
struct ls_lds {
    struct ls_lds *link;
    uint64_t turn, pc, raw;
    bool skip; /* of a killed wavefront */
    unsigned wave, word;
    uint64_t lanes;        /* not 0: a part of a vector memory instruction */
    struct gcn3_inst inst; /* registers renumbered into row[] */
    struct gcn3_wave state;
    uint32_t row[16][64]; /* 0 address, 1-4 data0, 5-8 data1, 9-12 destination before */
    uint32_t rtl[4][64];
};

struct ls_entry {
    uint64_t pc, inst, issued, done_at;
    uint8_t tag;
    uint8_t unit, vdst, vdst_w;  /* of the decoded instruction */
    bool done, lds_ordered, lds; /* lds: between memory and the LDS */
    uint64_t lds_turn;
    struct ls_write *writes, *last_write;
    struct ls_write *rows; /* dwords by lane between memory and the LDS */
    struct ls_request *requests;
    struct ls_part *parts; /* by turn */
};

static inline bool ls_is_vmem(const struct ls_entry *e)
{
    return e->unit == UNIT_FLAT || e->unit == UNIT_MUBUF;
}

/* Its end is reported. */
static inline bool ls_needs_done(const struct ls_entry *e)
{
    return e->unit == UNIT_VALU || e->unit == UNIT_LDS || ls_is_vmem(e) || e->unit == UNIT_SMEM;
}

struct ls_wave {
    bool active, faulted, ending; /* faulted: the RTL told so */
    uint64_t fault_pc;
    bool dead;             /* all before the instruction that faults is compared */
    struct msg_cu_evt end; /* ending: its CU_EVT_WAVE_DONE, observations of that cycle may still come */
    uint64_t end_cycle;
    struct gcn3_wave state;
    uint32_t scalar[128]; /* as gcn3_scalar_image, by what the RTL wrote */
    unsigned simd, vgpr_base, sgpr_base;
    struct ls_entry *queue; /* ring */
    size_t room, head, count;
    uint64_t observed, compared;
    struct ls_cu *cu;
};

struct ls_cu {
    struct lockstep *ls;
    unsigned gpu, index;
    struct ls_wave wave[LS_WAVES];
    uint32_t vgpr[LS_SIMDS][260][64];
    uint32_t sgpr[LS_SIMDS][LS_SGPRS];
    uint8_t lds[LS_LDS_BYTES + 16];
    uint64_t tba[16], tma[16];            /* by VMID */
    uint64_t lds_seen, lds_next;          /* turns given to, taken by LDS instructions */
    struct ls_lds *lds_waiting[LS_TURNS]; /* by turn */
    unsigned endings;                     /* wavefronts that are ending */
};

struct ls_word {
    uint64_t address; /* physical, of 4 bytes, plus 1 */
    uint64_t cycle;   /* of the last store or atomic on it */
    unsigned next;
    uint32_t value[LS_VALUES];
};

/* What a word held when a store or atomic on it left a CU. */
struct ls_past {
    uint64_t address, cycle;
    uint32_t value;
};

/* Value of a word after the last store or atomic in the order of the L2. */
struct ls_shadow {
    uint64_t address;      /* plus 1 */
    uint32_t value, known; /* known: mask of bits */
};

struct ls_decoded {
    uint64_t bits;
    bool valid;
    struct gcn3_inst inst;
};

struct ls_page {
    uint64_t va; /* page address plus 1 */
    uint64_t entry;
    uint16_t space; /* gpu << 8 | vmid */
};

/* Lines of which the L2 of their GPU holds bytes that DRAM has not got. */
struct ls_dirty_line;
struct ls_dirty {
    struct ls_dirty_line *lines; /* hashed by address */
    size_t room, used;
    struct {
        uint64_t cycle, address, mask, bytes[8];
    } ahead; /* bytes of the last write to DRAM of which nobody had told: a store that goes through leaves in the cycle
                of its order */
};

struct lockstep {
    struct pmem *memory;
    struct ls_dirty dirty;
    uint64_t blind, flushed; /* a bit a GPU: its L2 may hold what was stored before lock step began; is writing back */
    unsigned gpus, cus;
    lockstep_fail_fn fail;
    void *ctx;
    bool failed;
    struct disasm *disasm;
    struct ls_coverage *coverage; /* NULL: not asked for */
    uint64_t observed, compared;
    uint64_t latest;        /* cycle of a message of a CU or a dispatcher */
    uint64_t *roots;        /* [gpu][256] */
    struct ls_start *start; /* [gpu] */
    unsigned simds;         /* of a CU */
    struct ls_cu **cu;      /* [gpu * cus + cu], made when first used */
    struct ls_write *spare; /* records for reuse */
    struct ls_lds *spare_lds;
    struct outside outside; /* check.lds */
    struct ls_page tlb[LS_TLB];
    uint64_t moves; /* pmem_moves up to which it is right */
    struct ls_decoded decoded[LS_DECODED];
    struct ls_word history[LS_SETS][LS_WAYS];
    struct ls_past past[LS_PAST]; /* ring */
    uint64_t past_count;
    struct ls_shadow shadow[LS_HISTORY];
};

/* Bytes that an instruction writes, by physical address. */
struct ls_bytes {
    uint64_t address[LS_STORE_BYTES]; /* plus 1 */
    uint8_t value[LS_STORE_BYTES];
    unsigned count;
};

/* The instruction being compared, context of the callbacks of struct gcn3_env. */
struct ls_check {
    struct ls_cu *cu;
    struct ls_wave *wave;
    struct ls_entry *entry;
    uint64_t now;
    const uint32_t *row; /* by lane, what the RTL moved between memory and the LDS */
    bool unmapped;       /* an access has no translation */
    char text[512];      /* first difference that a callback found */
    struct ls_bytes golden;
};

/* lockstep.c.  The entries of a wavefront stand in a ring, the oldest first; a new one is all 0. */
static inline struct ls_entry *ls_entry_at(const struct ls_wave *w, size_t n)
{
    return &w->queue[(w->head + n) & (w->room - 1)];
}
struct ls_entry *ls_entry_add(struct ls_wave *w);
/* Whether all observations of an instruction have come; all: those that have not will not. */
static inline bool ls_entry_ready(const struct ls_entry *e, uint64_t now, bool all)
{
    const bool needs_done = ls_needs_done(e);
    if (needs_done && !e->done)
        return false;
    return all || now >= (needs_done ? e->done_at : e->issued) + LS_SETTLE;
}
/* Compare what is complete. */
void ls_drain(struct ls_wave *w, uint64_t now, bool all);
/* Finish the wavefronts whose end lies before this cycle. */
void ls_end_waves(struct ls_cu *cu, uint64_t cycle);
struct ls_cu *ls_new_cu(struct lockstep *ls, unsigned gpu, unsigned cu);
static inline struct ls_cu *ls_find_cu(struct lockstep *ls, unsigned gpu, unsigned cu)
{
    struct ls_cu *c = ls->cu[gpu * ls->cus + cu];
    return c ? c : ls_new_cu(ls, gpu, cu);
}
/* The instruction with these bits, until the next call. */
const struct gcn3_inst *ls_decode(struct lockstep *ls, uint64_t bits);

/* lockstep_start.c: launches and the wavefronts that they start. */
struct ls_start *ls_start_new(unsigned gpus);
void ls_start_free(struct ls_start *start);
void ls_start_cmd(struct lockstep *ls, unsigned gpu, const struct msg_cp_cmd *cmd);

/* lockstep_check.c: the first difference, in words; nothing is compared any more. */
void ls_fail(struct lockstep *ls, unsigned gpu, unsigned cu, const char *text);
/* Execute and compare the oldest instruction. */
void ls_check_entry(struct ls_wave *w, struct ls_entry *e, uint64_t now);
void ls_report(struct ls_wave *w, const struct ls_entry *e, uint64_t now, const char *what);

/* What the RTL leaves in the destination rows: rows that it wrote whole as they are, others laid over what they held.
 */
struct ls_rows {
    const uint32_t *rtl[4];
    uint32_t own[4][64];
};

/* lockstep_compare.c.  Register `phys` of the SIMD with the RTL's writes of an instruction on top of what is in `row`.
 */
void ls_overlay(const struct ls_entry *e, unsigned phys, uint32_t row[64]);
/* Before the instruction is executed; it must not change while `r` is in use.  Afterwards: false with a report. */
void ls_rows_take(struct ls_rows *r, const struct ls_wave *w, const struct ls_entry *e, const struct gcn3_inst *inst);
bool ls_rows_agree(const struct ls_rows *r, struct ls_check *c, const struct gcn3_inst *inst);
/* Rows that the RTL wrote beside the destination (v_movreld, or by mistake) must hold the golden values too. */
void ls_compare_stray(struct ls_check *c, const struct gcn3_inst *inst);
/* Scalar state: what the RTL wrote over the old values is what the golden model has now.  A result for a register that
 * the wavefront may not write is seen and has no effect: what the trap handler reads tells whether that is so. */
void ls_compare_scalars(struct ls_check *c, bool old_scc, bool old_priv);

/* lockstep_lds.c: LDS contents, changed in the order of the RTL. */
void ls_lds_check(struct ls_check *c, const struct gcn3_inst *inst, uint32_t rtl[4][64]);
/* Lanes of a FLAT instruction that are in the LDS aperture.  Those inside the allocation are taken from the RTL now and
 * compared at the turns of the parts, the others give 0; a difference between lanes and parts is noted in c->text. */
void ls_flat_check(struct ls_check *c, const struct gcn3_inst *inst, uint64_t lanes, uint32_t rtl[4][64]);
/* Lanes that a buffer instruction has moved between memory and the LDS: these dwords are compared at the turns of its
 * parts. */
void ls_buffer_check(struct ls_check *c, const struct gcn3_inst *inst, uint64_t lanes, const uint32_t data[64]);
void ls_lds_skip(struct ls_cu *cu, uint64_t turn);
void ls_lds_kill(struct ls_cu *cu, unsigned vmid); /* what waits for its turn, of an address space, is not compared */
void ls_lds_clear(struct ls_cu *cu);
void ls_lds_free(struct lockstep *ls); /* records for reuse */

/* lockstep_coverage.c: NULL without GANTRY_COVERAGE=FOLDER; free writes the counts to FOLDER/<process>.tsv (appended).
 */
struct ls_coverage *ls_coverage_new(void);
void ls_coverage_free(struct ls_coverage *coverage);
/* An instruction that agreed: EXEC was not 0 (active), a register that it writes has another value than before
 * (changed). */
void ls_coverage_take(struct ls_coverage *coverage, const struct gcn3_inst *inst, bool active, bool changed);

/* lockstep_dirty.c.  Bytes of a line (physical address) that a store or an atomic has left in the L2 in this cycle, but
 * for those that a write to DRAM of the same cycle took with it, of which is told first; those that have gone to DRAM,
 * which are returned; memory as a load of the GPU sees it: 0, or below 0 where there is none. */
void ls_dirty_put(struct ls_dirty *d, uint64_t cycle, uint64_t address, uint64_t mask, const void *bytes);
uint64_t ls_dirty_written(struct ls_dirty *d, uint64_t cycle, uint64_t address, uint64_t mask, const void *bytes);
int ls_read(const struct lockstep *ls, uint64_t address, void *to, unsigned bytes);
void ls_dirty_free(struct ls_dirty *d);

/* What lock step knows of memory it knows by pages' own addresses (vm/pmem.h), so that a page may move between a
 * request and its comparison: of an address that a GPU uses, when it uses it. */
static inline uint64_t ls_page(const struct lockstep *ls, uint64_t physical)
{
    return pmem_page_at(ls->memory, physical);
}

/* lockstep_mem.c */
extern const struct gcn3_env ls_env;
uint64_t ls_translate(struct lockstep *ls, unsigned gpu, unsigned vmid, uint64_t va);
void ls_flush(struct lockstep *ls);
/* Compare the bytes that the golden model wrote with the requests of the CU. */
void ls_compare_stores(struct ls_check *c);
/* Requests to this GPU's own memory must have taken effect before the instruction ended. */
void ls_compare_order(struct ls_check *c);
/* Remember what a store or atomic that leaves in this cycle replaces and leaves. */
void ls_remember(struct lockstep *ls, uint64_t cycle, const struct msg_mem_req *req);
/* A word in the L2 changes in this cycle: `old` was there until now. */
void ls_replaced(struct lockstep *ls, uint64_t cycle, uint64_t address, uint32_t old);
/* Bytes of a line that are on their way to DRAM. */
void ls_leaving(struct lockstep *ls, uint64_t cycle, uint64_t address, uint64_t mask, const uint64_t data[8]);
#endif
