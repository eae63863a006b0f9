// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/dispatch/dispatch_pool at a small size: S3.6 (never over-allocated, never leaked), S3.7 (ranges named
// for each wavefront are disjoint), S3.10 (no double grant).  The environment is the dispatchers in their most general form:
// they ask for groups of 1 to 4 wavefronts of any size at any time, the next while the answer to the last one is on its
// way, keep a list of live wavefronts from what was granted, and end any of them at any time, one of each CU in a cycle,
// also in the middle of a try, with exactly what that wavefront was granted.
// a_*: what a user of the pool relies on, in terms of its ports and that list only.  h_* (with HELPERS, for the unbounded
// proof): the pool's rows are at all times the complement of the list, and how a try stands between its rounds.
// Not responsible for: fairness between SIMDs, which CU is tried.
`include "gantry_assert.svh"
module dispatch_pool_fv
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 2,
  parameter int unsigned Slots = 2,
  parameter int unsigned Groups = 2,  // fewer than Simds * Slots / 2 of a CU can run out
  parameter bit [1:0] SeedBug = 2'd0
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       ask_i,      // a new request, of these sizes
  input logic       cu_i,
  input logic [1:0] waves_i,    // less 1
  input logic [1:0] vgprs_i,    // less 1
  input logic       sgprs_i,    // less 1
  input logic [1:0] lds_i,
  input logic [2:0] positions_i,  // more than there are: all
  input logic [1:0]      free_i,    // of each CU: wavefront free_at_i of it ends, if it lives
  input logic [1:0][2:0] free_at_i
);
  localparam int unsigned Simds = 2, Vgprs = 4, Sgprs = 3, Lds = 3;
  localparam int unsigned Rows = Cus * Simds, Waves = Rows * Slots, PerCu = Simds * Slots;
  typedef logic [Vgprs-1:0] vrow_t;
  typedef logic [Sgprs-1:0] srow_t;
  typedef logic [Lds-1:0] lrow_t;
  typedef struct packed {  // what a wavefront holds
    logic [1:0] vgpr;
    logic [1:0] vgprs_less;
    logic [1:0] sgpr;
    logic       sgprs_less;
    logic       barrier;
    logic [0:0] group;
    logic [1:0] lds;
    logic [1:0] lds_count;
  } wave_t;

  // contiguous granules as a mask of a row
  function automatic vrow_t vmask(input logic [1:0] base, input logic [1:0] less);
    return vrow_t'({Vgprs{1'b1}} >> (2'd3 - less)) << base;
  endfunction
  function automatic srow_t smask(input logic [1:0] base, input logic less);
    return (less ? srow_t'(3'd3) : srow_t'(3'd1)) << base;
  endfunction
  function automatic lrow_t lmask(input logic [1:0] base, input logic [1:0] count);
    return lrow_t'(count == 2'd0 ? 3'd0 : count == 2'd1 ? 3'd1 : count == 2'd2 ? 3'd3 : 3'd7) << base;
  endfunction
  // how many runs of size n fit into the free bits of a row
  function automatic logic [2:0] runs(input logic [3:0] free, input logic [2:0] n);
    logic [2:0] length, count;
    length = 3'd0;
    count  = 3'd0;
    for (int unsigned b = 0; b < 4; b++) begin
      length = free[b] ? length + 3'd1 : 3'd0;
      if (length == n) begin
        count  = count + 3'd1;
        length = 3'd0;
      end
    end
    return count;
  endfunction
  // wavefronts that fit into one SIMD with these free resources
  function automatic logic [2:0] room(input logic [Slots-1:0] slots, input vrow_t vgprs, input srow_t sgprs,
                                      input logic [1:0] vgprs_less, input logic sgprs_less);
    logic [2:0] most;
    most = 3'($countones(slots));
    if (runs(vgprs, 3'(vgprs_less) + 3'd1) < most) most = runs(vgprs, 3'(vgprs_less) + 3'd1);
    if (runs(4'(sgprs), 3'(sgprs_less) + 3'd1) < most) most = runs(4'(sgprs), 3'(sgprs_less) + 3'd1);
    return most;
  endfunction

  logic req_valid_q, busy_o, done, ok, idle;
  logic [Cus-1:0] free_valid;
  // the request that stands, and the one whose answer is seen
  logic ask_cu_q, ask_sgprs_q, cu_q, sgprs_q;
  logic [1:0] ask_waves_q, ask_vgprs_q, ask_lds_q, waves_q, vgprs_q, lds_count_q;
  logic [2:0] ask_positions_q, positions_q;
  // slots of a SIMD that the request may use
  function automatic logic [Slots-1:0] usable(input logic [2:0] positions, input int unsigned simd);
    for (int unsigned k = 0; k < Slots; k++) usable[k] = k * Simds + simd < 32'(positions);
  endfunction
  pool_req_t ask, req;
  place_t [Simds-1:0] place;
  logic [1:0] first;
  group_t group;
  lds_t lds;
  pool_free_t freed[Cus];
  dispatch_pool #(
    .Cus(Cus), .Simds(Simds), .Slots(Slots), .VgprGranules(Vgprs), .SgprGranules(Sgprs), .LdsGranules(Lds),
    .Groups(Groups), .SeedBug(SeedBug)
  ) u_dut (
    .clk_i, .rst_ni, .req_valid_i(req_valid_q), .req_i(ask), .busy_o, .place_o(place), .first_o(first), .done_o(done), .ok_o(ok),
    .group_o(group), .lds_o(lds), .free_valid_i(free_valid), .free_i(freed), .idle_o(idle));

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);

  // requests: held until taken, then at once the next one or a pause
  logic take;
  assign take = req_valid_q && !busy_o;
  always_ff @(posedge clk_i) begin
    if (!req_valid_q || take) begin
      req_valid_q     <= ask_i;
      ask_cu_q        <= Cus > 1 && cu_i;
      ask_waves_q     <= waves_i;
      ask_vgprs_q     <= vgprs_i;
      ask_sgprs_q     <= sgprs_i;
      ask_lds_q       <= lds_i;
      ask_positions_q <= positions_i;
    end
    if (take) begin
      cu_q        <= ask_cu_q;
      waves_q     <= ask_waves_q;
      vgprs_q     <= ask_vgprs_q;
      sgprs_q     <= ask_sgprs_q;
      lds_count_q <= ask_lds_q;
      positions_q <= ask_positions_q;
    end
    if (!rst_ni) begin
      req_valid_q <= 1'b0;
      ask_cu_q    <= 1'b0;
      cu_q        <= 1'b0;
    end
  end
  always_comb begin
    ask = '{cu: 6'(ask_cu_q), waves: 5'(ask_waves_q) + 5'd1, vgprs: 7'(ask_vgprs_q) + 7'd1, sgprs: 7'(ask_sgprs_q) + 7'd1,
            lds: 8'(ask_lds_q), barrier: ask_waves_q != 2'd0, positions: 7'(ask_positions_q)};
    req = '{cu: 6'(cu_q), waves: 5'(waves_q) + 5'd1, vgprs: 7'(vgprs_q) + 7'd1, sgprs: 7'(sgprs_q) + 7'd1,
            lds: 8'(lds_count_q), barrier: waves_q != 2'd0, positions: 7'(positions_q)};
  end

  // the list: wavefront (cu * Simds + simd) * Slots + slot; hope: granted by a try that has not ended
  logic [Waves-1:0] live_q, hope_q, granted, ends;
  wave_t [Waves-1:0] wave_q, wave;
  logic beyond, twice, refused;
  logic [2:0] places;
  always_comb begin
    granted = hope_q;
    wave    = wave_q;
    beyond  = 1'b0;
    twice   = 1'b0;
    refused = 1'b0;
    places  = 3'd0;
    for (int unsigned s = 0; s < Simds; s++) begin
      if (place[s].valid) begin
        places = places + 3'd1;
        for (int unsigned k = 0; k < Slots; k++)
          refused = refused || (32'(place[s].slot) == k && k * Simds + (32'(first) + s) % Simds >= 32'(positions_q));
        beyond = beyond || 32'(place[s].slot) >= Slots || 32'(place[s].vgpr) + 32'(req.vgprs) > Vgprs
                 || 32'(place[s].sgpr) + 32'(req.sgprs) > Sgprs;
        for (int unsigned w = 0; w < Waves; w++) begin
          if (w == (32'(cu_q) * Simds + (32'(first) + s) % Simds) * Slots + 32'(place[s].slot)) begin
            twice              = twice || granted[w] || live_q[w];
            granted[w]         = 1'b1;
            wave[w].vgpr       = place[s].vgpr[1:0];
            wave[w].vgprs_less = vgprs_q;
            wave[w].sgpr       = place[s].sgpr[1:0];
            wave[w].sgprs_less = sgprs_q;
          end
        end
      end
    end
    for (int unsigned w = 0; w < Waves; w++) begin
      if (done && granted[w]) begin
        wave[w].barrier   = req.barrier;
        wave[w].group     = group[0];
        wave[w].lds       = lds[1:0];
        wave[w].lds_count = lds_count_q;
      end
    end
  end

  // one of each CU that ends: last of its group when no other live one shares the barrier slot
  wave_t gone[Cus];
  logic [Cus-1:0] last;
  logic [Waves-1:0] ended;
  always_comb begin
    ended = '0;
    last  = '1;
    for (int unsigned c = 0; c < Cus; c++) begin
      gone[c]  = '0;
      freed[c] = '0;
      for (int unsigned w = c * PerCu; w < (c + 1) * PerCu; w++) begin
        if (w % PerCu == 32'(free_at_i[c]) && free_i[c] && live_q[w]) begin
          ended[w]      = 1'b1;
          gone[c]       = wave_q[w];
          freed[c].simd = 2'(w / Slots % Simds);
          freed[c].slot = 4'(w % Slots);
        end
      end
      for (int unsigned w = c * PerCu; w < (c + 1) * PerCu; w++)
        if (live_q[w] && !ended[w] && wave_q[w].barrier && wave_q[w].group == gone[c].group) last[c] = 1'b0;
      free_valid[c]      = ended[c*PerCu+:PerCu] != '0;
      freed[c].cu        = 6'(c);
      freed[c].vgpr      = 6'(gone[c].vgpr);
      freed[c].vgprs     = 7'(gone[c].vgprs_less) + 7'd1;
      freed[c].sgpr      = 6'(gone[c].sgpr);
      freed[c].sgprs     = 7'(gone[c].sgprs_less) + 7'd1;
      freed[c].last      = last[c] || !gone[c].barrier;
      freed[c].barrier   = gone[c].barrier;
      freed[c].group     = 6'(gone[c].group);
      freed[c].lds       = 7'(gone[c].lds);
      freed[c].lds_count = 8'(gone[c].lds_count);
    end
  end

  always_ff @(posedge clk_i) begin
    wave_q <= wave;
    live_q <= (live_q & ~ended) | (done && ok ? granted : '0);
    hope_q <= done ? '0 : granted;
    if (!rst_ni) begin
      live_q <= '0;
      hope_q <= '0;
    end
  end

  // what the live ones hold, with those that are granted in this cycle, and what the try has found so far, as rows
  logic [Waves-1:0] lives;
  assign lives = live_q | (done && ok ? granted : '0);
  logic [Rows-1:0][Slots-1:0] held_slots, hope_slots;
  vrow_t [Rows-1:0] held_vgprs, hope_vgprs;
  srow_t [Rows-1:0] held_sgprs, hope_sgprs;
  lrow_t [Cus-1:0] held_lds;
  logic [Cus-1:0][Groups-1:0] held_groups;
  logic overlap;  // a granule of a live wavefront or of the try is held twice
  always_comb begin
    held_slots  = lives;
    hope_slots  = done ? '0 : granted;
    held_vgprs  = '0;
    held_sgprs  = '0;
    hope_vgprs  = '0;
    hope_sgprs  = '0;
    held_lds    = '0;
    held_groups = '0;
    overlap     = 1'b0;
    for (int unsigned w = 0; w < Waves; w++) begin
      if (lives[w] || granted[w]) begin
        overlap = overlap
                  || (vmask(wave[w].vgpr, wave[w].vgprs_less) & (held_vgprs[w/Slots] | hope_vgprs[w/Slots])) != '0
                  || (smask(wave[w].sgpr, wave[w].sgprs_less) & (held_sgprs[w/Slots] | hope_sgprs[w/Slots])) != '0;
      end
      if (lives[w]) begin
        held_vgprs[w/Slots] |= vmask(wave[w].vgpr, wave[w].vgprs_less);
        held_sgprs[w/Slots] |= smask(wave[w].sgpr, wave[w].sgprs_less);
        held_lds[w/PerCu]   |= lmask(wave[w].lds, wave[w].lds_count);
        for (int unsigned g = 0; g < Groups; g++)
          if (wave[w].barrier && 32'(wave[w].group) == g) held_groups[w/PerCu][g] = 1'b1;
      end
      if (granted[w] && !done) begin
        hope_vgprs[w/Slots] |= vmask(wave[w].vgpr, wave[w].vgprs_less);
        hope_sgprs[w/Slots] |= smask(wave[w].sgpr, wave[w].sgprs_less);
      end
    end
  end
  // of the live ones before the grant: what it may not touch
  lrow_t old_lds;
  logic [Groups-1:0] old_groups;
  always_comb begin
    old_lds    = '0;
    old_groups = '0;
    for (int unsigned w = 0; w < Waves; w++) begin
      if (live_q[w] && w / PerCu == 32'(cu_q)) begin
        old_lds |= lmask(wave_q[w].lds, wave_q[w].lds_count);
        for (int unsigned g = 0; g < Groups; g++) if (wave_q[w].barrier && 32'(wave_q[w].group) == g) old_groups[g] = 1'b1;
      end
    end
  end

  // does a group fit, when its try begins?  Ends of the same cycle count.
  logic trying_q, begins, fits, fits_q;
  vrow_t [Rows-1:0] gone_vgprs;
  logic [Rows-1:0][Slots-1:0] gone_slots;
  srow_t [Rows-1:0] gone_sgprs;
  lrow_t gone_lds;
  logic [Groups-1:0] gone_groups;
  logic [3:0] rooms;
  assign begins = take;
  always_comb begin
    gone_slots  = ended;
    gone_vgprs  = '0;
    gone_sgprs  = '0;
    gone_lds    = '0;
    gone_groups = '0;
    rooms       = 4'd0;
    for (int unsigned r = 0; r < Rows; r++) begin
      if (ended[r*Slots+:Slots] != '0) begin
        gone_vgprs[r] = vmask(gone[r/Simds].vgpr, gone[r/Simds].vgprs_less);
        gone_sgprs[r] = smask(gone[r/Simds].sgpr, gone[r/Simds].sgprs_less);
      end
      if (r / Simds == 32'(ask_cu_q)) begin
        rooms = rooms + 4'(room((~held_slots[r] | gone_slots[r]) & usable(ask_positions_q, r % Simds),
                                ~held_vgprs[r] | gone_vgprs[r], ~held_sgprs[r] | gone_sgprs[r], ask_vgprs_q, ask_sgprs_q));
      end
    end
    for (int unsigned c = 0; c < Cus; c++) begin
      if (free_valid[c] && freed[c].last && c == 32'(ask_cu_q)) begin
        gone_lds = lmask(gone[c].lds, gone[c].lds_count);
        for (int unsigned g = 0; g < Groups; g++) gone_groups[g] = gone[c].barrier && 32'(gone[c].group) == g;
      end
    end
  end
  assign fits = 5'(rooms) >= ask.waves
                && (ask_lds_q == 2'd0 || runs(4'(lrow_t'(~held_lds[ask_cu_q] | gone_lds)), 3'(ask_lds_q)) != 3'd0)
                && (!ask.barrier || (~held_groups[ask_cu_q] | gone_groups) != '0);
  always_ff @(posedge clk_i) begin
    if (begins) fits_q <= fits;
    trying_q <= take || busy_o;
    if (!rst_ni) trying_q <= 1'b0;
  end

`ifdef REACH  // bounded search: this assertion must fail, which shows that a history of this kind exists:
  // a full CU refuses a request, it empties, and then takes a group of four in several rounds with an end between them
  // (only groups of four of the smallest size are asked for, so that the search is short)
  always_comb m_small : assume (waves_i == 2'd3 && vgprs_i == 2'd0 && !sgprs_i && lds_i == 2'd0 && positions_i == 3'd7);
  logic full_q, between_q;
  always_ff @(posedge clk_i) begin
    if (done && !ok && live_q == '1) full_q <= 1'b1;
    between_q <= trying_q && !done && (between_q || free_valid != '0);
    if (!rst_ni) full_q <= 1'b0;
  end
  `GANTRY_ASSERT(c_history, !(full_q && done && ok && between_q && req.waves == 5'd4 && live_q == '0 && req_valid_q))
`else
  `GANTRY_ASSERT(a_slots, !twice)
  `GANTRY_ASSERT(a_range, !beyond)
  `GANTRY_ASSERT(a_position, !refused)
  `GANTRY_ASSERT(a_disjoint, !overlap)
  `GANTRY_ASSERT(a_lds, `GANTRY_IMPL(done && ok && lds_count_q != 2'd0,
      (old_lds & lmask(lds[1:0], lds_count_q)) == '0 && 32'(lds) + 32'(lds_count_q) <= Lds))
  `GANTRY_ASSERT(a_group, `GANTRY_IMPL(done && ok && req.barrier, 32'(group) < Groups && !old_groups[group[0]]))
  `GANTRY_ASSERT(a_whole, `GANTRY_IMPL(done && ok, 5'($countones(granted)) == req.waves))
  `GANTRY_ASSERT(a_fits, `GANTRY_IMPL(done && fits_q, ok))
  `GANTRY_ASSERT(a_ends, `GANTRY_IMPL(trying_q, done || places != 3'd0))
  `GANTRY_ASSERT(a_asked, `GANTRY_IMPL(done || places != 3'd0, trying_q))
  `GANTRY_ASSERT(a_pace, `GANTRY_IMPL(take, !trying_q || done))  // the next try begins when the last one has ended, no later
  `GANTRY_ASSERT(a_enough, 5'($countones(granted)) <= req.waves)
`ifdef HELPERS
  `include "dispatch_pool_inv.svh"
`endif
`endif
endmodule
