// SPDX-License-Identifier: Apache-2.0
// What the dispatcher may name for a wavefront (S3.7), as a compute unit sees it: a slot that is free, ranges of VGPRs and SGPRs
// within the files of its SIMD, a range within the LDS, all disjoint from those of the wavefronts that are there; the wavefronts of
// one work-group have one range of the LDS.  A wavefront is there from its command until the event of its end, or until the
// kill of its address space is acknowledged.
// The unit allocates nothing and relies on all of this.  Stands in the section of assertions; without them it is empty.
// Not responsible for: who chooses (rtl/dispatch/dispatch_pool.sv), that nothing is leaked there.
`include "gantry_assert.svh"

module cu_resources
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
(
  /* verilator lint_off UNUSEDSIGNAL */  // without assertions, and what is no resource
  input  logic    clk_i,
  input  logic    rst_ni,
  input  logic    cmd_valid_i,
  input  cu_cmd_t cmd_i,
  input  logic    evt_valid_i,
  input  cu_evt_t evt_i
  /* verilator lint_on UNUSEDSIGNAL */
);
`ifdef GANTRY_NO_ASSERT
`elsif GANTRY_FORMAL  // proofs count on their own
`else
  localparam int unsigned Told = 64;  // commands that are to be acknowledged, at most
  typedef struct packed {
    logic [7:0] vmid, launch, group, group_waves, wave_in_group;
    logic [15:0] vgpr, vgpr_end, sgpr, sgpr_end;
    logic [31:0] lds, lds_end;
  } held_t;

  held_t held[64];  // by {SIMD, slot}
  logic [63:0] live, doomed;  // doomed: of these, those that a kill under way ends
  logic [Told-1:0] kills;     // of the commands under way: it is a kill, of this space
  logic [7:0] spaces[Told];
  logic [5:0] told_first, told_next;
  held_t asked;

  function automatic logic apart(input logic [31:0] a, input logic [31:0] a_end, input logic [31:0] b,
                                 input logic [31:0] b_end);
    return a_end <= b || b_end <= a || a == a_end || b == b_end;
  endfunction

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (evt_valid_i) begin
      if (evt_i.kind == CU_EVT_WAVE_DONE) begin
        `GANTRY_CHECK(a_ended, live[evt_i.wave[5:0]])
        live[evt_i.wave[5:0]] = 1'b0;
      end
      if (evt_i.kind == CU_EVT_ACK) begin
        if (kills[told_first]) begin
          for (int unsigned w = 0; w < 64; w++) begin
            if (doomed[w[5:0]] && held[w[5:0]].vmid == spaces[told_first]) live[w[5:0]] = 1'b0;
          end
        end
        told_first = told_first + 6'd1;
      end
    end
    if (cmd_valid_i && cmd_i.kind != CU_WAVE) begin
      kills[told_next]  = cmd_i.kind == CU_KILL;
      spaces[told_next] = cmd_i.vmid;
      told_next         = told_next + 6'd1;
      for (int unsigned w = 0; w < 64; w++) begin
        if (cmd_i.kind == CU_KILL && live[w[5:0]] && held[w[5:0]].vmid == cmd_i.vmid) doomed[w[5:0]] = 1'b1;
      end
    end
    if (cmd_valid_i && cmd_i.kind == CU_WAVE) begin
      asked = '{
          vmid: cmd_i.vmid,
          launch: cmd_i.launch,
          group: cmd_i.group,
          group_waves: cmd_i.group_waves,
          wave_in_group: cmd_i.wave_in_group,
          vgpr: cmd_i.vgpr_base,
          vgpr_end: cmd_i.vgpr_base + cmd_i.vgprs,
          sgpr: cmd_i.sgpr_base,
          sgpr_end: cmd_i.sgpr_base + cmd_i.sgprs,
          lds: cmd_i.lds_base,
          lds_end: cmd_i.lds_base + cmd_i.lds_bytes
      };
      `GANTRY_CHECK(a_slot_is, cmd_i.wave[7:6] == 2'd0 && 32'(cmd_i.wave[5:4]) < NumSimd &&
                               32'(cmd_i.wave[3:0]) < WavesPerSimd)
      `GANTRY_CHECK(a_slot_free, !live[cmd_i.wave[5:0]])
      `GANTRY_CHECK(a_vgprs_there, 32'(asked.vgpr) + 32'(cmd_i.vgprs) <= VgprsPerSimd)
      `GANTRY_CHECK(a_sgprs_there, 32'(asked.sgpr) + 32'(cmd_i.sgprs) <= SgprsPerSimd)
      `GANTRY_CHECK(a_lds_there, cmd_i.lds_bytes <= LdsKib * 1024 && asked.lds <= LdsKib * 1024 - cmd_i.lds_bytes)
      for (int unsigned w = 0; w < 64; w++) begin
        if (live[w[5:0]]) begin
          if (w[5:4] == cmd_i.wave[5:4]) begin
            `GANTRY_CHECK(a_vgprs_apart, apart(32'(asked.vgpr), 32'(asked.vgpr_end), 32'(held[w[5:0]].vgpr),
                                               32'(held[w[5:0]].vgpr_end)))
            `GANTRY_CHECK(a_sgprs_apart, apart(32'(asked.sgpr), 32'(asked.sgpr_end), 32'(held[w[5:0]].sgpr),
                                               32'(held[w[5:0]].sgpr_end)))
          end
          // a work-group of several wavefronts has its number to itself
          if (asked.group_waves > 8'd1 && held[w[5:0]].group_waves > 8'd1 && asked.group == held[w[5:0]].group) begin
            `GANTRY_CHECK(a_one_group, asked.vmid == held[w[5:0]].vmid && asked.launch == held[w[5:0]].launch &&
                                       asked.group_waves == held[w[5:0]].group_waves &&
                                       asked.wave_in_group != held[w[5:0]].wave_in_group)
            `GANTRY_CHECK(a_lds_shared, asked.lds == held[w[5:0]].lds && asked.lds_end == held[w[5:0]].lds_end)
          end else begin
            `GANTRY_CHECK(a_lds_apart, apart(asked.lds, asked.lds_end, held[w[5:0]].lds, held[w[5:0]].lds_end))
          end
        end
      end
      live[cmd_i.wave[5:0]]   = 1'b1;
      doomed[cmd_i.wave[5:0]] = 1'b0;
      held[cmd_i.wave[5:0]]   = asked;
    end
    if (!rst_ni) {live, doomed, told_first, told_next} = '0;
  end
  /* verilator lint_on BLKSEQ */
`endif
endmodule
