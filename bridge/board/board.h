/* SPDX-License-Identifier: Apache-2.0
 * A partition on a board (docs/reference/board.md) as the model of an RTL partition: one exchange a visit.  Ports and
 * counters are those of the kind's plain library.  Whatever a board says is checked: what cannot be ends its use.
 * Responsible for: records, what the board must be, figures.  Not responsible for: frames (bridge/stream/stream.h), the
 * cable (usb.h), the process of a simulated board (board_process.h).
 */
#ifndef GANTRY_BOARD_H
#define GANTRY_BOARD_H
#include <pthread.h>
#include <stdint.h>

#include "base/status.h"
#include "bridge/stream/stream.h"
#include "bridge/verilated/model.h"

struct board;

/* What a board has done so far. */
struct board_figures {
    uint64_t exchanges;  /* windows in which it was asked to run */
    uint64_t bytes_sent; /* by the host, frames and all */
    uint64_t bytes_taken;
    uint64_t resent; /* frames that the host sent again */
    uint64_t cycles; /* clock edges of the target */
    uint64_t ns;     /* host time in exchanges */
};

/* name: of the partition; plain: of its kind, borrowed; wanted: what the board has to be (version, kind, rtl, keys,
 * graph, links); port: borrowed, used from the model's creation on.  lost (may be NULL) is called on the thread of the
 * exchange that found the board lost, once. */
struct board *board_new(const char *name, const struct model_api *plain, const struct stream_hello *wanted,
                        const struct stream_port *port, void (*lost)(void *ctx), void *ctx);
/* One thread at a time for all boards with that lock, which is borrowed; without one each is for itself. */
void board_lock(struct board *board, pthread_mutex_t *lock);
/* How many messages a channel from each of its outputs holds, by output number; 0: nothing is connected.  From then on
 * a board is lost that sends more than its credits. */
void board_bounds(struct board *board, const uint32_t *depths);
/* After the model. */
void board_free(struct board *board);

/* Say HELLO, which resets the target; id: that of the partition.  STATUS_IO: it does not answer; STATUS_CONFIG: it is
 * not what is wanted (board_why). */
enum gantry_status board_attach(struct board *board, uint16_t id);
/* Its create attaches the board, unless that has just been done for it, and is NULL when it cannot; step waits for the
 * board, no longer than a stream waits.  A board that is lost is idle, sends nothing and counts 0.  It cannot be saved,
 * held or traced.  One partition can be made of it at a time. */
const struct model_api *board_api(const struct board *board);

/* Why the board is of no use any more, with cycle and frame; NULL: it is. */
const char *board_why(const struct board *board);
/* Between visits, for a board whose time passes by itself (at a cable): whether it is still there, without waiting
 * (stream_alive). */
bool board_alive(struct board *board);
/* Whoever looks after the board has seen its end. */
void board_give_up(struct board *board, const char *why);
struct board_figures board_figures(const struct board *board);
#endif
