// SPDX-License-Identifier: Apache-2.0
// Stage `choose`: which access of the queue goes.  First ready first come: of those that may go the oldest, in the
// direction in which the data bus is.  The queue is a ring of places, so that their order from the head on is the order of
// arrival.  Responsible for: the direction, the oldest, the fill of the ring.  Not responsible for: who may go
// (dram_bank_pkg).
package dram_choose_pkg;
  // Reads go before writes until `high` writes wait, no read does, or a write at the head holds up the ring (`pressed`);
  // then writes go until `low` are left while reads wait.
  function automatic logic direction(input logic writing, input logic [6:0] write_count, input logic read_waits,
                                     input logic pressed, input logic [6:0] high, input logic [6:0] low);
    logic goes_on, begins;
    goes_on = write_count > low || (write_count != 7'd0 && !read_waits);
    begins  = write_count >= high || !read_waits || pressed;
    return writing ? goes_on : begins;
  endfunction

  // Of the accesses that may go those in the direction of the data, if there are any.
  function automatic logic [63:0] prefer(input logic [63:0] able, input logic [63:0] toward);
    return (able & toward) != 64'd0 ? able & toward : able;
  endfunction

  // The one that came first.  Valid only if `able` is not 0.
  function automatic logic [5:0] oldest(input logic [63:0] able, input logic [5:0] head);
    return pick_pkg::rr64(able, head);
  endfunction

  // Places between the oldest access and the next place, of a ring of `places` (a power of two).
  function automatic logic [6:0] ring_fill(input logic some, input logic [5:0] head, input logic [5:0] tail,
                                           input logic [6:0] places);
    logic [6:0] distance;
    distance = (7'(tail) - 7'(head)) & (places - 7'd1);
    return !some ? 7'd0 : distance == 7'd0 ? places : distance;
  endfunction
endpackage
