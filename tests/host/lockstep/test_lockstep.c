/* SPDX-License-Identifier: Apache-2.0
 * Lock step against an imitation of a compute unit: a second golden wavefront runs a program and reports what an RTL CU
 * would.  A true report gives no difference and compares every instruction; each kind of lie is found, at the
 * instruction that the lie was about, which the message names as LLVM's disassembler does (B.6).
 */
#include "lockstep_cu.h"

/* The instruction and the place that the message must name. */
static const char *const named[LIES] = {
    [VGPR_BIT] = "pc 000000100034: v_add_f32_e32 v7, v6, v6: v7 lane 2: ",
    [VGPR_LANE] = "pc 000000100034: v_add_f32_e32 v7, v6, v6: v7 lane 1: ",
    [EXEC_IGNORED] = "pc 000000100034: v_add_f32_e32 v7, v6, v6: v7 lane 63: ",
    [SCC_WRONG] = "pc 00000010000c: s_add_u32 s3, s2, s2: scc: ",
    [SGPR_WRONG] = "pc 00000010000c: s_add_u32 s3, s2, s2: s3: ",
    [PC_WRONG] = ": s_add_u32 s3, s2, s2: program counter: rtl 000000100010 golden 00000010000c",
    [STORE_DROPPED] = "pc 00000010004c: flat_store_dword v[4:5], v8: store to physical ",
    [STORE_LANE] = "pc 00000010004c: flat_store_dword v[4:5], v8: store to physical ",
    [STORE_VALUE] = "pc 00000010004c: flat_store_dword v[4:5], v8: store to physical 1000000040000: rtl 01 golden 00",
    [LOAD_WRONG] = "pc 000000100020: flat_load_dword v6, v[4:5]: load of lane 9 ",
    [LDS_WRONG] = "pc 000000100044: ds_read_b32 v8, v3: LDS result 0 lane 3: ",
    [VCC_WRONG] = "pc 000000100080: v_cmp_ne_u32_e32 vcc, v11, v8: vcc_hi: ",
    [SLOAD_WRONG] = "pc 000000100000: s_load_dword s2, s[0:1], 0x10: scalar load from ",
    [ATOMIC_WRONG] = "pc 000000100054: flat_atomic_add v[4:5], v0: atomic of lane 0 to ",
    [INSTRUCTION_LOST] =
        ": s_add_u32 s3, s2, s2: program counter: rtl 00000010000c golden 000000100008", /* s_waitcnt was lost */
    [STRAY_WRITE] = "pc 000000100000: s_load_dword s2, s[0:1], 0x10: v20 (not a destination) lane 0: ",
    [STORE_LOST] =
        "pc 00000010004c: flat_store_dword v[4:5], v8: store to physical 1000000040000 never took effect in the L2",
    [ATOMIC_OLD] = "pc 000000100054: flat_atomic_add v[4:5], v0: atomic 2 at physical 1000000040000 found ",
    [ATOMIC_WORD] = "pc 000000100054: flat_atomic_add v[4:5], v0: atomic of lane 0 to ",
    [ATOMIC_MORE] = "pc 000000100054: flat_atomic_add v[4:5], v0: atomic 2 of ",
    [PART_LOST] = "pc 000000100068: flat_store_dword v[9:10], v7: LDS accesses of word 0: ",
    [PART_TWICE] = "pc 000000100068: flat_store_dword v[9:10], v7: LDS accesses of word 0: ",
    [PART_LANE] = "pc 000000100068: flat_store_dword v[9:10], v7: LDS accesses of word 0: ",
    [PARTS_LOST] = "pc 000000100068: flat_store_dword v[9:10], v7: LDS accesses of word 0: ",
    [FLAT_LDS_WRONG] = "pc 000000100078: flat_load_dword v12, v[9:10]: LDS result 0 lane 3: ",
};

static void run_program(void)
{
    struct gcn3_wave w = begin_program();
    while (!w.ended)
        one_instruction(&w);
    if (slow_store)
        lockstep_observe(ls, 0, 1, LOCKSTEP_DONE, 6, cycle, held);
    struct msg_cu_evt evt = {.kind = CU_EVT_WAVE_DONE, .wave = 5, .vmid = 3, .instructions = w.instructions};
    lockstep_cu_evt(ls, 0, 1, cycle, &evt);
    bool clean = lockstep_finish(ls);
    assert_int_equal(clean, !found);
    if (!found) {
        assert_int_equal(lockstep_compared(ls), w.instructions);
        assert_int_equal(lockstep_observed(ls), w.instructions);
    }
    lockstep_free(ls);
}

/* shows B.6 */
static void truth_and_lies(void **unused)
{
    (void)unused;
    memory = pmem_new(1, UINT64_C(256) << 20, UINT64_C(16) << 20);
    assert_non_null(memory);
    table = pagetable_new(memory, 0);
    assert_non_null(table);
    assert_int_equal(pagetable_map(table, CODE, pmem_addr(1, 0x10000), 0x10000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, DATA, pmem_addr(1, 0x40000), 0x10000, PTE_R | PTE_W), 0);
    pagetable_write(table, CODE, program, sizeof program);
    for (unsigned n = 0; n < LIES + 5; n++) { /* those about atomics a second time: of lines */
        static const enum lie atomics[] = {TRUTH, ATOMIC_WRONG, ATOMIC_OLD, ATOMIC_WORD, ATOMIC_MORE};
        in_lines = n >= LIES;
        lie = in_lines ? atomics[n - LIES] : (enum lie)n;
        if (!in_lines && (lie == ATOMIC_WORD || lie == ATOMIC_MORE))
            continue;
        difference[0] = 0;
        run_program();
        printf("%2d %s\n", lie, difference);
        if (lie != TRUTH && !told)
            fail_msg("lie %d was never told", lie);
        if (found != (lie != TRUTH))
            fail_msg("lie %d: %s", lie, found ? difference : "not found");
        if (lie != TRUTH && (!named[lie] || !strstr(difference, named[lie])))
            fail_msg("lie %d: \"%s\" does not name \"%s\"", lie, difference, named[lie] ? named[lie] : "");
    }
    in_lines = false;
    pagetable_free(table);
    pmem_free(memory);
}

/* A store under way for longer than tags last (8 bits): registers written 256 instructions later belong to the later
 * instruction, and so does the end of a vector instruction that has the store's tag. */
static void tags_come_again(void **unused)
{
    (void)unused;
    uint32_t code[600] = {0x24060082, 0x32080600, 0x7e0a0201, 0x380a0a80, 0xdc700000, 0x00000304};
    for (unsigned n = 6; n < 599; n++)
        code[n] = 0x7e000200 | (7 + n % 7) << 17 | (128 + n % 61); /* v_mov_b32 v7 to v13, 0 to 60 */
    code[599] = 0xbf810000;
    memory = pmem_new(1, UINT64_C(256) << 20, UINT64_C(16) << 20);
    table = pagetable_new(memory, 0);
    assert_int_equal(pagetable_map(table, CODE, pmem_addr(1, 0x10000), 0x10000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, DATA, pmem_addr(1, 0x40000), 0x10000, PTE_R | PTE_W), 0);
    pagetable_write(table, CODE, code, sizeof code);
    lie = TRUTH;
    slow_store = true;
    run_program();
    slow_store = false;
    if (found)
        fail_msg("%s", difference);
    pagetable_free(table);
    pmem_free(memory);
}

/* Twenty atomics of another wavefront on one word leave their CU; later a glc load is issued, and finds what three of
 * them have left in the L2; the others take effect before the load has ended. */
static void some_take_effect(bool after)
{
    for (unsigned n = after ? 3 : 0; n < (after ? 20 : 3); n++) {
        struct msg_mem_req r = request(MEM_ATOMIC, DATA);
        uint64_t old;
        r.user = 7;
        r.atomic = ATOMIC_ADD;
        r.size = 4;
        r.data[0] = 1;
        pmem_atomic(memory, r.addr, r.atomic, 4, r.data[0], 0, &old);
        order(&r, old);
        cycle++;
    }
}

static void load_between_atomics(void **unused)
{
    (void)unused;
    static const uint32_t code[] = {0x24060082, 0x32080600, 0x7e0a0201, 0x380a0a80, 0xdc510000, 0x06000004, 0xbf810000};
    memory = pmem_new(1, UINT64_C(256) << 20, UINT64_C(16) << 20);
    table = pagetable_new(memory, 0);
    assert_int_equal(pagetable_map(table, CODE, pmem_addr(1, 0x10000), 0x10000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, DATA, pmem_addr(1, 0x40000), 0x10000, PTE_R | PTE_W), 0);
    pagetable_write(table, CODE, code, sizeof code);
    for (unsigned n = 0; n < 2; n++) { /* the second time a lie: no atomic has left that */
        lie = n ? LOAD_WRONG : TRUTH;
        struct gcn3_wave w = begin_program();
        for (unsigned k = 0; k < 4; k++)
            one_instruction(&w);
        for (unsigned k = 0; k < 20; k++) {
            struct msg_mem_req r = request(MEM_ATOMIC, DATA);
            r.user = 7;
            r.atomic = ATOMIC_ADD;
            r.size = 4;
            r.data[0] = 1;
            lockstep_mem_req(ls, 0, 1, cycle++, &r);
        }
        cycle += 100;
        around_load = some_take_effect;
        while (!w.ended)
            one_instruction(&w);
        around_load = NULL;
        struct msg_cu_evt evt = {.kind = CU_EVT_WAVE_DONE, .wave = 5, .vmid = 3, .instructions = w.instructions};
        lockstep_cu_evt(ls, 0, 1, cycle, &evt);
        lockstep_finish(ls);
        if (found != (lie != TRUTH))
            fail_msg("%u: %s", n, found ? difference : "the lie was not found");
        lockstep_free(ls);
    }
    pagetable_free(table);
    pmem_free(memory);
}

/* A fault stops a wavefront: what it did before is compared at once, or when the run ends or the address space is
 * killed if the fault came right behind it; the instruction that faults is no difference, whether its end is told or
 * not. */
static void fault_behind_a_lie(void **unused)
{
    (void)unused;
    static const uint32_t code[] = {0x24060082, 0x020e0703, 0xdc500000, 0x06000004,
                                    0xbf810000}; /* v_lshlrev, v_add, flat_load */
    memory = pmem_new(1, UINT64_C(256) << 20, UINT64_C(16) << 20);
    table = pagetable_new(memory, 0);
    assert_int_equal(pagetable_map(table, CODE, pmem_addr(1, 0x10000), 0x10000, PTE_R | PTE_X), 0);
    assert_int_equal(pagetable_map(table, DATA, pmem_addr(1, 0x40000), 0x10000, PTE_R | PTE_W), 0);
    pagetable_write(table, CODE, code, sizeof code);
    for (unsigned n = 0; n < 16; n++) { /* 12, 13: the RTL names another; 14, 15: the page has no right */
        if (n == 14)
            assert_int_equal(pagetable_map(table, 0, pmem_addr(1, 0x80000), 0x1000, PTE_W), 0);
        const bool told_end = n & 1, at_once = n & 2, killed = n & 4;
        struct gcn3_inst inst;
        uint8_t end[16] = {0};
        lie = n < 8 ? VGPR_BIT : TRUTH;
        struct gcn3_wave w = begin_program();
        for (unsigned k = 0; k < 2; k++)
            one_instruction(&w);
        report_issue(&w, &inst);
        put(end, 0, 8, tag);
        put(end, 8, 6, 5);
        if (told_end)
            lockstep_observe(ls, 0, 1, LOCKSTEP_DONE, 6, cycle + 3, end);
        cycle += at_once ? 4 : 200;
        const struct msg_cu_evt fault = {.kind = CU_EVT_FAULT,
                                         .wave = 5,
                                         .vmid = 3,
                                         .status = FAULT_NOT_PRESENT,
                                         .pc = w.pc + 8 * (n == 12 || n == 13)};
        const struct msg_cu_cmd kill = {.kind = CU_KILL, .vmid = 3};
        const struct msg_cp_evt evt = {.kind = CP_EVT_FAULT, .vmid = 3};
        lockstep_cu_evt(ls, 0, 1, cycle, &fault);
        if (found != (lie != TRUTH && !at_once))
            fail_msg("case %u: %s", n, found ? difference : "not found");
        cycle += 200;
        if (killed)
            lockstep_cu_cmd(ls, 0, 1, cycle, &kill);
        else
            lockstep_cp_evt(ls, 0, cycle, &evt);
        assert_int_equal(lockstep_finish(ls), lie == TRUTH);
        assert_int_equal(found, lie != TRUTH);
        if (lie == TRUTH)
            assert_int_equal(lockstep_compared(ls), 2);
        else
            assert_non_null(strstr(difference, "v7 lane 2: "));
        lockstep_free(ls);
    }
    pagetable_free(table);
    pmem_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(truth_and_lies), cmocka_unit_test(tags_come_again),
                                       cmocka_unit_test(load_between_atomics), cmocka_unit_test(fault_behind_a_lie)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
