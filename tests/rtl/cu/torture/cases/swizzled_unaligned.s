; words of a swizzled access that reach into a second line lost that part
  buffer_store_dwordx3 v[8:10], v27, s[12:15], 8 idxen offset:3
  buffer_load_dwordx4 v[0:3], v27, s[12:15], 0 idxen offset:2
  buffer_store_dword v7, v27, s[12:15], 0 idxen offset:1
  buffer_load_dword v4, v27, s[12:15], 0 idxen offset:3
  buffer_load_ushort v5, v27, s[12:15], 0 idxen offset:3
  buffer_store_short v6, v27, s[12:15], 0 idxen offset:7
  buffer_load_dwordx2 v[5:6], v27, s[12:15], 0 idxen offset:5
  s_waitcnt vmcnt(0)
