/* SPDX-License-Identifier: Apache-2.0
 * The `data` figure of the final line: over the contents of VRAM allocations when they are freed or at the end.  A sum
 * of one XXH64 for each allocation, so that the order in which a program frees them does not count.
 */
#ifndef GANTRY_DATAHASH_H
#define GANTRY_DATAHASH_H
#include <stdint.h>

#include <xxhash.h>

struct datahash {
    uint64_t value;
};

static inline void datahash_add(struct datahash *hash, const void *bytes, uint64_t count)
{
    hash->value += XXH64(bytes, count, count);
}
#endif
