/* SPDX-License-Identifier: Apache-2.0
 * Channels; contract in channel.h.
 */
#include "bridge/link/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"

void channel_init_end(struct channel *c, uint32_t id, const char *from, const char *to, uint32_t bytes,
                      uint32_t latency, uint32_t depth, struct ring *ring)
{
    *c = (struct channel){.id = id, .bytes = bytes, .latency = latency, .depth = depth};
    snprintf(c->name, sizeof c->name, "%s -> %s", from, to);
    CHECK(depth > 0, c->name, "channel %u has no depth", id);
    if (ring == NULL)
        return;
    c->mask = ring->mask;
    c->slots = ring->slots;
    c->stride = ring->stride;
}

void channel_init(struct channel *c, uint32_t id, const char *from, const char *to, uint32_t bytes, uint32_t latency,
                  uint32_t depth)
{
    struct ring *ring = depth ? ring_new(bytes, depth, sizeof(uint64_t)) : NULL;
    channel_init_end(c, id, from, to, bytes, latency, depth, ring);
    c->own = ring;
}

const char *channel_to(const struct channel *c)
{
    return strstr(c->name, " -> ") + 4;
}

void channel_fini(struct channel *c)
{
    free(c->own);
    c->own = NULL;
    c->slots = NULL;
}

void channel_share(struct channel *c, struct channel *first)
{
    CHECK(first->shared == NULL && c->rate.bytes_per_cycle == first->rate.bytes_per_cycle, c->name,
          "channel %u cannot share the link of channel %u", c->id, first->id);
    c->shared = first;
}

/* The cycle at which the link takes the message. */
static inline uint64_t link_take(struct channel *c, uint64_t now, const void *message)
{
    const uint8_t kind = c->bytes ? ((const uint8_t *)message)[c->rate.kind_at] : 0;
    CHECK(kind < CHANNEL_KINDS, c->name, "cycle=%llu message of kind %u", (unsigned long long)now, kind);
    uint64_t *const link_free = c->shared ? &c->shared->link_free : &c->link_free, rate = c->rate.bytes_per_cycle;
    uint64_t leave = now, begin = now * rate;
    if (begin < *link_free) {
        begin = *link_free;
        leave = (begin + rate - 1) / rate;
    }
    *link_free = begin + c->rate.header + c->rate.payload[kind];
    return leave;
}

static inline uint64_t stamp_next(struct channel *c, uint64_t now, const void *message)
{
    uint64_t leave = c->rate.bytes_per_cycle ? link_take(c, now, message) : now;
    uint64_t stamp = leave + c->latency;
    if (stamp < c->last)
        stamp = c->last;
    c->last = stamp + 1;
    c->sent++;
    return stamp;
}

uint64_t channel_leave(struct channel *c, uint64_t now, const void *message)
{
    return stamp_next(c, now, message);
}

uint64_t channel_send(struct channel *c, uint64_t now, const void *message)
{
    uint64_t stamp = stamp_next(c, now, message);
    size_t count = channel_count(c);
    CHECK(count < c->depth, c->name, "cycle=%llu channel %u holds %zu messages, depth %u", (unsigned long long)now,
          c->id, count, c->depth);
    if (count == 0)
        c->head = c->tail = 0; /* the places used last are still in the host's caches */
    struct slot *slot = channel_slot(c, channel_count(c));
    atomic_store_explicit(&slot->sequence, c->sent, memory_order_relaxed); /* nobody else looks */
    slot->stamp = stamp;
    if (c->bytes)
        memcpy(slot->payload, message, c->bytes);
    c->tail++;
    return stamp;
}
