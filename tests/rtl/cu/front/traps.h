// SPDX-License-Identifier: Apache-2.0
// Privileged state of the front end: trap handler, TTMP, halt, hardware registers, priorities.  The golden model
// follows every instruction; values that both could have wrong are constants here.
#pragma once
#include "tests/rtl/cu/harness.h"

static constexpr uint64_t Handler = MemBase + 0x8000, HandlerData = MemBase + 0x9000;

// Sends a command and waits for its acknowledgement.
static void command(Bench &b, const msg_cu_cmd &c)
{
    size_t before = b.events.size();
    b.commands.push_back(c);
    for (unsigned i = 0; i < 4000 && (b.events.size() == before || b.events.back().kind != CU_EVT_ACK); i++)
        b.step();
    if (b.events.size() == before || b.events.back().kind != CU_EVT_ACK)
        fail("command %u is not acknowledged", c.kind);
}

static void handler_set(Bench &b, unsigned vmid, uint64_t tba, uint64_t tma)
{
    msg_cu_cmd c{};
    c.kind = CU_TRAP;
    c.vmid = vmid;
    c.pc = tba;
    c.exec = tma;
    command(b, c);
}

static void kill_all(Bench &b, unsigned vmid)
{
    msg_cu_cmd c{};
    c.kind = CU_KILL;
    c.vmid = vmid;
    command(b, c);
    b.running.clear();
}

static void expect(const char *what, uint64_t is, uint64_t should)
{
    if (is != should)
        fail("%s: %llx, expected %llx", what, (unsigned long long)is, (unsigned long long)should);
}

// Counts its calls in ttmp5, shows in s[40:59] what it found, goes on behind s_trap.
static const char *handler_program = R"(
  s_getreg_b32 s40, hwreg(HW_REG_STATUS)
  s_mov_b32 s41, ttmp0
  s_mov_b32 s42, ttmp1
  .long 0xbeab006c  ; s_mov_b32 s43, tba_lo
  .long 0xbeac006e  ; s_mov_b32 s44, tma_lo
  .long 0xbeec0080  ; s_mov_b32 tba_lo, 0: without effect
  .long 0xbead006c  ; s_mov_b32 s45, tba_lo
  s_load_dwordx4 ttmp[8:11], s[0:1], 0x0
  s_add_u32 ttmp5, ttmp5, 1
  s_mov_b32 s46, ttmp5
  s_mov_b32 s47, ttmp4
  s_mov_b32 ttmp4, s20
  s_waitcnt lgkmcnt(0)
  s_mov_b64 s[48:49], ttmp[10:11]
  s_trap 7
  s_add_u32 ttmp0, ttmp0, 4
  s_addc_u32 ttmp1, ttmp1, 0
  s_cmp_eq_u32 s40, s40
  s_getreg_b32 s50, hwreg(HW_REG_STATUS, 0, 1)
  s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), s40
  s_getreg_b32 s51, hwreg(HW_REG_STATUS, 0, 1)
  s_sethalt 1
  s_getreg_b32 s52, hwreg(HW_REG_STATUS, 13, 1)
  s_sethalt 0
  s_rfe_b64 ttmp[0:1]
  s_endpgm
)";

static const char *trap_program = R"(
  s_getreg_b32 s26, hwreg(HW_REG_STATUS)
  s_movk_i32 s20, 0x111
  s_mov_b32 ttmp4, 0x77
  s_mov_b64 ttmp[6:7], -1
  s_mov_b32 s21, ttmp4
  s_mov_b64 s[22:23], ttmp[6:7]
  s_cmp_lg_u32 s20, 0
  s_load_dwordx2 ttmp[2:3], s[0:1], 0x0
  s_trap 5
  s_cselect_b32 s24, 1, 2
  s_mov_b32 s25, ttmp5
  s_movk_i32 s20, 0x222
  s_mov_b64 exec, 0
  s_mov_b64 vcc, 0
  s_trap 2
  s_getreg_b32 s27, hwreg(HW_REG_STATUS)
  s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 0, 1), 1
  s_cselect_b32 s28, 1, 2
  s_getpc_b64 s[30:31]
  s_add_u32 s30, s30, 48
  s_addc_u32 s31, s31, 0
  s_store_dwordx4 ttmp[8:11], s[0:1], 0x10
  s_buffer_load_dword s36, ttmp[8:11], 0x0  ; an empty resource
  s_waitcnt lgkmcnt(0)
  s_load_dwordx4 s[32:35], s[0:1], 0x10
  s_waitcnt lgkmcnt(0)
  s_rfe_b64 s[30:31]  ; a jump
  s_movk_i32 s28, 3
  s_endpgm
)";

// TTMP hold anything when a wavefront starts; the golden model's are 0: so are those of this slot after this.
static void clear_ttmp(Bench &b, const WaveSetup &q)
{
    b.mem.put(Handler, assemble("  s_mov_b64 ttmp[2:3], 0\n  s_mov_b64 ttmp[4:5], 0\n  s_mov_b64 ttmp[6:7], 0\n  s_mov_b64 ttmp[8:9], 0\n"
                                "  s_mov_b64 ttmp[10:11], 0\n  s_add_u32 ttmp0, ttmp0, 4\n  s_rfe_b64 ttmp[0:1]\n  s_endpgm\n"));
    b.mem.put(MemBase, assemble("  s_trap 1\n  s_endpgm\n"));
    b.golden_mem = b.mem;
    Wave *w = b.add(q);
    b.golden_run({w});
    b.run({w});
}

// Entry and return, what is saved, TTMP and TBA hidden from the program and kept for the handler.
static void run_handler(Bench &b)
{
    handler_set(b, 3, Handler, 0x123456789abc);
    WaveSetup q;
    q.vmid = 3, q.simd = 2, q.slot = 4;
    q.tba = Handler, q.tma = 0x123456789abc;
    clear_ttmp(b, q);
    b.mem.put(Handler, assemble(handler_program));
    b.mem.put(HandlerData, {1, 2, 3, 4, 5, 6, 7, 8});
    b.mem.put(MemBase, assemble(trap_program));
    b.golden_mem = b.mem;
    q.sgpr = {(uint32_t)HandlerData, 0};
    q.sgpr.resize(24);
    Wave *w = b.add(q);
    b.golden_run({w});
    b.run({w});
    if (w->faulted || w->fault)
        fail("trap handler: fault %u, golden %d", w->event.status, w->fault);
    const uint32_t *s = w->s;
    uint64_t second = 0, first = 0;
    for (const Snapshot &x : w->trace) {
        if (x.first == 0xbf920005)
            first = x.pc;
        if (x.first == 0xbf920002)
            second = x.pc;
    }
    if (!first || !second)
        fail("trap handler: the program has not trapped twice");
    expect("STATUS at the start", s[26], 1 << 16 | 1 << 10 | 1 << 6); // VALID, VCCZ, TRAP_EN
    expect("TTMP read by a program", s[21] | s[22] | s[23] | s[25], 0);
    expect("TTMP stored by a program", s[32] | s[33] | s[34] | s[35], 0);
    expect("loaded from a resource in TTMP", s[36], 0);
    expect("SCC after the handler", s[24], 1);
    expect("STATUS in the handler", s[40], 1 << 16 | 1 << 10 | 1 << 9 | 1 << 6 | 1 << 5 | 1);
    expect("ttmp0", s[41], second & 0xffffffff);
    expect("ttmp1", s[42], second >> 32 | 2 << 16);
    expect("TBA", s[43], Handler);
    expect("TMA", s[44], 0x56789abc);
    expect("TBA after a write", s[45], Handler);
    expect("calls", s[46], 2);
    expect("ttmp4 of the call before", s[47], 0x111);
    expect("loaded into TTMP", s[48] | (uint64_t)s[49] << 32, 3 | 4ull << 32);
    expect("SCC of STATUS", s[50] | s[51] << 1, 3);
    expect("HALT of STATUS", s[52], 1);
    expect("STATUS after the handler", s[27], 1 << 16 | 1 << 10 | 1 << 9 | 1 << 6 | 1);
    expect("SCC written by a program", s[28], 1); // it was 1
    std::printf("trap handler: %zu instructions\n", w->trace.size());
}

// Instructions that issue after the last one of the golden model show up as a failure of the bench.
static void wait_halted(Bench &b, Wave *w, const char *what)
{
    b.golden_run({w});
    b.launch(w);
    size_t before = b.events.size();
    for (unsigned i = 0; i < 4000; i++)
        b.step();
    unsigned halts = 0;
    for (size_t n = before; n < b.events.size(); n++) {
        if (b.events[n].kind == CU_EVT_WAVE_DONE || b.events[n].kind == CU_EVT_FAULT)
            fail("%s: event %u of a wavefront that should halt", what, b.events[n].kind);
        halts += b.events[n].kind == CU_EVT_HALT;
    }
    expect(what, halts, 1);
    expect("instructions before the halt", w->issued, w->trace.size());
    kill_all(b, w->setup.vmid);
}

static void run_halt(Bench &b)
{
    WaveSetup q;
    q.vmid = 3, q.tba = Handler, q.tma = 0x123456789abc;
    b.mem.put(
        Handler,
        assemble(
            "s_sethalt 1\n s_mov_b32 ttmp2, 5\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_rfe_b64 ttmp[0:1]\n s_endpgm\n"));
    b.mem.put(MemBase, assemble("s_mov_b32 s30, 1\n s_trap 2\n s_mov_b32 s30, 2\n s_endpgm\n"));
    b.golden_mem = b.mem;
    size_t before = b.events.size();
    wait_halted(b, b.add(q), "halt in the handler");
    unsigned interrupts = 0;
    for (size_t n = before; n < b.events.size(); n++)
        interrupts += b.events[n].kind == CU_EVT_INTERRUPT;
    expect("interrupts", interrupts, 1);
    b.mem.put(
        MemBase,
        assemble("s_mov_b32 s30, 1\n s_sethalt 0\n s_mov_b32 s30, 2\n s_sethalt 1\n s_mov_b32 s30, 3\n s_endpgm\n"));
    b.golden_mem = b.mem;
    wait_halted(b, b.add({}), "halt in a program");
    // without a handler: llvm.trap faults (bench of the whole CU), other traps do nothing
    handler_set(b, 3, 0, 0);
    q.tba = q.tma = 0;
    b.mem.put(MemBase, assemble("s_trap 3\n s_mov_b32 s30, 1\n s_trap 0xff\n s_mov_b32 s31, ttmp0\n s_endpgm\n"));
    b.golden_mem = b.mem;
    Wave *w = b.add(q);
    b.golden_run({w});
    b.run({w});
    expect("instructions without a handler", w->trace.size(), 5);
    std::printf("halt: in the handler, in a program\n");
}

static void run_registers(Bench &b)
{
    WaveSetup q;
    q.simd = 1, q.slot = 9, q.group = 0x1b, q.vmid = 6, q.group_waves = 1;
    q.vgpr_base = 72, q.vgprs = 36, q.sgpr_base = 208, q.sgprs = 96, q.lds_base = 0x2600, q.lds_bytes = 0x1200;
    b.mem.put(
        MemBase,
        assemble(
            "s_getreg_b32 s30, hwreg(HW_REG_HW_ID)\n s_getreg_b32 s31, hwreg(HW_REG_GPR_ALLOC)\n"
            "s_getreg_b32 s32, hwreg(HW_REG_LDS_ALLOC)\n s_getreg_b32 s33, hwreg(HW_REG_TRAPSTS)\n"
            "s_setprio 3\n s_getreg_b32 s34, hwreg(HW_REG_STATUS)\n s_setprio 1\n"
            "s_getreg_b32 s35, hwreg(HW_REG_STATUS, 3, 2)\n s_getreg_b32 s36, hwreg(HW_REG_HW_ID, 8, 4)\n s_endpgm\n"));
    b.golden_mem = b.mem;
    Wave *w = b.add(q);
    b.golden_run({w});
    b.run({w});
    expect("HW_ID", w->s[30], 9 | 1 << 4 | 5 << 8 | 2 << 13 | 0xb << 16 | 6 << 20);
    expect("GPR_ALLOC", w->s[31], 18 | 8 << 8 | 13 << 16 | 5 << 24);
    expect("LDS_ALLOC", w->s[32], 0x26 | 0x12 << 12);
    expect("TRAPSTS", w->s[33], 0);
    expect("STATUS", w->s[34], 1 << 16 | 1 << 10 | 3 << 3);
    expect("priority", w->s[35], 1);
    expect("CU_ID", w->s[36], 5);
    std::printf("hardware registers\n");
}

// Wavefronts of one SIMD that all want the scalar ALU in every turn: the order in which they end is that of priority,
// then age.  prio: s_setprio of each in the order of age; -1: none; 4: raised to 3 and back to 0.
static void run_priority(Bench &b, std::vector<int> prio, std::vector<unsigned> order)
{
    std::vector<Wave *> set;
    b.latency = 8, b.jitter = 0;
    for (unsigned n = 0; n < prio.size(); n++) {
        std::string text = prio[n] < 0    ? ""
                           : prio[n] == 4 ? "s_setprio 3\n s_setprio 0\n"
                                          : "s_setprio " + std::to_string(prio[n]) + "\n";
        text += "s_mov_b32 s31, 0\n s_movk_i32 s30, 60\n loop:\n";
        for (unsigned k = 0; k < 8; k++)
            text += "s_add_u32 s31, s31, s30\n";
        text += "s_sub_u32 s30, s30, 1\n s_cmp_lg_u32 s30, 0\n s_cbranch_scc1 loop\n s_endpgm\n";
        WaveSetup q;
        q.slot = (n * 7 + 3) % 10;
        q.sgpr_base = n * 112;
        q.pc = MemBase + 0x1000 * (n + 1);
        b.mem.put(q.pc, assemble(text));
        set.push_back(b.add(q));
    }
    b.golden_mem = b.mem;
    b.golden_run(set);
    size_t before = b.events.size();
    b.run(set);
    std::vector<unsigned> ended;
    for (size_t n = before; n < b.events.size(); n++)
        if (b.events[n].kind == CU_EVT_WAVE_DONE)
            for (unsigned k = 0; k < set.size(); k++)
                if (set[k]->setup.slot == (b.events[n].wave & 15u))
                    ended.push_back(k);
    if (ended != order) {
        for (unsigned k : ended)
            std::printf("wavefront %u ended\n", k);
        fail("priorities: another order of ends was expected");
    }
}

static void run_traps(Bench &b)
{
    run_handler(b);
    run_halt(b);
    run_registers(b);
    run_priority(b, {-1, -1, -1, -1, -1, -1}, {0, 1, 2, 3, 4, 5});
    run_priority(b, {0, 1, -1, 3, 3, 2}, {3, 4, 5, 1, 0, 2});
    run_priority(b, {4, -1, 4, 1, 4, -1}, {3, 0, 1, 2, 4, 5});
    std::printf("priorities\n");
}
