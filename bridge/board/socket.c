/* SPDX-License-Identifier: Apache-2.0
 * Sockets as byte streams; contract in socket.h.
 */
#include "bridge/board/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define CLOSED "the other side has closed the connection"

static ssize_t lost(struct board_socket *s, const char *cause)
{
    snprintf(s->why, sizeof s->why, "%s", cause);
    return -1;
}

/* Nothing was to be had: not yet, or never more. */
static ssize_t nothing(struct board_socket *s)
{
    if (errno == EAGAIN || errno == EINTR)
        return 0;
    return lost(s, errno == ECONNRESET || errno == EPIPE ? CLOSED : strerror(errno));
}

static ssize_t socket_write(void *ctx, const void *bytes, size_t n)
{
    struct board_socket *s = ctx;
    ssize_t taken = send(s->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
    return taken < 0 ? nothing(s) : taken;
}

static ssize_t socket_read(void *ctx, void *bytes, size_t room, unsigned ms)
{
    struct board_socket *s = ctx;
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    if (poll(&p, 1, (int)ms) <= 0)
        return s->here && !s->here(s->ctx) ? lost(s, "no answer any more") : 0;
    ssize_t taken = recv(s->fd, bytes, room, MSG_DONTWAIT);
    if (taken == 0)
        return lost(s, CLOSED);
    return taken < 0 ? nothing(s) : taken;
}

static const char *socket_why(void *ctx)
{
    return ((struct board_socket *)ctx)->why;
}

static uint64_t socket_now_ms(void *ctx)
{
    struct timespec now;
    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct stream_port board_socket_port(struct board_socket *socket)
{
    return (struct stream_port){socket, socket_write, socket_read, socket_why, socket_now_ms};
}
