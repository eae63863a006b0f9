// SPDX-License-Identifier: Apache-2.0
// Partition top of a compute unit: parameters from the configuration, identity straps, control agent.  Contract:
// docs/contracts.md, docs/reference/control.md.
// Not responsible for: anything that the unit does (rtl/cu/cu.sv).
`include "gantry_assert.svh"

module part_cu
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import cu_pkg::*;
  import stream_rules_pkg::*;
#(
  parameter bit CheckNamed = 1'b1  // benches whose wavefronts share registers: 0
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic         [15:0] id_i,                // {gpu, CU}
  input  logic         [63:0] cycle_i,
  output logic                idle_o,
  input  logic                perf_en_i,
  input  logic         [ 7:0] perf_addr_i,
  output logic         [63:0] perf_data_o,
  input  logic                cu_cmd_valid_i,
  input  cu_cmd_t             cu_cmd_i,
  output logic                cu_evt_valid_o,
  output cu_evt_t             cu_evt_o,
  input  logic                cu_evt_credit_i,
  output logic                ifetch_req_valid_o,
  output ifetch_req_t         ifetch_req_o,
  input  logic                ifetch_rsp_valid_i,
  input  ifetch_rsp_t         ifetch_rsp_i,
  output logic                smem_req_valid_o,
  output smem_req_t           smem_req_o,
  input  logic                smem_rsp_valid_i,
  input  smem_rsp_t           smem_rsp_i,
  output logic                mem_req_valid_o,
  output mem_req_t            mem_req_o,
  input  logic                mem_req_credit_i,
  input  logic                mem_rsp_valid_i,
  input  mem_rsp_t            mem_rsp_i,
  // hub -> control agent
  input  logic                ctl_cmd_valid_i,
  input  ctl_cmd_t            ctl_cmd_i,
  output logic                ctl_evt_valid_o,
  output ctl_evt_t            ctl_evt_o,
  input  logic                obs_en_i,
  output logic         [ 5:0] obs_inst_valid_o,
  output obs_inst_t           obs_inst_o[6],
  output logic         [ 4:0] obs_sgpr_valid_o,
  output obs_sgpr_t           obs_sgpr_o[5],
  output logic         [ 3:0] obs_vgpr_valid_o,
  output obs_vgpr_t           obs_vgpr_o[4],
  output logic         [ 7:0] obs_done_valid_o,
  output wave_tag_t           obs_done_o[8],
  output logic                obs_lds_valid_o,
  output obs_lds_t            obs_lds_o,
  output logic                obs_row_valid_o,
  output obs_row_t            obs_row_o
);
  logic cu_idle, agent_idle, hold_take, hold_all, drained, flush, maint_valid, maint_valid_q, maint_done;
  logic id_wanted_q;
  logic [63:0] perf_data;
  logic [7:0] flags_q;
  tlb_pkg::inv_t pages_q;
  /* verilator lint_off UNUSEDSIGNAL */  // what the CU has no use for
  ctl_cmd_t maint;
  logic discard;
  /* verilator lint_on UNUSEDSIGNAL */

  // No logic of the CU hangs on a control message, which would be evaluated with every answer of memory as well.
  always_ff @(posedge clk_i) begin
    if (maint_valid || maint_valid_q || !rst_ni) begin
      maint_valid_q <= rst_ni && maint_valid;
      flags_q       <= maint.flags[7:0];
      pages_q       <= tlb_pkg::inv_of(maint.vmid, maint.root, maint.bytes);
    end
  end

  // What the L1V keeps is never dirty: a flush is done at once.
  control_agent #(
    .Discards(1'b0),
    .Registered(1'b1)
  ) u_agent (
    .clk_i,
    .rst_ni,
    .idle_o        (agent_idle),
    .ctl_cmd_valid_i,
    .ctl_cmd_i,
    .ctl_evt_valid_o,
    .ctl_evt_o,
    .hold_take_o   (hold_take),
    .hold_all_o    (hold_all),
    .drained_i     (drained),
    .flush_o       (flush),
    .flush_done_i  (flush),
    .discard_o     (discard),
    .discard_done_i(1'b0),
    .maint_valid_o (maint_valid),
    .maint_o       (maint),
    .maint_done_i  (maint_done)
  );

  cu #(
    .Simds     (NumSimd),
    .NumSlices (L2Slices),
    .LdsBytes  (LdsKib * 1024),
    .L1vBytes  (L1vKib * 1024),
    .L1vWays   (L1vWays),
    .L1vMshrs  (L1vMshrs),
    .NocCredits(NocQueue),
    .TlbEntries(L1vTlbEntries),
    .LdsLatency(LdsLatency),
    .L1vLatency(L1vHitLatency),
    .ScalarLatency(SqcHitLatency),
    .TimeLatency(TimeLatency),
    .AddressLanes(VmemLanes)
  ) u_cu (
    .clk_i,
    .rst_ni,
    .cycle_i (cycle_i[47:0]),
    .cu_id_i (id_i[5:0]),
    .gpu_id_i(id_i[15:8]),
    .cu_cmd_valid_i,
    .cu_cmd_i,
    .cu_evt_valid_o,
    .cu_evt_o,
    .cu_evt_credit_i,
    .ifetch_req_valid_o,
    .ifetch_req_o,
    .ifetch_rsp_valid_i,
    .ifetch_rsp_i,
    .smem_req_valid_o,
    .smem_req_o,
    .smem_rsp_valid_i,
    .smem_rsp_i,
    .mem_req_valid_o,
    .mem_req_o,
    .mem_req_credit_i,
    .mem_rsp_valid_i,
    .mem_rsp_i,
    .perf_en_i,
    .perf_addr_i,
    .perf_data_o(perf_data),
    .obs_en_i,
    .obs_inst_valid_o,
    .obs_inst_o,
    .obs_sgpr_valid_o,
    .obs_sgpr_o,
    .obs_vgpr_valid_o,
    .obs_vgpr_o,
    .obs_done_valid_o,
    .obs_done_o,
    .obs_lds_valid_o,
    .obs_lds_o,
    .obs_row_valid_o,
    .obs_row_o,
    .hold_take_i(hold_take),
    .hold_all_i(hold_all),
    .kick_i(!agent_idle),
    .drained_o(drained),
    .inv_valid_i(maint_valid_q),
    .inv_flags_i(flags_q),
    .inv_pages_i(pages_q),
    .inv_done_o(maint_done),
    .idle_o(cu_idle)
  );
  assign idle_o = cu_idle && agent_idle && !maint_valid_q;

  always_ff @(posedge clk_i) begin
    if (perf_en_i) id_wanted_q <= perf_addr_i == PERF_ID;
  end
  assign perf_data_o = id_wanted_q ? 64'(id_i) : perf_data;

  logic unused;
  assign unused = ^cycle_i[63:48];
  // ---- assertions
  `STREAM_ASSERT(a_cmd, cu_cmd_valid_i, cu_cmd_ok(cu_cmd_i))
  if (CheckNamed) begin : gen_named
    cu_resources u_resources (
      .clk_i, .rst_ni, .cmd_valid_i(cu_cmd_valid_i), .cmd_i(cu_cmd_i), .evt_valid_i(cu_evt_valid_o), .evt_i(cu_evt_o));
  end
  `STREAM_ASSERT(a_evt, cu_evt_valid_o, cu_evt_ok(cu_evt_o))
  `STREAM_BOUND(a_evt_credit, 8, cu_evt_valid_o, cu_evt_credit_i)
  // what is not the start of a wavefront is acknowledged, once
  `STREAM_BOUND(a_acknowledged, 64, cu_cmd_valid_i && cu_cmd_i.kind != CU_WAVE,
                cu_evt_valid_o && cu_evt_o.kind == CU_EVT_ACK)
  `STREAM_ASSERT(a_fetch, ifetch_req_valid_o, ifetch_req_ok(ifetch_req_o))
  `STREAM_ASSERT(a_fetched, ifetch_rsp_valid_i, ifetch_rsp_ok(ifetch_rsp_i))
  `STREAM_BOUND(a_fetches, 256, ifetch_req_valid_o, ifetch_rsp_valid_i)
  `STREAM_ASSERT(a_scalar, smem_req_valid_o, smem_req_ok(smem_req_o))
  `STREAM_ASSERT(a_scalar_answer, smem_rsp_valid_i, smem_rsp_ok(smem_rsp_i))
  `STREAM_BOUND(a_scalars, 16, smem_req_valid_o && smem_req_o.op != SMEM_DATA, smem_rsp_valid_i)
  `STREAM_ASSERT(a_req, mem_req_valid_o, mem_req_ok(mem_req_o) && 32'(mem_req_o.target) < L2Slices + 2)
  `STREAM_BOUND(a_req_credit, NocQueue, mem_req_valid_o, mem_req_credit_i)
  `STREAM_ASSERT(a_rsp, mem_rsp_valid_i, mem_rsp_ok(mem_rsp_i))
  `STREAM_BOUND(a_answered, Any, mem_req_valid_o, mem_rsp_valid_i)
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i) && ctl_cmd_i.op != CTL_ROOT)
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
  `STREAM_BOUND(a_one_maint, 1, maint_valid, maint_done)
endmodule
