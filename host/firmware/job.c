/* SPDX-License-Identifier: Apache-2.0
 * Jobs of a command processor: packets that have started.  Responsible for: their ids, the time of the firmware thread,
 * launches sent, kernels told to the host, and a queue that goes with its last job.  Not responsible for: the order of
 * their states (cp.c).
 */
#include <stdlib.h>
#include <string.h>

#include "firmware/cp_private.h"

uint16_t job_id(const struct cp *cp, const struct job *job)
{
    return (uint16_t)(job->generation << 8 | (job - cp->jobs));
}

bool jobs_busy(const struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state != JOB_FREE && cp->jobs[i].state < JOB_DONE)
            return true;
    return false;
}

bool cp_working(const struct cp *cp)
{
    return jobs_busy(cp) || cp->access_count || cp->bells || cp->controls.count || runlist_working(cp);
}

bool cp_busy(const struct cp *cp)
{
    return cp_working(cp) || tables_open(cp) || pages_open(cp);
}

void job_work(struct cp *cp, struct job *job, uint32_t cycles)
{
    uint64_t now = sim_now(cp->sim);
    uint64_t *until = &cp->busy_until[runlist_engine(cp, job->queue)];
    *until = (now > *until ? now : *until) + cycles;
    sim_timer(cp->sim, *until, cookie_of(cp, job_id(cp, job)));
}

uint64_t job_groups(const struct job *job)
{
    return (uint64_t)job->launch.groups[0] * job->launch.groups[1] * job->launch.groups[2];
}

/* Its memory is written and its end is known; who waits for it may have seen its signal. */
static bool job_ended(const struct job *job)
{
    return job->state == JOB_TELL || job->state == JOB_DONE;
}

/* Of a kernel that has ended, or that ends with the run or its process. */
void row_emit(struct cp *cp, const struct job *job)
{
    bool done = job_ended(job); /* else what stands in the rest may be of the packet before it in this place */
    struct kernel_row row = {.gpu = cp->gpu,
                             .queue = job->queue->args.number,
                             .unfinished = !done,
                             .start = job->begin,
                             .end = done ? job->end : 0,
                             .groups = job_groups(job),
                             .dispatcher = done ? job->dispatcher : 0,
                             .beside = job->beside,
                             .wavefronts = done ? job->wavefronts : 0,
                             .instructions = done ? job->instructions : 0,
                             .number = job->number};
    memcpy(row.grid, job->launch.grid, sizeof row.grid);
    memcpy(row.group, job->launch.group, sizeof row.group);
    row.name = kernel_name(job->space, get64(job->packet + AQL_OBJECT));
    cp->host.kernel(cp->host.ctx, job->space->owner, &row);
}

/* A kernel that was sent to the dispatcher, and whose row has not been emitted. */
bool job_unfinished(const struct job *job)
{
    return packet_type(job->packet) == AQL_KERNEL && !job->held &&
           (job->state == JOB_RUN || job->state == JOB_RELEASE || job->state == JOB_SIGNAL || job->state == JOB_TELL);
}

void cp_progress(struct cp *cp, uint64_t groups, struct cp_progress *progress)
{
    const struct job *first = NULL;
    *progress = (struct cp_progress){.kernel = "", .done = groups - cp->groups_before};
    for (unsigned i = 0; i < CP_JOBS; i++) {
        const struct job *job = &cp->jobs[i];
        if (job->state != JOB_RUN || job->held)
            continue;
        progress->total += job_groups(job);
        if (!first || job->begin < first->begin)
            first = job;
    }
    if (first)
        progress->kernel = kernel_name(first->space, get64(first->packet + AQL_OBJECT));
    else
        cp->groups_before = groups; /* also forgets those that ended by a kill */
    if (progress->done > progress->total)
        progress->done = progress->total;
}

void cp_unfinished(struct cp *cp)
{
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (job_unfinished(&cp->jobs[i]))
            row_emit(cp, &cp->jobs[i]);
}

/* Sent behind the fence, which drops such lines: when the first wavefront comes they are there, or on their way. */
void job_prime(struct cp *cp, const struct job *job)
{
    const struct msg_cp_cmd cmd = {.kind = CP_FETCH, .vmid = job->space->vmid, .id = CP_NO_JOB, .pc = job->launch.pc};
    if (!job->space->closing)
        sim_cmd(cp->sim, cp->gpu, &cmd);
}

/* One more is at the GPU. */
static void beside_count(struct cp *cp)
{
    unsigned others = 0;
    for (unsigned i = 0; i < CP_JOBS; i++)
        others += cp->jobs[i].state == JOB_RUN && !cp->jobs[i].held;
    others--;
    for (unsigned i = 0; i < CP_JOBS; i++)
        if (cp->jobs[i].state == JOB_RUN && cp->jobs[i].beside < others)
            cp->jobs[i].beside = others;
}

void job_launch(struct cp *cp, struct job *job)
{
    job->state = JOB_RUN;
    job->held = job->space->killing || cp->traps_open[job->space->vmid];
    if (job->held)
        return; /* dropped or sent when the kill or the trap handler is answered */
    job->launch.id = job_id(cp, job);
    job->begin = sim_now(cp->sim); /* until the dispatcher tells */
    job->space->busy++;
    beside_count(cp);
    sim_cmd(cp->sim, cp->gpu, &job->launch);
}

void queue_release(struct cp *cp, struct cp_queue *queue)
{
    if (!queue->closed || queue->jobs || queue->accesses)
        return;
    struct cp_queue **link = &cp->queues;
    while (*link != queue)
        link = &(*link)->next_queue;
    *link = queue->next_queue;
    runlist_leave(cp, queue);
    free(queue);
}

void job_flushed(struct cp *cp, struct job *job)
{
    job->space->flushes -= job->flush;
    cp->drops -= job->drop;
    job->flush = job->drop = false;
}

static void job_free(struct job *job)
{
    job->queue->jobs--;
    job->state = JOB_FREE;
    job->generation++;
}

void job_settle(struct job *job)
{
    const struct cp_queue *queue = job->queue;
    bool given = job->index < queue->retire || queue->closed || queue->dead; /* or on its way, or never: slot */
    bool over = job->state == JOB_LEFT || (job->state == JOB_DONE && given);
    if (over && job->slot.open == 0 && job->work.transfer.open == 0 && job->pm4.transfer.open == 0)
        job_free(job);
}

/* The address space of the job is gone or stopped. */
void job_abandon(struct cp *cp, struct job *job)
{
    struct cp_queue *queue = job->queue;
    job_flushed(cp, job);
    if (job_unfinished(job))
        row_emit(cp, job);
    if (job->state == JOB_LAUNCH || job->state == JOB_RUN)
        cp->launches--;
    if (job->state < JOB_DONE)
        queue->active--;
    job->state = JOB_LEFT;
    job->parts = 0;
    job_settle(job);
    queue_release(cp, queue);
}

struct job *job_of(struct cp *cp, uint16_t id)
{
    unsigned at = id & 0xff;
    if (at >= CP_JOBS || cp->jobs[at].state == JOB_FREE || cp->jobs[at].generation != id >> 8)
        return NULL;
    return &cp->jobs[at];
}
