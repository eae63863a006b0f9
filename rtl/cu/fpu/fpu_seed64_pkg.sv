// SPDX-License-Identifier: Apache-2.0
// First values of double-precision division and roots, and the pieces of 2/pi for the reduction of large angles: tables
// in integer arithmetic, the same bit for bit as host/valu/trans.c (docs/reference/isa.md, "Transcendentals").  Steps 2
// to 5 of the serial unit (simd_serial.svh).  One call is one lane.  Not responsible for: flushing, modifiers.
package fpu_seed64_pkg;
  import fpu_fma64_pkg::*;
  import trans_tables_pkg::*;

  typedef enum logic [1:0] {
    SeedRcp,
    SeedRsq,
    SeedSqrt
  } seed_e;

  // Step 2: index and argument of the table, exponent of the result; ones: a reciprocal with a mantissa of ones;
  // special: the result is `value`.
  function automatic void split(input seed_e kind, input logic [63:0] x, output logic [8:0] index,
                                output logic [31:0] f, output logic [31:0] e, output logic ones,
                                output logic special, output logic [63:0] value);
    logic [63:0] m, zeros;
    logic [31:0] n;
    logic nan, zero, infinite;
    nan = is_nan(x);
    zero = (x & ~Sign) == 64'd0;
    infinite = (x & ~Sign) == Inf;
    m = x & Fraction;
    fpu_fma_pkg::leading(m, 64'd63, zeros);
    n = 32'(x >> 52) & 32'd2047;
    ones = kind == SeedRcp && m == Fraction;
    e = n != 32'd0 ? n - 32'd1023 : -32'd1011 - 32'(zeros);
    m = n != 32'd0 ? m : m << (zeros - 64'd11);
    f = 32'(m >> 22) & 32'h3fffff;
    index = {1'b0, 8'(m >> 44)};
    if (kind == SeedRcp) begin
      e = 32'd0 - e;
      special = nan || infinite || zero;
      value = nan ? QuietNan : infinite ? x & Sign : (x & Sign) | Inf;
    end else begin
      index[8] = e[0];
      e = $unsigned($signed(e) >>> 1);
      e = kind == SeedRsq ? 32'd0 - e : e;
      special = nan || infinite || zero || x[63];
      value = nan ? QuietNan : kind == SeedRsq ? (zero ? (x & Sign) | Inf : x[63] ? QuietNan : 64'd0) :
          zero ? x : x[63] ? QuietNan : Inf;
    end
  endfunction

  // Step 3: entry of the table and the square of the argument.
  function automatic void look_up(input seed_e kind, input logic [8:0] index, input logic [31:0] f,
                                  output logic [31:0] k0, output logic [31:0] k1, output logic [31:0] k2,
                                  output logic [63:0] square);
    case ({kind == SeedSqrt, kind == SeedRsq, index[8]})
      3'b010: {k2, k1, k0} = TABLE_RSQ1[index[7:0]];
      3'b011: {k2, k1, k0} = TABLE_RSQ2[index[7:0]];
      3'b100: {k2, k1, k0} = TABLE_SQRT1[index[7:0]];
      3'b101: {k2, k1, k0} = TABLE_SQRT2[index[7:0]];
      default: {k2, k1, k0} = TABLE_RCP[index[7:0]];
    endcase
    square = 64'(f) * 64'(f);
  endfunction

  // Step 4: c0 + c1 x + c2 x^2 with 30 fractional bits.
  function automatic logic [63:0] piece(input logic [31:0] k0, input logic [31:0] k1, input logic [31:0] k2,
                                        input logic [31:0] f, input logic [63:0] square);
    logic [63:0] y;
    y = {{32{k2[31]}}, k2} * square;
    y = {{32{k1[31]}}, k1} * 64'(f) + $unsigned($signed(y) >>> 22);
    return {{32{k0[31]}}, k0} + $unsigned($signed(y) >>> 22);
  endfunction

  // Step 5: y * 2**e; subnormal results are truncated.  A reciprocal of ones is the nearest double, from which Newton
  // steps do not depart.
  function automatic logic [63:0] pack(input logic sign, input logic [63:0] y, input logic [31:0] e,
                                       input logic ones);
    logic [63:0] m, zeros, r;
    logic [31:0] er;
    fpu_fma_pkg::leading(y, 64'd63, zeros);
    m = y << (zeros - 64'd11);
    er = e + 32'd1056 - 32'(zeros);
    r = $signed(er) >= 32'sd2047 ? Inf : $signed(er) < -32'sd52 ? 64'd0 :
        $signed(er) <= 32'sd0 ? m >> (32'd1 - er) : (64'(er) << 52) | (m & Fraction);
    r = ones && r >= Hidden ? (64'(e + 32'd1022) << 52) | 64'd1 : r;
    return {sign, r[62:0]};
  endfunction

  // ---- v_trig_preop_f64
  // Step 2: first bit of 2/pi.
  function automatic logic [31:0] preop_shift(input logic [63:0] x, input logic [31:0] segment);
    logic [31:0] e;
    e = 32'(x >> 52) & 32'd2047;
    return (segment & 32'd31) * 32'd53 + (e > 32'd1077 ? e - 32'd1077 : 32'd0);
  endfunction

  // 32 bits of it; bits from 1201 on count as 0.
  function automatic logic [31:0] word_of(input logic [31:0] n);
    return n > 32'd37 ? 32'd0 : TWO_OVER_PI[n[5:0]] & (n == 32'd37 ? 32'hffff8000 : 32'hffffffff);
  endfunction

  // Step 3: 53 bits.
  function automatic logic [63:0] preop_bits(input logic [31:0] shift);
    logic [63:0] t;
    logic [31:0] w;
    w = shift >> 5;
    t = {word_of(w), word_of(w + 32'd1)} << shift[4:0];
    t = t | (64'(word_of(w + 32'd2)) >> (32'd32 - 32'(shift[4:0])));
    return t >> 11;
  endfunction

  // Step 4: at their place, 2**128 higher when `far`.
  function automatic logic [63:0] preop_pack(input logic [63:0] bits, input logic [31:0] shift, input logic far);
    logic [63:0] zeros;
    logic [31:0] e;
    fpu_fma_pkg::leading(bits, 64'd63, zeros);
    e = 32'd1033 - shift - 32'(zeros) + (far ? 32'd128 : 32'd0);
    return bits == 64'd0 || $signed(e) <= 32'sd0 ? 64'd0 :
        (64'(e) << 52) | ((bits << (zeros - 64'd11)) & Fraction);
  endfunction
endpackage
