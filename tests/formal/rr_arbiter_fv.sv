// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common/rr_arbiter: a grant only to a requester, some grant whenever there is a request, and no
// requester that holds its request sees more than N - 1 grants of others.
`include "gantry_assert.svh"
module rr_arbiter_fv #(
  parameter int unsigned N = 4,
  parameter bit [1:0] SeedBug = 2'd0
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [        N-1:0] request_i,
  input logic                 take_i,
  input logic [$clog2(N)-1:0] pick_i     // which requester is followed: free, but constant
);
  logic valid;
  logic [$clog2(N)-1:0] grant;
  rr_arbiter #(.N(N), .SeedBug(SeedBug)) u_dut (
    .clk_i, .rst_ni, .request_i, .take_i, .valid_o(valid), .grant_o(grant));

  logic started = 1'b0;
  logic [$clog2(N)-1:0] pick_q;
  logic [$clog2(N):0] others_q;  // grants of others since the followed one began to wait
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    pick_q  <= pick_i;
    if (take_i && valid && grant != pick_i) others_q <= others_q + 1'b1;
    if (!request_i[pick_i] || (take_i && valid && grant == pick_i)) others_q <= '0;
    if (!rst_ni) others_q <= '0;
  end
  always_comb m_reset : assume (rst_ni == started);
  always_comb if (started) m_pick : assume (pick_i == pick_q);
  always_comb m_range : assume (32'(pick_i) < N);

  `GANTRY_ASSERT(a_some, valid == (request_i != '0))
  `GANTRY_ASSERT(a_legal, `GANTRY_IMPL(valid, request_i[grant]))
  `GANTRY_ASSERT(a_fair, `GANTRY_IMPL(request_i[pick_i], 32'(others_q) <= N - 1))
  `GANTRY_COVER(c_waited, 32'(others_q) == N - 1 && take_i && grant == pick_i)
endmodule
