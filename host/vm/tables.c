/* SPDX-License-Identifier: Apache-2.0
 * Pages of page tables; contract in pagetable_private.h, recycling in pagetable.h.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "vm/pagetable.h"
#include "vm/pagetable_private.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

static uint64_t region_base(const struct pmem *pm)
{
    return pm->vram_bytes - pmem_table_bytes(pm);
}

/* NULL without memory. */
static struct table_region *region_of(struct pmem *pm, unsigned gpu)
{
    struct table_region *r = &pm->vram[gpu].tables;
    if (r->used)
        return r;
    uint32_t count = (uint32_t)(pmem_table_bytes(pm) / PAGE);
    uint64_t *shadow = calloc(count, PAGE);
    uint8_t *used = shadow ? calloc(count, 1) : NULL;
    if (!used) {
        free(shadow);
        return NULL;
    }
    r->count = count;
    r->used = used;
    r->shadow = shadow;
    return r;
}

uint64_t tables_alloc(struct pmem *pm, unsigned gpu, uint32_t pages)
{
    struct table_region *r = region_of(pm, gpu);
    if (!r)
        return 0;
    for (uint32_t i = r->lowest; i + pages <= r->count; i++) {
        if (r->used[i] || (pages == 2 && ((i & 1) || r->used[i + 1])))
            continue;
        memset(r->used + i, 1, pages);
        if (pages == 1)
            r->lowest = i + 1;
        uint64_t offset = region_base(pm) + (uint64_t)i * PAGE;
        memset(tables_at(pm, gpu, offset), 0, (size_t)pages * PAGE);
        return offset;
    }
    return 0;
}

/* Pages [first, +count) are free again. */
static void pages_free(struct table_region *r, uint32_t first, uint32_t count)
{
    memset(r->used + first, 0, count);
    r->lowest = first < r->lowest ? first : r->lowest;
}

void tables_free(struct pmem *pm, unsigned gpu, uint64_t offset, uint32_t pages)
{
    pages_free(&pm->vram[gpu].tables, (uint32_t)((offset - region_base(pm)) / PAGE), pages);
}

void tables_remove(struct pmem *pm, unsigned gpu, uint64_t offset)
{
    struct table_region *r = &pm->vram[gpu].tables;
    if (r->removed_count == r->removed_room) {
        uint32_t room = r->removed_room ? 2 * r->removed_room : 64;
        uint32_t *grown = realloc(r->removed, room * sizeof *grown);
        if (!grown)
            return;
        r->removed = grown;
        r->removed_room = room;
    }
    r->removed[r->removed_count++] = (uint32_t)((offset - region_base(pm)) / PAGE);
}

uint64_t pagetable_removed(const struct pmem *pm, unsigned gpu)
{
    return pm->vram[gpu].tables.recycled + pm->vram[gpu].tables.removed_count;
}

void pagetable_recycle(struct pmem *pm, unsigned gpu, uint64_t upto)
{
    struct table_region *r = &pm->vram[gpu].tables;
    uint32_t count = upto > r->recycled ? (uint32_t)(upto - r->recycled) : 0;
    for (uint32_t i = 0; i < count; i++)
        pages_free(r, r->removed[i], 1);
    if (count)
        memmove(r->removed, r->removed + count, (r->removed_count - count) * sizeof *r->removed);
    r->removed_count -= count;
    r->recycled += count;
}

uint64_t *tables_at(const struct pmem *pm, unsigned gpu, uint64_t offset)
{
    return pm->vram[gpu].tables.shadow + (offset - region_base(pm)) / sizeof(uint64_t);
}

void pagetable_sink_set(struct pmem *pm, pagetable_sink_fn fn, void *ctx)
{
    pm->table_sink = fn;
    pm->table_sink_ctx = ctx;
}

void tables_write(struct pmem *pm, unsigned gpu, const uint64_t *first, uint32_t count)
{
    uint64_t offset = region_base(pm) + (uint64_t)(first - pm->vram[gpu].tables.shadow) * sizeof *first;
    if (pm->table_sink)
        pm->table_sink(pm->table_sink_ctx, pmem_addr(gpu + 1, offset), first, count * (uint32_t)sizeof *first);
    else
        CHECK(pmem_write(pm, pmem_addr(gpu + 1, offset), first, count * sizeof *first) == 0, "vm.tables",
              "gpu=%u offset=%llx", gpu, (unsigned long long)offset);
}
