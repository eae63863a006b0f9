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
// What a stage does with its lanes is in row functions of packages; here is which one runs, and when.
`include "gantry_assert.svh"

module cu_simd
  import cu_pkg::*;
  import gcn3_pkg::*;
  import valu_dec_pkg::*;
  import valu_lanes_pkg::*;
  import valu_row_pkg::*;
  import valu_quarter_pkg::*;
  import valu_lane_pkg::*;
(
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
  logic i_third[2];  // the third operand is used
  logic i_small[2];  // subnormal results are kept
  logic i_wide[2];   // needs the wide normaliser
  logic [1:0] i_omod[2], i_round[2];
  logic [7:0] i_mode[2];
  logic [31:0] i_ext[2];
  logic [63:0] i_s0[2], i_s1[2], i_s2[2], i_mask[2], i_exec[2], i_result[2];
  logic [5:0] i_lane[2];

  // slots
  logic awake, running, cur;
  logic [3:0] count;
  slot_info_t st0, st1, st2, st3;
  /* verilator lint_off UNUSEDSIGNAL */
  slot_info_t st4;
  /* verilator lint_on UNUSEDSIGNAL */
  // operands as read, bypassed row
  logic [31:0] a[16], b[16], c[16], fwd[16];
  logic fwd_a, fwd_b, fwd_c;
  logic [31:0] fwd_lanes;
  lanes_t v;
  // lanes to write of waiting results
  logic [31:0] lanes_of[4];
  // temporaries
  logic q, write, from_alu, finished, sub;
  logic [1:0] r0, r1, source;
  row_t wrow, ra, rb, rc;
  logic [31:0] lanes, em, bits, mb, n, other;
  logic [31:0] first_lane, lane31;
  logic [63:0] wide64;
  logic [15:0][31:0] row;
  logic [2:0] granted;
  logic [1:0] waited;
  logic idle_q;

  assign idle_o = idle_q && !valid_i && vwr_valid_i == '0 && !init_valid_i && !vrd_valid_i;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    if (awake || valid_i || vwr_valid_i != '0 || init_valid_i || !rst_ni) begin
      // -------------------------------------------------------------- stage 4: output modifiers, row write, done
      done_valid_o <= 1'b0;
      obs_valid_o  <= 1'b0;
      write = 1'b0;
      from_alu = 1'b0;
      finished = st4.valid;
      if (st4.valid) begin
        q = st4.entry;
        if (st4.last) begin
          done_valid_o <= 1'b1;
          done_o <= '{slot: i_slot[q], tag: i_tag[q], has_result: i_dec[q].has_result, result: i_result[q]};
        end
        lanes = FaultSeed == 15 ? 32'hffff : lanes_of[st4.ring];
        if (st4.write && lanes != 32'd0) begin
          write = 1'b1;
          from_alu = 1'b1;
          wrow = {i_dst[q] + {7'd0, i_dec[q].rate != RATE_FULL && st4.ring[0]}, st4.beat};
          for (int unsigned l = 0; l < 16; l++) v.out[l] = v.res[st4.ring][l];
          if (i_post[q]) begin
            if (i_dec[q].out == OutF32) begin
              modify_result(v, 1'b0, i_mode[q][5] ? 2'd0 : i_omod[q], i_round[q], i_clamp[q], i_dx10[q]);
            end
            if (i_dec[q].out == OutF16) begin
              modify_result(v, 1'b1, i_mode[q][7] ? 2'd0 : i_omod[q], i_mode[q][3:2], i_clamp[q], i_dx10[q]);
            end
            if (i_sdwa[q]) sdwa_result(v, st4.ring, i_ext[q]);
          end
          if (FaultSeed == 17) v.out[5] = v.out[4];
        end
      end
      if (vwr_ready_o[0] && vwr_valid_i[0]) begin
        write = 1'b1;
        wrow  = vwr_i[0].row;
        lanes = 32'(vwr_i[0].lanes);
        for (int unsigned l = 0; l < 16; l++) v.out[l] = vwr_i[0].data[l[3:0]];
      end
      if (vwr_ready_o[1] && vwr_valid_i[1]) begin
        write = 1'b1;
        wrow  = vwr_i[1].row;
        lanes = 32'(vwr_i[1].lanes);
        for (int unsigned l = 0; l < 16; l++) v.out[l] = vwr_i[1].data[l[3:0]];
      end
      if (init_ready_o && init_valid_i) begin
        write = 1'b1;
        wrow  = init_row_i;
        lanes = 32'hffff;
        for (int unsigned l = 0; l < 16; l++) v.out[l] = init_data_i[l];
      end
      if (write) begin
        for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = v.out[l];
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

      // -------------------------------------------------------------- stage 3: normalise and round
      if (st3.valid && i_dec[st3.entry].cls == ClsFma && st3.sub == 2'd0) begin
        q = st3.entry;
        r0 = st3.ring;
        if (i_wide[q]) fpu_norm_pkg::wide_round_row(v, r0, i_round[q], i_small[q], i_op[q] == OP_V_DIV_SCALE_F32);
        else if (i_dec[q].out == OutF16) fpu_norm_pkg::round16_row(v, r0, i_round[q], i_small[q]);
        else fpu_norm_pkg::round_row(v, r0, i_round[q], i_small[q]);
        if (i_op[q] == OP_V_FRACT_F32 || i_op[q] == OP_V_FRACT_F16) fpu_norm_pkg::below_one_row(v, r0, i_dec[q].half);
      end

      // -------------------------------------------------------------- stage 2: align and add; quarter-rate units
      if (st2.valid && i_dec[st2.entry].cls == ClsFma && st2.sub == 2'd0) begin
        q = st2.entry;
        if (i_wide[q]) begin
          fpu_norm_pkg::wide_align_row(v, i_op[q] == OP_V_DIV_SCALE_F32 || i_op[q] == OP_V_DIV_FMAS_F32,
                                       32'd1 << i_round[q]);
        end else begin
          fpu_norm_pkg::align_row(v, i_round[q] == 2'd2 && i_dec[q].out != OutF16);
        end
      end
      if (st2.valid && i_dec[st2.entry].rate == RATE_QUARTER && (st2.sub == 2'd1 || st2.sub == 2'd2)) begin
        q = st2.entry;
        r0 = {st2.beat[0], 1'b0};
        r1 = {st2.beat[0], 1'b1};
        case (i_dec[q].cls)
          ClsTrans: trans_half(v, r0, st2.sub[1], i_op[q], i_dec[q].half, i_mode[q]);
          ClsQsad: qsad_half(v, r0, r1, st2.sub[1], i_op[q]);
          ClsMul32: begin
            bits = mul32_half(v, r0, r1, st2.sub[1], i_op[q]) & lanes_of[r0];
            wide64 = 64'(bits) << {st2.beat, 4'd0};
            i_result[q] = st2.beat == 2'd0 && !st2.sub[1] ? wide64 : i_result[q] | wide64;
          end
          default: ;
        endcase
      end

      // -------------------------------------------------------------- stage 1: operands, single-step operations
      if (st1.valid && st1.read) begin
        q = st1.entry;
        sub = st1.sub[0];
        if (!i_vgpr[q][0]) begin
          n = sub ? 32'(i_s0[q] >> 32) : 32'(i_s0[q]);
          for (int unsigned l = 0; l < 16; l++) v.x[l] = n;
        end else if (fwd_a) begin
          for (int unsigned l = 0; l < 16; l++) v.x[l] = ((fwd_lanes >> l) & 32'd1) != 32'd0 ? fwd[l] : a[l];
        end else begin
          for (int unsigned l = 0; l < 16; l++) v.x[l] = a[l];
        end
        if (!i_dec[q].use1) begin
        end else if (!i_vgpr[q][1]) begin
          n = sub ? 32'(i_s1[q] >> 32) : 32'(i_s1[q]);
          for (int unsigned l = 0; l < 16; l++) v.y[l] = n;
        end else if (fwd_b) begin
          for (int unsigned l = 0; l < 16; l++) v.y[l] = ((fwd_lanes >> l) & 32'd1) != 32'd0 ? fwd[l] : b[l];
        end else begin
          for (int unsigned l = 0; l < 16; l++) v.y[l] = b[l];
        end
        if (!i_third[q]) begin
        end else if (!i_vgpr[q][2]) begin
          n = sub ? 32'(i_s2[q] >> 32) : 32'(i_s2[q]);
          for (int unsigned l = 0; l < 16; l++) v.z[l] = n;
        end else if (fwd_c) begin
          for (int unsigned l = 0; l < 16; l++) v.z[l] = ((fwd_lanes >> l) & 32'd1) != 32'd0 ? fwd[l] : c[l];
        end else begin
          for (int unsigned l = 0; l < 16; l++) v.z[l] = c[l];
        end

        // lanes that are written, DPP
        em = 32'(i_exec[q] >> {st1.beat, 4'd0}) & 32'hffff;
        if (i_dpp[q]) begin
          // at quarter rate the rows of beats 0 and 1 may be overwritten when beat 3 asks for them
          if (st1.beat == 2'd0) first_lane = v.x[0];
          if (st1.beat == 2'd1) lane31 = v.x[15];
          if (st1.beat == 2'd3 && i_ext[q][16:8] == 9'h134) v.z[0] = first_lane;
          if (st1.beat == 2'd3 && i_ext[q][16:8] == 9'h143) v.z[15] = lane31;
          other = 32'(i_exec[q] >> {dpp_other(i_ext[q][16:8], st1.beat), 4'd0});
          em = dpp_row(v, i_ext[q], st1.beat, em, other);
        end
        if (i_keep[q]) begin
          for (int unsigned l = 0; l < 16; l++) v.old[st1.ring][l] = v.z[l];
        end
        if (i_sdwa[q]) sdwa_sources(v, i_ext[q]);
        if (i_mod[q]) modify_sources(v, i_abs[q], i_neg[q], i_dec[q].half);

        r0 = i_dec[q].rate == RATE_FULL ? st1.ring : {st1.beat[0], 1'b0};
        r1 = {st1.beat[0], 1'b1};
        if (!sub) begin
          lanes_of[r0] = em;
          if (i_dec[q].rate != RATE_FULL) lanes_of[r1] = em;
        end
        mb = 32'(i_mask[q] >> {st1.beat, 4'd0});
        bits = 32'd0;

        case (i_dec[q].cls)
          ClsBit: bit_row(v, r0, i_op[q], 32'(i_clamp[q]));
          ClsSelect: select_row(v, r0, i_op[q], st1.beat, mb);
          ClsAdd: begin
            // carry-in only for the second three opcodes
            n = i_op[q] >= OP_V_ADDC_U32 ? mb : 32'd0;
            n = FaultSeed == 18 ? n ^ 32'h10 : n;
            bits = add_row(v, r0, i_op[q], n, 32'(i_clamp[q]));
          end
          ClsMul24: mul24_row(v, r0, i_op[q]);
          ClsCmp: bits = cmp_row(v, i_op[q][7:0], i_dec[q].half, i_mode[q][6], i_mode[q][4]);
          ClsMisc: fpu_row_pkg::misc_row(v, r0, i_op[q], i_mode[q], i_ieee[q]);
          ClsFma: begin
            if (st1.sub == 2'd0) begin
              if (i_dec[q].half && i_dec[q].mods != '0) fpu_norm_pkg::halves_row(v, i_op[q], i_mode[q][6]);
              if (i_wide[q]) bits = fpu_norm_pkg::wide_first_row(v, r0, i_op[q], i_mode[q][4], mb);
              else fpu_norm_pkg::first_row(v, i_op[q], i_dec[q].half, i_mode[q][4] || i_dec[q].half, i_round[q]);
            end
          end
          ClsLane: begin
            if (i_op[q] == OP_V_WRITELANE_B32) begin
              for (int unsigned l = 0; l < 16; l++) v.res[r0][l] = v.x[l];
              lanes_of[r0] = st1.beat == i_lane[q][5:4] ? 32'd1 << i_lane[q][3:0] : 32'd0;
            end
            if (st1.beat == i_lane[q][5:4]) i_result[q] = 64'(v.x[i_lane[q][3:0]]);
          end
          ClsShift64, ClsCmp64: begin
            if (!sub) begin
              for (int unsigned l = 0; l < 16; l++) begin
                v.xl[l] = v.x[l];
                v.yl[l] = v.y[l];
              end
            end else if (i_dec[q].cls == ClsCmp64) bits = cmp64_row(v, i_op[q][3:0]);
            else shift64_row(v, r0, r1, i_op[q]);
          end
          ClsMul32, ClsTrans, ClsQsad: begin
            if (!sub) quarter_low(v, i_dec[q].pair[2]);
            else if (i_dec[q].pair[2]) quarter_high(v);
          end
          default: ;
        endcase
        if (i_dec[q].cls == ClsAdd || i_dec[q].cls == ClsCmp || (i_dec[q].cls == ClsCmp64 && sub) ||
            (i_op[q] == OP_V_DIV_SCALE_F32 && !sub)) begin
          wide64 = 64'(bits & lanes_of[r0]) << {st1.beat, 4'd0};
          i_result[q] = st1.beat == 2'd0 ? wide64 : i_result[q] | wide64;
        end
      end

      // -------------------------------------------------------------- issue and operand read
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
        i_small[cur] = keeps_small(issue_i.op, issue_i.mode[5], issue_i.mode[7], i_dec[cur].out);
        i_round[cur] = i_dec[cur].out == OutF16 && issue_i.op != OP_V_CVT_F16_F32 ?
            issue_i.mode[3:2] : issue_i.mode[1:0];
        i_ieee[cur] = issue_i.ieee;
        i_dx10[cur] = issue_i.dx10_clamp;
        i_s0[cur] = issue_i.sval[0];
        i_s1[cur] = issue_i.sval[1];
        i_s2[cur] = issue_i.sval[2];
        // DPP from another row reads it through the third port; kept bits of the destination do as well
        i_cross[cur] = issue_i.dpp && issue_i.ext[16:8] >= 9'h130 && issue_i.ext[16:9] != 8'ha0;
        i_keep[cur] = issue_i.sdwa && issue_i.ext[12:11] == 2'd2 && issue_i.ext[10:8] != 3'd6 && issue_i.dst_valid;
        i_third[cur] = i_dec[cur].use2 || i_cross[cur] || i_keep[cur];
        i_wide[cur] = fpu_norm_pkg::is_wide(issue_i.op, issue_i.mode[4]);
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
            fwd_a = write && wrow == ra && FaultSeed != 16;
          end
          if (i_vgpr[cur][1]) begin
            for (int unsigned l = 0; l < 16; l++) b[l] = mem[rb][l[3:0]];
            fwd_b = write && wrow == rb && FaultSeed != 16;
          end
          if (i_vgpr[cur][2]) begin
            for (int unsigned l = 0; l < 16; l++) c[l] = mem[rc][l[3:0]];
            fwd_c = write && wrow == rc && FaultSeed != 16;
          end
          if (fwd_a || fwd_b || fwd_c) begin
            fwd_lanes = lanes;
            for (int unsigned l = 0; l < 16; l++) fwd[l] = v.out[l];
          end
        end
      end
      // -------------------------------------------------------------- slots move on; who may write in the next cycle
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

      awake = running || finished || write || st1.valid || st2.valid || st3.valid || st4.valid || vwr_valid_i != '0 ||
          init_valid_i;

      if (!rst_ni) begin
        awake = 1'b1;
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
    // rows for the memory units
    if (vrd_valid_i) begin
      `define SIMD_VRD(l) vrd_data_o[l] <= mem[vrd_row_i][l];
      `SIMD_VRD(0) `SIMD_VRD(1) `SIMD_VRD(2) `SIMD_VRD(3) `SIMD_VRD(4) `SIMD_VRD(5) `SIMD_VRD(6) `SIMD_VRD(7)
      `SIMD_VRD(8) `SIMD_VRD(9) `SIMD_VRD(10) `SIMD_VRD(11) `SIMD_VRD(12) `SIMD_VRD(13) `SIMD_VRD(14) `SIMD_VRD(15)
    end
  end
  /* verilator lint_on BLKSEQ */
endmodule
