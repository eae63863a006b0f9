// SPDX-License-Identifier: Apache-2.0
// Partition top of a sequencer cache group: parameters from the configuration, counters, one control agent for both caches.
// Contract: docs/contracts.md, docs/reference/control.md.
`include "gantry_assert.svh"

module part_sqc
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import stream_rules_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic        [      15:0] id_i,
  input  logic        [      63:0] cycle_i,
  output logic                     idle_o,
  input  logic                     perf_en_i,
  input  logic        [       7:0] perf_addr_i,
  output logic        [      63:0] perf_data_o,
  input  logic        [SqcCus-1:0] ifetch_req_valid_i,
  input  ifetch_req_t              ifetch_req_i [SqcCus],
  output logic        [SqcCus-1:0] ifetch_rsp_valid_o,
  output ifetch_rsp_t              ifetch_rsp_o [SqcCus],
  input  logic        [SqcCus-1:0] smem_req_valid_i,
  input  smem_req_t                smem_req_i [SqcCus],
  output logic        [SqcCus-1:0] smem_rsp_valid_o,
  output smem_rsp_t                smem_rsp_o [SqcCus],
  output logic                     mem_req_valid_o,
  output mem_req_t                 mem_req_o,
  input  logic                     mem_req_credit_i,
  input  logic                     mem_rsp_valid_i,
  input  mem_rsp_t                 mem_rsp_i,
  // hub -> control agent
  input  logic                     ctl_cmd_valid_i,
  input  ctl_cmd_t                 ctl_cmd_i,
  output logic                     ctl_evt_valid_o,
  output ctl_evt_t                 ctl_evt_o
);
  sqc_pulse_t count;
  logic idle, pulse_q, agent_idle, hold_take, hold_all, finished, flush, discard, discarded_q, maint_valid, maint_done;
  ctl_cmd_t maint;
  sqc #(
    .Cus(SqcCus), .NumSlices(L2Slices), .IKib(L1iKib), .IWays(L1iWays), .KKib(L1kKib), .KWays(L1kWays),
    .TlbEntries(SqcTlbEntries), .Ahead(SqcPrefetch != 0), .Credits(NocQueue)
  ) u_sqc (
    .clk_i, .rst_ni, .own_gpu_i(id_i[15:8]), .cycle_i, .idle_o(idle),
    .ifetch_req_valid_i, .ifetch_req_i, .ifetch_rsp_valid_o, .ifetch_rsp_o,
    .smem_req_valid_i, .smem_req_i, .smem_rsp_valid_o, .smem_rsp_o,
    .mem_req_valid_o, .mem_req_o, .mem_req_credit_i, .mem_rsp_valid_i, .mem_rsp_i,
    .maint_valid_i(maint_valid), .maint_i(maint), .maint_done_o(maint_done),
    .hold_take_i(hold_take), .hold_all_i(hold_all), .discard_i(discard), .finished_o(finished), .count_o(count));

  // What they keep is never dirty: a flush is done at once.
  control_agent u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i, .ctl_cmd_i, .ctl_evt_valid_o, .ctl_evt_o,
    .hold_take_o(hold_take), .hold_all_o(hold_all), .drained_i(finished), .flush_o(flush), .flush_done_i(flush),
    .discard_o(discard), .discard_done_i(discarded_q), .maint_valid_o(maint_valid), .maint_o(maint),
    .maint_done_i(maint_done));
  always_ff @(posedge clk_i) begin
    discarded_q <= rst_ni && discard;
  end

  logic [63:0] counter_q[SQC_COUNTERS];
  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (perf_en_i) perf_data_o <= perf_addr_i == PERF_ID ? 64'(id_i) : counter_q[perf_addr_i[3:0]];
    if (count != '0) begin
      /* verilator unroll_full */
      for (int unsigned i = 0; i < SQC_COUNTERS; i++) if (count[i[3:0]]) counter_q[i] = counter_q[i] + 64'd1;
    end
    if (!rst_ni) begin
      for (int unsigned i = 0; i < SQC_COUNTERS; i++) counter_q[i] = 64'd0;
    end
    pulse_q <= count != '0;
  end
  /* verilator lint_on BLKSEQ */
  assign idle_o = idle && agent_idle && count == '0 && !pulse_q;
  // ---- assertions
  for (genvar n = 0; n < SqcCus; n++) begin : gen_check_cu
    `STREAM_ASSERT(a_fetch, ifetch_req_valid_i[n], ifetch_req_ok(ifetch_req_i[n]))
    `STREAM_ASSERT(a_fetched, ifetch_rsp_valid_o[n], ifetch_rsp_ok(ifetch_rsp_o[n]))
    `STREAM_BOUND(a_fetches, Any, ifetch_req_valid_i[n], ifetch_rsp_valid_o[n])
    `STREAM_ASSERT(a_scalar, smem_req_valid_i[n], smem_req_ok(smem_req_i[n]))
    `STREAM_ASSERT(a_scalar_answer, smem_rsp_valid_o[n], smem_rsp_ok(smem_rsp_o[n]))
    `STREAM_BOUND(a_scalars, Any, smem_req_valid_i[n] && smem_req_i[n].op != SMEM_DATA, smem_rsp_valid_o[n])
  end
  `STREAM_ASSERT(a_req, mem_req_valid_o, mem_req_ok(mem_req_o) && 32'(mem_req_o.target) < L2Slices + 2)
  `STREAM_BOUND(a_req_credit, NocQueue, mem_req_valid_o, mem_req_credit_i)
  `STREAM_ASSERT(a_rsp, mem_rsp_valid_i, mem_rsp_ok(mem_rsp_i))
  `STREAM_BOUND(a_answered, Any, mem_req_valid_o, mem_rsp_valid_i)
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i) && ctl_cmd_i.op != CTL_ROOT)
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
  `STREAM_BOUND(a_one_maint, 1, maint_valid, maint_done)
endmodule
