// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/board/framer and deframer, the one behind the other without pauses: every frame that is begun is judged
// right, once, in order, with the head and the payload that went in.  The CRC-8 is the real one; for the CRC-32 stands another sum
// (framer_crc_pkg).  A channel that drops, damages and holds up: framer_channel_fv; what becomes of lost frames: board_frames_fv.
`include "gantry_assert.svh"
module framer_fv
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       start_i,
  input logic [1:0] kind_i,
  input logic [7:0] seq_i,
  input logic       two_i,     // bytes of payload: two, else one
  input logic       flush_i,
  input logic [7:0] ack_i,
  input logic [7:0] room_i,
  input logic [7:0] data_i,
  input logic       pause_i
);
  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) begin
    started  <= 1'b1;
  end
  always_comb m_reset : assume (rst_ni == started);
  // A solver does not see through sums whose bytes come at any time: pauses are the bench's matter.
  always_comb m_time : assume (start_i && !pause_i);

  frame_t frame;
  logic start, busy, told, next, tx_valid, tx_flush, rx_ready, move, payload_valid, good, bad;
  logic [7:0] tx, payload, kind, unused_kind;
  logic [5:0] unused_left;
  head_t head;
  always_comb begin
    case (kind_i)
      2'd0:    kind = FRAME_ACK;
      2'd1:    kind = FRAME_NAK;
      default: kind = FRAME_DATA;
    endcase
  end
  assign frame = '{type_: kind, seq: seq_i, length: kind == FRAME_DATA ? (two_i ? 9'd2 : 9'd1) : 9'd0, flush: flush_i};
  logic [1:0] begun_q, judged_q;
  assign start = start_i && !busy && begun_q != 2'd2 && rst_ni;
  framer u_framer (
    .clk_i, .rst_ni, .start_i(start), .frame_i(frame), .busy_o(busy), .ack_i, .room_i, .told_o(told), .payload_i(data_i), .payload_next_o(next),
    .payload_left_o(unused_left), .payload_type_o(unused_kind), .tx_valid_o(tx_valid), .tx_data_o(tx), .tx_flush_o(tx_flush),
    .tx_ready_i(rx_ready && !pause_i));
  assign move = tx_valid && !pause_i;
  deframer u_deframer (
    .clk_i, .rst_ni, .valid_i(move), .data_i(tx), .ready_o(rx_ready), .head_o(head), .payload_valid_o(payload_valid),
    .payload_o(payload), .good_o(good), .bad_o(bad));

  // what went in, of two frames
  frame_t [1:0] in_q;
  logic [1:0][7:0] ack_q, room_q, came_q;
  logic [1:0][1:0][7:0] bytes_q;
  logic [1:0] put_q, came_count_q;
  logic load;
  assign load = u_framer.load && u_framer.state_q == 3'd3;  // Body
  logic which;
  assign which = begun_q == 2'd2;  // the frame that is being made
  always_ff @(posedge clk_i) begin
    if (start) begin
      begun_q          <= begun_q + 2'd1;
      in_q[begun_q[0]] <= frame;
      put_q            <= '0;
    end
    if (told) begin
      ack_q[which]  <= ack_i;
      room_q[which] <= room_i;
    end
    if (load) begin
      put_q                    <= put_q + 2'd1;
      bytes_q[which][put_q[0]] <= data_i;
    end
    if (payload_valid) begin
      came_count_q            <= came_count_q + 2'd1;
      came_q[came_count_q[0]] <= payload;
    end
    if (good || bad) begin
      judged_q     <= judged_q + 2'd1;
      came_count_q <= '0;
    end
    if (!rst_ni) begin
      begun_q      <= '0;
      judged_q     <= '0;
      came_count_q <= '0;
    end
  end

  logic at;
  head_t expected;
  assign at = judged_q[0];
  assign expected = '{magic: FRAME_MAGIC, type_: in_q[at].type_, length: 16'(in_q[at].length), seq: in_q[at].seq, ack: ack_q[at], room: room_q[at],
                      check: head.check};
  `GANTRY_ASSERT(a_never_bad, !bad)
  `GANTRY_ASSERT(a_once, `GANTRY_IMPL(good, judged_q < begun_q))
  `GANTRY_ASSERT(a_head, `GANTRY_IMPL(good, head == expected))
  `GANTRY_ASSERT(a_length, `GANTRY_IMPL(good, 9'(came_count_q) == in_q[at].length))
  `GANTRY_ASSERT(a_first, `GANTRY_IMPL(good && came_count_q != 2'd0, came_q[0] == bytes_q[at][0]))
  `GANTRY_ASSERT(a_second, `GANTRY_IMPL(good && came_count_q == 2'd2, came_q[1] == bytes_q[at][1]))
`ifdef REACH
  logic two_q;
  always_ff @(posedge clk_i) begin
    if (good && in_q[at].length == 9'd2) two_q <= 1'b1;
    if (!rst_ni) two_q <= 1'b0;
  end
  `GANTRY_ASSERT(a_reach, !(two_q && judged_q == 2'd2 && in_q[1].length == 9'd1))
`endif
endmodule
