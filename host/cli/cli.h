/* SPDX-License-Identifier: Apache-2.0
 * The commands of gantry; each takes its own arguments (argv[0] is the command's name) and returns the exit status.
 */
#ifndef GANTRY_CLI_H
#define GANTRY_CLI_H
#include <stdbool.h>
#include <stdio.h>

int cmd_run(int argc, char **argv);
int cmd_kernel(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_restore(int argc, char **argv);
int cmd_config(int argc, char **argv);
int cmd_cuda_path(int argc, char **argv);
int cmd_boards(int argc, char **argv);

/* --help, -h */
bool help_asked(const char *word);
/* How a command is used; NULL or an unknown one: which there are. */
void help_print(FILE *out, const char *command);

#endif
