// SPDX-License-Identifier: Apache-2.0
// The L2 TLB of a GPU: translations of 4 KiB, 64 KiB, 1 and 2 MiB, tagged with VMID, size and page; requests that wait for
// a walk; answers; requests that are withheld; invalidation by pages, address space or of all.  Responsible for: the
// pipeline and its state; what each stage does is in utcl2_choose_pkg, utcl2_tags_pkg, utcl2_misses_pkg,
// utcl2_withheld_pkg and utcl2_answers_pkg.  Not responsible for: walking (utcl2_walker), the memories (utcl2_store).
//
// A request stands in a slot until its answer leaves the lookup or its walk.  Pipeline: 0 choose, 1 read, 2 compare and
// miss file.  Misses that find no walk free wait in the order in which they came, hits go on.  A withheld request has neither
// a walk nor a place in a queue: its slot stands in a list until CTL_XLAT sends it to those that wait for a walk.
`include "gantry_assert.svh"

module utcl2_tlb
  import gantry_msg_pkg::*;
  import gantry_counters_pkg::*;
  import tlb_pkg::*;
  import utcl2_choose_pkg::*;
  import utcl2_tags_pkg::*;
  import utcl2_misses_pkg::*;
  import utcl2_withheld_pkg::*;
  import utcl2_answers_pkg::*;
#(
  parameter int unsigned Entries = 4096,  // of 4 KiB; power of two, as the next two
  parameter int unsigned Blocks = 1024,   // of 64 KiB
  parameter int unsigned Large = 512,     // of 1 or 2 MiB
  parameter int unsigned Ways = 8,        // power of two, at most 16
  parameter int unsigned Walks = 16,      // at most 64
  parameter int unsigned Slots = 256,     // requests held; power of two, at most 2048
  parameter int unsigned Spaces = 256,    // of addresses: all that a VMID names (the proof has two)
  parameter int unsigned Reports = 4,     // credits for what the driver is told of withheld ones
  parameter int unsigned Depth = 16,      // input queue = credits of the crossbar, power of two, at most 64
  parameter int unsigned RspDepth = 16    // power of two, at most 64
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
  input  ctl_cmd_t    maint_i,
  /* verilator lint_on UNUSEDSIGNAL */
  output logic        mem_req_credit_o,
  output logic        mem_rsp_valid_o,
  output mem_rsp_t    mem_rsp_o,
  input  logic        mem_rsp_credit_i,
  output logic        xlat_evt_valid_o, // requests of a page are withheld
  output xlat_evt_t   xlat_evt_o,
  input  logic        xlat_evt_credit_i,
  input  logic        maint_valid_i,    // control agent: CTL_INV, CTL_ROOT, CTL_XLAT
  output logic        maint_done_o,     // pulse
  input  logic        hold_take_i,      // the input queue stays
  input  logic        hold_all_i,       // and no answer leaves
  output logic        drained_o,        // of every request taken from the queue the answer has left, or it is withheld
  input  logic        discard_i,
  output logic        discarded_o,      // pulse
  output logic        start_valid_o,    // to the walker
  output logic [ 5:0] start_walk_o,
  output vmid_t       start_vmid_o,
  output vpn_t        start_vpn_o,
  output logic        inv_valid_o,
  output inv_t        inv_o,
  output logic        root_valid_o,     // with an invalidation of the space
  output logic [63:0] root_o,
  input  logic        done_valid_i,
  input  logic [ 5:0] done_walk_i,
  input  logic [63:0] done_pte_i
);
  localparam int unsigned Sets[Stores] = '{Entries / Ways, Blocks / Ways, Large / Ways};
  localparam int unsigned First[Stores] = '{0, Sets[0], Sets[0] + Sets[1]};  // rows of valid and oldest
  localparam int unsigned Rows = Sets[0] + Sets[1] + Sets[2];
  localparam int unsigned MoreSets = Sets[0] > Sets[1] ? Sets[0] : Sets[1];
  localparam int unsigned MostSets = MoreSets > Sets[2] ? MoreSets : Sets[2];
  localparam int unsigned Ww = Walks > 1 ? $clog2(Walks) : 1;
  localparam logic [63:0] WalkMask = Walks == 64 ? '1 : (64'd1 << Walks) - 64'd1;
  // A walk answers while fewer answers wait than this: that of the lookup behind it still fits, one more in a long queue.
  localparam logic [7:0] AnswerRoom = 8'(RspDepth > 2 ? RspDepth - 2 : 1);

  typedef logic [$clog2(Rows)-1:0] row_t;
  typedef logic [15:0] set_t;
  typedef logic [$clog2(Slots)-1:0] at_t;

  typedef enum logic [2:0] {
    CmdRest,
    CmdWait,   // until no lookup is under way and what was found before has been answered
    CmdSweep,  // of a range: row after row is read
    CmdDrain,  // the last of them are compared
    CmdTell,   // CTL_XLAT: until the driver has heard of every walk that is withheld
    CmdSort    // goes through the list of withheld requests, one a cycle
  } cmd_state_e;

  // A command and how far it has got.
  typedef struct packed {
    cmd_state_e  state;
    logic        root_set;  // CTL_ROOT
    logic        deny;      // CTL_XLAT: what fails again is a fault
    slots_t      left;      // of the list
    logic        long_range;
    logic [15:0] step;
    inv_t        inv;
    logic [63:0] root;
  } cmd_t;

  // What was filled at the last edge: a lookup read its row before.
  typedef struct packed {
    logic        valid;
    logic [1:0]  store;
    logic [3:0]  way;
    row_t        row;
    size_e       size;
    vmid_t       vmid;
    vpn_t        vpn;
    logic [63:0] pte;
  } fill_t;

  // ---- the three stores
  logic read_q, write_q[Stores];
  set_t read_set_q[Stores], write_set_q;
  logic [3:0] write_way_q;
  tag_t write_tag_q;
  logic [63:0] write_entry_q;
  tag_t [Ways-1:0] tags[Stores];
  logic [Ways-1:0][63:0] entries[Stores];
  for (genvar g = 0; g < Stores; g++) begin : gen_store
    utcl2_store #(.Sets(Sets[g]), .Ways(Ways)) u_store (
      .clk_i, .rst_ni, .read_i(read_q), .read_set_i(read_set_q[g]), .tags_o(tags[g]), .entries_o(entries[g]),
      .write_i(write_q[g]), .write_set_i(write_set_q), .write_way_i(write_way_q), .write_tag_i(write_tag_q),
      .write_entry_i(write_entry_q)
    );
  end

  /* verilator lint_off BLKSEQ */
  page_t slot_page[Slots];
  who_t slot_who[Slots];
  slot_t slot_next[Slots];  // of the list that the slot is in
  slot_t free_ring[Slots], free_first, free_last;
  slot_t in_queue[Depth];
  logic [7:0] in_first, in_count;
  slots_t busy_slots;  // not free and not in the input queue
  /* verilator lint_off UNUSEDSIGNAL */  // with fewer than 2,048 slots
  slot_t wait_first, wait_last;  // misses that wait for a walk
  slots_t wait_count;
  slot_t held_first, held_last;  // withheld
  /* verilator lint_on UNUSEDSIGNAL */
  slots_t held_count;
  logic [Slots-1:0] slot_deny;  // the driver has denied its page
  space_t space[Spaces];
  logic [7:0] report_credits;

  logic [Ways-1:0] valid[Rows];
  logic [3:0] oldest[Rows];
  generation_t generation[Spaces], young;  // young: of the space that is looked up, read once for all ways

  walk_t walk[Walks];
  logic [63:0] walk_pte[Walks];
  logic [63:0] lost_walks;  // under way for requests that were discarded
  logic [7:0] owed;         // credits of discarded requests
  logic [63:0] walk_free, answer_set;  // answer_set: walks whose requests are being answered
  logic [63:0] fail_set;  // walks whose requests are withheld, of which the driver has not heard
  logic [5:0] turn;  // of these

  look_t s1, s2;
  fill_t fill;
  cmd_t cmd;
  logic inv_sent;  // at the last edge

  answer_t answers[RspDepth];
  logic [7:0] rsp_first, rsp_count, rsp_credits;
  logic [2:0] behind;  // hits answered since one of a walk could have been

  slot_t slot;
  logic [Ww-1:0] w;
  logic [3:0] way;
  row_t row;
  page_t page;
  size_e size;
  logic [63:0] entry;
  logic hit, match, joins, sent, ready, answering, rests, dropping, tells;
  logic held;  // answers wait for the end of a pause
  take_e what;
  logic [63:0] counter[8];  // by utcl2_counter_e; not UTCL2_WALK_READS
  logic [1:0] held_q;  // at the last edge
  // as it is between two edges, for the assertions
  logic [63:0] walk_free_q, answer_q, fail_q;
  slots_t busy_q, wait_q, held_count_q;
  logic [7:0] in_count_q, rsp_count_q, report_credits_q;

  function automatic row_t row_of(input logic [1:0] store, input logic [15:0] hash);
    return row_t'(First[store]) + row_t'(hash & set_t'(Sets[store] - 1));
  endfunction

  function automatic slot_t following(input slot_t place);  // in free_ring
    return slot_t'((32'(place) + 32'd1) & (Slots - 1));
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [15:0] look_set(input logic [1:0] store, input look_t look, input logic long_range);
    return look.sweep ? sweep_set(store, long_range, look.vpn) : set_of(store, look.vpn);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // nothing is looked at while the TLB rests and no input comes
  always_ff @(posedge clk_i) begin
    if (!rests || held_q != {hold_all_i, hold_take_i} || mem_req_valid_i || mem_rsp_credit_i || maint_valid_i ||
        done_valid_i || perf_en_i || discard_i || xlat_evt_credit_i || !rst_ni) begin
      sent      = 1'b0;
      answering = 1'b0;
      // ---- answers leave
      mem_rsp_valid_o <= 1'b0;
      if (rsp_count != 8'd0 && rsp_credits != 8'd0 && !hold_all_i) begin
        mem_rsp_valid_o <= 1'b1;
        mem_rsp_o       <= message(answers[rsp_first[$clog2(RspDepth)-1:0]]);
        rsp_first   = (rsp_first + 8'd1) & 8'(RspDepth - 1);
        rsp_count   = rsp_count - 8'd1;
        rsp_credits = rsp_credits - 8'd1;
        sent        = 1'b1;
      end
      if (mem_rsp_credit_i) rsp_credits = rsp_credits + 8'd1;

      // ---- stage 2: compare, miss file
      start_valid_o <= 1'b0;
      if (s2.valid && s2.sweep) begin
        foreach (tags[c]) begin
          row = row_of(c[1:0], look_set(c[1:0], s2, cmd.long_range));
          for (int unsigned k = 0; k < Ways; k++) begin
            // what was filled at the last edge is younger than the invalidation
            match = tag_named(tags[c][k], cmd.inv) && !(fill.valid && fill.row == row && fill.way == k[3:0]);
            valid[row][k] = match ? 1'b0 : valid[row][k];
          end
        end
      end else if (s2.valid) begin
        page  = slot_page[at_t'(s2.slot)];
        slot  = s2.slot;
        hit   = page.beyond;  // beyond the address space: a fault without a walk
        entry = 64'd0;
        young = generation[page.vmid];
        foreach (tags[c]) begin
          row = row_of(c[1:0], set_of(c[1:0], page.vpn));
          for (int unsigned k = 0; k < Ways; k++) begin
            // not the way that a fill at the last edge has taken: its tag is not the one that was read
            match = valid[row][k] && tag_hit(tags[c][k], young, page.vmid, page.vpn) && !page.beyond &&
                !(fill.valid && fill.row == row && fill.way == k[3:0]);
            hit   = hit | match;
            entry = match ? pte_of_page(entries[c][k], tags[c][k].size, page.vpn) : entry;
          end
        end
        if (fill.valid && !page.beyond && fill.vmid == page.vmid &&
            ((fill.vpn ^ page.vpn) & ~size_mask(fill.size)) == 28'd0) begin
          hit   = 1'b1;
          entry = pte_of_page(fill.pte, fill.size, page.vpn);
        end
        if (hit) begin
          counter[3'(UTCL2_HIT)] += 64'd1;
          answering  = 1'b1;
          behind     = answer_set != 64'd0 && behind != '1 ? behind + 3'd1 : behind;
        end else begin
          joins = 1'b0;
          w     = Ww'(pick_pkg::first64(walk_free));
          foreach (walk[k]) begin
            // not one that has ended: its entry is in the stores; if it found nothing, the page may be mapped by now
            if (walk_same(walk[k], page) && !walk_free[k] && !answer_set[k] && !fail_set[k] &&
                !lost_walks[k]) begin
              joins = 1'b1;
              w     = Ww'(k);
            end
          end
          unique case (miss(joins, s2.waited, wait_count != 12'd0 || (s1.valid && s1.waited), walk_free != 64'd0))
            MissJoin: begin
              counter[3'(UTCL2_MSHR_HIT)] += 64'd1;
              slot_next[at_t'(walk[w].last)] = slot;
              walk[w].last  = slot;
              walk[w].count = walk[w].count + 12'd1;
              walk[w].deny  = walk[w].deny | slot_deny[at_t'(slot)];
            end
            MissWalk: begin
              counter[3'(UTCL2_MISS)] += 64'd1;
              counter[3'(UTCL2_WALKS)] += 64'd1;
              walk_free  = walk_free & ~(64'd1 << w);
              walk[w]    = '{keep: 1'b1, deny: slot_deny[at_t'(slot)], first: slot, last: slot, count: 12'd1,
                             vmid: page.vmid, vpn: page.vpn};
              start_valid_o <= 1'b1;
              start_walk_o  <= 6'(w);
              start_vmid_o  <= page.vmid;
              start_vpn_o   <= page.vpn;
              sent = 1'b1;
            end
            default: begin
              `GANTRY_CHECK(a_waited_once, !s2.waited)
              if (wait_count == 12'd0) wait_first = slot;
              else slot_next[at_t'(wait_last)] = slot;
              wait_last  = slot;
              wait_count = wait_count + 12'd1;
            end
          endcase
        end
      end
      // ---- answers: of the lookup, else of a finished walk, whose requests get it one a cycle
      if (answer_set == 64'd0) behind = 3'd0;
      if (!answering && answer_set != 64'd0 && rsp_count < AnswerRoom) begin
        w         = Ww'(pick_pkg::rr64(answer_set, turn));
        turn      = 6'(w) + 6'd1;
        behind    = 3'd0;
        slot      = walk[w].first;
        entry     = walk_pte[w];
        answering = 1'b1;
        walk[w].first = slot_next[at_t'(slot)];
        if (slot == walk[w].last) begin
          answer_set = answer_set & ~(64'd1 << w);
          walk_free  = walk_free | (64'd1 << w);
        end
      end
      if (answering) begin
        answers[(rsp_first[$clog2(RspDepth)-1:0]+rsp_count[$clog2(RspDepth)-1:0])] =
            answer(slot_who[at_t'(slot)], entry);
        if (pte_status(entry, slot_who[at_t'(slot)].access) != MEM_OK) counter[3'(UTCL2_FAULTS)] += 64'd1;
        rsp_count  = rsp_count + 8'd1;
        busy_slots = busy_slots - 12'd1;
        free_ring[at_t'(free_last)] = slot;
        free_last  = following(free_last);
      end

      // ---- withheld: the driver hears of it, the walk is free
      xlat_evt_valid_o <= 1'b0;
      if (xlat_evt_credit_i) report_credits = report_credits + 8'd1;
      tells = fail_set != 64'd0 && report_credits != 8'd0 && !hold_all_i;
      if (tells) begin
        w              = Ww'(pick_pkg::first64(fail_set));
        sent           = 1'b1;
        report_credits = report_credits - 8'd1;
        counter[3'(UTCL2_WITHHELD)] += 64'd1;
        xlat_evt_valid_o <= 1'b1;
        xlat_evt_o       <= report(walk[w].vmid, walk[w].vpn, slot_who[at_t'(walk[w].first)].access);
        if (held_count == 12'd0) held_first = walk[w].first;
        else slot_next[at_t'(held_last)] = walk[w].first;
        held_last  = walk[w].last;
        held_count = held_count + walk[w].count;
        fail_set   = fail_set & ~(64'd1 << w);
        walk_free  = walk_free | (64'd1 << w);
      end

      // ---- a walk ends: fill, then answer; begun before an invalidation that it missed, it is walked again
      {write_q[2], write_q[1], write_q[0]} <= 3'd0;
      fill.valid = 1'b0;
      if (done_valid_i) begin
        w    = Ww'(done_walk_i);
        sent = 1'b1;
        if (inv_sent && walk_stale(cmd.inv, walk[w].vmid, walk[w].vpn)) begin
          start_valid_o <= 1'b1;
          start_walk_o  <= 6'(w);
          start_vmid_o  <= walk[w].vmid;
          start_vpn_o   <= walk[w].vpn;
        end else begin
          walk_pte[w] = done_pte_i[0] ? done_pte_i : 64'd0;
          if (lost_walks[6'(w)]) walk_free = walk_free | (64'd1 << w);
          else if (withheld(space[walk[w].vmid], walk[w].deny, done_pte_i)) fail_set = fail_set | (64'd1 << w);
          else answer_set = answer_set | (64'd1 << w);
          lost_walks = lost_walks & ~(64'd1 << w);
          if (done_pte_i[0] && walk[w].keep) begin
            size = pte_size(done_pte_i);
            row  = row_of(store_of(size), set_of(store_of(size), walk[w].vpn));
            way  = oldest[row] & 4'(Ways - 1);
            oldest[row] = way + 4'd1;
            valid[row]  = valid[row] | (Ways'(1) << way);
            fill = '{valid: 1'b1, store: store_of(size), way: way, row: row, size: size, vmid: walk[w].vmid,
                     vpn: walk[w].vpn, pte: done_pte_i};
            write_q[store_of(size)] <= 1'b1;
            write_set_q   <= set_t'(row) - set_t'(First[store_of(size)]);
            write_way_q   <= way;
            write_tag_q   <= tag_of(generation[walk[w].vmid], walk[w].vmid, size, walk[w].vpn);
            write_entry_q <= done_pte_i;
            foreach (walk[k]) begin  // what else finds this entry need not put it in again
              if (walk_covered(walk[k], walk[w].vmid, walk[w].vpn, size)) walk[k].keep = 1'b0;
            end
          end
        end
      end

      // ---- stage 1: read
      s2 = s1;
      s1 = '0;

      // ---- commands
      maint_done_o    <= 1'b0;
      inv_valid_o     <= 1'b0;
      root_valid_o    <= 1'b0;
      inv_sent        = 1'b0;
      if (cmd.state == CmdWait && !s2.valid && answer_set == 64'd0 && rsp_count == 8'd0) begin
        inv_sent = 1'b1;
        sent     = 1'b1;
        inv_o        <= cmd.inv;
        root_o       <= cmd.root;
        inv_valid_o  <= 1'b1;
        root_valid_o <= cmd.root_set;
        cmd.state       = cmd.inv.whole ? CmdRest : CmdSweep;
        maint_done_o    <= cmd.inv.whole;
        foreach (walk[k]) begin
          walk[k].keep = 1'b1;
        end
        if (cmd.inv.whole) generation[cmd.inv.vmid] = generation[cmd.inv.vmid] + 8'd1;
        // all, or a generation that comes again
        if (cmd.inv.whole && (cmd.inv.vmid == VMID_ALL || generation[cmd.inv.vmid] == 8'd0))
          valid = '{default: '0};
      end else if (cmd.state == CmdSweep) begin
        s1 = '{valid: 1'b1, sweep: 1'b1, vpn: sweep_page(cmd.inv, cmd.long_range, cmd.step), default: '0};
        if (fill.valid && fill.row == row_of(fill.store, look_set(fill.store, s1, cmd.long_range))) s1 = '0;
        if (s1.valid) begin
          if (cmd.long_range ? cmd.step == set_t'(MostSets - 1) : s1.vpn == cmd.inv.last) cmd.state = CmdDrain;
          cmd.step = cmd.step + 16'd1;
        end
      end else if (cmd.state == CmdDrain && !s2.valid) begin
        cmd.state = CmdRest;
        sent      = 1'b1;
        maint_done_o <= 1'b1;
      end
      if (cmd.state == CmdTell && fail_set == 64'd0) begin
        cmd.state = CmdSort;
        cmd.left  = held_count;
      end else if (cmd.state == CmdSort && cmd.left == 12'd0) begin
        cmd.state = CmdRest;
        sent      = 1'b1;
        maint_done_o <= 1'b1;
      end else if (cmd.state == CmdSort) begin
        cmd.left   = cmd.left - 12'd1;
        slot       = held_first;
        page       = slot_page[at_t'(slot)];
        held_first = slot_next[at_t'(slot)];
        held_count = held_count - 12'd1;
        if (inv_covers(cmd.inv, page.vmid, page.vpn, SizePage)) begin
          slot_deny[at_t'(slot)] = cmd.deny;
          if (wait_count == 12'd0) wait_first = slot;
          else slot_next[at_t'(wait_last)] = slot;
          wait_last  = slot;
          wait_count = wait_count + 12'd1;
        end else begin
          if (held_count == 12'd0) held_first = slot;
          else slot_next[at_t'(held_last)] = slot;
          held_last  = slot;
          held_count = held_count + 12'd1;
        end
      end
      if (maint_valid_i) begin
        cmd.state    = maint_i.op == CTL_XLAT ? CmdTell : CmdWait;
        cmd.root_set = maint_i.op == CTL_ROOT;
        cmd.deny     = (maint_i.flags & 32'(XLAT_DENY)) != 32'd0;
        cmd.inv      = inv_of(maint_i.vmid, maint_i.root, cmd.root_set ? 64'd0 : maint_i.bytes);
        cmd.root     = maint_i.root;
        cmd.step     = 16'd0;
        cmd.long_range = sweep_long(cmd.inv, 16'(MostSets));
        if (cmd.root_set) begin
          space[cmd.inv.vmid] = '{deny: 1'b0, withhold: (maint_i.flags & 32'(XLAT_WITHHOLD)) != 32'd0};
        end else if (maint_i.op == CTL_XLAT && cmd.inv.whole) begin
          foreach (space[v]) begin
            if (cmd.inv.vmid == VMID_ALL || cmd.inv.vmid == v[7:0]) space[v].deny = cmd.deny;
          end
        end
      end

      // ---- a discard: every slot is free again, walks end for nobody, credits of what stood in the queue go back one a cycle
      if (dropping) sent = 1'b1;
      discarded_o <= dropping && owed == 8'd0;
      dropping = dropping && owed != 8'd0;
      if (discard_i) begin
        if (!s1.sweep) s1 = '0;
        if (!s2.sweep) s2 = '0;
        foreach (free_ring[i]) begin
          free_ring[i] = slot_t'(i);
        end
        owed       = in_count;
        dropping   = 1'b1;
        lost_walks = ~walk_free & ~answer_set & ~fail_set & WalkMask;
        walk_free  = walk_free | answer_set | fail_set;
        answer_set = 64'd0;
        fail_set   = 64'd0;
        {free_first, free_last, in_first, in_count, busy_slots, wait_count, held_count, cmd.left, rsp_count} = '0;
      end
      // ---- stage 0: choose
      mem_req_credit_o <= owed != 8'd0;
      if (owed != 8'd0) owed = owed - 8'd1;
      ready = (cmd.state == CmdRest || cmd.state == CmdTell || cmd.state == CmdSort) && !hold_all_i &&
          behind < Patience && room(rsp_count, s2.valid, 8'(RspDepth));
      what  = take(ready, wait_count != 12'd0, walk_free != 64'd0, s2.valid && s2.waited,
                   in_count != 8'd0 && !hold_take_i, busy_slots < slots_t'(Slots - Depth));
      if (what != TakeNone) begin
        slot = what == TakeWaiting ? wait_first : in_queue[in_first[$clog2(Depth)-1:0]];
        s1   = '{valid: 1'b1, waited: what == TakeWaiting, sweep: 1'b0, slot: slot, vpn: slot_page[at_t'(slot)].vpn};
        if (fill.valid && fill.row == row_of(fill.store, set_of(fill.store, s1.vpn))) s1 = '0;  // is being written
        if (s1.valid && s1.waited) begin
          wait_first = slot_next[at_t'(slot)];
          wait_count = wait_count - 12'd1;
        end else if (s1.valid) begin
          in_first   = (in_first + 8'd1) & 8'(Depth - 1);
          in_count   = in_count - 8'd1;
          busy_slots = busy_slots + 12'd1;
          mem_req_credit_o <= 1'b1;
        end
      end
      read_q <= s1.valid;
      if (s1.valid) begin
        foreach (read_set_q[c]) begin
          read_set_q[c] <= look_set(c[1:0], s1, cmd.long_range) & set_t'(Sets[c] - 1);
        end
      end

      // ---- arrival
      if (mem_req_valid_i) begin
        slot       = free_ring[at_t'(free_first)];
        free_first = following(free_first);
        slot_deny[at_t'(slot)] = 1'b0;
        slot_page[at_t'(slot)] <= '{
            beyond: mem_req_i.addr[63:40] != 24'd0, vmid: mem_req_i.vmid, vpn: mem_req_i.addr[39:12]
        };
        slot_who[at_t'(slot)] <= '{
            gpu: mem_req_i.gpu, source: mem_req_i.source, access: mem_req_i.access, tag: mem_req_i.tag
        };
        in_queue[in_first[$clog2(Depth)-1:0]+in_count[$clog2(Depth)-1:0]] = slot;
        in_count = in_count + 8'd1;
      end

      walk_free_q <= walk_free;
      answer_q    <= answer_set;
      fail_q      <= fail_set;
      in_count_q  <= in_count;
      busy_q      <= busy_slots;
      wait_q      <= wait_count;
      held_count_q <= held_count;
      report_credits_q <= report_credits;
      rsp_count_q <= rsp_count;
      if (perf_en_i) perf_data_o <= counter[perf_addr_i];
      held   = hold_all_i && (rsp_count != 8'd0 || answer_set != 64'd0);
      rests  = !sent && !s1.valid && !s2.valid && (in_count == 8'd0 || hold_take_i) &&
               (rsp_count == 8'd0 || hold_all_i) && (answer_set == 64'd0 || (hold_all_i && rsp_count >= AnswerRoom)) &&
               (cmd.state == CmdRest || (cmd.state == CmdWait && held) ||
                (cmd.state == CmdTell && fail_set != 64'd0)) &&
               (fail_set == 64'd0 || report_credits == 8'd0 || hold_all_i) &&
               (wait_count == 12'd0 || walk_free == 64'd0 || hold_all_i) && owed == 8'd0 && !dropping;
      held_q <= {hold_all_i, hold_take_i};
      idle_o <= rests;

      if (!rst_ni) begin
        s1 = '0;
        s2 = '0;
        valid      = '{default: '0};
        oldest     = '{default: 4'd0};
        generation = '{default: 8'd0};
        counter    = '{default: 64'd0};
        space      = '{default: '0};
        foreach (free_ring[i]) begin
          free_ring[i] = slot_t'(i);
        end
        {free_first, free_last, in_first, in_count, busy_slots, wait_count, held_count, fail_set} = '0;
        report_credits = 8'(Reports);
        walk_free   = WalkMask;
        answer_set  = 64'd0;
        turn        = 6'd0;
        fill.valid  = 1'b0;
        rsp_first   = 8'd0;
        rsp_count   = 8'd0;
        rsp_credits = 8'(RspDepth);
        cmd.state   = CmdRest;
        inv_sent    = 1'b0;
        dropping    = 1'b0;
        owed        = 8'd0;
        lost_walks  = 64'd0;
        {write_q[2], write_q[1], write_q[0], read_q} <= '0;
        mem_rsp_valid_o  <= 1'b0;
        mem_req_credit_o <= 1'b0;
        maint_done_o  <= 1'b0;
        discarded_o   <= 1'b0;
        start_valid_o    <= 1'b0;
        inv_valid_o      <= 1'b0;
        root_valid_o     <= 1'b0;
        idle_o           <= 1'b1;
        walk_free_q      <= WalkMask;
        {answer_q, fail_q, in_count_q, busy_q, wait_q, held_count_q, rsp_count_q} <= '0;
        report_credits_q <= 8'(Reports);
        xlat_evt_valid_o <= 1'b0;
      end
    end
  end
  /* verilator lint_on BLKSEQ */

  assign drained_o = busy_q == held_count_q && rsp_count_q == 8'd0;

  // ---- assertions
  `GANTRY_ASSERT(a_xlat, `GANTRY_IMPL(mem_req_valid_i, mem_req_i.op == MEM_XLAT))
  `STREAM_BOUND(a_queue, Depth, mem_req_valid_i, mem_req_credit_o)
  // requests that are not in the input queue leave as many slots as it may need
  `GANTRY_ASSERT(a_slots, 32'(busy_q) <= Slots - Depth && wait_q + held_count_q <= busy_q && 32'(in_count_q) <= Depth)
  `GANTRY_ASSERT(a_room, 32'(rsp_count_q) <= RspDepth)
  // a walk that is being answered is not free, one that ends is under way, and it has not ended yet
  `GANTRY_ASSERT(a_walks, (walk_free_q & (answer_q | fail_q | ~WalkMask)) == '0 && (answer_q & fail_q) == '0)
  `GANTRY_ASSERT(a_done, `GANTRY_IMPL(done_valid_i, !walk_free_q[done_walk_i] && !answer_q[done_walk_i] &&
                                       !fail_q[done_walk_i]))
  // the driver hears of a walk when it can take it
  `GANTRY_ASSERT(a_reports, 32'(report_credits_q) <= Reports)
  `STREAM_BOUND(a_report_credit, Reports, xlat_evt_valid_o, xlat_evt_credit_i)
  `STREAM_BOUND(a_started, Walks, start_valid_o, done_valid_i)
  `STREAM_BOUND(a_command, 1, maint_valid_i, maint_done_o)
endmodule
