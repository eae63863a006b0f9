// SPDX-License-Identifier: Apache-2.0
// A memory that two processes have: whoever takes and gives slabs tells the other, who adopts their files; windows of
// client memory go over as a table.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "vm/pmem.h"

#define VRAM (UINT64_C(16) << 20)
#define GTT (UINT64_C(8) << 20)

struct seen {
    unsigned taken, given, memory;
    uint64_t at, bytes;
    int fd;
};

static void on_taken(void *ctx, unsigned memory, uint64_t at, uint64_t bytes, int fd)
{
    struct seen *s = ctx;
    *s = (struct seen){s->taken + 1, s->given, memory, at, bytes, fcntl(fd, F_DUPFD_CLOEXEC, 0)};
}

static void on_given(void *ctx, unsigned memory, uint64_t at)
{
    struct seen *s = ctx;
    s->given++;
    s->memory = memory;
    s->at = at;
}

static void slabs_of(unsigned memory)
{
    struct pmem *here = pmem_new(1, VRAM, GTT), *there = pmem_new(1, VRAM, GTT);
    struct seen seen = {0};
    const uint64_t granule = pmem_granule(here, memory);
    uint8_t *(*const pointer)(struct pmem *, uint64_t, uint64_t) = pmem_gtt;
    uint8_t *mine = memory == PMEM_GTT ? pointer(here, granule, 8) : pmem_vram(here, memory, granule, 8);
    uint8_t *other = memory == PMEM_GTT ? pointer(there, granule, 8) : pmem_vram(there, memory, granule, 8);
    pmem_watch(here, &(struct pmem_watch){.taken = on_taken, .given = on_given, .ctx = &seen});
    assert_int_equal(pmem_slab_take(here, memory, 1, granule), -EINVAL); /* nothing is told */
    assert_int_equal(pmem_slab_take(here, memory, granule, 2 * granule), 0);
    assert_int_equal(seen.taken, 1);
    assert_int_equal(seen.memory, memory);
    assert_int_equal(seen.at, granule);
    assert_int_equal(seen.bytes, 2 * granule);
    memset(other, 7, 8);
    assert_int_equal(pmem_slab_adopt(there, memory, seen.at, seen.bytes, seen.fd), 0);
    assert_int_equal(other[0], 0);
    mine[0] = 42;
    mine[granule] = 43;
    assert_int_equal(other[0], 42);
    assert_int_equal(other[granule], 43);
    pmem_slab_give(here, memory, granule);
    assert_int_equal(seen.given, 1);
    assert_int_equal(seen.at, granule);
    pmem_slab_give(there, memory, seen.at);
    assert_int_equal(other[0], 7); /* what nobody has */
    assert_int_equal(other[granule], 43);
    pmem_slab_give(here, memory, granule); /* it is in none: nothing is told */
    assert_int_equal(seen.given, 1);
    pmem_watch(here, NULL);
    pmem_slab_give(here, memory, 2 * granule);
    assert_int_equal(pmem_slab_take(here, memory, 0, granule), 0);
    assert_int_equal(seen.taken, 1);
    assert_int_equal(seen.given, 1);
    pmem_free(here);
    pmem_free(there);
}

static void test_slabs(void **state)
{
    (void)state;
    slabs_of(0);
    slabs_of(PMEM_GTT);
}

/* The descriptor is taken over either way. */
static void test_wrong_slabs(void **state)
{
    (void)state;
    struct pmem *pm = pmem_new(1, VRAM, GTT);
    const uint64_t granule = pmem_granule(pm, 0), end = pmem_shared_bytes(pm, 0);
    const struct {
        unsigned memory;
        uint64_t at, bytes;
    } wrong[] = {{1, 0, granule}, {0, 1, granule}, {0, end, granule}, {0, 0, 0}, {0, 0, end + 1}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int fd = pmem_sealed_file("file", granule);
        assert_int_equal(pmem_slab_adopt(pm, wrong[i].memory, wrong[i].at, wrong[i].bytes, fd), -EINVAL);
        assert_int_equal(fcntl(fd, F_GETFD), -1);
        assert_int_equal(pmem_slab_take(pm, wrong[i].memory, wrong[i].at, wrong[i].bytes), -EINVAL);
    }
    pmem_free(pm);
}

static void test_windows(void **state)
{
    (void)state;
    struct pmem *here = pmem_new(1, VRAM, GTT), *there = pmem_new(1, VRAM, GTT);
    uint8_t *page = aligned_alloc(4096, 8192);
    uint64_t value = 0, changes = pmem_windows_changes(here);
    size_t bytes;
    memset(page, 5, 8192);
    uint64_t first = pmem_window_add(here, getpid(), (uintptr_t)page, 4096);
    uint64_t second = pmem_window_add(here, getpid(), (uintptr_t)page + 4096, 4096);
    assert_int_not_equal(pmem_windows_changes(here), changes);
    page[4096] = 9;
    assert_int_equal(pmem_read(there, second, &value, 1), -EFAULT);
    const void *table = pmem_windows(here, &bytes);
    pmem_windows_set(there, table, bytes);
    assert_int_equal(pmem_read(there, second, &value, 1), 0);
    assert_int_equal(value, 9);
    changes = pmem_windows_changes(here);
    pmem_window_remove(here, second);
    assert_int_not_equal(pmem_windows_changes(here), changes);
    table = pmem_windows(here, &bytes);
    pmem_windows_set(there, table, bytes);
    assert_int_equal(pmem_read(there, second, &value, 1), -EFAULT);
    assert_int_equal(pmem_write(there, first, &value, 1), 0);
    assert_int_equal(page[0], 9);
    changes = pmem_windows_changes(here);
    pmem_windows_orphan(here, getpid());
    assert_int_not_equal(pmem_windows_changes(here), changes);
    table = pmem_windows(here, &bytes);
    pmem_windows_set(there, table, bytes);
    assert_int_equal(pmem_read(there, first, &value, 1), -EFAULT);
    assert_int_not_equal(pmem_window_add(there, getpid(), (uintptr_t)page, 4096), 0); /* it goes on as its own */
    pmem_windows_set(there, table, 0);
    assert_int_equal(pmem_read(there, first, &value, 1), -EFAULT);
    free(page);
    pmem_free(here);
    pmem_free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slabs),
        cmocka_unit_test(test_wrong_slabs),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
