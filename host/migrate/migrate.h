/* SPDX-License-Identifier: Apache-2.0
 * Pages that move from one GPU's VRAM to another's: locked for every GPU that has them mapped, brought over when nobody
 * has an access to them under way, mapped where they are then, unlocked.  Their bytes keep their place on the host
 * (vm/pmem.h), so what a program has mapped stays right.  The page comes into an empty frame (frames.h); the frame in
 * which it was at first is kept for it as long as it lives, so it can always go home; any other that it leaves is
 * empty again when no cache holds anything of it.
 * RTL GPUs carry the bytes (carry.c) while kernels run; for golden GPUs, and before a machine has begun, the host
 * copies them while none does.  What a move does when: steps.def.
 * Not responsible for: which memory may move (movable.h), whose it is and who has it mapped (driver), when to move
 * what.
 */
#ifndef GANTRY_MIGRATE_H
#define GANTRY_MIGRATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "migrate/frames.h"

struct cp;
struct cp_space;
struct migrate;
struct move_fact;
struct pagetable;
struct pmem;

#define MIGRATE_PAGE FRAMES_SMALL
#define MIGRATE_BLOCK FRAMES_BLOCK
#define MIGRATE_MOST 1024u /* moves under way */

/* One address by which one GPU reaches a page.  cp, space: NULL while the command processor does not know the address
 * space. */
struct migrate_view {
    struct pagetable *pt;
    struct cp *cp;
    struct cp_space *space;
    unsigned gpu;
    uint64_t va;
    uint32_t near, far;          /* flags of its entry while the page is in that GPU's memory, and while it is not */
    bool fresh;                  /* views.c's: none of it had an entry there, so no TLB has one */
    bool shoot, answer;          /* views.c's: its GPU is to be told */
    uint64_t tables, shootdowns; /* writes and shoot-downs that are waited for */
};

struct migrate_host {
    void *ctx;
    /* Every view of [page, +bytes), pages of one allocation, that has an entry, and those that wait for one; what does
     * not fit is counted only. */
    size_t (*views)(void *ctx, uint64_t page, uint64_t bytes, struct migrate_view *to, size_t room);
    /* NULL: [page, +bytes) may move; else why not. */
    const char *(*why_not)(void *ctx, uint64_t page, uint64_t bytes);
    /* Pages are moving, until it is called again. */
    void (*busy)(void *ctx, bool on);
    /* What moves now is carried by RTL GPUs. */
    bool (*pushed)(void *ctx);
    /* Not 0: then the host copies it, so many cycles after its page tables began to be locked, or when its lines are
     * written back if that is later (key migrate.fixed_cycles); migrate_alarm is called at the cycles that `alarm` is
     * asked for. */
    uint64_t fixed;
    void (*alarm)(void *ctx, uint64_t at);
    /* No work-group is placed while pages move; else only who wants these pages waits. */
    bool (*holds)(void *ctx);
    struct cp *(*cp)(void *ctx, unsigned gpu); /* once the machine has begun */
    uint64_t (*now)(void *ctx);                /* target cycle; 0 before */
    /* Programs stand still, so the bytes that have come to a frame are those of its page still. */
    bool (*settled)(void *ctx);
    /* `frame` is nobody's any more, but caches may hold what `page` had there (0: a page that has not come in the end):
     * migrate_emptied, now or later.  Not asked at once: left_frames.h. */
    void (*left)(void *ctx, uint64_t page, uint64_t frame);
    /* A move is over: what has waited for it (migrate_comes) may go on. */
    void (*over)(void *ctx);
    /* Before that: where its cycles have gone (policy.h; policy and decision are not known here), unless it was undone
     * (-ECANCELED).  May be NULL. */
    void (*moved)(void *ctx, struct move_fact *fact);
};

struct migrate *migrate_new(struct pmem *pm, const struct migrate_host *host, const struct frames_source *source);
void migrate_free(struct migrate *m);

/* [page, +bytes) (own addresses; MIGRATE_PAGE, or MIGRATE_BLOCK and aligned) goes to the memory of `gpu`.  0: it is on
 * its way, or there.  Or -EINVAL (no such page or GPU), -EPERM (it may not move, which one line in the log explains),
 * -EALREADY (some of it is there), -EBUSY (some of it is on its way), -EAGAIN (the host
 * would copy it, and a kernel of a process that has it mapped is under way; MIGRATE_MOST are under way; its first frame
 * is not empty yet, or others are about to be), -ENOMEM (no empty frame, or no memory for page tables): then nothing
 * has changed. */
int migrate_now(struct migrate *m, uint64_t page, uint64_t bytes, unsigned gpu);
/* The same for several pages, which are locked together, with one interruption of each GPU: migrate_add for each, as
 * migrate_now; then, from the same callback, migrate_go. */
int migrate_add(struct migrate *m, uint64_t page, uint64_t bytes, unsigned gpu);
void migrate_go(struct migrate *m);
/* A GPU has answered a shoot-down, or memory writes to page tables: moves go on. */
void migrate_step(struct migrate *m);
/* A cycle that migrate_host.alarm was asked for. */
void migrate_alarm(struct migrate *m);
bool migrate_busy(const struct migrate *m);
/* Some of it is on its way. */
bool migrate_moves(const struct migrate *m, uint64_t page, uint64_t bytes);
/* Each move under way: one line, with what it waits for and who owes the answer. */
void migrate_tell(const struct migrate *m, FILE *out);
/* A run that makes no progress: the same as a report (base/log.h); nothing when nothing moves. */
void migrate_report(const struct migrate *m);
/* Who has [page, +bytes) mapped is about to change: what of it is on its way is there, or where it was. */
void migrate_settle(struct migrate *m, uint64_t page, uint64_t bytes);
/* The memory [page, +bytes) is nobody's any more: its frames elsewhere are left. */
void migrate_gone(struct migrate *m, uint64_t page, uint64_t bytes);
/* The memory is nobody's, but lines still come to its first frames, of a move that was given up: `over` tells when they
 * do not any more. */
bool migrate_comes(const struct migrate *m, uint64_t page, uint64_t bytes);
/* No cache holds anything of this frame any more, which was left. */
void migrate_emptied(struct migrate *m, uint64_t frame);
#endif
