/* SPDX-License-Identifier: Apache-2.0
 * The kernel table: what is told together, what stands apart, and how lines fit a width.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "metrics/metrics.h"

static struct kernel_row row_make(const char *name, uint64_t start)
{
    struct kernel_row row = {.process = 3,
                             .gpu = 1,
                             .queue = 2,
                             .grid = {64, 3, 1},
                             .group = {32, 1, 1},
                             .start = start,
                             .end = start + 200,
                             .wavefronts = 6,
                             .instructions = 500,
                             .name = name};

    return row;
}

static char *printed(const struct kernel_row *rows, unsigned count, int width)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    table_print(out, rows, count, width);
    fclose(out);
    return text;
}

static void check(const struct kernel_row *rows, unsigned count, int width, const char *expected)
{
    char *text = printed(rows, count, width);

    assert_string_equal(text, expected);
    free(text);
}

static void one_launch(void **state)
{
    struct kernel_row row = row_make("vector_add", 100);

    (void)state;
    check(&row, 0, 0, "");
    check(&row, 1, 0,
          "gpu queue kernel             grid  group start end cycles waves instructions   IPC\n"
          "  1     2 vector_add       64,3,1 32,1,1   100 300    200     6          500 2.500\n");
}

/* From the first start to the last end; cycles, wavefronts and instructions are sums. */
static void repeated_launches_are_one_line(void **state)
{
    struct kernel_row rows[] = {row_make("a", 100), row_make("b", 300), row_make("a", 1000), row_make("a", 2000)};

    (void)state;
    rows[3].instructions = 800;
    check(rows, 4, 0,
          "gpu queue kernel           runs   grid  group start  end cycles waves instructions   IPC\n"
          "  1     2 a                   3 64,3,1 32,1,1   100 2200    600    18         1800 3.000\n"
          "  1     2 b                   1 64,3,1 32,1,1   300  500    200     6          500 2.500\n");
}

/* Every field that tells launches apart makes a line of its own. */
static void different_launches_are_not(void **state)
{
    struct kernel_row rows[8];

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        rows[i] = row_make("a", 100);
    rows[1].process++, rows[2].gpu++, rows[3].queue++, rows[4].grid[2]++, rows[5].group[1]++, rows[6].unfinished = true;
    rows[7].name = "b";
    char *text = printed(rows, 8, 0);
    unsigned lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 9);
    assert_null(strstr(text, "runs"));
    assert_memory_equal(text, "process gpu ", 12); /* several processes: a column */
    free(text);
}

/* shows B.6: kernels without cycles stand apart from those with, and have dashes. */
static void kernels_without_cycles_have_dashes(void **state)
{
    struct kernel_row rows[3] = {row_make("add", 100), row_make("add", 400), row_make("add", 700)};

    (void)state;
    rows[0].untimed = rows[2].untimed = true;
    check(rows, 3, 0,
          "gpu queue kernel           runs   grid  group start end cycles waves instructions   IPC\n"
          "  1     2 add                 2 64,3,1 32,1,1     -   -      -    12         1000     -\n"
          "  1     2 add                 1 64,3,1 32,1,1   400 600    200     6          500 2.500\n");
    assert_int_equal(row_cycles(&rows[0]), 0);
    assert_true(row_ipc(&rows[0]) == 0.0);
    rows[0].unfinished = true;
    check(rows, 1, 0,
          "gpu queue kernel             grid  group start        end cycles waves instructions IPC\n"
          "  1     2 add              64,3,1 32,1,1     - unfinished      -     -            -   -\n");
}

static void unfinished_kernels_say_so(void **state)
{
    struct kernel_row row = row_make("slow", 100);

    (void)state;
    row.unfinished = true, row.end = 0, row.wavefronts = row.instructions = 0;
    check(&row, 1, 0,
          "gpu queue kernel             grid  group start        end cycles waves instructions IPC\n"
          "  1     2 slow             64,3,1 32,1,1   100 unfinished      -     -            -   -\n");
}

static void copies_and_fills_stand_apart(void **state)
{
    struct kernel_row rows[] = {row_make("rocr.copy_aligned", 1), row_make("mine", 2),
                                row_make("__amd_rocclr_fillBufferAligned", 3)};

    (void)state;
    check(rows, 3, 0,
          "gpu queue kernel                           grid  group start end cycles waves instructions   IPC\n"
          "  1     2 mine                           64,3,1 32,1,1     2 202    200     6          500 2.500\n"
          "copies and fills:\n"
          "  1     2 rocr.copy_aligned              64,3,1 32,1,1     1 201    200     6          500 2.500\n"
          "  1     2 __amd_rocclr_fillBufferAligned 64,3,1 32,1,1     3 203    200     6          500 2.500\n");
}

static void kernels_are_named_as_in_the_source(void **state)
{
    static const char *const names[][2] = {{"_Z6vecaddPfPKfS1_i", " vecadd "},
                                           {"_ZN4blur5applyILi3EEEvPK15HIP_vector_typeIfLj4EEj", " blur::apply<3> "},
                                           {"_Z3runIPFviEEvT_S1_", " run<void (*)(int)> "},
                                           {"plain_c", " plain_c "},
                                           {"_Zmangled?", " _Zmangled? "}};

    (void)state;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct kernel_row row = row_make(names[i][0], 100);
        char *text = printed(&row, 1, 0);

        assert_non_null(strstr(text, names[i][1]));
        free(text);
    }
}

/* Long names give way in their middle, then columns go; no line is longer. */
static void lines_fit_the_width(void **state)
{
    struct kernel_row row = row_make("a_very_long_name_of_a_kernel_that_does_nothing_but_have_a_name", 100);

    (void)state;
    for (int width = 60; width < 200; width++) {
        char *text = printed(&row, 1, width), *rest = text;

        for (char *line; (line = strsep(&rest, "\n"));)
            assert_true((int)strlen(line) <= width);
        free(text);
    }
    check(&row, 1, 96,
          "gpu queue kernel                           grid  group start end cycles waves instructions   IPC\n"
          "  1     2 a_very_long_na..ut_have_a_name 64,3,1 32,1,1   100 300    200     6          500 2.500\n");
    check(&row, 1, 70,
          "gpu queue kernel             grid cycles waves instructions   IPC\n"
          "  1     2 a_very_.._a_name 64,3,1    200     6          500 2.500\n");
}

/* Two kernels whose names of 430 characters differ in one, wherever it is, are two lines; without a width they are
 * whole. */
static void long_names_are_apart(void **state)
{
    (void)state;
    for (unsigned differs = 100; differs < 430; differs += 55) {
        char names[2][431];
        struct kernel_row rows[4];
        for (unsigned n = 0; n < 2; n++) {
            memset(names[n], 'k', 430);
            names[n][430] = 0;
            names[n][differs] = (char)('a' + n);
            rows[n] = rows[n + 2] = row_make(names[n], 100);
        }
        char *text = printed(rows, 4, 0), *narrow = printed(rows, 4, 80);
        assert_non_null(strstr(text, names[0]));
        assert_non_null(strstr(text, names[1]));
        for (char *at = strtok(narrow, "\n"); at; at = strtok(NULL, "\n"))
            assert_true(strlen(at) <= 80);
        free(text);
        free(narrow);
    }
}

/* Names come from code objects: they move no cursor, and what is cut is cut between characters. */
static void names_are_text(void **state)
{
    struct kernel_row row = row_make("a\n\x1b[2Jgantry: kernels=1\xff", 100);
    char *text = printed(&row, 1, 0);

    (void)state;
    assert_non_null(strstr(text, " a\\x0a\\x1b[2Jgantry: kernels=1\\xff "));
    free(text);
    char letters[120] = "";
    for (unsigned i = 0; i < 30; i++)
        strcat(letters, i % 2 ? "\xc3\xbc" : "\xe2\x82\xac");
    row.name = letters;
    for (int width = 60; width < 150; width++) {
        text = printed(&row, 1, width);
        for (const char *at = text; *at; at++) {
            size_t bytes = text_utf8(at);
            assert_true(bytes > 0);
            at += bytes - 1;
        }
        assert_true(strlen(strchr(text, '\n') + 1) <= (size_t)width + 1);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_launch),
                                       cmocka_unit_test(repeated_launches_are_one_line),
                                       cmocka_unit_test(different_launches_are_not),
                                       cmocka_unit_test(unfinished_kernels_say_so),
                                       cmocka_unit_test(kernels_without_cycles_have_dashes),
                                       cmocka_unit_test(copies_and_fills_stand_apart),
                                       cmocka_unit_test(kernels_are_named_as_in_the_source),
                                       cmocka_unit_test(lines_fit_the_width),
                                       cmocka_unit_test(long_names_are_apart),
                                       cmocka_unit_test(names_are_text)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
