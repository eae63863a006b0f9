/* SPDX-License-Identifier: Apache-2.0
 * The state of a channel: what is under way in it, and what decides the stamps of the next messages.  Not responsible
 * for: what a channel is by its declaration (id, width, latency, depth, bandwidth), which the restored one has already.
 */
#ifndef GANTRY_CHANNEL_SAVE_H
#define GANTRY_CHANNEL_SAVE_H
#include "bridge/link/channel.h"
#include "saved/state.h"

/* What a channel is, as bytes: equal for the channels of equal graphs. */
void channel_describe(const struct channel *c, struct state_writer *to);
void channel_save(const struct channel *c, struct state_writer *to);
/* The same in two halves, for a channel whose ends are in two processes: what decides the next stamps and how many were
 * sent, at the sending end; then the messages at hand, at the receiving end. */
void channel_save_sender(const struct channel *c, struct state_writer *to);
void channel_save_receiver(const struct channel *c, struct state_writer *to);
/* Into a channel of the same description, whatever it holds.  False: the bytes end, or cannot be of such a channel. */
bool channel_restore(struct channel *c, struct state_reader *from);
/* The same at the sending end of a link (channel_init_end without a ring): what decides the next stamps; *count: of
 * the messages under way, which are at the other end. */
bool channel_restore_sender(struct channel *c, struct state_reader *from, uint64_t *count);
#endif
