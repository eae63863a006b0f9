/* SPDX-License-Identifier: Apache-2.0
 * Scheduler and calendar; contract in sched.h.
 */
#include "bridge/run/sched.h"

#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "bridge/link/link.h"
#include "bridge/run/thread_team.h"

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
static inline void arrive(struct wire *w, uint64_t stamp)
{
    if (w->silent)
        return;
    w->to->waiting[w->to_slot / 64] |= UINT64_C(1) << (w->to_slot & 63);
    sched_wake(w->to->sched, w->to, stamp);
}

/* The partner is elsewhere, or a link takes a copy (sched_tap). */
static void leave(struct wire *w, uint64_t now, const void *message)
{
    if (w->to == NULL) {
        link_send(w->out, channel_leave(&w->channel, now, message), message);
        return;
    }
    uint64_t stamp = channel_send(&w->channel, now, message);
    link_send(w->out, stamp, message);
    arrive(w, stamp);
}

static void deliver(struct wire *w, uint64_t now, const void *message)
{
    if (__builtin_expect(w->out != NULL, 0)) {
        leave(w, now, message);
        return;
    }
    arrive(w, channel_send(&w->channel, now, message));
}

/* Between groups that run at the same time: delivered when the run is over. */
static void mail(struct sched_group *g, struct wire *w, uint64_t now, const void *message)
{
    size_t bytes = sched_mail_bytes(&w->channel);
    PART_CHECK(g->outbox_used + bytes <= g->outbox_room, w->from, now, "outbox of group %u: %zu of %zu bytes",
               w->from->group, g->outbox_used, g->outbox_room);
    struct sched_mail *m = (struct sched_mail *)(g->outbox + g->outbox_used);
    *m = (struct sched_mail){w, now};
    if (w->channel.bytes)
        memcpy(m + 1, message, w->channel.bytes);
    g->outbox_used += bytes;
}

static void mail_deliver(struct sched_group *g)
{
    for (size_t at = 0; at < g->outbox_used;) {
        const struct sched_mail *m = (const struct sched_mail *)(g->outbox + at);
        deliver(m->wire, m->now, m + 1);
        at += sched_mail_bytes(&m->wire->channel);
    }
    g->outbox_used = 0;
}

void sched_send(struct part *part, uint32_t slot, uint64_t now, const void *message)
{
    PART_CHECK(slot < part->outs && part->out[slot], part, now, "message on output %u, which leads nowhere", slot);
    struct wire *w = part->out[slot];
    if (part->sched->apart && w->crosses)
        mail(&part->sched->groups[part->group], w, now, message);
    else
        deliver(w, now, message);
}

/* ---- visits */
static void visit(struct sched_group *g, struct part *part, uint64_t from)
{
    part_gather(part, from);
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
        g->visited = ready ? from : g->visited; /* others are visited for nothing */
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
    CHECK(s->now + (uint64_t)windows * PART_WINDOW <= s->horizon, "links", "cycle=%llu %u windows, horizon %llu",
          (unsigned long long)s->now, windows, (unsigned long long)s->horizon);
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
    for (uint32_t step = 0; step <= SCHED_WHEEL / 64;
         step++) { /* the first word once more: its high bits are clear then */
        uint32_t w = (start / 64 + step) % (SCHED_WHEEL / 64);
        uint64_t bits = g->filled[w];
        if (step == 0)
            bits &= UINT64_MAX << (start & 63);
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

uint64_t sched_active(const struct sched *s)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < s->group_count; i++) {
        const struct sched_group *g = &s->groups[i];
        if (g->visits && g->visited + PART_WINDOW > last)
            last = g->visited + PART_WINDOW;
    }
    return last;
}
