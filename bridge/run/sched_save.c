/* SPDX-License-Identifier: Apache-2.0
 * State of a machine; contract in sched_save.h.  The calendar is saved as the sorted set of (window, partition),
 * whether a wake-up stands in a wheel or beyond it: a partition is visited once in a window, and a wake-up for a
 * message that the host has already taken still makes time pass.
 */
#include "bridge/run/sched_save.h"

#include <stdlib.h>
#include <string.h>

#include "base/state_io.h"
#include "base/xalloc.h"
#include "bridge/link/channel_save.h"

struct due {
    uint64_t window;
    uint32_t group, index; /* of the partition */
};
struct dues {
    struct due *list;
    size_t count, room;
};

uint64_t sched_graph(const struct sched *s)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct part *part = s->parts[i];
        state_put_text(&hash.writer, part->name);
        STATE_PUT(&hash.writer, part->ins);
        STATE_PUT(&hash.writer, part->outs);
        STATE_PUT(&hash.writer, part->group);
        for (uint32_t slot = 0; slot < part->outs; slot++)
            state_put_u64(&hash.writer, part->out[slot] ? part->out[slot]->channel.id : UINT64_MAX);
    }
    for (uint32_t i = 0; i < s->wire_count; i++) {
        const struct wire *w = s->wires[i];
        channel_describe(&w->channel, &hash.writer);
        STATE_PUT(&hash.writer, w->to_slot);
        STATE_PUT(&hash.writer, w->silent);
    }
    return state_hash_end(&hash);
}

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
static void due_add(struct dues *d, const struct part *part, uint64_t window)
{
    d->list = xgrow(d->list, &d->room, d->count + 1, sizeof *d->list);
    d->list[d->count++] = (struct due){window, part->group, part->index};
}

static int due_compare(const void *a, const void *b)
{
    const struct due *x = a, *y = b;
    if (x->window != y->window)
        return x->window < y->window ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void wheel_collect(struct dues *d, const struct sched *s, const struct sched_group *g)
{
    const uint64_t now = s->now / PART_WINDOW;
    for (uint64_t step = 0; step < SCHED_WHEEL; step++) {
        const uint64_t *due = &g->wheel[(now + step) % SCHED_WHEEL * g->words];
        for (uint32_t w = 0; w < g->words; w++)
            for (uint64_t bits = due[w]; bits; bits &= bits - 1)
                due_add(d, g->parts[w * 64 + (uint32_t)__builtin_ctzll(bits)], now + step);
    }
    for (size_t i = 0; i < g->late.count; i++)
        due_add(d, g->parts[g->late.items[i].value], g->late.items[i].cycle / PART_WINDOW);
}

static void calendar_save(const struct sched *s, struct state_writer *to)
{
    struct dues d = {0};
    size_t kept = 0;
    for (uint32_t i = 0; i < s->group_count; i++)
        wheel_collect(&d, s, &s->groups[i]);
    if (d.count)
        qsort(d.list, d.count, sizeof *d.list, due_compare);
    for (size_t i = 0; i < d.count; i++)
        if (kept == 0 || due_compare(&d.list[kept - 1], &d.list[i]) != 0)
            d.list[kept++] = d.list[i];
    state_put_u64(to, kept);
    state_put(to, d.list, kept * sizeof *d.list);
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

static bool calendar_restore(struct sched *s, struct state_reader *from)
{
    uint64_t count, most = 0;
    calendar_clear(s);
    for (uint32_t i = 0; i < s->group_count; i++)
        most += s->groups[i].late.limit + (uint64_t)SCHED_WHEEL * s->groups[i].count;
    if (!state_get_count(from, "wake-ups", most, &count))
        return false;
    for (struct due due; count > 0; count--) {
        if (!STATE_GET(from, due))
            return false;
        if (due.group >= s->group_count || due.index >= s->groups[due.group].count || due.window < s->now / PART_WINDOW)
            return state_refuse(from, "wake-up of partition %u of group %u in window %llu", due.index, due.group,
                                (unsigned long long)due.window);
        sched_wake(s, s->groups[due.group].parts[due.index], due.window * PART_WINDOW);
    }
    return true;
}

/* ---- the whole */
static void time_and_messages_save(const struct sched *s, struct state_writer *to)
{
    STATE_PUT(to, s->now);
    for (uint32_t i = 0; i < s->wire_count; i++)
        channel_save(&s->wires[i]->channel, to);
}

void sched_save(struct sched *s, struct state_writer *to)
{
    PART_CHECK(!s->apart, NULL, s->now, "saved while a window runs");
    PART_CHECK(!s->import_count && !s->export_count, NULL, s->now, "saved with partners elsewhere");
    time_and_messages_save(s, to);
    for (uint32_t i = 0; i < s->group_count; i++) {
        STATE_PUT(to, s->groups[i].visits);
        STATE_PUT(to, s->groups[i].visited);
    }
    for (uint32_t i = 0; i < s->count; i++)
        part_save(s->parts[i], to);
    calendar_save(s, to);
}

static bool wire_restore(struct wire *w, struct state_reader *from)
{
    const uint64_t bit = UINT64_C(1) << (w->to_slot & 63);
    if (!channel_restore(&w->channel, from))
        return false;
    w->to->waiting[w->to_slot / 64] &= ~bit;
    if (!w->silent && !channel_empty(&w->channel))
        w->to->waiting[w->to_slot / 64] |= bit;
    return true;
}

bool sched_restore(struct sched *s, struct state_reader *from)
{
    if (!STATE_GET(from, s->now))
        return false;
    if (s->now % PART_WINDOW)
        return state_refuse(from, "cycle %llu is no window's first", (unsigned long long)s->now);
    for (uint32_t i = 0; i < s->wire_count; i++)
        if (!wire_restore(s->wires[i], from))
            return false;
    for (uint32_t i = 0; i < s->group_count; i++)
        if (!STATE_GET(from, s->groups[i].visits) || !STATE_GET(from, s->groups[i].visited))
            return false;
    for (uint32_t i = 0; i < s->count; i++)
        if (!part_restore(s->parts[i], from))
            return false;
    return calendar_restore(s, from);
}

uint64_t sched_state_hash(struct sched *s)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    time_and_messages_save(s, &hash.writer);
    for (uint32_t i = 0; i < s->count; i++)
        state_put_u64(&hash.writer, part_state_hash(s->parts[i]));
    calendar_save(s, &hash.writer);
    return state_hash_end(&hash);
}
