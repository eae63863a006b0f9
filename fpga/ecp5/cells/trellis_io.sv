// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: a pad, by what its parameter DIR says (board_netlist.py): simulation has no pins of all directions.
module TRELLIS_IO_INPUT (
  input  logic B,
  output logic O
);
  assign O = B;
endmodule

module TRELLIS_IO_OUTPUT (
  output logic B,
  input  logic I
);
  assign B = I;
endmodule

// T high: it does not drive its pin.
module TRELLIS_IO_BIDIR (
  inout  wire  B,
  input  logic I,
  input  logic T,
  output logic O
);
  assign B = T ? 1'bz : I;
  assign O = B;
endmodule
