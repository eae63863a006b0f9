/* SPDX-License-Identifier: Apache-2.0
 * What is around every run: signals, result folder, log level, table and final line.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "cli/goal_options.h"
#include "cli/options_private.h"
#include "cli/recording.h"
#include "lib/replays.h"
#include "migrate/ledger.h"
#include "observe/wave.h"
#include "place/boards_check.h"
#include "record/replay.h"
#include "system/machine.h"

volatile int cli_stop;

static void signal_note(int number)
{
    cli_stop = number;
}

/* The first signal asks to end; the second one of a kind ends at once. */
static void signals_catch(void)
{
    struct sigaction action = {.sa_handler = signal_note, .sa_flags = (int)SA_RESETHAND};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

#define SECONDS_MORE 30 /* after --max-seconds, until a run that still has not ended is killed */

static void time_over(int number)
{
    cli_stop = number;
    alarm(SECONDS_MORE); /* which this handler does not catch again */
}

static void time_limit(unsigned seconds)
{
    struct sigaction action = {.sa_handler = time_over, .sa_flags = (int)SA_RESETHAND};

    if (seconds && sigaction(SIGALRM, &action, NULL) == 0)
        alarm(seconds);
}

int stop_explain(const struct session *s)
{
    if (cli_stop != SIGALRM) {
        diag(NULL, "ended by signal %d", cli_stop);
        return exit_of_signal(cli_stop);
    }
    diag("--max-seconds", "stopped after %u seconds", s->options.max_seconds);
    return status_exit(STATUS_NO_PROGRESS);
}

int exit_of_signal(int number)
{
    return 128 + number;
}

/* A replay's folder, and with it the configuration. */
static enum gantry_status replay_begin(struct session *s, int argc, char **argv)
{
    const struct cli_options *o = &s->options;

    if (o->first != argc - 1) {
        if (o->first < argc)
            diag(o->command, "unexpected argument %s", argv[o->first + 1]);
        else
            diag(o->command, "no %s: gantry %s [options] DIR",
                 strcmp(o->command, "replay") == 0 ? "recording" : "checkpoint", o->command);
        return STATUS_USAGE;
    }
    return replay_config(argv[o->first], (const char *const *)o->placement.list, o->placement.count, o->sim.lockstep,
                         &s->config, &s->replay);
}

_Thread_local const struct external *cli_external;

enum gantry_status session_open(struct session *s, const char *command, int argc, char **argv)
{
    struct cli_options *o = &s->options;
    enum gantry_status status;

    memset(s, 0, sizeof(*s));
    s->argv = xcalloc((size_t)argc + 2, sizeof(*s->argv));
    s->argv[0] = "gantry";
    for (int i = 0; i < argc; i++)
        s->argv[i + 1] = argv[i];
    o->command = command;
    s->failure = STATUS_IO; /* what the host does not give: memory, processes, threads; others say so themselves */
    o->sim.failure = &s->failure;
    o->sim.goals = &o->goals;
    o->sim.own_heap = true;
    config_init(&s->config);
    status = options_read(o, &s->config, argc, argv);
    if (status == STATUS_OK && (strcmp(command, "replay") == 0 || strcmp(command, "restore") == 0))
        status = replay_begin(s, argc, argv);
    if (status == STATUS_OK)
        status = config_finish(&s->config);
    if (status != STATUS_OK)
        return status;
    o->sim.external = cli_external;
    if (cli_external)
        s->config.cfg.system_rtl = CFG_SYSTEM_RTL_WHOLE;
    o->sim.seed = s->config.cfg.seed;
    if (strcmp(command, "kernel") == 0 && o->gpu >= s->config.cfg.system_gpus) {
        diag("--gpu", "%u: the machine has %u GPU%s", o->gpu, s->config.cfg.system_gpus,
             s->config.cfg.system_gpus > 1 ? "s" : "");
        return STATUS_USAGE;
    }
    if (o->only && s->config.cfg.place_processes > 1) {
        diag("--only", "not with place.processes above 1");
        return STATUS_USAGE;
    }
    if (o->sim.wave && o->sim.model == SIM_GOLDEN) {
        diag("--wave", "the golden model has no signals");
        return STATUS_USAGE;
    }
    if (o->sim.wave && !wave_check(&s->config.cfg, o->sim.wave))
        return STATUS_USAGE;
    status = boards_check(&s->config.cfg, &o->sim);
    if (status != STATUS_OK)
        return status;
    if (*s->config.cfg.place_boards && o->only) {
        diag("--only", "not with place.boards");
        return STATUS_USAGE;
    }
    if (*s->config.cfg.place_boards && strcmp(command, "restore") == 0) {
        diag("place.boards", "a state cannot be restored into a board: gantry replay begins at cycle 0");
        return STATUS_USAGE;
    }
    if (s->config.cfg.check_hazards && o->sim.model == SIM_RTL) {
        diag("check.hazards", "only with --model golden, which finds them");
        return STATUS_USAGE;
    }
    if (s->config.cfg.check_lds && o->sim.model == SIM_RTL && !o->sim.lockstep) {
        diag("check.lds", "only with --model golden or --lockstep, which find them");
        return STATUS_USAGE;
    }
    log_set_level(o->verbose >= 2 ? LOG_LEVEL_DEBUG : o->verbose ? LOG_LEVEL_INFO : LOG_LEVEL_WARN);
    if (o->output) {
        status = results_open(o->output, &s->results);
        if (status != STATUS_OK)
            return status;
        log_set_file(results_log(s->results));
    }
    o->sim.wave_dir = o->output ? o->output : ".";
    if (o->sim.wave && access(o->sim.wave_dir, W_OK | X_OK) != 0) {
        diag(o->sim.wave_dir, "%s", strerror(errno));
        return STATUS_IO;
    }
    signals_catch();
    time_limit(o->max_seconds);
    progress_start(o->quiet ? PROGRESS_NEVER : o->progress, o->sim.max_cycles);
    return STATUS_OK;
}

static void compared_find(void *arg, const char *location, const char *name, uint64_t value, const char *unit)
{
    (void)unit;
    if (strcmp(name, "compared") == 0 && strstr(location, "lockstep"))
        *(uint64_t *)arg += value;
}

void session_progress(struct machine *machine, const char *kernel, unsigned kernels)
{
    struct sim *sim = machine_sim(machine);
    struct cp_progress at;
    struct progress_state state = {.kernels = kernels};

    if (!progress_due())
        return;
    machine_progress(machine, &at);
    state.kernel = kernel && *at.kernel ? kernel : at.kernel;
    state.groups_done = at.done;
    state.groups = at.total;
    state.cycle = machine_now(machine);
    state.instructions = sim ? sim_instructions(sim) : 0;
    progress_show(&state);
}

/* Columns of the terminal that stderr is, 0 when it is none. */
static int terminal_width(void)
{
    struct winsize size;

    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* A success without the checkpoint that was asked for is none. */
static void goals_tell(struct session *s, struct summary *summary)
{
    const struct goals *goals = &s->options.goals;
    bool over = summary->complete || goals_ended(goals);
    enum gantry_status status = over ? goals_reached(goals) : goals->failure;

    if (status != STATUS_OK && summary->exit_status == 0)
        summary->exit_status = status_exit(status);
}

int session_report(struct session *s, struct summary *summary, struct sim *sim)
{
    enum gantry_status status = STATUS_OK;

    progress_end();
    if (sim)
        sim_over(sim);
    log_left_out();
    goals_tell(s, summary);
    summary->argv = s->argv;
    summary->cfg = &s->config.cfg;
    summary->model = s->options.sim.model == SIM_GOLDEN ? "golden" : "rtl";
    summary->lockstep = s->options.sim.lockstep;
    summary->instructions = sim ? sim_instructions(sim) : 0;
    summary->hash = summary_hash(summary->rows, summary->row_count, sim);
    summary->counters = summary_counters(sim);
    summary->now = sim && s->options.sim.model == SIM_RTL ? sim_now(sim) : 0;
    summary->cpu_s = cpu_seconds() + (sim ? sim_cpu_seconds(sim) : 0);
    if (summary->lockstep && sim)
        sim_counters(sim, compared_find, &summary->compared);
    if (!s->options.quiet)
        table_print(stderr, summary->rows + summary->rows_before, summary->row_count - summary->rows_before,
                    terminal_width());
    if (!s->options.quiet && sim)
        boards_print(stderr, sim);
    if (s->results) {
        status = results_write(s->results, summary, sim);
        if (results_close(s->results) != STATUS_OK && status == STATUS_OK)
            status = STATUS_IO;
        s->results = NULL;
    }
    if (s->options.sim.record && recording_end(s, summary) != STATUS_OK && status == STATUS_OK)
        status = STATUS_IO;
    if (summary->lockstep)
        fprintf(stderr, "gantry: lockstep compared=%llu retired=%llu\n", (unsigned long long)summary->compared,
                (unsigned long long)summary->instructions);
    if (summary->ledger)
        ledger_print(stderr, summary->ledger);
    line_print(stderr, summary);
    if (sim && status == STATUS_OK && summary->exit_status == 0)
        status = sim_lost(sim); /* in one of these last questions: lock step in a worker */
    s->failure = STATUS_OK;
    s->reported = true;
    return status == STATUS_OK ? summary->exit_status : status_exit(status);
}

int session_close(struct session *s, int exit_status)
{
    progress_end();
    log_left_out();
    results_close(s->results);
    s->results = NULL;
    recording_end(s, NULL);
    replay_free(s->replay);
    words_fini(&s->parts);
    words_fini(&s->options.placement);
    config_fini(&s->config);
    free(s->argv);
    s->argv = NULL;
    return exit_status == 0 && s->reported ? status_exit(s->failure) : exit_status;
}
