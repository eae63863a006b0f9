// SPDX-License-Identifier: Apache-2.0
// Values that the LDS atomics leave in memory, 32 and 64 bits wide, integer and float.  Responsible for: the new
// value from the old one and the operands.  Not responsible for: which lane goes first, the memory (lds_execute).
package lds_atomic_pkg;
  import gcn3_pkg::*;

  // Single-precision order of two values: a < b, and equality (+0 = -0); both false for a NaN.
  function automatic logic less32(input logic [31:0] a, input logic [31:0] b);
    logic nan, zero;
    nan  = a[30:0] > 31'h7f800000 || b[30:0] > 31'h7f800000;
    zero = (a[30:0] | b[30:0]) == '0;
    return !nan && !zero && (a[31] != b[31] ? a[31] : a[31] ? a[30:0] > b[30:0] : a[30:0] < b[30:0]);
  endfunction
  function automatic logic equal32(input logic [31:0] a, input logic [31:0] b);
    return !(a[30:0] > 31'h7f800000 || b[30:0] > 31'h7f800000) && (a == b || (a[30:0] | b[30:0]) == '0);
  endfunction
  function automatic logic less64(input logic [63:0] a, input logic [63:0] b);
    logic nan, zero;
    nan  = a[62:0] > 63'h7ff0000000000000 || b[62:0] > 63'h7ff0000000000000;
    zero = (a[62:0] | b[62:0]) == '0;
    return !nan && !zero && (a[63] != b[63] ? a[63] : a[63] ? a[62:0] > b[62:0] : a[62:0] < b[62:0]);
  endfunction
  function automatic logic equal64(input logic [63:0] a, input logic [63:0] b);
    return !(a[62:0] > 63'h7ff0000000000000 || b[62:0] > 63'h7ff0000000000000) && (a == b || (a[62:0] | b[62:0]) == '0);
  endfunction

  function automatic logic [31:0] sum32(input logic [31:0] a, input logic [31:0] b);
    return lds_fadd_pkg::add(a, b);
  endfunction

  // Value a 32-bit atomic (sums of floats apart) leaves in memory; a = data0, b = data1.
  function automatic logic [31:0] atomic32(input logic [4:0] op, input logic [31:0] old, input logic [31:0] a,
                                           input logic [31:0] b);
    return op == MEMOP_SWAP ? a :
        op == MEMOP_CMPSWAP ? (old == a ? b : old) :
        op == MEMOP_ADD ? old + a :
        op == MEMOP_SUB ? old - a :
        op == MEMOP_RSUB ? a - old :
        op == MEMOP_SMIN ? ($signed(a) < $signed(old) ? a : old) :
        op == MEMOP_UMIN ? (a < old ? a : old) :
        op == MEMOP_SMAX ? ($signed(a) > $signed(old) ? a : old) :
        op == MEMOP_UMAX ? (a > old ? a : old) :
        op == MEMOP_AND ? old & a :
        op == MEMOP_OR ? old | a :
        op == MEMOP_XOR ? old ^ a :
        op == MEMOP_INC ? (old >= a ? 32'd0 : old + 32'd1) :
        op == MEMOP_DEC ? (old == 32'd0 || old > a ? a : old - 32'd1) :
        op == MEMOP_MSKOR ? (old & ~a) | b :
        op == MEMOP_FCMPSWAP ? (equal32(old, a) ? b : old) :
        op == MEMOP_FMIN ? (less32(a, old) ? a : old) :
        op == MEMOP_FMAX ? (less32(old, a) ? a : old) :
        op == MEMOP_WRAP ? (old >= a ? old - a : old + b) :
        op == MEMOP_CONDXCHG ? (a[31] ? {1'b0, a[30:0]} : old) :
        old;
  endfunction

  function automatic logic [63:0] atomic64(input logic [4:0] op, input logic [63:0] old, input logic [63:0] a,
                                           input logic [63:0] b);
    return op == MEMOP_SWAP ? a :
        op == MEMOP_CMPSWAP ? (old == a ? b : old) :
        op == MEMOP_ADD ? old + a :
        op == MEMOP_SUB ? old - a :
        op == MEMOP_RSUB ? a - old :
        op == MEMOP_SMIN ? ($signed(a) < $signed(old) ? a : old) :
        op == MEMOP_UMIN ? (a < old ? a : old) :
        op == MEMOP_SMAX ? ($signed(a) > $signed(old) ? a : old) :
        op == MEMOP_UMAX ? (a > old ? a : old) :
        op == MEMOP_AND ? old & a :
        op == MEMOP_OR ? old | a :
        op == MEMOP_XOR ? old ^ a :
        op == MEMOP_INC ? (old >= a ? 64'd0 : old + 64'd1) :
        op == MEMOP_DEC ? (old == 64'd0 || old > a ? a : old - 64'd1) :
        op == MEMOP_MSKOR ? (old & ~a) | b :
        op == MEMOP_FCMPSWAP ? (equal64(old, a) ? b : old) :
        op == MEMOP_FMIN ? (less64(a, old) ? a : old) :
        op == MEMOP_FMAX ? (less64(old, a) ? a : old) :
        op == MEMOP_CONDXCHG ? ({a[63] ? {1'b0, a[62:32]} : old[63:32], a[31] ? {1'b0, a[30:0]} : old[31:0]}) :
        old;
  endfunction
endpackage
