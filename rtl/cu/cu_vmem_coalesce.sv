// SPDX-License-Identifier: Apache-2.0
// Transactions of vector memory instructions: addresses of the lanes, 16 a cycle, which lanes share a 64-byte line,
// translation and rights.  Lanes in the LDS aperture share lines of the LDS, which have no translation.  Responsible
// for: rows of addresses, transactions in order, misses of the TLB (they stop what follows), faults of addresses and
// rights.  Not responsible for: data (cu_vmem_request, cu_vmem_return), the
// contents of the TLB (tlb_l1).
//
// The lowest pending lane of a beat names a line, all lanes of the beat on that line join, and a following beat that
// begins with the same line joins too; the line behind is looked at in the same cycle, since successive elements that do not
// begin on a line stand on two in every beat.  One transaction a cycle: TLB lookup (2 cycles), then to cu_vmem_request.
//
// As on hardware 16 addresses a cycle are taken only of loads of one register whose lanes go to successive elements or all
// to one; else AddressLanes a cycle, so that a beat of 16 lanes takes 4 cycles, whatever EXEC is.
module cu_vmem_coalesce
  import cu_pkg::*;
  import cu_vmem_pkg::*;
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
  input  logic          [7:0] own_gpu_i,
  input  logic                valid_i,
  input  vmem_issue_t         issue_i,
  input  logic          [3:0] next_slot_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  vmem_capture_t       capture_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic         [31:0] vrd_data_i[4][16],
  output logic                place_valid_o,
  output vmem_place_t         place_o,
  output logic                started_valid_o,
  output logic          [3:0] started_slot_o,
  output logic                sent_valid_o,
  output logic          [3:0] sent_slot_o,
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
  input  logic         [63:0] xlat_pte_i,
  input  logic          [7:0] xlat_status_i,
  input  logic                forget_i,        // the TLB is being invalidated
  input  logic                quiesce_i,       // start no transaction
  output logic                access_valid_o,
  output vmem_access_t        access_o,
  input  logic                access_ready_i,
  input  logic                ended_valid_i,
  input  logic          [7:0] ended_tx_i,
  output logic          [2:0] perf_o,          // pulses: transaction, TLB hit, TLB miss
  output logic                moved_o
);
  localparam logic [5:0] BeatCycles = 6'(SeedFault == 4'd6 ? 1 : 16 / AddressLanes);
  // A load of two registers takes 18 cycles, not 16 (measured on Fury: sebbbi/perftest, all patterns; CLRX GcnTimings).
  localparam logic [5:0] PairExtra = AddressLanes == 4 && SeedFault != 4'd6 ? 6'd2 : 6'd0;

  // Two lines of a beat in a cycle: with narrow SIMDs, whose rows take longer to read, one is enough.
  localparam bit Behind = gantry_cfg_pkg::NumLanes == 16;

  // instructions; rows of 16 lanes {high, slot, beat}
  vop_t op_mem[16];
  (* no_rw_check *)logic [15:0][31:0] addr_mem[128];
  logic [15:0] split;  // words of a lane are apart
  logic [15:0] near_lds;  // some lane is in the LDS aperture, or its data are in the LDS
  // instructions whose operands are there
  logic [15:0][3:0] order;
  logic [3:0] order_read, order_write;
  logic [4:0] order_count;
  // coalescer
  /* verilator lint_off UNUSEDSIGNAL */
  vop_t op, top;
  /* verilator lint_on UNUSEDSIGNAL */
  logic active, room, emit, apart;
  logic [4:0] step, steps;
  logic [5:0] hold;  // cycles until the addresses of the next beat are taken
  logic [3:0] cur;
  logic [1:0] beat, part;
  logic [31:0] pending0, pending1, joined0, joined1;
  logic [63:0] lane_va[16], line;
  logic [31:0] low[16], high[16];
  vmem_tx_t open, next, tx0, tx1;
  // translation
  logic held, held_hit, asked, last_valid, stall;
  logic [63:0] held_pte, last_pte;
  logic [27:0] last_vpn;
  logic [7:0] last_vmid;
  logic [NumTx-1:0] tx_free;
  // temporaries
  vmem_access_t access;
  logic [15:0][31:0] row;
  logic [63:0] va, other;
  logic [31:0] exec16, in_lds, bad, spill, odd, unlike, astray, size, leader, value, same, other_bits;
  logic [3:0] first_bad;
  logic [7:0] outcome;
  logic ok, private_lane, lds_lane, direct, busy, moved, awake;

  /* verilator lint_off BLKSEQ */
  `include "cu_vmem_address.svh"

  // A row of addresses has come; flat addresses of scratch make the words of the instruction go apart.  One comparison
  // looks for both apertures, which differ in few bits.
  task automatic capture_row();
    for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = vrd_data_i[capture_i.simd][l];
    if (capture_i.kind[0]) begin
      top = op_mem[capture_i.slot];
      same = '0;
      other_bits = ~(top.shared_hi ^ top.private_hi);
      for (int unsigned l = 0; l < 16; l++) begin
        same = same | (32'(((row[l[3:0]] ^ top.private_hi) & other_bits) == '0) << l);
      end
      same = same & 32'(top.exec >> {capture_i.beat, 4'd0}) & 32'hffff;
      if (same != '0 && top.apertures && !top.mubuf) begin
        for (int unsigned l = 0; l < 16; l++) begin
          ok = ((same >> l) & 32'd1) != '0;
          if (ok && row[l[3:0]] == top.private_hi && !top.atomic) split[capture_i.slot] = 1'b1;
          if (ok && row[l[3:0]] == top.shared_hi) near_lds[capture_i.slot] = 1'b1;
        end
      end
    end
  endtask

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
      for (int unsigned l = 0; l < 16; l++) joined0 = joined0 | (32'(lane_va[l] >> 6 == line) << l);
      joined0 = joined0 & pending0;
      if (pending1 != '0) begin
        for (int unsigned l = 0; l < 16; l++) joined1 = joined1 | (32'((lane_va[l] >> 6) + 64'd1 == line) << l);
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
      next.first = joined0 != '0 ? lane_va[leader[3:0]][39:0] : {line[33:0], 6'd0};
      next.lanes = 64'(joined0 | joined1) << {beat, 4'd0};
      pending0 = pending0 & ~joined0;
      pending1 = pending1 & ~joined1;
    end
  endtask

  task automatic coalesce();
    if (pending0 == '0 && pending1 == '0 && step != steps && hold == '0) begin
      prepare_beat();
      step  = step + 5'd1;
      moved = 1'b1;
    end
    room = !tx0.valid && !quiesce_i;
    emit = 1'b0;
    next.valid = 1'b0;
    if (pending0 != '0 || pending1 != '0) begin
      join_lanes();
      if (Behind && ok && room && !emit && !op.atomic && (pending0 | pending1) != '0) join_behind();
    end else if (step == steps) begin
      emit = open.valid && room;
    end
    if (emit) begin
      tx0 = open;
      tlb_lookup_o <= !open.inv && !open.lds;
      tlb_vmid_o <= open.vmid;
      tlb_vpn_o <= open.va[39:12];
      started_valid_o <= 1'b1;
      started_slot_o <= cur;
      open.valid = 1'b0;
      moved = 1'b1;
    end
    if (next.valid) open = next;
    if (pending0 == '0 && pending1 == '0 && !open.valid && step == steps) begin
      active = 1'b0;
      sent_valid_o <= 1'b1;
      sent_slot_o <= cur;
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

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (valid_i) begin
        top = prepare(issue_i);
        op_mem[next_slot_i] <= top;
        split[next_slot_i] = top.swizzle;
        near_lds[next_slot_i] = issue_i.lds;
      end
      busy = order_count != '0 || active || tx0.valid || tx1.valid || hold != '0;
      if (busy || capture_i.valid || ended_valid_i || forget_i || awake) begin
        moved = capture_i.valid || xlat_valid_i;
        access_valid_o <= 1'b0;
        tlb_lookup_o <= 1'b0;
        tlb_fill_o <= 1'b0;
        place_valid_o <= 1'b0;
        started_valid_o <= 1'b0;
        sent_valid_o <= 1'b0;
        fault_o <= '0;
        denied_o <= '0;
        perf_o <= '0;
        if (ended_valid_i) tx_free = tx_free | (NumTx'(1) << ended_tx_i);
        if (forget_i) last_valid = 1'b0;
        if (xlat_valid_i) take_translation();
        if (tx1.valid) translate();
        if (!tx1.valid && tx0.valid) begin
          tx1 = tx0;
          tx0.valid = 1'b0;
          moved = 1'b1;
        end
        if (hold != '0) begin
          hold  = hold - 6'd1;
          moved = 1'b1;
        end
        if (!active && order_count != '0) begin_instruction();
        if (active) coalesce();
        if (capture_i.valid) begin
          if (!capture_i.none && !capture_i.kind[1]) begin
            capture_row();
            addr_mem[{capture_i.kind[0], capture_i.slot, capture_i.beat}] <= row;  // in a task: no memory for yosys
          end
          if (capture_i.final_row) begin
            order[order_write] = capture_i.slot;
            order_write = order_write + 4'd1;
            order_count = order_count + 5'd1;
            opread_lds_o <= near_lds[capture_i.slot];
          end
        end
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {order_read, order_write, order_count, active, hold, held, asked, last_valid, awake} = '0;
        tx0.valid = 1'b0;
        tx1.valid = 1'b0;
        open.valid = 1'b0;
        tx_free = '1;
        {access_valid_o, tlb_lookup_o, tlb_fill_o, place_valid_o, started_valid_o, sent_valid_o, moved_o} <= '0;
        fault_o <= '0;
        denied_o <= '0;
        perf_o <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
