// SPDX-License-Identifier: Apache-2.0
// Way of results from the LDS to the VGPRs of the two pairs of SIMDs: groups of 32 words wait in a memory of eight a
// pair, one row of 16 lanes a pair leaves in a cycle, and a pair's instructions complete in order, those without results
// too.  Responsible for: those, and telling the executor how many groups left.  Not responsible for: the values
// (lds_execute).  Both pairs run through one text: the simulator has its code once.
module lds_writeback
  import cu_pkg::*;
  import lds_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,              // low: nothing to do in the whole LDS
  input  lds_op_t            op_i[16],          // {pair, entry}
  input  logic        [ 1:0] group_valid_i,     // by pair, like all below with [2] or [1:0]; at most one
  input  logic  [31:0][31:0] group_i,
  input  logic        [ 1:0] final_i,
  output logic    [1:0][1:0] popped_o,
  output logic        [ 3:0] vwr_valid_o,       // by SIMD
  output vwr_req_t           vwr0_o,            // of pair 0
  output vwr_req_t           vwr1_o,
  /* verilator lint_off UNUSEDSIGNAL */
  input  logic        [ 1:0] vwr_ready_i[4],    // by SIMD: bit 0
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        [ 1:0] done_valid_o,
  output wave_tag_t          done_o[2]
);
  logic [31:0][31:0] group_mem[16];  // {pair, group}
  logic [3:0] stored[2];  // groups in the memory
  logic [3:0] finished[2];  // instructions that are through
  logic [2:0] entry[2], read_at[2], write_at[2];
  logic [1:0] row[2];
  logic [3:0] group[2];
  logic [1:0] simd[2];  // of the row that waits
  logic [1:0] popped[2];
  logic hold[2], awake[2], emptied[2], done_valid[2];
  wave_tag_t done[2];
  // temporaries
  logic fresh;  // group_i is the newest group, not yet in the memory
  logic [2:0] newest;
  logic [31:0][31:0] low, high;
  logic [31:0] out[16];
  vwr_req_t vwr;

  /* verilator lint_off BLKSEQ */
  // Row of the oldest group: which word of its lanes, which beat.  Four words: two groups make the rows of a beat.
  task automatic send_row(input logic p);
    logic [1:0] word, beat;
    if (fresh && newest == read_at[p]) low = group_i;
    else low = group_mem[{p, read_at[p]}];
    case (op_i[{p, entry[p]}].ctl.log_slots)
      2'd0: begin
        word = {1'b0, group[p][1]};
        beat = {group[p][0], row[p][0]};
        for (int unsigned l = 0; l < 16; l++) out[l] = low[{row[p][0], l[3:0]}];
      end
      2'd1: begin
        word = {group[p][2], row[p][0]};
        beat = group[p][1:0];
        for (int unsigned l = 0; l < 16; l++) out[l] = low[{l[3:0], row[p][0]}];
      end
      default: begin
        if (fresh && newest == read_at[p] + 3'd1) high = group_i;
        else high = group_mem[{p, read_at[p] + 3'd1}];
        word = row[p];
        beat = group[p][2:1];
        for (int unsigned l = 0; l < 8; l++) out[l] = low[{l[2:0], row[p]}];
        for (int unsigned l = 0; l < 8; l++) out[l+32'd8] = high[{l[2:0], row[p]}];
      end
    endcase
    simd[p] = op_i[{p, entry[p]}].wave.simd;
    vwr = '{
        simd: simd[p],
        slot: op_i[{p, entry[p]}].wave.slot,
        tag: op_i[{p, entry[p]}].tag,
        row: {op_i[{p, entry[p]}].dst + 8'(word), beat},
        lanes: 16'(op_i[{p, entry[p]}].exec >> {beat, 4'd0}),
        data: {
            out[15], out[14], out[13], out[12], out[11], out[10], out[9], out[8],
            out[7], out[6], out[5], out[4], out[3], out[2], out[1], out[0]
        }
    };
    if (p) vwr1_o <= vwr;
    else vwr0_o <= vwr;
    hold[p] = 1'b1;
  endtask

  // One cycle of a pair.
  task automatic step(input logic p);
    /* verilator lint_off UNUSEDSIGNAL */
    lds_ctl_t ctl;  // of the oldest instruction
    /* verilator lint_on UNUSEDSIGNAL */
    logic [2:0] together;
    awake[p] = 1'b0;
    done_valid[p] = 1'b0;
    popped[p] = '0;
    fresh = group_valid_i[p];
    if (fresh) begin
      newest = write_at[p];
      write_at[p] = write_at[p] + 3'd1;
      stored[p] = stored[p] + 4'd1;
    end
    finished[p] = finished[p] + 4'(final_i[p]);
    if (!hold[p] || vwr_ready_i[simd[p]][0]) begin
      hold[p] = 1'b0;
      ctl = op_i[{p, entry[p]}].ctl;
      // all rows are written and the last pass is through: completion
      if (finished[p] != '0 && (!ctl.brings || emptied[p])) begin
        done_valid[p] = 1'b1;
        done[p] = '{wave: op_i[{p, entry[p]}].wave, tag: op_i[{p, entry[p]}].tag};
        finished[p] = finished[p] - 4'd1;
        entry[p] = entry[p] + 3'd1;
        emptied[p] = 1'b0;
        group[p] = '0;
        ctl = op_i[{p, entry[p]}].ctl;
        awake[p] = 1'b1;
      end
      together = ctl.log_slots == 2'd2 ? 3'd2 : 3'd1;  // groups that leave at once
      if (ctl.brings && !emptied[p] && stored[p] >= {1'b0, together}) begin
        // 96 bits cost as much as 128
        if (ctl.log_slots != 2'd2 || 3'(row[p]) < ctl.results) send_row(p);
        row[p] = row[p] + 2'd1;
        if (row[p] == {together[0], 1'b0}) begin
          row[p] = '0;
          group[p] = group[p] + {1'b0, together};
          emptied[p] = group[p] == (ctl.two ? 4'd4 : 4'd2) << ctl.log_slots;
          read_at[p] = read_at[p] + together;
          stored[p] = stored[p] - {1'b0, together};
          awake[p] = 1'b1;
          popped[p] = together[1:0];
        end
      end
    end
    awake[p] = awake[p] || hold[p] || finished[p] != '0 || stored[p] != '0;
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      if (group_valid_i != '0) group_mem[{group_valid_i[1], write_at[group_valid_i[1]]}] <= group_i;
      for (int unsigned p = 0; p < 2; p++) begin
        if (group_valid_i[p[0]] || final_i[p[0]] || awake[p[0]]) step(p[0]);
      end
      if (!rst_ni) begin
        for (int unsigned p = 0; p < 2; p++) begin
          {stored[p[0]], finished[p[0]], read_at[p[0]], write_at[p[0]], entry[p[0]]} = '0;
          {row[p[0]], group[p[0]], popped[p[0]]} = '0;
          {hold[p[0]], awake[p[0]], emptied[p[0]], done_valid[p[0]]} = '0;
        end
      end
      popped_o <= {popped[1], popped[0]};
      vwr_valid_o <= {hold[1] && simd[1][0], hold[1] && !simd[1][0], hold[0] && simd[0][0], hold[0] && !simd[0][0]};
      done_valid_o <= {done_valid[1], done_valid[0]};
      if (done_valid[1] || done_valid[0]) done_o <= done;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
