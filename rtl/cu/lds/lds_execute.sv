// SPDX-License-Identifier: Apache-2.0
// Executor of the LDS: takes one instruction after another, the two pairs of SIMDs in turn and those of a pair in order,
// and works in passes over groups of 32 words (32 lanes of one word, 16 of two, 8 of four) until every word of a group
// was served.  In a pass each bank serves one row; lanes of one word share it, an atomic serves the lowest lane of a
// bank.  Responsible for: operand rows, order between instructions, byte addresses, bounds, bank conflicts, the accesses
// themselves, lane exchange.  Not responsible for: contents (ram_banked), the way back to the VGPRs (lds_writeback).
//
// Lines of FLAT instructions (lds_execute_line.svh) go between instructions, as soon as those of their pair that were
// inside before have been served, and then before the next.
//
// Pass (bank request leaves) -> banks -> words to their group or atomic units.  Atomics read what the two passes
// before wrote from a bypass, and nothing follows before their last write is on its way.  A group that brings results
// starts only when lds_writeback has room for it, eight a SIMD, and an instruction when there is room for two groups of
// its SIMD, so that the other pair seldom waits for VGPRs.
`include "gantry_assert.svh"

module lds_execute
  import cu_pkg::*;
  import gcn3_pkg::*;
  import lds_atomic_pkg::*;
  import lds_pkg::*;
  import pick_pkg::first64;
#(
  parameter int unsigned Bytes = 65536,
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see lds_unit
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,             // low: nothing to do in the whole LDS
  input  logic               valid_i,          // an instruction of pair_i enters
  input  logic               pair_i,
  input  logic               line_valid_i,     // one at a time
  input  lds_line_t          line_i[1],        // stays
  output logic               line_rsp_valid_o,
  output lds_line_rsp_t      line_rsp_o[1],
  output logic               line_busy_o,
  input  lds_capture_t [1:0] capture_i,        // by pair, like all below with [1:0]
  input  logic        [31:0] vrd_data_i[4][16],
  input  lds_op_t            op_i[16],         // {pair, entry}
  output logic        [31:0] re_o,
  output logic        [31:0] raddr_o[32],      // by bank: rows
  input  logic        [31:0] rdata_i[32],
  output logic   [3:0][31:0] we_o,             // by byte, by bank
  output logic        [31:0] waddr_o[32],
  output logic        [31:0] wdata_o[32],
  output logic         [1:0] group_valid_o,
  output logic  [31:0][31:0] group_o,          // words of a group of an instruction that brings results
  output logic         [1:0] final_o,          // an instruction is through: with its last group, if it has any
  input  logic    [3:0][1:0] popped_i,         // by SIMD: groups that left lds_writeback
  input  logic               obs_en_i,
  output logic               obs_valid_o,
  output obs_lds_t           obs_o,
  output logic               conflict_o
);
  // rows of 16 lanes of a pair: {data, word, buffer, beat}; an address has word 0
  (* no_rw_check *)logic [15:0][31:0] row0_mem[128], row1_mem[128];
  logic [7:0] full;  // buffers whose rows are complete: {pair, entry[1:0]}
  logic [2:0] next[2];  // entry whose turn it is
  logic [3:0][3:0] in_flight;  // by SIMD: groups on their way to the VGPRs (one word: bytes apart stall the host)
  logic turn;  // the pair that goes first
  logic [3:0] entered[2];  // instructions that are not through
  // the line being served
  logic [1:0] line_step;
  logic [3:0] ahead;  // instructions that go before it
  // the instruction being served
  logic run, prepared, awake, pair;
  logic [2:0] entry;
  logic [1:0] buffer;
  logic [3:0] group, hold;
  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts
  lds_op_t op;
  lds_ctl_t ctl, ctl1, ctl2;  // of the instruction being served, of the two passes under way
  /* verilator lint_on UNUSEDSIGNAL */
  // the group being served, and of the two passes under way
  logic [31:0] near[64], data[64], swap[65], pending, served, served1, served2;
  logic [31:0] slot[32], give[32], more[32], slot1[32], give1[32], more1[32], slot2[32], give2[32], more2[32];
  logic [31:0] lane1[32], row1[32], re1, lane2[32], row2[32], re2, fetched[32];
  logic [31:0] by1_data[32], by1_row[32], by1_valid, by2_data[32], by2_row[32], by2_valid;
  lds_pass_t pass, pass1, pass2;
  // temporaries
  logic [15:0][31:0] row;
  logic [31:0] place[32], name[32], owner[32], found[32], words[32], now[32];
  logic [31:0] re, we0, we1, we2, we3;
  logic [1:0] beat;
  logic second, exchange, by_lane;
  // as it is between two edges, for the assertions
  logic [7:0] full_q;
  logic [3:0][3:0] in_flight_q;
  logic [1:0] line_q;
  logic passes_q, stored_q, atomic_q;  // a pass is under way; one of a store left; an atomic writes at the next edge

  /* verilator lint_off BLKSEQ */
  `include "lds_execute_group.svh"
  `include "lds_execute_pass.svh"
  `include "lds_execute_line.svh"

  // Whose rows are complete; the last of an instruction is in its memory in the next cycle, in time for the first pass.
  task automatic take_rows();
    if (capture_i[0].valid && capture_i[0].final_row) full[{1'b0, capture_i[0].entry}] = 1'b1;
    if (capture_i[1].valid && capture_i[1].final_row) full[{1'b1, capture_i[1].entry}] = 1'b1;
  endtask

  function automatic logic may_start(input logic of_pair);
    return full[{of_pair, next[of_pair][1:0]}] && in_flight[op_i[{of_pair, next[of_pair]}].wave.simd] <= 4'd6;
  endfunction

  // The next instruction of `pair`.
  task automatic start_instruction();
    entry = next[pair];
    buffer = entry[1:0];
    op = op_i[{pair, entry}];
    ctl = op.ctl;
    exchange = ctl.kind >= KIND_SWIZZLE;
    if (ctl.active) begin
      run = 1'b1;
      group = '0;
      hold = SeedFault == 4'd5 ? 4'd0 : op.clocks;
      pass.start = 1'b1;
    end else if (!pass.valid) begin  // nothing to do: keeps its place in the order
      pass = '{valid: 1'b1, start: 1'b1, final_pass: 1'b1, pair: pair, default: '0};
      pass1 = pass;
      ctl1 = '0;
      re1 = '0;
      finish_instruction();
      obs_valid_o <= obs_en_i;
      if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag, default: '0};
    end
  endtask

  // Its rows stay until it is through (final_o).
  task automatic finish_instruction();
    run = 1'b0;
    full[{pair, buffer}] = 1'b0;
    next[pair] = entry + 3'd1;
    entered[pair] = entered[pair] - 4'd1;
    if (ahead != '0 && line_i[0].wave.simd[1] == pair) ahead = ahead - 4'd1;
    turn = SeedFault == 4'd4 ? 1'b0 : !pair;
  endtask

  // All stages, the last first.
  task automatic cycle();
    take_rows();
    if (popped_i != '0) begin
      in_flight = in_flight - {2'd0, popped_i[3], 2'd0, popped_i[2], 2'd0, popped_i[1], 2'd0, popped_i[0]};
    end
    if (hold != '0) hold = hold - 4'd1;

    re = '0;
    {we0, we1, we2, we3} = '0;
    group_valid_o <= '0;
    final_o <= '0;
    obs_valid_o <= 1'b0;
    conflict_o <= 1'b0;
    line_rsp_valid_o <= 1'b0;
    if (pass2.valid) begin
      if (ctl2.kind != KIND_NONE && ctl2.kind != KIND_STORE) keep_results();
      final_o <= {pass2.final_pass && pass2.pair, pass2.final_pass && !pass2.pair};
    end
    awake = pass2.valid;
    pass2 = pass1;
    if (pass1.valid) begin
      awake = 1'b1;
      ctl2 = ctl1;
      served2 = served1;
      if (pass1.first) begin
        slot2 = slot1;
        if (ctl1.kind != KIND_LOAD) give2 = give1;
        if (ctl1.kind == KIND_ATOMIC) more2 = more1;
      end
      if (ctl1.kind == KIND_ATOMIC) begin
        lane2 = lane1;
        row2 = row1;
        re2 = re1;
      end
    end
    pass.valid = 1'b0;
    pass.last = 1'b0;
    pass.final_pass = 1'b0;
    if (run && prepared) begin
      served = '0;
      if (exchange) begin
        fetch_rows();
        exchange_lanes();
      end else if (pending != '0) begin
        serve();
      end
      finish_pass();
      pass1 = pass;
      ctl1 = ctl;
      served1 = served;
      re1 = re;
      pass.start = 1'b0;
      pass.first = 1'b0;
    end
    if (line_step != LineNone) serve_line();
    if (!run && hold == '0 && full != '0 && (line_step == LineNone || ahead != '0)) begin
      pair = may_start(turn) ? turn : !turn;
      if (may_start(pair)) start_instruction();
    end
    if (run && !prepared) begin
      if (in_flight[op.wave.simd] != 4'd8 || !ctl.brings) begin
        pending = '0;
        if (!exchange) begin
          fetch_rows();
          prepare_group();
        end
        if (ctl.kind == KIND_STORE || ctl.kind == KIND_ATOMIC) order_operands();
        pass.first = 1'b1;
        prepared = 1'b1;
        if (ctl.brings) in_flight[op.wave.simd] = in_flight[op.wave.simd] + 4'd1;
      end
    end
    pass1.valid = pass.valid;
    if (pass.valid || hold != '0) awake = 1'b1;
    re_o <= re;
    we_o <= {we3, we2, we1, we0};
    line_busy_o <= line_step != LineNone;
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (valid_i) entered[pair_i] = entered[pair_i] + 4'd1;
      if (line_valid_i) begin
        line_step = LineWait;
        ahead = entered[line_i[0].wave.simd[1]];
      end
      if (capture_i[0].valid || capture_i[1].valid || full != '0 || popped_i != '0 || line_valid_i || awake) cycle();
      // rows of operands; written in a task they are no memory for yosys
      if (capture_i[0].valid && !capture_i[0].none) begin
        row = {
            vrd_data_i[capture_i[0].simd][15], vrd_data_i[capture_i[0].simd][14],
            vrd_data_i[capture_i[0].simd][13], vrd_data_i[capture_i[0].simd][12],
            vrd_data_i[capture_i[0].simd][11], vrd_data_i[capture_i[0].simd][10],
            vrd_data_i[capture_i[0].simd][9], vrd_data_i[capture_i[0].simd][8],
            vrd_data_i[capture_i[0].simd][7], vrd_data_i[capture_i[0].simd][6],
            vrd_data_i[capture_i[0].simd][5], vrd_data_i[capture_i[0].simd][4],
            vrd_data_i[capture_i[0].simd][3], vrd_data_i[capture_i[0].simd][2],
            vrd_data_i[capture_i[0].simd][1], vrd_data_i[capture_i[0].simd][0]
        };
        row0_mem[{capture_i[0].data, capture_i[0].word, capture_i[0].entry, capture_i[0].beat}] <= row;
      end
      if (capture_i[1].valid && !capture_i[1].none) begin
        row = {
            vrd_data_i[capture_i[1].simd][15], vrd_data_i[capture_i[1].simd][14],
            vrd_data_i[capture_i[1].simd][13], vrd_data_i[capture_i[1].simd][12],
            vrd_data_i[capture_i[1].simd][11], vrd_data_i[capture_i[1].simd][10],
            vrd_data_i[capture_i[1].simd][9], vrd_data_i[capture_i[1].simd][8],
            vrd_data_i[capture_i[1].simd][7], vrd_data_i[capture_i[1].simd][6],
            vrd_data_i[capture_i[1].simd][5], vrd_data_i[capture_i[1].simd][4],
            vrd_data_i[capture_i[1].simd][3], vrd_data_i[capture_i[1].simd][2],
            vrd_data_i[capture_i[1].simd][1], vrd_data_i[capture_i[1].simd][0]
        };
        row1_mem[{capture_i[1].data, capture_i[1].word, capture_i[1].entry, capture_i[1].beat}] <= row;
      end
      full_q <= full;
      in_flight_q <= in_flight;
      line_q <= line_step;
      passes_q <= run || pass1.valid || pass2.valid;
      stored_q <= pass1.valid && ctl1.kind == KIND_STORE;
      atomic_q <= pass2.valid && ctl2.kind == KIND_ATOMIC;
      if (!rst_ni) begin
        {full, next[0], next[1], entered[0], entered[1], turn, run, prepared, hold, ahead, awake} = '0;
        line_step = LineNone;
        in_flight = '0;
        pass1.valid = 1'b0;
        pass2.valid = 1'b0;
        {group_valid_o, final_o} <= '0;
        re_o <= '0;
        we_o <= '0;
        {obs_valid_o, conflict_o, line_rsp_valid_o, line_busy_o} <= '0;
        {full_q, in_flight_q, line_q, passes_q, stored_q, atomic_q} <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  for (genvar p = 0; p < 2; p++) begin : gen_check_pair
    // through once, and at most eight are not
    `STREAM_BOUND(a_through, 8, valid_i && pair_i == 1'(p), final_o[p])
    // no row of another instruction into a buffer before the banks are through with the one whose rows are complete there
    `STREAM_ASSERT(a_buffer, capture_i[p].valid, !full_q[{1'(p), capture_i[p].entry}])
    // a group is one of an instruction that has work
    `STREAM_ASSERT(a_group, group_valid_o[p], a_through_held != 0)
  end
  for (genvar s = 0; s < 4; s++) begin : gen_check_simd
    // lds_writeback has room for what is on its way, and gives back no more than it got
    `STREAM_ASSERT(a_flight, en_i, in_flight_q[s] <= 4'd8)
  end
  `STREAM_BOUND(a_line, 1, line_valid_i, line_rsp_valid_o)
  // the banks serve one at a time: a line, or passes; of these one that stores, or the atomic units
  `STREAM_ASSERT(a_line_alone, line_q >= LineBanks, !passes_q)
  logic writes_q;  // an atomic wrote at the edge before
  always_ff @(posedge clk_i) begin
    if (en_i) writes_q <= atomic_q;
  end
  `STREAM_ASSERT(a_one_writer, en_i && stored_q, !writes_q)
endmodule
