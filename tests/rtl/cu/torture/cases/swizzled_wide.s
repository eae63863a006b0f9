; lock step: words of a swizzled access are apart, each has its own register
  buffer_load_dwordx4 v[0:3], off, s[12:15], 0
  buffer_load_dwordx3 v[4:6], off, s[12:15], 0 offset:4
  s_waitcnt vmcnt(0)
