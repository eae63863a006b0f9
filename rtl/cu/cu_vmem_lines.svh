// SPDX-License-Identifier: Apache-2.0
// Part of cu_vmem_coalesce and cu_vmem_coalesce_narrow: instructions in order, lanes of a beat that share a line, the
// translation of a transaction and its rights.  Not responsible for: addresses of lanes, when a beat is taken.

  // The next instruction.
  task automatic begin_instruction();
    cur = order[order_read];
    order_read = order_read + 4'd1;
    order_count = order_count - 5'd1;
    active = 1'b1;
    step = '0;
    op = op_mem[cur];
    apart = split[cur];
    steps = op.inv || op.exec == '0 ? 5'd0 : !apart || op.bytes <= 5'd4 ? 5'd4 : {op.bytes[4:2], 2'd0};
    pending0 = '0;
    pending1 = '0;
    open.valid = op.inv;
    open.inv = op.inv;
    open.lds = 1'b0;
    open.slot = cur;
    open.vmid = op.vmid;
    moved = 1'b1;
  endtask

  // The line of the lowest pending lane: joins the open transaction or becomes the next one.
  task automatic join_lanes();
    leader = {26'd0, pick_pkg::first64({32'd0, pending0 != '0 ? pending0 : pending1})};
    line = {29'd0, lane_va[leader][40:6]} + (pending0 != '0 ? 64'd0 : 64'd1);
    lds_lane = pending0 != '0 && line[34];
    if (op.atomic) begin
      joined0 = 32'd1 << leader;
      joined1 = '0;
    end else begin
      joined0 = '0;
      joined1 = '0;
      for (int unsigned l = 0; l < 16; l++) joined0 = joined0 | (32'(64'(lane_va[l] >> 6) == line) << l);
      joined0 = joined0 & pending0;
      if (pending1 != '0) begin
        previous = line - 64'd1;
        for (int unsigned l = 0; l < 16; l++) joined1 = joined1 | (32'(64'(lane_va[l] >> 6) == previous) << l);
        joined1 = joined1 & pending1;
      end
      if (SeedFault == 4'd1) joined0 = pending0;
    end
    ok = open.valid && !op.atomic && {29'd0, open.lds, open.va[39:6]} == line && open.lds == lds_lane &&
        open.word == (apart ? part : 2'd0);
    if (ok) open.lanes = open.lanes | (64'(joined0 | joined1) << {beat, 4'd0});
    if (!ok && (!open.valid || room)) begin
      emit = open.valid;
      next = '{
          valid: 1'b1,
          inv: 1'b0,
          lds: lds_lane,
          split: apart,
          slot: cur,
          vmid: op.vmid,
          word: apart ? part : 2'd0,
          va: {line[33:0], 6'd0},
          first: pending0 != '0 ? lane_va[leader][39:0] : {line[33:0], 6'd0},
          lanes: 64'(joined0 | joined1) << {beat, 4'd0}
      };
      ok = 1'b1;
    end
    if (ok) begin
      pending0 = pending0 & ~joined0;
      pending1 = pending1 & ~joined1;
      moved = 1'b1;
    end
  endtask

  // The answer of the L2 TLB; an entry that is not valid says why.
  task automatic take_translation();
    asked = 1'b0;
    held = 1'b1;
    held_hit = 1'b1;
    held_pte = xlat_status_i == MEM_OK ? xlat_pte_i : {56'd0, xlat_status_i} << 32;
    if (xlat_status_i == MEM_OK) begin
      tlb_fill_o <= 1'b1;
      tlb_fill_pte_o <= xlat_pte_i;
      tlb_fill_vpn_o <= tx1.va[39:12];
      tlb_fill_vmid_o <= tx1.vmid;
      last_valid = 1'b1;
      last_vpn = tx1.va[39:12];
      last_vmid = tx1.vmid;
      last_pte = xlat_pte_i;
    end
  endtask

  // The oldest transaction: asks for its page, or gets its physical address, or is denied.
  task automatic translate();
    top = op_mem[tx1.slot];
    direct = tx1.inv || tx1.lds;
    if (!held) begin
      held = 1'b1;
      held_hit = tlb_hit_i;
      held_pte = tlb_pte_i;
      if (!direct) perf_o[1] <= tlb_hit_i;
      if (!direct && !tlb_hit_i && last_valid && last_vpn == tx1.va[39:12] && last_vmid == tx1.vmid) begin
        held_hit = 1'b1;
        held_pte = last_pte;
      end
    end
    stall = !access_ready_i || asked || (tx_free == '0 && (!top.store || tx1.lds) && !tx1.inv);
    if (!stall) begin
      outcome = !held_pte[0] && held_pte[39:32] != '0 ? held_pte[39:32] :
          tlb_pkg::pte_status(held_pte, top.atomic ? 8'd3 : top.store ? 8'd2 : 8'd1);
      if (SeedFault == 4'd2 && held_pte[0]) outcome = MEM_OK;
      access.tx = tx1;
      access.op = tx1.inv ? L1Inv : !direct && !held_hit ? L1Xlat : top.store ? L1Write :
          top.atomic ? L1Atomic : L1Read;
      access.id = {4'd0, tx1.slot};
      access.bypass = top.glc || !tlb_pkg::pte_cached(held_pte, own_gpu_i);
      access.addr = access.op == L1Xlat ? {24'd0, tx1.va[39:12], 12'd0} : tlb_pkg::pte_pa(held_pte, {24'd0, tx1.va});
      if (tx1.lds) access.addr = {24'd0, tx1.va};
      if (!direct && !held_hit) begin
        asked = 1'b1;
        perf_o[2] <= 1'b1;
      end else if (!direct && outcome != MEM_OK) begin
        denied_o <= '{valid: 1'b1, slot: tx1.slot, status: outcome, va: {24'd0, tx1.first}};
      end else if (!tx1.inv) begin
        perf_o[0] <= !tx1.lds;
        if (!top.store || tx1.lds) begin
          access.id = 8'(pick_pkg::first64(64'(tx_free)));
          tx_free = tx_free & ~(NumTx'(1) << access.id);
          if (top.atomic) access.addr = {access.addr[63:6], tx1.first[5:0]};
        end
      end
      access_valid_o <= direct || !held_hit || outcome == MEM_OK;
      access_o <= access;
      tx1.valid = asked;
      held = asked;
      moved = 1'b1;
    end
  endtask
