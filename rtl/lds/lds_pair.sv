// SPDX-License-Identifier: Apache-2.0
// What the LDS has for each pair of SIMDs: the collector of operands (lds_collect) and the way of results to the VGPRs
// (lds_writeback), joined by the table of the pair's instructions.  Responsible for: wiring.  Not responsible for: what
// the pairs share (lds_execute, ram_banked).
module lds_pair
  import cu_pkg::*;
  import lds_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  lds_issue_t         issue_i,
  output logic               opread_valid_o,
  output wave_tag_t          opread_o,
  output logic               vrd_valid_o,
  output vrd_req_t           vrd_o,
  output lds_capture_t       capture_o,
  output lds_op_t            op_o[8],
  input  logic               group_valid_i,
  input  logic  [31:0][31:0] group_i,
  input  logic               final_i,         // an instruction is through the banks
  output logic        [ 1:0] popped_o,
  output logic               vwr_valid_o,
  output vwr_req_t           vwr_o,
  input  logic               vwr_ready_i,
  output logic               done_valid_o,
  output wave_tag_t          done_o,
  output logic               idle_o
);
  lds_collect u_collect (
    .clk_i,
    .rst_ni,
    .valid_i,
    .issue_i,
    .opread_valid_o,
    .opread_o,
    .vrd_valid_o,
    .vrd_o,
    .capture_o,
    .op_o,
    .through_i(final_i),
    .retire_i (done_valid_o),
    .idle_o
  );

  lds_writeback u_writeback (
    .clk_i,
    .rst_ni,
    .op_i(op_o),
    .group_valid_i,
    .group_i,
    .final_i,
    .popped_o,
    .vwr_valid_o,
    .vwr_o,
    .vwr_ready_i,
    .done_valid_o,
    .done_o
  );
endmodule
