/* SPDX-License-Identifier: Apache-2.0
 * Frames that pages have left; contract in left_frames.h.
 */
#include "migrate/left_frames.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "migrate/move.h"

void rest_put(struct migrate *m, uint64_t page, uint64_t frame)
{
    struct rest *r = &m->rest;
    r->frame = xgrow(r->frame, &r->room, r->count + 1, sizeof *r->frame);
    r->frame[r->count++] = (struct rest_frame){page, frame};
    if (r->count >= REST_MOST)
        rest_clear(m);
}

/* What the host does may ask for the next frame: the list is empty by then. */
bool rest_clear(struct migrate *m)
{
    struct rest all = m->rest;
    m->rest = (struct rest){0};
    for (size_t i = 0; i < all.count; i++)
        m->host.left(m->host.ctx, all.frame[i].page, all.frame[i].frame);
    free(all.frame);
    return all.count;
}

void rest_gone(struct migrate *m, uint64_t page, uint64_t bytes)
{
    for (size_t i = 0; i < m->rest.count; i++)
        if (m->rest.frame[i].page - page < bytes) {
            rest_clear(m);
            return;
        }
}
