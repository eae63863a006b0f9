// SPDX-License-Identifier: Apache-2.0
// Far memory of one GPU. Outbound: requests of this GPU whose physical owner is the host or another GPU leave on the
// far port of that owner (port 0 host, port k+1 GPU k = address bits 55:48) and their answers return to the crossbar.
// Inbound: requests of other owners are served by this GPU's L2 slices.
// Not responsible for: timing of links (the bridge), translation (requests carry physical addresses).
// Each of the four directions moves at most one message a cycle; see docs/reference/rdma.md.
`include "gantry_assert.svh"

module rdma
  import gantry_msg_pkg::*;
#(
  parameter int unsigned FarPorts = 2,
  parameter int unsigned NumSlices = 4,    // power of two
  parameter int unsigned Outstanding = 64, // inbound requests under way, power of two, 2..64
  parameter int unsigned Depth = 16,       // credits of every far channel end
  parameter int unsigned NocDepth = 16,    // credits of its requests to the crossbar
  parameter int unsigned TargetDepth = 16, // queue of requests from the crossbar, credits of its answers
  parameter bit SeedBug = 1'b0             // bench only: the tag of inbound answers is not restored
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic     [         7:0] own_gpu_i,
  output logic                    idle_o,
  // crossbar, as target
  input  logic                    mem_req_valid_i,
  input  mem_req_t                mem_req_i,
  output logic                    mem_req_credit_o,
  output logic                    mem_rsp_valid_o,
  output mem_rsp_t                mem_rsp_o,
  input  logic                    mem_rsp_credit_i,
  // crossbar, as initiator
  output logic                    mem_req_valid_o,
  output mem_req_t                mem_req_o,
  input  logic                    mem_req_credit_i,
  input  logic                    mem_rsp_valid_i,
  input  mem_rsp_t                mem_rsp_i,
  // far ports
  output logic     [FarPorts-1:0] far_req_valid_o,
  output mem_req_t                far_req_o [FarPorts],
  input  logic     [FarPorts-1:0] far_req_credit_i,
  input  logic     [FarPorts-1:0] far_rsp_valid_i,
  input  mem_rsp_t                far_rsp_i [FarPorts],
  output logic     [FarPorts-1:0] far_rsp_credit_o,
  input  logic     [FarPorts-1:0] far_req_valid_i,
  input  mem_req_t                far_req_i [FarPorts],
  output logic     [FarPorts-1:0] far_req_credit_o,
  output logic     [FarPorts-1:0] far_rsp_valid_o,
  output mem_rsp_t                far_rsp_o [FarPorts],
  input  logic     [FarPorts-1:0] far_rsp_credit_i,
  // one pulse an event: {inbound write, inbound read, outbound GPU, outbound host}
  output logic     [         3:0] count_o
);
  localparam int unsigned Pw = FarPorts > 1 ? $clog2(FarPorts) : 1;
  localparam int unsigned Ow = $clog2(Outstanding);
  typedef logic [Pw-1:0] port_t;
  typedef logic [Ow-1:0] entry_t;
  typedef struct packed {
    port_t       link;
    logic [7:0]  source;
    logic [7:0]  gpu;
    logic [31:0] tag;
  } origin_t;

  // ---- outbound requests: crossbar -> far port of the owner
  logic out_valid, out_take, out_go;
  /* verilator lint_off UNUSEDSIGNAL */
  logic out_room, done_room;  // only assertions read which queue has room: credits see to it
  logic [FarPorts-1:0] back_room, in_room;
  /* verilator lint_on UNUSEDSIGNAL */
  logic lost, lost_go, mem_rsp_room;  // nobody owns the address: answered here, before answers of far ports
  mem_req_t out_head;
  stream_fifo #(.Width(MemReqBits), .Depth(TargetDepth)) u_out (
    .clk_i, .rst_ni, .valid_i(mem_req_valid_i), .ready_o(out_room), .data_i(mem_req_i),
    .valid_o(out_valid), .ready_i(out_take), .data_o(out_head), .count_o());
  port_t out_port;
  logic [FarPorts-1:0] far_req_room, far_rsp_room;
  assign out_port = port_t'(out_head.addr[55:48]);
  assign lost     = out_valid && 32'(out_head.addr[55:48]) >= FarPorts;
  assign lost_go  = lost && mem_rsp_room;
  assign out_go   = out_valid && !lost && far_req_room[out_port];
  assign out_take = out_go || lost_go;

  // ---- far answers -> crossbar
  logic [FarPorts-1:0] back_valid, back_take, in_valid, in_take;
  mem_rsp_t back_head[FarPorts];
  mem_req_t in_head  [FarPorts];
  port_t back_pick, in_pick;
  logic mem_req_room, back_any, in_any, back_go, in_go;
  rr_arbiter #(.N(FarPorts)) u_back_turn (
    .clk_i, .rst_ni, .request_i(back_valid), .take_i(back_go), .valid_o(back_any), .grant_o(back_pick));
  assign back_go   = back_any && mem_rsp_room && !lost;
  assign back_take = back_go ? FarPorts'(1) << back_pick : '0;

  // ---- inbound requests -> own slices; `origin` remembers who asked
  origin_t origin[Outstanding];
  logic [Outstanding-1:0] busy_q;
  entry_t in_entry;
  assign in_entry = entry_t'(pick_pkg::first64(64'(~busy_q)));
  rr_arbiter #(.N(FarPorts)) u_in_turn (
    .clk_i, .rst_ni, .request_i(in_valid), .take_i(in_go), .valid_o(in_any), .grant_o(in_pick));
  assign in_go    = in_any && mem_req_room && busy_q != '1;
  assign in_take  = in_go ? FarPorts'(1) << in_pick : '0;

  // ---- answers of own slices wait for their link; an entry stays busy until its answer has left
  logic done_valid, done_take;
  mem_rsp_t done_head;
  origin_t done_origin;
  stream_fifo #(.Width(MemRspBits), .Depth(Outstanding)) u_done (
    .clk_i, .rst_ni, .valid_i(mem_rsp_valid_i), .ready_o(done_room), .data_i(mem_rsp_i),
    .valid_o(done_valid), .ready_i(done_take), .data_o(done_head), .count_o());
  assign done_origin = origin[entry_t'(done_head.tag)];
  assign done_take   = done_valid && far_rsp_room[done_origin.link];

  for (genvar p = 0; p < int'(FarPorts); p++) begin : gen_port
    stream_fifo #(.Width(MemRspBits), .Depth(Depth)) u_back (
      .clk_i, .rst_ni, .valid_i(far_rsp_valid_i[p]), .ready_o(back_room[p]), .data_i(far_rsp_i[p]),
      .valid_o(back_valid[p]), .ready_i(back_take[p]), .data_o(back_head[p]), .count_o());
    stream_fifo #(.Width(MemReqBits), .Depth(Depth)) u_in (
      .clk_i, .rst_ni, .valid_i(far_req_valid_i[p]), .ready_o(in_room[p]), .data_i(far_req_i[p]),
      .valid_o(in_valid[p]), .ready_i(in_take[p]), .data_o(in_head[p]), .count_o());
    credit_counter #(.Depth(Depth)) u_req_credit (
      .clk_i, .rst_ni, .spend_i(out_go && out_port == port_t'(p)), .credit_i(far_req_credit_i[p]),
      .available_o(far_req_room[p]), .count_o());
    credit_counter #(.Depth(Depth)) u_rsp_credit (
      .clk_i, .rst_ni, .spend_i(done_take && done_origin.link == port_t'(p)),
      .credit_i(far_rsp_credit_i[p]), .available_o(far_rsp_room[p]), .count_o());
  end
  credit_counter #(.Depth(TargetDepth)) u_mem_rsp_credit (
    .clk_i, .rst_ni, .spend_i(back_go || lost_go), .credit_i(mem_rsp_credit_i), .available_o(mem_rsp_room),
    .count_o());
  credit_counter #(.Depth(NocDepth)) u_mem_req_credit (
    .clk_i, .rst_ni, .spend_i(in_go), .credit_i(mem_req_credit_i), .available_o(mem_req_room), .count_o());

  function automatic logic [7:0] slice_of(input logic [63:0] addr);
    return 8'(addr >> 8) & 8'(NumSlices - 1);
  endfunction

  function automatic mem_req_t leave(input mem_req_t r, input logic [7:0] gpu);
    r.gpu = gpu;
    return r;
  endfunction
  function automatic mem_req_t enter(input mem_req_t r, input logic [31:0] tag);
    r.target = slice_of(r.addr);
    r.tag    = tag;
    return r;
  endfunction
  function automatic mem_rsp_t answer(input mem_rsp_t r, input logic [7:0] source, input logic [7:0] gpu,
                                              input logic [31:0] tag);
    r.source = source;
    r.gpu    = gpu;
    r.tag    = SeedBug ? r.tag : tag;
    return r;
  endfunction

  always_ff @(posedge clk_i) begin
    mem_req_credit_o <= out_take;
    mem_rsp_valid_o  <= back_go || lost_go;
    mem_req_valid_o  <= in_go;
    far_req_valid_o  <= out_go ? FarPorts'(1) << out_port : '0;
    far_rsp_valid_o  <= done_take ? FarPorts'(1) << done_origin.link : '0;
    far_rsp_credit_o <= back_take;
    far_req_credit_o <= in_take;
    count_o          <= {in_go && in_head[in_pick].op > MEM_READ_NC, in_go && in_head[in_pick].op <= MEM_READ_NC,
                         out_go && out_port != '0, out_go && out_port == '0};
    if (out_go) begin
      far_req_o[out_port] <= leave(out_head, own_gpu_i);
    end
    if (back_go) begin
      mem_rsp_o <= back_head[back_pick];
    end
    if (lost_go) begin
      mem_rsp_o <= '{op: out_head.op, status: MEM_FAULT_BUS, source: out_head.source, gpu: own_gpu_i, tag: out_head.tag,
                     data: '0};
    end
    if (in_go) begin
      mem_req_o        <= enter(in_head[in_pick], 32'(in_entry));
      origin[in_entry] <= '{link: in_pick, source: in_head[in_pick].source, gpu: in_head[in_pick].gpu,
                            tag: in_head[in_pick].tag};
    end
    if (done_take) begin
      far_rsp_o[done_origin.link] <= answer(done_head, done_origin.source, done_origin.gpu, done_origin.tag);
    end
    if (in_go || done_take) begin
      busy_q <= (busy_q | (in_go ? Outstanding'(1) << in_entry : '0))
                & ~(done_take ? Outstanding'(1) << entry_t'(done_head.tag) : '0);
    end
    if (!rst_ni) begin
      {mem_req_credit_o, mem_rsp_valid_o, mem_req_valid_o} <= '0;
      {far_req_valid_o, far_rsp_valid_o, far_rsp_credit_o, far_req_credit_o} <= '0;
      busy_q  <= '0;
      count_o <= '0;
    end
  end

  // idle: nothing to move now, and no output pulse stands that the next edge would clear
  assign idle_o = !out_take && !back_go && !in_go && !done_take
      && {mem_req_credit_o, mem_rsp_valid_o, mem_req_valid_o, far_req_valid_o, far_rsp_valid_o, far_rsp_credit_o,
          far_req_credit_o, count_o} == '0;

  // ---- assertions
  `GANTRY_ASSERT(a_not_own, `GANTRY_IMPL(out_valid, out_head.addr[55:48] != own_gpu_i + 8'd1))
  `GANTRY_ASSERT(a_entry, `GANTRY_IMPL(done_valid, busy_q[entry_t'(done_head.tag)]))
  `GANTRY_ASSERT(a_entry_free, `GANTRY_IMPL(in_go, !busy_q[in_entry]))
  `GANTRY_ASSERT(a_answer, `GANTRY_IMPL(mem_rsp_valid_i,
      mem_rsp_i.tag < Outstanding && busy_q[entry_t'(mem_rsp_i.tag)]))
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(mem_req_valid_i, out_room) && `GANTRY_IMPL(mem_rsp_valid_i, done_room)
      && (far_rsp_valid_i & ~back_room) == '0 && (far_req_valid_i & ~in_room) == '0)
  `GANTRY_ASSERT(a_one_port, $onehot0(far_req_valid_o) && $onehot0(far_rsp_valid_o))
endmodule
