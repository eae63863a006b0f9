// SPDX-License-Identifier: Apache-2.0
// Stage "choose" of an L2 slice: what goes through the lookup next.  Order: a fill whose data and DRAM time are there; a
// step of a flush, at most every second cycle while others have work; requests that waited for a fill; requests that
// waited for room (DRAM channel, MSHR, way); what has come.  Only those that waited need room here: a new request that
// finds none at its lookup is put aside, so hits pass it.
// Responsible for: the choice.  Not responsible for: lists and queues (l2_slots_pkg).
package l2_choose_pkg;
  import l2_pkg::*;
  import l2_slots_pkg::*;
  import l2_tags_pkg::*;
  import l2_mshr_pkg::*;

  typedef enum logic [2:0] {
    TakeNone,
    TakeFill,
    TakeFlush,
    TakeReplay,  // waited for the fill of its line
    TakeWaiter,  // waited for room
    TakeNew
  } take_e;

  // What is in a stage of the lookup (its line stands beside it: more than 64 bits in a struct are slow in simulation).
  typedef struct packed {
    logic     valid;
    take_e    what;
    slot_t    slot;      // of the request; of a fill: of that which caused it
    set_t     set;
    mshr_no_t mshr;      // TakeFill
    way_t     way;       // TakeFlush: the way, unless by_line
    logic     by_line;   // TakeFlush: the way that holds its line
    logic     sweep;     // TakeFlush: also drops what is clean in the range
  } look_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of what stands in a stage a function looks at some fields only
  // Everything that stages 2 to 4 may still leave behind has a place: `answers` wait of `places`, `leaving` messages to the
  // store of `store_places` (two of each stage), and no channel's queue is nearly full.
  function automatic logic room(input logic [7:0] answers, input logic [7:0] places, input logic [3:0] leaving,
                                input logic [3:0] store_places, input logic [1:0] ahead, input logic queue_full);
    return answers + {6'd0, ahead} < places &&
           {1'b0, leaving} + {2'd0, ahead, 1'b0} + 5'd2 <= {1'b0, store_places} && !queue_full;
  endfunction

  // Which of the candidates goes; last: what went before.  Neither a flush nor those that wait for room hold up the others.
  function automatic take_e take(input logic fill, input logic flush, input logic replay, input logic waiter,
                                 input logic fresh, input take_e last);
    if (fill) return TakeFill;
    if (flush && !(last == TakeFlush && (replay || waiter || fresh))) return TakeFlush;
    if (replay) return TakeReplay;
    if (waiter && !(last == TakeWaiter && fresh)) return TakeWaiter;
    return fresh ? TakeNew : TakeNone;
  endfunction

  // One that waited is guaranteed what it needs at its lookup: an MSHR and a way that is not on its way, of which the
  // request one stage ahead may still take one each.
  function automatic logic assured(input mshrs_t mshr_free, input ways_t ways_free, input logic ahead,
                                   input logic same_set);
    mshrs_t m;
    ways_t w;
    m = ahead ? mshr_free & (mshr_free - mshrs_t'(1)) : mshr_free;
    w = ahead && same_set ? ways_free & (ways_free - ways_t'(1)) : ways_free;
    return m != '0 && w != '0;
  endfunction

  // Channels take turns: the first of `some` at or after `turn`.
  function automatic chan_t at_turn(input chan_t turn, input chans_t some);
    logic [3:0] from_turn;
    from_turn = 4'({4'(some), 4'(some)} >> turn);
    return turn + chan_t'(from_turn[0] ? 2'd0 : from_turn[1] ? 2'd1 : from_turn[2] ? 2'd2 : 2'd3);
  endfunction

  // Those that wait for a channel: since a fill, before those that wait for room.
  function automatic slot_t first_waiting(ref slots_t s, input chan_t c);
    return s.replay[c].some ? s.replay[c].first : s.waiter[c].first;
  endfunction

  // May the request that has waited longest for a channel go into the lookup behind `ahead`?
  function automatic logic may_go(ref slots_t s, ref sets_t t, ref file_t f, input chan_t c, input look_t ahead);
    set_t set;
    set = set_of(line_of(s.access[first_waiting(s, c)].addr));
    return assured(f.free, ~t.set[set].pending, ahead.valid, ahead.set == set) &&
           !(ahead.valid && ahead.what == TakeFill && ahead.set == set);
  endfunction

  // A request or a fill goes into the lookup; the line is to follow.
  function automatic look_t goes(ref slots_t s, ref file_t f, input take_e what, input chan_t c);
    look_t look;
    look = '0;
    look.valid = 1'b1;
    look.what  = what;
    look.slot  = first_waiting(s, c);
    if (what == TakeFill) begin
      look.mshr = first_mshr(ready(f));
      look.slot = f.mshr[look.mshr].slot;
      f.fetched = f.fetched & ~(mshrs_t'(1) << look.mshr);
    end
    if (what == TakeReplay) s.replay[c] = rest(s, s.replay[c]);
    if (what == TakeWaiter) s.waiter[c] = rest(s, s.waiter[c]);
    if (what == TakeReplay || what == TakeWaiter) s.turn = s.turn + chan_t'(1);
    if (what == TakeNew) look.slot = enter(s);
    return look;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
