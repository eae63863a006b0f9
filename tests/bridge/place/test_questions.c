// SPDX-License-Identifier: Apache-2.0
// Questions between processes piece by piece: what comes in any pieces is whole, what ends or is given up early leaves
// nothing behind.
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/place/questions.h"

static int ends[2];

static int pair_open(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}
static int pair_close(void **state)
{
    (void)state;
    close(ends[0]);
    if (ends[1] >= 0)
        close(ends[1]);
    return 0;
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* At each question whether to go on: the next piece of a message, then no. */
struct pieces {
    const uint8_t *bytes;
    size_t sent, count, piece;
    unsigned asked;
};
static bool next_piece(void *ctx)
{
    struct pieces *p = ctx;
    p->asked++;
    if (p->sent == p->count)
        return false;
    size_t n = p->count - p->sent < p->piece ? p->count - p->sent : p->piece;
    assert_int_equal(write(ends[0], p->bytes + p->sent, n), n);
    p->sent += n;
    return true;
}

/* Heads and data in pieces that end anywhere. */
static void test_pieces(void **state)
{
    static const size_t pieces[] = {7, sizeof(struct ask), sizeof(struct ask) + 3, 100};
    uint8_t message[sizeof(struct ask) + 5];
    const struct ask sent = {.kind = 3, .memory = 4, .a = UINT64_MAX, .b = 7, .bytes = 5};
    (void)state;
    memcpy(message, &sent, sizeof sent);
    memcpy(message + sizeof sent, "hello", 5);
    for (unsigned n = 0; n < sizeof pieces / sizeof *pieces; n++) {
        struct pieces p = {message, 0, sizeof message, pieces[n], 0};
        struct ask ask = {0};
        void *data = NULL;
        int fd = 99;
        assert_true(ask_receive(ends[1], &ask, &data, &fd, next_piece, &p));
        assert_memory_equal(&ask, &sent, sizeof ask);
        assert_string_equal(data, "hello"); /* with a 0 behind it */
        assert_int_equal(fd, -1);
        assert_int_equal(p.asked, (sizeof message + pieces[n] - 1) / pieces[n]); /* waited for, not spun */
        free(data);
    }
}

/* Given up, or the other end closed, at any place within a message: no buffer, no descriptor. */
static void test_what_is_not_whole(void **state)
{
    uint8_t message[sizeof(struct ask) + 5] = {0};
    const struct ask sent = {.kind = 3, .bytes = 5};
    static const size_t counts[] = {0, 1, sizeof(struct ask) - 1, sizeof(struct ask), sizeof(struct ask) + 4};
    memcpy(message, &sent, sizeof sent);
    for (unsigned n = 0; n < sizeof counts / sizeof *counts; n++) {
        for (unsigned closed = 0; closed < 2; closed++) {
            struct pieces none = {message, 0, 0, 1, 0};
            struct ask ask;
            void *data = &ask;
            int fd = 99;
            assert_int_equal(write(ends[0], message, counts[n]), counts[n]);
            if (closed)
                shutdown(ends[0], SHUT_WR);
            assert_false(ask_receive(ends[1], &ask, &data, &fd, next_piece, &none));
            assert_null(data);
            assert_int_equal(fd, -1);
            assert_int_equal(none.asked, !closed);
            pair_close(state);
            assert_int_equal(pair_open(state), 0);
        }
    }
}

/* A descriptor comes with a message, close-on-exec, also with one without data; of a message that is not whole, or of a
 * length that is nonsense, it is closed. */
static void test_descriptors(void **state)
{
    struct ask ask = {.kind = 1};
    void *data;
    (void)state;
    int memory = memfd_create("memory", MFD_CLOEXEC), fd = 99;
    const unsigned before = descriptors();
    for (unsigned n = 0; n < 2; n++) {
        ask.bytes = n ? 5 : 0;
        assert_true(ask_send(ends[0], &ask, "hello", memory, NULL, NULL));
        assert_true(ask_receive(ends[1], &ask, &data, &fd, NULL, NULL));
        assert_true(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC);
        assert_string_equal(data, n ? "hello" : "");
        free(data);
        close(fd);
    }
    struct msghdr message = {.msg_iov = &(struct iovec){&ask, sizeof ask}, .msg_iovlen = 1};
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    *CMSG_FIRSTHDR(&message) = (struct cmsghdr){CMSG_LEN(sizeof memory), SOL_SOCKET, SCM_RIGHTS};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), &memory, sizeof memory);
    ask.bytes = UINT64_C(1) << 32; /* nobody makes room for it */
    assert_int_equal(sendmsg(ends[0], &message, 0), sizeof ask);
    assert_false(ask_receive(ends[1], &ask, &data, &fd, NULL, NULL));
    assert_null(data);
    assert_int_equal(fd, -1);
    assert_int_equal(descriptors(), before);
    ask.bytes = 5;
    assert_int_equal(sendmsg(ends[0], &message, 0), sizeof ask);
    shutdown(ends[0], SHUT_WR);
    assert_false(ask_receive(ends[1], &ask, &data, &fd, NULL, NULL));
    assert_null(data);
    assert_int_equal(fd, -1);
    assert_int_equal(descriptors(), before);
    close(memory);
}

/* ---- sending */
struct drain {
    size_t got;
    unsigned asked;
    bool wrong, stops;
};
static bool drain_some(void *ctx)
{
    static uint8_t bytes[1 << 16];
    struct drain *d = ctx;
    d->asked++;
    if (d->stops)
        return false;
    for (ssize_t n; (n = recv(ends[1], bytes, sizeof bytes, MSG_DONTWAIT)) > 0; d->got += (size_t)n)
        for (ssize_t i = 0; i < n; i++) {
            size_t at = d->got + (size_t)i;
            d->wrong |= at >= sizeof(struct ask) && bytes[i] != (uint8_t)((at - sizeof(struct ask)) % 251);
        }
    return true;
}

/* More than the socket holds goes through in order, as the other end takes it; when that takes nothing, the wait ends
 * as soon as nobody wants it. */
static void test_sending_waits(void **state)
{
    enum { MANY = 1 << 20 };
    static uint8_t data[MANY];
    struct ask ask = {.bytes = MANY};
    struct drain d = {0}, stops = {.stops = true};
    (void)state;
    for (size_t i = 0; i < MANY; i++)
        data[i] = (uint8_t)(i % 251);
    assert_true(ask_send(ends[0], &ask, data, -1, drain_some, &d));
    drain_some(&d);
    assert_true(d.asked > 1 && !d.wrong);
    assert_int_equal(d.got, sizeof ask + MANY);
    assert_false(ask_send(ends[0], &ask, data, -1, drain_some, &stops));
    assert_int_equal(stops.asked, 1);
    assert_false(ask_send(ends[0], &ask, data, -1, drain_some, &stops)); /* no room for a head either */
    assert_int_equal(stops.asked, 2);
    close(ends[1]);
    ends[1] = -1;
    assert_false(ask_send(ends[0], &ask, data, -1, NULL, NULL)); /* and no signal */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pieces, pair_open, pair_close),
        cmocka_unit_test_setup_teardown(test_what_is_not_whole, pair_open, pair_close),
        cmocka_unit_test_setup_teardown(test_descriptors, pair_open, pair_close),
        cmocka_unit_test_setup_teardown(test_sending_waits, pair_open, pair_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
