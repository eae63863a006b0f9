// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: stages 3, 2 and 1 of cu_simd, which row function runs for the slot in each of them.  Not
// responsible for: what a row function does (simd_rows_*.svh).

  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts of control words
  // Stage 3: normalise and round.
  function automatic void round_stage(`STATE_ONLY);
    logic q;
    ctl_t k;
    q = r.st3.entry;
    k = r.i_ctl[q];
`ifdef SYNTHESIS
    clear_result();
`endif
`ifdef SYNTHESIS  // the wide normaliser serves all: what is narrow has zeros below
    wide_round_row(r.st3.ring, k.round, k.small_kept, r.i_issue[q].op == OP_V_DIV_SCALE_F32);
    if (!k.wide_norm && k.out == OutF16) wide_round16_row(k.round, k.small_kept);
`else
    if (k.wide_norm) begin
      wide_round_row(`LANES r.st3.ring, k.round, k.small_kept, r.i_issue[q].op == OP_V_DIV_SCALE_F32);
    end else if (k.out == OutF16) begin
      round16_row(`LANES r.st3.ring, k.round, k.small_kept);
    end else begin
      round_row(`LANES r.st3.ring, k.round, k.small_kept);
    end
`endif
    if (k.fract) below_one_row(`LANES r.st3.ring, k.half);
`ifdef SYNTHESIS
    put_result(r.st3.ring, 1'b1, 1'b1);
`endif
  endfunction

  // Stage 2: align and add.
  function automatic void align_stage(`STATE_ONLY);
    logic q;
    ctl_t k;
    q = r.st2.entry;
    k = r.i_ctl[q];
`ifdef SYNTHESIS
    wide_align_row(k.wide_norm && (r.i_issue[q].op == OP_V_DIV_SCALE_F32 || r.i_issue[q].op == OP_V_DIV_FMAS_F32),
                   32'd1 << k.round);
`else
    if (k.wide_norm) begin
      wide_align_row(`LANES r.i_issue[q].op == OP_V_DIV_SCALE_F32 || r.i_issue[q].op == OP_V_DIV_FMAS_F32,
                     32'd1 << k.round);
    end else begin
      align_row(`LANES k.round == 2'd2);
    end
`endif
  endfunction

  // The result of entry q is whole: to the next instruction, if that is here already and takes its mask from it.
  function automatic void hand_mask(`STATE_ARG input logic q);
    if (r.cur != q && r.i_issue[!q].mask_from == MaskLast && `SIMD_FAULT != 31) r.i_issue[!q].mask = r.i_result[q];
  endfunction

  // Stage 2: quarter-rate units.
  function automatic void quarter_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    logic [1:0] r0, r1;
    logic [63:0] part;
    q = r.st2.entry;
    r0 = r.st2.first;
    r1 = {r0[1], 1'b1};
`ifdef SYNTHESIS
    clear_result();
`endif
    case (r.i_ctl[q].cls)
      ClsTrans: trans_half(`LANES r0, r.st2.sub[1], r.i_issue[q].op, r.i_ctl[q].half, r.i_issue[q].mode);
      ClsQsad: qsad_half(`LANES r0, r1, r.st2.sub[1], r.st2.second, r.i_issue[q].op);
      ClsMul32: begin
        mul32_half(`LANES r0, r1, r.st2.sub[1], r.i_issue[q].op);
        part = 64'(v.bits[Lanes-1:0] & r.lanes_of[r0]) << {r.st2.row[BeatW-1:0], LaneW'(0)};
        r.i_result[q] = r.st2.row[BeatW-1:0] == '0 && !r.st2.sub[1] ? part : r.i_result[q] | part;
        if (MaskForward && r.st2.row[BeatW-1:0] == '1 && r.st2.sub[1]) hand_mask(`STATE q);
      end
      default: ;
    endcase
`ifdef SYNTHESIS
    if (r.i_ctl[q].cls == ClsTrans || r.i_ctl[q].cls == ClsQsad || r.i_ctl[q].cls == ClsMul32) begin
      put_result(r0, !r.st2.sub[1], r.st2.sub[1]);
      if (r.i_ctl[q].cls != ClsTrans) put_high_result(r1, !r.st2.sub[1], r.st2.sub[1]);
    end
`endif
  endfunction

  // Stage 1: lanes that are written, DPP, SDWA, old destination, modifiers of sources.  exec and r.em: lanes
  // that are on, and those that are written.
  function automatic void special_operands(`STATE_ARG input enable_t exec);
    `NO_INLINE
    slot_info_t s;
    logic q;
    ctl_t k;
    logic [31:0] em, other, addend;
    logic [1:0] row;  // of 16 lanes
    logic gathered, next;
    s = OperandStage ? r.st0 : r.st1;
    q = s.entry;
    k = r.i_ctl[q];
    em = 32'(exec);
    if (k.dpp) begin
      row = s.row[BeatW-1:BeatW-2];
      other = 32'(r.i_issue[q].exec >> {dpp_other(r.i_issue[q].ext[16:8], row), 4'd0});
      gathered = Parts == 1 && gathers(`STATE q);
      next = r.i_issue[q].ext[16:11] == 6'b100110;
      addend = next ? v.z[0] : v.z[Lanes-1];
      if (gathered) begin  // the lane of the other row, in the place of an addend for as long as DPP looks
        if (next) v.z[0] = v.other16;
        else v.z[Lanes-1] = v.other16;
      end else if (Parts == 1) begin
        // at quarter rate the rows of beats 0 and 1 may be overwritten when beat 3 asks for them
        if (row == 2'd0) r.first_lane = v.x[0];
        if (row == 2'd1) r.lane31 = v.x[Lanes-1];
        if (row == 2'd3 && r.i_issue[q].ext[16:8] == 9'h134) v.z[0] = r.first_lane;
        if (row == 2'd3 && r.i_issue[q].ext[16:8] == 9'h143) v.z[Lanes-1] = r.lane31;
      end else begin
        em = 32'(r.i_issue[q].exec >> {row, 4'd0}) & 32'hffff;
      end
      em = dpp_row(`LANES r.i_issue[q].ext, row, 2'(32'(s.row) % Parts), em, other);
      if (gathered && next) v.z[0] = addend;
      if (gathered && !next) v.z[Lanes-1] = addend;
    end
    if (k.keep) begin
`ifdef SYNTHESIS  // write enables of four rows; with an index it would be a multiplexer of all of them
      for (int unsigned n = 0; n < 4; n++) begin
        for (int unsigned l = 0; l < Lanes; l++) if (s.ring == n[1:0]) v.old[n][l] = v.z[l];
      end
`else
      for (int unsigned l = 0; l < Lanes; l++) v.old[s.ring][l] = v.z[l];
`endif
    end
    if (k.sdwa) sdwa_sources(`LANES r.i_issue[q].ext);
    if (k.mod) modify_sources(`LANES r.i_abs[q], r.i_neg[q], k.half);
    r.em = em[Lanes-1:0];
  endfunction

  // Stage 1 of a slot that gathers for DPP: a part of the row of 16 whose lanes are asked for, with fewer than 16 lanes; with
  // the first of them the lane of the other row.  That was read before any write of this instruction to that row but
  // the ones of beats long past: rows 0 and 1 may have new values when row 3 asks for a lane of theirs.
  function automatic void gather_stage(`STATE_ONLY);
    `NO_INLINE
    slot_info_t s;
    logic q, next;
    logic [1:0] row, part;
    s = OperandStage ? r.st0 : r.st1;
    q = s.entry;
    row = s.row[BeatW-1:BeatW-2];
    part = 2'(32'(s.row) % Parts);
    next = r.i_issue[q].ext[16:11] == 6'b100110;  // wave_shl, wave_rol
`ifdef SYNTHESIS
    for (int unsigned l = 0; l < 16; l++) if (Parts > 1 && part == 2'(l / Lanes)) v.row16[l] = v.x[l%Lanes];
`else
    if (Parts > 1) for (int unsigned l = 0; l < Lanes; l++) v.row16[4'(32'(part) * Lanes + l)] = v.x[l];
`endif
    if (part == 2'd0) begin
      v.other16 = next ? v.z[0] : v.z[Lanes-1];
      if (row == 2'd0) r.first_lane = v.x[0];
      if (row == 2'd3 && r.i_issue[q].ext[16:8] == 9'h134) v.other16 = r.first_lane;
      if (row == 2'd2) r.lane31 = v.other16;
      if (row == 2'd3 && r.i_issue[q].ext[16:8] == 9'h143) v.other16 = r.lane31;
    end
  endfunction

  // Before all stages: v.x, v.y and v.z, rows as they were read, become operands.  The row that was written when they
  // were read is still in v.out.
  function automatic void patch_operands(`STATE_ONLY);
    `NO_INLINE
    slot_info_t s;
    logic q, sub;
    ctl_t k;
    logic [63:0] scalar;
    logic [31:0] value;
    s = OperandStage ? r.st0 : r.st1;
    q = s.entry;
    k = r.i_ctl[q];
    sub = s.sub[0];
    if (!k.vgpr[0]) begin
      scalar = r.i_issue[q].sval[0];
      value = sub ? scalar[63:32] : scalar[31:0];
      for (int unsigned l = 0; l < Lanes; l++) v.x[l] = value;
    end
    if (k.use1 && !k.vgpr[1]) begin
      scalar = r.i_issue[q].sval[1];
      value = sub ? scalar[63:32] : scalar[31:0];
      for (int unsigned l = 0; l < Lanes; l++) v.y[l] = value;
    end
    if (k.third && !k.vgpr[2]) begin
      scalar = r.i_issue[q].sval[2];
      value = sub ? scalar[63:32] : scalar[31:0];
      for (int unsigned l = 0; l < Lanes; l++) v.z[l] = value;
    end
    if (r.fwd == '0) begin
    end else if (r.fwd_lanes == '1) begin
      if (r.fwd[0]) for (int unsigned l = 0; l < Lanes; l++) v.x[l] = v.out[l];
      if (r.fwd[1]) for (int unsigned l = 0; l < Lanes; l++) v.y[l] = v.out[l];
      if (r.fwd[2]) for (int unsigned l = 0; l < Lanes; l++) v.z[l] = v.out[l];
    end else begin
      if (r.fwd[0]) for (int unsigned l = 0; l < Lanes; l++) v.x[l] = r.fwd_lanes[l[LaneW-1:0]] ? v.out[l] : v.x[l];
      if (r.fwd[1]) for (int unsigned l = 0; l < Lanes; l++) v.y[l] = r.fwd_lanes[l[LaneW-1:0]] ? v.out[l] : v.y[l];
      if (r.fwd[2]) for (int unsigned l = 0; l < Lanes; l++) v.z[l] = r.fwd_lanes[l[LaneW-1:0]] ? v.out[l] : v.z[l];
    end
  endfunction

  // With a stage for operands: what it made in the cycle before takes the place of the rows that were read.
  function automatic void operands_in(`LANES_ONLY);
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.xr[l] = v.x[l];
      v.yr[l] = v.y[l];
      v.zr[l] = v.z[l];
      v.x[l] = v.xo[l];
      v.y[l] = v.yo[l];
      v.z[l] = v.zo[l];
    end
  endfunction

  // That stage: the rows again, which become the operands of stage 1.  r.em waits with them.
  function automatic void zero_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.x[l] = v.xr[l];
      v.y[l] = v.yr[l];
      v.z[l] = v.zr[l];
    end
    if (r.patch) patch_operands(`STATE_CALL);
    q = r.st0.entry;
    if (r.st0.read && r.i_ctl[q].special) begin
      special_operands(`STATE enable_t'(r.i_issue[q].exec >> {r.st0.row[BeatW-1:0], LaneW'(0)}));
    end
    if (r.st0.gather) gather_stage(`STATE_CALL);
    for (int unsigned l = 0; l < Lanes; l++) begin
      v.xo[l] = v.x[l];
      v.yo[l] = v.y[l];
      v.zo[l] = v.z[l];
    end
  endfunction

  // Stage 1: operations of one lane, of pairs and of the quarter-rate units.
  function automatic void other_operation(`STATE_ARG input logic q, input class_e cls);
    `NO_INLINE
    logic [1:0] r0;
    beat_t beat;
    r0 = r.st1.first;
    beat = r.st1.row[BeatW-1:0];
    case (cls)
      ClsLane: begin
        if (r.i_issue[q].op == OP_V_WRITELANE_B32) begin
          for (int unsigned l = 0; l < Lanes; l++) `RESULT(r0)[l] = v.x[l];
          r.lanes_of[r0] = beat == r.i_lane[q][5:LaneW] ? enable_t'(1) << r.i_lane[q][LaneW-1:0] : '0;
        end
        if (beat == r.i_lane[q][5:LaneW]) r.i_result[q] = 64'(v.x[r.i_lane[q][LaneW-1:0]]);
      end
      ClsShift64, ClsCmp64: begin
        if (!r.st1.sub[0]) begin
          for (int unsigned l = 0; l < Lanes; l++) begin
            v.xl[l] = v.x[l];
            v.yl[l] = v.y[l];
          end
        end else if (cls == ClsCmp64) cmp64_row(`LANES r.i_issue[q].op[3:0]);
        else shift64_row(`LANES r0, {r0[1], 1'b1}, r.i_issue[q].op);
      end
      ClsF64: serial_rows(`STATE q, r.st1.sub[0]);
      ClsMul32, ClsTrans, ClsQsad: quarter_row(`LANES r.st1.sub[0], r.i_info[q].pair[2]);
      default: ;
    endcase
  endfunction

  // Stage 1: single-step operations, first steps of others.
  function automatic void operand_stage(`STATE_ONLY);
    logic q;
    ctl_t k;
    logic [1:0] r0;
    beat_t beat;
    logic [9:0] op;
    enable_t em;
    logic [31:0] carry;
    logic [63:0] part;
    q = r.st1.entry;
    k = r.i_ctl[q];
    r0 = r.st1.first;
    beat = r.st1.row[BeatW-1:0];
    op = r.i_issue[q].op;
    em = enable_t'(r.i_issue[q].exec >> {beat, LaneW'(0)});
    if (k.special) begin
      if (!OperandStage) special_operands(`STATE em);
      em = r.em;
    end
    if (k.rate == RATE_FULL) r.lanes_of[r0] = em;
    else if (!r.st1.sub[0]) begin
      r.lanes_of[r0] = em;
      r.lanes_of[{r0[1], 1'b1}] = em;
    end
`ifdef SYNTHESIS  // one multiplier a lane, one conversion from halves, one rounding to whole numbers
    clear_result();
    whole_row(op, k.cls, k.cls == ClsFma && r.st1.sub == 2'd0 && r.i_info[q].halves, r.i_issue[q].mode);
    multiply_row(op, k.cls == ClsMul24, k.wide_norm, r.i_issue[q].mode[4]);
`endif
`ifdef SYNTHESIS  // step 1 of the normaliser, whether it is needed or not: registers that need not stay
    normaliser_row(r0, op, k, r.i_issue[q].mode[4], 32'(r.i_issue[q].mask >> {beat, LaneW'(0)}));
`endif
    case (k.cls)
      ClsBit: bit_row(`LANES r0, op, 32'(k.clamp));
      ClsSelect: select_row(`LANES r0, op, beat, 32'(r.i_issue[q].mask >> {beat, LaneW'(0)}));
      ClsAdd: begin
        // carry-in only for the second three opcodes
        carry = op >= OP_V_ADDC_U32 ? 32'(r.i_issue[q].mask >> {beat, LaneW'(0)}) : 32'd0;
        add_row(`LANES r0, op, `SIMD_FAULT == 18 ? carry ^ (Lanes > 4 ? 32'h10 : 32'h8) : carry, 32'(k.clamp));
      end
      ClsMul24: mul24_row(`LANES r0, op, 32'(k.clamp));
      ClsCmp: cmp_row(`LANES op[7:0], k.half, r.i_issue[q].mode[6], r.i_issue[q].mode[4]);
      ClsMisc: misc_row(`LANES r0, op, r.i_issue[q].mode, r.i_issue[q].ieee);
`ifdef SYNTHESIS
      ClsFma: ;
`else
      ClsFma: begin
        if (r.st1.sub == 2'd0) begin
          if (r.i_info[q].halves) halves_row(`LANES op, r.i_issue[q].mode[6]);
          if (k.wide_norm) begin
            wide_first_row(`LANES r0, op, r.i_issue[q].mode[4], 32'(r.i_issue[q].mask >> {beat, LaneW'(0)}));
          end else first_row(`LANES op, k.half, r.i_issue[q].mode[4] || k.half, k.round);
        end
      end
`endif
      default: other_operation(`STATE q, k.cls);
    endcase
`ifdef SYNTHESIS
    if (k.cls == ClsBit || k.cls == ClsSelect || k.cls == ClsAdd || k.cls == ClsMul24 || k.cls == ClsMisc ||
        (k.cls == ClsShift64 && r.st1.sub[0]) || op == OP_V_WRITELANE_B32) begin
      put_result(r0, 1'b1, 1'b1);
    end
    if (k.cls == ClsShift64 && r.st1.sub[0]) put_high_result({r0[1], 1'b1}, 1'b1, 1'b1);
`endif
    if (k.bits) begin
      if (k.cls != ClsCmp64 || r.st1.sub[0]) begin
        part = 64'(v.bits[Lanes-1:0] & r.lanes_of[r0]) << {beat, LaneW'(0)};
        r.i_result[q] = beat == '0 ? part : r.i_result[q] | part;
        if (MaskForward && beat == '1) hand_mask(`STATE q);
      end
    end
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
