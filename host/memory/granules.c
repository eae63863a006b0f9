/* SPDX-License-Identifier: Apache-2.0
 * Memory divided among clients (granules.h).  The arena knows free ranges; here is who has which granule.
 */
#include "memory/granules.h"

#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "vm/pmem.h"

#define NO_CLIENT UINT32_MAX

struct store_granule {
    uint32_t owner; /* 0: nobody; NO_CLIENT: reserved */
    uint64_t used;  /* bytes */
};

void store_init(struct store *s, struct pmem *pm, unsigned memory)
{
    uint64_t bytes = pmem_shared_bytes(pm, memory);
    *s = (struct store){.pm = pm, .memory = memory, .granule = pmem_granule(pm, memory)};
    s->granules = xcalloc(howmany(bytes, s->granule), sizeof *s->granules);
    arena_init(&s->arena, 0, bytes);
}

void store_fini(struct store *s)
{
    arena_release(&s->arena);
    free(s->granules);
    s->granules = NULL;
}

static uint64_t granule_last(const struct store *s, uint64_t at, uint64_t bytes)
{
    return (at + bytes - 1) / s->granule;
}

struct place {
    const struct store *store;
    uint32_t owner;
};

/* Behind the last granule of somebody else in the range; `at` when there is none. */
static uint64_t place_next(const void *arg, uint64_t at, uint64_t bytes)
{
    const struct place *place = arg;
    const struct store *s = place->store;
    for (uint64_t g = granule_last(s, at, bytes); g + 1 > at / s->granule; g--)
        if (s->granules[g].owner && s->granules[g].owner != place->owner)
            return (g + 1) * s->granule;
    return at;
}

/* Bytes of [at, +bytes) in granule g. */
static uint64_t share(const struct store *s, uint64_t g, uint64_t at, uint64_t bytes)
{
    uint64_t first = g * s->granule, last = first + s->granule;
    return MIN(at + bytes, last) - MAX(at, first);
}

/* Only the ends of a range may lie in granules that the client has already: what is between becomes one slab. */
static int slab_take(struct store *s, uint64_t first, uint64_t last)
{
    const uint64_t from = first + !!s->granules[first].used, upto = last + !s->granules[last].used;
    if (from >= upto)
        return 0;
    const uint64_t end = pmem_shared_bytes(s->pm, s->memory), at = from * s->granule, to = upto * s->granule;
    int error = pmem_slab_take(s->pm, s->memory, at, MIN(to, end) - at);
    if (error)
        log_warn("driver", "no memory for a client: %s", strerror(-error));
    return error;
}

uint64_t store_alloc(struct store *s, uint32_t owner, uint64_t bytes, uint64_t align, uint64_t like)
{
    const struct place place = {s, owner};
    uint64_t at = arena_alloc_where(&s->arena, bytes, align, like, place_next, &place);
    if (at == ARENA_NONE)
        return at;
    uint64_t first = at / s->granule, last = granule_last(s, at, bytes);
    if (slab_take(s, first, last) < 0) {
        arena_free(&s->arena, at, bytes);
        return ARENA_NONE;
    }
    for (uint64_t g = first; g <= last; g++) {
        s->granules[g].owner = owner;
        s->granules[g].used += share(s, g, at, bytes);
    }
    return at;
}

/* From the other end: what clients get is where it would be without. */
uint64_t store_reserve(struct store *s)
{
    for (uint64_t g = pmem_shared_bytes(s->pm, s->memory) / s->granule; g-- > 0;)
        if (!s->granules[g].owner && arena_alloc_from(&s->arena, g * s->granule, s->granule) == g * s->granule) {
            s->granules[g] = (struct store_granule){.owner = NO_CLIENT, .used = s->granule};
            return g * s->granule;
        }
    return ARENA_NONE;
}

void store_free(struct store *s, uint64_t at, uint64_t bytes)
{
    pmem_clear(s->pm, s->memory, at, bytes);
    for (uint64_t g = at / s->granule; g <= granule_last(s, at, bytes); g++) {
        s->granules[g].used -= share(s, g, at, bytes);
        if (s->granules[g].used)
            continue;
        s->granules[g].owner = 0;
        pmem_slab_give(s->pm, s->memory, g * s->granule);
    }
    arena_free(&s->arena, at, bytes);
}

void store_fill(struct store *s, uint64_t at, uint64_t bytes, uint8_t value)
{
    CHECK(s->memory == PMEM_GTT, "driver.store", "memory %u", s->memory);
    memset(pmem_gtt(s->pm, at, bytes), value, bytes);
}

int store_fd(const struct store *s, uint64_t at, uint64_t *file_offset, uint64_t *bytes)
{
    uint64_t there = 0;
    int fd = pmem_slab_fd(s->pm, s->memory, at, file_offset, &there);
    *bytes = MIN(*bytes, there); /* -1: nothing is there */
    return fd;
}
