/* SPDX-License-Identifier: Apache-2.0
 * Large pages for the heap; contract in hugepage.h.
 */
#include "base/hugepage.h"

#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

/* An executable segment (text, bytes) and the large pages that hold it. */
struct segment {
    uintptr_t inside, text, bytes, from, to;
    bool apart; /* no other segment of the library lies in these pages */
};

static bool contains(uintptr_t from, uintptr_t bytes, uintptr_t inside)
{
    return inside >= from && inside - from < bytes;
}

static int segment_find(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct segment *s = arg;
    (void)size;
    for (int n = 0; n < info->dlpi_phnum; n++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[n];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) &&
            contains(info->dlpi_addr + p->p_vaddr, p->p_memsz, s->inside)) {
            s->text = info->dlpi_addr + p->p_vaddr;
            s->bytes = p->p_memsz;
            s->from = s->text & ~(HUGE_BYTES - 1);
            s->to = (s->text + s->bytes + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1);
        }
    }
    if (s->bytes == 0)
        return 0;
    bool before = s->text == s->from, behind = false; /* up to its next segment all addresses are the library's */
    s->apart = true;
    for (int n = 0; n < info->dlpi_phnum; n++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[n];
        uintptr_t from = info->dlpi_addr + p->p_vaddr, to = from + p->p_memsz;
        if (p->p_type != PT_LOAD || from == s->text)
            continue;
        before |= to <= s->from;
        behind |= from >= s->to;
        s->apart &= to <= s->from || from >= s->to;
    }
    s->apart &= before && behind;
    return 1;
}

bool hugepage_text(const void *function)
{
    struct segment s = {.inside = (uintptr_t)function};
    if (dl_iterate_phdr(segment_find, &s) == 0 || !s.apart)
        return false;
    size_t bytes = s.to - s.from, room_bytes = bytes + HUGE_BYTES;
    char *room = mmap(NULL, room_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return false;
    char *copy = (char *)(((uintptr_t)room + HUGE_BYTES - 1) & ~(HUGE_BYTES - 1));
    madvise(copy, bytes, MADV_HUGEPAGE);
    memcpy(copy + (s.text - s.from), (void *)s.text, s.bytes);
    bool moved = mprotect(copy, bytes, PROT_READ | PROT_EXEC) == 0 &&
                 mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)s.from) != MAP_FAILED;
    munmap(room, room_bytes); /* what is left of it */
    return moved;
}
