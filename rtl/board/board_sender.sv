// SPDX-License-Identifier: Apache-2.0
// Records from the board: what the outputs of the target sent at its last edge, in the order of output numbers, and
// answers to records of the host.  The outputs stand still while the target's clock does, so they need no register: this
// module names output and byte, and the harness has them chosen (board_pick): out_byte_i is the byte of two steps ago.  The
// first two steps of a message are those of the last bytes of its head, so its bytes follow without a gap.
// Responsible for: bytes, order, the end of a burst.  Not responsible for: when the target may go on (board_target).
`include "gantry_assert.svh"

module board_sender
  import gantry_stream_pkg::*;
  import board_pkg::*;
#(
  parameter int unsigned Outs = 1,
  localparam int unsigned Ow = Outs > 1 ? $clog2(Outs) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,        // low also when a session begins
  // outputs of the target
  input  logic               take_i,        // they are those of a new edge
  input  logic    [Outs-1:0] valid_i,
  output logic    [  Ow-1:0] out_slot_o,
  output logic    [     7:0] out_index_o,   // of the byte that is asked for
  output logic               out_step_o,
  input  logic    [     7:0] out_bytes_i,   // of a message of this output; 0: a credit
  input  logic    [     7:0] out_byte_i,
  output logic               marked_o,      // their cycle was told
  input  logic    [    31:0] since_i,
  // answers
  input  logic               say_valid_i,
  input  say_e               say_i,
  output logic               say_ready_o,
  input  logic    [     7:0] error_i,
  input  logic               idle_i,
  input  logic    [    63:0] cycle_i,
  input  logic    [    63:0] shown_i,
  input  logic    [    63:0] answer_i,
  input  logic    [    31:0] edges_i,
  output logic               told_o,        // edges_i was told
  // an echo comes back as it goes in
  input  record_t            head_i,
  input  logic               echo_more_i,
  input  logic               echo_last_i,
  input  logic               echo_valid_i,
  input  logic    [     7:0] echo_data_i,
  output logic               echo_ready_o,
  output logic               busy_o,        // the target waits
  // to the framer
  output logic               snd_valid_o,
  output logic    [     7:0] snd_data_o,
  output logic               snd_end_o,     // last byte of a burst
  input  logic               snd_ready_i
);
  typedef enum logic [1:0] {
    Rest,
    Head,
    Body
  } state_e;
  state_e state_q;
  logic answer_q;          // an answer, not a message
  say_e say_q;
  logic [Outs-1:0] left_q;  // outputs whose message is not sent yet
  logic [Ow-1:0] slot_q;
  logic [7:0] index_q, length;
  logic [7:0] ahead_q;     // byte of the output that is asked for
  logic has_body_q;        // these two stand from the head's second byte on
  logic [7:0] top_q;       // index of the body's last byte
  logic advance, body_last, body_valid, sends, last, has_body;
  logic [7:0] kind, body;
  logic [31:0] arg;
  logic [7:0][7:0] head;
  logic [7:0][7:0] answer;
  logic [15:0][7:0] standing;
  record_t record;
  standing_t stand;

  function automatic logic [Ow-1:0] first(input logic [Outs-1:0] bits);
    first = '0;
    for (int unsigned i = Outs; i > 0; i--) if (bits[i-1]) first = Ow'(i - 1);
  endfunction

  assign out_slot_o  = slot_q;
  assign out_index_o = ahead_q;
  assign out_step_o  = sends && !answer_q && (state_q == Body || index_q[2:1] == 2'd3);
  assign say_ready_o = state_q == Rest && left_q == '0;
  assign busy_o      = state_q != Rest || left_q != '0;
  assign advance     = !snd_valid_o || snd_ready_i;

  // ---- the bytes of the record
  always_comb begin
    kind = REC_SENT;
    arg  = since_i;
    if (answer_q) begin
      unique case (say_q)
        SayStanding: {kind, arg} = {REC_STANDING, edges_i};
        SayAnswer:   {kind, arg} = {REC_ANSWER, 32'd0};
        SayError:    {kind, arg} = {REC_ERROR, 24'd0, error_i};
        default:     {kind, arg} = {REC_ECHO, head_i.arg};
      endcase
    end
    record = '{arg: arg, link: answer_q ? 16'd0 : 16'(slot_q), flags: 8'd0, kind: kind};
    if (answer_q && say_q == SayStanding && idle_i) record.flags = STANDING_IDLE;
    if (answer_q && say_q == SayEcho) record = head_i;
    stand  = '{shown: shown_i, cycle: cycle_i};
    head   = record;
    standing = stand;
    answer = answer_i;
    length   = out_bytes_i;
    body     = out_byte_i;
    if (answer_q) begin
      unique case (say_q)
        SayStanding: {length, body} = {8'd16, standing[index_q[3:0]]};
        SayAnswer:   {length, body} = {8'd8, answer[index_q[2:0]]};
        default:     {length, body} = {8'd0, echo_data_i};
      endcase
    end
  end

  assign has_body     = answer_q && say_q == SayEcho ? echo_more_i : length != 8'd0;
  assign body_valid   = answer_q && say_q == SayEcho ? echo_valid_i : 1'b1;
  assign body_last    = answer_q && say_q == SayEcho ? echo_last_i : index_q == top_q;
  assign sends        = advance && (state_q == Head || (state_q == Body && body_valid));
  assign last         = state_q == Head ? index_q == 8'd7 && !has_body_q : body_last;
  assign echo_ready_o = advance && state_q == Body && answer_q && say_q == SayEcho;
  assign marked_o     = sends && state_q == Head && index_q == 8'd7 && !answer_q;
  assign told_o       = sends && state_q == Head && index_q == 8'd7 && answer_q && say_q == SayStanding;

  always_ff @(posedge clk_i) begin
    if (take_i) left_q <= valid_i;
    if (advance) snd_valid_o <= sends;
    has_body_q <= has_body;
    top_q      <= length - 1'b1;
    if (out_step_o) ahead_q <= ahead_q + 1'b1;
    if (sends) begin
      snd_data_o <= state_q == Head ? head[index_q[2:0]] : body;
      snd_end_o  <= last && answer_q;
      index_q    <= index_q + 1'b1;
      if (last) begin
        state_q <= Rest;
      end else if (state_q == Head && index_q == 8'd7) begin
        state_q <= Body;
        index_q <= '0;
      end
    end
    if (state_q == Rest) begin
      index_q <= '0;
      ahead_q <= '0;
      if (left_q != '0) begin
        slot_q   <= first(left_q);
        left_q   <= left_q & (left_q - 1'b1);
        answer_q <= 1'b0;
        state_q  <= Head;
      end else if (say_valid_i) begin
        say_q    <= say_i;
        answer_q <= 1'b1;
        state_q  <= Head;
      end
    end
    if (!rst_ni) begin
      state_q     <= Rest;
      left_q      <= '0;
      snd_valid_o <= 1'b0;
    end
  end

  // nothing new comes while something is still to be sent
  `GANTRY_ASSERT(a_take, `GANTRY_IMPL(take_i, !busy_o))
  `GANTRY_ASSERT(a_body, `GANTRY_IMPL(state_q == Body && !(answer_q && say_q == SayEcho), index_q < length))
  // bytes of an output are asked for two steps before they go out
  `GANTRY_ASSERT(a_ahead, `GANTRY_IMPL(state_q == Body && !answer_q, ahead_q == index_q + 8'd2))
endmodule
