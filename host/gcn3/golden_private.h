/* SPDX-License-Identifier: Apache-2.0
 * Inside of the golden GPU: state shared by golden.c (commands, launches), golden_group.c (work-groups, wavefronts)
 * and golden_mem.c (translation, access).
 */
#ifndef GOLDEN_PRIVATE_H
#define GOLDEN_PRIVATE_H
#include "gcn3/gcn3.h"
#include "gcn3/golden.h"
#include "gcn3/hazard.h"

#define GOLDEN_WAVES 16      /* of a work-group */
#define GOLDEN_TLB 4096      /* entries, direct mapped */
#define GOLDEN_CODE 8192     /* decoded instructions, direct mapped */
#define GOLDEN_IN_FLIGHT 16  /* work-groups of a launch at a time */
#define GOLDEN_PATIENCE 4000000 /* instructions after which the next work-group starts beside a spinning one */

struct golden_page {
    uint64_t va;    /* page address, bit 0 set when valid */
    uint64_t pa;
    uint8_t *bytes; /* NULL: only through pmem_read and pmem_write */
    uint8_t vmid;
    bool writable, readable, executable;
};

struct golden_code {
    uint64_t pc;
    uint32_t generation;
    uint8_t vmid;
    struct gcn3_inst inst;
};

struct golden_told {
    uint64_t pc;
    uint8_t vmid, rule;
};

struct golden_group {
    struct golden_launch *launch;
    struct gcn3_wave wave[GOLDEN_WAVES];
    bool halted[GOLDEN_WAVES];
    unsigned waves, live, waiting;
    uint64_t instructions;
    uint32_t (*vgprs)[64];
    uint8_t *lds;
    struct hazard_wave *hazards; /* by wavefront; NULL: not checked */
};

struct golden_launch {
    struct msg_cp_cmd cmd;
    uint64_t next, groups; /* work-groups started, of how many */
    unsigned limit;        /* work-groups that may be in flight */
    unsigned slot;         /* distinguishes launches under way for scratch */
    struct golden_group *group[GOLDEN_IN_FLIGHT];
    uint64_t start, waves, instructions;
    struct golden_launch *link;
};

struct golden {
    struct pmem *memory;
    unsigned gpu;
    golden_event_fn event;
    void *ctx;
    uint64_t roots[256];
    uint64_t tba[256], tma[256]; /* CP_TRAP */
    uint64_t time, instructions;
    struct msg_cp_cmd *queue;
    size_t queued, queue_room;
    struct golden_launch *launches;
    uint32_t slots; /* scratch slots of launches in use */
    bool yielded;
    uint32_t generation;
    struct gcn3_env env;
    bool check_hazards;
    struct golden_told *told; /* places of hazards that were reported */
    size_t told_count, told_room;
    struct golden_page tlb[GOLDEN_TLB];
    struct golden_code code[GOLDEN_CODE];
};

/* golden_mem.c */
void golden_mem_init(struct golden *g);
void golden_mem_flush(struct golden *g);
/* golden_hazard.c: the instruction that wavefront n is about to execute, when hazards are checked. */
void golden_hazard(struct golden *g, struct golden_group *group, unsigned n, const struct gcn3_inst *inst);
/* golden_group.c */
struct golden_group *golden_group_new(struct golden *g, struct golden_launch *l, uint64_t number);
void golden_group_free(struct golden_group *group);
/* Run every wavefront once for a slice; true while one of them can still run. */
bool golden_group_run(struct golden *g, struct golden_group *group);
#endif
