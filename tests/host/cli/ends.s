; SPDX-License-Identifier: Apache-2.0
; Kernels that end badly in one way each, for tests/host/cli/test_bad_ends.py.
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.macro kernel name, ids=0    ; 1: all three numbers of the work-group, from s0 on
  .text
  .globl \name
  .p2align 8
  .type \name,@function
  .rodata
  .p2align 6
  .amdhsa_kernel \name
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 16
    .amdhsa_group_segment_fixed_size 64
    .amdhsa_system_sgpr_workgroup_id_y \ids
    .amdhsa_system_sgpr_workgroup_id_z \ids
  .end_amdhsa_kernel
  .text
\name:
.endm
.macro only_second other   ; wavefronts but the second of a group go to `other`
  v_readfirstlane_b32 s4, v0
  s_cmp_eq_u32 s4, 64
  s_cbranch_scc0 \other
.endm

kernel opcode              ; no such opcode, in the second wavefront
  only_second 1f
  .long 0xfe000000
1:
  s_endpgm

kernel group_number, 1     ; only work-group 1,2,1 goes wrong
  s_lshl_b32 s1, s1, 4
  s_lshl_b32 s2, s2, 8
  s_or_b32 s0, s0, s1
  s_or_b32 s0, s0, s2
  s_cmp_lg_u32 s0, 0x121
  s_cbranch_scc1 1f
  .long 0xfe000000
1:
  s_endpgm

kernel image               ; tier X
  image_load v0, v0, s[0:7] dmask:0x1
  s_endpgm

kernel registers           ; beyond the allocation
  v_mov_b32 v200, v0
  s_endpgm

kernel reserved            ; a pair of scalars at an odd number
  .long 0xbe840103
  s_endpgm

kernel trap
  s_nop 0
  s_trap 2

kernel jump                ; to where nothing is
  s_mov_b32 s4, 0x1000
  s_mov_b32 s5, 0x77
  s_setpc_b64 s[4:5]

kernel store               ; to where nothing is; the next instruction waits for it
  v_mov_b32 v1, 0x77
  v_mov_b32 v0, 0
  flat_store_dword v[0:1], v0
  s_waitcnt vmcnt(0)
  s_endpgm

kernel unaligned           ; an atomic
  v_mov_b32 v1, 0x77
  v_mov_b32 v0, 1
  flat_atomic_add v[0:1], v0
  s_waitcnt vmcnt(0)
  s_endpgm

.macro go_on               ; what issues before the fault of an access is reported
  .rept 40
  s_add_u32 s12, s12, 1
  .endr
  s_endpgm
.endm
.macro places              ; s[4:5], v[2:3]: code; s[6:7], v[0:1]: where nothing is
  s_getpc_b64 s[4:5]
  s_mov_b32 s6, 0
  s_mov_b32 s7, 0x77
  v_mov_b32 v0, s6
  v_mov_b32 v1, s7
  v_mov_b32 v2, s4
  v_mov_b32 v3, s5
.endm

kernel vector_late         ; the second of three loads, whose wavefront goes on
  places
  flat_load_dword v4, v[2:3]
  flat_load_dword v5, v[0:1]
  flat_load_dword v6, v[2:3]
  go_on

kernel buffer_late
  s_mov_b32 s8, 0
  s_mov_b32 s9, 0x77
  s_mov_b32 s10, 64
  s_mov_b32 s11, 0x27fac
  buffer_store_dword v0, off, s[8:11], 0
  go_on

kernel scalar_late
  places
  s_load_dword s8, s[4:5], 0x0
  s_load_dwordx2 s[10:11], s[6:7], 0x40
  s_load_dword s9, s[4:5], 0x0
  go_on

kernel scalar_buffer_late
  s_getpc_b64 s[4:5]
  s_mov_b32 s8, 0
  s_mov_b32 s9, 0x77
  s_mov_b32 s10, 64
  s_mov_b32 s11, 0
  s_buffer_load_dword s6, s[8:11], 0x8
  s_load_dword s7, s[4:5], 0x0
  go_on

kernel scalar_store_late
  places
  s_store_dword s4, s[6:7], 0x0
  s_memtime s[8:9]
  go_on

kernel lds_order           ; the first reads in the LDS what the second, whose load is still under way, has added
  v_mov_b32 v6, 0
  v_mov_b32 v7, 1
  s_mov_b32 m0, -1
  only_second 1f
  places
  flat_load_dword v4, v[2:3]
  ds_add_u32 v6, v7
  s_barrier
  go_on
1:
  s_barrier
  ds_read_b32 v5, v6
  s_waitcnt lgkmcnt(0)
  s_nop 15
  s_nop 15
  .long 0xfe000000

kernel loop                ; endless, in the second wavefront; the first waits at a barrier
  only_second 2f
1:
  s_branch 1b
2:
  s_barrier
  s_endpgm

kernel halt                ; the second wavefront halts, the first waits at a barrier for ever
  only_second 1f
  s_sethalt 1
1:
  s_barrier
  s_endpgm

kernel ended               ; a barrier does not wait for wavefronts that have ended
  only_second 1f
  s_endpgm
1:
  s_barrier
  s_barrier
  s_endpgm

kernel sleep               ; for a while
  s_sleep 1
  s_endpgm

kernel count               ; a loop of 28 cycles that takes more than 2^20 of them and sends no message
  s_mov_b32 s4, 50000
1:
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 1b
  s_endpgm

kernel spin                ; endless, every wavefront
1:
  s_branch 1b

kernel rounds              ; endless, every wavefront from barrier to barrier
  s_nop 0
1:
  s_barrier
  s_branch 1b

kernel through             ; past the end of the code, where zeros follow
  s_nop 0

.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.kernels:
  - {.name: opcode, .symbol: opcode.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: group_number, .symbol: group_number.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: registers, .symbol: registers.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: reserved, .symbol: reserved.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: trap, .symbol: trap.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: jump, .symbol: jump.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: through, .symbol: through.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: store, .symbol: store.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: unaligned, .symbol: unaligned.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: lds_order, .symbol: lds_order.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: loop, .symbol: loop.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: halt, .symbol: halt.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: ended, .symbol: ended.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: rounds, .symbol: rounds.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: spin, .symbol: spin.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: sleep, .symbol: sleep.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: count, .symbol: count.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: image, .symbol: image.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: vector_late, .symbol: vector_late.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: buffer_late, .symbol: buffer_late.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: scalar_late, .symbol: scalar_late.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: scalar_buffer_late, .symbol: scalar_buffer_late.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
  - {.name: scalar_store_late, .symbol: scalar_store_late.kd, .kernarg_segment_size: 0, .kernarg_segment_align: 8, .group_segment_fixed_size: 64, .private_segment_fixed_size: 0, .wavefront_size: 64, .sgpr_count: 16, .vgpr_count: 8, .max_flat_workgroup_size: 256}
.end_amdgpu_metadata
