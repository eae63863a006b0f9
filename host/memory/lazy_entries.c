/* SPDX-License-Identifier: Apache-2.0
 * Entries that a GPU gets on its first access; contract in lazy_entries.h.
 */
#include "memory/lazy_entries.h"

#include "driver/driver.h"
#include "gantry_cfg.h"
#include "migrate/migrate.h"
#include "migrate/movable.h"
#include "system/phases.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

static bool on(const struct driver *d)
{
    return phases_faults(d->phases);
}

bool lazy_memory(const struct driver *d, const struct backing *b)
{
    struct memory_fact fact = backing_fact(b);
    fact.mapped = UINT64_MAX; /* it may be one GPU's now, and have others later */
    return on(d) && !movable_why_not(&fact);
}

bool lazy_all(const struct driver *d, const struct object *o, unsigned gpu)
{
    const struct backing *b = o->hold->backing;
    bool all = lazy_memory(d, b);
    for (uint64_t at = 0; all && at < b->bytes; at += MIGRATE_PAGE)
        all = pmem_frame_of(machine_memory(d->machine), backing_address(b) + at) >> PMEM_OWNER_SHIFT != gpu + 1;
    return all;
}

bool lazy_entries(const struct driver *d, const struct client *c, const struct object *o, unsigned gpu, uint64_t page,
                  uint64_t bytes)
{
    const uint64_t va = o->va + (page - backing_address(o->hold->backing));
    for (uint64_t at = 0; on(d) && at < bytes; at += MIGRATE_PAGE)
        if (pagetable_entry(c->gpu[gpu].pt, va + at))
            return true;
    return !on(d);
}

bool lazy_waits(const struct driver *d, const struct client *c, const struct object *o, unsigned gpu, uint64_t page,
                uint64_t bytes)
{
    const uint64_t va = o->va + (page - backing_address(o->hold->backing));
    return on(d) && faults_wait(phases_faults(d->phases), c, gpu, va, bytes);
}

/* On any GPU, of any process. */
static bool touched(const struct driver *d, const struct backing *b, uint64_t page)
{
    for (const struct hold *hold = b->hold; hold; hold = hold->next)
        for (const struct object *o = hold->object; o; o = o->sibling)
            for (unsigned g = 0; g < machine_gpus(d->machine); g++)
                if (o->mapped >> g & 1 && lazy_entries(d, hold->client, o, g, page, MIGRATE_PAGE))
                    return true;
    return false;
}

bool lazy_untouched(const struct driver *d, const struct backing *b, uint64_t page, uint64_t bytes)
{
    for (uint64_t at = 0; on(d) && at < bytes; at += MIGRATE_PAGE)
        if (!touched(d, b, page + at))
            return true;
    return false;
}

void lazy_forget(const struct driver *d, const struct client *c)
{
    if (on(d))
        faults_forget(phases_faults(d->phases), c);
}

bool lazy_withheld(void *ctx, void *owner, unsigned gpu, uint64_t va, uint32_t rights)
{
    const struct driver *d = ctx;
    const struct client *c = owner;
    return on(d) && !c->ended && faults_report(phases_faults(d->phases), owner, gpu, va, rights == 0);
}

/* The object that is mapped there; NULL: none, or one without memory. */
static const struct object *object_at(const struct client *c, unsigned gpu, uint64_t va)
{
    const struct range *r = ranges_at(&c->gpu[gpu].mapped, va);
    return r ? RANGE_OF(r, struct mapping, range)->object : NULL;
}

bool lazy_place(void *ctx, void *owner, unsigned gpu, uint64_t va, struct fault_place *p)
{
    struct driver *d = ctx;
    const struct client *c = owner;
    const struct object *o = object_at(c, gpu, va);
    if (!o)
        return false;
    const uint64_t page = backing_address(o->hold->backing) + (va - o->va) / MIGRATE_PAGE * MIGRATE_PAGE;
    *p = (struct fault_place){.mapped = pagetable_entry(c->gpu[gpu].pt, va)};
    p->bytes = phases_unit(d->phases, page, &p->page);
    p->moves = p->bytes;
    if (!p->bytes) {
        p->page = page;
        p->bytes = MIGRATE_PAGE;
    }
    p->va = o->va + (p->page - backing_address(o->hold->backing));
    p->home = (unsigned)(pmem_frame_of(machine_memory(d->machine), p->page) >> PMEM_OWNER_SHIFT) - 1;
    return true;
}

int lazy_map(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes)
{
    struct driver *d = ctx;
    const struct client *c = owner;
    const struct object *o = object_at(c, gpu, va);
    const struct backing *b = o->hold->backing;
    return entries_fill(d, c->gpu[gpu].pt, b, gpu, va, backing_address(b) + (va - o->va), bytes);
}

void lazy_answer(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes, bool deny)
{
    struct driver *d = ctx;
    struct client *c = owner;
    if (c->gpu[gpu].space_open)
        cp_space_answer(machine_cp(d->machine, gpu), &c->gpu[gpu].space, va, bytes, deny);
}
