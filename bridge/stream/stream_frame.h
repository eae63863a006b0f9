/* SPDX-License-Identifier: Apache-2.0
 * Frames of a byte stream (bridge/proto/stream.def): how one is written, how the next is found among bytes of which any
 * may be lost or damaged.  Responsible for: layout and checks.  Not responsible for: what a frame means (stream.c).
 */
#ifndef GANTRY_LINK_STREAM_FRAME_H
#define GANTRY_LINK_STREAM_FRAME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gantry_stream.h"

#define FRAME_HEAD sizeof(struct stream_head)
#define FRAME_PAYLOAD 496
#define FRAME_MOST (FRAME_HEAD + FRAME_PAYLOAD + FRAME_CHECK)
#define FRAME_ROOM_FREE 255 /* `room` of a side that sets no limit */

/* Units of `room` that a payload takes. */
static inline unsigned frame_units(size_t length)
{
    return (unsigned)((length + FRAME_UNIT - 1) / FRAME_UNIT);
}

/* Writes a frame to `to`, where FRAME_MOST bytes have room; of head the fields type, length, seq, ack and room count.
 * Returns its bytes. */
size_t frame_write(uint8_t *to, const struct stream_head *head, const void *payload);

struct frame_reader {
    uint8_t bytes[2 * 8192]; /* at .. end: not looked at yet */
    size_t at, end;
    bool hunting;    /* the bytes before `at` are no frame */
    uint64_t strays; /* stretches of bytes that are no frame; a single 0x00, which fills up a burst, is none */
};

enum frame_found {
    FRAME_FOUND_NONE,    /* more bytes are needed */
    FRAME_FOUND_RIGHT,   /* *head and *payload are those of the frame; the payload is valid until frame_space */
    FRAME_FOUND_DAMAGED, /* the head is right, the CRC-32 is not; *head alone */
};

/* The next frame of the bytes at hand.  A head with a type or length that there is not is no head. */
enum frame_found frame_next(struct frame_reader *reader, struct stream_head *head, const uint8_t **payload);
/* Room for more bytes, at least FRAME_MOST when frame_next has just found none: the caller writes up to *room bytes
 * and adds their number to reader->end. */
uint8_t *frame_space(struct frame_reader *reader, size_t *room);
/* The bytes at hand begin with a head whose frame does not come: another beginning is looked for. */
void frame_give_up(struct frame_reader *reader);
#endif
