/* SPDX-License-Identifier: Apache-2.0
 * Pages and how often each GPU has used them from afar; contract in uses.h.
 */
#include "policy/uses.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "policy/policy.h"

static struct use *use_at(const struct range *r)
{
    return r ? RANGE_OF(r, struct use, page) : NULL;
}

static void drop(struct uses *u, struct use *use)
{
    ranges_remove(&u->pages, &use->page);
    free(use);
}

void uses_init(struct uses *u, unsigned gpus)
{
    *u = (struct uses){.gpus = gpus};
}

void uses_clear(struct uses *u)
{
    for (struct use *use; (use = uses_first(u));)
        drop(u, use);
}

static bool same(const struct use *use, const struct page_fact *f)
{
    return use->page.at == f->page && use->page.bytes == f->bytes && use->home == f->home;
}

bool uses_add(struct uses *u, const struct page_fact *f)
{
    struct use *use = use_at(ranges_overlap(&u->pages, f->page, f->bytes));
    if (use && !same(use, f)) {
        uses_forget(u, f->page, f->bytes);
        use = NULL;
    }
    if (!use && u->pages.count == USES_MOST) {
        u->lost++;
        return false;
    }
    if (!use) {
        use = xzalloc(sizeof *use + u->gpus * sizeof use->by[0]);
        use->page = (struct range){.at = f->page, .bytes = f->bytes};
        use->home = f->home;
        ranges_add(&u->pages, &use->page);
    }
    use->by[f->requester].reads += f->reads;
    use->by[f->requester].writes += f->writes;
    return true;
}

struct use *uses_first(const struct uses *u)
{
    return use_at(ranges_from(&u->pages, 0));
}

struct use *uses_next(const struct uses *u, uint64_t page)
{
    return use_at(ranges_from(&u->pages, page + 1));
}

struct use *uses_find(const struct uses *u, uint64_t page)
{
    struct use *use = use_at(ranges_at(&u->pages, page));
    return use && use->page.at == page ? use : NULL;
}

struct use *uses_overlap(const struct uses *u, uint64_t page, uint64_t bytes)
{
    return use_at(ranges_overlap(&u->pages, page, bytes));
}

void uses_forget(struct uses *u, uint64_t page, uint64_t bytes)
{
    for (struct range *r; (r = ranges_overlap(&u->pages, page, bytes));)
        drop(u, use_at(r));
}

void uses_halve(struct uses *u)
{
    uint64_t at;
    for (struct use *use = uses_first(u); use; use = uses_next(u, at)) {
        uint64_t left = 0;
        at = use->page.at;
        for (unsigned g = 0; g < u->gpus; g++) {
            use->by[g].reads /= 2;
            use->by[g].writes /= 2;
            left |= use->by[g].reads | use->by[g].writes;
        }
        if (!left)
            drop(u, use);
    }
}

struct use_most use_most(const struct uses *u, const struct use *use, uint32_t write_weight)
{
    struct use_most most = {0};
    uint64_t all = 0;
    for (unsigned g = 0; g < u->gpus; g++) {
        const uint64_t weight = use->by[g].reads + use->by[g].writes * write_weight;
        all += weight;
        if (weight > most.weight)
            most = (struct use_most){.gpu = g, .weight = weight, .count = use->by[g]};
    }
    most.others = all - most.weight;
    return most;
}
