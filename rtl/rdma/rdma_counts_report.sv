// SPDX-License-Identifier: Apache-2.0
// Messages of the counters of far accesses: entries that leave the table (rdma_counts) wait in a queue and travel three
// in a message; behind those of a command goes the message that it is done.
// Responsible for: order (as they left), how many share a message.  Not responsible for: credits (rdma_move).
// An entry that was evicted leaves as soon as nothing stands before it, alone if it must; those of a read-out wait for
// others to share their message.
`include "gantry_assert.svh"

module rdma_counts_report
  import gantry_msg_pkg::*;
  import rdma_counts_pkg::*;
#(
  parameter int unsigned Depth = 8  // entries that wait, beside the three of the next message
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         idle_o,
  input  logic         entry_valid_i,
  input  count_entry_t entry_i,
  output logic         entry_ready_o,
  input  logic         reading_i,      // more entries follow
  input  counted_t     counted_i,      // of the mark
  // -> rdma_move: stands until ready
  output logic         report_valid_o,
  output move_evt_t    report_o,
  input  logic         report_ready_i
);
  localparam int unsigned Most = 3;  // entries of a message
  logic waits, takes, sends;
  count_entry_t head;
  count_evt_t message_q;  // entries so far
  logic [1:0] held_q;

  stream_fifo #(.Width($bits(count_entry_t)), .Depth(Depth)) u_entries (
    .clk_i, .rst_ni, .valid_i(entry_valid_i), .ready_o(entry_ready_o), .data_i(entry_i),
    .valid_o(waits), .ready_i(takes), .data_o(head), .count_o());

  // a mark goes alone, behind the entries before it; a message that has stood is not changed
  logic stands_q;
  assign report_valid_o = stands_q || 32'(held_q) == Most || (held_q != '0 && (waits ? head.closes : !reading_i)) ||
                          (held_q == '0 && waits && head.closes);
  assign sends          = report_valid_o && report_ready_i;
  assign takes          = waits && (head.closes ? held_q == '0 && sends : 32'(held_q) != Most && !report_valid_o);
  always_comb begin
    if (held_q != '0) report_o = move_evt_t'(message_q);
    else report_o = move_evt_t'(counted_evt_t'{kind: CP_EVT_COUNTED, status: CTL_OK, counts: counted_i.id,
                                               entries: 32'(counted_i.entries), below: 32'(counted_i.below),
                                               lost: 32'(counted_i.lost), default: '0});
  end

  always_ff @(posedge clk_i) begin
    if (report_valid_o || takes || !rst_ni) begin
      stands_q <= rst_ni && report_valid_o && !report_ready_i;
      if (sends) begin
        held_q    <= '0;
        message_q <= '0;
      end
      if (takes && !head.closes) begin
        held_q            <= held_q + 1'b1;
        message_q.kind    <= CP_EVT_COUNT;
        message_q.entries <= 8'(held_q) + 8'd1;
        message_q.frame[held_q]  <= {8'd0, head.frame, 12'd0};
        message_q.reads[held_q]  <= 16'(head.reads);
        message_q.writes[held_q] <= 16'(head.writes);
      end
      if (!rst_ni) {held_q, message_q} <= '0;
    end
  end
  // a report that waits for credits waits for something from outside
  assign idle_o = !takes && !sends;

  // ---- assertions
  `GANTRY_ASSERT(a_held, 32'(message_q.entries) == 32'(held_q))
endmodule
