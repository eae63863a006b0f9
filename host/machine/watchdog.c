/* SPDX-License-Identifier: Apache-2.0
 * The report of a machine that cannot go on: who waits for whom, since which cycle.  It needs no help of the target:
 * a requester whose X_req (X_cmd) channels carried more messages than came back on its X_rsp (X_evt) channels waits for
 * the other end.  Not responsible for: deciding that nothing moves (sim.c).
 */
#include "machine/rtl_where.h"
#include "machine/sim_private.h"

uint64_t watchdog_sent(const struct sim *sim)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sim->sched.wire_count; i++)
        sum += sim->sched.wires[i]->channel.sent;
    return sum;
}

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

void watchdog_report(struct sim *sim, FILE *out, const char *why)
{
    fprintf(out, "gantry: no progress at cycle %llu: %s\n", (unsigned long long)sim->sched.now, why);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        const struct sim_gpu *gpu = &sim->gpus[g];
        static const char *const kinds[] = {"?", "launch", "cache maintenance", "vmid", "kill", "trap handler"};
        for (uint32_t i = 0; i < gpu->pending_count; i++)
            fprintf(out, "  host.cp waits for %s: %s %u%s\n", gpu->dispatch->name, kinds[gpu->pending[i].kind],
                    gpu->pending[i].id, gpu->pending[i].faulted ? " (faulted)" : "");
    }
    port_report(sim, out);
    for (uint32_t i = 0; i < sim->sched.count; i++)
        report_part(sim, sim->sched.parts[i], out); /* golden GPUs tell where their wavefronts are */
    for (unsigned g = 0; g < sim->gpu_count && sim->rtl; g++)
        rtl_where(sim, g, SIM_WHERE, out);
}

void watchdog_where(struct sim *sim, FILE *out)
{
    for (unsigned g = 0; g < sim->gpu_count && !sim->where_told; g++) {
        struct part *golden = sim->gpus[g].golden;
        if (golden && sim->gpus[g].pending_count)
            golden->ops->report(golden, out);
        if (sim->rtl && sim->gpus[g].pending_count)
            rtl_where(sim, g, SIM_WHERE, out);
    }
    sim->where_told = true;
}
