/* SPDX-License-Identifier: Apache-2.0
 * GPU page tables in simulated VRAM, built by the driver in C and walked by rtl/utcl2.  See docs/contracts.md.
 * 40-bit virtual addresses, three levels: VA[39:30] (root, 1024 entries, 8 KiB), VA[29:21], VA[20:12] (512 entries
 * each).  Every table lies in the VRAM of the GPU that walks it (a reserved region at the top of VRAM).  The host works
 * on a copy of its own and never reads it back: every change is a write to VRAM that goes to a sink.
 * Entry (64 bit): 0 valid, 1 R, 2 W, 3 X, 4 leaf, 6:5 memory type (0 cached, 1 uncached/fine-grained),
 * 11:7 fragment, 47:12 offset of page or table, 55:48 owner (0 host, k+1 GPU k), 56 locked: not valid, and a
 * translation is withheld until the page is unlocked (rtl/utcl2/utcl2_withheld_pkg.sv).  A leaf at level 2 (VA[29:21])
 * maps 2 MiB.  Fragment n (the hardware's field): the entry is one of 2^n pages that are aligned and adjacent in both
 * address spaces and equal in their other bits, so a TLB may keep them as one; 0 single, 4 blocks of 64 KiB, 9 a 2 MiB
 * leaf.
 */
#ifndef GANTRY_PAGETABLE_H
#define GANTRY_PAGETABLE_H
#include <stdbool.h>
#include <stdint.h>

#define PTE_VALID 1u
#define PTE_R 2u
#define PTE_W 4u
#define PTE_X 8u
#define PTE_LEAF 16u
#define PTE_UNCACHED 32u
#define PTE_LOCKED (UINT64_C(1) << 56)
#define PTE_ADDR UINT64_C(0x00fffffffffff000) /* of the page */
#define PTE_FRAGMENT_SHIFT 7
#define PTE_FRAGMENT (UINT64_C(31) << PTE_FRAGMENT_SHIFT)

struct pmem;
struct pagetable;

/* Takes every change of a table: `bytes` (a multiple of 8, within one table) at physical address pa have these values
 * from now on.  The order of calls is the order in which a walker may see them: what an entry leads to comes before the
 * entry.  NULL, as at the start: written at once (pmem_write). */
typedef void (*pagetable_sink_fn)(void *ctx, uint64_t pa, const void *from, uint32_t bytes);
void pagetable_sink_set(struct pmem *pm, pagetable_sink_fn fn, void *ctx);

/* One address space on one GPU.  NULL when the table region is full. */
struct pagetable *pagetable_new(struct pmem *pm, unsigned gpu);
void pagetable_free(struct pagetable *pt);
uint64_t pagetable_root(const struct pagetable *pt); /* physical address for CP_VMID */
/* GPUs, a bit each, to whose memory an entry has led so far. */
uint64_t pagetable_gpus(const struct pagetable *pt);

/* Greatest fragment (0 to PAGETABLE_FRAGMENT_MOST, at first that) that pagetable_map makes from now on, in all tables.
 */
#define PAGETABLE_FRAGMENT_MOST 9u
void pagetable_fragment_set(struct pmem *pm, unsigned most);

/* va, pa and bytes multiples of 4 KiB; flags PTE_R|PTE_W|PTE_X|PTE_UNCACHED.  0, -ENOMEM, -EINVAL (range beyond 40
 * bits).  Where va and pa are equal modulo 64 KiB or 1 MiB, whole blocks become fragments; a change inside a block
 * makes the rest of its 64 KiB single pages, the rest of its MiB blocks of 64 KiB. */
int pagetable_map(struct pagetable *pt, uint64_t va, uint64_t pa, uint64_t bytes, uint32_t flags);
/* The lowest tables of the range are there, where need be without an entry, and 2 MiB leaves in it become two blocks of
 * 1 MiB: what is mapped or locked there later needs no new table first.  They go when the range, or the last entry in
 * them, is unmapped.  Values as pagetable_map. */
int pagetable_prepare(struct pagetable *pt, uint64_t va, uint64_t bytes);
/* Alignment, of both addresses, with which memory of so many bytes gets the largest entries: a 2 MiB leaf, a block of
 * 1 MiB or 64 KiB, or a page. */
uint64_t pagetable_align(uint64_t bytes);
int pagetable_unmap(struct pagetable *pt, uint64_t va, uint64_t bytes);
/* Mapped pages of the range become locked, or (locked false) locked ones what they were, as single pages; others stay.
 * 0, -EINVAL as above, -ENOMEM.  A lock needs a shoot-down, an unlock an answer to what is withheld. */
int pagetable_lock(struct pagetable *pt, uint64_t va, uint64_t bytes, bool locked);
bool pagetable_locked(const struct pagetable *pt, uint64_t va);
/* Tables that unmapping (or a big leaf in their place) has made superfluous are not used again before they are
 * recycled: a walker may still read them.  How many there were so far on a GPU; give back those up to the `upto`th. */
uint64_t pagetable_removed(const struct pmem *pm, unsigned gpu);
void pagetable_recycle(struct pmem *pm, unsigned gpu, uint64_t upto);
/* Entry of the 4 KiB page that holds va as of the last change, 0 if not mapped (host's copy).  Below a 2 MiB leaf,
 * va[20:12] is added to its address: the answer looks the same for both page sizes but for the fragment. */
uint64_t pagetable_lookup(const struct pagetable *pt, uint64_t va);

/* The same, or of a locked page what it was before but for PTE_VALID: it is somewhere. */
uint64_t pagetable_entry(const struct pagetable *pt, uint64_t va);

/* Virtual access for firmware and driver; 0, or -EFAULT when some page has no valid entry (bytes before it are done).
 * Rights are not checked.  What is read may be locked: its bytes are where they were. */
int pagetable_read(struct pagetable *pt, uint64_t va, void *to, uint64_t bytes);
int pagetable_write(struct pagetable *pt, uint64_t va, const void *from, uint64_t bytes);

/* Read-modify-write of `size` bytes (4 or 8, aligned): 0 or -EFAULT. */
int pagetable_atomic(struct pagetable *pt, uint64_t va, unsigned op, unsigned size, uint64_t operand);

/* The same by the tables in VRAM, from a root physical address alone, 0: none (golden model, lock step, reports). */
uint64_t pagetable_walk(struct pmem *pm, uint64_t root, uint64_t va);
uint64_t pagetable_walk_entry(struct pmem *pm, uint64_t root, uint64_t va); /* or of a locked page, without PTE_VALID */
/* Where its entry stands, 0: in no lowest table. */
uint64_t pagetable_walk_place(struct pmem *pm, uint64_t root, uint64_t va);
/* Each entry that is not 0 of a page or, then without a place, of a 2 MiB leaf. */
typedef void (*pagetable_each_fn)(void *ctx, uint64_t va, uint64_t bytes, uint64_t entry, uint64_t place);
void pagetable_walk_each(struct pmem *pm, uint64_t root, pagetable_each_fn fn, void *ctx);
int pagetable_walk_read(struct pmem *pm, uint64_t root, uint64_t va, void *to, uint64_t bytes);
#endif
