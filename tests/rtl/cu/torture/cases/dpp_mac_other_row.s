; v_mac needs all read ports of the SIMD, so the lane of another row has a slot of its own: every control, onto its own sources too
  v_mbcnt_lo_u32_b32 v0, -1, 0
  v_mbcnt_hi_u32_b32 v0, -1, v0
  v_cvt_f32_u32_e32 v0, v0
  v_mul_f32_e32 v1, 0.5, v0
  v_mov_b32_e32 v2, 1.0
  v_mov_b32_e32 v3, 2.0
  v_mac_f32_dpp v2, v0, v1 wave_shl:1 row_mask:0xf bank_mask:0xf
  v_mac_f32_dpp v3, v2, v1 wave_shr:1 row_mask:0xf bank_mask:0xf
  v_add_f32_e32 v4, v3, v2
  v_mac_f32_dpp v4, v4, v1 wave_rol:1 row_mask:0xf bank_mask:0xf
  v_mac_f32_dpp v4, v4, v1 wave_ror:1 row_mask:0xf bank_mask:0xf
  v_mac_f32_dpp v4, v4, v4 row_bcast:15 row_mask:0xa bank_mask:0xf
  v_mac_f32_dpp v4, v4, v1 row_bcast:31 row_mask:0xc bank_mask:0xf
  v_mac_f32_dpp v1, v0, v1 wave_shl:1 row_mask:0xf bank_mask:0x7 bound_ctrl:0
  v_mac_f32_dpp v1, -v0, |v1| wave_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
  s_mov_b64 exec, 0xf0f0f7fe
  v_mac_f32_dpp v0, v0, v1 wave_rol:1 row_mask:0xf bank_mask:0xf
  v_mac_f32_dpp v0, v0, v1 row_bcast:15 row_mask:0xf bank_mask:0xf bound_ctrl:0
  v_mov_b32_e32 v5, v0
  s_mov_b64 exec, -1
  v_cvt_f16_f32_e32 v6, v0
  v_cvt_f16_f32_e32 v7, v1
  v_mac_f16_dpp v6, v6, v7 wave_ror:1 row_mask:0xf bank_mask:0xf
  v_mac_f16_dpp v7, v6, v7 wave_shl:1 row_mask:0xf bank_mask:0xf
  v_mac_f16_dpp v6, -v7, v6 row_bcast:31 row_mask:0xf bank_mask:0xf bound_ctrl:0
  v_mov_b32_dpp v8, v6 wave_shr:1 row_mask:0xf bank_mask:0xf
