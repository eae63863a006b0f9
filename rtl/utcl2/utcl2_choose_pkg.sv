// SPDX-License-Identifier: Apache-2.0
// Stage "choose" of the L2 TLB: a request as it stands in a slot, which one is looked up next and in which sets.
// Order: the first of those that wait for a walk as soon as one is free, else the next that has come.  So walks begin in
// the order in which requests missed, and no requester overtakes another's miss; hits pass all of them.
// Responsible for: types and pure functions.  Not responsible for: queues and slots (utcl2_tlb).
package utcl2_choose_pkg;
  import tlb_pkg::*;

  typedef logic [10:0] slot_t;
  typedef logic [11:0] slots_t;  // how many

  // Page that a request wants; `beyond` 40 bits there is none.
  typedef struct packed {
    logic  beyond;
    vmid_t vmid;
    vpn_t  vpn;
  } page_t;

  // Who wants it, what for.
  typedef struct packed {
    logic [7:0]  gpu;
    logic [7:0]  source;
    logic [7:0]  access;
    logic [31:0] tag;
  } who_t;

  // What is in a stage of the lookup: a request, one that has waited for a walk, or a step of an invalidation.
  typedef struct packed {
    logic  valid;
    logic  waited;
    logic  sweep;
    slot_t slot;
    vpn_t  vpn;
  } look_t;

  typedef enum logic [1:0] {
    TakeNone,
    TakeWaiting,
    TakeNew
  } take_e;

  /* verilator lint_off UNUSEDSIGNAL */  // of a struct a function looks at some fields only
  // Answers that may come of lookups have a place: `waiting_answers` and that of the lookup one stage ahead.
  function automatic logic room(input logic [7:0] waiting_answers, input logic ahead, input logic [7:0] places);
    return waiting_answers + 8'(ahead) < places - 8'd1;
  endfunction

  // One request that has waited is under way at a time, so that the walk it was chosen for is still free behind it.
  function automatic take_e take(input logic may, input logic some_wait, input logic walk_free,
                                 input logic waited_ahead, input logic some_new, input logic slots_left);
    if (!may) return TakeNone;
    if (some_wait && walk_free && !waited_ahead) return TakeWaiting;
    return some_new && slots_left ? TakeNew : TakeNone;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
