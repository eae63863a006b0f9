// SPDX-License-Identifier: Apache-2.0
// host/vm/ranges, arena: held against plain maps; how much work a call takes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "vm/arena.h"
#include "vm/ranges.h"

enum { PLACES = 300, NODES = 120 };

/* Order, height and longest range of the tree, from its definition; its height. */
static unsigned check(const struct range *r, uint64_t from, uint64_t upto, uint64_t *most)
{
    *most = 0;
    if (!r)
        return 0;
    uint64_t below[2];
    assert_true(r->at >= from && r->at + r->bytes <= upto);
    unsigned low = check(r->side[0], from, r->at, &below[0]);
    unsigned high = check(r->side[1], r->at + r->bytes, upto, &below[1]);
    assert_true(low <= high + 1 && high <= low + 1);
    *most = r->bytes;
    for (unsigned s = 0; s < 2; s++)
        *most = below[s] > *most ? below[s] : *most;
    assert_int_equal(r->most, *most);
    assert_int_equal(r->height, 1 + (low > high ? low : high));
    return r->height;
}

static uint64_t begin_of(const struct range *r)
{
    return r ? r->at : UINT64_MAX;
}

/* Each question at each place, against owners[]: 0 free, else number + 1 of the node. */
static void ask(const struct ranges *t, const struct range *nodes, const unsigned owners[PLACES])
{
    uint64_t before = UINT64_MAX;
    for (unsigned p = 0; p < PLACES; p++) {
        uint64_t from = UINT64_MAX, overlap = UINT64_MAX, fits = UINT64_MAX;
        const unsigned bytes = 1 + p % 7;
        for (unsigned q = PLACES; q-- > p;) {
            const struct range *n = owners[q] ? &nodes[owners[q] - 1] : NULL;
            if (n && n->at == q) {
                from = q;
                fits = n->bytes >= bytes ? q : fits;
            }
            if (n && q < p + bytes)
                overlap = n->at;
        }
        assert_int_equal(begin_of(ranges_at(t, p)), owners[p] ? nodes[owners[p] - 1].at : UINT64_MAX);
        assert_int_equal(begin_of(ranges_before(t, p)), before);
        assert_int_equal(begin_of(ranges_from(t, p)), from);
        assert_int_equal(begin_of(ranges_overlap(t, p, bytes)), overlap);
        assert_int_equal(begin_of(ranges_fit(t, p, bytes)), fits);
        before = owners[p] && nodes[owners[p] - 1].at == p ? p : before;
    }
}

static void set(unsigned owners[PLACES], const struct range *r, unsigned value)
{
    for (uint64_t p = r->at; p < r->at + r->bytes; p++)
        owners[p] = value;
}

static void ranges_agree_with_a_map(void **state)
{
    static struct range nodes[NODES];
    static unsigned owners[PLACES];
    struct ranges t = {0};
    uint64_t most;
    (void)state;
    srand(11);
    for (unsigned round = 0; round < 4000; round++) {
        const unsigned n = (unsigned)rand() % NODES;
        struct range *r = &nodes[n];
        const uint64_t at = (uint64_t)rand() % (PLACES - 8), bytes = 1 + (uint64_t)rand() % 8;
        if (r->bytes && rand() % 3) {
            set(owners, r, 0);
            ranges_remove(&t, r);
            r->bytes = 0;
        } else if (r->bytes) { /* into what it has and what is free behind it */
            uint64_t end = r->at + 1;
            while (end < PLACES && (owners[end] == 0 || owners[end] == n + 1))
                end++;
            const uint64_t first = r->at + (uint64_t)rand() % (end - r->at);
            set(owners, r, 0);
            ranges_resize(&t, r, first, 1 + (uint64_t)rand() % (end - first));
            set(owners, r, n + 1);
        } else if (!ranges_overlap(&t, at, bytes)) {
            *r = (struct range){.at = at, .bytes = bytes};
            set(owners, r, n + 1);
            ranges_add(&t, r);
        }
        size_t count = 0;
        for (unsigned i = 0; i < NODES; i++)
            count += nodes[i].bytes != 0;
        assert_int_equal(t.count, count);
        check(t.root, 0, PLACES, &most);
        if (round % 20 == 0)
            ask(&t, nodes, owners);
    }
    assert_null(ranges_at(&t, UINT64_MAX));
    assert_null(ranges_from(&t, UINT64_MAX));
}

/* A tree of 65,536 is at most 1.44 times as high as it must be, in whatever order it grew. */
static void trees_stay_low(void **state)
{
    enum { COUNT = 65536, HIGHEST = 23 };
    struct range *nodes = calloc(COUNT, sizeof *nodes);
    (void)state;
    for (unsigned order = 0; order < 4; order++) {
        struct ranges t = {0};
        for (unsigned i = 0; i < COUNT; i++) {
            const uint64_t at = order == 0   ? i
                                : order == 1 ? COUNT - i
                                : order == 2 ? (i % 2 ? i : 2 * COUNT - i)
                                             : (i * UINT64_C(40503)) % COUNT;
            nodes[i] = (struct range){.at = at, .bytes = 1};
            ranges_add(&t, &nodes[i]);
        }
        assert_int_equal(t.count, COUNT);
        assert_true(t.root->height <= HIGHEST);
        for (unsigned i = 0; i < COUNT - 16; i++)
            ranges_remove(&t, &nodes[order == 1 ? COUNT - 1 - i : i]);
        assert_true(t.count == 16 && t.root->height <= 6);
    }
    free(nodes);
}

/* The first fit is found though 65,536 ranges before it are too small, and as fast as among 1,024. */
static double seconds_of(unsigned holes)
{
    struct arena a;
    struct timespec t[2];
    arena_init(&a, 0, UINT64_C(1) << 40);
    for (unsigned i = 0; i < 2 * holes; i++)
        assert_int_equal(arena_alloc(&a, 1, 1, 0), i);
    for (unsigned i = 0; i < holes; i++)
        arena_free(&a, 2 * i, 1);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t[0]);
    for (unsigned i = 0; i < 20000; i++) {
        assert_int_equal(arena_alloc(&a, 2, 1, 0), 2 * holes);
        arena_free(&a, 2 * holes, 2);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t[1]);
    arena_release(&a);
    return (double)(t[1].tv_sec - t[0].tv_sec) + (double)(t[1].tv_nsec - t[0].tv_nsec) * 1e-9;
}

static void holes_cost_nothing(void **state)
{
    (void)state;
    const double few = seconds_of(1024), many = seconds_of(65536);
    assert_true(many < 12 * few + 0.01);
}

/* `next` leads over what is not wanted; the next of equal length is taken, none is passed over. */
static uint64_t no_thirds(const void *arg, uint64_t at, uint64_t bytes)
{
    (void)bytes;
    ++*(unsigned *)(uintptr_t)arg;
    return at / 16 % 3 == 2 ? (at / 16 + 1) * 16 : at;
}

static void next_is_heard(void **state)
{
    struct arena a;
    unsigned calls = 0;
    (void)state;
    arena_init(&a, 0, 96);
    for (unsigned i = 0; i < 96; i += 2)
        assert_int_equal(arena_alloc(&a, 2, 1, 0), i);
    for (unsigned i = 32; i < 96; i += 4) /* holes of 2, from the third sixteen on */
        arena_free(&a, i, 2);
    assert_int_equal(arena_alloc_where(&a, 2, 1, 0, no_thirds, &calls), 48);
    assert_true(calls <= 3);
    assert_int_equal(arena_alloc_from(&a, 33, 1), 33); /* in the middle of a hole */
    assert_int_equal(arena_alloc_from(&a, 33, 1), 36);
    assert_int_equal(arena_alloc_from(&a, 90, 2), 92);
    assert_int_equal(arena_alloc_from(&a, 90, 1), ARENA_NONE);
    arena_release(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_agree_with_a_map), cmocka_unit_test(trees_stay_low),
                                       cmocka_unit_test(holes_cost_nothing), cmocka_unit_test(next_is_heard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
