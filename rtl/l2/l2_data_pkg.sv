// SPDX-License-Identifier: Apache-2.0
// Stage "data" of an L2 slice: a line with the mask of its bytes that are newer than DRAM, stores and atomics on it.
// Responsible for: pure functions.  Not responsible for: the data memory (l2_slice).
//
// An atomic works on one word (`lane_new`), or on several that are in its mask (`atomic_line`), each in its own place.
package l2_data_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;

  typedef logic [7:0][63:0] words_t;

  typedef struct packed {
    logic [63:0] mask;
    words_t      words;
  } line_t;  // 576 bits, a row of the data memory

  // What is in stages 3 and 4, and what they do with it (lines stand beside it).
  typedef enum logic [2:0] {
    DataHit,    // on the line of the cache
    DataFill,   // on the line that was fetched: it enters the cache
    DataNew,    // store: the line of the cache is the victim's, that of the store takes its place
    DataFetch,  // nothing yet; the line of the cache is the victim's
    DataPass,   // store past the cache
    DataFlush   // write back
  } data_e;

  typedef struct packed {
    logic     valid;
    data_e    what;
    slot_t    slot;
    row_t     row;
    mshr_no_t mshr;         // of a fill or a fetch
    logic     merge;        // DataFill: bytes of the mask stand
    logic     dirty;        // the mask tells what is newer than DRAM; else that is nothing
    logic     victim;       // the line of the cache goes to DRAM
    logic     era;          // of what goes to DRAM, see l2_flush_pkg
  } act_t;

  // Eight byte enables to 64 bits.
  function automatic logic [63:0] spread(input logic [7:0] enables);
    logic [63:0] one;
    one = {8{enables}} & 64'h8040201008040201;
    one = ((one + 64'h7F7F7F7F7F7F7F7F) | one) & 64'h8080808080808080;
    return (one - (one >> 7)) | one;
  endfunction

  // Bytes of the mask from `over`, the others from `under`.
  function automatic words_t blend(input words_t under, input words_t over, input logic [63:0] mask);
    words_t words;
    logic [63:0] bits;
    foreach (words[w]) begin
      bits = spread(mask[w*8+:8]);
      words[w[2:0]] = (under[w[2:0]] & ~bits) | (over[w[2:0]] & bits);
    end
    return words;
  endfunction

  // New value of an atomic; 32-bit operands stand in the low halves, the high half of the result is then unused.
  function automatic logic [63:0] atomic_new(input logic [3:0] op, input logic wide, input logic [63:0] old_in,
                                             input logic [63:0] operand_in, input logic [63:0] compare_in);
    logic [63:0] old, a, c, flip;
    logic less_u, less_s;
    old    = wide ? old_in : 64'(old_in[31:0]);
    a      = wide ? operand_in : 64'(operand_in[31:0]);
    c      = wide ? compare_in : 64'(compare_in[31:0]);
    flip   = wide ? 64'h8000000000000000 : 64'h0000000080000000;
    less_u = old < a;
    less_s = (old ^ flip) < (a ^ flip);
    case (op)
      ATOMIC_SWAP[3:0]:    return a;
      ATOMIC_CMPSWAP[3:0]: return old == c ? a : old;
      ATOMIC_ADD[3:0]:     return old + a;
      ATOMIC_SUB[3:0]:     return old - a;
      ATOMIC_SMIN[3:0]:    return less_s ? old : a;
      ATOMIC_UMIN[3:0]:    return less_u ? old : a;
      ATOMIC_SMAX[3:0]:    return less_s ? a : old;
      ATOMIC_UMAX[3:0]:    return less_u ? a : old;
      ATOMIC_AND[3:0]:     return old & a;
      ATOMIC_OR[3:0]:      return old | a;
      ATOMIC_XOR[3:0]:     return old ^ a;
      ATOMIC_INC[3:0]:     return old >= a ? 64'd0 : old + 64'd1;
      ATOMIC_DEC[3:0]:     return old == 64'd0 || old > a ? a : old - 64'd1;
      default:             return old;
    endcase
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // of a request a function looks at some fields only
  // What an atomic of several words leaves of a line: of those that the mask has, with the operands in their places.
  function automatic words_t atomic_line(input access_t a, input words_t words, input words_t operands,
                                         input logic [63:0] mask);
    words_t left;
    logic [63:0] low;
    logic [31:0] high;
    foreach (left[w]) begin
      low  = atomic_new(a.atomic, a.wide, words[w[2:0]], operands[w[2:0]], 64'd0);
      high = 32'(atomic_new(a.atomic, 1'b0, 64'(words[w[2:0]][63:32]), 64'(operands[w[2:0]][63:32]), 64'd0));
      left[w[2:0]] = a.wide ? low : {high, low[31:0]};
    end
    return blend(words, left, mask);
  endfunction

  // Bytes of an atomic's operand in its line.
  function automatic logic [63:0] lane_mask(input access_t a);
    return (a.wide ? 64'hFF : 64'hF) << a.addr[5:0];
  endfunction

  // Value before, extended with zeros.
  function automatic logic [63:0] lane_old(input access_t a, input words_t words);
    logic [63:0] word;
    word = words[a.addr[5:3]];
    return a.wide ? word : 64'(a.addr[2] ? word[63:32] : word[31:0]);
  endfunction

  // Value after, as it stands in its word (of four bytes: in both halves).
  function automatic logic [63:0] lane_new(input access_t a, input logic [63:0] old, input logic [63:0] operand,
                                           input logic [63:0] compare);
    logic [63:0] fresh;
    fresh = atomic_new(a.atomic, a.wide, old, operand, compare);
    return a.wide ? fresh : {fresh[31:0], fresh[31:0]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
