/* SPDX-License-Identifier: Apache-2.0
 * One end of a link between partitions that do not stand in one scheduler, and the transport that carries it: a table
 * of operations, so that nobody asks where the partner runs.  Messages are numbered from 1; the receiving end finds
 * them in its ring, in order, none lost or twice: anything else is a bug of the transport and ends the process.
 * Responsible for: what a transport must do.  Not responsible for: stamps (channel.h), waiting (region_wait.h).
 */
#ifndef GANTRY_LINK_H
#define GANTRY_LINK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/link/ring.h"

#define LINK_NAME 104

struct bundle;
struct link;

struct transport {
    const char *name;
    /* Joins the end, whose name, bytes, latency, depth and direction are set, to the link of that name at `place` (what
     * that is says the transport).  False after one line when it is not there or differs in one of these. */
    bool (*open)(struct link *link, void *place);
    /* Sender: the next message.  Never more than `depth` that the receiver has not finished with: that is a bug. */
    void (*send)(struct link *link, uint64_t stamp, const void *payload);
    /* Sender: no message with a stamp below this will come any more (it never falls).  What was sent before is on its
     * way when this returns, and who sleeps for either is woken.  For all links of its bundle: on one that is slower or
     * faster by n cycles, none with a stamp below stamp + n or - n. */
    void (*promise)(struct link *link, uint64_t stamp);
    /* Receiver: messages that have arrived since the start; number n lies in ring_slot(link->ring, n - 1). */
    uint64_t (*peek)(struct link *link);
    /* Receiver: finished with the first `messages` ones. */
    void (*done)(struct link *link, uint64_t messages);
    /* Receiver: no message with a stamp below this comes that a later peek does not show (of a bundle: that
     * bundle_drain and peeks do not show). */
    uint64_t (*horizon)(struct link *link);
    void (*close)(struct link *link);
};

struct link {
    const struct transport *transport;
    char name[LINK_NAME];
    uint32_t bytes, latency, depth;
    bool sends;        /* this is the sending end */
    struct ring *ring; /* set by open */
    /* Links that promise together (bundle.h), and its number there; set by open.  NULL: it promises for itself. */
    struct bundle *bundle;
    uint32_t number;
    uint64_t sent;    /* sender: messages so far */
    uint64_t freed;   /* sender: of these the receiver has finished with, as last seen */
    uint64_t flushed; /* sender: messages before the newest promise */
    /* Sender: newest promise; receiver: newest horizon behind which all was taken.  With a bundle: link_promised. */
    uint64_t promised;
    uint64_t arrived; /* receiver: as peek said */
    uint64_t last;    /* receiver: stamp of the newest message + 1 */
    bool failed;      /* sender: not all that was sent gets through; told in one line */
    void *own;        /* of the transport */
    void *owner;      /* of who has opened it */
};

/* Names and widths of an end that is not open yet. */
void link_init(struct link *link, const struct transport *transport, const char *name, bool sends, uint32_t bytes,
               uint32_t latency, uint32_t depth);
/* "gpu0.rdma:3 -> gpu1.rdma:5": output and input number tell links between the same partitions apart. */
void link_name(char name[LINK_NAME], const char *from, uint32_t slot_from, const char *to, uint32_t slot_to);
/* Whether what is at the other end fits; else one line with what differs (here, there). */
bool link_fits(const struct link *link, uint32_t bytes, uint32_t latency, uint32_t depth);

/* Receiver: the newest horizon behind which all was taken, by it or its bundle. */
uint64_t link_promised(const struct link *link);
/* Receiver, for all links of its bundle: `come` for each that has messages (or had; by its peek), then returns and
 * keeps link_promised of this one.  Without a bundle `come` is called for it alone. */
uint64_t link_take_all(struct link *link, void (*come)(void *ctx, struct link *link), void *ctx);
static inline void link_send(struct link *link, uint64_t stamp, const void *payload)
{
    link->transport->send(link, stamp, payload);
}

/* An end by which nothing has crossed goes on behind message number `messages`, of which the receiver has finished with
 * the first `finished` ones; the rest lies in its places of the ring when this is the receiver, `last`: stamp of the
 * newest + 1.  Both ends do it before either sends.  For transports with one ring. */
void link_resume(struct link *link, uint64_t messages, uint64_t finished, uint64_t last);

/* Both ends in one process, maybe in two of its threads.  Place: the struct ring * that both share, of
 * ring_new_empty with RING_LINE, which outlives them.  Nobody is woken. */
extern const struct transport transport_inproc;

/* What transports share whose ring both ends can reach. */
void ring_send(struct link *link, uint64_t stamp, const void *payload);
void ring_promise(struct link *link, uint64_t stamp);
uint64_t ring_peek(struct link *link);
void ring_done(struct link *link, uint64_t messages);
uint64_t ring_horizon(struct link *link);
#endif
