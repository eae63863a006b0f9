/* SPDX-License-Identifier: Apache-2.0
 * What a golden GPU has written, as one number: each store and atomic of a lane counts with its address, size, data and
 * place in the round of its work-group; rounds follow each other in the order in which they are told, so that the
 * number does not depend on host threads.  Scratch memory is left out: where a wavefront's lies depends on what ran
 * beside it, and nobody else reads it.
 */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "golden/golden_private.h"

struct written {
    uint64_t place, va, what, data[2];
};

static void note(struct golden_worker *k, uint64_t va, uint64_t what, uint64_t low, uint64_t high)
{
    const struct written w = {k->writes++, va, what, {low, high}};
    k->written += XXH3_64bits(&w, sizeof w); /* a sum: the place is inside, and no write waits for the one before */
}

void golden_write_bytes(struct golden_worker *k, unsigned vmid, uint64_t va, const uint32_t x[4], unsigned bytes)
{
    uint64_t low = bytes < 4 ? x[0] & ((1u << bytes * 8) - 1) : x[0];
    note(k, va, (uint64_t)vmid << 32 | bytes, bytes > 4 ? low | (uint64_t)x[1] << 32 : low,
         bytes > 8 ? x[2] | (uint64_t)(bytes > 12 ? x[3] : 0) << 32 : 0);
}

void golden_write_atomic(struct golden_worker *k, unsigned vmid, uint64_t va, const struct gcn3_access *a,
                         uint64_t operand, uint64_t compare)
{
    note(k, va, (uint64_t)vmid << 32 | (a->atomic_op + 1u) << 8 | a->bytes, operand, compare);
}

void golden_writes_begin(struct golden_worker *k, uint64_t writes, uint64_t written)
{
    k->writes = writes;
    k->written = written;
}

void golden_writes_told(struct golden *g, uint64_t round)
{
    if (round) /* rounds of waiting alone do not count */
        g->written = XXH3_64bits_withSeed(&round, sizeof round, g->written);
}

uint64_t golden_written(const struct golden *g)
{
    return g->written;
}
