// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/board/framer and deframer with a channel between them that drops bytes, changes bytes, and holds them up for any time.
// Every frame that is accepted was sent, in order and once, with the head and the payload that went in; a frame that comes whole to a
// deframer that looks for one is accepted, whatever came before.  Three frames of up to two bytes of payload.
// The CRCs are bits: the registers of the sums are cut off and free.  The CRC-32 is right for a frame that came whole, and for nothing
// else.  The CRC-8 is right for the head of a frame that was sent, and may be right for any other eight bytes, too.  How the sums are
// formed: framer_fv, and the benches of rtl/board.
// Helpers, by which this holds for any time, stand at the end.
`include "gantry_assert.svh"
module framer_channel_fv
  import gantry_stream_pkg::*;
  import board_link_pkg::*;
  import board_crc_pkg::*;
(
  input logic       clk_i,
  input logic       rst_ni,
  input logic       start_i,
  input logic [1:0] kind_i,
  input logic [7:0] seq_i,
  input logic       two_i,    // bytes of payload: two, else one
  input logic [7:0] ack_i,
  input logic [7:0] room_i,
  input logic [7:0] data_i,
  input logic       hold_i,   // the byte waits
  input logic       drop_i,   // it is lost
  input logic [7:0] noise_i   // what is added to it
);
  localparam logic [1:0] Hunt = 2'd0, Turn = 2'd1, Body = 2'd2, Judge = 2'd3;  // of the deframer
  localparam logic [2:0] FrIdle = 3'd0, FrHead = 3'd1, FrCheck = 3'd2, FrBody = 3'd3, FrTail = 3'd4;  // of the framer
  localparam logic [1:0] Frames = 2'd3;

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
`ifdef STEP  // from any state in which the helpers hold
  always_comb m_reset : assume (rst_ni);
`else
  always_comb m_reset : assume (rst_ni == started);
`endif

  frame_t frame;
  logic start, busy, told, tx_valid, tx_ready, rx_ready, move, payload_valid, good, bad, unused_next, unused_flush;
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
  assign frame = '{type_: kind, seq: seq_i, length: kind == FRAME_DATA ? (two_i ? 9'd2 : 9'd1) : 9'd0, flush: 1'b0};
  logic [1:0] begun_q, out_q;  // frames begun, and gone over the channel
  assign start = start_i && !busy && begun_q != Frames && rst_ni;
  assign tx_ready = !hold_i && (drop_i || rx_ready);
  assign move = tx_valid && !hold_i && !drop_i && rx_ready;  // it comes
  framer u_framer (
    .clk_i, .rst_ni, .start_i(start), .frame_i(frame), .busy_o(busy), .ack_i, .room_i, .told_o(told), .payload_i(data_i),
    .payload_next_o(unused_next), .payload_left_o(unused_left), .payload_type_o(unused_kind), .tx_valid_o(tx_valid), .tx_data_o(tx),
    .tx_flush_o(unused_flush), .tx_ready_i(tx_ready));
  deframer u_deframer (
    .clk_i, .rst_ni, .valid_i(tx_valid && !hold_i && !drop_i), .data_i(tx ^ noise_i), .ready_o(rx_ready), .head_o(head),
    .payload_valid_o(payload_valid), .payload_o(payload), .good_o(good), .bad_o(bad));

  // ---- what went in, and which byte of which frame stands at the channel
  frame_t [3:0] in_q;
  logic [3:0][7:0] ack_q, room_q;
  logic [3:0][1:0][7:0] bytes_q;
  logic put_q;
  logic [3:0] at_q, last;
  logic [1:0] making;
  assign making = begun_q - 2'd1;
  assign last = 4'd11 + in_q[out_q].length[3:0];  // number of its last byte
  always_ff @(posedge clk_i) begin
    if (start) begin
      begun_q       <= begun_q + 2'd1;
      in_q[begun_q] <= frame;
      put_q         <= 1'b0;
    end
    if (told) begin
      ack_q[making]  <= ack_i;
      room_q[making] <= room_i;
    end
    if (u_framer.load && u_framer.state_q == FrBody) begin
      put_q                  <= 1'b1;
      bytes_q[making][put_q] <= data_i;
    end
    if (tx_valid && tx_ready) begin
      at_q <= at_q == last ? 4'd0 : at_q + 4'd1;
      if (at_q == last) out_q <= out_q + 2'd1;
    end
    if (!rst_ni) begin
      begun_q <= '0;
      out_q   <= '0;
      at_q    <= '0;
    end
  end

  // ---- what has come: the last run_q bytes are the first ones of frame from_q, as they were sent
  logic [3:0] run_q, run_d, whole;
  logic [1:0] from_q, of_q, came_count_q;
  logic [1:0][7:0] came_bytes_q;
  logic began_q;    // the first of them came while the deframer looked for a head, and it has found none since
  logic genuine_q;  // the head that it has found is that of frame of_q
  logic came_q, match, hunts, found;
  assign run_d = noise_i != 8'd0 ? 4'd0 : at_q == 4'd0 ? 4'd1 : run_q != 4'd0 && run_q == at_q && from_q == out_q ? run_q + 4'd1 : 4'd0;
  assign whole = 4'd12 + in_q[from_q].length[3:0];
  assign match = genuine_q && run_q == whole;
  assign hunts = u_deframer.state_q == Hunt && u_deframer.count_q == 4'd8;
  assign found = hunts && u_deframer.found;
  always_ff @(posedge clk_i) begin
    came_q <= move;
    if (move) begin
      run_q <= run_d;
      if (at_q == 4'd0) begin
        from_q  <= out_q;
        began_q <= u_deframer.state_q == Hunt;
      end
    end
    if (found) begin
      genuine_q    <= run_q == 4'd8;
      of_q         <= from_q;
      began_q      <= 1'b0;
      came_count_q <= '0;
    end
    if (payload_valid) begin
      if (came_count_q != 2'd3) came_count_q <= came_count_q + 2'd1;
      came_bytes_q[came_count_q[0]] <= payload;
    end
    if (good || bad) genuine_q <= 1'b0;
    if (!rst_ni) begin
      came_q    <= 1'b0;
      run_q     <= '0;
      began_q   <= 1'b0;
      genuine_q <= 1'b0;
    end
  end

  // ---- the sums
  always_comb if (hunts && run_q == 4'd8) m_crc8 : assume (u_deframer.sum8_q == (u_deframer.window_q.check ^ Crc8Seven));
  always_comb if (u_deframer.state_q == Judge) m_crc32 : assume ((u_deframer.sum32_q == Crc32Residue) == match);

  // ---- properties
  logic [1:0] next_q;  // no frame before this one may be accepted any more
  head_t expected;
  always_ff @(posedge clk_i) begin
    if (good) next_q <= from_q + 2'd1;
    if (!rst_ni) next_q <= '0;
  end
  assign expected = '{magic: FRAME_MAGIC, type_: in_q[from_q].type_, length: 16'(in_q[from_q].length), seq: in_q[from_q].seq,
                      ack: ack_q[from_q], room: room_q[from_q], check: head.check};
  `GANTRY_ASSERT(a_sent, `GANTRY_IMPL(good, from_q >= next_q && from_q < begun_q))
  `GANTRY_ASSERT(a_head, `GANTRY_IMPL(good, head == expected))
  `GANTRY_ASSERT(a_length, `GANTRY_IMPL(good, 9'(came_count_q) == in_q[from_q].length))
  `GANTRY_ASSERT(a_first, `GANTRY_IMPL(good && came_count_q != 2'd0, came_bytes_q[0] == bytes_q[from_q][0]))
  `GANTRY_ASSERT(a_second, `GANTRY_IMPL(good && came_count_q == 2'd2, came_bytes_q[1] == bytes_q[from_q][1]))
  // a head that comes whole to one that looks for it is seen, and its frame judged behind its last byte
  `GANTRY_ASSERT(a_seen, `GANTRY_IMPL(came_q && run_q == 4'd8 && began_q, found))
  `GANTRY_ASSERT(a_whole, `GANTRY_IMPL(came_q && match, u_deframer.state_q == Judge))
`ifdef HELPERS
  // ---- helpers: what holds between two cycles of framer, channel and deframer, so that the properties are inductive
  // Byte n of frame f as it is sent; those of its sums are anything.
  function automatic logic [7:0] sent_byte(input logic [1:0] f, input logic [3:0] n);
    case (n)
      4'd0:    return FRAME_MAGIC;
      4'd1:    return in_q[f].type_;
      4'd2:    return in_q[f].length[7:0];
      4'd3:    return {7'd0, in_q[f].length[8]};
      4'd4:    return in_q[f].seq;
      4'd5:    return ack_q[f];
      4'd6:    return room_q[f];
      4'd8:    return bytes_q[f][0];
      default: return bytes_q[f][1];
    endcase
  endfunction
  function automatic logic same(input logic [7:0] b, input logic [1:0] f, input logic [3:0] n);
    logic sum;
    sum = n == 4'd7 || n >= 4'd8 + in_q[f].length[3:0];
    return sum || b == sent_byte(f, n);
  endfunction

  // ---- the framer: next_byte is the number of the byte that it makes next, of frame `making`
  logic [3:0] length_made, next_byte, left_made;
  assign length_made = in_q[making].length[3:0];
  assign left_made = u_framer.frame_q.length[3:0];
  always_comb begin
    case (u_framer.state_q)
      FrHead:  next_byte = {1'b0, u_framer.index_q};
      FrCheck: next_byte = 4'd7;
      FrBody:  next_byte = 4'd8 + length_made - left_made;
      default: next_byte = 4'd8 + length_made + {1'b0, u_framer.index_q};
    endcase
  end
  logic h_frames, h_made, h_place;
  always_comb begin
    h_frames = begun_q <= Frames && out_q <= begun_q;
    for (int unsigned f = 0; f < 3; f++)
      if (2'(f) < begun_q)
        h_frames &= !in_q[f].flush && (in_q[f].type_ == FRAME_DATA ? in_q[f].length inside {9'd1, 9'd2}
                                       : in_q[f].type_ inside {FRAME_ACK, FRAME_NAK} && in_q[f].length == 9'd0);
    h_made = 1'b1;
    if (u_framer.state_q != FrIdle) begin
      h_made = begun_q != 2'd0 && u_framer.state_q <= FrTail && u_framer.frame_q.type_ == in_q[making].type_ &&
          u_framer.frame_q.seq == in_q[making].seq && !u_framer.frame_q.flush && u_framer.frame_q.length[8:4] == '0;
      case (u_framer.state_q)
        FrHead:  h_made &= u_framer.index_q <= 3'd6 && left_made == length_made && !put_q &&
            (u_framer.index_q != 3'd6 || u_framer.room_q == room_q[making]);
        FrCheck: h_made &= left_made == length_made && !put_q;
        FrBody:  h_made &= left_made != 4'd0 && left_made <= length_made && put_q == (left_made != length_made) && u_framer.index_q == 3'd0;
        default: h_made &= left_made == 4'd0 && u_framer.index_q <= 3'd3;
      endcase
    end
    if (u_framer.state_q == FrIdle) h_place = tx_valid ? begun_q != 2'd0 && out_q == making && at_q == last : out_q == begun_q && at_q == 4'd0;
    else if (next_byte == 4'd0)
      h_place = tx_valid ? making != 2'd0 && out_q == making - 2'd1 && at_q == last : out_q == making && at_q == 4'd0;
    else h_place = out_q == making && at_q == (tx_valid ? next_byte - 4'd1 : next_byte);
    if (tx_valid) h_place &= same(tx, out_q, at_q);
  end

  // ---- what has come
  logic h_run, h_window, h_genuine, h_order;
  logic [3:0] eaten, length_of, window_count;  // eaten: bytes behind the head that the deframer has taken
  logic [8:0] left;
  logic unbroken;
  logic [7:0][7:0] bytes, turned;
  assign bytes = u_deframer.window_q;
  assign left = u_deframer.left_q;
  assign length_of = in_q[of_q].length[3:0];
  assign eaten = u_deframer.state_q == Turn ? 4'd0 : u_deframer.state_q == Body ? length_of + 4'd4 - left[3:0] : length_of + 4'd4;
  assign unbroken = from_q == of_q && run_q == 4'd8 + eaten;
  assign window_count = run_q < u_deframer.count_q ? run_q : u_deframer.count_q;
  head_t unturned;
  assign unturned = head_t'(turned);
  always_comb begin
    for (int unsigned b = 0; b < 8; b++) turned[b] = u_deframer.state_q == Turn ? bytes[3'(b) - u_deframer.count_q[2:0]] : bytes[b];
    h_run = run_q <= 4'd14;
    if (run_q != 4'd0) begin
      h_run &= from_q <= out_q && from_q < begun_q && run_q <= (from_q == out_q ? at_q : whole);
      if (began_q) h_run &= u_deframer.state_q == Hunt && run_q <= 4'd8 && run_q <= u_deframer.count_q;
    end
    h_window = u_deframer.count_q <= 4'd8;
    if (u_deframer.state_q == Hunt)
      for (int unsigned j = 0; j < 8; j++)
        if (4'(j) < window_count) h_window &= same(bytes[7-j], from_q, run_q - 4'd1 - 4'(j));
    if (u_deframer.state_q != Hunt || good || bad) h_window &= head_legal(unturned.type_, unturned.length);
    if (u_deframer.state_q == Turn) h_window &= u_deframer.count_q <= 4'd7 && 16'(left) == unturned.length + 16'd4;
    if (u_deframer.state_q == Body) h_window &= left != 9'd0 && left <= 9'd500;
    if (good || bad) h_window &= u_deframer.state_q == Hunt && u_deframer.count_q == 4'd0 && !(good && bad);
    h_genuine = !good || (genuine_q && unbroken);
    if (genuine_q) begin
      h_genuine &= (of_q < out_q || (of_q == out_q && at_q >= 4'd8)) && of_q < begun_q && (unbroken || run_q <= eaten);
      for (int unsigned b = 0; b < 8; b++) h_genuine &= same(turned[b], of_q, 4'(b));
      case (u_deframer.state_q)
        Turn:    h_genuine &= left == 9'(length_of) + 9'd4 && unbroken && came_count_q == 2'd0;
        Body:    h_genuine &= left <= 9'(length_of) + 9'd4;
        Hunt:    h_genuine &= good || bad;
        default: ;
      endcase
      h_genuine &= 4'(came_count_q) == (eaten < length_of ? eaten : length_of);
      for (int unsigned i = 0; i < 2; i++)
        if (unbroken && 2'(i) < came_count_q) h_genuine &= came_bytes_q[i] == bytes_q[of_q][i];
    end
    h_order = next_q <= out_q && (!genuine_q || of_q >= next_q);
    if (run_q != 4'd0) h_order &= from_q >= next_q || (from_q == next_q - 2'd1 && run_q == whole);
  end
  // what the assertions in both blocks need, and a byte that comes in no cycle of a judgement
  logic h_rest;
  assign h_rest = 32'(u_framer.fill_q) < PacketBytes && !(came_q && (good || bad)) &&
      (!u_framer.fresh_q || (tx_valid && (u_framer.state_q != FrTail || u_framer.index_q == 3'd0)));
  logic h_all;
  assign h_all = h_frames && h_made && h_place && h_run && h_window && h_genuine && h_order && h_rest;
`ifdef STEP
  logic first = 1'b1;
  always_ff @(posedge clk_i) first <= 1'b0;
  always_comb if (first) m_before : assume (h_all);
  `GANTRY_ASSERT(h_step, first || h_all)
`else
  `GANTRY_ASSERT(h_base, h_all)
`endif
`endif
`ifdef REACH  // one way through: the second of three frames is damaged, every other cycle holds a byte up; the third frame is accepted
  logic odd_q;
  always_ff @(posedge clk_i) odd_q <= rst_ni && !odd_q;
  always_comb m_way : assume (start_i && kind_i == 2'd2 && !two_i && hold_i == odd_q && !drop_i &&
                              noise_i == (out_q == 2'd1 && at_q == 4'd9 ? 8'h10 : 8'h00));
  always_comb if (hunts && run_q != 4'd8) m_only : assume (u_deframer.sum8_q != (u_deframer.window_q.check ^ Crc8Seven));
  logic first_q, damaged_q, held_q;
  always_ff @(posedge clk_i) begin
    if (good && from_q == 2'd0) first_q <= 1'b1;
    if (move && noise_i != 8'd0 && out_q == 2'd1) damaged_q <= 1'b1;
    if (tx_valid && hold_i && out_q == 2'd1) held_q <= 1'b1;
    if (!rst_ni) {first_q, damaged_q, held_q} <= '0;
  end
  `GANTRY_ASSERT(a_reach, !(first_q && damaged_q && held_q && good && from_q == 2'd2 && in_q[2].length == 9'd1))
`endif
endmodule
