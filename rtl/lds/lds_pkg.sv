// SPDX-License-Identifier: Apache-2.0
// Types between the blocks of the LDS, and scalar functions: the properties of an instruction that the pipeline needs,
// cuts of sub-dword loads, swizzle patterns.  Responsible for: values.  Not responsible for: atomics (lds_atomic_pkg),
// banks, order, timing (the blocks).  Rules of addresses and bounds: docs/reference/lds.md.
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
    logic [3:0] clocks;  // that the banks take nothing else
    logic sext;
    logic [31:0] offset0;  // byte offsets of the elements
    logic [31:0] offset1;
    logic two;
    logic limit_ok;
    logic [16:0] last;  // highest legal byte address of an element
    logic [16:0] base;
  } lds_op_t;

  typedef struct packed {  // a row of a VGPR that is on the read port in this cycle
    logic valid;
    logic none;  // an instruction without rows: only its place in the order
    logic data;  // else address
    logic [2:0] entry;
    logic [1:0] simd;
    logic [1:0] word;
    logic [1:0] beat;
    logic final_row;
  } lds_capture_t;

  typedef struct packed {  // one pass over a group of 32 words, or a place in the order without words
    logic valid;
    logic start;  // first of its instruction
    logic first;  // first of its group
    logic last;  // last of its group
    logic final_pass;  // last of its instruction
    logic pair;
    logic [2:0] entry;
    logic [31:0] served;  // words that the banks serve in this pass
  } lds_pass_t;


  function automatic lds_op_t prepare(input lds_issue_t issue);
    /* verilator no_inline_task */  // large, and a collector a pair calls it
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
    // measured on hardware: such stores take longer than their rows
    op.clocks = info.kind != KIND_STORE || info.two ? 4'd0 : words == 3'd2 ? 4'd8 : words == 3'd3 ? 4'd10 : 4'd0;
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
endpackage
