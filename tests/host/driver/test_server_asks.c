/* SPDX-License-Identifier: Apache-2.0
 * What the driver's socket answers to each kind of request, and what it notices of its clients (S0.8, S3.12).
 */
#include "packets.h"
#include "server_bench.h"

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
    ino_t file, slab = inode_of(memory_map_file(b->d, b->client[0], 1, o->hold->backing->offset, &bytes, &at));
    const uint64_t doorbells = doorbell_encode(PAGE_DOORBELL, id_of(2));
    const struct {
        uint32_t index;
        uint64_t offset, bytes;
        ino_t file;
        uint64_t place;
    } cases[] = {{129, o->hold->backing->offset, 4096, slab, at},
                 {129, o->hold->backing->offset + 4096, 0x2000, slab, at + 4096},
                 {129, o->hold->backing->offset + 0x3000, 4096, 0, 0},
                 {128, o->hold->backing->offset, 4096, 0, 0},
                 {127, o->hold->backing->offset, 4096, 0, 0},
                 {128 + GPUS, o->hold->backing->offset, 4096, 0, 0},
                 {0, doorbells, 4096, inode_of(b->client[0]->page_fd), queue_window(b->d, 2)},
                 {0, doorbells, 8192, 0, 0}};
    unsigned refused = 0;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct shim_request r = {.op = REQ_MMAP, .index = cases[i].index, .arg = cases[i].offset};
        struct map_place place;
        memcpy(r.data, &cases[i].bytes, sizeof cases[i].bytes);
        struct shim_answer answer = asked(b, end, &r, &file);
        assert_int_equal(file, cases[i].file);
        assert_int_equal(answer.result, file ? 0 : -1);
        assert_int_equal(answer.error, file ? 0 : EINVAL);
        memcpy(&place, answer.data, sizeof place);
        assert_int_equal(logged_times("mmap offset"), refused += !file);
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

/* Who sends on and on and reads no answer is let go: nobody else waits for it. */
static void answers_that_nobody_reads(void **state)
{
    struct bench *b = *state;
    const struct shim_request r = {.op = REQ_OPEN_DRI}; /* of no GPU */
    struct conn *conn;
    int end = thread_add(b, &conn);
    alarm(20);
    for (unsigned n = 0; n < 5000 && b->d->conns; n++) {
        send(end, &r, sizeof r, MSG_DONTWAIT | MSG_NOSIGNAL);
        server_poll(b->d, 0, -1);
    }
    assert_null(b->d->conns);
    close(end);
    end = thread_add(b, &conn); /* gone before it is answered */
    assert_int_equal(send(end, &r, sizeof r, 0), sizeof r);
    close(end);
    assert_true(server_poll(b->d, 0, -1));
    assert_null(b->d->conns);
    end = thread_add(b, &conn); /* gone without a look at its answer */
    assert_int_equal(send(end, &r, sizeof r, 0), sizeof r);
    assert_true(server_poll(b->d, 0, -1));
    assert_non_null(b->d->conns);
    close(end);
    assert_true(server_poll(b->d, 0, -1));
    assert_null(b->d->conns);
    pid_t pid = fork();
    if (pid == 0) { /* refused, and gone before that is told */
        for (unsigned i = 0; i < 20; i++)
            close(client_connect(b));
        _exit(0);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    for (unsigned i = 0; i < 20 && b->d->refused < 20; i++)
        server_poll(b->d, 1000, -1);
    assert_int_equal(b->d->refused, 20);
    alarm(0);
}

/* A process that runs another program speaks on a new life line; what threads of the old one still ask is not heard. */
static void the_old_program_is_not_heard(void **state)
{
    struct bench *b = *state;
    const struct shim_request hello = {.op = REQ_HELLO}, opens = {.op = REQ_OPEN_KFD};
    struct shim_answer answer;
    struct conn *conn;
    ino_t file;
    int thread = thread_add(b, &conn), life = thread_add(b, &conn);
    b->client[0]->greeted = true; /* and has opened its device */
    assert_int_equal(send(thread, &opens, sizeof opens, 0), sizeof opens);
    assert_int_equal(asked(b, life, &hello, &file).result, 0);
    assert_int_equal(recv(thread, &answer, sizeof answer, MSG_DONTWAIT), -1);
    assert_int_equal(errno, ECONNRESET); /* closed, with the request unread */
    assert_int_equal(conn_count(b), 1);
    assert_int_equal(asked(b, life, &opens, &file).result, 0); /* the new one is */
    assert_true(client_of(b, getpid())->opened && client_of(b, getpid())->greeted);
    close(thread), close(life);
}

/* The end of any process is noticed, also of the first and only one; after that it is no news any more. */
static void the_end_of_a_process_is_news_once(void **state)
{
    struct bench *b = *state;
    struct sender s = sender_new(b, 1, GPUS - 1, 0);
    fake_launch = endless; /* its wavefronts outlive it: the client stays for a while */
    sender_kernel(b, &s, 0, 0);
    sender_ring(b, &s);
    assert_true(queue_doorbells(b->d));
    run_dry(b); /* the doorbell has been heard, the kernel begins */
    client_end(b->d, b->client[0]);
    client_reap(b->d);
    assert_ptr_equal(b->d->clients, b->client[1]);
    assert_false(server_poll(b->d, 1000, -1));
    kill(b->other, SIGKILL); /* and not yet reaped */
    b->d->changed = false;
    for (unsigned i = 0; i < 100 && !b->client[1]->ended; i++)
        server_poll(b->d, 50000, -1);
    assert_true(b->client[1]->ended && b->d->changed); /* others are waited for anew */
    assert_ptr_equal(b->d->clients, b->client[1]);
    assert_false(server_poll(b->d, 1000, -1));
    fake_launch = NULL;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The driver waits as long as it is told, unless something comes: a request, or what the caller waits for besides. */
static void waits_for_requests(void **state)
{
    struct bench *b = *state;
    int ends[2];
    double begin = seconds();
    assert_false(server_poll(b->d, 100000, -1));
    assert_true(seconds() - begin >= 0.1 && seconds() - begin < 20);
    assert_int_equal(pipe(ends), 0);
    begin = seconds();
    assert_false(server_poll(b->d, 100000, ends[0]));
    assert_true(seconds() - begin >= 0.1);
    assert_int_equal(write(ends[1], "1", 1), 1);
    double least = 1;
    for (unsigned i = 0; i < 5; i++) {
        begin = seconds();
        assert_true(server_poll(b->d, 900000, ends[0]));
        least = seconds() - begin < least ? seconds() - begin : least;
    }
    assert_true(least < 0.5);
    close(ends[0]), close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(devices_have_files),           SERVED(maps_are_of_own_files),
        SERVED(processes_end_without_pidfds), SERVED(sleeps_are_of_target_time),
        SERVED(waits_are_no_requests),        SERVED(answers_that_nobody_reads),
        SERVED(the_old_program_is_not_heard), SERVED(the_end_of_a_process_is_news_once),
        SERVED(waits_for_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
