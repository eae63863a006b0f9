// SPDX-License-Identifier: Apache-2.0
// Banks with one write and two independent read ports each, on one clock, registered reads, write-enable lanes.
// Responsible for: the contents.  Not responsible for: a read of the word written at the same edge (old word in
// simulation, undefined on hardware: the user must not rely on it).  In simulation all banks are one array in one block
// behind one enable; for synthesis each lane of a bank is a ram_2r1w.
module ram_2r1w_banked #(
  parameter int unsigned Banks = 4,
  parameter int unsigned Width = 64,
  parameter int unsigned Depth = 64,
  parameter int unsigned Lanes = 1,
  localparam int unsigned Aw = Depth > 1 ? $clog2(Depth) : 1
) (
  input  logic                        clk_i,
  input  logic                        en_i,             // low: no bank is read or written
  input  logic [Banks-1:0]            re0_i,            // low: rdata0_o of this bank keeps its value
  input  logic [Banks-1:0][   Aw-1:0] raddr0_i,
  output logic [Width-1:0]            rdata0_o[Banks],
  input  logic [Banks-1:0]            re1_i,
  input  logic [Banks-1:0][   Aw-1:0] raddr1_i,
  output logic [Width-1:0]            rdata1_o[Banks],
  input  logic [Banks-1:0][Lanes-1:0] we_i,
  input  logic [Banks-1:0][   Aw-1:0] waddr_i,
  input  logic [Width-1:0]            wdata_i[Banks]
);
  localparam int unsigned LaneW = Width / Lanes;
`ifdef SYNTHESIS
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    for (genvar l = 0; l < Lanes; l++) begin : gen_lane
      ram_2r1w #(
        .Width(LaneW),
        .Depth(Depth)
      ) u_lane (
        .clk_i,
        .we_i    (en_i && we_i[b][l]),
        .waddr_i (waddr_i[b]),
        .wdata_i (wdata_i[b][l*LaneW+:LaneW]),
        .re0_i   (en_i && re0_i[b]),
        .raddr0_i(raddr0_i[b]),
        .rdata0_o(rdata0_o[b][l*LaneW+:LaneW]),
        .re1_i   (en_i && re1_i[b]),
        .raddr1_i(raddr1_i[b]),
        .rdata1_o(rdata1_o[b][l*LaneW+:LaneW])
      );
    end
  end
`else
  logic [Width-1:0] mem[Banks*Depth];  // {bank, row}
  logic [Width-1:0] word0[Banks], word1[Banks];

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if ((re0_i | re1_i) != '0) begin
        for (int unsigned b = 0; b < Banks; b++) begin
          if (re0_i[b]) word0[b] = mem[b*Depth+32'(raddr0_i[b])];
          if (re1_i[b]) word1[b] = mem[b*Depth+32'(raddr1_i[b])];
        end
        rdata0_o <= word0;
        rdata1_o <= word1;
      end
      if (we_i != '0) begin
        for (int unsigned b = 0; b < Banks; b++) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            if (we_i[b][l]) mem[b*Depth+32'(waddr_i[b])][l*LaneW+:LaneW] = wdata_i[b][l*LaneW+:LaneW];
          end
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
