/* SPDX-License-Identifier: Apache-2.0
 * Who may connect, how often, and what a connection may send (S0.10: processes of a run are clients of their own).
 */
#include "../driver/server_bench.h"

#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define NOBODY 65534

static void own_processes_connect(void **state)
{
    struct bench *b = *state;
    struct stat s;
    assert_int_equal(stat(b->d->root, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    pid_t pid = fork();
    if (pid == 0) {
        int fd = chdir("/") == 0 && clearenv() == 0 ? client_connect(b) : -1;
        _exit(say(fd, REQ_HELLO) ? 1 : say(fd, REQ_OPEN_KFD));
    }
    assert_int_equal(serve(b, pid), 0);
    pid = fork();
    if (pid == 0) { /* as deep as a shell in a script in a make */
        for (unsigned depth = 0; depth < 10; depth++) {
            pid_t child = fork();
            int status = 1;
            if (child) {
                waitpid(child, &status, 0);
                _exit(WEXITSTATUS(status));
            }
        }
        _exit(say(client_connect(b), REQ_HELLO));
    }
    assert_int_equal(serve(b, pid), 0);
    assert_false(logged("refused"));
}

/* shows S0.10 */
static void another_user_is_refused(void **state)
{
    struct bench *b = *state;
    char path[300], line[64];
    if (geteuid() != 0) /* only root can become another user */
        return;
    for (unsigned open = 0; open < 2; open++) {
        if (open) { /* even where the folder would let it in */
            snprintf(path, sizeof path, "%s/%s", b->d->root, ADDRESS_NAME);
            assert_int_equal(chmod(b->d->root, 0777), 0);
            assert_int_equal(chmod(path, 0777), 0);
        }
        pid_t pid = fork();
        if (pid == 0) {
            if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
                setresuid(NOBODY, NOBODY, NOBODY) < 0)
                _exit(1);
            int fd = client_connect(b);
            _exit(fd < 0 ? errno : say(fd, REQ_OPEN_KFD));
        }
        assert_int_equal(serve(b, pid), open ? REFUSED + EACCES : EACCES);
        snprintf(line, sizeof line, "connection refused: process %d of user %d", (int)pid, NOBODY);
        assert_int_equal(logged(line), open);
    }
    assert_null(b->d->conns);
}

/* shows S0.10: the child of a parent that has ended is ours only as long as we adopt it. */
static void another_run_is_refused(void **state)
{
    struct bench *b = *state;
    for (int adopted = 0; adopted < 2; adopted++) {
        int ends[2], result = -1;
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, adopted, 0, 0, 0), 0);
        pid_t pid = fork();
        if (pid == 0) {
            if (fork())
                _exit(0);
            while (getppid() == pid)
                usleep(1000);
            usleep(50000);
            result = say(client_connect(b), REQ_HELLO);
            _exit(write(ends[1], &result, sizeof result) < 0);
        }
        close(ends[1]);
        waitpid(pid, NULL, 0);
        for (unsigned i = 0; i < 100; i++)
            server_poll(b->d, 5000, -1);
        assert_int_equal(read(ends[0], &result, sizeof result), sizeof result);
        close(ends[0]);
        assert_int_equal(result, adopted ? 0 : REFUSED + EACCES);
        assert_int_equal(logged("which was not started by this run"), 1);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
}

/* One process takes at most half of the room, all of them together no more than there is; each is answered. */
static void connections_are_counted(void **state)
{
    struct bench *b = *state;
    b->d->conn_room = 40;
    pid_t hog[3];
    for (unsigned h = 0; h < 3; h++) {
        int ends[2];
        char byte;
        assert_int_equal(pipe(ends), 0);
        hog[h] = fork();
        if (hog[h] == 0) {
            unsigned good = 0, bad = 0;
            for (unsigned i = 0; i < 100; i++) {
                int result = say(client_connect(b), REQ_HELLO);
                good += result == 0;
                bad += result == REFUSED + EMFILE;
            }
            if (good == (h < 2 ? 20 : 0) && good + bad == 100 && write(ends[1], "x", 1) == 1)
                pause();
            _exit(1);
        }
        close(ends[1]);
        time_t end = time(NULL) + 20;
        for (struct pollfd p = {.fd = ends[0], .events = POLLIN}; poll(&p, 1, 0) == 0;) {
            server_poll(b->d, 1000, -1);
            assert_true(time(NULL) < end);
        }
        assert_int_equal(read(ends[0], &byte, 1), 1);
        close(ends[0]);
    }
    assert_true(logged("no more than 40 connections, 20 for a process"));
    assert_int_equal(logged_times("connection refused: "), LOG_LIKE_MOST); /* 80, 80 and 100 of them */
    for (unsigned h = 0; h < 3; h++)
        kill(hog[h], SIGKILL);
    for (unsigned h = 0; h < 3; h++)
        serve(b, hog[h]);
    pid_t pid = fork();
    if (pid == 0)
        _exit(say(client_connect(b), REQ_HELLO));
    assert_int_equal(serve(b, pid), 0);
}

/* A process that runs another program has a new life line: what the old program had is gone. */
static void exec_is_a_new_client(void **state)
{
    struct bench *b = *state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        int life = client_connect(b), thread = client_connect(b);
        struct shim_request r = {.op = REQ_IOCTL, .code = (uint32_t)AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, .tid = getpid()};
        const struct kfd_ioctl_alloc_memory_of_gpu_args a = {.size = 4096, .gpu_id = id_of(0), .flags = FLAGS_VRAM};
        memcpy(r.data, &a, sizeof a);
        r.bytes = sizeof a;
        bool good = say(life, REQ_HELLO) == 0 && say(thread, REQ_OPEN_KFD) == 0 && ask(thread, &r) == 0;
        int second = client_connect(b);
        good = good && say(second, REQ_HELLO) == 0;
        int again = client_connect(b);
        good = good && ask(again, &r) == EBADF && say(thread, REQ_OPEN_KFD) == 255;
        good = good && say(again, REQ_OPEN_KFD) == 0 && write(ends[1], "x", 1) == 1;
        while (good)
            pause();
        _exit(1);
    }
    b->d->program = pid;
    time_t end = time(NULL) + 20;
    while (poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 0) == 0) {
        server_poll(b->d, 1000, -1);
        assert_true(time(NULL) < end);
    }
    assert_non_null(client_of(b, pid));
    assert_int_equal(client_of(b, pid)->objects.count, 0);
    unsigned count = 0;
    for (struct client *c = b->d->clients; c; c = c->next)
        count += c->pid == pid;
    assert_int_equal(count, 1); /* the other is freed */
    kill(pid, SIGKILL);
    assert_int_equal(serve(b, pid), -SIGKILL);
    close(ends[0]);
    close(ends[1]);
    assert_null(client_of(b, pid));
}

/* Messages of a wrong length, unknown requests, and a second request while the first waits. */
static void bad_messages_end_their_connection(void **state)
{
    struct bench *b = *state;
    pid_t pid = fork();
    if (pid == 0) {
        static char block[4096];
        const struct shim_request park = {.op = REQ_PARK};
        int good = 0, fd = client_connect(b);
        good += say(fd, REQ_HELLO) == 0 && say(fd, (enum request_op)77) == EPROTO;
        for (size_t bytes = 1; bytes < sizeof block; bytes = bytes * 5 + 1) {
            int other = client_connect(b);
            send(other, block, bytes, MSG_NOSIGNAL);
            good += recv(other, block, sizeof block, 0) <= 0;
        }
        fd = client_connect(b);
        send(fd, &park, sizeof park, MSG_NOSIGNAL);
        usleep(20000);
        send(fd, &park, sizeof park, MSG_NOSIGNAL);
        good += recv(fd, block, sizeof block, 0) <= 0;
        _exit(good);
    }
    assert_int_equal(serve(b, pid), 8);
    assert_null(client_of(b, pid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(own_processes_connect),   SERVED(another_user_is_refused), SERVED(another_run_is_refused),
        SERVED(connections_are_counted), SERVED(exec_is_a_new_client),    SERVED(bad_messages_end_their_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
