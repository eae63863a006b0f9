// SPDX-License-Identifier: Apache-2.0
// cu_vmem_coalesce of a compute unit whose SIMDs have fewer than 16 lanes: addresses of as many lanes a cycle, from
// memories of that width that are read two cycles before.  Lanes share a line by beats of 16 as there: what stands in
// cu_vmem_lines.svh is the same text.  Responsible for and not: as cu_vmem_coalesce; operand rows come from cu_vmem_parts.
//
// A beat takes `Parts` cycles and five until it is gathered, never less than BeatCycles: loads whose lanes go to
// successive elements are no faster than others.  While it is gathered the beat before joins lines.
`include "gantry_assert.svh"

module cu_vmem_coalesce_narrow
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import cu_vmem_xlat_pkg::*;
  import l1v_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumTx = 16,
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
  input  vmem_part_t          part_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output vmem_spot_t          spot_o,
  output logic                started_valid_o,
  output vslot_t                started_slot_o,
  output logic                sent_valid_o,
  output vslot_t                sent_slot_o,
  output logic                opread_valid_o,  // all operands of the instruction have been read
  output wave_tag_t           opread_o,
  output logic                opread_lds_o,    // it accesses the LDS
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
  input  logic                quiesce_i,       // start no transaction, let none leave
  output logic          [5:0] waiting_o,       // transactions that have begun and not left
  output logic                access_valid_o,
  output vmem_access_t        access_o,
  input  logic                access_ready_i,
  input  logic                ended_valid_i,
  input  logic          [7:0] ended_tx_i,
  output logic          [2:0] perf_o,          // pulses: transaction, TLB hit, TLB miss
  output logic                moved_o
);
  localparam int unsigned TxW = $clog2(NumTx);
  localparam logic [5:0] BeatCycles = 6'(SeedFault == 4'd6 ? 1 : 16 / AddressLanes);
  localparam bit successive = 1'b0;  // no pairs
  localparam logic [5:0] PairExtra = AddressLanes == 4 && SeedFault != 4'd6 ? 6'd2 : 6'd0;  // as in cu_vmem_coalesce

  typedef struct packed {  // lanes whose addresses are on their way from the memories
    logic valid;
    logic last;
    logic [1:0] part;
    logic [1:0] beat;
    beat_t group;
  } read_t;

  // instructions
  vop_t op_mem[NumSlots];
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
  logic [4:0] step, steps;
  logic [5:0] hold;  // cycles until the addresses of the next beat may be taken
  vslot_t cur;
  logic [1:0] beat, part;
  logic [31:0] pending0, pending1, joined0, joined1;
  logic [40:0] lane_va[16];  // bit 40: in the LDS
  logic [63:0] line, previous;
  vmem_tx_t open, next, tx0, tx1;
  logic [15:0] taken, used;  // words of the open transaction that lanes of an atomic have
  logic merged, paired;
  // the next beat: lanes on their way through the memories, the product of an index, the address and its checks
  logic gathered;
  logic [1:0] gathering;  // beats between their first read and their last address
  logic [2:0] left;  // reads that are still to come
  read_t read1, read2, read3, read4, read5;
  logic [1:0] next_beat, next_part, ready_beat, ready_part;
  logic [31:0] low0[Lanes], high0[Lanes], low[Lanes], high[Lanes];
  logic [63:0] product[Lanes], where[Lanes];
  logic [Lanes-1:0] exec, in_lds, bad;
  logic [40:0] next_va[16];
  logic [15:0] next0, next1;
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
  logic [63:0] va, other;
  logic [31:0] size, leader;
  logic [5:0] last_byte;
  logic [15:0] fresh0, fresh1;
  logic [Lanes-1:0] good, spill, match;
  logic [Lanes-1:0][6:0] place;
  logic [7:0] outcome;
  logic ok, ended, private_lane, lds_lane, direct, busy, moved, awake;

  // addresses: {slot, group}, low halves or offsets and high halves or indices
  logic re_q;
  logic [$clog2(NumSlots*Beats)-1:0] raddr_q;
  logic [32*Lanes-1:0] rdata[2];
  for (genvar k = 0; k < 2; k++) begin : gen_half
    ram_1r1w #(
      .Width(32 * Lanes),
      .Depth(NumSlots * Beats)
    ) u_addresses (
      .clk_i,
      .we_i   (part_i.valid && !part_i.none && part_i.kind == 2'(k)),
      .waddr_i({part_i.slot, part_i.group}),
      .wdata_i(part_i.lanes),
      .re_i   (re_q),
      .raddr_i(raddr_q),
      .rdata_o(rdata[k])
    );
  end

  /* verilator lint_off BLKSEQ */
  `include "cu_vmem_lines.svh"

  // Operands have come; flat addresses of scratch make the words of the instruction go apart.
  task automatic take_part();
    top = op_mem[part_i.slot];
    if (part_i.kind[0] && !part_i.none && top.apertures && !top.mubuf) begin
      match = Lanes'(top.exec >> (32'(part_i.group) * Lanes));
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (match[l] && part_i.lanes[l] == top.private_hi && !top.atomic) split[part_i.slot] = 1'b1;
        if (match[l] && part_i.lanes[l] == top.shared_hi) near_lds[part_i.slot] = 1'b1;
      end
    end
    if (part_i.final_part) begin
      order[order_write] = part_i.slot;
      order_write = order_write + 1'b1;
      order_count = order_count + 1'b1;
      opread_valid_o <= 1'b1;
      opread_o <= '{wave: top.wave, tag: top.tag};
      opread_lds_o <= near_lds[part_i.slot];
    end
  endtask

  // The next 16 lanes of the current instruction (of one word, when its words are apart): their addresses are read.
  // Words that are apart: the first stands for the time of all.
  task automatic begin_beat();
    next_beat = step[1:0];
    next_part = step[3:2];
    step = step + 5'd1;
    left = 3'(Parts);
    gathering = gathering + 2'd1;
    hold = BeatCycles;
    if (!op.store && !op.atomic && op.results == 3'd2 && next_beat == '1) hold = hold + PairExtra;
    if (op.atomic && op.atomic_op == 4'd1) hold = hold * CmpSwapTimes;
    if (next_part != '0) hold = '0;
  endtask

  task automatic read_part();
    read1 = '{
        valid: 1'b1,
        last: left == 3'd1,
        part: next_part,
        beat: next_beat,
        group: beat_t'(32'(next_beat) * Parts + Parts - 32'(left))
    };
    left = left - 3'd1;
    re_q <= 1'b1;
    raddr_q <= {cur, read1.group};
  endtask

  // They are there: halves of flat addresses, offsets and indices of a buffer.
  task automatic take_read();
    for (int unsigned l = 0; l < Lanes; l++) begin
      low0[l]  = rdata[0][l*32+:32];
      high0[l] = rdata[1][l*32+:32];
      if (op.mubuf) begin
        low0[l]  = buffer_offset(op, {30'd0, read2.part}, low0[l]);
        high0[l] = buffer_index(op, 32'(read2.group) * Lanes + l, high0[l]);
      end
    end
  endtask

  task automatic multiply();
    for (int unsigned l = 0; l < Lanes; l++) begin
      low[l] = low0[l];
      high[l] = high0[l];
      product[l] = buffer_product(op, high0[l]);
    end
  endtask

  // Addresses of these lanes, before checks.
  task automatic lane_addresses();
    exec = Lanes'(op.exec >> (32'(read4.group) * Lanes));
    {bad, in_lds} = '0;
    for (int unsigned l = 0; l < Lanes; l++) begin
      if (op.mubuf) begin
        buffer_place(op, high[l], low[l], product[l], va, ok);
        where[l] = va;
        exec[l] = exec[l] && ok;
      end else begin
        private_lane = apart && high[l] == op.private_hi;
        bad[l] = private_lane && low[l] + {28'd0, read4.part, 2'd0} >= op.flat_scratch[31:0];
        va = scratch_address(op.flat_scratch[63:32], 32'(read4.group) * Lanes + l, {30'd0, read4.part}, low[l]);
        other = {high[l], low[l]} + (apart ? {60'd0, read4.part, 2'd0} : 64'd0);
        where[l] = private_lane ? va : other;
        lds_lane = near_lds[cur] && high[l] == op.shared_hi;
        lds_address(op, low[l], va, ok);
        if (SeedFault == 4'd4) ok = 1'b1;
        in_lds[l] = lds_lane;
        exec[l] = exec[l] && (ok || !lds_lane);
        if (lds_lane) where[l] = {23'd0, 1'b1, va[39:0]} + {60'd0, read4.part, 2'd0};
      end
    end
  endtask

  // Checks, and lanes that reach into a second line.  The lowest lane with a fault is reported.
  task automatic take_addresses();
    size = apart && op.bytes > 5'd4 ? 32'd4 : 32'(op.bytes);
    for (int unsigned l = 0; l < Lanes; l++) begin
      last_byte = where[l][5:0] + 6'(size - 32'd1);
      bad[l] = (bad[l] || where[l][63:40] != '0 || (op.atomic && (where[l][1:0] != '0 || op.wide && where[l][2]))) &&
          exec[l] && !in_lds[l];
      spill[l] = last_byte < where[l][5:0];
      place[l] = where[l][6:0];
    end
    if (bad != '0) begin
      va = where[0];
      for (int unsigned l = Lanes; l != 0; l--) va = bad[l-1] ? where[l-1] : va;
      outcome = va[63:40] == '0 ? (op.atomic ? FAULT_ALIGN : FAULT_APERTURE) :
          op.apertures && va[63:32] == op.private_hi ? FAULT_APERTURE : FAULT_NOT_PRESENT;
      fault_o <= '{valid: 1'b1, slot: cur, status: outcome, va: va};
    end
    good   = exec & ~bad;
    fresh0 = 16'(good);
    fresh1 = op.atomic ? 16'd0 : 16'(spill & good);
    next0  = next0 >> Lanes | fresh0 << (16 - Lanes);
    next1  = next1 >> Lanes | fresh1 << (16 - Lanes);
    for (int unsigned l = 0; l < 16; l++) begin
      next_va[l] = l + Lanes < 16 ? next_va[(l+Lanes)%16] : where[(l+Lanes)%16%Lanes][40:0];
    end
    spot_o <= '{
        valid: 1'b1,
        split: apart,
        slot: cur,
        word: apart ? read5.part : 2'd0,
        group: read5.group,
        ok: good,
        lanes: place
    };
    if (read5.last) begin
      gathering = gathering - 2'd1;
      gathered = 1'b1;
      ready_beat = read5.beat;
      ready_part = read5.part;
    end
  endtask

  // The lanes of the gathered beat are the pending ones.
  task automatic take_beat();
    gathered = 1'b0;
    beat = ready_beat;
    part = ready_part;
    pending0 = {16'd0, next0};
    pending1 = {16'd0, next1};
    for (int unsigned l = 0; l < 16; l++) lane_va[l] = next_va[l];
    moved = 1'b1;
  endtask

  task automatic gather();
    if (read5.valid) take_addresses();
    if (read4.valid) lane_addresses();
    if (read3.valid) multiply();
    if (read2.valid) take_read();
    {read5, read4, read3, read2} = {read4, read3, read2, read1};
    read1.valid = 1'b0;
    // a beat that follows another in the pipeline finds its place free only if none joins lines now
    if (left == '0 && !gathered && step != steps && hold == '0 &&
        (gathering == '0 || (gathering == 2'd1 && pending0 == '0 && pending1 == '0))) begin
      begin_beat();
    end
    if (left != '0) read_part();
    moved = moved || gathering != '0;
  endtask

  task automatic coalesce();
    room = !tx0.valid && !quiesce_i;
    emit = 1'b0;
    next.valid = 1'b0;
    ended = step == steps && gathering == '0 && !gathered;
    if (pending0 != '0 || pending1 != '0) join_lanes();
    else if (ended) emit = open.valid && room;
    if (emit) begin
      tx0 = open;
      waiting = waiting + 6'd1;
      tlb_lookup_o <= !open.inv && !open.lds;
      tlb_vmid_o <= open.vmid;
      tlb_vpn_o <= open.va[39:12];
      started_valid_o <= 1'b1;
      started_slot_o <= cur;
      open.valid = 1'b0;
      moved = 1'b1;
    end
    if (next.valid) open = next;
    if (ended && pending0 == '0 && pending1 == '0 && !open.valid) begin
      active = 1'b0;
      sent_valid_o <= 1'b1;
      sent_slot_o <= cur;
      moved = 1'b1;
    end
    if (gathered && pending0 == '0 && pending1 == '0) take_beat();
    if (active) gather();
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
      if (busy || part_i.valid || ended_valid_i || xlat_valid_i || forget_i || awake) begin
        `GANTRY_CHECKS;
        moved = part_i.valid || xlat_valid_i;
        access_valid_o <= 1'b0;
        tlb_lookup_o <= 1'b0;
        tlb_fill_o <= 1'b0;
        spot_o.valid <= 1'b0;
        started_valid_o <= 1'b0;
        sent_valid_o <= 1'b0;
        opread_valid_o <= 1'b0;
        re_q <= 1'b0;
        fault_o <= '0;
        denied_o <= '0;
        perf_o <= '0;
        if (ended_valid_i) begin
          tx_free[tx_left[TxW-1:0]] = ended_tx_i[TxW-1:0];
          tx_left = tx_left + 1'b1;
        end
        translations();
        if (hold != '0) begin
          hold  = hold - 6'd1;
          moved = 1'b1;
        end
        if (active) coalesce();
        if (!active && order_count != '0) begin_instruction();  // its first beat is taken a cycle later
        if (part_i.valid) take_part();
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {order_read, order_write, order_count, active, hold, held, last_valid, awake} = '0;
        {file.busy, file.answered, file.stale, file.ask, file.waiting, file.writes} = '0;
        {doubted, waiting} = '0;
        waiting_o <= '0;
        {gathering, gathered, left, read1, read2, read3, read4, read5} = '0;
        tx0.valid = 1'b0;
        tx1.valid = 1'b0;
        open.valid = 1'b0;
        for (int unsigned t = 0; t < NumTx; t++) tx_free[t] = TxW'(NumTx - 1 - t);
        tx_left = (TxW + 1)'(NumTx);
        {access_valid_o, tlb_lookup_o, tlb_fill_o, started_valid_o, sent_valid_o, opread_valid_o, moved_o} <= '0;
        re_q <= 1'b0;
        spot_o.valid <= 1'b0;
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
        `GANTRY_CHECK(a_once, t >= 32'(tx_left) || tx_free[t] != ended_tx_i[TxW-1:0])
      end
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
