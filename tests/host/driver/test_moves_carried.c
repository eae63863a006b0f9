/* SPDX-License-Identifier: Apache-2.0
 * Pages that RTL GPUs carry: what the GPUs are told, step by step, who finds the page where, and what is free at the
 * end; what a GPU refuses or cannot do changes nothing, and reports that differ end the run.
 */
#include "carried_bench.h"

/* shows S1.9, S1.11, S1.12: To another GPU, to the next and home, whichever engine tells first. */
static void a_page_goes_its_way(void **state)
{
    struct bench *b = *state;
    uint64_t page, empty = empty_bytes(b);
    rtl_begin(b);
    hold(true, true, true);
    const uint64_t h = object_new_at(b, 0, AT, BYTES, 3, &page);
    static const unsigned way[] = {1, 2, 0, 2, 0};
    for (unsigned i = 0; i < 5; i++) {
        const unsigned log = fake(b)->logged, from = home_of(b, page);
        const uint64_t frame = pmem_frame_of(memory(b), page);
        engines.count = 0;
        assert_int_equal(migrate_add(b->d->migrate, page, PAGE, way[i]), 0);
        assert_int_equal(move_of(b, page)->state, STATE_NEW);
        migrate_go(b->d->migrate);
        assert_true(move_of(b, page)->state == STATE_LOCK && engines.count == 0 && locked(b, AT));
        goes_to(b, page, STATE_FLUSH);
        const struct command *flush = waiting(CP_CACHE);
        assert_true(engines.count == 1 && flush->gpu == from && flush->bytes == PAGE);
        assert_true(flush->at == (frame & PMEM_OFFSET_MASK));
        say(b, CP_CACHE, GOOD);
        const struct command *move = waiting(CP_MOVE), *store = waiting(CP_STORE);
        const uint64_t to = move_of(b, page)->to;
        assert_true(engines.count == 3 && move->gpu == from && store->gpu == way[i] && owner_of(to) == way[i]);
        assert_true(move->view.lines == 64 && store->view.lines == 64 && move->view.slot == store->view.slot);
        assert_true(move->view.source == (frame & PMEM_OFFSET_MASK) && move->view.target == to);
        assert_true(move->view.flags == (PTE_R | PTE_W | PTE_X));
        say(b, i & 1 ? CP_STORE : CP_MOVE, GOOD);
        assert_true(move_of(b, page)->state == STATE_PUSH && locked(b, AT)); /* one of both is not enough */
        assert_true(pmem_frame_of(memory(b), page) == frame);
        for (unsigned g = 0; g < GPUS; g++)
            assert_int_equal(answers_of(b, log, g), 0);
        say(b, i & 1 ? CP_MOVE : CP_STORE, GOOD);
        assert_true(move_of(b, page)->state == STATE_RESUME && !locked(b, AT));
        assert_true(pmem_frame_of(memory(b), page) == to);
        page_is_at(b, page, way[i], 7, 3);
        for (unsigned g = 0; g < GPUS; g++) /* who was withheld a translation looks again */
            assert_true(answers_of(b, log, g) > 0);
    }
    memory_end(b, 0, h);
    run_dry(b);
    assert_true(quarantine_empty(b->d) && empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

/* Each answer that is none, of each command: the page stays, and it goes when GPUs work again. */
static void what_a_gpu_refuses_changes_nothing(void **state)
{
    struct bench *b = *state;
    static const struct {
        enum told flush, move, store;
        bool store_first, never; /* never: the page does not come, and its slot is given up */
    } cases[] = {{REFUSED, 0, 0, 0, 0},          {GOOD, REFUSED, 0, 0, 1},     {GOOD, FAULT, 0, 0, 1},
                 {GOOD, DISCARDED, 0, 0, 1},     {GOOD, GOOD, REFUSED, 0, 0},  {GOOD, GOOD, REFUSED, 1, 0},
                 {GOOD, REFUSED, REFUSED, 1, 0}, {GOOD, FAULT, FAULT, 1, 0},   {GOOD, GOOD, FAULT, 0, 0},
                 {GOOD, GOOD, DISCARDED, 1, 0},  {GOOD, GOOD, DISCARDED, 0, 0}};
    const uint64_t empty = empty_bytes(b);
    uint64_t page;
    rtl_begin(b);
    const uint64_t h = object_new_at(b, 0, AT, BYTES, 4, &page);
    for (unsigned n = 0; n < 4 * sizeof cases / sizeof *cases; n++) {
        const unsigned i = n / 4, to = n % 2, stays = 1 - to; /* away and home; a report meets the end of its slot */
        const unsigned log = fake(b)->logged;
        engines.overtaken = n % 4 / 2;
        hold(true, true, true);
        engines.count = 0;
        if (home_of(b, page) != stays) {
            assert_int_equal(move(b, page, PAGE, stays), 0);
            goes_to(b, page, STATE_FLUSH);
            say_all(b, GOOD);
            all_is_free(b);
        }
        const unsigned sent = sent_of(CP_STORE);
        engines.hold_stores = true;
        assert_int_equal(move(b, page, PAGE, to), 0);
        goes_to(b, page, STATE_FLUSH);
        say(b, CP_CACHE, cases[i].flush);
        if (cases[i].flush == GOOD && cases[i].store_first)
            say(b, CP_STORE, cases[i].store);
        engines.hold_stores = false; /* those that give it up are answered */
        if (cases[i].flush == GOOD)
            say(b, CP_MOVE, cases[i].move);
        if (cases[i].flush == GOOD && !cases[i].store_first && !cases[i].never)
            say(b, CP_STORE, cases[i].store);
        const bool again = cases[i].never || cases[i].store == REFUSED || cases[i].store == DISCARDED;
        assert_int_equal(sent_of(CP_STORE),
                         sent + (cases[i].flush == GOOD) * (1 + again)); /* what it has is forgotten */
        page_is_at(b, page, stays, 7, 4);
        for (unsigned g = 0; g < GPUS; g++)
            assert_true(answers_of(b, log, g) > 0);
        hold(false, false, false);
        assert_int_equal(move(b, page, PAGE, to), 0);
        page_is_at(b, page, to, 7, 4);
    }
    memory_end(b, 0, h);
    run_dry(b);
    assert_true(quarantine_empty(b->d) && empty_bytes(b) == empty && !*pmem_moved(memory(b)));
}

static void finish(struct bench *b)
{
    say_all(b, GOOD);
    moves_end(b);
}

/* shows S1.13: Both engines tell the same of the page, and its bytes are there, or the run ends. */
static void what_differs_ends_the_run(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    static const char *const lines[] = {"sent 64", "came 65", "64 lines", NULL},
                             *const flags[] = {"flags e; came", "flags f", NULL},
                             *const sum[] = {"sent 64, sum ", "came 64, sum ", NULL},
                             *const byte[] = {"line 63, byte 56", " there, ", " in the page", NULL};
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 1, &page);
    hold(false, true, true);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    goes_to(b, page, STATE_PUSH);
    engines.odd = (struct msg_cp_evt_move){.lines = 1};
    ends_the_run(b, finish, lines);
    engines.odd = (struct msg_cp_evt_move){.flags = 1};
    ends_the_run(b, finish, flags);
    engines.odd = (struct msg_cp_evt_move){.checksum = 1};
    ends_the_run(b, finish, sum);
    engines.odd = (struct msg_cp_evt_move){0};
    engines.lose = true;
    ends_the_run(b, finish, byte);
    engines.lose = false;
    finish(b);
    all_is_free(b);
    assert_int_equal(home_of(b, page), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_goes_its_way),
        TEST(what_a_gpu_refuses_changes_nothing),
        TEST(what_differs_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
