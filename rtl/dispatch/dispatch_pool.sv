// SPDX-License-Identifier: Apache-2.0
// The CU resource pool of one GPU, shared by all its dispatchers (S3.5 to S3.7, S3.10): wavefront slots, VGPR and SGPR
// ranges of every SIMD, LDS ranges and barrier slots of every CU.  A request places a whole work-group in one CU or
// nothing; each round places up to one wavefront on every SIMD, from the one behind the last that this CU used.  What
// was found is written only when the whole group fits, so a failed try leaves no trace.  One round a cycle: a group that
// fits in one, whoever's it is, is followed by the next in the next cycle.  Frees of the same cycle, one a CU, come before
// the round.  A request may be confined to the first positions of the CU (slot * Simds + SIMD): scratch memory.
// Not responsible for: who asks and which CU is tried (the walk), when something is free (the events).
`include "gantry_assert.svh"

module dispatch_pool
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 1,
  parameter int unsigned Simds = 4,
  parameter int unsigned Slots = 10,        // of a SIMD, at most 16
  parameter int unsigned VgprGranules = 64,
  parameter int unsigned SgprGranules = 50,
  parameter int unsigned LdsGranules = 128,
  parameter int unsigned Groups = 16,       // barrier slots of a CU, at most 64
  parameter bit [1:0] SeedBug = 2'd0        // formal only: 1 free lost, 2 a failed try stays, 3 range one too short
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   req_valid_i,   // taken at an edge at which busy_o is not set
  input  pool_req_t              req_i,
  output logic                   busy_o,        // the try goes on with another round
  output place_t     [Simds-1:0] place_o,       // wavefronts of one round, in SIMD order from first_o
  output logic       [      1:0] first_o,       // SIMD that comes first in this round
  output logic                   done_o,        // the try ended with this round
  output logic                   ok_o,          // all places of the try are granted
  output group_t                 group_o,
  output lds_t                   lds_o,
  input  logic       [  Cus-1:0] free_valid_i,  // always taken, one of each CU
  input  pool_free_t             free_i [Cus],
  output logic                   idle_o
);
  // rows: one bit a resource, 1 = free; only the bits that exist, so nothing beyond them can be granted
  typedef logic [Slots-1:0] slots_t;
  typedef logic [VgprGranules-1:0] vgprs_t;
  typedef logic [SgprGranules-1:0] sgprs_t;
  typedef logic [LdsGranules-1:0] lds_row_t;
  typedef logic [Groups-1:0] groups_t;
  localparam int unsigned Ew = Cus * Simds > 1 ? $clog2(Cus * Simds) : 1;
  localparam int unsigned Cw = Cus > 1 ? $clog2(Cus) : 1;

  // Slots of a SIMD whose position in the CU is below `positions`.
  function automatic slots_t usable(input logic [6:0] positions, input logic [1:0] simd_at);
    for (int unsigned k = 0; k < Slots; k++) usable[k] = k * Simds + 32'(simd_at) < 32'(positions);
  endfunction

  // entry of a SIMD: cu * Simds + simd
  slots_t slots[Cus*Simds];
  vgprs_t vgprs[Cus*Simds];
  sgprs_t sgprs[Cus*Simds];
  lds_row_t lds[Cus];
  groups_t groups[Cus];

  // the try in progress: the CU's rows as they will be
  slots_t slots_w[Simds], open;
  vgprs_t vgprs_w[Simds];
  sgprs_t sgprs_w[Simds];
  lds_row_t lds_w, lds_mask;
  groups_t groups_w;
  logic [127:0] lds_runs;
  logic busy, ok, some;
  logic [4:0] left;
  logic [1:0] turn[Cus];  // SIMD with which a CU's next group begins
  logic [1:0] first, simd;  // of the try
  lds_t lds_base;
  group_t group;
  place_t [Simds-1:0] places;
  logic [63:0] vgpr_runs, sgpr_runs;
  logic [Ew-1:0] entry;
  logic [Cw-1:0] cu;
  pool_req_t r;    // of the try
  pool_free_t f;
  logic take;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    done_o  <= 1'b0;
    places  = '0;
    take    = req_valid_i && !busy;
    if (take) r = req_i;
    if (free_valid_i != '0) begin
      for (int unsigned c = 0; c < Cus; c++) begin
        if (free_valid_i[c]) begin
          f         = free_i[c];
          entry     = Ew'(c * Simds + 32'(f.simd));
          lds_mask  = lds_row_t'(range128(f.lds, f.lds_count));
          // what becomes free was taken, all of it
          `GANTRY_CHECK(a_free_cu, 32'(f.cu) == c)
          `GANTRY_CHECK(a_slot_taken, (slots[entry] & slots_t'(16'd1 << f.slot)) == '0)
          `GANTRY_CHECK(a_vgprs_taken, (vgprs[entry] & vgprs_t'(range64(f.vgpr, f.vgprs))) == '0)
          `GANTRY_CHECK(a_sgprs_taken, (sgprs[entry] & sgprs_t'(range64(f.sgpr, f.sgprs))) == '0)
          `GANTRY_CHECK(a_lds_taken, !f.last || (lds[c] & lds_mask) == '0)
          if (SeedBug != 2'd1) slots[entry] = slots[entry] | slots_t'(16'd1 << f.slot);
          vgprs[entry] = vgprs[entry] | vgprs_t'(range64(f.vgpr, f.vgprs));
          sgprs[entry] = sgprs[entry] | sgprs_t'(range64(f.sgpr, f.sgprs));
          if (f.last) lds[c] = lds[c] | lds_mask;
          if (f.last && f.barrier) groups[c] = groups[c] | groups_t'(64'd1 << f.group);
          if (busy && 32'(r.cu) == c) begin
            slots_w[f.simd] = slots_w[f.simd] | slots_t'(16'd1 << f.slot);
            vgprs_w[f.simd] = vgprs_w[f.simd] | vgprs_t'(range64(f.vgpr, f.vgprs));
            sgprs_w[f.simd] = sgprs_w[f.simd] | sgprs_t'(range64(f.sgpr, f.sgprs));
            if (f.last) lds_w = lds_w | lds_mask;
            if (f.last && f.barrier) groups_w = groups_w | groups_t'(64'd1 << f.group);
          end
        end
      end
    end
    if (take || busy) begin
      cu = Cw'(r.cu);
      ok = 1'b1;
      if (take) begin  // first round: take the rows, find LDS and barrier slot
        for (int unsigned s = 0; s < Simds; s++) begin
          slots_w[s] = slots[Ew'(32'(r.cu)*Simds+s)];
          vgprs_w[s] = vgprs[Ew'(32'(r.cu)*Simds+s)];
          sgprs_w[s] = sgprs[Ew'(32'(r.cu)*Simds+s)];
        end
        lds_w    = lds[cu];
        groups_w = groups[cu];
        left     = r.waves;
        first    = turn[cu];
        lds_base = 7'd0;
        group    = 6'd0;
        if (r.lds != 8'd0) begin
          lds_runs = runs128(128'(lds_w), r.lds);
          ok       = lds_runs != 128'd0;
          lds_base = pick_pkg::first128(lds_runs);
          lds_w    = lds_w & ~lds_row_t'(range128(lds_base, r.lds));
        end
        if (r.barrier) begin
          ok       = ok && groups_w != '0;
          group    = pick_pkg::first64(64'(groups_w));
          groups_w = groups_w & ~groups_t'(64'd1 << group);
        end
      end
      some = 1'b0;
      for (int unsigned s = 0; s < Simds; s++) begin  // one wavefront on every SIMD that has room
        simd      = 2'((32'(first) + s) % Simds);
        vgpr_runs = pick_pkg::runs64(64'(vgprs_w[simd]), r.vgprs);
        sgpr_runs = pick_pkg::runs64(64'(sgprs_w[simd]), r.sgprs);
        open      = slots_w[simd] & usable(r.positions, simd);
        if (ok && left != 5'd0 && open != '0 && vgpr_runs != '0 && sgpr_runs != '0) begin
          places[s].valid = 1'b1;
          places[s].slot  = 4'(pick_pkg::first64(64'(open)));
          places[s].vgpr  = pick_pkg::first64(vgpr_runs);
          places[s].sgpr  = pick_pkg::first64(sgpr_runs);
          // what is granted was free, all of it
          `GANTRY_CHECK(a_slot_free, (slots_w[simd] & slots_t'(16'd1 << places[s].slot)) != '0)
          `GANTRY_CHECK(a_vgprs_free, (~64'(vgprs_w[simd]) & range64(places[s].vgpr, r.vgprs)) == '0)
          `GANTRY_CHECK(a_sgprs_free, (~64'(sgprs_w[simd]) & range64(places[s].sgpr, r.sgprs)) == '0)
          slots_w[simd]   = slots_w[simd] & ~slots_t'(16'd1 << places[s].slot);
          vgprs_w[simd]   = vgprs_w[simd]
                          & ~vgprs_t'(range64(places[s].vgpr, r.vgprs - (SeedBug == 2'd3 ? 7'd1 : 7'd0)));
          sgprs_w[simd]   = sgprs_w[simd] & ~sgprs_t'(range64(places[s].sgpr, r.sgprs));
          left            = left - 5'd1;
          some            = 1'b1;
        end
      end
      ok      = ok && some;
      busy    = ok && left != 5'd0;
      done_o  <= !busy;
      ok_o    <= ok;
      place_o <= places;
      first_o <= first;
      group_o <= group;
      lds_o   <= lds_base;
      if ((ok || SeedBug == 2'd2) && !busy) begin  // the whole group fits: now it is true
        for (int unsigned s = 0; s < Simds; s++) begin
          slots[Ew'(32'(r.cu)*Simds+s)] = slots_w[s];
          vgprs[Ew'(32'(r.cu)*Simds+s)] = vgprs_w[s];
          sgprs[Ew'(32'(r.cu)*Simds+s)] = sgprs_w[s];
        end
        lds[cu]    = lds_w;
        groups[cu] = groups_w;
        turn[cu]   = 2'((32'(first) + 32'(r.waves)) % Simds);
      end
    end
    place_o <= places;
    busy_o  <= busy;
    idle_o  <= !busy && !take;
    if (!rst_ni) begin
      busy   = 1'b0;
      busy_o  <= 1'b0;
      done_o  <= 1'b0;
      place_o <= '0;
      idle_o  <= 1'b1;
      for (int unsigned e = 0; e < Cus * Simds; e++) begin
        slots[e] = '1;
        vgprs[e] = '1;
        sgprs[e] = '1;
      end
      for (int unsigned c = 0; c < Cus; c++) begin
        lds[c]    = '1;
        groups[c] = '1;
`ifndef GANTRY_PLANT_NO_RESET  // the test of random initial contents must notice this
        turn[c]   = 2'd0;
`endif
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_request, `GANTRY_IMPL(req_valid_i, req_i.waves != 5'd0 && req_i.waves <= 5'd16))
  `GANTRY_ASSERT(a_sizes, `GANTRY_IMPL(req_valid_i, req_i.vgprs != 7'd0 && req_i.sgprs != 7'd0))
endmodule
