/* SPDX-License-Identifier: Apache-2.0
 * Rest of processes whose threads are of an uncommon kind, and what looks at them leave behind: nothing
 * (docs/reference/clock.md; B.7).
 */
#include "server_bench.h"

#include <dirent.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "clients/proc.h"

static uint32_t word;

static void *futex_wait(void *arg)
{
    for (;;)
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 0, NULL, NULL,
                FUTEX_BITSET_MATCH_ANY);
    return arg;
}

/* Its first thread has ended, the second waits for another. */
static void leaderless(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, futex_wait, NULL);
    pthread_exit(NULL);
}

static void waits_by_waitid(void)
{
    siginfo_t info;
    pid_t child = fork();
    if (child == 0)
        futex_wait(NULL);
    waitid(P_PID, (id_t)child, &info, WEXITED);
    _exit(0);
}

/* A client in a process group of its own; this process is none any more. */
static struct client *start(struct bench *b, void (*behave)(void))
{
    client_end(b->d, b->client[0]);
    b->client[1]->ended = true; /* it pauses, which is something outside */
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        behave();
    }
    setpgid(pid, pid);
    return client_get(b->d, pid);
}

static void finish(struct bench *b, struct client *c)
{
    kill(-c->pid, SIGKILL);
    waitpid(c->pid, NULL, 0);
    c->ended = true;
    b->client[1]->ended = false;
}

/* What is told of waiting threads, when it is the line; else the last that was told. */
static const char *told(struct bench *b, const char *line)
{
    static char text[1024];
    for (unsigned look = 0; look < 1000; look++, usleep(5000)) {
        FILE *out = fmemopen(text, sizeof text, "w");
        text[0] = 0;
        rest_tell(b->d, out);
        fclose(out);
        if (strcmp(text, line) == 0)
            break;
    }
    return text;
}

/* Threads that have ended are not told, and wait for nothing; a process is what its other threads do. */
static void the_first_thread_may_have_ended(void **state)
{
    struct bench *b = *state;
    char line[128], all[128];
    struct client *c = start(b, leaderless);
    DIR *folder = NULL;
    pid_t second = 0;
    snprintf(line, sizeof line, "/proc/%d/task", (int)c->pid);
    for (unsigned look = 0; look < 1000 && !second; look++, usleep(5000)) {
        folder = opendir(line);
        for (struct dirent *entry; (entry = readdir(folder));)
            if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != c->pid)
                second = atoi(entry->d_name);
        closedir(folder);
    }
    snprintf(all, sizeof all, "  process %d thread %d waits for another thread (futex)\n", (int)c->pid, (int)second);
    assert_string_equal(told(b, all), all);
    assert_false(rest_outside(b->d));
    bool rests = false;
    for (unsigned look = 0; look < 1000 && !rests; look++, usleep(5000))
        rests = rest_reached(b->d, NULL);
    assert_true(rests);
    finish(b, c);
}

/* A child may be waited for by another call, and does itself what counts. */
static void children_are_waited_for_by_waitid(void **state)
{
    struct bench *b = *state;
    char line[128];
    struct client *c = start(b, waits_by_waitid);
    snprintf(line, sizeof line, "  process %d thread %d waits for a process that it started\n", (int)c->pid,
             (int)c->pid);
    assert_string_equal(told(b, line), line);
    bool outside = true;
    for (unsigned look = 0; look < 1000 && outside; look++, usleep(5000))
        outside = rest_outside(b->d);
    assert_false(outside);
    finish(b, c);
}

static int born[2];

static void computes_with_child(void)
{
    pid_t child = fork();
    if (child && write(born[1], &child, sizeof child) != (ssize_t)sizeof child)
        _exit(1);
    for (volatile uint64_t n = 0; !child; n++)
        ;
    futex_wait(NULL);
}

/* A child that is a client itself is seen as one: its thread that has asked rests, whatever it seems to do. */
static void children_may_be_clients(void **state)
{
    struct bench *b = *state;
    struct conn *conn;
    pid_t child = 0;
    assert_int_equal(pipe(born), 0);
    struct client *c = start(b, computes_with_child);
    assert_int_equal(read(born[0], &child, sizeof child), sizeof child);
    usleep(20000);
    for (unsigned look = 0; look < 10; look++)
        assert_false(rest_reached(b->d, NULL));
    int end = thread_add(b, &conn);
    *conn = (struct conn){
        .fd = conn->fd, .pid = child, .tid = child, .client = client_get(b->d, child), .state = CONN_WAIT};
    bool rests = false;
    for (unsigned look = 0; look < 1000 && !rests; look++, usleep(5000))
        rests = rest_reached(b->d, NULL);
    assert_true(rests);
    assert_false(rest_outside(b->d));
    client_of(b, child)->ended = true;
    finish(b, c);
    close(end), close(born[0]), close(born[1]);
}

/* Whoever has gone in the middle of a look is not there: neither a state nor a text. */
static void files_of_the_gone_are_not_read(void **state)
{
    struct proc_text text;
    char run;
    int parent;
    (void)state;
    assert_false(proc_read("/proc/1073737728/stat", &text));
    assert_false(proc_state("/proc/1073737728/stat", &run, &parent));
    assert_false(proc_state("/dev/null", &run, &parent));
    assert_true(proc_state("/proc/self/stat", &run, &parent));
    assert_true(run == 'R' && parent == getppid());
}

static void pauses(void)
{
    for (;;)
        pause();
}

/* However often it is looked. */
static void looks_leave_nothing_open(void **state)
{
    struct bench *b = *state;
    struct client *c = start(b, pauses);
    const unsigned before = descriptors();
    for (unsigned look = 0; look < 10; look++) {
        rest_reached(b->d, NULL);
        rest_outside(b->d);
        rest_tell(b->d, log_file);
    }
    assert_int_equal(descriptors(), before);
    finish(b, c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(the_first_thread_may_have_ended),
        SERVED(children_are_waited_for_by_waitid),
        SERVED(children_may_be_clients),
        SERVED(looks_leave_nothing_open),
        cmocka_unit_test(files_of_the_gone_are_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
