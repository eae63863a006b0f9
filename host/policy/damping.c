/* SPDX-License-Identifier: Apache-2.0
 * Damping against ping-pong; contract in damping.h.
 */
#include "policy/damping.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "policy/policy.h"

#define NEVER_LEFT UINT64_MAX

struct damped {
    struct range page;
    unsigned level;   /* as of `since` */
    unsigned returns; /* since it was pinned last, or had level 0 */
    uint64_t since;   /* cycle of the last return */
    uint64_t pinned_until;
    uint64_t left[]; /* by GPU: cycle at which it left */
};

static struct damped *damped_at(const struct damping *d, uint64_t page)
{
    struct range *r = ranges_at(&d->pages, page);
    return r ? RANGE_OF(r, struct damped, page) : NULL;
}

static void drop(struct damping *d, struct damped *p)
{
    ranges_remove(&d->pages, &p->page);
    free(p);
}

void damping_init(struct damping *d, const struct policy_machine *m)
{
    *d = (struct damping){
        .gpus = m->gpus, .return_cycles = m->return_cycles, .pin_cycles = m->pin_cycles, .returns = m->returns};
}

void damping_gone(struct damping *d, uint64_t page, uint64_t bytes)
{
    for (struct range *r; (r = ranges_overlap(&d->pages, page, bytes));)
        drop(d, RANGE_OF(r, struct damped, page));
}

void damping_fini(struct damping *d)
{
    damping_gone(d, 0, UINT64_MAX);
}

static unsigned level(const struct damping *d, const struct damped *p, uint64_t cycle)
{
    const uint64_t gone = (cycle - p->since) / d->return_cycles;
    return gone < p->level ? p->level - (unsigned)gone : 0;
}

static struct damped *damped_new(struct damping *d, const struct move_fact *m)
{
    damping_gone(d, m->page, m->bytes); /* of other bounds */
    struct damped *p = xzalloc(sizeof *p + d->gpus * sizeof p->left[0]);
    p->page = (struct range){.at = m->page, .bytes = m->bytes};
    for (unsigned g = 0; g < d->gpus; g++)
        p->left[g] = NEVER_LEFT;
    ranges_add(&d->pages, &p->page);
    return p;
}

void damping_moved(struct damping *d, const struct move_fact *m)
{
    if (m->refused || !m->decision) /* an order of the program is no policy's */
        return;
    struct damped *p = damped_at(d, m->page);
    if (!p || p->page.at != m->page || p->page.bytes != m->bytes)
        p = damped_new(d, m);
    const uint64_t now = m->ended, left = p->left[m->to];
    p->left[m->from] = now;
    if (left == NEVER_LEFT || now - left > d->return_cycles)
        return;
    p->level = level(d, p, now);
    p->returns = p->level ? p->returns + 1 : 1;
    p->level += p->level < DAMPING_LEVELS;
    p->since = now;
    if (p->returns < d->returns)
        return;
    p->pinned_until = now + d->pin_cycles;
    p->returns = 0;
}

unsigned damping_level(const struct damping *d, uint64_t page, uint64_t cycle)
{
    const struct damped *p = damped_at(d, page);
    return p ? level(d, p, cycle) : 0;
}

bool damping_pinned(const struct damping *d, uint64_t page, uint64_t cycle)
{
    const struct damped *p = damped_at(d, page);
    return p && cycle < p->pinned_until;
}

bool damping_stays(const struct damping *d, uint64_t page, unsigned to, uint64_t cycle)
{
    const struct damped *p = damped_at(d, page);
    return !d->returns && p && p->left[to] != NEVER_LEFT && cycle - p->left[to] <= d->return_cycles;
}

static bool counts(const struct damping *d, const struct damped *p, uint64_t cycle)
{
    for (unsigned g = 0; g < d->gpus; g++)
        if (p->left[g] != NEVER_LEFT && cycle - p->left[g] <= d->return_cycles)
            return true;
    return cycle < p->pinned_until || level(d, p, cycle);
}

void damping_sweep(struct damping *d, uint64_t cycle)
{
    uint64_t at;
    for (struct range *r = ranges_from(&d->pages, 0); r; r = ranges_from(&d->pages, at + 1)) {
        struct damped *p = RANGE_OF(r, struct damped, page);
        at = r->at;
        if (!counts(d, p, cycle))
            drop(d, p);
    }
}
