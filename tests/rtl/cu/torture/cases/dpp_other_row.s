; DPP from another row took the old value right after the write, and after a write of several turns with software's two wait states too
  v_mov_b32_e32 v1, v10
  v_mov_b32_dpp v4, v1 wave_rol:1 row_mask:0xf bank_mask:0xf
  v_div_scale_f32 v2, vcc, v10, -4.0, 2.0
  s_nop 1
  v_add_u32_dpp v9, vcc, v2, v1 wave_ror:1 row_mask:0xf bank_mask:0xf
  v_rcp_f32_e32 v8, v9
  s_mov_b32 s40, 0
  s_mov_b32 s41, 0
  v_mov_b32_dpp v5, v8 wave_shl:1 row_mask:0xf bank_mask:0xf
  v_mul_lo_u32 v8, v9, v10
  v_mov_b32_dpp v6, v8 row_bcast:15 row_mask:0xf bank_mask:0xf
  v_lshlrev_b64 v[2:3], 3, v[4:5]
  v_mov_b32_dpp v7, v3 wave_shr:1 row_mask:0xf bank_mask:0xf
  v_mov_b32_dpp v7, v2 row_bcast:31 row_mask:0xf bank_mask:0xf
