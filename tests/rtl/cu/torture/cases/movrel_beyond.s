; relative moves beyond the allocation: v0 and s0 are read, nothing is written
s_movk_i32 m0, 0x200
v_movrels_b32_e32 v1, v2
v_movreld_b32_e32 v1, v3
v_movrelsd_b32_e32 v4, v5
s_movreld_b32 s40, s41
s_movrels_b64 s[42:43], s[44:45]
s_movk_i32 m0, 0x41
s_movrels_b32 s46, s47
