// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/common/pick_pkg.  Each function, for every argument: the bit it names is set, and no other set bit
// (j_i, free: any) is nearer to where it looks from, which is true of one answer only.  Round robin as noc_xbar, sqc_cache
// and the dispatcher use it, with any number of requesters: the caller's pointer stands behind the last grant; who holds
// its request sees at most one grant of every other.  h_left makes that inductive: grants seen and requesters between the
// pointer and the one that is followed are together fewer than all.
`include "gantry_assert.svh"
module pick_pkg_fv #(
  parameter bit SeedBug = 1'b0  // the caller leaves the pointer at the grant
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [127:0] bits_i,
  input logic [  6:0] from_i,
  input logic [  6:0] count_i,
  input logic [  6:0] j_i,
  input logic         take_i,
  input logic [  6:0] last_i,  // highest requester: free, but constant
  input logic [  6:0] pick_i   // which requester is followed: free, but constant
);
  import pick_pkg::*;
  logic [5:0] j, first, turn;
  logic [6:0] first_wide, turn_wide;
  logic [63:0] low, ones, runs;
  assign j          = j_i[5:0];
  assign low        = bits_i[63:0];
  assign first      = first64(low);
  assign first_wide = first128(bits_i);
  assign turn       = rr64(low, from_i[5:0]);
  assign turn_wide  = rr128(bits_i, from_i);
  assign ones       = ones64(count_i);
  assign runs       = runs64(low, count_i);

  `GANTRY_ASSERT(a_first, low == '0 ? first == '0 : low[first] && `GANTRY_IMPL(low[j], j >= first))
  `GANTRY_ASSERT(a_first_wide,
                 `GANTRY_IMPL(bits_i != '0, bits_i[first_wide] && `GANTRY_IMPL(bits_i[j_i], j_i >= first_wide)))
  `GANTRY_ASSERT(a_turn,
                 `GANTRY_IMPL(low != '0, low[turn] &&
                              `GANTRY_IMPL(low[j], 6'(j - from_i[5:0]) >= 6'(turn - from_i[5:0]))))
  `GANTRY_ASSERT(a_turn_wide,
                 `GANTRY_IMPL(bits_i != '0, bits_i[turn_wide] &&
                              `GANTRY_IMPL(bits_i[j_i], 7'(j_i - from_i) >= 7'(turn_wide - from_i))))
  `GANTRY_ASSERT(a_ones, ones[j] == ({1'b0, j} < count_i))
  // runs64 for 1 to 64: none of the `count` bits from j on is used, where bits above 63 are
  logic [127:0] used;
  assign used = {64'hFFFFFFFFFFFFFFFF, ~low} >> j;
  logic hole;
  always_comb begin
    hole = 1'b0;
    for (int unsigned k = 0; k < 64; k++) hole = hole || (used[k] && 7'(k) < count_i);
  end
  `GANTRY_ASSERT(a_runs, `GANTRY_IMPL(count_i != '0 && count_i <= 7'd64, runs[j] == !hole))

  // ---- a caller with requesters 0 to last_i
  logic started = 1'b0;
  logic [6:0] last_q, pick_q, pointer_q, grant, between;
  logic [7:0] others_q;  // grants of others since the followed one began to wait
  logic [127:0] requests;
  logic valid;
  assign requests = bits_i & ~((~128'd0 << last_i) << 1);
  assign valid    = requests != '0;
  assign grant    = last_i[6] ? rr128(requests, pointer_q) : {1'b0, rr64(requests[63:0], pointer_q[5:0])};
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    last_q  <= last_i;
    pick_q  <= pick_i;
    if (take_i && valid) begin
      pointer_q <= SeedBug ? grant : grant == last_i ? '0 : grant + 1'b1;
      if (grant != pick_i) others_q <= others_q + 1'b1;
    end
    if (!requests[pick_i] || (take_i && valid && grant == pick_i)) others_q <= '0;
    if (!rst_ni) begin
      pointer_q <= '0;
      others_q  <= '0;
    end
  end
  always_comb m_reset : assume (rst_ni == started);
  always_comb m_pick : assume (pick_i <= last_i && (!started || (pick_i == pick_q && last_i == last_q)));

  assign between = pick_i >= pointer_q ? pick_i - pointer_q : pick_i + (last_i - pointer_q) + 1'b1;
  `GANTRY_ASSERT(a_legal, `GANTRY_IMPL(valid, requests[grant]))
  `GANTRY_ASSERT(a_fair, others_q <= {1'b0, last_i})
`ifdef HELPERS
  `GANTRY_ASSERT(h_pointer, pointer_q <= last_i)
  `GANTRY_ASSERT(h_left, others_q + {1'b0, between} <= {1'b0, last_i})
`endif
`ifdef REACH  // this assertion must fail: every other one of five was served while the followed one waited, then it is
  `GANTRY_ASSERT(c_waited, !(last_i == 7'd4 && others_q == 8'd4 && take_i && grant == pick_i))
`endif
endmodule
