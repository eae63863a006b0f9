/* SPDX-License-Identifier: Apache-2.0
 * Lock step while a page moves: a store or atomic is compared with what it was to a page, whatever address that had
 * when its request left; memory is what the page holds, wherever it is; and what is wrong is still found.
 */
#include "lockstep/lockstep_private.h"
#include "lockstep_cu.h"

#define PAGE_AT pmem_addr(1, 0x40000)

/* v4:5 the lane's word; flat_store of v3, or atomic add of v0; v_movs; end */
static const uint32_t stores[] = {0x24060082, 0x32080600, 0x7e0a0201, 0x380a0a80, 0xdc700000,
                                  0x00000304, 0x7e0c0281, 0x7e0e0282, 0xbf810000};
static const uint32_t adds[] = {0x24060082, 0x32080600, 0x7e0a0201, 0x380a0a80, 0xdd080000,
                                0x00000004, 0x7e0c0281, 0x7e0e0282, 0xbf810000};
static const uint32_t loads[] = {0x24060082, 0x32080600, 0x7e0a0201, 0x380a0a80,
                                 0xdc500000, 0x06000004, 0x7e0e0282, 0xbf810000};

static void copy(uint64_t to)
{
    uint8_t bytes[4096];
    assert_int_equal(pmem_read(memory, pmem_frame_of(memory, PAGE_AT), bytes, sizeof bytes), 0);
    assert_int_equal(pmem_write(memory, to, bytes, sizeof bytes), 0);
    pmem_move(memory, PAGE_AT, to, true);
}

/* How far the move has come when the instruction is compared. */
enum moment { STAYS, LOCKED, BOUND, MOVED, MOVED_ON, MOMENTS };

static void lock(void)
{
    assert_int_equal(pagetable_lock(table, DATA, 4096, true), 0);
}

static void unlock(uint64_t at)
{
    assert_int_equal(pagetable_map(table, DATA, at, 4096, PTE_R | PTE_W), 0);
}

static void change(enum moment moment, uint64_t to)
{
    if (moment == STAYS)
        return;
    lock();
    if (moment == LOCKED)
        return;
    copy(to);
    if (moment == BOUND)
        return;
    unlock(to);
    if (moment != MOVED_ON)
        return;
    lock();
    copy(pmem_addr(1, 0x90000));
}

static void one_case(const uint32_t *code, size_t bytes, enum lie what, enum moment moment, uint64_t to, bool home)
{
    memory = pmem_new(2, UINT64_C(256) << 20, UINT64_C(16) << 20);
    table = pagetable_new(memory, 0);
    assert_int_equal(pagetable_map(table, CODE, pmem_addr(1, 0x10000), 0x10000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, DATA, PAGE_AT, 4096, PTE_R | PTE_W), 0);
    if (!home) { /* it has moved before */
        lock();
        copy(pmem_addr(2, 0x30000));
        unlock(pmem_addr(2, 0x30000));
    }
    pagetable_write(table, CODE, code, bytes);
    lie = what;
    difference[0] = 0;
    slow_store = true;
    struct gcn3_wave w = begin_program();
    for (unsigned k = 0; k < 5; k++)
        one_instruction(&w); /* its request has left, and taken effect */
    cycle += 1000;
    change(moment, to);
    while (!w.ended)
        one_instruction(&w);
    lockstep_observe(ls, 0, 1, LOCKSTEP_DONE, 6, cycle, held);
    cycle += 200;
    struct msg_cu_evt evt = {.kind = CU_EVT_WAVE_DONE, .wave = 5, .vmid = 3, .instructions = w.instructions};
    lockstep_cu_evt(ls, 0, 1, cycle, &evt);
    lockstep_finish(ls);
    const bool elsewhere = what == STORE_LOST && !home; /* it takes effect in another GPU, which is not looked at */
    if (found != (what != TRUTH && !elsewhere))
        fail_msg("moment %u, lie %u: %s", moment, what, found ? difference : "not found");
    assert_true(what == TRUTH || told);
    slow_store = false;
    lockstep_free(ls);
    pagetable_free(table);
    pmem_free(memory);
}

/* shows B.6 */
static void the_page_moves_before_it_is_compared(void **unused)
{
    (void)unused;
    for (enum moment m = STAYS; m < MOMENTS; m++)
        for (unsigned way = 0; way < 4; way++) {
            const bool home = way & 1;
            const uint64_t to = way & 2 ? pmem_addr(2, 0x50000) : pmem_addr(1, 0x80000);
            one_case(stores, sizeof stores, TRUTH, m, to, home);
            one_case(stores, sizeof stores, STORE_VALUE, m, to, home);
            one_case(stores, sizeof stores, STORE_LANE, m, to, home);
            one_case(adds, sizeof adds, TRUTH, m, to, home);
            one_case(adds, sizeof adds, ATOMIC_WRONG, m, to, home);
            one_case(loads, sizeof loads, TRUTH, m, to, home);
            one_case(loads, sizeof loads, LOAD_WRONG, m, to, home);
        }
    one_case(stores, sizeof stores, STORE_LOST, MOVED, pmem_addr(2, 0x50000), true);
    one_case(stores, sizeof stores, STORE_LOST, MOVED, pmem_addr(1, 0x80000), false);
}

/* What the L2 of the new home holds is the page's, what it held of the frame before is not. */
static void what_caches_hold_is_the_page_s(void **unused)
{
    (void)unused;
    const uint64_t frame = pmem_addr(2, 0x50000);
    uint8_t byte = 0;
    memory = pmem_new(2, UINT64_C(256) << 20, UINT64_C(16) << 20);
    ls = lockstep_new(memory, 2, 1, NULL, NULL);
    struct lockstep_order r = {.op = MEM_WRITE, .source = 200, .addr = PAGE_AT, .mask = 1, .data = {7}};
    lockstep_order(ls, 0, 100, &r); /* dirty in the L2 of the old home, and written back */
    struct msg_dram_req out = {.write = 1, .addr = PAGE_AT & UINT64_C(0xffffffffffff), .mask = 1, .data = {7}};
    lockstep_dram(ls, 0, 200, &out);
    pmem_write(memory, PAGE_AT, &(uint8_t){7}, 1);
    copy(frame);
    assert_int_equal(ls_read(ls, PAGE_AT, &byte, 1), 0);
    assert_int_equal(byte, 7);
    r.addr = frame;
    r.data[0] = 9;
    lockstep_order(ls, 1, 300, &r);
    assert_int_equal(ls_read(ls, PAGE_AT, &byte, 1), 0);
    assert_int_equal(byte, 9);
    out.addr = frame & UINT64_C(0xffffffffffff);
    out.data[0] = 9;
    lockstep_dram(ls, 1, 400, &out);
    pmem_write(memory, frame, &(uint8_t){11}, 1); /* in memory from now on */
    assert_int_equal(ls_read(ls, PAGE_AT, &byte, 1), 0);
    assert_int_equal(byte, 11);
    lockstep_free(ls);
    pmem_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_moves_before_it_is_compared),
        cmocka_unit_test(what_caches_hold_is_the_page_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
