/* SPDX-License-Identifier: Apache-2.0
 * Memory behind objects; contract in backing.h.  Physical pages are handed out first fit in the order of calls; windows
 * of client memory are numbered in that order too, so nothing depends on client addresses.
 */
#include "memory/backing.h"

#include <errno.h>
#include <stdlib.h>

#include <linux/kfd_ioctl.h>

#include "base/xalloc.h"
#include "driver/driver.h"
#include "migrate/migrate.h"
#include "migrate/movable.h"
#include "system/phases.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define USER_BYTES_MAX (UINT64_C(1) << 40) /* of a process: user pointers together, as much as it has GPU addresses */

uint64_t backing_address(const struct backing *b)
{
    return pmem_addr(b->kind == BACKING_VRAM ? b->gpu + 1 : 0, b->offset);
}

struct backing *backing_at(const struct driver *d, uint64_t address)
{
    struct range *r = ranges_at(&d->backings, address);
    return r ? RANGE_OF(r, struct backing, place) : NULL;
}

static int window_take(struct driver *d, struct client *c, struct backing *b, uint64_t cpu)
{
    if (cpu > UINT64_MAX - b->bytes)
        return EINVAL;
    if (b->bytes > USER_BYTES_MAX - c->user_bytes)
        return ENOMEM;
    b->offset = pmem_window_add(machine_memory(d->machine), c->pid, cpu & ~(PAGE - 1), b->bytes);
    if (!b->offset)
        return ENOMEM;
    c->user_bytes += b->bytes;
    return 0;
}

static int memory_take(struct driver *d, const struct client *c, struct backing *b, uint64_t va)
{
    struct store *s = b->kind == BACKING_VRAM ? &d->vram[b->gpu] : &d->gtt;
    /* equal to the virtual address modulo this: what pagetable_map needs for large entries */
    b->offset = store_alloc(s, c->index + 1, b->bytes, pagetable_align(b->bytes), va);
    if (b->offset != ARENA_NONE)
        return 0;
    return quarantine_empty(d) ? ENOMEM : EAGAIN;
}

int backing_new(struct driver *d, struct client *c, const struct backing *what, uint64_t va, uint64_t cpu,
                struct hold **hold)
{
    struct backing *b = xzalloc(sizeof *b);
    *b = *what;
    int error = b->kind == BACKING_USER ? window_take(d, c, b, cpu) : memory_take(d, c, b, va);
    if (error) {
        free(b);
        return error;
    }
    b->place = (struct range){.at = backing_address(b), .bytes = b->bytes};
    ranges_add(&d->backings, &b->place);
    *hold = backing_hold(c, b);
    return 0;
}

struct hold *backing_hold(struct client *c, struct backing *b)
{
    const uint64_t address = backing_address(b);
    struct range *known = ranges_at(&c->holds, address);
    if (known)
        return RANGE_OF(known, struct hold, place);
    struct hold *hold = xzalloc(sizeof *hold);
    *hold = (struct hold){.place = {.at = address, .bytes = b->bytes}, .backing = b, .client = c, .next = b->hold};
    ranges_add(&c->holds, &hold->place);
    b->hold = hold;
    b->holds++;
    return hold;
}

void backing_add(struct hold *hold, struct object *o)
{
    o->sibling = hold->object;
    o->sibling_link = &hold->object;
    if (o->sibling)
        o->sibling->sibling_link = &o->sibling;
    hold->object = o;
    hold->objects++;
}

void backing_remove(struct object *o)
{
    *o->sibling_link = o->sibling;
    if (o->sibling)
        o->sibling->sibling_link = o->sibling_link;
}

static void hold_forget(struct client *c, struct hold *hold)
{
    struct hold **link = &hold->backing->hold;
    while (*link != hold)
        link = &(*link)->next;
    *link = hold->next;
    ranges_remove(&c->holds, &hold->place);
    free(hold);
}

/* Scratch memory is left out: its contents depend on where wavefronts ran.  Alone among the kinds of VRAM that the
 * runtime allocates, it is not executable. */
static void contents_hash(struct driver *d, const struct backing *b)
{
    if (b->kind == BACKING_VRAM && b->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
        datahash_add(&d->data, pmem_pages(machine_memory(d->machine), b->gpu, b->offset, b->bytes), b->bytes);
}

struct memory_fact backing_fact(const struct backing *b)
{
    static const enum memory_kind kinds[] = {
        [BACKING_VRAM] = MEMORY_VRAM, [BACKING_GTT] = MEMORY_HOST, [BACKING_USER] = MEMORY_CLIENT};
    struct memory_fact fact = {.kind = kinds[b->kind],
                               .fine = b->flags & (KFD_IOC_ALLOC_MEM_FLAGS_COHERENT | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED),
                               .executable = b->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE,
                               .ring = b->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM};
    for (const struct hold *hold = b->hold; hold; hold = hold->next)
        for (const struct object *o = hold->object; o; o = o->sibling)
            fact.mapped |= o->mapped;
    return fact;
}

void backing_drop(struct driver *d, struct client *c, struct hold *hold)
{
    static const enum held_kind kinds[] = {
        [BACKING_VRAM] = HELD_VRAM, [BACKING_GTT] = HELD_GTT, [BACKING_USER] = HELD_WINDOW};
    struct backing *b = hold->backing;
    if (--hold->objects)
        return;
    hold_forget(c, hold);
    if (b->kind == BACKING_USER)
        c->user_bytes -= b->bytes;
    if (--b->holds)
        return;
    contents_hash(d, b);
    if (b->name.bytes) /* from now on its handle names nothing */
        ranges_remove(&d->shared, &b->name);
    quarantine_put(d, (struct handed){.kind = kinds[b->kind],
                                      .gpu = b->gpu,
                                      .at = b->offset,
                                      .bytes = b->bytes,
                                      .cached = b->kind == BACKING_VRAM,
                                      .reached = b->reached});
    if (b->kind == BACKING_VRAM) {
        migrate_gone(d->migrate, b->place.at, b->bytes);
        phases_gone(d->phases, b->place.at, b->bytes);
    }
    ranges_remove(&d->backings, &b->place);
    free(b);
}
