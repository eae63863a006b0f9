/* SPDX-License-Identifier: Apache-2.0
 * The command processor's engine (cp.h): the states of a packet once it has started, commands to and events from the
 * GPU.  Each engine is a firmware thread: its work on packets of its queues follows one another in target time, while
 * memory is waited for beside it.  Not responsible for: which packet starts when (packet_ring.c, fetch.c), packet
 * contents (launch.c, fence.c, signal.c), address spaces and errors (address_space.c).
 */
#include "firmware/cp_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"

void cp_free(struct cp *cp)
{
    if (!cp)
        return;
    while (cp->queues) {
        struct cp_queue *queue = cp->queues;
        cp->queues = queue->next_queue;
        free(queue);
    }
    shootdowns_free(cp);
    free(cp->controls.list);
    free(cp->pages.list);
    free(cp->visits);
    tables_fini(&cp->tables);
    deferred_free(cp);
    free(cp);
}

static void job_over(struct cp *cp, struct job *job)
{
    struct cp_queue *queue = job->queue;
    struct cp_space *space = job->space;
    job->state = JOB_DONE;
    queue->active--;
    if (packet_type(job->packet) == AQL_KERNEL) /* also of a client that has seen its end and has gone since */
        row_emit(cp, job);
    job_settle(job);
    queue->fetch.look = true; /* the next packet may have waited for this one */
    queue_release(cp, queue);
    space_reap(cp, space);
}

static void signal_written(struct cp *cp, struct signal_work *w)
{
    struct job *job = w->transfer.job;
    if (job->state == JOB_LEFT)
        job_settle(job);
    else
        job_over(cp, job);
}

/* The job has ended: its slot goes back when its turn has come, and its signal, if it has one, is written. */
static void job_tell(struct cp *cp, struct job *job)
{
    uint64_t signal = packet_type(job->packet) == AQL_VENDOR ? 0 : get64(job->packet + AQL_SIGNAL);
    job->state = JOB_TELL;
    queue_retire(cp, job->queue);
    if (!signal || job->queue->closed || job->queue->dead) {
        job_over(cp, job);
        return;
    }
    job->work.signal = signal;
    job->work.count = true;
    job->work.stamps = job->stamps;
    job->work.begin = job->begin;
    job->work.end = job->end;
    job->work.over = signal_written;
    signal_begin(cp, job->queue, job, &job->work);
}

/* All fences are done: the signal is written, after some time of the firmware. */
static void job_finish(struct cp *cp, struct job *job)
{
    if (packet_type(job->packet) == AQL_VENDOR || !get64(job->packet + AQL_SIGNAL)) {
        job_tell(cp, job);
        return;
    }
    job->state = JOB_SIGNAL;
    job_work(cp, job, cp->config.signal_cycles);
}

/* Of kernels that wait for a dispatcher: the greater priority, of equals the one that waits longer. */
static bool goes_before(const struct job *a, const struct job *b)
{
    return a->launch.prio != b->launch.prio ? a->launch.prio > b->launch.prio : a->ready < b->ready;
}

static void launches_start(struct cp *cp)
{
    while (cp->launches < cp->config.launches) {
        struct job *first = NULL;
        for (unsigned i = 0; i < CP_JOBS; i++)
            if (cp->jobs[i].state == JOB_READY && (!first || goes_before(&cp->jobs[i], first)))
                first = &cp->jobs[i];
        if (!first)
            return;
        cp->launches++;
        first->state = JOB_LAUNCH;
        job_work(cp, first, cp->config.launch_cycles);
    }
}

static void job_acquired(struct cp *cp, struct job *job)
{
    if (packet_type(job->packet) == AQL_KERNEL) {
        job->state = JOB_READY;
        job->ready = cp->ready_count++;
        launches_start(cp);
    } else if (packet_type(job->packet) == AQL_VENDOR) {
        pm4_begin(cp, job, job_finish);
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
    const bool late = job->space->flushes || shootdown_flies(cp, job->space->vmid);
    if (job->space->tlb_stale || (late && packet_type(job->packet) == AQL_KERNEL)) {
        flags |= CACHE_INV_TLB;
        job->space->tlb_stale = false; /* a flush under way, not of this packet, may come too late for it */
    }
    if (cp->caches_stale || (cp->drops && packet_type(job->packet) == AQL_KERNEL)) { /* likewise */
        flags |= fence_caches(true);
        cp->caches_stale = false;
        job->drop = true;
        cp->drops++;
    }
    job->state = JOB_ACQUIRE;
    if (flags)
        fence_start(cp, job, flags);
    if (packet_type(job->packet) == AQL_KERNEL)
        job_prime(cp, job);
    if (!flags)
        job_acquired(cp, job);
}

static void job_ran(struct cp *cp, struct job *job, const struct msg_cp_evt *evt)
{
    cp->launches--;
    cp->groups_before += job_groups(job);
    job->begin = evt->start;
    job->end = evt->end;
    job->wavefronts = evt->data;
    job->dispatcher = evt->cu;
    job->instructions = evt->instructions;
    uint32_t flags = fence_release(job->packet);
    if (flags) {
        job->state = JOB_RELEASE;
        fence_start(cp, job, flags);
    } else {
        job_finish(cp, job);
    }
    launches_start(cp);
}

static void job_fenced(struct cp *cp, struct job *job)
{
    job->space->busy--;
    job_flushed(cp, job);
    if (job->state == JOB_ACQUIRE)
        job_acquired(cp, job);
    else if (job->state == JOB_PM4)
        pm4_step(cp, job);
    else
        job_finish(cp, job);
}

struct cp *cp_new(struct sim *sim, unsigned gpu, const struct cp_config *config, const struct cp_host *host)
{
    CHECK(config->slots && config->slots <= CP_SLOTS && config->engines && config->engines <= CP_ENGINES, "cp",
          "gpu%u: %u queue slots, %u engines", gpu, config->slots, config->engines);
    struct cp *cp = calloc(1, sizeof *cp);
    if (!cp)
        return NULL;
    cp->sim = sim;
    cp->gpu = gpu;
    cp->config = *config;
    cp->host = *host;
    cp->fenced = job_fenced;
    access_init(cp);
    return cp;
}

void cp_timer(struct cp *cp, uint64_t cookie)
{
    if ((cookie & 0xffffff) == COOKIE_POLL) {
        cp->poll_armed = false;
        cp_look(cp);
    } else if ((cookie & 0xffffff) == COOKIE_INTERRUPT) {
        interrupt_serve(cp);
    } else if ((cookie & 0xffffff) == COOKIE_BELL) {
        bell_arrive(cp);
    } else if ((cookie & 0xffffff) == COOKIE_SLOT) { /* queues_step does what is due */
    } else if ((cookie & 0xffffff) == COOKIE_TABLES) {
        tables_begin(cp);
    } else if ((cookie & 0xffffff) == COOKIE_DEFERRED) {
        deferred_step(cp);
    } else {
        struct job *job = job_of(cp, (uint16_t)cookie);
        if (job && job->state == JOB_DECODE)
            job_decoded(cp, job);
        else if (job && job->state == JOB_LAUNCH)
            job_launch(cp, job);
        else if (job && job->state == JOB_SIGNAL)
            job_tell(cp, job);
    }
    queues_step(cp);
}

void cp_event(struct cp *cp, const struct msg_cp_evt *evt)
{
    struct job *job = evt->kind == CP_EVT_COUNT ? NULL : job_of(cp, evt->id);
    if (evt->kind == CP_EVT_CACHE_DONE && evt->status != CTL_OK)
        log_error("cp", "gpu%u: cache maintenance %u: a component has refused it (status %u): it is off", cp->gpu,
                  evt->id, evt->status);
    if (evt->kind == CP_EVT_CACHE_DONE && evt->id == CP_SHOOTDOWN)
        shootdown_answered(cp, evt->status);
    if (evt->kind == CP_EVT_CACHE_DONE && evt->id == CP_DROP)
        cp->drops--;
    if (evt->kind == CP_EVT_CACHE_DONE && evt->id == CP_PAGE)
        page_flushed(cp, evt->status);
    if (evt->kind == CP_EVT_CACHE_DONE && evt->id == CP_FAR)
        queues_step(fence_far_answered(cp, evt->status));
    switch (evt->kind) {
    case CP_EVT_LAUNCH_DONE:
        if (!job || job->state != JOB_RUN)
            break;
        job->space->busy--;
        job_ran(cp, job, evt);
        break;
    case CP_EVT_CACHE_DONE:
        if (job && job->parts)
            fence_answered(cp, job, evt->status);
        break;
    case CP_EVT_XLAT:
        withheld_reported(cp, evt);
        break;
    case CP_EVT_XLAT_DONE:
        withheld_answered(cp, evt->status);
        break;
    case CP_EVT_ROOT_REFUSED:
        space_refused(cp, evt);
        break;
    case CP_EVT_CONTROL_DONE:
        control_answered(cp, evt);
        break;
    case CP_EVT_MOVED:
    case CP_EVT_STORED:
        page_reported(cp, evt);
        break;
    case CP_EVT_COUNT:
        counts_reported(cp, evt);
        break;
    case CP_EVT_COUNTED:
        counts_answered(cp, evt);
        break;
    case CP_EVT_KILL_DONE:
        if (evt->status != CTL_OK) /* what waits for a translation there is not told that it is denied */
            log_error("cp", "gpu%u: kill of vmid %u: the L2 TLB has refused its part (status %u): it is off", cp->gpu,
                      evt->vmid, evt->status);
        space_killed(cp, evt->vmid);
        break;
    case CP_EVT_TRAP_DONE:
        space_trapped(cp, evt->vmid);
        break;
    case CP_EVT_FAULT:
        if (job && job->state == JOB_RUN)
            space_fault(cp, job, evt);
        break;
    case CP_EVT_INTERRUPT:
        if (job)
            interrupt_raise(cp, job->space);
        break;
    case CP_EVT_HALT:
        log_info("cp", "gpu%u: CU %u wavefront %u of vmid %u halted before pc 0x%llx", cp->gpu, evt->cu, evt->wave,
                 evt->vmid, (unsigned long long)evt->pc);
        if (job && job->state == JOB_RUN) {
            if (!job->halted)
                cp->host.halted(cp->host.ctx, job->space->owner, cp->gpu, evt);
            job->halted = true;
            space_reap(cp, job->space);
        }
        break;
    default:
        break;
    }
    queues_step(cp);
}
