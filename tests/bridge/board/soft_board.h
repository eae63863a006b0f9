/* SPDX-License-Identifier: Apache-2.0
 * For tests: a board in C.  It keeps the rules of docs/reference/board.md for records and clocks a model in windows of
 * PART_WINDOW cycles, so a RUN has to end at whole windows.  A fault makes it break a rule in one exchange.
 */
#ifndef TESTS_BRIDGE_BOARD_SOFT_BOARD_H
#define TESTS_BRIDGE_BOARD_SOFT_BOARD_H
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bridge/stream/stream.h"
#include "bridge/verilated/model.h"

enum soft_fault {
    SOFT_NONE,
    SOFT_DIES,   /* kill -9 */
    SOFT_LEAVES, /* the process ends in order */
    SOFT_SILENT, /* no answer any more */
    SOFT_KIND,   /* a record of no kind */
    SOFT_LINK,   /* of an output that it does not have */
    SOFT_EARLY,  /* of the cycle before the window */
    SOFT_LATE,   /* of the cycle behind the window */
    SOFT_TWICE,  /* two messages of one output in one cycle */
    SOFT_ORDER,  /* of a lower output of the same cycle */
    SOFT_CYCLE,  /* stands elsewhere */
    SOFT_ERROR,  /* refuses a record */
    SOFT_MORE,   /* from then on a message of an output with credits in each cycle */
    SOFT_RETURN, /* a credit for a message that it did not get */
    SOFT_WRONG,  /* no rule is broken: the next long message has a wrong bit, as on a chip whose clock is too fast */
    SOFT_FAULTS
};
static const char *const soft_faults[SOFT_FAULTS] = {"none",  "dies",  "leaves", "silent", "kind",
                                                     "link",  "early", "late",   "twice",  "order",
                                                     "cycle", "error", "more",   "return", "wrong"};

#define SOFT_MOST 512u   /* messages of a RUN */
#define SOFT_LONG 64u    /* bytes of a message with data */
#define SOFT_BYTES 1024u /* of a message; also inputs and outputs, at most */

struct soft_message {
    uint64_t cycle;
    uint32_t slot;
    uint8_t data[SOFT_BYTES];
};

struct soft_board {
    const struct model_api *api;
    void *model;
    struct stream *stream;
    enum soft_fault fault;
    uint64_t fault_at; /* number of the exchange, from 0 */
    uint64_t exchanges, cycle, evaluated;
    uint64_t came, sent; /* marks of the host, and of this side */
    bool idle, spoil;
    uint32_t in_bytes[SOFT_BYTES], out_bytes[SOFT_BYTES];
    struct soft_message messages[SOFT_MOST]; /* of the RUN to come */
    unsigned count;
};

static inline void soft_put(struct soft_board *b, uint8_t kind, uint8_t flags, uint32_t link, uint64_t arg)
{
    const struct stream_record r = {kind, flags, (uint16_t)link, (uint32_t)arg};
    stream_put(b->stream, &r, sizeof r);
}

static inline void soft_send(void *ctx, uint32_t slot, uint64_t cycle, const void *message)
{
    struct soft_board *b = ctx;
    soft_put(b, REC_SENT, 0, slot, cycle - b->sent);
    b->sent = cycle;
    if (b->spoil && b->out_bytes[slot] >= SOFT_LONG) {
        uint8_t wrong[SOFT_BYTES];
        memcpy(wrong, message, b->out_bytes[slot]);
        wrong[SOFT_LONG / 2] ^= 1;
        b->spoil = false;
        stream_put(b->stream, wrong, b->out_bytes[slot]);
    } else if (b->out_bytes[slot]) {
        stream_put(b->stream, message, b->out_bytes[slot]);
    }
}

/* Of the first port with credits of that direction: the output of its messages, or of the credits for them. */
static inline uint32_t soft_credited(const struct model_api *api, bool out)
{
    uint32_t i = 0;
    while (!api->ports[i].credit || api->ports[i].out != out)
        i++;
    return out ? api->ports[i].slot : api->ports[i].credit_slot;
}

static inline void soft_lie(struct soft_board *b, enum soft_fault fault, uint64_t from)
{
    static const uint8_t nothing[SOFT_BYTES];
    const uint32_t slot = b->api->outs - 1;
    switch (fault) {
    case SOFT_DIES:
        raise(SIGKILL);
        break;
    case SOFT_LEAVES:
        _exit(3);
    case SOFT_SILENT:
        for (;;)
            pause();
    case SOFT_KIND:
        soft_put(b, 99, 0, 0, 0);
        break;
    case SOFT_LINK:
        soft_put(b, REC_SENT, 0, b->api->outs, 0);
        break;
    case SOFT_EARLY:
        soft_send(b, slot, from - 1, nothing);
        break;
    case SOFT_LATE:
        soft_send(b, slot, from + PART_WINDOW, nothing);
        break;
    case SOFT_TWICE:
        soft_send(b, slot, from, nothing);
        soft_send(b, slot, from, nothing);
        break;
    case SOFT_ORDER:
        soft_send(b, slot, from, nothing);
        soft_send(b, slot - 1, from, nothing);
        break;
    case SOFT_MORE:
        for (unsigned c = 0; c < PART_WINDOW; c++)
            soft_send(b, soft_credited(b->api, true), from + c, nothing);
        break;
    case SOFT_WRONG:
        b->spoil = true;
        break;
    case SOFT_RETURN:
        soft_send(b, soft_credited(b->api, false), from, nothing);
        break;
    case SOFT_ERROR:
        soft_put(b, REC_ERROR, 0, 0, RECORD_TWICE);
        break;
    default:
        break;
    }
}

static inline void soft_window(struct soft_board *b, uint64_t from, bool no_skip)
{
    struct part_in due[PART_WINDOW][64], *list[PART_WINDOW];
    uint32_t count[PART_WINDOW] = {0};
    const struct model_sink sink = {.ctx = b, .send = soft_send};
    for (unsigned c = 0; c < PART_WINDOW; c++)
        list[c] = due[c];
    for (unsigned i = 0; i < b->count; i++) {
        const struct soft_message *m = &b->messages[i];
        const uint64_t c = m->cycle - from;
        if (c < PART_WINDOW)
            due[c][count[c]++] = (struct part_in){m->slot, b->in_bytes[m->slot] ? m->data : NULL};
    }
    b->idle = b->api->step(b->model, from, list, count, no_skip, &sink);
}

static inline void soft_run(struct soft_board *b, uint64_t to, bool no_skip)
{
    const uint64_t first = b->count ? b->messages[0].cycle : to;
    const bool now = b->exchanges == b->fault_at || (b->fault == SOFT_MORE && b->exchanges > b->fault_at);
    const enum soft_fault fault = now ? b->fault : SOFT_NONE;
    b->exchanges++;
    if (fault)
        soft_lie(b, fault, to - PART_WINDOW);
    for (uint64_t from = b->cycle; from < to; from += PART_WINDOW) {
        if (b->idle && !no_skip && first >= from + PART_WINDOW) /* a jump */
            from = first / PART_WINDOW * PART_WINDOW;
        if (from < to)
            soft_window(b, from, no_skip);
    }
    b->idle = b->idle && fault != SOFT_MORE;
    b->cycle = b->came = to;
    b->count = 0;
    const uint64_t edges = b->api->evaluated(b->model) - b->evaluated;
    b->evaluated += edges;
    soft_put(b, REC_STANDING, b->idle ? STANDING_IDLE : 0, 0, edges);
    const struct stream_standing s = {fault == SOFT_CYCLE ? to + 1 : to, b->api->shown(b->model)};
    stream_put(b->stream, &s, sizeof s);
    stream_flush(b->stream);
}

/* The model asks itself as a board does: what shows a counter says which one it is.  Those that share a place come one
 * after the other. */
static inline void soft_answer(struct soft_board *b, const struct stream_record *r)
{
    struct stream_answer a = {0};
    const uint32_t part = r->arg >> 16 & 255, edges = r->arg >> 8 & 255, address = r->arg & 255;
    if (r->flags & ASK_STOPPED ? edges < 3 || edges > 10 : edges != 1) {
        fprintf(stderr, "soft board: a question of %u edges\n", edges);
        abort();
    }
    if (r->flags & ASK_STOPPED)
        a.value = b->api->look(b->model, part << 8 | address);
    for (uint32_t i = 0; !(r->flags & ASK_STOPPED) && i < b->api->counter_count; i++) {
        if (b->api->asks[i].part == part && b->api->asks[i].address == address) {
            a.value = b->api->counter(b->model, i);
            break;
        }
    }
    soft_put(b, REC_ANSWER, 0, 0, 0);
    stream_put(b->stream, &a, sizeof a);
    stream_flush(b->stream);
}

static inline bool soft_take(struct soft_board *b)
{
    struct stream_record r;
    if (!stream_get(b->stream, &r, sizeof r))
        return false;
    if (r.kind == REC_ASK) {
        soft_answer(b, &r);
        return true;
    }
    b->came += r.arg;
    if (r.kind == REC_RUN) {
        soft_run(b, b->came, r.flags & RUN_NO_SKIP);
        return true;
    }
    if (r.kind != REC_MESSAGE || r.link >= b->api->ins || b->count == SOFT_MOST) {
        fprintf(stderr, "soft board: record of kind %u, link %u\n", r.kind, r.link);
        abort();
    }
    struct soft_message *m = &b->messages[b->count++];
    m->cycle = b->came;
    m->slot = r.link;
    return b->in_bytes[m->slot] == 0 || stream_get(b->stream, m->data, b->in_bytes[m->slot]);
}

/* Until the stream is lost.  api and port are borrowed; hello: what it says it is. */
static inline void soft_serve(const struct model_api *api, const struct stream_port *port,
                              const struct stream_hello *hello, enum soft_fault fault, uint64_t fault_at)
{
    struct soft_board *b = calloc(1, sizeof *b);
    struct stream_hello theirs;
    b->api = api;
    b->fault = fault;
    b->fault_at = fault_at;
    for (uint32_t i = 0; i < api->port_count; i++)
        for (uint32_t lane = 0; lane < api->ports[i].count; lane++)
            (api->ports[i].out ? b->out_bytes : b->in_bytes)[api->ports[i].slot + lane] = api->ports[i].bytes;
    b->stream = stream_new_board(port, hello);
    while (stream_hello(b->stream, NULL, &theirs)) {
        b->exchanges = b->cycle = b->came = b->sent = b->evaluated = 0;
        b->idle = false;
        b->count = 0;
        b->model = api->create(api, "soft", theirs.id, 0);
        while (soft_take(b))
            continue;
        api->destroy(b->model);
    }
    stream_free(b->stream);
    free(b);
}
#endif
