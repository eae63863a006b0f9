/* SPDX-License-Identifier: Apache-2.0
 * For tests of the driver's socket: a driver that listens in a folder of its own and whose log is kept, clients that
 * are processes, and threads of a client whose other end the case holds.
 */
#ifndef TESTS_HOST_DRIVER_SERVER_BENCH_H
#define TESTS_HOST_DRIVER_SERVER_BENCH_H
#include "bench.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "clients/address.h"

#define REFUSED 40 /* exit status of a client: plus errno */

static FILE *log_file;

static inline int server_setup(void **state)
{
    char root[] = "/tmp/gantry-test-XXXXXX";
    if (setup(state) < 0 || !mkdtemp(root))
        return -1;
    struct bench *b = *state;
    strcpy(b->d->root, root);
    log_file = tmpfile();
    log_set_file(log_file);
    log_set_level(LOG_LEVEL_ERROR);
    return server_open(b->d);
}

static inline int server_teardown(void **state)
{
    struct bench *b = *state;
    char root[256];
    strcpy(root, b->d->root);
    int status = teardown(state);
    topology_remove(root);
    log_set_file(NULL);
    fclose(log_file);
    return status;
}

static inline unsigned logged_times(const char *text)
{
    static char all[65536];
    unsigned times = 0;
    fflush(log_file);
    rewind(log_file);
    all[fread(all, 1, sizeof all - 1, log_file)] = 0;
    for (const char *at = all; (at = strstr(at, text)); at++)
        times++;
    return times;
}

static inline bool logged(const char *text)
{
    return logged_times(text) > 0;
}

/* In a client: -1 with errno, else a connection. */
static inline int client_connect(const struct bench *b)
{
    struct sockaddr_un address;
    int folder = address_open(b->d->root, &address);
    int fd = folder < 0 ? -1 : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
        fd = -1;
    int error = errno;
    close(folder);
    errno = error;
    return fd;
}

/* In a client: errno of the request, REFUSED with errno when turned away, 255 when the driver has closed. */
static inline int ask(int fd, const struct shim_request *request)
{
    struct shim_answer answer;
    ssize_t got;
    send(fd, request, sizeof *request, MSG_NOSIGNAL);
    while ((got = recv(fd, &answer, sizeof answer, 0)) < 0 && errno == ECONNRESET)
        ;
    if (got <= 0)
        return 255;
    return answer.result == ANSWER_REFUSED ? REFUSED + (int)answer.error : (int)answer.error;
}

static inline int say(int fd, enum request_op op)
{
    return ask(fd, &(struct shim_request){.op = op, .tid = getpid()});
}

/* Serves until the process ends; its exit status. */
static inline int serve(struct bench *b, pid_t pid)
{
    int status = 0;
    time_t end = time(NULL) + 30;
    b->d->program = pid; /* others that end are reaped by the driver */
    while (waitpid(pid, &status, WNOHANG) == 0) {
        server_poll(b->d, 5000, -1);
        assert_true(time(NULL) < end);
    }
    for (unsigned i = 0; i < 3; i++)
        server_poll(b->d, 1000, -1);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static inline unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static inline struct client *client_of(struct bench *b, pid_t pid)
{
    struct client *c = b->d->clients;
    while (c && (c->pid != pid || c->ended))
        c = c->next;
    return c;
}

static inline unsigned conn_count(const struct bench *b)
{
    unsigned n = 0;
    for (const struct conn *conn = b->d->conns; conn; conn = conn->next)
        n++;
    return n;
}

/* A connection of this process, as if it were a client's thread; its other end. */
static inline int thread_add(struct bench *b, struct conn **conn)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    *conn = calloc(1, sizeof **conn);
    **conn = (struct conn){.fd = ends[0], .pid = getpid(), .client = b->client[0], .next = b->d->conns};
    b->d->conns = *conn;
    return ends[1];
}

/* Sends it and lets the driver look once: what it answers, with the inode of the file that came along (0: none). */
static inline struct shim_answer asked(struct bench *b, int end, const struct shim_request *request, ino_t *file)
{
    struct shim_answer answer = {.result = 99};
    struct iovec part = {&answer, sizeof answer};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    struct stat s;
    *file = 0;
    assert_int_equal(send(end, request, sizeof *request, 0), sizeof *request);
    assert_true(server_poll(b->d, 0, -1));
    if (recvmsg(end, &message, MSG_DONTWAIT) < 0)
        return answer;
    if (message.msg_controllen >= sizeof control.header && CMSG_FIRSTHDR(&message)) {
        int fd;
        assert_int_equal(control.header.cmsg_type, SCM_RIGHTS);
        memcpy(&fd, CMSG_DATA(&control.header), sizeof fd);
        assert_int_equal(fstat(fd, &s), 0);
        *file = s.st_ino;
        close(fd);
    }
    return answer;
}

static inline ino_t inode_of(int fd)
{
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    return s.st_ino;
}

#define SERVED(f) cmocka_unit_test_setup_teardown(f, server_setup, server_teardown)
#endif
