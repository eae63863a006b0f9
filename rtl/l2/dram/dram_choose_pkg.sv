// SPDX-License-Identifier: Apache-2.0
// Stage `choose`: which access of the queues goes.  First ready first come: of those that may go the oldest, in the
// direction in which the data bus is.  A queue is a ring of places, so that their order from the head on is the order of
// arrival.  Responsible for: the direction, the oldest, the fill of a ring.  Not responsible for: who may go
// (dram_bank_pkg).
package dram_choose_pkg;
  // Direction of the data bus.
  typedef struct packed {
    logic       writing;
    logic [6:0] writes;  // that wait
    logic [6:0] until_left;  // at so many the bus turns back to reads
    logic [7:0] passed;  // accesses since the last turn and, of reads, since a write waits; at most 255
    logic [7:0] quiet;  // memory cycles in which a write waits and no read does, at most 255
    logic       owed;  // writes turned back with more to go: as many reads have their turn
  } turn_t;

  // Of a memory cycle.  Reads go before writes until `high` writes wait, none has waited for `idle` cycles, or `age` reads
  // have passed waiting writes; then writes go until `low` are left (none, if no more wait at the beginning) or `most` have
  // gone, while reads wait.  After such a `most` the reads go until as many have gone or none waits, however many writes do.
  function automatic turn_t direction(input turn_t t, input logic reads_wait, input logic [6:0] high,
                                      input logic [6:0] low, input logic [7:0] idle, input logic [7:0] age,
                                      input logic [7:0] most);
    turn_t n;
    logic goes_on, begins;
    n = t;
    goes_on = t.writes != 7'd0 && (!reads_wait || (t.writes > t.until_left && t.passed < most));
    begins  = t.writes != 7'd0 && ((!reads_wait && t.quiet >= idle) ||
                                   (t.writes >= high && !t.owed) || t.passed >= (t.owed ? most : age));
    n.writing = t.writing ? goes_on : begins;
    if (n.writing && !t.writing) n.until_left = t.writes > low ? low : 7'd0;
    if (n.writing != t.writing || (t.writing ? !reads_wait : t.writes == 7'd0)) n.passed = 8'd0;
    n.owed = reads_wait && !n.writing && (t.owed || (t.writing && t.writes > t.until_left));
    n.quiet = reads_wait || n.writing || t.writes == 7'd0 ? 8'd0 : t.quiet + 8'(t.quiet != 8'hFF);
    return n;
  endfunction

  // One went.
  function automatic turn_t after_access(input turn_t t);
    turn_t n;
    n = t;
    n.passed = t.passed + 8'(t.passed != 8'hFF);
    n.writes = t.writes - 7'(t.writing);
    return n;
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
