// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/dispatch/dispatch_pool at a small size (one CU): S3.6 (never over-allocated, never leaked), S3.7
// (ranges named for each wavefront are disjoint), S3.10 (no double grant).  The environment keeps the list of live
// wavefronts, frees any of them with exactly what it was granted, and asks for groups of 1 or 2 wavefronts.
`include "gantry_assert.svh"
module dispatch_pool_fv
  import dispatch_pkg::*;
#(
  parameter bit [1:0] SeedBug = 2'd0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       ask_i,
  input logic       two_i,
  input logic [1:0] vgprs_i,
  input logic       lds_i,
  input logic       free_i,
  input logic       simd_i,
  input logic       slot_i
);
  localparam int unsigned Simds = 2, Slots = 2, Vgprs = 3, Sgprs = 2, Lds = 2, Groups = 2;

  pool_req_t req_q;
  logic req_valid_q, done, ok, idle;
  place_t [Simds-1:0] place;
  logic [1:0] first;
  group_t group;
  lds_t lds;
  pool_free_t freed;
  logic free_valid;
  dispatch_pool #(
    .Cus(1), .Simds(Simds), .Slots(Slots), .VgprGranules(Vgprs), .SgprGranules(Sgprs), .LdsGranules(Lds), .Groups(Groups),
    .SeedBug(SeedBug)
  ) u_dut (
    .clk_i, .rst_ni, .req_valid_i(req_valid_q), .req_i(req_q), .place_o(place), .first_o(first), .done_o(done), .ok_o(ok),
    .group_o(group), .lds_o(lds), .free_valid_i(free_valid), .free_i(freed), .idle_o(idle));

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);
  always_comb m_size : assume (vgprs_i != 2'd0);

  // live wavefronts: index {simd, slot}; sizes and bases; groups
  logic [3:0] live_q, hope_q, in_group_q, grant;
  logic [3:0][1:0] base_q, size_q, new_base;
  logic [3:0] sgpr_q, new_sgpr;
  logic [1:0] lds_q;
  logic [3:0][1:0] group_lds_q;  // owned granules; of each wavefront's group
  logic [3:0][1:0] group_q;
  logic [1:0][1:0] left_q;
  logic [3:0][1:0] hope_base_q;
  logic [3:0] hope_sgpr_q;
  logic [1:0][2:0] used, wanted;  // VGPR granules in use and newly granted, by SIMD
  logic [1:0][1:0] used_s, wanted_s;
  logic [1:0] lds_new;
  logic overlap, beyond, slot_twice;

  function automatic logic [2:0] range(input logic [1:0] base, input logic [1:0] size);
    return 3'((3'b111 >> (2'd3 - size)) << base);
  endfunction

  // what the round grants
  always_comb begin
    grant    = hope_q;
    new_base = hope_base_q;
    new_sgpr = hope_sgpr_q;
    beyond     = 1'b0;
    slot_twice = 1'b0;
    for (int unsigned s = 0; s < Simds; s++) begin
      logic [1:0] at;
      at = {first[0] ^ s[0], place[s].slot[0]};
      if (place[s].valid) begin
        slot_twice   = slot_twice || grant[at] || live_q[at];
        beyond       = beyond || place[s].slot > 4'd1 || 32'(place[s].vgpr) + 32'(req_q.vgprs) > Vgprs || place[s].sgpr > 6'd1;
        grant[at]    = 1'b1;
        new_base[at] = place[s].vgpr[1:0];
        new_sgpr[at] = place[s].sgpr[0];
      end
    end
    overlap = 1'b0;
    for (int unsigned d = 0; d < 2; d++) begin
      used[d]   = (live_q[2*d] ? range(base_q[2*d], size_q[2*d]) : 3'd0)
                | (live_q[2*d+1] ? range(base_q[2*d+1], size_q[2*d+1]) : 3'd0);
      used_s[d] = (live_q[2*d] ? 2'b01 << sgpr_q[2*d] : 2'd0) | (live_q[2*d+1] ? 2'b01 << sgpr_q[2*d+1] : 2'd0);
      wanted[d]   = 3'd0;
      wanted_s[d] = 2'd0;
      for (int unsigned k = 0; k < 2; k++) begin
        if (grant[2*d+k]) begin
          overlap = overlap || ((wanted[d] | used[d]) & range(new_base[2*d+k], req_q.vgprs[1:0])) != 3'd0;
          overlap = overlap || ((wanted_s[d] | used_s[d]) & (2'b01 << new_sgpr[2*d+k])) != 2'd0;
          wanted[d]   = wanted[d] | range(new_base[2*d+k], req_q.vgprs[1:0]);
          wanted_s[d] = wanted_s[d] | (2'b01 << new_sgpr[2*d+k]);
        end
      end
    end
    lds_new = req_q.lds != 8'd0 ? 2'b01 << lds[0] : 2'b00;
  end

  // a wavefront ends
  logic [1:0] end_at;
  logic last;
  assign end_at     = {simd_i, slot_i};
  assign free_valid = free_i && live_q[end_at];
  assign last       = !in_group_q[end_at] || left_q[group_q[end_at][0]] == 2'd1;
  always_comb begin
    freed           = '0;
    freed.simd      = {1'b0, simd_i};
    freed.slot      = {3'd0, slot_i};
    freed.vgpr      = 6'(base_q[end_at]);
    freed.vgprs     = 7'(size_q[end_at]);
    freed.sgpr      = 6'(sgpr_q[end_at]);
    freed.sgprs     = 7'd1;
    freed.last      = last;
    freed.barrier   = in_group_q[end_at];
    freed.group     = 6'(group_q[end_at]);
    freed.lds       = 7'(group_lds_q[end_at][1]);
    freed.lds_count = group_lds_q[end_at] != 2'd0 ? 8'd1 : 8'd0;
  end

  always_ff @(posedge clk_i) begin
    hope_q      <= grant;
    hope_base_q <= new_base;
    hope_sgpr_q <= new_sgpr;
    if (free_valid) begin
      live_q[end_at] <= 1'b0;
      if (in_group_q[end_at]) left_q[group_q[end_at][0]] <= left_q[group_q[end_at][0]] - 2'd1;
    end
    lds_q <= (lds_q & ~(free_valid && last ? group_lds_q[end_at] : 2'b00)) | (done && ok ? lds_new : 2'b00);
    if (done) begin
      hope_q      <= 4'd0;
      req_valid_q <= 1'b0;
      if (ok) begin
        for (int unsigned w = 0; w < 4; w++) begin
          if (grant[w]) begin
            live_q[w]      <= 1'b1;
            base_q[w]      <= new_base[w];
            size_q[w]      <= req_q.vgprs[1:0];
            sgpr_q[w]      <= new_sgpr[w];
            in_group_q[w]  <= req_q.barrier;
            group_q[w]     <= group[1:0];
            group_lds_q[w] <= lds_new;
          end
        end
        if (req_q.barrier) left_q[group[0]] <= 2'd2;
      end
    end
    if (ask_i && !req_valid_q) begin
      req_valid_q <= 1'b1;
      req_q <= '{cu: 6'd0, waves: two_i ? 5'd2 : 5'd1, vgprs: 7'(vgprs_i), sgprs: 7'd1, lds: 8'(lds_i), barrier: two_i};
    end
    if (!rst_ni) begin
      live_q      <= 4'd0;
      hope_q      <= 4'd0;
      lds_q       <= 2'd0;
      req_valid_q <= 1'b0;
      left_q[0]   <= 2'd0;
      left_q[1]   <= 2'd0;
    end
  end

  logic any_lds_free, fits_lds;
  assign any_lds_free = lds_q != 2'b11;
  assign fits_lds     = req_q.lds == 8'd0 || any_lds_free;
  `GANTRY_ASSERT(a_slots, !slot_twice)
  `GANTRY_ASSERT(a_range, !beyond)
  `GANTRY_ASSERT(a_disjoint, `GANTRY_IMPL(done && ok, !overlap))
  `GANTRY_ASSERT(a_lds, `GANTRY_IMPL(done && ok, (lds_q & lds_new) == 2'd0 && lds < 7'd2))
  `GANTRY_ASSERT(a_group, `GANTRY_IMPL(done && ok && req_q.barrier, left_q[group[0]] == 2'd0 && group < 6'd2))
  `GANTRY_ASSERT(a_whole, `GANTRY_IMPL(done && ok, 5'($countones(grant)) == req_q.waves))
  // no leak: in an empty CU every request fits (no wavefront lived in this or the last cycles of the try)
  logic [2:0] empty_q;
  always_ff @(posedge clk_i) empty_q <= live_q == 4'd0 && rst_ni ? {empty_q[1:0], 1'b1} : 3'd0;
  `GANTRY_ASSERT(a_leak, `GANTRY_IMPL(done && empty_q == 3'b111 && live_q == 4'd0, ok))
  // helpers that make the proof inductive: the pool's rows are the complement of what is live
  // (with done_o they already hold the grant)
  logic won;
  logic [3:0] held;
  assign won  = done && ok;
  assign held = live_q | (won ? grant : 4'd0);
  for (genvar d = 0; d < 2; d++) begin : gen_rows
    `GANTRY_ASSERT(h_slots, u_dut.u_peek.slots[d] == {14'd0, ~held[2*d+1], ~held[2*d]})
    `GANTRY_ASSERT(h_vgprs, u_dut.u_peek.vgprs[d] == {61'd0, ~(used[d] | (won ? wanted[d] : 3'd0))})
    `GANTRY_ASSERT(h_sgprs, u_dut.u_peek.sgprs[d] == {62'd0, ~(used_s[d] | (won ? wanted_s[d] : 2'd0))})
    `GANTRY_ASSERT(h_ranges, (!live_q[2*d] || !live_q[2*d+1] || (
        (range(base_q[2*d], size_q[2*d]) & range(base_q[2*d+1], size_q[2*d+1])) == 3'd0 && sgpr_q[2*d] != sgpr_q[2*d+1])))
  end
  for (genvar w = 0; w < 4; w++) begin : gen_waves
    `GANTRY_ASSERT(h_size, `GANTRY_IMPL(live_q[w], size_q[w] != 2'd0 && 32'(base_q[w]) + 32'(size_q[w]) <= Vgprs))
    `GANTRY_ASSERT(h_hope, `GANTRY_IMPL(grant[w], 32'(new_base[w]) + 32'(req_q.vgprs) <= Vgprs && !live_q[w]))
    `GANTRY_ASSERT(h_lds, `GANTRY_IMPL(live_q[w], (group_lds_q[w] & ~lds_q) == 2'd0 && group_lds_q[w] != 2'b11))
  end
  for (genvar a = 0; a < 4; a++) begin : gen_pairs
    `GANTRY_ASSERT(h_slot, `GANTRY_IMPL(live_q[a] && in_group_q[a], group_q[a] < 2'd2))
    for (genvar b = 0; b < a; b++) begin : gen_other
      logic same;
      assign same = in_group_q[a] && in_group_q[b] && group_q[a] == group_q[b];
      `GANTRY_ASSERT(h_share, `GANTRY_IMPL(live_q[a] && live_q[b],
          same ? group_lds_q[a] == group_lds_q[b] : (group_lds_q[a] & group_lds_q[b]) == 2'd0))
    end
  end
  `GANTRY_ASSERT(h_lds_sum, lds_q == ((live_q[0] ? group_lds_q[0] : 2'd0) | (live_q[1] ? group_lds_q[1] : 2'd0)
      | (live_q[2] ? group_lds_q[2] : 2'd0) | (live_q[3] ? group_lds_q[3] : 2'd0)))
  `GANTRY_ASSERT(h_lds_rows, u_dut.u_peek.lds == {126'd0, ~(lds_q | (won ? lds_new : 2'd0))})
  `GANTRY_ASSERT(h_groups, u_dut.u_peek.groups == {62'd0, left_q[1] == 2'd0 && !(won && req_q.barrier && group == 6'd1),
                                                      left_q[0] == 2'd0 && !(won && req_q.barrier && group == 6'd0)})
  // in the middle of a try the working rows already lack what its first rounds found
  logic busy;
  logic [1:0] tried_lds;
  assign busy      = u_dut.u_peek.busy;
  assign tried_lds = req_q.lds != 8'd0 ? 2'b01 << u_dut.u_peek.lds_base[0] : 2'b00;
  for (genvar d = 0; d < 2; d++) begin : gen_work
    `GANTRY_ASSERT(h_slots_w, `GANTRY_IMPL(busy, u_dut.u_peek.slots_w[d] == {14'd0, ~(live_q[2*d+:2] | grant[2*d+:2])}))
    `GANTRY_ASSERT(h_vgprs_w, `GANTRY_IMPL(busy, u_dut.u_peek.vgprs_w[d] == {61'd0, ~(used[d] | wanted[d])}))
    `GANTRY_ASSERT(h_sgprs_w, `GANTRY_IMPL(busy, u_dut.u_peek.sgprs_w[d] == {62'd0, ~(used_s[d] | wanted_s[d])}))
  end
  `GANTRY_ASSERT(h_lds_w, `GANTRY_IMPL(busy, u_dut.u_peek.lds_w == {126'd0, ~(lds_q | tried_lds)} && (lds_q & tried_lds) == 2'd0
                                       && u_dut.u_peek.lds_base < 7'd2))
  `GANTRY_ASSERT(h_groups_w, `GANTRY_IMPL(busy, u_dut.u_peek.groups_w == {62'd0, left_q[1] == 2'd0 && u_dut.u_peek.group != 6'd1,
                                                                               left_q[0] == 2'd0 && u_dut.u_peek.group != 6'd0}
                                          && u_dut.u_peek.group < 6'd2 && left_q[u_dut.u_peek.group[0]] == 2'd0))
  `GANTRY_ASSERT(h_left, `GANTRY_IMPL(busy, req_q.barrier && !overlap && u_dut.u_peek.left == 5'd1 && $countones(grant) == 1))
  `GANTRY_ASSERT(h_rest, `GANTRY_IMPL(!busy && !done, grant == 4'd0))
  `GANTRY_ASSERT(h_asked, `GANTRY_IMPL(busy || done, req_valid_q && !(busy && done)))
  `GANTRY_ASSERT(h_request, `GANTRY_IMPL(req_valid_q, req_q.cu == 6'd0 && req_q.sgprs == 7'd1 && req_q.lds < 8'd2
      && req_q.vgprs != 7'd0 && req_q.vgprs < 7'd4 && req_q.waves == (req_q.barrier ? 5'd2 : 5'd1)))
  `GANTRY_ASSERT(h_turn, u_dut.u_peek.turn < 2'd2)
  `GANTRY_ASSERT(h_counts, 32'(left_q[0]) == $countones(live_q & in_group_q & ~{group_q[3][0], group_q[2][0], group_q[1][0], group_q[0][0]})
      && 32'(left_q[1]) == $countones(live_q & in_group_q & {group_q[3][0], group_q[2][0], group_q[1][0], group_q[0][0]}))
`ifdef REACH  // bounded search: this assertion must fail, which shows a full CU and a request refused for it
  `GANTRY_ASSERT(c_full_and_refused, !(done && !ok && live_q == 4'b1111))
`endif
endmodule

// Memories cannot be read through a hierarchical name by read_slang: a window is bound instead.
module dispatch_pool_peek (
  input logic [1:0][15:0] slots,
  input logic [1:0][63:0] vgprs,
  input logic [1:0][63:0] sgprs,
  input logic [127:0] lds,
  input logic [63:0] groups,
  input logic busy,
  input logic [1:0][15:0] slots_w,
  input logic [1:0][63:0] vgprs_w,
  input logic [1:0][63:0] sgprs_w,
  input logic [127:0] lds_w,
  input logic [63:0] groups_w,
  input logic [6:0] lds_base,
  input logic [5:0] group,
  input logic [4:0] left,
  input logic [1:0] turn
);
endmodule
bind dispatch_pool dispatch_pool_peek u_peek (
  .slots({slots[1], slots[0]}), .vgprs({vgprs[1], vgprs[0]}), .sgprs({sgprs[1], sgprs[0]}), .lds(lds[0]), .groups(groups[0]),
  .busy(busy), .slots_w({slots_w[1], slots_w[0]}), .vgprs_w({vgprs_w[1], vgprs_w[0]}), .sgprs_w({sgprs_w[1], sgprs_w[0]}),
  .lds_w(lds_w), .groups_w(groups_w), .lds_base(lds_base), .group(group), .left(left), .turn(turn)
);
