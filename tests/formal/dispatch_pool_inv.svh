// SPDX-License-Identifier: Apache-2.0
// Helpers of the proof of rtl/dispatch/dispatch_pool, included by dispatch_pool_fv: with them its properties are
// inductive.  In words: every row of the pool is the complement of what the listed wavefronts hold (nothing lost,
// nothing held twice); in the middle of a try the working rows lack what its rounds found, too, and still have room.

logic busy;
assign busy = u_dut.u_peek.busy;
for (genvar r = 0; r < Rows; r++) begin : gen_rows
  `GANTRY_ASSERT(h_slots, u_dut.u_peek.p_slots[r] == ~held_slots[r])
  `GANTRY_ASSERT(h_vgprs, u_dut.u_peek.p_vgprs[r] == ~held_vgprs[r])
  `GANTRY_ASSERT(h_sgprs, u_dut.u_peek.p_sgprs[r] == ~held_sgprs[r])
end
for (genvar c = 0; c < Cus; c++) begin : gen_cus
  `GANTRY_ASSERT(h_lds, u_dut.u_peek.p_lds[c] == ~held_lds[c])
  `GANTRY_ASSERT(h_groups, u_dut.u_peek.p_groups[c] == ~held_groups[c])
  `GANTRY_ASSERT(h_turn, 32'(u_dut.u_peek.p_turn[c]) < Simds)
end
for (genvar w = 0; w < Waves; w++) begin : gen_waves
  `GANTRY_ASSERT(h_size, `GANTRY_IMPL(live_q[w] || granted[w], 32'(wave[w].vgpr) + 32'(wave[w].vgprs_less) < Vgprs
      && 32'(wave[w].sgpr) + 32'(wave[w].sgprs_less) < Sgprs))
  `GANTRY_ASSERT(h_owner, `GANTRY_IMPL(lives[w], 32'(wave[w].lds) + 32'(wave[w].lds_count) <= Lds
      && 32'(wave[w].group) < Groups))
  `GANTRY_ASSERT(h_hope, `GANTRY_IMPL(granted[w], !live_q[w] && w / PerCu == 32'(cu_q) && wave[w].vgprs_less == vgprs_q
      && wave[w].sgprs_less == sgprs_q))
  for (genvar v = w / PerCu * PerCu; v < w; v++) begin : gen_pairs  // of one CU: one group, or nothing in common
    logic same;
    assign same = wave[v].barrier && wave[w].barrier && wave[v].group == wave[w].group;
    `GANTRY_ASSERT(h_share, `GANTRY_IMPL(lives[v] && lives[w],
        same ? wave[v].lds == wave[w].lds && wave[v].lds_count == wave[w].lds_count
             : (lmask(wave[v].lds, wave[v].lds_count) & lmask(wave[w].lds, wave[w].lds_count)) == '0))
  end
end

// between the rounds of a try
lrow_t hope_lds;
logic [Groups-1:0] hope_group;
logic [3:0] rest;
assign hope_lds   = lmask(u_dut.u_peek.lds_base[1:0], lds_count_q);
assign hope_group = req.barrier ? Groups'(1'b1) << u_dut.u_peek.group[0] : '0;
always_comb begin
  rest = 4'd0;
  for (int unsigned r = 0; r < Rows; r++) begin
    if (r / Simds == 32'(cu_q)) begin
      rest = rest + 4'(room(~held_slots[r] & ~hope_slots[r] & usable(positions_q, r % Simds),
                            ~held_vgprs[r] & ~hope_vgprs[r], ~held_sgprs[r] & ~hope_sgprs[r],
                            vgprs_q, sgprs_q));
    end
  end
end
for (genvar r = 0; r < Rows; r++) begin : gen_work
  `GANTRY_ASSERT(h_slots_w, `GANTRY_IMPL(busy && r / Simds == 32'(cu_q),
                                         u_dut.u_peek.p_slots_w[r%Simds] == ~(held_slots[r] | hope_slots[r])))
  `GANTRY_ASSERT(h_vgprs_w, `GANTRY_IMPL(busy && r / Simds == 32'(cu_q),
                                         u_dut.u_peek.p_vgprs_w[r%Simds] == ~(held_vgprs[r] | hope_vgprs[r])))
  `GANTRY_ASSERT(h_sgprs_w, `GANTRY_IMPL(busy && r / Simds == 32'(cu_q),
                                         u_dut.u_peek.p_sgprs_w[r%Simds] == ~(held_sgprs[r] | hope_sgprs[r])))
end
`GANTRY_ASSERT(h_lds_w, `GANTRY_IMPL(busy, u_dut.u_peek.lds_w == ~(held_lds[cu_q] | hope_lds)
    && (held_lds[cu_q] & hope_lds) == '0 && 32'(u_dut.u_peek.lds_base) + 32'(lds_count_q) <= Lds))
`GANTRY_ASSERT(h_groups_w, `GANTRY_IMPL(busy, u_dut.u_peek.groups_w == ~(held_groups[cu_q] | hope_group)
    && (held_groups[cu_q] & hope_group) == '0 && 32'(u_dut.u_peek.group) < Groups))
`GANTRY_ASSERT(h_left, `GANTRY_IMPL(busy, u_dut.u_peek.left != 5'd0
    && 5'($countones(granted)) + u_dut.u_peek.left == req.waves))
`GANTRY_ASSERT(h_rest, `GANTRY_IMPL(busy && fits_q, 5'(rest) >= u_dut.u_peek.left))
`GANTRY_ASSERT(h_try, trying_q == (busy || done) && !(busy && done) && busy == busy_o)
`GANTRY_ASSERT(h_none, `GANTRY_IMPL(!trying_q, granted == '0))
`GANTRY_ASSERT(h_req, Cus > 1 || (!cu_q && !ask_cu_q))
`GANTRY_ASSERT(h_asked, `GANTRY_IMPL(busy, u_dut.u_peek.r == req))
`GANTRY_ASSERT(h_first, `GANTRY_IMPL(trying_q, 32'(first) < Simds) && `GANTRY_IMPL(busy, u_dut.u_peek.first == first))
