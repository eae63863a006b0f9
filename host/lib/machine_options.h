/* SPDX-License-Identifier: Apache-2.0
 * The options of gantry.h as a machine has them, and what is refused of them and of the configuration.
 */
#ifndef GANTRY_LIB_OPTIONS_H
#define GANTRY_LIB_OPTIONS_H
#include <stdbool.h>

struct call;
struct gantry_machine;
struct gantry_options;

/* Into m->told, m->options, m->watch and the handle's lines; options may be NULL.  GANTRY_USAGE with one line. */
int lib_options_take(struct gantry_machine *m, const struct gantry_options *options, struct call *call);
/* What the command refuses (host/cli/session.c), with its lines, and what is not for other programs; m->cfg is there.
 */
int lib_config_check(const struct gantry_machine *m);
/* The caller does not wait any more (arg: the machine); asked until it says so. */
bool lib_unwanted(void *arg);
#endif
