/* SPDX-License-Identifier: Apache-2.0
 * For tests of pages that RTL GPUs carry: what the GPUs owe (page_engines.h) and answers, how far a move has come, what
 * is free behind it.
 */
#ifndef TESTS_HOST_DRIVER_CARRIED_BENCH_H
#define TESTS_HOST_DRIVER_CARRIED_BENCH_H
#include <stdio.h>

#include "migrate/move.h"
#include "page_engines.h"

#define BYTES (4 * PAGE)
#define OTHER (AT + (1 << 24))

/* The first command of this kind that has no answer; NULL: none. */
static inline struct command *waiting(unsigned kind)
{
    for (unsigned i = 0; i < engines.count; i++)
        if (engines.list[i].kind == kind && engines.list[i].open)
            return &engines.list[i];
    return NULL;
}

/* Those without an answer, of one GPU or (GPUS) all. */
static inline unsigned open_of(unsigned kind, unsigned gpu)
{
    unsigned n = 0;
    for (unsigned i = 0; i < engines.count; i++)
        n += engines.list[i].kind == kind && engines.list[i].open && (gpu == GPUS || engines.list[i].gpu == gpu);
    return n;
}

static inline unsigned sent_of(unsigned kind)
{
    unsigned n = 0;
    for (unsigned i = 0; i < engines.count; i++)
        n += engines.list[i].kind == kind;
    return n;
}

/* The next one of this kind is answered. */
static inline void say(struct bench *b, unsigned kind, enum told how)
{
    struct command *c = waiting(kind);
    assert_non_null(c);
    report(fake(b), c, how, 1);
    machine_run(b->d->machine, machine_now(b->d->machine) + 2);
}

/* All that waits is answered: caches and who sends a page by this. */
static inline void say_all(struct bench *b, enum told how)
{
    engines.hold_stores = false; /* those that give a slot up are not held */
    while (waiting(CP_CACHE) || waiting(CP_MOVE) || waiting(CP_STORE)) {
        const unsigned kind = waiting(CP_CACHE) ? CP_CACHE : waiting(CP_MOVE) ? CP_MOVE : CP_STORE;
        say(b, kind, kind == CP_STORE ? GOOD : how);
    }
}

/* Under way, or else the last one that was given up. */
static inline struct move *move_of(struct bench *b, uint64_t page)
{
    struct move *last = NULL;
    for (struct move *v = b->d->migrate->moves; v; v = v->next)
        last = v->pages.at == page ? v : last;
    return last;
}

static inline void hold(bool flushes, bool moves, bool stores)
{
    engines.hold_flushes = flushes;
    engines.hold_moves = moves;
    engines.hold_stores = stores;
}

/* Until the page's move has come so far, and no further. */
static inline void goes_to(struct bench *b, uint64_t page, enum move_state state)
{
    for (unsigned n = 0; move_of(b, page)->state != state; n++) {
        assert_true(n < 20000 && move_of(b, page)->state < state);
        machine_run(b->d->machine, machine_now(b->d->machine) + 1);
    }
}

/* A queue of each of these GPUs, its space known there; from here on it is RTL GPUs that carry pages. */
static inline void rtl_begin_on(struct bench *b, unsigned gpus)
{
    engines = (struct engines){0};
    fake_takes = takes;
    fake_launch = NULL;
    for (unsigned g = 0; g < GPUS; g++)
        if (gpus >> g & 1)
            sender_new(b, 0, g, g);
    tables_settle(b);
    assert_int_equal(sim_model_now(fake(b)), SIM_RTL);
}

static inline void rtl_begin(struct bench *b)
{
    rtl_begin_on(b, 7);
}

/* Nothing moves, every slot and place of the engines is free, no frame rests. */
static inline void all_is_free(struct bench *b)
{
    moves_end(b);
    run_dry(b);
    for (unsigned g = 0; g < GPUS; g++)
        assert_true(b->d->migrate->engine[g].leaving == 0 && b->d->migrate->engine[g].slots == 0);
    assert_true(quarantine_empty(b->d));
    assert_null(b->d->migrate->moving.root);
    assert_false(cp_busy(machine_cp(b->d->machine, 0)) || cp_busy(machine_cp(b->d->machine, 1)) ||
                 cp_busy(machine_cp(b->d->machine, 2)));
}

static inline bool locked(struct bench *b, uint64_t va)
{
    const struct client_gpu *on = b->client[0]->gpu;
    const bool is = pagetable_locked(on[0].pt, va);
    assert_true(pagetable_locked(on[1].pt, va) == is && pagetable_locked(on[2].pt, va) == is);
    return is;
}

static inline uint64_t object_new_at(struct bench *b, unsigned gpu, uint64_t va, uint64_t bytes, uint64_t seed,
                                     uint64_t *page)
{
    const uint64_t h = alloc(b, 0, gpu, va, bytes, FLAGS_VRAM, 0);
    *page = page_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 7, true), 0);
    words_put(b, 0, 0, va, bytes, seed);
    tables_settle(b);
    return h;
}

/* It is where it was or has gone to, for everybody, and nothing is left of the move. */
static inline void page_is_at(struct bench *b, uint64_t page, unsigned gpu, unsigned gpus, uint64_t seed)
{
    all_is_free(b);
    assert_int_equal(home_of(b, page), gpu);
    assert_false(locked(b, AT));
    tables_agree(b, 0, gpus, AT, BYTES, page);
    words_are(b, 0, 0, AT, BYTES, seed);
}

static inline unsigned answers_of(struct bench *b, unsigned from, unsigned gpu)
{
    return commands(b, from, gpu, CP_XLAT, 0);
}

/* What fails ends the run with status 70 and one line, which has all of the words. */
static inline void ends_the_run(struct bench *b, void (*act)(struct bench *b), const char *const *words)
{
    char text[4096] = "";
    int end[2], status;
    assert_int_equal(pipe(end), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDERR_FILENO);
        act(b);
        _exit(0);
    }
    close(end[1]);
    for (size_t n = 0; n < sizeof text - 1;) {
        const ssize_t more = read(end[0], text + n, sizeof text - 1 - n);
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    close(end[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 70)
        fail_msg("status %x: %s", (unsigned)status, text);
    assert_ptr_equal(strchr(text, '\n'), strrchr(text, '\n'));
    for (; *words; words++)
        if (!strstr(text, *words))
            fail_msg("no \"%s\" in: %s", *words, text);
}
#endif
