// SPDX-License-Identifier: Apache-2.0
// One slice of the L2: set-associative, write-back (or write-through, as always of stores that come over a link), misses
// under way in MSHRs, atomics executed here.
// Responsible for: the order of all accesses to a line, answers (a store is answered when every later access finds it),
// write-back and invalidation.  Not responsible for: DRAM timing (dram_channel), contents of DRAM (the store behind
// dram_req).
//
// A request stands in a slot from arrival to answer.  Pipeline: 0 choose, 1 read tags, 2 hit or miss, 3 read data and
// payload, 4 do it; what each stage does is in l2_choose_pkg, l2_tags_pkg, l2_mshr_pkg, l2_data_pkg, l2_answer_pkg, the
// way to DRAM in l2_miss_pkg, maintenance in l2_flush_pkg.  One request a cycle, also to one line: what the two stages
// behind have written to a memory is taken from their registers.
// Order of a line: requests that wait for its fill, or aside for room, are counted for its set, and a later one of the set
// waits behind them.  A fill serves the request that caused it itself, so one that misses again still gets on.
// Discard: the input queue is dropped, its credits go back one a cycle; what was taken is finished without answers, so that
// no line is left half done and nothing is performed behind the end of the discard.
`include "gantry_assert.svh"

module l2_slice
  import gantry_msg_pkg::*;
  import gantry_counters_pkg::*;
  import l2_pkg::*;
  import l2_choose_pkg::*;
  import l2_tags_pkg::*;
  import l2_mshr_pkg::*;
  import l2_data_pkg::*;
  import l2_miss_pkg::*;
  import l2_answer_pkg::*;
  import l2_flush_pkg::*;
#(
  parameter int unsigned Slices = 16,   // of the GPU, power of two
  parameter int unsigned Kib = 128,
  parameter int unsigned Ways = 16,     // power of two, at most 16
  parameter int unsigned Mshrs = 256,   // at most 256
  parameter int unsigned Channels = 2,  // DRAM channels, power of two, at most 4
  parameter int unsigned ChanBit = 2,  // of a line's number within the slice at which its channel stands
  parameter int unsigned Depth = 16,    // input queue = credits of the crossbar, power of two, at most 64
  parameter int unsigned RspDepth = 16, // credits towards the crossbar, power of two, at most 64
  parameter bit [7:0] FarSource = 8'd81, // crossbar's port of what comes over a link
  parameter bit Through = 1'b0,         // write-through
  parameter int unsigned Aside = 111,   // requests that wait for a fill or for room, or are on their way
  parameter int unsigned Sets = Kib * 16 / Ways  // power of two (proofs: fewer)
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
  output levels_t             levels_o,         // at the last edge with work; not reset
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
  input  ctl_cmd_t            maint_i,          // CTL_INV, one at a time
  /* verilator lint_on UNUSEDSIGNAL */
  input  logic                maint_valid_i,
  output logic                maint_done_o,
  input  logic                hold_take_i,      // control: nothing is taken from the input queue
  input  logic                hold_all_i,       // nor answered, looked up or sent to DRAM, whose answers are taken
  input  logic                discard_i,        // pulse beside hold_all_i: see below
  output logic                drained_o,        // while hold_take_i: what was taken is finished, and in DRAM
  output logic                discarded_o,      // pulse
  output logic [Channels-1:0] cmd_valid_o,      // to the DRAM channels
  output logic                cmd_write_o,
  output logic [        31:0] cmd_line_o,
  output logic [         7:0] cmd_id_o,
  input  logic [Channels-1:0] done_valid_i,     // data of a read are there
  input  logic [         7:0] done_id_i[Channels],
  input  logic [Channels-1:0] wrote_valid_i,    // a write is in DRAM
  input  logic [Channels-1:0] wrote_era_i,
  input  logic [Channels-1:0] dram_busy_i
);
  // what misses have, what has come, and what is aside
  localparam int unsigned Slots = 2 ** $clog2(Mshrs + Depth + Aside + 1);
  localparam int unsigned SlotBits = $clog2(Slots);
  localparam int unsigned Rows = Sets * Ways;
  localparam int unsigned Groups = Sets > 64 ? Sets / 64 : 1;  // of sets, in the summary of dirty lines
  localparam int unsigned SetBits = Sets > 1 ? $clog2(Sets) : 1;
  localparam int unsigned RowBits = $clog2(Rows);
  localparam int unsigned MshrBits = Mshrs > 1 ? $clog2(Mshrs) : 1;
  localparam int unsigned DepthBits = $clog2(Depth);
  localparam int unsigned RspBits = $clog2(RspDepth);
  localparam int unsigned ChanBits = Channels > 1 ? $clog2(Channels) : 1;
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1;
  localparam shape_t Shape = '{
      slice_bits: 5'($clog2(Slices)), set_bits: 5'($clog2(Sets)), way_bits: 5'($clog2(Ways)),
      chan_bits: 5'($clog2(Channels)), chan_bit: 5'(ChanBit)
  };
  localparam ways_t AllWays = all_ways(Shape);
  typedef logic [ChanBits-1:0] chan_t;

  // ---- memories
  logic tag_re_q, tag_we_q, data_re_q, data_we_q;
  logic [SetBits-1:0] tag_raddr_q, tag_waddr_q;
  line_no_t [Ways-1:0] tag_wdata_q, tag_row;
  logic [RowBits-1:0] data_raddr_q, data_waddr_q;
  line_t data_wdata_q, data_row, payload;
  words_t fill_row;
  logic [SlotBits-1:0] slot_free_q, slot_raddr_q;
  logic [MshrBits-1:0] fill_raddr_q;

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
  access_t slot_access[Slots];
  ids_t slot_ids[Slots];
  from_t slot_from[Slots];
  slot_t slot_next[Slots];  // of the list that the slot is in
  slot_t free_slots[Slots];  // a stack below slot_free_q, so that few words of the payload are in use
  logic [9:0] slots_left;
  slot_t in_queue[Depth];
  logic [6:0] in_first, in_count;
  logic [9:0] busy_slots;  // neither free nor in the input queue
  list_t replay[Channels], waiter[Channels];  // wait since a fill, for room

  ways_t valid[Sets], pending[Sets], full[Sets], dirty[Sets], recent[Sets], young[Sets];  // see l2_tags_pkg
  logic [9:0] waits[Sets];                   // requests in replay and waiter
  mshr_no_t mshr_of[Rows];
  logic [63:0] dirty_sets[Groups];           // sets with dirty ways
  logic [14:0] dirty_lines;
  mshr_t mshr[Mshrs];
  logic [9:0] mshr_count[Mshrs];             // in the list
  mshr_no_t free_mshrs[Mshrs];               // a stack
  logic [8:0] mshrs_left;
  mshr_no_t timed[1 << MshrBits];            // lines that have left the memory, not sent for: a ring
  mshr_no_t fills[1 << MshrBits];            // lines that have come: a ring
  logic [7:0] timed_first, fill_first;
  logic [8:0] timed_count, fill_count;

  look_t s1, s2;
  act_t s3, s4;
  line_no_t s1_line, s2_line, s3_line, s4_line;  // of the request, or of the flush
  line_no_t s3_victim, s4_victim;                // that goes to DRAM
  logic tag_before, data_before;             // what was written one edge before the registers of the memories
  logic [SetBits-1:0] tag_before_set;
  line_no_t [Ways-1:0] tag_before_row;
  logic [RowBits-1:0] data_before_row;
  line_t data_before_line;

  dram_req_t store_queue[StorePlaces], message;
  logic [2:0] store_first;
  logic [3:0] store_count;
  command_t cmd_queue[QueuePlaces << ChanBits], command;  // channel, place
  logic [4:0] cmd_first[Channels];
  logic [3:0][5:0] cmd_count;
  chan_t cmd_turn, again_turn;
  logic [15:0] era_writes[2];                // decided and not yet in DRAM
  logic era;                                 // of what is decided now, see l2_flush_pkg
  take_e what;                               // chosen last
  flush_t flush;

  logic [1:0] holds_q;                       // hold_take_i, hold_all_i at the last edge
  logic dropping;                            // a discard is under way: what was taken goes on, its answers are dropped
  logic [6:0] drop_left;                     // requests of the input queue that are to be dropped

  mem_rsp_t rsp_queue[RspDepth];
  logic [6:0] rsp_first, rsp_count, rsp_credits;
  logic [63:0] counter[L2_COUNTERS];

  // ---- what lives within one edge
  access_t a;
  mshr_t m;
  mshr_no_t free_mshr, come;
  found_t found;
  room_t can;
  look_e look;
  slot_t first;
  take_e last;
  line_no_t line;
  line_no_t [Ways-1:0] tags;
  line_t held, fresh;
  words_t base, told;
  logic [63:0] old, value, mask;
  ways_t match, bit_of, able, slow_ways, named_ways;
  way_t way;
  row_t row;
  set_t set;
  slot_t slot;
  chan_t c;
  logic [3:0] slow;
  logic [4:0] count;
  logic sent, store_sent, serves, is_write, is_atomic, is_line, writes, was_dirty, keep, again, fresh_one;
  logic step, room_left, rests, hold, freed, finished;
  logic sets_dirty, clears_dirty;

  function automatic chan_t channel_at(input chan_t turn, input int unsigned k);
    return chan_t'((32'(turn) + k) & (Channels - 1));
  endfunction

  // nothing is looked at while the slice rests and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || mem_req_valid_i || mem_rsp_credit_i || dram_rsp_valid_i || done_valid_i != '0 ||
        wrote_valid_i != '0 || maint_valid_i || perf_en_i || discard_i || holds_q != {hold_take_i, hold_all_i} ||
        !rst_ni) begin
      sent = 1'b0;
      holds_q <= {hold_take_i, hold_all_i};
      if (discard_i) begin
        dropping  = 1'b1;
        drop_left = in_count;
      end
      if (dropping) rsp_count = 7'd0;
      hold  = hold_all_i && !dropping;
      freed = s4.valid;
      // ---- answers leave
      mem_rsp_valid_o <= 1'b0;
      if (rsp_count != 7'd0 && rsp_credits != 7'd0 && !hold) begin
        mem_rsp_valid_o <= 1'b1;
        mem_rsp_o       <= rsp_queue[rsp_first[RspBits-1:0]];
        rsp_first   = rsp_first + 7'd1;
        rsp_count   = rsp_count - 7'd1;
        rsp_credits = rsp_credits - 7'd1;
        sent        = 1'b1;
      end
      if (mem_rsp_credit_i) begin
        `GANTRY_CHECK(a_credit, rsp_credits < 7'(RspDepth))
        rsp_credits = rsp_credits + 7'd1;
      end
      // ---- messages to the store that wait leave before what stage 4 adds
      store_sent = store_count != 4'd0 && !hold;
      dram_req_valid_o <= store_sent;
      if (store_sent) begin
        dram_req_o  <= store_queue[store_first];
        store_first = store_first + 3'd1;
        store_count = store_count - 4'd1;
        sent        = 1'b1;
      end
      store_sent = store_sent || hold;  // what stage 4 adds waits, too

      // ---- stage 4: do it
      obs_order_valid_o <= 1'b0;
      if (s4.valid) begin
        held = data_row;
        if (data_before && data_before_row == s4.row[RowBits-1:0]) held = data_before_line;
        if (data_we_q && data_waddr_q == s4.row[RowBits-1:0]) held = data_wdata_q;
      end
      data_before = data_we_q;
      if (data_we_q) begin
        data_before_row  = data_waddr_q;
        data_before_line = data_wdata_q;
      end
      data_we_q <= 1'b0;
      if (s4.valid) begin
        sent      = 1'b1;
        a         = slot_access[SlotBits'(s4.slot)];
        serves    = s4.what != DataFetch && s4.what != DataFlush;
        is_write  = serves && a.op == MEM_WRITE[1:0];
        is_atomic = serves && a.op == MEM_ATOMIC[1:0];
        writes    = a.through && (is_write || is_atomic);
        is_line   = is_atomic && payload.mask != 64'd0;  // several words
        mask      = is_atomic && !is_line ? lane_mask(a) : payload.mask;
        value     = 64'd0;
        if (serves) begin
          base = s4.what == DataFill ? fill_row : held.words;
          if (s4.merge) base = blend(base, held.words, held.mask);
          told  = is_write ? '0 : base;
          fresh = '{mask: s4.dirty ? held.mask : 64'd0, words: base};
          if (is_line) fresh.words = atomic_line(a, base, payload.words, mask);
          if (is_atomic && !is_line) begin
            old     = lane_old(a, base);
            value   = lane_new(a, old, payload.words[0],
                               a.wide ? payload.words[1] : 64'(payload.words[1][31:0]));
            told[0] = old;
            fresh.words[a.addr[5:3]] = (base[a.addr[5:3]] & ~spread(mask[{a.addr[5:3], 3'd0}+:8])) |
                                       (value & spread(mask[{a.addr[5:3], 3'd0}+:8]));
          end
          if (is_write) fresh.words = s4.what == DataHit && !a.whole ? blend(base, payload.words, mask) : payload.words;
          if ((is_write || is_atomic) && !a.through) fresh.mask = fresh.mask | mask;
          if (s4.what == DataFill || s4.what == DataNew || (s4.what == DataHit && (is_write || is_atomic))) begin
            data_we_q    <= 1'b1;
            data_waddr_q <= s4.row[RowBits-1:0];
            data_wdata_q <= fresh;
            // stores have left all bytes of the line
            if (s4.what != DataFill && fresh.mask == '1)
              full[SetBits'(s4.row >> Shape.way_bits)] = full[SetBits'(s4.row >> Shape.way_bits)] |
                                                         ways_t'(1) << (s4.row & row_t'(Ways - 1));
          end
          `GANTRY_CHECK(a_answer_room, rsp_count < 7'(RspDepth))
          `GANTRY_CHECK(a_slot_taken, busy_slots != 10'd0)
          rsp_queue[RspBits'(rsp_first+rsp_count)] =
              answer(a, slot_ids[SlotBits'(s4.slot)], slot_from[SlotBits'(s4.slot)], told);
          rsp_count  = rsp_count + 7'd1;
          busy_slots = busy_slots - 10'd1;
          free_slots[slots_left[SlotBits-1:0]] = s4.slot;
          slots_left = slots_left + 10'd1;
        end
        if (obs_en_i && (is_write || is_atomic)) begin
          obs_order_valid_o <= 1'b1;
          obs_order_o <= order(a, slot_ids[SlotBits'(s4.slot)], slot_from[SlotBits'(s4.slot)], mask,
                               is_atomic && !is_line ?
                               512'({old, payload.words[1], payload.words[0]}) : payload.words, is_line, told);
        end
        // the request's own access to DRAM, then the write-back
        if (writes) begin
          message = write_message(addr_of(s4_line, slice_i, Shape), mask,
                                  is_line ? fresh.words : is_atomic ? {8{value}} : payload.words);
          if (store_sent) begin
            store_queue[store_first+store_count[2:0]] = message;
            store_count = store_count + 4'd1;
          end else begin
            dram_req_valid_o <= 1'b1;
            dram_req_o       <= message;
          end
          store_sent = 1'b1;
        end
        if (writes || s4.what == DataFetch) begin
          c = chan_t'(channel_of(s4_line, Shape));
          `GANTRY_CHECK(a_queue, cmd_count[2'(c)] < 6'(QueuePlaces))
          cmd_queue[{c, cmd_first[c]+cmd_count[2'(c)][4:0]}] = writes ? write_command(s4_line, s4.era, Shape) :
                                                                    fetch_command(s4_line, s4.mshr, Shape);
          cmd_count[2'(c)] = cmd_count[2'(c)] + 6'd1;
          counter[5'(writes ? L2_DRAM_WRITE : L2_DRAM_READ)] += 64'd1;
        end
        if (s4.victim) begin
          message = write_message(addr_of(s4_victim, slice_i, Shape), held.mask, held.words);
          if (store_sent) begin
            `GANTRY_CHECK(a_store_queue, store_count < 4'(StorePlaces))
            store_queue[store_first+store_count[2:0]] = message;
            store_count = store_count + 4'd1;
          end else begin
            dram_req_valid_o <= 1'b1;
            dram_req_o       <= message;
          end
          store_sent = 1'b1;
          c = chan_t'(channel_of(s4_victim, Shape));
          `GANTRY_CHECK(a_victim_queue, cmd_count[2'(c)] < 6'(QueuePlaces))
          cmd_queue[{c, cmd_first[c]+cmd_count[2'(c)][4:0]}] = write_command(s4_victim, s4.era, Shape);
          cmd_count[2'(c)] = cmd_count[2'(c)] + 6'd1;
          counter[5'(L2_DRAM_WRITE)] += 64'd1;
          if (s4.what == DataFlush) counter[5'(L2_WRITEBACK_FLUSH)] += 64'd1;
          else counter[5'(L2_WRITEBACK_VICTIM)] += 64'd1;
        end
      end
      // ---- a line that has left the memory is sent for: its contents come as late as its way back is long
      if (timed_count != 9'd0 && !store_sent) begin
        come = timed[timed_first[MshrBits-1:0]];
        dram_req_valid_o <= 1'b1;
        dram_req_o <= fetch_message(
            addr_of(line_of(slot_access[SlotBits'(mshr[come[MshrBits-1:0]].slot)].addr, Shape), slice_i, Shape), come);
        timed_first = 8'(MshrBits'(timed_first + 8'd1));
        timed_count = timed_count - 9'd1;
        sent        = 1'b1;
      end
      // ---- a command leaves for a channel that takes it
      cmd_valid_o <= '0;
      if (cmd_count != '0 && !hold) begin
        sent     = 1'b1;
        cmd_turn = cmd_turn + chan_t'(1);
        step     = 1'b0;
        c        = '0;
        foreach (cmd_first[k]) begin
          if (!step && cmd_count[2'(channel_at(cmd_turn, k))] != 6'd0 && !dram_busy_i[channel_at(cmd_turn, k)]) begin
            step = 1'b1;
            c    = channel_at(cmd_turn, k);
          end
        end
        if (step) begin
          command = cmd_queue[{c, cmd_first[c]}];
          cmd_valid_o <= Channels'(1) << c;
          cmd_write_o <= command.write;
          cmd_line_o  <= command.line;
          cmd_id_o    <= command.id;
          cmd_first[c] = cmd_first[c] + 5'd1;
          cmd_count[2'(c)] = cmd_count[2'(c)] - 6'd1;
        end
      end

      // ---- stage 3: memories are read
      s4        = s3;
      s4_line   = s3_line;
      s4_victim = s3_victim;
      s3.valid  = 1'b0;

      // ---- stage 2: hit or miss
      if (s2.valid) begin
        tags = tag_row;
        if (tag_before && tag_before_set == SetBits'(s2.set)) tags = tag_before_row;
        if (tag_we_q && tag_waddr_q == SetBits'(s2.set)) tags = tag_wdata_q;
      end
      tag_before = tag_we_q;
      if (tag_we_q) begin
        tag_before_set = tag_waddr_q;
        tag_before_row = tag_wdata_q;
      end
      tag_we_q <= 1'b0;
      slow = at_limit(cmd_count, QueueSlow);
      if (s2.valid) begin
        set  = s2.set;
        a    = slot_access[SlotBits'(s2.slot)];
        s3   = '0;
        s3.slot      = s2.slot;
        s3_line      = s2_line;
        s3.mshr      = s2.mshr;
        s3.era       = era;
        sets_dirty   = 1'b0;
        clears_dirty = 1'b0;
        match        = '0;
        foreach (tags[w]) begin
          match = match | (ways_t'(tags[w] == s2_line) << w);
        end
        match = match & valid[SetBits'(set)];
        `GANTRY_CHECK(a_one_way, (match & (match - 16'd1)) == 16'd0)
        if (s2.what == TakeFill) begin
          m         = mshr[s2.mshr[MshrBits-1:0]];
          way       = way_t'(m.row & row_t'(Ways - 1));
          bit_of    = ways_t'(1) << way;
          was_dirty = (dirty[SetBits'(set)] & bit_of) != 16'd0;
          sets_dirty = !a.through && a.op == MEM_ATOMIC[1:0];
          keep      = was_dirty || sets_dirty || ((a.op != MEM_READ_NC[1:0] || m.waits) && !m.drop);
          `GANTRY_CHECK(a_pending, (pending[SetBits'(set)] & bit_of) != 16'd0)
          pending[SetBits'(set)] = pending[SetBits'(set)] & ~bit_of;
          valid[SetBits'(set)]   = keep ? valid[SetBits'(set)] : valid[SetBits'(set)] & ~bit_of;
          full[SetBits'(set)]    = m.drop ? full[SetBits'(set)] & ~bit_of : full[SetBits'(set)] | bit_of;
          young[SetBits'(set)]   = m.old ? young[SetBits'(set)] & ~bit_of : young[SetBits'(set)] | bit_of;
          mshr[s2.mshr[MshrBits-1:0]].busy = 1'b0;
          free_mshrs[mshrs_left[MshrBits-1:0]] = s2.mshr;
          mshrs_left = mshrs_left + 9'd1;
          s3.valid = 1'b1;
          s3.what  = DataFill;
          s3.merge = m.merge;
          s3.dirty = was_dirty;
          if (m.waits) begin
            c = chan_t'(channel_of(s2_line, Shape));
            if (replay[c].some) slot_next[SlotBits'(m.last)] = replay[c].first;
            replay[c] = prepend(replay[c], m.first, m.last);
            waits[SetBits'(set)] = waits[SetBits'(set)] + mshr_count[s2.mshr[MshrBits-1:0]];
          end
        end else if (s2.what == TakeFlush) begin
          way    = s2.by_line ? first_way(match) : s2.way;
          line   = tags[way & way_t'(Ways - 1)];
          bit_of = ways_t'(1) << way;
          bit_of = s2.by_line && match == 16'd0 ? 16'd0 : bit_of;
          named_ways = match;
          if (!s2.by_line) begin
            named_ways = 16'd0;
            foreach (tags[w]) begin
              named_ways = named_ways | (ways_t'(named(flush, tags[w])) << w);
            end
            named_ways = named_ways & valid[SetBits'(set)];
          end
          bit_of = bit_of & named_ways & dirty[SetBits'(set)];
          if (flush.drop && (s2.by_line || s2.sweep)) begin
            for (int unsigned w = 0; w < Ways; w++)
              if (named_ways[w] && pending[SetBits'(set)][w])
                mshr[MshrBits'(mshr_of[RowBits'(row_of(set, way_t'(w), Shape))])].drop = 1'b1;
            able = named_ways & ~pending[SetBits'(set)] & ~dirty[SetBits'(set)];
            valid[SetBits'(set)] = valid[SetBits'(set)] & ~able;
            full[SetBits'(set)]  = full[SetBits'(set)] & ~named_ways;
          end
          if (flush.write_back && bit_of != 16'd0) begin
            clears_dirty = 1'b1;
            keep = (pending[SetBits'(set)] & bit_of) != 16'd0 ||
                   (!flush.drop && (full[SetBits'(set)] & bit_of) != 16'd0);
            valid[SetBits'(set)] = keep ? valid[SetBits'(set)] : valid[SetBits'(set)] & ~bit_of;
            s3.valid       = 1'b1;
            s3.what        = DataFlush;
            s3.victim      = 1'b1;
            s3_victim = line;
          end
        end else begin
          again  = s2.what != TakeNew;
          c      = chan_t'(channel_of(s2_line, Shape));
          way    = first_way(match);
          bit_of = match;
          found  = '{present: match != 16'd0, pending: (match & pending[SetBits'(set)]) != 16'd0,
                     full: (match & full[SetBits'(set)] & (a.other ? young[SetBits'(set)] : AllWays)) != 16'd0};
          // not what is on its way, nor what the stage ahead works on
          able = AllWays & ~pending[SetBits'(set)];
          if (s4.valid && SetBits'(s4.row >> Shape.way_bits) == SetBits'(set))
            able = able & ~(ways_t'(1) << (s4.row & row_t'(Ways - 1)));
          slow_ways = 16'd0;
          if (slow != 4'd0)
            for (int unsigned w = 0; w < Ways; w++)
              slow_ways = slow_ways | (ways_t'(slow[channel_of(tags[w], Shape)]) << w);
          slow_ways = slow_ways & dirty[SetBits'(set)];
          can = '{again: again, set_waits: waits[SetBits'(set)] != 10'd0, channel: !slow[2'(c)] && !waiter[c].some,
                  mshr: mshrs_left != 9'd0, way: (able & ~slow_ways) != 16'd0};
          look = decide(a, found, can);
          if (again) waits[SetBits'(set)] = waits[SetBits'(set)] - 10'd1;
          else begin  // of each kind hit, miss, mshr-hit, in this order
            count = 5'(a.op == MEM_WRITE[1:0] ? L2_WRITE_HIT : a.op == MEM_ATOMIC[1:0] ? L2_ATOMIC_HIT : L2_READ_HIT);
            count = count + counts(a, found);
            counter[count] += 64'd1;
          end
          s3.valid = look != LookJoin && look != LookWait;
          unique case (look)
            LookHit: s3.what = DataHit;
            LookPass: s3.what = DataPass;
            LookNew: s3.what = DataNew;
            LookFetch: s3.what = DataFetch;
            LookJoin: begin
              free_mshr = mshr_of[RowBits'(row_of(set, way, Shape))];
              m = mshr[free_mshr[MshrBits-1:0]];
              if (m.waits) slot_next[SlotBits'(m.last)] = s2.slot;
              mshr_count[free_mshr[MshrBits-1:0]] = m.waits ? mshr_count[free_mshr[MshrBits-1:0]] + 10'd1 : 10'd1;
              m.first = m.waits ? m.first : s2.slot;
              m.last  = s2.slot;
              m.waits = 1'b1;
              mshr[free_mshr[MshrBits-1:0]] = m;
            end
            default: begin
              `GANTRY_CHECK(a_waits_once, !again)
              if (waiter[c].some) slot_next[SlotBits'(waiter[c].last)] = s2.slot;
              waiter[c] = append(waiter[c], s2.slot);
              waits[SetBits'(set)] = waits[SetBits'(set)] + 10'd1;
            end
          endcase
          if (look == LookNew || (look == LookFetch && !found.present)) begin  // take a way
            `GANTRY_CHECK(a_way, able != 16'd0)
            way    = victim(valid[SetBits'(set)], able, recent[SetBits'(set)], slow_ways);
            bit_of = ways_t'(1) << way;
            s3.victim      = (dirty[SetBits'(set)] & bit_of) != 16'd0;
            s3_victim = tags[way & way_t'(Ways - 1)];
            clears_dirty   = s3.victim;
            valid[SetBits'(set)] = valid[SetBits'(set)] | bit_of;
            full[SetBits'(set)]  = full[SetBits'(set)] & ~bit_of;
            tag_we_q    <= 1'b1;
            tag_waddr_q <= SetBits'(set);
            tags[way & way_t'(Ways - 1)] = s2_line;
            tag_wdata_q <= tags;
          end
          if (look == LookFetch) begin
            `GANTRY_CHECK(a_mshr, mshrs_left != 9'd0)
            mshrs_left = mshrs_left - 9'd1;
            free_mshr  = free_mshrs[mshrs_left[MshrBits-1:0]];
            s3.mshr    = free_mshr;
            pending[SetBits'(set)] = pending[SetBits'(set)] | bit_of;
            row = row_of(set, way, Shape);
            mshr_of[RowBits'(row)] = free_mshr;
            mshr[free_mshr[MshrBits-1:0]] = '{
                busy: 1'b1, merge: (dirty[SetBits'(set)] & bit_of) != 16'd0 && found.present, slot: s2.slot, row: row,
                default: '0};
          end
          if (look == LookHit || look == LookNew) begin
            s3.dirty   = look == LookHit && (dirty[SetBits'(set)] & bit_of) != 16'd0;
            sets_dirty = !a.through && (a.op == MEM_WRITE[1:0] || a.op == MEM_ATOMIC[1:0]);
            if (a.op == MEM_WRITE[1:0] && a.whole) begin
              full[SetBits'(set)]  = full[SetBits'(set)] | bit_of;
              young[SetBits'(set)] = young[SetBits'(set)] | bit_of;
            end
          end
          if (look == LookHit || look == LookNew || look == LookFetch)
            recent[SetBits'(set)] = used(recent[SetBits'(set)], pending[SetBits'(set)], bit_of, AllWays);
        end
        s3.row = row_of(set, way, Shape);
        // what becomes clean and what becomes dirty, of the way
        if (clears_dirty) begin
          dirty[SetBits'(set)] = dirty[SetBits'(set)] & ~bit_of;
          dirty_lines     = dirty_lines - 15'd1;
        end
        if (sets_dirty && (dirty[SetBits'(set)] & bit_of) == 16'd0) begin
          dirty[SetBits'(set)] = dirty[SetBits'(set)] | bit_of;
          dirty_lines     = dirty_lines + 15'd1;
        end
        if (clears_dirty || sets_dirty) begin
          dirty_sets[GroupBits'(set>>6)][set[5:0]] = dirty[SetBits'(set)] != 16'd0;
        end
        // writes decided here
        if (s3.valid) begin
          if (s3.victim) era_writes[era] = era_writes[era] + 16'd1;
          if (s3.what != DataFetch && s3.what != DataFlush && writes_dram(a))
            era_writes[era] = era_writes[era] + 16'd1;
        end
        data_raddr_q <= RowBits'(s3.row);
        slot_raddr_q <= s2.slot[SlotBits-1:0];
        fill_raddr_q <= s2.mshr[MshrBits-1:0];
      end
      data_re_q <= s3.valid;

      // ---- stage 1: tags are read
      s2       = s1;
      s2_line  = s1_line;
      s1.valid = 1'b0;

      // ---- what DRAM tells
      if (dram_rsp_valid_i) begin
        come = mshr_no_t'(dram_rsp_i.tag);
        `GANTRY_CHECK(a_fetched_once, mshr[come[MshrBits-1:0]].timed && !mshr[come[MshrBits-1:0]].fetched)
        mshr[come[MshrBits-1:0]].fetched = 1'b1;
        fills[MshrBits'(9'(fill_first)+fill_count)] = come;
        fill_count = fill_count + 9'd1;
      end
      if (done_valid_i != '0) begin
        foreach (done_id_i[k]) begin
          if (done_valid_i[k]) begin
            come = done_id_i[k];
            `GANTRY_CHECK(a_timed_once, mshr[come[MshrBits-1:0]].busy && !mshr[come[MshrBits-1:0]].timed)
            mshr[come[MshrBits-1:0]].timed = 1'b1;
            timed[MshrBits'(9'(timed_first)+timed_count)] = come;
            timed_count = timed_count + 9'd1;
          end
        end
      end
      if (wrote_valid_i != '0) begin
        foreach (wrote_valid_i[k]) begin
          if (wrote_valid_i[k]) begin
            `GANTRY_CHECK(a_wrote, era_writes[wrote_era_i[k]] != 16'd0)
            era_writes[wrote_era_i[k]] = era_writes[wrote_era_i[k]] - 16'd1;
          end
        end
      end

      // ---- maintenance: where the next step is
      maint_done_o <= 1'b0;
      step = 1'b0;
      unique case (flush.state)
        FlushLines: step = 1'b1;
        FlushSets:
        if (!flush.sweep && flush.todo == 16'd0) begin
          if (flush.at == 32'(Sets)) flush.state = FlushDrain;
          else begin
            flush.set   = set_t'(flush.at);
            flush.todo  = flush.write_back ? dirty[SetBits'(flush.at)] : 16'd0;
            flush.sweep = 1'b1;
            flush.at    = flush.at + 32'd1;
          end
        end
        FlushDirty:
        if (flush.todo == 16'd0) begin
          if (flush.left != 64'd0) begin
            flush.set  = set_t'({flush.at[7:0] - 8'd1, pick_pkg::first64(flush.left)});
            flush.left = flush.left & (flush.left - 64'd1);
            flush.todo = dirty[SetBits'(flush.set)];
          end else if (flush.at == 32'(Groups)) flush.state = FlushDrain;
          else begin
            flush.left = dirty_sets[GroupBits'(flush.at)];
            flush.at   = flush.at + 32'd1;
          end
        end
        FlushDrain:
        if (!(s2.valid && s2.what == TakeFlush)) begin
          flush.state = FlushWait;
          era         = flush.write_back && !flush.more ? !era : era;
        end
        default: ;
      endcase
      if (flush.state == FlushWait && era_writes[!era] == 16'd0) begin  // without a new era it is
        flush.state = FlushRest;
        sent        = 1'b1;
        counter[5'(L2_FLUSHES)] += 64'd1;
        maint_done_o <= 1'b1;
      end
      step = step || flush.sweep || flush.todo != 16'd0;

      // ---- stage 0: choose
      mem_req_credit_o <= 1'b0;
      tag_re_q         <= 1'b0;
      room_left = room({1'b0, rsp_count}, 8'(RspDepth), store_count, 4'(StorePlaces),
                       2'(s2.valid) + 2'(s3.valid) + 2'(s4.valid), at_limit(cmd_count, QueueFull) != 4'd0);
      if (room_left && !hold) begin
        // of those that wait, whose channel takes more: after a fill before those that wait for room
        again = 1'b0;
        first = '0;
        c     = '0;
        foreach (replay[k]) begin
          if (!again && !slow[2'(channel_at(again_turn, k))] &&
              (replay[channel_at(again_turn, k)].some || waiter[channel_at(again_turn, k)].some)) begin
            again = 1'b1;
            c     = channel_at(again_turn, k);
          end
        end
        if (again) begin
          first = replay[c].some ? replay[c].first : waiter[c].first;
          set   = set_of(line_of(slot_access[SlotBits'(first)].addr, Shape), Shape);
          again = assured(mshrs_left, AllWays & ~pending[SetBits'(set)], s2.valid, s2.set == set) &&
                  !(s2.valid && s2.what == TakeFill && s2.set == set);
        end
        fresh_one = in_count != 7'd0 && busy_slots < 10'(Aside) + 10'(Mshrs) - 10'(mshrs_left);
        last = what;
        what = take(fill_count != 9'd0, step && at_limit(cmd_count, QueueFlush) == 4'd0, again && replay[c].some,
                    again && !replay[c].some, fresh_one && !hold_take_i, last);
        if (what != TakeNone) begin
          s1       = '0;
          s1.valid = 1'b1;
          s1.what  = what;
          unique case (what)
            TakeFill: begin
              s1.mshr    = fills[fill_first[MshrBits-1:0]];
              s1.slot    = mshr[s1.mshr[MshrBits-1:0]].slot;
              fill_first = 8'(MshrBits'(fill_first + 8'd1));
              fill_count = fill_count - 9'd1;
            end
            TakeFlush: begin
              s1.by_line = flush.state == FlushLines;
              s1_line    = flush.at;
              s1.set     = s1.by_line ? set_of(flush.at, Shape) : flush.set;
              s1.way     = first_way(flush.todo);
              s1.sweep   = flush.sweep;
              flush.sweep = 1'b0;
              flush.todo  = flush.todo & (flush.todo - 16'd1);
              if (s1.by_line && flush.at == flush.last) flush.state = FlushDrain;
              flush.at   = s1.by_line ? flush.at + 32'd1 : flush.at;
              sent       = 1'b1;
            end
            TakeReplay: begin
              s1.slot    = first;
              replay[c]  = rest(replay[c], slot_next[SlotBits'(first)]);
              again_turn = again_turn + chan_t'(1);
            end
            TakeWaiter: begin
              s1.slot    = first;
              waiter[c]  = rest(waiter[c], slot_next[SlotBits'(first)]);
              again_turn = again_turn + chan_t'(1);
            end
            default: begin
              s1.slot    = in_queue[in_first[DepthBits-1:0]];
              in_first   = in_first + 7'd1;
              in_count   = in_count - 7'd1;
              busy_slots = busy_slots + 10'd1;
              sent       = 1'b1;
              mem_req_credit_o <= 1'b1;
            end
          endcase
          if (what != TakeFlush) begin
            s1_line = line_of(slot_access[SlotBits'(s1.slot)].addr, Shape);
            s1.set  = set_of(s1_line, Shape);
          end
          tag_re_q    <= 1'b1;
          tag_raddr_q <= SetBits'(s1.set);
        end
      end

      // ---- a discard empties the input queue
      if (drop_left != 7'd0 && !freed) begin  // one slot becomes free in a cycle
        free_slots[slots_left[SlotBits-1:0]] = in_queue[in_first[DepthBits-1:0]];
        slots_left = slots_left + 10'd1;
        in_first   = in_first + 7'd1;
        in_count   = in_count - 7'd1;
        drop_left  = drop_left - 7'd1;
        sent      = 1'b1;
        mem_req_credit_o <= 1'b1;
      end

      // ---- a command begins
      if (maint_valid_i) begin
        `GANTRY_CHECK(a_one_command, flush.state == FlushRest)
        flush       = begins(maint_i, Shape);
        flush.state = walk(flush, 32'(Sets), dirty_lines != 15'd0);
        flush.at    = flush.state == FlushLines ? flush.first : 32'd0;
        if (flush.drop && flush.whole) begin
          foreach (valid[i]) begin
            valid[i] = valid[i] & (dirty[i] | pending[i]);
            full[i]  = 16'd0;
          end
          foreach (mshr[i]) begin
            mshr[i].drop = 1'b1;
          end
        end
        if (flush.age) begin
          young = '{default: '0};
          foreach (mshr[i]) begin
            mshr[i].old = 1'b1;
          end
        end
      end

      // ---- arrival
      if (mem_req_valid_i) begin
        slot = slot_t'(slot_free_q);
        `GANTRY_CHECK(a_room, in_count < 7'(Depth))
        slot_access[SlotBits'(slot)] = '{through: Through || mem_req_i.source == FarSource,
                              whole: mem_req_i.mask == '1 && (mem_req_i.access & tlb_pkg::ACCESS_PASS) == 8'd0,
                              other: mem_req_i.source == FarSource,
                              op: mem_req_i.op[1:0], atomic: mem_req_i.atomic[3:0], wide: mem_req_i.size == 8'd8,
                              addr: mem_req_i.addr[54:0]};
        slot_ids[SlotBits'(slot)]    = '{user: mem_req_i.user, tag: mem_req_i.tag};
        slot_from[SlotBits'(slot)]   = '{gpu: mem_req_i.gpu, source: mem_req_i.source};
        in_queue[DepthBits'(in_first+in_count)] = slot;
        in_count   = in_count + 7'd1;
        slots_left = slots_left - 10'd1;
        slot_free_q <= SlotBits'(free_slots[slots_left[SlotBits-1:0]]);
      end

      if (perf_en_i) perf_data_o <= perf_addr_i == 5'(L2_DIRTY_LINES) ? 64'(dirty_lines) : counter[perf_addr_i];
      step = 1'b0;
      foreach (replay[k]) begin
        step = step || replay[k].some || waiter[k].some;
      end
      // ---- control: what was taken is finished
      finished = hold_take_i && !s1.valid && !s2.valid && !s3.valid && !s4.valid && busy_slots == 10'd0 &&
                 mshrs_left == 9'(Mshrs) && rsp_count == 7'd0 && store_count == 4'd0 && cmd_count == '0 &&
                 era_writes[0] == 16'd0 && era_writes[1] == 16'd0 && flush.state == FlushRest;
      drained_o   <= finished;
      discarded_o <= dropping && finished && drop_left == 7'd0;
      if (dropping) sent = 1'b1;
      if (dropping && finished && drop_left == 7'd0) dropping = 1'b0;

      rests = !sent && !s1.valid && !s2.valid && !s3.valid && !s4.valid &&
              (hold || ((in_count == 7'd0 || hold_take_i) && !step && rsp_count == 7'd0 && store_count == 4'd0 &&
                        cmd_count == '0 && flush.state == FlushRest && timed_count == 9'd0 && fill_count == 9'd0));
      idle_o <= rests;
      levels_o <= '{arrived: 10'(in_count), slots: busy_slots, mshrs: 10'(Mshrs) - 10'(mshrs_left)};

      if (!rst_ni) begin
        s1 = '0;
        s2 = '0;
        s3 = '0;
        s4 = '0;
        valid       = '{default: '0};
        pending     = '{default: '0};
        full        = '{default: '0};
        dirty       = '{default: '0};
        recent      = '{default: '0};
        young       = '{default: '0};
        waits       = '{default: '0};
        dirty_sets  = '{default: '0};
        dirty_lines = 15'd0;
        counter     = '{default: '0};
        replay      = '{default: '0};
        waiter      = '{default: '0};
        cmd_first   = '{default: '0};
        cmd_count   = '0;
        cmd_turn    = '0;
        again_turn  = '0;
        era_writes  = '{default: '0};
        era         = 1'b0;
        flush       = '0;
        what        = TakeNone;
        foreach (free_slots[i]) begin
          free_slots[i] = slot_t'(Slots - 1 - i);
        end
        slots_left  = 10'(Slots - 1);
        in_first    = 7'd0;
        in_count    = 7'd0;
        busy_slots  = 10'd0;
        foreach (free_mshrs[i]) begin
          free_mshrs[i] = mshr_no_t'(Mshrs - 1 - i);
        end
        mshrs_left  = 9'(Mshrs);
        timed_first = 8'd0;
        timed_count = 9'd0;
        fill_first  = 8'd0;
        fill_count  = 9'd0;
        rsp_first   = 7'd0;
        rsp_count   = 7'd0;
        rsp_credits = 7'(RspDepth);
        store_first = 3'd0;
        store_count = 4'd0;
        tag_before  = 1'b0;
        data_before = 1'b0;
        dropping    = 1'b0;
        drop_left   = 7'd0;
        rests       = 1'b1;
        slot_free_q       <= '0;
        tag_re_q          <= 1'b0;
        tag_we_q          <= 1'b0;
        data_re_q         <= 1'b0;
        data_we_q         <= 1'b0;
        mem_rsp_valid_o   <= 1'b0;
        mem_req_credit_o  <= 1'b0;
        dram_req_valid_o  <= 1'b0;
        cmd_valid_o       <= '0;
        maint_done_o      <= 1'b0;
        drained_o         <= 1'b0;
        discarded_o       <= 1'b0;
        obs_order_valid_o <= 1'b0;
        idle_o            <= 1'b1;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  // ---- assertions
  `GANTRY_ASSERT(a_own, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.op <= MEM_ATOMIC))
  `GANTRY_ASSERT(a_rsp, `GANTRY_IMPL(dram_rsp_valid_i, dram_rsp_i.tag < Mshrs))
endmodule
