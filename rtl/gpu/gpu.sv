// SPDX-License-Identifier: Apache-2.0
// A GPU: its partitions, and the links between them with the latencies of the configuration (docs/contracts.md).
//
//     host ==cp_cmd/evt== dispatch ==cu_cmd/evt== cu 0..C-1 ==ifetch, smem== sqc 0..G-1
//                            |                      |                          |
//                         ctl_cmd/evt               +------ mem_req/rsp -------+
//               (sqc, noc, l2, utcl2, rdma)                   |
//     other GPUs, host ==far_req/rsp== rdma ==mem_req/rsp==  noc  ==mem_req/rsp== l2 0..S-1 ==dram_req/rsp== store
//                                                             |
//                                                           utcl2
//
// Every link within it stands in rtl/gpu/links.yaml, from which the partitioned machine is connected as well;
// sw/tools/check/check_links.py holds this text against that table.
// Outside: the host's commands and events, far memory (port 0 the host, k + 1 GPU k; own number + 1 leads nowhere), what
// the DRAM holds, counters, observation.  Their links, far bandwidth too, belong to who is at the other end.
module gpu
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
  import cu_pkg::*;
  import dispatch_pkg::CtlUtcl2;
  import dispatch_pkg::CtlRdma;
  import dispatch_pkg::CtlNoc;
  import dispatch_pkg::CtlSqc;
(
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic        [            15:0] id_i,                        // {gpu, 0}
  input  logic        [            63:0] cycle_i,
  output logic                           idle_o,
  input  logic                           perf_en_i,
  input  logic        [             7:0] perf_part_i,                 // whose counter: numbers below; 255: nobody's
  input  logic        [             7:0] perf_addr_i,
  output logic        [            63:0] perf_data_o,
  output logic        [            63:0] issued_o,                    // wavefront instructions, and work-groups that
  output logic        [            63:0] ended_o,                     // ended or were killed; while nobody is asked
  // host
  input  logic                           cp_cmd_valid_i,
  input  cp_cmd_t                        cp_cmd_i,
  output logic                           cp_cmd_credit_o,
  output logic                           cp_evt_valid_o,
  output cp_evt_t                        cp_evt_o,
  // contents of DRAM
  output logic        [    L2Slices-1:0] dram_req_valid_o,
  output dram_req_t                      dram_req_o        [L2Slices],
  input  logic        [    L2Slices-1:0] dram_rsp_valid_i,
  input  dram_rsp_t                      dram_rsp_i        [L2Slices],
  // far memory
  output logic        [    FarPorts-1:0] far_req_valid_o,
  output mem_req_t                       far_req_o         [FarPorts],
  input  logic        [    FarPorts-1:0] far_req_credit_i,
  input  logic        [    FarPorts-1:0] far_rsp_valid_i,
  input  mem_rsp_t                       far_rsp_i         [FarPorts],
  output logic        [    FarPorts-1:0] far_rsp_credit_o,
  input  logic        [    FarPorts-1:0] far_req_valid_i,
  input  mem_req_t                       far_req_i         [FarPorts],
  output logic        [    FarPorts-1:0] far_req_credit_o,
  output logic        [    FarPorts-1:0] far_rsp_valid_o,
  output mem_rsp_t                       far_rsp_o         [FarPorts],
  input  logic        [    FarPorts-1:0] far_rsp_credit_i,
  // observation, as the partitions have it
  input  logic                           obs_en_i,
  output logic        [             5:0] obs_inst_valid_o  [ CuCount],
  output obs_inst_t                      obs_inst_o        [ CuCount][6],
  output logic        [             4:0] obs_sgpr_valid_o  [ CuCount],
  output obs_sgpr_t                      obs_sgpr_o        [ CuCount][5],
  output logic        [             3:0] obs_vgpr_valid_o  [ CuCount],
  output obs_vgpr_t                      obs_vgpr_o        [ CuCount][4],
  output logic        [             7:0] obs_done_valid_o  [ CuCount],
  output wave_tag_t                      obs_done_o        [ CuCount][8],
  output logic        [     CuCount-1:0] obs_lds_valid_o,
  output obs_lds_t                       obs_lds_o         [ CuCount],
  output logic        [     CuCount-1:0] obs_row_valid_o,
  output obs_row_t                       obs_row_o         [ CuCount],
  output logic        [    L2Slices-1:0] obs_order_valid_o,
  output l2_pkg::obs_order_t             obs_order_o       [L2Slices]
);
  // Partitions are numbered in this order (perf_part_i), crossbar ports and blocks as docs/contracts.md says.
  localparam int unsigned PartDispatch = 0, PartCu = 1, PartSqc = PartCu + CuCount, PartNoc = PartSqc + SqcCount;
  localparam int unsigned PartL2 = PartNoc + 1, PartUtcl2 = PartL2 + L2Slices, PartRdma = PartUtcl2 + 1;
  localparam int unsigned PartCount = PartRdma + 1;
  localparam int unsigned InSqc = CuCount, InUtcl2 = InSqc + SqcCount, InRdma = InUtcl2 + 1;
  localparam int unsigned OutUtcl2 = L2Slices, OutRdma = OutUtcl2 + 1;
  localparam int unsigned CtlL2 = CtlSqc + SqcCount, CtlCu = CtlL2 + L2Slices, CtlPorts = CtlCu + CuCount;
  localparam int unsigned EvtDepth = 8;  // as in part_dispatch
  localparam int unsigned Reports = 4;  // as in part_dispatch

  // ---- ends of the links at the partitions that talk to many; at the others they have the same names without prefix
  logic [CuCount-1:0] dispatch_cu_cmd_valid, dispatch_cu_evt_valid, dispatch_cu_evt_credit;
  cu_cmd_t dispatch_cu_cmd[CuCount];
  cu_evt_t dispatch_cu_evt[CuCount];
  logic [CtlPorts-1:0] dispatch_ctl_cmd_valid, dispatch_ctl_evt_valid;
  ctl_cmd_t dispatch_ctl_cmd[CtlPorts];
  ctl_evt_t dispatch_ctl_evt[CtlPorts];
  logic dispatch_xlat_evt_valid, dispatch_xlat_evt_credit;
  xlat_evt_t dispatch_xlat_evt;
  logic dispatch_move_evt_valid, dispatch_move_evt_credit;
  move_evt_t dispatch_move_evt;
  logic [NocInitiators-1:0] noc_in_req_valid, noc_in_req_credit, noc_in_rsp_valid;
  mem_req_t noc_in_req[NocInitiators];
  mem_rsp_t noc_in_rsp[NocInitiators];
  logic [NocTargets-1:0] noc_out_req_valid, noc_out_req_credit, noc_out_rsp_valid, noc_out_rsp_credit;
  mem_req_t noc_out_req[NocTargets];
  mem_rsp_t noc_out_rsp[NocTargets];
  logic [SqcCus-1:0] sqc_ifetch_req_valid[SqcCount], sqc_ifetch_rsp_valid[SqcCount];
  logic [SqcCus-1:0] sqc_smem_req_valid[SqcCount], sqc_smem_rsp_valid[SqcCount];
  ifetch_req_t sqc_ifetch_req[SqcCount][SqcCus];
  ifetch_rsp_t sqc_ifetch_rsp[SqcCount][SqcCus];
  smem_req_t sqc_smem_req[SqcCount][SqcCus];
  smem_rsp_t sqc_smem_rsp[SqcCount][SqcCus];

  logic [PartCount-1:0] part_idle, links_idle;  // links: at the partition that is not dispatch or noc
  logic [7:0] perf_addr[PartCount];
  logic [63:0] perf_data[PartCount];

  assign idle_o = part_idle == '1 && links_idle == '1;
  assign links_idle[PartDispatch] = 1'b1;

  // ---- dispatcher
  part_dispatch u_dispatch (
    .clk_i, .rst_ni, .id_i({id_i[15:8], 8'd0}), .cycle_i, .idle_o(part_idle[PartDispatch]),
    .perf_en_i, .perf_addr_i(perf_addr[PartDispatch]), .perf_data_o(perf_data[PartDispatch]),
    .cp_cmd_valid_i, .cp_cmd_i, .cp_cmd_credit_o, .cp_evt_valid_o, .cp_evt_o,
    .cu_cmd_valid_o(dispatch_cu_cmd_valid), .cu_cmd_o(dispatch_cu_cmd),
    .cu_evt_valid_i(dispatch_cu_evt_valid), .cu_evt_i(dispatch_cu_evt), .cu_evt_credit_o(dispatch_cu_evt_credit),
    .xlat_evt_valid_i(dispatch_xlat_evt_valid), .xlat_evt_i(dispatch_xlat_evt),
    .xlat_evt_credit_o(dispatch_xlat_evt_credit),
    .move_evt_valid_i(dispatch_move_evt_valid), .move_evt_i(dispatch_move_evt),
    .move_evt_credit_o(dispatch_move_evt_credit),
    .ctl_cmd_valid_o(dispatch_ctl_cmd_valid), .ctl_cmd_o(dispatch_ctl_cmd),
    .ctl_evt_valid_i(dispatch_ctl_evt_valid), .ctl_evt_i(dispatch_ctl_evt));

  // ---- compute units
  for (genvar n = 0; n < CuCount; n++) begin : gen_cu
    localparam int unsigned Group = n / SqcCus, Place = n % SqcCus;
    logic cu_cmd_valid, cu_evt_valid, cu_evt_credit, mem_req_valid, mem_req_credit, mem_rsp_valid;
    logic ifetch_req_valid, ifetch_rsp_valid, smem_req_valid, smem_rsp_valid, ctl_cmd_valid, ctl_evt_valid;
    cu_cmd_t cu_cmd;
    cu_evt_t cu_evt;
    ifetch_req_t ifetch_req;
    ifetch_rsp_t ifetch_rsp;
    smem_req_t smem_req;
    smem_rsp_t smem_rsp;
    mem_req_t mem_req;
    mem_rsp_t mem_rsp;
    ctl_cmd_t ctl_cmd;
    ctl_evt_t ctl_evt;
    logic [9:0] idle;
    assign links_idle[PartCu+n] = idle == '1;

    part_cu u_cu (
      .clk_i, .rst_ni, .id_i({id_i[15:8], 8'(n)}), .cycle_i, .idle_o(part_idle[PartCu+n]),
      .perf_en_i, .perf_addr_i(perf_addr[PartCu+n]), .perf_data_o(perf_data[PartCu+n]),
      .cu_cmd_valid_i(cu_cmd_valid), .cu_cmd_i(cu_cmd),
      .cu_evt_valid_o(cu_evt_valid), .cu_evt_o(cu_evt), .cu_evt_credit_i(cu_evt_credit),
      .ifetch_req_valid_o(ifetch_req_valid), .ifetch_req_o(ifetch_req),
      .ifetch_rsp_valid_i(ifetch_rsp_valid), .ifetch_rsp_i(ifetch_rsp),
      .smem_req_valid_o(smem_req_valid), .smem_req_o(smem_req),
      .smem_rsp_valid_i(smem_rsp_valid), .smem_rsp_i(smem_rsp),
      .mem_req_valid_o(mem_req_valid), .mem_req_o(mem_req), .mem_req_credit_i(mem_req_credit),
      .mem_rsp_valid_i(mem_rsp_valid), .mem_rsp_i(mem_rsp),
      .ctl_cmd_valid_i(ctl_cmd_valid), .ctl_cmd_i(ctl_cmd), .ctl_evt_valid_o(ctl_evt_valid), .ctl_evt_o(ctl_evt),
      .obs_en_i, .obs_inst_valid_o(obs_inst_valid_o[n]), .obs_inst_o(obs_inst_o[n]),
      .obs_sgpr_valid_o(obs_sgpr_valid_o[n]), .obs_sgpr_o(obs_sgpr_o[n]),
      .obs_vgpr_valid_o(obs_vgpr_valid_o[n]), .obs_vgpr_o(obs_vgpr_o[n]),
      .obs_done_valid_o(obs_done_valid_o[n]), .obs_done_o(obs_done_o[n]),
      .obs_lds_valid_o(obs_lds_valid_o[n]), .obs_lds_o(obs_lds_o[n]),
      .obs_row_valid_o(obs_row_valid_o[n]), .obs_row_o(obs_row_o[n]));

    gpu_link #(.Msg(cu_cmd_t), .Latency(LinkDispatch)) u_cu_cmd (
      .clk_i, .rst_ni, .idle_o(idle[0]), .valid_i(dispatch_cu_cmd_valid[n]), .msg_i(dispatch_cu_cmd[n]),
      .valid_o(cu_cmd_valid), .msg_o(cu_cmd));
    gpu_link_credited #(.Msg(cu_evt_t), .Latency(LinkDispatch), .Depth(EvtDepth)) u_cu_evt (
      .clk_i, .rst_ni, .idle_o(idle[1]), .valid_i(cu_evt_valid), .msg_i(cu_evt), .credit_o(cu_evt_credit),
      .valid_o(dispatch_cu_evt_valid[n]), .msg_o(dispatch_cu_evt[n]), .credit_i(dispatch_cu_evt_credit[n]));
    gpu_link #(.Msg(ifetch_req_t), .Latency(LinkCuSqc)) u_ifetch_req (
      .clk_i, .rst_ni, .idle_o(idle[2]), .valid_i(ifetch_req_valid), .msg_i(ifetch_req),
      .valid_o(sqc_ifetch_req_valid[Group][Place]), .msg_o(sqc_ifetch_req[Group][Place]));
    gpu_link #(.Msg(ifetch_rsp_t), .Latency(LinkCuSqc)) u_ifetch_rsp (
      .clk_i, .rst_ni, .idle_o(idle[3]),
      .valid_i(sqc_ifetch_rsp_valid[Group][Place]), .msg_i(sqc_ifetch_rsp[Group][Place]),
      .valid_o(ifetch_rsp_valid), .msg_o(ifetch_rsp));
    gpu_link #(.Msg(smem_req_t), .Latency(LinkCuSqc)) u_smem_req (
      .clk_i, .rst_ni, .idle_o(idle[4]), .valid_i(smem_req_valid), .msg_i(smem_req),
      .valid_o(sqc_smem_req_valid[Group][Place]), .msg_o(sqc_smem_req[Group][Place]));
    gpu_link #(.Msg(smem_rsp_t), .Latency(LinkCuSqc)) u_smem_rsp (
      .clk_i, .rst_ni, .idle_o(idle[5]),
      .valid_i(sqc_smem_rsp_valid[Group][Place]), .msg_i(sqc_smem_rsp[Group][Place]),
      .valid_o(smem_rsp_valid), .msg_o(smem_rsp));
    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkCuNoc), .Depth(NocQueue)) u_mem_req (
      .clk_i, .rst_ni, .idle_o(idle[6]), .valid_i(mem_req_valid), .msg_i(mem_req), .credit_o(mem_req_credit),
      .valid_o(noc_in_req_valid[n]), .msg_o(noc_in_req[n]), .credit_i(noc_in_req_credit[n]));
    gpu_link #(.Msg(mem_rsp_t), .Latency(LinkCuNoc)) u_mem_rsp (
      .clk_i, .rst_ni, .idle_o(idle[7]), .valid_i(noc_in_rsp_valid[n]), .msg_i(noc_in_rsp[n]),
      .valid_o(mem_rsp_valid), .msg_o(mem_rsp));
    gpu_link #(.Msg(ctl_cmd_t), .Latency(LinkDispatch)) u_ctl_cmd (
      .clk_i, .rst_ni, .idle_o(idle[8]), .valid_i(dispatch_ctl_cmd_valid[CtlCu+n]),
      .msg_i(dispatch_ctl_cmd[CtlCu+n]), .valid_o(ctl_cmd_valid), .msg_o(ctl_cmd));
    gpu_link #(.Msg(ctl_evt_t), .Latency(LinkDispatch)) u_ctl_evt (
      .clk_i, .rst_ni, .idle_o(idle[9]), .valid_i(ctl_evt_valid), .msg_i(ctl_evt),
      .valid_o(dispatch_ctl_evt_valid[CtlCu+n]), .msg_o(dispatch_ctl_evt[CtlCu+n]));
  end

  // ---- instruction and scalar caches, one for SqcCus compute units; the last may have fewer
  for (genvar n = CuCount; n < SqcCount * SqcCus; n++) begin : gen_no_cu
    assign sqc_ifetch_req_valid[n/SqcCus][n%SqcCus] = 1'b0;
    assign sqc_ifetch_req[n/SqcCus][n%SqcCus] = '0;
    assign sqc_smem_req_valid[n/SqcCus][n%SqcCus] = 1'b0;
    assign sqc_smem_req[n/SqcCus][n%SqcCus] = '0;
  end
  for (genvar n = 0; n < SqcCount; n++) begin : gen_sqc
    logic mem_req_valid, mem_req_credit, mem_rsp_valid, ctl_cmd_valid, ctl_evt_valid;
    mem_req_t mem_req;
    mem_rsp_t mem_rsp;
    ctl_cmd_t ctl_cmd;
    ctl_evt_t ctl_evt;
    logic [3:0] idle;
    assign links_idle[PartSqc+n] = idle == '1;

    part_sqc u_sqc (
      .clk_i, .rst_ni, .id_i({id_i[15:8], 8'(n)}), .cycle_i, .idle_o(part_idle[PartSqc+n]),
      .perf_en_i, .perf_addr_i(perf_addr[PartSqc+n]), .perf_data_o(perf_data[PartSqc+n]),
      .ifetch_req_valid_i(sqc_ifetch_req_valid[n]), .ifetch_req_i(sqc_ifetch_req[n]),
      .ifetch_rsp_valid_o(sqc_ifetch_rsp_valid[n]), .ifetch_rsp_o(sqc_ifetch_rsp[n]),
      .smem_req_valid_i(sqc_smem_req_valid[n]), .smem_req_i(sqc_smem_req[n]),
      .smem_rsp_valid_o(sqc_smem_rsp_valid[n]), .smem_rsp_o(sqc_smem_rsp[n]),
      .mem_req_valid_o(mem_req_valid), .mem_req_o(mem_req), .mem_req_credit_i(mem_req_credit),
      .mem_rsp_valid_i(mem_rsp_valid), .mem_rsp_i(mem_rsp),
      .ctl_cmd_valid_i(ctl_cmd_valid), .ctl_cmd_i(ctl_cmd), .ctl_evt_valid_o(ctl_evt_valid), .ctl_evt_o(ctl_evt));

    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkSqcNoc), .Depth(NocQueue)) u_mem_req (
      .clk_i, .rst_ni, .idle_o(idle[0]), .valid_i(mem_req_valid), .msg_i(mem_req), .credit_o(mem_req_credit),
      .valid_o(noc_in_req_valid[InSqc+n]), .msg_o(noc_in_req[InSqc+n]), .credit_i(noc_in_req_credit[InSqc+n]));
    gpu_link #(.Msg(mem_rsp_t), .Latency(LinkSqcNoc)) u_mem_rsp (
      .clk_i, .rst_ni, .idle_o(idle[1]), .valid_i(noc_in_rsp_valid[InSqc+n]), .msg_i(noc_in_rsp[InSqc+n]),
      .valid_o(mem_rsp_valid), .msg_o(mem_rsp));
    gpu_link #(.Msg(ctl_cmd_t), .Latency(LinkDispatch)) u_ctl_cmd (
      .clk_i, .rst_ni, .idle_o(idle[2]), .valid_i(dispatch_ctl_cmd_valid[CtlSqc+n]),
      .msg_i(dispatch_ctl_cmd[CtlSqc+n]), .valid_o(ctl_cmd_valid), .msg_o(ctl_cmd));
    gpu_link #(.Msg(ctl_evt_t), .Latency(LinkDispatch)) u_ctl_evt (
      .clk_i, .rst_ni, .idle_o(idle[3]), .valid_i(ctl_evt_valid), .msg_i(ctl_evt),
      .valid_o(dispatch_ctl_evt_valid[CtlSqc+n]), .msg_o(dispatch_ctl_evt[CtlSqc+n]));
  end

  // ---- crossbar
  logic noc_ctl_cmd_valid, noc_ctl_evt_valid;
  ctl_cmd_t noc_ctl_cmd;
  ctl_evt_t noc_ctl_evt;
  logic [1:0] noc_links_idle;
  assign links_idle[PartNoc] = noc_links_idle == '1;
  part_noc u_noc (
    .clk_i, .rst_ni, .id_i({id_i[15:8], 8'd0}), .cycle_i, .idle_o(part_idle[PartNoc]),
    .perf_en_i, .perf_addr_i(perf_addr[PartNoc]), .perf_data_o(perf_data[PartNoc]),
    .mem_req_valid_i(noc_in_req_valid), .mem_req_i(noc_in_req), .mem_req_credit_o(noc_in_req_credit),
    .mem_rsp_valid_o(noc_in_rsp_valid), .mem_rsp_o(noc_in_rsp),
    .mem_req_valid_o(noc_out_req_valid), .mem_req_o(noc_out_req), .mem_req_credit_i(noc_out_req_credit),
    .mem_rsp_valid_i(noc_out_rsp_valid), .mem_rsp_i(noc_out_rsp), .mem_rsp_credit_o(noc_out_rsp_credit),
    .ctl_cmd_valid_i(noc_ctl_cmd_valid), .ctl_cmd_i(noc_ctl_cmd), .ctl_evt_valid_o(noc_ctl_evt_valid),
    .ctl_evt_o(noc_ctl_evt));
  gpu_link #(.Msg(ctl_cmd_t), .Latency(LinkDispatch)) u_noc_ctl_cmd (
    .clk_i, .rst_ni, .idle_o(noc_links_idle[0]), .valid_i(dispatch_ctl_cmd_valid[CtlNoc]),
    .msg_i(dispatch_ctl_cmd[CtlNoc]),
    .valid_o(noc_ctl_cmd_valid), .msg_o(noc_ctl_cmd));
  gpu_link #(.Msg(ctl_evt_t), .Latency(LinkDispatch)) u_noc_ctl_evt (
    .clk_i, .rst_ni, .idle_o(noc_links_idle[1]), .valid_i(noc_ctl_evt_valid), .msg_i(noc_ctl_evt),
    .valid_o(dispatch_ctl_evt_valid[CtlNoc]), .msg_o(dispatch_ctl_evt[CtlNoc]));

  // ---- L2 slices with their DRAM channels
  for (genvar n = 0; n < L2Slices; n++) begin : gen_l2
    logic mem_req_valid, mem_req_credit, mem_rsp_valid, mem_rsp_credit, ctl_cmd_valid, ctl_evt_valid;
    mem_req_t mem_req;
    mem_rsp_t mem_rsp;
    ctl_cmd_t ctl_cmd;
    ctl_evt_t ctl_evt;
    logic [3:0] idle;
    assign links_idle[PartL2+n] = idle == '1;

    part_l2 u_l2 (
      .clk_i, .rst_ni, .id_i({id_i[15:8], 8'(n)}), .cycle_i, .idle_o(part_idle[PartL2+n]),
      .perf_en_i, .perf_addr_i(perf_addr[PartL2+n]), .perf_data_o(perf_data[PartL2+n]),
      .obs_en_i, .obs_order_valid_o(obs_order_valid_o[n]), .obs_order_o(obs_order_o[n]),
      .mem_req_valid_i(mem_req_valid), .mem_req_i(mem_req), .mem_req_credit_o(mem_req_credit),
      .mem_rsp_valid_o(mem_rsp_valid), .mem_rsp_o(mem_rsp), .mem_rsp_credit_i(mem_rsp_credit),
      .dram_req_valid_o(dram_req_valid_o[n]), .dram_req_o(dram_req_o[n]),
      .dram_rsp_valid_i(dram_rsp_valid_i[n]), .dram_rsp_i(dram_rsp_i[n]),
      .ctl_cmd_valid_i(ctl_cmd_valid), .ctl_cmd_i(ctl_cmd), .ctl_evt_valid_o(ctl_evt_valid), .ctl_evt_o(ctl_evt));

    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkNocL2), .Depth(NocTargetQueue)) u_mem_req (
      .clk_i, .rst_ni, .idle_o(idle[0]),
      .valid_i(noc_out_req_valid[n]), .msg_i(noc_out_req[n]), .credit_o(noc_out_req_credit[n]),
      .valid_o(mem_req_valid), .msg_o(mem_req), .credit_i(mem_req_credit));
    gpu_link_credited #(.Msg(mem_rsp_t), .Latency(LinkNocL2), .Depth(NocTargetQueue)) u_mem_rsp (
      .clk_i, .rst_ni, .idle_o(idle[1]), .valid_i(mem_rsp_valid), .msg_i(mem_rsp), .credit_o(mem_rsp_credit),
      .valid_o(noc_out_rsp_valid[n]), .msg_o(noc_out_rsp[n]), .credit_i(noc_out_rsp_credit[n]));
    gpu_link #(.Msg(ctl_cmd_t), .Latency(LinkDispatch)) u_ctl_cmd (
      .clk_i, .rst_ni, .idle_o(idle[2]), .valid_i(dispatch_ctl_cmd_valid[CtlL2+n]),
      .msg_i(dispatch_ctl_cmd[CtlL2+n]), .valid_o(ctl_cmd_valid), .msg_o(ctl_cmd));
    gpu_link #(.Msg(ctl_evt_t), .Latency(LinkDispatch)) u_ctl_evt (
      .clk_i, .rst_ni, .idle_o(idle[3]), .valid_i(ctl_evt_valid), .msg_i(ctl_evt),
      .valid_o(dispatch_ctl_evt_valid[CtlL2+n]), .msg_o(dispatch_ctl_evt[CtlL2+n]));
  end

  // ---- L2 TLB and page walker: a target for translations, an initiator for walks
  if (1) begin : gen_utcl2
    logic mem_req_valid, mem_req_credit, mem_rsp_valid, mem_rsp_credit, ctl_cmd_valid, ctl_evt_valid;
    logic xlat_evt_valid, xlat_evt_credit;
    xlat_evt_t xlat_evt;
    logic walk_req_valid, walk_req_credit, walk_rsp_valid;
    mem_req_t mem_req, walk_req;
    mem_rsp_t mem_rsp, walk_rsp;
    ctl_cmd_t ctl_cmd;
    ctl_evt_t ctl_evt;
    logic [6:0] idle;
    assign links_idle[PartUtcl2] = idle == '1;

    part_utcl2 u_utcl2 (
      .clk_i, .rst_ni, .id_i({id_i[15:8], 8'd0}), .idle_o(part_idle[PartUtcl2]),
      .perf_en_i, .perf_addr_i(perf_addr[PartUtcl2]), .perf_data_o(perf_data[PartUtcl2]),
      .mem_req_valid_i(mem_req_valid), .mem_req_i(mem_req), .mem_req_credit_o(mem_req_credit),
      .mem_rsp_valid_o(mem_rsp_valid), .mem_rsp_o(mem_rsp), .mem_rsp_credit_i(mem_rsp_credit),
      .mem_req_valid_o(walk_req_valid), .mem_req_o(walk_req), .mem_req_credit_i(walk_req_credit),
      .mem_rsp_valid_i(walk_rsp_valid), .mem_rsp_i(walk_rsp),
      .xlat_evt_valid_o(xlat_evt_valid), .xlat_evt_o(xlat_evt), .xlat_evt_credit_i(xlat_evt_credit),
      .ctl_cmd_valid_i(ctl_cmd_valid), .ctl_cmd_i(ctl_cmd), .ctl_evt_valid_o(ctl_evt_valid), .ctl_evt_o(ctl_evt));

    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkNocL2), .Depth(NocTargetQueue)) u_mem_req (
      .clk_i, .rst_ni, .idle_o(idle[0]),
      .valid_i(noc_out_req_valid[OutUtcl2]), .msg_i(noc_out_req[OutUtcl2]), .credit_o(noc_out_req_credit[OutUtcl2]),
      .valid_o(mem_req_valid), .msg_o(mem_req), .credit_i(mem_req_credit));
    gpu_link_credited #(.Msg(mem_rsp_t), .Latency(LinkNocL2), .Depth(NocTargetQueue)) u_mem_rsp (
      .clk_i, .rst_ni, .idle_o(idle[1]), .valid_i(mem_rsp_valid), .msg_i(mem_rsp), .credit_o(mem_rsp_credit),
      .valid_o(noc_out_rsp_valid[OutUtcl2]), .msg_o(noc_out_rsp[OutUtcl2]), .credit_i(noc_out_rsp_credit[OutUtcl2]));
    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkCuNoc), .Depth(NocQueue)) u_walk_req (
      .clk_i, .rst_ni, .idle_o(idle[2]), .valid_i(walk_req_valid), .msg_i(walk_req), .credit_o(walk_req_credit),
      .valid_o(noc_in_req_valid[InUtcl2]), .msg_o(noc_in_req[InUtcl2]), .credit_i(noc_in_req_credit[InUtcl2]));
    gpu_link #(.Msg(mem_rsp_t), .Latency(LinkCuNoc)) u_walk_rsp (
      .clk_i, .rst_ni, .idle_o(idle[3]), .valid_i(noc_in_rsp_valid[InUtcl2]), .msg_i(noc_in_rsp[InUtcl2]),
      .valid_o(walk_rsp_valid), .msg_o(walk_rsp));
    gpu_link #(.Msg(ctl_cmd_t), .Latency(LinkDispatch)) u_ctl_cmd (
      .clk_i, .rst_ni, .idle_o(idle[4]), .valid_i(dispatch_ctl_cmd_valid[CtlUtcl2]), .msg_i(dispatch_ctl_cmd[CtlUtcl2]),
      .valid_o(ctl_cmd_valid), .msg_o(ctl_cmd));
    gpu_link #(.Msg(ctl_evt_t), .Latency(LinkDispatch)) u_ctl_evt (
      .clk_i, .rst_ni, .idle_o(idle[5]), .valid_i(ctl_evt_valid), .msg_i(ctl_evt),
      .valid_o(dispatch_ctl_evt_valid[CtlUtcl2]), .msg_o(dispatch_ctl_evt[CtlUtcl2]));
    gpu_link_credited #(.Msg(xlat_evt_t), .Latency(LinkDispatch), .Depth(Reports)) u_xlat_evt (
      .clk_i, .rst_ni, .idle_o(idle[6]), .valid_i(xlat_evt_valid), .msg_i(xlat_evt), .credit_o(xlat_evt_credit),
      .valid_o(dispatch_xlat_evt_valid), .msg_o(dispatch_xlat_evt), .credit_i(dispatch_xlat_evt_credit));
  end

  // ---- RDMA engine: a target for requests that leave the GPU, an initiator for those that come in
  if (1) begin : gen_rdma
    logic mem_req_valid, mem_req_credit, mem_rsp_valid, mem_rsp_credit, ctl_cmd_valid, ctl_evt_valid;
    logic inbound_req_valid, inbound_req_credit, inbound_rsp_valid;
    mem_req_t mem_req, inbound_req;
    mem_rsp_t mem_rsp, inbound_rsp;
    ctl_cmd_t ctl_cmd;
    ctl_evt_t ctl_evt;
    logic move_evt_valid, move_evt_credit;
    move_evt_t move_evt;
    logic [6:0] idle;
    assign links_idle[PartRdma] = idle == '1;

    part_rdma u_rdma (
      .clk_i, .rst_ni, .cycle_i, .id_i({id_i[15:8], 8'd0}), .idle_o(part_idle[PartRdma]),
      .perf_en_i, .perf_addr_i(perf_addr[PartRdma]), .perf_data_o(perf_data[PartRdma]),
      .mem_req_valid_i(mem_req_valid), .mem_req_i(mem_req), .mem_req_credit_o(mem_req_credit),
      .mem_rsp_valid_o(mem_rsp_valid), .mem_rsp_o(mem_rsp), .mem_rsp_credit_i(mem_rsp_credit),
      .mem_req_valid_o(inbound_req_valid), .mem_req_o(inbound_req), .mem_req_credit_i(inbound_req_credit),
      .mem_rsp_valid_i(inbound_rsp_valid), .mem_rsp_i(inbound_rsp),
      .far_req_valid_o, .far_req_o, .far_req_credit_i, .far_rsp_valid_i, .far_rsp_i, .far_rsp_credit_o,
      .far_req_valid_i, .far_req_i, .far_req_credit_o, .far_rsp_valid_o, .far_rsp_o, .far_rsp_credit_i,
      .move_evt_valid_o(move_evt_valid), .move_evt_o(move_evt), .move_evt_credit_i(move_evt_credit),
      .ctl_cmd_valid_i(ctl_cmd_valid), .ctl_cmd_i(ctl_cmd), .ctl_evt_valid_o(ctl_evt_valid), .ctl_evt_o(ctl_evt));

    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkNocL2), .Depth(NocTargetQueue)) u_mem_req (
      .clk_i, .rst_ni, .idle_o(idle[0]),
      .valid_i(noc_out_req_valid[OutRdma]), .msg_i(noc_out_req[OutRdma]), .credit_o(noc_out_req_credit[OutRdma]),
      .valid_o(mem_req_valid), .msg_o(mem_req), .credit_i(mem_req_credit));
    gpu_link_credited #(.Msg(mem_rsp_t), .Latency(LinkNocL2), .Depth(NocTargetQueue)) u_mem_rsp (
      .clk_i, .rst_ni, .idle_o(idle[1]), .valid_i(mem_rsp_valid), .msg_i(mem_rsp), .credit_o(mem_rsp_credit),
      .valid_o(noc_out_rsp_valid[OutRdma]), .msg_o(noc_out_rsp[OutRdma]), .credit_i(noc_out_rsp_credit[OutRdma]));
    gpu_link_credited #(.Msg(mem_req_t), .Latency(LinkCuNoc), .Depth(NocQueue)) u_inbound_req (
      .clk_i, .rst_ni, .idle_o(idle[2]),
      .valid_i(inbound_req_valid), .msg_i(inbound_req), .credit_o(inbound_req_credit),
      .valid_o(noc_in_req_valid[InRdma]), .msg_o(noc_in_req[InRdma]), .credit_i(noc_in_req_credit[InRdma]));
    gpu_link #(.Msg(mem_rsp_t), .Latency(LinkCuNoc)) u_inbound_rsp (
      .clk_i, .rst_ni, .idle_o(idle[3]), .valid_i(noc_in_rsp_valid[InRdma]), .msg_i(noc_in_rsp[InRdma]),
      .valid_o(inbound_rsp_valid), .msg_o(inbound_rsp));
    gpu_link #(.Msg(ctl_cmd_t), .Latency(LinkDispatch)) u_ctl_cmd (
      .clk_i, .rst_ni, .idle_o(idle[4]), .valid_i(dispatch_ctl_cmd_valid[CtlRdma]), .msg_i(dispatch_ctl_cmd[CtlRdma]),
      .valid_o(ctl_cmd_valid), .msg_o(ctl_cmd));
    gpu_link #(.Msg(ctl_evt_t), .Latency(LinkDispatch)) u_ctl_evt (
      .clk_i, .rst_ni, .idle_o(idle[5]), .valid_i(ctl_evt_valid), .msg_i(ctl_evt),
      .valid_o(dispatch_ctl_evt_valid[CtlRdma]), .msg_o(dispatch_ctl_evt[CtlRdma]));
    gpu_link_credited #(.Msg(move_evt_t), .Latency(LinkDispatch), .Depth(Reports)) u_move_evt (
      .clk_i, .rst_ni, .idle_o(idle[6]), .valid_i(move_evt_valid), .msg_i(move_evt), .credit_o(move_evt_credit),
      .valid_o(dispatch_move_evt_valid), .msg_o(dispatch_move_evt), .credit_i(dispatch_move_evt_credit));
  end

  // ---- counters: a partition that is not asked has the address at which it shows its progress
  for (genvar n = 0; n < PartCount; n++) begin : gen_perf
    assign perf_addr[n] = perf_part_i == 8'(n) ? perf_addr_i : 8'd255;
  end
  always_comb begin
    perf_data_o = '0;
    for (int unsigned n = 0; n < PartCount; n++) begin
      if (perf_part_i == 8'(n)) perf_data_o = perf_data[n];
    end
    issued_o = '0;
    for (int unsigned n = 0; n < CuCount; n++) issued_o += perf_data[PartCu+n];
  end
  assign ended_o = perf_data[PartDispatch];

  logic unused;
  assign unused = ^id_i[7:0];
endmodule
