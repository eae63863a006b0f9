/* SPDX-License-Identifier: Apache-2.0
 * First-fit allocation (arena.h).
 */
#include "vm/arena.h"

#include <stdlib.h>
#include <sys/param.h>

#include "base/check.h"

/* False: there is no memory for it. */
static bool range_insert(struct arena *a, uint64_t at, uint64_t bytes)
{
    struct range *r = calloc(1, sizeof *r);
    if (!r)
        return false;
    r->at = at;
    r->bytes = bytes;
    ranges_add(&a->free, r);
    return true;
}

static void range_remove(struct arena *a, struct range *r)
{
    ranges_remove(&a->free, r);
    free(r);
}

bool arena_init(struct arena *a, uint64_t at, uint64_t bytes)
{
    *a = (struct arena){.free_bytes = 0};
    if (bytes && !range_insert(a, at, bytes))
        return false;
    a->free_bytes = bytes;
    return true;
}

void arena_release(struct arena *a)
{
    while (a->free.root)
        range_remove(a, a->free.root);
    *a = (struct arena){0};
}

/* What an allocation asks for. */
struct wish {
    uint64_t bytes, align, like;
    arena_next_fn next;
    const void *arg;
};

/* First place in a free range from *from on; ARENA_NONE: then *from is where to look on, in later ranges. */
static uint64_t range_fit(const struct range *r, const struct wish *w, uint64_t *from)
{
    const uint64_t end = r->at + r->bytes;
    *from = MAX(*from, r->at);
    for (;;) {
        const uint64_t skip = (w->like - *from) & (w->align - 1);
        if (*from > end || skip > end - *from || end - *from - skip < w->bytes) {
            *from = MAX(*from, end);
            return ARENA_NONE;
        }
        const uint64_t at = *from + skip;
        *from = w->next ? w->next(w->arg, at, w->bytes) : at;
        if (*from == at)
            return at;
    }
}

/* [at, +bytes) of a free range is free no more; false: there is no memory for what is left of it. */
static bool range_take(struct arena *a, struct range *r, uint64_t at, uint64_t bytes)
{
    const uint64_t first = r->at, skip = at - first, after = r->bytes - skip - bytes;
    if (skip == 0 && after == 0) {
        range_remove(a, r);
    } else {
        const uint64_t whole = r->bytes;
        ranges_resize(&a->free, r, skip ? first : at + bytes, skip ? skip : after);
        if (skip && after && !range_insert(a, at + bytes, after)) {
            ranges_resize(&a->free, r, first, whole);
            return false;
        }
    }
    a->free_bytes -= bytes;
    return true;
}

static uint64_t alloc(struct arena *a, uint64_t from, const struct wish *w)
{
    for (;;) {
        struct range *r = ranges_at(&a->free, from);
        if (!r || r->bytes < w->bytes)
            r = ranges_fit(&a->free, from, w->bytes);
        const uint64_t at = r ? range_fit(r, w, &from) : ARENA_NONE;
        if (at != ARENA_NONE)
            return range_take(a, r, at, w->bytes) ? at : ARENA_NONE;
        if (!r)
            return ARENA_NONE;
    }
}

uint64_t arena_alloc_where(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like, arena_next_fn next,
                           const void *arg)
{
    return alloc(a, 0, &(struct wish){bytes, align, like, next, arg});
}

uint64_t arena_alloc(struct arena *a, uint64_t bytes, uint64_t align, uint64_t like)
{
    return arena_alloc_where(a, bytes, align, like, NULL, NULL);
}

uint64_t arena_alloc_from(struct arena *a, uint64_t from, uint64_t bytes)
{
    return alloc(a, from, &(struct wish){.bytes = bytes, .align = 1});
}

void arena_free(struct arena *a, uint64_t at, uint64_t bytes)
{
    struct range *before = ranges_before(&a->free, at), *after = ranges_from(&a->free, at);
    CHECK((!before || before->at + before->bytes <= at) && (!after || after->at >= at + bytes), "base.arena",
          "at=%llx bytes=%llx is free already", (unsigned long long)at, (unsigned long long)bytes);
    const uint64_t end = after && after->at == at + bytes ? after->at + after->bytes : at + bytes;
    const bool joins = before && before->at + before->bytes == at;
    if (!joins && end != at + bytes) {
        ranges_resize(&a->free, after, at, end - at);
    } else if (!joins && !range_insert(a, at, bytes)) {
        return; /* it stays used */
    } else if (joins) {
        if (end != at + bytes)
            range_remove(a, after);
        ranges_resize(&a->free, before, before->at, end - before->at);
    }
    a->free_bytes += bytes;
}
