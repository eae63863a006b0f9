// SPDX-License-Identifier: Apache-2.0
// The L2 TLB of a GPU: set-associative table of 4 KiB translations tagged with VMID and page, requests that wait for a
// walk, rights, answers.  Equal misses share one walk.  Responsible for: lookup, fill, invalidation of a VMID or of
// all, order of what an invalidation overlaps.  Not responsible for: walking (utcl2_walker).
//
// A request stands in a slot until its answer leaves the lookup or its walk.  Pipeline: 0 choose, 1 read, 2 compare.
// Invalidation of one VMID raises its generation, which is part of the tag; entries of old generations age out.
`include "gantry_assert.svh"

module utcl2_tlb
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Entries = 4096,
  parameter int unsigned Ways = 8,      // power of two, at most 16
  parameter int unsigned Walks = 16,
  parameter int unsigned Depth = 16,    // input queue = credits of the crossbar
  parameter int unsigned RspDepth = 16,
  parameter bit [2:0] SeedFault = 3'd0  // bench only: 1 VMID not compared, 5 rights not checked
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        idle_o,
  input  logic        perf_en_i,
  input  logic [ 2:0] perf_addr_i,
  output logic [63:0] perf_data_o,
  input  logic        mem_req_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_req_t    mem_req_i,
  input  blk_cmd_t    blk_cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        mem_req_credit_o,
  output logic        mem_rsp_valid_o,
  output mem_rsp_t    mem_rsp_o,
  input  logic        mem_rsp_credit_i,
  input  logic        blk_cmd_valid_i,
  output logic        blk_evt_valid_o,
  output blk_evt_t    blk_evt_o,
  output logic        start_valid_o,    // to the walker
  output logic [ 5:0] start_walk_o,
  output logic [ 7:0] start_vmid_o,
  output logic [27:0] start_vpn_o,
  output logic        inv_valid_o,
  output logic [ 7:0] inv_vmid_o,
  output logic        root_valid_o,
  output logic [63:0] root_o,
  input  logic        done_valid_i,
  input  logic [ 5:0] done_walk_i,
  input  logic [63:0] done_pte_i
);
  localparam int unsigned Slots = 128;
  localparam int unsigned Sets = Entries / Ways;
  localparam int unsigned SetBits = Sets > 1 ? $clog2(Sets) : 1;
  localparam logic [63:0] WalkMask = Walks == 64 ? '1 : (64'd1 << Walks) - 64'd1;
  localparam logic [31:0] None = 32'hFFFFFFFF;
  // A walk answers while fewer answers wait than this: that of the lookup behind it still fits, one more in a long queue.
  localparam int unsigned AnswerRoom = RspDepth > 2 ? RspDepth - 2 : 1;

  logic re_q;
  logic [SetBits-1:0] raddr_q, waddr_q;
  logic [Ways-1:0] we_q;
  logic [Ways*64-1:0] tag_wdata_q, pte_wdata_q, tag_row, pte_row;

  ram_1r1w #(.Width(Ways * 64), .Depth(Sets), .Lanes(Ways)) u_tags (
    .clk_i, .we_i(we_q), .waddr_i(waddr_q), .wdata_i(tag_wdata_q), .re_i(re_q), .raddr_i(raddr_q), .rdata_o(tag_row)
  );
  ram_1r1w #(.Width(Ways * 64), .Depth(Sets), .Lanes(Ways)) u_entries (
    .clk_i, .we_i(we_q), .waddr_i(waddr_q), .wdata_i(pte_wdata_q), .re_i(re_q), .raddr_i(raddr_q), .rdata_o(pte_row)
  );

  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [63:0] slot_page[Slots];  // {beyond 40 bits, vmid, vpn}
  logic [63:0] slot_info[Slots];  // {gpu, source, access, tag}
  logic [31:0] slot_next[Slots];
  logic [63:0] free_low, free_high;
  logic [31:0] in_queue[Depth];
  logic [31:0] in_first, in_count, busy_slots, next_slot;
  logic [63:0] valid[Sets];
  logic [31:0] oldest[Sets];
  logic [31:0] generation[256];

  logic [63:0] walk_page[Walks];
  logic [31:0] wait_first[Walks], wait_last[Walks];
  logic [63:0] walk_pte[Walks];
  logic [63:0] walk_free, answer_set;  // walks whose waiting requests are being answered

  logic s1_valid, s2_valid;
  logic [31:0] s1_slot, s2_slot, s1_set, s2_set;
  logic [31:0] filling_set, filling_way;  // written at the last edge
  logic filling;

  mem_rsp_t rsp_queue[RspDepth];
  mem_rsp_t rsp;
  logic [31:0] rsp_first, rsp_count, rsp_credits;
  logic cmd_busy, cmd_inv, inv_sent;
  logic [7:0] cmd_vmid;
  logic [63:0] cmd_root;

  logic [31:0] slot, way, walk, set;
  logic [63:0] page, want, entry, info, bits;
  logic hit, found, sent, ready, answering, rests;
  logic [63:0] counter[8];  // hit, miss, mshr-hit, walks, faults
  // as it is between two edges, for the assertions
  logic [127:0] slots_q;  // not free
  logic [63:0] walk_free_q, answer_q;
  logic [31:0] in_count_q, busy_q, rsp_count_q;
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [63:0] make_tag(input logic [63:0] p, input logic [31:0] gen);
    return {20'd0, gen[7:0], SeedFault == 3'd1 ? 8'd0 : p[35:28], p[27:0]};
  endfunction

  function automatic logic [31:0] set_of(input logic [63:0] p);
    return 32'(tlb_pkg::vpn_hash(p[27:0])) & 32'(Sets - 1);
  endfunction

  function automatic mem_rsp_t make_rsp(input logic [63:0] meta, input logic [63:0] pte);
    mem_rsp_t r;
    logic [7:0] status;
    status   = tlb_pkg::pte_status(pte, SeedFault == 3'd5 ? 8'd0 : meta[39:32]);
    r        = '0;
    r.op     = MEM_XLAT;
    r.status = status;
    r.source = meta[47:40];
    r.gpu    = meta[55:48];
    r.tag    = meta[31:0];
    r.data[0] = pte;
    return r;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // nothing is looked at while the TLB rests and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || mem_req_valid_i || mem_rsp_credit_i || blk_cmd_valid_i || done_valid_i || perf_en_i || !rst_ni) begin
      sent      = 1'b0;
      answering = 1'b0;
      // ---- answers leave
      mem_rsp_valid_o <= 1'b0;
      if (rsp_count != 32'd0 && rsp_credits != 32'd0) begin
        mem_rsp_valid_o <= 1'b1;
        mem_rsp_o       <= rsp_queue[rsp_first];
        rsp_first   = (rsp_first + 32'd1) & (RspDepth - 1);
        rsp_count   = rsp_count - 32'd1;
        rsp_credits = rsp_credits - 32'd1;
        sent        = 1'b1;
      end
      if (mem_rsp_credit_i) rsp_credits = rsp_credits + 32'd1;

      // ---- stage 2: compare
      start_valid_o <= 1'b0;
      if (s2_valid) begin
        page  = slot_page[s2_slot];
        info  = slot_info[s2_slot];
        want  = make_tag(page, generation[page[35:28]]);
        hit   = page[36];  // beyond the address space: a fault without a walk
        entry = 64'd0;
        for (int unsigned w = 0; w < Ways; w++) begin
          // not the way that a fill at the last edge has taken: its tag is not the one that was read
          if (tag_row[w*64+:64] == want && valid[s2_set][w[5:0]] && !page[36] &&
              !(filling && filling_set == s2_set && filling_way == w)) begin
            hit   = 1'b1;
            entry = pte_row[w*64+:64];
          end
        end
        if (hit) begin
          counter[0] = counter[0] + 64'd1;
          answering  = 1'b1;
          slot       = s2_slot;
        end else begin
          found = 1'b0;
          walk  = 32'(pick_pkg::first64(walk_free));
          for (int unsigned k = 0; k < Walks; k++) begin
            if (walk_page[k] == page && !walk_free[k[5:0]] && !answer_set[k[5:0]]) begin
              found = 1'b1;
              walk  = k;
            end
          end
          slot_next[s2_slot] = None;
          if (found) begin
            counter[2] = counter[2] + 64'd1;
            slot_next[wait_last[walk]] = s2_slot;
          end else begin
            counter[1] = counter[1] + 64'd1;
            counter[3] = counter[3] + 64'd1;
            walk_free        = walk_free & ~(64'd1 << walk[5:0]);
            walk_page[walk]  = page;
            wait_first[walk] = s2_slot;
            start_valid_o <= 1'b1;
            start_walk_o  <= walk[5:0];
            start_vmid_o  <= page[35:28];
            start_vpn_o   <= page[27:0];
            sent = 1'b1;
          end
          wait_last[walk] = s2_slot;
        end
      end
      // ---- requests of a finished walk, one a cycle when the lookup has no answer
      if (!answering && answer_set != 64'd0 && rsp_count < AnswerRoom) begin
        walk      = 32'(pick_pkg::first64(answer_set));
        slot      = wait_first[walk];
        entry     = walk_pte[walk];
        info      = slot_info[slot];
        answering = 1'b1;
        wait_first[walk] = slot_next[slot];
        if (wait_first[walk] == None) begin
          answer_set = answer_set & ~(64'd1 << walk[5:0]);
          walk_free  = walk_free | (64'd1 << walk[5:0]);
        end
      end
      if (answering) begin
        rsp = make_rsp(info, entry);
        counter[4] = rsp.status != MEM_OK ? counter[4] + 64'd1 : counter[4];
        rsp_queue[(rsp_first+rsp_count)&(RspDepth-1)] = rsp;
        rsp_count  = rsp_count + 32'd1;
        busy_slots = busy_slots - 32'd1;
        free_low   = slot[6] ? free_low : free_low | (64'd1 << slot[5:0]);
        free_high  = slot[6] ? free_high | (64'd1 << slot[5:0]) : free_high;
      end

      // ---- a walk ends: fill, then answer; begun before an invalidation that it missed, it is walked again
      we_q    <= '0;
      filling = 1'b0;
      if (done_valid_i) begin
        walk = 32'(done_walk_i);
        page = walk_page[walk];
        sent = 1'b1;
        if (inv_sent && (cmd_vmid == tlb_pkg::VMID_ALL || page[35:28] == cmd_vmid)) begin
          start_valid_o <= 1'b1;
          start_walk_o  <= walk[5:0];
          start_vmid_o  <= page[35:28];
          start_vpn_o   <= page[27:0];
        end else begin
          walk_pte[walk] = done_pte_i;
          answer_set     = answer_set | (64'd1 << walk[5:0]);
          if (done_pte_i[0]) begin
            set = set_of(page);
            way = oldest[set] & 32'(Ways - 1);
            oldest[set] = oldest[set] + 32'd1;
            valid[set]  = valid[set] | (64'd1 << way[5:0]);
            filling     = 1'b1;
            filling_set = set;
            filling_way = way;
            we_q        <= Ways'(1) << way;
            waddr_q     <= set[SetBits-1:0];
            tag_wdata_q <= {Ways{make_tag(page, generation[page[35:28]])}};
            pte_wdata_q <= {Ways{done_pte_i}};
          end
        end
      end

      // ---- stage 1: read
      s2_valid = s1_valid;
      s2_slot  = s1_slot;
      s2_set   = s1_set;

      // ---- commands: when no lookup is under way and what was found before has been answered
      blk_evt_valid_o <= 1'b0;
      inv_valid_o     <= 1'b0;
      root_valid_o    <= 1'b0;
      inv_sent        = 1'b0;
      if (cmd_busy && !s2_valid && answer_set == 64'd0 && rsp_count == 32'd0) begin
        cmd_busy = 1'b0;
        inv_sent = 1'b1;
        sent     = 1'b1;
        inv_vmid_o   <= cmd_vmid;
        root_o       <= cmd_root;
        inv_valid_o  <= cmd_inv;
        root_valid_o <= !cmd_inv;
        blk_evt_valid_o <= 1'b1;
        blk_evt_o       <= '{pad0: '0, kind: cmd_inv ? BLK_INV : BLK_VMID};
        generation[cmd_vmid] = (generation[cmd_vmid] + 32'd1) & 32'hFF;
        // all, or a generation that comes again
        if (cmd_vmid == tlb_pkg::VMID_ALL || generation[cmd_vmid] == 32'd0)
          for (int unsigned i = 0; i < Sets; i++) valid[i] = 64'd0;
      end
      if (blk_cmd_valid_i) begin
        cmd_busy = 1'b1;
        cmd_inv  = blk_cmd_i.kind == BLK_INV;
        cmd_vmid = blk_cmd_i.vmid;
        cmd_root = blk_cmd_i.root;
      end

      // ---- stage 0: choose; a free walk for this one and the one before it, room for the answers
      mem_req_credit_o <= 1'b0;
      s1_valid = 1'b0;
      re_q     <= 1'b0;
      bits     = s2_valid ? walk_free & (walk_free - 64'd1) : walk_free;
      ready    = rsp_count + 32'(s2_valid) < RspDepth - 1 && bits != 64'd0 && busy_slots < Slots - Depth - 1;
      if (ready && in_count != 32'd0 && !cmd_busy) begin
        s1_slot  = in_queue[in_first];
        s1_set   = set_of(slot_page[s1_slot]);
        s1_valid = !(filling && filling_set == s1_set);
        if (s1_valid) begin
          in_first   = (in_first + 32'd1) & (Depth - 1);
          in_count   = in_count - 32'd1;
          busy_slots = busy_slots + 32'd1;
          sent       = 1'b1;
          re_q             <= 1'b1;
          raddr_q          <= s1_set[SetBits-1:0];
          mem_req_credit_o <= 1'b1;
        end
      end

      // ---- arrival
      if (mem_req_valid_i) begin
        slot = next_slot;
        slot_page[slot] = {27'd0, mem_req_i.addr[63:40] != 24'd0, mem_req_i.vmid, mem_req_i.addr[39:12]};
        slot_info[slot] = {8'd0, mem_req_i.gpu, mem_req_i.source, mem_req_i.access, mem_req_i.tag};
        in_queue[(in_first+in_count)&(Depth-1)] = slot;
        in_count  = in_count + 32'd1;
        free_low  = slot[6] ? free_low : free_low & ~(64'd1 << slot[5:0]);
        free_high = slot[6] ? free_high & ~(64'd1 << slot[5:0]) : free_high;
        next_slot = 32'(pick_pkg::first128({free_high, free_low}));
      end

      slots_q     <= ~{free_high, free_low};
      walk_free_q <= walk_free;
      answer_q    <= answer_set;
      in_count_q  <= in_count;
      busy_q      <= busy_slots;
      rsp_count_q <= rsp_count;
      if (perf_en_i) perf_data_o <= counter[perf_addr_i];
      rests  = !sent && !s1_valid && !s2_valid && in_count == 32'd0 && rsp_count == 32'd0 &&
               answer_set == 64'd0 && !cmd_busy;
      idle_o <= rests;

      if (!rst_ni) begin
        s1_valid = 1'b0;
        s2_valid = 1'b0;
        for (int unsigned i = 0; i < Sets; i++) begin
          valid[i]  = 64'd0;
          oldest[i] = 32'd0;
        end
        for (int unsigned i = 0; i < 256; i++) generation[i] = 32'd0;
        for (int unsigned i = 0; i < 8; i++) counter[i] = 64'd0;
        free_low    = '1;
        free_high   = '1;
        next_slot   = 32'd0;
        in_first    = 32'd0;
        in_count    = 32'd0;
        busy_slots  = 32'd0;
        walk_free   = WalkMask;
        filling     = 1'b0;
        answer_set  = 64'd0;
        rsp_first   = 32'd0;
        rsp_count   = 32'd0;
        rsp_credits = RspDepth;
        cmd_busy    = 1'b0;
        inv_sent    = 1'b0;
        we_q             <= '0;
        re_q             <= 1'b0;
        mem_rsp_valid_o  <= 1'b0;
        mem_req_credit_o <= 1'b0;
        blk_evt_valid_o  <= 1'b0;
        start_valid_o    <= 1'b0;
        inv_valid_o      <= 1'b0;
        root_valid_o     <= 1'b0;
        idle_o           <= 1'b1;
        slots_q          <= '0;
        walk_free_q      <= WalkMask;
        {answer_q, in_count_q, busy_q, rsp_count_q} <= '0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_xlat, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.op == MEM_XLAT))
  // a request has one slot from its arrival to its answer: in the input queue, or behind it; none is lost, none freed twice
  `GANTRY_ASSERT(a_slots, $countones(slots_q) == in_count_q + busy_q)
  `STREAM_BOUND(a_queue, Depth, mem_req_valid_i, mem_req_credit_o)
  `GANTRY_ASSERT(a_room, rsp_count_q <= RspDepth)
  // a walk that is being answered is not free, one that ends is under way, and it has not ended yet
  `GANTRY_ASSERT(a_walks, (walk_free_q & (answer_q | ~WalkMask)) == '0)
  `GANTRY_ASSERT(a_done, `GANTRY_IMPL(done_valid_i, !walk_free_q[done_walk_i] && !answer_q[done_walk_i]))
  `STREAM_BOUND(a_started, Walks, start_valid_o, done_valid_i)
  `STREAM_BOUND(a_command, 1, blk_cmd_valid_i, blk_evt_valid_o)
endmodule
