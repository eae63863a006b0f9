/* SPDX-License-Identifier: Apache-2.0
 * Memory objects of a process: allocation, mapping into page tables of GPUs, the data figure when VRAM is freed.
 * Physical pages are handed out first fit in the order of calls; windows of client memory are numbered in that order
 * too, so nothing depends on client addresses.
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
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)
#define VA_LIMIT (UINT64_C(1) << 40)
#define OBJECTS_MAX 65536u      /* of a process */
#define USER_BYTES_MAX VA_LIMIT /* of a process: user pointers together, as much as it has GPU addresses */

struct object *memory_find(struct client *c, uint64_t handle)
{
    for (struct object *o = c->objects; o; o = o->next)
        if (o->handle == handle)
            return o;
    return NULL;
}

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + PAGE - 1) & ~(PAGE - 1);
}

/* Offsets of a render node: VRAM, on the first one the GTT behind it. */
static uint64_t gtt_begin(const struct driver *d)
{
    return pmem_vram_bytes(machine_memory(d->machine));
}

static int place_take(struct driver *d, struct client *c, struct object *o,
                      struct kfd_ioctl_alloc_memory_of_gpu_args *a)
{
    /* equal to the virtual address modulo this: what pagetable_map needs for large entries */
    const uint64_t align = pagetable_align(o->bytes);
    if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_VRAM) {
        o->kind = OBJECT_VRAM;
        o->offset = store_alloc(&d->vram[o->gpu], c->index + 1, o->bytes, align, o->va);
        a->mmap_offset = o->offset;
    } else if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_GTT) {
        o->kind = OBJECT_GTT;
        o->offset = store_alloc(&d->gtt, c->index + 1, o->bytes, align, o->va);
        a->mmap_offset = gtt_begin(d) + o->offset;
    } else if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) {
        o->kind = OBJECT_USER;
        if (a->mmap_offset > UINT64_MAX - o->bytes)
            return EINVAL;
        if (o->bytes > USER_BYTES_MAX - c->user_bytes)
            return ENOMEM;
        o->offset = pmem_window_add(machine_memory(d->machine), c->pid, a->mmap_offset & ~(PAGE - 1), o->bytes);
        if (!o->offset)
            return ENOMEM;
        c->user_bytes += o->bytes;
    } else if (a->flags & (KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL | KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP)) {
        bool doorbell = a->flags & KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL;
        o->kind = OBJECT_PAGE;
        a->mmap_offset = doorbell_encode(doorbell ? PAGE_DOORBELL : PAGE_MMIO, a->gpu_id);
    } else {
        return EINVAL;
    }
    if (o->offset != ARENA_NONE)
        return 0;
    return quarantine_empty(d) ? ENOMEM : EAGAIN; /* there may be room when GPUs have answered */
}

int memory_alloc(struct driver *d, struct client *c, void *arg)
{
    struct kfd_ioctl_alloc_memory_of_gpu_args *a = arg;
    int gpu = gpu_of_id(d, a->gpu_id);
    if (gpu < 0 || a->size == 0 || a->size > VA_LIMIT || a->va_addr > VA_LIMIT - a->size || (a->va_addr & (PAGE - 1)))
        return EINVAL;
    if (a->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM && a->size % (2 * PAGE))
        return EINVAL; /* two halves of whole pages */
    if (c->object_count == OBJECTS_MAX) {
        log_warn("driver", "client %u: no more than %u allocations", c->index, OBJECTS_MAX);
        return ENOMEM;
    }
    struct object *o = xcalloc(1, sizeof *o);
    *o = (struct object){.va = a->va_addr, .bytes = round_up(a->size), .flags = a->flags, .gpu = (unsigned)gpu};
    int error = place_take(d, c, o, a);
    if (error) {
        free(o);
        return error;
    }
    o->handle = c->next_handle++;
    struct object **link = &c->objects;
    while (*link)
        link = &(*link)->next;
    *link = o;
    c->object_count++;
    a->handle = o->handle;
    return 0;
}

/* What the host, or another GPU than the one whose memory it is, uses at the same time is not kept in a cache. */
static uint32_t entry_flags(const struct object *o, unsigned gpu)
{
    uint32_t flags = PTE_R;
    if (o->flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
        flags |= PTE_W;
    if (o->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
        flags |= PTE_X;
    if ((o->kind != OBJECT_VRAM || o->gpu != gpu) &&
        (o->flags & (KFD_IOC_ALLOC_MEM_FLAGS_COHERENT | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED)))
        flags |= PTE_UNCACHED;
    return flags;
}

/* Something else of the client is mapped at these addresses. */
static bool range_taken(const struct client *c, const struct object *o, unsigned gpu)
{
    for (const struct object *p = c->objects; p; p = p->next)
        if (p != o && p->mapped >> gpu & 1 && p->kind != OBJECT_PAGE && p->va < o->va + o->bytes &&
            o->va < p->va + p->bytes)
            return true;
    return false;
}

static int entries_write(struct pagetable *pt, const struct object *o, unsigned gpu)
{
    uint64_t pa = pmem_addr(o->kind == OBJECT_VRAM ? o->gpu + 1 : 0, o->offset);
    if (o->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM) { /* the second half shows the same pages again */
        uint64_t half = o->bytes / 2;
        int error = -pagetable_map(pt, o->va, pa, half, entry_flags(o, gpu));
        return error ? error : -pagetable_map(pt, o->va + half, pa, half, entry_flags(o, gpu));
    }
    return -pagetable_map(pt, o->va, pa, o->bytes, entry_flags(o, gpu));
}

/* As the kernel's driver: mapping again changes nothing, and an address leads to one object at a time.  So no valid
 * entry is ever replaced, and those of an object are all gone when it is unmapped, or when mapping it fails. */
static int object_map(struct client *c, struct object *o, unsigned gpu)
{
    struct pagetable *pt = c->gpu[gpu].pt;
    if (o->kind == OBJECT_PAGE || o->mapped >> gpu & 1) /* GPUs do not ring doorbells here */
        return 0;
    if (!pt)
        return EINVAL;
    if (range_taken(c, o, gpu)) {
        log_warn("driver", "client %u: 0x%llx is mapped already on gpu%u", c->index, (unsigned long long)o->va, gpu);
        return EINVAL;
    }
    int error = entries_write(pt, o, gpu);
    if (error)
        pagetable_unmap(pt, o->va, o->bytes);
    return error;
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
    o->mapped &= ~(UINT64_C(1) << gpu);
    if (o->kind == OBJECT_PAGE)
        return;
    CHECK(pagetable_unmap(on->pt, o->va, o->bytes) == 0, "driver.memory", "va=%llx bytes=%llx",
          (unsigned long long)o->va, (unsigned long long)o->bytes);
    if (on->space_open)
        cp_space_shootdown(machine_cp(d->machine, gpu), &on->space, o->va, o->bytes);
    tables_put(d, gpu);
}

/* Scratch memory is left out: its contents depend on where wavefronts ran.  Alone among the kinds of VRAM that the
 * runtime allocates, it is not executable. */
static void object_hash(struct driver *d, const struct object *o)
{
    if (o->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
        datahash_add(&d->data, pmem_vram(machine_memory(d->machine), o->gpu, o->offset, o->bytes), o->bytes);
}

/* Not mapped any more, or with page tables that go as a whole. */
static void object_release(struct driver *d, struct client *c, struct object *o)
{
    static const enum held_kind kinds[] = {
        [OBJECT_VRAM] = HELD_VRAM, [OBJECT_GTT] = HELD_GTT, [OBJECT_USER] = HELD_WINDOW};
    if (o->kind == OBJECT_VRAM)
        object_hash(d, o);
    if (o->kind == OBJECT_USER)
        c->user_bytes -= o->bytes;
    if (o->kind != OBJECT_PAGE)
        quarantine_put(
            d, (struct handed){
                   .kind = kinds[o->kind], .gpu = o->gpu, .at = o->offset, .bytes = o->bytes, .reached = o->reached});
    c->object_count--;
    free(o);
}

int memory_free(struct driver *d, struct client *c, void *arg)
{
    const struct kfd_ioctl_free_memory_of_gpu_args *a = arg;
    for (struct object **link = &c->objects; *link; link = &(*link)->next) {
        if ((*link)->handle != a->handle)
            continue;
        struct object *o = *link;
        *link = o->next;
        for (unsigned g = 0; g < machine_gpus(d->machine); g++)
            object_unmap(d, c, o, g);
        object_release(d, c, o);
        return 0;
    }
    return EINVAL;
}

int memory_map_file(struct driver *d, struct client *c, unsigned gpu, uint64_t offset, uint64_t *bytes,
                    uint64_t *file_offset)
{
    const bool gtt = gpu == 0 && offset >= gtt_begin(d);
    const uint64_t at = gtt ? offset - gtt_begin(d) : offset;
    const struct object *o = c->objects;
    if (offset % PAGE || *bytes == 0)
        return -1;
    while (o && !(o->kind == (gtt ? OBJECT_GTT : OBJECT_VRAM) && (gtt || o->gpu == gpu) && at >= o->offset &&
                  at - o->offset < o->bytes))
        o = o->next;
    if (!o || *bytes > o->bytes - (at - o->offset))
        return -1;
    return store_fd(gtt ? &d->gtt : &d->vram[gpu], at, file_offset, bytes);
}

void memory_release_all(struct driver *d, struct client *c)
{
    while (c->objects) {
        struct object *o = c->objects;
        c->objects = o->next;
        object_release(d, c, o);
    }
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
            int error = object_map(c, o, (unsigned)gpu);
            if (error) {
                tables_put(d, (unsigned)gpu);
                return error == ENOMEM && !full ? EAGAIN : error;
            }
            o->mapped |= UINT64_C(1) << gpu;
            o->reached |= UINT64_C(1) << gpu;
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
