// SPDX-License-Identifier: Apache-2.0
// Questions over a socket that is played by the test: what a call that was interrupted, took less or failed means, how
// long is waited for it, and that neither a signal nor a socket that takes nothing can stop who asks.
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "bridge/place/questions.h"

enum { SOCKET = 777 };
struct script {
    const long *answers; /* less than 0: -errno; else what a call moves at most */
    unsigned count, at;
};
static struct script polls, moves; /* of poll; of send and recv */
static long first;                 /* of sendmsg or recvmsg */
static int timeout_seen;
static uint8_t wire[256]; /* what has been sent, or is received */
static size_t on_wire, taken;
static unsigned calls;

static long next(struct script *s, long otherwise)
{
    long answer = s->at < s->count ? s->answers[s->at++] : otherwise;
    if (answer >= 0)
        return answer;
    errno = (int)-answer;
    return -1;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized" /* the C library says of poll that it only writes */
int poll(struct pollfd *p, nfds_t n, int timeout)
{
    assert_true(n == 1 && p->fd == SOCKET && (p->events == POLLIN || p->events == POLLOUT) && p->revents == 0);
    timeout_seen = timeout;
    return (int)next(&polls, 1);
}
#pragma GCC diagnostic pop

ssize_t send(int socket, const void *data, size_t bytes, int flags)
{
    long n = next(&moves, (long)bytes);
    assert_true(socket == SOCKET && flags == (MSG_NOSIGNAL | MSG_DONTWAIT));
    calls++;
    n = n > (long)bytes ? (long)bytes : n;
    if (n > 0) {
        memcpy(wire + on_wire, data, (size_t)n);
        on_wire += (size_t)n;
    }
    return n;
}

ssize_t recv(int socket, void *data, size_t bytes, int flags)
{
    long n = next(&moves, (long)bytes);
    assert_true(socket == SOCKET && flags == MSG_DONTWAIT);
    calls++;
    n = n > (long)bytes ? (long)bytes : n;
    if (n > 0) {
        assert_true(taken + (size_t)n <= on_wire);
        memcpy(data, wire + taken, (size_t)n);
        taken += (size_t)n;
    }
    return n;
}

ssize_t sendmsg(int socket, const struct msghdr *m, int flags)
{
    assert_true(socket == SOCKET && flags == MSG_NOSIGNAL && m->msg_iovlen == 1);
    assert_int_equal(m->msg_iov[0].iov_len, sizeof(struct ask));
    assert_true(m->msg_controllen == 0 && m->msg_control == NULL);
    if (first < 0)
        errno = (int)-first;
    if (first > 0) {
        memcpy(wire, m->msg_iov[0].iov_base, (size_t)first);
        on_wire = (size_t)first;
    }
    return first < 0 ? -1 : first;
}

ssize_t recvmsg(int socket, struct msghdr *m, int flags)
{
    assert_true(socket == SOCKET && flags == MSG_CMSG_CLOEXEC);
    m->msg_controllen = 0;
    if (first < 0)
        errno = (int)-first;
    if (first > 0) {
        memcpy(m->msg_iov[0].iov_base, wire, (size_t)first);
        taken = (size_t)first;
    }
    return first < 0 ? -1 : first;
}

static void script(struct script *s, const long *answers, unsigned count)
{
    *s = (struct script){answers, count, 0};
}
static void clear(void)
{
    memset(wire, 0, sizeof wire);
    on_wire = taken = calls = 0;
    first = sizeof(struct ask);
    script(&polls, NULL, 0);
    script(&moves, NULL, 0);
}

struct patience {
    unsigned left, asked;
};
static bool wanted(void *ctx)
{
    struct patience *p = ctx;
    p->asked++;
    return p->left-- > 0;
}

static const struct ask ASK = {.kind = 3, .memory = 4, .a = 5, .b = 6, .bytes = 9};
static bool send_it(bool (*wait)(void *ctx), void *ctx)
{
    return ask_send(SOCKET, &ASK, "012345678", -1, wait, ctx);
}
static void wire_whole(void)
{
    memcpy(wire, &ASK, sizeof ASK);
    memcpy(wire + sizeof ASK, "012345678", 9);
    on_wire = sizeof ASK + 9;
}
static bool receive_it(bool (*wait)(void *ctx), void *ctx)
{
    struct ask ask;
    void *data = NULL;
    int fd = 5;
    wire_whole();
    bool whole = ask_receive(SOCKET, &ask, &data, &fd, wait, ctx);
    assert_int_equal(fd, -1);
    assert_int_equal(data != NULL, whole);
    if (whole) {
        assert_memory_equal(&ask, &ASK, sizeof ask);
        assert_string_equal(data, "012345678");
    }
    free(data);
    return whole;
}

/* Interrupted, no room or nothing there after all, a piece: it goes on where it was.  Anything else is the end. */
static void test_pieces_and_errors(void **state)
{
    static const struct {
        long answers[4];
        unsigned count, calls;
        bool sent, received;
    } cases[] = {{{0}, 0, 1, true, true},
                 {{-EAGAIN}, 1, 2, true, true},
                 {{-EINTR}, 1, 2, true, true},
                 {{1}, 1, 2, true, true},
                 {{1, -EAGAIN, 7}, 3, 4, true, true},
                 {{8, -EINTR}, 2, 3, true, true},
                 {{-EPIPE}, 1, 1, false, false},
                 {{3, -ECONNRESET}, 2, 2, false, false},
                 {{0}, 1, 2, true, false}}; /* nothing: none is taken; the end */
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        clear();
        script(&moves, cases[n].answers, cases[n].count);
        assert_int_equal(send_it(NULL, NULL), cases[n].sent);
        assert_int_equal(calls, cases[n].calls);
        if (cases[n].sent) {
            assert_int_equal(on_wire, sizeof ASK + 9);
            assert_memory_equal(wire, &ASK, sizeof ASK);
            assert_memory_equal(wire + sizeof ASK, "012345678", 9);
        }
        clear();
        script(&moves, cases[n].answers, cases[n].count);
        assert_int_equal(receive_it(NULL, NULL), cases[n].received);
        assert_int_equal(calls, cases[n].received || n == 6 || n == 7 ? cases[n].calls : 1);
    }
}

/* A head goes in one piece or not at all; one that comes in two is put together. */
static void test_heads(void **state)
{
    static const long firsts[] = {sizeof(struct ask), sizeof(struct ask) - 1, 1, 0, -EPIPE, -EINTR};
    (void)state;
    for (unsigned n = 0; n < sizeof firsts / sizeof *firsts; n++) {
        clear();
        first = firsts[n];
        assert_int_equal(send_it(NULL, NULL), n == 0);
        assert_int_equal(calls, n == 0);
        clear();
        first = firsts[n];
        assert_int_equal(receive_it(NULL, NULL), n < 3);
    }
}

/* Without anybody to ask it waits as long as it takes, through signals; else it asks each time it found nothing, and a
 * socket that is none is the end. */
static void test_waiting(void **state)
{
    static const long signals[] = {-EINTR, -EINTR}, nothing[] = {0, -EINTR, 0}, none[] = {-EBADF};
    (void)state;
    for (unsigned sends = 0; sends < 2; sends++) {
        bool (*const act)(bool (*wait)(void *ctx), void *ctx) = sends ? send_it : receive_it;
        clear();
        script(&polls, signals, 2);
        assert_true(act(NULL, NULL));
        assert_true(polls.at == 2 && timeout_seen == -1);
        struct patience p = {3, 0};
        clear();
        script(&polls, nothing, 3);
        assert_true(act(wanted, &p));
        assert_true(p.asked == 3 && polls.at == 3 && timeout_seen == ASK_LOOK_MS);
        p = (struct patience){1, 0};
        clear();
        script(&polls, nothing, 3);
        assert_false(act(wanted, &p));
        assert_true(p.asked == 2 && polls.at == 2 && calls == 0);
        clear();
        script(&polls, none, 1);
        p = (struct patience){9, 0};
        assert_false(act(wanted, &p));
        assert_true(p.asked == 0 && calls == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_and_errors),
        cmocka_unit_test(test_heads),
        cmocka_unit_test(test_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
