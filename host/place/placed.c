/* SPDX-License-Identifier: Apache-2.0
 * sim_run of a machine in several processes (sim_private.h): the host's events stand between the same windows as within
 * one process.  Before the host does anything, all processes have run the windows before that of its event and none has
 * run that one: so it finds, and changes, memory as if they were one.
 */
#include "bridge/link/region_wait.h"
#include "bridge/run/advance.h"
#include "machine/sim_private.h"
#include "place/boards.h"
#include "place/place.h"
#include "record/record.h"
#include "target/golden_part.h"
#include "target/rtl_gpu.h"

enum gantry_status sim_lost(struct sim *sim)
{
    const enum gantry_status lost = boards_lost(rtl_machine_boards(sim->rtl));
    return lost ? lost : place_lost(sim);
}

static bool all_quiet(struct sim *sim)
{
    unsigned gpu;
    return placed_quiet(sim) && events_next(sim, &gpu) == UINT64_MAX;
}

bool placed_quiet(struct sim *sim)
{
    sched_take(&sim->sched);
    sched_flush(&sim->sched); /* commands of this turn are there, too */
    return sched_quiet(&sim->sched) && place_sum(sim, PLACE_QUIET) == place_workers(sim);
}

/* Golden GPUs, whose work takes no cycles: where the caller looks around. */
static uint64_t golden_pause(const struct sim *sim)
{
    const uint64_t now = sim->sched.now, slices = SIM_GOLDEN_SLICES * GOLDEN_SLICE_CYCLES;
    return sim->options.model == SIM_GOLDEN ? now + slices : UINT64_MAX;
}

/* In the middle of a wait: what the host does comes behind what the others may have run since. */
static void stopped(struct sim *sim)
{
    uint64_t floor = region_floor(sim->sched.region), now = sim->sched.now > floor ? sim->sched.now : floor;
    sim->now = sim->now > now ? sim->now : now;
}

/* While a run is recorded all rest now and then; here they do, and where they may run to. */
static uint64_t rest_limit(struct sim *sim, uint64_t limit)
{
    if (sim->options.record == NULL)
        return limit;
    record_window(sim->options.record);
    uint64_t from = sim->sched.now;
    const uint64_t active = region_active(sim->sched.region);
    if (active == sim->rest_active && placed_quiet(sim)) { /* nothing enters a GPU before the host's next event */
        unsigned gpu;
        const uint64_t next = events_next(sim, &gpu);
        from = next > from ? next : from;
    }
    sim->rest_active = active;
    from = from < limit ? from : limit; /* before the watchdog's next look: what is added does not wrap */
    const uint64_t rest = from + RECORD_REST;
    return rest < limit ? rest : limit;
}

enum sim_result placed_run(struct sim *sim, uint64_t until)
{
    struct sched *s = &sim->sched;
    const uint64_t pause = golden_pause(sim);
    place_windows(sim);
    while (sim_lost(sim) == STATUS_OK) {
        enum sim_result end;
        if (events_serve(sim, until, &end))
            return end;
        if (until < s->now + PART_WINDOW) {
            if (all_quiet(sim))
                return run_dry(sim);
            sim->now = sim->now > until ? sim->now : until;
            return SIM_STOPPED;
        }
        if (s->now >= pause) {
            sim->now = sim->now > s->now ? sim->now : s->now;
            return SIM_STOPPED;
        }
        s->limit = rest_limit(sim, events_limit(sim, until < pause ? until : pause));
        const enum sched_end step = sched_advance(s, UINT64_MAX);
        if (sim->options.record) /* stopped: nobody knows where the others are */
            record_unrest(sim->options.record, step == SCHED_STOPPED);
        switch (step) {
        case SCHED_UNTIL:
            continue;
        case SCHED_QUIET:
            return run_dry(sim);
        case SCHED_STOPPED:
            sim->rest_active = UINT64_MAX;
            stopped(sim);
            if (sim_lost(sim) == STATUS_OK)
                return SIM_STOPPED;
            break;
        default:
            place_give_up(sim);
        }
    }
    return SIM_LOST;
}

bool placed_unwanted(void *ctx)
{
    return place_unwanted(ctx);
}

uint64_t placed_act(void *ctx)
{
    unsigned gpu;
    return events_next(ctx, &gpu);
}
