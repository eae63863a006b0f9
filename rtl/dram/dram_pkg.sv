// SPDX-License-Identifier: Apache-2.0
// What a DRAM channel and the checker of its protocol have in common: commands, and where a line lies.  Responsible for:
// types and pure functions.  Not responsible for: when a command is allowed (dram_channel; dram_checker on its own).
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

  // Where a line of the channel lies: columns first, then banks, which are spread by the bits of the row, so that arrays
  // whose distances are powers of two do not meet in one bank.
  typedef struct packed {
    logic [31:0] row;
    logic [4:0] bank;
  } place_t;

  function automatic place_t place_of(input logic [31:0] line, input logic [4:0] col_bits, input logic [4:0] bank_bits);
    logic [31:0] above, spread, mask;
    place_t p;
    above  = line >> col_bits;
    mask   = (32'd1 << bank_bits) - 32'd1;
    p.row  = above >> bank_bits;
    spread = p.row ^ (p.row >> bank_bits) ^ (p.row >> {bank_bits, 1'b0});
    p.bank = 5'((above ^ spread) & mask);
    return p;
  endfunction

  function automatic logic [63:0] later(input logic [63:0] a, input logic [63:0] b);
    return a > b ? a : b;
  endfunction

  // Distance of column commands that move data in the same direction: the rule of the standard, or the bus.
  function automatic int unsigned apart(input int unsigned ccd, input int unsigned burst);
    return ccd > burst ? ccd : burst;
  endfunction
endpackage
