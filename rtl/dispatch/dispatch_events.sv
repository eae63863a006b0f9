// SPDX-License-Identifier: Apache-2.0
// What comes back from the CUs: one queue a CU, one event a cycle in turn.  Returns the resources of ended wavefronts
// to the pool, counts the wavefronts of every launch, tells the host of ends, faults, halts and interrupts, and passes
// acknowledgements to the hub, and the L2 TLB's reports to the host.  After the kill of an address space it returns what
// the killed wavefronts of a CU still hold when that CU acknowledges.  Not responsible for: starting anything.
`include "gantry_assert.svh"

module dispatch_events
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned Depth = 8  // of each CU's queue = its credits
) (
  input  logic                         clk_i,
  input  logic                         rst_ni,
  input  logic       [           63:0] cycle_i,
  // <- CUs
  input  logic       [        Cus-1:0] cu_evt_valid_i,
  input  cu_evt_t                      cu_evt_i [Cus],
  output logic       [        Cus-1:0] cu_evt_credit_o,
  // <- hub: launches, kills, ends of maintenance to be told
  input  logic                         launch_valid_i,
  input  launch_t                      launch_slot_i,
  input  launch_res_t                  launch_i,
  input  logic                         kill_valid_i,
  input  logic       [            7:0] kill_vmid_i,
  input  tell_t                        tell_i,            // held until told_o
  output logic                         told_o,
  // <- L2 TLB: translations are withheld; stands until reported_o
  input  logic                         report_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // padding
  input  xlat_evt_t                    report_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                         reported_o,
  // -> hub
  output logic                         ack_valid_o,       // CU ack_cu_o finished its command
  output cu_t                          ack_cu_o,
  output logic                         ended_valid_o,     // launch slot is free again
  output launch_t                      ended_slot_o,
  // <- walk
  input  logic                         started_valid_i,
  input  started_t                     started_i,
  input  logic       [MaxLaunches-1:0] dispatched_i,
  // -> pool, walk
  output logic                         free_valid_o,
  output pool_free_t                   free_o,
  // -> host
  output logic                         cp_evt_valid_o,
  output cp_evt_t                      cp_evt_o,
  output logic                         idle_o,
  output logic       [           31:0] waves_o            // counter
);
  localparam int unsigned Cw = Cus > 1 ? $clog2(Cus) : 1;
  localparam int unsigned Places = 64 << Cw;  // what an index {cu, place in the cu} can name
  localparam int unsigned Dw = $clog2(Depth);

  // queues
  cu_evt_t queue[Cus*Depth];
  logic [Dw-1:0] head[Cus], tail[Cus];
  logic [Dw:0] held[Cus];
  logic [63:0] waiting;
  cu_t cu_turn, cu;

  // wavefronts under way: index {cu, simd, slot}; their groups: index {cu, barrier slot}
  started_t waves[Places];
  logic [63:0] live[Cus];
  logic [4:0] left[Places];

  // launches
  launch_res_t launch[MaxLaunches];
  logic [MaxLaunches-1:0] used, killed, empty, finished;
  logic [15:0] running[MaxLaunches];
  logic [31:0] count[MaxLaunches];
  logic [63:0] instructions[MaxLaunches], first_cycle[MaxLaunches], last_cycle[MaxLaunches];
  logic [MaxLaunches-1:0] begun;

  // return of what killed wavefronts hold
  logic scanning;
  cu_t scan_cu;
  logic [63:0] scan_left;
  logic [5:0] scan_wave;

  /* verilator lint_off UNUSEDSIGNAL */
  cu_evt_t e;
  started_t w;
  /* verilator lint_on UNUSEDSIGNAL */
  launch_t l;
  logic ending, told, reported, heard;  // heard: another block acts on this cycle's outputs
  logic [31:0] ended_instructions;
  logic [Cw+5:0] wave_index, group_index;
  cp_evt_t evt;
  logic evt_valid;
  logic [Dw-1:0] at;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    free_valid_o    <= 1'b0;
    ack_valid_o     <= 1'b0;
    ended_valid_o   <= 1'b0;
    cp_evt_valid_o  <= 1'b0;
    cu_evt_credit_o <= '0;
    told_o          <= 1'b0;
    told      = 1'b0;
    reported  = 1'b0;
    heard     = 1'b0;
    evt       = '0;
    evt_valid = 1'b0;
    ending    = 1'b0;
    ended_instructions = 32'd0;

    if (launch_valid_i) begin
      `GANTRY_CHECK(a_slot, !used[launch_slot_i])
      launch[launch_slot_i]       = launch_i;
      used[launch_slot_i]         = 1'b1;
      killed[launch_slot_i]       = 1'b0;
      begun[launch_slot_i]        = 1'b0;
      empty[launch_slot_i]        = 1'b1;
      finished[launch_slot_i]     = 1'b0;
      running[launch_slot_i]      = 16'd0;
      count[launch_slot_i]        = 32'd0;
      instructions[launch_slot_i] = 64'd0;
      first_cycle[launch_slot_i]  = cycle_i;
      last_cycle[launch_slot_i]   = cycle_i;
    end

    // ---- a wavefront was started
    if (started_valid_i) begin
      l = started_i.launch;
      wave_index = {Cw'(started_i.cu), started_i.simd, started_i.slot};
      `GANTRY_CHECK(a_started, used[l] && !live[Cw'(started_i.cu)][{started_i.simd, started_i.slot}])
      waves[wave_index] = started_i;
      live[Cw'(started_i.cu)][{started_i.simd, started_i.slot}] = 1'b1;
      if (started_i.first && started_i.barrier) left[{Cw'(started_i.cu), started_i.group}] = started_i.waves;
      if (!begun[l]) first_cycle[l] = cycle_i;
      begun[l]   = 1'b1;
      running[l] = running[l] + 16'd1;
      count[l]   = count[l] + 32'd1;
      empty[l]   = 1'b0;
      waves_o <= waves_o + 32'd1;
    end

    // ---- queues
    if (cu_evt_valid_i != '0) begin
      for (int unsigned i = 0; i < Cus; i++) begin
        if (cu_evt_valid_i[i]) begin
          `GANTRY_CHECK(a_room, held[i] != (Dw + 1)'(Depth))
          queue[i*Depth+32'(tail[i])] = cu_evt_i[i];
          tail[i]    = tail[i] + 1'b1;
          held[i]    = held[i] + 1'b1;
          waiting[i] = 1'b1;
        end
      end
    end

    // ---- one event: of a killed wavefront, else of a queue
    e = '0;
    if (scanning) begin
      scan_wave  = pick_pkg::first64(scan_left);
      wave_index = {Cw'(scan_cu), scan_wave};
      if (scan_left != 64'd0) begin
        ending    = killed[waves[wave_index].launch];
        scan_left = scan_left & (scan_left - 64'd1);
      end else begin
        scanning = 1'b0;
        heard    = 1'b1;
        ack_valid_o <= 1'b1;
        ack_cu_o    <= scan_cu;
      end
    end else if (waiting != 64'd0) begin
      cu      = pick_pkg::rr64(waiting, cu_turn);
      cu_turn = cu + 6'd1;
      at      = head[Cw'(cu)];
      e       = queue[32'(cu)*Depth+32'(at)];
      head[Cw'(cu)] = at + 1'b1;
      held[Cw'(cu)] = held[Cw'(cu)] - 1'b1;
      if (held[Cw'(cu)] == '0) waiting[cu] = 1'b0;
      cu_evt_credit_o[Cw'(cu)] <= 1'b1;
      wave_index = {Cw'(cu), e.wave[5:0]};
      if (e.kind == CU_EVT_ACK) begin
        if (killed != '0 && live[Cw'(cu)] != 64'd0) begin
          scanning  = 1'b1;
          scan_cu   = cu;
          scan_left = live[Cw'(cu)];
        end else begin
          heard = 1'b1;
          ack_valid_o <= 1'b1;
          ack_cu_o    <= cu;
        end
      end
      if (e.kind == CU_EVT_WAVE_DONE) begin
        ending             = 1'b1;
        ended_instructions = e.instructions;
      end
      if (e.kind == CU_EVT_FAULT || e.kind == CU_EVT_INTERRUPT || e.kind == CU_EVT_HALT) begin
        l         = e.launch[2:0];
        evt_valid = !killed[l];
        evt.kind  = e.kind == CU_EVT_FAULT ? CP_EVT_FAULT : e.kind == CU_EVT_HALT ? CP_EVT_HALT : CP_EVT_INTERRUPT;
        evt.status = e.status;
        evt.id    = launch[l].id;
        evt.cu    = 16'(cu);
        evt.wave  = e.wave;
        evt.vmid  = e.vmid;
        evt.va    = e.va;
        evt.pc    = e.pc;
        evt.data  = 64'(e.data);
        if (e.kind == CU_EVT_FAULT && e.status == FAULT_ILLEGAL) begin  // the CU sends the instruction as va
          evt.va   = e.pc;
          evt.data = e.va;
        end
      end
    end

    // ---- the end of a wavefront
    if (ending) begin
      w = waves[wave_index];
      l = w.launch;
      group_index = {wave_index[Cw+5:6], w.group};
      // who ends has been started, and is counted in its group and launch
      `GANTRY_CHECK(a_live, live[wave_index[Cw+5:6]][wave_index[5:0]])
      `GANTRY_CHECK(a_group, !w.barrier || left[group_index] != 5'd0)
      `GANTRY_CHECK(a_running, used[l] && running[l] != 16'd0)
      if (w.barrier) left[group_index] = left[group_index] - 5'd1;
      live[wave_index[Cw+5:6]][wave_index[5:0]] = 1'b0;
      running[l]      = running[l] - 16'd1;
      instructions[l] = instructions[l] + 64'(ended_instructions);
      last_cycle[l]   = cycle_i;
      empty[l]        = running[l] == 16'd0;
      free_valid_o <= 1'b1;
      free_o <= '{
          cu: w.cu,
          simd: w.simd,
          slot: w.slot,
          vgpr: w.vgpr,
          vgprs: launch[l].vgprs,
          sgpr: w.sgpr,
          sgprs: launch[l].sgprs,
          last: !w.barrier || left[group_index] == 5'd0,
          barrier: w.barrier,
          group: w.group,
          lds: w.lds,
          lds_count: launch[l].lds
      };
    end
    if (kill_valid_i) begin
      for (int unsigned i = 0; i < MaxLaunches; i++) begin
        if (used[i] && launch[i].vmid == kill_vmid_i) killed[i] = 1'b1;
      end
    end

    // ---- the end of a launch; what the hub wants to be told.  Killed launches end without a word, when the hub is done
    // with the kill and no wavefront of them can come any more.
    finished = dispatched_i & ~killed;
    if (tell_i.valid && tell_i.kind == CP_EVT_KILL_DONE) finished = finished | killed;
    finished = finished & used & empty;
    if (launch_valid_i) finished[launch_slot_i] = 1'b0;  // dispatched_i still tells of the slot's last launch
    if (!evt_valid && finished != '0) begin
      l = 3'(pick_pkg::first64(64'(finished)));
      `GANTRY_CHECK(a_ended, running[l] == 16'd0)
      used[l]          = 1'b0;
      evt_valid        = !killed[l];
      evt.kind         = CP_EVT_LAUNCH_DONE;
      evt.id           = launch[l].id;
      evt.vmid         = launch[l].vmid;
      evt.data         = 64'(count[l]);
      evt.start        = first_cycle[l];
      evt.end_        = last_cycle[l];
      evt.instructions = instructions[l];
      heard = 1'b1;
      ended_valid_o <= 1'b1;
      ended_slot_o  <= l;
      killed[l]      = 1'b0;
    end else if (!evt_valid && tell_i.valid && !told_o) begin
      evt_valid = 1'b1;
      evt.kind  = tell_i.kind;
      evt.id    = tell_i.id;
      evt.vmid  = tell_i.vmid;
      if (tell_i.status != CTL_OK || tell_i.kind == CP_EVT_CONTROL_DONE) begin
        evt.status = tell_i.status;
        evt.cu     = tell_i.place;
        evt.wave   = tell_i.state;
      end
      told      = 1'b1;
    end else if (!evt_valid && report_valid_i && !reported_o) begin
      evt_valid  = 1'b1;
      evt.kind   = CP_EVT_XLAT;
      evt.status = report_i.access;
      evt.vmid   = report_i.vmid;
      evt.va     = report_i.va;
      reported   = 1'b1;
    end
    told_o         <= told;
    reported_o     <= reported;
    cp_evt_valid_o <= evt_valid;
    if (evt_valid) cp_evt_o <= evt;
    idle_o <= waiting == 64'd0 && !scanning && !evt_valid && !ending && !told && !reported && !heard
        && !launch_valid_i && !started_valid_i
              && !(tell_i.valid && !told_o) && (used & empty & dispatched_i & ~killed) == '0;
    if (!rst_ni) begin
      waiting  = '0;
      cu_turn  = 6'd0;
      scanning = 1'b0;
      used     = '0;
      killed   = '0;
      empty    = '0;
      begun    = '0;
      for (int unsigned i = 0; i < Cus; i++) begin
        head[i] = '0;
        tail[i] = '0;
        held[i] = '0;
        live[i] = 64'd0;
      end
      free_valid_o    <= 1'b0;
      ack_valid_o     <= 1'b0;
      ended_valid_o   <= 1'b0;
      cp_evt_valid_o  <= 1'b0;
      cu_evt_credit_o <= '0;
      told_o          <= 1'b0;
      reported_o      <= 1'b0;
      waves_o         <= 32'd0;
      idle_o          <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_one_credit, $onehot0(cu_evt_credit_o))  // one event a cycle
  `GANTRY_ASSERT(a_told, `GANTRY_IMPL(told_o, tell_i.valid && cp_evt_valid_o))
endmodule
