/* SPDX-License-Identifier: Apache-2.0
 * The simulated machine as the host sees it; contract in sim.h.  Responsible for: host callbacks at their exact cycle,
 * timers, stop conditions.  A window of the scheduler is two phases: first the host's events and timers of its cycles,
 * then the partitions; a stop in the first phase leaves the second for the next call.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "base/xalloc.h"
#include "bridge/run/sched_save.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "machine/warm_caches.h"
#include "observe/kernel_counters.h"
#include "place/boards.h"
#include "place/place.h"
#include "place/worker.h"
#include "record/record.h"
#include "target/external.h"
#include "target/golden_part.h"
#include "target/rtl_gpu.h"

/* The golden GPUs of options.both: a machine that nobody but this one sees (model_switch.c). */
static struct sim *twin_new(const struct sim *sim)
{
    struct sim_options options = sim->options;
    options.model = SIM_GOLDEN;
    options.both = options.lockstep = false;
    struct sim *twin = sim_new(sim->cfg, sim->memory, &options, sim->ops, sim->ctx);
    if (twin) { /* its counters are told with those of the RTL, its kernels are untimed */
        kernel_counters_free(twin->kernels);
        twin->kernels = NULL;
    }
    return twin;
}

/* Counters are read in the middle of a run: a model must be able to forget that. */
static bool kernels_begin(struct sim *sim)
{
    const char *why;
    const struct part *part = sim->options.model == SIM_RTL ? sched_unsavable(&sim->sched, &why) : NULL;
    if (part) {
        diag("metrics.kernels", "%s: %s", part->name, why);
        if (sim->options.failure)
            *sim->options.failure = STATUS_CONFIG;
        return false;
    }
    sim->kernels = kernel_counters_new(sim);
    return true;
}

/* Its parts, in the order in which they need each other.  False with a diagnostic; sim_free takes what is there. */
static bool sim_begin(struct sim *sim)
{
    const struct sim_options *options = &sim->options;
    const enum gantry_status external = external_check(sim->cfg, options);
    if (external != STATUS_OK) {
        if (options->failure)
            *options->failure = external;
        return false;
    }
    if (!place_begin(sim, worker_run) || !machine_build(sim) ||
        (options->record && !options->record_later && !record_attach(options->record, sim)) ||
        !machine_threads(sim, options->record && record_parts(options->record)))
        return false;
    if (sim->place) {
        sim->sched.act = placed_act;
        sim->sched.unwanted = placed_unwanted;
        sim->sched.act_ctx = sim;
        sim->sched.act_ahead = sim->cfg->link_host;
        if (!place_join(sim))
            return false;
    }
    if (sim->cfg->metrics_kernels && !kernels_begin(sim))
        return false;
    if (options->external && options->external->begin &&
        !options->external->begin(options->external->ctx, sim, sim->cfg, options->failure))
        return false;
    if (options->both) {
        sim->twin = twin_new(sim);
        sim->warm = sim->twin ? warm_new(sim) : NULL;
    }
    return !options->both || sim->twin;
}

struct sim *sim_new(const struct gantry_cfg *cfg, struct pmem *memory, const struct sim_options *options,
                    const struct sim_host_ops *ops, void *ctx)
{
    struct sim *sim = xcalloc(1, sizeof *sim);
    sim->cfg = cfg;
    sim->memory = memory;
    sim->options = *options;
    sim->ops = ops;
    sim->ctx = ctx;
    sim->turn = sim;
    sched_init(&sim->sched);
    sim->sched.no_skip = options->no_skip;
    if (sim_begin(sim))
        return sim;
    sim_free(sim);
    return NULL;
}

void sim_free(struct sim *sim)
{
    if (sim == NULL)
        return;
    if (sim->options.external && sim->options.external->end)
        sim->options.external->end(sim->options.external->ctx);
    sim_free(sim->twin);
    kernel_counters_free(sim->kernels);
    warm_free(sim->warm);
    if (sim->options.record)
        record_detach(sim->options.record);
    machine_scrap(sim);
    place_end(sim);
    heap_fini(&sim->timers);
    free(sim);
}

uint64_t sim_now(const struct sim *sim)
{
    return sim->turn->now;
}

void sim_cmd(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd)
{
    sim = sim->turn;
    PART_CHECK(gpu < sim->gpu_count, NULL, sim->now, "command for gpu%u of %u", gpu, sim->gpu_count);
    struct sim_gpu *g = &sim->gpus[gpu];
    if (sim->options.watch && !sim->settling)
        sim->options.watch->command(sim->options.watch->ctx, gpu, cmd);
    if (sim->kernels)
        kernel_counters_command(sim->kernels, gpu, cmd);
    spaces_note(g, cmd);
    if (cmd->kind != CP_VMID && cmd->kind != CP_FETCH)
        pending_add(g, cmd);
    if (sim->options.record)
        record_command(sim->options.record, gpu, cmd);
    commands_send(sim, gpu, cmd);
}

void sim_access(struct sim *sim, const struct msg_mem_req *req, bool overlap, uint64_t cookie)
{
    if (sim->options.watch)
        sim->options.watch->access(sim->options.watch->ctx, req);
    if (sim->options.record)
        record_access(sim->options.record, port_lane(sim, req), req, overlap);
    port_access(sim->turn, req, overlap, cookie);
}

void sim_timer(struct sim *sim, uint64_t at, uint64_t cookie)
{
    sim = sim->turn;
    heap_push(&sim->timers, at > sim->now ? at : sim->now, cookie);
}

void sim_stop(struct sim *sim)
{
    sim->turn->stop = true;
}

static uint64_t golden_slices(const struct sim *sim)
{
    uint64_t slices = 0;
    for (unsigned g = 0; g < sim->gpu_count; g++)
        slices += sim->gpus[g].golden ? golden_part_slices(sim->gpus[g].golden) : 0;
    return slices;
}

/* Windows that may run at once: those between which nobody else could do anything. */
static unsigned windows_now(const struct sim *sim, uint64_t limit)
{
    const struct sched *s = &sim->sched;
    unsigned gpu, windows = sim->tap ? 1 : s->stretch;
    uint64_t end = events_next(sim, &gpu);
    if (end > limit)
        end = limit;
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
    for (;;) {
        enum sim_result end;
        if (events_serve(sim, until, &end))
            return end;
        uint64_t next = sched_next(s), timer = events_alarm(sim);
        if (next == UINT64_MAX && timer == UINT64_MAX)
            return run_dry(sim);
        if (timer < next)
            next = timer - timer % PART_WINDOW;
        if (until < s->now + PART_WINDOW) {
            sim->now = sim->now > until ? sim->now : until;
            return SIM_STOPPED;
        }
        uint64_t limit = events_limit(sim, until);
        if (next > s->now && !s->no_skip) { /* jump, but not beyond the caller's limit: it may send commands then */
            s->now = next < limit - limit % PART_WINDOW ? next : limit - limit % PART_WINDOW;
            continue;
        }
        if (sim->options.record)
            record_window(sim->options.record);
        sched_run(s, windows_now(sim, limit));
        if (boards_lost(rtl_machine_boards(sim->rtl)))
            return SIM_LOST;
        if (golden_pause(sim, slices, &seen)) {
            sim->now = sim->now > s->now ? sim->now : s->now;
            return SIM_STOPPED;
        }
    }
}

enum sim_result sim_run(struct sim *sim, uint64_t until)
{
    CHECK(!sim->over, "sim", "a run that is over goes on");
    sim = sim->turn;
    sim->stop = false;
    if (!sim->still)
        sim_still(sim, false);
    sim->still = false;
    sim->running = true;
    enum sim_result result = sim->place ? placed_run(sim, until) : run_windows(sim, until);
    sim->running = false;
    return result;
}

void sim_over(struct sim *sim)
{
    sim->over = true;
}

void sim_where(struct sim *sim)
{
    watchdog_tell(sim->turn, NULL);
}

void sim_still(struct sim *sim, bool still)
{
    sim = sim->turn;
    sim->still = still;
    sim->others += !still;
    if (!still && sim->options.record)
        record_changed(sim->options.record);
}

double sim_cpu_seconds(struct sim *sim)
{
    return (double)place_sum(sim, PLACE_CPU) * 1e-6;
}

bool sim_quiet(const struct sim *sim)
{
    sim = sim->turn;
    return sim->place ? placed_quiet((struct sim *)(uintptr_t)sim) : sched_quiet(&sim->sched);
}
