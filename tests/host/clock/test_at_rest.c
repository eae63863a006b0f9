/* SPDX-License-Identifier: Apache-2.0
 * When clients rest and what their threads wait for, by processes that compute, sleep, wait for each other or for what
 * comes from outside (docs/reference/clock.md; S0.7, B.7).
 */
#include "../driver/bench.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

enum habit { PAUSES, COMPUTES, FUTEX, BITSET_FUTEX, TIMED_FUTEX, WAITS_FOR_CHILD, READS, STOPS, ENDS, READS_ON };

static uint32_t word;
static int never[2]; /* a pipe to which nobody writes */

static void behave(enum habit habit)
{
    struct timespec hour = {3600, 0};
    char byte;
    pid_t child;
    switch (habit) {
    case PAUSES:
        for (;;)
            pause();
    case COMPUTES:
        for (volatile uint64_t n = 0;; n++)
            ;
    case FUTEX:
        for (;;)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
    case BITSET_FUTEX: /* as the C library's locks */
        for (;;)
            syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, FUTEX_BITSET_MATCH_ANY);
    case TIMED_FUTEX:
        for (;;)
            syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &hour, NULL, 0);
    case WAITS_FOR_CHILD:
        child = fork();
        while (child == 0)
            pause();
        waitpid(child, NULL, 0);
        break;
    case READS:
        (void)!read(never[0], &byte, 1);
        break;
    case STOPS:
        raise(SIGSTOP);
        break;
    case READS_ON:
        while (read(never[0], &byte, 1) == 1)
            ;
        break;
    case ENDS:
        break;
    }
    _exit(0);
}

static void *second_thread(void *arg)
{
    behave(*(enum habit *)arg);
    return NULL;
}

static pid_t started[16];
static unsigned started_count;

/* A process in a group of its own, with one thread, or two of different habits. */
static pid_t start(enum habit first, const enum habit *second)
{
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t thread;
        setpgid(0, 0);
        if (second)
            pthread_create(&thread, NULL, second_thread, (void *)(uintptr_t)second);
        behave(first);
    }
    setpgid(pid, pid);
    started[started_count++] = pid;
    char path[64];
    struct stat s = {0};
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    for (unsigned look = 0; look < 2000 && (stat(path, &s) || s.st_nlink != (second ? 4 : 3)); look++)
        usleep(5000); /* until all its threads are there */
    usleep(30000);
    return pid;
}

static void end_all(void)
{
    while (started_count) {
        pid_t pid = started[--started_count];
        kill(-pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

static int rest_setup(void **state)
{
    if (setup(state) || pipe(never))
        return -1;
    struct bench *b = *state;
    client_end(b->d, b->client[0]); /* this process is none of them */
    return 0;
}

static int rest_teardown(void **state)
{
    end_all();
    close(never[0]), close(never[1]);
    return teardown(state);
}

static bool reached_within(struct bench *b, unsigned times, useconds_t apart)
{
    for (unsigned i = 0; i < times; i++) {
        if (rest_reached(b->d, NULL))
            return true;
        usleep(apart);
    }
    return false;
}

/* Eventually, and then for good: a process may still be on its way. */
static bool rests(struct bench *b)
{
    return reached_within(b, 2000, 2000);
}

static bool restless(struct bench *b)
{
    return !reached_within(b, 20, 1000);
}

/* A thread of the process that has asked and waits for its answer; the other end. */
static int asks(struct bench *b, pid_t pid, pid_t tid, enum conn_state state)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    struct conn *conn = calloc(1, sizeof *conn);
    *conn = (struct conn){
        .fd = ends[0], .pid = pid, .tid = tid, .client = client_get(b->d, pid), .state = state, .next = b->d->conns};
    b->d->conns = conn;
    return ends[1];
}

/* shows S0.7: who sleeps, waits, is stopped or has ended rests; who computes does not. */
static void sleepers_rest_and_workers_do_not(void **state)
{
    static const struct {
        enum habit habit;
        bool rests;
    } cases[] = {{PAUSES, true}, {COMPUTES, false}, {FUTEX, true}, {WAITS_FOR_CHILD, true},
                 {READS, true},  {STOPS, true},     {ENDS, true},  {TIMED_FUTEX, true}};
    struct bench *b = *state;
    assert_true(rests(b)); /* the bench's own client pauses */
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct client *c = client_get(b->d, start(cases[i].habit, NULL));
        if (cases[i].habit == ENDS) { /* until its end has been noticed: what follows from that comes first */
            assert_true(restless(b));
            c->over = true;
        }
        assert_true(cases[i].rests ? rests(b) : restless(b));
        c->ended = true; /* who has ended is not asked */
        assert_true(rests(b));
        end_all();
    }
}

/* Who has run between two looks may have woken others behind the first: one more is needed. */
static void who_has_run_is_looked_at_again(void **state)
{
    struct bench *b = *state;
    client_get(b->d, start(READS_ON, NULL));
    for (unsigned round = 0; round < 3; round++) {
        assert_true(rests(b));
        assert_int_equal(watch_look(b->d, NULL), WATCH_STILL);
        assert_int_equal(write(never[1], "x", 1), 1);
        int unread = 1;
        for (unsigned look = 0; look < 2000 && unread; look++, usleep(5000))
            ioctl(never[0], FIONREAD, &unread);
        usleep(20000); /* it has blocked again */
        assert_int_equal(watch_look(b->d, NULL), WATCH_CHANGED);
        assert_int_equal(watch_look(b->d, NULL), WATCH_STILL);
    }
}

/* Each thread counts: one computes, while the other waits for the driver; or both wait. */
static void every_thread_counts(void **state)
{
    static const enum habit computes = COMPUTES, pauses = PAUSES;
    struct bench *b = *state;
    pid_t pid = start(PAUSES, &computes);
    client_get(b->d, pid);
    assert_true(restless(b));
    int first = asks(b, pid, pid, CONN_WAIT), end;
    assert_true(restless(b)); /* one request, two threads */
    end_all();
    b->d->conns->client->ended = true;
    pid = start(COMPUTES, &pauses);
    client_get(b->d, pid);
    assert_true(restless(b));
    end = asks(b, pid, pid, CONN_PARK); /* as if it did not compute, but polled */
    assert_true(rests(b));
    b->d->conns->state = CONN_RUNNING;
    assert_true(restless(b));
    b->d->conns->state = CONN_SLEEP;
    assert_true(rests(b));
    int other = asks(b, pid, pid + 1, CONN_WAIT); /* all threads have asked: no look at them is needed */
    assert_true(rest_reached(b->d, NULL));
    struct shim_request request = {.op = REQ_PARK};
    assert_true(send(other, &request, sizeof request, 0) > 0); /* an unread request is something to do */
    assert_false(rest_reached(b->d, NULL));
    close(first), close(end), close(other);
}

/* What a client has started belongs to it, client or not, also when its parent is none. */
static void children_count(void **state)
{
    struct bench *b = *state;
    for (unsigned computes = 0; computes < 2; computes++) {
        pid_t pid = fork();
        if (pid == 0) {
            setpgid(0, 0);
            if (fork() == 0) {
                if (fork() == 0)
                    behave(computes ? COMPUTES : PAUSES);
                behave(PAUSES);
            }
            behave(PAUSES);
        }
        setpgid(pid, pid);
        started[started_count++] = pid;
        usleep(50000);
        assert_true(rests(b)); /* not yet a client: a stranger */
        struct client *c = client_get(b->d, pid);
        assert_true(computes ? restless(b) : rests(b));
        assert_true(rest_outside(b->d)); /* who pauses waits for a signal from outside */
        c->ended = true;
        assert_true(rests(b));
        end_all();
    }
}

/* However many generations lie between a client and what it has started. */
static void late_descendants_count(void **state)
{
    struct bench *b = *state;
    int born[2];
    char last;
    assert_int_equal(pipe(born), 0);
    pid_t pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        for (unsigned generation = 0; generation < 40; generation++)
            if (fork())
                behave(PAUSES);
        if (write(born[1], "x", 1) == 1)
            behave(COMPUTES);
        _exit(1);
    }
    setpgid(pid, pid);
    started[started_count++] = pid;
    assert_int_equal(read(born[0], &last, 1), 1);
    usleep(50000);
    client_get(b->d, pid);
    assert_true(restless(b));
    close(born[0]), close(born[1]);
}

/* A process all of whose threads have asked is at rest without a look at it; one thread more is looked at. */
static void as_many_requests_as_threads(void **state)
{
    static const enum habit pauses = PAUSES;
    struct bench *b = *state;
    pid_t pid = start(COMPUTES, NULL);
    struct client *c = client_get(b->d, pid);
    int end = asks(b, pid, 1, CONN_SLEEP); /* no thread of that number is seen there */
    int other = asks(b, b->other, b->other, CONN_WAIT);
    assert_true(rest_reached(b->d, NULL));
    c->ended = true;
    pid = start(COMPUTES, &pauses);
    int second = asks(b, pid, 1, CONN_SLEEP);
    assert_true(restless(b));
    close(end), close(other), close(second);
}

static const char *told(struct bench *b)
{
    static char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");
    text[0] = 0;
    rest_tell(b->d, out);
    fclose(out);
    return text;
}

/* shows B.7: threads without a request, and what they wait for: each other, a child, or something from outside. */
static void what_threads_wait_for(void **state)
{
    static const enum habit futex = FUTEX, pauses = PAUSES;
    static const struct {
        enum habit first;
        const enum habit *second;
        const char *words;
        bool outside;
    } cases[] = {{FUTEX, NULL, "for another thread (futex)", false},
                 {FUTEX, &futex, "for another thread (futex)", false},
                 {BITSET_FUTEX, NULL, "for another thread (futex)", false},
                 {TIMED_FUTEX, NULL, "for something outside", true},
                 {WAITS_FOR_CHILD, NULL, "for a process that it started", true}, /* which pauses */
                 {READS, NULL, "for something outside", true},
                 {PAUSES, NULL, "for something outside", true},
                 {COMPUTES, NULL, "for something outside", true},
                 {FUTEX, &pauses, "for another thread (futex)", true}};
    struct bench *b = *state;
    b->client[1]->ended = true;
    assert_false(rest_outside(b->d));
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pid_t pid = start(cases[i].first, cases[i].second);
        struct client *c = client_get(b->d, pid);
        char line[200];
        snprintf(line, sizeof line, "  process %d thread %d waits %s\n", (int)pid, (int)pid, cases[i].words);
        for (unsigned look = 0; look < 1000 && strncmp(told(b), line, strlen(line)); look++)
            usleep(5000); /* it may still be on its way */
        if (strncmp(told(b), line, strlen(line)))
            fail_msg("%s is not the first line of:\n%s", line, told(b));
        for (unsigned look = 0; look < 1000 && rest_outside(b->d) != cases[i].outside; look++)
            usleep(5000);
        assert_int_equal(rest_outside(b->d), cases[i].outside);
        unsigned lines = 0;
        for (const char *at = told(b); (at = strchr(at, '\n')); at++)
            lines++;
        assert_int_equal(lines, cases[i].second ? 2 : 1);
        int end = asks(b, pid, pid, CONN_WAIT); /* who waits for the driver is not told here */
        assert_int_equal(strncmp(told(b), line, strlen(line)) == 0, false);
        close(end);
        b->d->conns->client = NULL;
        c->ended = true;
        end_all();
        assert_string_equal(told(b), "");
        assert_false(rest_outside(b->d));
    }
}

/* Processes that come later count, however often it was looked before; a client without a process rests. */
static void later_processes_count(void **state)
{
    struct bench *b = *state;
    b->client[1]->ended = true;
    pid_t pid = start(WAITS_FOR_CHILD, NULL); /* which pauses */
    struct client *c = client_get(b->d, pid);
    struct client *gone = client_get(b->d, 0x3ffff000); /* no such process */
    for (unsigned look = 0; look < 500; look++)
        assert_true(rest_outside(b->d));
    c->ended = true;
    end_all();
    client_get(b->d, start(FUTEX, NULL));
    for (unsigned look = 0; look < 1000; look++)
        if (!rest_outside(b->d))
            break;
    for (unsigned look = 0; look < 500; look++)
        assert_false(rest_outside(b->d));
    pid = start(WAITS_FOR_CHILD, NULL);
    client_get(b->d, pid);
    bool outside = false;
    for (unsigned look = 0; look < 1000 && !outside; look++)
        outside = rest_outside(b->d);
    assert_true(outside);
    assert_true(rests(b));
    assert_false(gone->ended);
}

#define RESTS(f) cmocka_unit_test_setup_teardown(f, rest_setup, rest_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        RESTS(sleepers_rest_and_workers_do_not),
        RESTS(who_has_run_is_looked_at_again),
        RESTS(every_thread_counts),
        RESTS(children_count),
        RESTS(late_descendants_count),
        RESTS(as_many_requests_as_threads),
        RESTS(what_threads_wait_for),
        RESTS(later_processes_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
