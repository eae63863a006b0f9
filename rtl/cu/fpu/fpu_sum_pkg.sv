// SPDX-License-Identifier: Apache-2.0
// The narrow normaliser: sums and products whose operands have at most 24 bits each, in words of 32 bits: add, multiply
// without subnormal sources, multiply-add that rounds its product, conversions, ldexp, all of half precision.  Scalar
// functions for three pipeline steps, one call is one lane.  Not responsible for: exact products under an addend and
// scaled results (fpu_fma_pkg, twice as wide), output modifiers (valu_lane_pkg).
//
// Between the steps a value is p * 2**(e-156); 24-bit operands have their leading one at bit 29, products at bit 29 or
// 30 with everything below bit 0 ored into it.  Flags as in fpu_fma_pkg: bit 0 sign of p, 1 sign of c, 2 special, 3 NaN.
//   step 1 (sum, multiply, product_bits + multiply_add, place) -> p, c, d = exponent of p minus that of c, e = larger
//   step 2 (align_add): shift the smaller right with a sticky bit, add or subtract
//   step 3 (round_f32, round_f16): normalise, round
// Rounding adds `add` = its value for positive numbers, `turn` = what negative ones differ by, `even` = 1 for nearest.
package fpu_sum_pkg;
  import fpu_fma_pkg::away;
  import fpu_fma_pkg::outward;

  // Rounding mode (0 nearest even, 1 up, 2 down, 3 to zero) as constants for 7 dropped bits, and the largest result.
  function automatic void rounding(input logic [1:0] mode, output logic [31:0] add, output logic [31:0] turn,
                                   output logic [31:0] even, output logic [31:0] most, output logic [31:0] most_turn);
    add = mode == 2'd0 ? 32'h3f : mode == 2'd1 ? 32'h7f : 32'd0;
    turn = mode == 2'd1 ? -32'h7f : mode == 2'd2 ? 32'h7f : 32'd0;
    even = mode == 2'd0 ? 32'd1 : 32'd0;
    most = mode == 2'd0 || mode == 2'd1 ? 32'h7f800000 : 32'h7f7fffff;
    most_turn = mode == 2'd1 ? -32'd1 : mode == 2'd2 ? 32'd1 : 32'd0;
  endfunction

  // Step 1 of a + c.  small_mask: mask of mantissas without a hidden bit (0: subnormals are 0).
  function automatic void sum(input logic [31:0] a, input logic [31:0] c, input logic [31:0] small_mask,
                              output logic [31:0] p, output logic [31:0] q, output logic [31:0] d,
                              output logic [31:0] e, output logic [31:0] sg);
    logic [31:0] ea, ec, ma, mc, aa, ac, ps, cs, nan, pi, ci;
    ea = (a >> 23) & 32'd255;
    ec = (c >> 23) & 32'd255;
    ma = ea != 32'd0 ? (a & 32'h7fffff) | 32'h800000 : a & small_mask;
    mc = ec != 32'd0 ? (c & 32'h7fffff) | 32'h800000 : c & small_mask;
    aa = a & 32'h7fffffff;
    ac = c & 32'h7fffffff;
    ps = a >> 31;
    cs = c >> 31;
    pi = 32'(aa == 32'h7f800000);
    ci = 32'(ac == 32'h7f800000);
    nan = 32'(aa > 32'h7f800000) | 32'(ac > 32'h7f800000) | (pi & ci & (ps ^ cs));
    sg = (ps ^ (ci & (pi ^ 32'd1) & (ps ^ cs))) | (cs << 1) | ((pi | ci | nan) << 2) | (nan << 3);
    ea = ea | 32'(ea == 32'd0);
    ec = ec | 32'(ec == 32'd0);
    p = ma << 6;
    q = mc << 6;
    d = ma == 32'd0 ? 32'd0 : ea - ec;
    e = ma == 32'd0 || ea < ec ? ec : ea;
  endfunction

  // Step 1 of a multiplication, first half: product of the mantissas, upper 32 of 48 bits and the lower 16.
  function automatic void product_bits(input logic [31:0] a, input logic [31:0] b, output logic [31:0] high,
                                       output logic [31:0] low);
    logic [31:0] ma, mb;
    logic [63:0] q;
    ma = (a & 32'h7fffff) | 32'h800000;
    mb = (b & 32'h7fffff) | 32'h800000;
    q = 64'(ma) * 64'(mb);
    high = 32'(q >> 16);
    low = 32'(q);
  endfunction

  // Second half for a * b; subnormal sources are 0.
  function automatic void multiply(input logic [31:0] a, input logic [31:0] b, input logic [31:0] high,
                                   input logic [31:0] low, output logic [31:0] p, output logic [31:0] d,
                                   output logic [31:0] e, output logic [31:0] sg);
    logic [31:0] ea, eb, ep, aa, ab, zero, nan, infv, ps;
    ea = (a >> 23) & 32'd255;
    eb = (b >> 23) & 32'd255;
    aa = a & 32'h7fffffff;
    ab = b & 32'h7fffffff;
    ps = (a ^ b) >> 31;
    zero = 32'(ea == 32'd0) | 32'(eb == 32'd0);
    infv = 32'(aa == 32'h7f800000) | 32'(ab == 32'h7f800000);
    nan = 32'(aa > 32'h7f800000) | 32'(ab > 32'h7f800000) | (infv & zero);
    sg = ps | (ps << 1) | ((infv | nan) << 2) | (nan << 3);
    ep = ea + eb - 32'd127;
    p = zero != 32'd0 ? 32'd0 : (high >> 1) | (high & 32'd1) | 32'((low & 32'hffff) != 32'd0);
    d = zero != 32'd0 ? 32'd0 : ep - 32'd1;
    e = zero != 32'd0 || $signed(ep) < 32'sd1 ? 32'd1 : ep;
  endfunction

  // Second half for a * b + c: the product is rounded; subnormals are 0 everywhere.
  function automatic void multiply_add(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                       input logic [31:0] high, input logic [31:0] low, input logic [31:0] add,
                                       input logic [31:0] turn, input logic [31:0] even, input logic [31:0] most,
                                       input logic [31:0] most_turn, output logic [31:0] p, output logic [31:0] q,
                                       output logic [31:0] d, output logic [31:0] e, output logic [31:0] sg);
    logic [31:0] ea, eb, ec, ep, m, top, tiny, zero, over, big, neg, ps, cs, aa, ab, ac, pi, ci, nan;
    ea = (a >> 23) & 32'd255;
    eb = (b >> 23) & 32'd255;
    ec = (c >> 23) & 32'd255;
    ps = (a ^ b) >> 31;
    cs = c >> 31;
    neg = 32'd0 - ps;
    top = high >> 31;
    ep = ea + eb - 32'd127 + top;
    // leading one at bit 30; one bit less just below the normal range: only what rounds up to it survives
    tiny = 32'(ep == 32'd0);
    m = high | 32'((low & 32'hffff) != 32'd0);
    m = (m >> top) | (m & top);
    m = (m >> tiny) | (m & tiny);
    m = (m + add + (neg & turn) + ((m >> 7) & even)) >> 7;
    zero = 32'(ea == 32'd0) | 32'(eb == 32'd0) | (ep >> 31) | (tiny & 32'(m != 32'h800000));
    ep = ep + tiny;
    over = 32'($signed(ep + (m >> 24)) > 32'sd254) & (zero ^ 32'd1);
    // overflow: infinity, or the largest number when rounding towards zero
    big = over & 32'(most + (neg & most_turn) == 32'h7f800000);
    m = zero != 32'd0 ? 32'd0 : over != 32'd0 ? 32'hffffff : m;
    ep = zero != 32'd0 ? 32'd1 : over != 32'd0 ? 32'd254 : ep;
    aa = a & 32'h7fffffff;
    ab = b & 32'h7fffffff;
    ac = c & 32'h7fffffff;
    pi = 32'(aa == 32'h7f800000) | 32'(ab == 32'h7f800000);
    ci = 32'(ac == 32'h7f800000);
    nan = 32'(aa > 32'h7f800000) | 32'(ab > 32'h7f800000) | 32'(ac > 32'h7f800000) |
        (pi & (32'(ea == 32'd0) | 32'(eb == 32'd0)));
    pi = pi | big;
    nan = nan | (pi & ci & (ps ^ cs));
    sg = (ps ^ (ci & (pi ^ 32'd1) & (ps ^ cs))) | (cs << 1) | ((pi | ci | nan) << 2) | (nan << 3);
    p = m << 6;
    q = ec != 32'd0 ? ((c & 32'h7fffff) | 32'h800000) << 6 : 32'd0;
    ec = ec | 32'(ec == 32'd0);
    d = zero != 32'd0 ? 32'd0 : ep - ec;
    e = zero != 32'd0 || ep < ec ? ec : ep;
  endfunction

  // Step 1 for a value that only has to be rounded: p * 2**(ep-156).
  function automatic void place(input logic [31:0] ep, input logic [31:0] sign, output logic [31:0] q,
                                output logic [31:0] d, output logic [31:0] e, output logic [31:0] sg);
    q = 32'd0;
    d = ep - 32'd1;
    e = $signed(ep) < 32'sd1 ? 32'd1 : ep;
    sg = sign | (sign << 1);
  endfunction

  // Step 2: the operand of the smaller exponent is shifted right, then added or subtracted.  down: an exact zero is -0.
  function automatic void align_add(input logic [31:0] p, input logic [31:0] q, input logic [31:0] d,
                                    input logic [31:0] sgi, input logic [31:0] down, output logic [31:0] s,
                                    output logic [31:0] sg);
    logic [31:0] swap, n, x, y, big, sub, less, neg, sign;
    swap = 32'd0 - (d >> 31);
    n = (d ^ swap) - swap;
    n = (n >> 5) != 32'd0 ? 32'd31 : n;
    x = swap != 32'd0 ? p : q;
    big = swap != 32'd0 ? q : p;
    sub = 32'd0 - ((sgi ^ (sgi >> 1)) & 32'd1);
    y = x >> (n & 32'd31);
    y = y | 32'(((x << 1) << (n ^ 32'd31)) != 32'd0);  // what is shifted out
    less = big - y;
    neg = $unsigned($signed(less & sub) >>> 31);
    s = neg != 32'd0 ? y - big : sub != 32'd0 ? less : big + y;  // side by side: the carry is the longest path
    sign = ((swap != 32'd0 ? sgi >> 1 : sgi) ^ neg) & 32'd1;
    sign = big == y ? down : sign;  // of a difference
    sg = (sgi & 32'd28) | (sub == 32'd0 || (sgi & 32'd4) != 32'd0 ? sgi & 32'd1 : sign);
  endfunction

  // Leading zeros of s, 31 for 0.
  function automatic void leading(input logic [31:0] s, output logic [31:0] count);
    logic [31:0] t, n, k;
    k = (s >> 16) == 32'd0 ? 32'd16 : 32'd0;
    n = k;
    t = s << k;
    k = (t >> 24) == 32'd0 ? 32'd8 : 32'd0;
    n = n | k;
    t = t << k;
    k = (t >> 28) == 32'd0 ? 32'd4 : 32'd0;
    n = n | k;
    t = t << k;
    k = (t >> 30) == 32'd0 ? 32'd2 : 32'd0;
    n = n | k;
    t = t << k;
    count = n | ((t >> 31) ^ 32'd1);
  endfunction

  // Step 3 to single precision; keep: mask, 0 makes subnormal results 0.
  function automatic void round_f32(input logic [31:0] s, input logic [31:0] e, input logic [31:0] sg,
                                    input logic [31:0] add, input logic [31:0] turn, input logic [31:0] even,
                                    input logic [31:0] most, input logic [31:0] most_turn, input logic [31:0] keep,
                                    output logic [31:0] result);
    logic [31:0] n, m, er, neg, nan, r;
    leading(s, n);
    n = n > e ? e + 32'd1 : n;
    m = s << n;
    neg = 32'd0 - (sg & 32'd1);
    nan = (sg >> 3) & 32'd1;
    er = (m >> 31) != 32'd0 ? e + 32'd1 - n : 32'd0;  // less one
    m = (m >> 1) | (m & 32'd1);
    m = (m + add + (neg & turn) + ((m >> 7) & even)) >> 7;
    // m holds the hidden bit, so the exponent less one is added; far overflow must not wrap
    r = ((er > 32'd254 ? 32'd254 : er) << 23) + m;
    r = r < 32'h800000 ? r & keep : r >= 32'h7f800000 ? most + (neg & most_turn) : r;
    r = (sg & 32'd4) != 32'd0 ? 32'h7f800000 : r;
    result = ((sg & (nan ^ 32'd1)) << 31) | (nan << 22) | r;
  endfunction

  // Step 3 to half precision; round is one-hot as in fpu_fma_pkg::away.
  function automatic void round_f16(input logic [31:0] s, input logic [31:0] e, input logic [31:0] sg,
                                    input logic [31:0] round, input logic [31:0] keep, output logic [31:0] result);
    logic [31:0] n, m, sh, below, top, er, up, r, sign, big, kept;
    leading(s, n);
    m = s << n;
    sign = sg & 32'd1;
    er = s == 32'd0 ? -32'd100 : e + 32'd2 - n - 32'd112;
    sh = $signed(er) >= 32'sd1 ? 32'd21 : $signed(er) < -32'sd9 ? 32'd31 : 32'd22 - er;
    m = $signed(er) >= -32'sd9 ? m : er == -32'd10 ? (m >> 1) | (m & 32'd1) : (m >> 2) | 32'(m != 32'd0);
    kept = m >> sh;
    below = (32'd1 << sh) - 32'd1;
    top = below ^ (below >> 1);  // the highest bit that is dropped
    away(round, sign, kept & 32'd1, 32'((m & top) != 32'd0), 32'((m & (below >> 1)) != 32'd0), up);
    r = ($signed(er) > 32'sd31 ? 32'd31 << 10 : $signed(er) >= 32'sd1 ? (er - 32'd1) << 10 : 32'd0) + kept + up;
    outward(round, sign, big);
    big = 32'h7bff + big;
    r = r >= 32'h7c00 ? big : r < 32'h400 ? r & keep : r;
    r = (sign << 15) | r;
    result = (sg & 32'd4) == 32'd0 ? r : (sg & 32'd8) != 32'd0 ? 32'h7e00 : (sign << 15) | 32'h7c00;
  endfunction
endpackage
