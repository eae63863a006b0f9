/* SPDX-License-Identifier: Apache-2.0
 * A team of threads: every piece once and before the round ends, each thread its own slice first, all of them at the
 * same time, asleep or not; no signals; what cannot be started leaves nothing.
 * libs: -Wl,--wrap=pthread_create,--wrap=pthread_join,--wrap=pthread_cond_wait,--wrap=pause_cpu
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "bridge/run/thread_team.h"

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int __real_pthread_join(pthread_t thread, void **value);
int __wrap_pthread_join(pthread_t thread, void **value);
int __real_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock);
void __real_pause_cpu(void);
void __wrap_pause_cpu(void);

/* Threads that were made and that ended; the one that cannot be made. */
static unsigned made, joined, fails_at;
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    return ++made == fails_at ? 11 : __real_pthread_create(thread, attr, start, arg);
}
int __wrap_pthread_join(pthread_t thread, void **value)
{
    joined++;
    return __real_pthread_join(thread, value);
}

/* Pauses and sleeps: of the caller, of its workers. */
static pthread_t caller;
static atomic_uint paused[2], slept[2];
void __wrap_pause_cpu(void)
{
    atomic_fetch_add(&paused[!pthread_equal(pthread_self(), caller)], 1);
    __real_pause_cpu();
}
int __wrap_pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock)
{
    atomic_fetch_add(&slept[!pthread_equal(pthread_self(), caller)], 1);
    return __real_pthread_cond_wait(cond, lock);
}

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

struct pieces {
    atomic_uint done[100];
};
static void piece(void *ctx, uint32_t n)
{
    struct pieces *p = ctx;
    atomic_fetch_add(&p->done[n], 1);
    if (n % 17 == 3)
        nap(1); /* the others' slices are taken over, or the caller waits */
}

/* Also after threads went to sleep, and with fewer pieces than threads or none. */
static void test_every_piece_once(void **state)
{
    (void)state;
    for (unsigned threads = 2; threads <= 7; threads++) {
        struct team *team = team_new(threads);
        struct pieces p = {0};
        assert_non_null(team);
        for (unsigned round = 1; round <= 101; round++) {
            unsigned right = 0;
            team_run(team, round % 101, piece, &p);
            for (unsigned i = 0; i < 100; i++)
                right += atomic_exchange(&p.done[i], 0) == (i < round % 101);
            assert_int_equal(right, 100);
            if (round % 50 == 0)
                nap(3);
        }
        team_free(team);
    }
}

/* Who has which piece first, and that nobody goes on before all have one. */
struct meeting {
    pthread_barrier_t all;
    pthread_t caller;
    atomic_uint first[TEAM_MOST * 3], met; /* pieces that were the first of a thread */
    atomic_bool signals, others_first;
};
static _Thread_local struct meeting *met_in;
static _Thread_local unsigned met_round;
static unsigned rounds;
static void meet(void *ctx, uint32_t n)
{
    struct meeting *m = ctx;
    sigset_t blocked;
    if (met_in == m && met_round == rounds)
        return;
    met_in = m;
    met_round = rounds;
    atomic_fetch_add(&m->first[n], 1);
    atomic_fetch_add(&m->met, 1);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    const bool own = pthread_equal(pthread_self(), m->caller);
    if (sigismember(&blocked, SIGTERM) == own || sigismember(&blocked, SIGUSR2) == own)
        atomic_store(&m->signals, true);
    if (own && n != 0)
        atomic_store(&m->others_first, true);
    pthread_barrier_wait(&m->all);
}

/* Each thread has a slice of its own, the caller the first; all work at the same time, in each round, whether they
 * slept meanwhile or not; no thread but the caller takes signals. */
static void test_all_at_once(void **state)
{
    (void)state;
    alarm(100); /* who waits for one that does not come */
    for (unsigned threads = 2; threads <= 5; threads++) {
        static struct meeting m;
        struct team *team = team_new(threads);
        m.caller = pthread_self();
        pthread_barrier_init(&m.all, NULL, threads);
        for (unsigned round = 0; round < 20; round++) {
            const uint32_t count = threads * (1 + round % 3) + (round % 3 ? round % threads : 0);
            rounds++;
            atomic_store(&m.met, 0);
            team_run(team, count, meet, &m);
            assert_int_equal(m.met, threads);
            for (unsigned k = 0; k < threads; k++)
                assert_int_equal(atomic_exchange(&m.first[(uint64_t)count * k / threads], 0), 1);
            if (round % 4 == 1)
                nap(20);
        }
        assert_false(m.signals || m.others_first);
        pthread_barrier_destroy(&m.all);
        team_free(team);
    }
    alarm(0);
}

static void slow(void *ctx, uint32_t n)
{
    (void)ctx;
    (void)n;
    if (!pthread_equal(pthread_self(), caller))
        nap(300);
    else
        nap(10);
}

/* Neither who waits for a round nor who waits for its end keeps a core busy. */
static void test_waiting_costs_nothing(void **state)
{
    struct timespec used;
    struct team *team = team_new(2);
    (void)state;
    team_run(team, 2, slow, NULL);
    nap(400);
    team_run(team, 2, slow, NULL);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    const double before = (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
    team_run(team, 2, slow, NULL);
    nap(400);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    assert_true((double)used.tv_sec + (double)used.tv_nsec * 1e-9 - before < 0.1);
    team_free(team);
}

static void until(atomic_uint *count, unsigned least)
{
    while (atomic_load(count) < least)
        sched_yield();
}

static void after_the_other(void *ctx, uint32_t n)
{
    atomic_uint *begun = ctx;
    if (n == 0)
        until(begun, 1); /* so that the worker has the other one */
    else {
        atomic_store(begun, 1);
        until(&slept[0], 1);
    }
}

/* Who waits for a round, or for its end, looks 4096 times, pauses after each, and then sleeps. */
static void test_looks_before_it_sleeps(void **state)
{
    atomic_uint begun = 0;
    (void)state;
    alarm(100); /* who does not sleep */
    for (unsigned n = 0; n < 2; n++)
        paused[n] = slept[n] = 0;
    struct team *team = team_new(2);
    until(&slept[1], 1);
    assert_int_equal(paused[1], 4096);
    team_run(team, 2, after_the_other, &begun);
    assert_int_equal(paused[0], 4096);
    until(&paused[1], 2 * 4096);
    until(&slept[1], 2);
    assert_int_equal(paused[1], 2 * 4096);
    team_free(team);
    alarm(0);
}

/* As many threads as there are beside the caller; when one of them cannot be made the others end, and the caller has
 * its signals. */
static void test_making(void **state)
{
    sigset_t before, after;
    (void)state;
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    for (unsigned fails = 0; fails <= 3; fails++) {
        made = joined = 0;
        fails_at = fails;
        struct team *team = team_new(4);
        fails_at = 0;
        assert_int_equal(team == NULL, fails > 0);
        assert_int_equal(made, fails ? fails : 3);
        if (fails == 0)
            assert_int_equal(joined, 0);
        team_free(team);
        assert_int_equal(joined, fails ? fails - 1 : 3);
        pthread_sigmask(SIG_BLOCK, NULL, &after);
        for (int n = 1; n < 32; n++)
            assert_int_equal(sigismember(&before, n), sigismember(&after, n));
    }
    struct team *most = team_new(TEAM_MOST);
    assert_non_null(most);
    team_free(most);
}

int main(void)
{
    caller = pthread_self();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_piece_once),
        cmocka_unit_test(test_all_at_once),
        cmocka_unit_test(test_waiting_costs_nothing),
        cmocka_unit_test(test_looks_before_it_sleeps),
        cmocka_unit_test(test_making),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
