// SPDX-License-Identifier: Apache-2.0
// Helpers of the proof of rtl/cu/l1v/l1v, included by l1v_fv: with them its counts are inductive.  In words: everything that
// is owed is at exactly one place (on its way in, in the request queue, in the chain of one miss, asked of memory, in the
// answer queue, on its way out), and a miss is busy exactly while its one request or answer is under way.

// valid entries of the rings, and their contents
logic [3:0] in_fifo, in_answers;
for (genvar f = 0; f < 4; f++) begin : gen_rings
  assign in_fifo[f]    = 3'(2'(2'(f) - u_dut.u_peek.fifo_read)) < u_dut.u_peek.fifo_count;
  assign in_answers[f] = 32'(2'(2'(f) - u_dut.u_peek.answer_read[1:0])) < u_dut.u_peek.answers;
  `GANTRY_ASSERT(h_fifo, `GANTRY_IMPL(in_fifo[f], u_dut.u_peek.p_op[f] <= L1Inv && u_dut.u_peek.p_id[f] < 8'd4
      && `GANTRY_IMPL(u_dut.u_peek.p_op[f] == L1Write || u_dut.u_peek.p_op[f] == L1Inv,
                      u_dut.u_peek.p_id[f] < 8'(Slots))
      && `GANTRY_IMPL(u_dut.u_peek.p_pair[f], u_dut.u_peek.p_op[f] == L1Read && u_dut.u_peek.p_id2[f] < 8'd4
                      && is_pair_q[u_dut.u_peek.p_id[f][1:0]]
                      && other_q[u_dut.u_peek.p_id[f][1:0]] == u_dut.u_peek.p_id2[f][1:0])))
  `GANTRY_ASSERT(h_answer, `GANTRY_IMPL(in_answers[f], u_dut.u_peek.p_tag[f][23:2] == '0
      && (u_dut.u_peek.p_tag[f][31:24] == TagAtomic
          || (u_dut.u_peek.p_tag[f][31:24] == TagRead && 32'(u_dut.u_peek.p_tag[f][1:0]) < Mshrs))))
end
`GANTRY_ASSERT(h_fifo_ring, u_dut.u_peek.fifo_count <= 3'd4
    && u_dut.u_peek.fifo_write == 2'(u_dut.u_peek.fifo_read + u_dut.u_peek.fifo_count[1:0]))
`GANTRY_ASSERT(h_fifo_room, req_ready == (u_dut.u_peek.fifo_count <= 3'd2)
    && u_dut.u_peek.fifo_count + 3'(req_valid_q) <= 3'd4)
`GANTRY_ASSERT(h_ring, u_dut.u_peek.answers <= 32'd4 && u_dut.u_peek.answer_read < 32'd4
    && u_dut.u_peek.answer_write == ((u_dut.u_peek.answer_read + u_dut.u_peek.answers) & 32'd3))
`GANTRY_ASSERT(h_filled, `GANTRY_IMPL(u_dut.u_peek.filled, u_dut.u_peek.answers != '0
    && u_dut.u_peek.p_tag[u_dut.u_peek.answer_read[1:0]][31:24] == TagRead))
`GANTRY_ASSERT(h_credits, u_dut.u_peek.credits <= Credits
    && u_dut.u_peek.credits + 32'(spent_q) + 32'(mem_valid) == Credits)
`GANTRY_ASSERT(h_req, `GANTRY_IMPL(req_valid_q, op_q <= L1Inv
    && `GANTRY_IMPL(op_q == L1Write || op_q == L1Inv, 32'(id_q) < Slots)))
`GANTRY_ASSERT(h_pair, `GANTRY_IMPL(req_valid_q && pair_q, op_q == L1Read && is_pair_q[id_q] && other_q[id_q] == id2_q))
`GANTRY_ASSERT(h_asked, asked_q[0][3:2] == '0 && asked_q[1][3:2] == '0)
`GANTRY_ASSERT(h_mem, `GANTRY_IMPL(mem_valid, mem.tag[31:24] != 8'd0 && mem.tag[31:24] <= TagXlat && mem.tag[23:2] == '0
    && `GANTRY_IMPL(kind <= 2'd1, mem.tag[1] == 1'b0)))
`GANTRY_ASSERT(h_out, `GANTRY_IMPL(u_dut.u_peek.out1_valid, u_dut.u_peek.out1_id < 8'd4)
    && `GANTRY_IMPL(u_dut.u_peek.out2_valid, u_dut.u_peek.out2_id < 8'd4))
`GANTRY_ASSERT(h_out_pair, `GANTRY_IMPL(u_dut.u_peek.out1_valid && u_dut.u_peek.out1_pair, is_pair_q[u_dut.u_peek.out1_id[1:0]])
    && `GANTRY_IMPL(u_dut.u_peek.out2_valid && u_dut.u_peek.out2_pair, is_pair_q[u_dut.u_peek.out2_id[1:0]]))

// chains: members from head to tail, without a loop
logic [Mshrs-1:0][NumTx-1:0] member;
logic [Mshrs-1:0] broken;
always_comb begin
  member = '0;
  broken = '0;
  for (int unsigned m = 0; m < Mshrs; m++) begin
    logic [1:0] at;
    logic over;
    at   = u_dut.u_peek.p_head[m][1:0];
    over = !u_dut.u_peek.p_busy[m];
    if (!over && (u_dut.u_peek.p_head[m] >= NumTx || u_dut.u_peek.p_tail[m] >= NumTx)) broken[m] = 1'b1;
    for (int unsigned k = 0; k < NumTx; k++) begin
      if (!over) begin
        if (member[m][at]) broken[m] = 1'b1;
        member[m][at] = 1'b1;
        over          = at == u_dut.u_peek.p_tail[m][1:0];
        if (!over && u_dut.u_peek.p_chain[at] >= NumTx) broken[m] = 1'b1;
        at            = u_dut.u_peek.p_chain[at][1:0];
      end
    end
    if (!over) broken[m] = 1'b1;
  end
end
`GANTRY_ASSERT(h_chain, broken == '0)

`GANTRY_ASSERT(h_misses, u_dut.u_peek.misses == 32'($countones(u_dut.u_peek.p_busy)))

// each at exactly one place
for (genvar n = 0; n < NumTx; n++) begin : gen_owed
  logic [3:0] fifo_has, fifo_has2, answer_has;
  logic [4:0] places;
  for (genvar f = 0; f < 4; f++) begin : gen_has
    assign fifo_has[f] = in_fifo[f] && u_dut.u_peek.p_id[f][1:0] == 2'(n)
                         && (u_dut.u_peek.p_op[f] == L1Read || u_dut.u_peek.p_op[f] == L1Atomic);
    assign fifo_has2[f] = in_fifo[f] && u_dut.u_peek.p_pair[f] && u_dut.u_peek.p_id2[f][1:0] == 2'(n);
    assign answer_has[f] = in_answers[f] && u_dut.u_peek.p_tag[f][31:24] == TagAtomic
                           && u_dut.u_peek.p_tag[f][1:0] == 2'(n);
  end
  assign places = 5'($countones(fifo_has)) + 5'($countones(fifo_has2)) + 5'($countones(answer_has)) + 5'(member[0][n]) + 5'(member[1][n])
                  + 5'(req_valid_q && (op_q == L1Read || op_q == L1Atomic) && id_q == 2'(n))
                  + 5'(asked_q[2][n]) + 5'(mem_valid && kind == 2'd2 && number == 2'(n))
                  + 5'(u_dut.u_peek.out1_valid && u_dut.u_peek.out1_id[1:0] == 2'(n))
                  + 5'(u_dut.u_peek.out2_valid && u_dut.u_peek.out2_id[1:0] == 2'(n))
                  + 5'(rsp_valid && rsp.id[1:0] == 2'(n)) + 5'(req_valid_q && pair_q && id2_q == 2'(n))
                  + 5'(u_dut.u_peek.out1_valid && u_dut.u_peek.out1_pair && other_q[u_dut.u_peek.out1_id[1:0]] == 2'(n))
                  + 5'(u_dut.u_peek.out2_valid && u_dut.u_peek.out2_pair && other_q[u_dut.u_peek.out2_id[1:0]] == 2'(n))
                  + 5'(rsp_valid && rsp.pair && other_q[rsp.id[1:0]] == 2'(n));
  `GANTRY_ASSERT(h_owed, places == 5'(owed_q[n]))
end
for (genvar m = 0; m < Mshrs; m++) begin : gen_misses
  logic [3:0] answer_has;
  for (genvar f = 0; f < 4; f++) begin : gen_has
    assign answer_has[f] = in_answers[f] && u_dut.u_peek.p_tag[f][31:24] == TagRead
                           && u_dut.u_peek.p_tag[f][1:0] == 2'(m);
  end
  `GANTRY_ASSERT(h_busy, 5'($countones(answer_has)) + 5'(asked_q[0][m])
                         + 5'(mem_valid && kind == 2'd0 && number == 2'(m))
                         == 5'(u_dut.u_peek.p_busy[m]))
end
for (genvar s = 0; s < Slots; s++) begin : gen_acks
  logic [3:0] fifo_has;
  for (genvar f = 0; f < 4; f++) begin : gen_has
    assign fifo_has[f] = in_fifo[f] && u_dut.u_peek.p_id[f][0] == 1'(s)
                         && (u_dut.u_peek.p_op[f] == L1Write || u_dut.u_peek.p_op[f] == L1Inv);
  end
  `GANTRY_ASSERT(h_acks, 5'($countones(fifo_has))
                         + 5'(req_valid_q && (op_q == L1Write || op_q == L1Inv) && id_q[0] == 1'(s))
                         + 5'(asked_q[1][s]) + 5'(mem_valid && kind == 2'd1 && number == 2'(s))
                         + 5'(ack_valid && ack_slot[0] == 1'(s)) == 5'(owed_ack_q[s]))
end
logic [3:0] fifo_xlat;
for (genvar f = 0; f < 4; f++) begin : gen_xlat
  assign fifo_xlat[f] = in_fifo[f] && u_dut.u_peek.p_op[f] == L1Xlat;
end
`GANTRY_ASSERT(h_xlat, 5'($countones(fifo_xlat)) + 5'(req_valid_q && op_q == L1Xlat) + 5'($countones(asked_q[3]))
                       + 5'(mem_valid && kind == 2'd3) + 5'(xlat_valid) == 5'(owed_xlat_q))

// quiet: the last edge moved nothing, so nothing is on its way out, and what waits cannot go on
`GANTRY_ASSERT(h_quiet, `GANTRY_IMPL(u_dut.u_peek.quiet[2], u_dut.u_peek.quiet[1])
    && `GANTRY_IMPL(u_dut.u_peek.quiet[1], u_dut.u_peek.quiet[0]))
`GANTRY_ASSERT(h_still, `GANTRY_IMPL(u_dut.u_peek.quiet[0], !mem_valid && !rsp_valid && !ack_valid && !xlat_valid
    && !u_dut.u_peek.out1_valid && !u_dut.u_peek.out2_valid))
// the cache looks at nothing only while nothing is left
`GANTRY_ASSERT(h_awake, u_dut.u_peek.awake || (u_dut.u_peek.quiet == '1 && u_dut.u_peek.answers == '0
    && u_dut.u_peek.fifo_count == 3'd0))
`GANTRY_ASSERT(h_blocked, `GANTRY_IMPL(u_dut.u_peek.quiet[0] && ready_q[0], u_dut.u_peek.answers == '0
    && (u_dut.u_peek.fifo_count == 3'd0 || u_dut.u_peek.credits == '0 || u_dut.u_peek.p_busy == '1)))
