/* SPDX-License-Identifier: Apache-2.0
 * Team of host threads; contract in thread_team.h.  A round is announced by a number that every worker waits to see
 * change: first it looks for a while (a round lasts some microseconds to milliseconds and the next follows at once),
 * then it sleeps, so that a host with fewer free cores than threads is not kept busy by those that wait.
 */
#include "bridge/run/thread_team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/pause.h"
#include "base/xalloc.h"

#define LOOKS 4096 /* at a value that should change, before sleeping: some 50 us */

struct slice { /* numbers that one thread takes first; a cache line each */
    _Alignas(64) atomic_uint next;
    uint32_t end;
};
struct team {
    struct slice slices[TEAM_MOST];
    unsigned threads, started;
    pthread_t thread[TEAM_MOST];
    void (*work)(void *ctx, uint32_t n);
    void *ctx;
    struct log_place *place;          /* of whoever runs it, for what workers tell */
    _Alignas(64) atomic_uint round;   /* changes when there is work */
    _Alignas(64) atomic_uint working; /* workers that have not finished the round */
    atomic_uint asleep;
    atomic_bool quit;
    pthread_mutex_t lock;
    pthread_cond_t wake, finished;
};
struct worker {
    struct team *team;
    unsigned number;
};

static void take_pieces(struct team *t, unsigned own)
{
    for (unsigned k = 0; k < t->threads; k++) {
        struct slice *s = &t->slices[(own + k) % t->threads];
        while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
            uint32_t n = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
            if (n < s->end)
                t->work(t->ctx, n);
        }
    }
}

/* Returns the new round. */
static unsigned wait_for_round(struct team *t, unsigned seen)
{
    for (unsigned i = 0; i < LOOKS; i++) {
        unsigned now = atomic_load_explicit(&t->round, memory_order_acquire);
        if (now != seen)
            return now;
        pause_cpu();
    }
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->asleep, 1);
    while (atomic_load(&t->round) == seen)
        pthread_cond_wait(&t->wake, &t->lock);
    atomic_fetch_sub(&t->asleep, 1);
    pthread_mutex_unlock(&t->lock);
    return atomic_load(&t->round);
}

static void *worker_main(void *arg)
{
    struct worker w = *(struct worker *)arg;
    free(arg);
    for (unsigned seen = 0;;) {
        seen = wait_for_round(w.team, seen);
        if (atomic_load(&w.team->quit))
            return NULL;
        log_place = w.team->place;
        take_pieces(w.team, w.number);
        if (atomic_fetch_sub_explicit(&w.team->working, 1, memory_order_acq_rel) == 1) {
            pthread_mutex_lock(&w.team->lock); /* the caller may sleep */
            pthread_cond_signal(&w.team->finished);
            pthread_mutex_unlock(&w.team->lock);
        }
    }
}

static void announce(struct team *t)
{
    atomic_fetch_add(&t->round, 1);
    if (atomic_load(&t->asleep) == 0)
        return; /* who is about to sleep looks once more with the lock held */
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

void team_run(struct team *t, uint32_t count, void (*work)(void *ctx, uint32_t n), void *ctx)
{
    t->work = work;
    t->ctx = ctx;
    t->place = log_place;
    for (unsigned k = 0; k < t->threads; k++) {
        t->slices[k].end = (uint32_t)((uint64_t)count * (k + 1) / t->threads);
        atomic_store_explicit(&t->slices[k].next, (uint32_t)((uint64_t)count * k / t->threads), memory_order_relaxed);
    }
    atomic_store(&t->working, t->threads - 1);
    announce(t);
    take_pieces(t, 0);
    for (unsigned i = 0; i < LOOKS; i++) {
        if (atomic_load_explicit(&t->working, memory_order_acquire) == 0)
            return;
        pause_cpu();
    }
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->working) != 0)
        pthread_cond_wait(&t->finished, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

struct team *team_new(unsigned threads)
{
    struct team *t = aligned_alloc(_Alignof(struct team), sizeof *t);
    if (t == NULL)
        return NULL;
    *t = (struct team){.threads = threads};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
    pthread_cond_init(&t->finished, NULL);
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (t->started = 1; t->started < threads; t->started++) {
        struct worker *w = xzalloc(sizeof *w);
        *w = (struct worker){t, t->started};
        if (pthread_create(&t->thread[t->started], NULL, worker_main, w) != 0) {
            free(w);
            break;
        }
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (t->started < threads) {
        team_free(t);
        return NULL;
    }
    return t;
}

void team_free(struct team *t)
{
    if (t == NULL)
        return;
    atomic_store(&t->quit, true);
    announce(t);
    for (unsigned k = 1; k < t->started; k++)
        pthread_join(t->thread[k], NULL);
    pthread_cond_destroy(&t->wake);
    pthread_cond_destroy(&t->finished);
    pthread_mutex_destroy(&t->lock);
    free(t);
}
