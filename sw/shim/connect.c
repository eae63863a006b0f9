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

#include "clients/address.h"
#include "shim.h"

#define EXIT_LOST 70

static __thread int thread_fd = -1;
static __thread pid_t thread_pid;
static __thread unsigned thread_calls;
static __thread bool thread_busy;
static int lifeline = -1;
static bool greeted; /* this program has said hello */
static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

bool shim_active(void)
{
    return environment_given(ENV_ROOT) != NULL;
}

void shim_lost(void)
{
    static const char text[] = "gantry: the simulator has ended: stopping this program\n";
    if (write(2, text, sizeof text - 1) < 0)
        _exit(EXIT_LOST);
    _exit(EXIT_LOST);
}

static int connection_make(void)
{
    struct sockaddr_un address;
    const char *root = environment_given(ENV_ROOT);
    int folder = root ? address_open(root, &address) : -1;
    if (folder < 0)
        return -1;
    int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        syscall(SYS_close, fd);
        fd = -1;
    }
    syscall(SYS_close, folder);
    return fd;
}

static int driver_connect(void)
{
    return descriptor_hide(connection_make);
}

static void thread_end(void *value)
{
    (void)value;
    if (thread_fd >= 0 && thread_pid == getpid())
        descriptor_close(thread_fd);
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
    shim_greet();
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

/* The answer, after what was sent; a connection that was turned away has one although nothing could be sent. */
static void answer_receive(int connection, struct msghdr *message, bool sent)
{
    bool reset = false; /* told once when the other side closes with our request unread */
    ssize_t got;
    while ((got = recvmsg(connection, message, MSG_CMSG_CLOEXEC)) < 0) {
        if (errno == EINTR)
            continue;
        if (errno != ECONNRESET || reset)
            shim_lost();
        reset = true;
    }
    if (got == 0 || (!sent && ((struct shim_answer *)message->msg_iov->iov_base)->result != ANSWER_REFUSED))
        shim_lost();
}

/* 0, or -1 with errno; ANSWER_REFUSED when the connection is of no use. */
static int exchange(int connection, struct shim_request *request, struct shim_answer *answer, int *fd)
{
    bool sent;
    request->pid = getpid();
    request->tid = (int32_t)syscall(SYS_gettid);
    while (!(sent = send(connection, request, sizeof *request, MSG_NOSIGNAL) >= 0) && errno == EINTR)
        ;
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {answer, sizeof *answer};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    answer_receive(connection, &message, sent);
    if (fd) {
        struct cmsghdr *passed = CMSG_FIRSTHDR(&message);
        *fd = -1;
        if (passed && passed->cmsg_type == SCM_RIGHTS)
            memcpy(fd, CMSG_DATA(passed), sizeof *fd);
    }
    errno = answer->result < 0 ? (int)answer->error : errno;
    return answer->result;
}

int shim_call(struct shim_request *request, struct shim_answer *answer, int *fd)
{
    clock_thread();
    int connection = thread_connection();
    if (connection < 0) {
        errno = ENODEV;
        return -1;
    }
    thread_calls += request->op != REQ_CLOCK; /* which asks for nothing */
    thread_busy = true;
    int result = exchange(connection, request, answer, fd);
    thread_busy = false;
    if (result == ANSWER_REFUSED) { /* the driver says why on its own stderr */
        descriptor_close(connection);
        thread_fd = -1;
    }
    return result < 0 ? -1 : 0;
}

unsigned shim_calls(void)
{
    return thread_calls;
}

bool shim_busy(void)
{
    return thread_busy;
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

void shim_hello(pid_t parent)
{
    struct shim_request request = {.op = REQ_HELLO, .arg = (uint64_t)parent};
    struct shim_answer answer;
    greeted = true;
    int fd = driver_connect();
    if (fd < 0)
        return;
    if (exchange(fd, &request, &answer, NULL) < 0) {
        descriptor_close(fd);
        return;
    }
    lifeline = fd;
    struct sigaction action = {.sa_handler = lifeline_signal, .sa_flags = SA_RESTART};
    sigaction(SIGRTMAX - 1, &action, NULL);
    fcntl(fd, F_SETSIG, SIGRTMAX - 1);
    fcntl(fd, F_SETOWN, getpid());
    fcntl(fd, F_SETFL, O_RDWR | O_ASYNC);
    prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0); /* the life line tells, with a message */
    lifeline_signal(0);
}

void shim_greet(void)
{
    if (!greeted)
        shim_hello(0);
}

void shim_after_fork(pid_t parent)
{
    descriptors_after_fork();
    lifeline = thread_fd = -1;
    shim_hello(parent);
}
