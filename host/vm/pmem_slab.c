/* SPDX-License-Identifier: Apache-2.0
 * Slabs (pmem.h): runs of granules with a file of their own, mapped into the one range that a memory has.  What is in
 * no slab belongs to the memory's base file, which no client ever sees: page tables, and what nobody has.  Not
 * responsible for: which client has which granule (host/memory/granules.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

#define GRANULES 1024u /* at most, of a memory: each may take a descriptor and a mapping */
#define GRANULE_MIN (UINT64_C(64) << 10)
#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

struct slab {
    int fd;
    uint64_t at;       /* where its file begins */
    uint64_t granules; /* that still lie in it */
};

struct area {
    uint8_t *host;
    int base_fd;
    off_t base_at; /* of the memory in the base file */
    uint64_t bytes;
    unsigned memory;
    struct slab_table *table;
};

static bool area_find(const struct pmem *pm, unsigned memory, struct area *area)
{
    struct pmem *own = (struct pmem *)(uintptr_t)pm;
    unsigned file = memory == PMEM_GTT ? 0 : memory;
    if (file >= pm->gpus)
        return false;
    *area = (struct area){.host = own->vram[file].base,
                          .base_fd = own->vram[file].fd,
                          .bytes = pm->vram_bytes - pmem_table_bytes(pm),
                          .memory = memory,
                          .table = &own->vram[file].slabs};
    if (memory != PMEM_GTT)
        return true;
    area->host += pm->vram_bytes;
    area->base_at = (off_t)pm->vram_bytes;
    area->bytes = pm->gtt_bytes;
    area->table = &own->gtt_slabs;
    return true;
}

uint64_t pmem_shared_bytes(const struct pmem *pm, unsigned memory)
{
    struct area area;
    return area_find(pm, memory, &area) ? area.bytes : 0;
}

uint64_t pmem_granule(const struct pmem *pm, unsigned memory)
{
    uint64_t bytes = pmem_shared_bytes(pm, memory), granule = GRANULE_MIN;
    while (granule * GRANULES < bytes)
        granule *= 2;
    return granule;
}

static struct slab *slab_of(const struct pmem *pm, const struct area *area, unsigned memory, uint64_t offset)
{
    return area->table->slab && offset < area->bytes ? area->table->slab[offset / pmem_granule(pm, memory)] : NULL;
}

/* The last granule may be cut off by the end of the memory. */
static uint64_t granule_end(const struct area *area, uint64_t at, uint64_t granule)
{
    return area->bytes - at < granule ? area->bytes : at + granule;
}

static int range_map(const struct area *area, uint64_t at, uint64_t bytes, int fd, off_t from)
{
    void *p = mmap(area->host + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, from);
    return p == MAP_FAILED ? -errno : 0;
}

int pmem_sealed_file(const char *name, uint64_t bytes)
{
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
        return fd;
    int error = errno;
    close(fd); /* -1: nothing happens */
    errno = error;
    return -1;
}

static bool range_good(const struct area *area, uint64_t granule, uint64_t at, uint64_t bytes)
{
    return at % granule == 0 && at < area->bytes && bytes > 0 && bytes <= area->bytes - at;
}

/* Takes the file over: it is closed when that fails. */
static int slab_add(struct pmem *pm, const struct area *area, uint64_t granule, uint64_t at, uint64_t bytes, int fd)
{
    struct slab *slab = calloc(1, sizeof *slab);
    if (!area->table->slab)
        area->table->slab = calloc(GRANULES, sizeof *area->table->slab);
    int error = slab && area->table->slab ? range_map(area, at, bytes, fd, 0) : -ENOMEM;
    if (error) {
        close(fd);
        free(slab);
        return error;
    }
    pm->changes++;
    pmem_left_forget(pm, area->memory, at, bytes);
    *slab = (struct slab){.fd = fd, .at = at};
    for (uint64_t p = at; p < at + bytes; p += granule, slab->granules++)
        area->table->slab[p / granule] = slab;
    return 0;
}

int pmem_slab_adopt(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes, int fd)
{
    struct area area;
    const uint64_t granule = pmem_granule(pm, memory);
    if (area_find(pm, memory, &area) && range_good(&area, granule, at, bytes))
        return slab_add(pm, &area, granule, at, bytes, fd);
    close(fd);
    return -EINVAL;
}

int pmem_slab_take(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes)
{
    struct area area;
    const uint64_t granule = pmem_granule(pm, memory);
    if (!area_find(pm, memory, &area) || !range_good(&area, granule, at, bytes))
        return -EINVAL;
    int fd = pmem_sealed_file("gantry-memory", bytes);
    int error = fd < 0 ? -errno : slab_add(pm, &area, granule, at, bytes, fd);
    if (error == 0 && pm->watch.taken)
        pm->watch.taken(pm->watch.ctx, memory, at, bytes, fd);
    return error;
}

void pmem_watch(struct pmem *pm, const struct pmem_watch *watch)
{
    pm->watch = watch ? *watch : (struct pmem_watch){.ctx = NULL};
}

void pmem_slab_give(struct pmem *pm, unsigned memory, uint64_t at)
{
    struct area area;
    const uint64_t granule = pmem_granule(pm, memory);
    struct slab *slab = area_find(pm, memory, &area) ? slab_of(pm, &area, memory, at) : NULL;
    if (!slab)
        return;
    pm->changes++;
    at -= at % granule;
    uint64_t bytes = granule_end(&area, at, granule) - at;
    pmem_home(pm, memory, at, bytes);
    /* Whoever had it may still have it mapped: from now on that is a file that leads nowhere. */
    int error = range_map(&area, at, bytes, area.base_fd, area.base_at + (off_t)at);
    CHECK(error == 0, "vm.pmem", "nothing lies behind memory %u at %llx: error %d", memory, (unsigned long long)at,
          error);
    fallocate(slab->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(at - slab->at), (off_t)bytes);
    area.table->slab[at / granule] = NULL;
    if (pm->watch.given)
        pm->watch.given(pm->watch.ctx, memory, at);
    if (--slab->granules)
        return;
    close(slab->fd);
    free(slab);
}

int pmem_slab_fd(const struct pmem *pm, unsigned memory, uint64_t at, uint64_t *file_offset, uint64_t *bytes)
{
    struct area area;
    const uint64_t granule = pmem_granule(pm, memory);
    struct slab *slab = area_find(pm, memory, &area) ? slab_of(pm, &area, memory, at) : NULL;
    if (!slab)
        return -1;
    uint64_t end = at - at % granule;
    while (end < area.bytes && slab_of(pm, &area, memory, end) == slab)
        end = granule_end(&area, end, granule);
    *file_offset = at - slab->at;
    *bytes = end - at;
    return slab->fd;
}

void pmem_clear(struct pmem *pm, unsigned memory, uint64_t at, uint64_t bytes)
{
    struct area area;
    if (!area_find(pm, memory, &area))
        return;
    pm->changes++;
    pmem_home(pm, memory, at, bytes);
    for (uint64_t end = at + bytes, step; at < end; at += step) {
        uint64_t file_offset = 0;
        int fd = pmem_slab_fd(pm, memory, at, &file_offset, &step);
        if (fd < 0) {
            fd = area.base_fd;
            file_offset = (uint64_t)area.base_at + at;
            step = pmem_granule(pm, memory) - at % pmem_granule(pm, memory);
        }
        step = step < end - at ? step : end - at;
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)file_offset, (off_t)step);
    }
}

void pmem_slabs_free(struct pmem *pm, unsigned memory)
{
    struct area area;
    const uint64_t granule = pmem_granule(pm, memory);
    if (!area_find(pm, memory, &area))
        return;
    for (uint64_t at = 0; area.table->slab && at < area.bytes; at += granule)
        pmem_slab_give(pm, memory, at);
    free(area.table->slab);
    area.table->slab = NULL;
}
