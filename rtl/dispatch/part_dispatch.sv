// SPDX-License-Identifier: Apache-2.0
// Partition `dispatch` of a GPU: the dispatchers (walk, recip, send) with their agent, their pool, hub, events and control
// behind the channels of docs/contracts.md.
// Only wires and counters; see rtl/dispatch and docs/reference/dispatch.md.
`include "gantry_assert.svh"

module part_dispatch
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import dispatch_pkg::*;
  import stream_rules_pkg::*;
#(
  localparam int unsigned CmdDepth = 64,  // credits of the host: SIM_CMD_DEPTH of host/machine/commands.h
  localparam int unsigned EvtDepth = 8,   // credits of a CU: EvtCredits of rtl/cu/front/cu_front.sv
  localparam int unsigned Reports = 4,    // credits of the L2 TLB: part_utcl2; of the RDMA engine: part_rdma
  localparam int unsigned CtlL2 = CtlSqc + SqcCount,
  localparam int unsigned CtlCu = CtlL2 + L2Slices,
  localparam int unsigned CtlPorts = CtlCu + CuCount,
  parameter bit [1:0] SeedPool = 2'd0  // bench only
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic     [               15:0] id_i,  // {gpu, index}
  input  logic     [               63:0] cycle_i,
  output logic                           idle_o,
  input  logic                           perf_en_i,
  input  logic     [                7:0] perf_addr_i,
  output logic     [               63:0] perf_data_o,
  // host
  input  logic                           cp_cmd_valid_i,
  input  cp_cmd_t                        cp_cmd_i,
  output logic                           cp_cmd_credit_o,
  output logic                           cp_evt_valid_o,
  output cp_evt_t                        cp_evt_o,
  // CUs
  output logic     [        CuCount-1:0] cu_cmd_valid_o,
  output cu_cmd_t                        cu_cmd_o        [CuCount],
  input  logic     [        CuCount-1:0] cu_evt_valid_i,
  input  cu_evt_t                        cu_evt_i        [CuCount],
  output logic     [        CuCount-1:0] cu_evt_credit_o,
  // L2 TLB: translations are withheld
  input  logic                           xlat_evt_valid_i,
  input  xlat_evt_t                      xlat_evt_i,
  output logic                           xlat_evt_credit_o,
  // RDMA engine: pages have moved or come
  input  logic                           move_evt_valid_i,
  input  move_evt_t                      move_evt_i,
  output logic                           move_evt_credit_o,
  // control agents: ports in the order of dispatch_pkg
  output logic     [       CtlPorts-1:0] ctl_cmd_valid_o,
  output ctl_cmd_t                       ctl_cmd_o       [CtlPorts],
  input  logic     [       CtlPorts-1:0] ctl_evt_valid_i,
  input  ctl_evt_t                       ctl_evt_i       [CtlPorts]
);
  logic launch_valid, ended_valid, kill_valid, quiet, cu_valid, ack_valid, told, hub_told;
  tell_t tell, hub_tell;
  logic task_valid, task_room, reopen_valid, reopened, task_told, killing;  // of what all CUs get
  broadcast_t task_in;
  component_t reopened_place;
  logic [7:0] reopen_vmid, reopened_status, killing_vmid;
  tell_t task_tell;
  logic control_valid, control_ready, control_waits, control_idle;
  logic [15:0] control_id;
  logic [31:0] control_flags;
  ctl_cmd_t ctl_cmd;
  logic own_cmd_valid, own_evt_valid, agent_idle, hold_take, hold_all, drained, flush;  // of the dispatchers' agent
  ctl_evt_t own_evt, ctl_evts[CtlPorts+1];
  /* verilator lint_off UNUSEDSIGNAL */  // nobody has maintenance for the crossbar or the dispatchers
  logic [CtlPorts:0] maint_done;
  logic own_discard, own_maint_valid;
  ctl_cmd_t own_maint;
  /* verilator lint_on UNUSEDSIGNAL */
  dispatcher_t launch_who, ended_who;
  cp_cmd_t launch;
  launch_res_t launch_res;
  logic [7:0] kill_vmid, cu_kind, cu_vmid;
  cu_t cu, ack_cu;
  logic [31:0] groups, blocked, waves, ended_groups, ends;
  logic [63:0] cu_tba, cu_tma;
  logic req_valid, pool_busy, pool_done, pool_ok, grant_valid;
  pool_req_t req;
  place_t [NumSimd-1:0] place;
  logic [1:0] first;
  group_t group;
  lds_t lds;
  grant_t grant;
  spot_t spots[MaxWaves];
  logic [CuCount-1:0] free_valid;
  pool_free_t freed[CuCount];
  logic [Dispatchers-1:0] dispatched, recip_ready, sent;
  logic [20:0] part_x[Dispatchers], part_y[Dispatchers];
  logic hub_idle, broadcast_idle, walk_idle, recip_idle, send_idle, pool_idle, events_idle;
  logic [SqcCount+L2Slices+CuCount+1:0] maint_valid;  // in the order of the hub
  ctl_cmd_t maint;
  component_t maint_place;
  logic [7:0] maint_status;
  logic report_valid, reported;
  cp_evt_t report;

  assign idle_o = hub_idle && broadcast_idle && walk_idle && recip_idle && send_idle && pool_idle && events_idle &&
                  control_idle && !(control_waits && control_ready) && !report_valid && agent_idle;
  for (genvar b = 0; b < CtlPorts; b++) begin : gen_ctl
    assign ctl_cmd_o[b] = ctl_cmd;
    assign ctl_evts[b]  = ctl_evt_i[b];
  end
  assign ctl_evts[CtlPorts] = own_evt;

  dispatch_hub #(
    .Cus(CuCount),
    .Sqcs(SqcCount),
    .Slices(L2Slices),
    .Dispatchers(Dispatchers),
    .Depth(CmdDepth)
  ) u_hub (
    .clk_i,
    .rst_ni,
    .cp_cmd_valid_i,
    .cp_cmd_i,
    .cp_cmd_credit_o,
    .launch_valid_o(launch_valid),
    .launch_who_o(launch_who),
    .launch_o(launch),
    .launch_res_o(launch_res),
    .ended_valid_i(ended_valid),
    .ended_who_i(ended_who),
    .kill_valid_o(kill_valid),
    .kill_vmid_o(kill_vmid),
    .task_valid_o(task_valid),
    .task_o(task_in),
    .room_i(task_room),
    .reopen_valid_i(reopen_valid),
    .reopen_vmid_i(reopen_vmid),
    .reopened_o(reopened),
    .reopened_place_o(reopened_place),
    .reopened_status_o(reopened_status),
    .task_tell_i(task_tell),
    .task_told_o(task_told),
    .tell_o(hub_tell),
    .told_i(hub_told),
    .control_valid_o(control_valid),
    .control_id_o(control_id),
    .control_flags_o(control_flags),
    .control_ready_i(control_ready),
    .control_waits_o(control_waits),
    .maint_valid_o(maint_valid),
    .maint_o(maint),
    .maint_done_i({maint_done[CtlCu+:CuCount], maint_done[CtlRdma], maint_done[CtlUtcl2], maint_done[CtlL2+:L2Slices],
                   maint_done[CtlSqc+:SqcCount]}),
    .maint_place_i(maint_place),
    .maint_status_i(maint_status),
    .idle_o(hub_idle)
  );

  dispatch_broadcast #(.Cus(CuCount)) u_broadcast (
    .clk_i,
    .rst_ni,
    .task_valid_i(task_valid),
    .task_i(task_in),
    .room_o(task_room),
    .quiet_i(quiet),
    .cu_valid_o(cu_valid),
    .cu_o(cu),
    .cu_kind_o(cu_kind),
    .cu_vmid_o(cu_vmid),
    .cu_tba_o(cu_tba),
    .cu_tma_o(cu_tma),
    .ack_valid_i(ack_valid),
    .ack_cu_i(ack_cu),
    .killing_o(killing),
    .killing_vmid_o(killing_vmid),
    .reopen_valid_o(reopen_valid),
    .reopen_vmid_o(reopen_vmid),
    .reopened_i(reopened),
    .reopened_place_i(reopened_place),
    .reopened_status_i(reopened_status),
    .tell_o(task_tell),
    .told_i(task_told),
    .idle_o(broadcast_idle)
  );

  dispatch_control #(.Sqcs(SqcCount), .Slices(L2Slices), .Cus(CuCount)) u_control (
    .clk_i,
    .rst_ni,
    .idle_o(control_idle),
    .ready_o(control_ready),
    .cmd_valid_i(control_valid),
    .cmd_id_i(control_id),
    .cmd_flags_i(control_flags),
    .maint_valid_i({1'b0, maint_valid[SqcCount+L2Slices+2+:CuCount], maint_valid[SqcCount+:L2Slices],
                    maint_valid[SqcCount-1:0], 1'b0, maint_valid[SqcCount+L2Slices+1], maint_valid[SqcCount+L2Slices]}),
    .maint_i(maint),
    .maint_done_o(maint_done),
    .maint_place_o(maint_place),
    .maint_status_o(maint_status),
    .hub_tell_i(hub_tell),
    .hub_told_o(hub_told),
    .tell_o(tell),
    .told_i(told),
    .ctl_cmd_valid_o({own_cmd_valid, ctl_cmd_valid_o}),
    .ctl_cmd_o(ctl_cmd),
    .ctl_evt_valid_i({own_evt_valid, ctl_evt_valid_i}),
    .ctl_evt_i(ctl_evts)
  );

  // Held: no group is tried; paused: none of what is granted is sent either.  They keep nothing that is dirty: a flush is
  // done at once.
  control_agent #(.Discards(1'b0)) u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i(own_cmd_valid), .ctl_cmd_i(ctl_cmd),
    .ctl_evt_valid_o(own_evt_valid), .ctl_evt_o(own_evt), .hold_take_o(hold_take), .hold_all_o(hold_all),
    .drained_i(drained), .flush_o(flush), .flush_done_i(flush), .discard_o(own_discard), .discard_done_i(1'b0),
    .maint_valid_o(own_maint_valid), .maint_o(own_maint), .maint_done_i(1'b0));

  dispatch_recip #(.Dispatchers(Dispatchers)) u_recip (
    .clk_i,
    .rst_ni,
    .launch_valid_i(launch_valid),
    .launch_who_i(launch_who),
    .launch_i(launch),
    .ready_o(recip_ready),
    .part_x_o(part_x),
    .part_y_o(part_y),
    .idle_o(recip_idle)
  );

  dispatch_walk #(
    .Cus(CuCount),
    .Simds(NumSimd),
    .Dispatchers(Dispatchers),
    .GroupCycles(DispatchCycles),
    .Patience(DispatchPatience),
    .Fill(DispatchFill != 0)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .cycle_i(cycle_i[31:0]),
    .launch_valid_i(launch_valid),
    .launch_who_i(launch_who),
    .launch_i(launch),
    .kill_valid_i(kill_valid),
    .kill_vmid_i(kill_vmid),
    .quiet_o(quiet),
    .hold_i(hold_take),
    .drained_o(drained),
    .recip_ready_i(recip_ready),
    .part_x_i(part_x),
    .part_y_i(part_y),
    .req_valid_o(req_valid),
    .req_o(req),
    .busy_i(pool_busy),
    .place_i(place),
    .first_i(first),
    .done_i(pool_done),
    .ok_i(pool_ok),
    .group_i(group),
    .lds_i(lds),
    .freed_i(free_valid),
    .grant_valid_o(grant_valid),
    .grant_o(grant),
    .spots_o(spots),
    .sent_i(sent),
    .dispatched_o(dispatched),
    .idle_o(walk_idle),
    .groups_o(groups),
    .blocked_o(blocked)
  );

  dispatch_pool #(
    .Cus(CuCount),
    .Simds(NumSimd),
    .Slots(WavesPerSimd),
    .VgprGranules(VgprsPerSimd / VgprGranule),
    .SgprGranules(SgprsPerSimd / SgprGranule),
    .LdsGranules(LdsKib * 1024 / LdsGranule),
    .Groups(GroupsPerCu),
    .SeedBug(SeedPool)
  ) u_pool (
    .clk_i,
    .rst_ni,
    .req_valid_i(req_valid),
    .req_i(req),
    .busy_o(pool_busy),
    .place_o(place),
    .first_o(first),
    .done_o(pool_done),
    .ok_o(pool_ok),
    .group_o(group),
    .lds_o(lds),
    .free_valid_i(free_valid),
    .free_i(freed),
    .idle_o(pool_idle)
  );

  dispatch_send #(.Cus(CuCount), .Simds(NumSimd), .Dispatchers(Dispatchers)) u_send (
    .clk_i,
    .rst_ni,
    .launch_valid_i(launch_valid),
    .launch_who_i(launch_who),
    .launch_i(launch),
    .hub_cu_i(cu),
    .hub_valid_i(cu_valid),
    .hub_kind_i(cu_kind),
    .hub_vmid_i(cu_vmid),
    .hub_tba_i(cu_tba),
    .hub_tma_i(cu_tma),
    .grant_valid_i(grant_valid),
    .grant_i(grant),
    .spots_i(spots),
    .sent_o(sent),
    .hold_i(hold_all),
    .cu_cmd_valid_o,
    .cu_cmd_o,
    .idle_o(send_idle)
  );

  dispatch_reports #(.Depth(Reports)) u_reports (
    .clk_i, .rst_ni, .xlat_evt_valid_i, .xlat_evt_i, .xlat_evt_credit_o,
    .move_evt_valid_i, .move_evt_i, .move_evt_credit_o,
    .report_valid_o(report_valid), .report_o(report), .reported_i(reported));

  dispatch_events #(
    .Cus(CuCount),
    .Dispatchers(Dispatchers),
    .Depth(EvtDepth)
  ) u_events (
    .clk_i,
    .rst_ni,
    .cycle_i,
    .cu_evt_valid_i,
    .cu_evt_i,
    .cu_evt_credit_o,
    .launch_valid_i(launch_valid),
    .launch_who_i(launch_who),
    .launch_i(launch_res),
    .kill_valid_i(kill_valid),
    .kill_vmid_i(kill_vmid),
    .killing_i(killing),
    .killing_vmid_i(killing_vmid),
    .tell_i(tell),
    .told_o(told),
    .report_valid_i(report_valid),
    .report_i(report),
    .reported_o(reported),
    .ack_valid_o(ack_valid),
    .ack_cu_o(ack_cu),
    .ended_valid_o(ended_valid),
    .ended_who_o(ended_who),
    .grant_valid_i(grant_valid),
    .grant_i(grant),
    .spots_i(spots),
    .dispatched_i(dispatched),
    .free_valid_o(free_valid),
    .free_o(freed),
    .cp_evt_valid_o,
    .cp_evt_o,
    .idle_o(events_idle),
    .waves_o(waves)
  );

  // ---- counters; address 255: work-groups that have ended or were killed, which the bridge reads without a clock
  always_comb begin
    ends = 32'd0;
    if (free_valid != '0) for (int unsigned n = 0; n < CuCount; n++) ends = ends + 32'(free_valid[n] && freed[n].last);
  end
  always_ff @(posedge clk_i) begin
    if (free_valid != '0) ended_groups <= ended_groups + ends;
    if (!rst_ni) ended_groups <= 32'd0;
  end
  always_ff @(posedge clk_i) begin
    if (perf_en_i) begin
      unique case (perf_addr_i)
        PERF_ENDED: perf_data_o <= 64'(ended_groups) + 64'(ends);
        DISPATCH_GROUPS: perf_data_o <= 64'(groups);
        DISPATCH_WAVEFRONTS: perf_data_o <= 64'(waves);
        DISPATCH_BLOCKED: perf_data_o <= 64'(blocked);
        default: perf_data_o <= 64'(id_i);  // PERF_ID
      endcase
    end
  end
  // ---- assertions
  `STREAM_ASSERT(a_cmd, cp_cmd_valid_i, cp_cmd_ok(cp_cmd_i))
  `STREAM_BOUND(a_cmd_room, CmdDepth, cp_cmd_valid_i, cp_cmd_credit_o)
  `STREAM_ASSERT(a_evt, cp_evt_valid_o, cp_evt_ok(cp_evt_o))
  `STREAM_ASSERT(a_withheld, xlat_evt_valid_i, xlat_evt_ok(xlat_evt_i))
  `STREAM_BOUND(a_withheld_room, Reports, xlat_evt_valid_i, xlat_evt_credit_o)
  `STREAM_ASSERT(a_moved, move_evt_valid_i, move_evt_ok(move_evt_i))
  `STREAM_BOUND(a_moved_room, Reports, move_evt_valid_i, move_evt_credit_o)
  `STREAM_BOUND(a_launches, Dispatchers, launch_valid, ended_valid)
  logic [CuCount-1:0] cu_told, cu_acked, cu_waves;  // commands that a CU acknowledges, one after another; wavefronts
  always_comb begin
    cu_told  = '0;
    cu_acked = '0;
    cu_waves = '0;
    if ((cu_cmd_valid_o | cu_evt_valid_i) != '0) begin
      for (int unsigned n = 0; n < CuCount; n++) begin
        cu_told[n]  = cu_cmd_valid_o[n] && cu_cmd_o[n].kind != CU_WAVE;
        cu_waves[n] = cu_cmd_valid_o[n] && cu_cmd_o[n].kind == CU_WAVE;
        cu_acked[n] = cu_evt_valid_i[n] && cu_evt_i[n].kind == CU_EVT_ACK;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if ((cu_cmd_valid_o | cu_evt_valid_i) != '0) begin
      for (int unsigned n = 0; n < CuCount; n++) begin
        `GANTRY_CHECK(a_cu, `GANTRY_IMPL(cu_cmd_valid_o[n], cu_cmd_ok(cu_cmd_o[n])))
        `GANTRY_CHECK(a_cu_evt, `GANTRY_IMPL(cu_evt_valid_i[n], cu_evt_ok(cu_evt_i[n])))
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if ((ctl_cmd_valid_o | ctl_evt_valid_i) != '0) begin
      for (int unsigned n = 0; n < CtlPorts; n++) begin
        `GANTRY_CHECK(a_ctl, `GANTRY_IMPL(ctl_cmd_valid_o[n], ctl_cmd_ok(ctl_cmd_o[n])))
        `GANTRY_CHECK(a_ctl_evt, `GANTRY_IMPL(ctl_evt_valid_i[n], ctl_evt_ok(ctl_evt_i[n])))
      end
    end
  end
  // an agent has at most an operation, maintenance and one answer for each other entry of the hub under way
  stream_bounds #(.Ports(CtlPorts), .Depth(CtlPorts + 2)) u_ctl (
    .clk_i, .rst_ni, .push_i(ctl_cmd_valid_o), .pop_i(ctl_evt_valid_i));
  stream_bounds #(.Ports(CuCount), .Depth(EvtDepth)) u_cu_evt_room (
    .clk_i, .rst_ni, .push_i(cu_evt_valid_i), .pop_i(cu_evt_credit_o));
  stream_bounds #(.Ports(CuCount), .Depth(1)) u_cu_ack (.clk_i, .rst_ni, .push_i(cu_told), .pop_i(cu_acked));
  stream_bounds #(.Ports(CuCount), .Depth(NumSimd * WavesPerSimd)) u_waves (
    .clk_i, .rst_ni, .push_i(cu_waves), .pop_i(free_valid));
endmodule
