// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/noc/noc_xbar at a small size (3 inputs, 2 outputs, queues and credits of 2; or 4 outputs and two queues an
// input).  The environment sends to any output at any time within its credits, and gives credits of an output back at any time.
// One freely chosen queue is followed: each of its messages leaves once, in order, unaltered, where it wants to go; its input
// gets a credit for each message that leaves, one a cycle and without delay; no output sends without credit; an output with a
// credit and a head that wants it sends in that very cycle, and the followed head sees at most Run messages of each other input
// before its own: nobody starves.
// Not responsible for: other sizes (tests/rtl/noc/part_noc), counters.
`include "gantry_assert.svh"
module noc_xbar_fv #(
  parameter int unsigned In = 3,
  parameter int unsigned Out = 2,
  parameter int unsigned Depth = 2,
  parameter int unsigned Lanes = 1,
  parameter int unsigned Run = 1,
  parameter int unsigned OutCredits = 2,
  parameter int unsigned CountW = 3,  // tells more messages of the followed queue apart than can be inside
  localparam int unsigned OutW = $clog2(Out)
) (
  input logic                   clk_i,
  input logic                   rst_ni,
  input logic        [  In-1:0] send_i,
  input logic        [  In-1:0][OutW-1:0] dest_i,
  input logic        [  In-1:0] data_i,
  input logic        [ Out-1:0] credit_i,
  input logic        [     1:0] pick_i,   // the input that is followed: free, but constant
  input logic        [     0:0] lane_i,   // and its queue
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
  logic idle, dropping;
  noc_xbar #(
    .In(In), .Out(Out), .Msg(message_t), .Depth(Depth), .Lanes(Lanes), .Run(Run), .OutCredits(OutCredits), .DestLsb(0),
    .SetSource(1'b1), .SourceLsb(8)
  ) u_dut (
    .clk_i, .rst_ni, .in_valid_i(in_valid), .in_i(in_message), .in_credit_o(in_credit), .out_valid_o(out_valid),
    .out_o(out_message), .out_credit_i(out_credit), .hold_i(1'b0), .discard_i(1'b0), .dropping_o(dropping),
    .moved_o(moved), .blocked_o(blocked), .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic [1:0] pick_q;
  logic [0:0] lane_q;
  logic [CountW-1:0] nth_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
    lane_q  <= lane_i;
    nth_q   <= nth_i;
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_pick
    assume (32'(pick_i) < In && 32'(lane_i) < Lanes);
    if (started) assume (pick_i == pick_q && lane_i == lane_q && nth_i == nth_q);
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

  // ---- the followed queue: what is inside, and the destinations of its first two
  function automatic logic followed(input logic [OutW-1:0] output_no);
    return 32'(output_no) % Lanes == 32'(lane_i);
  endfunction
  logic comes, leaves;                // a message of it, in this cycle
  logic [OutW-1:0] at, head;          // the output it is at; that the first one inside wants
  logic [CountW-1:0] in_q, out_q;     // messages that came and left
  logic [1:0] level_q, level;         // inside before, without what leaves
  logic [1:0][OutW-1:0] dests_q;
  logic word_q;
  logic [OutW-1:0] word_dest_q;
  logic [Out-1:0] from_pick, from_queue;
  logic [3:0] others_q, others;       // messages at the output that the head wants, since it is head
  logic waits_q, could_q;
  logic [OutW-1:0] wants_q;
  logic [2:0] unpaid_q, left;         // messages of the input that left and are not paid for; that leave now
  for (genvar o = 0; o < Out; o++) begin : gen_from
    assign from_pick[o]  = out_valid[o] && out_message[o].source == 8'(pick_i);
    assign from_queue[o] = from_pick[o] && followed(OutW'(o));
  end
  assign comes  = in_valid[pick_i] && followed(dest_i[pick_i]);
  assign leaves = from_queue != '0;
  always_comb begin
    at   = '0;
    left = '0;
    for (int unsigned o = 0; o < Out; o++) begin
      at   = from_queue[o] ? OutW'(o) : at;
      left = left + 3'(from_pick[o]);
    end
  end
  assign level  = level_q - 2'(leaves);
  assign head   = leaves ? dests_q[1] : dests_q[0];
  assign others = leaves ? 4'd0 : others_q + 4'(waits_q && out_valid[wants_q]);
  always_ff @(posedge clk_i) begin
    level_q  <= level + 2'(comes);
    dests_q  <= {level != '0 && comes ? dest_i[pick_i] : dests_q[1], level == '0 ? dest_i[pick_i] : head};
    out_q    <= out_q + CountW'(leaves);
    unpaid_q <= unpaid_q + left - 3'(in_credit[pick_i]);
    if (comes) begin
      in_q <= in_q + 1'b1;
      if (in_q == nth_i) begin
        word_q      <= data_i[pick_i];
        word_dest_q <= dest_i[pick_i];
      end
    end
    waits_q  <= level != '0;  // it is head in the choice of this cycle, of this output:
    wants_q  <= head;
    could_q  <= level != '0 && (taken_q[head] + 2'(out_valid[head]) != 2'(OutCredits) || out_credit[head]);
    others_q <= level == '0 ? 4'd0 : others;
    if (!rst_ni) begin
      level_q  <= '0;
      in_q     <= '0;
      out_q    <= '0;
      unpaid_q <= '0;
      others_q <= '0;
      waits_q  <= 1'b0;
      could_q  <= 1'b0;
    end
  end

  `GANTRY_ASSERT(a_once, (from_queue & (from_queue - 1'b1)) == '0)
  `GANTRY_ASSERT(a_way, `GANTRY_IMPL(leaves, level_q != '0 && at == dests_q[0]))
  `GANTRY_ASSERT(a_word, `GANTRY_IMPL(leaves && out_q == nth_i, out_message[at].data == word_q && at == word_dest_q))
  `GANTRY_ASSERT(a_paid, in_credit[pick_i] == (unpaid_q + left != '0))
  for (genvar o = 0; o < Out; o++) begin : gen_credit
    `GANTRY_ASSERT(a_credit, `GANTRY_IMPL(out_valid[o], taken_q[o] != 2'(OutCredits)))
  end
  `GANTRY_ASSERT(a_sends, `GANTRY_IMPL(could_q, out_valid[wants_q]))
  `GANTRY_ASSERT(a_fair, 32'(others) <= (In - 1) * Run)
  `GANTRY_ASSERT(a_idle, `GANTRY_IMPL(idle, level == '0 && unpaid_q == '0))
`ifdef SHORT  // of a search for one history: one output, one content, so that it is short
  always_comb begin : m_short
    assume (dest_i == '0 && data_i == '0 && nth_i == '0 && pick_i == 2'd2 && lane_i == '0);
  end
`endif
`ifdef REACH  // this assertion must fail: every other input was served while the followed head waited, then it is, and all went
  logic served_q;
  always_ff @(posedge clk_i) begin
    served_q <= served_q || (leaves && 32'(others_q) == (In - 1) * Run);
    if (!rst_ni) served_q <= 1'b0;
  end
  `GANTRY_ASSERT(c_served, !(served_q && idle && taken_q == '0 && out_q == CountW'(2)))
`endif
`ifdef HELPERS
  // Helpers: with them the properties above are inductive.  In words: an
  // input's queues, its credits and those it is owed make up the depth; exactly the head of a queue that is not empty stands in
  // the vector of the output it wants; an output's credits are what its receiver has room for; the followed queue holds what
  // the properties remember of it; and each message that goes past the followed head brings the turn nearer to it.
  message_t [In*Lanes-1:0][Depth-1:0] held;  // of each queue, the head first
  logic [In-1:0][31:0] inside_of;
  for (genvar q = 0; q < In * Lanes; q++) begin : gen_queue
    for (genvar d = 0; d < Depth; d++) begin : gen_row
      assign held[q][d] = u_dut.u_peek.p_store[q*Depth+32'(1'(u_dut.u_peek.p_first[q][0]+1'(d)))];
      `GANTRY_ASSERT(h_dest, `GANTRY_IMPL(d < u_dut.u_peek.p_count[q], 32'(held[q][d].dest) < Out
          && 32'(held[q][d].dest) % Lanes == q % Lanes && held[q][d].source == 8'(q / Lanes)))
    end
    `GANTRY_ASSERT(h_count, u_dut.u_peek.p_count[q] <= Depth)
  end
  always_comb begin
    inside_of = '0;
    for (int unsigned q = 0; q < In * Lanes; q++) inside_of[q/Lanes] = inside_of[q/Lanes] + u_dut.u_peek.p_count[q];
  end
  for (genvar i = 0; i < In; i++) begin : gen_input
    `GANTRY_ASSERT(h_room, u_dut.u_peek.p_owed[i] <= Depth
        && inside_of[i] + 32'(room_q[i]) + 32'(in_credit[i]) + u_dut.u_peek.p_owed[i] == Depth)
    `GANTRY_ASSERT(h_owing, u_dut.u_peek.owing[i] == (u_dut.u_peek.p_owed[i] != '0)
        && `GANTRY_IMPL(u_dut.u_peek.owing[i], in_credit[i] && Lanes > 1))
    for (genvar o = 0; o < Out; o++) begin : gen_want
      `GANTRY_ASSERT(h_want, u_dut.u_peek.p_low[o][i] ==
          (u_dut.u_peek.p_count[i*Lanes+o%Lanes] != '0 && held[i*Lanes+o%Lanes][0].dest == 8'(o)))
    end
  end
  for (genvar o = 0; o < Out; o++) begin : gen_output
    `GANTRY_ASSERT(h_vector, u_dut.u_peek.p_high[o] == '0 && u_dut.u_peek.p_low[o][63:In] == '0
        && u_dut.u_peek.waiting[o] == (u_dut.u_peek.p_low[o] != '0) && u_dut.u_peek.p_turn[o] < In
        && u_dut.u_peek.p_left[o] != '0 && u_dut.u_peek.p_left[o] <= Run)
    `GANTRY_ASSERT(h_credit, 32'(taken_q[o]) <= OutCredits
        && u_dut.u_peek.p_credits[o] + 32'(taken_q[o]) + 32'(out_valid[o]) == OutCredits)
    `GANTRY_ASSERT(h_out, `GANTRY_IMPL(out_valid[o], 32'(out_message[o].source) < In && 32'(out_message[o].dest) == o
        && in_credit[out_message[o].source[1:0]]))
    for (genvar p = 0; p < o; p++) begin : gen_pair
      `GANTRY_ASSERT(h_sources, !(out_valid[o] && out_valid[p] && o % Lanes == p % Lanes
          && out_message[o].source == out_message[p].source))
    end
  end
  `GANTRY_ASSERT(h_kept, !dropping)
  `GANTRY_ASSERT(h_unused, u_dut.u_peek.waiting[7:Out] == '0)
  `GANTRY_ASSERT(h_busy, u_dut.u_peek.busy == (in_credit != '0) && idle == (u_dut.u_peek.waiting == '0 && !u_dut.u_peek.busy))

  // the followed queue
  logic [31:0] queued;
  logic [CountW-1:0] place;  // of the followed message in its queue
  logic [1:0] ahead;        // inputs that the turn reaches before it
  logic [31:0] still;       // messages that these may send
  assign queued = 32'(pick_i) * Lanes + (Lanes > 1 ? 32'(lane_i) : 32'd0);
  assign place  = nth_i - out_q - CountW'(leaves);
  assign ahead = 2'(32'(pick_i) >= u_dut.u_peek.p_turn[head] ? 32'(pick_i) - u_dut.u_peek.p_turn[head]
                                                              : 32'(pick_i) + In - u_dut.u_peek.p_turn[head]);
  assign still  = ahead == '0 ? 32'd0 : u_dut.u_peek.p_left[head] + (32'(ahead) - 1) * Run;
  `GANTRY_ASSERT(h_unpaid, 32'(unpaid_q) + 32'(left) == u_dut.u_peek.p_owed[pick_i] + 32'(in_credit[pick_i]))
  `GANTRY_ASSERT(h_level, CountW'(level_q) == in_q - out_q && level_q <= 2'(Depth) && 32'(level) == u_dut.u_peek.p_count[queued])
  `GANTRY_ASSERT(h_heads, `GANTRY_IMPL(level != '0, held[queued][0].dest == 8'(head))
      && `GANTRY_IMPL(level == 2'd2, held[queued][1].dest == 8'(dests_q[1]) && !leaves))
  `GANTRY_ASSERT(h_word, `GANTRY_IMPL(place < CountW'(level), held[queued][place[0]].data == word_q
      && held[queued][place[0]].dest == 8'(word_dest_q)))
  `GANTRY_ASSERT(h_left, `GANTRY_IMPL(leaves, level_q != '0 && out_message[at].dest == 8'(dests_q[0]))
      && `GANTRY_IMPL(leaves && out_q == nth_i, out_message[at].data == word_q && at == word_dest_q))
  `GANTRY_ASSERT(h_turn, `GANTRY_IMPL(level != '0, 32'(others) + still <= (In - 1) * Run))
`endif
endmodule
