// SPDX-License-Identifier: Apache-2.0
// Scalar functions of the LDS: what one lane's atomic leaves behind, cuts of sub-dword loads, swizzle patterns, and
// the properties of an instruction that its pipeline needs.  Responsible for: values.  Not responsible for: banks,
// order, timing (lds_unit).  Rules of addresses and bounds: docs/reference/lds.md.
package lds_pkg;
  import cu_pkg::*;
  import gcn3_pkg::*;

  typedef struct packed {
    wave_t wave;
    tag_t tag;
    vgpr_t addr;
    vgpr_t data0;
    vgpr_t data1;
    vgpr_t dst;
    logic [63:0] exec;
    logic [2:0] kind;  // gcn3_pkg KIND_*
    logic [4:0] atomic;  // MEMOP_*
    logic [1:0] log_slots;  // dwords of an element, rounded up to a power of two
    logic [2:0] slots;  // dwords of an element
    logic [2:0] regs0;  // registers of data0
    logic [2:0] regs1;
    logic [2:0] results;  // registers written
    logic [4:0] bytes;  // of one element
    logic sext;
    logic [31:0] offset0;  // byte offsets of the elements
    logic [31:0] offset1;
    logic two;
    logic limit_ok;
    logic [16:0] last;  // highest legal byte address of an element
    logic [16:0] base;
  } lds_op_t;

  function automatic lds_op_t prepare(input lds_issue_t issue);
    lds_op_t op;
    /* verilator lint_off UNUSEDSIGNAL */
    info_t info;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [31:0] limit;
    logic [2:0] words;
    info = info_ds(issue.op);
    op = '0;
    op.wave = issue.wave;
    op.tag = issue.tag;
    op.addr = issue.addr;
    op.data0 = issue.data0;
    op.data1 = issue.data1;
    op.dst = issue.dst;
    op.exec = issue.exec;
    op.kind = info.kind;
    op.atomic = info.atomic;
    op.bytes = info.bytes[4:0];
    words = info.bytes[4:2] == '0 ? 3'd1 : info.bytes[4:2];
    op.slots = words;
    op.log_slots = op.slots == 3'd1 ? 2'd0 : op.slots == 3'd2 ? 2'd1 : 2'd2;
    op.regs0 = info.src1_w[2:0];
    op.regs1 = info.src2_w[2:0];
    op.results = info.dst_w[2:0];
    op.sext = info.is_signed;
    op.two = info.two;
    op.offset0 = {16'd0, issue.offset1, issue.offset0};
    op.offset1 = op.offset0;
    if (info.two) begin
      op.offset0 = 32'(issue.offset0) * (info.st64 ? 32'd64 : 32'd1) * 32'(info.bytes);
      op.offset1 = 32'(issue.offset1) * (info.st64 ? 32'd64 : 32'd1) * 32'(info.bytes);
    end
    limit = issue.m0 < 32'(issue.bytes) ? issue.m0 : 32'(issue.bytes);
    op.limit_ok = limit >= 32'(info.bytes);
    op.last = 17'(limit - 32'(info.bytes));
    op.base = issue.base;
    return op;
  endfunction

  // Cut of a sub-dword load: the byte or short at byte `place` of a word, extended.
  function automatic logic [31:0] cut(input logic [31:0] word, input logic [1:0] place, input logic short,
                                      input logic sext);
    logic [15:0] shifted;
    shifted = 16'(word >> {place, 3'd0});
    return short ? {{16{sext & shifted[15]}}, shifted[15:0]} : {{24{sext & shifted[7]}}, shifted[7:0]};
  endfunction

  // Source lane of ds_swizzle: quads by offset[15], else and, or, xor masks within 32 lanes.
  function automatic logic [31:0] swizzle(input logic [31:0] lane, input logic [31:0] offset);
    logic [31:0] quad, masked, bits;
    quad = (lane & 32'd60) | ((offset >> {lane[1:0], 1'b0}) & 32'd3);
    bits = ((lane & offset) | (offset >> 5)) ^ (offset >> 10);
    masked = (lane & 32'd32) | (bits & 32'd31);
    return offset[15] ? quad : masked;
  endfunction

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

  // Value a 32-bit atomic leaves in memory; a = data0, b = data1.
  function automatic logic [31:0] atomic32(input logic [4:0] op, input logic [31:0] old, input logic [31:0] a,
                                           input logic [31:0] b);
    logic [31:0] r;
    case (op)
      MEMOP_SWAP: r = a;
      MEMOP_CMPSWAP: r = old == a ? b : old;
      MEMOP_ADD: r = old + a;
      MEMOP_SUB: r = old - a;
      MEMOP_RSUB: r = a - old;
      MEMOP_SMIN: r = $signed(a) < $signed(old) ? a : old;
      MEMOP_UMIN: r = a < old ? a : old;
      MEMOP_SMAX: r = $signed(a) > $signed(old) ? a : old;
      MEMOP_UMAX: r = a > old ? a : old;
      MEMOP_AND: r = old & a;
      MEMOP_OR: r = old | a;
      MEMOP_XOR: r = old ^ a;
      MEMOP_INC: r = old >= a ? 32'd0 : old + 32'd1;
      MEMOP_DEC: r = old == 32'd0 || old > a ? a : old - 32'd1;
      MEMOP_MSKOR: r = (old & ~a) | b;
      MEMOP_FCMPSWAP: r = equal32(old, a) ? b : old;
      MEMOP_FMIN: r = less32(a, old) ? a : old;
      MEMOP_FMAX: r = less32(old, a) ? a : old;
      MEMOP_FADD: r = lds_fadd_pkg::add(old, a);
      MEMOP_WRAP: r = old >= a ? old - a : old + b;
      MEMOP_CONDXCHG: r = a[31] ? {1'b0, a[30:0]} : old;
      default: r = old;
    endcase
    return r;
  endfunction

  function automatic logic [63:0] atomic64(input logic [4:0] op, input logic [63:0] old, input logic [63:0] a,
                                           input logic [63:0] b);
    logic [63:0] r;
    case (op)
      MEMOP_SWAP: r = a;
      MEMOP_CMPSWAP: r = old == a ? b : old;
      MEMOP_ADD: r = old + a;
      MEMOP_SUB: r = old - a;
      MEMOP_RSUB: r = a - old;
      MEMOP_SMIN: r = $signed(a) < $signed(old) ? a : old;
      MEMOP_UMIN: r = a < old ? a : old;
      MEMOP_SMAX: r = $signed(a) > $signed(old) ? a : old;
      MEMOP_UMAX: r = a > old ? a : old;
      MEMOP_AND: r = old & a;
      MEMOP_OR: r = old | a;
      MEMOP_XOR: r = old ^ a;
      MEMOP_INC: r = old >= a ? 64'd0 : old + 64'd1;
      MEMOP_DEC: r = old == 64'd0 || old > a ? a : old - 64'd1;
      MEMOP_MSKOR: r = (old & ~a) | b;
      MEMOP_FCMPSWAP: r = equal64(old, a) ? b : old;
      MEMOP_FMIN: r = less64(a, old) ? a : old;
      MEMOP_FMAX: r = less64(old, a) ? a : old;
      MEMOP_CONDXCHG: r = {a[63] ? {1'b0, a[62:32]} : old[63:32], a[31] ? {1'b0, a[30:0]} : old[31:0]};
      default: r = old;
    endcase
    return r;
  endfunction
endpackage
