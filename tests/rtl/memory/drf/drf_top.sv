// SPDX-License-Identifier: Apache-2.0
// The memory path of one GPU (of several, the bench has one of these for each) for its random tester: vector memory units (with coalescer, L1 TLB and L1V) in place of whole CUs,
// and every partition behind them as in rtl/gpu/gpu.sv.  Responsible for: the instances.  Not responsible for: the links between
// them; all ends lead outside, so that the bench delays each message and each credit as it likes.
module drf_top
  import cu_pkg::*;
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
(
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic              [63:0] cycle_i,
  input  logic              [ 7:0] gpu_i,
  output logic                     idle_o,
  // vector memory units
  input  logic       [CuCount-1:0] issue_valid_i,
  input  vmem_issue_t              issue_i[CuCount],
  output logic       [CuCount-1:0] ready_o,
  output logic       [CuCount-1:0] opread_valid_o,
  output logic              [ 3:0] vrd_valid_o[CuCount],
  output row_t                     vrd_row_o[CuCount][4],
  input  logic              [31:0] vrd_data_i[CuCount][4][16],
  output logic              [ 3:0] vwr_valid_o[CuCount],
  output vwr_req_t                 vwr_o[CuCount][4],
  input  logic              [ 1:0] vwr_ready_i[CuCount][4],
  output logic       [CuCount-1:0] done_valid_o,
  output mem_done_t                done_o[CuCount],
  input  logic       [CuCount-1:0] inv_i,
  input  logic              [ 7:0] inv_flags_i[CuCount],
  input  tlb_pkg::inv_t            inv_pages_i[CuCount],
  output logic       [CuCount-1:0] inv_done_o,
  output logic              [ 6:0] vmem_perf_o[CuCount],
  output logic       [CuCount-1:0] cu_req_valid_o,
  output mem_req_t                 cu_req_o[CuCount],
  input  logic       [CuCount-1:0] cu_req_credit_i,
  input  logic       [CuCount-1:0] cu_rsp_valid_i,
  input  mem_rsp_t                 cu_rsp_i[CuCount],
  // instruction and scalar caches
  input  logic        [SqcCus-1:0] fetch_valid_i[SqcCount],
  input  ifetch_req_t              fetch_i[SqcCount][SqcCus],
  output logic        [SqcCus-1:0] fetched_valid_o[SqcCount],
  output ifetch_rsp_t              fetched_o[SqcCount][SqcCus],
  input  logic        [SqcCus-1:0] smem_valid_i[SqcCount],
  input  smem_req_t                smem_i[SqcCount][SqcCus],
  output logic        [SqcCus-1:0] scalar_valid_o[SqcCount],
  output smem_rsp_t                scalar_o[SqcCount][SqcCus],
  output logic      [SqcCount-1:0] sqc_req_valid_o,
  output mem_req_t                 sqc_req_o[SqcCount],
  input  logic      [SqcCount-1:0] sqc_req_credit_i,
  input  logic      [SqcCount-1:0] sqc_rsp_valid_i,
  input  mem_rsp_t                 sqc_rsp_i[SqcCount],
  // the L2 TLB's reports
  output logic                     xlat_evt_valid_o,
  output xlat_evt_t                xlat_evt_o,
  input  logic                     xlat_evt_credit_i,
  // crossbar
  input  logic [NocInitiators-1:0] noc_req_valid_i,
  input  mem_req_t                 noc_req_i[NocInitiators],
  output logic [NocInitiators-1:0] noc_req_credit_o,
  output logic    [NocTargets-1:0] noc_req_valid_o,
  output mem_req_t                 noc_req_o[NocTargets],
  input  logic    [NocTargets-1:0] noc_req_credit_i,
  input  logic    [NocTargets-1:0] noc_rsp_valid_i,
  input  mem_rsp_t                 noc_rsp_i[NocTargets],
  output logic    [NocTargets-1:0] noc_rsp_credit_o,
  output logic [NocInitiators-1:0] noc_rsp_valid_o,
  output mem_rsp_t                 noc_rsp_o[NocInitiators],
  // targets: slices, L2 TLB, RDMA engine
  input  logic    [NocTargets-1:0] target_req_valid_i,
  input  mem_req_t                 target_req_i[NocTargets],
  output logic    [NocTargets-1:0] target_req_credit_o,
  output logic    [NocTargets-1:0] target_rsp_valid_o,
  output mem_rsp_t                 target_rsp_o[NocTargets],
  input  logic    [NocTargets-1:0] target_rsp_credit_i,
  output logic      [L2Slices-1:0] dram_req_valid_o,
  output dram_req_t                dram_req_o[L2Slices],
  input  logic      [L2Slices-1:0] dram_rsp_valid_i,
  input  dram_rsp_t                dram_rsp_i[L2Slices],
  // walker and inbound far memory as initiators: 0 walker, 1 RDMA engine
  output logic              [ 1:0] far_in_req_valid_o,
  output mem_req_t                 far_in_req_o[2],
  input  logic              [ 1:0] far_in_req_credit_i,
  input  logic              [ 1:0] far_in_rsp_valid_i,
  input  mem_rsp_t                 far_in_rsp_i[2],
  // far ports
  output logic      [FarPorts-1:0] far_req_valid_o,
  output mem_req_t                 far_req_o[FarPorts],
  input  logic      [FarPorts-1:0] far_req_credit_i,
  input  logic      [FarPorts-1:0] far_rsp_valid_i,
  input  mem_rsp_t                 far_rsp_i[FarPorts],
  output logic      [FarPorts-1:0] far_rsp_credit_o,
  input  logic      [FarPorts-1:0] far_req_valid_i,
  input  mem_req_t                 far_req_i[FarPorts],
  output logic      [FarPorts-1:0] far_req_credit_o,
  output logic      [FarPorts-1:0] far_rsp_valid_o,
  output mem_rsp_t                 far_rsp_o[FarPorts],
  input  logic      [FarPorts-1:0] far_rsp_credit_i,
  // the page-move engine's reports
  output logic                     move_evt_valid_o,
  output move_evt_t                move_evt_o,
  input  logic                     move_evt_credit_i,
  // maintenance, to the control agents: cache groups, slices, L2 TLB, RDMA engine
  input  logic [SqcCount+L2Slices+1:0] ctl_cmd_valid_i,
  input  ctl_cmd_t                 ctl_cmd_i[SqcCount+L2Slices+2],
  output logic [SqcCount+L2Slices+1:0] ctl_evt_valid_o
);
  localparam int unsigned OutUtcl2 = L2Slices, OutRdma = L2Slices + 1;
  localparam int unsigned BlkL2 = SqcCount, BlkUtcl2 = SqcCount + L2Slices, BlkRdma = BlkUtcl2 + 1;

  logic [CuCount-1:0] cu_idle;
  logic [SqcCount-1:0] sqc_idle;
  logic [L2Slices-1:0] l2_idle;
  logic noc_idle, utcl2_idle, rdma_idle;
  assign idle_o = cu_idle == '1 && sqc_idle == '1 && l2_idle == '1 && noc_idle && utcl2_idle && rdma_idle;

  for (genvar n = 0; n < CuCount; n++) begin : gen_cu
    lds_line_t line[1];
    lds_line_rsp_t line_rsp[1];
    assign line_rsp[0] = '0;
    cu_vmem #(
      .NumSlices(L2Slices), .Credits(NocQueue), .L1vBytes(L1vKib * 1024), .L1vWays(L1vWays), .L1vMshrs(L1vMshrs),
      .TlbEntries(L1vTlbEntries), .Latency(L1vHitLatency), .AddressLanes(VmemLanes)
    ) u_vmem (
      .clk_i, .rst_ni, .time_i(cycle_i[47:0]), .own_gpu_i(gpu_i), .valid_i(issue_valid_i[n]), .issue_i(issue_i[n]),
      .ready_o(ready_o[n]), .opread_valid_o(opread_valid_o[n]), .opread_o(), .opread_lds_o(),
      .vrd_valid_o(vrd_valid_o[n]), .vrd_row_o(vrd_row_o[n]), .vrd_data_i(vrd_data_i[n]), .vwr_valid_o(vwr_valid_o[n]),
      .vwr0_o(vwr_o[n][0]), .vwr1_o(vwr_o[n][1]), .vwr2_o(vwr_o[n][2]), .vwr3_o(vwr_o[n][3]), .vwr_ready_i(vwr_ready_i[n]),
      .done_valid_o(done_valid_o[n]), .done_o(done_o[n]), .mem_req_valid_o(cu_req_valid_o[n]), .mem_req_o(cu_req_o[n]),
      .mem_req_credit_i(cu_req_credit_i[n]), .mem_rsp_valid_i(cu_rsp_valid_i[n]), .mem_rsp_i(cu_rsp_i[n]),
      .line_valid_o(), .line_o(line), .line_rsp_valid_i(1'b0), .line_rsp_i(line_rsp), .hold_i(1'b0), .inv_i(inv_i[n]),
      .inv_flags_i(inv_flags_i[n]), .inv_pages_i(inv_pages_i[n]), .inv_done_o(inv_done_o[n]), .perf_o(vmem_perf_o[n]),
      .obs_en_i(1'b0), .obs_row_valid_o(), .obs_row_o(), .idle_o(cu_idle[n]));
  end

  for (genvar n = 0; n < SqcCount; n++) begin : gen_sqc
    part_sqc u_sqc (
      .clk_i, .rst_ni, .id_i({gpu_i, 8'(n)}), .cycle_i, .idle_o(sqc_idle[n]), .perf_en_i(1'b0), .perf_addr_i('0), .perf_data_o(),
      .ifetch_req_valid_i(fetch_valid_i[n]), .ifetch_req_i(fetch_i[n]),
      .ifetch_rsp_valid_o(fetched_valid_o[n]), .ifetch_rsp_o(fetched_o[n]),
      .smem_req_valid_i(smem_valid_i[n]), .smem_req_i(smem_i[n]), .smem_rsp_valid_o(scalar_valid_o[n]), .smem_rsp_o(scalar_o[n]),
      .mem_req_valid_o(sqc_req_valid_o[n]), .mem_req_o(sqc_req_o[n]), .mem_req_credit_i(sqc_req_credit_i[n]),
      .mem_rsp_valid_i(sqc_rsp_valid_i[n]), .mem_rsp_i(sqc_rsp_i[n]),
      .ctl_cmd_valid_i(ctl_cmd_valid_i[n]), .ctl_cmd_i(ctl_cmd_i[n]), .ctl_evt_valid_o(ctl_evt_valid_o[n]), .ctl_evt_o());
  end

  part_noc u_noc (
    .clk_i, .rst_ni, .id_i({gpu_i, 8'd0}), .cycle_i, .idle_o(noc_idle), .perf_en_i(1'b0), .perf_addr_i('0), .perf_data_o(),
    .mem_req_valid_i(noc_req_valid_i), .mem_req_i(noc_req_i), .mem_req_credit_o(noc_req_credit_o),
    .mem_req_valid_o(noc_req_valid_o), .mem_req_o(noc_req_o), .mem_req_credit_i(noc_req_credit_i),
    .mem_rsp_valid_i(noc_rsp_valid_i), .mem_rsp_i(noc_rsp_i), .mem_rsp_credit_o(noc_rsp_credit_o),
    .mem_rsp_valid_o(noc_rsp_valid_o), .mem_rsp_o(noc_rsp_o),
    .ctl_cmd_valid_i(1'b0), .ctl_cmd_i('0), .ctl_evt_valid_o(), .ctl_evt_o());

  for (genvar n = 0; n < L2Slices; n++) begin : gen_l2
    part_l2 u_l2 (
      .clk_i, .rst_ni, .id_i({gpu_i, 8'(n)}), .cycle_i, .idle_o(l2_idle[n]), .perf_en_i(1'b0), .perf_addr_i('0), .perf_data_o(),
      .obs_en_i(1'b0), .obs_order_valid_o(), .obs_order_o(),
      .mem_req_valid_i(target_req_valid_i[n]), .mem_req_i(target_req_i[n]), .mem_req_credit_o(target_req_credit_o[n]),
      .mem_rsp_valid_o(target_rsp_valid_o[n]), .mem_rsp_o(target_rsp_o[n]), .mem_rsp_credit_i(target_rsp_credit_i[n]),
      .dram_req_valid_o(dram_req_valid_o[n]), .dram_req_o(dram_req_o[n]),
      .dram_rsp_valid_i(dram_rsp_valid_i[n]), .dram_rsp_i(dram_rsp_i[n]),
      .ctl_cmd_valid_i(ctl_cmd_valid_i[BlkL2+n]), .ctl_cmd_i(ctl_cmd_i[BlkL2+n]),
      .ctl_evt_valid_o(ctl_evt_valid_o[BlkL2+n]), .ctl_evt_o());
  end

  part_utcl2 u_utcl2 (
    .clk_i, .rst_ni, .id_i({gpu_i, 8'd0}), .idle_o(utcl2_idle), .perf_en_i(1'b0), .perf_addr_i('0), .perf_data_o(),
    .mem_req_valid_i(target_req_valid_i[OutUtcl2]), .mem_req_i(target_req_i[OutUtcl2]),
    .mem_req_credit_o(target_req_credit_o[OutUtcl2]), .mem_rsp_valid_o(target_rsp_valid_o[OutUtcl2]),
    .mem_rsp_o(target_rsp_o[OutUtcl2]), .mem_rsp_credit_i(target_rsp_credit_i[OutUtcl2]),
    .mem_req_valid_o(far_in_req_valid_o[0]), .mem_req_o(far_in_req_o[0]), .mem_req_credit_i(far_in_req_credit_i[0]),
    .mem_rsp_valid_i(far_in_rsp_valid_i[0]), .mem_rsp_i(far_in_rsp_i[0]),
    .xlat_evt_valid_o, .xlat_evt_o, .xlat_evt_credit_i,
    .ctl_cmd_valid_i(ctl_cmd_valid_i[BlkUtcl2]), .ctl_cmd_i(ctl_cmd_i[BlkUtcl2]),
    .ctl_evt_valid_o(ctl_evt_valid_o[BlkUtcl2]), .ctl_evt_o());

  part_rdma u_rdma (
    .clk_i, .rst_ni, .cycle_i, .id_i({gpu_i, 8'd0}), .idle_o(rdma_idle), .perf_en_i(1'b0), .perf_addr_i('0), .perf_data_o(),
    .mem_req_valid_i(target_req_valid_i[OutRdma]), .mem_req_i(target_req_i[OutRdma]),
    .mem_req_credit_o(target_req_credit_o[OutRdma]), .mem_rsp_valid_o(target_rsp_valid_o[OutRdma]),
    .mem_rsp_o(target_rsp_o[OutRdma]), .mem_rsp_credit_i(target_rsp_credit_i[OutRdma]),
    .mem_req_valid_o(far_in_req_valid_o[1]), .mem_req_o(far_in_req_o[1]), .mem_req_credit_i(far_in_req_credit_i[1]),
    .mem_rsp_valid_i(far_in_rsp_valid_i[1]), .mem_rsp_i(far_in_rsp_i[1]),
    .far_req_valid_o, .far_req_o, .far_req_credit_i, .far_rsp_valid_i, .far_rsp_i, .far_rsp_credit_o,
    .far_req_valid_i, .far_req_i, .far_req_credit_o, .far_rsp_valid_o, .far_rsp_o, .far_rsp_credit_i,
    .move_evt_valid_o, .move_evt_o, .move_evt_credit_i,
    .ctl_cmd_valid_i(ctl_cmd_valid_i[BlkRdma]), .ctl_cmd_i(ctl_cmd_i[BlkRdma]),
    .ctl_evt_valid_o(ctl_evt_valid_o[BlkRdma]), .ctl_evt_o());
endmodule
