/* SPDX-License-Identifier: Apache-2.0
 * Links that promise together; contract in bundle.h.
 */
#include "bridge/link/bundle.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "bridge/link/link.h"

static uint32_t words(uint32_t bits)
{
    return (bits + 63) / 64;
}

/* The summary, which is looked at with the promise, has its lines for itself. */
static uint32_t words_at(uint32_t links)
{
    const uint32_t line = RING_LINE / sizeof(uint64_t);
    return (1 + words(words(links)) + line - 1) / line * line - 1;
}

static size_t bits_size(uint32_t links)
{
    return ((size_t)words_at(links) + words(links)) * sizeof(uint64_t);
}

size_t bundle_size(uint32_t links)
{
    size_t size = offsetof(struct bundle_shared, bits) + bits_size(links);
    return (size + RING_LINE - 1) / RING_LINE * RING_LINE;
}

void bundle_init(struct bundle_shared *shared, uint32_t links, uint32_t least)
{
    CHECK(links > 0, "links", "a bundle without links");
    shared->links = links;
    shared->least = least;
    shared->words_at = words_at(links);
}

struct bundle *bundle_new(struct bundle_shared *shared)
{
    struct bundle *b = xzalloc(sizeof *b);
    *b = (struct bundle){.shared = shared,
                         .links = xcalloc(shared->links, sizeof(struct link *)),
                         .dirty = xzalloc(bits_size(shared->links))};
    return b;
}

void bundle_free(struct bundle *b)
{
    if (b == NULL)
        return;
    free(b->links);
    free((void *)b->dirty);
    free(b);
}

void bundle_mark(struct bundle *b, uint32_t number)
{
    uint32_t word = number / 64;
    atomic_fetch_or_explicit(&b->dirty[b->shared->words_at + word], UINT64_C(1) << (number & 63), memory_order_relaxed);
    atomic_fetch_or_explicit(&b->dirty[word / 64], UINT64_C(1) << (word & 63), memory_order_relaxed);
}

/* The links of one word. */
static void flush(struct bundle *b, uint32_t word)
{
    uint64_t set = atomic_exchange_explicit(&b->dirty[b->shared->words_at + word], 0, memory_order_relaxed);
    for (uint64_t left = set; left; left &= left - 1) {
        struct link *link = b->links[word * 64 + (uint32_t)__builtin_ctzll(left)];
        if (link == NULL) /* closed meanwhile */
            continue;
        b->messages += link->sent - link->flushed;
        link->flushed = link->sent;
    }
    atomic_fetch_or(&b->shared->bits[b->shared->words_at + word], set);
}

bool bundle_promise(struct bundle *b, uint64_t word)
{
    bool marked = false;
    for (uint32_t i = 0; i < words(words(b->shared->links)); i++) {
        if (atomic_load_explicit(&b->dirty[i], memory_order_relaxed) == 0)
            continue;
        uint64_t set = atomic_exchange_explicit(&b->dirty[i], 0, memory_order_relaxed);
        for (uint64_t left = set; left; left &= left - 1)
            flush(b, i * 64 + (uint32_t)__builtin_ctzll(left));
        atomic_fetch_or(&b->shared->bits[i], set);
        marked = true;
    }
    if (word > b->promised) {
        b->promised = word;
        atomic_store(&b->shared->promise, word);
    }
    return marked;
}

bool bundle_more(const struct bundle *b)
{
    for (uint32_t i = 0; i < words(words(b->shared->links)); i++) {
        if (atomic_load(&b->shared->bits[i]))
            return true;
    }
    return false;
}

static void drain_word(struct bundle *b, uint32_t word, void (*come)(void *ctx, struct link *link), void *ctx)
{
    uint64_t set = atomic_exchange_explicit(&b->shared->bits[b->shared->words_at + word], 0, memory_order_acquire);
    for (; set; set &= set - 1) {
        uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(set);
        CHECK(number < b->shared->links && b->links[number], "links", "message on link %u of %u, which is not open",
              number, b->shared->links);
        struct link *link = b->links[number];
        uint64_t taken = bundle_stamp(b, link->latency, b->promised);
        link->promised = taken > link->promised ? taken : link->promised;
        come(ctx, link);
    }
}

void bundle_drain(struct bundle *b, void (*come)(void *ctx, struct link *link), void *ctx)
{
    for (uint32_t i = 0; i < words(words(b->shared->links)); i++) {
        if (atomic_load_explicit(&b->shared->bits[i], memory_order_relaxed) == 0)
            continue;
        uint64_t set = atomic_exchange_explicit(&b->shared->bits[i], 0, memory_order_acquire);
        for (; set; set &= set - 1)
            drain_word(b, i * 64 + (uint32_t)__builtin_ctzll(set), come, ctx);
    }
}
