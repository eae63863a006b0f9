// SPDX-License-Identifier: Apache-2.0
// Worker processes: what they inherit, how their end is known, that nothing of them stays; questions and answers with
// bytes and descriptors.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/peers.h"
#include "bridge/place/questions.h"
#include "bridge/place/workers.h"

static void nap(unsigned ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static bool gone(pid_t pid, unsigned ms)
{
    for (unsigned n = 0; n < ms && kill(pid, 0) == 0; n++)
        nap(1);
    return kill(pid, 0) < 0;
}

static int with_number(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)socket;
    if (self == 2)
        raise(SIGKILL);
    return 40 + (int)self;
}

static void test_ends(void **state)
{
    (void)state;
    struct workers *w = workers_start(3, with_number, NULL);
    assert_non_null(w);
    assert_int_equal(w->count, 3);
    for (uint32_t i = 1; i <= 3; i++)
        assert_true(workers_ended(w, i, 10000));
    assert_int_equal(w->list[0].status, 41);
    assert_int_equal(w->list[1].status, 128 + SIGKILL);
    assert_int_equal(w->list[2].status, 43);
    assert_true(workers_ended(w, 1, 0)); /* still known */
    workers_finish(w, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

static int for_ever(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self, (void)socket;
    while (pause() < 0)
        ;
    return 0;
}

static int says_so_for_ever(void *ctx, uint32_t self, int socket)
{
    (void)!write(socket, "r", 1);
    return for_ever(ctx, self, socket);
}

static void test_who_stays_is_killed(void **state)
{
    (void)state;
    struct workers *w = workers_start(2, for_ever, NULL);
    pid_t pids[] = {w->list[0].pid, w->list[1].pid};
    assert_false(workers_ended(w, 1, 20));
    uint64_t begin = peers_clock();
    workers_finish(w, 1);
    uint64_t took = peers_clock() - begin;
    assert_true(took >= UINT64_C(900000000) && took < UINT64_C(20000000000));
    assert_true(gone(pids[0], 0) && gone(pids[1], 0));
    workers_finish(NULL, 1); /* nothing happens */
}

static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

/* Its descriptors above standard error, and what a terminal sends. */
static int looks_around(void *ctx, uint32_t self, int socket)
{
    const int *fds = ctx;
    struct sigaction action;
    char name[32] = "";
    FILE *f = fopen("/proc/self/comm", "r");
    (void)self;
    bool ok = f && fgets(name, sizeof name, f) && strcmp(name, "gantry:1\n") == 0;
    if (f)
        fclose(f);
    for (unsigned i = 0; i < sizeof ignored / sizeof *ignored; i++)
        ok = ok && sigaction(ignored[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN;
    ok = ok && fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[1], F_GETFD) < 0 && fcntl(fds[2], F_GETFD) < 0;
    ok = ok && fcntl(fds[3], F_GETFD) >= 0 && fcntl(socket, F_GETFD) >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0;
    return ok ? 0 : 1;
}

static void test_what_is_inherited(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof ignored / sizeof *ignored; i++) /* whoever runs this may ignore some */
        signal(ignored[i], SIG_DFL);
    int fds[4]; /* pipe, socket: not; a file: yes */
    assert_int_equal(pipe(fds), 0);
    fds[2] = socket(AF_UNIX, SOCK_STREAM, 0);
    fds[3] = memfd_create("memory", 0);
    struct workers *w = workers_start(1, looks_around, fds);
    assert_true(workers_ended(w, 1, 10000));
    assert_int_equal(w->list[0].status, 0);
    workers_finish(w, 0);
    for (unsigned i = 0; i < 4; i++)
        close(fds[i]);
}

/* What is not written yet is written once; what exit would do is not done by workers. */
static int says_nothing(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self, (void)socket;
    return 0;
}

static void test_buffers_are_not_doubled(void **state)
{
    (void)state;
    char path[] = "/tmp/gantry-test-XXXXXX", text[64] = "";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w+");
    fputs("once", f);
    struct workers *w = workers_start(2, says_nothing, NULL);
    workers_finish(w, 10);
    fclose(f);
    f = fopen(path, "r");
    assert_non_null(fgets(text, sizeof text, f));
    assert_string_equal(text, "once");
    fclose(f);
    unlink(path);
}

/* A process that starts a worker and is killed: the worker has three seconds. */
static void test_orphans(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        char ready;
        struct workers *w = workers_start(1, says_so_for_ever, NULL);
        (void)!read(w->list[0].socket, &ready, 1);
        (void)!write(ends[1], &w->list[0].pid, sizeof w->list[0].pid);
        for (;;)
            pause();
    }
    pid_t worker = 0;
    assert_int_equal(read(ends[0], &worker, sizeof worker), sizeof worker);
    kill(parent, SIGKILL);
    waitpid(parent, NULL, 0);
    assert_false(gone(worker, 500));
    uint64_t begin = peers_clock();
    while (peers_clock() - begin < UINT64_C(20000000000)) { /* a zombie until somebody looks: its state tells */
        char name[40], line[256] = "Z";
        snprintf(name, sizeof name, "/proc/%d/stat", worker);
        FILE *f = fopen(name, "r");
        char *end = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
        if (f)
            fclose(f);
        if (!end || end[2] == 'Z' || end[2] == 'X')
            break;
        nap(10);
    }
    assert_true(peers_clock() - begin < UINT64_C(6000000000));
    close(ends[0]);
    close(ends[1]);
}

/* ---- questions */
/* Answers with the sum of the bytes, and that of the file that came with them; kind 9 ends it. */
static int answers(void *ctx, uint32_t self, int socket)
{
    (void)ctx, (void)self;
    for (;;) {
        struct ask ask;
        void *data;
        int fd;
        if (!ask_receive(socket, &ask, &data, &fd, NULL, NULL) || ask.kind == 9)
            return ask.kind == 9 ? 0 : 1;
        for (uint64_t i = 0; i < ask.bytes; i++)
            ask.a += ((uint8_t *)data)[i];
        char c = 0;
        ask.b = fd >= 0 && pread(fd, &c, 1, 0) == 1 ? (uint64_t)c : 0;
        close(fd);
        if (!ask_send(socket, &ask, data, -1, NULL, NULL))
            return 2;
        free(data);
    }
}

static void test_questions(void **state)
{
    (void)state;
    enum { MOST = 3000000 }; /* more than a socket holds */
    struct workers *w = workers_start(1, answers, NULL);
    uint8_t *bytes = malloc(MOST);
    uint64_t sum = 0;
    for (unsigned i = 0; i < MOST; i++)
        sum += bytes[i] = (uint8_t)(i * 7);
    int file = memfd_create("file", 0), none;
    assert_int_equal(write(file, "x", 1), 1);
    const uint64_t sizes[] = {0, 1, MOST};
    for (unsigned n = 0; n < 3; n++) {
        struct ask ask = {.kind = 3, .memory = 4, .a = 1000, .bytes = sizes[n]}, back;
        void *data;
        assert_true(ask_send(w->list[0].socket, &ask, bytes, n == 1 ? file : -1, NULL, NULL));
        assert_true(ask_receive(w->list[0].socket, &back, &data, &none, NULL, NULL));
        assert_int_equal(none, -1);
        assert_int_equal(back.kind, 3);
        assert_int_equal(back.memory, 4);
        assert_int_equal(back.bytes, sizes[n]);
        assert_int_equal(back.a, 1000 + (n == 2 ? sum : 0));
        assert_int_equal(back.b, n == 1 ? 'x' : 0);
        assert_memory_equal(data, bytes, sizes[n]);
        assert_int_equal(((char *)data)[sizes[n]], 0);
        free(data);
    }
    assert_true(ask_send(w->list[0].socket, &(struct ask){.kind = 9}, NULL, -1, NULL, NULL));
    assert_true(workers_ended(w, 1, 10000));
    assert_int_equal(w->list[0].status, 0);
    struct ask ask;
    void *data = bytes;
    assert_false(ask_receive(w->list[0].socket, &ask, &data, &none, NULL, NULL)); /* its end is closed */
    assert_null(data);
    assert_false(ask_send(w->list[0].socket, &(struct ask){.kind = 3}, NULL, -1, NULL, NULL));
    workers_finish(w, 0);
    free(bytes);
    close(file);
}

static bool three_times(void *ctx)
{
    return ++*(unsigned *)ctx < 3;
}

/* Nobody answers, or takes what is sent: not longer than the caller likes. */
static void test_silence(void **state)
{
    (void)state;
    struct workers *w = workers_start(1, for_ever, NULL);
    struct ask ask;
    void *data;
    int fd;
    unsigned asked = 0;
    uint64_t begin = peers_clock();
    assert_false(ask_receive(w->list[0].socket, &ask, &data, &fd, three_times, &asked));
    assert_int_equal(asked, 3);
    assert_true(peers_clock() - begin >= UINT64_C(250000000));
    char *much = calloc(1, 4000000);
    asked = 0;
    assert_false(ask_send(w->list[0].socket, &(struct ask){.bytes = 4000000}, much, -1, three_times, &asked));
    assert_int_equal(asked, 3);
    free(much);
    workers_finish(w, 0);
}

/* Half a head, and a size that cannot be: as if it were closed. */
static void test_nonsense(void **state)
{
    (void)state;
    int ends[2], fd;
    struct ask ask = {.kind = 1, .bytes = UINT64_MAX};
    void *data;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_true(ask_send(ends[0], &(struct ask){.kind = 1}, NULL, -1, NULL, NULL));
    assert_true(ask_receive(ends[1], &ask, &data, &fd, NULL, NULL));
    free(data);
    ask.bytes = UINT64_MAX;
    assert_int_equal(write(ends[0], &ask, sizeof ask), sizeof ask);
    assert_false(ask_receive(ends[1], &ask, &data, &fd, NULL, NULL));
    assert_int_equal(write(ends[0], &ask, 5), 5);
    close(ends[0]);
    assert_false(ask_receive(ends[1], &ask, &data, &fd, NULL, NULL));
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),      cmocka_unit_test(test_who_stays_is_killed),
        cmocka_unit_test(test_orphans),   cmocka_unit_test(test_what_is_inherited),
        cmocka_unit_test(test_questions), cmocka_unit_test(test_buffers_are_not_doubled),
        cmocka_unit_test(test_silence),   cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
