// SPDX-License-Identifier: Apache-2.0
// Table of counters with its messages, as part_rdma connects them; for benches and proofs.
module counts_top
  import gantry_msg_pkg::*;
  import rdma_counts_pkg::*;
#(
  parameter int unsigned Entries = 32,
  parameter int unsigned Ways = 4,
  parameter bit Drop = 1'b0,
  parameter int unsigned Queue = 8,
  parameter int unsigned Depth = 8,
  parameter int unsigned Bits = CountBits
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        idle_o,
  input  logic        access_valid_i,
  input  far_access_t access_i,
  output logic        room_o,
  input  logic        cmd_valid_i,
  input  ctl_counts_t cmd_i,
  output logic        report_valid_o,
  output move_evt_t   report_o,
  input  logic        report_ready_i
);
  count_entry_t entry;
  counted_t counted;
  logic entry_valid, entry_ready, reading, table_idle, report_idle;
  assign idle_o = table_idle && report_idle;
  rdma_counts #(.Entries(Entries), .Ways(Ways), .Drop(Drop), .Queue(Queue), .Bits(Bits)) u_counts (
    .clk_i, .rst_ni, .idle_o(table_idle), .access_valid_i, .access_i, .room_o, .cmd_valid_i, .cmd_i,
    .entry_valid_o(entry_valid), .entry_o(entry), .entry_ready_i(entry_ready), .reading_o(reading),
    .counted_o(counted));
  rdma_counts_report #(.Depth(Depth)) u_report (
    .clk_i, .rst_ni, .idle_o(report_idle), .entry_valid_i(entry_valid), .entry_i(entry), .entry_ready_o(entry_ready),
    .reading_i(reading), .counted_i(counted), .report_valid_o, .report_o, .report_ready_i);
endmodule
