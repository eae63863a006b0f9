/* SPDX-License-Identifier: Apache-2.0
 * The clock of the golden GPU, as s_memtime and s_memrealtime tell it: the instructions of all wavefronts move it, and
 * so does a wavefront that does nothing but read it.  A read belongs to the order of one thread: with several it waits
 * until the round's turn (golden_group.c), so that what it tells does not depend on their number.
 */
#include "golden/golden_private.h"

#define NEAR 256     /* instructions of a wavefront between two reads of one that waits */
#define FREE 16      /* reads that take no time; after as many more each takes twice as long as before */
#define LONGEST 4u   /* times that it doubles */
#define SHORTEST 64u /* cycles of the first read that takes any */

void golden_set_time(struct golden *g, uint64_t cycle, uint32_t most)
{
    g->time = cycle;
    g->most = most;
    g->begun = g->instructions;
    g->waited = 0;
}

uint64_t golden_time(const struct golden *g)
{
    return g->shown > g->time ? g->shown : g->time;
}

static uint64_t passed(const struct golden *g, uint64_t instructions)
{
    return (instructions - g->begun) / GOLDEN_RATE + g->waited;
}

bool golden_clock_out(const struct golden *g)
{
    return passed(g, g->instructions) >= g->most;
}

/* A read again and again: the wavefront waits for a time.  Others get on before the next one. */
static void wait(struct golden_worker *k, unsigned count)
{
    unsigned doubled = count / FREE - 1;
    k->g->waited += SHORTEST << (doubled < LONGEST ? doubled : LONGEST);
    k->yielded = k->waited = true;
}

uint64_t golden_clock_read(struct golden_worker *k, const struct gcn3_wave *w)
{
    struct golden *g = k->g;
    struct golden_group *group = w->owner;
    struct golden_reads *r = &group->reads[w - group->wave];
    r->count = w->instructions - r->last <= NEAR ? r->count + 1 : 0;
    r->last = w->instructions;
    if (r->count >= FREE)
        wait(k, r->count);
    uint64_t gone = passed(g, g->instructions + k->before + w->instructions);
    uint64_t now = g->time + (gone < g->most ? gone : g->most - 1);
    g->shown = now > g->shown ? now : g->shown;
    return g->shown;
}
