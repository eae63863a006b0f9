/* SPDX-License-Identifier: Apache-2.0
 * The simulated machine as the host sees it; contract in sim.h.  Responsible for: host callbacks at their exact cycle,
 * timers, stop conditions.  A window of the scheduler is two phases: first the host's events and timers of its cycles,
 * then the partitions; a stop in the first phase leaves the second for the next call.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "machine/golden_part.h"
#include "machine/lockstep_tap.h"
#include "machine/record.h"
#include "machine/sim_private.h"

struct sim *sim_new(const struct gantry_cfg *cfg, struct pmem *memory, const struct sim_options *options,
                    const struct sim_host_ops *ops, void *ctx)
{
    struct sim *sim = xcalloc(1, sizeof *sim);
    sim->cfg = cfg;
    sim->memory = memory;
    sim->options = *options;
    sim->ops = ops;
    sim->ctx = ctx;
    sched_init(&sim->sched);
    sim->sched.no_skip = options->no_skip;
    if (!machine_build(sim)) {
        sim_free(sim);
        return NULL;
    }
    if (options->record && !record_attach(options->record, sim)) {
        sim_free(sim);
        return NULL;
    }
    /* Lock step and waves look into many partitions at once; golden GPUs share out work-groups. */
    bool together = options->lockstep || options->wave || (options->record && record_parts(options->record));
    sim->sched.threads = together || options->model == SIM_GOLDEN ? 1 : options->threads;
    if (!sched_start(&sim->sched)) {
        diag("--threads", "%u host threads cannot be made", options->threads);
        sim_free(sim);
        return NULL;
    }
    return sim;
}

void sim_free(struct sim *sim)
{
    if (sim == NULL)
        return;
    if (sim->options.record)
        record_detach(sim->options.record);
    sched_fini(&sim->sched);
    machine_free(sim);
    port_free(sim->port);
    heap_fini(&sim->timers);
    for (unsigned g = 0; g < sim->gpu_count; g++) {
        free(sim->gpus[g].pending);
        commands_fini(&sim->gpus[g].commands);
    }
    free(sim->gpus);
    free(sim);
}

uint64_t sim_now(const struct sim *sim)
{
    return sim->now;
}

void sim_cmd(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    PART_CHECK(gpu < sim->gpu_count, NULL, sim->now, "command for gpu%u of %u", gpu, sim->gpu_count);
    struct sim_gpu *g = &sim->gpus[gpu];
    if (cmd->kind == CP_VMID)
        g->roots[cmd->vmid] = cmd->root;
    else
        pending_add(g, cmd);
    if (sim->options.record)
        record_command(sim->options.record, gpu, cmd);
    commands_send(sim, gpu, cmd);
}

void sim_access(struct sim *sim, const struct msg_mem_req *req, bool overlap, uint64_t cookie)
{
    if (sim->options.record)
        record_access(sim->options.record, port_lane(sim, req), req, overlap);
    port_access(sim, req, overlap, cookie);
}

void sim_timer(struct sim *sim, uint64_t at, uint64_t cookie)
{
    heap_push(&sim->timers, at > sim->now ? at : sim->now, cookie);
}

void sim_stop(struct sim *sim)
{
    sim->stop = true;
}

static uint64_t host_alarm(const struct sim *sim)
{
    uint64_t timer = heap_next(&sim->timers), command = commands_due(sim), memory = port_due(sim);
    uint64_t first = command < timer ? command : timer;
    return memory < first ? memory : first;
}

/* Cycle of the host's first event, answer of a memory or timer or of a command that gets its place, UINT64_MAX without
 * one; *gpu: that sent the event, else gpu_count. */
static uint64_t host_next(const struct sim *sim, unsigned *gpu)
{
    uint64_t cycle = host_alarm(sim);
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
    sim->ops->answer(sim->ctx, sim->now, answer.cookie, &answer.rsp);
}

/* Deliver the first event or timer before `end`, but not beyond `until`; false when there is none. */
static bool host_step(struct sim *sim, uint64_t end, uint64_t until)
{
    unsigned gpu;
    uint64_t cycle = host_next(sim, &gpu);
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
    if (channel_empty(from))
        sim->host->waiting[gpu / 64] &= ~(UINT64_C(1) << (gpu & 63));
    if (sim->options.record)
        record_event(sim->options.record, gpu, &evt);
    pending_account(&sim->gpus[gpu], &evt, cycle);
    if (sim->tap) /* the host may unmap what ended wavefronts have accessed */
        lockstep_tap_settle(sim->tap);
    sim->ops->event(sim->ctx, gpu, cycle, &evt);
    return true;
}

/* Nothing is ready and no timer set: an end, or a machine that waits for itself. */
static enum sim_result run_dry(struct sim *sim)
{
    uint64_t active = sched_active(&sim->sched); /* how many windows ran at a stretch does not show */
    if (sim->now < active)
        sim->now = active;
    if (!pending_any(sim) && !port_waiting(sim))
        return SIM_STOPPED;
    watchdog_report(sim, stderr, "all partitions are idle and no message is under way");
    return SIM_NO_PROGRESS;
}

/* Partitions that turn for ever without a message or an instruction; looked at once in SIM_WATCH_CYCLES.  A program may
 * compute as long as it likes without a message (a short loop stays in the fetch buffer): --max-cycles ends what never
 * ends.  A wavefront that sleeps issues again after 8,128 cycles at most. */
static bool watchdog_turning(struct sim *sim)
{
    if (sim->sched.now - sim->watch_cycle < SIM_WATCH_CYCLES || sim->gpus[0].golden)
        return false;
    uint64_t sent = watchdog_sent(sim) + sim_instructions(sim);
    bool stuck = sent == sim->watch_sent && (pending_any(sim) || port_waiting(sim)) && sim->timers.count == 0;
    sim->watch_sent = sent;
    sim->watch_cycle = sim->sched.now;
    if (stuck)
        watchdog_report(sim, stderr,
                        "partitions are busy, but for 1048576 cycles no message was sent and no instruction issued");
    return stuck;
}

static uint64_t golden_slices(const struct sim *sim)
{
    uint64_t slices = 0;
    for (unsigned g = 0; g < sim->gpu_count; g++)
        slices += sim->gpus[g].golden ? golden_part_slices(sim->gpus[g].golden) : 0;
    return slices;
}

/* Windows that may run at once: those between which nobody else could do anything. */
static unsigned windows_now(const struct sim *sim, uint64_t until)
{
    const struct sched *s = &sim->sched;
    unsigned gpu, windows = sim->tap ? 1 : s->stretch;
    uint64_t end = host_next(sim, &gpu), limit = sim->options.max_cycles;
    if (end > until)
        end = until;
    if (limit && limit + PART_WINDOW - 1 < end) /* the window in which the limit lies is run whole */
        end = limit + PART_WINDOW - 1;
    while (windows > 1 && s->now + (uint64_t)windows * PART_WINDOW > end)
        windows--;
    return windows;
}

/* The golden model's work takes no cycles: enough of it since `slices` to let the caller look around, or a new slice
 * (*seen) and nobody who waits for more. */
static bool golden_pause(const struct sim *sim, uint64_t slices, uint64_t *seen)
{
    uint64_t done = golden_slices(sim);
    if (done == *seen)
        return false;
    *seen = done;
    return done - slices >= SIM_GOLDEN_SLICES ||
           (sim->options.unwanted && sim->options.unwanted(sim->options.unwanted_arg));
}

static enum sim_result run_windows(struct sim *sim, uint64_t until)
{
    struct sched *s = &sim->sched;
    uint64_t slices = golden_slices(sim), seen = slices;
    if (!sim->still)
        sim_still(sim, false);
    sim->still = false;
    for (;;) {
        while (host_step(sim, s->now + PART_WINDOW, until)) {
            if (sim->stop)
                return SIM_STOPPED;
        }
        if (sim->options.max_cycles && s->now >= sim->options.max_cycles) {
            sim->now = sim->now > s->now ? sim->now : s->now;
            watchdog_where(sim, stderr);
            return SIM_MAX_CYCLES;
        }
        uint64_t next = sched_next(s), timer = host_alarm(sim);
        if (next == UINT64_MAX && timer == UINT64_MAX)
            return run_dry(sim);
        if (timer < next)
            next = timer - timer % PART_WINDOW;
        if (until < s->now + PART_WINDOW) {
            sim->now = sim->now > until ? sim->now : until;
            return SIM_STOPPED;
        }
        if (next > s->now && !s->no_skip) { /* jump, but not beyond the caller's limit: it may send commands then */
            s->now = next < until - until % PART_WINDOW ? next : until - until % PART_WINDOW;
            continue;
        }
        if (sim->options.record)
            record_window(sim->options.record);
        sched_run(s, windows_now(sim, until));
        if (watchdog_turning(sim))
            return SIM_NO_PROGRESS;
        if (golden_pause(sim, slices, &seen)) {
            sim->now = sim->now > s->now ? sim->now : s->now;
            return SIM_STOPPED;
        }
    }
}

enum sim_result sim_run(struct sim *sim, uint64_t until)
{
    sim->stop = false;
    sim->running = true;
    enum sim_result result = run_windows(sim, until);
    sim->running = false;
    return result;
}

void sim_where(struct sim *sim)
{
    watchdog_where(sim, stderr);
}

void sim_still(struct sim *sim, bool still)
{
    sim->still = still;
    if (!still && sim->options.record)
        record_changed(sim->options.record);
}

bool sim_quiet(const struct sim *sim)
{
    return sched_quiet(&sim->sched);
}
