// SPDX-License-Identifier: Apache-2.0
// The LDS of a CU: 64 KiB in 32 banks, which two pairs of SIMDs share.  Each pair reads operands (lds_collect) and
// writes results (lds_writeback) on its own; both share the executor that works in passes (lds_execute) and the banks
// (ram_banked).  Responsible for: 32- and 64-bit accesses and atomics, permutes, bank conflicts, completion for lgkmcnt,
// lines of FLAT instructions, which come one at a time from the vector memory unit and are answered there, rest while
// nothing is inside.  Not responsible for: allocation (the issue record names base and size), barriers, lanes and bounds
// of FLAT instructions (cu_vmem).
//
// Ports with [2] or [1:0] are by pair: SIMDs 0 and 1, 2 and 3 (wide ones are ports of their own: the simulator copies
// elements of an array of ports every cycle).  Up to eight instructions of a pair may be inside: the front end counts
// them.  A pair's instructions complete in order; the banks execute one instruction after another.  Costs are those of
// rows (one of 16 lanes a cycle and pair into the LDS and one out of it) and of the banks' passes.
`include "gantry_assert.svh"

module lds_unit
  import cu_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  // bench only: 1 lane order of atomics, 2 conflict ignored, 3 bounds ignored, 4 one pair goes first, 5 wide stores fast,
  // 6 a row that waits stops its pair, 7 cycles lost to busy ports are not made up for, 8 half of a line's bytes lost,
  // 9 a line overtakes the instructions before it
  parameter bit [3:0] SeedFault = 4'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  lds_issue_t       issue_i,
  input  logic             line_valid_i,    // one at a time
  input  lds_line_t        line_i[1],       // stays until the next
  output logic             line_rsp_valid_o,
  output lds_line_rsp_t    line_rsp_o[1],   // stays until the next
  output logic       [1:0] opread_valid_o,
  output wave_tag_t        opread_o[2],
  output logic       [3:0] vrd_valid_o,     // by SIMD
  output vrd_req_t         vrd_o[2],
  input  logic      [31:0] vrd_data_i[4][16],
  output logic       [3:0] vwr_valid_o,     // by SIMD
  output vwr_req_t         vwr0_o,          // of SIMD 0
  output vwr_req_t         vwr1_o,
  output vwr_req_t         vwr2_o,
  output vwr_req_t         vwr3_o,
  input  logic       [1:0] vwr_ready_i[4],  // by SIMD: bit 0
  output logic       [1:0] done_valid_o,
  output wave_tag_t        done_o[2],
  input  logic             obs_en_i,
  output logic             obs_valid_o,
  output obs_lds_t         obs_o,           // executed now: order between instructions and lines
  output logic             perf_conflict_o,  // a pass beyond the first of its group
  output logic             idle_o
);
  lds_op_t op[16];
  lds_capture_t [1:0] capture;
  logic [31:0] re, raddr[32], rdata[32], waddr[32], wdata[32];
  logic [3:0][31:0] we;
  logic [31:0][31:0] group;
  logic [3:0][1:0] popped;  // by SIMD
  logic [1:0] group_valid, through;
  logic en, rest, empty, line_busy;
  logic [3:0] quiet;  // cycles since the last instruction left, at most 15

  assign idle_o = empty && !valid_i && !line_valid_i && !line_busy;

  // Nothing is evaluated while nothing is inside: all blocks test this one bit.  It stays long enough for every pulse and
  // every clock that the banks keep (lds_pkg, clocks) to end.
  assign en = valid_i || line_valid_i || !rest || !rst_ni;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en) begin
      quiet = !idle_o || !rst_ni ? 4'd0 : quiet + 4'd1;
      rest <= quiet == 4'd15;
    end
  end
  /* verilator lint_on BLKSEQ */

  lds_collect u_collect (
    .clk_i,
    .rst_ni,
    .en_i     (en),
    .valid_i,
    .issue_i,
    .opread_valid_o,
    .opread_o,
    .vrd_valid_o,
    .vrd_o,
    .capture_o(capture),
    .op_o     (op),
    .through_i(through),
    .retire_i (done_valid_o),
    .idle_o   (empty)
  );

  lds_writeback #(
    .SeedFault(SeedFault)
  ) u_writeback (
    .clk_i,
    .rst_ni,
    .en_i         (en),
    .op_i         (op),
    .group_valid_i(group_valid),
    .group_i      (group),
    .final_i      (through),
    .popped_o     (popped),
    .vwr_valid_o,
    .vwr0_o,
    .vwr1_o,
    .vwr2_o,
    .vwr3_o,
    .vwr_ready_i,
    .done_valid_o,
    .done_o
  );

  lds_execute #(
    .Bytes    (Bytes),
    .SeedFault(SeedFault)
  ) u_execute (
    .clk_i,
    .rst_ni,
    .en_i         (en),
    .valid_i,
    .pair_i       (issue_i.wave.simd[1]),
    .line_valid_i,
    .line_i,
    .line_rsp_valid_o,
    .line_rsp_o,
    .line_busy_o  (line_busy),
    .capture_i    (capture),
    .vrd_data_i,
    .op_i         (op),
    .re_o         (re),
    .raddr_o      (raddr),
    .rdata_i      (rdata),
    .we_o         (we),
    .waddr_o      (waddr),
    .wdata_o      (wdata),
    .group_valid_o(group_valid),
    .group_o      (group),
    .final_o      (through),
    .popped_i     (popped),
    .obs_en_i,
    .obs_valid_o,
    .obs_o,
    .conflict_o   (perf_conflict_o)
  );

  ram_banked #(
    .Rows(Bytes / 128)
  ) u_banks (
    .clk_i,
    .en_i   (en),
    .re_i   (re),
    .raddr_i(raddr),
    .rdata_o(rdata),
    .we_i   (we),
    .waddr_i(waddr),
    .wdata_i(wdata)
  );

  `GANTRY_ASSERT(a_rest, `GANTRY_IMPL(!en, {opread_valid_o, vrd_valid_o, vwr_valid_o, done_valid_o, obs_valid_o,
                                           perf_conflict_o, line_rsp_valid_o, group_valid, through, popped} == '0 &&
                                           {re, we, capture[0].valid, capture[1].valid} == '0))
endmodule
