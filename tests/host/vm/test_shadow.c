/* SPDX-License-Identifier: Apache-2.0
 * Page tables are the host's copy and a stream of writes: whatever is mapped and unmapped, VRAM holds what the copy
 * says once the writes are done; while they are not, a walker finds for a page that is not being changed what it found
 * before; firmware and driver see every change at once (S3.12).
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

#define MIB (UINT64_C(1) << 20)
#define VRAM (64 * MIB)
#define PAGES 2048u
#define BASE ((UINT64_C(5) << 30) - 4 * MIB) /* across a border of 1 GiB */

struct late_write {
    uint64_t pa;
    uint32_t bytes;
    uint8_t data[8192];
};

struct bench {
    struct pmem *pm;
    struct pagetable *pt;
    struct late_write *late; /* not yet in VRAM */
    unsigned count, calls;
};

static void sink(void *ctx, uint64_t pa, const void *from, uint32_t bytes)
{
    struct bench *b = ctx;
    uint64_t first = pa & PMEM_OFFSET_MASK, last = first + bytes - 1;
    assert_int_equal(pa >> PMEM_OWNER_SHIFT, 2); /* the GPU that walks it */
    assert_true(bytes && (pa | bytes) % 8 == 0 && bytes <= 8192);
    assert_true(first >= VRAM - pmem_table_bytes(b->pm) && last < VRAM);
    assert_true(bytes > 4096 ? first % 8192 == 0 : first / 4096 == last / 4096); /* within one table */
    assert_true(b->count < 256);
    b->late[b->count].pa = pa;
    b->late[b->count].bytes = bytes;
    memcpy(b->late[b->count++].data, from, bytes);
    b->calls++;
}

static int setup(void **state)
{
    struct bench *b = calloc(1, sizeof *b);
    b->pm = pmem_new(2, VRAM, MIB);
    b->late = calloc(256, sizeof *b->late);
    assert_non_null(b->pm);
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    pagetable_free(b->pt);
    pmem_free(b->pm);
    free(b->late);
    free(b);
    return 0;
}

static uint64_t walked(const struct bench *b, uint64_t page)
{
    return pagetable_walk(b->pm, pagetable_root(b->pt), BASE + page * 4096);
}

static void copies_agree(const struct bench *b)
{
    for (uint64_t page = 0; page < PAGES; page++)
        assert_true(walked(b, page) == pagetable_lookup(b->pt, BASE + page * 4096));
}

/* A line at a time, as a memory takes them; after each, pages outside [first, first + count) are where they were. */
static void writes_land(struct bench *b, uint64_t first, uint64_t count, const uint64_t *before)
{
    for (unsigned i = 0; i < b->count; i++) {
        const struct late_write *w = &b->late[i];
        for (uint32_t at = 0, n; at < w->bytes; at += n) {
            n = 64 - (uint32_t)((w->pa + at) % 64);
            n = n < w->bytes - at ? n : w->bytes - at;
            assert_int_equal(pmem_write(b->pm, w->pa + at, w->data + at, n), 0);
            if (w->bytes == 8) /* an entry: the tree has changed */
                for (uint64_t page = 0; page < PAGES; page++)
                    if (page < first || page >= first + count)
                        assert_true((walked(b, page) & ~PTE_FRAGMENT) == (before[page] & ~PTE_FRAGMENT));
        }
        for (unsigned probe = 0; probe < 64; probe++) {
            uint64_t page = (uint64_t)rand() % PAGES;
            if (page < first || page >= first + count)
                assert_true((walked(b, page) & ~PTE_FRAGMENT) == (before[page] & ~PTE_FRAGMENT));
        }
    }
    b->count = 0;
}

/* One random mapping or unmapping of [*first, +*count) pages. */
static void change(struct bench *b, uint64_t *first, uint64_t *count)
{
    *first = (uint64_t)rand() % PAGES;
    *count = 1 + (uint64_t)rand() % (rand() & 1 ? 1200 : 40);
    if (rand() % 3 == 0)
        *first &= ~UINT64_C(511);
    if (rand() % 8 == 0)
        *first = 0, *count = PAGES;
    if (*first + *count > PAGES)
        *count = PAGES - *first;
    if (rand() & 1) {
        uint64_t pa = rand() & 1 ? *first * 4096 : (uint64_t)rand() % PAGES * 4096;
        assert_int_equal(pagetable_map(b->pt, BASE + *first * 4096, pmem_addr(2, pa), *count * 4096, PTE_R), 0);
    } else {
        assert_int_equal(pagetable_unmap(b->pt, BASE + *first * 4096, *count * 4096), 0);
    }
}

static void fuzz(struct bench *b, unsigned rounds)
{
    static uint64_t before[PAGES];
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t first, count;
        for (uint64_t page = 0; page < PAGES; page++)
            before[page] = walked(b, page);
        change(b, &first, &count);
        for (uint64_t page = 0; page < PAGES && b->count; page++)
            assert_true(walked(b, page) == before[page]); /* nothing by pointer */
        writes_land(b, first, count, before);
        copies_agree(b);
        if (rand() & 1)
            pagetable_recycle(b->pm, 1, pagetable_removed(b->pm, 1));
    }
}

static void vram_holds_what_the_copy_says(void **state)
{
    struct bench *b = *state;
    srand(5);
    pagetable_sink_set(b->pm, sink, b);
    b->pt = pagetable_new(b->pm, 1);
    writes_land(b, 0, PAGES, NULL);
    fuzz(b, 400);
    assert_true(b->calls > 400);
}

/* Without a sink, and from the moment on when it is taken away, writes are done at once. */
static void without_a_sink_writes_are_done(void **state)
{
    struct bench *b = *state;
    srand(6);
    b->pt = pagetable_new(b->pm, 1);
    fuzz(b, 150);
    pagetable_sink_set(b->pm, sink, b);
    assert_int_equal(pagetable_unmap(b->pt, BASE, PAGES * 4096), 0);
    assert_true(b->count > 0 || b->calls == 0);
    writes_land(b, 0, PAGES, NULL);
    pagetable_sink_set(b->pm, NULL, NULL);
    const unsigned calls = b->calls;
    fuzz(b, 50);
    assert_int_equal(b->calls, calls);
}

/* A page of the region that held anything else is whole before an entry leads to it: zeros but for what is mapped. */
static void a_fresh_table_is_written_whole(void **state)
{
    struct bench *b = *state;
    static uint64_t dirt[512];
    const uint64_t region = VRAM - pmem_table_bytes(b->pm);
    for (unsigned i = 0; i < 512; i++) /* leads from every level to the next */
        dirt[i] = pmem_addr(2, region + 8192) | PTE_VALID;
    for (uint64_t at = region; at < VRAM; at += sizeof dirt)
        assert_int_equal(pmem_write(b->pm, pmem_addr(2, at), dirt, sizeof dirt), 0);
    b->pt = pagetable_new(b->pm, 1);
    for (uint64_t gib = 0; gib < 1024; gib++)
        assert_int_equal(pagetable_walk(b->pm, pagetable_root(b->pt), gib << 30), 0);
    assert_int_equal(pagetable_map(b->pt, BASE + 4096, pmem_addr(2, 0x7000), 4096, PTE_R), 0);
    copies_agree(b);
    for (uint64_t at = 0; at < 1024 * MIB; at += 2 * MIB)
        assert_true(pagetable_walk(b->pm, pagetable_root(b->pt), (BASE & ~(1024 * MIB - 1)) + at) == 0);
    assert_int_equal(walked(b, 1) & PTE_ADDR, pmem_addr(2, 0x7000));
}

/* What firmware and driver reach by an address follows the copy, whatever is in VRAM yet. */
static void the_host_sees_changes_at_once(void **state)
{
    struct bench *b = *state;
    uint32_t value = 4711, got = 0;
    pagetable_sink_set(b->pm, sink, b);
    b->pt = pagetable_new(b->pm, 1);
    assert_int_equal(pagetable_map(b->pt, BASE, pmem_addr(2, 0x3000), 4096, PTE_R | PTE_W), 0);
    assert_int_equal(pagetable_write(b->pt, BASE + 8, &value, 4), 0);
    assert_int_equal(pagetable_read(b->pt, BASE + 8, &got, 4), 0);
    assert_int_equal(got, 4711);
    assert_int_equal(pagetable_atomic(b->pt, BASE + 8, 2, 4, 1), 0); /* add */
    assert_int_equal(pagetable_walk_read(b->pm, pagetable_root(b->pt), BASE + 8, &got, 4), -EFAULT);
    writes_land(b, 0, PAGES, NULL);
    assert_int_equal(pagetable_walk_read(b->pm, pagetable_root(b->pt), BASE + 8, &got, 4), 0);
    assert_int_equal(got, 4712);
    assert_int_equal(pagetable_unmap(b->pt, BASE, 4096), 0);
    assert_int_equal(pagetable_read(b->pt, BASE + 8, &got, 4), -EFAULT);
    assert_int_equal(pagetable_walk_read(b->pm, pagetable_root(b->pt), BASE + 8, &got, 4), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(vram_holds_what_the_copy_says),
        TEST(without_a_sink_writes_are_done),
        TEST(a_fresh_table_is_written_whole),
        TEST(the_host_sees_changes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
