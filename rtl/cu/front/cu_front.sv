// SPDX-License-Identifier: Apache-2.0
// Front end of the compute unit: wires fetch, issue, operand stage, scalar register file, register filling and the
// queue before the vector memory unit.  Not responsible for: vector execution (cu_simd), LDS (lds_unit), vector memory
// (cu_vmem), the partition's ports (rtl/cu/part_cu.sv).
`include "gantry_assert.svh"

module cu_front
  import cu_pkg::*;
  import cu_front_pkg::*;
  import cu_head_pkg::*;
  import gantry_msg_pkg::*;
  import gantry_counters_pkg::*;
#(
  parameter int unsigned Simds = 4,
  parameter int unsigned EvtDepth = 8,
  // from the choice of a scalar load to that of what needs its data: key gpu.sqc.hit_latency
  parameter int unsigned ScalarLatency = 48,
  parameter int unsigned TimeLatency = 41  // the same of s_memtime: key gpu.cu.time_latency
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic        [11:0] cycle_i,
  input  logic        [ 5:0] cu_id_i,
  // dispatcher, caches
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
  // SIMDs
  output logic        [ 3:0] valu_valid_o,
  output valu_issue_t        valu_o,
  input  logic        [ 3:0] valu_done_valid_i,
  input  valu_done_t         valu_done_i[4],
  input  logic        [ 3:0] valu_wait_i,
  output logic        [ 3:0] init_valid_o,
  output row_t               init_row_o[Fills],
  output logic        [31:0] init_data_o[Fills][16],
  input  logic        [ 3:0] init_ready_i,
  // LDS; its reports by pair of SIMDs
  output logic               lds_valid_o,
  output lds_issue_t         lds_o,
  input  logic        [ 1:0] lds_opread_valid_i,
  input  wave_tag_t          lds_opread_i[2],
  input  logic        [ 1:0] lds_left_i,
  input  logic        [ 1:0] lds_done_valid_i,
  input  wave_tag_t          lds_done_i[2],
  // vector memory
  output logic               vmem_valid_o,
  output vmem_issue_t        vmem_o,
  input  logic               vmem_ready_i,
  input  logic               vmem_opread_valid_i,
  input  wave_tag_t          vmem_opread_i,
  input  logic               vmem_opread_lds_i,
  input  logic               vmem_done_valid_i,
  input  mem_done_t          vmem_done_i,
  input  logic               perf_en_i,
  input  logic        [ 7:0] perf_addr_i,
  output logic        [63:0] perf_data_o,
  input  cu_pulse_t          perf_events_i,      // of the memory units; the others are 0
  input  logic               obs_en_i,
  output logic        [ 5:0] obs_inst_valid_o,
  output obs_inst_t          obs_inst_o[6],
  output logic        [ 4:0] obs_sgpr_valid_o,  // SALU, its EXEC, vector result, its EXEC, scalar memory
  output obs_sgpr_t          obs_sgpr_o[5],
  output logic               smem_done_valid_o,
  output mem_done_t          smem_done_o,
  input  logic               hold_i,             // no command is begun, nothing issues, nothing is fetched
  input  logic               kick_i,             // hold_i may have changed
  output logic               drained_o,          // while hold_i: what was begun has ended, wavefronts aside
  output logic               idle_o
);
  logic [1:0] turn;
  assign turn = cycle_i[1:0];

  logic prepare_valid, start_valid, kill_valid, kill_done, ack_valid, ack_taken;
  start_t start, prepare;
  waves_t active;
  order_t order[4];
  logic [1:0] head_valid, jump_valid;
  wave_t head_wave[2];
  head_t head[2];
  issued_t issued;
  wave_t jump_wave[2];
  logic [47:0] jump_pc[2];
  logic jump_keep;
  logic result_valid, pair_valid, intr_valid, trap_valid;
  logic [39:0] trap_tba;
  logic [7:0] cmd_vmid;
  logic [47:0] trap_tma;
  result_t result;
  pair_write_t pair;
  wave_t intr_wave;
  logic [31:0] intr_data;
  logic file_en;
  logic [3:0] file_re;
  logic [3:0][1:0] file_we;
  logic [3:0][9:0] file_row0, file_row1, file_write_row;
  logic [63:0] file_data0[4], file_data1[4], file_write_data[4];
  logic [55:0] where_pc;  // of the wavefront perf_addr_i, while perf_en_i is low: VMID and next PC; its state
  logic [7:0] where_state;
  cu_pulse_t counted;
  logic vmem_push;
  vmem_issue_t vmem_record;
  logic fetch_idle, fill_idle, issue_idle, scalar_idle, vmem_queue_idle, none_waits;
  logic smem_left, smem_room;
  logic [47:0] smem_pc;  // of smem_req_o
  logic [8:0] smem_rest;
  mem_done_t smem_end;

  logic fill_drained, fetch_drained, issue_drained;
  assign drained_o = fill_drained && fetch_drained && issue_drained;
  assign idle_o = fetch_idle && fill_idle && issue_idle && scalar_idle && vmem_queue_idle && none_waits;

  cu_fill #(
    .ScalarLatency(ScalarLatency > TimeLatency ? ScalarLatency : TimeLatency)
  ) u_fill (
    .clk_i,
    .rst_ni,
    .turn_i       (turn),
    .time_i       (cycle_i),
    .cu_cmd_valid_i,
    .cu_cmd_i,
    .smem_rsp_valid_i,
    .smem_rsp_i,
    .pair_valid_o (pair_valid),
    .pair_o       (pair),
    .smem_req_valid_i(smem_req_valid_o),
    .smem_req_i   (smem_req_o),
    .smem_pc_i    (smem_pc),
    .smem_done_valid_o(smem_left),
    .smem_done_o  (smem_end),
    .smem_rest_o  (smem_rest),
    .smem_room_i  (smem_room),
    .init_valid_o,
    .init_row_o,
    .init_data_o,
    .init_ready_i,
    .prepare_valid_o(prepare_valid),
    .prepare_o    (prepare),
    .start_valid_o(start_valid),
    .start_o      (start),
    .kill_valid_o (kill_valid),
    .trap_valid_o (trap_valid),
    .trap_tba_o   (trap_tba),
    .trap_tma_o   (trap_tma),
    .cmd_vmid_o   (cmd_vmid),
    .kill_done_i  (kill_done),
    .ack_valid_o  (ack_valid),
    .ack_taken_i  (ack_taken),
    .obs_en_i,
    .obs_valid_o  (obs_sgpr_valid_o[4]),
    .obs_o        (obs_sgpr_o[4]),
    .hold_i,
    .drained_o    (fill_drained),
    .idle_o       (fill_idle)
  );

  latency_floor #(
    .Width($bits(mem_done_t))
  ) u_smem_floor (
    .clk_i,
    .rst_ni,
    .valid_i(smem_left),
    .rest_i (smem_rest),
    .key_i  (smem_end.wave),
    .data_i (smem_end),
    .ready_o(smem_room),
    .valid_o(smem_done_valid_o),
    .data_o (smem_done_o),
    .idle_o (none_waits)
  );

  cu_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .turn_i         (turn),
    .start_valid_i  (start_valid),
    .start_i        (start),
    .active_i       (active),
    .order_i        (order),
    .issued_i       (issued),
    .jump_valid_i   (jump_valid),
    .jump_wave_i    (jump_wave),
    .jump_pc_i      (jump_pc),
    .jump_keep_i    (jump_keep),
    .where_en_i     (!perf_en_i),
    .where_i        (perf_addr_i[5:0]),
    .where_o        (where_pc),
    .head_valid_o   (head_valid),
    .head_wave_o    (head_wave),
    .head_o         (head),
    .ifetch_req_valid_o,
    .ifetch_req_o,
    .ifetch_rsp_valid_i,
    .ifetch_rsp_i,
    .hold_i,
    .kick_i,
    .drained_o      (fetch_drained),
    .idle_o         (fetch_idle)
  );

  cu_issue #(
    .EvtDepth (EvtDepth)
  ) u_issue (
    .clk_i,
    .rst_ni,
    .cycle_i            (cycle_i[5:0]),
    .start_valid_i      (start_valid),
    .start_i            (start),
    .kill_valid_i       (kill_valid),
    .kill_vmid_i        (cmd_vmid),
    .kill_done_o        (kill_done),
    .ack_valid_i        (ack_valid),
    .ack_taken_o        (ack_taken),
    .active_o           (active),
    .order_o            (order),
    .head_valid_i       (head_valid),
    .head_wave_i        (head_wave),
    .head_i             (head),
    .issued_o           (issued),
    .jump_valid_i       (jump_valid),
    .jump_wave_i        (jump_wave),
    .valu_wait_i,
    .valu_done_valid_i,
    .valu_done_i,
    .result_valid_o     (result_valid),
    .result_o           (result),
    .lds_opread_valid_i,
    .lds_opread_i,
    .lds_left_i,
    .lds_done_valid_i,
    .lds_done_i,
    .vmem_pop_i         (vmem_valid_o),
    .vmem_opread_valid_i,
    .vmem_opread_i,
    .vmem_opread_lds_i,
    .vmem_done_valid_i,
    .vmem_done_i,
    .smem_left_i        (smem_left),
    .smem_done_valid_i  (smem_done_valid_o),
    .smem_done_i        (smem_done_o),
    .intr_valid_i       (intr_valid),
    .intr_wave_i        (intr_wave),
    .intr_data_i        (intr_data),
    .where_en_i         (!perf_en_i),
    .where_i            (perf_addr_i[5:0]),
    .where_o            (where_state),
    .cu_evt_valid_o,
    .cu_evt_o,
    .cu_evt_credit_i,
    .obs_en_i,
    .obs_valid_o        (obs_inst_valid_o),
    .obs_o              (obs_inst_o),
    .hold_i,
    .kick_i,
    .drained_o          (issue_drained),
    .idle_o             (issue_idle)
  );

  cu_scalar #(
    .ScalarLatency(ScalarLatency),
    .TimeLatency  (TimeLatency)
  ) u_scalar (
    .clk_i,
    .rst_ni,
    .turn_i             (turn),
    .time_i             (cycle_i),
    .cu_id_i,
    .trap_valid_i       (trap_valid),
    .trap_vmid_i        (cmd_vmid[3:0]),
    .trap_tba_i         (trap_tba),
    .trap_tma_i         (trap_tma),
    .prepare_valid_i    (prepare_valid),
    .prepare_i          (prepare),
    .start_valid_i      (start_valid),
    .start_i            (start),
    .head_valid_i       (head_valid),
    .head_wave_i        (head_wave),
    .head_i             (head),
    .issued_i           (issued),
    .result_valid_i     (result_valid),
    .result_i           (result),
    .pair_valid_i       (pair_valid),
    .pair_i             (pair),
    .file_en_o          (file_en),
    .file_re_o          (file_re),
    .file_row0_o        (file_row0),
    .file_row1_o        (file_row1),
    .file_data0_i       (file_data0),
    .file_data1_i       (file_data1),
    .file_we_o          (file_we),
    .file_write_row_o   (file_write_row),
    .file_write_data_o  (file_write_data),
    .jump_valid_o       (jump_valid),
    .jump_wave_o        (jump_wave),
    .jump_pc_o          (jump_pc),
    .jump_keep_o        (jump_keep),
    .intr_valid_o       (intr_valid),
    .intr_wave_o        (intr_wave),
    .intr_data_o        (intr_data),
    .smem_req_valid_o,
    .smem_req_o,
    .smem_pc_o          (smem_pc),
    .valu_valid_o,
    .valu_o,
    .lds_valid_o,
    .lds_o,
    .vmem_valid_o       (vmem_push),
    .vmem_o             (vmem_record),
    .obs_en_i,
    .obs_valid_o        (obs_sgpr_valid_o[3:0]),
    .obs_o              (obs_sgpr_o[0:3]),
    .idle_o             (scalar_idle)
  );

  cu_sgpr #(
    .Simds(Simds)
  ) u_sgpr (
    .clk_i,
    .en_i        (file_en),
    .re_i        (file_re),
    .row0_i      (file_row0),
    .row1_i      (file_row1),
    .data0_o     (file_data0),
    .data1_o     (file_data1),
    .we_i        (file_we),
    .write_row_i (file_write_row),
    .write_data_i(file_write_data)
  );

  localparam cu_pulse_t Instructions = '{
      valu: 1'b1, scalar: 1'b1, vector_memory: 1'b1, lds: 1'b1, branch: 1'b1, internal: 1'b1, default: 1'b0};
  // What issues, by port; of these scalar memory is port 1's, too.
  always_comb begin
    counted                  = perf_events_i;
    counted.fetches          = ifetch_req_valid_o;
    counted.wavefronts       = start_valid;
    counted.busy             = !idle_o;
    {counted.internal, counted.branch, counted.lds, counted.vector_memory} = issued.valid[5:2];
    counted.scalar_memory    = smem_req_valid_o;
    {counted.scalar, counted.valu} = issued.valid[1:0];
  end
  cu_perf #(
    .Instructions(Instructions)
  ) u_perf (
    .clk_i,
    .rst_ni,
    .en_i    (perf_en_i),
    .events_i(counted),
    .addr_i  (perf_addr_i),
    .where_i ({where_state, where_pc}),
    .data_o  (perf_data_o)
  );

  issue_queue #(
    .Width($bits(vmem_issue_t))
  ) u_vmem_queue (
    .clk_i,
    .rst_ni,
    .push_i (vmem_push),
    .data_i (vmem_record),
    .ready_i(vmem_ready_i),
    .valid_o(vmem_valid_o),
    .data_o (vmem_o),
    .idle_o (vmem_queue_idle)
  );

  // ---- assertions
  for (genvar s = 0; s < 4; s++) begin : gen_check_turn
    `GANTRY_ASSERT(a_turn, `GANTRY_IMPL(valu_valid_o[s], turn == 2'(s + 1)))  // five cycles after its choice
  end
  `STREAM_BOUND(a_vmem_queue, 4, vmem_push, vmem_valid_o)
  `STREAM_BOUND(a_scalars, 16, smem_req_valid_o && smem_req_o.op != SMEM_DATA, smem_rsp_valid_i)
endmodule
