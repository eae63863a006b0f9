/* SPDX-License-Identifier: Apache-2.0
 * What the firmware does with a translation that the L2 TLB withholds: asks for another look where the page is there by
 * now, behind the writes of page tables; leaves a locked one to who has locked it; asks the owner for one that is not
 * there; denies it.  An answer that the L2 TLB refuses is given anew when it is on again.
 */
#include "../firmware/cp_bench.h"
#include "firmware/cp_private.h"
#include "maintenance/control.h"

#define PAGE_VA (VA + 0x5000)

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

static void report(struct bench *b, uint8_t vmid, uint64_t va, uint8_t rights)
{
    const struct msg_cp_evt evt = {.kind = CP_EVT_XLAT, .vmid = vmid, .status = rights, .va = va};
    cp_event(b->cp[0], &evt);
}

/* One command more, this one. */
static void answered(struct bench *b, unsigned before, uint64_t va, uint64_t bytes, uint32_t flags)
{
    assert_int_equal(commands(b, CP_XLAT), before + 1);
    const struct msg_cp_cmd *cmd = command_last(b, CP_XLAT);
    assert_int_equal(cmd->vmid, 1);
    assert_int_equal(cmd->root, va);
    assert_int_equal(cmd->pc, bytes);
    assert_int_equal(cmd->flags, flags);
}

static void a_page_that_is_there(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    report(b, 1, PAGE_VA, 2);
    answered(b, 0, PAGE_VA, 4096, 0);
    assert_int_equal(b->withheld, 0);
    report(b, 7, PAGE_VA, 2); /* nobody's */
    assert_int_equal(commands(b, CP_XLAT), 1);
}

/* The owner has it mapped, which takes a while, or lets it fail. */
static void a_page_that_is_not(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    b->takes = true;
    report(b, 1, VA + GTT_BYTES + 0x3000, 4);
    assert_int_equal(b->withheld, 1);
    assert_int_equal(b->withheld_va, VA + GTT_BYTES + 0x3000);
    assert_int_equal(b->withheld_rights, PTE_X);
    assert_int_equal(commands(b, CP_XLAT), 0);
    cp_tables_write(b->cp[0], pmem_addr(1, (UINT64_C(64) << 20) - 4096), &(uint64_t){0x11}, 8); /* is under way */
    cp_space_answer(b->cp[0], &b->space[0][0], VA + GTT_BYTES + 0x3000, 8192, false);
    assert_int_equal(commands(b, CP_XLAT), 0);
    run(b);
    answered(b, 0, VA + GTT_BYTES + 0x3000, 8192, 0);
    b->takes = false;
    report(b, 1, VA + GTT_BYTES, 3);
    assert_int_equal(b->withheld_rights, PTE_R | PTE_W);
    answered(b, 1, VA + GTT_BYTES, 4096, XLAT_DENY);
    cp_space_answer(b->cp[0], &b->space[0][0], 0, 0, true);
    answered(b, 2, 0, 0, XLAT_DENY);
}

static void a_locked_page(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    assert_int_equal(pagetable_lock(b->space[0][0].pt, PAGE_VA, 4096, true), 0);
    report(b, 1, PAGE_VA, 1);
    assert_int_equal(commands(b, CP_XLAT), 0);
    assert_int_equal(b->withheld, 0);
    assert_int_equal(pagetable_lock(b->space[0][0].pt, PAGE_VA, 4096, false), 0);
    cp_space_answer(b->cp[0], &b->space[0][0], PAGE_VA, 4096, false);
    answered(b, 0, PAGE_VA, 4096, 0);
}

/* Everything is looked up again. */
static void a_refused_answer(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    fake_cache_status = CTL_ERROR_OFF;
    report(b, 1, PAGE_VA, 1);
    run(b);
    fake_cache_status = CTL_OK;
    const unsigned before = commands(b, CP_XLAT);
    control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL);
    run(b);
    assert_int_equal(commands(b, CP_XLAT), before + 1);
    const struct msg_cp_cmd *cmd = command_last(b, CP_XLAT);
    assert_true(cmd->vmid == 255 && cmd->root == 0 && cmd->pc == 0 && cmd->flags == 0);
    control_enable(b->cp[0], CTL_GROUP_UTCL2, CP_ALL, NULL, NULL); /* nothing is refused any more */
    run(b);
    assert_int_equal(commands(b, CP_XLAT), before + 1);
}

/* A space that is being killed has had its answer. */
static void a_killed_space(void **state)
{
    struct bench *b = *state;
    one_runs(b);
    cp_space_close(b->cp[0], &b->space[0][0]);
    assert_true(b->space[0][0].killing);
    report(b, 1, PAGE_VA, 1);
    assert_int_equal(commands(b, CP_XLAT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_that_is_there, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(a_page_that_is_not, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(a_locked_page, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(a_refused_answer, bench_setup, bench_teardown),
        cmocka_unit_test_setup_teardown(a_killed_space, bench_setup, bench_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
