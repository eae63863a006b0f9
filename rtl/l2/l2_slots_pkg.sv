// SPDX-License-Identifier: Apache-2.0
// Requests of an L2 slice in their slots, from arrival to answer, and the lists of those that wait: since a fill of their
// line, for room.  A new request reaches the slot whose number the memory of payloads has been given.
// Responsible for: slots, the ring of free ones, lists.  Not responsible for: payloads and the input queue (l2_slice), those
// that wait for a fill that has not come (l2_mshr_pkg).
package l2_slots_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;

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
    list_t replay[Channels];   // wait since a fill
    list_t waiter[Channels];   // wait for room
  } slots_t;

  function automatic void slots_reset(ref slots_t s);
    for (int unsigned i = 0; i < Slots; i++) s.free[i] = slot_t'(i);
    for (int unsigned c = 0; c < Channels; c++) s.replay[c] = '0;
    for (int unsigned c = 0; c < Channels; c++) s.waiter[c] = '0;
    s.free_first = '0;
    s.free_last  = '0;
    s.busy       = 8'd0;
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // of a message or a list a function looks at some fields only
  // A request comes.  Result: the slot of the next one.
  function automatic slot_t arrive(ref slots_t s, input slot_t slot, const ref mem_req_t req, input logic through);
    slot_t next;
    s.access[slot] = '{through: through, whole: req.mask == '1, op: req.op[1:0], atomic: req.atomic[3:0],
                       wide: req.size == 8'd8, addr: req.addr[54:0]};
    s.ids[slot]    = '{user: req.user, tag: req.tag};
    s.from[slot]   = '{gpu: req.gpu, source: req.source};
    s.free_first   = s.free_first + slot_t'(1);
    next           = s.free[s.free_first];
    return next;
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
