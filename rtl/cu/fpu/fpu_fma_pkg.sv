// SPDX-License-Identifier: Apache-2.0
// The wide normaliser: fused multiply-add and scaled results in single precision, and products with subnormal sources:
// scalar functions for three pipeline steps.  One call is one lane.  Not responsible for: sums and products that fit
// into 32 bits (fpu_sum_pkg), output modifiers (valu_lane_pkg), operations without rounding (fpu_misc_pkg).
//
// Between the steps a value is p * 2**(e-188) with p of 64 bits in two words (ph, pl), c likewise with its own exponent
// and only an upper word (ch): 32-bit words because most of each step works on them alone; `sg` holds bit 0
// sign of p, bit 1 sign of c, bit 2 result is special, bit 3 it is NaN (else infinity of sign bit 0); bit 4 is the
// caller's.
//   step 1 (product): operands -> p, c, d = exponent of p minus exponent of c, e = the larger
//   step 2 (align_add): shift the smaller right with a sticky bit, add or subtract -> s, e, sg
//   step 3 (leading32, normalise, round_f32): normalise, round; `round` is one-hot: 1 nearest even, 2 up, 4 down, 8 to zero
// Halves enter as the equal single-precision value (half_to_f32).
package fpu_fma_pkg;

  // Exact value of a half as single precision; subnormals become 0 unless keep; NaN becomes the quiet NaN.
  function automatic logic [31:0] half_to_f32(input logic [31:0] h, input logic keep);
    logic [31:0] e, m, n, t, sign, normal, small_value;
    sign = (h & 32'h8000) << 16;
    e = (h >> 10) & 32'd31;
    m = h & 32'h3ff;
    normal = ((e + 32'd112) << 23) | (m << 13);
    // subnormal: shift the leading one of m to bit 10
    t = m;
    n = 32'd0;
    n = n + ((t >> 3) == 32'd0 ? 32'd8 : 32'd0);
    t = (t >> 3) == 32'd0 ? t << 8 : t;
    n = n + ((t >> 7) == 32'd0 ? 32'd4 : 32'd0);
    t = (t >> 7) == 32'd0 ? t << 4 : t;
    n = n + ((t >> 9) == 32'd0 ? 32'd2 : 32'd0);
    t = (t >> 9) == 32'd0 ? t << 2 : t;
    n = n + ((t >> 10) == 32'd0 ? 32'd1 : 32'd0);
    t = (t >> 10) == 32'd0 ? t << 1 : t;
    small_value = m == 32'd0 || !keep ? 32'd0 : ((32'd113 - n) << 23) | ((t & 32'h3ff) << 13);
    return e == 32'd31 ? (m != 32'd0 ? 32'h7fc00000 : sign | 32'h7f800000) :
        sign | (e == 32'd0 ? small_value : normal);
  endfunction

  // Can rounding go away from zero: then overflow gives infinity, else the largest number.
  function automatic void outward(input logic [31:0] round, input logic [31:0] sign, output logic [31:0] yes);
    yes = (round | ((round >> 1) & (sign ^ 32'd1)) | ((round >> 2) & sign)) & 32'd1;
  endfunction

  // Does rounding go away from zero?  lsb: last kept bit, half: first dropped bit, rest: any other dropped bit.
  function automatic void away(input logic [31:0] round, input logic [31:0] sign, input logic [31:0] lsb,
                               input logic [31:0] half, input logic [31:0] rest, output logic [31:0] up);
    up = (round & half & (rest | lsb)) | ((round >> 1) & (half | rest) & (sign ^ 32'd1)) |
        ((round >> 2) & (half | rest) & sign);
    up = up & 32'd1;
  endfunction

  // Signs and special cases of a * b + c.
  function automatic void specials(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                   input logic [31:0] ma, input logic [31:0] mb, output logic [31:0] flags);
    logic [31:0] ps, cs, aa, ab, ac, infv, nan, pi;
    ps = (a ^ b) >> 31;
    cs = c >> 31;
    aa = a & 32'h7fffffff;
    ab = b & 32'h7fffffff;
    ac = c & 32'h7fffffff;
    pi = 32'(aa == 32'h7f800000) | 32'(ab == 32'h7f800000);
    nan = 32'(aa > 32'h7f800000) | 32'(ab > 32'h7f800000) | 32'(ac > 32'h7f800000) |
        (32'(aa == 32'h7f800000) & 32'(mb == 32'd0)) | (32'(ab == 32'h7f800000) & 32'(ma == 32'd0)) |
        (pi & 32'(ac == 32'h7f800000) & (ps ^ cs));
    infv = pi | 32'(ac == 32'h7f800000);
    flags = (pi | (infv ^ 32'd1)) != 32'd0 ? ps | (cs << 1) | ((nan | infv) << 2) | (nan << 3) :
        cs | (cs << 1) | 32'd4 | (nan << 3);
  endfunction

  // Significand of a; keep: subnormals are not 0.
  function automatic logic [31:0] significand(input logic [31:0] a, input logic keep);
    return ((a >> 23) & 32'd255) != 32'd0 ? (a & 32'h7fffff) | 32'h800000 : keep ? a & 32'h7fffff : 32'd0;
  endfunction

  // Step 1: exact product beside c.
  function automatic void product(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c, input logic keep,
                                  output logic [31:0] ph, output logic [31:0] pl, output logic [31:0] ch,
                                  output logic [31:0] d, output logic [31:0] e, output logic [31:0] sg);
    logic [63:0] p;
    p = 64'(significand(a, keep)) * 64'(significand(b, keep));
    beside(a, b, c, keep, p, ph, pl, ch, d, e, sg);
  endfunction

  // The same, given the product of the significands.
  function automatic void beside(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c, input logic keep,
                                 input logic [63:0] pi, output logic [31:0] ph, output logic [31:0] pl,
                                 output logic [31:0] ch, output logic [31:0] d, output logic [31:0] e,
                                 output logic [31:0] sg);
    logic [63:0] p;
    logic [31:0] ea, eb, ec, ma, mb, mc, ep, zero;
    ea = (a >> 23) & 32'd255;
    eb = (b >> 23) & 32'd255;
    ec = (c >> 23) & 32'd255;
    ma = significand(a, keep);
    mb = significand(b, keep);
    mc = significand(c, keep);
    specials(a, b, c, ma, mb, sg);
    ea = ea == 32'd0 ? 32'd1 : ea;
    eb = eb == 32'd0 ? 32'd1 : eb;
    ec = ec == 32'd0 ? 32'd1 : ec;
    p = pi << 15;
    ph = 32'(p >> 32);
    pl = 32'(p);
    ch = mc << 6;
    zero = 32'(ma == 32'd0) | 32'(mb == 32'd0);
    ep = ea + eb - 32'd127;
    d = zero != 32'd0 ? 32'd0 : ep - ec;
    e = zero != 32'd0 || $signed(ep) < $signed(ec) ? ec : ep;
  endfunction

  // Step 2: the operand of the smaller exponent is shifted right, then added or subtracted.
  function automatic void align_add(input logic [31:0] ph, input logic [31:0] pl, input logic [31:0] ch,
                                    input logic [31:0] d, input logic [31:0] sgi, input logic [31:0] round,
                                    output logic [31:0] sh, output logic [31:0] sl, output logic [31:0] sg);
    logic [63:0] p, c, n, x, y, big, t, less;
    logic [31:0] ad, dn, sub, neg, sign, zero_sign;
    dn = d >> 31;
    ad = dn != 32'd0 ? 32'd0 - d : d;
    ad = (ad >> 6) != 32'd0 ? 32'd63 : ad;
    sub = (sgi ^ (sgi >> 1)) & 32'd1;
    p = {ph, pl};
    c = {ch, 32'd0};
    n = 64'(ad);
    x = dn != 32'd0 ? p : c;
    big = dn != 32'd0 ? c : p;
    y = x >> n;
    y = y | (((x << 1) << (n ^ 64'd63)) != 64'd0 ? 64'd1 : 64'd0);  // what is shifted out
    less = big - y;
    neg = sub & 32'(less >> 63);
    t = neg != 32'd0 ? y - big : sub != 32'd0 ? less : big + y;  // side by side: the carry is the longest path
    sh = 32'(t >> 32);
    sl = 32'(t);
    zero_sign = (round >> 2) & 32'd1;
    sign = ((dn != 32'd0 ? sgi >> 1 : sgi) ^ neg) & 32'd1;
    sign = big == y ? zero_sign : sign;  // of a difference
    sg = (sgi & 32'd28) | (sub == 32'd0 || (sgi & 32'd4) != 32'd0 ? sgi & 32'd1 : sign);
  endfunction

  // Step 2 of scaled results: the sum times 2**n; below the normal range it is shifted right.
  function automatic void rescale(input logic [31:0] sh, input logic [31:0] sl, input logic [31:0] e,
                                  input logic [31:0] n, output logic [31:0] oh, output logic [31:0] ol,
                                  output logic [31:0] eo);
    logic [31:0] t, right;
    logic [63:0] s, y;
    s = {sh, sl};
    t = e + n;
    right = 32'd1 - t;
    right = $signed(t) >= 32'sd1 ? 32'd0 : right > 32'd63 ? 32'd63 : right;
    y = s >> right;
    y = y | ((y << right) != s ? 64'd1 : 64'd0);
    oh = 32'(y >> 32);
    ol = 32'(y);
    eo = $signed(t) >= 32'sd1 ? t : 32'd1;
  endfunction

  // Step 3, first part: leading zeros, at most limit.
  function automatic void leading32(input logic [31:0] sh, input logic [31:0] sl, input logic [31:0] limit,
                                    output logic [31:0] count);
    logic [31:0] t, n;
    n = sh == 32'd0 ? 32'd32 : 32'd0;
    t = sh == 32'd0 ? sl : sh;
    n = n + (t < 32'h10000 ? 32'd16 : 32'd0);
    t = t < 32'h10000 ? t << 16 : t;
    n = n + (t < 32'h1000000 ? 32'd8 : 32'd0);
    t = t < 32'h1000000 ? t << 8 : t;
    n = n + (t < 32'h10000000 ? 32'd4 : 32'd0);
    t = t < 32'h10000000 ? t << 4 : t;
    n = n + (t < 32'h40000000 ? 32'd2 : 32'd0);
    t = t < 32'h40000000 ? t << 2 : t;
    n = n + (t < 32'h80000000 ? 32'd1 : 32'd0);
    count = n < limit ? n : limit;
  endfunction

  // Second part: the shift.
  function automatic void normalise(input logic [31:0] sh, input logic [31:0] sl, input logic [31:0] count,
                                    output logic [31:0] oh, output logic [31:0] ol);
    logic [63:0] s;
    s  = {sh, sl} << 64'(count);
    oh = 32'(s >> 32);
    ol = 32'(s);
  endfunction

  // Leading zeros of 64 bits, at most limit (half precision, fpu_trans_pkg).
  function automatic void leading(input logic [63:0] s, input logic [63:0] limit, output logic [63:0] count);
    logic [63:0] t, n;
    t = s;
    n = 64'd0;
    n = n + ((t >> 32) == 64'd0 ? 64'd32 : 64'd0);
    t = (t >> 32) == 64'd0 ? t << 32 : t;
    n = n + ((t >> 48) == 64'd0 ? 64'd16 : 64'd0);
    t = (t >> 48) == 64'd0 ? t << 16 : t;
    n = n + ((t >> 56) == 64'd0 ? 64'd8 : 64'd0);
    t = (t >> 56) == 64'd0 ? t << 8 : t;
    n = n + ((t >> 60) == 64'd0 ? 64'd4 : 64'd0);
    t = (t >> 60) == 64'd0 ? t << 4 : t;
    n = n + ((t >> 62) == 64'd0 ? 64'd2 : 64'd0);
    t = (t >> 62) == 64'd0 ? t << 2 : t;
    n = n + ((t >> 63) == 64'd0 ? 64'd1 : 64'd0);
    count = n < limit ? n : limit;
  endfunction

  // Third part: rounding to single precision; n = zeros shifted out; subnormal results become 0 unless keep.
  function automatic void round_f32(input logic [31:0] sh, input logic [31:0] sl, input logic [31:0] n,
                                    input logic [31:0] e, input logic [31:0] sg, input logic [31:0] round,
                                    input logic [31:0] keep, output logic [31:0] result);
    logic [31:0] er, m, up, r, sign, big, nan;
    sign = sg & 32'd1;
    er = sh[31] ? e + 32'd2 - n : 32'd1;
    m = sh >> 8;
    away(round, sign, m & 32'd1, (sh >> 7) & 32'd1, 32'(((sh & 32'h7f) | sl) != 32'd0), up);
    // m holds the hidden bit, so the exponent less one is added; far overflow must not wrap
    r = ((er > 32'd255 ? 32'd255 : er - 32'd1) << 23) + m + up;
    outward(round, sign, big);
    big = 32'h7f7fffff + big;
    r = r < 32'h800000 && keep == 32'd0 ? 32'd0 : r;
    r = er > 32'd254 || r >= 32'h7f800000 ? big : r;
    nan = (sg >> 3) & 32'd1;
    r = (sg & 32'd4) != 32'd0 ? 32'h7f800000 : r;
    result = ((sign & ~nan) << 31) | (nan << 22) | r;
  endfunction
endpackage
