// SPDX-License-Identifier: Apache-2.0
// Stage "withheld" of the L2 TLB: which requests without a translation are not answered until the driver says so, and what
// the driver is told.  Responsible for: types and pure functions.  Not responsible for: the list of them (utcl2_tlb), what
// the driver decides (host/maintenance/withheld.c).
package utcl2_withheld_pkg;
  import gantry_msg_pkg::*;
  import tlb_pkg::*;

  // What becomes of a failing translation of an address space.
  typedef struct packed {
    logic deny;      // a fault, locked pages as well: the space is being ended (CTL_XLAT of the whole space)
    logic withhold;  // withheld (CTL_ROOT); else only those of locked pages
  } space_t;

  // `pte`: what the walk has found.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic withheld(input space_t space, input logic deny, input logic [63:0] pte);
    return !pte[0] && !deny && !space.deny && (space.withhold || pte_locked(pte));
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // The driver hears of a walk once, with the rights that its first request wants.
  function automatic xlat_evt_t report(input vmid_t vmid, input vpn_t vpn, input logic [7:0] access);
    return '{vmid: vmid, access: access, va: 64'({vpn, 12'd0}), default: '0};
  endfunction
endpackage
