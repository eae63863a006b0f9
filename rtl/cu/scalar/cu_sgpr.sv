// SPDX-License-Identifier: Apache-2.0
// Scalar register file of the compute unit: for each SIMD one bank of register pairs (SgprsPerSimd / 2 of SGPRs, then 16
// pairs a slot for FLAT_SCRATCH, TTMP and the like: 560) with two read ports and one write port.  Four instructions' worth of
// reads share the two ports of a bank in time: the scalar class two cycles after its turn, then the vector ALU, the
// buffer resource and the buffer offset; so in each cycle each bank serves another class.  Rows are given in the cycle
// of the read, data comes in the next and stays until the next read of that bank.
// Not responsible for: VCC, EXEC, M0 (cu_scalar), choosing rows.
module cu_sgpr
  import cu_pkg::*;
  import cu_front_pkg::*;
#(
  parameter int unsigned Simds = 4
) (
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
  localparam int unsigned Depth = SgprRows + 16 * Slots;
  localparam int unsigned Aw = $clog2(Depth);

  if (Simds == 4 && Aw == 10) begin : gen_four
    ram_2r1w_banked #(
      .Banks(4),
      .Width(64),
      .Depth(Depth),
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
  end else begin : gen_fewer
    logic [Simds-1:0][Aw-1:0] row0, row1, write_row;
    logic [63:0] data0[Simds], data1[Simds], write_data[Simds];

    for (genvar s = 0; s < Simds; s++) begin : gen_bank
      assign row0[s]       = row0_i[s][Aw-1:0];
      assign row1[s]       = FaultSeed == 23 ? row0_i[s][Aw-1:0] : row1_i[s][Aw-1:0];
      assign write_row[s]  = write_row_i[s][Aw-1:0];
      assign write_data[s] = write_data_i[s];
      assign data0_o[s]    = data0[s];
      assign data1_o[s]    = data1[s];
    end
    for (genvar s = Simds; s < 4; s++) begin : gen_no_bank
      assign data0_o[s] = '0;
      assign data1_o[s] = '0;
    end

    ram_2r1w_banked #(
      .Banks(Simds),
      .Width(64),
      .Depth(Depth),
      .Lanes(2)
    ) u_file (
      .clk_i,
      .en_i,
      .re0_i   (re_i[Simds-1:0]),
      .raddr0_i(row0),
      .rdata0_o(data0),
      .re1_i   (re_i[Simds-1:0]),
      .raddr1_i(row1),
      .rdata1_o(data1),
      .we_i    (we_i[Simds-1:0]),
      .waddr_i (write_row),
      .wdata_i (write_data)
    );

    logic unused;
    assign unused = ^{re_i, we_i, row0_i, row1_i, write_row_i};
  end
endmodule
