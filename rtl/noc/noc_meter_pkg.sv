// SPDX-License-Identifier: Apache-2.0
// What the meter of the crossbar tells apart: kinds of requests, classes of latency, bytes that a message moves.
// Not responsible for: counting (noc_meter.sv), names of counters (bridge/verilated/partitions.yaml, same order).
package noc_meter_pkg;
  import gantry_msg_pkg::*;

  // Of a request: what it asks, and whether of a slice of this GPU or through the RDMA engine (far).
  typedef enum logic [2:0] {
    KindRead = 3'd0,
    KindWrite = 3'd1,
    KindAtomic = 3'd2,
    KindXlat = 3'd3,
    KindFarRead = 3'd4,
    KindFarWrite = 3'd5,
    KindFarAtomic = 3'd6
  } kind_e;
  localparam int unsigned Kinds = 7;

  // Words of a requester and kind: requests, bytes to the server, bytes back, cycles that requests have waited (each
  // cycle as many as are under way), and requests by latency: below 32, 64, .. 8192 cycles, and the rest.
  localparam int unsigned WordRequests = 0;
  localparam int unsigned WordTo = 1;
  localparam int unsigned WordFrom = 2;
  localparam int unsigned WordWaited = 3;
  localparam int unsigned WordLatency = 4;
  localparam int unsigned Words = 14;
  // Of a server the first four of these.
  localparam int unsigned TargetWords = 4;

  function automatic kind_e kind_of(input logic [7:0] op, input logic far);
    unique case (op)
      MEM_WRITE:  return far ? KindFarWrite : KindWrite;
      MEM_ATOMIC: return far ? KindFarAtomic : KindAtomic;
      MEM_XLAT:   return KindXlat;
      default:    return far ? KindFarRead : KindRead;
    endcase
  endfunction

  // Answers to writes come under numbers that several of them share.
  function automatic logic is_write(input kind_e kind);
    return kind == KindWrite || kind == KindFarWrite;
  endfunction

  function automatic logic [3:0] latency_class(input logic [31:0] cycles);
    for (int unsigned n = 0; n < 9; n++) if (cycles < 32'd32 << n) return n[3:0];
    return 4'd9;
  endfunction

  // Payload of a request in bytes: data of a write, operands of an atomic (of one word: as many as it has bytes).
  /* verilator lint_off UNUSEDSIGNAL */
  function automatic logic [6:0] bytes_to(input mem_req_t request);
    logic [6:0] bytes;
    bytes = 7'($countones(request.mask));
    return request.op == MEM_WRITE ? bytes : request.op != MEM_ATOMIC ? 7'd0
           : bytes == 7'd0 ? request.size[6:0] : bytes;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  // And of an answer: a line (old values of an atomic too, which does not tell how many); a page-table entry.
  function automatic logic [6:0] bytes_from(input logic [7:0] op);
    return op == MEM_WRITE ? 7'd0 : op == MEM_XLAT ? 7'd8 : 7'd64;
  endfunction
endpackage
