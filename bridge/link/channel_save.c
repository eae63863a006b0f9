/* SPDX-License-Identifier: Apache-2.0
 * State of channels; contract in channel_save.h.
 */
#include "bridge/link/channel_save.h"

#include "saved/state_piece.h"

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
    state_put_u64(to, c->shared ? c->shared->id + UINT64_C(1) : 0);
}

void channel_save_sender(const struct channel *c, struct state_writer *to)
{
    STATE_PUT(to, c->last);
    STATE_PUT(to, c->link_free);
    STATE_PUT(to, c->sent);
}

void channel_save_receiver(const struct channel *c, struct state_writer *to)
{
    const size_t count = channel_count(c);
    state_put_u64(to, count);
    for (size_t n = 0; n < count; n++) { /* their sequence numbers are the last `count` of `sent` */
        state_put_u64(to, channel_stamp(c, n));
        state_put(to, channel_payload(c, n), c->bytes);
    }
}

void channel_save(const struct channel *c, struct state_writer *to)
{
    channel_save_sender(c, to);
    channel_save_receiver(c, to);
}

static bool head_restore(struct channel *c, struct state_reader *from, uint64_t *count)
{
    return STATE_GET(from, c->last) && STATE_GET(from, c->link_free) && STATE_GET(from, c->sent) &&
           state_get_count(from, c->name, c->depth, count) &&
           (*count <= c->sent || state_refuse(from, "%s: more messages under way than were sent", c->name));
}

/* In a link's ring each message lies in the place of its number, as the sender counts. */
bool channel_restore(struct channel *c, struct state_reader *from)
{
    uint64_t count, before = 0;
    if (!head_restore(c, from, &count))
        return false;
    c->head = c->tail = c->own ? 0 : c->sent - count;
    for (uint64_t n = 0; n < count; n++, c->tail++) {
        struct slot *slot = channel_slot(c, n);
        if (!STATE_GET(from, slot->stamp) || !state_get(from, slot->payload, c->bytes))
            return false;
        if (n && slot->stamp <= before)
            return state_refuse(from, "%s: messages are not in order", c->name);
        atomic_store_explicit(&slot->sequence, c->sent - count + n + 1, memory_order_relaxed);
        before = slot->stamp;
    }
    return count == 0 || before < c->last || state_refuse(from, "%s: a message from the future", c->name);
}

bool channel_restore_sender(struct channel *c, struct state_reader *from, uint64_t *count)
{
    return head_restore(c, from, count) && state_skip(from, *count * (sizeof(uint64_t) + c->bytes));
}
