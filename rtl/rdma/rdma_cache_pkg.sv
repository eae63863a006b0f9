// SPDX-License-Identifier: Apache-2.0
// Cache of far lines: what a request may do there, where a line lies, the mark in the tag of a load whose line is kept.
// Responsible for: types and pure functions.  Not responsible for: the cache (rdma_cache), the choice of a way (l2_tags_pkg).
package rdma_cache_pkg;
  import gantry_msg_pkg::*;

  typedef logic [49:0] line_t;  // physical: owner (8 bits) and number of its line

  typedef struct packed {
    logic [47:0] stamp;  // cycle: the line is not older
    line_t       line;
  } tag_t;

  // Requesters leave bits 23:8 of a tag 0.
  typedef struct packed {
    logic [7:0] kind;
    logic       kept;   // the answer's line goes into the cache
    logic [6:0] pad0;
    logic [7:0] entry;  // which of the loads under way it is
    logic [7:0] number;
  } mark_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a message a function looks at some fields only
  function automatic line_t line_of(input logic [63:0] addr);
    return addr[55:6];
  endfunction

  // Memory of a GPU, of which the load takes what is here (not: glc, a page that is not cached, not of a vector cache).
  function automatic logic may_stay(input mem_req_t m);
    return m.op == MEM_READ && (m.access & tlb_pkg::ACCESS_HOME) == 8'd0 && m.addr[55:48] != 8'd0;
  endfunction

  function automatic tag_t tag_of(input mem_req_t m);
    mem_read_t read;
    read = mem_read_t'(m);
    return '{stamp: read.acquired[47:0], line: line_of(read.addr)};
  endfunction

  // Neighbouring lines lie in neighbouring sets; distances that are powers of two, and GPUs, do not meet in one set.
  function automatic logic [31:0] set_of(input line_t line, input int unsigned set_bits);
    return 32'(line ^ (line >> set_bits) ^ 50'(line[49:42])) & ((32'd1 << set_bits) - 32'd1);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
