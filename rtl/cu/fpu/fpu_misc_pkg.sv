// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of one step that need no normaliser: minimum, maximum, median, rounding to whole numbers,
// conversion to integers and between halves and singles, parts of a number.  One call is one lane.
// Not responsible for: arithmetic that rounds after normalising (fpu_fma_pkg), transcendentals (fpu_trans_pkg).
package fpu_misc_pkg;
  import fpu_fma_pkg::away;
  import fpu_fma_pkg::outward;

  function automatic logic is_nan(input logic [31:0] x);
    return (x & 32'h7fffffff) > 32'h7f800000;
  endfunction

  function automatic logic [31:0] flush(input logic [31:0] x, input logic keep);
    return keep || (x & 32'h7f800000) != 32'd0 ? x : x & 32'h80000000;
  endfunction

  // Result of an operation that can return a NaN or a subnormal of its source.
  function automatic logic [31:0] finish(input logic [31:0] x, input logic keep);
    return is_nan(x) ? 32'h7fc00000 : flush(x, keep);
  endfunction

  // Minimum or maximum: numbers win over NaN, but with ieee a signalling NaN wins, made quiet; -0 < +0.
  function automatic logic [31:0] pick(input logic [31:0] a, input logic [31:0] b, input logic [31:0] infv,
                                       input logic [31:0] sign, input logic [31:0] quiet, input logic ieee,
                                       input logic maximum);
    logic a_nan, b_nan, less;
    logic [31:0] r;
    a_nan = (a & (sign - 32'd1)) > infv;
    b_nan = (b & (sign - 32'd1)) > infv;
    less = ((a & sign) != 32'd0 ? ~a & ((sign << 1) - 32'd1) : a | sign) <
        ((b & sign) != 32'd0 ? ~b & ((sign << 1) - 32'd1) : b | sign);
    r = a_nan ? b : b_nan ? a : less != maximum ? a : b;
    r = ieee && b_nan && (b & quiet) == 32'd0 ? b | quiet : r;
    return ieee && a_nan && (a & quiet) == 32'd0 ? a | quiet : r;
  endfunction

  function automatic logic [31:0] pick32(input logic [31:0] a, input logic [31:0] b, input logic ieee,
                                         input logic maximum);
    return pick(a, b, 32'h7f800000, 32'h80000000, 32'h400000, ieee, maximum);
  endfunction

  function automatic logic [31:0] med3(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                       input logic ieee);
    logic [31:0] low, high, with_nan, without;
    with_nan = pick32(pick32(a, b, ieee, 1'b0), c, ieee, 1'b0);
    low = pick32(a, b, 1'b0, 1'b0);
    high = pick32(a, b, 1'b0, 1'b1);
    without = pick32(low, pick32(high, c, 1'b0, 1'b0), 1'b0, 1'b1);
    return is_nan(a) || is_nan(b) || is_nan(c) ? with_nan : without;
  endfunction

  // Whole numbers: kind 0 trunc, 1 ceil, 2 rndne, 3 floor (opcode order of v_trunc..v_floor).
  function automatic logic [31:0] whole(input logic [31:0] a, input logic [31:0] kind, input logic keep_in,
                                        input logic keep_out);
    logic [31:0] x, e, m, sign, sh, below, top, lowest, up, r;
    x = flush(a, keep_in);
    e = (x >> 23) & 32'd255;
    sign = x >> 31;
    // mantissa with hidden bit: bits below the point are dropped; 25 is enough when |x| < 1/2
    m = (x & 32'h7fffff) | (e != 32'd0 ? 32'h800000 : 32'd0);
    sh = e >= 32'd150 ? 32'd0 : 32'd150 - e > 32'd25 ? 32'd25 : 32'd150 - e;
    below = (32'd1 << sh) - 32'd1;
    top = below ^ (below >> 1);  // the highest bit that is dropped
    lowest = below ^ ((below << 1) | 32'd1);  // the lowest that is kept
    away(32'd1, sign, 32'((m & lowest) != 32'd0), 32'((m & top) != 32'd0), 32'((m & (below >> 1)) != 32'd0), up);
    up = kind == 32'd0 ? 32'd0 : kind == 32'd1 ? 32'((m & below) != 32'd0) & ~sign & 32'd1 :
        kind == 32'd3 ? 32'((m & below) != 32'd0) & sign : up;
    // below 1 the result is 0 or 1; else the fraction bits are cleared and one unit is added
    r = e < 32'd127 ? (up != 32'd0 ? 32'h3f800000 : 32'd0) :
        (((x & 32'h7fffffff) | below) + up) & ~below;
    return e >= 32'd150 ? finish(x, keep_out) : (sign << 31) | r;
  endfunction

  // To a 32-bit integer, saturating; kind 0 truncate, 1 floor(x + 1/2), 2 floor, 3 nearest even.
  function automatic logic [31:0] to_int(input logic [31:0] a, input logic [31:0] kind, input logic is_signed,
                                         input logic keep_in);
    logic [31:0] x, e, m, sign, sh, t, half, rest, up, r;
    logic [63:0] q;
    x = flush(a, keep_in);
    e = (x >> 23) & 32'd255;
    sign = x >> 31;
    m = e != 32'd0 ? (x & 32'h7fffff) | 32'h800000 : x & 32'h7fffff;
    sh = e > 32'd158 ? 32'd0 : 32'd158 - e > 32'd63 ? 32'd63 : 32'd158 - e;
    q = (64'(m) << 40) >> sh;
    t = 32'(q >> 32);
    half = 32'(q >> 31) & 32'd1;
    rest = 32'((q & 64'h7fffffff) != 64'd0) | (32'(sh > 32'd40) & 32'(m != 32'd0));
    up = kind == 32'd0 ? 32'd0 :
        kind == 32'd1 ? half & (sign != 32'd0 ? rest : 32'd1) :
        kind == 32'd2 ? (half | rest) & sign : half & (rest | t);
    r = t + (up & 32'd1);
    if (is_signed) begin
      r = e >= 32'd158 ? (sign != 32'd0 ? 32'h80000000 : 32'h7fffffff) : sign != 32'd0 ? 32'd0 - r : r;
    end else begin
      r = sign != 32'd0 ? 32'd0 : e >= 32'd159 ? 32'hffffffff : r;
    end
    return is_nan(x) ? 32'd0 : r;
  endfunction

  // Single to half precision, one rounding.
  function automatic logic [31:0] f32_to_half(input logic [31:0] a, input logic [31:0] round, input logic keep_in,
                                              input logic keep_out);
    logic [31:0] x, e, m, sign, sh, kept, below, top, up, r, big;
    x = flush(a, keep_in);
    e = (x >> 23) & 32'd255;
    sign = x >> 31;
    m = (x & 32'h7fffff) | (e != 32'd0 ? 32'h800000 : 32'd0);
    sh = e >= 32'd113 ? 32'd13 : e < 32'd101 ? 32'd25 : 32'd126 - e;
    kept = m >> sh;
    below = (32'd1 << sh) - 32'd1;
    top = below ^ (below >> 1);
    away(round, sign, kept & 32'd1, 32'((m & top) != 32'd0), 32'((m & (below >> 1)) != 32'd0), up);
    r = (e > 32'd143 ? 32'h7c00 : e >= 32'd113 ? (e - 32'd113) << 10 : 32'd0) + kept + up;
    outward(round, sign, big);
    big = 32'h7bff + big;
    r = r >= 32'h7c00 ? big : r < 32'h400 && !keep_out ? 32'd0 : r;
    r = (x & 32'h7fffffff) == 32'h7f800000 ? 32'h7c00 : r;
    return is_nan(x) ? 32'h7e00 : (sign << 15) | r;
  endfunction

  // x clamped to -1..1 (0..1 if not signed) times factor, to the nearest integer; 16 bits.
  function automatic logic [31:0] norm(input logic [31:0] a, input logic is_signed, input logic keep_in);
    logic [31:0] x, e, sign, t, up;
    logic [63:0] q, sh, rest, half;
    x = flush(a, keep_in);
    e = (x >> 23) & 32'd255;
    sign = x >> 31;
    t = e != 32'd0 ? (x & 32'h7fffff) | 32'h800000 : x & 32'h7fffff;
    q = ({32'd0, t} << (is_signed ? 64'd15 : 64'd16)) - {32'd0, t};  // times 32767 or 65535
    sh = e >= 32'd127 ? 64'd23 : 32'd150 - e > 32'd60 ? 64'd60 : 64'd150 - 64'(e);
    rest = q & ((64'd1 << sh) - 64'd1);
    half = 64'd1 << (sh - 64'd1);
    t = 32'(q >> sh);
    up = 32'(rest > half) | (32'(rest == half) & t & 32'd1);
    t = e >= 32'd127 ? (is_signed ? 32'd32767 : 32'd65535) : t + up;
    t = sign == 32'd0 ? t : is_signed ? 32'd0 - t : 32'd0;
    return is_nan(x) ? 32'd0 : t & 32'hffff;
  endfunction

  // Exponent and mantissa (1/2 <= |m| < 1) of a number; infinities and NaN give 0 and themselves.
  function automatic logic [31:0] frexp_exp(input logic [31:0] a, input logic keep_in);
    logic [31:0] x, e, m;
    x = flush(a, keep_in);
    e = (x >> 23) & 32'd255;
    m = x & 32'h7fffff;
    return e == 32'd255 || (e == 32'd0 && m == 32'd0) ? 32'd0 :
        e != 32'd0 ? e - 32'd126 : 32'd0 - 32'd117 - valu_int_pkg::clz32(m);
  endfunction

  function automatic logic [31:0] frexp_mant(input logic [31:0] a, input logic keep_in);
    logic [31:0] x, e, m;
    x = flush(a, keep_in);
    e = (x >> 23) & 32'd255;
    m = x & 32'h7fffff;
    m = e == 32'd0 ? (m << (valu_int_pkg::clz32(m) - 32'd8)) & 32'h7fffff : m;
    return e == 32'd255 || (x & 32'h7fffffff) == 32'd0 ? finish(x, 1'b1) : (x & 32'h80000000) | 32'h3f000000 | m;
  endfunction
endpackage
