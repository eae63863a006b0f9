/* SPDX-License-Identifier: Apache-2.0
 * Binary min-heap; contract in heap.h.
 */
#include "bridge/run/heap.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"

static bool item_less(const struct heap_item *a, const struct heap_item *b)
{
    return a->cycle != b->cycle ? a->cycle < b->cycle : a->seq < b->seq;
}

void heap_push(struct heap *h, uint64_t cycle, uint64_t value)
{
    CHECK(h->limit == 0 || h->count < h->limit, "calendar", "cycle=%llu %zu wake-ups, at most %zu",
          (unsigned long long)cycle, h->count, h->limit);
    struct heap_item item = {cycle, h->seq++, value};
    size_t i = h->count++;
    h->items = xgrow(h->items, &h->room, h->count, sizeof *h->items);
    for (; i > 0 && item_less(&item, &h->items[(i - 1) / 2]); i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = item;
}

struct heap_item heap_pop(struct heap *h)
{
    struct heap_item top = h->items[0], last = h->items[--h->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && item_less(&h->items[child + 1], &h->items[child]))
            child++;
        if (!item_less(&h->items[child], &last))
            break;
        h->items[i] = h->items[child];
        i = child;
    }
    h->items[i] = last;
    return top;
}

void heap_fini(struct heap *h)
{
    free(h->items);
    *h = (struct heap){0};
}
