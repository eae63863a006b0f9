// SPDX-License-Identifier: Apache-2.0
// Helpers of the proof of vmem_xlat: what is true of the file of misses at every edge.  `age`: of each that waits, those that waited
// when it came.  Not responsible for: what is proved (vmem_xlat_fv.sv).
  waits_t of_waves[2];
  always_comb begin
    of_waves[0] = '0;
    for (int unsigned w = 0; w < NumWaits; w++) of_waves[0][w] = file.note[w].wave == wave_of(4'd0);
    of_waves[1] = ~of_waves[0];
  end
  for (genvar w = 0; w < NumWaits; w++) begin : gen_wait
    logic [3:0] slot;
    assign slot = file.tx[w].slot;
    logic here;
    assign here = file.waiting[w];
    `GANTRY_ASSERT(h_note, `GANTRY_IMPL(here, file.note[w].wave == wave_of(slot) && 32'(file.note[w].miss) < NumMisses &&
        !slot[3] && file.tx[w].valid && !file.tx[w].inv && !file.tx[w].lds && file.tx[w].vmid == '0 && file.tx[w].va[39:14] == '0 &&
        file.page[file.note[w].miss] == {8'd0, file.tx[w].va[39:12]}))
    `GANTRY_ASSERT(h_first_lane, `GANTRY_IMPL(here, file.tx[w].first == {38'd0, file.tx[w].lanes[1:0]}))
    waits_t mates;
    always_comb begin
      mates = '0;
      for (int unsigned v = 0; v < NumWaits; v++) mates[v] = file.note[v].miss == file.note[w].miss;
    end
    `GANTRY_ASSERT(h_goes_first, `GANTRY_IMPL(here, file.note[w].first == (file.note[w].older & (file.writes | mates))))
    `GANTRY_ASSERT(h_writes, file.writes[w] == (here && slot[0]))
    `GANTRY_ASSERT(h_older, `GANTRY_IMPL(here, file.note[w].older == (age[w] & of_waves[slot[1]])))
    `GANTRY_ASSERT(h_age, `GANTRY_IMPL(here, (age[w] & ~file.waiting) == '0 && !age[w][w]))
    for (genvar v = 0; v < NumWaits; v++) begin : gen_pair
      if (v != w) begin : gen_other
        `GANTRY_ASSERT(h_total, `GANTRY_IMPL(here && file.waiting[v], age[w][v] != age[v][w]))
        `GANTRY_ASSERT(h_chain, `GANTRY_IMPL(here && age[w][v], (age[v] & ~age[w]) == '0))
      end
    end
    for (genvar t = 0; t < 2; t++) begin : gen_mark
      `GANTRY_ASSERT(h_mark, `GANTRY_IMPL(here && file.tx[w].lanes[t], mark_is(t, file.tx[w])))
    end
    `GANTRY_ASSERT(h_behind, `GANTRY_IMPL(here && file.tx[w].lanes[1] && behind_q && inside_q[0] && !leaves[0],
                                          (marked[0] & age[w]) != '0))
  end
  for (genvar m = 0; m < NumMisses; m++) begin : gen_miss
    `GANTRY_ASSERT(h_page, `GANTRY_IMPL(file.busy[m], file.page[m].vmid == '0 && file.page[m].vpn[27:2] == '0))
    `GANTRY_ASSERT(h_pte, `GANTRY_IMPL(file.answered[m], file.denies[m] ==
        (status_of(file.pte[m], tlb_pkg::ACCESS_READ) != MEM_OK) &&
        `GANTRY_IMPL(file.page[m].vpn[1:0] == pick_i, file.pte[m] == kept_value)))
    for (genvar n = 0; n < m; n++) begin : gen_distinct
      `GANTRY_ASSERT(h_distinct, !(file.busy[m] && file.busy[n] && file.page[m] == file.page[n]))
    end
  end
  // of a transaction that is followed
  function automatic logic mark_is(input int unsigned t, input vmem_tx_t tx);
    return tx.slot == {1'b0, slot_q[t]} && tx.va[13:12] == page_q[t] && tx.inv == inv_q[t] && tx.lds == lds_q[t] &&
           tx.first == {38'd0, tx.lanes[1:0]} && tx.lanes[1:0] == 2'd1 << t;
  endfunction
  function automatic logic tx_sane(input vmem_tx_t tx);
    return !tx.valid || (!tx.slot[3] && tx.vmid == '0 && tx.va[39:14] == '0 && tx.va[11:0] == '0 && !(tx.inv && tx.lds) &&
                         !tx.merged && tx.first == {38'd0, tx.lanes[1:0]});
  endfunction
  `GANTRY_ASSERT(h_sane, tx_sane(tx0) && tx_sane(tx1))
  for (genvar t = 0; t < 2; t++) begin : gen_marks
    `GANTRY_ASSERT(h_tx0, `GANTRY_IMPL(tx0.valid && tx0.lanes[t], mark_is(t, tx0)))
    `GANTRY_ASSERT(h_tx1, `GANTRY_IMPL(tx1.valid && tx1.lanes[t], mark_is(t, tx1)))
    `GANTRY_ASSERT(h_came, `GANTRY_IMPL(inside_q[t], came_q[t]))
  end
  `GANTRY_ASSERT(h_none, `GANTRY_IMPL(behind_q, came_q == '1))
  `GANTRY_ASSERT(h_second, `GANTRY_IMPL(behind_q && inside_q[0] && !leaves[0] && tx1.valid && tx1.lanes[1], !tx0.valid || !tx0.lanes[0]))
  `GANTRY_ASSERT(h_first, `GANTRY_IMPL(inside_q[1] && tx1.valid && tx1.lanes[0] && behind_q, tx0.valid && tx0.lanes[1]))
  `GANTRY_ASSERT(h_head, `GANTRY_IMPL(behind_q && tx0.valid && tx0.lanes[0], 1'b0))
  `GANTRY_ASSERT(h_held, `GANTRY_IMPL(held, tx1.valid && `GANTRY_IMPL(held_hit && !tx1.inv && !tx1.lds && mine, held_pte == kept_value)))
  `GANTRY_ASSERT(h_last, `GANTRY_IMPL(last_valid, `GANTRY_IMPL(last_page == {34'd0, pick_i}, last_pte == kept_value)))
