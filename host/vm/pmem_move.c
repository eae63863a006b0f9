/* SPDX-License-Identifier: Apache-2.0
 * Pages that move (pmem.h).  Which bytes a frame holds is the host's business alone: a page that goes to another GPU
 * keeps its place in its file, so nothing changes for a program that has it mapped, for its other processes and for a
 * worker; only the frame by which GPUs reach that place does.  Frames change places in pairs, a page with the empty
 * frame that it goes to: the table is its own inverse, and a page that comes home leaves no trace.  Not responsible
 * for: what of a page is in caches and page tables (host/migrate, RTL), which frames are empty (host/migrate).
 */
#include <string.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define PAGE UINT64_C(4096)

static unsigned gpu_at(uint64_t pa)
{
    return (unsigned)(pa >> PMEM_OWNER_SHIFT) - 1;
}

/* A page of the part of a VRAM that is not page tables'. */
static bool can_move(const struct pmem *pm, uint64_t page)
{
    const uint64_t owner = page >> PMEM_OWNER_SHIFT;
    return owner >= 1 && owner <= pm->gpus && page % PAGE == 0 &&
           (page & PMEM_OFFSET_MASK) < pmem_shared_bytes(pm, gpu_at(page));
}

/* The frame's place in a table of its memory; NULL: nothing of that memory was ever away. */
static uint64_t *entry_of(const struct pmem *pm, uint64_t pa)
{
    uint64_t *away = can_move(pm, pa & ~(PAGE - 1)) ? pm->vram[gpu_at(pa)].away : NULL;
    return away ? &away[(pa & PMEM_OFFSET_MASK) / PAGE] : NULL;
}

static uint64_t *left_of(const struct pmem *pm, uint64_t pa)
{
    uint64_t *left = can_move(pm, pa & ~(PAGE - 1)) ? pm->vram[gpu_at(pa)].left : NULL;
    return left ? &left[(pa & PMEM_OFFSET_MASK) / PAGE] : NULL;
}

const bool *pmem_moved(const struct pmem *pm)
{
    return &pm->moved;
}

uint64_t pmem_frame_of(const struct pmem *pm, uint64_t page)
{
    const uint64_t *entry = pm->moved ? entry_of(pm, page) : NULL;
    return entry && *entry ? *entry - 1 + page % PAGE : page;
}

uint64_t pmem_page_at(const struct pmem *pm, uint64_t pa)
{
    return pmem_frame_of(pm, pa);
}

uint64_t pmem_page_before(const struct pmem *pm, uint64_t pa)
{
    const uint64_t *left = left_of(pm, pa);
    return left && *left ? *left - 1 + pa % PAGE : pmem_page_at(pm, pa);
}

uint64_t pmem_moves(const struct pmem *pm)
{
    return pm->moves;
}

uint8_t *pmem_moved_vram(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes)
{
    const uint64_t pa = pmem_addr(gpu + 1, offset), place = pmem_page_at(pm, pa);
    if (offset % PAGE + bytes > PAGE) {
        const uint64_t first = pmem_away_from(pm, gpu, offset & ~(PAGE - 1), offset + bytes);
        CHECK(first >= offset + bytes, "vm.pmem", "gpu%u: %llu bytes at %llx, of which page %llx is away", gpu,
              (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)first);
        return pm->vram[gpu].base + offset;
    }
    return pm->vram[gpu_at(place)].base + (place & PMEM_OFFSET_MASK);
}

uint64_t pmem_away_from(const struct pmem *pm, unsigned gpu, uint64_t at, uint64_t end)
{
    const uint64_t *away = pm->vram[gpu].away, shared = pmem_shared_bytes(pm, gpu);
    for (uint64_t frame = at / PAGE; away && frame * PAGE < end && frame * PAGE < shared; frame++)
        if (away[frame])
            return frame * PAGE;
    return end;
}

bool pmem_away_next(const struct pmem *pm, uint64_t from, uint64_t *page)
{
    for (unsigned g = 0; pm->moved && g < pm->gpus; g++) {
        const uint64_t base = pmem_addr(g + 1, 0);
        for (uint64_t at = from > base ? from - base : 0; at < pm->vram_bytes; at += PAGE) {
            at = pmem_away_from(pm, g, at, pm->vram_bytes);
            *page = base + at;
            if (at < pm->vram_bytes && *page < pmem_frame_of(pm, *page))
                return true;
        }
    }
    return false;
}

/* What a GPU has written into the frame are the bytes of the page: a push that lost or mixed up a line is found here,
 * at the first moment at which somebody could read it. */
static void bytes_compare(struct pmem *pm, uint64_t page, uint64_t to)
{
    const uint8_t *own = pmem_pages(pm, gpu_at(page), page & PMEM_OFFSET_MASK, PAGE);
    const uint8_t *there = pmem_vram(pm, gpu_at(to), to & PMEM_OFFSET_MASK, PAGE);
    if (memcmp(own, there, PAGE) == 0)
        return;
    for (unsigned at = 0; at < PAGE; at += sizeof(uint64_t)) {
        uint64_t is, should;
        memcpy(&is, there + at, sizeof is);
        memcpy(&should, own + at, sizeof should);
        CHECK(is == should, "vm.pmem", "page %llx moves to %llx: line %u, byte %u: %016llx there, %016llx in the page",
              (unsigned long long)page, (unsigned long long)to, at / 64, at % 64, (unsigned long long)is,
              (unsigned long long)should);
    }
}

static void pair_make(struct pmem *pm, uint64_t a, uint64_t b)
{
    *entry_of(pm, a) = b + 1;
    *entry_of(pm, b) = a + 1;
    pm->pairs++;
    pm->moved = true;
}

static void pair_cut(struct pmem *pm, uint64_t a, uint64_t b)
{
    *entry_of(pm, a) = *entry_of(pm, b) = 0;
    pm->pairs--;
    pm->moved = pm->pairs != 0;
}

static void table_need(struct pmem *pm, unsigned gpu)
{
    const uint64_t frames = pmem_shared_bytes(pm, gpu) / PAGE;
    if (pm->vram[gpu].away)
        return;
    pm->vram[gpu].away = xcalloc(frames, sizeof(uint64_t));
    pm->vram[gpu].left = xcalloc(frames, sizeof(uint64_t));
}

/* `to` is nobody's, or the page's own. */
bool pmem_move_good(const struct pmem *pm, uint64_t page, uint64_t to)
{
    return can_move(pm, page) && can_move(pm, to) && to != pmem_frame_of(pm, page) &&
           (to == page || pmem_page_at(pm, to) == to);
}

void pmem_move(struct pmem *pm, uint64_t page, uint64_t to, bool compare)
{
    const uint64_t now = pmem_frame_of(pm, page);
    CHECK(pmem_move_good(pm, page, to), "vm.pmem", "page %llx, at %llx, to %llx, where %llx is",
          (unsigned long long)page, (unsigned long long)now, (unsigned long long)to,
          (unsigned long long)pmem_page_at(pm, to));
    if (compare)
        bytes_compare(pm, page, to);
    table_need(pm, gpu_at(page));
    table_need(pm, gpu_at(to));
    if (now != page)
        pair_cut(pm, page, now);
    if (to != page)
        pair_make(pm, page, to);
    *left_of(pm, now) = page + 1;
    *left_of(pm, to) = 0;
    pm->changes++;
    pm->moves++;
    if (pm->watch.moved)
        pm->watch.moved(pm->watch.ctx, page, to);
}

void pmem_left_forget(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes)
{
    uint64_t *left = memory < pm->gpus ? pm->vram[memory].left : NULL;
    if (left)
        memset(left + at / PAGE, 0, bytes / PAGE * sizeof *left);
}

void pmem_home(struct pmem *pm, unsigned gpu, uint64_t at, uint64_t bytes)
{
    if (!pm->moved || gpu >= pm->gpus)
        return;
    for (uint64_t end = at + bytes; (at = pmem_away_from(pm, gpu, at & ~(PAGE - 1), end)) < end; at += PAGE)
        pmem_move(pm, pmem_addr(gpu + 1, at), pmem_addr(gpu + 1, at), false);
}
