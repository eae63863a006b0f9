// SPDX-License-Identifier: Apache-2.0
// A compute unit: wires the front end, up to four SIMDs, the LDS and the vector memory unit with its L1 cache and TLB.
// Memory units read VGPRs through one port of each SIMD (never two units one SIMD at a time: the front end sees to
// that) and write them through two.  Not responsible for: the instruction and scalar caches (rtl/sqc), partition
// straps (rtl/cu/part_cu.sv).
`include "gantry_assert.svh"

module cu
  import cu_pkg::*;
  import gantry_msg_pkg::*;
  import gantry_counters_pkg::*;
#(
  parameter int unsigned Simds = 4,  // 1, 2 or 4
  parameter int unsigned NumSlices = 4,
  parameter int unsigned LdsBytes = 65536,
  parameter int unsigned L1vBytes = 16384,
  parameter int unsigned L1vWays = 4,
  parameter int unsigned L1vMshrs = 16,
  parameter int unsigned NocCredits = 16,  // places of the crossbar's queue for this CU
  parameter int unsigned TlbEntries = 64,
  parameter int unsigned EvtDepth = 8,
  // from the choice of an instruction to that of what needs its result, at least
  parameter int unsigned LdsLatency = 48,
  parameter int unsigned L1vLatency = 120,
  parameter int unsigned ScalarLatency = 48,
  parameter int unsigned TimeLatency = 41,
  parameter int unsigned AddressLanes = 4  // of vector memory, a cycle
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic        [47:0] cycle_i,
  input  logic        [ 5:0] cu_id_i,
  input  logic        [ 7:0] gpu_id_i,
  input  logic               cu_cmd_valid_i,
  input  cu_cmd_t            cu_cmd_i,
  output logic               cu_evt_valid_o,
  output cu_evt_t            cu_evt_o,
  input  logic               cu_evt_credit_i,
  output logic               ifetch_req_valid_o,
  output ifetch_req_t        ifetch_req_o,
  input  logic               ifetch_rsp_valid_i,
  input  ifetch_rsp_t        ifetch_rsp_i,
  output logic               smem_req_valid_o,
  output smem_req_t          smem_req_o,
  input  logic               smem_rsp_valid_i,
  input  smem_rsp_t          smem_rsp_i,
  output logic               mem_req_valid_o,
  output mem_req_t           mem_req_o,
  input  logic               mem_req_credit_i,
  input  logic               mem_rsp_valid_i,
  input  mem_rsp_t           mem_rsp_i,
  input  logic               perf_en_i,
  input  logic        [ 7:0] perf_addr_i,
  output logic        [63:0] perf_data_o,
  input  logic               obs_en_i,
  output logic        [ 5:0] obs_inst_valid_o,
  output obs_inst_t          obs_inst_o[6],
  output logic        [ 4:0] obs_sgpr_valid_o,
  output obs_sgpr_t          obs_sgpr_o[5],
  output logic        [ 3:0] obs_vgpr_valid_o,
  output obs_vgpr_t          obs_vgpr_o[4],
  output logic        [ 7:0] obs_done_valid_o,  // SIMD 0 to 3, LDS by pair, vector memory, scalar memory
  output wave_tag_t          obs_done_o[8],
  output logic               obs_lds_valid_o,   // order of execution in the LDS
  output obs_lds_t           obs_lds_o,
  output logic               obs_row_valid_o,   // rows between memory and the LDS
  output obs_row_t           obs_row_o,
  // <-> control agent
  input  logic               hold_take_i,        // begin nothing: no command, instruction, fetch
  input  logic               hold_all_i,         // nor send requests of vector memory
  input  logic               kick_i,             // the holds may have changed
  output logic               drained_o,          // while hold_take_i: what was begun has ended, wavefronts aside
  input  logic               inv_valid_i,        // pulse; one at a time
  input  logic        [ 7:0] inv_flags_i,        // enum cache_flag: L1V, TLB
  input  tlb_pkg::inv_t      inv_pages_i,        // of the TLB
  output logic               inv_done_o,         // pulse
  output logic               idle_o
);
  logic [3:0] valu_valid, valu_done_valid, valu_wait, init_valid, init_ready, simd_idle;
  valu_issue_t valu;
  valu_done_t valu_done[4];
  row_t init_row[Fills];
  logic [31:0] init_data[Fills][16];
  /* verilator lint_off UNUSEDSIGNAL */  // reports that only benches or some users need
  logic lds_valid;
  logic [1:0] lds_opread_valid, lds_left, lds_done_valid;  // by pair of SIMDs
  logic [3:0] lds_vrd_valid, lds_vwr_valid;
  lds_issue_t lds;
  wave_tag_t lds_opread[2], vmem_opread;
  wave_tag_t lds_done[2];
  mem_done_t vmem_done, smem_done;
  vrd_req_t lds_vrd[2];
  row_t vmem_vrd_row[4];
  vwr_req_t lds_vwr0, lds_vwr1, lds_vwr2, lds_vwr3, vmem_vwr0, vmem_vwr1, vmem_vwr2, vmem_vwr3;
  logic vmem_valid, vmem_ready, vmem_opread_valid, vmem_opread_lds, vmem_done_valid;
  logic [3:0] vmem_vrd_valid, vmem_vwr_valid;  // by SIMD
  vmem_issue_t vmem;
  logic smem_done_valid;
  logic front_idle, lds_idle, vmem_idle;
  logic [31:0] vrd_data[4][16];
  logic [1:0] vwr_ready[4];
  logic [6:0] vmem_events;
  logic lds_conflict, obs_lds_valid, obs_row_valid;
  obs_lds_t obs_lds;
  obs_row_t obs_row;
  logic line_valid, line_rsp_valid;
  lds_line_t line[1];
  lds_line_rsp_t line_rsp[1];
  /* verilator lint_on UNUSEDSIGNAL */

  // nothing under way inside a block or, as a pulse, between blocks (the vector memory unit counts its pulses itself)
  assign idle_o = front_idle && simd_idle == '1 && lds_idle && vmem_idle &&
                  {lds_left, lds_done_valid, lds_opread_valid, lds_vwr_valid} == '0 && valu_done_valid == '0;

  cu_front #(
    .Simds        (Simds),
    .EvtDepth     (EvtDepth),
    .ScalarLatency(ScalarLatency),
    .TimeLatency  (TimeLatency)
  ) u_front (
    .clk_i,
    .rst_ni,
    .cycle_i            (cycle_i[11:0]),
    .cu_id_i,
    .cu_cmd_valid_i,
    .cu_cmd_i,
    .cu_evt_valid_o,
    .cu_evt_o,
    .cu_evt_credit_i,
    .ifetch_req_valid_o,
    .ifetch_req_o,
    .ifetch_rsp_valid_i,
    .ifetch_rsp_i,
    .smem_req_valid_o,
    .smem_req_o,
    .smem_rsp_valid_i,
    .smem_rsp_i,
    .valu_valid_o       (valu_valid),
    .valu_o             (valu),
    .valu_done_valid_i  (valu_done_valid),
    .valu_done_i        (valu_done),
    .valu_wait_i        (valu_wait),
    .init_valid_o       (init_valid),
    .init_row_o         (init_row),
    .init_data_o        (init_data),
    .init_ready_i       (init_ready),
    .lds_valid_o        (lds_valid),
    .lds_o              (lds),
    .lds_opread_valid_i (lds_opread_valid),
    .lds_opread_i       (lds_opread),
    .lds_left_i         (lds_left),
    .lds_done_valid_i   (lds_done_valid),
    .lds_done_i         (lds_done),
    .vmem_valid_o       (vmem_valid),
    .vmem_o             (vmem),
    .vmem_ready_i       (vmem_ready),
    .vmem_opread_valid_i(vmem_opread_valid),
    .vmem_opread_i      (vmem_opread),
    .vmem_opread_lds_i  (vmem_opread_lds),
    .vmem_done_valid_i  (vmem_done_valid),
    .vmem_done_i        (vmem_done),
    .perf_en_i,
    .perf_addr_i,
    .perf_data_o,
    .perf_events_i      ('{lds_conflict: lds_conflict, l1v_read_miss: vmem_events[4], l1v_read_hit: vmem_events[3],
                            l1v_tlb_miss: vmem_events[2], l1v_tlb_hit: vmem_events[1], l1v_transactions: vmem_events[0],
                            default: 1'b0}),
    .obs_en_i,
    .obs_inst_valid_o,
    .obs_inst_o,
    .obs_sgpr_valid_o,
    .obs_sgpr_o,
    .smem_done_valid_o  (smem_done_valid),
    .smem_done_o        (smem_done),
    .hold_i             (hold_take_i),
    .kick_i,
    .drained_o,
    .idle_o             (front_idle)
  );

  for (genvar s = 0; s < Simds; s++) begin : gen_simd
    logic vrd_valid, obs_valid;
    obs_vgpr_t obs;
    row_t vrd_row;
    vwr_req_t lds_vwr, vmem_vwr;

    assign vrd_valid = lds_vrd_valid[s] || vmem_vrd_valid[s];
    assign vrd_row   = lds_vrd_valid[s] ? lds_vrd[s/2].row : vmem_vrd_row[s];
    assign lds_vwr   = s == 0 ? lds_vwr0 : s == 1 ? lds_vwr1 : s == 2 ? lds_vwr2 : lds_vwr3;
    assign vmem_vwr  = s == 0 ? vmem_vwr0 : s == 1 ? vmem_vwr1 : s == 2 ? vmem_vwr2 : vmem_vwr3;

    cu_simd u_simd (
      .clk_i,
      .rst_ni,
      .valid_i     (valu_valid[s]),
      .issue_i     (valu),
      .done_valid_o(valu_done_valid[s]),
      .done_o      (valu_done[s]),
      .vrd_valid_i (vrd_valid),
      .vrd_row_i   (vrd_row),
      .vrd_data_o  (vrd_data[s]),
      .vwr_valid_i ({vmem_vwr_valid[s], lds_vwr_valid[s]}),
      .vwr0_i      (lds_vwr),
      .vwr1_i      (vmem_vwr),
      .vwr_ready_o (vwr_ready[s]),
      .vwr_wait_o  (valu_wait[s]),
      .init_valid_i(init_valid[s]),
      .init_row_i  (init_row[s%Fills]),
      .init_data_i (init_data[s%Fills]),
      .init_ready_o(init_ready[s]),
      .obs_en_i,
      .obs_valid_o (obs_valid),
      .obs_o       (obs),
      .idle_o      (simd_idle[s])
    );
    assign obs_vgpr_valid_o[s] = Observe && obs_valid;
    assign obs_vgpr_o[s]       = Observe ? obs : '0;
    assign obs_done_valid_o[s] = Observe && obs_en_i && valu_done_valid[s];
    assign obs_done_o[s]       = Observe ? '{wave: '{simd: 2'(s), slot: valu_done[s].slot}, tag: valu_done[s].tag} : '0;
  end

  for (genvar s = Simds; s < 4; s++) begin : gen_no_simd
    assign {valu_done_valid[s], valu_wait[s], init_ready[s], vwr_ready[s]} = '0;
    assign {obs_vgpr_valid_o[s], obs_done_valid_o[s]} = '0;
    assign simd_idle[s]  = 1'b1;
    assign valu_done[s]  = '0;
    assign obs_vgpr_o[s] = '0;
    assign obs_done_o[s] = '0;
    for (genvar l = 0; l < 16; l++) begin : gen_lane
      assign vrd_data[s][l] = '0;
    end
  end

  lds_unit #(
    .Bytes    (LdsBytes),
    .Latency  (LdsLatency)
  ) u_lds (
    .clk_i,
    .rst_ni,
    .valid_i         (lds_valid),
    .issue_i         (lds),
    .line_valid_i    (line_valid),
    .line_i          (line),
    .line_rsp_valid_o(line_rsp_valid),
    .line_rsp_o      (line_rsp),
    .opread_valid_o  (lds_opread_valid),
    .opread_o        (lds_opread),
    .vrd_valid_o     (lds_vrd_valid),
    .vrd_o           (lds_vrd),
    .vrd_data_i      (vrd_data),
    .vwr_valid_o     (lds_vwr_valid),
    .vwr0_o          (lds_vwr0),
    .vwr1_o          (lds_vwr1),
    .vwr2_o          (lds_vwr2),
    .vwr3_o          (lds_vwr3),
    .vwr_ready_i     (vwr_ready),
    .left_o          (lds_left),
    .done_valid_o    (lds_done_valid),
    .done_o          (lds_done),
    .obs_en_i,
    .obs_valid_o     (obs_lds_valid),
    .obs_o           (obs_lds),
    .perf_conflict_o (lds_conflict),
    .idle_o          (lds_idle)
  );

  cu_vmem #(
    .NumSlices (NumSlices),
    .L1vBytes  (L1vBytes),
    .L1vWays   (L1vWays),
    .L1vMshrs  (L1vMshrs),
    .Credits   (NocCredits),
    .TlbEntries(TlbEntries),
    .Latency   (L1vLatency),
    .AddressLanes(AddressLanes)
  ) u_vmem (
    .clk_i,
    .rst_ni,
    .time_i          (cycle_i),
    .own_gpu_i       (gpu_id_i),
    .valid_i         (vmem_valid),
    .issue_i         (vmem),
    .ready_o         (vmem_ready),
    .opread_valid_o  (vmem_opread_valid),
    .opread_o        (vmem_opread),
    .opread_lds_o    (vmem_opread_lds),
    .vrd_valid_o     (vmem_vrd_valid),
    .vrd_row_o       (vmem_vrd_row),
    .vrd_data_i      (vrd_data),
    .vwr_valid_o     (vmem_vwr_valid),
    .vwr0_o          (vmem_vwr0),
    .vwr1_o          (vmem_vwr1),
    .vwr2_o          (vmem_vwr2),
    .vwr3_o          (vmem_vwr3),
    .vwr_ready_i     (vwr_ready),
    .done_valid_o    (vmem_done_valid),
    .done_o          (vmem_done),
    .mem_req_valid_o,
    .mem_req_o,
    .mem_req_credit_i,
    .mem_rsp_valid_i,
    .mem_rsp_i,
    .line_valid_o    (line_valid),
    .line_o          (line),
    .line_rsp_valid_i(line_rsp_valid),
    .line_rsp_i      (line_rsp),
    .hold_i          (hold_all_i),
    .inv_i           (inv_valid_i),
    .inv_flags_i,
    .inv_pages_i,
    .inv_done_o,
    .perf_o          (vmem_events),
    .obs_en_i,
    .obs_row_valid_o (obs_row_valid),
    .obs_row_o       (obs_row),
    .idle_o          (vmem_idle)
  );

  assign obs_lds_valid_o       = Observe && obs_lds_valid;
  assign obs_lds_o             = Observe ? obs_lds : '0;
  assign obs_row_valid_o       = Observe && obs_row_valid;
  assign obs_row_o             = Observe ? obs_row : '0;
  assign obs_done_valid_o[7:4] = {smem_done_valid, vmem_done_valid, lds_done_valid} & {4{Observe && obs_en_i}};
  assign obs_done_o[4]         = Observe ? lds_done[0] : '0;
  assign obs_done_o[5]         = Observe ? lds_done[1] : '0;
  assign obs_done_o[6]         = Observe ? '{wave: vmem_done.wave, tag: vmem_done.tag} : '0;
  assign obs_done_o[7]         = Observe ? '{wave: smem_done.wave, tag: smem_done.tag} : '0;

  // ---- assertions
  // one memory unit at a time reads a SIMD
  `GANTRY_ASSERT(a_one_reader, (lds_vrd_valid & vmem_vrd_valid) == '0)
  // at rest no message stands at a port that the next edge would take back
  `GANTRY_ASSERT(a_rest, !(idle_o && (cu_evt_valid_o || ifetch_req_valid_o || smem_req_valid_o || mem_req_valid_o)))
endmodule
