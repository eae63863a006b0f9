// SPDX-License-Identifier: Apache-2.0
// cu_vmem_return of a compute unit whose SIMDs have fewer than 16 lanes: one word of as many lanes a cycle goes from a
// line into a memory of that width, byte by byte, so that nothing is read to be changed; rows of a finished instruction
// are read from there in parts.  Responsible for and not: as cu_vmem_return (rows between the LDS and buffer
// instructions: cu_vmem_rows_narrow.svh).
`include "gantry_assert.svh"

module cu_vmem_return_narrow
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import l1v_pkg::*;
#(
  parameter int unsigned NumTx = 16,
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see cu_vmem_pipe
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic                en_i,             // low: nothing is valid, nothing moves, no pulse has to fall
  input  logic                valid_i,
  input  vmem_issue_t         issue_i,
  input  vslot_t                next_slot_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  vmem_access_t        access_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                access_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  vmem_spot_t          spot_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                rsp_valid_i,
  input  l1_rsp_t             rsp_i,
  output logic                rsp_ready_o,      // room for four more
  input  logic                line_valid_i,     // the LDS has answered; the answer stays until line_taken_o
  input  lds_line_rsp_t       line_i[1],
  output logic                line_taken_o,
  output logic                row_line_valid_o, // a line for a row; the record stays until its answer
  output lds_line_t           row_line_o[1],
  input  logic                fetch_valid_i,    // the dwords of this store are wanted
  input  vslot_t                fetch_slot_i,
  output logic                fill_valid_o,     // one of them, of a lane
  input  logic                fill_ready_i,
  output logic                fill_done_o,      // the last
  output logic          [5:0] fill_lane_o,
  output logic         [31:0] fill_o,
  output vmem_end_t           ended_o,
  output logic         [63:0] ended_va_o[1],    // of a fault
  input  logic                wb_valid_i,       // at most one more while one is being written
  input  vslot_t                wb_slot_i,
  output logic                wb_done_o,        // its rows are written
  output vslot_t                wb_done_slot_o,
  output logic          [3:0] vwr_valid_o,      // by SIMD
  output vwr_req_t            vwr_o,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic          [1:0] vwr_ready_i[4],   // by SIMD: upper bit
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                obs_en_i,
  output logic                obs_row_valid_o,  // dwords on their way into the LDS, or from there
  output obs_row_t            obs_row_o,
  output logic                moved_o
);
  typedef struct packed {
    vslot_t slot;
    logic [1:0] word;
    logic split;
    logic apart;  // what came is one old value
    logic [39:0] va;
    logic [63:0] lanes;
  } from_t;
  typedef struct packed {
    logic atomic;
    logic sext;
    logic [4:0] bytes;
    logic [2:0] results;
    wave_t wave;
    tag_t tag;
    logic lds;
    vgpr_t dst;
    logic [63:0] exec;
    logic [16:0] lds_byte;  // of lane 0 in the LDS
  } what_t;
  typedef struct packed {  // lanes whose places are on their way from the memory
    logic valid;
    logic [1:0] word;
    beat_t group;
  } spread_t;
  typedef struct packed {  // a part of a row on its way from the memory
    logic valid;
    logic last;
    logic [1:0] word;
    logic [1:0] beat;
  } part_t;

  localparam int unsigned TxW = $clog2(NumTx);
  localparam int unsigned Aw = $clog2(NumSlots * 4 * Beats);
  localparam logic [7:0] RowId = 8'h80;  // of a line for a row: no transaction's number

  what_t what_mem[NumSlots];
  from_t from_mem[NumTx];
  l1_rsp_t queue_mem[8];
  vslots_t split;  // words of a lane are apart
  logic line_held;  // an answer of the LDS waits for a cycle without one of the cache
  logic [2:0] queue_read, queue_write;
  logic [3:0] queued;
  // answer being spread
  logic busy;
  logic [Beats-1:0] groups_left, groups;
  logic [TxW-1:0] tx;
  logic [31:0] line[16];
  from_t from;
  logic [7:0] status;
  logic [1:0] word;
  spread_t spread1, spread2;
  // write-back: `ahead` rows have been asked for and not sent
  logic wb_active, wb_more, wb_hold, row_full;
  vslot_t wb_slot, wb_next;
  logic [4:0] wb_row;
  logic [1:0] wb_part, ahead;
  logic reading, send;
  /* verilator lint_off UNUSEDSIGNAL */
  part_t part1, part2, row_of;
  vop_t op;
  what_t what, wb, row_what;  // of the answer, of the instruction being written, of the row in the LDS
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0][31:0] row;
  // rows between the LDS and buffer instructions
  logic row_busy, row_fetch, row_half, row_asked, row_emit;
  logic row_load, row_fill, row_turn;  // what becomes of row_data in this cycle
  logic fetch_wait;
  vslot_t row_slot, fetch_slot;
  logic [1:0] row_beat;
  logic [15:0] row_lanes, row_turned, row_words;
  logic [15:0][31:0] row_data, turned, shown;
  logic [4:0] row_turns;
  logic [63:0] row_bytes;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [16:0] row_where;
  /* verilator lint_on UNUSEDSIGNAL */
  // temporaries
  l1_rsp_t answer;
  beat_t group;
  /* verilator lint_off UNUSEDSIGNAL */
  logic [6:0] off, reach;
  logic [3:0] even_word, odd_word;
  logic [63:0] window;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] even, odd, value, keep;
  logic [Lanes-1:0] here;
  logic [15:0] has;
  logic push, moved, awake;

  // words of results {slot, word, group}, places and lanes with data {slot, word, group}
  logic place_re_q, part_re_q;
  logic [4*Lanes-1:0] data_we_q;
  logic [Aw-1:0] place_raddr_q, part_raddr_q, ok_raddr_q, data_waddr_q;
  logic [Lanes-1:0][31:0] data_q, data;
  logic [Lanes-1:0][6:0] places;
  logic [Lanes-1:0] good;

  ram_1r1w #(
    .Width(32 * Lanes),
    .Depth(NumSlots * 4 * Beats),
    .Lanes(4 * Lanes)
  ) u_results (
    .clk_i,
    .we_i   (data_we_q),
    .waddr_i(data_waddr_q),
    .wdata_i(data_q),
    .re_i   (part_re_q),
    .raddr_i(part_raddr_q),
    .rdata_o(data)
  );

  ram_1r1w #(
    .Width(7 * Lanes),
    .Depth(NumSlots * 4 * Beats)
  ) u_places (
    .clk_i,
    .we_i   (spot_i.valid),
    .waddr_i({spot_i.slot, spot_i.word, spot_i.group}),
    .wdata_i(spot_i.lanes),
    .re_i   (place_re_q),
    .raddr_i(place_raddr_q),
    .rdata_o(places)
  );

  ram_1r1w #(
    .Width(Lanes),
    .Depth(NumSlots * 4 * Beats)
  ) u_good (
    .clk_i,
    .we_i   (spot_i.valid),
    .waddr_i({spot_i.slot, spot_i.word, spot_i.group}),
    .wdata_i(spot_i.ok),
    .re_i   (part_re_q),
    .raddr_i(ok_raddr_q),
    .rdata_o(good)
  );

  /* verilator lint_off BLKSEQ */
  `include "cu_vmem_rows_narrow.svh"

  // The oldest answer.
  task automatic take_answer();
    busy = 1'b1;
    answer = queue_mem[queue_read];
    tx = answer.id[TxW-1:0];
    status = answer.status;
    from = from_mem[tx];
    what = what_mem[from.slot];
    for (int unsigned g = 0; g < Beats; g++) groups[g] = from.lanes[g*Lanes+:Lanes] != '0;
    groups_left = status == '0 && what.results != '0 ? groups : '0;
    word = from.split ? from.word : 2'd0;
    for (int unsigned w = 0; w < 16; w++) line[w] = answer.data[w*32+:32];
    queue_read = queue_read + 3'd1;
    queued = queued - 4'd1;
  endtask

  // The next word of the lowest lanes.
  task automatic read_places();
    group = beat_t'(pick_pkg::first64(64'(groups_left)));
    spread1 = '{valid: 1'b1, word: word, group: group};
    place_re_q <= 1'b1;
    place_raddr_q <= {from.slot, from.word, group};
    if (from.split || 3'(word) + 3'd1 == what.results) begin
      groups_left = groups_left & (groups_left - 1'b1);
      word = from.split ? from.word : 2'd0;
    end else begin
      word = word + 2'd1;
    end
  endtask

  // A word of these lanes, or a part of it: from two words of the line, an even one and an odd one.
  task automatic spread_word();
    here = Lanes'(from.lanes >> (32'(spread2.group) * Lanes));
    for (int unsigned l = 0; l < Lanes; l++) begin
      off = places[l] - from.va[6:0] + (from.split ? 7'd0 : {3'd0, spread2.word, 2'd0});
      if (from.apart) off = {3'd0, spread2.word, 2'd0};
      even_word = off[5:2] + 4'd1;
      odd_word = off[5:2];
      even = line[{even_word[3:1], 1'b0}];
      odd = line[{odd_word[3:1], 1'b1}];
      window = (off[2] ? {even, odd} : {odd, even}) >> {off[1:0], 3'd0};
      data_q[l] <= window[31:0];
      for (int unsigned b = 0; b < 4; b++) begin
        reach = off + 7'(b);
        data_we_q[4*l+b] <= here[l] && !reach[6];
      end
    end
    data_waddr_q <= {from.slot, spread2.word, spread2.group};
  endtask

  // The next part of a row of a finished instruction; rows without lanes are left out.
  task automatic read_row();
    if (!reading) begin
      has = 16'(wb.exec >> {wb_row[1:0], 4'd0});
      if (has == '0) begin
        wb_row = wb_row + 5'd1;
      end else if (ahead == 2'd0 || (ahead == 2'd1 && !wb_hold && !wb.lds)) begin
        reading = 1'b1;
        wb_part = '0;
        ahead   = ahead + 2'd1;
      end
    end
    if (reading) begin
      group = beat_t'(32'(wb_row[1:0]) * Parts + 32'(wb_part));
      part1 = '{valid: 1'b1, last: 32'(wb_part) == Parts - 1, word: wb_row[3:2], beat: wb_row[1:0]};
      part_re_q <= 1'b1;
      part_raddr_q <= {wb_slot, wb_row[3:2], group};
      ok_raddr_q <= {wb_slot, split[wb_slot] ? wb_row[3:2] : 2'd0, group};
      wb_part = wb_part + 2'd1;
      if (part1.last) begin
        reading = 1'b0;
        wb_row  = wb_row + 5'd1;
      end
    end
  endtask

  // It has come: bytes beyond the element and lanes without data read 0.
  task automatic take_part();
    keep = wb.bytes[0] ? 32'hff : wb.bytes[1] ? 32'hffff : 32'hffffffff;
    for (int unsigned l = 0; l + Lanes < 16; l++) row[l[3:0]] = row[4'(l+Lanes)];
    for (int unsigned l = 0; l < Lanes; l++) begin
      value = data[l] & keep;
      if (wb.sext) value = value | ((wb.bytes[0] ? value[7] : value[15]) ? ~keep : 32'd0);
      row[4'(16-Lanes+l)] = good[l] ? value : 32'd0;
    end
    row_full = part2.last;
    row_of   = part2;
  endtask

  task automatic send_row();
    has = 16'(wb.exec >> {row_of.beat, 4'd0});
    row_full = 1'b0;
    ahead = ahead - 2'd1;
    if (wb.lds) begin
      start_row();
    end else begin
      vwr_valid_o <= 4'd1 << wb.wave.simd;
      wb_hold = 1'b1;
      vwr_o <= '{
          simd: wb.wave.simd,
          slot: wb.wave.slot,
          tag: wb.tag,
          row: {wb.dst + 8'(row_of.word), row_of.beat},
          lanes: has,
          data: row
      };
    end
  endtask

  task automatic begin_rows(input vslot_t slot);
    wb_active = 1'b1;
    wb_slot = slot;
    wb_row = '0;
    wb = what_mem[slot];
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (valid_i) begin
        op = prepare(issue_i);
        what_mem[next_slot_i] <= '{
            atomic: op.atomic,
            sext: op.sext,
            bytes: op.bytes,
            results: op.results,
            wave: op.wave,
            tag: op.tag,
            lds: issue_i.lds,
            dst: op.dst,
            exec: op.exec,
            lds_byte: issue_i.lds_base + {issue_i.lds_word, 2'd0}
        };
      end
      if (spot_i.valid) split[spot_i.slot] = spot_i.split;
      if (access_valid_i && (access_i.op == L1Read || access_i.op == L1Atomic || access_i.tx.lds)) begin
        from_mem[access_i.id[TxW-1:0]] <= '{
            slot: access_i.tx.slot,
            word: access_i.tx.word,
            split: access_i.tx.split,
            apart: access_i.op == L1Atomic && !access_i.tx.merged,
            va: access_i.tx.va,
            lanes: access_i.op == L1Write ? 64'd0 : access_i.tx.lanes
        };
      end
      if (rsp_valid_i || queued != '0 || busy || wb_valid_i || wb_active || line_valid_i || fetch_valid_i ||
          awake) begin
        `GANTRY_CHECKS;
        moved = rsp_valid_i || wb_valid_i || busy || wb_active || queued != '0;
        {row_load, row_fill, row_turn} = '0;
        row_line_valid_o <= 1'b0;
        obs_row_valid_o <= 1'b0;
        {place_re_q, part_re_q} <= '0;
        // ---------------- rows of a finished instruction
        wb_done_o <= 1'b0;
        if (wb_hold && vwr_ready_i[wb.wave.simd][1]) begin
          wb_hold = 1'b0;
          vwr_valid_o <= '0;
        end
        send = row_full && !wb_hold && !(wb.lds && row_busy);
        if (send) send_row();  // before its register takes the next part
        if (part2.valid) take_part();
        part2 = part1;
        part1.valid = 1'b0;
        if (wb_active && ahead == '0 && !wb_hold && !(wb.lds && row_busy) && wb_row == {wb.results, 2'd0}) begin
          wb_done_o <= 1'b1;
          wb_done_slot_o <= wb_slot;
          wb_active = 1'b0;
          if (wb_more) begin_rows(wb_next);
          wb_more = 1'b0;
        end
        if (wb_active && wb_row != {wb.results, 2'd0}) read_row();
        if (wb_valid_i) begin
          wb_next = wb_slot_i;
          if (wb_active) wb_more = 1'b1;
          else begin_rows(wb_slot_i);
        end
        // ---------------- lines to their lanes
        ended_o <= '0;
        data_we_q <= '0;
        if (spread2.valid) spread_word();  // before the next line comes in
        if (!busy && queued != '0) take_answer();
        if (busy) begin
          spread2 = spread1;
          spread1.valid = 1'b0;
          if (groups_left != '0) begin
            read_places();
          end else if (!spread2.valid) begin
            busy = 1'b0;
            ended_o <= '{valid: 1'b1, slot: from.slot, status: status, tx: 8'(tx), default: '0};
            if (status != '0) ended_va_o[0] <= {24'd0, from.va};
          end
        end
        line_taken_o <= 1'b0;
        answer = rsp_i;
        push = rsp_valid_i;
        if (line_valid_i && line_i[0].id == RowId) begin
          line_taken_o <= 1'b1;
          moved = 1'b1;
          take_line();
        end else if (line_valid_i) begin
          line_held = 1'b1;
        end
        if (line_held) begin
          moved = 1'b1;
          if (!rsp_valid_i && rsp_ready_o) begin
            line_held = 1'b0;
            line_taken_o <= 1'b1;
            answer = '{id: line_i[0].id, pair: 1'b0, status: '0, data: line_i[0].data};
            push = 1'b1;
          end
        end
        if (push) begin
          queue_mem[queue_write] <= answer;
          queue_write = queue_write + 3'd1;
          queued = queued + 4'd1;
        end
        // ---------------- rows between the LDS and buffer instructions
        if (fetch_valid_i) begin
          fetch_wait = 1'b1;
          fetch_slot = fetch_slot_i;
          moved = 1'b1;
        end
        if (row_busy && !row_asked && !row_load && !row_fill) begin
          moved = 1'b1;
          turn_row();
        end
        change_row();
        if (fetch_wait && !row_busy) begin
          fetch_wait = 1'b0;
          moved = 1'b1;
          start_fetch(2'd0);
        end
        rsp_ready_o <= queued <= 4'd3;
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {busy, queue_read, queue_write, queued, wb_active, wb_more, wb_hold, line_held, row_busy, row_asked} = '0;
        {fetch_wait, awake, row_emit, row_full, reading, ahead} = '0;
        {spread1, spread2, part1, part2} = '0;
        {row_line_valid_o, fill_valid_o, obs_row_valid_o} <= '0;
        {place_re_q, part_re_q, data_we_q} <= '0;
        {vwr_valid_o, wb_done_o, line_taken_o} <= '0;
        ended_o <= '0;
        rsp_ready_o <= 1'b1;
        moved_o <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  task automatic check_state();
    `GANTRY_CHECK(a_room, queued <= 4'd8 && `GANTRY_IMPL(rsp_valid_i, queued != 4'd8))
    `GANTRY_CHECK(a_one_more, `GANTRY_IMPL(wb_valid_i, !wb_more))
    `GANTRY_CHECK(a_one_fetch, `GANTRY_IMPL(fetch_valid_i, !fetch_wait))
    `GANTRY_CHECK(a_row_asked, `GANTRY_IMPL(line_valid_i && line_i[0].id == RowId, row_busy && row_asked))
  endtask
endmodule
