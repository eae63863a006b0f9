/* SPDX-License-Identifier: Apache-2.0
 * Policy `periodic` (S1.6, S1.7): at the end of each phase all pages for which the migration condition holds go, in one
 * batch.  The condition is data: accesses of this phase alone, a write as many as migrate.write_weight reads; at least
 * migrate.threshold of them by one GPU, which are at least migrate.share percent of all that are known.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "migrate/damping.h"
#include "migrate/policy.h"
#include "migrate/uses.h"

struct periodic {
    struct policy_machine m;
    struct uses uses; /* of this phase */
    struct damping damping;
};

static void *begin(const struct policy_machine *m)
{
    struct periodic *o = xzalloc(sizeof *o);
    o->m = *m;
    uses_init(&o->uses, m->gpus);
    damping_init(&o->damping, m);
    return o;
}

static void end(void *own)
{
    struct periodic *o = own;
    uses_clear(&o->uses);
    damping_fini(&o->damping);
    free(o);
}

static void count(void *own, const struct page_fact *f)
{
    uses_add(&((struct periodic *)own)->uses, f);
}

static bool condition(const struct periodic *o, const struct use_most *most, uint64_t least)
{
    return most->weight >= least && most->weight * 100 >= (most->weight + most->others) * o->m.share;
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct periodic *o = own;
    size_t n = 0;
    damping_sweep(&o->damping, p->cycle);
    for (struct use *use = uses_first(&o->uses); use && n < room; use = uses_next(&o->uses, use->page.at)) {
        const struct use_most most = use_most(&o->uses, use, o->m.write_weight);
        const uint64_t least = (uint64_t)o->m.threshold << damping_level(&o->damping, use->page.at, p->cycle);
        if (damping_pinned(&o->damping, use->page.at, p->cycle) || !condition(o, &most, least))
            continue;
        out[n] = (struct decision){.page = use->page.at, .to = most.gpu};
        snprintf(out[n++].why, POLICY_WHY, "%llu by gpu%u in a phase, %llu by others: at least %llu",
                 (unsigned long long)most.weight, most.gpu, (unsigned long long)most.others, (unsigned long long)least);
    }
    uses_clear(&o->uses);
    return n;
}

static void moved(void *own, const struct move_fact *m)
{
    damping_moved(&((struct periodic *)own)->damping, m);
}

static void gone(void *own, uint64_t page, uint64_t bytes)
{
    struct periodic *o = own;
    uses_forget(&o->uses, page, bytes);
    damping_gone(&o->damping, page, bytes);
}

const struct policy_ops policy_periodic = {
    .name = "periodic", .begin = begin, .end = end, .count = count, .phase = phase, .moved = moved, .gone = gone};
