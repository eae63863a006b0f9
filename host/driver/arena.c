/* SPDX-License-Identifier: Apache-2.0
 * First-fit allocation of address ranges (arena.h).
 */
#include "driver/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"

static void range_insert(struct arena *a, size_t index, uint64_t at, uint64_t bytes)
{
    a->ranges = xgrow(a->ranges, &a->room, a->count + 1, sizeof *a->ranges);
    memmove(a->ranges + index + 1, a->ranges + index, (a->count - index) * sizeof *a->ranges);
    a->ranges[index] = (struct arena_range){at, bytes};
    a->count++;
}

static void range_remove(struct arena *a, size_t index)
{
    memmove(a->ranges + index, a->ranges + index + 1, (a->count - index - 1) * sizeof *a->ranges);
    a->count--;
}

void arena_init(struct arena *a, uint64_t at, uint64_t bytes)
{
    *a = (struct arena){.free_bytes = bytes};
    if (bytes)
        range_insert(a, 0, at, bytes);
}

void arena_release(struct arena *a)
{
    free(a->ranges);
    *a = (struct arena){0};
}

/* First place in a free range; ARENA_NONE. */
static uint64_t range_fit(struct arena_range r, uint64_t bytes, uint64_t align, uint64_t like, arena_next_fn next,
                          const void *arg)
{
    for (uint64_t from = r.at;;) {
        uint64_t at = from + ((like - from) & (align - 1)), skip = at - r.at;
        if (skip > r.bytes || r.bytes - skip < bytes)
            return ARENA_NONE;
        from = next ? next(arg, at, bytes) : at;
        if (from == at)
            return at;
    }
}

uint64_t arena_alloc_where(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like, arena_next_fn next,
                           const void *arg)
{
    for (size_t i = 0; i < a->count; i++) {
        struct arena_range r = a->ranges[i];
        uint64_t at = range_fit(r, bytes, align, like, next, arg);
        if (at == ARENA_NONE)
            continue;
        uint64_t skip = at - r.at, after = r.bytes - skip - bytes;
        if (skip)
            a->ranges[i].bytes = skip;
        else
            range_remove(a, i);
        if (after)
            range_insert(a, skip ? i + 1 : i, at + bytes, after);
        a->free_bytes -= bytes;
        return at;
    }
    return ARENA_NONE;
}

uint64_t arena_alloc(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like)
{
    return arena_alloc_where(a, bytes, align, like, NULL, NULL);
}

void arena_free(struct arena *a, uint64_t at, uint64_t bytes)
{
    size_t i = 0;
    while (i < a->count && a->ranges[i].at < at)
        i++;
    CHECK(i == a->count || at + bytes <= a->ranges[i].at, "driver.arena", "at=%llx bytes=%llx is free already",
          (unsigned long long)at, (unsigned long long)bytes);
    a->free_bytes += bytes;
    if (i > 0 && a->ranges[i - 1].at + a->ranges[i - 1].bytes == at) {
        a->ranges[--i].bytes += bytes;
    } else {
        range_insert(a, i, at, bytes);
    }
    if (i + 1 < a->count && a->ranges[i].at + a->ranges[i].bytes == a->ranges[i + 1].at) {
        a->ranges[i].bytes += a->ranges[i + 1].bytes;
        range_remove(a, i + 1);
    }
}
