/* SPDX-License-Identifier: Apache-2.0
 * GPUs in worker processes (keys place.*): process 0 is that of the owner, with the host, its memory and maybe
 * GPUs. All processes share the memories of the GPUs; messages go over links (bridge/link).  Responsible for: what this
 * run's processes agree on, starting and joining them, questions to workers while target time stands still.  Not
 * responsible for: what a worker does and answers (worker.h), steps (placed.c).
 */
#ifndef GANTRY_MACHINE_PLACE_H
#define GANTRY_MACHINE_PLACE_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "bridge/place/questions.h"

struct place;
struct sim;

/* Questions.  Numbers: `memory` is a GPU or a memory (pmem.h), a and b as said; the answer's a, or its bytes. */
enum place_ask {
    PLACE_QUIET,    /* a: nothing is ready and no message under way there */
    PLACE_MOVED,    /* a: messages and instructions so far */
    PLACE_ISSUED,   /* a: instructions so far */
    PLACE_ENDED,    /* GPU; a: work-groups that have ended */
    PLACE_HASH,     /* GPU; a: of its stream of writes */
    PLACE_COMPARED, /* lock step; a: compared; bytes: u64 observed */
    PLACE_SETTLE,   /* lock step: what is known is compared */
    PLACE_SGPRS,    /* GPU, a: CU, b: wavefront; bytes: its SGPRs, none when they are not known */
    PLACE_COUNTERS, /* bytes: struct place_counter, then its texts, for each */
    PLACE_REPORT,   /* bytes: text, who waits for whom */
    PLACE_WHERE,    /* GPU, bytes: its page tables by VMID; bytes: text, where its wavefronts are */
    PLACE_BOARDS,   /* bytes: struct sim_board of each board */
    PLACE_CPU,      /* a: CPU time in us */
    PLACE_WINDOWS,  /* bytes: of pmem_windows */
    PLACE_TAKE,     /* memory, a: at, b: bytes, with a descriptor: pmem_slab_take was called */
    PLACE_GIVE,     /* memory, a: at: pmem_slab_give was called */
    PLACE_PAGE,     /* a: page, b: to: pmem_move was called */
    PLACE_GRAPH,    /* a: sched_graph */
    PLACE_RECORDED, /* bytes: record_give */
    PLACE_SHARE,    /* of a state: a: enum gantry_status, told; bytes: share_put */
    PLACE_RESTORE   /* a: 1: memories are not in the state; bytes: name of its file; a: enum gantry_status, told */
};
/* A counter: behind it location, name and unit, each with its 0. */
struct place_counter {
    uint64_t value;
    uint32_t number; /* of the partition; UINT32_MAX: of lock step */
    uint32_t bytes;  /* of the texts */
};

/* Starts workers if the configuration wants some for such a machine; `work` runs in each, with sim->self set, and what
 * it returns is the worker's exit status.  False after one line (sim_options.failure). */
bool place_begin(struct sim *sim, int (*work)(struct sim *sim, int socket));
/* In every process, when its part of the machine is built and started: joins the run; all have said the same.  False
 * after one line. */
bool place_join(struct sim *sim);
/* In a worker that ends before the run does, and has said why: the others give up without a line of theirs. */
void place_refused(struct sim *sim);
/* The links are closed (sched_fini) and the partitions gone. */
void place_end(struct sim *sim);

/* From the owner, at rest: *answer (NULL: not wanted) is the caller's.  False when the worker is lost; then ask->a is 0
 * and there is no answer. */
bool place_ask(struct sim *sim, uint32_t process, struct ask *ask, const void *data, void **answer);
/* The sum of the answers' a to a question of one number, of all workers. */
uint64_t place_sum(struct sim *sim, enum place_ask kind);
uint32_t place_workers(const struct sim *sim); /* 0 without workers */

/* Workers know the windows of client memory as they are now; before they run on. */
void place_windows(struct sim *sim);

/* A process has ended that should not have: told; this is its class, STATUS_OK while all are there.  Looked at each
 * 0.1 s at most. */
enum gantry_status place_lost(struct sim *sim);
/* The scheduler has seen it (SCHED_LOST). */
void place_give_up(struct sim *sim);
/* Of a wait that takes long: nobody wants this run any more (sim_options.unwanted) and a process is stopped.  Then this
 * run is lost (place_lost), after one line: no wait on the way out waits for it again. */
bool place_unwanted(struct sim *sim);
/* It has said so. */
bool place_left(const struct sim *sim);
#endif
