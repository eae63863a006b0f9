/* SPDX-License-Identifier: Apache-2.0
 * The records of a board: a window of cycles to it, what it sent in them from it (docs/reference/board.md, Records).
 * Marks of the board are known modulo 2^32 only, and its messages lie in the window that was asked for: so there is no
 * limit to the cycles between two messages.
 */
#include <inttypes.h>

#include "bridge/board/board_private.h"

#define FAR (UINT32_MAX / PART_WINDOW * PART_WINDOW) /* cycles that one RUN jumps, at most: whole windows */

void records_begin(struct board *b)
{
    b->cycle = 0;
    b->came = 0;
    credits_begin(b);
}

static void record_put(struct board *b, uint8_t kind, uint8_t flags, uint32_t link, uint64_t arg)
{
    const struct stream_record record = {kind, flags, (uint16_t)link, (uint32_t)arg};
    stream_put(b->stream, &record, sizeof record);
}

static void window_put(struct board *b, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip)
{
    uint64_t mark = b->cycle;
    for (uint32_t c = 0; c < PART_WINDOW; c++) {
        for (uint32_t i = 0; i < count[c]; i++) {
            const struct part_in *in = &due[c][i];
            record_put(b, REC_MESSAGE, 0, in->slot, from + c - mark);
            mark = from + c;
            credits_come(b, in->slot);
            if (b->in_bytes[in->slot])
                stream_put(b->stream, in->data, b->in_bytes[in->slot]);
        }
    }
    record_put(b, REC_RUN, no_skip ? RUN_NO_SKIP : 0, 0, from + PART_WINDOW - mark);
}

static bool get(struct board *b, void *bytes, size_t n)
{
    return stream_get(b->stream, bytes, n) || board_lose(b, "%s", stream_why(b->stream));
}

/* A record that is no answer to what was asked. */
static bool unexpected(struct board *b, const struct stream_record *r)
{
    static const char *const causes[] = {
        [RECORD_KIND] = "kind", [RECORD_LINK] = "link", [RECORD_TWICE] = "second message of a cycle"};
    if (r->kind != REC_ERROR)
        return board_lose(b, "it answers with a record of kind %u", r->kind);
    const bool known = r->arg >= RECORD_KIND && r->arg <= RECORD_TWICE;
    return board_lose(b, "it refuses a record for its %s", known ? causes[r->arg] : "content");
}

/* order: of the last one in this window, {cycle, link} + 1; they come in this order, each once. */
static bool sent_take(struct board *b, const struct stream_record *r, uint64_t from, uint64_t *order,
                      const struct model_sink *sink)
{
    b->came += r->arg;
    const uint32_t ahead = b->came - (uint32_t)from;
    const uint64_t place = (uint64_t)ahead << 16 | r->link;
    if (r->link >= b->api.outs)
        return board_lose(b, "a message of its output %u; it has %" PRIu32, r->link, b->api.outs);
    if (ahead >= PART_WINDOW)
        return board_lose(b, "a message of its output %u comes from outside of the window", r->link);
    if (place < *order)
        return board_lose(b, "a message of its output %u of cycle %" PRIu64 " comes out of order", r->link,
                          from + ahead);
    if (!credits_spend(b, r->link))
        return false;
    *order = place + 1;
    const uint32_t bytes = b->out_bytes[r->link];
    if (bytes && !get(b, b->message, bytes))
        return false;
    sink->send(sink->ctx, r->link, from + ahead, bytes ? b->message : NULL);
    return true;
}

static bool standing_take(struct board *b, const struct stream_record *r, uint64_t to, bool *idle)
{
    struct stream_standing standing;
    if (!get(b, &standing, sizeof standing))
        return false;
    if (standing.cycle != to)
        return board_lose(b, "it stands at cycle %" PRIu64 " instead of %" PRIu64, standing.cycle, to);
    b->cycle = to;
    b->shown = standing.shown;
    b->figures.cycles += r->arg;
    *idle = r->flags & STANDING_IDLE;
    return true;
}

/* Until it stands at `to`.  Messages lie in the window at `from`; sink NULL: there are none. */
static bool window_get(struct board *b, uint64_t from, uint64_t to, const struct model_sink *sink, bool *idle)
{
    uint64_t order = 0;
    if (!stream_flush(b->stream))
        return board_lose(b, "%s", stream_why(b->stream));
    for (struct stream_record r;;) {
        if (!get(b, &r, sizeof r))
            return false;
        if (r.kind == REC_STANDING)
            return standing_take(b, &r, to, idle);
        if (r.kind != REC_SENT || sink == NULL)
            return unexpected(b, &r);
        if (!sent_take(b, &r, from, &order, sink))
            return false;
    }
}

bool records_run(struct board *b, uint64_t from, struct part_in *const *due, const uint32_t *count, bool no_skip,
                 const struct model_sink *sink, bool *idle)
{
    while (from - b->cycle > FAR) { /* it is idle, or somebody would have visited it */
        const uint64_t to = b->cycle + FAR;
        record_put(b, REC_RUN, 0, 0, FAR);
        if (!window_get(b, to, to, NULL, idle))
            return false;
    }
    window_put(b, from, due, count, no_skip);
    return window_get(b, from, from + PART_WINDOW, sink, idle);
}

bool records_ask(struct board *b, uint8_t part, uint8_t address, uint8_t edges, uint8_t flags, uint64_t *value)
{
    struct stream_record r;
    struct stream_answer answer;
    record_put(b, REC_ASK, flags, 0, (uint32_t)part << 16 | (uint32_t)edges << 8 | address);
    if (!stream_flush(b->stream))
        return board_lose(b, "%s", stream_why(b->stream));
    if (!get(b, &r, sizeof r))
        return false;
    if (r.kind != REC_ANSWER)
        return unexpected(b, &r);
    if (!get(b, &answer, sizeof answer))
        return false;
    *value = answer.value;
    return true;
}
