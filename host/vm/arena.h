/* SPDX-License-Identifier: Apache-2.0
 * Which of a run of numbers are free (bytes of a memory, addresses, ids): first fit in rising order, so that the same
 * calls give the same numbers.  A call takes a time that grows with the logarithm of how many free ranges there are,
 * and with the number of those that are long enough and do not fit for their alignment, or for `next`.
 */
#ifndef GANTRY_ARENA_H
#define GANTRY_ARENA_H
#include <stdbool.h>
#include <stdint.h>

#include "vm/ranges.h"

#define ARENA_NONE UINT64_MAX

struct arena {
    struct ranges free; /* never adjacent */
    uint64_t free_bytes;
};

/* False without memory: it is an empty one then.  A call that finds none for its ranges changes nothing: what it asked
 * for is not there, what it gives back stays used. */
bool arena_init(struct arena *a, uint64_t at, uint64_t bytes);
void arena_release(struct arena *a);
/* A range whose start is equal to `like` modulo align, a power of two.  ARENA_NONE when nothing fits. */
uint64_t arena_alloc(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like);
/* The same, where `next` agrees: of a free place it answers the place itself, or a later one from which on to look:
 * none between fits. */
typedef uint64_t (*arena_next_fn)(const void *arg, uint64_t at, uint64_t bytes);
uint64_t arena_alloc_where(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like, arena_next_fn next,
                           const void *arg);
/* The first of them at `from` or above, without alignment. */
uint64_t arena_alloc_from(struct arena *a, uint64_t from, uint64_t bytes);
void arena_free(struct arena *a, uint64_t at, uint64_t bytes);
#endif
