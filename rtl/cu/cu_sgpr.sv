// SPDX-License-Identifier: Apache-2.0
// Scalar register file of the compute unit: for each SIMD one bank of 560 register pairs (800 SGPRs, then 16 pairs a
// slot for FLAT_SCRATCH, TTMP and the like) with two read ports and one write port.  Four instructions' worth of
// reads share the two ports in time: bank b serves the scalar class two cycles after its turn, then the vector ALU,
// the buffer resource and the buffer offset.  Row numbers are given in the cycle of the read, data comes in the next.
// Not responsible for: VCC, EXEC, M0 (cu_scalar), choosing rows.
`include "gantry_assert.svh"

module cu_sgpr (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic       [ 1:0] turn_i,
  input  logic              sca_re_i,       // turn - 2
  input  logic       [ 9:0] sca_row_i[2],
  output logic       [63:0] sca_data_o[2],
  input  logic              val_re_i,       // turn - 3
  input  logic       [ 9:0] val_row_i[2],
  output logic       [63:0] val_data_o[2],
  input  logic              buf_re_i,       // turn - 4
  input  logic       [ 9:0] buf_row_i[2],
  output logic       [63:0] buf_data_o[2],
  input  logic              off_re_i,       // turn - 5
  input  logic       [ 9:0] off_row_i[2],
  output logic       [63:0] off_data_o[2],
  input  logic       [ 2:0] write_valid_i,  // never two for one SIMD in a cycle
  input  logic       [ 1:0] write_simd_i[3],
  input  logic       [ 9:0] write_row_i[3],
  input  logic       [ 1:0] write_we_i[3],
  input  logic       [63:0] write_data_i[3]
);
  localparam int unsigned Rows = 560;

  logic [63:0] data0[4], data1[4];

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    logic re;
    logic [9:0] row0, row1, waddr;
    logic [1:0] phase, we;
    logic [63:0] wdata;

    assign phase = turn_i - 2'(b);
    assign re    = phase == 2'd2 ? sca_re_i : phase == 2'd3 ? val_re_i : phase == 2'd0 ? buf_re_i : off_re_i;
    assign row0  = phase == 2'd2 ? sca_row_i[0] : phase == 2'd3 ? val_row_i[0] :
                   phase == 2'd0 ? buf_row_i[0] : off_row_i[0];
    assign row1  = phase == 2'd2 ? sca_row_i[1] : phase == 2'd3 ? val_row_i[1] :
                   phase == 2'd0 ? buf_row_i[1] : off_row_i[1];

    logic [2:0] hit;
    assign hit = {
      write_valid_i[2] && write_simd_i[2] == 2'(b),
      write_valid_i[1] && write_simd_i[1] == 2'(b),
      write_valid_i[0] && write_simd_i[0] == 2'(b)
    };
    assign we    = hit[0] ? write_we_i[0] : hit[1] ? write_we_i[1] : hit[2] ? write_we_i[2] : 2'd0;
    assign waddr = hit[0] ? write_row_i[0] : hit[1] ? write_row_i[1] : write_row_i[2];
    assign wdata = hit[0] ? write_data_i[0] : hit[1] ? write_data_i[1] : write_data_i[2];

    for (genvar h = 0; h < 2; h++) begin : gen_half
      ram_2r1w #(
        .Width(32),
        .Depth(Rows)
      ) u_ram (
        .clk_i,
        .we_i    (we[h]),
        .waddr_i (waddr),
        .wdata_i (wdata[32*h+:32]),
        .re0_i   (re),
        .raddr0_i(row0),
        .rdata0_o(data0[b][32*h+:32]),
        .re1_i   (re),
        .raddr1_i(cu_pkg::FaultSeed == 23 ? row0 : row1),
        .rdata1_o(data1[b][32*h+:32])
      );
    end

    `GANTRY_ASSERT(a_one_write, (hit & (hit - 3'd1)) == 3'd0)
  end

  // data stays at a bank's output until its next read: valid in the cycle after
  assign sca_data_o[0] = data0[turn_i-2'd3];
  assign sca_data_o[1] = data1[turn_i-2'd3];
  assign val_data_o[0] = data0[turn_i];
  assign val_data_o[1] = data1[turn_i];
  assign buf_data_o[0] = data0[turn_i-2'd1];
  assign buf_data_o[1] = data1[turn_i-2'd1];
  assign off_data_o[0] = data0[turn_i-2'd2];
  assign off_data_o[1] = data1[turn_i-2'd2];
endmodule
