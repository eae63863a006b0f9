/* SPDX-License-Identifier: Apache-2.0
 * Options of the library; contract in machine_options.h.
 */
#include "lib/machine_options.h"

#include <string.h>

#include "bridge/run/thread_team.h"
#include "lib/gpu_model.h"
#include "lib/lib_private.h"

bool lib_unwanted(void *arg)
{
    struct gantry_machine *m = arg;
    if (!m->stop && m->told.unwanted && m->told.unwanted(m->told.ctx))
        m->stop = 1;
    return m->stop != 0;
}

static void watch_unwanted(void *arg, struct machine *machine)
{
    (void)machine;
    lib_unwanted(arg);
}

/* ---- options of the caller */
/* Those of a library as old as the caller's header; false: `size` is none. */
static bool options_copy(void *to, size_t room, const void *from, size_t least)
{
    size_t size = room;
    if (from)
        memcpy(&size, from, sizeof size);
    if (size < least || size > room)
        return false;
    memset(to, 0, room);
    if (from)
        memcpy(to, from, size);
    return true;
}

int lib_options_take(struct gantry_machine *m, const struct gantry_options *options, struct call *call)
{
    if (!options_copy(&m->told, sizeof m->told, options, sizeof m->told.size))
        return call_refuse(call, "options: size is none that this library knows");
    const struct gantry_options *o = &m->told;
    if (o->model != GANTRY_RTL && o->model != GANTRY_GOLDEN)
        return call_refuse(call, "options: no such model");
    if (o->threads > TEAM_MOST)
        return call_refuse(call, "options: more threads than a machine can have");
    m->handle.lines.line = o->line;
    m->handle.lines.bug = o->bug;
    m->handle.lines.ctx = o->ctx;
    m->options = (struct sim_options){.model = o->model == GANTRY_GOLDEN ? SIM_GOLDEN : SIM_RTL,
                                      .lockstep = o->lockstep != 0,
                                      .max_cycles = o->max_cycles,
                                      .threads = o->threads,
                                      .unwanted = lib_unwanted,
                                      .unwanted_arg = m};
    m->watch = (struct local_watch){.progress = watch_unwanted, .arg = m, .stop = &m->stop};
    if (o->gpu_model == NULL)
        return GANTRY_OK;
    if (!options_copy(&m->gpu_model, sizeof m->gpu_model, o->gpu_model, sizeof m->gpu_model) || !m->gpu_model.take)
        return call_refuse(call, "options: gpu_model: its size is none that this library knows, or it takes nothing");
    gpu_model_open(m);
    return GANTRY_OK;
}

int lib_config_check(const struct gantry_machine *m)
{
    const struct gantry_cfg *cfg = &m->cfg;
    if (m->told.gpu >= cfg->system_gpus) {
        diag("--gpu", "%u: the machine has %u GPU%s", m->told.gpu, cfg->system_gpus, cfg->system_gpus > 1 ? "s" : "");
        return GANTRY_USAGE;
    }
    if (cfg->check_hazards && m->options.model == SIM_RTL) {
        diag("check.hazards", "only with --model golden, which finds them");
        return GANTRY_USAGE;
    }
    if (cfg->check_lds && m->options.model == SIM_RTL && !m->options.lockstep) {
        diag("check.lds", "only with --model golden or --lockstep, which find them");
        return GANTRY_USAGE;
    }
    if (m->options.lockstep && m->options.model == SIM_GOLDEN) {
        diag("--lockstep", "compares the RTL with the golden model: not with --model golden");
        return GANTRY_USAGE;
    }
    if (cfg->place_processes > 1 || *cfg->place_boards) {
        diag(cfg->place_processes > 1 ? "place.processes" : "place.boards",
             "not inside of another program: these are processes of the command");
        return GANTRY_USAGE;
    }
    return GANTRY_OK;
}
