/* SPDX-License-Identifier: Apache-2.0
 * gantry replay: the RTL of a recorded run again, held against the recording.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/cli.h"
#include "cli/recording.h"
#include "machine/replay.h"

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

/* --only: a GPU (options.sim.only), or a partition (*part). */
static enum gantry_status only_read(struct session *s, int *part)
{
    const char *only = s->options.only;
    unsigned gpu, length = 0;

    *part = -1;
    if (!only)
        return STATUS_OK;
    if (sscanf(only, "gpu%u%n", &gpu, &length) == 1 && only[length] == 0 && gpu < s->config.cfg.system_gpus) {
        s->options.sim.only = gpu + 1;
        return STATUS_OK;
    }
    *part = replay_part(s->replay, only);
    if (*part >= 0 && s->options.record)
        diag("--record", "not of a single part");
    else if (*part < 0)
        diag("--only", "the recording keeps no messages of '%s'; gantry replay --record DIR,PART makes one that does",
             only);
    return *part >= 0 && !s->options.record ? STATUS_OK : STATUS_USAGE;
}

/* The figures of the end against those recorded; false with one line. */
static bool figures_compare(const struct session *s, const struct summary *recorded, struct sim *sim)
{
    uint64_t hash = summary_hash(recorded->rows, recorded->row_count, sim);

    if (hash != recorded->hash) {
        diag("replay", "hash=%016llx, recorded %016llx: what was written to host memory differs",
             (unsigned long long)hash, (unsigned long long)recorded->hash);
        return false;
    }
    if (s->options.sim.lockstep != recorded->lockstep)
        return true; /* counters of lock step are among them */
    uint64_t counters = summary_counters(sim);
    if (counters != recorded->counters)
        diag("replay", "every message as recorded, but counters=%016llx, recorded %016llx",
             (unsigned long long)counters, (unsigned long long)recorded->counters);
    return counters == recorded->counters;
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

static int end_explain(struct session *s, enum replay_end end)
{
    switch (end) {
    case REPLAY_ENDED:
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

static int machine_replay(struct session *s)
{
    struct cli_options *o = &s->options;
    struct summary summary = {.repeatable = true};

    if (!replay_start(s->replay, &s->config.cfg, &o->sim)) {
        if (!cli_stop)
            return status_exit(s->failure);
        summary.exit_status = stop_explain(s);
        return session_report(s, &summary, NULL);
    }
    struct sim *sim = replay_sim(s->replay);
    enum replay_end end = replay_run(s->replay, &cli_stop, progress_note, sim);
    progress_end();
    if (end == REPLAY_STOPPED && cli_stop == SIGALRM)
        sim_where(sim);
    summary.exit_status = end_explain(s, end);
    if (end == REPLAY_ENDED && !replay_whole(s->replay))
        diag(NULL, "the recording was cut off: replayed as far as it goes");
    if (end == REPLAY_ENDED && replay_whole(s->replay) && recording_result(s->replay, &summary) && !o->sim.only &&
        !figures_compare(s, &summary, sim))
        summary.exit_status = status_exit(STATUS_INTERNAL);
    if (!summary.rows)
        summary.cycles = sim_now(sim);
    struct kernel_row *rows = o->sim.only ? rows_of(&summary, o->sim.only - 1) : NULL;
    int exit_status = session_report(s, &summary, sim);
    free(rows);
    return exit_status;
}

static int part_replay(struct session *s, int part)
{
    uint64_t messages = 0;
    enum replay_end end = replay_run_part(s->replay, part, &s->config.cfg, &s->options.sim, &cli_stop, &messages);
    int exit_status = end_explain(s, end);

    if (end == REPLAY_ENDED)
        fprintf(stderr, "gantry: replay: %s: %llu messages out, all as recorded\n", s->options.only,
                (unsigned long long)messages);
    return exit_status;
}

int cmd_replay(int argc, char **argv)
{
    struct session s;
    enum gantry_status status = session_open(&s, "replay", argc, argv);
    int exit_status, part = -1;

    if (status == STATUS_OK)
        status = only_read(&s, &part);
    if (status == STATUS_OK)
        status = recording_begin(&s);
    s.options.sim.unwanted = stop_asked;
    exit_status = status != STATUS_OK ? status_exit(status) : part >= 0 ? part_replay(&s, part) : machine_replay(&s);
    session_close(&s);
    return exit_status;
}
