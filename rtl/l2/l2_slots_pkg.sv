// SPDX-License-Identifier: Apache-2.0
// Requests of an L2 slice in their slots, from arrival to answer, and the lists of those that wait: since a fill of their
// line, for room.  A new request reaches the slot whose number the memory of payloads has been given.
// Responsible for: slots, the ring of free ones, the input queue, lists.  Not responsible for: payloads (l2_slice), those
// that wait for a fill that has not come (l2_mshr_pkg).
package l2_slots_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;

  localparam int unsigned InPlaces = 64;  // most of the slice's parameter Depth

  typedef struct packed {
    logic  some;
    slot_t first;
    slot_t last;
  } list_t;

  typedef struct {
    access_t access[Slots];
    ids_t ids[Slots];
    from_t from[Slots];
    slot_t next[Slots];        // of the list that the slot is in
    slot_t free[Slots];        // ring
    slot_t free_first, free_last;
    logic [7:0] busy;          // neither free nor in the input queue
    slot_t in[InPlaces];       // input queue
    logic [5:0] in_first;
    logic [6:0] in_count;
    list_t replay[Channels];   // wait since a fill
    list_t waiter[Channels];   // wait for room
    chan_t turn;               // of the lists
  } slots_t;

  function automatic void slots_reset(ref slots_t s);
    for (int unsigned i = 0; i < Slots; i++) s.free[i] = slot_t'(i);
    for (int unsigned c = 0; c < Channels; c++) s.replay[c] = '0;
    for (int unsigned c = 0; c < Channels; c++) s.waiter[c] = '0;
    s.free_first = '0;
    s.free_last  = '0;
    s.busy       = 8'd0;
    s.in_first   = 6'd0;
    s.in_count   = 7'd0;
    s.turn       = '0;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // of a message or a list a function looks at some fields only
  // A request comes.  Result: the slot of the next one.
  function automatic slot_t arrive(ref slots_t s, input slot_t slot, input mem_req_t req, input logic through);
    slot_t next;
    logic [5:0] last;
    last = s.in_first + s.in_count[5:0];
    s.in[last]     = slot;
    s.in_count     = s.in_count + 7'd1;
    s.access[slot] = '{through: through, whole: req.mask == '1, op: req.op[1:0], atomic: req.atomic[3:0],
                       wide: req.size == 8'd8, addr: req.addr[54:0]};
    s.ids[slot]    = '{user: req.user, tag: req.tag};
    s.from[slot]   = '{gpu: req.gpu, source: req.source};
    s.free_first   = s.free_first + slot_t'(1);
    next           = s.free[s.free_first];
    return next;
  endfunction

  // The first of the input queue goes on.
  function automatic slot_t enter(ref slots_t s);
    slot_t slot;
    slot       = s.in[s.in_first];
    s.in_first = s.in_first + 6'd1;
    s.in_count = s.in_count - 7'd1;
    s.busy     = s.busy + 8'd1;
    return slot;
  endfunction

  // A request has been answered.
  function automatic void leave(ref slots_t s, input slot_t slot);
    s.busy = s.busy - 8'd1;
    s.free[s.free_last] = slot;
    s.free_last = s.free_last + slot_t'(1);
  endfunction

  // A list with a slot at its end.
  function automatic list_t append(ref slots_t s, input list_t list, input slot_t slot);
    if (list.some) s.next[list.last] = slot;
    return '{some: 1'b1, first: list.some ? list.first : slot, last: slot};
  endfunction

  // A list behind the list `from` to `to`: those that waited for a fill are older than what still waits since an earlier
  // fill of the same line.
  function automatic list_t prepend(ref slots_t s, input list_t list, input slot_t from, input slot_t to);
    if (list.some) s.next[to] = list.first;
    return '{some: 1'b1, first: from, last: list.some ? list.last : to};
  endfunction

  // A list without its first.
  function automatic list_t rest(ref slots_t s, input list_t list);
    return '{some: list.first != list.last, first: s.next[list.first], last: list.last};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // Channels (a bit each) that requests wait for.
  function automatic chans_t waited_for(ref slots_t s);
    chans_t some;
    some = '0;
    for (int unsigned c = 0; c < Channels; c++)
      some = some | (chans_t'(s.replay[c].some || s.waiter[c].some) << c);
    return some;
  endfunction
endpackage
