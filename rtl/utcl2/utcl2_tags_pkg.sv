// SPDX-License-Identifier: Apache-2.0
// Stage "tags" of the L2 TLB: what stands beside an entry, which of the three stores keeps it, whether a lookup finds it
// and an invalidation names it.  Responsible for: types and pure functions.  Not responsible for: the stores (utcl2_store).
//
// The generation of an address space is part of the tag: raising it removes all entries of the space at once.
package utcl2_tags_pkg;
  import tlb_pkg::*;

  localparam int unsigned Stores = 3;  // of pages, of blocks of 64 KiB, of those of 1 and 2 MiB

  typedef logic [7:0] generation_t;

  typedef struct packed {
    generation_t generation;
    vmid_t       vmid;
    size_e       size;
    vpn_t        first;  // page of the entry
  } tag_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a struct a function looks at some fields only
  function automatic tag_t tag_of(input generation_t generation, input vmid_t vmid, input size_e size, input vpn_t vpn);
    return '{generation: generation, vmid: vmid, size: size, first: vpn & ~size_mask(size)};
  endfunction

  function automatic logic [1:0] store_of(input size_e size);
    return size >= SizeMib ? 2'd2 : size == SizeBlock ? 2'd1 : 2'd0;
  endfunction

  // Set of a page in a store, before it is cut to the number of sets.
  function automatic logic [15:0] set_of(input logic [1:0] store, input vpn_t vpn);
    return vpn_hash(store == 2'd2 ? 28'(vpn[27:9]) : store == 2'd1 ? 28'(vpn[27:4]) : vpn);
  endfunction

  // Is this page of this space, of this generation, one of those of the entry?
  function automatic logic tag_hit(input tag_t tag, input generation_t generation, input vmid_t vmid, input vpn_t vpn);
    return tag == tag_of(generation, vmid, tag.size, vpn);
  endfunction

  // Does an invalidation name a page of the entry?  (Entries of old generations are nobody's: it does not matter.)
  function automatic logic tag_named(input tag_t tag, input inv_t inv);
    return inv_covers(inv, tag.vmid, tag.first, tag.size);
  endfunction

  // Step n of an invalidation of a range: the page whose three sets are looked through.  Of a long range all sets are, by
  // numbers that are their own hash.
  function automatic vpn_t sweep_page(input inv_t inv, input logic long_range, input logic [15:0] step);
    return long_range ? 28'(step) : inv.first + 28'(step);
  endfunction

  function automatic logic [15:0] sweep_set(input logic [1:0] store, input logic long_range, input vpn_t page);
    return long_range ? page[15:0] : set_of(store, page);
  endfunction

  // Steps that a range takes when the largest store has `sets` sets.
  function automatic logic sweep_long(input inv_t inv, input logic [15:0] sets);
    return inv.last - inv.first >= 28'(sets);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
