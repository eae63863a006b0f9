; 48 vector memory instructions without active lanes: so many reports waited for their shortest latency that none was taken any more, for ever
; groups 1, waves 16
  s_barrier
  s_mov_b64 exec, 0
  buffer_load_dwordx4 v[0:3], v8, s[4:7], 0 offen
  buffer_store_dword v5, off, s[4:7], 0
  buffer_load_dwordx4 v[4:7], v8, s[4:7], 0 offen offset:752
  s_waitcnt vmcnt(0)
  s_mov_b64 exec, -1
