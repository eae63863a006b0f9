// SPDX-License-Identifier: Apache-2.0
// Stage "answer" of an L2 slice: the answer to a request and the record of a store or an atomic that lock step reads.
// Responsible for: types and pure functions.  Not responsible for: the queue of answers (l2_slice).
package l2_answer_pkg;
  import gantry_msg_pkg::*;
  import l2_pkg::*;
  import l2_data_pkg::*;

  // Answers that wait, and credits towards the crossbar.
  typedef struct packed {
    logic [6:0] first;
    logic [6:0] count;
    logic [6:0] credits;
  } answers_t;

  /* verilator lint_off UNUSEDSIGNAL */  // of a request a function looks at some fields only
  function automatic mem_rsp_t answer(input access_t a, input ids_t ids, input from_t from, input words_t words);
    return '{op: {6'd0, a.op}, status: MEM_OK, source: from.source, gpu: from.gpu, tag: ids.tag, data: words};
  endfunction

  function automatic obs_order_t order(input access_t a, input ids_t ids, input from_t from, const ref done_t d,
                                       const ref line_t payload);
    words_t words;
    logic [7:0] size;
    words = d.is_atomic && !d.is_line ? {320'd0, d.old, payload.words[1], payload.words[0]} : payload.words;
    size = a.op != MEM_ATOMIC[1:0] ? 8'd0 : a.wide ? 8'd8 : 8'd4;
    return '{op: {6'd0, a.op}, atomic: {4'd0, a.atomic}, size: size, gpu: from.gpu, user: ids.user,
             source: from.source, pad0: '0, line: 8'(d.is_line), addr: {9'd0, a.addr}, mask: d.mask, data: words,
             old: d.is_line ? d.told : '0};
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
endpackage
