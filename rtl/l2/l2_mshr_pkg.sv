// SPDX-License-Identifier: Apache-2.0
// MSHR file of an L2 slice: lines that are fetched, the request that asked and the list of those that wait for the fill.
// Responsible for: the file.  Not responsible for: contents (l2_slice), links of the lists (l2_slots_pkg).
//
// An MSHR is free, or its line is asked for.  `fetched` and `timed` come in any order; with both the fill goes through the
// lookup, which frees it.
package l2_mshr_pkg;
  import l2_pkg::*;
  import l2_slots_pkg::*;

  typedef struct packed {
    logic  merge;  // a store had left bytes of the line: these stand
    logic  drop;   // an invalidation came meanwhile: what is fetched serves the one that asked, and is not kept
    slot_t slot;   // asked
    list_t waits;  // came later
    row_t  row;
  } mshr_t;

  typedef struct {
    mshr_t mshr[Mshrs];
    logic [7:0] count[Mshrs];  // in the list
    mshr_no_t of_row[Rows];    // of a way that is on its way
    mshrs_t free;
    mshrs_t fetched;           // contents have come
    mshrs_t timed;             // DRAM has had the time for it
  } file_t;

  function automatic void file_reset(ref file_t f);
    f.free    = '1;
    f.fetched = '0;
    f.timed   = '0;
  endfunction

  // Those whose fill is to go through the lookup.
  function automatic mshrs_t ready(ref file_t f);
    return f.fetched & f.timed & ~f.free;
  endfunction

  function automatic mshr_no_t first_mshr(input mshrs_t mshrs);
    return mshr_no_t'(pick_pkg::first64(64'(mshrs)));
  endfunction

  // A line is asked for: the request in `slot` caused it, into this row, to bytes that are there (`merge`) or not.
  function automatic mshr_no_t open_miss(ref file_t f, input slot_t slot, input row_t row, input logic merge);
    mshr_no_t n;
    mshrs_t bit_of;
    n         = first_mshr(f.free);
    bit_of    = mshrs_t'(1) << n;
    f.free    = f.free & ~bit_of;
    f.fetched = f.fetched & ~bit_of;
    f.timed   = f.timed & ~bit_of;
    f.of_row[row] = n;
    f.mshr[n]  = '{merge: merge, slot: slot, row: row, default: '0};
    f.count[n] = 8'd0;
    return n;
  endfunction

  // A later request waits for it.
  function automatic void join_miss(ref file_t f, ref slots_t s, input row_t row, input slot_t slot);
    mshr_no_t n;
    n = f.of_row[row];
    f.mshr[n].waits = append(s, f.mshr[n].waits, slot);
    f.count[n] = f.count[n] + 8'd1;
  endfunction

  // Of these ways of a set what is fetched is not kept.
  function automatic void drop_fills(ref file_t f, input set_t set, input ways_t ways);
    for (int unsigned w = 0; w < Ways; w++) if (ways[w]) f.mshr[f.of_row[row_of(set, way_t'(w))]].drop = 1'b1;
  endfunction

  function automatic void drop_all_fills(ref file_t f);
    for (int unsigned i = 0; i < Mshrs; i++) f.mshr[i].drop = 1'b1;
  endfunction
endpackage
