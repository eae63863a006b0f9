/* SPDX-License-Identifier: Apache-2.0
 * A run may be started without standard input: then descriptor 0 is as good as any other, whatever it becomes.
 */
#include "server_bench.h"

#include <sys/resource.h>

static int standard; /* what was descriptor 0 */

static int zero_setup(void **state)
{
    standard = fcntl(0, F_DUPFD_CLOEXEC, 3);
    return standard < 0 ? -1 : server_setup(state);
}

static int zero_teardown(void **state)
{
    int status = server_teardown(state);
    dup2(standard, 0);
    close(standard);
    return status;
}

static void become_zero(int *fd)
{
    assert_int_equal(dup2(*fd, 0), 0);
    close(*fd);
    *fd = 0;
}

static void become_another(int *fd)
{
    *fd = fcntl(0, F_DUPFD_CLOEXEC, 3);
    assert_int_equal(dup2(standard, 0), 0);
}

/* As file of a device, of a process's pages and of memory it reaches the client that asks for it. */
static void files_may_be_zero(void **state)
{
    struct bench *b = *state;
    struct shim_request r = {.op = REQ_OPEN_KFD};
    struct conn *conn;
    ino_t file;
    int end = thread_add(b, &conn);
    uint8_t *pages = b->client[0]->pages;
    become_zero(&b->d->kfd_token);
    assert_int_equal(asked(b, end, &r, &file).result, 0);
    assert_int_equal(file, inode_of(0));
    become_another(&b->d->kfd_token);
    become_zero(&b->d->dri_token[1]);
    r = (struct shim_request){.op = REQ_OPEN_DRI, .index = 129};
    assert_int_equal(asked(b, end, &r, &file).result, 0);
    assert_int_equal(file, inode_of(0));
    become_another(&b->d->dri_token[1]);
    become_zero(&b->client[0]->page_fd);
    const uint64_t page = 4096;
    r = (struct shim_request){.op = REQ_MMAP, .arg = doorbell_encode(PAGE_DOORBELL, id_of(2))};
    memcpy(r.data, &page, sizeof page);
    assert_int_equal(asked(b, end, &r, &file).result, 0);
    assert_int_equal(file, inode_of(0));
    assert_int_equal(client_open(b->d, b->client[0]), 0);
    assert_ptr_equal(b->client[0]->pages, pages);
    become_another(&b->client[0]->page_fd);
    close(0); /* the next file, a slab */
    const struct object *o = memory_find(b->client[0], alloc(b, 0, 1, 0x20000000, page, FLAGS_VRAM, 0));
    r = (struct shim_request){.op = REQ_MMAP, .index = 129, .arg = o->hold->backing->offset};
    memcpy(r.data, &page, sizeof page);
    assert_int_equal(asked(b, end, &r, &file).result, 0);
    assert_int_equal(file, inode_of(0));
    close(end);
}

/* As a connection it is served, as one to spare it is spared. */
static void connections_may_be_zero(void **state)
{
    struct bench *b = *state;
    for (unsigned spare = 0; spare < 2; spare++) {
        pid_t pid = fork();
        if (pid == 0)
            _exit(say(client_connect(b), REQ_HELLO));
        if (spare)
            become_zero(&b->d->spare_fd);
        else
            close(0);
        assert_int_equal(serve(b, pid), 0);
        if (spare)
            become_another(&b->d->spare_fd);
        else
            assert_int_equal(dup2(standard, 0), 0);
    }
    assert_int_equal(b->d->refused, 0);
}

/* Nobody else is there to tell that there is none. */
static void the_last_one_may_be_zero(void **state)
{
    struct bench *b = *state;
    struct rlimit files, none;
    pid_t pid = fork();
    if (pid == 0)
        _exit(say(client_connect(b), REQ_HELLO));
    become_zero(&b->d->spare_fd);
    getrlimit(RLIMIT_NOFILE, &files);
    int next = dup(standard);
    close(next);
    none = (struct rlimit){(rlim_t)next, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    int status = serve(b, pid);
    setrlimit(RLIMIT_NOFILE, &files);
    assert_int_equal(status, REFUSED + EMFILE);
    assert_int_equal(b->d->spare_fd, 0);
}

/* As a process's it tells when that ends. */
static void processes_may_be_zero(void **state)
{
    struct bench *b = *state;
    pid_t pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    struct client *c = client_get(b->d, pid);
    assert_true(c->pidfd > 0);
    become_zero(&c->pidfd);
    b->d->program = pid; /* it is not reaped here */
    kill(pid, SIGKILL);
    for (unsigned look = 0; look < 100 && client_of(b, pid); look++)
        server_poll(b->d, 50000, -1);
    assert_null(client_of(b, pid));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

#define ZERO(f) cmocka_unit_test_setup_teardown(f, zero_setup, zero_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {ZERO(files_may_be_zero), ZERO(connections_may_be_zero),
                                       ZERO(the_last_one_may_be_zero), ZERO(processes_may_be_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
