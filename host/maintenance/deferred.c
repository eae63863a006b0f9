/* SPDX-License-Identifier: Apache-2.0
 * Accesses of the command processor to pages that are locked, since they are about to move, or that get their entry on
 * the first access (cp_host.withheld): they are not sent before the page is where it will stay, as the L2 TLB withholds
 * the translations of wavefronts (withheld.c).  While one of an address space waits, those that are asked for behind it
 * wait too, so that the order in one memory stays (access.h). Two that were asked for together, because they were in
 * one memory, may be in two when they are sent: then the second goes when the first is answered.  Not responsible for:
 * how they go (resume.c), who locks pages (host/migrate).
 */
#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"

void deferred_add(struct cp *cp, struct cp_space *space, uint32_t place, uint64_t va, const struct msg_mem_req *req,
                  bool early)
{
    struct deferred **link = &cp->deferred, *h = xzalloc(sizeof *h);
    if (!space->deferred)
        log_info("cp", "gpu%u: an access of the command processor for vmid %u waits for page 0x%llx", cp->gpu,
                 space->vmid, (unsigned long long)(va & ~UINT64_C(4095)));
    while (*link)
        link = &(*link)->next;
    *link = h;
    *h = (struct deferred){.space = space, .place = place, .early = early, .va = va, .req = *req};
    space->deferred++;
}

void deferred_wake(struct cp *cp, const struct cp_space *space)
{
    if (space->deferred)
        sim_timer(cp->sim, sim_now(cp->sim), cookie_of(cp, COOKIE_DEFERRED));
}

void deferred_deny(struct cp *cp, const struct cp_space *space, uint64_t va, uint64_t bytes)
{
    for (struct deferred *h = cp->deferred; h; h = h->next)
        h->denied |= h->space == space && h->va - va < bytes;
}

void deferred_free(struct cp *cp)
{
    for (struct deferred *h; (h = cp->deferred);) {
        cp->deferred = h->next;
        free(h);
    }
}
