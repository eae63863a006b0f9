// SPDX-License-Identifier: Apache-2.0
// Lines accessed last, against a plain list that is searched: after any accesses the set holds the same lines in the
// same order, with few and with many places, hits, evictions, notes that add nothing, and after it was emptied.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden/touched.h"

#define MOST 300

/* The model: lines in the order of use. */
struct list {
    uint64_t line[MOST];
    unsigned count, most;
};

static void list_note(struct list *l, uint64_t at, bool add)
{
    const uint64_t line = at & ~UINT64_C(63);
    unsigned n = 0;
    while (n < l->count && l->line[n] != line)
        n++;
    if (n == l->count && !add)
        return;
    if (n == l->count && l->count == l->most)
        n = 0; /* the oldest goes */
    else if (n == l->count)
        l->count++;
    memmove(&l->line[n], &l->line[n + 1], (l->count - n - 1) * sizeof *l->line);
    l->line[l->count - 1] = line;
}

struct walk {
    const struct list *list;
    unsigned n;
};

static void line_is(void *ctx, uint64_t at)
{
    struct walk *w = ctx;
    assert_true(w->n < w->list->count);
    assert_int_equal(at, w->list->line[w->n++]);
}

static void equal(const struct touched *t, const struct list *l)
{
    struct walk w = {l, 0};
    touched_each(t, line_is, &w);
    assert_int_equal(w.n, l->count);
}

/* Any accesses, few lines to many. */
static void test_order_of_use(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (unsigned most = 1; most <= MOST; most = most < 5 ? most + 1 : most * 2 + 1) {
        struct touched *t = touched_new(most);
        struct list l = {.most = most};
        equal(t, &l);
        for (unsigned n = 0; n < 4000; n++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            const uint64_t at = (seed >> 33) % (most * 3 * 64) + (UINT64_C(1) << 35);
            const bool add = seed >> 62 != 0;
            touched_note(t, at, add);
            list_note(&l, at, add);
            if (n % 97 == 0)
                equal(t, &l);
            if (n == 2000) {
                touched_clear(t);
                l.count = 0;
                equal(t, &l);
            }
        }
        assert_int_equal(l.count, most); /* it was full */
        equal(t, &l);
        touched_free(t);
    }
    touched_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order_of_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
