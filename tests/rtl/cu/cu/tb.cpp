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

int main()
{
    Bench b;
    for (unsigned i = 0; i < MemBytes; i += 4) {
        uint32_t x = b.rnd();
        memcpy(&b.mem.bytes[i], &x, 4);
    }
    run_one(b, "scalar", scalar_program);
    run_one(b, "smem", smem_program);
    run_one(b, "valu", valu_program);
    std::printf("passed\n");
    return 0;
}
