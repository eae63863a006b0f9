// SPDX-License-Identifier: Apache-2.0
// What goes to the host: cuts the harness's records into frames, keeps them until they are acknowledged, and chooses which frame is
// next: the answer to a HELLO, frames again from the last acknowledged one (go-back-N), new ones as far as the host has room, NAK, ACK.
// Responsible for: the numbers of frames, the host's room, the buffer of sent bytes.  Not responsible for: the form of a frame
// (framer), frames of the host (inbox).  Between two frames it does one thing a cycle or two: release a frame, go back, choose.
`include "gantry_assert.svh"

module outbox
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
#(
  parameter int unsigned Bytes = 4096,                // of the buffer; a power of two
  parameter int unsigned Frames = 32'(FRAME_WINDOW),  // in it, at most; a power of two
  parameter int unsigned FrameBytes = FramePayload    // of a full frame
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // session
  input  logic       session_i,
  input  logic       attach_i,
  input  logic [7:0] attach_room_i,
  input  logic       hello_i,
  // of the host's frames, and what they ask for
  input  logic       heard_i,         // one cycle, with its ack and room
  input  logic [7:0] ack_i,
  input  logic [7:0] room_i,
  input  logic       heard_nak_i,
  input  logic       nak_i,           // one cycle
  input  logic       tell_i,          // an ACK is worth sending
  // records; end: the host waits for what was sent so far
  input  logic       snd_valid_i,
  input  logic [7:0] snd_data_i,
  input  logic       snd_end_i,
  output logic       snd_ready_o,
  // to the framer
  output logic       start_o,
  output frame_t     frame_o,
  input  logic       busy_i,
  output logic [7:0] payload_o,
  input  logic       payload_next_i
);
  localparam int unsigned Aw = $clog2(Bytes);
  localparam int unsigned Fw = $clog2(Frames);
  typedef logic [Aw:0] place_t;  // of a byte of the stream, modulo two buffers
  typedef struct packed {
    logic       flush;
    logic [3:0] cost;  // units of room
    length_t    length;
  } entry_t;  // a frame that is kept
  typedef enum logic [2:0] {
    Choose,
    Release,  // the oldest frame is acknowledged
    Measure,  // has the host room for the next one
    Start,    // it has, or not
    Send
  } state_e;

  state_e state_q;
  // frames, by number: base_q <= send_q <= next_q, and send_q <= top_q
  logic [7:0] base_q;  // oldest that is kept
  logic [7:0] send_q;  // next to send
  logic [7:0] top_q;   // never sent so far
  logic [7:0] next_q;  // of the records that come now
  logic [7:0] ack_q;   // the host waits for it: all before are to be released
  place_t base_place_q;  // of the first byte of base_q
  place_t send_place_q;  // of the byte of send_q that is read next
  place_t next_place_q;  // of the byte of next_q that comes next
  length_t open_q;     // bytes of frame next_q so far
  length_t open_d;
  logic [7:0] room_q;  // of the host, counted behind ack_q
  logic [7:0] units_q; // of it used by frames base_q to send_q
  logic [8:0] slack_q; // room_q less units_q, a cycle late; negative when the host has told less than before
  logic fresh_q;       // not yet of this room_q
  logic full_q;        // no byte more, or no frame more; a cycle late when one is released
  logic [Fw:0] known_q;  // frames from base_q on that the host may know of: top_q - base_q
  logic blocked_q;     // the next frame found no room
  logic hello_q, nak_q, heard_nak_q, answer_q;  // what is to be done; answer_q: some frame must go, at least an ACK
  logic data_q;        // the frame under way is send_q
  logic fits_q;        // the next frame found room
  logic prime_q;       // the first byte of the frame under way is to be read
  entry_t entry, closing;
  logic [7:0] cost;
  // frames from base_q on: all, those that it acknowledges now
  logic [7:0] kept, acked;
  logic put, close, release_d, fits, fetch, hears;
  place_t limit, after;

  assign kept = next_q - base_q;
  assign acked = ack_i - base_q;
  assign hears = heard_i && acked <= 8'(known_q);
  assign limit = {~base_place_q[Aw], base_place_q[Aw-1:0]};
  assign after = next_place_q + 1'b1;
  assign snd_ready_o = session_i && !attach_i && !full_q;
  assign put = snd_valid_i && snd_ready_o;
  assign open_d = open_q + 9'd1;
  assign closing = '{flush: snd_end_i, cost: frame_units(open_d), length: open_d};
  assign close = put && (snd_end_i || open_d == length_t'(FrameBytes));
  assign release_d = base_q != ack_q;
  assign cost = 8'(entry.cost);
  assign fits = room_q == 8'hff || (!slack_q[8] && cost <= slack_q[7:0]);
  assign fetch = prime_q || (data_q && payload_next_i);

  always_comb begin
    start_o = 1'b0;
    frame_o = '{type_: FRAME_ACK, seq: top_q, length: '0, flush: 1'b1};
    if (state_q == Start) begin
      start_o = fits_q && session_i && !attach_i;
      frame_o = '{type_: FRAME_DATA, seq: send_q, length: entry.length, flush: entry.flush};
    end else if (state_q == Choose && !attach_i) begin
      if (hello_q) begin
        start_o = 1'b1;
        frame_o.type_ = FRAME_HELLO;
        frame_o.length = length_t'(HelloBytes);
      end else if (session_i && !release_d && !heard_nak_q) begin
        if (nak_q) begin
          start_o = 1'b1;
          frame_o.type_ = FRAME_NAK;
        end else if (send_q == next_q || blocked_q) begin
          start_o = answer_q || tell_i;
        end
      end
    end
  end

  ram_1r1w #(
    .Width(8),
    .Depth(Bytes)
  ) u_ring (
    .clk_i,
    .we_i   (put),
    .waddr_i(next_place_q[Aw-1:0]),
    .wdata_i(snd_data_i),
    .re_i   (fetch),
    .raddr_i(send_place_q[Aw-1:0]),
    .rdata_o(payload_o)
  );
  ram_1r1w #(
    .Width($bits(entry_t)),
    .Depth(Frames)
  ) u_frames (
    .clk_i,
    .we_i   (close),
    .waddr_i(next_q[Fw-1:0]),
    .wdata_i(closing),
    .re_i   (state_q == Choose),
    .raddr_i(release_d ? base_q[Fw-1:0] : send_q[Fw-1:0]),
    .rdata_o(entry)
  );

  always_ff @(posedge clk_i) begin
    if (put) begin
      next_place_q <= after;
      open_q       <= close ? '0 : open_d;
      if (close) next_q <= next_q + 8'd1;
    end
    full_q  <= (put ? after : next_place_q) == limit || kept == (close ? 8'(Frames - 1) : 8'(Frames));
    slack_q <= 9'(room_q) - 9'(units_q);
    fresh_q <= hears;
    prime_q <= 1'b0;
    if (fetch) send_place_q <= send_place_q + 1'b1;
    case (state_q)
      Choose: begin
        data_q <= 1'b0;
        if (start_o) state_q <= Send;
        if (hello_q) begin
          if (start_o) hello_q <= 1'b0;
        end else if (session_i) begin  // what goes first does not hang on start_o, which comes late
          if (release_d) begin
            state_q <= Release;
          end else if (heard_nak_q) begin
            heard_nak_q  <= 1'b0;
            answer_q     <= 1'b1;
            send_q       <= base_q;
            send_place_q <= base_place_q;
            units_q      <= '0;
            blocked_q    <= 1'b0;
          end else if (nak_q) begin
            if (start_o) nak_q <= 1'b0;
          end else if (send_q != next_q && !blocked_q) begin
            state_q <= Measure;
          end else if (start_o) begin
            answer_q <= 1'b0;
          end
        end
      end
      Release: begin
        state_q      <= Choose;
        blocked_q    <= 1'b0;
        base_q       <= base_q + 8'd1;
        known_q      <= known_q - 1'b1;
        base_place_q <= base_place_q + place_t'(entry.length);
        if (base_q == send_q) begin  // acknowledged after this side had gone back behind it
          send_q       <= send_q + 8'd1;
          send_place_q <= base_place_q + place_t'(entry.length);
        end else begin
          units_q <= units_q - cost;
        end
      end
      Measure: begin
        state_q   <= fresh_q ? Choose : Start;
        fits_q    <= fits;
        blocked_q <= !fits && !fresh_q;
      end
      Start:
      if (start_o) begin
        state_q  <= Send;
        data_q   <= 1'b1;
        prime_q  <= 1'b1;
        answer_q <= 1'b0;
      end else begin
        state_q <= Choose;
      end
      default:
      if (!busy_i) begin
        state_q <= Choose;
        if (data_q) begin
          send_q  <= send_q + 8'd1;
          units_q <= units_q + cost;
          if (send_q == top_q) begin
            top_q   <= top_q + 8'd1;
            known_q <= known_q + 1'b1;
          end
        end
      end
    endcase
    if (hears) begin
      ack_q     <= ack_i;
      room_q    <= room_i;
      blocked_q <= 1'b0;
    end
    if (heard_nak_i) heard_nak_q <= 1'b1;
    if (nak_i) nak_q <= 1'b1;
    if (attach_i || !rst_ni) begin
      base_q       <= '0;
      send_q       <= '0;
      top_q        <= '0;
      known_q      <= '0;
      full_q       <= 1'b0;
      next_q       <= '0;
      ack_q        <= '0;
      base_place_q <= '0;
      send_place_q <= '0;
      next_place_q <= '0;
      open_q       <= '0;
      room_q       <= attach_room_i;
      units_q      <= '0;
      blocked_q    <= 1'b0;
      nak_q        <= 1'b0;
      heard_nak_q  <= 1'b0;
      answer_q     <= 1'b0;
      data_q       <= 1'b0;  // a frame that is under way goes to its end, and is nobody's
      prime_q      <= 1'b0;
    end
    if (!rst_ni) hello_q <= 1'b0;
    else if (hello_i) hello_q <= 1'b1;
    if (!rst_ni || attach_i && state_q != Send) state_q <= Choose;
  end

  // ---- assertions
  `GANTRY_ASSERT(a_known, 8'(known_q) == top_q - base_q)
  `GANTRY_ASSERT(a_send, send_q - base_q <= 8'(known_q))
  `GANTRY_ASSERT(a_top, 8'(known_q) <= kept)
  `GANTRY_ASSERT(a_ack, ack_q - base_q <= 8'(known_q))
  `GANTRY_ASSERT(a_slack, `GANTRY_IMPL(state_q == Measure && !fresh_q, slack_q == 9'(room_q) - 9'(units_q)))
  `GANTRY_ASSERT(a_frames, 32'(kept) <= Frames && 32'(open_q) < FrameBytes)
  `GANTRY_ASSERT(a_kept, place_t'(next_place_q - base_place_q) <= place_t'(Bytes))
  `GANTRY_ASSERT(a_place, place_t'(send_place_q - base_place_q) <= place_t'(next_place_q - base_place_q))
  // room is used by frames that are sent and not acknowledged
  `GANTRY_ASSERT(a_units, units_q == '0 || state_q == Send || send_q != base_q)
endmodule
