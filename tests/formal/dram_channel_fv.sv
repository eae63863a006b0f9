// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/l2/dram/dram_channel at a small size (2 banks, each a group, of 2 rows; 2 places; short times that all differ):
// every command keeps its distance from all before it, banks are open or closed as it needs, data do not meet on the bus, every
// access gets one column command, of its own kind, in its own row, reads are answered once.  Accesses come at any time when there
// is room, in any order.  The rules are counted here, by the age of the last command of each kind in each bank.
// Not responsible for: order, age limit, bandwidth, refresh in time (tests/rtl/l2/dram/dram_channel).
`include "gantry_assert.svh"
module dram_channel_fv
  import dram_pkg::*;
#(
  parameter int unsigned Banks = 2,  // or 4
  parameter int unsigned Places = 2
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       ask_i,
  input logic       write_i,
  input logic [2:0] line_i,  // row, bank
  input logic [1:0] id_i
);
  localparam times_t Times = '{
      ratio: 1, tcl: 3, tcwl: 1, trcd: 2, trp: 2, tras: 4, twr: 3, trtp: 2, tccd_s: 1, tccd_l: 2, trrd_s: 1, trrd_l: 2,
      twtr_s: 1, twtr_l: 3, tfaw: 8, trtw: 1, trefi: 48, trfc: 6, trfc_bank: 5, burst: 1
  };
  localparam int unsigned Old = 15, BankBits = $clog2(Banks);

  logic ask, busy, done, idle;
  logic [7:0] done_id;
  cmd_t row, col;
  logic [63:0] cycle_q = 64'd16;  // what never happened lies far behind
  dram_channel #(
    .Times(Times), .Banks(Banks), .Groups(2), .RowLines(1), .BankBit(0), .BankHash(1'b0), .Places(Places), .WriteHigh(2), .WriteLow(1),
    .WriteIdle(1), .WriteAge(2), .Spare(0)
  ) u_dut (
    .clk_i, .rst_ni, .cycle_i(cycle_q), .cmd_valid_i(ask), .cmd_write_i(write_i), .cmd_line_i(32'(line_i[BankBits:0])),
    .cmd_id_i(8'(id_i)), .done_valid_o(done), .done_id_o(done_id), .busy_o(busy), .taken_o(), .row_cmd_o(row), .col_cmd_o(col),
    .row_hits_o(), .row_misses_o(), .refreshes_o(), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [Banks-1:0][3:0] activated_q, precharged_q, read_q, written_q, refreshed_q;  // ages
  logic [Banks-1:0] open_q, unsure_q, row_q;  // unsure: at rest it may have been refreshed unseen
  logic [6:0] activates_q;                    // in the last cycles, the newest in bit 0
  logic [3:0] bus_q;                          // cycles until the data bus is free
  logic was_read_q;
  logic [4*Banks-1:0][2:0] wanted_q;          // accesses without a command: write, row, bank
  logic [3:0] owed_q;                         // reads without an answer, by id
  logic reads, writes, acts, pres, refs;
  logic [BankBits-1:0] cb, rb;
  logic [BankBits+1:0] served, asked;
  logic [2:0] recent;
  assign ask    = ask_i && started && !busy && (write_i || !owed_q[id_i]);
  assign reads  = col.kind == CmdRead;
  assign writes = col.kind == CmdWrite;
  assign acts   = row.kind == CmdActivate;
  assign pres   = row.kind == CmdPrecharge;
  assign refs   = row.kind == CmdRefresh;
  assign cb     = BankBits'(col.bank);
  assign rb     = BankBits'(row.bank);
  assign served = {writes, row_q[cb], cb};
  assign asked  = {write_i, line_i[BankBits:0]};
  assign recent = 3'(activates_q[0]) + 3'(activates_q[1]) + 3'(activates_q[2]) + 3'(activates_q[3]) + 3'(activates_q[4]) +
                  3'(activates_q[5]) + 3'(activates_q[6]);

  function automatic logic [3:0] older(input logic [3:0] age, input logic now);
    return now ? 4'd1 : age == 4'(Old) ? age : age + 4'd1;
  endfunction

  logic conflict_q, both_q, refreshed_once_q;
  always_ff @(posedge clk_i) begin
    started     <= 1'b1;
    cycle_q     <= cycle_q + 64'd1;
    activates_q <= {activates_q[5:0], acts};
    bus_q       <= reads ? 4'(Times.tcl + Times.burst - 1) : writes ? 4'(Times.tcwl + Times.burst - 1) : bus_q == '0 ? '0 : bus_q - 4'd1;
    was_read_q  <= reads || (was_read_q && !writes);
    owed_q      <= (owed_q & ~(4'(done) << done_id[1:0])) | (4'(ask && !write_i) << id_i);
    for (int unsigned b = 0; b < Banks; b++) begin
      activated_q[b]  <= older(activated_q[b], acts && rb == BankBits'(b));
      precharged_q[b] <= older(precharged_q[b], pres && rb == BankBits'(b));
      refreshed_q[b]  <= older(refreshed_q[b], refs && rb == BankBits'(b));
      read_q[b]       <= older(read_q[b], reads && cb == BankBits'(b));
      written_q[b]    <= older(written_q[b], writes && cb == BankBits'(b));
      unsure_q[b]     <= idle || (unsure_q[b] && !((acts || pres || refs) && rb == BankBits'(b)) && !((reads || writes) && cb == BankBits'(b)));
    end
    for (int unsigned w = 0; w < 4 * Banks; w++) begin
      wanted_q[w] <= wanted_q[w] + 3'(ask && asked == (BankBits + 2)'(w)) - 3'((reads || writes) && served == (BankBits + 2)'(w));
    end
    if (acts) row_q[rb] <= row.row[0];
    if (acts || pres || refs) open_q[rb] <= acts;
    if (pres && wanted_q != '0) conflict_q <= 1'b1;
    if (reads && written_q[cb] != 4'(Old)) both_q <= 1'b1;
    if (refs) refreshed_once_q <= 1'b1;
    if (!rst_ni) begin
      for (int unsigned b = 0; b < Banks; b++) begin
        activated_q[b]  <= 4'(Old);
        precharged_q[b] <= 4'(Old);
        refreshed_q[b]  <= 4'(Old);
        read_q[b]       <= 4'(Old);
        written_q[b]    <= 4'(Old);
      end
      wanted_q         <= '0;
      open_q           <= '0;
      unsure_q         <= '0;
      row_q            <= '0;
      activates_q      <= '0;
      bus_q            <= '0;
      was_read_q       <= 1'b0;
      owed_q           <= '0;
      conflict_q       <= 1'b0;
      both_q           <= 1'b0;
      refreshed_once_q <= 1'b0;
    end
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end

`ifndef REACH
  // ---- column bus
  localparam int unsigned Written = Times.tcwl + Times.burst;
  `GANTRY_ASSERT(a_column, col.kind == CmdNone || reads || writes)
  `GANTRY_ASSERT(a_open, `GANTRY_IMPL(reads || writes, open_q[cb]))
  `GANTRY_ASSERT(a_trcd, `GANTRY_IMPL(reads || writes, activated_q[cb] >= 4'(Times.trcd)))
  `GANTRY_ASSERT(a_bus_read, `GANTRY_IMPL(reads, bus_q <= 4'(Times.tcl)))
  `GANTRY_ASSERT(a_bus_write, `GANTRY_IMPL(writes, bus_q + (was_read_q && bus_q != '0 ? 4'(Times.trtw) : 4'd0) <= 4'(Times.tcwl)))
  `GANTRY_ASSERT(a_asked, `GANTRY_IMPL(reads || writes, wanted_q[served] != '0))
  for (genvar b = 0; b < Banks; b++) begin : gen_column
    `GANTRY_ASSERT(a_tccd_read, `GANTRY_IMPL(reads, read_q[b] >= (cb[0] == b[0] ? 4'(Times.tccd_l) : 4'(Times.tccd_s))))
    `GANTRY_ASSERT(a_tccd_write, `GANTRY_IMPL(writes, written_q[b] >= (cb[0] == b[0] ? 4'(Times.tccd_l) : 4'(Times.tccd_s))))
    `GANTRY_ASSERT(a_twtr, `GANTRY_IMPL(reads, written_q[b] >= 4'(Written) + (cb[0] == b[0] ? 4'(Times.twtr_l) : 4'(Times.twtr_s))))
    `GANTRY_ASSERT(a_trrd, `GANTRY_IMPL(acts, activated_q[b] >= (rb[0] == b[0] ? 4'(Times.trrd_l) : 4'(Times.trrd_s))))
  end
  // ---- row bus
  `GANTRY_ASSERT(a_row, row.kind == CmdNone || acts || pres || refs)
  `GANTRY_ASSERT(a_closed, `GANTRY_IMPL(acts || refs, !open_q[rb] || unsure_q[rb]))
  `GANTRY_ASSERT(a_trp, `GANTRY_IMPL(acts || refs, precharged_q[rb] >= 4'(Times.trp)))
  `GANTRY_ASSERT(a_trc, `GANTRY_IMPL(acts, activated_q[rb] >= 4'(Times.tras + Times.trp)))
  `GANTRY_ASSERT(a_trfc, `GANTRY_IMPL(acts || refs, refreshed_q[rb] >= 4'(Times.trfc_bank)))
  `GANTRY_ASSERT(a_tfaw, `GANTRY_IMPL(acts, recent < 3'd4))
  `GANTRY_ASSERT(a_precharge, `GANTRY_IMPL(pres, open_q[rb] && activated_q[rb] >= 4'(Times.tras) && read_q[rb] >= 4'(Times.trtp) &&
                                                written_q[rb] >= 4'(Written + Times.twr)))
  // ---- answers
  `GANTRY_ASSERT(a_done, `GANTRY_IMPL(done, owed_q[done_id[1:0]] && done_id[7:2] == '0))
  `GANTRY_ASSERT(a_idle, `GANTRY_IMPL(idle, owed_q == '0 && wanted_q == '0))
`else  // must fail: a row closed for another, a read behind a write of its bank, and a refresh
  `GANTRY_ASSERT(c_all, !(conflict_q && both_q && refreshed_once_q))
`endif
endmodule
