/* SPDX-License-Identifier: Apache-2.0
 * Rings of packets: doorbells, when a queue looks at memory again, and slots given back in order.  Not responsible for:
 * the way of a doorbell (doorbells.c), how the next packet is read (fetch.c), what a started packet goes through
 * (cp.c).
 */
#include "firmware/cp_private.h"

/* ---- slots given back */
/* A client may poll the read index when the ring is full, until it is empty, or after a PM4 packet; it hears of a
 * completion signal by that. */
static void slot_given(struct cp *cp, struct job *job)
{
    const struct cp_queue *queue = job->queue;
    uint64_t left = queue->limit - (job->index + 1);
    bool wanted = packet_type(job->packet) == AQL_VENDOR || left == 0 || left + 16 >= queue->args.packets;
    bool tell = wanted && !queue->closed && job->state == JOB_DONE;
    job_settle(job);
    if (tell)
        cp->host.visible(cp->host.ctx);
}

static void index_write(struct cp *cp, struct job *job)
{
    uint64_t index = job->index + 1;
    access_write(cp, &job->slot, job->queue->args.read_index, &index, sizeof index);
}

static void index_written(struct cp *cp, struct transfer *t)
{
    slot_given(cp, t->job);
}

static void header_written(struct cp *cp, struct transfer *t)
{
    struct job *job = t->job;
    if (job->state != JOB_LEFT && !job->queue->closed) {
        transfer_begin(t, job->queue, job, index_written);
        index_write(cp, job);
    }
    if (t->open == 0)
        slot_given(cp, job);
}

/* The header becomes INVALID before the read index lets the client have the slot. */
static void slot_give(struct cp *cp, struct job *job)
{
    const struct cp_queue *queue = job->queue;
    const uint8_t invalid[2] = {AQL_INVALID, 0};
    uint64_t slot = queue_slot(queue, job->index);
    bool together = access_same(queue->space, slot, queue->args.read_index);
    transfer_begin(&job->slot, job->queue, job, together ? index_written : header_written);
    access_write(cp, &job->slot, slot, invalid, sizeof invalid);
    if (together)
        index_write(cp, job);
    if (job->slot.open == 0)
        job->slot.done(cp, &job->slot);
}

void queue_retire(struct cp *cp, struct cp_queue *queue)
{
    for (bool again = true; again;) {
        again = false;
        for (unsigned i = 0; i < CP_JOBS; i++) {
            struct job *job = &cp->jobs[i];
            if (job->state < JOB_TELL || job->state == JOB_LEFT || job->queue != queue || job->index != queue->retire)
                continue;
            queue->retire++;
            again = true;
            if (!queue->closed && !queue->dead)
                slot_give(cp, job);
        }
    }
}

/* ---- doorbells */
static void bell_ring(struct cp *cp, struct cp_queue *queue);

static void bell_answered(struct cp *cp, struct transfer *t)
{
    struct cp_queue *queue = t->queue;
    uint64_t limit = get64(queue->write_index);
    if (limit > queue->limit && !queue->closed) {
        queue->limit = limit;
        queue->fetch.look = true;
    }
    if (queue->rung && !queue->closed && runlist_served(cp, queue))
        bell_ring(cp, queue);
}

/* The write index, and with it the packet that is probably the next. */
static void bell_ring(struct cp *cp, struct cp_queue *queue)
{
    queue->rung = false;
    queue->fetch.look = true;
    transfer_begin(&queue->bell, queue, NULL, bell_answered);
    access_read(cp, &queue->bell, queue->args.write_index, queue->write_index, sizeof queue->write_index, true);
    fetch_ahead(cp, queue);
}

void queue_ring(struct cp *cp, struct cp_queue *queue)
{
    queue->rung = true; /* what the read under way finds may be older than this */
    if (queue->bell.open == 0 && runlist_served(cp, queue))
        bell_ring(cp, queue);
}

/* ---- looks */
/* A running kernel may store to the signal that a queue waits for. */
static void poll_arm(struct cp *cp)
{
    bool waits = false;
    for (const struct cp_queue *queue = cp->queues; queue && !waits; queue = queue->next_queue)
        waits = queue_goes(queue) && fetch_waits(queue) && !queue->active;
    if (waits && !cp->poll_armed && jobs_busy(cp)) {
        cp->poll_armed = true;
        sim_timer(cp->sim, sim_now(cp->sim) + cp->config.poll_cycles, cookie_of(cp, COOKIE_POLL));
    }
}

void queues_step(struct cp *cp)
{
    pm4_look(cp);
    runlist_step(cp);
    for (struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue) {
        if (queue->rung && queue->bell.open == 0 && !queue->closed && runlist_served(cp, queue))
            bell_ring(cp, queue); /* it was rung before it had its slot */
        while (queue_goes(queue) && runlist_served(cp, queue) && fetch_step(cp, queue))
            ;
    }
    poll_arm(cp);
}

/* What is being read may be older than what a look would find. */
static bool fetch_looks(const struct cp_queue *queue)
{
    return fetch_waits(queue) || queue->fetch.state == FETCH_SIGNALS || queue->asked;
}

void cp_poll(struct cp *cp)
{
    for (struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue)
        if (queue_goes(queue) && fetch_looks(queue) && fetch_changed(queue))
            queue->fetch.look = true;
    queues_step(cp);
}

bool cp_changed(const struct cp *cp)
{
    for (const struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue)
        if (queue_goes(queue) && fetch_looks(queue) && fetch_changed(queue))
            return true;
    return false;
}

void cp_look(struct cp *cp)
{
    for (struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue)
        queue->fetch.look |= queue_goes(queue) && fetch_looks(queue);
    queues_step(cp);
}

void cp_queue_suspend(struct cp *cp, struct cp_queue *queue, bool suspended)
{
    queue->suspended = suspended;
    queue->fetch.look = true;
    queues_step(cp);
}
