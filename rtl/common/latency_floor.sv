// SPDX-License-Identifier: Apache-2.0
// Lower limit of a latency: reports of completion that come before their time wait here, all others pass in the cycle in
// which they come.  One report leaves a cycle, so several may wait and none slows the unit down that sends them.  Those
// that wait leave in the order in which they came; one that passes overtakes them, but none of its own key (wavefront).
// Nothing is evaluated while nothing waits.
// Responsible for: when reports leave, and that order.  Not responsible for: how long a report has to wait (the unit knows
// since when its instruction is under way), overflow (senders look at ready_o).
`include "gantry_assert.svh"

module latency_floor #(
  parameter int unsigned Width = 14,
  parameter int unsigned KeyW = 6,
  parameter int unsigned Depth = 64,  // reports that can wait, power of two
  parameter int unsigned Spare = 1,  // reports that may still come in the cycles after ready_o has fallen
  parameter int unsigned TimeW = 10,  // waits, with what passing reports add to them, are below 2^(TimeW-1) cycles
  // tests only: 1 a cycle early, 2 lost to one that passes, 3 wrong word, 4 overtakes its own key
  parameter bit [2:0] SeedBug = 3'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             valid_i,
  input  logic [TimeW-2:0] rest_i,   // cycles that this report still has to wait; 0: its time has come
  input  logic [ KeyW-1:0] key_i,
  input  logic [Width-1:0] data_i,
  output logic             ready_o,  // room for a report in this cycle and Spare in the next ones
  output logic             valid_o,
  output logic [Width-1:0] data_o,
  output logic             idle_o    // nothing waits
);
  localparam int unsigned Pw = $clog2(Depth);
  localparam int unsigned Keys = 1 << KeyW;

  logic pass;  // the report of this cycle leaves in it
  logic due_q;  // head_q leaves, unless another report passes in that cycle
  /* verilator lint_off UNUSEDSIGNAL */
  logic full_q;  // only the assertion reads it
  /* verilator lint_on UNUSEDSIGNAL */
  logic [Width-1:0] head_q;
  logic [Keys-1:0] waiting_q;  // keys of which some report waits

  assign pass    = valid_i && rest_i == '0 && (!waiting_q[key_i] || SeedBug == 3'd4);
  assign valid_o = pass || due_q;
  assign data_o  = pass ? data_i : head_q;

  /* verilator lint_off BLKSEQ */
  typedef struct packed {
    logic [TimeW-1:0] due;  // in cycles of `now`, which counts only while something waits
    logic [Width-1:0] data;
  } report_t;
  // Written with `<=`, so that it is a memory on an FPGA: what comes in this cycle is not in it yet.
  report_t report[Depth];
  logic [KeyW-1:0] key[Depth];
  logic [TimeW-1:0] now, left, due_new;
  logic only;  // the report of this cycle is the first of those that wait
  logic [Pw-1:0] read, write;
  logic [Pw:0] count, waits[Keys];
  logic [Keys-1:0] waiting;

  always_ff @(posedge clk_i) begin
    if (valid_i || count != '0 || !rst_ni) begin
      now  = now + 1'b1;  // the cycle that begins
      only = 1'b0;
      if (due_q && (!pass || SeedBug == 3'd2)) begin
        waits[key[read]] = waits[key[read]] - 1'b1;
        if (waits[key[read]] == '0) waiting[key[read]] = 1'b0;
        read  = read + 1'b1;
        count = count - 1'b1;
      end
      if (valid_i && !pass) begin
        due_new        = now + TimeW'(rest_i) - TimeW'(SeedBug == 3'd1 ? 2 : 1);
        only           = count == '0;
        report[write]  <= '{due: due_new, data: data_i};
        key[write]     = key_i;
        waits[key_i]   = waits[key_i] + 1'b1;
        waiting[key_i] = 1'b1;
        write = write + 1'b1;
        count = count + 1'b1;
      end
      left    = (only ? due_new : report[read].due) - now;  // negative: its time came while others left
      due_q   <= count != '0 && (left == '0 || left[TimeW-1]);
      head_q  <= only && SeedBug != 3'd3 ? data_i : report[SeedBug == 3'd3 ? '0 : read].data;
      idle_o  <= count == '0;
      ready_o <= count < (Pw + 1)'(Depth - Spare);
      full_q  <= count == (Pw + 1)'(Depth);
      waiting_q <= waiting;
      if (!rst_ni) begin
        read    = '0;
        write   = '0;
        count   = '0;
        now     = '0;
        waiting = '0;
        for (int unsigned k = 0; k < Keys; k++) waits[k] = '0;
        due_q     <= 1'b0;
        idle_o    <= 1'b1;
        ready_o   <= 1'b1;
        full_q    <= 1'b0;
        waiting_q <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(valid_i && !pass, !full_q))
  `GANTRY_ASSERT(a_due, `GANTRY_IMPL(due_q, !idle_o))
endmodule
