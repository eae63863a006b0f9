/* SPDX-License-Identifier: Apache-2.0
 * The one table of the options of `run`, `kernel`, `replay` and `restore`: what getopt_long reads and what --help
 * prints.
 */
#ifndef GANTRY_CLI_OPTION_TABLE_H
#define GANTRY_CLI_OPTION_TABLE_H
#include <getopt.h>
#include <stdio.h>

enum option_id {
    OPT_CONFIG = 'c',
    OPT_OUTPUT = 'o',
    OPT_QUIET = 'q',
    OPT_VERBOSE = 'v',
    OPT_MODEL = 256,
    OPT_LOCKSTEP,
    OPT_SET,
    OPT_SEED,
    OPT_WAVE,
    OPT_TRACE,
    OPT_MAX_CYCLES,
    OPT_MAX_SECONDS,
    OPT_PROGRESS,
    OPT_NO_SKIP,
    OPT_THREADS,
    OPT_GPU,
    OPT_GRID,
    OPT_GROUP,
    OPT_ARG,
    OPT_SCRIPT,
    OPT_RECORD,
    OPT_ONLY,
    OPT_CHECKPOINT,
    OPT_EXIT_AFTER,
    OPT_ROI
};

enum option_user { OPTION_RUN = 1, OPTION_KERNEL = 2, OPTION_REPLAY = 4, OPTION_RESTORE = 8 };
/* Of the command of that name; OPTION_RUN for another one. */
enum option_user option_user(const char *command);

#define OPTIONS_MOST 32

/* The long options of a command, ended by zeros. */
void option_longs(enum option_user user, struct option longs[OPTIONS_MOST]);
/* Their explanation, a line or two each. */
void option_help(FILE *out, enum option_user user);
#endif
