// SPDX-License-Identifier: Apache-2.0
// Types between the blocks of the LDS, and scalar functions: the properties of an instruction that the pipeline needs,
// cuts of sub-dword loads, swizzle patterns.  Responsible for: values.  Not responsible for: atomics (lds_atomic_pkg),
// banks, order, timing (the blocks).  Rules of addresses and bounds: docs/reference/lds.md.
package lds_pkg;
  import cu_pkg::*;
  import gcn3_pkg::*;

  // A lone narrow SIMD has an LDS that serves one lane a cycle (lds_serial): few lanes ask, and a way from every lane to
  // every bank is larger than all the rest of its compute unit.
  localparam bit Serial = Narrow;

  // Clocks that the banks keep for a store of two dwords a lane, of three: more than their rows (four dwords: as their rows, 10).
  // Source: stores of 8 and 10 cycles a CU, CLRX GcnTimings.
  localparam logic [3:0] StorePairClocks = 4'd8, StoreTripleClocks = 4'd10;

  typedef struct packed {  // what the stages must know of an instruction: one word of the simulator
    logic active;  // has work for the banks or an exchange
    logic brings;  // writes registers of some lane
    logic limit_ok;
    logic two;
    logic sext;
    logic [2:0] regs1;
    logic [2:0] regs0;  // registers of data0
    logic [2:0] results;  // registers written
    logic [2:0] slots;  // dwords of an element
    logic [1:0] log_slots;  // dwords of an element, rounded up to a power of two
    logic [4:0] bytes;  // of one element
    logic [4:0] atomic;  // MEMOP_*
    logic [2:0] kind;  // gcn3_pkg KIND_*
  } lds_ctl_t;

  typedef struct packed {
    logic [16:0] last;  // highest legal byte address of an element
    logic [16:0] base;
    logic [3:0] clocks;  // that the banks take nothing else
    wave_t wave;
    tag_t tag;
    vgpr_t addr;
    vgpr_t data0;
    vgpr_t data1;
    vgpr_t dst;
    logic [31:0] offset1;
    logic [31:0] offset0;  // byte offsets of the elements
    logic [63:0] exec;
    lds_ctl_t ctl;
  } lds_op_t;

  typedef struct packed {  // a row of a VGPR that is on the read port in this cycle
    logic valid;
    logic none;  // an instruction without rows: only its place in the order
    logic final_row;
    logic [1:0] simd;
    logic data;  // else address
    logic [1:0] word;
    logic [1:0] entry;  // of four
    logic [1:0] beat;
  } lds_capture_t;

  typedef struct packed {  // one pass over a group of 32 words, or a place in the order without words
    logic valid;
    logic start;  // first of its instruction
    logic first;  // first of its group
    logic last;  // last of its group
    logic final_pass;  // last of its instruction
    logic pair;
  } lds_pass_t;


  function automatic lds_op_t prepare(input lds_issue_t issue);
    /* verilator no_inline_task */  // large, and a collector a pair calls it
    lds_op_t op;
    /* verilator lint_off UNUSEDSIGNAL */
    info_t info;
    /* verilator lint_on UNUSEDSIGNAL */
    logic [31:0] limit;
    logic [2:0] words;
    logic [4:0] places;
    info = info_ds(issue.op);
    op = '0;
    op.wave = issue.wave;
    op.tag = issue.tag;
    op.addr = issue.addr;
    op.data0 = issue.data0;
    op.data1 = issue.data1;
    op.dst = issue.dst;
    op.exec = issue.exec;
    op.ctl.kind = info.kind;
    op.ctl.atomic = info.atomic;
    op.ctl.bytes = info.bytes[4:0];
    words = info.bytes[4:2] == '0 ? 3'd1 : info.bytes[4:2];
    op.ctl.slots = words;
    op.ctl.log_slots = op.ctl.slots == 3'd1 ? 2'd0 : op.ctl.slots == 3'd2 ? 2'd1 : 2'd2;
    op.ctl.regs0 = info.src1_w[2:0];
    op.ctl.regs1 = info.src2_w[2:0];
    op.ctl.results = info.dst_w[2:0];
    op.clocks = info.kind != KIND_STORE || info.two ? 4'd0 : words == 3'd2 ? StorePairClocks :
        words == 3'd3 ? StoreTripleClocks : 4'd0;
    op.ctl.sext = info.is_signed;
    op.ctl.two = info.two;
    op.offset0 = {16'd0, issue.offset1, issue.offset0};
    op.offset1 = op.offset0;
    if (info.two) begin  // elements of 4 or 8 bytes, or 64 of them
      places = (info.bytes[3] ? 5'd3 : 5'd2) + (info.st64 ? 5'd6 : 5'd0);
      op.offset0 = 32'(issue.offset0) << places;
      op.offset1 = 32'(issue.offset1) << places;
    end
    limit = issue.m0 < 32'(issue.bytes) ? issue.m0 : 32'(issue.bytes);
    op.ctl.limit_ok = limit >= 32'(info.bytes);
    op.last = 17'(limit - 32'(info.bytes));
    op.base = issue.base;
    op.ctl.active = issue.exec != '0 && info.kind != KIND_NONE;
    op.ctl.brings = issue.exec != '0 && info.dst_w[2:0] != '0;
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
