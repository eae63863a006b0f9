/* SPDX-License-Identifier: Apache-2.0
 * Lines accessed last; contract in touched.h.  Places of a list in both directions and a hash table of chains: every
 * access is a few steps, whatever the size.
 */
#include "golden/touched.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

#define LINE_SHIFT 6
#define NOWHERE UINT32_MAX

struct place {
    uint64_t line;
    uint32_t older, newer; /* in the order of use */
    uint32_t chain;        /* next line with the same hash */
};

struct touched {
    uint32_t most, count;
    uint32_t oldest, newest;
    uint32_t mask;   /* heads - 1 */
    uint32_t *heads; /* of chains */
    struct place *places;
};

struct touched *touched_new(uint32_t most)
{
    struct touched *t = xcalloc(1, sizeof *t);
    uint32_t heads = 1;
    while (heads < most)
        heads *= 2;
    t->most = most;
    t->mask = heads - 1;
    t->heads = xcalloc(heads, sizeof *t->heads);
    t->places = xcalloc(most, sizeof *t->places);
    touched_clear(t);
    return t;
}

void touched_free(struct touched *t)
{
    if (t == NULL)
        return;
    free(t->heads);
    free(t->places);
    free(t);
}

void touched_clear(struct touched *t)
{
    t->count = 0;
    t->oldest = t->newest = NOWHERE;
    memset(t->heads, 0xff, ((size_t)t->mask + 1) * sizeof *t->heads);
}

static uint32_t *head_of(struct touched *t, uint64_t line)
{
    return &t->heads[(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & t->mask];
}

static uint32_t find(struct touched *t, uint64_t line)
{
    uint32_t n = *head_of(t, line);
    while (n != NOWHERE && t->places[n].line != line)
        n = t->places[n].chain;
    return n;
}

static void leave_order(struct touched *t, uint32_t n)
{
    const struct place *p = &t->places[n];
    *(p->older == NOWHERE ? &t->oldest : &t->places[p->older].newer) = p->newer;
    *(p->newer == NOWHERE ? &t->newest : &t->places[p->newer].older) = p->older;
}

static void be_newest(struct touched *t, uint32_t n)
{
    t->places[n].older = t->newest;
    t->places[n].newer = NOWHERE;
    *(t->newest == NOWHERE ? &t->oldest : &t->places[t->newest].newer) = n;
    t->newest = n;
}

/* A place for one more line: a free one, else that of the line used longest ago. */
static uint32_t place_take(struct touched *t)
{
    if (t->count < t->most)
        return t->count++;
    const uint32_t n = t->oldest;
    uint32_t *at = head_of(t, t->places[n].line);
    while (*at != n)
        at = &t->places[*at].chain;
    *at = t->places[n].chain;
    leave_order(t, n);
    return n;
}

void touched_note(struct touched *t, uint64_t at, bool add)
{
    const uint64_t line = at >> LINE_SHIFT;
    if (t->newest != NOWHERE && t->places[t->newest].line == line)
        return; /* lane after lane */
    uint32_t n = find(t, line);
    if (n == NOWHERE && !add)
        return;
    if (n == NOWHERE) {
        n = place_take(t);
        uint32_t *head = head_of(t, line);
        t->places[n].line = line;
        t->places[n].chain = *head;
        *head = n;
    } else {
        leave_order(t, n);
    }
    be_newest(t, n);
}

void touched_each(const struct touched *t, void (*fn)(void *ctx, uint64_t at), void *ctx)
{
    for (uint32_t n = t->oldest; n != NOWHERE; n = t->places[n].newer)
        fn(ctx, t->places[n].line << LINE_SHIFT);
}
