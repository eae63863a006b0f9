// Wavefronts that start with everything a launch can give them, and end: nothing but lock step would miss a part of it.
    .amdgcn_target "amdgcn-amd-amdhsa--gfx803"
    .text
    .globl start
    .p2align 8
    .type start,@function
start:
    s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel start
      .amdhsa_user_sgpr_dispatch_ptr 1
      .amdhsa_user_sgpr_kernarg_segment_ptr 1
      .amdhsa_system_sgpr_workgroup_id_x 1
      .amdhsa_system_sgpr_workgroup_id_y 1
      .amdhsa_system_sgpr_workgroup_id_z 1
      .amdhsa_system_sgpr_workgroup_info 1
      .amdhsa_system_vgpr_workitem_id 2
      .amdhsa_float_round_mode_32 1
      .amdhsa_float_round_mode_16_64 2
      .amdhsa_float_denorm_mode_32 0
      .amdhsa_float_denorm_mode_16_64 3
      .amdhsa_dx10_clamp 0
      .amdhsa_ieee_mode 1
      .amdhsa_group_segment_fixed_size 700
      .amdhsa_next_free_vgpr 9
      .amdhsa_next_free_sgpr 20
    .end_amdhsa_kernel
    .amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.kernels:
  - {.name: start, .symbol: start.kd, .kernarg_segment_size: 0, .group_segment_fixed_size: 700, .private_segment_fixed_size: 0,
     .kernarg_segment_align: 8, .wavefront_size: 64, .sgpr_count: 20, .vgpr_count: 9, .max_flat_workgroup_size: 1024}
    .end_amdgpu_metadata
