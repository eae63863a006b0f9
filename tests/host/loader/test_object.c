// SPDX-License-Identifier: Apache-2.0
// host/loader: the four code-object versions say the same about a kernel; bundles; every damaged file is refused with
// one line and nothing else happens (truncation at every length, every byte of headers and notes changed).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "loader/object.h"

static char folder[] = "/tmp/gantry-object-XXXXXX";

static uint8_t *file_read(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    data = xcalloc(*bytes, 1);
    assert_int_equal(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

static const char *file_write(const uint8_t *data, size_t bytes)
{
    static char path[128];
    FILE *file;

    snprintf(path, sizeof(path), "%s/x.co", folder);
    file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(data, 1, bytes, file);
    fclose(file);
    return path;
}

/* Open with stderr caught: the status; text holds what was printed. */
static enum gantry_status try_open(const char *path, struct object **object, char *text, size_t room)
{
    char log[128];
    int saved = dup(2);
    FILE *file;
    enum gantry_status status;

    snprintf(log, sizeof(log), "%s/err", folder);
    file = fopen(log, "w+");
    dup2(fileno(file), 2);
    *object = NULL;
    status = object_open(path, object);
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    text[fread(text, 1, room - 1, file)] = 0;
    fclose(file);
    return status;
}

static void refused(const uint8_t *data, size_t bytes, const char *cause)
{
    struct object *object;
    char text[2048];

    assert_int_equal(try_open(file_write(data, bytes), &object, text, sizeof(text)), STATUS_OBJECT);
    assert_null(object);
    assert_memory_equal(text, "gantry: ", 8);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    if (!strstr(text, cause))
        fail_msg("'%s' does not say '%s'", text, cause);
}

static void versions_agree(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 5; version++) {
        char path[64];
        struct object *object = NULL;
        const struct object_kernel *k;
        uint8_t *image;

        snprintf(path, sizeof(path), "build/kernels/reduction.v%u.co", version);
        assert_int_equal(object_open(path, &object), STATUS_OK);
        k = object_kernel_find(object, NULL);
        assert_non_null(k);
        assert_ptr_equal(object_kernel_find(object, "reduction"), k);
        assert_int_equal(k->image->version, version);
        assert_string_equal(k->name, "reduction");
        assert_true(k->described);
        assert_int_equal(k->args[0].kind, ARG_BUFFER);
        assert_int_equal(k->args[2].kind, ARG_BY_VALUE);
        assert_int_equal(k->args[2].offset, 16);
        assert_int_equal(k->args[3].kind, ARG_LDS);
        assert_int_equal(k->args[3].offset, 20);
        assert_int_equal(k->args[4].offset, 24);
        assert_true(arg_hidden(&k->args[5]));
        assert_int_equal(k->args[5].kind, version == 5 ? ARG_COUNT_X : ARG_OFFSET_X);
        assert_int_equal(k->args[5].offset, 32);
        image = xcalloc(k->image->load_bytes, 1);
        assert_int_equal(object_image_place(k->image, 0x100000000, image), STATUS_OK);
        assert_memory_equal(image, "\177ELF", 4);
        free(image);
        object_free(object);
    }
}

static void required_group_is_read(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 5; version++) {
        char path[64];
        struct object *object = NULL;

        snprintf(path, sizeof(path), "build/kernels/matmul.v%u.co", version);
        assert_int_equal(object_open(path, &object), STATUS_OK);
        assert_int_equal(object->kernels[0].required_group[0], 16);
        assert_int_equal(object->kernels[0].required_group[2], 1);
        assert_in_range(object->kernels[0].group_bytes, 16 * 33 * 4, 16 * 34 * 4);
        object_free(object);
    }
}

static void truncated(void **state)
{
    (void)state;
    for (unsigned version = 2; version <= 5; version++) {
        char path[64], text[2048];
        struct object *object;
        size_t bytes;
        uint8_t *data;

        snprintf(path, sizeof(path), "build/kernels/grid3d.v%u.co", version);
        data = file_read(path, &bytes);
        refused(data, bytes - 1, "truncated");
        refused(data, 63, "truncated");
        refused(data, 3, "neither ELF");
        for (size_t n = 0; n < bytes; n += 41)
            assert_int_equal(try_open(file_write(data, n), &object, text, sizeof(text)), STATUS_OBJECT);
        free(data);
    }
}

static void foreign(void **state)
{
    size_t bytes;
    uint8_t *data = file_read("build/kernels/grid3d.v4.co", &bytes);

    (void)state;
    data[18] = 62;
    refused(data, bytes, "ELF for machine 62 without GPU code");
    data[18] = 224;
    data[48] = 0x2c; /* gfx900 */
    refused(data, bytes, "built for another GPU (machine flag 0x2c; gfx803 is 0x2a)");
    data[48] = 0x2a;
    data[8] = 9;
    refused(data, bytes, "code-object ABI version 11");
    struct object *object = NULL;
    data[8] = 4; /* version 6 differs from 5 in flags of generic targets only */
    assert_int_equal(object_open(file_write(data, bytes), &object), STATUS_OK);
    assert_int_equal(object->images[0].version, 6);
    object_free(object);
    data[8] = 2;
    data[7] = 0;
    refused(data, bytes, "not for the HSA runtime");
    data[7] = 64;
    data[16] = 1;
    refused(data, bytes, "not linked");
    data[16] = 3;
    refused((const uint8_t *)"#!/bin/sh\n", 10, "neither ELF nor offload bundle");
    refused((const uint8_t *)"", 0, "neither ELF nor offload bundle");
    free(data);
}

/* Position of a text in the file. */
static uint8_t *find(uint8_t *data, size_t bytes, const char *text)
{
    uint8_t *at = memmem(data, bytes, text, strlen(text));

    assert_non_null(at);
    return at;
}

static void damaged_notes(void **state)
{
    size_t bytes;
    uint8_t *data = file_read("build/kernels/reduction.v2.co", &bytes), *at;

    (void)state;
    at = find(data, bytes, "ValueKind:       GlobalBuffer");
    memcpy(at + 17, "LocalBuffers", 12);
    refused(data, bytes, "argument 0 of kernel reduction is a LocalBuffers, which is not supported");
    memcpy(at, "ValueBind", 9);
    refused(data, bytes, "damaged notes: argument 0 of kernel reduction");
    at = find(data, bytes, "Kernels:");
    at[7] = '[';
    refused(data, bytes, "damaged notes: line");
    free(data);

    data = file_read("build/kernels/reduction.v4.co", &bytes);
    at = find(data, bytes, "global_buffer");
    memcpy(at, "globalXbuffer", 13);
    refused(data, bytes, "is a globalXbuffer, which is not supported");
    memcpy(at, "global_buffer", 13);
    at = find(data, bytes, "amdhsa.kernels");
    at[13] = 'z';
    refused(data, bytes, "damaged notes: no list of kernels");
    at[13] = 's';
    at = find(data, bytes, "reduction.kd");
    at[0] = 'R';
    refused(data, bytes, "damaged notes: kernel Reduction.kd has no symbol");
    at[0] = 'r';
    at = find(data, bytes, "AMDGPU");
    at[8] = 0xc1; /* never used in msgpack */
    refused(data, bytes, "damaged notes: the metadata is no msgpack");
    memcpy(at - 12, "\377\377\377\177", 4);
    refused(data, bytes, "damaged notes");
    free(data);
}

/* Any one byte of the file up to the code may be wrong: no crash, either an object or a refusal. */
static void any_byte(void **state)
{
    unsigned opened = 0, closed = 0;

    (void)state;
    for (unsigned version = 2; version <= 5; version += 1) {
        char path[64], text[4096];
        struct object *object;
        size_t bytes;
        uint8_t *data;

        snprintf(path, sizeof(path), "build/kernels/vecadd.v%u.co", version);
        data = file_read(path, &bytes);
        for (size_t i = 0; i < bytes; i += i < 640 ? 3 : 17) {
            uint8_t was = data[i];

            data[i] = (uint8_t)(was ^ (i % 3 ? 0xff : 0x41));
            if (try_open(file_write(data, bytes), &object, text, sizeof(text)) == STATUS_OK) {
                const struct object_image *image = object->kernels[0].image;
                uint8_t *to = xcalloc(image->load_bytes, 1);

                object_image_place(image, 4096, to);
                free(to);
                object_free(object);
                opened++;
            } else {
                closed++;
            }
            data[i] = was;
        }
        free(data);
    }
    assert_true(opened > 100 && closed > 100);
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, 8);
}

/* A bundle with a host entry, a gfx900 entry and ours. */
static size_t bundle_make(uint8_t *to, const char *triple, const uint8_t *code, size_t bytes)
{
    static const char other[] = "hipv4-amdgcn-amd-amdhsa--gfx900";
    size_t at = 32;

    memcpy(to, "__CLANG_OFFLOAD_BUNDLE__", 24);
    put64(to + 24, 2);
    put64(to + at, 4096), put64(to + at + 8, 16), put64(to + at + 16, sizeof(other) - 1);
    memcpy(to + at + 24, other, sizeof(other) - 1);
    at += 24 + sizeof(other) - 1;
    put64(to + at, 8192), put64(to + at + 8, bytes), put64(to + at + 16, strlen(triple));
    memcpy(to + at + 24, triple, strlen(triple));
    memcpy(to + 8192, code, bytes);
    return 8192 + bytes;
}

static void bundles(void **state)
{
    struct object *object = NULL;
    size_t bytes, all;
    uint8_t *data = file_read("build/kernels/vecadd.v4.co", &bytes), *bundle = xcalloc(bytes + 8192, 1);

    (void)state;
    all = bundle_make(bundle, "hipv4-amdgcn-amd-amdhsa--gfx803", data, bytes);
    assert_int_equal(object_open(file_write(bundle, all), &object), STATUS_OK);
    assert_int_equal(object->kernel_count, 1);
    object_free(object);
    refused(bundle, all - 1, "offload bundle is truncated: entry hipv4-amdgcn-amd-amdhsa--gfx803");
    refused(bundle, 60, "offload bundle is truncated in the table");
    memset(bundle, 0, 8192);
    all = bundle_make(bundle, "hipv4-amdgcn-amd-amdhsa--gfx906", data, bytes);
    refused(bundle, all,
            "no code object for gfx803, only for hipv4-amdgcn-amd-amdhsa--gfx900, hipv4-amdgcn-amd-amdhsa--gfx906");
    put64(bundle + 24, UINT64_MAX);
    refused(bundle, all, "truncated");
    free(bundle);
    free(data);
}

static int setup(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    return system("for k in reduction matmul grid3d vecadd; do for v in 2 3 4 5; do make -s build/kernels/$k.v$v.co || "
                  "exit 1; "
                  "done; done") == 0
               ? 0
               : -1;
}

static int teardown(void **state)
{
    char command[160];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(versions_agree), cmocka_unit_test(required_group_is_read),
                                       cmocka_unit_test(truncated),      cmocka_unit_test(foreign),
                                       cmocka_unit_test(damaged_notes),  cmocka_unit_test(any_byte),
                                       cmocka_unit_test(bundles)};

    return cmocka_run_group_tests(tests, setup, teardown);
}
