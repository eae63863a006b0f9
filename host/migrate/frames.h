/* SPDX-License-Identifier: Apache-2.0
 * Empty frames of one GPU's VRAM, for pages that come from elsewhere.  They are cut out of granules that nobody else
 * has, taken when one is needed and given back when all of one is empty.  Not responsible for: when a frame that a page
 * has left is empty (quarantine of the driver).
 */
#ifndef GANTRY_MIGRATE_FRAMES_H
#define GANTRY_MIGRATE_FRAMES_H
#include <stdbool.h>
#include <stdint.h>

#include "vm/arena.h"

#define FRAMES_NONE UINT64_MAX
#define FRAMES_SMALL UINT64_C(4096)
#define FRAMES_BLOCK UINT64_C(65536)

/* Where granules come from: memory that no client reaches. */
struct frames_source {
    void *ctx;
    uint64_t granule;                                   /* a power of two, FRAMES_BLOCK or more */
    uint64_t (*take)(void *ctx, unsigned gpu);          /* its offset in VRAM; FRAMES_NONE: there is none */
    void (*give)(void *ctx, unsigned gpu, uint64_t at); /* as take gave it */
};

struct frames {
    struct frames_source source;
    unsigned gpu;
    struct arena empty;
    uint64_t *used; /* bytes, by granule; of one that is not here 0 */
    uint64_t granules, used_bytes;
};

/* vram_bytes: as far as granules may lie. */
void frames_init(struct frames *f, unsigned gpu, uint64_t vram_bytes, const struct frames_source *source);
void frames_fini(struct frames *f);
/* One of FRAMES_SMALL or FRAMES_BLOCK bytes, aligned: its offset.  FRAMES_NONE: the GPU has none left. */
uint64_t frames_take(struct frames *f, uint64_t bytes);
/* Something of the granule with this frame was taken and is not back. */
bool frames_has(const struct frames *f, uint64_t at);
/* FRAMES_SMALL bytes of what was taken. */
void frames_give(struct frames *f, uint64_t at);
#endif
