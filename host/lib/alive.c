/* SPDX-License-Identifier: Apache-2.0
 * A set of addresses; contract in alive.h.
 */
#include "lib/alive.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/xalloc.h"

#define PLACES_LEAST 16u

static size_t home(const struct alive *a, const void *handle)
{
    return (size_t)((uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15) >> 32) & a->mask;
}

/* Where it is, or the empty place behind those that it could be at. */
static size_t place_of(const struct alive *a, const void *handle)
{
    size_t i = home(a, handle);
    while (a->place[i] && a->place[i] != handle)
        i = (i + 1) & a->mask;
    return i;
}

bool alive_has(const struct alive *a, const void *handle)
{
    return handle && a->count && a->place[place_of(a, handle)];
}

static void grow(struct alive *a)
{
    const struct alive before = *a;
    const size_t places = before.count ? 2 * (before.mask + 1) : PLACES_LEAST;
    a->place = xcalloc(places, sizeof *a->place);
    a->mask = places - 1;
    for (size_t i = 0; before.count && i <= before.mask; i++)
        if (before.place[i])
            a->place[place_of(a, before.place[i])] = before.place[i];
    free(before.place);
}

void alive_add(struct alive *a, const void *handle)
{
    if (a->count == 0 || 2 * (a->count + 1) > a->mask + 1)
        grow(a);
    a->place[place_of(a, handle)] = handle;
    a->count++;
}

void alive_drop(struct alive *a, const void *handle)
{
    size_t hole = place_of(a, handle);
    /* what could not be found any more across the hole moves into it */
    for (size_t i = (hole + 1) & a->mask; a->place[i]; i = (i + 1) & a->mask)
        if (((i - home(a, a->place[i])) & a->mask) >= ((i - hole) & a->mask)) {
            a->place[hole] = a->place[i];
            hole = i;
        }
    a->place[hole] = NULL;
    if (--a->count == 0) {
        free(a->place);
        a->place = NULL;
    }
}
