/* SPDX-License-Identifier: Apache-2.0
 * Key migrate.fixed_cycles: RTL GPUs write a page's lines back, the host copies it, and it is there so many cycles
 * after its lock began; no engine is asked.  Owners that change, answers that come late or badly, two moves at a time.
 */
#define BENCH_MORE "migrate.fixed_cycles=5000"
#include "carried_bench.h"

#include "migrate/ledger.h"
#include "system/phases.h"

#define FIXED 5000u

static const struct move_fact *last_fact(struct bench *b)
{
    const struct ledger *l = phases_ledger(b->d->phases);
    assert_true(l->count && l->fixed == FIXED);
    return &l->rows[l->count - 1].fact;
}

static uint64_t steps_of(const struct move_fact *f)
{
    return f->lock + f->shoot + f->flush + f->copy;
}

static void runs_to(struct bench *b, uint64_t cycle)
{
    machine_timer(b->d->machine, cycle); /* it passes, though nothing else happens */
    for (unsigned n = 0; machine_now(b->d->machine) < cycle; n++) {
        assert_true(n < 20000);
        machine_run(b->d->machine, machine_now(b->d->machine) + 1);
    }
}

/* What slices write back: until now the page had other bytes than seed 3 gives it. */
static void lines_come(struct bench *b, uint64_t page)
{
    for (uint64_t i = 0; i < PAGE / 8; i++) {
        const uint64_t word = (i + 3) * UINT64_C(0x9e3779b97f4a7c15);
        assert_int_equal(pmem_write(memory(b), pmem_frame_of(memory(b), page) + 8 * i, &word, sizeof word), 0);
    }
}

/* To where its lines are in DRAM; the cycle at which its lock began. */
static uint64_t waits(struct bench *b, uint64_t page, unsigned to)
{
    hold(true, true, true);
    engines.count = 0;
    assert_int_equal(move(b, page, PAGE, to), 0);
    const uint64_t begun = move_of(b, page)->since[STATE_LOCK];
    goes_to(b, page, STATE_FLUSH);
    say(b, CP_CACHE, GOOD);
    assert_int_equal(move_of(b, page)->state, STATE_WAIT);
    return begun;
}

/* shows B.9: Away, on and home; lines that were dirty come with it. */
static void a_page_is_there_at_its_time(void **state)
{
    struct bench *b = *state;
    uint64_t page, empty = empty_bytes(b);
    rtl_begin(b);
    const uint64_t h = object_new_at(b, 0, AT, BYTES, 3, &page);
    static const unsigned way[] = {1, 2, 0};
    for (unsigned i = 0; i < 3; i++) {
        words_put(b, 0, 0, AT, PAGE, 9);
        hold(true, true, true);
        engines.count = 0;
        assert_int_equal(move(b, page, PAGE, way[i]), 0);
        const uint64_t begun = move_of(b, page)->since[STATE_LOCK], frame = pmem_frame_of(memory(b), page);
        goes_to(b, page, STATE_FLUSH);
        lines_come(b, page);
        say(b, CP_CACHE, GOOD);
        assert_int_equal(move_of(b, page)->state, STATE_WAIT);
        runs_to(b, begun + FIXED - 1);
        assert_true(move_of(b, page)->state == STATE_WAIT && locked(b, AT));
        assert_true(pmem_frame_of(memory(b), page) == frame);
        runs_to(b, begun + FIXED + 1);
        assert_true(move_of(b, page)->state == STATE_RESUME && !locked(b, AT));
        assert_int_equal(move_of(b, page)->since[STATE_RESUME], begun + FIXED);
        assert_int_equal(sent_of(CP_MOVE) + sent_of(CP_STORE), 0);
        page_is_at(b, page, way[i], 7, 3);
        const struct move_fact *f = last_fact(b);
        assert_true(f->fixed == FIXED && f->late == 0 && steps_of(f) == FIXED && f->flush && f->copy);
        assert_int_equal(f->wait + steps_of(f) + f->map, f->ended - f->begun);
    }
    memory_end(b, 0, h);
    run_dry(b);
    assert_true(quarantine_empty(b->d) && empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

/* Slices that answer later than that: it is there then, and told as late. */
static void lines_that_come_back_late(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 3, &page);
    hold(true, true, true);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    const uint64_t begun = move_of(b, page)->since[STATE_LOCK];
    runs_to(b, begun + FIXED + 700);
    assert_int_equal(move_of(b, page)->state, STATE_FLUSH);
    say(b, CP_CACHE, GOOD);
    page_is_at(b, page, 1, 7, 3);
    const struct move_fact *f = last_fact(b);
    assert_true(f->copy == 0 && f->late >= 700 && f->late < 1000 && steps_of(f) == FIXED + f->late);
}

static void slices_that_refuse(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 3, &page);
    hold(true, true, true);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    goes_to(b, page, STATE_FLUSH);
    say(b, CP_CACHE, REFUSED);
    page_is_at(b, page, 0, 7, 3);
    assert_int_equal(last_fact(b)->refused, -ECANCELED);
}

/* shows S1.11: It stays, or is freed; it may move again at once, by its own time and not by that of the first move. */
static void owners_change_while_it_waits(void **state)
{
    struct bench *b = *state;
    const uint64_t empty = empty_bytes(b);
    rtl_begin(b);
    for (unsigned n = 0; n < 4; n++) {
        const bool home = n & 1, freed = n & 2;
        uint64_t page, begun;
        const uint64_t h = object_new_at(b, 0, AT, BYTES, 3, &page);
        if (home) {
            waits(b, page, 1);
            page_is_at(b, page, 1, 7, 3);
        }
        begun = waits(b, page, home ? 0 : 1);
        runs_to(b, begun + 4000);
        if (freed) {
            memory_end(b, 0, h);
            assert_false(migrate_busy(b->d->migrate));
            runs_to(b, begun + FIXED + 100);
            all_is_free(b);
        } else {
            migrate_settle(b->d->migrate, page, PAGE);
            assert_false(migrate_busy(b->d->migrate) || locked(b, AT));
            const uint64_t again = waits(b, page, home ? 0 : 2);
            assert_true(again >= begun + 4000);
            runs_to(b, begun + FIXED + 100);
            assert_int_equal(move_of(b, page)->state, STATE_WAIT);
            page_is_at(b, page, home ? 0 : 2, 7, 3);
            assert_int_equal(steps_of(last_fact(b)), FIXED);
            memory_end(b, 0, h);
        }
        run_dry(b);
        assert_true(quarantine_empty(b->d) && empty_bytes(b) == empty && !*pmem_moved(memory(b)));
    }
}

/* A page, and another one that begins later: each at its own time. */
static void two_at_a_time(void **state)
{
    struct bench *b = *state;
    uint64_t first, second;
    rtl_begin(b);
    object_new_at(b, 0, OTHER, BYTES, 4, &second);
    object_new_at(b, 0, AT, BYTES, 3, &first);
    const uint64_t begun = waits(b, first, 1);
    runs_to(b, begun + 3000);
    const uint64_t later = waits(b, second, 2);
    runs_to(b, begun + FIXED + 1);
    assert_true(move_of(b, first)->state == STATE_RESUME && move_of(b, second)->state == STATE_WAIT);
    runs_to(b, later + FIXED + 1);
    assert_int_equal(move_of(b, second)->since[STATE_RESUME], later + FIXED);
    page_is_at(b, first, 1, 7, 3);
    tables_agree(b, 0, 7, OTHER, BYTES, second);
    words_are(b, 0, 0, OTHER, BYTES, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_is_there_at_its_time),
        TEST(lines_that_come_back_late),
        TEST(slices_that_refuse),
        TEST(owners_change_while_it_waits),
        TEST(two_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
