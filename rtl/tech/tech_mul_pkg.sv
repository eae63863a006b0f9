// SPDX-License-Identifier: Apache-2.0
// Multipliers that a technology maps in its own way.  This form: products of at most 18 x 18 bits, one ECP5 DSP
// (MULT18X18D) each, and their sum in 64-bit words.  Not responsible for: pipeline registers (the caller's).
package tech_mul_pkg;
  // 53 x 53 bits -> {high, low} = x * y, 106 bits; nine DSPs.  Bits above 52 of x and y must be 0.
  function automatic void mul53(input logic [63:0] x, input logic [63:0] y, output logic [63:0] high,
                                output logic [63:0] low);
    logic [63:0] x0, x1, x2, y0, y1, y2, part0, part2, part4;
    x0 = x & 64'h3ffff;
    x1 = (x >> 18) & 64'h3ffff;
    x2 = x >> 36;
    y0 = y & 64'h3ffff;
    y1 = (y >> 18) & 64'h3ffff;
    y2 = y >> 36;
    // weights 2^0, 2^36, 2^72; none overflows
    part0 = x0 * y0 + ((x0 * y1 + x1 * y0) << 18);
    part2 = x0 * y2 + x1 * y1 + x2 * y0 + ((x1 * y2 + x2 * y1) << 18);
    part4 = x2 * y2;
    low = part0 + (part2 << 36);
    high = (part2 >> 28) + (part4 << 8) + (low < part0 ? 64'd1 : 64'd0);
  endfunction
endpackage
