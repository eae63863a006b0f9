/* SPDX-License-Identifier: Apache-2.0
 * Memory between two owners; contract in quarantine.h.
 */
#include "driver/quarantine.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "driver/driver.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

struct held {
    enum held_kind kind;
    unsigned gpu;
    uint64_t at, bytes;
    uint64_t fence[DRIVER_GPUS]; /* shoot-downs sent to each GPU when it was given back */
};

static bool answered(const struct driver *d, const struct held *h)
{
    for (unsigned g = 0; machine_started(d->machine) && g < machine_gpus(d->machine); g++)
        if (cp_shootdowns_done(machine_cp(d->machine, g)) < h->fence[g])
            return false;
    return true;
}

static void give(struct driver *d, const struct held *h)
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
    }
}

void quarantine_put(struct driver *d, enum held_kind kind, unsigned gpu, uint64_t at, uint64_t bytes)
{
    struct quarantine *q = &d->quarantine;
    struct held h = {.kind = kind, .gpu = gpu, .at = at, .bytes = bytes};
    for (unsigned g = 0; machine_started(d->machine) && g < machine_gpus(d->machine); g++)
        h.fence[g] = cp_shootdowns_sent(machine_cp(d->machine, g));
    if (q->head == q->count && answered(d, &h)) {
        give(d, &h);
        return;
    }
    q->items = xgrow(q->items, &q->room, q->count + 1, sizeof *q->items);
    q->items[q->count++] = h;
}

void quarantine_release(struct driver *d)
{
    struct quarantine *q = &d->quarantine;
    while (q->head < q->count && answered(d, &q->items[q->head]))
        give(d, &q->items[q->head++]);
    if (2 * q->head >= q->count) { /* the rest to the front */
        memmove(q->items, q->items + q->head, (q->count - q->head) * sizeof *q->items);
        q->count -= q->head;
        q->head = 0;
    }
}

bool quarantine_empty(const struct driver *d)
{
    return d->quarantine.head == d->quarantine.count;
}

void quarantine_fini(struct driver *d)
{
    free(d->quarantine.items);
    d->quarantine = (struct quarantine){0};
}
