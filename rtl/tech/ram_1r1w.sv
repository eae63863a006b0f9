// SPDX-License-Identifier: Apache-2.0
// Memory with one write and one read port on one clock, registered read, write-enable lanes.  Responsible for: the
// shape that simulation runs fast and FPGA tools map to block RAM.  Not responsible for: collisions (a read of the
// row written at the same edge is undefined on hardware, the old row in simulation: the user must not rely on it),
// initial contents, parity.  See docs/reference/channels.md for the other common blocks.
module ram_1r1w #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 64,
  parameter int unsigned Lanes = 1,
  localparam int unsigned Aw = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic             clk_i,
  input  logic [Lanes-1:0] we_i,     // all zero: no write
  input  logic [   Aw-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re_i,     // low: rdata_o keeps its value
  input  logic [   Aw-1:0] raddr_i,
  output logic [Width-1:0] rdata_o
);
  localparam int unsigned LaneW = Width / Lanes;
  (* no_rw_check *)logic [Width-1:0] mem[Depth];

`ifdef VERILATOR
  logic [Width-1:0] out_q[1];  // as an array it is copied when it changes only, not at every edge
`else
  logic [0:0][Width-1:0] out_q;
`endif
  assign rdata_o = out_q[0];

  if (Lanes == 1) begin : gen_plain
    always_ff @(posedge clk_i) begin
      if (re_i) out_q[0] <= mem[raddr_i];
      if (we_i[0]) mem[waddr_i] <= wdata_i;
    end
  end else begin : gen_lanes
    logic [Width-1:0] row;  // own variable: yosys then makes lane enables of the merge
    /* verilator lint_off BLKSEQ */
    always_ff @(posedge clk_i) begin
      if (re_i) out_q[0] <= mem[raddr_i];
      if (we_i != '0) begin
        row = wdata_i;
        if (we_i != '1) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            row[l*LaneW+:LaneW] = we_i[l] ? wdata_i[l*LaneW+:LaneW] : mem[waddr_i][l*LaneW+:LaneW];
          end
        end
        mem[waddr_i] <= row;
      end
    end
    /* verilator lint_on BLKSEQ */
  end
endmodule
