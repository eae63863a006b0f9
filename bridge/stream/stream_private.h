/* SPDX-License-Identifier: Apache-2.0
 * State of a byte stream, shared by its calls (stream.c) and what moves the bytes (stream_pump.c).
 */
#ifndef GANTRY_LINK_STREAM_PRIVATE_H
#define GANTRY_LINK_STREAM_PRIVATE_H
#include "bridge/stream/stream.h"
#include "bridge/stream/stream_frame.h"
#include "bridge/stream/stream_window.h"

#define STREAM_ASK_MS 2       /* a full window without a word from the other side: then it is asked */
#define STREAM_AGAIN_MS 50    /* without a frame taken: then all is sent again */
#define STREAM_LOST_MS 1000   /* without a right frame: lost */
#define STREAM_STUCK_MS 60000 /* with right frames that bring nothing: lost */
#define STREAM_IDLE_MS 200    /* between exchanges, without a right frame: the board is asked for a sign of life */
#define STREAM_SIGN_MS 100    /* until it is asked again */
#define STREAM_SIGNS 4        /* so many questions without an answer: lost */
#define STREAM_ACK_EVERY 4    /* frames taken without a head sent, while the host waits */
#define STREAM_BATCH 8        /* frames that stream_put collects before it sends them */

struct stream {
    struct stream_port port;
    bool board;
    struct stream_hello own;   /* host: the question; board: what it is */
    struct stream_hello other; /* host: the answer; board: the question */
    bool session;              /* DATA, ACK and NAK count */
    bool answered;             /* host: `other` is there */
    bool anew;                 /* board: a HELLO or BYE that stream_hello has not taken yet */
    struct window window;
    struct taker taker;
    struct frame_reader reader;
    bool hello_due, nak_due, ack_due, bye_due;
    unsigned unacknowledged;      /* frames taken since the last head was sent */
    uint8_t told;                 /* room in that head, less what has come since */
    bool blocked;                 /* the wait is for the window */
    bool right, moved;            /* since they were cleared: a right frame came; one was taken or acknowledged */
    uint8_t out[16 * FRAME_MOST]; /* frames on their way to the transport: out_at .. out_end */
    size_t out_at, out_end;
    uint8_t *records; /* taken: a ring of `capacity` bytes, of which `held` from `first` on hold some */
    size_t capacity, first, held;
    struct {
        uint64_t heard, moved, stirred; /* ms: last right frame, last sign of progress, the same without repeats */
        bool asked;
    } wait;
    struct {
        uint64_t asked; /* ms: the last question */
        unsigned count; /* of questions since the last right frame */
    } sign;
    bool lost;
    char why[200];
    struct stream_counts counts;
};

/* The stream is lost, with this cause, if it was not before. */
void stream_lose(struct stream *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Both sides of the sequence of records begin anew; the other side has that much room. */
void stream_begin(struct stream *stream, uint8_t room);
/* The other side knows of less room than a whole frame needs. */
static inline bool stream_told_little(const struct stream *stream)
{
    return stream->told < (FRAME_PAYLOAD + FRAME_UNIT - 1) / FRAME_UNIT;
}
/* What is due goes to the transport as far as it takes it. */
bool stream_send(struct stream *stream);
/* Takes bytes, waiting up to ms for the first, and what their frames say. */
bool stream_receive(struct stream *stream, unsigned ms);
/* A wait: begun once, then steps until what it is for has come; a step is false when the stream is lost. */
void stream_wait_begin(struct stream *stream, bool blocked);
bool stream_wait_step(struct stream *stream);
#endif
