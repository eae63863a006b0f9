// SPDX-License-Identifier: Apache-2.0
// Sealed files by themselves: what is opened, and why something is not.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

#include "bridge/verilated/seal.h"

#define BYTES ((size_t)(3 << 20) + 17) /* more than one piece */

static char root[] = "/tmp/gantry-seal-XXXXXX", file[64], sum[64];
static char content[BYTES];

static void put(const char *path, const void *bytes, size_t count)
{
    unlink(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    fclose(f);
    assert_int_equal(chmod(path, 0644), 0);
}

static void sealed(size_t count)
{
    char text[64];
    put(file, content, count);
    snprintf(text, sizeof text, "%016llx %zu\n", (unsigned long long)XXH3_64bits(content, count), count);
    put(sum, text, strlen(text));
    assert_int_equal(chmod(root, 0755), 0);
}

static int make_root(void **state)
{
    (void)state;
    for (size_t i = 0; i < BYTES; i++)
        content[i] = (char)(i * 2654435761u >> 13);
    snprintf(file, sizeof file, "%s/V", mkdtemp(root));
    snprintf(sum, sizeof sum, "%s/V.sum", root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    unlink(file);
    unlink(sum);
    return rmdir(root);
}

static void opens(const char *expected)
{
    const char *why;
    char first[8];
    const int fd = seal_open(file, &why);
    if (expected == NULL) {
        assert_null(why);
        assert_true(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
        assert_true(pread(fd, first, sizeof first, 0) >= 0);
        close(fd);
        return;
    }
    assert_int_equal(fd, -1);
    assert_string_equal(why, expected);
}

/* Of any size; whoever looks has its own place in the file. */
static void what_is_whole(void **state)
{
    static const size_t sizes[] = {0, 1, 240, 4096, (size_t)1 << 20, BYTES};
    (void)state;
    for (unsigned n = 0; n < sizeof sizes / sizeof *sizes; n++) {
        sealed(sizes[n]);
        opens(NULL);
        opens(NULL);
    }
}

/* One bit anywhere, a byte less or more, nothing. */
static void what_is_damaged(void **state)
{
    static const size_t places[] = {0, 4097, ((size_t)1 << 20) - 1, (size_t)1 << 20, BYTES - 1};
    (void)state;
    for (unsigned n = 0; n < sizeof places / sizeof *places; n++) {
        sealed(BYTES);
        content[places[n]] ^= (char)(1 << n);
        put(file, content, BYTES);
        content[places[n]] ^= (char)(1 << n);
        opens("damaged (check sum)");
    }
    for (unsigned n = 0; n < 2; n++) {
        sealed(BYTES - 5);
        put(file, content, BYTES - (n ? 4 : 6));
        opens("damaged (check sum)");
    }
    sealed(BYTES);
    put(file, "", 0);
    opens("damaged (check sum)");
}

static void seals_that_are_none(void **state)
{
    (void)state;
    sealed(100);
    put(sum, "", 0);
    opens("cannot be read");
    put(sum, "no number", 9);
    opens("damaged (check sum)");
    sealed(100);
    assert_int_equal(truncate(sum, 16), 0); /* without the size */
    opens("damaged (check sum)");
    unlink(sum);
    opens("without a seal");
    sealed(100);
    assert_int_equal(chmod(sum, 0666), 0);
    opens("without a seal");
    unlink(sum);
    assert_int_equal(symlink("V", sum), 0);
    opens("without a seal");
}

/* Who else may write the file or its folder may have put anything there; so may its owner. */
static void whom_it_belongs_to(void **state)
{
    (void)state;
    for (unsigned bit = 020; bit; bit = bit == 020 ? 002 : 0) {
        sealed(100);
        assert_int_equal(chmod(file, 0644 | bit), 0);
        opens("somebody else may write it");
        sealed(100);
        assert_int_equal(chmod(root, 0755 | bit), 0);
        opens("somebody else may write its folder");
    }
    struct stat st = {.st_uid = geteuid(), .st_mode = S_IFREG | 0755};
    assert_true(seal_trusted(&st));
    st.st_uid = 0;
    assert_true(seal_trusted(&st));
    st.st_uid = geteuid() + 12345;
    assert_false(seal_trusted(&st));
}

static void what_is_no_file(void **state)
{
    (void)state;
    sealed(100);
    unlink(file);
    opens("No such file or directory");
    assert_int_equal(symlink("V.sum", file), 0);
    opens("Too many levels of symbolic links");
    unlink(file);
    assert_int_equal(mkfifo(file, 0644), 0); /* nobody writes: nobody is waited for */
    opens("no regular file");
    unlink(file);
    const char *why;
    assert_int_equal(seal_open("/proc/nowhere/V", &why), -1);
    assert_string_equal(why, "No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_whole),      cmocka_unit_test(what_is_damaged), cmocka_unit_test(seals_that_are_none),
        cmocka_unit_test(whom_it_belongs_to), cmocka_unit_test(what_is_no_file),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
