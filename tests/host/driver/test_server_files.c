/* SPDX-License-Identifier: Apache-2.0
 * Descriptors of the driver's socket: how many it takes and leaves, what happens without any, its folder and its end.
 */
#include "server_bench.h"

#include <poll.h>
#include <sys/resource.h>

static unsigned inheritable(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        n += flags >= 0 && !(flags & FD_CLOEXEC);
    }
    return n;
}

/* In the same folder. */
static void server_again(struct driver *d)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", d->root, ADDRESS_NAME);
    unlink(path);
    assert_int_equal(server_open(d), 0);
}

/* Processes that come and go, with memory, queues' pages and two connections, leave no descriptor behind. */
static void processes_leave_no_descriptor(void **state)
{
    struct bench *b = *state;
    unsigned before = 0, others = 0;
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
            before = descriptors(), others = inheritable();
        assert_int_equal(descriptors(), before);
        assert_int_equal(inheritable(), others);
    }
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
    assert_int_equal(fcntl(b->d->spare_fd, F_GETFD), FD_CLOEXEC); /* for the next one that must be told */
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

/* Nothing of the server is handed on to a program, neither at first nor after clients came and were turned away. */
static void no_program_inherits_the_socket(void **state)
{
    struct bench *b = *state;
    server_close(b->d);
    unsigned before = inheritable();
    server_again(b->d);
    assert_int_equal(inheritable(), before);
    for (unsigned turned_away = 0; turned_away < 2; turned_away++) {
        b->d->conn_room = turned_away ? 0 : 10;
        pid_t pid = fork();
        if (pid == 0)
            _exit(say(client_connect(b), REQ_HELLO));
        assert_int_equal(serve(b, pid), turned_away ? REFUSED + EMFILE : 0);
        assert_int_equal(inheritable(), before);
    }
}

/* One descriptor for each device, one to listen, one to spare; closing gives all of them back, once. */
static void each_device_has_a_descriptor(void **state)
{
    static const char *const gpus[] = {"system.gpus=1", "system.gpus=8"};
    static const struct sim_options options = {.model = SIM_GOLDEN};
    struct bench *b = *state;
    server_close(b->d);
    for (unsigned i = 0; i < 2; i++) {
        struct config config;
        int others[12];
        config_init(&config);
        config_set(&config, "test", gpus[i]);
        config_set(&config, "test", "gpu.vram_mib=64");
        config_set(&config, "test", "host.gtt_mib=64");
        assert_int_equal(config_finish(&config), STATUS_OK);
        struct driver *d = driver_new(&config.cfg, &options);
        strcpy(d->root, b->d->root);
        unsigned before = descriptors();
        server_again(d);
        assert_int_equal(descriptors(), before + 3 + (i ? 8 : 1));
        server_close(d);
        assert_int_equal(descriptors(), before);
        for (unsigned o = 0; o < 12; o++)
            others[o] = dup(0); /* which may have the same numbers */
        server_close(d);
        assert_int_equal(descriptors(), before + 12);
        for (unsigned o = 0; o < 12; o++)
            close(others[o]);
        driver_delete(d);
        config_fini(&config);
    }
}

/* The files that stand for devices are empty and stay so, whoever has them. */
static void device_files_are_empty(void **state)
{
    struct bench *b = *state;
    for (unsigned g = 0; g <= GPUS; g++) {
        int fd = g < GPUS ? b->d->dri_token[g] : b->d->kfd_token;
        struct stat s;
        assert_int_equal(fstat(fd, &s), 0);
        assert_int_equal(s.st_size, 0);
        assert_int_equal(ftruncate(fd, 1), -1);
    }
}

/* A process that cannot be given its pages is told why and gets no file; when there is room again, it gets both. */
static void devices_that_cannot_be_opened(void **state)
{
    struct bench *b = *state;
    const struct shim_request r = {.op = REQ_OPEN_KFD};
    struct rlimit files, space, few;
    struct conn *conn;
    ino_t file;
    getrlimit(RLIMIT_NOFILE, &files);
    getrlimit(RLIMIT_AS, &space);
    client_end(b->d, b->client[0]);
    client_reap(b->d);
    int end = thread_add(b, &conn);
    conn->client = client_get(b->d, getpid());
    int next = dup(0);
    close(next);
    few = (struct rlimit){(rlim_t)next, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    struct shim_answer answer = asked(b, end, &r, &file);
    setrlimit(RLIMIT_NOFILE, &files);
    assert_true(answer.result == -1 && answer.error == EMFILE && file == 0);
    assert_false(conn->client->opened);
    few = (struct rlimit){4096, space.rlim_max};
    const unsigned before = descriptors();
    setrlimit(RLIMIT_AS, &few);
    answer = asked(b, end, &r, &file);
    setrlimit(RLIMIT_AS, &space);
    assert_true(answer.result == -1 && answer.error == ENOMEM && file == 0);
    assert_int_equal(descriptors(), before);
    answer = asked(b, end, &r, &file);
    assert_true(answer.result == 0 && file == inode_of(b->d->kfd_token));
    assert_non_null(conn->client->pages);
    close(end);
}

/* Who connects in masses is let in by rounds: others have their turn between them. */
static void masses_come_by_rounds(void **state)
{
    struct bench *b = *state;
    int told[2];
    char byte;
    b->d->conn_room = 400;
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        for (unsigned i = 0; i < 150; i++)
            client_connect(b);
        for (bool good = write(told[1], "1", 1) == 1; good;)
            pause();
        _exit(1);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    static const unsigned rounds[] = {64, 128, 150};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(server_poll(b->d, 0, -1));
        assert_int_equal(conn_count(b), rounds[i]);
    }
    kill(pid, SIGKILL);
    serve(b, pid);
    assert_int_equal(conn_count(b), 0);
    close(told[0]), close(told[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(processes_leave_no_descriptor), SERVED(no_descriptor_is_no_circle),
        SERVED(closing_ends_connections),      SERVED(long_folders_are_reached),
        SERVED(descriptors_are_raised),        SERVED(no_program_inherits_the_socket),
        SERVED(each_device_has_a_descriptor),  SERVED(device_files_are_empty),
        SERVED(devices_that_cannot_be_opened), SERVED(masses_come_by_rounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
