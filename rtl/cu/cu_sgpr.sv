// SPDX-License-Identifier: Apache-2.0
// Scalar register file of the compute unit: for each SIMD one bank of 560 register pairs (400 of SGPRs, then 16 pairs
// a slot for FLAT_SCRATCH, TTMP and the like) with two read ports and one write port.  Four instructions' worth of
// reads share the two ports of a bank in time: the scalar class two cycles after its turn, then the vector ALU, the
// buffer resource and the buffer offset; so in each cycle each bank serves another class.  Rows are given in the cycle
// of the read, data comes in the next and stays until the next read of that bank.
// Not responsible for: VCC, EXEC, M0 (cu_scalar), choosing rows.
module cu_sgpr
  import cu_pkg::*;
(
  input  logic        clk_i,
  input  logic        en_i,            // any read or write
  // by bank
  input  logic [ 3:0] re_i,
  input  logic [3:0][9:0] row0_i,
  input  logic [3:0][9:0] row1_i,
  output logic [31:0] low0_o[4],   // even registers of row 0, row 1; then the odd ones
  output logic [31:0] low1_o[4],
  output logic [31:0] high0_o[4],
  output logic [31:0] high1_o[4],
  input  logic [ 3:0] we_low_i,
  input  logic [ 3:0] we_high_i,
  input  logic [3:0][9:0] write_row_i,
  input  logic [63:0] write_data_i[4]
);
  localparam int unsigned Rows = 560;

  for (genvar b = 0; b < 4; b++) begin : gen_bank
    ram_2r1w #(
      .Width(32),
      .Depth(Rows)
    ) u_low (
      .clk_i,
      .en_i,
      .we_i    (we_low_i[b]),
      .waddr_i (write_row_i[b]),
      .wdata_i (write_data_i[b][31:0]),
      .re0_i   (re_i[b]),
      .raddr0_i(row0_i[b]),
      .rdata0_o(low0_o[b]),
      .re1_i   (re_i[b]),
      .raddr1_i(FaultSeed == 23 ? row0_i[b] : row1_i[b]),
      .rdata1_o(low1_o[b])
    );
    ram_2r1w #(
      .Width(32),
      .Depth(Rows)
    ) u_high (
      .clk_i,
      .en_i,
      .we_i    (we_high_i[b]),
      .waddr_i (write_row_i[b]),
      .wdata_i (write_data_i[b][63:32]),
      .re0_i   (re_i[b]),
      .raddr0_i(row0_i[b]),
      .rdata0_o(high0_o[b]),
      .re1_i   (re_i[b]),
      .raddr1_i(FaultSeed == 23 ? row0_i[b] : row1_i[b]),
      .rdata1_o(high1_o[b])
    );
  end
endmodule
