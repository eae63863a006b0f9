// SPDX-License-Identifier: Apache-2.0
// Looking at the other processes of a run: whose end is told, once, with the link that waits for it most; who has left
// in order is not missed; who refuses takes the others along; descriptors are closed by who opened them.
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
#include "peers_bench.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clock),         cmocka_unit_test(test_end_is_told_once),
        cmocka_unit_test(test_left_in_order), cmocka_unit_test(test_refusal_spreads),
        cmocka_unit_test(test_stops),         cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_due),           cmocka_unit_test(test_greeting_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
