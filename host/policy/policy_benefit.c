/* SPDX-License-Identifier: Apache-2.0
 * Policy `benefit`: a page goes when what its far accesses have cost since it came is more than what a move costs.  So
 * a page that is used on pays its move back in as long a time again, and one that is not has lost twice the cost of the
 * better choice at most.  A far access is taken to cost migrate.far_cycles more than a near one; what a move costs is
 * measured: the cycles of a batch by its pages, each new one an eighth of the mean.  Others than the GPU that uses it
 * most gain nothing and are not counted.
 */
#include "policy/habits.h"

#define MEAN 8u /* moves */

struct benefit {
    struct habits habits;
    uint64_t cost; /* of a page that moves, times MEAN */
};

static void *begin(const struct policy_machine *m)
{
    struct benefit *o = habits_begin(m, sizeof *o);
    o->cost = m->move_cycles * MEAN;
    return o;
}

/* In cycles. */
static bool claim(const struct habits *h, const struct use *use, struct claim *c)
{
    const struct benefit *o = (const struct benefit *)h;
    const struct use_most most = use_most(&h->uses, use, 1);
    *c = (struct claim){.gpu = most.gpu,
                        .weight = most.weight,
                        .others = most.others,
                        .has = most.weight * h->m.far_cycles,
                        .least = o->cost / MEAN + 1};
    return true;
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct habits *h = own;
    return habits_decide(h, claim, p, out, room);
}

static void moved(void *own, const struct move_fact *m)
{
    struct benefit *o = own;
    habits_moved(own, m);
    if (!m->refused)
        o->cost = o->cost - o->cost / MEAN + (m->ended - m->begun) / (m->batch ? m->batch : 1);
}

const struct policy_ops policy_benefit = {.name = "benefit",
                                          .begin = begin,
                                          .end = habits_end,
                                          .count = habits_count,
                                          .phase = phase,
                                          .moved = moved,
                                          .gone = habits_gone};
