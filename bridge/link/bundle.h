/* SPDX-License-Identifier: Apache-2.0
 * All links from one process to another: one word with what the sender promises for all of them, and a bit for each
 * link with messages that the receiver has not been shown, so that what either end does at a step follows from traffic,
 * not from how many links there are.  Without pointers where both ends reach it.
 *
 * The word is a stamp for the link of the smallest latency: nothing comes below it, and below (word + latency - least)
 * on a link of another latency.  So nothing is lost against a word for each link, where the sender promises what
 * follows from its time.
 *
 * Order of memory, beside that of ring.h.  The sender keeps in private which links it has sent on; at the next promise
 * it sets the bits of these, then the bits of the words that hold them, then the promise.  The receiver reads the
 * promise, then takes (and clears) summary and words, then looks into the rings of the bits it found: every message
 * sent before the promise is in one of them, or was taken before.  A bit whose messages were taken by an earlier look
 * is set in vain.
 *
 * Responsible for: promise and bits.  Not responsible for: messages (ring.h), who sleeps (shm.c).
 */
#ifndef GANTRY_BUNDLE_H
#define GANTRY_BUNDLE_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bridge/link/ring.h"

struct link;

/* What both ends reach.  Bits: of words with a bit (summary), then from `words_at` on of links. */
struct bundle_shared {
    uint32_t links, least, words_at; /* how many; smallest latency; number of the first word in bits */
    _Alignas(RING_LINE) _Atomic uint64_t promise;
    _Atomic uint64_t bits[];
};

/* One end. */
struct bundle {
    struct bundle_shared *shared;
    struct link **links;     /* by number; NULL: not open here */
    _Atomic uint64_t *dirty; /* sender: laid out as the shared bits, of messages since the last promise */
    uint64_t promised;       /* sender: the word; receiver: the newest behind which all was taken */
    uint64_t messages;       /* sender: before the newest promise; receiver: shown by peeks */
};

size_t bundle_size(uint32_t links);
/* In memory that is 0; links > 0. */
void bundle_init(struct bundle_shared *shared, uint32_t links, uint32_t least);
/* An end of it, without a link; bundle_free ends it. */
struct bundle *bundle_new(struct bundle_shared *shared);
void bundle_free(struct bundle *bundle);

/* Stamp below which nothing comes on a link of this latency when the word is `promise`. */
static inline uint64_t bundle_stamp(const struct bundle *b, uint32_t latency, uint64_t promise)
{
    uint64_t more = latency - b->shared->least;
    return promise > UINT64_MAX - more ? UINT64_MAX : promise + more;
}
/* The greatest word that says no more than `stamp` of a link of this latency. */
static inline uint64_t bundle_word(const struct bundle *b, uint32_t latency, uint64_t stamp)
{
    uint64_t more = latency - b->shared->least;
    return stamp == UINT64_MAX ? stamp : stamp < more ? 0 : stamp - more;
}

/* Sender, from any of its threads, while none of them promises: link `number` has a message that is not promised yet.
 */
void bundle_mark(struct bundle *bundle, uint32_t number);
/* Sender: sets the bits of all links marked since the last call (link->flushed is then link->sent), then the word,
 * which does not fall.  Whether any link was marked. */
bool bundle_promise(struct bundle *bundle, uint64_t word);

/* Receiver: whether a bit is set that no drain has taken. */
bool bundle_more(const struct bundle *bundle);
/* Receiver: `come` for each link whose bit is set; link->promised is then what held when all was taken last, for its
 * peek to look at. */
void bundle_drain(struct bundle *bundle, void (*come)(void *ctx, struct link *link), void *ctx);
#endif
