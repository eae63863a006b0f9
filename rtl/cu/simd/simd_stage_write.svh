// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: stage 4 of cu_simd, the row that is written and the end of an instruction, and the cycle of a
// SIMD as a whole.  Not responsible for: the memory itself (cu_simd writes it), rows of others (cu_simd, grant_write in
// simd_stage_read.svh).

  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts of control words
  // Output modifiers on the row that is written.
  function automatic void post_row(`STATE_ARG input logic q, input logic [1:0] ring);
    `NO_INLINE
    ctl_t k;
    k = r.i_ctl[q];
    if (k.out == OutF32) begin
      modify_result(`LANES 1'b0, r.i_issue[q].mode[5] ? 2'd0 : r.i_issue[q].omod, k.round, k.clamp,
                    r.i_issue[q].dx10_clamp);
    end
    if (k.out == OutF16) begin
      modify_result(`LANES 1'b1, r.i_issue[q].mode[7] ? 2'd0 : r.i_issue[q].omod, r.i_issue[q].mode[3:2], k.clamp,
                    r.i_issue[q].dx10_clamp);
    end
    if (k.sdwa) sdwa_result(`LANES ring, r.i_issue[q].ext);
  endfunction

  // Row of the ALU's slot in stage 4.
  function automatic void write_stage(`STATE_ONLY);
    logic q;
    logic [1:0] ring;
    enable_t lanes;
    q = r.st4.entry;
    ring = r.st4.ring;
    if (r.st4.last) begin
      r.done_valid = 1'b1;
      r.done = '{slot: r.i_issue[q].slot, tag: r.i_issue[q].tag, has_result: r.i_info[q].has_result,
                 result: r.i_result[q]};
    end
    lanes = `SIMD_FAULT == 15 ? '1 : r.lanes_of[ring];
    // four lanes: the serial unit has taken the place in the ring for the beat after the next one
    if (Lanes == 4 && r.i_ctl[q].cls == ClsF64) begin
      lanes = enable_t'(r.i_issue[q].exec >> {r.st4.row[BeatW-1:0], LaneW'(0)});
    end
    if (r.st4.write && lanes != '0) begin
      r.write = 1'b1;
      r.from_alu = 1'b1;
      r.i_entry = q;
      r.wrow = r.st4.row;
      r.lanes = lanes;
      for (int unsigned l = 0; l < Lanes; l++) v.out[l] = v.res[ring][l];
      if (r.i_ctl[q].post) post_row(`STATE q, ring);
      if (`SIMD_FAULT == 17) v.out[Lanes > 4 ? 5 : 1] = v.out[Lanes > 4 ? 4 : 0];
    end
  endfunction

  // All stages, the last one first; request: who wants to write rows.  Rows that are read and written, and the row of a
  // requester whose turn it is (r.write, r.wrow and r.lanes tell of it already) are cu_simd's.
  function automatic void simd_cycle(`STATE_ARG input logic [2:0] request);
    `NO_INLINE
    slot_info_t deep;
    r.from_alu = 1'b0;
    r.done_valid = 1'b0;
    if (!OperandStage && r.patch) patch_operands(`STATE_CALL);
    if (r.st4.valid) write_stage(`STATE_CALL);
    deep = r.st3 | r.st2;
    if (deep.norm || deep.quarter) begin
      if (r.st3.norm) round_stage(`STATE_CALL);
      if (r.st2.norm) align_stage(`STATE_CALL);
      if (r.st2.quarter) quarter_stage(`STATE_CALL);
    end
    if (OperandStage) operands_in(`LANES_CALL);
    if (r.st1.read) operand_stage(`STATE_CALL);
    else if (!OperandStage && r.st1.gather) gather_stage(`STATE_CALL);
    if (OperandStage) zero_stage(`STATE_CALL);
    if (r.st2.serial) serial_stage(`STATE_CALL);
`ifdef SYNTHESIS
    frame_stage();
`endif
    read_stage(`STATE request != '0);
    if (request != '0) begin
      grant_write(`STATE request);
    end else begin
      r.granted = '0;
      r.waited  = '0;
    end
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
