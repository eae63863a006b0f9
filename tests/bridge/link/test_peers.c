// SPDX-License-Identifier: Apache-2.0
// Looking at the other processes of a run: whose end is told, once, with the link that waits for it most; who has left
// in order is not missed; who refuses takes the others along; descriptors are closed by who opened them; a sleeper is
// woken, not found at the next look.
#include <fcntl.h>
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
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/peers.h"
#include "bridge/link/region_layout.h"
#include "bridge/link/region_wait.h"

static const char *const PROCESSES[] = {"host", "left", "right"};
static const struct region_link LINKS[] = {{"left:0 -> host:0", 8, 10, 4, 1, 0},
                                           {"left:1 -> host:1", 8, 30, 4, 1, 0},
                                           {"right:0 -> host:2", 8, 20, 4, 2, 0},
                                           {"host:0 -> left:0", 8, 10, 4, 0, 1}};
enum { IN = 3 };

static int region_make(void)
{
    struct region_plan plan = {PROCESSES, 3, LINKS, 4, REGION_NONE};
    int fd = region_create(&plan);
    assert_true(fd >= 0);
    return fd;
}

static struct region *join(int fd, uint32_t self)
{
    struct hello hello = hello_make("r", "g", "c", 1);
    struct region *r = region_open(fd, self, &hello, 1);
    assert_non_null(r);
    return r;
}

/* A process that joins as `self` and then waits for a signal, or leaves at once. */
static pid_t process(int fd, uint32_t self, bool leaves)
{
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        struct region *r = join(fd, self);
        peers_beat(r, 100 * self);
        if (leaves) {
            region_close(r);
            _exit(0);
        }
        for (;;)
            pause();
    }
    return pid;
}

static void links_open(struct region *r, struct link *links, struct link **in)
{
    for (unsigned i = 0; i < IN; i++) {
        link_init(&links[i], &transport_shm, LINKS[i].name, false, 8, LINKS[i].latency, 4);
        assert_true(links[i].transport->open(&links[i], r));
        in[i] = &links[i];
    }
}

static void links_close(struct link *links)
{
    for (unsigned i = 0; i < IN; i++)
        links[i].transport->close(&links[i]);
}

static void end_of(pid_t pid)
{
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static unsigned descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static uint64_t monotonic(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static void test_clock(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 20; n++) {
        uint64_t before = monotonic(), now = peers_clock(), after = monotonic();
        assert_true(before <= now && now <= after);
        usleep(100);
    }
}

/* The link named is the one of that process which has promised least; told once, whoever looks; and who saw it gives up
 * too, so that a third is not left waiting. */
static void test_end_is_told_once(void **state)
{
    struct link links[IN], *in[IN];
    char line[200];
    (void)state;
    for (unsigned late = 0; late < 2; late++) {
        int fd = region_make();
        unsigned before = descriptors();
        pid_t left = process(fd, 1, false), right = process(fd, 2, false);
        struct region *r = join(fd, 0);
        assert_true(peers_greet(r, 30));
        links_open(r, links, in);
        links[0].promised = late ? 50 : 70;
        links[1].promised = late ? 51 : 60;
        links[2].promised = 1;
        while (atomic_load(&region_entry(r, 1)->cycle) != 100)
            usleep(1000);
        assert_int_equal(peers_look(r, in, IN, false), PEERS_WELL);
        assert_int_equal(descriptors(), before + 2);
        assert_int_equal(region_entry(r, 0)->stage, REGION_GREETED);
        end_of(left);
        catch_errors();
        assert_int_equal(peers_look(r, in, IN, false), PEERS_LOST);
        assert_int_equal(peers_look(r, in, IN, false), PEERS_LOST);
        snprintf(line, sizeof line,
                 "gantry: left:%d -> host:%d: process left (pid %d) ended at cycle 100, before the run did\n", !late,
                 !late, (int)left);
        assert_string_equal(release_errors(), line);
        assert_int_equal(region_entry(r, 0)->stage, REGION_REFUSED);
        end_of(right);
        links_close(links);
        region_close(r);
        assert_int_equal(descriptors(), before);
        close(fd);
    }
}

/* Who left in order is not missed, even when it is gone; but an end of another counts more. */
static void test_left_in_order(void **state)
{
    struct link links[IN], *in[IN];
    int fd = region_make();
    (void)state;
    pid_t left = process(fd, 1, true), right = process(fd, 2, false);
    struct region *r = join(fd, 0);
    assert_true(peers_greet(r, 30));
    links_open(r, links, in);
    assert_int_equal(waitpid(left, NULL, 0), left);
    catch_errors();
    assert_int_equal(peers_look(r, in, IN, true), PEERS_LEFT);
    assert_string_equal(release_errors(), "");
    assert_int_equal(region_entry(r, 0)->stage, REGION_GREETED);
    end_of(right);
    catch_errors();
    assert_int_equal(peers_look(r, in, 2, true), PEERS_LOST); /* no link of it is among these */
    assert_non_null(strstr(release_errors(), "gantry: links: process right (pid "));
    links_close(links);
    region_close(r);
    close(fd);
}

/* Who refuses this run is lost, without a word from here: it has said why. */
static void test_refusal_spreads(void **state)
{
    int fd = region_make();
    (void)state;
    pid_t left = process(fd, 1, false), right = process(fd, 2, false);
    struct region *r = join(fd, 0);
    assert_true(peers_greet(r, 30));
    atomic_store(&region_entry(r, 1)->stage, REGION_REFUSED);
    catch_errors();
    assert_int_equal(peers_look(r, NULL, 0, true), PEERS_LOST);
    assert_string_equal(release_errors(), "");
    assert_int_equal(region_entry(r, 0)->stage, REGION_REFUSED);
    end_of(left);
    end_of(right);
    region_close(r);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
}

static void stop_and_wait(pid_t pid, int signal)
{
    int status;
    kill(pid, signal);
    assert_int_equal(waitpid(pid, &status, WUNTRACED | WCONTINUED), pid);
}

/* Stopped processes are asked for only while the run stands still, and told again after they went on. */
static void test_stops(void **state)
{
    char line[200];
    int fd = region_make();
    (void)state;
    pid_t left = process(fd, 1, false), right = process(fd, 2, false);
    struct region *r = join(fd, 0);
    assert_true(peers_greet(r, 30));
    while (atomic_load(&region_entry(r, 2)->cycle) != 200)
        usleep(1000);
    snprintf(line, sizeof line,
             "gantry: links: process right (pid %d) is stopped at cycle 200; the run waits until it goes on\n",
             (int)right);
    stop_and_wait(right, SIGSTOP);
    catch_errors();
    assert_int_equal(peers_look(r, NULL, 0, false), PEERS_WELL);
    assert_string_equal(release_errors(), "");
    for (unsigned round = 0; round < 2; round++) {
        catch_errors();
        assert_int_equal(peers_look(r, NULL, 0, true), PEERS_WELL);
        assert_int_equal(peers_look(r, NULL, 0, true), PEERS_WELL);
        assert_string_equal(release_errors(), line);
        stop_and_wait(right, SIGCONT);
        assert_int_equal(peers_look(r, NULL, 0, true), PEERS_WELL);
        stop_and_wait(right, SIGSTOP);
    }
    end_of(left);
    end_of(right);
    region_close(r);
    close(fd);
}

/* A borrowed descriptor is looked at and left open; one that was opened here is closed for it. */
static void test_descriptors(void **state)
{
    int fd = region_make();
    (void)state;
    pid_t left = process(fd, 1, false), right = process(fd, 2, false);
    struct region *r = join(fd, 0);
    assert_true(peers_greet(r, 30));
    int one = (int)syscall(SYS_pidfd_open, right, 0), two = (int)syscall(SYS_pidfd_open, left, 0);
    peers_watch(r, 2, two); /* of another process: that is what counts */
    peers_watch(r, 2, one);
    assert_int_equal(fcntl(two, F_GETFD), FD_CLOEXEC);
    peers_look(r, NULL, 0, false);
    unsigned before = descriptors();
    peers_watch(r, 1, two); /* instead of the one that look opened */
    assert_int_equal(descriptors(), before - 1);
    assert_int_equal(peers_look(r, NULL, 0, false), PEERS_WELL);
    assert_int_equal(descriptors(), before - 1);
    peers_watch(r, 1, one);
    end_of(right);
    catch_errors();
    assert_int_equal(peers_look(r, NULL, 0, false), PEERS_LOST);
    assert_non_null(strstr(release_errors(), "process left (pid "));
    end_of(left);
    region_close(r);
    assert_int_equal(fcntl(one, F_GETFD), FD_CLOEXEC);
    assert_int_equal(fcntl(two, F_GETFD), FD_CLOEXEC);
    close(one);
    close(two);
    close(fd);
}

/* A tenth of a second after a look the next is due, not before. */
static void test_due(void **state)
{
    int fd = region_make();
    (void)state;
    struct region *r = join(fd, 0);
    peers_look(r, NULL, 0, false);
    uint64_t looked = peers_clock();
    bool due = peers_due(r);
    assert_true(!due || peers_clock() - looked > PEERS_LOOK_NS / 2);
    usleep(140000);
    assert_true(peers_due(r));
    region_close(r);
    close(fd);
}

/* Greeting waits as long as it is told, and no longer. */
static void test_greeting_waits(void **state)
{
    int fd = region_make();
    (void)state;
    pid_t left = process(fd, 1, false);
    struct region *r = join(fd, 0);
    uint64_t begin = peers_clock();
    catch_errors();
    assert_false(peers_greet(r, 1));
    assert_string_equal(release_errors(), "gantry: links: process right has not come within 1 s\n");
    assert_true(peers_clock() - begin >= UINT64_C(1000000000) && peers_clock() - begin < UINT64_C(20000000000));
    assert_int_equal(region_entry(r, 0)->stage, REGION_REFUSED);
    end_of(left);
    region_close(r);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
}

/* ---- waiting: each is woken when there is something for it */
struct turns {
    struct region *r;
    struct link *in, *out;
    uint64_t got;
};
static bool something(void *ctx)
{
    struct turns *t = ctx;
    return t->in->transport->peek(t->in) != t->got;
}

/* Ball number n is sent by one, then by the other, with rests that let the one who waits fall asleep. */
static enum region_end play(struct turns *t, unsigned balls, bool begins, uint64_t next)
{
    enum region_end end = REGION_GO;
    uint64_t ball = 0;
    while (t->got < balls && end == REGION_GO) {
        if (begins) {
            usleep(5000);
            link_send(t->out, 100 * (t->out->sent + 1), &ball);
            t->out->transport->promise(t->out, 100 * t->out->sent + 1);
        }
        begins = true;
        struct region_waiter w = {.next = next,
                                  .need = UINT64_MAX,
                                  .reach = 10,
                                  .sent = t->out->sent,
                                  .received = t->got,
                                  .look = something,
                                  .ctx = t,
                                  .in = &t->in,
                                  .count = 1};
        end = region_wait(t->r, &w);
        t->got = t->in->transport->peek(t->in);
        t->in->transport->done(t->in, t->got);
    }
    return end;
}

static void turns_open(struct turns *t, int fd, uint32_t self)
{
    static const char *const names[] = {"a:0 -> b:0", "b:0 -> a:0"};
    t->r = join(fd, self);
    t->in = calloc(1, sizeof *t->in);
    t->out = calloc(1, sizeof *t->out);
    link_init(t->out, &transport_shm, names[self], true, 8, 10, 4);
    link_init(t->in, &transport_shm, names[1 - self], false, 8, 10, 4);
    assert_true(peers_greet(t->r, 30) && t->out->transport->open(t->out, t->r) && t->in->transport->open(t->in, t->r));
}

static void test_sleepers_are_woken(void **state)
{
    static const struct region_link links[] = {{"a:0 -> b:0", 8, 10, 4, 0, 1}, {"b:0 -> a:0", 8, 10, 4, 1, 0}};
    enum { BALLS = 100 };
    struct region_plan plan = {PROCESSES, 2, links, 2, REGION_NONE};
    int fd = region_create(&plan), status;
    struct turns t = {0};
    (void)state;
    assert_true(fd >= 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60);
        turns_open(&t, fd, 1);
        enum region_end end = play(&t, BALLS, false, 5000);
        uint64_t ball = 0;
        link_send(t.out, 100 * (t.out->sent + 1), &ball); /* the last one back */
        t.out->transport->promise(t.out, UINT64_MAX);
        _exit(end == REGION_GO ? 0 : 1);
    }
    turns_open(&t, fd, 0);
    uint64_t begin = peers_clock();
    assert_int_equal(play(&t, BALLS, true, 5000), REGION_GO);
    uint64_t took = peers_clock() - begin; /* 2 x BALLS rests of 5 ms; found by looks alone: 100 ms each */
    assert_true(took > 2 * BALLS * UINT64_C(5000000) && took < BALLS * UINT64_C(100000000));
    assert_int_equal(atomic_load(&region_entry(t.r, 0)->state), REGION_RUNS);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    region_close(t.r);
    free(t.in);
    free(t.out);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),
        cmocka_unit_test(test_end_is_told_once),
        cmocka_unit_test(test_left_in_order),
        cmocka_unit_test(test_refusal_spreads),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_due),
        cmocka_unit_test(test_greeting_waits),
        cmocka_unit_test(test_sleepers_are_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
