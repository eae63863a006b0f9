// SPDX-License-Identifier: Apache-2.0
// Stage "tags" of an L2 slice: the state of its sets, which way holds a line, may a request go on, which way does a miss
// take.  Responsible for: the state of the sets and pure functions on it.  Not responsible for: the tag memory (l2_slice),
// what requests, fills and flushes make of the state (l2_look_pkg).
//
// A way is valid, on its way (pending: an MSHR fetches its line), full (all bytes hold) or not (those of its byte mask
// hold: a store left them), dirty (bytes of the mask are newer than DRAM).  A line that is not full is dirty, or pending.
package l2_tags_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;

  localparam int unsigned Groups = Sets > 64 ? Sets / 64 : 1;  // of sets, in the summary of dirty lines
  localparam int unsigned GroupBits = Groups > 1 ? $clog2(Groups) : 1;
  typedef logic [GroupBits-1:0] group_t;

  typedef line_no_t [Ways-1:0] tag_row_t;

  typedef struct packed {
    ways_t valid;
    ways_t pending;
    ways_t full;
    ways_t dirty;
  } set_state_t;

  typedef struct {
    set_state_t set[Sets];
    ways_t recent[Sets];           // used lately
    logic [7:0] waits[Sets];       // requests of the set in replay and waiter
    logic [63:0] dirty_sets[Groups];  // sets with dirty ways
    logic [14:0] dirty_lines;
  } sets_t;

  typedef enum logic [2:0] {
    LookHit,    // the line is there, whole enough for this request
    LookJoin,   // it is on its way: wait for the MSHR
    LookFetch,  // fetch it: into a new way, or to what a store left of it
    LookNew,    // store: take a way, fetch nothing
    LookPass,   // store: to DRAM only
    LookWait    // no room: wait aside
  } look_e;

  // What a lookup found.
  typedef struct packed {
    logic present;
    logic pending;
    logic full;
  } found_t;

  // What there is room for.
  typedef struct packed {
    logic again;      // it has waited: room is assured, and it is its turn
    logic set_waits;  // older requests for this set wait aside
    logic channel;    // the DRAM channel takes more, and none waits for it
    logic mshr;
    logic way;        // one to take, whose write-back, if any, finds room
  } room_t;

  function automatic void sets_reset(ref sets_t t);
    for (int unsigned i = 0; i < Sets; i++) t.set[i] = '0;
    for (int unsigned i = 0; i < Sets; i++) t.recent[i] = '0;
    for (int unsigned i = 0; i < Sets; i++) t.waits[i] = 8'd0;
    for (int unsigned i = 0; i < Groups; i++) t.dirty_sets[i] = 64'd0;
    t.dirty_lines = 15'd0;
  endfunction

  // A set has this state now; at most one of its ways has become dirty or clean.
  function automatic void put(ref sets_t t, input set_t set, input set_state_t now);
    ways_t was;
    was = t.set[set].dirty;
    t.set[set] = now;
    if (now.dirty != was) begin
      t.dirty_lines = (now.dirty & ~was) != '0 ? t.dirty_lines + 15'd1 : t.dirty_lines - 15'd1;
      t.dirty_sets[group_t'(set>>6)][6'(set)] = now.dirty != '0;
    end
  endfunction

  // An invalidation of everything: what is clean goes, of what is dirty the bytes that stores have not left.
  function automatic void drop_clean(ref sets_t t);
    for (int unsigned i = 0; i < Sets; i++) begin
      t.set[i].valid = t.set[i].valid & (t.set[i].dirty | t.set[i].pending);
      t.set[i].full  = '0;
    end
  endfunction

  // The way that holds a line, as a bit.
  function automatic ways_t holding(ref tag_row_t tags, input line_no_t line, input ways_t valid);
    ways_t match;
    match = '0;
    for (int unsigned w = 0; w < Ways; w++) match = match | (ways_t'(tags[w] == line) << w);
    return match & valid;
  endfunction

  // Ways whose write-back would go to one of these channels.
  function automatic ways_t of_channels(ref tag_row_t tags, input chans_t channels);
    ways_t ways;
    ways = '0;
    if (channels != '0)
      for (int unsigned w = 0; w < Ways; w++) ways = ways | (ways_t'(channels[channel_of(tags[w])]) << w);
    return ways;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // of a request a function looks at some fields only
  // Goes to DRAM at once.
  function automatic logic writes_dram(input access_t a);
    return a.through && stores(a);
  endfunction

  // What a request does if there is room.
  function automatic look_e wants(input access_t a, input found_t found);
    logic store;
    store = a.op == MEM_WRITE[1:0];
    if (found.present && found.pending) return LookJoin;
    if (found.present && (found.full || store)) return LookHit;
    if (store && !found.present) return a.whole || !a.through ? LookNew : LookPass;
    return LookFetch;
  endfunction

  function automatic look_e decide(input access_t a, input found_t found, input room_t room);
    look_e want;
    logic dram;
    want = wants(a, found);
    if (room.again) return want;
    if (room.set_waits) return LookWait;
    dram = want == LookFetch || want == LookPass ||
           ((want == LookHit || want == LookNew) && writes_dram(a));
    if (dram && !room.channel) return LookWait;
    if (want == LookFetch && !room.mshr) return LookWait;
    if ((want == LookFetch || want == LookNew) && !found.present && !room.way) return LookWait;
    return want;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Which counter a new request counts in; one that fetches what a store has not left of its line is a miss.
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [4:0] counts(input access_t a, input found_t found);
    logic [4:0] kind;
    kind = a.op == MEM_WRITE[1:0] ? CountWrite : a.op == MEM_ATOMIC[1:0] ? CountAtomic : CountRead;
    unique case (wants(a, found))
      LookHit: return kind;
      LookJoin: return kind + 5'd2;
      default: return kind + 5'd1;
    endcase
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Way for a new line: an unused one, else one not used lately, else any; never one that is on its way or that the stage
  // ahead works on, and one whose write-back would go to a full channel (`slow`) only if there is no other.
  function automatic way_t victim(input ways_t valid, input ways_t able, input ways_t recent, input ways_t slow);
    ways_t w;
    w = able & ~valid;
    w = w != '0 ? w : able & ~slow & ~recent;
    w = w != '0 ? w : able & ~slow;
    w = w != '0 ? w : able & ~recent;
    w = w != '0 ? w : able;
    return first_way(w);
  endfunction

  // Bits of use after way `used` was: when all would be set they begin anew.
  function automatic ways_t used(input ways_t recent, input ways_t pending, input ways_t bit_of);
    return ((recent | bit_of | pending) == '1) ? bit_of : recent | bit_of;
  endfunction
endpackage
