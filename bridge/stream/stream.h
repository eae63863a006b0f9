/* SPDX-License-Identifier: Apache-2.0
 * A sequence of records over a byte stream that may lose, damage and repeat bytes: frames with checks, go-back-N, room.
 * The rules are those of docs/reference/board.md, the layouts those of bridge/proto/stream.def.  Responsible for: that
 * each byte put in on one side comes out once, in order, on the other, or that the stream is lost with a cause.  Not
 * responsible for: what the records mean, and who the other side should be (the caller compares the hellos).
 *
 * Two sides: the host's, which has the timers, and a board's in C.  One thread at a time.  A wait ends when what it
 * waits for has come, or when the stream is lost: on the host's side after 1 s without a right frame, after 60 s in
 * which the other side answered but neither took nor sent anything, or at once when the transport says so.  A lost
 * stream stays lost: calls return false (stream_put: does nothing) without waiting.
 */
#ifndef GANTRY_LINK_STREAM_H
#define GANTRY_LINK_STREAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "gantry_stream.h"

struct stream_port { /* a byte stream as a transport offers it; stream_new copies it, ctx stays the caller's */
    void *ctx;
    /* Bytes taken, 0 to n, without waiting for the other side; negative: lost. */
    ssize_t (*write)(void *ctx, const void *bytes, size_t n);
    /* Waits up to ms for the first byte; 0: none came; negative: lost. */
    ssize_t (*read)(void *ctx, void *bytes, size_t room, unsigned ms);
    const char *(*why)(void *ctx); /* after a negative answer: the cause in words */
    uint64_t (*now_ms)(void *ctx); /* clock of the timers */
};

struct stream_counts {
    uint64_t frames_sent, frames_taken; /* DATA frames, each once */
    uint64_t bytes_sent, bytes_taken;   /* of the byte stream, with all that was sent again */
    uint64_t resent;                    /* DATA frames sent again */
    uint64_t damaged;                   /* frames with a wrong CRC-32, and stretches of bytes that are no frame */
    uint64_t gaps;                      /* DATA frames that came before one that is missing */
    uint64_t naks;                      /* NAKs sent */
};

struct stream;

/* Host's side.  stream_free ends it without a word to the other side; NULL is allowed. */
struct stream *stream_new(const struct stream_port *port);
/* A board's side: what it is, but for the fields nonce, id and flags, which are those of the question. */
struct stream *stream_new_board(const struct stream_port *port, const struct stream_hello *hello);
void stream_free(struct stream *stream);

/* Host: asks until the other side answers, at most 1 s.  mine: version, flags, id and what this side is; nonce 0: one
 * is chosen.  *theirs is what the board says it is, also when its version is another: then only version, flags and
 * nonce mean something, and nothing else may be called.  With HELLO_ATTACH both sides begin anew, without it nothing
 * but another stream_hello may follow. Board: waits for the next HELLO with HELLO_ATTACH, which *theirs is then; mine
 * is not looked at.  What came before is dropped. */
bool stream_hello(struct stream *stream, const struct stream_hello *mine, struct stream_hello *theirs);

/* Appends to the sequence of records; full frames go out as the window allows.  Waits only when n bytes do not fit into
 * the buffer (31 KiB). */
void stream_put(struct stream *stream, const void *bytes, size_t n);
/* All that was put is with the transport; waits while the window is full. */
bool stream_flush(struct stream *stream);
/* Waits until n bytes of records have come; flushes first when it must wait.  False: lost, or, on a board's side, a
 * HELLO or BYE came: then stream_hello is called again. */
bool stream_get(struct stream *stream, void *bytes, size_t n);
/* Takes what has come and sends what may be sent, without waiting: the number of bytes that stream_get has at hand. */
size_t stream_poll(struct stream *stream);
/* Host, while nothing is asked, again and again: takes what has come, so that a transport that is lost says so, and
 * asks by a NAK when no right frame has come for 0.2 s, again each 0.1 s.  Does not wait.  False: lost, also when four
 * such questions had no answer. */
bool stream_alive(struct stream *stream);
/* Tells the other side that this one is gone; at most 1 s. */
void stream_bye(struct stream *stream);

const char *stream_why(const struct stream *stream); /* why it is lost; NULL: it is not.  Valid until stream_free */
const struct stream_counts *stream_counts(const struct stream *stream);
/* Number of the DATA frame that this side waits for, counted from the HELLO on. */
uint64_t stream_expected(const struct stream *stream);
#endif
