// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/noc/noc_xbar at a small size (3 inputs, 2 outputs, queues and credits of 2).  The environment sends to any
// output at any time within its credits, and gives credits of an output back at any time.  One freely chosen input is
// followed: each of its messages leaves once, in order, unaltered, where it wants to go; what it has inside plus its credits
// is always the depth; no output sends without credit; an output with a credit and a head that wants it sends in that very
// cycle, and the followed head sees at most In - 1 messages of others before its own: nobody starves.
// Not responsible for: other sizes (tests/rtl/noc/part_noc), counters.
`include "gantry_assert.svh"
module noc_xbar_fv #(
  parameter int unsigned In = 3,
  parameter int unsigned Out = 2,
  parameter int unsigned Depth = 2,
  parameter int unsigned OutCredits = 2,
  parameter int unsigned CountW = 3  // tells more messages of the followed input apart than can be inside
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic        [  In-1:0] send_i,
  input logic        [  In-1:0] dest_i,
  input logic        [  In-1:0] data_i,
  input logic        [ Out-1:0] credit_i,
  input logic        [     1:0] pick_i,   // the input that is followed: free, but constant
  input logic        [CountW-1:0] nth_i  // its message whose contents are followed: free, but constant
);
  typedef struct packed {
    logic       data;
    logic [7:0] source;
    logic [7:0] dest;
  } message_t;

  logic [In-1:0] in_valid, in_credit;
  message_t in_message[In];
  logic [Out-1:0] out_valid, out_credit;
  message_t out_message[Out];
  logic [63:0] moved, blocked;
  logic idle;
  noc_xbar #(
    .In(In), .Out(Out), .Msg(message_t), .Depth(Depth), .OutCredits(OutCredits), .DestLsb(0), .SetSource(1'b1), .SourceLsb(8)
  ) u_dut (
    .clk_i, .rst_ni, .in_valid_i(in_valid), .in_i(in_message), .in_credit_o(in_credit), .out_valid_o(out_valid),
    .out_o(out_message), .out_credit_i(out_credit), .hold_i(1'b0), .discard_i(1'b0), .dropping_o(), .moved_o(moved), .blocked_o(blocked), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [1:0] pick_q;
  logic [CountW-1:0] nth_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
    nth_q   <= nth_i;
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_pick
    assume (32'(pick_i) < In);
    if (started) assume (pick_i == pick_q && nth_i == nth_q);
  end

  // ---- environment
  logic [In-1:0][1:0] room_q;    // credits of each input
  logic [Out-1:0][1:0] taken_q;  // messages that each output has not got a credit back for
  for (genvar i = 0; i < In; i++) begin : gen_in
    assign in_valid[i]   = send_i[i] && (room_q[i] != '0 || in_credit[i]);
    assign in_message[i] = '{data: data_i[i], source: 8'hFF, dest: 8'(dest_i[i])};
  end
  for (genvar o = 0; o < Out; o++) begin : gen_out
    assign out_credit[o] = credit_i[o] && taken_q[o] != '0;
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < In; i++) room_q[i] <= room_q[i] + 2'(in_credit[i]) - 2'(in_valid[i]);
    for (int unsigned o = 0; o < Out; o++) taken_q[o] <= taken_q[o] + 2'(out_valid[o]) - 2'(out_credit[o]);
    if (!rst_ni) begin
      room_q  <= {In{2'(Depth)}};
      taken_q <= '0;
    end
  end

  // ---- the followed input: what is inside, and the destinations of its first two
  logic leaves, at, head;            // one of its messages is at output `at`
  logic [CountW-1:0] in_q, out_q;    // messages that came and left
  logic [1:0] level_q, level;        // inside before, without what leaves
  logic [1:0] dests_q;
  logic word_q, word_dest_q;
  logic [Out-1:0] from_pick;
  logic [1:0] others_q, others;      // messages at the output that the head wants, since it is head
  logic waits_q, could_q;
  logic wants_q;
  for (genvar o = 0; o < Out; o++) begin : gen_from
    assign from_pick[o] = out_valid[o] && out_message[o].source == 8'(pick_i);
  end
  assign leaves = from_pick != '0;
  assign at     = from_pick[1];
  assign level  = level_q - 2'(leaves);
  assign head   = leaves ? dests_q[1] : dests_q[0];
  assign others = leaves ? 2'd0 : others_q + 2'(waits_q && out_valid[wants_q]);
  always_ff @(posedge clk_i) begin
    level_q <= level + 2'(in_valid[pick_i]);
    dests_q <= {level != '0 && in_valid[pick_i] ? dest_i[pick_i] : dests_q[1],
                level == '0 ? dest_i[pick_i] : head};
    out_q   <= out_q + CountW'(leaves);
    if (in_valid[pick_i]) begin
      in_q <= in_q + 1'b1;
      if (in_q == nth_i) begin
        word_q      <= data_i[pick_i];
        word_dest_q <= dest_i[pick_i];
      end
    end
    waits_q  <= level != '0;  // it is head in the choice of this cycle, of this output:
    wants_q  <= head;
    could_q  <= level != '0 && (taken_q[head] + 2'(out_valid[head]) != 2'(OutCredits) || out_credit[head]);
    others_q <= level == '0 ? 2'd0 : others;
    if (!rst_ni) begin
      level_q  <= '0;
      in_q     <= '0;
      out_q    <= '0;
      others_q <= '0;
      waits_q  <= 1'b0;
      could_q  <= 1'b0;
    end
  end

  `GANTRY_ASSERT(a_once, from_pick != '1)
  `GANTRY_ASSERT(a_way, `GANTRY_IMPL(leaves, level_q != '0 && at == dests_q[0]))
  `GANTRY_ASSERT(a_word, `GANTRY_IMPL(leaves && out_q == nth_i, out_message[at].data == word_q && at == word_dest_q))
  `GANTRY_ASSERT(a_room, 2'(Depth) - room_q[pick_i] == level_q && in_credit[pick_i] == leaves)
  `GANTRY_ASSERT(a_credit, `GANTRY_IMPL(out_valid[0], taken_q[0] != 2'(OutCredits))
                           && `GANTRY_IMPL(out_valid[1], taken_q[1] != 2'(OutCredits)))
  `GANTRY_ASSERT(a_sends, `GANTRY_IMPL(could_q, out_valid[wants_q]))
  `GANTRY_ASSERT(a_fair, 32'(others) <= In - 1)
  `GANTRY_ASSERT(a_idle, `GANTRY_IMPL(idle, level == '0))
`ifdef SHORT  // of a search for one history: one output, one content, so that it is short
  always_comb begin : m_short
    assume (dest_i == '0 && data_i == '0 && nth_i == '0 && pick_i == 2'd2);
  end
`endif
`ifdef REACH  // this assertion must fail: every other input was served while the followed head waited, then it is, and all went
  logic served_q;
  always_ff @(posedge clk_i) begin
    served_q <= served_q || (leaves && 32'(others_q) == In - 1);
    if (!rst_ni) served_q <= 1'b0;
  end
  `GANTRY_ASSERT(c_served, !(served_q && idle && taken_q == '0 && out_q == CountW'(2)))
`endif
`ifdef HELPERS
  // Helpers: with them the properties above are inductive.  In words: an
  // input's queue and its credits make up the depth; exactly the head of a queue that is not empty stands in the vector of the
  // output it wants; an output's credits are what its receiver has room for; the followed input's queue holds what the
  // properties remember of it; and each message that goes past the followed head brings the turn nearer to it.
  message_t [In-1:0][Depth-1:0] held;  // of each queue, the head first
  for (genvar i = 0; i < In; i++) begin : gen_queue
    for (genvar d = 0; d < Depth; d++) begin : gen_row
      assign held[i][d] = u_dut.u_peek.p_store[i*Depth+32'(1'(u_dut.u_peek.p_first[i][0]+1'(d)))];
      `GANTRY_ASSERT(h_dest, `GANTRY_IMPL(d < u_dut.u_peek.p_count[i], 32'(held[i][d].dest) < Out && held[i][d].source == 8'(i)))
    end
    `GANTRY_ASSERT(h_room, u_dut.u_peek.p_count[i] <= Depth
        && u_dut.u_peek.p_count[i] + 32'(room_q[i]) + 32'(in_credit[i]) == Depth)
    `GANTRY_ASSERT(h_want, {u_dut.u_peek.p_low[1][i], u_dut.u_peek.p_low[0][i]}
        == (u_dut.u_peek.p_count[i] == '0 ? 2'b00 : held[i][0].dest[0] ? 2'b10 : 2'b01))
  end
  for (genvar o = 0; o < Out; o++) begin : gen_output
    `GANTRY_ASSERT(h_vector, u_dut.u_peek.p_high[o] == '0 && u_dut.u_peek.p_low[o][63:In] == '0
        && u_dut.u_peek.waiting[o] == (u_dut.u_peek.p_low[o] != '0) && u_dut.u_peek.p_turn[o] < In)
    `GANTRY_ASSERT(h_credit, 32'(taken_q[o]) <= OutCredits
        && u_dut.u_peek.p_credits[o] + 32'(taken_q[o]) + 32'(out_valid[o]) == OutCredits)
    `GANTRY_ASSERT(h_out, `GANTRY_IMPL(out_valid[o], 32'(out_message[o].source) < In && 32'(out_message[o].dest) == o
        && in_credit[out_message[o].source[1:0]]))
  end
  `GANTRY_ASSERT(h_unused, u_dut.u_peek.waiting[7:Out] == '0)
  `GANTRY_ASSERT(h_sources, !(out_valid == '1 && out_message[0].source == out_message[1].source)
      && 2'(out_valid[0]) + 2'(out_valid[1]) == 2'(in_credit[0]) + 2'(in_credit[1]) + 2'(in_credit[2]))
  `GANTRY_ASSERT(h_busy, u_dut.u_peek.busy == (out_valid != '0) && idle == (u_dut.u_peek.waiting == '0 && !u_dut.u_peek.busy))

  // the followed input
  logic [CountW-1:0] place;  // of the followed message in its queue
  logic [1:0] ahead;        // inputs that the turn reaches before it
  assign place  = nth_i - out_q - CountW'(leaves);
  assign ahead = 2'(32'(pick_i) >= u_dut.u_peek.p_turn[head] ? 32'(pick_i) - u_dut.u_peek.p_turn[head]
                                                              : 32'(pick_i) + In - u_dut.u_peek.p_turn[head]);
  `GANTRY_ASSERT(h_level, CountW'(level_q) == in_q - out_q && level_q <= 2'(Depth) && 32'(level) == u_dut.u_peek.p_count[pick_i])
  `GANTRY_ASSERT(h_heads, `GANTRY_IMPL(level != '0, held[pick_i][0].dest == 8'(head))
      && `GANTRY_IMPL(level == 2'd2, held[pick_i][1].dest == 8'(dests_q[1]) && !leaves))
  `GANTRY_ASSERT(h_word, `GANTRY_IMPL(place < CountW'(level), held[pick_i][place[0]].data == word_q
      && held[pick_i][place[0]].dest == 8'(word_dest_q)))
  `GANTRY_ASSERT(h_left, `GANTRY_IMPL(leaves, level_q != '0 && out_message[at].dest == 8'(dests_q[0]))
      && `GANTRY_IMPL(leaves && out_q == nth_i, out_message[at].data == word_q && at == word_dest_q))
  `GANTRY_ASSERT(h_turn, `GANTRY_IMPL(level != '0, 32'(others) + 32'(ahead) <= In - 1))
`endif
endmodule
