// SPDX-License-Identifier: Apache-2.0
// Transactions of vector memory instructions: addresses of the lanes, 16 a cycle, which lanes share a 64-byte line,
// translation and rights.  Lanes in the LDS aperture share lines of the LDS, which have no translation.  Responsible
// for: rows of addresses, transactions in order, misses of the TLB (cu_vmem_xlat_pkg), faults of addresses and
// rights.  Not responsible for: data (cu_vmem_request, cu_vmem_return), the
// contents of the TLB (tlb_l1).
//
// The lowest pending lane of a beat names a line, all lanes of the beat on that line join, and a following beat that
// begins with the same line joins too; the line behind is looked at in the same cycle, since successive elements that do not
// begin on a line stand on two in every beat.  Such a beat of a load of one register is a pair: both lines go as one, and the
// cache looks them up together.  One transaction a cycle: TLB lookup (2 cycles), then to cu_vmem_request.
//
// As on hardware 16 addresses a cycle are taken only of loads of one register whose lanes go to successive elements or all
// to one; else AddressLanes a cycle, so that a beat of 16 lanes takes 4 cycles, whatever EXEC is.
`include "gantry_assert.svh"

module cu_vmem_coalesce
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import cu_vmem_xlat_pkg::*;
  import l1v_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumTx = 64,
  parameter int unsigned AddressLanes = 4,  // key gpu.cu.vmem_lanes
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see cu_vmem_pipe
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,            // low: nothing is valid, nothing moves, no pulse has to fall
  input  logic                valid_i,
  input  vmem_issue_t         issue_i,
  input  vslot_t                next_slot_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  vmem_capture_t       address_i,
  input  vmem_capture_t       data_i,          // whose final row is enough
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic         [31:0] vrd_data_i[4][16],
  output logic                place_valid_o,
  output vmem_place_t         place_o,
  output logic                started_valid_o,
  output vslot_t                started_slot_o,
  output logic                sent_valid_o,
  output vslot_t                sent_slot_o,
  output logic                opread_lds_o,    // the instruction whose operands are read accesses the LDS
  output vmem_event_t         fault_o,
  output vmem_event_t         denied_o,
  output logic                tlb_lookup_o,
  output logic          [7:0] tlb_vmid_o,
  output logic         [27:0] tlb_vpn_o,
  input  logic                tlb_hit_i,
  input  logic         [63:0] tlb_pte_i,
  output logic                tlb_fill_o,
  output logic         [63:0] tlb_fill_pte_o,
  output logic         [27:0] tlb_fill_vpn_o,
  output logic          [7:0] tlb_fill_vmid_o,
  input  logic                xlat_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic          [7:0] xlat_id_i,       // entry of the file
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic         [63:0] xlat_pte_i,
  input  logic          [7:0] xlat_status_i,
  input  logic                forget_i,        // the TLB is being invalidated
  input  tlb_pkg::inv_t       forget_pages_i,
  input  logic                pairs_i,         // pairs are wanted: loads hit
  input  logic                quiesce_i,       // start no transaction, let none leave
  output logic          [5:0] waiting_o,       // transactions that have begun and not left
  output logic                access_valid_o,
  output vmem_access_t        access_o,
  input  logic                access_ready_i,
  input  logic                ended_valid_i,
  input  logic          [7:0] ended_tx_i,
  input  logic                ended_pair_i,    // and the other of a pair
  input  logic          [7:0] ended_tx2_i,
  output logic          [2:0] perf_o,          // pulses: transaction, TLB hit, TLB miss
  output logic                moved_o
);
  localparam int unsigned TxW = $clog2(NumTx);
  localparam logic [5:0] BeatCycles = 6'(SeedFault == 4'd6 ? 1 : 16 / AddressLanes);
  // A load of two registers takes 18 cycles, not 16 (measured on Fury: sebbbi/perftest, all patterns; CLRX GcnTimings).
  localparam logic [5:0] PairExtra = AddressLanes == 4 && SeedFault != 4'd6 ? 6'd2 : 6'd0;
  // A load of three whose lanes do not go to successive elements takes 32 cycles (sebbbi/perftest on Fury).
  localparam logic [5:0] TripleTimes = SeedFault != 4'd6 ? 6'd2 : 6'd1;

  // instructions; rows of 16 lanes {high, slot, beat}
  vop_t op_mem[NumSlots];
  (* no_rw_check *)logic [15:0][31:0] addr_mem[8*NumSlots];
  vslots_t split;  // words of a lane are apart
  vslots_t near_lds;  // some lane is in the LDS aperture, or its data are in the LDS
  // instructions whose operands are there
  vslot_t order[NumSlots];
  vslot_t order_read, order_write;
  logic [$clog2(NumSlots):0] order_count;
  // coalescer
  /* verilator lint_off UNUSEDSIGNAL */
  vop_t op, top;
  /* verilator lint_on UNUSEDSIGNAL */
  logic active, room, emit, apart;
  logic successive;  // lanes of the beat, of a load of one register, go to successive elements
  logic [4:0] step, steps;
  logic [5:0] hold;  // cycles until the addresses of the next beat are taken
  vslot_t cur;
  logic [1:0] beat, part;
  logic [31:0] pending0, pending1, joined0, joined1;
  logic [63:0] lane_va[16], line, previous;
  logic [31:0] low[16], high[16];
  vmem_tx_t open, next, tx0, tx1;
  logic [15:0] taken, used;  // words of the open transaction that lanes of an atomic have
  logic merged, paired;
  // translation: result of tx1's lookup, the page that came last, the file of misses
  logic held, held_hit, last_valid;
  logic doubted;        // what the lookup of tx0 has found is older than an invalidation
  logic [5:0] waiting;  // transactions that have begun and not left
  logic [63:0] held_pte, last_pte;
  page_t last_page;
  file_t file;
  logic [TxW-1:0] tx_free[NumTx];  // numbers of transactions that are free: a stack
  logic [TxW:0] tx_left;           // so many
  // temporaries
  vmem_access_t access;
  vmem_tx_t leaving;
  page_t page;
  miss_t found;
  misses_t pages, free;
  waits_t ahead, going;
  wait_t at_wait;
  logic served, delayed, strict, fits, room_ahead;
  logic [7:0] verdict;
  logic [15:0][31:0] row;
  logic [63:0] va, other;
  logic [31:0] exec16, in_lds, bad, spill, odd, unlike, astray, size, leader, value, same, other_bits;
  logic [3:0] first_bad;
  logic [7:0] outcome;
  logic ok, private_lane, lds_lane, direct, busy, moved, awake;

  /* verilator lint_off BLKSEQ */
  `include "cu_vmem_address.svh"
  `include "cu_vmem_lines.svh"

  // A row of addresses has come; flat addresses of scratch make the words of the instruction go apart.  One comparison
  // looks for both apertures, which differ in few bits.
  task automatic capture_row();
    for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = vrd_data_i[address_i.simd][l];
    if (address_i.kind[0]) begin
      top = op_mem[address_i.slot];
      same = '0;
      other_bits = ~(top.shared_hi ^ top.private_hi);
      for (int unsigned l = 0; l < 16; l++) begin
        same = same | (32'(((row[l[3:0]] ^ top.private_hi) & other_bits) == '0) << l);
      end
      same = same & 32'(top.exec >> {address_i.beat, 4'd0}) & 32'hffff;
      if (same != '0 && top.apertures && !top.mubuf) begin
        for (int unsigned l = 0; l < 16; l++) begin
          ok = ((same >> l) & 32'd1) != '0;
          if (ok && row[l[3:0]] == top.private_hi && !top.atomic) split[address_i.slot] = 1'b1;
          if (ok && row[l[3:0]] == top.shared_hi) near_lds[address_i.slot] = 1'b1;
        end
      end
    end
  endtask

  // All operands of an instruction are there.
  task automatic take_place(input vslot_t at);
    order[order_write] = at;
    order_write = order_write + 1'b1;
    order_count = order_count + 1'b1;
    opread_lds_o <= near_lds[at];
  endtask

  // The line behind, in the same cycle: successive elements that do not begin on a line stand on two in every beat.
  task automatic join_behind();
    line = line + 64'd1;
    joined0 = '0;
    joined1 = '0;
    for (int unsigned l = 0; l < 16; l++) begin
      joined0 = joined0 | (32'(lane_va[l] >> 6 == line) << l);
      joined1 = joined1 | (32'((lane_va[l] >> 6) + 64'd1 == line) << l);
    end
    joined0 = joined0 & pending0;
    joined1 = joined1 & pending1;
    if ((joined0 | joined1) != '0) begin
      leader = {26'd0, pick_pkg::first64({32'd0, joined0})};
      if (next.valid) open = next;
      emit = 1'b1;
      next = open;
      next.valid = 1'b1;
      next.va = {line[33:0], 6'd0};
      next.behind = '0;
      next.first = joined0 != '0 ? lane_va[leader[3:0]][39:0] : {line[33:0], 6'd0};
      next.lanes = 64'(joined0 | joined1) << {beat, 4'd0};
      pending0 = pending0 & ~joined0;
      pending1 = pending1 & ~joined1;
    end
  endtask

  // The open transaction leaves for its lookup.
  task automatic leave_coalescer();
    tx0 = open;
    waiting = waiting + 6'd1;
    tlb_lookup_o <= !open.inv && !open.lds;
    tlb_vmid_o <= open.vmid;
    tlb_vpn_o <= open.va[39:12];
    started_valid_o <= 1'b1;
    started_slot_o <= cur;
    open.valid = 1'b0;
    moved = 1'b1;
  endtask

  // All lanes have been looked at: the last transaction leaves, and in the same cycle the next instruction begins.
  task automatic end_instruction();
    if (open.valid && room) begin
      leave_coalescer();
      room = 1'b0;
    end
    if (!open.valid) begin
      active = 1'b0;
      sent_valid_o <= 1'b1;
      sent_slot_o <= cur;
      moved = 1'b1;
      if (order_count != '0) begin_instruction();
    end
  endtask

  task automatic coalesce();
    room = !tx0.valid && !quiesce_i;
    emit = 1'b0;
    next.valid = 1'b0;
    if (pending0 == '0 && pending1 == '0 && step == steps) end_instruction();
    if (pending0 == '0 && pending1 == '0 && step != steps && hold == '0) begin
      prepare_beat();
      step  = step + 5'd1;
      moved = 1'b1;
    end
    if (pending0 != '0 || pending1 != '0) begin
      join_lanes();
      if (ok && room && !emit && !op.atomic && (pending0 | pending1) != '0) join_behind();
    end
    if (emit) leave_coalescer();
    if (next.valid) open = next;
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (valid_i) begin
        top = prepare(issue_i);
        op_mem[next_slot_i] <= top;
        split[next_slot_i] = top.swizzle;
        near_lds[next_slot_i] = issue_i.lds;
      end
      busy = order_count != '0 || active || tx0.valid || tx1.valid || hold != '0 ||
          (file.answered | file.ask) != '0;
      if (busy || address_i.valid || data_i.valid || ended_valid_i || xlat_valid_i || forget_i || awake) begin
        `GANTRY_CHECKS;
        moved = address_i.valid || data_i.valid || xlat_valid_i;
        access_valid_o <= 1'b0;
        tlb_lookup_o <= 1'b0;
        tlb_fill_o <= 1'b0;
        place_valid_o <= 1'b0;
        started_valid_o <= 1'b0;
        sent_valid_o <= 1'b0;
        fault_o <= '0;
        denied_o <= '0;
        perf_o <= '0;
        if (ended_valid_i) begin
          tx_free[tx_left[TxW-1:0]] = ended_tx_i[TxW-1:0];
          tx_left = tx_left + 1'b1;
          if (ended_pair_i) begin
            tx_free[tx_left[TxW-1:0]] = ended_tx2_i[TxW-1:0];
            tx_left = tx_left + 1'b1;
          end
        end
        translations();
        if (hold != '0) begin
          hold  = hold - 6'd1;
          moved = 1'b1;
        end
        if (!active && order_count != '0) begin_instruction();
        if (active) coalesce();
        if (address_i.valid && !address_i.none) begin
          capture_row();
          addr_mem[{address_i.kind[0], address_i.slot, address_i.beat}] <= row;  // in a task: no memory for yosys
        end
        if (address_i.valid && address_i.final_row) take_place(address_i.slot);
        if (data_i.valid && data_i.final_row) take_place(data_i.slot);
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {order_read, order_write, order_count, active, hold, held, last_valid, awake} = '0;
        {file.busy, file.answered, file.stale, file.ask, file.waiting, file.writes} = '0;
        {doubted, waiting} = '0;
        waiting_o <= '0;
        tx0.valid = 1'b0;
        tx1.valid = 1'b0;
        open.valid = 1'b0;
        for (int unsigned t = 0; t < NumTx; t++) tx_free[t] = TxW'(NumTx - 1 - t);
        tx_left = (TxW + 1)'(NumTx);
        {access_valid_o, tlb_lookup_o, tlb_fill_o, place_valid_o, started_valid_o, sent_valid_o, moved_o} <= '0;
        fault_o <= '0;
        denied_o <= '0;
        perf_o <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  task automatic check_state();
    // a number is free again when its data have been spread, once
    if (ended_valid_i) begin
      `GANTRY_CHECK(a_number, 32'(ended_tx_i) < NumTx)
      for (int unsigned t = 0; t < NumTx; t++) begin
        `GANTRY_CHECK(a_once, t >= 32'(tx_left) || (tx_free[t] != ended_tx_i[TxW-1:0] &&
                                                    !(ended_pair_i && tx_free[t] == ended_tx2_i[TxW-1:0])))
      end
      `GANTRY_CHECK(a_two, `GANTRY_IMPL(ended_pair_i, 32'(ended_tx2_i) < NumTx && ended_tx2_i != ended_tx_i))
    end
    // an answer is that of a page that was asked for, and each of these has somebody who waits
    `GANTRY_CHECK(a_asked, `GANTRY_IMPL(xlat_valid_i, 32'(xlat_id_i) < NumMisses && file.busy[xlat_id_i[MissW-1:0]] &&
                                        !file.answered[xlat_id_i[MissW-1:0]] && !file.ask[xlat_id_i[MissW-1:0]]))
    `GANTRY_CHECK(a_waits, (file.busy == '0) == (file.waiting == '0) && (file.answered & ~file.busy) == '0)
    // entries that ask again have nothing to go by
    `GANTRY_CHECK(a_again, ((file.ask | file.stale) & ~(file.busy & ~file.answered)) == '0 &&
                           (file.ask & file.stale) == '0)
    // an invalidation that waits for what was translated is beside no lookup
    `GANTRY_CHECK(a_forget, `GANTRY_IMPL(forget_i && quiesce_i, !tlb_lookup_o))
    `GANTRY_CHECK(a_order, 32'(order_count) <= NumSlots)
    `GANTRY_CHECK(a_some_lane, `GANTRY_IMPL(tx1.valid, tx1.inv || tx1.lanes != '0))
  endtask
endmodule
