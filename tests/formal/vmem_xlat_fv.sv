// SPDX-License-Identifier: Apache-2.0
// Properties of the coalescer's translations: its tasks from the lookup to the access (cu_vmem_lines.svh) and the file of misses
// (cu_vmem_xlat_pkg), called here as cu_vmem_coalesce calls them, for transactions of 2 wavefronts (reads, stores, atomics,
// invalidations, lanes of the LDS) on 4 pages, any hits, answers, credits and invalidations at any time.  Two freely chosen
// transactions are followed, one after the other, and one freely chosen page: none is lost or sent twice, what must stay in order
// does (docs/reference/vmem.md), what leaves has the page's translation of now, each page is asked for once and each answer is
// that of a page that was asked for, and somebody can go when every answer is there.  The TLB is invalidated at any time, behind
// cycles in which nothing could leave (quiesce_i) or not: an answer of before may still come, and nothing leaves by it.
// Not responsible for: which lanes a transaction has (vmem_coalesce_fv).
`include "gantry_assert.svh"
module vmem_xlat_fv
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import cu_vmem_xlat_pkg::*;
  import l1v_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumTx = 2,
  parameter bit [3:0] SeedFault = 4'd0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        arrive_i,        // a transaction is looked up
  input logic        inv_i,
  input logic        lds_i,
  input logic  [2:0] slot_i,          // bit 0 a store or an atomic, bit 1 the wavefront, bit 2 an atomic
  input logic  [1:0] page_i,
  input logic  [1:0] mark_i,          // it is the first, the second that is followed
  input logic        hit_i,           // what the lookup finds
  input logic        xlat_valid_i,
  input logic  [7:0] xlat_id_i,
  input logic [63:0] other_i,         // entry of a page that is not followed
  input logic  [7:0] other_status_i,
  input logic        access_ready_i,
  input logic        ended_valid_i,
  input logic  [7:0] ended_tx_i,
  input logic        forget_i,
  input logic        quiesce_i,
  input logic  [1:0] pick_i,          // page that is followed: free, but constant
  input logic [63:0] value_i,         // its entry: constant between invalidations
  input logic  [7:0] value_status_i
);
  localparam logic [63:0] Bits = 64'h30F7;  // rights, memory type, two bits of the page: the rest of an entry is carried along

  // ---- what the tasks work on, as in cu_vmem_coalesce
  /* verilator lint_off BLKSEQ */
  vop_t op_mem[16];
  logic split[16];
  logic [3:0] order[16], order_read, cur;
  logic [4:0] order_count, step, steps;
  vop_t op, top;
  logic active, room, emit, apart, merged, paired, ok, lds_lane, direct, moved;
  localparam bit successive = 1'b0;  // no pairs: their second number is all that is more
  logic [1:0] beat, part;
  logic [31:0] pending0, pending1, joined0, joined1, leader;
  logic [63:0] lane_va[16], line, previous;
  vmem_tx_t open, next, tx0, tx1, leaving;
  logic [15:0] taken, used;
  logic held, held_hit, last_valid, doubted;
  logic [5:0] waiting, waiting_o;
  logic [63:0] held_pte, last_pte;
  page_t last_page, page;
  file_t file;
  localparam int unsigned TxW = $clog2(NumTx);
  logic [TxW-1:0] tx_free[NumTx];
  logic [TxW:0] tx_left;
  logic [NumTx-1:0] free_numbers;  // the same as bits
  vmem_access_t access, access_o;
  miss_t found;
  misses_t pages, free;
  waits_t ahead, going;
  wait_t at_wait;
  logic served, delayed, strict, fits, room_ahead;
  logic [7:0] verdict;
  logic access_valid_o, tlb_fill_o, tlb_hit_i;
  logic [63:0] tlb_fill_pte_o, tlb_pte_i, xlat_pte_i;
  logic [27:0] tlb_fill_vpn_o;
  logic [7:0] tlb_fill_vmid_o, xlat_status_i;
  logic [2:0] perf_o;
  vmem_event_t denied_o;
  `include "cu_vmem_lines.svh"

  function automatic wave_t wave_of(input logic [3:0] slot);
    return wave_t'(slot[1]);
  endfunction

  for (genvar s = 0; s < 16; s++) begin : gen_op
    assign split[s] = 1'b0;
    always_comb begin
      op_mem[s]        = '0;
      op_mem[s].wave   = wave_of(4'(s));
      op_mem[s].store  = s[0] && !s[2];
      op_mem[s].atomic = s[0] && s[2];
    end
  end

  // ---- the environment
  logic started = 1'b0;  // reset in the first cycle, never again
  logic mine, answered_mine, forgot_q, access_mine_q;
  misses_t old_q;  // its MEM_XLAT is older than the last invalidation
  logic [1:0] old_look;  // so are the lookups of tx0, tx1
  logic [1:0] pick_q;
  logic [63:0] value_q, kept_value, kept_q;
  logic [7:0] value_status_q;
  misses_t asked_q;
  assign mine          = tx1.va[13:12] == pick_i;
  assign tlb_hit_i     = hit_i && is_translation(tlb_pte_i);
  assign tlb_pte_i     = (mine && !old_look[1] ? value_i : other_i) & Bits;
  // an answer of before says anything
  assign answered_mine = file.page[xlat_id_i[MissW-1:0]].vpn[1:0] == pick_i && !old_q[xlat_id_i[MissW-1:0]] && !forget_i;
  assign xlat_pte_i    = is_translation(answered_mine ? value_i : other_i) ? (answered_mine ? value_i : other_i) & Bits : 64'd0;
  assign xlat_status_i = answered_mine ? value_status_i : other_status_i;
  assign kept_value    = is_translation(value_i) ? value_i & Bits : {24'd0, value_status_i, 32'd0};
  always_ff @(posedge clk_i) begin
    started        <= 1'b1;
    pick_q         <= pick_i;
    value_q        <= value_i;
    value_status_q <= value_status_i;
    kept_q         <= kept_value;
    forgot_q       <= forget_i;
  end
  always_comb begin : m_inputs
    assume (rst_ni == started);
    if (started) assume (pick_i == pick_q);
    if (started && !forgot_q) assume (value_i == value_q && value_status_i == value_status_q);
    assume (value_status_i != MEM_OK && value_status_i < 8'd8 && other_status_i != MEM_OK && other_status_i < 8'd8);
    assume (!quiesce_i || !arrive_i);
    assume (!xlat_valid_i || (32'(xlat_id_i) < NumMisses && asked_q[xlat_id_i[MissW-1:0]]));
    assume (!ended_valid_i || (32'(ended_tx_i) < NumTx && !free_numbers[ended_tx_i[TxW-1:0]]));
    assume (!(inv_i && lds_i));
  end

  // ---- those that are followed; who waited when a transaction came to the file
  logic [1:0] came_q, inside_q, lds_q, inv_q;
  logic [1:0][2:0] slot_q;
  logic [1:0][1:0] page_q;
  logic behind_q;  // the first was inside when the second came
  waits_t waited, joined, left;
  waits_t [NumWaits-1:0] age;
  logic [1:0] enters, leaves, denied;
  logic arrived;  // tx0 stood there at the last edge
  assign enters = {2{arrive_i && !tx0.valid}} & mark_i & ~came_q & {came_q[0] || !mark_i[0], 1'b1};
  for (genvar t = 0; t < 2; t++) begin : gen_leaves
    assign denied[t] = denied_o.valid && denied_o.va[t];
    assign leaves[t] = denied[t] || (access_valid_o && access_o.op != L1Xlat && access_o.tx.lanes[t]);
  end
  always_ff @(posedge clk_i) begin
    came_q   <= came_q | enters;
    inside_q <= (inside_q | enters) & ~leaves;
    if (enters[1]) behind_q <= inside_q[0] && !leaves[0];
    for (int unsigned t = 0; t < 2; t++) begin
      if (enters[t]) begin
        slot_q[t] <= slot_i;
        page_q[t] <= page_i;
        inv_q[t]  <= inv_i;
        lds_q[t]  <= lds_i;
      end
    end
    for (int unsigned m = 0; m < NumMisses; m++) begin
      if (access_valid_o && access_o.op == L1Xlat && access_o.id == 8'(m)) asked_q[m] <= 1'b1;
      if (xlat_valid_i && 32'(xlat_id_i) == m) asked_q[m] <= 1'b0;
      if (xlat_valid_i && 32'(xlat_id_i) == m) old_q[m] <= 1'b0;
      else if (forget_i) old_q[m] <= asked_q[m] || (access_valid_o && access_o.op == L1Xlat && access_o.id == 8'(m));
    end
    if (!rst_ni) {came_q, inside_q, behind_q, asked_q, old_q} <= '0;
  end

  // ---- the coalescer behind the lines
  always_ff @(posedge clk_i) begin
    waited = file.waiting;
    moved = 1'b0;
    access_valid_o <= 1'b0;
    tlb_fill_o <= 1'b0;
    denied_o <= '0;
    perf_o <= '0;
    if (ended_valid_i) begin
      tx_free[tx_left[TxW-1:0]] = ended_tx_i[TxW-1:0];
      tx_left = tx_left + 1'b1;
    end
    arrived = tx0.valid;
    if (forget_i) old_look = {tx1.valid, tx0.valid};
    translations();
    if (!tx0.valid && arrived) old_look = {old_look[0], 1'b0};
    if (arrive_i && !arrived) begin
      old_look[0] = 1'b0;
      waiting = waiting + 6'd1;
      tx0 = '0;
      tx0.valid = 1'b1;
      tx0.inv = inv_i;
      tx0.lds = lds_i;
      tx0.slot = {1'b0, slot_i};
      tx0.va = {26'd0, page_i, 12'd0};
      tx0.first = {38'd0, enters};
      tx0.lanes = {62'd0, enters};
    end
    joined = file.waiting & ~waited;
    free_numbers = '0;
    for (int unsigned t = 0; t < NumTx; t++)
      if (t < 32'(tx_left)) free_numbers[tx_free[t]] = 1'b1;
    left = waited & ~file.waiting;
    for (int unsigned w = 0; w < NumWaits; w++) age[w] = (joined[w] ? waited : age[w]) & ~left;
    if (!rst_ni) begin
      {held, last_valid, tx0.valid, tx1.valid, doubted, waiting} = '0;
      old_look = '0;
      {file.busy, file.answered, file.stale, file.ask, file.waiting, file.writes} = '0;
      for (int unsigned t = 0; t < NumTx; t++) tx_free[t] = TxW'(t);
      tx_left = (TxW + 1)'(NumTx);
      free_numbers = '1;
      {access_valid_o, tlb_fill_o} <= '0;
      denied_o <= '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- what is proved
  logic [1:0] writes_q;  // those that are no reads
  logic [2:0] places[2];
  waits_t marked[2];
  for (genvar t = 0; t < 2; t++) begin : gen_places
    always_comb begin
      marked[t] = '0;
      for (int unsigned w = 0; w < NumWaits; w++) marked[t][w] = file.waiting[w] && file.tx[w].lanes[t];
      places[t] = 3'(tx0.valid && tx0.lanes[t]) + 3'(tx1.valid && tx1.lanes[t]) + 3'(leaves[t]) + 3'(marked[t] != '0) +
                  3'((marked[t] & (marked[t] - 1'b1)) != '0);
    end
    assign writes_q[t] = inv_q[t] || slot_q[t][0];
    // it stands at one place from when it came until it has left
    `GANTRY_ASSERT(a_once, places[t] == 3'(inside_q[t]))
    // what it leaves with: the right operation of the right page, by its entry of now, or what that denies
    `GANTRY_ASSERT(a_access, `GANTRY_IMPL(leaves[t] && !denied[t], access_o.op == (inv_q[t] ? L1Inv :
        !slot_q[t][0] ? L1Read : slot_q[t][2] ? L1Atomic : L1Write) && access_o.tx.slot == {1'b0, slot_q[t]}))
    `GANTRY_ASSERT(a_page, `GANTRY_IMPL(leaves[t] && !inv_q[t] && !lds_q[t] && page_q[t] == pick_q,
        denied[t] ? denied_o.status != MEM_OK && denied_o.status == status_of(kept_q, rights(t)) :
        status_of(kept_q, rights(t)) == MEM_OK && access_o.addr[13:12] == kept_q[13:12] && access_o.bypass == !tlb_pkg::pte_cached(kept_q)))
    `GANTRY_ASSERT(a_direct, !(denied[t] && (inv_q[t] || lds_q[t])))
  end
  function automatic logic [7:0] rights(input int unsigned t);
    return !slot_q[t][0] ? 8'd1 : slot_q[t][2] ? 8'd3 : 8'd2;
  endfunction
  // the second leaves before the first only if they are of different wavefronts, or lanes of the LDS, or both reads that
  // are allowed and of different pages
  logic ordered;
  assign ordered = slot_q[0][1] == slot_q[1][1] && lds_q == '0 &&
                   (writes_q != '0 || denied[1] || page_q[0] == page_q[1]);
  `GANTRY_ASSERT(a_order, `GANTRY_IMPL(leaves[1] && behind_q && ordered, !inside_q[0]))
  // a page that is asked for has an entry without an answer, is asked for once, and somebody waits for it
  misses_t asking, wanted;
  waits_t can_go;
  always_comb begin
    can_go = may_go();
    asking = access_valid_o && access_o.op == L1Xlat ? misses_t'(1) << access_o.id : '0;
    wanted = '0;
    for (int unsigned m = 0; m < NumMisses; m++)
      for (int unsigned w = 0; w < NumWaits; w++) wanted[m] = wanted[m] || (file.waiting[w] && file.note[w].miss == miss_t'(m));
  end
  `GANTRY_ASSERT(a_asked, (asked_q & asking) == '0 && (asked_q | asking) == (file.busy & ~file.answered & ~file.ask))
  // nothing leaves while an invalidation waits; it hears how many have not left
  logic held_back_q;
  always_ff @(posedge clk_i) held_back_q <= quiesce_i && rst_ni;
  `GANTRY_ASSERT(a_quiet, `GANTRY_IMPL(held_back_q, !denied_o.valid && !(access_valid_o && access_o.op != L1Xlat)))
  `GANTRY_ASSERT(a_count, 32'(waiting) == $countones(file.waiting) + 32'(tx0.valid) + 32'(tx1.valid))
  `GANTRY_ASSERT(a_waited, wanted == file.busy && (file.answered & ~file.busy) == '0)
  // with every answer there, somebody may go
  `GANTRY_ASSERT(a_goes, `GANTRY_IMPL(file.waiting != '0 && file.answered == file.busy, can_go != '0))
`ifdef HELPERS
  `include "vmem_xlat_inv.svh"
`endif
`ifdef REACH  // must fail: a read of the followed page waited for its page and left behind a store that waited for another
  logic reach_q;
  always_ff @(posedge clk_i) reach_q <= rst_ni && (reach_q || (marked[0] != '0 && marked[1] != '0));
  `GANTRY_ASSERT(a_reach, !(reach_q && leaves[1] && !denied[1] && !writes_q[1] && writes_q[0] && behind_q && page_q[0] != page_q[1]))
`endif
endmodule
