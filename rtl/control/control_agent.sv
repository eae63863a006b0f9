// SPDX-License-Identifier: Apache-2.0
// Control agent of a component: takes its control messages, holds its traffic, lets it drain, flush, discard, passes
// maintenance on, and answers each message exactly once with its id.
// Responsible for: the state of the component, the holds, when an answer leaves, one maintenance command at a time.
// Not responsible for: the rules (control_pkg), what a component does when it is told (each in its own file).
//
// Signals: enable, disable, pause, continue and every error are answered in the next cycle; drain, flush and discard when
// the component has done it.  The holds are registers: they act from the cycle of the answer of a pause on.
// Maintenance (unless Registered): maint_valid_o in the cycle of the message while the component runs or is paused, so that an agent adds no
// cycle; else in the cycle after the drain, flush or discard under way has ended.  Its answer leaves in the cycle of
// maint_done_i, one later for each answer to signals that leaves then; the next one may come in the cycle behind it.
// In simulation nothing is evaluated while no message is there and nothing is under way.
`include "gantry_assert.svh"

module control_agent
  import gantry_msg_pkg::*;
  import control_pkg::*;
#(
  parameter bit Discards = 1'b1,  // 0: the component has no discard; the message is refused (CTL_ERROR_DISCARD)
  parameter bit Registered = 1'b0  // maintenance leaves from a register, two cycles later: no logic hangs on ctl_cmd_i
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  output logic     idle_o,           // function of registers and of the component's, too; 0 where a hold has changed
  // <-> hub
  input  logic     ctl_cmd_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // padding
  input  ctl_cmd_t ctl_cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic     ctl_evt_valid_o,
  output ctl_evt_t ctl_evt_o,
  // <-> component
  output logic     hold_take_o,      // take no request from outside: it stays in the incoming buffer
  output logic     hold_all_o,       // nor answers, and send nothing
  input  logic     drained_i,        // registers say: nothing that was taken is unfinished
  output logic     flush_o,          // pulse, when drained: write back all that is dirty
  input  logic     flush_done_i,     // pulse, not before flush_o: nothing is dirty, all of it acknowledged
  output logic     discard_o,        // pulse: drop what is buffered and under way, swallow what still comes for it
  input  logic     discard_done_i,   // pulse, not before discard_o
  output logic     maint_valid_o,    // a maintenance command; one at a time
  output ctl_cmd_t maint_o,
  input  logic     maint_done_i      // pulse, from a register, after the cycle of maint_valid_o
);
  typedef struct packed {
    logic        flush;  // behind the drain
    logic        done;   // what discard_done_i or flush_done_i said, until the answer leaves
    logic [7:0]  op;
    logic [15:0] id;
  } operation_t;

  state_e state_q;
  operation_t operation_q;  // of the drain, flush or discard under way
  logic maint_busy_q;       // taken, answer not sent
  logic maint_late_q;       // of these: not passed on yet
  logic maint_told_q;       // it is done, its answer waits
  ctl_cmd_t maint_q;
  logic late_q;             // passes it on now
  logic answer_q;           // an answer to signals, or an error
  ctl_evt_t answer_evt_q;
  logic began_q;            // a message came: the component looks at the holds once more
  logic awake_q;            // some of this is the case, or an operation is under way
  logic direct, ends;
  // of the message of this cycle
  logic refused, immediate;
  logic [7:0] status;
  state_e next;
  signals_t signals;

  // ---- maintenance passes by.  Without a message one test: a component's logic hangs on this in each cycle.
  always_comb begin
    direct  = 1'b0;
    maint_o = maint_q;
    if (!Registered && ctl_cmd_valid_i) begin
      direct = ctl_cmd_i.op != CTL_SIGNAL && !maint_busy_q && (state_q == StateRun || state_q == StatePaused);
      if (!late_q) maint_o = ctl_cmd_i;
    end
    maint_valid_o = direct || late_q;
  end

  // ---- answers; the operation under way ends; rest.  At rest one test.
  always_comb begin
    ctl_evt_valid_o = 1'b0;
    ctl_evt_o       = answer_evt_q;
    ends            = 1'b0;
    idle_o          = 1'b1;
    if (awake_q) begin
      ctl_evt_valid_o = answer_q || maint_done_i || maint_told_q;
      if (!answer_q) ctl_evt_o = '{op: maint_q.op, status: CTL_OK, state: 8'(state_q), id: maint_q.id, default: '0};
      ends = state_q == StateDraining ? drained_i && !(operation_q.flush && maint_busy_q && !maint_late_q) :
             in_progress(state_q) && (operation_q.done || flush_done_i || discard_done_i);
      idle_o = !began_q && !answer_q && !maint_done_i && !maint_told_q && !late_q && !flush_o && !discard_o &&
               !ends && !flush_done_i && !discard_done_i;
    end
  end

  /* verilator lint_off BLKSEQ */  // what is found out about a message, when there is one
  always_ff @(posedge clk_i) begin
    if (ctl_cmd_valid_i || !idle_o || !rst_ni) begin
      immediate = 1'b0;
      if (ctl_cmd_valid_i) begin
        signals   = signals_t'(ctl_cmd_i.signals[5:0]);
        next      = follow(state_q, signals);
        refused   = ctl_cmd_i.op != CTL_SIGNAL && (state_q == StateOff || maint_busy_q);
        status    = ctl_cmd_i.op == CTL_SIGNAL ? judge(state_q, drained_i && !maint_busy_q, signals, Discards) :
                    state_q == StateOff ? CTL_ERROR_OFF : maint_busy_q ? CTL_ERROR_BUSY : CTL_OK;
        immediate = ctl_cmd_i.op == CTL_SIGNAL ? status != CTL_OK || !in_progress(next) : refused;
      end
      awake_q <= ctl_cmd_valid_i || in_progress(state_q) ||
                 (maint_busy_q && !((maint_done_i || maint_told_q) && !answer_q));
      // ---- maintenance
      if ((maint_done_i || maint_told_q) && !answer_q) maint_busy_q <= 1'b0;
      maint_told_q <= (maint_done_i || maint_told_q) && answer_q;
      late_q       <= 1'b0;
      if (maint_late_q && !in_progress(state_q) && !ctl_cmd_valid_i) begin  // beside an answer
        maint_late_q <= 1'b0;
        late_q       <= 1'b1;
      end
      // ---- the operation under way: drained, then the flush or the answer
      answer_q  <= 1'b0;
      flush_o   <= 1'b0;
      discard_o <= 1'b0;
      began_q   <= ctl_cmd_valid_i;
      if (ends && state_q == StateDraining && operation_q.flush) begin
        state_q <= StateFlushing;
        flush_o <= 1'b1;
      end else if (ends && !immediate) begin
        state_q      <= StatePaused;
        answer_q     <= 1'b1;
        answer_evt_q <= '{op: operation_q.op, status: CTL_OK, state: CTL_STATE_PAUSED, id: operation_q.id, default: '0};
      end
      if (flush_done_i || discard_done_i) operation_q.done <= 1'b1;
      // ---- a message
      if (ctl_cmd_valid_i) begin
        if (ctl_cmd_i.op != CTL_SIGNAL && !refused) begin
          maint_q      <= ctl_cmd_i;
          maint_busy_q <= 1'b1;
          maint_late_q <= !direct;
        end
        if (ctl_cmd_i.op == CTL_SIGNAL && status == CTL_OK) begin
          state_q     <= next;
          discard_o   <= next == StateDiscarding;
          operation_q <= '{flush: signals.flush, done: 1'b0, op: ctl_cmd_i.op, id: ctl_cmd_i.id};
        end
        if (immediate) begin
          answer_q     <= 1'b1;
          answer_evt_q <= '{op: ctl_cmd_i.op, status: status, id: ctl_cmd_i.id, default: '0,
                            state: 8'(ctl_cmd_i.op == CTL_SIGNAL && status == CTL_OK ? next : state_q)};
        end
      end
      if (!rst_ni) begin
        state_q <= StateRun;
        {maint_busy_q, maint_late_q, maint_told_q, late_q, answer_q, began_q, awake_q, flush_o, discard_o} <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
  assign hold_take_o = state_q != StateRun;
  assign hold_all_o  = state_q == StateOff || state_q == StatePaused || state_q == StateDiscarding;

  // ---- assertions
  // the component answers what it was asked, and that once
  `GANTRY_ASSERT(a_flushed, `GANTRY_IMPL(flush_done_i, state_q == StateFlushing && !operation_q.done))
  `GANTRY_ASSERT(a_discarded, `GANTRY_IMPL(discard_done_i, state_q == StateDiscarding && !operation_q.done))
  `GANTRY_ASSERT(a_maintained, `GANTRY_IMPL(maint_done_i, maint_busy_q && !maint_late_q && !maint_told_q))
  // a flush begins when nothing is under way that could make a line dirty
  `GANTRY_ASSERT(a_flush_drained, `GANTRY_IMPL(flush_o, drained_i))
  `GANTRY_ASSERT(a_known, state_q <= StateDiscarding)
  // what is not awake has nothing to do
  `GANTRY_ASSERT(a_awake, awake_q || !(began_q || answer_q || maint_busy_q || maint_told_q || late_q || flush_o ||
                                       discard_o || in_progress(state_q)))
endmodule
