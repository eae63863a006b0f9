// SPDX-License-Identifier: Apache-2.0
// Cell of a routed ECP5 netlist: a flip-flop.  It has REGSET's value when the device is configured, and at LSR.
module TRELLIS_FF #(
  parameter SD = "0",  // what it takes: 1 the LUT beside it (DI), 0 a wire (M)
  parameter REGSET = "RESET",
  parameter SRMODE = "LSR_OVER_CE",
  parameter CEMUX = "1",
  parameter CLKMUX = "CLK",
  parameter LSRMUX = "LSR"
) (
  input  logic CLK,
  input  logic CE,
  input  logic LSR,
  input  logic DI,
  input  logic M,
  output logic Q
);
  localparam logic Set = REGSET == "SET";
  logic q = Set;
  wire clock = (CLKMUX == "INV") ^ CLK, clear = (LSRMUX == "INV") ^ LSR;
  wire enable = CEMUX == "1" || (CEMUX == "INV") ^ CE, next = SD == "1" ? DI : M;
  if (SRMODE == "ASYNC") begin : gen_async
    always @(posedge clock or posedge clear) if (clear) q <= Set;
    else if (enable) q <= next;
  end else begin : gen_sync
    always @(posedge clock) if (clear) q <= Set;
    else if (enable) q <= next;
  end
  assign Q = q;
endmodule
