/* SPDX-License-Identifier: Apache-2.0
 * Scheduler and calendar; contract in sched.h.
 */
#include "bridge/run/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/run/team.h"

void sched_init(struct sched *s)
{
    memset(s, 0, sizeof *s);
}

static void group_fini(struct sched_group *g)
{
    free(g->parts);
    free(g->busy);
    free(g->wheel);
    free(g->outbox);
    heap_fini(&g->late);
}

void sched_fini(struct sched *s)
{
    team_free(s->team);
    for (uint32_t i = 0; i < s->count; i++)
        part_free(s->parts[i]);
    for (uint32_t i = 0; i < s->wire_count; i++) {
        channel_fini(&s->wires[i]->channel);
        free(s->wires[i]);
    }
    for (uint32_t i = 0; i < s->group_count; i++)
        group_fini(&s->groups[i]);
    free(s->parts);
    free(s->wires);
    free(s->groups);
    free(s->ready);
    memset(s, 0, sizeof *s);
}

void sched_add(struct sched *s, struct part *part)
{
    s->parts = xrealloc(s->parts, s->count + 1, sizeof *s->parts);
    part->sched = s;
    s->parts[s->count++] = part;
}

struct wire *sched_connect(struct sched *s, struct part *from, uint32_t slot_from, struct part *to, uint32_t slot_to,
                           uint32_t bytes, uint32_t latency, uint32_t depth)
{
    PART_CHECK(slot_from < from->outs && slot_to < to->ins, from, 0, "output %u of %u to %s input %u of %u", slot_from,
               from->outs, to->name, slot_to, to->ins);
    PART_CHECK(!from->out[slot_from] && !to->in[slot_to], from, 0, "output %u or input %u of %s is connected twice",
               slot_from, slot_to, to->name);
    PART_CHECK(latency >= PART_WINDOW, from, 0, "channel to %s: latency %u is below the window", to->name, latency);
    PART_CHECK(s->wire_count < UINT16_MAX, from, 0, "too many channels");
    struct wire *w = xcalloc(1, sizeof *w);
    channel_init(&w->channel, (uint16_t)s->wire_count, from->name, to->name, bytes, latency, depth);
    w->from = from;
    w->to = to;
    w->to_slot = slot_to;
    from->out[slot_from] = w;
    to->in[slot_to] = w;
    s->wires = xrealloc(s->wires, s->wire_count + 1, sizeof *s->wires);
    s->wires[s->wire_count++] = w;
    return w;
}

static void group_add(struct sched_group *g, struct part *part)
{
    g->parts = xrealloc(g->parts, g->count + 1, sizeof *g->parts);
    part->index = g->count;
    g->parts[g->count++] = part;
}

static void group_start(struct sched_group *g)
{
    g->words = (g->count + 63) / 64;
    g->busy = xcalloc(g->words, sizeof *g->busy);
    g->wheel = xcalloc((size_t)g->words * SCHED_WHEEL, sizeof *g->wheel);
    for (uint32_t i = 0; i < g->count; i++) {
        if (!g->parts[i]->idle)
            g->busy[i / 64] |= UINT64_C(1) << (i & 63);
    }
}

struct mail {
    struct wire *wire;
    uint64_t now;
};

static size_t mail_bytes(const struct channel *c)
{
    return sizeof(struct mail) + ((size_t)c->bytes + 7) / 8 * 8;
}

/* Written bounds of what grows with messages: wake-ups beyond the wheel (one a message, and one of each partition's
 * own) and, for groups that run at the same time, mail (what is in an outbox is not yet in its channel). */
static void bounds_set(struct sched *s)
{
    for (uint32_t i = 0; i < s->group_count; i++)
        s->groups[i].late.limit = s->groups[i].count;
    for (uint32_t i = 0; i < s->wire_count; i++) {
        const struct wire *w = s->wires[i];
        s->groups[w->to->group].late.limit += w->channel.depth;
        if (s->threads > 1 && w->from->group != w->to->group)
            s->groups[w->from->group].outbox_room += w->channel.depth * mail_bytes(&w->channel);
    }
    for (uint32_t i = 0; i < s->group_count; i++) {
        if (s->groups[i].outbox_room)
            s->groups[i].outbox = xrealloc(NULL, s->groups[i].outbox_room, 1);
    }
}

bool sched_start(struct sched *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->parts[i]->group >= s->group_count)
            s->group_count = s->parts[i]->group + 1;
    }
    s->groups = xcalloc(s->group_count, sizeof *s->groups);
    s->ready = xcalloc(s->group_count, sizeof *s->ready);
    for (uint32_t i = 0; i < s->count; i++)
        group_add(&s->groups[s->parts[i]->group], s->parts[i]);
    for (uint32_t i = 0; i < s->group_count; i++)
        group_start(&s->groups[i]);
    bounds_set(s);
    s->stretch = SCHED_STRETCH;
    for (uint32_t i = 0; i < s->wire_count; i++) {
        const struct wire *w = s->wires[i];
        if (w->from->group != w->to->group && w->channel.latency / PART_WINDOW < s->stretch)
            s->stretch = w->channel.latency / PART_WINDOW;
    }
    if (s->threads > 1)
        s->team = team_new(s->threads);
    return s->threads <= 1 || s->team != NULL;
}

void sched_wake(struct sched *s, struct part *part, uint64_t cycle)
{
    struct sched_group *g = &s->groups[part->group];
    uint64_t window = cycle / PART_WINDOW;
    if (window - s->now / PART_WINDOW >= SCHED_WHEEL) {
        heap_push(&g->late, cycle, part->index);
        return;
    }
    uint32_t place = (uint32_t)(window % SCHED_WHEEL);
    g->wheel[(size_t)place * g->words + part->index / 64] |= UINT64_C(1) << (part->index & 63);
    g->filled[place / 64] |= UINT64_C(1) << (place & 63);
}

/* ---- messages */
static void deliver(struct wire *w, uint64_t now, const void *message)
{
    uint64_t stamp = channel_send(&w->channel, now, message);
    if (w->silent)
        return;
    w->to->waiting[w->to_slot / 64] |= UINT64_C(1) << (w->to_slot & 63);
    sched_wake(w->to->sched, w->to, stamp);
}

/* Between groups that run at the same time: delivered when the run is over. */
static void mail(struct sched_group *g, struct wire *w, uint64_t now, const void *message)
{
    size_t bytes = mail_bytes(&w->channel);
    PART_CHECK(g->outbox_used + bytes <= g->outbox_room, w->from, now, "outbox of group %u: %zu of %zu bytes",
               w->from->group, g->outbox_used, g->outbox_room);
    struct mail *m = (struct mail *)(g->outbox + g->outbox_used);
    *m = (struct mail){w, now};
    if (w->channel.bytes)
        memcpy(m + 1, message, w->channel.bytes);
    g->outbox_used += bytes;
}

static void mail_deliver(struct sched_group *g)
{
    for (size_t at = 0; at < g->outbox_used;) {
        const struct mail *m = (const struct mail *)(g->outbox + at);
        deliver(m->wire, m->now, m + 1);
        at += mail_bytes(&m->wire->channel);
    }
    g->outbox_used = 0;
}

void sched_send(struct part *part, uint32_t slot, uint64_t now, const void *message)
{
    PART_CHECK(slot < part->outs && part->out[slot], part, now, "message on output %u, which leads nowhere", slot);
    struct wire *w = part->out[slot];
    if (part->sched->apart && w->to->group != part->group)
        mail(&part->sched->groups[part->group], w, now, message);
    else
        deliver(w, now, message);
}

/* ---- visits */
static void visit(struct sched_group *g, struct part *part, uint64_t from)
{
    part_gather(part, from);
    part->visited = from;
    part->visits++;
    g->visits++;
    part->ops->visit(part, from);
    part_release(part);
    uint64_t bit = UINT64_C(1) << (part->index & 63), *word = &g->busy[part->index / 64];
    *word = part->idle ? *word & ~bit : *word | bit;
}

/* What is ready of a group in the window at `from`. */
static void group_window(struct sched_group *g, uint64_t from, bool all)
{
    uint32_t place = (uint32_t)(from / PART_WINDOW % SCHED_WHEEL);
    uint64_t *due = &g->wheel[(size_t)place * g->words];
    g->filled[place / 64] &= ~(UINT64_C(1) << (place & 63));
    for (uint32_t w = 0; w < g->words; w++) {
        uint64_t ready = due[w] | g->busy[w];
        due[w] = 0;
        if (all)
            ready = w + 1 < g->words || g->count % 64 == 0 ? UINT64_MAX : (UINT64_C(1) << g->count % 64) - 1;
        for (; ready; ready &= ready - 1)
            visit(g, g->parts[w * 64 + (uint32_t)__builtin_ctzll(ready)], from);
    }
}

static void group_run(void *ctx, uint32_t n)
{
    struct sched *s = ctx;
    struct sched_group *g = &s->groups[s->ready[n]];
    for (unsigned k = 0; k < s->windows_now; k++)
        group_window(g, s->now + (uint64_t)k * PART_WINDOW, s->no_skip);
}

static bool group_busy(const struct sched_group *g)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < g->words; w++)
        any |= g->busy[w];
    return any != 0;
}

/* Whether a group may have something to do in the run; what was far ahead comes to its calendar. */
static bool group_ready(struct sched *s, struct sched_group *g)
{
    while (heap_next(&g->late) / PART_WINDOW - s->now / PART_WINDOW < SCHED_WHEEL) {
        struct heap_item item = heap_pop(&g->late);
        sched_wake(s, g->parts[item.value], item.cycle);
    }
    bool ready = s->no_skip || group_busy(g);
    for (unsigned k = 0; k < s->windows_now && !ready; k++) {
        uint32_t place = (uint32_t)((s->now / PART_WINDOW + k) % SCHED_WHEEL);
        ready = g->filled[place / 64] >> (place & 63) & 1;
    }
    return ready;
}

void sched_run(struct sched *s, unsigned windows)
{
    uint32_t count = 0;
    s->windows_now = windows;
    for (uint32_t i = 0; i < s->group_count; i++) {
        if (group_ready(s, &s->groups[i]))
            s->ready[count++] = i;
    }
    if (s->team && count >= SCHED_SHARED) {
        s->apart = true;
        team_run(s->team, count, group_run, s);
        s->apart = false;
        for (uint32_t n = 0; n < count; n++)
            mail_deliver(&s->groups[s->ready[n]]);
    } else {
        for (uint32_t n = 0; n < count; n++)
            group_run(s, n);
    }
    s->now += (uint64_t)windows * PART_WINDOW;
}

/* First filled window of the group's wheel at or after now. */
static uint64_t wheel_next(const struct sched_group *g, uint64_t now)
{
    uint32_t start = (uint32_t)(now / PART_WINDOW % SCHED_WHEEL);
    for (uint32_t step = 0; step <= SCHED_WHEEL / 64; step++) { /* the first word once more at the end: its low bits */
        uint32_t w = (start / 64 + step) % (SCHED_WHEEL / 64);
        uint64_t bits = g->filled[w];
        if (step == 0)
            bits &= UINT64_MAX << (start & 63);
        else if (step == SCHED_WHEEL / 64)
            bits &= ~(UINT64_MAX << (start & 63));
        if (bits) {
            uint32_t place = w * 64 + (uint32_t)__builtin_ctzll(bits);
            return now + (uint64_t)((place - start) % SCHED_WHEEL) * PART_WINDOW;
        }
    }
    return UINT64_MAX;
}

uint64_t sched_next(const struct sched *s)
{
    uint64_t first = UINT64_MAX;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const struct sched_group *g = &s->groups[i];
        if (group_busy(g))
            return s->now;
        uint64_t wheel = wheel_next(g, s->now), late = heap_next(&g->late);
        if (late != UINT64_MAX)
            late -= late % PART_WINDOW;
        first = wheel < first ? wheel : first;
        first = late < first ? late : first;
    }
    return first;
}

bool sched_quiet(const struct sched *s)
{
    return sched_next(s) == UINT64_MAX;
}

uint64_t sched_visits(const struct sched *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->group_count; i++)
        sum += s->groups[i].visits;
    return sum;
}
