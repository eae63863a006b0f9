/* SPDX-License-Identifier: Apache-2.0
 * A channel: one-directional, in order, lossless; a message sent at cycle t is taken at cycle t + latency, later when
 * the link's bandwidth or an earlier message of the same cycle holds it up.  Its messages lie in a ring (ring.h) with
 * as many places as its declared depth, made once: its own when both ends are partitions of this process, which then
 * look at each other's counts directly; a link's (link.h) at an end whose partner is elsewhere.  Responsible for:
 * stamps, the messages at hand, and the check that no more are inside.  Not responsible for: who is at its ends
 * (bridge/part), who sends when (credits are the target's business; the bridge carries their pulses as channels of
 * width 0), ordering between channels (bridge/run).
 */
#ifndef GANTRY_CHANNEL_H
#define GANTRY_CHANNEL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/link/ring.h"

#define CHANNEL_KINDS 8

/* Bandwidth of a link: a message takes header + payload[its byte at kind_at; a credit's kind is 0] bytes of it; the
 * next one begins where it ends, also within a cycle, and leaves at the first cycle that is not before. */
struct channel_rate {
    uint32_t bytes_per_cycle; /* 0: one message a cycle, whatever it holds */
    uint32_t header, kind_at;
    uint8_t payload[CHANNEL_KINDS];
};

struct channel {
    uint32_t id;      /* unique in the machine: rank among messages of one cycle */
    uint32_t bytes;   /* width of a message; 0: a credit pulse */
    uint32_t latency; /* cycles, at least PART_WINDOW */
    uint32_t depth;   /* most messages inside; more is a bug of the sender */
    struct channel_rate rate;
    uint64_t last;           /* stamp of the newest message + 1: the next free cycle of the receiving port */
    uint64_t link_free;      /* bytes that the link could carry until it can take the next message: cycle x rate */
    struct channel *shared;  /* whose link it is, when several channels share one (the same rate); NULL: its own */
    uint64_t sent;           /* messages so far; at the receiving end of a link: that have arrived */
    size_t head, tail, mask; /* first message at hand, behind the last, free running */
    uint8_t *slots;
    size_t stride;
    struct ring *own; /* storage of a channel within this process */
    char name[88];    /* "gpu0.cu3 -> gpu0.noc" */
};

/* from, to: names of its ends.  depth: the written bound of what is inside at once, at least 1. */
void channel_init(struct channel *c, uint32_t id, const char *from, const char *to, uint32_t bytes, uint32_t latency,
                  uint32_t depth);
/* One end of a channel whose other end is elsewhere.  ring: where the messages lie that arrive here, as many as the
 * link says (channel_arrive); NULL at the sending end, which has none at hand. */
void channel_init_end(struct channel *c, uint32_t id, const char *from, const char *to, uint32_t bytes,
                      uint32_t latency, uint32_t depth, struct ring *ring);
void channel_fini(struct channel *c);
/* Name of its receiving end. */
const char *channel_to(const struct channel *c);
/* Messages of `c` share the link of `first`, which lives as long: who sends first goes first.  The senders of both are
 * in one process and one group, their rates are the same; before anything is sent. */
void channel_share(struct channel *c, struct channel *first);
/* Append a message sent at `now`; returns its stamp. */
uint64_t channel_send(struct channel *c, uint64_t now, const void *message);
/* The same without a place for it: the message leaves this process with this stamp as number c->sent. */
uint64_t channel_leave(struct channel *c, uint64_t now, const void *message);

static inline bool channel_empty(const struct channel *c)
{
    return c->head == c->tail;
}
static inline size_t channel_count(const struct channel *c)
{
    return c->tail - c->head;
}
static inline struct slot *channel_slot(const struct channel *c, size_t n)
{
    return (struct slot *)(c->slots + ((c->head + n) & c->mask) * c->stride);
}
static inline uint64_t channel_stamp(const struct channel *c, size_t n)
{
    return channel_slot(c, n)->stamp;
}
static inline const void *channel_payload(const struct channel *c, size_t n)
{
    return channel_slot(c, n)->payload;
}
/* At the receiving end of a link: `messages` have arrived since the start. */
static inline void channel_arrive(struct channel *c, uint64_t messages)
{
    c->sent = c->tail = messages;
}
static inline void channel_drop(struct channel *c, size_t n)
{
    c->head += n;
}
#endif
