// SPDX-License-Identifier: Apache-2.0
// Single-precision addition of the LDS atomics: round to nearest even, subnormals kept, any NaN becomes the quiet
// NaN 0x7fc00000 or the quieted operand.  In four steps, each short enough for a stage of its own, and all at once.
// Responsible for: that one value.  Not responsible for: the vector ALU's arithmetic and modes (rtl/cu/fpu).
package lds_fadd_pkg;
  typedef struct packed {  // between the steps
    logic special;  // the result is `value`
    logic same;  // signs are equal
    logic sign;
    logic zero_sign;
    logic [8:0] exponent;
    logic [31:0] value;  // the larger one
    logic [31:0] other;
  } sum_t;

  // Step 1: the larger magnitude first, and how far the other lies below.
  function automatic sum_t order(input logic [31:0] a, input logic [31:0] b);
    logic [31:0] top, low, special;
    sum_t s;
    top = a[30:0] >= b[30:0] ? a : b;
    low = a[30:0] >= b[30:0] ? b : a;
    special = low[30:23] == 8'hff && top[31] != low[31] ? 32'h7fc00000 : top;
    special = top[30:0] > 31'h7f800000 ? (a[30:0] > 31'h7f800000 ? a : b) | 32'h00400000 : special;
    s.special = top[30:23] == 8'hff;
    s.same = top[31] == low[31];
    s.sign = top[31];
    s.zero_sign = top[31] & low[31];
    s.exponent = 9'(top[30:23]);
    s.value = s.special ? special : top;
    s.other = low;
    return s;
  endfunction

  // Step 2: both aligned, hidden bit at 29, and their sum or difference.
  function automatic sum_t combine(input sum_t from);
    logic [31:0] mb, ms, eb, es, d, lost;
    sum_t s;
    s = from;
    eb = 32'(from.exponent);
    es = 32'(from.other[30:23]);
    mb = {2'd0, eb != 32'd0, from.value[22:0], 6'd0};
    ms = {2'd0, es != 32'd0, from.other[22:0], 6'd0};
    eb = eb == 32'd0 ? 32'd1 : eb;
    es = es == 32'd0 ? 32'd1 : es;
    d = eb - es > 32'd31 ? 32'd31 : eb - es;
    lost = ms & ((32'd1 << d) - 32'd1);
    ms = (ms >> d) | 32'(lost != '0);
    s.other = from.same ? mb + ms : mb - ms;
    s.exponent = 9'(eb);
    if (s.other == '0) s.sign = from.zero_sign;
    return s;
  endfunction

  // Step 3: normalised to bit 29, never below exponent 1.
  function automatic sum_t normalise(input sum_t from);
    logic [31:0] s, e, shift;
    logic fits;
    sum_t out;
    s = from.other;
    if (s[30]) s = (s >> 1) | (s & 32'd1);  // carry out: one to the right, sticky kept
    e = 32'(from.exponent) + 32'(from.other[30]);
    for (int unsigned k = 0; k < 5; k++) begin
      shift = 32'd16 >> k;
      fits = (s >> (32'd30 - shift)) == 32'd0 && e > shift;
      s = fits ? s << shift : s;
      e = fits ? e - shift : e;
    end
    out = from;
    out.other = s;
    out.exponent = 9'(e);
    return out;
  endfunction

  // Step 4: rounded.
  /* verilator lint_off UNUSEDSIGNAL */  // parts
  function automatic logic [31:0] round(input sum_t from);
    /* verilator lint_on UNUSEDSIGNAL */
    logic [31:0] s, kept;
    logic up;
    s = from.other;
    up = s[5] && ((s & 32'h5f) != '0);
    kept = (s >> 6) + 32'(up);
    // a carry of the rounding moves into the exponent
    kept = (s[29] ? (32'(from.exponent) - 32'd1) << 23 : 32'd0) + kept;
    kept = s == '0 ? 32'd0 : kept >= 32'h7f800000 ? 32'h7f800000 : kept;
    return from.special ? from.value : {from.sign, kept[30:0]};
  endfunction

  function automatic logic [31:0] add(input logic [31:0] a, input logic [31:0] b);
    return round(normalise(combine(order(a, b))));
  endfunction
endpackage
