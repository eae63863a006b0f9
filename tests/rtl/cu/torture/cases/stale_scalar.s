; A line of the scalar cache stays as it was fetched, however often memory changes: no difference for lock step. The second value
; differs from the golden model's, so nothing may depend on it.
; groups 1, waves 1
s_load_dword s40, s[0:1], 0x100
s_waitcnt lgkmcnt(0)
s_mov_b64 exec, 1
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
buffer_atomic_add v2, off, s[4:7], 0 offset:256
s_waitcnt vmcnt(0)
s_load_dword s40, s[0:1], 0x100
s_waitcnt lgkmcnt(0)
s_mov_b32 s40, 0
s_mov_b64 exec, -1
