// SPDX-License-Identifier: Apache-2.0
// Small programs of the bench of cu in which the LDS takes part: DS, FLAT, buffer instructions with the lds bit, barriers.
#pragma once

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
