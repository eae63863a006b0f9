// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: a clock's way into the clock tree, with a gate whose enable is taken while the clock is low.
module DCCA (
  input  logic CLKI,
  input  logic CE,
  output logic CLKO
);
  logic open;
  always_latch if (!CLKI) open = CE;
  assign CLKO = CLKI & open;
endmodule
