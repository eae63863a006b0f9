/* SPDX-License-Identifier: Apache-2.0
 * A saved state as a file: its magic and format, then one zstd frame with a check sum at its end.  It is written under
 * another name and gets its own when it is whole and on the disk: a file of this name is never half a state.  Read, it
 * is looked through to its end before anybody sees a byte of it.  Not responsible for: what the bytes mean
 * (checkpoint.h).
 */
#ifndef GANTRY_CHECKPOINT_FILE_H
#define GANTRY_CHECKPOINT_FILE_H
#include "base/status.h"
#include "saved/state.h"

struct checkpoint_out;
struct checkpoint_in;

/* NULL with a line on stderr. */
struct checkpoint_out *checkpoint_create(const char *path);
struct state_writer *checkpoint_writer(struct checkpoint_out *out);
/* Ends the file and frees *out.  STATUS_IO with a line on stderr (a full disk, say): then nothing is left of it, and
 * what had the name before still has it. */
enum gantry_status checkpoint_commit(struct checkpoint_out *out);

/* STATUS_MISSING, STATUS_IO, or STATUS_DATA for a file that is none of ours, of another format, cut off or damaged:
 * with a line on stderr. */
enum gantry_status checkpoint_open(const char *path, struct checkpoint_in **in);
struct state_reader *checkpoint_reader(struct checkpoint_in *in);
void checkpoint_close(struct checkpoint_in *in);
#endif
