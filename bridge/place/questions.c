/* SPDX-License-Identifier: Apache-2.0
 * Questions and answers; contract in questions.h.
 */
#include "bridge/place/questions.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"

#define ASK_MOST (UINT64_C(1) << 32) /* bytes of a message: against nonsense only */

static bool ready(int socket, short events, bool (*wait)(void *ctx), void *ctx)
{
    struct pollfd p = {.fd = socket, .events = events};
    for (;;) {
        int n = poll(&p, 1, wait ? ASK_LOOK_MS : -1);
        if (n > 0)
            return true;
        if ((n < 0 && errno != EINTR) || (wait && !wait(ctx)))
            return false;
    }
}

static bool bytes_send(int socket, const void *data, uint64_t bytes, bool (*wait)(void *ctx), void *ctx)
{
    for (const char *at = data; bytes > 0;) {
        if (!ready(socket, POLLOUT, wait, ctx))
            return false;
        ssize_t n = send(socket, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

static bool bytes_receive(int socket, void *data, uint64_t bytes, bool (*wait)(void *ctx), void *ctx)
{
    for (char *at = data; bytes > 0;) {
        if (!ready(socket, POLLIN, wait, ctx))
            return false;
        ssize_t n = recv(socket, at, bytes, MSG_DONTWAIT);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
};

/* The head is small: it goes in one piece, or not at all. */
static bool head_send(int socket, const struct ask *ask, int fd)
{
    union control control = {.bytes = {0}};
    struct iovec part = {(void *)(uintptr_t)ask, sizeof *ask};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(c), &fd, sizeof fd);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof *ask;
}

bool ask_send(int socket, const struct ask *ask, const void *data, int fd, bool (*wait)(void *ctx), void *ctx)
{
    return ready(socket, POLLOUT, wait, ctx) && head_send(socket, ask, fd) &&
           bytes_send(socket, data, ask->bytes, wait, ctx);
}

bool ask_receive(int socket, struct ask *ask, void **data, int *fd, bool (*wait)(void *ctx), void *ctx)
{
    union control control;
    struct iovec part = {ask, sizeof *ask};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *data = NULL;
    *fd = -1;
    if (!ready(socket, POLLIN, wait, ctx))
        return false;
    ssize_t n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    bool whole =
        n > 0 && bytes_receive(socket, (char *)ask + n, sizeof *ask - (size_t)n, wait, ctx) && ask->bytes < ASK_MOST;
    if (whole) {
        *data = xzalloc(ask->bytes + sizeof(char));
        whole = bytes_receive(socket, *data, ask->bytes, wait, ctx);
    }
    if (!whole) {
        free(*data);
        *data = NULL;
        close(*fd); /* -1: nothing happens */
        *fd = -1;
    }
    return whole;
}
