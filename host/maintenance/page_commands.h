/* SPDX-License-Identifier: Apache-2.0
 * What the GPUs are told of a page that moves, one function for each command: the slices of its home write it back
 * (page_flush), the page-move engine of its home sends the lines (page_move), that of the other GPU counts them
 * (page_store).  Each is answered once, by a call of `done`.  The engines: docs/reference/rdma.md, "Pages that move".
 * Not blocking; one thread, that of the command processor.  Not responsible for: who uses the page meanwhile, which
 * slot a page has (host/migrate).
 */
#ifndef GANTRY_PAGE_H
#define GANTRY_PAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gantry_msg.h"

struct cp;

#define PAGE_MOVES 8u  /* that may leave a GPU at a time: Moves of rtl/rdma/rdma_push.sv */
#define PAGE_SLOTS 16u /* that may come to a GPU at a time: Slots of rtl/rdma/rdma_store.sv */
#define PAGE_LINE 64u
#define PAGE_NO_SLOT UINT8_MAX

/* What became of a command. */
struct page_report {
    bool refused;      /* by a component that was off; status: enum ctl_status */
    uint8_t status;    /* enum move_status; of a flush CTL_OK */
    uint16_t flags;    /* those of the page's entry, as sent or as they came */
    uint32_t lines;    /* acknowledged, or in DRAM */
    uint64_t checksum; /* of them, in any order */
};
/* In a callback of the machine; borrowed. */
typedef void (*page_fn)(void *ctx, const struct page_report *report);

/* The lines of `count` pages, up to CP_PAGES, of `bytes` each, at[] in this GPU's VRAM, leave its L2 slices: those that
 * are dirty are in DRAM when it is done. */
void page_flush(struct cp *cp, const uint64_t *at, size_t count, uint64_t bytes, page_fn done, void *ctx);

struct page_order {
    uint8_t slot;    /* of the other GPU's engine */
    uint16_t flags;  /* bits 11:0 of the page's entry, which travel with its lines */
    uint64_t source; /* byte offset in this GPU's VRAM */
    uint64_t target; /* physical address, in another GPU's */
    uint64_t bytes;
};
/* The page's lines leave this GPU; at most PAGE_MOVES under way. */
void page_move(struct cp *cp, const struct page_order *order, page_fn done, void *ctx);
/* A page of `bytes` is to come by this slot.  0 bytes: it is given up; an earlier page_store of the slot that has not
 * been answered is so by this one.  At most one page a slot. */
void page_store(struct cp *cp, uint8_t slot, uint64_t bytes, page_fn done, void *ctx);

/* Commands without an answer. */
unsigned pages_open(const struct cp *cp);
#endif
