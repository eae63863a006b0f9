/* SPDX-License-Identifier: Apache-2.0
 * Which cache maintenance a packet's header asks for, and its commands to GPUs.  The caches: L1 (vector, scalar,
 * instruction) hold clean data and may be stale, the L2 holds memory of its own GPU, dirty lines too.  A client reads
 * and writes VRAM beside the L2 after a system-scope packet has completed, so such a packet leaves the L2 written back
 * and empty.  What the packet reads of another GPU's memory is in that one's L2: there its lines stay, for kernels that
 * run beside, but are fetched again for other GPUs (CACHE_FAR).  Not responsible for: doing it (rtl/dispatch).
 */
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "firmware/cp_private.h"

#define FENCE_L2 (CACHE_WB_L2 | CACHE_INV_L2)
#define FENCE_L1 (CACHE_INV_L1V | CACHE_INV_L1K)
#define VISITS_MOST ((size_t)8 * 64 * CP_JOBS) /* a job of each GPU once, and what spaces that have gone have left */

uint32_t fence_caches(bool own)
{
    return FENCE_L1 | CACHE_INV_L1I | (own ? FENCE_L2 : 0);
}

uint32_t fence_acquire(const uint8_t *packet)
{
    if (packet_type(packet) == AQL_VENDOR)
        return 0; /* PM4 packets say it themselves (pm4.c) */
    switch (packet_acquire(packet)) {
    case SCOPE_NONE:
        return 0;
    case SCOPE_AGENT:
        return FENCE_L1;
    default:
        return fence_caches(true);
    }
}

uint32_t fence_release(const uint8_t *packet)
{
    /* Stores are acknowledged by the L2, through which the whole GPU sees its memory, before a kernel ends: agent
     * scope needs nothing more.  Far stores are written through by the L2 of their memory. */
    bool system = packet_acquire(packet) >= SCOPE_SYSTEM || packet_release(packet) >= SCOPE_SYSTEM;
    return packet_type(packet) != AQL_VENDOR && system ? FENCE_L2 | CACHE_INV_L1I : 0;
}

/* To this GPU. */
static void fence_send(struct cp *cp, struct job *job)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = job->space->vmid, .id = job_id(cp, job), .flags = job->fence};
    job->refused = false;
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

static struct visit visit_take(struct cp *cp, size_t at)
{
    const struct visit visit = cp->visits[at];
    memmove(cp->visits + at, cp->visits + at + 1, (--cp->visit_count - at) * sizeof *cp->visits);
    return visit;
}

/* The job that waits for it, NULL: its space has gone. */
static struct job *visit_job(const struct visit *visit)
{
    struct job *job = job_of(visit->from, visit->job);
    return job && job->parts ? job : NULL;
}

/* Those that a component has refused, and that nobody waits for any more, are not sent again. */
static void visits_forget(struct cp *cp)
{
    for (size_t at = 0; at < cp->visit_count;)
        if (cp->visits[at].refused && !visit_job(&cp->visits[at]))
            visit_take(cp, at);
        else
            at++;
}

/* To another one, whose memory the packet reaches: `cp` is that GPU's. */
static void visit_send(struct cp *cp, struct visit visit)
{
    visits_forget(cp);
    CHECK(cp->visit_count < VISITS_MOST, "cp", "gpu%u: %zu fences of other GPUs without an answer", cp->gpu,
          cp->visit_count);
    const struct msg_cp_cmd cmd = {.kind = CP_CACHE, .id = CP_FAR, .flags = CACHE_FAR};
    cp->visits = xgrow(cp->visits, &cp->visit_room, cp->visit_count + 1, sizeof *cp->visits);
    cp->visits[cp->visit_count++] = visit;
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

void fence_start(struct cp *cp, struct job *job, uint32_t flags)
{
    uint64_t others = flags & CACHE_INV_L2 && cp->host.other ? pagetable_gpus(job->space->pt) : 0;
    others &= ~(UINT64_C(1) << cp->gpu);
    job->space->busy++;
    job->flush = flags & CACHE_INV_TLB;
    job->space->flushes += job->flush;
    job->fence = flags;
    job->parts = 1 + (unsigned)__builtin_popcountll(others);
    fence_send(cp, job);
    for (unsigned g = 0; others; g++, others >>= 1)
        if (others & 1)
            visit_send(cp->host.other(cp->host.ctx, g), (struct visit){.from = cp, .job = job_id(cp, job)});
}

static void part_done(struct cp *cp, struct job *job)
{
    if (--job->parts == 0)
        cp->fenced(cp, job);
}

void fence_answered(struct cp *cp, struct job *job, uint8_t status)
{
    job->refused = status != CTL_OK;
    if (!job->refused) /* else what it is for is not done: the packet goes no further */
        part_done(cp, job);
}

struct cp *fence_far_answered(struct cp *cp, uint8_t status)
{
    size_t at = 0;
    while (at < cp->visit_count && cp->visits[at].refused)
        at++;
    CHECK(at < cp->visit_count, "cp", "gpu%u: a fence of another GPU, which nobody has sent", cp->gpu);
    cp->visits[at].refused = status != CTL_OK;
    if (cp->visits[at].refused)
        return cp;
    const struct visit visit = visit_take(cp, at);
    struct job *job = visit_job(&visit);
    if (job)
        part_done(visit.from, job);
    return visit.from;
}

void fences_again(struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].parts && cp->jobs[i].refused)
            fence_send(cp, &cp->jobs[i]);
    visits_forget(cp);
    for (size_t at = 0, left = cp->visit_count; left; left--)
        if (cp->visits[at].refused) {
            struct visit again = visit_take(cp, at);
            again.refused = false;
            visit_send(cp, again);
        } else {
            at++;
        }
}
