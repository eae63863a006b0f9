// SPDX-License-Identifier: Apache-2.0
// What comes back from the CUs: one queue a CU.  Ends of wavefronts are taken as they come, one a CU and cycle: their
// resources go back to the pool, they are counted for their launch.  Of all other events one a cycle is taken, in turn: the
// host is told of faults, halts and interrupts (and of ended launches and reports of other components), the hub of
// acknowledgements.  After the kill of an address space it returns what the killed wavefronts of a CU still hold when that
// CU acknowledges.  Not responsible for: starting anything.
`include "gantry_assert.svh"

module dispatch_events
  import gantry_msg_pkg::*;
  import dispatch_pkg::*;
#(
  parameter int unsigned Cus = 4,
  parameter int unsigned Dispatchers = 8,
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
  /* verilator lint_off UNUSEDSIGNAL */  // below Dispatchers
  input  dispatcher_t                  launch_who_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  launch_res_t                  launch_i,
  input  logic                         kill_valid_i,
  input  logic       [            7:0] kill_vmid_i,
  input  logic                         killing_i,         // <- broadcast: CUs acknowledge the kill of killing_vmid_i
  input  logic       [            7:0] killing_vmid_i,
  input  tell_t                        tell_i,            // held until told_o
  output logic                         told_o,
  // <- reports of other components, as they are told; stands until reported_o
  input  logic                         report_valid_i,
  input  cp_evt_t                      report_i,
  output logic                         reported_o,
  // -> hub
  output logic                         ack_valid_o,       // CU ack_cu_o finished its command
  output cu_t                          ack_cu_o,
  output logic                         ended_valid_o,     // a dispatcher is free again
  output dispatcher_t                  ended_who_o,
  // <- walk: a group has its places
  input  logic                         grant_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */  // where it is counts, not what it works on
  input  grant_t                       grant_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  spot_t                        spots_i [MaxWaves],
  input  logic       [Dispatchers-1:0] dispatched_i,
  // -> pool, walk: one of each CU
  output logic       [        Cus-1:0] free_valid_o,
  output pool_free_t                   free_o [Cus],
  // -> host
  output logic                         cp_evt_valid_o,
  output cp_evt_t                      cp_evt_o,
  output logic                         idle_o,
  output logic       [           31:0] waves_o            // counter
);
  localparam int unsigned Cw = Cus > 1 ? $clog2(Cus) : 1;
  localparam int unsigned Places = 64 << Cw;  // what an index {cu, place in the cu} can name
  localparam int unsigned Dw = $clog2(Depth);
  localparam int unsigned Iw = Dispatchers > 1 ? $clog2(Dispatchers) : 1;
  typedef logic [Iw-1:0] index_t;
  typedef struct packed {  // of a wavefront under way
    index_t who;
    granule_t vgpr;
    granule_t sgpr;
    logic barrier;
    group_t group;
    lds_t lds;
  } wave_t;

  // queues
  cu_evt_t queue[Cus*Depth];
  logic [Dw-1:0] head[Cus], tail[Cus];
  logic [Dw:0] held[Cus];
  logic [Cus-1:0] waiting, other;  // something is there; the first of it is not the end of a wavefront
  cu_t cu_turn, cu;

  // wavefronts under way: index {cu, simd, slot}; their groups: index {cu, barrier slot}
  wave_t waves[Places];
  logic [63:0] live[Cus];
  logic [4:0] left[Places];

  // launches
  launch_res_t launch[Dispatchers];
  logic [Dispatchers-1:0] used, killed, empty, finished;
  logic [15:0] running[Dispatchers];
  logic [31:0] count[Dispatchers];
  logic [63:0] instructions[Dispatchers], first_cycle[Dispatchers], last_cycle[Dispatchers];
  logic [Dispatchers-1:0] begun;

  // return of what killed wavefronts hold
  logic scanning;
  cu_t scan_cu;
  logic [63:0] scan_left;

  /* verilator lint_off UNUSEDSIGNAL */
  cu_evt_t e;
  /* verilator lint_on UNUSEDSIGNAL */
  wave_t w;
  index_t l;
  logic ended_some, told, reported, heard;  // heard: another block acts on this cycle's outputs
  logic ends;
  logic [Cus-1:0] taken;  // from the queue of a CU
  logic [31:0] ended_instructions;
  logic [5:0] place;
  logic [Cw+5:0] wave_index, group_index;
  cp_evt_t evt;
  logic evt_valid;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    free_valid_o    <= '0;
    ack_valid_o     <= 1'b0;
    ended_valid_o   <= 1'b0;
    cp_evt_valid_o  <= 1'b0;
    cu_evt_credit_o <= '0;
    told_o          <= 1'b0;
    told       = 1'b0;
    reported   = 1'b0;
    heard      = 1'b0;
    evt        = '0;
    evt_valid  = 1'b0;
    ended_some = 1'b0;

    if (launch_valid_i) begin
      l = index_t'(launch_who_i);
      `GANTRY_CHECK(a_slot, !used[l])
      launch[l]       = launch_i;
      used[l]         = 1'b1;
      killed[l]       = 1'b0;
      begun[l]        = 1'b0;
      empty[l]        = 1'b1;
      finished[l]     = 1'b0;
      running[l]      = 16'd0;
      count[l]        = 32'd0;
      instructions[l] = 64'd0;
      first_cycle[l]  = cycle_i;
      last_cycle[l]   = cycle_i;
    end

    // ---- a group was granted
    if (grant_valid_i) begin
      l = index_t'(grant_i.who);
      for (int unsigned i = 0; i < MaxWaves; i++) begin
        if (i < 32'(grant_i.waves)) begin
          place = {spots_i[i].simd, spots_i[i].slot};
          `GANTRY_CHECK(a_started, used[l] && !live[Cw'(grant_i.cu)][place])
          waves[{Cw'(grant_i.cu), place}] = '{
              who: l,
              vgpr: spots_i[i].vgpr,
              sgpr: spots_i[i].sgpr,
              barrier: grant_i.barrier,
              group: grant_i.group,
              lds: grant_i.lds
          };
          live[Cw'(grant_i.cu)][place] = 1'b1;
        end
      end
      if (grant_i.barrier) left[{Cw'(grant_i.cu), grant_i.group}] = grant_i.waves;
      if (!begun[l]) first_cycle[l] = cycle_i;
      begun[l]   = 1'b1;
      running[l] = running[l] + 16'(grant_i.waves);
      count[l]   = count[l] + 32'(grant_i.waves);
      empty[l]   = 1'b0;
      waves_o <= waves_o + 32'(grant_i.waves);
    end

    // ---- queues
    if (cu_evt_valid_i != '0) begin
      for (int unsigned i = 0; i < Cus; i++) begin
        if (cu_evt_valid_i[i]) begin
          `GANTRY_CHECK(a_room, held[i] != (Dw + 1)'(Depth))
          queue[i*Depth+32'(tail[i])] = cu_evt_i[i];
          if (!waiting[i]) other[i] = cu_evt_i[i].kind != CU_EVT_WAVE_DONE;
          tail[i]    = tail[i] + 1'b1;
          held[i]    = held[i] + 1'b1;
          waiting[i] = 1'b1;
        end
      end
    end

    // ---- one event that is not an end: for the host or the hub
    if (!scanning && other != '0) begin
      cu      = pick_pkg::rr64(64'(other), cu_turn);
      cu_turn = 32'(cu) + 32'd1 == Cus ? 6'd0 : cu + 6'd1;
      e       = queue[32'(cu)*Depth+32'(head[Cw'(cu)])];
      l       = index_t'(e.launch);
      if (e.kind == CU_EVT_ACK) begin
        scanning    = killing_i && killed != '0 && live[Cw'(cu)] != 64'd0;
        scan_cu     = cu;
        scan_left   = live[Cw'(cu)];
        heard       = !scanning;
        ack_valid_o <= !scanning;
        ack_cu_o    <= cu;
      end else begin
        `GANTRY_CHECK(a_kind, e.kind == CU_EVT_FAULT || e.kind == CU_EVT_INTERRUPT || e.kind == CU_EVT_HALT)
        if (!killed[l]) begin
          evt_valid  = 1'b1;
          evt.kind   = e.kind == CU_EVT_FAULT ? CP_EVT_FAULT : e.kind == CU_EVT_HALT ? CP_EVT_HALT : CP_EVT_INTERRUPT;
          evt.status = e.status;
          evt.id     = launch[l].id;
          evt.cu     = 16'(cu);
          evt.wave   = e.wave;
          evt.vmid   = e.vmid;
          evt.va     = e.va;
          evt.pc     = e.pc;
          evt.data   = 64'(e.data);
          if (e.kind == CU_EVT_FAULT && e.status == FAULT_ILLEGAL) begin  // the CU sends the instruction as va
            evt.va   = e.pc;
            evt.data = e.va;
          end
        end
      end
      taken = Cus'(1'b1) << cu;
    end else begin
      taken = '0;
    end

    // ---- of each CU: the end of a wavefront, or of a killed one
    if (waiting != '0 || scanning) begin
      for (int unsigned i = 0; i < Cus; i++) begin
        ends = 1'b0;
        if (scanning && 32'(scan_cu) == i && !taken[i]) begin
          place              = pick_pkg::first64(scan_left);
          l                  = waves[{Cw'(i), place}].who;
          ends               = scan_left != 64'd0 && killed[l] && launch[l].vmid == killing_vmid_i;
          ended_instructions = 32'd0;
          if (scan_left == 64'd0) begin
            scanning    = 1'b0;
            heard       = 1'b1;
            ack_valid_o <= 1'b1;
            ack_cu_o    <= scan_cu;
          end
          scan_left = scan_left & (scan_left - 64'd1);
        end else if (waiting[i] && !other[i]) begin
          e                  = queue[i*Depth+32'(head[i])];
          place              = e.wave[5:0];
          ends               = 1'b1;
          ended_instructions = e.instructions;
          taken[i]           = 1'b1;
        end
        if (ends) begin
          wave_index  = {Cw'(i), place};
          w           = waves[wave_index];
          l           = w.who;
          group_index = {Cw'(i), w.group};
          // who ends has been started, and is counted in its group and launch
          `GANTRY_CHECK(a_live, live[i][place])
          `GANTRY_CHECK(a_group, !w.barrier || left[group_index] != 5'd0)
          `GANTRY_CHECK(a_running, used[l] && running[l] != 16'd0)
          if (w.barrier) left[group_index] = left[group_index] - 5'd1;
          live[i][place]  = 1'b0;
          running[l]      = running[l] - 16'd1;
          instructions[l] = instructions[l] + 64'(ended_instructions);
          last_cycle[l]   = cycle_i;
          empty[l]        = running[l] == 16'd0;
          ended_some      = 1'b1;
          free_valid_o[i] <= 1'b1;
          free_o[i] <= '{
              cu: 6'(i),
              simd: place[5:4],
              slot: place[3:0],
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
        if (taken[i]) begin
          head[i]    = head[i] + 1'b1;
          held[i]    = held[i] - 1'b1;
          waiting[i] = held[i] != '0;
          other[i]   = waiting[i] && queue[i*Depth+32'(head[i])].kind != CU_EVT_WAVE_DONE;
        end
      end
      cu_evt_credit_o <= taken;
    end
    if (kill_valid_i) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        if (used[i] && launch[i].vmid == kill_vmid_i) killed[i] = 1'b1;
      end
    end

    // ---- the end of a launch; what the hub wants to be told.  Killed launches end without a word, when the hub is done
    // with the kill and no wavefront of them can come any more.
    finished = dispatched_i & ~killed;
    if (tell_i.valid && tell_i.kind == CP_EVT_KILL_DONE) begin
      for (int unsigned i = 0; i < Dispatchers; i++) begin
        if (killed[i] && launch[i].vmid == tell_i.vmid) finished[i] = 1'b1;
      end
    end
    finished = finished & used & empty;
    if (launch_valid_i) finished[index_t'(launch_who_i)] = 1'b0;  // dispatched_i still tells of its last launch
    if (!evt_valid && finished != '0) begin
      l = index_t'(pick_pkg::first64(64'(finished)));
      `GANTRY_CHECK(a_ended, running[l] == 16'd0)
      used[l]          = 1'b0;
      evt_valid        = !killed[l];
      evt.kind         = CP_EVT_LAUNCH_DONE;
      evt.id           = launch[l].id;
      evt.vmid         = launch[l].vmid;
      evt.cu           = 16'(l);
      evt.data         = 64'(count[l]);
      evt.start        = first_cycle[l];
      evt.end_        = last_cycle[l];
      evt.instructions = instructions[l];
      heard = 1'b1;
      ended_valid_o <= 1'b1;
      ended_who_o   <= dispatcher_t'(l);
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
      evt_valid = 1'b1;
      evt       = report_i;
      reported  = 1'b1;
    end
    told_o         <= told;
    reported_o     <= reported;
    cp_evt_valid_o <= evt_valid;
    if (evt_valid) cp_evt_o <= evt;
    idle_o <= waiting == '0 && !scanning && !evt_valid && !ended_some && !told && !reported && !heard
              && !launch_valid_i && !grant_valid_i
              && !(tell_i.valid && !told_o) && (used & empty & dispatched_i & ~killed) == '0;
    if (!rst_ni) begin
      waiting  = '0;
      other    = '0;
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
      free_valid_o    <= '0;
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
  `GANTRY_ASSERT(a_told, `GANTRY_IMPL(told_o, tell_i.valid && cp_evt_valid_o))
endmodule
