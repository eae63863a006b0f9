/* SPDX-License-Identifier: Apache-2.0
 * Inside of page tables, for host/vm only.  Pages of tables: which of a GPU's region are in use, what they hold.  The
 * host keeps its own copy (the shadow), in which it looks up and changes; every change goes to the sink of pagetable.h.
 * Not responsible for: what entries mean (pagetable.c).
 */
#ifndef GANTRY_PAGETABLE_PRIVATE_H
#define GANTRY_PAGETABLE_PRIVATE_H
#include <stdint.h>

#define VA_LIMIT (UINT64_C(1) << 40)
#define PAGE 4096u
#define BIG (UINT64_C(2) << 20)
#define PTE_OFFSET UINT64_C(0x0000fffffffff000)
#define ENTRIES 512u
#define ROOT_ENTRIES 1024u

struct pmem;

struct pagetable {
    struct pmem *pm;
    unsigned gpu;
    uint64_t root; /* offset in VRAM */
    uint64_t gpus; /* pagetable_gpus */
};

/* `pages` (1 or 2, then aligned) adjacent pages that are zeros in the shadow; VRAM offset, 0 when the region is full or
 * there is no memory.  The caller writes them (tables_write) before any entry leads to them. */
uint64_t tables_alloc(struct pmem *pm, unsigned gpu, uint32_t pages);
void tables_free(struct pmem *pm, unsigned gpu, uint64_t offset, uint32_t pages);
/* The table is out of its tree; see pagetable_recycle.  Without memory for the list it stays used for ever. */
void tables_remove(struct pmem *pm, unsigned gpu, uint64_t offset);
/* Shadow of the table at that VRAM offset, which tables_alloc gave. */
uint64_t *tables_at(const struct pmem *pm, unsigned gpu, uint64_t offset);
/* `count` entries from `first` on, all of one table, have changed in the shadow: the sink gets them. */
void tables_write(struct pmem *pm, unsigned gpu, const uint64_t *first, uint32_t count);
#endif
