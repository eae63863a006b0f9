/* SPDX-License-Identifier: Apache-2.0
 * Engines of RTL GPUs that carry many pages: never more under way than they have places, in the order of moves; blocks
 * in pieces; a slot that is lost.
 */
#include "carried_bench.h"

#define MANY 24u
#define BATCH 160u /* more than caches are asked for at a time */

/* The n-th page of a batch: not in the order of addresses. */
static unsigned nth(unsigned n)
{
    return n * 5 % MANY;
}

/* shows S1.12: Twelve pages at once to one GPU: as many under way as its engine takes, and when one has arrived the
 * next one in the order of moves. */
static void pages_take_turns(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    hold(false, true, true);
    object_new_at(b, 0, AT, MANY * PAGE, 1, &page);
    for (unsigned n = 0; n < 12; n++)
        assert_int_equal(migrate_add(b->d->migrate, page + nth(n) * PAGE, PAGE, 1), 0);
    assert_int_equal(engines.count, 0);
    migrate_go(b->d->migrate);
    machine_run(b->d->machine, machine_now(b->d->machine) + 5000);
    for (unsigned n = 0; n < 12; n++) {
        const unsigned left = 12 - n, most = left < PAGE_MOVES ? left : PAGE_MOVES;
        assert_true(open_of(CP_MOVE, 0) == most && open_of(CP_STORE, 1) == most);
        assert_true(b->d->migrate->engine[0].leaving == most);
        assert_int_equal(waiting(CP_MOVE)->view.source, (page & PMEM_OFFSET_MASK) + nth(n) * PAGE);
        assert_int_equal(waiting(CP_MOVE)->view.slot, waiting(CP_STORE)->view.slot);
        say(b, n & 1 ? CP_MOVE : CP_STORE, GOOD);
        assert_true(sent_of(CP_MOVE) == n + most); /* a place is free when both have told */
        say(b, n & 1 ? CP_STORE : CP_MOVE, GOOD);
    }
    all_is_free(b);
    for (unsigned n = 0; n < MANY; n++)
        assert_int_equal(home_of(b, page + nth(n) * PAGE), n < 12 ? 1 : 0);
    tables_agree(b, 0, 7, AT, MANY * PAGE, page);
    words_are(b, 0, 2, AT, MANY * PAGE, 1);
}

/* Of two GPUs at once: no slot has two pages, and all are used. */
static void slots_are_one_pages(void **state)
{
    struct bench *b = *state;
    uint64_t page, other;
    rtl_begin(b);
    hold(false, true, true);
    object_new_at(b, 0, AT, MANY * PAGE, 1, &page);
    object_new_at(b, 2, OTHER, MANY * PAGE, 2, &other);
    for (unsigned n = 0; n < MANY; n++) {
        assert_int_equal(migrate_add(b->d->migrate, page + n * PAGE, PAGE, 1), 0);
        assert_int_equal(migrate_add(b->d->migrate, other + n * PAGE, PAGE, 1), 0);
    }
    migrate_go(b->d->migrate);
    machine_run(b->d->machine, machine_now(b->d->machine) + 8000);
    assert_int_equal(open_of(CP_STORE, 1), PAGE_SLOTS);
    srand(5);
    while (waiting(CP_MOVE) || waiting(CP_STORE)) {
        unsigned slots = 0;
        for (unsigned i = 0; i < engines.count; i++)
            if (engines.list[i].kind == CP_STORE && engines.list[i].open) {
                assert_false(slots >> engines.list[i].view.slot & 1);
                slots |= 1u << engines.list[i].view.slot;
            }
        assert_true(slots < 1u << PAGE_SLOTS && open_of(CP_MOVE, 0) <= PAGE_MOVES && open_of(CP_MOVE, 2) <= PAGE_MOVES);
        say(b, waiting(CP_STORE) && (rand() & 1 || !waiting(CP_MOVE)) ? CP_STORE : CP_MOVE, GOOD);
    }
    all_is_free(b);
    for (unsigned n = 0; n < MANY; n++)
        assert_true(home_of(b, page + n * PAGE) == 1 && home_of(b, other + n * PAGE) == 1);
    words_are(b, 0, 2, AT, MANY * PAGE, 1);
    words_are(b, 0, 0, OTHER, MANY * PAGE, 2);
}

/* Ten pages, and many: locked together, while a kernel of their process runs; caches are asked for few at a time. */
static void many_pages_go_together(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    struct sender s = sender_new(b, 0, 0, 3);
    object_new_at(b, 0, AT, BATCH * PAGE, 1, &page);
    fake_launch = endless;
    sender_run(b, &s);
    for (unsigned count = 10; count <= BATCH; count += BATCH - 10) {
        const unsigned log = fake(b)->logged, to = count == 10 ? 1 : 2;
        hold(true, false, false);
        engines.count = 0;
        for (unsigned n = 0; n < count; n++)
            assert_int_equal(migrate_add(b->d->migrate, page + n * PAGE, PAGE, to), 0);
        assert_int_equal(commands(b, log, 0, CP_CACHE, 0), 0);
        migrate_go(b->d->migrate);
        for (unsigned n = 0; n < count; n++)
            assert_true(locked(b, AT + n * PAGE) && move_of(b, page + n * PAGE)->state == STATE_LOCK);
        for (unsigned n = 0; n < count; n++)
            goes_to(b, page + n * PAGE, STATE_FLUSH);
        const unsigned told = commands(b, log, 0, CP_CACHE, CACHE_INV_TLB);
        assert_true(told > 0 && told <= count);
        assert_int_equal(open_of(CP_CACHE, GPUS), count == 10 ? 2 : 2 + CARRY_FLUSHES); /* in lists of 8 */
        while (waiting(CP_CACHE))
            say(b, CP_CACHE, GOOD);
        moves_end(b);
        for (unsigned n = 0; n < BATCH; n++)
            assert_int_equal(home_of(b, page + n * PAGE), n < count ? to : 0);
        words_are(b, 0, 2, AT, BATCH * PAGE, 1);
    }
    assert_int_equal(commands(b, 0, 0, CP_LAUNCH, 0), 1);
    fake_launch = NULL;
}

/* Pages of one command have one answer. */
static void a_list_is_refused(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, 4 * PAGE, 1, &page);
    engines.count = 0;
    hold(true, false, false);
    for (unsigned n = 0; n < 4; n++)
        assert_int_equal(migrate_add(b->d->migrate, page + n * PAGE, PAGE, 1), 0);
    migrate_go(b->d->migrate);
    for (unsigned n = 0; n < 4; n++)
        goes_to(b, page + n * PAGE, STATE_FLUSH);
    assert_int_equal(open_of(CP_CACHE, 0), 1);
    say(b, CP_CACHE, REFUSED);
    moves_end(b);
    for (unsigned n = 0; n < 4; n++)
        assert_true(home_of(b, page + n * PAGE) == 0 && !locked(b, AT + n * PAGE));
    assert_int_equal(sent_of(CP_MOVE), 0);
    words_are(b, 0, 1, AT, 4 * PAGE, 1);
    all_is_free(b);
}

/* Every other page of a block is on another GPU: sixteen pieces, then one large entry. */
static void a_scattered_block_goes_in_pieces(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, 2 * MIGRATE_BLOCK, 1, &page);
    for (unsigned n = 0; n < 16; n += 2)
        assert_int_equal(move(b, page + n * PAGE, PAGE, 1), 0);
    all_is_free(b);
    engines.count = 0;
    hold(true, true, true);
    assert_int_equal(move(b, page, MIGRATE_BLOCK, 2), 0);
    goes_to(b, page, STATE_FLUSH);
    assert_int_equal(move_of(b, page)->pieces, 16);
    assert_true(open_of(CP_CACHE, 0) == 1 && open_of(CP_CACHE, 1) == 1); /* a list each */
    for (unsigned n = 0; n < 2; n++) {
        assert_int_equal(move_of(b, page)->state, STATE_FLUSH);
        say(b, CP_CACHE, GOOD);
    }
    const uint64_t to = move_of(b, page)->to;
    assert_true(open_of(CP_MOVE, 0) == PAGE_MOVES && open_of(CP_MOVE, 1) == PAGE_MOVES);
    say_all(b, GOOD);
    all_is_free(b);
    for (unsigned n = 0; n < 16; n++)
        assert_true(pmem_frame_of(memory(b), page + n * PAGE) == to + n * PAGE);
    assert_int_equal(sent_of(CP_MOVE), 16);
    for (unsigned g = 0; g < GPUS; g++)
        assert_int_equal(
            (pagetable_lookup(b->client[0]->gpu[g].pt, AT + 5 * PAGE) & PTE_FRAGMENT) >> PTE_FRAGMENT_SHIFT, 4);
    tables_agree(b, 0, 7, AT, 2 * MIGRATE_BLOCK, page);
    words_are(b, 0, 1, AT, 2 * MIGRATE_BLOCK, 1);
    for (unsigned bad = 0; bad < 3; bad++) { /* one of three pieces fails: the block stays */
        hold(false, false, false);
        engines.count = 0;
        assert_int_equal(move(b, page + 3 * PAGE, PAGE, 0), bad ? -EALREADY : 0);
        all_is_free(b);
        hold(true, true, true);
        assert_int_equal(move(b, page, MIGRATE_BLOCK, 1), 0);
        goes_to(b, page, STATE_FLUSH);
        assert_int_equal(move_of(b, page)->pieces, 3);
        while (waiting(CP_CACHE))
            say(b, CP_CACHE, GOOD);
        engines.hold_stores = false;
        for (unsigned n = 0; waiting(CP_MOVE); n++)
            say(b, CP_MOVE, n == bad ? FAULT : GOOD);
        say_all(b, GOOD);
        all_is_free(b);
        assert_true(home_of(b, page) == 2 && home_of(b, page + 3 * PAGE) == 0);
        tables_agree(b, 0, 7, AT, 2 * MIGRATE_BLOCK, page);
        words_are(b, 0, 1, AT, 2 * MIGRATE_BLOCK, 1);
    }
}

/* An engine that refuses to count a page, and then to give it up, may have lines of it in that slot: no page gets it.
 */
static void a_slot_is_lost(void **state)
{
    struct bench *b = *state;
    uint64_t page, other;
    char *text = NULL;
    size_t bytes;
    rtl_begin(b);
    object_new_at(b, 0, AT, MANY * PAGE, 1, &page);
    object_new_at(b, 2, OTHER, MANY * PAGE, 2, &other);
    hold(false, true, true);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    goes_to(b, page, STATE_PUSH);
    say(b, CP_STORE, REFUSED);
    assert_int_equal(sent_of(CP_STORE), 1); /* lines still come */
    say(b, CP_MOVE, GOOD);
    const struct command *again = waiting(CP_STORE);
    assert_true(again && again->view.lines == 0 && again->view.slot == 0 && again->gpu == 1);
    FILE *file = open_memstream(&text, &bytes);
    log_set_file(file);
    say(b, CP_STORE, REFUSED);
    log_set_file(NULL);
    fclose(file);
    assert_non_null(strstr(text, "gpu1: slot 0 of its page-move engine is lost"));
    free(text);
    moves_end(b);
    assert_true(home_of(b, page) == 0 && b->d->migrate->engine[1].slots == 1 && b->d->migrate->engine[0].leaving == 0);
    for (unsigned n = 0; n < 12; n++) {
        assert_int_equal(migrate_add(b->d->migrate, page + n * PAGE, PAGE, 1), 0);
        assert_int_equal(migrate_add(b->d->migrate, other + n * PAGE, PAGE, 1), 0);
    }
    migrate_go(b->d->migrate);
    machine_run(b->d->machine, machine_now(b->d->machine) + 8000);
    while (waiting(CP_STORE)) {
        assert_true(open_of(CP_STORE, 1) <= PAGE_SLOTS - 1 && waiting(CP_STORE)->view.slot != 0);
        say(b, CP_STORE, GOOD);
        say(b, CP_MOVE, GOOD);
    }
    moves_end(b);
    for (unsigned n = 0; n < 12; n++)
        assert_true(home_of(b, page + n * PAGE) == 1 && home_of(b, other + n * PAGE) == 1);
    words_are(b, 0, 2, AT, MANY * PAGE, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_take_turns),       TEST(slots_are_one_pages),
        TEST(many_pages_go_together), TEST(a_scattered_block_goes_in_pieces),
        TEST(a_list_is_refused),      TEST(a_slot_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
