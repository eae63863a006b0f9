// SPDX-License-Identifier: Apache-2.0
// Stage "answer" of an L2 slice: the answer to a request and the record of a store or an atomic that lock step reads.
// Responsible for: types and pure functions.  Not responsible for: the queue of answers (l2_slice).
package l2_answer_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_data_pkg::*;

  /* verilator lint_off UNUSEDSIGNAL */  // of a request a function looks at some fields only
  function automatic mem_rsp_t answer(input access_t a, input ids_t ids, input from_t from, input words_t words);
    return '{op: 8'(a.op), status: MEM_OK, source: from.source, gpu: from.gpu, tag: ids.tag, data: words};
  endfunction

  function automatic obs_order_t order(input access_t a, input ids_t ids, input from_t from, input logic [63:0] mask,
                                       input words_t words, input logic is_line, input words_t told);
    logic [7:0] size;
    size = a.op != MEM_ATOMIC[1:0] ? 8'd0 : a.wide ? 8'd8 : 8'd4;
    return '{op: 8'(a.op), atomic: 8'(a.atomic), size: size, gpu: from.gpu, user: ids.user,
             source: from.source, pad0: '0, line: 8'(is_line), addr: 64'(a.addr), mask: mask, data: words,
             old: is_line ? told : '0};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
