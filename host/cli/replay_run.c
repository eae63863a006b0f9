/* SPDX-License-Identifier: Apache-2.0
 * Replaying a machine, by libgantry; contract in replay_run.h.
 */
#include "cli/replay_run.h"

#include <signal.h>
#include <stdio.h>

#include "cli/goal_options.h"
#include "lib/gantry.h"
#include "lib/replays.h"

static bool stop_asked(void *arg)
{
    (void)arg;
    return cli_stop != 0;
}

static void progress_note(void *arg)
{
    struct sim *sim = arg;

    if (!progress_due())
        return;
    struct progress_state state = {.kernel = "", .cycle = sim_now(sim), .instructions = sim_instructions(sim)};
    progress_show(&state);
}

/* Nothing differs: what has been compared. */
static void match_tell(const struct session *s, const struct summary *recorded, bool part)
{
    if (s->options.sim.only)
        fprintf(stderr, "gantry: replay: gpu%u: every message as recorded\n", s->options.sim.only - 1);
    else
        fprintf(stderr, "gantry: replay: every message%s as recorded\n",
                replay_counters_comparable(recorded, s->options.sim.lockstep, part) ? ", hash and counters"
                                                                                    : " and hash");
}

int replay_explain(const struct session *s, enum replay_end end)
{
    const int status = replay_outcome(end, &s->options.sim);

    return status == GANTRY_STOPPED ? stop_explain(s) : status_exit((enum gantry_status)status);
}

/* It cannot begin, or nobody waits any more: the exit status. */
static int refused(struct session *s, enum gantry_status status)
{
    struct summary summary = {.repeatable = true};

    if (!cli_stop)
        return status_exit(status);
    summary.exit_status = stop_explain(s);
    return session_report(s, &summary, NULL);
}

int replay_machine(struct session *s, const char *from)
{
    struct cli_options *o = &s->options;
    struct replaying r = {.replay = s->replay, .cfg = &s->config.cfg, .options = &o->sim, .from = from};
    struct summary summary = {.repeatable = true};

    o->sim.unwanted = stop_asked;
    enum gantry_status begun = replaying_begin(&r);
    if (begun == STATUS_OK && from)
        begun = goals_ahead(&o->goals, sim_now(replay_sim(s->replay)));
    if (begun != STATUS_OK)
        return refused(s, begun);
    struct sim *sim = replay_sim(s->replay);
    replaying_run(&r, &cli_stop, progress_note, sim);
    progress_end();
    if (r.end == REPLAY_STOPPED && cli_stop == SIGALRM)
        sim_where(sim);
    const int status = replaying_end(&r, &summary);
    summary.exit_status = status == GANTRY_STOPPED ? stop_explain(s) : status_exit((enum gantry_status)status);
    if (r.matches)
        match_tell(s, &summary, from != NULL);
    const int exit_status = session_report(s, &summary, sim);
    replaying_fini(&r);
    return exit_status;
}
