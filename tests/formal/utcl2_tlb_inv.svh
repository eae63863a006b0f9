// SPDX-License-Identifier: Apache-2.0
// Helpers of the proof of rtl/utcl2/utcl2_tlb, included by utcl2_tlb_fv: with them its properties are inductive.  In words: every slot is at
// exactly one place (free, in the input queue, in the lookup, in one list); what waits to be answered for the followed page, and every
// entry that a lookup for it would find, is its entry of now, or that of before while the invalidation has not come by.
localparam int unsigned Sets[3] = '{Entries / 2, Blocks / 2, Large / 2};
localparam int unsigned First[3] = '{0, Sets[0], Sets[0] + Sets[1]};
localparam int unsigned MostSets = Entries > Blocks ? Entries / 2 : Blocks / 2;  // Large is the smallest
localparam int unsigned AtBits = $clog2(Slots), TagBits = $bits(tag_t);
localparam logic [2:0] Rest = 3'd0, Wait = 3'd1, Sweep = 3'd2, Drain = 3'd3, Tell = 3'd4, Sort = 3'd5;

look_t d1, d2;
logic [2:0] state;
inv_t going;  // command under way
assign d1    = u_dut.u_peek.s1;
assign d2    = u_dut.u_peek.s2;
assign state = u_dut.u_peek.cmd_state;
assign going = u_dut.u_peek.cmd_inv;

// ---- slots: where each is
localparam int unsigned Lists = Walks + 2;  // of walks, of those that wait for one, of those that are withheld
logic [Lists-1:0] some, wrong;
slot_t [Lists-1:0] head, tail;
logic [Lists-1:0][AtBits:0] length;
logic [Lists-1:0][Slots-1:0] member;
logic [Slots-1:0][AtBits:0] position;  // among the withheld
logic [Slots-1:0] is_free, is_in, marked, ours, live;
logic ring_wrong;
logic [AtBits:0] frees;
assign frees = (AtBits+1)'(Slots - 32'(u_dut.in_count) - 32'(u_dut.busy_slots));
for (genvar l = 0; l < Walks; l++) begin : gen_lists
  assign some[l] = !u_dut.walk_free[l];
  assign head[l] = u_dut.u_peek.p_walk[l].first;
  assign tail[l] = u_dut.u_peek.p_walk[l].last;
end
assign some[Walks]   = u_dut.wait_count != 12'd0;
assign head[Walks]   = u_dut.wait_first;
assign tail[Walks]   = u_dut.wait_last;
assign some[Walks+1] = u_dut.held_count != 12'd0;
assign head[Walks+1] = u_dut.held_first;
assign tail[Walks+1] = u_dut.held_last;
always_comb begin
  member   = '0;
  wrong    = '0;
  length   = '0;
  position = '0;
  for (int unsigned l = 0; l < Lists; l++) begin
    slot_t at;
    logic over;
    at   = head[l];
    over = !some[l];
    for (int unsigned k = 0; k < Slots; k++) begin
      if (!over) begin
        if (32'(at) >= Slots || member[l][at[AtBits-1:0]]) wrong[l] = 1'b1;
        member[l][at[AtBits-1:0]] = 1'b1;
        if (l == Walks + 1) position[at[AtBits-1:0]] = (AtBits+1)'(k);
        length[l] = length[l] + 1'b1;
        over = at == tail[l];
        at   = u_dut.u_peek.p_next[at[AtBits-1:0]];
      end
    end
    if (!over) wrong[l] = 1'b1;
  end
  is_free    = '0;
  is_in      = '0;
  ring_wrong = 1'b0;
  for (int unsigned k = 0; k < Slots; k++) begin
    slot_t at;
    at = u_dut.u_peek.p_free[AtBits'(32'(u_dut.free_first) + k)];
    if (k < 32'(frees)) begin
      if (32'(at) >= Slots || is_free[at[AtBits-1:0]]) ring_wrong = 1'b1;
      is_free[at[AtBits-1:0]] = 1'b1;
    end
  end
  for (int unsigned k = 0; k < Depth; k++) begin
    slot_t at;
    at = u_dut.u_peek.p_queue[$clog2(Depth)'(32'(u_dut.in_first) + k)];
    if (k < 32'(u_dut.in_count)) begin
      if (32'(at) >= Slots || is_in[at[AtBits-1:0]]) ring_wrong = 1'b1;
      is_in[at[AtBits-1:0]] = 1'b1;
    end
  end
end

// ---- the followed page
function automatic logic is_entry(input logic [63:0] pte, input vpn_t page, input logic [2:0] value, input logic denied);
  return value[2] ? pte[0] && pte[1] && pte[4] && pte[41:12] == {value[1:0], page} : pte == 64'd0 && (!value[0] || denied);
endfunction
function automatic logic is_told(input utcl2_answers_pkg::answer_t a, input vpn_t page, input logic [2:0] value, input logic denied);
  return value[2] ? a.status == MEM_OK && a.pte[41:12] == {value[1:0], page} :
                    a.status == MEM_FAULT_NOT_PRESENT && (!value[0] || denied);
endfunction
function automatic logic [15:0] seen_set(input logic [1:0] store, input look_t look, input logic long_range);
  return look.sweep ? sweep_set(store, long_range, look.vpn) : set_of(store, look.vpn);
endfunction

logic early, fails_ok, tells_all;
assign early     = pending_q && state == Wait;  // the command has not got beyond the first wait: answers of before may leave
assign fails_ok  = !u_dut.u_peek.p_space[1].withhold || denied_q || early;
assign tells_all = inv_covers(going, 8'd1, vpn, SizePage);

localparam vpn_t Fixed = ~page_of(4'hF);  // bits of page numbers that are always zero
logic [2:0][1:0] row_ok;
logic [2:0] has_old, read_ok, out_ok, write_ok;
for (genvar c = 0; c < 3; c++) begin : gen_stores
  localparam logic [15:0] Mask = 16'(Sets[c] - 1);
  logic [15:0] set;
  logic [Sets[c]-1:0][2*TagBits-1:0] tag_mem;
  logic [Sets[c]-1:0][127:0] entry_mem;
  logic [1:0][TagBits-1:0] tags, tags_out;
  logic [1:0][63:0] entries, entries_out;
  logic unswept, writes;
  assign set       = set_of(2'(c), vpn) & Mask;
  assign tag_mem   = u_dut.gen_store[c].u_store.u_tags.u_peek.p_mem;
  assign entry_mem = u_dut.gen_store[c].u_store.u_entries.u_peek.p_mem;
  assign tags_out    = u_dut.gen_store[c].u_store.u_tags.out_q;
  assign entries_out = u_dut.gen_store[c].u_store.u_entries.out_q;
  assign writes    = u_dut.u_peek.p_write[c];
  // the sweep of a range has still to come by the set
  assign unswept = (state == Sweep && (u_dut.u_peek.cmd_long ? u_dut.u_peek.cmd_step <= set : 28'(u_dut.u_peek.cmd_step) <= vpn - going.first)) ||
                   (d1.valid && d1.sweep && (seen_set(2'(c), d1, u_dut.u_peek.cmd_long) & Mask) == set) ||
                   (d2.valid && d2.sweep && (seen_set(2'(c), d2, u_dut.u_peek.cmd_long) & Mask) == set);
  always_comb begin
    row_ok[c]  = '1;
    has_old[c] = 1'b0;
    for (int unsigned k = 0; k < 2; k++) begin
      tag_t t;
      logic [63:0] e;
      logic here;
      here = writes && u_dut.write_set_q == set && u_dut.write_way_q == 4'(k);
      t = here ? u_dut.write_tag_q : tag_mem[Sets[c] > 1 ? set : 0][k*TagBits+:TagBits];
      e = here ? u_dut.write_entry_q : entry_mem[Sets[c] > 1 ? set : 0][k*64+:64];
      if (u_dut.u_peek.p_valid[First[c]+32'(set)][k] && t.vmid == 8'd1) begin
        if (tag_hit(t, u_dut.u_peek.p_generation[1], 8'd1, vpn) && !is_entry(pte_of_page(e, t.size, vpn), vpn, value_q, 1'b0)) has_old[c] = 1'b1;
        if (t.generation > u_dut.u_peek.p_generation[1]) row_ok[c][k] = 1'b0;
        if (tag_hit(t, u_dut.u_peek.p_generation[1], 8'd1, vpn) && !is_entry(pte_of_page(e, t.size, vpn), vpn, value_q, 1'b0) &&
            !((early || (pending_q && unswept)) && is_entry(pte_of_page(e, t.size, vpn), vpn, old_q, 1'b0))) row_ok[c][k] = 1'b0;
        if (!e[0] || (t.first & Fixed) != 28'd0) row_ok[c][k] = 1'b0;
      end
    end
  end
  assign read_ok[c] = !d1.valid || (u_dut.read_q && u_dut.u_peek.p_read_set[c] == (seen_set(2'(c), d1, u_dut.u_peek.cmd_long) & Mask) &&
                                    !(writes && u_dut.write_set_q == u_dut.u_peek.p_read_set[c]));
  logic [15:0] out_set;
  assign out_set = seen_set(2'(c), d2, u_dut.u_peek.cmd_long) & Mask;
  assign out_ok[c] = !d2.valid || (tags_out == tag_mem[Sets[c] > 1 ? out_set : 0] && entries_out == entry_mem[Sets[c] > 1 ? out_set : 0]);
  tag_t wt;
  assign wt = u_dut.write_tag_q;
  assign write_ok[c] = writes == (u_dut.u_peek.fill_valid && u_dut.u_peek.fill_store == 2'(c)) &&
      (!writes || (32'(u_dut.u_peek.fill_row) == First[c] + 32'(u_dut.write_set_q) && 32'(u_dut.write_set_q) < Sets[c] &&
                   u_dut.write_way_q == u_dut.u_peek.fill_way && u_dut.write_way_q < 4'd2 && u_dut.write_entry_q == u_dut.u_peek.fill_pte &&
                   wt == tag_of(wt.generation, u_dut.u_peek.fill_vmid, u_dut.u_peek.fill_size, u_dut.u_peek.fill_vpn) &&
                   store_of(u_dut.u_peek.fill_size) == 2'(c) && u_dut.write_set_q == (set_of(2'(c), u_dut.u_peek.fill_vpn) & Mask)));
end

localparam int unsigned Helpers = 58;
logic [Helpers-1:0] h;
logic [5:0] marks;
logic fill_covers;
assign fill_covers = u_dut.u_peek.fill_valid && u_dut.u_peek.fill_vmid == 8'd1 &&
                     ((u_dut.u_peek.fill_vpn ^ vpn) & ~size_mask(u_dut.u_peek.fill_size)) == 28'd0;
always_comb begin
  h = '1;
  // slots
  h[0] = wrong == '0 && !ring_wrong && 32'(u_dut.in_count) <= Depth && 32'(u_dut.busy_slots) <= Slots - Depth;
  h[1] = 32'(u_dut.free_last) < Slots && 32'(u_dut.free_first) < Slots &&
         AtBits'(u_dut.free_last) == AtBits'(32'(u_dut.free_first) + 32'(frees)) && 32'(u_dut.in_first) < Depth;
  for (int unsigned n = 0; n < Slots; n++) begin
    logic [3:0] places;
    logic in1, in2;
    in1 = d1.valid && !d1.sweep && d1.slot == 11'(n);
    in2 = d2.valid && !d2.sweep && d2.slot == 11'(n);
    places = 4'(is_free[n]) + 4'(is_in[n]) + 4'(in1) + 4'(in2);
    for (int unsigned l = 0; l < Lists; l++) places = places + 4'(member[l][n]);
    if (places != 4'd1) h[2] = 1'b0;
    ours[n]   = u_dut.u_peek.p_page[n].vmid == 8'd1 && u_dut.u_peek.p_page[n].vpn == vpn;
    live[n]   = !is_free[n];
    marked[n] = live[n] && u_dut.u_peek.p_who[n].tag[0];
    if (live[n]) begin
      if (u_dut.u_peek.p_page[n].beyond || u_dut.u_peek.p_page[n].vmid[7:1] != 7'd0 || (u_dut.u_peek.p_page[n].vpn & Fixed) != 28'd0) h[3] = 1'b0;
      if (u_dut.u_peek.p_who[n].access != ACCESS_READ) h[3] = 1'b0;
      if (u_dut.u_peek.p_who[n].tag[1:0] != 2'd0 && !ours[n]) h[4] = 1'b0;
      if (ours[n] && u_dut.slot_deny[n] && !denied_q) h[5] = 1'b0;
      if ((in1 && d1.vpn != u_dut.u_peek.p_page[n].vpn) || (in2 && d2.vpn != u_dut.u_peek.p_page[n].vpn)) h[6] = 1'b0;
      // withheld: the driver knows, or is being told, or the list has not been gone through so far
      if (marked[n] && member[Walks+1][n] &&
          !(told_q || (evt_valid && evt.vmid == 8'd1 && evt.va == {24'd0, vpn, 12'd0}) || (state == Tell && tells_all) ||
            (state == Sort && tells_all && 32'(position[n]) < 32'(u_dut.u_peek.cmd_left)))) h[7] = 1'b0;
    end
  end
  h[8] = `GANTRY_IMPL(d1.valid, d1.sweep == (state == Sweep || state == Drain)) && `GANTRY_IMPL(d2.valid, d2.sweep == (state == Sweep || state == Drain)) &&
         `GANTRY_IMPL(d1.valid && !d1.sweep, 32'(d1.slot) < Slots) && `GANTRY_IMPL(d2.valid && !d2.sweep, 32'(d2.slot) < Slots) &&
         !(d1.valid && d1.sweep && d1.waited) && !(d2.valid && d2.sweep && d2.waited);
  h[9] = `GANTRY_IMPL((d1.valid && d1.waited) || (d2.valid && d2.waited), u_dut.walk_free != 64'd0 && !(d1.valid && d1.waited && d2.valid && d2.waited));
  // walks
  h[10] = (u_dut.walk_free >> Walks) == 64'd0 && (u_dut.answer_set >> Walks) == 64'd0 && (u_dut.fail_set >> Walks) == 64'd0 &&
          (u_dut.walk_free & (u_dut.answer_set | u_dut.fail_set)) == 64'd0 && (u_dut.answer_set & u_dut.fail_set) == 64'd0;
  h[11] = u_dut.lost_walks == 64'd0 && u_dut.owed == 8'd0 && !u_dut.dropping;
  for (int unsigned w = 0; w < Walks; w++) begin
    logic starts, out, followed;
    starts = start_valid && start_walk == 6'(w);
    out    = !u_dut.walk_free[w] && !u_dut.answer_set[w] && !u_dut.fail_set[w];
    followed = u_dut.u_peek.p_walk[w].vmid == 8'd1 && u_dut.u_peek.p_walk[w].vpn == vpn;
    if (2'(out) != 2'(walking_q[w]) + 2'(starts)) h[12] = 1'b0;
    if (walking_q[w] && (walk_vmid_q[w] != u_dut.u_peek.p_walk[w].vmid || walk_vpn_q[w] != u_dut.u_peek.p_walk[w].vpn)) h[13] = 1'b0;
    if (starts && (start_vmid != u_dut.u_peek.p_walk[w].vmid || start_vpn != u_dut.u_peek.p_walk[w].vpn)) h[14] = 1'b0;
    if (!u_dut.walk_free[w]) begin
      if (u_dut.u_peek.p_walk[w].vmid[7:1] != 7'd0 || (u_dut.u_peek.p_walk[w].vpn & Fixed) != 28'd0) h[15] = 1'b0;
      if (!u_dut.answer_set[w] && 32'(u_dut.u_peek.p_walk[w].count) != 32'(length[w])) h[16] = 1'b0;
      if (followed && u_dut.u_peek.p_walk[w].deny && !denied_q) h[17] = 1'b0;
      for (int unsigned n = 0; n < Slots; n++)
        if (member[w][n] && (u_dut.u_peek.p_page[n].vmid != u_dut.u_peek.p_walk[w].vmid ||
                             u_dut.u_peek.p_page[n].vpn != u_dut.u_peek.p_walk[w].vpn)) h[18] = 1'b0;
    end
    if (u_dut.answer_set[w] && followed) begin
      if (!is_entry(u_dut.u_peek.p_walk_pte[w], vpn, value_q, denied_q) &&
          !(early && is_entry(u_dut.u_peek.p_walk_pte[w], vpn, old_q, denied_q))) h[19] = 1'b0;
      if (!u_dut.u_peek.p_walk_pte[w][0] && !fails_ok) h[20] = 1'b0;
    end
  end
  if (Walks == 1 && walking_q[1]) h[12] = 1'b0;
  h[21] = `GANTRY_IMPL(start_valid, 32'(start_walk) < Walks);
  h[22] = 32'(length[Walks]) == 32'(u_dut.wait_count) && 32'(length[Walks+1]) == 32'(u_dut.held_count);
  // answers
  marks = 6'(rsp_valid && rsp.tag[0]);
  for (int unsigned n = 0; n < Slots; n++) marks = marks + 6'(marked[n]);
  for (int unsigned k = 0; k < RspDepth; k++) begin
    utcl2_answers_pkg::answer_t a;
    a = u_dut.u_peek.p_answer[$clog2(RspDepth)'(32'(u_dut.rsp_first) + k)];
    if (k < 32'(u_dut.rsp_count)) begin
      marks = marks + 6'(a.tag[0]);
      if (a.tag[1:0] != 2'd0) begin
        if (!is_told(a, vpn, value_q, denied_q) && !(early && is_told(a, vpn, old_q, denied_q))) h[23] = 1'b0;
        if (a.status != MEM_OK && !fails_ok) h[24] = 1'b0;
      end
    end
  end
  h[25] = marks == 6'(owed_q) && `GANTRY_IMPL(owed_q, marked_q);
  h[26] = 32'(u_dut.rsp_first) < RspDepth && 32'(u_dut.rsp_count) + 32'(d1.valid && !d1.sweep) + 32'(d2.valid && !d2.sweep) <= RspDepth;
  h[27] = 32'(u_dut.rsp_credits) + 32'(answers_q) + 32'(rsp_valid) == RspDepth;
  h[28] = 32'(u_dut.report_credits) + 32'(events_q) + 32'(evt_valid) == Reports;
  h[29] = 32'(u_dut.in_count) + 32'(credit) == 32'(waiting_q) && 32'(waiting_q) <= Depth;
  // the command
  h[30] = state <= Sort && command_q == (state != Rest || maint_done) && `GANTRY_IMPL(maint_done, state == Rest) && `GANTRY_IMPL(pending_q, command_q) &&
          `GANTRY_IMPL(root_q, pending_q) && `GANTRY_IMPL(state == Tell || state == Sort, !pending_q);
  h[31] = `GANTRY_IMPL(state != Rest || inv_valid, going.vmid == VMID_ALL || going.vmid[7:1] == 7'd0);
  h[32] = `GANTRY_IMPL(state inside {Wait, Sweep, Drain} || inv_valid, pending_q == tells_all);
  h[33] = `GANTRY_IMPL(state == Wait, u_dut.u_peek.cmd_step == 16'd0 && !changed_q && !inv_valid);
  h[34] = `GANTRY_IMPL(pending_q && state != Wait, changed_q || inv_valid) && u_dut.inv_sent == inv_valid;
  h[35] = `GANTRY_IMPL(inv_valid, !d2.valid && (state == Sweep ? !d1.valid : state == Rest) && command_q && !changed_q);
  h[36] = u_dut.u_peek.p_space[1].withhold == (root_q ? asked_withhold_q : withhold_q) && `GANTRY_IMPL(u_dut.u_peek.p_space[1].deny, denied_q);
  h[37] = `GANTRY_IMPL((state == Tell || state == Sort) && tells_all && u_dut.u_peek.cmd_deny, denied_q) &&
          `GANTRY_IMPL(state == Sort, u_dut.u_peek.cmd_left <= u_dut.held_count);
  h[38] = `GANTRY_IMPL(state == Sweep, !going.whole);
  // entries
  h[39] = row_ok[0][0];
  h[49] = row_ok[0][1];
  h[50] = row_ok[1][0];
  h[51] = row_ok[1][1];
  h[52] = row_ok[2][0];
  h[53] = row_ok[2][1];
  // the range
  h[54] = `GANTRY_IMPL(state inside {Wait, Sweep, Drain} && !going.whole, (going.first & Fixed) == 28'd0 && going.last - going.first <= 28'd2 &&
                       u_dut.u_peek.cmd_long == (going.last - going.first >= 28'(MostSets)));
  h[55] = `GANTRY_IMPL(state == Sweep, u_dut.u_peek.cmd_long ? 32'(u_dut.u_peek.cmd_step) < MostSets : 28'(u_dut.u_peek.cmd_step) <= going.last - going.first);
  h[56] = `GANTRY_IMPL(d1.valid && d1.sweep, !going.whole && (u_dut.u_peek.cmd_long ? 32'(d1.vpn) < MostSets : d1.vpn >= going.first && d1.vpn <= going.last));
  h[57] = `GANTRY_IMPL(d2.valid && d2.sweep, !going.whole && (u_dut.u_peek.cmd_long ? 32'(d2.vpn) < MostSets : d2.vpn >= going.first && d2.vpn <= going.last));
  h[40] = read_ok == '1;
  h[41] = out_ok == '1;
  h[42] = write_ok == '1;
  h[43] = `GANTRY_IMPL(fill_covers, is_entry(pte_of_page(u_dut.u_peek.fill_pte, u_dut.u_peek.fill_size, vpn), vpn, value_q, 1'b0) ||
                                    ((early || (pending_q && inv_valid)) &&
                                     is_entry(pte_of_page(u_dut.u_peek.fill_pte, u_dut.u_peek.fill_size, vpn), vpn, old_q, 1'b0)));
  h[44] = `GANTRY_IMPL(u_dut.u_peek.fill_valid, u_dut.u_peek.fill_store == store_of(u_dut.u_peek.fill_size) && u_dut.u_peek.fill_pte[0] &&
                                                   u_dut.u_peek.fill_vmid[7:1] == 7'd0 &&
                                                   (u_dut.u_peek.fill_vpn & Fixed) == 28'd0);
  // at rest
  h[45] = `GANTRY_IMPL(u_dut.rests, idle) && `GANTRY_IMPL(idle, !d1.valid && !d2.valid && u_dut.in_count == 8'd0 && u_dut.rsp_count == 8'd0 &&
          u_dut.answer_set == 64'd0 && (state == Rest || (state == Tell && u_dut.fail_set != 64'd0)) && (u_dut.fail_set == 64'd0 || u_dut.report_credits == 8'd0) &&
          (u_dut.wait_count == 12'd0 || u_dut.walk_free == 64'd0) && !u_dut.u_peek.fill_valid && !rsp_valid && !start_valid && !inv_valid &&
          !maint_done && !evt_valid && !credit);
  // copies for the block's own assertions
  h[48] = u_dut.walk_free_q == u_dut.walk_free && u_dut.answer_q == u_dut.answer_set && u_dut.fail_q == u_dut.fail_set && u_dut.in_count_q == u_dut.in_count &&
          u_dut.busy_q == u_dut.busy_slots && u_dut.wait_q == u_dut.wait_count && u_dut.held_count_q == u_dut.held_count &&
          u_dut.rsp_count_q == u_dut.rsp_count && u_dut.report_credits_q == u_dut.report_credits;
  // what is answered now
  h[46] = `GANTRY_IMPL(rsp_valid && rsp.tag[1:0] != 2'd0 && rsp.status != MEM_OK, !u_dut.u_peek.p_space[1].withhold || denied_q || pending_q);
  h[47] = `GANTRY_IMPL(rsp_valid && rsp.tag[1:0] != 2'd0, is_value(rsp, vpn, value_q, denied_q) || (pending_q && is_value(rsp, vpn, old_q, denied_q)));
end
`ifdef REACH  // the helpers leave states in which a sweep is about to meet what is to go, beside a walk and a request that is withheld
`GANTRY_ASSERT(c_step, first || !(has_old == 3'd7 && state == Sweep && d2.valid && u_dut.held_count != 12'd0 && walking_q != '0))
`endif
for (genvar n = 0; n < Helpers; n++) begin : gen_helpers
`ifdef STEP
  always_comb begin : m_before
    if (first) assume (h[n]);
  end
  `GANTRY_ASSERT(h_step, first || h[n])
`else
  `GANTRY_ASSERT(h_base, h[n])
`endif
end
