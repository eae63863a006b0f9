// SPDX-License-Identifier: Apache-2.0
// Stage "hit or miss" of an L2 slice: what a fill, a step of a flush or a request makes of its set, of the MSHR file and of
// the lists, and what the stages behind are to do.  Responsible for: that.  Not responsible for: the tag memory, which the
// slice writes where an act takes a row; the choices (l2_tags_pkg).
package l2_look_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_slots_pkg::*;
  import l2_choose_pkg::*;
  import l2_tags_pkg::*;
  import l2_mshr_pkg::*;
  import l2_data_pkg::*;
  import l2_flush_pkg::*;

  /* verilator lint_off UNUSEDSIGNAL */  // of a request or a stage a function looks at some fields only
  // A line has come: the request that caused it is served, and it stays unless nothing holds it.
  function automatic act_t look_fill(ref sets_t t, ref file_t f, ref slots_t slots, input look_t s2,
                                     input line_no_t line, input access_t a);
    act_t s;
    mshr_t m;
    set_state_t now;
    ways_t bit_of;
    chan_t c;
    logic dirties, keep;
    m       = f.mshr[s2.mshr];
    now     = t.set[s2.set];
    bit_of  = ways_t'(1) << row_way(m.row);
    dirties = !a.through && a.op == MEM_ATOMIC[1:0];
    s       = '0;
    s.valid = 1'b1;
    s.what  = DataFill;
    s.row   = m.row;
    s.mshr  = s2.mshr;
    s.merge = m.merge;
    s.dirty = (now.dirty & bit_of) != '0;
    keep    = s.dirty || dirties || (a.op != MEM_READ_NC[1:0] && !m.drop);
    now.pending = now.pending & ~bit_of;
    now.valid   = keep ? now.valid : now.valid & ~bit_of;
    now.full    = m.drop ? now.full & ~bit_of : now.full | bit_of;
    now.dirty   = dirties ? now.dirty | bit_of : now.dirty;
    put(t, s2.set, now);
    f.free = f.free | mshrs_t'(1) << s2.mshr;
    if (m.waits.some) begin
      c = channel_of(line);
      slots.replay[c] = prepend(slots, slots.replay[c], m.waits.first, m.waits.last);
      t.waits[s2.set] = t.waits[s2.set] + f.count[s2.mshr];
    end
    return s;
  endfunction

  // A step of a flush: one dirty way is written back, what is clean is dropped; what is not yet there is not kept.
  function automatic act_t look_flush(ref sets_t t, ref file_t f, ref tag_row_t tags, const ref flush_t flush,
                                      input look_t s2, input ways_t match);
    act_t s;
    set_state_t now;
    ways_t bit_of, ours;
    way_t way;
    logic keep;
    now    = t.set[s2.set];
    way    = s2.by_line ? first_way(match) : s2.way;
    ours   = match;
    if (!s2.by_line) begin
      ours = '0;
      for (int unsigned w = 0; w < Ways; w++) ours = ours | (ways_t'(named(flush, tags[w])) << w);
      ours = ours & now.valid;
    end
    bit_of = (ways_t'(1) << way) & ours & now.dirty;
    s      = '0;
    s.row  = row_of(s2.set, way);
    if (flush.drop && (s2.by_line || s2.sweep)) begin
      drop_fills(f, s2.set, ours & now.pending);
      now.valid = now.valid & ~(ours & ~now.pending & ~now.dirty);
      now.full  = now.full & ~ours;
    end
    if (flush.write_back && bit_of != '0) begin
      keep = (now.pending & bit_of) != '0 || (!flush.drop && (now.full & bit_of) != '0);
      now.valid = keep ? now.valid : now.valid & ~bit_of;
      now.dirty = now.dirty & ~bit_of;
      s.valid   = 1'b1;
      s.what    = DataFlush;
      s.victim  = 1'b1;
    end
    put(t, s2.set, now);
    return s;
  endfunction

  // What a request finds; `ahead`: the ways of its set that the stage ahead works on.
  function automatic look_e look_up(ref sets_t t, ref file_t f, ref slots_t slots, ref tag_row_t tags, input look_t s2,
                                    input access_t a, input chan_t c, input ways_t match, input ways_t ahead,
                                    input chans_t slow, output found_t found, output way_t way);
    set_state_t now;
    room_t can;
    look_e look;
    ways_t able, slow_ways;
    now   = t.set[s2.set];
    found = '{present: match != '0, pending: (match & now.pending) != '0, full: (match & now.full) != '0};
    able  = ~now.pending & ~ahead;
    slow_ways = of_channels(tags, slow) & now.dirty;
    can  = '{again: s2.what != TakeNew, set_waits: t.waits[s2.set] != 8'd0, channel: !slow[c] && !slots.waiter[c].some,
             mshr: f.free != '0, way: (able & ~slow_ways) != '0};
    look = decide(a, found, can);
    way  = first_way(match);
    if (!found.present && (look == LookNew || look == LookFetch))
      way = victim(now.valid, able, t.recent[s2.set], slow_ways);
    if (can.again) t.waits[s2.set] = t.waits[s2.set] - 8'd1;
    return look;
  endfunction

  // A request does what `look` says, in the way `way`: that which holds its line, or the one that it takes.
  function automatic act_t look_request(ref sets_t t, ref file_t f, ref slots_t slots, input look_e look,
                                        input look_t s2, input access_t a, input chan_t c, input found_t found,
                                        input way_t way);
    act_t s;
    set_state_t now;
    ways_t bit_of;
    now    = t.set[s2.set];
    bit_of = ways_t'(1) << way;
    s      = '0;
    s.row  = row_of(s2.set, way);
    if (look == LookJoin) join_miss(f, slots, s.row, s2.slot);
    else if (look == LookWait) begin
      slots.waiter[c] = append(slots, slots.waiter[c], s2.slot);
      t.waits[s2.set] = t.waits[s2.set] + 8'd1;
    end else begin
      s.valid = 1'b1;
      s.what  = look == LookHit ? DataHit : look == LookNew ? DataNew : look == LookFetch ? DataFetch : DataPass;
      s.takes = look == LookNew || (look == LookFetch && !found.present);
      if (s.takes) begin
        s.victim  = (now.dirty & bit_of) != '0;
        now.dirty = now.dirty & ~bit_of;
        now.valid = now.valid | bit_of;
        now.full  = now.full & ~bit_of;
      end
      if (look == LookFetch) begin
        now.pending = now.pending | bit_of;
        s.mshr      = open_miss(f, s2.slot, s.row, found.present);
      end
      if (look == LookHit || look == LookNew) begin
        s.dirty   = (now.dirty & bit_of) != '0;
        now.dirty = !a.through && stores(a) ? now.dirty | bit_of : now.dirty;
        if (a.op == MEM_WRITE[1:0] && a.whole) now.full = now.full | bit_of;
      end
      if (look != LookPass) t.recent[s2.set] = used(t.recent[s2.set], now.pending, bit_of);
      put(t, s2.set, now);
    end
    return s;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
