/* SPDX-License-Identifier: Apache-2.0
 * Inside of host/migrate: moves under way.  What a move does when: steps.c, by the table steps.def; its page tables:
 * views.c; how its bytes come over: carry.c.
 */
#ifndef GANTRY_MIGRATE_MOVE_H
#define GANTRY_MIGRATE_MOVE_H
#include <stdio.h>

#include "maintenance/page_commands.h"
#include "migrate/away.h"
#include "migrate/left_frames.h"
#include "migrate/migrate.h"

enum move_state {
#define STATE(name, text) STATE_##name,
#include "migrate/steps.def"
    STATES
};

enum move_event {
#define EVENT(name, text) EVENT_##name,
#include "migrate/steps.def"
    EVENTS
};

struct move;

/* Frames that lie behind one another where they are and where they go: one order of the engines. */
struct piece {
    struct move *move;
    uint64_t from, to, bytes; /* frames */
    bool flush, flushing;     /* wanted, and not asked for; asked for, and not answered */
    uint8_t slot;             /* of the engine at `to`; PAGE_NO_SLOT: not sent */
    bool cleared;             /* its slot was given up */
    bool left, came;          /* reported */
    struct page_report moved, stored;
};

struct move {
    struct migrate *owner;
    struct range pages; /* node of migrate.moving while `listed`: until it is given up or over */
    bool listed;
    struct move *next; /* in the order in which they began */
    uint64_t to;       /* frame of the first page */
    unsigned from;     /* GPU where that was */
    bool pushed;       /* RTL GPUs have it: their caches, and, when `fixed` is 0, their engines carry it */
    uint64_t fixed;    /* migrate_host.fixed of RTL GPUs */
    bool fenced;       /* views_fence, since its page tables have changed */
    enum move_state state;
    uint64_t since[STATES]; /* cycle at which it came to a state */
    uint64_t written;       /* LOCK: all page tables are; 0: not yet */
    uint64_t sent;          /* PUSH: its first order has left; 0: not yet */
    uint64_t due;           /* WAIT: cycle at which it is there */
    unsigned open;          /* answers to come: of flushes, or pieces without both reports */
    unsigned unsent;        /* pieces that wait for an engine */
    bool failed;
    size_t pieces;
    struct piece *piece;
    size_t count;
    struct migrate_view view[];
};

#define CARRY_FLUSHES 16u

/* The page-move engine of a GPU, and its caches. */
struct engine {
    unsigned flushing; /* write-backs under way, at most CARRY_FLUSHES */
    unsigned leaving;  /* orders of pages that leave, at most PAGE_MOVES */
    uint32_t slots;    /* taken by pages that come: bit s, slot s */
};

/* What the dispatchers of all GPUs do while pages move (hold.c). */
enum pausing { PAUSE_NOT, PAUSE_ASKED, PAUSE_ON };

struct migrate {
    struct pmem *pm;
    struct migrate_host host;
    struct away away;
    struct rest rest;
    struct move *moves;
    unsigned count; /* of them */
    struct ranges moving;
    void (*happens)(struct move *v, enum move_event event); /* move_happens, for who is below it */
    enum pausing hold;
    unsigned hold_open; /* answers to come */
    void (*held)(struct migrate *m);
    struct engine *engine; /* by GPU */
};

/* steps.c: something has happened to a move (which may be gone then); all that can be sent is; it is freed. */
void move_happens(struct move *v, enum move_event event);
void moves_send(struct migrate *m);
void move_free(struct move *v);

/* hold.c: no work-group is placed (false: m->held is called when that is so); nothing moves any more. */
bool hold_take(struct migrate *m);
void hold_give(struct migrate *m);

/* views.c: entries are locked (false: no memory for page tables, and nothing is), unlocked where they were, lead to the
 * new place; all answers are there; shoot-downs and answers to withheld
 * translations that are wanted are sent, and what waits for answers knows which. */
bool views_lock(struct move *v);
void views_unlock(struct move *v);
void views_map(struct move *v);
bool views_answered(const struct move *v);
/* Of these, writes of page tables alone. */
bool views_written(const struct move *v);
void views_send(struct migrate *m);
/* A kernel of a space that has the pages mapped is under way. */
bool views_meet_kernels(const struct move *v);
/* For people: what of it is still waited for, and from whom. */
void views_tell(const struct move *v, FILE *out);

/* carry.c: pieces of a move; the host copies the bytes; the lines are written back, sent; what waits for
 * caches or an engine does not any more; whatever can goes on; both engines tell the same of each piece. */
void pieces_make(struct move *v);
void carry_copy(struct move *v);
void carry_flush(struct move *v);
void carry_push(struct move *v);
void carry_stop(struct move *v);
void carry_send(struct migrate *m);
void carry_check(const struct move *v);
/* Some line may have come to the new place. */
bool carry_begun(const struct move *v);
void carry_tell(const struct move *v, FILE *out);
#endif
