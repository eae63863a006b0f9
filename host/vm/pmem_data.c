/* SPDX-License-Identifier: Apache-2.0
 * Which bytes of a VRAM are there at all: its files are sparse, and what was never written reads as zeros (pmem.h).
 */
#include <unistd.h>

#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define PAGE UINT64_C(4096)

/* The file behind `at`, where in it, and how far it reaches (to the end of VRAM). */
static int file_of(struct pmem *pm, unsigned gpu, uint64_t at, uint64_t *place, uint64_t *end)
{
    const uint64_t shared = pmem_shared_bytes(pm, gpu), granule = pmem_granule(pm, gpu);
    uint64_t bytes, unused, next;
    int fd = pmem_slab_fd(pm, gpu, at, place, &bytes);
    *end = at + bytes;
    if (fd >= 0)
        return fd;
    for (next = at - at % granule; next < shared && pmem_slab_fd(pm, gpu, next, &unused, &bytes) < 0;)
        next += granule;
    *end = next < shared ? next : pm->vram_bytes;
    *place = at;
    return pm->vram[gpu].fd;
}

/* Without regard to pages that are away. */
static bool files_next(struct pmem *pm, unsigned gpu, uint64_t from, uint64_t *at, uint64_t *end)
{
    while (from < pm->vram_bytes) {
        uint64_t place = 0, stop = 0;
        int fd = file_of(pm, gpu, from, &place, &stop);
        off_t data = lseek(fd, (off_t)place, SEEK_DATA);
        if (data < 0 || (uint64_t)data - place >= stop - from) {
            from = stop;
            continue;
        }
        off_t hole = lseek(fd, data, SEEK_HOLE);
        *at = from + ((uint64_t)data - place);
        *end = from + ((uint64_t)hole - place);
        if (hole < 0 || *end > stop)
            *end = stop;
        return true;
    }
    return false;
}

bool pmem_data_next(struct pmem *pm, unsigned gpu, uint64_t from, uint64_t *at, uint64_t *end)
{
    const bool any = files_next(pm, gpu, from, at, end);
    if (!pm->moved)
        return any;
    const uint64_t pair = pmem_away_from(pm, gpu, from & ~(PAGE - 1), any ? *end : pm->vram_bytes);
    if (pair >= (any ? *end : pm->vram_bytes))
        return any;
    if (any && *at < pair) {
        *end = pair;
        return true;
    }
    *at = from > pair ? from : pair; /* whose bytes lie in a file of another place */
    *end = pair + PAGE;
    return true;
}

uint64_t pmem_changes(const struct pmem *pm)
{
    return pm->changes;
}
