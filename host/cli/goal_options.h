/* SPDX-License-Identifier: Apache-2.0
 * --checkpoint, --exit-after, --roi: their values, what they need, and what is said at the end of a run that has not
 * got so far.
 */
#ifndef GANTRY_CLI_GOAL_OPTIONS_H
#define GANTRY_CLI_GOAL_OPTIONS_H
#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/goals.h"

struct cli_options;
struct session;

/* "kernel:N,DIR" or "cycle:C,DIR"; "kernel:N"; "kernel:A..B".  One line on failure. */
enum gantry_status checkpoint_read(const char *text, struct goals *goals);
enum gantry_status exit_after_read(const char *text, struct goals *goals);
enum gantry_status roi_read(const char *text, struct goals *goals);
/* A number that may end in K, M or G: thousands, as clocks are counted; at least 1. */
enum gantry_status count_read(const char *option, const char *text, uint64_t *value);
/* The goals suit the other options, and the folder can be made.  One line on failure. */
enum gantry_status goals_check(const struct cli_options *options);
/* They lie ahead of a run that begins at cycle `now`.  One line on failure. */
enum gantry_status goals_ahead(const struct goals *goals, uint64_t now);
/* Of a run that came to its end: the checkpoint was made.  One line on failure. */
enum gantry_status goals_reached(const struct goals *goals);
#endif
