// SPDX-License-Identifier: Apache-2.0
// Partition top of the RDMA engine: parameters from the configuration, counters. Contract: docs/contracts.md.
`include "gantry_assert.svh"

module part_rdma
  import gantry_msg_pkg::*;
  import gantry_cfg_pkg::*;
  import gantry_counters_pkg::*;
  import stream_rules_pkg::*;
#(
  localparam int unsigned Reports = 4,    // credits of move_evt: part_dispatch
  localparam int unsigned Moves = 8,      // pages that leave at a time: PAGE_MOVES of host/maintenance/page_commands.h
  localparam int unsigned MoveSlots = 16  // that come at a time: PAGE_SLOTS
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic     [        63:0] cycle_i,
  input  logic     [        15:0] id_i,
  output logic                    idle_o,
  input  logic                    perf_en_i,
  input  logic     [         7:0] perf_addr_i,
  output logic     [        63:0] perf_data_o,
  input  logic                    mem_req_valid_i,
  input  mem_req_t                mem_req_i,
  output logic                    mem_req_credit_o,
  output logic                    mem_rsp_valid_o,
  output mem_rsp_t                mem_rsp_o,
  input  logic                    mem_rsp_credit_i,
  output logic                    mem_req_valid_o,
  output mem_req_t                mem_req_o,
  input  logic                    mem_req_credit_i,
  input  logic                    mem_rsp_valid_i,
  input  mem_rsp_t                mem_rsp_i,
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
  // dispatcher: pages have moved or come
  output logic                    move_evt_valid_o,
  output move_evt_t               move_evt_o,
  input  logic                    move_evt_credit_i,
  // hub -> control agent
  input  logic                    ctl_cmd_valid_i,
  input  ctl_cmd_t                ctl_cmd_i,
  output logic                    ctl_evt_valid_o,
  output ctl_evt_t                ctl_evt_o
);
  logic [3:0] count;
  logic [1:0] count_cache;
  logic rdma_idle, agent_idle, hold_take, hold_all, drained, flush, discard, discarded, maint, maint_done_q;
  logic cache_idle, cache_rests, engine_drained, engine_discard, engine_discarded;
  // of the page-move engine
  ctl_cmd_t maint_cmd;
  logic move_idle, move_rests, read_valid, read_ready, line_valid, push_valid, push_ready, ack_valid, ack_fault;
  logic enter_valid, stored_valid, stored_fault;
  mem_req_t read;
  mem_rsp_t line;
  mem_move_t push, enter;
  logic [7:0] ack_move, stored_slot;
  // of the counters of far accesses
  rdma_counts_pkg::far_access_t leave;
  logic leave_valid, leave_room, counts_idle, count_valid, count_ready;
  move_evt_t count_report;
  assign idle_o = rdma_idle && cache_idle && agent_idle && move_idle && counts_idle;
  // nothing is ever dirty: a flush is done at once; so is maintenance, a page that is to move goes to the page-move
  // engine
  control_agent u_agent (
    .clk_i, .rst_ni, .idle_o(agent_idle), .ctl_cmd_valid_i, .ctl_cmd_i, .ctl_evt_valid_o, .ctl_evt_o,
    .hold_take_o(hold_take), .hold_all_o(hold_all), .drained_i(drained && move_rests),
    .flush_o(flush), .flush_done_i(flush),
    .discard_o(discard), .discard_done_i(discarded), .maint_valid_o(maint),
    .maint_o(maint_cmd), .maint_done_i(maint_done_q));
  always_ff @(posedge clk_i) begin
    maint_done_q <= rst_ni && maint;
  end

  // ---- page-move engine
  if (FarPorts > 2) begin : gen_move
    rdma_move #(
      .NumSlices(L2Slices), .Moves(Moves), .Slots(MoveSlots), .Lines(MoveLines), .Every(MoveEvery), .Reports(Reports)
    ) u_move (
      .clk_i, .rst_ni, .cycle_i, .own_gpu_i(id_i[15:8]), .idle_o(move_idle), .rests_o(move_rests),
      .cmd_valid_i(maint && (maint_cmd.op == CTL_MOVE || maint_cmd.op == CTL_STORE)), .cmd_i(maint_cmd),
      .read_valid_o(read_valid), .read_o(read), .read_ready_i(read_ready), .line_valid_i(line_valid), .line_i(line),
      .push_valid_o(push_valid), .push_o(push), .push_ready_i(push_ready),
      .ack_valid_i(ack_valid), .ack_move_i(ack_move), .ack_fault_i(ack_fault),
      .enter_valid_i(enter_valid), .enter_i(enter), .stored_valid_i(stored_valid), .stored_slot_i(stored_slot),
      .stored_fault_i(stored_fault), .count_valid_i(count_valid), .count_i(count_report), .count_ready_o(count_ready),
      .hold_take_i(hold_take), .hold_all_i(hold_all), .discard_i(engine_discard),
      .move_evt_valid_o, .move_evt_o, .move_evt_credit_i);
  end else begin : gen_alone  // no page of a single GPU can move
    assign {read_valid, push_valid, move_evt_valid_o} = '0;
    assign {read, push, move_evt_o} = '0;
    assign {move_idle, move_rests} = '1;
    assign count_ready = 1'b0;
    logic unused_move;
    assign unused_move = ^{cycle_i, maint_cmd, read_ready, line_valid, line, push_ready, ack_valid, ack_move, ack_fault,
                           enter_valid, enter, stored_valid, stored_slot, stored_fault, move_evt_credit_i,
                           count_valid, count_report};
  end

  // ---- counters of far accesses
  if (FarPorts > 2 && FarCounters != 0) begin : gen_counts
    rdma_counts_pkg::count_entry_t entry;
    rdma_counts_pkg::counted_t counted;
    logic entry_valid, entry_ready, reading, table_idle, report_idle;
    assign counts_idle = table_idle && report_idle;
    rdma_counts #(.Entries(FarCounters), .Ways(FarCounterWays), .Drop(FarCountersDrop != 0)) u_counts (
      .clk_i, .rst_ni, .idle_o(table_idle), .access_valid_i(leave_valid), .access_i(leave), .room_o(leave_room),
      .cmd_valid_i(maint && maint_cmd.op == CTL_COUNTS), .cmd_i(ctl_counts_t'(maint_cmd)),
      .entry_valid_o(entry_valid), .entry_o(entry), .entry_ready_i(entry_ready), .reading_o(reading),
      .counted_o(counted));
    rdma_counts_report u_report (
      .clk_i, .rst_ni, .idle_o(report_idle), .entry_valid_i(entry_valid), .entry_i(entry), .entry_ready_o(entry_ready),
      .reading_i(reading), .counted_i(counted), .report_valid_o(count_valid), .report_o(count_report),
      .report_ready_i(count_ready));
  end else begin : gen_uncounted
    assign {leave_room, counts_idle, count_valid} = 3'b110;
    assign count_report = '0;
    logic unused_counts;
    assign unused_counts = ^{leave_valid, leave, count_ready, maint_cmd};
  end

  // ---- crossbar <-> engine: in requester mode through the cache of far lines
  logic out_valid, out_credit, back_valid, back_credit;
  mem_req_t out;
  mem_rsp_t back;
  if (L2Requester != 0) begin : gen_cache
    logic discard_q;  // a request on its way to the engine comes before its discard
    always_ff @(posedge clk_i) begin
      discard_q <= rst_ni && discard;
    end
    assign engine_discard = discard_q;
    assign drained        = engine_drained && cache_rests;
    rdma_cache #(.Sets(FarKib * 16 / FarWays), .Ways(FarWays), .Fills(FarFills), .Depth(NocTargetQueue)) u_cache (
      .clk_i, .rst_ni, .time_i(cycle_i[47:0]), .idle_o(cache_idle), .count_o(count_cache),
      .mem_req_valid_i, .mem_req_i, .mem_req_credit_o, .mem_rsp_valid_o, .mem_rsp_o, .mem_rsp_credit_i,
      .far_req_valid_o(out_valid), .far_req_o(out), .far_req_credit_i(out_credit),
      .far_rsp_valid_i(back_valid), .far_rsp_i(back), .far_rsp_credit_o(back_credit),
      .hold_take_i(hold_take), .hold_all_i(hold_all), .rests_o(cache_rests),
      .discard_i(discard), .discarded_i(engine_discarded), .discarded_o(discarded));
  end else begin : gen_none
    assign {out_valid, out, mem_req_credit_o} = {mem_req_valid_i, mem_req_i, out_credit};
    assign {mem_rsp_valid_o, mem_rsp_o, back_credit} = {back_valid, back, mem_rsp_credit_i};
    assign {engine_discard, drained, discarded} = {discard, engine_drained, engine_discarded};
    assign {cache_idle, cache_rests, count_cache} = {1'b1, 1'b1, 2'd0};
  end

  rdma #(
    .FarPorts(FarPorts), .NumSlices(L2Slices), .NocDepth(NocQueue), .TargetDepth(NocTargetQueue),
    .Outstanding(FarEntries), .HostDepth(FarHostCredits), .GpuDepth(FarGpuCredits), .MoveShare(MoveShare)
  ) u_rdma (
    .clk_i, .rst_ni, .own_gpu_i(id_i[15:8]), .idle_o(rdma_idle), .count_o(count),
    .hold_take_i(hold_take), .hold_all_i(hold_all), .drained_o(engine_drained),
    .discard_i(engine_discard), .discarded_o(engine_discarded),
    .move_read_valid_i(read_valid), .move_read_i(read), .move_read_ready_o(read_ready),
    .move_line_valid_o(line_valid), .move_line_o(line),
    .move_push_valid_i(push_valid), .move_push_i(push), .move_push_ready_o(push_ready),
    .move_ack_valid_o(ack_valid), .move_ack_o(ack_move), .move_ack_fault_o(ack_fault),
    .move_enter_valid_o(enter_valid), .move_enter_o(enter),
    .move_stored_valid_o(stored_valid), .move_stored_slot_o(stored_slot), .move_stored_fault_o(stored_fault),
    .leave_room_i(leave_room), .leave_valid_o(leave_valid), .leave_o(leave),
    .mem_req_valid_i(out_valid), .mem_req_i(out), .mem_req_credit_o(out_credit),
    .mem_rsp_valid_o(back_valid), .mem_rsp_o(back), .mem_rsp_credit_i(back_credit),
    .mem_req_valid_o, .mem_req_o, .mem_req_credit_i, .mem_rsp_valid_i, .mem_rsp_i,
    .far_req_valid_o, .far_req_o, .far_req_credit_i, .far_rsp_valid_i, .far_rsp_i, .far_rsp_credit_o,
    .far_req_valid_i, .far_req_i, .far_req_credit_o, .far_rsp_valid_o, .far_rsp_o, .far_rsp_credit_i);

  logic [63:0] host_q, peer_q, in_read_q, in_write_q, hit_q, miss_q, moved_out_q, moved_in_q;
  always_ff @(posedge clk_i) begin
    if (count_cache != '0) begin
      hit_q  <= hit_q + 64'(count_cache[0]);
      miss_q <= miss_q + 64'(count_cache[1]);
    end
    if (push_ready) moved_out_q <= moved_out_q + 64'd1;
    if (enter_valid) moved_in_q <= moved_in_q + 64'd1;
    if (count != '0) begin
      host_q     <= host_q + 64'(count[0]);
      peer_q     <= peer_q + 64'(count[1]);
      in_read_q  <= in_read_q + 64'(count[2]);
      in_write_q <= in_write_q + 64'(count[3]);
    end
    if (perf_en_i) begin
      unique case (perf_addr_i)
        RDMA_HOST_REQUESTS: perf_data_o <= host_q;
        RDMA_PEER_REQUESTS: perf_data_o <= peer_q;
        RDMA_INBOUND_READ: perf_data_o <= in_read_q;
        RDMA_INBOUND_WRITE: perf_data_o <= in_write_q;
        RDMA_CACHE_HIT: perf_data_o <= hit_q;
        RDMA_CACHE_MISS: perf_data_o <= miss_q;
        RDMA_MOVED_OUT: perf_data_o <= moved_out_q;
        PERF_ID: perf_data_o <= 64'(id_i);
        default: perf_data_o <= moved_in_q;
      endcase
    end
    if (!rst_ni) {host_q, peer_q, in_read_q, in_write_q, hit_q, miss_q, moved_out_q, moved_in_q} <= '0;
  end
  logic unused;
  assign unused = cache_rests;
  // ---- assertions
  `STREAM_ASSERT(a_ctl, ctl_cmd_valid_i, ctl_cmd_ok(ctl_cmd_i))
  `STREAM_ASSERT(a_ctl_evt, ctl_evt_valid_o, ctl_evt_ok(ctl_evt_o))
  `STREAM_BOUND(a_ctl_answered, Any, ctl_cmd_valid_i, ctl_evt_valid_o)
  // the host sends no such command to a GPU that is alone, or has no counters: nobody would answer it
  `GANTRY_ASSERT(a_alone, `GANTRY_IMPL(maint && FarPorts == 2, maint_cmd.op != CTL_MOVE && maint_cmd.op != CTL_STORE))
  `GANTRY_ASSERT(a_counts, `GANTRY_IMPL(maint && (FarPorts == 2 || FarCounters == 0), maint_cmd.op != CTL_COUNTS))
  `STREAM_ASSERT(a_moved, move_evt_valid_o, move_evt_ok(move_evt_o))
  `STREAM_BOUND(a_moved_credit, Reports, move_evt_valid_o, move_evt_credit_i)
  `STREAM_ASSERT(a_req, mem_req_valid_i, mem_req_ok(mem_req_i) && mem_req_i.op <= MEM_ATOMIC)
  `STREAM_BOUND(a_req_room, NocTargetQueue, mem_req_valid_i, mem_req_credit_o)
  `STREAM_ASSERT(a_rsp, mem_rsp_valid_o, mem_rsp_ok(mem_rsp_o))
  `STREAM_BOUND(a_rsp_credit, NocTargetQueue, mem_rsp_valid_o, mem_rsp_credit_i)
  `STREAM_BOUND(a_answered, Any, mem_req_valid_i, mem_rsp_valid_o)
  `STREAM_ASSERT(a_inbound, mem_req_valid_o, mem_req_ok(mem_req_o) && 32'(mem_req_o.target) < L2Slices)
  `STREAM_BOUND(a_inbound_credit, NocQueue, mem_req_valid_o, mem_req_credit_i)
  `STREAM_ASSERT(a_inbound_rsp, mem_rsp_valid_i, mem_rsp_ok(mem_rsp_i) &&
                 (mem_rsp_i.tag[31] ? 32'(mem_rsp_i.tag[30:0]) < MoveLines : mem_rsp_i.tag < FarEntries))
  `STREAM_BOUND(a_inbound_answered, FarEntries + MoveLines, mem_req_valid_o, mem_rsp_valid_i)
  always_ff @(posedge clk_i) begin
    if ((far_req_valid_o | far_rsp_valid_i | far_req_valid_i | far_rsp_valid_o) != '0) begin
      for (int unsigned n = 0; n < FarPorts; n++) begin
        `GANTRY_CHECK(a_far, `GANTRY_IMPL(far_req_valid_o[n],
                      far_req_ok(far_req_o[n]) && 32'(far_req_o[n].addr[55:48]) == n))
        `GANTRY_CHECK(a_far_rsp, `GANTRY_IMPL(far_rsp_valid_i[n], far_rsp_ok(far_rsp_i[n])))
        `GANTRY_CHECK(a_asked, `GANTRY_IMPL(far_req_valid_i[n],
                      far_req_ok(far_req_i[n]) && far_req_i[n].addr[55:48] == id_i[15:8] + 8'd1))
        `GANTRY_CHECK(a_served_rsp, `GANTRY_IMPL(far_rsp_valid_o[n], far_rsp_ok(far_rsp_o[n])))
      end
    end
  end
  stream_bounds #(.Ports(4), .Depth(FarHostCredits)) u_host_room (
    .clk_i, .rst_ni,
    .push_i({far_req_valid_o[0], far_rsp_valid_i[0], far_req_valid_i[0], far_rsp_valid_o[0]}),
    .pop_i({far_req_credit_i[0], far_rsp_credit_o[0], far_req_credit_o[0], far_rsp_credit_i[0]}));
  localparam int unsigned Last = FarPorts - 1;
  stream_bounds #(.Ports(4 * Last), .Depth(FarGpuCredits)) u_gpu_room (
    .clk_i, .rst_ni,
    .push_i({far_req_valid_o[Last:1], far_rsp_valid_i[Last:1], far_req_valid_i[Last:1], far_rsp_valid_o[Last:1]}),
    .pop_i({far_req_credit_i[Last:1], far_rsp_credit_o[Last:1], far_req_credit_o[Last:1], far_rsp_credit_i[Last:1]}));
  stream_bounds #(.Ports(2 * FarPorts), .Depth(Any)) u_far_answered (
    .clk_i, .rst_ni, .push_i({far_req_valid_o, far_req_valid_i}), .pop_i({far_rsp_valid_i, far_rsp_valid_o}));
endmodule
