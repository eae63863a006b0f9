; a buffer resource in trap registers reads as 0: everything is out of range
v_mov_b32_e32 v1, 5
buffer_load_dword v1, off, ttmp[4:7], 0
s_waitcnt vmcnt(0)
buffer_store_dword v1, off, ttmp[4:7], 0
s_getreg_b32 s40, hwreg(HW_REG_MODE)
s_getreg_b32 s41, hwreg(HW_REG_MODE, 2, 7)
