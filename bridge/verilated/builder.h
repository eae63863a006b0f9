/* SPDX-License-Identifier: Apache-2.0
 * The process that looks up or builds the models (sw/tools/builder/models.py): started, listened to, and ended as soon
 * as nobody wants its answer.  It never outlives the simulator.  Not responsible for: its arguments and its answer
 * (library.c).
 */
#ifndef GANTRY_BUILDER_H
#define GANTRY_BUILDER_H
#include <stdbool.h>

#include "base/status.h"

/* Run `words` (NULL at the end) and wait for its end.  Returns its standard output as a new string; NULL when it failed
 * (it said why; *failure is its class) or was ended because `unwanted` returned true.  That is asked before the start,
 * at each signal, and ten times a second; it may be NULL. */
char *builder_run(char *const *words, bool (*unwanted)(void *arg), void *arg, enum gantry_status *failure);
#endif
