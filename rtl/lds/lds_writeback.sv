// SPDX-License-Identifier: Apache-2.0
// Way of results from the LDS to the VGPRs of a pair of SIMDs: groups of 32 words wait in a memory of eight, one row of
// 16 lanes leaves in a cycle, and the pair's instructions complete in order, those without results too.  Responsible
// for: those, and telling the executor how many groups left.  Not responsible for: the values (lds_execute).
module lds_writeback
  import cu_pkg::*;
  import lds_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  lds_op_t            op_i[8],
  input  logic               group_valid_i,
  input  logic  [31:0][31:0] group_i,
  input  logic               final_i,
  output logic        [ 1:0] popped_o,
  output logic               vwr_valid_o,
  output vwr_req_t           vwr_o,
  input  logic               vwr_ready_i,
  output logic               done_valid_o,
  output wave_tag_t          done_o
);
  logic [31:0][31:0] group_mem[8];
  logic [3:0] stored;  // groups in the memory
  logic [3:0] finished;  // instructions that are through
  logic [2:0] entry, read_at, write_at, newest;
  logic [1:0] row;
  logic [3:0] group;
  logic hold, awake, brings, waits, emptied;
  logic [31:0][31:0] low, high;
  logic [15:0][31:0] out;
  logic [1:0] word, beat, row_end;
  /* verilator lint_off UNUSEDSIGNAL */
  lds_op_t op;
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off BLKSEQ */
  // Row of the oldest group: which word of its lanes, which beat.  Four words: two groups make the rows of a beat.
  task automatic send_row();
    low  = group_valid_i && newest == read_at ? group_i : group_mem[read_at];
    high = group_valid_i && newest == read_at + 3'd1 ? group_i : group_mem[read_at+3'd1];
    case (op.log_slots)
      2'd0: begin
        word = {1'b0, group[1]};
        beat = {group[0], row[0]};
        for (int unsigned l = 0; l < 16; l++) out[l[3:0]] = low[{row[0], l[3:0]}];
      end
      2'd1: begin
        word = {group[2], row[0]};
        beat = group[1:0];
        for (int unsigned l = 0; l < 16; l++) out[l[3:0]] = low[{l[3:0], row[0]}];
      end
      default: begin
        word = row;
        beat = group[2:1];
        for (int unsigned l = 0; l < 8; l++) out[l[3:0]] = low[{l[2:0], row}];
        for (int unsigned l = 0; l < 8; l++) out[l[3:0]+4'd8] = high[{l[2:0], row}];
      end
    endcase
    vwr_valid_o <= 1'b1;
    vwr_o <= '{
        simd: op.wave.simd,
        slot: op.wave.slot,
        tag: op.tag,
        row: {op.dst + 8'(word), beat},
        lanes: 16'(op.exec >> {beat, 4'd0}),
        data: out
    };
    hold = 1'b1;
  endtask

  always_ff @(posedge clk_i) begin
    if (group_valid_i || final_i || awake) begin
      awake = 1'b0;
      done_valid_o <= 1'b0;
      popped_o <= '0;
      if (group_valid_i) begin
        newest = write_at;
        group_mem[newest] <= group_i;
        write_at = write_at + 3'd1;
        stored = stored + 4'd1;
      end
      finished = finished + 4'(final_i);
      if (vwr_ready_i || !hold) begin
        if (hold) vwr_valid_o <= 1'b0;
        hold = 1'b0;
        op = op_i[entry];
        // all rows are written and the last pass is through: completion
        brings = op.results != '0 && op.exec != '0;
        waits = brings && !emptied;
        if (finished != '0 && !waits) begin
          done_valid_o <= 1'b1;
          done_o <= '{wave: op.wave, tag: op.tag};
          finished = finished - 4'd1;
          entry = entry + 3'd1;
          emptied = 1'b0;
          group = '0;
          op = op_i[entry];
          brings = op.results != '0 && op.exec != '0;
          awake = 1'b1;
        end
        if (brings && !emptied && stored > 4'(op.log_slots == 2'd2)) begin
          // 96 bits cost as much as 128
          if (op.log_slots != 2'd2 || 3'(row) < op.results) send_row();
          row_end = op.log_slots == 2'd2 ? 2'd3 : 2'd1;
          row = row + 2'd1;
          if (row - 2'd1 == row_end) begin
            row = '0;
            group = group + (op.log_slots == 2'd2 ? 4'd2 : 4'd1);
            emptied = group == (op.two ? 4'd4 : 4'd2) << op.log_slots;
            read_at = read_at + (op.log_slots == 2'd2 ? 3'd2 : 3'd1);
            stored = stored - (op.log_slots == 2'd2 ? 4'd2 : 4'd1);
            awake = 1'b1;
            popped_o <= op.log_slots == 2'd2 ? 2'd2 : 2'd1;
          end
        end
      end
      awake = awake || hold || finished != '0 || stored != '0;
    end
    if (!rst_ni) begin
      {stored, finished, read_at, write_at, entry, row, group, hold, awake, emptied} = '0;
      {vwr_valid_o, done_valid_o} <= '0;
      popped_o <= '0;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
