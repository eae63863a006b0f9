/* SPDX-License-Identifier: Apache-2.0
 * Policy `periodic` (S1.6, S1.7): at the end of each phase all pages for which the migration condition holds go, in one
 * batch.  The condition is data: of the accesses of this phase at least migrate.share percent are by one GPU, a write
 * as many as migrate.write_weight reads; and that GPU has made migrate.threshold for each 4 KiB since the page came
 * where it is.
 */
#include "policy/habits.h"

struct periodic {
    struct habits habits;
    struct uses uses; /* of this phase */
};

static void *begin(const struct policy_machine *m)
{
    struct periodic *o = habits_begin(m, sizeof *o);
    uses_init(&o->uses, m->gpus);
    return o;
}

static void end(void *own)
{
    uses_clear(&((struct periodic *)own)->uses);
    habits_end(own);
}

static void count(void *own, const struct page_fact *f)
{
    uses_add(&((struct periodic *)own)->uses, f);
    habits_count(own, f);
}

/* A page that nobody has accessed in this phase may go along with others, by what was before. */
static bool claim(const struct habits *h, const struct use *use, struct claim *c)
{
    const struct use *now = uses_find(&((const struct periodic *)h)->uses, use->page.at);
    const struct use_most most = use_most(&h->uses, now ? now : use, h->m.write_weight);
    *c = (struct claim){.gpu = most.gpu,
                        .weight = most.weight,
                        .others = most.others,
                        .has = use->by[most.gpu].reads + use->by[most.gpu].writes * h->m.write_weight,
                        .least = habits_threshold(h, use)};
    return most.weight * 100 >= (most.weight + most.others) * h->m.share;
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct periodic *o = own;
    const size_t n = habits_decide(&o->habits, claim, p, out, room);
    uses_clear(&o->uses);
    return n;
}

static void gone(void *own, uint64_t page, uint64_t bytes)
{
    uses_forget(&((struct periodic *)own)->uses, page, bytes);
    habits_gone(own, page, bytes);
}

const struct policy_ops policy_periodic = {.name = "periodic",
                                           .begin = begin,
                                           .end = end,
                                           .count = count,
                                           .phase = phase,
                                           .moved = habits_moved,
                                           .gone = gone};
