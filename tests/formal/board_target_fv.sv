// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/board/board_target around a toy target that is idle and sends as it likes, a parser and a sender as slow as they like:
// a message is at the input in its cycle, once, and in no other; no edge comes while what the last one sent is not with the sender; a jump ends at
// the mark and passes no message; cycles, edges and the distance of what was sent are counted.  Edges are two clocks apart, and what the target
// sees stands as long before each.
`include "gantry_assert.svh"
module board_target_fv #(
  parameter int unsigned Ins = 2,
  parameter bit [2:0] SeedBug = 3'd0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        run_i,
  input logic        ask_i,
  input logic        load_i,
  input logic        slot_i,
  input logic [31:0] arg_i,
  input logic        no_skip_i,
  input logic        told_i,
  input logic        done_i,   // the sender is through
  input logic        idle_i,   // what the next edge makes of the target
  input logic        sends_i,
  input logic        pick_i    // which input is followed: free, but constant
);
  logic stands, full, fire, target_n, take, marked, busy, idle;
  logic [Ins-1:0] due;
  logic [63:0] cycle;
  logic [31:0] since, edges;
  logic idle_q, sent_q, busy_q, asking_q;
  board_target #(.Ins(Ins), .SeedBug(SeedBug)) u_dut (
    .clk_i, .rst_ni, .attach_i(1'b0), .run_i, .ask_i, .arg_i, .no_skip_i, .stands_o(stands), .load_i, .slot_i, .full_o(full), .due_o(due),
    .idle_i(idle_q), .sent_i(sent_q), .fire_o(fire), .target_no(target_n), .cycle_o(cycle), .busy_i(busy_q), .take_o(take), .marked_i(marked),
    .since_o(since), .told_i, .edges_o(edges), .idle_o(idle));

  logic started = 1'b0;
  logic pick_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
  end
  always_comb m_reset : assume (rst_ni == started);
  always_comb if (started) m_pick : assume (pick_i == pick_q);
  // the parser gives one order, when the one before is done; the sender tells while nothing moves
  `GANTRY_ASSUME(m_order, `GANTRY_IMPL(run_i || ask_i || load_i, stands && 2'(run_i) + 2'(ask_i) + 2'(load_i) == 2'd1))
  `GANTRY_ASSUME(m_full, `GANTRY_IMPL(load_i, !full))
  `GANTRY_ASSUME(m_told, `GANTRY_IMPL(told_i, stands && !run_i && !ask_i && !load_i))
  `GANTRY_ASSUME(m_arg, arg_i < 32'd16)

  // ---- toy target, toy sender
  assign marked = busy_q && done_i;
  always_ff @(posedge clk_i) begin
    if (fire) begin
      idle_q <= idle_i;
      sent_q <= sends_i && target_n;
    end
    if (take && sent_q) busy_q <= 1'b1;
    else if (done_i) busy_q <= 1'b0;
    if (run_i || ask_i) asking_q <= ask_i;
    if (!rst_ni) begin
      busy_q   <= 1'b0;
      sent_q   <= 1'b0;
      asking_q <= 1'b0;
    end
  end

  // ---- what should be
  logic evaluates, pend_q, unsent_q, moved_q, ever_q;
  logic [63:0] pend_cycle_q, mark_q, last_q, told_mark_q, cycle_q;
  logic [31:0] edges_q;
  logic [2:0] seen_q;  // shown behind a jump, sent, asked
  logic fire_q, target_nq;
  logic [Ins-1:0] due_q;
  assign evaluates = fire && target_n && !asking_q;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle;
    fire_q  <= fire;
    {due_q, target_nq} <= {due, target_n};
    moved_q <= evaluates;
    if (load_i && slot_i == pick_i) begin
      pend_q       <= 1'b1;
      pend_cycle_q <= cycle;
    end else if (evaluates) begin
      pend_q <= 1'b0;
    end
    if (run_i) mark_q <= mark_q + 64'(arg_i);
    if (evaluates) begin
      last_q   <= cycle;
      ever_q   <= 1'b1;
      unsent_q <= sends_i;
      edges_q  <= edges_q + 32'd1;
    end else if (told_i) begin
      edges_q <= '0;
    end
    if (marked) begin
      unsent_q    <= 1'b0;
      told_mark_q <= last_q;
    end
    if (evaluates && due[pick_i] && seen_q[1]) seen_q[0] <= 1'b1;
    if (cycle > cycle_q + 64'd1) seen_q[1] <= 1'b1;
    if (marked) seen_q[2] <= 1'b1;
    if (!rst_ni) begin
      {pend_q, unsent_q, moved_q, ever_q, fire_q, target_nq} <= '0;
      due_q <= '0;
      {mark_q, last_q, told_mark_q, edges_q, cycle_q} <= '0;
      seen_q <= '0;
    end
  end
  `GANTRY_ASSERT(a_shown, `GANTRY_IMPL(evaluates, due[pick_i] == pend_q))
  `GANTRY_ASSERT(a_asked, `GANTRY_IMPL(fire && !evaluates, due == '0))
  `GANTRY_ASSERT(a_in_time, `GANTRY_IMPL(pend_q, cycle == pend_cycle_q))
  `GANTRY_ASSERT(a_kept, `GANTRY_IMPL(fire, !unsent_q))
  `GANTRY_ASSERT(a_apart, !(fire && fire_q))
  `GANTRY_ASSERT(a_still, `GANTRY_IMPL(fire, {cycle, due, target_n} == {cycle_q, due_q, target_nq}))
  `GANTRY_ASSERT(a_mark, mark_q - cycle < 64'd16 && `GANTRY_IMPL(stands, cycle == mark_q))
  `GANTRY_ASSERT(a_step, `GANTRY_IMPL(cycle != cycle_q, cycle == mark_q || (moved_q && cycle == cycle_q + 64'd1)))
  `GANTRY_ASSERT(a_first, `GANTRY_IMPL(!ever_q, cycle == '0))
  `GANTRY_ASSERT(a_since, `GANTRY_IMPL(marked, since == 32'(last_q - told_mark_q)))
  `GANTRY_ASSERT(a_edges, edges == edges_q)
`ifdef HELPERS
  `GANTRY_ASSERT(h_left, `GANTRY_IMPL(!asking_q, cycle + (u_dut.more_q ? 64'(u_dut.left_q) : 64'd0) == mark_q) && `GANTRY_IMPL(asking_q, cycle == mark_q))
  `GANTRY_ASSERT(h_small, `GANTRY_IMPL(u_dut.more_q, u_dut.left_q < 32'd16 && u_dut.left_q != '0) && asking_q == u_dut.asking_q)
  `GANTRY_ASSERT(h_mark, `GANTRY_IMPL(u_dut.more_q && !asking_q, u_dut.mark_q == mark_q))
  `GANTRY_ASSERT(h_due, pend_q == u_dut.due_q[pick_i])
  `GANTRY_ASSERT(h_unsent, unsent_q == ((u_dut.fresh_q && sent_q) || busy_q) && !(u_dut.fresh_q && busy_q))
  `GANTRY_ASSERT(h_last, `GANTRY_IMPL(unsent_q, cycle == last_q + 64'd1 && target_n))
  `GANTRY_ASSERT(h_told, u_dut.told_q == 32'(told_mark_q) && `GANTRY_IMPL(ever_q, u_dut.last_q == 32'(last_q)))
  `GANTRY_ASSERT(h_since, `GANTRY_IMPL(busy_q, ever_q && u_dut.since_q == 32'(last_q - told_mark_q)))
  `GANTRY_ASSERT(h_first, ever_q == u_dut.started_q && `GANTRY_IMPL(!target_n, !ever_q && mark_q == '0 && !u_dut.more_q && u_dut.due_q == '0))
  `GANTRY_ASSERT(h_step, u_dut.step_q == evaluates)
  `GANTRY_ASSERT(h_going, `GANTRY_IMPL(u_dut.fire_q && target_n, u_dut.more_q && !busy_q && !u_dut.fresh_q && !u_dut.jump_q))
  `GANTRY_ASSERT(h_jumps, `GANTRY_IMPL(u_dut.jump_q, u_dut.more_q && !asking_q && target_n && u_dut.due_q == '0 && !busy_q && !u_dut.fire_q))
  `GANTRY_ASSERT(h_fresh, u_dut.fresh_q == moved_q && `GANTRY_IMPL(moved_q, target_n))
`endif
`ifdef REACH
  `GANTRY_ASSERT(c_reach, seen_q != '1)
`endif
endmodule
