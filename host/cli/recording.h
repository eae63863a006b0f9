/* SPDX-License-Identifier: Apache-2.0
 * What the command itself puts into a recording (--record): configuration, command, figures and kernel table of the
 * end. Who finds it there: host/lib/replays.h.
 */
#ifndef GANTRY_CLI_RECORDING_H
#define GANTRY_CLI_RECORDING_H
#include "cli/options.h"

/* Begin the recording that o->record asks for, if any: folder, names of parts checked.  One line on failure. */
enum gantry_status recording_begin(struct session *session);
/* Its end: with the figures of `summary`, NULL when nothing ran.  STATUS_IO when some of it was lost. */
enum gantry_status recording_end(struct session *session, const struct summary *summary);
#endif
