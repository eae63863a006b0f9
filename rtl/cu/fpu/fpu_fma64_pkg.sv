// SPDX-License-Identifier: Apache-2.0
// Double precision that rounds: fused multiply-add, of which sums, products, scaled values and conversions are cases.
// Scalar functions for four pipeline steps; one call is one lane.  Not responsible for: results without rounding
// (fpu_misc64_pkg), which operation it is and the registers between the steps (simd_serial.svh).
//
// Between the steps a value is p * 2**(e-1148) with p of 128 bits in two words: bit 125 has the weight 2**(e-1023), so
// that a product of two hidden bits stands there and sums do not overflow.  c has an upper word only.  `sg`: bit 0 sign
// of p, bit 1 sign of c, bit 2 result is special, bit 3 it is NaN (else infinity of sign bit 0).  Subnormal sources are
// not normalised: e is at least 1, the exponent of subnormals, and 21 bits below the product are guard bits.
package fpu_fma64_pkg;
  localparam logic [63:0] Sign = 64'h8000000000000000;
  localparam logic [63:0] Inf = 64'h7ff0000000000000;
  localparam logic [63:0] QuietNan = 64'h7ff8000000000000;
  localparam logic [63:0] One = 64'h3ff0000000000000;
  localparam logic [63:0] Fraction = 64'h000fffffffffffff;
  localparam logic [63:0] Hidden = 64'h0010000000000000;

  function automatic logic is_nan(input logic [63:0] x);
    return (x & ~Sign) > Inf;
  endfunction

  // Subnormals become a zero of the same sign unless keep.
  function automatic logic [63:0] flush(input logic [63:0] x, input logic keep);
    return keep || (x & Inf) != 64'd0 ? x : x & Sign;
  endfunction

  // Result of an operation that can return a NaN or a subnormal of its source.
  function automatic logic [63:0] finish(input logic [63:0] x, input logic keep);
    return is_nan(x) ? QuietNan : flush(x, keep);
  endfunction

  // Biased exponent as it counts: that of subnormals and zeros is 1.
  function automatic logic [31:0] exponent(input logic [63:0] x);
    logic [31:0] e;
    e = 32'(x >> 52) & 32'd2047;
    return e != 32'd0 ? e : 32'd1;
  endfunction

  function automatic logic [63:0] mantissa(input logic [63:0] x);
    return (x & Fraction) | ((x & Inf) != 64'd0 ? Hidden : 64'd0);
  endfunction

  // ---- shifts of two words, n below 128
  function automatic void shift_left(input logic [63:0] h, input logic [63:0] l, input logic [6:0] n,
                                     output logic [63:0] oh, output logic [63:0] ol);
    logic [63:0] th, tl, k;
    th = n[6] ? l : h;
    tl = n[6] ? 64'd0 : l;
    k = 64'(n[5:0]);
    oh = (th << k) | ((tl >> 1) >> (64'd63 - k));
    ol = tl << k;
  endfunction

  // Right; what falls out is or-ed into the lowest bit.
  function automatic void shift_right(input logic [63:0] h, input logic [63:0] l, input logic [6:0] n,
                                      output logic [63:0] oh, output logic [63:0] ol);
    logic [63:0] th, tl, k, lost;
    th = n[6] ? 64'd0 : h;
    tl = n[6] ? h : l;
    k = 64'(n[5:0]);
    lost = ((tl << 1) << (64'd63 - k)) | (n[6] ? l : 64'd0);
    oh = th >> k;
    ol = (tl >> k) | ((th << 1) << (64'd63 - k)) | (lost != 64'd0 ? 64'd1 : 64'd0);
  endfunction

  // ---- step 2
  // Signs and special results of a * b + c.
  function automatic logic [31:0] specials(input logic [63:0] a, input logic [63:0] b, input logic [63:0] c);
    logic ps, cs, ai, bi, ci, nan, product_inf;
    ps = a[63] ^ b[63];
    cs = c[63];
    ai = (a & ~Sign) == Inf;
    bi = (b & ~Sign) == Inf;
    ci = (c & ~Sign) == Inf;
    product_inf = ai || bi;
    nan = is_nan(a) || is_nan(b) || is_nan(c) || (ai && (b & ~Sign) == 64'd0) || (bi && (a & ~Sign) == 64'd0) ||
        (product_inf && ci && ps != cs);
    return {28'd0, nan, nan || product_inf || ci, cs, product_inf || !ci ? ps : cs};
  endfunction

  // Exact product times 2**scale beside c; d = exponent of the product minus that of c, e = the larger.
  function automatic void product(input logic [63:0] a, input logic [63:0] b, input logic [63:0] c,
                                  input logic [31:0] scale, output logic [63:0] ph, output logic [63:0] pl,
                                  output logic [63:0] ch, output logic [31:0] d, output logic [31:0] e,
                                  output logic [31:0] sg);
    logic [63:0] ma, mb, high, low;
    logic [31:0] ep, ec;
    ma = mantissa(a);
    mb = mantissa(b);
    tech_mul_pkg::mul53(ma, mb, high, low);
    ph = (high << 21) | (low >> 43);
    pl = low << 21;
    ch = mantissa(c) << 9;
    ec = exponent(c);
    ep = ma == 64'd0 || mb == 64'd0 ? ec : exponent(a) + exponent(b) - 32'd1023 + scale;
    d = ep - ec;
    e = $signed(d) < 32'sd0 ? ec : ep;
    sg = specials(a, b, c);
  endfunction

  // ---- step 3: the operand of the smaller exponent is shifted right; b: the other one; sub: signs differ
  function automatic void align(input logic [63:0] ph, input logic [63:0] pl, input logic [63:0] ch,
                                input logic [31:0] d, output logic [63:0] bh, output logic [63:0] bl,
                                output logic [63:0] yh, output logic [63:0] yl);
    logic [31:0] n;
    n = d[31] ? 32'd0 - d : d;
    bh = d[31] ? ch : ph;
    bl = d[31] ? 64'd0 : pl;
    shift_right(d[31] ? ph : ch, d[31] ? pl : 64'd0, n > 32'd127 ? 7'd127 : n[6:0], yh, yl);
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // parts of flags and counts
  // ---- step 4: sum or difference, its sign, its leading zeros (down: rounding mode is downward)
  function automatic void add(input logic [63:0] bh, input logic [63:0] bl, input logic [63:0] yh,
                              input logic [63:0] yl, input logic c_is_larger, input logic [31:0] sgi,
                              input logic down, output logic [63:0] sh, output logic [63:0] sl,
                              output logic [31:0] zeros, output logic [31:0] sg);
    logic sub, sign, neg;
    logic [63:0] lo, hi, count;
    sub = sgi[0] != sgi[1] && !sgi[2];
    sign = c_is_larger && !sgi[2] ? sgi[1] : sgi[0];
    lo = sub ? bl - yl : bl + yl;
    hi = sub ? bh - yh - (bl < yl ? 64'd1 : 64'd0) : bh + yh + (lo < bl ? 64'd1 : 64'd0);
    neg = sub && hi[63];
    sl = neg ? yl - bl : lo;
    sh = neg ? yh - bh - (yl < bl ? 64'd1 : 64'd0) : hi;
    sg = {sgi[31:2], 1'b0, sub && (hi | lo) == 64'd0 ? down : sign ^ neg};
    fpu_fma_pkg::leading(sh != 64'd0 ? sh : sl, 64'd63, count);
    zeros = 32'(count) + (sh != 64'd0 ? 32'd0 : 32'd64);
  endfunction

  // ---- step 5: normalise and round
  // Can rounding go away from zero (0 nearest even, 1 up, 2 down, 3 to zero): then overflow gives infinity.
  function automatic logic outward(input logic [1:0] round, input logic sign);
    return round == 2'd0 || (round == 2'd1 && !sign) || (round == 2'd2 && sign);
  endfunction

  // Does it?  lsb: last kept bit, half: first dropped bit, rest: any other dropped bit.
  function automatic logic away(input logic [1:0] round, input logic sign, input logic lsb, input logic half,
                                input logic rest);
    return round == 2'd0 ? half && (rest || lsb) : (half || rest) && outward(round, sign);
  endfunction

  function automatic logic [63:0] round(input logic [63:0] sh, input logic [63:0] sl, input logic [31:0] zeros,
                                        input logic [31:0] e, input logic [31:0] sg, input logic [1:0] mode,
                                        input logic keep);
    logic [63:0] h, l, r;
    logic [31:0] left, right, er;
    logic sign, up;
    sign = sg[0];
    // bit 127 gets the exponent e + 2 - left, which must not fall below 1
    left = $signed(e) + 32'sd1 < $signed(zeros) ? e + 32'd1 : zeros;
    right = 32'd0 - left;
    if (left[31]) shift_right(sh, sl, right > 32'd127 ? 7'd127 : right[6:0], h, l);
    else shift_left(sh, sl, left[6:0], h, l);
    er = h[63] ? e + 32'd2 - left : 32'd1;
    up = away(mode, sign, h[11], h[10], (h[9:0] | {9'd0, l != 64'd0}) != 10'd0);
    // the mantissa holds the hidden bit, so the exponent less one is added; far overflow must not wrap
    er = er > 32'd2047 ? 32'd2047 : er;
    r = ((64'(er) - 64'd1) << 52) + (h >> 11) + 64'(up);
    r = er > 32'd2046 || r >= Inf ? (outward(mode, sign) ? Inf : Inf - 64'd1) : r;
    r = r < Hidden && !keep ? 64'd0 : r;
    r = sg[2] ? Inf : r;
    return sg[3] ? QuietNan : r | (sign ? Sign : 64'd0);
  endfunction

  /* verilator lint_on UNUSEDSIGNAL */

  // ---- modifiers of a finished result
  // Times 2, 4 or 1/2 (omod 1, 2, 3); overflow and underflow follow the rounding mode, subnormal results are 0, zero is +0.
  function automatic logic [63:0] omod(input logic [63:0] x, input logic [1:0] by, input logic [1:0] mode);
    logic [63:0] m, r, sign;
    logic [31:0] e;
    logic out;
    sign = x & Sign;
    e = 32'(x >> 52) & 32'd2047;
    m = x & Fraction;
    out = outward(mode, x[63]);
    r = m << by;  // of subnormals, which minimum, maximum and the division helpers return
    r = r >= (Hidden << 1) ? (Hidden << 1) | ((r >> 1) & Fraction) : r;
    r = by == 2'd3 || r < Hidden ? 64'd0 : r;
    if (e != 32'd0) begin
      if (by == 2'd3) r = e > 32'd1 ? (64'(e - 32'd1) << 52) | m : m == Fraction && out ? Hidden : 64'd0;
      else r = e + 32'(by) < 32'd2047 ? (64'(e + 32'(by)) << 52) | m : out ? Inf : Inf - 64'd1;
    end
    return e == 32'd2047 ? (m != 64'd0 ? QuietNan : x) : r == 64'd0 ? 64'd0 : sign | r;
  endfunction

  // To 0..1; NaN gives 0 with DX10_CLAMP.
  function automatic logic [63:0] clamp(input logic [63:0] x, input logic dx10);
    return is_nan(x) ? (dx10 ? 64'd0 : x) : x[63] ? 64'd0 : x > One ? One : x;
  endfunction
endpackage
