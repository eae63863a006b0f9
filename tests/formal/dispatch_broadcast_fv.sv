// SPDX-License-Identifier: Apache-2.0
// Properties of rtl/dispatch/dispatch_broadcast with a queue of four, kills and trap handlers at any times: each is sent once to
// every CU, one command after the other, as they came; a kill only when nothing of it is in hand; it is told once, with its own
// fields, when all CUs have acknowledged it and, of a kill, the L2 TLB withholds again; none is lost, none waits for no reason.
// The world: a command comes when there was room in the cycle before; a CU acknowledges once, at any time; quiet_i, the end of a
// reopening and told_i at any time.
// Not responsible for: who acts on a command (benches of part_dispatch).
`include "gantry_assert.svh"
module dispatch_broadcast_fv
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 2,
  parameter int unsigned Depth = 4
) (
  input logic       clk_i,
  input logic       rst_ni,
  input logic       task_valid_i,
  input logic       kill_i,
  input logic [1:0] vmid_i,
  input logic [1:0] id_i,
  input logic       tba_i,
  input logic       tma_i,
  input logic       refused_i,      // the denial of a kill
  input logic       place_i,
  input logic       quiet_i,
  input logic       ack_valid_i,
  input logic       ack_cu_i,
  input logic       reopened_i,
  input logic       reopened_refused_i,
  input logic       told_i
);
  localparam int unsigned Kept = 8;  // of the reference: what waits and the one under way

  broadcast_t given;
  always_comb begin
    given        = '0;
    given.kill   = kill_i;
    given.vmid   = 8'(vmid_i);
    given.id     = 16'(id_i);
    given.tba    = 64'(tba_i);
    given.tma    = 64'(tma_i);
    given.status = refused_i ? CTL_ERROR_BUSY : CTL_OK;
    given.place  = component_t'(place_i);
  end
  logic room, cu_valid, killing, reopen_valid, idle;
  cu_t cu;
  logic [7:0] cu_kind, cu_vmid, killing_vmid, reopen_vmid;
  logic [63:0] cu_tba, cu_tma;
  tell_t tell;
  dispatch_broadcast #(.Cus(Cus), .Depth(Depth)) u_dut (
    .clk_i, .rst_ni, .task_valid_i, .task_i(given), .room_o(room), .quiet_i, .cu_valid_o(cu_valid), .cu_o(cu), .cu_kind_o(cu_kind),
    .cu_vmid_o(cu_vmid), .cu_tba_o(cu_tba), .cu_tma_o(cu_tma), .ack_valid_i, .ack_cu_i(cu_t'(ack_cu_i)), .killing_o(killing),
    .killing_vmid_o(killing_vmid), .reopen_valid_o(reopen_valid), .reopen_vmid_o(reopen_vmid), .reopened_i,
    .reopened_place_i(component_t'(2'd2)), .reopened_status_i(reopened_refused_i ? CTL_ERROR_OFF : CTL_OK), .tell_o(tell), .told_i,
    .idle_o(idle));

  logic started = 1'b0;  // reset in the first cycle, never again
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb m_reset : assume (rst_ni == started);

  // ---- the commands that have come, and where the first that is not told stands
  broadcast_t kept[Kept];
  logic [2:0] age[Kept];  // cycles since it came, up to 7
  logic [2:0] first, last;
  logic [Cus-1:0] sent, owed;  // CUs that have it; that have not acknowledged
  logic asked, reopened, bad, room_q, quiet_q, quiet_qq;
  logic [3:0] stall;
  broadcast_t head;
  logic there, all_sent, waits;
  assign head     = kept[first];
  assign there    = first != last;
  assign all_sent = sent == '1;
  assign waits    = !there || owed != '0 || (asked && !reopened) || (head.kill && sent == '0 && !quiet_q) || tell.valid;

  always_comb begin : m_world
    if (task_valid_i) assume (room_q && rst_ni);
    if (ack_valid_i) assume (owed[ack_cu_i]);
    if (reopened_i) assume (asked && !reopened);
    if (told_i) assume (tell.valid);
  end

  always_ff @(posedge clk_i) begin
    room_q   <= rst_ni && room;
    quiet_q  <= quiet_i;
    quiet_qq <= quiet_q;
    stall    <= waits ? 4'd0 : stall + 4'd1;
    for (int unsigned k = 0; k < Kept; k++) if (age[k] != 3'd7) age[k] <= age[k] + 3'd1;
    if (task_valid_i) begin
      kept[last] <= given;
      age[last]  <= 3'd0;
      last       <= last + 3'd1;
    end
    if (cu_valid) sent[cu[0]] <= 1'b1;
    if (cu_valid) owed[cu[0]] <= 1'b1;
    if (ack_valid_i) owed[ack_cu_i] <= 1'b0;
    if (reopen_valid) asked <= 1'b1;
    if (reopened_i) {reopened, bad} <= {1'b1, reopened_refused_i};
    if (told_i) begin
      first <= first + 3'd1;
      {sent, owed, asked, reopened, bad} <= '0;
    end
    if (!rst_ni) {first, last, sent, owed, asked, reopened, bad, stall} <= '0;
  end

  always_comb begin : a_sends
    if (rst_ni && cu_valid) begin
      a_there : assert (there && 32'(cu) < Cus && !sent[cu[0]]);
      a_kind : assert (cu_kind == 8'(head.kill ? CU_KILL : CU_TRAP) && cu_vmid == head.vmid);
      a_handler : assert (head.kill || (cu_tba == head.tba && cu_tma == head.tma));
      a_quiet : assert (!head.kill || sent != '0 || (quiet_qq && age[first] >= 3'd5));
    end
  end
  always_comb begin : a_kills
    if (rst_ni && owed != '0) a_whose : assert (killing == head.kill && (!killing || killing_vmid == head.vmid));
    if (rst_ni && killing) a_real : assert (there && head.kill);
    if (rst_ni && reopen_valid) a_opens : assert (head.kill && all_sent && owed == '0 && !asked && reopen_vmid == head.vmid);
  end
  always_comb begin : a_tells
    if (rst_ni && tell.valid) begin
      a_over : assert (there && all_sent && owed == '0 && reopened == head.kill);
      a_fields : assert (tell.kind == (head.kill ? CP_EVT_KILL_DONE : CP_EVT_TRAP_DONE) && tell.id == head.id && tell.vmid == head.vmid);
      a_status : assert (tell.status == (head.status != CTL_OK ? head.status : bad ? CTL_ERROR_OFF : CTL_OK));
      a_place : assert (tell.status == CTL_OK || tell.place == (head.status != CTL_OK ? head.place : component_t'(2'd2)));
    end
  end
  always_comb a_goes_on : assert (!rst_ni || stall < 4'd8);
  always_comb a_rests : assert (!(rst_ni && idle) || waits);
  always_comb a_kept : assert (!rst_ni || 3'(last - first) <= 3'(Depth + 1));
`ifdef REACH  // a kill behind a trap handler is told, with a refusal of its own
  always_comb a_reach : assert (!(tell.valid && head.kill && first != 3'd0 && tell.status == CTL_ERROR_BUSY));
`endif
`ifdef FULL  // the queue has no room, and the first is told
  always_comb a_full : assert (!(tell.valid && !room));
`endif
endmodule
