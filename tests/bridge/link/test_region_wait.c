// SPDX-License-Identifier: Apache-2.0
// Waiting of two processes: who sleeps is woken when all are quiet and when the floor is of use to it; a message under
// way keeps a run from being quiet; a host's owner alone is told of quiet.  Shared memory that cannot be had.
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"
#include "bridge/link/region_wait.h"

static const char *const PROCESSES[] = {"a", "b"};
static const struct region_link LINKS[] = {{"a:0 -> b:0", 8, 10, 4, 0, 1}, {"b:0 -> a:0", 8, 10, 4, 1, 0}};

struct side {
    struct region *r;
    struct link in, out;
    uint64_t need, taken;
    unsigned looks;
};

static int region_make(uint32_t host)
{
    struct region_plan plan = {PROCESSES, 2, LINKS, 2, host};
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    return fd;
}

static void side_open(struct side *s, int fd, uint32_t self)
{
    struct hello hello = hello_make("r", "g", "c", 1);
    memset(s, 0, sizeof *s);
    s->r = region_open(fd, self, &hello, 1);
    assert_non_null(s->r);
    link_init(&s->out, &transport_shm, LINKS[self].name, true, 8, 10, 4);
    link_init(&s->in, &transport_shm, LINKS[1 - self].name, false, 8, 10, 4);
    assert_true(peers_greet(s->r, 30) && s->out.transport->open(&s->out, s->r) && s->in.transport->open(&s->in, s->r));
}

static void side_close(struct side *s)
{
    s->out.transport->close(&s->out);
    s->in.transport->close(&s->in);
    region_close(s->r);
}

static bool useful(void *ctx)
{
    struct side *s = ctx;
    s->looks++;
    return s->in.transport->peek(&s->in) != s->taken || s->in.transport->horizon(&s->in) >= s->need;
}

static enum region_end wait_for(struct side *s, uint64_t next, uint64_t need)
{
    struct link *in = &s->in;
    s->need = need;
    struct region_waiter w = {.next = next,
                              .need = need,
                              .reach = 10,
                              .sent = s->out.sent,
                              .received = s->taken,
                              .look = useful,
                              .ctx = s,
                              .in = &in,
                              .count = 1};
    return region_wait(s->r, &w);
}

/* Milliseconds for which b waited, a having joined it 20 ms later; 255 and more: 255. */
static unsigned b_waited(uint64_t next_a, uint64_t next_b, enum region_end end_a, enum region_end end_b)
{
    int fd = region_make(REGION_NONE), status;
    struct side s;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        side_open(&s, fd, 1);
        uint64_t begin = peers_clock();
        if (wait_for(&s, next_b, next_b) != end_b)
            _exit(255);
        uint64_t ms = (peers_clock() - begin) / 1000000;
        _exit(ms < 255 ? (int)ms : 255);
    }
    side_open(&s, fd, 0);
    while (atomic_load(&region_entry(s.r, 1)->asleep) == 0)
        usleep(500);
    usleep(20000);
    assert_int_equal(wait_for(&s, next_a, next_b), end_a);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    side_close(&s);
    close(fd);
    return (unsigned)WEXITSTATUS(status);
}

/* It would look by itself every 100 ms; the best of some tries, on a machine that does other things. */
static void test_sleepers_are_woken(void **state)
{
    (void)state;
    for (unsigned floor = 0; floor < 2; floor++) {
        unsigned best = 255;
        for (unsigned n = 0; n < 8 && best > 60; n++) {
            unsigned ms = floor ? b_waited(6000, 5000, REGION_GO, REGION_GO)
                                : b_waited(UINT64_MAX, UINT64_MAX, REGION_QUIET, REGION_QUIET);
            best = ms < best ? ms : best;
        }
        assert_in_range(best, 20, 60);
    }
}

/* A message that is not taken for a while: neither is told of quiet, however long both wait; nor is a host's partner
 * when there is one. */
static uint64_t begun;
static bool after_a_while(void *ctx)
{
    (void)ctx;
    return peers_clock() - begun > UINT64_C(300000000);
}

static void test_a_message_under_way(void **state)
{
    int fd = region_make(REGION_NONE), status;
    struct side s;
    uint64_t message = 7;
    (void)state;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        side_open(&s, fd, 1);
        begun = peers_clock();
        struct region_waiter w = {.next = UINT64_MAX, .need = UINT64_MAX, .look = after_a_while};
        if (region_wait(s.r, &w) != REGION_GO)
            _exit(1);
        link_send(&s.out, 200, &message);
        s.out.transport->promise(&s.out, 201);
        _exit(wait_for(&s, UINT64_MAX, UINT64_MAX) == REGION_GO ? 0 : 2);
    }
    side_open(&s, fd, 0);
    link_send(&s.out, 100, &message);
    assert_int_equal(wait_for(&s, UINT64_MAX, UINT64_MAX), REGION_GO);
    assert_int_equal(s.in.transport->peek(&s.in), 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0); /* its message was still there */
    side_close(&s);
    close(fd);
}

/* With a host only its process is told of quiet; the other waits until the host has left. */
static void test_the_host_is_told(void **state)
{
    (void)state;
    for (uint32_t host = 0; host < 2; host++) {
        int fd = region_make(host), status;
        struct side s;
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            side_open(&s, fd, 1 - host);
            _exit(wait_for(&s, UINT64_MAX, UINT64_MAX) == REGION_ENDED ? 0 : 1);
        }
        side_open(&s, fd, host);
        assert_int_equal(wait_for(&s, UINT64_MAX, UINT64_MAX), REGION_QUIET);
        assert_int_equal(wait_for(&s, UINT64_MAX, UINT64_MAX), REGION_QUIET); /* again: nothing happened */
        assert_int_equal(atomic_load(&region_entry(s.r, host)->version) & 1, 0);
        assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
        side_close(&s);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
        close(fd);
    }
}

/* ---- shared memory that cannot be had: one line, nothing left open */
static int without(int resource)
{
    struct region_plan plan = {PROCESSES, 2, LINKS, 2, REGION_NONE};
    int out = dup(2), line[2];
    char text[300];
    if (pipe(line) != 0 || dup2(line[1], 2) < 0)
        return 2;
    close(line[1]);
    int next = dup(out); /* the lowest descriptor that is free */
    close(next);
    struct rlimit before, tight;
    getrlimit(resource, &before);
    tight = (struct rlimit){resource == RLIMIT_NOFILE ? (rlim_t)next : 1, before.rlim_max};
    setrlimit(resource, &tight);
    int fd = region_create(&plan);
    setrlimit(resource, &before);
    dup2(out, 2);
    ssize_t n = read(line[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    int free_now = dup(out);
    return fd != -1                                                                  ? 3
           : strncmp(text, "gantry: links: shared memory of ", 32) != 0              ? 4
           : strchr(text, '\n') != text + strlen(text) - 1                           ? 5
           : strstr(text, strerror(resource == RLIMIT_AS ? ENOMEM : EMFILE)) == NULL ? 6
           : free_now != next                                                        ? 7
                                                                                     : 0;
}

static void test_no_shared_memory(void **state)
{
    static const int resources[] = {RLIMIT_NOFILE, RLIMIT_AS};
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        int status;
        pid_t pid = fork();
        if (pid == 0)
            _exit(without(resources[n]));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    int fd = region_make(REGION_NONE);
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int reads = open(path, O_RDONLY | O_CLOEXEC);
    struct hello hello = hello_make("r", "g", "c", 1);
    catch_errors();
    struct region *r = region_open(reads, 0, &hello, 1);
    const char *text = release_errors();
    assert_null(r);
    assert_non_null(strstr(text, "gantry: links: shared memory of "));
    assert_non_null(strstr(text, strerror(EACCES)));
    close(reads);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sleepers_are_woken),
        cmocka_unit_test(test_a_message_under_way),
        cmocka_unit_test(test_the_host_is_told),
        cmocka_unit_test(test_no_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
