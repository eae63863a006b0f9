/* SPDX-License-Identifier: Apache-2.0
 * Channels; contract in channel.h.
 */
#include "bridge/inproc/channel.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/inproc/part.h"

void channel_init(struct channel *c, uint16_t id, uint32_t bytes, uint32_t latency, uint32_t depth)
{
    PART_CHECK(depth > 0, NULL, 0, "channel %u has no depth", id);
    *c = (struct channel){.id = id, .bytes = bytes, .latency = latency, .depth = depth};
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
    if (c->bytes_per_cycle) {
        uint32_t wire = c->header + (c->payload_bytes ? c->payload_bytes(message) : 0);
        if (leave < c->link_free)
            leave = c->link_free;
        c->link_free = leave + (wire + c->bytes_per_cycle - 1) / c->bytes_per_cycle;
    }
    uint64_t stamp = leave + c->latency;
    if (stamp < c->last)
        stamp = c->last;
    c->last = stamp + 1;
    c->sent++;
    size_t count = channel_count(c);
    PART_CHECK(count < c->depth, c->from, now, "channel %u to %s holds %zu messages, depth %u", c->id, part_name(c->to),
               count, c->depth);
    if (count == 0)
        c->head = c->tail = 0; /* the places used last are still in the host's caches */
    uint64_t *entry = channel_entry(c, channel_count(c));
    entry[0] = stamp;
    if (c->bytes)
        memcpy(entry + 1, message, c->bytes);
    c->tail++;
    return stamp;
}
