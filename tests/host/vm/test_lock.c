/* SPDX-License-Identifier: Apache-2.0
 * Locked pages (S1.10): which entries of VRAM say so, what becomes of the block or the large page around them, and what
 * an unlock, a new mapping and an unmapping do.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "vm/pagetable.h"
#include "vm/pmem.h"

#define BIG UINT64_C(0x200000)
#define BLOCK UINT64_C(0x10000)
#define VA (UINT64_C(3) << 30)

static struct pmem *memory;
static struct pagetable *table;

static int open_table(void **state)
{
    (void)state;
    memory = pmem_new(1, UINT64_C(64) << 20, 1 << 20);
    table = pagetable_new(memory, 0);
    assert_non_null(table);
    return 0;
}

static int close_table(void **state)
{
    (void)state;
    pagetable_free(table);
    pmem_free(memory);
    return 0;
}

static uint64_t walk(uint64_t va)
{
    return pagetable_walk(memory, pagetable_root(table), va);
}

static void assert_page(uint64_t va, uint64_t pa)
{
    assert_false(pagetable_locked(table, va));
    assert_int_equal(pagetable_lookup(table, va) & PTE_ADDR, pa);
    assert_int_equal(walk(va) & PTE_ADDR, pa);
}

static void assert_locked(uint64_t va)
{
    assert_true(pagetable_locked(table, va));
    assert_int_equal(pagetable_lookup(table, va), 0);
    assert_int_equal(walk(va), 0);
    assert_true(pagetable_entry(table, va) & PTE_ADDR); /* of pages here, none of which is at 0 */
}

/* One page of a block of 64 KiB, of 1 MiB, of a leaf of 2 MiB: nothing says any more that it has neighbours. */
static void a_page_of_many(void **state)
{
    static const uint64_t sizes[] = {BLOCK, 16 * BLOCK, BIG};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t va = VA + i * BIG, pa = pmem_addr(1, i * BIG), at = 5 * 4096;
        assert_int_equal(pagetable_map(table, va, pa, sizes[i], PTE_R | PTE_W), 0);
        const uint64_t whole = walk(va);
        assert_int_equal(pagetable_lock(table, va, sizes[i], false), 0); /* nothing is: it stays whole */
        assert_int_equal(walk(va), whole);
        assert_int_equal(pagetable_lock(table, va + at, 4096, true), 0);
        assert_locked(va + at);
        for (uint64_t p = 0; p < sizes[i]; p += 4096) {
            if (p == at)
                continue;
            assert_page(va + p, pa + p);
            const uint64_t fragment = (walk(va + p) & PTE_FRAGMENT) >> PTE_FRAGMENT_SHIFT;
            assert_true(p < BLOCK ? fragment == 0 : p < 16 * BLOCK ? fragment == 4 : fragment == 8);
        }
        assert_int_equal(pagetable_lock(table, va + at, 4096, false), 0);
        assert_page(va + at, pa + at);
        assert_int_equal(walk(va + at) & (PTE_FRAGMENT | PTE_R | PTE_W | PTE_X), PTE_R | PTE_W);
    }
}

/* What the host reads of a locked page without time is there, what it would write is not. */
static void reading_through_a_lock(void **state)
{
    uint64_t value = 0x1234, got = 0;
    (void)state;
    assert_int_equal(pagetable_entry(table, VA), 0);
    assert_int_equal(pagetable_map(table, VA, pmem_addr(1, 0x3000), 4096, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_entry(table, VA), pagetable_lookup(table, VA));
    assert_int_equal(pagetable_write(table, VA + 8, &value, 8), 0);
    assert_int_equal(pagetable_lock(table, VA, 4096, true), 0);
    assert_locked(VA);
    assert_int_equal(pagetable_read(table, VA + 8, &got, 8), 0);
    assert_int_equal(got, value);
    assert_int_equal(pagetable_write(table, VA + 8, &value, 8), -EFAULT);
    assert_int_equal(pagetable_walk_read(memory, pagetable_root(table), VA + 8, &got, 8), -EFAULT);
    assert_int_equal(pagetable_unmap(table, VA, 4096), 0);
    assert_int_equal(pagetable_entry(table, VA), 0);
}

/* Only what is mapped is locked, only what is locked unlocked. */
static void holes(void **state)
{
    (void)state;
    assert_int_equal(pagetable_map(table, VA, pmem_addr(1, 0), 4096, PTE_R), 0);
    assert_int_equal(pagetable_map(table, VA + 0x2000, pmem_addr(1, 0x2000), 4096, PTE_R), 0);
    assert_int_equal(pagetable_lock(table, VA - 0x1000, 0x6000 + BIG, true), 0);
    assert_locked(VA);
    assert_locked(VA + 0x2000);
    assert_false(pagetable_locked(table, VA + 0x1000));
    assert_false(pagetable_locked(table, VA - 0x1000));
    assert_int_equal(pagetable_map(table, VA + 0x1000, pmem_addr(1, 0x1000), 4096, PTE_R), 0);
    assert_int_equal(pagetable_lock(table, VA, 0x3000, false), 0);
    for (unsigned p = 0; p < 3; p++)
        assert_page(VA + p * 0x1000u, pmem_addr(1, p * 0x1000u));
    assert_int_equal(pagetable_lock(table, VA, 0, true), -EINVAL);
    assert_int_equal(pagetable_lock(table, VA + 8, 4096, true), -EINVAL);
    assert_int_equal(pagetable_lock(table, UINT64_C(1) << 40, 4096, true), -EINVAL);
}

/* A page that has moved is mapped where it is, one that is given up unmapped. */
static void ends_of_a_lock(void **state)
{
    (void)state;
    assert_int_equal(pagetable_map(table, VA, pmem_addr(1, 0), 2 * 4096, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_lock(table, VA, 2 * 4096, true), 0);
    assert_int_equal(pagetable_map(table, VA, pmem_addr(1, 0x9000), 4096, PTE_R), 0);
    assert_page(VA, pmem_addr(1, 0x9000));
    assert_int_equal(pagetable_unmap(table, VA + 4096, 4096), 0);
    assert_false(pagetable_locked(table, VA + 4096));
    assert_int_equal(pagetable_lock(table, VA, 2 * 4096, false), 0);
    assert_int_equal(pagetable_lookup(table, VA + 4096), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_of_many, open_table, close_table),
        cmocka_unit_test_setup_teardown(reading_through_a_lock, open_table, close_table),
        cmocka_unit_test_setup_teardown(holes, open_table, close_table),
        cmocka_unit_test_setup_teardown(ends_of_a_lock, open_table, close_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
