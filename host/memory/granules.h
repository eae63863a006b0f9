/* SPDX-License-Identifier: Apache-2.0
 * One memory (VRAM of a GPU, GTT) divided among clients.  Ranges are handed out first fit in rising order, in granules
 * that one client has whole: what a client can map never holds a byte of another.  A single client gets the same
 * addresses as if there were no granules.
 */
#ifndef GANTRY_STORE_H
#define GANTRY_STORE_H
#include "vm/arena.h"

struct pmem;
struct store_granule;

struct store {
    struct pmem *pm;
    unsigned memory; /* of pmem.h */
    uint64_t granule;
    struct arena arena;
    struct store_granule *granules;
};

void store_init(struct store *s, struct pmem *pm, unsigned memory);
void store_fini(struct store *s); /* before the memory itself goes */
/* As arena_alloc, for client `owner` (not 0): ARENA_NONE when nothing fits, or there are no descriptors left. */
uint64_t store_alloc(struct store *s, uint32_t owner, uint64_t bytes, uint64_t align, uint64_t like);
/* A whole granule that no client can map, the last that nobody has: ARENA_NONE when there is none. */
uint64_t store_reserve(struct store *s);
/* What was allocated comes back, and reads as zeros for whoever gets it next. */
void store_free(struct store *s, uint64_t at, uint64_t bytes);
/* Memory of the GTT store that nobody uses yet gets other contents than zeros. */
void store_fill(struct store *s, uint64_t at, uint64_t bytes, uint8_t value);
/* The descriptor (borrowed) behind [at, +*bytes): *bytes is cut to what lies in it; -1: nobody has allocated that. */
int store_fd(const struct store *s, uint64_t at, uint64_t *file_offset, uint64_t *bytes);
#endif
