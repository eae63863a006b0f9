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
  logic [63:0] tag[Entries];  // {1 MiB, 64 KiB, valid, vmid, vpn}; entry = set * ways + way
  logic [63:0] pte[Entries];
  logic [31:0] oldest[Sets];

  logic [31:0] base, way, hit_way, block_base, large_base;
  logic [63:0] wanted, block_wanted, large_wanted, found;
  logic hit, in_block, in_large;

  function automatic logic [63:0] make_tag(input logic [7:0] vmid, input logic [27:0] vpn);
    return {27'd0, 1'b1, SeedFault == 2'd1 ? 8'd0 : vmid, vpn};
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // the page of the block does not matter
  function automatic logic [63:0] make_block_tag(input logic [7:0] vmid, input logic [27:0] vpn);
    return {26'd0, 2'b11, SeedFault == 2'd1 ? 8'd0 : vmid, vpn[27:4], 4'd0};
  endfunction

  function automatic logic [63:0] make_large_tag(input logic [7:0] vmid, input logic [27:0] vpn);
    return {25'd0, 3'b101, SeedFault == 2'd1 ? 8'd0 : vmid, vpn[27:8], 8'd0};
  endfunction

  function automatic logic [31:0] set_of(input logic [27:0] vpn);
    return 32'(tlb_pkg::vpn_hash(vpn) & SetMask);
  endfunction

  function automatic logic [31:0] block_set_of(input logic [27:0] vpn);
    return set_of({4'd0, vpn[27:4]});
  endfunction

  function automatic logic [31:0] large_set_of(input logic [27:0] vpn);
    return set_of({8'd0, vpn[27:8]});
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (inv_valid_i) begin
        for (int unsigned e = 0; e < Entries; e++) begin
          if ((inv_vmid_i == tlb_pkg::VMID_ALL || tag[e][35:28] == inv_vmid_i) && (SeedFault != 2'd2 || e >= NumWays))
            tag[e] = 64'd0;
        end
      end
      if (fill_valid_i) begin
        in_block = tlb_pkg::pte_block(fill_pte_i);
        in_large = tlb_pkg::pte_large(fill_pte_i);
        base   = in_large ? large_set_of(fill_vpn_i) : in_block ? block_set_of(fill_vpn_i) : set_of(fill_vpn_i);
        way    = oldest[base] & 32'(NumWays - 1);
        wanted = in_large ? make_large_tag(fill_vmid_i, fill_vpn_i) :
            in_block ? make_block_tag(fill_vmid_i, fill_vpn_i) : make_tag(fill_vmid_i, fill_vpn_i);
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
        base    = set_of(lookup_vpn_i) * NumWays;
        wanted  = make_tag(lookup_vmid_i, lookup_vpn_i);
        block_base   = block_set_of(lookup_vpn_i) * NumWays;
        block_wanted = make_block_tag(lookup_vmid_i, lookup_vpn_i);
        large_base   = large_set_of(lookup_vpn_i) * NumWays;
        large_wanted = make_large_tag(lookup_vmid_i, lookup_vpn_i);
        hit_way  = 32'd0;
        hit      = 1'b0;
        in_block = 1'b0;
        in_large = 1'b0;
        for (int unsigned w = 0; w < NumWays; w++) begin
          hit_way  = tag[base+w] == wanted ? base + w : tag[block_base+w] == block_wanted ? block_base + w :
              tag[large_base+w] == large_wanted ? large_base + w : hit_way;
          hit      = tag[base+w] == wanted ? 1'b1 : hit;
          in_block = tag[block_base+w] == block_wanted ? 1'b1 : in_block;
          in_large = tag[large_base+w] == large_wanted ? 1'b1 : in_large;
        end
        found = pte[hit_way];
        if ((in_block || in_large) && SeedFault != 2'd3) found[15:12] = lookup_vpn_i[3:0];
        if (in_large && SeedFault != 2'd3) found[19:16] = lookup_vpn_i[7:4];
        result_hit_o <= hit || in_block || in_large;
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

  `GANTRY_ASSERT(a_enabled, `GANTRY_IMPL(lookup_valid_i || fill_valid_i || inv_valid_i || result_valid_o, en_i))
  `GANTRY_ASSERT(a_fill, `GANTRY_IMPL(fill_valid_i, fill_pte_i[0] && fill_pte_i[4]))
endmodule
