// SPDX-License-Identifier: Apache-2.0
// Banked memory: Banks banks of Rows words of 32 bits, one read and one write a bank and cycle, byte write enables,
// registered reads.  Responsible for: the contents.  Not responsible for: which lane reaches which bank (lds_execute), a
// read of the word written at the same edge (old word in simulation, undefined on hardware: the user must not rely on
// it).  In simulation all banks are one array in one gated block; for synthesis each is a ram_1r1w.  Address slots
// are 16 bits wide, which is easy to pick in simulation; their upper bits are ignored.
// rdata_o is an array of one: the simulator then touches it only in the cycles that read.
module ram_banked #(
  parameter int unsigned Banks = 32,
  parameter int unsigned Rows = 512,
  localparam int unsigned Aw = $clog2(Rows)
) (
  input  logic                        clk_i,
  input  logic [Banks-1:0]            re_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic [Banks-1:0][15:0]      raddr_i,
  input  logic [Banks-1:0][15:0]      waddr_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic [Banks-1:0][31:0]      rdata_o[1],
  input  logic [      3:0][Banks-1:0] we_i,     // by byte, by bank
  input  logic [Banks-1:0][31:0]      wdata_i
);
`ifdef SYNTHESIS
  for (genvar b = 0; b < Banks; b++) begin : gen_bank
    ram_1r1w #(
      .Width(32),
      .Depth(Rows),
      .Lanes(4)
    ) u_bank (
      .clk_i,
      .we_i   ({we_i[3][b], we_i[2][b], we_i[1][b], we_i[0][b]}),
      .waddr_i(waddr_i[b][Aw-1:0]),
      .wdata_i(wdata_i[b]),
      .re_i   (re_i[b]),
      .raddr_i(raddr_i[b][Aw-1:0]),
      .rdata_o(rdata_o[0][b])
    );
  end
`else
  logic [31:0] mem[Banks*Rows];  // {bank, row}
  logic [Banks-1:0][31:0] word;
  logic [31:0] mask;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (re_i != '0) begin
      for (int unsigned b = 0; b < Banks; b++) begin
        word[b] = re_i[b] ? mem[b*Rows+32'(raddr_i[b][Aw-1:0])] : word[b];
      end
      rdata_o[0] <= word;
    end
    if (we_i != '0) begin
      for (int unsigned b = 0; b < Banks; b++) begin
        mask = {{8{we_i[3][b]}}, {8{we_i[2][b]}}, {8{we_i[1][b]}}, {8{we_i[0][b]}}};
        if (mask != '0) begin
          mem[b*Rows+32'(waddr_i[b][Aw-1:0])] = (mem[b*Rows+32'(waddr_i[b][Aw-1:0])] & ~mask) | (wdata_i[b] & mask);
        end
      end
    end
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
