// SPDX-License-Identifier: Apache-2.0
// The LDS of a CU: 64 KiB in 32 banks, which two pairs of SIMDs share.  Each pair reads operands and writes results on
// its own (lds_pair); both share the executor that works in passes (lds_execute) and the banks (ram_banked).  Responsible
// for: 32- and 64-bit accesses and atomics, permutes, bank conflicts, completion for lgkmcnt.  Not responsible for:
// allocation (the issue record names base and size), barriers, flat access.
//
// Ports with [2] or [1:0] are by pair: SIMDs 0 and 1, 2 and 3 (wide ones are two ports: the simulator copies elements of
// an array of ports every cycle).  Up to eight instructions of a pair may be inside: the front end counts them.  A pair's
// instructions complete in order; the banks execute one instruction after another.  Costs are those of rows (one of 16
// lanes a cycle and pair into the LDS and one out of it) and of the banks' passes.
module lds_unit
  import cu_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  // bench only: 1 lane order of atomics, 2 conflict ignored, 3 bounds ignored, 4 one pair goes first, 5 wide stores fast
  parameter bit [3:0] SeedFault = 4'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  lds_issue_t       issue_i,
  output logic       [1:0] opread_valid_o,
  output wave_tag_t        opread_o[2],
  output logic       [1:0] vrd_valid_o,
  output vrd_req_t         vrd_o[2],
  input  logic      [31:0] vrd_data_i[4][16],
  output logic       [1:0] vwr_valid_o,
  output vwr_req_t         vwr0_o,
  output vwr_req_t         vwr1_o,
  input  logic       [1:0] vwr_ready_i,
  output logic       [1:0] done_valid_o,
  output wave_tag_t        done_o[2],
  input  logic             obs_en_i,
  output logic             obs_valid_o,
  output wave_tag_t        obs_o,           // executed now: order between instructions
  output logic             perf_conflict_o,  // a pass beyond the first of its group
  output logic             idle_o
);
  lds_op_t op0[8], op1[8];
  lds_capture_t capture[2];
  logic [31:0] re;
  logic [3:0][31:0] we;
  logic [31:0][15:0] raddr, waddr;
  logic [31:0][31:0] rdata[1], wdata, group;
  logic [1:0][1:0] popped;
  logic [1:0] group_valid, through, idle;

  assign idle_o = idle == '1;

  lds_pair u_pair0 (
    .clk_i,
    .rst_ni,
    .valid_i       (valid_i && !issue_i.wave.simd[1]),
    .issue_i,
    .opread_valid_o(opread_valid_o[0]),
    .opread_o      (opread_o[0]),
    .vrd_valid_o   (vrd_valid_o[0]),
    .vrd_o         (vrd_o[0]),
    .capture_o     (capture[0]),
    .op_o          (op0),
    .group_valid_i (group_valid[0]),
    .group_i       (group),
    .final_i       (through[0]),
    .popped_o      (popped[0]),
    .vwr_valid_o   (vwr_valid_o[0]),
    .vwr_o         (vwr0_o),
    .vwr_ready_i   (vwr_ready_i[0]),
    .done_valid_o  (done_valid_o[0]),
    .done_o        (done_o[0]),
    .idle_o        (idle[0])
  );

  lds_pair u_pair1 (
    .clk_i,
    .rst_ni,
    .valid_i       (valid_i && issue_i.wave.simd[1]),
    .issue_i,
    .opread_valid_o(opread_valid_o[1]),
    .opread_o      (opread_o[1]),
    .vrd_valid_o   (vrd_valid_o[1]),
    .vrd_o         (vrd_o[1]),
    .capture_o     (capture[1]),
    .op_o          (op1),
    .group_valid_i (group_valid[1]),
    .group_i       (group),
    .final_i       (through[1]),
    .popped_o      (popped[1]),
    .vwr_valid_o   (vwr_valid_o[1]),
    .vwr_o         (vwr1_o),
    .vwr_ready_i   (vwr_ready_i[1]),
    .done_valid_o  (done_valid_o[1]),
    .done_o        (done_o[1]),
    .idle_o        (idle[1])
  );

  lds_execute #(
    .Bytes    (Bytes),
    .SeedFault(SeedFault)
  ) u_execute (
    .clk_i,
    .rst_ni,
    .capture_i    (capture),
    .vrd_data_i,
    .op0_i        (op0),
    .op1_i        (op1),
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
endmodule
