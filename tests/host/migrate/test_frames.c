/* SPDX-License-Identifier: Apache-2.0
 * Empty frames of a GPU: whole granules come and go, blocks are aligned, nobody gets one twice, none left is an answer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "migrate/frames.h"

#define GRANULE (4 * FRAMES_BLOCK)
#define GRANULES 8u
#define PAGES (GRANULE / FRAMES_SMALL)

struct owner {
    bool given[GRANULES]; /* to the frames */
    unsigned left, takes;
};

static uint64_t take(void *ctx, unsigned gpu)
{
    struct owner *o = ctx;
    assert_int_equal(gpu, 3);
    o->takes++;
    for (unsigned g = GRANULES; g-- > 0 && o->left;)
        if (!o->given[g]) {
            o->given[g] = true;
            o->left--;
            return g * GRANULE;
        }
    return FRAMES_NONE;
}

static void give(void *ctx, unsigned gpu, uint64_t at)
{
    struct owner *o = ctx;
    assert_int_equal(gpu, 3);
    assert_true(at % GRANULE == 0 && o->given[at / GRANULE]);
    o->given[at / GRANULE] = false;
    o->left++;
}

static void open_frames(struct frames *f, struct owner *o, unsigned left)
{
    *o = (struct owner){.left = left};
    const struct frames_source source = {.ctx = o, .granule = GRANULE, .take = take, .give = give};
    frames_init(f, 3, GRANULES * GRANULE, &source);
}

static void granules_come_and_go(void **state)
{
    struct frames f;
    struct owner o;
    uint64_t at[PAGES + 1];
    (void)state;
    open_frames(&f, &o, 2);
    assert_int_equal(o.takes, 0); /* nothing is kept ready */
    for (unsigned i = 0; i <= PAGES; i++) {
        at[i] = frames_take(&f, FRAMES_SMALL);
        assert_true(at[i] / GRANULE == (i < PAGES ? 7 : 6) && frames_has(&f, at[i]));
    }
    assert_int_equal(o.left, 0);
    frames_give(&f, at[PAGES]);
    assert_false(o.given[6] || frames_has(&f, at[PAGES]));
    for (unsigned i = 0; i < PAGES; i++) {
        assert_true(o.given[7]);
        frames_give(&f, at[i]);
    }
    assert_false(o.given[7]);
    assert_int_equal(f.used_bytes, 0);
    frames_fini(&f);
}

/* shows S1.8: A GPU without empty frames says so, and gives what comes back. */
static void none_is_left(void **state)
{
    struct frames f;
    struct owner o;
    (void)state;
    open_frames(&f, &o, 0);
    assert_true(frames_take(&f, FRAMES_SMALL) == FRAMES_NONE);
    o.left = 1;
    const uint64_t small = frames_take(&f, FRAMES_SMALL);
    uint64_t block[3];
    for (unsigned i = 0; i < 3; i++) {
        block[i] = frames_take(&f, FRAMES_BLOCK);
        assert_true(block[i] % FRAMES_BLOCK == 0 && block[i] / GRANULE == 7);
    }
    assert_true(frames_take(&f, FRAMES_BLOCK) == FRAMES_NONE); /* there are pages, and no block */
    for (unsigned i = 1; i < FRAMES_BLOCK / FRAMES_SMALL; i++)
        assert_true(frames_take(&f, FRAMES_SMALL) != FRAMES_NONE);
    assert_true(frames_take(&f, FRAMES_SMALL) == FRAMES_NONE);
    frames_give(&f, small);
    assert_true(frames_take(&f, FRAMES_SMALL) == small);
    for (uint64_t p = 0; p < FRAMES_BLOCK; p += FRAMES_SMALL) /* a block comes back by pages */
        frames_give(&f, block[1] + p);
    assert_true(frames_take(&f, FRAMES_BLOCK) == block[1]);
    frames_fini(&f);
}

static void nobody_gets_one_twice(void **state)
{
    static uint8_t mine[GRANULES * PAGES];
    struct frames f;
    struct owner o;
    (void)state;
    srand(5);
    open_frames(&f, &o, GRANULES);
    for (unsigned n = 0; n < 20000; n++) {
        const uint64_t bytes = rand() % 8 ? FRAMES_SMALL : FRAMES_BLOCK;
        const bool fill = n / 1000 % 2 == 0;
        const uint64_t at = fill || rand() % 4 == 0 ? frames_take(&f, bytes) : FRAMES_NONE;
        for (uint64_t p = at; at != FRAMES_NONE && p < at + bytes; p += FRAMES_SMALL) {
            assert_int_equal(mine[p / FRAMES_SMALL], 0);
            mine[p / FRAMES_SMALL] = 1;
        }
        for (unsigned k = 0; k < 3; k++) {
            const unsigned p = (unsigned)rand() % (GRANULES * PAGES);
            if (mine[p] && (!fill || k == 0)) {
                mine[p] = 0;
                frames_give(&f, p * FRAMES_SMALL);
            }
        }
        unsigned used = 0;
        for (unsigned p = 0; p < GRANULES * PAGES; p++)
            used += mine[p];
        assert_true(f.used_bytes == used * FRAMES_SMALL);
    }
    frames_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(granules_come_and_go),
        cmocka_unit_test(none_is_left),
        cmocka_unit_test(nobody_gets_one_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
