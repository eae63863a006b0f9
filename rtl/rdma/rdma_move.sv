// SPDX-License-Identifier: Apache-2.0
// Page-move engine of a GPU: pages that leave (rdma_push), pages that come (rdma_store), one stream of reports for the
// dispatcher, which the counters of far accesses (rdma_counts_report) share.
// Responsible for: which side a command of the control agent is for, turns of the reports, their credits.
`include "gantry_assert.svh"

module rdma_move
  import gantry_msg_pkg::*;
#(
  parameter int unsigned NumSlices = 4,
  parameter int unsigned Moves = 4,
  parameter int unsigned Slots = 8,
  parameter int unsigned Lines = 128,
  parameter int unsigned Every = 3,
  parameter int unsigned Reports = 4  // credits of move_evt
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [63:0] cycle_i,
  input  logic [ 7:0] own_gpu_i,
  output logic        idle_o,
  output logic        rests_o,             // nothing is read, nothing waits to be sent
  // CTL_MOVE or CTL_STORE
  input  logic        cmd_valid_i,
  input  ctl_cmd_t    cmd_i,
  // <-> rdma: as there
  output logic        read_valid_o,
  output mem_req_t    read_o,
  input  logic        read_ready_i,
  input  logic        line_valid_i,
  input  mem_rsp_t    line_i,
  output logic        push_valid_o,
  output mem_move_t   push_o,
  input  logic        push_ready_i,
  input  logic        ack_valid_i,
  input  logic [ 7:0] ack_move_i,
  input  logic        ack_fault_i,
  input  logic        enter_valid_i,
  input  mem_move_t   enter_i,
  input  logic        stored_valid_i,
  input  logic [ 7:0] stored_slot_i,
  input  logic        stored_fault_i,
  // reports of counters
  input  logic        count_valid_i,
  input  move_evt_t   count_i,
  output logic        count_ready_o,
  // control agent
  input  logic        hold_take_i,
  input  logic        hold_all_i,
  input  logic        discard_i,
  // -> dispatcher
  output logic        move_evt_valid_o,
  output move_evt_t   move_evt_o,
  input  logic        move_evt_credit_i
);
  ctl_move_t cmd;
  move_evt_t moved, stored;
  logic moved_valid, stored_valid, push_idle, store_idle, room, moved_go, stored_go, count_go;
  assign cmd       = ctl_move_t'(cmd_i);
  assign moved_go  = moved_valid && room && !hold_all_i;
  assign stored_go = stored_valid && room && !hold_all_i && !moved_valid;
  assign count_go  = count_valid_i && room && !hold_all_i && !moved_valid && !stored_valid;
  assign count_ready_o = count_go;
  assign idle_o    = push_idle && store_idle && !move_evt_valid_o;

  rdma_push #(.NumSlices(NumSlices), .Moves(Moves), .Lines(Lines), .Every(Every)) u_push (
    .clk_i, .rst_ni, .cycle_i, .own_gpu_i, .idle_o(push_idle), .rests_o,
    .start_valid_i(cmd_valid_i && cmd.op == CTL_MOVE), .start_i(cmd),
    .read_valid_o, .read_o, .read_ready_i, .line_valid_i, .line_i, .push_valid_o, .push_o, .push_ready_i,
    .ack_valid_i, .ack_move_i, .ack_fault_i, .hold_take_i, .hold_all_i, .discard_i,
    .done_valid_o(moved_valid), .done_o(moved), .done_ready_i(moved_go));
  rdma_store #(.Slots(Slots)) u_store (
    .clk_i, .rst_ni, .cycle_i, .idle_o(store_idle), .expect_valid_i(cmd_valid_i && cmd.op == CTL_STORE), .expect_i(cmd),
    .line_valid_i(enter_valid_i), .line_i(enter_i), .stored_valid_i, .stored_slot_i, .stored_fault_i, .discard_i,
    .done_valid_o(stored_valid), .done_o(stored), .done_ready_i(stored_go));
  credit_counter #(.Depth(Reports)) u_credit (
    .clk_i, .rst_ni, .spend_i(moved_go || stored_go || count_go), .credit_i(move_evt_credit_i), .available_o(room),
    .count_o());
  always_ff @(posedge clk_i) begin
    move_evt_valid_o <= rst_ni && (moved_go || stored_go || count_go);
    if (moved_go || stored_go || count_go) begin
      move_evt_o <= moved_go ? moved : stored_go ? stored : count_i;
    end
  end

  // ---- assertions
  `GANTRY_ASSERT(a_command, `GANTRY_IMPL(cmd_valid_i, cmd.op == CTL_MOVE || cmd.op == CTL_STORE))
endmodule
