// SPDX-License-Identifier: Apache-2.0
// Lines of threads that have a place of their own for them (host/base/log.h): each gets its own lines, levels, counts
// and cycles, stderr none of them; reports of several lines; the end of the process on our own bug is told before.
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "base/log.h"
#include "bridge/run/thread_team.h"

struct lines {
    struct log_place *place;
    pthread_mutex_t lock;
    char text[8192];
};

static void on_line(void *ctx, const char *line)
{
    struct lines *l = ctx;
    pthread_mutex_lock(&l->lock);
    strncat(l->text, line, sizeof l->text - strlen(l->text) - 1);
    pthread_mutex_unlock(&l->lock);
}

static struct lines *lines_new(void)
{
    struct lines *l = calloc(1, sizeof *l);
    pthread_mutex_init(&l->lock, NULL);
    l->place = log_place_new();
    l->place->tell = on_line;
    l->place->ctx = l;
    return l;
}

static void lines_free(struct lines *l)
{
    log_place_free(l->place);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static void *talk(void *arg)
{
    struct lines *l = arg;
    struct log_place *before = log_place;
    log_place = l->place;
    for (unsigned i = 0; i < 12; i++) { // of one kind ten are told
        log_cycle = 100 + i;
        log_warn("part", "again");
    }
    log_info("part", "not asked for");
    diag("place", "the end of %p", (void *)l);
    log_left_out();
    log_place = before;
    return NULL;
}

static void threads_have_their_own_lines(void **state)
{
    struct lines *l[2] = {lines_new(), lines_new()};
    pthread_t thread[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, talk, l[i]), 0);
    for (unsigned i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < 2; i++) {
        char want[8192] = "";
        for (unsigned k = 0; k < 10; k++)
            sprintf(want + strlen(want), "%u part warn again\n", 100 + k);
        sprintf(want + strlen(want), "gantry: place: the end of %p\n", (void *)l[i]);
        strcat(want, "gantry: 2 more lines were left out, like: again\n");
        assert_string_equal(l[i]->text, want);
        lines_free(l[i]);
    }
}

static void piece(void *ctx, uint32_t n)
{
    (void)ctx;
    diag("piece", "%u", n);
}

// A team's workers tell for whoever runs them, for the next one something else.
static void workers_tell_for_their_caller(void **state)
{
    struct log_place *before = log_place;
    struct team *team = team_new(3);
    (void)state;
    for (unsigned round = 0; round < 2; round++) {
        struct lines *l = lines_new();
        log_place = l->place;
        team_run(team, 64, piece, NULL);
        log_place = before;
        unsigned count = 0;
        for (const char *at = l->text; (at = strstr(at, "gantry: piece: ")); at++)
            count++;
        assert_int_equal(count, 64);
        lines_free(l);
    }
    team_free(team);
}

static void a_report_has_several_lines(void **state)
{
    struct lines *l = lines_new();
    struct log_place *before = log_place;
    (void)state;
    assert_ptr_equal(log_report_open(), stderr);
    log_place = l->place;
    FILE *out = log_report_open();
    assert_ptr_not_equal(out, stderr);
    fprintf(out, "gantry: no progress\n  host waits\n");
    log_report_close(out);
    log_place = before;
    assert_string_equal(l->text, "gantry: no progress\n  host waits\n");
    lines_free(l);
}

static void on_bug(void *ctx, const char *line)
{
    (void)ctx;
    dprintf(1, "told: %s\n", line);
}

// Behind the line the process is aborted, and its clean-up, which is the command's, does not run.
static void a_bug_is_told_and_aborts(void **state)
{
    int ends[2], status;
    char text[4096] = "";
    (void)state;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct lines *l = lines_new();
        dup2(ends[1], 1);
        signal(SIGABRT, SIG_DFL);
        l->place->bug = on_bug;
        log_place = l->place;
        log_cycle = 77;
        CHECK(pid != 0, "gpu0.cu3", "slot=%d", 5);
        _exit(0);
    }
    close(ends[1]);
    for (size_t n = 0; n < sizeof text - 1;) {
        const ssize_t got = read(ends[0], text + n, sizeof text - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "told: gantry: gpu0.cu3: internal error at cycle 77: CHECK(pid != 0) slot=5 ["));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_have_their_own_lines),
        cmocka_unit_test(workers_tell_for_their_caller),
        cmocka_unit_test(a_report_has_several_lines),
        cmocka_unit_test(a_bug_is_told_and_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
