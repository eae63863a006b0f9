/* SPDX-License-Identifier: Apache-2.0
 * Waiting for the other processes of a region: it looks for some microseconds, then gives its core away between looks,
 * then sleeps; it sleeps at once while more threads are awake than there are cores.
 *
 * Idle runs.  Two processes with nothing to do would raise each other's promises latency by latency.  Therefore who
 * waits publishes the cycle of its next own event and how many messages it has sent and received.  When all wait at one
 * moment and as many messages were received as sent, none is under way, so nobody can send before the earliest of these
 * events: that cycle is the region's `floor`, from which on each link's latency counts, and all jump there.  Without
 * any event the run is quiet.  The moment is one at which all versions (odd: waits) read before and after are the same;
 * each version is changed before its process takes or sends anything.
 *
 * Responsible for: waiting, floor, quiet.  Not responsible for: what a process may do at which horizon (bridge/run).
 */
#ifndef GANTRY_REGION_WAIT_H
#define GANTRY_REGION_WAIT_H
#include <stdbool.h>
#include <stdint.h>

#include "bridge/link/region.h"

struct region_waiter {
    uint64_t next;           /* cycle of the next own event, UINT64_MAX: only a message brings one */
    uint64_t need;           /* horizon of all links in that would be of use */
    uint64_t reach;          /* longest latency of these links */
    uint64_t hold;           /* host: first cycle at which its owner may act, by what it knows; others: UINT64_MAX */
    uint64_t sent, received; /* messages on all links of the region so far */
    /* A message has come or a horizon is of use: enough waited.  It may promise, and neither sends nor takes. */
    bool (*look)(void *ctx);
    /* Asked with each look at the others once it has waited for PEERS_PATIENCE_NS: true ends it, for nobody wants what
     * is waited for, and somebody is stopped.  NULL: never. */
    bool (*unwanted)(void *ctx);
    void *ctx;
    struct link *const *in; /* to name what is waited for */
    uint32_t count;
};
enum region_end {
    REGION_GO,      /* look() was true */
    REGION_QUIET,   /* nothing will ever happen any more, unless the host's owner acts; told as region_plan.host says */
    REGION_ENDED,   /* a process has left in order */
    REGION_LOST,    /* a process died or refused; told */
    REGION_UNWANTED /* nobody wants what was waited for (region_waiter.unwanted) */
};

/* What this process has sent and received holds until the return, or, when that is QUIET and there is no host, for
 * ever. */
enum region_end region_wait(struct region *region, const struct region_waiter *waiter);
/* Last cycle (behind its window) in which a partition of any process was visited: after QUIET the same everywhere. */
uint64_t region_active(const struct region *region);
/* Before that cycle nobody sends any more: who stops waiting for another reason than its look may be behind it. */
uint64_t region_floor(const struct region *region);
/* Of this process. */
void region_set_active(struct region *region, uint64_t cycle);

/* The host, whose owner acts also at what comes to it: `cycles` after it was sent, or later.  Then nobody is told by
 * the floor that he may run beyond the cycle at which that may happen. */
void region_set_ahead(struct region *region, uint64_t cycles);

/* Work on memory that processes share beside their links, in one order of all: this process does nothing any more whose
 * place in the order is below `turn` (it never falls; UINT64_MAX: never again). */
void region_set_turn(struct region *region, uint64_t turn);
/* Whether all others have passed `turn`; who sleeps and has not is woken, so that it looks. */
bool region_is_turn(const struct region *region, uint64_t turn);

/* Beside the links: `process` is to look at what its owner has left for it; it stops waiting.  Blocks nobody. */
void region_ask(struct region *region, uint32_t process);
/* Whether somebody has asked since the last call that said so. */
bool region_asked(struct region *region);
bool region_is_asked(const struct region *region); /* the same without taking notice */
#endif
