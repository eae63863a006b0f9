// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/rdma/rdma_counts with four entries of two ways and counters of two bits; eight pages, of which any one is followed; requests,
// commands and room for entries come at any time.  Of the followed page never more is told than was counted, and at the mark of a read-out all that
// was counted before its command is told (or, with Drop, lost): so no count is lost or told twice, whatever is evicted or read meanwhile.  It has up to
// three reads and three writes, which two bits hold: what saturates is for the bench.  Each command has one mark; nothing is counted while off; an
// entry that waits stays as it is; only a full queue of entries, or accesses that wait for one cycle in each set, takes away room.
`include "gantry_assert.svh"
module rdma_counts_fv
  import gantry_msg_pkg::*;
  import rdma_counts_pkg::*;
#(
  parameter bit Drop = 1'b0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic [2:0] follow_i,
  input logic       access_i,
  input logic [2:0] frame_i,
  input logic       write_i,
  input logic       cmd_i,
  input logic [1:0] action_i,
  input logic       least_i,
  input logic       entry_ready_i
);
  far_access_t access;
  ctl_counts_t cmd;
  count_entry_t entry;
  counted_t counted;
  logic idle, room, entry_valid, reading;
  always_comb begin
    access = '{frame: FrameBits'(frame_i), write: write_i};
    cmd    = '{op: CTL_COUNTS, page: 8'd12, counts: 16'd7, action: 16'(action_i), least: 16'(least_i), default: '0};
  end
  rdma_counts #(.Entries(4), .Ways(2), .Drop(Drop), .Queue(2), .Bits(2)) u_dut (
    .clk_i, .rst_ni, .idle_o(idle), .access_valid_i(access_i), .access_i(access), .room_o(room), .cmd_valid_i(cmd_i), .cmd_i(cmd),
    .entry_valid_o(entry_valid), .entry_o(entry), .entry_ready_i, .reading_o(reading), .counted_o(counted));

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);

  logic [2:0] follow_q;
  logic on_q, open_q, read_q;                 // a command has no mark yet; it is a read-out
  logic [2:0] reads_q, writes_q;              // counted of the followed page
  logic [2:0] told_reads_q, told_writes_q;
  logic [2:0] due_reads_q, due_writes_q;      // when the read-out was asked for
  logic [7:0] lost_q;                         // told as lost so far, of all pages
  logic tells, marks, ours;
  assign tells = entry_valid && entry_ready_i && !entry.closes;
  assign marks = entry_valid && entry_ready_i && entry.closes;
  assign ours  = entry.frame == FrameBits'(follow_q);

  always_comb begin : m_world
    assume (follow_i == follow_q || !started || !rst_ni);
    if (access_i) assume (room);
    if (access_i && frame_i == follow_q) assume (write_i ? writes_q != 3'd3 : reads_q != 3'd3);
    if (cmd_i) assume (!open_q && action_i <= 2'(COUNTS_READ) && rst_ni);
  end
  always_ff @(posedge clk_i) begin
    if (access_i && on_q && frame_i == follow_q) begin
      if (write_i) writes_q <= writes_q + 1'b1;
      else reads_q <= reads_q + 1'b1;
    end
    if (tells && ours) begin
      told_reads_q  <= told_reads_q + 3'(entry.reads);
      told_writes_q <= told_writes_q + 3'(entry.writes);
    end
    if (marks) open_q <= 1'b0;
    if (marks) lost_q <= lost_q + 8'(counted.lost);
    if (cmd_i) begin
      open_q <= 1'b1;
      read_q <= action_i == 2'(COUNTS_READ);
      if (action_i != 2'(COUNTS_READ)) on_q <= action_i == 2'(COUNTS_ON);
      due_reads_q  <= reads_q;
      due_writes_q <= writes_q;
    end
    if (!rst_ni) begin
      {on_q, open_q, read_q, reads_q, writes_q, told_reads_q, told_writes_q, lost_q} <= '0;
      follow_q <= follow_i;
    end
  end

  always_comb begin : a_sums
    if (rst_ni && started) begin
      // the sum of what is told, this entry with it
      if (tells && ours) begin
        a_no_more : assert (4'(told_reads_q) + 4'(entry.reads) <= 4'(reads_q) && 4'(told_writes_q) + 4'(entry.writes) <= 4'(writes_q));
        a_something : assert (entry.reads != '0 || entry.writes != '0);
      end
      if (marks && read_q && !Drop)
        a_all : assert (told_reads_q >= due_reads_q && told_writes_q >= due_writes_q);
      if (marks && read_q && Drop)
        a_all_or_lost : assert (8'(told_reads_q) + 8'(told_writes_q) + lost_q + 8'(counted.lost) >= 8'(due_reads_q) + 8'(due_writes_q));
      if (marks) a_asked : assert (open_q && counted.id == 16'd7);
      if (marks && !Drop) a_no_loss : assert (counted.lost == '0);
      if (tells && Drop) a_only_read : assert (open_q && read_q);
    end
  end
  // ---- an entry that waits stays, unless one that is evicted comes before it
  logic waited_q, room_q;
  count_entry_t was_q;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && entry_valid && !entry_ready_i;
    was_q    <= entry;
    room_q   <= rst_ni && entry_ready_i;
  end
  always_comb a_stays : assert (!(rst_ni && started && waited_q) || entry_valid);
`ifdef REACH  // the followed page left early, came again and was read out
  logic early_q, again_q;
  always_ff @(posedge clk_i) begin
    early_q <= rst_ni && (early_q || (tells && ours && !open_q));
    again_q <= rst_ni && (again_q || (tells && ours && early_q && read_q && open_q));
  end
  always_comb a_reach : assert (!(again_q && marks));
`endif
endmodule
