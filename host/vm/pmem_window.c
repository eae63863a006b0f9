/* SPDX-License-Identifier: Apache-2.0
 * Windows of client memory (pmem.h): ranges of host-physical addresses behind which the pages of a client process lie.
 * Not responsible for: how much a client may have of them (driver).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/check.h"
#include "base/xalloc.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

static struct pmem_window *window_of(struct range *r)
{
    return r ? RANGE_OF(r, struct pmem_window, range) : NULL;
}

/* False without memory. */
static bool window_insert(struct pmem *pm, uint64_t offset, uint64_t bytes, uint64_t cpu_addr, pid_t pid)
{
    struct pmem_window *w = calloc(1, sizeof *w);
    if (!w)
        return false;
    *w = (struct pmem_window){.range = {.at = offset, .bytes = bytes}, .cpu_addr = cpu_addr, .pid = pid};
    ranges_add(&pm->windows, &w->range);
    return true;
}

static void windows_drop(struct pmem *pm)
{
    while (pm->windows.root) {
        struct pmem_window *w = window_of(pm->windows.root);
        ranges_remove(&pm->windows, &w->range);
        free(w);
    }
    arena_release(&pm->window_numbers);
}

bool pmem_windows_init(struct pmem *pm)
{
    pm->next_window = PMEM_WINDOW_BASE;
    return arena_init(&pm->window_numbers, PMEM_WINDOW_BASE, PMEM_WINDOW_END - PMEM_WINDOW_BASE);
}

void pmem_windows_fini(struct pmem *pm)
{
    windows_drop(pm);
    free(pm->window_rows);
}

/* Rising numbers as long as there are new ones, then those that have become free. */
uint64_t pmem_window_add(struct pmem *pm, pid_t pid, uint64_t cpu_addr, uint64_t bytes)
{
    if (bytes == 0 || (bytes & 0xfff) || cpu_addr > UINT64_MAX - bytes)
        return 0;
    uint64_t offset = arena_alloc_from(&pm->window_numbers, pm->next_window, bytes);
    if (offset == ARENA_NONE)
        offset = arena_alloc_from(&pm->window_numbers, PMEM_WINDOW_BASE, bytes);
    if (offset == ARENA_NONE)
        return 0;
    if (!window_insert(pm, offset, bytes, cpu_addr, pid)) {
        arena_free(&pm->window_numbers, offset, bytes);
        return 0;
    }
    pm->window_changes++;
    pm->next_window = offset + bytes;
    return offset;
}

void pmem_window_remove(struct pmem *pm, uint64_t offset)
{
    struct pmem_window *w = window_of(ranges_at(&pm->windows, offset));
    if (!w)
        return;
    ranges_remove(&pm->windows, &w->range);
    arena_free(&pm->window_numbers, w->range.at, w->range.bytes);
    free(w);
    pm->window_changes++;
}

/* The window behind w; NULL: the first one. */
static struct pmem_window *window_next(const struct pmem *pm, const struct pmem_window *w)
{
    return window_of(ranges_from(&pm->windows, w ? w->range.at + 1 : 0));
}

void pmem_windows_orphan(struct pmem *pm, pid_t pid)
{
    pm->window_changes++;
    for (struct pmem_window *w = window_next(pm, NULL); w; w = window_next(pm, w))
        if (w->pid == pid)
            w->pid = 0;
}

void pmem_windows_inherit(struct pmem *pm, pid_t parent)
{
    for (struct pmem_window *w = window_next(pm, NULL); w; w = window_next(pm, w))
        if (w->pid == parent)
            w->pid = getpid();
}

const void *pmem_windows(const struct pmem *pm, size_t *bytes)
{
    struct pmem *own = (struct pmem *)(uintptr_t)pm;
    struct pmem_window_row *row = xcalloc(pm->windows.count, sizeof *row);
    free(own->window_rows);
    own->window_rows = row;
    *bytes = pm->windows.count * sizeof *row;
    for (const struct pmem_window *w = window_next(pm, NULL); w; w = window_next(pm, w))
        *row++ = (struct pmem_window_row){w->range.at, w->range.bytes, w->cpu_addr, w->pid};
    return own->window_rows;
}

void pmem_windows_set(struct pmem *pm, const void *windows, size_t bytes)
{
    windows_drop(pm);
    CHECK(pmem_windows_init(pm), "vm.pmem", "no memory for %zu bytes of windows", bytes);
    for (size_t i = 0; i < bytes / sizeof(struct pmem_window_row); i++) {
        struct pmem_window_row row;
        memcpy(&row, (const uint8_t *)windows + i * sizeof row, sizeof row);
        arena_alloc_from(&pm->window_numbers, row.offset, row.bytes);
        CHECK(window_insert(pm, row.offset, row.bytes, row.cpu_addr, row.pid), "vm.pmem", "no memory for window %zu",
              i);
    }
    pm->window_changes++;
}

uint64_t pmem_windows_changes(const struct pmem *pm)
{
    return pm->window_changes;
}

int pmem_window_copy(struct pmem *pm, uint64_t offset, void *buffer, size_t bytes, bool write)
{
    uint8_t *p = buffer;
    while (bytes) {
        const struct pmem_window *w = window_of(ranges_at(&pm->windows, offset));
        if (!w || w->pid == 0)
            return -EFAULT;
        size_t n = w->range.at + w->range.bytes - offset;
        if (n > bytes)
            n = bytes;
        struct iovec local = {p, n};
        struct iovec remote = {(void *)(uintptr_t)(w->cpu_addr + (offset - w->range.at)), n};
        ssize_t done = write ? process_vm_writev(w->pid, &local, 1, &remote, 1, 0)
                             : process_vm_readv(w->pid, &local, 1, &remote, 1, 0);
        if (done != (ssize_t)n)
            return -EFAULT;
        p += n;
        offset += n;
        bytes -= n;
    }
    return 0;
}
