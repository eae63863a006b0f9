/* SPDX-License-Identifier: Apache-2.0
 * State of a machine; contract in sched_save.h.  The calendar is saved as the sorted set of (window, partition),
 * whether a wake-up stands in a wheel or beyond it: a partition is visited once in a window, and a wake-up for a
 * message that the host has already taken still makes time pass.
 */
#include "bridge/run/sched_save.h"
#include "bridge/run/sched_links.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/link/channel_save.h"
#include "bridge/link/link.h"
#include "bridge/link/region_wait.h"
#include "bridge/run/calendar_save.h"
#include "bridge/run/sched_share.h"
#include "saved/state_piece.h"

const struct part *sched_unsavable(const struct sched *s, const char **why)
{
    for (uint32_t i = 0; i < s->count; i++) {
        *why = part_unsavable(s->parts[i]);
        if (*why)
            return s->parts[i];
    }
    return NULL;
}

/* ---- calendar */
static void calendar_save(const struct sched *s, struct state_writer *to)
{
    struct dues d = {0};
    dues_collect(&d, s);
    dues_save(&d, to);
    free(d.list);
}

/* Nothing due, nobody busy but who is not idle. */
static void calendar_clear(struct sched *s)
{
    for (uint32_t i = 0; i < s->group_count; i++) {
        struct sched_group *g = &s->groups[i];
        memset(g->wheel, 0, (size_t)g->words * SCHED_WHEEL * sizeof *g->wheel);
        memset(g->filled, 0, sizeof g->filled);
        memset(g->busy, 0, g->words * sizeof *g->busy);
        g->late.count = 0;
        for (uint32_t k = 0; k < g->count; k++)
            if (!g->parts[k]->idle)
                g->busy[k / 64] |= UINT64_C(1) << (k & 63);
    }
}

/* Partitions here by their numbers, NULL for those elsewhere; to be freed. */
static struct part **parts_numbered(const struct sched *s)
{
    struct part **list = xcalloc(s->added, sizeof(struct part *));
    for (uint32_t i = 0; i < s->count; i++)
        list[s->parts[i]->number] = s->parts[i];
    return list;
}

/* Wake-ups of the whole machine. */
static bool calendar_restore(struct sched *s, struct part *const *numbered, struct state_reader *from)
{
    uint64_t count, most = 0, mine = 0;
    calendar_clear(s);
    for (uint32_t i = 0; i < s->group_count; i++)
        most += s->groups[i].late.limit + (uint64_t)SCHED_WHEEL * s->groups[i].count;
    if (!state_get_count(from, "wake-ups", s->other_count ? UINT32_MAX : most, &count))
        return false;
    for (struct due due; count > 0; count--) {
        if (!STATE_GET(from, due))
            return false;
        if (due.number >= s->added || due.window < s->now / PART_WINDOW)
            return state_refuse(from, "wake-up of partition %llu in window %llu", (unsigned long long)due.number,
                                (unsigned long long)due.window);
        if (!numbered[due.number])
            continue;
        if (++mine > most)
            return state_refuse(from, "wake-ups: more than %llu", (unsigned long long)most);
        sched_wake(s, numbered[due.number], due.window * PART_WINDOW);
    }
    return true;
}

/* ---- the whole */

uint64_t sched_visited(const struct sched *s)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < s->group_count; i++)
        last = s->groups[i].visited > last ? s->groups[i].visited : last;
    return last;
}

void sched_save(struct sched *s, struct state_writer *to)
{
    struct state_buffer piece;
    PART_CHECK(!s->apart, NULL, s->now, "saved while a window runs");
    PART_CHECK(!s->import_count && !s->export_count, NULL, s->now, "saved with partners elsewhere");
    state_buffer_init(&piece);
    STATE_PUT(to, s->now);
    for (uint32_t i = 0; i < s->wire_count; i++) {
        channel_save(&s->wires[i]->channel, &piece.writer);
        state_piece_put(to, &piece);
    }
    state_put_u64(to, sched_visited(s));
    for (uint32_t i = 0; i < s->count; i++) {
        part_save(s->parts[i], &piece.writer);
        state_piece_put(to, &piece);
    }
    calendar_save(s, to);
    free(piece.bytes);
}

static bool wire_restore(void *ctx, struct state_reader *from)
{
    struct wire *w = ctx;
    struct channel *c = &w->channel;
    const uint64_t bit = UINT64_C(1) << (w->to_slot & 63);
    uint64_t count;
    if (w->to == NULL) {
        if (!channel_restore_sender(c, from, &count))
            return false;
        link_resume(w->out, c->sent, c->sent - count, c->last);
        return true;
    }
    if (!channel_restore(c, from))
        return false;
    if (w->in) {
        link_resume(w->in, c->tail, c->head, c->last);
        sched_keep(w->to->sched, w);
    }
    w->to->waiting[w->to_slot / 64] &= ~bit;
    if (!w->silent && !channel_empty(c))
        w->to->waiting[w->to_slot / 64] |= bit;
    return true;
}

static bool wires_restore(struct sched *s, struct state_reader *from)
{
    struct wire **numbered = xcalloc(s->connected, sizeof(struct wire *));
    bool ok = true;
    for (uint32_t i = 0; i < s->wire_count; i++)
        numbered[s->wires[i]->channel.id] = s->wires[i];
    for (uint32_t i = 0; i < s->connected && ok; i++)
        ok = state_piece_get(from, numbered[i] ? wire_restore : NULL, numbered[i]);
    free(numbered);
    return ok;
}

static bool one_part_restore(void *ctx, struct state_reader *from)
{
    return part_restore(ctx, from);
}

static bool parts_restore(struct sched *s, struct part *const *numbered, struct state_reader *from)
{
    for (uint32_t i = 0; i < s->added; i++)
        if (!state_piece_get(from, numbered[i] ? one_part_restore : NULL, numbered[i]))
            return false;
    return true;
}

static void groups_restore(struct sched *s, uint64_t last)
{
    for (uint32_t i = 0; i < s->group_count; i++) {
        struct sched_group *g = &s->groups[i];
        g->visited = last;
        g->visits = 0;
        for (uint32_t k = 0; k < g->count; k++)
            g->visits += g->parts[k]->visits;
    }
}

bool sched_restore(struct sched *s, struct state_reader *from)
{
    uint64_t last;
    if (!STATE_GET(from, s->now))
        return false;
    if (s->now % PART_WINDOW)
        return state_refuse(from, "cycle %llu is no window's first", (unsigned long long)s->now);
    struct part **numbered = parts_numbered(s);
    bool ok = wires_restore(s, from) && state_get_u64(from, &last) && parts_restore(s, numbered, from) &&
              calendar_restore(s, numbered, from);
    free(numbered);
    if (ok)
        groups_restore(s, last);
    if (ok && s->region)
        region_set_active(s->region, sched_active(s));
    return ok;
}

uint64_t sched_state_hash(struct sched *s)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    STATE_PUT(&hash.writer, s->now);
    for (uint32_t i = 0; i < s->wire_count; i++)
        channel_save(&s->wires[i]->channel, &hash.writer);
    for (uint32_t i = 0; i < s->count; i++)
        state_put_u64(&hash.writer, part_state_hash(s->parts[i]));
    calendar_save(s, &hash.writer);
    return state_hash_end(&hash);
}
