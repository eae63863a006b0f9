// SPDX-License-Identifier: Apache-2.0
// Commands that every CU gets: kills and trap handlers, one after the other.  An example: process A is killed while a
// wavefront of it stands in a CU behind accesses of process B, which wait for a page that moves.  The kill waits for that
// CU, and the hub goes on with the commands by which B's accesses end.
// A kill comes when translations of its address space are denied.  It waits until no group of it is in hand, is sent to the
// CUs, one a cycle, waits for all of them, has the hub let translations be withheld again, and is told.
// Order: as they come.  Bound: Depth of them wait; room_o is false while there is no place.
// Not responsible for: the L2 TLB (hub), what killed wavefronts hold (events).  See docs/reference/dispatch.md.
`include "gantry_assert.svh"

module dispatch_broadcast
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 1,
  parameter int unsigned Depth = 32  // power of two: an address space is killed once at a time, and there are so many
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // <- hub
  input  logic              task_valid_i,    // when there is room
  input  broadcast_t        task_i,
  output logic              room_o,          // also for one that comes in this cycle and the next
  // <- walk: no group of a killed launch is being placed or sent
  input  logic              quiet_i,
  // -> send: a command for one CU; <- events: its end
  output logic              cu_valid_o,
  output cu_t               cu_o,
  output logic       [ 7:0] cu_kind_o,
  output logic       [ 7:0] cu_vmid_o,
  output logic       [63:0] cu_tba_o,        // of CU_TRAP
  output logic       [63:0] cu_tma_o,
  input  logic              ack_valid_i,
  input  cu_t               ack_cu_i,
  // -> events: the address space whose wavefronts have ended in a CU that acknowledges
  output logic              killing_o,
  output logic       [ 7:0] killing_vmid_o,
  // <-> hub: translations of the space may be withheld again
  output logic              reopen_valid_o,  // one cycle
  output logic       [ 7:0] reopen_vmid_o,
  input  logic              reopened_i,      // one cycle
  input  component_t        reopened_place_i,
  input  logic       [ 7:0] reopened_status_i,
  // -> hub: tell the host
  output tell_t             tell_o,          // stands until told_i
  input  logic              told_i,
  output logic              idle_o
);
  localparam int unsigned Qw = $clog2(Depth);

  typedef enum logic [2:0] {
    Rest,
    Quieting, // kill: waits until the walk has nothing of the address space in hand
    Sending,  // to the CUs, one a cycle
    Acks,
    Reopen,   // kill: waits for the L2 TLB
    Telling
  } state_e;

  // Written with `<=`, so that it is a memory on an FPGA: the one of this cycle is not in it yet.
  broadcast_t queue[Depth];
  logic [Qw-1:0] head, tail;
  logic [Qw:0] held;
  broadcast_t t;  // the one under way
  state_e state;
  logic [63:0] left;  // CUs that have it
  logic [6:0] next;
  logic [1:0] settle;  // cycles until quiet_i speaks of this kill
  logic active;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    cu_valid_o     <= 1'b0;
    reopen_valid_o <= 1'b0;
    active = 1'b0;
    if (ack_valid_i) begin
      `GANTRY_CHECK(a_ack, left[ack_cu_i])
      left[ack_cu_i] = 1'b0;
    end
    `GANTRY_CHECK(a_state, state <= Telling)
    `GANTRY_CHECK(a_rest, state != Rest || left == 64'd0)
    `GANTRY_CHECK(a_told, !told_i || state == Telling)
    if (state == Telling && told_i) state = Rest;
    `GANTRY_CHECK(a_reopened, !reopened_i || state == Reopen)
    if (state == Reopen && reopened_i) begin
      state = Telling;
      if (t.status == CTL_OK) begin
        t.status = reopened_status_i;
        t.place  = reopened_place_i;
      end
    end
    if (state == Acks && left == 64'd0) begin
      state = t.kill ? Reopen : Telling;
      reopen_valid_o <= t.kill;
      active = 1'b1;
    end
    if (state == Sending) begin
      active      = 1'b1;
      cu_valid_o  <= 1'b1;
      cu_o        <= next[5:0];
      cu_kind_o   <= t.kill ? CU_KILL : CU_TRAP;
      cu_vmid_o   <= t.vmid;
      cu_tba_o    <= t.tba;
      cu_tma_o    <= t.tma;
      left[next[5:0]] = 1'b1;
      next        = next + 7'd1;
      if (32'(next) == Cus) state = Acks;
    end
    if (state == Quieting) begin
      active = settle != 2'd0;
      settle = active ? settle - 2'd1 : 2'd0;
      if (!active && quiet_i) begin
        state  = Sending;
        active = 1'b1;
      end
    end

    // ---- the next one
    if (state == Rest && held != '0) begin
      t      = queue[head];
      head   = head + 1'b1;
      held   = held - 1'b1;
      state  = t.kill ? Quieting : Sending;
      settle = 2'd3;
      next   = 7'd0;
      active = 1'b1;
    end
    if (task_valid_i) begin
      `GANTRY_CHECK(a_room, held != (Qw + 1)'(Depth))
      queue[tail] <= task_i;
      tail   = tail + 1'b1;
      held   = held + 1'b1;
      active = 1'b1;
    end
    room_o         <= held < (Qw + 1)'(Depth - 2);
    killing_o      <= state != Rest && t.kill;
    killing_vmid_o <= t.vmid;
    reopen_vmid_o  <= t.vmid;
    tell_o <= '{
        valid: state == Telling,
        kind: t.kill ? CP_EVT_KILL_DONE : CP_EVT_TRAP_DONE,
        id: t.id,
        vmid: t.vmid,
        status: t.status,
        place: t.place,
        state: CTL_STATE_OFF
    };
    idle_o <= !active && state != Telling && !(state == Rest && held != '0);
    if (!rst_ni) begin
      {head, tail, held} = '0;
      state = Rest;
      left  = 64'd0;
      room_o         <= 1'b1;
      cu_valid_o     <= 1'b0;
      killing_o      <= 1'b0;
      reopen_valid_o <= 1'b0;
      tell_o.valid   <= 1'b0;
      idle_o         <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
