/* SPDX-License-Identifier: Apache-2.0
 * Binary min-heap of (cycle, sequence, value): timers of the host and wake-ups beyond the calendar's horizon.
 * Equal cycles leave in the order in which they came.  Not responsible for: what the value means.
 */
#ifndef GANTRY_HEAP_H
#define GANTRY_HEAP_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_item {
    uint64_t cycle, seq, value;
};
struct heap {
    struct heap_item *items;
    size_t count, room;
    size_t limit; /* most items; more is a bug (0: the host's timers, which programs set) */
    uint64_t seq;
};

void heap_push(struct heap *h, uint64_t cycle, uint64_t value);
struct heap_item heap_pop(struct heap *h); /* only when count > 0 */
void heap_fini(struct heap *h);
static inline uint64_t heap_next(const struct heap *h)
{
    return h->count ? h->items[0].cycle : UINT64_MAX;
}
#endif
