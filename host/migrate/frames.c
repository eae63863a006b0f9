/* SPDX-License-Identifier: Apache-2.0
 * Empty frames; contract in frames.h.
 */
#include "migrate/frames.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"

void frames_init(struct frames *f, unsigned gpu, uint64_t vram_bytes, const struct frames_source *source)
{
    *f = (struct frames){.source = *source, .gpu = gpu, .granules = vram_bytes / source->granule};
    f->used = xcalloc(f->granules + 1, sizeof *f->used);
}

void frames_fini(struct frames *f)
{
    arena_release(&f->empty);
    free(f->used);
    *f = (struct frames){.gpu = f->gpu};
}

static bool granule_add(struct frames *f)
{
    const uint64_t at = f->source.take(f->source.ctx, f->gpu);
    if (at == FRAMES_NONE)
        return false;
    CHECK(at % f->source.granule == 0 && at / f->source.granule < f->granules, "migrate", "gpu%u: granule at %llx",
          f->gpu, (unsigned long long)at);
    arena_free(&f->empty, at, f->source.granule);
    return true;
}

uint64_t frames_take(struct frames *f, uint64_t bytes)
{
    uint64_t at = arena_alloc(&f->empty, bytes, bytes, 0);
    if (at == ARENA_NONE && granule_add(f))
        at = arena_alloc(&f->empty, bytes, bytes, 0);
    if (at == ARENA_NONE)
        return FRAMES_NONE;
    f->used[at / f->source.granule] += bytes;
    f->used_bytes += bytes;
    return at;
}

bool frames_has(const struct frames *f, uint64_t at)
{
    return at / f->source.granule < f->granules && f->used[at / f->source.granule] != 0;
}

void frames_give(struct frames *f, uint64_t at)
{
    const uint64_t granule = f->source.granule, first = at - at % granule;
    uint64_t *used = &f->used[at / granule];
    CHECK(at % FRAMES_SMALL == 0 && frames_has(f, at), "migrate", "gpu%u: frame %llx is nobody's", f->gpu,
          (unsigned long long)at);
    arena_free(&f->empty, at, FRAMES_SMALL);
    *used -= FRAMES_SMALL;
    f->used_bytes -= FRAMES_SMALL;
    if (*used == 0 && arena_alloc_from(&f->empty, first, granule) == first)
        f->source.give(f->source.ctx, f->gpu, first);
}
