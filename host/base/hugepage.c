/* SPDX-License-Identifier: Apache-2.0
 * Large pages for the heap; contract in hugepage.h.
 */
#define _DEFAULT_SOURCE
#include "base/hugepage.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define HUGE_BYTES ((uintptr_t)2 << 20) /* x86-64 */

void hugepage_heap(size_t bytes)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    uintptr_t from = ((uintptr_t)sbrk(0) + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
    void *volatile block =
        malloc(bytes); /* the heap grows by what it lacks and keeps it; nobody has touched those pages */
    free(block);
    uintptr_t to = (uintptr_t)sbrk(0) & ~(HUGE_BYTES - 1);
    if (to > from)
        madvise((void *)from, to - from, MADV_HUGEPAGE);
}
