// SPDX-License-Identifier: Apache-2.0
// Stage `refresh`: when a refresh falls due, and whose.  Bank after bank, or all at once; one that is due keeps its banks
// from being used until its command is out.  While the channel rests nothing is looked at: what fell due meanwhile counts
// as done when it was due, and the interval begins anew.  Responsible for: the turn and the clock of refreshes.  Not
// responsible for: closing the banks before one (dram_channel), how long one takes (its parameters).
package dram_refresh_pkg;
  typedef struct packed {
    logic [63:0] next;   // when the next one falls due
    logic [63:0] count;  // that are done
    logic [4:0]  bank;   // whose turn is next; 0 when all are refreshed at once
    logic        due;    // one waits for its banks to close
  } refresh_t;

  // One falls due; the next does so only when its command is out.
  function automatic refresh_t falls_due(input refresh_t r, input logic [63:0] every);
    refresh_t n;
    n      = r;
    n.due  = 1'b1;
    n.next = r.due ? r.next : r.next + every;
    return n;
  endfunction

  // Its command is out; `last`: number of the last bank, 0 when all are refreshed at once.
  function automatic refresh_t sent(input refresh_t r, input logic [4:0] last);
    refresh_t n;
    n       = r;
    n.due   = 1'b0;
    n.count = r.count + 64'd1;
    n.bank  = r.bank == last ? 5'd0 : r.bank + 5'd1;
    return n;
  endfunction

  // One that fell due while the channel was at rest is over.
  function automatic refresh_t missed(input refresh_t r, input logic [63:0] every, input logic [4:0] last);
    refresh_t n;
    n      = sent(r, last);
    n.next = r.next + every;
    return n;
  endfunction

  // From when on a bank can be opened that was refreshed at rest: the refresh begins when it is due and the bank closed.
  function automatic logic [63:0] opens(input logic [63:0] next, input logic open,
                                        input logic [63:0] activate_at, input logic [63:0] precharge_at,
                                        input logic [63:0] trp, input logic [63:0] trfc);
    logic [63:0] closed;
    closed = open ? (precharge_at > next ? precharge_at : next) + trp : activate_at;
    return (closed > next ? closed : next) + trfc;
  endfunction
endpackage
