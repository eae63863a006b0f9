// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: one LUT of a slice, by itself (LOGIC), as half of a carry cell (CCU2) or as one bit of a
// distributed memory (DPRAM: it is read through the LUT's inputs, so bit 3 of the write address belongs to A and bit 0 to D).
// RAMW_BLOCK: the LUT is taken by TRELLIS_RAMW.
// Not responsible for: wide multiplexers (OFX), which board_netlist.py refuses, as it refuses what has no port here.
module TRELLIS_COMB #(
  parameter logic [15:0] INITVAL = '0,
  parameter MODE = "LOGIC",
  parameter CCU2_INJECT1 = "YES",  // YES: no carry comes in
  parameter WCKMUX = "WCK",
  parameter WREMUX = "WRE"
) (
  input  logic A,
  input  logic B,
  input  logic C,
  input  logic D,
  input  logic FCI,
  input  logic WCK,
  input  logic WRE,
  input  logic WAD0,
  input  logic WAD1,
  input  logic WAD2,
  input  logic WAD3,
  input  logic WD,
  output logic F,
  output logic FCO
);
  if (MODE == "DPRAM") begin : gen_memory
    logic [15:0] content = INITVAL;
    wire clock = (WCKMUX == "INV") ^ WCK, enable = (WREMUX == "INV") ^ WRE;
    always @(posedge clock) if (enable) content[{WAD0, WAD2, WAD1, WAD3}] <= WD;
    assign F = content[{D, C, B, A}];
    assign FCO = 1'b0;
  end else begin : gen_logic
    wire lut4 = INITVAL[{D, C, B, A}], carry = CCU2_INJECT1 != "YES" && FCI;
    if (MODE == "CCU2") begin : gen_carry
      wire lut2 = CCU2_INJECT1 != "YES" && INITVAL[{2'b00, B, A}];
      assign F = lut4 ^ carry;
      assign FCO = lut4 ? FCI : lut2;
    end else begin : gen_lut
      assign F = lut4;
      assign FCO = 1'b0;
    end
  end
endmodule
