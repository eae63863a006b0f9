/* SPDX-License-Identifier: Apache-2.0
 * The driver's socket: accepts threads of clients, reads requests, sends answers, notices processes that have gone.
 * Not responsible for: what is asked (ioctl.c), when waits are answered (gate.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/xalloc.h"
#include "clients/address.h"
#include "clients/peer.h"
#include "clock/process_order.h"
#include "driver/driver.h"
#include "driver/topology.h"
#include "vm/pmem.h"

#define RENDER_FIRST 128u
#define BACKLOG 256
#define ACCEPT_AT_ONCE 64u /* then others have their turn */
#define FILES_LEAST 64u
#define FILES_MOST (1u << 20)
#define SLEEP_MOST (UINT64_C(1) << 62) /* cycle that no clock reaches */

/* As many descriptors as the system grants: each thread of a client takes one. */
static void descriptors_raise(struct driver *d)
{
    struct rlimit files;
    d->conn_room = FILES_LEAST;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0)
        return;
    d->files_before = files.rlim_cur;
    files.rlim_cur = files.rlim_max;
    uint64_t all = setrlimit(RLIMIT_NOFILE, &files) < 0 ? d->files_before : files.rlim_max;
    all = all < FILES_MOST ? all : FILES_MOST;
    if (all / 2 > d->conn_room)
        d->conn_room = (unsigned)(all / 2); /* the rest: memory, processes, files */
}

static void spare_open(struct driver *d)
{
    d->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int server_open(struct driver *d)
{
    struct sockaddr_un address;
    descriptors_raise(d);
    d->kfd_token = pmem_sealed_file("gantry-kfd", 0);
    for (unsigned g = 0; g < machine_gpus(d->machine); g++)
        d->dri_token[g] = pmem_sealed_file("gantry-render", 0);
    spare_open(d);
    d->listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int folder = address_open(d->root, &address);
    int status = d->listen_fd < 0 || folder < 0 ||
                         bind(d->listen_fd, (struct sockaddr *)&address, sizeof address) < 0 ||
                         listen(d->listen_fd, BACKLOG) < 0
                     ? -1
                     : 0;
    int error = errno;
    close(folder); /* -1: nothing happens */
    errno = error;
    return status;
}

static void descriptor_close(int *fd)
{
    close(*fd); /* NO_FILE: nothing happens */
    *fd = NO_FILE;
}

void server_close(struct driver *d)
{
    while (d->conns) {
        struct conn *conn = d->conns;
        d->conns = conn->next;
        close(conn->fd);
        free(conn);
    }
    descriptor_close(&d->listen_fd);
    descriptor_close(&d->spare_fd);
    descriptor_close(&d->kfd_token);
    for (unsigned g = 0; g < DRIVER_GPUS; g++)
        descriptor_close(&d->dri_token[g]);
}

/* The answer to the first request, whatever it will be. */
static void conn_refuse(struct driver *d, int fd, int error, const char *why)
{
    const struct shim_answer answer = {.result = ANSWER_REFUSED, .error = (uint32_t)error};
    (void)!send(fd, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT); /* it may have gone */
    close(fd);
    log_warn("driver", "connection refused: %s (%u so far)", why, ++d->refused);
}

/* Room for a connection of that process: no process takes more than half of what there is. */
static bool conn_fits(const struct driver *d, pid_t pid)
{
    unsigned all = 0, own = 0;
    for (const struct conn *conn = d->conns; conn; conn = conn->next) {
        all++;
        own += conn->pid == pid;
    }
    return all < d->conn_room && own < d->conn_room / 2;
}

static void conn_add(struct driver *d, int fd)
{
    char why[96];
    pid_t pid = 0;
    close(d->spare_fd); /* looking at the peer takes one, too */
    bool belongs = peer_belongs(fd, &pid, why, sizeof why);
    spare_open(d);
    if (d->spare_fd < 0) {
        conn_refuse(d, fd, EMFILE, "out of descriptors");
        spare_open(d);
        return;
    }
    if (!belongs) {
        conn_refuse(d, fd, EACCES, why);
        return;
    }
    if (!conn_fits(d, pid)) {
        snprintf(why, sizeof why, "process %d: no more than %u connections, %u for a process", (int)pid, d->conn_room,
                 d->conn_room / 2);
        conn_refuse(d, fd, EMFILE, why);
        return;
    }
    struct conn *conn = xcalloc(1, sizeof *conn);
    *conn = (struct conn){.fd = fd, .pid = pid};
    struct conn **link = &d->conns;
    while (*link)
        link = &(*link)->next;
    *link = conn;
}

/* Without a free descriptor nobody could be told that there is none, and the socket would stay readable: the spare one
 * serves for that. */
static bool conn_turn_away(struct driver *d)
{
    if ((errno != EMFILE && errno != ENFILE) || d->spare_fd < 0)
        return false;
    close(d->spare_fd);
    int fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        conn_refuse(d, fd, EMFILE, "out of descriptors");
    spare_open(d);
    return fd >= 0;
}

static void conns_accept(struct driver *d)
{
    for (unsigned n = 0; n < ACCEPT_AT_ONCE; n++) {
        int fd = accept4(d->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            conn_add(d, fd);
        else if (!conn_turn_away(d))
            return;
    }
}

void server_answer(struct driver *d, struct conn *conn, const struct shim_answer *answer, int fd)
{
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {(void *)(uintptr_t)answer, sizeof *answer};
    d->moved = true;
    d->answers++;
    watch_answered(d, conn);
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
        *fd = error ? NO_FILE : d->kfd_token;
        return error;
    }
    unsigned gpu = conn->request.index - RENDER_FIRST;
    *fd = gpu < machine_gpus(d->machine) ? d->dri_token[gpu] : NO_FILE;
    return *fd < 0 ? ENOENT : 0;
}

/* Which file lies behind what a client maps: pages of its own, or a slab of its own. */
static int mmap_serve(struct driver *d, struct conn *conn, struct shim_answer *answer, int *fd)
{
    struct map_place place = {0};
    const uint64_t offset = conn->request.arg;
    unsigned gpu = conn->request.index - RENDER_FIRST;
    memcpy(&place.bytes, conn->request.data, sizeof place.bytes);
    if (conn->request.index == 0)
        *fd = queue_map_offset(d, conn->client, offset, place.bytes, &place.offset) ? NO_FILE : conn->client->page_fd;
    else
        *fd = memory_map_file(d, conn->client, gpu, offset, &place.bytes, &place.offset);
    if (*fd < 0)
        log_warn("driver", "client %u: mmap offset 0x%llx refused", conn->client->index, (unsigned long long)offset);
    memcpy(answer->data, &place, sizeof place);
    return *fd < 0 ? EINVAL : 0;
}

static void sleep_serve(struct driver *d, struct conn *conn)
{
    if (!machine_started(d->machine)) {
        struct shim_answer answer = {.result = 1}; /* no clock yet: sleep for real */
        server_answer(d, conn, &answer, NO_FILE);
        return;
    }
    uint64_t now = client_cycle(d), cycles = conn->request.arg > WAIT_LEAST ? conn->request.arg : WAIT_LEAST;
    conn->state = CONN_SLEEP;
    conn->deadline = cycles < SLEEP_MOST - now ? now + cycles : NEVER;
}

/* The life line of a process.  A second one means that the process runs another program now: what the first had is
 * gone, as the kernel's driver sees it. */
static void hello_serve(struct driver *d, struct conn *conn)
{
    if (conn->client->greeted && conn->client->opened) {
        client_end(d, conn->client); /* and its connections, this one too */
        conn->gone = false;
        conn->client = client_get(d, conn->pid);
    }
    conn->client->greeted = true;
}

void server_serve(struct driver *d, struct conn *conn)
{
    struct shim_answer answer = {0};
    int fd = NO_FILE, error = 0;
    d->changed = true;
    switch (conn->request.op) {
    case REQ_HELLO:
        hello_serve(d, conn);
        break;
    case REQ_OPEN_KFD:
    case REQ_OPEN_DRI:
        error = open_serve(d, conn, &fd);
        break;
    case REQ_IOCTL:
        if (!ioctl_serve(d, conn, &answer))
            return;
        server_answer(d, conn, &answer, NO_FILE);
        return;
    case REQ_MMAP:
        error = mmap_serve(d, conn, &answer, &fd);
        break;
    case REQ_PARK:
        conn->state = CONN_PARK;
        conn->deadline = client_cycle(d) + PARK_MOST;
        return;
    case REQ_CLOCK:
        memcpy(answer.data, &(uint64_t){client_cycle(d)}, sizeof(uint64_t));
        break;
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
    }
    server_answer(d, conn, &answer, fd);
}

static void request_take(struct driver *d, struct conn *conn)
{
    d->changed = true;
    const bool looks = conn->request.op == REQ_PARK || conn->request.op == REQ_CLOCK; /* asks for nothing */
    if (!looks)
        conn->looked = false;
    d->requests += !looks && !(conn->request.op == REQ_IOCTL && ioctl_waits(&conn->request));
    watch_asked(d, conn);
    if (order_holds(d, conn))
        conn->state = CONN_HELD;
    else
        server_serve(d, conn);
}

static void conn_read(struct driver *d, struct conn *conn)
{
    struct shim_request request;
    ssize_t got = recv(conn->fd, &request, sizeof request, MSG_DONTWAIT | MSG_TRUNC);
    if (got != (ssize_t)sizeof request || conn->state != CONN_RUNNING) { /* one request at a time */
        conn->gone = true;
        d->changed = true;
        return;
    }
    conn->request = request;
    conn->tid = request.tid;
    if (!conn->client)
        conn->client = client_forked(d, conn->pid, request.op == REQ_HELLO ? (pid_t)request.arg : 0);
    request_take(d, conn);
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
static void clients_check(struct driver *d, const struct pollfd *fds)
{
    for (struct client *c = d->clients; c; c = c->next) {
        bool over = c->pidfd >= 0 ? false : kill(c->pid, 0) < 0;
        for (size_t i = 0; c->pidfd >= 0 && fds[i].fd != -2; i++)
            over |= fds[i].fd == c->pidfd && fds[i].revents;
        if (over && !c->over)
            order_ended(d, c);
    }
}

bool server_poll(struct driver *d, long timeout_us, int extra_fd)
{
    size_t count = 3, n = 0; /* with the end, and one for each client even if it has none */
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        count++;
    for (struct client *c = d->clients; c; c = c->next)
        count++;
    struct pollfd *fds = xcalloc(count, sizeof *fds);
    fds[n++] = (struct pollfd){.fd = d->listen_fd, .events = POLLIN};
    fds[n++] = (struct pollfd){.fd = extra_fd, .events = POLLIN};
    for (struct conn *conn = d->conns; conn; conn = conn->next)
        fds[n++] = (struct pollfd){.fd = conn->fd, .events = POLLIN};
    for (struct client *c = d->clients; c; c = c->next)
        if (c->pidfd >= 0 && !c->ended && !c->over)
            fds[n++] = (struct pollfd){.fd = c->pidfd, .events = POLLIN};
    fds[n].fd = -2; /* end */
    struct timespec timeout = {.tv_nsec = timeout_us * 1000};
    bool any = ppoll(fds, n, &timeout, NULL) > 0;
    if (any) {
        size_t i = 2;
        for (struct conn *conn = d->conns; conn; conn = conn->next, i++)
            if (fds[i].revents && !conn->gone)
                conn_read(d, conn);
        clients_check(d, fds);
        if (fds[0].revents)
            conns_accept(d);
        conns_sweep(d);
        client_reap(d);
    }
    free(fds);
    return any;
}
