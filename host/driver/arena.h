/* SPDX-License-Identifier: Apache-2.0
 * Ranges of a physical memory: first fit in rising order, so that the same calls give the same addresses.
 */
#ifndef GANTRY_ARENA_H
#define GANTRY_ARENA_H
#include <stddef.h>
#include <stdint.h>

#define ARENA_NONE UINT64_MAX

struct arena_range {
    uint64_t at, bytes;
};

struct arena {
    struct arena_range *ranges; /* free, rising, never adjacent */
    size_t count, room;
    uint64_t free_bytes;
};

void arena_init(struct arena *a, uint64_t at, uint64_t bytes);
void arena_release(struct arena *a);
/* A range whose start is equal to `like` modulo align; bytes, align and like multiples of 4 KiB, align a power of two.
 * ARENA_NONE when nothing fits. */
uint64_t arena_alloc(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like);
/* The same, where `next` agrees: of a free place it answers the place itself, or a later one from which on to look. */
typedef uint64_t (*arena_next_fn)(const void *arg, uint64_t at, uint64_t bytes);
uint64_t arena_alloc_where(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like, arena_next_fn next,
                           const void *arg);
void arena_free(struct arena *a, uint64_t at, uint64_t bytes);
#endif
