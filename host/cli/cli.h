/* SPDX-License-Identifier: Apache-2.0
 * The commands of gantry; each takes its own arguments (argv[0] is the command's name) and returns the exit status.
 */
#ifndef GANTRY_CLI_H
#define GANTRY_CLI_H

int cmd_run(int argc, char **argv);
int cmd_kernel(int argc, char **argv);
int cmd_config(int argc, char **argv);

#endif
