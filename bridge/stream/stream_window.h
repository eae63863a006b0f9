/* SPDX-License-Identifier: Apache-2.0
 * Go-back-N (docs/reference/board.md): the DATA frames that one side has made and the other has not acknowledged, and
 * what came of those of the other side.  Responsible for: which frame is sent next, which is taken, when a NAK is due.
 * Not responsible for: bytes and checks of frames (stream_frame.h), time (stream.c).
 *
 * Frames are counted from the HELLO on in 64 bits; the lowest eight cross.
 */
#ifndef GANTRY_LINK_STREAM_WINDOW_H
#define GANTRY_LINK_STREAM_WINDOW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/stream/stream_frame.h"

#define WINDOW_SLOTS 64 /* frames kept: FRAME_WINDOW that are under way, and those that wait for them */

struct window {      /* of the sender; all zeros but room: begins */
    uint64_t oldest; /* not acknowledged */
    uint64_t next;   /* to be sent; oldest to top */
    uint64_t top;    /* never sent yet */
    uint64_t made;   /* complete frames; that of this number is being filled */
    uint8_t room;    /* units that the other side had behind frame `oldest` */
    uint16_t length[WINDOW_SLOTS];
    uint8_t payload[WINDOW_SLOTS][FRAME_PAYLOAD];
};

/* Appends to the frame that is being filled, and to those behind it; bytes that fitted. */
size_t window_add(struct window *window, const void *bytes, size_t n);
/* The frame that is being filled is complete, unless it is empty. */
void window_cut(struct window *window);
/* Whether frame `next` exists and may be sent. */
bool window_open(const struct window *window);
/* `ack` and `room` of a head that is right: whether it counts. */
bool window_acknowledge(struct window *window, uint8_t ack, uint8_t room);
/* All that is not acknowledged is sent again. */
void window_again(struct window *window);

struct taker { /* of the receiver; all zeros: begins */
    uint64_t expected;
    bool asked;     /* a NAK was sent since the last frame was taken */
    uint8_t behind; /* since then: the last number seen, counted from `expected` */
};

enum taken {
    TAKEN_NOT,  /* came before, or a gap for which a NAK was sent: dropped */
    TAKEN_NEXT, /* the caller has room for it: takes its payload, then taker_take */
    TAKEN_GAP,  /* dropped; a NAK is due */
};

/* A DATA frame with that number; damaged: its CRC-32 was wrong. */
enum taken taker_look(struct taker *taker, uint8_t seq, bool damaged);
void taker_take(struct taker *taker);
#endif
