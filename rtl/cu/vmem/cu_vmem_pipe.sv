// SPDX-License-Identifier: Apache-2.0
// Pipeline of vector memory instructions.  Wires the slots (cu_vmem_slots: issue, operand rows, completion), addresses
// and translation (cu_vmem_coalesce), data to the cache (cu_vmem_request) and back to the VGPRs (cu_vmem_return).
// SIMDs with fewer than 16 lanes have narrow forms of the last three, fed by cu_vmem_parts.
// Responsible for: instructions from issue to completion, and telling when nothing moves.  Not responsible for: the
// cache and the memory channel (l1v), TLB contents (tlb_l1), the LDS.
//
// NumSlots instructions (key gpu.cu.vmem_slots) are in flight.  Loads come back in any order, completion is in the
// order of each wavefront.
`include "gantry_assert.svh"

module cu_vmem_pipe
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import l1v_pkg::*;
#(
  parameter int unsigned NumTx = 64,
  parameter int unsigned Latency = 120,  // see cu_vmem_slots
  parameter int unsigned AddressLanes = 4,  // see cu_vmem_coalesce
  // bench only: 1 lines of lanes not compared, 2 rights ignored, 3 order of completion, 4 bounds of the LDS ignored,
  // 5 completion before the shortest latency, 6 all lanes at once, 7 second line of a row of the LDS left out
  parameter bit [3:0] SeedFault = 4'd0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic      [15:0] time_i,
  input  logic             en_i,            // low: nothing is valid, nothing moves, no pulse has to fall
  input  logic             stir_i,          // something outside is about to move
  input  logic             valid_i,
  input  vmem_issue_t      issue_i,
  output logic             ready_o,
  output logic             opread_valid_o,
  output wave_tag_t        opread_o,
  output logic             opread_lds_o,    // it accesses the LDS
  output logic      [ 3:0] vrd_valid_o,       // by SIMD, two at most
  output row_t             vrd_row_o[4],
  input  logic      [31:0] vrd_data_i[4][16],
  output logic      [ 3:0] vwr_valid_o,
  output vwr_req_t         vwr0_o,            // of SIMD 0
  output vwr_req_t         vwr1_o,
  output vwr_req_t         vwr2_o,
  output vwr_req_t         vwr3_o,
  input  logic      [ 1:0] vwr_ready_i[4],
  output logic             done_valid_o,
  output mem_done_t        done_o,
  output logic      [ 8:0] rest_o,          // cycles that it comes before its time
  input  logic             room_i,          // such reports, of all 16, have a place
  output logic             tlb_lookup_o,
  output logic      [ 7:0] tlb_vmid_o,
  output logic      [27:0] tlb_vpn_o,
  input  logic             tlb_hit_i,
  input  logic      [63:0] tlb_pte_i,
  output logic             tlb_fill_o,
  output logic      [63:0] tlb_fill_pte_o,
  output logic      [27:0] tlb_fill_vpn_o,
  output logic      [ 7:0] tlb_fill_vmid_o,
  output logic             req_valid_o,
  output l1_req_t          req_o[1],        // arrays of one: the simulator copies them when they change only
  input  logic             req_ready_i,
  input  logic             rsp_valid_i,
  input  l1_rsp_t          rsp_i,
  output logic             rsp_ready_o,     // room for four more
  output logic             line_valid_o,    // to the LDS; one at a time, the record stays until the answer is taken
  output lds_line_t        line_o[1],
  input  logic             line_rsp_valid_i,
  input  lds_line_rsp_t    line_rsp_i[1],   // stays until the next line
  input  logic             ack_valid_i,
  input  logic      [ 7:0] ack_slot_i,
  input  logic      [ 7:0] ack_status_i,
  input  logic             xlat_valid_i,
  input  logic      [ 7:0] xlat_id_i,       // of those under way
  input  logic      [63:0] xlat_pte_i,
  input  logic      [ 7:0] xlat_status_i,
  input  logic             forget_i,        // the TLB is being invalidated
  input  tlb_pkg::inv_t    forget_pages_i,
  /* verilator lint_off UNUSEDSIGNAL */  // of narrow SIMDs
  input  logic             pairs_i,         // see cu_vmem_coalesce
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic             quiesce_i,       // start no transaction, let none leave; drained_o: all that left ended
  output logic             drained_o,
  output logic      [ 2:0] perf_o,          // pulses: transaction, TLB hit, TLB miss
  input  logic             obs_en_i,
  output logic             obs_row_valid_o,
  output obs_row_t         obs_row_o,
  output logic             idle_o
);
  logic access_valid, access_ready, started_valid, sent_valid, wb_valid, wb_left, wb_done;
  /* verilator lint_off UNUSEDSIGNAL */
  logic opread_valid;  // when rows are taken whole
  wave_tag_t opread;
  /* verilator lint_on UNUSEDSIGNAL */
  vslot_t next_slot, started_slot, sent_slot, wb_slot, wb_done_slot;
  logic line_taken, moved_slots, moved_coalesce, moved_request, moved_return, moved_writeback;
  logic row_line_valid, fetch_valid, fill_valid, fill_done;
  vslot_t fetch_slot;
  lds_line_t row_line[1];
  vmem_capture_t address, data;
  vmem_access_t access;
  vmem_event_t fault, denied;
  vmem_end_t ended;
  logic [63:0] ended_va[1];
  logic [5:0] waiting;
  logic [2:0] quiet_q;

  // a report takes one cycle from block to block: three cycles without any movement, and none follows by itself
  assign idle_o = quiet_q[2];
  always_ff @(posedge clk_i) begin
    if (en_i || !rst_ni) begin
      quiet_q <= moved_slots || moved_coalesce || moved_request || moved_return || moved_writeback || valid_i ||
          stir_i || rsp_valid_i || line_rsp_valid_i || ack_valid_i || xlat_valid_i || !rst_ni ? '0 :
          {quiet_q[1:0], 1'b1};
    end
  end

  cu_vmem_slots #(
    .Latency  (SeedFault == 4'd5 ? 1 : Latency),
    .SeedFault(SeedFault)
  ) u_slots (
    .clk_i,
    .rst_ni,
    .time_i,
    .en_i,
    .valid_i,
    .issue_i,
    .ready_o,
    .opread_valid_o (opread_valid),
    .opread_o       (opread),
    .vrd_valid_o,
    .vrd_row_o,
    .next_slot_o    (next_slot),
    .address_o      (address),
    .data_o         (data),
    .started_valid_i(started_valid),
    .started_slot_i (started_slot),
    .sent_valid_i   (sent_valid),
    .sent_slot_i    (sent_slot),
    .fault_i        (fault),
    .denied_i       (denied),
    .ended_i        (ended),
    .ended_va_i     (ended_va),
    .ack_valid_i,
    .ack_slot_i,
    .ack_status_i,
    .wb_valid_o     (wb_valid),
    .wb_slot_o      (wb_slot),
    .wb_left_i      (wb_left),
    .wb_done_i      (wb_done),
    .wb_done_slot_i (wb_done_slot),
    .done_valid_o,
    .done_o,
    .rest_o,
    .room_i,
    .waiting_i      (waiting),
    .drained_o,
    .moved_o        (moved_slots)
  );

  if (Parts == 1) begin : gen_wide
    logic place_valid, row_valid;
    logic [3:0] row_room;
    vmem_place_t place;
    vmem_row_t row[1];
    vwr_req_t vwr0[1], vwr1[1], vwr2[1], vwr3[1];
    logic [1:0] fill_beat;
    logic [15:0][31:0] fill;

    assign {vwr0_o, vwr1_o, vwr2_o, vwr3_o} = {vwr0[0], vwr1[0], vwr2[0], vwr3[0]};
    assign opread_valid_o = opread_valid;
    assign opread_o = opread;

    cu_vmem_coalesce #(
      .NumTx       (NumTx),
      .AddressLanes(AddressLanes),
      .SeedFault   (SeedFault)
    ) u_coalesce (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .issue_i,
      .next_slot_i    (next_slot),
      .address_i      (address),
      .data_i         (data),
      .vrd_data_i,
      .place_valid_o  (place_valid),
      .place_o        (place),
      .started_valid_o(started_valid),
      .started_slot_o (started_slot),
      .sent_valid_o   (sent_valid),
      .sent_slot_o    (sent_slot),
      .opread_lds_o,
      .fault_o        (fault),
      .denied_o       (denied),
      .tlb_lookup_o,
      .tlb_vmid_o,
      .tlb_vpn_o,
      .tlb_hit_i,
      .tlb_pte_i,
      .tlb_fill_o,
      .tlb_fill_pte_o,
      .tlb_fill_vpn_o,
      .tlb_fill_vmid_o,
      .xlat_valid_i,
      .xlat_id_i,
      .xlat_pte_i,
      .xlat_status_i,
      .forget_i,
      .forget_pages_i,
      .pairs_i,
      .quiesce_i,
      .waiting_o      (waiting),
      .access_valid_o (access_valid),
      .access_o       (access),
      .access_ready_i (access_ready),
      .ended_valid_i  (ended.valid),
      .ended_tx_i     (ended.tx),
      .ended_pair_i   (ended.pair),
      .ended_tx2_i    (ended.tx2),
      .perf_o,
      .moved_o        (moved_coalesce)
    );

    cu_vmem_request u_request (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .issue_i,
      .next_slot_i    (next_slot),
      .data_i        (data),
      .vrd_data_i,
      .place_valid_i (place_valid),
      .place_i       (place),
      .access_valid_i(access_valid),
      .access_i      (access),
      .access_ready_o(access_ready),
      .req_valid_o,
      .req_o,
      .req_ready_i,
      .line_valid_o,
      .line_o,
      .line_taken_i  (line_taken),
      .row_line_valid_i(row_line_valid),
      .row_line_i    (row_line),
      .fetch_valid_o (fetch_valid),
      .fetch_slot_o  (fetch_slot),
      .fill_valid_i  (fill_valid),
      .fill_done_i   (fill_done),
      .fill_beat_i   (fill_beat),
      .fill_i        (fill),
      .moved_o       (moved_request)
    );

    cu_vmem_return #(
      .NumTx    (NumTx),
      .SeedFault(SeedFault)
    ) u_return (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .issue_i,
      .next_slot_i    (next_slot),
      .access_i      (access),
      .access_valid_i(access_valid),
      .place_valid_i (place_valid),
      .place_i       (place),
      .rsp_valid_i,
      .rsp_i,
      .rsp_ready_o,
      .line_valid_i  (line_rsp_valid_i),
      .line_i        (line_rsp_i),
      .line_taken_o  (line_taken),
      .row_line_valid_o(row_line_valid),
      .row_line_o    (row_line),
      .fetch_valid_i (fetch_valid),
      .fetch_slot_i  (fetch_slot),
      .fill_valid_o  (fill_valid),
      .fill_done_o   (fill_done),
      .fill_beat_o   (fill_beat),
      .fill_o        (fill),
      .ended_o       (ended),
      .ended_va_o    (ended_va),
      .wb_valid_i    (wb_valid),
      .wb_slot_i     (wb_slot),
      .wb_left_o     (wb_left),
      .row_valid_o   (row_valid),
      .row_o         (row),
      .row_room_i    (row_room),
      .obs_en_i,
      .obs_row_valid_o,
      .obs_row_o,
      .moved_o       (moved_return)
    );

    cu_vmem_writeback u_writeback (
      .clk_i,
      .rst_ni,
      .en_i,
      .row_valid_i(row_valid),
      .row_i      (row[0]),
      .room_o     (row_room),
      .vwr_valid_o,
      .vwr0_o     (vwr0),
      .vwr1_o     (vwr1),
      .vwr2_o     (vwr2),
      .vwr3_o     (vwr3),
      .vwr_ready_i,
      .done_valid_o(wb_done),
      .done_slot_o (wb_done_slot),
      .moved_o     (moved_writeback)
    );

  end else begin : gen_narrow
    vmem_part_t part;
    vmem_spot_t spot;
    vwr_req_t vwr;
    logic fill_ready, moved_parts, moved_rest;
    logic [5:0] fill_lane;
    logic [31:0] fill;

    assign moved_coalesce = moved_parts || moved_rest;
    assign moved_writeback = vwr_valid_o != '0;
    assign wb_left = wb_done;  // a row leaves when it is written
    assign {vwr0_o, vwr1_o, vwr2_o, vwr3_o} = {4{vwr}};  // one SIMD at a time

    cu_vmem_parts u_parts (
      .clk_i,
      .rst_ni,
      .en_i,
      .capture_i (data.valid ? data : address),
      .vrd_data_i,
      .part_o    (part),
      .moved_o   (moved_parts)
    );

    cu_vmem_coalesce_narrow #(
      .NumTx       (NumTx),
      .AddressLanes(AddressLanes),
      .SeedFault   (SeedFault)
    ) u_coalesce (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .issue_i,
      .next_slot_i    (next_slot),
      .part_i        (part),
      .spot_o        (spot),
      .started_valid_o(started_valid),
      .started_slot_o (started_slot),
      .sent_valid_o   (sent_valid),
      .sent_slot_o    (sent_slot),
      .opread_valid_o,
      .opread_o,
      .opread_lds_o,
      .fault_o        (fault),
      .denied_o       (denied),
      .tlb_lookup_o,
      .tlb_vmid_o,
      .tlb_vpn_o,
      .tlb_hit_i,
      .tlb_pte_i,
      .tlb_fill_o,
      .tlb_fill_pte_o,
      .tlb_fill_vpn_o,
      .tlb_fill_vmid_o,
      .xlat_valid_i,
      .xlat_id_i,
      .xlat_pte_i,
      .xlat_status_i,
      .forget_i,
      .forget_pages_i,
      .quiesce_i,
      .waiting_o      (waiting),
      .access_valid_o (access_valid),
      .access_o       (access),
      .access_ready_i (access_ready),
      .ended_valid_i  (ended.valid),
      .ended_tx_i     (ended.tx),
      .perf_o,
      .moved_o        (moved_rest)
    );

    cu_vmem_request_narrow u_request (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .issue_i,
      .next_slot_i    (next_slot),
      .part_i        (part),
      .spot_i        (spot),
      .access_valid_i(access_valid),
      .access_i      (access),
      .access_ready_o(access_ready),
      .req_valid_o,
      .req_o,
      .req_ready_i,
      .line_valid_o,
      .line_o,
      .line_taken_i  (line_taken),
      .row_line_valid_i(row_line_valid),
      .row_line_i    (row_line),
      .fetch_valid_o (fetch_valid),
      .fetch_slot_o  (fetch_slot),
      .fill_valid_i  (fill_valid),
      .fill_ready_o  (fill_ready),
      .fill_done_i   (fill_done),
      .fill_lane_i   (fill_lane),
      .fill_i        (fill),
      .moved_o       (moved_request)
    );

    cu_vmem_return_narrow #(
      .NumTx    (NumTx),
      .SeedFault(SeedFault)
    ) u_return (
      .clk_i,
      .rst_ni,
      .en_i,
      .valid_i,
      .issue_i,
      .next_slot_i    (next_slot),
      .access_i      (access),
      .access_valid_i(access_valid),
      .spot_i        (spot),
      .rsp_valid_i,
      .rsp_i,
      .rsp_ready_o,
      .line_valid_i  (line_rsp_valid_i),
      .line_i        (line_rsp_i),
      .line_taken_o  (line_taken),
      .row_line_valid_o(row_line_valid),
      .row_line_o    (row_line),
      .fetch_valid_i (fetch_valid),
      .fetch_slot_i  (fetch_slot),
      .fill_valid_o  (fill_valid),
      .fill_ready_i  (fill_ready),
      .fill_done_o   (fill_done),
      .fill_lane_o   (fill_lane),
      .fill_o        (fill),
      .ended_o       (ended),
      .ended_va_o    (ended_va),
      .wb_valid_i    (wb_valid),
      .wb_slot_i     (wb_slot),
      .wb_done_o     (wb_done),
      .wb_done_slot_o(wb_done_slot),
      .vwr_valid_o,
      .vwr_o         (vwr),
      .vwr_ready_i,
      .obs_en_i,
      .obs_row_valid_o,
      .obs_row_o,
      .moved_o       (moved_return)
    );
  end
  // ---- assertions
  // every instruction tells once that its operands are read, and once that it is complete
  `STREAM_BOUND(a_operands, NumSlots, valid_i, opread_valid_o)
  `STREAM_BOUND(a_complete, NumSlots, valid_i, done_valid_o)
endmodule
