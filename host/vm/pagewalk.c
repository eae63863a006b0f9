/* SPDX-License-Identifier: Apache-2.0
 * Memory seen through page tables (pagetable.h): walks of the tables in VRAM, as the hardware makes them, and accesses
 * of firmware and driver by the host's copy of the tables.
 */
#include <errno.h>
#include <stdbool.h>

#include "vm/pagetable.h"
#include "vm/pagetable_private.h"
#include "vm/pmem.h"

static const uint64_t *vram_table(struct pmem *pm, unsigned gpu, uint64_t offset, unsigned entries)
{
    return (const uint64_t *)(const void *)pmem_pages(pm, gpu, offset, entries * sizeof(uint64_t));
}

/* *place: where the entry of a page stands, 0: in no lowest table. */
static uint64_t walk(struct pmem *pm, uint64_t root, uint64_t va, uint64_t *place)
{
    unsigned owner = (unsigned)(root >> PMEM_OWNER_SHIFT) & 0xff;
    *place = 0;
    if (va >= VA_LIMIT || owner == 0)
        return 0;
    const uint64_t *table = vram_table(pm, owner - 1, root & PMEM_OFFSET_MASK, ROOT_ENTRIES);
    uint64_t entry = table ? table[va >> 30] : 0;
    if (!(entry & PTE_VALID))
        return 0;
    table = vram_table(pm, owner - 1, entry & PTE_OFFSET, ENTRIES);
    entry = table ? table[(va >> 21) & (ENTRIES - 1)] : 0;
    if (!(entry & PTE_VALID))
        return 0;
    if (entry & PTE_LEAF)
        return entry + (va & (BIG - PAGE));
    table = vram_table(pm, owner - 1, entry & PTE_OFFSET, ENTRIES);
    *place = pmem_addr(owner, (entry & PTE_OFFSET) + ((va >> 12) & (ENTRIES - 1)) * sizeof entry);
    entry = table ? table[(va >> 12) & (ENTRIES - 1)] : 0;
    return entry & (PTE_VALID | PTE_LOCKED) ? entry : 0;
}

uint64_t pagetable_walk_entry(struct pmem *pm, uint64_t root, uint64_t va)
{
    uint64_t place;
    return walk(pm, root, va, &place);
}

uint64_t pagetable_walk_place(struct pmem *pm, uint64_t root, uint64_t va)
{
    uint64_t place;
    walk(pm, root, va, &place);
    return place;
}

void pagetable_walk_each(struct pmem *pm, uint64_t root, pagetable_each_fn fn, void *ctx)
{
    const unsigned gpu = (unsigned)(root >> PMEM_OWNER_SHIFT) - 1;
    const uint64_t *upper = vram_table(pm, gpu, root & PMEM_OFFSET_MASK, ROOT_ENTRIES);
    for (uint64_t i = 0; upper && i < ROOT_ENTRIES; i++) {
        const uint64_t *middle = upper[i] & PTE_VALID ? vram_table(pm, gpu, upper[i] & PTE_OFFSET, ENTRIES) : NULL;
        for (uint64_t j = 0; middle && j < ENTRIES; j++) {
            const uint64_t va = i << 30 | j << 21, at = middle[j] & PTE_OFFSET;
            const bool below = (middle[j] & (PTE_VALID | PTE_LEAF)) == PTE_VALID;
            const uint64_t *lowest = below ? vram_table(pm, gpu, at, ENTRIES) : NULL;
            if (middle[j] & PTE_LEAF)
                fn(ctx, va, BIG, middle[j], 0);
            for (uint64_t k = 0; lowest && k < ENTRIES; k++)
                if (lowest[k])
                    fn(ctx, va | k << 12, PAGE, lowest[k], pmem_addr(gpu + 1, at + k * sizeof *lowest));
        }
    }
}

uint64_t pagetable_walk(struct pmem *pm, uint64_t root, uint64_t va)
{
    const uint64_t entry = pagetable_walk_entry(pm, root, va);
    return entry & PTE_VALID ? entry : 0;
}

/* pt: the host's copy says where pages are; NULL: the tables in VRAM at `root`. */
static int copy(struct pmem *pm, const struct pagetable *pt, uint64_t root, uint64_t va, uint8_t *buffer,
                uint64_t bytes, bool write)
{
    while (bytes) {
        uint64_t entry = !pt     ? pagetable_walk(pm, root, va)
                         : write ? pagetable_lookup(pt, va)
                                 : pagetable_entry(pt, va);
        if (!entry)
            return -EFAULT;
        uint64_t n = PAGE - (va & (PAGE - 1));
        if (n > bytes)
            n = bytes;
        uint64_t pa = (entry & PTE_ADDR) + (va & (PAGE - 1));
        int status = write ? pmem_write(pm, pa, buffer, n) : pmem_read(pm, pa, buffer, n);
        if (status < 0)
            return status;
        buffer += n;
        va += n;
        bytes -= n;
    }
    return 0;
}

int pagetable_read(struct pagetable *pt, uint64_t va, void *to, uint64_t bytes)
{
    return copy(pt->pm, pt, 0, va, to, bytes, false);
}

int pagetable_walk_read(struct pmem *pm, uint64_t root, uint64_t va, void *to, uint64_t bytes)
{
    return copy(pm, NULL, root, va, to, bytes, false);
}

int pagetable_write(struct pagetable *pt, uint64_t va, const void *from, uint64_t bytes)
{
    return copy(pt->pm, pt, 0, va, (uint8_t *)(uintptr_t)from, bytes, true);
}

int pagetable_atomic(struct pagetable *pt, uint64_t va, unsigned op, unsigned size, uint64_t operand)
{
    uint64_t entry = pagetable_lookup(pt, va), old = 0;
    if (!entry)
        return -EFAULT;
    return pmem_atomic(pt->pm, (entry & PTE_ADDR) + (va & (PAGE - 1)), op, size, operand, 0, &old);
}
