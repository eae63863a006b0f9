// SPDX-License-Identifier: Apache-2.0
// The board's side of the byte stream (docs/reference/board.md): bytes of a PHY to the records for the harness, and back, over frames
// that may get lost.  Responsible for: joining its parts, the answer to a HELLO.  Not responsible for: what a record says (the
// harness), pins and clocks (ft245_sync, async_fifo).  It has no timers: only the host has.
`include "gantry_assert.svh"

module board_link
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,
  /* verilator lint_off UNUSEDSIGNAL */
  input  hello_t      hello_i,      // constant: what this board is; flags, nonce and id are those of the question
  /* verilator lint_on UNUSEDSIGNAL */
  // bytes of the PHY; flush belongs to its byte: push out what the chip has, once this byte is in it
  input  logic        rx_valid_i,
  input  logic [7:0]  rx_data_i,
  output logic        rx_ready_o,
  output logic        tx_valid_o,
  output logic [7:0]  tx_data_o,
  output logic        tx_flush_o,
  input  logic        tx_ready_i,
  // One cycle: begin anew (target reset, records, marks).  What stands at snd_* in this cycle is not taken.
  output logic        attach_o,
  output logic [15:0] id_o,         // of the last HELLO with HELLO_ATTACH; new from the cycle of attach_o on
  // bytes of records to the harness
  output logic        rec_valid_o,
  output logic [7:0]  rec_data_o,
  input  logic        rec_ready_i,
  // and from it; end: last byte of a burst
  input  logic        snd_valid_i,
  input  logic [7:0]  snd_data_i,
  input  logic        snd_end_i,
  output logic        snd_ready_o
);
  head_t head;
  logic payload_valid, good, bad;
  logic [7:0] payload, next, room, attach_room;
  logic session, attach, hello, told, nak, tell, heard, heard_nak;
  /* verilator lint_off UNUSEDSIGNAL */
  question_t question;
  question_t asked_q;   // to be answered
  question_t answer_q;  // of the answer under way: another question may come meanwhile
  /* verilator lint_on UNUSEDSIGNAL */
  logic start, busy, sent_next;
  frame_t frame;
  logic [5:0] left;
  logic [7:0] sent_type, sent_kept, sent_hello;

  deframer u_deframer (
    .clk_i,
    .rst_ni,
    .valid_i        (rx_valid_i),
    .data_i         (rx_data_i),
    .ready_o        (rx_ready_o),
    .head_o         (head),
    .payload_valid_o(payload_valid),
    .payload_o      (payload),
    .good_o         (good),
    .bad_o          (bad)
  );
  inbox u_inbox (
    .clk_i,
    .rst_ni,
    .head_i         (head),
    .payload_valid_i(payload_valid),
    .payload_i      (payload),
    .good_i         (good),
    .bad_i          (bad),
    .session_o      (session),
    .attach_o       (attach),
    .attach_room_o  (attach_room),
    .hello_o        (hello),
    .question_o     (question),
    .id_o,
    .next_o         (next),
    .room_o         (room),
    .told_i         (told),
    .nak_o          (nak),
    .ack_o          (tell),
    .heard_o        (heard),
    .heard_nak_o    (heard_nak),
    .rec_valid_o,
    .rec_data_o,
    .rec_ready_i
  );
  outbox u_outbox (
    .clk_i,
    .rst_ni,
    .session_i     (session),
    .attach_i      (attach),
    .attach_room_i (attach_room),
    .hello_i       (hello),
    .heard_i       (heard),
    .ack_i         (head.ack),
    .room_i        (head.room),
    .heard_nak_i   (heard_nak),
    .nak_i         (nak),
    .tell_i        (tell),
    .snd_valid_i,
    .snd_data_i,
    .snd_end_i,
    .snd_ready_o,
    .start_o       (start),
    .frame_o       (frame),
    .busy_i        (busy),
    .payload_o     (sent_kept),
    .payload_next_i(sent_next)
  );
  framer u_framer (
    .clk_i,
    .rst_ni,
    .start_i       (start),
    .frame_i       (frame),
    .busy_o        (busy),
    .ack_i         (next),
    .room_i        (room),
    .told_o        (told),
    .payload_i     (sent_type == FRAME_HELLO ? sent_hello : sent_kept),
    .payload_next_o(sent_next),
    .payload_left_o(left),
    .payload_type_o(sent_type),
    .tx_valid_o,
    .tx_data_o,
    .tx_flush_o,
    .tx_ready_i
  );

  // The answer to a HELLO, by the number of bytes that are left of it: hello_i is constant, so this is a small table.
  hello_t answer;
  logic [HelloBytes-1:0][7:0] answer_bytes;
  logic [63:0][7:0] answer_left;
  always_comb begin
    answer = hello_i;
    answer.flags = answer_q.flags;
    answer.nonce = answer_q.nonce;
    answer.id = answer_q.id;
    answer_bytes = answer;
    answer_left = '0;
    for (int unsigned n = 1; n <= HelloBytes; n++) answer_left[n] = answer_bytes[HelloBytes-n];
  end
  assign sent_hello = answer_left[left];
  assign attach_o = attach;

  always_ff @(posedge clk_i) begin
    if (hello) asked_q <= question;
    if (start) answer_q <= asked_q;
  end

  // ---- assertions
  // before a session nothing is taken from the harness and nothing is handed to it
  `GANTRY_ASSERT(a_silent, session || !(rec_valid_o || snd_ready_o))
  `GANTRY_ASSERT(a_attach, `GANTRY_IMPL(attach_o, !snd_ready_o))
endmodule
