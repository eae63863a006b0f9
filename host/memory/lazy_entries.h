/* SPDX-License-Identifier: Apache-2.0
 * Entries that a GPU gets on its first access (key migrate.map: lazy; migrate/faults.h).  Memory in another GPU's VRAM
 * that may move is mapped without entries; the rest has them from the start, as all memory has with `eager`, on golden
 * GPUs, and where a part of the run is on golden GPUs.  Whether a page was touched is written nowhere else: it has an
 * entry.  Not responsible for: what is decided about a first access (host/migrate).
 */
#ifndef GANTRY_LAZY_H
#define GANTRY_LAZY_H
#include <stdbool.h>
#include <stdint.h>

#include "migrate/faults.h"

struct backing;
struct client;
struct driver;
struct object;

/* The memory gets entries on the first access, on GPUs in whose memory it is not. */
bool lazy_memory(const struct driver *d, const struct backing *b);
/* All of the object does, and none of it is in this GPU's memory: mapping it there writes no entry. */
bool lazy_all(const struct driver *d, const struct object *o, unsigned gpu);
/* Some page of [page, +bytes), own address, of the object has an entry on this GPU (true with `eager`). */
bool lazy_entries(const struct driver *d, const struct client *c, const struct object *o, unsigned gpu, uint64_t page,
                  uint64_t bytes);
/* An access of this GPU waits for one of them, by this object's addresses. */
bool lazy_waits(const struct driver *d, const struct client *c, const struct object *o, unsigned gpu, uint64_t page,
                uint64_t bytes);
/* Some page of it has no entry on any GPU. */
bool lazy_untouched(const struct driver *d, const struct backing *b, uint64_t page, uint64_t bytes);

/* The client has ended: none of its accesses waits any more. */
void lazy_forget(const struct driver *d, const struct client *c);

/* cp_host.withheld; `owner`: struct client. */
bool lazy_withheld(void *ctx, void *owner, unsigned gpu, uint64_t va, uint32_t rights);
/* faults_host's. */
bool lazy_place(void *ctx, void *owner, unsigned gpu, uint64_t va, struct fault_place *p);
int lazy_map(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes);
void lazy_answer(void *ctx, void *owner, unsigned gpu, uint64_t va, uint64_t bytes, bool deny);
#endif
