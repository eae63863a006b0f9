// SPDX-License-Identifier: Apache-2.0
// Operand collectors of the two pairs of SIMDs: each keeps up to eight instructions in the order of their issue and asks
// the VGPRs for their rows of 16 lanes, one a cycle, first the address register, then the data registers.  Responsible
// for: the table of instructions under way, room for their rows (of four at a time), the read ports, the report that all
// operands were read.  Not responsible for: keeping the rows (lds_execute), overflow (the front end counts what is
// inside).  Both pairs run through one text: the simulator has its code once.
`include "gantry_assert.svh"

module lds_collect
  import cu_pkg::*;
  import lds_pkg::*;
(
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               en_i,               // low: nothing to do in the whole LDS
  input  logic               valid_i,
  input  lds_issue_t         issue_i,
  output logic         [1:0] opread_valid_o,     // by pair, like all below with [2] or [1:0]
  output wave_tag_t          opread_o[2],
  output logic         [3:0] vrd_valid_o,        // by SIMD
  output vrd_req_t           vrd_o[2],
  output lds_capture_t [1:0] capture_o,
  output lds_op_t            op_o[16],           // {pair, entry}
  input  logic         [1:0] through_i,          // the banks are through with the oldest whose rows are kept
  input  logic         [1:0] retire_i,           // the oldest instruction has completed
  output logic               idle_o              // no instruction in the tables: lags one behind valid_i
);
  logic awake[2], accept[2], reads[2], opread_valid[2], shown[2], due[2], idle_q[2];
  logic [3:0] used[2], waiting[2];  // instructions in the table; of these, nothing was read
  logic [2:0] kept[2];  // instructions whose rows are kept
  logic [2:0] write_at[2], entry[2];
  logic [4:0] rows_left[2];
  logic want_data[2];
  logic [1:0] row_word[2], row_beat[2];
  logic [1:0] part[2];  // of the row on the port: a SIMD with fewer than 16 lanes reads it in `Parts` cycles
  lds_capture_t capture[2], on_port[2];
  wave_tag_t opread[2], due_tag[2];
  vrd_req_t vrd[2];
  /* verilator lint_off UNUSEDSIGNAL */
  lds_op_t op[2];  // the instruction whose rows are read
  /* verilator lint_on UNUSEDSIGNAL */
  logic [1:0][10:0] held_q;  // {kept, waiting, used}, for the assertions

  /* verilator lint_off BLKSEQ */
  task automatic start_reading(input logic p);
    logic none;
    entry[p] = entry[p] + 3'd1;
    waiting[p] = waiting[p] - 4'd1;
    kept[p] = kept[p] + 3'd1;
    op[p] = op_o[{p, entry[p]}];
    none = !op[p].ctl.active;
    want_data[p] = 1'b0;
    row_word[p] = '0;
    row_beat[p] = '0;
    rows_left[p] = none ? 5'd0 : {5'd1 + 5'(op[p].ctl.regs0) + 5'(op[p].ctl.regs1)} << 2;
    if (none) capture[p] = '{valid: 1'b1, none: 1'b1, entry: entry[p][1:0], final_row: 1'b1, default: '0};
  endtask

  // The next row of the instruction whose operands are being read.
  task automatic request_row(input logic p);
    vgpr_t register;
    register = !want_data[p] ? op[p].addr :
        3'(row_word[p]) < op[p].ctl.regs0 ? op[p].data0 + 8'(row_word[p]) :
        op[p].data1 + 8'(row_word[p]) - 8'(op[p].ctl.regs0);
    vrd[p] = '{simd: op[p].wave.simd, row: {register, row_beat[p]}};
    if (Parts > 1) part[p] = 2'((32'(part[p]) + 32'd1) % Parts);
    if (Parts == 1 || part[p] == 2'd0) next_row(p);
  endtask

  // Its row is complete one cycle after it was on the port.
  task automatic next_row(input logic p);
    rows_left[p] = rows_left[p] - 5'd1;
    capture[p] = '{
        valid: 1'b1,
        none: 1'b0,
        final_row: rows_left[p] == '0,
        simd: op[p].wave.simd,
        data: want_data[p],
        word: row_word[p],
        entry: entry[p][1:0],
        beat: row_beat[p]
    };
    row_beat[p] = row_beat[p] + 2'd1;
    if (row_beat[p] == '0) begin
      row_word[p]  = want_data[p] ? row_word[p] + 2'd1 : 2'd0;
      want_data[p] = 1'b1;
    end
  endtask

  // One cycle of a pair.  A row that is asked for (capture) is on its port in the next cycle (capture_o); one later its
  // instruction is reported as read if it was the last.
  task automatic step(input logic p);
    awake[p] = accept[p] || waiting[p] != '0 || rows_left[p] != '0 || capture[p].valid || shown[p];
    shown[p] = capture[p].valid;
    on_port[p] = capture[p];
    opread_valid[p] = due[p];
    if (due[p]) opread[p] = due_tag[p];
    due[p] = capture[p].valid && capture[p].final_row;
    if (due[p]) due_tag[p] = '{wave: op[p].wave, tag: op[p].tag};
    capture[p].valid = 1'b0;
    if (through_i[p]) kept[p] = kept[p] - 3'd1;
    if (retire_i[p]) used[p] = used[p] - 4'd1;
    if (rows_left[p] == '0 && waiting[p] != '0 && !kept[p][2]) start_reading(p);
    reads[p] = rows_left[p] != '0;
    if (reads[p]) request_row(p);
    if (accept[p]) begin
      write_at[p] = write_at[p] + 3'd1;
      used[p] = used[p] + 4'd1;
      waiting[p] = waiting[p] + 4'd1;
    end
    idle_q[p] = used[p] == '0 && !awake[p];
  endtask

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      accept[0] = valid_i && !issue_i.wave.simd[1];
      accept[1] = valid_i && issue_i.wave.simd[1];
      if (valid_i) op_o[{issue_i.wave.simd[1], write_at[issue_i.wave.simd[1]]}] <= prepare(issue_i);
      for (int unsigned p = 0; p < 2; p++) begin
        if (accept[p[0]] || through_i[p[0]] || retire_i[p[0]] || awake[p[0]]) step(p[0]);
      end
      if (!rst_ni) begin
        for (int unsigned p = 0; p < 2; p++) begin
          write_at[p[0]] = '0;
          entry[p[0]] = 3'd7;
          {used[p[0]], waiting[p[0]], kept[p[0]], rows_left[p[0]], part[p[0]]} = '0;
          capture[p[0]].valid = 1'b0;
          on_port[p[0]].valid = 1'b0;
          {awake[p[0]], reads[p[0]], opread_valid[p[0]], shown[p[0]], due[p[0]]} = '0;
          idle_q[p[0]] = 1'b1;
        end
      end
      capture_o <= {on_port[1], on_port[0]};
      opread_valid_o <= {opread_valid[1], opread_valid[0]};
      if (opread_valid[1] || opread_valid[0]) opread_o <= opread;
      vrd_valid_o <= {reads[1] && vrd[1].simd[0], reads[1] && !vrd[1].simd[0],
                      reads[0] && vrd[0].simd[0], reads[0] && !vrd[0].simd[0]};
      vrd_o <= vrd;
      idle_o <= idle_q[1] && idle_q[0];
      held_q <= {kept[1], waiting[1], used[1], kept[0], waiting[0], used[0]};
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  for (genvar p = 0; p < 2; p++) begin : gen_check_pair
    // the table has room, and what leaves it was in it
    `STREAM_BOUND(a_room, 8, valid_i && issue_i.wave.simd[1] == 1'(p), retire_i[p])
    // an instruction waits, or its rows are kept until the banks are through with it, or it waits for its results
    `STREAM_ASSERT(a_table, en_i, 32'(held_q[p][10:8]) <= 4 && 32'(held_q[p][10:8]) + 32'(held_q[p][7:4]) <=
                                  32'(held_q[p][3:0]) && 32'(held_q[p][3:0]) <= 8)
    // rows of four instructions at a time, and nothing is through before all of its rows were there
    `STREAM_BOUND(a_kept, 4, capture_o[p].valid && capture_o[p].final_row, through_i[p])
    // each instruction is told as read once, when its last row was on the port
    `STREAM_BOUND(a_read, 1, capture_o[p].valid && capture_o[p].final_row, opread_valid_o[p])
    // one instruction's rows after another's, in the order of issue
    logic [1:0] turn_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else if (capture_o[p].valid && capture_o[p].final_row) turn_q <= turn_q + 2'd1;
    end
    `STREAM_ASSERT(a_order, capture_o[p].valid, capture_o[p].entry == turn_q)
  end
endmodule
