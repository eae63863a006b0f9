// SPDX-License-Identifier: Apache-2.0
// top: cu
// lib: yes
// args: -Wno-UNUSEDPARAM -Wno-PINCONNECTEMPTY -Wno-UNUSEDSIGNAL
// sources: build/gen/gantry_cfg_pkg.sv rtl/cu/cu_pkg.sv build/gen/gcn3_pkg.sv rtl/cu/cu_front_pkg.sv rtl/cu/cu_head_pkg.sv rtl/cu/cu_decode_pkg.sv rtl/cu/cu_operand_pkg.sv build/gen/gantry_msg_pkg.sv rtl/common/pick_pkg.sv rtl/common/latency_floor.sv rtl/cu/salu_pkg.sv rtl/cu/valu_int_pkg.sv rtl/fpu/fpu_div_pkg.sv rtl/fpu/fpu_fma_pkg.sv rtl/fpu/fpu_misc_pkg.sv build/gen/trans_tables_pkg.sv rtl/fpu/fpu_trans_pkg.sv rtl/cu/valu_cmp_pkg.sv rtl/cu/valu_dec_pkg.sv rtl/cu/valu_lanes_pkg.sv rtl/fpu/fpu_serial_pkg.sv rtl/cu/simd_regs_pkg.sv rtl/cu/valu_lane_pkg.sv rtl/fpu/fpu_sum_pkg.sv rtl/cu/cu_vmem_pkg.sv rtl/l1/l1v_pkg.sv rtl/tlb/tlb_pkg.sv rtl/lds/lds_fadd_pkg.sv rtl/lds/lds_atomic_pkg.sv rtl/lds/lds_pkg.sv rtl/tech/ram_2r1w_banked.sv rtl/cu/cu_fetch.sv rtl/tech/ram_1r1w.sv rtl/cu/cu_smem_pc.sv rtl/cu/cu_fill.sv rtl/cu/cu_issue.sv rtl/cu/cu_perf.sv rtl/cu/cu_scalar.sv rtl/cu/cu_sgpr.sv rtl/cu/issue_queue.sv rtl/cu/cu_front.sv rtl/tech/tech_mul_pkg.sv rtl/fpu/fpu_fma64_pkg.sv rtl/fpu/fpu_misc64_pkg.sv rtl/fpu/fpu_seed64_pkg.sv rtl/cu/simd_rows_pkg.sv rtl/cu/cu_simd.sv rtl/cu/cu_vmem_slots.sv rtl/cu/cu_vmem_coalesce.sv rtl/cu/cu_vmem_request.sv rtl/cu/cu_vmem_return.sv rtl/cu/cu_vmem_writeback.sv rtl/cu/cu_vmem_parts.sv rtl/cu/cu_vmem_coalesce_narrow.sv rtl/cu/cu_vmem_request_narrow.sv rtl/cu/cu_vmem_return_narrow.sv rtl/cu/cu_vmem_pipe.sv rtl/l1/l1v.sv rtl/tlb/tlb_l1.sv rtl/cu/cu_vmem.sv rtl/tech/ram_banked.sv rtl/lds/lds_collect.sv rtl/lds/lds_step_pkg.sv rtl/lds/lds_serial.sv rtl/lds/lds_execute.sv rtl/lds/lds_writeback.sv rtl/lds/lds_unit.sv rtl/cu/cu.sv
// mutate: rtl/cu/cu.sv: lds_vrd[s/2].row => lds_vrd[0].row
// mutate: rtl/cu/cu_smem_pc.sv: pc_o <= pcs[place] => pc_o <= pcs[0]
//
// The compute unit against the golden model: small programs of every class, each register write compared.
#include "tests/rtl/cu/harness.h"

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

// buffers whose end lies in a load or a store, with and without stride; stores of registers of all kinds, read again;
// other instructions of the wavefront in the turns that these take
static const char *buffer_program = R"(
  s_mov_b32 s0, 0x200000
  s_mov_b32 s1, 0
  s_mov_b32 s4, 0x200000
  s_mov_b32 s5, 0
  s_movk_i32 s6, 0x52
  s_mov_b32 s7, 0x24fac
  s_movk_i32 s34, 0x31
  s_movk_i32 m0, 0x48
  s_buffer_load_dwordx8 s[8:15], s[4:7], 0x40
  v_add_u32 v1, vcc, s4, v0
  s_buffer_load_dwordx2 s[16:17], s[4:7], s34
  s_buffer_load_dwordx4 s[20:23], s[4:7], m0
  s_buffer_load_dword s18, s[4:7], 0x50
  s_buffer_load_dword s19, s[4:7], 0x4c
  s_mov_b32 s35, 3
  v_mov_b32 v2, s35
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s5, 0x140000
  s_movk_i32 s6, 3
  s_buffer_load_dwordx16 s[40:55], s[4:7], 0x20
  s_buffer_load_dwordx4 s[56:59], s[4:7], 0xffff0
  s_waitcnt lgkmcnt(0)
  s_add_u32 s60, s41, s58
  s_mov_b64 vcc, s[10:11]
  s_store_dword s9, s[0:1], 0x400
  s_store_dwordx2 vcc, s[0:1], 0x408
  s_store_dwordx4 s[20:23], s[0:1], m0
  s_store_dword vcc_hi, s[0:1], 0x424
  v_mov_b32 v3, vcc_lo
  s_store_dwordx2 ttmp[4:5], s[0:1], s34 glc
  s_buffer_store_dwordx4 s[8:11], s[4:7], 0x38
  s_buffer_store_dword s34, s[4:7], s34
  s_buffer_store_dwordx2 s[12:13], s[4:7], 0x3c
  s_buffer_store_dwordx2 s[8:9], s[4:7], m0
  s_mov_b32 s61, 77
  s_waitcnt lgkmcnt(0)
  s_dcache_wb
  s_load_dwordx16 s[64:79], s[0:1], 0x30
  s_load_dwordx4 s[80:83], s[0:1], 0x400
  s_waitcnt lgkmcnt(0)
  s_xor_b32 s60, s60, s70
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


// results of the serial unit at once in other units: vector ALU of all rates, masks, LDS and vector memory; literals
static const char *real_program = R"(
  s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 3, v0
  v_add_u32 v2, vcc, s0, v1
  v_mov_b32 v3, s1
  v_cvt_f64_i32 v[4:5], v0
  v_add_f64 v[6:7], v[4:5], 0.5
  v_xor_b32 v8, v6, v7
  v_fma_f64 v[10:11], v[6:7], v[4:5], -v[6:7]
  v_lshlrev_b64 v[12:13], 3, v[10:11]
  v_mul_f64 v[10:11], v[10:11], v[6:7]
  v_mad_u64_u32 v[14:15], vcc, v10, v11, v[10:11]
  v_rcp_f64 v[16:17], v[6:7]
  ds_write_b64 v1, v[16:17]
  v_sqrt_f64 v[18:19], v[6:7]
  flat_store_dwordx2 v[2:3], v[18:19]
  v_cmp_lt_f64 vcc, 0x40340000, v[4:5]
  v_cndmask_b32 v20, v0, v1, vcc
  v_ceil_f64 v[22:23], 0x40490fdb
  v_cvt_i32_f64 v24, v[22:23]
  v_readlane_b32 s9, v24, 7
  v_div_scale_f64 v[26:27], s[2:3], v[6:7], v[6:7], v[4:5]
  s_and_b64 s[4:5], s[2:3], vcc
  v_cmpx_gt_f64 vcc, v[10:11], v[4:5]
  v_max_f64 v[28:29], v[4:5], s[0:1]
  s_mov_b64 exec, -1
  s_waitcnt vmcnt(0) lgkmcnt(0)
  ds_read_b64 v[30:31], v1
  s_waitcnt lgkmcnt(0)
  v_add_f64 v[30:31], v[30:31], v[16:17]
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

// Flat accesses to the LDS and DS instructions of one wavefront take effect in program order, without waits between.
static const char *flat_lds_program = R"(
  s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, v1
  v_mov_b32 v3, 0x20000000
  v_mul_u32_u24 v4, 0x12345, v0
  s_movk_i32 s6, 5
again:
  flat_store_dword v[2:3], v4
  ds_read_b32 v5, v1
  ds_write_b32 v1, v0
  flat_load_dword v6, v[2:3]
  ds_write_b32 v1, v4 offset:4
  ds_write2_b32 v1, v0, v4 offset0:3 offset1:77
  ds_add_u32 v1, v4
  flat_atomic_add v7, v[2:3], v4 glc
  ds_add_rtn_u32 v8, v1, v0
  flat_load_dwordx2 v[10:11], v[2:3]
  ds_write_b64 v1, v[0:1] offset:8
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_xor_b32 v9, v5, v6
  v_xor_b32 v9, v9, v7
  v_xor_b32 v4, v9, v8
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 again
  v_cmp_gt_u32 vcc, 40, v0
  v_mov_b32 v12, s1
  v_add_u32 v13, s[4:5], s0, v1
  v_cndmask_b32 v14, v13, v1, vcc
  v_cndmask_b32 v15, v12, v3, vcc
  flat_load_dwordx4 v[16:19], v[14:15]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_lshlrev_b32 v14, 2, v14
  v_add_u32 v14, vcc, 0x380, v1
  v_mov_b32 v15, v3
  flat_store_dwordx3 v[14:15], v[16:18]
  flat_load_sbyte v20, v[14:15]
  flat_load_dword v21, v[14:15]
  flat_atomic_cmpswap_x2 v[22:23], v[14:15], v[16:19] glc
  flat_atomic_inc v[14:15], v17
  flat_load_dwordx4 v[24:27], v[14:15]
  v_mov_b32 v28, 0xfffffffc
  v_mov_b32 v29, v3
  flat_load_dword v30, v[28:29]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  s_endpgm
)";

// Buffer instructions between memory and the LDS beside DS instructions of the same wavefront, in program order without waits for DS;
// only what a load brings is waited for before a buffer store or a FLAT load takes it.  Over the end of the allocation, out of EXEC,
// beyond the buffer, with M0 from a lane, and several under way at once.
static const char *buffer_lds_program = R"(
  s_mov_b32 s8, s0
  s_or_b32 s9, s1, 0x80000
  s_movk_i32 s10, 256
  s_mov_b32 s11, 0x824fac
  s_mov_b32 s12, s0
  s_mov_b32 s13, s1
  s_movk_i32 s14, 600
  s_mov_b32 s15, 0x24fac
  v_lshlrev_b32 v1, 2, v0
  v_mul_u32_u24 v4, 0x12345, v0
  s_movk_i32 s6, 3
again:
  s_mov_b32 m0, 0x7fff0000
  buffer_load_dword v1, s[12:15], 0 offen lds
  s_mov_b32 m0, -1
  ds_read_b32 v5, v1
  ds_write_b32 v1, v4 offset:200
  s_movk_i32 m0, 196
  buffer_store_lds_dword s[8:11], 0 offset:6 lds
  s_mov_b32 m0, -1
  ds_write_b32 v1, v0 offset:204
  s_movk_i32 m0, 513
  buffer_load_sbyte v0, s[12:15], 7 idxen lds
  buffer_load_ushort off, s[12:15], 9 offset:300 glc lds
  s_movk_i32 m0, 904
  buffer_load_dword v[0:1], s[8:11], 16 idxen offen lds
  s_waitcnt vmcnt(0)
  buffer_store_lds_dword s[8:11], m0 lds
  s_mov_b32 m0, -1
  ds_read2_b32 v[6:7], v1 offset0:128 offset1:200
  ds_read2_b32 v[8:9], v1 offset0:49 offset1:210
  v_cmp_gt_u32 vcc, 40, v0
  s_and_saveexec_b64 s[4:5], vcc
  v_readlane_b32 m0, v1, 21
  buffer_store_lds_dword s[8:11], 0 offset:4 lds
  buffer_load_ubyte v1, s[12:15], 0 offen lds
  s_mov_b64 exec, 0
  buffer_load_dword v1, s[12:15], 0 offen lds
  buffer_store_lds_dword s[8:11], 0 lds
  s_mov_b64 exec, s[4:5]
  s_waitcnt vmcnt(0)
  buffer_store_lds_dword s[8:11], 0 offset:12 lds
  s_mov_b32 m0, -1
  ds_read_b32 v10, v1 offset:84
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_xor_b32 v4, v5, v6
  v_xor_b32 v4, v4, v8
  s_sub_u32 s6, s6, 1
  s_cmp_lg_u32 s6, 0
  s_cbranch_scc1 again
  buffer_load_dword v11, v0, s[8:11], 0 idxen
  s_waitcnt vmcnt(0)
  s_endpgm
)";

// One instruction with lanes in the LDS, in scratch (whose window has a base) and in memory.
static const char *mixed_program = R"(
  s_mov_b32 flat_scratch_lo, 0x400
  s_movk_i32 flat_scratch_hi, 0x10
  v_lshlrev_b32 v1, 4, v0
  v_and_b32 v2, 3, v0
  v_mov_b32 v4, 0x20000000
  v_mov_b32 v5, 0x20000001
  v_mov_b32 v7, s1
  v_add_u32 v6, vcc, s0, v1
  v_cmp_eq_u32 vcc, 0, v2
  v_cndmask_b32 v8, v6, v1, vcc
  v_cndmask_b32 v9, v7, v4, vcc
  v_cmp_eq_u32 vcc, 1, v2
  v_cndmask_b32 v8, v8, v1, vcc
  v_cndmask_b32 v9, v9, v5, vcc
  v_mul_u32_u24 v12, 0x12345, v0
  v_mul_u32_u24 v13, 0x23457, v0
  v_mul_u32_u24 v14, 0x34569, v0
  v_mul_u32_u24 v15, 0x4567b, v0
  flat_store_dwordx4 v[8:9], v[12:15]
  flat_load_dwordx3 v[16:18], v[8:9]
  flat_store_byte v[8:9], v13
  flat_load_ushort v19, v[8:9]
  flat_load_dwordx4 v[20:23], v[8:9]
  s_waitcnt vmcnt(0) lgkmcnt(0)
  flat_store_dwordx3 v[8:9], v[21:23]
  flat_load_dwordx2 v[24:25], v[8:9]
  s_waitcnt vmcnt(0) lgkmcnt(0)
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


// ---- random programs: blocks of scalar and vector instructions around memory instructions whose results are
// waited for; every wavefront has its own memory and LDS, and two barriers with its group.
struct Generator {
    Random &r;
    std::string out;
    void line(const char *format, ...)
    {
        char text[200];
        va_list args;
        va_start(args, format);
        vsnprintf(text, sizeof text, format, args);
        va_end(args);
        out += std::string("  ") + text + "\n";
    }
    // scalar operand: s8..s63, vcc_lo, m0, constants
    std::string ss(bool wide = false)
    {
        char t[40];
        unsigned n = 8 + r.below(28) * 2;
        switch (r.below(9)) {
        case 0: snprintf(t, sizeof t, "%d", (int)r.below(81) - 16); break;
        case 1: snprintf(t, sizeof t, wide ? "vcc" : "vcc_lo"); break;
        case 2: snprintf(t, sizeof t, "%s", r.below(2) ? "1.0" : "-4.0"); break;
        default: snprintf(t, sizeof t, wide ? "s[%u:%u]" : "s%u", n, n + 1);
        }
        return t;
    }
    std::string sd(bool wide = false)
    {
        char t[40];
        unsigned n = 8 + r.below(28) * 2;
        if (r.below(12) == 0)
            return wide ? "vcc" : "vcc_hi";
        snprintf(t, sizeof t, wide ? "s[%u:%u]" : "s%u", wide ? n : n + r.below(2), n + 1);
        return t;
    }
    unsigned v() { return 4 + r.below(24); }
    void scalar()
    {
        static const char *const two[] = {"s_add_u32", "s_sub_u32", "s_addc_u32", "s_subb_u32", "s_add_i32", "s_sub_i32", "s_min_i32",
            "s_max_u32", "s_and_b32", "s_or_b32", "s_xor_b32", "s_andn2_b32", "s_nor_b32", "s_lshl_b32", "s_lshr_b32", "s_ashr_i32",
            "s_mul_i32", "s_bfe_u32", "s_bfe_i32", "s_bfm_b32", "s_absdiff_i32", "s_cselect_b32"};
        static const char *const two64[] = {"s_and_b64", "s_or_b64", "s_xor_b64", "s_orn2_b64", "s_nand_b64", "s_cselect_b64"};
        static const char *const one[] = {"s_mov_b32", "s_not_b32", "s_brev_b32", "s_bcnt1_i32_b32", "s_ff1_i32_b32", "s_flbit_i32",
            "s_sext_i32_i8", "s_abs_i32", "s_cmov_b32", "s_ff0_i32_b32"};
        static const char *const one64[] = {"s_mov_b64", "s_not_b64", "s_brev_b64", "s_cmov_b64"};
        static const char *const cmp[] = {"s_cmp_lt_i32", "s_cmp_ge_u32", "s_cmp_eq_u32", "s_cmp_lg_i32", "s_bitcmp1_b32"};
        switch (r.below(8)) {
        case 0: case 1: case 2: line("%s %s, %s, %s", two[r.below(22)], sd().c_str(), ss().c_str(), ss().c_str()); break;
        case 3: line("%s %s, %s, %s", two64[r.below(6)], sd(true).c_str(), ss(true).c_str(), ss(true).c_str()); break;
        case 4: line("%s %s, %s", one[r.below(10)], sd().c_str(), ss().c_str()); break;
        case 5: line("%s %s, %s", one64[r.below(4)], sd(true).c_str(), ss(true).c_str()); break;
        case 6: line("%s %s, %s", cmp[r.below(5)], ss().c_str(), ss().c_str()); break;
        default: line("s_%s %s, 0x%x", r.below(2) ? "addk_i32" : "mulk_i32", sd().c_str(), r.below(0x7fff)); break;
        }
    }
    void vector()
    {
        static const char *const two[] = {"v_and_b32", "v_or_b32", "v_xor_b32", "v_lshlrev_b32", "v_lshrrev_b32", "v_ashrrev_i32",
            "v_min_u32", "v_max_i32", "v_mul_u32_u24", "v_add_f32", "v_mul_f32", "v_mac_f32"};
        static const char *const three[] = {"v_bfe_u32", "v_bfi_b32", "v_alignbit_b32", "v_mad_u32_u24", "v_perm_b32", "v_fma_f32", "v_med3_i32"};
        char src[20];
        snprintf(src, sizeof src, "%s", r.below(3) ? ("v" + std::to_string(v())).c_str() : ss().c_str());
        switch (r.below(14)) {
        case 0: case 1: case 2: line("%s v%u, %s, v%u", two[r.below(12)], v(), src, v()); break;
        case 3: line("%s v%u, v%u, v%u, %s", three[r.below(7)], v(), v(), v(), src); break;
        case 4: line("v_add_u32 v%u, vcc, %s, v%u", v(), src, v()); break;
        case 5: line("v_addc_u32 v%u, vcc, v%u, v%u, vcc", v(), v(), v()); break;
        case 6: line("v_cmp_lt_i32 vcc, %s, v%u", src, v()); break;
        case 7: { unsigned n = 8 + r.below(28) * 2; line("v_cmp_ne_u32 s[%u:%u], v%u, v%u", n, n + 1, v(), v()); break; }
        case 8: line("v_cndmask_b32 v%u, v%u, v%u, vcc", v(), v(), v()); break;
        case 9: line("v_mul_lo_u32 v%u, v%u, %s", v(), v(), src); break;
        case 10: line("v_readlane_b32 s%u, v%u, %u", 8 + r.below(56), v(), r.below(64)); break;
        case 11: case 12: real(); break;
        default: { unsigned n = 4 + r.below(12) * 2; line("v_lshlrev_b64 v[%u:%u], v%u, v[%u:%u]", n, n + 1, v(), n, n + 1); }
        }
    }
    // double precision
    void real()
    {
        static const char *const one[] = {"v_rcp_f64", "v_floor_f64", "v_fract_f64", "v_frexp_mant_f64"};
        unsigned d = 4 + r.below(23), a = 4 + r.below(23), b = 4 + r.below(23), n = 8 + r.below(28) * 2;  // loads write from v28 on
        std::string src = r.below(3) ? "v[" + std::to_string(a) + ":" + std::to_string(a + 1) + "]" : ss(true);
        switch (r.below(8)) {
        case 0: line("v_add_f64 v[%u:%u], %s, -v[%u:%u]", d, d + 1, src.c_str(), b, b + 1); break;
        case 1: line("v_fma_f64 v[%u:%u], v[%u:%u], %s, v[%u:%u]", d, d + 1, a, a + 1, src.c_str(), b, b + 1); break;
        case 2: line("%s v[%u:%u], %s", one[r.below(4)], d, d + 1, r.below(4) ? src.c_str() : "0x40490fdb"); break;
        case 3: line("v_cvt_f64_i32 v[%u:%u], v%u", d, d + 1, a); break;
        case 4: line("v_cvt_i32_f64 v%u, %s", d, src.c_str()); break;
        case 5: line("v_cmp_lt_f64 vcc, %s, v[%u:%u]", src.c_str(), b, b + 1); break;
        case 6: line("v_div_fmas_f64 v[%u:%u], v[%u:%u], v[%u:%u], 1.0", d, d + 1, a, a + 1, b, b + 1); break;
        default: line("v_div_scale_f64 v[%u:%u], s[%u:%u], v[%u:%u], v[%u:%u], v[%u:%u]", d, d + 1, n, n + 1, a, a + 1, a, a + 1, b, b + 1);
        }
    }
    void some(unsigned n)
    {
        for (unsigned i = 0; i < n; i++)
            r.below(5) < 2 ? scalar() : vector();
    }
    // v0 item, v1 byte offset, v[2:3] address, v[32:33] in the LDS, v[34:35] by lane there or in memory; results of loads go to v28..v31 and s64..s79
    void memory()
    {
        switch (r.below(13)) {
        case 7: line("flat_load_dwordx4 v[28:31], v[%s]", r.below(2) ? "32:33" : "34:35"); break;
        case 8: line("flat_store_dwordx2 v[%s], v[%u:%u]", r.below(2) ? "32:33" : "34:35", 4, 5); break;
        case 9: line("flat_atomic_umax v29, v[%s], v%u glc", r.below(2) ? "32:33" : "34:35", v()); break;
        case 10: line("flat_store_short v[32:33], v%u", v()); line("ds_read_b32 v29, v1"); break;
        case 11: line("ds_write_b32 v1, v%u offset:4", v()); line("flat_load_dwordx3 v[28:30], v[32:33]"); break;
        case 12: line("flat_load_ubyte v31, v[%s]", r.below(2) ? "32:33" : "34:35"); break;
        case 0: line("flat_load_dword v28, v[2:3]"); break;
        case 1: line("flat_load_dwordx4 v[28:31], v[2:3]"); break;
        case 2: line("flat_store_dword v[2:3], v%u", v()); break;
        case 3: line("ds_write_b32 v1, v%u offset:%u", v(), r.below(4) * 4); break;
        case 4: line("ds_read_b32 v29, v1 offset:%u", r.below(4) * 4); break;
        case 5: line("s_load_dwordx%u s[64:%u], s[0:1], 0x%x", 4u, 67u, r.below(60) * 4); break;
        default: line("flat_atomic_add v30, v[2:3], v%u glc", v()); break;
        }
        some(r.below(4));
        line("s_waitcnt vmcnt(0) lgkmcnt(0)");
        if (r.below(2))
            line("v_xor_b32 v%u, v%u, v%u", v(), 28 + r.below(4), v());
        else
            line("s_add_u32 s%u, s%u, s%u", 8 + r.below(56), 64 + r.below(4), 8 + r.below(56));
    }
    std::string program(unsigned blocks)
    {
        line("s_mov_b64 s[4:5], exec");
        line("s_mov_b64 exec, -1");  // initial values in all lanes
        line("s_mov_b32 m0, -1");
        line("v_lshlrev_b32 v1, 4, v0");
        line("v_add_u32 v2, vcc, s0, v1");
        line("v_mov_b32 v3, s1");
        line("v_mov_b32 v32, v1");
        line("v_mov_b32 v33, 0x20000000");
        line("v_cmp_lt_u32 vcc, %u, v0", r.below(64));
        line("v_cndmask_b32 v34, v2, v32, vcc");
        line("v_cndmask_b32 v35, v3, v33, vcc");
        for (unsigned i = 4; i < 32; i++)
            line("v_mul_u32_u24 v%u, 0x%x, v0", i, r.below(1 << 20) * 2 + 1);
        for (unsigned i = 24; i < 80; i++)
            line("s_mov_b32 s%u, 0x%x", i, r());
        for (unsigned i = 0; i < 4; i++)
            line("ds_write_b32 v1, v%u offset:%u", 4 + i, 4 * i);
        line("s_mov_b64 exec, s[4:5]");
        line("s_movk_i32 s7, 0x%x", 1 + r.below(3));
        for (unsigned k = 0; k < blocks; k++) {
            if (k == blocks / 2)
                out += "loop:\n";
            some(2 + r.below(6));
            if (r.below(4) == 0) {
                line("v_cmp_gt_u32 vcc, %u, v%u", r.below(64), r.below(2) ? 0 : v());
                line("s_and_saveexec_b64 s[4:5], vcc");
                line("s_cbranch_execz skip%u", k);
                some(3);
                memory();
                out += "skip" + std::to_string(k) + ":\n";
                line("s_mov_b64 exec, s[4:5]");
            } else {
                memory();
            }
        }
        line("s_barrier");
        line("s_sub_u32 s7, s7, 1");
        line("s_cmp_lg_u32 s7, 0");
        line("s_cbranch_scc1 loop");
        line("s_endpgm");
        return out;
    }
};

static void run_random(Bench &b, unsigned count)
{
    b.waves.clear();
    std::vector<Wave *> set;
    uint64_t pc = MemBase, start = b.evaluated;
    size_t total = 0;
    for (unsigned n = 0; n < count; n++) {
        Generator g{b.rnd, {}};
        auto code = assemble(g.program(12));
        b.mem.put(pc, code);
        WaveSetup q;
        q.pc = pc;
        q.simd = n & 3;
        q.slot = (n >> 2) * 3 % 10;
        q.group = n;
        q.vgpr_base = (n >> 2) * 40;
        q.sgpr_base = (n >> 2) * 80 + 16;
        q.lds_base = n * 1024 + 512;
        q.lds_bytes = 1024;
        q.exec = b.rnd.below(3) ? ~0ull : (uint64_t)b.rnd() << 32 | b.rnd();
        q.sgpr = {0x200000 + n * 0x1000, 0};
        set.push_back(b.add(q));
        pc = (pc + code.size() * 4 + 319) & ~63ull;
    }
    b.golden_mem = b.mem;
    b.observe = true;
    // lanes that EXEC switches off and registers that no instruction writes keep what earlier wavefronts left
    b.compare_registers = false;
    b.golden_run(set);
    b.run(set);
    b.same_memory();
    for (Wave *w : set)
        total += w->trace.size();
    std::printf("random: %u wavefronts, %zu instructions, %llu cycles\n", count, total, (unsigned long long)(b.evaluated - start));
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
    run_group(b);
    run_faults(b);
    unsigned rounds = argc > 1 ? std::atoi(argv[1]) : 6;
    for (unsigned i = 0; i < rounds; i++) {
        b.latency = 8 + 40 * (i & 1);
        run_random(b, 1 + b.rnd.below(20));
    }
    std::printf("passed: %llu register writes compared\n", (unsigned long long)b.observed);
    return 0;
}
