// SPDX-License-Identifier: Apache-2.0
// host/base: exit codes of docs/reference/cli.md, CHECK ends with 70 after its clean-up hook, log levels and files.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/hugepage.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/status.h"
#include "base/xalloc.h"

static void exit_codes(void **state)
{
    (void)state;
    assert_int_equal(status_exit(STATUS_OK), 0);
    assert_int_equal(status_exit(STATUS_USAGE), 64);
    assert_int_equal(status_exit(STATUS_CONFIG), 65);
    assert_int_equal(status_exit(STATUS_OBJECT), 65);
    assert_int_equal(status_exit(STATUS_DATA), 65);
    assert_int_equal(status_exit(STATUS_MISSING), 66);
    assert_int_equal(status_exit(STATUS_INTERNAL), 70);
    assert_int_equal(status_exit(STATUS_IO), 74);
    assert_int_equal(status_exit(STATUS_NO_PROGRESS), 75);
    assert_int_equal(status_exit(STATUS_GUEST_FAULT), 76);
    assert_int_equal(status_exit((enum gantry_status) - 999), 70);
    assert_string_equal(status_text(STATUS_MISSING), "missing file");
}

/* A large block lies in the heap, whose mapping asks for large pages (flag hg) where the kernel knows them. */
static void large_pages(void **state)
{
    (void)state;
#ifdef GANTRY_SANITIZED
    skip(); /* whose heap is another */
#endif
    hugepage_heap((size_t)16 << 20);
    char *block = malloc((size_t)8 << 20), *end = sbrk(0), line[512];
    assert_true(block < end && end - block >= (8 << 20));
    bool inside = false, asked = false;
    FILE *maps = fopen("/proc/self/smaps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (uintptr_t)block + (4 << 20) >= from && (uintptr_t)block + (4 << 20) < to;
        asked = asked || (inside && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg"));
    }
    fclose(maps);
    free(block);
    assert_true(asked || access("/sys/kernel/mm/transparent_hugepage/enabled", F_OK) != 0);
}

/* Run fn in a child; its exit status and what it wrote to stderr. */
static int child(void (*fn)(void), char *text, size_t room)
{
    int pipefd[2], status;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    assert_int_equal(pipe(pipefd), 0);
    pid = fork();
    if (pid == 0) {
        dup2(pipefd[1], 2);
        close(pipefd[0]);
        close(pipefd[1]);
        fn();
        _exit(0);
    }
    close(pipefd[1]);
    while (n < room - 1 && (got = read(pipefd[0], text + n, room - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = 0;
    close(pipefd[0]);
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void hook(void)
{
    dprintf(2, "hook ran\n");
}

static void check_broken(void)
{
    int slot = 7;

    check_set_cleanup(hook);
    log_cycle = 1234;
    CHECK(slot < 4, "gpu0.cu3", "slot=%d", slot);
}

static void check_ends(void **state)
{
    char text[4096];

    (void)state;
    assert_int_equal(child(check_broken, text, sizeof(text)), 70);
    assert_non_null(strstr(text, "gantry: gpu0.cu3: internal error at cycle 1234: CHECK(slot < 4) slot=7"));
    assert_non_null(strstr(text, "hook ran"));
}

static void lines_write(void)
{
    log_cycle = 5;
    log_info("a", "hidden");
    log_warn("b", "shown %d", 1);
    log_set_level(LOG_LEVEL_INFO);
    log_info("c", "now shown");
    diag("place", "cause %d", 2);
}

static void log_levels(void **state)
{
    char text[4096];

    (void)state;
    assert_int_equal(child(lines_write, text, sizeof(text)), 0);
    assert_string_equal(text, "5 b warn shown 1\n5 c info now shown\ngantry: place: cause 2\n");
}

static void log_file_gets_info(void **state)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);

    (void)state;
    log_set_file(file);
    log_info("driver", "opened");
    log_debug("driver", "detail");
    log_set_file(NULL);
    log_info("driver", "not any more");
    fclose(file);
    assert_string_equal(text, "0 driver info opened\n");
    free(text);
}

static void grow_doubles(void **state)
{
    size_t room = 0;
    int *a = NULL;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        a = xgrow(a, &room, (size_t)i + 1, sizeof(*a));
        a[i] = i;
    }
    assert_int_equal(a[999], 999);
    assert_in_range(room, 1000, 2048);
    free(a);
}

/* Exact up to the limit, one more beyond it, whichever way is cut short. */
static void distances_end_at_the_limit(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned edits;
    } pairs[] = {{"", "", 0},    {"count", "count", 0},    {"cuont", "count", 2},   {"", "abc", 3},
                 {"abc", "", 3}, {"kitten", "sitting", 3}, {"abcdef", "uvwxyz", 6}, {"xabcdefgh", "abcdefghx", 2}};
    char longer[129];

    (void)state;
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        for (unsigned most = 0; most < 10; most++)
            assert_int_equal(edit_distance(pairs[i].a, pairs[i].b, most),
                             pairs[i].edits <= most ? pairs[i].edits : most + 1);
    memset(longer, 'a', 128);
    longer[128] = 0;
    assert_int_equal(edit_distance(longer, longer, 5), 6);
    assert_int_equal(edit_distance(longer, longer + 1, 5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exit_codes),
                                       cmocka_unit_test(check_ends),
                                       cmocka_unit_test(log_levels),
                                       cmocka_unit_test(log_file_gets_info),
                                       cmocka_unit_test(grow_doubles),
                                       cmocka_unit_test(large_pages),
                                       cmocka_unit_test(distances_end_at_the_limit)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
