// SPDX-License-Identifier: Apache-2.0
// Parser of the host's records: takes them byte by byte, has each carried out, and only then looks at the next one.
// Responsible for: order, lengths, refusal of what cannot be taken.  Not responsible for: time of the target
// (board_target), bytes of answers (board_sender), storage of messages (board_slot).
`include "gantry_assert.svh"

module board_records
  import gantry_stream_pkg::*;
  import board_pkg::*;
#(
  parameter int unsigned Ins = 1,
  localparam int unsigned Sw = Ins > 1 ? $clog2(Ins) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,        // low also when a session begins
  input  logic             rec_valid_i,
  input  logic    [   7:0] rec_data_i,
  output logic             rec_ready_o,
  output record_t          head_o,        // of the record that is carried out
  // registers of the inputs
  output logic    [Sw-1:0] slot_o,
  input  logic    [   7:0] bytes_i,       // of a message of this input; 0: a credit
  input  logic             full_i,        // this input has its message for the present cycle
  output logic             shift_o,       // rec_data_i is the next byte of the message
  output logic             load_o,        // the message is whole behind this edge
  // run control
  output logic             run_o,         // one cycle: run by head_o.arg
  output logic             ask_o,         // one cycle: give the clock edges of a question
  output logic             asking_o,      // from there until the answer has been sent
  input  logic             stands_i,      // all of it is done, and all is said
  // sender
  output logic             say_valid_o,
  output say_e             say_o,
  output logic    [   7:0] error_o,
  input  logic             say_ready_i,
  output logic             echo_more_o,   // payload of the echo is left
  output logic             echo_last_o,
  output logic             echo_valid_o,
  input  logic             echo_ready_i
);
  typedef enum logic [2:0] {
    Head,   // bytes of a head
    Begin,  // the head is whole: one cycle
    Run,    // up to the new mark, or through the edges of a question
    Load,   // bytes of a message
    Say,    // until the sender takes the answer
    Said,   // until all of it is sent
    Dead    // an error was told: nothing counts until the next session
  } state_e;
  state_e state_q;
  logic [7:0][7:0] head_q;  // the lowest byte came first
  logic [12:0] left_q;      // bytes of the head or the payload
  logic [1:0] error_q;
  logic is_message, is_run, is_ask, is_echo, link_ok, take, credit;
  logic message_q, run_q, ask_q, echo_q;  // the same, a cycle later: others wait for what hangs on them
  record_t head;

  assign head        = record_t'(head_q);
  assign head_o      = head;
  assign slot_o      = Sw'(head.link);
  assign is_message  = head.kind == REC_MESSAGE;
  assign is_run      = head.kind == REC_RUN;
  assign is_ask      = head.kind == REC_ASK;
  assign is_echo     = head.kind == REC_ECHO && head.arg <= EchoMost;
  assign link_ok     = 32'(head.link) < Ins;
  assign take        = rec_valid_i && rec_ready_o;

  assign credit      = state_q == Run && stands_i && message_q && !full_i;
  assign run_o       = state_q == Begin && (is_run || (is_message && link_ok));
  assign ask_o       = state_q == Begin && is_ask;
  assign asking_o    = ask_q && state_q inside {Run, Say, Said};
  assign shift_o     = state_q == Load && rec_valid_i;
  assign load_o      = (shift_o && left_q == 13'd1) || (credit && bytes_i == 8'd0);
  assign say_valid_o = state_q == Say;
  assign error_o     = {6'd0, error_q};
  assign echo_more_o = left_q != '0;
  assign echo_last_o = left_q == 13'd1;
  assign echo_valid_o = state_q == Said && echo_q && echo_more_o && rec_valid_i;
  assign say_o = error_q != '0 ? SayError : run_q ? SayStanding : ask_q ? SayAnswer : SayEcho;

  always_comb begin
    unique case (state_q)
      Head, Load, Dead: rec_ready_o = 1'b1;
      Said:             rec_ready_o = echo_q && echo_more_o && echo_ready_i;
      default:          rec_ready_o = 1'b0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (take && state_q == Head) head_q <= {rec_data_i, head_q[7:1]};
    unique case (state_q)
      Head: if (take) begin
        left_q <= left_q - 1'b1;
        if (left_q == 13'd1) state_q <= Begin;
      end
      Begin: begin
        left_q <= 13'(head.arg);
        {message_q, run_q, ask_q, echo_q} <= {is_message, is_run, is_ask, is_echo};
        if (is_run || is_ask || (is_message && link_ok)) begin
          state_q <= Run;
        end else begin
          state_q <= Say;
          if (is_message) error_q <= 2'(RECORD_LINK);
          else if (!is_echo) error_q <= 2'(RECORD_KIND);
        end
      end
      Run: if (stands_i) begin
        left_q <= 13'(bytes_i);
        if (!message_q) begin
          state_q <= Say;
        end else if (full_i) begin
          state_q <= Say;
          error_q <= 2'(RECORD_TWICE);
        end else if (bytes_i != 8'd0) begin
          state_q <= Load;
        end else begin
          state_q <= Head;
          left_q  <= 13'd8;
        end
      end
      Load: if (take) begin
        left_q <= left_q - 1'b1;
        if (left_q == 13'd1) begin
          state_q <= Head;
          left_q  <= 13'd8;
        end
      end
      Say: if (say_ready_i) state_q <= Said;
      Said: begin
        if (echo_q && take) left_q <= left_q - 1'b1;
        if (stands_i && !(echo_q && echo_more_o)) begin
          state_q <= error_q != '0 ? Dead : Head;
          left_q  <= 13'd8;
        end
      end
      default: ;
    endcase
    if (!rst_ni) begin
      state_q <= Head;
      left_q  <= 13'd8;
      error_q <= '0;
    end
  end

  // what is left of a head or a message is never nothing, and never more than the longest of them
  `GANTRY_ASSERT(a_head, `GANTRY_IMPL(state_q == Head, left_q >= 13'd1 && left_q <= 13'd8))
  `GANTRY_ASSERT(a_load, `GANTRY_IMPL(state_q == Load, left_q >= 13'd1 && left_q <= 13'd255))
  `GANTRY_ASSERT(a_echo, `GANTRY_IMPL(state_q == Said && echo_q, 32'(left_q) <= EchoMost))
  `GANTRY_ASSERT(a_error, `GANTRY_IMPL(error_q != '0, state_q inside {Say, Said, Dead}))
endmodule
