// SPDX-License-Identifier: Apache-2.0
// Stand-in for the SIMD in the bench of the front end: takes vector instructions, ends them after the time of the
// full rate and answers the scalar value of source 0 as the result.  No registers: the bench runs scalar programs.
module cu_simd
  import cu_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  valu_issue_t        issue_i,
  output logic               done_valid_o,
  output valu_done_t         done_o,
  input  logic               vrd_valid_i,
  input  row_t               vrd_row_i,
  output logic        [31:0] vrd_data_o[16],
  input  logic        [ 1:0] vwr_valid_i,
  input  vwr_req_t           vwr0_i,
  input  vwr_req_t           vwr1_i,
  output logic        [ 1:0] vwr_ready_o,
  output logic               vwr_wait_o,
  input  logic               init_valid_i,
  input  row_t               init_row_i,
  input  logic        [31:0] init_data_i[16],
  output logic               init_ready_o,
  input  logic               obs_en_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic               obs_valid_o,
  output obs_vgpr_t          obs_o,
  output logic               idle_o
);
  logic [7:0] valid_q;
  valu_done_t done_q[8];

  assign done_valid_o = valid_q[7];
  assign done_o       = done_q[7];
  assign vwr_ready_o  = 2'b11;
  assign vwr_wait_o   = 1'b0;
  assign init_ready_o = 1'b1;
  assign obs_valid_o  = 1'b0;
  assign obs_o        = '0;
  assign idle_o       = valid_q == '0;
  for (genvar l = 0; l < 16; l++) begin : gen_data
    assign vrd_data_o[l] = '0;
  end

  always_ff @(posedge clk_i) begin
    valid_q   <= rst_ni ? {valid_q[6:0], valid_i} : '0;
    done_q[0] <= '{slot: issue_i.slot, tag: issue_i.tag, has_result: 1'b1, result: issue_i.sval[0]};
    done_q[1] <= done_q[0];
    done_q[2] <= done_q[1];
    done_q[3] <= done_q[2];
    done_q[4] <= done_q[3];
    done_q[5] <= done_q[4];
    done_q[6] <= done_q[5];
    done_q[7] <= done_q[6];
  end
endmodule
