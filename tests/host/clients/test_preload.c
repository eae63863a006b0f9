/* SPDX-License-Identifier: Apache-2.0
 * LD_PRELOAD and options of a program (preload.h): lists by table, with exactly the room that was asked for; what a
 * program's file says, also of files cut short and changed at every byte of their beginning.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "clients/preload.h"

static void test_lists(void **state)
{
    static const struct {
        const char *needs, *old, *own, *wanted;
    } cases[] = {
        {"", NULL, NULL, "/x/shim.so"},
        {"", "", NULL, "/x/shim.so"},
        {"", "a.so b.so", NULL, "/x/shim.so:a.so:b.so"},
        {"", "/x/shim.so:a.so", NULL, "/x/shim.so:a.so"},
        {"", "a.so:/x/shim.so", NULL, "a.so:/x/shim.so"}, /* it is there: their order */
        {"libasan.so.8", "a.so", NULL, "libasan.so.8:/x/shim.so:a.so"},
        {"libasan.so.8", "libasan.so.8:/x/shim.so", "libasan.so.8", "libasan.so.8:/x/shim.so"},
        {"", "libasan.so.8:/x/shim.so:a.so", "libasan.so.8", "/x/shim.so:a.so"},    /* of the program before */
        {"", "/lib/libasan.so.8:/x/shim.so", NULL, "/lib/libasan.so.8:/x/shim.so"}, /* the user's */
        {"", "/x/shim.so : a.so::libtsan.so.2", NULL, "libtsan.so.2:/x/shim.so:a.so"},
        {"libtsan.so.2", "libasan.so.8:/x/shim.so", "libasan.so.8", "libtsan.so.2:/x/shim.so"},
        {"", "mylibasan.so", NULL, "/x/shim.so:mylibasan.so"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct preload_program program = {0};
        strcpy(program.sanitizer, cases[i].needs);
        const size_t room = preload_list(NULL, 0, &program, "/x/shim.so", cases[i].old, cases[i].own);
        char *list = malloc(room);
        assert_int_equal(preload_list(list, room, &program, "/x/shim.so", cases[i].old, cases[i].own), room);
        assert_string_equal(list, cases[i].wanted);
        assert_int_equal(strlen(list) + 1, room);
        free(list);
    }
}

static void test_options(void **state)
{
    char first[256], second[256];
    (void)state;
    for (unsigned i = 0; i < PRELOAD_OPTIONS; i++) {
        preload_options_list(first, sizeof first, i, "a=1");
        assert_non_null(strstr(first, ":a=1"));
        assert_int_equal(preload_options_list(second, sizeof second, i, first), strlen(first) + 1);
        assert_string_equal(second, first); /* handed on from program to program */
    }
    assert_int_equal(preload_sanitizers("/x/shim.so:/lib/libasan.so.8 libtsan.so.2"), 3);
    assert_int_equal(preload_sanitizers("libm.so.6:/libasan.so.8/libm.so"), 0);
}

static void test_find(void **state)
{
    char path[PRELOAD_PATH] = "untouched";
    (void)state;
    assert_false(preload_find("no-such-program", "/bin:/usr/bin", path));
    assert_string_equal(path, "untouched");
    assert_true(preload_find("sh", "/nowhere::/bin", path));
    assert_string_equal(path, "/bin/sh");
    assert_true(preload_find("sh", NULL, path));
    assert_true(preload_find("/bin/sh", NULL, path));
}

static void file_write(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static void test_files(void **state)
{
    char path[] = "/tmp/preload.XXXXXX";
    static char bytes[8192];
    struct preload_program program;
    FILE *shell = fopen("/bin/sh", "rb");
    (void)state;
    preload_inspect("/bin/sh", &program);
    assert_null(program.why);
    assert_int_equal(program.sanitizers, 0);
    preload_inspect("/no/such/file", &program);
    assert_null(program.why);
    preload_inspect("/dev/null", &program);
    close(mkstemp(path));
    file_write(path, "#! /bin/sh -e\n", 14); /* as its interpreter */
    preload_inspect(path, &program);
    assert_null(program.why);
    assert_non_null(shell);
    const size_t size = fread(bytes, 1, sizeof bytes, shell);
    fclose(shell);
    for (size_t cut = 0; cut <= size; cut += cut < 1024 ? 1 : 97) {
        file_write(path, bytes, cut);
        preload_inspect(path, &program);
    }
    for (size_t at = 0; at < 1024; at++)
        for (unsigned change = 0; change < 2; change++) {
            const char kept = bytes[at];
            bytes[at] = change ? (char)0xff : (char)(kept ^ 0x80);
            file_write(path, bytes, size);
            preload_inspect(path, &program);
            bytes[at] = kept;
        }
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
