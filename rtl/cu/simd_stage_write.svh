// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: stage 4 of cu_simd, the row that is written and the end of an instruction.  Not responsible
// for: the memory itself (cu_simd writes it), who may write (read_stage in simd_stage_read.svh).

  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts of control words
  // Row of the ALU's slot in stage 4, with output modifiers.
  function automatic void write_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    ctl_t k;
    r.write = 1'b0;
    r.from_alu = 1'b0;
    r.done_valid = 1'b0;
    if (r.st4.valid) begin
      q = r.st4.entry;
      k = r.i_ctl[q];
      if (r.st4.last) begin
        r.done_valid = 1'b1;
        r.done = '{slot: r.i_slot[q], tag: r.i_tag[q], has_result: r.i_has_result[q], result: r.i_result[q]};
      end
      r.lanes = `SIMD_FAULT == 15 ? 16'hffff : r.lanes_of[r.st4.ring];
      if (r.st4.write && r.lanes != 16'd0) begin
        r.write = 1'b1;
        r.from_alu = 1'b1;
        r.i_entry = q;
        r.wrow = {r.i_dst[q] + {7'd0, k.rate != RATE_FULL && r.st4.ring[0]}, r.st4.beat};
        for (int unsigned l = 0; l < 16; l++) v.out[l] = v.res[r.st4.ring][l];
        if (k.post) begin
          if (k.out == OutF32) begin
            modify_result(`LANES 1'b0, r.i_mode[q][5] ? 2'd0 : r.i_omod[q], k.round, k.clamp, r.i_dx10[q]);
          end
          if (k.out == OutF16) begin
            modify_result(`LANES 1'b1, r.i_mode[q][7] ? 2'd0 : r.i_omod[q], r.i_mode[q][3:2], k.clamp, r.i_dx10[q]);
          end
          if (k.sdwa) sdwa_result(`LANES r.st4.ring, r.i_ext[q]);
        end
        if (`SIMD_FAULT == 17) v.out[5] = v.out[4];
      end
    end
  endfunction

  // Row of a memory unit instead.
  function automatic void take_row(`STATE_ARG input row_t at, input logic [15:0] lanes,
                                   input logic [15:0][31:0] data);
    `NO_INLINE
    r.write = 1'b1;
    r.wrow  = at;
    r.lanes = lanes;
    for (int unsigned l = 0; l < 16; l++) v.out[l] = data[l[3:0]];
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
