/* SPDX-License-Identifier: Apache-2.0
 * What lies in a region, for the files that implement it (region.c, shm.c, peers.c, region_wait.c).
 */
#ifndef GANTRY_REGION_LAYOUT_H
#define GANTRY_REGION_LAYOUT_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/bundle.h"
#include "bridge/link/region.h"

#define REGION_MAGIC UINT64_C(0x6e6f69676572746e) /* "ntregion" */

enum region_stage { REGION_ABSENT, REGION_GREETED, REGION_LEFT, REGION_REFUSED };
enum region_state { REGION_OUTSIDE, REGION_RUNS, REGION_WAITS, REGION_SLEEPS };

struct region_entry {
    char name[REGION_NAME];
    struct hello hello;     /* whole when the stage says so */
    _Atomic uint32_t stage; /* enum region_stage */
    _Atomic int32_t pid;
    _Atomic uint32_t told;                      /* bits: its end, its standstill was told by somebody */
    _Alignas(RING_LINE) _Atomic uint64_t cycle; /* heartbeat: behind the last window that it ran or skipped */
    _Atomic uint64_t turn;                      /* region_set_turn */
    _Atomic uint64_t active;                    /* behind the last window in which a partition was visited */
    _Atomic uint32_t state;                     /* enum region_state */
    /* Odd while it waits: it then neither sends nor takes, and the three below hold still. */
    _Alignas(RING_LINE) _Atomic uint64_t version;
    _Atomic uint64_t next;           /* cycle of its next own event */
    _Atomic uint64_t hold;           /* host: cycle at which its owner may act */
    _Atomic uint64_t sent, received; /* messages on all its links so far */
    /* Who sleeps is woken by a change of `bell`. */
    _Alignas(RING_LINE) _Atomic uint32_t asleep;
    _Atomic uint32_t bell;
    _Atomic uint32_t asked;       /* questions put to it so far (region_ask) */
    _Atomic uint64_t need, reach; /* horizon that would be of use to it; longest latency of its links in */
};

/* A link; in the region they stand in the order of their names. */
struct region_place {
    struct region_link link;
    uint64_t at;        /* of its ring in the region */
    uint64_t bundle_at; /* of the bundle of all links between these two in this direction */
    uint32_t number;    /* in the bundle */
};

struct region_head {
    uint64_t magic;
    uint32_t version, process_count, link_count, host;
    uint64_t bytes, links_at;
    _Atomic uint32_t awake; /* threads that are not asleep */
    _Atomic uint64_t ahead; /* region_set_ahead */
    _Alignas(RING_LINE) _Atomic uint64_t floor;
    _Atomic uint64_t quiet; /* sum of versions of the newest quiet that was announced */
    _Alignas(RING_LINE) struct region_entry entries[];
};

struct region {
    struct region_head *head;
    uint32_t self;
    unsigned threads, cores;
    int pidfds[REGION_PROCESSES];                                 /* -1: not opened yet */
    bool mine[REGION_PROCESSES];                                  /* opened here */
    uint64_t looked;                                              /* ns: last look at the others */
    uint32_t answered;                                            /* questions that this process has seen */
    struct bundle *to[REGION_PROCESSES], *from[REGION_PROCESSES]; /* NULL: no link is open */
};

static inline struct region_entry *region_entry(const struct region *r, uint32_t process)
{
    return &r->head->entries[process];
}
static inline struct region_place *region_places(const struct region_head *head)
{
    return (struct region_place *)((uint8_t *)head + head->links_at);
}
/* Compares two struct region_place, for qsort and bsearch. */
int region_by_name(const void *a, const void *b);
/* Change its bell: it looks again. */
void region_ring(const struct region *region, uint32_t process);
#endif
