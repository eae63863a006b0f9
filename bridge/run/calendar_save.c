/* SPDX-License-Identifier: Apache-2.0
 * Wake-ups of a calendar; contract in calendar_save.h.
 */
#include "bridge/run/calendar_save.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "saved/state_io.h"

void dues_add(struct dues *d, struct due due)
{
    size_t n = d->count++;
    d->list = xgrow(d->list, &d->room, d->count, sizeof *d->list);
    d->list[n] = due;
}

static void group_collect(struct dues *d, const struct sched *s, const struct sched_group *g)
{
    const uint64_t now = s->now / PART_WINDOW;
    for (uint64_t step = 0; step < SCHED_WHEEL; step++) {
        const uint64_t *due = &g->wheel[(now + step) % SCHED_WHEEL * g->words];
        for (uint32_t w = 0; w < g->words; w++)
            for (uint64_t bits = due[w]; bits; bits &= bits - 1)
                dues_add(d, (struct due){now + step, g->parts[w * 64 + (uint32_t)__builtin_ctzll(bits)]->number});
    }
    for (size_t i = 0; i < g->late.count; i++)
        dues_add(d, (struct due){g->late.items[i].cycle / PART_WINDOW, g->parts[g->late.items[i].value]->number});
}

void dues_collect(struct dues *d, const struct sched *s)
{
    for (uint32_t i = 0; i < s->group_count; i++)
        group_collect(d, s, &s->groups[i]);
}

static int compare(const void *a, const void *b)
{
    const struct due *x = a, *y = b;
    const int window = (x->window > y->window) - (x->window < y->window);
    return window ? window : (x->number > y->number) - (x->number < y->number);
}

void dues_save(struct dues *d, struct state_writer *to)
{
    size_t kept = 0;
    if (d->count)
        qsort(d->list, d->count, sizeof *d->list, compare);
    for (size_t i = 0; i < d->count; i++)
        if (kept == 0 || compare(&d->list[kept - 1], &d->list[i]) != 0)
            d->list[kept++] = d->list[i];
    d->count = kept;
    state_put_u64(to, kept);
    state_put(to, d->list, kept * sizeof *d->list);
}
