/* SPDX-License-Identifier: Apache-2.0
 * Entries of page tables for an object: where its pages are, and what a GPU may do with them.  Not responsible for: on
 * which GPUs it is mapped (memory_objects.c), pages that move while it is (host/migrate).
 */
#include <linux/kfd_ioctl.h>

#include "driver/driver.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define PAGE UINT64_C(4096)

/* What the host, or another GPU than the one whose memory it is, uses at the same time is not kept in a cache. */
uint32_t entries_flags(const struct backing *b, bool near)
{
    uint32_t flags = PTE_R;
    if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE)
        flags |= PTE_W;
    if (b->flags & KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE)
        flags |= PTE_X;
    if (!near && (b->flags & (KFD_IOC_ALLOC_MEM_FLAGS_COHERENT | KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED)))
        flags |= PTE_UNCACHED;
    return flags;
}

/* Bytes from `page` on that lie behind one another where it is now, at most `most`. */
static uint64_t run_of(const struct pmem *pm, uint64_t page, uint64_t most)
{
    const uint64_t frame = pmem_frame_of(pm, page);
    uint64_t bytes = *pmem_moved(pm) ? PAGE : most;
    while (bytes < most && pmem_frame_of(pm, page + bytes) == frame + bytes)
        bytes += PAGE;
    return bytes;
}

/* lazy: what is in another GPU's memory gets none yet. */
static int range_write(struct driver *d, struct pagetable *pt, const struct backing *b, unsigned gpu, uint64_t va,
                       uint64_t page, uint64_t bytes, bool lazy)
{
    const struct pmem *pm = machine_memory(d->machine);
    int error = 0;
    for (uint64_t at = 0, run; at < bytes && !error; at += run) {
        const uint64_t frame = pmem_frame_of(pm, page + at);
        const bool near = frame >> PMEM_OWNER_SHIFT == gpu + 1;
        run = run_of(pm, page + at, bytes - at);
        if (near || !lazy)
            error = -pagetable_map(pt, va + at, frame, run, entries_flags(b, near));
    }
    return error;
}

int entries_fill(struct driver *d, struct pagetable *pt, const struct backing *b, unsigned gpu, uint64_t va,
                 uint64_t page, uint64_t bytes)
{
    return range_write(d, pt, b, gpu, va, page, bytes, false);
}

int entries_write(struct driver *d, struct pagetable *pt, const struct object *o, unsigned gpu, bool lazy)
{
    const struct backing *b = o->hold->backing;
    const uint64_t half = o->bytes / 2; /* the second half of a queue shows the same pages again */
    const bool twice = b->flags & KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM;
    int error = range_write(d, pt, b, gpu, o->va, backing_address(b), twice ? half : o->bytes, lazy && !twice);
    if (!error && twice)
        error = entries_fill(d, pt, b, gpu, o->va + half, backing_address(b), half);
    if (!error && lazy) /* an access waits while its page moves, or comes: not for 64 lines of a new table as well */
        error = -pagetable_prepare(pt, o->va, o->bytes);
    return error;
}
