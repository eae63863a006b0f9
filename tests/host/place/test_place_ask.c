// SPDX-License-Identifier: Apache-2.0
// Questions to workers and their answers (place_ask.c); what workers are told of memory.
#include "place_bench.h"

static void questions_and_answers(void **state)
{
    (void)state;
    for (unsigned processes = 2; processes <= 3; processes++) {
        struct made m;
        open_with(&m, processes, (struct sim_options){0});
        assert_int_equal(place_workers(m.sim), processes - 1);
        assert_int_equal(place_lost(m.sim), STATUS_OK);
        assert_true(place_sum(m.sim, PLACE_QUIET) == (processes == 2 ? 1000 : 3000));
        for (uint32_t w = 1; w < processes; w++) {
            char *text;
            struct ask ask = {.kind = PLACE_REPORT, .memory = 5, .a = 7, .b = 9, .bytes = 3};
            assert_true(place_ask(m.sim, w, &ask, "abc", (void **)&text));
            assert_true(ask.kind == PLACE_REPORT && ask.a == 7 + 1000 * w && ask.bytes == 4);
            assert_string_equal(text, w == 1 ? "of 1" : "of 2");
            free(text);
            assert_true(place_ask(m.sim, w, &ask, "abcd", NULL));
            assert_int_equal(told[w].count, 3);
            const struct heard *h = &told[w].heard[1];
            assert_true(h->ask.kind == PLACE_REPORT && h->ask.memory == 5 && h->ask.a == 7 && h->ask.b == 9);
            assert_true(h->ask.bytes == 3 && memcmp(h->data, "abc", 3) == 0 && h->file == 0);
            assert_int_equal(told[w].heard[0].ask.kind, PLACE_QUIET);
        }
        end(&m);
        assert_int_equal(m.failure, STATUS_OK);
    }
}

// Slabs, pages that move and, for golden GPUs, windows are told to every worker when they change.
static void workers_are_told_of_memory(void **state)
{
    (void)state;
    static char page[8192] __attribute__((aligned(4096)));
    struct made m;
    open_with(&m, 3, (struct sim_options){0});
    const uint64_t granule = pmem_granule(m.memory, 1);
    assert_int_equal(pmem_slab_take(m.memory, 1, 3 * granule, 2 * granule), 0);
    pmem_slab_give(m.memory, 1, 4 * granule);
    const uint64_t offset = pmem_window_add(m.memory, getpid(), (uint64_t)(uintptr_t)page, 4096);
    place_windows(m.sim);
    place_windows(m.sim); // nothing is new
    pmem_move(m.memory, pmem_addr(1, 0), pmem_addr(3, 0x5000), false);
    for (unsigned w = 1; w < 3; w++) {
        const struct heard *h = told[w].heard;
        size_t bytes;
        const void *windows = pmem_windows(m.memory, &bytes);
        assert_int_equal(told[w].count, 4);
        assert_true(h[0].ask.kind == PLACE_TAKE && h[0].ask.memory == 1 && h[0].ask.a == 3 * granule &&
                    h[0].ask.b == 2 * granule);
        assert_true(h[0].file == 2 * granule);
        assert_true(h[1].ask.kind == PLACE_GIVE && h[1].ask.memory == 1 && h[1].ask.a == 4 * granule && h[1].file == 0);
        assert_true(h[2].ask.kind == PLACE_WINDOWS && h[2].ask.bytes == bytes && bytes > 0);
        assert_memory_equal(h[2].data, windows, bytes < 64 ? bytes : 64);
        assert_true(h[3].ask.kind == PLACE_PAGE && h[3].ask.a == pmem_addr(1, 0) && h[3].ask.b == pmem_addr(3, 0x5000));
    }
    m.sim->options.model = SIM_RTL; // reaches client memory by messages only
    pmem_window_remove(m.memory, offset);
    place_windows(m.sim);
    assert_int_equal(told[1].count, 4);
    m.sim->options.model = SIM_GOLDEN;
    place_windows(m.sim);
    assert_int_equal(told[1].count, 5);
    machine_end(&m);
    pmem_slab_give(m.memory, 1, 3 * granule); // nobody is told any more
    assert_int_equal(told[1].count, 5);
    end(&m);
}

static void without_workers(void **state)
{
    (void)state;
    struct hand *h = hand_open(1, true, NULL);
    assert_int_equal(place_workers(h->sim), 0);
    assert_true(place_sum(h->sim, PLACE_CPU) == 0);
    assert_int_equal(place_lost(h->sim), STATUS_OK);
    assert_int_equal(sim_lost(h->sim), STATUS_OK);
    place_end(h->sim);
    hand_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_and_answers),
        cmocka_unit_test(workers_are_told_of_memory),
        cmocka_unit_test(without_workers),
    };
    return cmocka_run_group_tests(tests, shared_make, NULL);
}
