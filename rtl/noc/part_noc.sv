// SPDX-License-Identifier: Apache-2.0
// Partition: crossbar of one GPU.  Requests go from initiators (CUs, cache groups, L2 TLB walker, inbound far memory)
// to targets (L2 slices, L2 TLB, outbound far memory), answers back to the initiator that `source` names.
// Responsible for: filling `source` in requests, order between one initiator and one target, fairness, credits.
// Not responsible for: addresses (the requester chooses `target`).
`include "gantry_assert.svh"

module part_noc
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import stream_rules_pkg::*;
#(
  parameter int unsigned Depth = NocQueue,              // queue of an initiator's requests
  parameter int unsigned TargetDepth = NocTargetQueue,  // queue of a target's answers, and credits towards a target
  parameter bit [1:0] SeedFault = 2'd0  // bench only
) (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                      [    15:0] id_i,
  /* verilator lint_off UNUSEDSIGNAL */  // without a meter
  input  logic                      [    63:0] cycle_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                                 idle_o,
  input  logic                                 perf_en_i,
  input  logic                      [     7:0] perf_addr_i,
  output logic                      [    63:0] perf_data_o,
  input  logic                      [NocInitiators-1:0] mem_req_valid_i,
  input  gantry_msg_pkg::mem_req_t             mem_req_i        [NocInitiators],
  output logic                      [NocInitiators-1:0] mem_req_credit_o,
  output logic                      [NocTargets-1:0] mem_req_valid_o,
  output gantry_msg_pkg::mem_req_t             mem_req_o        [NocTargets],
  input  logic                      [NocTargets-1:0] mem_req_credit_i,
  input  logic                      [NocTargets-1:0] mem_rsp_valid_i,
  input  gantry_msg_pkg::mem_rsp_t             mem_rsp_i        [NocTargets],
  output logic                      [NocTargets-1:0] mem_rsp_credit_o,
  output logic                      [NocInitiators-1:0] mem_rsp_valid_o,
  output gantry_msg_pkg::mem_rsp_t             mem_rsp_o        [NocInitiators],
  // hub -> control agent
  input  logic                                 ctl_cmd_valid_i,
  input  gantry_msg_pkg::ctl_cmd_t             ctl_cmd_i,
  output logic                                 ctl_evt_valid_o,
  output gantry_msg_pkg::ctl_evt_t             ctl_evt_o
);
  logic req_idle, rsp_idle, agent_idle, hold, flush, discard, dropped_q, req_dropping, rsp_dropping;
  logic maint, maint_done_q;
  logic [63:0] req_moved, req_blocked, rsp_moved, rsp_blocked;

  noc_xbar #(
    .In        (NocInitiators),
    .Out       (NocTargets),
    .Msg       (gantry_msg_pkg::mem_req_t),
    .Depth     (Depth),
    .Lanes     (NocLanes),
    .Run       (NocRun),
    .OutCredits(TargetDepth),
    .DestLsb   (8),   // target
    .SetSource (1'b1),
    .SourceLsb (16),
    .SeedFault (SeedFault)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .in_valid_i  (mem_req_valid_i),
    .in_i        (mem_req_i),
    .in_credit_o (mem_req_credit_o),
    .out_valid_o (mem_req_valid_o),
    .out_o       (mem_req_o),
    .out_credit_i(mem_req_credit_i),
    .hold_i      (hold),
    .discard_i   (discard),
    .dropping_o  (req_dropping),
    .moved_o     (req_moved),
    .blocked_o   (req_blocked),
    .idle_o      (req_idle)
  );

  noc_xbar #(
    .In        (NocTargets),
    .Out       (NocInitiators),
    .Msg       (gantry_msg_pkg::mem_rsp_t),
    .Depth     (TargetDepth),
    .Lanes     (NocLanes),
    .Run       (NocRun),
    .OutCredits(0),
    .DestLsb   (16),  // source
    .SeedFault (SeedFault)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .in_valid_i  (mem_rsp_valid_i),
    .in_i        (mem_rsp_i),
    .in_credit_o (mem_rsp_credit_o),
    .out_valid_o (mem_rsp_valid_o),
    .out_o       (mem_rsp_o),
    .out_credit_i('0),
    .hold_i      (hold),
    .discard_i   (discard),
    .dropping_o  (rsp_dropping),
    .moved_o     (rsp_moved),
    .blocked_o   (rsp_blocked),
    .idle_o      (rsp_idle)
  );

  assign idle_o = req_idle && rsp_idle && agent_idle && !maint_done_q;

  // Its queues are the incoming buffer and it keeps nothing else: it is drained, clean and maintained at once.
  control_agent u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i, .ctl_cmd_i, .ctl_evt_valid_o, .ctl_evt_o,
    .hold_take_o(hold), .hold_all_o(), .drained_i((mem_req_valid_o == '0) && (mem_rsp_valid_o == '0)), .flush_o(flush),
    .flush_done_i(flush), .discard_o(discard), .discard_done_i(dropped_q && !req_dropping && !rsp_dropping),
    .maint_valid_o(maint), .maint_o(), .maint_done_i(maint_done_q));
  always_ff @(posedge clk_i) begin
    maint_done_q <= rst_ni && maint;
    dropped_q    <= rst_ni && (discard || (dropped_q && (req_dropping || rsp_dropping)));
  end

  // ---- meter: words behind the counters, one after the other at PERF_METERS
  logic [63:0] meter_word;
  if (MetricsLatency != 0) begin : gen_meter
    noc_meter #(.In(NocInitiators), .Out(NocTargets)) u_meter (
      .clk_i, .rst_ni, .cycle_i, .req_valid_i(mem_req_valid_i), .req_i(mem_req_i), .rsp_valid_i(mem_rsp_valid_i),
      .rsp_i(mem_rsp_i), .next_i(perf_en_i && perf_addr_i == PERF_METERS), .word_o(meter_word));
  end else begin : gen_no_meter
    assign meter_word = 64'd0;
  end

  logic metered_q;
  logic [63:0] counter_q;
  always_ff @(posedge clk_i) begin
    if (perf_en_i) begin
      metered_q <= perf_addr_i == PERF_METERS;
      counter_q <= perf_addr_i == NOC_REQUESTS ? req_moved
                   : perf_addr_i == NOC_RESPONSES ? rsp_moved
                   : perf_addr_i == PERF_ID ? 64'(id_i)
                   : req_blocked + rsp_blocked;
    end
  end
  assign perf_data_o = metered_q ? meter_word : counter_q;
  // ---- assertions
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i))
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
  always_ff @(posedge clk_i) begin
    if ((mem_req_valid_i | mem_rsp_valid_o) != '0) begin
      for (int unsigned n = 0; n < NocInitiators; n++) begin
        `GANTRY_CHECK(a_req, `GANTRY_IMPL(mem_req_valid_i[n],
                      mem_req_ok(mem_req_i[n]) && 32'(mem_req_i[n].target) < NocTargets))
        `GANTRY_CHECK(a_rsp, `GANTRY_IMPL(mem_rsp_valid_o[n],
                      mem_rsp_ok(mem_rsp_o[n]) && 32'(mem_rsp_o[n].source) == n))
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if ((mem_req_valid_o | mem_rsp_valid_i) != '0) begin
      for (int unsigned n = 0; n < NocTargets; n++) begin
        `GANTRY_CHECK(a_forward, `GANTRY_IMPL(mem_req_valid_o[n],
                      mem_req_ok(mem_req_o[n]) && 32'(mem_req_o[n].target) == n))
        `GANTRY_CHECK(a_answer, `GANTRY_IMPL(mem_rsp_valid_i[n],
                      mem_rsp_ok(mem_rsp_i[n]) && 32'(mem_rsp_i[n].source) < NocInitiators))
      end
    end
  end
  stream_bounds #(.Ports(NocInitiators), .Depth(Depth)) u_req_room (
    .clk_i, .rst_ni, .push_i(mem_req_valid_i), .pop_i(mem_req_credit_o));
  stream_bounds #(.Ports(NocInitiators), .Depth(Any)) u_served (
    .clk_i, .rst_ni, .push_i(mem_req_valid_i), .pop_i(mem_rsp_valid_o));
  stream_bounds #(.Ports(NocTargets), .Depth(TargetDepth)) u_forward_credit (
    .clk_i, .rst_ni, .push_i(mem_req_valid_o), .pop_i(mem_req_credit_i));
  stream_bounds #(.Ports(NocTargets), .Depth(TargetDepth)) u_answer_room (
    .clk_i, .rst_ni, .push_i(mem_rsp_valid_i), .pop_i(mem_rsp_credit_o));
  stream_bounds #(.Ports(NocTargets), .Depth(Any)) u_answered (
    .clk_i, .rst_ni, .push_i(mem_req_valid_o), .pop_i(mem_rsp_valid_i));
endmodule
