// SPDX-License-Identifier: Apache-2.0
// One frame at a time to bytes: head with its CRC-8, payload, CRC-32, and the end of a burst: the flush belongs to its last byte.
// A burst whose bytes since the last flush fill packets exactly gets one byte 0x00 more, since an empty chip has nothing to flush.
// Responsible for: the form of a frame, packets' ends.  Not responsible for: which frame, and where its payload is (outbox).
`include "gantry_assert.svh"

module framer
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
  import board_crc_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       start_i,         // one cycle, while not busy
  input  frame_t     frame_i,
  output logic       busy_o,
  // for the head, at the time at which it goes out
  input  logic [7:0] ack_i,
  input  logic [7:0] room_i,
  output logic       told_o,          // one cycle: both are in a head now
  // payload
  input  logic [7:0] payload_i,       // the next byte
  output logic       payload_next_o,  // one cycle: the byte after it is wanted, a cycle later
  output logic [5:0] payload_left_o,  // bytes from payload_i on, the lowest six bits: all there are of a HELLO
  output logic [7:0] payload_type_o,  // of this frame
  // bytes
  output logic       tx_valid_o,
  output logic [7:0] tx_data_o,
  output logic       tx_flush_o,
  input  logic       tx_ready_i
);
  typedef enum logic [2:0] {
    Idle,
    Head,   // seven bytes
    Check,  // CRC-8
    Body,
    Tail,   // CRC-32
    Pad
  } state_e;

  state_e state_q;
  frame_t frame_q;         // its length: bytes that are left
  logic [2:0] index_q;     // of the head's or the tail's next byte
  logic [7:0] room_q;      // belongs to the ack that has gone out
  logic [7:0] sum8_q;
  logic [31:0] sum32_q;
  logic fresh_q;           // the byte in tx_data_o is not in the sums yet
  logic [8:0] fill_q;      // bytes since the last flush, modulo a packet
  logic free, load, in_sum, last, flush;
  logic [7:0] byte_d;

  assign busy_o = state_q != Idle;
  assign free = !tx_valid_o || tx_ready_i;
  // a sum is complete one cycle behind the last byte of it
  assign load = free && state_q != Idle && !(fresh_q && (state_q == Check || state_q == Tail));
  assign in_sum = state_q == Head || state_q == Check || state_q == Body;
  assign told_o = load && state_q == Head && index_q == 3'd5;
  assign payload_next_o = load && state_q == Body && frame_q.length != 9'd1;
  assign payload_left_o = frame_q.length[5:0];
  assign payload_type_o = frame_q.type_;
  assign last = state_q == Pad || (state_q == Tail && index_q == 3'd3);
  assign flush = state_q == Pad || (last && frame_q.flush && fill_q != 9'(PacketBytes - 1));

  always_comb begin
    case (state_q)
      Head:
      case (index_q)
        3'd0:    byte_d = FRAME_MAGIC;
        3'd1:    byte_d = frame_q.type_;
        3'd2:    byte_d = frame_q.length[7:0];
        3'd3:    byte_d = {7'd0, frame_q.length[8]};
        3'd4:    byte_d = frame_q.seq;
        3'd5:    byte_d = ack_i;
        default: byte_d = room_q;
      endcase
      Check:   byte_d = sum8_q;
      Body:    byte_d = payload_i;
      Tail:    byte_d = ~sum32_q[7:0];
      default: byte_d = 8'h00;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (tx_ready_i) tx_valid_o <= 1'b0;
    fresh_q <= 1'b0;
    if (fresh_q) begin
      sum8_q  <= crc8_byte(sum8_q, tx_data_o);
      sum32_q <= crc32_byte(sum32_q, tx_data_o);
    end
    if (start_i) begin
      state_q <= Head;
      frame_q <= frame_i;
      index_q <= '0;
      sum8_q  <= Crc8Begin;
      sum32_q <= Crc32Begin;
    end
    if (load) begin
      tx_valid_o <= 1'b1;
      tx_data_o  <= byte_d;
      tx_flush_o <= flush;
      fresh_q    <= in_sum;
      fill_q     <= flush || fill_q == 9'(PacketBytes - 1) ? '0 : fill_q + 9'd1;
      case (state_q)
        Head: begin
          index_q <= index_q + 3'd1;
          if (told_o) room_q <= room_i;
          if (index_q == 3'd6) state_q <= Check;
        end
        Check: begin
          index_q <= '0;
          state_q <= frame_q.length == '0 ? Tail : Body;
        end
        Body: begin
          frame_q.length <= frame_q.length - 9'd1;
          if (frame_q.length == 9'd1) state_q <= Tail;
        end
        Tail: begin
          index_q <= index_q + 3'd1;
          sum32_q <= {8'd0, sum32_q[31:8]};
          if (last) state_q <= frame_q.flush && !flush ? Pad : Idle;
        end
        default: state_q <= Idle;
      endcase
    end
    if (!rst_ni) begin
      state_q    <= Idle;
      tx_valid_o <= 1'b0;
      fresh_q    <= 1'b0;
      fill_q     <= '0;
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_start, `GANTRY_IMPL(start_i, !busy_o))
  `GANTRY_ASSERT(a_length, `GANTRY_IMPL(state_q == Body, frame_q.length != '0 && 32'(frame_q.length) <= FramePayload))
  `GANTRY_ASSERT(a_fill, 32'(fill_q) < PacketBytes)
  // a sum is never used or shifted while a byte is missing in it
  `GANTRY_ASSERT(a_sum, `GANTRY_IMPL(fresh_q, tx_valid_o && !(state_q == Tail && index_q != '0)))
endmodule
