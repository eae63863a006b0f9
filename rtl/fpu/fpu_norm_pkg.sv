// SPDX-License-Identifier: Apache-2.0
// Steps of the normaliser on a row of 16 lanes (class ClsFma, stages 1 to 3 of cu_simd): the opcode test outside, the
// lane loop inside.  Narrow operations use s.ph1, s.ch1, s.sh2 only (fpu_sum_pkg), wide ones s.pl1, s.sl2, s.n1 as well
// (fpu_fma_pkg).  Not responsible for: the arithmetic of a lane, modifiers.
package fpu_norm_pkg;
  import gcn3_pkg::*;
  import valu_lanes_pkg::lanes_t;
  import valu_int_pkg::*;
  import fpu_misc_pkg::*;
  import fpu_fma_pkg::half_to_f32;

  // Needs products under an addend or scaling: 64 bits instead of 32.
  function automatic logic is_wide(input logic [9:0] op, input logic small_sources);
    return op == OP_V_FMA_F32 || op == OP_V_DIV_FMAS_F32 || op == OP_V_DIV_SCALE_F32 ||
        (op == OP_V_MUL_F32 && small_sources);
  endfunction

  // Halves become singles; v_mad_f16 and its kin flush always.
  function automatic void halves_row(ref lanes_t s, input logic [9:0] op, input logic keep16);
    /* verilator no_inline_task */
    logic keep;
    keep = keep16 && !(op == OP_V_MAD_F16 || op == OP_V_MAC_F16 || op == OP_V_MADMK_F16 || op == OP_V_MADAK_F16);
    for (int unsigned l = 0; l < 16; l++) s.x[l] = half_to_f32(s.x[l], keep);
    if (op != OP_V_LDEXP_F16) begin
      for (int unsigned l = 0; l < 16; l++) begin
        s.y[l] = half_to_f32(s.y[l], keep);
        s.z[l] = half_to_f32(s.z[l], keep);
      end
    end
  endfunction

  // ---- step 1, narrow
  // a + c; the sign bits of the operands are flipped by fx, fz.
  function automatic void sum_xy(ref lanes_t s, input logic [31:0] fx, input logic [31:0] fy, input logic keep);
    logic [31:0] small_mask;
    small_mask = keep ? 32'h7fffff : 32'd0;
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_sum_pkg::sum(s.x[l] ^ fx, s.y[l] ^ fy, small_mask, s.ph1[l], s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
    end
  endfunction

  function automatic void multiply_add_row(ref lanes_t s, input logic [1:0] mode);
    /* verilator no_inline_task */
    logic [31:0] add, turn, even, most, most_turn;
    fpu_sum_pkg::rounding(mode, add, turn, even, most, most_turn);
    for (int unsigned l = 0; l < 16; l++) fpu_sum_pkg::product_bits(s.x[l], s.y[l], s.over[l], s.w[l]);
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_sum_pkg::multiply_add(s.x[l], s.y[l], s.z[l], s.over[l], s.w[l], add, turn, even, most, most_turn, s.ph1[l],
                                s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
    end
  endfunction

  // Halves: multiply-add in the upper word, fused or with a rounded product.
  function automatic void half_add_row(ref lanes_t s, input logic fused, input logic [1:0] mode);
    /* verilator no_inline_task */
    logic [31:0] n;
    for (int unsigned l = 0; l < 16; l++) begin
      n = fused ? s.z[l] : (s.x[l] ^ s.y[l]) & 32'h80000000;
      fpu_fma_pkg::product(s.x[l], s.y[l], n, 1'b1, s.ph1[l], s.pl1[l], s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
      s.ph1[l] = s.ph1[l] | 32'(s.pl1[l] != 32'd0);
    end
    if (!fused) begin
      for (int unsigned l = 0; l < 16; l++) begin
        fpu_sum_pkg::round_f16(s.ph1[l], s.e1[l], s.g1[l], 32'd1 << mode, 32'd0, n);
        n = half_to_f32(n, 1'b0);
        fpu_sum_pkg::sum(n, s.z[l], 32'h7fffff, s.ph1[l], s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
      end
    end
  endfunction

  function automatic void ldexp_row(ref lanes_t s, input logic half, input logic keep);
    logic [31:0] n, t, m;
    for (int unsigned l = 0; l < 16; l++) begin
      n = half ? sext16(s.y[l]) : s.y[l];
      n = max_s(min_s(n, 32'd400), -32'd400);
      t = (s.x[l] >> 23) & 32'd255;
      m = (s.x[l] & 32'h7fffff) | (t != 32'd0 ? 32'h800000 : 32'd0);
      m = t == 32'd0 && !keep ? 32'd0 : m;
      s.ph1[l] = m << 6;
      fpu_sum_pkg::place((t == 32'd0 ? 32'd1 : t) + n, s.x[l] >> 31, s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
      s.g1[l] = s.g1[l] | (t == 32'd255 ? 32'd4 : 32'd0) | (is_nan(s.x[l]) ? 32'd8 : 32'd0);
    end
  endfunction

  // Integers in s.w: value (magnitude below 2**32) and exponent.
  function automatic void from_signed(ref lanes_t s, input logic [31:0] exponent);
    for (int unsigned l = 0; l < 16; l++) begin
      s.ph1[l] = s.w[l][31] ? 32'd0 - s.w[l] : s.w[l];
      fpu_sum_pkg::place(exponent, s.w[l] >> 31, s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
    end
  endfunction

  // An unsigned field of x.
  function automatic void from_field(ref lanes_t s, input logic [31:0] shift, input logic [31:0] mask);
    for (int unsigned l = 0; l < 16; l++) begin
      s.ph1[l] = (s.x[l] >> shift) & mask;
      fpu_sum_pkg::place(32'd156, 32'd0, s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
    end
  endfunction

  // keep: subnormal sources stay; mode: rounding.
  function automatic void first_row(ref lanes_t s, input logic [9:0] op, input logic half, input logic keep,
                                    input logic [1:0] mode);
    /* verilator no_inline_task */
    case (op)
      OP_V_ADD_F32, OP_V_ADD_F16: sum_xy(s, 32'd0, 32'd0, keep);
      OP_V_SUB_F32, OP_V_SUB_F16: sum_xy(s, 32'd0, 32'h80000000, keep);
      OP_V_SUBREV_F32, OP_V_SUBREV_F16: begin
        for (int unsigned l = 0; l < 16; l++) begin
          fpu_sum_pkg::sum(s.y[l], s.x[l] ^ 32'h80000000, keep ? 32'h7fffff : 32'd0, s.ph1[l], s.ch1[l], s.d1[l],
                           s.e1[l], s.g1[l]);
        end
      end
      OP_V_MUL_F32, OP_V_MUL_F16: begin
        for (int unsigned l = 0; l < 16; l++) fpu_sum_pkg::product_bits(s.x[l], s.y[l], s.over[l], s.w[l]);
        for (int unsigned l = 0; l < 16; l++) begin
          fpu_sum_pkg::multiply(s.x[l], s.y[l], s.over[l], s.w[l], s.ph1[l], s.d1[l], s.e1[l], s.g1[l]);
          s.ch1[l] = 32'd0;
        end
      end
      OP_V_FMA_F16: half_add_row(s, 1'b1, mode);
      OP_V_MAD_F16, OP_V_MAC_F16, OP_V_MADMK_F16, OP_V_MADAK_F16: half_add_row(s, 1'b0, mode);
      OP_V_FRACT_F32, OP_V_FRACT_F16: begin
        for (int unsigned l = 0; l < 16; l++) s.y[l] = whole(s.x[l], 32'd3, keep, 1'b1);
        sum_xy(s, 32'd0, 32'h80000000, keep);
      end
      OP_V_LDEXP_F32, OP_V_LDEXP_F16: ldexp_row(s, half, keep);
      OP_V_CVT_F32_I32: begin
        for (int unsigned l = 0; l < 16; l++) s.w[l] = s.x[l];
        from_signed(s, 32'd156);
      end
      OP_V_CVT_F16_I16: begin
        for (int unsigned l = 0; l < 16; l++) s.w[l] = sext16(s.x[l]);
        from_signed(s, 32'd156);
      end
      OP_V_CVT_OFF_F32_I4: begin
        for (int unsigned l = 0; l < 16; l++) s.w[l] = $unsigned($signed(s.x[l] << 28) >>> 28);
        from_signed(s, 32'd152);
      end
      OP_V_CVT_F32_U32: from_field(s, 32'd0, 32'hffffffff);
      OP_V_CVT_F16_U16: from_field(s, 32'd0, 32'hffff);
      OP_V_CVT_F32_UBYTE0: from_field(s, 32'd0, 32'hff);
      OP_V_CVT_F32_UBYTE1: from_field(s, 32'd8, 32'hff);
      OP_V_CVT_F32_UBYTE2: from_field(s, 32'd16, 32'hff);
      OP_V_CVT_F32_UBYTE3: from_field(s, 32'd24, 32'hff);
      default: multiply_add_row(s, mode);  // v_mad_f32, v_mac_f32, v_madmk_f32, v_madak_f32
    endcase
  endfunction

  // ---- step 1, wide
  // Returns the flags of v_div_scale; mask: VCC bits of this row (v_div_fmas).
  function automatic logic [31:0] wide_first_row(ref lanes_t s, input logic [1:0] r, input logic [9:0] op,
                                                 input logic keep, input logic [31:0] mask);
    /* verilator no_inline_task */
    logic [31:0] bits, n, flag, nan;
    bits = 32'd0;
    case (op)
      OP_V_DIV_FMAS_F32: begin  // sources are not flushed; lanes of VCC are scaled, up if c is large
        for (int unsigned l = 0; l < 16; l++) begin
          fpu_fma_pkg::product(s.x[l], s.y[l], s.z[l], 1'b1, s.ph1[l], s.pl1[l], s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
          n = ((s.z[l] >> 23) & 32'd255) > 32'd127 ? 32'd64 : -32'd64;
          s.n1[l] = ((mask >> l) & 32'd1) != 32'd0 ? n : 32'd0;
        end
      end
      OP_V_DIV_SCALE_F32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          fpu_div_pkg::div_scale(s.x[l], s.y[l], s.z[l], n, flag, nan);
          s.n1[l] = n;
          bits = bits | (flag << l);
          fpu_fma_pkg::product(s.x[l], 32'h3f800000, s.x[l] & 32'h80000000, 1'b1, s.ph1[l], s.pl1[l], s.ch1[l], s.d1[l],
                               s.e1[l], s.g1[l]);
          // bit 4: the source itself
          s.g1[l] = nan != 32'd0 ? 32'd12 : n == 32'd0 ? s.g1[l] | 32'd16 : s.g1[l];
          s.old[r][l] = s.x[l];
        end
      end
      OP_V_MUL_F32: begin
        for (int unsigned l = 0; l < 16; l++) begin
          fpu_fma_pkg::product(s.x[l], s.y[l], (s.x[l] ^ s.y[l]) & 32'h80000000, keep, s.ph1[l], s.pl1[l], s.ch1[l],
                               s.d1[l], s.e1[l], s.g1[l]);
        end
      end
      default: begin
        for (int unsigned l = 0; l < 16; l++) begin
          fpu_fma_pkg::product(s.x[l], s.y[l], s.z[l], keep, s.ph1[l], s.pl1[l], s.ch1[l], s.d1[l], s.e1[l], s.g1[l]);
        end
      end
    endcase
    return bits;
  endfunction

  // ---- step 2; round is one-hot
  function automatic void align_row(ref lanes_t s, input logic down);
    /* verilator no_inline_task */
    logic [31:0] zero_sign;
    zero_sign = 32'(down);
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_sum_pkg::align_add(s.ph1[l], s.ch1[l], s.d1[l], s.g1[l], zero_sign, s.sh2[l], s.g2[l]);
      s.e2[l] = s.e1[l];
    end
  endfunction

  function automatic void wide_align_row(ref lanes_t s, input logic scaled, input logic [31:0] round);
    /* verilator no_inline_task */
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_fma_pkg::align_add(s.ph1[l], s.pl1[l], s.ch1[l], s.d1[l], s.g1[l], round, s.sh2[l], s.sl2[l], s.g2[l]);
      s.e2[l] = s.e1[l];
    end
    if (scaled) begin
      for (int unsigned l = 0; l < 16; l++) begin
        fpu_fma_pkg::rescale(s.sh2[l], s.sl2[l], s.e1[l], s.n1[l], s.sh2[l], s.sl2[l], s.e2[l]);
      end
    end
  endfunction

  // ---- step 3; keep: subnormal results stay
  function automatic void round_row(ref lanes_t s, input logic [1:0] r, input logic [1:0] mode, input logic keep);
    /* verilator no_inline_task */
    logic [31:0] add, turn, even, most, most_turn, mask;
    fpu_sum_pkg::rounding(mode, add, turn, even, most, most_turn);
    mask = 32'd0 - 32'(keep);
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_sum_pkg::round_f32(s.sh2[l], s.e2[l], s.g2[l], add, turn, even, most, most_turn, mask, s.res[r][l]);
    end
  endfunction

  function automatic void round16_row(ref lanes_t s, input logic [1:0] r, input logic [1:0] mode, input logic keep);
    /* verilator no_inline_task */
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_sum_pkg::round_f16(s.sh2[l], s.e2[l], s.g2[l], 32'd1 << mode, 32'd0 - 32'(keep), s.res[r][l]);
    end
  endfunction

  // Lanes with bit 4 of their flags take the old value (v_div_scale without scaling).
  function automatic void wide_round_row(ref lanes_t s, input logic [1:0] r, input logic [1:0] mode, input logic keep,
                                         input logic select_old);
    /* verilator no_inline_task */
    logic [31:0] n, sh, sl, kept, t;
    kept = 32'(keep);
    for (int unsigned l = 0; l < 16; l++) begin
      fpu_fma_pkg::leading32(s.sh2[l], s.sl2[l], s.e2[l] + 32'd1, n);
      fpu_fma_pkg::normalise(s.sh2[l], s.sl2[l], n, sh, sl);
      fpu_fma_pkg::round_f32(sh, sl, n, s.e2[l], s.g2[l], 32'd1 << mode, kept, t);
      s.res[r][l] = select_old && (s.g2[l] & 32'd16) != 32'd0 ? s.old[r][l] : t;
    end
  endfunction

  // v_fract: never 1.
  function automatic void below_one_row(ref lanes_t s, input logic [1:0] r, input logic half);
    /* verilator no_inline_task */
    logic [31:0] one;
    one = half ? 32'h3c00 : 32'h3f800000;
    for (int unsigned l = 0; l < 16; l++) s.res[r][l] = s.res[r][l] == one ? one - 32'd1 : s.res[r][l];
  endfunction
endpackage
