/* SPDX-License-Identifier: Apache-2.0
 * Contents of physical memory; contract in pmem_save.h.  Holes of the files behind it are not even read.
 */
#include "vm/pmem_save.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "saved/state_io.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define PAGE UINT64_C(4096)

const char *pmem_unsavable(const struct pmem *pm, char *text, size_t room)
{
    if (pm->windows.count == 0)
        return NULL;
    snprintf(text, room, "memory of process %d is mapped for GPUs: only its own process could save it",
             (int)RANGE_OF(ranges_from(&pm->windows, 0), struct pmem_window, range)->pid);
    return text;
}

static bool page_empty(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

/* Pages of [from, from + bytes) of the mapped range at `base`, which lie at file_at of file fd. */
static void run_save(const uint8_t *base, uint64_t from, uint64_t bytes, int fd, uint64_t file_at,
                     struct state_writer *to)
{
    const off_t end = (off_t)(file_at + bytes);
    off_t hole = (off_t)file_at;
    for (off_t data; hole < end && (data = lseek(fd, hole, SEEK_DATA)) >= 0 && data < end;) {
        hole = lseek(fd, data, SEEK_HOLE);
        hole = hole < 0 || hole > end ? end : hole;
        for (uint64_t at = (uint64_t)data & ~(PAGE - 1); at < (uint64_t)hole; at += PAGE) {
            const uint64_t offset = from + (at - file_at);
            if (page_empty(base + offset))
                continue;
            state_put_u64(to, offset);
            state_put(to, base + offset, PAGE);
        }
    }
}

/* A memory is its base file but for the slabs, which have their own.  Pages by their own addresses. */
static void pages_save(const struct pmem *pm, unsigned memory, struct state_writer *to)
{
    const struct pmem_vram *v = &pm->vram[memory == PMEM_GTT ? 0 : memory];
    const uint64_t base_at = memory == PMEM_GTT ? pm->vram_bytes : 0;
    const uint64_t whole = memory == PMEM_GTT ? pm->gtt_bytes : pm->vram_bytes;
    const uint64_t granule = pmem_granule(pm, memory);
    for (uint64_t at = 0, bytes; at < whole; at += bytes) {
        uint64_t file_at;
        int fd = pmem_slab_fd(pm, memory, at, &file_at, &bytes);
        if (fd < 0) { /* until the next slab */
            fd = v->fd;
            file_at = base_at + at;
            uint64_t unused, reach, end = at;
            while (end < whole && pmem_slab_fd(pm, memory, end, &unused, &reach) < 0)
                end = end - end % granule + granule;
            bytes = (end < whole ? end : whole) - at;
        }
        run_save(v->base + base_at, at, bytes, fd, file_at, to);
    }
    state_put_u64(to, PMEM_SAVE_END);
}

void pmem_contents_save(const struct pmem *pm, unsigned memory, struct state_writer *to)
{
    struct pmem *own = (struct pmem *)(uintptr_t)pm;
    if (memory == PMEM_GTT || !pm->moved) {
        pages_save(pm, memory, to);
        return;
    }
    for (uint64_t done = 0, at, end; pmem_data_next(own, memory, done, &at, &end); done = end) {
        end = (end + PAGE - 1) & ~(PAGE - 1);
        for (uint64_t page = at & ~(PAGE - 1); page < end; page += PAGE) {
            const uint8_t *bytes = pmem_vram(own, memory, page, PAGE);
            if (page_empty(bytes))
                continue;
            state_put_u64(to, page);
            state_put(to, bytes, PAGE);
        }
    }
    state_put_u64(to, PMEM_SAVE_END);
}

/* Where pages are that are away: each behind its own address. */
static void away_save(const struct pmem *pm, struct state_writer *to)
{
    for (uint64_t page = 0; pmem_away_next(pm, page, &page); page += PAGE) {
        state_put_u64(to, page);
        state_put_u64(to, pmem_frame_of(pm, page));
    }
    state_put_u64(to, PMEM_SAVE_END);
}

static bool away_restore(struct pmem *pm, struct state_reader *from)
{
    for (uint64_t page, frame; state_get_u64(from, &page);) {
        if (page == PMEM_SAVE_END)
            return true;
        if (!state_get_u64(from, &frame))
            return false;
        if (!pmem_move_good(pm, page, frame))
            return state_refuse(from, "page 0x%llx is at 0x%llx", (unsigned long long)page, (unsigned long long)frame);
        pmem_move(pm, page, frame, false);
    }
    return false;
}

static void tables_save(const struct table_region *r, struct state_writer *to)
{
    const uint32_t count = r->used ? r->count : 0;
    STATE_PUT(to, count);
    state_put(to, r->used, count);
    for (uint32_t i = 0; i < count; i++)
        if (r->used[i]) /* the host's copy: writes to VRAM may be under way */
            state_put(to, r->shadow + i * (PAGE / sizeof *r->shadow), PAGE);
    STATE_PUT(to, r->removed_count);
    state_put(to, r->removed, r->removed_count * sizeof *r->removed);
    STATE_PUT(to, r->recycled);
}

void pmem_save(const struct pmem *pm, struct state_writer *to)
{
    const uint64_t shape[3] = {pm->gpus, pm->vram_bytes, pm->gtt_bytes};
    STATE_PUT(to, shape);
    STATE_PUT(to, pm->next_window);
    for (unsigned g = 0; g < pm->gpus; g++) {
        tables_save(&pm->vram[g].tables, to);
        pages_save(pm, g, to);
    }
    pages_save(pm, PMEM_GTT, to);
    away_save(pm, to);
}

bool pmem_contents_restore(struct pmem *pm, unsigned memory, struct state_reader *from)
{
    uint8_t *base = memory == PMEM_GTT ? pmem_gtt(pm, 0, 0) : pmem_pages(pm, memory, 0, 0);
    const uint64_t whole = memory == PMEM_GTT ? pm->gtt_bytes : pm->vram_bytes;
    pmem_clear(pm, memory, 0, whole);
    for (uint64_t at; state_get_u64(from, &at);) {
        if (at == PMEM_SAVE_END)
            return true;
        if (at % PAGE || at >= whole)
            return state_refuse(from, "page 0x%llx of a memory of %llu bytes", (unsigned long long)at,
                                (unsigned long long)whole);
        if (!state_get(from, base + at, PAGE))
            return false;
    }
    return false;
}

static bool tables_restore(struct table_region *r, uint64_t most, struct state_reader *from)
{
    uint32_t count, removed;
    if (!STATE_GET(from, count))
        return false;
    if (count != 0 && count != most)
        return state_refuse(from, "%u pages for tables, %llu are here", count, (unsigned long long)most);
    free(r->used);
    free(r->shadow);
    free(r->removed);
    *r = (struct table_region){.count = count};
    if (count) {
        r->used = xcalloc(count, 1);
        r->shadow = xcalloc(count, PAGE);
    }
    if (!state_get(from, r->used, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (r->used[i] && !state_get(from, r->shadow + i * (PAGE / sizeof *r->shadow), PAGE))
            return false;
    if (!STATE_GET(from, removed))
        return false;
    if (removed > count)
        return state_refuse(from, "%u removed tables of %u", removed, count);
    r->removed = removed ? xcalloc(removed, sizeof *r->removed) : NULL;
    r->removed_count = r->removed_room = removed;
    return state_get(from, r->removed, removed * sizeof *r->removed) && STATE_GET(from, r->recycled);
}

bool pmem_restore(struct pmem *pm, struct state_reader *from)
{
    uint64_t shape[3];
    if (!STATE_GET(from, shape) || !STATE_GET(from, pm->next_window))
        return false;
    if (shape[0] != pm->gpus || shape[1] != pm->vram_bytes || shape[2] != pm->gtt_bytes)
        return state_refuse(from, "memories of %llu GPUs, %llu and %llu bytes", (unsigned long long)shape[0],
                            (unsigned long long)shape[1], (unsigned long long)shape[2]);
    for (unsigned g = 0; g < pm->gpus; g++)
        if (!tables_restore(&pm->vram[g].tables, pmem_table_bytes(pm) / PAGE, from) ||
            !pmem_contents_restore(pm, g, from))
            return false;
    return pmem_contents_restore(pm, PMEM_GTT, from) && away_restore(pm, from);
}
