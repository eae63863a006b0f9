// SPDX-License-Identifier: Apache-2.0
// Contents of physical memory as a saved state (pmem_save.h): every page that holds something, wherever its file is
// (base file, slabs, the end of a memory that is no whole granule), and nothing else: zeros that take memory are not
// saved, and what a memory held before it was restored is gone.  Pages of the table regions keep their owners.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "saved/state_io.h"
#include "vm/pagetable.h"
#include "vm/pmem.h"
#include "vm/pmem_save.h"

#define PAGE UINT64_C(4096)
#define MIB (UINT64_C(1) << 20)
#define VRAM (192 * MIB)
#define GTT (8 * MIB + 3 * PAGE) /* the last granule is short */

static struct pmem *memory_new(void)
{
    struct pmem *pm = pmem_new(2, VRAM, GTT);
    assert_non_null(pm);
    return pm;
}

/* Slabs in both kinds of memory, with pages at their borders. */
static void memory_fill(struct pmem *pm)
{
    const uint64_t granule = pmem_granule(pm, 1), small = pmem_granule(pm, PMEM_GTT);
    assert_int_equal(pmem_slab_take(pm, 1, 2 * granule, 3 * granule), 0);
    assert_int_equal(pmem_slab_take(pm, 1, 5 * granule, granule), 0);
    assert_int_equal(pmem_slab_take(pm, PMEM_GTT, 8 * MIB, 3 * PAGE), 0);
    assert_int_equal(pmem_slab_take(pm, PMEM_GTT, 0, small), 0);
    pmem_slab_give(pm, 1, 3 * granule);
    const uint64_t in_vram[] = {0,           2 * granule - PAGE, 2 * granule, 3 * granule - PAGE, 3 * granule + PAGE,
                                4 * granule, 6 * granule - PAGE, 6 * granule, VRAM / 2,           VRAM - PAGE};
    for (unsigned i = 0; i < sizeof in_vram / sizeof *in_vram; i++)
        memset(pmem_vram(pm, 1, in_vram[i], PAGE), (int)i + 1, i % 2 ? PAGE : 1);
    const uint64_t in_gtt[] = {0, small - PAGE, small, 8 * MIB - PAGE, 8 * MIB, 8 * MIB + 2 * PAGE};
    for (unsigned i = 0; i < sizeof in_gtt / sizeof *in_gtt; i++)
        pmem_gtt(pm, in_gtt[i], PAGE)[PAGE - 1] = (uint8_t)(0x80 + i);
    *pmem_vram(pm, 0, 12345, 1) = 7;
}

static void same(struct pmem *a, struct pmem *b)
{
    for (unsigned g = 0; g < 2; g++)
        assert_true(memcmp(pmem_vram(a, g, 0, VRAM), pmem_vram(b, g, 0, VRAM), VRAM) == 0);
    assert_true(memcmp(pmem_gtt(a, 0, GTT), pmem_gtt(b, 0, GTT), GTT) == 0);
}

static struct state_buffer saved_of(struct pmem *pm)
{
    struct state_buffer b;
    state_buffer_init(&b);
    pmem_save(pm, &b.writer);
    return b;
}

static void every_page_is_there_and_no_other(void **state)
{
    struct pmem *a = memory_new(), *b = memory_new(), *c = memory_new();
    (void)state;
    memory_fill(a);
    struct state_buffer one = saved_of(a);
    assert_in_range(one.count, 17 * PAGE, 18 * PAGE); /* 10 + 6 + 1 pages */
    memset(pmem_vram(b, 0, 100 * MIB, MIB), 9, MIB);  /* all of this goes */
    memset(pmem_vram(b, 1, VRAM - PAGE, PAGE), 9, PAGE);
    memset(pmem_gtt(b, 5 * MIB, PAGE), 9, PAGE);
    assert_int_equal(pmem_slab_take(b, PMEM_GTT, 5 * MIB, pmem_granule(b, PMEM_GTT)), 0);
    memset(pmem_gtt(b, 5 * MIB, PAGE), 9, PAGE);
    assert_true(pmem_restore(b, &one.reader));
    assert_int_equal(one.taken, one.count);
    same(a, b);
    memset(pmem_vram(a, 0, 64 * MIB, MIB), 0, MIB); /* takes memory, holds nothing */
    memory_fill(c);
    struct state_buffer two = saved_of(a), three = saved_of(b), four = saved_of(c);
    assert_int_equal(two.count, one.count);
    assert_memory_equal(two.bytes, one.bytes, one.count);
    assert_int_equal(three.count, one.count); /* where slabs are is no contents */
    assert_memory_equal(three.bytes, one.bytes, one.count);
    assert_int_equal(four.count, one.count);
    assert_memory_equal(four.bytes, one.bytes, one.count);
    free(one.bytes), free(two.bytes), free(three.bytes), free(four.bytes);
    pmem_free(a), pmem_free(b), pmem_free(c);
}

/* Tables made after a restore take the places that they would have taken. */
static void tables_keep_their_pages(void **state)
{
    struct pmem *a = memory_new(), *b = memory_new();
    (void)state;
    struct pagetable *one = pagetable_new(a, 1);
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(pagetable_map(one, i << 30, pmem_addr(2, i * PAGE), PAGE, PTE_R), 0);
    assert_int_equal(pagetable_map(one, 0, pmem_addr(2, 2 * MIB), 2 * MIB, PTE_R), 0); /* a leaf: a table goes */
    assert_int_equal(pagetable_removed(a, 1), 1);
    struct state_buffer saved = saved_of(a);
    assert_true(pmem_restore(b, &saved.reader));
    assert_int_equal(pagetable_removed(b, 1), 1);
    pagetable_recycle(a, 1, 1);
    pagetable_recycle(b, 1, 1);
    struct state_buffer again = saved_of(a);
    again.taken = 0;
    assert_true(pmem_restore(b, &again.reader));
    assert_int_equal(pagetable_removed(b, 1), 1);
    for (unsigned i = 0; i < 3; i++) {
        struct pagetable *x = pagetable_new(a, 1), *y = pagetable_new(b, 1);
        assert_true(pagetable_root(x) == pagetable_root(y));
        assert_int_equal(pagetable_map(x, 0, pmem_addr(2, 0), PAGE, PTE_R), 0);
        assert_int_equal(pagetable_map(y, 0, pmem_addr(2, 0), PAGE, PTE_R), 0);
        same(a, b);
        free(x), free(y); /* their pages stay */
    }
    free(one);
    free(saved.bytes), free(again.bytes);
    pmem_free(a), pmem_free(b);
}

static void what_is_refused(void **state)
{
    struct pmem *a = memory_new(), *small = pmem_new(2, VRAM, GTT - PAGE), *fewer = pmem_new(1, VRAM, GTT);
    struct pagetable *table = pagetable_new(a, 0);
    char text[100];
    (void)state;
    memory_fill(a);
    struct state_buffer saved = saved_of(a);
    assert_false(pmem_restore(small, &saved.reader));
    assert_non_null(strstr(saved.reader.why, "memories of 2 GPUs"));
    saved.taken = 0;
    assert_false(pmem_restore(fewer, &saved.reader));
    const size_t whole = saved.count;
    for (saved.count = 0; saved.count < whole; saved.count += 511) {
        saved.taken = 0;
        assert_false(pmem_restore(a, &saved.reader));
    }
    saved.count = whole;
    const uint64_t outside = VRAM;
    size_t at = 32 + 4 + pmem_table_bytes(a) / PAGE + 2 * PAGE + 4 +
                8; /* behind shape, window, tables (a root): the first page */
    memcpy(saved.bytes + at, &outside, 8);
    saved.taken = 0;
    *saved.reader.why = 0;
    assert_false(pmem_restore(a, &saved.reader));
    assert_non_null(strstr(saved.reader.why, "page 0x"));
    assert_null(pmem_unsavable(a, text, sizeof text));
    uint64_t window = pmem_window_add(a, getpid(), 0x10000, PAGE);
    assert_non_null(strstr(pmem_unsavable(a, text, sizeof text), "is mapped for GPUs"));
    pmem_window_remove(a, window);
    assert_null(pmem_unsavable(a, text, sizeof text));
    struct state_buffer numbered = saved_of(a); /* windows are numbered on */
    struct pmem *b = memory_new();
    assert_true(pmem_restore(b, &numbered.reader));
    assert_int_equal(pmem_window_add(b, getpid(), 0x10000, PAGE), window + PAGE);
    free(table);
    free(saved.bytes), free(numbered.bytes);
    pmem_free(a), pmem_free(b), pmem_free(small), pmem_free(fewer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_page_is_there_and_no_other),
        cmocka_unit_test(tables_keep_their_pages),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
