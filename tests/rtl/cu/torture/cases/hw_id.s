; lock step: HW_ID of another slot than 0
  s_getreg_b32 s40, hwreg(HW_REG_HW_ID)
  s_mov_b32 s40, 0
