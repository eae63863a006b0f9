// SPDX-License-Identifier: Apache-2.0
// Maintenance of an L2 slice: write back, invalidate or both, everything or a range of physical lines, in steps that go
// through the lookup beside the requests.
// Responsible for: types and pure functions.  Not responsible for: what a step does in each stage (l2_slice).
//
// What is clean and named is dropped, what is dirty is written back first; an invalidation without write-back leaves what
// is dirty.  A write-back covers the lines that were dirty when it began.  Each set is visited once, and there the ways
// that are dirty at that moment, so other requests cannot keep it from ending.  Every write to DRAM carries the era in
// which it was decided; when the last step is out a new era begins, and the answer waits until all writes of the old one,
// victims too, are in DRAM.  A command that another follows (CACHE_MORE) is answered when its last step is out and begins no
// era, so its writes are of the era that the next write-back waits for.
package l2_flush_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;

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
    logic        more;   // another command follows
    logic        whole;
    logic        age;    // what other GPUs find is old
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
  function automatic flush_t begins(input ctl_cmd_t cmd, input shape_t shape);
    logic [63:0] last;
    last = cmd.root + cmd.bytes - 64'd1;
    return '{
        state: FlushDrain,
        write_back: (cmd.flags & 32'(CACHE_WB_L2)) != 32'd0,
        drop: (cmd.flags & 32'(CACHE_INV_L2)) != 32'd0,
        more: (cmd.flags & 32'(CACHE_MORE)) != 32'd0,
        age: (cmd.flags & 32'(CACHE_FAR)) != 32'd0,
        // a range beside CACHE_INV_TLB is one of virtual addresses
        whole: cmd.bytes == 64'd0 || (cmd.flags & 32'(CACHE_INV_TLB)) != 32'd0,
        first: 32'(cmd.root[37:8]) >> shape.slice_bits << 2,
        last: 32'(last[37:8]) >> shape.slice_bits << 2 | 32'd3,
        default: '0
    };
  endfunction

  // How the lines are found.
  function automatic flush_e walk(input flush_t f, input logic [31:0] sets, input logic some_dirty);
    if (!f.whole && f.last - f.first < sets) return FlushLines;
    if (!f.whole && f.drop) return FlushSets;
    return f.write_back && some_dirty ? FlushDirty : FlushDrain;
  endfunction

  function automatic logic named(input flush_t f, input line_no_t line);
    return f.whole || (line >= f.first && line <= f.last);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
