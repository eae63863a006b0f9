// SPDX-License-Identifier: Apache-2.0
// Memory with one write and two independent read ports on one clock, registered reads.  Responsible for and not
// responsible for the same as ram_1r1w; FPGA tools build it of two block RAMs.
module ram_2r1w #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 64,
  localparam int unsigned Aw = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic             clk_i,
  input  logic             we_i,
  input  logic [   Aw-1:0] waddr_i,
  input  logic [Width-1:0] wdata_i,
  input  logic             re0_i,
  input  logic [   Aw-1:0] raddr0_i,
  output logic [Width-1:0] rdata0_o,
  input  logic             re1_i,
  input  logic [   Aw-1:0] raddr1_i,
  output logic [Width-1:0] rdata1_o
);
  (* no_rw_check *)logic [Width-1:0] mem[Depth];
`ifdef VERILATOR
  logic [Width-1:0] out0_q[1], out1_q[1];  // as arrays they are copied when they change only, not at every edge
`else
  logic [0:0][Width-1:0] out0_q, out1_q;
`endif
  assign rdata0_o = out0_q[0];
  assign rdata1_o = out1_q[0];

  always_ff @(posedge clk_i) begin
    if (re0_i) out0_q[0] <= mem[raddr0_i];
    if (re1_i) out1_q[0] <= mem[raddr1_i];
    if (we_i) mem[waddr_i] <= wdata_i;
  end
endmodule
