// SPDX-License-Identifier: Apache-2.0
// Page-table entries and physical addresses as every block of the memory side sees them: rights, physical address of
// a virtual one, how many pages an entry covers, what an invalidation names, crossbar port of the block that serves an
// address.  The format is host/vm/pagetable.h's.
// Responsible for: pure functions.  Not responsible for: who caches entries (tlb_l1, utcl2).
package tlb_pkg;
  localparam int unsigned VaBits = 40;
  localparam int unsigned VpnBits = 28;  // 4 KiB pages
  localparam logic [7:0] ACCESS_READ = 8'd1;
  localparam logic [7:0] ACCESS_WRITE = 8'd2;
  localparam logic [7:0] ACCESS_EXECUTE = 8'd4;
  localparam logic [7:0] ACCESS_HOME = 8'd8;  // of a MEM_READ: no cache of another GPU may answer
  localparam logic [7:0] ACCESS_PASS = 8'd16; // of a MEM_WRITE: the L2 does not take the line
  localparam logic [7:0] VMID_ALL = 8'd255;

  typedef logic [7:0] vmid_t;
  typedef logic [27:0] vpn_t;

  // What an entry of a TLB covers: the greatest of these sizes that its fragment reaches.
  typedef enum logic [1:0] {
    SizePage,   // 4 KiB
    SizeBlock,  // 64 KiB, from fragment 4 on
    SizeMib,    // 1 MiB, from fragment 8 on
    SizeLarge   // 2 MiB, from fragment 9 on
  } size_e;

  // What an invalidation names: an address space (VMID_ALL: every one), and of it all pages or those from first to last.
  typedef struct packed {
    vmid_t vmid;
    logic  whole;
    vpn_t  first;
    vpn_t  last;
  } inv_t;

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

  // No translation now, but one may come: PTE_LOCKED of host/vm/pagetable.h.
  function automatic logic pte_locked(input logic [63:0] pte);
    return !pte[0] && pte[56];
  endfunction

  // An entry whose fragment is n is one of 2^n aligned pages that follow each other in both address spaces and have the
  // same bits.
  function automatic size_e pte_size(input logic [63:0] pte);
    return pte[11:7] >= 5'd9 ? SizeLarge : pte[11:7] >= 5'd8 ? SizeMib : pte[11:7] >= 5'd4 ? SizeBlock : SizePage;
  endfunction

  // The bits of a page's number that an entry of this size does not compare.
  function automatic vpn_t size_mask(input size_e size);
    return size == SizeLarge ? 28'h1FF : size == SizeMib ? 28'hFF : size == SizeBlock ? 28'hF : 28'h0;
  endfunction

  // The entry of one page out of that of any page of its fragment.
  function automatic logic [63:0] pte_of_page(input logic [63:0] pte, input size_e size, input vpn_t vpn);
    return {pte[63:40], (pte[39:12] & ~size_mask(size)) | (vpn & size_mask(size)), pte[11:0]};
  endfunction

  // What an invalidation message names: `bytes` from address `va` on, 0: the whole address space.
  function automatic inv_t inv_of(input vmid_t vmid, input logic [63:0] va, input logic [63:0] bytes);
    logic [63:0] last;
    last = va + bytes - 64'd1;
    return '{vmid: vmid, whole: bytes == 64'd0, first: va[39:12], last: last[39:12]};
  endfunction

  // Does an invalidation name some page of an entry of this size, or of what was being translated for it?
  function automatic logic inv_covers(input inv_t inv, input vmid_t vmid, input vpn_t vpn, input size_e size);
    return (inv.vmid == VMID_ALL || inv.vmid == vmid) &&
        (inv.whole || ((vpn | size_mask(size)) >= inv.first && (vpn & ~size_mask(size)) <= inv.last));
  endfunction

  // Entries handed out by the L2 TLB map 4 KiB.
  function automatic logic [63:0] pte_pa(input logic [63:0] pte, input logic [63:0] va);
    return {8'd0, pte[55:12], va[11:0]};
  endfunction

  // Lines of this page may stay in the requester's L1V until its next invalidation: memory of a GPU, of this one or another,
  // and not marked uncached.
  function automatic logic pte_cached(input logic [63:0] pte);
    return pte[6:5] == 2'd0 && pte[55:48] != 8'd0;
  endfunction

  // Crossbar port that serves a physical address for a requester on `gpu`; `slices` a power of two.
  function automatic logic [7:0] pa_target(input logic [63:0] pa, input logic [7:0] gpu, input logic [7:0] slices);
    return pa[55:48] == gpu + 8'd1 ? pa[15:8] & (slices - 8'd1) : slices + 8'd1;
  endfunction

  function automatic logic [7:0] xlat_target(input logic [7:0] slices);
    return slices;
  endfunction

  // Set of a page in a set-associative TLB: neighbours differ, and so do equal offsets of 512-page tables.
  function automatic logic [15:0] vpn_hash(input vpn_t vpn);
    return vpn[15:0] ^ 16'(vpn[17:9]) ^ 16'(vpn[27:16]);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
