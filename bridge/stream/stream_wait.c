/* SPDX-License-Identifier: Apache-2.0
 * Waits of a byte stream, and the host's timers (docs/reference/board.md).
 */
#include "bridge/stream/stream_private.h"

void stream_wait_begin(struct stream *stream, bool blocked)
{
    const uint64_t now = stream->port.now_ms(stream->port.ctx);

    stream->blocked = blocked;
    stream->wait.heard = stream->wait.moved = stream->wait.stirred = now;
    stream->wait.asked = false;
    stream->sign.count = 0;
}

/* What the host does when nothing has come for a time. */
static void timers(struct stream *stream, uint64_t now, unsigned patience)
{
    if (now - stream->wait.heard >= STREAM_LOST_MS)
        stream_lose(stream, "%s for %u s", stream->session ? "no answer" : "no answer to HELLO", STREAM_LOST_MS / 1000);
    else if (now - stream->wait.stirred >= STREAM_STUCK_MS)
        stream_lose(stream, "answers, but takes and sends no records for %u s", STREAM_STUCK_MS / 1000);
    if (stream->lost || now - stream->wait.moved < patience)
        return;
    stream->nak_due = stream->session;
    if (patience == STREAM_ASK_MS) {
        stream->wait.asked = true;
        return;
    }
    stream->wait.moved = now;
    window_again(&stream->window);
    stream->hello_due = !stream->session;
    frame_give_up(&stream->reader); /* the end of a frame was lost: what stands behind its head is looked at */
    stream_receive(stream, 0);
}

/* How long to wait for bytes: the transport is asked again soon when it had no room for all that is to be sent. */
static unsigned wait_ms(const struct stream *stream, unsigned patience)
{
    const uint64_t gone = stream->port.now_ms(stream->port.ctx) - stream->wait.moved;
    const unsigned left = gone < patience ? patience - (unsigned)gone : 0;

    if (stream->out_at < stream->out_end)
        return 1;
    return stream->board ? STREAM_LOST_MS : left;
}

bool stream_wait_step(struct stream *stream)
{
    const unsigned patience = stream->blocked && !stream->wait.asked ? STREAM_ASK_MS : STREAM_AGAIN_MS;

    if (!stream->board && stream->unacknowledged >= STREAM_ACK_EVERY)
        stream->ack_due = true;
    if (!stream_send(stream) || !stream_receive(stream, wait_ms(stream, patience)))
        return false;
    const uint64_t now = stream->port.now_ms(stream->port.ctx);
    if (stream->right)
        stream->wait.heard = now;
    if (stream->moved) {
        stream->wait.moved = stream->wait.stirred = now;
        stream->wait.asked = false;
    }
    stream->right = stream->moved = false;
    if (!stream->board)
        timers(stream, now, patience);
    return stream_send(stream);
}

/* Time that passes without a call counts for nothing: what came meanwhile is taken first, and only questions count. */
bool stream_alive(struct stream *stream)
{
    stream->right = false;
    if (!stream_send(stream) || !stream_receive(stream, 0))
        return false;
    const uint64_t now = stream->port.now_ms(stream->port.ctx);
    const unsigned asked = stream->sign.count;
    if (stream->right || !stream->session) {
        stream->wait.heard = now;
        stream->sign.count = 0;
    } else if (now - (asked ? stream->sign.asked : stream->wait.heard) >= (asked ? STREAM_SIGN_MS : STREAM_IDLE_MS)) {
        stream->sign.asked = now;
        stream->nak_due = asked < STREAM_SIGNS;
        if (stream->sign.count++ == STREAM_SIGNS)
            stream_lose(stream, "no answer to %u NAKs while nothing was asked", STREAM_SIGNS);
    }
    return stream_send(stream);
}
