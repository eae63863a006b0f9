/* SPDX-License-Identifier: Apache-2.0
 * The report of a machine that cannot go on: who waits for whom, since which cycle.  It needs no help of the target:
 * a requester whose X_req (X_cmd) channels carried more messages than came back on its X_rsp (X_evt) channels waits for
 * the other end.  Not responsible for: deciding that nothing moves (sim.c).
 */
#include <stdlib.h>

#include "base/log.h"
#include "machine/sim_private.h"
#include "observe/figures.h"
#include "place/place.h"
#include "target/rtl_where.h"

static void report_part(const struct sim *sim, struct part *part, FILE *out)
{
    for (uint32_t i = 0; i < part->outs; i++) {
        const struct channel *c = part->out[i] ? &part->out[i]->channel : NULL;
        if (c && channel_count(c))
            fprintf(out, "  %s: %zu messages under way, next due at cycle %llu\n", c->name, channel_count(c),
                    (unsigned long long)channel_stamp(c, 0));
    }
    if (part->ops->report)
        part->ops->report(part, out);
    if (!part->idle)
        fprintf(out, "  %s is busy at cycle %llu\n", part->name, (unsigned long long)sim->sched.now);
}

void watchdog_parts(struct sim *sim, FILE *out)
{
    for (uint32_t i = 0; i < sim->sched.count; i++)
        report_part(sim, sim->sched.parts[i], out);
}

static void asked_text(struct sim *sim, uint32_t process, struct ask ask, const void *data, FILE *out)
{
    void *text;
    place_ask(sim, process, &ask, data, &text);
    fputs(text ? text : "", out);
    free(text);
}

void watchdog_gpu(struct sim *sim, unsigned gpu, FILE *out)
{
    struct part *golden = sim->gpus[gpu].golden;
    if (golden)
        golden->ops->report(golden, out);
    else if (sim->rtl && sim_has(sim, gpu))
        rtl_where(sim, gpu, SIM_WHERE, out);
}

static void gpu_where(struct sim *sim, unsigned gpu, FILE *out)
{
    const struct sim_gpu *g = &sim->gpus[gpu];
    struct ask ask = {.kind = PLACE_WHERE, .memory = gpu, .bytes = sizeof g->roots};
    if (!sim_elsewhere(sim, gpu))
        watchdog_gpu(sim, gpu, out);
    else
        asked_text(sim, g->process, ask, g->roots, out);
}

void watchdog_report(struct sim *sim, FILE *out, const char *why)
{
    static const char *const kinds[] = {[CP_LAUNCH] = "launch",
                                        [CP_CACHE] = "cache maintenance",
                                        [CP_VMID] = "vmid",
                                        [CP_KILL] = "kill",
                                        [CP_TRAP] = "trap handler",
                                        [CP_CONTROL] = "control signals",
                                        [CP_XLAT] = "held translations",
                                        [CP_FETCH] = "fetch",
                                        [CP_MOVE] = "page-move",
                                        [CP_STORE] = "data-store",
                                        [CP_COUNTS] = "counters of far accesses"};
    fprintf(out, "gantry: no progress at cycle %llu: %s\n", (unsigned long long)sim->sched.now, why);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        const struct sim_gpu *gpu = &sim->gpus[g];
        for (uint32_t i = 0; i < gpu->pending_count; i++)
            fprintf(out, "  host.cp waits for %s: %s %u%s\n", gpu->dispatch->name, kinds[gpu->pending[i].kind],
                    gpu->pending[i].id, gpu->pending[i].faulted ? " (faulted)" : "");
    }
    port_report(sim, out);
    watchdog_parts(sim, out); /* golden GPUs tell where their wavefronts are */
    for (uint32_t i = 1; i <= place_workers(sim); i++)
        asked_text(sim, i, (struct ask){.kind = PLACE_REPORT}, NULL, out);
    for (unsigned g = 0; g < sim->gpu_count && sim->rtl; g++)
        gpu_where(sim, g, out);
}

void watchdog_where(struct sim *sim, FILE *out)
{
    for (unsigned g = 0; g < sim->gpu_count && !sim->where_told; g++)
        if (sim->gpus[g].pending_count)
            gpu_where(sim, g, out);
    sim->where_told = true;
}

void watchdog_tell(struct sim *sim, const char *why)
{
    FILE *out = log_report_open();
    if (why)
        watchdog_report(sim, out, why);
    else
        watchdog_where(sim, out);
    log_report_close(out);
}

/* Partitions that turn for ever without a message or an instruction; looked at once in SIM_WATCH_CYCLES.  A program may
 * compute as long as it likes without a message (a short loop stays in the fetch buffer): --max-cycles ends what never
 * ends.  A wavefront that sleeps issues again after 8,128 cycles at most. */
bool watchdog_turning(struct sim *sim)
{
    if (sim->sched.now - sim->watch_cycle < SIM_WATCH_CYCLES || sim->options.model == SIM_GOLDEN)
        return false;
    uint64_t sent = figures_moved(sim);
    bool stuck = sent == sim->watch_sent && (pending_any(sim) || port_waiting(sim)) && sim->timers.count == 0;
    sim->watch_sent = sent;
    sim->watch_cycle = sim->sched.now;
    if (stuck)
        watchdog_tell(sim, "partitions are busy, but for 1048576 cycles no message was sent and no instruction issued");
    return stuck;
}
