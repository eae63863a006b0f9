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
// What a stage does with its lanes is in row functions (simd_rows_*.svh); here is which one runs, and when.
`include "gantry_assert.svh"
`ifdef SYNTHESIS  // simd_rows_pkg says why
`define LANES_ARG
`define LANES
`define NO_INLINE
`else
`define LANES v,
`endif

module cu_simd
  import cu_pkg::*;
  import gcn3_pkg::*;
  import valu_dec_pkg::*;
  import valu_lanes_pkg::*;
  import valu_lane_pkg::*;
`ifdef SYNTHESIS
  import valu_int_pkg::*;
  import valu_cmp_pkg::*;
  import fpu_fma_pkg::half_to_f32;
  import fpu_sum_pkg::*;
  import fpu_misc_pkg::*;
  import fpu_div_pkg::*;
  import fpu_trans_pkg::*;
`else
  import simd_rows_pkg::*;
`endif
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
    logic norm;     // goes through the normaliser
    logic quarter;  // goes through a quarter-rate unit
    logic entry;  // which of the two instructions under way
    logic last;
    logic read;   // operands were read
    logic write;  // a row is written
    logic [1:0] beat;
    logic [1:0] sub;
    logic [1:0] ring;  // where its result waits
  } slot_info_t;

  // what the stages must know of an instruction, in one word
  typedef struct packed {
    class_e cls;
    rate_e rate;
    out_e out;
    logic half;
    logic wide_norm;    // needs the wide normaliser
    logic small_kept;   // subnormal results are kept
    logic [1:0] round;  // MODE
    logic [2:0] vgpr;   // source i is a row
    logic use1;
    logic third;  // the third operand is used
    logic dpp;
    logic sdwa;
    logic keep;  // old bits of the destination
    logic mod;   // any abs or neg
    logic bits;  // gives a bit a lane
    logic post;  // SDWA, omod or clamp after the operation
    logic clamp;
    logic fract;
  } ctl_t;

  (* no_rw_check, ram_style = "block" *)logic [15:0][31:0] mem[1024];

  // instructions under way, by entry
  ctl_t i_ctl[2];
  slot_t i_slot[2];
  tag_t i_tag[2];
  logic [9:0] i_op[2];
  vgpr_t i_src0[2], i_src1[2], i_src2[2], i_dst[2];
  logic [2:0] i_pair[2], i_neg[2], i_abs[2];
  logic i_write[2], i_wide[2], i_has_result[2], i_cross[2], i_halves[2], i_ieee[2], i_dx10[2];
  logic [1:0] i_omod[2];
  logic [7:0] i_mode[2];
  logic [31:0] i_ext[2];
  logic [63:0] i_s0[2], i_s1[2], i_s2[2], i_mask[2], i_exec[2], i_result[2];
  logic [5:0] i_lane[2];

  // slots
  logic awake, running, cur;
  logic [3:0] count;
  slot_info_t st0, st1, st2, st3;
  /* verilator lint_off UNUSEDSIGNAL */  // a stage uses some fields of its slot and control word
  slot_info_t st4;
  // operands as read, bypassed row
  logic [31:0] a[16], b[16], c[16], fwd[16];
  logic fwd_a, fwd_b, fwd_c;
  logic [15:0] fwd_lanes;
  lanes_t v;
  logic [31:0] first_lane, lane31;  // DPP: lanes of rows that may be overwritten when they are asked for
  // lanes to write of waiting results
  logic [15:0] lanes_of[4];
  // temporaries of several stages and of one; set at the top of the block: no state is meant, and none is simulated
  logic write, from_alu, finished;
  row_t wrow;
  logic [15:0] lanes;
  logic q, sub, crosses, keep;
  ctl_t k;
  logic [1:0] r0, r1, source;
  logic [63:0] part;
  logic [31:0] mask, em, bits, value, other, carry;
  valu_dec_t d;
  row_t ra, rb, rc;
  logic [2:0] granted;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [15:0][31:0] row;
  logic [1:0] waited;
  logic idle_q;

`ifdef SYNTHESIS
  `include "simd_rows_int.svh"
  `include "simd_rows_lane.svh"
  `include "simd_rows_misc.svh"
  `include "simd_rows_norm.svh"
  `include "simd_rows_quarter.svh"
`endif

  assign idle_o = idle_q && !valid_i && vwr_valid_i == '0 && !init_valid_i && !vrd_valid_i;

  /* verilator lint_off BLKSEQ */
  always_ff @(posedge clk_i) begin
    q = '0;
    sub = '0;
    crosses = '0;
    keep = '0;
    k = '0;
    d = '0;
    r0 = '0;
    r1 = '0;
    source = '0;
    granted = '0;
    part = '0;
    mask = '0;
    em = '0;
    bits = '0;
    value = '0;
    other = '0;
    carry = '0;
    ra = '0;
    rb = '0;
    rc = '0;
    write = '0;
    from_alu = '0;
    finished = '0;
    wrow = '0;
    lanes = '0;
    st0 = '0;
    if (awake || valid_i || vwr_valid_i != '0 || init_valid_i || !rst_ni) begin
      // -------------------------------------------------------------- stage 4: output modifiers, row write, done
      done_valid_o <= 1'b0;
      obs_valid_o  <= 1'b0;
      finished = st4.valid;
      if (st4.valid) begin
        q = st4.entry;
        k = i_ctl[q];
        if (st4.last) begin
          done_valid_o <= 1'b1;
          done_o <= '{slot: i_slot[q], tag: i_tag[q], has_result: i_has_result[q], result: i_result[q]};
        end
        lanes = FaultSeed == 15 ? 16'hffff : lanes_of[st4.ring];
        if (st4.write && lanes != 16'd0) begin
          write = 1'b1;
          from_alu = 1'b1;
          wrow = {i_dst[q] + {7'd0, k.rate != RATE_FULL && st4.ring[0]}, st4.beat};
          for (int unsigned l = 0; l < 16; l++) v.out[l] = v.res[st4.ring][l];
          if (k.post) begin
            if (k.out == OutF32) begin
              modify_result(`LANES 1'b0, i_mode[q][5] ? 2'd0 : i_omod[q], k.round, k.clamp, i_dx10[q]);
            end
            if (k.out == OutF16) begin
              modify_result(`LANES 1'b1, i_mode[q][7] ? 2'd0 : i_omod[q], i_mode[q][3:2], k.clamp, i_dx10[q]);
            end
            if (k.sdwa) sdwa_result(`LANES st4.ring, i_ext[q]);
          end
          if (FaultSeed == 17) v.out[5] = v.out[4];
        end
      end
      if (vwr_ready_o[0] && vwr_valid_i[0]) begin
        write = 1'b1;
        wrow  = vwr_i[0].row;
        lanes = vwr_i[0].lanes;
        for (int unsigned l = 0; l < 16; l++) v.out[l] = vwr_i[0].data[l[3:0]];
      end
      if (vwr_ready_o[1] && vwr_valid_i[1]) begin
        write = 1'b1;
        wrow  = vwr_i[1].row;
        lanes = vwr_i[1].lanes;
        for (int unsigned l = 0; l < 16; l++) v.out[l] = vwr_i[1].data[l[3:0]];
      end
      if (init_ready_o && init_valid_i) begin
        write = 1'b1;
        wrow  = init_row_i;
        lanes = 16'hffff;
        for (int unsigned l = 0; l < 16; l++) v.out[l] = init_data_i[l];
      end
      if (write) begin
        for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = v.out[l];
        if (obs_en_i && !(init_ready_o && init_valid_i)) begin
          obs_valid_o <= 1'b1;
          if (from_alu) begin
            obs_o <= '{slot: i_slot[st4.entry], tag: i_tag[st4.entry], row: wrow, lanes: lanes, data: row};
          end else if (vwr_ready_o[0] && vwr_valid_i[0]) begin
            obs_o <= '{slot: vwr_i[0].slot, tag: vwr_i[0].tag, row: wrow, lanes: lanes, data: row};
          end else begin
            obs_o <= '{slot: vwr_i[1].slot, tag: vwr_i[1].tag, row: wrow, lanes: lanes, data: row};
          end
        end
        if (lanes != 16'hffff) begin
          for (int unsigned l = 0; l < 16; l++) row[l[3:0]] = lanes[l[3:0]] ? row[l[3:0]] : mem[wrow][l[3:0]];
        end
        mem[wrow] <= row;
      end

      // -------------------------------------------------------------- stage 3: normalise and round
      if (st3.norm) begin
        q = st3.entry;
        k = i_ctl[q];
        if (k.wide_norm) begin
          wide_round_row(`LANES st3.ring, k.round, k.small_kept, i_op[q] == OP_V_DIV_SCALE_F32);
        end else if (k.out == OutF16) begin
          round16_row(`LANES st3.ring, k.round, k.small_kept);
        end else begin
          round_row(`LANES st3.ring, k.round, k.small_kept);
        end
        if (k.fract) below_one_row(`LANES st3.ring, k.half);
      end

      // -------------------------------------------------------------- stage 2: align and add; quarter-rate units
      if (st2.norm) begin
        q = st2.entry;
        k = i_ctl[q];
        if (k.wide_norm) begin
          wide_align_row(`LANES i_op[q] == OP_V_DIV_SCALE_F32 || i_op[q] == OP_V_DIV_FMAS_F32,
                                       32'd1 << k.round);
        end else begin
          align_row(`LANES k.round == 2'd2 && k.out != OutF16);
        end
      end
      if (st2.quarter) begin
        q = st2.entry;
        r0 = {st2.beat[0], 1'b0};
        r1 = {st2.beat[0], 1'b1};
        case (i_ctl[q].cls)
          ClsTrans: trans_half(`LANES r0, st2.sub[1], i_op[q], i_ctl[q].half, i_mode[q]);
          ClsQsad: qsad_half(`LANES r0, r1, st2.sub[1], i_op[q]);
          ClsMul32: begin
            part = 64'(mul32_half(`LANES r0, r1, st2.sub[1], i_op[q]) & 32'(lanes_of[r0])) << {st2.beat, 4'd0};
            i_result[q] = st2.beat == 2'd0 && !st2.sub[1] ? part : i_result[q] | part;
          end
          default: ;
        endcase
      end

      // -------------------------------------------------------------- stage 1: operands, single-step operations
      if (st1.read) begin
        q = st1.entry;
        k = i_ctl[q];
        sub = st1.sub[0];
        r0 = k.rate == RATE_FULL ? st1.ring : {st1.beat[0], 1'b0};
        r1 = {st1.beat[0], 1'b1};
        mask = 32'(i_mask[q] >> {st1.beat, 4'd0});
        em = 32'(i_exec[q] >> {st1.beat, 4'd0}) & 32'hffff;
        bits = 32'd0;
        if (!k.vgpr[0]) begin
          value = sub ? i_s0[q][63:32] : i_s0[q][31:0];
          for (int unsigned l = 0; l < 16; l++) v.x[l] = value;
        end else if (!fwd_a) begin
          for (int unsigned l = 0; l < 16; l++) v.x[l] = a[l];
        end else if (fwd_lanes == 16'hffff) begin
          for (int unsigned l = 0; l < 16; l++) v.x[l] = fwd[l];
        end else begin
          for (int unsigned l = 0; l < 16; l++) v.x[l] = fwd_lanes[l[3:0]] ? fwd[l] : a[l];
        end
        if (!k.use1) begin
        end else if (!k.vgpr[1]) begin
          value = sub ? i_s1[q][63:32] : i_s1[q][31:0];
          for (int unsigned l = 0; l < 16; l++) v.y[l] = value;
        end else if (!fwd_b) begin
          for (int unsigned l = 0; l < 16; l++) v.y[l] = b[l];
        end else if (fwd_lanes == 16'hffff) begin
          for (int unsigned l = 0; l < 16; l++) v.y[l] = fwd[l];
        end else begin
          for (int unsigned l = 0; l < 16; l++) v.y[l] = fwd_lanes[l[3:0]] ? fwd[l] : b[l];
        end
        if (!k.third) begin
        end else if (!k.vgpr[2]) begin
          value = sub ? i_s2[q][63:32] : i_s2[q][31:0];
          for (int unsigned l = 0; l < 16; l++) v.z[l] = value;
        end else if (!fwd_c) begin
          for (int unsigned l = 0; l < 16; l++) v.z[l] = c[l];
        end else if (fwd_lanes == 16'hffff) begin
          for (int unsigned l = 0; l < 16; l++) v.z[l] = fwd[l];
        end else begin
          for (int unsigned l = 0; l < 16; l++) v.z[l] = fwd_lanes[l[3:0]] ? fwd[l] : c[l];
        end

        // lanes that are written, DPP
        if (k.dpp) begin
          other = 32'(i_exec[q] >> {dpp_other(i_ext[q][16:8], st1.beat), 4'd0});
          // at quarter rate the rows of beats 0 and 1 may be overwritten when beat 3 asks for them
          if (st1.beat == 2'd0) first_lane = v.x[0];
          if (st1.beat == 2'd1) lane31 = v.x[15];
          if (st1.beat == 2'd3 && i_ext[q][16:8] == 9'h134) v.z[0] = first_lane;
          if (st1.beat == 2'd3 && i_ext[q][16:8] == 9'h143) v.z[15] = lane31;
          em = dpp_row(`LANES i_ext[q], st1.beat, em, other);
        end
        if (k.keep) begin
          for (int unsigned l = 0; l < 16; l++) v.old[st1.ring][l] = v.z[l];
        end
        if (k.sdwa) sdwa_sources(`LANES i_ext[q]);
        if (k.mod) modify_sources(`LANES i_abs[q], i_neg[q], k.half);
        if (!sub) begin
          lanes_of[r0] = em[15:0];
          if (k.rate != RATE_FULL) lanes_of[r1] = em[15:0];
        end

        case (k.cls)
          ClsBit: bit_row(`LANES r0, i_op[q], 32'(k.clamp));
          ClsSelect: select_row(`LANES r0, i_op[q], st1.beat, mask);
          ClsAdd: begin
            // carry-in only for the second three opcodes
            carry = i_op[q] >= OP_V_ADDC_U32 ? mask : 32'd0;
            bits = add_row(`LANES r0, i_op[q], FaultSeed == 18 ? carry ^ 32'h10 : carry, 32'(k.clamp));
          end
          ClsMul24: mul24_row(`LANES r0, i_op[q]);
          ClsCmp: bits = cmp_row(`LANES i_op[q][7:0], k.half, i_mode[q][6], i_mode[q][4]);
          ClsMisc: misc_row(`LANES r0, i_op[q], i_mode[q], i_ieee[q]);
          ClsFma: begin
            if (st1.sub == 2'd0) begin
              if (i_halves[q]) halves_row(`LANES i_op[q], i_mode[q][6]);
              if (k.wide_norm) bits = wide_first_row(`LANES r0, i_op[q], i_mode[q][4], mask);
              else first_row(`LANES i_op[q], k.half, i_mode[q][4] || k.half, k.round);
            end
          end
          ClsLane: begin
            if (i_op[q] == OP_V_WRITELANE_B32) begin
              for (int unsigned l = 0; l < 16; l++) v.res[r0][l] = v.x[l];
              lanes_of[r0] = st1.beat == i_lane[q][5:4] ? 16'd1 << i_lane[q][3:0] : 16'd0;
            end
            if (st1.beat == i_lane[q][5:4]) i_result[q] = 64'(v.x[i_lane[q][3:0]]);
          end
          ClsShift64, ClsCmp64: begin
            if (!sub) begin
              for (int unsigned l = 0; l < 16; l++) begin
                v.xl[l] = v.x[l];
                v.yl[l] = v.y[l];
              end
            end else if (k.cls == ClsCmp64) bits = cmp64_row(`LANES i_op[q][3:0]);
            else shift64_row(`LANES r0, r1, i_op[q]);
          end
          ClsMul32, ClsTrans, ClsQsad: begin
            quarter_row(`LANES sub, i_pair[q][2]);
          end
          default: ;
        endcase
        if (k.bits && (sub || k.cls != ClsCmp64)) begin
          part = 64'(bits[15:0] & lanes_of[r0]) << {st1.beat, 4'd0};
          i_result[q] = st1.beat == 2'd0 ? part : i_result[q] | part;
        end
      end

      // -------------------------------------------------------------- issue and operand read
      if (valid_i) begin
        d = valu_decode(issue_i.op);
        running = 1'b1;
        count = 4'd0;
        cur = !cur;
        // DPP from another row reads it through the third port; kept bits of the destination do as well
        crosses = issue_i.dpp && issue_i.ext[16:8] >= 9'h130 && issue_i.ext[16:9] != 8'ha0;
        keep = issue_i.sdwa && issue_i.ext[12:11] == 2'd2 && issue_i.ext[10:8] != 3'd6 && issue_i.dst_valid;
        k.cls = d.cls;
        k.rate = d.rate;
        k.out = d.out;
        k.half = d.half;
        k.wide_norm = is_wide(issue_i.op, issue_i.mode[4]);
        k.small_kept = keeps_small(issue_i.op, issue_i.mode[5], issue_i.mode[7], d.out);
        k.round = d.out == OutF16 && issue_i.op != OP_V_CVT_F16_F32 ? issue_i.mode[3:2] : issue_i.mode[1:0];
        k.vgpr = issue_i.src_vgpr | {crosses || keep, 2'b00};
        k.use1 = d.use1;
        k.third = d.use2 || crosses || keep;
        k.dpp = issue_i.dpp;
        k.sdwa = issue_i.sdwa;
        k.keep = keep;
        k.mod = ((issue_i.neg | issue_i.abs) & d.mods) != '0;
        k.bits = d.cls == ClsAdd || d.cls == ClsCmp || d.cls == ClsCmp64 || issue_i.op == OP_V_DIV_SCALE_F32;
        k.post = (issue_i.sdwa && issue_i.ext[10:8] != 3'd6) ||
            (d.out != OutInt && (issue_i.clamp || issue_i.omod != 2'd0));
        k.clamp = issue_i.clamp;
        k.fract = issue_i.op == OP_V_FRACT_F32 || issue_i.op == OP_V_FRACT_F16;
        i_ctl[cur] = k;
        i_slot[cur] = issue_i.slot;
        i_tag[cur] = issue_i.tag;
        i_op[cur] = issue_i.op;
        i_src0[cur] = issue_i.src_row[0];
        i_src1[cur] = issue_i.src_row[1];
        i_src2[cur] = issue_i.src_row[2];
        i_dst[cur] = issue_i.dst;
        i_pair[cur] = d.pair;
        i_write[cur] = issue_i.dst_valid;
        i_wide[cur] = d.wide;
        i_has_result[cur] = d.has_result;
        i_cross[cur] = crosses;
        i_halves[cur] = d.half && d.mods != '0;
        i_neg[cur] = issue_i.neg & d.mods;
        i_abs[cur] = issue_i.abs & d.mods;
        i_omod[cur] = issue_i.omod;
        i_ext[cur] = issue_i.ext;
        i_mask[cur] = issue_i.mask;
        i_exec[cur] = issue_i.exec;
        i_mode[cur] = issue_i.mode;
        i_ieee[cur] = issue_i.ieee;
        i_dx10[cur] = issue_i.dx10_clamp;
        i_s0[cur] = issue_i.sval[0];
        i_s1[cur] = issue_i.sval[1];
        i_s2[cur] = issue_i.sval[2];
        i_lane[cur] = issue_i.op == OP_V_READFIRSTLANE_B32 ? pick_pkg::first64(issue_i.exec) : issue_i.sval[1][5:0];
      end
      fwd_a = 1'b0;
      fwd_b = 1'b0;
      fwd_c = 1'b0;
      if (running) begin
        k = i_ctl[cur];
        st0.valid = 1'b1;
        st0.entry = cur;
        case (k.rate)
          RATE_FULL: begin
            st0.beat = count[1:0];
            st0.ring = count[1:0];
            st0.read = 1'b1;
            st0.write = i_write[cur];
            st0.last = count == 4'd3;
            st0.norm = k.cls == ClsFma;
          end
          RATE_HALF: begin
            st0.beat = count[2:1];
            st0.sub = {1'b0, count[0]};
            st0.ring = count[1:0];
            st0.read = 1'b1;
            st0.write = i_write[cur] && (i_wide[cur] || !count[0]);
            st0.last = count == 4'd7;
          end
          default: begin
            st0.beat = count[3:2];
            st0.sub = count[1:0];
            st0.ring = {count[2], count[0]};
            st0.read = count[1:0] == 2'd0 || (count[1:0] == 2'd1 && i_pair[cur] != '0);
            st0.write = i_write[cur] && (count[1:0] == 2'd2 || (i_wide[cur] && count[1:0] == 2'd3));
            st0.last = count == 4'd15;
            st0.norm = k.cls == ClsFma && count[1:0] == 2'd0;
            st0.quarter = count[1:0] == 2'd1 || count[1:0] == 2'd2;
          end
        endcase
        if (st0.last) running = 1'b0;
        count = count + 4'd1;
        if (st0.read) begin
          sub = st0.sub[0];
          ra = {i_src0[cur] + {7'd0, sub && i_pair[cur][0]}, st0.beat};
          rb = {i_src1[cur] + {7'd0, sub && i_pair[cur][1]}, st0.beat};
          rc = i_cross[cur] ? {i_src0[cur], dpp_other(i_ext[cur][16:8], st0.beat)} :
              k.keep ? {i_dst[cur], st0.beat} : {i_src2[cur] + {7'd0, sub && i_pair[cur][2]}, st0.beat};
          if (k.vgpr[0]) begin
            for (int unsigned l = 0; l < 16; l++) a[l] = mem[ra][l[3:0]];
            fwd_a = write && wrow == ra && FaultSeed != 16;
          end
          if (k.vgpr[1]) begin
            for (int unsigned l = 0; l < 16; l++) b[l] = mem[rb][l[3:0]];
            fwd_b = write && wrow == rb && FaultSeed != 16;
          end
          if (k.vgpr[2]) begin
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
        granted = {init_ready_o, vwr_ready_o};
        // requests that stay after this cycle; a lone requester keeps its grant, so that it can send every cycle
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
        st1 = '0;
        st2 = '0;
        st3 = '0;
        st4 = '0;
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
