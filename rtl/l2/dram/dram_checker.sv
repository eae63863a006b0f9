// SPDX-License-Identifier: Apache-2.0
// The protocol of a DRAM as its standard tells it: the distance of every pair of commands, what state a bank must be in,
// that bursts do not meet on the data bus, that every bank is refreshed in time.  Assertions only.  It remembers when each
// command last went to each bank and takes differences; the controller counts forward to what it may do next: an error
// in one is not an error in the other.  Not responsible for: which access is served (dram_channel).
`include "gantry_assert.svh"

module dram_checker
  import dram_pkg::*;
#(
  parameter times_t Times = Hbm1,
  parameter int unsigned Banks = 16,
  parameter int unsigned Groups = 4
) (
  input logic clk_i,
  input logic rst_ni,
  input logic [63:0] cycle_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input cmd_t row_cmd_i,
  input cmd_t col_cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input logic rested_i  // an access woke the channel: a bank may have been refreshed, and is closed then
);
`ifdef GANTRY_NO_ASSERT
`elsif GANTRY_FORMAL  // proofs count on their own
`else
  localparam bit ByBank = Times.trfc_bank != 0;
  localparam int unsigned Written = Times.tcwl + Times.burst;  // from command to the end of its data
  localparam int unsigned Rests = ByBank ? Times.trfc_bank : Times.trfc;
  // an interval, the bank's neighbour in turn, and what it takes to close
  localparam int unsigned Latest = Times.trefi + (ByBank ? Times.trefi / Banks : Banks) + close_clocks(Times);
  localparam longint unsigned Before = 64'd1 << 32;  // times begin there: what never happened lies far behind

  /* verilator lint_off BLKSEQ */
  longint unsigned activated[Banks], precharged[Banks], read[Banks], written[Banks], refreshed[Banks], fourth[4];
  longint unsigned fresh[Banks];  // begin of its last refresh, seen or, while the channel rested, not
  longint unsigned now, bus_from, bus_until, clock;
  logic open[Banks], unsure[Banks], same, was_read, rested;
  int unsigned b;

  // `since` lies at least so many memory cycles back
  function automatic logic after(input longint unsigned t, input longint unsigned since, input int unsigned clocks);
    return t >= since + 64'(clocks * Times.ratio);
  endfunction

  always_ff @(posedge clk_i) begin
    now = cycle_i + Before;
    if (col_cmd_i.kind != CmdNone || row_cmd_i.kind != CmdNone) begin
      `GANTRY_CHECK(a_clock, after(now, clock, 1))
      clock = now;
    end
    // ---- column bus
    if (col_cmd_i.kind != CmdNone) begin
      b = 32'(col_cmd_i.bank);
      `GANTRY_CHECK(a_column, col_cmd_i.kind == CmdRead || col_cmd_i.kind == CmdWrite)
      `GANTRY_CHECK(a_open, open[b])
      `GANTRY_CHECK(a_trcd, after(now, activated[b], Times.trcd))
      for (int unsigned o = 0; o < Banks; o++) begin
        same = o % Groups == b % Groups;
        if (col_cmd_i.kind == CmdRead) begin
          `GANTRY_CHECK(a_tccd_read, after(now, read[o], same ? Times.tccd_l : Times.tccd_s))
          `GANTRY_CHECK(a_twtr, after(now, written[o], Written + (same ? Times.twtr_l : Times.twtr_s)))
        end else begin
          `GANTRY_CHECK(a_tccd_write, after(now, written[o], same ? Times.tccd_l : Times.tccd_s))
        end
      end
      bus_from = now + (col_cmd_i.kind == CmdRead ? 64'(Times.tcl * Times.ratio) : 64'(Times.tcwl * Times.ratio));
      `GANTRY_CHECK(a_bus, after(bus_from, bus_until, was_read && col_cmd_i.kind == CmdWrite ? Times.trtw : 0))
      bus_until = bus_from + 64'(Times.burst * Times.ratio);
      was_read  = col_cmd_i.kind == CmdRead;
      `GANTRY_CHECK(a_refreshed, !after(now, fresh[b], Latest))
      unsure[b] = 1'b0;
      if (was_read) read[b] = now;
      else written[b] = now;
    end
    // ---- row bus
    if (row_cmd_i.kind == CmdActivate) begin
      b = 32'(row_cmd_i.bank);
      `GANTRY_CHECK(a_closed, !open[b] || unsure[b])
      `GANTRY_CHECK(a_trp, after(now, precharged[b], Times.trp))
      `GANTRY_CHECK(a_trc, after(now, activated[b], Times.tras + Times.trp))
      `GANTRY_CHECK(a_trfc, after(now, refreshed[b], Rests))
      for (int unsigned o = 0; o < Banks; o++)
        `GANTRY_CHECK(a_trrd, after(now, activated[o], o % Groups == b % Groups ? Times.trrd_l : Times.trrd_s))
      `GANTRY_CHECK(a_tfaw, after(now, fourth[0], Times.tfaw))
      fourth[0] = fourth[1];
      fourth[1] = fourth[2];
      fourth[2] = fourth[3];
      fourth[3] = now;
      activated[b] = now;
      open[b]      = 1'b1;
      unsure[b]    = 1'b0;
    end else if (row_cmd_i.kind == CmdPrecharge) begin
      b = 32'(row_cmd_i.bank);
      `GANTRY_CHECK(a_precharge_open, open[b])
      `GANTRY_CHECK(a_tras, after(now, activated[b], Times.tras))
      `GANTRY_CHECK(a_trtp, after(now, read[b], Times.trtp))
      `GANTRY_CHECK(a_twr, after(now, written[b], Written + Times.twr))
      precharged[b] = now;
      open[b]       = 1'b0;
    end else if (row_cmd_i.kind != CmdNone) begin
      `GANTRY_CHECK(a_row, row_cmd_i.kind == CmdRefresh || row_cmd_i.kind == CmdRefreshAll)
      for (int unsigned o = 0; o < Banks; o++) begin
        if (o == 32'(row_cmd_i.bank) || row_cmd_i.kind == CmdRefreshAll) begin
          `GANTRY_CHECK(a_refresh_closed, !open[o] || unsure[o])
          `GANTRY_CHECK(a_refresh_trp, after(now, precharged[o], Times.trp))
          `GANTRY_CHECK(a_refresh_again, after(now, refreshed[o], Rests))
          `GANTRY_CHECK(a_refresh_in_time, !after(now, fresh[o], Latest))
          refreshed[o] = now;
          fresh[o]     = now;
          open[o]      = 1'b0;
        end
      end
    end
    if (rested_i || rested) begin  // the last time when the channel is at work again
      for (int unsigned o = 0; o < Banks; o++) begin
        unsure[o] = unsure[o] || rested_i;
        fresh[o]  = now;
      end
    end
    rested = rested_i;
    if (!rst_ni) begin
      for (int unsigned o = 0; o < Banks; o++) begin
        activated[o]  = 64'd0;
        precharged[o] = 64'd0;
        read[o]       = 64'd0;
        written[o]    = 64'd0;
        refreshed[o]  = 64'd0;
        fresh[o]      = now;
        open[o]       = 1'b0;
        unsure[o]     = 1'b0;
      end
      for (int unsigned i = 0; i < 4; i++) fourth[i] = 64'd0;
      bus_until = 64'd0;
      was_read  = 1'b0;
      rested    = 1'b0;
      clock     = 64'd0;
    end
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
