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
  output logic [63:0] data0_o[4],  // odd register above the even one
  output logic [63:0] data1_o[4],
  input  logic [3:0][1:0] we_i,  // odd, even
  input  logic [3:0][9:0] write_row_i,
  input  logic [63:0] write_data_i[4]
);
  ram_2r1w_banked #(
    .Banks(4),
    .Width(64),
    .Depth(560),
    .Lanes(2)
  ) u_file (
    .clk_i,
    .en_i,
    .re0_i   (re_i),
    .raddr0_i(row0_i),
    .rdata0_o(data0_o),
    .re1_i   (re_i),
    .raddr1_i(FaultSeed == 23 ? row0_i : row1_i),
    .rdata1_o(data1_o),
    .we_i,
    .waddr_i (write_row_i),
    .wdata_i (write_data_i)
  );
endmodule
