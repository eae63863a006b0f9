/* SPDX-License-Identifier: Apache-2.0
 * Phases of page migration (S1.6): while kernels run, at each multiple of `period` cycles the counters of all GPUs are
 * read and cleared; the policy (policy.h) hears the sums by page and requester and decides; `decision` cycles later its
 * pages go as one batch.  Nothing moves, and no message of a move is sent, but from there until the batch is where it
 * goes; a phase that would begin meanwhile is left out.
 * It keeps no idle machine alive: a timer is set while a kernel is under way alone, and never for more than one period.
 * Phases in which no GPU has counted anything are farther and farther apart, 128 periods at most, and stop when no
 * instruction was executed between two of these: then a machine that is stuck has no timer, and its watchdog notices.
 * The start of a kernel and an entry that comes by itself bring them back.
 * Not responsible for: how pages move (migrate.h), who counts (maintenance/counts.h), machine and memory (phase_host).
 */
#ifndef GANTRY_MIGRATE_PHASE_H
#define GANTRY_MIGRATE_PHASE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

#define PHASE_MOST 1024u /* decisions of a phase */

struct phase;

/* What phases need of the machine.  Functions may call none of phase.h, but what is said there. */
struct phase_host {
    void *ctx;
    uint64_t (*now)(void *ctx);
    void (*timer)(void *ctx, uint64_t at);       /* phase_timer is to be called then */
    bool (*needed)(void *ctx);                   /* a kernel is under way, and the machine counts */
    uint64_t (*executed)(void *ctx);             /* instructions so far */
    int (*counts_set)(void *ctx, unsigned gpu);  /* it counts from now on; 0 or negative */
    int (*counts_read)(void *ctx, unsigned gpu); /* 0: phase_count for each entry, then phase_read */
    /* Own address of the 4 KiB that are at this frame, or have left it last; the GPU where they are now. */
    uint64_t (*page)(void *ctx, uint64_t frame, unsigned *home);
    /* What moves with the 4 KiB of this own address: *page, and its bytes; 0: nobody's, or it may not move. */
    uint64_t (*unit)(void *ctx, uint64_t at, uint64_t *page);
    int (*add)(void *ctx, uint64_t page, uint64_t bytes, unsigned gpu); /* as migrate_add */
    void (*go)(void *ctx);                                              /* phase_moved of each comes then or later */
    bool (*moving)(void *ctx);                                          /* pages are under way */
};

struct phase_settings {
    uint64_t period, decision; /* cycles, above 0 */
};

/* Sums over a run. */
struct phase_sums {
    uint64_t phases;        /* in which something was counted */
    uint64_t reads, writes; /* far accesses */
    uint64_t gained;        /* of pages that have moved: far accesses that were to be expected since, were there as many
                             * in each instruction, or each period, as in the phase before */
    uint64_t lost;          /* accesses of entries that were dropped, by GPUs or for want of room here */
    uint64_t strays;        /* accesses to memory that may not move, or is nobody's any more */
    uint64_t batches, decided, refused;
};

struct phase *phase_new(const struct phase_host *host, const struct policy_ops *ops, const struct policy_machine *m,
                        const struct phase_settings *settings);
void phase_free(struct phase *p);
void *phase_policy(struct phase *p); /* its own, for policy_ops */
/* A kernel starts. */
void phase_wake(struct phase *p);
/* A cycle that phase_host.timer was asked for. */
void phase_timer(struct phase *p);
/* This GPU has accessed a page of another one's, at `frame`; also at any other time, of entries that leave early. */
void phase_count(struct phase *p, unsigned gpu, uint64_t frame, uint64_t reads, uint64_t writes);
/* All that a GPU has counted has come; `lost` accesses have not. */
void phase_read(struct phase *p, unsigned gpu, uint32_t lost);
/* A page has moved, or was undone; true: by a decision of the policy, and then decision and batch are filled in. */
bool phase_moved(struct phase *p, struct move_fact *m);
/* The memory is nobody's any more. */
void phase_gone(struct phase *p, uint64_t page, uint64_t bytes);
/* Up to now. */
struct phase_sums phase_sums(const struct phase *p);
#endif
