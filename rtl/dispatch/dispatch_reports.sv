// SPDX-License-Identifier: Apache-2.0
// What other components tell the host by way of the dispatcher: the L2 TLB of withheld translations, the RDMA engine of
// pages that have moved or come, and its counters.
// Responsible for: a queue for each, their turns, the form in which the host is told.  Not responsible for: when
// (dispatch_events).
`include "gantry_assert.svh"

module dispatch_reports
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Depth = 4  // of each queue = its sender's credits
) (
  input  logic      clk_i,
  input  logic      rst_ni,
  input  logic      xlat_evt_valid_i,
  input  xlat_evt_t xlat_evt_i,
  output logic      xlat_evt_credit_o,
  input  logic      move_evt_valid_i,
  input  move_evt_t move_evt_i,
  output logic      move_evt_credit_o,
  // -> events: stands until reported_i
  output logic      report_valid_o,
  output cp_evt_t   report_o,
  input  logic      reported_i
);
  logic xlat_room, move_room, xlat_valid, move_valid, turn_q;  // turn: a page's, if both wait
  /* verilator lint_off UNUSEDSIGNAL */  // padding
  xlat_evt_t xlat;
  move_evt_t move;
  count_evt_t count;
  counted_evt_t counted;
  /* verilator lint_on UNUSEDSIGNAL */
  logic pick_move, stands_q, stood_q;  // what was shown in the last cycle, a page's or not, is shown until it is told

  stream_fifo #(.Width($bits(xlat_evt_t)), .Depth(Depth)) u_xlat (
    .clk_i, .rst_ni, .valid_i(xlat_evt_valid_i), .ready_o(xlat_room), .data_i(xlat_evt_i),
    .valid_o(xlat_valid), .ready_i(xlat_evt_credit_o), .data_o(xlat), .count_o());
  stream_fifo #(.Width($bits(move_evt_t)), .Depth(Depth)) u_move (
    .clk_i, .rst_ni, .valid_i(move_evt_valid_i), .ready_o(move_room), .data_i(move_evt_i),
    .valid_o(move_valid), .ready_i(move_evt_credit_o), .data_o(move), .count_o());

  assign pick_move         = stands_q ? stood_q : move_valid && (!xlat_valid || turn_q);
  assign report_valid_o    = xlat_valid || move_valid;
  assign xlat_evt_credit_o = reported_i && !pick_move;
  assign move_evt_credit_o = reported_i && pick_move;
  assign count   = count_evt_t'(move);
  assign counted = counted_evt_t'(move);
  always_comb begin
    if (pick_move && move.kind == CP_EVT_COUNT)
      report_o = cp_evt_t'(cp_evt_count_t'{kind: count.kind, entries: count.entries, reads: count.reads,
                                           writes: count.writes, frame: count.frame, default: '0});
    else if (pick_move && move.kind == CP_EVT_COUNTED)
      report_o = cp_evt_t'(cp_evt_counted_t'{kind: counted.kind, status: counted.status, id: counted.counts,
                                             begun: 16'd1, entries: counted.entries, below: counted.below,
                                             lost: counted.lost, default: '0});
    else if (pick_move)
      report_o = cp_evt_t'(cp_evt_move_t'{kind: move.kind, status: move.status, id: move.move, slot: move.slot,
                                          begun: 16'd1, flags: move.flags, lines: 32'(move.lines),
                                          checksum: move.checksum, start: move.start, end_: move.end_, default: '0});
    else report_o = '{kind: CP_EVT_XLAT, status: xlat.access, vmid: xlat.vmid, va: xlat.va, default: '0};
  end
  always_ff @(posedge clk_i) begin
    if (report_valid_o || !rst_ni) begin
      stands_q <= rst_ni && !reported_i;
      stood_q  <= pick_move;
      if (reported_i || !rst_ni) turn_q <= rst_ni && !pick_move;
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(xlat_evt_valid_i, xlat_room) && `GANTRY_IMPL(move_evt_valid_i, move_room))
  `GANTRY_ASSERT(a_reported, `GANTRY_IMPL(reported_i, report_valid_o))
endmodule
