// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/rdma/rdma_push with two moves, two places for lines and pages of up to two lines; own slices, the link and the
// other GPU answer when and in what order they like, holds and discards come at any time.  Lines are read and sent in the order of
// moves and of their pages, each once, with the bytes that were read, at its new address, with the move's slot and flags; a line that
// could not be read is not sent.  Each move is reported once, in order, when its last line is acknowledged or lost, with the sum of
// what was sent.  Nothing is read under hold_take, or sent under hold_all; nothing of a move is sent that was discarded.
`include "gantry_assert.svh"
module rdma_push_fv
  import gantry_msg_pkg::*;
  import rdma_move_pkg::*;
#(
  parameter bit [2:0] SeedBug = 3'd0
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        start_i,
  input logic [15:0] start_move_i,
  input logic        start_slot_i,
  input logic        start_flag_i,
  input logic        start_lines_i,   // two of them, not one
  input logic [ 1:0] start_source_i,
  input logic [ 1:0] start_target_i,
  input logic        read_ready_i,
  input logic        answer_i,
  input logic        answer_place_i,
  input logic        answer_fault_i,
  input logic        answer_data_i,   // one bit stands for all
  input logic        push_ready_i,
  input logic        ack_i,
  input logic        ack_move_i,
  input logic        ack_fault_i,
  input logic        hold_take_i,
  input logic        hold_all_i,
  input logic        discard_i,
  input logic        done_ready_i
);
  ctl_move_t start;
  mem_req_t read;
  mem_rsp_t answer;
  mem_move_t push;
  move_evt_t done;
  logic idle, rests, read_valid, push_valid, done_valid;
  always_comb begin
    start        = '0;
    start.op     = CTL_MOVE;
    start.slot   = 8'(start_slot_i);
    start.move   = start_move_i;
    start.lines  = 16'd1 + 16'(start_lines_i);
    start.flags  = 16'(start_flag_i);
    start.source = 64'(start_source_i) << 12;
    start.target = 64'h0002_0000_0000_0000 | 64'(start_target_i) << 12;
    answer        = '0;
    answer.op     = MEM_READ_NC;
    answer.tag    = 32'h8000_0000 | 32'(answer_place_i);
    answer.status = answer_fault_i ? MEM_FAULT_BUS : MEM_OK;
    answer.data   = {8{63'd0, answer_data_i}};
  end
  rdma_push #(.NumSlices(2), .Moves(2), .Lines(2), .Every(2), .SeedBug(SeedBug)) u_dut (
    .clk_i, .rst_ni, .cycle_i(64'd0), .own_gpu_i(8'd0), .idle_o(idle), .rests_o(rests), .start_valid_i(start_i), .start_i(start),
    .read_valid_o(read_valid), .read_o(read), .read_ready_i, .line_valid_i(answer_i), .line_i(answer), .push_valid_o(push_valid),
    .push_o(push), .push_ready_i, .ack_valid_i(ack_i), .ack_move_i(8'(ack_move_i)), .ack_fault_i, .hold_take_i, .hold_all_i, .discard_i,
    .done_valid_o(done_valid), .done_o(done), .done_ready_i);

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);

  // ---- moves by their number in the ring, lines by theirs in the page
  typedef struct packed {
    logic        live;
    logic        gone;      // discarded
    logic [15:0] move;
    logic        slot;
    logic        flag;
    logic [1:0]  lines;
    logic [1:0]  source;
    logic [1:0]  target;
    logic [1:0]  asked;     // lines that were asked for
    logic [1:0]  there;     // by line: its answer came
    logic [1:0]  bad;       // ... and it could not be read
    logic [1:0]  data;
    logic [1:0]  sent;
    logic [1:0]  acked;     // count
    logic        fault;     // of an acknowledgement
    logic [63:0] sum;
  } page_t;
  page_t [1:0] page_q;
  logic first_q, next_q;    // the oldest; the one that begins next
  logic [1:0] place_q;      // by place: a line is on its way to it
  logic [1:0] of_move_q, of_line_q, old_q;
  logic reads, pushes, held_q, fresh;
  logic reading, sending;   // whose line is next
  logic [1:0] unread, unsent;
  assign reads  = read_valid && read_ready_i;
  assign pushes = push_valid && push_ready_i;
  assign fresh  = done_valid && !held_q;
  always_comb begin
    for (int unsigned m = 0; m < 2; m++) begin
      unread[m] = page_q[m].live && !page_q[m].gone && page_q[m].asked != page_q[m].lines;
      unsent[m] = page_q[m].live && !page_q[m].gone && ((page_q[m].sent | page_q[m].bad) & (page_q[m].lines == 2'd2 ? 2'd3 : 2'd1)) !=
                  (page_q[m].lines == 2'd2 ? 2'd3 : 2'd1);
    end
    reading = unread[first_q] ? first_q : !first_q;
    sending = unsent[first_q] ? first_q : !first_q;
  end
  function automatic logic [1:0] ones(input logic [1:0] bits);
    return 2'(bits[0]) + 2'(bits[1]);
  endfunction

  always_comb begin : m_world
    if (start_i) assume (!page_q[next_q].live && !discard_i);
    if (answer_i) assume (place_q[answer_place_i]);
    if (ack_i) assume (page_q[ack_move_i].live && !page_q[ack_move_i].gone && ones(page_q[ack_move_i].sent) != page_q[ack_move_i].acked);
  end

  always_ff @(posedge clk_i) begin
    held_q <= rst_ni && done_valid && !done_ready_i;
    if (reads) begin
      page_q[reading].asked     <= page_q[reading].asked + 1'b1;
      place_q[read.tag[0]]      <= 1'b1;
      of_move_q[read.tag[0]]    <= reading;
      of_line_q[read.tag[0]]    <= page_q[reading].asked[0];
      old_q[read.tag[0]]        <= discard_i;
    end
    if (answer_i) begin
      place_q[answer_place_i] <= 1'b0;
      if (!old_q[answer_place_i]) begin
        page_q[of_move_q[answer_place_i]].there[of_line_q[answer_place_i]] <= 1'b1;
        page_q[of_move_q[answer_place_i]].bad[of_line_q[answer_place_i]]   <= answer_fault_i;
        page_q[of_move_q[answer_place_i]].data[of_line_q[answer_place_i]]  <= answer_data_i;
      end
    end
    if (pushes) begin
      page_q[sending].sent[push.line[0]] <= 1'b1;
      page_q[sending].sum <= page_q[sending].sum + checksum_share(push.data, 10'(push.line));
    end
    if (ack_i) begin
      page_q[ack_move_i].acked <= page_q[ack_move_i].acked + 1'b1;
      page_q[ack_move_i].fault <= page_q[ack_move_i].fault || ack_fault_i;
    end
    if (fresh) begin
      page_q[first_q] <= '0;
      first_q         <= !first_q;
    end
    if (start_i) begin
      page_q[next_q] <= '{live: 1'b1, move: start_move_i, slot: start_slot_i, flag: start_flag_i, lines: start.lines[1:0],
                          source: start_source_i, target: start_target_i, default: '0};
      next_q <= !next_q;
    end
    if (discard_i) begin
      for (int unsigned m = 0; m < 2; m++) if (!(fresh && first_q == 1'(m))) page_q[m].gone <= page_q[m].live;
      old_q <= 2'd3;
    end
    if (!rst_ni) {page_q, first_q, next_q, place_q, old_q} <= '0;
  end

  // ---- lines
  always_comb begin : a_lines
    if (rst_ni && read_valid) begin
      a_read_held : assert (!hold_take_i);
      a_read_due : assert (unread[reading] && !place_q[read.tag[0]]);
      a_read : assert (read.op == MEM_READ_NC && read.addr == (64'h0001_0000_0000_0000 | 64'(page_q[reading].source) << 12 |
                       64'(page_q[reading].asked) << 6) && read.target == 8'd0);
    end
    if (rst_ni && push_valid) begin
      a_push_held : assert (!hold_all_i);
      a_push_due : assert (unsent[sending] && push.line < 16'(page_q[sending].lines) && page_q[sending].there[push.line[0]] &&
                           !page_q[sending].bad[push.line[0]] && !page_q[sending].sent[push.line[0]]);
      a_push_order : assert (push.line == 16'd0 || page_q[sending].sent[0] || (page_q[sending].there[0] && page_q[sending].bad[0]));
      a_push : assert (push.op == MEM_MOVE && push.source == MoveSource && push.move == 8'(sending) &&
                       push.slot == 8'(page_q[sending].slot) && push.flags == 32'(page_q[sending].flag) && push.mask == '1 &&
                       push.addr == (64'h0002_0000_0000_0000 | 64'(page_q[sending].target) << 12 | 64'(push.line) << 6));
      a_data : assert (push.data == {8{63'd0, page_q[sending].data[push.line[0]]}});
    end
  end
  // ---- reports, as the oldest stood a cycle before
  page_t was_q;
  always_ff @(posedge clk_i) was_q <= page_q[fresh ? !first_q : first_q];
  always_comb begin : a_report
    if (rst_ni && fresh) begin
      a_due : assert (was_q.live && (was_q.gone || 2'(was_q.acked + ones(was_q.bad)) == was_q.lines));
      a_fields : assert (done.kind == CP_EVT_MOVED && done.move == was_q.move && done.slot == 8'(was_q.slot) &&
                         done.flags == 16'(was_q.flag));
      a_status : assert (done.status == 8'(was_q.gone ? MOVE_DISCARDED : was_q.fault || was_q.bad != 2'd0 ? MOVE_FAULT : MOVE_OK));
      a_count : assert (was_q.gone || done.lines == 16'(was_q.lines));
      a_sum : assert (was_q.gone || done.checksum == was_q.sum);
    end
  end
  always_comb a_rests : assert (!(rst_ni && rests) || place_q == 2'd0);
`ifdef REACH  // two moves behind one another, of the first one a line was lost
  logic lost_q;
  always_ff @(posedge clk_i) lost_q <= rst_ni && (lost_q || (fresh && done.status == MOVE_FAULT && was_q.bad == 2'd1));
  always_comb a_reach : assert (!(lost_q && fresh && done.lines == 16'd2 && done.status == MOVE_OK));
`endif
endmodule
