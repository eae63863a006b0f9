/* SPDX-License-Identifier: Apache-2.0
 * Channels; contract in channel.h.
 */
#include "bridge/inproc/channel.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "bridge/inproc/part.h"

void channel_init(struct channel *c, uint16_t id, uint32_t bytes, uint32_t latency)
{
    *c = (struct channel){.id = id, .bytes = bytes, .latency = latency, .stride = sizeof(uint64_t) + bytes};
}

void channel_fini(struct channel *c)
{
    free(c->ring);
    c->ring = NULL;
}

static void ring_grow(struct channel *c)
{
    size_t count = channel_count(c), room = c->ring ? 2 * (c->mask + 1) : 8;
    uint8_t *ring = xrealloc(NULL, room * c->stride, 1);
    for (size_t i = 0; i < count; i++)
        memcpy(ring + i * c->stride, channel_entry(c, i), c->stride);
    free(c->ring);
    c->ring = ring;
    c->mask = room - 1;
    c->head = 0;
    c->tail = count;
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
    if (c->ring == NULL || channel_count(c) > c->mask)
        ring_grow(c);
    PART_CHECK(c->depth == 0 || channel_count(c) < c->depth, c->from, now,
               "channel %u to %s holds %zu messages, depth %u", c->id, part_name(c->to), channel_count(c), c->depth);
    uint64_t *entry = channel_entry(c, c->tail - c->head);
    entry[0] = stamp;
    if (c->bytes)
        memcpy(entry + 1, message, c->bytes);
    c->tail++;
    return stamp;
}
