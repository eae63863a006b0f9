// SPDX-License-Identifier: Apache-2.0
// Pipeline of vector memory instructions: operand rows, addresses, coalescing to 64-byte lines, translation, store
// data, spreading of loaded lines over lanes, write-back, completion in order for each wavefront.  Responsible for:
// those, and rights and faults.  Not responsible for: the cache and the memory channel (l1v), TLB contents (tlb_l1).
//
// NumSlots instructions are in flight, each with its rows in the buffers low, high (addresses) and word (data in or
// out).  The coalescer takes them in order: 16 lanes a cycle; the lowest pending lane names a line, all lanes of the
// beat on that line join, and a following beat that begins with the same line joins too.  One transaction a cycle
// goes through the TLB (2 cycles) to the cache.  Loads come back in any order and are put together in `word`.
// A miss of the TLB stops the transactions behind it until the L2 TLB answered.
`include "gantry_assert.svh"

module cu_vmem_pipe
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import l1v_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumSlots = 16,
  parameter int unsigned NumTx = 64,
  // bench only: 1 lines of lanes not compared, 2 rights ignored, 3 order of completion
  parameter bit [3:0] SeedFault = 4'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic      [ 7:0] own_gpu_i,
  input  logic             valid_i,
  input  vmem_issue_t      issue_i,
  output logic             ready_o,
  output logic             opread_valid_o,
  output wave_tag_t        opread_o,
  output logic             reading_o,
  output logic      [ 1:0] reading_simd_o,
  output logic             vrd_valid_o,
  output vrd_req_t         vrd_o,
  input  logic      [31:0] vrd_data_i[4][16],
  output logic             vwr_valid_o,
  output vwr_req_t         vwr_o,
  input  logic             vwr_ready_i,
  output logic             done_valid_o,
  output mem_done_t        done_o,
  output logic             tlb_lookup_o,
  output logic      [ 7:0] tlb_vmid_o,
  output logic      [27:0] tlb_vpn_o,
  input  logic             tlb_hit_i,
  input  logic      [63:0] tlb_pte_i,
  output logic             tlb_fill_o,
  output logic      [63:0] tlb_fill_pte_o,
  output logic      [27:0] tlb_fill_vpn_o,
  output logic      [ 7:0] tlb_fill_vmid_o,
  output logic             req_valid_o,
  output l1_req_t          req_o,
  input  logic             req_ready_i,
  input  logic             rsp_valid_i,
  input  l1_rsp_t          rsp_i,
  output logic             rsp_ready_o,     // room for four more
  input  logic             ack_valid_i,
  input  logic      [ 7:0] ack_slot_i,
  input  logic      [ 7:0] ack_status_i,
  input  logic             xlat_valid_i,
  input  logic      [63:0] xlat_pte_i,
  input  logic      [ 7:0] xlat_status_i,
  input  logic             forget_i,        // the TLB is being invalidated
  input  logic             quiesce_i,       // start no transaction; drained_o tells when none is under way
  output logic             drained_o,
  output logic      [ 2:0] perf_o,          // pulses: transaction, TLB hit, TLB miss
  output logic             idle_o
);
  typedef struct packed {
    logic valid;
    logic none;
    logic [1:0] kind;  // 0 low, 1 high, 2 data
    logic [3:0] slot;
    logic [1:0] simd;
    logic [1:0] word;
    logic [1:0] beat;
    logic final_row;
  } capture_t;
  typedef struct packed {
    logic valid;
    logic inv;
    logic [3:0] slot;
    logic [7:0] vmid;
    logic [1:0] word;  // of a swizzled access
    logic [39:0] va;  // of the line
    logic [39:0] first;  // address of the lowest lane, for a fault report
    logic [63:0] lanes;
  } tx_t;

  // instructions in flight
  vop_t op_q[16];
  // rows of 16 lanes, {slot, beat}: address registers, operands, results; addresses of lanes: {slot, word, beat}
  // (each memory is written in one place: every further one costs time in each simulated cycle)
  logic [15:0][31:0] oper_mem[512];  // {0 low, 1 high, 4 to 7 data; slot; beat}
  logic [15:0][31:0] place_mem[256];
  logic [15:0][31:0] result0_mem[64], result1_mem[64], result2_mem[64], result3_mem[64];
  logic [31:0] written[256];  // lanes of a result row that hold data: {slot, word, beat}
  logic [15:0] used, sent, finished, blocked, split;
  logic [31:0] older[16], left[16];
  logic [7:0] status[16];
  logic [63:0] fault_va[16];
  logic [3:0] unaligned[16];  // by beat
  // collector
  logic [3:0] collect_slot;
  logic [5:0] rows_left;
  logic [1:0] row_kind, row_word, row_beat;
  capture_t cap0, cap1;
  // instructions whose operands are there
  logic [3:0] order[16];
  logic [3:0] order_read, order_write;
  logic [4:0] order_count;
  // coalescer
  logic active, room, emit;
  logic [4:0] step, steps;
  logic [3:0] cur;
  logic [1:0] beat, part;
  logic [31:0] pending0, pending1, joined0, joined1;
  logic [63:0] lane_va[16], line;
  tx_t open, next;
  logic [31:0] outstanding;
  // translation
  tx_t tx0, tx1;
  logic held, held_hit, asked, last_valid;
  logic [63:0] held_pte, last_pte;
  logic [27:0] last_vpn;
  logic [7:0] last_vmid;
  // transactions that wait for data
  logic [NumTx-1:0] tx_free;
  logic [63:0] tx_lanes[NumTx];
  logic [31:0] tx_line[NumTx], tx_high[NumTx], tx_slot[NumTx], tx_word[NumTx];
  // write-back
  logic wb_active, wb_hold;
  logic [3:0] wb_slot;
  logic [4:0] wb_row;
  // answers under way to their lanes
  l1_rsp_t queue[8];
  logic [2:0] queue_read, queue_write;
  logic [3:0] queue_count;
  logic spread;
  logic [63:0] spread_lanes;
  logic [31:0] spread_tx;
  // store line being put together
  logic building;
  logic [63:0] build_lanes;
  // temporaries
  logic [31:0] place[16], given[64];
  logic [15:0][31:0] row0, row1, row2, row3;
  logic [3:0] row_we;
  logic [5:0] row_at;
  vop_t op;
  logic [31:0] data_line[17], store_line[17];
  logic [63:0] mask, va, pte, window, wbytes, bytes64;
  logic [31:0] off, value, lanes16, number, leader, n;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [31:0] slot32;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [7:0] outcome;
  logic ok, stall, moved;
  logic [3:0] s4;
  logic [15:0][31:0] row, wline;
  logic ready_q;
  logic [2:0] quiet;
  l1_req_t req;

  assign ready_o = ready_q && !valid_i;
  assign idle_o  = quiet[2] && !valid_i && !rsp_valid_i && !ack_valid_i && !xlat_valid_i;

  /* verilator lint_off BLKSEQ */
  // A row of the VGPRs has come.
  task automatic capture_row();
    logic [31:0] exec16, apart;
    for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = vrd_data_i[cap1.simd][l];
    oper_mem[{cap1.kind[1], cap1.kind[1] ? cap1.word : cap1.kind, cap1.slot, cap1.beat}] <= row;
    if (cap1.kind == 2'd1) begin
      op = op_q[cap1.slot];
      exec16 = 32'(op.exec >> {cap1.beat, 4'd0});
      apart = '0;
      for (int unsigned l = 0; l < 16; l++) begin
        apart = apart | ((exec16 >> l) & 32'(vrd_data_i[cap1.simd][l] == op.private_hi));
      end
      if (apart[0] && op.apertures && !op.mubuf && !op.atomic) split[cap1.slot] = 1'b1;
    end
  endtask

  // The next 16 lanes of a transaction that has its data.
  task automatic spread_beat();
    logic [1:0] from;
    from = spread_lanes[15:0] != '0 ? 2'd0 : spread_lanes[31:16] != '0 ? 2'd1 : spread_lanes[47:32] != '0 ? 2'd2 : 2'd3;
    lanes16 = 32'(spread_lanes >> {from, 4'd0}) & 32'hffff;
    spread_lanes = spread_lanes & ~(64'hffff << {from, 4'd0});
    row_at = {slot32[3:0], from};
    number = split[slot32[3:0]] ? tx_word[spread_tx] : 32'd0;
    for (int unsigned l = 0; l < 16; l++) begin
      place[l] = place_mem[{slot32[3:0], number[1:0], from}][l[3:0]] - tx_line[spread_tx];
    end
    row_we = split[slot32[3:0]] ? 4'd1 << number[1:0] : 4'hf >> (3'd4 - op.results);
    if (op.atomic) place[0] = '0;
    if (row_we[0]) spread_word(2'd0, from, result0_mem[row_at], row0);
    if (row_we[1]) spread_word(2'd1, from, result1_mem[row_at], row1);
    if (row_we[2]) spread_word(2'd2, from, result2_mem[row_at], row2);
    if (row_we[3]) spread_word(2'd3, from, result3_mem[row_at], row3);
    if (row_we[0]) result0_mem[row_at] <= row0;
    if (row_we[1]) result1_mem[row_at] <= row1;
    if (row_we[2]) result2_mem[row_at] <= row2;
    if (row_we[3]) result3_mem[row_at] <= row3;
  endtask

  // Word k of those lanes that have it on this line.
  task automatic spread_word(input logic [1:0] k, input logic [1:0] from, input logic [15:0][31:0] old,
                             output logic [15:0][31:0] now);
    logic [7:0] at;
    logic [31:0] add, keep, took;
    at = {slot32[3:0], k, from};
    add = split[slot32[3:0]] ? 32'd0 : {28'd0, k, 2'd0};
    keep = op.bytes[0] ? 32'hff : op.bytes[1] ? 32'hffff : 32'hffffffff;
    took = '0;
    now = old;
    if (op.atomic) begin
      for (int unsigned l = 0; l < 16; l++) now[l[3:0]] = lanes16[l] ? data_line[{30'd0, k}] : old[l[3:0]];
      took = lanes16;
    end else if (unaligned[slot32][from]) begin
      for (int unsigned l = 0; l < 16; l++) begin
        off = place[l] + add;
        if (lanes16[l] && (off < 32'd64 || off > 32'hfffffffc)) begin
          window = {data_line[off[5:2]+5'd1], data_line[{28'd0, off[5:2]}]} >> {off[1:0], 3'd0};
          if (off[31]) window = {32'd0, data_line[0]} << {-off[1:0], 3'd0};
          now[l[3:0]] = (written[at][l] ? old[l[3:0]] : 32'd0) | (window[31:0] & keep);
          took = took | (32'd1 << l);
        end
      end
    end else if (op.bytes < 5'd4) begin
      for (int unsigned l = 0; l < 16; l++) begin
        value = (data_line[{28'd0, place[l][5:2]}] >> {place[l][1:0], 3'd0}) & keep;
        now[l[3:0]] = lanes16[l] ? value : old[l[3:0]];
      end
      took = lanes16;
    end else begin
      for (int unsigned l = 0; l < 16; l++) begin
        off = place[l] + add;
        ok = lanes16[l] && off < 32'd64;
        value = data_line[{28'd0, off[5:2]}];
        now[l[3:0]] = ok ? value : old[l[3:0]];
        took = took | (32'(ok) << l);
      end
    end
    written[at] = written[at] | took;
  endtask

  // Store data of the next 16 lanes of a transaction, lane by lane: of lanes that overlap the highest wins.
  task automatic build_beat();
    logic [1:0] from;
    from = build_lanes[15:0] != '0 ? 2'd0 : build_lanes[31:16] != '0 ? 2'd1 : build_lanes[47:32] != '0 ? 2'd2 : 2'd3;
    lanes16 = 32'(build_lanes >> {from, 4'd0}) & 32'hffff;
    build_lanes = build_lanes & ~(64'hffff << {from, 4'd0});
    row_at = {tx1.slot, from};
    for (int unsigned l = 0; l < 16; l++) begin
      place[l] = place_mem[{tx1.slot, tx1.word, from}][l[3:0]] - tx1.va[31:0];
      given[l] = oper_mem[{3'd4, row_at}][l[3:0]];
    end
    if (op.words > 3'd1) for (int unsigned l = 0; l < 16; l++) given[16+l] = oper_mem[{3'd5, row_at}][l[3:0]];
    if (op.words > 3'd2) for (int unsigned l = 0; l < 16; l++) given[32+l] = oper_mem[{3'd6, row_at}][l[3:0]];
    if (op.words > 3'd3) for (int unsigned l = 0; l < 16; l++) given[48+l] = oper_mem[{3'd7, row_at}][l[3:0]];
    if (!split[tx1.slot] && !unaligned[tx1.slot][from] && op.bytes >= 5'd4) begin
      for (int unsigned l = 0; l < 16; l++) begin
        off = place[l];
        for (int unsigned k = 0; k < 4; k++) begin
          ok = lanes16[l] && off < 32'd64 && k < 32'(op.words);
          store_line[ok?{28'd0, off[5:2]}:32'd16] = given[k*16+l];
          wbytes = wbytes | (ok ? 64'hf << off[5:0] : 64'd0);
          off = off + 32'd4;
        end
      end
    end else begin
      for (int unsigned l = 0; l < 16; l++) begin
        for (int unsigned k = 0; k < 4; k++) begin
          if (lanes16[l] && (split[tx1.slot] ? k == {30'd0, tx1.word} : k < 32'(op.words))) begin
            build_bytes(place[l] + (split[tx1.slot] ? 32'd0 : k << 2), given[k*16+l]);
          end
        end
      end
    end
  endtask

  // Up to four bytes of one word at any byte of the line, or half before it.
  task automatic build_bytes(input logic [31:0] where, input logic [31:0] what);
    logic [31:0] at, w;
    at = where;
    n = op.bytes[0] ? 32'd1 : op.bytes[1] ? 32'd2 : 32'd4;
    if (at < 32'd64 || at > 32'hfffffffc) begin
      bytes64 = n == 32'd4 ? 64'hf : n == 32'd2 ? 64'h3 : 64'h1;
      window = {32'd0, what} & (n == 32'd4 ? 64'hffffffff : n == 32'd2 ? 64'hffff : 64'hff);
      if (at[31]) begin
        window = window >> {-at[1:0], 3'd0};
        bytes64 = bytes64 >> -at[1:0];
        at = '0;
      end
      mask = {32'd0, {8{bytes64[3]}}, {8{bytes64[2]}}, {8{bytes64[1]}}, {8{bytes64[0]}}} << {at[1:0], 3'd0};
      window = window << {at[1:0], 3'd0};
      w = {28'd0, at[5:2]};
      store_line[w] = (store_line[w] & ~mask[31:0]) | (window[31:0] & mask[31:0]);
      w = w + 32'd1;
      store_line[w] = (store_line[w] & ~mask[63:32]) | (window[63:32] & mask[63:32]);
      wbytes = wbytes | (bytes64 << at[5:0]);
    end
  endtask

  // A new instruction takes a slot; its rows are asked for from this edge on.
  task automatic accept();
    collect_slot = pick_pkg::first64({48'd0, ~used})[3:0];
    op = prepare(issue_i);
    op_q[collect_slot] = op;
    number = '0;
    for (int unsigned s = 0; s < 16; s++) number = number | (32'(used[s] && op_q[s].wave == op.wave) << s);
    older[collect_slot] = number;
    blocked[collect_slot] = number != '0 && SeedFault != 4'd3;
    used[collect_slot] = 1'b1;
    sent[collect_slot] = 1'b0;
    finished[collect_slot] = 1'b0;
    split[collect_slot] = op.swizzle;
    unaligned[collect_slot] = '0;
    for (int unsigned k = 0; k < 16; k++) written[{24'd0, collect_slot, k[3:0]}] = '0;
    status[collect_slot] = '0;
    left[collect_slot] = '0;
    row_word = '0;
    row_beat = '0;
    row_kind = !op.mubuf || op.offen ? 2'd0 : op.idxen ? 2'd1 : 2'd2;
    rows_left = 6'(op.words) + (op.mubuf ? 6'(op.idxen) + 6'(op.offen) : 6'd2);
    rows_left = op.inv || op.exec == '0 ? '0 : rows_left << 2;
    if (rows_left == '0) begin
      cap0 = '{valid: 1'b1, none: 1'b1, slot: collect_slot, final_row: 1'b1, default: '0};
    end
  endtask

  // Lane addresses of the next 16 lanes of the current instruction (of one word, when its words are apart).
  task automatic prepare_beat();
    logic [31:0] exec16, bad, spill, odd, size;
    logic [3:0] first_bad;
    logic apart, private_lane;
    beat = step[1:0];
    part = step[3:2];
    apart = split[cur];
    size = apart && op.bytes > 5'd4 ? 32'd4 : 32'(op.bytes);
    row_at = {cur, beat};
    exec16 = 32'(op.exec >> {beat, 4'd0}) & 32'hffff;
    bad = '0;
    if (!op.mubuf && !apart) begin
      for (int unsigned l = 0; l < 16; l++) begin
        lane_va[l] = {oper_mem[{3'd1, row_at}][l[3:0]], oper_mem[{3'd0, row_at}][l[3:0]]};
      end
    end else if (op.mubuf) begin
      for (int unsigned l = 0; l < 16; l++) begin
        buffer_address(op, {26'd0, beat, 4'd0} + l, {30'd0, part}, oper_mem[{3'd0, row_at}][l[3:0]],
                       oper_mem[{3'd1, row_at}][l[3:0]], va, ok);
        lane_va[l] = va;
        exec16 = exec16 & ~(32'(!ok) << l);
      end
    end else begin
      for (int unsigned l = 0; l < 16; l++) begin
        value = oper_mem[{3'd0, row_at}][l[3:0]] + {28'd0, part, 2'd0};
        private_lane = oper_mem[{3'd1, row_at}][l[3:0]] == op.private_hi;
        bad = bad | (32'(private_lane && value >= op.flat_scratch[31:0]) << l);
        va = scratch_address(op.flat_scratch[63:32], {26'd0, beat, 4'd0} + l, {30'd0, part},
                             oper_mem[{3'd0, row_at}][l[3:0]]);
        lane_va[l] = private_lane ? va :
            {oper_mem[{3'd1, row_at}][l[3:0]], oper_mem[{3'd0, row_at}][l[3:0]]} + {60'd0, part, 2'd0};
      end
    end
    spill = '0;
    odd = '0;
    for (int unsigned l = 0; l < 16; l++) begin
      va = lane_va[l] + 64'(size - 32'd1);
      bad = bad | (32'(lane_va[l][63:40] != '0) << l) |
            (32'(op.atomic && (lane_va[l][1:0] != '0 || op.wide && lane_va[l][2])) << l);
      spill = spill | (32'(va[7:6] != lane_va[l][7:6]) << l);
      odd = odd | (32'(op.bytes[1] ? lane_va[l][1:0] == 2'd3 : lane_va[l][1:0] != '0) << l);
    end
    bad = bad & exec16;
    if (bad != '0) begin
      exec16 = exec16 & ~bad;
      first_bad = 4'(pick_pkg::first64({32'd0, bad}));
      va = lane_va[first_bad];
      if (status[cur] == '0) begin
        status[cur] = va[63:40] == '0 ? (op.atomic ? FAULT_ALIGN : FAULT_APERTURE) :
            op.apertures && (va[63:32] == {op.shared_hi} || va[63:32] == {op.private_hi}) ? FAULT_APERTURE :
            FAULT_NOT_PRESENT;
        fault_va[cur] = va;
      end
    end
    pending0 = exec16;
    pending1 = spill & exec16;
    if (op.atomic || apart) pending1 = '0;
    if (!op.bytes[0] && (odd & exec16) != '0) unaligned[cur][beat] = 1'b1;
    for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = lane_va[l][31:0];
    place_mem[{cur, apart ? part : 2'd0, beat}] <= row;
  endtask

  always_ff @(posedge clk_i) begin
    moved = valid_i || rsp_valid_i || ack_valid_i || xlat_valid_i;

    // ---------------- write-back: rows of a finished instruction, then its completion
    if (done_valid_o) done_valid_o <= 1'b0;
    if (!wb_active && (finished & ~blocked) != '0) begin
      s4 = pick_pkg::rr64({48'd0, finished & ~blocked}, {2'd0, wb_slot})[3:0];
      wb_slot = s4;
      wb_active = 1'b1;
      wb_row = '0;
    end
    if (wb_active && (vwr_ready_i || !wb_hold)) begin
      moved = 1'b1;
      if (wb_hold) vwr_valid_o <= 1'b0;
      wb_hold = 1'b0;
      op = op_q[wb_slot];
      if (wb_row == {op.results, 2'd0} || status[wb_slot] != '0 || op.exec == '0) begin
        wb_active = 1'b0;
        done_valid_o <= 1'b1;
        done_o <= '{
            wave: op.wave,
            tag: op.tag,
            vm: 1'b1,
            lgkm: 1'b0,
            status: status[wb_slot],
            va: fault_va[wb_slot]
        };
        used[wb_slot] = 1'b0;
        finished[wb_slot] = 1'b0;
        for (int unsigned s = 0; s < 16; s++) begin
          older[s] = older[s] & ~(32'd1 << wb_slot);
          blocked = (blocked & ~(16'd1 << s)) | (16'(older[s] != '0 && SeedFault != 4'd3) << s);
        end
      end else begin
        row_at = {wb_slot, wb_row[1:0]};
        case (wb_row[3:2])
          2'd0: row = result0_mem[row_at];
          2'd1: row = result1_mem[row_at];
          2'd2: row = result2_mem[row_at];
          default: row = result3_mem[row_at];
        endcase
        number = written[{24'd0, wb_slot, wb_row[3:0]}];
        if (number != 32'hffff) begin
          for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = number[l] ? row[l[3:0]] : 32'd0;
        end
        if (op.sext) begin
          for (int unsigned l = 0; l < 16; l++) begin
            value = row[l[3:0]];
            row[l[3:0]] = op.bytes[0] ? {{24{value[7]}}, value[7:0]} : {{16{value[15]}}, value[15:0]};
          end
        end
        lanes16 = 32'(op.exec >> {wb_row[1:0], 4'd0}) & 32'hffff;
        if (lanes16 != '0) begin
          vwr_valid_o <= 1'b1;
          wb_hold = 1'b1;
          vwr_o <= '{
              simd: op.wave.simd,
              slot: op.wave.slot,
              tag: op.tag,
              row: {op.dst + 8'(wb_row[4:2]), wb_row[1:0]},
              lanes: lanes16[15:0],
              data: row
          };
        end
        wb_row = wb_row + 5'd1;
      end
    end

    // ---------------- lines and atomics' old values to their lanes, 16 lanes a cycle
    if (!spread && queue_count != '0) begin
      spread = 1'b1;
      spread_tx = {24'd0, queue[queue_read].id} & (NumTx - 1);
      spread_lanes = tx_lanes[spread_tx];
      for (int unsigned w = 0; w < 16; w++) data_line[w] = queue[queue_read].data[w*32+:32];
      data_line[16] = '0;
      slot32 = tx_slot[spread_tx];
      if (queue[queue_read].status != MEM_OK) begin
        if (status[slot32] == '0) fault_va[slot32] = {24'd0, tx_high[spread_tx][7:0], tx_line[spread_tx]};
        status[slot32] = queue[queue_read].status;
        spread_lanes = '0;
      end
      queue_read = queue_read + 3'd1;
      queue_count = queue_count - 4'd1;
    end
    if (spread) begin
      moved = 1'b1;
      slot32 = tx_slot[spread_tx];
      op = op_q[slot32[3:0]];
      if (spread_lanes != '0) spread_beat();
      if (spread_lanes == '0) begin
        spread = 1'b0;
        tx_free = tx_free | (NumTx'(1) << spread_tx);
        left[slot32] = left[slot32] - 32'd1;
        outstanding = outstanding - 32'd1;
        if (left[slot32] == '0 && sent[slot32[3:0]]) finished[slot32[3:0]] = 1'b1;
      end
    end
    if (rsp_valid_i) begin
      queue[queue_write] = rsp_i;
      queue_write = queue_write + 3'd1;
      queue_count = queue_count + 4'd1;
    end
    if (ack_valid_i) begin
      slot32 = {24'd0, ack_slot_i};
      if (ack_status_i != MEM_OK) status[slot32] = ack_status_i;
      left[slot32] = left[slot32] - 32'd1;
      outstanding = outstanding - 32'd1;
      if (left[slot32] == '0 && sent[slot32[3:0]]) finished[slot32[3:0]] = 1'b1;
    end

    // ---------------- translated: rights, store data, to the cache
    if (req_valid_o) req_valid_o <= 1'b0;
    if (tlb_lookup_o) tlb_lookup_o <= 1'b0;
    if (tlb_fill_o) tlb_fill_o <= 1'b0;
    if (perf_o != '0) perf_o <= '0;
    stall = 1'b0;
    if (forget_i) last_valid = 1'b0;
    if (xlat_valid_i) begin
      asked = 1'b0;
      held = 1'b1;
      held_hit = 1'b1;
      held_pte = xlat_status_i == MEM_OK ? xlat_pte_i : {56'd0, xlat_status_i} << 32;  // not valid: says why
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
    end
    if (tx1.valid) begin
      op = op_q[tx1.slot];
      if (!held) begin
        held = 1'b1;
        held_hit = tlb_hit_i;
        held_pte = tlb_pte_i;
        if (!tx1.inv) perf_o[1] <= tlb_hit_i;
        if (!tlb_hit_i && last_valid && last_vpn == tx1.va[39:12] && last_vmid == tx1.vmid) begin
          held_hit = 1'b1;
          held_pte = last_pte;
        end
      end
      stall = !req_ready_i || asked || (tx_free == '0 && !op.store && !tx1.inv);
      if (!stall) begin
        req = '{
            op: L1Read,
            bypass: 1'b0,
            id: '0,
            atomic: op.atomic_op,
            wide: op.wide,
            access: op.atomic ? 3'd3 : op.store ? 3'd2 : 3'd1,
            vmid: op.vmid,
            user: {16'd0, op.tag, 2'd0, op.wave},
            addr: '0,
            mask: '0,
            data: '0
        };
        if (tx1.inv) begin
          req.op = L1Inv;
          req.id = {4'd0, tx1.slot};
          req_o <= req;
          req_valid_o <= 1'b1;
        end else if (!held_hit) begin
          req.op = L1Xlat;
          req.addr = {24'd0, tx1.va[39:12], 12'd0};
          req_o <= req;
          req_valid_o <= 1'b1;
          asked = 1'b1;
          stall = 1'b1;
          moved = 1'b1;
          perf_o[2] <= 1'b1;
        end else begin
          pte = held_pte;
          outcome = !pte[0] && pte[39:32] != '0 ? pte[39:32] : tlb_pkg::pte_status(pte, {5'd0, req.access});
          if (SeedFault == 4'd2 && pte[0]) outcome = MEM_OK;
          if (outcome != MEM_OK) begin
            if (status[tx1.slot] == '0) begin
              status[tx1.slot] = outcome;
              fault_va[tx1.slot] = {24'd0, tx1.first};
            end
            left[tx1.slot] = left[tx1.slot] - 32'd1;
            outstanding = outstanding - 32'd1;
            if (left[tx1.slot] == '0 && sent[tx1.slot]) finished[tx1.slot] = 1'b1;
          end else begin
            req.addr = tlb_pkg::pte_pa(pte, {24'd0, tx1.va});
            req.bypass = op.glc || !tlb_pkg::pte_cached(pte, own_gpu_i);
            if (op.store) begin
              req.op = L1Write;
              req.id = {4'd0, tx1.slot};
              if (!building) begin
                building = 1'b1;
                build_lanes = tx1.lanes;
                for (int unsigned w = 0; w < 17; w++) store_line[w] = '0;
                wbytes = '0;
              end
              if (build_lanes != '0) build_beat();
              stall = build_lanes != '0;
              moved = 1'b1;
              for (int unsigned w = 0; w < 16; w++) wline[w[3:0]] = store_line[w];
              req.data = wline;
              req.mask = wbytes;
            end else begin
              number = {26'd0, pick_pkg::first64(64'(tx_free))};
              tx_free = tx_free & ~(NumTx'(1) << number);
              tx_lanes[number] = tx1.lanes;
              tx_line[number] = tx1.va[31:0];
              tx_high[number] = {24'd0, tx1.va[39:32]};
              tx_slot[number] = {28'd0, tx1.slot};
              tx_word[number] = {30'd0, tx1.word};
              req.id = number[7:0];
              if (op.atomic) begin
                req.op = L1Atomic;
                req.addr = {req.addr[63:6], 6'd0} | {58'd0, tx1.first[5:0]};
                leader = {26'd0, pick_pkg::first64(tx1.lanes)};
                row_at = {tx1.slot, leader[5:4]};
                req.data[31:0] = oper_mem[{3'd4, row_at}][leader[3:0]];
                req.data[63:32] = op.wide ? oper_mem[{3'd5, row_at}][leader[3:0]] : 32'd0;
                value = op.wide ? oper_mem[{3'd6, row_at}][leader[3:0]] : oper_mem[{3'd5, row_at}][leader[3:0]];
                req.data[95:64] = op.atomic_op == 4'd1 ? value : 32'd0;
                req.data[127:96] = op.atomic_op == 4'd1 && op.wide ? oper_mem[{3'd7, row_at}][leader[3:0]] : 32'd0;
              end
            end
            if (!stall) begin
              req_o <= req;
              req_valid_o <= 1'b1;
              perf_o[0] <= 1'b1;
            end
          end
        end
      end
      if (!stall) begin
        tx1.valid = 1'b0;
        held = 1'b0;
        building = 1'b0;
        moved = 1'b1;
      end
    end
    if (!tx1.valid && tx0.valid) begin
      tx1 = tx0;
      tx0.valid = 1'b0;
      moved = 1'b1;
    end

    // ---------------- coalescer
    if (!active && order_count != '0) begin
      cur = order[order_read];
      order_read = order_read + 4'd1;
      order_count = order_count - 5'd1;
      active = 1'b1;
      step = '0;
      op = op_q[cur];
      steps = op.inv || op.exec == '0 ? 5'd0 : !split[cur] || op.bytes <= 5'd4 ? 5'd4 : {op.bytes[4:2], 2'd0};
      pending0 = '0;
      pending1 = '0;
      open.valid = op.inv;
      open.inv = op.inv;
      open.slot = cur;
      open.vmid = op.vmid;
      moved = 1'b1;
    end
    if (active) begin
      op = op_q[cur];
      if (pending0 == '0 && pending1 == '0 && step != steps) begin
        prepare_beat();
        step = step + 5'd1;
        moved = 1'b1;
      end
      room = !tx0.valid && !quiesce_i;
      emit = 1'b0;
      if (pending0 != '0 || pending1 != '0) begin
        leader = {26'd0, pick_pkg::first64({32'd0, pending0 != '0 ? pending0 : pending1})};
        line = {30'd0, lane_va[leader][39:6]} + (pending0 != '0 ? 64'd0 : 64'd1);
        if (op.atomic) begin
          joined0 = 32'd1 << leader;
          joined1 = '0;
        end else begin
          joined0 = '0;
          joined1 = '0;
          for (int unsigned l = 0; l < 16; l++) begin
            joined0 = joined0 | (32'(lane_va[l] >> 6 == line) << l);
            joined1 = joined1 | (32'((lane_va[l] >> 6) + 64'd1 == line) << l);
          end
          joined0 = joined0 & pending0;
          joined1 = joined1 & pending1;
          if (SeedFault == 4'd1) joined0 = pending0;
        end
        if (open.valid && !op.atomic && {30'd0, open.va[39:6]} == line && open.word == (split[cur] ? part : 2'd0)) begin
          open.lanes = open.lanes | (64'(joined0 | joined1) << {beat, 4'd0});
          pending0 = pending0 & ~joined0;
          pending1 = pending1 & ~joined1;
          moved = 1'b1;
        end else if (!open.valid || room) begin
          emit = open.valid;
          next = '{
              valid: 1'b1,
              inv: 1'b0,
              slot: cur,
              vmid: op.vmid,
              word: split[cur] ? part : 2'd0,
              va: {line[33:0], 6'd0},
              first: pending0 != '0 ? lane_va[leader][39:0] : {line[33:0], 6'd0},
              lanes: 64'(joined0 | joined1) << {beat, 4'd0}
          };
          pending0 = pending0 & ~joined0;
          pending1 = pending1 & ~joined1;
          moved = 1'b1;
        end
      end else if (step == steps) begin
        emit = open.valid && room;
        next.valid = 1'b0;
      end else begin
        next.valid = 1'b0;
      end
      if (emit) begin
        tx0 = open;
        tlb_lookup_o <= !open.inv;
        tlb_vmid_o <= open.vmid;
        tlb_vpn_o <= open.va[39:12];
        left[cur] = left[cur] + 32'd1;
        outstanding = outstanding + 32'd1;
        open.valid = 1'b0;
        moved = 1'b1;
      end
      if (next.valid) open = next;
      next.valid = 1'b0;
      if (pending0 == '0 && pending1 == '0 && !open.valid && step == steps) begin
        active = 1'b0;
        sent[cur] = 1'b1;
        if (left[cur] == '0) finished[cur] = 1'b1;
        moved = 1'b1;
      end
    end

    // ---------------- collector: captured rows
    if (opread_valid_o) opread_valid_o <= 1'b0;
    if (cap1.valid) begin
      moved = 1'b1;
      if (!cap1.none) capture_row();
      if (cap1.final_row) begin
        opread_valid_o <= 1'b1;
        opread_o <= '{wave: op_q[cap1.slot].wave, tag: op_q[cap1.slot].tag};
        order[order_write] = cap1.slot;
        order_write = order_write + 4'd1;
        order_count = order_count + 5'd1;
      end
    end
    cap1 = cap0;
    cap0.valid = 1'b0;
    if (valid_i) accept();
    if (vrd_valid_o || rows_left != '0) begin
      vrd_valid_o <= rows_left != '0;
      reading_o   <= rows_left != '0;
    end
    if (rows_left != '0) begin
      moved = 1'b1;
      op = op_q[collect_slot];
      reading_simd_o <= op.wave.simd;
      vrd_o.simd <= op.wave.simd;
      if (row_kind == 2'd2) vrd_o.row <= {op.data + 8'(row_word), row_beat};
      else vrd_o.row <= {op.addr + 8'(row_kind[0] ^ (op.mubuf && op.idxen)), row_beat};
      rows_left = rows_left - 6'd1;
      cap0 = '{
          valid: 1'b1,
          none: 1'b0,
          kind: row_kind,
          slot: collect_slot,
          simd: op.wave.simd,
          word: row_word,
          beat: row_beat,
          final_row: rows_left == '0
      };
      row_beat = row_beat + 2'd1;
      if (row_beat == '0) begin
        if (row_kind == 2'd2) row_word = row_word + 2'd1;
        row_kind = row_kind == 2'd0 && (!op.mubuf || op.idxen && op.offen) ? 2'd1 : 2'd2;
      end
    end
    if (moved) begin
      ready_q   <= rows_left <= 6'd1 && used != '1;
      rsp_ready_o <= queue_count <= 4'd3;
      drained_o <= outstanding == '0 && !tx0.valid && !tx1.valid;
    end
    if (moved || quiet != '1) quiet <= moved ? '0 : {quiet[1:0], 1'b1};

    if (!rst_ni) begin
      {used, sent, finished, blocked, split} = '0;
      {rows_left, spread, building, queue_read, queue_write, queue_count, order_read, order_write} = '0;
      {order_count, active, held, asked, last_valid, wb_active, wb_hold} = '0;
      cap0.valid = 1'b0;
      cap1.valid = 1'b0;
      tx0.valid = 1'b0;
      tx1.valid = 1'b0;
      open.valid = 1'b0;
      next.valid = 1'b0;
      tx_free = '1;
      outstanding = '0;
      wb_slot = '0;
      {vwr_valid_o, vrd_valid_o, reading_o, done_valid_o, opread_valid_o, req_valid_o, tlb_lookup_o, tlb_fill_o} <= '0;
      perf_o <= '0;
      ready_q <= 1'b1;
      rsp_ready_o <= queue_count <= 4'd3;
      drained_o <= 1'b1;
      rsp_ready_o <= 1'b1;
      quiet <= '0;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
