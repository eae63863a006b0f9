// SPDX-License-Identifier: Apache-2.0
// host/metrics: the final line, the hash over every field of a row, files of the result folder with
// awkward names, and a folder whose files cannot be written.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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
                             .number = 9,
                             .wavefronts = 6,
                             .instructions = 500,
                             .name = "odd \"name\", with comma\n\xff"};

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
    rows[7].name = "Odd \"name\", with comma\n\xff";
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
        "1,2,\"odd \"\"name\"\", with comma\\x0a\\xff\",64,3,1,32,1,1,100,300,200,6,500,2.500000,3,12,1,rtl,5,2,9\n");
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
        "1,2,\"odd \"\"name\"\", with comma\\x0a\\xff\",64,3,1,32,1,1,100,300,0,6,500,0.000000,3,12,1,golden,5,2,9\n");
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

/* A name in the folder. */
static const char *in(const char *name)
{
    static char path[2][160];
    static unsigned turn;

    snprintf(path[turn ^= 1], sizeof(path[0]), "%s/%s", folder, name);
    return path[turn];
}

static bool is_there(const char *name)
{
    struct stat info;

    return lstat(in(name), &info) == 0;
}

static void text_write(const char *name, const char *text)
{
    FILE *file = fopen(in(name), "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static bool text_is(const char *name, const char *expected)
{
    FILE *file = fopen(in(name), "r");
    char text[256];

    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    return strcmp(text, expected) == 0;
}

/* Files of at most so many bytes. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Two kernels whose names of 430 characters differ in the last one alone: whole, and two of them, in the table and in
 * the database. */
static void long_names_are_whole(void **state)
{
    char names[2][431], found[1000] = "", *text = NULL;
    struct kernel_row rows[2] = {row_make(), row_make()};
    struct summary s = summary_make(rows);
    struct results *results = NULL;
    sqlite3 *db;

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        memset(names[n], 'k', 430);
        names[n][429] = (char)('a' + n);
        names[n][430] = 0;
        rows[n].name = names[n];
    }
    s.row_count = 2;
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    assert_int_equal(results_write(results, &s, NULL), STATUS_OK);
    assert_int_equal(results_close(results), STATUS_OK);
    size_t room = 0;
    FILE *table = fopen(in("kernels.csv"), "r");
    assert_non_null(table);
    assert_true(getdelim(&text, &room, 0, table) > 860);
    fclose(table);
    for (unsigned n = 0; n < 2; n++) {
        char quoted[900];
        snprintf(quoted, sizeof quoted, ",\"%s\",", names[n]);
        assert_non_null(strstr(text, quoted));
    }
    free(text);
    assert_int_equal(sqlite3_open(in("metrics.sqlite"), &db), SQLITE_OK);
    for (unsigned n = 0; n < 2; n++) {
        char query[1000];
        snprintf(query, sizeof query, "select count(distinct kernel) || ' ' || sum(kernel = '%s') from kernels",
                 names[n]);
        assert_int_equal(sqlite3_exec(db, query, text_take, found, NULL), SQLITE_OK);
        assert_string_equal(found, "2 1");
    }
    sqlite3_close(db);
}

/* What cannot be written is told; the results of the run before stay whole, beside the log of this one. */
static void lost_files(void **state)
{
    struct kernel_row row = row_make();
    struct summary s = summary_make(&row);
    struct results *results = NULL;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    for (rlim_t bytes = 100; bytes < 3000; bytes += 2000) { /* kernels.csv does not fit; the database does not */
        text_write("kernels.csv", "old");
        text_write("metrics.sqlite", "old");
        text_write("run.json", "old");
        text_write("log.txt", "old");
        assert_int_equal(results_open(folder, &results), STATUS_OK);
        fputs("new", results_log(results));
        limit_files(bytes);
        assert_int_equal(results_write(results, &s, NULL), STATUS_IO);
        limit_files(RLIM_INFINITY);
        assert_int_equal(results_close(results), STATUS_OK);
        assert_true(text_is("kernels.csv", "old") && text_is("metrics.sqlite", "old") && text_is("run.json", "old"));
        assert_true(text_is("log.txt", "new"));
        assert_false(is_there("kernels.csv.part") || is_there("metrics.sqlite.part") || is_there("run.json.part"));
    }
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    assert_int_equal(results_write(results, &s, NULL), STATUS_OK);
    limit_files(3);
    fputs("lost", results_log(results));
    assert_int_equal(results_close(results), STATUS_IO);
    limit_files(RLIM_INFINITY);
}

/* A start that fails leaves old results and nothing of its own, and a folder in the way shows before the run. */
static void start_that_fails(void **state)
{
    struct results *results = NULL;

    (void)state;
    text_write("run.json", "old");
    text_write("log.txt", "old");
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    fputs("new", results_log(results));
    assert_true(text_is("run.json", "old") && text_is("log.txt", "old"));
    assert_int_equal(results_close(results), STATUS_OK);
    assert_true(text_is("run.json", "old") && text_is("log.txt", "old") && !is_there("log.txt.part"));
    assert_int_equal(results_open(in("new"), &results), STATUS_OK);
    assert_int_equal(results_close(results), STATUS_OK);
    assert_false(is_there("new"));
    for (const char *const *name = (const char *const[]){"kernels.csv", "metrics.sqlite", "run.json", "log.txt", NULL};
         *name; name++) {
        unlink(in(*name));
        assert_int_equal(mkdir(in(*name), 0777), 0);
        assert_int_equal(results_open(folder, &results), STATUS_IO);
        assert_false(is_there("log.txt.part") || is_there("run.json.part"));
        rmdir(in(*name));
    }
}

/* Neither a link that is one of the results nor one in the way of a new file is followed. */
static void links_are_not_followed(void **state)
{
    struct kernel_row row = row_make();
    struct summary s = summary_make(&row);
    struct results *results = NULL;
    static const char *const links[] = {"kernels.csv",      "metrics.sqlite",      "run.json",      "log.txt",
                                        "kernels.csv.part", "metrics.sqlite.part", "run.json.part", "log.txt.part"};

    (void)state;
    text_write("victim", "mine");
    for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        unlink(in(links[i]));
        assert_int_equal(symlink("victim", in(links[i])), 0);
    }
    assert_int_equal(results_open(folder, &results), STATUS_OK);
    assert_int_equal(results_write(results, &s, NULL), STATUS_OK);
    assert_int_equal(results_close(results), STATUS_OK);
    assert_true(text_is("victim", "mine"));
    for (unsigned i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
        struct stat info;

        assert_true(i >= 4 ? !is_there(links[i]) : lstat(in(links[i]), &info) == 0 && S_ISREG(info.st_mode));
    }
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(final_line),
                                       cmocka_unit_test(every_field_counts),
                                       cmocka_unit_test(folder_written),
                                       cmocka_unit_test(lost_files),
                                       cmocka_unit_test(long_names_are_whole),
                                       cmocka_unit_test(start_that_fails),
                                       cmocka_unit_test(links_are_not_followed)};

    return cmocka_run_group_tests(tests, setup, teardown);
}
