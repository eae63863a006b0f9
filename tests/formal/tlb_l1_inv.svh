// SPDX-License-Identifier: Apache-2.0
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
