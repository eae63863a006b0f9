; s_getreg showed VCCZ and EXECZ of STATUS before the vector instruction that writes them
  v_add_u32_e32 v1, vcc, src_vccz, v3
  s_getreg_b32 s40, hwreg(HW_REG_STATUS)
  s_mov_b64 vcc, 0
  v_cmp_eq_u32_e32 vcc, v1, v1
  s_getreg_b32 s41, hwreg(HW_REG_STATUS)
  v_cmpx_lt_u32_e64 s[44:45], v1, v1
  s_getreg_b32 s42, hwreg(HW_REG_STATUS)
  s_mov_b64 exec, -1
