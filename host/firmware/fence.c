/* SPDX-License-Identifier: Apache-2.0
 * Which cache maintenance a packet's header asks for, and its command to the GPU.  The caches: L1 (vector, scalar,
 * instruction) hold clean data and may be stale, the L2 holds memory of its own GPU, dirty lines too.  A client reads
 * and writes VRAM beside the L2 after a system-scope packet has completed, so such a packet leaves the L2 written back
 * and empty.  Not responsible for: doing it (rtl/dispatch).
 */
#include "firmware/cp_private.h"

#define FENCE_L2 (CACHE_WB_L2 | CACHE_INV_L2)
#define FENCE_L1 (CACHE_INV_L1V | CACHE_INV_L1K)

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

static void fence_send(struct cp *cp, struct job *job)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = job->space->vmid, .id = job_id(cp, job), .flags = job->fence};
    job->refused = false;
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

void fence_start(struct cp *cp, struct job *job, uint32_t flags)
{
    job->space->busy++;
    job->flush = flags & CACHE_INV_TLB;
    job->space->flushes += job->flush;
    job->fence = flags;
    fence_send(cp, job);
}

void fences_again(struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++) {
        struct job *job = &cp->jobs[i];
        if ((job->state == JOB_ACQUIRE || job->state == JOB_PM4 || job->state == JOB_RELEASE) && job->refused)
            fence_send(cp, job);
    }
}
