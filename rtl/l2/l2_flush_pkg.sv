// SPDX-License-Identifier: Apache-2.0
// Maintenance of an L2 slice: write back, invalidate or both, everything or a range of physical lines, in steps that go
// through the lookup beside the requests.
// Responsible for: which step is next.  Not responsible for: what a step does to its set (l2_look_pkg).
//
// What is clean and named is dropped, what is dirty is written back first; an invalidation without write-back leaves what
// is dirty.  A write-back covers the lines that were dirty when it began.  Each set is visited once, and there the ways
// that are dirty at that moment, so other requests cannot keep it from ending.  Every write to DRAM carries the era in
// which it was decided; when the last step is out a new era begins, and the answer waits until all writes of the old one,
// victims too, are in DRAM.
package l2_flush_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_choose_pkg::*;
  import l2_tags_pkg::*;
  import l2_mshr_pkg::*;
  import l2_miss_pkg::*;

  typedef enum logic [2:0] {
    FlushRest,
    FlushLines,  // a range not longer than the slice has sets: line after line
    FlushSets,   // a longer one to drop from: set after set
    FlushDirty,  // sets that hold dirty lines, by their summary
    FlushDrain,  // the last steps are in the lookup
    FlushWait    // until the old era's writes are in DRAM
  } flush_e;

  typedef struct packed {
    flush_e      state;
    logic        write_back;
    logic        drop;
    logic        whole;
    line_no_t    first;  // of the range
    line_no_t    last;
    line_no_t    at;     // FlushLines: next line; FlushSets: next set; FlushDirty: next group of 64 sets
    logic [63:0] left;   // FlushDirty: sets of the group that are still to visit
    set_t        set;    // set being visited
    ways_t       todo;   // its ways still to write back
    logic        sweep;  // its clean lines are still to drop
  } flush_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a command, an address or the state some bits only
  // The lines of a slice lie in pieces of 256 bytes between those of the others: a range is taken to the next piece.
  function automatic flush_t begins(input blk_cmd_t cmd);
    logic [63:0] last;
    flush_t f;
    last = cmd.root + cmd.bytes - 64'd1;
    f = '0;
    f.state      = FlushDrain;
    f.write_back = (cmd.flags & 32'(CACHE_WB_L2)) != 32'd0;
    f.drop       = (cmd.flags & 32'(CACHE_INV_L2)) != 32'd0;
    // a range beside CACHE_INV_TLB is one of virtual addresses
    f.whole      = cmd.bytes == 64'd0 || (cmd.flags & 32'(CACHE_INV_TLB)) != 32'd0;
    f.first      = {2'd0, cmd.root[37:8]} >> SliceBits << 2;
    f.last       = {2'd0, last[37:8]} >> SliceBits << 2 | 32'd3;
    return f;
  endfunction

  // How the lines are found.
  function automatic flush_e walk(const ref flush_t f, input logic some_dirty);
    if (!f.whole && f.last - f.first < 32'(Sets)) return FlushLines;
    if (!f.whole && f.drop) return FlushSets;
    return f.write_back && some_dirty ? FlushDirty : FlushDrain;
  endfunction

  function automatic logic named(const ref flush_t f, input line_no_t line);
    return f.whole || (line >= f.first && line <= f.last);
  endfunction

  // Sets are gone through, one a cycle, until there is one to visit.
  function automatic void seek(ref flush_t f, ref sets_t t);
    unique case (f.state)
      FlushSets:
      if (!f.sweep && f.todo == '0) begin
        if (f.at == 32'(Sets)) f.state = FlushDrain;
        else begin
          f.set   = set_t'(f.at);
          f.todo  = f.write_back ? t.set[f.set].dirty : '0;
          f.sweep = 1'b1;
          f.at    = f.at + 32'd1;
        end
      end
      FlushDirty:
      if (f.todo == '0) begin
        if (f.left != 64'd0) begin
          f.set  = set_t'({f.at[7:0] - 8'd1, pick_pkg::first64(f.left)});
          f.left = f.left & (f.left - 64'd1);
          f.todo = t.set[f.set].dirty;
        end else if (f.at == 32'(Groups)) f.state = FlushDrain;
        else begin
          f.left = t.dirty_sets[group_t'(f.at)];
          f.at   = f.at + 32'd1;
        end
      end
      default: ;
    endcase
  endfunction

  // The last step is out when no step is ahead: a new era begins.  Result: the command is done.
  function automatic logic ends(ref flush_t f, ref queues_t q, input logic ahead);
    if (f.state == FlushDrain && !ahead) begin
      f.state = FlushWait;
      q.era   = f.write_back ? !q.era : q.era;
    end
    if (f.state != FlushWait || (f.write_back && q.writes[!q.era] != 16'd0)) return 1'b0;
    f.state = FlushRest;
    return 1'b1;
  endfunction

  // A command begins.
  function automatic void start(ref flush_t f, ref sets_t t, ref file_t misses, input blk_cmd_t cmd);
    f       = begins(cmd);
    f.state = walk(f, t.dirty_lines != 15'd0);
    f.at    = f.state == FlushLines ? f.first : 32'd0;
    if (f.drop && f.whole) begin
      drop_clean(t);
      drop_all_fills(misses);
    end
  endfunction

  // There is a step to take.
  function automatic logic steps(const ref flush_t f);
    return f.state == FlushLines || f.sweep || f.todo != '0;
  endfunction

  // The next step, on the line `f.at` where it goes by lines.
  function automatic look_t step(ref flush_t f);
    look_t s;
    s = '0;
    s.valid   = 1'b1;
    s.what    = TakeFlush;
    s.by_line = f.state == FlushLines;
    s.set     = s.by_line ? set_of(f.at) : f.set;
    s.way     = first_way(f.todo);
    s.sweep   = f.sweep;
    f.sweep   = 1'b0;
    f.todo    = f.todo & (f.todo - ways_t'(1));
    if (s.by_line && f.at == f.last) f.state = FlushDrain;
    f.at      = s.by_line ? f.at + 32'd1 : f.at;
    return s;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
