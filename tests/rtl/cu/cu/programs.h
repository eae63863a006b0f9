// SPDX-License-Identifier: Apache-2.0
// Small programs of the bench of cu: scalar, scalar memory, buffers, vector ALU and its serial unit.
#pragma once

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
