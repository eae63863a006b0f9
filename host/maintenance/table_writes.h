/* SPDX-License-Identifier: Apache-2.0
 * What is to be written to the page tables in a GPU's VRAM: a queue in the order of changes, each write of a line a
 * message of the host's port.  A walker that reads meanwhile finds what an entry leads to before the entry: an entry
 * that leads to a table waits until all before it is answered.  Other writes are under way together, up to
 * TABLES_FLIGHT; one to a line that is not sent yet joins what is to be written there.
 * Notes say what is to be done when all writes before them are answered; later ones may be written before that.
 *
 * Bound: of a line one write at most waits, and one more for each entry in it that leads to a table and waits itself;
 * tables that such entries lead to are nobody else's before that.  So no more writes wait than there are lines of
 * tables and twice as many as pages of tables.  Notes: at most TABLES_NOTES.
 */
#ifndef GANTRY_CP_TABLES_H
#define GANTRY_CP_TABLES_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLES_FLIGHT 16u              /* credits of the port to a memory: more would only wait there */
#define TABLES_NOTES ((size_t)1 << 21) /* an unmapping and a drop of caches for each allocation of 15 processes */

/* A line, some bytes of it. */
struct table_write {
    uint64_t line, mask; /* physical address, bytes */
    uint64_t data[8];
    bool pointer; /* some entry leads to a table */
};

/* Pages of an address space: `bytes` from `va` on (0 bytes: all), or, where there is a list, `bytes` from each of its
 * addresses on.  The list is owned by whoever has the range last. */
#define CP_RANGE_PAGES 8u
struct cp_list {
    unsigned count;
    uint64_t page[CP_RANGE_PAGES];
};
struct cp_range {
    uint64_t va, bytes;
    struct cp_list *list;
    bool more; /* another shoot-down follows at once, and no access of before is waited for until then */
};

enum note_kind {
    NOTE_OPEN,  /* a space becomes known to the GPU */
    NOTE_CLOSE, /* a closing space may go */
    NOTE_SHOOT, /* a shoot-down of pages of a space */
    NOTE_DROP,  /* caches drop memory that has changed hands */
    NOTE_XLAT,  /* an answer to withheld translations of pages of a space */
};

struct table_note {
    uint64_t behind; /* so many writes: set by tables_note */
    enum note_kind kind;
    bool own;               /* NOTE_DROP: memory of this GPU */
    bool deny;              /* NOTE_XLAT */
    struct cp_space *space; /* which counts it; NOTE_DROP: NULL */
    struct cp_range range;  /* NOTE_SHOOT, NOTE_XLAT: the pages */
};

struct tables {
    struct table_write *ring; /* those that wait: `room` places, a power of two; number n at n % room */
    uint64_t room;
    uint64_t asked, sent,
        done;                 /* writes so far, the first `sent` of which do not wait, the first `done` are answered */
    uint64_t changes;         /* that became such a write or joined one */
    uint64_t *last;           /* by line of the tables: 1 + the number of the last write to it; NULL: there is none */
    bool armed;               /* a timer begins what waits */
    struct table_note *notes; /* oldest first */
    size_t note_count, note_room;
};

struct cp;
struct cp_space;
struct msg_mem_rsp;

void tables_fini(struct tables *t);
/* Something is still to be written, or to be answered. */
bool tables_open(const struct cp *cp);
/* To be done behind the writes so far: while they are open, or from what is done behind them. */
void tables_note(struct cp *cp, struct table_note note);
/* The timer's call; an answer, behind which more is sent. */
void tables_begin(struct cp *cp);
void tables_take(struct cp *cp, const struct msg_mem_rsp *rsp);
/* after_writes.c: the same, and what has waited for it is done. */
void tables_answered(struct cp *cp, const struct msg_mem_rsp *rsp);
#endif
