/* SPDX-License-Identifier: Apache-2.0
 * Inside of struct pmem, for host/vm only: memories, windows, and the state of the region at the top of each VRAM
 * that holds page tables.  Not for users of pmem.h.
 */
#ifndef GANTRY_PMEM_PRIVATE_H
#define GANTRY_PMEM_PRIVATE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "vm/arena.h"
#include "vm/pmem.h"
#include "vm/ranges.h"

#define PMEM_MAX_GPUS 64
#define PMEM_VRAM_MIN (UINT64_C(4) << 20)
#define PMEM_TABLE_MIN (UINT64_C(1) << 20)

/* Page-table pages of one GPU: one flag for each 4 KiB page of the region. */
struct table_region {
    uint8_t *used;
    uint64_t *shadow; /* what the host has given them as contents, whole region */
    uint32_t count;
    uint32_t lowest;   /* no page below it is free */
    uint32_t *removed; /* pages of tables that a walker may still read, oldest first */
    uint32_t removed_count, removed_room;
    uint64_t recycled; /* of these, before the list's first */
};

/* Slab of each granule of a memory, NULL: none; allocated with the first (pmem_slab.c). */
struct slab_table {
    struct slab **slab;
};

struct pmem_vram {
    int fd; /* base file: nobody else has it */
    uint8_t *base;
    uint64_t mapped;
    struct table_region tables;
    struct slab_table slabs;
    uint64_t *away; /* by frame: 1 + the address that it has changed places with, 0: none; NULL: none has ever */
    uint8_t *guard; /* by frame: enum pmem_guard; NULL: none is guarded */
    uint64_t *left; /* likewise: 1 + the page that has left it, 0: none, or another has come since */
};

struct pmem_window {
    struct range range; /* of window numbers */
    uint64_t cpu_addr;
    pid_t pid;
};

/* One as another process gets it. */
struct pmem_window_row {
    uint64_t offset;
    uint64_t bytes;
    uint64_t cpu_addr;
    pid_t pid;
};

struct pmem {
    unsigned gpus;
    uint64_t vram_bytes;
    uint64_t gtt_bytes;
    struct pmem_vram vram[PMEM_MAX_GPUS];
    struct slab_table gtt_slabs;
    struct ranges windows;
    struct arena window_numbers;                                                  /* those that are free */
    struct pmem_window_row *window_rows;                                          /* what pmem_windows has answered */
    uint64_t next_window;                                                         /* where the last one ended */
    void (*table_sink)(void *ctx, uint64_t pa, const void *from, uint32_t bytes); /* NULL: pmem_write */
    void *table_sink_ctx;
    unsigned fragment; /* pagetable_fragment_set */
    uint64_t changes;  /* pmem_changes */
    bool moved;        /* a page is away */
    uint64_t pairs;    /* of frames that have changed places */
    uint64_t moves;    /* pmem_moves */
    uint64_t window_changes;
    pid_t guards_of; /* the process that sets guards: others hear of moves later */
    struct pmem_watch watch;
};

/* pmem_window.c: between `buffer` and windows.  0, or -EFAULT when a byte lies in none or its process has gone. */
int pmem_window_copy(struct pmem *pm, uint64_t offset, void *buffer, size_t bytes, bool write);
/* pmem_window.c: at the beginning no window is there, at the end none is left. */
bool pmem_windows_init(struct pmem *pm); /* false without memory */
void pmem_windows_fini(struct pmem *pm);
/* pmem_slab.c: all slabs of a memory go. */
void pmem_slabs_free(struct pmem *pm, unsigned memory);
/* pmem_frame.c: a page of the part of a VRAM that is not page tables'; its place in the tables of pmem_vram, NULL:
 * nothing of that memory was ever away; pmem_move may be called so; the first frame of [at, end) of a VRAM that is one
 * of a pair, `end` when none is. */
bool pmem_can_move(const struct pmem *pm, uint64_t page);
uint64_t *pmem_away_entry(const struct pmem *pm, uint64_t pa);
uint64_t *pmem_left_entry(const struct pmem *pm, uint64_t pa);
bool pmem_move_good(const struct pmem *pm, uint64_t page, uint64_t to);
uint64_t pmem_away_from(const struct pmem *pm, unsigned gpu, uint64_t at, uint64_t end);
/* pmem_move.c: [at, +bytes) of a memory is a client's from now on: which pages had been there before does not count any
 * more. */
void pmem_left_forget(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes);
/* pmem_guard.c: everybody may access [at, +bytes) of a memory again; the end. */
void pmem_guard_open(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes);
void pmem_guard_end(struct pmem *pm);
/* Of an address in some VRAM; where the bytes of its pages are, NULL: outside. */
static inline unsigned pmem_gpu_at(uint64_t pa)
{
    return (unsigned)(pa >> PMEM_OWNER_SHIFT) - 1;
}
static inline uint8_t *pmem_own_place(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes)
{
    if (gpu >= pm->gpus || bytes > pm->vram_bytes || offset > pm->vram_bytes - bytes)
        return NULL;
    return pm->vram[gpu].base + offset;
}
#endif
