/* SPDX-License-Identifier: Apache-2.0
 * Channels; contract in channel.h.
 */
#include "bridge/link/channel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"

void channel_init(struct channel *c, uint16_t id, const char *from, const char *to, uint32_t bytes, uint32_t latency,
                  uint32_t depth)
{
    *c = (struct channel){.id = id, .bytes = bytes, .latency = latency, .depth = depth};
    snprintf(c->name, sizeof c->name, "%s -> %s", from, to);
    CHECK(depth > 0, c->name, "channel %u has no depth", id);
    c->stride = sizeof(uint64_t) + ((size_t)bytes + 7) / 8 * 8;
    size_t room = 1;
    while (room < depth)
        room *= 2;
    c->mask = room - 1;
    c->ring = xrealloc(NULL, room, c->stride);
}

void channel_fini(struct channel *c)
{
    free(c->ring);
    c->ring = NULL;
}

uint64_t channel_send(struct channel *c, uint64_t now, const void *message)
{
    uint64_t leave = now;
    if (c->rate.bytes_per_cycle) {
        const uint8_t kind = ((const uint8_t *)message)[c->rate.kind_at];
        CHECK(kind < CHANNEL_KINDS, c->name, "cycle=%llu message of kind %u", (unsigned long long)now, kind);
        if (leave < c->link_free)
            leave = c->link_free;
        uint32_t wire = c->rate.header + c->rate.payload[kind];
        c->link_free = leave + (wire + c->rate.bytes_per_cycle - 1) / c->rate.bytes_per_cycle;
    }
    uint64_t stamp = leave + c->latency;
    if (stamp < c->last)
        stamp = c->last;
    c->last = stamp + 1;
    c->sent++;
    size_t count = channel_count(c);
    CHECK(count < c->depth, c->name, "cycle=%llu channel %u holds %zu messages, depth %u", (unsigned long long)now,
          c->id, count, c->depth);
    if (count == 0)
        c->head = c->tail = 0; /* the places used last are still in the host's caches */
    uint64_t *entry = channel_entry(c, channel_count(c));
    entry[0] = stamp;
    if (c->bytes)
        memcpy(entry + 1, message, c->bytes);
    c->tail++;
    return stamp;
}
