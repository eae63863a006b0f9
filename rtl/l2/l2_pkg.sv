// SPDX-License-Identifier: Apache-2.0
// Types and functions of the L2 slice: atomic operations on 32 and 64 bits, byte masks, the order record that lock
// step reads.  Responsible for: pure functions.  Not responsible for: the slice itself (l2_slice).
package l2_pkg;
  import gantry_msg_pkg::*;

  // Every store and atomic in the order in which it takes effect.  In C (low bytes first): u8 op, atomic, size, gpu;
  // u32 user; u8 source, line, pad[6]; u64 addr, mask, data[8], old[8].  Atomics of one word: data[0] operand, [1] compare,
  // [2] old value; of several (line = 1): data operands, old the old values, in their places.
  typedef struct packed {
    logic [7:0][63:0] old;
    logic [7:0][63:0] data;
    logic [63:0] mask;
    logic [63:0] addr;
    logic [47:0] pad0;
    logic [7:0] line;
    logic [7:0] source;
    logic [31:0] user;
    logic [7:0] gpu;
    logic [7:0] size;
    logic [7:0] atomic;
    logic [7:0] op;
  } obs_order_t;  // 160 bytes

  // New value of an atomic; 32-bit operands stand in the low halves, the high half of the result is then unused.
  function automatic logic [63:0] atomic_new(input logic [7:0] op, input logic wide, input logic [63:0] old_in,
                                             input logic [63:0] operand_in, input logic [63:0] compare_in);
    logic [63:0] old, a, c, flip;
    logic less_u, less_s;
    old    = wide ? old_in : {32'd0, old_in[31:0]};
    a      = wide ? operand_in : {32'd0, operand_in[31:0]};
    c      = wide ? compare_in : {32'd0, compare_in[31:0]};
    flip   = wide ? 64'h8000000000000000 : 64'h0000000080000000;
    less_u = old < a;
    less_s = (old ^ flip) < (a ^ flip);
    case (op)
      ATOMIC_SWAP:    return a;
      ATOMIC_CMPSWAP: return old == c ? a : old;
      ATOMIC_ADD:     return old + a;
      ATOMIC_SUB:     return old - a;
      ATOMIC_SMIN:    return less_s ? old : a;
      ATOMIC_UMIN:    return less_u ? old : a;
      ATOMIC_SMAX:    return less_s ? a : old;
      ATOMIC_UMAX:    return less_u ? a : old;
      ATOMIC_AND:     return old & a;
      ATOMIC_OR:      return old | a;
      ATOMIC_XOR:     return old ^ a;
      ATOMIC_INC:     return old >= a ? 64'd0 : old + 64'd1;
      ATOMIC_DEC:     return old == 64'd0 || old > a ? a : old - 64'd1;
      default:        return old;
    endcase
  endfunction

  // What an atomic leaves of a line: of the words of 4 or 8 bytes that the mask has, with the operands in their places.
  function automatic logic [7:0][63:0] atomic_line(input logic [7:0] op, input logic wide, input logic [7:0][63:0] line,
                                                   input logic [7:0][63:0] operands, input logic [63:0] mask);
    logic [7:0][63:0] left;
    logic [63:0] low, bits;
    logic [31:0] high;
    for (int unsigned w = 0; w < 8; w++) begin
      low  = atomic_new(op, wide, line[w[2:0]], operands[w[2:0]], 64'd0);
      high = 32'(atomic_new(op, 1'b0, {32'd0, line[w[2:0]][63:32]}, {32'd0, operands[w[2:0]][63:32]}, 64'd0));
      bits = spread(mask[w*8+:8]);
      left[w[2:0]] = (line[w[2:0]] & ~bits) | ((wide ? low : {high, low[31:0]}) & bits);
    end
    return left;
  endfunction

  // Eight byte enables to 64 bits.
  function automatic logic [63:0] spread(input logic [7:0] enables);
    logic [63:0] one;
    one = {8{enables}} & 64'h8040201008040201;
    one = ((one + 64'h7F7F7F7F7F7F7F7F) | one) & 64'h8080808080808080;
    return (one - (one >> 7)) | one;
  endfunction
endpackage
