// SPDX-License-Identifier: Apache-2.0
// Part of cu_simd, hardware form only: operations of stage 1 that share a multiplier and an adder of significands in each
// lane.  In simulation, where a call of a function that is not made costs nothing, each operation has its own
// (simd_rows_int.svh, simd_rows_norm.svh), which is faster; tests/rtl/cu/simd and simd_synth run both forms against the
// golden model.  Not responsible for: the arithmetic of a lane, the steps that follow.

  logic [63:0] products[Lanes];  // of this cycle's operands
  logic [31:0] halves[Lanes];  // v.x of halves as singles
  logic [31:0] wholes[Lanes];  // rounded to whole numbers

  function automatic void clear_result();
    for (int unsigned l = 0; l < Lanes; l++) begin
      result[l] = '0;
      result_high[l] = '0;
      v.over[l] = '0;
    end
    v.bits = '0;
  endfunction

  // To row `r` of the results that wait, its lower half of lanes, its upper one or both.  The only place in a stage that
  // does: a row function that did would bring a multiplexer of four rows for each operation.
  function automatic void put_result(input logic [1:0] r, input logic low, input logic upper);
    for (int unsigned k = 0; k < 4; k++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (r == k[1:0] && (l < Lanes / 2 ? low : upper)) v.res[k][l] = result[l];
      end
    end
  endfunction

  function automatic void put_high_result(input logic [1:0] r, input logic low, input logic upper);
    for (int unsigned k = 0; k < 4; k++) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (r == k[1:0] && (l < Lanes / 2 ? low : upper)) v.res[k][l] = result_high[l];
      end
    end
  endfunction

  // Halves of v.x as singles; of the normaliser's operations all sources become them.  v_trunc and its kin, v_fract:
  // rounded to whole numbers.
  function automatic void whole_row(input logic [9:0] op, input class_e cls, input logic all, input logic [7:0] mode);
    logic keep, half;
    logic [31:0] kind;
    keep = mode[6] && (cls != ClsFma || !(op == OP_V_MAD_F16 || op == OP_V_MAC_F16 || op == OP_V_MADMK_F16 ||
                                          op == OP_V_MADAK_F16));
    for (int unsigned l = 0; l < Lanes; l++) halves[l] = half_to_f32(v.x[l], keep);
    if (all) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        v.x[l] = halves[l];
        if (op != OP_V_LDEXP_F16) begin
          v.y[l] = half_to_f32(v.y[l], keep);
          v.z[l] = half_to_f32(v.z[l], keep);
        end
      end
    end
    half = op == OP_V_TRUNC_F16 || op == OP_V_CEIL_F16 || op == OP_V_RNDNE_F16 || op == OP_V_FLOOR_F16;
    kind = op == OP_V_TRUNC_F32 || op == OP_V_TRUNC_F16 ? 32'd0 : op == OP_V_CEIL_F32 || op == OP_V_CEIL_F16 ? 32'd1 :
        op == OP_V_RNDNE_F32 || op == OP_V_RNDNE_F16 ? 32'd2 : 32'd3;
    for (int unsigned l = 0; l < Lanes; l++) begin
      wholes[l] = whole(half ? halves[l] : v.x[l], kind, half || mode[4] || op == OP_V_FRACT_F16,
                        half || mode[5] || cls == ClsFma);
    end
  endfunction

  // The one multiplication of a lane: 24-bit integers with their sign, or significands.
  function automatic void multiply_row(input logic [9:0] op, input logic integers, input logic wide, input logic keep);
    logic low, half_sign, is_signed, keep_ab;
    logic [31:0] x, y;
    logic signed [24:0] a, b;
    low = op == OP_V_MUL_LO_U16 || op == OP_V_MAD_U16 || op == OP_V_MAD_I16;
    half_sign = op == OP_V_MAD_I16;
    is_signed = op == OP_V_MUL_I32_I24 || op == OP_V_MUL_HI_I32_I24 || op == OP_V_MAD_I32_I24;
    // narrow operations look at a product only where no source is subnormal, or keep all (halves)
    keep_ab = !wide || op == OP_V_DIV_FMAS_F32 || op == OP_V_DIV_SCALE_F32 || keep;
    for (int unsigned l = 0; l < Lanes; l++) begin
      x = v.x[l];
      y = op == OP_V_DIV_SCALE_F32 && !integers ? 32'h3f800000 : v.y[l];
      if (integers) begin
        a = {low ? {9{half_sign && x[15]}} : {is_signed && x[23], x[23:16]}, x[15:0]};
        b = {low ? {9{half_sign && y[15]}} : {is_signed && y[23], y[23:16]}, y[15:0]};
      end else begin
        a = 25'(fpu_fma_pkg::significand(x, keep_ab));
        b = 25'(fpu_fma_pkg::significand(y, keep_ab));
      end
      products[l] = $unsigned(64'(a) * 64'(b));
    end
  endfunction

  function automatic void mul24_row(input logic [1:0] r, input logic [9:0] op, input logic [31:0] clamp);
    logic [31:0] z, t;
    logic high, adds, low;
    high = op == OP_V_MUL_HI_I32_I24 || op == OP_V_MUL_HI_U32_U24;
    adds = !(high || op == OP_V_MUL_LO_U16 || op == OP_V_MUL_I32_I24 || op == OP_V_MUL_U32_U24);
    low = op == OP_V_MUL_LO_U16 || op == OP_V_MAD_U16 || op == OP_V_MAD_I16;
    for (int unsigned l = 0; l < Lanes; l++) begin
      z = v.z[l];
      z = {low ? {16{op == OP_V_MAD_I16 && z[15]}} : z[31:16], z[15:0]};
      t = (high ? products[l][63:32] : products[l][31:0]) + (adds ? z : 32'd0);
      if (low) t = !clamp[0] ? t & 32'hffff : op == OP_V_MAD_I16 ? sat_i16(t) : sat_u16(t);
      `RESULT(r)[l] = t;
    end
  endfunction

  // Step 1 of the normaliser.  mask: VCC bits of this row.
  function automatic void normaliser_row(input logic [1:0] r, input logic [9:0] op, input ctl_t k, input logic keep,
                                         input logic [31:0] mask);
    for (int unsigned l = 0; l < Lanes; l++) v.pl1[l] = '0;
    if (k.wide_norm) wide_first_row(r, op, keep, mask);
    else first_row(op, k.half, keep || k.half, k.round);
  endfunction

  // Step 3 to half precision; what lies in the lower word counts as one bit.
  function automatic void wide_round16_row(input logic [1:0] mode, input logic keep);
    for (int unsigned l = 0; l < Lanes; l++) begin
      fpu_sum_pkg::round_f16(v.sh2[l] | 32'(v.sl2[l] != 32'd0), v.e2[l], v.g2[l], 32'd1 << mode, 32'd0 - 32'(keep),
                             result[l]);
    end
  endfunction

  // keep: subnormal sources stay; mode: rounding.
  function automatic void first_row(input logic [9:0] op, input logic half, input logic keep, input logic [1:0] mode);
    logic [31:0] add, turn, even, most, most_turn, a, c, n, flip;
    logic fused, unfused, sums;
    fpu_sum_pkg::rounding(mode, add, turn, even, most, most_turn);
    fused   = op == OP_V_FMA_F16;
    unfused = op == OP_V_MAD_F16 || op == OP_V_MAC_F16 || op == OP_V_MADMK_F16 || op == OP_V_MADAK_F16;
    flip    = op == OP_V_ADD_F32 || op == OP_V_ADD_F16 || unfused ? 32'd0 : 32'h80000000;
    sums    = unfused;
    case (op)
      OP_V_ADD_F32, OP_V_ADD_F16, OP_V_SUB_F32, OP_V_SUB_F16, OP_V_SUBREV_F32, OP_V_SUBREV_F16, OP_V_FRACT_F32,
      OP_V_FRACT_F16: sums = 1'b1;
      OP_V_LDEXP_F32, OP_V_LDEXP_F16: ldexp_row(half, keep);
      OP_V_CVT_F32_I32: begin
        for (int unsigned l = 0; l < Lanes; l++) v.w[l] = v.x[l];
        from_signed(32'd156);
      end
      OP_V_CVT_F16_I16: begin
        for (int unsigned l = 0; l < Lanes; l++) v.w[l] = sext16(v.x[l]);
        from_signed(32'd156);
      end
      OP_V_CVT_OFF_F32_I4: begin
        for (int unsigned l = 0; l < Lanes; l++) v.w[l] = $unsigned($signed(v.x[l] << 28) >>> 28);
        from_signed(32'd152);
      end
      OP_V_CVT_F32_U32: from_field(32'd0, 32'hffffffff);
      OP_V_CVT_F16_U16: from_field(32'd0, 32'hffff);
      OP_V_CVT_F32_UBYTE0: from_field(32'd0, 32'hff);
      OP_V_CVT_F32_UBYTE1: from_field(32'd8, 32'hff);
      OP_V_CVT_F32_UBYTE2: from_field(32'd16, 32'hff);
      OP_V_CVT_F32_UBYTE3: from_field(32'd24, 32'hff);
      OP_V_MUL_F32, OP_V_MUL_F16: begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          fpu_sum_pkg::multiply(v.x[l], v.y[l], products[l][47:16], products[l][31:0], v.ph1[l], v.d1[l],
                                v.e1[l], v.g1[l]);
          v.ch1[l] = 32'd0;
        end
      end
      default: begin
        if (!fused && !unfused) begin  // v_mad_f32, v_mac_f32, v_madmk_f32, v_madak_f32
          for (int unsigned l = 0; l < Lanes; l++) begin
            fpu_sum_pkg::multiply_add(v.x[l], v.y[l], v.z[l], products[l][47:16], products[l][31:0], add, turn, even,
                                      most, most_turn, v.ph1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
          end
        end
      end
    endcase
    if (fused || unfused) begin  // halves: multiply-add in the upper word, fused or with a rounded product
      for (int unsigned l = 0; l < Lanes; l++) begin
        n = fused ? v.z[l] : (v.x[l] ^ v.y[l]) & 32'h80000000;
        fpu_fma_pkg::beside(v.x[l], v.y[l], n, 1'b1, products[l], v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l], v.e1[l],
                            v.g1[l]);
        v.ph1[l] = v.ph1[l] | 32'(v.pl1[l] != 32'd0);
      end
    end
    if (sums) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        a = v.x[l];
        c = v.y[l];
        if (op == OP_V_SUBREV_F32 || op == OP_V_SUBREV_F16) begin
          a = v.y[l];
          c = v.x[l];
        end
        if (op == OP_V_FRACT_F32 || op == OP_V_FRACT_F16) c = wholes[l];
        if (unfused) begin
          fpu_sum_pkg::round_f16(v.ph1[l], v.e1[l], v.g1[l], 32'd1 << mode, 32'd0, n);
          a = half_to_f32(n, 1'b0);
          c = v.z[l];
        end
        fpu_sum_pkg::sum(a, c ^ flip, keep ? 32'h7fffff : 32'd0, v.ph1[l], v.ch1[l], v.d1[l], v.e1[l], v.g1[l]);
      end
    end
  endfunction

  // The wide normaliser.  v.bits are the flags of v_div_scale; mask: VCC bits of this row (v_div_fmas).
  function automatic void wide_first_row(input logic [1:0] r, input logic [9:0] op, input logic keep,
                                         input logic [31:0] mask);
    logic [31:0] bits, b, c, n, flag, nan;
    logic scale, fmas;
    scale = op == OP_V_DIV_SCALE_F32;
    fmas  = op == OP_V_DIV_FMAS_F32;
    bits  = 32'd0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      b = scale ? 32'h3f800000 : v.y[l];
      c = scale ? v.x[l] & 32'h80000000 : op == OP_V_MUL_F32 ? (v.x[l] ^ v.y[l]) & 32'h80000000 : v.z[l];
      fpu_fma_pkg::beside(v.x[l], b, c, scale || fmas || keep, products[l], v.ph1[l], v.pl1[l], v.ch1[l], v.d1[l],
                          v.e1[l], v.g1[l]);
      if (fmas) begin  // lanes of VCC are scaled, up if c is large
        n = ((v.z[l] >> 23) & 32'd255) > 32'd127 ? 32'd64 : -32'd64;
        v.n1[l] = ((mask >> l) & 32'd1) != 32'd0 ? n : 32'd0;
      end
      if (scale) begin
        fpu_div_pkg::div_scale(v.x[l], v.y[l], v.z[l], n, flag, nan);
        v.n1[l] = n;
        bits = bits | (flag << l);
        v.g1[l] = nan != 32'd0 ? 32'd12 : n == 32'd0 ? v.g1[l] | 32'd16 : v.g1[l];  // bit 4: the source itself
        for (int unsigned k = 0; k < 4; k++) if (r == k[1:0]) v.old[k][l] = v.x[l];
      end
    end
    v.bits = bits;
  endfunction
