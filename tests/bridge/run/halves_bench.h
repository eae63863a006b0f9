/* SPDX-License-Identifier: Apache-2.0
 * The machine of toys_bench.h in two halves, as two processes have it, in one: what crosses between them goes through
 * rings that both share.
 */
#ifndef HALVES_BENCH_H
#define HALVES_BENCH_H
#include <stdio.h>
#include <string.h>

#include "bridge/run/sched_links.h"
#include "toys_bench.h"

/* Half of the machine, as one of two processes has it: toys below or from `first` on; channels to the others cut. */
struct half {
    struct sched sched;
    struct part *parts[TOYS];
    struct toy toys[TOYS];
    struct ring **rings; /* of all channels that are cut, by partition and output; both halves share them */
    size_t under_way;
};

static struct wire *half_connect(void *ctx, struct sched *s, struct part *from, uint32_t slot_from, struct part *to,
                                 uint32_t slot_to, uint32_t bytes, uint32_t latency, uint32_t depth)
{
    struct half *h = ctx;
    struct ring **ring = &h->rings[from->number * 3 + slot_from];
    if (from->elsewhere && to->elsewhere)
        return NULL;
    if (*ring == NULL)
        *ring = ring_new_empty(bytes, depth, RING_LINE);
    const struct carrier carrier = {&transport_inproc, *ring};
    if (to->elsewhere)
        return sched_export(s, from, slot_from, (struct far_end){to->name, slot_to}, bytes, latency, depth, carrier);
    return sched_import(s, (struct far_end){from->name, slot_from}, to, slot_to, bytes, latency, depth, carrier);
}

static inline void half_open(struct half *h, struct ring **rings, unsigned self, uint32_t depth)
{
    memset(h, 0, sizeof *h);
    h->rings = rings;
    sched_init(&h->sched);
    h->sched.cut = (struct sched_cut){half_connect, h};
    for (unsigned i = 0; i < TOYS; i++) {
        char name[16];
        const bool here = (i % 4 < 2) == (self == 0);
        snprintf(name, sizeof name, "toy%u", i);
        h->parts[i] = here ? part_new(&toy_ops, name, 3, 3, &h->toys[i]) : part_elsewhere(name, 3, 3, !self);
        sched_add(&h->sched, h->parts[i]);
    }
    for (unsigned i = 0; i < TOYS; i++) {
        for (unsigned o = 0; o < 3; o++) {
            struct wire *w = sched_connect(&h->sched, h->parts[i], o, h->parts[(i + o + 1) % TOYS], o, 16,
                                           o == 2 ? FAR : 16 + 8 * o, depth);
            if (o == 0 && w)
                w->channel.rate = (struct channel_rate){.bytes_per_cycle = 8, .header = 20, .payload = {0, 16, 32, 64}};
        }
    }
    assert_true(sched_start(&h->sched));
}
#endif
