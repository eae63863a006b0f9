; an atomic of 8 bytes through a swizzled resource is one access a lane, its words are not apart
  v_mov_b32_e32 v3, 7
  v_mov_b32_e32 v4, 1
  v_mov_b32_e32 v5, 0
  buffer_atomic_add_x2 v[3:4], v5, s[12:15], 0 offen
  s_waitcnt vmcnt(0)
  buffer_atomic_inc_x2 v[3:4], v5, s[12:15], 0 offen glc
  s_waitcnt vmcnt(0)
