/* SPDX-License-Identifier: Apache-2.0
 * Accesses that have waited for locked pages (deferred.c) go: to where their page is now, or nowhere when it or its
 * process has gone.
 */
#include <stdlib.h>

#include "firmware/cp_private.h"

/* Its space has ended: nobody unlocks pages for it. */
static bool dropped(const struct deferred *h)
{
    return h->space->closing && !h->space->killing;
}

/* Its page is locked, or gets an entry later. */
static bool waits(struct cp *cp, const struct deferred *h)
{
    const struct cp_space *space = h->space;
    return pagetable_locked(space->pt, h->va) ||
           (!h->denied && !pagetable_entry(space->pt, h->va) && access_awaited(cp, space, h->va));
}

/* The first one of its space. */
static bool may_go(struct cp *cp, const struct deferred *h)
{
    const struct cp_space *space = h->space;
    const uint64_t entry = pagetable_lookup(space->pt, h->va);
    const bool flies = space->accesses > space->deferred;
    return dropped(h) || (!waits(cp, h) && (!entry || !flies || access_memory(entry) == space->memory));
}

/* It is sent, or ends as one to memory that is not there. */
static void go(struct cp *cp, struct deferred **link)
{
    struct deferred *h = *link;
    const uint64_t entry = dropped(h) ? 0 : pagetable_lookup(h->space->pt, h->va);
    const struct msg_mem_rsp gone = {.op = h->req.op, .status = MEM_FAULT_BUS};
    *link = h->next;
    h->space->deferred--;
    if (entry)
        access_go(cp, h->space, h->place, entry, h->va, &h->req, h->early);
    else
        cp_answer(cp, access_cookie(cp, h->place), &gone);
    free(h);
}

/* NULL: none may. */
static struct deferred **next_to_go(struct cp *cp)
{
    for (struct deferred **link = &cp->deferred; *link; link = &(*link)->next) {
        const struct deferred *before = cp->deferred;
        while (before != *link && before->space != (*link)->space)
            before = before->next;
        if (before == *link && may_go(cp, *link))
            return link;
    }
    return NULL;
}

void deferred_step(struct cp *cp)
{
    for (struct deferred **link; (link = next_to_go(cp));)
        go(cp, link); /* may add some, and end spaces */
}
