/* SPDX-License-Identifier: Apache-2.0
 * GPU page tables (pagetable.h): three levels of 64-bit entries, changed in the host's copy and written from there to
 * the VRAM in which rtl/utcl2 and the golden model walk them.  What an entry leads to is written before the entry.  Not
 * responsible for: pages of tables (tables.c), memory accesses through tables (pagewalk.c), TLB shoot-down (driver,
 * firmware), which addresses are mapped (driver).
 */
#include "vm/pagetable.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "vm/pagetable_private.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define BLOCK (UINT64_C(16) * PAGE)
#define LARGE (UINT64_C(256) * PAGE)
#define FRAGMENT_BLOCK (UINT64_C(4) << PTE_FRAGMENT_SHIFT)
#define FRAGMENT_LARGE (UINT64_C(8) << PTE_FRAGMENT_SHIFT)
#define FRAGMENT_BIG (UINT64_C(9) << PTE_FRAGMENT_SHIFT)

struct pagetable *pagetable_new(struct pmem *pm, unsigned gpu)
{
    if (gpu >= pmem_gpus(pm))
        return NULL;
    struct pagetable *pt = calloc(1, sizeof *pt);
    if (!pt)
        return NULL;
    *pt = (struct pagetable){.pm = pm, .gpu = gpu, .root = tables_alloc(pm, gpu, 2)};
    if (!pt->root) {
        free(pt);
        return NULL;
    }
    tables_write(pm, gpu, tables_at(pm, gpu, pt->root), ROOT_ENTRIES);
    return pt;
}

void pagetable_free(struct pagetable *pt)
{
    if (!pt)
        return;
    uint64_t *root = tables_at(pt->pm, pt->gpu, pt->root);
    for (unsigned i = 0; i < ROOT_ENTRIES; i++) {
        if (!(root[i] & PTE_VALID))
            continue;
        uint64_t middle_at = root[i] & PTE_OFFSET;
        uint64_t *middle = tables_at(pt->pm, pt->gpu, middle_at);
        for (unsigned j = 0; j < ENTRIES; j++)
            if ((middle[j] & (PTE_VALID | PTE_LEAF)) == PTE_VALID)
                tables_free(pt->pm, pt->gpu, middle[j] & PTE_OFFSET, 1);
        tables_free(pt->pm, pt->gpu, middle_at, 1);
    }
    tables_free(pt->pm, pt->gpu, pt->root, 2);
    free(pt);
}

uint64_t pagetable_root(const struct pagetable *pt)
{
    return pmem_addr(pt->gpu + 1, pt->root);
}

uint64_t pagetable_gpus(const struct pagetable *pt)
{
    return pt->gpus;
}

static void entry_set(struct pagetable *pt, uint64_t *entry, uint64_t value)
{
    *entry = value;
    tables_write(pt->pm, pt->gpu, entry, 1);
}

/* The table below *entry.  Where none is, a fresh one in the shadow (*fresh: its offset, else 0), which table_link
 * makes the entry's; a big leaf is split into 512 small ones, still in two large blocks. */
static uint64_t *table_find(struct pagetable *pt, const uint64_t *entry, uint64_t *fresh)
{
    *fresh = 0;
    if ((*entry & PTE_VALID) && !(*entry & PTE_LEAF))
        return tables_at(pt->pm, pt->gpu, *entry & PTE_OFFSET);
    *fresh = tables_alloc(pt->pm, pt->gpu, 1);
    if (!*fresh)
        return NULL;
    uint64_t *below = tables_at(pt->pm, pt->gpu, *fresh);
    if (*entry & PTE_VALID)
        for (unsigned i = 0; i < ENTRIES; i++)
            below[i] = ((*entry & ~PTE_FRAGMENT) | FRAGMENT_LARGE) + (uint64_t)i * PAGE;
    return below;
}

/* A fresh table is written whole, then the entry leads to it. */
static void table_link(struct pagetable *pt, uint64_t *entry, uint64_t fresh)
{
    tables_write(pt->pm, pt->gpu, tables_at(pt->pm, pt->gpu, fresh), ENTRIES);
    entry_set(pt, entry, pmem_addr(pt->gpu + 1, fresh) | PTE_VALID);
}

static uint64_t *table_below(struct pagetable *pt, uint64_t *entry)
{
    uint64_t fresh, *below = table_find(pt, entry, &fresh);
    if (fresh)
        table_link(pt, entry, fresh);
    return below;
}

/* Entries [first, end) of a lowest table that have changed in the shadow; empty: first = ENTRIES, end = 0. */
struct span {
    unsigned first, end;
};

static void span_add(struct span *s, unsigned first, unsigned end)
{
    s->first = first < s->first ? first : s->first;
    s->end = end > s->end ? end : s->end;
}

/* The entry of va in a lowest table becomes `value`; the rest of the block that it was one of is single from now on,
 * that of a large block becomes blocks. */
static void leaf_set(uint64_t *leaf, struct span *changed, uint64_t va, uint64_t value)
{
    unsigned i = (unsigned)(va >> 12) & (ENTRIES - 1);
    span_add(changed, i, i + 1);
    if ((leaf[i] & PTE_FRAGMENT) >= FRAGMENT_LARGE) {
        span_add(changed, i & ~255u, (i | 255u) + 1);
        for (unsigned k = i & ~255u; k < (i | 255u) + 1; k++)
            leaf[k] = (leaf[k] & ~PTE_FRAGMENT) | FRAGMENT_BLOCK;
    }
    if (leaf[i] & PTE_FRAGMENT) {
        span_add(changed, i & ~15u, (i | 15u) + 1);
        for (unsigned k = i & ~15u; k < (i | 15u) + 1; k++)
            leaf[k] &= ~PTE_FRAGMENT;
    }
    leaf[i] = value;
}

static void span_write(struct pagetable *pt, const uint64_t *leaf, const struct span *changed)
{
    tables_write(pt->pm, pt->gpu, leaf + changed->first, changed->end - changed->first);
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
    uint64_t *root = tables_at(pt->pm, pt->gpu, pt->root);
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

void pagetable_fragment_set(struct pmem *pm, unsigned most)
{
    pm->fragment = most;
}

int pagetable_map(struct pagetable *pt, uint64_t va, uint64_t pa, uint64_t bytes, uint32_t flags)
{
    if (!range_ok(va, bytes) || (pa & ~PTE_ADDR))
        return -EINVAL;
    const uint64_t bits = (flags & (PTE_R | PTE_W | PTE_X | PTE_UNCACHED)) | PTE_VALID | PTE_LEAF;
    if (pa >> PMEM_OWNER_SHIFT)
        pt->gpus |= UINT64_C(1) << ((pa >> PMEM_OWNER_SHIFT) - 1);
    while (bytes) {
        uint64_t *entry = middle_entry(pt, va);
        if (!entry)
            return -ENOMEM;
        if (pt->pm->fragment >= 9 && !((va | pa) & (BIG - 1)) && bytes >= BIG) {
            if ((*entry & (PTE_VALID | PTE_LEAF)) == PTE_VALID)
                tables_remove(pt->pm, pt->gpu, *entry & PTE_OFFSET);
            entry_set(pt, entry, pa | bits | FRAGMENT_BIG);
            va += BIG;
            pa += BIG;
            bytes -= BIG;
            continue;
        }
        uint64_t fresh, *leaf = table_find(pt, entry, &fresh);
        if (!leaf)
            return -ENOMEM;
        struct span changed = {ENTRIES, 0};
        do {
            bool large = pt->pm->fragment >= 8 && !((va | pa) & (LARGE - 1)) && bytes >= LARGE;
            bool block = pt->pm->fragment >= 4 && !((va | pa) & (BLOCK - 1)) && bytes >= BLOCK;
            uint64_t start = va, end = va + (large ? LARGE : block ? BLOCK : PAGE);
            for (; va < end; va += PAGE, pa += PAGE, bytes -= PAGE)
                leaf_set(leaf, &changed, va, pa | bits);
            for (uint64_t at = start; block && at < end; at += PAGE)
                leaf[(at >> 12) & (ENTRIES - 1)] |= large ? FRAGMENT_LARGE : FRAGMENT_BLOCK;
        } while (bytes && (va & (BIG - 1)));
        if (fresh)
            table_link(pt, entry, fresh);
        else
            span_write(pt, leaf, &changed);
    }
    return 0;
}

int pagetable_prepare(struct pagetable *pt, uint64_t va, uint64_t bytes)
{
    if (!range_ok(va, bytes))
        return -EINVAL;
    for (uint64_t at = va & ~(BIG - 1); at < va + bytes; at += BIG) {
        uint64_t *entry = middle_entry(pt, at);
        if (!entry || !table_below(pt, entry))
            return -ENOMEM;
    }
    return 0;
}

int pagetable_unmap(struct pagetable *pt, uint64_t va, uint64_t bytes)
{
    if (!range_ok(va, bytes))
        return -EINVAL;
    uint64_t *root = tables_at(pt->pm, pt->gpu, pt->root);
    while (bytes) {
        uint64_t step = BIG - (va & (BIG - 1));
        if (step > bytes)
            step = bytes;
        uint64_t *middle = root[va >> 30] & PTE_VALID ? tables_at(pt->pm, pt->gpu, root[va >> 30] & PTE_OFFSET) : NULL;
        uint64_t *entry = middle ? &middle[(va >> 21) & (ENTRIES - 1)] : NULL;
        if (entry && (*entry & PTE_LEAF) && step == BIG) {
            entry_set(pt, entry, 0);
        } else if (entry && (*entry & PTE_VALID)) {
            uint64_t *leaf = table_below(pt, entry);
            if (!leaf)
                return -ENOMEM;
            struct span changed = {ENTRIES, 0};
            for (uint64_t at = 0; at < step; at += PAGE)
                leaf_set(leaf, &changed, va + at, 0);
            span_write(pt, leaf, &changed);
            if (table_empty(leaf)) {
                tables_remove(pt->pm, pt->gpu, *entry & PTE_OFFSET);
                entry_set(pt, entry, 0);
            }
        }
        if (middle && table_empty(middle)) {
            tables_remove(pt->pm, pt->gpu, root[va >> 30] & PTE_OFFSET);
            entry_set(pt, &root[va >> 30], 0);
        }
        va += step;
        bytes -= step;
    }
    return 0;
}

int pagetable_lock(struct pagetable *pt, uint64_t va, uint64_t bytes, bool locked)
{
    if (!range_ok(va, bytes))
        return -EINVAL;
    const uint64_t from = locked ? PTE_VALID : PTE_LOCKED, to = locked ? PTE_LOCKED : PTE_VALID;
    uint64_t *root = tables_at(pt->pm, pt->gpu, pt->root);
    while (bytes) {
        const uint64_t left = BIG - (va & (BIG - 1)), step = left < bytes ? left : bytes;
        uint64_t *middle = root[va >> 30] & PTE_VALID ? tables_at(pt->pm, pt->gpu, root[va >> 30] & PTE_OFFSET) : NULL;
        uint64_t *entry = middle ? &middle[(va >> 21) & (ENTRIES - 1)] : NULL;
        if (entry && (*entry & PTE_VALID) && (locked || !(*entry & PTE_LEAF))) { /* of a big leaf none is locked */
            uint64_t *leaf = table_below(pt, entry);
            if (!leaf)
                return -ENOMEM;
            struct span changed = {ENTRIES, 0};
            for (uint64_t at = va; at < va + step; at += PAGE) {
                const uint64_t old = leaf[(at >> 12) & (ENTRIES - 1)];
                if (old & from)
                    leaf_set(leaf, &changed, at, (old & ~(from | PTE_FRAGMENT)) | to);
            }
            if (changed.end)
                span_write(pt, leaf, &changed);
        }
        va += step;
        bytes -= step;
    }
    return 0;
}

/* The entry of va, whatever it says; 0: no table has one. */
static uint64_t entry_of(const struct pagetable *pt, uint64_t va)
{
    if (va >= VA_LIMIT)
        return 0;
    uint64_t entry = tables_at(pt->pm, pt->gpu, pt->root)[va >> 30];
    if (!(entry & PTE_VALID))
        return 0;
    entry = tables_at(pt->pm, pt->gpu, entry & PTE_OFFSET)[(va >> 21) & (ENTRIES - 1)];
    if (!(entry & PTE_VALID))
        return 0;
    if (entry & PTE_LEAF)
        return entry + (va & (BIG - PAGE));
    entry = tables_at(pt->pm, pt->gpu, entry & PTE_OFFSET)[(va >> 12) & (ENTRIES - 1)];
    return entry;
}

uint64_t pagetable_lookup(const struct pagetable *pt, uint64_t va)
{
    const uint64_t entry = entry_of(pt, va);
    return entry & PTE_VALID ? entry : 0;
}

uint64_t pagetable_entry(const struct pagetable *pt, uint64_t va)
{
    const uint64_t entry = entry_of(pt, va);
    return entry & (PTE_VALID | PTE_LOCKED) ? entry : 0;
}

bool pagetable_locked(const struct pagetable *pt, uint64_t va)
{
    return (entry_of(pt, va) & (PTE_VALID | PTE_LOCKED)) == PTE_LOCKED;
}
