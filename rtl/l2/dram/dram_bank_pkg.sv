// SPDX-License-Identifier: Apache-2.0
// Stage `bank`: what the banks allow in this cycle, and from when on after a command.  A time is the GPU cycle from which
// on a command is allowed: it is reached, or not, and only ever moves on.  Masks have a bit for each place of the queue.
// Responsible for: the rules between two commands, forward in time.  Not responsible for: which of the accesses that may
// go does (dram_choose_pkg), refresh (dram_refresh_pkg), whether the rules were kept (dram_checker, which has its own).
package dram_bank_pkg;
  import dram_pkg::*;

  // Distances in GPU cycles, from command to command.
  typedef struct packed {
    logic [63:0] clock;                             // of the memory
    logic [63:0] column, precharge_read, precharge_activate, precharge_write;
    logic [63:0] activate;                          // behind a precharge of the bank
    logic [63:0] activate_any, activate_group, four;
    logic [63:0] same_any, same_group;              // columns that move data in one direction
    logic [63:0] read_any, read_group;              // behind a write
    logic [63:0] write_any;                         // behind a read: the bus turns
    logic [63:0] data;                              // from the command of a read to the end of its data
  } waits_t;

  /* verilator lint_off UNUSEDSIGNAL */  // not every time
  function automatic waits_t waits_of(input times_t t);
  /* verilator lint_on UNUSEDSIGNAL */
    waits_t w;
    int unsigned write_data, read_data;
    read_data  = t.tcl + t.burst;
    write_data = t.tcwl + t.burst;
    w.clock              = cycles(1, t.ratio);
    w.column             = cycles(t.trcd, t.ratio);
    w.precharge_activate = cycles(t.tras, t.ratio);
    w.precharge_read     = cycles(t.trtp, t.ratio);
    w.precharge_write    = cycles(write_data + t.twr, t.ratio);
    w.activate           = cycles(t.trp, t.ratio);
    w.activate_any       = cycles(t.trrd_s, t.ratio);
    w.activate_group     = cycles(t.trrd_l, t.ratio);
    w.four               = cycles(t.tfaw, t.ratio);
    w.same_any           = cycles(larger(t.tccd_s, t.burst), t.ratio);  // the standard's rule, or the bus
    w.same_group         = cycles(larger(t.tccd_l, t.burst), t.ratio);
    w.read_any           = cycles(write_data + t.twtr_s, t.ratio);
    w.read_group         = cycles(write_data + t.twtr_l, t.ratio);
    w.write_any          = cycles(read_data + t.trtw > t.tcwl ? read_data + t.trtw - t.tcwl : 1, t.ratio);
    w.data               = cycles(read_data, t.ratio);
    return w;
  endfunction

  // From when on a column command may go: to any bank, or to one of a group.
  typedef struct packed {
    logic [63:0] read_at, write_at;
  } columns_t;

  function automatic logic [63:0] column(input columns_t c, input logic writing);
    return writing ? c.write_at : c.read_at;
  endfunction

  // One went: the next in its direction after `same`, in the other not before `turn`.
  function automatic columns_t after_column(input columns_t c, input logic writing, input logic [63:0] now,
                                            input logic [63:0] same, input logic [63:0] turn);
    columns_t n;
    n.read_at  = writing ? later(c.read_at, now + turn) : now + same;
    n.write_at = writing ? now + same : later(c.write_at, now + turn);
    return n;
  endfunction

  // Of an open bank: its accesses to the open row whose time has come.
  function automatic logic [63:0] columns(input logic [63:0] now, input logic [63:0] bank_at,
                                           input logic [63:0] group_at,
                                          input logic [63:0] wanted);
    return now >= bank_at && now >= group_at ? wanted : 64'd0;
  endfunction

  // Of an open bank in which none in the direction of the data wants the row: the accesses of the other direction for which
  // it may close.  None while one of them wants the row.
  function automatic logic [63:0] closes(input logic [63:0] mine, input logic [63:0] hits);
    return (hits & mine) == 64'd0 ? mine : 64'd0;
  endfunction

  // A row of a bank was opened: its accesses to that row have it, and no others.
  function automatic logic [63:0] with_row(input logic [63:0] same_row, input logic [63:0] mine,
                                           input logic [63:0] hits);
    return (hits & ~mine) | (same_row & mine);
  endfunction
endpackage
