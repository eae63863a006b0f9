/* SPDX-License-Identifier: Apache-2.0
 * gantry_replay (gantry.h): a recorded run again, from its beginning to its end.
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "lib/lib_private.h"
#include "lib/options.h"
#include "lib/replays.h"
#include "machine/replay.h"
#include "metrics/metrics.h"

/* A replay under way, as the machine whose options it has. */
struct replaying {
    struct gantry_machine machine; /* handle, options, told; nothing else of it is used */
    struct config config;
    struct replay *replay;
};

static void progress_note(void *arg)
{
    lib_unwanted(arg);
}

static int ended(struct replaying *r, enum replay_end end)
{
    switch (end) {
    case REPLAY_ENDED:
    case REPLAY_EXIT_AFTER:
        return GANTRY_OK;
    case REPLAY_DIFFERS:
        return GANTRY_INTERNAL;
    case REPLAY_STOPPED:
        return GANTRY_STOPPED;
    case REPLAY_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles", (unsigned long long)r->machine.options.max_cycles);
        return GANTRY_NO_PROGRESS;
    case REPLAY_FAILED:
        return (int)r->machine.failure;
    }
    return GANTRY_INTERNAL;
}

/* Of the end of the replay, with the recorded kernel table. */
static int figures(struct replaying *r, struct gantry_summary *to)
{
    struct sim *sim = replay_sim(r->replay);
    struct summary s = {.repeatable = true};
    struct kernel_row *rows = replay_whole(r->replay) ? replay_recorded(r->replay, &s) : NULL;
    int status = GANTRY_OK;
    if (rows == NULL)
        diag(NULL, "the recording was cut off: replayed as far as it goes");
    else if (!replay_compare(&s, sim, r->machine.options.lockstep, false))
        status = GANTRY_INTERNAL;
    if (to)
        *to = (struct gantry_summary){.gpus = r->config.cfg.system_gpus,
                                      .kernels = summary_kernels(&s),
                                      .cycles = s.cycles ? s.cycles : sim_now(sim),
                                      .instructions = sim_instructions(sim),
                                      .hash = summary_hash(s.rows, s.row_count, sim),
                                      .data = s.data,
                                      .counters = summary_counters(sim),
                                      .now = sim_now(sim)};
    free(rows);
    return status;
}

static int run(struct replaying *r, const char *dir, const char *const *settings, unsigned count,
               struct gantry_summary *summary)
{
    struct gantry_machine *m = &r->machine;
    enum gantry_status status = replay_config(dir, &r->config, &r->replay);
    for (unsigned i = 0; i < count && status == STATUS_OK; i++)
        status = replay_may_set(settings[i] ? settings[i] : "") ? config_set(&r->config, "--set", settings[i])
                                                                : STATUS_USAGE;
    /* checks that a live run made may need what this one does not have */
    r->config.cfg.check_lds = r->config.cfg.check_lds && m->options.lockstep;
    if (status == STATUS_OK)
        status = config_finish(&r->config);
    if (status != STATUS_OK)
        return status;
    m->cfg = r->config.cfg;
    int checked = lib_config_check(m);
    if (checked != GANTRY_OK)
        return checked;
    m->options.seed = m->cfg.seed;
    if (!replay_start(r->replay, &r->config.cfg, &m->options))
        return m->stop ? GANTRY_STOPPED : (int)m->failure;
    const enum replay_end end = replay_run(r->replay, &m->stop, progress_note, m);
    checked = ended(r, end);
    return end == REPLAY_ENDED ? figures(r, summary) : checked;
}

int gantry_replay(const char *dir, const char *const *settings, unsigned setting_count,
                  const struct gantry_options *options, struct gantry_summary *summary, struct gantry_error *error)
{
    struct call call;
    struct replaying *r = xzalloc(sizeof *r);
    struct gantry_machine *m = &r->machine;
    call_plain(&call, &m->handle, "gantry_replay", error);
    config_init(&r->config);
    int status = dir && (settings || setting_count == 0) ? lib_options_take(m, options, &call)
                                                         : call_refuse(&call, "no folder, or no settings");
    m->failure = STATUS_IO;
    m->options.failure = &m->failure;
    if (status == GANTRY_OK && (m->options.model != SIM_RTL || m->options.external))
        status = call_refuse(&call, "options: a replay is one of the RTL");
    if (status == GANTRY_OK)
        status = run(r, dir, settings, setting_count, summary);
    replay_free(r->replay);
    config_fini(&r->config);
    status = call_end(&call, status);
    handle_fini(&m->handle);
    free(r);
    return status;
}
