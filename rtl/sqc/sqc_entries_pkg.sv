// SPDX-License-Identifier: Apache-2.0
// Stage "miss file" of the instruction and scalar caches: the 16 requests that are under way.  The first entry that misses a page
// or a line owns the request to memory; later ones wait for its answer and then look up again.
// Responsible for: types and pure functions.  Not responsible for: the file itself (sqc_cache: read_slang drops what a function
// does to an argument by reference).
package sqc_entries_pkg;
  import gantry_msg_pkg::*;
  import sqc_queue_pkg::*;

  localparam int unsigned NumEntries = 16;
  localparam logic [NumEntries-1:0] AheadEntries = 16'hf000;  // that lines may be fetched ahead with

  typedef logic [NumEntries-1:0] entries_t;  // a bit an entry
  typedef logic [3:0] entry_t;
  typedef logic [15:0][31:0] line_t;         // dwords

  typedef struct {
    // an entry is in one of these, or in the pipeline
    entries_t free;
    entries_t woken;    // becomes ready one edge later: what came for it is readable then
    entries_t ready;    // to look up again
    entries_t send_x;   // owner of a request to memory that has not left: a translation,
    entries_t send_m;   // a line or a store
    entries_t wait_x;   // for a translation, its own or another's
    entries_t wait_m;
    entries_t faulted;  // to be answered without data: a fault, a store that is done
    // besides
    entries_t second;   // looks for the second of its two lines
    entries_t store;
    entries_t stale;    // what comes for it is not kept
    entries_t lost;     // waits, but was dropped: the answer to its own request to memory is swallowed
    entries_t ahead;    // nobody has asked for its line: it is fetched behind one that somebody has, and answers nobody
    entries_t primed;   // of these: nobody has, its translation is fetched as well
    entries_t old;      // sent or to be sent by a translation from before the invalidation of the TLB
    logic [63:0] va[NumEntries];     // looked up
    logic [63:0] first[NumEntries];  // as asked for
    logic [63:0] pa[NumEntries];     // of the line
    want_t       want[NumEntries];
    data_t       data[NumEntries];   // of stores
    logic [7:0]  status[NumEntries];
    logic [1:0]  port[NumEntries];
    entry_t      owner[NumEntries];
  } file_t;

  function automatic entry_t first_of(input entries_t entries);
    return 4'(pick_pkg::first64({48'd0, entries}));
  endfunction

  // A scalar access reaches over the end of its line, and stands in the first of the two.
  /* verilator lint_off UNUSEDSIGNAL */  // of addresses and wants a function looks at some bits only
  function automatic logic goes_on(input logic in_second, input logic [3:0] offset, input logic [7:0] dwords);
    return !in_second && 9'(offset) + 9'(dwords) > 9'd16;
  endfunction

  function automatic logic [63:0] next_line(input logic [63:0] va);
    return {va[63:6] + 58'd1, 6'd0};
  endfunction

  // May a request that misses wait for the answer to another one?  Of a page: the same of the same space.
  function automatic logic same_page(input logic [63:0] va, input want_t want, input logic [63:0] other_va,
                                     input want_t other);
    return va[39:12] == other_va[39:12] && want.vmid == other.vmid;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
