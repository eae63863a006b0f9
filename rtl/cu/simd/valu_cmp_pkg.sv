// SPDX-License-Identifier: Apache-2.0
// Compares of the vector ALU.  The low bits of every VOPC opcode are the set of relations that give true: 1 less,
// 2 equal, 4 greater, 8 unordered.  One call is one lane, the result 0 or 1.  Not responsible for: modifiers.
package valu_cmp_pkg;
  function automatic logic [31:0] among(input logic less, input logic equal, input logic [31:0] set);
    return less ? set & 32'd1 : equal ? (set >> 1) & 32'd1 : (set >> 2) & 32'd1;
  endfunction

  // Signed compares flip the sign bits first (flip = 0x80000000) and are then unsigned.
  function automatic logic [31:0] compare32(input logic [31:0] a, input logic [31:0] b, input logic [31:0] flip,
                                            input logic [31:0] set);
    return among((a ^ flip) < (b ^ flip), a == b, set);
  endfunction

  function automatic logic [31:0] compare64(input logic [63:0] a, input logic [63:0] b, input logic [63:0] flip,
                                            input logic [31:0] set);
    return among((a ^ flip) < (b ^ flip), a == b, set);
  endfunction

  // Single precision or, with the constants of halves, half precision: infv = the pattern of infinity, sign = the
  // sign bit; subnormals count as 0 unless keep.
  function automatic logic [31:0] compare_float(input logic [31:0] a, input logic [31:0] b, input logic [31:0] infv,
                                                input logic [31:0] sign, input logic keep, input logic [31:0] set);
    logic [31:0] ma, mb, ka, kb;
    ma = a & (sign - 32'd1);
    mb = b & (sign - 32'd1);
    ma = !keep && (ma & infv) == 32'd0 ? 32'd0 : ma;
    mb = !keep && (mb & infv) == 32'd0 ? 32'd0 : mb;
    // ordered keys: negative numbers below, both zeros equal
    ka = (a & sign) != 32'd0 ? 32'd0 - ma : ma;
    kb = (b & sign) != 32'd0 ? 32'd0 - mb : mb;
    return ma > infv || mb > infv ? (set >> 3) & 32'd1 : among($signed(ka) < $signed(kb), ka == kb, set);
  endfunction

  // Class test: bit n of `set` for the class of x; half and single precision by their constants.
  function automatic logic [31:0] class_float(input logic [31:0] x, input logic [31:0] infv, input logic [31:0] sign,
                                              input logic [31:0] quiet, input logic [31:0] set);
    logic [31:0] m, n, number;
    m = x & (sign - 32'd1);
    n = m == infv ? 32'd0 : (m & infv) != 32'd0 ? 32'd1 : m != 32'd0 ? 32'd2 : 32'd3;
    number = m > infv ? ((x & quiet) != 32'd0 ? 32'd1 : 32'd0) : (x & sign) != 32'd0 ? 32'd2 + n : 32'd9 - n;
    return (set >> number) & 32'd1;
  endfunction
endpackage
