// SPDX-License-Identifier: Apache-2.0
// Stage "queue" of the instruction and scalar caches: what a CU's message asks for, before it has an entry.  Both kinds of
// messages have 16 bytes.  Responsible for: types and pure functions.  Not responsible for: the rings (sqc_cache).
package sqc_queue_pkg;
  import gantry_msg_pkg::*;

  typedef logic [127:0] message_t;  // smem_req_t of the scalar cache, ifetch_req_t of the instruction cache
  typedef logic [127:0] data_t;     // of a store: up to four dwords

  // Pulses of one cache for its counters.
  typedef struct packed {
    logic ahead;  // a line is fetched before it is asked for
    logic tlb_miss;
    logic tlb_hit;
    logic read_miss;
    logic read_hit;
  } sqc_count_t;

  // What is wanted, besides the address; the last three go back with the answer.
  typedef struct packed {
    logic        store;
    logic [ 7:0] vmid;
    logic [31:0] tag;    // scalar
    logic [ 7:0] wave;
    logic [ 7:0] count;  // scalar: dwords; else epoch
  } want_t;

  // Half of the data of a store, for its SIMD.
  typedef struct packed {
    logic [ 1:0] simd;
    logic        high;
    logic [63:0] half;
  } brought_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a message a function looks at some fields only
  function automatic logic [7:0] op_of(input logic scalar, input message_t message);
    smem_req_t request;
    request = message;
    return scalar ? request.op : SMEM_LOAD;
  endfunction

  function automatic brought_t brought_by(input message_t message);
    smem_data_t brought;
    brought = message;
    return '{simd: brought.wave[5:4], high: brought.high[0], half: brought.data};
  endfunction

  function automatic want_t want_of(input logic scalar, input message_t message);
    ifetch_req_t fetch;
    smem_req_t access;
    fetch  = message;
    access = message;
    return scalar ? '{store: access.op == SMEM_STORE, vmid: access.vmid, tag: access.tag, wave: access.wave,
                      count: access.dwords} :
                    '{store: 1'b0, vmid: fetch.vmid, tag: 32'd0, wave: fetch.wave, count: fetch.epoch};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
