// SPDX-License-Identifier: Apache-2.0
// First-level TLB: set-associative table of translations, tagged with VMID, size and page; one lookup a cycle.  An entry is
// kept for all pages of its fragment (tlb_pkg::pte_size): 4 KiB, 64 KiB, 1 MiB or 2 MiB.  A page lies in the set of its
// number, a block of 64 KiB in that of the block's, one of 1 or 2 MiB in that of the 2 MiB around it: a lookup looks into
// these three sets.
// Responsible for: lookup, replacement (oldest way of a set), invalidation by pages, address space or of all.  Not
// responsible for: asking the L2 TLB after a miss, merging misses and checking rights (the user; tlb_pkg::pte_status).
//
// A lookup presented (registered) at one edge is answered in result_* after the next edge.  A fill or invalidation
// presented together with a lookup takes effect before it.  Entries that are not valid (faults) must not be filled.
`include "gantry_assert.svh"

module tlb_l1
  import tlb_pkg::*;
#(
  parameter int unsigned Entries = 64,  // power of two
  parameter int unsigned Ways = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,            // low: no input is valid now, and none was in the cycle before
  input  logic        lookup_valid_i,
  input  vmid_t       lookup_vmid_i,
  input  vpn_t        lookup_vpn_i,
  output logic        result_valid_o,
  output logic        result_hit_o,
  output logic [63:0] result_pte_o,
  input  logic        fill_valid_i,
  input  vmid_t       fill_vmid_i,
  input  vpn_t        fill_vpn_i,
  input  logic [63:0] fill_pte_i,
  input  logic        inv_valid_i,
  input  inv_t        inv_i
);
  localparam int unsigned NumWays = Ways < Entries ? Ways : Entries;
  localparam int unsigned Sets = Entries / NumWays;
  localparam logic [15:0] SetMask = 16'(Sets - 1);
  localparam int unsigned EntryW = Entries > 1 ? $clog2(Entries) : 1;
  typedef logic [EntryW-1:0] entry_t;

  typedef struct packed {
    logic  valid;
    size_e size;
    vmid_t vmid;
    vpn_t  first;  // page of the entry
  } tag_t;

  /* verilator lint_off BLKSEQ */
  logic [63:0] tag[Entries];  // a tag_t each; entry = set * ways + way
  logic [63:0] pte[Entries];
  logic [31:0] oldest[Sets];

  tag_t kept;
  size_e size, hit_size;
  logic [31:0] base, way, hit_way;
  entry_t last;  // that the last hit has found
  logic [63:0] wanted, other;
  logic hit;
  logic twice_q;  // for the assertions: the last lookup found two entries of one size

  function automatic logic [63:0] make_tag(input size_e of_size, input vmid_t vmid, input vpn_t vpn);
    tag_t t;
    t = '{valid: 1'b1, size: of_size, vmid: vmid, first: vpn & ~size_mask(of_size)};
    return 64'(t);
  endfunction

  function automatic logic [31:0] set_of(input size_e of_size, input vpn_t vpn);
    return 32'(SetMask & vpn_hash(of_size >= SizeMib ? 28'(vpn[27:9]) : of_size == SizeBlock ? 28'(vpn[27:4]) : vpn));
  endfunction

  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      if (inv_valid_i) begin
        foreach (tag[e]) begin
          kept = tag_t'(tag[e][$bits(tag_t)-1:0]);
          if (kept.valid && inv_covers(inv_i, kept.vmid, kept.first, kept.size)) tag[e] = 64'd0;
        end
      end
      if (fill_valid_i) begin
        size   = pte_size(fill_pte_i);
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
        // mostly that of the lookup before: the sets are looked into when it is not
        hit_way  = 32'(last);
        kept     = tag_t'(tag[last][$bits(tag_t)-1:0]);
        hit_size = kept.size;
        hit      = tag[last] == make_tag(kept.size, lookup_vmid_i, lookup_vpn_i);
        if (!hit) begin
          for (int unsigned n = 0; n < 3; n++) begin
            size   = size_e'(n[1:0]);
            base   = set_of(size, lookup_vpn_i) * NumWays;
            wanted = make_tag(size, lookup_vmid_i, lookup_vpn_i);
            other  = make_tag(SizeLarge, lookup_vmid_i, lookup_vpn_i);
            for (int unsigned w = 0; w < NumWays; w++) begin
              hit_way  = tag[base+w] == wanted ? base + w : hit_way;
              hit_size = tag[base+w] == wanted ? size : hit_size;
              hit      = tag[base+w] == wanted ? 1'b1 : hit;
              if (n == 2) begin
                hit_way  = tag[base+w] == other ? base + w : hit_way;
                hit_size = tag[base+w] == other ? SizeLarge : hit_size;
                hit      = tag[base+w] == other ? 1'b1 : hit;
              end
            end
          end
        end
        if (hit) last = entry_t'(hit_way);
        twice_q <= kept_twice(lookup_vmid_i, lookup_vpn_i);
        result_hit_o <= hit;
        result_pte_o <= pte_of_page(pte[hit_way], hit_size, lookup_vpn_i);
      end
      result_valid_o <= lookup_valid_i && rst_ni;
      if (!rst_ni) begin
        tag    = '{default: 64'd0};
        oldest = '{default: 32'd0};
        last   = '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  function automatic logic kept_twice(input vmid_t vmid, input vpn_t vpn);
    logic some, twice, same;
    twice = 1'b0;
    for (int unsigned n = 0; n < 4; n++) begin
      some = 1'b0;
      for (int unsigned w = 0; w < NumWays; w++) begin
        same  = tag[set_of(size_e'(n[1:0]), vpn)*NumWays+w] == make_tag(size_e'(n[1:0]), vmid, vpn);
        twice = twice | (same & some);
        some  = some | same;
      end
    end
    return twice;
  endfunction
  `GANTRY_ASSERT(a_enabled, `GANTRY_IMPL(lookup_valid_i || fill_valid_i || inv_valid_i || result_valid_o, en_i))
  // only translations are kept, so what a lookup finds is one
  `GANTRY_ASSERT(a_fill, `GANTRY_IMPL(fill_valid_i, fill_pte_i[0] && fill_pte_i[4]))
  `STREAM_ASSERT(a_hit, result_valid_o && result_hit_o, result_pte_o[0] && result_pte_o[4])
  // of each size a page is kept once: an older translation of it cannot be found
  `STREAM_ASSERT(a_once, result_valid_o, !twice_q)
  // every lookup has its result one cycle later
  `STREAM_BOUND(a_result, 1, lookup_valid_i, result_valid_o)
  `STREAM_ASSERT(a_range, inv_valid_i, inv_i.whole || inv_i.first <= inv_i.last)
  // nothing is found before a fill that came after the last invalidation of all
  logic empty_q, found_empty_q, inv_all;
  assign inv_all = inv_valid_i && inv_i.vmid == VMID_ALL && inv_i.whole;
  always_ff @(posedge clk_i) begin
    if (fill_valid_i) empty_q <= 1'b0;
    else if (inv_all) empty_q <= 1'b1;
    if (!rst_ni) empty_q <= 1'b1;
    found_empty_q <= !fill_valid_i && (empty_q || inv_all);
  end
  `STREAM_ASSERT(a_empty, result_valid_o && found_empty_q, !result_hit_o)
endmodule
