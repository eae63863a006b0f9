/* SPDX-License-Identifier: Apache-2.0
 * Which lines the L2s would hold of what a golden GPU accesses: all that it loads, fetches and does atomics on; of its
 * stores those lines that one instruction covers, for the L2 passes other stores on when it has not the line.  What an
 * invalidation of the L2 has emptied counts no more.  Scratch memory is left out: which of it a wavefront has differs
 * from the RTL's.  Not responsible for: host memory, which no L2 holds.
 */
#include "golden/golden_private.h"
#include "vm/pmem.h"

#define LINE_BYTES 64u

void golden_touch(struct golden *g, struct touched *const *vram)
{
    g->touched = vram;
    g->share = NULL;
}

void golden_touch_begin(struct golden_worker *k, bool scratch)
{
    k->untouched = scratch;
    k->covered = 0;
}

/* The store under way covers all of its line with these bytes. */
static bool covers(struct golden_worker *k, uint64_t line, unsigned from, unsigned bytes)
{
    if (k->stored != line || k->covered == UINT64_MAX)
        k->covered = 0;
    k->stored = line;
    k->covered |= (bytes < 64 ? (UINT64_C(1) << bytes) - 1 : UINT64_MAX) << from;
    return k->covered == UINT64_MAX;
}

void golden_touch_access(struct golden_worker *k, uint64_t pa, unsigned bytes, bool store)
{
    const unsigned owner = pa >> PMEM_OWNER_SHIFT & 255;
    if (owner == 0 || k->untouched)
        return;
    struct touched *vram = k->g->touched[owner - 1];
    for (unsigned done = 0; done < bytes;) { /* an access may cross the end of a line */
        const uint64_t at = (pa & PMEM_OFFSET_MASK) + done;
        const unsigned from = at % LINE_BYTES, room = LINE_BYTES - from;
        const unsigned here = bytes - done < room ? bytes - done : room;
        touched_note(vram, at, !store || covers(k, pa + done - from, from, here));
        done += here;
    }
}

void golden_touch_drop(struct golden *g)
{
    touched_clear(g->touched[g->gpu]);
}
