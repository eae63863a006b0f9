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

#define PMEM_MAX_GPUS 64
#define PMEM_VRAM_MIN (UINT64_C(4) << 20)
#define PMEM_TABLE_MIN (UINT64_C(1) << 20)

/* Page-table pages of one GPU: one flag for each 4 KiB page of the region. */
struct table_region {
    uint8_t *used;
    uint32_t count;
    uint32_t hint; /* no free page below */
};

struct pmem_vram {
    int fd;
    uint8_t *base;
    uint64_t mapped;
    struct table_region tables;
};

struct pmem_window {
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
    struct pmem_window *windows;
    size_t window_count;
    size_t window_room;
    uint64_t next_window;
};
#endif
