; lock step: a load may be compared when some atomics on its word have followed, of which memory has none yet
; set link.store=97
  s_mov_b64 exec, 0x3ff
  v_mov_b32_e32 v3, 0x8903e2f9
  v_mov_b32_e32 v5, 64
  buffer_store_dword v3, off, s[4:7], 0
  buffer_load_sshort v2, off, s[4:7], 0
  buffer_atomic_add v5, off, s[4:7], 0 glc
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, -1
