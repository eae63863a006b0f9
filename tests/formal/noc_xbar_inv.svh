// SPDX-License-Identifier: Apache-2.0
// Helpers of the proof of rtl/noc/noc_xbar, included by noc_xbar_fv: with them its properties are inductive.  In words: an
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
