// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/control/control_agent, for any messages (all 2^6 signals, maintenance) in any state, at any times, with a
// component that is any: every command is answered exactly once, with its id and what the requirements' table says, in order
// of their kinds; nothing that is under way is lost or told too early; the holds are those of the state; once the component has done
// what it was asked and no message comes, nothing is owed; and it rests only then.
// The table stands here once more, written from S1.18 to S1.29, not from control_pkg.
`include "gantry_assert.svh"
module control_agent_fv
  import gantry_msg_pkg::*;
(
  input logic        clk_i,
  input logic        rst_ni,
  input logic        valid_i,
  input logic        signal_i,    // signals, else maintenance
  input logic [ 5:0] signals_i,
  input logic [15:0] id_i,
  input logic        drained_i,
  input logic        flushed_i,
  input logic        discarded_i,
  input logic        maintained_i,
  input logic [15:0] pick_i       // id of the command that is followed: free, but constant
);
  localparam int unsigned Off = 0, Run = 1, Paused = 2, Draining = 3, Flushing = 4, Discarding = 5;
  localparam logic [5:0] Enable = 6'd1, Pause = 6'd2, Continue = 6'd4, Drain = 6'd8, Flush = 6'd16, Discard = 6'd32;

  ctl_cmd_t cmd, maint;
  ctl_evt_t evt;
  logic evt_valid, idle, hold_take, hold_all, flush, discard, maint_valid;
  always_comb begin
    cmd         = '0;
    cmd.op      = signal_i ? CTL_SIGNAL : CTL_INV;
    cmd.signals = 8'(signals_i);
    cmd.id      = id_i;
    cmd.flags   = {16'd0, id_i};  // what must reach the component unaltered
  end
  control_agent u_dut (
    .clk_i, .rst_ni, .idle_o(idle), .ctl_cmd_valid_i(valid_i), .ctl_cmd_i(cmd), .ctl_evt_valid_o(evt_valid), .ctl_evt_o(evt),
    .hold_take_o(hold_take), .hold_all_o(hold_all), .drained_i, .flush_o(flush), .flush_done_i(flushed_i),
    .discard_o(discard), .discard_done_i(discarded_i), .maint_valid_o(maint_valid), .maint_o(maint),
    .maint_done_i(maintained_i));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [15:0] pick_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_pick
    if (started) assume (pick_i == pick_q);
  end

  // ---- the component: does what it was asked at any later time, once; what is drained stays so while nothing is taken
  logic flushes_q, discards_q, maintains_q, drained_q, take_q;
  always_ff @(posedge clk_i) begin
    flushes_q   <= rst_ni && (flush || flushes_q) && !flushed_i;
    discards_q  <= rst_ni && (discard || discards_q) && !discarded_i;
    maintains_q <= rst_ni && (maint_valid || (maintains_q && !maintained_i));
    drained_q   <= rst_ni && drained_i;
    take_q      <= !hold_take;
  end
  always_comb begin : m_component
    assume (!flushed_i || flushes_q || flush);
    assume (!discarded_i || discards_q || discard);
    assume (!maintained_i || maintains_q);
    assume (!(drained_q && !take_q) || drained_i);
  end

  // ---- the reference: state of the component, and the answer to this cycle's message
  logic [2:0] state_q;
  logic flush_too_q, maint_q, maint_late_q;  // maint: taken and not answered
  logic [15:0] operation_id_q, maint_id_q;
  logic busy, many, whole;
  logic [7:0] status;
  logic later;  // the answer comes when the component has done it
  logic [2:0] state;  // flush_o comes one cycle behind the edge at which the agent's own state changes
  assign state = flush ? 3'(Flushing) : state_q;
  assign busy  = state == Draining || state == Flushing || state == Discarding;
  assign many  = (signals_i & (signals_i - 6'd1)) != 6'd0;
  assign whole = drained_i && !maint_q;
  always_comb begin
    later  = 1'b0;
    status = CTL_OK;
    if (!signal_i) begin
      status = state_q == Off ? CTL_ERROR_OFF : maint_q ? CTL_ERROR_BUSY : CTL_OK;
      later  = status == CTL_OK;
    end else if (state_q == Off) begin
      status = (signals_i & Enable) != 6'd0 ? CTL_OK : CTL_ERROR_OFF;
    end else if (busy) begin
      status = CTL_ERROR_BUSY;
    end else if ((signals_i & Enable) != 6'd0) begin
      status = CTL_ERROR_ON;
    end else begin
      unique case (signals_i)
        6'd0: status = state_q != Paused ? CTL_ERROR_STATE : whole ? CTL_OK : CTL_ERROR_OUTSTANDING;
        Pause: status = state_q == Run ? CTL_OK : CTL_ERROR_STATE;
        Continue: status = state_q == Paused ? CTL_OK : CTL_ERROR_STATE;
        Drain, Flush, Discard, Pause | Drain, Pause | Flush, Pause | Discard: later = 1'b1;
        default: status = CTL_ERROR_TOGETHER;
      endcase
    end
  end

  // an immediate answer is there in the next cycle
  logic now_q;
  ctl_evt_t want_q;
  logic done_q;  // flushed or discarded, not told
  logic [2:0] next;
  logic ends;
  assign ends = state == Draining ? drained_i && !flush_too_q : busy && (done_q || flushed_i || discarded_i);
  always_comb begin
    next = state;
    if (valid_i && signal_i && status == CTL_OK) begin
      if (state_q == Off) next = 3'(Run);
      else if (later) next = (signals_i & Discard) != 6'd0 ? 3'(Discarding) : 3'(Draining);
      else if (signals_i == Pause) next = 3'(Paused);
      else next = signals_i == Continue ? 3'(Run) : 3'(Off);
    end
  end
  logic told;  // an operation's answer is begun at this edge
  assign told = ends && !(valid_i && !later);
  always_ff @(posedge clk_i) begin
    now_q   <= rst_ni && ((valid_i && !later) || told);
    want_q  <= told ? '{op: CTL_SIGNAL, status: CTL_OK, state: 8'(Paused), id: operation_id_q, default: '0} :
               '{op: cmd.op, status: status, state: 8'(next), id: id_i, default: '0};
    state_q <= told ? 3'(Paused) : next;
    done_q  <= rst_ni && busy && !told && (done_q || flushed_i || discarded_i);
    if (valid_i && later && signal_i) begin
      operation_id_q <= id_i;
      flush_too_q    <= (signals_i & Flush) != 6'd0;
    end
    if (valid_i && later && !signal_i) maint_id_q <= id_i;
    if (flush) flush_too_q <= 1'b0;
    if (!rst_ni) begin
      state_q     <= 3'(Run);
      flush_too_q <= 1'b0;
    end
  end
  logic answers_maint;  // this answer is that of the maintenance command
  assign answers_maint = evt_valid && !now_q;
  always_ff @(posedge clk_i) begin
    maint_q      <= rst_ni && ((maint_q && !answers_maint) || (valid_i && !signal_i && status == CTL_OK));
    maint_late_q <= rst_ni && ((maint_late_q && !maint_valid) || (valid_i && !signal_i && status == CTL_OK && !maint_valid));
  end
  logic maint_done_q;  // the component has done it, its answer has not left
  always_ff @(posedge clk_i) maint_done_q <= rst_ni && (maint_done_q || maintained_i) && !answers_maint;

  // ---- owed and given answers of the followed id
  logic [3:0] owed_q;
  always_ff @(posedge clk_i) begin
    owed_q  <= !rst_ni ? 4'd0 : owed_q + 4'(valid_i && id_i == pick_i) - 4'(evt_valid && evt.id == pick_i);
  end

  `GANTRY_ASSERT(a_once, `GANTRY_IMPL(evt_valid && evt.id == pick_i, owed_q != 4'd0))
  `GANTRY_ASSERT(a_few, owed_q <= 4'd3)  // an immediate answer, an operation, maintenance
  `GANTRY_ASSERT(a_now, `GANTRY_IMPL(now_q, evt_valid && evt == want_q))
  `GANTRY_ASSERT(a_maint_answer, `GANTRY_IMPL(answers_maint, maint_q && (maintained_i || maint_done_q) && evt.op == CTL_INV &&
                 evt.status == CTL_OK && evt.id == maint_id_q))
  `GANTRY_ASSERT(a_maint_told, `GANTRY_IMPL((maintained_i || maint_done_q) && !now_q, evt_valid))
  `GANTRY_ASSERT(a_hold_take, hold_take == (state != Run))
  `GANTRY_ASSERT(a_hold_all, hold_all == (state == Off || state == Paused || state == Discarding))
  // S1.20, S1.21: a flush begins drained, and its component is not maintained meanwhile
  `GANTRY_ASSERT(a_flush, `GANTRY_IMPL(flush, drained_i && state_q == Draining && !maintains_q))
  `GANTRY_ASSERT(a_discard, `GANTRY_IMPL(discard, state_q == Discarding && !done_q))
  // maintenance reaches the component once, unaltered, and never during an operation
  `GANTRY_ASSERT(a_maint, `GANTRY_IMPL(maint_valid, !maintains_q && maint.op == CTL_INV && maint.flags == {16'd0, maint.id} &&
                 (maint_late_q ? maint.id == maint_id_q : valid_i && !signal_i && maint.id == id_i)))
  // nothing stays behind: an operation whose part is done, and maintenance that waits for it, go on by themselves
  `GANTRY_ASSERT(a_rest, `GANTRY_IMPL(idle, !now_q && !ends && !maintained_i && !maint_done_q && !flush && !discard &&
                 !(state == Draining && drained_i && !maintains_q) && !(maint_late_q && !busy)))
  // a component is evaluated in the cycle in which a hold has changed
  logic [1:0] held_q;
  always_ff @(posedge clk_i) held_q <= rst_ni ? {hold_take, hold_all} : 2'd0;
  `GANTRY_ASSERT(a_look_again, `GANTRY_IMPL(idle, held_q == {hold_take, hold_all}))
`ifdef HELPERS  // the reference and the agent agree, and what is owed is counted where it stands
  `GANTRY_ASSERT(h_state, state == 3'(u_dut.state_q) && state <= 3'(Discarding))
  `GANTRY_ASSERT(h_answer, now_q == u_dut.answer_q && `GANTRY_IMPL(now_q, want_q == u_dut.answer_evt_q))
  `GANTRY_ASSERT(h_operation, `GANTRY_IMPL(busy, operation_id_q == u_dut.operation_q.id && done_q == u_dut.operation_q.done &&
                 u_dut.operation_q.op == CTL_SIGNAL && `GANTRY_IMPL(state == Draining, flush_too_q == u_dut.operation_q.flush)))
  `GANTRY_ASSERT(h_maint, maint_q == u_dut.maint_busy_q && maint_late_q == (u_dut.maint_late_q || u_dut.late_q) &&
                 !(u_dut.maint_late_q && u_dut.late_q) && maint_done_q == u_dut.maint_told_q)
  `GANTRY_ASSERT(h_maint_at, `GANTRY_IMPL(maint_late_q || maint_done_q, maint_q) && !(maint_late_q && (maint_done_q || maintains_q)) && !(maint_done_q && maintains_q) &&
                 maint_q == (maint_late_q || maint_done_q || maintains_q) && `GANTRY_IMPL(maint_late_q, busy || now_q || u_dut.late_q))
  `GANTRY_ASSERT(h_maint_what, `GANTRY_IMPL(maint_q, maint_id_q == u_dut.maint_q.id && u_dut.maint_q.op == CTL_INV &&
                 u_dut.maint_q.flags == {16'd0, maint_id_q}))
  `GANTRY_ASSERT(h_component, flushes_q == (state == Flushing && !flush && !done_q) &&
                 discards_q == (state == Discarding && !discard && !done_q) && `GANTRY_IMPL(flush, state == Flushing && !done_q) &&
                 `GANTRY_IMPL(discard, state == Discarding && !done_q) && `GANTRY_IMPL(done_q, state == Flushing || state == Discarding))
  `GANTRY_ASSERT(h_owed, owed_q == 4'(now_q && want_q.id == pick_i) + 4'(busy && operation_id_q == pick_i) +
                 4'(maint_q && maint_id_q == pick_i))
`endif
`ifdef REACH
  // every state; a flush with a refused message beside its end, and maintenance that waited for it
  logic [5:0] seen_q;
  logic late_seen_q, refused_q;
  always_ff @(posedge clk_i) begin
    seen_q      <= rst_ni ? seen_q | (6'd1 << state) : '0;
    late_seen_q <= rst_ni && (late_seen_q || (maint_valid && maint_late_q));
    refused_q   <= rst_ni && (refused_q || (ends && valid_i && !later));
  end
  `GANTRY_ASSERT(c_all, !(seen_q == '1 && late_seen_q && refused_q && evt_valid && idle == 1'b0 && !maint_q))
`endif
endmodule
