// SPDX-License-Identifier: Apache-2.0
// What a process of a cut machine sees of the others: a death within a second, told in one line with link, cycle and
// process; a stop, told once; an end in order; a host whose owner acts when all is quiet; a stop of its own.
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"
#include "bridge/link/region_wait.h"
#include "bridge/run/advance.h"

enum { LATENCY = 100, DEPTH = 512 };
static const char *const PROCESSES[] = {"host", "worker"};

/* A partition that notes what comes; the worker's answers each message on output 0 after some cycles. */
struct echo {
    uint64_t hash, came, timer, state, busy_until;
    unsigned owed;
    bool answers;
};

static void echo_visit(struct part *part, uint64_t from)
{
    struct echo *e = part->own;
    for (uint64_t now = from; now < from + PART_WINDOW; now++) {
        for (uint32_t i = 0; i < part->due_count[now - from]; i++) {
            e->came++;
            e->hash = (e->hash ^ now ^ *(const uint64_t *)part->due[now - from][i].data) * 0x9e3779b97f4a7c15u;
            e->owed += e->answers;
            e->timer = now + 1 + e->hash % 300;
        }
        if (e->owed && now >= e->timer) {
            e->owed--;
            e->timer = now + 1 + e->hash % 7;
            sched_send(part, 0, now, &e->hash);
        }
    }
    part->idle = e->owed == 0 && from >= e->busy_until;
}
static const struct part_ops echo_ops = {.visit = echo_visit};

struct side {
    struct sched s;
    struct region *region;
    struct echo echo[3];
    struct part *parts[3]; /* host, worker; in the process of the host one that answers beside it */
};

static int region_make(uint32_t host)
{
    struct region_link links[] = {{"host:0 -> worker:0", 8, LATENCY, DEPTH, 0, 1},
                                  {"worker:0 -> host:0", 8, LATENCY, DEPTH, 1, 0}};
    struct region_plan plan = {PROCESSES, 2, links, 2, host};
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    return fd;
}

static void part_make(struct side *side, unsigned n)
{
    static const char *const names[] = {"host", "worker", "near"};
    side->echo[n].answers = n != 0;
    side->parts[n] = part_new(&echo_ops, names[n], 2, 2, &side->echo[n]);
    sched_add(&side->s, side->parts[n]);
    if (n == 2) {
        sched_connect(&side->s, side->parts[0], 1, side->parts[2], 0, 8, LATENCY, DEPTH);
        sched_connect(&side->s, side->parts[2], 0, side->parts[0], 1, 8, LATENCY, DEPTH);
    }
}

static void side_open(struct side *side, int fd, uint32_t self)
{
    struct hello hello = hello_make("r", "g", "c", 1);
    memset(side, 0, sizeof *side);
    side->region = region_open(fd, self, &hello, 1);
    assert_non_null(side->region);
    sched_init(&side->s);
    part_make(side, self);
    if (self == 0)
        part_make(side, 2);
    struct carrier carrier = {&transport_shm, side->region};
    struct far_end other = {PROCESSES[1 - self], 0};
    assert_non_null(sched_export(&side->s, side->parts[self], 0, other, 8, LATENCY, DEPTH, carrier));
    assert_non_null(sched_import(&side->s, other, side->parts[self], 0, 8, LATENCY, DEPTH, carrier));
    sched_join(&side->s, side->region);
    assert_true(sched_start(&side->s));
}

static void side_close(struct side *side)
{
    sched_fini(&side->s);
    region_close(side->region);
}

/* A worker that says its cycle, promises so far and then does nothing. */
static pid_t idler(int fd, uint64_t promise)
{
    pid_t pid = fork();
    if (pid == 0) {
        struct side w;
        alarm(60);
        side_open(&w, fd, 1);
        if (!peers_greet(w.region, 30))
            _exit(2);
        struct link *out = w.s.exports[0]->out;
        out->transport->promise(out, promise);
        peers_beat(w.region, 4242);
        for (;;)
            pause();
    }
    return pid;
}

static uint64_t kill_after(pid_t pid, int signal, unsigned ms)
{
    if (fork() == 0) {
        usleep(ms * 1000);
        kill(pid, signal);
        _exit(0);
    }
    return peers_clock() + ms * UINT64_C(1000000);
}

/* Whether the host waits for the worker or runs on what it has promised: its death is told within a second. */
static void test_death_is_told_within_a_second(void **state)
{
    (void)state;
    for (unsigned busy = 0; busy < 2; busy++) {
        struct side h;
        char line[256];
        int fd = region_make(0);
        pid_t pid = idler(fd, busy ? UINT64_MAX : 300);
        side_open(&h, fd, 0);
        h.echo[0].busy_until = UINT64_MAX - 64;
        h.parts[0]->idle = false;
        sched_wake(&h.s, h.parts[0], 0);
        catch_errors();
        assert_true(peers_greet(h.region, 30));
        uint64_t died = kill_after(pid, SIGKILL, 300);
        enum sched_end end = sched_advance(&h.s, UINT64_MAX);
        uint64_t told = peers_clock();
        const char *text = release_errors();
        assert_int_equal(end, SCHED_LOST);
        assert_true(told > died - UINT64_C(100000000) && told < died + UINT64_C(1000000000));
        snprintf(line, sizeof line,
                 "gantry: worker:0 -> host:0: process worker (pid %d) ended at cycle 4242, before the run did\n", pid);
        assert_string_equal(text, line);
        if (!busy)
            assert_int_equal(h.s.now, 296); /* as far as was promised */
        while (wait(NULL) > 0)
            ;
        side_close(&h);
        close(fd);
    }
}

/* A worker that ends before it has joined is seen by the descriptor that its owner has. */
static void test_death_before_the_hello(void **state)
{
    struct side h;
    int fd = region_make(0);
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    side_open(&h, fd, 0);
    peers_watch(h.region, 1, pidfd);
    catch_errors();
    bool met = peers_greet(h.region, 30);
    const char *text = release_errors();
    assert_false(met);
    assert_string_equal(text, "gantry: links: process worker ended before the run began\n");
    while (wait(NULL) > 0)
        ;
    side_close(&h);
    close(pidfd);
    close(fd);
}

/* A worker that is stopped is told once, each time, and the run goes on with it. */
static void test_stop_is_told_once(void **state)
{
    struct side h;
    char line[256];
    int fd = region_make(0);
    (void)state;
    pid_t pid = idler(fd, 300);
    side_open(&h, fd, 0);
    h.echo[0].busy_until = 10000;
    h.parts[0]->idle = false;
    sched_wake(&h.s, h.parts[0], 0);
    catch_errors();
    assert_true(peers_greet(h.region, 30));
    kill_after(pid, SIGSTOP, 100);
    uint64_t died = kill_after(pid, SIGKILL, 5500);
    enum sched_end end = sched_advance(&h.s, UINT64_MAX);
    const char *text = release_errors();
    assert_int_equal(end, SCHED_LOST);
    assert_true(peers_clock() < died + UINT64_C(1000000000));
    snprintf(
        line, sizeof line,
        "gantry: worker:0 -> host:0: process worker (pid %d) is stopped at cycle 4242; the run waits until it goes "
        "on\n",
        pid);
    assert_memory_equal(text, line, strlen(line));
    assert_non_null(strstr(text + strlen(line), "ended at cycle 4242")); /* and nothing else between */
    assert_ptr_equal(strchr(text + strlen(line), '\n'), text + strlen(text) - 1);
    while (wait(NULL) > 0)
        ;
    side_close(&h);
    close(fd);
}

/* ---- a host that acts when all is quiet, or at a cycle of its own */
struct history {
    uint64_t host, worker, came, active;
};

static void host_plays(struct side *h, uint64_t (*active)(const struct side *h), bool slow)
{
    uint64_t x = 3, at = 0;
    for (unsigned round = 0; round < 120; round++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        for (unsigned n = 0; n <= x >> 62; n++)
            sched_send(h->parts[0], (round + n) % 2, at, &x);
        uint64_t until = round % 3 ? UINT64_MAX : at + (x >> 40) % 700;
        enum sched_end end = sched_advance(&h->s, until);
        assert_int_equal(end, round % 3 ? SCHED_QUIET : SCHED_UNTIL);
        at = end == SCHED_UNTIL ? until : active(h) > at ? active(h) : at;
        if (slow && round % 7 == 0)
            usleep(3000); /* the worker sleeps meanwhile */
    }
}

static uint64_t active_here(const struct side *h)
{
    return sched_active(&h->s);
}
static uint64_t active_anywhere(const struct side *h)
{
    return region_active(h->region);
}

static struct history host_alone(void)
{
    struct side h;
    memset(&h, 0, sizeof h);
    sched_init(&h.s);
    part_make(&h, 0);
    part_make(&h, 1);
    part_make(&h, 2);
    sched_connect(&h.s, h.parts[0], 0, h.parts[1], 0, 8, LATENCY, DEPTH);
    sched_connect(&h.s, h.parts[1], 0, h.parts[0], 0, 8, LATENCY, DEPTH);
    assert_true(sched_start(&h.s));
    host_plays(&h, active_here, false);
    struct history done = {h.echo[0].hash, h.echo[1].hash, h.echo[1].came, sched_active(&h.s)};
    sched_fini(&h.s);
    return done;
}

static struct history host_and_worker(void)
{
    struct history *done = mmap(NULL, sizeof *done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int fd = region_make(0), status;
    pid_t pid = fork();
    if (pid == 0) {
        struct side w;
        alarm(60);
        side_open(&w, fd, 1);
        if (!peers_greet(w.region, 30))
            _exit(2);
        enum sched_end end = sched_advance(&w.s, UINT64_MAX);
        done->worker = w.echo[1].hash;
        done->came = w.echo[1].came;
        side_close(&w);
        _exit(end == SCHED_ENDED ? 0 : 10 + (int)end);
    }
    struct side h;
    side_open(&h, fd, 0);
    assert_true(peers_greet(h.region, 30));
    host_plays(&h, active_anywhere, true);
    done->host = h.echo[0].hash;
    done->active = region_active(h.region);
    side_close(&h);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    struct history copy = *done;
    munmap(done, sizeof *done);
    close(fd);
    return copy;
}

/* shows B.3: what a host does at its own cycles and when all is quiet is the same with its partners elsewhere. */
static void test_host_acts_when_all_is_quiet(void **state)
{
    (void)state;
    struct history one = host_alone(), two = host_and_worker();
    assert_true(one.came > 100);
    assert_true(one.host == two.host && one.worker == two.worker);
    assert_int_equal(one.came, two.came);
    assert_int_equal(one.active, two.active);
}

/* ---- ends of its own */
static struct sched *running;
static void on_alarm(int signal)
{
    (void)signal;
    running->stop = true;
}

static void test_stop_ends_a_wait(void **state)
{
    struct side h;
    int fd = region_make(0);
    (void)state;
    pid_t pid = idler(fd, 300);
    side_open(&h, fd, 0);
    assert_true(peers_greet(h.region, 30));
    running = &h.s;
    struct sigaction act = {.sa_handler = on_alarm}, old;
    sigaction(SIGALRM, &act, &old);
    ualarm(200000, 0);
    assert_int_equal(sched_advance(&h.s, UINT64_MAX), SCHED_STOPPED);
    assert_false(h.s.stop);
    sigaction(SIGALRM, &old, NULL);
    kill(pid, SIGKILL);
    while (wait(NULL) > 0)
        ;
    side_close(&h);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_death_is_told_within_a_second),
        cmocka_unit_test(test_death_before_the_hello),
        cmocka_unit_test(test_stop_is_told_once),
        cmocka_unit_test(test_host_acts_when_all_is_quiet),
        cmocka_unit_test(test_stop_ends_a_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
