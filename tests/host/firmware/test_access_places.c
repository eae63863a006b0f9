/* SPDX-License-Identifier: Apache-2.0
 * Places of accesses (access.h): each is free again when its answer has come, however many there were before; what is
 * beyond the bounds, or was never asked, ends the run as a bug of ours.
 */
#include "exit_bench.h"
#include "firmware/cp_private.h"

/* Twice as many as there are places: the numbers of accesses go on, places come back. */
static void places_are_free_again(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    fake_memory[0] = 3;
    uint32_t most = 0;
    for (unsigned n = 0; n < 2 * CP_ACCESSES + 10; n++) {
        queue_ring(b->cp[0], b->queue[0]);
        const uint32_t open = b->cp[0]->access_count;
        assert_true(open > 0);
        most = open > most ? open : most;
        run(b);
        assert_int_equal(b->cp[0]->access_count, 0);
    }
    assert_in_range(most, 1, ACCESS_OWNER);
    uint32_t free_places = 0;
    for (uint32_t place = b->cp[0]->access_free; place < CP_ACCESSES; place = b->cp[0]->accesses[place].next) {
        assert_null(b->cp[0]->accesses[place].transfer);
        free_places++;
        assert_in_range(free_places, 1, CP_ACCESSES); /* no circle */
    }
    assert_int_equal(free_places, CP_ACCESSES);
    kernel_put(b, 0, 0x0002, 0); /* and they serve */
    ring(b, 0);
    run(b);
    assert_int_equal(commands(b, CP_LAUNCH), 1);
}

static void nothing_done(struct cp *cp, struct transfer *t)
{
    (void)cp, (void)t;
}

/* So many lines of one owner. */
static void lines_read(struct bench *b, unsigned n)
{
    static uint8_t lines[64 * (ACCESS_OWNER + 1)];
    struct transfer t = {0};
    transfer_begin(&t, b->queue[0], NULL, nothing_done);
    access_read(b->cp[0], &t, VA + 0x6000, lines, 64 * n, true);
    run(b);
}

/* So many accesses of all owners. */
static void places_taken(struct bench *b, unsigned n)
{
    static struct transfer owners[CP_ACCESSES];
    static uint8_t words[CP_ACCESSES + 1][8];
    for (unsigned i = 0; i < n; i++) {
        struct transfer *t = &owners[i / ACCESS_OWNER];
        if (i % ACCESS_OWNER == 0)
            transfer_begin(t, b->queue[0], NULL, nothing_done);
        access_read(b->cp[0], t, VA + 0x6000, words[i], 8, true);
    }
}

/* Answers with these bits of the cookie changed, and then with the right one, once more in the last case. */
static void answered(struct bench *b, unsigned n)
{
    const struct msg_mem_rsp rsp = {0};
    static struct transfer t;
    uint8_t word[8];
    transfer_begin(&t, b->queue[0], NULL, nothing_done);
    access_read(b->cp[0], &t, VA + 0x6000, word, sizeof word, true);
    const uint64_t cookie = b->sim->due[b->sim->count - 1].cookie;
    if (n < 32)
        cp_answer(b->cp[0], cookie ^ 1u << n, &rsp);
    cp_answer(b->cp[0], cookie, &rsp);
    if (n == 33)
        cp_answer(b->cp[0], cookie, &rsp);
    if (n == 34) { /* the place is in use again */
        transfer_begin(&t, b->queue[0], NULL, nothing_done);
        access_read(b->cp[0], &t, VA + 0x6000, word, sizeof word, true);
        cp_answer(b->cp[0], cookie, &rsp);
    }
}

static void begun_twice(struct bench *b, unsigned n)
{
    uint8_t word[8];
    static struct transfer t;
    transfer_begin(&t, b->queue[0], NULL, nothing_done);
    if (n)
        access_read(b->cp[0], &t, VA + 0x6000, word, sizeof word, true);
    transfer_begin(&t, b->queue[0], NULL, nothing_done);
}

static void closed_and_rung(struct bench *b, unsigned n)
{
    if (n) {
        b->queue[0]->jobs = 1; /* keeps it */
        cp_queue_close(b->cp[0], b->queue[0]);
    }
    cp_doorbell(b->cp[0], b->queue[0]);
}

/* Each bound at its value, and one beyond it. */
static void bounds_end_the_run(void **state)
{
    struct bench *b = *state;
    queue_open(b, 0, 0, 0);
    assert_int_equal(status_of(lines_read, b, ACCESS_OWNER), 0);
    assert_int_equal(status_of(lines_read, b, ACCESS_OWNER + 1), 70);
    static_assert(FAKE_MAX >= CP_ACCESSES, "the fake machine holds them all");
    assert_int_equal(status_of(places_taken, b, CP_ACCESSES), 0);
    assert_int_equal(status_of(places_taken, b, CP_ACCESSES + 1), 70);
    for (unsigned n = 0; n < 32; n++)
        assert_int_equal(status_of(answered, b, n), 70);
    assert_int_equal(status_of(answered, b, 32), 0);
    assert_int_equal(status_of(answered, b, 33), 70);
    assert_int_equal(status_of(answered, b, 34), 70);
    assert_int_equal(status_of(begun_twice, b, 0), 0);
    assert_int_equal(status_of(begun_twice, b, 1), 70);
    assert_int_equal(status_of(closed_and_rung, b, 0), 0);
    assert_int_equal(status_of(closed_and_rung, b, 1), 70);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(places_are_free_again), TEST(bounds_end_the_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
