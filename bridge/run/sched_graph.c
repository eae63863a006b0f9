/* SPDX-License-Identifier: Apache-2.0
 * What a machine of partitions and channels is, as a number; contract in sched_save.h.
 */
#include "bridge/link/channel_save.h"
#include "bridge/run/sched_save.h"
#include "saved/state_io.h"

static uint64_t part_graph(const struct part *part)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    state_put_text(&hash.writer, part->name);
    STATE_PUT(&hash.writer, part->number);
    STATE_PUT(&hash.writer, part->ins);
    STATE_PUT(&hash.writer, part->outs);
    for (uint32_t slot = 0; slot < part->outs; slot++)
        state_put_u64(&hash.writer, part->out[slot] ? part->out[slot]->channel.id : UINT64_MAX);
    return state_hash_end(&hash);
}

static uint64_t wire_graph(const struct wire *w)
{
    struct state_hash hash;
    state_hash_begin(&hash);
    channel_describe(&w->channel, &hash.writer);
    STATE_PUT(&hash.writer, w->to_slot);
    STATE_PUT(&hash.writer, w->silent);
    return state_hash_end(&hash);
}

/* A cut channel is described where its sender is. */
uint64_t sched_graph(const struct sched *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->count; i++)
        sum += part_graph(s->parts[i]);
    for (uint32_t i = 0; i < s->wire_count; i++)
        sum += s->wires[i]->from ? wire_graph(s->wires[i]) : 0;
    return sum;
}
