// SPDX-License-Identifier: Apache-2.0
// top: cu
// opt: -O0
// lib: yes
// args: -Wno-UNUSEDPARAM -Wno-PINCONNECTEMPTY -Wno-UNUSEDSIGNAL
// mutate: lds_vrd[s/2].row => lds_vrd[0].row
// mutate: pc_o <= pcs[place] => pc_o <= pcs[0]
//
// The compute unit against the golden model: small programs of every class (programs.h,
// lds_programs.h), groups, faults and random programs (generator.h), each register write compared.
#include "tests/rtl/case_done.h"
#include "tests/rtl/cu/cu/fills.h"
#include "tests/rtl/cu/cu/generator.h"
#include "tests/rtl/cu/cu/lds_programs.h"
#include "tests/rtl/cu/cu/programs.h"
#include "tests/rtl/cu/cu/waits.h"
#include "tests/rtl/cu/front/turns.h"
#include "tests/rtl/cu/harness.h"
#include "tests/rtl/cu/pinned.h"

static void run_one(Bench &b, const char *name, const std::string &text, WaveSetup setup = {})
{
    uint64_t start = b.evaluated;
    b.mem.put(MemBase, assemble(text));
    b.golden_mem = b.mem;
    Wave *w = b.add(setup);
    b.golden_run({w});
    b.run({w});
    if (w->faulted || w->fault)
        fail("%s: fault %d, golden %d", name, w->event.status, w->fault);
    b.same_memory();
    std::printf("%s: %zu instructions, %llu cycles\n", name, w->trace.size(), (unsigned long long)(b.evaluated - start));
}

static void run_group(Bench &b)
{
    b.mem.put(MemBase, assemble(barrier_program));
    b.golden_mem = b.mem;
    std::vector<Wave *> set;
    for (unsigned n = 0; n < 4; n++) {
        WaveSetup q;
        q.simd = n ^ 1;
        q.slot = n * 3;
        q.group = 9;
        q.group_waves = 4;
        q.wave_in_group = n;
        q.vgpr_base = n * 64;
        q.sgpr_base = n * 112;
        q.lds_base = 4096;
        q.lds_bytes = 1024;
        q.sgpr = {n};
        set.push_back(b.add(q));
    }
    b.golden_run(set);
    b.run(set);
    std::printf("barrier: 4 wavefronts of %zu instructions\n", set[1]->trace.size());
}

static void run_faults(Bench &b)
{
    struct Case {
        const char *name, *text;
        unsigned status, sgprs = 112, lds_bytes = 0;
    } cases[] = {
        {"illegal", "s_mov_b32 s2, 1\n .long 0xbf9f0000\n s_endpgm\n", FAULT_ILLEGAL},
        {"flat load", "v_mov_b32 v1, 0x12345\n v_mov_b32 v2, 0x70\n flat_load_dword v3, v[1:2]\n s_waitcnt vmcnt(0)\n s_endpgm\n",
         FAULT_NOT_PRESENT},
        {"atomic in scratch", "v_mov_b32 v1, 0x40\n v_mov_b32 v2, 0x20000001\n flat_atomic_add v[1:2], v0\n s_waitcnt vmcnt(0)\n s_endpgm\n",
         FAULT_APERTURE},
        {"scratch beyond its limit", "s_mov_b32 flat_scratch_lo, 0x100\n s_mov_b32 flat_scratch_hi, 0x3000\n v_mov_b32 v1, 0x100\n"
         "v_mov_b32 v2, 0x20000001\n flat_load_dword v3, v[1:2]\n s_waitcnt vmcnt(0)\n s_endpgm\n", FAULT_APERTURE},
        {"no aperture", "v_mov_b32 v1, 0x40\n v_mov_b32 v2, 0x20000002\n flat_load_dword v3, v[1:2]\n s_waitcnt vmcnt(0)\n s_endpgm\n",
         FAULT_NOT_PRESENT},
        {"scalar load", "s_mov_b32 s2, 0\n s_mov_b32 s3, 0x70\n s_load_dword s4, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
         FAULT_NOT_PRESENT},
        {"fetch", "s_mov_b32 s2, 0x40000000\n s_mov_b32 s3, 0\n s_setpc_b64 s[2:3]\n", FAULT_NOT_PRESENT},
        {"beyond the VGPRs", "v_mov_b32 v1, 0\n v_add_f32 v64, v0, v1\n s_endpgm\n", FAULT_ILLEGAL},
        {"beyond the SGPRs", "s_mov_b32 s2, 1\n s_mov_b64 s[16:17], 1\n s_endpgm\n", FAULT_ILLEGAL, 16},
        {"reserved selection of SDWA", ".long 0x7e0402f9, 0x00060701\n s_endpgm\n", FAULT_ILLEGAL},
        {"reserved DPP control", ".long 0x7e0402fa, 0xff010001\n s_endpgm\n", FAULT_ILLEGAL},
        {"odd pair", ".long 0xbe820103\n s_endpgm\n", FAULT_ILLEGAL},
        {"scalar store", "s_mov_b32 s2, 0x40000000\n s_mov_b32 s3, 0\n s_store_dword s4, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
         FAULT_NOT_PRESENT},
        {"load into the LDS", "s_mov_b32 s0, 0\n s_movk_i32 s1, 0x70\n s_mov_b32 s2, -1\n s_mov_b32 s3, 0x24fac\n s_mov_b32 m0, 0\n"
         "buffer_load_dword off, s[0:3], 0 lds\n s_waitcnt vmcnt(0)\n s_endpgm\n", FAULT_NOT_PRESENT, 112, 256},
        {"store from the LDS", "s_mov_b32 s0, 0\n s_movk_i32 s1, 0x70\n s_mov_b32 s2, -1\n s_mov_b32 s3, 0x24fac\n s_mov_b32 m0, 0\n"
         "buffer_store_lds_dword s[0:3], 0 lds\n s_waitcnt vmcnt(0)\n s_endpgm\n", FAULT_NOT_PRESENT, 112, 256},
        {"store from the LDS by a VGPR", ".long 0xe0f51000, 0x80000000\n s_endpgm\n", FAULT_ILLEGAL},
        {"trap", "s_trap 2\n s_endpgm\n", FAULT_TRAP},
        // one of several under way, while the wavefront goes on
        {"second of three loads", "s_getpc_b64 s[2:3]\n v_mov_b32 v1, s2\n v_mov_b32 v2, s3\n v_mov_b32 v4, 0x70\n flat_load_dword v5, v[1:2]\n"
         "flat_load_dword v6, v[3:4]\n flat_load_dword v7, v[1:2]\n .rept 50\n s_nop 7\n .endr\n s_endpgm\n", FAULT_NOT_PRESENT},
        {"second of three scalar loads", "s_getpc_b64 s[2:3]\n s_mov_b32 s4, 0\n s_movk_i32 s5, 0x70\n s_load_dword s6, s[2:3], 0x0\n"
         "s_load_dword s7, s[4:5], 0x0\n s_load_dword s8, s[2:3], 0x0\n .rept 50\n s_nop 7\n .endr\n s_endpgm\n", FAULT_NOT_PRESENT},
        {"second of two scalar stores", "s_getpc_b64 s[2:3]\n s_mov_b32 s4, 0\n s_movk_i32 s5, 0x70\n s_store_dword s6, s[2:3], 0x1000\n"
         "s_store_dword s7, s[4:5], 0x0\n s_memtime s[8:9]\n .rept 50\n s_nop 7\n .endr\n s_endpgm\n", FAULT_NOT_PRESENT},
    };
    b.observe = false;
    for (auto &c : cases) {
        b.mem.put(MemBase, assemble(c.text));
        b.golden_mem = b.mem;
        WaveSetup setup;
        setup.sgprs = c.sgprs;
        setup.lds_bytes = c.lds_bytes;
        Wave *w = b.add(setup);
        b.golden_run({w});
        b.run({w});
        if (!w->faulted || w->event.status != c.status || w->fault != (int)c.status)
            fail("fault %s: status %u, golden %d, expected %u", c.name, w->event.status, w->fault, c.status);
        uint64_t code = 0;
        if (b.mem.has(w->event.pc, 8))
            memcpy(&code, b.mem.at(w->event.pc), 8);
        if (w->event.pc != w->golden.pc || (c.status == FAULT_ILLEGAL && w->event.va != code))
            fail("fault %s: instruction %llx at pc %llx", c.name, (unsigned long long)w->event.va, (unsigned long long)w->event.pc);
        size_t before = b.events.size();
        msg_cu_cmd kill{};
        kill.kind = CU_KILL;
        kill.vmid = 1;
        b.commands.push_back(kill);
        for (unsigned i = 0; i < 2000 && (b.events.size() == before || b.events.back().kind != CU_EVT_ACK); i++)
            b.step();
        if (b.events.back().kind != CU_EVT_ACK)
            fail("kill after %s is not acknowledged", c.name);
        b.running.clear();
    }
    b.observe = true;
    std::printf("faults: %zu kinds\n", sizeof cases / sizeof *cases);
}

int main(int argc, char **argv)
{
    Bench b;
    for (unsigned i = 0; i < MemBytes; i += 4) {
        uint32_t x = b.rnd();
        memcpy(&b.mem.bytes[i], &x, 4);
    }
    WaveSetup lds;
    lds.lds_base = 512;
    lds.lds_bytes = 4096;
    WaveSetup flat;
    flat.sgpr = {0x300000, 0};
    flat.simd = 2;
    flat.slot = 9;
    flat.vgpr_base = 192;
    flat.sgpr_base = 688;
    run_one(b, "scalar", scalar_program);
    run_one(b, "smem", smem_program);
    run_one(b, "buffer", buffer_program);
    run_one(b, "valu", valu_program);
    run_one(b, "lds", lds_program, lds);
    run_one(b, "flat", flat_program, flat);
    WaveSetup real = flat;
    real.lds_base = 512;
    real.lds_bytes = 4096;
    run_one(b, "real", real_program, real);
    WaveSetup both = flat;
    both.lds_base = 1536;
    both.lds_bytes = 1100;
    run_one(b, "flat_lds", flat_lds_program, both);
    run_one(b, "buffer_lds", buffer_lds_program, both);
    both.scratch_base = 0x400000;
    run_one(b, "mixed", mixed_program, both);
    pinned_case(b, "programs of every class", 13931, 13482);
    case_done("programs of every class");
    run_group(b);
    pinned_case(b, "groups", 1185, 1137);
    case_done("groups");
    run_waits(b);
    pinned_case(b, "waits", 9325, 5118);
    case_done("waits with a count");
    run_ended(b);
    pinned_case(b, "barriers", 11501, 11501);
    case_done("barriers with ended wavefronts");
    run_items(b);
    pinned_case(b, "item ids", 168, 128);
    case_done("item ids");
    run_faults(b);
    pinned_case(b, "faults", 2508, 2060);
    case_done("faults");
    unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 6;
    for (unsigned i = 0; i < rounds; i++) {
        b.latency = 8 + 40 * (i & 1);
        run_random(b, 1 + b.rnd.below(20));
    }
    if (argc == 1)
        pinned_case(b, "random programs", 51577, 51414);
    case_done("random programs");
    b.latency = 8;
    run_fills(b);
    run_fills_killed(b);
    if (argc == 1)
        pinned_case(b, "wavefronts close behind one another", 9090, 3027);
    case_done("wavefronts close behind one another");
    run_vmem_queue(b);
    case_done("turns of vector memory");
    std::printf("passed: %llu register writes compared\n", (unsigned long long)b.observed);
    return pins_differ != 0;
}
