// SPDX-License-Identifier: Apache-2.0
// Partition: L2 TLB and page walker of one GPU.  Responsible for: putting utcl2_tlb and utcl2_walker together.
// Not responsible for: first-level TLBs (with the caches), page tables (the driver writes them).
`include "gantry_assert.svh"

module part_utcl2
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import stream_rules_pkg::*;
#(
  parameter int unsigned Depth = NocTargetQueue,  // input queue, and credits for answers
  parameter int unsigned ReqDepth = NocQueue,     // credits for the walker's requests
  // What can be under way: with so many slots what is withheld never stops the input.  A cache group has 16 requests of code
  // and 16 of scalars.  More slots change no cycle; what they cost an FPGA is in docs/reference/synthesis.md.
  localparam int unsigned Most = CuCount * L1vTlbMisses + SqcCount * 32 + Depth,
  localparam int unsigned Slots = Most > 64 ? 2 ** $clog2(Most) : 64,
  localparam int unsigned Reports = 4             // places of the dispatcher
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic              [15:0] id_i,
  output logic                     idle_o,
  input  logic                     perf_en_i,
  input  logic              [ 7:0] perf_addr_i,  // utcl2_counter_e
  output logic              [63:0] perf_data_o,
  input  logic                     mem_req_valid_i,
  input  gantry_msg_pkg::mem_req_t mem_req_i,
  output logic                     mem_req_credit_o,
  output logic                     mem_rsp_valid_o,
  output gantry_msg_pkg::mem_rsp_t mem_rsp_o,
  input  logic                     mem_rsp_credit_i,
  output logic                     mem_req_valid_o,
  output gantry_msg_pkg::mem_req_t mem_req_o,
  input  logic                     mem_req_credit_i,
  input  logic                     mem_rsp_valid_i,
  input  gantry_msg_pkg::mem_rsp_t mem_rsp_i,
  output logic                     xlat_evt_valid_o,
  output gantry_msg_pkg::xlat_evt_t xlat_evt_o,
  input  logic                     xlat_evt_credit_i,
  input  logic                     ctl_cmd_valid_i,
  input  gantry_msg_pkg::ctl_cmd_t ctl_cmd_i,
  output logic                     ctl_evt_valid_o,
  output gantry_msg_pkg::ctl_evt_t ctl_evt_o
);
  logic agent_idle, hold_take, hold_all, drained, flush, discard, discarded, maint_valid, maint_done;
  gantry_msg_pkg::ctl_cmd_t maint;
  logic tlb_idle, walker_idle, start_valid, inv_valid, root_valid, done_valid, reads_wanted_q, id_wanted_q;
  logic [5:0] start_walk, done_walk;
  tlb_pkg::vmid_t start_vmid;
  tlb_pkg::vpn_t start_vpn;
  tlb_pkg::inv_t inv;
  logic [63:0] root, done_pte, reads, tlb_perf;

  utcl2_tlb #(
    .Entries  (Utcl2Entries),
    .Blocks   (Utcl2Blocks),
    .Large    (Utcl2Large),
    .Ways     (Utcl2Ways),
    .Walks    (Utcl2Walks),
    .Slots    (Slots),
    .Reports  (Reports),
    .Depth    (Depth),
    .RspDepth (Depth)
  ) u_tlb (
    .clk_i,
    .rst_ni,
    .idle_o       (tlb_idle),
    .perf_en_i,
    .perf_addr_i  (perf_addr_i[2:0]),
    .perf_data_o  (tlb_perf),
    .mem_req_valid_i,
    .mem_req_i,
    .maint_i      (maint),
    .mem_req_credit_o,
    .mem_rsp_valid_o,
    .mem_rsp_o,
    .mem_rsp_credit_i,
    .xlat_evt_valid_o,
    .xlat_evt_o,
    .xlat_evt_credit_i,
    .maint_valid_i(maint_valid),
    .maint_done_o (maint_done),
    .hold_take_i  (hold_take),
    .hold_all_i   (hold_all),
    .drained_o    (drained),
    .discard_i    (discard),
    .discarded_o  (discarded),
    .start_valid_o(start_valid),
    .start_walk_o (start_walk),
    .start_vmid_o (start_vmid),
    .start_vpn_o  (start_vpn),
    .inv_valid_o  (inv_valid),
    .inv_o        (inv),
    .root_valid_o (root_valid),
    .root_o       (root),
    .done_valid_i (done_valid),
    .done_walk_i  (done_walk),
    .done_pte_i   (done_pte)
  );

  utcl2_walker #(
    .Walks    (Utcl2Walks),
    .Slices   (L2Slices),
    .Cached   (Utcl2WalkCache),
    .Depth    (ReqDepth)
  ) u_walker (
    .clk_i,
    .rst_ni,
    .gpu_i           (id_i[15:8]),
    .hold_i          (hold_all),
    .start_valid_i   (start_valid),
    .start_walk_i    (start_walk),
    .start_vmid_i    (start_vmid),
    .start_vpn_i     (start_vpn),
    .inv_valid_i     (inv_valid),
    .inv_i           (inv),
    .root_valid_i    (root_valid),
    .root_i          (root),
    .done_valid_o    (done_valid),
    .done_walk_o     (done_walk),
    .done_pte_o      (done_pte),
    .mem_req_valid_o,
    .mem_req_o,
    .mem_req_credit_i,
    .mem_rsp_valid_i,
    .mem_rsp_i,
    .reads_o         (reads),
    .idle_o          (walker_idle)
  );

  // what it keeps is never dirty: a flush is done at once
  control_agent u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i, .ctl_cmd_i, .ctl_evt_valid_o, .ctl_evt_o,
    .hold_take_o(hold_take), .hold_all_o(hold_all), .drained_i(drained), .flush_o(flush), .flush_done_i(flush),
    .discard_o(discard), .discard_done_i(discarded), .maint_valid_o(maint_valid), .maint_o(maint),
    .maint_done_i(maint_done));

  assign idle_o = tlb_idle && walker_idle && agent_idle;

  always_ff @(posedge clk_i) begin
    if (perf_en_i) begin
      reads_wanted_q <= perf_addr_i == UTCL2_WALK_READS;
      id_wanted_q    <= perf_addr_i == PERF_ID;
    end
  end
  assign perf_data_o = reads_wanted_q ? reads : id_wanted_q ? 64'(id_i) : tlb_perf;
  // ---- assertions
  `STREAM_ASSERT(a_req, mem_req_valid_i, mem_req_ok(mem_req_i) && mem_req_i.op == gantry_msg_pkg::MEM_XLAT)
  `STREAM_BOUND(a_req_room, Depth, mem_req_valid_i, mem_req_credit_o)
  `STREAM_ASSERT(a_rsp, mem_rsp_valid_o, mem_rsp_ok(mem_rsp_o) && mem_rsp_o.op == gantry_msg_pkg::MEM_XLAT)
  `STREAM_BOUND(a_rsp_credit, Depth, mem_rsp_valid_o, mem_rsp_credit_i)
  `STREAM_BOUND(a_answered, Any, mem_req_valid_i, mem_rsp_valid_o)
  `STREAM_ASSERT(a_walk, mem_req_valid_o, mem_req_ok(mem_req_o) && mem_req_o.op == gantry_msg_pkg::MEM_READ_NC)
  `STREAM_BOUND(a_walk_credit, ReqDepth, mem_req_valid_o, mem_req_credit_i)
  `STREAM_ASSERT(a_entry, mem_rsp_valid_i, 32'(mem_rsp_i.tag) < Utcl2Walks)
  `STREAM_BOUND(a_entries, Utcl2Walks, mem_req_valid_o, mem_rsp_valid_i)
  `STREAM_ASSERT(a_withheld, xlat_evt_valid_o, xlat_evt_ok(xlat_evt_o))
  `STREAM_BOUND(a_withheld_credit, Reports, xlat_evt_valid_o, xlat_evt_credit_i)
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i))
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
endmodule
