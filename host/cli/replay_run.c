/* SPDX-License-Identifier: Apache-2.0
 * Replaying a machine; contract in replay_run.h.
 */
#include "cli/replay_run.h"

#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/goal_options.h"
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

/* Of the kernel table those of one GPU; new. */
static struct kernel_row *rows_of(struct summary *summary, unsigned gpu)
{
    struct kernel_row *rows = xcalloc(summary->row_count + 1, sizeof(*rows));
    unsigned count = 0;

    for (unsigned i = 0; i < summary->row_count; i++)
        if (summary->rows[i].gpu == gpu)
            rows[count++] = summary->rows[i];
    summary->rows = rows;
    summary->row_count = count;
    return rows;
}

int replay_explain(const struct session *s, enum replay_end end)
{
    switch (end) {
    case REPLAY_ENDED:
    case REPLAY_EXIT_AFTER:
        return 0;
    case REPLAY_DIFFERS:
        return status_exit(STATUS_INTERNAL);
    case REPLAY_STOPPED:
        return stop_explain(s);
    case REPLAY_MAX_CYCLES:
        diag("--max-cycles", "stopped after %llu target cycles", (unsigned long long)s->options.sim.max_cycles);
        break;
    case REPLAY_FAILED:
        return status_exit(s->failure);
    }
    return status_exit(STATUS_NO_PROGRESS);
}

/* Make the machine and bring it to where it begins.  False: *status, with its line, is the end. */
static bool machine_begin(struct session *s, const char *from, enum gantry_status *status)
{
    *status = STATUS_OK;
    if (!replay_start(s->replay, &s->config.cfg, &s->options.sim))
        *status = s->failure;
    else if (from)
        *status = replay_restore(s->replay, from);
    if (*status == STATUS_OK && from)
        *status = goals_ahead(&s->options.goals, sim_now(replay_sim(s->replay)));
    return *status == STATUS_OK;
}

/* What is known of kernels when the run is over: of one that ended early those that had ended by then.  New, or NULL.
 */
static struct kernel_row *rows_find(struct session *s, enum replay_end end, uint64_t before, struct summary *summary)
{
    struct kernel_row *rows = replay_recorded(s->replay, summary);
    if (!rows)
        return NULL;
    summary->rows_before = (unsigned)before;
    if (end != REPLAY_EXIT_AFTER)
        return rows;
    summary->complete = false;
    summary->cycles = summary->data = 0; /* those recorded are of its end */
    if (replay_kernels(s->replay) < summary->row_count)
        summary->row_count = (unsigned)replay_kernels(s->replay);
    return rows;
}

int replay_machine(struct session *s, const char *from)
{
    struct cli_options *o = &s->options;
    struct summary summary = {.repeatable = true};
    enum gantry_status status;

    o->sim.unwanted = stop_asked;
    if (!machine_begin(s, from, &status)) {
        if (!cli_stop)
            return status_exit(status);
        summary.exit_status = stop_explain(s);
        return session_report(s, &summary, NULL);
    }
    struct sim *sim = replay_sim(s->replay);
    uint64_t before = replay_kernels(s->replay);
    enum replay_end end = replay_run(s->replay, &cli_stop, progress_note, sim);
    bool whole = replay_whole(s->replay);
    struct kernel_row *recorded = NULL;
    progress_end();
    if (end == REPLAY_STOPPED && cli_stop == SIGALRM)
        sim_where(sim);
    if (end == REPLAY_ENDED && !whole)
        diag(NULL, "the recording was cut off: replayed as far as it goes");
    if ((end == REPLAY_ENDED || end == REPLAY_EXIT_AFTER) && whole)
        recorded = rows_find(s, end, before, &summary);
    summary.exit_status = replay_explain(s, end);
    if (end == REPLAY_ENDED && summary.rows && !o->sim.only &&
        !replay_compare(&summary, sim, o->sim.lockstep, from != NULL))
        summary.exit_status = status_exit(STATUS_INTERNAL);
    else if (end == REPLAY_ENDED && summary.rows && sim_lost(sim) == STATUS_OK)
        match_tell(s, &summary, from != NULL);
    if (!summary.cycles)
        summary.cycles = sim_now(sim);
    struct kernel_row *rows = o->sim.only ? rows_of(&summary, o->sim.only - 1) : NULL;
    int exit_status = session_report(s, &summary, sim);
    free(rows);
    free(recorded);
    return exit_status;
}
