// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: slice C hands write address and data of a distributed memory on to the LUTs of slices A and B,
// whose own inputs are the read address.  Not responsible for: the memory, its clock and enable (TRELLIS_COMB).
module TRELLIS_RAMW (
  input  logic A0,
  input  logic B0,
  input  logic C0,
  input  logic D0,
  input  logic A1,
  input  logic B1,
  input  logic C1,
  input  logic D1,
  output logic WADO0,
  output logic WADO1,
  output logic WADO2,
  output logic WADO3,
  output logic WDO0,
  output logic WDO1,
  output logic WDO2,
  output logic WDO3
);
  assign {WADO3, WADO2, WADO1, WADO0} = {A0, C0, B0, D0};
  assign {WDO3, WDO2, WDO1, WDO0} = {B1, D1, A1, C1};
endmodule
