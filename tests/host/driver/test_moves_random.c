/* SPDX-License-Identifier: Apache-2.0
 * Pages that RTL GPUs carry, at random: thousands of moves of objects that come, go and change, while what GPUs owe is
 * answered in any order, well or not.
 */
#include "carried_bench.h"

#define OBJECTS 6u

struct object_seen {
    uint64_t handle, va, bytes, page, seed;
};

static bool any_locked(struct bench *b, const struct object_seen *o)
{
    for (uint64_t at = 0; at < o->bytes; at += PAGE)
        if (pagetable_locked(b->client[0]->gpu[0].pt, o->va + at))
            return true;
    return false;
}

/* Some command that waits is answered, most often well; caches in their order. */
static void say_some(struct bench *b)
{
    const unsigned from = (unsigned)rand() % (engines.count + 1), how = (unsigned)rand() % 12;
    struct command *c = NULL;
    for (unsigned i = 0; i < engines.count && !c; i++) {
        struct command *one = &engines.list[(from + i) % engines.count];
        c = one->open && !(one->kind == CP_CACHE && flush_waits(one)) ? one : NULL;
    }
    const bool must = c && c->kind == CP_STORE && !c->view.lines; /* or its slot is lost */
    if (c)
        report(fake(b), c, must || how > DISCARDED || (c->kind == CP_CACHE && how > REFUSED) ? GOOD : how, 1);
    machine_run(b->d->machine, machine_now(b->d->machine) + 2);
}

static unsigned begun, again; /* moves; those for which a first frame still rests */

static void object_happens(struct bench *b, struct object_seen *o, unsigned n)
{
    const unsigned what = (unsigned)rand() % 16;
    if (!o->handle) {
        o->bytes = (1 + (uint64_t)rand() % (rand() % 3 ? 3 : 40)) * PAGE;
        o->handle = alloc(b, 0, (unsigned)rand() % GPUS, o->va, o->bytes, FLAGS_VRAM, 0);
        o->page = page_of(b, 0, o->handle);
        assert_int_equal(map(b, 0, o->handle, 7, true), 0);
        words_put(b, 0, 0, o->va, o->bytes, o->seed = n);
    } else if (what == 0) {
        memory_end(b, 0, o->handle);
        o->handle = 0;
    } else if (what == 1 || what > 13) {
        assert_int_equal(map(b, 0, o->handle, 2, false), 0);
        assert_int_equal(map(b, 0, o->handle, 2, true), 0);
    } else if (what == 2 && !any_locked(b, o)) { /* what was sent of it before is old */
        words_put(b, 0, 1, o->va, o->bytes, o->seed = n);
    } else if (what < 10) {
        const bool block = what == 3 && o->bytes >= 2 * MIGRATE_BLOCK;
        const uint64_t page = o->page + (uint64_t)rand() % (o->bytes / PAGE) * PAGE;
        const int error = move(b, block ? (o->page + MIGRATE_BLOCK - 1) & ~(MIGRATE_BLOCK - 1) : page,
                               block ? MIGRATE_BLOCK : PAGE, (unsigned)rand() % GPUS);
        assert_true(error == 0 || error == -EALREADY || error == -EBUSY || error == -EAGAIN);
        begun += error == 0;
        again += error == -EAGAIN;
    }
}

/* Objects, moves, answers in any order, owners: every word is where it belongs at any time, nothing is left at the end.
 */
static void everything_at_random(void **state)
{
    struct bench *b = *state;
    struct object_seen object[OBJECTS] = {0};
    const uint64_t empty = empty_bytes(b);
    rtl_begin(b);
    hold(true, true, true);
    srand(7);
    for (unsigned n = 0; n < 40000; n++) {
        struct object_seen *o = &object[(unsigned)rand() % OBJECTS];
        o->va = AT + (uint64_t)(o - object) * (UINT64_C(1) << 24);
        object_happens(b, o, n);
        for (unsigned i = (unsigned)rand() % 4; i; i--)
            say_some(b);
        machine_run(b->d->machine, machine_now(b->d->machine) + (unsigned)rand() % 300);
        if (o->handle)
            words_are(b, 0, (unsigned)rand() % GPUS, o->va, o->bytes, o->seed);
        while (engines.count > COMMANDS - 200 && (waiting(CP_CACHE) || waiting(CP_MOVE) || waiting(CP_STORE)))
            say_some(b);
        if (engines.count > COMMANDS - 200)
            engines.count = 0;
        fake(b)->logged = 0;
    }
    assert_true(begun > 5000 && again > 10 && pmem_moves(memory(b)) > 5000);
    for (unsigned n = 0; migrate_busy(b->d->migrate); n++) {
        assert_true(n < 100000);
        say_some(b);
        machine_run(b->d->machine, machine_now(b->d->machine) + 10);
    }
    all_is_free(b);
    for (struct object_seen *o = object; o < object + OBJECTS; o++)
        if (o->handle) {
            words_are(b, 0, 2, o->va, o->bytes, o->seed);
            tables_agree(b, 0, 7, o->va, o->bytes, o->page);
            memory_end(b, 0, o->handle);
        }
    run_dry(b);
    assert_true(quarantine_empty(b->d) && empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(everything_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
