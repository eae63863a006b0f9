/* SPDX-License-Identifier: Apache-2.0
 * Policy `threshold`: a page goes to a GPU as soon as a phase ends in which the accesses of that GPU are
 * migrate.threshold more than those of all others that are known, all since it came where it is.  Sums halve every
 * migrate.return_cycles, so use of long ago counts for little.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "migrate/damping.h"
#include "migrate/policy.h"
#include "migrate/uses.h"

struct threshold {
    struct policy_machine m;
    struct uses uses; /* since the page came, halved */
    uint64_t halved;  /* cycle of the last time */
    struct damping damping;
};

static void *begin(const struct policy_machine *m)
{
    struct threshold *o = xzalloc(sizeof *o);
    o->m = *m;
    uses_init(&o->uses, m->gpus);
    damping_init(&o->damping, m);
    return o;
}

static void end(void *own)
{
    struct threshold *o = own;
    uses_clear(&o->uses);
    damping_fini(&o->damping);
    free(o);
}

static void count(void *own, const struct page_fact *f)
{
    uses_add(&((struct threshold *)own)->uses, f);
}

static void age(struct threshold *o, uint64_t cycle)
{
    damping_sweep(&o->damping, cycle);
    if (cycle - o->halved < o->m.return_cycles)
        return;
    o->halved = cycle;
    uses_halve(&o->uses);
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct threshold *o = own;
    size_t n = 0;
    for (struct use *use = uses_first(&o->uses); use && n < room; use = uses_next(&o->uses, use->page.at)) {
        const struct use_most most = use_most(&o->uses, use, o->m.write_weight);
        const uint64_t least = (uint64_t)o->m.threshold << damping_level(&o->damping, use->page.at, p->cycle);
        if (damping_pinned(&o->damping, use->page.at, p->cycle) || most.weight < most.others + least)
            continue;
        out[n] = (struct decision){.page = use->page.at, .to = most.gpu};
        snprintf(out[n++].why, POLICY_WHY, "%llu by gpu%u, %llu by others: at least %llu more",
                 (unsigned long long)most.weight, most.gpu, (unsigned long long)most.others, (unsigned long long)least);
    }
    age(o, p->cycle);
    return n;
}

static void moved(void *own, const struct move_fact *m)
{
    struct threshold *o = own;
    damping_moved(&o->damping, m);
    if (!m->refused)
        uses_forget(&o->uses, m->page, m->bytes);
}

static void gone(void *own, uint64_t page, uint64_t bytes)
{
    struct threshold *o = own;
    uses_forget(&o->uses, page, bytes);
    damping_gone(&o->damping, page, bytes);
}

const struct policy_ops policy_threshold = {
    .name = "threshold", .begin = begin, .end = end, .count = count, .phase = phase, .moved = moved, .gone = gone};
