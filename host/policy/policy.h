/* SPDX-License-Identifier: Apache-2.0
 * What decides which page goes where, and when: one interface, one file policy_NAME.c for each policy.  An example:
 * `threshold` hears of 40 reads of page 0x1000010000 by GPU 1 (count), and at the end of the phase it answers with a
 * decision, that page to GPU 1 (phase).  A policy sees facts alone, no pointer into the driver, and touches nothing;
 * what it asks for may be refused, of which it hears (moved).  Calls come one at a time, in the order of target cycles,
 * so equal runs give equal decisions.  Not responsible for: when phases are (phase.h), what may move (movable.h), how
 * it moves (migrate.h).  A policy of ten lines: docs/reference/migration.md.
 */
#ifndef GANTRY_MIGRATE_POLICY_H
#define GANTRY_MIGRATE_POLICY_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define POLICY_WHY 96u /* bytes of a reason, with its end */

/* What does not change in a run. */
struct policy_machine {
    unsigned gpus;
    uint32_t threshold;     /* key migrate.threshold: far accesses for each 4 KiB */
    uint32_t share;         /* key migrate.share: percent */
    uint32_t write_weight;  /* key migrate.write_weight: reads that a write counts as */
    uint64_t return_cycles; /* key migrate.return_cycles */
    uint32_t returns;       /* key migrate.returns */
    uint64_t pin_cycles;    /* key migrate.pin_cycles; of these three: damping.h */
    uint64_t first_bytes;   /* key migrate.first_bytes */
    uint64_t far_cycles;  /* that a far access costs more than a near one: key migrate.far_cycles, or link occupancy */
    uint64_t move_cycles; /* that a page is taken to cost before one has moved */
};

/* What moves as one is called a page here: 4 KiB, or a block of 64 KiB.  `page` is its own address, the physical one
 * that it had at first, which it keeps wherever it is. */

/* Accesses of one GPU, the requester, to one page of another one's memory in this phase.  Those of the home itself are
 * not counted by anybody.  Facts of a phase come by page, then requester. */
struct page_fact {
    uint64_t page, bytes;
    unsigned home;      /* GPU whose memory it is in */
    unsigned requester; /* another GPU */
    uint64_t reads;     /* lines */
    uint64_t writes;    /* stores and atomics */
};

struct phase_fact {
    uint64_t cycle;  /* of its beginning: all that was counted before it is known */
    uint64_t number; /* of the run's phases, from 1; not all have accesses, and then nobody is asked */
};

struct decision {
    uint64_t page;
    unsigned to;          /* GPU */
    char why[POLICY_WHY]; /* for people */
};

/* A GPU accesses a page for the first time, and its access waits for the answer (faults.h). */
struct fault_fact {
    uint64_t page, bytes;
    unsigned home;      /* GPU whose memory it is in */
    unsigned requester; /* another GPU */
    uint64_t cycle;     /* of the decision */
    bool engine;        /* its command processor, which copies; else a wavefront */
    bool ahead;         /* it has not asked for it, but for pages before it one after the other (ahead.h) */
};

enum fault_verdict {
    FAULT_FAR, /* it is mapped where it is */
    FAULT_MOVE /* it moves to the requester */
};

/* A decision has been carried out, or not. */
struct move_fact {
    uint64_t page, bytes;
    unsigned from, to; /* GPUs */
    int refused;       /* 0, or why it was not begun: -EPERM and so on, as migrate_add; -ECANCELED: it was undone */
    uint64_t begun, ended;
    uint64_t decision; /* cycles from the phase's begin, or a first access, until the batch began; 0: nobody's */
    uint64_t wait;     /* for its batch, dispatchers, a place at the engines */
    uint64_t lock;     /* until entries are locked in all page tables */
    uint64_t shoot;    /* until shoot-downs are answered */
    uint64_t flush;    /* write-back by the slices of its home */
    uint64_t copy;     /* engines, or the host */
    uint64_t map;      /* until the new entries are written */
    uint64_t fixed;    /* key migrate.fixed_cycles, from `wait` to the end of `copy`; 0: the RTL's own time */
    uint64_t late;     /* cycles by which it took longer, since its lines were not written back before */
    unsigned batch;    /* moves that began together, this one too */
};

struct policy_ops {
    const char *name; /* as in key migrate.policy */
    /* What the other functions get as `own`; ended by end. */
    void *(*begin)(const struct policy_machine *m);
    void (*end)(void *own);
    void (*count)(void *own, const struct page_fact *f);
    /* The counts of this phase have all come: up to `room` decisions, at most one a page; how many. */
    size_t (*phase)(void *own, const struct phase_fact *p, struct decision *out, size_t room);
    /* Key migrate.map: lazy.  NULL: always FAULT_FAR. */
    enum fault_verdict (*fault)(void *own, const struct fault_fact *f);
    void (*moved)(void *own, const struct move_fact *m); /* NULL: it does not want to know */
    /* [page, +bytes) is nobody's any more, and may be somebody else's later.  NULL: it remembers no pages. */
    void (*gone)(void *own, uint64_t page, uint64_t bytes);
};

extern const struct policy_ops policy_never, policy_first_touch, policy_threshold, policy_periodic, policy_benefit,
    policy_adaptive;

/* By name; NULL: there is none. */
const struct policy_ops *policy_find(const char *name);
#endif
