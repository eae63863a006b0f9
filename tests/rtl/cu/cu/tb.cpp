// SPDX-License-Identifier: Apache-2.0
// top: cu
// lib: yes
// sources: build/gen/gantry_msg_pkg.sv build/gen/gcn3_pkg.sv rtl/common/pick_pkg.sv rtl/cu/cu_pkg.sv rtl/cu/cu_front_pkg.sv rtl/cu/*_pkg.sv rtl/fpu/*_pkg.sv rtl/lds/*_pkg.sv rtl/tlb/tlb_pkg.sv rtl/tlb/tlb_l1.sv rtl/tech/*.sv rtl/common/*.sv rtl/l1/l1v_*.sv rtl/lds/lds_*.sv rtl/cu/*.sv
//
// The compute unit against the golden model: small programs of every class, each register write compared.
#include "harness.h"

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

static const char *scalar_program = R"(
  s_mov_b32 s0, 5
  s_mov_b32 s1, 0x12345678
  s_add_u32 s2, s0, s1
  s_addc_u32 s3, s0, s1
  s_lshl_b64 s[4:5], s[0:1], 4
  s_mov_b64 s[6:7], -1
  s_and_b64 s[8:9], s[4:5], s[6:7]
  s_mov_b64 vcc, s[4:5]
  s_and_saveexec_b64 s[10:11], vcc
  s_mov_b64 exec, -1
  s_movk_i32 s12, 10
loop:
  s_add_i32 s12, s12, -1
  s_mul_i32 s13, s12, s1
  s_cmp_lg_u32 s12, 0
  s_cbranch_scc1 loop
  s_getpc_b64 s[14:15]
  s_add_u32 s14, s14, 16
  s_addc_u32 s15, s15, 0
  s_setpc_b64 s[14:15]
  s_nop 0
  s_mov_b32 s16, 7
  s_bfe_i32 s17, s1, 0x80004
  s_brev_b32 s18, s1
  s_flbit_i32_b32 s19, s1
  s_ff1_i32_b64 s20, s[4:5]
  s_bcnt1_i32_b64 s21, s[6:7]
  s_mov_b32 m0, 2
  s_movrels_b32 s22, s0
  s_movreld_b32 s22, s1
  s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
  s_getreg_b32 s23, hwreg(HW_REG_MODE)
  s_cmp_eq_u64 s[4:5], s[6:7]
  s_cselect_b64 s[4:5], 1.0, -4
  s_bitset1_b64 s[4:5], 17
  s_endpgm
)";

static const char *smem_program = R"(
  s_mov_b32 s0, 0x200000
  s_mov_b32 s1, 0
  s_load_dword s5, s[0:1], 0x4
  s_load_dwordx2 vcc, s[0:1], 0x8
  s_load_dwordx16 s[16:31], s[0:1], 0x40
  s_load_dwordx4 s[8:11], s[0:1], s1
  s_load_dwordx8 s[32:39], s[0:1], 0x100
  s_waitcnt lgkmcnt(0)
  s_add_u32 s5, s5, s31
  s_dcache_inv
  s_xor_b64 s[40:41], vcc, s[38:39]
  s_mov_b32 s6, m0
  s_cbranch_vccz end
  s_not_b64 s[8:9], s[10:11]
end:
  s_endpgm
)";

static const char *valu_program = R"(
  v_mov_b32 v1, 0x1234
  v_add_u32 v2, vcc, v0, v1
  v_addc_u32 v3, vcc, v0, v2, vcc
  v_cmp_lt_u32 vcc, 17, v0
  v_cndmask_b32 v4, v1, v0, vcc
  v_cmp_gt_u32 s[2:3], 40, v0
  s_and_b64 s[4:5], vcc, s[2:3]
  s_and_saveexec_b64 s[6:7], s[4:5]
  v_mul_lo_u32 v5, v0, v2
  v_lshlrev_b32 v6, 3, v5
  v_add_u32 v6, vcc, s8, v6
  s_mov_b64 exec, s[6:7]
  v_readfirstlane_b32 s9, v2
  s_add_u32 s9, s9, 1
  v_mov_b32 v7, s9
  v_readlane_b32 s10, v0, 33
  v_writelane_b32 v8, s10, 5
  s_mov_b32 m0, 3
  v_movreld_b32 v8, v0
  v_mul_f32 v9, 2.0, v0
  v_mac_f32 v9, v1, v0
  v_lshlrev_b64 v[12:13], 5, v[0:1]
  v_cmpx_lt_u32 vcc, 3, v0
  v_mov_b32 v14, 1.0
  s_mov_b64 exec, -1
  v_mov_b32_sdwa v15, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0
  s_endpgm
)";


static const char *lds_program = R"(
  s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  v_mul_u32_u24 v3, 0x12345, v0
  ds_write_b32 v1, v3
  ds_write_b32 v1, v0 offset:256
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v2, v1 offset:4
  ds_read2_b32 v[4:5], v1 offset0:1 offset1:65
  v_mov_b32 v6, 7
  ds_add_rtn_u32 v7, v1, v6
  s_waitcnt lgkmcnt(2)
  v_add_u32 v8, vcc, v2, v0
  s_waitcnt lgkmcnt(0)
  v_xor_b32 v9, v4, v7
  v_sub_u32 v10, vcc, 0xfc, v1
  ds_bpermute_b32 v11, v10, v9
  v_lshlrev_b32 v15, 3, v0
  ds_write_b64 v15, v[8:9] offset:1024
  ds_read_b64 v[12:13], v15 offset:1024
  s_waitcnt lgkmcnt(0)
  v_or_b32 v14, v11, v13
  s_endpgm
)";

static const char *flat_program = R"(
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  flat_load_dword v4, v[2:3]
  v_add_u32 v6, vcc, v1, v2
  v_mov_b32 v7, v3
  flat_load_dwordx2 v[8:9], v[6:7]
  flat_load_ubyte v10, v[2:3]
  s_waitcnt vmcnt(2)
  v_add_u32 v4, vcc, 1, v4
  flat_store_dword v[2:3], v4
  v_mov_b32 v5, 3
  flat_atomic_add v11, v[2:3], v5 glc
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_xor_b32 v12, v8, v11
  v_cmp_gt_u32 vcc, 20, v0
  s_and_saveexec_b64 s[4:5], vcc
  flat_store_short v[6:7], v12
  flat_load_dwordx4 v[16:19], v[6:7]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mov_b32 v20, v19
  s_mov_b64 exec, 0
  flat_load_dword v21, v[2:3]
  flat_store_dword v[2:3], v21
  v_mov_b32 v22, 1
  s_mov_b64 exec, -1
  s_mov_b32 s9, 0
  s_mov_b32 s10, 0x1000
  s_mov_b32 s8, s0
  s_mov_b32 s11, 0x24fac
  s_movk_i32 s12, 0x40
  buffer_load_dword v23, v1, s[8:11], s12 offen offset:4
  s_waitcnt vmcnt(0)
  v_mov_b32 v24, v23
  s_endpgm
)";

// Neighbours exchange data over the LDS, with barriers between.
static const char *barrier_program = R"(
  s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  s_movk_i32 s2, 6
  v_mov_b32 v5, 0
loop:
  v_add_u32 v2, vcc, s2, v0
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_add_u32 v3, vcc, 0x110, v1
  v_and_b32 v3, 0x3ff, v3
  ds_read_b32 v4, v3
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, vcc, v4, v5
  s_barrier
  s_sub_u32 s2, s2, 1
  s_cmp_lg_u32 s2, 0
  s_cbranch_scc1 loop
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc0 end
  s_sleep 1
  s_barrier
end:
  s_endpgm
)";

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
        unsigned status;
    } cases[] = {
        {"illegal", "s_mov_b32 s2, 1\n .long 0xbf9f0000\n s_endpgm\n", FAULT_ILLEGAL},
        {"flat load", "v_mov_b32 v1, 0x12345\n v_mov_b32 v2, 0x70\n flat_load_dword v3, v[1:2]\n s_waitcnt vmcnt(0)\n s_endpgm\n",
         FAULT_NOT_PRESENT},
        {"scalar load", "s_mov_b32 s2, 0\n s_mov_b32 s3, 0x70\n s_load_dword s4, s[2:3], 0x0\n s_waitcnt lgkmcnt(0)\n s_endpgm\n",
         FAULT_NOT_PRESENT},
        {"fetch", "s_mov_b32 s2, 0x40000000\n s_mov_b32 s3, 0\n s_setpc_b64 s[2:3]\n", FAULT_NOT_PRESENT},
        {"trap", "s_trap 2\n s_endpgm\n", FAULT_TRAP},
    };
    b.observe = false;
    for (auto &c : cases) {
        b.mem.put(MemBase, assemble(c.text));
        b.golden_mem = b.mem;
        Wave *w = b.add({});
        b.golden_run({w});
        b.run({w});
        if (!w->faulted || w->event.status != c.status || w->fault != (int)c.status)
            fail("fault %s: status %u, golden %d, expected %u", c.name, w->event.status, w->fault, c.status);
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

int main()
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
    run_one(b, "valu", valu_program);
    run_one(b, "lds", lds_program, lds);
    run_one(b, "flat", flat_program, flat);
    run_group(b);
    run_faults(b);
    std::printf("passed\n");
    return 0;
}
