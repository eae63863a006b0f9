// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: stages 3, 2 and 1 of cu_simd, which row function runs for the slot in each of them.  Not
// responsible for: what a row function does (simd_rows_*.svh).

  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts of control words
  // Stage 3: normalise and round.
  function automatic void round_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    ctl_t k;
    q = r.st3.entry;
    k = r.i_ctl[q];
    if (k.wide_norm) begin
      wide_round_row(`LANES r.st3.ring, k.round, k.small_kept, r.i_op[q] == OP_V_DIV_SCALE_F32);
    end else if (k.out == OutF16) begin
      round16_row(`LANES r.st3.ring, k.round, k.small_kept);
    end else begin
      round_row(`LANES r.st3.ring, k.round, k.small_kept);
    end
    if (k.fract) below_one_row(`LANES r.st3.ring, k.half);
  endfunction

  // Stage 2: align and add.
  function automatic void align_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    ctl_t k;
    q = r.st2.entry;
    k = r.i_ctl[q];
    if (k.wide_norm) begin
      wide_align_row(`LANES r.i_op[q] == OP_V_DIV_SCALE_F32 || r.i_op[q] == OP_V_DIV_FMAS_F32, 32'd1 << k.round);
    end else begin
      align_row(`LANES k.round == 2'd2 && k.out != OutF16);
    end
  endfunction

  // Stage 2: quarter-rate units.
  function automatic void quarter_stage(`STATE_ONLY);
    `NO_INLINE
    logic q;
    logic [1:0] r0, r1;
    logic [63:0] part;
    q = r.st2.entry;
    r0 = {r.st2.beat[0], 1'b0};
    r1 = {r.st2.beat[0], 1'b1};
    case (r.i_ctl[q].cls)
      ClsTrans: trans_half(`LANES r0, r.st2.sub[1], r.i_op[q], r.i_ctl[q].half, r.i_mode[q]);
      ClsQsad: qsad_half(`LANES r0, r1, r.st2.sub[1], r.i_op[q]);
      ClsMul32: begin
        part = 64'(mul32_half(`LANES r0, r1, r.st2.sub[1], r.i_op[q]) & 32'(r.lanes_of[r0])) << {r.st2.beat, 4'd0};
        r.i_result[q] = r.st2.beat == 2'd0 && !r.st2.sub[1] ? part : r.i_result[q] | part;
      end
      default: ;
    endcase
  endfunction

  // Stage 1: lanes that are written, DPP, SDWA, old destination, modifiers of sources.  Returns the lanes.
  function automatic logic [15:0] special_operands(`STATE_ARG input logic [15:0] exec);
    `NO_INLINE
    logic q;
    ctl_t k;
    logic [31:0] em, other;
    q = r.st1.entry;
    k = r.i_ctl[q];
    em = 32'(exec);
    if (k.dpp) begin
      other = 32'(r.i_exec[q] >> {dpp_other(r.i_ext[q][16:8], r.st1.beat), 4'd0});
      // at quarter rate the rows of beats 0 and 1 may be overwritten when beat 3 asks for them
      if (r.st1.beat == 2'd0) r.first_lane = v.x[0];
      if (r.st1.beat == 2'd1) r.lane31 = v.x[15];
      if (r.st1.beat == 2'd3 && r.i_ext[q][16:8] == 9'h134) v.z[0] = r.first_lane;
      if (r.st1.beat == 2'd3 && r.i_ext[q][16:8] == 9'h143) v.z[15] = r.lane31;
      em = dpp_row(`LANES r.i_ext[q], r.st1.beat, em, other);
    end
    if (k.keep) begin
      for (int unsigned l = 0; l < 16; l++) v.old[r.st1.ring][l] = v.z[l];
    end
    if (k.sdwa) sdwa_sources(`LANES r.i_ext[q]);
    if (k.mod) modify_sources(`LANES r.i_abs[q], r.i_neg[q], k.half);
    return em[15:0];
  endfunction

  // Stage 1: operands after the bypass.
  function automatic void operands(`STATE_ARG input logic q, input logic sub, input ctl_t k);
    `NO_INLINE
    logic [31:0] value;
    if (!k.vgpr[0]) begin
      value = sub ? r.i_s0[q][63:32] : r.i_s0[q][31:0];
      for (int unsigned l = 0; l < 16; l++) v.x[l] = value;
    end else if (!r.fwd_a) begin
      for (int unsigned l = 0; l < 16; l++) v.x[l] = r.a[l];
    end else if (r.fwd_lanes == 16'hffff) begin
      for (int unsigned l = 0; l < 16; l++) v.x[l] = r.fwd[l];
    end else begin
      for (int unsigned l = 0; l < 16; l++) v.x[l] = r.fwd_lanes[l[3:0]] ? r.fwd[l] : r.a[l];
    end
    if (!k.use1) begin
    end else if (!k.vgpr[1]) begin
      value = sub ? r.i_s1[q][63:32] : r.i_s1[q][31:0];
      for (int unsigned l = 0; l < 16; l++) v.y[l] = value;
    end else if (!r.fwd_b) begin
      for (int unsigned l = 0; l < 16; l++) v.y[l] = r.b[l];
    end else if (r.fwd_lanes == 16'hffff) begin
      for (int unsigned l = 0; l < 16; l++) v.y[l] = r.fwd[l];
    end else begin
      for (int unsigned l = 0; l < 16; l++) v.y[l] = r.fwd_lanes[l[3:0]] ? r.fwd[l] : r.b[l];
    end
    if (!k.third) begin
    end else if (!k.vgpr[2]) begin
      value = sub ? r.i_s2[q][63:32] : r.i_s2[q][31:0];
      for (int unsigned l = 0; l < 16; l++) v.z[l] = value;
    end else if (!r.fwd_c) begin
      for (int unsigned l = 0; l < 16; l++) v.z[l] = r.c[l];
    end else if (r.fwd_lanes == 16'hffff) begin
      for (int unsigned l = 0; l < 16; l++) v.z[l] = r.fwd[l];
    end else begin
      for (int unsigned l = 0; l < 16; l++) v.z[l] = r.fwd_lanes[l[3:0]] ? r.fwd[l] : r.c[l];
    end
  endfunction

  // Stage 1: operands, single-step operations, first steps of others.
  function automatic void operand_stage(`STATE_ONLY);
    `NO_INLINE
    logic q, sub;
    ctl_t k;
    logic [1:0] r0, r1;
    logic [15:0] em;
    logic [31:0] mask, bits, carry;
    logic [63:0] part;
    q = r.st1.entry;
    k = r.i_ctl[q];
    sub = r.st1.sub[0];
    r0 = k.rate == RATE_FULL ? r.st1.ring : {r.st1.beat[0], 1'b0};
    r1 = {r.st1.beat[0], 1'b1};
    mask = 32'(r.i_mask[q] >> {r.st1.beat, 4'd0});
    em = 16'(r.i_exec[q] >> {r.st1.beat, 4'd0});
    bits = 32'd0;
    operands(`STATE q, sub, k);
    if (k.special) em = special_operands(`STATE em);
    if (!sub) begin
      r.lanes_of[r0] = em;
      if (k.rate != RATE_FULL) r.lanes_of[r1] = em;
    end
    case (k.cls)
      ClsBit: bit_row(`LANES r0, r.i_op[q], 32'(k.clamp));
      ClsSelect: select_row(`LANES r0, r.i_op[q], r.st1.beat, mask);
      ClsAdd: begin
        // carry-in only for the second three opcodes
        carry = r.i_op[q] >= OP_V_ADDC_U32 ? mask : 32'd0;
        bits = add_row(`LANES r0, r.i_op[q], `SIMD_FAULT == 18 ? carry ^ 32'h10 : carry, 32'(k.clamp));
      end
      ClsMul24: mul24_row(`LANES r0, r.i_op[q]);
      ClsCmp: bits = cmp_row(`LANES r.i_op[q][7:0], k.half, r.i_mode[q][6], r.i_mode[q][4]);
      ClsMisc: misc_row(`LANES r0, r.i_op[q], r.i_mode[q], r.i_ieee[q]);
      ClsFma: begin
        if (r.st1.sub == 2'd0) begin
          if (r.i_halves[q]) halves_row(`LANES r.i_op[q], r.i_mode[q][6]);
          if (k.wide_norm) bits = wide_first_row(`LANES r0, r.i_op[q], r.i_mode[q][4], mask);
          else first_row(`LANES r.i_op[q], k.half, r.i_mode[q][4] || k.half, k.round);
        end
      end
      ClsLane: begin
        if (r.i_op[q] == OP_V_WRITELANE_B32) begin
          for (int unsigned l = 0; l < 16; l++) v.res[r0][l] = v.x[l];
          r.lanes_of[r0] = r.st1.beat == r.i_lane[q][5:4] ? 16'd1 << r.i_lane[q][3:0] : 16'd0;
        end
        if (r.st1.beat == r.i_lane[q][5:4]) r.i_result[q] = 64'(v.x[r.i_lane[q][3:0]]);
      end
      ClsShift64, ClsCmp64: begin
        if (!sub) begin
          for (int unsigned l = 0; l < 16; l++) begin
            v.xl[l] = v.x[l];
            v.yl[l] = v.y[l];
          end
        end else if (k.cls == ClsCmp64) bits = cmp64_row(`LANES r.i_op[q][3:0]);
        else shift64_row(`LANES r0, r1, r.i_op[q]);
      end
      ClsMul32, ClsTrans, ClsQsad: quarter_row(`LANES sub, r.i_pair[q][2]);
      default: ;
    endcase
    if (k.bits && (sub || k.cls != ClsCmp64)) begin
      part = 64'(bits[15:0] & r.lanes_of[r0]) << {r.st1.beat, 4'd0};
      r.i_result[q] = r.st1.beat == 2'd0 ? part : r.i_result[q] | part;
    end
  endfunction

  function automatic void execute_stages(`STATE_ONLY);
    `NO_INLINE
    if (r.st3.norm) round_stage(`STATE_CALL);
    if (r.st2.norm) align_stage(`STATE_CALL);
    if (r.st2.quarter) quarter_stage(`STATE_CALL);
    if (r.st1.read) operand_stage(`STATE_CALL);
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
