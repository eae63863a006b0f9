/* SPDX-License-Identifier: Apache-2.0
 * Windows of client memory (pmem.h): ranges of host-physical addresses behind which the pages of a client process lie.
 * Not responsible for: how much a client may have of them (driver).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "vm/pmem.h"
#include "vm/pmem_private.h"

/* Index of the first window that ends above `offset`. */
static size_t window_after(const struct pmem *pm, uint64_t offset)
{
    size_t lo = 0, hi = pm->window_count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (pm->windows[mid].offset + pm->windows[mid].bytes <= offset)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct pmem_window *window_find(struct pmem *pm, uint64_t offset)
{
    size_t i = window_after(pm, offset);
    return i < pm->window_count && pm->windows[i].offset <= offset ? &pm->windows[i] : NULL;
}

/* Room for `bytes` in the first gap at or above `from`; *index: the window behind it.  0: none. */
static uint64_t gap_find(const struct pmem *pm, uint64_t from, uint64_t bytes, size_t *index)
{
    size_t i = window_after(pm, from);
    for (; i < pm->window_count; i++) {
        const struct pmem_window *w = &pm->windows[i];
        if (from < w->offset && w->offset - from >= bytes)
            break;
        from = w->offset + w->bytes;
    }
    *index = i;
    return i < pm->window_count || PMEM_WINDOW_END - from >= bytes ? from : 0;
}

/* Rising numbers as long as there are new ones, then those that have become free. */
uint64_t pmem_window_add(struct pmem *pm, pid_t pid, uint64_t cpu_addr, uint64_t bytes)
{
    size_t at;
    if (bytes == 0 || (bytes & 0xfff) || cpu_addr > UINT64_MAX - bytes)
        return 0;
    uint64_t offset = gap_find(pm, pm->next_window, bytes, &at);
    if (!offset)
        offset = gap_find(pm, PMEM_WINDOW_BASE, bytes, &at);
    if (!offset)
        return 0;
    if (pm->window_count == pm->window_room) {
        size_t room = pm->window_room ? 2 * pm->window_room : 64;
        struct pmem_window *grown = realloc(pm->windows, room * sizeof *grown);
        if (!grown)
            return 0;
        pm->windows = grown;
        pm->window_room = room;
    }
    memmove(&pm->windows[at + 1], &pm->windows[at], (pm->window_count - at) * sizeof pm->windows[0]);
    pm->windows[at] = (struct pmem_window){.offset = offset, .bytes = bytes, .cpu_addr = cpu_addr, .pid = pid};
    pm->window_count++;
    pm->window_changes++;
    pm->next_window = offset + bytes;
    return offset;
}

void pmem_window_remove(struct pmem *pm, uint64_t offset)
{
    struct pmem_window *w = window_find(pm, offset);
    if (!w)
        return;
    size_t at = (size_t)(w - pm->windows);
    memmove(w, w + 1, (pm->window_count - at - 1) * sizeof *w);
    pm->window_count--;
    pm->window_changes++;
}

void pmem_windows_orphan(struct pmem *pm, pid_t pid)
{
    pm->window_changes++;
    for (size_t i = 0; i < pm->window_count; i++)
        if (pm->windows[i].pid == pid)
            pm->windows[i].pid = 0;
}

void pmem_windows_inherit(struct pmem *pm, pid_t parent)
{
    for (size_t i = 0; i < pm->window_count; i++)
        if (pm->windows[i].pid == parent)
            pm->windows[i].pid = getpid();
}

const void *pmem_windows(const struct pmem *pm, size_t *bytes)
{
    *bytes = pm->window_count * sizeof *pm->windows;
    return pm->windows;
}

void pmem_windows_set(struct pmem *pm, const void *windows, size_t bytes)
{
    pm->windows = xrealloc(pm->windows, bytes + 1, 1);
    memcpy(pm->windows, windows, bytes);
    pm->window_count = pm->window_room = bytes / sizeof *pm->windows;
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
        struct pmem_window *w = window_find(pm, offset);
        if (!w || w->pid == 0)
            return -EFAULT;
        size_t n = w->offset + w->bytes - offset;
        if (n > bytes)
            n = bytes;
        struct iovec local = {p, n};
        struct iovec remote = {(void *)(uintptr_t)(w->cpu_addr + (offset - w->offset)), n};
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
