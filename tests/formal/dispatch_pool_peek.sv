// SPDX-License-Identifier: Apache-2.0
// A window into rtl/dispatch/dispatch_pool for the helpers of its proof: read_slang reads no array through a
// hierarchical name.  Responsible for: nothing but the names.
module dispatch_pool_peek #(
  parameter int unsigned Rows = 2,
  parameter int unsigned Cus = 1,
  parameter int unsigned Simds = 2,
  parameter int unsigned Slots = 2,
  parameter int unsigned Vgprs = 4,
  parameter int unsigned Sgprs = 3,
  parameter int unsigned Lds = 3,
  parameter int unsigned Groups = 2
) (
  input logic [Slots-1:0] slots[Rows],
  input logic [Vgprs-1:0] vgprs[Rows],
  input logic [Sgprs-1:0] sgprs[Rows],
  input logic [Lds-1:0] lds[Cus],
  input logic [Groups-1:0] groups[Cus],
  input logic busy,
  input dispatch_pkg::pool_req_t r,
  input logic [Slots-1:0] slots_w[Simds],
  input logic [Vgprs-1:0] vgprs_w[Simds],
  input logic [Sgprs-1:0] sgprs_w[Simds],
  input logic [Lds-1:0] lds_w,
  input logic [Groups-1:0] groups_w,
  input logic [6:0] lds_base,
  input logic [5:0] group,
  input logic [4:0] left,
  input logic [1:0] turn[Cus],
  input logic [1:0] first
);
  // packed copies, to be read from outside
  logic [Rows-1:0][Slots-1:0] p_slots;
  logic [Rows-1:0][Vgprs-1:0] p_vgprs;
  logic [Rows-1:0][Sgprs-1:0] p_sgprs;
  logic [Cus-1:0][Lds-1:0] p_lds;
  logic [Cus-1:0][Groups-1:0] p_groups;
  logic [Cus-1:0][1:0] p_turn;
  logic [Simds-1:0][Slots-1:0] p_slots_w;
  logic [Simds-1:0][Vgprs-1:0] p_vgprs_w;
  logic [Simds-1:0][Sgprs-1:0] p_sgprs_w;
  for (genvar r = 0; r < Rows; r++) begin : gen_rows
    assign p_slots[r] = slots[r];
    assign p_vgprs[r] = vgprs[r];
    assign p_sgprs[r] = sgprs[r];
  end
  for (genvar c = 0; c < Cus; c++) begin : gen_cus
    assign p_lds[c] = lds[c];
    assign p_groups[c] = groups[c];
    assign p_turn[c] = turn[c];
  end
  for (genvar s = 0; s < Simds; s++) begin : gen_simds
    assign p_slots_w[s] = slots_w[s];
    assign p_vgprs_w[s] = vgprs_w[s];
    assign p_sgprs_w[s] = sgprs_w[s];
  end
endmodule
bind dispatch_pool dispatch_pool_peek #(
  .Rows(Cus * Simds), .Cus(Cus), .Simds(Simds), .Slots(Slots), .Vgprs(VgprGranules), .Sgprs(SgprGranules),
  .Lds(LdsGranules), .Groups(Groups)
) u_peek (.*);
