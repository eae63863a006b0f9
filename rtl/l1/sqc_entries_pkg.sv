// SPDX-License-Identifier: Apache-2.0
// Stage "miss file" of the instruction and scalar caches: the 16 requests that are under way.  The first entry that misses a page
// or a line owns the request to memory; later ones wait for its answer and then look up again.
// Responsible for: where an entry stands and how it goes on.  Not responsible for: lookups, the port to memory (sqc_cache).
package sqc_entries_pkg;
  import gantry_msg_pkg::*;
  import sqc_queue_pkg::*;

  localparam int unsigned NumEntries = 16;

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

  // A request takes an entry.
  function automatic void open(ref file_t f, input entry_t e, input logic [63:0] va, input want_t want,
                               input logic [1:0] port);
    f.free[e]   = 1'b0;
    f.second[e] = 1'b0;
    f.store[e]  = want.store;
    f.va[e]     = va;
    f.first[e]  = va;
    f.want[e]   = want;
    f.port[e]   = port;
  endfunction

  // A scalar access reaches over the end of its line, and stands in the first of the two.
  function automatic logic goes_on(ref file_t f, input entry_t e);
    return !f.second[e] && 9'(f.first[e][5:2]) + 9'(f.want[e].count) > 9'd16;
  endfunction

  function automatic void go_on(ref file_t f, input entry_t e);
    f.va[e]     = {f.va[e][63:6] + 58'd1, 6'd0};
    f.second[e] = 1'b1;
  endfunction

  function automatic void fail(ref file_t f, input entry_t e, input logic [7:0] status);
    f.faulted[e] = 1'b1;
    f.status[e]  = status;
  endfunction

  // A lookup missed its page (xlat) or its line `pa`: it waits for whoever asks for that already, else it asks.  A store asks
  // for itself, and nobody waits for one.
  function automatic void park(ref file_t f, input entry_t e, input logic xlat, input logic [63:0] pa);
    entry_t owner;
    logic same;
    owner   = e;
    f.pa[e] = pa;
    for (int unsigned i = 0; i < NumEntries; i++) begin
      same = xlat ? (f.send_x[i[3:0]] || f.wait_x[i[3:0]]) && f.va[i][39:12] == f.va[e][39:12] &&
                    f.want[i].vmid == f.want[e].vmid :
          (f.send_m[i[3:0]] || f.wait_m[i[3:0]]) && f.pa[i] == pa && !f.store[i[3:0]] && !f.store[e];
      owner = same && f.owner[i] == i[3:0] && i[3:0] != e ? i[3:0] : owner;
    end
    f.owner[e]  = owner;
    f.send_x[e] = xlat && owner == e;
    f.send_m[e] = !xlat && owner == e;
    f.wait_x[e] = xlat && owner != e;
    f.wait_m[e] = !xlat && owner != e;
  endfunction

  // The request of an owner leaves.
  function automatic void sent(ref file_t f, input entry_t e, input logic xlat);
    f.send_x[e] = 1'b0;
    f.send_m[e] = 1'b0;
    f.wait_x[e] = xlat;
    f.wait_m[e] = !xlat;
  endfunction

  // Memory has answered an owner: it and those that wait for it look up again, or fail.
  function automatic void wake(ref file_t f, input entry_t owner, input logic xlat, input logic [7:0] status);
    logic match;
    for (int unsigned i = 0; i < NumEntries; i++) begin
      match = (xlat ? f.wait_x[i[3:0]] : f.wait_m[i[3:0]]) && f.owner[i] == owner;
      f.faulted[i[3:0]] = match && status != MEM_OK ? 1'b1 : f.faulted[i[3:0]];
      f.woken[i[3:0]]   = match && status == MEM_OK ? 1'b1 : f.woken[i[3:0]];
      f.status[i]       = match ? status : f.status[i];
      f.stale[i[3:0]]   = match ? 1'b0 : f.stale[i[3:0]];
      f.wait_x[i[3:0]]  = match ? 1'b0 : f.wait_x[i[3:0]];
      f.wait_m[i[3:0]]  = match ? 1'b0 : f.wait_m[i[3:0]];
    end
  endfunction

  // A store is performed in its line: it goes on to the second, or is done.
  function automatic void stored(ref file_t f, input entry_t e);
    if (goes_on(f, e)) begin
      go_on(f, e);
    end else begin
      f.woken[e]   = 1'b0;
      f.faulted[e] = 1'b1;
    end
  endfunction

  // What a lookup before an invalidation of the TLB has translated, up to that which was compared at this edge.
  function automatic entries_t translated(ref file_t f);
    return f.send_m | f.wait_m;
  endfunction
endpackage
