// SPDX-License-Identifier: Apache-2.0
// The builder process: all it says comes back, its end decides the class, it ends when nobody waits any more and never
// outlives who started it; it gets neither the shim nor what stands in standard input.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/verilated/builder.h"

/* Standard input of this process, which is not for the builder, holds something. */
static int fill_input(void **state)
{
    int ends[2];
    (void)state;
    if (pipe(ends) != 0 || write(ends[1], "not for you", 11) != 11 || dup2(ends[0], STDIN_FILENO) < 0)
        return 1;
    close(ends[0]);
    close(ends[1]);
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static char *shell(const char *script, bool (*unwanted)(void *arg), void *arg, enum gantry_status *failure)
{
    char *const words[] = {(char *)"sh", (char *)"-c", (char *)(uintptr_t)script, NULL};
    return builder_run(words, unwanted, arg, failure);
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 3; fd < 256; fd++) {
        int copy = dup(fd);
        if (copy >= 0)
            close(copy);
        n += copy >= 0;
    }
    return n;
}

/* More than a pipe or a piece holds, in one string; standard input is empty, LD_PRELOAD gone, the group its own. */
static void test_all_it_says(void **state)
{
    enum gantry_status failure = STATUS_OK;
    unsigned before = descriptors();
    (void)state;
    setenv("LD_PRELOAD", "", 1);
    char *text =
        shell("printf begin; i=0; while [ $i -lt 3000 ]; do printf '%064d' $i; i=$((i+1)); done; printf end; cat", NULL,
              NULL, &failure);
    assert_non_null(text);
    assert_int_equal(strlen(text), 5 + 3000 * 64 + 3);
    assert_memory_equal(text, "begin0000", 9);
    assert_string_equal(text + 5 + 2999 * 64 + 60, "2999end");
    free(text);
    text = shell("echo ${LD_PRELOAD-gone}; ps -o pid=,pgid= -p $$ | (read p g; [ $p = $g ] && echo own); ls "
                 "/proc/self/fd | wc -l",
                 NULL, NULL, &failure);
    assert_string_equal(text, "gone\nown\n4\n"); /* standard ones and the folder */
    free(text);
    text = shell("trap '' INT; kill -INT $$; echo ignored", NULL, NULL, &failure);
    assert_string_equal(text, "ignored\n");
    free(text);
    signal(SIGTERM, SIG_IGN); /* whatever the simulator does with it: the builder is ended by it */
    text = shell("kill -TERM $$; echo alive", NULL, NULL, &failure);
    signal(SIGTERM, SIG_DFL);
    assert_null(text);
    failure = STATUS_OK;
    text = shell(":", NULL, NULL, &failure);
    assert_string_equal(text, "");
    free(text);
    unsetenv("LD_PRELOAD");
    assert_int_equal(descriptors(), before);
}

/* 0 is an answer, 74 no room, everything else our own bug; a signal and a program that is not there are told. */
static void test_its_end(void **state)
{
    static const struct {
        const char *script;
        enum gantry_status failure;
        const char *told;
    } ends[] = {{"echo said; exit 74", STATUS_IO, ""},
                {"echo said; exit 70", STATUS_INTERNAL, ""},
                {"echo said; exit 1", STATUS_INTERNAL, ""},
                {"kill -KILL $$", STATUS_INTERNAL, "gantry: models: the builder of the RTL models was ended\n"}};
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        enum gantry_status failure = STATUS_OK;
        catch_errors();
        char *text = shell(ends[n].script, NULL, NULL, &failure);
        const char *told = release_errors();
        assert_null(text);
        assert_int_equal(failure, ends[n].failure);
        assert_string_equal(told, ends[n].told);
    }
    char *const words[] = {(char *)"/nowhere/python3", NULL};
    enum gantry_status failure = STATUS_OK;
    catch_errors();
    char *text = builder_run(words, NULL, NULL, &failure);
    assert_string_equal(release_errors(), "gantry: models: /nowhere/python3: No such file or directory\n");
    assert_null(text);
    assert_int_equal(failure, STATUS_INTERNAL);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* all are reaped */
    assert_int_equal(errno, ECHILD);
}

struct patience {
    double until;
    unsigned asked;
};
static bool impatient(void *arg)
{
    struct patience *p = arg;
    p->asked++;
    return seconds() > p->until;
}

static bool file_soon(const char *path)
{
    for (unsigned n = 0; n < 400 && access(path, F_OK) != 0; n++)
        usleep(10000);
    return access(path, F_OK) == 0;
}

/* Unwanted before the start: it does not start.  While it is silent, talks, or has closed its output and runs on: it is
 * asked to end and may tidy up; what does not listen is made to end with all its own processes. */
static void test_nobody_waits(void **state)
{
    static const char *const scripts[] = {
        "exec 2>/dev/null; trap 'touch ended; exit 3' TERM; touch begun; while :; do sleep 0.02; done",
        "exec 2>/dev/null; trap 'touch ended; exit 3' TERM; touch begun; while :; do echo x; sleep 0.02; done",
        "exec 2>/dev/null; trap 'touch ended; exit 3' TERM; touch begun; exec >&-; while :; do sleep 0.02; done",
        "exec 2>/dev/null; trap '' TERM; (trap 'touch ended' EXIT; sleep 60) & touch begun; while :; do sleep 0.02; "
        "done"};
    char folder[] = "/tmp/gantry-builder-XXXXXX", remove[80];
    (void)state;
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    struct patience never = {0};
    enum gantry_status failure;
    assert_null(shell("touch begun", impatient, &never, &failure));
    assert_int_equal(never.asked, 1);
    assert_int_equal(failure, STATUS_INTERNAL);
    usleep(100000);
    assert_int_equal(access("begun", F_OK), -1);
    for (unsigned n = 0; n < 4; n++) {
        double begin = seconds();
        struct patience p = {begin + 0.5, 0};
        catch_errors();
        assert_null(shell(scripts[n], impatient, &p, &failure));
        assert_string_equal(release_errors(), "");
        assert_true(seconds() - begin > 0.5 && seconds() - begin < 20);
        assert_true(p.asked >= 3);
        assert_true(file_soon("begun"));
        assert_int_equal(access("ended", F_OK), n == 3 ? -1 : 0);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        unlink("begun");
        unlink("ended");
    }
    assert_int_equal(chdir("/"), 0);
    snprintf(remove, sizeof remove, "rm -r %s", folder);
    assert_int_equal(system(remove), 0);
}

/* A signal while it is waited for is no end. */
static void on_alarm(int signal)
{
    (void)signal;
}
static void test_signals_do_not_end_it(void **state)
{
    struct sigaction act = {.sa_handler = on_alarm}, old;
    enum gantry_status failure;
    (void)state;
    sigaction(SIGALRM, &act, &old);
    ualarm(50000, 20000);
    char *text = shell("echo one; sleep 0.3; echo two; exec >&-; sleep 0.3", NULL, NULL, &failure);
    ualarm(0, 0);
    sigaction(SIGALRM, &old, NULL);
    assert_string_equal(text, "one\ntwo\n");
    free(text);
}

/* Who started it is killed: it is told to end. */
static void test_it_does_not_outlive(void **state)
{
    char path[] = "/tmp/gantry-builder-XXXXXX", script[200];
    (void)state;
    close(mkstemp(path));
    unlink(path);
    snprintf(script, sizeof script, "trap 'touch %s; exit' TERM; kill -KILL $PPID; while :; do sleep 0.02; done", path);
    pid_t pid = fork();
    if (pid == 0) {
        enum gantry_status failure;
        shell(script, NULL, NULL, &failure);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(file_soon(path));
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_it_says),         cmocka_unit_test(test_its_end),
        cmocka_unit_test(test_nobody_waits),        cmocka_unit_test(test_signals_do_not_end_it),
        cmocka_unit_test(test_it_does_not_outlive),
    };
    for (int fd = 3; fd < 256; fd++) /* of whoever started this: none of the builder's */
        close(fd);
    return cmocka_run_group_tests(tests, fill_input, NULL);
}
