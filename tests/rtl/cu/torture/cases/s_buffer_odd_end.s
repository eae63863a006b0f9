; a scalar load from a buffer that ends in the middle of a pair of registers
s_mov_b64 s[40:41], s[2:3]
s_movk_i32 s42, 12
s_mov_b32 s43, 0x24fac
s_buffer_load_dwordx4 s[44:47], s[40:43], 0x0
s_buffer_load_dwordx8 s[48:55], s[40:43], 0x8
s_waitcnt lgkmcnt(0)
