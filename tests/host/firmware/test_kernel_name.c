/* SPDX-License-Identifier: Apache-2.0
 * Names of kernels from a code object in memory: found where it is whole, and within the bounds of the search; else the
 * place, and never an access to what is not there (B.8).
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "cp_bench.h"
#include "firmware/cp_private.h"

#define OBJECT 0x20000u /* an ELF image as a loader maps it */

/* Two segments, the second with the dynamic table, which the loader may have relocated; two symbols. */
static void object_put(struct bench *b, uint64_t moved, const char *name)
{
    uint8_t *at_object = at(b, OBJECT);
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F'}, .e_phoff = 0x80, .e_phentsize = 56, .e_phnum = 2};
    Elf64_Phdr segments[2] = {{.p_type = PT_LOAD}, {.p_type = PT_DYNAMIC, .p_vaddr = 0x200, .p_memsz = 64}};
    Elf64_Dyn dynamic[4] = {
        {DT_SONAME, {1}}, {DT_SYMTAB, {moved + 0x300}}, {DT_STRTAB, {moved + 0x400}}, {DT_HASH, {moved + 0x600}}};
    Elf64_Sym symbols[3] = {{0}, {.st_name = 1, .st_value = 0x1000}, {.st_name = 7, .st_value = 0x1040}};
    uint32_t hash[2] = {1, 3};
    memset(at_object, 0, 0x2000);
    memcpy(at_object, &header, sizeof header);
    memcpy(at_object + 0x80, segments, sizeof segments);
    memcpy(at_object + 0x200, dynamic, sizeof dynamic);
    memcpy(at_object + 0x300, symbols, sizeof symbols);
    memcpy(at_object + 0x401, "other", 6);
    memcpy(at_object + 0x407, name, strlen(name) + 1);
    memcpy(at_object + 0x600, hash, sizeof hash);
}

static void named(struct bench *b, uint64_t object, const char *expected)
{
    const char *name = kernel_name(&b->space[0][0], VA + object);
    assert_string_equal(name, expected);
    assert_ptr_equal(name, kernel_name(&b->space[0][0], VA + object)); /* kept */
}

/* The symbol at the descriptor, in the pages below it; else the place, or one of three kernels that have no image. */
static void names_of_kernels(void **state)
{
    struct bench *b = *state;
    object_put(b, 0, "mine.kd");
    named(b, OBJECT + 0x1040, "mine");
    named(b, OBJECT + 0x1000, "other");
    named(b, OBJECT + 0x1080, "kernel@100021080");
    object_put(b, VA + OBJECT, "mine.kd");
    named(b, OBJECT + 0x1040, "mine");
    object_put(b, 0, ".kd");
    named(b, OBJECT + 0x1040, ".kd");
    object_put(b, 0, "mine.kx");
    named(b, OBJECT + 0x1040, "mine.kx");
    put(b, OBJECT + 0x604, 2, 4); /* two symbols */
    named(b, OBJECT + 0x1040, "kernel@100021040");
    memset(at(b, OBJECT), 0, 64);
    for (unsigned vgprs = 0; vgprs < 4; vgprs++)
        for (unsigned sgprs = 2; sgprs < 4; sgprs++) {
            put(b, OBJECT + 0x1040 + 0x30, vgprs | sgprs << 6, 4);
            named(b, OBJECT + 0x1040,
                  vgprs == 1                 ? "rocr.fill"
                  : vgprs == 2 && sgprs == 3 ? "rocr.copy_aligned"
                  : vgprs == 2               ? "rocr.copy_misaligned"
                                             : "kernel@100021040");
        }
    named(b, 0x70000000, "kernel@170000000");
}

/* An image that lacks one of its three tables, or whose second segment is not the dynamic one, has no names. */
static void images_without_tables(void **state)
{
    struct bench *b = *state;
    for (unsigned entry = 1; entry < 4; entry++) {
        object_put(b, 0, "mine.kd");
        put(b, OBJECT + 0x200 + 16 * entry, DT_SONAME, 8);
        named(b, OBJECT + 0x1040, "kernel@100021040");
    }
    object_put(b, 0, "mine.kd");
    put(b, OBJECT + 0x80 + 56, PT_LOAD, 4);
    named(b, OBJECT + 0x1040, "kernel@100021040");
    put(b, OBJECT + 0x80 + 56, PT_DYNAMIC, 4);
    named(b, OBJECT + 0x1040, "mine");
}

/* Each of its parts where no memory is. */
static void images_that_are_not_all_there(void **state)
{
    static const struct {
        unsigned at;
        uint64_t value;
    } parts[] = {{0x20, 0x60000000},             /* segments */
                 {0x80 + 56 + 0x10, 0x60000000}, /* the dynamic one */
                 {0x200 + 16 + 8, 0x60000000},   /* symbols */
                 {0x80 + 56 + 0x28, 0}};         /* nothing in it */
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        object_put(b, 0, "mine.kd");
        named(b, OBJECT + 0x1040, "mine");
        put(b, OBJECT + parts[i].at, parts[i].value, 8);
        named(b, OBJECT + 0x1040, "kernel@100021040");
    }
}

static void named_at(struct bench *b, uint64_t va, const char *expected)
{
    char place[40];
    snprintf(place, sizeof place, "kernel@%llx", (unsigned long long)va);
    assert_string_equal(kernel_name(&b->space[0][0], va), *expected ? expected : place);
}

/* Segments, entries of the dynamic table and symbols, each at the last place that is looked at and behind it. */
static void tables_have_bounds(void **state)
{
    struct bench *b = *state;
    const uint64_t here = OBJECT + 0x1040;
    const Elf64_Phdr load = {.p_type = PT_LOAD};
    for (unsigned n = 31; n < 33; n++) { /* the dynamic segment is number n */
        object_put(b, 0, "mine.kd");
        Elf64_Phdr dynamic = {.p_type = PT_DYNAMIC, .p_vaddr = 0x200, .p_memsz = 64};
        put(b, OBJECT + offsetof(Elf64_Ehdr, e_phoff), 0x1100, 8);
        put(b, OBJECT + offsetof(Elf64_Ehdr, e_phnum), 40, 2);
        for (unsigned i = 0; i < 40; i++)
            memcpy(at(b, OBJECT + 0x1100) + i * sizeof load, i == n ? &dynamic : &load, sizeof load);
        named(b, here, n < 32 ? "mine" : "kernel@100021040");
        put(b, OBJECT + offsetof(Elf64_Ehdr, e_phnum), n, 2); /* it is behind the last one */
        named(b, here, "kernel@100021040");
    }
    for (unsigned n = 255; n < 257; n++) { /* entry n names the hash table */
        object_put(b, 0, "mine.kd");
        const Elf64_Dyn hash = {DT_HASH, {0x600}}, none = {DT_NULL, {0}};
        memcpy(at(b, OBJECT + 0x230), &none, sizeof none);
        put(b, OBJECT + 0x80 + 56 + offsetof(Elf64_Phdr, p_vaddr), 0x3000, 8);
        put(b, OBJECT + 0x80 + 56 + offsetof(Elf64_Phdr, p_memsz), 300 * sizeof hash, 8);
        memset(at(b, OBJECT + 0x3000), 0, 0x2000);
        memcpy(at(b, OBJECT + 0x3000), at(b, OBJECT + 0x200), 64);
        memcpy(at(b, OBJECT + 0x3000) + n * sizeof hash, &hash, sizeof hash);
        named(b, here, n < 256 ? "mine" : "kernel@100021040");
        put(b, OBJECT + 0x80 + 56 + offsetof(Elf64_Phdr, p_memsz), n * sizeof hash + sizeof hash - 1,
            8); /* not whole */
        named(b, here, "kernel@100021040");
    }
    for (unsigned n = 65535; n < 65537; n++) { /* the symbol is number n */
        object_put(b, 0, "mine.kd");
        put(b, OBJECT + 0x210 + 8, 0x10000, 8);
        put(b, OBJECT + 0x604, 70000, 4);
        memset(at(b, OBJECT + 0x10000), 0, 70000 * sizeof(Elf64_Sym));
        memcpy(at(b, OBJECT + 0x10000) + n * sizeof(Elf64_Sym), at(b, OBJECT + 0x300) + 2 * sizeof(Elf64_Sym),
               sizeof(Elf64_Sym));
        named(b, here, n < 65536 ? "mine" : "kernel@100021040");
    }
}

/* The three tables in any order, from the first entry to the last. */
static void tables_in_any_order(void **state)
{
    struct bench *b = *state;
    const Elf64_Dyn entries[] = {{DT_SYMTAB, {0x300}}, {DT_STRTAB, {0x400}}, {DT_HASH, {0x600}}, {DT_SONAME, {1}}};
    for (unsigned first = 0; first < 4; first++) {
        object_put(b, 0, "mine.kd");
        for (unsigned i = 0; i < 4; i++)
            memcpy(at(b, OBJECT + 0x200) + i * sizeof entries[0], &entries[(first + i) % 4], sizeof entries[0]);
        named(b, OBJECT + 0x1040, "mine");
    }
}

/* A symbol without a name, one at another place, headers of another size. */
static void symbols_that_name_nothing(void **state)
{
    struct bench *b = *state;
    object_put(b, 0, "mine.kd");
    put(b, OBJECT + 0x300 + 2 * sizeof(Elf64_Sym), 0, 4);
    named(b, OBJECT + 0x1040, "kernel@100021040");
    object_put(b, 0, "mine.kd");
    put(b, OBJECT + 0x300 + sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_value), 0x1040, 8);
    named(b, OBJECT + 0x1040, "other"); /* of two the first */
    put(b, OBJECT + offsetof(Elf64_Ehdr, e_phentsize), 55, 2);
    named(b, OBJECT + 0x1040, "kernel@100021040");
    object_put(b, 0, "a.kd");
    named(b, OBJECT + 0x1040, "a");
    put(b, OBJECT + 0x600, 0, 4); /* the number of buckets, not that of symbols */
    named(b, OBJECT + 0x1040, "a");
}

/* A name of `length` bytes and its ".kd" at the end of a page, or before it; the last byte of it is `last`. */
static void long_name_put(struct bench *b, size_t length, char last)
{
    object_put(b, 0, "mine.kd");
    put(b, OBJECT + 0x200 + 2 * 16 + 8, 0x3ffe, 8); /* strings lie over many pages */
    memset(at(b, OBJECT + 0x4000), 0, 0x14000);
    memset(at(b, OBJECT + 0x4005), 'x', length);
    memcpy(at(b, OBJECT + 0x4005 + (unsigned)length - 1), &last, 1);
    memcpy(at(b, OBJECT + 0x4005 + (unsigned)length), ".kd", 4);
}

/* Names are whole up to 4,095 bytes.  Of a longer one the end is a sum over all of it, and it is told; so two names
 * that differ at one byte are two, wherever it is. */
static void long_names_stay_apart(void **state)
{
    struct bench *b = *state;
    static const size_t whole[] = {1, 119, 120, 121, 250, 251, 252, 430, 4090, 4094, 4095},
                        cut[] = {4096, 4097, 5000, 60000, 65532};
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);
    log_set_file(lines);
    for (unsigned i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        const char *names[2];
        for (unsigned n = 0; n < 2; n++) {
            long_name_put(b, whole[i], (char)('a' + n));
            names[n] = kernel_name(&b->space[0][0], VA + OBJECT + 0x1040);
            assert_int_equal(strlen(names[n]), whole[i]);
            assert_int_equal(names[n][whole[i] - 1], 'a' + n);
        }
        assert_string_not_equal(names[0], names[1]);
    }
    fflush(lines);
    assert_null(strstr(text, "cut"));
    for (unsigned i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        const char *names[2];
        for (unsigned n = 0; n < 2; n++) {
            long_name_put(b, cut[i], (char)('a' + n));
            names[n] = kernel_name(&b->space[0][0], VA + OBJECT + 0x1040);
            assert_int_equal(strlen(names[n]), 4095);
            assert_memory_equal(names[n] + 4095 - 20, "...#", 4);
        }
        assert_string_not_equal(names[0], names[1]);
    }
    fflush(lines);
    assert_non_null(strstr(text, "the name of a kernel is longer than 4095 bytes, and cut: xxx"));
    log_set_file(NULL);
    fclose(lines);
    free(text);
}

/* A name that goes on where nothing is mapped ends there. */
static void names_end_with_their_memory(void **state)
{
    struct bench *b = *state;
    long_name_put(b, 5000, 'a');
    pagetable_unmap(b->space[0][0].pt, VA + OBJECT + 0x5000, 0x1000);
    const char *name = kernel_name(&b->space[0][0], VA + OBJECT + 0x1040);
    assert_int_equal(strlen(name), 0xffb);
    assert_int_equal(strspn(name, "x"), 0xffb);
}

#define FAR_AWAY UINT64_C(0x2000000000) /* where nothing else is mapped */
#define EMPTY 0x400000u                 /* 2 MiB of client memory without an image */

static void pages_map(struct bench *b, uint64_t va, uint64_t pa, uint64_t bytes)
{
    assert_int_equal(pagetable_map(b->space[0][0].pt, va, pa, bytes, PTE_R | PTE_W), 0);
}

/* An image is looked for in 64 MiB of pages below the descriptor, its own counted, and not behind a hole. */
static void images_are_near_their_descriptor(void **state)
{
    struct bench *b = *state;
    const uint64_t image = FAR_AWAY, pages = 16384;
    object_put(b, 0, "mine.kd");
    for (uint64_t at_va = image + 0x200000; at_va < image + pages * 4096 + 0x400000; at_va += 0x200000)
        pages_map(b, at_va, EMPTY, 0x200000);
    pages_map(b, image, OBJECT, 0x2000);
    for (uint64_t page = 2; page < 512; page++)
        pages_map(b, image + page * 4096, EMPTY, 4096);
    for (unsigned n = 0; n < 2; n++) {
        const uint64_t place = (pages - 1 + n) * 4096 + 0x40;
        put(b, OBJECT + 0x300 + 2 * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_value), place, 8);
        named_at(b, image + place, n == 0 ? "mine" : "");
    }
    put(b, OBJECT + 0x300 + 2 * sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_value), 0x5000, 8);
    named_at(b, image + 0x5000, "mine");
    pagetable_unmap(b->space[0][0].pt, image + 0x3000, 0x1000);
    named_at(b, image + 0x5000, "");
}

/* The lowest page of the address space is none: nothing is an image there, or read below it. */
static void the_first_page_is_no_image(void **state)
{
    struct bench *b = *state;
    object_put(b, 0, "mine.kd");
    for (uint64_t image = 0; image < 0x2000; image += 0x1000) {
        pages_map(b, image, OBJECT, 0x2000);
        named_at(b, image + 0x1040, image ? "mine" : "");
        pagetable_unmap(b->space[0][0].pt, image, 0x2000);
    }
}

/* The kernels that have no image lie in system memory; of what lies in a VRAM the register counts tell nothing. */
static void kernels_without_an_image_are_in_system_memory(void **state)
{
    struct bench *b = *state;
    for (unsigned owner = 0; owner < 3; owner++) {
        uint8_t *page = owner ? pmem_vram(b->pm, owner - 1, 0x5000, 64) : at(b, 0x5000);
        const uint32_t rsrc1 = 1;
        memcpy(page + 0x30, &rsrc1, sizeof rsrc1);
        pages_map(b, FAR_AWAY, pmem_addr(owner, 0x5000), 0x1000);
        named_at(b, FAR_AWAY, owner ? "" : "rocr.fill");
        pagetable_unmap(b->space[0][0].pt, FAR_AWAY, 0x1000);
    }
    put(b, 0x5000 + 0x30, 1 | 3 << 6, 4); /* only of copies do the SGPRs tell */
    named_at(b, VA + 0x5000, "rocr.fill");
    put(b, 0x5000 + 0x30, 65, 4); /* of the count of VGPRs six bits */
    named_at(b, VA + 0x5000, "rocr.fill");
    put(b, 0x5000 + 0x30, 2 | 19 << 6, 4); /* of that of SGPRs four */
    named_at(b, VA + 0x5000, "rocr.copy_aligned");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_of_kernels),
        TEST(images_without_tables),
        TEST(images_that_are_not_all_there),
        TEST(tables_have_bounds),
        TEST(tables_in_any_order),
        TEST(symbols_that_name_nothing),
        TEST(long_names_stay_apart),
        TEST(names_end_with_their_memory),
        TEST(images_are_near_their_descriptor),
        TEST(the_first_page_is_no_image),
        TEST(kernels_without_an_image_are_in_system_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
