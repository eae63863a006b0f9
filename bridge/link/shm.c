/* SPDX-License-Identifier: Apache-2.0
 * Transport `shm`: a ring in the shared memory of the run; contract in link.h and region.h.  All links from one
 * process to another are one bundle.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/link/region_layout.h"

struct end {
    struct region *region;
    uint32_t partner;
    uint32_t latency;
};

static void join_bundle(struct link *link, struct region *r, const struct region_place *p)
{
    struct bundle **end = link->sends ? &r->to[p->link.to] : &r->from[p->link.from];
    if (*end == NULL)
        *end = bundle_new((struct bundle_shared *)((uint8_t *)r->head + p->bundle_at));
    (*end)->links[p->number] = link;
    link->bundle = *end;
    link->number = p->number;
}

static bool shm_open_end(struct link *link, void *place)
{
    struct region *r = place;
    struct region_place key, *p;
    memcpy(key.link.name, link->name, sizeof key.link.name);
    p = bsearch(&key, region_places(r->head), r->head->link_count, sizeof key, region_by_name);
    if (p == NULL || (link->sends ? p->link.from : p->link.to) != r->self) {
        diag(link->name, "no link of this name %s process %s", link->sends ? "leaves" : "enters",
             region_process(r, r->self));
        return false;
    }
    if (!link_fits(link, p->link.bytes, p->link.latency, p->link.depth))
        return false;
    struct end *e = xzalloc(sizeof *e);
    *e = (struct end){r, link->sends ? p->link.to : p->link.from, link->latency};
    link->own = e;
    link->ring = (struct ring *)((uint8_t *)r->head + p->at);
    join_bundle(link, r, p);
    return true;
}

static void shm_send(struct link *link, uint64_t stamp, const void *payload)
{
    if (link->sent == link->flushed)
        bundle_mark(link->bundle, link->number);
    ring_send(link, stamp, payload);
}

/* Either this process sees that the partner sleeps, or the partner, which says so and then looks once more before it
 * sleeps (region_wait.c), sees the promise and the bits of what was sent before: all four are sequentially
 * consistent. */
static void shm_promise(struct link *link, uint64_t stamp)
{
    const struct end *e = link->own;
    struct bundle *b = link->bundle;
    uint64_t word = bundle_word(b, link->latency, stamp), before = b->promised;
    bool more = bundle_promise(b, word);
    if (word <= before && !more)
        return;
    const struct region_entry *to = region_entry(e->region, e->partner);
    if (atomic_load(&to->asleep) && (more || stamp >= atomic_load(&to->need)))
        region_ring(e->region, e->partner);
}

/* As far as the owner of the host may not act: known while the host waits, to the first of what it knows and of what
 * can come to it from the floor on.  0: it does not wait.  The floor is read before, so that what the host says is not
 * older. */
static uint64_t host_hold(const struct region *r, uint64_t floor)
{
    const struct region_entry *host = region_entry(r, r->head->host);
    uint64_t ahead = atomic_load(&r->head->ahead), version = atomic_load(&host->version);
    uint64_t hold = atomic_load(&host->hold);
    if (!(version & 1) || atomic_load(&host->version) != version)
        return 0;
    return ahead < UINT64_MAX - floor && floor + ahead < hold ? floor + ahead : hold;
}

/* While all stand still nobody can send before the first event of any (region_wait.c): as good as a promise. */
static uint64_t shm_horizon(struct link *link)
{
    const struct end *e = link->own;
    uint64_t promise = bundle_stamp(link->bundle, link->latency, atomic_load(&link->bundle->shared->promise));
    uint64_t floor = atomic_load(&e->region->head->floor), reach = floor + e->latency;
    if (reach > promise && e->partner == e->region->head->host) {
        uint64_t hold = host_hold(e->region, floor);
        reach = hold < reach ? hold : reach;
    }
    return promise > reach ? promise : reach;
}

static uint64_t shm_peek(struct link *link)
{
    uint64_t before = link->arrived, arrived = ring_peek(link);
    link->bundle->messages += arrived - before;
    return arrived;
}

static void shm_close(struct link *link)
{
    link->bundle->links[link->number] = NULL;
    link->bundle = NULL;
    free(link->own);
    link->own = NULL;
    link->ring = NULL;
}

uint32_t region_partner(const struct region *r, const struct link *link)
{
    const struct end *e = link->own;
    return link->transport == &transport_shm && e && e->region == r ? e->partner : REGION_NONE;
}

const struct transport transport_shm = {"shm",    shm_open_end, shm_send,    shm_promise,
                                        shm_peek, ring_done,    shm_horizon, shm_close};
