// SPDX-License-Identifier: Apache-2.0
// Part of cu_vmem_coalesce and cu_vmem_coalesce_narrow: instructions in order, lanes of a beat that share a line, the
// translation of a transaction and its rights.  Not responsible for: addresses of lanes, when a beat is taken.

  // The next instruction.
  task automatic begin_instruction();
    cur = order[order_read];
    order_read = order_read + 1'b1;
    order_count = order_count - 1'b1;
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
    open.behind = '0;
    open.slot = cur;
    open.vmid = op.vmid;
    moved = 1'b1;
  endtask

  // The line of the lowest pending lane: joins the open transaction or becomes the next one.
  task automatic join_lanes();
    leader = {26'd0, pick_pkg::first64({32'd0, pending0 != '0 ? pending0 : pending1})};
    line = {29'd0, lane_va[leader][40:6]} + (pending0 != '0 ? 64'd0 : 64'd1);
    lds_lane = pending0 != '0 && line[34];
    merged = merges(op, lds_lane);
    if (op.atomic && !merged) begin
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
    // a pair: all lanes, here and on the next line, which must be of the same page
    joined1 = successive && pending1 == '0 && line[5:0] != '1 ? pending0 & ~joined0 : joined1;
    paired = successive && pending1 == '0 && joined1 != '0;
    ok = open.valid && (!op.atomic || merged) && {29'd0, open.lds, open.va[39:6]} == line && open.lds == lds_lane &&
        open.word == (apart ? part : 2'd0) && !paired && open.behind == '0;
    if (merged) begin
      ok   = ok && joins_word(taken, lane_va[leader][5:2]);
      used = ok ? taken : '0;
      first_lanes();
    end
    if (ok) open.lanes = open.lanes | (64'(joined0 | joined1) << {beat, 4'd0});
    if (!ok && (!open.valid || room)) begin
      emit = open.valid;
      next = '{
          valid: 1'b1,
          inv: 1'b0,
          lds: lds_lane,
          split: apart,
          merged: merged,
          slot: cur,
          vmid: op.vmid,
          word: apart ? part : 2'd0,
          va: {line[33:0], 6'd0},
          first: pending0 != '0 ? lane_va[leader][39:0] : {line[33:0], 6'd0},
          lanes: 64'(joined0 | joined1) << {beat, 4'd0},
          behind: '0
      };
      if (paired) begin
        next.lanes  = 64'(joined0) << {beat, 4'd0};
        next.behind = joined1[15:0];
      end
      ok = 1'b1;
    end
    if (ok) begin
      taken = used;
      pending0 = paired ? '0 : pending0 & ~joined0;
      pending1 = pending1 & ~joined1;
      moved = 1'b1;
    end
  endtask

  // Of the lanes of an atomic on a line: for each word the lowest, unless a lane has it already.  The others come later,
  // so that lanes of one word are performed in their order.
  task automatic first_lanes();
    for (int unsigned l = 0; l < 16; l++) begin
      if (joined0[l]) begin
        joined0[l] = joins_word(used, lane_va[l][5:2]);
        used[lane_va[l][5:2]] = 1'b1;
      end
    end
  endtask

  // The answer of the L2 TLB for an entry of the file; rights are those of each access.
  task automatic take_translation();
    found = xlat_id_i[MissW-1:0];
    moved = 1'b1;
    if (file.stale[found]) begin
      file.stale[found] = 1'b0;
      file.ask[found] = 1'b1;
      return;
    end
    file.answered[found] = 1'b1;
    keep_entry(found, kept(xlat_pte_i, xlat_status_i));
    if (is_translation(xlat_pte_i)) begin
      tlb_fill_o <= 1'b1;
      tlb_fill_pte_o <= xlat_pte_i;
      tlb_fill_vpn_o <= file.page[found].vpn;
      tlb_fill_vmid_o <= file.page[found].vmid;
      last_valid = 1'b1;
      last_page = file.page[found];
      last_pte = xlat_pte_i;
    end
  endtask

  // The TLB loses entries: what is known here of their pages does not count any more.  What was translated before has ended
  // (quiesce_i), or the answer to another invalidation waits for that.  What the lookups of tx1 and tx0 have found of such a page
  // is taken for a miss.  An answer under way may be that of a block with such a page, up to 2 MiB.
  task automatic forget_translations();
    for (int unsigned m = 0; m < NumMisses; m++) begin
      if (names(file.page[m], tlb_pkg::SizeLarge))
        file.stale[m] = file.stale[m] || (file.busy[m] && !file.answered[m] && !file.ask[m]);
      if (names(file.page[m], tlb_pkg::SizePage)) begin
        file.ask[m] = file.ask[m] || file.answered[m];
        file.answered[m] = 1'b0;
      end
    end
    if (names(last_page, tlb_pkg::SizePage)) last_valid = 1'b0;
    if (tx1.valid && names('{vmid: tx1.vmid, vpn: tx1.va[39:12]}, tlb_pkg::SizePage)) begin
      held = 1'b1;
      held_hit = 1'b0;
    end
    doubted = tx0.valid && (doubted || names('{vmid: tx0.vmid, vpn: tx0.va[39:12]}, tlb_pkg::SizePage));
    moved = 1'b1;
  endtask

  // Does the invalidation name the page, or one of a block around it?
  function automatic logic names(input page_t of, input tlb_pkg::size_e block);
    return tlb_pkg::inv_covers(forget_pages_i, of.vmid, of.vpn, block);
  endfunction

  // An entry asks the L2 TLB, for transaction `tx`, which waits for it.
  task automatic ask_for(input miss_t miss, input vmem_tx_t tx);
    access.tx = tx;
    access.op = L1Xlat;
    access.id = 8'(miss);
    access.bypass = 1'b0;
    access.addr = {24'd0, tx.va[39:12], 12'd0};
    access_valid_o <= 1'b1;
    access_o <= access;
  endtask

  task automatic ask_again();
    found = miss_t'(pick_pkg::first64(64'(file.ask)));
    file.ask[found] = 1'b0;
    at_wait = wait_t'(pick_pkg::first64(64'(of_miss(found))));
    ask_for(found, file.tx[at_wait]);
    served = 1'b1;
    moved = 1'b1;
  endtask

  // Translations of a cycle: what comes, then one transaction that goes on, or an entry that asks again.  Nothing leaves for the
  // cache while an invalidation waits for what has left.
  task automatic translations();
    if (forget_i) forget_translations();
    if (xlat_valid_i) take_translation();
    if (tx1.valid && !held) keep_result();
    served = 1'b0;
    if (file.answered != '0 && !quiesce_i) serve_waiting();
    if (file.ask != '0 && !served && access_ready_i) ask_again();
    if (tx1.valid && !served) translate();
    if (!tx1.valid && tx0.valid) begin
      tx1 = tx0;
      tx0.valid = 1'b0;
      held = doubted;
      held_hit = 1'b0;
      doubted = 1'b0;
      moved = 1'b1;
    end
    waiting_o <= waiting;
  endtask

  // What the lookup of tx1 has found; that of tx0 stands there a cycle later.
  task automatic keep_result();
    held = 1'b1;
    held_hit = tlb_hit_i;
    held_pte = tlb_pte_i;
    if (!tx1.inv && !tx1.lds) perf_o[1] <= tlb_hit_i;
  endtask

  // May the transaction `leaving` of instruction `top` go to the cache?
  task automatic find_room();
    room_ahead = access_ready_i &&
        (tx_left > (TxW + 1)'(leaving.behind != '0) || (top.store && !leaving.lds) || leaving.inv);
  endtask

  // It gets its physical address by this entry, or is denied.
  task automatic leave_for(input logic [63:0] pte);
    waiting = waiting - 6'd1;
    direct = leaving.inv || leaving.lds;
    verdict = status_of(pte, top.atomic ? 8'd3 : top.store ? 8'd2 : 8'd1);
    if (SeedFault == 4'd2 && pte[0]) verdict = MEM_OK;
    access.tx = leaving;
    access.op = leaving.inv ? L1Inv : top.store ? L1Write : top.atomic ? L1Atomic : L1Read;
    access.id = 8'(leaving.slot);
    access.bypass = top.glc || !tlb_pkg::pte_cached(pte);
    access.addr = leaving.lds ? {24'd0, leaving.va} : tlb_pkg::pte_pa(pte, {24'd0, leaving.va});
    if (!direct && verdict != MEM_OK) begin
      denied_o <= '{valid: 1'b1, slot: leaving.slot, status: verdict, va: {24'd0, leaving.first}};
    end else if (!leaving.inv) begin
      perf_o[0] <= !leaving.lds;
      if (!top.store || leaving.lds) begin
        tx_left = tx_left - 1'b1;
        access.id = 8'(tx_free[tx_left[TxW-1:0]]);
        if (leaving.behind != '0) begin
          tx_left = tx_left - 1'b1;
          access.id2 = 8'(tx_free[tx_left[TxW-1:0]]);
          access.addr[5:2] = leaving.first[5:2];
        end
        if (top.atomic && !leaving.merged) access.addr = {access.addr[63:6], leaving.first[5:0]};
      end
    end
    access_valid_o <= direct || verdict == MEM_OK;
    access_o <= access;
    moved = 1'b1;
  endtask

  // Entry that holds a page, as a bit.
  function automatic misses_t of_page(input page_t sought);
    misses_t these;
    these = '0;
    for (int unsigned m = 0; m < NumMisses; m++) these = these | (misses_t'(same_page(file.page[m], sought)) << m);
    return in_use(these, file.busy);
  endfunction

  // Transactions of a wavefront that wait.
  function automatic waits_t of_wave(input wave_t wave);
    waits_t these;
    these = '0;
    for (int unsigned w = 0; w < NumWaits; w++) these = these | (waits_t'(file.note[w].wave == wave) << w);
    return these & file.waiting;
  endfunction

  // Those of a page that wait.
  function automatic waits_t of_miss(input miss_t miss);
    waits_t these;
    these = '0;
    for (int unsigned w = 0; w < NumWaits; w++) these = these | (waits_t'(file.note[w].miss == miss) << w);
    return these & file.waiting;
  endfunction

  // Those whose translation has come and that stay behind none.
  function automatic waits_t may_go();
    waits_t go, after;
    miss_t miss;
    go = '0;
    for (int unsigned w = 0; w < NumWaits; w++) begin
      miss = file.note[w].miss;
      after = file.writes[w] || file.denies[miss] ? file.note[w].older : file.note[w].first;
      go = go | (waits_t'(file.answered[miss] && after == '0) << w);
    end
    return go & file.waiting;
  endfunction

  // What a page of the file is translated to.
  task automatic keep_entry(input miss_t miss, input logic [63:0] pte);
    file.denies[miss] = status_of(pte, tlb_pkg::ACCESS_READ) != MEM_OK;
    file.pte[miss] = pte;
  endtask

  // at_wait leaves the file; with the last one of its page the page does.
  task automatic leave_file();
    found = file.note[at_wait].miss;
    file.waiting[at_wait] = 1'b0;
    file.writes[at_wait] = 1'b0;
    for (int unsigned w = 0; w < NumWaits; w++) file.note[w] = without(file.note[w], at_wait);
    if (last_left(of_miss(found))) begin
      file.busy[found] = 1'b0;
      file.answered[found] = 1'b0;
    end
  endtask

  // One of those whose translation has come; they go before tx1.
  task automatic serve_waiting();
    going = may_go();
    served = going != '0;
    if (served) begin
      at_wait = wait_t'(pick_pkg::first64(64'(going)));
      leaving = file.tx[at_wait];
      top = op_mem[leaving.slot];
      find_room();
      if (room_ahead) begin
        leave_for(file.pte[file.note[at_wait].miss]);
        leave_file();
      end
    end
  endtask

  // tx1 goes on, or waits in the file: its page is not there, others of its page wait, or some of its wavefront that it must
  // not pass.  A full file holds up what follows.
  task automatic translate();
    top = op_mem[tx1.slot];
    leaving = tx1;
    direct = tx1.inv || tx1.lds;
    page = '{vmid: tx1.vmid, vpn: tx1.va[39:12]};
    if (!held_hit && last_valid && last_page == page) begin  // it has come after the lookup
      held_hit = 1'b1;
      held_pte = last_pte;
    end
    pages = '0;
    ahead = '0;
    delayed = !direct && !held_hit;
    if (file.busy != '0 && !tx1.lds) begin
      if (!tx1.inv) pages = of_page(page);
      ahead = of_wave(top.wave);
      strict = tx1.inv || top.store || top.atomic || status_of(held_pte, tlb_pkg::ACCESS_READ) != MEM_OK;
      delayed = delayed || pages != '0 || behind(ahead, file.writes, strict) != '0;
    end
    if (delayed) begin
      if (!tx1.inv && file.waiting != '1) wait_for_page();
    end else if (!quiesce_i) begin
      find_room();
      if (room_ahead) begin
        leave_for(held_pte);
        tx1.valid = 1'b0;
        held = 1'b0;
      end
    end
  endtask

  task automatic wait_for_page();
    free = ~file.busy;
    if (pages != '0) free = pages;
    found = miss_t'(pick_pkg::first64(64'(free)));
    fits = pages != '0 || (file.busy != '1 && (held_hit || access_ready_i));
    if (fits && pages == '0) begin
      file.busy[found] = 1'b1;
      file.answered[found] = held_hit;  // with its translation where the wait is for order alone
      file.page[found] = page;
      keep_entry(found, held_pte);
      if (!held_hit) begin
        perf_o[2] <= 1'b1;
        ask_for(found, tx1);
      end
    end
    if (fits) begin
      going = ~file.waiting;
      at_wait = wait_t'(pick_pkg::first64(64'(going)));
      going = file.writes | of_miss(found);
      file.waiting[at_wait] = 1'b1;
      file.writes[at_wait] = top.store || top.atomic;
      file.note[at_wait] = '{miss: found, wave: top.wave, older: ahead, first: ahead & going};
      file.tx[at_wait] = tx1;
      tx1.valid = 1'b0;
      held = 1'b0;
      moved = 1'b1;
    end
  endtask
