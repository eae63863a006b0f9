// SPDX-License-Identifier: Apache-2.0
// Bytes to frames: finds heads by their CRC-8, byte by byte where none stands, and judges each frame by its CRC-32.
// Responsible for: where a frame begins and ends, both checksums.  Not responsible for: what a frame means, whether it is the
// next one, where its payload goes (inbox).  Payload is handed on before the frame is judged.
`include "gantry_assert.svh"

module deframer
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
  import board_crc_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       valid_i,
  input  logic [7:0] data_i,
  output logic       ready_o,
  output head_t      head_o,           // stands from the first byte of payload to the cycle of good_o or bad_o
  output logic       payload_valid_o,
  output logic [7:0] payload_o,
  output logic       good_o,           // one cycle: the frame has come whole
  output logic       bad_o             // one cycle: a right head, and a wrong CRC-32
);
  typedef enum logic [1:0] {
    Hunt,  // bytes come into the window until a head stands in it
    Turn,  // the window goes round once through the CRC-32: only now it is known to be a head
    Body,
    Judge
  } state_e;

  localparam logic [3:0] HeadBytes = 4'(HeadBits / 8);
  localparam length_t CheckBytes = length_t'(FRAME_CHECK);

  state_e state_q;
  head_t window_q;         // the last eight bytes
  logic [3:0] count_q;     // Hunt: bytes in the window that belong to no earlier frame; Turn: bytes that went round
  logic [7:0] sum8_q;      // CRC-8, begun with 0, of the first seven bytes of the window
  logic [31:0] sum32_q;
  length_t left_q;         // bytes to come, CRC-32 included
  logic found, shift, take;
  logic [7:0] incoming;

  assign found = window_q.magic == FRAME_MAGIC && head_legal(window_q.type_, window_q.length) &&
      window_q.check == (sum8_q ^ Crc8Seven);
  assign ready_o = state_q == Body || (state_q == Hunt && count_q != HeadBytes);
  assign take = valid_i && ready_o;
  assign shift = state_q == Turn || (take && state_q == Hunt);
  assign incoming = state_q == Turn ? window_q.magic : data_i;
  assign head_o = window_q;
  assign payload_valid_o = take && state_q == Body && left_q > CheckBytes;
  assign payload_o = data_i;

  always_ff @(posedge clk_i) begin
    good_o <= 1'b0;
    bad_o  <= 1'b0;
    if (shift) begin
      window_q <= head_t'({incoming, window_q[HeadBits-1:8]});
      sum8_q   <= crc8_slide(sum8_q, window_q.check, window_q.magic);
      count_q  <= count_q + 4'd1;
    end
    if (state_q == Turn || state_q == Body && take) sum32_q <= crc32_byte(sum32_q, incoming);
    case (state_q)
      Hunt:
      if (count_q == HeadBytes) begin
        if (found) begin
          state_q <= Turn;
          count_q <= '0;
          sum32_q <= Crc32Begin;
          left_q  <= length_t'(window_q.length) + CheckBytes;
        end else begin
          count_q <= HeadBytes - 4'd1;
        end
      end
      Turn: if (count_q == HeadBytes - 4'd1) state_q <= Body;
      Body:
      if (take) begin
        left_q <= left_q - 9'd1;
        if (left_q == 9'd1) state_q <= Judge;
      end
      default: begin
        good_o  <= sum32_q == Crc32Residue;
        bad_o   <= sum32_q != Crc32Residue;
        state_q <= Hunt;
        count_q <= '0;
      end
    endcase
    if (!rst_ni) begin
      state_q  <= Hunt;
      count_q  <= '0;
      window_q <= '0;
      sum8_q   <= '0;
      good_o   <= 1'b0;
      bad_o    <= 1'b0;
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_count, count_q <= HeadBytes)
  // head and payload are at most 504 bytes, and the CRC-32 is never behind
  `GANTRY_ASSERT(a_left, state_q != Body || (left_q != '0 && 32'(left_q) <= FramePayload + 32'(FRAME_CHECK)))
  `GANTRY_ASSERT(a_judged, !(good_o && bad_o) && `GANTRY_IMPL(good_o || bad_o, head_legal(head_o.type_, head_o.length)))
`ifndef GANTRY_FORMAL  // there a solver would have to see through the sums
  // the sum that slides along is that of the bytes in the window
  function automatic logic [7:0] sum_of(input logic [6:0][7:0] bytes);
    logic [7:0] sum;
    sum = '0;
    for (int unsigned n = 0; n < 7; n++) sum = crc8_byte(sum, bytes[n]);
    return sum;
  endfunction
  `GANTRY_ASSERT(a_sum, sum8_q == sum_of(window_q[55:0]))
`endif
endmodule
