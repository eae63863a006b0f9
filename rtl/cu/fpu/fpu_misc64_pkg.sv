// SPDX-License-Identifier: Apache-2.0
// Double-precision operations without the normaliser: minimum, maximum, compares, rounding to whole numbers, conversion
// to integers and singles, parts of a number, helpers of division (rules: docs/reference/isa.md).  One call is one lane.
// Not responsible for: arithmetic that rounds after normalising (fpu_fma64_pkg), seeds (fpu_seed64_pkg).
package fpu_misc64_pkg;
  import fpu_fma64_pkg::*;

  /* verilator lint_off UNUSEDSIGNAL */  // of words that only have the width of their neighbours
  // Leading zeros.
  function automatic logic [31:0] clz(input logic [63:0] x);
    logic [63:0] n;
    fpu_fma_pkg::leading(x, 64'd63, n);
    return 32'(n);
  endfunction

  // Ordered key of a number.
  function automatic logic [63:0] order(input logic [63:0] x);
    return x[63] ? ~x : x | Sign;
  endfunction

  // Minimum or maximum: numbers win over NaN, but with ieee a signalling NaN wins, made quiet; -0 < +0.
  function automatic logic [63:0] pick(input logic [63:0] a, input logic [63:0] b, input logic ieee,
                                       input logic maximum);
    logic [63:0] r;
    r = is_nan(a) ? b : is_nan(b) ? a : (order(a) < order(b)) != maximum ? a : b;
    r = ieee && is_nan(b) && !b[51] ? b | 64'h0008000000000000 : r;
    return ieee && is_nan(a) && !a[51] ? a | 64'h0008000000000000 : r;
  endfunction

  // Is the relation of a and b among `set`: 1 less, 2 equal, 4 greater, 8 unordered.
  function automatic logic compare(input logic [63:0] a, input logic [63:0] b, input logic [3:0] set);
    logic equal;
    equal = a == b || ((a | b) & ~Sign) == 64'd0;
    return is_nan(a) || is_nan(b) ? set[3] : equal ? set[1] : order(a) < order(b) ? set[0] : set[2];
  endfunction

  // Class test: bit n of `set` for the class of x.
  function automatic logic class_of(input logic [63:0] x, input logic [31:0] set);
    logic [63:0] m;
    logic [31:0] n, number;
    m = x & ~Sign;
    n = m == Inf ? 32'd0 : (m & Inf) != 64'd0 ? 32'd1 : m != 64'd0 ? 32'd2 : 32'd3;
    number = m > Inf ? (x[51] ? 32'd1 : 32'd0) : x[63] ? 32'd2 + n : 32'd9 - n;
    return 1'(set >> number);
  endfunction

  // Whole numbers: kind 0 trunc, 1 ceil, 2 rndne, 3 floor (opcode order of v_trunc..v_floor).
  function automatic logic [63:0] whole(input logic [63:0] x, input logic [1:0] kind, input logic keep);
    logic [63:0] m, kept, rest, half, sh, r;
    logic [31:0] e;
    logic up;
    e = 32'(x >> 52) & 32'd2047;
    m = mantissa(x);
    // bits below the point are dropped; 54 is enough when |x| < 1/2
    sh = e >= 32'd1075 ? 64'd0 : e < 32'd1021 ? 64'd54 : 64'd1075 - 64'(e);
    kept = m >> sh;
    rest = m & ((64'd1 << sh) - 64'd1);
    half = (64'd1 << sh) >> 1;
    case (kind)
      2'd0: up = 1'b0;
      2'd1: up = rest != 64'd0 && !x[63];
      2'd2: up = (rest & half) != 64'd0 && ((rest & ~half) != 64'd0 || kept[0]);
      default: up = rest != 64'd0 && x[63];
    endcase
    // below 1 the result is 0 or 1; else the fraction bits are cleared and one unit is added
    r = e < 32'd1023 ? (up ? One : 64'd0) : (x & ~Sign & ~((64'd1 << sh) - 64'd1)) + (64'(up) << sh);
    return e >= 32'd1075 ? finish(x, keep) : (x & Sign) | r;
  endfunction

  // To a 32-bit integer: truncated, saturated, NaN gives 0.
  function automatic logic [31:0] to_int(input logic [63:0] x, input logic is_signed);
    logic [31:0] e, t, r;
    e = 32'(x >> 52) & 32'd2047;
    t = e < 32'd1023 ? 32'd0 : 32'(mantissa(x) >> (32'd1075 - (e > 32'd1054 ? 32'd1054 : e)));
    if (is_signed) r = e >= 32'd1054 ? (x[63] ? 32'h80000000 : 32'h7fffffff) : x[63] ? 32'd0 - t : t;
    else r = x[63] ? 32'd0 : e >= 32'd1055 ? 32'hffffffff : t;
    return is_nan(x) ? 32'd0 : r;
  endfunction

  // To single precision, one rounding.
  function automatic logic [31:0] to_f32(input logic [63:0] x, input logic [1:0] mode, input logic keep);
    logic [63:0] m, kept, rest, half, sh;
    logic [31:0] e, r;
    logic up;
    e = 32'(x >> 52) & 32'd2047;
    m = mantissa(x);
    // subnormal singles have fewer bits
    sh = e >= 32'd897 ? 64'd29 : e < 32'd872 ? 64'd54 : 64'd926 - 64'(e);
    kept = m >> sh;
    half = (64'd1 << sh) >> 1;
    rest = m & ((64'd1 << sh) - 64'd1);
    up = away(mode, x[63], kept[0], (rest & half) != 64'd0, (rest & ~half) != 64'd0);
    r = (e > 32'd1151 ? 32'h7f800000 : e >= 32'd897 ? (e - 32'd897) << 23 : 32'd0) + 32'(kept) + 32'(up);
    r = r >= 32'h7f800000 ? (outward(mode, x[63]) ? 32'h7f800000 : 32'h7f7fffff) : r < 32'h800000 && !keep ? 32'd0 : r;
    r = (x & ~Sign) == Inf ? 32'h7f800000 : r;
    return is_nan(x) ? 32'h7fc00000 : {x[63], 31'd0} | r;
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  // Exponent and mantissa (1/2 <= |m| < 1) of a number; infinities and NaN give 0 and themselves.
  function automatic logic [31:0] frexp_exp(input logic [63:0] x);
    logic [31:0] e;
    e = 32'(x >> 52) & 32'd2047;
    return e == 32'd2047 || (x & ~Sign) == 64'd0 ? 32'd0 :
        e != 32'd0 ? e - 32'd1022 : 32'd0 - 32'd1010 - clz(x & Fraction);
  endfunction

  function automatic logic [63:0] frexp_mant(input logic [63:0] x);
    logic [63:0] m;
    m = x & Fraction;
    m = (x & Inf) == 64'd0 ? (m << (clz(m) - 32'd11)) & Fraction : m;
    return (x & Inf) == Inf || (x & ~Sign) == 64'd0 ? finish(x, 1'b1) : (x & Sign) | 64'h3fe0000000000000 | m;
  endfunction

  // ---- division
  // |x / y| below the smallest normal number, from exponents and mantissas with the leading one at bit 63.
  function automatic logic below_normal(input logic [31:0] ex, input logic [63:0] mx, input logic [31:0] ey,
                                        input logic [63:0] my);
    logic [31:0] e;
    e = ex - ey - (mx < my ? 32'd1 : 32'd0);
    return $signed(e) < -32'sd1022;
  endfunction

  // Source a of denominator b and numerator c times 2**n; flag: VCC of the lane; nan: result is NaN.
  function automatic void div_scale(input logic [63:0] a, input logic [63:0] b, input logic [63:0] c,
                                    output logic [31:0] n, output logic flag, output logic nan);
    logic [63:0] md, mn;
    logic [31:0] fd, fn, ed, en, zd, zn, up, down;
    logic far, inverse, quotient;
    fd = 32'(b >> 52) & 32'd2047;
    fn = 32'(c >> 52) & 32'd2047;
    md = mantissa(b);
    mn = mantissa(c);
    zd = clz(md);
    zn = clz(mn);
    nan = md == 64'd0 || mn == 64'd0;
    ed = exponent(b) - zd - 32'd1012;
    en = exponent(c) - zn - 32'd1012;
    md = md << zd;
    mn = mn << zn;
    inverse = below_normal(32'd0, Sign, ed, md);
    quotient = below_normal(en, mn, ed, md);
    up = 32'd128;
    down = -32'd128;
    far = fn >= fd + 32'd768;
    flag = !nan && (far || (fd != 32'd0 && quotient));
    n = far ? (a == b ? up : 32'd0) : fd == 32'd0 ? up : inverse && quotient ? (a == b ? down : 32'd0) :
        inverse ? down : quotient ? (a == c ? up : 32'd0) : fn <= 32'd53 ? up : 32'd0;
  endfunction

  // Quotient a of numerator c and denominator b with the special cases put in.
  function automatic logic [63:0] div_fixup(input logic [63:0] a, input logic [63:0] b, input logic [63:0] c);
    logic [63:0] sign, x, y, q;
    sign = (b ^ c) & Sign;
    x = b & ~Sign;
    y = c & ~Sign;
    q = a & ~Sign;
    return y > Inf ? c | 64'h0008000000000000 : x > Inf ? b | 64'h0008000000000000 :
        (x == 64'd0 && y == 64'd0) || (x == Inf && y == Inf) ? Sign | QuietNan :
        x == 64'd0 || y == Inf ? sign | Inf :
        x == Inf || y == 64'd0 || (y >> 52) + 64'd1075 < (x >> 52) ? sign : sign | (q > Inf ? Inf : q);
  endfunction
endpackage
