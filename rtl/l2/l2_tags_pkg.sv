// SPDX-License-Identifier: Apache-2.0
// Stage "tags" of an L2 slice: does the slice hold the line, may the request go on, which way does a miss take.
// Responsible for: types and pure functions.  Not responsible for: the tag memory, the state of the sets (l2_slice).
//
// A way is valid, on its way (pending: an MSHR fetches its line), full (all bytes hold) or not (those of its byte mask
// hold: a store left them), dirty (bytes of the mask are newer than DRAM).  A line that is not full is dirty, or pending.
// Young: all its bytes are from DRAM, or newer, since the last CACHE_FAR.  To other GPUs a line is full only while it is
// young, so one that is not is fetched for them as a line that is not full is, which may be while nothing of it is dirty.
package l2_tags_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;

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

  /* verilator lint_off UNUSEDSIGNAL */  // of a request a function looks at some fields only
  // Goes to DRAM at once.
  function automatic logic writes_dram(input access_t a);
    return a.through && (a.op == MEM_WRITE[1:0] || a.op == MEM_ATOMIC[1:0]);
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

  // Which counter of its kind a new request counts in: hit, miss, mshr-hit.  One that fetches what a store has not left of
  // its line is a miss.
  function automatic logic [4:0] counts(input access_t a, input found_t found);
    unique case (wants(a, found))
      LookHit: return 5'd0;
      LookJoin: return 5'd2;
      default: return 5'd1;
    endcase
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

  // Way for a new line: an unused one, else one not used lately, else any; never one that is on its way or that the stage
  // ahead works on, and one whose write-back would go to a full channel (`slow`) only if there is no other.
  function automatic way_t victim(input ways_t valid, input ways_t able, input ways_t recent, input ways_t slow);
    ways_t w;
    w = able & ~valid;
    w = w != 16'd0 ? w : able & ~slow & ~recent;
    w = w != 16'd0 ? w : able & ~slow;
    w = w != 16'd0 ? w : able & ~recent;
    w = w != 16'd0 ? w : able;
    return first_way(w);
  endfunction

  // Bits of use after way `used` was: when all would be set they begin anew.
  function automatic ways_t used(input ways_t recent, input ways_t pending, input ways_t bit_of, input ways_t all);
    return ((recent | bit_of | pending) == all) ? bit_of : recent | bit_of;
  endfunction
endpackage
