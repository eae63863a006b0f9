/* SPDX-License-Identifier: Apache-2.0
 * State of channels; contract in channel_save.h.
 */
#include "bridge/link/channel_save.h"

#include "base/state_io.h"

void channel_describe(const struct channel *c, struct state_writer *to)
{
    const struct channel_rate *r = &c->rate;
    state_put_text(to, c->name);
    STATE_PUT(to, c->id);
    STATE_PUT(to, c->bytes);
    STATE_PUT(to, c->latency);
    STATE_PUT(to, c->depth);
    STATE_PUT(to, r->bytes_per_cycle);
    STATE_PUT(to, r->header);
    STATE_PUT(to, r->kind_at);
    STATE_PUT(to, r->payload);
}

void channel_save(const struct channel *c, struct state_writer *to)
{
    const size_t count = channel_count(c);
    STATE_PUT(to, c->last);
    STATE_PUT(to, c->link_free);
    STATE_PUT(to, c->sent);
    state_put_u64(to, count);
    for (size_t n = 0; n < count; n++) { /* their sequence numbers are the last `count` of `sent` */
        state_put_u64(to, channel_stamp(c, n));
        state_put(to, channel_payload(c, n), c->bytes);
    }
}

bool channel_restore(struct channel *c, struct state_reader *from)
{
    uint64_t count, before = 0;
    if (!STATE_GET(from, c->last) || !STATE_GET(from, c->link_free) || !STATE_GET(from, c->sent) ||
        !state_get_count(from, c->name, c->depth, &count))
        return false;
    c->head = c->tail = 0;
    for (; c->tail < count; c->tail++) {
        struct slot *slot = channel_slot(c, c->tail);
        if (!STATE_GET(from, slot->stamp) || !state_get(from, slot->payload, c->bytes))
            return false;
        if (c->tail && slot->stamp <= before)
            return state_refuse(from, "%s: messages are not in order", c->name);
        atomic_store_explicit(&slot->sequence, c->sent - count + c->tail + 1, memory_order_relaxed);
        before = slot->stamp;
    }
    return count == 0 || before < c->last || state_refuse(from, "%s: a message from the future", c->name);
}
