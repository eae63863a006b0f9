// SPDX-License-Identifier: Apache-2.0
// What the parser of records, the run control and the sender of a board's harness name together.
// Not responsible for: the records themselves (gantry_stream_pkg, docs/reference/board.md).
package board_pkg;
  // Answers to a record of the host; what the outputs of the target send needs none.
  typedef enum logic [1:0] {
    SayStanding,
    SayAnswer,
    SayError,
    SayEcho
  } say_e;

  localparam logic [31:0] EchoMost = 32'd4096;  // bytes of payload of a REC_ECHO
  localparam logic [7:0] PerfNone = 8'd255;  // perf_addr_i, perf_part_i while nobody asks
endpackage
