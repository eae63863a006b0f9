// SPDX-License-Identifier: Apache-2.0
// Banked memory: 32 banks of Rows words of 32 bits, one read and one write a bank and cycle, byte write enables,
// registered reads.  Responsible for: the contents.  Not responsible for: which lane reaches which bank (lds_execute), a
// read of the word written at the same edge (old word in simulation, undefined on hardware: the user must not rely on
// it), what a bank gives that did not read in the last cycle in which any did.  In simulation all banks are one array in
// one gated block; for synthesis each is a ram_1r1w.  Addresses are 32 bits wide, which is easy to pick in simulation;
// their upper bits are ignored.
`include "gantry_assert.svh"

module ram_banked #(
  parameter int unsigned Rows = 512,
  localparam int unsigned Aw = $clog2(Rows)
) (
  input  logic             clk_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic             rst_ni,       // only the assertions: contents stay
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic             en_i,         // low: neither reads nor writes
  input  logic      [31:0] re_i,         // by bank
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic      [31:0] raddr_i[32],
  input  logic      [31:0] waddr_i[32],
  /* verilator lint_on UNUSEDSIGNAL */
  output logic      [31:0] rdata_o[32],
  input  logic [3:0][31:0] we_i,         // by byte, by bank
  input  logic      [31:0] wdata_i[32]
);
`ifdef SYNTHESIS
  for (genvar b = 0; b < 32; b++) begin : gen_bank
    ram_1r1w #(
      .Width(32),
      .Depth(Rows),
      .Lanes(4)
    ) u_bank (
      .clk_i,
      .we_i   ({4{en_i}} & {we_i[3][b], we_i[2][b], we_i[1][b], we_i[0][b]}),
      .waddr_i(waddr_i[b][Aw-1:0]),
      .wdata_i(wdata_i[b]),
      .re_i   (en_i && re_i[b]),
      .raddr_i(raddr_i[b][Aw-1:0]),
      .rdata_o(rdata_o[b])
    );
  end
`else
  logic [31:0] mem[32*Rows];  // {row, bank}
  logic [31:0] word[33];  // one more: Verilator copies a part of an array to a port only when it is written

  /* verilator lint_off BLKSEQ */
  // One row of all banks is one piece of memory.
  task automatic read();
    logic [31:0] differ, row;
    row = raddr_i[0];
    differ = '0;
    for (int unsigned b = 0; b < 32; b++) differ = differ | (raddr_i[b] ^ row);
    if (differ == '0) begin
      for (int unsigned b = 0; b < 32; b++) word[b] = mem[{row[Aw-1:0], b[4:0]}];
    end else begin
      for (int unsigned b = 0; b < 32; b++) word[b] = mem[{raddr_i[b][Aw-1:0], b[4:0]}];
    end
  endtask

  task automatic write();
    logic [31:0] mask;
    for (int unsigned b = 0; b < 32; b++) begin
      mask = {{8{we_i[3][b]}}, {8{we_i[2][b]}}, {8{we_i[1][b]}}, {8{we_i[0][b]}}};
      if (mask != '0) begin
        mem[{waddr_i[b][Aw-1:0], b[4:0]}] = (mem[{waddr_i[b][Aw-1:0], b[4:0]}] & ~mask) | (wdata_i[b] & mask);
      end
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (re_i != '0) begin
        read();
        rdata_o <= word[0:31];
      end
      if (we_i != '0) write();
    end
  end
  /* verilator lint_on BLKSEQ */
`endif

  // ---- assertions
  // Bits beyond the rows are ignored: a write that has some would reach another allocation.
  function automatic logic rows_exist();
    logic [31:0] beyond;
    beyond = '0;
    for (int unsigned b = 0; b < 32; b++) begin
      if ({we_i[3][b[4:0]], we_i[2][b[4:0]], we_i[1][b[4:0]], we_i[0][b[4:0]]} != '0) begin
        beyond = beyond | (waddr_i[b] >> Aw);
      end
    end
    return beyond == '0;
  endfunction
  `STREAM_ASSERT(a_rows, en_i && we_i != '0, rows_exist())
  // what comes while the memory rests is lost
  `STREAM_ASSERT(a_enabled, !en_i, re_i == '0 && we_i == '0)
endmodule
