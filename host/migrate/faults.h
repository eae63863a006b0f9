/* SPDX-License-Identifier: Apache-2.0
 * First accesses to memory whose entries a GPU does not have yet (key migrate.map: lazy).  An example: GPU 1 reads a
 * page in GPU 0's memory for the first time; its L2 TLB withholds the translation and tells the driver (faults_report);
 * `cycles` later the policy is asked (policy.h, fault), and the page moves to GPU 1, or is mapped where it is.
 * A driver serves faults as it finds them: all that have come by then are decided together when the time is over, and
 * their pages move as one batch; what comes meanwhile is served next.  So each waits at least `cycles`.  Behind pages
 * that a GPU asks for one after the other, others come ahead (ahead.h).
 * A page that moves already, or that cannot be moved, is mapped where it is (then), without asking.
 * Bound: one fault a unit of virtual addresses, GPU and address space, so no more than L2 TLBs withhold and command
 * processors have accesses (4,096 each), with what comes ahead: FAULTS_MOST, asserted.
 * Not responsible for: what may move (movable.h), page tables and answers (faults_host), counters (phase.h).
 */
#ifndef GANTRY_MIGRATE_FAULTS_H
#define GANTRY_MIGRATE_FAULTS_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "policy/policy.h"

#define FAULTS_MOST (1u << 20)

struct faults;

/* What an address leads to.  The unit is what moves as one, or a page of 4 KiB where memory is not in whole units. */
struct fault_place {
    uint64_t va, page, bytes; /* unit: virtual address, own address, size */
    unsigned home;            /* GPU where its first page is */
    bool mapped;              /* the page that was asked for has an entry */
    bool moves;               /* the unit may move */
};

/* `owner`: whose address space, as the command processor knows it. */
struct faults_host {
    void *ctx;
    uint64_t (*now)(void *ctx);
    void (*timer)(void *ctx, uint64_t at); /* faults_timer is to be called then */
    /* False: nothing of this owner is there. */
    bool (*place)(void *ctx, void *owner, unsigned gpu, uint64_t va, struct fault_place *p);
    /* Entries for what of [va, +bytes) has none, where its pages are; 0 or errno. */
    int (*map)(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes);
    /* What waits for these pages is looked up again, or (deny) is a memory fault. */
    void (*answer)(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes, bool deny);
    int (*add)(void *ctx, uint64_t page, uint64_t bytes, unsigned gpu); /* as migrate_add */
    void (*go)(void *ctx);                                              /* as migrate_go */
    bool (*moving)(void *ctx, uint64_t page, uint64_t bytes);           /* some of it is under way */
};

/* Sums over a run. */
struct faults_sums {
    uint64_t faults;  /* reported; each is, or will be, one of: */
    uint64_t moved;   /* its unit has moved to who has asked */
    uint64_t mapped;  /* mapped where it was */
    uint64_t late;    /* its entry has come by another one's move */
    uint64_t ahead;   /* units that have moved before they were asked for; no faults */
    uint64_t batches; /* of moves that began together */
    uint64_t denied;  /* nobody's memory any more, or no memory for page tables: a memory fault of the program */
};

/* ops, own: of the policy, as long as this; cycles: of a decision, above 0; ahead: units at most. */
struct faults *faults_new(const struct faults_host *host, const struct policy_ops *ops, void *own, uint64_t cycles,
                          unsigned ahead);
void faults_free(struct faults *f);
/* A translation is withheld for want of an entry, or an access of the command processor itself (engine) waits for one.
 * True: faults_host.answer follows; also for a page of which that is known already.  False: nothing is there. */
bool faults_report(struct faults *f, void *owner, unsigned gpu, uint64_t va, bool engine);
/* Some page of [va, +bytes) is to be mapped on this GPU when it has moved: somebody waits for that. */
bool faults_wait(const struct faults *f, const void *owner, unsigned gpu, uint64_t va, uint64_t bytes);
/* A cycle that faults_host.timer was asked for. */
void faults_timer(struct faults *f);
/* A move is over.  faults_claim, before the policy hears of it: whether it was decided here; then decision and batch
 * are filled in.  faults_settle, after it: who has waited for these pages is served: where it was undone (by a change
 * of who has the memory mapped, say) it is decided once more. */
bool faults_claim(const struct faults *f, struct move_fact *m);
void faults_settle(struct faults *f, uint64_t page, uint64_t bytes, bool undone);
/* The owner ends: nobody waits any more. */
void faults_forget(struct faults *f, const void *owner);
struct faults_sums faults_sums(const struct faults *f);
bool faults_open(const struct faults *f); /* some are not answered */
/* Each that is not answered: one line, with what it waits for. */
void faults_tell(const struct faults *f, FILE *out);
#endif
