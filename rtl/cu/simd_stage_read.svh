// SPDX-License-Identifier: Apache-2.0
// Part of simd_rows_pkg: an instruction enters cu_simd, its slots are formed and their rows read, slots move on, and who
// may write a row in the next cycle.  Not responsible for: the operations.

  /* verilator lint_off UNUSEDSIGNAL */  // a stage looks at parts of control words
  // A new instruction; the slots of the one before are over.
  function automatic void accept(`STATE_ARG input valu_issue_t issue);
    `NO_INLINE
    logic e, crosses, keep;
    valu_dec_t d;
    ctl_t k;
    d = valu_decode(issue.op);
    r.running = 1'b1;
    r.count = 4'd0;
    e = !r.cur;
    r.cur = e;
    // DPP from another row reads it through the third port; kept bits of the destination do as well
    crosses = issue.dpp && issue.ext[16:8] >= 9'h130 && issue.ext[16:9] != 8'ha0;
    keep = issue.sdwa && issue.ext[12:11] == 2'd2 && issue.ext[10:8] != 3'd6 && issue.dst_valid;
    k.cls = d.cls;
    k.rate = d.rate;
    k.out = d.out;
    k.half = d.half;
    k.wide_norm = is_wide(issue.op, issue.mode[4]);
    k.small_kept = keeps_small(issue.op, issue.mode[5], issue.mode[7], d.out);
    k.round = d.out == OutF16 && issue.op != OP_V_CVT_F16_F32 ? issue.mode[3:2] : issue.mode[1:0];
    k.vgpr = issue.src_vgpr | {crosses || keep, 2'b00};
    k.use1 = d.use1;
    k.third = d.use2 || crosses || keep;
    k.dpp = issue.dpp;
    k.sdwa = issue.sdwa;
    k.keep = keep;
    k.mod = ((issue.neg | issue.abs) & d.mods) != '0;
    k.special = issue.dpp || issue.sdwa || keep || k.mod;
    k.bits = d.cls == ClsAdd || d.cls == ClsCmp || d.cls == ClsCmp64 || issue.op == OP_V_DIV_SCALE_F32;
    k.post = (issue.sdwa && issue.ext[10:8] != 3'd6) || (d.out != OutInt && (issue.clamp || issue.omod != 2'd0));
    k.clamp = issue.clamp;
    k.fract = issue.op == OP_V_FRACT_F32 || issue.op == OP_V_FRACT_F16;
    r.i_ctl[e] = k;
    r.i_slot[e] = issue.slot;
    r.i_tag[e] = issue.tag;
    r.i_op[e] = issue.op;
    r.i_src0[e] = issue.src_row[0];
    r.i_src1[e] = issue.src_row[1];
    r.i_src2[e] = issue.src_row[2];
    r.i_dst[e] = issue.dst;
    r.i_pair[e] = d.pair;
    r.i_write[e] = issue.dst_valid;
    r.i_wide[e] = d.wide;
    r.i_has_result[e] = d.has_result;
    r.i_cross[e] = crosses;
    r.i_halves[e] = d.half && d.mods != '0;
    r.i_neg[e] = issue.neg & d.mods;
    r.i_abs[e] = issue.abs & d.mods;
    r.i_omod[e] = issue.omod;
    r.i_ext[e] = issue.ext;
    r.i_mask[e] = issue.mask;
    r.i_exec[e] = issue.exec;
    r.i_mode[e] = issue.mode;
    r.i_ieee[e] = issue.ieee;
    r.i_dx10[e] = issue.dx10_clamp;
    r.i_s0[e] = issue.sval[0];
    r.i_s1[e] = issue.sval[1];
    r.i_s2[e] = issue.sval[2];
    r.i_lane[e] = issue.op == OP_V_READFIRSTLANE_B32 ? pick_pkg::first64(issue.exec) : issue.sval[1][5:0];
  endfunction

  // Next slot of the running instruction.
  function automatic slot_info_t next_slot(`STATE_ONLY);
    ctl_t k;
    slot_info_t s;
    k = r.i_ctl[r.cur];
    s = '0;
    s.valid = 1'b1;
    s.entry = r.cur;
    case (k.rate)
      RATE_FULL: begin
        s.beat = r.count[1:0];
        s.ring = r.count[1:0];
        s.read = 1'b1;
        s.write = r.i_write[r.cur];
        s.last = r.count == 4'd3;
        s.norm = k.cls == ClsFma;
      end
      RATE_HALF: begin
        s.beat = r.count[2:1];
        s.sub = {1'b0, r.count[0]};
        s.ring = r.count[1:0];
        s.read = 1'b1;
        s.write = r.i_write[r.cur] && (r.i_wide[r.cur] || !r.count[0]);
        s.last = r.count == 4'd7;
      end
      default: begin
        s.beat = r.count[3:2];
        s.sub = r.count[1:0];
        s.ring = {r.count[2], r.count[0]};
        s.read = r.count[1:0] == 2'd0 || (r.count[1:0] == 2'd1 && r.i_pair[r.cur] != '0);
        s.write = r.i_write[r.cur] && (r.count[1:0] == 2'd2 || (r.i_wide[r.cur] && r.count[1:0] == 2'd3));
        s.last = r.count == 4'd15;
        s.norm = k.cls == ClsFma && r.count[1:0] == 2'd0;
        s.quarter = r.count[1:0] == 2'd1 || r.count[1:0] == 2'd2;
      end
    endcase
    return s;
  endfunction

  // Slots move on.  Which rows the slot that enters stage 1 reads (r.read_a, r.ra, ...), and what is bypassed.
  function automatic void read_stage(`STATE_ONLY);
    `NO_INLINE
    slot_info_t s;
    ctl_t k;
    logic q, sub;
    s = '0;
    r.read_a = 1'b0;
    r.read_b = 1'b0;
    r.read_c = 1'b0;
    r.fwd_a = 1'b0;
    r.fwd_b = 1'b0;
    r.fwd_c = 1'b0;
    if (r.running) begin
      q = r.cur;
      k = r.i_ctl[q];
      s = next_slot(`STATE_CALL);
      r.running = !s.last;
      r.count = r.count + 4'd1;
      if (s.read) begin
        sub = s.sub[0];
        r.ra = {r.i_src0[q] + {7'd0, sub && r.i_pair[q][0]}, s.beat};
        r.rb = {r.i_src1[q] + {7'd0, sub && r.i_pair[q][1]}, s.beat};
        r.rc = r.i_cross[q] ? {r.i_src0[q], dpp_other(r.i_ext[q][16:8], s.beat)} :
            k.keep ? {r.i_dst[q], s.beat} : {r.i_src2[q] + {7'd0, sub && r.i_pair[q][2]}, s.beat};
        r.read_a = k.vgpr[0];
        r.fwd_a = k.vgpr[0] && r.write && r.wrow == r.ra && `SIMD_FAULT != 16;
        r.read_b = k.vgpr[1];
        r.fwd_b = k.vgpr[1] && r.write && r.wrow == r.rb && `SIMD_FAULT != 16;
        r.read_c = k.vgpr[2];
        r.fwd_c = k.vgpr[2] && r.write && r.wrow == r.rc && `SIMD_FAULT != 16;
        if (r.fwd_a || r.fwd_b || r.fwd_c) begin
          r.fwd_lanes = r.lanes;
          for (int unsigned l = 0; l < 16; l++) r.fwd[l] = v.out[l];
        end
      end
    end
    r.busy = r.running || s.valid || r.st1.valid || r.st2.valid || r.st3.valid;
    r.awake = r.busy || r.st4.valid || r.write;
    r.st4 = r.st3;
    r.st3 = r.st2;
    r.st2 = r.st1;
    r.st1 = s;
  endfunction

  // Requesters of row writes: a lone one keeps its grant, so that it can send every cycle; nobody is granted a cycle in
  // which the ALU writes.  Returns the grants for the next cycle.
  function automatic logic [2:0] grant_write(`STATE_ARG input logic [2:0] valid);
    `NO_INLINE
    logic [2:0] g;
    g = r.granted;
    // requests that stay after this cycle
    r.waited = (g & valid) != '0 ? 2'd1 : r.waited == 2'd3 ? 2'd3 : r.waited + 2'd1;
    if (valid[2] && !g[2]) g = 3'b100;
    else if (valid[0] && (!g[0] || !valid[1])) g = 3'b001;
    else if (valid[1] && (!g[1] || !valid[0])) g = 3'b010;
    else if (valid[2]) g = 3'b100;
    return r.st4.valid && r.st4.write ? 3'b000 : g;
  endfunction
  /* verilator lint_on UNUSEDSIGNAL */
