// SPDX-License-Identifier: Apache-2.0
// Program counters of the scalar memory instructions under way, for the faults of those that fail: their answers come out of
// order, while the wavefront goes on.  An entry lives from begun_valid_i to ended_valid_i; cu_issue lets no more than
// `Entries` be under way.  Two of one wavefront with the same tag, 256 instructions apart, may be taken for each other.
// Not responsible for: vector memory, whose instructions keep theirs in their slots (cu_vmem_slots).
`include "gantry_assert.svh"

module cu_smem_pc
  import cu_pkg::*;
#(
  parameter int unsigned Entries = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             begun_valid_i,
  input  wave_tag_t        begun_i,
  input  logic      [47:0] begun_pc_i,
  input  logic             ended_valid_i,
  input  wave_tag_t        ended_i,
  output logic      [47:0] pc_o            // of the last that ended, from the next cycle on
);
  localparam int unsigned Aw = $clog2(Entries);
  (* no_rw_check *) logic [47:0] pcs[Entries];
  logic full_q, lost_q;  // for the assertions

  /* verilator lint_off BLKSEQ */
  logic [Entries-1:0] used, hits;
  wave_tag_t key[Entries];
  logic [Aw-1:0] place;

  always_ff @(posedge clk_i) begin
    if (begun_valid_i || ended_valid_i || !rst_ni) begin
      lost_q <= 1'b0;
      if (ended_valid_i) begin
        for (int unsigned k = 0; k < Entries; k++) hits[k] = key[k] == ended_i;
        hits = hits & used;
        place = Aw'(pick_pkg::first64(64'(hits)));
        used[place] = 1'b0;
        pc_o <= pcs[place];
        lost_q <= hits == '0;
      end
      if (begun_valid_i) begin
        place = Aw'(pick_pkg::first64(64'(~used)));
        used[place] = 1'b1;
        for (int unsigned k = 0; k < Entries; k++) if (place == Aw'(k)) key[k] = begun_i;
        pcs[place] <= begun_pc_i;
      end
      full_q <= used == '1;
      if (!rst_ni) begin
        used   = '0;
        full_q <= 1'b0;
        lost_q <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(begun_valid_i, !full_q))
  `GANTRY_ASSERT(a_known, !lost_q)

  logic unused;
  assign unused = full_q | lost_q;
endmodule
