/* SPDX-License-Identifier: Apache-2.0
 * The builder process with the system played by the test: what is told when it cannot be started, how its output is put
 * together from any pieces, how often is asked whether it is still wanted, and with which signals, and when, it is
 * ended.
 * libs: -Wl,--wrap=pipe2,--wrap=fork,--wrap=setpgid,--wrap=close,--wrap=poll
 * libs: -Wl,--wrap=read,--wrap=nanosleep,--wrap=waitpid,--wrap=kill,--wrap=getppid
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/verilated/builder.h"

enum { PID = 424242, OUTPUT = 801, INPUT = 802 };

int __real_pipe2(int ends[2], int flags);
int __wrap_pipe2(int ends[2], int flags);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
int __real_setpgid(pid_t pid, pid_t group);
int __wrap_setpgid(pid_t pid, pid_t group);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_poll(struct pollfd *p, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *p, nfds_t n, int timeout);
ssize_t __real_read(int fd, void *data, size_t bytes);
ssize_t __wrap_read(int fd, void *data, size_t bytes);
int __real_nanosleep(const struct timespec *wanted, struct timespec *left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);
int __real_kill(pid_t pid, int number);
int __wrap_kill(pid_t pid, int number);
pid_t __real_getppid(void);
pid_t __wrap_getppid(void);

/* ---- the system, while it is played */
static bool played;
static int pipe_error, fork_error;
static const long *reads; /* bytes, 0, or less: -errno; behind them: the end */
static unsigned read_count, read_at, polls, asked, naps, waits, closed_output, closed_input;
static size_t given, most_read;
static const int *poll_answers; /* behind them: 1 */
static unsigned poll_count;
static unsigned ends_after; /* so many waits in vain */
static int end_status;
static char signals[40]; /* sent to its group: T, K; w: waited for without end */

int __wrap_pipe2(int ends[2], int flags)
{
    if (!played)
        return __real_pipe2(ends, flags);
    ends[0] = OUTPUT;
    ends[1] = INPUT;
    errno = pipe_error;
    return pipe_error ? -1 : 0;
}
pid_t __wrap_fork(void)
{
    errno = fork_error;
    return !played ? __real_fork() : fork_error ? -1 : PID;
}
int __wrap_setpgid(pid_t pid, pid_t group)
{
    if (!played)
        return __real_setpgid(pid, group);
    assert_true(pid == PID && group == PID);
    strcat(signals, "g");
    return 0;
}
int __wrap_close(int fd)
{
    closed_output += fd == OUTPUT;
    closed_input += fd == INPUT;
    return fd == OUTPUT || fd == INPUT ? 0 : __real_close(fd);
}
int __wrap_poll(struct pollfd *p, nfds_t n, int timeout)
{
    if (!played)
        return __real_poll(p, n, timeout);
    assert_true(n == 1 && p->fd == OUTPUT && p->events == POLLIN && timeout == 100);
    errno = EINTR;
    return polls++ < poll_count ? poll_answers[polls - 1] : 1;
}
ssize_t __wrap_read(int fd, void *data, size_t bytes)
{
    if (!played)
        return __real_read(fd, data, bytes);
    assert_int_equal(fd, OUTPUT);
    most_read = bytes > most_read ? bytes : most_read;
    long n = read_at < read_count ? reads[read_at++] : 0;
    if (n < 0) {
        errno = (int)-n;
        return -1;
    }
    assert_true((size_t)n <= bytes);
    for (long i = 0; i < n; i++)
        ((char *)data)[i] = (char)('a' + given++ % 23);
    return n;
}
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)left;
    assert_true(wanted->tv_sec == 0 && wanted->tv_nsec == 5000000);
    naps++;
    return 0;
}
pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
    if (!played)
        return __real_waitpid(pid, status, options);
    assert_int_equal(pid, PID);
    if (options == 0) {
        strcat(signals, "w");
        errno = EINTR;
        return strstr(signals, "ww") ? PID : -1;
    }
    assert_int_equal(options, WNOHANG);
    if (waits++ < ends_after)
        return 0;
    if (status)
        *status = end_status;
    return PID;
}
int __wrap_kill(pid_t pid, int number)
{
    if (!played)
        return __real_kill(pid, number);
    assert_int_equal(pid, -PID);
    strcat(signals, number == SIGTERM ? "T" : number == SIGKILL ? "K" : "?");
    return 0;
}

static unsigned wanted_for; /* so many questions */
static bool unwanted(void *arg)
{
    assert_ptr_equal(arg, &asked);
    return asked++ >= wanted_for;
}

static char *const words[] = {(char *)"python3", (char *)"x", NULL};
static enum gantry_status failure;
static char *run(void)
{
    polls = asked = naps = waits = closed_output = closed_input = read_at = 0;
    given = most_read = 0;
    signals[0] = 0;
    failure = STATUS_OK;
    catch_errors();
    played = true;
    char *text = builder_run(words, unwanted, &asked, &failure);
    played = false;
    release_errors();
    return text;
}

static void reset(void)
{
    pipe_error = fork_error = end_status = 0;
    reads = NULL;
    poll_answers = NULL;
    read_count = poll_count = ends_after = 0;
    wanted_for = UINT32_MAX;
}

static void test_it_cannot_be_started(void **state)
{
    (void)state;
    reset();
    pipe_error = EMFILE;
    assert_null(run());
    assert_string_equal(errors.text, "gantry: models: python3: Too many open files\n");
    assert_true(failure == STATUS_IO && closed_output == 0 && closed_input == 0);
    reset();
    fork_error = EAGAIN;
    assert_null(run());
    assert_string_equal(errors.text, "gantry: models: python3: Resource temporarily unavailable\n");
    assert_true(failure == STATUS_IO && closed_output == 1 && closed_input == 1);
    assert_string_equal(signals, "");
}

/* All pieces in their order, whatever their size, through signals; an error ends it like its end. */
static void test_pieces(void **state)
{
    static const long one[] = {1}, full[] = {4096, 4096, 4096}, mixed[] = {1, -EINTR, 4096, 7, -EINTR, 4096},
                      bad[] = {10, -EIO, 5};
    static const struct {
        const long *reads;
        unsigned count;
        size_t length;
        unsigned looks; /* of poll */
    } cases[] = {{NULL, 0, 0, 1}, {one, 1, 1, 2}, {full, 3, 12288, 4}, {mixed, 6, 8200, 7}, {bad, 3, 10, 2}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        reset();
        reads = cases[n].reads;
        read_count = cases[n].count;
        char *text = run();
        assert_non_null(text);
        assert_int_equal(strlen(text), cases[n].length);
        for (size_t i = 0; i < cases[n].length; i++)
            assert_int_equal(text[i], 'a' + i % 23);
        assert_int_equal(polls, cases[n].looks);
        assert_int_equal(most_read, 4096);
        assert_string_equal(errors.text, "");
        assert_string_equal(signals, "g");
        assert_true(closed_output == 1 && closed_input == 1 && naps == 0);
        assert_int_equal(failure, STATUS_INTERNAL); /* of what would fail */
        free(text);
    }
}

/* Asked before the start, then each time before it is listened to, and each time it has not ended. */
static void test_questions(void **state)
{
    static const int nothing[] = {0, -1, 0};
    static const long some[] = {5};
    (void)state;
    reset();
    poll_answers = nothing;
    poll_count = 3;
    reads = some;
    read_count = 1;
    ends_after = 4;
    char *text = run();
    assert_string_equal(text, "abcde");
    free(text);
    assert_true(polls == 5 && waits == 5 && naps == 4);
    assert_int_equal(asked, 1 + 5 + 4);
    for (wanted_for = 0; wanted_for < 10; wanted_for++) { /* no longer wanted at any of them */
        assert_null(run());
        assert_int_equal(asked, wanted_for + 1);
        assert_int_equal(failure, STATUS_INTERNAL);
        assert_string_equal(signals, wanted_for == 0 ? "" : "gT");
        assert_int_equal(closed_output, wanted_for > 0);
        assert_string_equal(errors.text, "");
    }
    assert_non_null(text = run());
    free(text);
}

/* It has 0.4 s to tidy up, is looked at each 5 ms, and is killed then; it is waited for until it is gone. */
static void test_how_it_is_ended(void **state)
{
    (void)state;
    for (unsigned after = 0; after < 90; after += after == 0 ? 1 : after == 1 ? 77 : 1) {
        reset();
        wanted_for = 1;
        ends_after = after;
        assert_null(run());
        assert_int_equal(naps, after < 80 ? after : 80);
        assert_int_equal(waits, after < 80 ? after + 1 : 80);
        assert_string_equal(signals, after < 80 ? "gT" : "gTKww");
    }
}

/* 0 is an answer; 74 is no room; a signal is told. */
static void test_ends(void **state)
{
    static const struct {
        int status;
        enum gantry_status failure;
        const char *line;
    } cases[] = {{74 << 8, STATUS_IO, ""},
                 {73 << 8, STATUS_INTERNAL, ""},
                 {1 << 8, STATUS_INTERNAL, ""},
                 {74, STATUS_INTERNAL, "gantry: models: the builder of the RTL models was ended\n"}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        reset();
        end_status = cases[n].status;
        assert_null(run());
        assert_int_equal(failure, cases[n].failure);
        assert_string_equal(errors.text, cases[n].line);
    }
}

/* ---- the process itself */
static pid_t other_parent;
pid_t __wrap_getppid(void)
{
    return other_parent ? other_parent : __real_getppid();
}

/* It ignores what a terminal sends to stop or end it, not what ends it; one whose parent is gone already does nothing.
 */
static void test_what_it_ignores(void **state)
{
    static char *const shell[] = {(char *)"sh", (char *)"-c",
                                  (char *)"sed -n 's/SigIgn:[^0-9a-f]*//p' /proc/self/status", NULL},
                       *const says[] = {(char *)"sh", (char *)"-c", (char *)"echo here >&2", NULL};
    (void)state;
    signal(SIGTERM, SIG_IGN);
    char *text = builder_run(shell, NULL, NULL, &failure);
    signal(SIGTERM, SIG_DFL);
    assert_non_null(text);
    const uint64_t mask = strtoull(text, NULL, 16);
    assert_true(mask >> (SIGINT - 1) & 1 && mask >> (SIGTTOU - 1) & 1 && !(mask >> (SIGTERM - 1) & 1));
    free(text);
    other_parent = 1;
    catch_errors();
    text = builder_run(says, NULL, NULL, &failure);
    other_parent = 0;
    assert_string_equal(release_errors(), "");
    assert_null(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_cannot_be_started),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_how_it_is_ended),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_what_it_ignores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
