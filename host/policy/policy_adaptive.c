/* SPDX-License-Identifier: Apache-2.0
 * Policy `adaptive`: as `threshold`; and where entries are written on the first access (migrate.map: lazy), a page
 * moves to the GPU that makes it.  So what one GPU alone uses has moved before it is read once from afar, and what was
 * moved to the wrong one goes on by its counts.  A GPU that asks for much at once would wait for all of it: at most
 * migrate.first_bytes come to it on first accesses at a time, and what it asks for meanwhile is mapped where it is.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "policy/habits.h"

/* A page that moves on a first access. */
struct coming {
    struct range page;
    unsigned to;
};

struct adaptive {
    struct habits habits;
    struct ranges coming;
    uint64_t *bytes; /* by GPU: of those that come to it */
};

static void *begin(const struct policy_machine *m)
{
    struct adaptive *o = habits_begin(m, sizeof *o);
    o->bytes = xcalloc(m->gpus, sizeof *o->bytes);
    return o;
}

/* No page of [page, +bytes) comes any more. */
static void forget(struct adaptive *o, uint64_t page, uint64_t bytes)
{
    for (struct range *r; (r = ranges_overlap(&o->coming, page, bytes));) {
        struct coming *c = RANGE_OF(r, struct coming, page);
        o->bytes[c->to] -= r->bytes;
        ranges_remove(&o->coming, r);
        free(c);
    }
}

static void end(void *own)
{
    struct adaptive *o = own;
    forget(o, 0, UINT64_MAX);
    free(o->bytes);
    habits_end(own);
}

static size_t phase(void *own, const struct phase_fact *p, struct decision *out, size_t room)
{
    return habits_decide(own, habits_over_others, p, out, room);
}

static enum fault_verdict fault(void *own, const struct fault_fact *f)
{
    struct adaptive *o = own;
    const struct damping *d = &o->habits.damping;
    if (f->engine || damping_pinned(d, f->page, f->cycle) || damping_level(d, f->page, f->cycle) ||
        o->bytes[f->requester] + f->bytes > o->habits.m.first_bytes)
        return FAULT_FAR;
    forget(o, f->page, f->bytes);
    struct coming *c = xzalloc(sizeof *c);
    *c = (struct coming){.page = {.at = f->page, .bytes = f->bytes}, .to = f->requester};
    ranges_add(&o->coming, &c->page);
    o->bytes[f->requester] += f->bytes;
    return FAULT_MOVE;
}

static void moved(void *own, const struct move_fact *m)
{
    forget(own, m->page, m->bytes);
    habits_moved(own, m);
}

static void gone(void *own, uint64_t page, uint64_t bytes)
{
    forget(own, page, bytes);
    habits_gone(own, page, bytes);
}

const struct policy_ops policy_adaptive = {.name = "adaptive",
                                           .begin = begin,
                                           .end = end,
                                           .count = habits_count,
                                           .phase = phase,
                                           .fault = fault,
                                           .moved = moved,
                                           .gone = gone};
