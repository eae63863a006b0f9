// SPDX-License-Identifier: Apache-2.0
// Operand collector of a pair of SIMDs: keeps up to eight instructions in the order of their issue and asks the VGPRs
// for their rows of 16 lanes, one a cycle, first the address register, then the data registers.  Responsible for: the
// table of instructions under way, room for their rows (of four at a time), the read port, the report that all operands
// were read.  Not responsible for: keeping the rows (lds_execute), overflow (the front end counts what is inside).
`include "gantry_assert.svh"

module lds_collect
  import cu_pkg::*;
  import gcn3_pkg::*;
  import lds_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  lds_issue_t         issue_i,
  output logic               opread_valid_o,
  output wave_tag_t          opread_o,
  output logic               vrd_valid_o,
  output vrd_req_t           vrd_o,
  output lds_capture_t       capture_o,
  output lds_op_t            op_o[8],
  input  logic               through_i,       // the banks are through with the oldest instruction whose rows are kept
  input  logic               retire_i,        // the oldest instruction has completed
  output logic               idle_o           // no instruction in the table
);
  logic awake, want_data, none, idle_q;
  /* verilator lint_off UNUSEDSIGNAL */
  logic full_q;  // for the assertion
  /* verilator lint_on UNUSEDSIGNAL */
  logic [3:0] used, waiting;  // instructions in the table; of these, nothing was read
  logic [2:0] kept;  // instructions whose rows are kept
  logic [2:0] write_at, entry;
  logic [4:0] rows_left;
  logic [1:0] row_word, row_beat;
  lds_capture_t capture;
  /* verilator lint_off UNUSEDSIGNAL */
  lds_op_t op;  // the instruction whose rows are read
  /* verilator lint_on UNUSEDSIGNAL */

  assign idle_o = idle_q && !valid_i;

  /* verilator lint_off BLKSEQ */
  task automatic start_reading();
    entry = entry + 3'd1;
    waiting = waiting - 4'd1;
    kept = kept + 3'd1;
    op = op_o[entry];
    none = op.exec == '0 || op.kind == KIND_NONE;
    want_data = 1'b0;
    row_word = '0;
    row_beat = '0;
    rows_left = none ? 5'd0 : {5'd1 + 5'(op.regs0) + 5'(op.regs1)} << 2;
    if (none) capture = '{valid: 1'b1, none: 1'b1, entry: entry, final_row: 1'b1, default: '0};
  endtask

  // The next row of the instruction whose operands are being read.
  task automatic request_row();
    vrd_o.simd <= op.wave.simd;
    if (!want_data) vrd_o.row <= {op.addr, row_beat};
    else if (3'(row_word) < op.regs0) vrd_o.row <= {op.data0 + 8'(row_word), row_beat};
    else vrd_o.row <= {op.data1 + 8'(row_word) - 8'(op.regs0), row_beat};
    rows_left = rows_left - 5'd1;
    capture = '{
        valid: 1'b1,
        none: 1'b0,
        data: want_data,
        entry: entry,
        simd: op.wave.simd,
        word: row_word,
        beat: row_beat,
        final_row: rows_left == '0
    };
    row_beat = row_beat + 2'd1;
    if (row_beat == '0) begin
      row_word  = want_data ? row_word + 2'd1 : 2'd0;
      want_data = 1'b1;
    end
  endtask

  always_ff @(posedge clk_i) begin
    if (valid_i || through_i || retire_i || awake) begin
      awake = valid_i || waiting != '0 || rows_left != '0 || capture.valid || capture_o.valid;
      opread_valid_o <= capture_o.valid && capture_o.final_row;
      if (capture_o.valid) opread_o <= '{wave: op_o[capture_o.entry].wave, tag: op_o[capture_o.entry].tag};
      capture_o <= capture;
      capture.valid = 1'b0;
      if (through_i) kept = kept - 3'd1;
      if (retire_i) used = used - 4'd1;
      if (rows_left == '0 && waiting != '0 && !kept[2]) start_reading();
      vrd_valid_o <= rows_left != '0;
      if (rows_left != '0) request_row();
      if (valid_i) begin
        op_o[write_at] <= prepare(issue_i);
        write_at = write_at + 3'd1;
        used = used + 4'd1;
        waiting = waiting + 4'd1;
      end
      full_q <= used[3];
      idle_q <= used == '0 && !awake;
    end
    if (!rst_ni) begin
      write_at = '0;
      entry = 3'd7;
      awake = 1'b0;
      {used, waiting, kept, rows_left} = '0;
      capture.valid = 1'b0;
      capture_o.valid <= 1'b0;
      {vrd_valid_o, opread_valid_o} <= '0;
      full_q <= 1'b0;
      idle_q <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(valid_i, !full_q))
endmodule
