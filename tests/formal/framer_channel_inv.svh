// SPDX-License-Identifier: Apache-2.0
// Helpers of framer_channel_fv: what holds between two cycles of framer, channel and deframer, so that its properties are inductive.

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
