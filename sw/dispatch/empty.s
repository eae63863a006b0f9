// SPDX-License-Identifier: Apache-2.0
// A kernel of one s_endpgm that names no SGPR; VGPRS registers and LDS bytes are what it takes in a CU (-Wa,-defsym,NAME=N).
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl empty
.p2align 8
.type empty,@function
empty:
  s_endpgm
.Lend:
.size empty, .Lend-empty
.rodata
.p2align 6
.amdhsa_kernel empty
  .amdhsa_next_free_vgpr VGPRS
  .amdhsa_next_free_sgpr 1
  .amdhsa_group_segment_fixed_size LDS
  .amdhsa_system_sgpr_workgroup_id_x 0
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: empty
    .symbol: empty.kd
    .kernarg_segment_size: 0
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 4
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 1024
...
.end_amdgpu_metadata
