/* SPDX-License-Identifier: Apache-2.0
 * The calls of a byte stream; contract in stream.h.
 */
#include "bridge/stream/stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "bridge/stream/stream_private.h"

/* Bytes of records that have come and were not asked for: a host has memory, a board in C is as small as one. */
#define CAPACITY_HOST (1u << 20)
#define CAPACITY_BOARD 4096u

static struct stream *make(const struct stream_port *port, size_t capacity)
{
    struct stream *stream = xzalloc(sizeof *stream);

    stream->port = *port;
    stream->capacity = capacity;
    stream->records = xcalloc(1, capacity);
    stream->told = FRAME_ROOM_FREE;
    return stream;
}

struct stream *stream_new(const struct stream_port *port)
{
    return make(port, CAPACITY_HOST);
}

struct stream *stream_new_board(const struct stream_port *port, const struct stream_hello *hello)
{
    struct stream *stream = make(port, CAPACITY_BOARD);

    stream->board = true;
    stream->own = *hello;
    return stream;
}

void stream_free(struct stream *stream)
{
    if (stream)
        free(stream->records);
    free(stream);
}

static uint32_t nonce_choose(void)
{
    uint32_t nonce = 0;

    if (getrandom(&nonce, sizeof nonce, GRND_NONBLOCK) != sizeof nonce || nonce == 0)
        nonce = 1;
    return nonce;
}

bool stream_hello(struct stream *stream, const struct stream_hello *mine, struct stream_hello *theirs)
{
    if (!stream->board) {
        stream->own = *mine;
        if (mine->nonce == 0)
            stream->own.nonce = nonce_choose();
        stream->session = stream->answered = false;
        stream->hello_due = true;
        stream_begin(stream, 0);
    }
    stream_wait_begin(stream, false);
    while (stream->board ? !(stream->anew && stream->session) : !stream->answered)
        if (!stream_wait_step(stream))
            return false;
    stream->anew = false;
    *theirs = stream->other;
    return stream_send(stream);
}

/* No session to put into or to get from: lost, or a board's side that has a HELLO to take. */
static bool ended(const struct stream *stream)
{
    return stream->lost || !stream->session || (stream->board && stream->anew);
}

/* Nothing can come any more by which this wait would end: the other side sends more than is taken. */
static bool choked(struct stream *stream)
{
    if (stream->board || stream->capacity - stream->held >= FRAME_PAYLOAD)
        return false;
    stream_lose(stream, "sends more than %zu bytes of records that nobody asks for", stream->held);
    return true;
}

void stream_put(struct stream *stream, const void *bytes, size_t n)
{
    bool waiting = false;

    for (size_t done = 0; !ended(stream);) {
        const size_t more = window_add(&stream->window, (const uint8_t *)bytes + done, n - done);

        done += more;
        if (stream->window.made - stream->window.next >= STREAM_BATCH && !stream_send(stream))
            return;
        if (done == n)
            return;
        if (more)
            continue;
        if (!waiting)
            stream_wait_begin(stream, true);
        waiting = true;
        if (choked(stream) || !stream_wait_step(stream))
            return;
    }
}

/* Some frame was not sent yet, or its bytes are not with the transport. */
static bool unsent(const struct stream *stream)
{
    return stream->window.top < stream->window.made || stream->out_at < stream->out_end;
}

bool stream_flush(struct stream *stream)
{
    if (ended(stream))
        return false;
    window_cut(&stream->window);
    if (!stream_send(stream))
        return false;
    if (unsent(stream))
        stream_wait_begin(stream, true);
    while (unsent(stream))
        if (choked(stream) || !stream_wait_step(stream) || ended(stream))
            return false;
    return true;
}

static size_t records_give(struct stream *stream, uint8_t *bytes, size_t n)
{
    const size_t now = n < stream->held ? n : stream->held;
    const size_t piece = now < stream->capacity - stream->first ? now : stream->capacity - stream->first;

    memcpy(bytes, stream->records + stream->first, piece);
    memcpy(bytes + piece, stream->records, now - piece);
    stream->first = (stream->first + now) % stream->capacity;
    stream->held -= now;
    return now;
}

bool stream_get(struct stream *stream, void *bytes, size_t n)
{
    bool waiting = false;

    for (size_t done = 0;;) {
        if (ended(stream))
            return false;
        done += records_give(stream, (uint8_t *)bytes + done, n - done);
        if (done == n)
            return !stream_told_little(stream) || stream_send(stream);
        if (!waiting) {
            if (!stream_flush(stream))
                return false;
            stream_wait_begin(stream, false);
            waiting = true;
        } else if (!stream_wait_step(stream)) {
            return false;
        }
    }
}

size_t stream_poll(struct stream *stream)
{
    if (!stream->lost && stream_send(stream) && stream_receive(stream, 0))
        stream_send(stream);
    return ended(stream) ? 0 : stream->held;
}

void stream_bye(struct stream *stream)
{
    if (stream->lost)
        return;
    stream->session = false;
    stream->bye_due = true;
    stream_wait_begin(stream, false);
    const uint64_t from = stream->wait.heard;
    while (stream_send(stream) && stream->out_at < stream->out_end &&
           stream->port.now_ms(stream->port.ctx) - from < STREAM_LOST_MS && stream_receive(stream, STREAM_ASK_MS))
        continue;
}

const char *stream_why(const struct stream *stream)
{
    return stream->lost ? stream->why : NULL;
}

const struct stream_counts *stream_counts(const struct stream *stream)
{
    return &stream->counts;
}

uint64_t stream_expected(const struct stream *stream)
{
    return stream->taker.expected;
}
