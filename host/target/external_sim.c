/* SPDX-License-Identifier: Apache-2.0
 * GPUs that somebody else simulates, as parts of a machine (external.h): what cannot be together with them, and what
 * they send, which wakes them: they are idle for the scheduler until something is to be done.
 */
#include "base/log.h"
#include "bridge/verilated/rtl_part.h"
#include "gantry_cfg.h"
#include "machine/sim_private.h"
#include "target/external.h"
#include "target/rtl_gpu.h"

enum gantry_status external_check(const struct gantry_cfg *cfg, const struct sim_options *o)
{
    const struct {
        bool is;
        const char *place, *why;
    } refused[] = {
        {o->external && o->model == SIM_GOLDEN, "--model",
         "a GPU that is simulated elsewhere is none of the golden model"},
        {o->external && cfg->system_rtl != CFG_SYSTEM_RTL_WHOLE, "system.rtl",
         "whole, when a GPU is simulated elsewhere"},
        {o->external && cfg->place_processes > 1, "place.processes", "1, when a GPU is simulated elsewhere"},
        {o->external && *cfg->place_boards, "place.boards", "not when a GPU is simulated elsewhere"},
        {o->external && cfg->system_gpus < 64 && o->external->gpus >> cfg->system_gpus, "system.gpus",
         "fewer than the GPUs that are simulated elsewhere"},
        {o->external && o->lockstep, "--lockstep", "not when a GPU is simulated elsewhere"},
        {o->external && o->wave, "--wave", "not when a GPU is simulated elsewhere"},
        {o->external && (o->only || o->both || o->record), "--record", "not when a GPU is simulated elsewhere"},
    };
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (!refused[i].is)
            continue;
        diag(refused[i].place, "%s", refused[i].why);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum gantry_status external_send(struct sim *sim, unsigned gpu, enum external_port port, unsigned lane, uint64_t cycle,
                                 const void *message)
{
    struct external_gpu *g = rtl_machine_external(sim->rtl, gpu);
    if (g == NULL) {
        diag(NULL, "gpu%u is not simulated elsewhere", gpu);
        return STATUS_USAGE;
    }
    const enum gantry_status status = external_put(g, port, lane, cycle, message, sim->sched.now);
    if (status == STATUS_OK && !sim->running)
        sched_wake(&sim->sched, rtl_machine_far(sim->rtl, gpu), cycle > sim->sched.now ? cycle : sim->sched.now);
    return status;
}

void external_wake(struct sim *sim, unsigned gpu)
{
    struct part *part = rtl_machine_far(sim->rtl, gpu);
    sched_wake(&sim->sched, part, sim->sched.now + PART_WINDOW);
}

uint64_t external_next(const struct sim *sim)
{
    return sim->sched.now;
}
