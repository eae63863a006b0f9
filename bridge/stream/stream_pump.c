/* SPDX-License-Identifier: Apache-2.0
 * What moves the bytes of a byte stream: frames that are due, and frames that come.  Rules: docs/reference/board.md.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bridge/stream/stream_private.h"

void stream_lose(struct stream *stream, const char *format, ...)
{
    va_list args;

    if (stream->lost)
        return;
    stream->lost = true;
    va_start(args, format);
    vsnprintf(stream->why, sizeof stream->why, format, args);
    va_end(args);
}

void stream_begin(struct stream *stream, uint8_t room)
{
    memset(&stream->window, 0, sizeof stream->window);
    memset(&stream->taker, 0, sizeof stream->taker);
    stream->window.room = room;
    stream->first = stream->held = 0;
    stream->nak_due = stream->ack_due = false;
    stream->unacknowledged = 0;
}

static uint8_t room_now(const struct stream *stream)
{
    const size_t units = (stream->capacity - stream->held) / FRAME_UNIT;
    const size_t whole = FRAME_WINDOW * frame_units(FRAME_PAYLOAD); /* of all that can be under way */

    return (uint8_t)(units >= whole ? FRAME_ROOM_FREE : units < FRAME_ROOM_FREE ? units : FRAME_ROOM_FREE - 1);
}

/* ---- to the transport */
static void emit(struct stream *stream, enum frame_type type, const void *payload, size_t n)
{
    const struct stream_head head = {.type = (uint8_t)type,
                                     .length = (uint16_t)n,
                                     .seq = (uint8_t)(type == FRAME_DATA ? stream->window.next : stream->window.top),
                                     .ack = (uint8_t)stream->taker.expected,
                                     .room = room_now(stream)};

    stream->out_end += frame_write(stream->out + stream->out_end, &head, payload);
    stream->told = head.room;
    stream->unacknowledged = 0;
    stream->ack_due = false;
}

static void emit_data(struct stream *stream)
{
    struct window *w = &stream->window;
    const unsigned slot = (unsigned)(w->next % WINDOW_SLOTS);

    emit(stream, FRAME_DATA, w->payload[slot], w->length[slot]);
    if (w->next == w->top)
        w->top++, stream->counts.frames_sent++;
    else
        stream->counts.resent++;
    w->next++;
}

/* One frame of what is due; false: nothing is. */
static bool emit_due(struct stream *stream)
{
    if (stream->hello_due) {
        stream->hello_due = false;
        emit(stream, FRAME_HELLO, &stream->own, sizeof stream->own);
    } else if (stream->nak_due && stream->session) {
        stream->nak_due = false;
        stream->counts.naks++;
        emit(stream, FRAME_NAK, NULL, 0);
    } else if (stream->session && window_open(&stream->window)) {
        emit_data(stream);
    } else if (stream->ack_due && stream->session) { /* no DATA frame has carried it */
        emit(stream, FRAME_ACK, NULL, 0);
    } else if (stream->bye_due) {
        stream->bye_due = false;
        emit(stream, FRAME_BYE, NULL, 0);
    } else {
        return false;
    }
    return true;
}

bool stream_send(struct stream *stream)
{
    if (stream_told_little(stream) && room_now(stream) >= 2 * frame_units(FRAME_PAYLOAD))
        stream->ack_due = true;
    for (;;) {
        if (stream->lost)
            return false;
        while (stream->out_end + FRAME_MOST <= sizeof stream->out && emit_due(stream))
            continue;
        if (stream->out_at == stream->out_end)
            return true;
        const ssize_t n =
            stream->port.write(stream->port.ctx, stream->out + stream->out_at, stream->out_end - stream->out_at);
        if (n < 0)
            stream_lose(stream, "%s", stream->port.why(stream->port.ctx));
        if (n <= 0)
            return n == 0;
        stream->counts.bytes_sent += (uint64_t)n;
        stream->out_at += (size_t)n;
        if (stream->out_at == stream->out_end)
            stream->out_at = stream->out_end = 0;
    }
}

/* ---- from the transport */
static void take_hello(struct stream *stream, const struct stream_head *head, const uint8_t *payload)
{
    struct stream_hello hello = {0};

    if (head->length < offsetof(struct stream_hello, id)) /* no version has less */
        return;
    memcpy(&hello, payload, head->length < sizeof hello ? head->length : sizeof hello);
    if (stream->board) {
        stream->own.flags = hello.flags;
        stream->own.nonce = hello.nonce;
        stream->own.id = hello.id;
        stream->hello_due = true;
        if (hello.flags & HELLO_ATTACH) {
            stream->other = hello;
            stream->session = stream->anew = true;
            stream_begin(stream, head->room);
        }
    } else if (!stream->answered && hello.nonce == stream->own.nonce) {
        stream->other = hello;
        stream->answered = true;
        stream->session = stream->own.flags & HELLO_ATTACH;
        stream_begin(stream, head->room);
    }
}

static void records_keep(struct stream *stream, const uint8_t *payload, size_t n)
{
    const size_t at = (stream->first + stream->held) % stream->capacity;
    const size_t piece = n < stream->capacity - at ? n : stream->capacity - at;

    memcpy(stream->records + at, payload, piece);
    memcpy(stream->records, payload + piece, n - piece);
    stream->held += n;
}

static void take_data(struct stream *stream, const struct stream_head *head, const uint8_t *payload, bool damaged)
{
    const enum taken taken = taker_look(&stream->taker, head->seq, damaged);

    if (taken == TAKEN_GAP) {
        stream->nak_due = true;
        stream->counts.gaps += !damaged;
    } else if (taken == TAKEN_NEXT && head->length <= stream->capacity - stream->held) {
        taker_take(&stream->taker);
        records_keep(stream, payload, head->length);
        if (stream->told != FRAME_ROOM_FREE) {
            const unsigned units = frame_units(head->length);
            stream->told = (uint8_t)(units < stream->told ? stream->told - units : 0);
        }
        stream->counts.frames_taken++;
        stream->unacknowledged++;
        stream->moved = true;
    }
}

static void take_right(struct stream *stream, const struct stream_head *head, const uint8_t *payload)
{
    const uint64_t oldest = stream->window.oldest;

    stream->right = true;
    if (head->type == FRAME_HELLO)
        take_hello(stream, head, payload);
    if (head->type == FRAME_HELLO || !stream->session)
        return;
    if (head->type == FRAME_BYE) {
        stream->session = false;
        stream->anew = true;
        if (!stream->board)
            stream_lose(stream, "the other side has ended the session");
        return;
    }
    const bool counts = window_acknowledge(&stream->window, head->ack, head->room);
    stream->moved |= stream->window.oldest != oldest;
    if (head->type == FRAME_NAK) {
        stream->ack_due = true;
        if (counts)
            window_again(&stream->window);
    } else if (head->type == FRAME_DATA) {
        take_data(stream, head, payload, false);
    }
}

static void take_frames(struct stream *stream)
{
    struct stream_head head;
    const uint8_t *payload;
    enum frame_found found;

    while (!stream->lost && (found = frame_next(&stream->reader, &head, &payload)) != FRAME_FOUND_NONE) {
        if (found == FRAME_FOUND_RIGHT) {
            take_right(stream, &head, payload);
        } else {
            stream->counts.damaged++;
            if (stream->session)
                take_data(stream, &head, payload, true);
        }
    }
}

bool stream_receive(struct stream *stream, unsigned ms)
{
    size_t room;
    uint8_t *space = frame_space(&stream->reader, &room);
    const ssize_t n = stream->lost ? -1 : stream->port.read(stream->port.ctx, space, room, ms);

    if (n < 0)
        stream_lose(stream, "%s", stream->port.why(stream->port.ctx));
    if (n < 0)
        return false;
    stream->counts.bytes_taken += (uint64_t)n;
    stream->reader.end += (size_t)n;
    const uint64_t strays = stream->reader.strays;
    take_frames(stream);
    stream->counts.damaged += stream->reader.strays - strays;
    return !stream->lost;
}
