// SPDX-License-Identifier: Apache-2.0
// The LDS of a CU: 64 KiB in 32 banks, behind it the instructions in order.  Wires the collector of operands
// (lds_collect), the executor that works in passes (lds_execute), the banks (ram_banked) and the way back to the VGPRs
// (lds_writeback).  Responsible for: 32- and 64-bit accesses and atomics, permutes, bank conflicts, completion for
// lgkmcnt.  Not responsible for: allocation (the issue record names base and size), barriers, flat access.
//
// Four buffers hold the instructions from issue to completion.  Costs are those of rows (one of 16 lanes a cycle into
// the LDS and one out of it) and of conflicts.
`include "gantry_assert.svh"

module lds_unit
  import cu_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  parameter bit [3:0] SeedFault = 4'd0  // bench only: 1 lane order of atomics, 2 conflict ignored, 3 bounds ignored
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              valid_i,
  input  lds_issue_t        issue_i,
  output logic              ready_o,        // an issue is taken in the next cycle
  output logic              opread_valid_o,
  output wave_tag_t         opread_o,
  output logic              reading_o,
  output logic       [ 1:0] reading_simd_o,
  output logic              vrd_valid_o,
  output vrd_req_t          vrd_o,
  input  logic       [31:0] vrd_data_i[4][16],
  output logic              vwr_valid_o,
  output vwr_req_t          vwr_o,
  input  logic              vwr_ready_i,
  output logic              done_valid_o,
  output mem_done_t         done_o,
  input  logic              obs_en_i,
  output logic              obs_valid_o,
  output wave_tag_t         obs_o,          // executed now: order between instructions
  output logic              perf_conflict_o,  // a pass beyond the first of its group
  output logic              idle_o
);
  lds_op_t op[4];
  lds_capture_t capture;
  logic [31:0] re;
  logic [3:0][31:0] we;
  logic [31:0][15:0] raddr, waddr;
  logic [31:0][31:0] rdata[1], wdata, group;
  logic [1:0] popped;
  logic group_valid, through, retire;

  lds_collect u_collect (
    .clk_i,
    .rst_ni,
    .valid_i,
    .issue_i,
    .ready_o,
    .opread_valid_o,
    .opread_o,
    .reading_o,
    .reading_simd_o,
    .vrd_valid_o,
    .vrd_o,
    .capture_o(capture),
    .op_o     (op),
    .retire_i (retire),
    .idle_o
  );

  lds_execute #(
    .Bytes    (Bytes),
    .SeedFault(SeedFault)
  ) u_execute (
    .clk_i,
    .rst_ni,
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
    .re_i   (re),
    .raddr_i(raddr),
    .rdata_o(rdata),
    .we_i   (we),
    .waddr_i(waddr),
    .wdata_i(wdata)
  );

  lds_writeback u_writeback (
    .clk_i,
    .rst_ni,
    .op_i         (op),
    .group_valid_i(group_valid),
    .group_i      (group),
    .final_i      (through),
    .popped_o     (popped),
    .retire_o     (retire),
    .vwr_valid_o,
    .vwr_o,
    .vwr_ready_i,
    .done_valid_o,
    .done_o
  );

  `GANTRY_ASSERT(a_issue, `GANTRY_IMPL(valid_i, $past(ready_o)))
endmodule
