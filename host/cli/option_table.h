/* SPDX-License-Identifier: Apache-2.0
 * The one table of the options of all commands: what getopt_long reads, what --help prints, and what is said of an
 * option that a command does not have.
 */
#ifndef GANTRY_CLI_OPTION_TABLE_H
#define GANTRY_CLI_OPTION_TABLE_H
#include <getopt.h>
#include <stdio.h>

#include "base/status.h"

enum option_id {
    OPT_CONFIG = 'c',
    OPT_HELP = 'h',
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
    OPT_ROI,
    OPT_VERSION,
    OPT_LIST,
    OPT_GET,
    OPT_JSON,
    OPT_NAMES,
    OPT_SV,
    OPT_ECHO
};

enum option_user {
    OPTION_RUN = 1,
    OPTION_KERNEL = 2,
    OPTION_REPLAY = 4,
    OPTION_RESTORE = 8,
    OPTION_CONFIG = 16,
    OPTION_CUDA_PATH = 32,
    OPTION_BOARDS = 64
};
/* Of the command of that name, which is one. */
enum option_user option_user(const char *command);

#define OPTIONS_MOST 48

/* The long options of a command, ended by zeros. */
void option_longs(enum option_user user, struct option longs[OPTIONS_MOST]);
/* The short ones, as getopt_long takes them. */
const char *option_shorts(enum option_user user);
/* OPT_HELP or OPT_VERSION when one of them stands anywhere among the options of the command argv[0], before any that
 * is wrong; else 0. */
int option_asked(int argc, char *const *argv);
/* One line about what getopt_long has just refused with c, '?' or ':'; STATUS_USAGE. */
enum gantry_status option_refused(const char *command, int c, char *const *argv);
/* A file's or folder's name as the value of an option: STATUS_USAGE with one line when it is empty or begins with '-',
 * as where the value was forgotten. */
enum gantry_status option_name_check(const char *option, const char *text);
/* Their explanation, a line or two each. */
void option_help(FILE *out, enum option_user user);
#endif
