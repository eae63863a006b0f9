// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: a PLL that simulation does without, the oscillator being as fast as whoever simulates wants
// its output to be.  Not responsible for: dividers, phases, further outputs.
module EHXPLLL (
  input  logic CLKI,
  output logic CLKOP,
  output logic LOCK
);
  assign CLKOP = CLKI;
  assign LOCK = 1'b1;
endmodule
