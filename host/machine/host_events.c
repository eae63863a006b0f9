/* SPDX-License-Identifier: Apache-2.0
 * What happens at the host and when: events of GPUs, answers of memories, places for commands, timers; contract in
 * sim_private.h.  Not responsible for: the partitions between them (sim.c, placed.c).
 */
#include <string.h>

#include "bridge/link/region_wait.h"
#include "machine/sim_private.h"
#include "observe/figures.h"
#include "observe/kernel_counters.h"
#include "record/record.h"

uint64_t events_alarm(const struct sim *sim)
{
    uint64_t timer = heap_next(&sim->timers), command = commands_due(sim), memory = port_due(sim);
    uint64_t first = command < timer ? command : timer;
    return memory < first ? memory : first;
}

uint64_t events_next(const struct sim *sim, unsigned *gpu)
{
    uint64_t cycle = events_alarm(sim);
    *gpu = sim->gpu_count;
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        const struct channel *c = &sim->host->in[g]->channel;
        if (!channel_empty(c) &&
            (channel_stamp(c, 0) < cycle || (channel_stamp(c, 0) == cycle && *gpu == sim->gpu_count))) {
            cycle = channel_stamp(c, 0);
            *gpu = g;
        }
    }
    return cycle;
}

static void memory_step(struct sim *sim)
{
    struct port_answer answer;
    if (!port_step(sim, &answer))
        return;
    if (sim->options.record)
        record_answer(sim->options.record, answer.lane, &answer.rsp);
    if (!sim->settling)
        sim->ops->answer(sim->ctx, sim->now, answer.cookie, &answer.rsp);
}

static bool events_step(struct sim *sim, uint64_t end, uint64_t until)
{
    unsigned gpu;
    uint64_t cycle = events_next(sim, &gpu);
    if (cycle >= end || cycle > until)
        return false;
    sim->now = cycle;
    if (gpu == sim->gpu_count && port_due(sim) == cycle) {
        memory_step(sim);
        return true;
    }
    if (gpu == sim->gpu_count && commands_due(sim) == cycle) {
        commands_resume(sim);
        return true;
    }
    if (gpu == sim->gpu_count) {
        sim->ops->timer(sim->ctx, cycle, heap_pop(&sim->timers).value);
        return true;
    }
    struct msg_cp_evt evt;
    struct channel *from = &sim->host->in[gpu]->channel;
    memcpy(&evt, channel_payload(from, 0), sizeof evt);
    channel_drop(from, 1);
    if (sim->options.record)
        record_event(sim->options.record, gpu, &evt);
    pending_account(&sim->gpus[gpu], &evt, cycle);
    if (sim->options.lockstep) /* the host may unmap what ended wavefronts have accessed */
        figures_settle(sim);
    if (sim->kernels)
        kernel_counters_event(sim->kernels, gpu, &evt);
    if (sim->options.watch && !sim->settling)
        sim->options.watch->event(sim->options.watch->ctx, gpu, &evt);
    if (!sim->settling)
        sim->ops->event(sim->ctx, gpu, cycle, &evt);
    if (sim->kernels)
        kernel_counters_settle(sim->kernels);
    return true;
}

bool events_serve(struct sim *sim, uint64_t until, enum sim_result *end)
{
    const uint64_t now = sim->sched.now, most = sim->options.max_cycles;
    *end = SIM_STOPPED;
    while (events_step(sim, now + PART_WINDOW, until)) {
        if (sim->stop)
            return true;
    }
    if (watchdog_turning(sim)) {
        *end = SIM_NO_PROGRESS;
        return true;
    }
    if (most == 0 || now < most)
        return false;
    sim->now = sim->now > now ? sim->now : now;
    watchdog_tell(sim, NULL);
    *end = SIM_MAX_CYCLES;
    return true;
}

uint64_t events_limit(const struct sim *sim, uint64_t until)
{
    uint64_t limit = sim->options.max_cycles, watch = sim->watch_cycle + SIM_WATCH_CYCLES;
    if (limit && limit < until && until - limit > PART_WINDOW - 1) /* the window in which the limit lies is run whole */
        until = limit + PART_WINDOW - 1;
    return watch < until && sim->options.model == SIM_RTL ? watch : until;
}

enum sim_result run_dry(struct sim *sim)
{
    uint64_t active = sim->place ? region_active(sim->sched.region) : sched_active(&sim->sched);
    if (sim->now < active)
        sim->now = active;
    if (!pending_any(sim) && !port_waiting(sim))
        return SIM_STOPPED;
    watchdog_tell(sim, "all partitions are idle and no message is under way");
    return SIM_NO_PROGRESS;
}
