// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/board/outbox and inbox: two boards, A that sends records and B that takes them, over channels that lose and damage
// any frame; what a checksum says is right (the CRC is one bit: damaged or not).  Every byte that comes out at B was put in at A, in
// order and once, and a frame that A may send finds its place at B.  NAKs and ACKs of B, and A's going back, may also come by
// themselves, as timers make them.  Small: frames of two bytes, buffers of eight, four frames, units of room of two bytes.
`include "gantry_assert.svh"

// One direction: a frame from an outbox to the other side's inbox, a byte a cycle.
module frame_channel
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,
  input  frame_t     frame_i,
  output logic       busy_o,
  input  logic [7:0] ack_i,
  input  logic [7:0] room_i,
  output logic       told_o,
  input  logic [7:0] payload_i,
  output logic       payload_next_o,
  input  logic       lose_i,          // the frame that starts now
  input  logic       damage_i,
  input  logic       noise_i,
  output head_t      head_o,
  output logic       payload_valid_o,
  output logic [7:0] payload_o,
  output logic       good_o,
  output logic       bad_o
);
  typedef enum logic [1:0] {Idle, Head, Body, Judge} state_e;
  state_e state_q;
  frame_t frame_q;
  head_t head_q;
  logic lost_q, damaged_q;
  assign busy_o = state_q != Idle;
  assign told_o = state_q == Head;
  assign payload_next_o = state_q == Body && frame_q.length != 9'd1;
  assign payload_valid_o = state_q == Body && !lost_q;
  assign payload_o = payload_i ^ {8{damaged_q && noise_i}};
  assign good_o = state_q == Judge && !lost_q && !damaged_q;
  assign bad_o = state_q == Judge && !lost_q && damaged_q;
  assign head_o = head_q;
  always_ff @(posedge clk_i) begin
    case (state_q)
      Idle:
      if (start_i) begin
        state_q   <= Head;
        frame_q   <= frame_i;
        lost_q    <= lose_i;
        damaged_q <= damage_i;
      end
      Head: begin
        state_q <= frame_q.length == '0 ? Judge : Body;
        head_q  <= '{magic: FRAME_MAGIC, type_: frame_q.type_, length: 16'(frame_q.length), seq: frame_q.seq, ack: ack_i, room: room_i, check: '0};
      end
      Body: begin
        frame_q.length <= frame_q.length - 9'd1;
        if (frame_q.length == 9'd1) state_q <= Judge;
      end
      default: state_q <= Idle;
    endcase
    if (!rst_ni) begin
      state_q <= Idle;
      head_q  <= '0;
    end
  end
endmodule

module board_frames_fv
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
#(
  parameter int unsigned CountW = 5,
  parameter bit Stall = 1'b0,  // B's records are not taken, nothing gets lost: what room is for
  parameter bit Fates = 1'b0  // only what happens to frames is free: records come and go as fast as they can
) (
  input logic              clk_i,
  input logic              rst_ni,
  input logic              put_i,
  input logic              data_i,
  input logic              end_i,
  input logic              take_i,
  input logic [       1:0] lose_i,
  input logic [       1:0] damage_i,
  input logic              noise_i,
  input logic              nak_i,
  input logic              tell_i,
  input logic              back_i,
  input logic [CountW-1:0] pick_i   // which byte is followed: free, but constant
);
  localparam int unsigned Bytes = 8;
  logic started = 1'b0;  // reset in the first cycle, never again
  logic [3:0] boot_q;
  logic [CountW-1:0] pick_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
    if (!rst_ni) boot_q <= '0;
    else if (boot_q != 4'd13) boot_q <= boot_q + 4'd1;
  end
  always_comb m_reset : assume (rst_ni == started);
  always_comb if (started) m_pick : assume (pick_i == pick_q);
  always_comb if (Stall) m_stall : assume (put_i && tell_i && !end_i && !data_i && !take_i && lose_i == '0 && damage_i == '0 && !nak_i && !back_i && !noise_i);
  always_comb if (Fates) m_fates : assume (put_i && end_i && take_i && !nak_i && !tell_i && !back_i && noise_i);

  // Both sides hear a HELLO first: its ten bytes, then the judgement.
  logic asking, asked;
  head_t hello;
  assign asking = boot_q < 4'd10;
  assign asked = boot_q == 4'd10;
  assign hello = '{magic: FRAME_MAGIC, type_: FRAME_HELLO, length: 16'(HelloBytes), seq: '0, ack: '0, room: 8'(Bytes / FRAME_UNIT), check: '0};

  logic [1:0] session, attach, told, nak, ack, heard, heard_nak, start, busy, payload_next, good, bad, came_valid, ready, rec_valid;
  logic [7:0] attach_room[2], next[2], room[2], payload[2], came[2], rec[2];
  frame_t frame[2];
  head_t head[2], seen[2];
  for (genvar s = 0; s < 2; s++) begin : gen_side
    logic unused_hello;
    question_t unused_question;
    logic [15:0] unused_id;
    assign seen[s] = asked ? hello : head[s];
    inbox #(.Bytes(Bytes)) u_inbox (
      .clk_i, .rst_ni, .head_i(seen[s]), .payload_valid_i(asking || came_valid[s]), .payload_i(asking ? {7'd0, boot_q == 4'd2} : came[s]),
      .good_i(asked || good[s]), .bad_i(bad[s]), .session_o(session[s]), .attach_o(attach[s]), .attach_room_o(attach_room[s]), .hello_o(unused_hello),
      .question_o(unused_question), .id_o(unused_id), .next_o(next[s]), .room_o(room[s]), .told_i(told[s]), .nak_o(nak[s]), .ack_o(ack[s]),
      .heard_o(heard[s]), .heard_nak_o(heard_nak[s]), .rec_valid_o(rec_valid[s]), .rec_data_o(rec[s]), .rec_ready_i(take_i));
    outbox #(.Bytes(Bytes), .Frames(4), .FrameBytes(2)) u_outbox (
      .clk_i, .rst_ni, .session_i(session[s]), .attach_i(attach[s]), .attach_room_i(attach_room[s]), .hello_i(1'b0), .heard_i(heard[s]),
      .ack_i(seen[s].ack), .room_i(seen[s].room), .heard_nak_i(heard_nak[s] || (s == 0 && back_i && session[s])),
      .nak_i(nak[s] || (s == 1 && nak_i && session[s])), .tell_i(ack[s] || (s == 1 && tell_i)), .snd_valid_i(s == 0 && put_i), .snd_data_i({8{data_i}}),
      .snd_end_i(end_i), .snd_ready_o(ready[s]), .start_o(start[s]), .frame_o(frame[s]), .busy_i(busy[s]), .payload_o(payload[s]),
      .payload_next_i(payload_next[s]));
    frame_channel u_channel (
      .clk_i, .rst_ni, .start_i(start[s]), .frame_i(frame[s]), .busy_o(busy[s]), .ack_i(next[s]), .room_i(room[s]), .told_o(told[s]),
      .payload_i(payload[s]), .payload_next_o(payload_next[s]), .lose_i(lose_i[s]), .damage_i(damage_i[s]), .noise_i, .head_o(head[1-s]),
      .payload_valid_o(came_valid[1-s]), .payload_o(came[1-s]), .good_o(good[1-s]), .bad_o(bad[1-s]));
  end

  logic put, take;
  logic [CountW-1:0] in_q, out_q;
  logic word_q, lost_q;
  assign put = put_i && ready[0];
  assign take = rec_valid[1] && take_i;
  always_ff @(posedge clk_i) begin
    if (put) begin
      in_q <= in_q + 1'b1;
      if (in_q == pick_i) word_q <= data_i;
    end
    if (take) out_q <= out_q + 1'b1;
    if (start[0] && lose_i[0] && frame[0].type_ == FRAME_DATA) lost_q <= 1'b1;
    if (!rst_ni) begin
      in_q   <= '0;
      out_q  <= '0;
      lost_q <= 1'b0;
    end
  end
  `GANTRY_ASSERT(a_sent, `GANTRY_IMPL(rec_valid[1], in_q != out_q))
  `GANTRY_ASSERT(a_level, CountW'(in_q - out_q) <= CountW'(2 * Bytes + 1))
  `GANTRY_ASSERT(a_word, `GANTRY_IMPL(rec_valid[1] && out_q == pick_i, rec[1] == {8{word_q}}))
  `GANTRY_ASSERT(a_only, !rec_valid[0])
  // what A sends within the room that it was told always fits
  `GANTRY_ASSERT(a_place, `GANTRY_IMPL(good[1] && gen_side[1].u_inbox.expected && seen[1].type_ == FRAME_DATA, !gen_side[1].u_inbox.over_q))
`ifdef REACH  // three bytes have come out, though the first frame was lost
  `GANTRY_ASSERT(a_reach, !(lost_q && out_q == CountW'(3)))
`endif
endmodule
