// SPDX-License-Identifier: Apache-2.0
// First-level TLB: set-associative table of translations, tagged with VMID and page; one lookup a cycle.  An entry that
// the page table marks as one of a block of 64 KiB (tlb_pkg::pte_block) or 1 MiB (pte_large) is kept for all 16 or 256 pages of
// it, in the set of the block; a lookup looks into the set of the page and into those of its blocks.
// Responsible for: lookup, replacement (oldest way of a set), invalidation by VMID or of all (255).  Not responsible
// for: asking the L2 TLB after a miss, merging misses and checking rights (the user; tlb_pkg::pte_status).
//
// A lookup presented (registered) at one edge is answered in result_* after the next edge.  A fill or invalidation
// presented together with a lookup takes effect before it.  Entries that are not valid (faults) must not be filled.
`include "gantry_assert.svh"

module tlb_l1 #(
  parameter int unsigned Entries = 64,  // power of two
  parameter int unsigned Ways = 4,
  // bench only: 1 VMID not compared, 2 invalidation keeps set 0, 3 page of a block not put into the address
  parameter bit [1:0] SeedFault = 2'd0
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,            // low: no input is valid now, and none was in the cycle before
  input  logic        lookup_valid_i,
  input  logic [ 7:0] lookup_vmid_i,
  input  logic [27:0] lookup_vpn_i,
  output logic        result_valid_o,
  output logic        result_hit_o,
  output logic [63:0] result_pte_o,
  input  logic        fill_valid_i,
  input  logic [ 7:0] fill_vmid_i,
  input  logic [27:0] fill_vpn_i,
  input  logic [63:0] fill_pte_i,
  input  logic        inv_valid_i,
  input  logic [ 7:0] inv_vmid_i
);
  localparam int unsigned NumWays = Ways < Entries ? Ways : Entries;
  localparam int unsigned Sets = Entries / NumWays;
  localparam logic [15:0] SetMask = 16'(Sets - 1);

  /* verilator lint_off BLKSEQ */
  logic [63:0] tag[Entries];  // {size, valid, vmid, number of the page or block}; entry = set * ways + way
  logic [63:0] pte[Entries];
  logic [31:0] oldest[Sets];

  // Size of an entry: 0 a page, 1 a block of 64 KiB, 2 of 1 MiB, so 16 ** size pages.
  logic [31:0] base, way, hit_way, size, hit_size;
  logic [63:0] wanted, found;
  logic hit;
  logic twice_q;  // for the assertions: the last lookup found two entries of one size

  function automatic logic [27:0] number_of(input logic [31:0] of_size, input logic [27:0] vpn);
    return of_size == 32'd2 ? {8'd0, vpn[27:8]} : of_size == 32'd1 ? {4'd0, vpn[27:4]} : vpn;
  endfunction

  function automatic logic [63:0] make_tag(input logic [31:0] of_size, input logic [7:0] vmid, input logic [27:0] vpn);
    return {25'd0, of_size[1:0], 1'b1, SeedFault == 2'd1 ? 8'd0 : vmid, number_of(of_size, vpn)};
  endfunction

  function automatic logic [31:0] set_of(input logic [31:0] of_size, input logic [27:0] vpn);
    return 32'(tlb_pkg::vpn_hash(number_of(of_size, vpn)) & SetMask);
  endfunction

  function automatic logic kept_twice(input logic [7:0] vmid, input logic [27:0] vpn);
    logic some, twice, same;
    twice = 1'b0;
    for (int unsigned n = 0; n < 3; n++) begin
      some = 1'b0;
      for (int unsigned w = 0; w < NumWays; w++) begin
        same  = tag[set_of(n, vpn)*NumWays+w] == make_tag(n, vmid, vpn);
        twice = twice | (same & some);
        some  = some | same;
      end
    end
    return twice;
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (inv_valid_i) begin
        for (int unsigned e = 0; e < Entries; e++) begin
          if ((inv_vmid_i == tlb_pkg::VMID_ALL || tag[e][35:28] == inv_vmid_i) && (SeedFault != 2'd2 || e >= NumWays))
            tag[e] = 64'd0;
        end
      end
      if (fill_valid_i) begin
        size   = tlb_pkg::pte_large(fill_pte_i) ? 32'd2 : tlb_pkg::pte_block(fill_pte_i) ? 32'd1 : 32'd0;
        base   = set_of(size, fill_vpn_i);
        way    = oldest[base] & 32'(NumWays - 1);
        wanted = make_tag(size, fill_vmid_i, fill_vpn_i);
        hit    = 1'b0;
        for (int unsigned w = 0; w < NumWays; w++) begin  // the same page again (two misses of one page): in place
          hit_way = tag[base*NumWays+w] == wanted ? w : hit_way;
          hit     = tag[base*NumWays+w] == wanted ? 1'b1 : hit;
        end
        oldest[base] = hit ? oldest[base] : way + 32'd1;
        way = hit ? hit_way : way;
        tag[base*NumWays+way] = wanted;
        pte[base*NumWays+way] = fill_pte_i;
      end
      if (lookup_valid_i) begin
        hit      = 1'b0;
        hit_way  = 32'd0;
        hit_size = 32'd0;
        for (int unsigned n = 0; n < 3; n++) begin
          base   = set_of(n, lookup_vpn_i) * NumWays;
          wanted = make_tag(n, lookup_vmid_i, lookup_vpn_i);
          for (int unsigned w = 0; w < NumWays; w++) begin
            hit_way  = tag[base+w] == wanted ? base + w : hit_way;
            hit_size = tag[base+w] == wanted ? n : hit_size;
            hit      = tag[base+w] == wanted ? 1'b1 : hit;
          end
        end
        found = pte[hit_way];
        if (hit_size >= 32'd1 && SeedFault != 2'd3) found[15:12] = lookup_vpn_i[3:0];
        if (hit_size == 32'd2 && SeedFault != 2'd3) found[19:16] = lookup_vpn_i[7:4];
        twice_q <= kept_twice(lookup_vmid_i, lookup_vpn_i);
        result_hit_o <= hit;
        result_pte_o <= found;
      end
      result_valid_o <= lookup_valid_i && rst_ni;
      if (!rst_ni) begin
        for (int unsigned e = 0; e < Entries; e++) tag[e] = 64'd0;
        for (int unsigned s = 0; s < Sets; s++) oldest[s] = 32'd0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_enabled, `GANTRY_IMPL(lookup_valid_i || fill_valid_i || inv_valid_i || result_valid_o, en_i))
  // only translations are kept, so what a lookup finds is one
  `GANTRY_ASSERT(a_fill, `GANTRY_IMPL(fill_valid_i, fill_pte_i[0] && fill_pte_i[4]))
  `STREAM_ASSERT(a_hit, result_valid_o && result_hit_o, result_pte_o[0] && result_pte_o[4])
  // of each size a page is kept once: an older translation of it cannot be found
  `STREAM_ASSERT(a_once, result_valid_o, !twice_q)
  // every lookup has its result one cycle later
  `STREAM_BOUND(a_result, 1, lookup_valid_i, result_valid_o)
  // nothing is found before a fill that came after the last invalidation of all
  logic empty_q, found_empty_q;
  always_ff @(posedge clk_i) begin
    if (fill_valid_i) empty_q <= 1'b0;
    else if (inv_valid_i && inv_vmid_i == tlb_pkg::VMID_ALL) empty_q <= 1'b1;
    if (!rst_ni) empty_q <= 1'b1;
    found_empty_q <= !fill_valid_i && (empty_q || (inv_valid_i && inv_vmid_i == tlb_pkg::VMID_ALL));
  end
  `STREAM_ASSERT(a_empty, result_valid_o && found_empty_q, !result_hit_o)
endmodule
