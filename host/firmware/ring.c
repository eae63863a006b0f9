/* SPDX-License-Identifier: Apache-2.0
 * Rings of packets: which packet of which queue starts when, and its slot given back in order.  Not responsible for:
 * what a started packet goes through (cp.c).
 */
#include "firmware/cp_private.h"

#include <stdlib.h>

void queue_retire(struct cp *cp, struct cp_queue *queue)
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

/* The scratch request is repeated until the client has answered by changing the inactive signal from 1.  False: there
 * is no signal to ask by, so nobody would ever answer. */
static bool scratch_ask(struct cp *cp, struct cp_queue *queue)
{
    uint64_t signal = guest_read(queue->space, queue_inactive(queue), 8);
    if (!signal_there(queue->space, signal))
        return false;
    if (queue->scratch_asked && guest_read(queue->space, signal + SIGNAL_VALUE, 8) == CP_ERROR_SCRATCH)
        return true;
    queue->scratch_asked = true;
    signal_store(cp, queue->space, signal, CP_ERROR_SCRATCH);
    return true;
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
    if (error == CP_ERROR_SCRATCH && scratch_ask(cp, queue))
        return false;
    if (error) {
        if (!queue->active) /* earlier packets complete first */
            queue_fail(cp, queue, error, NULL);
        return false;
    }
    if (type == AQL_KERNEL && cp->host.may_start && !cp->host.may_start(cp->host.ctx))
        return false;
    queue->scratch_asked = false;
    job->state = JOB_DECODE;
    job->halted = job->held = false;
    job->queue = queue;
    job->space = queue->space;
    job->begin = sim_now(cp->sim);
    queue->next++;
    queue->active++;
    queue->jobs++;
    job_work(cp, job, type == AQL_KERNEL ? cp->config.packet_cycles : cp->config.barrier_cycles);
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

void cp_queue_suspend(struct cp *cp, struct cp_queue *queue, bool suspended)
{
    queue->suspended = suspended;
    queue->waiting = true;
    if (!suspended)
        cp_poll(cp);
}
