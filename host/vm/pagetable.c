/* SPDX-License-Identifier: Apache-2.0
 * GPU page tables (pagetable.h): three levels of 64-bit entries in a reserved region at the top of each VRAM, written
 * here and walked by rtl/tlb and by the golden model.  Not responsible for: TLB shoot-down (driver, firmware), which
 * addresses are mapped (driver).
 */
#include "vm/pagetable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define VA_LIMIT (UINT64_C(1) << 40)
#define PAGE 4096u
#define BIG (UINT64_C(2) << 20)
#define PTE_OFFSET UINT64_C(0x0000fffffffff000)
#define ENTRIES 512u
#define ROOT_ENTRIES 1024u
#define BLOCK (UINT64_C(16) * PAGE)
#define LARGE (UINT64_C(256) * PAGE)
#define FRAGMENT_BLOCK (UINT64_C(4) << PTE_FRAGMENT_SHIFT)
#define FRAGMENT_LARGE (UINT64_C(8) << PTE_FRAGMENT_SHIFT)
#define FRAGMENT_BIG (UINT64_C(9) << PTE_FRAGMENT_SHIFT)

struct pagetable {
    struct pmem *pm;
    unsigned gpu;
    uint64_t root; /* offset in VRAM */
};

static struct table_region *region_of(struct pmem *pm, unsigned gpu)
{
    struct table_region *r = &pm->vram[gpu].tables;
    if (!r->used) {
        r->count = (uint32_t)(pmem_table_bytes(pm) / PAGE);
        r->used = calloc(r->count, 1);
    }
    return r->used ? r : NULL;
}

/* `pages` adjacent zeroed pages; VRAM offset, 0 when the region is full. */
static uint64_t table_alloc(struct pmem *pm, unsigned gpu, uint32_t pages)
{
    struct table_region *r = region_of(pm, gpu);
    if (!r)
        return 0;
    uint64_t base = pm->vram_bytes - pmem_table_bytes(pm);
    for (uint32_t i = 0; i + pages <= r->count; i++) {
        if (r->used[i] || (pages == 2 && ((i & 1) || r->used[i + 1])))
            continue;
        memset(r->used + i, 1, pages);
        pm->changes++;
        uint64_t offset = base + (uint64_t)i * PAGE;
        memset(pmem_vram(pm, gpu, offset, (uint64_t)pages * PAGE), 0, (size_t)pages * PAGE);
        return offset;
    }
    return 0;
}

static void table_free(struct pmem *pm, unsigned gpu, uint64_t offset, uint32_t pages)
{
    struct table_region *r = &pm->vram[gpu].tables;
    uint32_t i = (uint32_t)((offset - (pm->vram_bytes - pmem_table_bytes(pm))) / PAGE);
    memset(r->used + i, 0, pages);
}

/* The table is out of its tree; see pagetable_recycle.  Without memory for the list it stays used for ever. */
static void table_remove(struct pmem *pm, unsigned gpu, uint64_t offset)
{
    struct table_region *r = &pm->vram[gpu].tables;
    if (r->removed_count == r->removed_room) {
        uint32_t room = r->removed_room ? 2 * r->removed_room : 64;
        uint32_t *grown = realloc(r->removed, room * sizeof *grown);
        if (!grown)
            return;
        r->removed = grown;
        r->removed_room = room;
    }
    r->removed[r->removed_count++] = (uint32_t)((offset - (pm->vram_bytes - pmem_table_bytes(pm))) / PAGE);
}

uint64_t pagetable_removed(const struct pmem *pm, unsigned gpu)
{
    return pm->vram[gpu].tables.recycled + pm->vram[gpu].tables.removed_count;
}

void pagetable_recycle(struct pmem *pm, unsigned gpu, uint64_t upto)
{
    struct table_region *r = &pm->vram[gpu].tables;
    uint32_t count = upto > r->recycled ? (uint32_t)(upto - r->recycled) : 0;
    for (uint32_t i = 0; i < count; i++)
        r->used[r->removed[i]] = 0;
    if (count)
        memmove(r->removed, r->removed + count, (r->removed_count - count) * sizeof *r->removed);
    r->removed_count -= count;
    r->recycled += count;
}

static uint64_t *table_at(struct pmem *pm, unsigned gpu, uint64_t offset)
{
    return (uint64_t *)(void *)pmem_vram(pm, gpu, offset, PAGE);
}

struct pagetable *pagetable_new(struct pmem *pm, unsigned gpu)
{
    if (gpu >= pmem_gpus(pm))
        return NULL;
    struct pagetable *pt = calloc(1, sizeof *pt);
    if (!pt)
        return NULL;
    *pt = (struct pagetable){.pm = pm, .gpu = gpu, .root = table_alloc(pm, gpu, 2)};
    if (!pt->root) {
        free(pt);
        return NULL;
    }
    return pt;
}

void pagetable_free(struct pagetable *pt)
{
    if (!pt)
        return;
    uint64_t *root = table_at(pt->pm, pt->gpu, pt->root);
    for (unsigned i = 0; i < ROOT_ENTRIES; i++) {
        if (!(root[i] & PTE_VALID))
            continue;
        uint64_t middle_at = root[i] & PTE_OFFSET;
        uint64_t *middle = table_at(pt->pm, pt->gpu, middle_at);
        for (unsigned j = 0; j < ENTRIES; j++)
            if ((middle[j] & (PTE_VALID | PTE_LEAF)) == PTE_VALID)
                table_free(pt->pm, pt->gpu, middle[j] & PTE_OFFSET, 1);
        table_free(pt->pm, pt->gpu, middle_at, 1);
    }
    table_free(pt->pm, pt->gpu, pt->root, 2);
    free(pt);
}

uint64_t pagetable_root(const struct pagetable *pt)
{
    return pmem_addr(pt->gpu + 1, pt->root);
}

/* The table below *entry, made when absent; a big leaf is split into 512 small ones, still in two large blocks. */
static uint64_t *table_below(struct pagetable *pt, uint64_t *entry)
{
    if ((*entry & PTE_VALID) && !(*entry & PTE_LEAF))
        return table_at(pt->pm, pt->gpu, *entry & PTE_OFFSET);
    uint64_t offset = table_alloc(pt->pm, pt->gpu, 1);
    if (!offset)
        return NULL;
    uint64_t *below = table_at(pt->pm, pt->gpu, offset);
    if (*entry & PTE_VALID)
        for (unsigned i = 0; i < ENTRIES; i++)
            below[i] = ((*entry & ~PTE_FRAGMENT) | FRAGMENT_LARGE) + (uint64_t)i * PAGE;
    *entry = pmem_addr(pt->gpu + 1, offset) | PTE_VALID;
    return below;
}

/* The entry of va in a lowest table becomes `value`; the rest of the block that it was one of is single from now on,
 * that of a large block becomes blocks. */
static void leaf_set(uint64_t *leaf, uint64_t va, uint64_t value)
{
    unsigned i = (unsigned)(va >> 12) & (ENTRIES - 1);
    if ((leaf[i] & PTE_FRAGMENT) >= FRAGMENT_LARGE)
        for (unsigned k = i & ~255u; k < (i | 255u) + 1; k++)
            leaf[k] = (leaf[k] & ~PTE_FRAGMENT) | FRAGMENT_BLOCK;
    if (leaf[i] & PTE_FRAGMENT)
        for (unsigned k = i & ~15u; k < (i | 15u) + 1; k++)
            leaf[k] &= ~PTE_FRAGMENT;
    leaf[i] = value;
}

static bool table_empty(const uint64_t *table)
{
    for (unsigned i = 0; i < ENTRIES; i++)
        if (table[i])
            return false;
    return true;
}

static uint64_t *middle_entry(struct pagetable *pt, uint64_t va)
{
    uint64_t *root = table_at(pt->pm, pt->gpu, pt->root);
    uint64_t *middle = table_below(pt, &root[va >> 30]);
    return middle ? &middle[(va >> 21) & (ENTRIES - 1)] : NULL;
}

static bool range_ok(uint64_t va, uint64_t bytes)
{
    return !((va | bytes) & (PAGE - 1)) && bytes && bytes <= VA_LIMIT && va <= VA_LIMIT - bytes;
}

uint64_t pagetable_align(uint64_t bytes)
{
    return bytes >= BIG ? BIG : bytes >= LARGE ? LARGE : bytes >= BLOCK ? BLOCK : PAGE;
}

int pagetable_map(struct pagetable *pt, uint64_t va, uint64_t pa, uint64_t bytes, uint32_t flags)
{
    if (!range_ok(va, bytes) || (pa & ~PTE_ADDR))
        return -EINVAL;
    pt->pm->changes++;
    const uint64_t bits = (flags & (PTE_R | PTE_W | PTE_X | PTE_UNCACHED)) | PTE_VALID | PTE_LEAF;
    while (bytes) {
        uint64_t *entry = middle_entry(pt, va);
        if (!entry)
            return -ENOMEM;
        if (!((va | pa) & (BIG - 1)) && bytes >= BIG) {
            if ((*entry & (PTE_VALID | PTE_LEAF)) == PTE_VALID)
                table_remove(pt->pm, pt->gpu, *entry & PTE_OFFSET);
            *entry = pa | bits | FRAGMENT_BIG;
            va += BIG;
            pa += BIG;
            bytes -= BIG;
            continue;
        }
        uint64_t *leaf = table_below(pt, entry);
        if (!leaf)
            return -ENOMEM;
        do {
            bool large = !((va | pa) & (LARGE - 1)) && bytes >= LARGE;
            bool block = !((va | pa) & (BLOCK - 1)) && bytes >= BLOCK;
            uint64_t start = va, end = va + (large ? LARGE : block ? BLOCK : PAGE);
            for (; va < end; va += PAGE, pa += PAGE, bytes -= PAGE)
                leaf_set(leaf, va, pa | bits);
            for (uint64_t at = start; block && at < end; at += PAGE)
                leaf[(at >> 12) & (ENTRIES - 1)] |= large ? FRAGMENT_LARGE : FRAGMENT_BLOCK;
        } while (bytes && (va & (BIG - 1)));
    }
    return 0;
}

int pagetable_unmap(struct pagetable *pt, uint64_t va, uint64_t bytes)
{
    if (!range_ok(va, bytes))
        return -EINVAL;
    pt->pm->changes++;
    uint64_t *root = table_at(pt->pm, pt->gpu, pt->root);
    while (bytes) {
        uint64_t step = BIG - (va & (BIG - 1));
        if (step > bytes)
            step = bytes;
        uint64_t *middle = root[va >> 30] & PTE_VALID ? table_at(pt->pm, pt->gpu, root[va >> 30] & PTE_OFFSET) : NULL;
        uint64_t *entry = middle ? &middle[(va >> 21) & (ENTRIES - 1)] : NULL;
        if (entry && (*entry & PTE_LEAF) && step == BIG) {
            *entry = 0;
        } else if (entry && (*entry & PTE_VALID)) {
            uint64_t *leaf = table_below(pt, entry);
            if (!leaf)
                return -ENOMEM;
            for (uint64_t at = 0; at < step; at += PAGE)
                leaf_set(leaf, va + at, 0);
            if (table_empty(leaf)) {
                table_remove(pt->pm, pt->gpu, *entry & PTE_OFFSET);
                *entry = 0;
            }
        }
        if (middle && table_empty(middle)) {
            table_remove(pt->pm, pt->gpu, root[va >> 30] & PTE_OFFSET);
            root[va >> 30] = 0;
        }
        va += step;
        bytes -= step;
    }
    return 0;
}

uint64_t pagetable_walk(struct pmem *pm, uint64_t root, uint64_t va)
{
    unsigned owner = (unsigned)(root >> PMEM_OWNER_SHIFT) & 0xff;
    if (va >= VA_LIMIT || owner == 0)
        return 0;
    const uint64_t *table = (uint64_t *)(void *)pmem_vram(pm, owner - 1, root & PMEM_OFFSET_MASK, ROOT_ENTRIES * 8);
    uint64_t entry = table ? table[va >> 30] : 0;
    if (!(entry & PTE_VALID))
        return 0;
    table = table_at(pm, owner - 1, entry & PTE_OFFSET);
    entry = table ? table[(va >> 21) & (ENTRIES - 1)] : 0;
    if (!(entry & PTE_VALID))
        return 0;
    if (entry & PTE_LEAF)
        return entry + (va & (BIG - PAGE));
    table = table_at(pm, owner - 1, entry & PTE_OFFSET);
    entry = table ? table[(va >> 12) & (ENTRIES - 1)] : 0;
    return entry & PTE_VALID ? entry : 0;
}

uint64_t pagetable_lookup(const struct pagetable *pt, uint64_t va)
{
    return pagetable_walk(pt->pm, pagetable_root(pt), va);
}

static int copy(struct pmem *pm, uint64_t root, uint64_t va, uint8_t *buffer, uint64_t bytes, bool write)
{
    while (bytes) {
        uint64_t entry = pagetable_walk(pm, root, va);
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
    return copy(pt->pm, pagetable_root(pt), va, to, bytes, false);
}

int pagetable_walk_read(struct pmem *pm, uint64_t root, uint64_t va, void *to, uint64_t bytes)
{
    return copy(pm, root, va, to, bytes, false);
}

int pagetable_write(struct pagetable *pt, uint64_t va, const void *from, uint64_t bytes)
{
    return copy(pt->pm, pagetable_root(pt), va, (uint8_t *)(uintptr_t)from, bytes, true);
}

int pagetable_atomic(struct pagetable *pt, uint64_t va, unsigned op, unsigned size, uint64_t operand)
{
    uint64_t entry = pagetable_lookup(pt, va), old = 0;
    if (!entry)
        return -EFAULT;
    return pmem_atomic(pt->pm, (entry & PTE_ADDR) + (va & (PAGE - 1)), op, size, operand, 0, &old);
}
