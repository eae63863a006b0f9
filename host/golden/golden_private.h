/* SPDX-License-Identifier: Apache-2.0
 * Inside of the golden GPU: state shared by golden.c (commands, launches), golden_group.c (work-groups, wavefronts),
 * golden_ahead.c (rounds of work-groups, before their turn on several threads), golden_clock.c (what s_memtime tells),
 * golden_scratch.c (places in scratch
 * memory), golden_mem.c (translation, access), golden_touch.c (lines accessed last) and golden_writes.c (the hash of
 * what was written).
 */
#ifndef GOLDEN_PRIVATE_H
#define GOLDEN_PRIVATE_H
#include <pthread.h>

#include "base/xalloc.h"
#include "golden/golden.h"
#include "golden/hazard.h"
#include "golden/outside.h"
#include "golden/places.h"
#include "golden/touched.h"
#include "isa/gcn3.h"

#define GOLDEN_WAVES 16         /* of a work-group */
#define GOLDEN_TLB 4096         /* entries, direct mapped */
#define GOLDEN_CODE 8192        /* decoded instructions, direct mapped */
#define GOLDEN_TURN 20000       /* instructions of a wavefront before the next one */
#define GOLDEN_IN_FLIGHT 16     /* work-groups of a launch at a time */
#define GOLDEN_PATIENCE 4000000 /* instructions after which the next work-group starts beside a spinning one */
#define GOLDEN_AHEAD 256        /* work-groups of a launch made before their turn */
#define GOLDEN_SHARE 524288     /* instructions of a thread before all meet again */
#define GOLDEN_UNTOLD 1000000   /* rounds of a work-group that runs before its turn */

struct golden_page {
    uint64_t va; /* page address, bit 0 set when valid */
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

/* One pass over the wavefronts of a work-group, as executed; golden_group_run tells it. */
struct golden_round {
    uint64_t written; /* golden_writes.c */
    uint32_t instructions, events;
    uint8_t live;         /* wavefronts that have not ended */
    bool can_run, waited; /* one of them waits for a time */
};

/* How often a wavefront has read the clock lately, and its instructions when it did so last. */
struct golden_reads {
    uint64_t last;
    unsigned count;
};

/* A round that goes on when it is its turn: the next wavefront is about to read the clock. */
struct golden_held {
    struct golden_round round; /* so far; its events are the last ones of the work-group */
    bool on;
    unsigned wave;
    uint64_t begin;  /* its instructions at the beginning of the round */
    uint64_t writes; /* golden_writes.c */
};

struct golden_group {
    struct golden_launch *launch;
    struct golden_group *link; /* made before its turn, by number */
    uint64_t number;
    /* As executed.  vgprs: NULL before the first round and after the last. */
    struct gcn3_wave wave[GOLDEN_WAVES];
    bool halted[GOLDEN_WAVES];
    bool stuck; /* no wavefront can ever run again */
    struct golden_held held;
    struct golden_reads reads[GOLDEN_WAVES];
    bool has_scratch;
    unsigned scratch; /* first wavefront slot of scratch memory */
    unsigned waves, live, waiting;
    uint32_t (*vgprs)[64];
    uint8_t *lds;
    struct hazard_wave *hazards; /* by wavefront; NULL: not checked */
    /* As told. */
    unsigned left; /* wavefronts that have not ended */
    uint64_t instructions;
    bool waits; /* the round that was told last waited for a time */
    /* Executed and not told: round[told] to round[rounds - 1]. */
    struct golden_round *round;
    struct msg_cp_evt *event;
    size_t rounds, told, round_room, events, events_told, event_room;
};

struct golden_launch {
    struct msg_cp_cmd cmd;
    uint64_t next, groups; /* work-groups started, of how many */
    uint64_t made;         /* and made: those from `next` on stand in `ahead` */
    struct golden_group *ahead, *last_ahead;
    struct golden_group *waiting; /* of those made, for scratch memory before its turn */
    bool stalled;                 /* one is stuck: the others wait for their turn */
    unsigned limit;               /* work-groups that may be in flight */
    struct golden_group *group[GOLDEN_IN_FLIGHT];
    uint64_t start, waves, instructions;
    struct golden_launch *link;
};

/* What one host thread executes with. */
struct golden_worker {
    struct golden *g;
    struct gcn3_env env;
    bool yielded, waited;     /* of the wavefront: its turn is over; it waits for a time */
    bool in_turn;             /* the round under way is the next one to be told */
    uint64_t before;          /* instructions of the round before those of the wavefront, less what it had then */
    uint64_t writes, written; /* of the round under way */
    uint32_t flushes;         /* of g that its TLB has seen */
    bool untouched;           /* what is accessed now leaves no line (golden_touch.c) */
    uint64_t stored, covered; /* line of the store under way, its bytes so far */
    struct golden_page tlb[GOLDEN_TLB];
    struct golden_code code[GOLDEN_CODE];
};

struct golden {
    struct pmem *memory;
    unsigned gpu;
    golden_event_fn event;
    void *ctx;
    uint64_t roots[256];
    uint64_t tba[256], tma[256]; /* CP_TRAP */
    uint64_t time, instructions, written;
    uint64_t begun;  /* instructions at `time` */
    uint64_t waited; /* cycles since then in which a wavefront waited for a time */
    uint64_t shown;  /* the last cycle that one was told */
    uint32_t most;   /* cycles from `time` on */
    uint64_t groups; /* work-groups that have ended */
    uint64_t turn;   /* instructions of a wavefront before the next one */
    struct msg_cp_cmd *queue;
    size_t queued, queue_room;
    struct golden_launch *launches;
    uint32_t generation; /* of code: never 0 */
    uint32_t flushes;    /* of TLBs */
    bool check_hazards;
    struct outside outside;        /* check.lds */
    struct places hazards;         /* that were reported */
    struct golden_worker **worker; /* [workers] */
    unsigned workers;
    golden_share_fn share; /* NULL: one thread */
    void *team;
    struct touched *const *touched; /* [gpus], golden_touch; NULL: nobody asks */
    pthread_mutex_t lock;           /* of paused, scratch, and of launches: made, ahead, stalled */
    pthread_mutex_t window;         /* of memory that has no host pointer */
    struct golden_group **paused;   /* executed before their turn, and not to their end */
    size_t paused_count, paused_room;
    struct golden_group **scratch; /* those with a place in scratch memory */
    size_t scratch_count, scratch_room;
};

/* golden_mem.c */
struct golden_worker *golden_worker_new(struct golden *g);
/* What was translated and decoded counts no more; a worker looks at the beginning of a round. */
void golden_mem_flush(struct golden *g);
void golden_worker_look(struct golden_worker *k);
/* golden_writes.c: a store (data in x) or an atomic of a lane, not to scratch memory; a round that begins (0, 0) or
 * goes on; one that is told. */
void golden_write_bytes(struct golden_worker *k, unsigned vmid, uint64_t va, const uint32_t x[4], unsigned bytes);
void golden_write_atomic(struct golden_worker *k, unsigned vmid, uint64_t va, const struct gcn3_access *a,
                         uint64_t operand, uint64_t compare);
void golden_writes_begin(struct golden_worker *k, uint64_t writes, uint64_t written);
void golden_writes_told(struct golden *g, uint64_t round);
/* golden_clock.c: s_memtime of a wavefront of the worker's round, which is in turn; the cycles of golden_set_time have
 * passed. */
uint64_t golden_clock_read(struct golden_worker *k, const struct gcn3_wave *w);
bool golden_clock_out(const struct golden *g);
/* golden_touch.c, all for g->touched only: an instruction's accesses begin (scratch: to memory whose place is this
 * model's own); one of them, within a page; the L2 of this GPU is emptied. */
void golden_touch_begin(struct golden_worker *k, bool scratch);
void golden_touch_access(struct golden_worker *k, uint64_t pa, unsigned bytes, bool store);
void golden_touch_drop(struct golden *g);
/* golden_hazard.c: the instruction that wavefront n is about to execute, when hazards are checked. */
void golden_hazard(struct golden *g, struct golden_group *group, unsigned n, const struct gcn3_inst *inst);
/* golden_group.c */
struct golden_group *golden_group_new(const struct golden *g, struct golden_launch *l, uint64_t number);
void golden_group_free(struct golden *g, struct golden_group *group);
/* Run every wavefront once for a slice and note what happened; the instructions executed.  Before its turn only as far
 * as the first one that reads the clock (`held`), from where the next call, in turn, goes on. */
uint64_t golden_group_round(struct golden_worker *k, struct golden_group *group);
/* To be told with the round under way. */
static inline void golden_group_event(struct golden_group *group, const struct msg_cp_evt *evt)
{
    group->event = xgrow(group->event, &group->event_room, group->events + 1, sizeof *group->event);
    group->event[group->events++] = *evt;
}
/* golden_ahead.c */
/* The next work-group of a launch, whose turn it is; NULL: it must wait for scratch memory. */
struct golden_group *golden_group_start(struct golden *g, struct golden_launch *l);
/* Tell the next round of a work-group, executed now if need be; true while one of its wavefronts can still run. */
bool golden_group_run(struct golden *g, struct golden_group *group);
/* Drop what a launch has executed before its turn. */
void golden_ahead_drop(struct golden *g, struct golden_launch *l);
/* golden_scratch.c: a place in scratch memory for a work-group that needs one and has none.  False: no room.  With lock
 * held. */
bool golden_scratch_take(struct golden *g, struct golden_group *group, bool before_turn);
void golden_scratch_give(struct golden *g, struct golden_group *group);
#endif
