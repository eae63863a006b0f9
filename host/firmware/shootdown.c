/* SPDX-License-Identifier: Apache-2.0
 * What has to leave TLBs and caches when pages or memory change hands: commands for what is under way, a note for the
 * next fence else, and the count of those that are done.  The command processor's own accesses count: it must not write
 * to a page that has a new owner.
 */
#include <string.h>

#include "base/xalloc.h"
#include "firmware/cp_private.h"

/* Some packet is behind its acquire fence, or in it. */
static bool space_started(const struct cp *cp, const struct cp_space *space)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state > JOB_DECODE && cp->jobs[i].state < JOB_RELEASE && cp->jobs[i].space == space)
            return true;
    return space->busy;
}

static void shootdown_add(struct cp *cp, bool command)
{
    size_t count = cp->shootdowns_sent++ - cp->shootdowns_done;
    cp->shootdowns = xgrow(cp->shootdowns, &cp->shootdown_room, count + 1, sizeof *cp->shootdowns);
    cp->shootdowns[count] = (struct shootdown){cp->access_order, command};
}

static void shootdown_send(struct cp *cp, uint8_t vmid, uint32_t flags)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = vmid, .id = CP_SHOOTDOWN, .flags = flags};
    shootdown_add(cp, true);
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

void cp_space_shootdown(struct cp *cp, struct cp_space *space)
{
    if (space_started(cp, space))
        shootdown_send(cp, space->vmid, CACHE_INV_TLB);
    else if (space->accesses)
        shootdown_add(cp, false);
    space->tlb_stale = true;
}

void cp_caches_drop(struct cp *cp, bool own)
{
    bool started = false;
    for (unsigned i = 0; i < CP_JOBS && !started; i++)
        started = cp->jobs[i].state != JOB_FREE && space_started(cp, cp->jobs[i].space);
    if (started)
        shootdown_send(cp, 0, fence_caches(own));
    else
        cp->caches_stale = true;
}

bool caches_dropped(struct cp *cp)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .id = CP_DROP, .flags = fence_caches(true)};
    if (cp->caches_stale) {
        cp->caches_stale = false;
        cp->drops++;
        sim_cmd(cp->sim, cp->gpu, &cmd);
    }
    return cp->drops == 0;
}

uint64_t cp_shootdowns_sent(const struct cp *cp)
{
    return cp->shootdowns_sent;
}
uint64_t cp_shootdowns_done(const struct cp *cp)
{
    return cp->shootdowns_done;
}

void shootdowns_check(struct cp *cp)
{
    while (cp->shootdowns_done < cp->shootdowns_sent && !cp->shootdowns[0].command &&
           access_answered(cp, cp->shootdowns[0].order)) {
        cp->shootdowns_done++;
        memmove(cp->shootdowns, cp->shootdowns + 1,
                (cp->shootdowns_sent - cp->shootdowns_done) * sizeof *cp->shootdowns);
        if (cp->host.shootdown)
            cp->host.shootdown(cp->host.ctx);
    }
}

/* The GPU answers in the order of commands. */
void shootdown_answered(struct cp *cp)
{
    size_t count = cp->shootdowns_sent - cp->shootdowns_done, first = 0;
    while (first < count && !cp->shootdowns[first].command)
        first++;
    if (first < count)
        cp->shootdowns[first].command = false;
    shootdowns_check(cp);
}
