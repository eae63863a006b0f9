; outside the trap handler TTMP keep nothing and read 0: a lane mask that goes there is not handed to the next instruction either
  v_mov_b32_e32 v1, -1
  v_mov_b32_e32 v2, 1.0
  v_add_u32_e64 v3, ttmp[4:5], v1, v1
  v_cndmask_b32_e64 v4, v1, v2, ttmp[4:5]
  v_cmp_eq_u32_e64 ttmp[6:7], v1, v1
  v_cndmask_b32_e64 v5, v1, v2, ttmp[6:7]
  v_addc_u32_e64 v6, vcc, v2, v2, ttmp[6:7]
