/* SPDX-License-Identifier: Apache-2.0
 * A replay of a machine, for `gantry replay` and `gantry restore`: run, comparison, table and final line.
 */
#ifndef GANTRY_CLI_REPLAY_RUN_H
#define GANTRY_CLI_REPLAY_RUN_H
#include "cli/options.h"
#include "record/replay.h"

/* The machine of session->replay, from the beginning or from the checkpoint in folder `from`; the exit status. */
int replay_machine(struct session *session, const char *from);
/* Exit status of such an end, with its line where none was printed. */
int replay_explain(const struct session *session, enum replay_end end);
#endif
