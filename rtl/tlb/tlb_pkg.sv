// SPDX-License-Identifier: Apache-2.0
// Page-table entries and physical addresses as every block of the memory side sees them: rights, physical address of
// a virtual one, crossbar port of the block that serves an address.  The format is host/vm/pagetable.h's.
// Responsible for: pure functions.  Not responsible for: who caches entries (tlb_l1, utcl2).
package tlb_pkg;
  localparam int unsigned VaBits = 40;
  localparam int unsigned VpnBits = 28;  // 4 KiB pages
  localparam logic [7:0] ACCESS_READ = 8'd1;
  localparam logic [7:0] ACCESS_WRITE = 8'd2;
  localparam logic [7:0] ACCESS_EXECUTE = 8'd4;
  localparam logic [7:0] VMID_ALL = 8'd255;

  // What an access with the wanted rights gets from this entry (enum mem_status).  An entry without R but with W
  // does not exist; a read of a page without R counts as not present.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [7:0] pte_status(input logic [63:0] pte, input logic [7:0] access);
    if (!pte[0] || !pte[4]) return gantry_msg_pkg::MEM_FAULT_NOT_PRESENT;
    if (access[2] && !pte[3]) return gantry_msg_pkg::MEM_FAULT_NO_EXECUTE;
    if (access[1] && !pte[2]) return gantry_msg_pkg::MEM_FAULT_READ_ONLY;
    if (access[0] && !pte[1]) return gantry_msg_pkg::MEM_FAULT_NOT_PRESENT;
    return gantry_msg_pkg::MEM_OK;
  endfunction

  // Is this entry one of 16 aligned pages that follow each other in both address spaces and have the same bits?
  function automatic logic pte_block(input logic [63:0] pte);
    return pte[11:7] >= 5'd4;
  endfunction

  // Of 256 such pages?
  function automatic logic pte_large(input logic [63:0] pte);
    return pte[11:7] >= 5'd8;
  endfunction

  // Entries handed out by the L2 TLB map 4 KiB.
  function automatic logic [63:0] pte_pa(input logic [63:0] pte, input logic [63:0] va);
    return {8'd0, pte[55:12], va[11:0]};
  endfunction

  // Lines of this page may stay in a cache of the requester: own memory and not marked uncached.
  function automatic logic pte_cached(input logic [63:0] pte, input logic [7:0] gpu);
    return pte[6:5] == 2'd0 && pte[55:48] == gpu + 8'd1;
  endfunction

  // Crossbar port that serves a physical address for a requester on `gpu`; `slices` a power of two.
  function automatic logic [7:0] pa_target(input logic [63:0] pa, input logic [7:0] gpu, input logic [7:0] slices);
    return pa[55:48] == gpu + 8'd1 ? pa[15:8] & (slices - 8'd1) : slices + 8'd1;
  endfunction

  function automatic logic [7:0] xlat_target(input logic [7:0] slices);
    return slices;
  endfunction

  // Set of a page in a set-associative TLB: neighbours differ, and so do equal offsets of 512-page tables.
  function automatic logic [15:0] vpn_hash(input logic [27:0] vpn);
    return vpn[15:0] ^ {7'd0, vpn[17:9]} ^ {4'd0, vpn[27:16]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
