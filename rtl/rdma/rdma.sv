// SPDX-License-Identifier: Apache-2.0
// Far memory of one GPU. Outbound: requests of this GPU whose physical owner is the host or another GPU leave on the
// far port of that owner (port 0 host, port k+1 GPU k = address bits 55:48) and their answers return to the crossbar.
// Inbound: requests of other owners are served by this GPU's L2 slices.
// Not responsible for: timing of links (the bridge), translation (requests carry physical addresses).
// Control (hold, discard: of its agent): the queues of far ports and the crossbar are the incoming buffers.  A discard
// empties them, one message a queue and cycle so that each gives its credit back; answers that are still to come are
// swallowed: those of own slices by their entry, those of far owners by the epoch that stands in bits 7:6 of `gpu` and
// comes back. Each of the four directions moves at most one message a cycle; see docs/reference/rdma.md.
// Lines of pages that move share all this: the page-move engine (rdma_move) reads lines of own slices and sends them to
// far ports behind other requests, but for one in MoveShare; those of other GPUs' engines enter own slices as stores
// do.
`include "gantry_assert.svh"

module rdma
  import gantry_msg_pkg::*;
  import rdma_move_pkg::*;
  import rdma_counts_pkg::*;
#(
  parameter int unsigned FarPorts = 2,
  parameter int unsigned NumSlices = 4,    // power of two
  parameter int unsigned Outstanding = 64, // inbound requests under way, 2..1024
  parameter int unsigned HostDepth = 16,   // credits of far port 0, of each of its channel ends
  parameter int unsigned GpuDepth = 16,    // of every other far port
  parameter int unsigned NocDepth = 16,    // credits of its requests to the crossbar
  parameter int unsigned TargetDepth = 16, // queue of requests from the crossbar, credits of its answers
  parameter int unsigned MoveShare = 8,    // where others wait as well, one message in so many is a page's; 2 or more
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
  // page-move engine: lines of own slices that it reads, their answers
  input  logic                    move_read_valid_i,
  input  mem_req_t                move_read_i,
  output logic                    move_read_ready_o,
  output logic                    move_line_valid_o,
  output mem_rsp_t                move_line_o,
  // lines that it sends to other GPUs, their answers
  input  logic                    move_push_valid_i,
  input  mem_move_t               move_push_i,
  output logic                    move_push_ready_o,
  output logic                    move_ack_valid_o,
  output logic     [         7:0] move_ack_o,        // of which move
  output logic                    move_ack_fault_o,
  // lines that come: one enters an own slice, one is in DRAM
  output logic                    move_enter_valid_o,
  output mem_move_t               move_enter_o,
  output logic                    move_stored_valid_o,
  output logic     [         7:0] move_stored_slot_o,
  output logic                    move_stored_fault_o,
  // counters of far accesses: a request leaves for another GPU, and only while there is room
  input  logic                    leave_room_i,
  output logic                    leave_valid_o,
  output far_access_t             leave_o,
  // control agent
  input  logic                    hold_take_i,  // no request is taken
  input  logic                    hold_all_i,   // nor an answer
  output logic                    drained_o,    // every request that was taken is answered
  input  logic                    discard_i,
  output logic                    discarded_o,  // pulse
  // one pulse an event: {inbound write, inbound read, outbound GPU, outbound host}
  output logic     [         3:0] count_o
);
  localparam int unsigned Pw = FarPorts > 1 ? $clog2(FarPorts) : 1;
  localparam int unsigned Ow = $clog2(Outstanding);
  localparam int unsigned Tw = $clog2(MoveShare);
  typedef logic [Pw-1:0] port_t;
  typedef logic [Ow-1:0] entry_t;
  typedef struct packed {  // `tag` of a MEM_MOVE, as in mem_move
    logic [15:0] line;
    logic [7:0]  slot;
    logic [7:0]  move;
  } mem_tag_t;
  /* verilator lint_off UNUSEDSIGNAL */  // of an answer one of them
  mem_tag_t back_tag, done_tag;
  /* verilator lint_on UNUSEDSIGNAL */
  typedef struct packed {
    port_t       link;
    logic [7:0]  source;
    logic [7:0]  gpu;
    logic [31:0] tag;
  } origin_t;

  // ---- control: requests sent to far ports and not answered, of this epoch and of earlier ones
  localparam int unsigned Cw = 16;
  logic [1:0] epoch_q;
  logic dropping_q;
  logic [Cw-1:0] sent_q, sent_old_q;

  // ---- outbound requests: crossbar -> far port of the owner
  logic out_valid, out_take, out_can, out_go, push_go;
  logic [Tw-1:0] push_turn_q, read_turn_q;  // others that have gone since the last line of a page
  port_t push_port;
  /* verilator lint_off UNUSEDSIGNAL */
  logic out_room, done_room, freed_room;  // only assertions read which queue has room: credits see to it
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
  assign lost     = out_valid && 32'(out_head.addr[55:48]) >= FarPorts && !hold_take_i;
  assign lost_go  = lost && mem_rsp_room;
  assign out_can  = out_valid && !lost && far_req_room[out_port] && !hold_take_i && (leave_room_i || out_port == '0);
  assign out_go   = out_can && !push_go;
  assign leave_valid_o = out_go && out_port != '0;
  assign leave_o       = '{frame: out_head.addr[55:12], write: out_head.op > MEM_READ_NC};
  // a line of a page that moves
  assign push_port         = port_t'(move_push_i.addr[55:48]);
  assign push_go           = move_push_valid_i && far_req_room[push_port] && !hold_all_i &&
                             (!out_can || 32'(push_turn_q) == MoveShare - 1);
  assign move_push_ready_o = push_go;
  assign out_take = out_go || lost_go || (dropping_q && out_valid);

  // ---- far answers -> crossbar
  logic [FarPorts-1:0] back_valid, back_take, in_valid, in_take;
  mem_rsp_t back_head[FarPorts];
  mem_req_t in_head  [FarPorts];
  port_t back_pick, in_pick;
  logic mem_req_room, back_any, in_any, back_go, in_can, in_go, in_move, read_go;
  logic back_old;   // of a request that was discarded
  logic back_move;  // of a line of a page
  rr_arbiter #(.N(FarPorts)) u_back_turn (
    .clk_i, .rst_ni, .request_i(back_valid), .take_i(back_go || back_old || back_move), .valid_o(back_any),
    .grant_o(back_pick));
  assign back_old  = back_any && back_head[back_pick].gpu[7:6] != epoch_q && !hold_all_i;
  assign back_move = back_any && !back_old && back_head[back_pick].source == MoveSource && !hold_all_i;
  assign back_go   = back_any && !back_old && !back_move && mem_rsp_room && !lost && !hold_all_i;
  assign back_take = dropping_q ? back_valid : back_go || back_old || back_move ? FarPorts'(1) << back_pick : '0;
  assign move_ack_valid_o = back_move;
  assign back_tag         = mem_tag_t'(back_head[back_pick].tag);
  assign move_ack_o       = back_tag.move;
  assign move_ack_fault_o = back_head[back_pick].status != MEM_OK;

  // ---- inbound requests -> own slices; an entry remembers who asked.  Entries are taken in their order once, then as
  // they came free
  origin_t in_origin;
  logic [Outstanding-1:0] busy_q, old_q;  // old: of these, discarded
  logic [Ow:0] live_q;                    // busy and not old
  logic [Ow:0] fresh_q;                   // so many have been taken
  logic in_free, freed_valid;
  entry_t in_entry, freed;
  assign in_free  = 32'(fresh_q) != Outstanding || freed_valid;
  assign in_entry = 32'(fresh_q) != Outstanding ? entry_t'(fresh_q) : freed;
  assign in_origin = '{link: in_pick, source: in_head[in_pick].source, gpu: in_head[in_pick].gpu,
                       tag: in_head[in_pick].tag};
  rr_arbiter #(.N(FarPorts)) u_in_turn (
    .clk_i, .rst_ni, .request_i(in_valid), .take_i(in_go), .valid_o(in_any), .grant_o(in_pick));
  assign in_can   = in_any && mem_req_room && in_free && !hold_take_i;
  assign in_go    = in_can && !read_go;
  assign in_move  = in_head[in_pick].op == MEM_MOVE;
  // a line of a page is read
  assign read_go            = move_read_valid_i && mem_req_room && !hold_take_i &&
                              (!in_can || 32'(read_turn_q) == MoveShare - 1);
  assign move_read_ready_o  = read_go;
  assign move_enter_valid_o = in_go && in_move;
  assign move_enter_o       = mem_move_t'(in_head[in_pick]);
  assign in_take  = dropping_q ? in_valid : in_go ? FarPorts'(1) << in_pick : '0;

  // ---- answers of own slices wait for their link; an entry stays busy until its answer has left
  logic done_valid, done_take;
  mem_rsp_t done_head;
  origin_t done_origin;
  entry_t done_entry;
  /* verilator lint_off UNUSEDSIGNAL */
  logic done_load;
  mem_rsp_t done_next;  // its tag alone, and that where origins are a RAM
  /* verilator lint_on UNUSEDSIGNAL */
  stream_queue #(.Width(MemRspBits), .Depth(Outstanding)) u_done (
    .clk_i, .rst_ni, .valid_i(mem_rsp_valid_i && !mem_rsp_i.tag[31]), .ready_o(done_room), .data_i(mem_rsp_i),
    .valid_o(done_valid), .ready_i(done_take), .data_o(done_head), .count_o(), .load_o(done_load), .next_o(done_next));
  assign done_entry = entry_t'(done_head.tag);
  stream_queue #(.Width(Ow), .Depth(Outstanding)) u_freed (
    .clk_i, .rst_ni, .valid_i(done_take), .ready_o(freed_room), .data_i(done_entry),
    .valid_o(freed_valid), .ready_i(in_go && 32'(fresh_q) == Outstanding), .data_o(freed), .count_o(), .load_o(),
    .next_o());
  if (Outstanding <= 64) begin : gen_few  // registers or LUT RAM
    origin_t origin[Outstanding];
    always_ff @(posedge clk_i) begin
      if (in_go) origin[in_entry] <= in_origin;
    end
    assign done_origin = origin[done_entry];
  end else begin : gen_many  // read with the answer that comes to the head
    ram_1r1w #(.Width($bits(origin_t)), .Depth(Outstanding)) u_origin (
      .clk_i, .we_i(in_go), .waddr_i(in_entry), .wdata_i(in_origin),
      .re_i(done_load), .raddr_i(entry_t'(done_next.tag)), .rdata_o(done_origin));
  end
  assign move_line_valid_o = mem_rsp_valid_i && mem_rsp_i.tag[31];
  assign move_line_o       = mem_rsp_i;
  logic done_old, done_go, done_move;
  assign done_old    = done_valid && (old_q[done_entry] || dropping_q) && (!hold_all_i || dropping_q);
  assign done_go     = done_valid && !done_old && far_rsp_room[done_origin.link] && !hold_all_i;
  assign done_take   = done_old || done_go;
  assign done_move   = done_origin.source == MoveSource;
  assign move_stored_valid_o = done_go && done_move;
  assign done_tag            = mem_tag_t'(done_origin.tag);
  assign move_stored_slot_o  = done_tag.slot;
  assign move_stored_fault_o = done_head.status != MEM_OK;

  for (genvar p = 0; p < int'(FarPorts); p++) begin : gen_port
    localparam int unsigned Depth = p == 0 ? HostDepth : GpuDepth;
    stream_queue #(.Width(MemRspBits), .Depth(Depth), .Registers(16)) u_back (
      .clk_i, .rst_ni, .valid_i(far_rsp_valid_i[p]), .ready_o(back_room[p]), .data_i(far_rsp_i[p]),
      .valid_o(back_valid[p]), .ready_i(back_take[p]), .data_o(back_head[p]), .count_o(), .load_o(), .next_o());
    stream_queue #(.Width(MemReqBits), .Depth(Depth), .Registers(16)) u_in (
      .clk_i, .rst_ni, .valid_i(far_req_valid_i[p]), .ready_o(in_room[p]), .data_i(far_req_i[p]),
      .valid_o(in_valid[p]), .ready_i(in_take[p]), .data_o(in_head[p]), .count_o(), .load_o(), .next_o());
    credit_counter #(.Depth(Depth)) u_req_credit (
      .clk_i, .rst_ni, .spend_i((out_go && out_port == port_t'(p)) || (push_go && push_port == port_t'(p))),
      .credit_i(far_req_credit_i[p]),
      .available_o(far_req_room[p]), .count_o());
    credit_counter #(.Depth(Depth)) u_rsp_credit (
      .clk_i, .rst_ni, .spend_i(done_go && done_origin.link == port_t'(p)),
      .credit_i(far_rsp_credit_i[p]), .available_o(far_rsp_room[p]), .count_o());
  end
  credit_counter #(.Depth(TargetDepth)) u_mem_rsp_credit (
    .clk_i, .rst_ni, .spend_i(back_go || lost_go), .credit_i(mem_rsp_credit_i), .available_o(mem_rsp_room),
    .count_o());
  credit_counter #(.Depth(NocDepth)) u_mem_req_credit (
    .clk_i, .rst_ni, .spend_i(in_go || read_go), .credit_i(mem_req_credit_i), .available_o(mem_req_room), .count_o());

  function automatic logic [7:0] slice_of(input logic [63:0] addr);
    return 8'(addr >> 8) & 8'(NumSlices - 1);
  endfunction

  function automatic mem_req_t leave(input mem_req_t r, input logic [5:0] gpu, input logic [1:0] epoch);
    r.gpu = {epoch, gpu};
    return r;
  endfunction
  function automatic mem_rsp_t came_back(input mem_rsp_t r, input logic [7:0] gpu);
    r.gpu = gpu;
    return r;
  endfunction
  function automatic mem_req_t enter(input mem_req_t r, input logic [31:0] tag);
    if (r.op == MEM_MOVE)
      r = '{op: MEM_WRITE, access: tlb_pkg::ACCESS_PASS, gpu: r.gpu, addr: r.addr, mask: r.mask, data: r.data,
            default: '0};
    r.target = slice_of(r.addr);
    r.tag    = tag;
    return r;
  endfunction
  function automatic mem_rsp_t answer(input mem_rsp_t r, input logic [7:0] source, input logic [7:0] gpu,
                                              input logic [31:0] tag);
    if (source == MoveSource) r.op = MEM_MOVE;
    r.source = source;
    r.gpu    = gpu;
    r.tag    = SeedBug ? r.tag : tag;
    return r;
  endfunction

  function automatic logic [Cw-1:0] ones(input logic [FarPorts-1:0] bits);
    ones = '0;
    for (int unsigned p = 0; p < FarPorts; p++) ones = ones + Cw'(bits[p]);
  endfunction

  always_ff @(posedge clk_i) begin
    mem_req_credit_o <= out_take;
    mem_rsp_valid_o  <= back_go || lost_go;
    mem_req_valid_o  <= in_go || read_go;
    far_req_valid_o  <= push_go ? FarPorts'(1) << push_port : out_go ? FarPorts'(1) << out_port : '0;
    far_rsp_valid_o  <= done_go ? FarPorts'(1) << done_origin.link : '0;
    far_rsp_credit_o <= back_take;
    far_req_credit_o <= in_take;
    count_o          <= {in_go && in_head[in_pick].op > MEM_READ_NC && !in_move,
                         in_go && in_head[in_pick].op <= MEM_READ_NC,
                         out_go && out_port != '0, out_go && out_port == '0};
    if (out_go) begin
      far_req_o[out_port] <= leave(out_head, own_gpu_i[5:0], epoch_q);
    end
    if (push_go) far_req_o[push_port] <= leave(mem_req_t'(move_push_i), own_gpu_i[5:0], epoch_q);
    if (push_go) push_turn_q <= '0;
    else if (out_go && 32'(push_turn_q) != MoveShare - 1) push_turn_q <= push_turn_q + 1'b1;
    if (read_go) mem_req_o <= move_read_i;
    if (read_go) read_turn_q <= '0;
    else if (in_go && 32'(read_turn_q) != MoveShare - 1) read_turn_q <= read_turn_q + 1'b1;
    if (back_go) begin
      mem_rsp_o <= came_back(back_head[back_pick], own_gpu_i);
    end
    if (lost_go) begin
      mem_rsp_o <= '{op: out_head.op, status: MEM_FAULT_BUS, source: out_head.source, gpu: own_gpu_i, tag: out_head.tag,
                     data: '0};
    end
    if (in_go) begin
      mem_req_o        <= enter(in_head[in_pick], 32'(in_entry));
      busy_q[in_entry] <= 1'b1;
      if (32'(fresh_q) != Outstanding) fresh_q <= fresh_q + 1'b1;
    end
    if (done_go) begin
      far_rsp_o[done_origin.link] <= answer(done_head, done_origin.source, done_origin.gpu, done_origin.tag);
    end
    if (done_take) busy_q[done_entry] <= 1'b0;
    if (in_go || done_take) live_q <= live_q + (Ow + 1)'(in_go) - (Ow + 1)'(done_take && !old_q[done_entry]);
    // ---- control
    discarded_o <= 1'b0;
    if (out_go || push_go || back_go || back_move)
      sent_q <= sent_q + Cw'(out_go || push_go) - Cw'(back_go || back_move);
    if (back_old || dropping_q)
      sent_old_q <= sent_old_q - (dropping_q ? ones(back_valid) : Cw'(1));
    if (done_old) old_q[done_entry] <= 1'b0;
    if (discard_i) begin
      dropping_q <= 1'b1;
      epoch_q    <= epoch_q + 2'd1;
      sent_old_q <= sent_old_q + sent_q;
      sent_q     <= '0;
      old_q      <= busy_q;
      live_q     <= '0;
    end else if (dropping_q && !out_valid && back_valid == '0 && in_valid == '0 && !done_valid &&
                 (epoch_q != 2'd0 || sent_old_q == '0)) begin  // epochs come again: nothing of this one is left
      dropping_q  <= 1'b0;
      discarded_o <= 1'b1;
    end
    if (!rst_ni) begin
      {epoch_q, dropping_q, sent_q, sent_old_q, old_q, discarded_o} <= '0;
      {mem_req_credit_o, mem_rsp_valid_o, mem_req_valid_o} <= '0;
      {far_req_valid_o, far_rsp_valid_o, far_rsp_credit_o, far_req_credit_o} <= '0;
      {busy_q, live_q, fresh_q, push_turn_q, read_turn_q} <= '0;
      count_o <= '0;
    end
  end

  assign drained_o = sent_q == '0 && live_q == '0;

  // idle: nothing to move now, and no output pulse stands that the next edge would clear
  assign idle_o = !out_take && back_take == '0 && !in_go && !done_take && !push_go && !read_go
      && !dropping_q && !discard_i && !discarded_o
      && {mem_req_credit_o, mem_rsp_valid_o, mem_req_valid_o, far_req_valid_o, far_rsp_valid_o, far_rsp_credit_o,
          far_req_credit_o, count_o} == '0;

  // ---- assertions
  `GANTRY_ASSERT(a_not_own, `GANTRY_IMPL(out_valid, out_head.addr[55:48] != own_gpu_i + 8'd1))
  `GANTRY_ASSERT(a_entry, `GANTRY_IMPL(done_valid, busy_q[done_entry]))
  `GANTRY_ASSERT(a_entry_free, `GANTRY_IMPL(in_go, !busy_q[in_entry]))
  `GANTRY_ASSERT(a_answer, `GANTRY_IMPL(mem_rsp_valid_i,
      mem_rsp_i.tag[31] || (mem_rsp_i.tag < Outstanding && busy_q[entry_t'(mem_rsp_i.tag)])))
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(mem_req_valid_i, out_room)
      && `GANTRY_IMPL(mem_rsp_valid_i && !mem_rsp_i.tag[31], done_room) && `GANTRY_IMPL(done_take, freed_room)
      && (far_rsp_valid_i & ~back_room) == '0 && (far_req_valid_i & ~in_room) == '0)
  // an answer that comes from afar was asked for; the epoch leaves six bits for the number of a GPU
  `GANTRY_ASSERT(a_sent, `GANTRY_IMPL(back_go || back_move, sent_q != '0) && `GANTRY_IMPL(back_old, sent_old_q != '0))
  `GANTRY_ASSERT(a_gpu, own_gpu_i[7:6] == 2'd0)
  // a page moves to a GPU that has a port; only its engine has MoveSource
  `GANTRY_ASSERT(a_push, `GANTRY_IMPL(move_push_valid_i, 32'(move_push_i.addr[55:48]) < FarPorts && push_port != '0))
  `GANTRY_ASSERT(a_source, `GANTRY_IMPL(out_valid, out_head.source != MoveSource && out_head.op != MEM_MOVE) &&
                           `GANTRY_IMPL(in_any, (in_head[in_pick].source == MoveSource) == in_move))
  `GANTRY_ASSERT(a_one_port, $onehot0(far_req_valid_o) && $onehot0(far_rsp_valid_o))
endmodule
