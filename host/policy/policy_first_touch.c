/* SPDX-License-Identifier: Apache-2.0
 * Policy `first-touch`: a page goes, once, to the first GPU that asks for it from afar, and stays there.  Where entries
 * are written on the first access (migrate.map: lazy), that is who makes it; else who has accessed it in a phase, of
 * several the one that has most.  What a command processor copies is no use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "policy/policy.h"
#include "policy/uses.h"

struct first_touch {
    struct policy_machine m;
    struct uses uses;      /* of this phase */
    struct ranges touched; /* pages that have moved, or never may */
};

static void *begin(const struct policy_machine *m)
{
    struct first_touch *o = xzalloc(sizeof *o);
    o->m = *m;
    uses_init(&o->uses, m->gpus);
    return o;
}

static void gone(void *own, uint64_t page, uint64_t bytes)
{
    struct first_touch *o = own;
    uses_forget(&o->uses, page, bytes);
    for (struct range *r; (r = ranges_overlap(&o->touched, page, bytes));) {
        ranges_remove(&o->touched, r);
        free(r);
    }
}

static void end(void *own)
{
    gone(own, 0, UINT64_MAX);
    free(own);
}

static void count(void *own, const struct page_fact *f)
{
    struct first_touch *o = own;
    if (!ranges_overlap(&o->touched, f->page, f->bytes))
        uses_add(&o->uses, f);
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    struct first_touch *o = own;
    size_t n = 0;
    (void)p;
    for (struct use *use = uses_first(&o->uses); use && n < room; use = uses_next(&o->uses, use->page.at)) {
        const struct use_most most = use_most(&o->uses, use, o->m.write_weight);
        out[n] = (struct decision){.page = use->page.at, .to = most.gpu};
        snprintf(out[n++].why, POLICY_WHY, "gpu%u is the first to ask for it", most.gpu);
    }
    uses_clear(&o->uses);
    return n;
}

static enum fault_verdict fault(void *own, const struct fault_fact *f)
{
    const struct first_touch *o = own;
    return f->engine || ranges_overlap(&o->touched, f->page, f->bytes) ? FAULT_FAR : FAULT_MOVE;
}

static void moved(void *own, const struct move_fact *m)
{
    struct first_touch *o = own;
    const bool mine = m->refused ? m->refused == -EPERM : m->decision > 0; /* an order of the program is no touch */
    if (!mine || ranges_overlap(&o->touched, m->page, m->bytes))
        return;
    struct range *r = xzalloc(sizeof *r);
    *r = (struct range){.at = m->page, .bytes = m->bytes};
    ranges_add(&o->touched, r);
}

const struct policy_ops policy_first_touch = {.name = "first-touch",
                                              .begin = begin,
                                              .end = end,
                                              .count = count,
                                              .phase = phase,
                                              .fault = fault,
                                              .moved = moved,
                                              .gone = gone};
