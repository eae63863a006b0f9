// SPDX-License-Identifier: Apache-2.0
// Stage "miss file" of the L2 TLB: walks that requests wait for.  A request joins the walk of its page, begins one, or
// waits until one is free.  Responsible for: types and pure functions.  Not responsible for: walking (utcl2_walker), the
// lists of those that wait (utcl2_tlb).
package utcl2_misses_pkg;
  import tlb_pkg::*;
  import utcl2_choose_pkg::*;

  typedef struct packed {
    logic   keep;   // what the walk finds goes into the TLB: an entry for it has not come meanwhile
    logic   deny;   // without a translation it is a fault: the driver said so of one of its requests
    slot_t  first;  // requests that wait for it, a list
    slot_t  last;
    slots_t count;
    vmid_t  vmid;
    vpn_t   vpn;
  } walk_t;

  typedef enum logic [1:0] {
    MissJoin,
    MissWalk,
    MissWait
  } miss_e;

  /* verilator lint_off UNUSEDSIGNAL */  // of a struct a function looks at some fields only
  function automatic logic walk_same(input walk_t walk, input page_t page);
    return walk.vmid == page.vmid && walk.vpn == page.vpn;
  endfunction

  // Is the page that a walk looks for one of those of an entry that has just been found?
  function automatic logic walk_covered(input walk_t walk, input vmid_t vmid, input vpn_t vpn, input size_e size);
    return walk.vmid == vmid && ((walk.vpn ^ vpn) & ~size_mask(size)) == 28'd0;
  endfunction

  // May an invalidation have changed what this walk reads?  What a walk finds may cover 2 MiB, so any change there counts.
  function automatic logic walk_stale(input inv_t inv, input vmid_t vmid, input vpn_t vpn);
    return inv_covers(inv, vmid, vpn, SizeLarge);
  endfunction

  // A free walk is for the oldest that waits.
  function automatic miss_e miss(input logic joins, input logic waited, input logic others_wait, input logic walk_free);
    return joins ? MissJoin : walk_free && (waited || !others_wait) ? MissWalk : MissWait;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
