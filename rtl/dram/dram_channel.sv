// SPDX-License-Identifier: Apache-2.0
// Timing of one DRAM channel: banks with one open row each, activate, precharge, column access, data bus, refresh.
// Responsible for: when a read's data is there, and how much work is queued.  Not responsible for: contents (the
// backing store behind the slice), order of accesses to one line (they take effect in the order of the slice).
//
// A command is placed at once: its bank and the data bus are reserved from the first moment they allow it (in order
// on the bus, banks overlap).  All times are GPU cycles; Ratio of them make a memory cycle.  A refresh that falls due
// while nothing is asked happens unseen and closes the rows; one that falls due under load blocks all banks.
`include "gantry_assert.svh"

module dram_channel #(
  parameter int unsigned Banks = 16,     // power of two
  parameter int unsigned RowLines = 32,  // 64-byte lines of a row, power of two
  parameter int unsigned Ratio = 2,
  parameter int unsigned Tcl = 7,
  parameter int unsigned Tcwl = 2,
  parameter int unsigned Trcd = 7,
  parameter int unsigned Trp = 7,
  parameter int unsigned Tras = 17,
  parameter int unsigned Twr = 8,
  parameter int unsigned Trefi = 1950,
  parameter int unsigned Trfc = 130,
  parameter int unsigned Burst = 2,
  parameter int unsigned Queue = 64,     // reads under way, power of two
  parameter int unsigned Window = 24,    // lines queued on the bus from which on busy_o asks the sender to pause
  parameter bit [1:0] SeedFault = 2'd0   // bench only: 1 row conflicts cost nothing, 2 no refresh
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] cycle_i,
  input  logic        cmd_valid_i,
  input  logic        cmd_write_i,
  input  logic [31:0] cmd_line_i,        // line number within this channel
  input  logic [ 7:0] cmd_id_i,
  output logic        done_valid_o,      // data of a read is there
  output logic [ 7:0] done_id_o,
  output logic        busy_o,
  output logic [63:0] row_hits_o,
  output logic [63:0] row_misses_o,
  output logic [63:0] refreshes_o,
  output logic        idle_o
);
  localparam int unsigned ColBits = $clog2(RowLines);
  localparam int unsigned BankBits = $clog2(Banks);
  localparam logic [31:0] BankMask = 32'(Banks - 1);
  localparam logic [63:0] WriteDelay = 64'(Tcwl * Ratio);
  localparam logic [63:0] ReadDelay = 64'(Tcl * Ratio);
  localparam logic [63:0] RefreshEvery = 64'(Trefi * Ratio);

  /* verilator lint_off BLKSEQ */
  logic [31:0] open_row[Banks];    // row + 1; 0: closed
  logic [63:0] column_at[Banks];   // next column access
  logic [63:0] precharge_at[Banks];
  /* verilator lint_off UNUSEDSIGNAL */
  logic [63:0] opened_at[Banks];   // when the bank's row was activated; only assertions read it
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] bus_free, next_refresh, blocked;
  logic [63:0] start, column, data;
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [31:0] bank, row, above;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [63:0] due[Queue];
  logic [31:0] due_id[Queue];
  logic [31:0] first, count;
  logic answered, busy, rests;

  function automatic logic [63:0] later(input logic [63:0] a, input logic [63:0] b);
    return a > b ? a : b;
  endfunction

  // nothing is looked at while the channel rests and no command comes
  always_ff @(posedge clk_i) begin
    if (!rests || cmd_valid_i || !rst_ni) begin
      // ---- reads whose time has come
      answered = count != 32'd0 && due[first] <= cycle_i;
      if (answered) begin
        done_id_o <= due_id[first][7:0];
        first = (first + 32'd1) & (Queue - 1);
        count = count - 32'd1;
      end
      done_valid_o <= answered;
      // ---- place a command
      if (cmd_valid_i) begin
        if (cycle_i >= next_refresh) begin
          refreshes_o <= refreshes_o + 64'd1;
          for (int unsigned b = 0; b < Banks; b++) open_row[b] = 32'd0;
          blocked      = cycle_i >= next_refresh + RefreshEvery || SeedFault == 2'd2 ? blocked
                         : later(next_refresh, bus_free) + 64'(Trfc * Ratio);
          next_refresh = cycle_i >= next_refresh + RefreshEvery ? cycle_i + RefreshEvery : next_refresh + RefreshEvery;
        end
        above = cmd_line_i >> ColBits;
        row   = above >> BankBits;
        bank  = (above ^ row) & BankMask;
        start = later(cycle_i, blocked);
        if (open_row[bank] == row + 32'd1) begin
          row_hits_o <= row_hits_o + 64'd1;
          column = later(start, column_at[bank]);
        end else begin
          row_misses_o <= row_misses_o + 64'd1;
          if (open_row[bank] != 32'd0 && SeedFault != 2'd1) start = later(start, precharge_at[bank]) + 64'(Trp * Ratio);
          // a bank is activated again when its row was open for tRAS and its precharge has taken tRP
          `GANTRY_CHECK(a_trc, open_row[bank] == 32'd0
                               || start >= opened_at[bank] + 64'(Tras * Ratio) + 64'(Trp * Ratio))
          opened_at[bank]    = start;
          column             = start + 64'(Trcd * Ratio);
          precharge_at[bank] = start + 64'(Tras * Ratio);
          open_row[bank]     = row + 32'd1;
        end
        data     = later(column + (cmd_write_i ? WriteDelay : ReadDelay), bus_free);
        column   = data - (cmd_write_i ? WriteDelay : ReadDelay);
        `GANTRY_CHECK(a_open, open_row[bank] == row + 32'd1 && column >= opened_at[bank] + 64'(Trcd * Ratio))
        `GANTRY_CHECK(a_refreshing, column >= blocked && column >= cycle_i)
        `GANTRY_CHECK(a_bus, data >= bus_free)  // bursts follow each other
        bus_free = data + 64'(Burst * Ratio);
        column_at[bank]    = column + 64'(Burst * Ratio);
        precharge_at[bank] = later(precharge_at[bank], cmd_write_i ? bus_free + 64'(Twr * Ratio) : column_at[bank]);
        if (!cmd_write_i) begin
          `GANTRY_CHECK(a_room, count < Queue)
          due[(first+count)&(Queue-1)]    = bus_free;
          due_id[(first+count)&(Queue-1)] = 32'(cmd_id_i);
          count                           = count + 32'd1;
        end
      end
      busy   = bus_free > cycle_i + 64'(Window * Burst * Ratio);
      busy_o <= busy;
      rests  = count == 32'd0 && !answered && !busy;
      idle_o <= rests;
      if (!rst_ni) begin
        for (int unsigned b = 0; b < Banks; b++) begin
          open_row[b]     = 32'd0;
          column_at[b]    = 64'd0;
          precharge_at[b] = 64'd0;
        end
        bus_free     = 64'd0;
        blocked      = 64'd0;
        next_refresh = RefreshEvery;
        first        = 32'd0;
        count        = 32'd0;
        done_valid_o <= 1'b0;
        busy_o       <= 1'b0;
        idle_o       <= 1'b1;
        row_hits_o   <= 64'd0;
        row_misses_o <= 64'd0;
        refreshes_o  <= 64'd0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
