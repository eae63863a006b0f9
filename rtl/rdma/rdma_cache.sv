// SPDX-License-Identifier: Apache-2.0
// Cache of far lines of one GPU (gpu.l2.mode: requester), between the crossbar and the RDMA engine.  A load of another GPU's
// memory is answered from here if its line is and was fetched after the CU's last acquire; else it goes on, and its line is
// kept if the answer finds room.  Stores go on and are written into a line that is here; atomics and loads from home go on,
// atomics drop the line.  Nothing is ever dirty.
// Responsible for: that no load finds less than what this GPU has stored before it, or older than the acquire that it names.
// Not responsible for: what other GPUs store meanwhile (their release and an acquire here), order of answers.
//
// A load brings the cycle of its CU's last acquire (`mask`), a line is stamped with the cycle at which it was asked for, and a
// CU finds it only if it is not older than its acquire: no invalidation is needed.
// One operation a cycle goes through the stages: 0 an answer, else a request, reads the tags; 1 decides; 2 reads or writes
// the line; 3 answers.  A line on its way is not kept if a store or atomic to its set has passed meanwhile (`spoilt`).
`include "gantry_assert.svh"

module rdma_cache
  import gantry_msg_pkg::*;
  import rdma_cache_pkg::*;
#(
  parameter int unsigned Sets = 512,   // power of two, 2 or more
  parameter int unsigned Ways = 8,     // power of two, at most 16
  parameter int unsigned Fills = 128,  // loads under way whose line is kept, 2 to 256
  parameter int unsigned Depth = 16    // credits of all four streams
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic [47:0] time_i,  // cycle
  output logic     idle_o,
  // crossbar: requests, answers
  input  logic     mem_req_valid_i,
  input  mem_req_t mem_req_i,
  output logic     mem_req_credit_o,
  output logic     mem_rsp_valid_o,
  output mem_rsp_t mem_rsp_o,
  input  logic     mem_rsp_credit_i,
  // engine: the same
  output logic     far_req_valid_o,
  output mem_req_t far_req_o,
  input  logic     far_req_credit_i,
  input  logic     far_rsp_valid_i,
  input  mem_rsp_t far_rsp_i,
  output logic     far_rsp_credit_o,
  // control agent: hold_take no request is taken, hold_all nothing moves; a discard drops what is here, and all lines, and ends
  // behind that of the engine, whose late answers the engine swallows
  input  logic     hold_take_i,
  input  logic     hold_all_i,
  output logic     rests_o,         // what was taken is answered or in the engine's queue
  input  logic     discard_i,
  input  logic     discarded_i,     // the engine's
  output logic     discarded_o,
  output logic [1:0] count_o        // pulses: miss, hit
);
  localparam int unsigned SetBits = $clog2(Sets);
  localparam int unsigned WayBits = Ways > 1 ? $clog2(Ways) : 0;
  localparam int unsigned RowBits = SetBits + WayBits;
  localparam int unsigned Fw = $clog2(Fills);
  localparam int unsigned Cw = $clog2(Depth + 1);
  localparam l2_pkg::ways_t All = l2_pkg::ways_t'((32'd1 << Ways) - 32'd1);
  typedef logic [SetBits-1:0] set_t;
  typedef logic [RowBits-1:0] row_t;
  typedef logic [Fw-1:0] entry_t;

  // ---- queues of both sides
  logic req_valid, req_take, rsp_valid, rsp_take, choose_rsp, choose_req, clash;
  mem_req_t req_head;
  mem_rsp_t rsp_head;
  mark_t rsp_mark;
  set_t set0;
  logic dropping_q;
  /* verilator lint_off UNUSEDSIGNAL */
  logic req_ready, rsp_ready;  // credits see to it that there is room: only assertions look
  /* verilator lint_on UNUSEDSIGNAL */
  stream_fifo #(.Width(MemReqBits), .Depth(Depth)) u_req (
    .clk_i, .rst_ni, .valid_i(mem_req_valid_i), .ready_o(req_ready), .data_i(mem_req_i),
    .valid_o(req_valid), .ready_i(req_take), .data_o(req_head), .count_o());
  stream_fifo #(.Width(MemRspBits), .Depth(Depth)) u_rsp (
    .clk_i, .rst_ni, .valid_i(far_rsp_valid_i), .ready_o(rsp_ready), .data_i(far_rsp_i),
    .valid_o(rsp_valid), .ready_i(rsp_take), .data_o(rsp_head), .count_o());

  // ---- lines: tags and data in memories; which ways hold one, and were used lately
  logic tag_we_q;
  set_t tag_set_q;
  logic [3:0] tag_way_q;
  tag_t tag_new_q;
  tag_t [Ways-1:0] tags;
  ram_1r1w #(.Width($bits(tag_t) * Ways), .Depth(Sets), .Lanes(Ways)) u_tags (
    .clk_i, .we_i(tag_we_q ? Ways'(1) << tag_way_q : '0), .waddr_i(tag_set_q), .wdata_i({Ways{tag_new_q}}),
    .re_i(choose_rsp || choose_req), .raddr_i(set0), .rdata_o(tags));
  logic line_re_q;
  logic [63:0] line_we_q;
  row_t line_row_q;
  logic [511:0] line_wdata_q, line_rdata;
  ram_1r1w #(.Width(512), .Depth(Sets * Ways), .Lanes(64)) u_lines (
    .clk_i, .we_i(line_we_q), .waddr_i(line_row_q), .wdata_i(line_wdata_q),
    .re_i(line_re_q), .raddr_i(line_row_q), .rdata_o(line_rdata));
  l2_pkg::ways_t valid[Sets];
  l2_pkg::ways_t recent[Sets];

  // ---- loads under way whose line is kept
  tag_t fill_tag[Fills];
  logic [8:0] filling[Sets];  // so many in a set
  logic spoilt[Sets];         // and none of them may be kept
  entry_t free_ring[Fills];
  logic [Fw:0] free_count;
  entry_t free_head;

  // ---- what stands in a stage
  typedef struct packed {
    logic  valid;
    logic  answer;
    mark_t mark;  // of an answer
    set_t  set;
    tag_t  tag;   // stamp: of an answer the line's, of a request the acquire that it names
  } stage1_t;
  typedef struct packed {
    logic valid;
    logic hit;  // the line comes from here
  } stage2_t;
  stage1_t s1_q;
  stage2_t s2_q, s3_q;
  mem_req_t s1_req_q;
  mem_rsp_t s1_rsp_q, s2_rsp_q, s3_rsp_q;

  // ---- stage 0: what there is credit for, unless the tags of its set are being written
  logic [Cw-1:0] up_q, down_q;
  tag_t tag0;
  assign rsp_mark   = mark_t'(rsp_head.tag);
  assign tag0       = choose_rsp ? fill_tag[entry_t'(rsp_mark.entry)] : tag_of(req_head);
  assign set0       = set_t'(set_of(tag0.line, SetBits));
  assign choose_rsp = rsp_valid && up_q != '0 && !hold_all_i;
  assign choose_req = !choose_rsp && req_valid && up_q != '0 && down_q != '0 && !hold_take_i && !hold_all_i;
  assign clash      = (s1_q.valid && s1_q.answer && s1_q.mark.kept && s1_q.set == set0) ||
                      (tag_we_q && tag_set_q == set0);
  assign rsp_take   = (choose_rsp && !clash) || (dropping_q && rsp_valid);
  assign req_take   = (choose_req && !clash) || (dropping_q && req_valid);

  // ---- idle: nothing moves, and no pulse stands that the next edge would clear
  logic stages, pulses, engine_q;  // engine: its discard has ended
  assign stages  = s1_q.valid || s2_q.valid || s3_q.valid;
  assign pulses  = mem_req_credit_o || far_rsp_credit_o || mem_rsp_valid_o || far_req_valid_o || tag_we_q ||
                   line_re_q || line_we_q != '0 || discarded_o || count_o != '0;
  assign idle_o  = !choose_rsp && !choose_req && !(stages && !hold_all_i) && !pulses && !dropping_q;
  assign rests_o = !stages && !far_rsp_valid_i && !rsp_valid && !mem_rsp_valid_o && !far_req_valid_o;

  l2_pkg::ways_t match, fresh;  // of the set of stage 1: the way that holds the line; if it is new enough
  logic [3:0] way;
  logic [Cw-1:0] up, down;

  // A load that is answered elsewhere: with a mark, if its line may be kept.
  task automatic send_load(input logic stays);
    far_req_o <= s1_req_q;
    if (stays && free_count != '0 && !spoilt[s1_q.set]) begin
      far_req_o.tag <= s1_req_q.tag | mark_t'{kept: 1'b1, entry: 8'(free_ring[free_head]), default: '0};
      fill_tag[free_ring[free_head]] <= '{stamp: time_i, line: s1_q.tag.line};
      filling[s1_q.set] = filling[s1_q.set] + 9'd1;
      free_head  = free_head == entry_t'(Fills - 1) ? '0 : free_head + 1'b1;
      free_count = free_count - 1'b1;
    end
  endtask

  // The answer to such a load: its line takes a way, its own if an older one is there.
  task automatic keep_line();
    logic [31:0] tail;
    tail = 32'(free_head) + 32'(free_count);
    free_ring[entry_t'(tail >= Fills ? tail - Fills : tail)] = entry_t'(s1_q.mark.entry);
    free_count = free_count + 1'b1;
    filling[s1_q.set] = filling[s1_q.set] - 9'd1;
    if (!spoilt[s1_q.set] && s1_rsp_q.status == MEM_OK && (match == '0 || fresh == '0)) begin
      if (match == '0) way = l2_tags_pkg::victim(valid[s1_q.set], All, recent[s1_q.set], '0);
      valid[s1_q.set] = valid[s1_q.set] | l2_pkg::ways_t'(16'd1 << way);
      recent[s1_q.set] = l2_tags_pkg::used(recent[s1_q.set], '0, l2_pkg::ways_t'(16'd1 << way), All);
      {tag_we_q, tag_set_q, tag_way_q, tag_new_q} <= {1'b1, s1_q.set, way, s1_q.tag};
      line_we_q    <= '1;
      line_row_q   <= row_t'(32'(s1_q.set) << WayBits | 32'(way));
      line_wdata_q <= s1_rsp_q.data;
    end
    if (filling[s1_q.set] == '0) spoilt[s1_q.set] = 1'b0;
  endtask

  // A request: a load whose line is here goes no further.
  task automatic decide();
    logic load, stays;
    load  = s1_req_q.op == MEM_READ || s1_req_q.op == MEM_READ_NC;
    stays = may_stay(s1_req_q);
    if (stays) count_o <= fresh != '0 ? 2'd1 : 2'd2;
    if (stays && fresh != '0) begin
      recent[s1_q.set] = l2_tags_pkg::used(recent[s1_q.set], '0, match, All);
      line_re_q  <= 1'b1;
      line_row_q <= row_t'(32'(s1_q.set) << WayBits | 32'(way));
      down  = down + 1'b1;
    end else begin
      up = up + 1'b1;
      far_req_valid_o <= 1'b1;
      send_load(stays);
      if (!load) begin
        if (filling[s1_q.set] != '0) spoilt[s1_q.set] = 1'b1;
        if (s1_req_q.op == MEM_ATOMIC) valid[s1_q.set] = valid[s1_q.set] & ~match;
        if (s1_req_q.op == MEM_WRITE && match != '0) begin
          line_we_q    <= s1_req_q.mask;
          line_row_q   <= row_t'(32'(s1_q.set) << WayBits | 32'(way));
          line_wdata_q <= s1_req_q.data;
        end
      end
    end
  endtask

  task automatic drop_lines();
    for (int unsigned s = 0; s < Sets; s++) begin
      valid[s]  = '0;
      spoilt[s] = 1'b0;
    end
  endtask

  task automatic drop_fills();
    for (int unsigned s = 0; s < Sets; s++) filling[s] = '0;
    for (int unsigned e = 0; e < Fills; e++) free_ring[e] = entry_t'(e);
    free_head  = '0;
    free_count = (Fw + 1)'(Fills);
  endtask

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (!idle_o || mem_rsp_credit_i || far_req_credit_i || discard_i || discarded_i || !rst_ni) begin
      mem_req_credit_o <= req_take;
      far_rsp_credit_o <= rsp_take;
      {mem_rsp_valid_o, far_req_valid_o, tag_we_q, line_re_q, discarded_o, count_o} <= '0;
      line_we_q <= '0;
      up   = up_q + Cw'(mem_rsp_credit_i);
      down = down_q + Cw'(far_req_credit_i);
      if (!hold_all_i) begin
        // ---- stage 3: the answer
        if (s3_q.valid) begin
          mem_rsp_valid_o <= 1'b1;
          mem_rsp_o       <= s3_rsp_q;
          if (s3_q.hit) mem_rsp_o.data <= line_rdata;
        end
        // ---- stage 2: the line is read
        s3_q <= s2_q;
        if (s2_q.valid) s3_rsp_q <= s2_rsp_q;
        // ---- stage 1: hit or miss
        s2_q.valid <= 1'b0;
        if (s1_q.valid) begin
          match = '0;
          fresh = '0;
          for (int unsigned w = 0; w < Ways; w++) begin
            match[w] = tags[w].line == s1_q.tag.line;
            fresh[w] = tags[w].stamp >= s1_q.tag.stamp;
          end
          match = match & valid[s1_q.set];
          fresh = fresh & match;
          way   = l2_pkg::first_way(match);
          if (s1_q.answer) begin
            s2_q <= '{valid: 1'b1, hit: 1'b0};
            s2_rsp_q <= s1_rsp_q;
            s2_rsp_q.tag[23:8] <= '0;
            if (s1_q.mark.kept) keep_line();
          end else begin
            s2_q <= '{valid: may_stay(s1_req_q) && fresh != '0, hit: 1'b1};
            if (may_stay(s1_req_q) && fresh != '0)
              s2_rsp_q <= '{op: s1_req_q.op, status: MEM_OK, source: s1_req_q.source, gpu: s1_req_q.gpu,
                            tag: s1_req_q.tag, data: '0};
            decide();
          end
        end
        // ---- stage 0
        s1_q.valid <= 1'b0;
        if (choose_rsp && !clash) begin
          s1_q     <= '{valid: 1'b1, answer: 1'b1, mark: rsp_mark, set: set0, tag: tag0};
          s1_rsp_q <= rsp_head;
          up       = up - 1'b1;
        end else if (choose_req && !clash) begin
          s1_q     <= '{valid: 1'b1, answer: 1'b0, mark: '0, set: set0, tag: tag0};
          s1_req_q <= req_head;
          up       = up - 1'b1;
          down     = down - 1'b1;
        end
      end
      // ---- discard (all is held): what stands in a stage gives back its credits
      if (discard_i) begin
        up         = up + Cw'(s1_q.valid) + Cw'(s2_q.valid) + Cw'(s3_q.valid);
        down       = down + Cw'(s1_q.valid && !s1_q.answer);
        dropping_q <= 1'b1;
        engine_q   <= 1'b0;
        {s1_q.valid, s2_q.valid, s3_q.valid} <= '0;
      end else if (dropping_q) begin
        if (discarded_i) engine_q <= 1'b1;
        if (engine_q && !req_valid && !rsp_valid) begin
          drop_fills();
          drop_lines();
          dropping_q  <= 1'b0;
          discarded_o <= 1'b1;
        end
      end
      if (!rst_ni) begin
        drop_fills();
        drop_lines();
        for (int unsigned s = 0; s < Sets; s++) recent[s] = '0;
        {s1_q.valid, s2_q.valid, s3_q.valid, engine_q} <= '0;
        {dropping_q, mem_req_credit_o, far_rsp_credit_o} <= '0;
        up   = Cw'(Depth);
        down = Cw'(Depth);
      end
      up_q   <= up;
      down_q <= down;
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_room, `GANTRY_IMPL(mem_req_valid_i, req_ready) && `GANTRY_IMPL(far_rsp_valid_i, rsp_ready))
  `GANTRY_ASSERT(a_credits, 32'(up_q) <= Depth && 32'(down_q) <= Depth)
  `GANTRY_ASSERT(a_tag, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.tag[23:8] == '0))
  `GANTRY_ASSERT(a_held, `GANTRY_IMPL(discard_i, hold_all_i))
endmodule
