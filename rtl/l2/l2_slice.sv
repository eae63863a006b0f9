// SPDX-License-Identifier: Apache-2.0
// One slice of the L2: set-associative, write-back (or write-through, as always of stores that come over a link), misses
// under way in MSHRs, atomics executed here.
// Responsible for: the order of all accesses to a line, answers (a store is answered when every later access finds it),
// write-back and invalidation.  Not responsible for: DRAM timing (dram_channel), contents of DRAM (the store behind
// dram_req).
//
// A request stands in a slot (l2_slots_pkg) from arrival to answer.  Pipeline: 0 choose (l2_choose_pkg), 1 read tags
// (l2_tags_pkg), 2 hit or miss (l2_look_pkg), 3 read data and payload, 4 do it (l2_data_pkg), then l2_answer_pkg; misses
// are in l2_mshr_pkg, the way to DRAM in l2_miss_pkg, maintenance in l2_flush_pkg.  One request a cycle, also to one line:
// what the two stages behind have written to a memory is taken from their registers.
// Order of a line: requests that wait for its fill, or aside for room, are counted for its set, and a later one of the set
// waits behind them.  A fill serves the request that caused it itself, so one that misses again still gets on.
`include "gantry_assert.svh"

module l2_slice
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_slots_pkg::*;
  import l2_choose_pkg::*;
  import l2_tags_pkg::*;
  import l2_mshr_pkg::*;
  import l2_data_pkg::*;
  import l2_miss_pkg::*;
  import l2_answer_pkg::*;
  import l2_flush_pkg::*;
  import l2_look_pkg::*;
#(
  parameter int unsigned Depth = 16,     // input queue = credits of the crossbar, power of two, at most 64
  parameter int unsigned RspDepth = 16,  // credits towards the crossbar, power of two, at most 64
  parameter bit [7:0] FarSource = 8'd81, // crossbar's port of what comes over a link
  parameter bit Through = 1'b0           // write-through
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  input  logic [         7:0] slice_i,  // number of this slice
  output logic                idle_o,
  input  logic                perf_en_i,
  input  logic [         4:0] perf_addr_i,
  output logic [        63:0] perf_data_o,
  input  logic                obs_en_i,
  output logic                obs_order_valid_o,
  output obs_order_t          obs_order_o,
  /* verilator lint_off UNUSEDSIGNAL */  // of messages some fields
  input  logic                mem_req_valid_i,
  input  mem_req_t            mem_req_i,
  output logic                mem_req_credit_o,
  output logic                mem_rsp_valid_o,
  output mem_rsp_t            mem_rsp_o,
  input  logic                mem_rsp_credit_i,
  output logic                dram_req_valid_o,
  output dram_req_t           dram_req_o,
  input  logic                dram_rsp_valid_i,
  input  dram_rsp_t           dram_rsp_i,
  input  blk_cmd_t            blk_cmd_i,
  input  logic                blk_cmd_valid_i,
  output logic                blk_evt_valid_o,
  output blk_evt_t            blk_evt_o,
  output logic [Channels-1:0] cmd_valid_o,      // to the DRAM channels
  output logic                cmd_write_o,
  output logic [        31:0] cmd_line_o,
  output logic [         7:0] cmd_id_o,
  input  logic [Channels-1:0] done_valid_i,     // data of a read are there
  input  logic [         7:0] done_id_i[Channels],
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic [Channels-1:0] wrote_valid_i,    // a write is in DRAM
  input  logic [Channels-1:0] wrote_era_i,
  input  logic [Channels-1:0] dram_busy_i
);
  localparam int unsigned RspBits = $clog2(RspDepth);

  // ---- memories
  logic tag_re_q, tag_we_q, data_re_q, data_we_q;
  set_t tag_raddr_q, tag_waddr_q;
  tag_row_t tag_wdata_q, tag_row;
  row_t data_raddr_q, data_waddr_q;
  line_t data_wdata_q, data_row, payload;
  words_t fill_row;
  slot_t slot_free_q, slot_raddr_q;
  mshr_no_t fill_raddr_q;

  ram_1r1w #(.Width(Ways * 32), .Depth(Sets)) u_tags (
    .clk_i, .we_i(tag_we_q), .waddr_i(tag_waddr_q), .wdata_i(tag_wdata_q),
    .re_i(tag_re_q), .raddr_i(tag_raddr_q), .rdata_o(tag_row)
  );
  ram_1r1w #(.Width(576), .Depth(Rows)) u_data (
    .clk_i, .we_i(data_we_q), .waddr_i(data_waddr_q), .wdata_i(data_wdata_q),
    .re_i(data_re_q), .raddr_i(data_raddr_q), .rdata_o(data_row)
  );
  ram_1r1w #(.Width(576), .Depth(Slots)) u_slots (
    .clk_i, .we_i(mem_req_valid_i), .waddr_i(slot_free_q), .wdata_i({mem_req_i.mask, mem_req_i.data}),
    .re_i(data_re_q), .raddr_i(slot_raddr_q), .rdata_o(payload)
  );
  ram_1r1w #(.Width(512), .Depth(Mshrs)) u_fills (
    .clk_i, .we_i(dram_rsp_valid_i), .waddr_i(dram_rsp_i.tag[MshrBits-1:0]), .wdata_i(dram_rsp_i.data),
    .re_i(data_re_q), .raddr_i(fill_raddr_q), .rdata_o(fill_row)
  );

  // ---- state of the one block below
  /* verilator lint_off BLKSEQ */
  slots_t slots;
  sets_t sets;
  file_t misses;
  queues_t queues;
  flush_t flush;
  mem_rsp_t rsp_queue[RspDepth];
  answers_t answers;
  counters_t counter;

  look_t s1, s2;
  act_t s3, s4;
  line_no_t s1_line, s2_line, s3_line, s4_line, s3_victim, s4_victim;  // lines of these; victims go to DRAM
  logic tag_before, data_before;  // what was written one edge before the registers of the memories
  set_t tag_before_set;
  tag_row_t tag_before_row;
  row_t data_before_row;
  line_t data_before_line;
  take_e what;                    // chosen last

  // ---- what lives within one edge
  access_t a;
  found_t found;
  look_e look;
  line_no_t line;
  tag_row_t tags;
  line_t held;
  done_t done;
  mshr_no_t told;
  slot_t next;
  dram_req_t message;
  command_t command;
  ways_t match, ahead;
  way_t way;
  chan_t c;
  chans_t slow, waited;
  logic sent, store_sent, writes, again, rests;

  // nothing is looked at while the slice rests and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || mem_req_valid_i || mem_rsp_credit_i || dram_rsp_valid_i || done_valid_i != '0 ||
        wrote_valid_i != '0 || blk_cmd_valid_i || perf_en_i || !rst_ni) begin
      sent = 1'b0;
      // ---- answers leave
      mem_rsp_valid_o <= 1'b0;
      if (answers.count != 7'd0 && answers.credits != 7'd0) begin
        mem_rsp_valid_o <= 1'b1;
        mem_rsp_o       <= rsp_queue[answers.first[RspBits-1:0]];
        answers.first   = answers.first + 7'd1;
        answers.count   = answers.count - 7'd1;
        answers.credits = answers.credits - 7'd1;
        sent            = 1'b1;
      end
      if (mem_rsp_credit_i) begin
        `GANTRY_CHECK(a_credit, answers.credits < 7'(RspDepth))
        answers.credits = answers.credits + 7'd1;
      end
      // ---- messages to the store that wait leave before what stage 4 adds
      store_sent = queues.store_count != 4'd0;
      dram_req_valid_o <= store_sent;
      if (store_sent) begin
        dram_req_o <= queues.store[queues.store_first];
        queues.store_first = queues.store_first + 3'd1;
        queues.store_count = queues.store_count - 4'd1;
        sent               = 1'b1;
      end

      // ---- stage 4: do it
      obs_order_valid_o <= 1'b0;
      data_we_q         <= 1'b0;
      if (s4.valid) begin
        held = data_before && data_before_row == s4.row ? data_before_line : data_row;
        held = data_we_q && data_waddr_q == s4.row ? data_wdata_q : held;
        sent = 1'b1;
        a    = slots.access[s4.slot];
        serve(done, a, s4, held, fill_row, payload);
        writes = a.through && (done.is_write || done.is_atomic);
        if (done.keeps) begin
          data_we_q    <= 1'b1;
          data_waddr_q <= s4.row;
          data_wdata_q <= done.fresh;
          if (s4.what != DataFill && done.fresh.mask == '1)  // stores have left all bytes of the line
            sets.set[row_set(s4.row)].full = sets.set[row_set(s4.row)].full | (ways_t'(1) << row_way(s4.row));
        end
        if (done.serves) begin
          `GANTRY_CHECK(a_answer_room, answers.count < 7'(RspDepth))
          `GANTRY_CHECK(a_slot_taken, slots.busy != 8'd0)
          rsp_queue[RspBits'(answers.first+answers.count)] = answer(a, slots.ids[s4.slot], slots.from[s4.slot],
                                                                    done.told);
          answers.count = answers.count + 7'd1;
          leave(slots, s4.slot);
        end
        if (obs_en_i && (done.is_write || done.is_atomic)) begin
          obs_order_valid_o <= 1'b1;
          obs_order_o <= order(a, slots.ids[s4.slot], slots.from[s4.slot], done, payload);
        end
        // the request's own access to DRAM, then the write-back
        for (int unsigned k = 0; k < 2; k++) begin
          if (k == 0 ? writes || s4.what == DataFetch : s4.victim) begin
            line = k == 0 ? s4_line : s4_victim;
            if (k == 0 && !writes) message = fetch_message(addr_of(line, slice_i), s4.mshr);
            else if (k == 0) message = write_message(addr_of(line, slice_i), done.mask, stored_words(done, payload));
            else message = write_message(addr_of(line, slice_i), held.mask, held.words);
            if (store_sent) begin
              `GANTRY_CHECK(a_store_queue, queues.store_count < 4'(StorePlaces))
              queue_message(queues, message);
            end else begin
              dram_req_valid_o <= 1'b1;
              dram_req_o       <= message;
            end
            store_sent = 1'b1;
            c          = channel_of(line);
            `GANTRY_CHECK(a_queue, queues.count[2'(c)] < 6'(QueuePlaces))
            command = k == 0 && !writes ? fetch_command(line, s4.mshr) : write_command(line, s4.era);
            queue_command(queues, c, command);
            tally(counter, command.write ? CountWritten : CountFetched);
          end
        end
        if (s4.victim) tally(counter, s4.what == DataFlush ? CountFlushed : CountVictims);
      end
      data_before = data_we_q;
      if (data_we_q) begin
        data_before_row  = data_waddr_q;
        data_before_line = data_wdata_q;
      end
      // ---- a command leaves for a channel that takes it
      cmd_valid_o <= '0;
      if (queues.count != '0) begin
        sent        = 1'b1;
        queues.turn = queues.turn + chan_t'(1);
        waited      = at_limit(queues, 6'd1) & ~dram_busy_i;
        if (waited != '0) begin
          c       = at_turn(queues.turn, waited);
          command = take_command(queues, c);
          cmd_valid_o <= chans_t'(1) << c;
          cmd_write_o <= command.write;
          cmd_line_o  <= command.line;
          cmd_id_o    <= command.id;
        end
      end

      // ---- stage 3: memories are read
      s4        = s3;
      s4_line   = s3_line;
      s4_victim = s3_victim;
      s3.valid  = 1'b0;

      // ---- stage 2: hit or miss
      tag_we_q <= 1'b0;
      slow = at_limit(queues, QueueSlow);
      if (s2.valid) begin
        tags  = tag_before && tag_before_set == s2.set ? tag_before_row : tag_row;
        tags  = tag_we_q && tag_waddr_q == s2.set ? tag_wdata_q : tags;
        a     = slots.access[s2.slot];
        match = holding(tags, s2_line, sets.set[s2.set].valid);
        `GANTRY_CHECK(a_one_way, (match & (match - ways_t'(1))) == '0)
        if (s2.what == TakeFill) begin
          `GANTRY_CHECK(a_pending, sets.set[s2.set].pending[row_way(misses.mshr[s2.mshr].row)])
          s3 = look_fill(sets, misses, slots, s2, s2_line, a);
        end else if (s2.what == TakeFlush) s3 = look_flush(sets, misses, tags, flush, s2, match);
        else begin
          c     = channel_of(s2_line);
          ahead = s4.valid && row_set(s4.row) == s2.set ? ways_t'(1) << row_way(s4.row) : '0;
          look  = look_up(sets, misses, slots, tags, s2, a, c, match, ahead, slow, found, way);
          `GANTRY_CHECK(a_mshr, look != LookFetch || misses.free != '0)
          `GANTRY_CHECK(a_waits_once, look != LookWait || s2.what == TakeNew)
          `GANTRY_CHECK(a_way, found.present || (look != LookNew && look != LookFetch) ||
                        ((sets.set[s2.set].pending | ahead) & (ways_t'(1) << way)) == '0)
          s3 = look_request(sets, misses, slots, look, s2, a, c, found, way);
          if (s2.what == TakeNew) tally(counter, counts(a, found));
        end
        s3.slot   = s2.slot;
        s3.era    = queues.era;
        s3_line   = s2_line;
        s3_victim = tags[row_way(s3.row)];
        if (s3.valid && s3.takes) begin
          tags[row_way(s3.row)] = s2_line;
          tag_we_q    <= 1'b1;
          tag_waddr_q <= s2.set;
          tag_wdata_q <= tags;
        end
        // writes decided here
        if (s3.valid) queues.writes[queues.era] = queues.writes[queues.era] + 16'(s3.victim) +
                                                  16'(s3.what != DataFetch && s3.what != DataFlush && writes_dram(a));
        data_raddr_q <= s3.row;
        slot_raddr_q <= s2.slot;
        fill_raddr_q <= s2.mshr;
      end
      tag_before = tag_we_q;
      if (tag_we_q) begin
        tag_before_set = tag_waddr_q;
        tag_before_row = tag_wdata_q;
      end
      data_re_q <= s3.valid;

      // ---- stage 1: tags are read
      s2       = s1;
      s2_line  = s1_line;
      s1.valid = 1'b0;

      // ---- what DRAM tells
      if (dram_rsp_valid_i) begin
        told = dram_rsp_i.tag[MshrBits-1:0];
        `GANTRY_CHECK(a_fetched_once, !misses.free[told] && !misses.fetched[told])
        misses.fetched = misses.fetched | (mshrs_t'(1) << told);
      end
      for (int unsigned k = 0; k < Channels; k++) begin  // times of reads, ends of writes
        if (done_valid_i[k]) begin
          told = done_id_i[k][MshrBits-1:0];
          `GANTRY_CHECK(a_timed_once, !misses.free[told] && !misses.timed[told])
          misses.timed = misses.timed | (mshrs_t'(1) << told);
        end
        if (wrote_valid_i[k]) begin
          `GANTRY_CHECK(a_wrote, queues.writes[wrote_era_i[k]] != 16'd0)
          queues.writes[wrote_era_i[k]] = queues.writes[wrote_era_i[k]] - 16'd1;
        end
      end

      // ---- maintenance: where the next step is, the answer
      blk_evt_valid_o <= 1'b0;
      if (ends(flush, queues, s2.valid && s2.what == TakeFlush)) begin
        sent = 1'b1;
        tally(counter, CountCommands);
        blk_evt_valid_o <= 1'b1;
        blk_evt_o       <= '{pad0: '0, kind: BLK_INV};
      end
      seek(flush, sets);

      // ---- stage 0: choose
      mem_req_credit_o <= 1'b0;
      tag_re_q         <= 1'b0;
      if (room({1'b0, answers.count}, 8'(RspDepth), queues.store_count, 4'(StorePlaces),
               2'(s2.valid) + 2'(s3.valid) + 2'(s4.valid), at_limit(queues, QueueFull) != '0)) begin
        waited = waited_for(slots) & ~slow;
        c      = at_turn(slots.turn, waited);
        again  = waited != '0 && may_go(slots, sets, misses, c, s2);
        what   = take(ready(misses) != '0, steps(flush) && at_limit(queues, QueueFlush) == '0,
                      again && slots.replay[c].some, again && !slots.replay[c].some,
                      slots.in_count != 7'd0 && slots.busy < 8'(Slots - Depth - 1), what);
        if (what != TakeNone) begin
          if (what == TakeFlush) begin
            s1_line = flush.at;
            s1      = step(flush);
          end else begin
            s1      = goes(slots, misses, what, c);
            s1_line = line_of(slots.access[s1.slot].addr);
            s1.set  = set_of(s1_line);
          end
          mem_req_credit_o <= what == TakeNew;
          tag_re_q    <= 1'b1;
          tag_raddr_q <= s1.set;
        end
      end

      // ---- a command begins
      if (blk_cmd_valid_i) begin
        `GANTRY_CHECK(a_one_command, flush.state == FlushRest)
        start(flush, sets, misses, blk_cmd_i);
      end

      // ---- arrival
      if (mem_req_valid_i) begin
        `GANTRY_CHECK(a_room, slots.in_count < 7'(Depth))
        next = arrive(slots, slot_free_q, mem_req_i, Through || mem_req_i.source == FarSource);
        slot_free_q <= next;
      end

      if (perf_en_i) perf_data_o <= perf_addr_i == CountDirty ? {49'd0, sets.dirty_lines} : counter[perf_addr_i];
      rests = !sent && !s1.valid && !s2.valid && !s3.valid && !s4.valid && slots.in_count == 7'd0 &&
              waited_for(slots) == '0 && answers.count == 7'd0 && queues.store_count == 4'd0 && queues.count == '0 &&
              flush.state == FlushRest && ready(misses) == '0;
      idle_o <= rests;

      if (!rst_ni) begin
        s1 = '0;
        s2 = '0;
        s3 = '0;
        s4 = '0;
        slots_reset(slots);
        sets_reset(sets);
        file_reset(misses);
        queues_reset(queues);
        flush       = '0;
        counter     = '{default: '0};
        answers     = '{credits: 7'(RspDepth), default: '0};
        what        = TakeNone;
        {tag_before, data_before, rests} = 3'b001;
        {tag_re_q, tag_we_q, data_re_q, data_we_q} <= '0;
        {mem_rsp_valid_o, mem_req_credit_o, dram_req_valid_o, blk_evt_valid_o, obs_order_valid_o} <= '0;
        cmd_valid_o <= '0;
        slot_free_q <= '0;
        idle_o      <= 1'b1;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  `GANTRY_ASSERT(a_own, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.op <= MEM_ATOMIC))
  `GANTRY_ASSERT(a_rsp, `GANTRY_IMPL(dram_rsp_valid_i, dram_rsp_i.tag < Mshrs))
endmodule
