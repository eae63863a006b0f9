/* SPDX-License-Identifier: Apache-2.0
 * Ranges in an AVL tree; contract in ranges.h.  The heights of two sides differ by one at most, so that a tree of 2^32
 * ranges is less than 47 high; that bounds the recursion.
 */
#include "vm/ranges.h"

#include "base/check.h"

static unsigned height_of(const struct range *r)
{
    return r ? r->height : 0;
}

static uint64_t most_of(const struct range *r)
{
    return r ? r->most : 0;
}

static void renew(struct range *r)
{
    const unsigned low = height_of(r->side[0]), high = height_of(r->side[1]);
    r->height = 1 + (low > high ? low : high);
    r->most = r->bytes;
    for (unsigned s = 0; s < 2; s++)
        r->most = most_of(r->side[s]) > r->most ? most_of(r->side[s]) : r->most;
}

/* The range on that side becomes the root. */
static struct range *rotate(struct range *r, unsigned s)
{
    struct range *up = r->side[s];
    r->side[s] = up->side[!s];
    up->side[!s] = r;
    renew(r);
    renew(up);
    return up;
}

/* After a change below it: the root of what was r's tree. */
static struct range *balance(struct range *r)
{
    renew(r);
    for (unsigned s = 0; s < 2; s++) {
        struct range *tall = r->side[s];
        if (height_of(tall) <= height_of(r->side[!s]) + 1)
            continue;
        if (height_of(tall->side[s]) < height_of(tall->side[!s]))
            r->side[s] = rotate(tall, !s);
        return rotate(r, s);
    }
    return r;
}

static struct range *add(struct range *r, struct range *fresh)
{
    if (!r)
        return fresh;
    CHECK(fresh->at + fresh->bytes <= r->at || fresh->at >= r->at + r->bytes, "base.ranges", "%llx +%llx, %llx +%llx",
          (unsigned long long)fresh->at, (unsigned long long)fresh->bytes, (unsigned long long)r->at,
          (unsigned long long)r->bytes);
    struct range **side = &r->side[fresh->at > r->at];
    *side = add(*side, fresh);
    return balance(r);
}

/* Takes the first range of the tree at r out, into *first; what is left of it. */
static struct range *first_take(struct range *r, struct range **first)
{
    if (!r->side[0]) {
        *first = r;
        return r->side[1];
    }
    r->side[0] = first_take(r->side[0], first);
    return balance(r);
}

static struct range *take(struct range *r, struct range *gone)
{
    CHECK(r, "base.ranges", "%llx is not there", (unsigned long long)gone->at);
    if (r != gone) {
        struct range **side = &r->side[gone->at > r->at];
        *side = take(*side, gone);
        return balance(r);
    }
    if (!r->side[1])
        return r->side[0];
    struct range *instead, *rest = first_take(r->side[1], &instead);
    instead->side[0] = r->side[0];
    instead->side[1] = rest;
    return balance(instead);
}

void ranges_add(struct ranges *ranges, struct range *range)
{
    CHECK(range->bytes && range->at <= UINT64_MAX - range->bytes, "base.ranges", "%llx +%llx",
          (unsigned long long)range->at, (unsigned long long)range->bytes);
    range->side[0] = range->side[1] = NULL;
    renew(range);
    ranges->root = add(ranges->root, range);
    ranges->count++;
}

void ranges_remove(struct ranges *ranges, struct range *range)
{
    ranges->root = take(ranges->root, range);
    ranges->count--;
}

static void renew_down_to(struct range *r, const struct range *changed)
{
    if (r != changed)
        renew_down_to(r->side[changed->at > r->at], changed);
    renew(r);
}

void ranges_resize(struct ranges *ranges, struct range *range, uint64_t at, uint64_t bytes)
{
    range->at = at;
    range->bytes = bytes;
    renew_down_to(ranges->root, range);
}

struct range *ranges_before(const struct ranges *ranges, uint64_t at)
{
    struct range *found = NULL;
    for (struct range *r = ranges->root; r; r = r->side[r->at < at])
        if (r->at < at)
            found = r;
    return found;
}

struct range *ranges_from(const struct ranges *ranges, uint64_t at)
{
    struct range *found = NULL;
    for (struct range *r = ranges->root; r; r = r->side[r->at < at])
        if (r->at >= at)
            found = r;
    return found;
}

struct range *ranges_at(const struct ranges *ranges, uint64_t at)
{
    struct range *r = at < UINT64_MAX ? ranges_before(ranges, at + 1) : NULL;
    return r && at - r->at < r->bytes ? r : NULL;
}

struct range *ranges_overlap(const struct ranges *ranges, uint64_t at, uint64_t bytes)
{
    struct range *r = ranges_at(ranges, at);
    if (!r)
        r = ranges_from(ranges, at);
    return r && (r->at <= at || r->at - at < bytes) ? r : NULL;
}

static struct range *fit(struct range *r, uint64_t at, uint64_t bytes)
{
    if (most_of(r) < bytes)
        return NULL;
    struct range *low = r->at > at ? fit(r->side[0], at, bytes) : NULL;
    if (low)
        return low;
    return r->at >= at && r->bytes >= bytes ? r : fit(r->side[1], at, bytes);
}

struct range *ranges_fit(const struct ranges *ranges, uint64_t at, uint64_t bytes)
{
    return fit(ranges->root, at, bytes);
}
