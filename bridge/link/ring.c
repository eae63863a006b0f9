/* SPDX-License-Identifier: Apache-2.0
 * Storage of links; contract in ring.h.
 */
#include "bridge/link/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"

static uint32_t places(uint32_t depth)
{
    uint32_t n = 1;
    while (n < depth)
        n *= 2;
    return n;
}

static uint32_t stride(uint32_t bytes, uint32_t align)
{
    return (uint32_t)((sizeof(struct slot) + bytes + align - 1) / align * align);
}

size_t ring_size(uint32_t bytes, uint32_t depth, uint32_t align)
{
    size_t size = sizeof(struct ring) + (size_t)places(depth) * stride(bytes, align);
    return (size + RING_LINE - 1) / RING_LINE * RING_LINE;
}

void ring_init(struct ring *ring, uint32_t bytes, uint32_t depth, uint32_t align)
{
    ring->bytes = bytes;
    ring->stride = stride(bytes, align);
    ring->depth = depth;
    ring->mask = places(depth) - 1;
    atomic_init(&ring->promise, 0);
    atomic_init(&ring->done, 0);
}

struct ring *ring_new(uint32_t bytes, uint32_t depth, uint32_t align)
{
    size_t size = ring_size(bytes, depth, align);
    struct ring *ring = aligned_alloc(RING_LINE, size);
    CHECK(ring != NULL, "link", "no memory for a ring of %zu bytes", size);
    ring_init(ring, bytes, depth, align);
    return ring;
}

struct ring *ring_new_empty(uint32_t bytes, uint32_t depth, uint32_t align)
{
    struct ring *ring = ring_new(bytes, depth, align);
    memset(ring->slots, 0, (size_t)places(depth) * ring->stride);
    return ring;
}
