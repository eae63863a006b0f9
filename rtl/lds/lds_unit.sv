// SPDX-License-Identifier: Apache-2.0
// The LDS of a CU: 64 KiB in 32 banks.  Responsible for: reading operands of DS instructions from the VGPRs, bank
// conflicts, the accesses themselves in order, 32- and 64-bit atomics, permutes, writing results, completion for
// lgkmcnt.  Not responsible for: allocation (the issue record names base and size), barriers, flat access.
//
// Three engines pass four buffers round: the collector reads one row of 16 lanes a cycle (addresses, then data), the
// executor works in passes over groups of 32 words (32 lanes of one word, 16 of two, 8 of four) until every word of
// the group was served, the writer returns one row a cycle.  So the costs of an instruction are those of its rows and
// its conflicts.  In a pass each bank serves one row; lanes of the same word share it, an atomic serves the lowest
// lane.  Pass -> bank request (1) -> bank data (2) -> results; atomics write back from there with two levels of
// bypass, and the executor drains after them.
`include "gantry_assert.svh"

module lds_unit
  import cu_pkg::*;
  import gcn3_pkg::*;
  import lds_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  parameter bit [3:0] SeedFault = 4'd0  // bench only: 1 lane order of atomics, 2 conflict ignored, 3 bounds ignored
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              valid_i,
  input  lds_issue_t        issue_i,
  output logic              ready_o,        // an issue is taken in the next cycle
  output logic              opread_valid_o,
  output wave_tag_t         opread_o,
  output logic              reading_o,
  output logic       [ 1:0] reading_simd_o,
  output logic              vrd_valid_o,
  output vrd_req_t          vrd_o,
  input  logic       [31:0] vrd_data_i[4][16],
  output logic              vwr_valid_o,
  output vwr_req_t          vwr_o,
  input  logic              vwr_ready_i,
  output logic              done_valid_o,
  output mem_done_t         done_o,
  input  logic              obs_en_i,
  output logic              obs_valid_o,
  output wave_tag_t         obs_o,          // executed now: order between instructions
  output logic              perf_conflict_o,  // a pass beyond the first of its group
  output logic              idle_o
);
  localparam int unsigned Rows = Bytes / 128;

  typedef struct packed {
    logic valid;
    logic none;  // instruction without rows
    logic data;  // else address
    logic [1:0] buffer;
    logic [1:0] simd;
    logic [1:0] word;
    logic [1:0] beat;
    logic final_row;
  } capture_t;
  typedef struct packed {
    logic valid;
    logic first;  // first pass of its group
    logic final_pass;  // of its instruction
    logic [1:0] buffer;
    logic [2:0] group;
    logic [31:0] served;
  } pass_t;

  // operand and result buffers: {buffer, lane}, {buffer, word, lane}
  logic [31:0] address[256], operand[1024], result[1024];
  lds_op_t op_q[4];  // of each buffer
  logic [3:0] used, full, wb_full;  // taken (issue to completion), operands there, results there
  // collector
  logic [1:0] collect_buf, exec_buf, wb_buf;
  logic want_data, collect_none, none;
  logic [4:0] rows_left;
  logic [1:0] row_word, row_beat;
  capture_t cap0, cap1;
  // executor
  logic run, prepared, hold;
  logic [2:0] group;
  logic [31:0] pending, served, one, hit, bank;
  logic [31:0] slot[32], slot1[32], slot2[32], owner[32];
  logic [31:0] word_offset[4], lane, effective, mask, value, dst_lane, old_low, old_high;
  logic [63:0] fresh;
  pass_t pass0, pass1, pass2;
  // bypass of atomics
  logic [31:0] by1_data[32], by2_data[32], by1_row[32], by2_row[32], by1_valid, by2_valid;
  logic [31:0] now_data[32], now_row[32], now_valid;
  // writer
  logic wb_hold;
  logic [4:0] wb_row;
  // temporaries
  /* verilator lint_off UNUSEDSIGNAL */
  lds_op_t op;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [31:0] re, we0, we1, we2, we3;
  logic [31:0][31:0] raddr, waddr, wdata;
  logic [15:0][31:0] out_row;
  logic wrote, ready_q, idle_q;

  logic [31:0] bank_re_q;
  logic [31:0][31:0] bank_raddr_q, bank_waddr_q, bank_wdata_q, bank_rdata;
  logic [3:0][31:0] bank_we_q;

  ram_banked #(
    .Rows(Rows)
  ) u_banks (
    .clk_i,
    .re_i   (bank_re_q),
    .raddr_i(bank_raddr_q),
    .rdata_o(bank_rdata),
    .we_i   (bank_we_q),
    .waddr_i(bank_waddr_q),
    .wdata_i(bank_wdata_q)
  );

  assign ready_o = ready_q && !valid_i;
  assign idle_o  = idle_q && !valid_i;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    // ---------------- writer: rows of finished instructions, then completion, in order
    if (done_valid_o) done_valid_o <= 1'b0;
    if (wb_full != '0 && (vwr_ready_i || !wb_hold)) begin
      if (wb_hold) vwr_valid_o <= 1'b0;
      wb_hold = 1'b0;
      op = op_q[wb_buf];
      if (wb_row == {op.results, 2'd0} || op.exec == '0) begin
        wb_full[wb_buf] = 1'b0;
        used[wb_buf] = 1'b0;
        wb_buf = wb_buf + 2'd1;
        wb_row = '0;
        done_valid_o <= 1'b1;
        done_o <= '{wave: op.wave, tag: op.tag, vm: 1'b0, lgkm: 1'b1, status: '0, va: '0};
      end
      if (wb_full[wb_buf]) begin
        op = op_q[wb_buf];
        if (wb_row != {op.results, 2'd0} && op.exec != '0) begin
          for (int unsigned l = 0; l < 16; l++) begin
            out_row[l[3:0]] = result[{22'd0, wb_buf, wb_row[3:2], wb_row[1:0], l[3:0]}];
          end
          vwr_o <= '{
              simd: op.wave.simd,
              slot: op.wave.slot,
              tag: op.tag,
              row: {op.dst + 8'(wb_row[4:2]), wb_row[1:0]},
              lanes: op.exec[{wb_row[1:0], 4'd0}+:16],
              data: out_row
          };
          vwr_valid_o <= 1'b1;
          wb_hold = 1'b1;
          wb_row = wb_row + 5'd1;
        end
      end
    end

    // ---------------- bank data are here: results, atomics
    we0 = '0;
    we1 = '0;
    we2 = '0;
    we3 = '0;
    if (pass2.valid) begin
      op = op_q[pass2.buffer];
      case (op.kind)
        KIND_LOAD: begin
          for (int unsigned s = 0; s < 32; s++) begin
            lane = ({29'd0, pass2.group} << (3'd5 - 3'(op.log_slots))) + (s >> op.log_slots);
            bank = (slot2[s] >> 2) & 32'd31;
            dst_lane = ({30'd0, pass2.buffer} << 8) + ((s & ((32'd1 << op.log_slots) - 32'd1)) << 6) + lane;
            value = bank_rdata[bank[4:0]];
            value = op.bytes < 5'd4 ? cut(value, slot2[s][1:0], op.bytes[1], op.sext) : value;
            value = pass2.served[s] ? value : pass2.first ? 32'd0 : result[dst_lane];
            result[dst_lane] = value;
          end
        end
        KIND_ATOMIC: begin
          now_valid = '0;
          if (op.bytes == 5'd8 || op.atomic == MEMOP_CONDXCHG) begin
            for (int unsigned s = 0; s < 32; s += 2) begin
              lane = ({29'd0, pass2.group} << (3'd5 - 3'(op.log_slots))) + (s >> op.log_slots);
              bank = (slot2[s] >> 2) & 32'd30;
              dst_lane = ({30'd0, pass2.buffer} << 8) + ((s & ((32'd1 << op.log_slots) - 32'd1)) << 6) + lane;
              value = slot2[s] >> 7;
              old_low = by2_valid[bank[4:0]] && by2_row[bank] == value ? by2_data[bank] : bank_rdata[bank[4:0]];
              old_low = by1_valid[bank[4:0]] && by1_row[bank] == value ? by1_data[bank] : old_low;
              bank = bank | 32'd1;
              old_high = by2_valid[bank[4:0]] && by2_row[bank] == value ? by2_data[bank] : bank_rdata[bank[4:0]];
              old_high = by1_valid[bank[4:0]] && by1_row[bank] == value ? by1_data[bank] : old_high;
              fresh = atomic64(op.atomic, {old_high, old_low}, {operand[dst_lane+32'd64], operand[dst_lane]},
                               {operand[(dst_lane+32'd192)&32'd1023], operand[(dst_lane+32'd128)&32'd1023]});
              if (pass2.served[s]) begin
                now_data[bank-32'd1] = fresh[31:0];
                now_data[bank] = fresh[63:32];
                now_row[bank-32'd1] = value;
                now_row[bank] = value;
                now_valid = now_valid | (32'd3 << (bank - 32'd1));
                result[dst_lane] = old_low;
                result[dst_lane+32'd64] = old_high;
              end else if (pass2.first) begin
                result[dst_lane] = '0;
                result[dst_lane+32'd64] = '0;
              end
            end
          end else begin
            for (int unsigned s = 0; s < 32; s++) begin
              lane = ({29'd0, pass2.group} << (3'd5 - 3'(op.log_slots))) + (s >> op.log_slots);
              bank = (slot2[s] >> 2) & 32'd31;
              dst_lane = ({30'd0, pass2.buffer} << 8) + ((s & ((32'd1 << op.log_slots) - 32'd1)) << 6) + lane;
              value = slot2[s] >> 7;
              old_low = by2_valid[bank[4:0]] && by2_row[bank] == value ? by2_data[bank] : bank_rdata[bank[4:0]];
              old_low = by1_valid[bank[4:0]] && by1_row[bank] == value ? by1_data[bank] : old_low;
              if (pass2.served[s]) begin
                now_data[bank] = atomic32(op.atomic, old_low, operand[dst_lane], operand[(dst_lane+32'd64)&32'd1023]);
                now_row[bank] = value;
                now_valid = now_valid | (32'd1 << bank);
                result[dst_lane] = old_low;
              end else if (pass2.first) begin
                result[dst_lane] = '0;
              end
            end
          end
          for (int unsigned b = 0; b < 32; b++) begin
            waddr[b[4:0]] = now_row[b];
            wdata[b[4:0]] = now_data[b];
          end
          we0 = now_valid;
          we1 = now_valid;
          we2 = now_valid;
          we3 = now_valid;
          by2_data = by1_data;
          by2_row = by1_row;
          by2_valid = by1_valid;
          by1_data = now_data;
          by1_row = now_row;
          by1_valid = now_valid;
        end
        KIND_BPERMUTE, KIND_SWIZZLE: begin
          for (int unsigned s = 0; s < 32; s++) begin
            lane = ({29'd0, pass2.group} << 5) + s;
            if (op.kind == KIND_SWIZZLE) begin
              value = swizzle(lane, op.offset0);
              value = op.exec[value[5:0]] ? address[{24'd0, pass2.buffer, value[5:0]}] : 32'd0;
            end else begin
              value = (address[{24'd0, pass2.buffer, lane[5:0]}] + op.offset0) >> 2;
              value = op.exec[value[5:0]] ? operand[{22'd0, pass2.buffer, 2'd0, value[5:0]}] : 32'd0;
            end
            result[{22'd0, pass2.buffer, 2'd0, lane[5:0]}] = value;
          end
        end
        KIND_PERMUTE: begin
          if (pass2.group == '0) begin
            for (int unsigned l = 0; l < 64; l++) result[{22'd0, pass2.buffer, 2'd0, l[5:0]}] = '0;
          end
          for (int unsigned s = 0; s < 32; s++) begin
            lane = ({29'd0, pass2.group} << 5) + s;
            value = (address[{24'd0, pass2.buffer, lane[5:0]}] + op.offset0) >> 2;
            if (op.exec[lane[5:0]]) begin
              result[{22'd0, pass2.buffer, 2'd0, value[5:0]}] = operand[{22'd0, pass2.buffer, 2'd0, lane[5:0]}];
            end
          end
        end
        default: ;
      endcase
      if (pass2.final_pass) begin
        wb_full[pass2.buffer] = 1'b1;
        hold = 1'b0;
      end
    end
    pass2.valid = pass1.valid;
    if (pass1.valid) begin
      pass2 = pass1;
      slot2 = slot1;
    end

    // ---------------- executor: one pass over the pending words of a group
    pass1.valid = 1'b0;
    re = '0;
    obs_valid_o <= 1'b0;
    perf_conflict_o <= 1'b0;
    if (run && prepared) begin
      op = op_q[exec_buf];
      served = '0;
      for (int unsigned i = 0; i < 32; i++) begin  // the lowest pending word of a bank names its row
        bank = (slot[31-i] >> 2) & 32'd31;
        value = op.kind == KIND_ATOMIC && SeedFault != 4'd1 ? 32'd31 - i : slot[31-i] >> 7;
        owner[bank] = pending[31-i] ? value : owner[bank];
      end
      if (op.kind == KIND_ATOMIC && SeedFault != 4'd1) begin
        for (int unsigned s = 0; s < 32; s++) begin
          bank = (slot[s] >> 2) & 32'd31;
          hit = 32'(pending[s] && owner[bank] == s);
          raddr[bank[4:0]] = hit[0] ? slot[s] >> 7 : raddr[bank[4:0]];
          re = re | (hit << bank);
          served = served | (hit << s);
        end
      end else if (op.kind == KIND_LOAD || op.kind == KIND_ATOMIC) begin
        for (int unsigned s = 0; s < 32; s++) begin
          bank = (slot[s] >> 2) & 32'd31;
          hit = 32'(pending[s] && (owner[bank] == slot[s] >> 7 || SeedFault == 4'd2));
          re = re | (hit << bank);
          served = served | (hit << s);
        end
        for (int unsigned b = 0; b < 32; b++) raddr[b[4:0]] = owner[b];
      end else if (op.kind == KIND_STORE) begin
        for (int unsigned s = 0; s < 32; s++) begin
          lane = ({29'd0, group} << (3'd5 - 3'(op.log_slots))) + (s >> op.log_slots);
          bank = (slot[s] >> 2) & 32'd31;
          hit = 32'(pending[s] && (owner[bank] == slot[s] >> 7 || SeedFault == 4'd2));
          value = operand[({30'd0, exec_buf}<<8)+((s&((32'd1<<op.log_slots)-32'd1))<<6)+lane];
          mask = 32'hffffffff;
          if (op.bytes < 5'd4) begin
            mask = (op.bytes[1] ? 32'h0000ffff : 32'h000000ff) << {slot[s][1:0], 3'd0};
            value = value << {slot[s][1:0], 3'd0};
          end
          mask = hit[0] ? mask : 32'd0;
          wdata[bank[4:0]] = (wdata[bank[4:0]] & ~mask) | (value & mask);
          we0 = we0 | (32'(mask[0]) << bank);
          we1 = we1 | (32'(mask[8]) << bank);
          we2 = we2 | (32'(mask[16]) << bank);
          we3 = we3 | (32'(mask[24]) << bank);
          served = served | (hit << s);
        end
        for (int unsigned b = 0; b < 32; b++) waddr[b[4:0]] = owner[b];
      end else begin
        served = pending;
      end
      pass0.served = served;
      pass0.buffer = exec_buf;
      pass0.group = group;
      pending = pending & ~served;
      obs_valid_o <= obs_en_i && pass0.first && group == '0;
      if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag};
      perf_conflict_o <= !pass0.first;
      pass0.final_pass = 1'b0;
      if (pending == '0) begin
        prepared = 1'b0;
        if (32'(group) == (32'd2 << op.log_slots) - 32'd1) begin
          pass0.final_pass = 1'b1;
          run = 1'b0;
          hold = op.kind == KIND_ATOMIC;
          full[exec_buf] = 1'b0;  // operands stay until the final pass has gone through
          exec_buf = exec_buf + 2'd1;
        end
        group = group + 3'd1;
      end
      pass0.valid = 1'b1;
      pass1 = pass0;
      slot1 = slot;
      pass0.first = 1'b0;
    end
    none = op_q[exec_buf].exec == '0 || op_q[exec_buf].kind == KIND_NONE;
    if (!run && !hold && full[exec_buf] && !(none && pass1.valid)) begin
      op = op_q[exec_buf];
      if (none) begin  // nothing to do: keeps its place in the order
        pass1 = '{valid: 1'b1, first: 1'b0, final_pass: 1'b1, buffer: exec_buf, group: '0, served: '0};
        full[exec_buf] = 1'b0;
        exec_buf = exec_buf + 2'd1;
        obs_valid_o <= obs_en_i;
        if (obs_en_i) obs_o <= '{wave: op.wave, tag: op.tag};
      end else begin
        run = 1'b1;
        group = '0;
        by1_valid = '0;
        by2_valid = '0;
        word_offset[0] = op.offset0;
        word_offset[1] = op.two ? (op.bytes == 5'd8 ? op.offset0 : op.offset1) : op.offset0;
        word_offset[2] = op.two ? op.offset1 : op.offset0;
        word_offset[3] = word_offset[2];
      end
    end
    if (run && !prepared) begin  // words of the group: effective addresses, bounds
      op = op_q[exec_buf];
      pending = '0;
      mask = op.bytes == 5'd1 ? 32'hffffffff : op.bytes == 5'd2 ? 32'hfffffffe :
             op.bytes == 5'd8 && op.kind == KIND_ATOMIC ? 32'hfffffff8 : 32'hfffffffc;
      for (int unsigned s = 0; s < 32; s++) begin
        lane = ({29'd0, group} << (3'd5 - 3'(op.log_slots))) + (s >> op.log_slots);
        value = s & ((32'd1 << op.log_slots) - 32'd1);
        effective = (address[{24'd0, exec_buf, lane[5:0]}] + word_offset[value[1:0]]) & mask;
        one = 32'(op.exec[lane[5:0]] && op.limit_ok && (effective <= 32'(op.last) || SeedFault == 4'd3) &&
                  value < 32'(op.slots));
        value = op.two ? (op.bytes == 5'd8 ? value & 32'd1 : 32'd0) : value;
        slot[s] = (effective + 32'(op.base) + (value << 2)) & (Bytes - 32'd1);
        pending = pending | (one << s);
      end
      if (op.kind >= KIND_SWIZZLE) pending = '0;
      pass0.first = 1'b1;
      prepared = 1'b1;
    end

    // ---------------- bank ports
    if (re != '0 || bank_re_q != '0) bank_re_q <= re;
    if (re != '0) bank_raddr_q <= raddr;
    if ((we0 | we1 | we2 | we3) != '0 || wrote) begin
      bank_we_q <= {we3, we2, we1, we0};
      bank_waddr_q <= waddr;
      bank_wdata_q <= wdata;
      wrote = (we0 | we1 | we2 | we3) != '0;
    end

    // ---------------- collector: captured rows
    opread_valid_o <= 1'b0;
    if (cap1.valid) begin
      if (cap1.none) begin
        // no rows: only its place in the order
      end else if (cap1.data) begin
        for (int unsigned l = 0; l < 16; l++) begin
          operand[{22'd0, cap1.buffer, cap1.word, cap1.beat, l[3:0]}] = vrd_data_i[cap1.simd][l];
        end
      end else begin
        for (int unsigned l = 0; l < 16; l++) begin
          address[{24'd0, cap1.buffer, cap1.beat, l[3:0]}] = vrd_data_i[cap1.simd][l];
        end
      end
      if (cap1.final_row) begin
        opread_valid_o <= 1'b1;
        opread_o <= '{wave: op_q[cap1.buffer].wave, tag: op_q[cap1.buffer].tag};
      end
    end
    cap1 = cap0;
    cap0.valid = 1'b0;
    // the last row arrives at the next edge, in time for the first pass
    if (cap1.valid && cap1.final_row) full[cap1.buffer] = 1'b1;
    // a new instruction
    if (valid_i) begin
      collect_buf = collect_buf + 2'd1;
      used[collect_buf] = 1'b1;
      op_q[collect_buf] = prepare(issue_i);
      collect_none = issue_i.exec == '0 || op_q[collect_buf].kind == KIND_NONE;
      want_data = 1'b0;
      row_word = '0;
      row_beat = '0;
      rows_left = collect_none ? 5'd0 : {5'd1 + 5'(op_q[collect_buf].regs0) + 5'(op_q[collect_buf].regs1)} << 2;
      if (collect_none) begin
        cap0 = '{valid: 1'b1, none: 1'b1, buffer: collect_buf, final_row: 1'b1, default: '0};
      end
    end
    // row requests
    vrd_valid_o <= rows_left != '0;
    reading_o   <= rows_left != '0;
    if (rows_left != '0) begin
      op = op_q[collect_buf];
      reading_simd_o <= op.wave.simd;
      vrd_o.simd <= op.wave.simd;
      if (!want_data) vrd_o.row <= {op.addr, row_beat};
      else if (3'(row_word) < op.regs0) vrd_o.row <= {op.data0 + 8'(row_word), row_beat};
      else vrd_o.row <= {op.data1 + 8'(row_word) - 8'(op.regs0), row_beat};
      rows_left = rows_left - 5'd1;
      cap0 = '{
          valid: 1'b1,
          none: 1'b0,
          data: want_data,
          buffer: collect_buf,
          simd: op.wave.simd,
          word: row_word,
          beat: row_beat,
          final_row: rows_left == '0
      };
      row_beat = row_beat + 2'd1;
      if (row_beat == '0) begin
        row_word = want_data ? row_word + 2'd1 : 2'd0;
        want_data = 1'b1;
      end
    end
    ready_q <= rows_left <= 5'd1 && !used[collect_buf+2'd1];
    idle_q  <= used == '0 && !wrote && !cap0.valid && !cap1.valid;

    if (!rst_ni) begin
      {wb_full, used, full} = '0;
      {wb_buf, exec_buf, run, prepared, hold, wb_hold, wrote} = '0;
      collect_buf = 2'd3;
      rows_left = '0;
      wb_row = '0;
      cap0.valid = 1'b0;
      cap1.valid = 1'b0;
      pass1.valid = 1'b0;
      pass2.valid = 1'b0;
      bank_re_q <= '0;
      bank_we_q <= '0;
      vwr_valid_o <= 1'b0;
      vrd_valid_o <= 1'b0;
      reading_o <= 1'b0;
      done_valid_o <= 1'b0;
      opread_valid_o <= 1'b0;
      obs_valid_o <= 1'b0;
      perf_conflict_o <= 1'b0;
      ready_q <= 1'b1;
      idle_q <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_issue, `GANTRY_IMPL(valid_i, $past(ready_o)))
endmodule
