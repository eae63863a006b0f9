; lock step: ds_nop has a place in the order of the LDS too
  ds_nop
  s_waitcnt lgkmcnt(0)
