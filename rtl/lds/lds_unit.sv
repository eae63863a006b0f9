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
    logic [3:0] group;
    logic [31:0] served;
  } pass_t;

  // rows of 16 lanes: addresses (0) and data (1 to 4) {number, buffer, beat}; results by word, of even and odd beats
  // {buffer, beat[1]}.  Each memory is written in one place: every further one costs time in each simulated cycle.
  logic [15:0][31:0] oper_mem[128];
  logic [15:0][31:0] even0_mem[8], even1_mem[8], even2_mem[8], even3_mem[8];
  logic [15:0][31:0] odd0_mem[8], odd1_mem[8], odd2_mem[8], odd3_mem[8];
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
  logic [3:0] group;
  logic [31:0] pending, served, one, hit, bank;
  // words of a group: byte address, operands; as the passes go on they follow
  logic [31:0] slot[32], slot1[32], slot2[32], owner[32];
  logic [31:0] give[32], give1[32], give2[32], more[32], more1[32], more2[32];
  logic [31:0] near[32], gather[64], scatter[64], fetched[32];
  logic [31:0] lane, effective, mask, value, offset, old_low, old_high;
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
  logic [15:0][31:0] out_row, row_a, row_b, row_c, row_d;
  logic [1:0] first_beat;
  logic [3:0] groups;
  logic second;
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
  // First beat whose lanes are in a group, and whether the group is one of the second element.
  task automatic locate(input logic [3:0] number);
    logic [3:0] half;
    half = 4'd2 << op.log_slots;
    second = number >= half;
    half = number & (half - 4'd1);
    first_beat = op.log_slots == 2'd0 ? {half[0], 1'b0} : op.log_slots == 2'd1 ? half[1:0] : half[2:1];
  endtask

  // Words of a group: byte addresses, bounds, operands.
  task automatic prepare_group();
    logic [31:0] upper;
    locate(group);
    upper = {28'd0, group[0], 3'd0};
    row_a = oper_mem[{3'd0, exec_buf, first_beat}];
    row_b = oper_mem[{3'd0, exec_buf, first_beat | 2'd1}];
    for (int unsigned l = 0; l < 16; l++) begin
      near[l] = row_a[l[3:0]];
      near[16+l] = row_b[l[3:0]];
    end
    offset = second ? op.offset1 : op.offset0;
    mask = ~(op.bytes == 5'd12 ? 32'd15 : 32'(op.bytes) - 32'd1);
    pending = '0;
    for (int unsigned s = 0; s < 32; s++) begin
      lane = op.log_slots == 2'd0 ? s : op.log_slots == 2'd1 ? s >> 1 : (s >> 2) + upper;
      effective = (near[lane] + offset) & mask;
      lane = lane + {26'd0, first_beat, 4'd0};
      value = s & ((32'd1 << op.log_slots) - 32'd1);
      one = 32'(op.exec[lane[5:0]] && op.limit_ok && (effective <= 32'(op.last) || SeedFault == 4'd3) &&
                value < 32'(op.slots));
      slot[s] = (effective + 32'(op.base) + (value << 2)) & (Bytes - 32'd1);
      pending = pending | (one << s);
    end
    if (op.kind >= KIND_SWIZZLE) pending = '0;
    if (op.kind == KIND_STORE || op.kind == KIND_ATOMIC) fetch_operands(upper[3:0]);
  endtask

  task automatic fetch_operands(input logic [3:0] upper);
    logic [3:0] at, next;
    at = {exec_buf, first_beat};
    next = {exec_buf, first_beat | 2'd1};
    case (op.log_slots)
      2'd0: begin
        row_a = second ? oper_mem[{3'd2, at}] : oper_mem[{3'd1, at}];
        row_b = second ? oper_mem[{3'd2, next}] : oper_mem[{3'd1, next}];
        row_c = oper_mem[{3'd2, at}];
        row_d = oper_mem[{3'd2, next}];
        for (int unsigned l = 0; l < 16; l++) begin
          give[l] = row_a[l[3:0]];
          give[16+l] = row_b[l[3:0]];
          more[l] = row_c[l[3:0]];
          more[16+l] = row_d[l[3:0]];
        end
      end
      2'd1: begin
        row_a = second ? oper_mem[{3'd3, at}] : oper_mem[{3'd1, at}];
        row_b = second ? oper_mem[{3'd4, at}] : oper_mem[{3'd2, at}];
        row_c = oper_mem[{3'd3, at}];
        row_d = oper_mem[{3'd4, at}];
        for (int unsigned l = 0; l < 16; l++) begin
          give[2*l] = row_a[l[3:0]];
          give[2*l+1] = row_b[l[3:0]];
          more[2*l] = row_c[l[3:0]];
          more[2*l+1] = row_d[l[3:0]];
        end
      end
      default: begin
        row_a = oper_mem[{3'd1, at}];
        row_b = oper_mem[{3'd2, at}];
        row_c = oper_mem[{3'd3, at}];
        row_d = oper_mem[{3'd4, at}];
        for (int unsigned l = 0; l < 8; l++) begin
          give[4*l] = row_a[l[3:0]+upper];
          give[4*l+1] = row_b[l[3:0]+upper];
          give[4*l+2] = row_c[l[3:0]+upper];
          give[4*l+3] = row_d[l[3:0]+upper];
        end
      end
    endcase
  endtask

  // What an atomic finds: the newest of two passes before it, else the bank's word.
  task automatic find(input logic [4:0] from, input logic [31:0] row, output logic [31:0] found);
    found = by2_valid[from] && by2_row[{27'd0, from}] == row ? by2_data[{27'd0, from}] : bank_rdata[from];
    found = by1_valid[from] && by1_row[{27'd0, from}] == row ? by1_data[{27'd0, from}] : found;
  endtask

  task automatic atomics();
    for (int unsigned s = 0; s < 32; s++) begin
      bank = (slot2[s] >> 2) & 32'd31;
      find(bank[4:0], slot2[s] >> 7, old_low);
      fetched[s] = old_low;
      if (pass2.served[s]) begin
        now_data[bank] = atomic32(op.atomic, old_low, give2[s], more2[s]);
        now_row[bank] = slot2[s] >> 7;
        now_valid = now_valid | (32'd1 << bank);
      end
    end
  endtask

  task automatic atomics_wide();
    for (int unsigned s = 0; s < 32; s += 2) begin
      bank = (slot2[s] >> 2) & 32'd30;
      find(bank[4:0], slot2[s] >> 7, old_low);
      find(bank[4:0] | 5'd1, slot2[s] >> 7, old_high);
      fetched[s] = old_low;
      fetched[s+1] = old_high;
      fresh = atomic64(op.atomic, {old_high, old_low}, {give2[s+1], give2[s]}, {more2[s+1], more2[s]});
      if (pass2.served[s]) begin
        now_data[bank] = fresh[31:0];
        now_data[bank|32'd1] = fresh[63:32];
        now_row[bank] = slot2[s] >> 7;
        now_row[bank|32'd1] = slot2[s] >> 7;
        now_valid = now_valid | (32'd3 << bank);
      end
    end
  endtask

  // Lane exchange: 32 lanes a pass; a scatter is made whole in the first.
  task automatic exchange();
    row_a = op.kind == KIND_SWIZZLE ? oper_mem[{3'd0, pass2.buffer, 2'd0}] : oper_mem[{3'd1, pass2.buffer, 2'd0}];
    row_b = op.kind == KIND_SWIZZLE ? oper_mem[{3'd0, pass2.buffer, 2'd1}] : oper_mem[{3'd1, pass2.buffer, 2'd1}];
    row_c = op.kind == KIND_SWIZZLE ? oper_mem[{3'd0, pass2.buffer, 2'd2}] : oper_mem[{3'd1, pass2.buffer, 2'd2}];
    row_d = op.kind == KIND_SWIZZLE ? oper_mem[{3'd0, pass2.buffer, 2'd3}] : oper_mem[{3'd1, pass2.buffer, 2'd3}];
    for (int unsigned l = 0; l < 16; l++) begin
      gather[l] = row_a[l[3:0]];
      gather[16+l] = row_b[l[3:0]];
      gather[32+l] = row_c[l[3:0]];
      gather[48+l] = row_d[l[3:0]];
    end
    if (op.kind == KIND_PERMUTE) begin
      if (pass2.group == '0) begin
        for (int unsigned l = 0; l < 64; l++) scatter[l] = '0;
        for (int unsigned l = 0; l < 64; l++) begin
          value = (oper_mem[{3'd0, pass2.buffer, l[5:4]}][l[3:0]] + op.offset0) >> 2;
          if (op.exec[l[5:0]]) scatter[value&32'd63] = gather[l];
        end
      end
      for (int unsigned s = 0; s < 32; s++) fetched[s] = scatter[{26'd0, pass2.group[0], s[4:0]}];
    end else begin
      for (int unsigned s = 0; s < 32; s++) begin
        lane = {26'd0, pass2.group[0], s[4:0]};
        value = op.kind == KIND_SWIZZLE ? swizzle(lane, op.offset0) :
            (oper_mem[{3'd0, pass2.buffer, lane[5:4]}][lane[3:0]] + op.offset0) >> 2;
        fetched[s] = op.exec[value[5:0]] ? gather[value&32'd63] : 32'd0;
      end
    end
    pass2.served = '1;
  endtask

  // Fetched words of a pass into the rows of results; the first pass of a group clears what it does not bring.
  task automatic keep_results();
    logic [2:0] at;
    logic [3:0] upper;
    locate(pass2.group);
    at = {pass2.buffer, first_beat[1]};
    upper = {pass2.group[0], 3'd0};
    if (pass2.first) for (int unsigned s = 0; s < 32; s++) fetched[s] = pass2.served[s] ? fetched[s] : 32'd0;
    if (pass2.first) pass2.served = '1;
    case (op.log_slots)
      2'd0: begin
        row_a = second ? even1_mem[at] : even0_mem[at];
        row_b = second ? odd1_mem[at] : odd0_mem[at];
        for (int unsigned l = 0; l < 16; l++) begin
          row_a[l[3:0]] = pass2.served[l] ? fetched[l] : row_a[l[3:0]];
          row_b[l[3:0]] = pass2.served[16+l] ? fetched[16+l] : row_b[l[3:0]];
        end
      end
      2'd1: begin
        row_a = second ? (first_beat[0] ? odd2_mem[at] : even2_mem[at]) : first_beat[0] ? odd0_mem[at] : even0_mem[at];
        row_b = second ? (first_beat[0] ? odd3_mem[at] : even3_mem[at]) : first_beat[0] ? odd1_mem[at] : even1_mem[at];
        for (int unsigned l = 0; l < 16; l++) begin
          row_a[l[3:0]] = pass2.served[2*l] ? fetched[2*l] : row_a[l[3:0]];
          row_b[l[3:0]] = pass2.served[2*l+1] ? fetched[2*l+1] : row_b[l[3:0]];
        end
      end
      default: begin
        row_a = first_beat[0] ? odd0_mem[at] : even0_mem[at];
        row_b = first_beat[0] ? odd1_mem[at] : even1_mem[at];
        row_c = first_beat[0] ? odd2_mem[at] : even2_mem[at];
        row_d = first_beat[0] ? odd3_mem[at] : even3_mem[at];
        for (int unsigned l = 0; l < 8; l++) begin
          row_a[l[3:0]+upper] = pass2.served[4*l] ? fetched[4*l] : row_a[l[3:0]+upper];
          row_b[l[3:0]+upper] = pass2.served[4*l+1] ? fetched[4*l+1] : row_b[l[3:0]+upper];
          row_c[l[3:0]+upper] = pass2.served[4*l+2] ? fetched[4*l+2] : row_c[l[3:0]+upper];
          row_d[l[3:0]+upper] = pass2.served[4*l+3] ? fetched[4*l+3] : row_d[l[3:0]+upper];
        end
      end
    endcase
    write_results(at);
  endtask

  // Each result memory takes at most one row: by word, and even or odd beat.
  task automatic write_results(input logic [2:0] at);
    logic single, pair, quad, even, odd;
    single = op.log_slots == 2'd0;
    pair = op.log_slots == 2'd1;
    quad = op.log_slots == 2'd2;
    even = single || !first_beat[0];
    odd = single || first_beat[0];
    if (even && !second) even0_mem[at] <= row_a;
    if (odd && !second) odd0_mem[at] <= single ? row_b : row_a;
    if (even && (single ? second : !second)) even1_mem[at] <= single ? row_a : row_b;
    if (odd && (single ? second : !second)) odd1_mem[at] <= row_b;
    if (even && (quad || pair && second)) even2_mem[at] <= quad ? row_c : row_a;
    if (odd && (quad || pair && second)) odd2_mem[at] <= quad ? row_c : row_a;
    if (even && (quad || pair && second)) even3_mem[at] <= quad ? row_d : row_b;
    if (odd && (quad || pair && second)) odd3_mem[at] <= quad ? row_d : row_b;
  endtask

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
          case ({wb_row[3:2], wb_row[0]})
            3'd0: out_row = even0_mem[{wb_buf, wb_row[1]}];
            3'd1: out_row = odd0_mem[{wb_buf, wb_row[1]}];
            3'd2: out_row = even1_mem[{wb_buf, wb_row[1]}];
            3'd3: out_row = odd1_mem[{wb_buf, wb_row[1]}];
            3'd4: out_row = even2_mem[{wb_buf, wb_row[1]}];
            3'd5: out_row = odd2_mem[{wb_buf, wb_row[1]}];
            3'd6: out_row = even3_mem[{wb_buf, wb_row[1]}];
            default: out_row = odd3_mem[{wb_buf, wb_row[1]}];
          endcase
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
            bank = (slot2[s] >> 2) & 32'd31;
            fetched[s] = bank_rdata[bank[4:0]];
          end
          if (op.bytes < 5'd4) begin
            for (int unsigned s = 0; s < 32; s++) fetched[s] = cut(fetched[s], slot2[s][1:0], op.bytes[1], op.sext);
          end
        end
        KIND_ATOMIC: begin
          now_valid = '0;
          if (op.bytes == 5'd8) atomics_wide();
          else atomics();
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
        KIND_BPERMUTE, KIND_SWIZZLE, KIND_PERMUTE: begin
          exchange();
        end
        default: ;
      endcase
      if (op.kind != KIND_NONE && op.kind != KIND_STORE) keep_results();
      if (pass2.final_pass) begin
        wb_full[pass2.buffer] = 1'b1;
        hold = 1'b0;
      end
    end
    pass2.valid = pass1.valid;
    if (pass1.valid) begin
      pass2 = pass1;
      slot2 = slot1;
      if (op_q[pass1.buffer].kind == KIND_ATOMIC) begin
        give2 = give1;
        more2 = more1;
      end
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
          bank = (slot[s] >> 2) & 32'd31;
          hit = 32'(pending[s] && (owner[bank] == slot[s] >> 7 || SeedFault == 4'd2));
          value = give[s];
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
        groups = (op.two ? 4'd4 : 4'd2) << op.log_slots;
        group = group + 4'd1;
        if (group == groups) begin
          pass0.final_pass = 1'b1;
          run = 1'b0;
          hold = op.kind == KIND_ATOMIC;
          full[exec_buf] = 1'b0;  // operands stay until the final pass has gone through
          exec_buf = exec_buf + 2'd1;
        end
      end
      pass0.valid = 1'b1;
      pass1 = pass0;
      slot1 = slot;
      if (op.kind == KIND_ATOMIC) begin
        give1 = give;
        more1 = more;
      end
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
      end
    end
    if (run && !prepared) begin
      op = op_q[exec_buf];
      prepare_group();
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
      end else begin
        for (int unsigned l = 0; l < 16; l++) row_a[l[3:0]] = vrd_data_i[cap1.simd][l];
        oper_mem[{cap1.data ? 3'd1 + 3'(cap1.word) : 3'd0, cap1.buffer, cap1.beat}] <= row_a;
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
