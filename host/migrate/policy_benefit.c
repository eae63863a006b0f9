/* SPDX-License-Identifier: Apache-2.0
 * Policy `benefit`: a page goes when what its far accesses have cost since it came is more than what a move costs.  So
 * a page that is used on pays its move back in as long a time again, and one that is not has lost twice the cost of the
 * better choice at most.  A far access is taken to cost migrate.far_cycles more than a near one; what a move costs is
 * measured: the cycles of a batch by its pages, each new one an eighth of the mean.  Others than the GPU that uses it
 * most gain nothing and are not counted.  Sums halve every migrate.return_cycles.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "migrate/damping.h"
#include "migrate/policy.h"
#include "migrate/uses.h"

#define MEAN 8u /* moves */

struct benefit {
    struct policy_machine m;
    struct uses uses; /* since the page came, halved */
    uint64_t halved;  /* cycle of the last time */
    uint64_t cost;    /* of a page that moves, times MEAN */
    struct damping damping;
};

static void *begin(const struct policy_machine *m)
{
    struct benefit *o = xzalloc(sizeof *o);
    o->m = *m;
    o->cost = m->move_cycles * MEAN;
    uses_init(&o->uses, m->gpus);
    damping_init(&o->damping, m);
    return o;
}

static void end(void *own)
{
    struct benefit *o = own;
    uses_clear(&o->uses);
    damping_fini(&o->damping);
    free(o);
}

static void count(void *own, const struct page_fact *f)
{
    uses_add(&((struct benefit *)own)->uses, f);
}

static void age(struct benefit *o, uint64_t cycle)
{
    damping_sweep(&o->damping, cycle);
    if (cycle - o->halved < o->m.return_cycles)
        return;
    o->halved = cycle;
    uses_halve(&o->uses);
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct benefit *o = own;
    size_t n = 0;
    for (struct use *use = uses_first(&o->uses); use && n < room; use = uses_next(&o->uses, use->page.at)) {
        const struct use_most most = use_most(&o->uses, use, 1);
        const uint64_t lost = most.weight * o->m.far_cycles;
        const uint64_t cost = (o->cost / MEAN) << damping_level(&o->damping, use->page.at, p->cycle);
        if (damping_pinned(&o->damping, use->page.at, p->cycle) || lost <= cost)
            continue;
        out[n] = (struct decision){.page = use->page.at, .to = most.gpu};
        snprintf(out[n++].why, POLICY_WHY, "%llu by gpu%u have cost %llu cycles, a move costs %llu",
                 (unsigned long long)most.weight, most.gpu, (unsigned long long)lost, (unsigned long long)cost);
    }
    age(o, p->cycle);
    return n;
}

static void moved(void *own, const struct move_fact *m)
{
    struct benefit *o = own;
    damping_moved(&o->damping, m);
    if (m->refused)
        return;
    o->cost = o->cost - o->cost / MEAN + (m->ended - m->begun) / (m->batch ? m->batch : 1);
    uses_forget(&o->uses, m->page, m->bytes);
}

static void gone(void *own, uint64_t page, uint64_t bytes)
{
    struct benefit *o = own;
    uses_forget(&o->uses, page, bytes);
    damping_gone(&o->damping, page, bytes);
}

const struct policy_ops policy_benefit = {
    .name = "benefit", .begin = begin, .end = end, .count = count, .phase = phase, .moved = moved, .gone = gone};
