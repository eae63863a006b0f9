// SPDX-License-Identifier: Apache-2.0
// out[i] = in[i] through the LDS, without a VGPR of data: each wavefront of the work-group loads 64 dwords to its place, then stores
// those that the next wavefront has loaded.
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl through_lds
.p2align 8
.type through_lds,@function
through_lds:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  v_readfirstlane_b32 s20, v0
  s_lshr_b32 s20, s20, 6                       // wavefront in its group of four
  s_waitcnt lgkmcnt(0)
  s_mov_b32 s8, s6                             // in: raw, 4 bytes a lane by add-tid
  s_or_b32 s9, s7, 0x40000
  s_movk_i32 s10, 0x1000
  s_mov_b32 s11, 0x824fac
  s_mov_b32 s12, s4                            // out
  s_or_b32 s13, s5, 0x40000
  s_movk_i32 s14, 0x1000
  s_mov_b32 s15, 0x824fac
  s_lshl_b32 s21, s2, 10                       // the group's 1,024 bytes
  s_lshl_b32 s22, s20, 8
  s_add_u32 s23, s21, s22
  s_mov_b32 m0, s22
  buffer_load_dword off, s[8:11], s23 lds
  s_waitcnt vmcnt(0)
  s_barrier
  s_add_u32 s20, s20, 1
  s_and_b32 s20, s20, 3
  s_lshl_b32 s22, s20, 8
  s_add_u32 s23, s21, s22
  s_mov_b32 m0, s22
  buffer_store_lds_dword s[12:15], s23 lds
  s_endpgm
Lend:
.size through_lds, Lend-through_lds
.rodata
.p2align 6
.amdhsa_kernel through_lds
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 1024
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 24
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 1 ]
amdhsa.kernels:
  - .name: through_lds
    .symbol: through_lds.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: in, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
