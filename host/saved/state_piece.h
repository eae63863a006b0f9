/* SPDX-License-Identifier: Apache-2.0
 * A piece of a saved state with its length in front, so that a process that does not have what it is the state of
 * passes over it.  Not responsible for: which pieces there are, and in which order (its users).
 */
#ifndef GANTRY_STATE_PIECE_H
#define GANTRY_STATE_PIECE_H
#include "saved/state_io.h"

/* What was written to `piece`, which is empty then. */
void state_piece_put(struct state_writer *to, struct state_buffer *piece);
/* The next piece: `restore` reads it, all of it; NULL: nobody here has it, it is passed over.  False as in state.h. */
bool state_piece_get(struct state_reader *from, bool (*restore)(void *ctx, struct state_reader *from), void *ctx);
/* Appends what is in the next piece.  False when the bytes end: some of it may be there then. */
bool state_piece_append(struct state_reader *from, struct state_writer *to);
/* Passes over so many bytes.  False when they end. */
bool state_skip(struct state_reader *from, uint64_t count);
#endif
