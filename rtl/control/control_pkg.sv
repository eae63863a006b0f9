// SPDX-License-Identifier: Apache-2.0
// The rules of the control protocol: what a message to a component in some state is answered with, and which state
// follows (S1.18 to S1.29; the table: docs/reference/control.md).
// Responsible for: pure functions.  Not responsible for: when an answer leaves (control_agent).
package control_pkg;
  import gantry_msg_pkg::*;

  typedef enum logic [2:0] {
    StateOff        = CTL_STATE_OFF[2:0],
    StateRun        = CTL_STATE_RUN[2:0],
    StatePaused     = CTL_STATE_PAUSED[2:0],
    StateDraining   = CTL_STATE_DRAINING[2:0],
    StateFlushing   = CTL_STATE_FLUSHING[2:0],
    StateDiscarding = CTL_STATE_DISCARDING[2:0]
  } state_e;

  // The six signals as bits of enum ctl_signal.
  typedef struct packed {
    logic discard;
    logic flush;
    logic drain;
    logic proceed;  // continue
    logic pause;
    logic enable;
  } signals_t;

  // A state that a component leaves by itself.
  function automatic logic in_progress(input state_e state);
    return state == StateDraining || state == StateFlushing || state == StateDiscarding;
  endfunction

  // Answer to signals.  `finished`: nothing that the component took is unfinished, no maintenance either; `discards`: it
  // has a discard.
  function automatic logic [7:0] judge(input state_e state, input logic finished, input signals_t signals,
                                       input logic discards);
    logic operation;
    operation = signals.drain || signals.flush || signals.discard;
    if (state == StateOff) return signals.enable ? CTL_OK : CTL_ERROR_OFF;                         // S1.25
    if (in_progress(state)) return CTL_ERROR_BUSY;                                                 // S1.27
    if (signals.enable) return CTL_ERROR_ON;                                                       // S1.26, S1.24
    if (2'(signals.drain) + 2'(signals.flush) + 2'(signals.discard) > 2'd1) return CTL_ERROR_TOGETHER;  // S1.28
    if (signals.proceed && (signals.pause || operation)) return CTL_ERROR_TOGETHER;
    if (operation) return signals.discard && !discards ? CTL_ERROR_DISCARD : CTL_OK;               // S1.29
    if (signals.pause) return state == StateRun ? CTL_OK : CTL_ERROR_STATE;
    if (state != StatePaused) return CTL_ERROR_STATE;  // continue and disable are for what is paused
    return signals.proceed || finished ? CTL_OK : CTL_ERROR_OUTSTANDING;
  endfunction

  // State behind signals that were answered with CTL_OK, or that begin an operation.
  /* verilator lint_off UNUSEDSIGNAL */  // an enable is the only message that a component that is off accepts
  function automatic state_e follow(input state_e state, input signals_t signals);
    if (state == StateOff) return StateRun;
    if (signals.discard) return StateDiscarding;
    if (signals.drain || signals.flush) return StateDraining;  // a flush drains first
    if (signals.pause) return StatePaused;
    return signals.proceed ? StateRun : StateOff;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
