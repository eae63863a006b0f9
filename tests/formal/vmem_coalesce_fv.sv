// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/cu/vmem/cu_vmem_coalesce, from reset on, for two instructions (load, store, atomic, any of 8 lanes in 4 beats) whose
// lanes have any bytes of 4 lines (vmem_coalesce_address.svh), with any hits, answers and credits at any time: one freely
// chosen lane of one of them is in exactly one transaction of each line that its bytes stand on, and in no other, a pair of lines
// being a transaction of both; when as many
// have left as were told, it has been in all of them.  A lane that is off is in none.
// Not responsible for: addresses (tests/rtl/cu/vmem), what waits for its translation (vmem_xlat_fv, for all cycles).
`include "gantry_assert.svh"
module vmem_coalesce_fv
  import cu_pkg::*;
  import cu_vmem_pkg::*;
  import cu_vmem_xlat_pkg::*;
  import l1v_pkg::*;
  import gantry_msg_pkg::*;
(
  input logic             clk_i,
  input logic             rst_ni,
  input logic             valid_i,
  input logic             store_i,
  input logic             atomic_i,
  input logic       [7:0] exec_i,         // lanes 0 and 1 of the four beats
  input logic             slot_i,
  input logic             capture_i,
  input logic             capture_slot_i,
  input logic [1:0] [7:0] bytes_i,        // of the next beat
  input logic             hold_i,
  input logic             successive_i,   // lanes of the beat may be a pair
  input logic             hit_i,
  input logic             answer_i,
  input logic       [1:0] answer_id_i,
  input logic             ready_i,
  input logic             pick_slot_i,    // what is followed: free, but constant
  input logic       [2:0] pick_lane_i,    // beat, lane
  input logic       [7:0] pick_byte_i
);
  localparam logic [63:0] Pte = 64'h1F;

  vmem_issue_t issue;
  vmem_capture_t capture;
  logic [31:0] vrd[4][16];
  logic started_valid, sent_valid, access_valid, answers;
  logic [3:0] started_slot, sent_slot;
  vmem_access_t access;
  vmem_event_t denied;
  logic [3:0] asked_q;
  logic [1:0] issued_q, captured_q;
  /* verilator lint_off PINCONNECTEMPTY */
  cu_vmem_coalesce #(.NumTx(16), .AddressLanes(16)) u_dut (
    .clk_i, .rst_ni, .en_i(1'b1), .valid_i, .issue_i(issue), .next_slot_i({3'd0, slot_i}), .address_i(capture), .data_i('0), .vrd_data_i(vrd),
    .place_valid_o(), .place_o(), .started_valid_o(started_valid), .started_slot_o(started_slot), .sent_valid_o(sent_valid),
    .sent_slot_o(sent_slot), .opread_lds_o(), .fault_o(), .denied_o(denied), .tlb_lookup_o(), .tlb_vmid_o(), .tlb_vpn_o(),
    .tlb_hit_i(hit_i), .tlb_pte_i(Pte), .tlb_fill_o(), .tlb_fill_pte_o(), .tlb_fill_vpn_o(), .tlb_fill_vmid_o(),
    .xlat_valid_i(answers), .xlat_id_i({6'd0, answer_id_i}), .xlat_pte_i(Pte), .xlat_status_i(8'd0), .forget_i(1'b0), .forget_pages_i('0),
    .quiesce_i(1'b0), .access_valid_o(access_valid), .access_o(access), .access_ready_i(ready_i), .ended_valid_i(1'b0),
    .ended_tx_i(8'd0), .ended_pair_i(1'b0), .ended_tx2_i(8'd0), .pairs_i(1'b1), .perf_o(), .moved_o());
  /* verilator lint_on PINCONNECTEMPTY */

  always_comb begin
    issue        = '0;
    issue.kind   = vmem_kind_e'(0);
    issue.store  = store_i;
    issue.atomic = atomic_i;
    issue.size   = 3'd2;
    issue.dwords = 3'd1;
    issue.wave   = wave_t'(slot_i);
    for (int unsigned b = 0; b < 4; b++) issue.exec[16*b+:2] = exec_i[2*b+:2];
    capture           = '0;
    capture.valid     = capture_i;
    capture.none      = 1'b1;
    capture.final_row = 1'b1;
    capture.slot      = {3'd0, capture_slot_i};
    for (int unsigned s = 0; s < 4; s++) for (int unsigned l = 0; l < 16; l++) vrd[s][l] = '0;
    vrd[1][0] = {24'd0, bytes_i[0]};
    vrd[1][1] = {24'd0, bytes_i[1]};
    vrd[2][0] = {22'd0, pick_lane_i[2:1], 3'd0, pick_lane_i[0], 3'd0, pick_slot_i};
    vrd[2][1] = {24'd0, pick_byte_i};
    vrd[3][0] = {31'd0, hold_i};
    vrd[3][1] = {31'd0, successive_i};
  end

  // ---- the environment: each slot once, rows after the instruction, answers to what was asked
  logic started = 1'b0;
  logic pick_slot_q;
  logic [2:0] pick_lane_q;
  logic [7:0] pick_byte_q;
  assign answers = answer_i && asked_q[answer_id_i];
  always_ff @(posedge clk_i) begin
    started     <= 1'b1;
    pick_slot_q <= pick_slot_i;
    pick_lane_q <= pick_lane_i;
    pick_byte_q <= pick_byte_i;
    if (valid_i) issued_q[slot_i] <= 1'b1;
    if (capture_i) captured_q[capture_slot_i] <= 1'b1;
    if (answers) asked_q[answer_id_i] <= 1'b0;
    if (access_valid && access.op == L1Xlat) asked_q[access.id[1:0]] <= 1'b1;
    if (!rst_ni) {issued_q, captured_q, asked_q} <= '0;
  end
  always_comb begin : m_inputs
    assume (rst_ni == started);
    if (started) assume (pick_slot_i == pick_slot_q && pick_lane_i == pick_lane_q && pick_byte_i == pick_byte_q);
    assume (!valid_i || (started && !issued_q[slot_i] && !(store_i && atomic_i)));
    assume (!capture_i || (issued_q[capture_slot_i] && !captured_q[capture_slot_i]));
    assume (!atomic_i || (bytes_i[0][1:0] == '0 && bytes_i[1][1:0] == '0 && pick_byte_i[1:0] == '0));
  end

  // ---- the lane that is followed: whether it is on, what has left with it
  logic on_q, two_q, sent_q, leaves, low, high, mine;
  logic [1:0] seen_q;  // its line, the one behind
  logic [4:0] under_q;  // transactions that were told and have not left
  logic [5:0] lane;
  logic [2:0] line, at;
  assign lane   = {pick_lane_i[2:1], 3'd0, pick_lane_i[0]};
  assign leaves = access_valid && access.op != L1Xlat && access.tx.slot == {3'd0, pick_slot_i};
  assign low    = leaves && access.tx.lanes[lane];
  assign high   = leaves && access.tx.behind[lane[3:0]] && access.tx.lanes[{lane[5:4], 4'd0}+:16] != '0;
  assign mine   = low || high;
  assign at     = access.tx.va[8:6] + 3'(high);
  assign line   = {1'b0, pick_byte_i[7:6]} + 3'd1;
  always_ff @(posedge clk_i) begin
    if (valid_i && slot_i == pick_slot_i) begin
      on_q  <= exec_i[pick_lane_i];
      two_q <= !atomic_i && pick_byte_i[5:0] > 6'd60;
    end
    if (mine) seen_q <= seen_q | {at == line, at == {1'b0, pick_byte_i[7:6]}};
    if (sent_valid && sent_slot == {3'd0, pick_slot_i}) sent_q <= 1'b1;
    under_q <= under_q + 5'(started_valid && started_slot == {3'd0, pick_slot_i}) - 5'(leaves);
    if (!rst_ni) {on_q, two_q, sent_q, seen_q, under_q} <= '0;
  end

  `GANTRY_ASSERT(a_once, `GANTRY_IMPL(mine, on_q && access.tx.va[39:9] == '0 && access.tx.va[5:0] == '0 &&
      !(low && high) && ((at == {1'b0, pick_byte_q[7:6]} && !seen_q[0]) || (at == line && two_q && !seen_q[1]))))
  `GANTRY_ASSERT(a_all, `GANTRY_IMPL(sent_q && under_q == '0, seen_q == {on_q && two_q, on_q}))
  `GANTRY_ASSERT(a_allowed, !denied.valid)
  `GANTRY_ASSERT(a_told, `GANTRY_IMPL(leaves, under_q != '0))
`ifdef REACH_PAIR  // must fail: the followed lane leaves, on the next line of a pair
  `GANTRY_ASSERT(a_reach, !high)
`endif
`ifdef REACH  // must fail: all lines of the followed lane have left, two of them, after a miss
  logic missed_q;
  always_ff @(posedge clk_i) missed_q <= rst_ni && (missed_q || (access_valid && access.op == L1Xlat));
  `GANTRY_ASSERT(a_reach, !(sent_q && under_q == '0 && seen_q == '1 && missed_q))
`endif
endmodule
