// SPDX-License-Identifier: Apache-2.0
// Executor of the LDS: takes instructions in order and works in passes over groups of 32 words (32 lanes of one word,
// 16 of two, 8 of four) until every word of a group was served.  In a pass each bank serves one row; lanes of one
// word share it, an atomic serves the lowest lane of a bank.  Responsible for: operand rows, byte addresses, bounds,
// bank conflicts, the accesses themselves, lane exchange.  Not responsible for: contents (ram_banked), the way back to
// the VGPRs (lds_writeback).
//
// Pass (bank request leaves) -> banks -> words to their group or atomic units.  Atomics read what the two passes
// before wrote from a bypass, and nothing follows before their last write is on its way.  A group that brings results
// starts only when lds_writeback has room for it.
module lds_execute
  import cu_pkg::*;
  import gcn3_pkg::*;
  import lds_atomic_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see lds_unit
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  lds_capture_t       capture_i,
  input  logic        [31:0] vrd_data_i[4][16],
  input  lds_op_t            op_i[4],
  output logic        [31:0] re_o,
  output logic  [31:0][15:0] raddr_o,
  input  logic  [31:0][31:0] rdata_i[1],
  output logic   [3:0][31:0] we_o,             // by byte, by bank
  output logic  [31:0][15:0] waddr_o,
  output logic  [31:0][31:0] wdata_o,
  output logic               group_valid_o,
  output logic  [31:0][31:0] group_o,          // words of a group of an instruction that brings results
  output logic               final_o,          // an instruction is through: with its last group, if it has any
  input  logic        [ 1:0] popped_i,         // groups that left lds_writeback
  input  logic               obs_en_i,
  output logic               obs_valid_o,
  output wave_tag_t          obs_o,
  output logic               conflict_o
);
  // rows of 16 lanes: addresses {buffer, beat}, data {word, buffer, beat}
  logic [15:0][31:0] addr_mem[16], data_mem[64];
  logic [3:0] full;
  logic [1:0] buffer, hold;
  logic run, prepared, awake;
  logic [3:0] group, in_flight;
  // the group being served, and of the two passes under way
  logic [31:0] near[64], data[64], swap[65], pending, served, owner[33], wdata[33];
  logic [31:0] slot[32], give[32], more[32], slot1[32], give1[32], more1[32], slot2[32], give2[32], more2[32];
  logic [31:0] lane1[32], row1[32], re1, lane2[32], row2[32], re2, found[32], fetched[32], now[32];
  logic [31:0] by1_data[32], by1_row[32], by1_valid, by2_data[32], by2_row[32], by2_valid;
  lds_pass_t pass, pass1, pass2;
  // temporaries
  /* verilator lint_off UNUSEDSIGNAL */
  lds_op_t op;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0][31:0] row;
  logic [31:0][31:0] wide;
  logic [31:0][15:0] raddr;
  logic [31:0] re, we0, we1, we2, we3, effective, mask, value, offset, lanes, lane, bank, hit, want;
  logic [63:0] fresh;
  logic [1:0] beat;
  logic [3:0] groups, half;
  logic second, exchange, none;

  /* verilator lint_off BLKSEQ */
  `include "../lds/lds_execute_group.svh"
  `include "../lds/lds_execute_pass.svh"

  always_ff @(posedge clk_i) begin
    if (capture_i.valid || full != '0 || popped_i != '0 || awake) begin
      if (capture_i.valid) begin
        if (!capture_i.none) begin
          for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = vrd_data_i[capture_i.simd][l];
          if (capture_i.data) data_mem[{capture_i.word, capture_i.buffer, capture_i.beat}] <= row;
          else addr_mem[{capture_i.buffer, capture_i.beat}] <= row;
        end
        // the last row is in its memory in the next cycle, in time for the first pass
        if (capture_i.final_row) full[capture_i.buffer] = 1'b1;
      end
      in_flight = in_flight - {2'd0, popped_i};
      if (hold != '0) hold = hold - 2'd1;

      re = '0;
      {we0, we1, we2, we3} = '0;
      group_valid_o <= 1'b0;
      final_o <= 1'b0;
      obs_valid_o <= 1'b0;
      conflict_o <= 1'b0;
      if (pass2.valid) begin
        op = op_i[pass2.buffer];
        if (op.kind != KIND_NONE && op.kind != KIND_STORE) keep_results();
        final_o <= pass2.final_pass;
      end
      awake = pass2.valid;
      pass2 = pass1;
      if (pass1.valid) begin
        awake = 1'b1;
        op = op_i[pass1.buffer];
        if (pass1.first) begin
          slot2 = slot1;
          if (op.kind != KIND_LOAD) give2 = give1;
          if (op.kind == KIND_ATOMIC) more2 = more1;
        end
        if (op.kind == KIND_ATOMIC) begin
          lane2 = lane1;
          row2 = row1;
          re2 = re1;
        end
      end
      pass.valid = 1'b0;
      pass.last = 1'b0;
      pass.final_pass = 1'b0;
      served = '0;
      if (run && prepared) begin
        op = op_i[buffer];
        if (exchange) begin
          fetch_rows();
          exchange_lanes();
        end else if (pending != '0) begin
          serve();
        end
        finish_pass();
        pass1 = pass;
        re1 = re;
        pass.start = 1'b0;
        pass.first = 1'b0;
      end
      if (!run && hold == '0 && full[buffer]) begin
        op = op_i[buffer];
        exchange = op.kind >= KIND_SWIZZLE;
        none = op.exec == '0 || op.kind == KIND_NONE;
        if (!none) begin
          run = 1'b1;
          group = '0;
          pass.start = 1'b1;
        end else if (!pass.valid) begin  // nothing to do: keeps its place in the order
          pass = '{valid: 1'b1, start: 1'b1, final_pass: 1'b1, buffer: buffer, default: '0};
          pass1 = pass;
          re1 = '0;
          full[buffer] = 1'b0;
          buffer = buffer + 2'd1;
          obs_valid_o <= obs_en_i;
          if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag};
        end
      end
      if (run && !prepared && (in_flight != 4'd8 || op_i[buffer].results == '0)) begin
        op = op_i[buffer];
        pending = '0;
        if (!exchange) begin
          fetch_rows();
          prepare_group();
        end
        if (op.kind == KIND_STORE || op.kind == KIND_ATOMIC) order_operands();
        pass.first = 1'b1;
        prepared = 1'b1;
        if (op.results != '0) in_flight = in_flight + 4'd1;
      end
      pass1.valid = pass.valid;
      if (pass.valid || hold != '0) awake = 1'b1;
      re_o <= re;
      we_o <= {we3, we2, we1, we0};
    end
    if (!rst_ni) begin
      {full, run, prepared, hold, awake, in_flight} = '0;
      buffer = '0;
      pass1.valid = 1'b0;
      pass2.valid = 1'b0;
      {group_valid_o, final_o} <= '0;
      re_o <= '0;
      we_o <= '0;
      obs_valid_o <= 1'b0;
      conflict_o <= 1'b0;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
