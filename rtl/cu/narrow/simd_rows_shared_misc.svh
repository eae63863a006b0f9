// SPDX-License-Identifier: Apache-2.0
// Part of cu_simd, hardware form only: floating-point operations without a normaliser (class ClsMisc), which share in each
// lane three comparisons and two shifters that round.  In simulation each operation has its own text
// (simd_rows_misc.svh), which is faster; tests/rtl/cu/simd and simd_synth run both forms against the golden model.  Not
// responsible for: halves as singles, rounding to whole numbers (whole_row of simd_rows_shared.svh).

  // What is to be shifted right: an integer of 32 bits (kind 0), a fraction of 16 bits (1), a mantissa of a half (2).
  function automatic void to_shift(input logic [31:0] x, input logic [1:0] kind, input logic is_signed,
                                   output logic [39:0] q, output logic [5:0] n);
    logic [31:0] e, m;
    e = (x >> 23) & 32'd255;
    m = e != 32'd0 ? (x & 32'h7fffff) | 32'h800000 : x & 32'h7fffff;
    case (kind)
      2'd0: begin
        q = {8'd0, m[23:0], 8'd0};
        n = e > 32'd158 ? 6'd0 : e < 32'd95 ? 6'd63 : 6'(32'd158 - e);
      end
      2'd1: begin  // times 32767 or 65535
        q = (is_signed ? {1'b0, m[23:0], 15'd0} : {m[23:0], 16'd0}) - {16'd0, m[23:0]};
        n = e >= 32'd127 ? 6'd23 : e < 32'd90 ? 6'd60 : 6'(32'd150 - e);
      end
      default: begin
        q = {16'd0, m[23:0]};
        n = e >= 32'd113 ? 6'd13 : e < 32'd101 ? 6'd25 : 6'(32'd126 - e);
      end
    endcase
  endfunction

  // q >> n, the bit below it, and whether there is any below that.
  function automatic void shift_out(input logic [39:0] q, input logic [5:0] n, output logic [31:0] kept,
                                    output logic half, output logic rest);
    logic [40:0] t;
    logic [39:0] below;
    t = {q, 1'b0} >> n;
    kept = t[32:1];
    half = t[0];
    for (int unsigned k = 0; k < 40; k++) below[k] = q[k] && 6'(k + 1) < n;
    rest = below != '0;
  endfunction

  // To an integer (fpu_misc_pkg::to_int), a fraction (norm) or a half (f32_to_half): what follows the shift.
  function automatic logic [31:0] to_int_end(input logic [31:0] x, input logic [31:0] t, input logic half,
                                             input logic rest, input logic [31:0] kind, input logic is_signed);
    logic [31:0] e, r;
    logic up;
    e = (x >> 23) & 32'd255;
    case (kind[1:0])
      2'd0: up = 1'b0;
      2'd1: up = half && (!x[31] || rest);
      2'd2: up = (half || rest) && x[31];
      default: up = half && (rest || t[0]);
    endcase
    r = t + 32'(up);
    if (is_signed) r = e >= 32'd158 ? {x[31], {31{!x[31]}}} : x[31] ? 32'd0 - r : r;
    else r = x[31] ? 32'd0 : e >= 32'd159 ? 32'hffffffff : r;
    return is_nan(x) ? 32'd0 : r;
  endfunction

  function automatic logic [15:0] norm_end(input logic [31:0] x, input logic [31:0] kept, input logic half,
                                           input logic rest, input logic is_signed);
    logic [15:0] t;
    t = kept[15:0] + 16'(half && (rest || kept[0]));
    t = x[30:23] >= 8'd127 ? {!is_signed, 15'h7fff} : t;
    t = !x[31] ? t : is_signed ? 16'd0 - t : 16'd0;
    return is_nan(x) ? 16'd0 : t;
  endfunction

  function automatic logic [15:0] half_end(input logic [31:0] x, input logic [31:0] kept, input logic half,
                                           input logic rest, input logic [31:0] round, input logic keep_out);
    logic [31:0] e, r, up, big;
    e = (x >> 23) & 32'd255;
    fpu_fma_pkg::away(round, 32'(x[31]), 32'(kept[0]), 32'(half), 32'(rest), up);
    r = (e > 32'd143 ? 32'h7c00 : e >= 32'd113 ? (e - 32'd113) << 10 : 32'd0) + kept + up;
    fpu_fma_pkg::outward(round, 32'(x[31]), big);
    big = 32'h7bff + big;
    r = r >= 32'h7c00 ? big : r < 32'h400 && !keep_out ? 32'd0 : r;
    r = (x & 32'h7fffffff) == 32'h7f800000 ? 32'h7c00 : r;
    return is_nan(x) ? 16'h7e00 : {x[31], r[14:0]};
  endfunction

  // A single that a half holds exactly, no subnormal.
  function automatic logic [15:0] exact_half(input logic [31:0] x);
    return is_nan(x) ? 16'h7e00 : x[30:23] == 8'hff ? {x[31], 15'h7c00} : x[30:23] == 8'd0 ? {x[31], 15'd0} :
        {x[31], 5'(x[30:23] - 8'd112), x[22:13]};
  endfunction

  // Minimum, maximum and median of singles; halves stand in the upper half.
  function automatic logic [31:0] pick_op(input logic [9:0] op, input logic [31:0] x, input logic [31:0] y,
                                          input logic [31:0] z, input logic ieee);
    logic [31:0] infv, quiet, first, other, second;
    logic shorts, maximum, three, nan, median;
    shorts = op == OP_V_MIN_F16 || op == OP_V_MAX_F16;
    maximum = op == OP_V_MAX_F32 || op == OP_V_MAX3_F32 || op == OP_V_MAX_F16;
    three = op == OP_V_MIN3_F32 || op == OP_V_MAX3_F32;
    median = op == OP_V_MED3_F32;
    infv = shorts ? 32'h7c000000 : 32'h7f800000;
    quiet = shorts ? 32'h2000000 : 32'h400000;
    nan = is_nan(x) || is_nan(y) || is_nan(z);
    first = pick(shorts ? x << 16 : x, shorts ? y << 16 : y, infv, 32'h80000000, quiet, ieee, maximum);
    other = first == x ? y : x;  // median without a NaN: the larger
    second = pick32(median && !nan ? other : first, z, ieee, maximum);
    return shorts ? first >> 16 : three || (median && nan) ? second : !median ? first :
        pick32(first, second, 1'b0, 1'b1);
  endfunction

  // mode as in the issue record: [3:2] rounding of halves; kept subnormals: [4], [5] sources, results of singles, [6], [7] of halves.
  function automatic void misc_row(input logic [1:0] r, input logic [9:0] op, input logic [7:0] mode,
                                   input logic ieee);
    logic [31:0] a, b, x, y, z, t, kind, kept, kept_y, rnd;
    logic [39:0] q;
    logic [5:0] n;
    logic from_half, is_signed, half, rest, half_y, rest_y, fixup16;
    logic [1:0] shift;
    shift = op == OP_V_CVT_PKNORM_I16_F32 || op == OP_V_CVT_PKNORM_U16_F32 ? 2'd1 :
        op == OP_V_CVT_F16_F32 || op == OP_V_CVT_PKRTZ_F16_F32 ? 2'd2 : 2'd0;
    from_half = op == OP_V_CVT_U16_F16 || op == OP_V_CVT_I16_F16 || op == OP_V_FREXP_EXP_I16_F16 ||
        op == OP_V_FREXP_MANT_F16 || op == OP_V_CVT_F32_F16;
    is_signed = op == OP_V_CVT_I32_F32 || op == OP_V_CVT_RPI_I32_F32 || op == OP_V_CVT_FLR_I32_F32 ||
        op == OP_V_CVT_I16_F16 || op == OP_V_CVT_PKNORM_I16_F32;
    kind = op == OP_V_CVT_RPI_I32_F32 ? 32'd1 : op == OP_V_CVT_FLR_I32_F32 ? 32'd2 :
        op == OP_V_CVT_PK_U8_F32 || op == OP_V_CVT_PKACCUM_U8_F32 ? 32'd3 : 32'd0;
    rnd = op == OP_V_CVT_PKRTZ_F16_F32 ? 32'd8 : 32'd1 << mode[3:2];
    fixup16 = op == OP_V_DIV_FIXUP_F16;
    for (int unsigned l = 0; l < Lanes; l++) begin
      x = v.x[l];
      y = v.y[l];
      z = v.z[l];
      a = flush(from_half ? halves[l] : x, from_half || mode[4]);
      b = flush(y, mode[4]);
      to_shift(a, shift, is_signed, q, n);
      shift_out(q, n, kept, half, rest);
      to_shift(b, {shift[1], !shift[1]}, is_signed, q, n);
      shift_out(q, n, kept_y, half_y, rest_y);
      case (op)
        OP_V_TRUNC_F32, OP_V_CEIL_F32, OP_V_RNDNE_F32, OP_V_FLOOR_F32: t = wholes[l];
        OP_V_TRUNC_F16, OP_V_CEIL_F16, OP_V_RNDNE_F16, OP_V_FLOOR_F16: t = 32'(exact_half(wholes[l]));
        OP_V_CVT_F16_F32: t = 32'(half_end(a, kept, half, rest, rnd, mode[7]));
        OP_V_CVT_PKRTZ_F16_F32: begin
          t = {half_end(b, kept_y, half_y, rest_y, rnd, mode[7]), half_end(a, kept, half, rest, rnd, mode[7])};
        end
        OP_V_CVT_F32_F16: t = a;
        OP_V_CVT_PKNORM_I16_F32, OP_V_CVT_PKNORM_U16_F32: begin
          t = {norm_end(b, kept_y, half_y, rest_y, is_signed), norm_end(a, kept, half, rest, is_signed)};
        end
        OP_V_FREXP_EXP_I32_F32: t = frexp_exp(a, 1'b1);
        OP_V_FREXP_EXP_I16_F16: t = frexp_exp(a, 1'b1) & 32'hffff;
        OP_V_FREXP_MANT_F32: t = frexp_mant(a, 1'b1);
        OP_V_FREXP_MANT_F16: t = 32'(exact_half(frexp_mant(a, 1'b1)));
        OP_V_DIV_FIXUP_F32, OP_V_DIV_FIXUP_F16: begin
          // halves stand in the upper half; the exponents of none are far apart
          t = div_fixup(fixup16 ? x << 16 : x, fixup16 ? y << 16 : y, fixup16 ? z << 16 : z, 32'h80000000,
                        fixup16 ? 32'h7c000000 : 32'h7f800000, fixup16 ? 32'h2000000 : 32'h400000, 32'd23,
                        fixup16 ? 32'd1000 : 32'd150);
          if (fixup16) t = t >> 16;
        end
        OP_V_MIN_F32, OP_V_MAX_F32, OP_V_MIN3_F32, OP_V_MAX3_F32, OP_V_MED3_F32, OP_V_MIN_F16, OP_V_MAX_F16: begin
          t = pick_op(op, x, y, z, ieee);
        end
        default: begin  // to integers
          t = to_int_end(a, kept, half, rest, kind, is_signed);
          if (op == OP_V_CVT_U16_F16) t = sat_u16(t);
          if (op == OP_V_CVT_I16_F16) t = sat_i16(t);
          if (op == OP_V_CVT_PK_U8_F32 || op == OP_V_CVT_PKACCUM_U8_F32) begin  // byte y of z is replaced
            t = min_u(t, 32'd255) << {y[1:0], 3'd0};
            t = (z & ~(32'd255 << {y[1:0], 3'd0})) | t;
          end
        end
      endcase
      result[l] = t;
    end
  endfunction
