/* SPDX-License-Identifier: Apache-2.0
 * Beside pages that RTL GPUs carry: memory that lines have come to or still come to is nobody's; who begins to use a
 * page, or ends, while it moves; the border of a region; what people are told of who owes what.
 */
#include "carried_bench.h"
#include "system/machine_private.h"

/* A page on its way home is freed: its memory is nobody's while lines still come there, nor before caches have dropped
 * those that came. */
static void memory_that_lines_come_to_is_nobodys(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    const uint64_t h = object_new_at(b, 0, AT, BYTES, 7, &page), all = b->d->vram[0].arena.free_bytes;
    assert_int_equal(move(b, page, PAGE, 1), 0);
    all_is_free(b);
    hold(true, true, true);
    engines.count = 0;
    assert_int_equal(move(b, page, PAGE, 0), 0);
    goes_to(b, page, STATE_FLUSH);
    say(b, CP_CACHE, GOOD);
    struct sender s = sender_new(b, 1, 0, 0); /* caches are in use: what they are to drop is answered for */
    fake_launch = endless;
    sender_run(b, &s);
    memory_end(b, 0, h);
    run_dry(b);
    assert_int_equal(b->d->vram[0].arena.free_bytes, all);
    uint64_t next;
    object_new_at(b, 0, OTHER, BYTES, 8, &next);
    assert_true(next >= page + BYTES || next + BYTES <= page);
    const unsigned log = fake(b)->logged;
    say(b, CP_MOVE, GOOD);
    say(b, CP_STORE, GOOD);
    assert_int_equal(b->d->vram[0].arena.free_bytes, all - BYTES);
    run_dry(b);
    assert_true(commands(b, log, 0, CP_CACHE, CACHE_INV_L2) > 0);
    assert_int_equal(b->d->vram[0].arena.free_bytes, all);
    assert_true(quarantine_empty(b->d));
    words_are(b, 0, 1, OTHER, BYTES, 8);
    fake_launch = NULL;
}

/* A push that failed has left lines in caches of the other GPU: its frame is empty when they have dropped them. */
static void a_soiled_frame_rests(void **state)
{
    struct bench *b = *state;
    uint64_t page, next;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 2, &page);
    object_new_at(b, 0, OTHER, BYTES, 3, &next);
    struct sender s = sender_new(b, 1, 1, 0);
    fake_launch = endless;
    sender_run(b, &s);
    hold(false, true, true);
    const unsigned log = fake(b)->logged;
    assert_int_equal(move(b, page, PAGE, 1), 0);
    goes_to(b, page, STATE_PUSH);
    const uint64_t to = move_of(b, page)->to;
    fake_cache_cycles = 100000;
    hold(false, false, false);
    say(b, CP_MOVE, FAULT);
    machine_run(b->d->machine, machine_now(b->d->machine) + 2000);
    assert_false(migrate_busy(b->d->migrate) || quarantine_empty(b->d));
    assert_true(commands(b, log, 1, CP_CACHE, CACHE_INV_L2) == 1 && commands(b, log, 1, CP_MOVE, 0) == 0);
    assert_int_equal(move(b, next, PAGE, 1), 0);
    assert_true(move_of(b, next)->to != to && b->d->migrate->away.frames[1].used_bytes == 2 * PAGE);
    fake_cache_cycles = 50;
    moves_end(b);
    assert_int_equal(home_of(b, next), 1);
    run_dry(b);
    assert_true(quarantine_empty(b->d) && b->d->migrate->away.frames[1].used_bytes == PAGE);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    assert_true(move_of(b, page)->to == to); /* the first that is empty */
    moves_end(b);
    words_are(b, 0, 2, AT, BYTES, 2);
    words_are(b, 0, 2, OTHER, BYTES, 3);
    fake_launch = NULL;
}

/* shows S1.14: A GPU that the process had no queue on gets one: nobody would tell it that a page is unlocked, so none
 * is locked. */
static void a_space_that_opens_finds_no_lock(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin_on(b, 3);
    object_new_at(b, 0, AT, BYTES, 2, &page);
    hold(true, true, true);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    goes_to(b, page, STATE_FLUSH);
    sender_new(b, 0, 2, 2);
    assert_false(locked(b, AT));
    assert_int_equal(move_of(b, page)->state, STATE_GIVEN_UP);
    say_all(b, GOOD);
    all_is_free(b);
    const unsigned log = fake(b)->logged;
    hold(false, false, false);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    all_is_free(b);
    assert_true(commands(b, log, 2, CP_XLAT, 0) > 0);
    words_are(b, 0, 2, AT, BYTES, 2);
}

/* Its page tables go when all that they waited for at its end is done: nothing of it is locked any more. */
static void memory_of_an_ending_process_stays(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 2, &page);
    struct sender s = sender_new(b, 1, 2, 0);
    fake_launch = endless;
    sender_run(b, &s);
    client_end(b->d, b->client[0]);
    assert_int_equal(move(b, page, PAGE, 1), -EPERM);
    run_dry(b);
    assert_int_equal(move(b, page, PAGE, 1), -EPERM);
    client_reap(b->d);
    fake_launch = NULL;
}

/* shows B.6: the model changes when nothing moves any more, also of a move that was given up. */
static void no_border_is_crossed_while_a_page_moves(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    b->goals = (struct goals){.roi_first = 1, .roi_last = 1};
    engines = (struct engines){0};
    fake_takes = takes;
    struct sender s = sender_new(b, 0, 0, 0);
    object_new_at(b, 0, AT, BYTES, 2, &page);
    sender_run(b, &s);
    assert_int_equal(sim_model_now(fake(b)), SIM_RTL);
    hold(true, true, true);
    assert_int_equal(move(b, page, PAGE, 1), 0);
    goes_to(b, page, STATE_FLUSH);
    sender_kernel(b, &s, 0, 0);
    sender_ring(b, &s);
    assert_true(queue_doorbells(b->d));
    const unsigned log = fake(b)->logged;
    for (unsigned way = 0; way < 3; way++) {
        machine_run(b->d->machine, machine_now(b->d->machine) + 5000);
        assert_true(sim_model_now(fake(b)) == SIM_RTL && commands(b, log, 0, CP_LAUNCH, 0) == 0);
        if (way == 0)
            say(b, CP_CACHE, GOOD);
        else if (way == 1)
            migrate_settle(b->d->migrate, page, PAGE);
    }
    say_all(b, GOOD);
    run_dry(b);
    assert_true(sim_model_now(fake(b)) == SIM_GOLDEN && commands(b, log, 0, CP_LAUNCH, 0) == 1);
    words_are(b, 0, 1, AT, BYTES, 2);
}

/* ---- what people are told */
static void told(struct bench *b, const char *format, uint64_t frame)
{
    char text[1 << 16], words[256];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    migrate_tell(b->d->migrate, out);
    fclose(out);
    snprintf(words, sizeof words, format, (unsigned long long)frame);
    if (!strstr(text, words))
        fail_msg("no \"%s\" in: %s", words, text);
}

/* In each state: what the move waits for, and which GPU owes it. */
static void who_owes_what_is_told(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    struct sender s = sender_new(b, 0, 0, 3);
    object_new_at(b, 0, AT, 160 * PAGE, 2, &page);
    fake_launch = endless; /* a shoot-down is a command */
    sender_run(b, &s);
    hold(true, true, true);
    for (unsigned i = 0; i < 140; i++) /* 16 lists of 8 are asked for at a time */
        assert_int_equal(migrate_add(b->d->migrate, page + i * PAGE, PAGE, 1), 0);
    char batch[96];
    snprintf(batch, sizeof batch, "page 0x%%llx to gpu1, since cycle %llu: waits for its batch\n",
             (unsigned long long)machine_now(b->d->machine));
    told(b, batch, page);
    fake_cache_cycles = 5000;
    migrate_go(b->d->migrate);
    told(b, "waits for writes of page tables and shoot-downs; gpu0 has not answered a write to its page tables", 0);
    machine_run(b->d->machine, machine_now(b->d->machine) + 4000);
    told(b, "; gpu0 has not answered the shoot-down of 0x%llx", AT);
    goes_to(b, page, STATE_FLUSH);
    told(b, "waits for the write-back of its lines; gpu0 has not written 0x%llx back\n", page);
    goes_to(b, page + 139 * PAGE, STATE_FLUSH);
    told(b, "; 0x%llx waits for caches\n", page + 139 * PAGE);
    for (unsigned i = 0; i < 2; i++)
        say(b, CP_CACHE, GOOD);
    told(b, "waits for the page-move engines; gpu0 has not reported 0x%llx as sent\n", page + 2 * PAGE);
    told(b, "waits for the page-move engines; 0x%llx waits for an engine\n", page + 8 * PAGE);
    const uint64_t to = move_of(b, page)->to;
    say(b, CP_MOVE, GOOD);
    told(b, "; gpu1 has not reported 0x%llx as stored, slot 0\n", to);
    migrate_settle(b->d->migrate, page, 160 * PAGE);
    told(b, "which its owner has given up waiting for; gpu1 has not reported 0x%llx as stored, slot 0\n", to);
    told(b, "which its owner has given up waiting for; gpu0 has not written 0x%llx back\n", page + 16 * PAGE);
    say_all(b, GOOD);
    fake_cache_cycles = 50;
    assert_int_equal(move(b, page, PAGE, 2), 0);
    goes_to(b, page, STATE_FLUSH);
    hold(false, false, false);
    say_all(b, GOOD);
    goes_to(b, page, STATE_RESUME);
    told(b, "to gpu2, since cycle %llu: waits for writes of page tables; gpu", move_of(b, page)->since[STATE_RESUME]);
    moves_end(b);
    fake_launch = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(memory_that_lines_come_to_is_nobodys),    TEST(a_soiled_frame_rests),
        TEST(a_space_that_opens_finds_no_lock),        TEST(memory_of_an_ending_process_stays),
        TEST(no_border_is_crossed_while_a_page_moves), TEST(who_owes_what_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
