/* SPDX-License-Identifier: Apache-2.0
 * Places of accesses (access.h): each is free again when its answer has come, however many there were before.
 */
#include "cp_bench.h"
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {TEST(places_are_free_again)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
