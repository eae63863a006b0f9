/* SPDX-License-Identifier: Apache-2.0
 * Which allocation an address belongs to or is next to, in words.
 */
#ifndef GANTRY_NEAR_H
#define GANTRY_NEAR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The best so far of the allocations that were offered; all zero at first. */
struct near {
    bool any;
    uint64_t va, bytes, distance;
    const char *kind;
};

void near_offer(struct near *near, uint64_t address, uint64_t va, uint64_t bytes, const char *kind);
/* E.g. "0x1010 is 16 bytes beyond the end of a 4096-byte VRAM allocation at 0x10". */
void near_text(const struct near *near, uint64_t address, char *text, size_t room);
#endif
