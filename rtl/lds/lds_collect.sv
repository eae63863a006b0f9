// SPDX-License-Identifier: Apache-2.0
// Operand collector of the LDS: takes instructions into four buffers and asks the VGPRs for one row of 16 lanes a
// cycle, first the address register, then the data registers.  Responsible for: the table of instructions under way,
// the read port, the report that all operands were read.  Not responsible for: keeping the rows (lds_execute).
module lds_collect
  import cu_pkg::*;
  import gcn3_pkg::*;
  import lds_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  lds_issue_t         issue_i,
  output logic               ready_o,         // an issue is taken in the next cycle
  output logic               opread_valid_o,
  output wave_tag_t          opread_o,
  output logic               reading_o,
  output logic         [1:0] reading_simd_o,
  output logic               vrd_valid_o,
  output vrd_req_t           vrd_o,
  output lds_capture_t       capture_o,
  output lds_op_t            op_o[4],         // of each buffer
  input  logic               retire_i,        // the oldest instruction has completed
  output logic               idle_o           // no instruction in any buffer
);
  logic awake, want_data, none, ready_q, idle_q;
  logic [1:0] buffer;
  logic [2:0] used;
  logic [4:0] rows_left;
  logic [1:0] row_word, row_beat;
  lds_capture_t capture;
  lds_op_t op;

  assign ready_o = ready_q && !valid_i;
  assign idle_o  = idle_q && !valid_i;

  /* verilator lint_off BLKSEQ */
  // The next row of the instruction whose operands are being read.
  task automatic request_row();
    reading_simd_o <= op.wave.simd;
    vrd_o.simd <= op.wave.simd;
    if (!want_data) vrd_o.row <= {op.addr, row_beat};
    else if (3'(row_word) < op.regs0) vrd_o.row <= {op.data0 + 8'(row_word), row_beat};
    else vrd_o.row <= {op.data1 + 8'(row_word) - 8'(op.regs0), row_beat};
    rows_left = rows_left - 5'd1;
    capture = '{
        valid: 1'b1,
        none: 1'b0,
        data: want_data,
        buffer: buffer,
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
    if (valid_i || retire_i || awake) begin
      awake = valid_i || rows_left != '0 || capture.valid || capture_o.valid;
      opread_valid_o <= capture_o.valid && capture_o.final_row;
      if (capture_o.valid) opread_o <= '{wave: op_o[capture_o.buffer].wave, tag: op_o[capture_o.buffer].tag};
      capture_o <= capture;
      capture.valid = 1'b0;
      if (retire_i) used = used - 3'd1;
      if (valid_i) begin
        op = prepare(issue_i);
        buffer = buffer + 2'd1;
        used = used + 3'd1;
        op_o[buffer] <= op;
        none = issue_i.exec == '0 || op.kind == KIND_NONE;
        want_data = 1'b0;
        row_word = '0;
        row_beat = '0;
        rows_left = none ? 5'd0 : {5'd1 + 5'(op.regs0) + 5'(op.regs1)} << 2;
        if (none) capture = '{valid: 1'b1, none: 1'b1, buffer: buffer, final_row: 1'b1, default: '0};
      end
      vrd_valid_o <= rows_left != '0;
      reading_o   <= rows_left != '0;
      if (rows_left != '0) request_row();
      ready_q <= rows_left <= 5'd1 && !used[2];
      idle_q  <= used == '0 && !awake;
    end
    if (!rst_ni) begin
      buffer = 2'd3;
      awake = 1'b0;
      used = '0;
      rows_left = '0;
      capture.valid = 1'b0;
      capture_o.valid <= 1'b0;
      {vrd_valid_o, reading_o, opread_valid_o} <= '0;
      ready_q <= 1'b1;
      idle_q  <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
