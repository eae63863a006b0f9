/* SPDX-License-Identifier: Apache-2.0
 * Memory objects of a process: allocation, mapping into page tables of GPUs and into the process.  Not responsible for:
 * the memory that they are (backing.c), memory of several processes (shared_objects.c).
 */
#include <errno.h>
#include <stdlib.h>

#include <linux/kfd_ioctl.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "driver/doorbell.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "gantry_cfg.h"
#include "memory/lazy_entries.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define VA_LIMIT (UINT64_C(1) << 40)
#define IMPORTED (UINT64_C(1) << 46) /* bit of an mmap offset that is never 0: the user space maps no import at 0 */
#define OBJECTS_MAX 65536u           /* of a process */

struct object *memory_find(const struct client *c, uint64_t handle)
{
    struct range *r = ranges_at(&c->objects, handle);
    return r ? RANGE_OF(r, struct object, handle) : NULL;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(PAGE - 1);
}

/* Offsets of a render node: its VRAM, behind it the GTT, which is the same through any of them: libhsakmt maps GTT
 * memory through the node that it allocated it on, before version 6 always the first. */
static uint64_t gtt_begin(const struct driver *d)
{
    return pmem_vram_bytes(machine_memory(d->machine));
}

static bool address_good(uint64_t va, uint64_t bytes)
{
    return bytes && bytes <= VA_LIMIT && va <= VA_LIMIT - bytes && va % PAGE == 0;
}

static bool objects_full(const struct client *c)
{
    if (c->objects.count < OBJECTS_MAX)
        return false;
    log_warn("driver", "client %u: no more than %u allocations", c->index, OBJECTS_MAX);
    return true;
}

/* hold: one object more lies in it; NULL: a page of the kfd file. */
static struct object *object_new(struct client *c, uint64_t va, uint64_t bytes, struct hold *hold)
{
    struct object *o = xzalloc(sizeof *o);
    *o = (struct object){.handle = {.at = c->next_handle++, .bytes = 1}, .va = va, .bytes = bytes, .hold = hold};
    ranges_add(&c->objects, &o->handle);
    if (hold)
        backing_add(hold, o);
    return o;
}

static uint64_t mmap_offset_of(const struct driver *d, const struct backing *b)
{
    return b->kind == BACKING_GTT ? gtt_begin(d) + b->offset : b->offset;
}

/* A page of the kfd file, doorbells or registers. */
static bool is_page(uint32_t flags)
{
    return flags & (KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP) &&
           !(flags & (KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT | KFD_IOC_ALLOC_MEM_FLAGS_USERPTR));
}

int memory_alloc(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    if (gpu < 0 || !address_good(a->va_addr, a->size))
        return EINVAL;
    if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM && a->size % (2 * PAGE))
        return EINVAL; /* two halves of whole pages */
    if (objects_full(c))
        return ENOMEM;
    struct hold *hold = NULL;
    struct backing what = {.gpu = (unsigned)gpu, .flags = a->flags, .bytes = round_up(a->size)};
    if (is_page(a->flags)) {
        const bool doorbell = a->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
        a->mmap_offset = doorbell_encode(doorbell ? PAGE_DOORBELL : PAGE_MMIO, a->gpu_id);
    } else {
        if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM)
            what.kind = BACKING_VRAM;
        else if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT)
            what.kind = BACKING_GTT;
        else if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR)
            what.kind = BACKING_USER;
        else
            return EINVAL;
        int error = backing_new(d, c, &what, a->va_addr, a->mmap_offset, &hold);
        if (error)
            return error;
        if (what.kind != BACKING_USER)
            a->mmap_offset = mmap_offset_of(d, hold->backing);
    }
    a->handle = object_new(c, a->va_addr, what.bytes, hold)->handle.at;
    return 0;
}

int memory_add(struct driver *d, struct client *c, struct backing *b, uint64_t va, uint64_t *handle,
               uint64_t *mmap_offset)
{
    if (!address_good(va, b->bytes))
        return EINVAL;
    if (objects_full(c))
        return ENOMEM;
    *mmap_offset = IMPORTED | mmap_offset_of(d, b);
    *handle = object_new(c, va, b->bytes, backing_hold(c, b))->handle.at;
    return 0;
}

static void mapping_note(struct ranges *mapped, struct object *o, unsigned gpu)
{
    struct mapping *m = xzalloc(sizeof *m);
    *m = (struct mapping){.range = {.at = o->va, .bytes = o->bytes}, .object = o};
    ranges_add(mapped, &m->range);
    o->mapped |= UINT64_C(1) << gpu;
}

static void mapping_forget(struct ranges *mapped, struct range *r)
{
    ranges_remove(mapped, r);
    free(RANGE_OF(r, struct mapping, range));
}

/* As the kernel's driver: mapping again changes nothing, and an address leads to one object at a time.  So no valid
 * entry is ever replaced, and those of an object are all gone when it is unmapped, or when mapping it fails. */
static int object_map(struct driver *d, struct client *c, struct object *o, unsigned gpu)
{
    struct client_gpu *on = &c->gpu[gpu];
    if (o->mapped >> gpu & 1)
        return 0;
    if (!o->hold) { /* GPUs do not ring doorbells here */
        if (!ranges_overlap(&on->pages, o->va, o->bytes))
            mapping_note(&on->pages, o, gpu);
        return 0;
    }
    if (!on->pt)
        return EINVAL;
    if (ranges_overlap(&on->mapped, o->va, o->bytes)) {
        log_warn("driver", "client %u: 0x%llx is mapped already on gpu%u", c->index, (unsigned long long)o->va, gpu);
        return EINVAL;
    }
    if (!lazy_all(d, o, gpu)) /* else what moves has no entry there, before and behind its move */
        moves_settle(d, o);
    int error = entries_write(d, on->pt, o, gpu, lazy_memory(d, o->hold->backing));
    if (error) {
        pagetable_unmap(on->pt, o->va, o->bytes);
        return error;
    }
    mapping_note(&on->mapped, o, gpu);
    o->hold->backing->reached |= UINT64_C(1) << gpu;
    return 0;
}

/* Page tables that unmapping has taken out. */
static void tables_put(struct driver *d, unsigned gpu)
{
    const uint64_t removed = pagetable_removed(machine_memory(d->machine), gpu);
    if (removed != d->tables_put[gpu])
        quarantine_put(d, (struct handed){.kind = HELD_TABLES, .gpu = gpu, .at = removed});
    d->tables_put[gpu] = removed;
}

static void object_unmap(struct driver *d, struct client *c, struct object *o, unsigned gpu)
{
    struct client_gpu *on = &c->gpu[gpu];
    if (!(o->mapped >> gpu & 1))
        return;
    moves_settle(d, o);
    o->mapped &= ~(UINT64_C(1) << gpu);
    struct ranges *mapped = o->hold ? &on->mapped : &on->pages;
    mapping_forget(mapped, ranges_at(mapped, o->va));
    if (!o->hold)
        return;
    CHECK(pagetable_unmap(on->pt, o->va, o->bytes) == 0, "driver.memory", "va=%llx bytes=%llx",
          (unsigned long long)o->va, (unsigned long long)o->bytes);
    if (on->space_open)
        cp_space_shootdown(machine_cp(d->machine, gpu), &on->space, o->va, o->bytes);
    tables_put(d, gpu);
}

/* Not mapped any more, or with page tables that go as a whole. */
static void object_release(struct driver *d, struct client *c, struct object *o)
{
    ranges_remove(&c->objects, &o->handle);
    if (o->hold) {
        moves_settle(d, o);
        backing_remove(o);
        backing_drop(d, c, o->hold);
    }
    free(o);
}

int memory_free(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_free_memory_of_gpu_args *a = arg;
    struct object *o = memory_find(c, a->handle);
    if (!o)
        return EINVAL;
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        object_unmap(d, c, o, g);
    object_release(d, c, o);
    return 0;
}

int memory_map_file(struct driver *d, struct client *c, unsigned gpu, uint64_t offset, uint64_t *bytes,
                    uint64_t *file_offset)
{
    offset &= ~IMPORTED;
    const bool gtt = offset >= gtt_begin(d);
    const uint64_t at = gtt ? offset - gtt_begin(d) : offset;
    if (gpu >= machine_gpus(d->machine) || offset % PAGE || *bytes == 0 || at >= PMEM_WINDOW_BASE)
        return -1;
    const struct range *r = ranges_at(&c->holds, pmem_addr(gtt ? 0 : gpu + 1, at));
    const struct backing *b = r ? RANGE_OF(r, struct hold, place)->backing : NULL;
    if (!b || *bytes > b->bytes - (at - b->offset))
        return -1;
    return store_fd(gtt ? &d->gtt : &d->vram[gpu], at, file_offset, bytes);
}

void memory_settle_all(struct driver *d, const struct client *c)
{
    for (const struct range *r = ranges_from(&c->objects, 0); r; r = ranges_from(&c->objects, r->at + 1))
        moves_settle(d, RANGE_OF((struct range *)(uintptr_t)r, struct object, handle));
}

void memory_release_all(struct driver *d, struct client *c)
{
    for (unsigned g = 0; g < DRIVER_GPUS; g++) {
        while (c->gpu[g].mapped.root)
            mapping_forget(&c->gpu[g].mapped, c->gpu[g].mapped.root);
        while (c->gpu[g].pages.root)
            mapping_forget(&c->gpu[g].pages, c->gpu[g].pages.root);
    }
    while (c->objects.root) /* in the order in which they came */
        object_release(d, c, RANGE_OF(ranges_from(&c->objects, 0), struct object, handle));
}

/* MAP and UNMAP have the same argument; `map` says which. */
static int devices_each(struct driver *d, struct client *c, struct kfd_ioctl_map_memory_to_gpu_args *a, bool map)
{
    uint32_t ids[DRIVER_GPUS];
    struct object *o = memory_find(c, a->handle);
    if (!o || a->n_devices > DRIVER_GPUS || a->n_success > a->n_devices ||
        client_read(c, a->device_ids_array_ptr, ids, a->n_devices * sizeof ids[0]))
        return EINVAL;
    for (; a->n_success < a->n_devices; a->n_success++) {
        int gpu = gpu_of_id(d, ids[a->n_success]);
        if (gpu < 0)
            return EINVAL;
        if (map) {
            const bool full = quarantine_empty(d); /* else pages of tables may come back */
            int error = object_map(d, c, o, (unsigned)gpu);
            if (error) {
                tables_put(d, (unsigned)gpu);
                return error == ENOMEM && !full ? EAGAIN : error;
            }
        } else {
            object_unmap(d, c, o, (unsigned)gpu);
        }
    }
    return 0;
}

int memory_map(struct driver *d, struct client *c, void *arg)
{
    return devices_each(d, c, arg, true);
}
int memory_unmap(struct driver *d, struct client *c, void *arg)
{
    return devices_each(d, c, arg, false);
}
