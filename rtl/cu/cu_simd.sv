// SPDX-License-Identifier: Apache-2.0
// One SIMD of the compute unit: 16 lanes, 64 KiB of VGPRs, the vector ALU.  Responsible for: operand reads, bypass,
// execution, row writes of the ALU, of the memory units and of new wavefronts, lane masks as results.
// Not responsible for: scalar operands (in the issue record), dependencies and rates (front end: it sends nothing
// before the slots of an instruction are over), EXEC itself.
//
// An instruction occupies slots: 4 (full rate: one a beat), 8 (half: low and high row of a beat) or 16 (quarter).
// The slot read at the end of cycle t+k goes through stages 1, 2, 3 and is written at the end of cycle t+k+4; a row
// that is written while it is read is bypassed.  Half rate: the result of both rows is made when the high row is
// there.  Quarter rate: stage 2 of subslots 1 and 2 executes 8 lanes each, subslots 2 and 3 write low and high row.
`include "gantry_assert.svh"
`define SIMD_BIT(op, value) op: for (int unsigned l = 0; l < 16; l++) res[r0][l] = value;

module cu_simd
  import cu_pkg::*;
  import gcn3_pkg::*;
  import valu_dec_pkg::*;
  import valu_int_pkg::*;
  import valu_cmp_pkg::*;
  import valu_lane_pkg::*;
  import fpu_fma_pkg::*;
  import fpu_misc_pkg::*;
  import fpu_div_pkg::*;
#(
  parameter bit [3:0] SeedFault = 4'd0  // tests only: 1 EXEC ignored, 2 bypass missing, 3 lane shifted, 4 carry wrong
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  input  valu_issue_t        issue_i,
  output logic               done_valid_o,
  output valu_done_t         done_o,
  input  logic               vrd_valid_i,
  input  row_t               vrd_row_i,
  output logic        [31:0] vrd_data_o [16],
  input  logic        [ 1:0] vwr_valid_i,      // 0 LDS, 1 vector memory
  input  vwr_req_t           vwr_i      [ 2],
  output logic        [ 1:0] vwr_ready_o,
  output logic               vwr_wait_o,       // leave the next turn of this SIMD free
  input  logic               init_valid_i,
  input  row_t               init_row_i,
  input  logic        [31:0] init_data_i[16],
  output logic               init_ready_o,
  input  logic               obs_en_i,
  output logic               obs_valid_o,
  output obs_vgpr_t          obs_o,
  output logic               idle_o
);
  typedef struct packed {
    logic valid;
    logic entry;  // which of the two instructions under way
    logic last;
    logic read;   // operands were read
    logic write;  // a row is written
    logic [1:0] beat;
    logic [1:0] sub;
    logic [1:0] ring;  // where its result waits
  } slot_info_t;

  (* no_rw_check, ram_style = "block" *)logic [15:0][31:0] mem[1024];

  // instructions under way, by entry
  slot_t i_slot[2];
  tag_t i_tag[2];
  logic [9:0] i_op[2];
  valu_dec_t i_dec[2];
  vgpr_t i_src0[2], i_src1[2], i_src2[2], i_dst[2];
  logic [2:0] i_vgpr[2], i_neg[2], i_abs[2];
  logic i_write[2], i_sdwa[2], i_dpp[2], i_cross[2], i_keep[2], i_post[2], i_mod[2], i_clamp[2], i_ieee[2], i_dx10[2];
  logic i_in[2], i_out[2], i_small[2];  // subnormals are kept: of sources, of results (MODE), of this result
  logic [1:0] i_omod[2], i_round[2];
  logic [7:0] i_mode[2];
  logic [31:0] i_ext[2];
  logic [63:0] i_s0[2], i_s1[2], i_s2[2], i_mask[2], i_exec[2], i_result[2];
  logic [5:0] i_lane[2];

  // slots
  logic running, cur;
  logic [3:0] count;
  slot_info_t st0, st1, st2, st3;
  /* verilator lint_off UNUSEDSIGNAL */
  slot_info_t st4;
  /* verilator lint_on UNUSEDSIGNAL */
  // operands as read, bypassed row
  logic [31:0] a[16], b[16], c[16], fwd[16];
  logic fwd_a, fwd_b, fwd_c;
  logic [31:0] fwd_lanes;
  // operands as used in stage 1 (not kept)
  logic [31:0] x[16], y[16], z[16], w[16];
  // low rows of pairs, operands of quarter rate [half][lane]
  logic [31:0] xl[16], yl[16], qa[2][8], qb[2][8], qc[2][8], qd[2][8], qe[2][8];
  // normaliser: stage 1 -> 2 -> 3
  logic [31:0] ph1[16], pl1[16], ch1[16], sh2[16], sl2[16], n3[16];
  logic [31:0] d1[16], e1[16], g1[16], n1[16], e2[16], g2[16];
  // results waiting for their write, with lanes to write and old destination
  logic [31:0] res[4][16], old[4][16], lanes_of[4];
  // temporaries
  logic q, write, from_alu, high, sub, signed_op, keep16;
  logic [1:0] r0, r1, source;
  row_t wrow, ra, rb, rc;
  logic [31:0] lanes, em, bits, mb, sel, un, clamp, rnd, set, kind, n, t, own, other, sext0, sext1;
  logic [31:0] first_lane, lane31, small_kept;
  logic [31:0] over[16], out[16], nl[16], nh[16];
  logic [63:0] wide64;
  logic [15:0][31:0] row;
  logic [2:0] granted;
  logic [1:0] waited;
  logic idle_q;

  assign idle_o = idle_q && !valid_i && vwr_valid_i == '0 && !init_valid_i && !vrd_valid_i;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    // ---------------------------------------------------------------- stage 4: output modifiers, row write, done
    done_valid_o <= 1'b0;
    obs_valid_o  <= 1'b0;
    write = 1'b0;
    from_alu = 1'b0;
    if (st4.valid) begin
      q = st4.entry;
      if (st4.last) begin
        done_valid_o <= 1'b1;
        done_o <= '{slot: i_slot[q], tag: i_tag[q], has_result: i_dec[q].has_result, result: i_result[q]};
      end
      lanes = SeedFault == 4'd1 ? 32'hffff : lanes_of[st4.ring];
      if (st4.write && lanes != 32'd0) begin
        write = 1'b1;
        from_alu = 1'b1;
        wrow = {i_dst[q] + {7'd0, i_dec[q].rate != RATE_FULL && st4.ring[0]}, st4.beat};
        for (int unsigned l = 0; l < 16; l++) out[l] = res[st4.ring][l];
        if (i_post[q]) begin
          rnd = 32'(i_round[q]);
          if (i_omod[q] != 2'd0 && i_dec[q].out == OutF32 && !i_out[q]) begin
            for (int unsigned l = 0; l < 16; l++) out[l] = omod_f32(out[l], 32'(i_omod[q]), rnd);
          end
          if (i_omod[q] != 2'd0 && i_dec[q].out == OutF16 && !i_mode[q][7]) begin
            rnd = 32'(i_mode[q][3:2]);
            for (int unsigned l = 0; l < 16; l++) out[l] = omod_f16(out[l], 32'(i_omod[q]), rnd);
          end
          if (i_clamp[q] && i_dec[q].out == OutF32) begin
            for (int unsigned l = 0; l < 16; l++) begin
              out[l] = clamp_float(out[l], 32'h7f800000, 32'h80000000, 32'h3f800000, i_dx10[q]);
            end
          end
          if (i_clamp[q] && i_dec[q].out == OutF16) begin
            for (int unsigned l = 0; l < 16; l++) begin
              out[l] = clamp_float(out[l], 32'h7c00, 32'h8000, 32'h3c00, i_dx10[q]);
            end
          end
          if (i_sdwa[q]) begin
            sel = 32'(i_ext[q][10:8]);
            un  = 32'(i_ext[q][12:11]);
            for (int unsigned l = 0; l < 16; l++) out[l] = sdwa_merge(out[l], old[st4.ring][l], sel, un);
          end
        end
        if (SeedFault == 4'd3) out[5] = out[4];
      end
    end
    if (vwr_ready_o[0] && vwr_valid_i[0]) begin
      write = 1'b1;
      wrow  = vwr_i[0].row;
      lanes = 32'(vwr_i[0].lanes);
      for (int unsigned l = 0; l < 16; l++) out[l] = vwr_i[0].data[l[3:0]];
    end
    if (vwr_ready_o[1] && vwr_valid_i[1]) begin
      write = 1'b1;
      wrow  = vwr_i[1].row;
      lanes = 32'(vwr_i[1].lanes);
      for (int unsigned l = 0; l < 16; l++) out[l] = vwr_i[1].data[l[3:0]];
    end
    if (init_ready_o && init_valid_i) begin
      write = 1'b1;
      wrow  = init_row_i;
      lanes = 32'hffff;
      for (int unsigned l = 0; l < 16; l++) out[l] = init_data_i[l];
    end
    if (write) begin
      for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = out[l];
      if (obs_en_i && !(init_ready_o && init_valid_i)) begin
        obs_valid_o <= 1'b1;
        if (from_alu) obs_o <= '{slot: i_slot[q], tag: i_tag[q], row: wrow, lanes: lanes[15:0], data: row};
        else if (vwr_ready_o[0] && vwr_valid_i[0]) begin
          obs_o <= '{slot: vwr_i[0].slot, tag: vwr_i[0].tag, row: wrow, lanes: lanes[15:0], data: row};
        end else begin
          obs_o <= '{slot: vwr_i[1].slot, tag: vwr_i[1].tag, row: wrow, lanes: lanes[15:0], data: row};
        end
      end
      if (lanes != 32'hffff) begin
        for (int unsigned l = 0; l < 16; l++) begin
          row[l[3:0]] = ((lanes >> l) & 32'd1) != 32'd0 ? row[l[3:0]] : mem[wrow][l[3:0]];
        end
      end
      mem[wrow] <= row;
    end

    // ---------------------------------------------------------------- stage 3: normalise and round
    if (st3.valid) begin
      q = st3.entry;
      if (i_dec[q].cls == ClsFma && st3.sub == 2'd0) begin
        r0  = st3.ring;
        rnd = 32'd1 << i_round[q];
        if (i_dec[q].out == OutF16) begin
          for (int unsigned l = 0; l < 16; l++) round_f16(sh2[l], sl2[l], e2[l], g2[l], rnd, i_small[q], res[r0][l]);
        end else begin
          small_kept = 32'(i_small[q]);
          for (int unsigned l = 0; l < 16; l++) leading32(sh2[l], sl2[l], e2[l] + 32'd1, n3[l]);
          for (int unsigned l = 0; l < 16; l++) normalise(sh2[l], sl2[l], n3[l], nh[l], nl[l]);
          for (int unsigned l = 0; l < 16; l++) begin
            round_f32(nh[l], nl[l], n3[l], e2[l], g2[l], rnd, small_kept, res[r0][l]);
          end
        end
        if (i_op[q] == OP_V_DIV_SCALE_F32) begin
          for (int unsigned l = 0; l < 16; l++) res[r0][l] = (g2[l] & 32'd16) != 32'd0 ? old[r0][l] : res[r0][l];
        end
        if (i_op[q] == OP_V_FRACT_F32) begin
          for (int unsigned l = 0; l < 16; l++) begin
            res[r0][l] = res[r0][l] == 32'h3f800000 ? 32'h3f7fffff : res[r0][l];
          end
        end
        if (i_op[q] == OP_V_FRACT_F16) begin
          for (int unsigned l = 0; l < 16; l++) res[r0][l] = res[r0][l] == 32'h3c00 ? 32'h3bff : res[r0][l];
        end
      end
    end

    // ---------------------------------------------------------------- stage 2: align and add; quarter-rate units
    if (st2.valid) begin
      q = st2.entry;
      if (i_dec[q].cls == ClsFma && st2.sub == 2'd0) begin
        rnd = i_dec[q].out == OutF16 ? 32'd1 : 32'd1 << i_round[q];  // sign of an exact zero
        for (int unsigned l = 0; l < 16; l++) begin
          align_add(ph1[l], pl1[l], ch1[l], d1[l], g1[l], rnd, sh2[l], sl2[l], g2[l]);
          e2[l] = e1[l];
        end
        if (i_op[q] == OP_V_DIV_SCALE_F32 || i_op[q] == OP_V_DIV_FMAS_F32) begin
          for (int unsigned l = 0; l < 16; l++) begin
            rescale(sh2[l], sl2[l], e1[l], n1[l], sh2[l], sl2[l], e2[l]);
          end
        end
      end
      if (i_dec[q].rate == RATE_QUARTER && (st2.sub == 2'd1 || st2.sub == 2'd2)) begin
        high = st2.sub[1];
        r0 = {st2.beat[0], 1'b0};
        r1 = {st2.beat[0], 1'b1};
        if (i_dec[q].cls == ClsTrans) begin
          case (i_op[q])
            OP_V_RCP_F32, OP_V_RCP_IFLAG_F32, OP_V_RCP_F16: kind = fpu_trans_pkg::Rcp;
            OP_V_RSQ_F32, OP_V_RSQ_F16: kind = fpu_trans_pkg::Rsq;
            OP_V_SQRT_F32, OP_V_SQRT_F16: kind = fpu_trans_pkg::Sqrt;
            OP_V_EXP_F32, OP_V_EXP_F16: kind = fpu_trans_pkg::Exp;
            OP_V_LOG_F32, OP_V_LOG_F16: kind = fpu_trans_pkg::Log;
            OP_V_SIN_F32, OP_V_SIN_F16: kind = fpu_trans_pkg::Sin;
            default: kind = fpu_trans_pkg::Cos;
          endcase
          if (i_dec[q].half) begin
            for (int unsigned l = 0; l < 8; l++) qa[high][l] = half_to_f32(qa[high][l], i_mode[q][6]);
          end
          for (int unsigned l = 0; l < 8; l++) fpu_trans_pkg::trans_f32(kind, qa[high][l], res[r0][{high, l[2:0]}]);
          if (i_dec[q].half) begin
            for (int unsigned l = 0; l < 8; l++) begin
              t = res[r0][{high, l[2:0]}];
              res[r0][{high, l[2:0]}] = f32_to_half(t, 32'd1 << i_mode[q][3:2], 1'b1, i_mode[q][7]);
            end
          end
        end
        if (i_dec[q].cls == ClsQsad) begin
          signed_op = i_op[q] == OP_V_MQSAD_PK_U16_U8;
          for (int unsigned l = 0; l < 8; l++) begin
            wide64 = {qe[high][l], qa[high][l]};
            res[r0][{high, l[2:0]}] = qsad_pair(wide64, qb[high][l], qc[high][l], signed_op);
            res[r1][{high, l[2:0]}] = qsad_pair(wide64 >> 16, qb[high][l], qd[high][l], signed_op);
          end
        end
        if (i_dec[q].cls == ClsMul32) begin
          signed_op = i_op[q] == OP_V_MUL_HI_I32 || i_op[q] == OP_V_MAD_I64_I32;
          bits = 32'd0;
          for (int unsigned l = 0; l < 8; l++) begin
            mul32_op(qa[high][l], qb[high][l], {qd[high][l], qc[high][l]}, 32'(signed_op), wide64, t);
            res[r0][{high, l[2:0]}] = i_op[q] == OP_V_MUL_HI_U32 || i_op[q] == OP_V_MUL_HI_I32 ?
                32'(wide64 >> 32) : 32'(wide64);
            res[r1][{high, l[2:0]}] = 32'(wide64 >> 32);
            bits = bits | (t << {high, l[2:0]});
          end
          bits = bits & lanes_of[r0];
          wide64 = 64'(bits) << {st2.beat, 4'd0};
          i_result[q] = st2.beat == 2'd0 && !high ? wide64 : i_result[q] | wide64;
        end
      end
    end

    // ---------------------------------------------------------------- stage 1: operands, single-step operations
    if (st1.valid && st1.read) begin
      q = st1.entry;
      sub = st1.sub[0];
      if (!i_vgpr[q][0]) begin
        n = sub ? 32'(i_s0[q] >> 32) : 32'(i_s0[q]);
        for (int unsigned l = 0; l < 16; l++) x[l] = n;
      end else if (fwd_a) begin
        for (int unsigned l = 0; l < 16; l++) x[l] = ((fwd_lanes >> l) & 32'd1) != 32'd0 ? fwd[l] : a[l];
      end else begin
        for (int unsigned l = 0; l < 16; l++) x[l] = a[l];
      end
      if (!i_dec[q].use1) begin
      end else if (!i_vgpr[q][1]) begin
        n = sub ? 32'(i_s1[q] >> 32) : 32'(i_s1[q]);
        for (int unsigned l = 0; l < 16; l++) y[l] = n;
      end else if (fwd_b) begin
        for (int unsigned l = 0; l < 16; l++) y[l] = ((fwd_lanes >> l) & 32'd1) != 32'd0 ? fwd[l] : b[l];
      end else begin
        for (int unsigned l = 0; l < 16; l++) y[l] = b[l];
      end
      if (!i_dec[q].use2 && !i_cross[q] && !i_keep[q]) begin
      end else if (!i_vgpr[q][2]) begin
        n = sub ? 32'(i_s2[q] >> 32) : 32'(i_s2[q]);
        for (int unsigned l = 0; l < 16; l++) z[l] = n;
      end else if (fwd_c) begin
        for (int unsigned l = 0; l < 16; l++) z[l] = ((fwd_lanes >> l) & 32'd1) != 32'd0 ? fwd[l] : c[l];
      end else begin
        for (int unsigned l = 0; l < 16; l++) z[l] = c[l];
      end

      // lanes that are written, DPP
      em = 32'(i_exec[q] >> {st1.beat, 4'd0}) & 32'hffff;
      if (i_dpp[q]) begin
        own = em;
        // at quarter rate the rows of beats 0 and 1 may be overwritten when beat 3 asks for them
        if (st1.beat == 2'd0) first_lane = x[0];
        if (st1.beat == 2'd1) lane31 = x[15];
        if (st1.beat == 2'd3 && i_ext[q][16:8] == 9'h134) z[0] = first_lane;
        if (st1.beat == 2'd3 && i_ext[q][16:8] == 9'h143) z[15] = lane31;
        other = 32'(i_exec[q] >> {dpp_other(i_ext[q][16:8], st1.beat), 4'd0});
        for (int unsigned l = 0; l < 16; l++) begin
          n = dpp_lane(32'(i_ext[q][16:8]), l, 32'(st1.beat));
          t = (n & 32'd16) == 32'd0 ? (((n & 32'd32) != 32'd0 ? other : own) >> (n & 32'd15)) & 32'd1 : 32'd0;
          w[l] = t == 32'd0 ? 32'd0 : (n & 32'd32) != 32'd0 ? z[n[3:0]] : x[n[3:0]];
          set = 32'(i_ext[q][31:28] >> st1.beat) & 32'(i_ext[q][27:24] >> l[3:2]) & 32'd1;
          set = set & (t | 32'(i_ext[q][19]));
          em = em & ~((set ^ 32'd1) << l);
        end
        for (int unsigned l = 0; l < 16; l++) x[l] = w[l];
      end
      if (i_keep[q]) begin
        for (int unsigned l = 0; l < 16; l++) old[st1.ring][l] = z[l];
      end
      if (i_sdwa[q]) begin
        sel = 32'(i_ext[q][18:16]);
        un  = 32'(i_ext[q][26:24]);
        sext0 = 32'(i_ext[q][19]);
        sext1 = 32'(i_ext[q][27]);
        for (int unsigned l = 0; l < 16; l++) begin
          x[l] = sdwa_select(x[l], sel, sext0);
          y[l] = sdwa_select(y[l], un, sext1);
        end
      end
      if (i_mod[q]) begin
        n = i_dec[q].half ? 32'h8000 : 32'h80000000;
        for (int unsigned l = 0; l < 16; l++) begin
          x[l] = (i_abs[q][0] ? x[l] & ~n : x[l]) ^ (i_neg[q][0] ? n : 32'd0);
          y[l] = (i_abs[q][1] ? y[l] & ~n : y[l]) ^ (i_neg[q][1] ? n : 32'd0);
          z[l] = (i_abs[q][2] ? z[l] & ~n : z[l]) ^ (i_neg[q][2] ? n : 32'd0);
        end
      end

      r0 = i_dec[q].rate == RATE_FULL ? st1.ring : {st1.beat[0], 1'b0};
      r1 = {st1.beat[0], 1'b1};
      if (!sub) begin
        lanes_of[r0] = em;
        if (i_dec[q].rate != RATE_FULL) lanes_of[r1] = em;
      end
      mb = 32'(i_mask[q] >> {st1.beat, 4'd0});
      clamp = 32'(i_clamp[q]);
      bits = 32'd0;

      case (i_dec[q].cls)
          `include "cu_simd_int.svh"
          `include "cu_simd_float.svh"
        ClsLane: begin
          if (i_op[q] == OP_V_WRITELANE_B32) begin
            for (int unsigned l = 0; l < 16; l++) res[r0][l] = x[l];
            lanes_of[r0] = st1.beat == i_lane[q][5:4] ? 32'd1 << i_lane[q][3:0] : 32'd0;
          end
        end
        ClsShift64: begin
          if (!sub) begin
            for (int unsigned l = 0; l < 16; l++) begin
              xl[l] = x[l];
              yl[l] = y[l];
            end
          end else begin
            kind = i_op[q] == OP_V_LSHLREV_B64 ? 32'd0 : i_op[q] == OP_V_LSHRREV_B64 ? 32'd1 : 32'd2;
            for (int unsigned l = 0; l < 16; l++) begin
              wide64 = shift64({y[l], yl[l]}, xl[l], kind);
              res[r0][l] = 32'(wide64);
              res[r1][l] = 32'(wide64 >> 32);
            end
          end
        end
        ClsCmp64: begin
          if (!sub) begin
            for (int unsigned l = 0; l < 16; l++) begin
              xl[l] = x[l];
              yl[l] = y[l];
            end
          end else begin
            set = 32'(i_op[q][2:0]);
            wide64 = i_op[q][3] ? 64'd0 : 64'h8000000000000000;
            for (int unsigned l = 0; l < 16; l++) over[l] = compare64({x[l], xl[l]}, {y[l], yl[l]}, wide64, set);
            for (int unsigned l = 0; l < 16; l++) bits = bits | ((over[l] & 32'd1) << l);
          end
        end
        ClsMul32, ClsTrans, ClsQsad: begin
          if (!sub) begin
            for (int unsigned h = 0; h < 2; h++) begin
              for (int unsigned l = 0; l < 8; l++) begin
                qa[h][l] = x[{h[0], l[2:0]}];
                qb[h][l] = y[{h[0], l[2:0]}];
                qc[h][l] = i_dec[q].pair[2] ? z[{h[0], l[2:0]}] : 32'd0;
                qd[h][l] = 32'd0;
              end
            end
          end else if (i_dec[q].pair[2]) begin
            for (int unsigned h = 0; h < 2; h++) begin
              for (int unsigned l = 0; l < 8; l++) begin
                qd[h][l] = z[{h[0], l[2:0]}];
                qe[h][l] = x[{h[0], l[2:0]}];
              end
            end
          end
        end
        default: ;
      endcase
      if (i_dec[q].cls == ClsLane && st1.beat == i_lane[q][5:4]) i_result[q] = 64'(x[i_lane[q][3:0]]);
      if (i_dec[q].cls == ClsAdd || i_dec[q].cls == ClsCmp || (i_dec[q].cls == ClsCmp64 && sub) ||
          (i_op[q] == OP_V_DIV_SCALE_F32 && !sub)) begin
        wide64 = 64'(bits & lanes_of[r0]) << {st1.beat, 4'd0};
        i_result[q] = st1.beat == 2'd0 ? wide64 : i_result[q] | wide64;
      end
    end

    // ---------------------------------------------------------------- issue and operand read
    if (valid_i) begin
      running = 1'b1;
      count = 4'd0;
      cur = !cur;
      i_slot[cur] = issue_i.slot;
      i_tag[cur] = issue_i.tag;
      i_op[cur] = issue_i.op;
      i_dec[cur] = valu_decode(issue_i.op);
      i_src0[cur] = issue_i.src_row[0];
      i_src1[cur] = issue_i.src_row[1];
      i_src2[cur] = issue_i.src_row[2];
      i_dst[cur] = issue_i.dst;
      i_write[cur] = issue_i.dst_valid;
      i_sdwa[cur] = issue_i.sdwa;
      i_dpp[cur] = issue_i.dpp;
      i_neg[cur] = issue_i.neg & i_dec[cur].mods;
      i_abs[cur] = issue_i.abs & i_dec[cur].mods;
      i_mod[cur] = i_neg[cur] != '0 || i_abs[cur] != '0;
      i_omod[cur] = issue_i.omod;
      i_clamp[cur] = issue_i.clamp;
      i_ext[cur] = issue_i.ext;
      i_mask[cur] = issue_i.mask;
      i_exec[cur] = issue_i.exec;
      i_mode[cur] = issue_i.mode;
      i_in[cur] = issue_i.mode[4];
      i_out[cur] = issue_i.mode[5];
      i_small[cur] = keeps_small(issue_i.op, issue_i.mode[5], issue_i.mode[7], i_dec[cur].out);
      i_round[cur] = i_dec[cur].out == OutF16 && issue_i.op != OP_V_CVT_F16_F32 ? issue_i.mode[3:2] : issue_i.mode[1:0];
      i_ieee[cur] = issue_i.ieee;
      i_dx10[cur] = issue_i.dx10_clamp;
      i_s0[cur] = issue_i.sval[0];
      i_s1[cur] = issue_i.sval[1];
      i_s2[cur] = issue_i.sval[2];
      // DPP from another row reads it through the third port; kept bits of the destination do as well
      i_cross[cur] = issue_i.dpp && issue_i.ext[16:8] >= 9'h130 && issue_i.ext[16:9] != 8'ha0;
      i_keep[cur] = issue_i.sdwa && issue_i.ext[12:11] == 2'd2 && issue_i.ext[10:8] != 3'd6 && issue_i.dst_valid;
      i_vgpr[cur] = issue_i.src_vgpr | {i_cross[cur] || i_keep[cur], 2'b00};
      i_post[cur] = (issue_i.sdwa && issue_i.ext[10:8] != 3'd6) ||
          (i_dec[cur].out != OutInt && (issue_i.clamp || issue_i.omod != 2'd0));
      i_lane[cur] = issue_i.op == OP_V_READFIRSTLANE_B32 ? pick_pkg::first64(issue_i.exec) : issue_i.sval[1][5:0];
    end
    st0 = '0;
    fwd_a = 1'b0;
    fwd_b = 1'b0;
    fwd_c = 1'b0;
    if (running) begin
      st0.valid = 1'b1;
      st0.entry = cur;
      case (i_dec[cur].rate)
        RATE_FULL: begin
          st0.beat = count[1:0];
          st0.ring = count[1:0];
          st0.read = 1'b1;
          st0.write = i_write[cur];
          st0.last = count == 4'd3;
        end
        RATE_HALF: begin
          st0.beat = count[2:1];
          st0.sub = {1'b0, count[0]};
          st0.ring = count[1:0];
          st0.read = 1'b1;
          st0.write = i_write[cur] && (i_dec[cur].wide || !count[0]);
          st0.last = count == 4'd7;
        end
        default: begin
          st0.beat = count[3:2];
          st0.sub = count[1:0];
          st0.ring = {count[2], count[0]};
          st0.read = count[1:0] == 2'd0 || (count[1:0] == 2'd1 && i_dec[cur].pair != '0);
          st0.write = i_write[cur] && (count[1:0] == 2'd2 || (i_dec[cur].wide && count[1:0] == 2'd3));
          st0.last = count == 4'd15;
        end
      endcase
      if (st0.last) running = 1'b0;
      count = count + 4'd1;
      if (st0.read) begin
        sub = st0.sub[0];
        ra = {i_src0[cur] + {7'd0, sub && i_dec[cur].pair[0]}, st0.beat};
        rb = {i_src1[cur] + {7'd0, sub && i_dec[cur].pair[1]}, st0.beat};
        rc = i_cross[cur] ? {i_src0[cur], dpp_other(i_ext[cur][16:8], st0.beat)} :
            i_keep[cur] ? {i_dst[cur], st0.beat} : {i_src2[cur] + {7'd0, sub && i_dec[cur].pair[2]}, st0.beat};
        if (i_vgpr[cur][0]) begin
          for (int unsigned l = 0; l < 16; l++) a[l] = mem[ra][l[3:0]];
          fwd_a = write && wrow == ra && SeedFault != 4'd2;
        end
        if (i_vgpr[cur][1]) begin
          for (int unsigned l = 0; l < 16; l++) b[l] = mem[rb][l[3:0]];
          fwd_b = write && wrow == rb && SeedFault != 4'd2;
        end
        if (i_vgpr[cur][2]) begin
          for (int unsigned l = 0; l < 16; l++) c[l] = mem[rc][l[3:0]];
          fwd_c = write && wrow == rc && SeedFault != 4'd2;
        end
        if (fwd_a || fwd_b || fwd_c) begin
          fwd_lanes = lanes;
          for (int unsigned l = 0; l < 16; l++) fwd[l] = out[l];
        end
      end
    end
    if (vrd_valid_i) begin
      `define SIMD_VRD(l) vrd_data_o[l] <= mem[vrd_row_i][l];
      `SIMD_VRD(0) `SIMD_VRD(1) `SIMD_VRD(2) `SIMD_VRD(3) `SIMD_VRD(4) `SIMD_VRD(5) `SIMD_VRD(6) `SIMD_VRD(7)
      `SIMD_VRD(8) `SIMD_VRD(9) `SIMD_VRD(10) `SIMD_VRD(11) `SIMD_VRD(12) `SIMD_VRD(13) `SIMD_VRD(14) `SIMD_VRD(15)
    end

    // ---------------------------------------------------------------- slots move on; who may write in the next cycle
    st4 = st3;
    st3 = st2;
    st2 = st1;
    st1 = st0;
    if (vwr_valid_i != '0 || init_valid_i) begin
      // requests that stay after this cycle; a lone requester keeps its grant, so that it can send every cycle
      granted = {init_ready_o, vwr_ready_o};
      source = (granted & {init_valid_i, vwr_valid_i}) != '0 ? 2'd0 : waited;
      waited = source == 2'd3 ? 2'd3 : source + 2'd1;
      if (init_valid_i && !granted[2]) granted = 3'b100;
      else if (vwr_valid_i[0] && (!granted[0] || !vwr_valid_i[1])) granted = 3'b001;
      else if (vwr_valid_i[1] && (!granted[1] || !vwr_valid_i[0])) granted = 3'b010;
      else if (init_valid_i) granted = 3'b100;
      if (!(st4.valid && st4.write)) {init_ready_o, vwr_ready_o} <= granted;
      else {init_ready_o, vwr_ready_o} <= 3'b000;
      vwr_wait_o <= waited == 2'd3;
    end else begin
      waited = 2'd0;
      vwr_wait_o <= 1'b0;
      {init_ready_o, vwr_ready_o} <= 3'b000;
    end
    idle_q <= !running && !st1.valid && !st2.valid && !st3.valid && !st4.valid && vwr_valid_i == '0 && !init_valid_i;

    if (!rst_ni) begin
      running = 1'b0;
      cur = 1'b0;
      count = '0;
      waited = 2'd0;
      st1.valid = 1'b0;
      st2.valid = 1'b0;
      st3.valid = 1'b0;
      st4.valid = 1'b0;
      done_valid_o <= 1'b0;
      obs_valid_o <= 1'b0;
      vwr_wait_o <= 1'b0;
      {init_ready_o, vwr_ready_o} <= 3'b000;
      idle_q <= 1'b1;
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
