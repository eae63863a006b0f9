/* SPDX-License-Identifier: Apache-2.0
 * A partition on a board (board.h) against the same model called directly: messages, cycles, idle, counters, progress;
 * what it cannot do.  The board is a process of its own.
 */
#include "board_bench.h"

/* Windows, gaps of idle time, one of more than 2^32 cycles, and all the same as the model itself. */
static void compare(bool no_skip, uint64_t far)
{
    struct bench b;
    struct seen seen[2] = {{0}, {0}};
    struct window w;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    void *model[2] = {b.api->create(b.api, "gpu0.toy", 0x203, 9), plain.create(&plain, "gpu0.toy", 0x203, 9)};
    assert_non_null(model[0]);
    const struct model_api *api[2] = {b.api, &plain};
    bool idle[2] = {false, false};
    uint64_t exchanges = 0, from = 0;
    for (unsigned n = 0; n < 3000; n++, from += PART_WINDOW) {
        window_draw(&w, n > 2 && draw() % 4 == 0);
        if (idle[0] && !no_skip && draw() % 8 == 0)
            from += far && draw() % 8 == 0 ? far : (uint64_t)(draw() % 100) * PART_WINDOW;
        for (unsigned i = 0; i < 2; i++) {
            const struct model_sink sink = {.ctx = &seen[i], .send = seen_send};
            idle[i] = api[i]->step(model[i], from, w.list, w.count, no_skip, &sink);
        }
        exchanges++;
        assert_int_equal(idle[0], idle[1]);
        assert_true(seen[0].hash == seen[1].hash && seen[0].count == seen[1].count);
        assert_true(api[0]->shown(model[0]) == api[1]->shown(model[1]));
        assert_true(api[0]->evaluated(model[0]) == api[1]->evaluated(model[1]));
    }
    assert_true(seen[0].count > 2000);
    assert_true(!far || from > 2 * far);
    for (uint32_t i = 0; i < 3; i++)
        assert_true(api[0]->counter(model[0], i) == api[1]->counter(model[1], i));
    assert_true(api[0]->look(model[0], 0x305) == api[1]->look(model[1], 0x305));
    const struct board_figures f = board_figures(b.board);
    assert_true(f.exchanges == exchanges && f.cycles == api[1]->evaluated(model[1]) && f.resent == 0 && f.ns > 0);
    assert_true(f.bytes_taken > exchanges * 24 + seen[0].count * 8 + seen[0].bytes && f.bytes_sent > exchanges * 8);
    assert_null(board_why(b.board));
    assert_int_equal(b.lost, 0);
    b.api->observe(model[0], true);
    b.api->destroy(model[0]);
    plain.destroy(model[1]);
    bench_close(&b);
}

static void test_same_as_the_model(void **state)
{
    (void)state;
    draw_state = 1;
    compare(false, 0);
    compare(true, 0);
}

static void test_far_ahead(void **state)
{
    (void)state;
    draw_state = 2;
    compare(false, (UINT64_C(3) << 32) + 8 * PART_WINDOW);
}

/* A second partition of the same board begins at cycle 0 with its own identity; what is attached is not attached again.
 */
static void test_begins_anew(void **state)
{
    struct bench b;
    struct window w;
    (void)state;
    uint64_t count = 0;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    assert_int_equal(board_attach(b.board, 5), STATUS_OK);
    for (unsigned n = 0; n < 4; n++) {
        const uint16_t id = (uint16_t)(5 + n / 2);
        struct seen seen[2] = {{0}, {0}};
        void *model = b.api->create(b.api, "a", id, 0), *same = plain.create(&plain, "a", id, 0);
        assert_non_null(model);
        window_draw(&w, true);
        for (unsigned i = 0; i < 2; i++) {
            const struct model_sink sink = {.ctx = &seen[i], .send = seen_send};
            (i ? &plain : b.api)->step(i ? same : model, 0, w.list, w.count, false, &sink);
        }
        assert_true(seen[0].hash == seen[1].hash);
        count += seen[0].count;
        b.api->destroy(model);
        plain.destroy(same);
    }
    assert_true(count > 3);
    bench_close(&b);
}

static void test_what_it_cannot(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, &wanted, SOFT_NONE, 0);
    const struct model_api *a = b.api;
    assert_true(!a->save && !a->restore && !a->hold && !a->release && !a->trace);
    assert_non_null(strstr(a->unsavable, "on a board"));
    assert_ptr_equal(a->ports, plain.ports);
    assert_ptr_equal(a->counters, plain.counters);
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_the_model),
        cmocka_unit_test(test_far_ahead),
        cmocka_unit_test(test_begins_anew),
        cmocka_unit_test(test_what_it_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
