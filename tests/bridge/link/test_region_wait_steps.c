/* SPDX-License-Identifier: Apache-2.0
 * A wait step by step: clock, futex, pauses and the core that is given away are played by the test, so that it sees
 * after how many looks and at which nanosecond the waiting one does what, what it has published by then, and how it
 * looks at the others.
 * libs: -Wl,--wrap=clock_gettime,--wrap=sched_yield,--wrap=syscall,--wrap=pause_cpu
 */
#include <linux/futex.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/link/peers.h"
#include "bridge/link/region_wait.h"
#include "region_bench.h"

int __real_clock_gettime(clockid_t id, struct timespec *t);
int __wrap_clock_gettime(clockid_t id, struct timespec *t);
int __real_sched_yield(void);
int __wrap_sched_yield(void);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
void __wrap_pause_cpu(void);

#define NEVER_ASKED UINT32_MAX

/* ---- what the waiting one does, in order: L looks, P pauses, C reads the clock, Y gives its core away, S sleeps */
static char did[400];
static unsigned count;
static uint64_t now_ns;
static struct region *waiting; /* NULL: nobody, and nothing is played */
static void note(char what)
{
    assert_true(count < sizeof did - 1);
    did[count++] = what;
    did[count] = 0;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *t)
{
    if (waiting == NULL)
        return __real_clock_gettime(id, t);
    if (id == CLOCK_MONOTONIC)
        note('C');
    *t = (struct timespec){(time_t)(now_ns / 1000000000), (long)(now_ns % 1000000000)};
    return 0;
}

int __wrap_sched_yield(void)
{
    if (waiting == NULL)
        return __real_sched_yield();
    note('Y');
    return 0;
}

void __wrap_pause_cpu(void)
{
    if (waiting)
        note('P');
}

static uint32_t bell_seen, rung[ALL];
static uint64_t slept_ns; /* for which a sleep lasts */
static struct {
    uint32_t asleep, state, awake;
    uint64_t need, reach, limit;
} sleeper;

long __wrap_syscall(long number, ...)
{
    va_list list;
    va_start(list, number);
    if (waiting == NULL) {
        long args[6];
        for (unsigned n = 0; n < 6; n++)
            args[n] = va_arg(list, long);
        va_end(list);
        return __real_syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    }
    if (number == SYS_pidfd_open) { /* nobody is looked at by a descriptor */
        va_end(list);
        return -1;
    }
    const uint32_t *word = va_arg(list, const uint32_t *);
    const int op = va_arg(list, int);
    const uint32_t value = va_arg(list, uint32_t);
    assert_int_equal(number, SYS_futex);
    if (op == FUTEX_WAKE) {
        for (uint32_t i = 0; i < ALL; i++)
            rung[i] += word == (const uint32_t *)&region_entry(waiting, i)->bell && value == 1;
        va_end(list);
        return 0;
    }
    const struct timespec *limit = va_arg(list, const struct timespec *);
    va_end(list);
    const struct region_entry *e = region_entry(waiting, waiting->self);
    assert_int_equal(op, FUTEX_WAIT);
    assert_ptr_equal(word, &e->bell);
    note('S');
    bell_seen = value;
    sleeper.asleep = e->asleep;
    sleeper.state = e->state;
    sleeper.awake = waiting->head->awake;
    sleeper.need = e->need;
    sleeper.reach = e->reach;
    sleeper.limit = (uint64_t)limit->tv_sec * 1000000000 + (uint64_t)limit->tv_nsec;
    now_ns += slept_ns;
    return 0;
}

/* Looks so many times in vain, each taking so long; what has come stays there. */
struct looks {
    unsigned left;
    uint64_t ns;
    void (*at)(unsigned left); /* before it answers; NULL: nothing */
    unsigned wanted;           /* the question whether anybody wants it is answered so often with yes */
    unsigned asked;
    uint64_t asked_at; /* first */
};
static bool unwanted(void *ctx)
{
    struct looks *l = ctx;
    l->asked_at = l->asked++ ? l->asked_at : now_ns;
    return l->asked > l->wanted;
}

static bool look(void *ctx)
{
    struct looks *l = ctx;
    note('L');
    now_ns += l->ns;
    if (l->at)
        l->at(l->left);
    if (l->left == 0)
        return true;
    l->left--;
    return false;
}

static enum region_end wait_of(struct bench *b, uint32_t self, struct looks *l, uint64_t next)
{
    const struct region_waiter w = {.next = next,
                                    .need = 77,
                                    .reach = 55,
                                    .hold = NEVER,
                                    .look = look,
                                    .unwanted = l->wanted == NEVER_ASKED ? NULL : unwanted,
                                    .ctx = l};
    count = 0;
    memset(rung, 0, sizeof rung);
    waiting = b->r[self];
    enum region_end end = region_wait(b->r[self], &w);
    waiting = NULL;
    return end;
}

static void open_quiet(struct bench *b, uint32_t host, unsigned cores)
{
    bench_open(b, host);
    for (uint32_t i = 0; i < ALL; i++)
        b->r[i]->cores = cores;
    now_ns = UINT64_C(5000000000);
}

static void assert_did(const char *pieces[], unsigned n)
{
    char text[400] = "";
    for (unsigned i = 0; i < n; i++)
        strcat(text, pieces[i]);
    assert_string_equal(did, text);
}
#define SIXTEEN "LPLPLPLPLPLPLPLPLPLPLPLPLPLPLPL"
#define ASSERT_DID(...)                                                                                                \
    assert_did((const char *[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(const char *))

/* The clock is read at each sixteenth look; for less than 2 us it but pauses between the others, then the core is given
 * away at each look, and from 1 ms on it sleeps. */
static void test_looks_yields_sleeps(void **state)
{
    struct bench b;
    (void)state;
    open_quiet(&b, REGION_NONE, 4); /* as many as there are awake */
    struct looks l = {.left = 16, .ns = 0};
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID(SIXTEEN, "C", "L");
    l = (struct looks){.left = 48, .ns = 100}; /* 1.6 us at the second reading, 3.2 at the third */
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID(SIXTEEN, "C", SIXTEEN, "C", SIXTEEN, "CY", "L");
    l = (struct looks){.left = 32, .ns = 125}; /* 2 us to the nanosecond */
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID(SIXTEEN, "C", SIXTEEN, "CY", "L");
    now_ns = UINT64_C(5000000000);
    l = (struct looks){.left = 33, .ns = 62500}; /* 1 ms at the second reading */
    slept_ns = 0;
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID(SIXTEEN, "C", SIXTEEN, "CLS", "L");
    l = (struct looks){.left = 35, .ns = 31250}; /* half of it: the core, until it is one */
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID(SIXTEEN, "C", SIXTEEN, "CY", "LCY", "LCY", "LCY", "L");
    bench_close(&b);
}

/* More threads awake than cores: it sleeps at once, each time. */
static void test_sleeps_when_crowded(void **state)
{
    struct bench b;
    (void)state;
    open_quiet(&b, REGION_NONE, 3); /* four threads are awake */
    slept_ns = 1000;
    struct looks l = {.left = 4, .ns = 10};
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID("LC", "LS", "LC", "LS", "L");
    bench_close(&b);
}

static void ring_own(unsigned left)
{
    if (left == 1)
        region_ring(waiting, waiting->self); /* between its word that it sleeps and the sleep */
}

/* What the others see while it sleeps, and that a bell rung before the sleep ends it: it waits for the bell as it was
 * before its last look. */
static void test_what_a_sleeper_says(void **state)
{
    struct bench b;
    (void)state;
    for (uint32_t self = 0; self < ALL; self++) {
        open_quiet(&b, REGION_NONE, 1);
        const unsigned threads = self ? self : 1;
        atomic_store(&entry(&b, self)->bell, 41);
        struct looks l = {.left = 2, .ns = 10, .at = ring_own};
        assert_int_equal(wait_of(&b, self, &l, 100), REGION_GO);
        ASSERT_DID("LC", "LS", "L");
        assert_int_equal(bell_seen, 41);
        assert_int_equal(entry(&b, self)->bell, 42);
        assert_true(sleeper.asleep == 1 && sleeper.state == REGION_SLEEPS);
        assert_int_equal(sleeper.awake, 4 - threads);
        assert_true(sleeper.need == 77 && sleeper.reach == 55);
        assert_int_equal(sleeper.limit, PEERS_LOOK_NS);
        assert_int_equal(b.head->awake, 4);
        assert_true(entry(&b, self)->asleep == 0 && entry(&b, self)->state == REGION_RUNS);
        bench_close(&b);
    }
}

static void state_after_sleep(unsigned left)
{
    if (left == 0)
        assert_int_equal(region_entry(waiting, waiting->self)->state, REGION_WAITS);
}

/* Awake again it waits; what has come by the look before the sleep is not slept on. */
static void test_not_slept_on(void **state)
{
    struct bench b;
    (void)state;
    open_quiet(&b, REGION_NONE, 1);
    struct looks l = {.left = 2, .ns = 10, .at = state_after_sleep};
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
    ASSERT_DID("LC", "LS", "L");
    l = (struct looks){.left = 1, .ns = 10};
    assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO); /* true at that look, and then not again */
    ASSERT_DID("LC", "L", "L");
    bench_close(&b);
}

static void others_wait(struct bench *b, uint64_t next)
{
    for (uint32_t i = 1; i < ALL; i++) {
        entry(b, i)->version = 7;
        entry(b, i)->next = next;
    }
}
static struct bench *quiet_soon;
static void quiet_after_a_look(unsigned left)
{
    if (left == 3)
        others_wait(quiet_soon, NEVER);
}

/* When all are quiet by then it does not sleep, if it is told of quiet; who is not told sleeps on. */
static void test_quiet_is_not_slept_on(void **state)
{
    (void)state;
    for (unsigned told = 0; told < 2; told++) {
        struct bench b;
        open_quiet(&b, told ? 0 : 1, 1);
        slept_ns = 1000;
        quiet_soon = &b;
        struct looks l = {.left = 3, .ns = 10, .at = quiet_after_a_look};
        assert_int_equal(wait_of(&b, 0, &l, NEVER), told ? REGION_QUIET : REGION_GO);
        if (told)
            ASSERT_DID("LC");
        else
            ASSERT_DID("LC", "LS", "LC", "L", "L");
        bench_close(&b);
    }
}

/* ---- looking at the others */
static unsigned looked_at; /* times that peers_look was called */
static uint64_t looked_first, looked_last;
static void watch_looks(unsigned left)
{
    (void)left;
    if (waiting->looked == looked_last)
        return;
    looked_last = waiting->looked;
    looked_first = looked_at++ ? looked_first : looked_last;
}

/* Behind 50 ms of waiting, then each 100 ms, not before: the clock is read once more by each. */
static void test_others_are_looked_at(void **state)
{
    static const struct {
        uint64_t ns; /* of a sleep */
        unsigned sleeps, looks;
        uint64_t first;
    } cases[] = {
        {50000000, 1, 0, 0}, {50000001, 1, 1, 50000001}, {50000001, 3, 2, 50000001}, {75000000, 2, 1, 75000000}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        open_quiet(&b, REGION_NONE, 1);
        const uint64_t begin = now_ns;
        slept_ns = cases[n].ns;
        looked_at = 0;
        looked_last = 0;
        struct looks l = {.left = 2 * cases[n].sleeps + 1, .ns = 0, .at = watch_looks};
        assert_int_equal(wait_of(&b, 0, &l, 100), REGION_GO);
        assert_int_equal(looked_at, cases[n].looks);
        if (looked_at)
            assert_int_equal(looked_first, begin + cases[n].first);
        bench_close(&b);
    }
}

/* An end is told when one more look finds nothing; what came before it is still taken. */
static void test_ends_of_others(void **state)
{
    static const uint32_t stages[] = {REGION_LEFT, REGION_REFUSED};
    static const enum region_end ends[] = {REGION_ENDED, REGION_LOST};
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned taken = 0; taken < 2; taken++) {
            struct bench b;
            open_quiet(&b, REGION_NONE, 1);
            slept_ns = 60000000;
            entry(&b, 2)->stage = stages[n];
            struct looks l = {.left = taken ? 3 : 99,
                              .ns = 0}; /* the fourth look is the one behind the look at others */
            assert_int_equal(wait_of(&b, 0, &l, 100), taken ? REGION_GO : ends[n]);
            if (!taken)
                assert_int_equal(entry(&b, 0)->state, REGION_OUTSIDE);
            assert_int_equal(b.head->awake, 4);
            assert_int_equal(entry(&b, 0)->version % 2, 0);
            entry(&b, 2)->stage = REGION_GREETED;
            bench_close(&b);
        }
    }
}

/* Whether anybody wants what is waited for is asked with the first look at the others behind the patience and with each
 * one after it, however long the sleeps are beside the time between two looks. */
static void test_unwanted(void **state)
{
    static const struct {
        uint64_t ns;
        unsigned wanted;
        enum region_end end;
        uint64_t first; /* when it was asked */
    } cases[] = {{100050000, 0, REGION_UNWANTED, 3001500000},
                 {100050000, 3, REGION_UNWANTED, 3001500000},
                 {60000000, 0, REGION_UNWANTED, 3060000000},
                 {100000000, 0, REGION_UNWANTED, 3100000000},
                 {100050000, NEVER_ASKED, REGION_GO, 0}};
    (void)state;
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct bench b;
        open_quiet(&b, REGION_NONE, 1);
        const uint64_t begin = now_ns;
        slept_ns = cases[n].ns;
        struct looks l = {.left = 150, .wanted = cases[n].wanted};
        assert_int_equal(wait_of(&b, 0, &l, 100), cases[n].end);
        assert_int_equal(l.asked ? l.asked_at - begin : 0, cases[n].first);
        assert_int_equal(l.asked, cases[n].wanted == NEVER_ASKED ? 0 : cases[n].wanted + 1);
        assert_int_equal(entry(&b, 0)->state, l.asked ? REGION_OUTSIDE : REGION_RUNS);
        assert_int_equal(entry(&b, 0)->version % 2, 0);
        bench_close(&b);
    }
}

/* ---- who is rung, and how */
static void test_bells(void **state)
{
    struct bench b;
    (void)state;
    open_quiet(&b, REGION_NONE, 4);
    others_wait(&b, NEVER);
    struct looks l = {.left = 0};
    assert_int_equal(region_active(b.r[0]), 0);
    assert_int_equal(wait_of(&b, 0, &l, NEVER), REGION_QUIET);
    assert_true(rung[0] == 0 && rung[1] == 1 && rung[2] == 1);
    assert_int_equal(wait_of(&b, 0, &l, NEVER), REGION_QUIET); /* a quiet of another sum: told again */
    assert_true(rung[0] == 0 && rung[1] == 1 && rung[2] == 1);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_yields_sleeps),
        cmocka_unit_test(test_sleeps_when_crowded),
        cmocka_unit_test(test_what_a_sleeper_says),
        cmocka_unit_test(test_not_slept_on),
        cmocka_unit_test(test_quiet_is_not_slept_on),
        cmocka_unit_test(test_others_are_looked_at),
        cmocka_unit_test(test_ends_of_others),
        cmocka_unit_test(test_unwanted),
        cmocka_unit_test(test_bells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
