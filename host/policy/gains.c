/* SPDX-License-Identifier: Apache-2.0
 * An estimate of what moves have saved; contract in gains.h.
 */
#include "policy/gains.h"

#include "policy/policy.h"

#define WORK 65536u

void gains_init(struct gains *g)
{
    *g = (struct gains){0};
    uses_init(&g->pages, 1);
}

void gains_fini(struct gains *g)
{
    uses_clear(&g->pages);
}

struct gain gain_of(uint64_t accesses, uint64_t instructions)
{
    return (struct gain){.phase = accesses, .work = accesses * WORK / (instructions ? instructions : 1)};
}

void gains_forget(struct gains *g, uint64_t page, uint64_t bytes)
{
    for (struct use *u; (u = uses_overlap(&g->pages, page, bytes)); uses_forget(&g->pages, u->page.at, u->page.bytes)) {
        g->sum.work -= u->by[0].reads;
        g->sum.phase -= u->by[0].writes;
    }
}

void gains_set(struct gains *g, uint64_t page, uint64_t bytes, const struct gain *gain)
{
    gains_forget(g, page, bytes);
    if (!gain || !uses_add(&g->pages, &(struct page_fact){
                                          .page = page, .bytes = bytes, .reads = gain->work, .writes = gain->phase}))
        return;
    g->sum.work += gain->work;
    g->sum.phase += gain->phase;
}

uint64_t gains_sum(const struct gains *g, uint64_t phases, uint64_t instructions)
{
    const uint64_t by_work = g->sum.work * instructions / WORK, by_time = g->sum.phase * phases;
    return by_work < by_time ? by_work : by_time;
}
