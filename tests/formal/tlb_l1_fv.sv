// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/tlb/tlb_l1, for one freely chosen page of one freely chosen address space among any fills, lookups and
// invalidations: it is found only if an entry that covers it (VMID, size and page) was filled since the last invalidation
// that names it, and what is found is the translation of then.  Its translation changes only with such an invalidation, as
// the driver has it; those of all other pages are free.
`include "gantry_assert.svh"
module tlb_l1_fv
  import tlb_pkg::*;
#(
  parameter int unsigned Entries = 4,
  parameter int unsigned Ways = 2
) (
  input logic        clk_i,
  input logic        rst_ni,
  input logic        lookup_i,
  input vmid_t       lookup_vmid_i,
  input vpn_t        lookup_vpn_i,
  input logic        fill_i,
  input vmid_t       fill_vmid_i,
  input vpn_t        fill_vpn_i,
  input logic [63:0] fill_pte_i,
  input logic        inv_i,
  input inv_t        inv_pages_i,
  input vmid_t       vmid_i,        // what is followed: free, but constant
  input vpn_t        vpn_i,
  input logic [63:0] value_i        // its entry: constant between invalidations that name it
);
  localparam logic [63:0] Plain = ~64'hF80;  // an entry without its fragment

  logic valid, hit, named, covers, known, asked;
  logic [63:0] pte;
  size_e size;
  tlb_l1 #(.Entries(Entries), .Ways(Ways)) u_dut (
    .clk_i, .rst_ni, .en_i(1'b1), .lookup_valid_i(lookup_i), .lookup_vmid_i, .lookup_vpn_i, .result_valid_o(valid),
    .result_hit_o(hit), .result_pte_o(pte), .fill_valid_i(fill_i), .fill_vmid_i, .fill_vpn_i, .fill_pte_i,
    .inv_valid_i(inv_i), .inv_i(inv_pages_i));

  logic started = 1'b0;  // reset in the first cycle, never again
  logic known_q, asked_q, gone_q, big_q;
  vmid_t vmid_q;
  vpn_t vpn_q;
  logic [63:0] value_q;
  assign size   = pte_size(fill_pte_i);
  assign named  = inv_i && inv_covers(inv_pages_i, vmid_i, vpn_i, SizePage);
  assign covers = fill_i && fill_vmid_i == vmid_i && ((fill_vpn_i ^ vpn_i) & ~size_mask(size)) == 28'd0;
  assign known  = covers || (known_q && !named);
  assign asked  = lookup_i && lookup_vmid_i == vmid_i && lookup_vpn_i == vpn_i;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    vmid_q  <= vmid_i;
    vpn_q   <= vpn_i;
    value_q <= value_i;
    known_q <= known;
    asked_q <= asked;
    if (named && known_q) gone_q <= 1'b1;
    if (covers) big_q <= size == SizeLarge && fill_vpn_i != vpn_i;
    if (!rst_ni) {known_q, asked_q, gone_q, big_q} <= '0;
  end
  always_comb begin : m_reset
    assume (rst_ni == started);
  end
  always_comb begin : m_constant
    if (started) assume (vmid_i == vmid_q && vpn_i == vpn_q && (named || value_i == value_q));
  end
  always_comb begin : m_inputs
    assume (fill_pte_i[0] && fill_pte_i[4]);
    assume (vmid_i != VMID_ALL && fill_vmid_i != VMID_ALL);
    if (covers) assume ((pte_of_page(fill_pte_i, size, vpn_i) & Plain) == (value_i & Plain));
  end

  `GANTRY_ASSERT(a_known, `GANTRY_IMPL(asked_q && hit, known_q))
  `GANTRY_ASSERT(a_value, `GANTRY_IMPL(asked_q && hit, (pte & Plain) == (value_q & Plain)))
`ifdef HELPERS
  // Helper of the proof of tlb_l1: what is true of every entry at every edge.  An entry that covers the followed page was filled
  // since the last invalidation that names the page, and holds the page's translation.  Not responsible for: what is proved.
  for (genvar e = 0; e < Entries; e++) begin : gen_entry
    logic mine;
    logic [63:0] t, p;
    size_e s;
    assign t = u_dut.u_peek.p_tag[e];
    assign p = u_dut.u_peek.p_pte[e];
    assign s = size_e'(t[37:36]);
    assign mine = t[38] && t[35:28] == vmid_q && t[27:0] == (vpn_q & ~size_mask(s));
    `GANTRY_ASSERT(h_entry, `GANTRY_IMPL(mine, known_q && (pte_of_page(p, s, vpn_q) & Plain) == (value_q & Plain)))
  end
`endif
`ifdef REACH  // as an assertion that the bounded search refutes: gone, filled again by another page of 2 MiB, found
  `GANTRY_ASSERT(a_reach, !(asked_q && hit && gone_q && big_q))
`endif
endmodule
