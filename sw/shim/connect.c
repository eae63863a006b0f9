/* SPDX-License-Identifier: Apache-2.0
 * Connections to the driver: one for each thread that asks, one for the process (life line).  When the driver goes,
 * the kernel signals the life line and the program ends with a message, wherever its threads are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "shim.h"

#define FD_FLOOR 700 /* out of the way of the program's own descriptors */
#define EXIT_LOST 70

static __thread int thread_fd = -1;
static __thread pid_t thread_pid;
static __thread unsigned thread_calls;
static int lifeline = -1;
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

bool shim_active(void)
{
    static int active = -1;
    if (active < 0)
        active = getenv(ENV_SOCKET) != NULL;
    return active;
}

void shim_lost(void)
{
    static const char text[] = "gantry: the simulator has ended: stopping this program\n";
    if (write(2, text, sizeof text - 1) < 0)
        _exit(EXIT_LOST);
    _exit(EXIT_LOST);
}

static int driver_connect(void)
{
    const char *name = getenv(ENV_SOCKET);
    if (!name)
        return -1;
    int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, FD_FLOOR);
    if (high >= 0) {
        syscall(SYS_close, fd);
        fd = high;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + 1, name, sizeof address.sun_path - 2);
    socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
    if (connect(fd, (struct sockaddr *)&address, length) < 0) {
        syscall(SYS_close, fd);
        return -1;
    }
    return fd;
}

static void thread_end(void *value)
{
    (void)value;
    if (thread_fd >= 0 && thread_pid == getpid())
        syscall(SYS_close, thread_fd);
    thread_fd = -1;
}

static void key_make(void)
{
    pthread_key_create(&thread_key, thread_end);
}

static int thread_connection(void)
{
    if (thread_fd >= 0 && thread_pid == getpid())
        return thread_fd;
    int fd = driver_connect();
    if (fd < 0) {
        if (lifeline >= 0)
            shim_lost(); /* there was a driver */
        return -1;
    }
    pthread_once(&thread_once, key_make);
    pthread_setspecific(thread_key, (void *)1);
    thread_fd = fd;
    thread_pid = getpid();
    return fd;
}

static int exchange(int connection, struct shim_request *request, struct shim_answer *answer, int *fd)
{
    request->pid = getpid();
    request->tid = (int32_t)syscall(SYS_gettid);
    while (send(connection, request, sizeof *request, MSG_NOSIGNAL) < 0)
        if (errno != EINTR)
            shim_lost();
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t got;
    while ((got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC)) < 0)
        if (errno != EINTR)
            shim_lost();
    if (got == 0)
        shim_lost();
    if (fd) {
        struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
        *fd = -1;
        if (passed && passed->cmsg_type == SCM_RIGHTS)
            memcpy(fd, CMSG_DATA(passed), sizeof *fd);
    }
    if (answer->result < 0) {
        errno = (int)answer->error;
        return -1;
    }
    return 0;
}

int shim_call(struct shim_request *request, struct shim_answer *answer, int *fd)
{
    int connection = thread_connection();
    if (connection < 0) {
        errno = ENODEV;
        return -1;
    }
    thread_calls++;
    return exchange(connection, request, answer, fd);
}

unsigned shim_calls(void)
{
    return thread_calls;
}

static void lifeline_signal(int number)
{
    (void)number;
    char byte;
    int saved = errno;
    if (lifeline >= 0 && recv(lifeline, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        shim_lost();
    errno = saved;
}

void shim_hello(void)
{
    struct shim_request request = {.op = REQ_HELLO};
    struct shim_answer answer;
    int fd = driver_connect();
    if (fd < 0)
        return;
    lifeline = fd;
    exchange(fd, &request, &answer, NULL);
    struct sigaction action = {.sa_handler = lifeline_signal, .sa_flags = SA_RESTART};
    sigaction(SIGRTMAX - 1, &action, NULL);
    fcntl(fd, F_SETSIG, SIGRTMAX - 1);
    fcntl(fd, F_SETOWN, getpid());
    fcntl(fd, F_SETFL, O_RDWR | O_ASYNC);
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); /* the life line tells, with a message */
    lifeline_signal(0);
}

void shim_after_fork(void)
{
    if (lifeline >= 0)
        syscall(SYS_close, lifeline);
    if (thread_fd >= 0)
        syscall(SYS_close, thread_fd);
    lifeline = thread_fd = -1;
    shim_hello();
}
