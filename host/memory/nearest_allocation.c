/* SPDX-License-Identifier: Apache-2.0
 * Nearest allocation; contract in nearest_allocation.h.
 */
#include "memory/nearest_allocation.h"

#include <stdio.h>

#define NEAR_MOST (UINT64_C(1) << 30) /* bytes: what is farther has nothing to do with it */

static uint64_t distance_of(uint64_t address, uint64_t va, uint64_t bytes)
{
    if (address < va)
        return va - address;
    return address - va < bytes ? 0 : address - va - bytes + 1;
}

void near_offer(struct near *near, uint64_t address, uint64_t va, uint64_t bytes, const char *kind)
{
    uint64_t distance = distance_of(address, va, bytes);
    if (near->any && distance >= near->distance)
        return;
    *near = (struct near){true, va, bytes, distance, kind};
}

void near_text(const struct near *near, uint64_t address, char *text, size_t room)
{
    unsigned long long at = address, va = near->va, bytes = near->bytes;
    if (!near->any || near->distance > NEAR_MOST)
        snprintf(text, room, "0x%llx is near no allocation", at);
    else if (near->distance == 0)
        snprintf(text, room, "0x%llx is %llu bytes into a %llu-byte %s allocation at 0x%llx", at, at - va, bytes,
                 near->kind, va);
    else if (address < near->va)
        snprintf(text, room, "0x%llx is %llu bytes before a %llu-byte %s allocation at 0x%llx", at, va - at, bytes,
                 near->kind, va);
    else
        snprintf(text, room, "0x%llx is %llu bytes beyond the end of a %llu-byte %s allocation at 0x%llx", at,
                 at - va - bytes, bytes, near->kind, va);
}
