// SPDX-License-Identifier: Apache-2.0
// Way of results from the LDS to the VGPRs of the two pairs of SIMDs: groups of 32 words wait in a memory of eight a
// SIMD, and a pair sends one row of 16 lanes a cycle, in order for each SIMD.  A port that the vector ALU keeps busy stops
// the rows of its own SIMD only, and what it delays is made up for: on the average, not in every cycle, a pair sends one
// row.  A pair's instructions complete in order, those without results too.  Responsible for: those, how long each still
// has to wait for its shortest latency, and telling the executor how many groups left.  Not responsible for: the values, room for groups (lds_execute).  Both pairs run
// through one text: the simulator has its code once.
`include "gantry_assert.svh"

module lds_writeback
  import cu_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Latency = 48,  // shortest time from valid_i to the report of completion
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see lds_unit
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,              // low: nothing to do in the whole LDS
  input  logic               valid_i,           // an instruction of pair_i enters
  input  logic               pair_i,
  input  lds_op_t            op_i[16],          // {pair, entry}
  input  logic        [ 1:0] group_valid_i,     // by pair; at most one
  input  logic  [31:0][31:0] group_i,
  input  logic        [ 1:0] final_i,           // by pair
  output logic    [3:0][1:0] popped_o,          // by SIMD
  output logic        [ 3:0] vwr_valid_o,       // by SIMD
  output vwr_req_t           vwr0_o[1],         // of SIMD 0; an array, which the simulator copies when it changes only
  output vwr_req_t           vwr1_o[1],
  output vwr_req_t           vwr2_o[1],
  output vwr_req_t           vwr3_o[1],
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic        [ 1:0] vwr_ready_i[4],    // by SIMD: bit 0
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        [ 1:0] done_valid_o,      // by pair
  output wave_tag_t          done_o[2],
  output logic        [ 7:0] rest_o[2],         // cycles that the report of done_o comes before its time
  input  logic        [ 1:0] room_i             // by pair: for a report in this and the next cycle
);
  // by pair
  logic [2:0] entry[2], arriving[2];  // the oldest instruction; the one whose groups arrive
  logic [3:0] finished[2];  // instructions that are through
  logic [7:0] sent[2];  // entries whose rows were all taken
  logic [3:0] due[2];  // rows that it may send: cycles in which some wait, less rows sent
  logic awake[2];
  logic [1:0] done_valid;
  wave_tag_t done[2];
  logic [7:0] rest[2];
  // when instructions came in; the time goes on while something is inside
  logic [15:0] now, age, since[16];
  logic [2:0] enters[2];
  // by SIMD.  An instruction has an even number of groups: its first has an even number, and two groups one owner.
  logic [31:0][31:0] group_mem[32];  // {SIMD, group}
  logic [2:0] owner[16];  // entry; {SIMD, group[2:1]}
  logic [2:0] read_at[4], write_at[4];
  logic [3:0] beats[4];  // groups, or twos of those with four words, that can leave
  logic [1:0] row[4];
  logic [3:0] group[4];
  logic [2:0] sender[4];  // entry whose rows leave
  logic [3:0] some, hold, closes;  // some groups can leave; a row waits; it is the last of its instruction
  logic [3:0][1:0] popped;
  // temporaries
  logic fresh;  // group_i is not yet in the memory
  vwr_req_t offered[4];  // of this cycle, of the SIMDs in
  logic [3:0] fresh_row;
  logic [4:0] newest;
  logic [1:0] s;
  logic [31:0][31:0] low, high;
  logic [31:0] out[16];
  vwr_req_t vwr;
  // for the assertions
  logic [3:0][3:0] beats_q;
  logic [1:0][3:0] finished_q;

  /* verilator lint_off BLKSEQ */
  // A group of pair p arrives.
  task automatic store_group(input logic p);
    s = op_i[{p, arriving[p]}].wave.simd;
    newest = {s, write_at[s]};
    owner[newest[4:1]] = arriving[p];
    write_at[s] = write_at[s] + 3'd1;
    if (op_i[{p, arriving[p]}].ctl.log_slots != 2'd2 || newest[0]) begin
      beats[s] = beats[s] + 4'd1;
      some[s] = 1'b1;
    end
  endtask

  // Row of the oldest group of SIMD t: which word of its lanes, which beat.  Four words: two groups make the rows of a
  // beat.
  task automatic send_row(input logic [1:0] t, input logic [3:0] from);
    logic [1:0] word, beat;
    if (fresh && newest == {t, read_at[t]}) low = group_i;
    else low = group_mem[{t, read_at[t]}];
    case (op_i[from].ctl.log_slots)
      2'd0: begin
        word = {1'b0, group[t][1]};
        beat = {group[t][0], row[t][0]};
        vwr.data = row[t][0] ? low[31:16] : low[15:0];
      end
      2'd1: begin
        word = {group[t][2], row[t][0]};
        beat = group[t][1:0];
        for (int unsigned l = 0; l < 16; l++) out[l] = low[{l[3:0], row[t][0]}];
      end
      default: begin
        if (fresh && newest == {t, read_at[t][2:1], 1'b1}) high = group_i;
        else high = group_mem[{t, read_at[t][2:1], 1'b1}];
        word = row[t];
        beat = group[t][2:1];
        for (int unsigned l = 0; l < 8; l++) out[l] = low[{l[2:0], row[t]}];
        for (int unsigned l = 0; l < 8; l++) out[l+32'd8] = high[{l[2:0], row[t]}];
      end
    endcase
    if (op_i[from].ctl.log_slots != 2'd0) begin
      vwr.data = {
        out[15], out[14], out[13], out[12], out[11], out[10], out[9], out[8],
        out[7], out[6], out[5], out[4], out[3], out[2], out[1], out[0]
      };
    end
    vwr.lanes = 16'(op_i[from].exec >> {beat, 4'd0});
    vwr.row = {op_i[from].dst + 8'(word), beat};
    vwr.tag = op_i[from].tag;
    vwr.slot = op_i[from].wave.slot;
    vwr.simd = t;
    offered[t] = vwr;
    fresh_row[t] = 1'b1;
    hold[t] = 1'b1;
  endtask

  // The next row of SIMD t leaves.
  task automatic send(input logic [1:0] t);
    /* verilator lint_off UNUSEDSIGNAL */
    lds_ctl_t ctl;
    /* verilator lint_on UNUSEDSIGNAL */
    logic four;
    if ({group[t], row[t]} == '0) sender[t] = owner[{t, read_at[t][2:1]}];
    ctl = op_i[{t[1], sender[t]}].ctl;
    four = ctl.log_slots == 2'd2;
    closes[t] = 1'b0;
    // 96 bits cost as much as 128
    if (!four || 3'(row[t]) < ctl.results) send_row(t, {t[1], sender[t]});
    row[t] = row[t] + 2'd1;
    if (row[t] == {!four, 1'b0}) begin
      row[t] = '0;
      group[t] = group[t] + (four ? 4'd2 : 4'd1);
      read_at[t] = read_at[t] + (four ? 3'd2 : 3'd1);
      popped[t] = four ? 2'd2 : 2'd1;
      beats[t] = beats[t] - 4'd1;
      some[t] = beats[t] != '0;
      if (group[t] == (ctl.two ? 4'd4 : 4'd2) << ctl.log_slots) begin
        group[t] = '0;
        closes[t] = hold[t];
        if (!hold[t]) sent[t[1]][sender[t]] = 1'b1;
      end
    end
  endtask

  // Which SIMDs of pair p send a row: those that can, but not both if only one row is due: then the oldest instruction's.
  task automatic send_rows(input logic p);
    logic [1:0] can;
    if (due[p] != (SeedFault == 4'd7 ? 4'd1 : 4'd15)) due[p] = due[p] + 4'd1;
    can = some[{p, 1'b0}+:2] & ~hold[{p, 1'b0}+:2];
    if (SeedFault == 4'd6 && hold[{p, 1'b0}+:2] != '0) can = '0;
    if (can == 2'b11 && due[p] == 4'd1) can = op_i[{p, entry[p]}].wave.simd[0] ? 2'b10 : 2'b01;
    due[p] = due[p] - 4'(can[0]) - 4'(can[1]);
    for (int unsigned h = 0; h < 2; h++) begin
      if (can[h[0]]) send({p, h[0]});
    end
  endtask

  // One cycle of a pair.
  task automatic step(input logic p);
    fresh = group_valid_i[p];
    if (final_i[p]) begin
      finished[p] = finished[p] + 4'd1;
      arriving[p] = arriving[p] + 3'd1;
    end
    if (hold[{p, 1'b0}] && vwr_ready_i[{p, 1'b0}][0]) begin
      hold[{p, 1'b0}] = 1'b0;
      if (closes[{p, 1'b0}]) sent[p][sender[{p, 1'b0}]] = 1'b1;
    end
    if (hold[{p, 1'b1}] && vwr_ready_i[{p, 1'b1}][0]) begin
      hold[{p, 1'b1}] = 1'b0;
      if (closes[{p, 1'b1}]) sent[p][sender[{p, 1'b1}]] = 1'b1;
    end
    // all rows are written and the last pass is through: completion
    if (finished[p] != '0 && room_i[p] && (!op_i[{p, entry[p]}].ctl.brings || sent[p][entry[p]])) begin
      done_valid[p] = 1'b1;
      done[p] = '{wave: op_i[{p, entry[p]}].wave, tag: op_i[{p, entry[p]}].tag};
      age = now - since[{p, entry[p]}] + 16'd1;
      rest[p] = age < 16'(Latency) ? 8'(16'(Latency) - age) : 8'd0;
      finished[p] = finished[p] - 4'd1;
      sent[p][entry[p]] = 1'b0;
      entry[p] = entry[p] + 3'd1;
    end
    if (some[{p, 1'b0}+:2] != '0) send_rows(p);
    else due[p] = '0;
    awake[p] = finished[p] != '0 || (some[{p, 1'b0}+:2] | hold[{p, 1'b0}+:2]) != '0;
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      done_valid = '0;
      popped = '0;
      fresh_row = '0;
      offered = '{default: '0};
      now = now + 16'd1;
      if (valid_i) begin
        since[{pair_i, enters[pair_i]}] = now;
        enters[pair_i] = enters[pair_i] + 3'd1;
      end
      if (group_valid_i != '0) begin
        store_group(group_valid_i[1]);
        group_mem[newest] <= group_i;
      end
      for (int unsigned p = 0; p < 2; p++) begin
        if (group_valid_i[p[0]] || final_i[p[0]] || awake[p[0]]) step(p[0]);
      end
      if (!rst_ni) begin
        for (int unsigned p = 0; p < 2; p++) begin
          {entry[p[0]], arriving[p[0]], finished[p[0]], sent[p[0]], due[p[0]], awake[p[0]]} = '0;
          enters[p[0]] = '0;
        end
        for (int unsigned k = 0; k < 4; k++) begin
          {read_at[k[1:0]], write_at[k[1:0]], beats[k[1:0]], row[k[1:0]], group[k[1:0]]} = '0;
        end
        {some, hold, done_valid, popped, now} = '0;
      end
      beats_q <= {beats[3], beats[2], beats[1], beats[0]};
      finished_q <= {finished[1], finished[0]};
      popped_o <= popped;
      vwr_valid_o <= hold;
      // one by one: the simulator would keep a table of what is written at an index
      if (fresh_row[0]) vwr0_o[0] <= offered[0];
      if (fresh_row[1]) vwr1_o[0] <= offered[1];
      if (fresh_row[2]) vwr2_o[0] <= offered[2];
      if (fresh_row[3]) vwr3_o[0] <= offered[3];
      done_valid_o <= done_valid;
      if (done_valid != '0) begin
        done_o <= done;
        rest_o <= rest;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  logic [3:0][37:0] row_of;  // of a SIMD's port: {tag, slot, row, lanes}
  assign row_of = {
      vwr3_o[0].tag, vwr3_o[0].slot, vwr3_o[0].row, vwr3_o[0].lanes,
      vwr2_o[0].tag, vwr2_o[0].slot, vwr2_o[0].row, vwr2_o[0].lanes,
      vwr1_o[0].tag, vwr1_o[0].slot, vwr1_o[0].row, vwr1_o[0].lanes,
      vwr0_o[0].tag, vwr0_o[0].slot, vwr0_o[0].row, vwr0_o[0].lanes
  };
  for (genvar p = 0; p < 2; p++) begin : gen_check_pair
    // complete once, and only after its last pass
    `STREAM_BOUND(a_inside, 8, valid_i && pair_i == 1'(p), done_valid_o[p])
    `STREAM_BOUND(a_through, 8, final_i[p], done_valid_o[p])
    `STREAM_ASSERT(a_finished, en_i, finished_q[p] <= 4'd8)
    // what has completed has no row on its way
    `STREAM_ASSERT(a_rows, vwr_valid_o[2*p+:2] != '0, a_inside_held != 0)
  end
  for (genvar t = 0; t < 4; t++) begin : gen_check_simd
    `STREAM_ASSERT(a_groups, en_i, beats_q[t] <= 4'd8)
    // a row stays until it is taken
    logic stays_q;
    logic [37:0] row_q;
    always_ff @(posedge clk_i) begin
      stays_q <= rst_ni && vwr_valid_o[t] && !vwr_ready_i[t][0];
      if (vwr_valid_o[t]) row_q <= row_of[t];
    end
    `STREAM_ASSERT(a_stays, stays_q, vwr_valid_o[t] && row_of[t] == row_q)
  end
endmodule
