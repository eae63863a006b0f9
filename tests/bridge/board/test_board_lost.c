/* SPDX-License-Identifier: Apache-2.0
 * The end of a board's use (board.h): what it may not say, what it must be, one that says nothing.
 */
#include "board_bench.h"

#define LOST "the board is lost at cycle 56, behind frame 7: "
static void test_what_a_board_may_not_say(void **state)
{
    static const char *const why[SOFT_FAULTS] = {
        [SOFT_DIES] = LOST "the other side has closed the connection",
        [SOFT_KIND] = LOST "it answers with a record of kind 99",
        [SOFT_LINK] = LOST "a message of its output 6; it has 6",
        [SOFT_EARLY] = LOST "a message of its output 5 comes from outside of the window",
        [SOFT_LATE] = LOST "a message of its output 5 comes from outside of the window",
        [SOFT_TWICE] = LOST "a message of its output 5 of cycle 56 comes out of order",
        [SOFT_ORDER] = LOST "a message of its output 4 of cycle 56 comes out of order",
        [SOFT_CYCLE] = LOST "it stands at cycle 65 instead of 64",
        [SOFT_ERROR] = LOST "it refuses a record for its second message of a cycle",
        [SOFT_MORE] = LOST "a message of its output 2 without a credit",
        [SOFT_RETURN] = LOST "a credit of its output 3 without a message"};
    static const uint32_t depths[OUTS] = {0, 0, 7, 1, 0, 0};
    (void)state;
    for (enum soft_fault fault = SOFT_DIES; fault < SOFT_FAULTS; fault++) {
        struct bench b;
        struct seen seen = {0};
        struct window w;
        const struct model_sink sink = {.ctx = &seen, .send = seen_send};
        if (why[fault] == NULL)
            continue;
        bench_open(&b, &wanted, fault, 7);
        void *model = b.api->create(b.api, "a", 1, 0);
        board_bounds(b.board, depths);
        window_draw(&w, false);
        for (uint64_t from = 0; from < 7 * PART_WINDOW; from += PART_WINDOW)
            b.api->step(model, from, w.list, w.count, true, &sink);
        assert_null(board_why(b.board));
        assert_true(b.api->step(model, 7 * PART_WINDOW, w.list, w.count, true, &sink));
        assert_why(&b, why[fault]);
        assert_int_equal(b.lost, 1);
        const uint64_t count = seen.count; /* from then on it is idle, silent, and counts 0 */
        assert_true(b.api->step(model, 8 * PART_WINDOW, w.list, w.count, true, &sink));
        assert_true(b.api->counter(model, 1) == 0 && b.api->look(model, 3) == 0 && seen.count == count);
        board_give_up(b.board, "another cause");
        assert_why(&b, why[fault]);
        assert_null(b.api->create(b.api, "a", 1, 0));
        assert_int_equal(b.lost, 1);
        b.api->destroy(model);
        bench_close(&b);
    }
}

/* As many messages as the channel holds and credits have come, then one more. */
static void test_as_many_as_credits(void **state)
{
    static const uint32_t depths[OUTS] = {0, 0, 19, 0, 0, 0};
    struct bench b;
    struct seen seen = {0};
    struct window w;
    const struct model_sink sink = {.ctx = &seen, .send = seen_send};
    struct part_in credit = {3, NULL};
    (void)state;
    bench_open(&b, &wanted, SOFT_MORE, 40); /* the model, which the credits stir, is idle again by then */
    void *model = b.api->create(b.api, "a", 1, 0);
    board_bounds(b.board, depths);
    window_draw(&w, false);
    w.list[0] = w.list[3] = &credit;
    w.count[0] = w.count[3] = 1;
    for (uint64_t from = 0; !board_why(b.board) && from < 50 * PART_WINDOW; from += PART_WINDOW) {
        b.api->step(model, from, w.list, w.count, true, &sink);
        w.count[0] = w.count[3] = 0;
    }
    assert_int_equal(seen.by_slot[2], 19 + 2);
    assert_non_null(strstr(board_why(b.board), ": a message of its output 2 without a credit"));
    b.api->destroy(model);
    bench_close(&b);
}

/* The first field that differs is told. */
static void test_what_a_board_must_be(void **state)
{
    static const char *const why[6] = {
        "the board has version 2 of the protocol, this host 1",
        "the board holds a partition of kind t?y, not toy",
        "the board was made with other RTL text: 0000000000001112 instead of 0000000000001111",
        "the board was made with other keys: 0000000000002223 instead of 0000000000002222",
        "the board was made with other graph of partitions: 0000000000003334 instead of 0000000000003333",
        "the board was made with other links: 0000000000004445 instead of 0000000000004444"};
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct bench b;
        struct stream_hello h = wanted;
        h.version += i == 0;
        h.kind = i < 1 ? 1 : i == 1 ? 0x790a74 : h.kind;
        h.rtl += i <= 2;
        h.keys += i <= 3;
        h.graph += i <= 4;
        h.links += i <= 5;
        bench_open(&b, &h, SOFT_NONE, 0);
        assert_int_equal(board_attach(b.board, 1), STATUS_CONFIG);
        assert_why(&b, why[i]);
        assert_int_equal(board_attach(b.board, 1), STATUS_IO);
        assert_null(b.api->create(b.api, "a", 1, 0));
        bench_close(&b);
    }
}

/* Nobody answers at all. */
static void test_nobody(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    kill(b.pid, SIGSTOP);
    assert_int_equal(board_attach(b.board, 1), STATUS_IO);
    assert_non_null(board_why(b.board));
    assert_null(strstr(board_why(b.board), "lost at cycle"));
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_a_board_may_not_say),
        cmocka_unit_test(test_as_many_as_credits),
        cmocka_unit_test(test_what_a_board_must_be),
        cmocka_unit_test(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
