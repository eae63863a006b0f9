// SPDX-License-Identifier: Apache-2.0
// Partition top of the RDMA engine: parameters from the configuration, counters. Contract: docs/contracts.md.
`include "gantry_assert.svh"

module part_rdma
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
  import stream_rules_pkg::*;
#(
  localparam int unsigned FarDepth = 16  // credits of far channels: FAR_DEPTH of host/machine/memory_parts.h
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic     [        15:0] id_i,
  output logic                    idle_o,
  input  logic                    perf_en_i,
  input  logic     [         7:0] perf_addr_i,
  output logic     [        63:0] perf_data_o,
  input  logic                    mem_req_valid_i,
  input  mem_req_t                mem_req_i,
  output logic                    mem_req_credit_o,
  output logic                    mem_rsp_valid_o,
  output mem_rsp_t                mem_rsp_o,
  input  logic                    mem_rsp_credit_i,
  output logic                    mem_req_valid_o,
  output mem_req_t                mem_req_o,
  input  logic                    mem_req_credit_i,
  input  logic                    mem_rsp_valid_i,
  input  mem_rsp_t                mem_rsp_i,
  output logic     [FarPorts-1:0] far_req_valid_o,
  output mem_req_t                far_req_o [FarPorts],
  input  logic     [FarPorts-1:0] far_req_credit_i,
  input  logic     [FarPorts-1:0] far_rsp_valid_i,
  input  mem_rsp_t                far_rsp_i [FarPorts],
  output logic     [FarPorts-1:0] far_rsp_credit_o,
  input  logic     [FarPorts-1:0] far_req_valid_i,
  input  mem_req_t                far_req_i [FarPorts],
  output logic     [FarPorts-1:0] far_req_credit_o,
  output logic     [FarPorts-1:0] far_rsp_valid_o,
  output mem_rsp_t                far_rsp_o [FarPorts],
  input  logic     [FarPorts-1:0] far_rsp_credit_i,
  // hub -> control agent
  input  logic                    ctl_cmd_valid_i,
  input  ctl_cmd_t                ctl_cmd_i,
  output logic                    ctl_evt_valid_o,
  output ctl_evt_t                ctl_evt_o
);
  logic [3:0] count;
  logic rdma_idle, agent_idle, hold_take, hold_all, drained, flush, discard, discarded, maint, maint_done_q;
  assign idle_o = rdma_idle && agent_idle;
  // keeps no memory: nothing is ever dirty or stale, a flush and maintenance are done at once
  control_agent u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i, .ctl_cmd_i, .ctl_evt_valid_o, .ctl_evt_o,
    .hold_take_o(hold_take), .hold_all_o(hold_all), .drained_i(drained), .flush_o(flush), .flush_done_i(flush),
    .discard_o(discard), .discard_done_i(discarded), .maint_valid_o(maint), .maint_o(), .maint_done_i(maint_done_q));
  always_ff @(posedge clk_i) begin
    maint_done_q <= rst_ni && maint;
  end
  rdma #(
    .FarPorts(FarPorts), .NumSlices(L2Slices), .NocDepth(NocQueue), .TargetDepth(NocTargetQueue),
    .Outstanding(RdmaOutstanding), .Depth(FarDepth)
  ) u_rdma (
    .clk_i, .rst_ni, .own_gpu_i(id_i[15:8]), .idle_o(rdma_idle), .count_o(count),
    .hold_take_i(hold_take), .hold_all_i(hold_all), .drained_o(drained), .discard_i(discard), .discarded_o(discarded),
    .mem_req_valid_i, .mem_req_i, .mem_req_credit_o, .mem_rsp_valid_o, .mem_rsp_o, .mem_rsp_credit_i,
    .mem_req_valid_o, .mem_req_o, .mem_req_credit_i, .mem_rsp_valid_i, .mem_rsp_i,
    .far_req_valid_o, .far_req_o, .far_req_credit_i, .far_rsp_valid_i, .far_rsp_i, .far_rsp_credit_o,
    .far_req_valid_i, .far_req_i, .far_req_credit_o, .far_rsp_valid_o, .far_rsp_o, .far_rsp_credit_i);

  logic [63:0] host_q, peer_q, in_read_q, in_write_q;
  always_ff @(posedge clk_i) begin
    if (count != '0) begin
      host_q     <= host_q + 64'(count[0]);
      peer_q     <= peer_q + 64'(count[1]);
      in_read_q  <= in_read_q + 64'(count[2]);
      in_write_q <= in_write_q + 64'(count[3]);
    end
    if (perf_en_i) begin
      unique case (perf_addr_i)
        8'd0:    perf_data_o <= host_q;
        8'd1:    perf_data_o <= peer_q;
        8'd2:    perf_data_o <= in_read_q;
        default: perf_data_o <= in_write_q;
      endcase
    end
    if (!rst_ni) {host_q, peer_q, in_read_q, in_write_q} <= '0;
  end
  logic unused;
  assign unused = ^id_i[7:0];
  // ---- assertions
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i))
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
  `STREAM_ASSERT(a_req, mem_req_valid_i, mem_req_ok(mem_req_i) && mem_req_i.op <= MEM_ATOMIC)
  `STREAM_BOUND(a_req_room, NocTargetQueue, mem_req_valid_i, mem_req_credit_o)
  `STREAM_ASSERT(a_rsp, mem_rsp_valid_o, mem_rsp_ok(mem_rsp_o))
  `STREAM_BOUND(a_rsp_credit, NocTargetQueue, mem_rsp_valid_o, mem_rsp_credit_i)
  `STREAM_BOUND(a_answered, Any, mem_req_valid_i, mem_rsp_valid_o)
  `STREAM_ASSERT(a_inbound, mem_req_valid_o, mem_req_ok(mem_req_o) && 32'(mem_req_o.target) < L2Slices)
  `STREAM_BOUND(a_inbound_credit, NocQueue, mem_req_valid_o, mem_req_credit_i)
  `STREAM_ASSERT(a_inbound_rsp, mem_rsp_valid_i, mem_rsp_ok(mem_rsp_i) && mem_rsp_i.tag < RdmaOutstanding)
  `STREAM_BOUND(a_inbound_answered, RdmaOutstanding, mem_req_valid_o, mem_rsp_valid_i)
  always_ff @(posedge clk_i) begin
    if ((far_req_valid_o | far_rsp_valid_i | far_req_valid_i | far_rsp_valid_o) != '0) begin
      for (int unsigned n = 0; n < FarPorts; n++) begin
        `GANTRY_CHECK(a_far, `GANTRY_IMPL(far_req_valid_o[n],
                      mem_req_ok(far_req_o[n]) && 32'(far_req_o[n].addr[55:48]) == n))
        `GANTRY_CHECK(a_far_rsp, `GANTRY_IMPL(far_rsp_valid_i[n], mem_rsp_ok(far_rsp_i[n])))
        `GANTRY_CHECK(a_asked, `GANTRY_IMPL(far_req_valid_i[n],
                      mem_req_ok(far_req_i[n]) && far_req_i[n].addr[55:48] == id_i[15:8] + 8'd1))
        `GANTRY_CHECK(a_served_rsp, `GANTRY_IMPL(far_rsp_valid_o[n], mem_rsp_ok(far_rsp_o[n])))
      end
    end
  end
  stream_bounds #(.Ports(4 * FarPorts), .Depth(FarDepth)) u_far_room (
    .clk_i, .rst_ni,
    .push_i({far_req_valid_o, far_rsp_valid_i, far_req_valid_i, far_rsp_valid_o}),
    .pop_i({far_req_credit_i, far_rsp_credit_o, far_req_credit_o, far_rsp_credit_i}));
  stream_bounds #(.Ports(2 * FarPorts), .Depth(Any)) u_far_answered (
    .clk_i, .rst_ni, .push_i({far_req_valid_o, far_req_valid_i}), .pop_i({far_rsp_valid_i, far_rsp_valid_o}));
endmodule
