/* SPDX-License-Identifier: Apache-2.0
 * Ends of links, rings that both ends can reach; contracts in link.h and ring.h.
 */
#include "bridge/link/link.h"

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/log.h"
#include "bridge/link/bundle.h"

void link_init(struct link *link, const struct transport *transport, const char *name, bool sends, uint32_t bytes,
               uint32_t latency, uint32_t depth)
{
    *link = (struct link){.transport = transport, .sends = sends, .bytes = bytes, .latency = latency, .depth = depth};
    CHECK(strlen(name) < sizeof link->name, name, "name of a link: longer than %zu", sizeof link->name - 1);
    snprintf(link->name, sizeof link->name, "%s", name);
}

void link_name(char name[LINK_NAME], const char *from, uint32_t slot_from, const char *to, uint32_t slot_to)
{
    int n = snprintf(name, LINK_NAME, "%s:%u -> %s:%u", from, slot_from, to, slot_to);
    CHECK(n > 0 && n < LINK_NAME, from, "name of the link to %s is too long", to);
}

bool link_fits(const struct link *link, uint32_t bytes, uint32_t latency, uint32_t depth)
{
    if (link->bytes != bytes)
        diag(link->name, "messages of %u bytes here, %u there", link->bytes, bytes);
    else if (link->latency != latency)
        diag(link->name, "latency %u here, %u there", link->latency, latency);
    else if (link->depth != depth)
        diag(link->name, "depth %u here, %u there", link->depth, depth);
    else
        return true;
    return false;
}

void ring_send(struct link *link, uint64_t stamp, const void *payload)
{
    struct ring *ring = link->ring;
    if (link->sent - link->freed >= ring->depth) {
        link->freed = atomic_load_explicit(&ring->done, memory_order_acquire);
        CHECK(link->sent - link->freed < ring->depth, link->name, "stamp=%llu link holds %llu messages, depth %u",
              (unsigned long long)stamp, (unsigned long long)(link->sent - link->freed), ring->depth);
    }
    struct slot *slot = ring_slot(ring, link->sent);
    slot->stamp = stamp;
    if (link->bytes)
        memcpy(slot->payload, payload, link->bytes);
    atomic_store_explicit(&slot->sequence, ++link->sent, memory_order_release);
}

void ring_promise(struct link *link, uint64_t stamp)
{
    stamp = stamp > link->promised ? stamp : link->promised;
    if (stamp == link->promised && link->flushed == link->sent)
        return;
    link->flushed = link->sent;
    link->promised = stamp;
    atomic_store(&link->ring->promise, stamp);
}

uint64_t ring_peek(struct link *link)
{
    for (;;) {
        const struct slot *slot = ring_slot(link->ring, link->arrived);
        uint64_t sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
        if (sequence != link->arrived + 1) {
            /* what lies in a free place is older by whole rings */
            CHECK(sequence == 0 || sequence + link->ring->mask == link->arrived, link->name,
                  "message %llu in the place of message %llu", (unsigned long long)sequence,
                  (unsigned long long)link->arrived + 1);
            return link->arrived;
        }
        CHECK(slot->stamp >= link->last && slot->stamp >= link->promised, link->name,
              "message %llu of cycle %llu comes behind one of cycle %lld or a promise of %llu",
              (unsigned long long)sequence, (unsigned long long)slot->stamp, (long long)link->last - 1,
              (unsigned long long)link->promised);
        link->last = slot->stamp + 1;
        link->arrived = sequence;
    }
}

void ring_done(struct link *link, uint64_t messages)
{
    if (link->freed == messages)
        return;
    link->freed = messages;
    atomic_store_explicit(&link->ring->done, messages, memory_order_release);
}

uint64_t ring_horizon(struct link *link)
{
    return atomic_load(&link->ring->promise);
}

uint64_t link_promised(const struct link *link)
{
    const struct bundle *b = link->bundle;
    uint64_t of_all = b ? bundle_stamp(b, link->latency, b->promised) : 0;
    return of_all > link->promised ? of_all : link->promised;
}

uint64_t link_take_all(struct link *link, void (*come)(void *ctx, struct link *link), void *ctx)
{
    uint64_t horizon = link->transport->horizon(link); /* before all that follows, see ring.h */
    if (link->bundle)
        bundle_drain(link->bundle, come, ctx);
    else
        come(ctx, link);
    link->promised = horizon > link->promised ? horizon : link->promised;
    if (link->bundle) {
        uint64_t word = bundle_word(link->bundle, link->latency, link->promised);
        link->bundle->promised = word > link->bundle->promised ? word : link->bundle->promised;
    }
    return link->promised;
}

void link_resume(struct link *link, uint64_t messages, uint64_t finished, uint64_t last)
{
    CHECK(link->sent == 0 && link->arrived == 0 && finished <= messages, link->name,
          "%llu messages sent, %llu arrived before the state with %llu was restored", (unsigned long long)link->sent,
          (unsigned long long)link->arrived, (unsigned long long)messages);
    if (link->sends) {
        link->sent = link->flushed = messages;
        link->freed = finished;
        return;
    }
    link->arrived = messages;
    link->last = last; /* of what is finished the first promise tells */
}

static bool inproc_open(struct link *link, void *place)
{
    link->ring = place;
    return link_fits(link, link->ring->bytes, link->latency, link->ring->depth);
}

static void inproc_close(struct link *link)
{
    link->ring = NULL;
}

const struct transport transport_inproc = {"inproc",  inproc_open, ring_send,    ring_promise,
                                           ring_peek, ring_done,   ring_horizon, inproc_close};
