/* SPDX-License-Identifier: Apache-2.0
 * Workers that cannot be started, whichever call fails: one line, and nothing stays of them and of those before; how
 * long is waited for their end; what a worker does with standard streams, with what it has written, and when who
 * started it is gone at once.
 * libs: -Wl,--wrap=socketpair,--wrap=fork,--wrap=syscall,--wrap=close,--wrap=getppid
 * libs: -Wl,--wrap=poll
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/place/workers.h"

int __real_socketpair(int domain, int type, int protocol, int ends[2]);
int __wrap_socketpair(int domain, int type, int protocol, int ends[2]);
pid_t __real_fork(void);
pid_t __wrap_fork(void);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
int __real_close(int fd);
int __wrap_close(int fd);
pid_t __real_getppid(void);
pid_t __wrap_getppid(void);
int __real_poll(struct pollfd *p, nfds_t n, int timeout);
int __wrap_poll(struct pollfd *p, nfds_t n, int timeout);

/* ---- calls that fail at the n-th time */
enum call { SOCKETPAIR, FORK, PIDFD, CALLS };
static unsigned called[CALLS], fails_at[CALLS];
static bool lowest; /* standard input is closed when the descriptor of the process is asked for */
static bool fails(enum call call, int error)
{
    errno = error;
    return ++called[call] == fails_at[call];
}

int __wrap_socketpair(int domain, int type, int protocol, int ends[2])
{
    return fails(SOCKETPAIR, EMFILE) ? -1 : __real_socketpair(domain, type, protocol, ends);
}
pid_t __wrap_fork(void)
{
    return fails(FORK, EAGAIN) ? -1 : __real_fork();
}
long __wrap_syscall(long number, ...)
{
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long);
    va_end(list);
    if (number == SYS_pidfd_open && lowest)
        close(STDIN_FILENO);
    return number == SYS_pidfd_open && fails(PIDFD, ENOSYS) ? -1 : __real_syscall(number, a, b);
}

int __wrap_close(int fd)
{
    int result = __real_close(fd);
    errno = result ? errno : ENOTTY; /* a call that succeeds may leave anything there */
    return result;
}

static pid_t other_parent; /* what a worker is told; 0: the truth */
pid_t __wrap_getppid(void)
{
    return other_parent ? other_parent : (pid_t)syscall(SYS_getppid, 0L, 0L);
}

static struct {
    bool played;
    unsigned asked;
    int ms, fd;
} polls;
int __wrap_poll(struct pollfd *p, nfds_t n, int timeout)
{
    polls.asked++;
    polls.ms = timeout;
    polls.fd = p->fd;
    assert_int_equal(p->events, POLLIN);
    return polls.played ? 0 : __real_poll(p, n, timeout);
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static int for_ever(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self, (void)socket;
    while (pause() < 0)
        ;
    return 0;
}

/* The first or the third of three: the line has its number and the cause; descriptors and processes are as before. */
static void test_what_cannot_be_started(void **state)
{
    static const int errors_of[CALLS] = {EMFILE, EAGAIN, ENOSYS};
    (void)state;
    for (unsigned call = 0; call < CALLS; call++) {
        for (unsigned which = 1; which <= 3; which += 2) {
            char line[200];
            const unsigned before = descriptors();
            memset(called, 0, sizeof called);
            fails_at[call] = which;
            catch_errors();
            struct workers *w = workers_start(3, for_ever, NULL);
            fails_at[call] = 0;
            snprintf(line, sizeof line, "gantry: place: process %u cannot be started: %s\n", which,
                     strerror(errors_of[call]));
            assert_string_equal(release_errors(), line);
            assert_null(w);
            assert_int_equal(called[call], which);
            assert_int_equal(descriptors(), before);
            assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
            assert_int_equal(errno, ECHILD);
        }
    }
}

/* Ten looks a second, as long as it is told, however many have not ended; then they are killed. */
static void test_how_long_is_waited(void **state)
{
    (void)state;
    for (unsigned seconds = 0; seconds < 3; seconds++) {
        struct workers *w = workers_start(2, for_ever, NULL);
        const pid_t pid = w->list[0].pid, second = w->list[1].pid;
        const int pidfd = w->list[0].pidfd;
        polls.played = true;
        polls.asked = 0;
        polls.fd = -1;
        workers_finish(w, seconds);
        polls.played = false;
        assert_int_equal(polls.asked, 10 * seconds);
        assert_true(seconds == 0 || (polls.ms == 100 && polls.fd == pidfd));
        assert_true(kill(pid, 0) < 0 && errno == ESRCH);
        assert_true(kill(second, 0) < 0 && errno == ESRCH);
    }
}

static int when_told(void *ctx, uint32_t self, int socket)
{
    char told;
    (void)ctx;
    if (read(socket, &told, 1) != 1)
        return 99;
    usleep(50000);
    return (int)self;
}

/* Asked once, for as long as told: it returns when it has ended, and the answer stays without asking. */
static void test_its_end_is_waited_for(void **state)
{
    struct workers *w = workers_start(1, when_told, NULL);
    (void)state;
    assert_false(workers_ended(w, 1, 0));
    assert_int_equal(write(w->list[0].socket, "x", 1), 1);
    polls.asked = 0;
    assert_true(workers_ended(w, 1, 60000));
    assert_int_equal(polls.asked, 1);
    assert_int_equal(polls.ms, 60000);
    assert_true(workers_ended(w, 1, 60000));
    assert_int_equal(polls.asked, 1);
    assert_int_equal(w->list[0].status, 1);
    assert_int_equal(w->list[0].pid, 0);
    workers_finish(w, 5);
    assert_int_equal(polls.asked, 1);
}

/* The lowest descriptor is one. */
static void test_descriptor_0(void **state)
{
    int kept = dup(STDIN_FILENO);
    (void)state;
    lowest = true;
    struct workers *w = workers_start(1, for_ever, NULL);
    lowest = false;
    assert_non_null(w);
    assert_int_equal(w->list[0].pidfd, 0);
    assert_false(workers_ended(w, 1, 0));
    kill(w->list[0].pid, SIGKILL);
    assert_true(workers_ended(w, 1, 60000));
    workers_finish(w, 0);
    assert_int_equal(fcntl(STDIN_FILENO, F_GETFD), -1);
    dup2(kept, STDIN_FILENO);
    close(kept);
}

/* ---- in the worker */
static int has_streams(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            return 10 + fd;
    for (int fd = 3; fd < 256; fd++) {
        struct stat st;
        if (fd != socket && fstat(fd, &st) == 0 && (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)))
            return fd;
    }
    return write(socket, "x", 1) == 1 ? 0 : 3;
}

/* The three standard streams are kept also where they are pipes, of all other pipes and sockets its own socket. */
static void test_standard_streams(void **state)
{
    int kept[3], ends[2], status;
    char got = 0;
    (void)state;
    pid_t pid = fork(); /* which has no other descriptors */
    if (pid == 0) {
        for (int fd = 3; fd < 256; fd++)
            close(fd);
        if (pipe(ends) != 0)
            _exit(200);
        for (int fd = 0; fd < 3; fd++)
            kept[fd] = dup2(ends[fd > 0], fd);
        struct workers *w = workers_start(2, has_streams, kept); /* the second inherits the socket to the first */
        bool ended = w && workers_ended(w, 1, 60000) && workers_ended(w, 2, 60000);
        if (!ended || read(w->list[1].socket, &got, 1) != 1 || got != 'x')
            _exit(201);
        _exit(w->list[0].status ? w->list[0].status : w->list[1].status);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static FILE *written;
static int writes(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self, (void)socket;
    fputs("by the worker", written);
    return 0;
}

/* What it has written is written when it ends. */
static void test_buffers(void **state)
{
    char text[40] = "";
    (void)state;
    written = tmpfile();
    struct workers *w = workers_start(1, writes, NULL);
    assert_true(workers_ended(w, 1, 60000));
    workers_finish(w, 0);
    assert_int_equal(pread(fileno(written), text, sizeof text - 1, 0), 13);
    assert_string_equal(text, "by the worker");
    fclose(written);
}

/* Who started it was gone before it could ask to be told: it does nothing. */
static void test_started_by_nobody(void **state)
{
    (void)state;
    other_parent = 1;
    struct workers *w = workers_start(1, when_told, NULL);
    other_parent = 0;
    assert_true(workers_ended(w, 1, 60000));
    assert_int_equal(w->list[0].status, EXIT_FAILURE);
    workers_finish(w, 0);
}

static int killed_by(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self, (void)socket;
    raise(SIGUSR1); /* as the kernel does when the parent is gone */
    raise(SIGALRM);
    return 0;
}

/* An alarm ends it, whatever the process that started it does with alarms. */
static void test_alarms_end_it(void **state)
{
    (void)state;
    signal(SIGALRM, SIG_IGN);
    struct workers *w = workers_start(1, killed_by, NULL);
    signal(SIGALRM, SIG_DFL);
    assert_true(workers_ended(w, 1, 60000));
    assert_int_equal(w->list[0].status, 128 + SIGALRM);
    workers_finish(w, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_cannot_be_started),
        cmocka_unit_test(test_how_long_is_waited),
        cmocka_unit_test(test_its_end_is_waited_for),
        cmocka_unit_test(test_standard_streams),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_started_by_nobody),
        cmocka_unit_test(test_alarms_end_it),
        cmocka_unit_test(test_descriptor_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
