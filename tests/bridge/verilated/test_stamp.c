// SPDX-License-Identifier: Apache-2.0
// Stamps by themselves: their names, and line by line which of them are an answer.
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

#include "bridge/verilated/stamp.h"

static char root[] = "/tmp/gantry-stamp-XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Two sources with known times, two libraries in folders of their own. */
static int make_root(void **state)
{
    static const char *const folders[] = {"build", "build/models", "build/models/stamps", "cache", "cache/stamps", "a",
                                          "b"};
    const struct timespec times[2] = {{5, 0}, {1700000000, 123456789}};
    char path[200];
    (void)state;
    if (mkdtemp(root) == NULL)
        return 1;
    for (unsigned n = 0; n < sizeof folders / sizeof *folders; n++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[n]);
        if (mkdir(path, 0755) != 0)
            return 1;
    }
    write_text("one two", "12345"); /* a name may have spaces */
    write_text("other", "");
    write_text("a/V", "");
    write_text("b/V", "");
    snprintf(path, sizeof path, "%s/one two", root);
    return utimensat(AT_FDCWD, path, times, 0);
}

static int remove_root(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", root);
    return system(command);
}

/* What a stamp of this text answers, NULL: ask; to be freed. */
static char *answer_of(const char *text)
{
    write_text("build/models/stamps/x", text);
    return stamp_answer(root, "x");
}

#define SAME "in 5 1700000000123456789 one two\n"
#define OUT "out cu a/V\n"

/* Each source is as it was, to the byte and the nanosecond, each library is there, and the last line is there. */
static void test_what_is_no_answer(void **state)
{
    static const char *const texts[] = {"",
                                        SAME OUT,
                                        SAME OUT "en\n",
                                        SAME OUT "ending\n",
                                        "in 4 1700000000123456789 one two\n" OUT "end\n",
                                        "in 6 1700000000123456789 one two\n" OUT "end\n",
                                        "in 5 1700000000123456788 one two\n" OUT "end\n",
                                        "in 5 1700000001123456789 one two\n" OUT "end\n",
                                        "in 5 123456789 one two\n" OUT "end\n",
                                        "in 5 1700000000123456789 one\n" OUT "end\n",
                                        "in 5 1700000000123456789  one two\n" OUT "end\n",
                                        SAME "in 1 1 other\n" OUT "end\n",
                                        "in 1 1 other\n" SAME OUT "end\n",
                                        SAME "out cu a/W\nend\n",
                                        SAME "out cu\nend\n",
                                        SAME "out cu a/W\nout l2 b/V\nend\n",
                                        SAME "ou cu a/V\nend\n",
                                        SAME "out:cu a/V\nend\n",
                                        "in:5 1700000000123456789 one two\n" OUT "end\n",
                                        "\n" SAME OUT "end\n"};
    (void)state;
    for (unsigned n = 0; n < sizeof texts / sizeof *texts; n++) {
        char *text = answer_of(texts[n]);
        if (text)
            fail_msg("stamp %u answers \"%s\"", n, text);
    }
    assert_null(stamp_answer(root, "none"));
}

static time_t used(const char *folder)
{
    char path[200];
    struct stat st;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    assert_int_equal(stat(path, &st), 0);
    return st.st_mtim.tv_sec;
}

/* The lines that the builder would say, with whole paths, in order; what it names counts as used, and what stands
 * behind the end is not read. */
static void test_answers(void **state)
{
    char expected[300], text[300], path[200];
    const struct timespec old[2] = {{1000, 0}, {1000, 0}};
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        snprintf(path, sizeof path, "%s/%s", root, n ? "b" : "a");
        assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    }
    char *answer = answer_of(SAME OUT "end\nwhat\n");
    snprintf(expected, sizeof expected, "cu %s/a/V\n", root);
    assert_string_equal(answer, expected);
    free(answer);
    assert_true(used("a") > 1000 && used("b") == 1000);
    snprintf(text, sizeof text, "in 5 1700000000123456789 %s/one two\nout l2 %s/b/V\n" OUT "end", root, root);
    answer = answer_of(text);
    snprintf(expected, sizeof expected, "l2 %s/b/V\ncu %s/a/V\n", root, root);
    assert_string_equal(answer, expected);
    free(answer);
    assert_true(used("b") > 1000);
    answer = answer_of("end\n"); /* it read nothing and found nothing */
    assert_string_equal(answer, "");
    free(answer);
}

/* Another cache is where the environment says, unless it says nothing. */
static void test_cache(void **state)
{
    char path[200];
    (void)state;
    write_text("cache/stamps/y", "end\n");
    write_text("build/models/stamps/z", "end\n");
    snprintf(path, sizeof path, "%s/cache", root);
    for (unsigned n = 0; n < 3; n++) {
        if (n)
            setenv("GANTRY_MODEL_CACHE", n == 1 ? path : "", 1);
        char *y = stamp_answer(root, "y"), *z = stamp_answer(root, "z");
        assert_true((y != NULL) == (n == 1) && (z != NULL) == (n != 1));
        free(y);
        free(z);
    }
    unsetenv("GANTRY_MODEL_CACHE");
}

/* Where the tree's cache has none that holds, a cache of the user's own may; one that others may write is no answer. */
static void test_own_caches(void **state)
{
    static const char *const folders[] = {
        "x",        "x/gantry",        "x/gantry/models",        "x/gantry/models/stamps",       "h",
        "h/.cache", "h/.cache/gantry", "h/.cache/gantry/models", "h/.cache/gantry/models/stamps"};
    char path[200], home[200], *kept = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    (void)state;
    for (unsigned n = 0; n < sizeof folders / sizeof *folders; n++) {
        snprintf(path, sizeof path, "%s/%s", root, folders[n]);
        assert_int_equal(mkdir(path, 0755), 0);
    }
    write_text("build/models/stamps/o", "in 1 1 other\nend\n"); /* it has changed */
    write_text("x/gantry/models/stamps/o", "end\n");
    write_text("h/.cache/gantry/models/stamps/o", OUT "end\n");
    snprintf(path, sizeof path, "%s/x", root);
    snprintf(home, sizeof home, "%s/h", root);
    for (unsigned n = 0; n < 4; n++) {
        setenv("XDG_CACHE_HOME", n & 1 ? path : "relative", 1);
        setenv("HOME", n & 2 ? home : "/nonexistent", 1);
        char *answer = stamp_answer(root, "o");
        assert_int_equal(answer != NULL, n != 0);
        assert_true(!answer || (*answer != 0) == !(n & 1)); /* the first that answers */
        free(answer);
    }
    snprintf(path, sizeof path, "%s/x/gantry/models/stamps/o", root);
    assert_int_equal(chmod(path, 0666), 0);
    char *answer = stamp_answer(root, "o");
    assert_true(answer && *answer); /* of the next one */
    free(answer);
    if (kept)
        setenv("HOME", kept, 1);
    free(kept);
    unsetenv("XDG_CACHE_HOME");
}

/* Optimization and processor are part of the name, also where they are set to nothing. */
static void test_environment(void **state)
{
    static const struct {
        const char *opt, *march;
    } cases[] = {{NULL, NULL},     {"", NULL},       {"-O1", NULL},    {"-O2", NULL},
                 {NULL, "znver3"}, {NULL, "znver4"}, {"-O1", "znver3"}};
    char *const words[] = {(char *)"a", NULL};
    char *all[sizeof cases / sizeof *cases];
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        if (cases[n].opt)
            setenv("GANTRY_MODEL_OPT", cases[n].opt, 1);
        if (cases[n].march)
            setenv("GANTRY_MARCH", cases[n].march, 1);
        all[n] = stamp_name(words);
        unsetenv("GANTRY_MODEL_OPT");
        unsetenv("GANTRY_MARCH");
        for (unsigned k = 0; k < n; k++)
            assert_string_not_equal(all[n], all[k]);
    }
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++)
        free(all[n]);
}

/* The order and the ends of words matter to a stamp's name, and the processor does. */
static void test_stamp_names(void **state)
{
    static char *const lists[][4] = {{(char *)"a", (char *)"b"}, {(char *)"b", (char *)"a"}, {(char *)"a"}, {NULL}};
    char *names[4];
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        names[n] = stamp_name(lists[n]);
        assert_int_equal(strlen(names[n]), 16);
        for (unsigned k = 0; k < n; k++)
            assert_string_not_equal(names[n], names[k]);
    }
#ifdef __x86_64__
    char words_alone[17];
    snprintf(words_alone, sizeof words_alone, "%016llx", (unsigned long long)XXH64("a", 1, 0));
    assert_string_not_equal(names[2], words_alone);
#endif
    char *again = stamp_name(lists[0]);
    assert_string_equal(again, names[0]);
    free(again);
    for (unsigned n = 0; n < 4; n++)
        free(names[n]);
}

int main(void)
{
    static const char *const variables[] = {"GANTRY_MODEL_CACHE", "GANTRY_MODEL_OPT", "GANTRY_MARCH"};
    for (unsigned n = 0; n < 3; n++)
        unsetenv(variables[n]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_no_answer), cmocka_unit_test(test_answers),     cmocka_unit_test(test_cache),
        cmocka_unit_test(test_environment),       cmocka_unit_test(test_stamp_names), cmocka_unit_test(test_own_caches),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
