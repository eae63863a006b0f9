// SPDX-License-Identifier: Apache-2.0
// host/loader/compressed.c: bundles packed by zlib and zstd under the three versions of LLVM's header hold what the
// plain ones hold; damaged and cut ones are refused with their cause (B.1).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "loader/object.h"

#define ROOM 65536u
enum { ZLIB, ZSTD };

static char path[] = "build/tests/compressed-XXXXXX";
static uint8_t code[ROOM], plain[ROOM];
static size_t code_bytes, plain_bytes;

static void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

// A bundle of one entry.
static void bundle_make(const char *triple)
{
    memset(plain, 0, 4096);
    memcpy(plain, "__CLANG_OFFLOAD_BUNDLE__", 24);
    put(plain + 24, 1, 8);
    put(plain + 32, 4096, 8), put(plain + 40, code_bytes, 8), put(plain + 48, strlen(triple), 8);
    memcpy(plain + 56, triple, strlen(triple));
    memcpy(plain + 4096, code, code_bytes);
    plain_bytes = 4096 + code_bytes;
}

static size_t pack(uint8_t *to, unsigned version, unsigned method)
{
    const unsigned word = version == 3 ? 8 : 4, total = version > 1 ? word : 0;
    const size_t head = 8 + total + word + 8;
    size_t packed;
    if (method == ZLIB) {
        uLongf n = ROOM - head;
        assert_int_equal(compress2(to + head, &n, plain, plain_bytes, 9), Z_OK);
        packed = n;
    } else {
        packed = ZSTD_compress(to + head, ROOM - head, plain, plain_bytes, 9);
        assert_false(ZSTD_isError(packed));
    }
    memcpy(to, "CCOB", 4);
    put(to + 4, version, 2), put(to + 6, method, 2);
    put(to + 8, head + packed, total);
    put(to + 8 + total, plain_bytes, word);
    put(to + 8 + total + word, 0x0123456789abcdef, 8);
    return head + packed;
}

static enum gantry_status opened(const uint8_t *bytes, size_t size, unsigned kernels)
{
    FILE *file = fopen(path, "w");
    struct object *object = NULL;
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    const enum gantry_status status = object_open(path, &object);
    if (status == STATUS_OK) {
        assert_int_equal(object->kernel_count, kernels);
        assert_int_equal(object->images[0].size, code_bytes);
        assert_memory_equal(object->images[0].bytes, code, code_bytes);
    }
    if (status == STATUS_OK)
        object_free(object);
    return status;
}

static void every_header_and_method(void **state)
{
    (void)state;
    for (unsigned version = 1; version <= 3; version++)
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            uint8_t file[2 * ROOM] = {0};
            bundle_make("hipv4-amdgcn-amd-amdhsa--gfx803");
            const size_t first = pack(file, version, method);
            assert_int_equal(opened(file, first, 1), STATUS_OK);
            const size_t second = pack(file + first + 40, version, method); // behind some padding
            assert_int_equal(opened(file, first + 40 + second, 2), STATUS_OK);
            bundle_make("hipv4-amdgcn-amd-amdhsa--gfx906");
            assert_int_equal(opened(file, pack(file, version, method), 0), STATUS_OBJECT);
        }
}

static void cut_anywhere(void **state)
{
    (void)state;
    bundle_make("hipv4-amdgcn-amd-amdhsa--gfx803");
    for (unsigned version = 1; version <= 3; version++)
        for (unsigned method = ZLIB; method <= ZSTD; method++) {
            uint8_t file[ROOM];
            const size_t bytes = pack(file, version, method);
            for (size_t n = 0; n < bytes; n += n < 40 ? 1 : 97)
                assert_int_equal(opened(file, n, 0), STATUS_OBJECT);
        }
}

// Sizes that lie, unknown versions and methods, other contents.
static void damaged(void **state)
{
    static const struct {
        unsigned at, bytes;
        uint64_t value;
    } cases[] = {{4, 2, 0},          {4, 2, 4},  {6, 2, 2},           {6, 2, ZLIB}, {8, 4, 4},
                 {8, 4, UINT32_MAX}, {12, 4, 0}, {12, 4, UINT32_MAX}, {12, 4, 4096}};
    (void)state;
    bundle_make("hipv4-amdgcn-amd-amdhsa--gfx803");
    for (unsigned n = 0; n < sizeof cases / sizeof cases[0]; n++) {
        uint8_t file[ROOM];
        const size_t bytes = pack(file, 2, ZSTD);
        assert_int_not_equal(get(file + cases[n].at, cases[n].bytes), cases[n].value);
        put(file + cases[n].at, cases[n].value, cases[n].bytes);
        assert_int_equal(opened(file, bytes, 0), STATUS_OBJECT);
    }
    uint8_t file[ROOM];
    plain[0] = 'X';
    assert_int_equal(opened(file, pack(file, 2, ZSTD), 0), STATUS_OBJECT);
    bundle_make("hipv4-amdgcn-amd-amdhsa--gfx803");
    put(plain + 24, UINT64_MAX, 8);
    assert_int_equal(opened(file, pack(file, 2, ZLIB), 0), STATUS_OBJECT);
}

static int setup(void **state)
{
    (void)state;
    if (system("make -s build/kernels/vecadd.v5.co") != 0)
        return -1;
    FILE *file = fopen("build/kernels/vecadd.v5.co", "r");
    code_bytes = file ? fread(code, 1, ROOM - 4096, file) : 0;
    if (file)
        fclose(file);
    const int fd = mkstemp(path);
    return code_bytes == 0 || fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_header_and_method), cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(damaged)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
