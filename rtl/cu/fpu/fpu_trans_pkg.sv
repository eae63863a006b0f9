// SPDX-License-Identifier: Apache-2.0
// Reciprocal, square roots, exponential, logarithm, sine, cosine in single precision: tables of quadratic pieces in
// integer arithmetic, the same bit for bit as host/valu/trans.c (docs/reference/isa.md, "Transcendentals").
// Subnormal sources and results are 0.  Not responsible for: half precision (converted around), modifiers.
package fpu_trans_pkg;
  import trans_tables_pkg::*;

  localparam logic [31:0] Rcp = 32'd0, Rsq = 32'd1, Sqrt = 32'd2, Exp = 32'd3, Log = 32'd4, Sin = 32'd5, Cos = 32'd6;

  // c0 + c1 x + c2 x^2, x a fraction of 15 or 22 bits; 30 fractional bits.
  function automatic void piece(input logic [31:0] k0, input logic [31:0] k1, input logic [31:0] k2,
                                input logic [31:0] x, input logic [63:0] places, output logic [63:0] y);
    logic [63:0] c0, c1, c2, wide, square, slope;
    c0 = {{32{k0[31]}}, k0};
    c1 = {{32{k1[31]}}, k1};
    c2 = {{32{k2[31]}}, k2};
    wide = {32'd0, x};
    square = c2 * (wide * wide);
    square = $unsigned($signed(square) >>> places);
    slope = c1 * wide + square;
    slope = $unsigned($signed(slope) >>> places);
    y = c0 + slope;
  endfunction

  // y * 2**exponent (y not 0), rounded half up.
  function automatic void pack(input logic [31:0] sign, input logic [63:0] y, input logic [31:0] exponent,
                               output logic [31:0] result);
    logic [63:0] zeros, high;
    logic [31:0] rounded, e;
    fpu_fma_pkg::leading(y, 64'd63, zeros);
    high = y << zeros;
    rounded = 32'(high >> 40) + (32'(high >> 39) & 32'd1);
    e = exponent + 32'd63 - 32'(zeros) + (rounded >> 24);
    result = $signed(e) > 32'sd127 ? sign | 32'h7f800000 : $signed(e) < -32'sd126 ? sign :
        sign | ((e + 32'd127) << 23) | (rounded & 32'h7fffff);
  endfunction

  // |x| with 32 fractional bits, truncated; e at most 135.
  function automatic void fixed(input logic [31:0] e, input logic [31:0] m, output logic [63:0] value);
    logic [63:0] full;
    logic [31:0] left, right;
    full = {32'd0, m | 32'h800000};
    left = e - 32'd118;
    right = 32'd118 - e;
    value = e == 32'd0 ? 64'd0 : !left[31] ? full << (left & 32'd31) : right < 32'd24 ? full >> right : 64'd0;
  endfunction

  // Table piece, its argument and the frame around it; special: the result is `value`.
  function automatic void prepare(input logic [31:0] kind, input logic [31:0] x, output logic [31:0] k0,
                                  output logic [31:0] k1, output logic [31:0] k2,
                                  output logic [31:0] f, output logic [31:0] sign, output logic [31:0] exponent,
                                  output logic [63:0] factor, output logic special, output logic [31:0] value);
    logic [31:0] e, m, odd, half, turn, u;
    logic [63:0] t;
    logic nan, infinite, zero, negative, huge;
    e = (x >> 23) & 32'd255;
    m = x & 32'h7fffff;
    sign = x & 32'h80000000;
    nan = e == 32'd255 && m != 32'd0;
    infinite = e == 32'd255 && m == 32'd0;
    zero = e == 32'd0;
    negative = sign != 32'd0;
    odd = (e - 32'd127) & 32'd1;
    half = $unsigned($signed(e - 32'd127 - odd) >>> 1);
    fixed(e > 32'd135 ? 32'd0 : e, m, t);
    t = negative ? 64'd0 - t : t;
    f = m & 32'h7fff;
    {k2, k1, k0} = TABLE_RCP[m[22:15]];
    exponent = 32'd97 - e;
    factor = 64'd0;
    special = nan || infinite || zero;
    value = 32'h7fc00000;
    case (kind)
      Rcp: value = nan ? 32'h7fc00000 : infinite ? sign : sign | 32'h7f800000;
      Rsq: begin
        special = special || negative;
        value = nan ? 32'h7fc00000 : zero ? sign | 32'h7f800000 : negative ? 32'h7fc00000 : 32'd0;
        if (odd != 32'd0) {k2, k1, k0} = TABLE_RSQ2[m[22:15]];
        else {k2, k1, k0} = TABLE_RSQ1[m[22:15]];
        exponent = 32'd0 - half - 32'd30;
        sign = 32'd0;
      end
      Sqrt: begin
        special = special || negative;
        value = nan ? 32'h7fc00000 : zero ? sign : negative ? 32'h7fc00000 : 32'h7f800000;
        if (odd != 32'd0) {k2, k1, k0} = TABLE_SQRT2[m[22:15]];
        else {k2, k1, k0} = TABLE_SQRT1[m[22:15]];
        exponent = half - 32'd30;
        sign = 32'd0;
      end
      Exp: begin
        u = 32'(t >> 32);
        huge = e > 32'd134;
        special = huge || $signed(u) < -32'sd126 || $signed(u) > 32'sd127;
        value = nan ? 32'h7fc00000 : negative ? 32'd0 : 32'h7f800000;
        {k2, k1, k0} = TABLE_EXP2[t[31:24]];
        f = {10'd0, t[23:2]};
        exponent = u - 32'd30;
        sign = 32'd0;
      end
      Log: begin
        special = special || negative;
        value = nan ? 32'h7fc00000 : zero ? 32'hff800000 : negative ? 32'h7fc00000 : 32'h7f800000;
        {k2, k1, k0} = TABLE_LOG2[m[22:15]];
        // mantissa in [1.5, 2): half of it, one power more
        u = m[22] ? (m | 32'h800000) - 32'h1000000 : m << 1;
        factor = {{32{u[31]}}, u};
        exponent = e - 32'd127 + {31'd0, m[22]};  // integer part of the logarithm
      end
      default: begin  // Sin, Cos
        huge = e > 32'd135 || (e == 32'd135 && m != 32'd0);
        turn = t[31:0] + (kind == Cos ? 32'h40000000 : 32'd0);
        u = turn & 32'h3fffffff;
        u = !turn[30] ? u : u != 32'd0 ? 32'h40000000 - u : 32'h3fffffff;
        special = huge || u == 32'd0;
        value = e == 32'd255 ? 32'h7fc00000 : huge && kind == Cos ? 32'h3f800000 : zero && kind == Sin ? sign : 32'd0;
        {k2, k1, k0} = TABLE_SIN[u[29:22]];
        f = u & 32'h3fffff;
        factor = {32'd0, u};
        exponent = -32'd60;
        sign = turn & 32'h80000000;
      end
    endcase
  endfunction

  // Row of all tables in a block (rows_of_all): in hardware they are one memory, which is read a cycle before.
  function automatic logic [10:0] table_row(input logic [31:0] kind, input logic [31:0] x);
    logic [31:0] e, m, turn, u;
    logic [63:0] t;
    e = (x >> 23) & 32'd255;
    m = x & 32'h7fffff;
    fixed(e > 32'd135 ? 32'd0 : e, m, t);
    t = x[31] ? 64'd0 - t : t;
    turn = t[31:0] + (kind == Cos ? 32'h40000000 : 32'd0);
    u = turn & 32'h3fffffff;
    u = !turn[30] ? u : u != 32'd0 ? 32'h40000000 - u : 32'h3fffffff;
    case (kind)
      Rcp: return {3'd0, m[22:15]};
      Rsq: return {2'b01, !e[0], m[22:15]};
      Sqrt: return {2'b10, !e[0], m[22:15]};
      Exp: return {3'd6, t[31:24]};
      Log: return {3'd7, m[22:15]};
      default: return {3'd1, u[29:22]};
    endcase
  endfunction

  // Without the bits that repeat a sign: 15 of c2, 24 of c1, so that a row has nine bits of eight block RAMs.
  typedef logic [70:0] table_row_t;
  typedef table_row_t tables_t[2048];
  /* verilator lint_off UNUSEDSIGNAL */  // signs
  function automatic table_row_t pack_row(input logic [95:0] row);
    /* verilator lint_on UNUSEDSIGNAL */
    return {row[78:64], row[55:0]};  // c2, c1, c0
  endfunction
  function automatic logic [95:0] unpack_row(input table_row_t row);
    return {{17{row[70]}}, row[70:56], {8{row[55]}}, row[55:0]};
  endfunction

  function automatic tables_t rows_of_all();
    tables_t t;
    for (int unsigned n = 0; n < 256; n++) begin
      t[n] = pack_row(TABLE_RCP[n]);
      t[n+256] = pack_row(TABLE_SIN[n]);
      t[n+512] = pack_row(TABLE_RSQ1[n]);
      t[n+768] = pack_row(TABLE_RSQ2[n]);
      t[n+1024] = pack_row(TABLE_SQRT1[n]);
      t[n+1280] = pack_row(TABLE_SQRT2[n]);
      t[n+1536] = pack_row(TABLE_EXP2[n]);
      t[n+1792] = pack_row(TABLE_LOG2[n]);
    end
    return t;
  endfunction

  // From the table's piece and what prepare() made.
  function automatic void complete(input logic [31:0] kind, input logic [31:0] k0, input logic [31:0] k1,
                                   input logic [31:0] k2, input logic [31:0] f, input logic [31:0] sign_in,
                                   input logic [31:0] exponent_in, input logic [63:0] factor, input logic special_in,
                                   input logic [31:0] value_in, output logic [31:0] result);
    logic [31:0] sign, exponent, value;
    logic [63:0] y, sum;
    logic special;
    sign = sign_in;
    exponent = exponent_in;
    special = special_in;
    value = value_in;
    piece(k0, k1, k2, f, kind == Exp || kind == Sin || kind == Cos ? 64'd22 : 64'd15, y);
    // a reciprocal just above the middle of two floats rounds up (needed for division)
    y = kind == Rcp ? y + 64'd2 : y;
    sum = {{32{exponent[31]}}, exponent} << 54;
    y = kind == Log || kind == Sin || kind == Cos ? factor * y : y;
    if (kind == Log) begin
      sum = sum + y;
      sign = 32'(sum >> 32) & 32'h80000000;
      y = sign != 32'd0 ? 64'd0 - sum : sum;
      exponent = -32'd54;
      value = special ? value : 32'd0;
      special = special || y == 64'd0;
    end
    pack(sign, y, exponent, result);
    result = special ? value : result;
  endfunction

  function automatic void trans_f32(input logic [31:0] kind, input logic [31:0] x, output logic [31:0] result);
    logic [31:0] k0, k1, k2, f, sign, exponent, value;
    logic [63:0] factor;
    logic special;
    prepare(kind, x, k0, k1, k2, f, sign, exponent, factor, special, value);
    complete(kind, k0, k1, k2, f, sign, exponent, factor, special, value, result);
  endfunction
endpackage
