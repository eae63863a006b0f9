; lock step: a load may be compared when 64 atomics on its word have followed
  v_mov_b32_e32 v9, s0
  v_mov_b32_e32 v10, s1
  flat_load_dword v2, v[9:10]
  s_waitcnt vmcnt(0)
  buffer_atomic_sub v3, off, s[4:7], 0 glc
  buffer_atomic_add v4, off, s[4:7], 0
  s_waitcnt vmcnt(0)
