// SPDX-License-Identifier: Apache-2.0
// Helpers of the proof of rtl/l2/l2_slice with one set and one channel, included by l2_slice_fv: with them its properties of answers, credits and
// messages are inductive.  In words: every slot is at exactly one place (free, in the input queue, in the lookup, with an MSHR, in one list), and with it
// its tag; every MSHR is free, or its line is at exactly one place on its way; no more is under way than there is room for.
localparam int unsigned SlotBits = $clog2(Slots);
localparam logic [2:0] Fill = 3'd1, Flush = 3'd2, Replay = 3'd3, Waiter = 3'd4, New = 3'd5;
localparam logic [2:0] Fetch = 3'd3, WriteBack = 3'd5;
localparam int unsigned Most = 10;  // commands that wait

// ---- slots: where each is
localparam int unsigned Lists = Mshrs + 2;  // of MSHRs, replay, waiter
logic [Lists-1:0] some, wrong;
logic [Lists-1:0][8:0] head, tail;
logic [Lists-1:0][SlotBits:0] length;
logic [Lists-1:0][Slots-1:0] member;
logic [Slots-1:0] is_free, is_in, at1, at2, at3, at4;
logic slots_wrong, again1, again2;
logic [2:0] stages;
logic [Mshrs-1:0] taken, mshr_free;
l2_mshr_pkg::mshr_t [Mshrs-1:0] file;
assign taken  = ~mshr_free;
assign file   = u_dut.u_peek.p_mshr;
assign again1 = u_dut.s1.valid && (u_dut.s1.what == Replay || u_dut.s1.what == Waiter);
assign again2 = u_dut.s2.valid && (u_dut.s2.what == Replay || u_dut.s2.what == Waiter);
assign stages = 3'(u_dut.s1.valid) + 3'(u_dut.s2.valid) + 3'(u_dut.s3.valid) + 3'(u_dut.s4.valid);
for (genvar m = 0; m < Mshrs; m++) begin : gen_lists
  assign some[m] = taken[m] && file[m].waits;
  assign head[m] = file[m].first;
  assign tail[m] = file[m].last;
end
assign some[Mshrs]   = u_dut.u_peek.p_replay.some;
assign head[Mshrs]   = u_dut.u_peek.p_replay.first;
assign tail[Mshrs]   = u_dut.u_peek.p_replay.last;
assign some[Mshrs+1] = u_dut.u_peek.p_waiter.some;
assign head[Mshrs+1] = u_dut.u_peek.p_waiter.first;
assign tail[Mshrs+1] = u_dut.u_peek.p_waiter.last;
always_comb begin
  member = '0;
  wrong  = '0;
  length = '0;
  for (int unsigned l = 0; l < Lists; l++) begin
    logic [8:0] at;
    logic over;
    at   = head[l];
    over = !some[l];
    for (int unsigned k = 0; k < Slots; k++) begin
      if (!over) begin
        if (32'(at) >= Slots || member[l][at[SlotBits-1:0]]) wrong[l] = 1'b1;
        member[l][at[SlotBits-1:0]] = 1'b1;
        length[l] = length[l] + 1'b1;
        over = at == tail[l];
        at   = u_dut.u_peek.p_next[at[SlotBits-1:0]];
      end
    end
    if (!over) wrong[l] = 1'b1;
  end
  is_free     = '0;
  is_in       = '0;
  slots_wrong = 1'b0;
  is_free[u_dut.slot_free_q] = 1'b1;
  for (int unsigned k = 0; k < Slots; k++) begin
    logic [8:0] at;
    at = u_dut.u_peek.p_free[k];
    if (k < 32'(u_dut.slots_left)) begin
      if (32'(at) >= Slots || is_free[at[SlotBits-1:0]]) slots_wrong = 1'b1;
      is_free[at[SlotBits-1:0]] = 1'b1;
    end
  end
  for (int unsigned k = 0; k < Depth; k++) begin
    logic [8:0] at;
    at = u_dut.u_peek.p_queue[$clog2(Depth)'(32'(u_dut.in_first) + k)];
    if (k < 32'(u_dut.in_count)) begin
      if (32'(at) >= Slots || is_in[at[SlotBits-1:0]]) slots_wrong = 1'b1;
      is_in[at[SlotBits-1:0]] = 1'b1;
    end
  end
  at1 = Slots'(u_dut.s1.valid && u_dut.s1.what >= Replay) << u_dut.s1.slot;
  at2 = Slots'(u_dut.s2.valid && u_dut.s2.what >= Replay) << u_dut.s2.slot;
  at3 = Slots'(u_dut.s3.valid && u_dut.s3.what != Fetch && u_dut.s3.what != WriteBack) << u_dut.s3.slot;
  at4 = Slots'(u_dut.s4.valid && u_dut.s4.what != Fetch && u_dut.s4.what != WriteBack) << u_dut.s4.slot;
end

// ---- MSHRs: where each line is on its way
logic [Mshrs-1:0] in3, in4, queued, leaving, timing, in_timed, message_out, sent, in_fills, in1, in2;
logic mshrs_wrong;
always_comb begin
  mshr_free   = '0;
  in_timed    = '0;
  in_fills    = '0;
  queued      = '0;
  mshrs_wrong = 1'b0;
  for (int unsigned k = 0; k < Mshrs; k++) begin
    logic [7:0] at;
    at = u_dut.u_peek.p_free_mshr[k];
    if (k < 32'(u_dut.mshrs_left)) begin
      if (32'(at) >= Mshrs || mshr_free[at[0]]) mshrs_wrong = 1'b1;
      mshr_free[at[0]] = 1'b1;
    end
    at = u_dut.u_peek.p_timed[1'(32'(u_dut.timed_first) + k)];
    if (k < 32'(u_dut.timed_count)) begin
      if (32'(at) >= Mshrs || in_timed[at[0]]) mshrs_wrong = 1'b1;
      in_timed[at[0]] = 1'b1;
    end
    at = u_dut.u_peek.p_fills[1'(32'(u_dut.fill_first) + k)];
    if (k < 32'(u_dut.fill_count)) begin
      if (32'(at) >= Mshrs || in_fills[at[0]]) mshrs_wrong = 1'b1;
      in_fills[at[0]] = 1'b1;
    end
  end
  for (int unsigned k = 0; k < Most; k++) begin
    l2_miss_pkg::command_t c;
    c = u_dut.u_peek.p_command[k];
    if (k < 32'(u_dut.cmd_count[0]) && !c.write) begin
      if (32'(c.id) >= Mshrs || queued[c.id[0]]) mshrs_wrong = 1'b1;
      queued[c.id[0]] = 1'b1;
    end
    if (k < 32'(u_dut.cmd_count[0]) && c.write && c.id > 8'd1) mshrs_wrong = 1'b1;
  end
  in1         = Mshrs'(u_dut.s1.valid && u_dut.s1.what == Fill) << u_dut.s1.mshr;
  in2         = Mshrs'(u_dut.s2.valid && u_dut.s2.what == Fill) << u_dut.s2.mshr;
  in3         = Mshrs'(u_dut.s3.valid && u_dut.s3.what == Fetch) << u_dut.s3.mshr;
  in4         = Mshrs'(u_dut.s4.valid && u_dut.s4.what == Fetch) << u_dut.s4.mshr;
  leaving     = Mshrs'(cmd_valid[0] && !cmd_write) << cmd_id;
  timing      = timing_q[0];
  message_out = Mshrs'(message_valid && !message.write[0]) << message.tag;
  sent        = sent_q;
end

// ---- the helpers
localparam int unsigned Helpers = 50 + Slots;
logic first = 1'b1;
always_ff @(posedge clk_i) first <= 1'b0;
logic [Helpers-1:0] h;
logic [15:0] free_ways;
logic [Ways-1:0][31:0] tag_now, tag_mem, tag_written;
assign tag_mem     = u_dut.u_tags.u_peek.p_mem;
assign tag_written = u_dut.tag_wdata_q;
assign tag_now     = u_dut.tag_we_q ? tag_written : tag_mem;
assign free_ways   = 16'((1 << Ways) - 1) & ~u_dut.u_peek.p_pending;
always_comb begin
  h = '1;
  // slots
  h[0] = wrong == '0 && !slots_wrong;
  h[1] = `GANTRY_IMPL(u_dut.s1.valid, u_dut.s1.what != 3'd0 && u_dut.s1.what <= New && `GANTRY_IMPL(u_dut.s1.what != Flush, 32'(u_dut.s1.slot) < Slots)) &&
         `GANTRY_IMPL(u_dut.s2.valid, u_dut.s2.what != 3'd0 && u_dut.s2.what <= New && `GANTRY_IMPL(u_dut.s2.what != Flush, 32'(u_dut.s2.slot) < Slots));
  h[2] = `GANTRY_IMPL(u_dut.s3.valid, u_dut.s3.what < WriteBack ? 32'(u_dut.s3.slot) < Slots : u_dut.s3.what == WriteBack) &&
         `GANTRY_IMPL(u_dut.s4.valid, u_dut.s4.what < WriteBack ? 32'(u_dut.s4.slot) < Slots : u_dut.s4.what == WriteBack);
  for (int unsigned n = 0; n < Slots; n++) begin
    logic [5+Lists+Mshrs:0] places;
    places = '0;
    places[5:0] = {is_free[n], is_in[n], at1[n], at2[n], at3[n], at4[n]};
    for (int unsigned l = 0; l < Lists; l++) places[6+l] = member[l][n];
    for (int unsigned m = 0; m < Mshrs; m++) places[6+Lists+m] = taken[m] && file[m].slot == 9'(n);
    h[50+n] = places != '0 && (places & (places - 1'b1)) == '0;
  end
  h[4] = 32'(u_dut.in_count) + 32'(credit) == 32'(spent_q) && 32'(spent_q) <= Depth;
  h[5] = 32'(u_dut.slots_left) + 32'(u_dut.in_count) + 32'(u_dut.busy_slots) == Slots - 1 && 32'(u_dut.slots_left) < Slots;
  h[6] = 32'(u_dut.busy_slots) <= Aside + Mshrs;
  // MSHRs
  h[8] = !mshrs_wrong && 32'(u_dut.mshrs_left) <= Mshrs;
  for (int unsigned m = 0; m < Mshrs; m++) begin
    logic [3:0] places;
    logic timed, fetched;
    fetched = in_fills[m] || in1[m] || in2[m];
    timed   = in_timed[m] || message_out[m] || sent[m];
    places  = 4'(in3[m]) + 4'(in4[m]) + 4'(queued[m]) + 4'(leaving[m]) + 4'(timing[m]) + 4'(in_timed[m]) + 4'(message_out[m]) + 4'(sent[m]) + 4'(in_fills[m]) +
              4'(in1[m]) + 4'(in2[m]);
    if (places != 4'(taken[m])) h[9] = 1'b0;
    if (taken[m] && (file[m].fetched != fetched || file[m].timed != (timed || fetched))) h[10] = 1'b0;
    if (timed_q[m] != (in_timed[m] || message_out[m])) h[11] = 1'b0;
    if (taken[m] && (32'(file[m].slot) >= Slots || 32'(file[m].row) >= Ways)) h[12] = 1'b0;
    if (some[m] && 32'(u_dut.u_peek.p_mshr_count[m]) != 32'(length[m])) h[13] = 1'b0;
    if (taken[m] && (!u_dut.u_peek.p_pending[file[m].row[3:0]] || 32'(u_dut.u_peek.p_mshr_of[$clog2(Ways)'(file[m].row)]) != m)) h[14] = 1'b0;
    if ((in1[m] && u_dut.s1.slot != file[m].slot) || (in2[m] && u_dut.s2.slot != file[m].slot)) h[15] = 1'b0;
    if ((in3[m] && u_dut.s3.row != file[m].row) || (in4[m] && u_dut.s4.row != file[m].row)) h[16] = 1'b0;
  end
  for (int unsigned w = 0; w < Ways; w++) begin
    logic [7:0] m;
    m = u_dut.u_peek.p_mshr_of[w];
    if (u_dut.u_peek.p_pending[w] && (32'(m) >= Mshrs || !taken[m[0]] || 32'(file[m[0]].row) != w)) h[17] = 1'b0;
  end
  h[18] = (u_dut.u_peek.p_pending & ~u_dut.u_peek.p_valid) == 16'd0 && 32'(u_dut.u_peek.p_valid) < 32'(1 << Ways);
  h[19] = `GANTRY_IMPL(u_dut.s1.valid && u_dut.s1.what == Fill, 32'(u_dut.s1.mshr) < Mshrs) &&
          `GANTRY_IMPL(u_dut.s2.valid && u_dut.s2.what == Fill, 32'(u_dut.s2.mshr) < Mshrs) &&
          `GANTRY_IMPL(u_dut.s3.valid && u_dut.s3.what == Fetch, 32'(u_dut.s3.mshr) < Mshrs) &&
          `GANTRY_IMPL(u_dut.s4.valid && u_dut.s4.what == Fetch, 32'(u_dut.s4.mshr) < Mshrs) &&
          `GANTRY_IMPL(cmd_valid[0], cmd_write ? cmd_id <= 8'd1 : 32'(cmd_id) < Mshrs) &&
          `GANTRY_IMPL(message_valid, message.write == 8'd1 || (message.write == 8'd0 && message.tag < 32'(Mshrs)));
  h[20] = 32'(u_dut.timed_first) < 2 && 32'(u_dut.fill_first) < 2 && 32'(u_dut.timed_count) <= Mshrs && 32'(u_dut.fill_count) <= Mshrs;
  // what waited finds room at its lookup
  h[21] = `GANTRY_IMPL(again2, u_dut.mshrs_left != 9'd0 && (free_ways & ~(16'(u_dut.s3.valid) << u_dut.s3.row[3:0])) != 16'd0);
  h[22] = `GANTRY_IMPL(again1, 32'(u_dut.mshrs_left) > 32'(u_dut.s2.valid) && free_ways != 16'd0 &&
                               `GANTRY_IMPL(u_dut.s2.valid, (free_ways & (free_ways - 16'd1)) != 16'd0 && u_dut.s2.what != Fill));
  // tags: what the lookup reads is what they are; no line twice
  h[23] = u_dut.tag_re_q == u_dut.s1.valid && `GANTRY_IMPL(u_dut.tag_before, u_dut.tag_before_row == tag_mem);
  h[24] = `GANTRY_IMPL(u_dut.s2.valid && !u_dut.tag_before, u_dut.u_tags.out_q == tag_mem);
  for (int unsigned v = 0; v < Ways; v++)
    for (int unsigned w = v + 1; w < Ways; w++)
      if (u_dut.u_peek.p_valid[v] && u_dut.u_peek.p_valid[w] && tag_now[v] == tag_now[w]) h[25] = 1'b0;
  h[47] = `GANTRY_IMPL(u_dut.tag_we_q, u_dut.tag_waddr_q == '0) && `GANTRY_IMPL(u_dut.tag_re_q, u_dut.tag_raddr_q == '0) &&
          `GANTRY_IMPL(u_dut.tag_before, u_dut.tag_before_set == '0);
  h[48] = `GANTRY_IMPL((u_dut.s1.valid && u_dut.s1.what == Flush) || (u_dut.s2.valid && u_dut.s2.what == Flush), u_dut.flush.state inside {3'd2, 3'd3, 3'd4});
  h[26] = u_dut.s1.set == '0 && u_dut.s2.set == '0 && u_dut.flush.set == '0 && (u_dut.flush.left & ~64'd1) == 64'd0;
  h[27] = `GANTRY_IMPL(u_dut.s1.valid && u_dut.s1.what == Flush, !u_dut.s1.by_line && 32'(u_dut.s1.way) < Ways) &&
          `GANTRY_IMPL(u_dut.s2.valid && u_dut.s2.what == Flush, !u_dut.s2.by_line && 32'(u_dut.s2.way) < Ways);
  h[28] = 32'(u_dut.s3.row) < Ways && 32'(u_dut.s4.row) < Ways && 32'(u_dut.flush.todo) < 32'(1 << Ways) && 32'(u_dut.u_peek.p_dirty) < 32'(1 << Ways);
  h[46] = u_dut.u_peek.p_dirty_sets == 64'(u_dut.u_peek.p_dirty != 16'd0);
  // room
  h[29] = 32'(u_dut.rsp_count) + 32'(stages) <= RspDepth;
  h[30] = 32'(u_dut.store_count) + 2 * 32'(stages) <= 8;
  h[31] = 32'(u_dut.cmd_count[0]) + 2 * 32'(stages) <= Most && u_dut.cmd_count[3:1] == '0;
  h[32] = 32'(u_dut.rsp_credits) + 32'(answered_q) + 32'(rsp_valid) == RspDepth;
  for (int unsigned k = 0; k < 8; k++)
    if (k < 32'(u_dut.store_count) && u_dut.u_peek.p_message[3'(32'(u_dut.store_first) + k)].write != 8'd1) h[49] = 1'b0;
  // tags of requests: who is owed an answer is at one place
  for (int unsigned t = 0; t < Tags; t++) begin
    logic [3:0] places;
    places = 4'(rsp_valid && rsp.tag == t);
    for (int unsigned n = 0; n < Slots; n++)
      if (!is_free[n] && u_dut.u_peek.p_tag[n] == t) begin
        places = places + 4'd1;
        if (u_dut.u_peek.p_access[n].op != asked_q[t].op) h[33] = 1'b0;
      end
    for (int unsigned k = 0; k < RspDepth; k++) begin
      mem_rsp_t a;
      a = u_dut.u_peek.p_answer[$clog2(RspDepth)'(32'(u_dut.rsp_first) + k)];
      if (k < 32'(u_dut.rsp_count) && a.tag == t) begin
        places = places + 4'd1;
        if (a.op != {6'd0, asked_q[t].op} || a.status != MEM_OK) h[34] = 1'b0;
      end
    end
    if (places != 4'(asked_q[t].owed)) h[35] = 1'b0;
  end
  for (int unsigned n = 0; n < Slots; n++) if (!is_free[n] && u_dut.u_peek.p_tag[n] >= 32'(Tags)) h[36] = 1'b0;
  for (int unsigned k = 0; k < RspDepth; k++)
    if (k < 32'(u_dut.rsp_count) && u_dut.u_peek.p_answer[$clog2(RspDepth)'(32'(u_dut.rsp_first) + k)].tag >= 32'(Tags)) h[37] = 1'b0;
  h[38] = `GANTRY_IMPL(rsp_valid, rsp.tag < 32'(Tags) && rsp.op == {6'd0, answer.op} && rsp.status == MEM_OK);
  // maintenance
  h[39] = maint_q == (u_dut.flush.state != 3'd0 || maint_done) && `GANTRY_IMPL(maint_done, u_dut.flush.state == 3'd0) && u_dut.flush.state <= 3'd5 &&
          u_dut.flush.state != 3'd1;
  h[40] = !u_dut.dropping && u_dut.drop_left == '0 && u_dut.holds_q == 2'd0;
  h[41] = `GANTRY_IMPL(u_dut.flush.state == 3'd2 || u_dut.flush.state == 3'd3, u_dut.flush.at <= 32'd1) &&
          `GANTRY_IMPL(u_dut.flush.left != 64'd0, u_dut.flush.at == 32'd1);
  h[42] = `GANTRY_IMPL(u_dut.flush.todo != 16'd0, u_dut.flush.state == 3'd2 || u_dut.flush.state == 3'd3) &&
          `GANTRY_IMPL(u_dut.flush.left != 64'd0, u_dut.flush.state == 3'd3) && `GANTRY_IMPL(u_dut.flush.sweep, u_dut.flush.state == 3'd2);
  // at rest
  h[43] = u_dut.rests == idle;
  h[44] = `GANTRY_IMPL(idle, stages == 3'd0 && u_dut.in_count == '0 && !some[Mshrs] && !some[Mshrs+1] && u_dut.rsp_count == '0 && u_dut.store_count == '0 &&
                             u_dut.cmd_count == '0 && u_dut.flush.state == 3'd0 && u_dut.timed_count == '0 && u_dut.fill_count == '0);
  h[45] = `GANTRY_IMPL(idle, !credit && !rsp_valid && !message_valid && !cmd_valid[0] && !maint_done && !u_dut.tag_we_q && !u_dut.data_we_q);
end
for (genvar n = 0; n < Helpers; n++) begin : gen_helpers
`ifdef STEP
  always_comb begin : m_before
    if (first) assume (h[n]);
  end
`ifndef REACH
  `GANTRY_ASSERT(h_step, first || h[n])
`endif
`else
  `GANTRY_ASSERT(h_base, h[n])
`endif
end
`ifdef REACH  // must fail: the helpers leave states in which both MSHRs are taken, others wait for a fill and for room, and a write-back is in the lookup
`GANTRY_ASSERT(c_step, first || !(taken == '1 && some[Mshrs-1:0] != '0 && some[Mshrs+1] && u_dut.s2.valid && u_dut.s2.what == Flush))
`endif
