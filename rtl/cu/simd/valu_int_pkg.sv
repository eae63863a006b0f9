// SPDX-License-Identifier: Apache-2.0
// Scalar functions of the vector ALU for integers: bit fields, bytes, bit counts, minimum and maximum,
// one adder with carry, one 24-bit and one 32-bit multiplier, 64-bit shifts.  One call is one lane; cu_simd puts the
// opcode test outside and the lane loop inside.  Not responsible for: floats (rtl/cu/fpu), compares (valu_cmp_pkg).
package valu_int_pkg;
  function automatic logic [31:0] popcount(input logic [31:0] a);
    logic [31:0] n;
    n = a - ((a >> 1) & 32'h55555555);
    n = (n & 32'h33333333) + ((n >> 2) & 32'h33333333);
    n = (n + (n >> 4)) & 32'h0f0f0f0f;
    n = n + (n >> 8);
    n = n + (n >> 16);
    return n & 32'd63;
  endfunction

  // Leading zeros, 32 for 0.
  function automatic logic [31:0] clz32(input logic [31:0] a);
    logic [31:0] s;
    s = a | (a >> 1);
    s = s | (s >> 2);
    s = s | (s >> 4);
    s = s | (s >> 8);
    s = s | (s >> 16);
    return popcount(~s);
  endfunction

  function automatic logic [31:0] reverse(input logic [31:0] a);
    logic [31:0] x;
    x = ((a & 32'h55555555) << 1) | ((a >> 1) & 32'h55555555);
    x = ((x & 32'h33333333) << 2) | ((x >> 2) & 32'h33333333);
    x = ((x & 32'h0f0f0f0f) << 4) | ((x >> 4) & 32'h0f0f0f0f);
    x = ((x & 32'h00ff00ff) << 8) | ((x >> 8) & 32'h00ff00ff);
    return (x << 16) | (x >> 16);
  endfunction

  function automatic logic [31:0] bfe_i(input logic [31:0] x, input logic [31:0] offset, input logic [31:0] width);
    logic [31:0] o, w, left, y;
    o = offset & 32'd31;
    w = width & 32'd31;
    left = w + o >= 32'd32 ? 32'd0 : 32'd32 - w - o;
    y = $unsigned($signed(x << left) >>> ((left + o) & 32'd31));
    return w == 32'd0 ? 32'd0 : y;
  endfunction

  // One byte of v_perm: 0-7 byte, 8-11 sign of a half, 12 zero, above 0xff.
  function automatic logic [31:0] perm_byte(input logic [63:0] data, input logic [31:0] sel);
    logic [31:0] byte_value, sign_value;
    byte_value = 32'(data >> ((sel & 32'd7) << 3)) & 32'hff;
    sign_value = (32'(data >> (((sel & 32'd3) << 4) + 32'd15)) & 32'd1) != 32'd0 ? 32'hff : 32'd0;
    return sel >= 32'd13 ? 32'hff : sel == 32'd12 ? 32'd0 : sel >= 32'd8 ? sign_value : byte_value;
  endfunction

  function automatic logic [31:0] absdiff(input logic [31:0] x, input logic [31:0] y);
    return x > y ? x - y : y - x;
  endfunction

  // Sum of the absolute differences of four bytes; masked leaves out those where b is 0.
  function automatic logic [31:0] sad(input logic [31:0] a, input logic [31:0] b, input logic masked);
    logic [31:0] d0, d1, d2, d3;
    d0 = absdiff(a & 32'hff, b & 32'hff);
    d1 = absdiff((a >> 8) & 32'hff, (b >> 8) & 32'hff);
    d2 = absdiff((a >> 16) & 32'hff, (b >> 16) & 32'hff);
    d3 = absdiff(a >> 24, b >> 24);
    d0 = masked && (b & 32'hff) == 32'd0 ? 32'd0 : d0;
    d1 = masked && (b & 32'hff00) == 32'd0 ? 32'd0 : d1;
    d2 = masked && (b & 32'hff0000) == 32'd0 ? 32'd0 : d2;
    d3 = masked && (b & 32'hff000000) == 32'd0 ? 32'd0 : d3;
    return d0 + d1 + d2 + d3;
  endfunction

  // Halves n and n+1 (n = 0, 2) of v_qsad_pk_u16_u8: sums over bytes n.. of a, added to two halves of c, modulo 2^16.
  function automatic logic [31:0] qsad_pair(input logic [63:0] a, input logic [31:0] b, input logic [31:0] c,
                                            input logic masked);
    logic [31:0] low, high;
    low  = sad(32'(a), b, masked) + c;
    high = sad(32'(a >> 8), b, masked) + (c >> 16);
    return (low & 32'hffff) | (high << 16);
  endfunction

  // A sum of v_mqsad_u32_u8.
  function automatic logic [31:0] sad_sum(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    return sad(a, b, 1'b1) + c;
  endfunction

  function automatic logic [31:0] sext16(input logic [31:0] x);
    return $unsigned($signed(x << 16) >>> 16);
  endfunction

  function automatic logic [31:0] min_s(input logic [31:0] x, input logic [31:0] y);
    return $signed(x) < $signed(y) ? x : y;
  endfunction

  function automatic logic [31:0] max_s(input logic [31:0] x, input logic [31:0] y);
    return $signed(x) > $signed(y) ? x : y;
  endfunction

  function automatic logic [31:0] min_u(input logic [31:0] x, input logic [31:0] y);
    return x < y ? x : y;
  endfunction

  function automatic logic [31:0] max_u(input logic [31:0] x, input logic [31:0] y);
    return x > y ? x : y;
  endfunction

  function automatic logic [31:0] lerp(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    logic [31:0] even, odd;
    even = (a & 32'h00ff00ff) + (b & 32'h00ff00ff) + (c & 32'h00010001);
    odd  = ((a >> 8) & 32'h00ff00ff) + ((b >> 8) & 32'h00ff00ff) + ((c >> 8) & 32'h00010001);
    return ((even >> 1) & 32'h00ff00ff) | ((odd << 7) & 32'hff00ff00);
  endfunction

  function automatic logic [31:0] sat_u16(input logic [31:0] x);
    return x > 32'hffff ? 32'hffff : x;
  endfunction

  function automatic logic [31:0] sat_i16(input logic [31:0] x);
    return max_s(min_s(x, 32'd32767), 32'hffff8000) & 32'hffff;
  endfunction

  function automatic logic [31:0] ffbh_i(input logic [31:0] a);
    logic [31:0] t;
    t = a[31] ? ~a : a;
    return t == 32'd0 ? 32'hffffffff : clz32(t);
  endfunction

  function automatic logic [31:0] perm(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    return perm_byte({a, b}, c & 32'hff) | (perm_byte({a, b}, (c >> 8) & 32'hff) << 8) |
        (perm_byte({a, b}, (c >> 16) & 32'hff) << 16) | (perm_byte({a, b}, c >> 24) << 24);
  endfunction

  // Sums of 16 bits, saturating with clamp.
  function automatic logic [31:0] add16(input logic [31:0] a, input logic [31:0] b, input logic [31:0] clamp);
    logic [31:0] t;
    t = (a & 32'hffff) + (b & 32'hffff);
    return clamp != 32'd0 && t > 32'hffff ? 32'hffff : t & 32'hffff;
  endfunction

  function automatic logic [31:0] sub16(input logic [31:0] a, input logic [31:0] b, input logic [31:0] clamp);
    return clamp != 32'd0 && (a & 32'hffff) < (b & 32'hffff) ? 32'd0 : (a - b) & 32'hffff;
  endfunction

  // Products and sums of 16 bits, saturating with clamp.
  function automatic logic [31:0] mad_u16(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                          input logic [31:0] clamp);
    logic [31:0] t;
    t = (a & 32'hffff) * (b & 32'hffff) + (c & 32'hffff);
    return clamp != 32'd0 ? sat_u16(t) : t & 32'hffff;
  endfunction

  function automatic logic [31:0] mad_i16(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c,
                                          input logic [31:0] clamp);
    logic [31:0] t;
    t = sext16(a) * sext16(b) + sext16(c);
    return clamp != 32'd0 ? sat_i16(t) : t & 32'hffff;
  endfunction

  // x + y + carry; over: carry out.  Saturates with clamp.
  function automatic void add_op(input logic [31:0] x, input logic [31:0] y, input logic [31:0] carry,
                                 input logic [31:0] clamp, output logic [31:0] sum, output logic [31:0] over);
    logic [31:0] t, u, o;
    t = x + y;
    u = t + carry;
    o = 32'(t < x) | 32'(u < t);
    over = o;
    sum = u | (32'd0 - (clamp & o));
  endfunction

  // x - y - carry; over: borrow out.
  function automatic void sub_op(input logic [31:0] x, input logic [31:0] y, input logic [31:0] carry,
                                 input logic [31:0] clamp, output logic [31:0] difference, output logic [31:0] over);
    logic [31:0] t, u, o;
    t = x - y;
    u = t - carry;
    o = 32'(x < y) | 32'(t < carry);
    over = o;
    difference = u & ((clamp & o) - 32'd1);
  endfunction

  function automatic logic [31:0] sext24(input logic [31:0] x);
    return $unsigned($signed(x << 8) >>> 8);
  endfunction

  // Upper half of the product of two 24-bit values, extended to 32 bits.
  function automatic logic [31:0] mul24_high(input logic [31:0] a, input logic [31:0] b);
    logic [63:0] p, q;
    p = {{32{a[31]}}, a};
    q = {{32{b[31]}}, b};
    return 32'((p * q) >> 32);
  endfunction

  // 32 x 32 + 64 bits; over: carry (unsigned) or overflow (signed) of the sum.
  function automatic void mul32_op(input logic [31:0] a, input logic [31:0] b, input logic [63:0] c,
                                   input logic [31:0] is_signed, output logic [63:0] sum, output logic [31:0] over);
    logic [63:0] product, s;
    logic [31:0] na, nb, off;
    na = 32'd0 - (is_signed & (a >> 31));
    nb = 32'd0 - (is_signed & (b >> 31));
    off = (na & b) + (nb & a);
    product = 64'(a) * 64'(b) - {off, 32'd0};  // signed: each sign takes off the other factor
    s = product + c;
    sum = s;
    over = is_signed != 32'd0 ? 32'(((product ^ s) & (c ^ s)) >> 63) : 32'(s < product);
  endfunction

  // 64-bit shifts: kind 0 left, 1 right, 2 right arithmetic.
  function automatic logic [63:0] shift64(input logic [63:0] x, input logic [31:0] amount, input logic [31:0] kind);
    logic [31:0] n;
    n = amount & 32'd63;
    return kind == 32'd0 ? x << n : kind == 32'd1 ? x >> n : $unsigned($signed(x) >>> n);
  endfunction
endpackage
