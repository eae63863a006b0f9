/* SPDX-License-Identifier: Apache-2.0
 * Accesses of the command processor to pages that are locked, since they are about to move: they are not sent before
 * the page is where it will stay, as the L2 TLB withholds the translations of wavefronts (withheld.c).  While one of an
 * address space waits, those that are asked for behind it wait too, so that the order in one memory stays (access.h).
 * Two that were asked for together, because they were in one memory, may be in two when they are sent: then the second
 * goes when the first is answered.  Not responsible for: what waits for the answers, who locks pages (host/migrate).
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"

struct deferred {
    struct deferred *next;
    struct cp_space *space;
    uint32_t place; /* of the access */
    bool early;
    uint64_t va;
    struct msg_mem_req req; /* without its address */
};

void deferred_add(struct cp *cp, struct cp_space *space, uint32_t place, uint64_t va, const struct msg_mem_req *req,
                  bool early)
{
    struct deferred **link = &cp->deferred, *h = xzalloc(sizeof *h);
    if (!space->deferred)
        log_info("cp", "gpu%u: an access of the command processor for vmid %u waits for locked page 0x%llx", cp->gpu,
                 space->vmid, (unsigned long long)(va & ~UINT64_C(4095)));
    while (*link)
        link = &(*link)->next;
    *link = h;
    *h = (struct deferred){.space = space, .place = place, .early = early, .va = va, .req = *req};
    space->deferred++;
}

/* Its space has ended: nobody unlocks pages for it. */
static bool dropped(const struct deferred *h)
{
    return h->space->closing && !h->space->killing;
}

/* The first one of its space. */
static bool may_go(const struct deferred *h)
{
    const struct cp_space *space = h->space;
    const uint64_t entry = pagetable_lookup(space->pt, h->va);
    const bool flies = space->accesses > space->deferred;
    return dropped(h) ||
           (!pagetable_locked(space->pt, h->va) && (!entry || !flies || access_memory(entry) == space->memory));
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
        if (before == *link && may_go(*link))
            return link;
    }
    return NULL;
}

void deferred_wake(struct cp *cp, const struct cp_space *space)
{
    if (space->deferred)
        sim_timer(cp->sim, sim_now(cp->sim), cookie_of(cp, COOKIE_DEFERRED));
}

void deferred_step(struct cp *cp)
{
    for (struct deferred **link; (link = next_to_go(cp));)
        go(cp, link); /* may add some, and end spaces */
}

void deferred_free(struct cp *cp)
{
    for (struct deferred *h; (h = cp->deferred);) {
        cp->deferred = h->next;
        free(h);
    }
}
