/* SPDX-License-Identifier: Apache-2.0
 * Where the bytes of VRAM are: pages by their own addresses, frames by those that GPUs use (pmem.h), and which of them
 * have changed places.  Not responsible for: the change (pmem_move.c).
 */
#include "base/check.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define PAGE UINT64_C(4096)

uint64_t pmem_table_bytes(const struct pmem *pm)
{
    uint64_t bytes = (pm->vram_bytes / 64) & ~UINT64_C(0xffff);
    return bytes < PMEM_TABLE_MIN ? PMEM_TABLE_MIN : bytes;
}

/* A page of the part of a VRAM that is not page tables'. */
bool pmem_can_move(const struct pmem *pm, uint64_t page)
{
    const uint64_t owner = page >> PMEM_OWNER_SHIFT;
    return owner >= 1 && owner <= pm->gpus && page % PAGE == 0 &&
           (page & PMEM_OFFSET_MASK) < pm->vram_bytes - pmem_table_bytes(pm);
}

/* The frame's place in a table of its memory; NULL: nothing of that memory was ever away. */
uint64_t *pmem_away_entry(const struct pmem *pm, uint64_t pa)
{
    uint64_t *away = pmem_can_move(pm, pa & ~(PAGE - 1)) ? pm->vram[pmem_gpu_at(pa)].away : NULL;
    return away ? &away[(pa & PMEM_OFFSET_MASK) / PAGE] : NULL;
}

uint64_t *pmem_left_entry(const struct pmem *pm, uint64_t pa)
{
    uint64_t *left = pmem_can_move(pm, pa & ~(PAGE - 1)) ? pm->vram[pmem_gpu_at(pa)].left : NULL;
    return left ? &left[(pa & PMEM_OFFSET_MASK) / PAGE] : NULL;
}

const bool *pmem_moved(const struct pmem *pm)
{
    return &pm->moved;
}

uint64_t pmem_frame_of(const struct pmem *pm, uint64_t page)
{
    const uint64_t *entry = pm->moved ? pmem_away_entry(pm, page) : NULL;
    return entry && *entry ? *entry - 1 + page % PAGE : page;
}

uint64_t pmem_page_at(const struct pmem *pm, uint64_t pa)
{
    return pmem_frame_of(pm, pa);
}

uint64_t pmem_page_before(const struct pmem *pm, uint64_t pa)
{
    const uint64_t *left = pmem_left_entry(pm, pa);
    return left && *left ? *left - 1 + pa % PAGE : pmem_page_at(pm, pa);
}

uint64_t pmem_moves(const struct pmem *pm)
{
    return pm->moves;
}

uint64_t pmem_away_from(const struct pmem *pm, unsigned gpu, uint64_t at, uint64_t end)
{
    const uint64_t *away = pm->vram[gpu].away, shared = pm->vram_bytes - pmem_table_bytes(pm);
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

uint8_t *pmem_pages(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes)
{
    return pmem_own_place(pm, gpu, offset, bytes);
}

/* While some page is away. */
static uint8_t *moved_vram(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes)
{
    const uint64_t pa = pmem_addr(gpu + 1, offset), place = pmem_page_at(pm, pa);
    if (offset % PAGE + bytes > PAGE) {
        const uint64_t first = pmem_away_from(pm, gpu, offset & ~(PAGE - 1), offset + bytes);
        CHECK(first >= offset + bytes, "vm.pmem", "gpu%u: %llu bytes at %llx, of which page %llx is away", gpu,
              (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)first);
        return pm->vram[gpu].base + offset;
    }
    return pm->vram[pmem_gpu_at(place)].base + (place & PMEM_OFFSET_MASK);
}

uint8_t *pmem_vram(struct pmem *pm, unsigned gpu, uint64_t offset, uint64_t bytes)
{
    uint8_t *p = pmem_own_place(pm, gpu, offset, bytes);
    return __builtin_expect(pm->moved, 0) && p ? moved_vram(pm, gpu, offset, bytes) : p;
}

/* `to` is nobody's, or the page's own. */
bool pmem_move_good(const struct pmem *pm, uint64_t page, uint64_t to)
{
    return pmem_can_move(pm, page) && pmem_can_move(pm, to) && to != pmem_frame_of(pm, page) &&
           (to == page || pmem_page_at(pm, to) == to);
}
