/* SPDX-License-Identifier: Apache-2.0
 * Channels between processes; contract in cut_channels.h.
 */
#include "bridge/place/cut_channels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/log.h"
#include "base/xalloc.h"

static struct wire *plan_connect(void *ctx, struct sched *s, struct part *from, uint32_t slot_from, struct part *to,
                                 uint32_t slot_to, uint32_t bytes, uint32_t latency, uint32_t depth)
{
    struct cut_plan *plan = ctx;
    (void)s;
    if (from->process == to->process)
        return NULL;
    struct region_link link = {
        .bytes = bytes, .latency = latency, .depth = depth, .from = from->process, .to = to->process};
    link_name(link.name, from->name, slot_from, to->name, slot_to);
    if (latency < PART_WINDOW) {
        diag(link.name, "latency %u: between processes it must be at least %u", latency, PART_WINDOW);
        plan->failed = true;
        return NULL;
    }
    uint32_t n = plan->count++;
    plan->links = xgrow(plan->links, &plan->room, plan->count, sizeof *plan->links);
    plan->links[n] = link;
    return NULL;
}

struct sched_cut cut_planner(struct cut_plan *plan)
{
    return (struct sched_cut){plan_connect, plan};
}

void cut_plan_fini(struct cut_plan *plan)
{
    free(plan->links);
    *plan = (struct cut_plan){.links = NULL};
}

void cut_plan_text(const struct cut_plan *plan, char text[17])
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct region_link *l = &plan->links[i];
        const uint32_t numbers[] = {l->bytes, l->latency, l->depth, l->from, l->to};
        hash = XXH64(l->name, strlen(l->name), hash);
        hash = XXH64(numbers, sizeof numbers, hash);
    }
    snprintf(text, 17, "%016" PRIx64, hash);
}

static struct wire *here_connect(void *ctx, struct sched *s, struct part *from, uint32_t slot_from, struct part *to,
                                 uint32_t slot_to, uint32_t bytes, uint32_t latency, uint32_t depth)
{
    struct cut *cut = ctx;
    struct wire *w = NULL;
    if (from->elsewhere && to->elsewhere)
        return NULL;
    if (to->elsewhere)
        w = sched_export(s, from, slot_from, (struct far_end){to->name, slot_to}, bytes, latency, depth, cut->carrier);
    else
        w = sched_import(s, (struct far_end){from->name, slot_from}, to, slot_to, bytes, latency, depth, cut->carrier);
    cut->failed |= w == NULL;
    return w;
}

struct sched_cut cut_here(struct cut *cut)
{
    return (struct sched_cut){here_connect, cut};
}
