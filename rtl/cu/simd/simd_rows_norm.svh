// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: steps of the normaliser on a row (class ClsFma, stages 1 to 3 of cu_simd).  Narrow operations
// use v.ph1, v.ch1, v.sh2 only (fpu_sum_pkg), wide ones v.pl1, v.sl2, v.n1 as well (fpu_fma_pkg).  Not responsible for:
// the arithmetic of a lane, modifiers.
`ifndef SYNTHESIS
  // Halves become singles; v_mad_f16 and its kin flush always.
  function automatic void halves_row(`LANES_ARG input logic [9:0] op, input logic keep16);
    `NO_INLINE
    logic keep;
    keep = keep16 && !(op == OP_V_MAD_F16 || op == OP_V_MAC_F16 || op == OP_V_MADMK_F16 || op == OP_V_MADAK_F16);
    for (int unsigned l = 0; l < Lanes; l++) v.x[l] = half_to_f32(v.x[l], keep);
    if (op != OP_V_LDEXP_F16) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.y[l] = half_to_f32(v.y[l], keep);
        v.z[l] = half_to_f32(v.z[l], keep);
      end
    end
  endfunction
`endif

  // ---- step 1, narrow
  // a + c; the sign bits of the operands are flipped by fx, fz.
  function automatic void sum_xy(`LANES_ARG input logic [31:0] fx, input logic [31:0] fy, input logic keep);
    logic [31:0] small_mask;
    small_mask = keep ? 32'h7fffff : 32'd0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_sum_pkg::sum(v.x[l] ^ fx, v.y[l] ^ fy, small_mask, v.ph1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
    end
  endfunction

  function automatic void multiply_add_row(`LANES_ARG input logic [1:0] mode);
    `NO_INLINE
    logic [31:0] add, turn, even, most, most_turn;
    fpu_sum_pkg::rounding(mode, add, turn, even, most, most_turn);
    for (int unsigned l = 0; l < Lanes; l++) fpu_sum_pkg::product_bits(v.x[l], v.y[l], v.over[l], v.w[l]);
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_sum_pkg::multiply_add(v.x[l], v.y[l], v.z[l], v.over[l], v.w[l], add, turn, even, most, most_turn, v.ph1[l],
                                v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
    end
  endfunction

  // Halves: multiply-add in the upper word, fused or with a rounded product.
  function automatic void half_add_row(`LANES_ARG input logic fused, input logic [1:0] mode);
    `NO_INLINE
    logic [31:0] n;
    for (int unsigned l = 0; l < Lanes; l++) begin
      n = fused ? v.z[l] : (v.x[l] ^ v.y[l]) & 32'h80000000;
      fpu_fma_pkg::product(v.x[l], v.y[l], n, 1'b1, v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
      v.ph1[l] = v.ph1[l] | 32'(v.pl1[l] != 32'd0);
    end
    if (!fused) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        fpu_sum_pkg::round_f16(v.ph1[l], v.e1[l], v.g1[l], 32'd1 << mode, 32'd0, n);
        n = half_to_f32(n, 1'b0);
        fpu_sum_pkg::sum(n, v.z[l], 32'h7fffff, v.ph1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
      end
    end
  endfunction

  function automatic void ldexp_row(`LANES_ARG input logic half, input logic keep);
    logic [31:0] n, t, m;
    for (int unsigned l = 0; l < Lanes; l++) begin
      n = half ? sext16(v.y[l]) : v.y[l];
      n = max_s(min_s(n, 32'd400), -32'd400);
      t = (v.x[l] >> 23) & 32'd255;
      m = (v.x[l] & 32'h7fffff) | (t != 32'd0 ? 32'h800000 : 32'd0);
      m = t == 32'd0 && !keep ? 32'd0 : m;
      v.ph1[l] = m << 6;
      fpu_sum_pkg::place((t == 32'd0 ? 32'd1 : t) + n, v.x[l] >> 31, v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
      v.g1[l] = v.g1[l] | (t == 32'd255 ? 32'd4 : 32'd0) | (is_nan(v.x[l]) ? 32'd8 : 32'd0);
    end
  endfunction

  // Integers in v.w: value (magnitude below 2**32) and exponent.
  function automatic void from_signed(`LANES_ARG input logic [31:0] exponent);
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.ph1[l] = v.w[l][31] ? 32'd0 - v.w[l] : v.w[l];
      fpu_sum_pkg::place(exponent, v.w[l] >> 31, v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
    end
  endfunction

  // An unsigned field of x.
  function automatic void from_field(`LANES_ARG input logic [31:0] shift, input logic [31:0] mask);
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.ph1[l] = (v.x[l] >> shift) & mask;
      fpu_sum_pkg::place(32'd156, 32'd0, v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
    end
  endfunction

`ifndef SYNTHESIS  // hardware: simd_rows_shared.svh
  // keep: subnormal sources stay; mode: rounding.
  function automatic void first_row(`LANES_ARG input logic [9:0] op, input logic half, input logic keep,
                                    input logic [1:0] mode);
    `NO_INLINE
    case (op)
      OP_V_ADD_F32, OP_V_ADD_F16: sum_xy(`LANES 32'd0, 32'd0, keep);
      OP_V_SUB_F32, OP_V_SUB_F16: sum_xy(`LANES 32'd0, 32'h80000000, keep);
      OP_V_SUBREV_F32, OP_V_SUBREV_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_sum_pkg::sum(v.y[l], v.x[l] ^ 32'h80000000, keep ? 32'h7fffff : 32'd0, v.ph1[l], v.ch1[l], v.d1[l],
                           v.e1[l], v.g1[l]);
        end
      end
      OP_V_MUL_F32, OP_V_MUL_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) fpu_sum_pkg::product_bits(v.x[l], v.y[l], v.over[l], v.w[l]);
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_sum_pkg::multiply(v.x[l], v.y[l], v.over[l], v.w[l], v.ph1[l], v.d1[l], v.e1[l], v.g1[l]);
          v.ch1[l] = 32'd0;
        end
      end
      OP_V_FMA_F16: half_add_row(`LANES 1'b1, mode);
      OP_V_MAD_F16, OP_V_MAC_F16, OP_V_MADMK_F16, OP_V_MADAK_F16: half_add_row(`LANES 1'b0, mode);
      OP_V_FRACT_F32, OP_V_FRACT_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) v.y[l] = whole(v.x[l], 32'd3, keep, 1'b1);
        sum_xy(`LANES 32'd0, 32'h80000000, keep);
      end
      OP_V_LDEXP_F32, OP_V_LDEXP_F16: ldexp_row(`LANES half, keep);
      OP_V_CVT_F32_I32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.w[l] = v.x[l];
        from_signed(`LANES 32'd156);
      end
      OP_V_CVT_F16_I16: begin
        for (int unsigned l = 0; l < Lanes; l++) v.w[l] = sext16(v.x[l]);
        from_signed(`LANES 32'd156);
      end
      OP_V_CVT_OFF_F32_I4: begin
        for (int unsigned l = 0; l < Lanes; l++) v.w[l] = $unsigned($signed(v.x[l] << 28) >>> 28);
        from_signed(`LANES 32'd152);
      end
      OP_V_CVT_F32_U32: from_field(`LANES 32'd0, 32'hffffffff);
      OP_V_CVT_F16_U16: from_field(`LANES 32'd0, 32'hffff);
      OP_V_CVT_F32_UBYTE0: from_field(`LANES 32'd0, 32'hff);
      OP_V_CVT_F32_UBYTE1: from_field(`LANES 32'd8, 32'hff);
      OP_V_CVT_F32_UBYTE2: from_field(`LANES 32'd16, 32'hff);
      OP_V_CVT_F32_UBYTE3: from_field(`LANES 32'd24, 32'hff);
      default: multiply_add_row(`LANES mode);  // v_mad_f32, v_mac_f32, v_madmk_f32, v_madak_f32
    endcase
  endfunction

  // ---- step 1, wide
  // v.bits are the flags of v_div_scale; mask: VCC bits of this row (v_div_fmas).
  function automatic void wide_first_row(`LANES_ARG input logic [1:0] r, input logic [9:0] op, input logic keep,
                                         input logic [31:0] mask);
    `NO_INLINE
    logic [31:0] bits, n, flag, nan;
    bits = 32'd0;
    case (op)
      OP_V_DIV_FMAS_F32: begin  // sources are not flushed; lanes of VCC are scaled, up if c is large
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_fma_pkg::product(v.x[l], v.y[l], v.z[l], 1'b1, v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
          n = ((v.z[l] >> 23) & 32'd255) > 32'd127 ? 32'd64 : -32'd64;
          v.n1[l] = ((mask >> l) & 32'd1) != 32'd0 ? n : 32'd0;
        end
      end
      OP_V_DIV_SCALE_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_div_pkg::div_scale(v.x[l], v.y[l], v.z[l], n, flag, nan);
          v.n1[l] = n;
          bits = bits | (flag << l);
          fpu_fma_pkg::product(v.x[l], 32'h3f800000, v.x[l] & 32'h80000000, 1'b1, v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l],
                               v.e1[l], v.g1[l]);
          // bit 4: the source itself
          v.g1[l] = nan != 32'd0 ? 32'd12 : n == 32'd0 ? v.g1[l] | 32'd16 : v.g1[l];
          v.old[r][l] = v.x[l];
        end
      end
      OP_V_MUL_F32: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_fma_pkg::product(v.x[l], v.y[l], (v.x[l] ^ v.y[l]) & 32'h80000000, keep, v.ph1[l], v.pl1[l], v.ch1[l],
                               v.d1[l], v.e1[l], v.g1[l]);
        end
      end
      default: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_fma_pkg::product(v.x[l], v.y[l], v.z[l], keep, v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
        end
      end
    endcase
    v.bits = bits;
  endfunction
`endif

  // ---- step 2; round is one-hot
  function automatic void align_row(`LANES_ARG input logic down);
    `NO_INLINE
    logic [31:0] zero_sign;
    zero_sign = 32'(down);
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_sum_pkg::align_add(v.ph1[l], v.ch1[l], v.d1[l], v.g1[l], zero_sign, v.sh2[l], v.g2[l]);
      v.e2[l] = v.e1[l];
    end
  endfunction

  function automatic void wide_align_row(`LANES_ARG input logic scaled, input logic [31:0] round);
    `NO_INLINE
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_fma_pkg::align_add(v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l], v.g1[l], round, v.sh2[l], v.sl2[l], v.g2[l]);
      v.e2[l] = v.e1[l];
    end
    if (scaled) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        fpu_fma_pkg::rescale(v.sh2[l], v.sl2[l], v.e1[l], v.n1[l], v.sh2[l], v.sl2[l], v.e2[l]);
      end
    end
  endfunction

  // ---- step 3; keep: subnormal results stay
  function automatic void round_row(`LANES_ARG input logic [1:0] r, input logic [1:0] mode, input logic keep);
    `NO_INLINE
    logic [31:0] add, turn, even, most, most_turn, mask;
    fpu_sum_pkg::rounding(mode, add, turn, even, most, most_turn);
    mask = 32'd0 - 32'(keep);
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_sum_pkg::round_f32(v.sh2[l], v.e2[l], v.g2[l], add, turn, even, most, most_turn, mask, `RESULT(r)[l]);
    end
  endfunction

  function automatic void round16_row(`LANES_ARG input logic [1:0] r, input logic [1:0] mode, input logic keep);
    `NO_INLINE
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_sum_pkg::round_f16(v.sh2[l], v.e2[l], v.g2[l], 32'd1 << mode, 32'd0 - 32'(keep), `RESULT(r)[l]);
    end
  endfunction

  // Lanes with bit 4 of their flags take the old value (v_div_scale without scaling).
  function automatic void wide_round_row(`LANES_ARG input logic [1:0] r, input logic [1:0] mode, input logic keep,
                                         input logic select_old);
    `NO_INLINE
    logic [31:0] n, sh, sl, kept, t;
    kept = 32'(keep);
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_fma_pkg::leading32(v.sh2[l], v.sl2[l], v.e2[l] + 32'd1, n);
      fpu_fma_pkg::normalise(v.sh2[l], v.sl2[l], n, sh, sl);
      fpu_fma_pkg::round_f32(sh, sl, n, v.e2[l], v.g2[l], 32'd1 << mode, kept, t);
      `RESULT(r)[l] = select_old && (v.g2[l] & 32'd16) != 32'd0 ? v.old[r][l] : t;
    end
  endfunction

  // v_fract: never 1.
  function automatic void below_one_row(`LANES_ARG input logic [1:0] r, input logic half);
    `NO_INLINE
    logic [31:0] one;
    one = half ? 32'h3c00 : 32'h3f800000;
    for (int unsigned l = 0; l < Lanes; l++) `RESULT(r)[l] = `RESULT(r)[l] == one ? one - 32'd1 : `RESULT(r)[l];
  endfunction
