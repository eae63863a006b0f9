// SPDX-License-Identifier: Apache-2.0
// Round-robin choice among N requesters: after a taken grant the requester behind the winner has the highest rank,
// so a held request waits for at most N-1 grants.  Responsible for: choice and pointer.  Not responsible for:
// payloads (index them with grant_o).  Inside one gated pipeline use pick_pkg::rr64 instead of this module.
`include "gantry_assert.svh"

module rr_arbiter #(
  parameter int unsigned N = 4,       // 1..128
  parameter bit [1:0] SeedBug = 2'd0, // formal only: 1 pointer stuck, 2 grant without request, 3 order broken
  localparam int unsigned Iw = N > 1 ? $clog2(N) : 1
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic [ N-1:0] request_i,
  input  logic          take_i,     // the grant shown is used: turn the pointer
  output logic          valid_o,    // some request is there
  output logic [Iw-1:0] grant_o     // combinational from request_i
);
  logic [Iw-1:0] pointer_q;
  logic [Iw-1:0] choice;

  assign choice  = N <= 64 ? Iw'(pick_pkg::rr64(64'(request_i), 6'(pointer_q)))
                           : Iw'(pick_pkg::rr128(128'(request_i), 7'(pointer_q)));
  assign valid_o = SeedBug == 2'd2 ? 1'b1 : request_i != '0;
  assign grant_o = choice;

  always_ff @(posedge clk_i) begin
    if (take_i && valid_o && SeedBug != 2'd1) begin
      if (SeedBug == 2'd3) pointer_q <= choice;
      else pointer_q <= choice == Iw'(N - 1) ? '0 : choice + 1'b1;
    end
    if (!rst_ni) pointer_q <= '0;
  end

  `GANTRY_ASSERT(a_granted, `GANTRY_IMPL(valid_o, request_i[grant_o]))
  `GANTRY_ASSERT(a_range, 32'(pointer_q) < N)
endmodule
