/* SPDX-License-Identifier: Apache-2.0
 * Frames that nobody may access, or nobody may read or write, while pages move (pmem.h).  A byte a frame, shared with
 * worker processes: whoever accesses a line looks there, and nothing is there unless somebody checks.  Not responsible
 * for: when a frame is guarded (host/monitor/monitor.h), the look (store, golden model).
 */
#include <sys/mman.h>
#include <unistd.h>

#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define PAGE UINT64_C(4096)

static uint64_t frames(const struct pmem *pm)
{
    return pm->vram_bytes / PAGE;
}

bool pmem_guard_begin(struct pmem *pm)
{
    for (unsigned g = 0; g < pm->gpus; g++) {
        void *guard = mmap(NULL, frames(pm), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (guard == MAP_FAILED) {
            pmem_guard_end(pm);
            return false;
        }
        pm->vram[g].guard = guard;
    }
    pm->guards_of = getpid();
    return true;
}

void pmem_guard_end(struct pmem *pm)
{
    for (unsigned g = 0; g < pm->gpus; g++)
        if (pm->vram[g].guard) {
            munmap(pm->vram[g].guard, frames(pm));
            pm->vram[g].guard = NULL;
        }
}

/* The process's own guards, NULL: none. */
static uint8_t *guard_of(const struct pmem *pm, uint64_t frame)
{
    uint8_t *guard = pmem_can_move(pm, frame & ~(PAGE - 1)) ? pm->vram[pmem_gpu_at(frame)].guard : NULL;
    return guard && pm->guards_of == getpid() ? guard + (frame & PMEM_OFFSET_MASK) / PAGE : NULL;
}

void pmem_guard_set(struct pmem *pm, uint64_t frame, enum pmem_guard guard)
{
    uint8_t *entry = guard_of(pm, frame);
    if (entry)
        __atomic_store_n(entry, (uint8_t)guard, __ATOMIC_RELAXED);
}

void pmem_guard_open(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes)
{
    for (uint64_t p = at; memory < pm->gpus && pm->vram[memory].guard && p < at + bytes; p += PAGE)
        pmem_guard_set(pm, pmem_addr(memory + 1, p), PMEM_OPEN);
}

const uint8_t *pmem_guards(const struct pmem *pm, unsigned gpu)
{
    return gpu < pm->gpus ? pm->vram[gpu].guard : NULL;
}

const char *pmem_guard_wrong(uint8_t guard, bool write)
{
    if (guard == PMEM_LEFT)
        return "its page has left";
    if (guard == PMEM_SENT && write)
        return "its page is being sent away, and is written";
    if (guard == PMEM_COMES && !write)
        return "its page has not come yet, and is read";
    return NULL;
}
