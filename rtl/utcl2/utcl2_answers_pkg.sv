// SPDX-License-Identifier: Apache-2.0
// Stage "answers" of the L2 TLB: what a requester gets for its page, and when lookups give way to the answers of walks.
// Responsible for: pure functions.  Not responsible for: the queue of answers (utcl2_tlb).
package utcl2_answers_pkg;
  import gantry_msg_pkg::*;
  import utcl2_choose_pkg::*;

  // Hits pass the answers of walks; after so many in a row lookups stand still until one has left.
  localparam logic [2:0] Patience = 3'd4;

  // An answer that waits.
  typedef struct packed {
    logic [7:0]  gpu;
    logic [7:0]  source;
    logic [7:0]  status;
    logic [31:0] tag;
    logic [63:0] pte;
  } answer_t;

  /* verilator lint_off UNUSEDSIGNAL */
  function automatic answer_t answer(input who_t who, input logic [63:0] pte);
    return '{gpu: who.gpu, source: who.source, status: tlb_pkg::pte_status(pte, who.access), tag: who.tag, pte: pte};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */

  function automatic mem_rsp_t message(input answer_t a);
    mem_rsp_t m;
    m = '0;
    m.op      = MEM_XLAT;
    m.status  = a.status;
    m.source  = a.source;
    m.gpu     = a.gpu;
    m.tag     = a.tag;
    m.data[0] = a.pte;
    return m;
  endfunction
endpackage
