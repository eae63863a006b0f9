/* SPDX-License-Identifier: Apache-2.0
 * What a client gave back while a GPU may still reach it by an old translation: pages of VRAM and GTT, windows of
 * client memory, pages of page tables.  Nobody gets it before every change of page tables, access to an event page and
 * shoot-down that was on its way is answered, and then the caches that may hold its contents have dropped them; it is
 * emptied then, not before.  Without anything running that takes no time.  The order is that of the calls. Not
 * responsible for: sending shoot-downs (memory_objects.c, firmware), when a GPU answers one (rtl).
 */
#ifndef GANTRY_QUARANTINE_H
#define GANTRY_QUARANTINE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct driver;

enum held_kind { HELD_VRAM, HELD_GTT, HELD_WINDOW, HELD_TABLES, HELD_FRAME /* that a page has left */ };

struct handed {
    enum held_kind kind;
    unsigned gpu;     /* of VRAM, page tables and frames */
    uint64_t at;      /* offset in VRAM, GTT or the windows; of page-table pages: up to this one (pagetable_removed) */
    uint64_t bytes;   /* of VRAM and GTT */
    uint64_t reached; /* GPUs, one bit each, that it was ever mapped on */
    bool cached;      /* of VRAM and frames: the slices of its GPU may hold something of it */
};

struct quarantine {
    struct held *items; /* from `first` on, oldest first */
    size_t first, count, room;
};

/* The client has no right to it any more. */
void quarantine_put(struct driver *d, struct handed what);
/* A GPU has answered a shoot-down, or memory an access to an event page or a change of page tables. */
void quarantine_release(struct driver *d);
bool quarantine_empty(const struct driver *d);
/* The end: nothing runs any more. */
void quarantine_fini(struct driver *d);
#endif
