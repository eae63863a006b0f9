// SPDX-License-Identifier: Apache-2.0
// A scheduler as it is made: numbers, groups and the bounds that follow from channels.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bridge/run/sched_share.h"
#include "toy.h"

/* ---- groups and bounds */
static void test_stretch(void **state)
{
    static const uint32_t latencies[] = {8, 15, 16, 23, 24, 63, 64, 71, 72, 1000},
                          stretch[] = {1, 1, 2, 2, 3, 7, 8, 8, 8, 8};
    (void)state;
    for (unsigned n = 0; n < sizeof latencies / sizeof *latencies; n++) {
        struct sched s;
        sched_init(&s);
        struct part *a = add(&s, "a", 0), *b = add(&s, "b", 0), *c = add(&s, "c", 1);
        struct wire *within = sched_connect(&s, a, 0, b, 0, 8, 8, 4), /* says nothing about groups */
            *across = sched_connect(&s, b, 1, c, 2, 8, latencies[n], 4);
        sched_connect(&s, c, 0, a, 0, 8, 2000, 4);
        assert_true(sched_start(&s));
        assert_int_equal(s.stretch, stretch[n]);
        assert_true(!within->crosses && across->crosses && !across->silent);
        assert_true(across->from == b && across->to == c && across->to_slot == 2);
        assert_true(b->out[1] == across && c->in[2] == across);
        sched_fini(&s);
    }
}

/* Wake-ups beyond the wheel: one a partition and one a message that may be inside of what comes to the group; mail: all
 * that may be inside of what leaves it, and none on one thread. */
static void test_bounds(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct sched s;
        sched_init(&s);
        s.threads = threads;
        struct part *a = add(&s, "a", 0), *b = add(&s, "b", 1), *c = add(&s, "c", 1);
        sched_connect(&s, a, 0, b, 0, 9, 16, 5);
        sched_connect(&s, a, 1, c, 0, 0, 16, 3);
        sched_connect(&s, b, 0, c, 1, 8, 16, 100);
        sched_connect(&s, c, 0, a, 0, 8, 16, 7);
        assert_true(sched_start(&s));
        assert_int_equal(s.group_count, 2);
        assert_true(s.groups[0].count == 1 && s.groups[1].count == 2);
        assert_int_equal(s.groups[0].late.limit, 1 + 7);
        assert_int_equal(s.groups[1].late.limit, 2 + 5 + 3 + 100);
        assert_int_equal(s.groups[0].outbox_room, threads == 2 ? 5 * (16 + 16) + 3 * 16 : 0);
        assert_int_equal(s.groups[1].outbox_room, threads == 2 ? 7 * (16 + 8) : 0);
        assert_int_equal(s.groups[0].outbox != NULL, threads == 2);
        assert_int_equal(s.team != NULL, threads == 2);
        sched_fini(&s);
    }
}

/* Partitions and channels are numbered in the order of assembly, also those that are elsewhere; within a group in the
 * order of visits.  Who is busy at first is visited at first, wherever in the set it stands. */
static void test_numbers(void **state)
{
    (void)state;
    for (unsigned busy = 0; busy < 130; busy += busy == 0 ? 63 : busy == 63 ? 1 : 65) {
        struct sched s;
        struct part *parts[130];
        sched_init(&s);
        for (unsigned i = 0; i < 3; i++) {
            struct part *far = part_elsewhere("far", 1, 1, 1);
            far->ops = &toy;
            sched_add(&s, far);
        }
        for (unsigned i = 0; i < 130; i++)
            parts[i] = add(&s, "p", 0);
        parts[busy]->idle = false;
        assert_true(sched_start(&s));
        assert_true(s.count == 130 && s.other_count == 3 && s.groups[0].words == 3);
        for (unsigned i = 0; i < 130; i++)
            assert_true(parts[i]->index == i && parts[i]->number == i + 3 && parts[i]->sched == &s);
        assert_true(sched_active(&s) == 0 && sched_visited(&s) == 0);
        assert_int_equal(sched_next(&s), 0);
        visits = 0;
        sched_run(&s, 1);
        assert_int_equal(visits, 1);
        assert_int_equal(parts[busy]->visits, 1);
        assert_int_equal(s.now, PART_WINDOW);
        assert_int_equal(sched_active(&s), PART_WINDOW);
        assert_true(sched_quiet(&s));
        sched_wake(&s, parts[129 - busy], 5 * PART_WINDOW + 7);
        assert_int_equal(sched_next(&s), 5 * PART_WINDOW);
        s.now = sched_next(&s);
        sched_run(&s, 1);
        assert_true(visits == 2 && visited == 5 * PART_WINDOW);
        assert_int_equal(sched_active(&s), 6 * PART_WINDOW);
        assert_int_equal(sched_visited(&s), 5 * PART_WINDOW);
        assert_int_equal(sched_visits(&s), 2);
        freed = 0;
        sched_fini(&s);
        assert_int_equal(freed, 133);
    }
}

/* Whatever was there before. */
static void test_init(void **state)
{
    struct sched s, zero;
    (void)state;
    memset(&s, 0xa5, sizeof s);
    memset(&zero, 0, sizeof zero);
    sched_init(&s);
    assert_true(s.horizon == UINT64_MAX && s.limit == UINT64_MAX);
    s.horizon = s.limit = 0;
    assert_memory_equal(&s, &zero, sizeof s);
    sched_init(&s);
    add(&s, "a", 0);
    assert_true(sched_start(&s));
    sched_fini(&s);
    assert_memory_equal(&s, &zero, sizeof s); /* nothing of it is reached any more */
}

/* Sets of partitions have no word more than they need, and all are visited without skipping, whatever their number. */
static void test_sets(void **state)
{
    static const unsigned counts[] = {1, 63, 64, 65, 127, 128, 129};
    (void)state;
    for (unsigned n = 0; n < sizeof counts / sizeof *counts; n++) {
        struct sched s;
        sched_init(&s);
        for (unsigned i = 0; i < counts[n]; i++)
            add(&s, "p", 0);
        assert_true(sched_start(&s));
        assert_int_equal(s.groups[0].words, (counts[n] - 1) / 64 + 1);
        assert_true(sched_quiet(&s));
        s.no_skip = true;
        visits = 0;
        sched_run(&s, 2);
        assert_int_equal(visits, 2 * counts[n]);
        assert_int_equal(sched_active(&s), PART_WINDOW); /* none had a reason */
        sched_fini(&s);
    }
}

/* One wire an input and output, with both ends; without a partner only this one. */
static void test_wires(void **state)
{
    struct sched s;
    (void)state;
    sched_init(&s);
    struct part *a = add(&s, "a", 0), *b = add(&s, "b", 0);
    struct wire *w = sched_wire(&s, a, 3, b, 2), *from = sched_wire(&s, a, 0, NULL, 0),
                *to = sched_wire(&s, NULL, 0, b, 1);
    assert_true(w->from == a && w->to == b && w->to_slot == 2 && a->out[3] == w && b->in[2] == w);
    assert_true(from->from == a && from->to == NULL && a->out[0] == from);
    assert_true(to->from == NULL && to->to == b && to->to_slot == 1 && b->in[1] == to);
    assert_true(s.wire_count == 3 && s.wires[0] == w && s.wires[1] == from && s.wires[2] == to && s.connected == 0);
    struct wire *whole = sched_connect(&s, b, 3, a, 3, 24, 8, 6); /* the least latency there is */
    assert_true(whole->channel.id == 0 && whole->channel.bytes == 24 && whole->channel.latency == 8);
    assert_true(whole->channel.depth == 6 && s.connected == 1);
    assert_string_equal(whole->channel.name, "b -> a");
    sched_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stretch), cmocka_unit_test(test_bounds), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_init),    cmocka_unit_test(test_sets),   cmocka_unit_test(test_wires),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
