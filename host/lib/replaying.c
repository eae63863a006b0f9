/* SPDX-License-Identifier: Apache-2.0
 * gantry_replay (gantry.h): a recorded run again, from its beginning to its end.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "lib/lib_private.h"
#include "lib/machine_options.h"
#include "lib/replays.h"
#include "metrics/metrics.h"

static void progress_note(void *arg)
{
    lib_unwanted(arg);
}

static int run(struct replaying *r, struct gantry_machine *m, struct gantry_summary *to)
{
    struct summary s = {.repeatable = true};
    const enum gantry_status begun = replaying_begin(r);
    if (begun != STATUS_OK)
        return m->stop ? GANTRY_STOPPED : (int)begun;
    replaying_run(r, &m->stop, progress_note, m);
    const int status = replaying_end(r, &s);
    struct sim *sim = replay_sim(r->replay);
    if (to && r->end == REPLAY_ENDED)
        *to = (struct gantry_summary){.gpus = m->cfg.system_gpus,
                                      .kernels = summary_kernels(&s),
                                      .cycles = s.cycles,
                                      .instructions = sim_instructions(sim),
                                      .hash = summary_hash(s.rows, s.row_count, sim),
                                      .data = s.data,
                                      .counters = summary_counters(sim),
                                      .now = sim_now(sim)};
    replaying_fini(r);
    return status;
}

/* m is none of the caller's: it has the handle, options and configuration of this replay. */
static int recording_replay(struct gantry_machine *m, const char *dir, const char *const *settings, unsigned count,
                            struct gantry_summary *summary)
{
    struct config config;
    struct replaying r = {.cfg = &m->cfg, .options = &m->options};
    config_init(&config);
    int status = replay_config(dir, settings, count, m->options.lockstep, &config, &r.replay);
    if (status == GANTRY_OK)
        status = config_finish(&config);
    m->cfg = config.cfg;
    m->options.seed = m->cfg.seed;
    if (status == GANTRY_OK)
        status = lib_config_check(m);
    if (status == GANTRY_OK)
        status = run(&r, m, summary);
    replay_free(r.replay);
    config_fini(&config);
    return status;
}

static bool settings_there(const char *const *settings, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (settings == NULL || settings[i] == NULL)
            return false;
    return true;
}

int gantry_replay(const char *dir, const char *const *settings, unsigned setting_count,
                  const struct gantry_options *options, struct gantry_summary *summary, struct gantry_error *error)
{
    struct call call;
    struct gantry_machine *m = xzalloc(sizeof *m);
    call_plain(&call, &m->handle, "gantry_replay", error);
    int status = dir && settings_there(settings, setting_count) ? lib_options_take(m, options, &call)
                                                                : call_refuse(&call, "no folder, or no settings");
    m->failure = STATUS_IO;
    m->options.failure = &m->failure;
    if (status == GANTRY_OK && (m->options.model != SIM_RTL || m->options.external))
        status = call_refuse(&call, "options: a replay is one of the RTL");
    if (status == GANTRY_OK)
        status = recording_replay(m, dir, settings, setting_count, summary);
    status = call_end(&call, status);
    handle_fini(&m->handle);
    free(m);
    return status;
}
