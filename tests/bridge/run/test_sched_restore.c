// SPDX-License-Identifier: Apache-2.0
// A machine of toy partitions that is saved between any two windows and put into a new machine of the same graph goes
// on to the same history, with any number of host threads, in one process or two, twice from the same bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/advance.h"
#include "halves_bench.h"

static void test_it_goes_on(void **state)
{
    struct bench whole, first, then;
    unsigned busy = 0, late = 0; /* so that the moments were worth looking at */
    (void)state;
    bench_open(&whole, 1, 64);
    bench_run(&whole, END);
    assert_true(bench_history(&whole) != 0 && sched_visits(&whole.sched) > 5000);
    for (unsigned n = 0; n < 12; n++) {
        struct state_buffer saved;
        state_buffer_init(&saved);
        bench_open(&first, 1 + n % 2, 64);
        bench_run(&first, n * n * 149);
        sched_save(&first.sched, &saved.writer);
        const uint64_t hash = sched_state_hash(&first.sched);
        for (unsigned i = 0; i < TOYS; i++)
            busy += !first.sched.parts[i]->idle;
        for (unsigned i = 0; i < GROUPS; i++)
            late += first.sched.groups[i].late.count > 0;
        for (unsigned threads = 1; threads <= 3; threads++) {
            bench_open(&then, threads, 64);
            bench_run(&then, threads == 3 ? 5000 : 0); /* whatever it has done before */
            bench_restore(&then, &saved);
            assert_true(sched_state_hash(&then.sched) == hash);
            assert_int_equal(then.sched.now, first.sched.now);
            assert_int_equal(sched_next(&then.sched), sched_next(&first.sched));
            bench_run(&then, END);
            assert_true(bench_history(&then) == bench_history(&whole));
            assert_true(sched_state_hash(&then.sched) == sched_state_hash(&whole.sched));
            bench_close(&then);
        }
        bench_run(&first, END); /* saving has changed nothing */
        assert_true(bench_history(&first) == bench_history(&whole));
        bench_close(&first);
        free(saved.bytes);
    }
    assert_true(busy > 0 && late > 0);
    bench_close(&whole);
}

static void half_restore(struct half *h, struct state_buffer *state)
{
    state->taken = 0;
    assert_true(sched_restore(&h->sched, &state->reader));
    assert_int_equal(state->taken, state->count);
    for (uint32_t i = 0; i < h->sched.import_count; i++)
        h->under_way += channel_count(&h->sched.imports[i]->channel);
}

/* shows B.5: Saved in one process, each half of the machine takes its own: no message under way between them is lost,
 * doubled or early, whatever its number is by then; the next ones wait for the link and the port as before. */
static void test_it_goes_on_in_two_halves(void **state)
{
    struct bench whole, first;
    struct half half[2];
    size_t under_way = 0;
    (void)state;
    bench_open(&whole, 1, 512);
    bench_run(&whole, END);
    for (unsigned n = 0; n < 10; n++) {
        struct state_buffer saved;
        struct ring *rings[3 * TOYS] = {NULL};
        state_buffer_init(&saved);
        bench_open(&first, 1, 512);
        bench_run(&first, n * n * 230);
        sched_save(&first.sched, &saved.writer);
        for (unsigned i = 0; i < 2; i++)
            half_open(&half[i], rings, i, 512);
        assert_true(sched_graph(&half[0].sched) + sched_graph(&half[1].sched) == sched_graph(&first.sched));
        for (unsigned i = 0; i < 2; i++) {
            half_restore(&half[i], &saved);
            under_way += half[i].under_way;
        }
        for (enum sched_end end[2] = {SCHED_BLOCKED, SCHED_BLOCKED}; end[0] != SCHED_UNTIL || end[1] != SCHED_UNTIL;)
            for (unsigned i = 0; i < 2; i++)
                end[i] = sched_advance(&half[i].sched, END);
        for (unsigned i = 0; i < TOYS; i++) {
            const struct half *h = &half[half[0].parts[i]->elsewhere];
            assert_true(h->toys[i].history == whole.toys[i].history);
            assert_int_equal(h->parts[i]->visits, whole.sched.parts[i]->visits);
        }
        for (unsigned i = 0; i < 2; i++)
            sched_fini(&half[i].sched);
        for (unsigned i = 0; i < 3 * TOYS; i++)
            free(rings[i]);
        bench_close(&first);
        free(saved.bytes);
    }
    assert_true(under_way > 100);
    bench_close(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_goes_on),
        cmocka_unit_test(test_it_goes_on_in_two_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
