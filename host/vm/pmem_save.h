/* SPDX-License-Identifier: Apache-2.0
 * The contents of physical memory as a saved state: pages that hold something, of every VRAM and of host memory, and
 * which pages of the table regions are in use.  Not responsible for: who has what of it (drivers), windows of client
 * memory, which lies in another process.
 */
#ifndef GANTRY_PMEM_SAVE_H
#define GANTRY_PMEM_SAVE_H
#include <stdint.h>

#include "saved/state.h"

struct pmem;

/* Why it cannot be saved (a text in *room bytes); NULL: it can. */
const char *pmem_unsavable(const struct pmem *pm, char *text, size_t room);
/* Canonical: a page of zeros is no page, whether it takes memory or not. */
void pmem_save(const struct pmem *pm, struct state_writer *to);
/* Into memories of the same sizes; what they held before is gone.  False: the bytes end, or are not of such memories.
 */
bool pmem_restore(struct pmem *pm, struct state_reader *from);
/* The contents of one memory alone (a GPU's number, or PMEM_GTT), in the same way: pages that are not zero, each behind
 * its address, then PMEM_SAVE_END. */
#define PMEM_SAVE_END UINT64_MAX
void pmem_contents_save(const struct pmem *pm, unsigned memory, struct state_writer *to);
bool pmem_contents_restore(struct pmem *pm, unsigned memory, struct state_reader *from);
#endif
