/* SPDX-License-Identifier: Apache-2.0
 * Frames that pages have left while kernels run: no cache is told to drop what it holds of them before a frame is
 * wanted, its memory is freed, or nothing runs.  Not responsible for: pages that are not written back
 * (test_moves_left.c).
 */
#include "carried_bench.h"

/* All commands to caches of compute units, those of shoot-downs apart. */
static unsigned drops(struct bench *b, unsigned log)
{
    unsigned n = 0;
    for (unsigned g = 0; g < GPUS; g++)
        n += commands(b, log, g, CP_CACHE, CACHE_INV_L1V);
    return n;
}

static void pages_leave(struct bench *b, uint64_t page, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(migrate_add(b->d->migrate, page + i * PAGE, PAGE, 1), 0);
    migrate_go(b->d->migrate);
    moves_end(b);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(home_of(b, page + i * PAGE), 1);
}

/* A kernel that does not end, of the process whose pages move. */
static void kernel_begin(struct bench *b, struct sender *s)
{
    *s = sender_new(b, 0, 1, 1);
    fake_launch = endless;
    sender_run(b, s);
    machine_run(b->d->machine, machine_now(b->d->machine) + 2000);
}

/* A kernel keeps its caches while four pages leave, and loses them once when one is to come home. */
static void caches_are_told_when_a_frame_is_wanted(void **state)
{
    struct bench *b = *state;
    struct sender s;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 5, &page);
    kernel_begin(b, &s);
    const unsigned log = fake(b)->logged;
    pages_leave(b, page, 4);
    machine_run(b->d->machine, machine_now(b->d->machine) + 20000);
    assert_int_equal(drops(b, log), 0);
    assert_true(quarantine_empty(b->d) && b->d->migrate->rest.count == 4);
    assert_int_equal(move(b, page + PAGE, PAGE, 0), -EAGAIN);
    assert_int_equal(b->d->migrate->rest.count, 0);
    machine_run(b->d->machine, machine_now(b->d->machine) + 20000);
    assert_true(drops(b, log) >= 1 && quarantine_empty(b->d));
    const unsigned told = drops(b, log);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(move(b, page + i * PAGE, PAGE, 0), 0);
    moves_end(b);
    assert_int_equal(drops(b, log), told);
    assert_int_equal(home_of(b, page), 0);
    words_are(b, 0, 2, AT, BYTES, 5);
    fake_launch = NULL;
}

/* Nothing runs: it costs nothing, and is done at once. */
static void nothing_rests_without_kernels(void **state)
{
    struct bench *b = *state;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 6, &page);
    pages_leave(b, page, 4);
    assert_int_equal(b->d->migrate->rest.count, 0);
    run_dry(b);
    assert_true(quarantine_empty(b->d));
    assert_int_equal(move(b, page, PAGE, 0), 0);
    moves_end(b);
}

/* Memory that is freed while its first frames rest: its next owner gets it when caches have dropped what they held. */
static void memory_is_not_handed_on_with_lines(void **state)
{
    struct bench *b = *state;
    struct sender s;
    uint64_t page;
    rtl_begin(b);
    const uint64_t all = b->d->vram[0].arena.free_bytes, h = object_new_at(b, 0, AT, BYTES, 7, &page);
    kernel_begin(b, &s);
    pages_leave(b, page, 3);
    const unsigned log = fake(b)->logged;
    memory_end(b, 0, h);
    assert_int_equal(b->d->migrate->rest.count, 0);
    assert_true(!quarantine_empty(b->d) && b->d->vram[0].arena.free_bytes < all);
    run_dry(b);
    assert_true(quarantine_empty(b->d) && drops(b, log) >= 1);
    assert_int_equal(b->d->vram[0].arena.free_bytes, all);
    assert_int_equal(b->d->migrate->away.frames[1].used_bytes, 0);
    fake_launch = NULL;
}

/* Frames that rest are bounded. */
static void so_many_rest(void **state)
{
    struct bench *b = *state;
    struct migrate *m = b->d->migrate;
    struct sender s;
    uint64_t page;
    rtl_begin(b);
    object_new_at(b, 0, AT, BYTES, 8, &page);
    kernel_begin(b, &s);
    const uint64_t frame = pmem_addr(2, b->d->vram[1].granule * 7); /* nobody's: emptied in vain */
    for (unsigned i = 0; i < REST_MOST - 1; i++)
        rest_put(m, page, frame);
    assert_int_equal(m->rest.count, REST_MOST - 1);
    const unsigned log = fake(b)->logged;
    rest_put(m, page, frame);
    assert_int_equal(m->rest.count, 0);
    run_dry(b);
    assert_true(drops(b, log) > 0 && quarantine_empty(b->d));
    fake_launch = NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(caches_are_told_when_a_frame_is_wanted),
        TEST(nothing_rests_without_kernels),
        TEST(memory_is_not_handed_on_with_lines),
        TEST(so_many_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
