// SPDX-License-Identifier: Apache-2.0
// Answers of the cache and of the LDS on their way to the VGPRs: words of a line to their lanes, put together in rows until the
// instruction is finished, then one row a cycle.  A cycle serves each of 16 lane positions once: lanes of a beat, and those of
// the beat behind whose positions are free, so that successive elements which do not begin on a line take a cycle a line, too;
// of a pair whose lines came together those of both.  A pair whose lines come one by one ends with the second.
// Responsible for: those, which transaction an answer belongs to, rows between the LDS and buffer instructions
// (cu_vmem_rows.svh).  Not responsible for: when an instruction is finished (cu_vmem_slots), writing rows (cu_vmem_writeback).
`include "gantry_assert.svh"

module cu_vmem_return
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import l1v_pkg::*;
#(
  parameter int unsigned NumTx = 64,
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
  input  logic                place_valid_i,
  input  vmem_place_t         place_i,
  input  logic                rsp_valid_i,
  input  l1_rsp_t             rsp_i,
  output logic                rsp_ready_o,      // room for four more
  input  logic                line_valid_i,     // the LDS has answered; the answer stays until line_taken_o
  input  lds_line_rsp_t       line_i[1],
  output logic                line_taken_o,
  output logic                row_line_valid_o, // a line for a row; the record stays until its answer
  output lds_line_t           row_line_o[1],
  input  logic                fetch_valid_i,    // the rows of this store are wanted
  input  vslot_t                fetch_slot_i,
  output logic                fill_valid_o,     // one of them
  output logic                fill_done_o,      // the last
  output logic          [1:0] fill_beat_o,
  output logic   [15:0][31:0] fill_o,
  output vmem_end_t           ended_o,
  output logic         [63:0] ended_va_o[1],    // of a fault
  input  logic                wb_valid_i,       // at most one more while one is being written
  input  vslot_t                wb_slot_i,
  output logic                wb_left_o,        // the last row has left: there is a place for another one
  output logic                row_valid_o,
  output vmem_row_t           row_o[1],
  input  logic          [3:0] row_room_i,       // by SIMD: for a row
  input  logic                obs_en_i,
  output logic                obs_row_valid_o,  // dwords on their way into the LDS, or from there
  output obs_row_t            obs_row_o,
  output logic                moved_o
);
  localparam int unsigned TxW = $clog2(NumTx);

  typedef struct packed {
    logic split;
    logic unaligned;
    logic [15:0][31:0] lanes;
  } place_t;
  typedef struct packed {
    vslot_t slot;
    logic [1:0] word;
    logic apart;  // what came is one old value
    logic [39:0] va;
    logic [63:0] lanes;
    logic [15:0] behind;  // first of a pair: lanes of the beat on the next line
    logic pair;
    logic second;  // of it
    logic [TxW-1:0] other;  // number of the other one
  } from_t;
  typedef struct packed {
    logic atomic;
    logic sext;
    logic [4:0] bytes;
    logic [2:0] results;
    wave_t wave;
    tag_t tag;
    logic lds;
    logic [16:0] lds_at;  // byte of lane 0 in the LDS
    vgpr_t dst;
    logic [63:0] exec;
  } what_t;

  localparam logic [7:0] RowId = 8'h80;  // of a line for a row: no transaction's number

  // instructions; addresses of lanes {slot, word, beat}; results by word {slot, beat / 2}, of even and odd beats, and which
  // lanes hold data
  what_t what_mem[NumSlots];
  place_t place_mem[16*NumSlots];
  logic [15:0][31:0] even0_mem[2*NumSlots], even1_mem[2*NumSlots], even2_mem[2*NumSlots], even3_mem[2*NumSlots];
  logic [15:0][31:0] odd0_mem[2*NumSlots], odd1_mem[2*NumSlots], odd2_mem[2*NumSlots], odd3_mem[2*NumSlots];
  logic [3:0][15:0] written_even_mem[2*NumSlots], written_odd_mem[2*NumSlots];
  from_t from_mem[NumTx];
  l1_rsp_t queue_mem[8];
  logic line_held;  // an answer of the LDS waits for a cycle without one of the cache
  logic [NumTx-1:0] alone;  // of a pair, has come without the other
  logic [7:0] alone_status[NumTx];
  logic [3:0] touched[NumSlots];  // by slot: beats with something written
  logic [2:0] queue_read, queue_write;
  logic [3:0] queued;
  // answer being spread
  logic busy;
  logic [63:0] lanes_left;
  logic [TxW-1:0] tx;
  logic [31:0] line[17];
  from_t from;
  logic both;  // lines of a pair in one answer
  logic [7:0] status;
  // write-back
  logic wb_active, wb_more;
  vslot_t wb_slot, wb_next;
  logic [4:0] wb_row;
  /* verilator lint_off UNUSEDSIGNAL */
  vop_t op;
  what_t what, wb, row_what;  // of the answer, of the instruction being written, of the row
  logic [16:0] row_where;  // its byte in the LDS
  /* verilator lint_on UNUSEDSIGNAL */
  // rows between the LDS and buffer instructions
  logic row_busy, row_fetch, row_half, row_asked;  // row_fetch: from the LDS; row_asked: a line is under way
  logic fetch_wait;
  vslot_t row_slot, fetch_slot;
  logic [1:0] row_beat;
  logic [15:0] row_lanes;
  logic [15:0][31:0] row_data;
  // of the line asked for: here, since locals of a task are set to 0 in every cycle of the simulation
  logic [15:0] row_part, row_words;
  logic [3:0] row_word;
  logic [63:0] row_bytes;
  logic [511:0] row_line;
  // temporaries
  place_t where;
  logic [15:0][31:0] row, now, mine, other;  // of the beat, of the beat behind
  logic [3:0][15:0] written, written_even, written_odd;
  logic [31:0] place[16], lanes16, behind, keep, took, value, off, has;
  logic [63:0] window, va;
  logic [3:0] row_we;
  logic [1:0] beat, next_beat;
  logic [$clog2(2*NumSlots)-1:0] even_at, odd_at, wb_at;  // {slot, beat / 2}
  logic even_we, odd_we;  // beats of this cycle
  l1_rsp_t answer;
  logic ok, come, moved, awake;

  // The first beat with lanes, of those before the last.
  function automatic logic [1:0] beat_of(input logic [47:0] lanes);
    return lanes[15:0] != '0 ? 2'd0 : lanes[31:16] != '0 ? 2'd1 : lanes[47:32] != '0 ? 2'd2 : 2'd3;
  endfunction

  /* verilator lint_off BLKSEQ */
  // The next lanes of an answer, at most one of each position: where they are, which words of them are written.
  task automatic begin_beat();
    beat = beat_of(lanes_left[47:0]);
    next_beat = beat + 2'd1;
    lanes16 = 32'(lanes_left >> {beat, 4'd0}) & 32'hffff;
    behind = beat == '1 ? 32'd0 : 32'(lanes_left >> {next_beat, 4'd0}) & 32'hffff;
    if ((behind & lanes16) != '0) behind = '0;
    lanes_left = lanes_left & ~(64'hffff << {beat, 4'd0}) & ~(64'(behind) << {next_beat, 4'd0});
    even_we = !beat[0] || behind != '0;
    odd_we = beat[0] || behind != '0;
    even_at = {from.slot, beat[0] ? next_beat[1] : beat[1]};
    odd_at = {from.slot, beat[1]};
    where = place_mem[{from.slot, from.word, beat}];
    written_even = touched[from.slot][{even_at[0], 1'b0}] ? written_even_mem[even_at] : '0;
    written_odd = touched[from.slot][{odd_at[0], 1'b1}] ? written_odd_mem[odd_at] : '0;
    written = beat[0] ? written_odd : written_even;
    if (behind != '0) begin_behind();
    if (even_we) touched[from.slot][{even_at[0], 1'b0}] = 1'b1;
    if (odd_we) touched[from.slot][{odd_at[0], 1'b1}] = 1'b1;
    for (int unsigned l = 0; l < 16; l++) begin
      place[l] = from.apart ? 32'd0 : where.lanes[l[3:0]] - from.va[31:0];
    end
    keep = what.bytes[0] ? 32'hff : what.bytes[1] ? 32'hffff : 32'hffffffff;
    row_we = where.split ? 4'd1 << from.word : 4'hf >> (3'd4 - what.results);
  endtask

  // Lanes of the beat behind take the positions that are free.
  task automatic begin_behind();
    row = place_mem[{from.slot, from.word, next_beat}].lanes;
    where.unaligned = where.unaligned || place_mem[{from.slot, from.word, next_beat}].unaligned;
    for (int unsigned l = 0; l < 16; l++) where.lanes[l[3:0]] = behind[l] ? row[l[3:0]] : where.lanes[l[3:0]];
    for (int unsigned k = 0; k < 4; k++) begin
      written[k[1:0]] = (written[k[1:0]] & ~behind[15:0]) |
          ((beat[0] ? written_even[k[1:0]] : written_odd[k[1:0]]) & behind[15:0]);
    end
    lanes16 = lanes16 | behind;
  endtask

  // Which words are written, back to both beats.
  task automatic part_written();
    for (int unsigned k = 0; k < 4; k++) begin
      written_even[k[1:0]] = written_even[k[1:0]] | (written[k[1:0]] & (beat[0] ? behind[15:0] : ~behind[15:0]));
      written_odd[k[1:0]]  = written_odd[k[1:0]] | (written[k[1:0]] & (beat[0] ? ~behind[15:0] : behind[15:0]));
    end
  endtask

  // `now` has what the lanes of this cycle have of a word: of the beat behind, too; and back, `other` is its row.
  task automatic join_rows();
    mine = now;
    for (int unsigned l = 0; l < 16; l++) now[l[3:0]] = behind[l] ? other[l[3:0]] : now[l[3:0]];
  endtask
  task automatic part_rows();
    for (int unsigned l = 0; l < 16; l++) other[l[3:0]] = behind[l] ? now[l[3:0]] : other[l[3:0]];
    for (int unsigned l = 0; l < 16; l++) now[l[3:0]] = behind[l] ? mine[l[3:0]] : now[l[3:0]];
  endtask

  // Into `now`: word k of those lanes that have it, or a part of it, on this line.
  task automatic spread_word(input logic [1:0] k);
    took = '0;
    has = {16'd0, written[k]};
    if (where.unaligned && !what.atomic) begin
      for (int unsigned l = 0; l < 16; l++) begin
        off = place[l] + (where.split ? 32'd0 : {28'd0, k, 2'd0});
        ok = lanes16[l] && (off < 32'd64 || off > 32'hfffffffc);
        window = {line[{28'd0, off[5:2]}+32'd1], line[{28'd0, off[5:2]}]} >> {off[1:0], 3'd0};
        window = off[31] ? {32'd0, line[0]} << {-off[1:0], 3'd0} : window;
        value = (has[l] ? now[l[3:0]] : 32'd0) | (window[31:0] & keep);
        now[l[3:0]] = ok ? value : now[l[3:0]];
        took = took | (32'(ok) << l);
      end
    end else begin
      for (int unsigned l = 0; l < 16; l++) begin
        off = place[l] + (where.split ? 32'd0 : {28'd0, k, 2'd0});
        ok = lanes16[l] && (off < 32'd64 || both);
        value = (line[{28'd0, off[5:2]}] >> {off[1:0], 3'd0}) & keep;
        now[l[3:0]] = ok ? value : now[l[3:0]];
        took = took | (32'(ok) << l);
      end
    end
    written[k] = written[k] | took[15:0];
  endtask

  `include "cu_vmem_rows.svh"

  // The oldest answer.
  task automatic take_answer();
    busy = 1'b1;
    tx = queue_mem[queue_read].id[TxW-1:0];
    status = queue_mem[queue_read].status;
    from = from_mem[tx];
    what = what_mem[from.slot];
    both = queue_mem[queue_read].pair;
    lanes_left = from.lanes;
    if (both) begin
      lanes_left = lanes_left | (64'(from.behind) << {beat_of(from.lanes[47:0]), 4'd0});
    end
    if (status != '0) lanes_left = '0;
    for (int unsigned w = 0; w < 16; w++) line[w] = queue_mem[queue_read].data[w*32+:32];
    line[16] = '0;
    queue_read = queue_read + 3'd1;
    queued = queued - 4'd1;
  endtask

  // All lanes of the answer are served: its transaction ends, of a pair when both have come.
  task automatic end_answer();
    busy = 1'b0;
    if (from.pair && !both && !alone[from.other]) begin
      alone[tx] = 1'b1;
      alone_status[tx] = status;
    end else begin
      va = {24'd0, from.va};
      if (from.pair && !both && alone_status[from.other] != '0) begin
        status = alone_status[from.other];
        va = from.second ? va - 64'd64 : va + 64'd64;
      end
      if (from.pair) alone[from.other] = 1'b0;
      ended_o <= '{
          valid: 1'b1, slot: from.slot, status: status, tx: 8'(tx), pair: from.pair, tx2: 8'(from.other)
      };
      if (status != '0) ended_va_o[0] <= va;
    end
  endtask

  // `row` leaves, to be written by cu_vmem_writeback.
  task automatic give_row(input logic [15:0] lanes);
    row_valid_o <= lanes != '0 || wb_row + 5'd1 >= {wb.results, 2'd0};
    row_o[0] <= '{
        final_row: wb_row + 5'd1 >= {wb.results, 2'd0},
        slot: wb_slot,
        vwr: '{
            simd: wb.wave.simd,
            slot: wb.wave.slot,
            tag: wb.tag,
            row: {wb.dst + 8'(wb_row[4:2]), wb_row[1:0]},
            lanes: lanes,
            data: row
        }
    };
  endtask

  // A row of a finished instruction: lanes without data read 0.
  task automatic send_row();
    wb_at = {wb_slot, wb_row[1]};
    case (wb_row[3:2])
      2'd0: row = wb_row[0] ? odd0_mem[wb_at] : even0_mem[wb_at];
      2'd1: row = wb_row[0] ? odd1_mem[wb_at] : even1_mem[wb_at];
      2'd2: row = wb_row[0] ? odd2_mem[wb_at] : even2_mem[wb_at];
      default: row = wb_row[0] ? odd3_mem[wb_at] : even3_mem[wb_at];
    endcase
    written = wb_row[0] ? written_odd_mem[wb_at] : written_even_mem[wb_at];
    has = touched[wb_slot][wb_row[1:0]] ? {16'd0, written[wb_row[3:2]]} : 32'd0;
    for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = has[l] ? row[l[3:0]] : 32'd0;
    if (wb.sext) begin
      for (int unsigned l = 0; l < 16; l++) begin
        value = row[l[3:0]];
        row[l[3:0]] = wb.bytes[0] ? {{24{value[7]}}, value[7:0]} : {{16{value[15]}}, value[15:0]};
      end
    end
    has = 32'(wb.exec >> {wb_row[1:0], 4'd0}) & 32'hffff;
    if (wb.lds) start_row(has[15:0]);
    else give_row(has[15:0]);
    wb_row = wb_row + 5'd1;
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
            lds_at: issue_i.lds_base + {issue_i.lds_word, 2'd0},
            dst: op.dst,
            exec: op.exec
        };
        touched[next_slot_i] = '0;
      end
      if (place_valid_i) begin
        place_mem[{place_i.slot, place_i.word, place_i.beat}] <= '{
            split: place_i.split,
            unaligned: place_i.unaligned,
            lanes: place_i.lanes
        };
      end
      if (access_valid_i && (access_i.op == L1Read || access_i.op == L1Atomic || access_i.tx.lds)) begin
        from_mem[access_i.id[TxW-1:0]] <= '{
            slot: access_i.tx.slot,
            word: access_i.tx.word,
            apart: access_i.op == L1Atomic && !access_i.tx.merged,
            va: access_i.tx.va,
            lanes: access_i.op == L1Write ? 64'd0 : access_i.tx.lanes,
            behind: access_i.tx.behind,
            pair: access_i.tx.behind != '0,
            second: 1'b0,
            other: access_i.id2[TxW-1:0]
        };
        if (access_i.tx.behind != '0) begin
          from_mem[access_i.id2[TxW-1:0]] <= '{
              slot: access_i.tx.slot,
              word: access_i.tx.word,
              apart: 1'b0,
              va: access_i.tx.va + 40'd64,
              lanes: 64'(access_i.tx.behind) << {beat_of(access_i.tx.lanes[47:0]), 4'd0},
              behind: '0,
              pair: 1'b1,
              second: 1'b1,
              other: access_i.id[TxW-1:0]
          };
        end
      end
      if (rsp_valid_i || queued != '0 || busy || wb_valid_i || wb_active || line_valid_i || fetch_valid_i ||
          awake) begin
        `GANTRY_CHECKS;
        moved = rsp_valid_i || wb_valid_i;
        row_line_valid_o <= 1'b0;
        fill_valid_o <= 1'b0;
        obs_row_valid_o <= 1'b0;
        // ---------------- rows of a finished instruction
        wb_left_o <= 1'b0;
        row_valid_o <= 1'b0;
        if (wb_active && row_room_i[wb.wave.simd] && !(wb.lds && row_busy)) begin
          moved = 1'b1;
          if (wb_row != {wb.results, 2'd0}) send_row();
          else give_row('0);  // its last row has reached the LDS
          if (wb_row >= {wb.results, 2'd0} && !(wb.lds && row_busy)) begin
            wb_left_o <= 1'b1;
            wb_active = wb_more;
            wb_more = 1'b0;
            wb_slot = wb_next;
            wb_row = '0;
            wb = what_mem[wb_slot];
          end
        end
        if (wb_valid_i) begin
          wb_next = wb_slot_i;
          wb_more = wb_active;
          if (!wb_active) begin
            wb_active = 1'b1;
            wb_slot = wb_slot_i;
            wb_row = '0;
            wb = what_mem[wb_slot];
          end
        end
        // ---------------- lines to their lanes
        ended_o <= '0;
        if (!busy && queued != '0) take_answer();
        if (busy) begin
          moved = 1'b1;
          if (lanes_left != '0) begin
            begin_beat();
            // here, since written in a task they are no memories for yosys
            if (row_we[0]) begin
              now = beat[0] ? odd0_mem[odd_at] : even0_mem[even_at];
              if (behind != '0) begin
                other = beat[0] ? even0_mem[even_at] : odd0_mem[odd_at];
                join_rows();
              end
              spread_word(2'd0);
              if (behind != '0) part_rows();
              if (even_we) even0_mem[even_at] <= beat[0] ? other : now;
              if (odd_we) odd0_mem[odd_at] <= beat[0] ? now : other;
            end
            if (row_we[1]) begin
              now = beat[0] ? odd1_mem[odd_at] : even1_mem[even_at];
              if (behind != '0) begin
                other = beat[0] ? even1_mem[even_at] : odd1_mem[odd_at];
                join_rows();
              end
              spread_word(2'd1);
              if (behind != '0) part_rows();
              if (even_we) even1_mem[even_at] <= beat[0] ? other : now;
              if (odd_we) odd1_mem[odd_at] <= beat[0] ? now : other;
            end
            if (row_we[2]) begin
              now = beat[0] ? odd2_mem[odd_at] : even2_mem[even_at];
              if (behind != '0) begin
                other = beat[0] ? even2_mem[even_at] : odd2_mem[odd_at];
                join_rows();
              end
              spread_word(2'd2);
              if (behind != '0) part_rows();
              if (even_we) even2_mem[even_at] <= beat[0] ? other : now;
              if (odd_we) odd2_mem[odd_at] <= beat[0] ? now : other;
            end
            if (row_we[3]) begin
              now = beat[0] ? odd3_mem[odd_at] : even3_mem[even_at];
              if (behind != '0) begin
                other = beat[0] ? even3_mem[even_at] : odd3_mem[odd_at];
                join_rows();
              end
              spread_word(2'd3);
              if (behind != '0) part_rows();
              if (even_we) even3_mem[even_at] <= beat[0] ? other : now;
              if (odd_we) odd3_mem[odd_at] <= beat[0] ? now : other;
            end
            part_written();
            if (even_we) written_even_mem[even_at] <= written_even;
            if (odd_we) written_odd_mem[odd_at] <= written_odd;
          end
          if (lanes_left == '0) end_answer();
        end
        line_taken_o <= 1'b0;
        if (line_valid_i && line_i[0].id == RowId) begin
          line_taken_o <= 1'b1;
          moved = 1'b1;
          take_line();
        end else if (line_valid_i) begin
          line_held = 1'b1;
        end
        moved = moved || line_held;
        come = rsp_valid_i || (line_held && rsp_ready_o);
        if (come) begin
          answer = rsp_i;
          if (!rsp_valid_i) begin
            answer = '{id: line_i[0].id, pair: 1'b0, status: '0, data: line_i[0].data};
            line_held = 1'b0;
            line_taken_o <= 1'b1;
          end
          queue_mem[queue_write] <= answer;
          queue_write = queue_write + 3'd1;
          queued = queued + 4'd1;
        end
        // ---------------- rows between the LDS and buffer instructions
        if (fetch_valid_i) begin
          fetch_wait = 1'b1;
          fetch_slot = fetch_slot_i;
        end
        if (fetch_wait && !row_busy) begin
          fetch_wait = 1'b0;
          start_fetch(2'd0);
        end
        if (row_busy && !row_asked) begin
          moved = 1'b1;
          ask_line();
        end
        rsp_ready_o <= queued <= 4'd3;
        awake = moved;
        moved_o <= moved;
      end
      if (!rst_ni) begin
        {busy, queue_read, queue_write, queued, wb_active, wb_more, line_held, row_busy, row_asked} = '0;
        {fetch_wait, awake, alone} = '0;
        {row_line_valid_o, fill_valid_o, obs_row_valid_o} <= '0;
        for (int unsigned s = 0; s < NumSlots; s++) touched[s] = '0;
        {row_valid_o, wb_left_o, line_taken_o} <= '0;
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
