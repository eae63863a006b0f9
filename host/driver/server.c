/* SPDX-License-Identifier: Apache-2.0
 * The driver's socket: accepts threads of clients, reads requests, sends answers, notices processes that have gone.
 * Not responsible for: what is asked (ioctl.c), when waits are answered (gate.c).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "vm/pmem.h"

#define RENDER_FIRST 128u

int server_open(struct driver *d)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    d->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (d->listen_fd < 0)
        return -1;
    snprintf(d->socket_name, sizeof d->socket_name, "gantry-%d", (int)getpid());
    memcpy(address.sun_path + 1, d->socket_name, strlen(d->socket_name));
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(d->socket_name));
    if (bind(d->listen_fd, (struct sockaddr *)&address, length) < 0 || listen(d->listen_fd, 256) < 0)
        return -1;
    return 0;
}

void server_close(struct driver *d)
{
    while (d->conns) {
        struct conn *conn = d->conns;
        d->conns = conn->next;
        close(conn->fd);
        free(conn);
    }
    if (d->listen_fd >= 0)
        close(d->listen_fd);
    d->listen_fd = -1;
}

static void conn_accept(struct driver *d)
{
    for (int fd; (fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0;) {
        struct ucred peer;
        socklen_t length = sizeof peer;
        struct conn *conn = xcalloc(1, sizeof *conn);
        *conn = (struct conn){.fd = fd};
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0)
            conn->pid = peer.pid;
        struct conn **link = &d->conns;
        while (*link)
            link = &(*link)->next;
        *link = conn;
    }
}

void server_answer(struct driver *d, struct conn *conn, const struct shim_answer *answer, int fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {(void *)(uintptr_t)answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (fd >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header =
            (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    conn->state = CONN_RUNNING;
    conn->due = false;
    d->changed = true;
    if (sendmsg(conn->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
        conn->gone = true;
}

static int open_serve(struct driver *d, struct conn *conn, int *fd)
{
    if (conn->request.op == REQ_OPEN_KFD) {
        int error = client_open(d, conn->client);
        *fd = conn->client->page_fd;
        return error;
    }
    unsigned gpu = conn->request.index - RENDER_FIRST;
    *fd = pmem_vram_fd(machine_memory(d->machine), gpu);
    return *fd < 0 ? ENOENT : 0;
}

static int mmap_serve(struct driver *d, struct conn *conn, struct shim_answer *answer)
{
    uint64_t bytes, at = 0;
    memcpy(&bytes, conn->request.data, sizeof bytes);
    int error = queue_map_offset(d, conn->client, conn->request.arg, bytes, &at);
    if (error)
        log_warn("driver", "client %u: mmap offset 0x%llx refused", conn->client->index,
                 (unsigned long long)conn->request.arg);
    memcpy(answer->data, &at, sizeof at);
    return error;
}

static void sleep_serve(struct driver *d, struct conn *conn)
{
    if (!machine_started(d->machine)) {
        struct shim_answer answer = {.result = 1}; /* no clock yet: sleep for real */
        server_answer(d, conn, &answer, -1);
        return;
    }
    conn->state = CONN_SLEEP;
    conn->deadline = client_cycle(d) + (conn->request.arg > WAIT_LEAST ? conn->request.arg : WAIT_LEAST);
}

static void request_serve(struct driver *d, struct conn *conn)
{
    struct shim_answer answer = {0};
    int fd = -1, error = 0;
    d->changed = true;
    d->requests++;
    if (conn->request.op != REQ_PARK)
        conn->looked = false;
    switch (conn->request.op) {
    case REQ_HELLO:
        conn->hello = true;
        break;
    case REQ_OPEN_KFD:
    case REQ_OPEN_DRI:
        error = open_serve(d, conn, &fd);
        break;
    case REQ_IOCTL:
        if (!ioctl_serve(d, conn, &answer))
            return;
        server_answer(d, conn, &answer, -1);
        return;
    case REQ_MMAP:
        error = mmap_serve(d, conn, &answer);
        break;
    case REQ_PARK:
        conn->state = CONN_PARK;
        return;
    case REQ_SLEEP:
        sleep_serve(d, conn);
        return;
    default:
        error = EPROTO;
        break;
    }
    if (error) {
        answer.result = -1;
        answer.error = (uint32_t)error;
        fd = -1;
    }
    server_answer(d, conn, &answer, fd);
}

static void conn_read(struct driver *d, struct conn *conn)
{
    ssize_t got = recv(conn->fd, &conn->request, sizeof conn->request, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got != (ssize_t)sizeof conn->request) {
        conn->gone = true;
        d->changed = true;
        return;
    }
    conn->tid = conn->request.tid;
    if (!conn->client)
        conn->client = client_get(d, conn->pid);
    request_serve(d, conn);
}

static void conns_sweep(struct driver *d)
{
    for (struct conn **link = &d->conns; *link;) {
        struct conn *conn = *link;
        if (conn->gone) {
            *link = conn->next;
            close(conn->fd);
            free(conn);
        } else {
            link = &conn->next;
        }
    }
}

/* The process has ended when its pidfd is readable; without pidfds, when its life line is closed. */
static void clients_check(struct driver *d, const struct pollfd *fds, size_t first)
{
    for (struct client *c = d->clients; c; c = c->next) {
        if (c->ended)
            continue;
        bool over = c->pidfd >= 0 ? false : kill(c->pid, 0) < 0;
        for (size_t i = first; c->pidfd >= 0 && fds[i].fd != -2; i++)
            over |= fds[i].fd == c->pidfd && fds[i].revents;
        if (over)
            client_end(d, c);
    }
}

bool server_poll(struct driver *d, long timeout_us, int extra_fd)
{
    size_t count = 2;
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        count++;
    size_t conns_end = count;
    for (struct client *c = d->clients; c; c = c->next)
        count += c->pidfd >= 0 && !c->ended;
    struct pollfd *fds = xcalloc(count + 1, sizeof *fds);
    size_t n = 0;
    fds[n++] = (struct pollfd){.fd = d->listen_fd, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = extra_fd, .events = POLLIN};
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        fds[n++] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
    for (struct client *c = d->clients; c; c = c->next)
        if (c->pidfd >= 0 && !c->ended)
            fds[n++] = (struct pollfd){.fd = c->pidfd, .events = POLLIN};
    fds[n].fd = -2; /* end */
    struct timespec timeout = {timeout_us / 1000000, timeout_us % 1000000 * 1000};
    bool any = ppoll(fds, n, &timeout, NULL) > 0;
    if (any) {
        size_t i = 2;
        for (struct conn *conn = d->conns; conn && i < conns_end; conn = conn->next, i++)
            if (fds[i].revents && !conn->gone)
                conn_read(d, conn);
        clients_check(d, fds, conns_end);
        if (fds[0].revents)
            conn_accept(d);
        conns_sweep(d);
        client_reap(d);
    }
    free(fds);
    return any;
}
