/* SPDX-License-Identifier: Apache-2.0
 * Where pages may go; contract in away.h.
 */
#include "migrate/away.h"

#include <errno.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "vm/pmem.h"

#define PAGE FRAMES_SMALL

struct away_page {
    struct range page;
    uint64_t frame; /* where it is */
    bool resting;   /* its first frame is not empty yet */
};

static struct away_page *page_at(const struct away *a, uint64_t page)
{
    struct range *r = ranges_at(&a->pages, page);
    return r ? RANGE_OF(r, struct away_page, page) : NULL;
}

static void page_forget(struct away *a, struct away_page *p)
{
    ranges_remove(&a->pages, &p->page);
    free(p);
}

static struct frames *frames_of(struct away *a, uint64_t frame)
{
    return &a->frames[(frame >> PMEM_OWNER_SHIFT) - 1];
}

void away_init(struct away *a, struct pmem *pm, const struct frames_source *source)
{
    *a = (struct away){.pm = pm, .frames = xcalloc(pmem_gpus(pm), sizeof *a->frames)};
    for (unsigned g = 0; g < pmem_gpus(pm); g++)
        frames_init(&a->frames[g], g, pmem_shared_bytes(pm, g), source);
}

void away_fini(struct away *a)
{
    while (a->pages.root)
        page_forget(a, RANGE_OF(a->pages.root, struct away_page, page));
    for (unsigned g = 0; g < pmem_gpus(a->pm); g++)
        frames_fini(&a->frames[g]);
    free(a->frames);
}

int away_take(struct away *a, uint64_t page, uint64_t bytes, unsigned gpu, uint64_t *to)
{
    *to = page;
    if (page >> PMEM_OWNER_SHIFT == gpu + 1) {
        for (uint64_t p = page; p < page + bytes; p += PAGE) {
            const struct away_page *known = page_at(a, p);
            if (known && known->resting)
                return -EAGAIN;
        }
        return 0;
    }
    const uint64_t at = frames_take(&a->frames[gpu], bytes);
    *to = pmem_addr(gpu + 1, at);
    return at == FRAMES_NONE ? -ENOMEM : 0;
}

void away_undo(struct away *a, uint64_t page, uint64_t to, uint64_t bytes)
{
    for (uint64_t at = 0; to != page && at < bytes; at += PAGE)
        frames_give(frames_of(a, to), (to + at) & PMEM_OFFSET_MASK);
}

bool away_soiled(struct away *a, uint64_t page, uint64_t to)
{
    struct away_page *own = to == page ? page_at(a, page) : NULL;
    if (own)
        own->resting = true;
    return own || to != page;
}

void away_moved(struct away *a, uint64_t page, uint64_t frame)
{
    struct away_page *p = page_at(a, page);
    if (!p) {
        p = xzalloc(sizeof *p);
        p->page = (struct range){.at = page, .bytes = PAGE};
        ranges_add(&a->pages, &p->page);
    }
    p->frame = pmem_frame_of(a->pm, page);
    p->resting |= frame == page;
    if (!p->resting && p->frame == page)
        page_forget(a, p);
}

/* Its owner may have gone meanwhile: then nobody wants it. */
static void first_emptied(struct away *a, uint64_t page)
{
    struct away_page *p = page_at(a, page);
    if (!p)
        return;
    p->resting = false;
    if (p->frame == page)
        page_forget(a, p);
}

void away_emptied(struct away *a, uint64_t frame)
{
    struct frames *f = frames_of(a, frame);
    const uint64_t at = frame & PMEM_OFFSET_MASK;
    if (frames_has(f, at))
        frames_give(f, at);
    else
        first_emptied(a, frame);
}

bool away_drop(struct away *a, uint64_t page, uint64_t bytes, uint64_t *at, uint64_t *frame)
{
    for (struct range *r; (r = ranges_overlap(&a->pages, page, bytes));) {
        *at = r->at;
        *frame = RANGE_OF(r, struct away_page, page)->frame; /* the memory may be empty already, and its pages home */
        page_forget(a, RANGE_OF(r, struct away_page, page));
        if (*frame != *at)
            return true;
    }
    return false;
}
