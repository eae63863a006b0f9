// SPDX-License-Identifier: Apache-2.0
// Page-move engine, the side that gets a page: counts the lines of each page that comes (a slot a page) and reports it
// when all lines that the host has told of are in DRAM, with the flags that came with them and their checksum.
// Responsible for: counts, checksum, report.  Not responsible for: the way of the lines into DRAM (rdma: stores of this
// GPU's slices, written through and answered when DRAM has them), which slot a page has (the host: one that no page
// has).
//
// Lines may come before the host's command, since both travel on links of their own.  A command of no lines gives a
// slot up: it is reported at once with what came; the host sends it when the other side has reported, so nothing comes
// for it any more.  A discard ends all slots: those that the host has told of are reported with MOVE_DISCARDED.
`include "gantry_assert.svh"

module rdma_store
  import gantry_msg_pkg::*;
  import rdma_move_pkg::*;
#(
  parameter int unsigned Slots = 8,   // power of two, 2 or more
  parameter bit [2:0] SeedBug = 3'd0  // bench only: 1 reported a line early, 2 other flags, 3 a sum is not cleared
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [63:0]       cycle_i,
  output logic              idle_o,
  // a page is to come
  input  logic              expect_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // padding, and what only other messages use
  input  ctl_move_t         expect_i,
  // a line enters an own slice; it is in DRAM
  input  logic              line_valid_i,
  input  mem_move_t         line_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic              stored_valid_i,
  input  logic [ 7:0]       stored_slot_i,
  input  logic              stored_fault_i,
  input  logic              discard_i,
  // report
  output logic              done_valid_o,
  output move_evt_t         done_o,
  input  logic              done_ready_i
);
  localparam int unsigned Sw = $clog2(Slots);
  typedef logic [Sw-1:0] slot_t;

  logic [Slots-1:0] told_q;   // the host has told of it
  logic [Slots-1:0] begun_q;  // a line of it came
  logic [15:0] id_q[Slots];
  logic [Slots-1:0][15:0] flags_q;
  move_lines_t lines_q[Slots], stored_q[Slots];
  logic [7:0] status_q[Slots];
  logic [63:0] sum_q[Slots], start_q[Slots];
  logic [Slots-1:0] over;
  slot_t turn, line_slot, stored_slot, told_slot;
  logic reports;

  assign line_slot   = slot_t'(line_i.slot);
  assign stored_slot = slot_t'(stored_slot_i);
  assign told_slot   = slot_t'(expect_i.slot);
  for (genvar s = 0; s < int'(Slots); s++) begin : gen_over
    assign over[s] = told_q[s] && (status_q[s] == MOVE_DISCARDED || lines_q[s] == '0 ||
                                stored_q[s] + move_lines_t'(SeedBug == 3'd1) == lines_q[s]);
  end
  assign turn    = slot_t'(pick_pkg::first64(64'(over)));
  assign reports = over != '0 && (!done_valid_o || done_ready_i);

  always_ff @(posedge clk_i) begin
    if (expect_valid_i || line_valid_i || stored_valid_i || told_q != '0 || begun_q != '0 || done_valid_o ||
        !rst_ni) begin
      // ---- report
      if (done_ready_i) done_valid_o <= 1'b0;
      if (reports) begin
        done_valid_o <= 1'b1;
        done_o <= '{kind: CP_EVT_STORED, status: status_q[turn], move: id_q[turn],
                    flags: flags_q[turn ^ slot_t'(SeedBug == 3'd2)], slot: 8'(turn), lines: 16'(stored_q[turn]),
                    checksum: sum_q[turn], start: start_q[turn], end_: cycle_i, default: '0};
        told_q[turn]   <= 1'b0;
        begun_q[turn]  <= 1'b0;
        stored_q[turn] <= '0;
        status_q[turn] <= MOVE_OK;
        flags_q[turn]  <= '0;
        if (SeedBug != 3'd3) sum_q[turn] <= '0;
      end
      // ---- lines
      if (stored_valid_i) begin
        stored_q[stored_slot] <= stored_q[stored_slot] + 1'b1;
        if (stored_fault_i) status_q[stored_slot] <= MOVE_FAULT;
      end
      if (line_valid_i) begin
        begun_q[line_slot] <= 1'b1;
        flags_q[line_slot] <= 16'(line_i.flags);
        sum_q[line_slot]   <= sum_q[line_slot] + checksum_share(line_i.data, 10'(line_i.line));
        if (!begun_q[line_slot]) start_q[line_slot] <= cycle_i;
      end
      // ---- the host tells
      if (expect_valid_i) begin
        told_q[told_slot]  <= 1'b1;
        id_q[told_slot]    <= expect_i.move;
        lines_q[told_slot] <= move_lines_t'(expect_i.lines);
        if (!begun_q[told_slot]) start_q[told_slot] <= cycle_i;
      end
      if (discard_i) begin
        for (int unsigned s = 0; s < Slots; s++) begin
          stored_q[s] <= '0;
          sum_q[s]    <= '0;
          flags_q[s]  <= '0;
          status_q[s] <= told_q[s] && !(reports && turn == slot_t'(s)) ? MOVE_DISCARDED : MOVE_OK;
        end
        begun_q <= '0;
      end
    end
    if (!rst_ni) begin
      {told_q, begun_q, done_valid_o} <= '0;
      for (int unsigned s = 0; s < Slots; s++) begin
        stored_q[s] <= '0;
        sum_q[s]    <= '0;
        flags_q[s]  <= '0;
        status_q[s] <= MOVE_OK;
      end
    end
  end
  assign idle_o = over == '0 && !done_valid_o;

  // ---- assertions
  `GANTRY_ASSERT(a_told, `GANTRY_IMPL(expect_valid_i, 32'(expect_i.slot) < Slots &&
                                      (!told_q[told_slot] || expect_i.lines == 16'd0) && !discard_i))
  `GANTRY_ASSERT(a_most, `GANTRY_IMPL(expect_valid_i, expect_i.lines <= 16'(MoveLinesMost)))
  `GANTRY_ASSERT(a_line, `GANTRY_IMPL(line_valid_i, 32'(line_i.slot) < Slots && line_i.line < 16'(MoveLinesMost) &&
                                      line_i.source == MoveSource))
  // all lines of a page have its flags
  `GANTRY_ASSERT(a_flags, `GANTRY_IMPL(line_valid_i && begun_q[line_slot], flags_q[line_slot] == 16'(line_i.flags)))
  `GANTRY_ASSERT(a_stored, `GANTRY_IMPL(stored_valid_i, 32'(stored_slot_i) < Slots && begun_q[stored_slot]))
endmodule
