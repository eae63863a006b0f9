/* SPDX-License-Identifier: Apache-2.0
 * Shares of a machine's state; contract in sched_share.h.  A share: cycle behind the last visit, first event to come,
 * last window with a visit; channels, or halves of them, each with its number, which half, and its bytes; partitions,
 * each with its number and its bytes; wake-ups.
 */
#include "bridge/run/sched_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/link/channel_save.h"
#include "bridge/run/calendar_save.h"
#include "saved/state_piece.h"

enum { SENDER = 1, RECEIVER = 2 }; /* ends of a channel in a share, bits */

/* ---- in each process */
/* The receiving half with the number of messages that have come, to be held against what was sent. */
static void wire_share(const struct wire *w, struct state_buffer *piece, struct state_writer *to)
{
    const struct channel *c = &w->channel;
    const uint64_t number = c->id, ends = (w->from ? SENDER : 0) | (w->to ? RECEIVER : 0);
    state_put_u64(to, number);
    state_put_u64(to, ends);
    if (ends & SENDER) {
        channel_save_sender(c, &piece->writer);
        state_piece_put(to, piece);
    }
    if (ends & RECEIVER) {
        STATE_PUT(&piece->writer, c->sent);
        channel_save_receiver(c, &piece->writer);
        state_piece_put(to, piece);
    }
}

void sched_share(struct sched *s, struct state_writer *to)
{
    struct state_buffer piece;
    struct dues dues = {0};
    PART_CHECK(!s->apart, NULL, s->now, "saved while a window runs");
    state_buffer_init(&piece);
    state_put_u64(to, sched_active(s));
    state_put_u64(to, sched_next(s));
    state_put_u64(to, sched_visited(s));
    state_put_u64(to, s->wire_count);
    for (uint32_t i = 0; i < s->wire_count; i++)
        wire_share(s->wires[i], &piece, to);
    state_put_u64(to, s->count);
    for (uint32_t i = 0; i < s->count; i++) {
        state_put_u64(to, s->parts[i]->number);
        part_save(s->parts[i], &piece.writer);
        state_piece_put(to, &piece);
    }
    dues_collect(&dues, s);
    dues_save(&dues, to);
    free(dues.list);
    free(piece.bytes);
}

/* ---- where they come together */
/* Bytes in a share; NULL: none yet. */
struct chunk {
    const unsigned char *bytes;
    uint64_t count;
};

struct sched_shares {
    uint64_t now, visited;
    uint32_t channels, parts;
    struct chunk *sent, *come, *part; /* by number */
    struct dues dues;
};

static bool chunk_read(struct state_buffer *from, struct chunk *chunk, uint64_t least)
{
    uint64_t count;
    if (!state_get_u64(&from->reader, &count))
        return false;
    if (count > from->count - from->taken || count < least)
        return state_refuse(&from->reader, "a piece of %llu bytes", (unsigned long long)count);
    *chunk = (struct chunk){from->bytes + from->taken, count};
    from->taken += count;
    return true;
}

/* Into its place, which nobody else has. */
static bool chunk_place(struct state_buffer *from, struct chunk *list, uint64_t number, uint32_t most, uint64_t least,
                        const char *what)
{
    if (number >= most || list[number].bytes)
        return state_refuse(&from->reader, "%s %llu of %u%s", what, (unsigned long long)number, most,
                            number < most ? " comes from two processes" : "");
    return chunk_read(from, &list[number], least);
}

static bool wire_read(struct sched_shares *m, struct state_buffer *from)
{
    uint64_t number, ends;
    if (!state_get_u64(&from->reader, &number) || !state_get_u64(&from->reader, &ends))
        return false;
    if (ends & SENDER && !chunk_place(from, m->sent, number, m->channels, 3 * sizeof(uint64_t), "channel"))
        return false;
    return !(ends & RECEIVER) || chunk_place(from, m->come, number, m->channels, 2 * sizeof(uint64_t), "channel");
}

static bool part_read(struct sched_shares *m, struct state_buffer *from)
{
    uint64_t number;
    return state_get_u64(&from->reader, &number) && chunk_place(from, m->part, number, m->parts, 1, "partition");
}

static bool due_read(struct sched_shares *m, struct state_buffer *from)
{
    struct due due;
    if (!STATE_GET(&from->reader, due))
        return false;
    dues_add(&m->dues, due);
    return true;
}

/* A number, and so many of what `one` reads. */
static bool each_read(struct sched_shares *m, struct state_buffer *from,
                      bool (*one)(struct sched_shares *m, struct state_buffer *from))
{
    uint64_t count;
    bool good = state_get_u64(&from->reader, &count);
    for (; good && count > 0; count--)
        good = one(m, from);
    return good;
}

static bool share_read(struct sched_shares *m, struct state_buffer *from)
{
    uint64_t active, next, visited;
    if (!state_get_u64(&from->reader, &active) || !state_get_u64(&from->reader, &next) ||
        !state_get_u64(&from->reader, &visited))
        return false;
    if (active > m->now || next < m->now)
        return state_refuse(&from->reader, "it has run to cycle %llu and goes on at %llu: the others rest at %llu",
                            (unsigned long long)active, (unsigned long long)next, (unsigned long long)m->now);
    m->visited = visited > m->visited ? visited : m->visited;
    return each_read(m, from, wire_read) && each_read(m, from, part_read) && each_read(m, from, due_read);
}

/* Nothing is missing, and nothing is under way between two shares. */
static bool is_whole(const struct sched_shares *m, char why[240])
{
    for (uint32_t i = 0; i < m->channels; i++) {
        uint64_t sent = 0, come = 1;
        if (m->sent[i].bytes && m->come[i].bytes) {
            memcpy(&sent, m->sent[i].bytes + 2 * sizeof sent, sizeof sent);
            memcpy(&come, m->come[i].bytes, sizeof come);
        }
        if (sent != come) {
            snprintf(why, 240, "channel %u: %llu messages sent, %llu have come", i, (unsigned long long)sent,
                     (unsigned long long)come);
            return false;
        }
    }
    for (uint32_t i = 0; i < m->parts; i++) {
        if (!m->part[i].bytes) {
            snprintf(why, 240, "partition %u of %u is in no process", i, m->parts);
            return false;
        }
    }
    return true;
}

struct sched_shares *sched_shares_read(const struct sched *s, struct state_buffer *shares, uint32_t count,
                                       char why[240])
{
    struct sched_shares *m = xzalloc(sizeof *m);
    *m = (struct sched_shares){.now = s->now, .channels = s->connected, .parts = s->added};
    m->sent = xcalloc(m->channels, sizeof *m->sent);
    m->come = xcalloc(m->channels, sizeof *m->come);
    m->part = xcalloc(m->parts, sizeof *m->part);
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        ok = share_read(m, &shares[i]);
        if (!ok)
            snprintf(why, 240, "process %u: %.200s", i,
                     *shares[i].reader.why ? shares[i].reader.why : "ends too early");
    }
    if (ok && is_whole(m, why))
        return m;
    sched_shares_free(m);
    return NULL;
}

void sched_shares_save(struct sched_shares *m, struct state_writer *to)
{
    struct state_buffer piece;
    state_buffer_init(&piece);
    STATE_PUT(to, m->now);
    for (uint32_t i = 0; i < m->channels; i++) {
        state_put(&piece.writer, m->sent[i].bytes, m->sent[i].count);
        state_put(&piece.writer, m->come[i].bytes + sizeof(uint64_t), m->come[i].count - sizeof(uint64_t));
        state_piece_put(to, &piece);
    }
    state_put_u64(to, m->visited);
    for (uint32_t i = 0; i < m->parts; i++) {
        state_put_u64(to, m->part[i].count);
        state_put(to, m->part[i].bytes, m->part[i].count);
    }
    dues_save(&m->dues, to);
    free(piece.bytes);
}

void sched_shares_free(struct sched_shares *m)
{
    if (m == NULL)
        return;
    free(m->sent);
    free(m->come);
    free(m->part);
    free(m->dues.list);
    free(m);
}
