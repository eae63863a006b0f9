/* SPDX-License-Identifier: Apache-2.0
 * Bytes that the L2 of a GPU holds and its DRAM does not: what the order port of part_l2 told, until the slice has sent
 * it to DRAM.  So that lock step sees memory as a load of the GPU does.  Not responsible for: what was in memory
 * before, and is on its way there (lockstep_mem.c).
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "lockstep/lockstep_private.h"
#include "vm/pmem.h"

#define FIRST_ROOM 1024

/* An entry without bytes stays until the table grows, so that those behind it are found. */
struct ls_dirty_line {
    uint64_t address; /* plus 1; 0: free */
    uint64_t mask;
    uint8_t bytes[64];
};

static struct ls_dirty_line *place_of(const struct ls_dirty *d, uint64_t address)
{
    for (size_t n = address / 64 * UINT64_C(0x9e3779b97f4a7c15) >> 32;; n++) {
        struct ls_dirty_line *line = &d->lines[n & (d->room - 1)];
        if (!line->address || line->address == address + 1)
            return line;
    }
}

static void grow(struct ls_dirty *d)
{
    struct ls_dirty old = *d;
    size_t live = 0;
    for (size_t n = 0; n < old.room; n++)
        live += old.lines[n].mask != 0;
    d->room = FIRST_ROOM;
    while (d->room < 4 * live)
        d->room *= 2;
    d->lines = xcalloc(d->room, sizeof *d->lines);
    d->used = live;
    for (size_t n = 0; n < old.room; n++)
        if (old.lines[n].mask)
            *place_of(d, old.lines[n].address - 1) = old.lines[n];
    free(old.lines);
}

void ls_dirty_put(struct ls_dirty *d, uint64_t cycle, uint64_t address, uint64_t mask, const void *bytes)
{
    if (d->ahead.cycle == cycle && d->ahead.address == address) {
        for (uint64_t m = mask & d->ahead.mask; m; m &= m - 1) {
            unsigned b = __builtin_ctzll(m);
            if (((const uint8_t *)d->ahead.bytes)[b] == ((const uint8_t *)bytes)[b])
                mask &= ~(UINT64_C(1) << b);
        }
        d->ahead.mask = 0;
    }
    if (!mask)
        return;
    if (d->used * 2 >= d->room)
        grow(d);
    struct ls_dirty_line *line = place_of(d, address);
    d->used += line->address == 0;
    line->address = address + 1;
    line->mask |= mask;
    for (uint64_t m = mask; m; m &= m - 1)
        line->bytes[__builtin_ctzll(m)] = ((const uint8_t *)bytes)[__builtin_ctzll(m)];
}

uint64_t ls_dirty_written(struct ls_dirty *d, uint64_t cycle, uint64_t address, uint64_t mask, const void *bytes)
{
    struct ls_dirty_line *line = d->room ? place_of(d, address) : NULL;
    uint64_t gone = 0;
    d->ahead.cycle = cycle;
    d->ahead.address = address;
    d->ahead.mask = line ? mask & ~line->mask : mask;
    memcpy(d->ahead.bytes, bytes, sizeof d->ahead.bytes);
    for (uint64_t m = line ? line->mask & mask : 0; m; m &= m - 1) {
        unsigned b = __builtin_ctzll(m);
        if (line->bytes[b] == ((const uint8_t *)bytes)[b]) /* else a younger store is still to come */
            gone |= UINT64_C(1) << b;
    }
    if (gone)
        line->mask &= ~gone;
    return gone;
}

int ls_read(const struct lockstep *ls, uint64_t address, void *to, unsigned bytes)
{
    int status = pmem_read(ls->memory, pmem_frame_of(ls->memory, address), to, bytes);
    for (unsigned k = 0; ls->dirty.used && k < bytes; k++) {
        const struct ls_dirty_line *line = place_of(&ls->dirty, (address + k) & ~UINT64_C(63));
        if (line->mask >> ((address + k) & 63) & 1)
            ((uint8_t *)to)[k] = line->bytes[(address + k) & 63];
    }
    return status;
}

void ls_dirty_free(struct ls_dirty *d)
{
    free(d->lines);
    *d = (struct ls_dirty){0};
}
