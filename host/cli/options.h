/* SPDX-License-Identifier: Apache-2.0
 * Options shared by `gantry run`, `kernel`, `replay` and `restore`, the resolved configuration, and the session
 * around a run: result folder, signals, progress, table and final line. Not responsible for: what is run (cmd_run.c,
 * cmd_kernel.c, cmd_replay.c, cmd_restore.c).
 */
#ifndef GANTRY_CLI_OPTIONS_H
#define GANTRY_CLI_OPTIONS_H
#include "base/status.h"
#include "base/words.h"
#include "config/config.h"
#include "lib/kernel_args.h"
#include "machine/goals.h"
#include "machine/sim.h"
#include "metrics/metrics.h"
#include "metrics/progress.h"

#define CLI_ARGS_MAX KERNEL_ARGS_MAX

struct cli_options {
    const char *command;    /* "run", "kernel", "replay", "restore": for messages */
    const char *file;       /* -c; demo when it was left out */
    const char *output;     /* -o or NULL */
    const char *record;     /* DIR[,PART...] or NULL */
    const char *only;       /* replay: a GPU or a part, or NULL */
    struct words placement; /* replay, restore: KEY=VALUE of --set, for when the configuration is known */
    struct sim_options sim;
    struct goals goals; /* sim.goals points here */
    enum progress_mode progress;
    bool quiet;
    unsigned verbose;
    unsigned max_seconds; /* 0: none */
    /* kernel only */
    unsigned gpu;
    struct kernel_shape shape;
    const char *script; /* or NULL */
    bool list;          /* kernels of the file, instead of a launch */
    const char *args[CLI_ARGS_MAX];
    unsigned arg_count;
    int first; /* index in argv of the first word that is no option */
};

/* "X[,Y[,Z]]", each 1..limit; missing ones are 1.  option: for messages. */
enum gantry_status cli_dims_read(const char *option, const char *text, uint32_t limit, uint32_t dims[3],
                                 unsigned *count);

struct machine;
struct replay;

struct session {
    struct cli_options options;
    struct config config;
    struct results *results;
    struct words parts;         /* of --record: its folder, then names */
    struct replay *replay;      /* of `gantry replay` and `restore`, else NULL */
    enum gantry_status failure; /* of what the machine could not be made with, or, when reported, could not end with */
    bool reported;              /* session_report has been called */
    const char **argv;          /* as typed, for run.json: getopt reorders the original */
};

/* Number of the signal that asks to end, 0 so far. */
extern volatile int cli_stop;

/* GPUs of the sessions of this thread that somebody else simulates (target/external.h), whole ones; NULL: none. */
struct external;
extern _Thread_local const struct external *cli_external;

/* Read options and configuration, open the result folder, catch signals.  On failure one line was printed;
 * session_close is to be called in any case. */
enum gantry_status session_open(struct session *session, const char *command, int argc, char **argv);
/* Draw the progress line when it is due; kernel: name of the one that runs, NULL: ask the machine. */
void session_progress(struct machine *machine, const char *kernel, unsigned kernels);
/* Table, final line, result folder; returns the exit status: exit_status of the summary, or that of a lost file. */
int session_report(struct session *session, struct summary *summary, struct sim *sim);
/* Behind the end of the machine: returns exit_status, or the class of what went wrong there when it is 0. */
int session_close(struct session *session, int exit_status);

/* Exit status of a run that ended without the program's own status. */
int exit_of_signal(int number);
/* One line about cli_stop, which is SIGALRM when --max-seconds are over; the exit status. */
int stop_explain(const struct session *session);
#endif
