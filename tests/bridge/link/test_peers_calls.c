// SPDX-License-Identifier: Apache-2.0
// Liveness with clock, descriptors and /proc played by the test: what is asked of the system about whom, what an answer
// that is none means, and when, to the nanosecond, a look is due and a greeting ends.
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../errors.h"
#include "bridge/link/peers.h"
#include "region_bench.h"

/* ---- the system */
static uint64_t now_ns = 1;
static unsigned naps;
int clock_gettime(clockid_t id, struct timespec *t)
{
    (void)id;
    *t = (struct timespec){(time_t)(now_ns / 1000000000), (long)(now_ns % 1000000000)};
    return 0;
}
static void (*at_nap)(void);
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)left;
    naps++;
    now_ns += (uint64_t)wanted->tv_sec * 1000000000 + (uint64_t)wanted->tv_nsec;
    if (at_nap)
        at_nap();
    return 0;
}

static struct {
    int fd, error;   /* what pidfd_open answers */
    unsigned opened; /* so many times */
    long pid, flags; /* of the last */
} opening;
long syscall(long number, ...)
{
    va_list list;
    if (number != SYS_pidfd_open)
        return 0; /* a bell */
    va_start(list, number);
    opening.pid = va_arg(list, int);
    opening.flags = va_arg(list, int);
    va_end(list);
    opening.opened++;
    errno = opening.error;
    return opening.fd;
}

static struct {
    int answer, events[ALL], fds[ALL];
    unsigned asked;
    void (*at)(void); /* before it answers */
} polling;
int poll(struct pollfd *p, nfds_t n, int timeout)
{
    assert_true(n == 1 && timeout == 0 && polling.asked < ALL);
    polling.events[polling.asked] = p->events;
    polling.fds[polling.asked++] = p->fd;
    if (polling.at)
        polling.at();
    return polling.answer;
}

static const char *stat_text; /* NULL: no such process */
static char stat_path[64];
FILE *fopen(const char *path, const char *mode)
{
    (void)mode;
    snprintf(stat_path, sizeof stat_path, "%s", path);
    return stat_text ? fmemopen((void *)(uintptr_t)stat_text, strlen(stat_text), "r") : NULL;
}

static void clear(int fd, int error, int answer)
{
    memset(&opening, 0, sizeof opening);
    memset(&polling, 0, sizeof polling);
    opening.fd = fd;
    opening.error = error;
    polling.answer = answer;
}

/* The second process alone is of interest. */
static void open_of_two(struct bench *b)
{
    bench_open(b, REGION_NONE);
    entry(b, 1)->pid = 1234;
    entry(b, 2)->pid = 0; /* not there yet, and not looked for */
}

/* Looked for by its number, once; that there is none of this number is an end, that there is no descriptor is not, and
 * is tried again.  Descriptor 0 is one, too. */
static void test_looking_for_a_number(void **state)
{
    static const struct {
        int fd, error, answer;
        enum peers found;
        unsigned opened, asked; /* in three looks */
    } cases[] = {{40, 0, 0, PEERS_WELL, 1, 3},     {40, 0, 1, PEERS_LOST, 1, 3},      {40, 0, -1, PEERS_WELL, 1, 3},
                 {-1, ESRCH, 0, PEERS_LOST, 3, 0}, {-1, EMFILE, 0, PEERS_WELL, 3, 0}, {0, 0, 1, PEERS_LOST, 1, 3}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        open_of_two(&b);
        clear(cases[n].fd, cases[n].error, cases[n].answer);
        catch_errors();
        for (unsigned look = 0; look < 3; look++) {
            assert_int_equal(peers_look(b.r[0], NULL, 0, false), cases[n].found);
            entry(&b, 0)->stage = REGION_GREETED;
        }
        const char *line = release_errors();
        assert_string_equal(line, cases[n].found == PEERS_LOST
                                      ? "gantry: links: process p1 (pid 1234) ended at cycle 0, before the run did\n"
                                      : "");
        assert_int_equal(opening.opened, cases[n].opened);
        assert_true(opening.pid == 1234 && opening.flags == 0);
        assert_int_equal(polling.asked, cases[n].asked);
        for (unsigned k = 0; k < polling.asked; k++)
            assert_true(polling.fds[k] == cases[n].fd && polling.events[k] == POLLIN);
        assert_int_equal(b.r[0]->mine[1], cases[n].fd >= 0);
        b.r[0]->mine[1] = false; /* no descriptor of ours */
        bench_close(&b);
    }
}

/* The first number that a process can have is one. */
static void test_first_number(void **state)
{
    struct bench b;
    (void)state;
    open_of_two(&b);
    entry(&b, 1)->pid = 1;
    clear(40, 0, 0);
    assert_int_equal(peers_look(b.r[0], NULL, 0, false), PEERS_WELL);
    assert_true(opening.opened == 1 && opening.pid == 1);
    b.r[0]->mine[1] = false;
    bench_close(&b);
}

/* Told to be watched: that descriptor, whatever the number says. */
static void test_watching(void **state)
{
    struct bench b;
    (void)state;
    open_of_two(&b);
    clear(40, 0, 1);
    entry(&b, 1)->pid = 0; /* has not joined: its end is known all the same */
    peers_watch(b.r[0], 1, 51);
    catch_errors();
    assert_int_equal(peers_look(b.r[0], NULL, 0, false), PEERS_LOST);
    assert_non_null(strstr(release_errors(), "process p1 (pid 0) ended"));
    assert_true(opening.opened == 0 && polling.asked == 1 && polling.fds[0] == 51);
    bench_close(&b);
}

/* By the letter behind its name, which may hold anything; one that cannot be read is not stopped. */
static void test_who_is_stopped(void **state)
{
    static const struct {
        const char *text;
        bool stopped;
    } cases[] = {{"1234 (a) b T) T 1 2", true},
                 {"1234 (a) t 1", true},
                 {"1234 (T) S 1", false},
                 {"1234 (a) R 1", false},
                 {"1234 (a) T) S 1", false},
                 {"T T T T", false},
                 {"", false},
                 {NULL, false}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        open_of_two(&b);
        clear(40, 0, 0);
        stat_text = cases[n].text;
        entry(&b, 2)->stage = REGION_LEFT; /* is not asked for */
        entry(&b, 1)->cycle = 77;
        catch_errors();
        enum peers found = peers_look(b.r[0], NULL, 0, true);
        const char *line = release_errors();
        assert_int_equal(found, PEERS_LEFT);
        assert_string_equal(stat_path, "/proc/1234/stat");
        assert_string_equal(line, cases[n].stopped ? "gantry: links: process p1 (pid 1234) is stopped at cycle 77; the "
                                                     "run waits until it goes on\n"
                                                   : "");
        b.r[0]->mine[1] = false;
        bench_close(&b);
    }
}

/* Whatever the order in which they are seen, one that is lost counts more than one that left, and this one gives up
 * then only. */
static void test_the_worst_counts(void **state)
{
    static const struct {
        uint32_t first, second;
        enum peers found;
    } cases[] = {{REGION_LEFT, REGION_REFUSED, PEERS_LOST}, {REGION_REFUSED, REGION_LEFT, PEERS_LOST},
                 {REGION_LEFT, REGION_LEFT, PEERS_LEFT},    {REGION_LEFT, REGION_GREETED, PEERS_LEFT},
                 {REGION_GREETED, REGION_LEFT, PEERS_LEFT}, {REGION_GREETED, REGION_GREETED, PEERS_WELL}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (unsigned ended = 0; ended < 2; ended++) { /* who left in order or refused is not told once more */
            struct bench b;
            bench_open(&b, REGION_NONE);
            clear(-1, ended ? ESRCH : EMFILE, 0);
            entry(&b, 1)->stage = cases[n].first;
            entry(&b, 2)->stage = cases[n].second;
            now_ns += 12345;
            catch_errors();
            enum peers found = peers_look(b.r[0], NULL, 0, false);
            const char *lines = release_errors();
            const bool lost = ended && (cases[n].first == REGION_GREETED || cases[n].second == REGION_GREETED);
            assert_int_equal(found, lost ? PEERS_LOST : cases[n].found);
            assert_int_equal(*lines != 0, lost);
            assert_int_equal(entry(&b, 0)->stage, found == PEERS_LOST ? REGION_REFUSED : REGION_GREETED);
            assert_int_equal(b.r[0]->looked, now_ns);
            assert_int_equal(opening.opened, 2); /* not for itself */
            bench_close(&b);
        }
    }
}

/* 100 ms after the last look to the nanosecond, by a clock that may lag behind. */
static void test_due(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, REGION_NONE);
    now_ns = UINT64_C(7999999999); /* over a second's end */
    b.r[0]->looked = now_ns;
    now_ns += 99999999;
    assert_false(peers_due(b.r[0]));
    now_ns++;
    assert_true(peers_due(b.r[0]));
    now_ns = b.r[0]->looked - 4000000;
    assert_false(peers_due(b.r[0]));
    bench_close(&b);
}

/* ---- greeting */
static struct bench *greeted;
static void joins_late(void)
{
    if (naps == 7)
        entry(greeted, 1)->stage = REGION_GREETED;
}
static void came_and_left(void) /* since its stage was looked at */
{
    entry(greeted, 1)->stage = REGION_LEFT;
    polling.answer = 1;
}

static bool greet(struct bench *b, unsigned seconds, void (*nap)(void))
{
    greeted = b;
    entry(b, 1)->stage = REGION_ABSENT;
    naps = 0;
    at_nap = nap;
    catch_errors();
    bool met = peers_greet(b->r[0], seconds);
    at_nap = NULL;
    release_errors();
    b->r[0]->mine[1] = false;
    return met;
}

/* Waits in naps for as many seconds as it is told and not longer, and for nothing when all are there; one that came and
 * left is one that came; who ended before is told once, whoever greets. */
static void test_greeting(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, REGION_NONE);
    clear(-1, EMFILE, 0);
    assert_true(greet(&b, 3, joins_late));
    assert_int_equal(naps, 7);
    assert_int_equal(entry(&b, 0)->stage, REGION_GREETED);
    clear(40, 0, 0);
    polling.at = came_and_left;
    assert_true(greet(&b, 3, NULL));
    assert_int_equal(polling.asked, 1);
    assert_string_equal(errors.text, "");
    b.r[0]->pidfds[1] = -1;
    clear(-1, EMFILE, 0);
    now_ns = UINT64_C(5000000000);
    assert_false(greet(&b, 1, NULL));
    assert_string_equal(errors.text, "gantry: links: process p1 has not come within 1 s\n");
    assert_int_equal(now_ns, UINT64_C(6000200000)); /* the first look behind the second */
    assert_int_equal(entry(&b, 0)->stage, REGION_REFUSED);
    bench_close(&b);
    bench_open(&b, REGION_NONE);
    for (unsigned n = 0; n < 2; n++) {
        clear(-1, ESRCH, 0);
        entry(&b, 0)->stage = REGION_GREETED;
        assert_false(greet(&b, 1, NULL));
        assert_string_equal(errors.text, n ? "" : "gantry: links: process p1 ended before the run began\n");
        assert_int_equal(entry(&b, 0)->stage, REGION_REFUSED);
        assert_int_equal(naps, 0);
    }
    bench_close(&b);
}

static unsigned wanted_looks, asked_wanted;
static uint64_t asked_last;
static bool unwanted_later(void *ctx)
{
    assert_ptr_equal(ctx, &wanted_looks);
    assert_true(now_ns - asked_last >= PEERS_LOOK_NS);
    asked_last = now_ns;
    return asked_wanted++ == wanted_looks;
}

/* Its owner is asked each 100 ms whether he still waits for the others, not oftener; then it refuses without a line. */
static void test_greeting_that_nobody_wants(void **state)
{
    (void)state;
    for (wanted_looks = 0; wanted_looks < 3; wanted_looks++) {
        struct bench b;
        bench_open(&b, REGION_NONE);
        clear(-1, EMFILE, 0);
        entry(&b, 1)->stage = REGION_ABSENT;
        const uint64_t begin = asked_last = now_ns = UINT64_C(5000000000);
        asked_wanted = 0;
        catch_errors();
        bool met = peers_greet_wanted(b.r[0], 100, unwanted_later, &wanted_looks);
        assert_string_equal(release_errors(), "");
        assert_false(met);
        assert_int_equal(asked_wanted, wanted_looks + 1);
        assert_true(now_ns - begin < (wanted_looks + 1) * UINT64_C(101000000));
        assert_int_equal(entry(&b, 0)->stage, REGION_REFUSED);
        b.r[0]->mine[1] = false;
        bench_close(&b);
    }
}

/* The first of those that are there and stopped; nobody else is asked for. */
static void test_first_that_is_stopped(void **state)
{
    static const struct {
        uint32_t first, second;
        bool stops;
        uint32_t found;
    } cases[] = {{REGION_GREETED, REGION_GREETED, true, 1},
                 {REGION_LEFT, REGION_GREETED, true, 2},
                 {REGION_REFUSED, REGION_ABSENT, true, REGION_NONE},
                 {REGION_GREETED, REGION_GREETED, false, REGION_NONE}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        int32_t pid;
        bench_open(&b, REGION_NONE);
        clear(-1, EMFILE, 0);
        entry(&b, 0)->pid = 1230;
        entry(&b, 1)->pid = 1231;
        entry(&b, 2)->pid = 1232;
        stat_text = cases[n].stops ? "123 (a) T 1 2" : "123 (a) S 1 2";
        entry(&b, 1)->stage = cases[n].first;
        entry(&b, 2)->stage = cases[n].second;
        assert_int_equal(peers_stopped(b.r[0], &pid), cases[n].found);
        assert_true(cases[n].found == REGION_NONE || pid == (int32_t)(1230 + cases[n].found));
        entry(&b, 1)->stage = entry(&b, 2)->stage = REGION_GREETED;
        bench_close(&b);
    }
}

/* All hellos are compared, each under the name of its process. */
static void test_every_hello(void **state)
{
    (void)state;
    for (uint32_t other = 1; other < ALL; other++) {
        struct bench b;
        char line[80];
        bench_open(&b, REGION_NONE);
        entry(&b, other)->hello.seed = 9;
        catch_errors();
        bool met = peers_greet(b.r[0], 1);
        snprintf(line, sizeof line, "gantry: process p%u: other seed: 3 here, 9 there\n", other);
        assert_string_equal(release_errors(), line);
        assert_false(met);
        assert_int_equal(entry(&b, 0)->stage, REGION_REFUSED);
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looking_for_a_number),
        cmocka_unit_test(test_first_number),
        cmocka_unit_test(test_watching),
        cmocka_unit_test(test_who_is_stopped),
        cmocka_unit_test(test_the_worst_counts),
        cmocka_unit_test(test_due),
        cmocka_unit_test(test_greeting),
        cmocka_unit_test(test_greeting_that_nobody_wants),
        cmocka_unit_test(test_first_that_is_stopped),
        cmocka_unit_test(test_every_hello),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
