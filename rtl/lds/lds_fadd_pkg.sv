// SPDX-License-Identifier: Apache-2.0
// Single-precision addition of the LDS atomics: round to nearest even, subnormals kept, any NaN becomes the quiet
// NaN 0x7fc00000 or the quieted operand.  Responsible for: that one value.  Not responsible for: the vector ALU's
// arithmetic and modes (rtl/fpu).
package lds_fadd_pkg;
  // Rounded value of magnitude sum * 2^(exponent - 30 - 126 ...): sum has its hidden bit at 29 or 30 or below.
  function automatic logic [31:0] pack(input logic sign, input logic [31:0] exponent, input logic [31:0] sum);
    logic [31:0] s, e, shift, kept;
    logic up, fits;
    s = sum[30] ? (sum >> 1) | (sum & 32'd1) : sum;  // carry out: one to the right, sticky kept
    e = exponent + 32'(sum[30]);
    for (int unsigned k = 0; k < 5; k++) begin  // normalise, never below exponent 1
      shift = 32'd16 >> k;
      fits = (s >> (32'd30 - shift)) == 32'd0 && e > shift;
      s = fits ? s << shift : s;
      e = fits ? e - shift : e;
    end
    up = s[5] && ((s & 32'h5f) != '0);
    kept = (s >> 6) + 32'(up);
    kept = (s[29] ? (e - 32'd1) << 23 : 32'd0) + kept;  // a carry of the rounding moves into the exponent
    return s == '0 ? {sign, 31'd0} : {sign, kept[30:0] >= 31'h7f800000 ? 31'h7f800000 : kept[30:0]};
  endfunction

  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] top, low, mb, ms, eb, es, d, lost, sum, special;
    logic sign;
    top = a[30:0] >= b[30:0] ? a : b;
    low = a[30:0] >= b[30:0] ? b : a;
    eb = 32'(top[30:23]);
    es = 32'(low[30:23]);
    mb = {2'd0, eb != 32'd0, top[22:0], 6'd0};
    ms = {2'd0, es != 32'd0, low[22:0], 6'd0};
    eb = eb == 32'd0 ? 32'd1 : eb;
    es = es == 32'd0 ? 32'd1 : es;
    d = eb - es > 32'd31 ? 32'd31 : eb - es;
    lost = ms & ((32'd1 << d) - 32'd1);
    ms = (ms >> d) | 32'(lost != '0);
    sum = top[31] == low[31] ? mb + ms : mb - ms;
    sign = sum == '0 ? top[31] & low[31] : top[31];
    special = low[30:23] == 8'hff && top[31] != low[31] ? 32'h7fc00000 : top;
    special = top[30:0] > 31'h7f800000 ? (a[30:0] > 31'h7f800000 ? a : b) | 32'h00400000 : special;
    return top[30:23] == 8'hff ? special : pack(sign, eb, sum);
  endfunction
endpackage
