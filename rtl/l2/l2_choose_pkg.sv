// SPDX-License-Identifier: Apache-2.0
// Stage "choose" of an L2 slice: what goes through the lookup next.  Order: a fill whose data and DRAM time are there; a
// step of a flush, at most every second cycle while others have work; requests that waited for a fill; requests that
// waited for room (DRAM channel, MSHR, way); what has come.  Only those that waited need room here: a new request that
// finds none at its lookup is put aside, so hits pass it.
// Responsible for: types and pure functions.  Not responsible for: queues and lists (l2_slice).
package l2_choose_pkg;
  import l2_pkg::*;

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

  // Everything that stages 2 to 4 may still leave behind has a place: `answers` wait of `places`, `leaving` messages to the
  // store of `store_places` (two of each stage), and no channel's queue is nearly full.
  function automatic logic room(input logic [7:0] answers, input logic [7:0] places, input logic [3:0] leaving,
                                input logic [3:0] store_places, input logic [1:0] ahead, input logic queue_full);
    return answers + 8'(ahead) < places &&
           5'(leaving) + 5'({ahead, 1'b0}) + 5'd2 <= 5'(store_places) && !queue_full;
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
  function automatic logic assured(input logic [8:0] mshrs_free, input ways_t ways_free, input logic ahead,
                                   input logic same_set);
    ways_t w;
    w = ahead && same_set ? ways_free & (ways_free - 16'd1) : ways_free;
    return mshrs_free > 9'(ahead) && w != 16'd0;
  endfunction
endpackage
