/* SPDX-License-Identifier: Apache-2.0
 * The packet at the head of a queue: read it, then what it depends on (signals of a barrier packet; descriptor and
 * amd_queue_t of a kernel), until it may become a job.  A descriptor is read only when the barrier bit lets the packet
 * begin: an earlier kernel may have copied it there.  What was found wanting is read again after a look only.  Not
 * responsible for: when to look (packet_ring.c), what a started packet goes through (cp.c).
 */
#include <string.h>

#include "firmware/cp_private.h"

static bool barrier_kind(const uint8_t *packet)
{
    return packet_type(packet) == AQL_BARRIER_AND || packet_type(packet) == AQL_BARRIER_OR;
}

static struct job *job_slot(struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state == JOB_FREE)
            return &cp->jobs[i];
    return NULL;
}

/* A kernel with scratch memory that nobody else may have. */
static bool wants_once(const struct fetch *f)
{
    const uint32_t properties = get32(f->memory.queue + (QUEUE_PROPERTIES - QUEUE_TMPRING));
    return get32(f->packet + AQL_PRIVATE) && properties & QUEUE_SCRATCH_ONCE;
}

static void packet_start(struct cp *cp, struct cp_queue *queue, struct job *job)
{
    struct fetch *f = &queue->fetch;
    bool kernel = packet_type(f->packet) == AQL_KERNEL;
    memcpy(job->packet, f->packet, AQL_BYTES);
    job->launch = f->launch;
    job->index = queue->next;
    job->state = JOB_DECODE;
    job->halted = job->held = false;
    job->beside = 0;
    job->number = kernel && cp->host.number ? cp->host.number(cp->host.ctx) : 0;
    job->queue = queue;
    job->space = queue->space;
    job->begin = sim_now(cp->sim);
    job->stamps =
        get32(kernel ? f->memory.queue + (QUEUE_PROPERTIES - QUEUE_TMPRING) : f->properties) & QUEUE_PROFILING;
    queue->once = kernel && wants_once(f);
    queue->next++;
    queue->active++;
    queue->jobs++;
    f->state = FETCH_NONE;
    f->look = true;
    job_work(cp, job, kernel ? cp->config.packet_cycles : cp->config.barrier_cycles);
}

/* It cannot be executed; earlier packets complete first. */
static void packet_refuse(struct cp *cp, struct cp_queue *queue, uint32_t code)
{
    queue->fetch.state = FETCH_HELD;
    if (!queue->active)
        queue_fail(cp, queue, code, NULL);
}

static void packet_read(struct cp *cp, struct cp_queue *queue)
{
    struct fetch *f = &queue->fetch;
    f->state = FETCH_NONE;
    if (queue->next >= queue->limit) /* read ahead, for nothing */
        return;
    if (f->main.fault) {
        queue_fail(cp, queue, CP_ERROR_PACKET, NULL);
    } else if (packet_type(f->packet) != AQL_INVALID) {
        f->state = FETCH_HELD;
        f->look = true;
    }
}

static void kernel_read(struct cp *cp, struct cp_queue *queue)
{
    struct fetch *f = &queue->fetch;
    uint32_t error = launch_build(cp, queue, queue->next, f->packet, &f->memory, !f->main.fault, &f->launch);
    f->state = FETCH_READY;
    if (error == CP_ERROR_SCRATCH) {
        f->state = FETCH_ASK;
        f->look = true;
    } else if (error) {
        packet_refuse(cp, queue, error);
    }
}

static void fetch_answered(struct cp *cp, struct cp_queue *queue)
{
    struct fetch *f = &queue->fetch;
    if (queue->dead || queue->closed)
        f->state = FETCH_NONE;
    else if (f->state == FETCH_PACKET)
        packet_read(cp, queue);
    else if (f->state == FETCH_KERNEL)
        kernel_read(cp, queue);
    else /* FETCH_SIGNALS */
        f->state = signals_satisfied(f->packet, f->values, packet_type(f->packet) == AQL_BARRIER_OR) ? FETCH_READY
                                                                                                     : FETCH_HELD;
}

static void transfer_done(struct cp *cp, struct transfer *t)
{
    struct fetch *f = &t->queue->fetch;
    if (f->main.open == 0 && f->fields.open == 0)
        fetch_answered(cp, t->queue);
}

/* False: answers are to come.  Without any (nothing is mapped) it goes on at once. */
static bool fetch_sent(struct cp *cp, struct cp_queue *queue)
{
    if (queue->fetch.main.open || queue->fetch.fields.open)
        return false;
    fetch_answered(cp, queue);
    return true;
}

static void packet_ask(struct cp *cp, struct cp_queue *queue)
{
    struct fetch *f = &queue->fetch;
    f->look = false;
    f->state = FETCH_PACKET;
    transfer_begin(&f->main, queue, NULL, transfer_done);
    transfer_begin(&f->fields, queue, NULL, transfer_done);
    access_read(cp, &f->main, queue_slot(queue, queue->next), f->packet, AQL_BYTES, false);
    access_read(cp, &f->fields, queue_properties(queue), f->properties, sizeof f->properties, true);
}

static bool slot_free(const struct cp_queue *queue)
{
    return queue->next - queue->retire < queue->args.packets;
}

void fetch_ahead(struct cp *cp, struct cp_queue *queue)
{
    if (queue->fetch.state == FETCH_NONE && slot_free(queue) && !queue->suspended && !queue->dead && !queue->once) {
        packet_ask(cp, queue);
        fetch_sent(cp, queue);
    }
}

/* A valid packet that nothing of this queue holds back. */
static bool held_step(struct cp *cp, struct cp_queue *queue)
{
    struct fetch *f = &queue->fetch;
    transfer_begin(&f->main, queue, NULL, transfer_done);
    transfer_begin(&f->fields, queue, NULL, transfer_done);
    if (barrier_kind(f->packet)) {
        f->state = FETCH_SIGNALS;
        signals_read(cp, &f->main, f->packet, f->values);
    } else if (packet_type(f->packet) == AQL_KERNEL) {
        uint64_t base = queue->args.read_index - QUEUE_READ_INDEX;
        if (!caches_dropped(cp))
            return false;
        f->state = FETCH_KERNEL;
        access_read(cp, &f->main, get64(f->packet + AQL_OBJECT), f->memory.descriptor, sizeof f->memory.descriptor,
                    true);
        access_read(cp, &f->fields, base + QUEUE_TMPRING, f->memory.queue, sizeof f->memory.queue, true);
    } else if (packet_type(f->packet) == AQL_VENDOR) {
        f->state = FETCH_READY;
        return true;
    } else {
        f->look = false;
        packet_refuse(cp, queue, CP_ERROR_PACKET);
        return false;
    }
    f->look = false;
    return fetch_sent(cp, queue);
}

/* The client is asked, or was and may have answered, when nothing of the queue is under way. */
static void client_ask(struct cp *cp, struct cp_queue *queue, uint32_t code)
{
    if (queue->jobs || !queue->fetch.look || queue->inactive.step != INACTIVE_NONE)
        return;
    queue->fetch.look = false;
    inactive_ask(cp, queue, code);
}

/* A kernel that has scratch memory for once starts alone: what is taken back then is nobody else's. */
static bool may_start(struct cp *cp, const struct cp_queue *queue)
{
    const struct fetch *f = &queue->fetch;
    return packet_type(f->packet) != AQL_KERNEL ||
           ((!queue->jobs || !wants_once(f)) && (!cp->host.may_start || cp->host.may_start(cp->host.ctx)));
}

bool fetch_step(struct cp *cp, struct cp_queue *queue)
{
    struct fetch *f = &queue->fetch;
    struct job *job;
    if (queue->once) {
        client_ask(cp, queue, CP_ERROR_RECLAIM);
        return !queue->once;
    }
    switch (f->state) {
    case FETCH_NONE:
        if (!f->look || !slot_free(queue))
            return false;
        packet_ask(cp, queue);
        return fetch_sent(cp, queue);
    case FETCH_HELD:
        return f->look && !(packet_barrier(f->packet) && queue->active) && held_step(cp, queue);
    case FETCH_READY:
        job = job_slot(cp);
        if (!job || !may_start(cp, queue))
            return false;
        packet_start(cp, queue, job);
        return true;
    case FETCH_ASK:
        client_ask(cp, queue, CP_ERROR_SCRATCH);
        return f->state != FETCH_ASK && !queue->dead;
    default: /* answers are to come */
        return false;
    }
}

bool fetch_changed(const struct cp_queue *queue)
{
    const struct fetch *f = &queue->fetch;
    uint8_t header, values[5][8];
    if (queue->asked)
        return inactive_changed(queue);
    if (f->state == FETCH_NONE)
        return !peek_for_report(queue->space, queue_slot(queue, queue->next), &header, 1) || header != AQL_INVALID;
    if (!barrier_kind(f->packet))
        return false;
    signals_peek(queue->space, f->packet, values);
    return signals_satisfied(f->packet, values, packet_type(f->packet) == AQL_BARRIER_OR);
}
