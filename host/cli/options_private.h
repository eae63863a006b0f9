/* SPDX-License-Identifier: Apache-2.0
 * Between options.c and session.c.
 */
#ifndef GANTRY_CLI_OPTIONS_PRIVATE_H
#define GANTRY_CLI_OPTIONS_PRIVATE_H
#include "cli/options.h"

/* argv[0] is the command's name; o->command is set. */
enum gantry_status options_read(struct cli_options *o, struct config *config, int argc, char **argv);
#endif
