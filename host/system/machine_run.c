/* SPDX-License-Identifier: Apache-2.0
 * How a machine runs (machine.h): until its host has to look, until a goal, or until nothing is left.
 */
#include "base/log.h"
#include "machine/goals.h"
#include "system/machine_private.h"

#define SETTLE_STALLS 1000u /* runs that do nothing, and stop nobody but themselves */

static bool cps_busy(const struct machine *m)
{
    for (unsigned g = 0; m->sim && g < m->gpus; g++)
        if (cp_busy(m->cps[g]))
            return true;
    return false;
}

bool machine_working(const struct machine *m)
{
    for (unsigned g = 0; m->sim && g < m->gpus; g++)
        if (cp_working(m->cps[g]))
            return true;
    return false;
}

bool machine_pending(const struct machine *m)
{
    bool changed = machine_working(m);
    for (unsigned g = 0; m->sim && g < m->gpus && !changed; g++)
        changed = cp_changed(m->cps[g]);
    return changed;
}

bool machine_busy(const struct machine *m)
{
    return cps_busy(m) || (m->sim && !sim_quiet(m->sim));
}

void machine_settle(struct machine *m)
{
    enum sim_result result = SIM_STOPPED;
    unsigned stalls = 0; /* an answer is lost: nothing happens any more, and the rest waits for ever */
    while (!machine_working(m) && machine_busy(m) && !goals_ended(m->options.goals) && result == SIM_STOPPED &&
           stalls < SETTLE_STALLS) {
        const uint64_t before = sim_now(m->sim);
        result = sim_run(m->sim, UINT64_MAX);
        stalls = sim_now(m->sim) == before && sim_quiet(m->sim) ? stalls + 1 : 0;
    }
    if (m->cross) { /* who comes next may begin something: the border is looked at again when the clock runs */
        m->cross = false;
        sim_timer(m->sim, sim_now(m->sim), ROI_COOKIE);
    }
}

/* The border is crossed: queues look again at the kernel that waits. */
static void border_cross(struct machine *m)
{
    m->cross = false;
    roi_cross(&m->roi);
    machine_poll(m);
}

/* To `until`, or to where the machine stops for its host; goals on the way are served. */
static enum sim_result run_on(struct machine *m, uint64_t until)
{
    struct goals *goals = m->options.goals;
    for (;;) {
        uint64_t limit = goals_until(goals, until), kernels = goals ? goals->kernels : 0;
        enum sim_result result = sim_run(m->sim, limit);
        bool mine = m->cross || (limit < until && sim_now(m->sim) >= limit) || (goals && goals->kernels != kernels);
        sim_checkpoint(m->sim);
        if (m->cross)
            border_cross(m);
        if (result != SIM_STOPPED || m->visible || m->halted || goals_ended(goals) || !mine)
            return result;
    }
}

bool machine_lost(struct machine *m)
{
    return m->sim && sim_lost(m->sim) != STATUS_OK;
}

enum machine_result machine_run(struct machine *m, uint64_t until)
{
    if (goals_ended(m->options.goals))
        return MACHINE_EXIT_AFTER;
    if (m->stood)
        machine_poll(m);
    enum sim_result result = m->visible || m->halted ? SIM_STOPPED : run_on(m, until); /* a look may have had effects */
    const bool visible = m->visible, halted = m->halted;
    m->stood = visible;
    m->visible = m->halted = false;
    log_cycle = sim_now(m->sim);
    if (goals_ended(m->options.goals))
        return MACHINE_EXIT_AFTER;
    if (result == SIM_MAX_CYCLES)
        return MACHINE_MAX_CYCLES;
    if (result == SIM_LOST)
        return MACHINE_LOST;
    if (result == SIM_NO_PROGRESS)
        return MACHINE_NO_PROGRESS;
    if (visible)
        return MACHINE_VISIBLE;
    return halted || sim_now(m->sim) >= until || !sim_quiet(m->sim) ? MACHINE_UNTIL : MACHINE_IDLE;
}
