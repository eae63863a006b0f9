// SPDX-License-Identifier: Apache-2.0
// host/metrics: the final line, the hash over every field of a row, files of the result folder with
// awkward names, and a folder whose files cannot be written.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "config/config.h"
#include "metrics/metrics.h"

static struct config config;
static char folder[] = "/tmp/gantry-metrics-XXXXXX";

static struct kernel_row row_make(void)
{
    struct kernel_row row = {.process = 3,
                             .gpu = 1,
                             .queue = 2,
                             .grid = {64, 3, 1},
                             .group = {32, 1, 1},
                             .start = 100,
                             .end = 300,
                             .groups = 12,
                             .dispatcher = 5,
                             .beside = 2,
                             .wavefronts = 6,
                             .instructions = 500};

    strcpy(row.name, "odd \"name\", with comma\n\xff");
    return row;
}

static struct summary summary_make(const struct kernel_row *row)
{
    static const char *const argv[] = {"gantry", "run", "a\"b\\c\n", NULL};
    struct summary s = {.argv = argv,
                        .cfg = &config.cfg,
                        .model = "rtl",
                        .rows = row,
                        .row_count = 1,
                        .cycles = 1234,
                        .instructions = 500,
                        .cpu_s = 0.25,
                        .repeatable = true,
                        .hash = 0x1f,
                        .data = 0xabc,
                        .counters = 0xc0,
                        .now = 1300};

    return s;
}

static char *printed(void (*fn)(FILE *, const struct summary *), const struct summary *s)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    fn(out, s);
    fclose(out);
    return text;
}

static void final_line(void **state)
{
    struct kernel_row row = row_make();
    struct summary s = summary_make(&row);
    char *text = printed(line_print, &s);

    (void)state;
    assert_string_equal(
        text, "gantry: gpus=1 kernels=1 cycles=1234 instructions=500 cpu_s=0.25 inst_per_cpu_s=2000 repeatable=yes "
              "hash=000000000000001f data=0000000000000abc counters=00000000000000c0 now=1300\n");
    free(text);
    s.repeatable = false;
    s.cpu_s = 0;
    text = printed(line_print, &s);
    assert_non_null(strstr(text, " inst_per_cpu_s=0 repeatable=no "));
    free(text);
    row.unfinished = true; /* is no kernel of the figures */
    text = printed(line_print, &s);
    assert_non_null(strstr(text, " kernels=0 "));
    free(text);
}

static void every_field_counts(void **state)
{
    struct kernel_row base = row_make();
    uint64_t seen[10] = {summary_hash(&base, 1, NULL), summary_hash(&base, 0, NULL)};
    struct kernel_row rows[8];

    (void)state;
    for (unsigned i = 0; i < 8; i++)
        rows[i] = base;
    rows[0].gpu++, rows[1].queue++, rows[2].grid[1]++, rows[3].group[2]++, rows[4].start++, rows[5].end++,
        rows[6].instructions++;
    rows[7].name[0] = 'O';
    for (unsigned i = 0; i < 8; i++)
        seen[i + 2] = summary_hash(&rows[i], 1, NULL);
    for (unsigned i = 0; i < 10; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    assert_true(summary_hash(&base, 1, NULL) == seen[0]);
    base.unfinished = true;
    assert_true(summary_hash(&base, 1, NULL) == seen[1]);
}

static int text_take(void *to, int columns, char **values, char **names)
{
    (void)columns, (void)names;
    strncpy(to, values[0], 99);
    return 0;
}

static void folder_written(void **state)
{
    struct kernel_row row = row_make();
    struct summary s = summary_make(&row);
    struct results *results = NULL;
    char path[160], text[8192] = "", name[100] = "";
    FILE *file;
    sqlite3 *db;

    (void)state;
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    assert_int_equal(results_write(results, &s, NULL), STATUS_OK);
    assert_int_equal(results_write(results, &s, NULL), STATUS_OK); /* replaces */
    assert_int_equal(results_close(results), STATUS_OK);
    snprintf(path, sizeof(path), "%s/kernels.csv", folder);
    file = fopen(path, "r");
    assert_non_null(fgets(text, sizeof(text), file));
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_string_equal(
        text,
        "1,2,\"odd \"\"name\"\", with comma\\x0a\\xff\",64,3,1,32,1,1,100,300,200,6,500,2.500000,3,12,1,rtl,5,2\n");
    row.untimed = true;
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    assert_int_equal(results_write(results, &s, NULL), STATUS_OK);
    assert_int_equal(results_close(results), STATUS_OK);
    snprintf(path, sizeof(path), "%s/kernels.csv", folder);
    file = fopen(path, "r");
    assert_non_null(fgets(text, sizeof(text), file));
    assert_non_null(fgets(text, sizeof(text), file));
    fclose(file);
    assert_string_equal(
        text,
        "1,2,\"odd \"\"name\"\", with comma\\x0a\\xff\",64,3,1,32,1,1,100,300,0,6,500,0.000000,3,12,1,golden,5,2\n");
    snprintf(path, sizeof(path), "%s/run.json", folder);
    file = fopen(path, "r");
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(text, "\"command\": [\"gantry\", \"run\", \"a\\\"b\\\\c\\u000a\"]"));
    assert_non_null(strstr(text, "\"hash\": \"000000000000001f\""));
    assert_non_null(strstr(text, "\"counters\": \"00000000000000c0\",\n  \"now\": 1300,\n  \"complete\": false,"));
    snprintf(path, sizeof(path), "%s/metrics.sqlite", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "SELECT kernel FROM kernels WHERE \"end\"=300", text_take, name, NULL),
                     SQLITE_OK);
    assert_string_equal(name, "odd \"name\", with comma\\x0a\\xff");
    assert_int_equal(sqlite3_exec(db, "SELECT count(*) FROM metrics WHERE location='run'", text_take, name, NULL),
                     SQLITE_OK);
    assert_string_equal(name, "5");
    sqlite3_close(db);
}

static void lost_files(void **state)
{
    struct kernel_row row = row_make();
    struct summary s = summary_make(&row);
    struct results *results = NULL;
    char path[160];

    (void)state;
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    snprintf(path, sizeof(path), "%s/kernels.csv", folder);
    unlink(path);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_int_equal(results_write(results, &s, NULL), STATUS_IO);
    unlink(path);
    snprintf(path, sizeof(path), "%s/metrics.sqlite", folder);
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(results_write(results, &s, NULL), STATUS_IO);
    rmdir(path);
    assert_int_equal(results_close(results), STATUS_OK);
    snprintf(path, sizeof(path), "%s/log.txt", folder);
    unlink(path);
    assert_int_equal(symlink("/dev/full", path), 0);
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    fputs("lost", results_log(results));
    assert_int_equal(results_close(results), STATUS_IO);
}

static int setup(void **state)
{
    (void)state;
    config_init(&config);
    return config_finish(&config) == STATUS_OK && mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    char command[160];

    (void)state;
    config_fini(&config);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(final_line), cmocka_unit_test(every_field_counts),
                                       cmocka_unit_test(folder_written), cmocka_unit_test(lost_files)};

    return cmocka_run_group_tests(tests, setup, teardown);
}
