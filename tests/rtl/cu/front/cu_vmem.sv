// SPDX-License-Identifier: Apache-2.0
// Stand-in for the vector memory unit in the bench of the front end: every instruction ends in the next cycle, without
// an access.
module cu_vmem
  import cu_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumSlices = 4,
  parameter int unsigned L1vBytes = 16384,
  parameter int unsigned L1vWays = 4,
  parameter int unsigned L1vMshrs = 16,
  parameter int unsigned Credits = 16,
  parameter int unsigned TlbEntries = 64,
  parameter int unsigned Latency = 120,
  parameter int unsigned AddressLanes = 4
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic      [47:0] time_i,
  input  logic      [ 7:0] own_gpu_i,
  input  logic             valid_i,
  input  vmem_issue_t      issue_i,
  output logic             ready_o,
  output logic             opread_valid_o,
  output wave_tag_t        opread_o,
  output logic             opread_lds_o,
  output logic      [ 3:0] vrd_valid_o,
  output row_t             vrd_row_o[4],
  input  logic      [31:0] vrd_data_i[4][16],
  output logic      [ 3:0] vwr_valid_o,
  output vwr_req_t         vwr0_o,
  output vwr_req_t         vwr1_o,
  output vwr_req_t         vwr2_o,
  output vwr_req_t         vwr3_o,
  input  logic      [ 1:0] vwr_ready_i[4],
  output logic             done_valid_o,
  output mem_done_t        done_o,
  output logic             mem_req_valid_o,
  output mem_req_t         mem_req_o,
  input  logic             mem_req_credit_i,
  input  logic             mem_rsp_valid_i,
  input  mem_rsp_t         mem_rsp_i,
  output logic             line_valid_o,
  output lds_line_t        line_o[1],
  input  logic             line_rsp_valid_i,
  input  lds_line_rsp_t    line_rsp_i[1],
  input  logic             hold_i,
  input  logic             inv_i,
  input  logic      [ 7:0] inv_flags_i,
  input  tlb_pkg::inv_t    inv_pages_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             inv_done_o,
  output logic      [ 6:0] perf_o,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic             obs_en_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic             obs_row_valid_o,
  output obs_row_t         obs_row_o,
  output logic             idle_o
);
  localparam int unsigned Unused = NumSlices + L1vBytes + L1vWays + L1vMshrs + Credits + TlbEntries + Latency + AddressLanes;

  assign ready_o         = Unused != 0;
  assign opread_lds_o    = 1'b0;
  assign line_valid_o    = 1'b0;
  assign line_o[0]       = '0;
  assign vrd_valid_o     = '0;
  assign vrd_row_o       = '{default: '0};
  assign vwr_valid_o     = '0;
  assign vwr0_o          = '0;
  assign vwr1_o          = '0;
  assign vwr2_o          = '0;
  assign vwr3_o          = '0;
  assign mem_req_valid_o = 1'b0;
  assign mem_req_o       = '0;
  assign perf_o          = '0;
  assign obs_row_valid_o = 1'b0;
  assign obs_row_o       = '0;
  assign idle_o          = !opread_valid_o && !done_valid_o && !inv_done_o;

  always_ff @(posedge clk_i) begin
    opread_valid_o <= rst_ni && valid_i;
    opread_o       <= '{wave: issue_i.wave, tag: issue_i.tag};
    done_valid_o   <= rst_ni && valid_i;
    done_o         <= '{pc: issue_i.pc, wave: issue_i.wave, tag: issue_i.tag, vm: 1'b1, lgkm: 1'b0, status: '0, va: '0};
    inv_done_o     <= rst_ni && inv_i;
  end
endmodule
