/* SPDX-License-Identifier: Apache-2.0
 * What the command itself puts into a recording (--record) and finds there (`gantry replay`): configuration, command,
 * figures and kernel table of the end.
 */
#ifndef GANTRY_CLI_RECORDING_H
#define GANTRY_CLI_RECORDING_H
#include "cli/options.h"

struct replay;

/* Begin the recording that o->record asks for, if any: folder, names of parts checked.  One line on failure. */
enum gantry_status recording_begin(struct session *session);
/* Its end: with the figures of `summary`, NULL when nothing ran.  STATUS_IO when some of it was lost. */
enum gantry_status recording_end(struct session *session, const struct summary *summary);

/* Open the recording in folder dir as session->replay and take its configuration. */
enum gantry_status recording_open(struct session *session, const char *dir);
/* Fill in what only the recorded run could know: kernel table, its cycles, data.  The rows, new; NULL: it was cut off
 * before, or is damaged. */
struct kernel_row *recording_result(const struct replay *replay, struct summary *summary);
#endif
