/* SPDX-License-Identifier: Apache-2.0
 * Physical memory of the machine (pmem.h): one address range a GPU with a sparse file behind it, the GTT behind the
 * VRAM of GPU 0 (the ROCm user space maps all system memory through the first render node).  Not responsible for:
 * slabs that clients share (pmem_slab.c), windows of client memory (pmem_window.c), which bytes are in use (driver),
 * translation (pagetable.c), timing.
 */
#include "vm/pmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "gantry_msg.h"
#include "vm/pagetable.h"
#include "vm/pmem_private.h"

#define PAGE 4096u

/* 0, or -1 with errno and nothing left. */
static int vram_create(struct pmem_vram *v, uint64_t bytes)
{
    int fd = memfd_create("gantry-vram", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    void *p = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0)
        p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (p == MAP_FAILED) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    v->fd = fd;
    v->base = p;
    v->mapped = bytes;
    return 0;
}

void pmem_refused(void)
{
    diag(NULL, "memory of the machine: %s%s", strerror(errno),
         errno == EFBIG ? ": ulimit -f, which holds for shared memory, too" : "");
}

struct pmem *pmem_new(unsigned gpus, uint64_t vram_bytes, uint64_t gtt_bytes)
{
    if (gpus == 0 || gpus > PMEM_MAX_GPUS || vram_bytes < PMEM_VRAM_MIN || (vram_bytes | gtt_bytes) & 0xfff) {
        errno = EINVAL;
        return NULL;
    }
    struct pmem *pm = calloc(1, sizeof *pm);
    if (!pm)
        return NULL;
    pm->vram_bytes = vram_bytes;
    pm->gtt_bytes = gtt_bytes;
    if (!pmem_windows_init(pm)) {
        pmem_free(pm);
        return NULL;
    }
    pm->fragment = PAGETABLE_FRAGMENT_MOST;
    for (; pm->gpus < gpus; pm->gpus++)
        if (vram_create(&pm->vram[pm->gpus], vram_bytes + (pm->gpus == 0 ? gtt_bytes : 0)) < 0) {
            int error = errno;
            pmem_free(pm);
            errno = error;
            return NULL;
        }
    return pm;
}

void pmem_free(struct pmem *pm)
{
    if (!pm)
        return;
    pmem_guard_end(pm);
    pm->moved = false; /* nobody looks for pages any more */
    pmem_slabs_free(pm, PMEM_GTT);
    for (unsigned g = 0; g < pm->gpus; g++) {
        pmem_slabs_free(pm, g);
        munmap(pm->vram[g].base, pm->vram[g].mapped);
        close(pm->vram[g].fd);
        free(pm->vram[g].tables.used);
        free(pm->vram[g].tables.shadow);
        free(pm->vram[g].tables.removed);
        free(pm->vram[g].away);
        free(pm->vram[g].left);
    }
    pmem_windows_fini(pm);
    free(pm);
}

unsigned pmem_gpus(const struct pmem *pm)
{
    return pm->gpus;
}
uint64_t pmem_vram_bytes(const struct pmem *pm)
{
    return pm->vram_bytes;
}
uint64_t pmem_gtt_bytes(const struct pmem *pm)
{
    return pm->gtt_bytes;
}
uint8_t *pmem_gtt(struct pmem *pm, uint64_t offset, uint64_t bytes)
{
    if (bytes > pm->gtt_bytes || offset > pm->gtt_bytes - bytes)
        return NULL;
    return pm->vram[0].base + pm->vram_bytes + offset;
}

/* Host pointer of a physical range that lies in a memfd, else NULL (window or nobody's). */
static uint8_t *direct(struct pmem *pm, uint64_t pa, size_t bytes)
{
    unsigned owner = (unsigned)(pa >> PMEM_OWNER_SHIFT) & 0xff;
    uint64_t offset = pa & PMEM_OFFSET_MASK;
    if (!owner)
        return pmem_gtt(pm, offset, bytes);
    return __builtin_expect(pm->moved, 0) ? pmem_vram(pm, owner - 1, offset, bytes)
                                          : pmem_own_place(pm, owner - 1, offset, bytes);
}

static bool is_window(uint64_t pa)
{
    return (pa >> PMEM_OWNER_SHIFT) == 0 && (pa & PMEM_OFFSET_MASK) >= PMEM_WINDOW_BASE;
}

/* Bytes of [pa, +bytes) that lie on one another: all, but of a page beside one that is away. */
static size_t piece(const struct pmem *pm, uint64_t pa, size_t bytes)
{
    const size_t left = PAGE - pa % PAGE;
    return __builtin_expect(pm->moved, 0) && bytes > left ? left : bytes;
}

int pmem_read(struct pmem *pm, uint64_t pa, void *to, size_t bytes)
{
    const size_t n = piece(pm, pa, bytes);
    if (n < bytes) {
        const int status = pmem_read(pm, pa, to, n);
        return status ? status : pmem_read(pm, pa + n, (uint8_t *)to + n, bytes - n);
    }
    uint8_t *p = direct(pm, pa, bytes);
    if (p) {
        memcpy(to, p, bytes);
        return 0;
    }
    return is_window(pa) ? pmem_window_copy(pm, pa & PMEM_OFFSET_MASK, to, bytes, false) : -EFAULT;
}

int pmem_write(struct pmem *pm, uint64_t pa, const void *from, size_t bytes)
{
    const size_t n = piece(pm, pa, bytes);
    if (n < bytes) {
        const int status = pmem_write(pm, pa, from, n);
        return status ? status : pmem_write(pm, pa + n, (const uint8_t *)from + n, bytes - n);
    }
    uint8_t *p = direct(pm, pa, bytes);
    if (p) {
        pm->changes += pa >> PMEM_OWNER_SHIFT != 0;
        memcpy(p, from, bytes);
        return 0;
    }
    return is_window(pa) ? pmem_window_copy(pm, pa & PMEM_OFFSET_MASK, (void *)(uintptr_t)from, bytes, true) : -EFAULT;
}

int pmem_write_masked(struct pmem *pm, uint64_t pa, const void *line, uint64_t mask)
{
    const uint8_t *from = line;
    if (!direct(pm, pa, 64) && !is_window(pa))
        return -EFAULT;
    while (mask) { /* one run of enabled bytes a turn */
        unsigned first = (unsigned)__builtin_ctzll(mask);
        uint64_t carried = mask + (UINT64_C(1) << first); /* the run turned into the bit behind it */
        unsigned count = (carried ? (unsigned)__builtin_ctzll(carried) : 64) - first;
        if (pmem_write(pm, pa + first, from + first, count) < 0)
            return -EFAULT;
        mask &= carried;
    }
    return 0;
}

uint64_t pmem_atomic_result(unsigned op, unsigned size, uint64_t old, uint64_t operand, uint64_t compare)
{
    const bool wide = size == 8;
    if (!wide) {
        old = (uint32_t)old;
        operand = (uint32_t)operand;
        compare = (uint32_t)compare;
    }
    int64_t sold = wide ? (int64_t)old : (int32_t)old;
    int64_t soperand = wide ? (int64_t)operand : (int32_t)operand;
    switch (op) {
    case ATOMIC_SWAP:
        return operand;
    case ATOMIC_CMPSWAP:
        return old == compare ? operand : old;
    case ATOMIC_ADD:
        return old + operand;
    case ATOMIC_SUB:
        return old - operand;
    case ATOMIC_SMIN:
        return sold < soperand ? old : operand;
    case ATOMIC_UMIN:
        return old < operand ? old : operand;
    case ATOMIC_SMAX:
        return sold > soperand ? old : operand;
    case ATOMIC_UMAX:
        return old > operand ? old : operand;
    case ATOMIC_AND:
        return old & operand;
    case ATOMIC_OR:
        return old | operand;
    case ATOMIC_XOR:
        return old ^ operand;
    case ATOMIC_INC:
        return old >= operand ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    default:
        return old;
    }
}

int pmem_atomic(struct pmem *pm, uint64_t pa, unsigned op, unsigned size, uint64_t operand, uint64_t compare,
                uint64_t *old)
{
    if ((size != 4 && size != 8) || (pa & (size - 1)))
        return -EFAULT;
    uint8_t *p = direct(pm, pa, size);
    if (p)
        pm->changes += pa >> PMEM_OWNER_SHIFT != 0;
    if (p && size == 8) {
        uint64_t before = __atomic_load_n((uint64_t *)p, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n((uint64_t *)p, &before, pmem_atomic_result(op, 8, before, operand, compare),
                                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        *old = before;
        return 0;
    }
    if (p) {
        uint32_t before = __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n((uint32_t *)p, &before,
                                            (uint32_t)pmem_atomic_result(op, 4, before, operand, compare), false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        *old = before;
        return 0;
    }
    /* Client memory: its threads stand still while the clock runs (docs/reference/clock.md), so read, change, write. */
    uint64_t before = 0;
    if (pmem_read(pm, pa, &before, size) < 0)
        return -EFAULT;
    uint64_t after = pmem_atomic_result(op, size, before, operand, compare);
    *old = before;
    return pmem_write(pm, pa, &after, size);
}

int pmem_atomic_line(struct pmem *pm, uint64_t pa, unsigned op, unsigned size, uint64_t mask,
                     const uint64_t operands[8], uint64_t old[8])
{
    const uint64_t word = size == 8 ? 0xff : 0xf;
    if ((size != 4 && size != 8) || pa % 64 || op == ATOMIC_CMPSWAP)
        return -EFAULT;
    for (unsigned at = 0; at < 64; at += size)
        if ((mask >> at & word) != 0 && (mask >> at & word) != word)
            return -EFAULT;
    for (unsigned at = 0; at < 64; at += size) {
        uint64_t operand = 0, before = 0;
        if (!(mask >> at & word))
            continue;
        memcpy(&operand, (const uint8_t *)operands + at, size);
        if (pmem_atomic(pm, pa + at, op, size, operand, 0, &before) < 0)
            return -EFAULT;
        memcpy((uint8_t *)old + at, &before, size);
    }
    return 0;
}
