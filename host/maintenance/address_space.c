/* SPDX-License-Identifier: Apache-2.0
 * Address spaces and queues of clients at one command processor: opening, closing, and what happens when a wavefront
 * fails.  A failed address space is killed on this GPU alone; others go on.  Not responsible for: shoot-downs
 * (shootdown.c), telling the client (host/driver does, through struct cp_host).
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "firmware/cp_private.h"

static void command_send(struct cp *cp, enum cp_cmd_kind kind, const struct cp_space *space, uint32_t flags)
{
    struct msg_cp_cmd cmd = {.kind = (uint8_t)kind, .vmid = space->vmid, .id = CP_NO_JOB, .flags = flags};
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

static void root_send(struct cp *cp, const struct cp_space *space, uint32_t flags, uint64_t root)
{
    CHECK(space->vmid < ROOTS, "cp", "gpu%u: address space %u", cp->gpu, space->vmid);
    struct msg_cp_cmd *cmd = &cp->roots[space->vmid];
    *cmd = (struct msg_cp_cmd){.kind = CP_VMID, .vmid = space->vmid, .id = CP_NO_JOB, .flags = flags, .root = root};
    cp->refused_vmids &= ~(1u << space->vmid);
    sim_cmd(cp->sim, cp->gpu, cmd);
}

void space_refused(struct cp *cp, const struct msg_cp_evt *evt)
{
    CHECK(evt->vmid < ROOTS, "cp", "gpu%u: address space %u", cp->gpu, evt->vmid);
    log_error("cp", "gpu%u: the L2 TLB has refused the page tables of vmid %u (status %u): it is off", cp->gpu,
              evt->vmid, evt->status);
    cp->refused_vmids |= 1u << evt->vmid;
}

void spaces_again(struct cp *cp)
{
    uint32_t left = cp->refused_vmids;
    for (cp->refused_vmids = 0; left; left &= left - 1)
        sim_cmd(cp->sim, cp->gpu, &cp->roots[__builtin_ctz(left)]);
}

void space_announce(struct cp *cp, struct cp_space *space)
{
    root_send(cp, space, cp->config.withhold ? XLAT_WITHHOLD : 0, pagetable_root(space->pt));
    space->known = true;
    if (space->tba || cp->trap_vmids >> space->vmid & 1)
        cp_space_trap(cp, space);
}

void cp_space_open(struct cp *cp, struct cp_space *space)
{
    space->tlb_stale = true; /* the number may have belonged to another client */
    space->known = false;
    if (tables_open(cp))
        tables_note(cp, (struct table_note){.kind = NOTE_OPEN, .space = space});
    else
        space_announce(cp, space);
}

void cp_space_trap(struct cp *cp, struct cp_space *space)
{
    CHECK(space->vmid < ROOTS, "cp", "gpu%u: address space %u", cp->gpu, space->vmid);
    struct msg_cp_cmd cmd = {
        .kind = CP_TRAP, .vmid = space->vmid, .id = CP_NO_JOB, .root = space->tba, .pc = space->tma};
    cp->trap_vmids = (cp->trap_vmids & ~(1u << space->vmid)) | (uint32_t)(space->tba != 0) << space->vmid;
    cp->traps_open[space->vmid]++;
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

/* The command may have stood behind another space's kill, which a launch does not wait for. */
void space_trapped(struct cp *cp, uint8_t vmid)
{
    if (!cp->traps_open[vmid % ROOTS] || --cp->traps_open[vmid % ROOTS]) /* none: of a model that takes over */
        return;
    for (unsigned i = 0; i < CP_JOBS; i++) {
        struct job *job = &cp->jobs[i];
        if (job->state == JOB_RUN && job->held && job->space->vmid == vmid && !job->space->killing)
            job_launch(cp, job);
    }
}

static struct cp_space **killing_tail(struct cp *cp)
{
    struct cp_space **link = &cp->killing;
    while (*link)
        link = &(*link)->next_killing;
    return link;
}

static void space_kill(struct cp *cp, struct cp_space *space)
{
    if (space->killing)
        return;
    space->killing = true;
    space->next_killing = NULL;
    *killing_tail(cp) = space;
    command_send(cp, CP_KILL, space, 0);
}

static void space_finish(struct cp *cp, struct cp_space *space)
{
    root_send(cp, space, 0, 0);
    command_send(cp, CP_CACHE, space, CACHE_INV_TLB);
    cp->host.space_closed(cp->host.ctx, space);
}

void space_killed(struct cp *cp, uint8_t vmid)
{
    struct cp_space **link = &cp->killing;
    while (*link && (*link)->vmid != vmid)
        link = &(*link)->next_killing;
    struct cp_space *space = *link;
    if (!space)
        return;
    *link = space->next_killing;
    bool all = space->faulted || space->closing;
    space->killing = false;
    space->faulted = false; /* new queues of the client may work */
    if (all)
        space->busy = 0;
    for (unsigned i = 0; i < CP_JOBS; i++) {
        struct job *job = &cp->jobs[i];
        if (job->state == JOB_FREE || job->state == JOB_LEFT || job->space != space)
            continue;
        if (all || job->halted) {
            space->busy -= !all;
            job->queue->dead = true;
            job_abandon(cp, job);
        } else if (job->state == JOB_RUN && job->held) {
            job_launch(cp, job);
        }
    }
    deferred_wake(cp, space);
    space_settle(cp, space);
}

/* Memory that the command processor still accesses must not go with its owner, nor tables that are still written. */
void space_settle(struct cp *cp, struct cp_space *space)
{
    bool any = !space->closing || space->killing || space->accesses || space->notes;
    for (unsigned i = 0; i < CP_JOBS && !any; i++)
        any = cp->jobs[i].state != JOB_FREE && cp->jobs[i].space == space;
    if (!any)
        space_finish(cp, space);
}

void space_reap(struct cp *cp, struct cp_space *space)
{
    bool any = false;
    for (unsigned i = 0; i < CP_JOBS; i++) {
        const struct job *job = &cp->jobs[i];
        if (job->state == JOB_FREE || job->state >= JOB_DONE || job->space != space)
            continue;
        if (!job->queue->closed || !job->halted)
            return;
        any = true;
    }
    if (!any || space->killing)
        return;
    log_info("cp", "gpu%u: halted wavefronts of vmid %u end with their queue", cp->gpu, space->vmid);
    space_kill(cp, space);
}

/* The 8 bytes at a PC; the second half may lie on a page that is not there. */
static uint64_t code_at(struct cp_space *space, uint64_t pc)
{
    return peek_word_for_report(space, pc, 4) | peek_word_for_report(space, pc + 4, 4) << 32;
}

void space_fault(struct cp *cp, struct job *job, const struct msg_cp_evt *evt)
{
    struct cp_space *space = job->space;
    struct msg_cp_evt told = *evt;
    if (space->faulted || space->closing)
        return;
    space->faulted = true;
    if (evt->status != FAULT_ILLEGAL)
        told.data = code_at(space, evt->pc);
    else /* which brings its bytes; what the wavefront has tells why */
        told.va = job->launch.vgprs | (uint64_t)job->launch.sgprs << 16;
    log_info("cp", "gpu%u: CU %u wavefront %u of vmid %u: fault %u at pc 0x%llx, address 0x%llx", cp->gpu, evt->cu,
             evt->wave, evt->vmid, evt->status, (unsigned long long)evt->pc, (unsigned long long)evt->va);
    switch (evt->status) {
    case FAULT_ILLEGAL:
        queue_fail(cp, job->queue, CP_ERROR_ILLEGAL, &told);
        break;
    case FAULT_ALIGN:
    case FAULT_APERTURE:
        queue_fail(cp, job->queue, CP_ERROR_APERTURE, &told);
        break;
    case FAULT_TRAP:
        queue_fail(cp, job->queue, CP_ERROR_TRAP, &told);
        break;
    default:
        job->queue->dead = true;
        cp->host.memory_fault(cp->host.ctx, space->owner, cp->gpu, &told);
        cp->host.visible(cp->host.ctx);
        break;
    }
    space_kill(cp, space);
}

void cp_space_close(struct cp *cp, struct cp_space *space)
{
    if (space->closing)
        return;
    space->closing = true;
    deferred_wake(cp, space);
    if (tables_open(cp))
        tables_note(cp, (struct table_note){.kind = NOTE_CLOSE, .space = space});
    interrupt_forget(cp, space);
    for (struct cp_queue *queue = cp->queues, *after; queue; queue = after) {
        after = queue->next_queue;
        if (queue->space == space)
            cp_queue_close(cp, queue);
    }
    bool any = space->killing || space->busy;
    for (unsigned i = 0; i < CP_JOBS && !any; i++)
        any = cp->jobs[i].state != JOB_FREE && cp->jobs[i].space == space;
    if (any)
        space_kill(cp, space);
    else
        space_settle(cp, space);
}

struct cp_queue *cp_queue_open(struct cp *cp, struct cp_space *space, const struct cp_queue_args *args)
{
    if (args->packets == 0 || (args->packets & (args->packets - 1)))
        return NULL;
    struct cp_queue *queue = calloc(1, sizeof *queue);
    if (!queue)
        return NULL;
    queue->space = space;
    queue->args = *args;
    queue->cu_mask = UINT64_MAX;
    struct cp_queue **link = &cp->queues;
    while (*link)
        link = &(*link)->next_queue;
    *link = queue;
    runlist_join(cp, queue);
    return queue;
}

/* Packets under way end without a trace, or are killed where a wavefront has halted; then the queue goes. */
void cp_queue_close(struct cp *cp, struct cp_queue *queue)
{
    queue->closed = true;
    queue->rung = false;
    queue->limit = queue->next;
    bell_forget(cp, queue);
    for (unsigned i = 0; i < CP_JOBS; i++) /* done: an earlier one that is killed would not give back their slots */
        if (cp->jobs[i].state == JOB_DONE && cp->jobs[i].queue == queue)
            job_settle(&cp->jobs[i]);
    if (queue->jobs)
        space_reap(cp, queue->space);
    else
        queue_release(cp, queue);
}

bool cp_queue_cu_mask(struct cp *cp, struct cp_queue *queue, uint64_t mask)
{
    if (mask && !(mask & cp->config.cu_mask))
        return false;
    queue->cu_mask = mask ? mask : UINT64_MAX;
    return true;
}

void cp_queue_priority(struct cp_queue *queue, unsigned priority)
{
    CHECK(priority < CP_PRIORITIES, "cp", "queue %u: priority %u", queue->args.number, priority);
    queue->args.priority = priority;
}
