// SPDX-License-Identifier: Apache-2.0
// What the host's frames bring: the records in their order, and what the other parts must do about each frame.
// Responsible for: session, the number of the frame that is expected, NAK of a gap, the buffer of records and the room in it.
// Not responsible for: frames of this side (outbox), the checksums (deframer).
`include "gantry_assert.svh"

module inbox
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
#(
  parameter int unsigned Bytes = 4096  // of the buffer; a power of two
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // frames
  /* verilator lint_off UNUSEDSIGNAL */
  input  head_t      head_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic       payload_valid_i,
  input  logic [7:0] payload_i,
  input  logic       good_i,
  input  logic       bad_i,
  // session
  output logic       session_o,
  output logic       attach_o,         // one cycle: all begins anew
  output logic [7:0] attach_room_o,    // with it: units the host has room for
  output logic       hello_o,          // one cycle: a HELLO wants its answer, with attach_o or without
  output question_t  question_o,       // stands until the next frame's payload
  output logic [15:0] id_o,            // of the last HELLO with HELLO_ATTACH
  // what the frames of this side say, and what must be said
  output logic [7:0] next_o,           // frame that is waited for
  output logic [7:0] room_o,           // units
  input  logic       told_i,           // both go out in a head
  output logic       nak_o,            // one cycle: a NAK is due
  output logic       ack_o,            // an ACK is worth sending
  output logic       heard_o,          // one cycle, of a good frame in the session: head_i's ack and room count
  output logic       heard_nak_o,      // the same of a NAK
  // records
  output logic       rec_valid_o,
  output logic [7:0] rec_data_o,
  input  logic       rec_ready_i
);
  localparam int unsigned Aw = $clog2(Bytes);
  typedef logic [Aw:0] place_t;  // of a byte of the stream, modulo two buffers

  place_t write_q;    // of the next byte, belonging to a frame that is not judged
  place_t end_q;      // of all that was taken
  place_t read_q;     // of the next byte to leave the memory
  place_t space;      // bytes free behind end_q
  logic have_q;       // the memory's output is the next byte
  logic over_q;       // the frame does not fit
  logic session_q;
  logic attach_q, hello_q;
  logic [7:0] attach_room_q;
  logic asked_q;      // a NAK was sent since a frame was taken
  logic [7:0] next_q;
  logic [7:0] last_q;  // number of the last frame that was not taken
  logic [7:0] credit_q;  // units the host may still send by what it was told
  logic tell_q;
  question_t question_q;
  logic [3:0] index_q;   // of the payload, up to the question's end
  logic [15:0] id_q;
  logic full, write, fetch, data, expected, behind, taken, missed, back;
  logic [7:0] ahead, credit;

  assign space = {~read_q[Aw], read_q[Aw-1:0]} - end_q;
  assign full = write_q == {~read_q[Aw], read_q[Aw-1:0]};
  assign write = payload_valid_i && !full;
  assign data = head_i.type_ == FRAME_DATA;
  assign ahead = head_i.seq - next_q;
  assign expected = ahead == '0;
  assign behind = ahead >= 8'd128;
  assign taken = good_i && session_q && data && expected && !over_q;
  assign missed = session_q && (bad_i || (good_i && data && !taken && !behind));
  // the sender has gone back, and what was asked for has got lost again
  assign back = 8'(head_i.seq - last_q) >= 8'd128;

  assign session_o = session_q;
  assign attach_o = attach_q;
  assign attach_room_o = attach_room_q;
  assign hello_o = hello_q;
  assign question_o = question_q;
  assign id_o = id_q;
  assign next_o = next_q;
  assign room_o = 8'(space / place_t'(FRAME_UNIT));
  assign nak_o = missed && (!asked_q || back);
  assign heard_o = good_i && session_q && head_i.type_ != FRAME_HELLO && head_i.type_ != FRAME_BYE;
  assign heard_nak_o = heard_o && head_i.type_ == FRAME_NAK;

  // A sender that knows of less than a whole frame's room may wait for it; and of much more room it should know in time.
  // A cycle late: a head that tells it keeps the outbox for longer.
  assign ack_o = tell_q;
  assign credit = told_i ? room_o : credit_q;

  assign fetch = read_q != end_q && (!have_q || rec_ready_i);
  assign rec_valid_o = have_q && session_q;

  ram_1r1w #(
    .Width(8),
    .Depth(Bytes)
  ) u_ring (
    .clk_i,
    .we_i   (write),
    .waddr_i(write_q[Aw-1:0]),
    .wdata_i(payload_i),
    .re_i   (fetch),
    .raddr_i(read_q[Aw-1:0]),
    .rdata_o(rec_data_o)
  );

  always_ff @(posedge clk_i) begin
    attach_q <= 1'b0;
    hello_q  <= 1'b0;
    if (payload_valid_i) begin
      if (index_q != 4'(QuestionEnd)) begin
        question_q <= question_t'({payload_i, question_q[$bits(question_t)-1:8]});
        index_q    <= index_q + 4'd1;
      end
      if (full) over_q <= 1'b1;
      else write_q <= write_q + 1'b1;
    end
    if (good_i || bad_i) begin
      index_q <= '0;
      over_q  <= 1'b0;
      write_q <= end_q;
    end
    tell_q   <= room_o >= 8'(TellUnits) && (credit_q < 8'(FullUnits) || room_o >= credit_q + 8'(TellUnits));
    credit_q <= credit;
    if (taken) begin
      next_q   <= next_q + 8'd1;
      end_q    <= write_q;
      write_q  <= write_q;
      asked_q  <= 1'b0;
      credit_q <= credit - 8'(frame_units(length_t'(head_i.length)));
    end
    if (missed) begin
      asked_q <= 1'b1;
      last_q  <= head_i.seq;
    end
    if (fetch) begin
      read_q <= read_q + 1'b1;
      have_q <= 1'b1;
    end else if (rec_ready_i) begin
      have_q <= 1'b0;
    end
    if (good_i && session_q && head_i.type_ == FRAME_BYE) session_q <= 1'b0;
    if (good_i && head_i.type_ == FRAME_HELLO) begin
      hello_q <= 1'b1;
      if ((question_q.flags & HELLO_ATTACH) != '0) begin
        attach_q      <= 1'b1;
        attach_room_q <= head_i.room;
        session_q     <= 1'b1;
        id_q          <= question_q.id;
      end
    end
    if (attach_q || !rst_ni) begin
      write_q  <= '0;
      end_q    <= '0;
      read_q   <= '0;
      have_q   <= 1'b0;
      next_q   <= '0;
      asked_q  <= 1'b0;
      tell_q   <= 1'b0;
      credit_q <= 8'(Bytes / 32'(FRAME_UNIT));
    end
    if (!rst_ni) begin
      session_q <= 1'b0;
      attach_q  <= 1'b0;
      hello_q   <= 1'b0;
      index_q   <= '0;
      over_q    <= 1'b0;
      id_q      <= '0;
    end
  end

  // ---- assertions
  // read, taken, written: in this order, and never more than the buffer holds
  `GANTRY_ASSERT(a_taken, place_t'(end_q - read_q) <= place_t'(Bytes))
  `GANTRY_ASSERT(a_written, place_t'(write_q - read_q) <= place_t'(Bytes))
  `GANTRY_ASSERT(a_judged, place_t'(write_q - end_q) <= place_t'(write_q - read_q))
  `GANTRY_ASSERT(a_attached, `GANTRY_IMPL(attach_o, hello_o && session_o))
endmodule
