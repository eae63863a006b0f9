// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/rdma/rdma_store with two slots, pages of up to three lines, any times of lines, of their way into DRAM, of
// the host's commands, of discards and of room for a report: each page that the host has told of is reported exactly once, when
// all its lines are in DRAM (given up: at once; discarded: at once), with the host's number, the count, the sum and the flags of
// the lines that came, and a fault if one of them had one.
// The world: a line comes before or behind the command, never more than the host has told of; it is stored once; nothing comes
// for a page that is complete, given up or discarded until its slot has been reported.
`include "gantry_assert.svh"
module rdma_store_fv
  import gantry_msg_pkg::*;
  import rdma_move_pkg::*;
#(
  parameter bit [2:0] SeedBug = 3'd0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        expect_valid_i,
  input logic        expect_slot_i,
  input logic [ 1:0] expect_lines_i,
  input logic [15:0] expect_move_i,
  input logic        line_valid_i,
  input logic        line_slot_i,
  input logic [ 1:0] line_number_i,
  input logic        line_data_i,     // one bit stands for all
  input logic        line_flag_i,
  input logic        stored_valid_i,
  input logic        stored_slot_i,
  input logic        stored_fault_i,
  input logic        discard_i,
  input logic        ready_i
);
  ctl_move_t expected;
  mem_move_t line;
  move_evt_t done;
  logic idle, done_valid;
  always_comb begin
    expected       = '0;
    expected.op    = CTL_STORE;
    expected.slot  = 8'(expect_slot_i);
    expected.lines = 16'(expect_lines_i);
    expected.move  = expect_move_i;
    line           = '0;
    line.op        = MEM_MOVE;
    line.source    = MoveSource;
    line.slot      = 8'(line_slot_i);
    line.line      = 16'(line_number_i);
    line.flags     = 32'(line_flag_i);
    line.data      = {8{63'd0, line_data_i}};
  end
  rdma_store #(.Slots(2), .SeedBug(SeedBug)) u_dut (
    .clk_i, .rst_ni, .cycle_i(64'd0), .idle_o(idle), .expect_valid_i, .expect_i(expected), .line_valid_i, .line_i(line),
    .stored_valid_i, .stored_slot_i(8'(stored_slot_i)), .stored_fault_i, .discard_i, .done_valid_o(done_valid), .done_o(done),
    .done_ready_i(ready_i));

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);

  // ---- what the host, the other GPU and DRAM know of each slot
  typedef struct packed {
    logic        told;
    logic        gone;    // discarded
    logic        late;    // discarded before it was told of: it is given up first
    logic [15:0] move;
    logic [1:0]  lines;
    logic [1:0]  came;
    logic [1:0]  stored;
    logic        fault;
    logic        flag;
    logic [63:0] sum;
  } page_t;
  page_t [1:0] page_q;
  logic [1:0] over, busy;
  logic held_q, fresh, slot;
  always_comb
    for (int unsigned s = 0; s < 2; s++) begin
      over[s] = page_q[s].told && (page_q[s].gone || page_q[s].lines == 2'd0 || page_q[s].stored == page_q[s].lines);
      busy[s] = over[s] || (done_valid && done.slot == 8'(s));
    end
  assign fresh = done_valid && !held_q;
  assign slot  = done.slot[0];

  always_comb begin : m_world
    if (expect_valid_i) begin
      assume (!discard_i && !busy[expect_slot_i]);
      assume (!page_q[expect_slot_i].told || expect_lines_i == 2'd0);
      if (expect_lines_i == 2'd0) assume (page_q[expect_slot_i].came == page_q[expect_slot_i].stored);
      else assume (expect_lines_i >= page_q[expect_slot_i].came && !page_q[expect_slot_i].late);
      if (expect_lines_i == 2'd0 || expect_lines_i == page_q[expect_slot_i].came)
        assume (!(line_valid_i && line_slot_i == expect_slot_i));
    end
    if (line_valid_i) begin
      assume (!busy[line_slot_i] && !page_q[line_slot_i].late && page_q[line_slot_i].came != 2'd3);
      if (page_q[line_slot_i].told) assume (page_q[line_slot_i].came != page_q[line_slot_i].lines);
      if (page_q[line_slot_i].came != 2'd0) assume (line_flag_i == page_q[line_slot_i].flag);
    end
    if (stored_valid_i) assume (page_q[stored_slot_i].came != page_q[stored_slot_i].stored);
  end

  always_ff @(posedge clk_i) begin
    held_q <= rst_ni && done_valid && !ready_i;
    for (int unsigned s = 0; s < 2; s++) begin
      if (fresh && slot == 1'(s)) page_q[s] <= '0;
      if (line_valid_i && line_slot_i == 1'(s)) begin
        page_q[s].came <= page_q[s].came + 1'b1;
        page_q[s].flag <= line_flag_i;
        page_q[s].sum  <= page_q[s].sum + checksum_share(line.data, 10'(line_number_i));
      end
      if (stored_valid_i && stored_slot_i == 1'(s)) begin
        page_q[s].stored <= page_q[s].stored + 1'b1;
        page_q[s].fault  <= page_q[s].fault || stored_fault_i;
      end
      if (expect_valid_i && expect_slot_i == 1'(s)) begin
        page_q[s].told  <= 1'b1;
        page_q[s].move  <= expect_move_i;
        page_q[s].lines <= expect_lines_i;
      end
      if (discard_i) begin
        if (!(fresh && slot == 1'(s))) begin
          page_q[s].gone <= page_q[s].told;
          page_q[s].late <= !page_q[s].told && (page_q[s].came != 2'd0 || (line_valid_i && line_slot_i == 1'(s)));
        end
        {page_q[s].came, page_q[s].stored, page_q[s].fault, page_q[s].flag, page_q[s].sum} <= '0;
      end
      if (!rst_ni) page_q[s] <= '0;
    end
  end

  // ---- the report, as the slot stood a cycle before
  page_t was;
  logic owed_q;  // a page was to be reported, and none of its slot was
  page_t [1:0] before_q;
  always_ff @(posedge clk_i) begin
    before_q <= page_q;
    owed_q   <= rst_ni && (over & ~(done_valid ? 2'd1 << slot : 2'd0)) != 2'd0;
  end
  assign was = before_q[slot];
  always_comb begin : a_report
    if (rst_ni && fresh) begin
      a_kind : assert (done.kind == CP_EVT_STORED && done.slot < 8'd2 && done.pad0 == 8'd0 && done.pad1 == 16'd0 && done.pad2 == 32'd0);
      a_due : assert (was.told && (was.gone || was.lines == 2'd0 || was.stored == was.lines));
      a_move : assert (done.move == was.move);
      a_status : assert (done.status == 8'(was.gone ? MOVE_DISCARDED : was.fault ? MOVE_FAULT : MOVE_OK));
      a_count : assert (done.lines == 16'(was.stored));
      a_sum : assert (done.checksum == was.sum);
      a_flags : assert (done.flags == 16'(was.flag));
    end
  end
  // it comes, and nothing is owed at rest
  always_comb a_comes : assert (!(rst_ni && owed_q) || done_valid);
  always_comb a_rests : assert (!(rst_ni && idle) || (over == 2'd0 && !done_valid));
`ifdef REACH  // a page whose first line came before the command, of three lines, one of them bad
  always_comb a_reach : assert (!(fresh && done.lines == 16'd3 && done.status == MOVE_FAULT && before_q[~slot].told));
`endif
endmodule
