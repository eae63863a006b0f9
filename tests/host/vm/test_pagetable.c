/* SPDX-License-Identifier: Apache-2.0
 * Page tables: small and big pages, splitting, release of tables, random maps against an array (S3.12: one table a
 * process, so the same address leads to different data).
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vm/pagetable.h"
#include "vm/pmem.h"

#define VRAM (UINT64_C(64) << 20)
#define MIB (UINT64_C(1) << 20)
#define PTE_PLACE UINT64_C(0x00fffffffffff000)
#define PTE_TABLE UINT64_C(0x0000fffffffff000) /* without the owner */

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

static unsigned fragment(struct pagetable *pt, uint64_t va)
{
    return (unsigned)((pagetable_lookup(pt, va) & PTE_FRAGMENT) >> PTE_FRAGMENT_SHIFT);
}

static void entry_has_documented_bits(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 1);
    uint64_t root = pagetable_root(pt);
    assert_int_equal(root >> 48, 2); /* lies in GPU 1's memory */
    assert_true((root & PMEM_OFFSET_MASK) >= VRAM - pmem_table_bytes(pm));
    assert_int_equal(pagetable_map(pt, 0x7f12345000, pmem_addr(1, 0x9000), 0x1000, PTE_R | PTE_X | PTE_UNCACHED), 0);
    assert_int_equal(pagetable_lookup(pt, 0x7f12345678), pmem_addr(1, 0x9000) | 1 | 2 | 8 | 16 | 32);
    assert_int_equal(pagetable_walk(pm, root, 0x7f12345678), pagetable_lookup(pt, 0x7f12345678));
    assert_int_equal(pagetable_lookup(pt, 0x7f12346000), 0);
    assert_int_equal(pagetable_walk(pm, 0, 0x7f12345678), 0);
    /* The walk by hand, as the hardware does it. */
    uint64_t entry = 0;
    pmem_read(pm, root + (0x7f12345000u >> 30) * 8, &entry, 8);
    assert_int_equal(entry & 0x1f, 1);
    pmem_read(pm, (entry & PTE_PLACE) + ((0x7f12345000u >> 21) & 511) * 8, &entry, 8);
    pmem_read(pm, (entry & PTE_PLACE) + ((0x7f12345000u >> 12) & 511) * 8, &entry, 8);
    assert_int_equal(entry, pagetable_lookup(pt, 0x7f12345000));
    pagetable_free(pt);
}

static void bad_ranges_are_refused(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    assert_int_equal(pagetable_map(pt, 0x1800, 0, 4096, PTE_R), -EINVAL);
    assert_int_equal(pagetable_map(pt, UINT64_C(1) << 40, 0, 4096, PTE_R), -EINVAL);
    assert_int_equal(pagetable_map(pt, (UINT64_C(1) << 40) - 4096, 0, 8192, PTE_R), -EINVAL);
    assert_int_equal(pagetable_map(pt, 0, 0, 0, PTE_R), -EINVAL);
    pagetable_free(pt);
}

static void big_page_splits(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    assert_int_equal(pagetable_map(pt, 64 * MIB, pmem_addr(1, 4 * MIB), 4 * MIB, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_lookup(pt, 67 * MIB + 0x3000) & PTE_PLACE, pmem_addr(1, 7 * MIB + 0x3000));
    assert_int_equal(pagetable_unmap(pt, 65 * MIB, 4096), 0);
    assert_int_equal(pagetable_lookup(pt, 65 * MIB), 0);
    assert_int_equal(pagetable_lookup(pt, 65 * MIB + 4096) & PTE_PLACE, pmem_addr(1, 5 * MIB + 4096));
    assert_int_equal(pagetable_lookup(pt, 65 * MIB - 4096) & PTE_PLACE, pmem_addr(1, 5 * MIB - 4096));
    pagetable_free(pt);
}

/* Blocks of 64 KiB and 1 MiB: told apart where both addresses allow it, single again where one page of a block changes.
 */
static void blocks_are_fragments(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    const uint64_t va = 64 * MIB + 0x8000, pa = pmem_addr(1, MIB + 0x8000);
    assert_int_equal(pagetable_map(pt, va, pa, 0x40000, PTE_R), 0);
    assert_int_equal(fragment(pt, va), 0);
    assert_int_equal(fragment(pt, va + 0x8000), 4);
    assert_int_equal(fragment(pt, va + 0x37fff), 4);
    assert_int_equal(fragment(pt, va + 0x38000), 0); /* the last half block */
    assert_int_equal(pagetable_unmap(pt, va + 0x1a000, 4096), 0);
    assert_int_equal(fragment(pt, va + 0x18000), 0);
    assert_int_equal(fragment(pt, va + 0x28000), 4);
    assert_int_equal(pagetable_lookup(pt, va + 0x19000), (pa + 0x19000) | 1 | 2 | 16);
    assert_int_equal(pagetable_map(pt, va + 0x100000, pa + 0x1000, 0x40000, PTE_R), 0);
    for (uint64_t at = 0; at < 0x40000; at += 4096)
        assert_int_equal(fragment(pt, va + 0x100000 + at), 0); /* the addresses differ modulo 64 KiB */
    assert_int_equal(pagetable_map(pt, 80 * MIB, pmem_addr(1, 4 * MIB), 2 * MIB, PTE_R), 0);
    assert_int_equal(fragment(pt, 80 * MIB), 9);
    assert_int_equal(pagetable_unmap(pt, 80 * MIB, 4096), 0);
    assert_int_equal(fragment(pt, 80 * MIB + 0x1000), 0);
    assert_int_equal(fragment(pt, 80 * MIB + 0x10000), 4);
    assert_int_equal(fragment(pt, 80 * MIB + MIB - 4096), 4);
    assert_int_equal(fragment(pt, 80 * MIB + MIB), 8);
    /* half a MiB, a whole one, and what is left */
    assert_int_equal(pagetable_map(pt, 90 * MIB + MIB / 2, pmem_addr(1, 6 * MIB + MIB / 2), 2 * MIB - 0x8000, PTE_R),
                     0);
    assert_int_equal(fragment(pt, 91 * MIB - 4096), 4);
    assert_int_equal(fragment(pt, 91 * MIB), 8);
    assert_int_equal(fragment(pt, 92 * MIB - 4096), 8);
    assert_int_equal(fragment(pt, 92 * MIB), 4);
    assert_int_equal(fragment(pt, 92 * MIB + MIB / 2 - 0x9000), 0);
    assert_int_equal(pagetable_map(pt, 91 * MIB + 0x23000, 0x1000, 4096, PTE_R), 0);
    assert_int_equal(fragment(pt, 91 * MIB + 0x22000), 0);
    assert_int_equal(fragment(pt, 91 * MIB + 0x1f000), 4);
    assert_int_equal(fragment(pt, 91 * MIB + 0x30000), 4);
    assert_int_equal(pagetable_lookup(pt, 91 * MIB + 0x24000) & PTE_PLACE, pmem_addr(1, 7 * MIB + 0x24000));
    pagetable_free(pt);
}

/* No block is greater than the greatest that was asked for, and each is as great as that allows; where what was asked
 * for lies between two sizes, the lesser.
 */
static void fragments_are_capped(void **state)
{
    static const unsigned size[] = {0, 0, 0, 0, 4, 4, 4, 4, 8, 9};
    for (unsigned most = 0; most <= PAGETABLE_FRAGMENT_MOST; most++) {
        struct pagetable *pt = pagetable_new(*state, 0);
        pagetable_fragment_set(*state, most);
        assert_int_equal(pagetable_map(pt, 80 * MIB, pmem_addr(1, 4 * MIB), 4 * MIB, PTE_R), 0);
        for (uint64_t at = 0; at < 4 * MIB; at += 4096) {
            assert_int_equal(fragment(pt, 80 * MIB + at), size[most]);
            assert_int_equal(pagetable_lookup(pt, 80 * MIB + at) & PTE_PLACE, pmem_addr(1, 4 * MIB + at));
        }
        assert_int_equal(pagetable_unmap(pt, 80 * MIB, 4 * MIB), 0);
        assert_int_equal(pagetable_lookup(pt, 82 * MIB), 0);
        pagetable_free(pt);
    }
}

static void tables_come_back(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    /* Far more maps than tables fit, were they not given back. */
    for (uint64_t i = 0; i < 5000; i++) {
        uint64_t va = i * 3 % 1000 * (UINT64_C(1) << 30) + i * 4096;
        assert_int_equal(pagetable_map(pt, va, 0x1000, 4096, PTE_R), 0);
        assert_int_equal(pagetable_unmap(pt, va, 4096), 0);
        if (i % 50 == 0)
            pagetable_recycle(*state, 0, pagetable_removed(*state, 0));
    }
    pagetable_recycle(*state, 0, pagetable_removed(*state, 0));
    int status = 0;
    uint64_t n = 0;
    for (; status == 0 && n < 1000; n++)
        status = pagetable_map(pt, n << 30, 0x1000, 4096, PTE_R);
    assert_int_equal(status, -ENOMEM); /* 1 MiB of tables: 256 pages */
    assert_in_range(n, 100, 130);
    pagetable_free(pt);
    pt = pagetable_new(*state, 0);
    assert_int_equal(pagetable_map(pt, 0, 0x1000, 4096, PTE_R), 0);
    pagetable_free(pt);
}

/* Until it is recycled, in the order of removal, a removed table keeps its page: a walker may still read it. */
static void removed_tables_stay_empty(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 0);
    const uint64_t *table[3];
    for (uint64_t i = 0; i < 3; i++) { /* one root entry: a middle table that stays, and a lowest one each */
        assert_int_equal(pagetable_map(pt, i * 2 * MIB, 0x1000, 4096, PTE_R), 0);
        const uint64_t *root = (const void *)pmem_vram(pm, 0, pagetable_root(pt) & PTE_TABLE, 4096);
        const uint64_t *middle = (const void *)pmem_vram(pm, 0, root[0] & PTE_TABLE, 4096);
        table[i] = (const void *)pmem_vram(pm, 0, middle[i] & PTE_TABLE, 4096);
        assert_int_not_equal(table[i][0], 0);
    }
    uint64_t before = pagetable_removed(pm, 0);
    assert_int_equal(pagetable_unmap(pt, 0, 4096), 0);
    assert_int_equal(pagetable_removed(pm, 0), before + 1);
    assert_int_equal(pagetable_unmap(pt, 2 * MIB, 4096), 0);
    assert_int_equal(pagetable_removed(pm, 0), before + 2);
    assert_int_equal(pagetable_map(pt, 6 * MIB, 0x2000, 4096, PTE_R), 0);
    assert_true(table[0][0] == 0 && table[1][0] == 0);
    pagetable_recycle(pm, 0, before + 1);
    assert_int_equal(pagetable_map(pt, 8 * MIB, 0x3000, 4096, PTE_R), 0);
    assert_true((table[0][0] & PTE_PLACE) == 0x3000 && table[1][0] == 0);
    pagetable_recycle(pm, 0, before + 2);
    assert_int_equal(pagetable_map(pt, 10 * MIB, 0x4000, 4096, PTE_R), 0);
    assert_true((table[1][0] & PTE_PLACE) == 0x4000);
    pagetable_free(pt);
}

/* Lowest tables of the range are there before its entries, and go with it; what is mapped stays what it is. */
static void prepared(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *pt = pagetable_new(pm, 0);
    const uint64_t root = pagetable_root(pt), before = pagetable_removed(pm, 0);
    assert_int_equal(pagetable_prepare(pt, 64 * MIB + 0x3000, 2 * MIB), 0); /* ends in the next table */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pagetable_walk_place(pm, root, (62 + 2 * i) * MIB) != 0, i > 0);
    assert_int_equal(pagetable_walk_place(pm, root, 68 * MIB), 0);
    assert_int_equal(pagetable_lookup(pt, 64 * MIB), 0);
    assert_int_equal(pagetable_unmap(pt, 64 * MIB, 4 * MIB), 0);
    assert_int_equal(pagetable_removed(pm, 0), before + 3); /* both, and that above them */
    assert_int_equal(pagetable_map(pt, 64 * MIB, pmem_addr(1, 4 * MIB), 2 * MIB, PTE_R), 0);
    assert_int_equal(pagetable_walk_place(pm, root, 64 * MIB), 0); /* a 2 MiB leaf */
    assert_int_equal(pagetable_prepare(pt, 64 * MIB, 4096), 0);
    for (uint64_t at = 0; at < 2 * MIB; at += 4096) {
        assert_int_equal(pagetable_lookup(pt, 64 * MIB + at) & PTE_PLACE, pmem_addr(1, 4 * MIB + at));
        assert_int_equal(fragment(pt, 64 * MIB + at), 8);
    }
    assert_int_equal(pagetable_prepare(pt, 64 * MIB, 100), -EINVAL);
    assert_int_equal(pagetable_prepare(pt, UINT64_C(1) << 40, 4096), -EINVAL);
    pagetable_recycle(pm, 0, pagetable_removed(pm, 0));
    int status = 0;
    for (uint64_t n = 1; status == 0 && n < 1000; n++)
        status = pagetable_prepare(pt, n << 30, 4096);
    assert_int_equal(status, -ENOMEM);
    pagetable_free(pt);
}

/* Small pages that a big one replaces, again and again: their table is used for something else. */
static void replaced_tables_come_back(void **state)
{
    struct pagetable *pt = pagetable_new(*state, 0);
    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(pagetable_map(pt, 64 * MIB + 0x3000, 0x1000, 4096, PTE_R), 0);
        assert_int_equal(pagetable_map(pt, 64 * MIB, pmem_addr(1, 4 * MIB), 2 * MIB, PTE_R), 0);
        assert_int_equal(pagetable_unmap(pt, 64 * MIB, 2 * MIB), 0);
        pagetable_recycle(*state, 0, pagetable_removed(*state, 0));
    }
    pagetable_free(pt);
}

/* Address spaces that end give back all their tables, and only theirs. */
static void spaces_end_with_their_own_tables(void **state)
{
    struct pagetable *stays = pagetable_new(*state, 0);
    for (uint64_t i = 0; i < 300; i++) { /* more than there are pages for tables */
        struct pagetable *pt = pagetable_new(*state, 0);
        assert_non_null(pt);
        for (uint64_t k = 0; k < 4; k++) { /* tables of both by turns: a middle one and a lowest one each */
            const uint64_t va = ((i * 4 + k) % 20) << 30;
            assert_int_equal(pagetable_map(pt, k << 30, pmem_addr(1, MIB + (k << 12)), 4096, PTE_R), 0);
            assert_int_equal(pagetable_map(stays, va, pmem_addr(1, va >> 18), 4096, PTE_R), 0);
        }
        pagetable_free(pt);
        for (uint64_t n = 0; n < 20 && n < i * 4 + 4; n++)
            assert_int_equal(pagetable_lookup(stays, n << 30) & PTE_PLACE, pmem_addr(1, (n << 30) >> 18));
    }
    pagetable_free(stays);
}

static void random_maps_agree_with_an_array(void **state)
{
    enum { PAGES = 4096 };
    static uint64_t model[PAGES];
    struct pagetable *pt = pagetable_new(*state, 0), *other = pagetable_new(*state, 0);
    const uint64_t base = (UINT64_C(5) << 30) - 6 * MIB; /* across a 1 GiB border */
    memset(model, 0, sizeof model);
    srand(3);
    for (int round = 0; round < 3000; round++) {
        uint64_t first = (uint64_t)rand() % PAGES, count = 1 + (uint64_t)rand() % 1200;
        if (rand() % 3 == 0)
            first &= ~UINT64_C(511);
        if (first + count > PAGES)
            count = PAGES - first;
        if (rand() & 1) {
            uint64_t pa = rand() & 1 ? first * 4096 : (uint64_t)rand() % 4096 * 4096;
            assert_int_equal(pagetable_map(pt, base + first * 4096, pa, count * 4096, PTE_R), 0);
            for (uint64_t i = 0; i < count; i++)
                model[first + i] = (pa + i * 4096) | PTE_VALID | PTE_R | PTE_LEAF;
        } else {
            assert_int_equal(pagetable_unmap(pt, base + first * 4096, count * 4096), 0);
            memset(model + first, 0, count * sizeof model[0]);
        }
        pagetable_recycle(*state, 0, pagetable_removed(*state, 0));
        for (int probe = 0; probe < 40; probe++) {
            uint64_t at = (uint64_t)rand() % PAGES;
            assert_int_equal(pagetable_lookup(pt, base + at * 4096) & ~PTE_FRAGMENT, model[at]);
            if (fragment(pt, base + at * 4096) >= 4)
                for (uint64_t i = 0; i < 16; i++)
                    assert_int_equal(model[(at & ~15u) + i], model[at & ~15u] + i * 4096);
            if (fragment(pt, base + at * 4096) >= 8)
                for (uint64_t i = 0; i < 256; i++)
                    assert_int_equal(model[(at & ~255u) + i], model[at & ~255u] + i * 4096);
        }
    }
    assert_int_equal(pagetable_lookup(other, base), 0);
    pagetable_free(other);
    pagetable_free(pt);
}

/* shows S3.12 */
static void same_address_different_data(void **state)
{
    struct pmem *pm = *state;
    struct pagetable *a = pagetable_new(pm, 0), *b = pagetable_new(pm, 0);
    pagetable_map(a, 0x10000, pmem_addr(0, 0), 0x2000, PTE_R | PTE_W);
    pagetable_map(b, 0x10000, pmem_addr(2, 0), 0x2000, PTE_R | PTE_W);
    char got[6000], text[6000];
    memset(text, 'x', sizeof text);
    assert_int_equal(pagetable_write(a, 0x10123, text, sizeof text), 0);
    assert_int_equal(pagetable_read(b, 0x10123, got, sizeof got), 0);
    assert_int_equal(got[0], 0);
    assert_int_equal(pagetable_read(a, 0x10123, got, sizeof got), 0);
    assert_memory_equal(got, text, sizeof got);
    memset(got, 0, sizeof got);
    assert_int_equal(pagetable_walk_read(*state, pagetable_root(a), 0x10123, got, sizeof got), 0);
    assert_memory_equal(got, text, sizeof got);
    assert_int_equal(pagetable_walk_read(*state, 0, 0x10123, got, sizeof got), -EFAULT);
    assert_int_equal(pagetable_write(a, 0x11fff, text, 2), -EFAULT);
    pagetable_free(a);
    pagetable_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(entry_has_documented_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_ranges_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(big_page_splits, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_are_fragments, setup, teardown),
        cmocka_unit_test_setup_teardown(fragments_are_capped, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(removed_tables_stay_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(prepared, setup, teardown),
        cmocka_unit_test_setup_teardown(replaced_tables_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(spaces_end_with_their_own_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(random_maps_agree_with_an_array, setup, teardown),
        cmocka_unit_test_setup_teardown(same_address_different_data, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
