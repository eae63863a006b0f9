// SPDX-License-Identifier: Apache-2.0
// A window into rtl/tlb/tlb_l1 for the helpers of its proof: read_slang reads no array through a hierarchical name.
// Responsible for: nothing but the names.
module tlb_l1_peek #(
  parameter int unsigned Entries = 4
) (
  input logic [63:0] tag[Entries],
  input logic [63:0] pte[Entries]
);
  logic [Entries-1:0][63:0] p_tag, p_pte;  // packed copies, to be read from outside
  for (genvar g = 0; g < Entries; g++) begin : gen_names
    assign p_tag[g] = tag[g];
    assign p_pte[g] = pte[g];
  end
endmodule
bind tlb_l1 tlb_l1_peek #(.Entries(Entries)) u_peek (.tag(tag), .pte(pte));
