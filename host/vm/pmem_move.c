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

/* What a GPU has written into the frame are the bytes of the page: a push that lost or mixed up a line is found here,
 * at the first moment at which somebody could read it. */
static void bytes_compare(struct pmem *pm, uint64_t page, uint64_t to)
{
    const uint8_t *own = pmem_pages(pm, pmem_gpu_at(page), page & PMEM_OFFSET_MASK, PAGE);
    const uint8_t *there = pmem_vram(pm, pmem_gpu_at(to), to & PMEM_OFFSET_MASK, PAGE);
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
    *pmem_away_entry(pm, a) = b + 1;
    *pmem_away_entry(pm, b) = a + 1;
    pm->pairs++;
    pm->moved = true;
}

static void pair_cut(struct pmem *pm, uint64_t a, uint64_t b)
{
    *pmem_away_entry(pm, a) = *pmem_away_entry(pm, b) = 0;
    pm->pairs--;
    pm->moved = pm->pairs != 0;
}

static void table_need(struct pmem *pm, unsigned gpu)
{
    const uint64_t frames = (pm->vram_bytes - pmem_table_bytes(pm)) / PAGE;
    if (pm->vram[gpu].away)
        return;
    pm->vram[gpu].away = xcalloc(frames, sizeof(uint64_t));
    pm->vram[gpu].left = xcalloc(frames, sizeof(uint64_t));
}

void pmem_move(struct pmem *pm, uint64_t page, uint64_t to, bool compare)
{
    const uint64_t now = pmem_frame_of(pm, page);
    CHECK(pmem_move_good(pm, page, to), "vm.pmem", "page %llx, at %llx, to %llx, where %llx is",
          (unsigned long long)page, (unsigned long long)now, (unsigned long long)to,
          (unsigned long long)pmem_page_at(pm, to));
    if (compare)
        bytes_compare(pm, page, to);
    table_need(pm, pmem_gpu_at(page));
    table_need(pm, pmem_gpu_at(to));
    if (now != page)
        pair_cut(pm, page, now);
    if (to != page)
        pair_make(pm, page, to);
    *pmem_left_entry(pm, now) = page + 1;
    *pmem_left_entry(pm, to) = 0;
    pmem_guard_set(pm, now, PMEM_LEFT);
    pmem_guard_set(pm, to, PMEM_OPEN);
    pm->changes++;
    pm->moves++;
    if (pm->watch.moved)
        pm->watch.moved(pm->watch.ctx, page, to);
}

void pmem_left_forget(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes)
{
    uint64_t *left = memory < pm->gpus ? pm->vram[memory].left : NULL;
    pmem_guard_open(pm, memory, at, bytes);
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
