// SPDX-License-Identifier: Apache-2.0
// MSHR file of an L2 slice: lines that are fetched, the request that asked and the list of those that wait for the fill.
// Responsible for: types and pure functions.  Not responsible for: links of the lists (slot_next of l2_slice).
package l2_mshr_pkg;
  import l2_pkg::*;

  typedef struct packed {
    logic  busy;
    logic  fetched; // contents have come
    logic  timed;   // DRAM has had the time for it
    logic  merge;  // the line was there, with bytes that are newer than DRAM: these stand
    logic  drop;   // an invalidation came meanwhile: what is fetched serves the one that asked, and is not kept
    logic  old;    // CACHE_FAR came meanwhile: another GPU does not find what is fetched
    logic  waits;  // the list is not empty
    slot_t slot;   // asked
    slot_t first;  // list of those that came later
    slot_t last;
    row_t  row;
  } mshr_t;

  // A list of slots.
  typedef struct packed {
    logic  some;
    slot_t first;
    slot_t last;
  } list_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a list a function looks at some fields only
  // After a slot was put at the end (the link of the old end is the caller's).
  function automatic list_t append(input list_t list, input slot_t slot);
    return '{some: 1'b1, first: list.some ? list.first : slot, last: slot};
  endfunction

  // After the list `from` to `to` was put before it (the link of `to` is the caller's): those that waited for a fill are
  // older than what still waits since an earlier fill of the same line.
  function automatic list_t prepend(input list_t list, input slot_t from, input slot_t to);
    return '{some: 1'b1, first: from, last: list.some ? list.last : to};
  endfunction

  // Without its first, which is followed by `next`.
  function automatic list_t rest(input list_t list, input slot_t next);
    return '{some: list.first != list.last, first: next, last: list.last};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
