// SPDX-License-Identifier: Apache-2.0
// Counters of far accesses of one GPU: for each page of another GPU's memory how many requests this GPU has sent to it,
// reads apart from writes and atomics.  A set-associative table; an access to a page that is not in its full set takes
// the place of the entry of least count, which is reported at once (or, with Drop, dropped into a sum of losses).  A
// command reports all entries of at least so many accesses and clears all.
// Responsible for: which requests count (those that leave while it is on), entries, evictions, the read-out.
// Not responsible for: messages (rdma_counts_report), which requests are far (rdma), who wants it (host/migrate).
//
// Two stages, one access a cycle: a set is read; its row is changed and written back, or kept for the next access if
// that is to the same set.  Accesses wait in a queue; room_o says whether one more may leave, and only then the engine
// sends it.  A full queue of entries (entry_ready_i) stops an access that must evict, and those behind it.  The
// read-out has every access that left before its command.  It takes a set in one turn of the first stage, when the row
// before has been handed over: an access that leaves meanwhile counts in its row before or behind that, never in both.
// An entry without accesses is free.  Rows have no contents until their first access (used_q).
`include "gantry_assert.svh"

module rdma_counts
  import gantry_msg_pkg::*;
  import rdma_counts_pkg::*;
#(
  parameter int unsigned Entries = 1024,  // power of two, at least 2 * Ways
  parameter int unsigned Ways = 8,        // power of two, 1 to 16
  parameter bit Drop = 1'b0,
  parameter int unsigned Queue = 8,       // accesses that wait
  parameter int unsigned Bits = CountBits // of a counter; fewer: formal only
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  output logic         idle_o,
  // a request leaves
  input  logic         access_valid_i,
  input  far_access_t  access_i,
  output logic         room_o,
  // CTL_COUNTS, behind the mark of the one before
  input  logic         cmd_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // padding, and what only other messages use
  input  ctl_counts_t  cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  // entries that leave, and marks
  output logic         entry_valid_o,
  output count_entry_t entry_o,
  input  logic         entry_ready_i,
  output logic         reading_o,        // a read-out is under way: more entries follow
  output counted_t     counted_o
);
  localparam int unsigned Sets = Entries / Ways;
  localparam int unsigned Sw = $clog2(Sets);
  localparam int unsigned TagBits = FrameBits - Sw;
  localparam int unsigned Aw = $clog2(Queue + 1);
  localparam int unsigned Ww = Ways > 1 ? $clog2(Ways) : 1;
  typedef logic [Sw-1:0] set_t;
  typedef logic [Ww-1:0] way_t;
  typedef logic [Bits-1:0] count_t;
  typedef struct packed {
    logic [TagBits-1:0] tag;
    count_t reads;
    count_t writes;
  } slot_t;
  typedef slot_t [Ways-1:0] row_t;

  // The set of a page is a sum (exclusive or) over all its bits, so that pages with a stride spread; the tag is what
  // stands above the lowest bits, which set and tag give back.
  function automatic set_t folded(input logic [FrameBits-1:0] page);
    folded = '0;
    for (int unsigned b = 0; b < FrameBits; b += Sw) folded = folded ^ set_t'(page >> b);
  endfunction
  function automatic logic [FrameBits-1:0] page_of(input logic [TagBits-1:0] tag, input set_t set);
    return {tag, set ^ folded({tag, set_t'(0)})};
  endfunction
  function automatic logic [Bits:0] total(input count_t reads, input count_t writes);
    return (Bits + 1)'(reads) + (Bits + 1)'(writes);
  endfunction
  function automatic count_t bumped(input count_t count, input logic by);
    return by && count != '1 ? count + 1'b1 : count;
  endfunction

  // ---- commands
  logic on_q, large_q;   // large: pages of 64 KiB
  logic [15:0] least_q;
  logic sweeps_q;        // read-out: sets are to be taken
  logic sweep_ends_q;    // its mark is to follow
  logic closes_q;        // a mark is to be sent
  set_t sweep_set_q;
  logic [Aw-1:0] queued, before_q;  // accesses of before the read-out that still wait
  logic [15:0] lost_q;
  // ---- first stage: accesses wait; a set is read
  logic waits, issues, sweep_go, count_go;
  far_access_t head;
  logic [FrameBits-1:0] head_page;
  set_t read_set;
  // ---- second stage
  logic row_valid_q, row_sweep_q, row_kept_q, write_q;
  logic [TagBits-1:0] tag_q;
  set_t set_q;
  row_t memory_row, kept_q, row, next;
  logic [Sets-1:0] used_q;  // row has been written since it was cleared
  logic [Ways-1:0] match, live;
  logic hit, full, evicts, stalls, writes, advances, sweeps_row, drops;
  way_t least_way, way;
  slot_t taken;
  logic [Bits:0] taken_total;
  // ---- row of the read-out that is handed over
  row_t out_row_q;
  set_t out_set_q;
  logic [Ways-1:0] out_left_q, keeps;
  logic [15:0] skipped;
  way_t out_way;
  logic out_go, close_go, ends;

  stream_fifo #(.Width($bits(far_access_t)), .Depth(Queue)) u_accesses (
    .clk_i, .rst_ni, .valid_i(access_valid_i && on_q), .ready_o(room_o), .data_i(access_i),
    .valid_o(waits), .ready_i(count_go), .data_o(head), .count_o(queued));

  assign head_page = large_q ? head.frame >> 4 : head.frame;
  assign advances  = !stalls;
  assign sweep_go  = sweeps_q && before_q == '0 && advances && out_left_q == '0 && !(row_valid_q && row_sweep_q);
  assign count_go  = waits && advances && !sweep_go;
  assign issues    = sweep_go || count_go;
  assign read_set  = sweep_go ? sweep_set_q : folded(head_page);

  ram_1r1w #(.Width($bits(row_t)), .Depth(Sets)) u_table (
    .clk_i, .we_i(writes), .waddr_i(set_q), .wdata_i(next), .re_i(issues), .raddr_i(read_set), .rdata_o(memory_row));
  assign row = row_kept_q ? kept_q : used_q[set_q] ? memory_row : '0;

  always_comb begin
    logic [Bits:0] least_total;
    for (int unsigned w = 0; w < Ways; w++) begin
      live[w]  = row[w].reads != '0 || row[w].writes != '0;
      match[w] = live[w] && row[w].tag == tag_q;
      keeps[w] = live[w] && 16'(total(row[w].reads, row[w].writes)) >= least_q;
    end
    // the way of least count: a free one has none
    least_way   = '0;
    least_total = total(row[0].reads, row[0].writes);
    for (int unsigned w = 1; w < Ways; w++) begin
      if (total(row[w].reads, row[w].writes) < least_total) begin
        least_way   = way_t'(w);
        least_total = total(row[w].reads, row[w].writes);
      end
    end
    skipped = '0;
    for (int unsigned w = 0; w < Ways; w++) skipped = skipped + 16'(live[w] && !keeps[w]);
  end
  assign hit         = match != '0;
  assign full        = live == '1;
  assign way         = hit ? way_t'(pick_pkg::first64(64'(match))) : least_way;
  assign taken       = row[least_way];
  assign taken_total = total(taken.reads, taken.writes);
  assign evicts      = row_valid_q && !row_sweep_q && !hit && full && !Drop;
  assign drops       = row_valid_q && !row_sweep_q && !hit && full && Drop;
  assign stalls      = evicts && !entry_ready_i;
  assign writes      = row_valid_q && !row_sweep_q && !stalls;
  assign sweeps_row  = row_valid_q && row_sweep_q;
  always_comb begin
    next = row;
    if (!hit) next[way] = '{tag: tag_q, default: '0};
    next[way].reads  = bumped(next[way].reads, !write_q);
    next[way].writes = bumped(next[way].writes, write_q);
  end

  // ---- entries leave: evicted ones first
  function automatic count_entry_t left(input slot_t slot, input set_t set, input logic block);
    logic [FrameBits-1:0] page;
    page = page_of(slot.tag, set);
    return '{closes: 1'b0, frame: block ? page << 4 : page, reads: CountBits'(slot.reads),
             writes: CountBits'(slot.writes)};
  endfunction
  assign out_way       = way_t'(pick_pkg::first64(64'(out_left_q)));
  assign entry_valid_o = evicts || out_left_q != '0 || closes_q;
  assign out_go        = out_left_q != '0 && !evicts && entry_ready_i;
  assign close_go      = closes_q && !evicts && entry_ready_i;
  always_comb begin
    if (evicts) entry_o = left(taken, set_q, large_q);
    else if (out_left_q != '0) entry_o = left(out_row_q[out_way], out_set_q, large_q);
    else entry_o = '{closes: 1'b1, default: '0};
  end
  assign ends      = sweep_ends_q && !sweeps_q && !sweeps_row &&
                     (out_left_q == '0 || (out_go && $onehot(out_left_q)));
  assign reading_o = sweeps_q || sweeps_row || out_left_q != '0;

  always_ff @(posedge clk_i) begin
    if (issues || row_valid_q || out_left_q != '0 || closes_q || sweep_ends_q || cmd_valid_i || !rst_ni) begin
      // ---- the mark is sent: losses begin anew
      if (close_go) closes_q <= 1'b0;
      // ---- row of the read-out
      if (out_go) out_left_q[out_way] <= 1'b0;
      if (sweeps_row) begin
        out_row_q         <= row;
        out_set_q         <= set_q;
        out_left_q        <= keeps;
        used_q[set_q]     <= 1'b0;
        counted_o.below   <= counted_o.below + skipped;
      end
      if (out_go) counted_o.entries <= counted_o.entries + 1'b1;
      // ---- row of an access
      if (writes) begin
        kept_q        <= next;
        used_q[set_q] <= 1'b1;
      end
      if (drops) lost_q <= plus_saturating(lost_q, 16'(taken_total));
      // ---- a set is read
      if (advances) row_valid_q <= issues;
      if (issues) begin
        row_sweep_q <= sweep_go;
        row_kept_q  <= writes && set_q == read_set;
        set_q       <= read_set;
        tag_q       <= head_page[FrameBits-1:Sw];
        write_q     <= head.write;
      end
      if (count_go && before_q != '0) before_q <= before_q - 1'b1;
      if (sweep_go) begin
        sweep_set_q <= sweep_set_q + 1'b1;
        if (sweep_set_q == '1) sweeps_q <= 1'b0;
      end
      // ---- the last row is handed over
      if (ends) begin
        sweep_ends_q   <= 1'b0;
        closes_q       <= 1'b1;
        counted_o.lost <= lost_q;
        lost_q         <= drops ? 16'(taken_total) : '0;
      end
      // ---- commands
      if (cmd_valid_i) begin
        counted_o <= '{id: cmd_i.counts, default: '0};
        least_q   <= cmd_i.least;
        if (cmd_i.action == 16'(COUNTS_READ)) begin
          sweeps_q     <= 1'b1;
          sweep_ends_q <= 1'b1;
          sweep_set_q  <= '0;
          before_q     <= queued - Aw'(count_go);
        end else begin
          on_q     <= cmd_i.action == 16'(COUNTS_ON);
          closes_q <= 1'b1;
        end
        if (cmd_i.action == 16'(COUNTS_ON)) large_q <= cmd_i.page == 8'd16;
      end
    end
    if (!rst_ni) begin
      {on_q, large_q, sweeps_q, sweep_ends_q, closes_q, row_valid_q, row_sweep_q, out_left_q, lost_q} <= '0;
      used_q <= '0;
    end
  end
  // accesses that wait for entries to leave, and entries that wait for room, wait for something from outside
  assign idle_o = !issues && !writes && !sweeps_row && !out_go && !close_go && !ends;

  // ---- assertions
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(access_valid_i, room_o))
  `GANTRY_ASSERT(a_one_command, `GANTRY_IMPL(cmd_valid_i, !sweeps_q && !sweep_ends_q && !closes_q))
  `GANTRY_ASSERT(a_page, `GANTRY_IMPL(cmd_valid_i && cmd_i.action == 16'(COUNTS_ON),
      (cmd_i.page == 8'd12 || cmd_i.page == 8'd16) &&
      ((cmd_i.page == 8'd16) == large_q || (used_q == '0 && !waits && !row_valid_q))))
  `GANTRY_ASSERT(a_action, `GANTRY_IMPL(cmd_valid_i, cmd_i.action <= 16'(COUNTS_READ)))
  `GANTRY_ASSERT(a_once, `GANTRY_IMPL(row_valid_q, $onehot0(match)))  // a page has one entry
endmodule
