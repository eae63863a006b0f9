// SPDX-License-Identifier: Apache-2.0
// The LDS of a lone narrow SIMD (lds_pkg::Serial), in place of lds_execute, lds_writeback and ram_banked: one instruction
// after another, its lanes one after another, a word a cycle.  One memory of words, one atomic unit and a row of results
// instead of 32 banks with a way from every lane to every bank.  Responsible for: operand rows, order between
// instructions, byte addresses, bounds, the accesses, lane exchange, lines of FLAT instructions, rows of results to the
// VGPRs, completion.  Not responsible for: reading operands (lds_collect), the shortest latency (latency_floor: rest_o
// tells it how much is missing).
//
// A word passes nine stages: 1 whose turn it is, 2 row of addresses, 3 its lane, 4 byte address and bounds, 5 row of
// data, 6 its lane, 7 and 8 memory, 9 result (take_word).  Atomics have up to four words a lane (operand and memory, low
// and high, then the second operand), then four stages of arithmetic, and the next lane follows when the memory was
// written.
// Loops, outermost first: element, beat, word (permute: source beat), lane, part of an atomic.
`include "gantry_assert.svh"

module lds_serial
  import cu_pkg::*;
  import gcn3_pkg::*;
  import lds_fadd_pkg::sum_t;
  import lds_pkg::*;
  import lds_step_pkg::*;
#(
  parameter int unsigned Bytes = 65536,
  parameter int unsigned Latency = 48,
  parameter bit [3:0] SeedFault = 4'd0  // bench only: see lds_unit
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          en_i,              // low: nothing to do in the whole LDS
  input  logic          valid_i,           // an instruction enters
  input  logic          line_valid_i,      // one at a time
  input  lds_line_t     line_i[1],         // stays
  output logic          line_rsp_valid_o,
  output lds_line_rsp_t line_rsp_o[1],
  output logic          line_busy_o,
  /* verilator lint_off UNUSEDSIGNAL */  // which SIMD
  input  lds_capture_t  capture_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic   [31:0] vrd_data_i[16],
  input  lds_op_t       op_i[8],
  output logic          vwr_valid_o,
  output vwr_req_t      vwr_o,
  input  logic          vwr_ready_i,
  output logic          left_o,            // an instruction is complete
  output wave_tag_t     left_tag_o,
  output logic    [7:0] rest_o,            // cycles that its report comes before its time
  input  logic          room_i,            // for a report in this and the next cycle
  input  logic          obs_en_i,
  output logic          obs_valid_o,
  output obs_lds_t      obs_o
);
  localparam int unsigned Aw = $clog2(Bytes / 4);
  // cycles between the last word of a lane of an atomic and the first of the next: that one reads what this one wrote
  localparam logic [3:0] Pace = 4'd6;

  typedef struct packed {  // a word on its way
    logic valid;
    logic first;  // of its row of results
    logic last;
    logic final_part;  // of an atomic's lane
    logic line;  // of a line
    logic legal;
    logic [1:0] part;  // of an atomic: operand and memory low, high, second operand low, high
    logic elem;
    logic [1:0] word;
    logic [1:0] beat;
    logic [3:0] lane;
    logic [5:0] from;  // lane whose address it takes, then lane whose data
  } step_t;
  typedef enum logic [1:0] {
    LineNone,
    LineWait,
    LineRun,
    LineEnd
  } line_e;

  // operand rows: {buffer, beat}; {word, buffer, beat}
  logic [3:0] address_row_at;
  logic [5:0] data_row_at;
  logic [511:0] capture_row, address_row, data_row;
  logic [Aw-1:0] raddr, waddr;
  logic [31:0] rdata, wdata;
  logic [3:0] we;
  logic [3:0] full;  // buffers whose rows are complete
  logic [2:0] entry, enters;  // the oldest instruction, the next one
  logic [15:0] now, since[8];
  // the instruction being served
  logic run, issuing;
  /* verilator lint_off UNUSEDSIGNAL */  // parts
  lds_op_t op;
  /* verilator lint_on UNUSEDSIGNAL */
  step_t s1, s2, s3, s4, s5, s6, s7, s8, at;  // at: the next word
  logic [1:0] source;  // permute
  logic [3:0] pause;
  logic [1:0] rows;  // of results on their way
  logic [31:0] near3, near4, near5, give6, give7, give8;
  /* verilator lint_off UNUSEDSIGNAL */  // Bytes may need less of an address
  logic [31:0] slot4, slot5, slot6, slot7, slot8;
  /* verilator lint_on UNUSEDSIGNAL */
  // the atomic: words that arrive, and its arithmetic
  logic [63:0] old, a, b, fresh;
  facts_t facts;
  sum_t sum1, sum2, sum3;
  /* verilator lint_off UNUSEDSIGNAL */  // parts
  step_t x1, x2, x3, x4;
  /* verilator lint_on UNUSEDSIGNAL */
  logic wide_atomic;
  logic [4:0] opcode;
  logic [Aw-1:0] word_at;  // of its memory
  logic high;  // its second word is to be written
  // results
  logic [31:0] row[16];
  logic waits, second_waits;  // `row` is complete; the high words of an atomic are, in vwr_o
  row_t row_at;
  logic [15:0] row_lanes;
  // lines
  line_e line_step;
  logic [3:0] ahead, held, word;
  // temporaries
  logic [31:0] effective, value, mask;
  logic [2:0] operand;
  // as it is between two edges, for the assertions
  logic [1:0] rows_q, waits_q;
  logic [3:0] held_q, full_q;
  logic [4:0] lanes_q;  // of an atomic: lanes whose word is not written yet
  logic runs_q, line_q;

  for (genvar l = 0; l < 16; l++) begin : gen_lane
    assign capture_row[32*l+:32] = vrd_data_i[l];
  end
  ram_1r1w #(
    .Width(512),
    .Depth(16)
  ) u_address (
    .clk_i,
    .we_i   (en_i && capture_i.valid && !capture_i.none && !capture_i.data),
    .waddr_i({capture_i.entry, capture_i.beat}),
    .wdata_i(capture_row),
    .re_i   (en_i),
    .raddr_i(address_row_at),
    .rdata_o(address_row)
  );
  ram_1r1w #(
    .Width(512),
    .Depth(64)
  ) u_data (
    .clk_i,
    .we_i   (en_i && capture_i.valid && !capture_i.none && capture_i.data),
    .waddr_i({capture_i.word, capture_i.entry, capture_i.beat}),
    .wdata_i(capture_row),
    .re_i   (en_i),
    .raddr_i(data_row_at),
    .rdata_o(data_row)
  );
  ram_1r1w #(
    .Width(32),
    .Depth(Bytes / 4),
    .Lanes(4)
  ) u_words (
    .clk_i,
    .we_i   (we),
    .waddr_i(waddr),
    .wdata_i(wdata),
    .re_i   (en_i),
    .raddr_i(raddr),
    .rdata_o(rdata)
  );

  /* verilator lint_off BLKSEQ */
  `include "lds_serial_words.svh"
  `include "lds_serial_order.svh"

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      now = now + 16'd1;
      if (valid_i) begin
        since[enters] = now;
        enters = enters + 3'd1;
        held = held + 4'd1;
      end
      if (line_valid_i) begin
        line_step = LineWait;
        ahead = held;
      end
      we <= '0;
      left_o <= 1'b0;
      obs_valid_o <= 1'b0;
      line_rsp_valid_o <= 1'b0;
      send_rows();
      if (run || line_step != LineNone) begin
        arithmetic();
        take_word();
        stage8();
        stage7();
        stage6();
        stage5();
        stage4();
        stage3();
        stage2();
      end
      if (issuing) stage1();
      finish();
      serve_line();
      if (capture_i.valid && capture_i.final_row) full[capture_i.entry] = 1'b1;
      start();
      line_busy_o <= line_step != LineNone;
      {rows_q, waits_q, held_q, full_q} <= {rows, second_waits, waits, held, full};
      lanes_q <= {x1.valid, x2.valid, x3.valid, x4.valid, high};
      runs_q <= run;
      line_q <= line_step == LineRun || line_step == LineEnd;
      if (!rst_ni) begin
        {full, entry, enters, held, ahead, run, issuing, rows, waits, second_waits, high, now} = '0;
        {s1.valid, s2.valid, s3.valid, s4.valid, s5.valid, s6.valid, s7.valid, s8.valid} = '0;
        {x1.valid, x2.valid, x3.valid, x4.valid} = '0;
        line_step = LineNone;
        vwr_valid_o <= 1'b0;
        we <= '0;
        {left_o, obs_valid_o, line_rsp_valid_o, line_busy_o} <= '0;
        {rows_q, waits_q, held_q, full_q, lanes_q, runs_q, line_q} <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `STREAM_BOUND(a_inside, 8, valid_i, left_o)
  `STREAM_BOUND(a_line, 1, line_valid_i, line_rsp_valid_o)
  `STREAM_ASSERT(a_held, en_i, held_q <= 4'd8)
  // no row of another instruction into a buffer before the one whose rows are complete there has left
  `STREAM_ASSERT(a_buffer, capture_i.valid, !full_q[capture_i.entry])
  // rows that wait were counted when their first word set out, two at most
  `STREAM_ASSERT(a_rows, en_i, rows_q <= 2'd2 && 2'(waits_q[1]) + 2'(waits_q[0]) + 2'(vwr_valid_o) <= rows_q)
  // one lane of an atomic at a time: it reads what the one before it has written
  `STREAM_ASSERT(a_one_lane, en_i, $onehot0(lanes_q))
  // the memory serves an instruction or a line
  `STREAM_ASSERT(a_line_alone, line_q, !runs_q)
  // a row stays until it is taken
  logic stays_q;
  logic [37:0] row_q;
  always_ff @(posedge clk_i) begin
    stays_q <= rst_ni && vwr_valid_o && !vwr_ready_i;
    if (vwr_valid_o) row_q <= {vwr_o.tag, vwr_o.slot, vwr_o.row, vwr_o.lanes};
  end
  `STREAM_ASSERT(a_stays, stays_q, vwr_valid_o && {vwr_o.tag, vwr_o.slot, vwr_o.row, vwr_o.lanes} == row_q)
endmodule
