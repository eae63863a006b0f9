// SPDX-License-Identifier: Apache-2.0
// What a DRAM channel and the checker of its protocol have in common: commands, the times of a standard, where a line lies.
// Responsible for: types and pure functions.  Not responsible for: when a command is allowed (dram_bank_pkg; dram_checker
// on its own), which access gets it (dram_choose_pkg).
package dram_pkg;
  localparam logic [2:0] CmdNone = 3'd0;
  localparam logic [2:0] CmdActivate = 3'd1;
  localparam logic [2:0] CmdPrecharge = 3'd2;
  localparam logic [2:0] CmdRead = 3'd3;
  localparam logic [2:0] CmdWrite = 3'd4;
  localparam logic [2:0] CmdRefresh = 3'd5;      // of one bank
  localparam logic [2:0] CmdRefreshAll = 3'd6;

  // A command on the row bus (activate, precharge, refresh) or on the column bus (read, write).
  typedef struct packed {
    logic [2:0] kind;
    logic [4:0] bank;
    logic [31:0] row;  // of an activate
  } cmd_t;

  // Times of a standard, in cycles of the memory; a cycle of the memory is `ratio` GPU cycles.
  typedef struct packed {
    int unsigned ratio;
    int unsigned tcl, tcwl;
    int unsigned trcd, trp, tras, twr, trtp;
    int unsigned tccd_s, tccd_l;    // column to column: other group, same group
    int unsigned trrd_s, trrd_l;    // activate to activate
    int unsigned twtr_s, twtr_l;    // end of write data to read
    int unsigned tfaw;              // five activates span more than this
    int unsigned trtw;              // end of read data to write data: the bus turns around
    int unsigned trefi;             // in this time every bank is refreshed once
    int unsigned trfc, trfc_bank;   // refresh of all banks; of one, bank after bank (0: all at once)
    int unsigned burst;             // of the data bus for a line
  } times_t;

  localparam times_t Hbm1 = '{
      ratio: 2, tcl: 7, tcwl: 2, trcd: 7, trp: 7, tras: 17, twr: 8, trtp: 3, tccd_s: 1, tccd_l: 1, trrd_s: 2, trrd_l: 3,
      twtr_s: 3, twtr_l: 4, tfaw: 15, trtw: 1, trefi: 1950, trfc: 130, trfc_bank: 80, burst: 2
  };

  // How the number of a line within the channel is cut, from the low end: columns, banks, rows; but the bank's bits stand
  // at `bank_bit`, whatever else that takes apart.  `hash`: the bank is xor-ed with the bits of the row, folded, so that
  // arrays whose distances are powers of two do not meet in one bank.
  typedef struct packed {
    logic [4:0] col_bits;
    logic [4:0] bank_bits;
    logic [4:0] bank_bit;
    logic hash;
  } map_t;

  // Where a line of the channel lies.  (A PHY's column would be the line's low bits without the bank's.)
  typedef struct packed {
    logic [31:0] row;
    logic [4:0] bank;
  } place_t;

  function automatic place_t place_of(input logic [31:0] line, input map_t map);
    logic [31:0] above, low, rest, spread, mask;
    place_t p;
    low    = line & ((32'd1 << map.bank_bit) - 32'd1);
    above  = line >> map.bank_bit;
    rest   = ((above >> map.bank_bits) << map.bank_bit) | low;  // column and row
    mask   = (32'd1 << map.bank_bits) - 32'd1;
    p.row  = rest >> map.col_bits;
    spread = p.row ^ (p.row >> map.bank_bits) ^ (p.row >> {map.bank_bits, 1'b0});
    p.bank = 5'((above ^ (map.hash ? spread : 32'd0)) & mask);
    return p;
  endfunction

  function automatic logic [63:0] later(input logic [63:0] a, input logic [63:0] b);
    return a > b ? a : b;
  endfunction

  function automatic int unsigned larger(input int unsigned a, input int unsigned b);
    return a > b ? a : b;
  endfunction

  // A time as GPU cycles.
  function automatic logic [63:0] cycles(input int unsigned clocks, input int unsigned ratio);
    return 64'(clocks) * 64'(ratio);
  endfunction

  /* verilator lint_off UNUSEDSIGNAL */  // not every time
  // Memory cycles that a refresh, once due, waits for an open bank to close.
  function automatic int unsigned close_clocks(input times_t t);
  /* verilator lint_on UNUSEDSIGNAL */
    return larger(larger(t.tras, t.trtp), t.tcwl + t.burst + t.twr) + t.trp + 3;
  endfunction
endpackage
