// SPDX-License-Identifier: Apache-2.0
// Program counters of the scalar memory instructions under way, for the faults of those that fail: their answers come out of
// order, while the wavefront goes on.  An entry lives from its request to its answer; cu_issue lets no more than `Entries`
// be under way.  Two of one wavefront with the same tag, 256 instructions apart, may be taken for each other.
// Not responsible for: vector memory, whose instructions keep theirs in their slots (cu_vmem_slots).
`include "gantry_assert.svh"

module cu_smem_pc
  import cu_pkg::*;
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Entries = 16
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             req_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  smem_req_t        req_i,        // with its instruction's tag lowest in its own
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic      [47:0] pc_i,
  input  logic             ended_valid_i,
  input  wave_tag_t        ended_i,
  output logic      [47:0] pc_o          // of the last that ended, from the next cycle on
);
  localparam int unsigned Aw = $clog2(Entries);
  (* no_rw_check *) logic [47:0] pcs[Entries];

  /* verilator lint_off BLKSEQ */
  logic [Entries-1:0] used, hits;
  wave_tag_t key[Entries];
  logic [Aw-1:0] place;

  always_ff @(posedge clk_i) begin
    if (req_valid_i || ended_valid_i || !rst_ni) begin
      `GANTRY_CHECKS;
      if (ended_valid_i) begin
        for (int unsigned k = 0; k < Entries; k++) hits[k] = key[k] == ended_i;
        place = Aw'(pick_pkg::first64(64'(hits & used)));
        used[place] = 1'b0;
        pc_o <= pcs[place];
      end
      if (req_valid_i && req_i.op != SMEM_DATA) begin
        place = Aw'(pick_pkg::first64(64'(~used)));
        used[place] = 1'b1;
        for (int unsigned k = 0; k < Entries; k++) begin
          if (place == Aw'(k)) key[k] = '{wave: req_i.wave[5:0], tag: req_i.tag[7:0]};
        end
        pcs[place] <= pc_i;
      end
      if (!rst_ni) used = '0;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  task automatic check_state();
    logic known;
    known = 1'b0;
    for (int unsigned k = 0; k < Entries; k++) known = known || (used[k] && key[k] == ended_i);
    `GANTRY_CHECK(a_known, `GANTRY_IMPL(ended_valid_i, known))
    `GANTRY_CHECK(a_room, `GANTRY_IMPL(req_valid_i && req_i.op != SMEM_DATA && !ended_valid_i, used != '1))
  endtask
endmodule
