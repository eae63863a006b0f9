/* SPDX-License-Identifier: Apache-2.0
 * Scheduler and calendar; contract in sched.h.
 */
#include "bridge/inproc/sched.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void sched_init(struct sched *s) { memset(s, 0, sizeof *s); }

void sched_fini(struct sched *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        part_free(s->parts[i]);
    for (uint32_t i = 0; i < s->channel_count; i++) {
        channel_fini(s->channels[i]);
        free(s->channels[i]);
    }
    free(s->parts);
    free(s->channels);
    free(s->busy);
    free(s->members);
    free(s->wheel);
    heap_fini(&s->late);
    memset(s, 0, sizeof *s);
}

void sched_add(struct sched *s, struct part *part)
{
    s->parts = xrealloc(s->parts, s->count + 1, sizeof *s->parts);
    part->index = s->count;
    part->sched = s;
    s->parts[s->count++] = part;
}

struct channel *sched_connect(struct sched *s, struct part *from, uint32_t slot_from, struct part *to, uint32_t slot_to,
                              uint32_t bytes, uint32_t latency)
{
    PART_CHECK(slot_from < from->outs && slot_to < to->ins, from, 0, "output %u of %u to %s input %u of %u", slot_from, from->outs,
               to->name, slot_to, to->ins);
    PART_CHECK(!from->out[slot_from] && !to->in[slot_to], from, 0, "output %u or input %u of %s is connected twice", slot_from, slot_to,
               to->name);
    PART_CHECK(latency >= SCHED_WINDOW, from, 0, "channel to %s: latency %u is below the window", to->name, latency);
    PART_CHECK(s->channel_count < UINT16_MAX, from, 0, "too many channels");
    struct channel *c = xcalloc(1, sizeof *c);
    channel_init(c, (uint16_t)s->channel_count, bytes, latency);
    c->from = from;
    c->to = to;
    c->to_slot = (uint16_t)slot_to;
    from->out[slot_from] = c;
    to->in[slot_to] = c;
    s->channels = xrealloc(s->channels, s->channel_count + 1, sizeof *s->channels);
    s->channels[s->channel_count++] = c;
    return c;
}

void sched_start(struct sched *s)
{
    s->words = (s->count + 63) / 64;
    s->busy = xcalloc(s->words, sizeof *s->busy);
    s->wheel = xcalloc((size_t)s->words * SCHED_WHEEL, sizeof *s->wheel);
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->parts[i]->idle)
            s->busy[i / 64] |= UINT64_C(1) << (i & 63);
        if (s->parts[i]->group >= s->groups)
            s->groups = s->parts[i]->group + 1;
    }
    s->members = xcalloc((size_t)s->groups * s->words, sizeof *s->members);
    for (uint32_t i = 0; i < s->count; i++)
        s->members[s->parts[i]->group * s->words + i / 64] |= UINT64_C(1) << (i & 63);
    s->stretch = SCHED_STRETCH;
    for (uint32_t i = 0; i < s->channel_count; i++) {
        const struct channel *c = s->channels[i];
        if (c->from->group != c->to->group && c->latency / SCHED_WINDOW < s->stretch)
            s->stretch = c->latency / SCHED_WINDOW;
    }
}

void sched_wake(struct sched *s, struct part *part, uint64_t cycle)
{
    uint64_t window = cycle / SCHED_WINDOW;
    if (window - s->now / SCHED_WINDOW >= SCHED_WHEEL) {
        heap_push(&s->late, cycle, part->index);
        return;
    }
    uint32_t place = (uint32_t)(window % SCHED_WHEEL);
    s->wheel[(size_t)place * s->words + part->index / 64] |= UINT64_C(1) << (part->index & 63);
    s->filled[place / 64] |= UINT64_C(1) << (place & 63);
}

static void visit(struct sched *s, struct part *part, uint64_t from)
{
    part_gather(part, from);
    part->visited = from;
    part->visits++;
    s->visits++;
    part->ops->visit(part, from);
    part_release(part);
    uint64_t bit = UINT64_C(1) << (part->index & 63), *word = &s->busy[part->index / 64];
    *word = part->idle ? *word & ~bit : *word | bit;
}

/* What is ready of a group in the window at `from`. */
static void group_visit(struct sched *s, uint32_t group, uint64_t from)
{
    uint64_t *due = &s->wheel[from / SCHED_WINDOW % SCHED_WHEEL * s->words];
    const uint64_t *members = &s->members[(size_t)group * s->words];
    for (uint32_t w = 0; w < s->words; w++) {
        uint64_t ready = (s->no_skip ? UINT64_MAX : due[w] | s->busy[w]) & members[w];
        due[w] &= ~members[w];
        for (; ready; ready &= ready - 1)
            visit(s, s->parts[w * 64 + (uint32_t)__builtin_ctzll(ready)], from);
    }
}

void sched_run(struct sched *s, unsigned windows)
{
    uint64_t end = s->now + (uint64_t)windows * SCHED_WINDOW;
    while (heap_next(&s->late) / SCHED_WINDOW - s->now / SCHED_WINDOW < SCHED_WHEEL) {
        struct heap_item item = heap_pop(&s->late);
        sched_wake(s, s->parts[item.value], item.cycle);
    }
    for (uint32_t g = 0; g < s->groups; g++)
        for (uint64_t from = s->now; from < end; from += SCHED_WINDOW)
            group_visit(s, g, from);
    for (; s->now < end; s->now += SCHED_WINDOW) {
        uint32_t place = (uint32_t)(s->now / SCHED_WINDOW % SCHED_WHEEL);
        s->filled[place / 64] &= ~(UINT64_C(1) << (place & 63));
    }
    s->windows += windows;
}

static bool any_busy(const struct sched *s)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < s->words; w++)
        any |= s->busy[w];
    return any != 0;
}

/* First filled window of the wheel at or after now. */
static uint64_t wheel_next(const struct sched *s)
{
    uint32_t start = (uint32_t)(s->now / SCHED_WINDOW % SCHED_WHEEL);
    for (uint32_t step = 0; step <= SCHED_WHEEL / 64; step++) { /* the first word once more at the end: its low bits */
        uint32_t w = (start / 64 + step) % (SCHED_WHEEL / 64);
        uint64_t bits = s->filled[w];
        if (step == 0)
            bits &= UINT64_MAX << (start & 63);
        else if (step == SCHED_WHEEL / 64)
            bits &= ~(UINT64_MAX << (start & 63));
        if (bits) {
            uint32_t place = w * 64 + (uint32_t)__builtin_ctzll(bits);
            return s->now + (uint64_t)((place - start) % SCHED_WHEEL) * SCHED_WINDOW;
        }
    }
    return UINT64_MAX;
}

uint64_t sched_next(const struct sched *s)
{
    if (any_busy(s))
        return s->now;
    uint64_t wheel = wheel_next(s), late = heap_next(&s->late);
    if (late != UINT64_MAX)
        late -= late % SCHED_WINDOW;
    return wheel < late ? wheel : late;
}

bool sched_quiet(const struct sched *s) { return sched_next(s) == UINT64_MAX; }
