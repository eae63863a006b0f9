/* SPDX-License-Identifier: Apache-2.0
 * Physical memory of the machine: VRAM of every GPU and host memory (GTT), of which slabs are shared with client
 * processes; windows: pages of a client process reached by process_vm_readv/writev.  Owner of all bytes that
 * a GPU can reach.  Not responsible for: allocation policy and page tables (pagetable.h, driver), timing (RTL).
 *
 * A physical address is {owner 55:48 (0 host, k+1 GPU k), offset 47:0}.  In host memory, offsets below
 * PMEM_WINDOW_BASE are the GTT memfd, from there on windows of client memory.
 */
#ifndef GANTRY_PMEM_H
#define GANTRY_PMEM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PMEM_OWNER_SHIFT 48
#define PMEM_OFFSET_MASK ((UINT64_C(1) << 48) - 1)
#define PMEM_WINDOW_BASE (UINT64_C(1) << 44)
#define PMEM_WINDOW_END (UINT64_C(1) << PMEM_OWNER_SHIFT) /* no window reaches into the owner bits */

struct pmem;

static inline uint64_t pmem_addr(unsigned owner, uint64_t offset)
{
    return (uint64_t)owner << PMEM_OWNER_SHIFT | offset;
}

/* `gpus` VRAMs of vram_bytes each and gtt_bytes of host memory, all sparse.  NULL with errno on failure. */
struct pmem *pmem_new(unsigned gpus, uint64_t vram_bytes, uint64_t gtt_bytes);
/* One line about why, by errno. */
void pmem_refused(void);
void pmem_free(struct pmem *pm);

unsigned pmem_gpus(const struct pmem *pm);
uint64_t pmem_vram_bytes(const struct pmem *pm);
uint64_t pmem_gtt_bytes(const struct pmem *pm);
uint64_t pmem_table_bytes(const struct pmem *pm); /* top of each VRAM, kept for page tables: not for allocation */

/* Host pointer to [offset, offset+bytes) of a GPU's VRAM, as that GPU addresses it, or of the GTT; NULL if outside.
 * Valid until pmem_free, of VRAM until a page moves; while pages are away a range of several pages must hold none of
 * their frames. */
uint8_t *pmem_vram(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes);
uint8_t *pmem_gtt(struct pmem *pm, uint64_t offset, uint64_t bytes);

/* Pages of VRAM that move (pmem_move.c).  A page is called by the physical address that it had at first, and keeps the
 * bytes behind that for life: a slab's file, which clients map.  What changes is the frame, the physical address at
 * which GPUs reach it.  A page that is away has changed places with a frame that was nobody's: that one's bytes stand
 * at the page's own address meanwhile.  Page tables' part of VRAM and host memory do not move. */
/* Whether any page is away (borrowed, for who reads line by line: then an address has to be asked for by pmem_vram). */
const bool *pmem_moved(const struct pmem *pm);
/* The physical address at which the byte `page` is now, and the byte that is at a physical address: the same function,
 * since pages change places in pairs. */
uint64_t pmem_frame_of(const struct pmem *pm, uint64_t page);
uint64_t pmem_page_at(const struct pmem *pm, uint64_t pa);
/* The same, but of a frame that a page has left and to which none has come since: that page's byte.  For who knows an
 * address that was right before the move. */
uint64_t pmem_page_before(const struct pmem *pm, uint64_t pa);
/* Changes of that so far. */
uint64_t pmem_moves(const struct pmem *pm);
/* The page (its own address) is at frame `to` from now on: another one's own address at which that one is, or home to
 * its own.  GPUs have no access to either under way.  compare: the bytes in `to`, which a GPU has written there, must
 * be those of the page. */
void pmem_move(struct pmem *pm, uint64_t page, uint64_t to, bool compare);
/* Who may access a frame while pages move, for whoever checks that (host/monitor/monitor.h): everybody; nobody writes,
 * since the page is being sent away; nobody reads, since it comes; nobody at all, since its page has left. */
enum pmem_guard { PMEM_OPEN, PMEM_SENT, PMEM_COMES, PMEM_LEFT };
/* Frames are guarded from now on, in processes that are forked later, too.  Frames that pages leave and come to by
 * pmem_move, and memory that is cleared or given to somebody, are then guarded as they should be; the rest is the
 * caller's.  False without memory. */
bool pmem_guard_begin(struct pmem *pm);
void pmem_guard_set(struct pmem *pm, uint64_t frame, enum pmem_guard guard);
/* By frame of a VRAM (borrowed), NULL: nothing is guarded; what is wrong with a GPU's access to such a one, NULL:
 * nothing. */
const uint8_t *pmem_guards(const struct pmem *pm, unsigned gpu);
const char *pmem_guard_wrong(uint8_t guard, bool write);
/* Pages of [at, +bytes) of a VRAM that are away are home from now on, whatever is there. */
void pmem_home(struct pmem *pm, unsigned gpu, uint64_t at, uint64_t bytes);
/* The first page of any memory at or behind `from` that is away (its own address; of a pair the lower one); false: none
 * is. */
bool pmem_away_next(const struct pmem *pm, uint64_t from, uint64_t *page);
/* Host pointer to pages by their own addresses, wherever they are: as clients map them.  Valid until pmem_free. */
uint8_t *pmem_pages(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes);

/* What is shared with clients: of memory `memory` (a GPU's number: its VRAM, or PMEM_GTT) the first pmem_shared_bytes,
 * never page tables, in granules of pmem_granule bytes.  A slab is a run of granules with a file of its own, sealed so
 * that nobody changes its length.  Offsets count from the beginning of the memory. */
#define PMEM_GTT UINT32_MAX
uint64_t pmem_shared_bytes(const struct pmem *pm, unsigned memory);
uint64_t pmem_granule(const struct pmem *pm, unsigned memory); /* a power of two, 64 KiB or more */
/* [at, +bytes), whole granules (the last of the memory may be short) that are in no slab, becomes a slab and reads as
 * zeros.  0 or -errno. */
int pmem_slab_take(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes);
/* The granule at `at` leaves its slab, if it is in one; the slab goes with its last one.  Its pages go home. */
void pmem_slab_give(struct pmem *pm, unsigned memory, uint64_t at);
/* The descriptor (borrowed) of the slab at `at`, where that lies in it, and how far it reaches; -1: no slab. */
int pmem_slab_fd(const struct pmem *pm, unsigned memory, uint64_t at, uint64_t *file_offset, uint64_t *bytes);
/* The same with the file of a slab of another process that has this memory too, which is taken over (closed on
 * failure). */
int pmem_slab_adopt(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes, int fd);
/* Who is told of each slab that is taken or given and each page that moves from now on, behind it; NULL: nobody.
 * Copied. */
struct pmem_watch {
    void (*taken)(void *ctx, unsigned memory, uint64_t at, uint64_t bytes, int fd); /* fd: borrowed */
    void (*given)(void *ctx, unsigned memory, uint64_t at);
    void (*moved)(void *ctx, uint64_t page, uint64_t to);
    void *ctx;
};
void pmem_watch(struct pmem *pm, const struct pmem_watch *watch);
/* Pages [at, +bytes) read as zeros, take no memory, and are home. */
void pmem_clear(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes);
/* The first bytes [*at, *end) of a VRAM at or behind `from` that may be other than zero: what is outside of such ranges
 * was never written.  False when there are none. */
bool pmem_data_next(struct pmem *pm, unsigned gpu, uint64_t from, uint64_t *at, uint64_t *end);
/* Grows with every change of some VRAM by a function of this header or of pagetable.h. */
uint64_t pmem_changes(const struct pmem *pm);
/* A file for clients that nobody can cut or extend; -1 with errno. */
int pmem_sealed_file(const char *name, uint64_t bytes);

/* A window makes client pages [cpu_addr, +bytes) of process pid host-physical at the returned offset
 * (>= PMEM_WINDOW_BASE, numbered in the order of calls, never from cpu_addr; freed numbers are used again once there
 * are no new ones).  0 on failure: bad range, or no gap is large enough. */
uint64_t pmem_window_add(struct pmem *pm, pid_t pid, uint64_t cpu_addr, uint64_t bytes);
void pmem_window_remove(struct pmem *pm, uint64_t offset);
/* The process has ended: its windows lead nowhere from now on, whoever gets its number next. */
void pmem_windows_orphan(struct pmem *pm, pid_t pid);

/* The table of windows as bytes, for another process that has this memory too (borrowed until the next change), and
 * such a table instead of the own; a number that changes with it. */
const void *pmem_windows(const struct pmem *pm, size_t *bytes);
void pmem_windows_set(struct pmem *pm, const void *windows, size_t bytes);
/* In a process that was forked with this memory: windows into its parent are those into itself (shared mappings). */
void pmem_windows_inherit(struct pmem *pm, pid_t parent);
uint64_t pmem_windows_changes(const struct pmem *pm);

/* Any physical address.  0, or -EFAULT when some byte has no owner (window process gone included). */
int pmem_read(struct pmem *pm, uint64_t pa, void *to, size_t bytes);
int pmem_write(struct pmem *pm, uint64_t pa, const void *from, size_t bytes);
int pmem_write_masked(struct pmem *pm, uint64_t pa, const void *line, uint64_t mask); /* one 64-byte line */
/* op: enum atomic_op; size 4 or 8; *old receives the value before. */
int pmem_atomic(struct pmem *pm, uint64_t pa, unsigned op, unsigned size, uint64_t operand, uint64_t compare,
                uint64_t *old);
/* The words of `size` bytes of the 64-byte line at `pa` whose bytes `mask` has, with operands and old values in their
 * places; 0, or -EFAULT when a word is there in part, for ATOMIC_CMPSWAP, or as above (words before may have changed).
 */
int pmem_atomic_line(struct pmem *pm, uint64_t pa, unsigned op, unsigned size, uint64_t mask,
                     const uint64_t operands[8], uint64_t old[8]);
/* The value an atomic leaves behind (low `size` bytes). */
uint64_t pmem_atomic_result(unsigned op, unsigned size, uint64_t old, uint64_t operand, uint64_t compare);
#endif
