/* SPDX-License-Identifier: Apache-2.0
 * Pages that a GPU is told of by lists: what the commands name, behind writes of page tables too; several shoot-downs
 * of which the last one alone waits for accesses are done with it; one that was refused is sent again whole.
 */
#include "cp_bench.h"
#include "firmware/cp_private.h"
#include "maintenance/control.h"

#define COMMAND (2 * fake_latency + fake_cache_cycles) /* from a command to its answer */
#define BYTES 4096u

static const uint64_t pages[CP_PAGES] = {VA,           VA + 0x7000,  VA + 0x3000,  VA + 0x10000,
                                         VA + 0x12000, VA + 0x14000, VA + 0x16000, VA + 0x18000};

static uint64_t endless(struct sim *sim, unsigned gpu, const struct msg_cp_cmd *cmd, struct msg_cp_evt *evt)
{
    (void)sim, (void)gpu, (void)cmd, (void)evt;
    return 0;
}

static void one_runs(struct bench *b)
{
    fake_launch = endless;
    fake_memory[0] = 100;
    fake_cache_status = CTL_OK;
    queue_open(b, 0, 0, 0);
    kernel_put(b, 0, 0x0002, 0);
    ring(b, 0);
    run(b);
    assert_int_equal(b->space[0][0].busy, 1);
}

/* The last command of this kind names the first `count` of them. */
static void names(struct bench *b, unsigned kind, uint32_t flags, size_t count)
{
    struct msg_cp_pages list;
    memcpy(&list, command_last(b, kind), sizeof list);
    assert_int_equal(list.vmid, 1);
    assert_int_equal(list.flags, flags);
    assert_int_equal(list.bytes, BYTES);
    assert_int_equal(list.pages, count);
    assert_int_equal(list.root, 0);
    for (size_t i = 0; i < CP_PAGES; i++)
        assert_int_equal(list.page[i], i < count ? pages[i] : 0);
}

/* shows S1.9 */
static void lists_are_named(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    for (size_t count = 2; count <= CP_PAGES; count++) {
        cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, count, BYTES, false);
        names(b, CP_CACHE, CACHE_INV_TLB, count);
        cp_pages_answer(b->cp[0], &b->space[0][0], pages, count, BYTES);
        names(b, CP_XLAT, 0, count);
    }
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages + 1, 1, BYTES, true);
    const struct msg_cp_cmd *one = command_last(b, CP_CACHE); /* of one page it is a range */
    assert_true(one->root == pages[1] && one->pc == BYTES && one->flags == (CACHE_INV_TLB | CACHE_MORE));
    assert_int_equal(one->rsrc1, 0);
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 1, BYTES, false);
    run(b);
}

static void all_are_done_with_the_last(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    const uint64_t now = sim_now(b->sim);
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 3, BYTES, true);
    names(b, CP_CACHE, CACHE_INV_TLB | CACHE_MORE, 3);
    sim_run(b->sim, now + 10);
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 8, BYTES, true);
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 2, BYTES, false);
    sim_run(b->sim, now + COMMAND + 5);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 0); /* the first was answered */
    sim_run(b->sim, now + COMMAND + 9);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 0);
    sim_run(b->sim, now + COMMAND + 10);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 3);
    assert_int_equal(b->shootdowns, 3);
}

/* Nothing is sent before page tables are written, and then in this order. */
static void lists_stand_behind_writes(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    const unsigned before = commands(b, CP_CACHE), xlat = commands(b, CP_XLAT);
    const uint64_t entry[8] = {0};
    cp_tables_write(b->cp[0], pmem_addr(1, b->cp[0]->config.tables_base), entry, sizeof entry);
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 8, BYTES, true);
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 4, BYTES, false);
    cp_pages_answer(b->cp[0], &b->space[0][0], pages, 5, BYTES);
    assert_true(commands(b, CP_CACHE) == before && commands(b, CP_XLAT) == xlat);
    run(b);
    assert_true(commands(b, CP_CACHE) == before + 2 && commands(b, CP_XLAT) == xlat + 1);
    names(b, CP_CACHE, CACHE_INV_TLB, 4);
    names(b, CP_XLAT, 0, 5);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 2);
}

/* What followed it may have been answered meanwhile: it waits for accesses by itself. */
static void a_refused_list_is_sent_again(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    fake_cache_status = CTL_ERROR_OFF;
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 6, BYTES, true);
    sim_run(b->sim, sim_now(b->sim) + COMMAND);
    fake_cache_status = CTL_OK;
    cp_pages_shootdown(b->cp[0], &b->space[0][0], pages, 2, BYTES, false);
    run(b);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 0);
    const unsigned before = commands(b, CP_CACHE);
    control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
    run(b);
    assert_int_equal(commands(b, CP_CACHE), before + 1);
    names(b, CP_CACHE, CACHE_INV_TLB, 6);
    assert_int_equal(cp_shootdowns_done(b->cp[0]), 2);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, bench_setup, bench_teardown)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lists_are_named),
        TEST(all_are_done_with_the_last),
        TEST(lists_stand_behind_writes),
        TEST(a_refused_list_is_sent_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
