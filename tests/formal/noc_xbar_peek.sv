// SPDX-License-Identifier: Apache-2.0
// A window into rtl/noc/noc_xbar for the helpers of its proof: read_slang reads no array through a hierarchical name.
// Responsible for: nothing but the names.
module noc_xbar_peek #(
  parameter int unsigned In = 3,
  parameter int unsigned Out = 2,
  parameter int unsigned Depth = 2,
  parameter int unsigned Lanes = 1,
  parameter int unsigned Width = 17
) (
  input logic [Width-1:0] store[In*Lanes*Depth],
  input logic [31:0] first[In*Lanes],
  input logic [31:0] count[In*Lanes],
  input logic [63:0] want_low[Out],
  input logic [63:0] want_high[Out],
  input logic [31:0] turn[Out],
  input logic [31:0] left[Out],
  input logic [31:0] credits[Out],
  input logic [7:0] waiting,
  input logic [In-1:0] owing,
  input logic [31:0] owed[In],
  input logic busy
);
  // packed copies, to be read from outside
  logic [In*Lanes*Depth-1:0][Width-1:0] p_store;
  logic [In*Lanes-1:0][31:0] p_first, p_count;
  logic [In-1:0][31:0] p_owed;
  logic [Out-1:0][63:0] p_low, p_high;
  logic [Out-1:0][31:0] p_turn, p_left, p_credits;
  for (genvar r = 0; r < In * Lanes * Depth; r++) begin : gen_store
    assign p_store[r] = store[r];
  end
  for (genvar q = 0; q < In * Lanes; q++) begin : gen_queue
    assign p_first[q] = first[q];
    assign p_count[q] = count[q];
  end
  for (genvar i = 0; i < In; i++) begin : gen_in
    assign p_owed[i] = owed[i];
  end
  for (genvar o = 0; o < Out; o++) begin : gen_out
    assign p_low[o]     = want_low[o];
    assign p_high[o]    = want_high[o];
    assign p_turn[o]    = turn[o];
    assign p_left[o]    = left[o];
    assign p_credits[o] = credits[o];
  end
endmodule

bind noc_xbar noc_xbar_peek #(
  .In(In), .Out(Out), .Depth(Depth), .Lanes(Lanes), .Width(Width)
) u_peek (
  .store, .first, .count, .want_low, .want_high, .turn, .left, .credits, .waiting, .owing, .owed, .busy);
