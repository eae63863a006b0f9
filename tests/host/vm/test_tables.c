/* SPDX-License-Identifier: Apache-2.0
 * Page tables at their limits: the region of tables is full, the last address, roots and entries that lead nowhere, and
 * accesses by virtual address that fail on the way (S3.12).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gantry_msg.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"

#define VRAM (UINT64_C(64) << 20)
#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define PAGES 256u /* of the region of tables: 1 MiB */

static int setup(void **state)
{
    *state = pmem_new(2, VRAM, 16 * MIB);
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    pmem_free(*state);
    return 0;
}

/* Maps pages 1 GiB apart, two tables each, from `at` until the region is full; how many there were room for. */
static unsigned fill(struct pagetable *pt, uint64_t at)
{
    unsigned n = 0;
    while (pagetable_map(pt, at + n * GIB, 0x1000, 4096, PTE_R) == 0)
        n++;
    return n;
}

/* Every page of the region can be a table, 8 KiB of it a root; a map that finds none says so and leaves the others as
 * they are, at whatever level the last one was missing. */
static void the_whole_region_is_used(void **state)
{
    struct pmem *pm = *state;
    for (unsigned odd = 0; odd < 2; odd++) {
        struct pagetable *pt = pagetable_new(pm, 0);
        const unsigned before = 2 + 1 + 1 + odd; /* root, the one below it, lowest ones */
        for (unsigned i = 0; i <= odd; i++)
            assert_int_equal(pagetable_map(pt, i * 2 * MIB, 0x1000, 4096, PTE_R), 0);
        assert_int_equal(fill(pt, GIB), (PAGES - before) / 2);
        uint64_t next = (1 + (PAGES - before) / 2) * GIB;
        assert_int_equal(pagetable_map(pt, next, 0x1000, 4096, PTE_R), -ENOMEM);
        assert_int_equal(pagetable_lookup(pt, next), 0);
        for (uint64_t va = GIB; va < next; va += GIB)
            assert_int_equal(pagetable_lookup(pt, va), 0x1000 | PTE_VALID | PTE_R | PTE_LEAF);
        if (odd) /* one page was left: the table above is there, its big pages need no other */
            assert_int_equal(pagetable_map(pt, next + 2 * MIB, 4 * MIB, 2 * MIB, PTE_R), 0);
        assert_null(pagetable_new(pm, 0));
        struct pagetable *elsewhere = pagetable_new(pm, 1); /* each GPU has its own */
        assert_non_null(elsewhere);
        pagetable_free(elsewhere);
        pagetable_free(pt);
    }
}

/* A root takes two pages side by side that begin at a multiple of 8 KiB, whatever single tables lie between. */
static void roots_are_aligned(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *first = pagetable_new(pm, 0), *second;
    assert_int_equal(pagetable_map(first, 0, 0x1000, 4096, PTE_R), 0);
    assert_int_equal(pagetable_map(first, 2 * MIB, 0x1000, 4096, PTE_R), 0); /* three tables: an odd number */
    second = pagetable_new(pm, 0);
    assert_int_equal(pagetable_root(second) % (8 * KIB), 0);
    assert_int_equal(pagetable_map(first, 4 * MIB, 0x2000, 4096, PTE_R), 0); /* into the page between */
    for (uint64_t va = 0; va < 1024 * GIB; va += GIB)
        assert_int_equal(pagetable_lookup(second, va), 0);
    assert_int_equal(pagetable_map(second, 1023 * GIB, 0x3000, 4096, PTE_R), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pagetable_lookup(first, i * 2 * MIB) & PTE_ADDR, i < 2 ? 0x1000 : 0x2000);
    pagetable_free(first);
    assert_int_equal(pagetable_lookup(second, 1023 * GIB) & PTE_ADDR, 0x3000);
    pagetable_free(second);
}

/* Part of a 2 MiB page cannot be taken out when there is no table to split it into: it stays whole. */
static void a_big_page_that_cannot_split_stays(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 0);
    assert_int_equal(pagetable_map(pt, 0, 4 * MIB, 2 * MIB, PTE_R | PTE_W), 0);
    fill(pt, GIB);
    assert_int_equal(pagetable_map(pt, 2 * MIB, 0x1000, 4096, PTE_R), -ENOMEM);
    uint64_t before = pagetable_lookup(pt, MIB);
    assert_int_equal(pagetable_unmap(pt, MIB, 4096), -ENOMEM);
    assert_int_equal(pagetable_map(pt, MIB, 0x1000, 4096, PTE_R), -ENOMEM);
    assert_int_equal(pagetable_lookup(pt, MIB), before);
    assert_int_equal(pagetable_unmap(pt, 0, 2 * MIB), 0); /* whole it goes without */
    assert_int_equal(pagetable_lookup(pt, MIB), 0);
    pagetable_free(pt);
}

/* Hundreds of tables are removed before the first is given back: they come back in that order, each once. */
static void many_tables_are_removed_at_once(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 0);
    const uint64_t begin = pagetable_removed(pm, 0);
    for (unsigned round = 0; round < 3; round++) {
        const uint64_t before = pagetable_removed(pm, 0);
        unsigned n = fill(pt, 0);
        assert_int_equal(n, (PAGES - 2) / 2);
        assert_int_equal(pagetable_unmap(pt, 0, n * GIB), 0);
        assert_int_equal(pagetable_removed(pm, 0), before + 2 * n);
        assert_int_equal(fill(pt, 0), 0);
        pagetable_recycle(pm, 0, before); /* nothing more than before */
        assert_int_equal(fill(pt, 0), 0);
        pagetable_recycle(pm, 0, before + 20);
        assert_int_equal(fill(pt, 0), 10);
        assert_int_equal(pagetable_removed(pm, 0), before + 2 * n);
        assert_int_equal(pagetable_unmap(pt, 0, 10 * GIB), 0);
        pagetable_recycle(pm, 0, pagetable_removed(pm, 0));
        pagetable_recycle(pm, 0, begin); /* long ago */
    }
    assert_int_equal(pagetable_removed(pm, 1), 0);
    pagetable_free(pt);
}

/* The 40 bits of addresses are all there, the 41st is not; lookups beyond them find nothing. */
static void addresses_end_after_40_bits(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    const uint64_t end = UINT64_C(1) << 40;
    assert_int_equal(pagetable_map(pt, 0, 0x6000, 4096, PTE_R), 0); /* its tables lie behind the root */
    assert_int_equal(pagetable_map(pt, end - 4096, 0x5000, 4096, PTE_R), 0);
    assert_int_equal(pagetable_lookup(pt, end - 1) & PTE_ADDR, 0x5000);
    assert_int_equal(pagetable_lookup(pt, end), 0);
    assert_int_equal(pagetable_lookup(pt, end + (end - 4096)), 0);
    assert_int_equal(pagetable_unmap(pt, end - 4096, 8192), -EINVAL);
    assert_int_equal(pagetable_unmap(pt, end, 4096), -EINVAL);
    assert_int_equal(pagetable_unmap(pt, 0, end + 4096), -EINVAL);
    assert_int_equal(pagetable_unmap(pt, 0x800, 4096), -EINVAL);
    assert_int_equal(pagetable_unmap(pt, 0, 2048), -EINVAL);
    assert_int_equal(pagetable_unmap(pt, 0, 0), -EINVAL);
    assert_int_equal(pagetable_map(pt, 0, 0x800, 4096, PTE_R), -EINVAL);
    assert_int_equal(pagetable_map(pt, 0, UINT64_C(1) << 56, 4096, PTE_R), -EINVAL);
    assert_int_equal(pagetable_lookup(pt, end - 4096) & PTE_ADDR, 0x5000);
    assert_int_equal(pagetable_unmap(pt, 0, end), 0); /* all of it */
    assert_int_equal(pagetable_lookup(pt, end - 4096), 0);
    pagetable_free(pt);
}

/* What programs keep at the beginning of VRAM is taken for no table, whatever it looks like. */
static void empty_entries_lead_nowhere(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 0);
    assert_int_equal(pagetable_map(pt, 0, 0x1000, 4096, PTE_R), 0);
    memset(pmem_vram(pm, 0, 0, 4096), 0xff, 4096); /* valid entries, all of them */
    assert_int_equal(pagetable_lookup(pt, GIB), 0);
    assert_int_equal(pagetable_lookup(pt, 2 * MIB), 0);
    assert_int_equal(pagetable_lookup(pt, 4096), 0);
    assert_int_equal(pagetable_unmap(pt, GIB, 4 * MIB), 0);
    assert_int_equal(pagetable_unmap(pt, 2 * MIB, 4096), 0);
    for (unsigned i = 0; i < 4096; i++)
        assert_int_equal(*pmem_vram(pm, 0, i, 1), 0xff);
    pagetable_free(pt);
}

/* Rights and memory type are those asked for and nothing else, for pages, blocks and 2 MiB. */
static void entries_hold_what_was_asked(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    const uint32_t asked = PTE_W | PTE_UNCACHED | (3u << 20) | 64; /* the last two mean nothing */
    static const uint64_t sizes[] = {4 * KIB, 64 * KIB, MIB, 2 * MIB};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(pagetable_map(pt, 16 * MIB, pmem_addr(2, 8 * MIB), sizes[i], asked), 0);
        for (uint64_t at = 0; at < sizes[i]; at += 4 * KIB) {
            uint64_t entry = pagetable_lookup(pt, 16 * MIB + at + 123);
            assert_true((entry & ~PTE_FRAGMENT) ==
                        ((pmem_addr(2, 8 * MIB) + at) | PTE_VALID | PTE_W | PTE_UNCACHED | PTE_LEAF));
            assert_int_equal((entry & PTE_FRAGMENT) >> PTE_FRAGMENT_SHIFT, i == 0 ? 0 : i == 1 ? 4 : i == 2 ? 8 : 9);
        }
        assert_int_equal(pagetable_lookup(pt, 16 * MIB + sizes[i]), 0);
        assert_int_equal(pagetable_lookup(pt, 16 * MIB - 1), 0);
        assert_int_equal(pagetable_align(sizes[i]), sizes[i]);
        assert_int_equal(pagetable_align(sizes[i] + 4 * KIB), sizes[i]);
        assert_int_equal(pagetable_align(sizes[i] - 1), i ? sizes[i - 1] : 4 * KIB);
        assert_int_equal(pagetable_unmap(pt, 16 * MIB, sizes[i]), 0);
    }
    pagetable_free(pt);
}

/* A root that is no table of a GPU, or an entry that leads out of the VRAM, leads to no page. */
static void walks_stay_in_vram(void **state)
{
    struct pmem *pm = *state;
    const uint64_t wild = UINT64_C(0x0000fffffffff000) | PTE_VALID;
    const uint64_t roots[] = {pmem_addr(0, 0x10000), pmem_addr(1, VRAM), pmem_addr(1, VRAM - 4096), pmem_addr(3, 0),
                              pmem_addr(200, 0)};
    for (unsigned i = 0; i < sizeof roots / sizeof roots[0]; i++)
        assert_int_equal(pagetable_walk(pm, roots[i], 0x1000), 0);
    struct pagetable *pt = pagetable_new(pm, 0);
    assert_int_equal(pagetable_map(pt, 0, 0x1000, 4096, PTE_R), 0);
    uint64_t root = pagetable_root(pt), middle = 0, entry = 0;
    assert_int_equal(pmem_read(pm, root, &middle, 8), 0);
    assert_int_equal(pmem_read(pm, middle & PTE_ADDR, &entry, 8), 0);
    assert_int_equal(pmem_write(pm, middle & PTE_ADDR, &wild, 8), 0);
    assert_int_equal(pagetable_walk(pm, root, 0), 0);
    assert_int_equal(pmem_write(pm, middle & PTE_ADDR, &entry, 8), 0);
    assert_int_equal(pmem_write(pm, root, &wild, 8), 0);
    assert_int_equal(pagetable_walk(pm, root, 0), 0);
    assert_int_equal(pmem_write(pm, root, &middle, 8), 0);
    assert_int_equal(pagetable_walk(pm, root, 0) & PTE_ADDR, 0x1000);
    pagetable_free(pt);
}

/* What lies before the place where an access fails is done; a client's memory that has gone is such a place. */
static void accesses_fail_where_pages_end(void **state)
{
    static uint8_t page[8192] __attribute__((aligned(4096)));
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 0);
    uint8_t text[4096], got[4096];
    uint64_t window = pmem_window_add(pm, getpid(), (uintptr_t)page, 8192), old;
    memset(text, 'x', sizeof text);
    assert_int_equal(pagetable_map(pt, 0x10000, pmem_addr(1, 0x8000), 0x1000, PTE_R), 0);
    assert_int_equal(pagetable_map(pt, 0x11000, window, 0x2000, PTE_R), 0);
    assert_int_equal(pagetable_write(pt, 0x12800, text, sizeof text), -EFAULT);
    assert_int_equal(page[4096 + 2047], 0);
    assert_int_equal(page[8191], 'x');
    assert_int_equal(pagetable_read(pt, 0x12ff0, got, 17), -EFAULT);
    assert_int_equal(pagetable_read(pt, 0x12ff0, got, 16), 0);
    assert_int_equal(pagetable_read(pt, 0x13000, got, 0), 0);
    assert_int_equal(pagetable_atomic(pt, 0x11008, ATOMIC_ADD, 4, 7), 0);
    assert_int_equal(page[8], 7);
    assert_int_equal(pagetable_atomic(pt, 0x10ffc, ATOMIC_OR, 4, 0x80), 0);
    assert_int_equal(pmem_vram(pm, 0, 0x8ffc, 4)[0], 0x80);
    assert_int_equal(pagetable_atomic(pt, 0x13000, ATOMIC_ADD, 4, 7), -EFAULT);
    assert_int_equal(pagetable_atomic(pt, 0x11006, ATOMIC_ADD, 4, 7), -EFAULT);
    pmem_windows_orphan(pm, getpid());
    memset(got, 0, sizeof got);
    assert_int_equal(pagetable_write(pt, 0x10800, text, sizeof text), -EFAULT);
    assert_int_equal(pmem_vram(pm, 0, 0x87ff, 1)[0], 0);
    assert_int_equal(pmem_vram(pm, 0, 0x8800, 1)[0], 'x');
    assert_int_equal(pmem_vram(pm, 0, 0x8fff, 1)[0], 'x');
    assert_int_equal(pagetable_read(pt, 0x10800, got, sizeof got), -EFAULT);
    assert_int_equal(got[2047], 'x');
    assert_int_equal(got[2048], 0);
    assert_int_equal(pagetable_atomic(pt, 0x11008, ATOMIC_ADD, 4, 7), -EFAULT);
    assert_int_equal(pmem_atomic(pm, window, ATOMIC_ADD, 4, 7, 0, &old), -EFAULT);
    pagetable_free(pt);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_whole_region_is_used, setup, teardown),
        cmocka_unit_test_setup_teardown(roots_are_aligned, setup, teardown),
        cmocka_unit_test_setup_teardown(a_big_page_that_cannot_split_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(many_tables_are_removed_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(addresses_end_after_40_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_entries_lead_nowhere, setup, teardown),
        cmocka_unit_test_setup_teardown(entries_hold_what_was_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(walks_stay_in_vram, setup, teardown),
        cmocka_unit_test_setup_teardown(accesses_fail_where_pages_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
