/* SPDX-License-Identifier: Apache-2.0
 * What the system refuses: each call by which memories, slabs, windows and page tables take something fails in turn.
 * The caller is told, with the cause; nothing is left behind, nothing that was there before is harmed, and the same
 * works when the system grants it (S3.12).
 * libs: -Wl,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=memfd_create,--wrap=ftruncate
 * libs: -Wl,--wrap=mmap,--wrap=munmap,--wrap=close,--wrap=fcntl
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "vm/pagetable.h"
#include "vm/pmem.h"

#define MIB (UINT64_C(1) << 20)
#define VRAM (64 * MIB)
#define GTT (16 * MIB)
#define CAUSE_NOBODY_ELSE_HAS ELIBSCN

struct taken {
    long memory, files, mappings;
};
static struct taken taken;
static unsigned calls, refuse; /* the number of the call that fails, from 1; 0: none */

void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void __real_free(void *p);
int __real_memfd_create(const char *name, unsigned flags);
int __real_ftruncate(int fd, off_t bytes);
void *__real_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t bytes);
int __real_close(int fd);
int __real_fcntl(int fd, int command, ...);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);
void __wrap_free(void *p);
int __wrap_memfd_create(const char *name, unsigned flags);
int __wrap_ftruncate(int fd, off_t bytes);
void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t bytes);
int __wrap_close(int fd);
int __wrap_fcntl(int fd, int command, ...);

static bool refused(void)
{
    if (++calls != refuse)
        return false;
    errno = CAUSE_NOBODY_ELSE_HAS;
    return true;
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    void *p = refused() ? NULL : __real_calloc(count, bytes);
    taken.memory += p != NULL;
    return p;
}

void *__wrap_realloc(void *p, size_t bytes)
{
    void *grown = refused() ? NULL : __real_realloc(p, bytes);
    taken.memory += grown && !p;
    return grown;
}

void __wrap_free(void *p)
{
    taken.memory -= p != NULL;
    __real_free(p);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    int fd = refused() ? -1 : __real_memfd_create(name, flags);
    taken.files += fd >= 0;
    return fd;
}

int __wrap_ftruncate(int fd, off_t bytes)
{
    return refused() ? -1 : __real_ftruncate(fd, bytes);
}

void *__wrap_mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t offset)
{
    void *p = refused() ? MAP_FAILED : __real_mmap(at, bytes, prot, flags, fd, offset);
    taken.mappings += p != MAP_FAILED && !(flags & MAP_FIXED);
    return p;
}

/* What gives something back may change errno as it likes. */
int __wrap_munmap(void *at, size_t bytes)
{
    int status = __real_munmap(at, bytes);
    taken.mappings -= status == 0;
    errno = 0;
    return status;
}

int __wrap_close(int fd)
{
    int status = __real_close(fd);
    taken.files -= status == 0;
    errno = 0;
    return status;
}

int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    int value = va_arg(args, int);
    va_end(args);
    return refused() ? -1 : __real_fcntl(fd, command, value);
}

static void refuse_call(unsigned number)
{
    calls = 0;
    refuse = number;
}

static void assert_taken(struct taken before)
{
    assert_int_equal(taken.memory, before.memory);
    assert_int_equal(taken.files, before.files);
    assert_int_equal(taken.mappings, before.mappings);
}

static uint64_t word(struct pmem *pm, uint64_t pa)
{
    uint64_t value = 0;
    assert_int_equal(pmem_read(pm, pa, &value, 8), 0);
    return value;
}

/* Memories are there whole or not at all; errno is that of the call that failed, whatever was cleaned up since. */
static void memories_are_made_whole(void **state)
{
    const struct taken before = taken;
    unsigned failed = 0;
    struct pmem *pm = NULL;
    (void)state;
    for (unsigned n = 1; !pm; n++) {
        refuse_call(n);
        pm = pmem_new(3, VRAM, GTT);
        if (pm)
            break;
        assert_int_equal(errno, CAUSE_NOBODY_ELSE_HAS);
        assert_taken(before);
        failed++;
    }
    assert_true(failed >= 3 * 3 + 1); /* of three files: made, given a length, mapped; and what holds them */
    refuse_call(0);
    for (unsigned owner = 1; owner <= 3; owner++)
        assert_int_equal(word(pm, pmem_addr(owner, VRAM - 8)), 0);
    assert_int_equal(word(pm, pmem_addr(0, GTT - 8)), 0);
    pmem_free(pm);
    assert_taken(before);
    pmem_free(NULL);
}

static void sealed_files_are_made_whole(void **state)
{
    const struct taken before = taken;
    int fd = -1;
    (void)state;
    for (unsigned n = 1; n < 4; n++) { /* made, given a length, sealed */
        refuse_call(n);
        assert_int_equal(pmem_sealed_file("test", 4096), -1);
        assert_int_equal(errno, CAUSE_NOBODY_ELSE_HAS);
        assert_taken(before);
    }
    refuse_call(0);
    fd = pmem_sealed_file("test", 4096);
    assert_true(fd >= 0 && __real_ftruncate(fd, 0) < 0 && __real_ftruncate(fd, 8192) < 0);
    close(fd);
}

/* A slab that cannot be had leaves no trace in its memory: neither its neighbours nor what lies there change. */
static void slabs_are_made_whole(void **state)
{
    struct pmem *pm;
    const struct taken before = taken;
    (void)state;
    refuse_call(0);
    pm = pmem_new(1, VRAM, GTT);
    const uint64_t granule = pmem_granule(pm, 0), here = pmem_addr(1, 4 * granule), mark = 0x1122334455667788;
    uint64_t at, bytes;
    assert_int_equal(pmem_write(pm, here + 16, &mark, 8), 0);
    for (unsigned first = 1; first < 3; first++) { /* with and without another slab there */
        const struct taken empty = taken;
        unsigned failed = 0;
        int status = -1;
        for (unsigned n = 1; status < 0; n++) {
            struct taken now = taken;
            refuse_call(n);
            status = pmem_slab_take(pm, 0, 4 * granule, 2 * granule);
            if (status == 0)
                break;
            assert_true(status == -CAUSE_NOBODY_ELSE_HAS || status == -ENOMEM);
            assert_int_equal(pmem_slab_fd(pm, 0, 4 * granule, &at, &bytes), -1);
            assert_int_equal(pmem_slab_fd(pm, 0, 5 * granule, &at, &bytes), -1);
            assert_int_equal(word(pm, here + 16), mark);
            assert_int_equal(taken.files, now.files);
            assert_int_equal(taken.mappings, now.mappings);
            assert_true(taken.memory - empty.memory <= 1); /* the table of slabs stays */
            failed++;
        }
        assert_int_equal(failed, 5); /* table or file; slab, length, seals, mapping */
        refuse_call(0);
        assert_int_equal(word(pm, here + 16), 0); /* what is in a slab begins as zeros */
        pmem_slab_give(pm, 0, 4 * granule);
        pmem_slab_give(pm, 0, 5 * granule);
        assert_int_equal(word(pm, here + 16), mark); /* and what is in none is what it was before */
        if (first == 1)
            assert_int_equal(pmem_slab_take(pm, 0, 0, granule), 0);
    }
    assert_int_equal(pmem_slab_take(pm, PMEM_GTT, granule, granule), 0);
    pmem_free(pm); /* with slabs that nobody gave back */
    assert_taken(before);
}

/* No window is lost when there is no memory for one more, and none is there that was not granted. */
static void windows_stay_when_there_is_no_room(void **state)
{
    static uint64_t page[512] __attribute__((aligned(4096)));
    const struct taken before = taken;
    struct pmem *pm;
    uint64_t window[300];
    unsigned count = 0, failed = 0;
    (void)state;
    refuse_call(0);
    pm = pmem_new(1, VRAM, GTT);
    page[7] = 4711;
    while (count < 300) {
        refuse_call(1);
        window[count] = pmem_window_add(pm, getpid(), (uintptr_t)page, 4096);
        refuse_call(0);
        if (window[count])
            count++;
        else
            failed++, window[count] = pmem_window_add(pm, getpid(), (uintptr_t)page, 4096), count++;
        assert_int_equal(window[count - 1], PMEM_WINDOW_BASE + (count - 1) * UINT64_C(4096));
    }
    assert_int_equal(failed, count); /* each needs memory of its own */
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(word(pm, window[i] + 56), 4711);
    pmem_free(pm);
    assert_taken(before);
}

/* An address space that cannot be had takes no page of the tables' region; the next one has them all. */
static void address_spaces_are_made_whole(void **state)
{
    const struct taken before = taken;
    struct pmem *pm;
    struct pagetable *pt = NULL;
    unsigned failed = 0;
    (void)state;
    refuse_call(0);
    pm = pmem_new(1, VRAM, GTT);
    for (unsigned n = 1; !pt; n++) {
        refuse_call(n);
        pt = pagetable_new(pm, 0);
        failed += !pt;
    }
    assert_int_equal(failed, 3); /* the space; what tables hold; whose pages are whose */
    refuse_call(0);
    assert_int_equal(pagetable_root(pt), pmem_addr(1, VRAM - pmem_table_bytes(pm))); /* the first pages of the region */
    const struct taken one = taken;
    pagetable_free(pt);
    assert_int_equal(taken.memory, one.memory - 1);
    pagetable_free(NULL);
    assert_null(pagetable_new(pm, 1)); /* no such GPU */
    pmem_free(pm);
    assert_taken(before);
}

/* Without memory to remember a removed table by, its page is not used again: a walker may still read it. */
static void a_table_that_cannot_be_remembered_stays(void **state)
{
    const struct taken before = taken;
    struct pmem *pm;
    struct pagetable *pt;
    (void)state;
    refuse_call(0);
    pm = pmem_new(1, VRAM, GTT);
    pt = pagetable_new(pm, 0);
    for (unsigned n = 1; n < 3; n++) { /* it and the one above it */
        assert_int_equal(pagetable_map(pt, n << 30, 0x1000, 4096, PTE_R), 0);
        refuse_call(n);
        assert_int_equal(pagetable_unmap(pt, n << 30, 4096), 0);
        refuse_call(0);
        assert_int_equal(pagetable_lookup(pt, n << 30), 0);
    }
    assert_int_equal(pagetable_removed(pm, 0), 3); /* of four */
    pagetable_recycle(pm, 0, pagetable_removed(pm, 0));
    assert_int_equal(pagetable_map(pt, 0, 0x2000, 4096, PTE_R), 0);
    assert_int_equal(pagetable_lookup(pt, 0) & PTE_ADDR, 0x2000);
    pagetable_free(pt);
    pmem_free(pm);
    assert_taken(before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_are_made_whole),       cmocka_unit_test(sealed_files_are_made_whole),
        cmocka_unit_test(slabs_are_made_whole),          cmocka_unit_test(windows_stay_when_there_is_no_room),
        cmocka_unit_test(address_spaces_are_made_whole), cmocka_unit_test(a_table_that_cannot_be_remembered_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
