// SPDX-License-Identifier: Apache-2.0
// Time of the target behind a byte stream: which of its cycles are evaluated, one clock edge each.
// The rules are those of bridge/verilated/model.hpp, so that cycles and evaluated edges are equal: a cycle below the mark
// is evaluated when a message is due in it or the target is not idle; else the cycle jumps to the mark.
// A cycle takes two clocks: one decides, from what the target shows, and fills a register; in the next one the target's clock
// has its edge, or the cycle jumps.  So nothing but a wire is on the way to the gate of the clock, which has half a clock, the
// target's edges are two clocks apart, and what the target sees stands for two clocks: its paths have as long (fpga.py).
// Responsible for: reset, cycle, edges, what each input has to show.  Not responsible for: messages (board_slot), what
// the outputs sent (board_sender), the gate of the clock (the board's top: one edge behind each clock of fire_o).
`include "gantry_assert.svh"

module board_target #(
  parameter int unsigned Ins = 1,
  parameter bit [2:0] SeedBug = 3'd0,  // formal: 1 message shown twice, 2 outputs lost, 3 message passed by a jump
  localparam int unsigned Sw = Ins > 1 ? $clog2(Ins) : 1
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           attach_i,   // reset of the target; all begins at cycle 0
  // orders, each only while stands_o
  input  logic           run_i,      // run on by arg_i cycles
  input  logic           ask_i,      // give arg_i edges that are no cycles
  input  logic [   31:0] arg_i,
  input  logic           no_skip_i,  // evaluate idle cycles, too
  output logic           stands_o,   // the order is carried out, all is sent and said
  // inputs
  input  logic           load_i,     // input slot_i has a message for the present cycle
  input  logic [ Sw-1:0] slot_i,
  output logic           full_o,     // it has one
  output logic [Ins-1:0] due_o,      // valid of each input at the next edge
  // target
  input  logic           idle_i,
  input  logic           sent_i,     // some output is valid
  output logic           fire_o,     // behind this clock its clock has an edge; a register, never in two clocks on end
  output logic           target_no,  // its reset
  output logic [   63:0] cycle_o,    // the next to be evaluated
  // sender
  input  logic           busy_i,
  output logic           take_o,     // outputs are those of a new edge
  input  logic           marked_i,   // the mark of what is sent is now the last evaluated cycle
  output logic [   31:0] since_o,    // of the last evaluated cycle from that mark, modulo 2^32
  input  logic           told_i,     // edges_o was told
  output logic [   31:0] edges_o,
  output logic           idle_o
);
  logic [1:0] reset_q;   // edges of the reset that are left
  logic [31:0] left_q;   // cycles up to the mark, or edges of a question
  logic more_q;          // there are some
  logic fire_q, step_q, jump_q;  // decided: an edge, one that is a cycle, a jump
  logic asking_q, no_skip_q, started_q, fresh_q;
  logic [63:0] cycle_q, mark_q;
  logic [31:0] last_q, told_q;  // the last evaluated cycle, and the one that the mark of what is sent is
  logic [31:0] since_q, edges_q;
  logic [Ins-1:0] due_q;
  logic quiet, moves, evaluate, jump;

  assign target_no = reset_q == '0;
  assign idle_o    = idle_i && started_q;
  // what the edge before sent is with the sender before the next edge
  assign quiet     = target_no && !fire_q && !jump_q && !busy_i && !(fresh_q && sent_i && SeedBug != 3'd2);
  assign moves     = more_q && quiet;
  assign evaluate  = moves && !asking_q && ((due_q != '0 && SeedBug != 3'd3) || !idle_o || no_skip_q);
  assign jump      = moves && !asking_q && !evaluate;
  assign fire_o    = fire_q;
  assign stands_o  = !more_q && quiet;
  assign full_o    = due_q[slot_i];
  assign due_o     = asking_q ? '0 : due_q;
  assign take_o    = fresh_q;
  assign cycle_o   = cycle_q;
  assign since_o   = since_q;
  assign edges_o   = edges_q;

  always_ff @(posedge clk_i) begin
    fire_q  <= (!target_no && !fire_q) || evaluate || (moves && asking_q);
    step_q  <= evaluate;
    jump_q  <= jump;
    fresh_q <= step_q;
    if (!target_no && fire_q) reset_q <= reset_q - 1'b1;
    if (run_i || ask_i) begin
      left_q    <= arg_i;
      more_q    <= arg_i != '0;
      asking_q  <= ask_i;
      no_skip_q <= no_skip_i;
    end else if (target_no && (fire_q || jump_q)) begin
      left_q <= left_q - 1'b1;
      more_q <= !jump_q && left_q != 32'd1;
    end
    if (run_i) mark_q <= cycle_q + 64'(arg_i);
    if (step_q) cycle_q <= cycle_q + 1'b1;
    else if (jump_q) cycle_q <= mark_q;
    if (marked_i) told_q <= last_q;
    since_q <= last_q - told_q;  // a cycle later, long before the sender has come to it
    if (step_q) begin
      last_q    <= cycle_q[31:0];
      started_q <= 1'b1;
      edges_q   <= edges_q + 1'b1;
    end else if (told_i) begin
      edges_q <= '0;
    end
    if (load_i) due_q[slot_i] <= 1'b1;
    else if (SeedBug == 3'd1 ? step_q && idle_i : step_q || (SeedBug == 3'd3 && jump_q)) due_q <= '0;
    if (attach_i || !rst_ni) begin
      reset_q   <= 2'd2;
      fire_q    <= 1'b0;
      step_q    <= 1'b0;
      jump_q    <= 1'b0;
      more_q    <= 1'b0;
      asking_q  <= 1'b0;
      no_skip_q <= 1'b0;
      started_q <= 1'b0;
      fresh_q   <= 1'b0;
      cycle_q   <= '0;
      told_q    <= '0;
      edges_q   <= '0;
      due_q     <= '0;
    end
  end

  `GANTRY_ASSERT(a_left, `GANTRY_IMPL(moves && !asking_q, cycle_q + 64'(left_q) == mark_q && left_q != '0))
  // an order comes only to a target that stands: no cycle of the one before is lost
  `GANTRY_ASSERT(a_order, `GANTRY_IMPL(run_i || ask_i || load_i, stands_o))
  `GANTRY_ASSERT(a_once, !(run_i && ask_i) && !(load_i && (run_i || ask_i)))
  // the mark is not passed, and the sender tells of no edge that is still to come
  `GANTRY_ASSERT(a_told, `GANTRY_IMPL(told_i || marked_i, !evaluate && !jump && !step_q && !jump_q))
  // a decision is carried out before the next one
  `GANTRY_ASSERT(a_decided, `GANTRY_IMPL(fire_q || jump_q, !stands_o && !moves && !(fire_q && jump_q)))
endmodule
