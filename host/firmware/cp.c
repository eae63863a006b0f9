/* SPDX-License-Identifier: Apache-2.0
 * The command processor's engine (cp.h): queues, the states of a packet, commands to and events from the GPU.  One
 * firmware thread: its work on packets of different queues follows one another in target time.  Not responsible for:
 * packet contents (launch.c, fence.c, signal.c), address spaces and errors (space.c).
 */
#include "firmware/cp_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define COOKIE_POLL 0xffffu

static uint16_t job_id(const struct cp *cp, const struct job *job)
{
    return (uint16_t)(job->generation << 8 | (job - cp->jobs));
}

static uint64_t cookie_of(const struct cp *cp, uint64_t low)
{
    return (uint64_t)cp->gpu << 56 | low;
}

struct cp *cp_new(struct sim *sim, unsigned gpu, const struct cp_config *config, const struct cp_host *host)
{
    struct cp *cp = calloc(1, sizeof *cp);
    if (!cp)
        return NULL;
    cp->sim = sim;
    cp->gpu = gpu;
    cp->config = *config;
    cp->host = *host;
    return cp;
}

void cp_free(struct cp *cp)
{
    if (!cp)
        return;
    while (cp->queues) {
        struct cp_queue *queue = cp->queues;
        cp->queues = queue->next_queue;
        free(queue);
    }
    free(cp);
}

bool cp_busy(const struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state != JOB_FREE && cp->jobs[i].state != JOB_DONE)
            return true;
    return false;
}

/* Firmware work of `cycles`, after what it does already: the timer comes back with the job. */
static void work_start(struct cp *cp, struct job *job, uint32_t cycles)
{
    uint64_t now = sim_now(cp->sim);
    uint64_t from = now > cp->busy_until ? now : cp->busy_until;
    cp->busy_until = from + cycles;
    sim_timer(cp->sim, cp->busy_until, cookie_of(cp, job_id(cp, job)));
}

static void cache_send(struct cp *cp, struct job *job, uint32_t flags)
{
    struct msg_cp_cmd cmd = {.kind = CP_CACHE, .vmid = job->space->vmid, .id = job_id(cp, job), .flags = flags};
    job->space->busy++;
    sim_cmd(cp->sim, cp->gpu, &cmd);
}

static void job_free(struct job *job)
{
    job->queue->jobs--;
    job->state = JOB_FREE;
    job->generation++;
}

/* Give ring slots back in order; a slot stays until its kernel has ended, which reads its packet. */
static void queue_retire(struct cp *cp, struct cp_queue *queue)
{
    bool retired = false, pm4 = false;
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < CP_JOBS; i++) {
            struct job *job = &cp->jobs[i];
            if (job->state != JOB_DONE || job->queue != queue || job->index != queue->retire)
                continue;
            uint64_t slot = queue->args.ring + (job->index & (queue->args.packets - 1)) * AQL_BYTES;
            if (!queue->closed && !queue->dead) {
                guest_write(queue->space, slot, AQL_INVALID, 2);
                guest_write(queue->space, queue->args.read_index, queue->retire + 1, 8);
            }
            pm4 |= packet_type(job->packet) == AQL_VENDOR;
            queue->retire++;
            job_free(job);
            again = retired = true;
        }
    }
    /* A client may poll the read index when the ring is full, until it is empty, or after a PM4 packet. */
    uint64_t left = queue->limit - queue->retire;
    if (retired && (pm4 || left == 0 || left + 16 >= queue->args.packets))
        cp->host.visible(cp->host.ctx);
}

static void queue_release(struct cp *cp, struct cp_queue *queue)
{
    if (!queue->closed || queue->jobs)
        return;
    struct cp_queue **link = &cp->queues;
    while (*link != queue)
        link = &(*link)->next_queue;
    *link = queue->next_queue;
    free(queue);
}

static void row_emit(struct cp *cp, const struct job *job)
{
    struct kernel_row row = {.gpu = cp->gpu,
                             .queue = job->queue->args.number,
                             .start = job->begin,
                             .end = job->end,
                             .wavefronts = job->wavefronts,
                             .instructions = job->instructions};
    memcpy(row.grid, job->launch.grid, sizeof row.grid);
    memcpy(row.group, job->launch.group, sizeof row.group);
    kernel_name(job->space, get64(job->packet + 0x20), row.name, sizeof row.name);
    cp->host.kernel(cp->host.ctx, job->space->owner, &row);
}

static void job_complete(struct cp *cp, struct job *job)
{
    struct cp_queue *queue = job->queue;
    uint64_t signal = packet_type(job->packet) == AQL_VENDOR ? 0 : get64(job->packet + AQL_SIGNAL);
    bool write = !queue->closed && !queue->dead;
    job->state = JOB_DONE;
    queue->active--;
    if (packet_type(job->packet) == AQL_KERNEL && !job->space->closing)
        row_emit(cp, job);
    uint64_t begin = job->begin, end = job->end;
    struct cp_space *space = job->space;
    queue_retire(cp, queue);
    if (signal && write)
        signal_complete(cp, space, signal, begin, end);
    queue->waiting = true; /* the next packet may have waited for this one */
    queue_release(cp, queue);
    space_reap(cp, space);
}

/* All fences are done: write the signal, which takes the firmware some time. */
static void job_finish(struct cp *cp, struct job *job)
{
    if (packet_type(job->packet) == AQL_VENDOR || !get64(job->packet + AQL_SIGNAL)) {
        job_complete(cp, job);
        return;
    }
    job->state = JOB_SIGNAL;
    work_start(cp, job, cp->config.signal_cycles);
}

static void launches_start(struct cp *cp)
{
    while (cp->launches < cp->config.launches) {
        struct job *first = NULL;
        for (unsigned i = 0; i < CP_JOBS; i++)
            if (cp->jobs[i].state == JOB_READY && (!first || cp->jobs[i].ready < first->ready))
                first = &cp->jobs[i];
        if (!first)
            return;
        cp->launches++;
        first->state = JOB_LAUNCH;
        work_start(cp, first, cp->config.launch_cycles);
    }
}

static void job_acquired(struct cp *cp, struct job *job)
{
    if (packet_type(job->packet) == AQL_KERNEL) {
        job->state = JOB_READY;
        job->ready = cp->ready_count++;
        launches_start(cp);
    } else {
        job->end = sim_now(cp->sim);
        job_finish(cp, job);
    }
}

static void job_decoded(struct cp *cp, struct job *job)
{
    uint32_t flags = fence_acquire(job->packet);
    if (packet_type(job->packet) != AQL_KERNEL)
        flags |= fence_release(job->packet);
    if (job->space->tlb_stale) {
        flags |= CACHE_INV_TLB;
        job->space->tlb_stale = false;
    }
    if (flags) {
        job->state = JOB_ACQUIRE;
        cache_send(cp, job, flags);
    } else {
        job_acquired(cp, job);
    }
}

void job_launch(struct cp *cp, struct job *job)
{
    job->state = JOB_RUN;
    job->held = job->space->killing;
    if (job->held)
        return; /* dropped or sent when the kill is answered */
    job->launch.id = job_id(cp, job);
    job->space->busy++;
    sim_cmd(cp->sim, cp->gpu, &job->launch);
}

static void job_ran(struct cp *cp, struct job *job, const struct msg_cp_evt *evt)
{
    cp->launches--;
    job->begin = evt->start;
    job->end = evt->end;
    job->wavefronts = evt->data;
    job->instructions = evt->instructions;
    uint32_t flags = fence_release(job->packet);
    if (flags) {
        job->state = JOB_RELEASE;
        cache_send(cp, job, flags);
    } else {
        job_finish(cp, job);
    }
    launches_start(cp);
}

/* The address space of the job is gone or stopped. */
void job_abandon(struct cp *cp, struct job *job)
{
    struct cp_queue *queue = job->queue;
    if (job->state == JOB_LAUNCH || job->state == JOB_RUN)
        cp->launches--;
    if (job->state != JOB_DONE)
        queue->active--;
    job_free(job);
    queue_release(cp, queue);
}

static struct job *job_of(struct cp *cp, uint16_t id)
{
    unsigned at = id & 0xff;
    if (at >= CP_JOBS || cp->jobs[at].state == JOB_FREE || cp->jobs[at].generation != id >> 8)
        return NULL;
    return &cp->jobs[at];
}

/* 0, or the error that stops the queue. */
static uint32_t packet_check(struct cp *cp, struct cp_queue *queue, struct job *job)
{
    switch (packet_type(job->packet)) {
    case AQL_KERNEL:
        return launch_build(cp, queue, job->index, job->packet, &job->launch);
    case AQL_VENDOR:
    case AQL_BARRIER_AND:
    case AQL_BARRIER_OR:
        return 0;
    default:
        return CP_ERROR_PACKET;
    }
}

static struct job *job_slot(struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state == JOB_FREE)
            return &cp->jobs[i];
    return NULL;
}

/* The scratch request is repeated until the client has answered by changing the inactive signal from 1. */
static void scratch_ask(struct cp *cp, struct cp_queue *queue)
{
    uint64_t signal = guest_read(queue->space, queue->args.read_index - QUEUE_READ_INDEX + QUEUE_INACTIVE, 8);
    if (queue->scratch_asked && guest_read(queue->space, signal + SIGNAL_VALUE, 8) == CP_ERROR_SCRATCH)
        return;
    queue->scratch_asked = true;
    signal_store(cp, queue->space, signal, CP_ERROR_SCRATCH);
}

/* Start the next packet if it may; false when the queue has to wait. */
static bool packet_start(struct cp *cp, struct cp_queue *queue)
{
    struct job *job = job_slot(cp);
    if (!job || queue->next - queue->retire >= queue->args.packets)
        return false;
    uint64_t slot = queue->args.ring + (queue->next & (queue->args.packets - 1)) * AQL_BYTES;
    if (pagetable_read(queue->space->pt, slot, job->packet, AQL_BYTES) < 0) {
        queue_fail(cp, queue, CP_ERROR_PACKET, NULL);
        return false;
    }
    unsigned type = packet_type(job->packet);
    if (type == AQL_INVALID || (packet_barrier(job->packet) && queue->active))
        return false;
    if ((type == AQL_BARRIER_AND || type == AQL_BARRIER_OR) &&
        !signal_satisfied(queue->space, job->packet, type == AQL_BARRIER_OR))
        return false;
    job->index = queue->next;
    uint32_t error = packet_check(cp, queue, job);
    if (error == CP_ERROR_SCRATCH) {
        scratch_ask(cp, queue);
        return false;
    }
    if (error) {
        if (!queue->active) /* earlier packets complete first */
            queue_fail(cp, queue, error, NULL);
        return false;
    }
    queue->scratch_asked = false;
    job->state = JOB_DECODE;
    job->halted = job->held = false;
    job->queue = queue;
    job->space = queue->space;
    job->begin = sim_now(cp->sim);
    queue->next++;
    queue->active++;
    queue->jobs++;
    work_start(cp, job, type == AQL_KERNEL ? cp->config.packet_cycles : cp->config.barrier_cycles);
    return true;
}

void cp_doorbell(struct cp *cp, struct cp_queue *queue)
{
    uint64_t limit = guest_read(queue->space, queue->args.write_index, 8);
    if (limit > queue->limit)
        queue->limit = limit;
    queue->waiting = true;
    cp_poll(cp);
}

void cp_poll(struct cp *cp)
{
    bool unsatisfied = false;
    for (struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue) {
        if (!queue->waiting || queue->dead || queue->closed || queue->suspended)
            continue;
        while (queue->next < queue->limit && !queue->dead && packet_start(cp, queue))
            ;
        queue->waiting = queue->next < queue->limit && !queue->dead;
        unsatisfied |= queue->waiting && !queue->active;
    }
    /* A running kernel may store to the signal that a queue waits for. */
    if (unsatisfied && !cp->poll_armed && cp_busy(cp)) {
        cp->poll_armed = true;
        sim_timer(cp->sim, sim_now(cp->sim) + cp->config.poll_cycles, cookie_of(cp, COOKIE_POLL));
    }
}

void cp_timer(struct cp *cp, uint64_t cookie)
{
    if ((cookie & 0xffffff) == COOKIE_POLL) {
        cp->poll_armed = false;
    } else {
        struct job *job = job_of(cp, (uint16_t)cookie);
        if (job && job->state == JOB_DECODE)
            job_decoded(cp, job);
        else if (job && job->state == JOB_LAUNCH)
            job_launch(cp, job);
        else if (job && job->state == JOB_SIGNAL)
            job_complete(cp, job);
    }
    cp_poll(cp);
}

void cp_event(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct job *job = job_of(cp, evt->id);
    switch (evt->kind) {
    case CP_EVT_LAUNCH_DONE:
    case CP_EVT_CACHE_DONE:
        if (!job || (job->state != JOB_RUN && job->state != JOB_ACQUIRE && job->state != JOB_RELEASE))
            break;
        job->space->busy--;
        if (job->state == JOB_RUN)
            job_ran(cp, job, evt);
        else if (job->state == JOB_ACQUIRE)
            job_acquired(cp, job);
        else
            job_finish(cp, job);
        break;
    case CP_EVT_KILL_DONE:
        space_killed(cp, evt->vmid);
        break;
    case CP_EVT_FAULT:
        if (job && job->state == JOB_RUN)
            space_fault(cp, job, evt);
        break;
    case CP_EVT_INTERRUPT:
        if (job)
            cp->host.interrupt(cp->host.ctx, job->space->owner, (uint32_t)evt->data);
        break;
    case CP_EVT_HALT:
        log_info("cp", "gpu%u: CU %u wavefront %u of vmid %u halted before pc 0x%llx", cp->gpu, evt->cu, evt->wave,
                 evt->vmid, (unsigned long long)evt->pc);
        if (job && job->state == JOB_RUN) {
            job->halted = true;
            space_reap(cp, job->space);
        }
        break;
    default:
        break;
    }
    cp_poll(cp);
}
