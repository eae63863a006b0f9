/* SPDX-License-Identifier: Apache-2.0
 * Where the queues of a command processor are, for the report of a run that makes no progress.  Not responsible for:
 * deciding that (host/clock/standstill.c), wavefronts (bridge).
 */
#include <string.h>

#include "base/text.h"
#include "firmware/cp_private.h"

static void job_tell(const struct cp *cp, const struct job *job, FILE *out)
{
    static const char *const states[] = {[JOB_DECODE] = "is being decoded",
                                         [JOB_ACQUIRE] = "waits for the caches, before its launch",
                                         [JOB_READY] = "waits for a launch slot",
                                         [JOB_LAUNCH] = "is being launched",
                                         [JOB_RUN] = "runs",
                                         [JOB_PM4] = "is being executed",
                                         [JOB_RELEASE] = "waits for the caches, after its kernel",
                                         [JOB_SIGNAL] = "is about to be completed",
                                         [JOB_TELL] = "waits for memory, to be completed",
                                         [JOB_DONE] = "waits for earlier packets",
                                         [JOB_LEFT] = "was dropped and waits for memory"};
    const char *name = "a barrier";
    if (packet_type(job->packet) == AQL_VENDOR)
        name = "PM4";
    else if (packet_type(job->packet) == AQL_KERNEL)
        name = kernel_name(job->space, get64(job->packet + AQL_OBJECT));
    fprintf(out, "  gpu%u queue %u: packet %llu (", cp->gpu, job->queue->args.number, (unsigned long long)job->index);
    text_put(out, name);
    fprintf(out, ") %s%s\n", states[job->state], job->halted ? ", and a wavefront has halted" : "");
}

static void signals_tell(struct cp_space *space, const uint8_t *packet, FILE *out)
{
    for (unsigned i = 0; i < 5; i++) {
        uint64_t signal = get64(packet + AQL_DEPS + 8 * i);
        int64_t value = (int64_t)peek_long_for_report(space, signal + SIGNAL_VALUE);
        if (signal && value)
            fprintf(out, " signal 0x%llx (value %lld)", (unsigned long long)signal, (long long)value);
    }
}

/* The first packet that has not been started. */
static void next_tell(const struct cp *cp, const struct cp_queue *queue, FILE *out)
{
    uint8_t packet[AQL_BYTES] = {AQL_INVALID};
    peek_for_report(queue->space, queue_slot(queue, queue->next), packet, sizeof packet);
    unsigned type = packet_type(packet);
    fprintf(out, "  gpu%u queue %u: packet %llu of %llu ", cp->gpu, queue->args.number, (unsigned long long)queue->next,
            (unsigned long long)queue->limit);
    if (queue->dead)
        fprintf(out, "stays: the queue has stopped after an error");
    else if (queue->suspended)
        fprintf(out, "stays: the queue is suspended");
    else if (queue->slot < 0)
        fprintf(out, "%s a hardware queue slot", queue->waits ? "waits for" : "stands without");
    else if (!fetch_waits(queue) && queue->accesses)
        fprintf(out, "waits for memory");
    else if (type == AQL_INVALID)
        fprintf(out, "has no valid header");
    else if (queue->asked == CP_ERROR_SCRATCH)
        fprintf(out, "waits for scratch memory");
    else if (queue->asked)
        fprintf(out, "waits for the client to take back its scratch memory");
    else if (packet_barrier(packet) && queue->active)
        fprintf(out, "waits for earlier packets");
    else if (type == AQL_BARRIER_AND || type == AQL_BARRIER_OR) {
        fprintf(out, "waits for");
        signals_tell(queue->space, packet, out);
    } else
        fprintf(out, "waits for a place");
    fputc('\n', out);
}

void cp_tell(const struct cp *cp, FILE *out)
{
    if (tables_open(cp))
        fprintf(out, "  gpu%u: %llu changes of page tables are to be written\n", cp->gpu,
                (unsigned long long)(cp->tables.asked - cp->tables.done));
    for (const struct cp_queue *queue = cp->queues; queue; queue = queue->next_queue) {
        for (unsigned i = 0; i < CP_JOBS; i++)
            if (cp->jobs[i].state != JOB_FREE && cp->jobs[i].queue == queue)
                job_tell(cp, &cp->jobs[i], out);
        if (queue->dead || queue->next < queue->limit)
            next_tell(cp, queue, out);
    }
}
