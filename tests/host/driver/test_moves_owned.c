/* SPDX-License-Identifier: Apache-2.0
 * Each row of host/migrate/steps.def: whoever has a page mapped changes in each state of its move, and GPUs then tell
 * that all went well, or that it did not.  The page is for everybody where it was or has gone to, what came of it
 * elsewhere is nobody's before caches have dropped it, and nothing is left of the move.
 * libs: -Wl,--wrap=move_happens
 */
#include "carried_bench.h"

static bool seen[STATES][EVENTS][2];

void __real_move_happens(struct move *v, enum move_event event);
void __wrap_move_happens(struct move *v, enum move_event event);
void __wrap_move_happens(struct move *v, enum move_event event)
{
    seen[v->state][event][v->pushed] = true;
    __real_move_happens(v, event);
}

/* Golden GPUs have no engines: the same page, copied by the host. */
static void a_page_of_golden_gpus_is_copied(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    fake(b)->model = SIM_GOLDEN;
    object_new_at(b, 0, AT, BYTES, 5, &page);
    for (unsigned owner = 0; owner < 2; owner++) {
        assert_int_equal(move(b, page, PAGE, 2), 0);
        assert_int_equal(move_of(b, page)->state, STATE_LOCK);
        if (owner)
            migrate_settle(b->d->migrate, page, PAGE);
        page_is_at(b, page, owner ? 0 : 2, 7, 5);
        assert_int_equal(engines.count, 0);
        if (!owner) {
            assert_int_equal(move(b, page, PAGE, 0), 0);
            goes_to(b, page, STATE_RESUME);
            migrate_settle(b->d->migrate, page, PAGE); /* it is there */
            page_is_at(b, page, 0, 7, 5);
        }
    }
}

/* ---- owners */
enum change { FREED, UNMAPPED, MAPPED, EXPORTED, KILLED, CHANGES };
enum when { IN_NEW, IN_LOCK, IN_FLUSH, IN_PUSH, IN_PUSH_SENT, IN_PUSH_STORED, IN_RESUME, WHENS };

static void changes(struct bench *b, enum change change, uint64_t handle)
{
    struct share_export_args e = {.handle = handle, .gpu_id = id_of(0)};
    if (change == FREED)
        memory_end(b, 0, handle);
    else if (change == UNMAPPED)
        assert_int_equal(map(b, 0, handle, 2, false), 0);
    else if (change == MAPPED)
        assert_int_equal(map(b, 0, handle, 4, true), 0);
    else if (change == EXPORTED)
        assert_int_equal(call(b, 0, _IOWR('K', 0x81, struct share_export_args), &e), 0);
    else
        client_end(b->d, b->client[0]);
}

static void comes_to(struct bench *b, uint64_t page, enum when when)
{
    if (when != IN_NEW)
        migrate_go(b->d->migrate);
    if (when >= IN_FLUSH)
        goes_to(b, page, STATE_FLUSH);
    if (when >= IN_PUSH)
        say(b, CP_CACHE, GOOD);
    if (when == IN_PUSH_SENT || when == IN_RESUME)
        say(b, CP_MOVE, GOOD);
    if (when == IN_PUSH_STORED || when == IN_RESUME)
        say(b, CP_STORE, GOOD);
    static const enum move_state states[] = {STATE_NEW,  STATE_LOCK, STATE_FLUSH, STATE_PUSH,
                                             STATE_PUSH, STATE_PUSH, STATE_RESUME};
    assert_int_equal(move_of(b, page)->state, states[when]);
}

/* One change at one moment of a move to GPU 1, or home from there. */
static void one_change(struct bench *b, enum change change, enum when when, bool home, enum told then)
{
    const uint64_t empty = empty_bytes(b), h = alloc(b, 0, 0, AT, BYTES, FLAGS_VRAM, 0), page = page_of(b, 0, h);
    assert_int_equal(map(b, 0, h, 3, true), 0);
    words_put(b, 0, 0, AT, BYTES, 9);
    hold(false, false, false);
    if (home)
        assert_int_equal(move(b, page, PAGE, 1), 0);
    moves_end(b);
    tables_settle(b);
    hold(true, true, true);
    assert_int_equal(migrate_add(b->d->migrate, page, PAGE, home ? 0 : 1), 0);
    comes_to(b, page, when);
    changes(b, change, h);
    const bool there = when == IN_RESUME || (change == EXPORTED && then == GOOD),
               open = when >= IN_FLUSH && when < IN_RESUME;
    assert_true(change == EXPORTED || !b->d->migrate->moving.root); /* it may move again, or be somebody else's */
    if (open && change != EXPORTED) {
        assert_int_equal(move_of(b, page)->state, STATE_GIVEN_UP);
        assert_false(locked(b, AT));
        assert_true(machine_pending(b->d->machine) || machine_busy(b->d->machine));
    }
    if (change == EXPORTED && when == IN_NEW)
        migrate_go(b->d->migrate);
    while (migrate_busy(b->d->migrate)) {
        say_all(b, then);
        machine_run(b->d->machine, machine_now(b->d->machine) + 1);
    }
    if (change == KILLED)
        return;
    if (change == FREED) {
        all_is_free(b);
    } else {
        page_is_at(b, page, there != home ? 1 : 0, change == UNMAPPED ? 1 : change == MAPPED ? 7 : 3, 9);
        memory_end(b, 0, h);
        run_dry(b);
    }
    assert_true(quarantine_empty(b->d) && empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

/* shows S1.11: In each state, on the way out and home; GPUs then tell that all went well, or that it did not. */
static void owners_change_while_a_page_is_carried(void **state)
{
    struct bench *b = *state;
    rtl_begin(b);
    for (enum change change = 0; change < KILLED; change++)
        for (enum when when = 0; when < WHENS; when++)
            for (unsigned n = 0; n < 4; n++)
                if (!(when == IN_PUSH_SENT && n / 2)) { /* what has been told */
                    engines.count = 0;
                    one_change(b, change, when, n & 1, n / 2 ? REFUSED : GOOD);
                }
}

/* A kernel of another process runs, so the clock need not be let go for what the GPUs owe. */
static void a_process_ends_while_its_page_is_carried(void **state)
{
    for (enum when when = 0; when < WHENS; when++)
        for (unsigned home = 0; home < 2; home++) {
            struct bench *b = *state;
            const uint64_t all = empty_bytes(b);
            rtl_begin(b);
            struct sender other = sender_new(b, 1, 2, 0);
            fake_launch = endless;
            sender_run(b, &other);
            one_change(b, KILLED, when, home, GOOD);
            run_dry(b);
            client_reap(b->d);
            run_dry(b);
            assert_true(quarantine_empty(b->d) && empty_bytes(b) == all && !*pmem_moved(memory(b)));
            for (unsigned g = 0; g < GPUS; g++)
                assert_true(b->d->migrate->engine[g].leaving == 0 && b->d->migrate->engine[g].slots == 0);
            teardown(state);
            setup(state);
        }
}

/* Given up by a mapping, it moves again at once: elsewhere, there, or (on its way home) not before its first frame is
 * empty again, since lines of the first move still come there. */
static void a_page_moves_again_while_given_up(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    for (unsigned n = 0; n < 12; n++) {
        const bool home = n & 1, good = n & 2;
        const enum when when = n < 4 ? IN_FLUSH : n < 8 ? IN_PUSH : IN_PUSH_SENT;
        const uint64_t h = object_new_at(b, 0, AT, BYTES, 6, &page);
        hold(false, false, false);
        if (home)
            assert_int_equal(move(b, page, PAGE, 1), 0);
        moves_end(b);
        run_dry(b);
        hold(true, true, true);
        engines.count = 0;
        assert_int_equal(migrate_add(b->d->migrate, page, PAGE, home ? 0 : 1), 0);
        comes_to(b, page, when);
        migrate_settle(b->d->migrate, page, PAGE);
        hold(false, false, false);
        if (home && when != IN_FLUSH)
            assert_int_equal(move(b, page, PAGE, 0), -EAGAIN);
        assert_int_equal(move(b, page, PAGE, home && when == IN_FLUSH ? 0 : 2), 0);
        if (when == IN_FLUSH) { /* caches answer the first one first */
            goes_to(b, page, STATE_FLUSH);
            say(b, CP_CACHE, good ? GOOD : REFUSED);
            say_all(b, GOOD);
        }
        while (b->d->migrate->moving.root)
            machine_run(b->d->machine, machine_now(b->d->machine) + 1);
        assert_true(when == IN_FLUSH || migrate_busy(b->d->migrate)); /* the first one's */
        if (home && when != IN_FLUSH)
            assert_int_equal(move(b, page, PAGE, 0), -EAGAIN);
        say_all(b, good || when == IN_PUSH_SENT ? GOOD : REFUSED);
        page_is_at(b, page, home && when == IN_FLUSH ? 0 : 2, 7, 6);
        if (home_of(b, page))
            assert_int_equal(move(b, page, PAGE, 0), 0);
        page_is_at(b, page, 0, 7, 6);
        memory_end(b, 0, h);
        run_dry(b);
    }
}

/* The table has no row that none of these tests has gone through. */
static void every_row_has_happened(void **state)
{
    enum {
        GUARD_ALWAYS = 2,
        GUARD_PUSHED = 1,
        GUARD_CACHED = 1,
        GUARD_COPIED = 0,
        GUARD_FIXED = 3
    }; /* test_moves_fixed.c */
    static const struct {
        unsigned state, event, guard;
        const char *name;
    } rows[] = {
#define STEP(state, event, guard, action, next) {STATE_##state, EVENT_##event, GUARD_##guard, #state " " #event},
#include "migrate/steps.def"
    };
    (void)state;
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned pushed = 0; pushed < 2; pushed++)
            if ((rows[i].guard == pushed || (rows[i].guard == GUARD_ALWAYS && pushed)) &&
                !seen[rows[i].state][rows[i].event][pushed])
                fail_msg("no test of %s, pushed %u", rows[i].name, pushed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_of_golden_gpus_is_copied),
        TEST(owners_change_while_a_page_is_carried),
        TEST(a_process_ends_while_its_page_is_carried),
        TEST(a_page_moves_again_while_given_up),
        TEST(every_row_has_happened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
