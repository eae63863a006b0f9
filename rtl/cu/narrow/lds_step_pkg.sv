// SPDX-License-Identifier: Apache-2.0
// LDS atomics in two short steps, for the executor that serves one lane after another (lds_serial): what two operands
// give, then which of it memory keeps.  32 and 64 bits share one adder and one comparison of each kind.  The same
// values as lds_atomic_pkg, where each bank has all of it in one step.  Not responsible for: sums of floats
// (lds_fadd_pkg), lanes, the memory.
package lds_step_pkg;
  import gcn3_pkg::*;

  typedef struct packed {
    logic [63:0] plus;
    logic [63:0] minus;
    logic equal;
    logic less;  // old < a, unsigned
    logic nan;  // of floats: any of the two
    logic zero;  // both
    logic sign;  // of a
    logic old_sign;
  } facts_t;

  // x without its sign.
  function automatic logic is_nan(input logic [62:0] x, input logic wide);
    return wide ? x > 63'h7ff0000000000000 : x[30:0] > 31'h7f800000;
  endfunction

  // Words of 32 bits have zeros above.
  function automatic facts_t compare(input logic [4:0] op, input logic wide, input logic [63:0] old,
                                     input logic [63:0] a, input logic [63:0] b);
    facts_t f;
    f.plus = old + (op == MEMOP_INC ? 64'd1 : op == MEMOP_WRAP ? b : a);
    f.minus = (op == MEMOP_RSUB ? a : old) - (op == MEMOP_RSUB ? old : op == MEMOP_DEC ? 64'd1 : a);
    f.equal = old == a;
    f.less = old < a;
    f.nan = is_nan(old[62:0], wide) || is_nan(a[62:0], wide);
    f.sign = wide ? a[63] : a[31];
    f.old_sign = wide ? old[63] : old[31];
    f.zero = wide ? (old[62:0] | a[62:0]) == '0 : (old[30:0] | a[30:0]) == '0;
    return f;
  endfunction

  // What memory keeps.
  function automatic logic [63:0] choose(input logic [4:0] op, input facts_t f, input logic [63:0] old,
                                         input logic [63:0] a, input logic [63:0] b);
    logic less, more, float_less, float_more, take;
    more = !f.less && !f.equal;
    less = f.sign != f.old_sign ? f.old_sign : f.less;  // signed
    float_less = !f.nan && !f.zero && (f.sign != f.old_sign ? f.old_sign : f.old_sign ? more : f.less);
    float_more = !f.nan && !f.zero && (f.sign != f.old_sign ? f.sign : f.sign ? f.less : more);
    take = op == MEMOP_SWAP || (op == MEMOP_SMIN && !less && !f.equal) || (op == MEMOP_UMIN && more) ||
        (op == MEMOP_SMAX && less) || (op == MEMOP_UMAX && f.less) || (op == MEMOP_FMIN && float_more) ||
        (op == MEMOP_FMAX && float_less);
    case (op)
      MEMOP_CMPSWAP: return f.equal ? b : old;
      MEMOP_FCMPSWAP: return !f.nan && (f.equal || f.zero) ? b : old;
      MEMOP_ADD: return f.plus;
      MEMOP_SUB, MEMOP_RSUB: return f.minus;
      MEMOP_AND: return old & a;
      MEMOP_OR: return old | a;
      MEMOP_XOR: return old ^ a;
      MEMOP_INC: return f.less ? f.plus : 64'd0;
      MEMOP_DEC: return old == 64'd0 || more ? a : f.minus;
      MEMOP_MSKOR: return (old & ~a) | b;
      MEMOP_WRAP: return f.less ? f.plus : f.minus;
      MEMOP_CONDXCHG: return {a[63] ? {1'b0, a[62:32]} : old[63:32], a[31] ? {1'b0, a[30:0]} : old[31:0]};
      default: return take ? a : old;
    endcase
  endfunction
endpackage
