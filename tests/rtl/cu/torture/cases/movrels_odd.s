; s_movrels_b32 by an odd distance took the other register of the pair
  s_mov_b32 m0, 7
  s_movrels_b32 s40, s52
  s_mov_b32 m0, 8
  s_movrels_b32 s41, s53
  s_mov_b32 m0, 44
  s_movrels_b32 s44, s62
