/* SPDX-License-Identifier: Apache-2.0
 * Memory between two owners; contract in quarantine.h.
 */
#include "memory/quarantine.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "driver/driver.h"
#include "migrate/migrate.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

struct held {
    struct handed what;           /* reached: until the caches of these GPUs were told to drop its contents */
    uint64_t slots;               /* accesses to event pages before it was given back */
    uint64_t tables[DRIVER_GPUS]; /* changes of page tables before it was given back */
    uint64_t fence[DRIVER_GPUS]; /* shoot-downs sent to each GPU when it was given back, or when its caches were told */
};

static unsigned gpus_of(const struct driver *d)
{
    return machine_started(d->machine) ? machine_gpus(d->machine) : 0;
}

static void fence_take(struct driver *d, struct held *h)
{
    for (unsigned g = 0; g < gpus_of(d); g++)
        h->fence[g] = cp_shootdowns_sent(machine_cp(d->machine, g));
}

static bool answered(const struct driver *d, const struct held *h)
{
    for (unsigned g = 0; g < gpus_of(d); g++)
        if (cp_shootdowns_done(machine_cp(d->machine, g)) < h->fence[g])
            return false;
    for (unsigned g = 0; g < gpus_of(d); g++)
        if (cp_tables_done(machine_cp(d->machine, g)) < h->tables[g])
            return false;
    if (h->what.kind == HELD_VRAM && migrate_comes(d->migrate, pmem_addr(h->what.gpu + 1, h->what.at), h->what.bytes))
        return false;
    return d->slots_answered >= h->slots;
}

/* Nothing is under way any more that was translated before the first items were given back: what they held leaves the
 * caches, by one command a GPU for all of them.  The L2 caches of a GPU hold its own VRAM, whoever reached it. */
static void caches_drop(struct driver *d, struct held *items, size_t count)
{
    uint64_t reached = 0, own = 0;
    for (size_t i = 0; i < count; i++) {
        reached |= items[i].what.reached;
        if (items[i].what.reached && items[i].what.cached)
            own |= UINT64_C(1) << items[i].what.gpu;
    }
    for (unsigned g = 0; g < gpus_of(d); g++)
        if ((reached | own) >> g & 1)
            cp_caches_drop(machine_cp(d->machine, g), own >> g & 1);
    for (size_t i = 0; i < count; i++) {
        if (items[i].what.reached)
            fence_take(d, &items[i]);
        items[i].what.reached = 0;
    }
}

static size_t answered_first(const struct driver *d, const struct held *items, size_t count)
{
    size_t n = 0;
    while (n < count && answered(d, &items[n]))
        n++;
    return n;
}

static void give(struct driver *d, const struct handed *h)
{
    struct pmem *pm = machine_memory(d->machine);
    switch (h->kind) {
    case HELD_VRAM:
        store_free(&d->vram[h->gpu], h->at, h->bytes);
        break;
    case HELD_GTT:
        store_free(&d->gtt, h->at, h->bytes);
        break;
    case HELD_WINDOW:
        pmem_window_remove(pm, h->at);
        break;
    case HELD_TABLES:
        pagetable_recycle(pm, h->gpu, h->at);
        break;
    case HELD_FRAME:
        migrate_emptied(d->migrate, pmem_addr(h->gpu + 1, h->at));
        break;
    }
}

void quarantine_put(struct driver *d, struct handed what)
{
    struct quarantine *q = &d->quarantine;
    struct held h = {.what = what, .slots = d->slots_asked};
    fence_take(d, &h);
    for (unsigned g = 0; g < gpus_of(d); g++)
        h.tables[g] = cp_tables_asked(machine_cp(d->machine, g));
    q->items = xgrow(q->items, &q->room, q->first + q->count + 1, sizeof *q->items);
    q->items[q->first + q->count++] = h;
    quarantine_release(d);
}

void quarantine_release(struct driver *d)
{
    struct quarantine *q = &d->quarantine;
    if (q->count == 0)
        return;
    struct held *items = q->items + q->first;
    caches_drop(d, items, answered_first(d, items, q->count));
    const size_t gone = answered_first(d, items, q->count);
    for (size_t i = 0; i < gone; i++)
        give(d, &items[i].what);
    q->count -= gone;
    q->first += gone;
    if (q->first <= q->count) /* moved when fewer stay than have gone: each item a bounded number of times */
        return;
    memmove(q->items, q->items + q->first, q->count * sizeof *q->items);
    q->first = 0;
}

bool quarantine_empty(const struct driver *d)
{
    return d->quarantine.count == 0;
}

void quarantine_fini(struct driver *d)
{
    free(d->quarantine.items);
    d->quarantine = (struct quarantine){0};
}
