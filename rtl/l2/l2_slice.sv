// SPDX-License-Identifier: Apache-2.0
// One slice of the L2: set-associative, write-through, misses under way in MSHRs, atomics executed here.  Responsible
// for: the order of all accesses to a line, answers (a store is answered when it has its place in DRAM order),
// invalidation.  Not responsible for: DRAM timing (dram_channel), contents of DRAM (the store behind dram_req).
//
// A request stands in a slot from arrival to answer.  Pipeline: 0 choose (fill, then replay, then input; never a set
// that stages 1, 2 work on), 1 read tags, 2 hit or miss, 3 read data and payload, 4 do it.  A miss takes a way at
// once and marks it pending; later requests for the line wait in the list of its MSHR and are replayed, in order,
// after the fill.  A fill serves the request that caused it itself, so a replay that misses again still gets on.
// MEM_READ_NC: the way is given back at the fill.  A store that misses goes to DRAM only, unless it covers the line.
`include "gantry_assert.svh"

module l2_slice
  import gantry_msg_pkg::*;
#(
  parameter int unsigned Slices = 16,   // of the GPU, power of two
  parameter int unsigned Kib = 128,
  parameter int unsigned Ways = 16,     // power of two, at most 16
  parameter int unsigned Mshrs = 64,    // at most 64
  parameter int unsigned Channels = 2,  // DRAM channels, power of two
  parameter int unsigned Depth = 16,    // input queue = credits of the crossbar
  parameter int unsigned RspDepth = 16, // credits towards the crossbar
  parameter bit [2:0] SeedFault = 3'd0  // bench only: see the bench
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                idle_o,
  input  logic                perf_en_i,
  input  logic [         3:0] perf_addr_i,
  output logic [        63:0] perf_data_o,
  input  logic                obs_en_i,
  output logic                obs_order_valid_o,
  output l2_pkg::obs_order_t  obs_order_o,
  input  logic                mem_req_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  mem_req_t            mem_req_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic                mem_req_credit_o,
  output logic                mem_rsp_valid_o,
  output mem_rsp_t            mem_rsp_o,
  input  logic                mem_rsp_credit_i,
  output logic                dram_req_valid_o,
  output dram_req_t           dram_req_o,
  input  logic                dram_rsp_valid_i,
  /* verilator lint_off UNUSEDSIGNAL */
  input  dram_rsp_t           dram_rsp_i,
  input  blk_cmd_t            blk_cmd_i,
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                blk_cmd_valid_i,
  output logic                blk_evt_valid_o,
  output blk_evt_t            blk_evt_o,
  output logic [Channels-1:0] cmd_valid_o,      // to the DRAM channels
  output logic                cmd_write_o,
  output logic [        31:0] cmd_line_o,
  output logic [         7:0] cmd_id_o,
  input  logic [Channels-1:0] done_valid_i,
  input  logic [         7:0] done_id_i[Channels],
  input  logic [Channels-1:0] dram_busy_i
);
  localparam int unsigned Slots = 128;
  localparam int unsigned Sets = Kib * 16 / Ways;
  localparam int unsigned SetBits = $clog2(Sets);
  localparam int unsigned SliceBits = $clog2(Slices);
  localparam int unsigned ChanBits = $clog2(Channels);
  localparam int unsigned Rows = Sets * Ways;
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned MshrBits = Mshrs > 1 ? $clog2(Mshrs) : 1;
  localparam logic [63:0] WaysMask = (64'd1 << Ways) - 64'd1;
  localparam logic [63:0] MshrMask = Mshrs == 64 ? '1 : (64'd1 << Mshrs) - 64'd1;
  localparam logic [31:0] None = 32'hFFFFFFFF;
  localparam logic [1:0] KindHit = 2'd0;   // data of the cache
  localparam logic [1:0] KindFill = 2'd1;  // data of the fill buffer, the line enters the cache
  localparam logic [1:0] KindMiss = 2'd2;  // fetch the line
  localparam logic [1:0] KindPass = 2'd3;  // store past the cache

  // ---- memories
  logic tag_re_q, tag_we_q, data_re_q, data_we_q;
  logic [SetBits-1:0] tag_raddr_q, tag_waddr_q;
  logic [Ways*32-1:0] tag_wdata_q, tag_row, tag_new;
  logic [RowBits-1:0] data_raddr_q, data_waddr_q;
  logic [7:0][63:0] data_wdata_q, data_row, fill_row;
  logic [6:0] slot_free_q, slot_raddr_q;
  logic [575:0] payload;
  logic [MshrBits-1:0] fill_raddr_q;

  ram_1r1w #(.Width(Ways * 32), .Depth(Sets)) u_tags (
    .clk_i, .we_i(tag_we_q), .waddr_i(tag_waddr_q), .wdata_i(tag_wdata_q),
    .re_i(tag_re_q), .raddr_i(tag_raddr_q), .rdata_o(tag_row)
  );
  ram_1r1w #(.Width(512), .Depth(Rows)) u_data (
    .clk_i, .we_i(data_we_q), .waddr_i(data_waddr_q), .wdata_i(data_wdata_q),
    .re_i(data_re_q), .raddr_i(data_raddr_q), .rdata_o(data_row)
  );
  ram_1r1w #(.Width(576), .Depth(Slots)) u_slots (
    .clk_i, .we_i(mem_req_valid_i), .waddr_i(slot_free_q), .wdata_i({mem_req_i.data, mem_req_i.mask}),
    .re_i(data_re_q), .raddr_i(slot_raddr_q), .rdata_o(payload)
  );
  ram_1r1w #(.Width(512), .Depth(Mshrs)) u_fills (
    .clk_i, .we_i(dram_rsp_valid_i), .waddr_i(dram_rsp_i.tag[MshrBits-1:0]), .wdata_i(dram_rsp_i.data),
    .re_i(data_re_q), .raddr_i(fill_raddr_q), .rdata_o(fill_row)
  );

  // ---- state of the one block below
  /* verilator lint_off BLKSEQ */
  /* verilator lint_off UNUSEDSIGNAL */  // words of the simulator: upper bits stay zero
  logic [63:0] slot_addr[Slots];
  logic [63:0] slot_info[Slots];  // {gpu, source, size, atomic, op} and bit 63: store of a whole line
  logic [63:0] slot_ids[Slots];   // {user, tag}
  logic [31:0] slot_next[Slots];
  logic [63:0] free_low, free_high;
  logic [31:0] in_queue[Depth];
  logic [31:0] in_first, in_count, busy_slots;  // busy: out of the input queue, not yet answered
  logic [31:0] replay_first, replay_last;

  logic [63:0] valid[Sets], pending[Sets], recent[Sets];  // a bit a way
  logic [31:0] mshr_of[Rows];
  logic [31:0] mshr_slot[Mshrs], mshr_row[Mshrs], wait_first[Mshrs], wait_last[Mshrs];
  logic [63:0] mshr_free, fetched, timed;

  logic s1_valid, s2_valid, s3_valid, s4_valid, s1_fill, s2_fill, s1_again, s2_again;
  logic [31:0] s1_slot, s2_slot, s3_slot, s4_slot, s1_set, s2_set, s3_set, s1_mshr, s2_mshr, s3_mshr, s4_mshr;
  logic [1:0] s3_kind, s4_kind;
  logic [31:0] s3_row, s4_row;

  mem_rsp_t rsp_queue[RspDepth];
  mem_rsp_t rsp;
  logic [31:0] rsp_first, rsp_count, rsp_credits;
  logic inv_busy, inv_clear;

  logic [31:0] line, want, way, row, slot, mshr, word;
  logic [63:0] addr, info, bits, old, fresh, ways_free, mask;
  logic [7:0][63:0] line_data, new_data;
  logic hit, sent, ready, writes, is_write, is_atomic, is_line, keep, quiet, rests;
  logic [63:0] counter[16];
  /* verilator lint_on UNUSEDSIGNAL */

  /* verilator lint_off UNUSEDSIGNAL */
  // Line number within the slice: the slice bits are cut out.
  function automatic logic [31:0] local_line(input logic [63:0] a);
    return {2'd0, a[37:8]} >> SliceBits << 2 | {30'd0, a[7:6]};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic logic [31:0] set_of(input logic [31:0] l);
    return (l ^ (l >> SetBits)) & 32'(Sets - 1);
  endfunction

  // nothing is looked at while the slice rests and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || mem_req_valid_i || mem_rsp_credit_i || dram_rsp_valid_i || done_valid_i != '0 || blk_cmd_valid_i ||
        perf_en_i || !rst_ni) begin
      sent = 1'b0;
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
      if (mem_rsp_credit_i) begin
        `GANTRY_CHECK(a_credit, rsp_credits < RspDepth)
        rsp_credits = rsp_credits + 32'd1;
      end

      // ---- stage 4: do it
      data_we_q        <= 1'b0;
      dram_req_valid_o <= 1'b0;
      cmd_valid_o      <= '0;
      obs_order_valid_o <= 1'b0;
      if (s4_valid) begin
        addr      = slot_addr[s4_slot];
        info      = slot_info[s4_slot];
        is_write  = info[7:0] == MEM_WRITE;
        is_atomic = info[7:0] == MEM_ATOMIC;
        line      = local_line(addr);
        old       = 64'd0;
        mask      = payload[63:0];
        is_line   = is_atomic && mask != 64'd0;  // words of a line
        line_data = payload[575:64];
        if (s4_kind != KindMiss) begin
          new_data = s4_kind == KindFill ? fill_row : data_row;
          rsp.data = is_write ? '0 : new_data;
          if (is_line) new_data = l2_pkg::atomic_line(info[15:8], info[23:16] == 8'd8, new_data, line_data, mask);
          if (is_atomic && !is_line) begin
            word  = 32'(addr[5:3]);
            old   = new_data[word[2:0]];
            hit   = info[23:16] == 8'd8;
            old   = hit ? old : 64'(addr[2] ? old[63:32] : old[31:0]);
            fresh = l2_pkg::atomic_new(info[15:8], hit, old, line_data[0],
                                       hit ? line_data[1] : 64'(line_data[1][31:0]));
            fresh = SeedFault == 3'd1 && info[15:8] == ATOMIC_DEC ? old : fresh;
            mask  = (hit ? 64'hFF : 64'hF) << addr[5:0];
            fresh = hit ? fresh : {fresh[31:0], fresh[31:0]};
            rsp.data[0] = old;
          end
          if (is_write && s4_kind != KindPass) begin
            for (int unsigned w = 0; w < 8; w++) begin
              bits = l2_pkg::spread(mask[w*8+:8]);
              new_data[w[2:0]] = (new_data[w[2:0]] & ~bits) | (line_data[w[2:0]] & bits);
            end
          end
          if (is_atomic && !is_line) begin
            bits = l2_pkg::spread(mask[word[2:0]*8+:8]);
            new_data[word[2:0]] = (new_data[word[2:0]] & ~bits) | (fresh & bits);
          end
          if (s4_kind == KindFill || (s4_kind == KindHit && (is_atomic || (is_write && SeedFault != 3'd2)))) begin
            data_we_q    <= 1'b1;
            data_waddr_q <= s4_row[RowBits-1:0];
            data_wdata_q <= new_data;
          end
          rsp.op     = info[7:0];
          rsp.status = MEM_OK;
          rsp.source = info[31:24];
          rsp.gpu    = info[39:32];
          rsp.tag    = slot_ids[s4_slot][31:0];
          `GANTRY_CHECK(a_answer_room, rsp_count < RspDepth)
          `GANTRY_CHECK(a_slot_taken, busy_slots != 32'd0 &&
                                      !(s4_slot[6] ? free_high[s4_slot[5:0]] : free_low[s4_slot[5:0]]))
          rsp_queue[(rsp_first+rsp_count)&(RspDepth-1)] = rsp;
          rsp_count = rsp_count + 32'd1;
          free_low  = s4_slot[6] ? free_low : free_low | (64'd1 << s4_slot[5:0]);
          free_high = s4_slot[6] ? free_high | (64'd1 << s4_slot[5:0]) : free_high;
          busy_slots = busy_slots - 32'd1;
        end
        writes = is_write || (is_atomic && s4_kind != KindMiss);
        if (writes || s4_kind == KindMiss) begin
          sent = 1'b1;
          dram_req_valid_o <= 1'b1;
          dram_req_o.write <= {7'd0, writes};
          dram_req_o.pad0  <= '0;
          dram_req_o.tag   <= s4_mshr;
          dram_req_o.addr  <= {16'd0, addr[47:6], 6'd0};
          dram_req_o.mask  <= mask;
          dram_req_o.data  <= is_line ? new_data : is_atomic ? {8{fresh}} : line_data;
          cmd_valid_o      <= Channels'(1) << (line & (Channels - 1));
          cmd_write_o      <= writes;
          cmd_line_o       <= line >> ChanBits;
          cmd_id_o         <= s4_mshr[7:0];
          counter[writes ? 10 : 9] = counter[writes ? 10 : 9] + 64'd1;
        end
        if (writes && obs_en_i) begin
          obs_order_valid_o <= 1'b1;
          obs_order_o <= '{old: is_line ? rsp.data : '0, line: 8'(is_line), mask: mask,
                           data: is_atomic && !is_line ? {320'd0, old, line_data[1], line_data[0]} : line_data,
                           addr: addr, pad0: '0, source: info[31:24], user: slot_ids[s4_slot][63:32],
                           gpu: info[39:32], size: info[23:16], atomic: info[15:8], op: info[7:0]};
        end
      end

      // ---- stage 3: memories are read
      s4_valid = s3_valid;
      s4_slot  = s3_slot;
      s4_mshr  = s3_mshr;
      s4_kind  = s3_kind;
      s4_row   = s3_row;

      // ---- stage 2: hit or miss
      s3_valid   = 1'b0;
      tag_we_q <= 1'b0;
      if (s2_valid) begin
        s3_slot  = s2_slot;
        s3_set   = s2_set;
        s3_mshr  = s2_mshr;
        s3_valid = 1'b1;
        info     = slot_info[s2_slot];
        want     = local_line(slot_addr[s2_slot]);
        if (s2_fill) begin
          row     = mshr_row[s2_mshr];
          bits    = 64'd1 << (row & 32'(Ways - 1));
          keep    = info[7:0] != MEM_READ_NC;
          s3_kind = KindFill;
          pending[s2_set] = pending[s2_set] & ~bits;
          valid[s2_set]   = keep ? valid[s2_set] : valid[s2_set] & ~bits;
          mshr_free       = mshr_free | (64'd1 << s2_mshr[5:0]);
          if (wait_first[s2_mshr] != None) begin
            if (replay_first == None) replay_first = wait_first[s2_mshr];
            else slot_next[replay_last] = wait_first[s2_mshr];
            replay_last = wait_last[s2_mshr];
          end
        end else begin
          hit = 1'b0;
          way = 32'd0;
          for (int unsigned w = 0; w < Ways; w++) begin
            if (tag_row[w*32+:32] == want && valid[s2_set][w[5:0]]) begin
              `GANTRY_CHECK(a_one_way, !hit)
              hit = 1'b1;
              way = w;
            end
          end
          // counters: 0-2 read, 3-5 write, 6-8 atomic: hit, miss, mshr-hit
          word = info[7:0] == MEM_WRITE ? 32'd3 : info[7:0] == MEM_ATOMIC ? 32'd6 : 32'd0;
          word = hit && pending[s2_set][way[5:0]] ? word + 32'd2 : hit ? word : word + 32'd1;
          if (!s2_again) counter[word[3:0]] = counter[word[3:0]] + 64'd1;
          row = s2_set * Ways + way;
          if (hit && pending[s2_set][way[5:0]]) begin
            s3_valid = 1'b0;
            mshr     = mshr_of[row];
            if (wait_first[mshr] == None) wait_first[mshr] = s2_slot;
            else slot_next[wait_last[mshr]] = s2_slot;
            wait_last[mshr]    = s2_slot;
            slot_next[s2_slot] = None;
          end else if (hit) begin
            s3_kind        = KindHit;
            recent[s2_set] = recent[s2_set] | (64'd1 << way[5:0]);
            recent[s2_set] = (recent[s2_set] | pending[s2_set]) == WaysMask ? 64'd1 << way[5:0] : recent[s2_set];
          end else if (info[7:0] == MEM_WRITE && !info[63]) begin
            s3_kind = KindPass;
          end else begin  // take a way: an unused one, else one not used recently
            ways_free = ~valid[s2_set] & ~pending[s2_set] & WaysMask;
            ways_free = ways_free != 64'd0 ? ways_free : ~(pending[s2_set] | recent[s2_set]) & WaysMask;
            ways_free = ways_free != 64'd0 ? ways_free : ~pending[s2_set] & WaysMask;
            way       = 32'(pick_pkg::first64(ways_free));
            row       = s2_set * Ways + way;
            bits      = 64'd1 << way[5:0];
            `GANTRY_CHECK(a_way, (pending[s2_set] & bits) == 64'd0)  // a line that is on its way keeps its place
            valid[s2_set]  = valid[s2_set] | bits;
            recent[s2_set] = recent[s2_set] | bits;
            recent[s2_set] = (recent[s2_set] | pending[s2_set]) == WaysMask ? bits : recent[s2_set];
            tag_we_q    <= 1'b1;
            tag_waddr_q <= s2_set[SetBits-1:0];
            tag_new     = tag_row;
            tag_new[way*32+:32] = want;
            tag_wdata_q <= tag_new;
            s3_kind = KindHit;  // a store of the whole line needs no old data
            if (info[7:0] != MEM_WRITE) begin
              s3_kind = KindMiss;
              `GANTRY_CHECK(a_mshr, mshr_free != 64'd0)
              mshr    = 32'(pick_pkg::first64(mshr_free));
              s3_mshr = mshr;
              mshr_free        = mshr_free & ~(64'd1 << mshr[5:0]);
              fetched          = fetched & ~(64'd1 << mshr[5:0]);
              timed            = timed & ~(64'd1 << mshr[5:0]);
              pending[s2_set]  = pending[s2_set] | bits;
              mshr_of[row]     = mshr;
              mshr_slot[mshr]  = s2_slot;
              mshr_row[mshr]   = row;
              wait_first[mshr] = None;
            end
          end
        end
        s3_row        = row;
        data_raddr_q <= row[RowBits-1:0];
        slot_raddr_q <= s2_slot[6:0];
        fill_raddr_q <= s2_mshr[MshrBits-1:0];
      end
      data_re_q <= s3_valid;

      // ---- stage 1: tags are read
      s2_valid = s1_valid;
      s2_fill  = s1_fill;
      s2_again = s1_again;
      s2_slot  = s1_slot;
      s2_set   = s1_set;
      s2_mshr  = s1_mshr;

      // ---- data that arrived, and its time
      if (dram_rsp_valid_i) begin
        `GANTRY_CHECK(a_fetched_once, !mshr_free[dram_rsp_i.tag[5:0]] && !fetched[dram_rsp_i.tag[5:0]])
        fetched = fetched | (64'd1 << dram_rsp_i.tag[5:0]);
      end
      if (done_valid_i != '0) begin
        for (int unsigned c = 0; c < Channels; c++) begin
          `GANTRY_CHECK(a_timed_once, !done_valid_i[c] || (!mshr_free[done_id_i[c][5:0]] && !timed[done_id_i[c][5:0]]))
          timed = done_valid_i[c] ? timed | (64'd1 << done_id_i[c][5:0]) : timed;
        end
      end

      // ---- stage 0: choose
      mem_req_credit_o <= 1'b0;
      tag_re_q         <= 1'b0;
      s1_valid = 1'b0;
      quiet    = !s2_valid && !s3_valid && !s4_valid;
      bits     = fetched & timed & ~mshr_free;
      // room for the answers of stages 1 to 4 and of this one
      ready = rsp_count + 32'(s2_valid) + 32'(s3_valid) + 32'(s4_valid) < RspDepth && dram_busy_i == '0;
      if (ready && (bits != 64'd0 || replay_first != None || (in_count != 32'd0 && !inv_busy))) begin
        s1_fill  = bits != 64'd0;
        s1_again = replay_first != None;
        s1_mshr  = 32'(pick_pkg::first64(bits));
        s1_slot  = s1_fill ? mshr_slot[s1_mshr[MshrBits-1:0]] : s1_again ? replay_first : in_queue[in_first];
        s1_set   = set_of(local_line(slot_addr[s1_slot]));
        s1_valid = !(s2_valid && s2_set == s1_set) && !(s3_valid && s3_set == s1_set);
        // a request may need an MSHR (so may the one before it), a way, and must leave slots for the credits given
        if (!s1_fill) begin
          bits     = s2_valid && !s2_fill ? mshr_free & (mshr_free - 64'd1) : mshr_free;
          s1_valid = s1_valid && bits != 64'd0 && pending[s1_set] != WaysMask &&
                     (s1_again || busy_slots < Slots - Depth - 1);
        end
        if (s1_valid) begin
          tag_re_q    <= 1'b1;
          tag_raddr_q <= s1_set[SetBits-1:0];
          if (s1_fill) begin
            fetched = fetched & ~(64'd1 << s1_mshr[5:0]);
          end else if (s1_again) begin
            replay_first = slot_next[s1_slot];
          end else begin
            in_first   = (in_first + 32'd1) & (Depth - 1);
            in_count   = in_count - 32'd1;
            busy_slots = busy_slots + 32'd1;
            sent       = 1'b1;
            mem_req_credit_o <= 1'b1;
          end
        end
      end

      // ---- invalidation: when nothing is under way any more
      blk_evt_valid_o <= 1'b0;
      if (inv_busy && quiet && !s1_valid && replay_first == None && mshr_free == MshrMask) begin
        if (inv_clear && SeedFault != 3'd3) for (int unsigned i = 0; i < Sets; i++) valid[i] = 64'd0;
        inv_busy = 1'b0;
        sent     = 1'b1;
        blk_evt_valid_o <= 1'b1;
        blk_evt_o       <= '{pad0: '0, kind: BLK_INV};
      end
      if (blk_cmd_valid_i) begin
        `GANTRY_CHECK(a_one_command, !inv_busy)
        inv_busy  = 1'b1;
        inv_clear = (blk_cmd_i.flags & 32'(CACHE_INV_L2)) != 32'd0;
      end

      // ---- arrival
      if (mem_req_valid_i) begin
        slot = 32'(slot_free_q);
        `GANTRY_CHECK(a_slot_free, slot[6] ? free_high[slot[5:0]] : free_low[slot[5:0]])
        `GANTRY_CHECK(a_room, in_count < Depth)
        slot_addr[slot] = mem_req_i.addr;
        slot_info[slot] = {mem_req_i.mask == '1, 23'd0, mem_req_i.gpu, mem_req_i.source, mem_req_i.size,
                           mem_req_i.atomic, mem_req_i.op};
        slot_ids[slot]  = {mem_req_i.user, mem_req_i.tag};
        in_queue[(in_first+in_count)&(Depth-1)] = slot;
        in_count  = in_count + 32'd1;
        free_low  = slot[6] ? free_low : free_low & ~(64'd1 << slot[5:0]);
        free_high = slot[6] ? free_high & ~(64'd1 << slot[5:0]) : free_high;
        slot_free_q <= pick_pkg::first128({free_high, free_low});
      end

      if (perf_en_i) perf_data_o <= counter[perf_addr_i];
      rests  = !sent && !s1_valid && quiet && in_count == 32'd0 && replay_first == None && rsp_count == 32'd0 &&
               !inv_busy && (fetched & timed & ~mshr_free) == 64'd0;
      idle_o <= rests;

      if (!rst_ni) begin
        s1_valid = 1'b0;
        s2_valid = 1'b0;
        s3_valid = 1'b0;
        s4_valid = 1'b0;
        for (int unsigned i = 0; i < Sets; i++) begin
          valid[i]   = 64'd0;
          pending[i] = 64'd0;
          recent[i]  = 64'd0;
        end
        for (int unsigned i = 0; i < 16; i++) counter[i] = 64'd0;
        free_low     = '1;
        free_high    = '1;
        in_first     = 32'd0;
        in_count     = 32'd0;
        busy_slots   = 32'd0;
        replay_first = None;
        mshr_free    = MshrMask;
        fetched      = 64'd0;
        timed        = 64'd0;
        rsp_first    = 32'd0;
        rsp_count    = 32'd0;
        rsp_credits  = RspDepth;
        inv_busy     = 1'b0;
        slot_free_q      <= 7'd0;
        tag_re_q         <= 1'b0;
        tag_we_q         <= 1'b0;
        data_re_q        <= 1'b0;
        data_we_q        <= 1'b0;
        mem_rsp_valid_o  <= 1'b0;
        mem_req_credit_o <= 1'b0;
        dram_req_valid_o <= 1'b0;
        cmd_valid_o      <= '0;
        blk_evt_valid_o  <= 1'b0;
        obs_order_valid_o <= 1'b0;
        idle_o           <= 1'b1;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_own, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.op <= MEM_ATOMIC))
  `GANTRY_ASSERT(a_rsp, `GANTRY_IMPL(dram_rsp_valid_i, dram_rsp_i.tag < Mshrs))
endmodule
