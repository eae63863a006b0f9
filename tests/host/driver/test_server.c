/* SPDX-License-Identifier: Apache-2.0
 * Who may connect, how often, and what a connection may send (S0.10: processes of a run are clients of their own).
 */
#include "bench.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/log.h"
#include "driver/address.h"

#define NOBODY 65534
#define REFUSED 40 /* exit status of a client: plus errno */

static FILE *log_file;

static int server_setup(void **state)
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

static int server_teardown(void **state)
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

static bool logged(const char *text)
{
    static char all[65536];
    fflush(log_file);
    rewind(log_file);
    all[fread(all, 1, sizeof all - 1, log_file)] = 0;
    return strstr(all, text) != NULL;
}

/* In a client: -1 with errno, else a connection. */
static int client_connect(const struct bench *b)
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
static int ask(int fd, const struct shim_request *request)
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

static int say(int fd, enum request_op op)
{
    return ask(fd, &(struct shim_request){.op = op, .tid = getpid()});
}

/* Serves until the process ends; its exit status. */
static int serve(struct bench *b, pid_t pid)
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

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

/* Processes that come and go, with memory, queues' pages and two connections, leave no descriptor behind. */
static void processes_leave_no_descriptor(void **state)
{
    struct bench *b = *state;
    unsigned before = 0;
    for (unsigned n = 0; n < 6; n++) {
        pid_t pid = fork();
        if (pid == 0) {
            int life = client_connect(b), thread = client_connect(b);
            _exit(say(life, REQ_HELLO) || say(thread, REQ_OPEN_KFD));
        }
        assert_int_equal(serve(b, pid), 0);
        for (unsigned i = 0; i < 100 && b->d->clients->next->next; i++) /* the bench's own two */
            server_poll(b->d, 10000, -1);
        assert_null(b->d->clients->next->next);
        if (n == 0)
            before = descriptors();
        assert_int_equal(descriptors(), before);
    }
}

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
    for (unsigned h = 0; h < 3; h++)
        kill(hog[h], SIGKILL);
    for (unsigned h = 0; h < 3; h++)
        serve(b, hog[h]);
    pid_t pid = fork();
    if (pid == 0)
        _exit(say(client_connect(b), REQ_HELLO));
    assert_int_equal(serve(b, pid), 0);
}

/* No descriptor is left: the one that asks is told, and the server rests instead of running in circles. */
static void no_descriptor_is_no_circle(void **state)
{
    struct bench *b = *state;
    struct rlimit files, few;
    getrlimit(RLIMIT_NOFILE, &files);
    int next = dup(0);
    close(next);
    pid_t pid = fork();
    if (pid == 0) {
        int last = 1;
        setrlimit(RLIMIT_NOFILE, &files);
        for (unsigned i = 0; i < 50; i++)
            last = say(client_connect(b), REQ_HELLO);
        _exit(last);
    }
    few = (struct rlimit){(rlim_t)next + 20, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    int status = serve(b, pid);
    assert_true(fcntl(b->d->spare_fd, F_GETFD) >= 0); /* for the next one that must be told */
    clock_t begin = clock();
    for (unsigned i = 0; i < 20; i++)
        assert_false(server_poll(b->d, 1000, -1));
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(status, REFUSED + EMFILE);
    assert_true(clock() - begin < CLOCKS_PER_SEC / 10);
    assert_true(logged("out of descriptors"));
}

/* Whoever still waits for an answer when the run ends reads that nobody is there any more. */
static void closing_ends_connections(void **state)
{
    struct bench *b = *state;
    int told[2], status = -1;
    char byte;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        int fd = client_connect(b);
        close(b->d->listen_fd);
        if (say(fd, REQ_HELLO) || write(told[1], "1", 1) != 1)
            _exit(1);
        _exit(recv(fd, &byte, 1, 0) == 0 ? 0 : 2);
    }
    b->d->program = pid;
    close(told[1]);
    for (struct pollfd p = {.fd = told[0], .events = POLLIN}; poll(&p, 1, 0) == 0;)
        server_poll(b->d, 5000, -1);
    assert_int_equal(read(told[0], &byte, 1), 1);
    close(told[0]);
    assert_non_null(b->d->conns);
    server_close(b->d);
    assert_null(b->d->conns);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Folders may have long names. */
static void long_folders_are_reached(void **state)
{
    struct bench *b = *state;
    char name[101], root[256];
    unsigned files = descriptors();
    server_close(b->d);
    strcpy(root, b->d->root);
    memset(name, 'n', 100);
    name[100] = 0;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(b->d->root + strlen(b->d->root), sizeof b->d->root - strlen(b->d->root), "/%s", name);
        assert_int_equal(mkdir(b->d->root, 0700), 0);
    }
    assert_int_equal(server_open(b->d), 0);
    assert_int_equal(descriptors(), files); /* and closing has left none */
    pid_t pid = fork();
    if (pid == 0)
        _exit(say(client_connect(b), REQ_HELLO));
    assert_int_equal(serve(b, pid), 0);
    strcpy(b->d->root, root);
}

static struct client *client_of(struct bench *b, pid_t pid)
{
    struct client *c = b->d->clients;
    while (c && (c->pid != pid || c->ended))
        c = c->next;
    return c;
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
    assert_null(client_of(b, pid)->objects);
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

/* As many connections as half of the descriptors that the system grants, within limits; the program keeps its own. */
static void descriptors_are_raised(void **state)
{
    static const struct {
        rlim_t soft, hard;
        unsigned room;
    } cases[] = {{100, 600, 300}, {600, 600, 300}, {100, 130, 65}, {100, 129, 64}, {100, 100, 64}};
    struct bench *b = *state;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        server_close(b->d);
        char path[300];
        snprintf(path, sizeof path, "%s/%s", b->d->root, ADDRESS_NAME);
        unlink(path);
        pid_t pid = fork();
        if (pid == 0) { /* what is given up does not come back */
            const struct rlimit files = {cases[i].soft, cases[i].hard};
            struct rlimit after;
            bool good = setrlimit(RLIMIT_NOFILE, &files) == 0 && server_open(b->d) == 0;
            getrlimit(RLIMIT_NOFILE, &after);
            good = good && b->d->conn_room == cases[i].room && b->d->files_before == cases[i].soft;
            _exit(good && after.rlim_cur == cases[i].hard ? 0 : 1);
        }
        int status = 0;
        waitpid(pid, &status, 0);
        assert_int_equal(status, 0);
    }
}

/* A connection of this process, as if it were a client's thread; its other end. */
static int thread_add(struct bench *b, struct conn **conn)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    *conn = calloc(1, sizeof **conn);
    **conn = (struct conn){.fd = ends[0], .pid = getpid(), .client = b->client[0], .next = b->d->conns};
    b->d->conns = *conn;
    return ends[1];
}

/* Sends it and lets the driver look once: what it answers, with the inode of the file that came along (0: none). */
static struct shim_answer asked(struct bench *b, int end, const struct shim_request *request, ino_t *file)
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

static ino_t inode_of(int fd)
{
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    return s.st_ino;
}

/* shows S0.8: render nodes begin with 128, one a GPU; each device has a file of its own. */
static void devices_have_files(void **state)
{
    struct bench *b = *state;
    struct conn *conn;
    int end = thread_add(b, &conn);
    ino_t file;
    for (uint32_t minor = 126; minor < 128 + GPUS + 2; minor++) {
        bool good = minor >= 128 && minor < 128 + GPUS;
        struct shim_answer answer =
            asked(b, end, &(struct shim_request){.op = REQ_OPEN_DRI, .index = minor, .tid = 5}, &file);
        assert_int_equal(answer.result, good ? 0 : -1);
        assert_int_equal(answer.error, good ? 0 : ENOENT);
        assert_int_equal(file, good ? inode_of(b->d->dri_token[minor - 128]) : 0);
    }
    struct shim_answer answer = asked(b, end, &(struct shim_request){.op = REQ_OPEN_KFD, .tid = 6}, &file);
    assert_int_equal(answer.result, 0);
    assert_int_equal(file, inode_of(b->d->kfd_token));
    assert_int_equal(conn->tid, 6);
    close(end);
}

/* shows S3.12: what lies behind an offset: the client's own page or slab, with its place in it; otherwise nothing. */
static void maps_are_of_own_files(void **state)
{
    struct bench *b = *state;
    struct conn *conn;
    int end = thread_add(b, &conn);
    const struct object *o = memory_find(b->client[0], alloc(b, 0, 1, 0x20000000, 0x3000, FLAGS_VRAM, 0));
    uint64_t at = 0, bytes = 4096;
    ino_t file, slab = inode_of(memory_map_file(b->d, b->client[0], 1, o->offset, &bytes, &at));
    const uint64_t doorbells = doorbell_encode(PAGE_DOORBELL, id_of(2));
    const struct {
        uint32_t index;
        uint64_t offset, bytes;
        ino_t file;
        uint64_t place;
    } cases[] = {{129, o->offset, 4096, slab, at},
                 {129, o->offset + 4096, 0x2000, slab, at + 4096},
                 {129, o->offset + 0x3000, 4096, 0, 0},
                 {128, o->offset, 4096, 0, 0},
                 {127, o->offset, 4096, 0, 0},
                 {128 + GPUS, o->offset, 4096, 0, 0},
                 {0, doorbells, 4096, inode_of(b->client[0]->page_fd), queue_window(b->d, 2)},
                 {0, doorbells, 8192, 0, 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shim_request r = {.op = REQ_MMAP, .index = cases[i].index, .arg = cases[i].offset};
        struct map_place place;
        memcpy(r.data, &cases[i].bytes, sizeof cases[i].bytes);
        struct shim_answer answer = asked(b, end, &r, &file);
        assert_int_equal(file, cases[i].file);
        assert_int_equal(answer.result, file ? 0 : -1);
        assert_int_equal(answer.error, file ? 0 : EINVAL);
        memcpy(&place, answer.data, sizeof place);
        assert_true(!file || (place.offset == cases[i].place && place.bytes == cases[i].bytes));
    }
    close(end);
}

/* On a system without pidfds a process has ended when it cannot be reached any more, and not before. */
static void processes_end_without_pidfds(void **state)
{
    struct bench *b = *state;
    struct conn *conn;
    int end = thread_add(b, &conn);
    ino_t file;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    struct client *c = client_get(b->d, pid);
    close(c->pidfd);
    c->pidfd = -1;
    asked(b, end, &(struct shim_request){.op = REQ_HELLO}, &file);
    assert_ptr_equal(client_of(b, pid), c);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    asked(b, end, &(struct shim_request){.op = REQ_HELLO}, &file);
    assert_null(client_of(b, pid));
    close(end);
}

/* Sleep is real before there is a clock; then it ends some cycles later, or never. */
static void sleeps_are_of_target_time(void **state)
{
    struct bench *b = *state;
    struct conn *conn;
    int end = thread_add(b, &conn);
    ino_t file;
    struct shim_request r = {.op = REQ_SLEEP, .arg = 5000};
    struct shim_answer answer = asked(b, end, &r, &file);
    assert_true(answer.result == 1 && answer.error == 0 && conn->state == CONN_RUNNING);
    assert_int_equal(machine_start(b->d->machine), 0);
    machine_run(b->d->machine, 0);
    static const struct {
        uint64_t ns, cycles;
    } cases[] = {{0, WAIT_LEAST},
                 {WAIT_LEAST + 1, WAIT_LEAST + 1},
                 {5000, 5000},
                 {(UINT64_C(1) << 62) - 1, (UINT64_C(1) << 62) - 1},
                 {UINT64_C(1) << 62, NEVER},
                 {UINT64_MAX, NEVER}};
    assert_int_equal(client_cycle(b->d), 0);
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        r.arg = cases[i].ns;
        answer = asked(b, end, &r, &file);
        assert_int_equal(answer.result, 99); /* later */
        assert_int_equal(conn->state, CONN_SLEEP);
        assert_true(conn->deadline == cases[i].cycles);
        conn->state = CONN_RUNNING;
    }
    close(end);
}

/* What counts as a request: all but those by which a thread only waits; a polling thread remains one that has looked.
 */
static void waits_are_no_requests(void **state)
{
    struct bench *b = *state;
    struct conn *conn;
    int end = thread_add(b, &conn);
    ino_t file;
    uint64_t before = b->d->requests;
    struct shim_request r = {.op = REQ_PARK};
    conn->looked = true;
    b->d->changed = false;
    assert_int_equal(asked(b, end, &r, &file).result, 99);
    assert_true(conn->state == CONN_PARK && conn->looked && b->d->changed);
    assert_int_equal(b->d->requests, before);
    conn->state = CONN_RUNNING;
    struct kfd_ioctl_create_event_args e = {.event_type = KFD_IOC_EVENT_SIGNAL};
    assert_int_equal(call(b, 0, AMDKFD_IOC_CREATE_EVENT, &e), 0);
    struct kfd_event_data list = {.event_id = e.event_id};
    struct kfd_ioctl_wait_events_args w = {.events_ptr = (uintptr_t)&list, .num_events = 1, .timeout = UINT32_MAX};
    r = (struct shim_request){.op = REQ_IOCTL, .code = (uint32_t)AMDKFD_IOC_WAIT_EVENTS, .bytes = sizeof w};
    memcpy(r.data, &w, sizeof w);
    assert_int_equal(asked(b, end, &r, &file).result, 99);
    assert_true(conn->state == CONN_WAIT && !conn->looked);
    assert_int_equal(b->d->requests, before);
    conn->state = CONN_RUNNING;
    struct kfd_ioctl_get_version_args v = {0};
    r = (struct shim_request){.op = REQ_IOCTL, .code = (uint32_t)AMDKFD_IOC_GET_VERSION, .bytes = sizeof v};
    struct shim_answer answer = asked(b, end, &r, &file);
    assert_int_equal(answer.result, 0);
    memcpy(&v, answer.data, sizeof v);
    assert_int_equal(v.major_version, KFD_IOCTL_MAJOR_VERSION);
    assert_int_equal(b->d->requests, before + 1);
    assert_int_equal(asked(b, end, &(struct shim_request){.op = REQ_HELLO}, &file).result, 0);
    assert_int_equal(b->d->requests, before + 2);
    answer = asked(b, end, &(struct shim_request){.op = (enum request_op)99}, &file);
    assert_true(answer.result == -1 && answer.error == EPROTO && file == 0);
    assert_int_equal(b->d->requests, before + 3);
    b->d->changed = false;
    close(end); /* the thread is gone */
    server_poll(b->d, 0, -1);
    assert_null(b->d->conns);
    assert_true(b->d->changed);
}

#define SERVED(f) cmocka_unit_test_setup_teardown(f, server_setup, server_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(processes_leave_no_descriptor), SERVED(own_processes_connect),
        SERVED(another_user_is_refused),       SERVED(another_run_is_refused),
        SERVED(connections_are_counted),       SERVED(no_descriptor_is_no_circle),
        SERVED(closing_ends_connections),      SERVED(long_folders_are_reached),
        SERVED(exec_is_a_new_client),          SERVED(bad_messages_end_their_connection),
        SERVED(descriptors_are_raised),        SERVED(devices_have_files),
        SERVED(maps_are_of_own_files),         SERVED(processes_end_without_pidfds),
        SERVED(sleeps_are_of_target_time),     SERVED(waits_are_no_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
